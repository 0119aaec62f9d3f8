"""Programs as things: read, drawn, kept, sent to other processes, called from many threads; where NaN was born."""

import ast
import pickle
import re
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.special as special
from hypothesis import given, settings

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.program.program import module_text

from ...engine.derivatives import assert_close
from ..running import any_order, assert_alike, batch, functions, order_of, run

EXAMPLES = ["Roe flux", "six-joint arm", "Black-Scholes"]


# ---- other processes ----


@given(functions(size=10), any_order)
@settings(max_examples=30)
def test_a_program_that_was_pickled_is_the_same(program, order):
    f, example = run(program), program.inputs()
    compiled = ad.compile_jacobian(f, *example, order=order_of(f, example, order))
    arrays = batch(program.shapes, 20)
    compiled(*arrays)
    again = pickle.loads(pickle.dumps(compiled))
    assert again.source == compiled.source
    assert again.cost == compiled.cost
    assert_alike(again(*arrays), compiled(*arrays), 0)
    assert_alike(again(*example), compiled(*example), 0)
    assert [node.block.name for node in again.graph] == [node.block.name for node in compiled.graph]


pytestmark = pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")

ALONE = """
import sys
sys.modules["adviz"] = None
{without}
import numpy as np
import {module} as saved
arguments = np.load("points.npy", allow_pickle=True).item()["arguments"]
np.save("found.npy", np.array({{"found": saved.{function}(*arguments)}}, dtype=object))
"""


def run_alone(program, arguments, folder, without=""):
    """What the saved program returns in a process that has no adviz."""
    program.save(folder / "kept.py")
    np.save(folder / "points.npy", np.array({"arguments": arguments}, dtype=object))
    script = ALONE.format(module="kept", function=program.function_name, without=without)
    # Without bytecode, which would be that of the program saved before, if in the same second and as long.
    subprocess.run([sys.executable, "-B", "-W", "error", "-c", script], cwd=folder, check=True)
    return np.load(folder / "found.npy", allow_pickle=True).item()["found"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_saved_program_imports_only_numpy(name, tmp_path):
    example = ad.examples[name]
    program = ad.compile_jacobian(example.program, *example.arguments, points="last")
    points = [np.multiply.outer(np.asarray(x), np.linspace(1.0, 1.001, 15)) for x in example.arguments]
    imported = {node.module for node in ast.walk(ast.parse(module_text(program))) if isinstance(node, ast.ImportFrom)}
    of_scipy = {"scipy.special"} if name == "Black-Scholes" else set()
    assert imported - {"numpy"} == of_scipy
    found = run_alone(program, points, tmp_path, "" if of_scipy else 'sys.modules["scipy"] = None')
    assert_alike(found, tuple(program(*points)), 1e-13)


# ---- to read ----


def evaluated(program):
    """The function that a program's source defines, with NumPy's names."""
    scope = {}
    exec(compile(module_text(program), "kept", "exec"), scope)
    return scope[program.function_name]


@given(functions(size=10), any_order)
@settings(max_examples=40)
def test_the_source_computes_what_the_program_does_on_one_point_and_on_many(program, order):
    f, example = run(program), program.inputs()
    compiled = ad.compile_jacobian(f, *example, order=order_of(f, example, order), points="last")
    function = evaluated(compiled)
    arrays = batch(program.shapes, 20, "last")
    with np.errstate(all="ignore"):
        assert_alike(function(*example), tuple(compiled(*example)), 1e-12)
        assert_alike(function(*arrays), tuple(compiled(*arrays)), 1e-12)


@given(functions(size=10), any_order)
@settings(max_examples=30)
def test_the_graph_of_a_program_has_its_operations_and_its_results(program, order):
    f, example = run(program), program.inputs()
    compiled = ad.compile_jacobian(f, *example, order=order_of(f, example, order))
    graph = compiled.graph
    ends = {"input", "output"}
    found = sum(node.block.name not in ends for node in graph)
    assert found == compiled.cost.operations
    results = [graph.values[y] for y in graph.outputs]
    expected = np.concatenate([np.ravel(leaf) for part in compiled(*example) for _, leaf in leaves(part, "")])
    left = iter(expected)  # numbers that are no results of operations are no outputs of the graph
    assert all(any(np.isclose(one, other, rtol=1e-12) for other in left) for one in results)


def test_names_are_those_of_the_function_and_comments_say_the_chain_rule():
    def area(width, height):
        diagonal = np.hypot(width, height)
        return np.sin(diagonal) * width

    source = ad.compile_gradient(area, 3.0, 4.0, order="reverse").source
    assert source.startswith("def area_gradient(width, height):")
    assert "diagonal = hypot(width, height)" in source
    assert "# ∂" in source
    assert " · ∂diagonal/∂width" in source


def test_a_saved_program_knows_infinity_of_both_signs(tmp_path):
    program = ad.compile_jacobian(lambda x: np.minimum(np.maximum(x, -np.inf), np.inf), 1.0)
    assert run_alone(program, [2.0], tmp_path) == (2.0, 1.0)


def test_a_saved_program_has_scipys_function_where_numpy_has_another_of_its_name(tmp_path):
    program = ad.compile_gradient(lambda x: special.i0(x), 1.0)
    assert "from scipy.special import i0, i1" in module_text(program)
    assert run_alone(program, [2.5], tmp_path) == tuple(program(2.5))


def test_a_function_of_a_name_that_is_no_word_can_be_read():
    def f(x):
        return x * x

    f.__name__ = "2nd²"
    program = ad.compile_jacobian(f, 1.0)
    assert program.function_name == "program_jacobian"
    assert program.graph.outputs


HOSTILE = "'''\"\"\"\nimport os\\"


def test_names_and_values_from_the_user_are_never_code():
    def f(sin, v2, stacked, inf, q):
        return {HOSTILE: np.sin(sin) * v2 + stacked - inf * q[HOSTILE] * q["import os; os.abort()"]}

    f.__name__ = 'f"""\nimport os #'
    example = 1.0, 2.0, 3.0, 4.0, {HOSTILE: 0.5, "import os; os.abort()": 0.1}
    program = ad.compile_jacobian(f, *example)
    assert program.function_name.isidentifier()
    assert_alike(evaluated(program)(*example), tuple(program(*example)), 1e-15)
    found = program(
        *(
            ({key: np.full(20, x) for key, x in each.items()}) if isinstance(each, dict) else np.full(20, each)
            for each in example
        )
    )
    np.testing.assert_allclose(found.values[HOSTILE], np.sin(1.0) * 2 + 3 - 4 * 0.05, rtol=1e-15)
    assert program.graph.outputs


def test_a_program_says_what_it_is():
    program = ad.compile_jacobian(lambda x: np.sin(x) * x, 1.0)
    assert re.fullmatch(r"<Program <lambda>: \d+ operations, \d+ ns per point expected>", repr(program))
    cost = program.cost
    assert (cost.multiplications, cost.additions, cost.functions) == (2, 1, 2)


# ---- threads ----


def test_one_program_called_from_eight_threads_at_once_with_points_of_their_own():
    program = ad.compile_jacobian(lambda x, y: np.sin(x * y) * np.exp(x) + np.where(x > y, x, y), 1.0, 1.0)
    start = threading.Barrier(8)
    sizes = [1, 5, 13, 500, 8191, 8192, 8193, 30_000]

    def work(k):
        x, y = np.random.default_rng(k).normal(size=(2, sizes[k]))
        start.wait()
        return x, y, [program(x, y) for _ in range(10)]

    with ThreadPoolExecutor(8) as pool:
        for x, y, found in pool.map(work, range(8)):
            for each in found:
                assert_close(each.values, np.sin(x * y) * np.exp(x) + np.maximum(x, y), 1e-13)
                assert_close(each.jacobian[0], np.exp(x) * (np.sin(x * y) + y * np.cos(x * y)) + (x > y), 1e-13)


# ---- NaN and infinity ----


@pytest.mark.parametrize("count", [None, 1, 5, 40])
def test_nan_goes_through_without_a_word(count):
    program = ad.compile_jacobian(lambda x, y: (np.sin(x) * y, y), 1.0, 1.0)
    x = np.nan if count is None else np.full(count, np.nan)
    with warnings.catch_warnings(action="error"):
        found = program(x, 2.0)
    assert np.isnan(found.values[0]).all()
    np.testing.assert_array_equal(found.values[1], np.broadcast_to(2.0, np.shape(x)))


@pytest.mark.parametrize("at", [0, 3, 39, None])
def test_where_nan_is_born_is_told_once_with_its_line(at):
    def f(x):
        return np.log(x - 1.0) * 2

    program = ad.compile_jacobian(f, 5.0)
    x = np.full(40, 5.0)
    x[at or 0] = -3.0
    with pytest.warns(ad.NonFiniteWarning) as told:
        found = program(x if at is not None else -3.0)
    assert len(told) == 1
    message = str(told[0].message)
    assert "NaN arises in log" in message
    assert "np.log(x - 1.0)" in message
    assert "test_program.py" in message
    assert (f"at point {at}" in message) == (at is not None)
    assert np.isnan(np.atleast_1d(found.values)[at or 0])


def test_what_is_not_chosen_is_not_told():
    program = ad.compile_jacobian(lambda x: np.where(x > 0, np.log(x), 0.0), 1.0)
    with warnings.catch_warnings(action="error"):
        for x in (np.linspace(-1, 1, 41), -1.0, np.array([-1.0, 0.0, 1.0])):
            found = program(x)
            assert np.isfinite(found.values).all()
            assert np.isfinite(found.jacobian).all()


@pytest.mark.parametrize("mode", ["raise", "warn", "ignore"])
def test_numpys_error_state_of_the_caller_is_not_touched_nor_asked(mode):
    program = ad.compile_jacobian(lambda x: np.where(x > 0, np.log(x), x), 1.0)
    with np.errstate(all=mode):
        before = np.geterr()
        program(np.linspace(-1, 1, 40))
        assert np.geterr() == before
