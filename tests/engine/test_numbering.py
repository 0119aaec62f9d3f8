"""Vertices of programs are those of the linearization at the example, and orders that are found there fit."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad

from ..graph.dags import dense_jacobian
from ..kernels.running import ORDERS, SYMBOLIC, engine, functions, matrices, quiet, run, traced
from .derivatives import assert_close

CHOICES = {"where"}
without_choices = functions(names=sorted(set(SYMBOLIC) - CHOICES))
with_choices = functions(names=[*SYMBOLIC, *["where", "compared"] * 8])


def linearized(program):
    """The graph at the example, and its linearization."""
    with quiet():
        graph = ad.trace(run(program), *program.inputs(), grain="scalar")
    return graph, ad.linearize(graph)


@given(with_choices)
def test_a_vertex_has_the_number_that_it_has_at_the_example(program):
    graph, linear = linearized(program)
    found = traced(run(program), *program.inputs())
    node_of = {vertex: node for node, vertex in enumerate(found.vertices)}
    assert sorted(node_of) == list(range(len(found.graph)))
    for j in {*linear.vertices} - {*linear.outputs}:
        assert found.graph.blocks[node_of[j]] is graph.blocks[j]
        assert found.graph.values[node_of[j]] == graph.values[j]
        assert found.graph.name(node_of[j]) == graph.name(j)
    assert {*found.linear.cgraph.intermediates} - {*found.linear.further} == {*linear.intermediates}


def test_vertices_are_numbered_alike_whatever_the_order_in_memory():
    def f(x, z):
        return (x > z) * np.cos(x)

    inputs = np.asfortranarray([[0.2, 0.9, 0.4], [0.5, 0.1, 0.8]]), 0.45
    graph = ad.trace(f, *inputs, grain="scalar")
    found = traced(f, *inputs)
    node_of = {vertex: node for node, vertex in enumerate(found.vertices)}
    assert [found.graph.values[node_of[j]] for j in range(len(graph))] == [*graph.values]


@given(without_choices)
def test_without_choices_both_graphs_are_the_same(program):
    _, linear = linearized(program)
    found = traced(run(program), *program.inputs()).linear
    assert found.partials.keys() == {*linear.edges}
    assert (found.cgraph.vertices, found.cgraph.outputs) == (linear.vertices, linear.outputs)
    assert not found.further


@given(with_choices, st.integers(0, 2**16))
@settings(max_examples=60)
def test_orders_of_the_linearization_fit(program, seed):
    _, linear = linearized(program)
    order = ORDERS["vertices"](linear, Random(seed))
    with quiet():
        compiled = ad.compile_jacobian(run(program), *program.inputs(), order=order)
        again = ad.compile_jacobian(run(program), *program.inputs(), order=compiled.order)
    assert [j for j in compiled.order if j in order] == order
    assert (again.order, again.schedule) == (compiled.order, compiled.schedule)
    arrays = [np.asarray(x)[None] for x in program.inputs()]
    values, jacobians = matrices(compiled(*arrays), program.shapes)
    expected = engine(run(program), program.inputs())
    assert_close(values, expected[0], 1e-12)
    assert_close(jacobians, expected[1], 1e-9)


# ---- choices kept ----


@given(with_choices)
def test_with_choices_kept_the_linearization_is_the_graph_of_the_program(program):
    with quiet():
        linear = ad.linearize(run(program), *program.inputs(), grain="scalar", choices=True)
    found = traced(run(program), *program.inputs()).linear
    assert found.partials.keys() == {*linear.edges}
    assert (found.cgraph.vertices, found.cgraph.outputs) == (linear.vertices, linear.outputs)
    at_the_example = linearized(program)[1]
    if np.isfinite([linear.partial(*edge) for edge in linear.edges]).all():
        np.testing.assert_allclose(dense_jacobian(linear), dense_jacobian(at_the_example), rtol=1e-9, atol=1e-12)


@given(with_choices, st.sampled_from(["vertices", "edges", "faces", "optimum"]), st.integers(0, 2**16))
@settings(max_examples=40)
def test_with_choices_kept_orders_of_all_kinds_fit(program, kind, seed):
    with quiet():
        linear = ad.linearize(run(program), *program.inputs(), grain="scalar", choices=True)
        compiled = ad.compile_jacobian(run(program), *program.inputs(), order=ORDERS[kind](linear, Random(seed)))
    found = matrices(compiled(*(np.asarray(x)[None] for x in program.inputs())), program.shapes)[1]
    assert_close(found, engine(run(program), program.inputs())[1], 1e-9)


def test_choices_are_kept_in_the_scalar_grain_only():
    with pytest.raises(ValueError, match="choices=True needs grain='scalar'"):
        ad.linearize(limited, 1.0, 5.0, choices=True)
    with pytest.raises(ad.InputError, match="has been traced at its point"):
        ad.linearize(ad.trace(limited, 1.0, 5.0, grain="scalar"), choices=True)


# ---- choices decided ----


def limited(x, y):
    u = np.exp(x) * y
    return np.where(u > 1.0, np.sin(u), np.cos(u) * x) * y


@pytest.mark.parametrize("y", [0.1, 5.0])
def test_choices_and_what_is_not_taken_go_first(y):
    linear = ad.linearize(limited, 1.0, y, grain="scalar")
    for kind in ("vertices", "edges"):
        order = ORDERS[kind](linear, Random(1))
        program = ad.compile_jacobian(limited, 1.0, y, order=order)
        for x in ((1.0, 0.1), (1.0, 5.0)):
            assert_close(program(*x).jacobian, ad.jacobian(limited, (0, 1))(*x), 1e-14)


@pytest.mark.parametrize("f", [limited, lambda x, y: (np.exp(x) * y, np.sin(np.exp(x) * y), x)])
def test_orders_of_the_linearization_fit_products_with_tangents_and_adjoints(f):
    order = ad.linearize(f, 1.0, 5.0, grain="scalar").intermediates
    point, tangents = (0.3, 2.0), (1.5, -0.5)
    pushed = ad.compile_jvp(f, 1.0, 5.0, order=order)(point, tangents)
    assert_close(np.array(pushed.tangents), np.array(ad.jvp(f, point, tangents)[1]), 1e-14)
    values, pull = ad.vjp(f, *point)
    pulled = ad.compile_vjp(f, 1.0, 5.0, order=order)(point, values)
    assert_close(np.array(pulled.adjoints), np.array(pull(values)), 1e-14)


def test_an_order_that_leaves_out_what_the_linearization_has_is_refused():
    linear = ad.linearize(limited, 1.0, 5.0, grain="scalar")
    (first, *others), faces = linear.intermediates, ORDERS["faces"](linear, Random(1))
    with pytest.raises(ad.OrderError, match=r"leaves .* out"):
        ad.compile_jacobian(limited, 1.0, 5.0, order=others)
    with pytest.raises(ad.OrderError, match="ends too early"):
        ad.compile_jacobian(limited, 1.0, 5.0, order=faces)
    with pytest.raises(ad.OrderError, match="no vertex 99"):
        ad.compile_jacobian(limited, 1.0, 5.0, order=[first, *others, 99])


def test_results_that_are_asked_for_twice_are_there_twice():
    program = ad.compile_jacobian(lambda x: (np.where(x > 0, x, x), 2 * x), 1.0, outputs=[0, 1, 0])
    assert program(3.0) == ((3.0, 6.0, 3.0), (1.0, 2.0, 1.0))
