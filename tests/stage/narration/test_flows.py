"""What a sweep did, read off its Steps: the same as what the engines return, for all of them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

import adviz as ad
from adviz.stage.narration.flows import flow_of, shown

from ..programs import ENGINES, EXPRESSIONS, NUMBERS, PROGRAMS, compiled, is_finite, quietly, twice


def reverse(graph, engine="toposort", seeds=None):
    seeds = seeds or {output: np.ones(np.shape(graph.values[output])) for output in graph.outputs}
    return flow_of(graph, ad.Timeline.record({}, ad.sweeps.ENGINES[engine](graph, seeds)), True)


def forward(graph, direction):
    return flow_of(graph, ad.Timeline.record({}, ad.forward_flow(graph, direction)), False)


def checked(flow):
    """Every product is what is given times the local partial; every result is the sum of the contributions."""
    for edge, sent in flow.sent.items():
        assert np.allclose(sent.given, flow.results[flow.source(edge)], equal_nan=True)
        jacobian = flow.graph.local_jacobians(edge[0])[edge[1]][1].dense()
        flat = np.ravel(sent.given) @ jacobian if flow.reverse else jacobian @ np.ravel(sent.given)
        assert np.allclose(flat, np.ravel(sent.product))
    for node, result in flow.results.items():
        terms = [flow.sent[edge].product for edge in flow.contributions(node)]
        assert np.allclose(sum(terms) + flow.seeds.get(node, 0.0), result)


@pytest.mark.parametrize("engine", ENGINES)
@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=25, deadline=None)
def test_the_results_of_a_sweep_are_the_gradient_whatever_the_engine(engine, expression, x, y):
    f = compiled(expression)
    graph = quietly(f, x, y)
    assume(is_finite(graph))
    flow = reverse(graph, engine)
    expected = ad.grad(f, argnums=(0, 1))(x, y)
    assert np.allclose([flow.results.get(node, 0.0) for node in graph.inputs], expected)
    checked(flow)


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=40, deadline=None)
def test_the_results_of_a_forward_sweep_are_the_derivative_in_its_direction(expression, x, y):
    f = compiled(expression)
    graph = quietly(f, x, y)
    assume(is_finite(graph))
    flow = forward(graph, {0: 1.0, 1: -2.0})
    assert np.allclose(flow.results[shown(graph, graph.outputs[0])], ad.jvp(f, (x, y), (1.0, -2.0))[1])
    checked(flow)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_products_and_results_agree_where_they_are_easily_told_wrong(program, engine):
    graph = ad.trace(program, 0.5, 2.0)
    flow = reverse(graph, engine)
    checked(flow)
    step = 1e-6
    for node, (one, other) in enumerate(
        [((0.5 + step, 2.0), (0.5 - step, 2.0)), ((0.5, 2.0 + step), (0.5, 2.0 - step))]
    ):
        difference = np.sum(program(*one)) - np.sum(program(*other))
        assert flow.results[node] == pytest.approx(difference / (2 * step), rel=1e-5)


def test_both_uses_in_a_square_are_edges_of_their_own():
    flow = reverse(ad.trace(twice, 3.0, 1.0))
    assert [flow.sent[2, place].product for place in (0, 1)] == [3.0, 3.0]
    assert flow.contributions(0) == [(2, 0), (2, 1)]
    assert flow.results[0] == 6.0
    assert 0 in flow.sums


def test_what_is_returned_and_used_starts_with_its_seed_and_adds_what_comes():
    graph = ad.trace(lambda x: (h := x * 2.0, np.sin(h)), 0.5)
    flow = reverse(graph)
    assert flow.seeds == {1: 1.0, 2: 1.0}
    assert flow.results[1] == pytest.approx(1.0 + np.cos(1.0))
    assert 1 in flow.sums


def test_an_input_that_is_returned_is_seeded():
    flow = reverse(ad.trace(lambda x: (x, x * 3.0), 2.0))
    assert flow.seeds[0] == 1.0
    assert flow.results[0] == 4.0


def test_a_node_that_is_returned_twice_is_seeded_with_both():
    assert reverse(ad.trace(lambda x: (h := x * 3.0, h), 2.0)).results == {1: 2.0, 0: 6.0}


def test_constants_receive_nothing():
    graph = ad.trace(lambda x: 2.0 * x - 3.0, 1.0)
    assert len(reverse(graph).sent) == 2


def test_nan_flows_on():
    flow = reverse(quietly(lambda x: np.log(x) * x, -1.0))
    assert np.isnan(flow.results[0])
    assert not np.isnan(flow.seeds[2])


def test_what_is_no_single_sweep_is_none():
    graph = ad.trace(lambda w, x, z: (w * x, w * z), 2.0, 3.0, 4.0)
    devices = ad.sweeps.parallel_tape(graph, dict.fromkeys(graph.outputs, 1.0))
    assert flow_of(graph, ad.Timeline.record({}, devices), True) is None


def test_a_sweep_whose_sums_are_wrong_is_none():
    case = ad.examples["fan-out"]
    graph = ad.trace(case.program, *case.arguments)
    right = ad.use_counts(graph, {graph.outputs[0]: 1.0})
    wrong = ad.use_counts(graph, {graph.outputs[0]: 1.0}, in_place=True)
    assert flow_of(graph, ad.Timeline.record({}, right), True).results[0] == 8.0
    assert flow_of(graph, ad.Timeline.record({}, wrong), True) is None
