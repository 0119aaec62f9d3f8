"""From programs to linearized graphs: the same Jacobian, the literature's counts, labels that keep their structure."""

import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.linearize import _label, _scalar_partials, linearization, vertices
from adviz.engine.sweeps import ScalarSweeps, Sweeps
from adviz.graph.linearized.measures import bauer, count_paths

from ..agreement.programs import SHAPES, programs
from ..graph.dags import assembled, dense_jacobian

GRAINS = ("array", "scalar")
FEW = 300
"""Paths above which Bauer's formula is left out."""


def partials(graph):
    return {edge: graph.partial(*edge) for edge in graph.edges}


# ---- agreement ----


@settings(deadline=None)
@given(programs(SHAPES, 8), st.sampled_from(GRAINS))
def test_the_jacobian_of_a_random_program_is_the_engines(program, grain):
    inputs = program.inputs()
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.linearize(lambda *args: program(np, *args), *inputs, grain=grain)
        expected = ad.jacobian(lambda *args: program(np, *args), argnums=range(len(inputs)))(*inputs)
    rows = [[np.reshape(block, (-1, np.size(x))) for block, x in zip(row, inputs, strict=True)] for row in expected]
    np.testing.assert_allclose(dense_jacobian(graph), np.block(rows), rtol=1e-9, atol=1e-9)
    if count_paths(graph) < FEW:
        np.testing.assert_allclose(assembled(graph, bauer(graph)), np.block(rows), rtol=1e-9, atol=1e-9)


@given(programs([()], 8))
def test_both_ways_to_labels_of_numbers_agree(program):
    """The quick one, over columns of numbers, and the definition, Jacobian by Jacobian."""
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.trace(lambda *args: program(np, *args), *program.inputs(), grain="scalar")
    assume(ScalarSweeps.applies(graph))
    slow = [(i, j, _label(jacobian)) for j, edges in enumerate(Sweeps(graph).edges) for i, jacobian in edges]
    for one, other in zip(_scalar_partials(graph), slow, strict=True):
        assert one == pytest.approx(other, nan_ok=True)
        assert type(one[2]) is type(other[2])


# ---- what becomes of outputs ----


def test_the_last_operation_is_the_output():
    """Naumann's slides, example 7: counts are those of the literature."""

    def f(x0, x1):
        t = x0 * np.sin(x0 * x1)
        return np.cos(t), t / x1

    graph = ad.linearize(f, 1.2, 0.7)
    assert repr(graph) == "<CGraph: 2 inputs, 3 intermediates, 2 outputs, 8 edges>"
    assert graph.edges == [(0, 2), (1, 2), (2, 3), (0, 4), (3, 4), (4, 5), (1, 6), (4, 6)]
    found = [[bauer(graph)[x, y] for x in graph.inputs] for y in graph.outputs]
    expected = [[-1.0172489878790667, -0.7490357498040547], [1.864731276682226, -0.450549419422434]]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert [graph.name(v) for v in (0, 1, 4)] == ["x0", "x1", "t"]
    assert graph.title == "f"


@pytest.mark.parametrize("grain", GRAINS)
def test_outputs_that_are_used_returned_twice_or_inputs_are_copies(grain):
    def f(x, z):
        v = x * z
        w = np.exp(v)
        return v, w, x, w, np.sin(v)

    graph = ad.linearize(f, 1.2, 0.7, grain=grain)
    copies = [y for y in graph.outputs if 1 in (graph.partial(i, y) for i in graph.predecessors(y))]
    assert len(set(graph.outputs)) == 5
    assert [graph.outputs.index(y) for y in copies] == [0, 1, 2, 3]
    assert all(not graph.successors(y) for y in graph.outputs)
    assert len(graph.intermediates) == 2


def test_an_operation_that_dead_code_uses_is_an_output_all_the_same():
    def f(x):
        y = np.sin(x)
        np.exp(y)
        return y

    assert partials(ad.linearize(f, 0.0)) == {(0, 1): 1.0}


def test_dead_nodes_and_literals_are_no_vertices_and_inputs_always_are():
    def f(x, unused):
        np.exp(unused)
        return 3.0 * x + 1.0

    graph = ad.linearize(f, 2.0, 1.0)
    assert graph.inputs == (0, 1)
    assert len(graph.vertices) == 4
    assert list(partials(graph).values()) == [3.0, 1]


def test_a_constant_output_is_an_output_without_edges():
    with pytest.warns(ad.IndependentOutputWarning):
        assert ad.linearize(lambda x: (x * x, 3.0), 2.0).outputs == (1,)
    graph = ad.linearize(lambda x: np.array([x * x, 3.0]), 2.0, grain="scalar")
    assert bauer(graph) == {(0, 1): 4.0}
    assert len(graph.outputs) == 2


# ---- labels ----


@pytest.mark.parametrize("grain", GRAINS)
def test_units_of_the_rules_are_integers_and_units_of_the_data_are_not(grain):
    graph = ad.linearize(lambda x, y: (x - y) * np.negative(x + y) + np.floor(x), 1.0, 0.0, grain=grain)
    labels = list(partials(graph).values())
    assert [(type(label), label) for label in labels if type(label) is int] == [
        (int, label) for label in (1, -1, 1, 1, -1, 0, 1, 1)
    ]
    assert sorted(label for label in labels if type(label) is float) == [-1.0, 1.0]


def test_partials_of_a_repeated_operand_are_added():
    assert partials(ad.linearize(lambda x: x * x, 3.0)) == {(0, 1): 6.0}
    assert partials(ad.linearize(lambda x: x - x, 3.0)) == {(0, 1): 0}
    (label,) = partials(ad.linearize(lambda x: x * x, np.array([1.0, 2.0]))).values()
    assert label.dense().tolist() == [[2, 0], [0, 4]]
    assert label.structure == "diagonal"


def test_structure_and_sizes_are_kept_between_arrays():
    def f(A, x):
        h = np.tanh(A @ x)
        return np.sum(h * h), h[0]

    graph = ad.linearize(f, np.ones((2, 3)), np.ones(3))
    assert [graph.size(v) for v in graph.vertices] == [6, 3, 2, 2, 2, 1, 1]
    structures = [getattr(label, "structure", type(label).__name__) for label in partials(graph).values()]
    assert structures == ["kronecker", "kronecker", "diagonal", "diagonal", "reduction", "selection"]
    for (i, j), label in partials(graph).items():
        assert label.shape == (graph.size(j), graph.size(i))


def test_one_number_in_an_array_has_a_number_for_a_label():
    graph = ad.linearize(lambda x: np.exp(x[0]) + x.sum(), np.array([2.0]))
    assert {type(label) for label in partials(graph).values()} == {int, float}
    assert dense_jacobian(graph) == pytest.approx(np.exp(2) + 1)


# ---- the steps ----


@settings(deadline=None)
@given(programs(SHAPES, 6), st.sampled_from(GRAINS))
def test_the_steps_lead_from_the_vertices_to_the_graph_and_back(program, grain):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.trace(lambda *args: program(np, *args), *program.inputs(), grain=grain)
    cgraph = vertices(graph)
    start = cgraph.state()
    steps = list(linearization(graph, cgraph))
    assert ad.replay(start, steps) == cgraph.state()
    assert ad.rewind(cgraph.state(), steps) == start


def test_the_addition_of_parallel_partials_is_said_and_counted():
    graph = ad.trace(lambda x, z: x * x + z, 3.0, 1.0)
    steps = list(linearization(graph, vertices(graph)))
    assert [(step.kind, step.additions) for step in steps] == [
        ("partial", 0),
        ("parallel", 1),
        ("partial", 0),
        ("partial", 0),
    ]


# ---- arguments ----


def test_a_traced_graph_has_its_point_already():
    graph = ad.trace(np.sin, 0.0)
    assert partials(ad.linearize(graph)) == {(0, 1): 1.0}
    with pytest.raises(ad.InputError, match="call linearize with the graph alone"):
        ad.linearize(graph, 1.0)
    with pytest.raises(ad.InputError, match="call linearize with the graph alone"):
        ad.linearize(graph, grain="scalar")
    with pytest.raises(ad.InputError, match="linearize needs a function"):
        ad.linearize(3.0, 1.0)


def test_an_example_that_is_a_graph_is_linearized_already():
    example = ad.examples["scalar lion"]
    assert ad.linearize(example).state() == example.graph().state()
    with pytest.raises(ad.InputError, match="call linearize with the graph alone"):
        ad.linearize(example, 1.0)


def test_an_example_that_is_a_program_brings_its_arguments_along():
    example = ad.examples["Roe flux"]
    assert ad.linearize(example).state() == ad.linearize(example.program, *example.arguments).state()
    assert ad.linearize(ad.examples["fan-out"], 2.0, 3.0).state() != ad.linearize(ad.examples["fan-out"]).state()
    assert len(ad.linearize(ad.examples["slide program"], grain="scalar").intermediates) > 0


@pytest.mark.parametrize("make", [lambda graph: graph, ad.line_graph])
def test_a_linearized_graph_stays_as_it_is(make):
    graph = make(ad.examples["lion"].graph())
    with pytest.raises(ad.InputError, match=f"A {type(graph).__name__} is linearized already: use it as it is"):
        ad.linearize(graph)


def test_settings_reach_the_program():
    assert partials(ad.linearize(lambda x, power: x**power, 3.0, power=2)) == {(0, 1): 6.0}


@pytest.mark.slow
def test_a_long_program_takes_about_as_long_as_its_trace():
    """So many calls per node, however many nodes there are."""

    def f(x, y, turns):
        for _ in range(turns):
            x, y = np.sin(x) * y, x - 0.5 * y
        return x, y

    def calls_per_node(turns):
        graph, called = ad.trace(f, 1.0, 2.0, turns=turns), Counter()
        sys.setprofile(lambda frame, event, _: called.update([event]))
        try:
            ad.linearize(graph)
        finally:
            sys.setprofile(None)
        return called.total() / len(graph)

    assert calls_per_node(4_000) < 1.1 * calls_per_node(400)
    assert len(ad.linearize(f, 1.0, 2.0, turns=25_000).vertices) > 100_000


def test_a_name_is_no_example():
    with pytest.raises(ad.InputError, match=r"not a text; an example is adviz\.examples\['bat'\]"):
        ad.linearize("bat")


# ---- dead nodes ----


def forgetful(x):
    forgotten = np.exp(x)
    forgotten = forgotten * forgotten
    kept = np.sin(x)
    np.cos(kept)
    return kept


@pytest.mark.parametrize("x", [0.5, np.array([0.5, 0.7])])
def test_dead_nodes_are_kept_where_nothing_is_pruned_and_charged_by_orders_that_multiply_them(x):
    graph, live = ad.linearize(forgetful, x, prune=False), ad.linearize(forgetful, x)
    assert repr(graph) == "<CGraph: 1 input, 4 intermediates, 1 output, 5 edges>"
    assert repr(live) == "<CGraph: 1 input, 0 intermediates, 1 output, 1 edge>"
    counting = ad.Counting("block")
    forward, reverse = (
        sum(step.multiplications for step in ad.vertex_elimination(graph.copy(), order, counting))
        for order in ("forward", "reverse")
    )
    assert (forward, reverse) == (3, 1)
    np.testing.assert_allclose(dense_jacobian(graph), dense_jacobian(live))


def test_a_dead_node_may_have_an_infinite_derivative():
    graph = ad.linearize(ad.examples["infinite dead branch"], prune=False)
    assert np.inf in partials(graph).values()
    list(ad.vertex_elimination(graph, "reverse"))
    assert graph.jacobian() == {(graph.inputs[0], graph.outputs[0]): 1.0}
