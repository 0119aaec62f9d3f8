"""A primitive is one record: two that are made up here go everywhere, and nothing else has to know of them."""

import numpy as np
import pytest
import scipy.special

import adviz as ad
from adviz.engine.blocks import BLOCK_OF, Numeric, Rule, Words
from adviz.engine.jacobians.local import LinearMap
from adviz.engine.rules.elementwise import elementwise
from adviz.engine.rules.textbook import one

X = np.array([0.5, 1.0, 2.5])


@pytest.fixture(scope="module", autouse=True)
def omega():
    known = dict(BLOCK_OF)
    yield elementwise(
        scipy.special.wrightomega,
        "ω",
        ("{y} / (1 + {y})", lambda y, x: y / (1 + y)),
        family="power",
        numeric=Numeric(20.0),
        words=one("Wright's ω undoes x + log x: {partials}.", ("1 / (1 + {y})", "ω itself is missing as a factor.")),
    )
    BLOCK_OF.clear()
    BLOCK_OF.update(known)


def of_many(batch, term, operands):
    """np.diff is along the last axis, so that an axis more in front changes nothing."""
    return batch.apply(term.operation, *operands)


SLOPES = Rule(
    "slopes",
    np.diff,
    lambda y, x: [
        LinearMap(lambda t: SLOPES(t), lambda c: -np.diff(np.concatenate([[0.0], c, [0.0]])), np.shape(y), np.shape(x)),
    ],
    "linear",
    noun="steps",
    code="np.diff({a})",
    batched=of_many,
    words=Words(
        "Each result is the difference of two neighbours, so an entry receives what it was added to less the other.",
        ((("1", "That has one entry less than {a}."),),),
        gates=("−diff",),
        forward="The slopes of a tangent are the tangents of the slopes.",
    ),
)


def of_entries(x):
    return np.sum(scipy.special.wrightomega(x) * x)


def of_an_array(x):
    return np.sum(SLOPES(x) ** 2 * x[0])


SENTENCES = {
    of_entries: ("ω undoes x + log x", "ω undoes x + log x"),
    of_an_array: ("the difference of two neighbours", "The slopes of a tangent"),
}
WRONG = {of_entries: "ω itself is missing as a factor", of_an_array: "That has one entry less"}


def by_hand(f):
    """The same, of primitives that adviz has."""
    if f is of_an_array:
        return lambda x: np.sum((x[1:] - x[:-1]) ** 2 * x[0])
    return lambda x: np.sum(np.real(scipy.special.lambertw(np.exp(x))) * x)


each = pytest.mark.parametrize("f", [of_entries, of_an_array])
in_both_grains = pytest.mark.parametrize("grain", ["array", "scalar"])


@each
@in_both_grains
def test_it_is_differentiated_and_compiled(f, grain):
    gradient, hessian = ad.grad(by_hand(f))(X), ad.hessian(by_hand(f))(X)
    np.testing.assert_allclose(ad.grad(f, grain=grain)(X), gradient, 1e-8)
    np.testing.assert_allclose(ad.hessian(f, grain=grain)(X), hessian, 1e-7, 1e-12)
    other = X[::-1] + 0.25
    np.testing.assert_allclose(ad.compile_gradient(f, X, grain=grain)(other).gradient, ad.grad(f)(other), 1e-12)
    np.testing.assert_allclose(ad.compile_hessian(f, X, grain=grain)(other).hessian, ad.hessian(f)(other), 1e-10, 1e-12)
    assert ad.linearize(f, X, grain=grain).edges


@pytest.mark.parametrize("f", [scipy.special.wrightomega, SLOPES], ids=["omega", "slopes"])
@in_both_grains
def test_its_jacobian_is_compiled(f, grain):
    other = X[::-1] + 0.25
    program = ad.compile_jacobian(f, X, grain=grain)
    np.testing.assert_allclose(program(other).jacobian, ad.jacobian(f)(other), 1e-12)


def test_programs_are_written_and_batched_as_the_record_says():
    program = ad.compile_jacobian(lambda x: SLOPES(x) ** 2, X, grain="array", order="forward")
    assert "steps = np.diff(x)" in program.source
    assert "np.diff(x_dot)" in program.source, "all directions at once"


@each
def test_it_is_told_and_asked_about(f):
    backward, forward = SENTENCES[f]
    assert backward in str(ad.show_backward(f, X, teach=True).scene)
    assert forward in str(ad.show_forward(f, X, teach=True).scene)
    assert WRONG[f] in str(ad.show_backward(f, 0.5 if f is of_entries else X, teach=True).scene)
    assert len(ad.explore(f, X).graph) == len(ad.trace(f, X))


@each
def test_it_is_an_op_and_it_is_kept_in_a_file(f, tmp_path):
    x = ad.lazy.variable((3,), X)
    loss = f(x)
    value, gradient = ad.lazy.computation([loss, ad.lazy.deriv(loss, x)])()
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(gradient, ad.grad(f)(X))
    graph = ad.trace(f, X)
    graph.save(tmp_path / "graph.npz")
    assert ad.load(tmp_path / "graph.npz").blocks == graph.blocks
