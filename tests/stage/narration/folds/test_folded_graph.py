"""A folded graph: local partials are sums over the paths inside, whatever is folded."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.stage.narration.folds.folded_graph import FoldedGraph, Place

from ...programs import EXPRESSIONS, NUMBERS, compiled, is_finite, quietly

PLACE = Place("some operations", "some", "", (0, 0))


def folded(graph, data):
    """The graph with its nodes, except for inputs and outputs, put at random into parts, or into none."""
    inner = [node for node in range(len(graph)) if node not in {*graph.inputs, *graph.outputs}]
    part_of = {node: data.draw(st.integers(-1, 2)) for node in inner}
    parts = [[node for node in inner if part_of[node] == number] for number in range(3)]
    return FoldedGraph(graph, [(PLACE, nodes) for nodes in parts])


def product_along_paths(graph, start, end, left):
    """The sum over all paths between two nodes that meet no other node that is left of the products along them."""
    total = np.zeros((np.size(graph.values[end]), np.size(graph.values[start])))
    for operand, jacobian in graph.local_jacobians(end):
        if operand == start:
            total = total + jacobian.dense()
        elif operand not in left:
            total = total + jacobian.dense() @ product_along_paths(graph, start, operand, left)
    return total


@given(EXPRESSIONS, NUMBERS, NUMBERS, st.data())
@settings(max_examples=120, deadline=None)
def test_local_partials_are_sums_over_the_paths_inside(expression, x, y, data):
    graph = quietly(compiled(expression), x, y)
    assume(is_finite(graph))
    found = folded(graph, data)
    left = {*found.kept}
    for node in found.kept:
        for operand, jacobian in found.local_jacobians(node):
            if node in found.folds:
                expected = product_along_paths(graph, operand, node, left)
                assert np.allclose(jacobian.dense(), expected, rtol=1e-9, atol=1e-9)
                assert jacobian.jvp(2.0) == pytest.approx(2.0 * expected.item(), rel=1e-9, abs=1e-9)


@given(EXPRESSIONS, NUMBERS, NUMBERS, st.data())
@settings(max_examples=60, deadline=None)
def test_a_sweep_over_what_is_left_gives_the_gradient(expression, x, y, data):
    f = compiled(expression)
    graph = quietly(f, x, y)
    assume(is_finite(graph))
    found = folded(graph, data)
    adjoints = {graph.outputs[0]: 1.0}
    for node in reversed(found.kept):
        for operand, jacobian in found.local_jacobians(node):
            adjoints[operand] = adjoints.get(operand, 0.0) + jacobian.vjp(adjoints.get(node, 0.0))
    expected = ad.grad(f, argnums=(0, 1))(x, y)
    assert np.allclose([adjoints.get(node, 0.0) for node in graph.inputs], expected, rtol=1e-8, atol=1e-9)


def test_jacobians_of_arrays_are_those_of_the_whole():
    def f(x, w):
        return np.tanh(x @ w) * 2.0

    x, w = np.arange(6.0).reshape(2, 3) / 5, np.arange(12.0).reshape(3, 4) / 7
    graph = ad.trace(f, x, w)
    found = FoldedGraph(graph, [(PLACE, [2, 3, 4])])
    assert found.kept == [0, 1, 4, 5]
    for (_, jacobian), expected in zip(found.local_jacobians(4), ad.jacobian(f, argnums=(0, 1))(x, w), strict=True):
        assert np.allclose(jacobian.dense(), np.reshape(expected, jacobian.shape))
        tangent = np.ones(jacobian.in_shape)
        assert np.allclose(np.ravel(jacobian.jvp(tangent)), jacobian.dense() @ tangent.ravel())
    assert found.blocks[4].words.gates == ("J 8×6", "J 8×12")


def test_what_leaves_a_fold_at_two_places_is_kept_twice():
    graph = ad.trace(lambda x: (h := np.sin(x * 2.0)) * np.cos(h * 3.0), 0.5)
    found = FoldedGraph(graph, [(PLACE, [1, 2, 3, 4])])
    assert found.kept == [0, 2, 4, 5, 6]
    assert found.operands(4) == (2,)
    assert list(found.folds) == [2, 4]


def test_a_single_operation_is_no_fold():
    graph = ad.trace(lambda x: np.sin(x) * 2.0, 0.5)
    assert FoldedGraph(graph, [(PLACE, [1])]).folds == {}


def test_parts_of_a_program_that_compute_nothing_are_no_box():
    graph = ad.trace(lambda x: np.sin(x) * 2.0, 0.5)
    other = Place("an assertion", "assert", "", (0, 0))
    assert FoldedGraph(graph, [(other, []), (PLACE, [1, 2])]).boxes == [(PLACE, [1, 2])]


def test_what_a_call_returns_is_called_what_the_caller_calls_it():
    def inner(x):
        return np.sin(x) * x

    def f(x):
        a = inner(x)
        return inner(a) + a

    graph = ad.trace(f, 0.5)
    found = FoldedGraph(graph, [(PLACE, [1, 2]), (PLACE, [3, 4])])
    assert [found.name(node) for node in (0, 2, 4)] == ["x", "a", None]
