"""The graph of a program: its parts, which are what the program does one after the other."""

from graphlib import TopologicalSorter
from random import Random
from runpy import run_path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.calls import leaves

from ..running import ORDERS, functions, quiet, run, traced


def parts(graph):
    """The scopes of each node, by name, without the numbers of stretches of what is long."""
    tree = graph.scopes
    paths = [[graph.scope_label(scope) for scope in tree.path(scope)[1:]] for scope in tree.of_node]
    return [tuple(name for name in path if not name.startswith("part ")) for path in paths]


def assert_parts_follow_each_other(graph):
    """Folded at any depth, no part needs what it is needed for."""
    paths = parts(graph)
    for depth in (1, 2):
        needs = {}
        for node in range(len(graph)):
            for operand in graph.operand_nodes(node):
                one, other = paths[node][:depth], paths[operand][:depth]
                if one != other and one and other:
                    needs.setdefault(one, set()).add(other)
        list(TopologicalSorter(needs).static_order())


BUILDS = {
    "jacobian": ad.compile_jacobian,
    "hessian": lambda f, *example, **options: ad.compile_hessian(lambda *x: np.sum(f(*x)[-1]), *example, **options),
    "fast": lambda f, *example, **options: ad.compile_jacobian(f, *example, fast=True, **options),
}


@given(functions(), st.sampled_from(sorted(BUILDS)), st.sampled_from(["forward", "reverse", "markowitz"]))
@settings(max_examples=60)
def test_parts_follow_each_other(program, name, order):
    with quiet():
        graph = BUILDS[name](run(program), *program.inputs(), order=order).graph
    assert_parts_follow_each_other(graph)


@given(functions(size=8), st.sampled_from(["edges", "faces"]))
@settings(max_examples=30)
def test_parts_of_orders_of_edges_and_faces_follow_each_other(program, kind):
    order = ORDERS[kind](traced(run(program), *program.inputs()).linear.cgraph, Random(0))
    with quiet():
        graph = ad.compile_jacobian(run(program), *program.inputs(), order=order).graph
    assert_parts_follow_each_other(graph)
    assert not any(path[0] == "products" and len(path) > 1 for path in parts(graph) if path)


def wave(x, y):
    s = np.sin(x)
    return np.exp(s * y) * (s + y)


def test_a_part_is_called_by_what_it_does():
    program = ad.compile_jacobian(wave, 1.0, 2.0, order="reverse")
    graph = program.graph
    names = {parts(graph)[node]: graph.label(node) for node in range(len(graph))}
    assert {path[0] for path in names if path} == {"values", "partials", "products", "results"}
    found = dict(zip(map(graph.name, range(len(graph))), parts(graph), strict=True))
    assert (found["s"], found["ds_dx"], found["x"]) == (("values",), ("partials",), ())
    assert {path for path in names if path[:1] == ("products",)} <= {
        ("products", f"at {vertex}") for vertex in ("s", "v3", "v4", "v5")
    }


def test_a_hessian_has_parts_of_both_eliminations():
    found = {path[0] for path in parts(ad.compile_hessian(wave, 1.0, 2.0).graph) if path}
    assert found >= {"values", "partials", "products", "second products", "results"}


def test_vertices_of_the_same_name_are_told_apart():
    def spun(x):
        for _ in range(3):
            x = np.sin(x) * x
        return x

    found = {path[1] for path in parts(ad.compile_jacobian(spun, 1.0, order="reverse").graph) if len(path) > 1}
    assert {"at x (v2)", "at x (v4)"} <= found


def test_a_saved_program_has_the_axis_of_the_points_in_constants_too(tmp_path):
    program = ad.compile_hessian(lambda x, y: x[0] * y * 2.0 + x[1], np.ones(2), 1.0, points="last")
    program.save(tmp_path / "saved.py")
    found = run_path(tmp_path / "saved.py")[program.function_name]
    arrays = np.arange(10.0).reshape(2, 5), np.ones(5)
    for one, other in zip(leaves(found(*arrays), ""), leaves(tuple(program(*arrays)), ""), strict=True):
        np.testing.assert_array_equal(one[1], other[1])
        assert one[1].shape == other[1].shape
    (_, alone), *_ = leaves(found(np.ones(2), 1.0)[2][1][1], "")
    assert np.shape(alone) == ()


@pytest.mark.parametrize(("f", "outputs"), [(lambda x: np.zeros((0, 2)), 0), (lambda x: (x, x[:0] * x[0]), 3)])
def test_arrays_without_numbers_can_be_looked_at_and_saved(tmp_path, f, outputs):
    with quiet():
        program = ad.compile_jacobian(f, np.ones(3), points="last")
    assert len(program.graph.outputs) == outputs
    program.save(tmp_path / "saved.py")
    saved = run_path(tmp_path / "saved.py")[program.function_name]
    for x in (np.ones(3), np.ones((3, 4))):
        for (_, one), (_, other) in zip(leaves(saved(x), ""), leaves(tuple(program(x)), ""), strict=True):
            np.testing.assert_array_equal(one, other)
