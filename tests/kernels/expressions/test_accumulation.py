"""Elimination on bare dictionaries against the definition, expression by expression; parallel edges; wrong orders."""

from collections import deque
from random import Random

import numpy as np
import pytest
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


# ---- parallel edges ----

PARALLEL = {
    "a product of an intermediate with itself": (lambda x: np.sin(x) * np.sin(x), lambda x: np.sin(2 * x)),
    "one name twice": (lambda x: (lambda y: y * y)(np.sin(x)), lambda x: np.sin(2 * x)),
    "a sum of an intermediate with itself": (lambda x: (lambda y: y + y)(np.sin(x)), lambda x: 2 * np.cos(x)),
    "a difference with itself": (lambda x: (lambda y: y - y)(np.sin(x)), lambda x: 0 * x),
    "a quotient by itself": (lambda x: (lambda y: y / y)(np.sin(x)), lambda x: 0 * x),
    "a power of itself": (lambda x: (lambda y: y**y)(np.exp(x)), lambda x: np.exp(x * np.exp(x)) * np.exp(x) * (x + 1)),
    "an input twice": (lambda x: x * x, lambda x: 2 * x),
    "the angle of a diagonal": (lambda x: (lambda y: np.arctan2(y, y))(np.exp(x)), lambda x: 0 * x),
    "the larger of two that are one": (lambda x: (lambda y: np.maximum(y, y))(np.exp(x)), np.exp),
    "a choice between two that are one": (lambda x: (lambda y: np.where(x > 0, y, y))(np.exp(x)), np.exp),
    "three edges": (
        lambda x: (lambda y: np.dot([y, y, y], [y, y, 1.0]))(np.sin(x)),
        lambda x: np.cos(x) * (4 * np.sin(x) + 1),
    ),
}


@pytest.mark.parametrize("name", PARALLEL)
@pytest.mark.parametrize("order", ["forward", "reverse", "markowitz", "best"])
def test_parallel_edges_are_summed(name, order):
    f, slope = PARALLEL[name]
    x = np.linspace(0.1, 1.4, 20)
    program = ad.compile_jacobian(f, 0.5, order=order)
    assert_close(program(x).jacobian, slope(x), 1e-14)
    assert_close(program(0.7).jacobian, slope(0.7), 1e-14)


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
