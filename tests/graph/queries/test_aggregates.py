"""Nodes counted by line, function, scope, Block and shape; tables; operations."""

import html
import json
import re
import sys
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.graph.errors import OptionError
from adviz.graph.graph import held
from adviz.graph.loops import instruction_starts
from adviz.graph.queries.aggregates import CRITERIA
from adviz.graph.queries.data_table import MOST_ROWS, Table

from ...agreement.programs import programs
from ...primitives import cube
from ...stage.panels import HOSTILE
from ...stage.query_goldens import GRAPHS, TABLES, graph, tables
from ..test_graph import traced

SMALL = settings(max_examples=25, deadline=None)

ENDS = "inputs and outputs"
OF_A_NODE = {
    "line": lambda node: (
        (node.origin.file, node.origin.line) if node.origin else node.block.family in ("input", "output")
    ),
    "function": lambda node: (
        id(node.graph.call_table[node.graph.calls[node.index]].code)
        if node.origin
        else node.block.family in ("input", "output")
    ),
    "block": lambda node: node.block.name,
    "shape": lambda node: str(node.shape),
    "scope": lambda node: " › ".join(part for part in node.scope.split(" › ") if not part.startswith("iteration ")),
    "iteration": lambda node: run_of(node.graph, node.index),
}
"""How a reader counts: what each node says of itself."""


def run_of(graph, node):
    """The iterations around a node by their contents, with what is around and between them; None outside of loops."""
    tree = graph.scopes
    path = [scope for scope in tree.path(tree.of_node[node]) if tree[scope].kind != "part"]
    while path and tree[path[-1]].kind != "iteration":
        path.pop()
    return tuple(contents(graph, scope) if tree[scope].kind == "iteration" else place(tree, scope) for scope in path)


def contents(graph, scope):
    """The operations in a scope, each with its place in the source and the scopes that it is in."""
    tree = graph.scopes
    inside = [node for node, inner in enumerate(tree.of_node) if scope <= inner < tree.ends[scope]]
    paths = [tree.path(tree.of_node[node])[len(tree.path(scope)) :] for node in inside]
    return tuple(
        (graph.block_numbers[node], instruction(graph, node), *(place(tree, each) for each in path))
        for node, path in zip(inside, paths, strict=True)
    )


def instruction(graph, node):
    """The offset of a node's instruction; once CPython has specialized one, a frame tells the end of its cache."""
    code, offset = graph.call_table[graph.calls[node]].code, graph.offsets[node]
    return instruction_starts(code)[offset >> 1] if code and offset >= 0 else offset


def place(tree, scope):
    code, offset = tree.places[scope]
    return tree[scope].kind, id(code), offset


def naive(of, criterion):
    """The rows that a plain loop counts, as a multiset."""
    rows, values = {}, []
    for node in of:
        row = rows.setdefault(OF_A_NODE[criterion](node), [0, 0, 0, 0])
        before = held(values)
        values.append(node.value)
        operands = [getattr(operand, "value", operand) for operand in node.operands]
        row[0] += 1
        row[1] += held(values) - before
        row[2] += node.block.operations(node.value, operands)
        row[3] += node.times_used
    return Counter(map(tuple, rows.values()))


def counted(of, criterion):
    groups = of.by(criterion)
    return Counter(zip(*(groups[name].tolist() for name in ("nodes", "bytes", "operations", "uses")), strict=True))


@pytest.mark.parametrize("criterion", CRITERIA)
@given(program=programs(size=14))
@SMALL
def test_groups_are_what_a_plain_loop_counts(criterion, program):
    for grain in ("array", "scalar"):
        of = traced(program, grain)
        if criterion != "scope":
            assert counted(of, criterion) == naive(of, criterion)
        check_totals(of, criterion)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", GRAPHS)
def test_groups_of_known_programs_are_what_a_plain_loop_counts(name, criterion):
    of = graph(name)
    check_totals(of, criterion)
    assert f"{of.bytes:,} bytes held · {of.by(criterion)['operations'].sum():,} operations" in of.summary()
    if (name, criterion) == ("network", "scope"):  # two calls of one function, told apart by their place
        assert len(counted(of, criterion)) == len(naive(of, criterion)) + 1
    else:
        assert counted(of, criterion) == naive(of, criterion)


def nested(x):
    for i in range(10):
        for k in range(5):
            x = np.sin(x)
            if k == i:
                x = np.exp(x) - 1.0
    return x


def long_and_uneven(x):
    for k in range(300):
        x = np.sin(x)
        if k % 50 == 7:
            x = np.cos(x)
    return x


def called_in_a_loop(x):
    for k in range(4):
        x = nested(x) if k == 2 else nested(nested(x))
    return x


@pytest.mark.parametrize("f", [nested, long_and_uneven, called_in_a_loop], ids=lambda f: f.__name__)
def test_iterations_of_loops_are_counted_as_they_are_folded(f):
    of = ad.trace(f, 0.5)
    assert counted(of, "iteration") == naive(of, "iteration")
    check_totals(of, "iteration")


def test_the_iteration_that_differs_is_a_row_of_its_own():
    groups = ad.trace(nested, 0.5).by("iteration")
    around = "nested › for i in range(10)"
    inner = f"{around} › iteration 3 › for k in range(5)"
    assert [label for label in groups["iteration"].tolist() if label.startswith(inner)] == [
        f"{inner} › iterations 1–2, 4–5",
        f"{inner} › iteration 3",
    ]
    assert groups["iteration"].tolist()[0] == f"{around} › iterations 6–10 › for k in range(5) › iterations 1–5"
    assert groups.nodes_of("outside loops").indices.tolist() == [0, 61]
    assert f"{around[10:]} › iterations 6–10 › for k in range(5) › iterations 1–5" in str(groups)


def check_totals(of, criterion):
    """The sums are the figures of the summary; every node is in the group that its row names."""
    groups = of.by(criterion)
    labels = groups[criterion].tolist()
    assert len({*labels}) == len(labels)
    assert (groups["nodes"].sum(), groups["uses"].sum()) == (len(of), of.edges)
    assert (groups["bytes"].sum(), groups["operations"].sum()) == (of.bytes, of.operations)
    assert groups["share"].sum() == pytest.approx(float(len(of) > 0))
    assert groups["nodes"].tolist() == sorted(groups["nodes"].tolist(), reverse=True)
    members = [groups.nodes_of(label).indices.tolist() for label in labels]
    assert list(map(len, members)) == groups["nodes"].tolist()
    assert sorted(chain.from_iterable(members)) == list(range(len(of)))


def test_the_tables_are_those_that_the_explorer_shows():
    assert json.loads(TABLES.read_text(encoding="utf-8")) == json.loads(json.dumps(tables()))


def test_groups_say_where():
    lines = graph("network").by("line")
    assert lines["line"].tolist()[:2] == [ENDS, "query_programs.py:7"]
    assert lines["source"].tolist()[1] == "return np.tanh(x @ w)"
    assert graph("network").by("scope")["scope"].tolist() == [
        "network",
        "network › layer (query_programs.py:11)",
        "network › layer (query_programs.py:14)",
    ]
    with pytest.raises(OptionError, match="cannot be counted by 'lines'; choose one of 'line', 'function'"):
        graph("network").by("lines")
    with pytest.raises(KeyError, match="no group 'nowhere'; there are 'inputs and outputs'"):
        lines.nodes_of("nowhere")


def test_what_adviz_makes_is_outside_the_source():
    of = ad.trace(ad.grad(lambda x: np.sin(x) * x), 1.0)
    lines = of.by("line")
    outside = lines.nodes_of("outside the source")
    assert {node.block.name for node in outside} & {"cos", "multiply"}
    assert {node.block.name for node in lines.nodes_of(ENDS)} == {"input", "output"}
    assert [node.index for node in of if node.origin is None] == sorted(
        [*outside.indices, *lines.nodes_of(ENDS).indices]
    )


def test_two_functions_of_one_name_are_two_groups():
    def once(k):
        def step(x):
            return x * k

        return step

    def twice(k):
        def step(x):
            return x * k * k

        return step

    of = ad.trace(lambda x: twice(3.0)(once(2.0)(x)), 1.0)
    first = once.__code__.co_firstlineno
    named = {*of.by("function")["function"].tolist()} - {ENDS}
    pair = (lambda x: x * 2.0), (lambda x: x * 3.0)
    assert len({*ad.trace(lambda x: pair[0](x) + pair[1](x), 1.0).by("function")["function"].tolist()}) == 4
    assert named == {f"step (test_aggregates.py:{first + 1})", f"step (test_aggregates.py:{first + 7})"}


def test_nodes_of_one_name_are_told_apart_in_the_summary():
    def f(x):
        for _ in range(4):
            x = x * 0.5
        y = x * 2.0
        y = np.sin(y) + np.cos(y)
        return x + y * y

    line = f.__code__.co_firstlineno
    last = ad.trace(f, 1.0).summary().splitlines()[-1]
    assert f"x (multiply, test_aggregates.py:{line + 2}" in last
    names = [entry.rpartition(" ")[0] for entry in last.removeprefix("  used most: ").split("×")]
    assert len({*names}) == len(names)
    of = graph("powers")
    assert of.labels([1, 2, 0]) == [
        "x (multiply, query_programs.py:23, node 1)",
        "x (multiply, query_programs.py:23, node 2)",
        "x (input)",
    ]


# ---- tables ----


@given(program=programs(size=14))
@SMALL
def test_edges_are_the_operands_in_order(program):
    for grain in ("array", "scalar"):
        of = traced(program, grain)
        table = of.edges_table()
        expected = [(o, k, j) for k in range(len(of)) for j, o in enumerate(of.operands(k)) if o >= 0]
        assert list(zip(*(table[name].tolist() for name in ("tail", "head", "operand")), strict=True)) == expected
        assert table["is_use"].sum() == of.edges
        assert table["bytes"].tolist() == [of[tail].bytes for tail, *_ in expected]


def test_found_nodes_are_a_sequence():
    found = graph("network").find("layer")
    assert len(found) == len(found.indices) == len(list(found)) == found.table().rows == 5
    assert found[0] in found
    assert graph("network")[0] not in found
    assert 3 not in found
    assert list(found[1:3]) == [found[1], found[2]]
    assert found[-1] == list(found)[-1]
    with pytest.raises(IndexError):
        found[5]
    assert found.index(found[2]) == 2
    assert "5 nodes of network for layer" in repr(found)


def test_tables_are_shown_as_text_and_sorted():
    table = Table("t", {"name": np.array(["a", "b", "c"], object), "n": np.array([1, 3000, 1])})
    assert repr(table).splitlines() == ["t", "name      n", "a         1", "b     3,000", "c         1"]
    assert table.sorted("n")["name"].tolist() == ["b", "a", "c"]
    assert table.sorted("n", largest_first=False)["name"].tolist() == ["a", "c", "b"]
    assert dict(table).keys() == {"name", "n"}
    long = graph("powers").nodes_table()
    assert f"… and {len(graph('powers')) - MOST_ROWS:,} more rows" in repr(long)
    assert repr(long.taken(slice(0, 0))).splitlines()[1].startswith("node  name")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_in_the_tables_of_notebooks(name):
    of = ad.trace(lambda x: x * 2.0, 1.0)
    of.title = name
    of.names[0] = name
    tables = of.find("input"), of.nodes_table(), of.by("block"), of.edges_table()
    for shown in tables:
        text = shown._repr_html_()
        assert {*re.findall("<(/?[a-z]+)", text)} <= {*"table caption tr th td /table /caption /tr /th /td".split()}
    assert html.escape(" ".join(name.split())[:20]) in tables[0]._repr_html_()


def test_pandas_gets_the_columns(monkeypatch):
    of = graph("network")
    frame = of.nodes_table().to_pandas()
    assert frame["block"].tolist() == [node.block.name for node in of]
    assert frame.groupby("block")["bytes"].sum().to_dict() == {
        name: of.nodes_table()["bytes"][of.find(f"block == {name}").indices].sum() for name in set(frame["block"])
    }
    sizes = of.by("line").to_pandas()
    assert (sizes["nodes"].sum(), sizes["bytes"].sum()) == (len(of), of.bytes)
    assert [*sizes.columns] == [*of.by("line").columns]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        graph("network").nodes_table().to_pandas()


# ---- operations ----


def arithmetic(of):
    return sum(node.block.operation_count != 0 for node in of)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (lambda x: np.sum(np.sin(x) * x), [np.ones(5)]),
        (lambda a, b: a @ b, [np.ones((2, 3)), np.ones((3, 4))]),
        (lambda a, x: np.tanh(a @ x), [np.ones((2, 3)), np.ones(3)]),
        (lambda x: np.prod(x) + np.max(x), [np.arange(4.0)]),
        (lambda x: np.cumsum(x), [np.ones(6)]),
        (lambda x: np.cumsum(x, axis=0), [np.ones((3, 2))]),
        (lambda x: x[1:] - x[:-1] ** 2.0, [np.ones(5)]),
        (lambda a, b: np.convolve(a, b), [np.ones(4), np.ones(3)]),
        (lambda x: np.mean(x), [np.ones(7)]),
    ],
)
def test_operations_of_arrays_are_those_of_their_numbers(f, arguments):
    whole, numbers = (ad.trace(f, *arguments, grain=grain) for grain in ("array", "scalar"))
    assert whole.operations == numbers.operations == arithmetic(numbers)


def test_a_block_of_ones_own_counts_its_entries_or_what_it_says():
    class thrice(cube):
        def operations(self, value, operands):
            return 3 * np.size(value)

    assert ad.trace(lambda x: cube()(x), np.ones(5)).operations == 5
    assert ad.trace(lambda x: thrice()(x), np.ones(5)).operations == 15


@pytest.mark.parametrize(
    ("f", "arguments", "operations"),
    [
        (np.linalg.inv, [np.eye(4)], 128),
        (lambda x: np.sum(x), [np.zeros(0)], 0),
        (lambda x: np.prod(x, axis=0), [np.zeros((0, 3))], 0),
        (np.linalg.solve, [np.eye(3), np.ones((3, 2))], 18 + 36),
        (np.linalg.det, [np.stack([np.eye(3)] * 2)], 36),
        (lambda a: np.linalg.cholesky(a), [np.eye(6)], 72),
        (lambda x: np.fft.fft(x).real, [np.ones(8)], 120),
        (lambda a, b: np.einsum("ij,jk->ik", a, b), [np.ones((2, 3)), np.ones((3, 4))], 40),
        (lambda a: np.linalg.eigvalsh(a), [np.eye(3)], 36),
        (lambda a: np.linalg.svd(a, compute_uv=False), [np.eye(3)[:, :2]], 37),
        (lambda x: np.sort(x), [np.ones(8)], 0),
    ],
)
def test_decompositions_are_counted_by_their_leading_terms(f, arguments, operations):
    of = ad.trace(f, *arguments)
    assert of.operations == operations


def test_a_graph_without_nodes_has_tables_without_rows():
    with pytest.warns(ad.IndependentOutputWarning):
        of = ad.trace(lambda: 1.0)
    assert [of.by(criterion).rows for criterion in CRITERIA] == [0] * len(CRITERIA)
    assert (of.nodes_table().rows, of.edges_table().rows, len(of.find("sin or isnan"))) == (0, 0, 0)
    assert repr(of.by("block")).startswith("0 nodes of <lambda> by block\nblock  nodes")
