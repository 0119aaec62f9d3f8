"""Two graphs laid over each other: each is found again in the union, and the union has nothing else."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.graph.comparing.union_graph import BITS, UnionGraph
from tests.agreement.programs import programs
from tests.graph.comparing.edited_graphs import edited
from tests.graph.comparing.test_comparisons import traced


def check(one, other):
    """The two graphs are the two halves of the union; returns the union."""
    union = UnionGraph(ad.compare_graphs(one, other))
    tails, heads, *flags = union.edges_by_side
    assert (tails < heads).all()  # the order is topological for the edges of both
    assert (flags[0] | flags[1]).all()
    for graph, of_union, of_side, flag in zip(
        (one, other), (union.before, union.after), (union.of_before, union.of_after), flags, strict=True
    ):
        inside = np.flatnonzero(of_union >= 0)
        assert of_union[inside].tolist() == list(range(len(graph)))
        assert of_side.tolist() == inside.tolist()
        edges = Counter(zip(of_union[tails[flag]].tolist(), of_union[heads[flag]].tolist(), strict=True))
        assert edges == Counter((operand, node) for node in range(len(graph)) for operand in graph.operand_nodes(node))
    return union


def check_nodes(union):
    """What is read of a node is what its graph has: Block, operands, constants, value, name, uses and place.

    One that is live in either graph is live.
    """
    for node in range(len(union)):
        side = int(union.after[node] >= 0)
        graph, places = union.sides[side], (union.of_before, union.of_after)[side]
        owns = int(union.before[node]), int(union.after[node])
        own = owns[side]
        assert union.blocks[node] is graph.blocks[own]
        operands = [
            places[each] if each >= 0 else ("constant", id(graph.literal(each))) for each in graph.operands(own)
        ]
        assert operands == [
            each if each >= 0 else ("constant", id(union.literal(each))) for each in union.operands(node)
        ]
        assert np.array_equal(union.values[node], graph.values[own], equal_nan=True)
        assert (union.name(node), union.origin(node)) == (graph.name(own), graph.origin(own))
        assert union.times_used[node] == graph.times_used[own]
        lives = [graph.live[own] for graph, own in zip(union.sides, owns, strict=True) if own >= 0]
        assert union.live[node] == max(lives)
        assert union.columns.operations[node] == graph.columns.operations[own]


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 10**6), st.integers(0, 6))
def test_both_graphs_are_found_again_after_edits(program, seed, edits):
    before = traced(program)
    after = edited(before, seed, edits)
    union = check(before, after)
    check(after, before)
    check_nodes(union)
    assert len(union) <= len(before) + edits
    assert sum(bool(bits & (BITS["added"] | BITS["removed"])) for bits in union.differences.tolist()) <= edits


@settings(max_examples=40, deadline=None)
@given(programs(), programs())
def test_any_two_graphs_and_two_grains(program, other):
    one, two = traced(program), traced(other)
    check_nodes(check(one, two))
    union = check(traced(program, "scalar"), one)
    tree = union.scopes
    assert len(tree.of_node) == len(union)
    assert all(count > 0 for count in tree.nodes)
    assert sum(np.bincount(np.asarray(tree.of_node), minlength=len(tree))) == len(union)


def test_a_graph_without_values(tmp_path):
    before = ad.trace(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    after = ad.load(ad.trace(lambda x: np.sum(np.sin(x) * x * x), np.ones(3)).save(tmp_path / "g.adviz"))
    for union in (check(before, after), check(after, before)):
        for node in range(len(union)):
            side = int(union.is_after[node])
            value = union.sides[side].values[(union.before, union.after)[side][node]]
            assert union.values[node].shape == getattr(value, "shape", ())


def test_inputs_of_two_grains_are_aligned_by_argument():
    def f(x, w):
        return np.sum(np.tanh(w @ x))

    given_ = np.ones(3), np.ones((2, 3))
    scalar, whole = ad.trace(f, *given_, grain="scalar"), ad.trace(f, *given_)
    comparison = ad.compare_graphs(scalar, whole)
    pairs = [(scalar.name(a), whole.name(b)) for a, b in zip(*comparison.pairs, strict=True) if b in whole.inputs]
    assert pairs == [("x[0]", "x"), ("w[0, 0]", "w")]


def test_what_one_graph_makes_number_by_number_is_beside_the_node_of_the_other():
    def f(x, w):
        return np.sum(np.tanh(w @ x))

    scalar, whole = (ad.trace(f, np.ones(4), np.ones((3, 4)), grain=grain) for grain in ("scalar", "array"))
    for pair in ((scalar, whole), (whole, scalar)):
        union = check(*pair)
        side = union.before if pair[0] is whole else union.after
        matmul = int(np.flatnonzero(side == next(n for n in range(len(whole)) if whole.blocks[n].name == "matmul"))[0])
        assert union.scope_label(union.scopes.of_node[matmul]) == "w @ x"


def test_iterations_that_differ_are_not_folded_with_those_that_do_not():
    def loop(x, most):
        for k in range(60):
            x = np.sin(x) * 0.5
            if k == most:
                x = x + 1.0
        return x

    union = check(ad.trace(loop, 1.0, most=-1), ad.trace(loop, 1.0, most=20))
    (tree, run) = (union.scopes, union.scopes.children(0)[0])
    assert sum(len(tree.runs(part)) for part in [run, *tree.children(run)]) >= 3


def test_a_graph_without_nodes_over_another():
    with pytest.warns(ad.IndependentOutputWarning):
        empty = ad.trace(lambda: 1.0)
    graph = ad.trace(lambda x: x * x, 3.0)
    assert check(empty, graph).counts() == {"added": 3}
    assert check(graph, empty).differences.tolist() == [BITS["removed"]] * 3
    assert len(check(empty, empty)) == 0
