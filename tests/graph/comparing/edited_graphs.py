"""Graphs with nodes added, removed and replaced at random."""

import random
from array import array

from adviz.engine.blocks import block_named
from adviz.graph.graph import ABSENT, Graph


def rows_of(graph):
    """The nodes of a graph as lists: Block, operands, call, offset, value."""
    columns = graph.block_numbers, map(graph.operands, range(len(graph))), graph.calls, graph.offsets, graph.values
    return [list(row) for row in zip(*columns, strict=True)]


def graph_of(graph, rows, inputs, outputs, names, table):
    """A graph of rows, with the rest of another one."""
    operands = [row[1] for row in rows]
    return Graph(
        block_table=table,
        block_numbers=array("i", [row[0] for row in rows]),
        first=array("i", [each[0] if each else ABSENT for each in operands]),
        second=array("i", [each[1] if len(each) > 1 else ABSENT for each in operands]),
        rest={node: tuple(each[2:]) for node, each in enumerate(operands) if len(each) > 2},
        literals=graph.literals,
        values=[row[4] for row in rows],
        calls=array("i", [row[2] for row in rows]),
        offsets=array("i", [row[3] for row in rows]),
        evaluations=array("i"),
        rounds={},
        call_table=graph.call_table,
        inputs=inputs,
        outputs=outputs,
        names=names,
        title=graph.title,
    )


def edited(graph, seed, edits):
    """A copy of a graph with so many random edits of nodes between inputs and outputs."""
    rng = random.Random(seed)
    table = [*graph.block_table, block_named("sin", 0), block_named("exp", 0)]
    rows, old = rows_of(graph), list(range(len(graph)))
    for _ in range(edits):
        free = [k for k, node in enumerate(old) if node is None or node not in {*graph.inputs, *graph.outputs}]
        kind = rng.choice(["add", "remove", "replace"] if free else ["add"])
        if kind == "add":
            place = rng.randint(1, len(rows))
            moved = lambda each, place=place: each + (each >= place)  # noqa: E731
            rows = [[row[0], tuple(map(moved, row[1])), *row[2:]] for row in rows]
            made = [rng.randrange(len(table)), (rng.randrange(place),), *rng.choice(rows)[2:]]
            rows.insert(place, made)
            old.insert(place, None)
        elif kind == "remove":
            place = rng.choice(free)
            instead = next((each for each in rows[place][1] if 0 <= each < place), 0)
            moved = lambda each, p=place, i=instead: i if each == p else each - (each > p)  # noqa: E731
            rows = [[row[0], tuple(map(moved, row[1])), *row[2:]] for k, row in enumerate(rows) if k != place]
            del old[place]
        else:
            rows[rng.choice(free)][0] = rng.randrange(len(table))
    at = {node: k for k, node in enumerate(old) if node is not None}
    inputs, outputs = ([at[node] for node in ends] for ends in (graph.inputs, graph.outputs))
    names = {at[node]: name for node, name in graph.names.items() if node in at}
    return graph_of(graph, rows, inputs, outputs, names, table)
