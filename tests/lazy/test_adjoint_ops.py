"""Derivatives as ops: what is built, how often, and the numbers at which rules of others fail."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy
from adviz.engine.blocks import BLOCK_OF
from adviz.lazy.adjoint_ops import adjoints

from ..agreement.array_programs import array_programs


def slopes(f, *values):
    """The value and the derivatives of a function of placeholders."""
    params = [lazy.placeholder(np.shape(value)) for value in values]
    y = f(*params)
    return lazy.computation([y, *(lazy.deriv(y, param) for param in params)], *params)(*values)


def test_where_a_value_is_used_more_than_once_its_adjoint_is_a_chain_of_add_ops():
    x = lazy.placeholder((), name="x")
    y = np.sin(x) + x * np.cos(x)
    gradient = lazy.deriv(y, x)
    first, second = gradient, gradient.args[0]
    assert [first.what, second.what] == ["add", "add"]
    assert "add" not in (second.args[0].what, second.args[1].what)


def test_all_independents_share_adjoints_that_are_built_once():
    a, b = lazy.placeholder(()), lazy.placeholder(())
    y = np.exp(np.sin(a * b))
    for_a = lazy.deriv(y, a)
    known = {*for_a.ordered_ops()}
    for_b = lazy.deriv(y, b)
    assert lazy.deriv(y, a) is for_a
    assert {*for_b.args} & known
    assert max(op.number for op in for_b.ordered_ops()) < (before := lazy.constant(1.0)).number
    lazy.deriv(y, a), lazy.deriv(y, b)
    assert lazy.constant(1.0).number == before.number + 2  # the op of initialization is the only one between


def test_each_adjoint_that_is_given_has_a_sweep_of_its_own():
    x, one, other = lazy.placeholder((2,)), lazy.placeholder((2,)), lazy.placeholder((2,))
    y = x * x
    assert lazy.deriv(y, x, one) is lazy.deriv(y, x, one)
    assert lazy.deriv(y, x, one) is not lazy.deriv(y, x, other)
    found = lazy.computation([lazy.deriv(y, x, one), lazy.deriv(y, x, other)], x, one, other)([1, 2], [1, 0], [0, 1])
    np.testing.assert_array_equal(found, [[2, 0], [0, 4]])


def test_what_is_built_meanwhile_is_not_visited():
    x = lazy.placeholder(())
    y = np.sin(x) * x
    before = {*y.ordered_ops()}
    assert {*adjoints(y)} == before
    lazy.deriv(lazy.deriv(y, x), x)
    assert {*adjoints(y)} == before


def test_nothing_is_computed(monkeypatch):
    def dtype_only(*data):
        assert all(np.size(each) <= 1 for each in data)  # one entry tells the dtype
        return np.float64(1.0)

    x = lazy.placeholder((3,))
    for ufunc in (np.sin, np.cos, np.multiply):
        monkeypatch.setattr(BLOCK_OF[ufunc], "compute", dtype_only)
    gradient = lazy.deriv(np.sum(np.sin(x) * x), x)
    assert {op.what for op in gradient.ordered_ops()} > {"sin", "cos", "multiply"}


def test_what_was_stored_is_a_leaf():
    x, w = lazy.placeholder(()), lazy.variable((), 1.0)
    stored = lazy.assign(w, x * x)
    y = w * x
    assert lazy.computation([lazy.deriv(y, x), lazy.deriv(y, w)], x)(3.0) == (9.0, 3.0)
    with pytest.warns(ad.IndependentOutputWarning):
        assert lazy.deriv(stored, x).is_constant
    assert lazy.computation(lazy.deriv(np.sin(stored * 2), stored), x)(3.0) == 2 * np.cos(18.0)


def test_without_a_path_it_is_zero_of_the_shape_of_the_independent_with_a_warning():
    x, w = lazy.placeholder((2,), name="x"), lazy.variable((3,), name="w")
    with pytest.warns(ad.IndependentOutputWarning, match="x does not depend on w; its derivative is zero"):
        found = lazy.deriv(x, w, error=lazy.placeholder((2,)))
    assert (found.is_constant, found.shape) == (True, (3,))
    np.testing.assert_array_equal(lazy.computation(found)(), np.zeros(3))


def test_a_missing_connection_is_no_error_but_a_vector_without_an_adjoint_is():
    x, w = lazy.placeholder((1,)), lazy.variable((1,))
    with pytest.raises(lazy.OpError, match=r"x is an array of shape \(1,\). Pass error="):
        lazy.deriv(x, w)
    with pytest.warns(ad.IndependentOutputWarning):
        assert lazy.computation(lazy.deriv(x, w, np.ones(1)))() == 0.0


def test_of_itself_it_is_the_adjoint_that_is_given():
    p, q, error = lazy.placeholder(()), lazy.placeholder((2,)), lazy.placeholder((2,))
    assert lazy.deriv(q, q, error) is error
    assert lazy.computation(lazy.deriv(p, p))() == 1.0


def test_the_adjoints_of_a_polynomial():
    a, b, c, x = (lazy.variable((), value, name=name) for name, value in zip("abcx", (2.0, 3.0, 5.0, 7.0), strict=True))
    y = a * x**2 + b * x + c
    gradients = [lazy.deriv(y, each) for each in (a, b, c, x)]
    assert lazy.computation(gradients)() == (49.0, 7.0, 1.0, 2 * 2.0 * 7.0 + 3.0)


def test_derivatives_of_derivatives_of_parts():
    x = lazy.placeholder((3,))
    slope = lazy.deriv(np.sum(x[1:] ** 3) + np.sum(x[::2] * x[0]), x)
    second = lazy.deriv(slope, x, error=np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(lazy.computation(second, x)([1.0, 2.0, 3.0]), [2.0, 12.0, 1.0])


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
@pytest.mark.parametrize(
    ("f", "values", "expected"),
    [
        (lambda x, y: x / y, (0.0, 2.0), (0.0, 0.5, 0.0)),
        (lambda x, y: x**y, (0.0, 2.0), (0.0, 0.0, 0.0)),
        (lambda x: x**1.0, (0.0,), (0.0, 1.0)),
        (lambda x: x**2, (0.0,), (0.0, 0.0)),
        (lambda x: np.log(x / 3), (2.0,), (np.log(2 / 3), 0.5)),
        (lambda x: np.log(np.exp(x)), (800.0,), (np.inf, 1.0)),
        (lambda x, y: np.maximum(x, y), (1.0, 1.0), (1.0, 0.5, 0.5)),
        (lambda x, y: np.minimum(x, y), (1.0, 2.0), (1.0, 1.0, 0.0)),
        (lambda x: np.max(x), ([1.0, 3.0, 3.0],), (3.0, [0.0, 0.5, 0.5])),
        (lambda x, y: np.minimum(x, y), (1.0, 1.0), (1.0, 0.5, 0.5)),
        (lambda x: np.min(x), ([1.0, 1.0, 3.0],), (1.0, [0.5, 0.5, 0.0])),
        (lambda x, y: x - x * y, (2.0, 3.0), (-4.0, -2.0, -2.0)),
        (lambda x: np.prod(x), ([0.0, 2.0, 3.0],), (0.0, [6.0, 0.0, 0.0])),
        (lambda x: np.prod(x), ([0.0, 0.0, 3.0],), (0.0, [0.0, 0.0, 0.0])),
        (lambda x: np.sum(x[1:] ** 2), ([1.0, 2.0, 3.0],), (13.0, [0.0, 4.0, 6.0])),
        (lambda x: np.sum(x[::2]) * x[-1], ([1.0, 2.0, 3.0],), (12.0, [3.0, 0.0, 7.0])),
        (lambda x: np.sum(np.broadcast_to(x, (4, 2)) * [1.0, 2.0]), ([1.0, 1.0],), (12.0, [4.0, 8.0])),
        (lambda x: np.sum(x * np.ones((2, 3))), (2.0,), (12.0, 6.0)),
        (
            lambda x: (np.exp(x) / np.sum(np.exp(x)))[0],
            ([0.0, -2000.0],),
            (1.0, [0.0, 0.0]),
        ),
    ],
)
def test_derivatives_at_zeros_ties_and_parts(f, values, expected):
    for one, other in zip(slopes(f, *values), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-15)


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
@given(array_programs(), st.integers(0, 99))
def test_gradients_of_random_programs_are_those_of_the_engine(program, seed):
    values = program.inputs(seed)
    results, params = lazy.from_graph(ad.trace(program.loss, *values))
    found = lazy.computation([lazy.deriv(results[0], param) for param in params], *params)(*values)
    expected = ad.grad(program.loss, tuple(range(len(values))))(*values)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
