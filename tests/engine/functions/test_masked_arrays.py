"""Masked arrays: NumPy's values and masks, differences as derivatives, and nothing of what is under a mask."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions.masked_arrays import RULES

from ...catalogue import expressions
from ..checks import GRAINS

X = np.ma.array([[1.3, np.nan, 3.1], [4.2, 5.4, np.inf]], mask=[[0, 1, 0], [0, 0, 1]])
K = np.ma.array([[2.0, 1.5, np.nan], [4.0, 5.0, 1.0]], mask=[[0, 0, 1], [0, 0, 0]])
V = np.array([0.5, 1.5, 2.5])
C = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])

CALLS = expressions("""
x.sum() | np.sum(x * x) | np.ma.sum(x) | (x * x).mean() | np.ma.log(x).sum() | np.exp(-x).mean() | x.var()
np.ma.std(x) | x.var(ddof=1) | x.max() | x.min() | x.prod() | (x * k).sum() | (k * x).sum() | (x / k).sum()
(x / v).sum() | (v * x).sum() | (v + x[0]).sum() | x.sum(axis=0).sum() | (x.mean(axis=1) ** 2).sum()
x.std(axis=1).sum() | x.max(axis=0).sum() | x.min(axis=1).sum() | x.prod(0).sum() | x.var(0).sum()
x.sum(axis=1, keepdims=True).sum() | x.filled(0.5).sum() | np.ma.filled(x, 0.5).mean() | (x.compressed() ** 3).sum()
np.ma.compressed(x)[2] | x[0].sum() | x[0, 0] * x[1, 1] | x[:, ::2].sum() | x[x.mask.any(axis=1)].sum() | x.T[0].sum()
x.reshape(-1)[3] | x.ravel()[4] | x.flatten()[3] | x.transpose()[0].sum() | x.swapaxes(0, 1)[2, 0] | x.copy().sum()
x.squeeze().sum() | x.take([0, 3]).sum() | x.diagonal().sum() | x.repeat(2).sum() | np.expand_dims(x, 0).sum()
np.ma.atleast_3d(x).sum() | np.ma.atleast_1d(x)[0].sum() | np.ma.atleast_2d(x[0]).sum()
np.ma.where(x > 2, x, x * x).sum() | np.ma.where(k > 2, x, 0.0).sum() | np.ma.masked_less(x, 2).sum()
np.ma.masked_where(x > 4.5, x).mean() | np.ma.masked_greater(x, 5).sum() | np.ma.masked_inside(x, 2, 4).sum()
np.ma.masked_invalid(x).sum() | (np.ma.masked_equal(k, 4.0) * x).sum() | np.ma.concatenate([x, k * 2.0]).sum()
np.ma.vstack([x, x]).mean() | np.ma.hstack([x, k]).sum() | np.ma.stack([x, x])[1].sum()
np.ma.column_stack([x[0], x[1]]).sum() | np.ma.dstack([x, x]).sum() | np.ma.append(x, k).sum()
np.ma.append(x, x, axis=0).sum() | np.ma.average(x, weights=np.ma.abs(k))
np.ma.average(x, axis=0, weights=np.arange(6.0).reshape(2, 3) + 1).sum() | np.ma.average(x) | (x**2).sum()
(2.0**x).sum() | (x - x.mean()).std() | np.ma.anom(x).std() | x.anom(axis=1).std() | np.ma.power(x, 0.5).sum()
x.cumsum(0).sum() | x.cumsum().sum() | np.ma.cumprod(x, axis=1).sum() | np.ma.sqrt(x).sum() | np.sqrt(x).sum()
np.ma.array(v * x[1, 1], mask=[0, 1, 0]).sum() | np.ma.asarray(x).sum() | np.ma.asanyarray(x).sum() | abs(-x).sum()
(x * x.count()).sum() | np.ma.count(x, axis=0).sum() * x.sum() | np.ma.maximum(x, 2.0).sum() | np.maximum(x, 2.0).sum()
sum(r.sum() for r in x) | len(x) * x.sum() | np.ma.multiply(x, k).mean() | np.ma.log(x - 2).sum() | np.log(x - 2).sum()
np.ma.arctan2(x, k).sum() | np.hypot(x, v).sum() | np.divmod(x, 2.0)[1].sum() | x.clip(2, 4).sum()
np.clip(x, 0, 4).sum() | x[np.argmax(x, axis=0), [0, 1, 2]].sum() | x[x.argmin(axis=1)[0]].sum() | x.all() * x.sum()
x.any() * x.sum() | np.ma.allclose(x, x) * x.sum() | x.ravel()[x.ravel().argsort()].sum() | x[x.nonzero()].sum()
np.ma.is_masked(x) * x.sum() | np.ma.isMaskedArray(x) * x.sum() | isinstance(x, np.ma.MaskedArray) * x.sum()
np.ma.getmaskarray(x).sum() * x.sum() | np.ma.getmask(x).sum() * x.sum() | x.mask.sum() * x.sum()
(x.ndim + x.size + x.shape[1]) * x.sum() | np.flip(x.filled(1), 0)[0, 1] | (np.ma.masked_not_equal(k, 2.0) * x).sum()
np.ma.masked_equal(x, 7.0).sum() | np.ma.masked_not_equal(x[:1] * 0, 0).sum() | np.ma.masked_outside(x, 2, 4.5).sum()
np.ma.masked_less_equal(x, 2).sum() | np.ma.masked_greater_equal(x, 4.5).sum() | np.ma.masked_values(x, 7.0).sum()
(x != 7.0).sum() * x.sum()
""")


def function_of(text):
    return eval(f"lambda x: {text}", {"np": np, "k": K, "v": V})


def differences(f, x):
    result = np.ma.array(np.zeros(x.shape), mask=x.mask.copy())
    for place in zip(*np.nonzero(~x.mask), strict=True):
        ahead, behind = x.copy(), x.copy()
        ahead[place] += 1e-6
        behind[place] -= 1e-6
        result[place] = (f(ahead) - f(behind)) / 2e-6
    return result


@GRAINS
@pytest.mark.parametrize("text", CALLS)
def test_a_function_of_masked_arrays_has_numpys_value_and_its_derivative(text, grain):
    f = function_of(text)
    with warnings.catch_warnings(action="ignore"):
        value, expected = f(X), differences(f, X)
    found, gradient = ad.value_and_grad(f, grain=grain)(X)
    assert found == pytest.approx(float(value), rel=1e-12)
    np.testing.assert_array_equal(gradient.mask, X.mask)
    np.testing.assert_allclose(gradient.compressed(), expected.compressed(), rtol=1e-6, atol=1e-8)


def test_every_rule_is_in_a_test():
    text = "\n".join(CALLS)
    assert {name for name in RULES if f".{name}(" not in text} <= {"shape", "ndim", "size", "isMA", "isarray"}


@GRAINS
def test_jacobians_have_the_masks_of_result_and_argument(grain):
    jacobian = ad.jacobian(lambda x: x * x, grain=grain)(C)
    np.testing.assert_array_equal(jacobian.filled(-1.0), [[2, -1, 0], [-1, -1, -1], [0, -1, 6]])
    by_array = ad.jacobian(lambda x: x * C, grain=grain)(np.ones(3))
    np.testing.assert_array_equal(by_array.filled(-1.0), [[1, 0, 0], [-1, -1, -1], [0, 0, 3]])
    rows = ad.jacobian(lambda x: (x * x).sum(axis=0), grain=grain)(X)
    assert rows.shape == (3, 2, 3)
    np.testing.assert_allclose(rows[2].filled(-1.0), [[0, -1, 6.2], [0, 0, -1]])


@GRAINS
def test_second_derivatives_and_products(grain):
    def f(x):
        return (x**3).sum()

    np.testing.assert_allclose(ad.hessian(f, grain=grain)(C).filled(-1.0), [[6, -1, 0], [-1, -1, -1], [0, -1, 18]])
    of_slope = ad.grad(lambda x: (ad.grad(f)(x) ** 2).sum(), grain=grain)(C)
    np.testing.assert_allclose(of_slope.filled(-1.0), [36, -1, 972])
    np.testing.assert_allclose(ad.hvp(f, (C,), (np.ones(3),), grain=grain)[0].filled(-1.0), [6, -1, 18])
    value, tangent = ad.jvp(lambda x: x * x, (C,), (np.ma.array([1.0, np.nan, 2.0], mask=C.mask),), grain=grain)
    np.testing.assert_allclose([value.filled(-1.0), tangent.filled(-1.0)], [[1, -1, 9], [2, -1, 12]])
    pulled = ad.vjp(lambda x: x * x, C, grain=grain)[1](np.array([1.0, np.nan, 2.0]))[0]
    np.testing.assert_allclose(pulled.filled(-1.0), [2, -1, 12])


@GRAINS
def test_derivatives_at_kinks_of_masked_arrays_are_limits(grain):
    def squared(x):
        return (abs(x - 1.0) ** 2).sum()

    np.testing.assert_allclose(ad.grad(squared, grain=grain)(C).filled(-1.0), [0, -1, 4])
    np.testing.assert_allclose(ad.hessian(squared, grain=grain)(C).filled(-1.0), [[2, -1, 0], [-1, -1, -1], [0, -1, 2]])


@GRAINS
def test_masked_constants_beside_traced_values_are_seen(grain):
    for f in (lambda x: np.sum(x * C), lambda x: np.sum(C * x), lambda x: np.sum(np.multiply(C, x))):
        np.testing.assert_array_equal(ad.grad(f, grain=grain)(np.ones(3)), [1, 0, 3])
        np.testing.assert_array_equal(ad.compile_gradient(f, np.ones(3), grain=grain)(np.ones(3)).gradient, [1, 0, 3])
    by_keyword = ad.grad(lambda x, m=None: np.sum(x / m), grain=grain)(np.ones(3), m=C)
    np.testing.assert_allclose(by_keyword, [1, 0, 1 / 3])


@GRAINS
def test_other_traced_arrays_are_no_masked_ones(grain):
    def f(x):
        assert not any(ask(x) for ask in (np.ma.isMaskedArray, np.ma.isMA, np.ma.isarray, np.ma.is_masked))
        assert np.ma.getmask(x) is np.ma.nomask
        assert not np.ma.getmaskarray(x).any()
        return np.sum(x)

    np.testing.assert_array_equal(ad.grad(f, grain=grain)(np.ones(3)), np.ones(3))


@GRAINS
def test_structures_and_types(grain):
    gradient = ad.grad(lambda p: (p["a"] * p["b"]).sum(), grain=grain)({"a": C, "b": 2.0})
    np.testing.assert_array_equal(gradient["a"].filled(-1.0), [2, -1, 2])
    assert gradient["b"] == 4.0
    assert ad.grad(lambda x: (x * x).sum(), grain=grain)(C.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(ad.grad(lambda x: (x * x).sum(), grain=grain)(np.ma.array([1, 2])), [2, 4])


REFUSED = {
    "x.data": lambda x: x.data.sum(),
    "a median": lambda x: np.ma.median(x),
    "a plain array": lambda x: np.asarray(x).sum(),
    "dot": lambda x: x.dot(x),
    "a matrix product": lambda x: x @ np.ones(3),
    "np.dot": lambda x: np.dot(x, np.ones(3)),
    "np.concatenate": lambda x: np.concatenate([x, x]).sum(),
    "np.average": lambda x: np.average(x),
    "a norm": lambda x: np.linalg.norm(x),
    "add.reduce": lambda x: np.add.reduce(x),
    "filled without a number": lambda x: x.filled().sum(),
    "writing": lambda x: (x.__setitem__(0, 2.0), x.sum())[1],
    "in place": lambda x: operator.iadd(x, 1.0).sum(),
    "rounding": lambda x: x.round(1).sum(),
    "a float": lambda x: float(x[:1]) * x.sum(),
    "the class": lambda x: np.ma.MaskedArray(x).sum(),
}


@GRAINS
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_of_masked_arrays_is_refused_with_its_place(what, grain):
    with pytest.raises(ad.AdvizError) as caught:
        ad.grad(REFUSED[what], grain=grain)(C)
    assert caught.value.origin.file == __file__


@GRAINS
def test_a_masked_result_has_no_derivative(grain):
    for f in (lambda x: x[1], lambda x: (x * np.ma.masked).sum(), lambda x: x[1:2].sum(), lambda x: x[:1].var(ddof=1)):
        with pytest.raises(ad.OutputError, match="returned a number that is masked"):
            ad.grad(f, grain=grain)(C)


@GRAINS
def test_compiled_programs_take_no_masked_arguments_and_do_not_mask_by_data(grain):
    for make in (ad.compile_gradient, ad.compile_jacobian, ad.compile_hessian):
        with pytest.raises(ad.InputError, match="x is a MaskedArray"):
            make(lambda x: (x * x).sum(), C, grain=grain)
        with pytest.raises(ad.InputError, match=r"x is a MaskedArray.* x\.filled"):
            make(lambda x: (x * x).sum(), np.ones(3), grain=grain)(C)
        with pytest.raises(ad.BranchError):
            make(lambda x: np.ma.log(x * C).sum(), np.ones(3), grain=grain)


@GRAINS
def test_what_survives_a_trace_is_the_numbers_that_it_was(grain):
    saved = []

    def f(x):
        saved.append(x * 2.0)
        return (x * x).sum()

    ad.grad(f, grain=grain)(C)
    for found, expected in ((saved[0] + 1.0, 2 * C + 1.0), (np.log(saved[0]), np.log(2 * C))):
        assert type(found) is np.ma.MaskedArray
        np.testing.assert_array_equal(found.filled(-1.0), expected.filled(-1.0))
    assert saved[0].sum() == 8.0
    np.testing.assert_array_equal(ad.grad(lambda x: (x * saved[0]).sum(), grain=grain)(C).filled(-1.0), [2, -1, 6])


@GRAINS
def test_functions_of_numpy_take_what_survives_a_trace(grain):
    saved = []

    def f(x, mask):
        x = np.ma.array(x, mask=mask)
        saved[:] = [x, x * 2.0, x.reshape(2, 2), np.ma.masked_less(x, 2.0)]
        return x.sum()

    mask = [False, True, False, False]
    f(np.arange(4.0), mask)
    expected = list(saved)
    ad.grad(f, grain=grain)(np.arange(4.0), mask)
    for function in (
        *(np.ma.sum, np.ma.mean, np.ma.median, np.ma.average, np.ma.getmaskarray, np.ma.count, np.ma.sin, np.ma.sort),
        *(
            np.ma.masked_invalid,
            np.ma.zeros_like,
            np.ma.compressed,
            np.ma.notmasked_edges,
            np.sum,
            np.diff,
            np.exp,
            str,
        ),
        *(
            repr,
            pickle.dumps,
            copy.deepcopy,
            np.ma.isMaskedArray,
            lambda x: np.ma.filled(x, 7.0),
            lambda x: 1 / (1 + x),
        ),
        *(lambda x: np.ma.concatenate([x, x]), lambda x: x.filled(), lambda x: x.mask.tolist(), "{}".format),
    ):
        for one, other in zip(saved, expected, strict=True):
            found, right = function(one), function(other)
            assert isinstance(found, np.ma.MaskedArray) == isinstance(right, np.ma.MaskedArray), function
            if type(right) is bytes:
                found, right = map(pickle.loads, (found, right))
            np.testing.assert_array_equal(np.ma.filled(found, -1.0), np.ma.filled(right, -1.0), str(function))
    saved[0][0] = 5.0
    assert (saved[0].sum(), saved[0].T[0], np.ma.max(saved[0])) == (10.0, 5.0, 5.0)


@GRAINS
def test_what_survives_is_a_masked_array_of_numpys_own(grain):
    saved = []

    def f(x):
        written = np.zeros(3)
        written[:] = x
        saved[:] = [np.ma.array(x, mask=[True, False, False]), x * 2.0, written]
        return np.sum(x)

    ad.grad(f, grain=grain)(np.array([1.0, 2.0, 3.0]))
    masked, *others = saved
    assert type(masked) is np.ma.MaskedArray
    assert np.isnan(np.asarray(masked)[0])  # never a number that was not there
    for function in (np.ma.array, np.ma.masked_array, np.ma.fix_invalid, np.ma.cov, np.ma.corrcoef, np.ma.copy):
        expected = function(np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False]))
        np.testing.assert_array_equal(np.ma.filled(function(masked), -1.0), np.ma.filled(expected, -1.0))
    for kept, numbers in zip(others, ([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]), strict=True):
        for function in (np.ma.array, np.ma.sqrt, np.ma.log, np.cov, np.corrcoef, lambda x: C * x, lambda x: x * C):
            assert str(function(kept)) == str(function(np.array(numbers)))


@GRAINS
def test_shows_of_masked_arrays(grain):
    def f(x):
        return (x * x).mean()

    assert ad.explore(f, C, grain=grain) is not None
    assert len(ad.show_backward(f, C, grain=grain).scene["steps"]) > 3
    assert [node.block.name for node in ad.trace(f, C)] == ["input", "multiply", "mean", "output"]
