"""One definition of edges, GLOSSARY.md's: an edge is a use. All places that count edges or uses count the same ones."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.comparison import ENGINES, Meter, compare
from adviz.stage.drawing.frames import Film
from adviz.stage.drawing.marks import Text
from adviz.stage.shows import detail, explorer_scene, sweep_scene
from tests.stage.goldens import as_graphs


def wave(x, y):
    return np.sin(x) + x * y


def dead_branch(x, y):
    np.exp(x) * y
    return x * y


def returned_and_used(x, y):
    h = x * y
    return h, np.sin(h), h


def arguments_returned(x, y):
    return x, x * x + y, 3.0 * y


def loop(x, y):
    for _ in range(4):
        x = x * x + y
    return x


def layer(x, y):
    return np.sum(np.tanh(x * np.ones((2, 3)) @ np.ones(3) + y))


PROGRAMS = {  # with the number of uses, counted by hand
    wave: 5,
    dead_branch: 2,
    returned_and_used: 3,
    arguments_returned: 5,
    loop: 16,
    layer: 6,
}
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


def traced(program):
    graph = ad.trace(program, 0.5, 2.0)
    return graph, dict.fromkeys(graph.outputs, 1.0)


def uses_of(graph):
    """The definition: an operand of a node that reaches an output, where that node is no output itself."""
    return [
        sum(
            graph.operand_nodes(user).count(node)
            for user in range(len(graph))
            if graph.live[user] and user not in graph.outputs
        )
        for node in range(len(graph))
    ]


@EACH
def test_a_graph_and_what_is_shown_of_it(program):
    graph, _ = traced(program)
    uses, edges = uses_of(graph), PROGRAMS[program]
    assert sum(uses) == graph.edges == edges
    assert list(graph.times_used) == uses == graph.table()["times_used"].tolist()
    assert [node.times_used for node in graph] == uses
    assert f", {edges} edges" in graph.summary()
    assert f", {edges} edges" in repr(graph)
    assert explorer_scene.sizes_panel(graph)["edges"] == edges
    assert sum(each["uses"] * each["count"] for each in explorer_scene.sizes_panel(graph)["uses"]) == edges
    assert [detail.detail(graph, node)["times_used"] for node in range(len(graph))] == uses
    of_node = explorer_scene.node_columns(graph, np.full(len(graph), -1, np.int32))["uses"]
    assert of_node.tolist() == uses
    drawn = [item for item in explorer_scene.view(graph)["nodes"] if item["node"] is not None]
    assert [item["uses"] for item in drawn] == [uses[item["node"]] for item in drawn]


@EACH
def test_compare_and_the_meter(program):
    graph, seeds = traced(program)
    table = compare(graph, seeds=seeds)
    edges = PROGRAMS[program]
    dead = sum(len(graph.operand_nodes(node)) for node in range(len(graph)) if not graph.live[node])
    for name in ENGINES:
        assert table[name]["edges"] == edges + (dead if name == "tape" else 0)  # the naive tape plays dead nodes, too
    found = {name: table[name]["counts"] for name in ENGINES if table[name]["counts"]}
    assert found == {"recursion": edges, "toposort": 2 * edges, "use_counts": edges}  # toposort counts down apart
    meter = Meter(graph.outputs)
    for step in ad.forward_flow(graph):
        meter.add(step)
    assert meter.edges == edges + dead


@EACH
@pytest.mark.parametrize("engine", ["recursion", "toposort", "use_counts"])
def test_what_an_engine_counts_and_what_a_node_awaits(program, engine):
    graph, seeds = traced(program)
    state, most = {}, dict.fromkeys(range(len(graph)), 0)
    for step in ENGINES[engine](graph, seeds, state=state):
        for node in most:
            most[node] = max(most[node], state.get(("times_used", node), 0))
        if step.kind == "visit" and step.focus[0] not in graph.outputs:
            left = state.get(("times_used", step.focus[0]), 0) - state.get(("times_visited", step.focus[0]), 0)
            assert left == 0
    assert [most[node] for node in range(len(graph))] == uses_of(graph)


@EACH
@pytest.mark.parametrize("engine", ["recursion", "toposort", "use_counts"])
def test_what_captions_say(program, engine):
    graph, seeds = traced(program)
    document, _ = sweep_scene.backward_scene(graph, engine, seeds=seeds, panels="table")
    counted = [step for step in document["steps"] if step["kind"] == "count" and "whole" in step]
    assert int(re.search(r"(\d+) uses? in all", counted[0]["whole"])[1]) == PROGRAMS[program]


def test_what_is_returned_awaits_nothing():
    graph, _ = traced(wave)
    with as_graphs():
        document, _ = sweep_scene.backward_scene(graph, "toposort")
    film, awaited = Film(document), {}
    for cursor in range(len(document["steps"]) + 1):
        for item in film.picture(cursor).items:
            for mark in item.marks:
                if isinstance(mark, Text) and mark.text.startswith("awaits "):
                    awaited.setdefault(int(item.key.removeprefix("graph/n")), set()).add(mark.text)
    x, y, sine, product = range(4)
    assert awaited == {x: {"awaits 1", "awaits 2"}, **{node: {"awaits 1"} for node in (y, sine, product)}}
