"""The graphs of the literature cost what is said of them: in all orders of vertices, and in published ones."""

import pytest

import adviz as ad
from adviz.algorithms.elimination.moves import eliminate_vertex
from adviz.algorithms.examples.figures import FIGURES
from adviz.algorithms.examples.functions import slide
from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.graph.linearized.measures import bauer_multiplications, count_paths

CASES = GRAPHS | FIGURES
each_graph = pytest.mark.parametrize("name", CASES)


def cost(elimination) -> int:
    return sum(step.multiplications for step in elimination)


@each_graph
def test_all_orders_of_vertices_cost_from_the_optimum_to_the_worst(name):
    case = CASES[name]
    assert least_and_most(case.graph()) == (case.optima["vertex"], case.worst)


def least_and_most(graph):
    """The costs of the cheapest and the dearest order of vertices: what is left depends on which are gone alone."""
    whole = frozenset(graph.intermediates)
    known, left = {frozenset(): (0, 0)}, {frozenset(): graph}
    for _ in whole:
        after, graphs = {}, {}
        for gone, (least, most) in known.items():
            for j in whole - gone:
                now = left[gone].copy()
                work = cost(eliminate_vertex(now, j))
                low, high = after.get(gone | {j}, (least + work, 0))
                after[gone | {j}] = min(low, least + work), max(high, most + work)
                graphs[gone | {j}] = now
        known, left = after, graphs
    return known[whole]


@each_graph
def test_listing_the_paths_costs_what_is_said(name):
    case = CASES[name]
    graph = case.graph()
    assert count_paths(graph, graph.size) == case.paths
    assert bauer_multiplications(graph) == case.listed


@pytest.mark.parametrize("name", ["lion", "bat"])
def test_in_scalars_a_vertex_of_size_two_is_two_vertices(name):
    case, scalar = GRAPHS[name], GRAPHS[f"scalar {name}"]
    numbers, parts = iter(range(100)), {}
    for vertex in case.graph().vertices:
        parts[vertex] = [next(numbers) for _ in range(case.sizes.get(vertex, 1))]
    assert set(scalar.edges) == {(i, j) for tail, head in case.edges for i in parts[tail] for j in parts[head]}
    assert (scalar.worst, scalar.paths, scalar.listed) == (case.worst, case.paths, case.listed)
    assert scalar.optima.items() <= case.optima.items()


def test_the_program_of_the_slide_has_its_graph():
    case = GRAPHS["slide"]
    graph = ad.linearize(slide, 1.2, 0.7)
    number = {vertex: place for place, vertex in enumerate(graph.vertices)}
    assert {(number[i], number[j]) for i, j in graph.edges} == set(case.edges)
    assert cost(ad.vertex_elimination(graph.copy(), [graph.vertices[j] for j in (3, 2, 4)])) == case.optima["vertex"]


@pytest.mark.parametrize(("part", "name"), [("(a)", "two diamonds"), ("(b)", "two crossed diamonds")])
def test_the_diamonds_are_figure_4_1_numbered_along_the_data(part, name):
    case = FIGURES[f"figure 4.1 {part}"]
    assert {(8 - tail, 8 - head) for tail, head in case.edges} == set(GRAPHS[name].edges)
