"""Complex numbers between real ends: NumPy's values, and derivatives against differences, in both grains."""

import cmath
import warnings
from functools import cache

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.signal

import adviz as ad
from adviz.engine.functions.arguments import data_of
from adviz.engine.object_arrays import Complex
from adviz.engine.tracing import complex_functions
from adviz.engine.tracing.complex_ufuncs import REAL, UFUNCS

from ...catalogue import expressions
from ..checks import GRAINS
from ..derivatives import along, assert_close, central_jacobian, central_slopes

XY = np.random.default_rng(0).normal(size=(2, 3, 3))
X = np.array([0.3, -1.2, 2.0, 0.7])
CONSTANT = np.random.default_rng(1).normal(size=(3, 3)) + 1j * np.random.default_rng(2).normal(size=(3, 3))

CASES = """
z + w | z - w | z * w | z / w | z + 1 | 1 - z | 2j * z | z / (1+2j) | (1+2j) / z | 2.0 / z | -z | +z | z * x | x / z
x - z | y * 1j + x | np.exp(1j * 2.0 * x) | x * np.array([1, 1j, 2 + 1j]) | np.sqrt(x + 0j) | np.sqrt(-x * x - 1 + 0j)
x.astype(complex) * 1j | np.array([x[0] + 1j * y[0], y[1] * 1j]) | np.array([x[0], 1j * y[0], y[1]])
np.array([x[0,0] + 1j * y[0,0], 2.0, 1j]) | np.array([x[0,0], 1j, 3]) | np.asarray(z) * 2
np.array(x, dtype=complex) * w | np.asarray([x[0], y[0]], complex) * 1j | z ** 2 | z ** 3 | z ** -1 | z ** -2 | z ** 0
z ** 0.5 | z ** -1.5 | z ** 1j | z ** (2 + 1j) | z ** x | z ** w | x ** 1j | (x + 3) ** z | 2.0 ** z | (1 + 1j) ** z
1j ** x | z ** [0, 1, 2] | z ** np.array([2.0, 0.5, -1]) | np.power(z, 5) | np.float_power(z, 2)
z ** np.array([-1, 0, 3]) | np.abs(z) | abs(z) | np.angle(z) | np.angle(z, deg=True) | np.conj(z) | z.conj()
np.conjugate(z) | z.conjugate() | z.real | z.imag | np.real(z) | np.imag(z) | np.absolute(z) | np.exp(z) | np.log(z)
np.sqrt(z) | np.sin(z) | np.cos(z) | np.tan(z) | np.sinh(z) | np.cosh(z) | np.tanh(z) | np.arcsin(z) | np.arccos(z)
np.arctan(z) | np.arcsinh(z) | np.arccosh(z) | np.arctanh(z) | np.exp2(z) | np.expm1(z) | np.log2(z) | np.log10(z)
np.log1p(z) | np.reciprocal(z) | np.square(z) | np.sign(z) | np.rint(z) | np.sinc(z) | np.positive(z) | np.negative(z)
np.abs(z) ** 2 | (z * z.conj()).real | np.sum(z) | z.sum(0) | np.sum(z, axis=1, keepdims=True)
np.sum(z, where=x > 0) | np.sum(z, initial=1j) | np.mean(z) | z.mean(1) | np.mean(z, axis=(0, 1)) | np.prod(z)
z.prod(0) | np.prod(z, axis=1, keepdims=True) | np.prod(z, axis=(0, 1)) | np.prod(z, where=x > 0)
np.prod(z, initial=2j) | np.cumsum(z) | z.cumsum(1) | np.cumprod(z) | z.cumprod(0) | np.cumprod(z, axis=1)
np.add.reduce(z) | np.add.reduce(z, axis=1) | np.multiply.reduce(z) | np.add.accumulate(z)
np.multiply.accumulate(z, axis=1) | np.add.outer(z[0], w[0]) | np.multiply.outer(z, x[0])
np.subtract.outer(x[0], z[0]) | np.dot(z, w) | z.dot(x) | np.dot(x, z) | np.dot(z[0], w[0]) | np.dot(2j, z)
np.vdot(z, w) | np.vdot(x, z) | np.vdot(z, x) | z @ w | z @ x | x @ z | z @ w[0] | z[0] @ w[0] | np.matmul(z, w)
C @ z | z @ C | C @ x | x @ C | np.dot(C, x) | np.inner(z, w) | np.outer(z, w) | np.tensordot(z, w, 1)
np.tensordot(z, w, ([0], [1])) | np.kron(z, w) | np.cross(z, w) | np.convolve(z[0], w[0])
np.convolve(z[0], w[0], "same") | np.correlate(z[0], w[0]) | np.correlate(z[0], x[0], "full") | np.vecdot(z, w)
np.linalg.vecdot(z, w) | np.einsum("ij,jk->ik", z, w) | np.einsum("ij,jk", z, C) | np.einsum("ij,kj,ij->k", z, w, x)
np.einsum("ii", z) | np.einsum("ij->j", z) | np.einsum(z, [0, 1], w, [1, 2]) | np.einsum("ij,jk", x, C)
np.linalg.multi_dot([z, w, z]) | np.linalg.matrix_power(z, 3) | np.linalg.matrix_power(z, -1)
np.linalg.matrix_power(z, 0) | z.T | z.conj().T | np.transpose(z) | z.transpose(1, 0) | z.mT | np.swapaxes(z, 0, 1)
np.moveaxis(z, 0, 1) | np.reshape(z, -1) | z.reshape(9) | z.reshape(1, 9) | z.reshape(-1, 1) | z.ravel() | np.ravel(z)
z.flatten() | np.squeeze(z[None]) | np.expand_dims(z, 1) | np.broadcast_to(z, (2, 3, 3)) | np.atleast_2d(z[0])
np.atleast_1d(z[0, 0]) | z[0] | z[0, 1] | z[:, 1] | z[::-1] | z[..., None] | z[[0, 2]] | z[[0, 1], [1, 2]] | z[x > 0]
z[np.array([True, False, True])] | z[-1, -1] | z[()] | np.take(z, [0, 2]) | z.take([1], axis=1)
np.concatenate([z, w]) | np.concatenate([z, x], axis=1) | np.concatenate([x, z]) | np.concatenate([x, C])
np.concatenate((z, w), axis=None) | np.stack([z, w]) | np.stack([x, z, C], axis=-1) | np.vstack([z, x])
np.hstack([x, z]) | np.column_stack([z[0], x[0]]) | np.dstack([z, w]) | np.append(z, w) | np.append(x, z, axis=0)
np.block([[z, x], [w, z]]) | np.insert(z, 1, 5.0) | np.insert(z, 1, 2j, axis=1) | np.delete(z, 1, 0)
np.where(x > 0, z, w) | np.where(x > 0, z, 1.0) | np.where(x > 0, x, 1j) | np.where(x > 0, x, z)
np.where(np.abs(z) > 1, z, 0) | np.roll(z, 1) | np.roll(z, 1, axis=1) | np.flip(z) | np.flip(z, 0) | np.flipud(z)
np.fliplr(z) | np.rot90(z) | np.fft.fftshift(z) | np.fft.ifftshift(z, axes=0) | np.repeat(z, 2) | np.tile(z, 2)
np.pad(z, 1) | np.pad(z, 1, mode="edge") | np.diag(z) | np.diag(z[0]) | np.diagonal(z) | np.trace(z) | z.trace()
np.triu(z) | np.tril(z) | np.diff(z) | np.diff(z, axis=0) | np.diff(z, n=2) | np.trapezoid(z)
np.trapezoid(z, dx=0.5, axis=0) | np.gradient(z[0]) | np.round(z, 1) | np.meshgrid(z[0], w[0])[1] | np.split(z, 3)[1]
np.array_split(z, 2)[0] | np.hsplit(z, 3)[0] | np.select([x > 1, x > 0], [z, w], 1j)
np.choose([0, 1, 0], [z[0], w[0]]) | np.compress([True, False, True], z, axis=1) | np.extract(x > 0, z)
np.interp(0.5, [0.0, 1.0], z[0, :2]) | np.take_along_axis(z, np.array([[0], [1], [2]]), 1) | np.sort(z)
np.polyval(z[0], w) | np.polyval([1.0, 2j], z) | np.polyval([1.0, 2.0, 3.0], z) | np.polyval(z[0], 2.0)
np.polyadd(z[0], w[0, :2]) | np.polymul(z[0], w[0]) | np.polyder(z[0]) | np.vander(z[0])
np.vander(z[0], 4, increasing=True) | np.poly(z[0]) | np.polyint(z[0]) | np.linalg.norm(z) | np.linalg.norm(z, axis=0)
np.linalg.norm(z, 1) | np.linalg.norm(z, np.inf) | np.linalg.norm(z[0], 3) | np.linalg.norm(z, "fro")
np.linalg.norm(z[0], 2, keepdims=True) | np.linalg.norm(z, axis=1, ord=1) | np.linalg.det(z) | np.linalg.inv(z)
np.linalg.solve(z, w) | np.linalg.solve(z, w[0]) | np.linalg.solve(z, x) | np.linalg.solve(x, z)
np.linalg.solve(x, z[0]) | np.linalg.solve(C, x) | np.linalg.slogdet(z)[0] | np.linalg.slogdet(z)[1]
np.linalg.vector_norm(z) | np.linalg.matrix_norm(z) | np.linalg.det(np.stack([z, w]))
np.linalg.inv(np.stack([z, w])) | np.linalg.trace(z) | np.linalg.diagonal(z) | np.var(z) | z.var(0) | np.std(z)
np.std(z, axis=1, ddof=1) | np.average(z, axis=0) | np.average(z, axis=1, weights=[1.0, 2.0, 3.0]) | z == z | z != w
z == 1j | np.isfinite(z) | np.isnan(z) | np.isinf(z) | np.isreal(z) | np.iscomplex(z) | np.allclose(z, z)
np.isclose(z, w) | np.array_equal(z, w) | np.any(z) | np.all(z) | z.any() | np.count_nonzero(z) | np.argmax(z)
np.argsort(z) | z < w | z >= w | np.logical_not(z) | np.logical_and(z, x) | np.iscomplexobj(z) | np.isrealobj(z)
np.nonzero(z)[0] | x == 1j | len(z) | z.shape | z.ndim | z.size | np.shape(z) | np.size(z, 0) | sum(z)
sum(z.ravel()) | np.sum([v.real for v in z]) | np.array([v * 1j for v in z]) | np.array([[v, 1] for v in z[0]])
np.full(3, z[0, 0]) | np.full_like(z, 2j) * z | np.zeros_like(z) + z | np.ones_like(z) * z | np.zeros(3, complex) + z
np.ones((3, 3), complex) * x | z.copy() | np.copy(z) | z.astype(complex) | np.nan_to_num(z) | np.zeros(3, complex) * x
np.fft.fft(z) | np.fft.ifft(z) | np.fft.fft(z, 5) | np.fft.fft(z, 2, axis=0) | np.fft.ifft(z, 4, norm="ortho")
np.fft.fft2(z) | np.fft.ifft2(z, s=(2, 4)) | np.fft.fftn(z, axes=(0,)) | np.fft.ifftn(z, norm="forward")
np.fft.irfft(z) | np.fft.irfft(z, 5) | np.fft.irfft(z, 6, axis=0) | np.fft.irfft2(z) | np.fft.irfftn(z, (3, 4))
np.fft.hfft(z) | np.fft.hfft(z, 5) | np.fft.rfft(x) | np.fft.rfft(x, 5, axis=0) | np.fft.rfft2(x)
np.fft.rfftn(x, (2, 4)) | np.fft.ihfft(x) | np.fft.ihfft(x, 5) | np.fft.fft(C * x[0, 0]) | np.fft.fft(1j * x)
np.fft.fft(x) | np.emath.sqrt(-np.abs(x)) | np.emath.log(-np.abs(x)) | np.emath.sqrt(z) | np.unwrap(np.angle(z))
np.ediff1d(z) | np.cumulative_sum(z, axis=1) | np.unstack(z)[1] | np.matvec(z, w[0]) | np.vecmat(z[0], w)
np.add(z, w) | np.multiply(x, 1j) | np.subtract(1j, x) | np.divide(x, 2j) | np.true_divide(z, x) | np.ptp(x) * 1j
z.sum().real | (z * 2 + 1j).imag | x + 0j | 0j + x | 1j - x | x / 1j | 1j / x | x * (2 + 0j) | (x + 1j) ** 2
np.argmin(z) | np.argwhere(z) | np.around(z, 1) | np.array_equiv(z, w) | np.asarray_chkfinite(z) | np.atleast_3d(z)
np.broadcast_arrays(z, w)[0] | np.diagflat(z[0]) | np.dsplit(z[None], 3)[1] | np.shape(np.empty_like(z))
np.equal(z, w) | np.not_equal(z, w) | np.less(z, w) | np.less_equal(z, z) | np.greater(z, w) | np.greater_equal(z, w)
np.flatnonzero(z) | np.lexsort((z[0], w[0])) | np.logical_or(z, x) | np.logical_xor(z, w) | np.matrix_transpose(z)
np.ndim(z) | np.polysub(z[0], w[0, :2]) | np.resize(z, (2, 5)) | np.rollaxis(z, 1) | np.vsplit(z, 3)[0]
np.linalg.matrix_transpose(z) | np.linalg.outer(z[0], w[0]) | np.linalg.matmul(z, w) | np.linalg.tensordot(z, w, axes=1)
np.linalg.cross(z, w) | np.empty_like(x, dtype=complex).shape | np.ones_like(x, dtype=complex) * y
z.reshape(3, 3, order="F") | z.T.ravel("F") | np.sum([abs(v) for v in z.ravel()])
"""
"""Functions of real arrays ``x`` and ``y``, of ``z`` and ``w`` made of them, and of a constant ``C``."""


def as_real(value):
    """The parts of what is complex as one array."""
    return np.stack([value.real, value.imag]) if np.iscomplexobj(value) else value


@cache
def function_of(text):
    code = compile(text, "<case>", "eval")

    def function(xy):
        x, y = xy[0], xy[1]
        z, w = x + 1j * y, y * 2.0 - (x + 0.5) * 1j
        return eval(code, {"np": np, "x": x, "y": y, "z": z, "w": w, "C": CONSTANT})

    return function


def check(text, *grains):
    with warnings.catch_warnings(action="ignore"):
        value = np.asarray(as_real(function_of(text)(XY)))
    is_smooth, seen = value.dtype.kind in "fc", []

    def traced(xy):
        seen.append(function_of(text)(xy))
        return (as_real(seen[-1]) * 1.0 if is_smooth else 0.0) + 0 * xy[0, 0, 0]

    for grain in grains:
        jacobian = ad.jacobian(traced, grain=grain)(XY)
        found = np.asarray(as_real(data_of(seen[-1])))
        assert found.shape == value.shape
        np.testing.assert_allclose(found.astype(float), value.astype(float), rtol=1e-12, atol=1e-14)
        if is_smooth:
            with warnings.catch_warnings(action="ignore"):
                assert_close(jacobian, central_jacobian(lambda xy: as_real(function_of(text)(xy)), XY), 2e-6)


@pytest.mark.every
@pytest.mark.parametrize("text", expressions(CASES))
def test_a_function_of_complex_numbers_gives_what_numpy_gives_and_has_its_derivative(text):
    check(text, "array", "scalar")


@pytest.mark.parametrize("text", ["np.linalg.pinv(z)", "np.linalg.pinv(z[:, :2])", "np.linalg.pinv(z, 0.1)"])
def test_pseudo_inverses_are_those_of_whole_arrays(text):
    check(text, "array")


WRITTEN_ABOUT_BELOW = {"insert", "copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "pinv"}
WRITTEN_ABOUT_BELOW |= {"array_repr", "array_str", "array2string", "result_type"}


def test_every_function_of_the_tables_is_in_a_test():
    ufuncs = [ufunc for ufunc in UFUNCS if getattr(np, ufunc.__name__, None) is ufunc]  # SciPy's are tested elsewhere
    tables = [*complex_functions.FUNCTIONS, *complex_functions.PRODUCTS, *ufuncs, *REAL]
    names = {function.__name__ for function in tables} - WRITTEN_ABOUT_BELOW
    assert {name for name in names if f".{name}(" not in CASES} == set()


# ---- transforms ----

NORMS = (None, "backward", "ortho", "forward")
ALONG_ONE = [
    (name, n, axis, norm)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    for n in (None, 1, 2, 3, 5)
    for axis in (-1, 0)
    for norm in NORMS
]
ALONG_SOME = [
    (name, s, axes, norm)
    for name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn")
    for s, axes in ((None, (-2, -1)), (None, (0,)), ((2, 5), (0, 1)), ((4, 3), (1, 0)), ((3,), (0,)))
    for norm in NORMS
]


def loss_of(transform, takes_real, *others):
    def loss(xy):
        found = transform(xy[0] if takes_real else xy[0] + 1j * xy[1], *others)
        return np.stack([np.cos(found.real), np.sin(found.imag)]) if np.iscomplexobj(found) else np.cos(found)

    return loss


@pytest.mark.slow
@GRAINS
@pytest.mark.parametrize("name", sorted({case[0] for case in ALONG_ONE + ALONG_SOME}))
def test_transforms_with_all_settings_are_those_of_numpy_and_scipy(name, grain):
    for place, (_, *others) in enumerate(case for case in ALONG_ONE + ALONG_SOME if case[0] == name):
        transform = getattr(np.fft if place % 3 else scipy.fft, name)
        loss = loss_of(transform, name.startswith(("rfft", "ihfft")), *others)
        graph, value, slope = ad.trace(loss, XY, grain=grain), loss(XY), ad.jacobian(loss, grain=grain)(XY)
        found = np.reshape([graph.values[k] for k in graph.outputs], value.shape)
        np.testing.assert_allclose(found, value, rtol=1e-12, atol=1e-13, err_msg=f"{name}{others}")
        assert_close(slope, central_jacobian(loss, XY), 1e-7, f"{name}{others}")


@GRAINS
def test_transforms_ask_for_sizes_and_norms_that_there_are(grain):
    with pytest.raises(ValueError, match="at least one number, and was asked for 0"):
        ad.trace(lambda x: np.fft.fft(x, 0).real, X, grain=grain)
    with pytest.raises(ValueError, match="norm is 'unit'; it can be 'backward', 'forward', 'ortho'"):
        ad.trace(lambda x: np.fft.fft(x, norm="unit").real, X, grain=grain)
    with pytest.raises(ad.InputError, match="A transform of real numbers got complex ones"):
        ad.trace(lambda x: np.fft.rfft(x * 1j).real, X, grain=grain)


# ---- programs ----


def dft(x):
    found = np.zeros(len(x), dtype=complex)
    for k in range(len(x)):
        for j in range(len(x)):
            found[k] += x[j] * np.exp(-2j * np.pi * k * j / len(x))
    return np.abs(found) ** 2


def row_by_row(x):
    a = np.zeros((2, 4), complex)
    row = a[1]
    row[2:] = x[2:] * 1j
    a[0] = x
    return np.abs(a.sum(0))


def constants_in_libraries(x):
    a = np.zeros((2, 2), complex)
    a[0, 1], a[1, 0] = 1j, -1j
    return np.abs(scipy.linalg.expm(a)[0, 1]) * x * np.linalg.eigvalsh(a)[1] + a.strides[0]


def in_place(x):
    z = x + 1j * x[::-1]
    tail = z[2:]
    z *= 2j
    z += x
    z -= 1
    tail /= 3
    z **= 2
    return z.real + tail.imag.sum()


def part_by_part(x):
    z = np.zeros(4, complex)
    z.real = x
    z.imag[1:] = x[:-1]
    z.imag *= 2
    return np.abs(z)


def among_objects(x):
    a = np.empty(2, object)
    a[0], a[1] = x[0] + 1j * x[1], x[2]
    return np.abs(np.sum(a * a))


def into_arrays(x):
    z, found = x + 1j, np.zeros(4, complex)
    np.multiply(z, z, out=found)
    np.exp(found / 9, found)
    total = np.zeros(4, complex)
    np.sum(np.stack([found, z]), axis=0, out=total)
    return total.imag + total.real * x


def by_functions_that_write(x):
    a = np.zeros((4, 4), complex)
    np.fill_diagonal(a, x * 1j)
    np.add.at(a, (0, [1, 1]), 1j * x[0])
    np.put(a, [3], x[1] * 2j)
    np.place(a, np.eye(4, k=-1) > 0, x[:3] + 1j)
    np.putmask(a, np.eye(4, k=-2) > 0, 1j * x[0])
    np.put_along_axis(a, np.array([[1]]), x[3] - 1j, 0)
    np.copyto(a[3, :2], x[:2] * (1 + 2j))
    return np.abs(np.insert(a, 1, x * 1j, axis=0)).sum(0)


def with_branches(x):
    z = x[0] + 1j * x[1]
    if z == 0:
        return x[0]
    return abs(z) if abs(z) > 1 and z != 1j else z.imag


def at_singular_points(x):
    z = x - x[0] + 1j * (x - x[0])  # 0 at the first place
    return np.abs(z) ** 2 + (z**2).real + (z**3 + z**1.5).imag + np.sign(z).real + np.sinc(z).real


PROGRAMS = [dft, row_by_row, constants_in_libraries, in_place, part_by_part, among_objects, into_arrays]
PROGRAMS += [by_functions_that_write, with_branches]


@GRAINS
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_compute_what_numpy_computes_and_have_its_derivatives(program, grain):
    graph, value = ad.trace(program, X, grain=grain), program(X)
    np.testing.assert_allclose(np.ravel(data_of([graph.values[k] for k in graph.outputs])), np.ravel(value), 1e-12)
    assert_close(ad.jacobian(program, grain=grain)(X), central_jacobian(program, X), 1e-7)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_compiled_for_other_points(program):
    point = X + 0.1
    compiled = ad.compile_jacobian(program, X, branches=True)(point)
    np.testing.assert_allclose(compiled.values, program(point), 1e-12)
    assert_close(compiled.jacobian, central_jacobian(program, point), 1e-7)


def test_derivatives_of_zero_are_finite_where_numpy_computes_powers_and_lengths_of_it():
    gradient = ad.grad(lambda x: np.sum(at_singular_points(x)))(X)
    assert np.isfinite(gradient).all()
    assert_close(ad.grad(lambda x: abs(x + 0j))(0.0), 0.0)
    assert_close(ad.jacobian(lambda xy: abs(xy[0] + 1j * xy[1]))(np.zeros(2)), np.zeros(2))


SMOOTH = """
np.exp(z) | np.log(z) | np.sqrt(z) | z**3 | z**0.5 | z**w | z / w | np.abs(z) | np.angle(z) | np.tan(z) | np.tanh(z)
np.arcsin(z) | np.arccos(z) | np.arctan(z) | np.arcsinh(z) | np.arccosh(z) | np.arctanh(z) | np.log1p(z) | np.expm1(z)
np.prod(z[:, :2], axis=1) | np.cumprod(z[0]) | z @ w | np.vdot(z, w) | np.linalg.inv(z) | np.linalg.det(z)
np.linalg.solve(z, w) | np.linalg.norm(z, axis=0) | np.fft.fft(z) | np.fft.irfft(z) | np.sinc(z)
np.linalg.slogdet(z)[0] | np.sqrt(x + 0j) | np.std(z) | np.polyval(z[0], w)
np.einsum("ij,jk,kl->il", z, w, C) | np.sign(z)
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", expressions(SMOOTH))
def test_second_derivatives_are_derivatives_of_first_ones(text):
    def loss(xy):
        return np.sum(np.cos(as_real(function_of(text)(xy)) / 3))

    gradient = ad.grad(loss)
    (direction,), (slope,) = central_slopes(lambda xy: (gradient(xy),), (XY,))
    assert_close(along(ad.jacobian(gradient)(XY), direction), slope, 1e-5)


@pytest.mark.parametrize("text", expressions(SMOOTH))
def test_what_is_compiled_has_the_gradient_of_other_points(text):
    def loss(xy):
        return np.sum(np.cos(as_real(function_of(text)(xy)) / 3))

    decides = "det(" in text or "inv(" in text or "solve(" in text
    compiled = ad.compile_gradient(loss, XY * 1.05, branches=decides)(XY)
    np.testing.assert_allclose(compiled.value, loss(XY), 1e-11)
    assert_close(compiled.gradient, ad.grad(loss)(XY), 1e-9)


# ---- branch cuts ----

SIDES = [-2.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 1e-3, 30.0]
OF_ONE = [ufunc for ufunc in UFUNCS if ufunc.nin == 1 and ufunc is not np.reciprocal]


@pytest.mark.parametrize("ufunc", OF_ONE, ids=lambda ufunc: ufunc.__name__)
def test_the_formulas_have_numpys_sides_of_branch_cuts(ufunc):
    """To the sign of zero; also where one part is infinite because the function is."""
    real, imag = (grid.ravel() for grid in np.meshgrid(SIDES, SIDES))
    whole = np.empty(real.shape, complex)
    whole.real, whole.imag = real, imag
    with np.errstate(all="ignore"):
        found, expected = UFUNCS[ufunc](Complex(real, imag)), ufunc(whole)
    np.testing.assert_allclose(found.real, expected.real, 1e-11, 1e-14)
    np.testing.assert_allclose(found.imag, expected.imag, 1e-11, 1e-14)


@GRAINS
def test_roots_of_negative_numbers_are_imaginary(grain):
    def root(x):
        return np.sqrt(x + 0j).imag

    x = np.array([-4.0, -0.25, 9.0])
    assert_close(ad.jacobian(root, grain=grain)(x), np.diag([-0.25, -1.0, 0.0]), 1e-14)
    assert_close(ad.jacobian(lambda x: np.sqrt(np.conj(x + 0j)).imag, grain=grain)(x), np.diag([0.25, 1.0, 0.0]), 1e-14)
    assert_close(ad.jacobian(lambda x: np.emath.log(x).real, grain=grain)(x), np.diag(1 / x), 1e-14)


# ---- nodes ----


def test_parts_that_are_zero_make_no_nodes():
    counts = ad.trace(lambda x: np.abs(np.exp(1j * x) * 2) ** 2, X).block_counts()
    assert counts == {"input": 1, "copy": 1, "cos": 1, "sin": 1, "multiply": 2, "hypot": 1, "power": 1, "output": 1}
    assert ad.trace(lambda x: (1j * (x + 0j)).imag, X).block_counts() == {"input": 1, "copy": 2, "output": 1}
    assert len(ad.trace(lambda x: (x * 2j).imag, X, grain="scalar")) == 3 * len(X)


def test_complex_numbers_share_no_memory_with_what_they_were_made_of():
    def written_to(x):
        z = x + 0j
        w = np.asarray(x, complex) + 0
        x[0] = 9.0
        z[1] = 5.0
        return z.real + w.real + x

    for grain in ("array", "scalar"):
        assert_close(
            ad.jacobian(written_to, grain=grain)(X.copy()), central_jacobian(lambda x: written_to(x.copy()), X)
        )


# ---- what they look like, and what is refused ----


def test_complex_numbers_look_like_numpys():
    assert repr(Complex(1.0, 2.0)) == "Complex(1.0, 2.0)"
    shown = []

    def looks(x):
        z = x[0] + 2j
        shown.append((f"{z:.2f}", f"{x * 1j}"[:7], np.array_str(x + 1j), np.array_repr(x * 1j)[:9]))
        shown.append((z.dtype, z.shape, (x * 1j).nbytes, np.result_type(z, x), np.array2string(x[:1] + 0j)))
        return z.real

    ad.trace(looks, X)
    assert shown[0] == ("0.30+2.00j", "Complex", "[ 0.3+1.j -1.2+1.j  2. +1.j  0.7+1.j]", "array([0.")
    assert shown[1] == (np.dtype(complex), (), 64, np.dtype(complex), "[0.3+0.j]")


def test_complex_arguments_and_results_are_refused_with_advice():
    for point in (1j, np.ones(2) * 1j, [1j, 2]):
        with pytest.raises(ad.InputError, match=r"not real\. Pass the real and the imaginary part, .* x \+ 1j \* y"):
            ad.grad(abs)(point)
    for function in (lambda x: x * 1j, np.fft.fft, lambda x: np.array([1j]), lambda x: 2j):
        with pytest.raises(
            ad.OutputError, match=r"result is made of complex numbers\. Return their real part, \.real, or"
        ):
            ad.trace(function, X)
    with pytest.raises(ad.OutputError, match=r"result\[1\] is made of complex numbers"):
        ad.jacobian(lambda x: (x, x + 0j))(X)


REFUSED = {
    "float(x[0] * 1j)": (ad.ConversionError, "would detach"),
    "int(x[0] * 1j)": (ad.ConversionError, "would detach"),
    "(x * 1j).tolist()": (ad.ConversionError, "would detach"),
    "(x[0] * 1j).item()": (ad.ConversionError, "would detach"),
    "(x * 1j).astype(float)": (ad.MissingBlockError, r"astype\(float64\) of complex numbers\. Take z\.real"),
    "np.array(x * 1j, dtype=float)": (ad.ConversionError, "Complex numbers were to become float64"),
    "np.median(x * 1j)": (ad.MissingBlockError, r"np\.median of complex numbers"),
    "np.unique(x * 1j)": (ad.MissingBlockError, r"np\.unique of complex numbers"),
    "np.max(x * 1j)": (ad.MissingBlockError, r"np\.max of complex numbers"),
    "(x * 1j).min()": (ad.MissingBlockError, r"np\.min of complex numbers"),
    "np.maximum(x, 1j)": (ad.MissingBlockError, r"np\.maximum of complex numbers"),
    "np.add.reduceat(x * 1j, [0, 1])": (ad.MissingBlockError, r"np\.add\.reduceat of complex numbers"),
    "(x * 1j) // 2": (ad.MissingBlockError, r"np\.floor_divide of complex numbers"),
    "np.linalg.eigvals(np.outer(x, x) * 1j)": (ad.MissingBlockError, r"np\.linalg\.eigvals of complex numbers"),
    "np.linalg.svd(np.outer(x, x) * 1j)": (ad.MissingBlockError, r"np\.linalg\.svd of complex numbers"),
    "np.linalg.norm(np.outer(x, x) * 1j, 2)": (ad.MissingBlockError, "norm of complex matrices with ord=2"),
    "np.sum(x * 1j, dtype=float)": (ad.MissingBlockError, r"np\.sum of complex numbers with dtype=float64"),
    "np.exp(x * 1j, where=x > 0)": (ad.MissingBlockError, r"np\.exp of complex numbers with where"),
    "np.full_like(x, 1j)": (ad.MissingBlockError, r"np\.full_like of a real array"),
    "np.insert(x, 0, 1j)": (ad.ArrayWriteError, r"np\.insert was to put complex numbers into an array of real ones"),
    "np.fill_diagonal(np.outer(x, x), 1j)": (ad.ArrayWriteError, r"np\.fill_diagonal was to put complex numbers"),
    "x if x * 1j else -x": (ad.BranchError, r"Complex numbers of shape \(4,\) were used as a condition"),
    "(x * 1j).ctypes": (ad.MissingBlockError, "the attribute ctypes of complex numbers"),
    "scipy.fft.dctn(x)": (ad.MissingBlockError, r"scipy\.fft\.dctn"),
    "OWN(x * 1j)": (ad.MissingBlockError, "The Block own got complex numbers"),
}


class own(ad.Block):
    def data_fn(self, x):
        return x.data

    def get_jacobians(self, x):
        return [np.eye(x.size)]


@GRAINS
@pytest.mark.parametrize("text", REFUSED)
def test_what_complex_numbers_cannot_do_is_named(text, grain):
    kind, words = REFUSED[text]
    names = {"np": np, "scipy": scipy, "OWN": own()}
    with pytest.raises(kind, match=words):
        ad.trace(eval(f"lambda x: {text}", names), X, grain=grain)


def test_functions_of_plain_complex_numbers_say_what_to_write_instead():
    with pytest.raises(ad.ConversionError, match=r"Use np\.angle instead"):
        ad.trace(lambda x: cmath.phase(x[0] * 1j), X)


def test_what_complex_numbers_do_not_have_is_no_attribute_of_theirs():
    with pytest.raises(AttributeError, match="complex numbers have no attribute 'colour'"):
        ad.trace(lambda x: (x * 1j).colour, X)
    with pytest.raises(TypeError, match="iteration over a number"):
        ad.trace(lambda x: list(x[0] * 1j), X)
    with pytest.raises(TypeError, match=r"no len\(\)"):
        ad.trace(lambda x: len(x[0] * 1j), X)
    with pytest.raises(ValueError, match=r"shape \(4,\) cannot hold the result of shape \(4, 4\)"):
        ad.trace(lambda x: (x * 1j).__iadd__(np.outer(x, x)).real, X)


def test_numbers_of_single_precision_are_rounded_as_numpy_rounds_them():
    value = np.abs(X.astype(np.complex64) * 3)
    graph = ad.trace(lambda x: np.abs(x.astype(np.complex64) * 3), X)
    np.testing.assert_allclose(graph.values[graph.outputs[0]], value, 1e-7)
