"""Sizes by line of the source: nodes, bytes and uses; and as a text that is kept beside a test.

``graph.by("line")`` counts the same for a reader. Here inputs and outputs are two lines, two functions of one line are
two, and what a budget limits is counted: the most uses of one value. In the text lines are known by their function and
what they say, not by number, so that it stays as it is where lines are moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .graph import Graph
from .origins import place_called
from .queries.node_columns import Place
from .saved_functions import line_of
from .wording import counted


class LineSizes(NamedTuple):
    """What a line of the source made: nodes, bytes, the most uses of one of them, and floating-point operations.

    The line number is 0 for inputs and outputs, which are two lines of their own.
    """

    file: str
    function: str
    line: int
    text: str
    nodes: int
    bytes: int
    times_used: int
    operations: int

    @property
    def place(self) -> str:
        """Where it is: ``model.py:3, in f: h = np.tanh(a)``, or ``inputs``."""
        return f"{place_called(self.file, self.line)}, in {self.function}: {self.text}" if self.line else self.text


def sizes_by_line(graph: Graph) -> list[LineSizes]:
    """Return the lines that made the nodes of a graph, in the order in which they were first evaluated.

    Nodes and bytes add up to those of the graph: memory that several nodes share counts for the first of them.

    >>> import adviz
    >>> [(each.text, each.nodes, each.times_used) for each in sizes_by_line(adviz.trace(pow, 3.0, 2.0))]
    [('inputs', 2, 1), ('other', 1, 0), ('outputs', 1, 0)]
    """
    columns = graph.columns
    lines: dict[tuple[str, str, int, str], int] = {}
    rows = [lines.setdefault(_line(place), len(lines)) for place in columns.places]
    ends = [lines.setdefault(("", "", 0, word), len(lines)) for word in ("inputs", "outputs", "other")]
    row = np.array([*rows, ends[2]])[columns.place]
    row[graph.inputs], row[graph.outputs] = ends[:2]
    count = len(lines)
    nodes, held, operations = (
        np.bincount(row, column, count).astype(np.int64) for column in (None, columns.held, columns.operations)
    )
    uses, first = np.zeros(count, np.int64), np.full(count, len(graph))
    np.maximum.at(uses, row, columns.times_used)
    np.minimum.at(first, row, np.arange(len(graph)))
    sizes = list(zip(*(column.tolist() for column in (nodes, held, uses, operations)), strict=True))
    places = list(lines)
    return [LineSizes(*places[k], *sizes[k]) for k in np.argsort(first).tolist() if nodes[k]]


def _line(place: Place) -> tuple[str, str, int, str]:
    origin = place.origin
    return origin.file, origin.function, origin.line, " ".join(line_of(place.code, origin.line).split())


def table_of_lines(rows: Iterable[tuple[str, ...]], header: tuple[str, ...]) -> list[str]:
    """Return rows as lines of text, numbers to the right, the last column to the left.

    >>> print("\\n".join(table_of_lines([("1,000", "f: x * x"), ("2", "inputs")], ("nodes", "line"))))
    nodes  line
    1,000  f: x * x
        2  inputs
    """
    rows = [header, *rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(header) - 1)]
    return [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]


# ---- as a text that is kept ----

HEADER = ("nodes", "bytes", "times used", "line")


def sizes_text(graph: Graph) -> str:
    """Return the sizes of a graph by line, as a text without places, for a file under version control.

    >>> import adviz
    >>> print(sizes_text(adviz.trace(pow, 3.0, 2.0)))
    pow: 4 nodes, 2 edges, 32 bytes
    nodes  bytes  times used  line
        2     16           1  inputs
        1      8           0  other
        1      8           0  outputs
    <BLANKLINE>
    """
    rows: list[tuple[str, ...]] = []
    for each in sizes_by_line(graph):
        name = f"{each.function}: {each.text}" if each.line else each.text
        rows.append((f"{each.nodes:,}", f"{each.bytes:,}", f"{each.times_used:,}", name))
    title = f"{graph.title}: {counted((len(graph), 'node'), (graph.edges, 'edge'), (graph.bytes, 'byte'))}"
    return "\n".join([title, *table_of_lines(_added_up(rows), HEADER), ""])


def _added_up(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows of lines with the same function and text, such as a line that is there twice, told apart by number."""
    seen: dict[str, int] = {}
    result = []
    for *cells, name in rows:
        seen[name] = seen.get(name, 0) + 1
        result.append((*cells, name if seen[name] == 1 else f"{name} ({seen[name]})"))
    return result


ROW = re.compile(r" *([\d,]+) +([\d,]+) +([\d,]+)  (\S.*)")


def sizes_of_text(text: str) -> dict[str, tuple[int, ...]]:
    """Return nodes, bytes and uses by line, as :func:`sizes_text` wrote them; other lines of the text are no rows.

    >>> sizes_of_text("nodes  bytes  times used  line\\n 1,000  8,000  2  f: x * x\\n")
    {'f: x * x': (1000, 8000, 2)}
    """
    result = {}
    for line in text.splitlines():
        if match := ROW.fullmatch(line):
            result[match[4]] = tuple(int(number.replace(",", "")) for number in match.groups()[:3])
    return result


def sizes_difference(before: str, after: str) -> list[str]:
    """Say what differs between two texts of sizes, a line for each source line; nothing if only the order does.

    >>> sizes_difference("f: 2 nodes\\n 2  16  1  f: x * x\\n", "f: 5 nodes\\n 2  16  1  f: x * x\\n 3  24  0  f: y\\n")
    ['f: 2 nodes → 5 nodes', '+ f: y: 3 nodes, 24 bytes']
    """
    one, other = sizes_of_text(before), sizes_of_text(after)
    if one == other:
        return []
    result = [
        _change(name, one.get(name), other.get(name)) for name in {**one, **other} if one.get(name) != other.get(name)
    ]
    titles = [text.partition("\n")[0] for text in (before, after)]
    if titles[0] != titles[1]:
        shared = titles[0].partition(": ")[0] + ": "
        result.insert(0, f"{titles[0]} → {titles[1].removeprefix(shared)}")
    return result


def _change(name: str, before: tuple[int, ...] | None, after: tuple[int, ...] | None) -> str:
    if before is None or after is None:
        nodes, held, _ = before or after or (0, 0, 0)
        return f"{'-' if after is None else '+'} {name}: {counted((nodes, 'node'), (held, 'byte'))}"
    words = ("nodes", "bytes", "times used")
    changes = [
        f"{one:,} → {other:,} {word}" for one, other, word in zip(before, after, words, strict=True) if one != other
    ]
    return f"~ {name}: {', '.join(changes)}"
