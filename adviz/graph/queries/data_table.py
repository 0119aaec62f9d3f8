"""Columns of equal length that a notebook shows as a table."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ..wording import counted

MOST_ROWS = 20
"""Rows that are shown; a table has all of them."""
LONGEST = 80
"""Characters of an entry that are shown."""
SHARES = ("share",)
"""Columns of parts of 1, shown as percentages."""
PATHS = ("scope", "iteration")
"""Columns of paths, whose ends are shown where they are too long."""


class Table(Mapping[str, np.ndarray]):
    """Columns by name, each a NumPy array: ``table["bytes"]``. ``rows`` is how many entries each has.

    >>> table = Table("two nodes", {"block": np.array(["sin", "add"], object), "bytes": np.array([8, 8000])})
    >>> table
    two nodes
    block  bytes
    sin        8
    add    8,000
    >>> table.sorted("bytes")["block"].tolist()
    ['add', 'sin']
    """

    def __init__(self, title: str, columns: Mapping[str, np.ndarray]):
        self.title, self.columns = title, dict(columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def taken(self, places: Any) -> Table:
        """Return the table of some rows, by their places or a column of booleans."""
        return Table(self.title, {name: column[places] for name, column in self.columns.items()})

    def sorted(self, name: str, *, largest_first: bool = True) -> Table:
        """Return the table ordered by a column; rows that are equal there keep their order."""
        order = np.argsort(self[name], kind="stable")
        if largest_first:  # equal rows in their order, too
            order = len(order) - 1 - np.argsort(self[name][::-1], kind="stable")[::-1]
        return self.taken(order)

    def to_pandas(self) -> Any:
        """Return the table as a ``pandas.DataFrame``. Raises ``ImportError`` without pandas."""
        return import_module("pandas").DataFrame(self.columns)

    def __repr__(self) -> str:
        columns = [[name, *column] for name, column in self._shown().items()]
        widths = [max(map(len, column)) for column in columns]
        is_text = [self[name].dtype == object for name in self]
        lines = [
            "  ".join(
                entry.ljust(width) if left else entry.rjust(width)
                for entry, width, left in zip(row, widths, is_text, strict=True)
            ).rstrip()
            for row in zip(*columns, strict=True)
        ]
        return "\n".join([*filter(None, [self.title]), *lines, *filter(None, [self._rest()])])

    def _repr_html_(self) -> str:
        shown = self._shown()
        styles = ["text-align:left" if self[name].dtype == object else "text-align:right" for name in self]
        head = "".join(f'<th style="{s}">{html.escape(n)}</th>' for n, s in zip(shown, styles, strict=True))
        body = "".join(
            "<tr>"
            + "".join(f'<td style="{s}">{html.escape(e)}</td>' for e, s in zip(row, styles, strict=True))
            + "</tr>"
            for row in zip(*shown.values(), strict=True)
        )
        rest = f"<p>{html.escape(self._rest())}</p>" if self._rest() else ""
        return f"<table><caption>{html.escape(self.title)}</caption><tr>{head}</tr>{body}</table>{rest}"

    def _shown(self) -> dict[str, list[str]]:
        """Return the entries of the first rows, as text."""
        return {name: [_text(name, each) for each in column[:MOST_ROWS].tolist()] for name, column in self.items()}

    def _rest(self) -> str:
        """Return what is said below the rows that are shown."""
        return f"… and {counted((self.rows - MOST_ROWS, 'more row'))}" if self.rows > MOST_ROWS else ""


def _text(name: str, entry: Any) -> str:
    if isinstance(entry, bool):
        return "yes" if entry else "no"
    if name in SHARES:
        return f"{entry:.1%}"
    if isinstance(entry, int):
        return f"{entry:,}"
    text = f"{entry:.6g}" if isinstance(entry, float) else " ".join(str(entry).split())
    if len(text) <= LONGEST:
        return text
    return "…" + text[1 - LONGEST :] if name in PATHS else text[: LONGEST - 1] + "…"


def told_apart(names: Sequence[str], *details: Sequence[str], joined: str = "{} ({})") -> list[str]:
    """Return names, those that are equal together with the first of the ``details`` in which they all differ.

    Where there is none, with the last one. Names without a detail stay as they are.

    >>> told_apart(["sigmoid", "sigmoid", "loss"], ["net.py:4", "net.py:9", "net.py:12"])
    ['sigmoid (net.py:4)', 'sigmoid (net.py:9)', 'loss']
    >>> told_apart(["x", "x"], ["net.py:4", "net.py:4"], ["net.py:4:8", "net.py:4:20"])
    ['x (net.py:4:8)', 'x (net.py:4:20)']
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    result = list(names)
    for name, equal in places.items():
        if len(equal) > 1 and details:
            detail = next((each for each in details if len({each[k] for k in equal}) == len(equal)), details[-1])
            for k in equal:
                result[k] = joined.format(name, detail[k]) if detail[k] else name
    return result


def csv_text(table: Mapping[str, Iterable[Any]]) -> str:
    """Return columns as CSV.

    >>> csv_text({"node": [0, 1], "shape": [(), (2, 3)]})
    'node,shape\\n0,()\\n1,"(2, 3)"\\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()
