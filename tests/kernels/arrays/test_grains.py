"""The grain ``"auto"``: what either grain can compile, it compiles, and all grains agree."""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.arrays.array_program import ArrayProgram
from adviz.kernels.program.program import Program

DRAW = np.random.default_rng(3).normal
MATRIX, LONG = DRAW(size=(6, 6)), DRAW(size=600)


def numbers(structure):
    return np.concatenate([np.ravel(np.asarray(each, float)) for _, each in leaves(structure, "")])


ONLY_ON_ARRAYS = {
    "eigenvalues": lambda a: np.sum(np.linalg.eigvalsh(a @ a.T)),
    "singular values": lambda a: np.sum(np.linalg.svd(a, compute_uv=False)),
    "an inverse": lambda a: np.sum(np.linalg.inv(a @ a.T + 9 * np.eye(6))),
    "a sorted array": lambda a: np.sum(np.sort(a, axis=1)[:, :3] ** 2),
}


@pytest.mark.parametrize("f", ONLY_ON_ARRAYS.values(), ids=ONLY_ON_ARRAYS)
def test_what_is_impossible_number_by_number_is_compiled_on_arrays(f):
    with pytest.raises(ad.AdvizError):
        ad.compile_gradient(f, MATRIX, grain="scalar")
    program = ad.compile_gradient(f, MATRIX)
    assert isinstance(program, ArrayProgram)
    np.testing.assert_allclose(program(MATRIX.T).gradient, ad.grad(f)(MATRIX.T), 1e-9)


def test_points_are_refused_where_a_program_is_on_arrays_because_the_scalar_grain_is_impossible():
    program = ad.compile_gradient(lambda x: np.sum(np.sort(np.stack([x, -x])) * [1.0, 3.0]), 0.5)
    assert program(-2.0).gradient == -2.0
    with pytest.raises(ad.BranchError, match=r"at .*test_grains.py"):
        program(np.ones(5))


def test_options_of_points_never_lead_to_arrays():
    for options in ({"points": "last"}, {"order": "forward"}):
        with pytest.raises(ad.AdvizError):
            ad.compile_gradient(ONLY_ON_ARRAYS["eigenvalues"], MATRIX, **options)(MATRIX)


def test_the_error_is_that_of_the_scalar_grain_where_neither_can():
    with pytest.raises(ad.BranchError, match=r"at .*test_grains.py"):
        ad.compile_gradient(lambda x: np.sum(x) if x[0] > 0 else x[1], LONG)
    with pytest.raises(ad.OutputError):
        ad.compile_gradient(np.sin, LONG)


def scaled(x, k):
    return np.sum(np.sin(x) * np.exp(-(x**2)) * k)


POINTS = {
    "one point": (LONG, 2.0),
    "lists": (LONG.tolist(), 2),
    "whole numbers": (np.arange(600), 2),
    "masks": (LONG > 0, True),
    "three points": (DRAW(size=(3, 600)), 2.0),
    "three points of both": (DRAW(size=(3, 600)), np.arange(3.0)),
    "one point with its axis": (LONG[None], np.ones(1)),
    "no point": (np.zeros((0, 600)), 2.0),
}


@pytest.mark.parametrize("maker", [ad.compile_gradient, ad.compile])
def test_calls_that_the_scalar_grain_takes_are_taken(maker):
    auto, scalar = (maker(scaled, LONG, 2.0, grain=grain) for grain in ("auto", "scalar"))
    assert (type(auto), type(scalar)) == (ArrayProgram, Program)
    for name, point in POINTS.items():
        found, wanted = auto(*point), scalar(*point)
        shapes, expected = ([np.shape(each) for _, each in leaves(result, "")] for result in (found, wanted))
        assert shapes == expected, name
        np.testing.assert_allclose(numbers(found), numbers(wanted), 1e-9, 1e-12, err_msg=name)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(x) * x,
        lambda x: x[0],
        lambda x: [x, x[1]],
        lambda x: {"a": x, "b": (x[0], 2 * x)},
        lambda x: (x,),
        lambda x: x.reshape(3, 1) * x,
    ],
)
@pytest.mark.parametrize(
    "options", [{"grain": "scalar"}, {"grain": "array"}, pytest.param({"backend": "numba"}, id="numba")]
)
def test_functions_alone_return_any_structure_at_one_point(f, options):
    x = np.array([0.1, 0.2, 0.3])
    with warnings.catch_warnings(action="ignore"):
        program = ad.compile(f, x, **options)
    for _ in range(2):
        found = program(2 * x)
        assert type(found) is type(f(2 * x)) or np.isscalar(found)
        np.testing.assert_allclose(numbers(found), numbers(f(2 * x)), 1e-12)
