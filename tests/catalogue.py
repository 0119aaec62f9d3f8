"""The catalogue of calls: each call of NumPy's functions that the tests know, once, and what it is called with.

One test takes a call through everything that adviz does (``engine/test_catalogue.py``); searches draw from it.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

X = np.array([[0.31, -0.72, 1.43], [1.91, 0.58, -0.27]])
CUBE = np.sin(np.arange(1.0, 25.0)).reshape(2, 3, 4)
MATRIX = np.random.default_rng(5).normal(size=(3, 3)) + 2 * np.eye(3)
SIGNAL = np.random.default_rng(11).normal(size=(2, 6))

OF_MATRICES = """
np.sum(x) | np.sum(x, axis=0) | np.sum(x, 1) | np.sum(x, axis=(0, 1)) | np.sum(x, axis=-1, keepdims=True)
np.sum(x, axis=()) | np.mean(x) | np.mean(x, axis=1) | np.mean(x, axis=(0, 1), keepdims=True) | np.prod(x)
np.prod(x, axis=0) | np.prod(x, axis=(1, 0)) | np.max(x) | np.max(x, axis=0) | np.amax(x, axis=1, keepdims=True)
np.min(x, axis=-1) | np.amin(x) | np.max(x, axis=(0, 1)) | np.var(x) | np.var(x, axis=0) | np.var(x, ddof=1)
np.std(x, axis=1) | np.std(x, axis=1, keepdims=True) | np.std(x, correction=1) | x.sum() | x.sum(0) | x.mean(axis=0)
x.prod() | x.max() | x.min(axis=1) | x.var() | x.std(axis=0, ddof=1) | x.dot(x.T) | x.clip(0, 1) | x.reshape(3, 2)
x.reshape((-1,)) | x.reshape(-1) | x.reshape(6) | x.T | x.transpose() | x.transpose(1, 0) | x.transpose((1, 0))
x.ravel() | x.flatten() | x.squeeze() | x.swapaxes(0, 1) | x.repeat(2, axis=1) | x.take([0, 1], axis=1) | x.copy()
x.astype(float) | x.diagonal() | x.trace() | x.cumsum() | x.cumprod(axis=1) | x.round(1) | x.argmax()
x.argsort(axis=0) | x.compress([True, False, True], axis=1) | x.view()[:, :1] * x[0, 0].view()
x.mT[1, 0] * x.flat[3] | sum(x.flat) + x.real.sum() | x.dtype.type(2) * x
x.all() | x.any(axis=0) | x.nonzero() | np.dot(x, x.T) | np.dot(x, [1.0, 2.0, 3.0])
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
np.piecewise(x, [[True, False]], [np.exp, np.sin])
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
"""Calls with ``X``."""

OF_CUBES = """
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
"""Calls with ``CUBE``, which has three axes."""

OF_LINEAR_ALGEBRA = """
np.linalg.solve(x, x[0]) | np.linalg.solve(x, x.T) | np.linalg.solve(x[::-1], [1.0, 2.0, 3.0]) | np.linalg.inv(x)
np.linalg.solve([[2.0, 1.0, 0.0], [4.0, 1.0, 1.0], [0.0, 1.0, 3.0]], x) | np.linalg.inv(np.stack([x, x.T]))
np.linalg.solve(np.stack([x, x.T]), x[:, :1]) | np.linalg.solve(x, np.stack([x, x.T])) | np.linalg.cholesky(x @ x.T)
np.linalg.solve(np.stack([x, x.T]), [1.0, 2.0, 3.0]) | np.linalg.slogdet(np.stack([x, x.T]))[1]
np.linalg.det(x) | np.linalg.det(0 * x) | np.linalg.solve(x[:1, :1], x[:1, :1]) | np.linalg.inv(x[:1, :1])
np.linalg.det(x[[1, 0, 2]]) | np.linalg.det(x[:1, :1]) | np.linalg.det(np.stack([x, x[::-1]]))
np.linalg.slogdet(x)[1] | np.linalg.slogdet(-x).logabsdet | np.linalg.slogdet(-x)[0] | np.linalg.cholesky(x @ x.T)
np.linalg.cholesky(x[:1, :1] ** 2) | np.linalg.cholesky(x @ x.T, upper=True) | np.linalg.matrix_power(x, -2)
np.linalg.cond(x, 1) | np.linalg.det(np.stack([x[0], 2 * x[0], x[1]])) | np.linalg.norm(x) | np.linalg.norm(x, "fro")
np.linalg.norm(x, 1) | np.linalg.norm(x, -1) | np.linalg.norm(x, np.inf) | np.linalg.norm(x, -np.inf, axis=(1, 0))
np.linalg.norm(x, 1, axis=(0, 1), keepdims=True) | np.linalg.norm(x, axis=0) | np.linalg.matrix_norm(x, ord=1)
np.linalg.matrix_norm(x, keepdims=True) | np.linalg.vector_norm(x) | np.linalg.vector_norm(x, axis=(0, -1), ord=3)
np.linalg.vector_norm(x, axis=0, keepdims=True) | np.linalg.matrix_power(x, 0) | np.linalg.matrix_power(x, 1)
np.linalg.matrix_power(x, 5) | np.linalg.multi_dot([x[0], x, x.T, x[1]])
np.linalg.multi_dot([x, np.ones((3, 2)), x[:2]]) | np.linalg.pinv(x[:, :2]) | np.linalg.pinv(x, rtol=1e-12)
np.linalg.pinv(x[:2]) | np.linalg.pinv(x[:, :1] * 0 + x[0, 0]) | np.linalg.qr(x[:, :2])[0] | np.linalg.qr(x).R
np.linalg.qr(x, mode="r") | np.linalg.qr(np.triu(x)).Q | np.linalg.qr(np.tril(x).T[:, :2])[1]
np.linalg.qr(-x[:1, :1])[1]
np.linalg.lstsq(x[:, :2], x[:, 2])[0] | np.linalg.lstsq(x[:, :2], x)[1] | np.linalg.lstsq(x, x[0])[1]
np.linalg.lstsq(x[:2], x[:2])[0] | np.linalg.lstsq(x[:, :1], x[1], rcond=None)[0]
np.polyfit([0.0, 1.0, 3.0], x[0], 1) | np.polyfit(x[0], x[1:].T, 2) | np.polyfit(x[0], x[1], 1, w=[1.0, 2.0, 0.5])
"""
"""Calls with ``MATRIX``."""

OF_WHOLE_MATRICES = """
np.linalg.solve(x, [1.0, 2.0, 3.0]) | np.linalg.solve(np.stack([x, x.T]), x[0]) | np.linalg.slogdet(x)[0]
np.linalg.eigh(x + x.T)[0] | np.linalg.eigh(x @ x.T).eigenvectors**2 | np.linalg.eigh(x, "u")[0]
np.linalg.eigvalsh(x) | np.linalg.svd(x)[1] | np.linalg.svd(x, full_matrices=False).U**2
np.linalg.svd(x[:, :2], full_matrices=False)[0] ** 2 | np.linalg.svd(x[:2], full_matrices=False)[2] ** 2
np.linalg.svd(x, compute_uv=False) | np.linalg.svdvals(x[:2]) | np.linalg.matrix_rank(x) | np.linalg.norm(x, "nuc")
np.linalg.norm(x, 2) | np.linalg.norm(x, -2, keepdims=True) | np.linalg.cond(x) | np.linalg.cond(x, -2)
np.linalg.cond(x, "fro") | np.linalg.tensorinv(np.reshape(np.kron(x, x[:2, :2]), (2, 3, 6)), ind=2)
np.linalg.tensorsolve(np.reshape(np.kron(x, x[:2, :2]), (2, 3, 6)), x[:2])
np.linalg.tensorsolve(np.reshape(np.kron(x, x[:2, :2]), (2, 3, 2, 3)), np.ones((3, 2)), axes=(0, 3))
np.linalg.eig(x @ x.T + 0.1 * x)[0] | np.linalg.eig(x @ x.T + 0.1 * x).eigenvectors | np.linalg.eigvals(x @ x.T)
np.linalg.pinv(np.stack([x[:2], 2 * x[1:]])) | np.linalg.qr(np.stack([x, x.T])).R | np.linalg.qr(np.stack([x, x.T])).Q
 np.linalg.eigh(np.stack([x + x.T, x @ x.T]), "U")[0]
np.linalg.eigh(np.stack([x + x.T, x @ x.T])).eigenvectors ** 2 | np.linalg.eigvalsh(np.stack([x + x.T, x @ x.T]), "U")
np.linalg.eig(np.stack([x @ x.T, x.T @ x + 1]) + 0.1 * x).eigenvectors | np.linalg.svd(np.stack([x, x.T]))[1]
np.linalg.svd(np.stack([x, x.T]), full_matrices=False).U ** 2 | np.linalg.svdvals(np.stack([x, x[::-1]]))
np.linalg.svd(np.stack([x[:, :2], 2 * x[::-1, :2]]), full_matrices=False)[2] ** 2 | np.linalg.svdvals(x[:, :2])
np.linalg.pinv(np.stack([x[:, :2], 2 * x[::-1, 1:]])) | np.linalg.pinv(x[:2], 1e-10)
np.linalg.eigh(x[:1, :1])[0] | np.linalg.eig(x[:1, :1])[0] | np.linalg.eigvals(np.stack([x @ x.T, x.T @ x + 1]))
np.linalg.cholesky(np.stack([x @ x.T, x.T @ x])) | np.linalg.solve(x[None], np.stack([x, x.T]))
"""
"""Calls with ``MATRIX`` that are nodes of their own in the array grain."""

REFUSED_ENTRY_BY_ENTRY = """
np.linalg.lstsq(x, x[0])[3] | np.linalg.lstsq(x[:, :2], x[:, 2])[3]
"""
"""Calls with ``MATRIX`` that the scalar grain refuses."""

OF_SIGNALS = """
np.fft.fft(x).real | np.fft.fft(x).imag | np.abs(np.fft.fft(x)) ** 2 | abs(np.fft.fft(x, axis=0))
np.fft.fft(x, 4).real | np.fft.fft(x, 8, norm="ortho").imag | np.fft.fft(x, norm="forward").real
np.angle(np.fft.fft(x)) | np.fft.ifft(x).imag | np.fft.ifft(np.fft.fft(x)).real
np.fft.ifft(np.fft.fft(x) * np.exp(-1j * np.arange(6))).real | np.fft.rfft(x).imag
np.fft.ifft(np.fft.fft(x, norm="ortho"), norm="ortho").real | np.fft.ifft(np.fft.fft(x), norm="forward").real
np.fft.rfft(x, 5).real | np.fft.irfft(np.fft.rfft(x)) | np.fft.irfft(np.fft.rfft(x) * [1.0, 0.7, 0.3, 0.1])
np.fft.irfft(np.fft.rfft(x, 5), 5) | np.fft.irfft(x) | np.fft.irfft(x, 7, norm="forward") | np.fft.irfft(x, 12)
np.fft.irfft(np.fft.rfft(x, axis=0), 2, axis=0) | np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(x[::-1]))
np.fft.fft2(x).real | np.fft.ifft2(np.fft.fft2(x)).real | np.fft.fftn(x, axes=(0,)).imag | np.fft.fftn(x, (3, 4)).real
np.fft.ifftn(np.fft.fftn(x) ** 2).real | np.fft.rfft2(x).imag | np.fft.irfft2(np.fft.rfft2(x)) | np.fft.rfftn(x).real
np.fft.irfftn(np.fft.rfftn(x)) | np.fft.irfftn(np.fft.rfftn(x, (2, 5)), (2, 5)) | np.fft.hfft(x) | np.fft.ihfft(x).imag
np.fft.hfft(np.fft.ihfft(x)) | np.fft.fftshift(x) | np.fft.ifftshift(x, axes=1)
np.fft.fftshift(np.fft.fft(x), axes=-1).real | np.fft.ifftshift(np.fft.fft(x)).imag | np.sum(np.fft.fft(x), axis=0).imag
np.fft.fft(x).sum().real | np.fft.fft(x).mean(1).real | np.fft.fft(x)[:, 1].imag | (np.fft.fft(x) / (2 + 1j)).real
(1 / np.fft.fft(x)).imag | (x / np.fft.fft(x)).real | (np.fft.fft(x) + x).real | (x - np.fft.fft(x)).imag
(np.fft.fft(x) * np.fft.fft(x).conj()).real | (-np.fft.fft(x)).imag | (1j * np.fft.fft(x)).real
(np.fft.fft(x) - 1j).imag | (np.fft.fft(x) * (2 + x)).real | np.square(np.fft.fft(x)).imag
np.conjugate(np.fft.fft(x)).imag | np.exp(1j * np.fft.fft(x) / 9).real | np.log(np.fft.fft(x)).imag
np.log(np.fft.fft(x)).real | np.real(np.fft.fft(x)) | np.imag(np.fft.fft(x)) | np.angle(np.fft.fft(x), deg=True)
(np.fft.fft(x) ** 3).real | np.concatenate([np.fft.fft(x), x], axis=1).imag | np.fft.fft(x).T.imag
np.fft.fft(x).reshape(3, 4).real | len(np.fft.fft(x)) | np.reshape(np.fft.fft(x), -1).imag | np.shape(np.fft.fft(x))
np.ndim(np.fft.fft(x)) | np.size(np.fft.fft(x)) | (np.fft.fft(x[0, 0] * np.ones(3)) * x[0, 1]).real
np.fft.fft(x[:, :1]).real | (np.ones(6) * np.fft.fft(x)).imag
"""
"""Calls with ``SIGNAL``."""

LATER = {f"np.{name}(": name for name in ("cumulative_sum", "cumulative_prod", "unstack", "matvec", "vecmat")}
LATER["np.clip(x, min="] = "unstack"
"""What NumPy has since 2.1 or 2.2, and a name of the same version."""


class Call(NamedTuple):
    """A call, written as an expression of ``x``, and what ``x`` is."""

    text: str
    x: np.ndarray
    grains: tuple[str, ...] = ("array", "scalar")

    def __call__(self, x: Any) -> Any:
        return function_of(self.text)(x)

    def __str__(self) -> str:
        return self.text

    @property
    def functions(self) -> set[Any]:
        """The functions of NumPy that are named in it."""
        names = re.findall(r"np\.(?:linalg\.|fft\.|lib\.stride_tricks\.)?\w+(?=\()", self.text)
        return {eval(name, {"np": np}) for name in names if is_known(f"{name}(")}


@cache
def function_of(text: str) -> Callable[[Any], Any]:
    """An expression of ``x`` as a function."""
    return eval(f"lambda x: {text}", {"np": np})


def is_known(text: str) -> bool:
    """Whether this NumPy has what an expression calls."""
    return all(hasattr(np, name) for call, name in LATER.items() if call in text)


def expressions(table: str) -> list[str]:
    """The expressions of a table, which are set apart by ``|`` and by lines.

    >>> expressions("np.sum(x) | x @ x")
    ['np.sum(x)', 'x @ x']
    """
    parts = [part.strip() for part in table.replace("\n", " | ").split(" | ")]
    return [part for part in dict.fromkeys(parts) if part and is_known(part)]


CALLS = [
    *(Call(text, X) for text in expressions(OF_MATRICES)),
    *(Call(text, CUBE) for text in expressions(OF_CUBES)),
    *(Call(text, MATRIX) for text in expressions(OF_LINEAR_ALGEBRA)),
    *(Call(text, MATRIX) for text in expressions(OF_WHOLE_MATRICES)),
    *(Call(text, MATRIX, ("array",)) for text in expressions(REFUSED_ENTRY_BY_ENTRY)),
    *(Call(text, SIGNAL) for text in expressions(OF_SIGNALS)),
]
