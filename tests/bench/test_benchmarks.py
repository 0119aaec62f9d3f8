"""The benchmarks run and print what they promise. Their figures depend on the machine and are not tested."""

import ast
import importlib
import json
import math
import operator
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def run(tmp_path):
    """Run a benchmark as a person does; returns what it printed and what it wrote as JSON."""

    def benchmark(script, *options):
        found = tmp_path / "found.json"
        command = [sys.executable, str(BENCH / script), "--quick", *options, "--json", str(found)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return printed, json.loads(found.read_text())

    return benchmark


@pytest.mark.parametrize("script", sorted(BENCH.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_takes_from_adviz_is_there(script):
    """Also in `gpu.py`, which runs on a GPU only."""
    statements = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.module.partition(".")[0] == "adviz":
            module = importlib.import_module(statement.module)
            assert [alias.name for alias in statement.names if not hasattr(module, alias.name)] == []


BENCHMARKS = {
    "trace.py": (["--peers"], ["| adviz |", "trace, 2,000 nodes / 1,000 nodes"]),
    "engine.py": (["--peers"], ["NumPy, by hand", "NumPy, forward only"]),
    "large.py": ([], ["| Jacobian of Roe's flux | 1,000,000 |"]),
    "explore.py": (
        [],
        ["| loop | 100 |", "seconds to the first picture", "| program | nodes | scopes, s | find numbers |"],
    ),
    "player.py": ([], ["| 50 nodes, folded | 13 |", "50 nodes, folded, bytes of the page"]),
    "elimination.py": ([], ["| lion | 1 · 2 · 3 | 12 | 12 | 12 |", "at most: 1.000 (goal 1.000): reached"]),
    "kernels.py": (["--peers", "autograd"], ["Jacobians at 100 points", "Drawn functions, all cores, 100 points"]),
    "algebra.py": ([], ["| ns per edge | 1,000 edges | 10,000 edges |"]),
    "lazy.py": ([], ["| digits, two layers |"]),
}
"""Their options, and some of what they print."""
IN_A_BROWSER = {"explore.py", "player.py"}


def figures(found):
    """All numbers of a JSON document."""
    inner = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    yield from [found] if isinstance(found, int | float) else []
    for each in inner:
        yield from figures(each)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", [pytest.param(each, marks=[pytest.mark.browser] * (each in IN_A_BROWSER)) for each in BENCHMARKS]
)
def test_a_benchmark_prints_its_tables_and_its_goals(run, script):
    """It ends, and so the peers have agreed; a figure that was not measured would be missing, or no number."""
    options, lines = BENCHMARKS[script]
    printed, found = run(script, *options)
    assert [line for line in lines if line not in printed] == []
    assert found["goals"]
    assert all(map(math.isfinite, figures(found)))


def test_a_wrong_derivative_is_refused(monkeypatch):
    """Nothing is measured of a library whose derivative differs from the one written by hand."""
    monkeypatch.syspath_prepend(str(BENCH))
    engine = importlib.import_module("engine")
    with pytest.raises(SystemExit, match="network, adviz: the relative error of the derivative is"):
        engine.check("network, adviz", (1.0, [np.ones(2)]), (1.0, [np.array([1.0, 1.0 + 1e-8])]))


def test_without_a_browser_no_time_to_the_first_picture_is_claimed(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(BENCH))
    explore, measure = map(importlib.import_module, ("explore", "measure"))
    monkeypatch.setattr(measure, "BROWSERS", ("no such browser",))
    assert explore.browser_seconds([Path("page.html")], 1) == [None]
    assert "the browser's part is left out" in capsys.readouterr().out
    assert list(explore.goals({("loop", 100): {"first": 0.1, "browser": None, "bytes": 5}})) == []


def test_the_peer_of_the_player_is_set_up_where_it_is_known(monkeypatch):
    """Another version of the peer, whose front end is another, is not measured unawares."""
    monkeypatch.syspath_prepend(str(BENCH))
    player = importlib.import_module("player")
    assert player.moving("graph.fade(false)") == "graph.transition(() => transition().duration(300)).fade(false)"
    with pytest.raises(SystemExit, match="graphviz-anywidget has changed"):
        player.moving("graph.fade(true)")


# ---- orders of elimination ----


@pytest.fixture
def elimination(monkeypatch):
    """The benchmark as a module."""
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("elimination")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("window", [3, 20, 1000])
def test_random_programs_need_all_they_compute_and_the_peers_find_their_jacobian(elimination, window, seed):
    edges = elimination.random_program(60, window, 4, seed)
    graph = elimination.graph_of(edges)
    assert (len(graph.intermediates), len(graph.outputs)) == (60, 4)
    assert len(graph.inputs) <= 4
    deque(ad.vertex_elimination(graph, "markowitz"), maxlen=0)
    for peer in elimination.Dictionaries(edges), elimination.Networkx(edges):
        elimination.by_markowitz(peer, elimination.middle(edges))
        assert peer.jacobian() == pytest.approx(graph.jacobian(), rel=1e-12)


def test_a_size_is_reached_only_if_all_graphs_up_to_it_are_proved_in_time(elimination):
    outcomes = [(10, 1.0, True), (10, 9.0, True), (15, 2.0, True), (15, 11.0, True), (20, 3.0, True), (20, 60.0, False)]
    entries = [
        {"technique": "vertex", "intermediates": size, "seconds": seconds, "proved": proved}
        for size, seconds, proved in outcomes
    ]
    assert elimination.reach(entries, "vertex", 10, "intermediates") == 10
    assert elimination.reach(entries, "vertex", 60, "intermediates") == 15
    assert elimination.reach(entries, "edge", 60, "intermediates") == 0


def test_what_is_not_proved_is_shown_with_its_bound(elimination):
    assert elimination.cell({"cost": 1234, "lower_bound": 1200, "proved": False}) == "1,200–1,234"
    assert elimination.cell({"cost": 1234, "lower_bound": 1234, "proved": True}) == "**1,234**"
    assert elimination.cell(None) == "–"


# ---- programs for many points ----


@pytest.fixture
def kernels(monkeypatch):
    """The benchmark as a module."""
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("kernels")


def test_drawn_functions_have_18_operations_each_used_and_all_three_functions(kernels):
    for function in kernels.kernels_drawn.drawn(12):
        graph = ad.trace(function, *np.ones(4) * 0.5)
        assert len([node for node in range(len(graph)) if graph.operand_nodes(node)]) >= 18
        assert all(graph.live)
        assert {"sin", "exp", "tanh"} <= {*function.__code__.co_names}


def test_drawn_functions_are_compared_with_the_best_of_jax_in_either_layout(kernels):
    drawn = kernels.kernels_drawn
    figures = dict.fromkeys(drawn.JAX, 10.0) | {"jax, jacrev, points first": 5.0, "numba, points last": 2.0}
    assert drawn.shares([figures], "numba", "last") == [0.4]
    assert drawn.shares([figures], "numpy", "last") == []
    assert list(drawn.goals({"one core, 100,000 points": [figures]})) == [
        "drawn functions, one core, 100,000 points, points last: numba / best jax, geometric mean: 0.40 (goal 0.40): "
        "reached"
    ]


def test_a_sample_is_taken_again_while_others_are_busy(kernels, monkeypatch):
    measure = importlib.import_module("measure")
    loads = iter([0.5, 0.3, 0.01])
    monkeypatch.setattr(measure.Watch, "others", lambda self: next(loads))
    taken = []
    monkeypatch.setattr(
        measure.subprocess, "run", lambda *_, **__: taken.append(1) or SimpleNamespace(stdout='{"ns": 3.0}\n')
    )
    assert measure.samples("script", [["task"]], 1, patience=5) == [{"ns": 3.0, "others": 0.01}]
    assert len(taken) == 3


def test_what_others_used_is_what_this_process_and_its_children_did_not(kernels, monkeypatch):
    watch = importlib.import_module("measure").Watch
    clock = iter([10.0, 12.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    monkeypatch.setattr(watch, "_busy", staticmethod(iter([100.0, 103.0]).__next__))
    monkeypatch.setattr(watch, "_own", staticmethod(iter([7.0, 9.0]).__next__))
    assert watch().others() == 0.5


def test_a_wrong_jacobian_is_refused(kernels):
    """Nothing is measured of a library whose Jacobian differs from the engine's in one partial."""
    subject = kernels.subject_of("Black-Scholes", 10)
    task = kernels.peers.adviz(subject)
    found = task.jacobian(task.run())
    kernels.check("adviz", subject, found)
    found[3, -1] += 1e-8 * np.abs(found[3]).max()
    with pytest.raises(SystemExit, match=r"adviz: the relative error of the Jacobian is 1\.0e-08"):
        kernels.check("adviz", subject, found)


@pytest.mark.parametrize("title", ["Roe flux", "six-joint arm", "Black-Scholes", "pollution"])
def test_a_function_in_another_library_computes_the_same(kernels, title):
    case = ad.examples[title]
    library = SimpleNamespace(sqrt=math.sqrt, sin=math.sin, cos=math.cos, exp=math.exp, log=math.log)
    library.abs, library.arctan2, library.dot = abs, math.atan2, operator.mul
    function = kernels.peers.translated(case.program, library, kernels.peers.normal(math.erf))
    assert function(*case.arguments) == pytest.approx(case.program(*case.arguments), rel=1e-14)


def test_ranks_correlate_by_order_not_by_size(kernels):
    assert kernels.rank_correlation([1.0, 2.0, 3.0], [10.0, 100.0, 1e6]) == pytest.approx(1)
    assert kernels.rank_correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1)


def test_adviz_is_compared_with_the_best_of_its_peers(kernels):
    found = {"adviz / slow": 0.2, "adviz / quick": 0.5}
    assert kernels.share(found, ["slow", "quick", "not measured"]) == 0.5
    figures = {"points": {100_000: {"Roe flux": {f"adviz / {name}": 0.5 for name in kernels.JAX}}}}
    assert list(kernels.goals(figures | {"first": {}, "hessian": {}, "orders": {}, "drawn": {}})) == [
        "Roe flux, 100,000 points: adviz / best jax: 0.50 (goal 0.45): not reached"
    ]


def test_a_plan_of_another_program_is_refused(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    lazy = importlib.import_module("lazy")
    with pytest.raises(SystemExit, match="these are two programs"):
        lazy.check([1.0], [1.0 + 1e-6])
