"""The fewest multiplications of any set: known optima, below all eliminations and factorizations, and exhaustion."""

import sys
from itertools import product as pairs

import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.algorithms.examples.figures import FIGURES
from adviz.algorithms.expressions import (
    ExpressionError,
    backward_factorization,
    forward_factorization,
    optimal_expressions,
    pages,
)
from adviz.algorithms.expressions import oracle as module
from adviz.algorithms.expressions.oracle import PartialSums
from adviz.graph.linearized.measures import bauer, count_paths

from ...graph.dags import graphs
from .paper import figure_4_1


def scalar(graph):
    """A graph of numbers: each vertex as often as it has entries."""
    copies = {vertex: [(vertex, entry) for entry in range(graph.size(vertex))] for vertex in graph.vertices}
    edges = [pair for i, j in graph.edges for pair in pairs(copies[i], copies[j])]
    return ad.CGraph.from_edges(edges, outputs=[copy for y in graph.outputs for copy in copies[y]])


def complete(*sizes):
    layers = [[(k, row) for row in range(size)] for k, size in enumerate(sizes)]
    return ad.CGraph.from_edges([pair for k in range(len(sizes) - 1) for pair in pairs(layers[k], layers[k + 1])])


@pytest.mark.parametrize(
    ("graph", "cost"),
    [
        (scalar(ad.examples["lion"].graph()), 11),
        (scalar(ad.examples["bat"].graph()), 22),
        (ad.examples["Naumann 2004"].graph(), 7),
        (figure_4_1(), 5),
        (figure_4_1("b"), 8),
        (complete(2, 2, 2), 8),
        (complete(1, 3, 1, 3), 6),
        (ad.CGraph.from_edges([(0, 1), (0, 2)]), 0),
        (ad.CGraph.from_edges([(k, k + 1) for k in range(100)]), 99),
    ],
)
def test_known_optima_are_found_and_proved(graph, cost):
    found = optimal_expressions(graph)
    assert (found.cost, found.lower_bound, found.proved) == (cost, cost, True)
    assert found.expressions.multiplications == cost
    assert found.expressions.evaluated(graph) == pytest.approx(bauer(graph))


@pytest.mark.parametrize("case", FIGURES.values(), ids=FIGURES)
def test_the_figures_cost_what_is_said_of_them(case):
    found = optimal_expressions(case.graph())
    assert (found.cost, found.proved) == (case.optima["face"], True)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(vertices=8))
def test_it_is_the_jacobian_at_no_more_than_any_other_way_proves(graph):
    graph = ad.CGraph.from_edges(graph.edges, outputs=graph.outputs)
    found = optimal_expressions(graph, effort=100_000)
    assert found.expressions.count_paths() == count_paths(graph)
    assert found.expressions.evaluated(graph) == pytest.approx(bauer(graph))
    for other in (pages(graph), backward_factorization(graph), forward_factorization(graph)):
        assert found.cost <= other.multiplications
    for technique in ("vertex", "edge", "face"):
        assert found.cost <= ad.optimal_order(graph, technique, effort=100_000).cost
    assert found.lower_bound <= found.cost


def everything(graph):
    """The fewest products by exhaustion: of all sets of products, smallest first, one that makes every entry."""
    from itertools import combinations

    sums = PartialSums(graph)
    ways = [(made, way) for made, found in sums.ways.items() for way in found]
    wanted = [each for entry in sums.entries if (each := sums.indirect(entry)).bits]

    def makes(whole, chosen, bits):
        """Whether the paths of a sum can be put together from what is chosen, no path twice."""
        if not bits:
            return True
        lowest = bits & -bits
        return any(
            makes(whole, chosen, bits & ~made.bits)
            for made, way in chosen
            if made[:2] == whole[:2] and made.bits & lowest and not made.bits & ~bits and can_multiply(way, chosen)
        )

    def can_multiply(way, chosen):
        return all(makes(each, chosen, sums.indirect(each).bits) for each in way)

    for count in range(len(ways) + 1):
        for chosen in combinations(ways, count):
            if all(makes(each, chosen, each.bits) for each in wanted):
                return count
    raise AssertionError("no set of products makes the entries")


@settings(max_examples=40, deadline=None)
@given(graph=graphs(vertices=5))
def test_it_agrees_with_trying_all_sets_of_products(graph):
    if sum(map(len, PartialSums(graph).ways.values())) <= 14:
        assert optimal_expressions(graph).cost == everything(graph)


def test_the_program_finds_what_nothing_told_it(monkeypatch):
    """Where the known sets are dear ones, a solution of the program is the result."""
    dear = backward_factorization(figure_4_1("b"), references=False)
    monkeypatch.setattr(module, "_by_faces", lambda graph, limit: dear)
    monkeypatch.setattr(module, "pages", lambda graph: type("Pages", (), {"expressions": dear}))
    found = optimal_expressions(figure_4_1("b"))
    assert (found.cost, found.proved) == (8, True)
    assert found.expressions.evaluated(figure_4_1("b")) == pytest.approx(bauer(figure_4_1("b")))


def test_without_time_the_best_known_set_is_given_with_what_is_proved():
    graph = complete(1, 3, 3, 1)
    found = optimal_expressions(graph, effort=0)
    assert found.lower_bound <= found.cost
    assert found.expressions.evaluated(graph) == pytest.approx(bauer(graph))
    assert repr(found).startswith(f"<OptimalExpressions: {found.cost} multiplications, ")


@pytest.mark.long
def test_what_is_too_large_or_no_graph_of_numbers_is_refused():
    with pytest.raises(ExpressionError, match="more than 100,000 products of partial sums"):
        optimal_expressions(complete(1, 3, 3, 3, 3, 1))
    with pytest.raises(ExpressionError, match="0 has 2 entries"):
        optimal_expressions(ad.examples["bat"].graph())
    with pytest.raises(TypeError, match="Expected a CGraph"):
        optimal_expressions("v1 → v2")
    with pytest.raises(ValueError, match="time_limit is -1"):
        optimal_expressions(figure_4_1(), time_limit=-1)


def test_without_scipy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match="pip install scipy"):
        optimal_expressions(figure_4_1("b"))
