"""The details of a node of two graphs laid over each other, for the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....graph.comparing.union_graph import BITS, UnionGraph
from ...scene import captions
from ...scene.node_details import Detail
from ..detail import detail


def compared_detail(union: UnionGraph, node: int, labels: tuple[str, str]) -> Detail:
    """Return the details of a node in the second graph if it is there, else in the first, and what differs.

    Nodes have the numbers of the union.

    >>> import adviz
    >>> before, after = adviz.trace(lambda x: x * x, 3.0), adviz.trace(lambda x: x * x + x, 3.0)
    >>> union = UnionGraph(adviz.compare_graphs(before, after))
    >>> compared_detail(union, 2, ("before", "after"))["differences"]
    ['only in after: node 2 there']
    """
    side = int(union.is_after[node])
    graph = union.numbered_sides[side]
    told: Any = _renumbered(detail(graph, int((union.before, union.after)[side][node])), graph.numbers)
    told["differences"] = differences(union, node, labels)
    return told


def _renumbered(told: Any, numbers: Sequence[int], key: str = "") -> Any:
    """Return details with the numbers of the union; texts have them."""
    if isinstance(told, dict):
        return {name: _renumbered(each, numbers, name) for name, each in told.items()}
    if isinstance(told, list):
        return [_renumbered(each, numbers) for each in told]
    return numbers[told] if key == "node" else told


def differences(union: UnionGraph, node: int, labels: tuple[str, str]) -> list[str]:
    """Say what differs between a node before and after, a sentence each."""
    before, after = int(union.before[node]), int(union.after[node])
    if before < 0 or after < 0:
        return [f"only in {labels[0 if after < 0 else 1]}: node {max(before, after)} there"]
    one, other = union.sides[0][before], union.sides[1][after]
    words = {
        "replaced": lambda: f"{one.block.name} → {other.block.name}",
        "resized": lambda: f"{_sized(one)} → {_sized(other)}",
        "rewired": lambda: f"computed from {_operands(union, 0, before)} → from {_operands(union, 1, after)}",
        "with other constants": lambda: f"constant {union.comparison.constants.told(before, after)}",
        "used more": lambda: f"used {one.times_used:,} → {other.times_used:,} times",
        "used less": lambda: f"used {one.times_used:,} → {other.times_used:,} times",
        "moved": lambda: f"moved from {_place(union, one)} to {_place(union, other)}",
    }
    bits = int(union.differences[node])
    found = [told() for kind, told in words.items() if bits & BITS[kind]]
    if found and before != after:
        found.append(f"node {before} → node {after}")
    return found


def _sized(node: Any) -> str:
    shape = captions.shape(node.shape) if node.shape else "number"
    return f"{shape}, {node.dtype} ({node.bytes:,} bytes)"


def _operands(union: UnionGraph, side: int, node: int) -> str:
    graph = union.numbered_sides[side]
    named = [f"{graph.numbered(each)} ({captions.label(graph, each)})" for each in graph.operand_nodes(node)]
    return ", ".join(captions.few(named, "…"))


def _place(union: UnionGraph, node: Any) -> str:
    return union.comparison.place(node.origin) if node.origin else "an unknown place"
