"""Every technique with every order gives the Jacobian; every timeline replays and rewinds; and costs obey theorems."""

import warnings
from functools import partial
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms import elimination as el
from adviz.algorithms.elimination.orders import NAMES
from adviz.algorithms.elimination.techniques import WAYS
from adviz.graph.linearized.measures import count_paths, index_domains, index_ranges

from ...agreement.programs import SHAPES, programs
from ...graph.dags import graphs
from .running import any_edge, assert_jacobian, on_graph, on_line_graph, recorded

KEYS = [el.markowitz, el.relative_markowitz, el.fill_in, el.overall, el.minimal_damage, el.Damage(0.5), el.reverse]
drawn = given(graphs(largest=3), st.integers(0, 2**16))


def any_vertex(random, graph):
    return random.choice(graph.intermediates) if graph.intermediates else None


def any_face(random, dual):
    return random.choice(dual.interior_faces) if dual.interior_faces else None


# ---- agreement ----


@drawn
def test_edges_in_any_order_give_the_jacobian(graph, seed):
    on_graph(graph, lambda graph: ad.edge_elimination(graph, partial(any_edge, Random(seed))))


@given(graphs(vertices=7, largest=2), st.integers(0, 2**16), st.sampled_from(sorted(WAYS)))
def test_faces_in_any_order_give_the_jacobian_whatever_the_way_of_the_products(graph, seed, way):
    on_line_graph(graph, lambda dual: ad.face_elimination(dual, partial(any_face, Random(seed)), way=way))


@given(graphs(largest=2), st.sampled_from(KEYS))
def test_greedy_orders_give_the_jacobian(graph, key):
    on_graph(graph, lambda graph: ad.vertex_elimination(graph, el.greedy(key)))
    on_graph(graph, lambda graph: ad.edge_elimination(graph, el.greedy_edges(key, el.forward)))


@given(graphs(vertices=7), st.sampled_from([el.faces_left, el.forward, el.reverse]))
def test_greedy_orders_of_faces_give_the_jacobian(graph, key):
    on_line_graph(graph, lambda dual: ad.face_elimination(dual, el.greedy_faces(key)))


@given(graphs(vertices=7, largest=2))
def test_factoring_derivative_graphs_gives_the_jacobian(graph):
    factored = el.derivative_graphs(graph)
    recorded(factored, ad.dstar)
    assert_jacobian(graph, factored.jacobian())


@settings(max_examples=50)
@given(programs(SHAPES, 6), st.integers(0, 2**16))
def test_labels_with_structure_are_eliminated_like_others(program, seed):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.linearize(lambda *args: program(np, *args), *program.inputs())
    for algorithm in (ad.vertex_elimination, partial(ad.edge_elimination, order=partial(any_edge, Random(seed)))):
        on_graph(graph, algorithm)
    on_line_graph(graph, partial(ad.face_elimination, order=partial(any_face, Random(seed))))
    factored = el.derivative_graphs(graph)
    recorded(factored, ad.dstar)
    assert_jacobian(graph, factored.jacobian())


# ---- theorems ----


@drawn
def test_a_vertex_costs_its_markowitz_degree(graph, seed):
    for j in Random(seed).sample(graph.intermediates, len(graph.intermediates)):
        before, behind = graph.predecessors(j), graph.successors(j)
        steps = list(el.eliminate_vertex(graph, j, ad.Counting("block")))
        assert sum(step.multiplications for step in steps) == len(before) * len(behind) == len(steps) - 1


@drawn
def test_a_vertex_is_all_edges_into_it_or_all_edges_out_of_it_or_all_its_faces(graph, seed):
    order = Random(seed).sample(graph.intermediates, len(graph.intermediates))
    by_vertex = on_graph(graph, lambda graph: ad.vertex_elimination(graph, order))
    fronts = on_graph(graph, lambda graph: edges_by_vertex(graph, order, into))
    backs = on_graph(graph, lambda graph: edges_by_vertex(graph, order, out_of))
    assert costs(fronts) == costs(backs) == costs(by_vertex)
    assert costs(on_line_graph(graph, lambda dual: ad.face_elimination(dual, in_order(order)))) == costs(by_vertex)


def edges_by_vertex(graph, order, moves):
    for j in order:
        for move in moves(graph, j):
            yield from el.eliminate_edge(graph, move)


def into(graph, j):
    return [("front", i, j) for i in graph.predecessors(j)]


def out_of(graph, j):
    return [("back", j, k) for k in graph.successors(j)]


def in_order(order):
    """An order of vertices as a greedy one, so that it may stand for edges and faces."""
    return el.greedy(lambda graph: order.index)


def costs(timeline):
    return timeline.multiplications, timeline.additions


@given(graphs())
def test_forward_and_reverse_orders_cost_what_sparse_forward_and_reverse_mode_cost(graph):
    """But for the products with seeds: an edge out of an input, or into an output, is multiplied with none."""
    domains, ranges = index_domains(graph), index_ranges(graph)
    forward = sum(len(domains[i]) for i, _ in graph.edges if i not in graph.inputs)
    reverse = sum(len(ranges[j]) for _, j in graph.edges if j not in graph.outputs)
    for order, expected in (("forward", forward), ("reverse", reverse)):
        found = sum(step.multiplications for step in ad.vertex_elimination(graph.copy(), order))
        assert found == expected


@given(graphs(largest=2))
def test_the_best_order_by_name_is_the_cheapest_of_all_names_for_every_technique(graph):
    by_name = {name: on_graph(graph, lambda graph: ad.vertex_elimination(graph, name)) for name in NAMES}  # noqa: B023
    cheapest = min(timeline.multiplications for timeline in by_name.values())
    assert on_graph(graph, ad.vertex_elimination).multiplications == cheapest
    assert on_graph(graph, ad.edge_elimination).multiplications == cheapest
    assert on_line_graph(graph, ad.face_elimination).multiplications == cheapest


@drawn
def test_a_key_says_what_happens_to_the_overall_markowitz_degree(graph, seed):
    random = Random(seed)
    while graph.intermediates:
        move = random.choice([any_vertex, any_edge])(random, graph)
        expected, before = el.overall(graph)(move), overall_degree(graph)
        list(el.eliminate_edge(graph, move) if isinstance(move, tuple) else el.eliminate_vertex(graph, move))
        assert overall_degree(graph) - before == expected


def overall_degree(graph):
    markowitz = el.markowitz(graph)
    return sum(markowitz(j) for j in graph.intermediates)


@given(graphs(), st.integers(0, 2**16))
def test_a_face_absorbs_where_it_can_so_that_entries_are_told_once(graph, seed):
    """No two interior nodes are twins, at no time."""
    dual, random = ad.line_graph(graph), Random(seed)
    while face := any_face(random, dual):
        list(el.eliminate_face(dual, face))
        sides = [(dual.predecessors(e), dual.successors(e)) for e in dual.interior]
        assert len(sides) == len(set(sides))


@drawn
def test_heaps_keep_what_looking_at_all_candidates_finds(graph, seed):
    for key in KEYS:
        order = el.greedy(key)
        assert el.greedy_order(graph, key) == el.vertex_order(graph, lambda graph, order=order: order(graph))


@given(graphs(vertices=7))
def test_splitting_all_nodes_lists_the_paths(graph):
    dual = ad.line_graph(graph)
    recorded(dual, el.full_splitting)
    assert all(len(dual.predecessors(e)) == len(dual.successors(e)) == 1 for e in dual.interior)
    assert len([e for e in dual.interior if e[0] in graph.inputs]) == count_paths(graph)
    list(ad.face_elimination(dual, el.greedy_faces(el.forward)))
    assert_jacobian(graph, dual.jacobian())
