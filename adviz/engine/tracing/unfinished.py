"""The graph of a function that raised an exception: what it had computed until then, kept with the exception.

It shares its values with the tape, which the exception's traceback keeps alive as well; nothing in it refers to the
exception, so that all is let go when the exception is.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import Any

from ...graph import ipython
from ...graph.graph import Graph
from ..recording.tape import Tape, running_tapes
from ..trace_errors import OutputError

NOTE = "adviz kept the graph up to this line: import sys; ad.explore(sys.last_value.graph)"
NOTE_OF_WHOLE = "adviz kept the graph: import sys; ad.explore(sys.last_value.graph)"
"""For a function that ran to its end, and returned what cannot be differentiated."""


class Unfinished(Graph):
    """A graph without outputs. Since nobody knows what the function would have used, every node counts as live.

    It cannot be pickled, and is left out where its exception is, as on the way from one process to another.

    >>> import adviz
    >>> try:
    ...     adviz.trace(lambda x: [x * x][1], 3.0)
    ... except IndexError as error:
    ...     error.graph
    <Graph of <lambda>, up to IndexError: 2 nodes, 2 edges>
    """

    @cached_property
    def live(self) -> bytearray:
        """1 for each node."""
        return bytearray(b"\1") * len(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __copy__(self) -> Unfinished:
        copied = object.__new__(Unfinished)
        vars(copied).update(vars(self))
        return copied


def keep_graph(error: Exception, tape: Tape, title: str) -> None:
    """Give an exception that ends a trace the attribute ``graph``, and in IPython a note that says so.

    Only the outermost of nested traces does: its values are plain. An attribute of that name that the exception has of
    its own stays. IPython also learns to show the exception without adviz's frames.
    """
    if running_tapes() or isinstance(error, MemoryError):
        return
    with contextlib.suppress(AttributeError, TypeError):  # exceptions may refuse attributes
        if isinstance(getattr(error, "graph", None), Unfinished | None) and tape.count:
            error.graph = tape.graph([], f"{title}, up to {type(error).__name__}", Unfinished)  # type: ignore[attr-defined]
        if ipython.shell() is None:
            return
        ipython.show_users_frames(error)
        note = NOTE_OF_WHOLE if isinstance(error, OutputError) else NOTE
        if tape.count > len(tape.inputs) and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
