"""Queries: the goldens that the front end reads, too, and what is said of mistakes."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.graph.queries.query_language import COMPARISONS, DEEPEST, parse

from ...agreement.programs import programs
from ...stage.query_goldens import GRAPHS, QUERIES, graph
from ..test_graph import traced

GOLDENS = json.loads(QUERIES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDENS["queries"], ids=lambda case: f"{case['graph']}: {case['query']}")
def test_a_query_finds_what_it_found(case):
    assert graph(case["graph"]).find(case["query"]).indices.tolist() == case["nodes"]


@pytest.mark.parametrize("case", GOLDENS["mistakes"], ids=lambda case: case["query"])
def test_a_mistake_is_told_at_its_character(case):
    with pytest.raises(ad.QueryError) as caught:
        graph("network").find(case["query"])
    error = caught.value
    assert (error.at, error.reason) == (case["at"], case["reason"])
    *_, query, mark = str(error).splitlines()
    assert query[2:] == case["query"]
    assert mark == " " * (case["at"] + 2) + "^"


WORDS = [
    "tanh",
    "h",
    '"x @ w"',
    "block == tanh",
    "bytes > 40",
    "depth 1..3",
    "dead",
    "name:h",
    "scope ~ layer",
    "line:7",
]
TREES = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner),
    ),
    max_leaves=8,
)


def written(tree):
    """A tree as a query, with parentheses around everything."""
    return (
        tree
        if isinstance(tree, str)
        else f"({' '.join(part if part in OPERATORS else written(part) for part in tree)})"
    )


OPERATORS = ("not", "and", "or")


def meant(tree, of):
    """The nodes that a tree stands for, as sets say it."""
    match tree:
        case str():
            return {*of.find(tree).indices.tolist()}
        case (_, part):
            return {*range(len(of))} - meant(part, of)
        case (left, "and", right):
            return meant(left, of) & meant(right, of)
        case (left, _, right):
            return meant(left, of) | meant(right, of)


@given(TREES, st.sampled_from(sorted(GRAPHS)))
def test_operators_combine_as_sets_do(tree, name):
    of = graph(name)
    query = f"node >= 0 and {written(tree)}"  # a condition, so that parentheses are no text
    assert {*of.find(query).indices.tolist()} == meant(tree, of)


@given(
    st.lists(st.sampled_from([*WORDS, "(", ")", "and", "or", "not", ">", "==", '"', "bytes", "3", "size:", "😀", "\n"]))
)
def test_any_text_is_a_query_or_a_mistake_inside_it(parts):
    query = " ".join(parts)
    mistakes = []
    try:
        graph("network").find(query)
    except ad.QueryError as error:
        mistakes.append(error)
    assert all(0 <= error.at <= len(query) and error.query == query for error in mistakes)


def test_precedence_is_not_and_or():
    def nodes(query):
        return graph("network").find(query).indices.tolist()

    assert nodes("tanh or cos and dead") == nodes("tanh or (cos and dead)") != nodes("(tanh or cos) and dead")
    assert nodes("not tanh cos or log") == nodes("((not tanh) and cos) or log")


def test_parentheses_may_be_deep_and_no_deeper():
    opened = "(" * DEEPEST
    assert parse(f"{opened}sin or cos{')' * DEEPEST}") == parse("sin or cos")
    with pytest.raises(ad.QueryError, match=f"More than {DEEPEST}"):
        parse("(" * 100_000 + "sin or cos")


def test_the_columns_are_what_the_nodes_say():
    for name in GRAPHS:
        of = graph(name)
        columns = of.columns
        for node in of:
            k = node.index
            place = node.origin
            assert columns.name.column()[k] == (node.name or "")
            assert (columns.shape.column()[k], columns.dtype.column()[k]) == (str(node.shape), node.dtype)
            assert (columns.bytes[k], columns.times_used[k]) == (node.bytes, node.times_used)
            assert columns.scope_paths[columns.scope[k]] == node.scope
            assert columns.first_line[k] == (place.line if place else np.inf)
            assert columns.isnan[k] == bool(np.isnan(node.value).any())


OF_A_NODE = {
    "bytes": lambda node: node.bytes,
    "depth": lambda node: node.graph.levels[node.index],
    "node": lambda node: node.index,
    "times_used": lambda node: node.times_used,
    "value": lambda node: node.value if np.ndim(node.value) == 0 else np.nan,
}


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@given(programs(size=14), st.sampled_from(sorted(OF_A_NODE)), st.sampled_from(sorted(COMPARISONS)), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_numbers_of_random_graphs_are_compared_as_a_plain_loop_does(program, name, comparison, bound):
    for grain in ("array", "scalar"):
        of = traced(program, grain)
        holds = [bool(COMPARISONS[comparison](OF_A_NODE[name](node), bound)) for node in of]
        assert of.find(f"{name} {comparison} {bound}").indices.tolist() == list(np.flatnonzero(holds))
        assert of.find(f"not {name} {comparison} {bound}").indices.tolist() == list(np.flatnonzero(np.invert(holds)))
