"""Programs on arrays agree with the engine at other points than the example's, in values, shapes and dtypes."""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.pytrees import leaves

from .array_programs import ONE, SHAPES, TWO, ArrayProgram

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
            assert_agree(pulled(tuple(point), adjoints).adjoints, pullback(adjoints), pulled.source, 10 * close)
            for x, kept in zip(point, before, strict=True):
                np.testing.assert_array_equal(x, kept)


def alone(name: str, shape: tuple[int, ...]) -> ArrayProgram:
    count = 1 if name in ONE else 2
    return ArrayProgram((shape,) * count, ((name, tuple(range(count))),), (count,))


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_operation_alone(name):
    for shape in SHAPES:
        check(alone(name, shape))
