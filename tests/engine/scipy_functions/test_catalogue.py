"""The catalogue of calls of SciPy: each has SciPy's value, and the derivatives of differences, in both grains.

A call is an expression; it is differentiated by all operands that are named in it. What is written in capitals is a
constant.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg as la
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats
from scipy.spatial import distance

import adviz as ad
from adviz.engine.scipy_functions.fitting import METRICS
from adviz.engine.scipy_functions.linear_maps import MODES

from ...catalogue import expressions
from ..checks import GRAINS
from ..scipys import check

SPACE = {"np": np, "la": la, "ds": distance, "sp": scipy.special, "st": scipy.stats, "sf": scipy.fft}
SPACE |= {"sg": scipy.signal, "nd": scipy.ndimage, "ip": scipy.interpolate, "it": scipy.integrate}
SPACE |= {"op": scipy.optimize, "ss": scipy.sparse, "sl": scipy.sparse.linalg}


def drawn(*shape: int, seed: int = 5) -> np.ndarray:
    """Numbers around 0."""
    return np.random.default_rng((seed, *shape)).normal(size=shape)


class Section(NamedTuple):
    """Calls of one module of SciPy."""

    calls: list[str]
    operands: dict[str, Any]
    names: dict[str, Any]
    """Constants and functions."""
    tolerance: float = 1e-12
    """Of values."""
    marks: tuple[Any, ...] = ()

    def function(self, text: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """An expression as a function of the operands in it, and these."""
        used = [name for name in self.operands if re.search(rf"\b{name}\b", text)]
        made = eval(f"lambda {', '.join(used)}: {text}", {**SPACE, **self.names})
        return made, tuple(self.operands[name] for name in used)


# ---- linear algebra ----

A = drawn(3, 3) + 2 * np.eye(3)
P = A @ A.T + np.eye(3)
MATRICES = {"a": A, "p": P, "s": A[::-1].copy(), "h": A + A.T, "t": drawn(4, 3), "w": drawn(3, 2)}
MATRICES |= {"b": drawn(3), "v": drawn(4), "c": np.array([4.0, 1, 0.5])}
MATRICES |= {"r": np.array([[2.0, 0.3, 0.1], [0.4, 1.0, 0.2], [0.1, 0.5, 3.0]])}  # with real eigenvalues
MATRICES |= {"m": np.array([[0, 1.0, 0.5], [4, 5, 6], [0.3, 0.2, 0]])}  # diagonals
LINALG = expressions("""
la.solve(a, w) | la.solve(a, b) | la.solve(a, b, transposed=True) | la.solve(p, b, assume_a="pos") | la.inv(a)
la.solve(p, b, lower=True, assume_a="sym") | la.solve(a, b, assume_a="lower triangular") | la.det(a) | la.cholesky(p)
la.cholesky(p, lower=True) | la.cho_solve(la.cho_factor(p), b) | la.cho_solve(la.cho_factor(p, lower=True), w)
la.cho_solve(la.cho_factor(P), b) | la.lu(s)[1] | la.lu(s)[2] | la.lu(s)[0] @ la.lu(s)[1] + la.lu(s, permute_l=True)[0]
la.lu(s, p_indices=True)[0] + 0 * s[0] | la.lu_factor(s)[0] | la.lu_solve(la.lu_factor(s), b)
la.lu_solve(la.lu_factor(s), w, trans=1) | la.lu_solve(la.lu_factor(A), b) | la.solve_triangular(a, b)
la.solve_triangular(a, w, lower=True, trans="T") | la.solve_triangular(a, w, unit_diagonal=True)
la.solve_banded((1, 1), m, b) | la.solveh_banded(m[:2], b) | la.solveh_banded(m[1:], b, lower=True)
la.qr(t, mode="economic")[0] | la.qr(a)[1] | la.qr(a, mode="r")[0] | la.norm(a) | la.norm(a, 1)
la.norm(a, axis=1, keepdims=True) | la.pinv(t) | la.pinv(t, return_rank=True)[0] | la.lstsq(t, v)[0] | la.lstsq(t, v)[1]
la.expm(a) | la.expm(3 * a) / 10000.0 | la.expm(a * 0) | la.solve_sylvester(a, p[:2, :2], w)
la.solve_continuous_lyapunov(p, a) | la.solve_discrete_lyapunov(a / 4, p) | la.block_diag(a, w, 2.0)
la.block_diag(b, [[1.0, 2]], [b[0]]) | la.toeplitz(b) | la.toeplitz(b, v) | la.hankel(b) | la.hankel(b, v)
la.circulant(b) | la.solve_toeplitz(c, b) | la.solve_toeplitz((c, c * 0.5 + 2), b)
""")
WHOLE = expressions("""
la.eigh(p)[0] | la.eigh(p)[1] ** 2 | la.eigh(p, lower=False, eigvals_only=True) | la.eigh(h, p)[0]
la.eigh(h, p)[1] ** 2 | la.eigvalsh(h, p, lower=False) | la.eigh(p, subset_by_index=[1, 2])[0] | np.real(la.eig(r)[0])
la.eig(r)[1] ** 2 | la.eigvals(r).real | la.svd(a)[1] | la.svd(t, full_matrices=False)[0] ** 2
la.svd(t, compute_uv=False) | la.svdvals(t) | la.polar(a)[0] | la.polar(a)[1] + la.polar(a, side="left")[1]
la.sqrtm(p) | la.logm(p) | la.sinm(a / 3) | la.cosm(a / 3) | la.tanm(a / 9) | la.sinhm(a / 3) | la.coshm(a / 3)
la.tanhm(a / 3)
""")

# ---- transforms, signals, images ----


def written(x):
    y = np.zeros(3)
    y[1] = x[0]
    y[2] = x[2] ** 2
    return y


TRANSFORMS = expressions("""
np.abs(sf.rfft(x)) ** 2 | sf.fft(x, n=8).real + sf.fft(x, n=8, norm="ortho").imag | sf.irfft(sf.rfft(x) ** 2, n=6)
sf.ifft(sf.fft(x) * np.exp(1j * np.arange(6))).real | np.abs(sf.fft2(t)) | sf.fftn(t, axes=(0,)).imag
sf.rfftn(t, (4, 4), (0, 1)).real | sf.dct(x) | sf.dct(t, 1, axis=0)
sf.idct(sf.dct(x, norm="ortho") ** 2, norm="ortho") | sf.dst(x, 3, n=4) | np.abs(sg.hilbert(x)) ** 2
""")

SIGNALS = expressions("""
sg.convolve(x[0], 2.0) | sg.convolve([x[0], 1.0, x[1]], [1.0, 2.0]) | sg.convolve2d(i, ODD, "same", fillvalue=1.5)
sg.convolve2d(i, ODD, "full", "fill", n) | sg.convolve2d(IMAGE, odd, "same") | sg.lfilter(b, a, x) | sg.lfilter(B, A, x)
sg.lfilter(b, a, i, axis=0) | sg.lfilter(b, 2.0, x) | sg.lfilter(long, longer, x[:4]) | sg.lfilter(b, a, x, zi=z)[0]
sg.lfilter(b, a, x, zi=z)[1] | sg.lfilter(long[:5], longer[:3], x[:2], zi=x[:4])[1]
sg.lfilter(B, A, i, zi=i[:2], axis=0)[0] | sg.filtfilt([0.5, 0.5], [1.0, 0.2], x, padlen=2)
sg.sosfilt(SECTIONS, i, axis=0) | sg.sosfiltfilt(SECTIONS, x, padlen=3) | sg.savgol_filter(x, 5, 2)
x[sg.find_peaks(x)[0]] | written(x)[sg.find_peaks(written(x))[0]]
sg.savgol_filter(x, 5, 2, mode="constant", cval=1.0) | sg.detrend(i) | sg.detrend(i, type="constant", axis=0)
""")
for _mode in ("full", "same", "valid"):
    SIGNALS += expressions(f"""
    sg.convolve(x, b, "{_mode}") | sg.convolve(b, x, "{_mode}", method="direct") | sg.fftconvolve(i, even, "{_mode}")
    sg.oaconvolve(i, even, "{_mode}") | sg.correlate(x, b, "{_mode}") | sg.correlate(i, even, "{_mode}", "direct")
    sg.correlate(x, x[:4], "{_mode}", "direct")
    """)
    for _boundary in ("fill", "wrap", "symm"):
        SIGNALS += [
            f"sg.{name}(i, {kernel}, '{_mode}', '{_boundary}')"
            for name in ("convolve2d", "correlate2d")
            for kernel in ("odd", "even")
        ]
SIGNAL = {"x": drawn(7), "i": drawn(4, 5), "odd": drawn(3, 3), "even": drawn(3, 2), "b": drawn(3), "z": drawn(2)}
SIGNAL |= {"a": np.array([1.5, 0.3]), "n": 1.5, "long": drawn(6), "longer": np.array([1.0, 0.2, 0.1, 0.05, 0.01])}
OF_SIGNALS = {"IMAGE": drawn(4, 5), "ODD": drawn(3, 3), "B": drawn(3), "A": SIGNAL["a"]}
OF_SIGNALS |= {"written": written, "SECTIONS": scipy.signal.butter(4, 0.3, output="sos")}


def second_difference(input, axis, output=None, mode="reflect", cval=0.0):
    return scipy.ndimage.correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval)


IMAGES = expressions("""
nd.gaussian_filter1d(x, 1.0) | nd.gaussian_filter(i, 1.0, order=(0, 1)) | nd.gaussian_filter(i, 1.0, axes=(1,))
nd.sobel(i) | nd.prewitt(i, axis=0) | nd.laplace(i) | nd.generic_laplace(i, second_difference)
nd.gaussian_laplace(i, 1.0) | nd.gaussian_gradient_magnitude(i, 1.0) | nd.correlate(i, KERNEL, origin=(0, 1))
nd.convolve1d(i, [1.0, 2.0, 4.0, 5.0], axis=0) | nd.correlate1d(i, [1.0, 2.0, 4.0], origin=-1) | nd.convolve(i, k)
nd.convolve(i, [1.0, 2.0, 4.0], axes=(0,)) | nd.uniform_filter1d(x, 4) | nd.gaussian_filter(nd.sobel(i) ** 2, 1.0)
nd.correlate1d([x[0], x[1], x[2]], [1.0, 2.0, 1.0])
""")
for _mode in MODES:
    IMAGES += expressions(f"""
    nd.gaussian_filter(i, (0.6, 1.2), mode="{_mode}", cval=0.3) | nd.convolve(i, KERNEL, mode="{_mode}", cval=0.3)
    nd.uniform_filter(i, 2, mode="{_mode}", origin=-1)
    """)
for _mode in sorted(MODES.keys() - {"wrap"}):
    IMAGES += expressions(f"""
    nd.map_coordinates(i, AROUND, order=0, mode="{_mode}", cval=0.3)
    nd.map_coordinates(i, AROUND, order=1, mode="{_mode}", cval=0.3)
    nd.map_coordinates(i, inside, order=1, mode="{_mode}", cval=0.3)
    """)
PICTURES = {"x": drawn(7), "i": drawn(4, 5), "k": drawn(2, 3)}
PICTURES |= {"inside": np.array([[0.3, 1.6, 2.2], [0.7, 3.3, 1.2]])}
OF_IMAGES = {"KERNEL": drawn(2, 3), "second_difference": second_difference}
OF_IMAGES |= {
    "AROUND": np.array([[-1.2, -0.4, 0.3, 1.6, 2.9, 3.3, 4.4, -2.5], [0.2, -2.5, 4.7, 3.3, 2.1, -0.2, 6.1, 1.5]])
}

# ---- interpolation, distances, sparse matrices ----

KNOTS = np.array([0.0, 0.7, 1.5, 2.2, 3.1])
INTERPOLATION = expressions("""
ip.CubicSpline(KNOTS, Y)(x) | ip.CubicSpline(KNOTS, Y)(x, 1) + ip.CubicSpline(KNOTS, Y)(x, 2)
ip.CubicSpline(KNOTS, Y).derivative()(x) | ip.CubicSpline(KNOTS, TABLE)(x) | ip.CubicSpline(KNOTS, TABLE.T, axis=1)(x)
ip.CubicSpline(KNOTS, Y)(x[0]) | ip.CubicSpline(KNOTS, y)(x) | ip.CubicSpline(KNOTS, t, bc_type="natural")(x)
ip.CubicSpline(KNOTS, y)([0.5, 1.0]) | ip.CubicSpline(KNOTS, Y)(beyond) | ip.PchipInterpolator(KNOTS, Y)(x)
ip.CubicSpline(KNOTS, Y, extrapolate=False)(beyond) | ip.CubicSpline(KNOTS, ROUND, bc_type="periodic")(beyond)
ip.Akima1DInterpolator(KNOTS, Y)(x) | ip.make_interp_spline(KNOTS, Y)(x) | ip.BSpline.basis_element(np.arange(4.0))(x)
ip.make_interp_spline(KNOTS, Y)(x, 1) | ip.UnivariateSpline(KNOTS, Y, s=0)(x) | ip.interp1d(KNOTS, y)(x)
ip.InterpolatedUnivariateSpline(KNOTS, Y)(beyond) | ip.interp1d(KNOTS[::-1], y)(x) | ip.interp1d(KNOTS, t, axis=0)(x)
ip.interp1d(KNOTS, t.T)(x.reshape(3, 1)) | ip.interp1d(KNOTS, y, bounds_error=False, fill_value=(1.0, 2.0))(beyond)
ip.interp1d(KNOTS, y, fill_value="extrapolate")(beyond) | ip.interp1d(KNOTS, Y, kind="cubic")(x)
ip.interp1d(KNOTS, Y, "quadratic")(x) | ip.interp1d(KNOTS, y, kind="nearest")([0.33, 1.9, 2.8])
ip.interp1d(KNOTS, y, kind="previous")(x) | ip.interp1d(KNOTS, y, kind="next")([0.33, 1.9, 2.8])
x * ip.interp1d(KNOTS, Y)(1.0) | ip.PchipInterpolator(KNOTS[:3], written(y))(x)
""")
POINTS = {"x": np.array([0.33, 1.9, 2.8]), "beyond": np.array([-0.3, 0.5, 3.5]), "y": drawn(5), "t": drawn(5, 2)}
OF_POINTS = {
    "written": written,
    "KNOTS": KNOTS,
    "Y": drawn(5),
    "TABLE": drawn(5, 2),
    "ROUND": np.append(drawn(4), drawn(4)[0]),
}

DISTANCES = expressions("""
ds.minkowski(u[0], v[0], 3, w=w) | ds.minkowski(u[0], v[0], np.inf) | ds.cdist(u, v, "minkowski", p=1.5)
ds.mahalanobis(u[0], v[0], np.diag(w)) | ds.seuclidean(u[0], v[0], w) | ds.pdist(s, "mahalanobis")
ds.jensenshannon(w, w[::-1]) | ds.jensenshannon(np.abs(u), np.abs(u + 1), 2.0, axis=1) | ds.squareform(s[:, 0])
ds.squareform(ds.squareform(ds.pdist(u)) * 2) | ds.cdist(u, v, lambda a, b: np.sum(np.abs(a - b) ** 3))
ds.cdist(u, v, ds.cityblock) | ds.euclidean([u[0, 0], u[0, 1]], [1.0, 2.0])
ds.cdist(u, v, "mahalanobis", VI=np.diag(W)) | ds.pdist(u, "mahalanobis", VI=np.diag(W))
""")
for _name in sorted({*METRICS} - {"mahalanobis"}):
    DISTANCES += [f"ds.cdist(u, v, {_name!r})", f"ds.pdist(u, {_name!r})"]
for _name in sorted({*METRICS} - {"mahalanobis", "seuclidean"}):
    DISTANCES += [f"ds.{_name}(u[0], v[0])", f"ds.{_name}(u[0], v[0], w=w)", f"ds.cdist(u, v, {_name!r}, w=W)"]
WEIGHTS = np.array([1.0, 0.5, 2.0, 0.3])
ROWS = {"u": drawn(3, 4), "v": drawn(2, 4), "w": WEIGHTS, "s": drawn(6, 3)}


def multiplied_in_place(x, matrix):
    y = x * 1.0
    y @= matrix
    return y


DENSE = np.array([[2.0, 0.0, -1.5], [0.0, 0.0, 0.7], [0.3, 1.1, 0.0]])
SPARSE = expressions("""
S * x | x * S | x @ (S @ x) | S @ np.array([x[0], 1.0, x[2]]) | S @ written(x) + written(x) @ S
multiplied_in_place(x, S) | np.abs(ss.csr_array(DENSE + 1j * DENSE.T) @ x) ** 2 | np.abs(S @ (x * 1j + 2.0)) ** 2
S @ x[:, None] | ss.csr_array(DENSE[:2]) @ x | ss.csr_matrix((3, 3)) @ x | ss.csr_matrix(np.eye(3, dtype=int)) @ x
ss.coo_matrix(([1.0, 2.0, 3.0], ([0, 0, 1], [2, 2, 1])), shape=(3, 3)) @ x | ss.coo_array(DENSE[0]) @ x | S[0] @ x
ss.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3)) @ x | sl.aslinearoperator(S) @ x
np.asarray(S + np.outer(x, x)) + np.asarray(np.outer(x, x) + S)
np.asarray(S - np.outer(x, x)) * np.asarray(np.outer(x, x) - S) | ss.dok_matrix(DENSE) @ x | ss.lil_array(DENSE) @ x
np.diag((S / x[0] + S).toarray() + np.outer(x, x) - (S * x[1] + np.outer(x, x))) | (-(S * x[0])).dot(x) * (x[1] * S * x)
(ss.csr_array(S) * x[0]).sum(axis=0) + (S @ (S * x[0])).diagonal() + (x[0] * S)[0, 2] + (S * x[1]) @ c @ [1.0, 2.0]
""")
OF_SPARSE: dict[str, Any] = {}
for _form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
    for _kind in (f"{_form}_matrix", f"{_form}_array"):
        OF_SPARSE[_name := _kind.upper()] = getattr(scipy.sparse, _kind)(DENSE)
        SPARSE += [f"{_name} @ x + x @ {_name} + {_name}.dot(x) * x + {_name}.T @ (x * x)"]
        SPARSE += [f"({_name} @ c).T + c.T @ {_name}"]
        SPARSE += [f"({_name} * x[0] + x[1] * {_name} - {_name}) @ x + x @ (S - 2.0 * ({_name} * x[2])).T"]
OF_SPARSE |= {"DENSE": DENSE, "S": scipy.sparse.csr_matrix(DENSE), "written": written}
OF_SPARSE |= {"multiplied_in_place": multiplied_in_place}

# ---- special functions, distributions ----

SPECIAL = expressions("""
sp.logsumexp(x) | logsumexp(x, axis=1) | logsumexp(x, 0, None, True) | sp.logsumexp(x, b=[1.0, 2.0, 3.0], axis=1)
sp.logsumexp(x, b=x**2, axis=(0, 1)) | sp.logsumexp(x, b=[1.0, -2.0, 0.5], axis=1, return_sign=True)[0]
sp.logsumexp(x, b=[1.0, -2.0, 0.5], axis=1, return_sign=True)[1] | sp.logsumexp(x + 1000.0, axis=0) | sp.softmax(x)
sp.softmax(x, axis=-1) * x | sp.log_softmax(x, axis=0) | sp.wrightomega(x) | sp.polygamma(2, x) | sp.polygamma(0, x)
sp.zeta(3, x) | sp.multigammaln(x[0] + 2, 3) | np.real(sp.lambertw(x - 0.3)) | sp.lambertw(-x / 3, -1).real
sp.comb(5.0, x) | sp.comb(x + 1, 2.0, repetition=True) | sp.comb(3 * x, 1.5) | sp.perm(3 * x, 1.5)
sp.factorial(x - 0.5) | sp.perm(x + 4, 2.0) | sp.factorial(x) | sp.spherical_jn(2, x) + sp.spherical_in(1, x)
sp.spherical_yn(1, x) + sp.spherical_kn(0, x) | sp.spherical_jn(2, x, True) + sp.spherical_in(1, x, True)
sp.logsumexp([x[0, 0], x[0, 1], 1.0])
""")
FACTOR = drawn(3, 3)
STATS = {"x": np.array([0.1, 0.5, 0.7]), "pts": drawn(4, 3), "m": drawn(3), "c": FACTOR @ FACTOR.T + np.eye(3)}
STATS |= {"p": 0.3, "q": 1.7, "r": 2.3, "s": 1.4, "a": np.array([1.0, 2.0, 3.0]), "around": drawn(2, 3)}
OF_STATS = {"M": drawn(3), "C": STATS["c"], "PTS": drawn(4, 3), "norm": scipy.stats.norm}
OF_STATS |= {"COUNTS": np.array([0.0, 1.0, 4.0, 7.0, -1.0, 2.5]), "KDE": scipy.stats.gaussian_kde(drawn(6))}
OF_STATS |= {"WEIGHED": scipy.stats.gaussian_kde(drawn(2, 6), weights=[1, 2, 3, 1, 1, 2])}
DISTRIBUTIONS = expressions("""
KDE(x) | WEIGHED.pdf(around) | WEIGHED.logpdf(around) | WEIGHED(around[:, 0]) | st.zscore(pts)
st.zscore(pts, axis=None, ddof=1) | st.skew(pts) | st.skew(pts.T, axis=1, bias=False, keepdims=True)
st.skew(pts[:2], bias=False) | st.kurtosis(pts) | st.kurtosis(pts, axis=None, bias=False, fisher=False)
st.gamma.mean(r, p, s) + st.gamma.var(r, p, s) + st.gamma.std(r, scale=s) | st.norm.entropy(scale=s)
st.lognorm.mean(p, scale=s) + st.beta.var(p, s) + st.expon.mean(scale=s) | st.gamma.entropy(s, 0, s)
st.bernoulli.mean(p) + st.binom.var(5, p) + st.poisson.std(p) | np.stack(st.norm.interval(0.9, p, s))
norm(p, s).mean() + norm(p, s).std() * norm(p, s).median() + norm(p, s).entropy()
st.multivariate_normal.logpdf(pts, m, c) | st.multivariate_normal.pdf(pts[0], mean=m, cov=c)
st.multivariate_normal(m, c).logpdf(pts) | st.multivariate_normal(M, C, allow_singular=True).pdf(pts)
st.multivariate_normal(m, C).pdf(PTS) | st.multivariate_normal.entropy(m, c) + 0 * m[0]
st.multivariate_normal.logpdf(x, 0.3, 2.0) | st.multivariate_normal.logpdf(x) | st.multivariate_normal.logpdf(pts, M, s)
st.multivariate_normal.logpdf(pts, M, a) | st.multivariate_t.logpdf(pts, m, c, 3.0)
st.multivariate_t.pdf(pts, M, C, r) | st.dirichlet.logpdf([0.2, 0.3, 0.5], a)
st.dirichlet.pdf(np.array([0.2, 0.3]), a) | norm(p, s).logpdf(pts) + norm(loc=p, scale=s).cdf(pts)
st.gamma(q, scale=2.0).logpdf(x) | st.poisson(r).pmf([0, 2, 3]) | st.poisson.logpmf(COUNTS, r)
st.poisson.pmf(COUNTS, r) | st.poisson.logcdf([0, 2, 3], r, loc=1) | st.binom.pmf([0, 2, 5, 6], 5, p)
st.binom.logpmf([0, 2, 5, 6], 5, p) | st.binom.cdf([0, 2, 5, 6], 5, p) | st.binom.sf([0, 2, 5, 6], 5, p)
st.binom.logsf([0, 2], 5, p) | st.nbinom.pmf([1, 2, 3], r, p) | st.nbinom.logpmf([1, 2, 3], r, p)
st.nbinom.cdf([1, 2, 3], 4, p) | st.nbinom.sf([1, 2, 3], 4, p) | st.nbinom.logcdf([1, 2, 3], 4, p)
norm.ppf(x, [1.0, 2.0, 3.0], 2.0) + norm.isf(x)
st.uniform.pdf(x * 2 - 0.3, 0.2, 1.0) + st.beta.pdf(x * 2 - 0.3, 2.0, 3.0) | norm.pdf(x, 0, a * [1.0, -1.0, 1.0])
st.expon.logpdf(x - 0.2) + st.gamma.logcdf(x - 0.2, 2.0) | st.uniform.ppf(x * 2 - 0.3) + st.gamma.isf(x * 2 - 0.3, 2.0)
norm.logpdf([x[0], x[1], 1.0]) | st.truncnorm.logpdf(x, -1.0, 2.0, p, 1.3) + st.truncnorm.cdf(x, -1.0, 2.0, p, 1.3)
st.truncnorm.pdf(x + 2, q, r + 1) + st.truncnorm.logsf(x + 2, q, r + 1)
st.truncnorm.logcdf(x - 21, -22 - p, -20.0) + st.truncnorm.sf(x - 21, -22 - p, -20.0)
st.skewnorm.logpdf(x, p) + st.skewnorm.cdf(x, p) + st.skewnorm.sf(x, p) ** 2
""")
DISTRIBUTIONS += [
    f"st.{name}.{method}(np.arange(4.0), p)"
    for name in ("bernoulli", "geom", "poisson")
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
]

# ---- integrals and roots ----

INTEGRALS = expressions("""
it.trapezoid(y, x) | it.trapezoid(t, dx=0.1, axis=0) | it.cumulative_trapezoid(y, x) | it.simpson(y)
it.cumulative_trapezoid(t, dx=0.1, axis=0, initial=0) | it.simpson(t, dx=0.3) | it.simpson(y, x=x) | it.simpson(y[:2])
it.simpson(y[:5], x=x[:5]) | it.simpson(t, x=[0.0, 1.0, 3.0], axis=0)
it.quad(lambda t: np.exp(-p * t * t), 0.0, 1.0)[0]
it.quad(lambda t, p, q: np.sin(p * t) * q, 0.0, 1.0, args=(p, q))[0]
it.quad(lambda t: np.exp(-p * t * t), -q, 1.0 * r)[0] | it.quad(lambda t: np.exp(-p * t * t), 1.0, 0.0)[0]
it.quad(lambda t: np.exp(t), 0.5, r - 0.5)[0] | it.quad(lambda t: np.exp(-p * t * t), q, np.inf)[0]
it.quad(lambda t: np.exp(-p * t * t), np.inf, q)[0] | it.quad(lambda t: np.exp(p * t), -np.inf, q)[0]
it.quad(lambda t: np.exp(-p * (t - q) ** 2), -np.inf, np.inf)[0]
it.quad(lambda t: np.exp(-p * t * t), np.inf, -np.inf)[0] | it.quad(lambda t: 1 / (k * k + (t - 0.3) ** 2), 0.0, 1.0)[0]
it.quad(lambda t: p / np.sqrt(t), 0.0, 1.0)[0] | it.quad(lambda t: np.log(1 - t) * np.exp(p * t), 0.0, 1.0)[0]
it.quad(lambda t: p * t, 0.0, 1.0, full_output=1)[0] | it.fixed_quad(lambda t: np.exp(-p * t), 0.0, 1.0)[0]
it.dblquad(lambda v, u: p * u * v, 0.0, 1.0, lambda u: 0.0, lambda u: u * p)[0]
""")
INTEGRANDS = {"y": drawn(6), "t": drawn(3, 5), "x": np.cumsum(np.abs(drawn(6)) + 0.1)}
INTEGRANDS |= {"p": 1.3, "q": 0.3, "r": 1.0, "k": 0.05}


def cubic(t, p, q=1.0):
    """An equation of one unknown."""
    return t**3 + q * t - p


def pair(v, p):
    """Two equations of two unknowns."""
    return [v[0] ** 2 + p * v[1] - 2, v[1] + v[0] * p - 1.5]


def valley(v, p):
    """A function of two numbers with one minimum."""
    return (v[0] - p) ** 2 + 5 * (v[1] - v[0] ** 2) ** 2 + 0.1 * v[1] ** 4


def with_slope(t, p):
    """An equation, and its slope."""
    return t**2 - p, 2 * t


ROOTS = expressions("""
op.brentq(lambda t: t**3 + t - p, 0.0, 3.0) | op.brenth(lambda t: t**3 + t - p, 0.0, 3.0)
op.ridder(lambda t: t**3 + t - p, 0.0, 3.0) | op.bisect(lambda t: t**3 + t - p, 0.0, 3.0)
op.toms748(lambda t: t**3 + t - p, 0.0, 3.0) | brentq(cubic, 0.0, 3.0, args=(p, q)) | brentq(cubic, 0.0, 3.0, args=p)
brentq(cubic, p - 3, p, args=(p,)) | brentq(cubic, 0.0, 3.0, (p,), full_output=True)[0]
op.newton(cubic, 1.0, args=(p,)) | op.newton(cubic, 1.0, lambda t, p: 3 * t**2 + 1, (p,))
op.newton(cubic, np.ones(3), args=(v,)) | op.root_scalar(cubic, args=(p,), bracket=[0.0, 3.0]).root
op.fsolve(pair, [1.0, 1.0], args=(k,)) | op.root_scalar(cubic, args=(p,), x0=1.0, fprime=lambda t, p: 3 * t**2 + 1).root
op.fsolve(cubic, 1.0, args=(p,)) | op.fsolve(pair, [1.0, 1.0], args=(k,), full_output=True)[0]
op.root(pair, np.array([1.0, 1.0]), args=(k,)).x | op.root(lambda v: np.array(pair(v, k)), [1.0, 1.0], method="lm").x
op.fixed_point(lambda x: np.cos(w * x), np.array([0.5, 0.6]))
""")
PARAMETERS = {"p": 2.3, "q": 1.2, "k": 0.7, "v": np.array([2.3, 1.0, 0.5]), "w": np.array([0.7, 0.8])}
OF_ROOTS = {"cubic": cubic, "pair": pair, "valley": valley, "with_slope": with_slope, "brentq": scipy.optimize.brentq}
OF_ROOTS |= {"BOUND": [{"type": "eq", "fun": lambda v: v[0] - v[1]}]}

SECTIONS = {
    "linalg": Section(LINALG, MATRICES, {"A": A, "P": P}, 1e-11),
    "whole matrices": Section(WHOLE, MATRICES, {}, 1e-11, (pytest.mark.slow,)),
    "fft": Section(TRANSFORMS, {"x": drawn(6), "t": drawn(4, 3)}, {}, 1e-11),
    "signal": Section(SIGNALS, SIGNAL, OF_SIGNALS, 1e-10),
    "ndimage": Section(IMAGES, PICTURES, OF_IMAGES),
    "interpolate": Section(INTERPOLATION, POINTS, OF_POINTS, 1e-11),
    "distance": Section(DISTANCES, ROWS, {"W": WEIGHTS}),
    "sparse": Section(SPARSE, {"x": drawn(3), "c": drawn(3, 2)}, OF_SPARSE),
    "special": Section(
        SPECIAL,
        {"x": np.array([[0.31, 0.72, 0.43], [0.91, 0.58, 0.27]])},
        {"logsumexp": scipy.special.logsumexp},
    ),
    "stats": Section(DISTRIBUTIONS, STATS, OF_STATS),
    "integrate": Section(INTEGRALS, INTEGRANDS, {}, 1e-10, (pytest.mark.slow,)),
    "optimize": Section(ROOTS, PARAMETERS, OF_ROOTS, 1e-10, (pytest.mark.long,)),
}
CALLS = [
    pytest.param(*section.function(text), section.tolerance, id=text, marks=section.marks)
    for section in SECTIONS.values()
    for text in section.calls
]


@GRAINS
@pytest.mark.parametrize(("f", "operands", "tolerance"), CALLS)
def test_a_call_has_scipys_value_and_its_derivatives(f, operands, tolerance, grain):
    check(f, operands, grain, tolerance)


HAS_DISP = "disp" in inspect.signature(la.logm).parameters  # until SciPy 1.18
LOGM_WITH_DISP = "la.logm(a, disp=False) → scipy.linalg.logm with disp." if HAS_DISP else ""
REFUSED = {
    "linalg": f"""
    la.qr(a, pivoting=True) → scipy.linalg.qr with pivoting.
    la.qr(t) → scipy.linalg.qr with mode='full' of an array of shape (4, 3).
    la.eig(a, P) → scipy.linalg.eig with b.
    la.eig(a, left=True) → scipy.linalg.eig with left.
    la.eigvals(a, homogeneous_eigvals=True) → scipy.linalg.eigvals with homogeneous_eigvals.
    la.eigh(a, P, type=2) → scipy.linalg.eigh with type.
    la.eigh(a, subset_by_value=[0.0, 1.0]) → scipy.linalg.eigh with subset_by_value.
    la.pinv(a, atol=0.1) → scipy.linalg.pinv with atol.
    la.lu(t) → scipy.linalg.lu_factor of an array of shape (4, 3).
    {LOGM_WITH_DISP}
    la.expm(np.stack([a, a])) → scipy.linalg.expm of an array with 3 axes.
    la.solve(a, b, assume_a="odd") → scipy.linalg.solve with assume_a='odd'.
    la.schur(a) → scipy.linalg.schur.
    la.ldl(a) → scipy.linalg.ldl.
    la.hessenberg(a) → scipy.linalg.hessenberg.
    la.signm(a) → scipy.linalg.signm.
    """,
    "fft": """
    sf.dctn(t) → scipy.fft.dctn.
    sf.fft(t, plan=1).real → scipy.fft.fft with plan
    """,
    "signal": """
    sg.fftconvolve(i, i, axes=0) → scipy.signal.fftconvolve with axes
    sg.sosfilt(SECTIONS, i, zi=np.zeros((2, 4, 2))) → scipy.signal.sosfilt with zi
    sg.filtfilt(x[0], [1.0], x) → scipy.signal.filtfilt with traced settings
    sg.medfilt(x) → scipy.signal.medfilt.
    sg.medfilt(written(x)) → scipy.signal.medfilt.
    sg.find_peaks(x, height=0.1) → scipy.signal.find_peaks with height
    sg.upfirdn([1.0], x) → scipy.signal.upfirdn.
    """,
    "ndimage": """
    nd.map_coordinates(i, inside) → scipy.ndimage.map_coordinates with order=3. Use order=1
    nd.map_coordinates(i, inside, order=1, mode="wrap") → scipy.ndimage.map_coordinates with mode=wrap
    nd.median_filter(i, 3) → scipy.ndimage.median_filter.
    nd.zoom(i, 2, order=1) → scipy.ndimage.zoom.
    nd.spline_filter(i) → scipy.ndimage.spline_filter.
    nd.gaussian_filter(i, np.sum(i * i)) → scipy.ndimage.gaussian_filter
    """,
    "interpolate": """
    ip.CubicSpline(x, [1.0, 2.0, 3.0])(1.0) → scipy.interpolate.CubicSpline with traced knots
    ip.CubicSpline(KNOTS[:3], x, bc_type=((1, 0.0), (1, 0.0))) → interpolate.CubicSpline with traced knots, an axis
    ip.CubicSpline(KNOTS[:3], x * 0, bc_type="periodic") → scipy.interpolate.CubicSpline through traced values, periodic
    ip.interp1d(x, [1.0, 2.0, 3.0])(1.0) → scipy.interpolate.interp1d with traced knots
    ip.interp1d(KNOTS[:3], x, "quadratic")(1.0) → scipy.interpolate.interp1d of traced values or several, by splines
    ip.BarycentricInterpolator(KNOTS, Y)(x) → scipy.interpolate.BarycentricInterpolator
    ip.UnivariateSpline(KNOTS, Y, ext=1)(x) → scipy.interpolate.UnivariateSpline with ext
    ip.splev(x, ([0.0] * 4 + [1.0] * 4, [1.0, 2.0, 3.0, 4.0], 3)) → scipy.interpolate.splev.
    """,
    "distance": """
    ds.cdist(u, v, "hamming") → scipy.spatial.distance.cdist with metric='hamming'
    ds.pdist(u, "jaccard") → scipy.spatial.distance.pdist with metric='jaccard'
    ds.cdist(u, v, out=np.zeros((3, 2))) → scipy.spatial.distance.cdist with out
    ds.directed_hausdorff(u, v) → scipy.spatial.distance.directed_hausdorff.
    """,
    "sparse": """
    ss.coo_array(np.ones((2, 2, 3))) @ x → a product of a sparse array of more than two axes
    sl.spsolve(ss.csc_matrix(DENSE), x) → scipy.sparse.linalg.spsolve
    (S * x[0]).power(2) → power of a sparse matrix times a traced number
    """,
    "special": """
    sp.jv(x, 1.0) → jv of a traced parameter
    sp.zeta(x + 2.0, 1.0) → Block for zeta of a traced parameter
    sp.gammainc(x, 1.0) → gammainc of a traced parameter
    sp.stdtr(x, 1.0) → stdtr of a traced parameter
    """,
    "stats": """
    st.gamma.cdf(1.0, p) → scipy.stats.gamma.cdf. adviz has no Block for gammainc of a traced parameter
    st.zscore(np.stack([p, 1.0]), nan_policy="omit") → scipy.stats.zscore with nan_policy='omit'
    st.nct.mean(p, p) → scipy.stats.nct.mean
    st.genpareto.logpdf(1.0, p - 0.3) → scipy.stats.genpareto with respect to a shape that is 0
    st.landau.pdf(x) → scipy.stats.landau.pdf
    st.vonmises.cdf(x, 2.0) → scipy.stats.vonmises.cdf.
    st.pearsonr(x, np.arange(3.0)) → scipy.stats.pearsonr.
    st.gaussian_kde(x)([1.0]) → scipy.stats.gaussian_kde.
    st.iqr(x) → scipy.stats.iqr.
    st.siegelslopes(x)[0] → scipy.stats.siegelslopes.
    """,
    "integrate": """
    it.quad(lambda t: p * t, 0.0, 1.0, weight="cos", wvar=2.0) → scipy.integrate.quad with weight.
    it.quad(lambda t: p * abs(t - 0.3) ** -0.9, 0.0, 1.0) → scipy.integrate.quad of an integrand with this singularity.
    it.solve_ivp(lambda t, u: -p * u, (0, 1), [1.0], events=lambda t, u: u[0]) → scipy.integrate.solve_ivp with events.
    it.solve_ivp(lambda t, u: -p * u, (0, 1), [1.0], dense_output=True) → scipy.integrate.solve_ivp with a traced t_eval
    it.solve_ivp(lambda t, u: -u, (p, 2), [1.0], t_eval=[1.5]).y → traced start
    it.odeint(lambda u, t: -p * u, 1.0, np.stack([0.0, p])) → scipy.integrate.odeint of traced times.
    it.quad_vec(lambda t: t * p, 0.0, 1.0) → scipy.integrate.quad_vec.
    """,
    "optimize": """
    op.fmin(valley, [1.0, 1.0], args=(p,), disp=0) → scipy.optimize.fmin
    op.brent(lambda t: (t - p) ** 2) → scipy.optimize.brent
    op.golden(lambda t: (t - p) ** 2) → scipy.optimize.golden
    op.curve_fit(lambda t, a: t * a, [1.0, 2.0, 3.0], [p, 2 * p, 3.0])[0] → scipy.optimize.leastsq
    op.minimize(valley, [1, 1], args=p, bounds=[(0, 0.2), (0, 5)]).x → scipy.optimize.minimize of a minimum on a bound
    op.minimize(valley, [1, 1], args=p, constraints=BOUND) → scipy.optimize.minimize with jac=True, constraints
    op.root_scalar(with_slope, args=(p,), x0=1.0, fprime=True).root → of a function that returns its slope
    op.nnls(np.eye(3), v)[0] → scipy.optimize.nnls.
    op.linprog(v, bounds=(0, 1)).fun → scipy.optimize.linprog.
    """,
}
"""Calls that are refused, and what the error says that there is no Block for."""


NOT_COVERED = [
    (name, *line.strip().split(" → ")) for name, lines in REFUSED.items() for line in lines.splitlines() if line.strip()
]


@GRAINS
@pytest.mark.parametrize(("name", "text", "words"), NOT_COVERED)
def test_a_call_that_is_not_covered_is_refused_by_name(name, text, words, grain):
    f, operands = SECTIONS[name].function(text)
    with (
        warnings.catch_warnings(action="ignore"),
        np.errstate(all="ignore"),
        pytest.raises(ad.MissingBlockError) as caught,
    ):
        ad.trace(f, *operands, grain=grain)
    assert words in str(caught.value)
