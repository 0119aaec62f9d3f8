"""Running eliminations in tests: on copies, with everything that every timeline has to keep."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from adviz import CGraph, Step, Timeline, line_graph, replay, rewind

from ...graph.dags import assembled, dense_jacobian


def any_edge(random: Random, graph: CGraph) -> Any:
    fronts = [("front", i, j) for i, j in graph.edges if graph.is_intermediate(j)]
    backs = [("back", i, j) for i, j in graph.edges if graph.is_intermediate(i)]
    return random.choice(fronts + backs) if fronts + backs else None


def recorded(graph: Any, algorithm: Callable[[Any], Iterator[Step]]) -> Timeline:
    """The timeline of an algorithm on a graph, which replays and rewinds, as states and on the graph itself."""
    timeline = Timeline(graph.state(), algorithm(graph))
    end = graph.state()
    assert same(replay(timeline.start, timeline), end)
    assert same(rewind(end, timeline), timeline.start)
    for step in reversed(timeline.steps):
        graph.undo(step)
    assert same(graph.state(), timeline.start)
    for step in timeline:
        graph.redo(step)
    assert same(graph.state(), end)
    return timeline


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def on_graph(graph: CGraph, algorithm: Callable[[CGraph], Iterator[Step]]) -> Timeline:
    """The timeline of an algorithm that ends with the Jacobian of the graph, which stays as it is."""
    trial = graph.copy()
    timeline = recorded(trial, algorithm)
    assert trial.is_bipartite
    assert_jacobian(graph, trial.jacobian())
    return timeline


def on_line_graph(graph: CGraph, algorithm: Callable[[Any], Iterator[Step]]) -> Timeline:
    """The same on its line graph."""
    dual = line_graph(graph)
    timeline = recorded(dual, algorithm)
    assert dual.is_tripartite
    assert len(dual.jacobian()) == len(dual.interior)
    assert_jacobian(graph, dual.jacobian())
    return timeline


def assert_jacobian(graph: CGraph, entries: dict) -> None:
    expected = dense_jacobian(graph)
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(assembled(graph, entries), expected, rtol=0, atol=1e-11 * scale)
