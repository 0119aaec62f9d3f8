"""All that is known of a graph, as plain data: what has to be the same after it was saved and loaded."""

from typing import Any

import numpy as np

import adviz as ad
from adviz.engine.blocks import Settings
from adviz.graph.origins import head_of, source

COLUMNS = ("block_numbers", "first", "second", "rest", "calls", "offsets", "evaluations", "rounds")
ENDS = ("inputs", "outputs", "names", "title")


def structure(graph: ad.Graph) -> dict[str, Any]:
    """Everything but values and constants: also what is computed, and what is read off the source."""
    table = {name: list(column) for name, column in graph.table().items()}
    tree = graph.scopes
    return {
        **{name: getattr(graph, name) for name in (*COLUMNS, *ENDS)},
        "blocks": [(block.name, block.family, block.symbol) for block in graph.block_table],
        "table": table,
        "bytes": graph.bytes,
        "summary": graph.summary(),
        "origins": [graph.origin(node) for node in range(len(graph))],
        "scopes": [list(tree.kinds), list(tree.parents), list(tree.of_node), list(tree.signatures)],
        "labels": [graph.scope_label(scope) for scope in range(len(tree))],
        "functions": [(source(code), head_of(code), code.co_varnames) for code in graph.codes],
    }


def plain(value: Any) -> Any:
    """A value as data that can be compared: type, dtype, strides, entries."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return type(value).__name__, array.dtype.str, array.shape, array.strides, array.flags.writeable, array.tobytes()
    if isinstance(value, tuple | list):
        return type(value).__name__, [plain(each) for each in value]
    if isinstance(value, slice):
        return "slice", plain((value.start, value.stop, value.step))
    if isinstance(value, dict):
        return "dict", [(plain(key), plain(each)) for key, each in value.items()]
    return type(value).__name__, repr(value)


def contents(graph: ad.Graph) -> dict[str, Any]:
    """Values and constants."""
    literals = [each.values if isinstance(each, Settings) else each for each in graph.literals]
    return {"values": [plain(value) for value in graph.values], "literals": [plain(each) for each in literals]}
