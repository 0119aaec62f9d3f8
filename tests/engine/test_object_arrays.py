"""Object arrays of traced values: everything done with them gives what NumPy gives on floats, in both grains."""

from types import ModuleType

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import adviz as ad
from adviz.engine.blocks import BLOCK_OF
from adviz.engine.tracing.operators import PLAIN_UFUNCS

from ..catalogue import expressions
from .checks import GRAINS, check
from .derivatives import assert_close


def written(x):
    x = np.array(x)
    x[1] = 0.25
    return x


def filled(x):
    y = np.empty(3, dtype=object)
    y[0], y[1:] = 0.5, [x[1], x[2] * x[0]]
    return y


def rotated(x):
    return np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]]) @ np.array([[0.5, 0.25], [x[1], 1]])


BUILDS = {
    "of entries": lambda x: np.array([x[0], x[1] * 2, x[2]]),
    "mixed": lambda x: np.array([x[0], 0.5, x[2] * x[1]]),
    "mixed with whole numbers": lambda x: np.array([1, x[0], x[1]]),
    "asarray": lambda x: np.asarray(x),
    "floats asked for": lambda x: np.array([x[0], 0.5, x[2]], dtype=float),
    "floats asked for by position": lambda x: np.asarray(x, float),
    "written to": written,
    "filled": filled,
    "matrix": lambda x: np.array([[x[0], 0.5, 0.2], [x[1], x[2], 0.1]]),
    "rotated": rotated,
}


def check_all(build, operations, grain, x=None):
    """Check every operation and name all that fail."""
    failures = {}
    for name, operation in operations.items():
        try:
            check(build, operation, grain, POINT if x is None else x)
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {str(error).strip()[:300]}"
    assert not failures


POINT = np.array([0.3137, 0.7271, 0.4593])
ARRAYS_FIRST = pytest.mark.parametrize("grain", ["array", pytest.param("scalar", marks=pytest.mark.slow)])
EVERY_BUILD = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS.keys())
NUMPYS = {ufunc for ufunc in vars(np).values() if isinstance(ufunc, np.ufunc)} - {np.matmul}
UFUNCS = sorted({*BLOCK_OF, *PLAIN_UFUNCS} & NUMPYS, key=lambda ufunc: ufunc.__name__)


@GRAINS
@EVERY_BUILD
def test_ufuncs_of_one_operand(build, grain):
    check_all(build, {ufunc.__name__: ufunc for ufunc in UFUNCS if ufunc.nin == 1}, grain)


@ARRAYS_FIRST
@EVERY_BUILD
def test_ufuncs_of_two_operands(build, grain):
    binary = [ufunc for ufunc in UFUNCS if ufunc.nin == 2]
    check_all(build, {f"{ufunc.__name__}(y, 0.41)": lambda y, ufunc=ufunc: ufunc(y, 0.41) for ufunc in binary}, grain)
    check_all(build, {f"{ufunc.__name__}(0.41, y)": lambda y, ufunc=ufunc: ufunc(0.41, y) for ufunc in binary}, grain)
    check_all(
        build, {f"{ufunc.__name__}(y, z)": lambda y, ufunc=ufunc: ufunc(y, 2 * y[::-1]) for ufunc in binary}, grain
    )


def spelled(text):
    """Functions of y by their text, from expressions with | between them."""
    return {part: eval(f"lambda y: {part}", {"np": np}) for part in expressions(text)}


OPERATIONS = spelled("""
    y + 1 | 1 - y | y * y | 1 / y | y**2 | y**-1 | y**0.5 | 2**y | y**y | -y | abs(y) | +y | y // 0.2 | y % 0.2
    y > 0.4 | 0.4 >= y | y == 0.5 | y != y[::-1] | (y < 1) & (y > 0.4) | y[y > 0.4] | y[..., ::-1] * y | y[None] * y
    y.T | y @ y.T | y - np.float64(1) | np.float64(2) * y | np.ones(y.shape) / y | y[0] | y[-1:] | y.ravel()[[0, 0, 1]]
    np.ones(y.shape) @ y.T
""")


FUNCTIONS = spelled("""
    np.sum(y) | np.sum(y, axis=0) | np.sum(y, axis=-1, keepdims=True) | np.mean(y) | np.mean(y, axis=0) | np.prod(y)
    np.var(y) | np.std(y) | np.std(y, axis=0, ddof=1) | np.max(y) | np.min(y, axis=-1)
    np.amax(y, axis=0, keepdims=True) | np.ptp(y) | y.sum() | y.sum(axis=0) | y.mean() | y.mean(axis=0) | y.std()
    y.var(axis=0) | y.max() | y.min() | y.prod() | y.cumsum() | y.argmax() | y.argmin(axis=0) | y.argsort()
    y.clip(0.2, 0.5) | y.round(1) | y.dot(y.T) | y.any() | y.all() | y.copy() | y.astype(float) | y.reshape(-1)
    y.ravel() | y.flatten() | y.T | y.repeat(2) | y.take([0, 1]) | y.squeeze() | y.trace() if y.ndim > 1 else y
    np.linalg.norm(y) | np.linalg.norm(y, axis=0) | np.linalg.norm(y.ravel(), 1) | np.linalg.norm(y.ravel(), np.inf)
    np.linalg.norm(y.ravel(), 3) | np.cumsum(y) | np.cumsum(y, axis=0) | np.cumprod(y) | np.dot(y, y.T) | np.dot(y.T, 2)
    np.sort(y) | np.sort(y, axis=0) | np.argsort(y) | np.argmax(y) | np.argmin(y, axis=0) | np.median(y)
    np.median(y, axis=0) | np.clip(y, 0.2, 0.5) | np.clip(y, None, 0.4) | np.where(y > 0.4, y, -y)
    np.where(y > 0.4, 0.0, y) | np.where(y > 0.4) | np.nonzero(y) | np.diff(y) | np.concatenate([y, y])
    np.concatenate([y, np.ones(y.shape)], axis=-1) | np.stack([y, 2 * y]) | np.vstack([y, y]) | np.hstack([y, y])
    np.column_stack([y, y]) | np.append(y, 1.0) | np.outer(y, y) | np.inner(y, y) | np.vdot(y, y)
    np.tensordot(y, y.T, 1) | np.trace(np.outer(y, y)) | np.transpose(y) | np.swapaxes(y, 0, -1) | np.ravel(y)
    np.reshape(y, (-1, 1)) | np.squeeze(y[None]) | np.flip(y) | np.roll(y, 1) | np.repeat(y, 2) | np.tile(y, 2)
    np.take(y, [1, 0]) | np.diag(y) | np.atleast_2d(y) | np.broadcast_to(y, (2, *y.shape)) | np.expand_dims(y, 0)
    np.all(y > 0) | np.any(y) | np.allclose(y, y) | np.isclose(y, 0.5) | np.array_equal(y, y) | np.count_nonzero(y)
    np.size(y) | np.shape(y) | np.round(y, 1) | np.nan_to_num(y) | np.average(y)
    np.average(y.ravel(), weights=np.arange(y.size)) | np.convolve(y.ravel(), [1.0, 2.0])
    np.cross(y.ravel()[:3], [1.0, 2.0, 3.0]) | np.polyval(y.ravel(), 0.5) | np.polyval([1.0, 2.0], y) | np.trapezoid(y)
    np.kron(y, [1.0, 2.0]) | np.einsum('...i,...i->...', y, y) | np.triu(np.outer(y, y)) | np.split(y.ravel()[:2], 2)[1]
    np.rot90(np.outer(y, y)) | np.maximum.reduce(y) | np.add.reduce(y) | np.multiply.reduce(y, axis=-1)
    np.add.accumulate(y) | np.multiply.outer(y, y) | np.minimum.reduce(y, axis=None) | np.logical_and.reduce(y > 0)
    np.zeros_like(y) + y | np.ones_like(y) * y | np.full_like(y, 2.0) * y | np.exp(np.zeros_like(y)) + y
    np.vectorize(lambda e: e * e, otypes=[object])(y) | np.apply_along_axis(np.sum, 0, y) | np.meshgrid(y, y)[1]
    np.linalg.multi_dot([np.outer(y, y), np.outer(y, y)]) | np.take_along_axis(y, np.argsort(y), -1)
    np.log(np.sum(np.exp(y - np.max(y))))
""")


@ARRAYS_FIRST
@EVERY_BUILD
def test_operators_functions_and_methods(build, grain):
    check_all(build, OPERATIONS | FUNCTIONS, grain)


OF_NAN = spelled("""
    np.max(y) | np.min(y) | np.sum(y) | np.mean(y) | np.std(y) | np.median(y) | np.sort(y) | np.argmax(y) | np.argmin(y)
    np.argsort(y) | np.isnan(y) | np.isinf(y) | np.isfinite(y) | np.nan_to_num(y) | y.max() | y.min() | y.argmax()
    np.clip(y, 0, 1) | np.maximum(y, 0.1) | np.minimum(0.1, y) | np.fmax(y, 0.1) | np.fmin(y, 0.1) | np.sign(y)
    np.floor(y) | np.rint(y) | np.exp(y) | np.sin(y) | np.sqrt(y) | y > 0 | y == y | np.where(np.isnan(y), 0.0, y)
""")
OF_LARGE_NUMBERS = spelled("1 / y | y / y | y**0.5 | y**-1 | y * y * y | np.log(y) | np.exp(y) | y % 0")


@GRAINS
@pytest.mark.parametrize(
    ("others", "operations"), [((np.nan, np.inf), OF_NAN), ((0, -1, 1e300, 0.0), OF_LARGE_NUMBERS)]
)
def test_numbers_at_the_ends_go_through_as_they_do_in_numpy(others, operations, grain):
    check_all(lambda x: np.array([x[0], *others, x[1]]), operations, grain)


def added_in_place():
    y = np.eye(2)
    y += np.ones((2, 2)) * 10**30
    np.add.at(y, [0], np.ones(2))
    np.copyto(y[1], np.full(2, 3.0))
    return y


OF_CONSTANTS = {
    "np.linalg.eigvalsh": lambda: np.linalg.eigvalsh(a=np.full((2, 2), 2.0)),
    "np.linalg.svd": lambda: np.linalg.svd(np.ones((2, 3)))[1],
    "np.linalg.norm": lambda: np.linalg.norm(np.ones((2, 2)), 2),
    "np.linalg.eig": lambda: np.linalg.eig(np.ones((2, 2)))[0].real,
    "np.histogram": lambda: np.histogram(np.ones(4))[0],
    "np.spacing": lambda: np.spacing(np.ones(2)),
    "of complex numbers": lambda: np.linalg.eigvalsh(np.full((2, 2), 1j) * np.array([[1, -1], [1, 1]])),
    "astype": lambda: np.ones(2).astype(int),
    "in place": added_in_place,
    "leggauss": lambda: np.polynomial.legendre.leggauss(3)[1],
    "hermgauss": lambda: np.polynomial.hermite.hermgauss(3)[1],
    "roots_legendre": lambda: scipy.special.roots_legendre(3)[1],
    "gammainc": lambda: scipy.special.gammainc(np.ones(2), np.ones(2)),
    "expm": lambda: scipy.linalg.expm(np.ones((2, 2))),
    "eigh": lambda: scipy.linalg.eigh(np.ones((2, 2)))[0],
    "lu": lambda: scipy.linalg.lu([np.ones(2), np.zeros(2)])[2],
}


@GRAINS
@pytest.mark.parametrize("name", OF_CONSTANTS)
def test_arrays_without_a_traced_entry_go_to_functions_without_a_rule(name, grain):
    constants = OF_CONSTANTS[name]
    assert_close(ad.jacobian(lambda x: x * constants(), grain=grain)(2.0), constants())


def test_of_arrays_with_a_traced_entry_functions_without_a_rule_are_refused_by_name():
    def f(x):
        y = np.zeros((2, 2))
        y[0, 0] = x
        return np.linalg.eigvalsh(y)

    with pytest.raises(ad.MissingBlockError, match=r"eigvalsh, entry by entry"):
        ad.compile_gradient(lambda x: f(x)[0], 1.0, grain="scalar")


@GRAINS
def test_a_list_of_traced_values_is_an_array_to_numpys_functions(grain):
    for operation in (np.sum, np.mean, np.std, np.max, np.prod, np.linalg.norm, np.stack, np.array, np.median, np.sort):
        check(lambda x: x, lambda y, operation=operation: operation([y[0], y[1] * 2, y[2]]), grain, POINT)


def test_asarray_of_a_traced_array_is_that_array():
    graph = ad.trace(lambda x: np.sum(np.asarray(x) ** 2), POINT)
    assert graph.block_counts() == {"power": 1, "sum": 1, "input": 1, "output": 1}


def test_an_array_of_traced_numbers_is_one_node_in_the_array_grain():
    graph = ad.trace(lambda x: np.sin(np.array([[x[0], 0.5], [x[1] * x[2], 2.0]])), POINT)
    assert graph.block_counts() == {
        "index": 3,
        "multiply": 1,
        "stack": 1,
        "reshape": 1,
        "sin": 1,
        "input": 1,
        "output": 1,
    }


def test_entries_of_an_array_are_made_once_however_often_they_are_needed():
    def f(x):
        total = 0.0
        for k in range(10):
            y = np.array(x)
            y[0] = k
            total = total + y.sum() + np.median(x) + np.asarray(x)[1]
        return total

    graph = ad.trace(f, POINT)
    assert graph.values[graph.outputs[0]] == pytest.approx(f(POINT))
    assert graph.block_counts()["index"] < 3 + 10 * 3  # those that the median takes of its sorted array are new


@GRAINS
def test_names_imported_from_numpy_are_traced_too(grain):
    own_array, own_asarray = np.array, np.asarray
    check(own_asarray, np.sin, grain, POINT)
    check(lambda x: np.sin(own_array([x[0], 0.5])), np.mean, grain, POINT)
    with pytest.raises(ad.MissingBlockError, match="Build the array with np"):
        ad.trace(lambda x: np.sin([x[0], 0.5]), POINT, grain=grain)


OF_A_LIBRARY = """
def copied(a):
    b = np.array(a, float)
    b[0] = 0.0
    return b

def shared(a):
    b = np.asarray(a, float)
    b[0] = 0.0
    return b

def made(a):
    return np.asarray([0.0, a[1]], float) * 1.0
"""


@pytest.mark.parametrize(("name", "gradient"), [("copied", [3.0, 2.0]), ("shared", [0.0, 2.0]), ("made", [3.0, 2.0])])
def test_a_library_that_asks_for_floats_shares_memory_where_numpy_does(name, gradient):
    library = ModuleType("scipy.made_up")
    library.np = np
    exec(OF_A_LIBRARY, vars(library))

    def f(x):
        y = np.array([x[0], 2 * x[1]])
        z = getattr(library, name)(y)
        return 3 * y[0] + z[1]

    assert ad.grad(f, grain="scalar")(np.array([1.0, 2.0])).tolist() == gradient


# ---- NumPy itself is as it was ----


def test_object_arrays_of_other_things_stay_what_they_are():
    def f(x):
        words = np.array(["a", None, x], dtype=object)
        words[0] = words[0] + "b"
        assert words[0] == "ab"
        assert list(words[:2]) == ["ab", None]
        return words[2] * 2

    assert ad.grad(f)(1.0) == 2.0


@GRAINS
def test_the_method_dot_writes_where_it_is_told(grain):
    def product(x):
        result = np.empty((2, 2))
        np.array([[x[0], x[1]], [x[2], 1.0]]).dot(x[:2, None] * x[1:], out=result)
        return result

    expected = ad.jacobian(lambda x: np.array([[x[0], x[1]], [x[2], 1.0]]) @ (x[:2, None] * x[1:]))(POINT)
    np.testing.assert_allclose(ad.jacobian(product, grain=grain)(POINT), expected)
