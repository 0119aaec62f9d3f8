"""Graphs out of files.

Reading believes nothing: every index is compared with what it is an index of before a graph is made, so that a graph
that was loaded is as sound as one that was traced.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .files.container import MOST_BYTES, GraphFileError, all_of, parsed, read, read_at
from .files.graph_columns import DOCUMENT, FLAT, PER_NODE, BlockName
from .files.saved_sources import function_of
from .files.saved_values import Reading, UnsavedValues, values_with_versions
from .graph import ABSENT, Graph
from .loops import control_flow
from .saved_functions import SavedFunction
from .scopes import Call
from .versions import Version
from .wengert_list import WRITE


def load(path: str | Path, find_block: Callable[[BlockName], Any], most_bytes: int = MOST_BYTES) -> Graph:
    """Load a graph: see :func:`adviz.load`. ``find_block`` returns the Block that has a name."""
    return graph_of(Path(path).name, read(path, most_bytes), find_block)


def graph_of(file: str, columns: Mapping[str, np.ndarray], find_block: Callable[[BlockName], Any]) -> Graph:
    """Return the graph of columns. Raises :class:`GraphFileError` with the place for columns that make none."""
    check = _Check(file, columns)
    document = check.document()
    numbers = {name: check.numbers(name) for name in (*PER_NODE, *FLAT)}
    functions = [read_at(file, f"functions[{k}]", function_of, each) for k, each in enumerate(document["functions"])]
    lines = sum(each.text_line for each in functions)
    check.expect(lines <= MOST_LINES_IN_ALL, f"its functions would have {lines:,} lines above them")
    blocks = [_block(check, k, each, find_block) for k, each in enumerate(document["blocks"])]
    count = len(numbers["first"])
    reading = Reading(file, check.column("memory").tobytes(), document["memory"], document["chains"])
    literals = reading.objects("literals", [check.column(f"literals_{part}") for part in PARTS], document["literals"])
    check.topology(numbers, count, len(blocks), len(literals))
    rest = _rest(check, numbers, count, len(literals))
    _check_operands(check, numbers, [block.name for block in blocks])
    call_table = check.calls(numbers, functions)
    rounds = check.rounds(numbers, functions, count)
    return Graph(
        block_table=blocks,
        rest=rest,
        literals=literals,
        values=_values(check, reading, document, count),
        evaluations=array("i", numbers["evaluations"].tolist()),
        rounds=rounds,
        call_table=call_table,
        inputs=numbers["inputs"].tolist(),
        outputs=numbers["outputs"].tolist(),
        names=check.names(document["names"], count),
        title=document["title"],
        **{name: array("i", numbers[name].astype(np.int32).tobytes()) for name in PER_NODE},
    )


MOST_LINES_IN_ALL = 20_000_000
"""Above all functions of a graph, which take memory."""
MOST_OF_AN_ARRAY = 1 << 50
"""The bytes that an array may have had that was not saved; sums of some are counted in 64 bits."""
PARTS = ("are_others", "floats")
LEAST_OPERANDS = {"index": 2, WRITE: 3, "output": 1}


def _block(check: _Check, k: int, entry: Any, find_block: Callable[[BlockName], Any]) -> Any:
    is_name = (
        isinstance(entry, list) and len(entry) == 4 and all_of(str, entry[:1] + entry[2:]) and all_of(int, entry[1:2])
    )
    check.expect(is_name, f"blocks[{k}] does not name a Block")
    return find_block(BlockName(*entry))


def _rest(check: _Check, numbers: Mapping[str, np.ndarray], count: int, literals: int) -> dict[int, tuple[int, ...]]:
    """Return the operands after the second."""
    nodes, counts, operands = (numbers[f"rest_{part}"] for part in ("nodes", "counts", "operands"))
    check.expect(len(nodes) == len(counts), "rest_nodes and rest_counts are of different lengths")
    check.within("rest_nodes", nodes, 0, count)
    check.within("rest_counts", counts, 1, len(operands) + 1)
    check.expect(int(counts.sum()) == len(operands), "rest_operands is not as long as rest_counts says")
    check.expect(len(np.unique(nodes)) == len(nodes), "rest_nodes has a node twice")
    check.within("rest_operands", operands, -literals, np.repeat(nodes, counts))
    check.expect(not (numbers["second"][nodes] == ABSENT).any(), "rest_nodes has a node without a second operand")
    ends = np.cumsum(counts).tolist()
    flat = operands.tolist()
    starts = [0, *ends][:-1]
    return {node: tuple(flat[a:b]) for node, a, b in zip(nodes.tolist(), starts, ends, strict=True)}


def _check_operands(check: _Check, numbers: Mapping[str, np.ndarray], names: list[str]) -> None:
    """Check that nodes of some Blocks have the operands without which nothing can be said of them."""
    counts = np.sum([numbers[name] != ABSENT for name in ("first", "second")], axis=0)
    counts[numbers["rest_nodes"]] += numbers["rest_counts"].astype(np.int64)
    needed = np.array([LEAST_OPERANDS.get(name, 0) for name in names], np.int64)[numbers["block_numbers"]]
    for node in np.flatnonzero(counts < needed)[:1].tolist():
        name = names[numbers["block_numbers"][node]]
        check.expect(False, f"node {node}, of Block {name}, has {counts[node]} of {needed[node]} operands")


def _values(check: _Check, reading: Reading, document: dict[str, Any], count: int) -> Any:
    if document["values"] is None:
        return _unkept(check, document["outlines"], count)
    if "numbers" in check.columns:
        values: Any = array("d", check.column("numbers").astype(float).tobytes())
    else:
        parts = [check.column(f"values_{part}") for part in PARTS]
        objects = reading.objects("values", parts, document["values"])
        for node in (node for node, each in enumerate(objects) if type(each) is not float and not _is_number(each)):
            check.expect(False, f"values[{node}] is not made of numbers")
        values = values_with_versions(objects)
    check.expect(len(values) == count, f"there are {len(values):,} values of {count:,} nodes")
    return values


def _is_number(value: Any) -> bool:
    """Return whether something is a number or an array of numbers, as the values of nodes are."""
    shown = value.chain.outline if type(value) is Version else value
    dtype = getattr(shown, "dtype", None)
    return isinstance(value, int) and abs(value) < 1 << 63 if dtype is None else dtype.kind in "biufc"


def _unkept(check: _Check, outlines: list[Any], count: int) -> UnsavedValues:
    kinds, owners, sizes = (check.numbers(name) for name in ("outline", "owner", "owner_bytes"))
    check.expect(len(kinds) == len(owners) == count, f"outline and owner have not an entry for each of {count:,} nodes")
    check.within("outline", kinds, 0, len(outlines))
    check.within("owner", owners, 0, len(sizes))
    check.within("owner_bytes", sizes, 0, MOST_OF_AN_ARRAY)
    result = read_at(check.file, "outlines", UnsavedValues, kinds, owners, sizes, outlines)
    for outline in result.table:
        kind, shape = outline or (np.dtype(float), ())
        check.expect(min(shape, default=0) >= 0, "outlines has a negative shape")
        check.expect(math.prod(shape) * max(kind.itemsize, 1) < MOST_OF_AN_ARRAY, f"outlines has the shape {shape}")
    return result


class _Check:
    """The columns of one file, and what has to be true of them."""

    def __init__(self, file: str, columns: Mapping[str, np.ndarray]):
        self.file, self.columns = file, columns

    def expect(self, holds: bool, words: str) -> None:
        if not holds:
            raise GraphFileError(f"{self.file} is damaged: {words}.")

    def column(self, name: str) -> np.ndarray:
        self.expect(name in self.columns, f"there is no column {name!r}")
        return self.columns[name]

    def numbers(self, name: str) -> np.ndarray:
        """Return a column of whole numbers."""
        column = self.column(name)
        self.expect(column.dtype.kind in "iu", f"column {name!r} is not of whole numbers")
        return column

    def within(self, name: str, column: np.ndarray, low: Any, high: Any) -> None:
        """Check that each entry is at least ``low`` and less than ``high``; the place of the first other is named."""
        wrong = np.flatnonzero((column < low) | (column >= high))
        if len(wrong):
            place = int(wrong[0])
            first, last = (int(np.broadcast_to(end, column.shape)[place]) for end in (low, high))
            raise GraphFileError(
                f"{self.file} is damaged: {name}[{place}] is {column[place]}, which is not in {first} to {last - 1}."
            )

    def document(self) -> dict[str, Any]:
        """Return the part that is JSON."""
        result = parsed(self.file, "its document", self.column("document").tobytes())
        fits = isinstance(result, dict) and result.keys() == DOCUMENT.keys()
        self.expect(fits, f"its document does not have the fields {', '.join(DOCUMENT)}")
        for field, kind in DOCUMENT.items():
            self.expect(isinstance(result[field], kind), f"{field} of its document is of another type")
        self.expect(all_of(int, result["memory"]), "memory of its document is not of sizes")
        return result

    def topology(self, numbers: Mapping[str, np.ndarray], count: int, blocks: int, literals: int) -> None:
        """Check that every node has a Block, and operands that come before it."""
        for name in PER_NODE:
            length = len(numbers[name])
            self.expect(length == count, f"{name} has {length:,} entries, and first has {count:,}")
        nodes = np.arange(count)
        self.expect(literals > 0, "literals has not the entry that stands for no operand")
        self.within("block_numbers", numbers["block_numbers"], 0, blocks)
        self.within("first", numbers["first"], -literals, nodes)
        self.within("second", numbers["second"], -literals, nodes)
        is_odd = (numbers["first"] == ABSENT) & (numbers["second"] != ABSENT)
        self.expect(not is_odd.any(), f"node {np.flatnonzero(is_odd)[:1]} has a second operand and no first one")
        self.within("inputs", numbers["inputs"], 0, count)
        self.within("outputs", numbers["outputs"], 0, count)
        evaluations = numbers["evaluations"]
        self.within("evaluations", evaluations, 0, count + 1)
        pairs = len(evaluations) % 2 == 0 and (evaluations[1::2] > evaluations[::2]).all()
        self.expect(bool(pairs), "evaluations are not pairs of a first node and an end")

    def calls(self, numbers: Mapping[str, np.ndarray], functions: list[SavedFunction]) -> list[Call]:
        """Return the calls; each comes after the one it was made in, and instructions are those of its function."""
        codes, parents, offsets = (numbers[f"call_{part}"] for part in ("codes", "parents", "offsets"))
        self.expect(
            len(codes) == len(parents) == len(offsets) > 0, "call_codes, call_parents, call_offsets differ in length"
        )
        self.within("call_codes", codes, -1, len(functions))
        self.expect(parents[0] == -1, "call_parents[0] is a call")
        self.within("call_parents[1:]", parents[1:], 0, np.arange(1, len(parents)))
        self.within("calls", numbers["calls"], 0, len(codes))
        ends = np.array([*(2 * len(each.positions) for each in functions), 1 << 30])  # the last one for no function
        self.within("call_offsets", offsets, -(1 << 31), ends[codes[np.maximum(parents, 0)]])
        self.within("offsets", numbers["offsets"], -(1 << 31), ends[codes[numbers["calls"]]])
        known: list[Any] = [*functions, None]
        return [
            Call(known[code], parent, offset)
            for code, parent, offset in zip(codes.tolist(), parents.tolist(), offsets.tolist(), strict=True)
        ]

    def rounds(self, numbers: Mapping[str, np.ndarray], functions: list[SavedFunction], count: int) -> dict[int, int]:
        """Check where loops were seen to begin an iteration: no deeper than loops are nested there."""
        keys, depths = numbers["round_nodes"], numbers["round_depths"]
        self.expect(len(keys) == len(depths), "round_nodes and round_depths are of different lengths")
        self.within("round_nodes", keys, -len(numbers["call_codes"]), count)
        self.within("round_depths", depths, 1, 1 << 30)
        result = dict(zip(keys.tolist(), depths.tolist(), strict=True))
        known: list[Any] = [*functions, None]
        for key, depth in result.items():
            call = int(numbers["calls"][key]) if key >= 0 else int(numbers["call_parents"][~key])
            offset = int(numbers["offsets"][key] if key >= 0 else numbers["call_offsets"][~key])
            code = known[int(numbers["call_codes"][call])] if call >= 0 else None
            nest = control_flow(code).nest(offset) if code is not None and offset >= 0 else ()
            self.expect(depth <= len(nest), f"a loop of depth {depth} is where loops are nested {len(nest)} deep")
        return result

    def names(self, texts: dict[str, Any], count: int) -> dict[int, str]:
        """Return the names of nodes that have some of their own."""
        self.expect(all_of(str, texts.values()), "names has one that is no text")
        result = read_at(self.file, "names", lambda: {int(node): name for node, name in texts.items()})
        self.expect(all(0 <= node < count for node in result), "names has a node that there is not")
        return result
