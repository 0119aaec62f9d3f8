"""NumPy's functions on traced arrays: empty ones, ties, NaN, and what is refused; the catalogue has the usual calls."""

import re
import warnings

import numpy as np
import pytest

import adviz as ad

from ...catalogue import X, expressions, function_of
from ..checks import GRAINS, check
from ..derivatives import assert_close, central_gradients, central_jacobian

HOLES = np.where(X > 1, np.nan, X)


@GRAINS
def test_nan_is_left_out_or_spreads_as_in_numpy(grain):
    for text in expressions("""
    np.nansum(x, axis=1) | np.nanmean(x, axis=1) | np.nanvar(x, axis=1) | np.nanstd(x) | np.nanmax(x, axis=1)
    np.nanmedian(x, axis=1) | np.nanmedian(x) | np.nanprod(x) | np.nancumsum(x, axis=1) | np.nancumprod(x)
    np.fmax.reduce(x, axis=1) | np.fmin.reduce(x) | np.nanmin(x)
    """):
        function = function_of(text)
        jacobian = ad.jacobian(function, grain=grain)(HOLES)
        expected = central_jacobian(function, HOLES)
        assert_close(jacobian[..., ~np.isnan(HOLES)], expected[..., ~np.isnan(HOLES)], message=text)
        assert not np.any(jacobian[..., np.isnan(HOLES)]), text
    for text in expressions("np.median(x, axis=1) | np.quantile(x, 0.3, axis=1) | np.sort(x) | np.unique(x)"):
        check(lambda x: x, function_of(text), grain, HOLES)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (0, 0)])
def test_functions_along_axes_of_empty_arrays_have_empty_gradients(shape):
    x = np.zeros(shape)
    functions = [lambda x, k=axis: np.sum(np.prod(np.cos(x), axis=k)) for axis in range(x.ndim)]
    functions += [lambda x, k=axis: np.sum(np.tensordot(x, np.sin(x), ([k], [k]))) for axis in range(x.ndim)]
    for f in (*functions, lambda x: np.sum(np.inner(x, x))):
        assert ad.grad(f)(x).shape == shape
        assert ad.compile_gradient(f, x, grain="array")(x).gradient.shape == shape


EMPTY = """
np.cumsum(x) → 0 | np.cumprod(x) → 0 | np.sort(x) → 0 | np.unique(x) → 0 | np.diff(x) → 0 | np.sum(x) → 1
np.pad(x, 1) → 2 | np.diag(x) → 0 | np.trapezoid(x) → 1 | np.nansum(x) → 1 | np.einsum('i,i', x, x) → 1
np.fft.fftshift(x) → 0 | np.tile(x, 2) → 0 | np.prod(x) → 1
"""


def test_empty_arrays_have_empty_jacobians():
    for text, rows in (line.split(" → ") for line in expressions(EMPTY)):
        jacobian = ad.jacobian(function_of(text))(np.zeros(0))
        assert (jacobian.size, int(np.prod(jacobian.shape[:-1]))) == (0, int(rows)), text


def test_sums_of_exponentials_neither_overflow_nor_vanish():
    x = np.array([1000.0, -np.inf, 1001.0])
    assert_close(ad.grad(np.logaddexp.reduce)(x), [1 / (1 + np.e), 0, np.e / (1 + np.e)], 1e-14)
    assert_close(ad.grad(np.logaddexp.reduce)(np.full(2, -np.inf)), [0, 0], 1e-14)


def test_what_a_function_cannot_do_is_said_by_name():
    for text, name in {
        'np.pad(x, 1, mode="empty")': "np.pad with mode='empty'",
        'np.pad(x, 4, mode="reflect", reflect_type="odd")': "np.pad with reflect_type='odd' and more rows than there",
        "np.roots([1.0, 0.0, x[0, 0] ** 2])": "np.roots of a polynomial with complex roots",
        "np.quantile(x, 0.5, weights=x)": "np.quantile with weights",
        'np.quantile(x, 0.5, method="inverted_cdf")': "np.quantile with method='inverted_cdf'",
        "np.quantile([1.0, 2.0], x[0, 0])": "np.quantile with a traced q",
        "np.cov(x, aweights=[1, 2, 3])": "np.cov with aweights",
        "np.unique(x, axis=0)": "np.unique with axis",
        "np.nanmean(x, where=x > 0)": "np.nanmean with where",
        "np.nanquantile(x, x[0, 0])": "np.nanquantile with a traced q",
        "np.polyfit(x[0], x[1], 1, full=True)": "np.polyfit with full",
        "np.poly(x[:, :2])": "np.poly of a matrix",
        "np.histogram(x)": "np.histogram",
    }.items():
        with pytest.raises(ad.MissingBlockError, match=re.escape(name)):
            ad.trace(function_of(text), X)
    with pytest.raises(ValueError, match="needs 2 or 3 entries each; there are 1 and 3"):
        ad.trace(lambda x: np.cross(x[:, :1], x), X)
    with pytest.raises(ValueError, match="max with where needs initial"):
        ad.trace(lambda x: np.max(x, where=x > 0), X)
    with pytest.raises(TypeError, match="along 2 axes was given 3 spacings"):
        ad.trace(lambda x: np.gradient(x, 1.0, 2.0, 3.0), X)


def test_padding_takes_the_keywords_that_numpy_takes():
    for text in ('np.pad(x, 1, "mean", end_values=2)', 'np.pad(x, 1, "edge", odd=1)', "np.pad(x, 1, stat_length=1)"):
        for call in (function_of(text), lambda x, text=text: ad.trace(function_of(text), x)):
            with pytest.raises(ValueError, match="unsupported keyword arguments for mode"):
                call(X)


@GRAINS
def test_a_length_has_a_derivative_of_zero_where_it_is_zero(grain):
    """As ``np.hypot`` and ``np.abs``: the mean of the one-sided derivatives."""
    lengths = [np.std, np.nanstd, np.linalg.norm, np.hypot.reduce, np.linalg.vector_norm, lambda x: np.hypot(*x)]
    lengths += [lambda x, p=p: np.linalg.norm(x, p) for p in (1, 2, 3, 1.5, np.inf)]
    lengths += [lambda x: np.linalg.norm(x[None], "fro"), lambda x: np.linalg.matrix_norm(x[None])]
    for length in lengths:
        assert not ad.grad(length, grain=grain)(np.zeros(2)).any()
        for mode in ("forward", "reverse"):
            assert not ad.jacobian(length, mode=mode, grain=grain)(np.zeros(2)).any()


def test_ties_are_shared_by_all_of_an_array_and_by_two_numbers_at_a_time():
    """In the scalar grain the largest of three numbers is the larger of one and of the larger of two."""
    np.testing.assert_array_equal(ad.grad(np.max)(np.ones(3)), np.full(3, 1 / 3))
    assert ad.grad(np.max, grain="scalar")(np.ones(3)).tolist() == [0.25, 0.25, 0.5]


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::RuntimeWarning")
@GRAINS
def test_what_where_leaves_out_counts_for_nothing_also_if_its_partial_is_infinite(grain):
    def root(x):
        return np.where(x > 0, np.sqrt(x), 0.0)

    x = np.array([0.0, 4.0])
    assert ad.grad(lambda x: np.sum(root(x)), grain=grain)(x).tolist() == [0.0, 0.25]
    assert ad.grad(lambda x: np.sum(root(x) + x * x), grain=grain)(x).tolist() == [0.0, 8.25]
    assert ad.grad(lambda x: np.sum(np.where(x > 0, 1 / x, x)), grain=grain)(x).tolist() == [1.0, -1 / 16]
    assert ad.jvp(root, (x,), (np.ones(2),), grain=grain)[1].tolist() == [0.0, 0.25]
    for mode in ("forward", "reverse"):
        assert ad.jacobian(root, mode=mode, grain=grain)(x).tolist() == [[0.0, 0.0], [0.0, 0.25]]


@GRAINS
@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("size", [3, 12])
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::RuntimeWarning")
def test_an_undefined_entry_leaves_the_zeros_beside_it(grain, mode, size):
    """Of numbers that have nothing to do with each other; a zero that is a limit makes NaN of infinity."""
    x = np.linspace(7.0, 8.0, size)
    undefined = np.isnan(ad.jacobian(lambda x: x * np.log(np.cos(x)), mode=mode, grain=grain)(x))
    assert (undefined == np.diag(np.cos(x) < 0)).all()
    assert np.isnan(ad.jacobian(lambda x: np.sqrt(x * x), mode=mode, grain=grain)(np.zeros(2))).diagonal().all()


def test_the_sum_of_no_numbers_is_one_of_numpys_numbers():
    def f(x):
        nothing = np.sum(x[:0])
        assert (nothing.shape, nothing.ndim, nothing.dtype) == ((), 0, float)
        return nothing + np.prod(x[:0]).reshape(()) + np.sum(x)

    assert ad.value_and_grad(f, grain="scalar")(np.ones(2))[0] == 3


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
def test_the_mean_of_no_numbers_is_nan_as_in_numpy():
    for mean in (np.mean, np.var, np.std):
        value, gradient = ad.value_and_grad(mean, grain="scalar")(np.zeros(0))
        assert (np.isnan(value), gradient.shape) == (True, (0,))


@GRAINS
def test_numbers_may_be_reduced_along_an_axis_that_they_do_not_have(grain):
    for function in (np.sum, np.prod, np.max, np.min):
        for axis in (0, -1, None):
            assert ad.value_and_grad(lambda x, f=function, a=axis: f(x, axis=a), grain=grain)(2.0) == (2.0, 1.0)
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        ad.trace(lambda x: np.sum(x, axis=1), 2.0, grain=grain)


INTO_ITS_ARGUMENT = """
np.fill_diagonal(x, 1.0) | np.fill_diagonal(a=x, val=1.0, wrap=True) | np.copyto(x, 1.0, where=[True, False, True])
np.put(x, [1, 5], 1.0) | np.place(x, np.eye(3) > 0, [1.0]) | np.putmask(x, np.eye(3) > 0, [1.0])
np.put_along_axis(x, np.array([[0], [2], [1]]), 1.0, 1) | np.nan_to_num(x, copy=False, nan=1.0)
np.nan_to_num(x, False) | np.clip(x, -0.5, 0.5, out=x) | np.clip(x, -0.5, 0.5, x) | np.round(x, 0, x) | np.fix(x, x)
np.sum(x, 0, None, x[0]) | np.mean(x, axis=0, out=x[0]) | x.mean(axis=0, out=x[0]) | np.var(x, axis=0, out=x[0])
np.median(x, 1, x[0]) | np.nanmax(x, axis=0, out=x[0]) | np.all(x, axis=0, out=x[0]) | np.isneginf(x, x)
np.take(x, [4, 4, 4], None, x[0]) | np.dot(x.copy(), x.copy(), x) | np.cumprod(x, 0, None, x)
np.linalg.multi_dot([x, x, x], out=x) | np.apply_along_axis(lambda row: row.fill(1.0), 1, x)
np.lib.stride_tricks.sliding_window_view(x, 2, 1, writeable=True)[0].fill(1.0)
"""
BY_CODE_THAT_IS_NOT_TRACED = ("np.lib.stride",)


@pytest.mark.parametrize("text", expressions(INTO_ITS_ARGUMENT))
@GRAINS
def test_what_is_written_into_is_different_from_then_on(text, grain):
    def f(x):
        before = np.nansum(x)
        function_of(text)(x)
        return before + (x * np.arange(1.0, 10.0).reshape(3, 3)).sum()

    def difference(change):
        return (f(point + change) - f(point - change)) / 2e-6

    point = np.array([[0.31, -0.72, 1.43], [1.91, 0.58, -0.27], [0.9, 0.2, -1.2]])
    point[1, 1] = np.nan if "nan=1.0" in text else 0.58
    if grain == "array" and text.startswith(BY_CODE_THAT_IS_NOT_TRACED):
        with pytest.raises(ad.ArrayWriteError):
            ad.grad(f)(point)
        return
    expected = [difference(1e-6 * np.eye(9)[k].reshape(3, 3)) for k in range(9)]
    np.testing.assert_allclose(ad.grad(f, grain=grain)(point).ravel(), expected, rtol=1e-6, atol=1e-6)


def test_a_key_that_changes_later_does_not_change_the_graph():
    def f(x):
        key, places, mask = [0], np.array([1, 1]), (np.array([0, 1]), [2, 2])
        y = x[key].sum() + 2 * x[places].sum() + 3 * x[mask].sum()
        key[0], places[:] = 1, 0
        mask[0][:], mask[1][:] = 0, [0, 0]
        return y

    check(lambda x: x, f, "array", X)


@GRAINS
def test_the_largest_of_nothing_is_the_initial_value(grain):
    for text in expressions("""
    np.max(x, initial=1.0) | np.max(x, axis=0, initial=2.0) | np.min(x, axis=1, keepdims=True, initial=3.0)
    np.maximum.reduce(x, initial=4.0)
    """):
        function = function_of(text)
        with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
            found, _ = ad.vjp(function, np.zeros((0, 3)), grain=grain)
        expected = function(np.zeros((0, 3)))
        assert np.shape(found) == np.shape(expected), text
        np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
def test_results_without_entries_keep_their_shape():
    x = np.zeros((0, 3))
    assert ad.vjp(lambda x: x > 0, x)[0].shape == (0, 3)
    assert ad.vjp(lambda x: (x, np.ones((2, 0))), x)[0][1].shape == (2, 0)
    assert ad.hvp(lambda x: np.sum(x**2), (x,), (x,))[0].shape == (0, 3)
    assert ad.jacobian(ad.grad(lambda x: np.sum(x**2)))(x).shape == (0, 3, 0, 3)
    assert ad.hessian(lambda x: np.sum(np.sin(x)))(x).shape == (0, 3, 0, 3)


@pytest.mark.long
@GRAINS
def test_lengths_that_are_always_zero_have_second_derivatives_and_others_have_none_there(grain):
    """Of one number the deviation is 0 everywhere."""
    for length in (np.std, np.linalg.norm, lambda x: np.linalg.norm(x, 3)):
        for mode in ("forward", "reverse"):
            assert not ad.jacobian(ad.grad(lambda x, f=length: f(x - x[0]), grain=grain), mode=mode)(np.ones(1)).any()
    rows = np.array([[1.0, 2.0], [3.0, 3.0]])
    with pytest.warns(ad.NonFiniteWarning, match="kink"):
        hessian = ad.hessian(lambda x: np.sum(np.std(x, axis=1)), grain=grain)(rows)
    assert_close(hessian[0, :, 0], np.zeros((2, 2)), 1e-12)
    assert np.isnan(hessian[1, :, 1]).all()
    assert not np.isnan(hessian[[0, 1], :, [1, 0]]).any()


@GRAINS
def test_gradients_that_are_nan_say_where_that_began_and_what_to_write_instead(grain):
    x = np.array([0.0, 4.0])
    for text, function, remedy in (
        ("np.sqrt(x)", lambda x: np.sum(np.sqrt(x) * (x > 0)), "np.sqrt(np.where(x > 0, x, 1.0))"),
        ("x**0.5", lambda x: np.sum((x > 0) * x**0.5), "np.where(x > 0, x, 1.0) ** p"),
        (
            "np.arcsin(x / 4)",
            lambda x: np.sum(np.arcsin(x / 4) * (x < 4)),
            "np.arcsin(np.where(np.abs(x) < 1, x, 0.0))",
        ),
    ):
        for derivative in (ad.grad(function, grain=grain), ad.jacobian(function, grain=grain)):
            with pytest.warns(ad.NonFiniteWarning, match="NaN arises in the derivative of node") as caught:
                assert np.isnan(derivative(x)).any()
            assert f"function is applied to as well: {remedy}.\n  at " in str(caught[0].message)
            assert str(caught[0].message).endswith(text)
        with pytest.warns(ad.NonFiniteWarning, match="in the derivative"):
            ad.vjp(function, x, grain=grain)[1](1.0)
        with pytest.warns(ad.NonFiniteWarning, match="in the derivative"):
            ad.jvp(function, (x,), (np.ones(2),), grain=grain)


LISTS = expressions("""
np.dot([t, 1.0], v) | np.dot([[t, 1.0], (t, t)], v) | np.matmul([[t, 1.0], [t, t]], v)
np.einsum("ij,j->i", [[t, 1.0], [t, t]], v) | np.convolve([t, 1.0], v) | np.where([True, False], [t, t], v)
np.select([[True, False], [False, True]], [[t, t], v]) | np.block([[t, t * 2], [t, 1.0]]) @ v
np.concatenate(([t], v, [2.0, t])) | np.concatenate(([np.cos(t), 2.0], v * t)) | np.append([t, 1.0], v)
np.vstack([[t, 1.0], v]) | np.interp(v, [0.0, 1.0], [t, 2.0]) | np.cross([t, 1.0, 2.0], [1.0, t, v[0]])
""")


@GRAINS
@pytest.mark.parametrize("text", LISTS)
def test_lists_of_traced_numbers_are_arrays(text, grain):
    f, arguments = eval(f"lambda v, t: {text}", {"np": np}), (np.array([0.3, 0.4]), 0.7)
    value, _ = ad.vjp(f, *arguments, grain=grain)
    assert_close(value, f(*arguments))
    found = ad.jacobian(f, argnums=(0, 1), grain=grain)(*arguments)
    for one, other in zip(found, central_gradients(f, arguments), strict=True):
        assert_close(one, other)
