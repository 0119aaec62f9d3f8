"""Operations on the line graph that keep every sum over paths."""

import pytest

import adviz as ad
from adviz import CGraph, line_graph
from adviz.algorithms import elimination as el
from adviz.algorithms.elimination.splits import cover_face, reuse_face, split_face
from adviz.graph.linearized.line_graph import SOURCE

from .running import assert_jacobian, recorded

FAN = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (2, 5)])
BESIDE = CGraph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4)])


def kinds(steps):
    return [step.kind for step in steps]


def finished(graph, dual):
    """Nothing was lost: eliminating what is left gives the Jacobian."""
    list(ad.face_elimination(dual, el.greedy_faces(el.reverse)))
    assert_jacobian(graph, dual.jacobian())


def test_a_split_shares_out_predecessors_or_successors():
    dual = line_graph(FAN)
    el.split_node(dual, (0, 2), successors=[(2, 4), (2, 5), (2, 4)])
    el.split_node(dual, (2, 3), predecessors=[(1, 2)])
    assert dual.successors((0, 2, 2)) == ((2, 4), (2, 5))
    assert dual.predecessors((2, 3, 2)) == ((1, 2),)
    assert dual.label((2, 3)) == dual.label((2, 3, 2))
    finished(FAN, dual)


@pytest.mark.parametrize(
    ("node", "sides"),
    [
        ((2, 3), {}),
        ((2, 3), {"predecessors": [(0, 2), (1, 2)]}),
        ((2, 3), {"predecessors": [(7, 2)]}),
        ((0, 2), {"successors": [(2, 3)], "predecessors": [(SOURCE, 0)]}),
        ((7, 8), {"successors": [(2, 3)]}),
        ((SOURCE, 0), {"successors": [(0, 2)]}),
    ],
)
def test_a_split_that_is_none_changes_nothing(node, sides):
    dual = line_graph(FAN)
    start = dual.state()
    with pytest.raises(ad.OrderError):
        el.split_node(dual, node, **sides)
    assert dual.state() == start


def test_a_merge_in_part_leaves_the_rest():
    dual = line_graph(BESIDE)
    el.split_node(dual, (0, 2), successors=[(2, 4)])
    list(el.eliminate_face(dual, ((0, 1), (1, 2))))
    outer, inner = (0, 2, 3), (0, 2)
    assert set(dual.successors(outer)) > set(dual.successors(inner))
    whole = dual.label(inner) + dual.label(outer)
    steps = recorded(dual, lambda dual: el.merge_partially(dual, outer, inner))
    assert kinds(steps) == ["merge", "merge"]
    assert dual.label(inner) == whole
    assert steps.additions == 2
    finished(BESIDE, dual)


def test_nodes_that_are_not_within_each_other_do_not_merge():
    dual = line_graph(FAN)
    start = dual.state()
    for pair in [((0, 2), (1, 2)), ((0, 2), (0, 2)), ((0, 2), (7, 8))]:
        with pytest.raises(ad.OrderError):
            list(el.merge_partially(dual, *pair))
    assert dual.state() == start


def test_a_node_of_which_nothing_else_is_left_gives_its_place():
    dual = line_graph(CGraph.from_edges([(0, 1), (1, 2), (1, 3)]))
    assert kinds(reuse_face(dual, ((0, 1), (1, 2)))) == ["reuse"]
    assert (1, 2) not in dual
    assert kinds(reuse_face(dual, ((0, 1), (1, 3)))) == ["reuse", "remove"]
    assert dual.interior == [(0, 2), (0, 3)]
    one = line_graph(CGraph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)]))
    assert kinds(reuse_face(one, ((0, 1), (1, 2))))[0] == "absorb"


def test_with_splits_first_the_product_takes_the_place_of_copies():
    dual = line_graph(FAN)
    assert kinds(split_face(dual, ((0, 2), (2, 3)))) == ["split", "split", "reuse", "remove"]
    assert (dual.successors((0, 2)), dual.predecessors((2, 3))) == (((2, 4), (2, 5)), ((1, 2),))
    finished(FAN, dual)


def test_a_product_covers_nodes_within_its_rectangle():
    """The edge 0 → 2 leads to 3 only, on a copy: the product of 0 → 1 → 2 is added there, and anew towards 4."""
    dual = line_graph(BESIDE)
    el.split_node(dual, (0, 2), successors=[(2, 4)])
    steps = recorded(dual, lambda dual: cover_face(dual, ((0, 1), (1, 2))))
    assert kinds(steps)[:3] == ["absorb", "absorb", "remove"]
    assert [step.multiplications for step in steps][:3] == [1, 0, 0]
    finished(BESIDE, dual)


def test_what_is_not_covered_is_filled_in():
    dual = line_graph(BESIDE)
    list(el.eliminate_face(dual, ((0, 2), (2, 4))))
    steps = recorded(dual, lambda dual: cover_face(dual, ((0, 1), (1, 2))))
    assert kinds(steps)[:3] == ["absorb", "fill_in", "remove"]
    assert steps.multiplications == 1
    finished(BESIDE, dual)


def test_a_way_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="way is 'old'; expected one of 'new', 'reuse', 'split', 'cover'"):
        ad.face_elimination(line_graph(FAN), way="old")
