"""What waits for what: acyclic sets are orders of faces at their own cost; circles and splits are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.expressions import (
    ExpressionError,
    Expressions,
    Product,
    all_paths,
    backward_factorization,
    dependencies,
    expressions_of,
    face_order,
    forward_factorization,
    parsed,
)
from adviz.algorithms.expressions.terms import added
from adviz.graph.linearized.measures import bauer

from ...graph.dags import graphs
from .paper import EQUATIONS, figure_4_1


def by_faces(graph, order):
    dual = ad.line_graph(graph)
    cost = ad.Timeline.record(dual, ad.face_elimination(dual, order)).multiplications
    return cost, dual.jacobian()


@pytest.mark.parametrize(("equation", "part"), [("4.1", "a"), ("4.3", "b"), ("4.4", "b"), ("4.5", "b")])
def test_each_equation_is_an_order_of_faces_where_equal_products_are_one(equation, part):
    graph, expressions = figure_4_1(part), parsed(EQUATIONS[equation][0])
    cost, jacobian = by_faces(graph, face_order(graph, expressions))
    assert cost == len(dependencies(expressions).multiplications) == {"a": 5, "b": 8}[part]
    assert jacobian == pytest.approx(bauer(graph))


@pytest.mark.parametrize("factorization", [backward_factorization, forward_factorization])
@given(graph=graphs(vertices=9))
def test_a_set_without_circle_costs_as_faces_what_it_costs_as_algebra(factorization, graph):
    expressions = factorization(graph)
    found = dependencies(expressions)
    assert found.cycle is None
    cost, jacobian = by_faces(graph, face_order(graph, expressions))
    assert cost <= expressions.multiplications
    assert jacobian == pytest.approx(bauer(graph))


@given(graph=graphs(vertices=8))
def test_each_waits_for_a_product_that_shares_a_factor_with_it(graph):
    """Lemma 1: (a, b) waits for (b, c) or (c, a)."""
    found = dependencies(backward_factorization(graph))
    for each, others in found.waits.items():
        for other in others:
            assert each.right == other.left or each.left == other.right


@pytest.mark.parametrize(
    ("text", "mixed", "cycle"),
    [
        ("e15 = e13 (e34 e45 + e35)\ne24 = e23 e34\ne04 = e03 e34", {}, None),
        ("e15 = e13 (e34 e45 + e35)\ne14 = e13 e34", {"e13 · e34": ["e34 · e45"]}, None),
        ("e14 = e12 (e24 + e23 e34)\ne04 = e01 e12 e24", None, None),
        ("e14 = e12 (e24 + e23 e34)\ne04 = e01 (e12 e24)", None, ["e12 · e24"]),
    ],
)
def test_products_wait_for_the_bracket_they_would_break_and_terms_that_are_factors_for_themselves(text, mixed, cycle):
    found = dependencies(parsed(text))
    waits = {str(each): [str(other) for other in found.waits[each]] for each in found.mixed}
    assert mixed is None or waits == mixed
    assert (found.cycle and [str(each) for each in found.cycle]) == cycle


@pytest.mark.parametrize(
    ("graph", "text", "message"),
    [
        (
            ad.CGraph.from_edges([(0, 1), (1, 2), (1, 4), (2, 4)]),
            *("e40 = (e42 e21) e10 + e41 e10", r"\(e42 e21\) · e10 cannot be one face"),
        ),
        (figure_4_1("b"), EQUATIONS["4.1"][0], "have no letter e25, which is an edge"),
        (figure_4_1(), EQUATIONS["4.5"][0], "The graph has no edge e25, from 5 to 2"),
    ],
)
def test_a_set_of_another_graph_and_what_only_splitting_reaches_are_refused(graph, text, message):
    with pytest.raises(ExpressionError, match=message):
        face_order(graph, parsed(text))


def test_a_circle_is_named():
    both = parsed("e16 = e13 (e34 (e45 e56))\ne26 = e23 ((e34 e45) e56)")
    found = dependencies(both)
    assert {str(each) for each in found.cycle} == {"e34 · e45", "e45 · e56"}
    graph = ad.CGraph.from_edges([(6, 5), (5, 4), (4, 3), (3, 1), (3, 2)])
    with pytest.raises(ExpressionError, match=r"keeps all brackets: .* waits for"):
        face_order(graph, both)


def test_of_two_brackets_between_factors_one_is_enough():
    """Of (e93 + e94 e43) (e32 e20) and e74 (e43 e32): once e94 e43 is done, e43 and e32 do not meet there."""
    text = "X = e43 e32\ne90 = (e93 + e94 e43) (e32 e20)\ne70 = (e72 + e74 X) e20"
    found = dependencies(parsed(text))
    once = next(each for each in found.multiplications if str(each) == "e43 · e32")
    assert [[str(one) for one in group] for group in found.either[once]] == [["e94 · e43", "e32 · e20"]]
    assert found.cycle is None
    graph = ad.CGraph.from_edges([(0, 2), (2, 3), (3, 4), (2, 7), (4, 7), (3, 9), (4, 9)])
    cost, jacobian = by_faces(graph, face_order(graph, parsed(text)))
    assert cost == parsed(text).multiplications
    assert jacobian == pytest.approx(bauer(graph))


@given(data=st.data(), graph=graphs(vertices=6))
def test_any_brackets_are_faces_at_their_own_cost_or_a_named_error(data, graph):
    graph = ad.CGraph.from_edges(graph.edges, outputs=graph.outputs)

    def bracketed(factors):
        if len(factors) == 1:
            return factors[0]
        cut = data.draw(st.integers(1, len(factors) - 1))
        return Product((bracketed(factors[:cut]), bracketed(factors[cut:])))

    paths = {entry: [getattr(path, "factors", (path,)) for path in found] for entry, found in all_paths(graph).items()}
    expressions = Expressions({entry: added(*map(bracketed, found)) for entry, found in paths.items()})
    try:
        order = face_order(graph, expressions)
    except ExpressionError as error:
        assert "keeps all brackets" in str(error) or "cannot be one face" in str(error)  # noqa: PT017
        return
    cost, jacobian = by_faces(graph, order)
    assert cost == len(dependencies(expressions).multiplications)
    assert jacobian == pytest.approx(bauer(graph))


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
@given(graph=graphs(vertices=8))
def test_what_an_elimination_computes_has_no_circle_and_is_an_order_of_faces(kind, graph):
    graph = ad.CGraph.from_edges(graph.edges, outputs=graph.outputs)
    if kind == "face":
        dual = ad.line_graph(graph)
        timeline = ad.Timeline.record(dual, ad.face_elimination(dual, "markowitz"))
    else:
        end = graph.copy()
        eliminate = ad.vertex_elimination if kind == "vertex" else ad.edge_elimination
        timeline = ad.Timeline.record(end, eliminate(end, "markowitz"))
    expressions = expressions_of(timeline)
    assert dependencies(expressions).cycle is None
    cost, jacobian = by_faces(graph, face_order(graph, expressions))
    assert cost <= timeline.multiplications
    assert jacobian == pytest.approx(bauer(graph))
