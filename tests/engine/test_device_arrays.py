"""Arrays of CuPy trace like NumPy's: on a stand-in everywhere, and on CuPy itself where there is a GPU."""

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings

import adviz as ad
from adviz.algorithms.elimination import vertex_elimination
from adviz.engine import devices
from adviz.engine.blocks import BLOCK_OF
from adviz.engine.derivatives import gradients
from adviz.engine.functions.products import FFT, FFT_OF_REAL, IFFT
from adviz.engine.jacobians.local import Kronecker, LinearMap
from adviz.engine.trace import record

from ..agreement.programs import Program, programs
from ..primitives import cube
from . import device_arrays, test_blocks
from .checks import arrays_in, assert_same
from .derivatives import assert_close
from .device_arrays import DeviceArray
from .jacobian_strategies import chains, sums
from .scipy_functions import test_special

X = np.array([[0.31, -0.72, 1.43], [1.91, 0.58, -0.27]])
V = np.array([0.5, 1.5, 2.5])


class Names:
    """NumPy's names, for programs whose arrays are another library's."""

    def __init__(self, library: Any):
        self.array = lambda value: library.asarray(np.array(value))
        self.asarray = lambda value: library.asarray(np.asarray(value))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def there(library: Any, value: Any) -> Any:
    """An array, or the arrays in a tuple, brought to the library; numbers stay."""
    if isinstance(value, tuple):
        return tuple(there(library, part) for part in value)
    return library.asarray(value) if isinstance(value, np.ndarray) else value


# ---- random programs ----


def results(program: Program, xp: Any, inputs: tuple[Any, ...]) -> list[Any]:
    """What every mode of the engine says about a program."""
    places = tuple(range(len(inputs)))

    def several(*inputs):
        return program(xp, *inputs)

    def loss(*inputs):
        return sum((np.sum(np.cos(output + k)) for k, output in enumerate(program(xp, *inputs))), 0.0)

    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        value, pullback = ad.vjp(several, *inputs)
        return [
            value,
            pullback(value),
            gradients(record(loss, inputs, {})),
            ad.value_and_grad(loss, places)(*inputs),
            ad.jacobian(several, places, mode="forward")(*inputs),
            ad.jacobian(several, places, mode="reverse")(*inputs),
            ad.jvp(several, inputs, inputs),
            ad.hvp(loss, inputs, inputs),
        ]


@pytest.mark.long
def test_second_derivatives_at_kinks_are_what_they_are_on_arrays_of_numpy(library):
    """Limits along lines, where the mean of one-sided slopes must not be differentiated again."""
    point = np.array([0.5, 0.0, -0.25])
    for f in (lambda x: np.sum(x * x * abs(x)), lambda x: np.max(np.stack([x, 2 * x])[:, 1]) ** 3):
        found = ad.hessian(f)(*there(library, (point,)))
        assert_same(library, found, ad.hessian(f)(point))


@pytest.mark.long
@given(program=programs())
@example(program=Program(((3,),), (("abs", (0,)), ("compared", (0, 0)), ("max", (2,))), (3,)))  # a tie of equal numbers
@settings(max_examples=60)
def test_random_programs_give_what_they_give_on_arrays_of_numpy(library, program):
    inputs = tuple(program.inputs())
    found, expected = results(program, Names(library), there(library, inputs)), results(program, np, inputs)
    for one, other in zip(arrays_in(found), arrays_in(expected), strict=True):
        assert_close(devices.to_numpy(one), other, 1e-11)


# ---- every Block ----


def elementwise():
    for ufunc in test_blocks.RULES:
        drawn = test_blocks.points(ufunc)[:, :12].reshape(ufunc.nin, 3, 4)
        yield BLOCK_OF[ufunc], tuple(drawn)
        if ufunc.nin == 2:
            yield from ((BLOCK_OF[ufunc], pair) for pair in ((drawn[0], float(drawn[1, 0, 0])), (2.0, drawn[1])))
            yield BLOCK_OF[ufunc], (drawn[0], drawn[1, 0])


def is_data(operand: Any) -> bool:
    return isinstance(operand, np.ndarray) and operand.dtype.kind == "f"


WHOLE = [
    *(parameters.values for parameters in test_blocks.EXAMPLES),
    *((block, (np.stack([X, X[::-1]]), (-1,), "ortho")) for block in (FFT, IFFT)),
    (FFT_OF_REAL, (X, (-1, -2), "forward")),
]
EXAMPLES = [
    (block, tuple(there(device_arrays, one) if block.name in ("where", "kink") else one for one in operands))
    for block, operands in (*elementwise(), *WHOLE)
    if any(map(is_data, operands)) and block.name != "set"  # whose Jacobians are made of NumPy's arrays
]


@pytest.mark.parametrize(("block", "operands"), EXAMPLES, ids=[block.name for block, _ in EXAMPLES])
def test_a_block_has_the_same_value_and_jacobians_to_the_last_digit(library, block, operands):
    tolerance = 0.0 if library is device_arrays else 1e-12
    plain = tuple(map(devices.to_numpy, operands))
    is_choice = block.name in ("where", "kink")
    on_device = tuple(there(library, one) if is_data(one) or is_choice else one for one in plain)
    rng = np.random.default_rng(7)
    with np.errstate(all="ignore"):
        expected_value, value = block.compute(*plain), block.compute(*on_device)
        assert_same(library, value, expected_value, tolerance)
        for place in [place for place, one in enumerate(plain) if is_data(one) and one.dtype == float]:
            (expected,) = block.local_jacobians(expected_value, plain, [place])
            (found,) = block.local_jacobians(value, on_device, [place])
            if expected is None:
                continue
            tangent, adjoint = rng.normal(size=np.shape(plain[place])), rng.normal(size=np.shape(expected_value))
            assert (found.nnz, found.structure) == (expected.nnz, expected.structure)
            assert_same(library, found.jvp(library.asarray(tangent)), expected.jvp(tangent), tolerance)
            assert_same(library, found.vjp(library.asarray(adjoint)), expected.vjp(adjoint), tolerance)
            assert_close(devices.to_numpy(found.dense()), expected.dense(), tolerance)


@pytest.mark.parametrize(("ufunc", "partials"), test_special.RULES)
def test_scipys_functions_are_not_of_cupys_arrays(ufunc, partials):
    """CuPy has them in a module of its own, and does not answer SciPy's ufuncs."""
    parameters = [2.0] * (ufunc.nin - 1)
    is_first = partials[-1] is test_special.unknown
    with pytest.raises(ad.MissingBlockError, match="does not have this function"):
        ad.trace(lambda x: ufunc(x, *parameters) if is_first else ufunc(*parameters, x), DeviceArray(V))


def test_blocks_of_ones_own_compute_with_numpy(library):
    with pytest.raises(ad.BlockError, match="computes with NumPy"):
        ad.grad(lambda x: np.sum(cube()(x)))(library.asarray(V))


def on_device(jacobian):
    """The same Jacobian, with its numbers in the stand-in."""
    found = copy.copy(jacobian)
    for name in ("partial", "weights", "fixed", "column", "row", "matrix"):
        if isinstance(numbers := getattr(found, name, None), np.ndarray):
            setattr(found, name, DeviceArray(numbers))
    if isinstance(found, Kronecker):
        found.left, found.right = on_device(found.left), on_device(found.right)
    if isinstance(found, LinearMap):
        jvp, vjp = found.jvp, found.vjp
        found.jvp = lambda tangent: DeviceArray(jvp(devices.to_numpy(tangent)))
        found.vjp = lambda adjoint: DeviceArray(vjp(devices.to_numpy(adjoint)))
        found.like = DeviceArray(1.0)
    return found


def assert_same_jacobian(found, expected):
    assert (found.structure, found.nnz) == (expected.structure, expected.nnz)
    np.testing.assert_array_equal(devices.to_numpy(found.dense()), expected.dense())


@given(chains(3), sums())
def test_the_algebra_of_jacobians_is_the_same(chain, pair):
    (a, b, c), (one, other) = chain, pair
    x, y, z = map(on_device, chain)
    assert x.multiplications(y) == a.multiplications(b)
    assert_same_jacobian((x @ y) @ z, (a @ b) @ c)
    assert_same_jacobian(x @ (y @ z), a @ (b @ c))
    assert_same_jacobian((x @ y).T, (a @ b).T)
    assert_same_jacobian(on_device(one) + on_device(other), one + other)


# ---- functions ----


def test_functions_of_the_library_s_own_are_not_for_traced_values(library):
    with pytest.raises(ad.MissingBlockError, match=r"(?s)Call NumPy's of that name.*library\.sin\(x\)"):
        ad.trace(lambda x: library.sin(x), library.asarray(V))
    with pytest.raises(ad.MissingBlockError, match="Call NumPy's of that name"):
        ad.trace(lambda w: library.asarray(np.eye(3)) @ w, V)


# ---- where values are ----


def program(x):
    h = np.tanh(x * 0.5)
    return np.sum(h * x)


def test_values_and_derivatives_stay_in_the_library(library):
    x = library.asarray(V)
    value, gradient = ad.value_and_grad(lambda x: np.sum(x * x) + x[0])(x)
    assert_same(library, (value, gradient), (np.array(9.25), np.array([2.0, 3.0, 5.0])))
    assert_same(library, ad.jacobian(lambda x: x)(x), np.eye(3))
    assert_same(library, ad.hessian(lambda x: np.sum(x))(x), np.zeros((3, 3)))
    graph = ad.trace(lambda x: np.sum(np.sin(x)), x)
    assert all(isinstance(node.value, library.ndarray) for node in graph)


def test_numbers_and_arrays_of_numpy_among_the_arguments_have_derivatives_of_their_own_kind(library):
    def f(x, scale, w):
        return np.sum(x) * scale * np.sum(np.sin(w))

    found = ad.grad(f, (0, 1, 2))(library.asarray(V), 2.0, V)
    expected = ad.grad(f, (0, 1, 2))(V, 2.0, V)
    assert isinstance(found[0], library.ndarray)
    assert type(found[1]) is float
    assert type(found[2]) is np.ndarray
    assert_same(library, found[:1], expected[:1])
    assert_close(found[2], expected[2], 1e-14)
    mixed = ad.jacobian(lambda x, w: x * np.sum(w), (0, 1))(library.asarray(np.arange(9.0)), np.arange(9.0))
    assert_same(library, mixed, ad.jacobian(lambda x, w: x * np.sum(w), (0, 1))(np.arange(9.0), np.arange(9.0)))


def test_tangents_and_adjoints_are_brought_to_what_they_belong_to(library):
    x = library.asarray(V)
    assert_same(library, ad.jvp(lambda x: x * x, (x,), ([1.0, 2.0, 3.0],)), (V * V, 2 * V * [1.0, 2.0, 3.0]))
    _, pullback = ad.vjp(lambda x: x * x, x)
    assert_same(library, pullback(np.ones(3)), (2 * V,))


def test_single_precision_stays_single(library):
    gradient = ad.grad(lambda x: np.sum(np.sin(x) * 2.0))(library.asarray(V.astype(np.float32)))
    assert gradient.dtype == np.float32


def test_arguments_and_constants_are_copied(library):
    x, constant = library.asarray(V), library.asarray(V)
    value, pullback = ad.vjp(lambda x: x * constant, x)
    x[0], constant[0] = 100.0, 100.0
    assert_same(library, (value, pullback(np.ones(3))), (V * V, (V,)))


def test_a_constant_that_is_used_again_is_copied_once(library):
    constant = library.asarray(V)

    def f(x):
        for _ in range(3):
            x = x * constant
        constant[0] = 100.0
        return x * constant

    graph = ad.trace(f, library.asarray(V))
    copies = [graph.literal(graph.operands(node)[1]) for node in range(1, 5)]
    assert len({id(copy) for copy in copies}) == 2
    assert_same(library, copies[0], V)


@pytest.mark.parametrize(
    "operate",
    [
        *(lambda a, x: a + x, lambda a, x: a - x, lambda a, x: a * x, lambda a, x: a / x, lambda a, x: a**x),
        *(lambda a, x: a // x, lambda a, x: a % x, lambda a, x: a @ x, lambda a, x: divmod(a, x)[1]),
        *(lambda a, x: np.where(a < x, x, 0.0), lambda a, x: np.where(a == x, 0.0, x)),
    ],
)
def test_a_constant_of_the_library_may_stand_at_the_left(library, operate):
    constant = np.arange(1.07, 10.0).reshape(3, 3)  # no multiples: remainders jump there

    def derivatives(bring):
        def several(x):
            return operate(bring(constant), x)

        return ad.jacobian(several)(bring(V)), ad.hessian(lambda x: np.sum(np.sin(several(x))))(bring(V))

    assert_same(library, derivatives(library.asarray), derivatives(np.asarray))


def test_arrays_of_numpy_within_the_function_are_copied_there(library):
    def recurrent(x, weights):
        state, identity = np.zeros(3), np.eye(3)
        for k in range(2):
            state = np.tanh(weights @ state + x[np.array([0, k])].sum())
        picked = np.where(np.array([True, False, True]), state, np.arange(3))
        return np.sum(np.concatenate([picked, np.ones(2)]) ** 2) + np.sum((identity - weights) * np.arange(3))

    given = V, np.outer(V, V)
    found = ad.value_and_grad(recurrent, (0, 1))(*there(library, given))
    assert_same(library, found, ad.value_and_grad(recurrent, (0, 1))(*given), 1e-13)


def test_an_array_of_the_library_is_not_changed_in_place_while_there_is_a_view(library):
    def f(x):
        part = x[1:]
        x += 1.0
        return np.sum(part)

    with pytest.raises(ad.ArrayWriteError, match=r"(?s)another library than NumPy cannot be written to.*x \+= 1\.0"):
        ad.trace(f, library.asarray(V))


def test_infinity_is_reported_with_the_place(library):
    with pytest.warns(ad.NonFiniteWarning, match=r"(?s)infinity arises in node 1, v1 \(log\).*np.log\(x\)"):
        ad.grad(lambda x: np.sum(np.log(x)))(library.asarray(np.array([0.0, 1.0])))


def test_the_scalar_grain_reads_the_numbers_out(library):
    def f(x):
        return np.sum(np.sin(x) * x)

    gradient = ad.grad(f, grain="scalar")(library.asarray(V))
    assert type(gradient) is np.ndarray
    np.testing.assert_array_equal(gradient, ad.grad(f, grain="scalar")(V))


@pytest.mark.parametrize("order", ["forward", "reverse", "markowitz"])
def test_a_jacobian_by_elimination_is_that_of_the_sweeps(library, order):
    graph = ad.linearize(program, library.asarray(V))
    for step in vertex_elimination(graph, order):
        assert step.edits
    (jacobian,) = graph.jacobian().values()
    assert_same(library, jacobian.dense()[0], ad.grad(program)(V))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_variables_of_the_user(library, mode):
    def gradients(bring):
        x, y = ad.Variable.multi_variables(bring(V), bring(V[::-1].copy()))
        z = bring(np.arange(9.0).reshape(3, 3)) @ (ad.sin(x) ** 2 / y) + ad.sum_elts(x) * ad.Constant(bring(V)) + x**y
        found = [z.data, z.compute_gradients()]
        alone = ad.Variable(bring(V))
        return [*found, (alone * 2 + 1).compute_gradients(), alone[1:].compute_gradients()]

    ad.set_mode(mode)
    assert_same(library, gradients(library.asarray), gradients(np.asarray), 1e-13)


@pytest.mark.long
def test_minimizers(library):
    def loss(parameters):
        return ad.value_and_grad(lambda p: np.sum((p - 1.0) ** 2))(parameters)

    for minimizer in (ad.GD, ad.Adam):
        found = minimizer(loss, library.asarray(V), lr=0.1).solve()
        assert_same(library, found, np.ones(3), 1e-5)


def chosen(x, mask):
    return np.sum(np.where(mask, x * x, 0.0))


def named(x, settings):
    return x * settings["by"] if settings["names"][0] == "a" else x


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_booleans_are_where_the_numbers_are(library, grain):
    found = ad.trace(chosen, library.asarray(V), library.asarray(V > 1), grain=grain)
    assert found.values[found.outputs[0]] == chosen(V, V > 1)


def test_set_backend_brings_arrays_of_numpy_there(library):
    ad.set_backend(library)
    try:
        gradient, number = ad.grad(lambda x, y: np.sum(x * x) * y, (0, 1))(V, 3.0)
        assert_same(library, gradient, 6 * V)
        assert number == 8.75
        assert_same(library, ad.jvp(lambda x: x * x, (V,), (V,)), (V * V, 2 * V * V))
        assert_same(library, ad.Variable(V).data, V)
        assert_same(library, ad.grad(chosen)(V, V > 1), 2 * V * (V > 1))
        assert_same(library, ad.jacobian(named)(V, {"by": V, "names": np.array(["a"])}), np.diag(V))
        assert type(ad.grad(lambda x: np.sum(x * x), grain="scalar")(V)) is np.ndarray
    finally:
        ad.set_backend("numpy")
    assert type(ad.grad(lambda x: np.sum(x * x))(V)) is np.ndarray


def test_libraries_without_numpys_protocols_leave_arrays_where_they_are():
    ad.set_backend("array_api_strict")
    try:
        assert type(ad.grad(lambda x: np.sum(x * x))(V)) is np.ndarray
    finally:
        ad.set_backend("numpy")


# ---- pictures ----


@pytest.mark.parametrize("show", [ad.explore, ad.play, ad.show_forward, ad.show_backward, ad.show_elimination])
def test_pictures_show_what_they_show_of_arrays_of_numpy(show, library):
    assert show(program, library.asarray(V)).scene == show(program, V).scene
    assert ad.explore(ad.trace(program, library.asarray(V))).scene == ad.explore(program, V).scene
