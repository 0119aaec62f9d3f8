"""Control flow that depends on values: every point goes its own way, and is as if it had been alone."""

import pickle
import warnings
from runpy import run_path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels import branches
from adviz.kernels.program_errors import ProgramError

from ..agreement.programs import OPERATIONS, programs
from ..engine.derivatives import assert_close
from ..real_input.algorithms import heron
from .running import batch, engine, matrices, point, quiet, run

RNG = np.random.default_rng(0)
pytestmark = pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")


def crossing(x, y):
    """Another formula on each side of a line, and on it."""
    if x > y:
        return x * y
    return np.sin(x) if x < y else x**3


def halved(x):
    """As many turns as it takes."""
    turns = 0.0
    while abs(x) > 1.0:
        x, turns = x / 2, turns + x
    return x * turns


CASES = {
    "sides of a line": (crossing, np.linspace(-2, 2, 24), np.repeat([0.3, -1.0, 2.0], 8)),
    "while": (halved, np.linspace(-9, 9, 23)),
    "pivots": (np.linalg.solve, RNG.normal(size=(20, 3, 3)), RNG.normal(size=(20, 3))),
    "if": (lambda x: x * x if x > 0 else -x, np.linspace(-2, 2, 23)),
    "if, and": (lambda x: x if x > 0 and x < 1 else 2 * x, np.linspace(-2, 2, 23)),
    "a constant on one side": (lambda x: 0.0 if x < 0 else x, np.linspace(-2, 2, 23)),
    "Heron's rule": (heron, np.linspace(0.1, 5, 23)),
    "max and min of Python": (lambda x: max(x[0], x[1]) * min(x[0], 1.0), RNG.normal(size=(20, 2))),
    "sorting": (np.sort, RNG.normal(size=(20, 3))),
    "the median": (np.median, RNG.normal(size=(20, 3))),
    "the place of the largest": (lambda x: x[np.argmax(x)] ** 2, RNG.normal(size=(20, 3))),
    "all": (lambda x: x * 2 if np.all(x > 0) else x * x, RNG.normal(size=(20, 2))),
    "any": (lambda x: x * 2 if (x > 1).any() else x * x, RNG.normal(size=(20, 2))),
    "how many": (lambda x: x[0] if np.sum(x > 0) >= 2 else 2 * x[1], RNG.normal(size=(20, 3))),
    "a table": (lambda x: np.interp(x, [-1.0, 0.0, 1.0], [0.0, 1.0, 4.0]), np.linspace(-1.3, 1.3, 23)),
    "pieces": (lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda x: x * x, np.sin]), RNG.normal(size=(20, 2))),
    "det": (np.linalg.det, RNG.normal(size=(20, 3, 3))),
    "slogdet": (lambda a: np.prod(np.linalg.slogdet(a)), RNG.normal(size=(20, 3, 3))),
    "inv": (np.linalg.inv, RNG.normal(size=(20, 3, 3))),
}


@pytest.mark.slow
@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("name", CASES)
def test_every_point_goes_its_own_way(name, points):
    f, *arrays = CASES[name]
    arrays = arrays if points == "first" else [np.moveaxis(x, 0, -1) for x in arrays]
    count = len(CASES[name][1])
    program = ad.compile_jacobian(f, *point(arrays, 0, points), points=points, branches=True)
    values, jacobians = matrices(program(*arrays), [x.shape[1:] for x in CASES[name][1:]], points)
    assert len(program.programs) > 1
    for k in range(count):
        alone = point(arrays, k, points)
        expected = engine(f, alone)
        assert_close(values[k : k + 1], expected[0], 1e-12)
        assert_close(jacobians[k : k + 1], expected[1], 1e-10)
        assert_close(np.ravel(program(*alone).values), values[k], 1e-14)


@given(
    programs(size=10, shapes=[(), (3,)], names=[*OPERATIONS, "by number", "by number"]), st.sampled_from([0, 1, 13, 40])
)
@settings(max_examples=40)
def test_random_functions_with_branches_are_the_engines(program, count):
    arrays = batch(program.shapes, count)
    compiled = ad.compile_jacobian(run(program), *program.inputs(), branches=True)
    values, jacobians = matrices(compiled(*arrays), program.shapes)
    for k in range(0, count, 7):
        expected = engine(run(program), point(arrays, k))
        assert_close(values[k : k + 1], expected[0], 1e-12)
        assert_close(jacobians[k : k + 1], expected[1], 1e-10)


def absolute(x):
    return x**3 if x > 0 else -x


def test_all_kinds_of_programs():
    x = np.array([1.0, -2.0])
    assert_close(ad.compile_gradient(absolute, 1.0, branches=True)(x).gradient, [3.0, -1.0])
    assert_close(ad.compile_hessian(absolute, 1.0, branches=True)(x).hessian, [6.0, 0.0])
    assert_close(ad.compile_jvp(absolute, 1.0, branches=True)((x,), (2 * x,)).tangents, [6.0, 4.0])
    vjp = ad.compile_vjp(absolute, 1.0, branches=True)
    assert_close(vjp((x,), np.array([1.0, 5.0])).adjoints[0], [3.0, -5.0])
    assert vjp((-2.0,), 5.0).adjoints == (-5.0,)


def test_arguments_that_are_the_same_at_all_points():
    program = ad.compile_jacobian(lambda x, y: x * y if x > y else -x, 3.0, 2.0, branches=True)
    found = program(np.array([3.0, -3.0, 5.0]), 2.0)
    assert_close(found.values, [6.0, 3.0, 10.0])
    assert_close(found.jacobian[1], [3.0, 0.0, 5.0])


@pytest.mark.parametrize("x", [np.zeros(0), np.array([[1.0]])[0], np.array([1.0, np.nan, -1.0])])
def test_no_points_one_point_and_nan(x):
    program = ad.compile_jacobian(absolute, 1.0, branches=True)
    with warnings.catch_warnings(action="error"):
        found = program(x)
    np.testing.assert_array_equal(found.values, [absolute(each) for each in x])
    assert len(x) > 0 or len(program.programs) == 1


def test_what_is_decided_without_values_needs_no_guard():
    program = ad.compile_gradient(lambda x: np.sum(x) if len(x) > 2 else x[0], np.ones(3), branches=True)
    program(np.ones((5, 3)))
    assert [each.guard for each in program.programs] == [None]
    assert program.source == program.programs[0].source


@pytest.mark.parametrize("exponent", [-2, 3, 4])
def test_points_where_rounding_decides_go_one_of_the_ways(exponent):
    for x in np.random.default_rng(abs(exponent)).uniform(0.5, 2.0, 50).tolist():
        limit = min(x**exponent, np.prod([x if exponent > 0 else 1 / x] * abs(exponent)))
        program = ad.compile_gradient(lambda x, limit=limit: x if x**exponent > limit else -x, 3.0, branches=True)
        assert abs(program(np.array([3.0, x, 0.1])).gradient).tolist() == [1.0] * 3
        assert len(program.programs) == 2


REFUSED = {
    "other shapes": (lambda x: np.stack([x, x]) if x > 0 else x, "results of different shapes", {}),
    "another structure": (lambda x: (x, x) if x > 0 else x, "results of different shapes", {}),
    "a sparse form": (absolute, "the form is 'dense'", {"form": "csr"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_one_program_for_each_way_cannot_do(name):
    f, message, options = REFUSED[name]
    points = np.concatenate([[1.0, -1.0], np.geomspace(1e-3, 9, 150)])
    with pytest.raises(ProgramError, match=message), quiet():
        ad.compile_jacobian(f, 1.0, branches=True, **options)(points)


# ---- what holds for numbers and for arrays ----

each_grain = pytest.mark.parametrize("grain", ["scalar", "array"])


def by_branches(f, *example, grain):
    return ad.compile_gradient(f, *example, grain=grain, branches=True)


@each_grain
def test_without_branches_what_depends_on_values_is_refused_with_its_place(grain):
    with pytest.raises(ad.BranchError, match="branches=True") as caught:
        ad.compile_gradient(crossing, 1.0, 2.0, grain=grain)
    assert caught.value.origin.text == "x > y"


@each_grain
def test_what_the_function_raises_at_a_point_is_raised(grain):
    def positive(x):
        if x < 0:
            raise ValueError("too low")
        return x

    program = by_branches(positive, 1.0, grain=grain)
    with pytest.raises(ValueError, match="too low"):
        program(-1.0)


@each_grain
def test_another_process_knows_the_paths_that_were_seen(grain):
    program = by_branches(crossing, 1.0, 0.0, grain=grain)
    program(0.0, 2.0)
    sent = pickle.loads(pickle.dumps(program))
    for x, y in ((3.0, 0.0), (-1.0, 5.0)):
        assert sent(x, y) == program(x, y) == ad.value_and_grad(crossing, (0, 1))(x, y)
    assert sent.source == program.source
    with pytest.raises(ad.ProgramError, match="takes a path that no point had taken"):
        sent(1.0, 1.0)
    assert program(1.0, 1.0).gradient[0] == 3.0


@each_grain
def test_the_source_has_each_path_below_what_was_decided(grain):
    program = by_branches(crossing, 1.0, 0.0, grain=grain)
    program(1.0, 1.0)
    program(1.0, 2.0)
    first = crossing.__code__.co_firstlineno + 2
    greater, less = (f"x {sign} y (line {first + k})" for k, sign in ((0, ">"), (2, "<")))
    heads, sources = zip(*(path.split("\n", 1) for path in program.source.split("\n\n\n")), strict=True)
    assert heads == (f"# Where {greater}", f"# Where not {greater}, not {less}", f"# Where not {greater}, {less}")
    assert list(sources) == [each.source for each in program.programs]


@each_grain
def test_a_path_that_is_saved_says_where_it_holds(grain, tmp_path):
    program = by_branches(lambda x: x * x if x > len('"""\\\n') else -x, 9.0, grain=grain)
    program.programs[0].save(tmp_path / "path.py")
    assert "\n# Where x > " in (tmp_path / "path.py").read_text("utf-8")
    assert run_path(str(tmp_path / "path.py"))["lambda_gradient"](5.0) == (25.0, 10.0)


@each_grain
def test_paths_without_end_are_told(grain, monkeypatch):
    monkeypatch.setattr(branches, "MOST_PATHS", 12)

    def counted(x):
        k = 0.0
        while k < x:
            k = k + 1
        return x * k

    program = by_branches(counted, 1.0, grain=grain)
    for x in range(12):
        program(float(x))
    with pytest.raises(ProgramError, match="counted takes more than 12 paths"):
        program(12.0)
    assert program(5.0).gradient == 5.0


# ---- what is told ----


def test_what_was_decided_of_numbers_and_many_times_is_told():
    def f(x):
        if x[0]:
            return np.sort(x)[0]
        return x[1]

    program = ad.compile_gradient(f, [2.0, 1.0], branches=True)
    assert program.source.startswith("# Where x[0] != 0, not x[0] < x[1], x[0] > x[1] (line ")
    program([[0.0, 1.0]])
    assert "# Where not x[0] != 0\ndef" in program.source


def test_long_decisions_are_wrapped():
    program = ad.compile_gradient(lambda x: sum(each for each in x if each > 0.5), np.ones(12), branches=True)
    lines = program.source.split("\n")
    comments = [line for line in lines if line.startswith("#")]
    assert len(comments) > 1
    assert max(map(len, comments)) <= 110


@pytest.mark.parametrize("order", ["forward", "reverse", "best"])
def test_what_was_decided_may_be_a_number_that_a_dead_value_is_made_of(order):
    def f(x):
        inverse = np.linalg.inv(np.reshape(np.cos(x) * x, (1, 1)))[0]
        determinant = np.linalg.det(np.reshape(inverse, (1, 1)))
        inverse * x
        return determinant

    points = np.array([[-0.2], [0.7]])
    found = ad.compile_jacobian(f, points[0], branches=True, order=order)(points)
    np.testing.assert_allclose(found.values, [f(x) for x in points])
    np.testing.assert_allclose(found.jacobian, [ad.jacobian(f)(x) for x in points])


@pytest.mark.parametrize("grain", ["scalar", "array", "auto"])
def test_what_a_condition_picks_to_be_written_is_refused_by_name(grain):
    def f(x):
        m = np.outer(x, x)
        m[m > 0.5] *= 0.5
        return np.sum(m)

    with pytest.raises(ad.BranchError, match=r"used as an index|How many numbers"):
        ad.compile_gradient(f, np.ones(2), grain=grain)
