"""A graph as the columns of a file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .saved_sources import document_of, saved_function
from .saved_values import Keeping, are_saved, columns_of_objects, outlines_of

PER_NODE = ("block_numbers", "first", "second", "calls", "offsets")
FLAT = {
    "rest_nodes": "nodes with more than two operands",
    "rest_counts": "how many more",
    "rest_operands": "these, one node after the other",
    "evaluations": "ranges of nodes, from and to",
    "round_nodes": "nodes, and calls as complements, before which loops began an iteration",
    "round_depths": "the number of loops",
    "inputs": "nodes",
    "outputs": "nodes",
    "call_codes": "functions, -1 for none",
    "call_parents": "calls",
    "call_offsets": "of the calling instructions",
}
"""The columns of numbers other than those with an entry per node."""
DOCUMENT: dict[str, type | tuple[type, ...]] = {
    "title": str,
    "blocks": list,
    "names": dict,
    "functions": list,
    "literals": list,
    "values": (list, type(None)),
    "chains": list,
    "outlines": list,
    "memory": list,
}
"""The rest, as JSON."""


class BlockName(NamedTuple):
    """How a file names a Block: a name may be that of several Blocks of the tables, which are numbered.

    The number is negative for a Block that is in no table, such as one of the user's own.
    """

    name: str
    number: int
    family: str
    symbol: str


def columns_of(graph: Any, values: bool) -> dict[str, np.ndarray | bytes]:
    """Return the columns of a graph, and ``document``, the rest as JSON."""
    with_values = values and are_saved(graph.values)
    keeping = Keeping()
    numbers = {name: np.asarray(getattr(graph, name), np.int32) for name in PER_NODE}
    numbers |= {name: np.asarray(column, np.int64) for name, column in zip(FLAT, _flat(graph), strict=True)}
    literal_columns, literals = columns_of_objects("literals", graph.literals, keeping)
    value_columns, others, outlines = _value_columns(graph, with_values, keeping)
    document = {
        "title": graph.title,
        "blocks": [
            BlockName(each.name, getattr(each, "number_among_namesakes", -1), each.family, each.symbol)
            for each in graph.block_table
        ],
        "names": {str(node): name for node, name in graph.names.items()},
        "functions": [document_of(saved_function(code)) for code in graph.codes],
        "literals": literals,
        "values": others,
        "chains": keeping.chains,
        "outlines": outlines,
        "memory": list(map(len, keeping.memory)),
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    memory = b"".join(keeping.memory)
    return {**numbers, **literal_columns, **value_columns, "memory": memory, "document": text}


def _flat(graph: Any) -> list[Sequence[int]]:
    """Return the columns of ``FLAT``, in their order."""
    number = {id(code): k for k, code in enumerate(graph.codes)}
    calls, further = graph.call_table, list(graph.rest.values())
    return [
        list(graph.rest),
        list(map(len, further)),
        [operand for operands in further for operand in operands],
        graph.evaluations,
        list(graph.rounds),
        list(graph.rounds.values()),
        graph.inputs,
        graph.outputs,
        [number.get(id(call.code), -1) for call in calls],
        [call.parent for call in calls],
        [call.offset for call in calls],
    ]


def _value_columns(
    graph: Any, with_values: bool, keeping: Keeping
) -> tuple[dict[str, np.ndarray], list[Any] | None, list[Any]]:
    """Return the columns of values, those that are no floats, and the table of outlines; one or the other."""
    if not with_values:
        result = outlines_of(graph.values)
        columns = {"outline": result.kinds, "owner": result.owners, "owner_bytes": result.owner_bytes}
        return columns, None, [None if each is None else [each[0].str, each[1]] for each in result.table]
    if isinstance(graph.values, array):
        return {"numbers": np.frombuffer(graph.values)}, [], []
    stored = getattr(graph.values, "stored", graph.values)
    columns, others = columns_of_objects("values", stored, keeping)
    return columns, others, []
