"""Graphs for other programs."""

import csv
import io

import networkx
import numpy as np
from hypothesis import given, settings

import adviz as ad
from tests.agreement.programs import programs


@settings(max_examples=60)
@given(programs())
def test_networkx_has_the_nodes_and_the_operands(program):
    graph = ad.trace(lambda *inputs: program(np, *inputs), *program.inputs())
    found = graph.to_networkx()
    assert networkx.is_directed_acyclic_graph(found)
    assert list(found) == list(range(len(graph)))
    for node in graph:
        operands = sorted((place, tail) for tail, _, place in found.in_edges(node.index, data="place"))
        expected = [(place, each) for place, each in enumerate(graph.operands(node.index)) if each >= 0]
        assert operands == expected
        told = found.nodes[node.index]
        assert (told["block"], told["times_used"], told["shape"]) == (node.block.name, node.times_used, node.shape)


@settings(max_examples=60)
@given(programs())
def test_csv_is_a_row_per_node(program):
    graph = ad.trace(lambda *inputs: program(np, *inputs), *program.inputs())
    rows = list(csv.DictReader(io.StringIO(graph.to_csv())))
    assert [int(row["node"]) for row in rows] == list(range(len(graph)))
    assert sum(int(row["times_used"]) for row in rows) == graph.edges
    assert [row["block"] for row in rows] == [block.name for block in graph.blocks]


def test_csv_is_written_to_a_file(tmp_path):
    graph = ad.trace(lambda x: np.sum(x[1:, None] * np.ones(3)), np.ones(4))
    text = graph.to_csv(tmp_path / "graph.csv")
    assert (tmp_path / "graph.csv").read_bytes() == text.encode()
    assert [row["operands"] for row in csv.DictReader(io.StringIO(text))][1:3] == [
        "0 (slice(1,None,None),None)",
        "1 array[3]",
    ]


def test_dot_has_names_as_text():
    text = ad.trace(lambda x: x * x, 3.0).to_dot()
    assert text.startswith("digraph adviz {")
    assert text.count("->") == 3
