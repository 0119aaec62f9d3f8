"""Loading graphs: the Blocks that a file names are those of the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...graph.checked_graphs import load as load_with
from ...graph.files.container import MOST_BYTES
from ...graph.files.graph_columns import BlockName
from ...graph.graph import Graph
from ..blocks import Block, block_named
from ..trace_errors import MissingBlockError


class UnknownBlock(Block):
    """Stands for a Block that a file names and that is not in the tables, such as one of the user's own."""

    def __init__(self, name: str, family: str = "own", symbol: str | None = None):
        self.name, self.family, self.symbol = name, family, symbol or name

    def data_fn(self, *operands: Any, **settings: Any) -> Any:
        raise self._unknown()

    def get_jacobians(self, *operands: Any, **settings: Any) -> Any:
        raise self._unknown()

    def _unknown(self) -> MissingBlockError:
        return MissingBlockError(
            f"The graph was loaded from a file, which has the Block {self.name} by name only: it can be looked at, and "
            "not be computed or differentiated. Trace the function again for that."
        )


def load(path: str | Path, *, most_bytes: int = MOST_BYTES) -> Graph:
    """Load a graph that ``graph.save(path)`` wrote.

    It is explored, measured, drawn and compared as the graph that was traced, on any machine; if it was saved with
    ``values=True``, it is differentiated, too. ``most_bytes`` is what it may take in memory. Everything in the file is
    checked, none of it is run. Blocks of your own come back as names: what needs their functions is refused.

    Raises :class:`~adviz.GraphFileError`, with the place, for a file that is no graph, is damaged, of another version
    or too large.

    >>> import tempfile, adviz
    >>> path = adviz.trace(lambda x: x * x, 3.0).save(tempfile.mkdtemp() + "/square.adviz", values=True)
    >>> load(path)[1].value, load(path).origin(1).text
    (9.0, 'x * x')
    """
    return load_with(path, _block, most_bytes)


def _block(name: BlockName) -> Block:
    """Return the Block of the tables with a name, or what stands for one that is in none."""
    try:
        return block_named(name.name, name.number)
    except MissingBlockError:
        return UnknownBlock(name.name, name.family, name.symbol)
