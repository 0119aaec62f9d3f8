"""The Graph: what it says of its nodes is what brute force finds, on graphs of random programs."""

import re
from functools import cache, partial

import graphviz
import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad

from ..agreement.programs import programs
from ..stage.panels import HOSTILE

X = np.arange(6.0).reshape(2, 3) + 0.5
SMALL = settings(max_examples=60)
pytestmark = pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")


def traced(program, grain="array"):
    return ad.trace(partial(program, np), *program.inputs(), grain=grain)


def edges(graph):
    """All operand occurrences, as pairs of nodes."""
    return [(operand, node.index) for node in graph for operand in graph.operand_nodes(node.index)]


@given(programs(size=14))
@SMALL
def test_users_are_operands_the_other_way_round(program):
    graph = traced(program)
    pairs = edges(graph)
    for node in graph:
        assert graph.users(node.index) == [user for operand, user in pairs if operand == node.index]
        assert [operand.index for operand in node.operands if isinstance(operand, ad.Node)] == [
            operand for operand, user in pairs if user == node.index
        ]
        assert [user.index for user in node.users] == graph.users(node.index)


@given(programs(size=14))
@SMALL
def test_a_node_is_live_if_an_output_can_be_reached_and_used_by_live_nodes_only(program):
    graph = traced(program)
    pairs = edges(graph)

    @cache
    def reaches(node):
        return node in graph.outputs or any(reaches(user) for operand, user in pairs if operand == node)

    live = [reaches(node) for node in range(len(graph))]
    assert list(map(bool, graph.live)) == live == [node.live for node in graph]
    uses = [
        sum(operand == node and live[user] and user not in graph.outputs for operand, user in pairs)
        for node in range(len(graph))
    ]
    assert list(graph.times_used) == uses == [node.times_used for node in graph]
    assert graph.edges == sum(uses)


@given(programs(size=14))
@SMALL
def test_levels_depth_and_width(program):
    graph = traced(program)
    pairs = edges(graph)

    @cache
    def level(node):
        return max((level(operand) + 1 for operand, user in pairs if user == node), default=0)

    levels = [level(node) for node in range(len(graph))]
    assert list(graph.levels) == levels
    assert graph.depth == max(levels)
    assert graph.width == max(map(levels.count, levels))


@given(programs(size=10))
@SMALL
def test_reach_and_paths(program):
    graph = traced(program)
    pairs = edges(graph)

    @cache
    def count(start, end):
        return 1 if start == end else sum(count(start, operand) for operand, user in pairs if user == end)

    for start in range(len(graph)):
        assert graph.descendants(start) == {end for end in range(len(graph)) if end != start and count(start, end)}
        for end in range(len(graph)):
            assert graph.count_paths(start, end) == count(start, end)
            assert (start in graph.ancestors(end)) == (end in graph.descendants(start))


@given(programs(size=14))
@SMALL
def test_table_and_summary_agree_with_the_nodes(program):
    graph = traced(program)
    table = graph.table()
    assert {len(column) for column in table.values()} == {len(graph)}
    for node in graph:
        row = {name: column[node.index] for name, column in table.items()}
        assert row["block"] == node.block.name
        assert (row["name"] or None) == node.name
        assert (row["shape"], row["bytes"], row["times_used"]) == (node.shape, node.bytes, node.times_used)
        assert (row["live"], row["level"]) == (node.live, graph.levels[node.index])
        assert row["line"] == (node.origin.line if node.origin else 0)
        assert row["scope"] == node.scope
        assert row["file"] == (node.origin.file if node.origin else "")
    assert sum(graph.block_counts().values()) == len(graph)
    assert f"{len(graph):,} nodes, {graph.edges:,} edges" in graph.summary()
    assert f"dead {len(graph) - sum(table['live'])}" in graph.summary()


# ---- single facts ----


def test_bytes_count_views_once_and_numbers_always():
    graph = ad.trace(lambda x: x.T[0].sum() * x[0, 0], X)
    owned = {node.block.name: node.bytes for node in graph}
    assert owned["transpose"] == 48
    assert graph.bytes == 48 + 8 + 8 + 8 + 8  # the input, two entries of it, their sum's product, the output
    graph = ad.trace(lambda x: np.broadcast_to(x[:1], (1000, 3)), X)
    assert graph.bytes == 48
    assert ad.trace(lambda x: x * 2 + 1, 1.0).bytes == 8 * 4
    assert ad.trace(lambda x: np.exp(x) * 2, X.astype(np.float32)).bytes == 24 * 3


def test_a_graph_is_a_sequence_of_nodes():
    graph = ad.trace(lambda x: x * 2 + 1, 1.0)
    assert [node.index for node in graph] == [0, 1, 2, 3]
    assert graph[-1] == graph[3] != graph[2]
    assert len({graph[1], graph[1], graph[2]}) == 2
    assert graph[1] != ad.trace(lambda x: x * 2 + 1, 1.0)[1]
    assert graph[1] != 1
    for index in (4, -5):
        with pytest.raises(IndexError, match="of 4 nodes"):
            graph[index]


def test_what_a_node_says_of_itself():
    def f(x, y):
        h = np.tanh(x @ y)
        return h * 2

    graph = ad.trace(f, X, X.T)
    node = graph[3]
    assert (node.block.name, node.name, node.scope) == ("tanh", "h", "f")
    assert (node.shape, node.dtype, node.bytes, node.times_used, node.live) == ((2, 2), "float64", 32, 1, True)
    np.testing.assert_array_equal(node.value, np.tanh(X @ X.T))
    assert node.origin.text == "np.tanh(x @ y)"
    assert repr(node) == "<Node 3: h (tanh)>"
    assert repr(graph) == "<Graph of f: 6 nodes, 4 edges>"
    assert repr(ad.trace(lambda x: x, 1.0)) == "<Graph of <lambda>: 2 nodes, 0 edges>"
    assert graph.label(2) == "v2 (matmul)"


def test_summary_reads_well():
    def f(x):
        y = x * x
        np.sin(y)
        return y + y

    assert ad.trace(f, 2.0).summary().splitlines() == [
        "f: 5 nodes, 4 edges",
        "  inputs 1 · outputs 1 · dead 1",
        "  depth 3 · width 2 · 40 bytes held · 3 operations",
        "  blocks: input 1, multiply 1, sin 1, add 1, output 1",
        "  used most: x (input) 2×, y (multiply) 2×",
    ]


def test_a_graph_without_operations_and_without_inputs():
    graph = ad.trace(lambda x: x, 1.0)
    assert (len(graph), graph.depth, graph.width, graph.edges) == (2, 1, 1, 0)
    with pytest.warns(ad.IndependentOutputWarning):
        nothing = ad.trace(lambda: 1.0)
    assert (len(nothing), nothing.depth, nothing.width, nothing.edges, nothing.bytes) == (0, 0, 0, 0, 0)
    assert nothing.summary().startswith("<lambda>: 0 nodes")
    assert nothing.table()["node"].tolist() == []
    assert len(nothing.scopes) == 1
    assert list(nothing) == []


# ---- Graphviz ----


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_to_graphviz_whatever_they_contain(name):
    graph = ad.trace(lambda p: p[name] * 2, {name: 1.0})
    assert graph.name(0) == f"p[{name!r}]"
    dot = graph.to_graphviz()
    assert isinstance(dot, graphviz.Digraph)
    (label,) = re.findall(r"^\t0 \[label=(.*)\]$", dot.source, re.MULTILINE)
    assert label.startswith('"')
    assert read_by_graphviz(dot.source)["0"] == graph.label(0)


def read_by_graphviz(source):
    """What Graphviz itself takes the labels to be, escapes resolved."""
    import pygraphviz

    found = pygraphviz.AGraph(string=source)
    return {node: found.get_node(node).attr["label"].replace("\\\\", "\\") for node in found.nodes()}


def test_to_graphviz_has_a_box_per_node_and_an_arrow_per_operand():
    graph = ad.trace(lambda x: (np.sin(x), x * x)[1], 2.0)
    source = graph.to_graphviz().source
    assert source.count("->") == sum(len(graph.operand_nodes(node)) for node in range(len(graph))) == 4
    assert graph.edges == 2  # one operand is of a dead node, one of the output
    assert source.count("label=") == len(graph)
    assert source.count("dashed") == 1
