"""What all graphs of some sizes cost at best: :func:`enumerate_optima`, in pieces, which a folder keeps.

A piece is a pure function of plain data, so that one whose worker is lost is done again, and one that is in the folder
is not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ...search.distributed import gathered
from .small_graphs import Piece, SmallGraph, graphs_of, pieces
from .table import Enumerated, Exceptional, Optima, optima

FILE = "pieces.jsonl"
FOREVER = 1e8
"""Seconds."""


class Progress(NamedTuple):
    """How far an enumeration is: ``pieces`` of ``of`` are done, the last of them ``piece``, after ``seconds``."""

    pieces: int
    of: int
    piece: Piece
    seconds: float


def enumerate_optima(
    folder: str | Path,
    sizes: Iterable[tuple[int, int]],
    *,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Enumerated:
    """Return what all small graphs of some ``sizes``, intermediates and edges, cost at best.

    Each piece that is done is a line of JSON in a file of ``folder``, so that an enumeration which was stopped goes on
    there, also with more sizes. The pieces are done by the ``executor`` if there is one, any of
    :mod:`concurrent.futures` or Dask's ``client.get_executor()``; ``progress`` is called after each.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = enumerate_optima(folder, [(2, 7), (2, 8)])
    >>> [(size.edges, size.graphs, size.edge_below_vertex) for size in found.sizes]
    [(7, 54, 0), (8, 114, 1)]
    >>> [str(each.graph) for each in found.graphs]
    ['01 | 0 0 | 1 1 1 01']
    """
    if executor is not None and not hasattr(executor, "submit"):
        raise ValueError(f"executor is {executor!r}; expected one of concurrent.futures, or None.")
    file, start = Path(folder) / FILE, time.monotonic()
    file.parent.mkdir(parents=True, exist_ok=True)
    wanted = [piece for size in dict.fromkeys(sizes) for piece in pieces(*size)]
    known = _read(file)
    waiting = [piece for piece in wanted if piece not in known]
    with file.open("a", encoding="utf-8") as lines, closing(_results(waiting, executor)) as results:
        for count, (piece, result) in enumerate(results, 1):
            lines.write(json.dumps([piece, result]) + "\n")
            lines.flush()
            known[piece] = result
            if progress:
                progress(Progress(len(wanted) - len(waiting) + count, len(wanted), piece, time.monotonic() - start))
    counts = dict.fromkeys((piece[:2] for piece in wanted), 0)
    for piece in wanted:
        counts[piece[:2]] += known[piece][0]
    every = (Exceptional(SmallGraph.parsed(text), Optima(*best)) for piece in wanted for text, best in known[piece][1])
    return Enumerated(counts, tuple(every))


Result = tuple[int, list[tuple[str, Optima]]]
"""How many graphs there are in a piece, and the exceptional ones as text."""


def done(piece: Piece) -> Result:
    """Return how many graphs there are in a piece, and what the exceptional ones among them cost at best.

    >>> count, exceptional = done(Piece(2, 8, 1, 2))
    >>> count, [text for text, _ in exceptional]
    (14, ['01 | 0 0 | 1 1 1 01'])
    """
    found = [(graph, optima(graph)) for graph in graphs_of(piece)]
    return len(found), [(str(graph), best) for graph, best in found if best.is_exceptional]


def _results(waiting: list[Piece], executor: Executor | None) -> Generator[tuple[Piece, Result]]:
    if executor is None:
        for piece in waiting:
            yield piece, done(piece)
    else:
        for (piece,), result in gathered(executor, done, [(piece,) for piece in waiting], time.monotonic() + FOREVER):
            yield piece, result


def _read(file: Path) -> dict[Piece, Result]:
    """Return the pieces that a file has; a line that was not written to its end is none, and is cut off."""
    if not file.exists():
        return {}
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        file.write_bytes(whole)
    return {Piece(*piece): result for piece, result in map(json.loads, whole.splitlines())}
