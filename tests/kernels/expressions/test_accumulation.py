"""Elimination on bare dictionaries against the definition, expression by expression; parallel edges; wrong orders."""

from collections import deque
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.expressions.accumulation import accumulated, derived, eliminated
from adviz.kernels.expressions.expressions import OPERATIONS, Symbol

from ...engine.derivatives import assert_close
from ..running import functions, run, traced


@given(functions(size=15), st.integers(0, 2**16))
def test_vertices_are_eliminated_as_the_definition_does_expression_by_expression(program, seed):
    linear = traced(run(program), *program.inputs()).linear
    order = Random(seed).sample(linear.cgraph.intermediates, len(linear.cgraph.intermediates))
    zero = linear.known.zero
    labels = {edge: Symbol(linear.known, place) for edge, place in linear.partials.items() if abs(place) != zero}
    graph = ad.CGraph(linear.cgraph.vertices, linear.cgraph.inputs, linear.cgraph.outputs, labels)
    deque(ad.vertex_elimination(graph, order), maxlen=0)
    size = len(linear.known)
    assert eliminated(linear, order) == {edge: label.place for edge, label in graph.jacobian().items()}
    assert len(linear.known) == size


# ---- derived ----


@given(functions(size=8, shapes=[()]))
@settings(max_examples=50)
def test_expressions_linearized_again_have_the_same_jacobian(program):
    graph, inputs, _, linear, *_ = whole = traced(run(program), *program.inputs())
    again = derived(linear.known, inputs, whole.outputs)
    ends = again.cgraph.outputs
    found = accumulated(again, "reverse")[0]
    first = accumulated(linear, "forward")[0]
    x = np.random.default_rng(3).uniform(-1.5, 1.5, (len(inputs), 20))
    for p, y in enumerate(linear.cgraph.outputs):
        for q, place in enumerate(inputs):
            one = computed(linear.known, inputs, found.get((place, ends[p]), linear.known.zero), x)
            other = computed(linear.known, inputs, first.get((graph.inputs[q], y), linear.known.zero), x)
            assert_close(one, other, 1e-10)


def computed(known, inputs, place, x):
    """An expression at many points, by recursion over its operands: the definition."""
    if place < 0:
        return -computed(known, inputs, -place, x)
    if place in inputs:
        return x[inputs.index(place)]
    if known.operations[place] == "constant":
        return np.full(x.shape[1], known.value(place))
    return OPERATIONS[known.operations[place]].numpy(*(computed(known, inputs, o, x) for o in known.operands[place]))
