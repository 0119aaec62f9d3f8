"""NumPy's functions on traced arrays: values and derivatives, and that they stay whole arrays in the array grain."""

import re
import warnings
from functools import cache

import numpy as np
import pytest

import adviz as ad
from adviz.engine.complex_numbers import complex_functions
from adviz.engine.functions import fourier, linalg
from adviz.engine.functions.registry import FUNCTIONS
from adviz.engine.tracing.function_calls import COMPOSED

from ..arrays.test_object_arrays import check
from ..derivatives import along, assert_close, central_gradients, central_jacobian, central_slopes

X = np.array([[0.31, -0.72, 1.43], [1.91, 0.58, -0.27]])
CUBE = np.sin(np.arange(1.0, 25.0)).reshape(2, 3, 4)
GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])

CASES = """
np.sum(x) | np.sum(x, axis=0) | np.sum(x, 1) | np.sum(x, axis=(0, 1)) | np.sum(x, axis=-1, keepdims=True)
np.sum(x, axis=()) | np.mean(x) | np.mean(x, axis=1) | np.mean(x, axis=(0, 1), keepdims=True) | np.prod(x)
np.prod(x, axis=0) | np.prod(x, axis=(1, 0)) | np.max(x) | np.max(x, axis=0) | np.amax(x, axis=1, keepdims=True)
np.min(x, axis=-1) | np.amin(x) | np.max(x, axis=(0, 1)) | np.var(x) | np.var(x, axis=0) | np.var(x, ddof=1)
np.std(x, axis=1) | np.std(x, axis=1, keepdims=True) | np.std(x, correction=1) | x.sum() | x.sum(0) | x.mean(axis=0)
x.prod() | x.max() | x.min(axis=1) | x.var() | x.std(axis=0, ddof=1) | x.dot(x.T) | x.clip(0, 1) | x.reshape(3, 2)
x.reshape((-1,)) | x.reshape(-1) | x.reshape(6) | x.T | x.transpose() | x.transpose(1, 0) | x.transpose((1, 0))
x.ravel() | x.flatten() | x.squeeze() | x.swapaxes(0, 1) | x.repeat(2, axis=1) | x.take([0, 1], axis=1) | x.copy()
x.astype(float) | x.diagonal() | x.trace() | x.cumsum() | x.cumprod(axis=1) | x.round(1) | x.argmax()
x.argsort(axis=0) | x.all() | x.any(axis=0) | x.nonzero() | np.dot(x, x.T) | np.dot(x, [1.0, 2.0, 3.0])
np.dot([1.0, 2.0], x) | np.dot(x, 2) | np.dot(x[0], x[1]) | x @ x.T | x @ x[0] | x[:, 0] @ x | np.ones((2, 2)) @ x
np.inner(x, x) | np.inner(x[0], x[1]) | np.inner(x, 2) | np.outer(x[0], x[1]) | np.outer(x, [1.0, 2.0]) | np.vdot(x, x)
np.tensordot(x, x, 2) | np.tensordot(x, x, np.int64(0)) | np.tensordot(x, x, ([1], [1])) | np.tensordot(x, x, (0, 0))
np.trace(x) | np.trace(x, 1) | np.matmul(x, x.T) | np.linalg.norm(x) | np.linalg.norm(x, axis=1)
np.linalg.norm(x, "fro") | np.linalg.norm(x[0], 2) | np.linalg.norm(x[0], 1) | np.linalg.norm(x, np.inf, axis=0)
np.linalg.norm(x[0], -np.inf) | np.linalg.norm(x, 3, axis=1, keepdims=True) | np.linalg.norm(x[0], 0)
np.where(x > 0, x, 0.1 * x) | np.where(x > 0, 1.0, x) | np.where(x[0] > 0, x, x[1]) | np.where(x > 0)[0]
np.clip(x, 0, 1) | np.clip(x, None, 0.5) | np.clip(x, x - 1, min(1, 2)) | np.clip(x, min=0) | np.maximum(x, 0)
np.minimum(x, x[::-1]) | np.fmax(0.2, x) | np.abs(x) | np.sign(x) | np.reshape(x, (3, 2))
np.reshape(x, (3, -1), order="F") | np.reshape(x.ravel(), (2, 3), order="F") | np.reshape(x, (1, 3, 2), order="F")
np.reshape(x, -1, order="F") | np.ravel(x) | np.ravel(x, order="F") | x.ravel("F") | x.flatten("F")
x.reshape(3, 2, order="F") | x.reshape((3, 2), order="F") | np.squeeze(x[None]) | np.squeeze(x[None, :, None], axis=0)
np.expand_dims(x, 1) | np.expand_dims(x, (0, -1)) | np.atleast_1d(x[0, 0]) | np.atleast_2d(x[0]) | np.atleast_3d(x)
np.atleast_1d(x, 2.0)[0] | np.transpose(x) | np.transpose(x, (1, 0)) | np.transpose(x, (-1, 0)) | np.swapaxes(x, 0, 1)
np.moveaxis(x, 0, -1) | np.rollaxis(x, 1) | np.matrix_transpose(x) | np.permute_dims(x, (1, 0)) | np.flip(x)
np.flip(x, 1) | np.flipud(x) | np.fliplr(x) | x[::-1, ::-2] | np.roll(x, 1) | np.roll(x, 1, axis=1) | np.repeat(x, 2)
np.repeat(x, [1, 2], axis=0) | np.tile(x, 2) | np.tile(x, (2, 1)) | np.take(x, [0, 5]) | np.take(x, -1, axis=1)
np.take(x, [4, 7], mode="wrap") | np.take(x, [4, 7], mode="clip") | np.diagonal(x) | np.diag(x) | np.diag(x[0])
np.broadcast_to(x, (2, 2, 3)) | np.lib.stride_tricks.sliding_window_view(x, 2, 1)
np.broadcast_to(x[0, 0], 3) | np.broadcast_to(x[0], [2, 3]) | np.concatenate([x, x])
np.concatenate((x, np.ones((2, 1))), axis=1) | np.concatenate([x, x], axis=None)
np.concatenate([x[0], [1.0, 2.0], x[1]]) | np.stack([x, x]) | np.stack((x[0], [1.0, 2.0, 3.0]), axis=1)
np.stack([x[0, 0], 1.0]) | np.stack([x, x], axis=-1) | np.vstack([x, x[0]]) | np.vstack([x[0], x[1]])
np.hstack([x, x]) | np.hstack([x[0], x[1]]) | np.hstack([x[0, 0], x[1]]) | np.column_stack([x[0], x[1]])
np.column_stack([x, x[:, 0]]) | np.dstack([x, x]) | np.append(x, x) | np.append(x, x[:1], axis=0) | np.append(x[0], 2.0)
np.block([[x, x], [x, x]]) | np.diff(x) | np.diff(x, axis=0) | np.diff(x, n=2) | np.copy(x) | np.real(x) | np.imag(x)
np.nan_to_num(x) | np.round(x[0, 0], 1) | np.around(x[0, 1]) | np.sort(x) | np.sort(x, axis=0) | np.sort(x, axis=None)
np.median(x) | np.median(x, axis=1) | np.median(x, axis=0, keepdims=True)
np.take_along_axis(x, np.argsort(x, axis=1), 1) | np.take_along_axis(x, np.array([4, 0]), None)
np.broadcast_arrays(x, x[0])[1] | np.split(x, 3, axis=1)[2] | np.array_split(x.ravel(), 4)[1] | np.hsplit(x, 3)[0]
np.vsplit(x, 2)[1] | np.rot90(x) | np.ptp(x) | np.ptp(x, axis=1) | np.trapezoid(x) | np.trapezoid(x, dx=0.5, axis=0)
np.polyval(x[0], 2.0) | np.polyval([1.0, 2.0, 3.0], x) | np.average(x, axis=0)
np.average(x, axis=1, weights=[1.0, 2.0, 3.0]) | np.cumsum(x) | np.cumsum(x, axis=1) | np.cumprod(x, axis=0)
np.cross(x[0], x[1]) | np.kron(x, x[0]) | np.convolve(x[0], x[1]) | np.einsum("ij,kj->ik", x, x) | np.einsum("ij->j", x)
np.add.reduce(x) | np.add.reduce(x, axis=None) | np.multiply.reduce(x, 1) | np.maximum.reduce(x)
np.minimum.reduce(x, axis=1, keepdims=True) | np.add.accumulate(x, axis=1) | np.multiply.outer(x, x[0])
np.subtract.outer(x[0], x[1]) | np.triu(x) | np.tril(x, -1) | np.full_like(x, 2.0) * x | np.zeros_like(x) + x
np.ones_like(x) * x[0, 0] | np.full_like(x, x[0, 1]) | np.argmax(x, axis=1) | np.argsort(x)
np.searchsorted([0.0, 0.5, 1.0], x.ravel()) | np.isclose(x, 0.31) | np.count_nonzero(x > 0) | np.array_equal(x, x)
np.any(x > 1, axis=0) | np.isnan(x) | np.signbit(x) | np.logical_and(x > 0, x < 1) | np.nonzero(x > 0)[1] | np.shape(x)
np.size(x) | np.ndim(x) | len(x) | x[0] | x[-1, 1] | x[:, 1:] | x[..., None] | x[None, 0] | x[[1, 0, 1]]
x[[0, 1], [1, 2]] | x[x > 0] | x[:, [True, False, True]] | x[np.argmax(x, axis=0), [0, 1, 2]] | x[()] | x[np.int64(1)]
np.sqrt(np.add(x, 2.0, dtype=float)) | np.add(x, [1.0, 2.0, 3.0]) | [1.0, 2.0, 3.0] * x | x + (1, 2, 3) | x**2 | 2.0**x
x**[1.0, 2.0, 3.0] | np.power(x, 3) | x - np.float32(0.5) | np.float64(3) - x | np.int64(2) * x | True * x
x / np.array(2.0) | np.array(2.0) / x | x // 1 | x % 0.4 | 1.5 % x | -x | +x | abs(x) | divmod(x, 0.4)[0]
divmod(x, 0.4)[1] | divmod(2.0, x)[1] | np.divmod(x, x[0])[1] | np.modf(x)[0] | np.modf(x)[1] | round(x[0, 0], 1)
round(x[0, 1]) | np.nanmean(x) | np.nansum(x) | np.nanmax(x) | np.cumsum(x, axis=-1) | np.cumsum(x[0, 0])
np.cumprod(x) | np.cumprod(x, axis=1) | np.cumulative_sum(x, axis=1)
np.cumulative_prod(x, axis=0, include_initial=True) | np.cumulative_sum(x[0], include_initial=True)
np.multiply.accumulate(x) | np.maximum.accumulate(x, axis=1) | np.minimum.accumulate(x) | np.logaddexp.reduce(x)
np.logaddexp.reduce(x, axis=1, keepdims=True) | np.logaddexp2.reduce(x, axis=None) | np.fmax.reduce(x)
np.fmin.reduce(x, axis=1) | np.hypot.reduce(x) | np.rot90(x, 3) | np.rot90(x, -1, (1, 0)) | np.delete(x, 1)
np.delete(x, [0, 2], axis=1) | np.compress([True, False, True], x, axis=1) | np.extract(x > 0, x) | np.resize(x, (3, 4))
np.insert(x, 1, 5.0) | np.insert(x, [0, 2], x[:, :2], axis=1) | np.insert(x[0], 1, x[1, 2])
np.block([[x, x[:, :1]], [1.0, x[0]]]) | np.block([x[0], x[1]]) | np.meshgrid(x[0], x[1])[0]
np.meshgrid(x[0], x[1], indexing="ij")[1] | np.meshgrid(x[0], [1.0, 2.0], sparse=True)[0] | np.pad(x, 1)
np.pad(x, ((0, 1), (2, 0)), constant_values=3.0) | np.pad(x, 2, mode="edge")
np.pad(x, ((1, 1), (2, 2)), mode="reflect") | np.pad(x[0], (2, 1), mode="wrap") | np.pad(x, 1, mode="symmetric")
np.diag(x[0], 1) | np.diag(x, -1) | np.diagflat(x) | np.diagflat(x[0], -1) | np.triu(x, 1) | np.tril(x) | np.tril(x[0])
np.choose([0, 1, 0], [x[0], x[1]]) | np.choose([1, 1, 0], x) | np.select([x > 1, x > 0], [x**2, 2 * x], 0.5)
np.select([x[0] > 0], [x]) | np.select([x > 1], [0.5], x**2)
np.select([np.eye(3)[:2] > 0], [1.0], x[0]) | np.unique(x) | np.unique(x[0], return_counts=True)[0]
np.piecewise(x, [x < 0, x > 1], [lambda t: -t, lambda t: t * t, 3.0]) | np.piecewise(x[0], [x[0] > 0], [np.exp])
np.partition(x, 1) | np.partition(x, 2, axis=None) | np.nansum(x, axis=1) | np.nanprod(x, axis=0) | np.nanmax(x, axis=1)
np.nanmin(x) | np.nanmin(x, axis=0, keepdims=True) | np.nanmean(x, axis=1) | np.nanvar(x, axis=0) | np.nanvar(x, ddof=1)
np.nanstd(x) | np.nanstd(x, axis=1, keepdims=True) | np.nanmedian(x) | np.nanmedian(x, axis=1) | np.nancumsum(x, axis=1)
np.nancumprod(x) | np.nanmedian(x, axis=0, keepdims=True) | np.average(x) | np.average(x, weights=x * x)
np.average(x, 0, [1.0, 2.0], returned=True)[0] | np.average(x, 0, [1.0, 2.0], keepdims=True) | np.quantile(x, 0.3)
np.quantile(x, [0.0, 0.3, 1.0], axis=1) | np.quantile(x, 0.77, axis=0, keepdims=True) | np.percentile(x, 40)
np.percentile(x, [10, 90], axis=1, keepdims=True) | np.quantile(x, 0.3, method="lower")
np.quantile(x, 0.3, method="nearest") | np.quantile(x, 0.3, method="higher") | np.quantile(x, 0.3, method="weibull")
np.nanquantile(x, 0.3) | np.nanquantile(x, [[0.0, 0.3], [1.0, 0.6]], axis=1) | np.nanpercentile(x, 40, axis=0)
np.nanquantile(np.where(x > 0.4, x, np.nan), [0.2, 0.7], axis=1, keepdims=True, method="hazen")
np.var(x, where=x > 0.2) | np.var(x, axis=1, where=[True, False, True], ddof=1)
np.std(x, where=x > 0.1, keepdims=True)
np.var(x, axis=0, where=[[True], [False]], mean=x[:1]) | x.std(axis=1, where=[True, False, True])
np.quantile(x, 0.35, axis=1, method="median_unbiased") | np.quantile(x, 0.33, method="midpoint") | np.cov(x)
np.cov(x[0], x[1]) | np.cov(x, rowvar=False, bias=True) | np.cov(x[0], ddof=0) | np.corrcoef(x)
np.corrcoef(x[0], x[1]) | np.einsum("ij,jk", x, x.T) | np.einsum("ij", x) | np.einsum("ii", x[:, :2])
np.einsum("ii->i", x[:, 1:]) | np.einsum("...j,j->...", x, x[0]) | np.einsum("...i,...i", x, x)
np.einsum("ij,kj->ik", x, x[:, :1]) | np.einsum("i...->...", x) | np.einsum(x, [0, 1], x, [2, 1], [0, 2])
np.einsum(x, [0, 1]) | np.einsum("ij,ik,il->jkl", x, x, x, optimize=True)
np.einsum(x, [Ellipsis, 0], x, [Ellipsis, 0], [Ellipsis]) | np.einsum("ij,jk,ik->", x, x.T, x[:, :2])
np.einsum("i,j", x[0], x[1]) | np.kron(x[0], x) | np.kron(x, 2.0) | np.cross(x, x[::-1]) | np.cross(x.T, x[0], axisa=0)
np.cross(x[0], [1.0, 2.0, 3.0]) | np.cross(x.T, x.T[:, ::-1], axis=0) | np.linalg.cross(x, x[1])
np.sum(x, where=x > 0) | np.sum(x, axis=0, where=[True, False, True], keepdims=True) | np.sum(x, initial=x[0, 1])
np.mean(x, where=x > 0) | np.mean(x, axis=1, where=x > 0, keepdims=True) | np.prod(x, axis=0, where=x > 0, initial=2.0)
np.max(x, axis=1, initial=0.5) | np.min(x, where=x > 0, initial=9.0) | np.max(x, axis=0, where=x < 0, initial=-5.0)
np.add.reduce(x, where=x > 0) | np.maximum.reduce(x, axis=1, initial=0.2)
np.linalg.outer(x[0], x[1]) | np.linalg.matmul(x, x.T) | np.linalg.tensordot(x, x, axes=1 + 1) | np.linalg.trace(x)
np.linalg.diagonal(x, offset=1) | np.linalg.matrix_transpose(x) | np.linalg.vecdot(x, x[0]) | np.vecdot(x, x)
np.vecdot(x, x, axis=0) | np.matvec(x, x[0]) | np.vecmat(x[:, 0], x) | np.convolve(x[0], x[1, :2])
np.convolve(x[0], x[1], "same") | np.convolve(x[0, :2], x.ravel(), "same") | np.convolve(x[0], x.ravel(), "valid")
np.convolve(x.ravel(), [1.0, 2.0], "same") | np.convolve([1.0, 2.0], x[0]) | np.correlate(x[0], x[1])
np.correlate(x.ravel(), x[0]) | np.correlate(x[0], x.ravel()) | np.correlate(x[0], x[1, :2], "full")
np.correlate(x.ravel(), x[0], "same") | np.correlate(x[0], x.ravel(), "same")
np.correlate(x.ravel(), x[0, :2], "same") | np.correlate(x[0, :2], x.ravel(), "same") | np.polyval(x[0], x)
np.polyadd(x[0], [1.0, 2.0]) | np.polysub(x[0, :1], x[1]) | np.polymul(x[0], x[1]) | np.polyder(x[0])
np.polyder(x.ravel(), 2) | np.vander(x[0]) | np.vander(x[0], 4, increasing=True) | np.vander(x[0], 1)
np.interp(x, [-1.0, 0.1, 0.6, 1.5], [1.0, 3.0, 2.0, 5.0]) | np.interp([0.3, 0.7], [0.0, 0.5, 1.0], x[0])
np.interp(0.4, np.sort(x[0]), x[1]) | np.interp(x[0], [0.0, 1.0], [2.0, 3.0], left=-1.0, right=x[0, 0])
np.interp(x, [0.1, 0.5, 0.9], [1.0, 3.0, 2.0], period=1.3) | np.interp(x[0], [0.3], [2.0])
np.trapezoid(x, [0.0, 1.0, 3.0]) | np.trapezoid(x[0], x[1]) | np.trapezoid(x, x * x, axis=0) | np.gradient(x[0])
np.gradient(x[0], 0.5, edge_order=2) | np.gradient(x[0], [0.0, 0.3, 1.0])
np.gradient(x[0], [0.0, 0.3, 1.0], edge_order=2) | np.gradient(x)[0] | np.gradient(x, 0.1, 0.2)[1]
np.gradient(x, axis=1) | np.gradient(x.ravel(), 2.0) | np.ediff1d(x)
np.ediff1d(x[0], to_end=[1.0, 2.0], to_begin=x[0, 0]) | np.sinc(x) | np.sinc(0 * x) | np.frexp(x)[0] | np.frexp(x)[1]
np.ldexp(x, 3) | np.ldexp(x[0], [1, 2, 3]) | np.unwrap(4 * x) | np.unstack(x, axis=1)[2] | np.astype(x, float)
np.bincount([0, 3, 1], x[0]) | np.bincount([2, 2, 0], x[0] * x[1], 5) | np.linspace(x[0, 0], x[0, 1], 4)
np.linspace(x[0], x[1], 3, endpoint=False, axis=-1) | np.linspace(1.0, x, 3)
np.linspace(x[0, 0], 2.0, 5, retstep=True)[1] | np.geomspace(x[0, 0], x[1, 0], 4) | np.logspace(x[0, 0], x[1, 0], 4)
np.logspace(x[0, 0], 2.0, 3, base=x[0, 2]) | np.linspace(x[0, 0], 3.0, 1) | np.polyint(x[0])
np.polyint(x[0], 2, [x[1, 0], 3.0]) | np.poly(x[0]) | np.nanargmax(x, axis=1) | np.isin(x, [0.31])
np.dstack([x[0], x[1]]) | np.fix(3 * x) | np.angle(x) | np.angle(x, deg=True) | np.real_if_close(x)
np.pad(x, 1, "maximum") | np.pad(x, 2, mode="minimum") | np.pad(x, ((0, 1), (2, 2)), "mean", stat_length=2)
np.pad(x, ((0, 1), (2, 2)), mode="maximum", stat_length=((1, 2), (2, 1))) | np.pad(x, (1, 2), mode="median")
np.pad(x, 2, "linear_ramp") | np.pad(x, ((0, 1), (2, 2)), mode="linear_ramp", end_values=(1.0, 2.0))
np.pad(x, 1, mode="linear_ramp", end_values=x[0, 0]) | np.pad(x, ((0, 1), (2, 2)), constant_values=x[0, 0])
np.pad(x, 1, constant_values=((x[0, 0], 0.0), (2.0, x[1, 1]))) | np.pad(x, 1, mode="reflect", reflect_type="odd")
np.pad(x, ((0, 1), (2, 2)), mode="symmetric", reflect_type="odd") * 1.0
np.pad(x[0], 2, "constant", constant_values=3.0)
np.roots(np.poly(x[0])) | np.roots([1.0, x[0, 1], -1.0, 0.0]) | np.roots([0.0, 2.0, x[0, 0]])
np.apply_along_axis(np.sum, -1, x) | np.apply_along_axis(lambda r: r / np.sum(r), 0, x)
np.apply_along_axis(lambda r: np.outer(r, r), 1, x) | np.apply_along_axis(lambda r, k, b=0: r[:k] + b, 1, x, 2, b=1.0)
"""


LATER = {f"np.{name}(": name for name in ("cumulative_sum", "cumulative_prod", "unstack", "matvec", "vecmat")}
LATER["np.clip(x, min="] = "unstack"
"""What NumPy has since 2.1 or 2.2, and a name of the same version."""


def is_known(text):
    """Whether this NumPy has what an expression calls."""
    return all(hasattr(np, name) for call, name in LATER.items() if call in text)


@cache
def function_of(part):
    return eval(f"lambda x: {part}", {"np": np})


@cache
def spelled(text):
    return {
        part.strip(): function_of(part.strip())
        for part in text.replace("\n", " | ").split(" | ")
        if part.strip() and is_known(part)
    }


@GRAINS
@pytest.mark.parametrize("text", spelled(CASES))
def test_a_function_gives_what_numpy_gives_and_has_its_derivative(text, grain):
    check(lambda x: x, spelled(text)[text], grain, X)


CUBIC = """
np.sum(x, axis=(0, 2)) | np.mean(x, axis=(-1, 0), keepdims=True) | np.prod(x, axis=(0, 2)) | np.max(x, axis=(1, 2))
np.var(x, axis=(0, 1)) | np.std(x, axis=(0, 2), keepdims=True) | np.linalg.norm(x, axis=(1, 2))
np.transpose(x, (2, 0, 1)) | x.transpose(1, 2, 0) | np.moveaxis(x, [0, 1], [-1, -2]) | np.swapaxes(x, 1, 2)
np.reshape(x, (4, 6), order="F") | x @ x[0].T | x[0] @ x.transpose(0, 2, 1) | x @ x[0, 0] | x[0, :, 0] @ x
np.dot(x, x[0].T) | np.dot(x, x.transpose(0, 2, 1)) | np.dot(x[0], x.transpose(0, 2, 1)) | np.inner(x, x)
np.tensordot(x, x, ([0, 2], [0, 2])) | np.tensordot(x, x, ([0, 2], [0, -1])) | np.matmul(x[:, None], x[0].T)
np.einsum("ijk,ilk->ijl", x, x) | np.trace(x, axis1=0, axis2=2) | np.diagonal(x, 1, 1, 2) | x[:, [0, 2], 1:3]
x[[0, 1], :, [2, 3]] | x[0, ..., [1, 1]] | x[:, x[0, :, 0] > 0] | x[x > 0.5] | x[..., 0][None]
np.take(x, [[0, 1], [1, 0]], axis=1) | np.concatenate([x, x[:, :1]], axis=1) | np.stack([x, x], axis=2)
np.roll(x, (1, 2), axis=(0, 2)) | np.flip(x, (0, 2)) | np.rot90(x, axes=(1, 2)) | np.sort(x, axis=1)
np.median(x, axis=1) | np.broadcast_to(x[:, :1], (2, 5, 4)) | x * x[0] + x[:, :, :1] | np.cumsum(x, axis=1)
np.dsplit(x, 2)[1] | np.diff(x, axis=1) | np.argmax(x, axis=2) | np.squeeze(x[:, :1], 1) | np.median(x, axis=(0, 2))
np.median(x, axis=(2, 0), keepdims=True) | np.quantile(x, [0.2, 0.9], axis=(0, 1))
np.quantile(x, [0.2, 0.9], axis=(0, -1), keepdims=True) | np.nanquantile(x, [0.2, 0.9], axis=(0, -1), keepdims=True)
np.nanmedian(x, axis=(0, 1)) | np.percentile(x, 35, (1, 2))
np.nanmean(x, axis=(0, 2)) | np.average(x, axis=(0, 2)) | np.average(x, 1, [1.0, 2.0, 3.0]) | np.cumprod(x, axis=1)
np.einsum("...ij,kj->...ik", x, x[0]) | np.kron(x, x[0, :1]) | np.gradient(x, axis=(0, 2))[1] | np.trapezoid(x, axis=1)
np.triu(x) | np.pad(x, ((0, 0), (1, 1), (2, 0)), mode="reflect") | np.rot90(x, 1, (0, 2))
np.delete(x, [0, -1], axis=2) | np.insert(x, 1, x[:, 0], axis=1) | np.logaddexp.reduce(x, axis=(0, 2))
np.maximum.accumulate(x, axis=-1)
"""


@GRAINS
@pytest.mark.parametrize("text", spelled(CUBIC))
def test_functions_of_arrays_with_three_axes(text, grain):
    check(lambda x: x, spelled(text)[text], grain, CUBE)


def check_second_derivatives(operation, x):
    """Differences of the gradient of a function of what ``operation`` gives agree with its derivative."""

    def scalar(x):
        return np.sum(np.cos(np.add(operation(x), 0.3))) + 0 * x.ravel()[0]

    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        hessian, gradient = ad.jacobian(ad.grad(scalar))(x), ad.grad(scalar)
        (direction,), (slope,) = central_slopes(lambda x: (gradient(x),), (x,))
        assert_close(along(hessian, direction), slope, 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("text", spelled(CASES))
def test_second_derivatives_are_derivatives_of_first_ones(text):
    check_second_derivatives(spelled(text)[text], X)


WHOLE = {*FUNCTIONS, *COMPOSED} - {*linalg.FUNCTIONS, *linalg.COMPOSED, *fourier.COMPOSED, np.polyfit}
WHOLE -= {*complex_functions.COMPOSED}


def functions_in(text):
    names = re.findall(r"np\.(?:linalg\.|fft\.|lib\.stride_tricks\.)?\w+(?=\()", text)
    return {eval(name, {"np": np}) for name in names if is_known(f"{name}(")}


IN_THE_TABLE = [text for text in spelled(CASES) if functions_in(text) & WHOLE]


@pytest.mark.parametrize("text", IN_THE_TABLE)
def test_functions_in_the_table_work_on_whole_arrays(text):
    """Some nodes per axis or root at most, and no object arrays in between, which would have one per entry."""
    graph = ad.trace(lambda x: spelled(text)[text](x) + 0 * x[0, 0], X)
    assert len(graph) < 90


HOLES = np.where(X > 1, np.nan, X)


@GRAINS
def test_nan_is_left_out_or_spreads_as_in_numpy(grain):
    for text, function in spelled("""
    np.nansum(x, axis=1) | np.nanmean(x, axis=1) | np.nanvar(x, axis=1) | np.nanstd(x) | np.nanmax(x, axis=1)
    np.nanmedian(x, axis=1) | np.nanmedian(x) | np.nanprod(x) | np.nancumsum(x, axis=1) | np.nancumprod(x)
    np.fmax.reduce(x, axis=1) | np.fmin.reduce(x) | np.nanmin(x)
    """).items():
        jacobian = ad.jacobian(function, grain=grain)(HOLES)
        expected = central_jacobian(function, HOLES)
        assert_close(jacobian[..., ~np.isnan(HOLES)], expected[..., ~np.isnan(HOLES)], message=text)
        assert not np.any(jacobian[..., np.isnan(HOLES)]), text
    for function in spelled("np.median(x, axis=1) | np.quantile(x, 0.3, axis=1) | np.sort(x) | np.unique(x)").values():
        check(lambda x: x, function, grain, HOLES)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (0, 0)])
def test_functions_along_axes_of_empty_arrays_have_empty_gradients(shape):
    x = np.zeros(shape)
    functions = [lambda x, k=axis: np.sum(np.prod(np.cos(x), axis=k)) for axis in range(x.ndim)]
    functions += [lambda x, k=axis: np.sum(np.tensordot(x, np.sin(x), ([k], [k]))) for axis in range(x.ndim)]
    for f in (*functions, lambda x: np.sum(np.inner(x, x))):
        assert ad.grad(f)(x).shape == shape
        assert ad.compile_gradient(f, x, grain="array")(x).gradient.shape == shape


def test_empty_arrays_have_empty_jacobians():
    for text, rows in {
        "np.cumsum(x)": 0,
        "np.cumprod(x)": 0,
        "np.sort(x)": 0,
        "np.unique(x)": 0,
        "np.diff(x)": 0,
        "np.sum(x)": 1,
        "np.pad(x, 1)": 2,
        "np.diag(x)": 0,
        "np.trapezoid(x)": 1,
        "np.nansum(x)": 1,
        "np.einsum('i,i', x, x)": 1,
        "np.fft.fftshift(x)": 0,
        "np.tile(x, 2)": 0,
        "np.prod(x)": 1,
    }.items():
        jacobian = ad.jacobian(spelled(text)[text])(np.zeros(0))
        assert (jacobian.size, int(np.prod(jacobian.shape[:-1]))) == (0, rows), text


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
            ad.trace(spelled(text)[text], X)
    with pytest.raises(ValueError, match="needs 2 or 3 entries each; there are 1 and 3"):
        ad.trace(lambda x: np.cross(x[:, :1], x), X)
    with pytest.raises(ValueError, match="max with where needs initial"):
        ad.trace(lambda x: np.max(x, where=x > 0), X)
    with pytest.raises(TypeError, match="along 2 axes was given 3 spacings"):
        ad.trace(lambda x: np.gradient(x, 1.0, 2.0, 3.0), X)


def test_padding_takes_the_keywords_that_numpy_takes():
    for text in ('np.pad(x, 1, "mean", end_values=2)', 'np.pad(x, 1, "edge", odd=1)', "np.pad(x, 1, stat_length=1)"):
        for call in (spelled(text)[text], lambda x, text=text: ad.trace(spelled(text)[text], x)):
            with pytest.raises(ValueError, match="unsupported keyword arguments for mode"):
                call(X)


def test_every_function_of_the_tables_is_in_a_test():
    elsewhere = {np.can_cast, np.common_type, np.empty_like, np.min_scalar_type, np.result_type}
    elsewhere |= {getattr(np, "trapz", np.can_cast)}  # np.trapezoid until NumPy 2.4
    assert WHOLE - functions_in(CASES + CUBIC) == elsewhere


def test_questions_about_types_are_answered_from_the_data():
    def f(x):
        assert (np.result_type(x, np.float32), np.common_type(x), np.can_cast(x.dtype, float)) == (
            float,
            np.float64,
            True,
        )
        assert np.empty_like(x).shape == (2, 3)
        assert (x.ndim, x.size, x.dtype, x.nbytes, len(x), x.T.shape) == (2, 6, np.dtype(float), 48, 2, (3, 2))
        assert np.iterable(x)
        assert f"{x[0, 0]:.2f}" == "0.31"
        assert np.isrealobj(x)
        return x

    assert len(ad.trace(f, X).outputs) == 1


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


def test_numbers_are_written_where_they_are_asked_for():
    def f(x):
        return np.sum(np.add(x, x, where=[True, False], out=x.copy()))

    assert ad.grad(f, grain="scalar")(np.ones(2)).tolist() == [2, 1]


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


def test_iteration_gives_rows_and_unpacks():
    def f(x):
        (a, b, c), row = x
        return a * b - c + sum(row) + sum(x.flat)

    check(lambda x: x, f, "array", X)
    check(lambda x: x, f, "scalar", X)


INTO_ITS_ARGUMENT = {
    "fill_diagonal": lambda x: np.fill_diagonal(x, 1.0),
    "fill_diagonal by name": lambda x: np.fill_diagonal(a=x, val=1.0, wrap=True),
    "copyto": lambda x: np.copyto(x, 1.0, where=[True, False, True]),
    "put": lambda x: np.put(x, [1, 5], 1.0),
    "place": lambda x: np.place(x, np.eye(3) > 0, [1.0]),
    "putmask": lambda x: np.putmask(x, np.eye(3) > 0, [1.0]),
    "put_along_axis": lambda x: np.put_along_axis(x, np.array([[0], [2], [1]]), 1.0, 1),
    "nan_to_num": lambda x: np.nan_to_num(x, copy=False, nan=1.0),
    "nan_to_num by place": lambda x: np.nan_to_num(x, False),
    "clip": lambda x: np.clip(x, -0.5, 0.5, out=x),
    "clip by place": lambda x: np.clip(x, -0.5, 0.5, x),
    "round": lambda x: np.round(x, 0, x),
    "fix": lambda x: np.fix(x, x),
    "sum": lambda x: np.sum(x, 0, None, x[0]),
    "mean": lambda x: np.mean(x, axis=0, out=x[0]),
    "mean, a method": lambda x: x.mean(axis=0, out=x[0]),
    "var": lambda x: np.var(x, axis=0, out=x[0]),
    "median": lambda x: np.median(x, 1, x[0]),
    "nanmax": lambda x: np.nanmax(x, axis=0, out=x[0]),
    "all": lambda x: np.all(x, axis=0, out=x[0]),
    "isneginf": lambda x: np.isneginf(x, x),
    "take": lambda x: np.take(x, [4, 4, 4], None, x[0]),
    "dot": lambda x: np.dot(x.copy(), x.copy(), x),
    "cumprod": lambda x: np.cumprod(x, 0, None, x),
    "multi_dot": lambda x: np.linalg.multi_dot([x, x, x], out=x),
    "a callback": lambda x: np.apply_along_axis(lambda row: row.fill(1.0), 1, x),
    "a window": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1, writeable=True)[0].fill(1.0),
}


BY_CODE_THAT_IS_NOT_TRACED = ("a window",)


@pytest.mark.parametrize("write", INTO_ITS_ARGUMENT.values(), ids=INTO_ITS_ARGUMENT)
@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_what_is_written_into_is_different_from_then_on(write, grain):
    def f(x):
        before = np.nansum(x)
        write(x)
        return before + (x * np.arange(1.0, 10.0).reshape(3, 3)).sum()

    def difference(change):
        return (f(point + change) - f(point - change)) / 2e-6

    point = np.array(
        [
            [0.31, -0.72, 1.43],
            [1.91, np.nan if write is INTO_ITS_ARGUMENT["nan_to_num"] else 0.58, -0.27],
            [0.9, 0.2, -1.2],
        ]
    )
    if grain == "array" and write in map(INTO_ITS_ARGUMENT.get, BY_CODE_THAT_IS_NOT_TRACED):
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


def test_a_constant_that_changes_later_does_not_change_the_graph():
    def f(x):
        w = np.array([1.0, 2.0, 3.0])
        y = (x * w).sum()
        w[:] = 0
        return y + (x @ w).sum()

    check(lambda x: x, f, "array", X)
    check(lambda x: x, f, "scalar", X)


@GRAINS
def test_the_largest_of_nothing_is_the_initial_value(grain):
    for text, function in spelled("""
    np.max(x, initial=1.0) | np.max(x, axis=0, initial=2.0) | np.min(x, axis=1, keepdims=True, initial=3.0)
    np.maximum.reduce(x, initial=4.0)
    """).items():
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


def test_of_a_result_that_is_not_finite_the_value_tells_where_that_began():
    with pytest.warns(ad.NonFiniteWarning) as caught:
        ad.grad(lambda x: np.sum(np.log(x)))(np.zeros(2))
    assert [str(each.message).splitlines()[0] for each in caught] == [
        "infinity arises in node 1, v1 (log), from finite operands."
    ]


LISTS = {
    "dot": lambda v, t: np.dot([t, 1.0], v),
    "dot of rows": lambda v, t: np.dot([[t, 1.0], (t, t)], v),
    "matmul": lambda v, t: np.matmul([[t, 1.0], [t, t]], v),
    "einsum": lambda v, t: np.einsum("ij,j->i", [[t, 1.0], [t, t]], v),
    "convolve": lambda v, t: np.convolve([t, 1.0], v),
    "where": lambda v, t: np.where([True, False], [t, t], v),
    "select": lambda v, t: np.select([[True, False], [False, True]], [[t, t], v]),
    "block": lambda v, t: np.block([[t, t * 2], [t, 1.0]]) @ v,
    "concatenate": lambda v, t: np.concatenate(([t], v, [2.0, t])),
    "vstack": lambda v, t: np.vstack([[t, 1.0], v]),
    "interp": lambda v, t: np.interp(v, [0.0, 1.0], [t, 2.0]),
    "cross": lambda v, t: np.cross([t, 1.0, 2.0], [1.0, t, v[0]]),
}


@GRAINS
@pytest.mark.parametrize("name", LISTS)
def test_lists_of_traced_numbers_are_arrays(name, grain):
    arguments = np.array([0.3, 0.4]), 0.7
    value, _ = ad.vjp(LISTS[name], *arguments, grain=grain)
    assert_close(value, LISTS[name](*arguments))
    found = ad.jacobian(LISTS[name], argnums=(0, 1), grain=grain)(*arguments)
    for one, other in zip(found, central_gradients(LISTS[name], arguments), strict=True):
        assert_close(one, other)
