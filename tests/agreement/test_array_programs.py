"""Programs on arrays agree with the engine at other points than the example's, in values, shapes and dtypes."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.engine.calls import leaves

from ..engine.derivatives import assert_close
from .array_programs import NOT_HOLOMORPHIC, ONE, SHAPES, TWO, ArrayProgram, array_programs
from .programs import HOLOMORPHIC, programs
from .programs_for_all_points import NAMES, WRITING, WRITTEN, others

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


@pytest.mark.parametrize(("f", "example", "swapped"), WRITTEN.values(), ids=WRITTEN)
def test_a_gradient_within_a_program(f, example, swapped):
    direction = np.cos(np.arange(float(np.size(example[0])))).reshape(np.shape(example[0]))
    floats = [k for k in range(len(example)) if k not in swapped]
    elsewhere = tuple(swapped[k] if k in swapped else 1.1 * x for k, x in enumerate(example))

    def slope(x, *others):
        return np.sum(ad.grad(f)(x, *others) * direction)

    program = ad.compile_gradient(slope, *example, inputs=floats, grain="array")
    value, gradients = program(*elsewhere)
    wanted, slopes = ad.value_and_grad(slope, argnums=tuple(floats))(*elsewhere)
    assert_agree((value, *gradients), (wanted, *slopes), program.source, 1e-9)


@pytest.mark.parametrize("written", WRITING.values(), ids=map(str, WRITING))
def test_programs_that_write_into_arrays(written):
    with np.errstate(all="ignore"):
        program = ad.compile_vjp(written.function, written.point, grain="array")
        for point in (written.point, written.point[::-1].copy(), -written.point):
            values, pullback = ad.vjp(written.function, point)
            adjoint = np.cos(np.arange(float(values.size)))
            assert_agree(program((point,), adjoint), (values, pullback(adjoint)), program.source, 1e-9)


# ---- another judge: complex steps; the engine is compared with JAX in test_programs.py ----


def assert_complex_step(loss, point, slopes, tolerance: float) -> complex:
    """The derivative along one direction, without cancellation (Squire and Trapp 1998)."""
    direction = [np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x)) for x in point]
    stepped = loss(*(np.asarray(x) + 1e-30j * d for x, d in zip(point, direction, strict=True)))
    slope = sum(np.sum(g * d) for g, d in zip(slopes, direction, strict=True))
    assert_close(slope, np.imag(stepped) / 1e-30, tolerance)
    return stepped


def check_with_complex_steps(program: ArrayProgram) -> None:
    """At other points than the example, which may be read-only."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        compiled = ad.compile_gradient(program.loss, *program.inputs(0), grain="array")
        for point in (program.inputs(1), turned(program.inputs(2))):
            value, slopes = compiled(*point)
            slopes = slopes if len(point) > 1 else (slopes,)
            assert_close(value, np.real(assert_complex_step(program.loss, point, slopes, 1e-8)), 1e-9)


@pytest.mark.parametrize("name", [name for name in (*ONE, *TWO) if name not in NOT_HOLOMORPHIC])
def test_every_operation_alone_is_a_complex_step(name):
    for shape in ((2, 3), (3,), (2, 2, 3), (3, 1), (0, 3)):
        check_with_complex_steps(alone(name, shape))


@given(array_programs(without=NOT_HOLOMORPHIC))
@settings(max_examples=50)
def test_random_programs_on_arrays_are_complex_steps(program):
    check_with_complex_steps(program)


@given(programs(names=HOLOMORPHIC))
@settings(max_examples=40)
def test_gradients_of_random_programs_are_complex_steps(program):
    with warnings.catch_warnings(action="ignore"):
        compiled = ad.compile_gradient(partial(program.loss, np), *program.inputs(), grain="array")
    for point in others(program):
        gradients = compiled(*point).gradient
        assert_complex_step(partial(program.loss, np), point, gradients if len(point) > 1 else (gradients,), 1e-10)
