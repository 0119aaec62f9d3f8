"""Programs on arrays agree with the engine at other points than the example's, in values, shapes and dtypes."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.engine.calls import leaves

from ..engine.derivatives import assert_close
from .array_programs import IN_PLACE, NOT_HOLOMORPHIC, ONE, SHAPES, TWO, ArrayProgram, array_programs, of_library
from .programs import HOLOMORPHIC, programs
from .test_programs_for_all_points import NAMES, WRITING, WRITTEN, others

TOLERANCE = {"float64": 1e-9, "float32": 2e-4}
"""By the dtype of the arguments: rounding errors of programs of a few operations, with room for cancellation."""


def arrays(structure) -> list:
    return [value for _, value in leaves(structure, "")]


def assert_agree(found, wanted, source: str, tolerance: float) -> None:
    """Equal up to rounding, relative to the largest entry, and of the same shapes and dtypes."""
    for one, other in zip(arrays(found), arrays(wanted), strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), f"{one.dtype}, {other.dtype}\n{source}"
        finite = other[np.isfinite(other)]
        scale = max(1.0, np.abs(finite).max(initial=0.0))
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale, err_msg=source)


def assert_separate(results, arguments) -> None:
    """Results share no memory with each other or with arguments."""
    found = [each for each in arrays(results) if isinstance(each, np.ndarray)]
    given_arrays = [each for each in arrays(arguments) if isinstance(each, np.ndarray)]
    for k, one in enumerate(found):
        assert one.flags.writeable
        for other in (*found[k + 1 :], *given_arrays):
            assert not np.shares_memory(one, other)


def turned(inputs: list) -> list:
    """The same arrays, laid out in memory in another way, and read-only."""
    found = [np.asfortranarray(x)[::-1].copy()[::-1] if np.ndim(x) else x for x in inputs]
    found = [np.repeat(x[..., None], 2, -1)[..., 0] if np.ndim(x) else x for x in found]
    for x in found:
        if np.ndim(x):
            x.flags.writeable = False
    return found


def along(inputs) -> tuple:
    return tuple(np.cos(np.arange(np.size(x))).reshape(np.shape(x)).astype(x.dtype)[()] for x in inputs)


def check(program: ArrayProgram, dtype: str = "float64") -> None:
    """Compare every kind of program with the engine, at the example and elsewhere."""
    example, places = program.inputs(0, dtype), tuple(range(len(program.shapes)))
    close = TOLERANCE[dtype]
    points = [example, program.inputs(1, dtype), turned(program.inputs(2, dtype))]
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        function = ad.compile(program, *example, grain="array")
        gradient = ad.compile_gradient(program.loss, *example, grain="array")
        pushed = ad.compile_jvp(program, *example, grain="array")
        pulled = ad.compile_vjp(program, *example, grain="array")
        for point in points:
            before = [np.copy(x) for x in point]
            assert_agree(function(*point), program(*point), function.source, close)
            assert_separate(function(*point), point)

            value, slopes = gradient(*point)
            wanted, wanted_slopes = ad.value_and_grad(program.loss, argnums=places)(*point)
            assert_agree(slopes if len(places) > 1 else (slopes,), wanted_slopes, gradient.source, 10 * close)
            assert_agree(value, np.asarray(wanted).astype(np.asarray(value).dtype), gradient.source, close)
            assert_separate(gradient(*point), point)

            tangents = along(point)
            values, moved = ad.jvp(program, tuple(point), tangents)
            moved = tuple(np.asarray(t).astype(np.asarray(y).dtype) for t, y in zip(moved, values, strict=True))
            assert_agree(tuple(pushed(tuple(point), tangents)), (values, moved), pushed.source, 10 * close)
            values, pullback = ad.vjp(program, *point)
            adjoints = tuple(np.sin(1 + np.asarray(y)).astype(np.asarray(y).dtype)[()] for y in values)
            found, back = pulled(tuple(point), adjoints)
            assert_agree(found, values, pulled.source, close)
            assert_agree(back, pullback(adjoints), pulled.source, 10 * close)
            for x, kept in zip(point, before, strict=True):
                np.testing.assert_array_equal(x, kept)


def check_matrices(program: ArrayProgram, dtype: str = "float64") -> None:
    """Compare Jacobians of every order, and the Hessian of the loss, with those of the engine."""
    example, places = program.inputs(0, dtype), tuple(range(len(program.shapes)))
    points = [example, program.inputs(1, dtype)]
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        for order in ("best", "forward", "reverse"):
            jacobian = ad.compile_jacobian(program, *example, grain="array", order=order)
            for point in points:
                values, found = jacobian(*point)
                assert_agree(tuple(values), tuple(program(*point)), jacobian.source, TOLERANCE[dtype])
                assert_alike(found, ad.jacobian(program, argnums=places)(*point), jacobian.source, TOLERANCE[dtype])
                assert_separate(jacobian(*point), point)
        hessian = ad.compile_hessian(program.loss, *example, grain="array")
        for point in points:
            wanted = ad.hessian(program.loss, argnums=places)(*point)
            assert_alike(hessian(*point).hessian, wanted, hessian.source, 1e3 * TOLERANCE[dtype])


def assert_alike(found, wanted, source: str, tolerance: float) -> None:
    """Equal up to rounding; the engine's matrices may have another precision."""
    pairs = zip(arrays(found), arrays(wanted), strict=True)
    wanted = tuple(np.asarray(other).astype(np.asarray(one).dtype) for one, other in pairs)
    assert_agree(tuple(arrays(found)), wanted, source, 10 * tolerance)


def alone(name: str, shape: tuple[int, ...]) -> ArrayProgram:
    count = 1 if name in ONE else 2
    return ArrayProgram((shape,) * count, ((name, tuple(range(count))),), (count,))


SINGLE = pytest.param("float32", marks=pytest.mark.slow)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", SINGLE])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_operation_alone(name, dtype):
    for shape in SHAPES:
        check(alone(name, shape), dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_the_matrices_of_every_operation_alone(name):
    for shape in SHAPES:
        check_matrices(alone(name, shape))


@pytest.mark.long
@pytest.mark.parametrize("dtype", TOLERANCE)
@given(program=array_programs())
@settings(max_examples=40)
def test_random_programs(dtype, program):
    check(program, dtype)


@pytest.mark.long
@pytest.mark.parametrize("dtype", TOLERANCE)
@given(program=array_programs())
@settings(max_examples=30)
def test_matrices_of_random_programs(dtype, program):
    check_matrices(program, dtype)


# ---- the programs of other tests ----


def check_second(f, example, points) -> None:
    """Compare gradients, and Hessians times tangents, with those of the engine."""
    places = tuple(range(len(example)))
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        program = ad.compile_hvp(f, *example, grain="array")
        for point in points:
            point = tuple(np.asarray(x, float)[()] for x in point)
            tangents = along(point)
            gradients, products = ad.jvp(ad.grad(f, argnums=places), point, tangents)
            _, slopes, found = program(point, tangents)
            slopes, found = (slopes, found) if len(places) > 1 else ((slopes,), (found,))
            assert_agree(slopes, gradients, program.source, 1e-9)
            assert_agree(found, products, program.source, 1e-7)


@given(programs(names=NAMES, size=8))
@settings(max_examples=40)
def test_second_derivatives_of_random_programs(program):
    check_second(partial(program.loss, np), program.inputs(), [program.inputs(), *others(program)])


@pytest.mark.parametrize(("f", "example", "swapped"), WRITTEN.values(), ids=WRITTEN)
def test_gradients_of_programs_as_they_are_written(f, example, swapped):
    """Labels and masks are arguments, which are others at other points."""
    rng = np.random.default_rng(8)
    floats = [k for k in range(len(example)) if k not in swapped]
    moved = tuple(
        swapped.get(k, x) if k in swapped else x + 0.2 * rng.normal(size=np.shape(x)) for k, x in enumerate(example)
    )
    program = ad.compile_gradient(f, *example, inputs=floats, grain="array")
    for point in (example, moved):
        value, gradients = program(*point)
        wanted, slopes = ad.value_and_grad(f, argnums=tuple(floats))(*point)
        assert_agree((value, *gradients), (wanted, *slopes), program.source, 1e-9)


@pytest.mark.parametrize("written", WRITING.values(), ids=map(str, WRITING))
def test_programs_that_write_into_arrays(written):
    with np.errstate(all="ignore"):
        program = ad.compile_vjp(written.function, written.point, grain="array")
        for point in (written.point, written.point[::-1].copy(), -written.point):
            values, pullback = ad.vjp(written.function, point)
            adjoint = np.cos(np.arange(float(values.size)))
            assert_agree(program((point,), adjoint), (values, pullback(adjoint)), program.source, 1e-9)


# ---- other judges: JAX, and complex steps ----

JAX = of_library("import jax.numpy as np")
"""The operations of the random programs, as JAX computes them."""
NOT_OF_JAX = IN_PLACE | {"moving sums", "logsumexp", "of both signs", "singular values"}
"""What JAX does not have, or differentiates in another way at ties: 0 of ``np.sign``, equal singular values."""
CHOOSING = {"largest", "smallest", "clipped", "rectified", "maximum", "smaller", "minimum", "absolute", "median"}
"""At ties, which empty and repeated operands bring about, any convex combination of slopes is right."""


def takes(name: str, shape: tuple[int, ...]) -> bool:
    """Whether an operation does with arrays of a shape what its name says."""
    x = np.linspace(0.1, 0.9, max(np.prod(shape), 1)).reshape(shape)
    otherwise = (0.7 * x, 0.6 * x)
    found = ONE[name](x) if name in ONE else TWO[name](x, x)
    return not any(np.shape(found) == shape and np.array_equal(found, each) for each in otherwise)


def gradient_at_points(program: ArrayProgram) -> list:
    """The compiled gradient of the loss at other points than the example, which may be read-only."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        compiled = ad.compile_gradient(program.loss, *program.inputs(0), grain="array")
        points = [program.inputs(1), turned(program.inputs(2))]
        found = [(point, *compiled(*point)) for point in points]
    return [(point, value, slopes if len(point) > 1 else (slopes,)) for point, value, slopes in found]


def check_with_jax(program: ArrayProgram) -> None:
    loss = JAX["ArrayProgram"](*program).loss
    for point, value, slopes in gradient_at_points(program):
        wanted, others = by_jax(loss, *point)
        assert_close(value, wanted, 1e-9)
        for one, other in zip(slopes, others, strict=True):
            assert np.shape(one) == np.shape(other)
            assert_close(one, other, 1e-8)


def assert_complex_step(loss, point, slopes, tolerance: float) -> complex:
    """The derivative along one direction, without cancellation (Squire and Trapp 1998)."""
    direction = [np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x)) for x in point]
    stepped = loss(*(np.asarray(x) + 1e-30j * d for x, d in zip(point, direction, strict=True)))
    slope = sum(np.sum(g * d) for g, d in zip(slopes, direction, strict=True))
    assert_close(slope, np.imag(stepped) / 1e-30, tolerance)
    return stepped


def check_with_complex_steps(program: ArrayProgram) -> None:
    for point, value, slopes in gradient_at_points(program):
        assert_close(value, np.real(assert_complex_step(program.loss, point, slopes, 1e-8)), 1e-9)


@pytest.mark.usefixtures("double_precision")
@pytest.mark.parametrize("name", sorted(NOT_HOLOMORPHIC - NOT_OF_JAX))
def test_every_operation_alone_that_has_no_complex_derivative_is_that_of_jax(name):
    check_with_jax(alone(name, next(shape for shape in ((2, 3), (3,), (2, 2, 3)) if takes(name, shape))))


@pytest.mark.parametrize("name", [name for name in (*ONE, *TWO) if name not in NOT_HOLOMORPHIC])
def test_every_operation_alone_is_a_complex_step(name):
    for shape in ((2, 3), (3,), (2, 2, 3), (3, 1), (0, 3)):
        check_with_complex_steps(alone(name, shape))


@pytest.mark.long
@pytest.mark.usefixtures("double_precision")
@given(array_programs(without=NOT_OF_JAX | CHOOSING))
@settings(max_examples=10)
def test_random_programs_on_arrays_are_those_of_jax(program):
    check_with_jax(program)


@given(array_programs(without=NOT_HOLOMORPHIC))
@settings(max_examples=50)
def test_random_programs_on_arrays_are_complex_steps(program):
    check_with_complex_steps(program)


def by_jax(f, *point):
    return jax.value_and_grad(f, argnums=tuple(range(len(point))))(*map(jnp.asarray, point))


@pytest.mark.slow
@pytest.mark.usefixtures("double_precision")
@given(programs(names=NAMES))
@settings(max_examples=15)
def test_gradients_of_random_programs_are_those_of_jax(program):
    with warnings.catch_warnings(action="ignore"):
        compiled = ad.compile_gradient(partial(program.loss, np), *program.inputs(), grain="array")
    for point in others(program):
        value, gradients = compiled(*point)
        wanted, slopes = by_jax(partial(program.loss, jnp), *point)
        assert_close(value, wanted, 1e-10)
        for one, other in zip(gradients if len(point) > 1 else (gradients,), slopes, strict=True):
            assert_close(one, other, 1e-9)


@given(programs(names=HOLOMORPHIC))
@settings(max_examples=40)
def test_gradients_of_random_programs_are_complex_steps(program):
    with warnings.catch_warnings(action="ignore"):
        compiled = ad.compile_gradient(partial(program.loss, np), *program.inputs(), grain="array")
    for point in others(program):
        gradients = compiled(*point).gradient
        assert_complex_step(partial(program.loss, np), point, gradients if len(point) > 1 else (gradients,), 1e-10)
