"""Nodes counted by line, function, scope, iteration, Block or shape: how many, how large, how often used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from ..errors import OptionError
from ..ipython import cell
from ..origins import head_of
from ..saved_functions import line_of
from ..wording import counted
from .data_table import Table, told_apart
from .found_nodes import Nodes
from .node_columns import NodeColumns, Texts, alike, iteration_names

ENDS, ELSEWHERE = "inputs and outputs", "outside the source"
"""The groups of nodes that no line made; the second has those of derivatives, for example, which adviz makes."""
OUTSIDE = "outside loops"


class Grouping(NamedTuple):
    """Labels of groups, the group of every node, and a further text for each group."""

    labels: list[str]
    numbers: np.ndarray
    further: dict[str, list[str]]


class Groups(Table):
    """A row for each group of nodes, the one with most nodes first; the totals are those of ``graph.summary()``.

    ``bytes`` are those that the values of the group hold (a view of another node's memory holds none), ``operations``
    floating-point operations, ``uses`` edges to its nodes, ``share`` its part of all nodes.

    >>> import adviz
    >>> groups = adviz.trace(lambda x: x * x * x, 3.0).by("block")
    >>> groups["block"].tolist(), groups["nodes"].tolist(), groups.nodes_of("multiply").indices.tolist()
    (['multiply', 'input', 'output'], [2, 1, 1], [1, 2])
    """

    def __init__(self, title: str, columns: Mapping[str, np.ndarray], nodes: NodeColumns, number_of: np.ndarray):
        super().__init__(title, columns)
        self._nodes, self._number_of = nodes, number_of

    def nodes_of(self, label: str) -> Nodes:
        """Return the nodes of a group, by what its first column calls it. Raises ``KeyError`` for another label."""
        labels = next(iter(self.columns.values())).tolist()
        if label not in labels:
            raise KeyError(f"there is no group {label!r}; there are {', '.join(map(repr, labels[:10]))}")
        return Nodes(self._nodes, np.flatnonzero(self._number_of == labels.index(label)), label)


def grouped(columns: NodeColumns, criterion: str) -> Groups:
    """Count the nodes by one of :data:`CRITERIA`."""
    if criterion not in CRITERIA:
        known = ", ".join(map(repr, CRITERIA))
        raise OptionError(f"nodes cannot be counted by {criterion!r}; choose one of {known}")
    graph = columns.graph
    labels, numbers, further = CRITERIA[criterion](columns)
    nodes = np.bincount(numbers, minlength=len(labels))
    first = np.zeros(len(labels), np.int64)
    first[numbers[::-1]] = np.arange(len(graph))[::-1]
    order = np.lexsort((first, -nodes))[: np.count_nonzero(nodes)]

    def total(column: np.ndarray) -> np.ndarray:
        return np.bincount(numbers, column, len(labels)).astype(np.int64)[order]

    place = np.zeros(len(labels), np.int64)
    place[order] = np.arange(len(order))
    rows = {
        criterion: np.array(labels, object)[order],
        "nodes": nodes[order],
        "bytes": total(columns.held),
        "operations": total(columns.operations),
        "uses": total(columns.times_used),
        "share": nodes[order] / max(len(graph), 1),
        **{name: np.array(texts, object)[order] for name, texts in further.items()},
    }
    title = f"{counted((len(graph), 'node'))} of {graph.title} by {criterion}"
    return Groups(title, rows, columns, place[numbers])


# ---- by what ----


def _texts(texts: Texts) -> Grouping:
    known: dict[str, int] = {}
    rows = np.array([known.setdefault(text, len(known)) for text in texts.table], np.int64)
    return Grouping(list(known), rows[texts.numbers], {})


def _blocks(columns: NodeColumns) -> Grouping:
    return _texts(Texts([block.name for block in columns.graph.block_table], columns.block))


def _lines(columns: NodeColumns) -> Grouping:
    known: dict[tuple[str, int], int] = {}
    keys = [(place.origin.file, place.origin.line) for place in columns.places]
    rows = [known.setdefault(key, len(known)) for key in keys]
    names = short_names([file for file, _ in known])
    labels = [*(f"{names[file]}:{line}" for file, line in known), ENDS, ELSEWHERE]
    codes = {key: place.code for key, place in zip(keys, columns.places, strict=True)}
    lines = [*(line_of(codes[key], key[1]).strip() for key in known), "", ""]
    return Grouping(labels, _with_ends(columns, rows, len(known)), {"source": lines})


def _with_ends(columns: NodeColumns, rows: list[int], ends: int) -> np.ndarray:
    """Return the group of every node from that of its place; groups after the last one have no place."""
    numbers = np.array([*rows, ends + 1])[columns.place]
    for nodes in (columns.graph.inputs, columns.graph.outputs):
        numbers[nodes] = ends
    return numbers


def _functions(columns: NodeColumns) -> Grouping:
    known: dict[int, int] = {}
    codes = {id(place.code): place.code for place in columns.places}
    rows = [known.setdefault(id(place.code), len(known)) for place in columns.places]
    heads = [head_of(codes[key]) for key in known]
    names = short_names([head.file for head in heads if head])
    places = [f"{names[head.file]}:{head.line}" if head else "" for head in heads]
    numbered = [f"{place}, function {number}" for number, place in enumerate(places, start=1)]
    labels = told_apart([codes[key].co_name for key in known], places, numbered)
    return Grouping([*labels, ENDS, ELSEWHERE], _with_ends(columns, rows, len(known)), {})


def _scopes(columns: NodeColumns) -> Grouping:
    return Grouping(scope_paths(columns), columns.scope_groups.numbers[columns.scope], {})


def _iterations(columns: NodeColumns) -> Grouping:
    rows, row_of = iteration_rows(columns)
    labels = [*(f"{around} › {name}" for name, around in rows), OUTSIDE]
    return Grouping(labels, row_of[columns.scope], {})


def iteration_rows(columns: NodeColumns) -> tuple[list[tuple[str, str]], np.ndarray]:
    """Return the iterations of a loop with equal contents as rows, each with its name and the path of its loop.

    Of nested loops, the row of a scope is that of the innermost; the row after the last one is for what is in no loop.
    """
    tree = columns.graph.scopes
    groups = alike(tree, by_iteration=True)
    iterations = iteration_names(tree, groups)
    names, wide = scope_names(columns), columns.scope_groups.numbers
    rows: list[tuple[str, str]] = []
    paths: list[str] = []
    row_of: list[int] = []
    for group, (scope, parent) in enumerate(zip(groups.firsts, groups.parents, strict=True)):
        name = iterations.get(group) or names[wide[scope]][0]
        around = paths[parent] if parent >= 0 else ""
        paths.append(f"{around} › {name}" if parent >= 0 else name)
        row_of.append(len(rows) if group in iterations else row_of[parent] if parent >= 0 else -1)
        rows += [(name, around)] if group in iterations else []
    result = np.array(row_of, np.int32)
    return rows, np.where(result < 0, len(rows), result)[groups.numbers]


def scope_paths(columns: NodeColumns) -> list[str]:
    """Return the path of every group of scopes that are made alike, such as ``f › for k in range(3)``.

    Of those that are in the same scope and have the same label it says the place: ``f › sigmoid (net.py:4)``.
    """
    paths: list[str] = []
    for name, parent in scope_names(columns):
        paths.append(f"{paths[parent]} › {name}" if parent >= 0 else name)
    return paths


def scope_names(columns: NodeColumns) -> list[tuple[str, int]]:
    """Return the last part of the path of every group of scopes, and the number of the group around it, or -1."""
    firsts, parents, _ = columns.scope_groups
    table, numbers = columns.scope_labels
    inside: dict[int, list[int]] = {}
    for group, parent in enumerate(parents):
        inside.setdefault(parent, []).append(group)
    lines, places = scope_places(columns)
    own = [""] * len(firsts)
    for groups in inside.values():
        labels = [table[numbers[firsts[group]]] for group in groups]
        details = [
            [column[group] for group in groups] for column in (lines, places, list(map(str, range(len(firsts)))))
        ]
        for group, name in zip(groups, told_apart(labels, *details), strict=True):
            own[group] = name
    return list(zip(own, parents, strict=True))


def scope_places(columns: NodeColumns) -> tuple[list[str], list[str]]:
    """Return where each group of scopes was called or stands: its line, and its line and column."""
    result = [columns.scope_place(scope) for scope in columns.scope_groups[0]]
    files = short_names([place.file for place in result if place])
    lines = [f"{files[place.file]}:{place.line}" if place else "" for place in result]
    return lines, [f"{line}:{place.column + 1}" if place else "" for line, place in zip(lines, result, strict=True)]


CRITERIA: dict[str, Callable[[NodeColumns], Grouping]] = {
    "line": _lines,
    "function": _functions,
    "scope": _scopes,
    "iteration": _iterations,
    "block": _blocks,
    "shape": lambda columns: _texts(columns.shape),
}
"""What nodes can be counted by."""


def short_names(paths: list[str]) -> dict[str, str]:
    """Return names of files without their folders, where that is enough to tell them apart.

    >>> short_names(["a/net.py", "b/net.py", "b/loss.py"])
    {'a/net.py': 'a/net.py', 'b/net.py': 'b/net.py', 'b/loss.py': 'loss.py'}
    """
    unique = list(dict.fromkeys(paths))
    names = [cell(path) or PurePath(path).name for path in unique]
    return {path: path if names.count(name) > 1 else name for path, name in zip(unique, names, strict=True)}
