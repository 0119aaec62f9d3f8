"""What adviz does with the functions of NumPy and SciPy that take arrays: each is called, in both grains.

``python -m tests.agreement.function_table write`` writes ``FUNCTIONS.md``; a test makes it again and compares. A
function is *differentiated* if its value is NumPy's and its derivative that of central differences; it *has no
derivative* where its results are whole numbers, booleans or numbers that do not depend on the argument; else it is
refused by name.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats
from autograd.core import primitive_vjps

import adviz as ad
from tests.fresh_processes import outcomes, serve

MODULE = "tests.agreement.function_table"
PAGE = Path(__file__).parent.parent.parent / "FUNCTIONS.md"
GRAINS = ("array", "scalar")
X = np.array([[0.31, 0.72, 0.43], [0.91, 0.58, 0.27], [0.64, 0.17, 0.82]])
"""All positive and less than 1, no two alike, and regular."""

YES, VALUE = "yes", "no derivative"

# ---- how each function is called ----

NUMPY = """
np.abs(x - 0.5) | np.absolute(x - 0.5) | np.acos(x) | np.acosh(1 + x) | np.add(x, x[0]) | np.all(x > 0.2)
np.allclose(x, x) | np.amax(x) | np.amin(x) | np.angle(x) | np.any(x > 0.2) | np.append(x, x[0])
np.apply_along_axis(lambda row: row * row.sum(), 1, x) | np.apply_over_axes(np.sum, x, [0]) | np.arccos(x)
np.arccosh(1 + x) | np.arcsin(x) | np.arcsinh(x) | np.arctan(x) | np.arctan2(x, x[0]) | np.arctanh(x)
np.argmax(x, axis=0) | np.argmin(x, axis=0) | np.argpartition(x, 1) | np.argsort(x) | np.argwhere(x > 0.5)
np.around(x, 1) | np.array(x) | np.array_equal(x, x) | np.array_equiv(x, x) | np.array_split(x, 2)[0]
np.asanyarray(x) | np.asarray(x) | np.asarray_chkfinite(x) | np.ascontiguousarray(x) | np.asfortranarray(x)
np.asin(x) | np.asinh(x) | np.asmatrix(x) | np.astype(x, float) | np.atan(x) | np.atan2(x, x[0]) | np.atanh(x)
np.atleast_1d(x) | np.atleast_2d(x[0]) | np.atleast_3d(x) | np.average(x, axis=0, weights=x[0])
np.bincount([0, 1, 0], weights=x[0]) | np.block([[x, x], [x, x]]) | np.bmat([[x, x]])
np.broadcast_arrays(x, x[0])[1] | np.broadcast_to(x[0], (2, 3)) | np.cbrt(x) | np.ceil(x) | np.choose([0, 1, 2], x)
np.clip(x, 0.3, 0.8) | np.column_stack([x, x[0]]) | np.compress([True, False, True], x, axis=0) | np.concat([x, x])
np.concatenate([x, x]) | np.conj(x) | np.conjugate(x) | np.convolve(x[0], x[1]) | np.copy(x) | np.copysign(x, x - 0.5)
np.copyto(x, 2 * x) | np.corrcoef(x) | np.correlate(x[0], x[1], "full") | np.cos(x) | np.cosh(x)
np.count_nonzero(x > 0.5) | np.cov(x) | np.cross(x[0], x[1]) | np.cumprod(x) | np.cumsum(x)
np.cumulative_prod(x, axis=0) | np.cumulative_sum(x, axis=0) | np.deg2rad(x) | np.degrees(x) | np.delete(x, 1, axis=0)
np.diag(x) | np.diag_indices_from(x)[0] | np.diagflat(x[0]) | np.diagonal(x) | np.diff(x)
np.digitize(x[0], [0.0, 0.4, 1.0]) | np.divide(x, x[0]) | np.divmod(x, 0.4)[1] | np.dot(x, x)
np.dsplit(x[None], 3)[1] | np.dstack([x, x]) | np.ediff1d(x) | np.einsum("ij,jk->ik", x, x)
np.einsum_path("ij,jk", x, x)[1][:9] | np.empty_like(x).shape | np.equal(x, x) | np.exp(x) | np.exp2(x)
np.expand_dims(x, 0) | np.expm1(x) | np.extract(x > 0.5, x) | np.fabs(x - 0.5) | np.fill_diagonal(x, x[0])
np.fix(3 * x) | np.flatnonzero(x > 0.5) | np.flip(x) | np.fliplr(x) | np.flipud(x) | np.float_power(x, x[0])
np.floor(3 * x) | np.floor_divide(x, 0.4) | np.fmax(x, 0.5) | np.fmin(x, 0.5) | np.fmod(x, 0.4) | np.frexp(x)[0]
np.fromfunction(lambda i, j: x[i, j], (3, 3), dtype=int) | np.fromiter((v for v in x[0]), float)
np.frompyfunc(lambda v: v * v, 1, 1)(x) | np.full((2, 3), x[0]) | np.full_like(x, x[0])
np.geomspace(x[0, 0], x[1, 0], 4) | np.gradient(x[0]) | np.greater(x, 0.5) | np.greater_equal(x, 0.5)
np.heaviside(x - 0.5, 0.5) | np.histogram(x, 3, (0.0, 1.0), weights=x)[0]
np.histogram2d(x[0], x[1], 2, [[0, 1], [0, 1]])[0] | np.histogram_bin_edges(x, 3)
np.histogramdd(x, 2, [(0.0, 1.0)] * 3)[0] | np.hsplit(x, 3)[1] | np.hstack([x, x]) | np.hypot(x, x[0]) | np.i0(x)
np.imag(x) | np.inner(x, x) | np.insert(x, 1, x[0], axis=0) | np.interp(x[0], [0.0, 0.5, 1.0], x[1])
np.intersect1d(x, x[0]) | np.isclose(x, 0.31) | np.iscomplex(x) | np.iscomplexobj(x) | np.isfinite(x)
np.isfortran(x) | np.isin(x, [0.31]) | np.isinf(x) | np.isnan(x) | np.isneginf(x) | np.isposinf(x) | np.isreal(x)
np.isrealobj(x) | np.isscalar(x[0, 0]) | np.iterable(x) | np.kron(x, x[0]) | np.ldexp(x, 2) | np.less(x, 0.5)
np.less_equal(x, 0.5) | np.lexsort((x[0], x[1])) | np.linspace(x[0], x[1], 4) | np.log(x) | np.log10(x) | np.log1p(x)
np.log2(x) | np.logaddexp(x, x[0]) | np.logaddexp2(x, x[0]) | np.logical_and(x > 0.5, x < 0.8)
np.logical_not(x > 0.5) | np.logical_or(x > 0.5, x < 0.2) | np.logical_xor(x > 0.5, x < 0.8)
np.logspace(x[0, 0], x[1, 0], 4) | np.matmul(x, x) | np.matrix_transpose(x) | np.matvec(x, x[0]) | np.max(x, axis=0)
np.maximum(x, 0.5) | np.may_share_memory(x, x) | np.mean(x) | np.median(x) | np.meshgrid(x[0], x[1])[0]
np.min(x, axis=0) | np.minimum(x, 0.5) | np.mod(x, 0.4) | np.modf(3 * x)[0] | np.moveaxis(x, 0, 1)
np.multiply(x, x[0]) | np.nan_to_num(x) | np.nanargmax(x) | np.nanargmin(x) | np.nancumprod(x) | np.nancumsum(x)
np.nanmax(x) | np.nanmean(x) | np.nanmedian(x) | np.nanmin(x) | np.nanpercentile(x, 30) | np.nanprod(x)
np.nanquantile(x, 0.3) | np.nanstd(x) | np.nansum(x) | np.nanvar(x) | np.ndim(x) | np.negative(x)
np.nextafter(x, 1.0) | np.nonzero(x > 0.5)[0] | np.not_equal(x, 0.31) | np.ones_like(x) | np.outer(x[0], x[1])
np.pad(x, 1) | np.partition(x, 1) | np.percentile(x, 30) | np.permute_dims(x, (1, 0))
np.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v * v, lambda v: 2 * v]) | np.place(x, x > 0.5, x[0]) | np.poly(x[0])
np.polyadd(x[0], x[1]) | np.polyder(x[0]) | np.polydiv(x[0], x[1, :2])[0] | np.polyfit([0.0, 1.0, 2.0], x[0], 1)
np.polyint(x[0]) | np.polymul(x[0], x[1]) | np.polysub(x[0], x[1]) | np.polyval(x[0], x[1]) | np.positive(x)
np.pow(x, x[0]) | np.power(x, x[0]) | np.prod(x) | np.ptp(x) | np.put(x, [0, 4], x[0, :2])
np.put_along_axis(x, np.array([[0], [1], [2]]), x[:, :1] * 2, 1) | np.putmask(x, x > 0.5, x * 2) | np.quantile(x, 0.3)
np.rad2deg(x) | np.radians(x) | np.ravel(x) | np.real(x) | np.real_if_close(x) | np.reciprocal(x)
np.remainder(x, 0.4) | np.repeat(x, 2) | np.require(x, float) | np.reshape(x, 9) | np.resize(x, (2, 5))
np.rint(3 * x) | np.roll(x, 1) | np.rollaxis(x, 1) | np.roots(x[0] - 0.5) | np.rot90(x) | np.round(x, 1)
np.row_stack([x, x]) | np.searchsorted([0.0, 0.5], x[0]) | np.select([x < 0.3, x < 0.6], [x, 2 * x], x * x)
np.setdiff1d(x, x[0]) | np.setxor1d(x[0], x[1]) | np.shape(x) | np.shares_memory(x, x) | np.sign(x - 0.5)
np.signbit(x - 0.5) | np.sin(x) | np.sinc(x) | np.sinh(x) | np.size(x) | np.sort(x) | np.sort_complex(x[0])
np.spacing(x) | np.split(x, 3)[1] | np.sqrt(x) | np.square(x) | np.squeeze(x[None]) | np.stack([x, x]) | np.std(x)
np.subtract(x, x[0]) | np.sum(x) | np.swapaxes(x, 0, 1) | np.take(x, [0, 5])
np.take_along_axis(x, np.array([[0], [1], [2]]), 1) | np.tan(x) | np.tanh(x) | np.tensordot(x, x) | np.tile(x, 2)
np.trace(x) | np.transpose(x) | np.trapezoid(x) | np.tril(x) | np.tril_indices_from(x)[0] | np.trim_zeros(x[0])
np.triu(x) | np.triu_indices_from(x)[0] | np.true_divide(x, x[0]) | np.trunc(3 * x) | np.union1d(x[0], x[1])
np.unique(x) | np.unique_all(x)[0] | np.unique_counts(x)[0] | np.unique_inverse(x)[0] | np.unique_values(x[0])
np.unstack(x)[1] | np.unwrap(9 * x[0]) | np.vander(x[0]) | np.var(x) | np.vdot(x, x) | np.vecdot(x, x)
np.vecmat(x[0], x) | np.vectorize(lambda v: v * v)(x) | np.vsplit(x, 3)[1] | np.vstack([x, x])
np.where(x > 0.5, x, 2 * x) | np.zeros_like(x) | np.add.at(x, [0, 0], x[1]) | np.add.reduce(x) | np.add.accumulate(x)
np.add.outer(x[0], x[1]) | np.add.reduceat(x[0], [0, 2])
"""

LINALG = """
np.linalg.cholesky(s) | np.linalg.cond(x) | np.linalg.cross(x[0], x[1]) | np.linalg.det(x) | np.linalg.diagonal(x)
np.linalg.eig(s)[0] | np.linalg.eigh(s)[0] | np.linalg.eigvals(s) | np.linalg.eigvalsh(s) | np.linalg.inv(x)
np.linalg.lstsq(x[:, :2], x[:, 2], rcond=None)[0] | np.linalg.matmul(x, x) | np.linalg.matrix_norm(x)
np.linalg.matrix_power(x, 3) | np.linalg.matrix_rank(x) | np.linalg.matrix_transpose(x)
np.linalg.multi_dot([x, x, x]) | np.linalg.norm(x) | np.linalg.outer(x[0], x[1]) | np.linalg.pinv(x[:, :2])
np.linalg.qr(x)[1] | np.linalg.slogdet(x)[1] | np.linalg.solve(x, x[0]) | np.linalg.svd(x)[1] | np.linalg.svdvals(x)
np.linalg.tensordot(x, x) | np.linalg.tensorinv(x.reshape(3, 3, 1), 1) | np.linalg.tensorsolve(x, x[0])
np.linalg.trace(x) | np.linalg.vecdot(x, x) | np.linalg.vector_norm(x)
"""

FFT = """
np.fft.fft(x[0]) | np.fft.fft2(x) | np.fft.fftfreq(3) | np.fft.fftn(x) | np.fft.fftshift(x) | np.fft.hfft(x[0])
np.fft.ifft(x[0]) | np.fft.ifft2(x) | np.fft.ifftn(x) | np.fft.ifftshift(x) | np.fft.ihfft(x[0]) | np.fft.irfft(x[0])
np.fft.irfft2(x) | np.fft.irfftn(x) | np.fft.rfft(x[0]) | np.fft.rfft2(x) | np.fft.rfftfreq(3) | np.fft.rfftn(x)
"""

SCIPY = """
scipy.special.logsumexp(x) | scipy.special.softmax(x, axis=1) | scipy.special.log_softmax(x, axis=1)
scipy.special.polygamma(1, x) | scipy.special.multigammaln(2 + x[0, 0], 2) | scipy.special.comb(3.0, x)
scipy.special.factorial(x) | scipy.special.sinc(x) | scipy.special.zeta(2 + x) | scipy.special.diric(x, 3)
scipy.special.softplus(x) | scipy.special.spherical_jn(1, x) | scipy.special.lambertw(x) | scipy.special.perm(3.0, x)
scipy.linalg.cholesky(s) | scipy.linalg.det(x) | scipy.linalg.eigh(s)[0] | scipy.linalg.expm(x) | scipy.linalg.inv(x)
scipy.linalg.lstsq(x[:, :2], x[:, 2])[0] | scipy.linalg.lu(x)[2] | scipy.linalg.lu_factor(x)[0] | scipy.linalg.norm(x)
scipy.linalg.pinv(x[:, :2]) | scipy.linalg.qr(x)[1] | scipy.linalg.solve(x, x[0])
scipy.linalg.solve_sylvester(x, x, x) | scipy.linalg.solve_triangular(x + np.eye(3), x[0], lower=True)
scipy.linalg.sqrtm(s) | scipy.linalg.svdvals(x) | scipy.linalg.toeplitz(x[0]) | scipy.linalg.block_diag(x, x)
scipy.linalg.cho_solve((np.linalg.cholesky(s), True), x[0]) | scipy.linalg.circulant(x[0]) | scipy.linalg.logm(s)
scipy.linalg.solve_banded((1, 1), 1 + x, x[0]) | scipy.signal.convolve(x[0], x[1]) | scipy.signal.convolve2d(x, x)
scipy.signal.correlate(x[0], x[1]) | scipy.signal.fftconvolve(x[0], x[1])
scipy.signal.lfilter([1.0, 0.5], [1.0, 0.2], x[0]) | scipy.signal.detrend(x) | scipy.integrate.trapezoid(x)
scipy.integrate.simpson(x[0]) | scipy.integrate.cumulative_trapezoid(x[0])
scipy.integrate.quad(lambda t: x[0, 0] * t, 0, 1)[0]
scipy.integrate.odeint(lambda y, t: -y * x[1, 0], x[0], [0.0, 0.5, 1.0])
scipy.integrate.solve_ivp(lambda t, y: -y * x[1, 0], (0, 1.0), x[0], rtol=1e-8, atol=1e-9).y[:, -1]
scipy.optimize.brentq(lambda t: t**3 - x[0, 0], 0.0, 1.0)
scipy.optimize.root(lambda t: t**3 - x[0], np.ones(3), tol=1e-10).x
scipy.optimize.newton(lambda t: t**3 - x[0, 0], 1.0) | scipy.optimize.rosen(x[0]) | scipy.stats.norm.pdf(x)
scipy.stats.norm.cdf(x) | scipy.stats.norm.logpdf(x, x[0], 1 + x[1]) | scipy.stats.norm.logcdf(x)
scipy.stats.norm.sf(x) | scipy.stats.norm.logsf(x) | scipy.stats.norm.ppf(x) | scipy.stats.t.pdf(x, 3.0)
scipy.stats.t.cdf(x, 3.0) | scipy.stats.t.logpdf(x, 2 + x[0]) | scipy.stats.t.logcdf(x, 3.0)
scipy.stats.beta.pdf(x, 2.0, 3.0) | scipy.stats.beta.cdf(x, 2.0, 3.0) | scipy.stats.beta.logpdf(x, 1 + x[0], 1 + x[1])
scipy.stats.gamma.pdf(x, 2.0) | scipy.stats.gamma.cdf(x, 2.0) | scipy.stats.gamma.logpdf(x, 1 + x[0])
scipy.stats.chi2.pdf(x, 3.0) | scipy.stats.chi2.cdf(x, 3.0) | scipy.stats.chi2.logpdf(x, 3.0)
scipy.stats.poisson.pmf(2, x) | scipy.stats.poisson.logpmf(2, x) | scipy.stats.poisson.cdf(2, x)
scipy.stats.multivariate_normal.pdf(x[0], x[1], s) | scipy.stats.multivariate_normal.logpdf(x[0], x[1], s)
scipy.stats.multivariate_normal.entropy(x[1], s) | scipy.stats.dirichlet.pdf(x[0] / x[0].sum(), 1 + x[1])
scipy.stats.dirichlet.logpdf(x[0] / x[0].sum(), 1 + x[1]) | scipy.stats.expon.logpdf(x) | scipy.stats.uniform.pdf(x)
scipy.stats.lognorm.logpdf(x, 0.5) | scipy.stats.laplace.logpdf(x) | scipy.stats.cauchy.logpdf(x)
scipy.stats.logistic.cdf(x) | scipy.stats.bernoulli.logpmf(1, x) | scipy.stats.binom.logpmf(2, 5, x)
scipy.stats.gmean(x) | scipy.stats.zscore(x)
"""
"""``x`` is the argument; ``s`` a symmetric positive matrix made of it."""

COMPLEX = """
scipy.special.dawsn(x[0] + 0.3j) | scipy.special.erf(x[0] + 0.3j) | scipy.special.erfc(x[0] + 0.3j)
scipy.special.erfcx(x[0] + 0.3j) | scipy.special.erfi(x[0] + 0.3j) | scipy.special.exp1(x[0] + 0.3j)
scipy.special.expi(x[0] + 0.3j) | scipy.special.expm1(x[0] + 0.3j) | scipy.special.gamma(x[0] + 0.3j)
scipy.special.log1p(x[0] + 0.3j) | scipy.special.log_ndtr(x[0] + 0.3j) | scipy.special.loggamma(x[0] + 0.3j)
scipy.special.ndtr(x[0] + 0.3j) | scipy.special.psi(x[0] + 0.3j) | scipy.special.rgamma(x[0] + 0.3j)
scipy.special.spence(x[0] + 0.3j) | scipy.special.wofz(x[0] + 0.3j) | scipy.special.wrightomega(x[0] + 0.3j)
"""
"""Functions of SciPy at complex numbers; those of NumPy are in ``tests/engine/tracing/test_complex_functions.py``."""

METHODS = """
x.T | x.all() | x.any() | x.argmax() | x.argmin(0) | x.argpartition(1) | x.argsort() | x.astype(float) | x.base
x.byteswap() | x.clip(0.3, 0.8) | x.compress([True, False, True], axis=0) | x.conj() | x.conjugate() | x.copy()
x.ctypes.data | x.cumprod() | x.cumsum() | x.device | x.diagonal() | x.dot(x) | x.dtype == float
x.dumps() | x.fill(x[0, 0]) | x.flags.c_contiguous | x.flat[4] | x.flatten() | x.getfield(float) | x.imag | x.item(4)
x.itemsize | x.mT | x.max(0) | x.mean() | x.min(0) | x.nbytes | x.ndim | x.nonzero()[0] | x.partition(1) | x.prod()
x.put([0, 4], x[0, :2]) | x.ravel() | x.real | x.repeat(2) | x.reshape(9) | x.resize(2, 2, refcheck=False)
x.round(1) | x[0].searchsorted(0.5) | x.setfield(1.5, float) | x.setflags(write=True) | x.shape | x.size | x.sort()
x.squeeze() | x.std() | x.strides | x.sum() | x.swapaxes(0, 1) | x.take([0, 5]) | x.to_device("cpu") | x.tobytes()
x.tolist() | x.trace() | x.transpose() | x.var() | x.view(float)
"""

ASIDE = {
    "print, read or write": """
        array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific fromfile
        fromregex fromstring genfromtxt info load loadtxt save savetxt savez savez_compressed show_config show_runtime
        typename""",
    "ask about types or configure NumPy": """
        can_cast common_type datetime_data get_include get_printoptions getbufsize geterr geterrcall isdtype issubdtype
        min_scalar_type mintypecode printoptions promote_types result_type set_printoptions setbufsize seterr seterrcall
        test broadcast_shapes nested_iters from_dlpack frombuffer isnat""",
    "take integers, bits or dates": """
        bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
        bitwise_xor busday_count busday_offset datetime_as_string diag_indices gcd invert is_busday lcm left_shift
        mask_indices packbits ravel_multi_index right_shift tril_indices triu_indices unpackbits unravel_index indices
        ix_""",
    "create arrays of plain numbers": """
        arange bartlett blackman empty eye hamming hanning identity kaiser ones tri zeros""",
}
"""Functions of NumPy that no traced value comes into."""


def calls(text: str) -> dict[str, str]:
    """The calls of a text by the name of the function that each begins with, but for what this NumPy no longer has."""
    found = {}
    for call in re.split(r" \| |\n", text.strip()):
        name = re.match(r"[\w.\[\]]+", call)
        assert name is not None
        if name.group() not in REMOVED or hasattr(np, name.group().removeprefix("np.")):
            found[name.group()] = call
    return found


REMOVED = {"np.row_stack"}
"""Functions that NumPy 2.5 does not have."""


def special_calls() -> dict[str, tuple[str, ...]]:
    """For each ufunc of scipy.special a call per argument that is traced, the others given as numbers."""
    found = {}
    for name in sorted(set(scipy.special.__all__)):
        ufunc = getattr(scipy.special, name)
        if isinstance(ufunc, np.ufunc):
            found[f"scipy.special.{name}"] = _calls_by_argument(name, ufunc)
    return found


def _calls_by_argument(name: str, ufunc: np.ufunc) -> tuple[str, ...]:
    """Whole numbers come first where the function is not finite without."""
    if name in ELSEWHERE:
        return (ELSEWHERE[name],)
    end = "[0]" if ufunc.nout > 1 else ""
    for wholes in range(ufunc.nin):
        numbers = [str(1 + k) if k < wholes else f"{0.15 + 0.2 * k:.2f}" for k in range(ufunc.nin)]
        spelled = [
            f"scipy.special.{name}({', '.join([*numbers[:k], 'x[0]', *numbers[k + 1 :]])}){end}"
            for k in range(wholes, ufunc.nin)
        ]
        if all(np.isfinite(plain(call)).all() for call in spelled):
            return tuple(spelled)
    return (f"scipy.special.{name}({', '.join(f'x[{k % 3}]' for k in range(ufunc.nin))}){end}",)


ELSEWHERE = {
    "ndtri_exp": "scipy.special.ndtri_exp(-x[0])",
    "pro_rad1": "scipy.special.pro_rad1(1, 2, 0.5, 1 + x[0])[0]",
    "pro_rad2": "scipy.special.pro_rad2(1, 2, 0.5, 1 + x[0])[0]",
    "pro_rad1_cv": "scipy.special.pro_rad1_cv(1, 2, 0.5, 6.0, 1 + x[0])[0]",
    "pro_rad2_cv": "scipy.special.pro_rad2_cv(1, 2, 0.5, 6.0, 1 + x[0])[0]",
}
"""Where functions are called that are not finite between 0 and 1."""


# ---- what becomes of a call ----


def as_function(call: str) -> Callable[[Any], Any]:
    """A call as a function of ``x``; what is written to, where nothing is returned; both parts of complex numbers."""
    code = compile(call, call, "eval")

    def function(x: Any) -> Any:
        x = 1.0 * x
        s = x @ x.T + np.diag([1.0, 2.0, 3.0])
        found = eval(code, {"np": np, "scipy": scipy, "x": x, "s": s})
        found = x if found is None else found
        if "eig" in call and not np.any(np.imag(found)):  # which NumPy 2.5 has complex also where they are real
            return np.real(found)
        return (found.real, found.imag) if np.iscomplexobj(found) else found

    return function


def plain(call: str) -> np.ndarray:
    """The value without adviz; NaN where NumPy refuses, or makes whole numbers of orders."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        warnings.filterwarnings("error", "floating point number truncated")
        try:
            return flat(as_function(call)(X))
        except Exception:
            return np.array([np.nan])


def flat(value: Any) -> np.ndarray:
    """All numbers of a result in a row."""
    if isinstance(value, list | tuple):
        return np.concatenate([np.zeros(0), *map(flat, value)])
    return np.asarray(value, float).ravel()


def slopes(f: Callable[[Any], Any], step: float = 1e-6) -> np.ndarray:
    """The Jacobian by central differences."""
    columns = []
    for k in range(X.size):
        ahead, behind = X.copy(), X.copy()
        ahead.flat[k] += step
        behind.flat[k] -= step
        columns.append((flat(f(ahead)) - flat(f(behind))) / (2 * step))
    return np.stack(columns, axis=-1)


def verdict(call: str, grain: str) -> str:
    """What becomes of a call in a grain."""
    f = as_function(call)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        expected = f(X.copy())
        is_number = not isinstance(expected, str | bytes) and flat_or_none(expected) is not None
        seen = []

        def traced(x: Any) -> Any:
            seen.append(f(x))
            return seen[-1]

        try:
            if not is_number or np.asarray(expected).dtype.kind in "biuSU":
                ad.trace(lambda x: (traced(x), np.sum(x))[1], X, grain=grain)
                same = seen[-1] == expected if not is_number else np.array_equal(flat(seen[-1]), flat(expected))
                return VALUE if np.all(same) else "wrong value"
            jacobian = ad.jacobian(lambda x: joined(traced(x)), grain=grain)(X)
        except ad.AdvizError as error:
            return type(error).__name__
        except Exception as error:
            return f"unnamed {type(error).__name__}"
        by_differences = slopes(f)
        if np.size(jacobian) != np.size(by_differences):
            return "wrong shape"
        scale = 1 + np.abs(by_differences).max(initial=0.0)
        if not np.allclose(np.reshape(jacobian, by_differences.shape), by_differences, rtol=1e-4, atol=2e-5 * scale):
            return "wrong derivative"
        return YES if by_differences.any() else VALUE


def joined(value: Any) -> Any:
    """A result of several parts in a row."""
    if isinstance(value, list | tuple):
        return np.concatenate([np.ravel(joined(each)) for each in value])
    return np.ravel(value)


def flat_or_none(value: Any) -> np.ndarray | None:
    """The numbers of a result, if it is made of numbers."""
    try:
        return flat(value)
    except (TypeError, ValueError):
        return None


def verdicts(spelled: tuple[str, ...], grain: str) -> str:
    """What becomes of a function, argument by argument."""
    found = [verdict(call, grain) for call in spelled]
    if len(set(found)) == 1:
        return found[0]
    return "; ".join(f"argument {k}: {each}" for k, each in enumerate(found, 1))


# ---- HIPS autograd ----

THEIR_MODULES = {
    "autograd.numpy": "np",
    "autograd.numpy.linalg": "np.linalg",
    "autograd.numpy.fft": "np.fft",
    "autograd.scipy.special": "scipy.special",
    "autograd.scipy.linalg": "scipy.linalg",
    "autograd.scipy.integrate": "scipy.integrate",
    "autograd.scipy.signal": "scipy.signal",
} | {
    f"autograd.scipy.stats.{name}": f"scipy.stats.{name}"
    for name in "beta chi2 dirichlet gamma multivariate_normal norm poisson t".split()
}


def differentiated_by_hips() -> set[str]:
    """The functions of NumPy and SciPy that HIPS autograd has a rule for, or writes with others that it has."""
    found = set()
    for theirs, ours in THEIR_MODULES.items():
        for name, function in vars(import_module(theirs)).items():
            written = getattr(function, "__module__", "") == "autograd.numpy.numpy_wrapper"
            public = not name.startswith("_") and hasattr(np if ours == "np" else eval(ours), name)
            if public and callable(function) and (function in primitive_vjps or (written and ours == "np")):
                found.add(f"{ours}.{name}")
    return found


# ---- the page ----

SECTIONS = {
    "NumPy": NUMPY,
    "Methods and attributes of arrays": METHODS,
    "numpy.linalg": LINALG,
    "numpy.fft": FFT,
    "SciPy": SCIPY,
    "Complex numbers": COMPLEX,
}

INTRODUCTION = """# Functions of NumPy and SciPy in adviz

Written by `python -m tests.agreement.function_table write`; a test checks that it is up to date.

Each function is called as written here, both in the array grain and in the scalar grain, with

    x = [[0.31, 0.72, 0.43], [0.91, 0.58, 0.27], [0.64, 0.17, 0.82]]        s = x @ x.T + diag([1, 2, 3])

*yes*: the value agrees with NumPy's, and the derivative with central differences. *no derivative*: the result consists
of integers or booleans, or is constant near the argument; its value agrees with NumPy's. The name of an error: the
function raises this error, whose message says where and what to do. A dot marks what HIPS autograd differentiates.
"""


Row = tuple[str, str, str, str]
"""The name of a function, how it was called, and what became of it in each grain."""


def rows() -> Iterator[tuple[str, list[Row]]]:
    """The sections, with what became of each function; the calls are made in a process of their own."""
    spelled = {title: {name: (call,) for name, call in sorted(calls(text).items())} for title, text in SECTIONS.items()}
    spelled["Ufuncs of scipy.special"] = special_calls()
    jobs = [json.dumps([grain, *each]) for section in spelled.values() for each in section.values() for grain in GRAINS]
    found = dict(outcomes(MODULE, jobs))
    for title, section in spelled.items():
        yield (
            title,
            [
                (name, each[0], *(found[json.dumps([grain, *each])].split("\n")[0] for grain in GRAINS))
                for name, each in section.items()
            ],
        )


def run(job: str) -> str:
    """What becomes of the calls of one function in one grain."""
    grain, *spelled = json.loads(job)
    return verdicts(tuple(spelled), grain)


def page() -> str:
    """The page as Markdown."""
    hips = differentiated_by_hips()
    lines = [INTRODUCTION]
    for title, section in rows():
        array, scalar = (sum(row[k].startswith((YES, VALUE)) for row in section) for k in (2, 3))
        lines.append(f"## {title}\n")
        lines.append(
            f"{len(section)} functions, of which {array} work in the array grain and {scalar} in the scalar grain.\n"
        )
        lines.append("| called | array grain | scalar grain | HIPS |\n|---|---|---|---|")
        for name, call, *found in section:
            spelled = call.replace("|", "\\|")
            lines.append(f"| `{spelled}` | {found[0]} | {found[1]} | {'•' if name in hips else ''} |")
        lines.append("")
    aside = [f"{reason}: {', '.join(f'`{name}`' for name in names.split())}" for reason, names in ASIDE.items()]
    lines.append(
        "## Functions of NumPy that take no traced values\n\nThose that " + ".\n\nThose that ".join(aside) + ".\n"
    )
    return "\n".join(lines)


def missing_from_the_table() -> set[str]:
    """Public functions of NumPy that are neither called nor set aside."""
    known = {name for text in SECTIONS.values() for name in calls(text)}
    aside = {f"np.{name}" for names in ASIDE.values() for name in names.split()}
    public = {
        f"{place}.{name}"
        for place, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft))
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    }
    return public - known - aside


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        serve(run)
