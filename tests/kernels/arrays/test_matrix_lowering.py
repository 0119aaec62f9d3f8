"""Jacobians and Hessians on arrays: as a person writes them, in the order that costs least."""

from itertools import pairwise

import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 4))
X = RNG.normal(size=3)


def layers(x, A, B):
    h = np.tanh(A @ x)
    return np.tanh(B @ h)


def jacobian(f, *example, **options):
    return ad.compile_jacobian(f, *example, grain="array", **options)


def lines(program):
    """The lines of the Jacobian, without comments."""
    found = [each.partition("#")[0].strip() for each in program.source.splitlines()]
    return [each for each in found if "jac = " in each]


# ---- the source ----


def test_forward_is_written_as_by_hand():
    assert lines(jacobian(layers, X, A, B, inputs=0, order="forward")) == [
        "jac = (1 - value**2)[:, None] * (B @ ((1 - h**2)[:, None] * A))"
    ]


def test_reverse_has_a_row_for_each_number_of_the_result():
    program = jacobian(layers, X, A, B, inputs=0, order="reverse")
    assert "# adjoints, a row for each number of the result" in program.source
    assert lines(program) == ["jac = h_adj * (1 - h**2) @ A"]


def test_a_function_of_entries_has_a_diagonal():
    assert lines(jacobian(lambda x: np.sin(x), X)) == ["jac = np.diag(np.cos(x))"]


def test_parts_of_a_jacobian_have_the_names_of_what_they_are_of():
    assert "return value, (x_jac, A_jac, B_jac)" in jacobian(layers, X, A, B).source
    both = jacobian(lambda x: {"s": np.sin(x), "p": x * x}, X).source
    assert "result_s_jac" in both
    hessian = ad.compile_hessian(lambda x, y: np.sum(x * x * y), X, X, grain="array").source
    assert "x_y_hess" in hessian


# ---- the order ----


def through(*sizes):
    """Layers of these sizes, and weights."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(m, n)) / n for n, m in pairwise(sizes)]

    def f(x, *weights):
        for w in weights:
            x = np.tanh(w @ x)
        return x

    return f, (rng.normal(size=sizes[0]), *weights)


@pytest.mark.parametrize(("sizes", "order"), [((10, 100, 1000), "forward"), ((1000, 100, 10), "reverse")])
def test_the_best_order_is_that_of_the_fewer_rows(sizes, order):
    f, example = through(*sizes)
    best, same = jacobian(f, *example, inputs=0), jacobian(f, *example, inputs=0, order=order)
    assert best.cost.operations == same.cost.operations


def test_jacobians_of_parts_are_multiplied_where_there_is_a_bottleneck():
    f, example = through(100, 60, 5, 60, 4, 60, 100)
    costs = {order: jacobian(f, *example, inputs=0, order=order).cost.operations for order in ORDERS}
    assert 1.5 * costs["best"] < min(costs["forward"], costs["reverse"])
    program = jacobian(f, *example, inputs=0)
    assert "# Jacobians" in program.source
    point = (example[0] + 0.3, *example[1:])
    np.testing.assert_allclose(program(*point).jacobian, ad.jacobian(f)(*point), 1e-10, 1e-14)


ORDERS = ("best", "forward", "reverse")


@pytest.mark.parametrize("seed", range(12))
def test_chains_with_bottlenecks_agree_with_the_engine(seed):
    """Matrices between, several arguments and results, and parts that some of them do not depend on."""
    rng = np.random.default_rng(seed)
    m, n, k = rng.integers(1, 5, 3)
    left, right = rng.normal(size=(k, m)), rng.normal(size=(n, 2))

    def f(x, y):
        inner = np.sin(left @ x @ right) * (np.sum(y) if seed % 2 else 1.0)
        z = np.sum(inner, axis=0) + 0.1 * y[:2]
        wide = np.outer(z, np.exp(z)) * z[:, None]
        return wide, np.cumsum(wide, axis=1)[0], np.concatenate([z, wide.ravel()])

    example = rng.normal(size=(m, n)), rng.normal(size=3)
    point = rng.normal(size=(m, n)), rng.normal(size=3)
    wanted = [each for _, each in leaves(ad.jacobian(f, argnums=(0, 1))(*point), "")]
    for order in ORDERS:
        found = [each for _, each in leaves(jacobian(f, *example, order=order)(*point).jacobian, "")]
        for one, other in zip(found, wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, 1e-10, 1e-12)


# ---- structures, arguments, results ----


def test_inputs_and_outputs_are_chosen_by_their_numbers():
    def f(x, y):
        return x * y, np.sum(y), {"z": y[0] * x}

    whole = ad.jacobian(f, argnums=(0, 1))(X, X + 1)
    found = jacobian(f, X, X, inputs=[1, 0], outputs=2)(X, X + 1)
    np.testing.assert_allclose(found.jacobian["z"][0], whole[2]["z"][1])
    np.testing.assert_allclose(found.jacobian["z"][1], whole[2]["z"][0])
    assert found.values["z"].shape == (3,)
    with pytest.raises(ad.ProgramError, match="outputs has 3"):
        jacobian(f, X, X, outputs=3)


def test_what_does_not_depend_has_zeros():
    with pytest.warns(ad.IndependentOutputWarning, match="does not depend on any input"):
        program = jacobian(lambda x, y: (x * x, np.ones((2, 2)), np.floor(y)), X, X)
    found = program(X, X)
    assert [each.shape for each in found.jacobian[1]] == [(2, 2, 3), (2, 2, 3)]
    assert not any(each.any() for row in found.jacobian[1:] for each in row)
    assert not found.jacobian[0][1].any()


def test_lists_of_numbers_are_results_each_with_its_derivative():
    def f(a, b):
        return {"list": [a, a * b], "power": (a**3, [b])}

    program = ad.compile_jacobian(f, 2.0, 3.0, grain="array")
    assert program(4.0, 5.0).jacobian == ad.jacobian(f, (0, 1))(4.0, 5.0)
    assert ad.compile_jacobian(lambda a: [a, a * a], 2.0, grain="array")(3.0).jacobian == [1.0, 6.0]


# ---- what is chosen, what is refused ----


def test_long_functions_are_on_arrays_and_short_ones_are_not():
    w = RNG.normal(size=(40, 40))
    x = np.ones(40)
    assert isinstance(ad.compile_jacobian(lambda x, w: np.tanh(w @ x), x, w, inputs=0), ad.ArrayProgram)
    assert isinstance(ad.compile_hessian(lambda x, w: np.sum(np.tanh(w @ x)), x, w, inputs=0), ad.ArrayProgram)
    assert isinstance(ad.compile_jacobian(np.sin, 1.0), ad.Program)
    assert isinstance(ad.compile_jacobian(lambda x, w: np.tanh(w @ x), x, w, form="csr"), ad.Program)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"order": "markowitz"}, ad.OrderError, "order is 'markowitz'; on arrays it is 'best'"),
        ({"form": "coo"}, ad.ProgramError, "leave it out, or take grain='scalar'"),
        ({"inputs": 5}, ad.ProgramError, "inputs has 5"),
    ],
)
def test_refused(options, error, words):
    with pytest.raises(error, match=words):
        jacobian(layers, X, A, B, **options)


def test_what_is_not_finite_is_reported_with_its_place():
    program = jacobian(lambda x: np.sqrt(x), X**2)
    with pytest.warns(ad.NonFiniteWarning, match="arises in the derivative of node 1, .*sqrt"):
        program(np.zeros(3))
