"""Back ends: each computes what NumPy does, on its own arrays, where these are and in their dtype."""

import ctypes
import subprocess
import sys
import warnings
from contextlib import nullcontext
from itertools import count, product
from threading import Thread
from types import SimpleNamespace

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special as special

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.backends.selection import c_of, present_backend
from adviz.kernels.expressions.expressions import OPERATIONS

from ..running import quiet


class Processor:
    """CuPy as far as programs need it, with the C compiler for that of a GPU."""

    __name__ = "cupy"
    numbers = count()

    def __init__(self, folder):
        self.folder, self.kernels = folder, 0
        self.cuda = SimpleNamespace(runtime=self)

    class CUDARuntimeError(RuntimeError):
        """What CuPy raises where there is no driver."""

    def __getattr__(self, name):
        return getattr(np, name)

    def getDeviceCount(self):
        """There is one processor."""
        return 1

    def ElementwiseKernel(self, inputs, outputs, operation, name, preamble, options):
        """A loop over ``size`` points around the statements, compiled and loaded."""
        self.kernels += 1
        assert options == ("-fmad=false",)
        parameters = [each.split() for each in f"{inputs}, {outputs}".split(", ")]
        types = {"int64": "long long", "float64": "double", "float32": "float"}
        arguments = [f"{types[kind[-2]]} {'*' * (kind[0] == 'raw')}{kind[-1]}" for kind in parameters]
        library = self.folder / f"kernel{next(self.numbers)}.so"
        text = (
            f"#include <tgmath.h>\n#define __device__\n{preamble}\nvoid {name}({', '.join(arguments)}, long long size) "
            f"{{ for (long long i = 0; i < size; ++i) {{\n{operation}\n}} }}\n"
        )
        flags = ["-shared", "-fPIC", "-O1", "-ffp-contract=off", "-Wall", "-Werror", "-Wno-unused"]
        command = ["cc", *flags, "-x", "c", "-", "-o", str(library), "-lm"]
        subprocess.run(command, input=text, text=True, check=True)
        function = ctypes.CDLL(str(library))[name]

        def run(points, *arrays, size):
            assert all(array.flags.c_contiguous and array.ndim == 1 for array in arrays)
            pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
            function(ctypes.c_longlong(points), *pointers, ctypes.c_longlong(size))

        return run


LIBRARIES = {
    "numba": SimpleNamespace(backend="numba", array=np.asarray, kind=np.ndarray, around=nullcontext),
    "jax": SimpleNamespace(backend=jnp, array=jnp.asarray, kind=jax.Array, around=lambda: jax.enable_x64(True)),
    "strict": SimpleNamespace(
        backend=array_api_strict,
        array=array_api_strict.asarray,
        kind=type(array_api_strict.asarray(0.0)),
        around=nullcontext,
    ),
    "cupy": SimpleNamespace(backend="cupy", array=np.asarray, kind=np.ndarray, around=nullcontext),
}
EVERYWHERE = [pytest.param(name, marks=pytest.mark.compiler if name == "cupy" else ()) for name in LIBRARIES]


@pytest.fixture(autouse=True)
def processor(monkeypatch, tmp_path):
    """Where there is no GPU, C stands for it; tests of a GPU ask for CuPy itself."""
    fake = Processor(tmp_path)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


def agree(found, expected, kind, tolerance):
    """Whether all results are of a kind of array, and the same as NumPy's in shape, dtype and numbers."""
    pairs = zip(leaves(found, "result"), leaves(expected, "result"), strict=True)
    for (name, one), (_, other) in pairs:
        assert isinstance(one, kind) or (kind is np.ndarray and isinstance(one, float)), name
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), name
        np.testing.assert_allclose(one, other, **tolerance, err_msg=name)


# ---- programs ----


def choices(x, y):
    """Kinks, comparisons, constants in calls, a result that is constant and one that is empty."""
    upper = np.maximum(x[0], 0.25) * np.abs(x[1]) + np.minimum(-0.5, y)
    inside = np.logical_and(x > 0.2, np.logical_not(y > 1.0))
    return np.where(inside, np.where(x < y, x * y, -0.75), 0.0), upper, np.zeros(0), x > 0, 3.0


FUNCTIONS = {name: ad.examples[name] for name in ("Roe flux", "six-joint arm", "Black-Scholes")}
FUNCTIONS["choices"] = SimpleNamespace(program=choices, arguments=(np.array([0.1, 0.3, 0.9]), 0.5))
COUNTS = (None, 0, 1, 13)


def batches(case, dtype, points):
    """Arguments at one point, at none, at a single one in a batch, and at several; there some choices are shared."""
    arguments = case.arguments
    random = np.random.default_rng(6)
    for number in COUNTS:
        shapes = [
            () if number is None or (number == 13 and k == 1 and case.program is choices) else (number,)
            for k in range(len(arguments))
        ]
        spread = [1 + 0.01 * random.random((*np.shape(x), *shape)) for x, shape in zip(arguments, shapes, strict=True)]
        values = [
            np.reshape(x, np.shape(x) + (1,) * len(shape)) * factor
            for x, shape, factor in zip(arguments, shapes, spread, strict=True)
        ]
        moved = [
            np.moveaxis(v, -1, 0) if shape and points == "first" else v for v, shape in zip(values, shapes, strict=True)
        ]
        yield [np.asarray(each, dtype) for each in moved]


@pytest.mark.parametrize("library", EVERYWHERE)
@pytest.mark.parametrize(
    ("name", "points", "dtype"),
    [(name, "first", np.float64) for name in FUNCTIONS]
    + [(name, "last", np.float32) for name in ("choices", "Black-Scholes")],
)
def test_a_back_end_agrees_with_numpy_on_any_number_of_points(name, points, dtype, library):
    case, where = FUNCTIONS[name], LIBRARIES[library]
    if (name, library) == ("Black-Scholes", "strict"):
        with pytest.raises(ad.ProgramError, match="array_api_strict has no operation ndtr, which the program needs"):
            ad.compile_jacobian(case.program, *case.arguments, backend=where.backend)
        return
    tolerance = {"rtol": 1e-11, "atol": 1e-11} if dtype is np.float64 else {"rtol": 2e-3, "atol": 2e-3}
    with quiet(), where.around():
        expected = ad.compile_jacobian(case.program, *case.arguments, points=points)
        found = ad.compile_jacobian(case.program, *case.arguments, points=points, backend=where.backend)
        for values in batches(case, dtype, points):
            kept = [value.copy() for value in values]
            agree(found(*map(where.array, values)), expected(*values), where.kind, tolerance)
            assert all(map(np.array_equal, values, kept))


@pytest.mark.parametrize("library", EVERYWHERE)
def test_hessians_sparse_jacobians_and_products_come_from_all_back_ends(library):
    where = LIBRARIES[library]
    x, y = np.array([[0.3, 0.5], [1.0, 2.0]]), np.array([2.0, 3.0])

    def f(x, y):
        return x[0] * np.sin(x[1] * y) + np.sqrt(y)

    with where.around():
        for compile_it, arguments in (
            (ad.compile_hessian, (x, y)),
            (ad.compile_gradient, (x, y)),
            (ad.compile_jvp, ((x, y), (x, y))),
            (ad.compile_vjp, ((x, y), y)),
        ):
            expected = compile_it(f, x[0], y[0])(*arguments)
            mine = [
                tuple(map(where.array, each)) if isinstance(each, tuple) else where.array(each) for each in arguments
            ]
            found = compile_it(f, x[0], y[0], backend=where.backend)(*mine)
            agree(found, expected, where.kind, {"rtol": 1e-13})
        found = ad.compile_jacobian(f, x[0], y[0], form="csr", backend=where.backend)(where.array(x), where.array(y))
    expected = ad.compile_jacobian(f, x[0], y[0], form="csr")(x, y)
    np.testing.assert_allclose(np.asarray(found.jacobian.data), expected.jacobian.data, rtol=1e-13)
    np.testing.assert_array_equal(found.jacobian.indices, expected.jacobian.indices)


# ---- operations ----

PLACES = [-np.inf, -2.5, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 20.0, np.inf, np.nan]
OF_NUMPY = [each.numpy for each in OPERATIONS.values() if isinstance(vars(np).get(each.name), np.ufunc)]
MISSING = {"strict": {"erf", "erfc", "ndtr"}}
ENDS = {
    # what a library answers otherwise than NumPy, on purpose or not, where numbers end
    "jax": {"floor_divide", "remainder", "nextafter", "power"},
    "numba": {"power"},
    "cupy": {"power"},
    "strict": set(),
}


@pytest.mark.parametrize("library", EVERYWHERE)
@pytest.mark.parametrize("operands", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::RuntimeWarning")
def test_every_operation_is_that_of_numpy_where_numbers_end_too(dtype, operands, library):
    where = LIBRARIES[library]
    ufuncs = [*OF_NUMPY, special.erf, special.erfc, special.ndtr]
    ufuncs = [each for each in ufuncs if each.nin == operands and each.__name__ not in MISSING.get(library, ())]
    columns = [np.array(column, dtype) for column in zip(*product(PLACES, repeat=operands), strict=True)]

    def f(*xs):
        return tuple(ufunc(*xs) for ufunc in ufuncs)

    with quiet(), where.around():
        program = ad.compile_jvp(f, *[0.4] * operands, backend=where.backend)
        found = program(tuple(map(where.array, columns)), tuple(map(where.array, columns))).values
    with np.errstate(all="ignore"):
        expected = [ufunc(*columns) for ufunc in ufuncs]
    tolerance = {"rtol": 4e-14, "atol": 1e-14} if dtype is np.float64 else {"rtol": 4e-6, "atol": 1e-6}
    for ufunc, one, other in zip(ufuncs, found, expected, strict=True):
        ends = ~np.isfinite(columns).all(axis=0) if ufunc.__name__ in ENDS[library] else np.zeros(len(other), bool)
        np.testing.assert_allclose(np.asarray(one)[~ends], other[~ends], **tolerance, err_msg=ufunc.__name__)


def test_c_has_a_text_for_each_operation_that_is_no_operator():
    lacking = {name for name, each in OPERATIONS.items() if not each.numeric.operator and not c_of(name)}
    assert lacking <= {name for name, each in OPERATIONS.items() if each.numpy is not getattr(np, name, None)}


@pytest.mark.parametrize(("library", "said"), [("numba", "Numba"), ("strict", "array_api_strict"), ("cupy", "CuPy")])
def test_an_operation_that_a_library_lacks_is_named_when_a_program_is_compiled(library, said):
    with pytest.raises(ad.ProgramError, match=rf'^{said} has no operation j0, .* Compile it with backend="numpy"'):
        ad.compile_gradient(lambda x: special.j0(x), 1.0, backend=LIBRARIES[library].backend)


# ---- arrays ----


def area(x):
    return x[0] * np.hypot(x[1], 0.5)


@pytest.mark.slow
def test_programs_are_compiled_mapped_and_differentiated_by_jax():
    with jax.enable_x64(True):
        program = ad.compile_gradient(area, np.ones(2), backend=jnp)
        x = jnp.array([[1.0, 2.0], [3.0, 4.0]])
        direct = program(x)
        for found in (jax.jit(program)(x), jax.vmap(program)(x)):
            np.testing.assert_allclose(found.gradient, direct.gradient, rtol=1e-14)
        slope = jax.jacobian(lambda x: program(x).gradient)(x[0])
        np.testing.assert_allclose(slope, ad.hessian(area)(np.array([1.0, 2.0])), rtol=1e-14)


def test_arrays_stay_on_their_device_and_numbers_come_to_it():
    device = array_api_strict.Device("device1")
    with quiet():
        program = ad.compile_jacobian(
            lambda x, y, z: (x * np.maximum(y, 0.5) * z, 2.0), 1.0, 1.0, 1.0, backend=array_api_strict
        )
    found = program(array_api_strict.asarray([1.0, 2.0], device=device), 0.25, np.array([1.0, 4.0]))
    assert {str(array.device) for _, array in leaves(found, "")} == {str(device)}


@pytest.mark.parametrize("library", ["jax", "strict"])
def test_numbers_and_whole_numbers_take_the_dtype_of_the_array_beside_them(library):
    where = LIBRARIES[library]
    single, whole = (
        where.array([1.0, 2.0], dtype="float32" if library == "jax" else array_api_strict.float32),
        where.array([3, 4]),
    )
    program = ad.compile_gradient(lambda x, y: x * y, 1.0, 1.0, backend=where.backend)
    for other in (2.0, 3, whole):
        assert "float32" in str(program(single, other).value.dtype)
    with where.around():
        double = where.array([1.0, 2.0])
        assert "float64" in str(program(single, double).value.dtype)
    with pytest.raises(ad.InputError, match=r"x is of dtype .*complex.*, not of real numbers"):
        program(where.array([1j]), 1.0)
    with pytest.raises(ad.InputError, match="y is not an array of real numbers"):
        program(single, "two")


def test_shapes_are_checked_on_all_arrays():
    program = ad.compile_gradient(area, np.ones(2), backend=jnp)
    with pytest.raises(ad.InputError, match=r"x has the shape \(3,\); expected \(2,\) for one point"):
        program(jnp.ones(3))


def test_numpy_does_not_take_the_arrays_of_others():
    program = ad.compile_gradient(area, np.ones(2))
    with pytest.raises(ad.InputError, match=r"x is an array of jaxlib, .* Give compile_\* the library as backend="):
        program(jnp.ones(2))


def test_arrays_on_a_gpu_are_not_traced():
    there = SimpleNamespace(__cuda_array_interface__={}, shape=(2,))
    with pytest.raises(ad.InputError, match=r"Argument x is on a GPU, where nothing is traced.*backend="):
        ad.grad(area)(there)


# ---- which one ----


def test_the_back_end_that_was_set_is_that_of_programs_compiled_afterwards():
    seen = []
    ad.set_backend("numba")
    try:
        assert ad.compile_gradient(area, np.ones(2)).backend == "numba"
        assert ad.compile_gradient(area, np.ones(2), backend=np).backend == "numpy"
        thread = Thread(target=lambda: seen.append(present_backend()))
        thread.start()
        thread.join()
    finally:
        ad.set_backend(np)
    assert (seen, present_backend()) == (["numpy"], "numpy")


@pytest.mark.parametrize(
    ("backend", "package"), [("numba", r"'adviz\[numba\]'"), ("cupy", r"'adviz\[cupy\]'"), ("nowhere.numpy", "nowhere")]
)
def test_a_library_that_is_not_there_is_named_with_what_to_install(monkeypatch, backend, package):
    monkeypatch.setitem(sys.modules, backend, None)
    for choose in (ad.set_backend, lambda name: ad.compile_gradient(area, np.ones(2), backend=name)):
        with pytest.raises(ad.ProgramError, match=rf"The back end {backend} needs .*: pip install {package}$"):
            choose(backend)


def test_cupy_without_a_gpu_says_so(processor, monkeypatch):
    def refuse():
        raise processor.CUDARuntimeError("no driver")

    processor.getDeviceCount = refuse
    with pytest.raises(ad.ProgramError, match="CuPy finds no GPU: no driver"):
        ad.compile_gradient(area, np.ones(2), backend="cupy")


@pytest.mark.parametrize(("backend", "said"), [("math", "math has no arrays"), (3, "backend is 3")])
def test_what_is_no_library_of_arrays_is_no_back_end(backend, said):
    with pytest.raises(ad.ProgramError, match=rf"{said}.*'numpy', 'numba', 'cupy', or"):
        ad.compile_gradient(area, np.ones(2), backend=backend)


@pytest.mark.numba
def test_branches_are_decided_on_numpys_arrays_only():
    f = lambda x: x if x > 0 else -x  # noqa: E731
    assert ad.compile_gradient(f, 1.0, branches=True, backend="numba")(np.array([-2.0, 3.0])).gradient.tolist() == [
        -1,
        1,
    ]
    with pytest.raises(ad.ProgramError, match="branches=True needs NumPy's arrays"):
        ad.compile_gradient(f, 1.0, branches=True, backend=jnp)


# ---- compiled loops ----


@pytest.mark.numba
def test_numba_says_where_nan_was_born_and_only_then():
    program = ad.compile_gradient(lambda x: np.log(x) * 2, 1.0, backend="numba")
    with pytest.warns(ad.NonFiniteWarning, match="NaN arises in log.* at point 1"):
        program(np.array([1.0, -1.0, 2.0]))
    assert program(np.array([1.0, 2.0])).gradient.tolist() == [2.0, 1.0]


@pytest.mark.numba
def test_a_loop_is_compiled_once_for_each_dtype_on_a_gpu_also_for_each_layout(processor):
    programs = [ad.compile_gradient(area, np.ones(2), backend=backend) for backend in ("numba", "cupy")]
    for dtype in (np.float64, np.float32):
        for number in (3, 1, 5):
            for program in programs:
                program(np.ones((number, 2), dtype))
    assert len(programs[0]._backend._loops) == 2
    assert processor.kernels == 2


def crossing(x, y):
    """Choices, conditions and constants between functions of the C library, one behind the other."""
    near = x < np.cos(y)
    angle = np.arctan2(np.exp(-x), np.where(near, np.log(y), -0.5)) + np.hypot(x, 0.25)
    return np.where(near, np.sin(angle), np.power(y, angle)), near, angle


@pytest.mark.numba
@pytest.mark.parametrize("points", ["first", "last"])
def test_numba_does_the_same_in_all_blocks_and_at_one_point(points):
    program, expected = (
        ad.compile_jacobian(crossing, 0.5, 2.0, points=points, backend=backend) for backend in ("numba", "numpy")
    )
    x, y = np.random.default_rng(1).uniform(0.1, 3.0, (2, 600))
    found = program(x, y)
    agree(found, expected(x, y), np.ndarray, {"rtol": 1e-13, "atol": 1e-15})
    for number in (0, 1, 8, 255, 256, 257, 599):
        agree(program(x[:number], y[:number]), first(found, number), np.ndarray, {"rtol": 0})
    for alone in (x[3].item(), y[3].item()), (x[3], y[3]), (np.array(x[3]), y[3]):
        assert [leaf for _, leaf in leaves(program(*alone), "")] == [leaf[3] for _, leaf in leaves(found, "")]


def first(found, number):
    """The results at so many points."""
    return type(found)(*(tuple(leaf[:number] for _, leaf in leaves(part, "")) for part in found))


HARD = [0.0, -0.0, 5e-324, 1e-300, 1e-160, 0.7, 1.0, 1024.0, 1025.0, 1e22, 1e160, 1e300, np.inf, np.nan]


@pytest.mark.numba
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_sines_angles_and_lengths_on_numba_are_right_to_two_units_of_the_last_place():
    program = ad.compile_jacobian(
        lambda x, y: (np.sin(x), np.cos(x), np.arctan2(x, y), np.hypot(x, y)), 0.5, 0.5, backend="numba"
    )
    random = np.random.default_rng(2)
    turns = np.arange(-650, 651) * (np.pi / 2)
    x = [np.nextafter(turns, toward) for toward in (-np.inf, np.inf)]
    x += [turns, *(random.uniform(-size, size, 5000) for size in (1e-9, 1.0, 30.0, 1000.0))]
    x, y = np.concatenate(x), random.uniform(-2.0, 2.0, sum(map(len, x)))
    y[::3] = x[::3] * random.choice([-1.0, 0.25, 0.5, 0.7, 1.0, 2.0, 4.0], len(y[::3])) * (1 + 1e-9 * y[::3])
    hard = np.array(list(product([*HARD, *(-x for x in HARD)], repeat=2))).T
    for given in ((x, y), tuple(np.repeat(hard, 300, axis=1))):
        found = program(*given).values
        a, b = (each.astype(np.longdouble) for each in given)
        with np.errstate(all="ignore"):
            for mine, exact in zip(found, (np.sin(a), np.cos(a), np.arctan2(a, b), np.hypot(a, b)), strict=True):
                np.testing.assert_array_equal(np.isfinite(mine), np.isfinite(exact.astype(float)))
                is_finite = np.isfinite(mine)
                error = np.abs(mine - exact)[is_finite]
                assert (error <= 2 * np.spacing(np.abs(exact.astype(float)))[is_finite]).all()
                assert np.array_equal(np.signbit(mine[is_finite]), np.signbit(exact[is_finite]))


@pytest.mark.parametrize("backend", ["numba", "cupy"])
def test_loops_are_for_numbers_of_four_or_eight_bytes(backend):
    with pytest.raises(ad.InputError, match="of dtype float16; loops are compiled for float32 and float64"):
        ad.compile_gradient(area, np.ones(2), backend=backend)(np.ones((3, 2), np.float16))


@pytest.mark.gpu
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gpu_agrees_with_numpy(monkeypatch, name, points, dtype):
    monkeypatch.delitem(sys.modules, "cupy")
    import cupy

    case = FUNCTIONS[name]
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        expected = ad.compile_jacobian(case.program, *case.arguments, points=points)
        found = ad.compile_jacobian(case.program, *case.arguments, points=points, backend="cupy")
    tolerance = {"rtol": 1e-11, "atol": 1e-11} if dtype is np.float64 else {"rtol": 2e-3, "atol": 2e-3}
    for values in batches(case, dtype, points):
        for (_, one), (_, other) in zip(
            leaves(found(*map(cupy.asarray, values)), ""), leaves(expected(*values), ""), strict=True
        ):
            assert isinstance(one, cupy.ndarray)
            np.testing.assert_allclose(one.get(), other, **tolerance)
