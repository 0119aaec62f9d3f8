"""The decisions that a program takes for granted, where control flow depends on values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from ...engine.linearize import CONDITIONS
from ...graph.graph import Graph
from ...graph.origins import Origin
from ..backends.numpy_blocks import Blocks
from ..points.batches import Batch
from ..points.source_text import number_text, written
from ..schedules import Instruction, Schedule

LONGEST = 110
"""Columns of a comment."""


class Guard(NamedTuple):
    """The comparisons that a program takes for granted, how each was decided, and the same in words.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x if x > 0 else -x, 1.0, branches=True)
    >>> program.programs[0].guard.decisions
    (True,)
    """

    schedule: Schedule
    decisions: tuple[bool, ...]
    texts: tuple[str, ...]

    @property
    def comment(self) -> str:
        """The decisions, as a comment above the program."""
        return comment_of(self.texts)

    def holds(self, given: Batch) -> np.ndarray:
        """Say at which points every comparison is decided in this way."""
        result = np.empty((len(self.decisions), given.size), given.dtype)
        inputs = [row for matrix in given.matrices for row in matrix.astype(given.dtype, copy=False)]
        inputs = inputs[: len(self.schedule.inputs)]  # tangents and adjoints follow
        with np.errstate(all="ignore"):
            Blocks(self.schedule)(inputs, list(result), given.dtype)
        return np.asarray((result == np.array(self.decisions, given.dtype)[:, None]).all(axis=0))


def comment_of(texts: Sequence[str]) -> str:
    """Return decisions in words, as a comment above a program; "" where there are none.

    >>> print(comment_of(["x > 0 (line 3)"]), end="")
    # Where x > 0 (line 3)
    """
    text = f"Where {', '.join(texts)}" if texts else ""
    return "".join(f"{line}\n" for line in wrap(text, LONGEST, initial_indent="# ", subsequent_indent="#     "))


def decision_texts(graph: Graph, vertices: Sequence[int], decisions: Mapping[int, bool]) -> tuple[str, ...]:
    """Say the decisions in words, for each place in the user's source; nodes without a name by their vertices.

    >>> from adviz.engine.trace import record
    >>> recorded = record(lambda x: x if abs(x) > 1 else 0.0, (3.0,), {}, "scalar", symbolic=True, decides=True)
    >>> graph = recorded.trace().graph
    >>> [text.partition(" (")[0] for text in decision_texts(graph, range(len(graph)), recorded.tape.decisions)]
    ['v1 > 1.0']
    """
    places: dict[Origin | None, list[str]] = {}
    for node, holds in decisions.items():
        text = _condition(graph, vertices, node)
        places.setdefault(graph.origin(node), []).append(text if holds else f"not {text}")
    return tuple(", ".join(texts) + (f" ({_line(place)})" if place else "") for place, texts in places.items())


def _line(place: Origin) -> str:
    return f"line {place.line}: {' '.join(place.text.split())}".removesuffix(": ")  # there may be no source


def _condition(graph: Graph, vertices: Sequence[int], node: int) -> str:
    """Return a comparison in the names of the user's source; for a number, that it is not 0."""
    operands = graph.operands(node) if graph.blocks[node] in CONDITIONS else (node,)
    names = {each: graph.name(each) or f"v{vertices[each]}" for each in operands if each >= 0}
    names |= {each: number_text(graph.literal(each)) for each in operands if each < 0}
    if operands == (node,):
        return f"{names[node]} != 0.0"
    return written(Instruction(node, graph.blocks[node].name, operands), names)
