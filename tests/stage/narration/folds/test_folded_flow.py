"""Sweeps over folds: every number is that of the engine, and nothing is sent before it is known."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms import sweeps
from adviz.engine.sweeps import Sweeps
from adviz.graph.timeline import LiveTimeline
from adviz.stage.narration.flows import adds_up, flow_of, shown
from adviz.stage.narration.folds import choosing, statements
from adviz.stage.narration.folds.folded_flow import FoldedSweep, flow_over, folded_flow
from adviz.stage.narration.folds.folded_graph import FoldedGraph
from adviz.stage.narration.playing import Playback, Run
from adviz.stage.shows.flow_scene import named

from ...programs import ENGINES, EXPRESSIONS, NUMBERS, compiled, is_finite, quietly
from ..test_flows import checked
from .programs import PROGRAMS, two_results
from .test_folded_graph import PLACE, folded


def told(graph, algorithm, kind):
    """The flow over a folded graph, with its steps."""
    run = Run("run", "run", kind, "forward" if kind == "forward" else "toposort", LiveTimeline({}, algorithm))
    steps = Playback(graph.whole, run, FoldedSweep(graph), "graph", lambda _: None, named(graph.whole, "f")).documents()
    work = len(steps)
    flow = folded_flow(graph, run, steps)
    assert len(steps) == flow.steps >= work
    return flow, steps


def reverse(graph, engine="toposort", seeds=None):
    adjoints = seeds or {graph.outputs[0]: 1.0}
    return told(graph, lambda *args, **kw: sweeps.ENGINES[engine](graph.whole, adjoints, *args, **kw), "reverse")


def forward(graph, direction):
    return told(graph, lambda *args, **kw: sweeps.forward_flow(graph.whole, direction, *args, **kw), "forward")


def check(flow, steps):
    """Products are given times local partials, sums are sums, and what is given has come before."""
    checked(flow)
    for edge, sent in flow.sent.items():
        source = flow.source(edge)
        assert all(flow.sent[other].step < sent.step for other in flow.contributions(source))
        assert flow.sums.get(source, -1) < sent.step
        assert steps[sent.step]["kind"] == "product"
    for node, step in flow.sums.items():
        assert all(flow.sent[edge].step < step for edge in flow.contributions(node))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_adjoints_are_those_of_the_whole_graph(program, engine):
    arguments = PROGRAMS[program]
    graph = choosing.folded(ad.trace(program, *arguments))
    flow, steps = reverse(graph, engine)
    check(flow, steps)
    expected = ad.grad(program, argnums=tuple(range(len(arguments))))(*arguments)
    for node, gradient in zip(graph.inputs, expected, strict=True):
        assert np.allclose(flow.results[node], gradient)
    for node, adjoint in Sweeps(graph.whole).reverse({graph.outputs[0]: 1.0}, every=True).items():
        if node in flow.results:
            assert np.allclose(flow.results[node], adjoint)


@pytest.mark.parametrize("program", PROGRAMS)
def test_tangents_are_those_of_the_whole_graph(program):
    arguments = PROGRAMS[program]
    graph = choosing.folded(ad.trace(program, *arguments))
    tangents = [np.ones(np.shape(argument)) for argument in arguments]
    flow, steps = forward(graph, dict(zip(graph.inputs, tangents, strict=True)))
    check(flow, steps)
    assert np.allclose(flow.results[shown(graph, graph.outputs[0])], ad.jvp(program, arguments, tuple(tangents))[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_several_results_have_seeds_of_their_own(engine):
    graph = choosing.folded(ad.trace(two_results, 0.4, 0.9))
    flow, steps = reverse(graph, engine, dict(zip(graph.outputs, (2.0, -1.0), strict=True)))
    check(flow, steps)
    expected = ad.grad(lambda x, y: np.dot((2.0, -1.0), np.stack(two_results(x, y))), argnums=(0, 1))(0.4, 0.9)
    assert np.allclose([flow.results[node] for node in graph.inputs], expected)


@pytest.mark.parametrize("engine", ENGINES)
@given(EXPRESSIONS, NUMBERS, NUMBERS, st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_is_folded_every_number_is_right(engine, expression, x, y, data):
    f = compiled(expression)
    whole = quietly(f, x, y)
    assume(is_finite(whole))
    graph = folded(whole, data)
    flow, steps = reverse(graph, engine)
    check(flow, steps)
    assert np.allclose([flow.results.get(node, 0.0) for node in graph.inputs], ad.grad(f, argnums=(0, 1))(x, y))


@given(EXPRESSIONS, NUMBERS, NUMBERS, st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_is_folded_every_tangent_is_right(expression, x, y, data):
    f = compiled(expression)
    whole = quietly(f, x, y)
    assume(is_finite(whole))
    flow, steps = forward(folded(whole, data), {0: 1.0, 1: -2.0})
    check(flow, steps)
    assert np.allclose(flow.results[shown(whole, whole.outputs[0])], ad.jvp(f, (x, y), (1.0, -2.0))[1])


def test_the_costs_are_those_of_the_engine():
    whole = ad.trace(two_results, 0.4, 0.9)
    seeds = dict.fromkeys(whole.outputs, 1.0)
    flow, steps = reverse(choosing.folded(whole), "tape", seeds)
    real = list(sweeps.ENGINES["tape"](whole, seeds))
    assert flow.cost == (sum(step.multiplications for step in real), sum(step.additions for step in real))
    assert sum(step["cost"]["visits"] for step in steps) == sum(step.kind == "visit" for step in real)


def test_a_sweep_whose_sums_are_wrong_is_none():
    case = ad.examples["fan-out"]
    whole = ad.trace(case.program, *case.arguments)
    inner = [node for node in range(len(whole)) if node not in {*whole.inputs, *whole.outputs}]
    graph = FoldedGraph(whole, [(PLACE, inner[:3])])
    wrong = LiveTimeline(
        {}, lambda *args, **kw: ad.use_counts(whole, {whole.outputs[0]: 1.0}, *args, in_place=True, **kw)
    )
    run = Run("run", "run", "reverse", "use_counts", wrong)
    steps = Playback(whole, run, FoldedSweep(graph), "graph", lambda _: None, named(graph.whole, "f")).documents()
    assert folded_flow(graph, run, steps) is None


@pytest.mark.parametrize("reverse", [False, True])
def test_several_derivatives_at_once_pass_lines_as_one_does(reverse):
    def layers(x, w):
        h = np.tanh(w @ np.sin(x) + 1.0)
        z = np.exp(h * h - 2.0) / 3.0
        return np.sum(z * np.cos(z) + z) * h

    graph = ad.trace(layers, np.array([0.5, -0.25]), np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]]))
    sweep = ad.toposort(graph, {graph.outputs[0]: np.eye(3)}) if reverse else ad.forward_flow(graph)
    flow = flow_of(graph, ad.Timeline.record({}, sweep), reverse)
    over = flow_over(statements.layers(graph)[0], flow)
    assert over.is_block
    assert len(over.sent) < len(flow.sent)
    assert adds_up(over)


def test_a_line_sends_to_parameters_last_and_to_the_first_of_them_in_the_end():
    def f(W, b, x):
        y = np.tanh(x)
        z = y @ W + b
        return np.sum(z)

    graph = ad.trace(f, np.ones((2, 3)), np.ones(3), np.ones(2))
    line = FoldedGraph(graph, [(PLACE._replace(is_line=True), [4, 5])])
    flow = flow_over(line, flow_of(graph, ad.Timeline.record({}, ad.toposort(graph)), True))
    assert [graph.name(flow.target(edge)) for edge in flow.sent if edge[0] == 5] == ["y", "b", "W"]
