"""The decisions that a program takes for granted, where control flow depends on values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import groupby
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


def deciding(graph: Graph, decisions: Mapping[int, bool]) -> Graph:
    """Return the same graph with the nodes that were decided for outputs."""
    result = copy(graph)
    result.outputs = list(decisions)
    for column in ("live", "times_used"):  # which depend on the outputs
        vars(result).pop(column, None)
    return result


def decision_texts(graph: Graph, decisions: Mapping[int, bool]) -> tuple[str, ...]:
    """Return the decisions in words, place by place; what comes several times in a row, as in a loop, is counted.

    >>> from adviz.engine.trace import record
    >>> recorded = record(lambda x: x if abs(x) > 1 else 0.0, (3.0,), {}, "scalar", symbolic=True, decides=True)
    >>> [text.partition(" (")[0] for text in decision_texts(recorded.trace().graph, recorded.tape.decisions)]
    ['abs(x) > 1']
    """
    places: dict[Origin | None, list[str]] = {}
    for node, holds in decisions.items():
        text = _condition(graph, node)
        places.setdefault(graph.origin(node), []).append(text if holds else f"not {text}")
    result = []
    for place, texts in places.items():
        counted = ((text, len([*group])) for text, group in groupby(texts))
        words = ", ".join(text if count == 1 else f"{count} times {text}" for text, count in counted)
        result.append(words + (f" (line {place.line})" if place else ""))
    return tuple(result)


def _condition(graph: Graph, node: int) -> str:
    """Return a condition in the names of the user's source; else as it stands there."""
    operands, is_condition = graph.operands(node), graph.blocks[node] in CONDITIONS
    if is_condition:
        names = {each: graph.name(each) or "" for each in operands if each >= 0}
        literals = {each: graph.literal(each) for each in operands if each < 0}
        names |= {each: number_text(value) for each, value in literals.items() if not np.ndim(value)}
        if all(names.get(each) for each in operands):
            return written(Instruction(node, graph.blocks[node].name, operands), names)
    name, origin = graph.name(node), graph.origin(node)
    text = " ".join(origin.text.split()) if origin else name or f"v{node}"
    is_truth = is_condition or np.asarray(graph.values[node]).dtype.kind == "b"
    return text if is_truth else f"{name or text} != 0"
