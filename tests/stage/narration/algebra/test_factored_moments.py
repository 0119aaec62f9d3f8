"""What there is after each step of a factorization: always the same Jacobian, at the cost that the algebra counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.expressions import ExpressionError, backward_splits, contraction, expressions_of
from adviz.graph.linearized.measures import bauer, bauer_multiplications
from adviz.stage.narration.algebra_narration import paged
from adviz.stage.narration.factored_moments import factored

from ...elimination_goldens import random_graph

CROSSED = ad.examples["two crossed diamonds"].graph()
WAYS = "backward", "forward", "paths"


def moments(graph, way, references=True):
    return list(paged(graph) if way == "pages" else factored(graph, way, references))


@given(seed=st.integers(0, 200), way=st.sampled_from([*WAYS, "pages"]), references=st.booleans())
def test_the_expressions_are_the_jacobian_at_every_moment(seed, way, references):
    graph = random_graph(seed).pruned()
    try:
        found = moments(graph, way, references)
    except ExpressionError:  # too large for a picture
        return
    for moment in found:
        if moment.kind != "page":
            assert moment.expressions.evaluated(graph) == pytest.approx(bauer(graph), abs=1e-9)


@pytest.mark.parametrize(
    ("way", "references", "costs"),
    [
        ("backward", True, [16, 16, 12, 10, 8]),
        ("backward", False, [16, 16, 12, 10]),
        ("forward", True, [16, 16, 12, 10, 8]),
        ("forward", False, [16, 16, 12, 10]),
        ("paths", True, [16, 16, 12, 12, 14, 16, 15, 14, 13, 12, 11, 10]),
    ],
)
def test_the_costs_are_those_of_the_equations(way, references, costs):
    """Of Zhou's equations 4.3 to 4.5; the start is Bauer's formula."""
    found = moments(CROSSED, way, references)
    assert [each.multiplications for each in found] == costs
    assert costs[0] == bauer_multiplications(CROSSED)


@given(seed=st.integers(0, 200))
def test_at_the_end_the_cost_is_that_of_the_steps(seed):
    graph = random_graph(seed).pruned()
    whole = graph.copy()
    steps = [*backward_splits(whole), *contraction(whole)]
    try:
        last = moments(graph, "backward")[-1]
    except ExpressionError:
        return
    assert last.multiplications == sum(step.multiplications for step in steps)
    assert last.multiplications == expressions_of(ad.Timeline(graph.state(), steps)).multiplications


def test_the_steps_of_all_moments_are_the_timeline_of_the_algebra():
    steps = [step for moment in moments(CROSSED, "backward") for step in moment.steps]
    assert [(step.kind, step.focus) for step in steps] == [(s.kind, s.focus) for s in backward_splits(CROSSED.copy())]


def test_all_splits_of_a_vertex_are_one_moment():
    naumann = ad.examples["Naumann 2004"].graph()
    last = moments(naumann, "backward")[-1]
    assert (last.kind, len(last.steps)) == ("split", 3)


def test_too_many_edges_or_products_are_refused_with_their_number():
    wide = ad.CGraph.from_edges([("x", k) for k in range(30)] + [(k, "y") for k in range(30)])
    with pytest.raises(ExpressionError, match="60 edges to draw, more than 48"):
        moments(wide, "backward")
