"""Programs on arrays of other libraries agree with those of NumPy, which agree with the engine."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.engine.calls import leaves, rebuild

from ..kernels.libraries.cupy_here import LIBRARIES
from .array_programs import ONE, SHAPES, TWO, array_programs
from .programs_for_all_points import WRITING, WRITTEN
from .test_array_programs import TOLERANCE, alone, along, assert_agree

pytestmark = pytest.mark.usefixtures("double_precision", "imported_cupy")


def moved(structure, change):
    return rebuild(structure, iter([change(value) for _, value in leaves(structure, "")]))


def check_kind(compile_it, function, example, arguments, where, dtype="float64", tolerance=1e-8, **options) -> None:
    """Compare a program on the arrays of a library with that on NumPy's."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        wanted = compile_it(function, *example, grain="array", **options)(*arguments)
        program = compile_it(function, *example, grain="array", backend=where.backend, **options)
        found = moved(program(*moved(arguments, where.asarray)), where.get)
    real = [np.asarray(each).dtype.kind == "f" for _, each in leaves(wanted, "")]
    assert all(each.dtype == dtype for (_, each), is_real in zip(leaves(found, ""), real, strict=True) if is_real)
    as_wanted = (np.asarray(one).astype(np.asarray(two).dtype) for (_, one), (_, two) in
                 zip(leaves(found, ""), leaves(wanted, ""), strict=True))  # fmt: skip
    assert_agree(rebuild(wanted, as_wanted), wanted, program.source, tolerance)


def check(program, where, dtype="float64", tolerance=1e-8) -> None:
    """Compare programs of all kinds."""
    example, point = program.inputs(0, dtype), tuple(program.inputs(1, dtype))
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        values = program(*point)
    adjoints = tuple(np.sin(1 + np.asarray(y)).astype(dtype)[()] for y in values)
    kinds = [
        (ad.compile, program, point),
        (ad.compile_gradient, program.loss, point),
        (ad.compile_jvp, program, (point, along(point))),
        (ad.compile_vjp, program, (point, adjoints)),
        (ad.compile_jacobian, program, point),
    ]
    for compile_it, function, arguments in kinds:
        check_kind(compile_it, function, example, arguments, where, dtype, tolerance)


@pytest.mark.parametrize("library", ["strict", "cupy"])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_operation_alone(name, library):
    for shape in SHAPES[1:5]:
        program = alone(name, shape)
        example = program.inputs(0)
        check_kind(ad.compile_gradient, program.loss, example, tuple(program.inputs(1)), LIBRARIES[library])


@pytest.mark.long
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-8), ("float32", 5 * TOLERANCE["float32"])])
@given(program=array_programs())
@settings(max_examples=20)
def test_random_programs_in_the_words_of_the_standard(dtype, tolerance, program):
    check(program, LIBRARIES["strict"], dtype, tolerance)


@pytest.mark.slow
@given(array_programs())
@settings(max_examples=10)
def test_random_programs_on_jax(program):
    check(program, LIBRARIES["jax"])


@given(array_programs())
@settings(max_examples=15)
def test_random_programs_on_the_stand_in_for_cupy(program):
    example = program.inputs(0)
    check_kind(ad.compile_gradient, program.loss, example, tuple(program.inputs(1)), LIBRARIES["cupy"])


@pytest.mark.parametrize("library", ["strict", pytest.param("jax", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("f", "example", "swapped"), WRITTEN.values(), ids=WRITTEN)
def test_programs_as_they_are_written(f, example, swapped, library):
    floats = [k for k in range(len(example)) if k not in swapped]
    point = tuple(swapped.get(k, x) if k in swapped else x + 0.1 for k, x in enumerate(example))
    check_kind(ad.compile_gradient, f, example, point, LIBRARIES[library], inputs=floats)


@pytest.mark.parametrize("library", ["strict", pytest.param("jax", marks=pytest.mark.slow)])
@pytest.mark.parametrize("written", WRITING.values(), ids=map(str, WRITING))
def test_programs_that_write_into_arrays(written, library):
    with np.errstate(all="ignore"):
        adjoint = np.cos(np.arange(float(written.function(written.point.copy()).size)))
    arguments = ((-written.point,), adjoint)
    check_kind(ad.compile_vjp, written.function, (written.point,), arguments, LIBRARIES[library])
