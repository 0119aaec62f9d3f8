"""Control flow that depends on values, on arrays: each point takes its own path, and is as if it had been alone."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.arrays.array_program import MOST, ArrayProgram
from adviz.kernels.branches import ArrayBranches, Branches

from .running import assert_alike

RNG = np.random.default_rng(0)


def settled(x):
    """A loop of as many iterations as the point takes, a choice after it, and one by the shape."""
    total = np.sum(np.abs(x))
    while total > 1.0:
        x = np.sin(x) / 2
        total = np.sum(np.abs(x))
    if np.any(x > 0.2) and len(x) > 2:
        return np.sum(np.cos(x) * x)
    return np.sum(x**3)


def newton(a, x):
    """Newton's method for the norm of a matrix, until it converges, and its cube."""
    a = np.sum(a * a)
    while abs(x * x - a) > 1e-6 * a:
        x = (x + a / x) / 2
    return x**3


def factored(a):
    """What one path takes of a matrix raises elsewhere."""
    if np.all(np.linalg.eigvalsh(a @ a.T - np.eye(3)) > 0) and np.linalg.cholesky(a @ a.T - np.eye(3))[0, 0] > 1:
        return np.linalg.slogdet(a)[1]
    return np.sum(np.sin(a))


CASES = {
    "iterations and choices": (settled, [(scale * RNG.normal(size=n),) for scale in (0.1, 1, 5) for n in (3, 1, 4, 3)]),
    "Newton's method": (newton, [(RNG.normal(size=(2, 2)), np.exp(RNG.normal())) for _ in range(6)]),
    "conditions that fail elsewhere": (factored, [(s * RNG.normal(size=(3, 3)),) for s in (3, 0.1, 9, 1, 0.3)]),
    "the largest by Python": (lambda x: max(x) * min(x), [(RNG.normal(size=3),) for _ in range(5)]),
    "sorted by Python": (lambda x: sorted(x)[1] ** 2, [(RNG.normal(size=3),) for _ in range(5)]),
    "a mask of integers": (lambda x, k: x @ x if np.all(k > 0) else np.sum(x), [(RNG.normal(size=2), k) for k in
                           (np.array([1, 2]), np.array([1, 0]), np.array([5, 5]))]),
    "not at all": (lambda x: np.sum(x * x), [(RNG.normal(size=n),) for n in (2, 3, 2)]),
}  # fmt: skip


def real_places(point):
    return [k for k, x in enumerate(point) if np.asarray(x).dtype.kind == "f"]


@pytest.mark.parametrize("name", CASES)
def test_every_point_takes_its_own_path(name):
    f, points = CASES[name]
    places = real_places(points[0])
    inputs = places[0] if len(points[0]) == 1 else places
    program = ad.compile_gradient(f, *points[0], inputs=inputs, grain="array", branches=True)
    assert isinstance(program, ArrayBranches)
    for point in [*points, *points]:
        before = [np.copy(x) for x in point]
        value, gradient = program(*point)
        wanted, slopes = ad.value_and_grad(f, argnums=inputs if isinstance(inputs, int) else tuple(inputs))(*point)
        assert_alike((value, gradient), (wanted, slopes))
        assert all(map(np.array_equal, before, point))
    assert all(isinstance(each, ArrayProgram) for each in program.programs)
    assert len(program.programs) > 1


def test_a_path_that_is_known_is_not_compiled_again():
    program = ad.compile_gradient(settled, np.ones(3), grain="array", branches=True)
    for _ in range(2):
        for scale in (1.0, 0.1, 9.0):
            program(scale * np.ones(3))
        assert len({each.guard.decisions for each in program.programs}) == len(program.programs) == 3


THREE = st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=3, max_size=3).map(np.array)


def chosen(x, y):
    """Choices of all kinds between formulas of arrays."""
    if np.sum(x) > np.sum(y):
        x, y = y, x * x
    for k in range(3):
        if x[k] > 0.5:
            x = np.tanh(x) * y[k]
        elif not y[k] < 0:
            break
    return np.sum(np.exp(-x * x) * y)


@given(st.lists(st.tuples(THREE, THREE), min_size=1, max_size=6))
@settings(max_examples=40)
def test_programs_of_random_points_are_those_of_the_engine(points):
    with warnings.catch_warnings(action="ignore"):
        program = ad.compile_gradient(chosen, *points[0], grain="array", branches=True)
        for x, y in points:
            assert_alike(program(x, y), ad.value_and_grad(chosen, argnums=(0, 1))(x, y))


# ---- kinds of programs ----


def matrix_path(x):
    """A vector, by another formula on each side."""
    return np.sin(x) * x[0] if np.sum(x) > 0 else x**2


def test_all_kinds_of_programs():
    x, y = np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    options = {"grain": "array", "branches": True}
    loss = lambda x: np.sum(matrix_path(x))  # noqa: E731
    function = ad.compile(matrix_path, x, **options)
    jacobian = ad.compile_jacobian(matrix_path, x, **options)
    hessian = ad.compile_hessian(loss, x, **options)
    pushed, pulled = ad.compile_jvp(matrix_path, x, **options), ad.compile_vjp(matrix_path, x, **options)
    product = ad.compile_hvp(loss, x, **options)
    for point in (x, y, np.ones(3), -np.ones(3)):
        assert_alike(function(point), matrix_path(point))
        assert_alike(jacobian(point).jacobian, ad.jacobian(matrix_path)(point))
        assert_alike(hessian(point).hessian, ad.hessian(loss)(point))
        assert_alike(pushed((point,), (point + 1,)).tangents, ad.jvp(matrix_path, (point,), (point + 1,))[1])
        assert_alike(pulled((point,), point + 1).adjoints, ad.vjp(matrix_path, point)[1](point + 1))
        assert_alike(product((point,), (point,)).product, ad.hessian(loss)(point) @ point)


def test_results_may_have_another_shape_on_another_path():
    program = ad.compile(lambda x: x if x[0] > 0 else np.stack([x, x]), np.ones(2), grain="array", branches=True)
    assert program(np.ones(2)).shape == (2,)
    assert program(-np.ones(2)).shape == (2, 2)
    adjoint = ad.compile_vjp(lambda x: x if x[0] > 0 else np.stack([x, x]), np.ones(2), grain="array", branches=True)
    with pytest.raises(ad.InputError, match=r"adjoint is .*expected an array of shape \(2, 2\)"):
        adjoint((-np.ones(2),), np.ones(2))


@pytest.mark.long
def test_the_grain_is_chosen_by_size():
    few, many = np.ones(3), np.ones(2000)
    assert isinstance(ad.compile_gradient(settled, few, branches=True), Branches)
    program = ad.compile_gradient(settled, many / 9000, branches=True)
    assert isinstance(program, ArrayBranches)
    points = np.stack([many / 9000, -many / 5000])
    for row, gradient in zip(points, program(points).gradient, strict=True):  # an axis more: in the scalar grain
        assert_alike(gradient, ad.grad(settled)(row))


# ---- shapes and dtypes ----


def test_shapes_and_dtypes_are_specializations_of_which_the_last_are_kept():
    program = ad.compile_gradient(settled, np.full(1, 0.1), grain="array", branches=True)
    for n in range(2, MOST + 3):
        program(np.full(n, 0.01))
    assert list(program.specializations) == [f"x ({n},)" for n in range(3, MOST + 3)]
    single = program(np.full(3, 0.01, np.float32)).gradient
    assert single.dtype == np.float32
    assert list(program.specializations)[-1] == "x (3,) float32"
    assert program.specializations["x (5,)"] in program.source


def test_the_program_of_a_path_is_no_other_path():
    program = ad.compile_gradient(settled, np.full(3, 0.1), grain="array", branches=True)
    (path,) = program.programs
    assert_alike(path(np.full(2, 0.1)).gradient, np.full(2, 0.03))
    with pytest.raises(ad.ProgramError, match=r"one path through settled, .* Call what compile_\* returned"):
        path(np.full(4, 5.0))


# ---- to inspect, save and send ----


def test_what_is_decided_several_times_is_counted():
    program = ad.compile_gradient(newton, np.ones((2, 2)), 2.1, grain="array", branches=True)
    text = "abs(x * x - a) > 1e-6 * a"
    assert program.source.startswith(f"# Where 3 times {text}, not {text} (line ")


def test_branches_are_shown_by_the_path_of_the_example():
    program = ad.compile_gradient(settled, np.full(3, 0.1), grain="array", branches=True)
    assert repr(program) == "<Branches of settled: 1 program so far>"
    explorer = ad.show_program(program)
    assert explorer.program is program
    with pytest.raises(ad.AdvizError, match="a roofline is of programs over many points"):
        explorer.roofline()


# ---- errors ----


def test_a_function_that_has_changed_is_compiled_again():
    def scaled(x):
        return np.sum(x) * rate if x[0] > 0 else np.sum(x)

    rate = 2.0
    program = ad.compile_gradient(scaled, np.ones(2), grain="array", branches=True)
    rate = 3.0
    with pytest.raises(ad.ProgramError, match="rate has another value"):
        program(np.ones(2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0, "inputs": 0}, "rows may take different paths: leave branches out"),
        ({"order": "markowitz"}, "on arrays it is 'reverse' or 'best'"),
        ({"points": "last"}, "points='last' is an option of programs over points"),
    ],
)
def test_options_that_do_not_go_together_are_named(options, message):
    with pytest.raises(ad.AdvizError, match=message):
        ad.compile_gradient(lambda w, x: np.sum(w * x), np.ones(2), np.ones(2), grain="array", branches=True, **options)


def test_where_a_program_is_not_finite_the_engine_is_asked_as_of_a_program_of_one_path():
    def length(x):
        return np.linalg.norm(x) ** 2 if x[0] < 1 else np.sum(x)

    def caught(x):
        try:
            return math.sqrt(x[0] - 0.5) * x[1]
        except ValueError:
            return x[1] ** 2 * x[0]

    origin, x = np.zeros(2), np.array([0.3, 1.2])
    found = ad.compile_hessian(length, origin, grain="array", branches=True)(origin).hessian
    np.testing.assert_array_equal(found, 2 * np.eye(2))
    value, gradient = ad.compile_gradient(caught, x, grain="array", branches=True)(x)
    assert value == pytest.approx(caught(x))
    np.testing.assert_allclose(gradient, [1.44, 0.72])
