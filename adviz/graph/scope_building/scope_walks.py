"""The scopes of a trace: the calls, loops, iterations and expressions that its nodes were made in.

What the bytecode says of loops (``loops.py``) is followed from one node to the next.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import CodeType

import numpy as np

from ..loops import Loop, control_flow, instruction_starts
from ..scopes import ARGUMENT, CALL, EXPRESSION, ITERATION, LOOP, NOWHERE, WRITES, Call, ScopeTree
from .scope_drafts import Draft, finished

COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
SUMS = ("add", "multiply")
"""The operations that functions of Python (``sum``, ``math.prod``) repeat in one call."""
LEAST_WRITES = 4
"""The fewest consecutive writes into one array that get a scope."""


class _Walk:
    """The position of one call: its open loops, with the loop scope and the iteration scope of each."""

    __slots__ = ("loops", "offset", "open", "scope", "stays")

    def __init__(self, scope: int, stays: set[tuple[int, int]]):
        self.scope, self.offset = scope, -1
        self.loops: tuple[Loop, ...] = ()
        self.open: list[tuple[int, int]] = []
        self.stays = stays  # pairs of instructions between which no loop begins, goes on or ends

    def innermost(self) -> int:
        return self.open[-1][1] if self.open else self.scope


def scope_tree(
    calls: Sequence[Call],
    call_of: Sequence[int],
    offsets: Sequence[int],
    labels: Sequence[object],
    evaluations: Sequence[int] = (),
    rounds: Mapping[int, int] | None = None,
    chains: Iterable[Sequence[int]] = (),
) -> ScopeTree:
    """Build the tree from the columns of a trace.

    ``call_of`` and ``offsets`` have one entry per node; ``labels`` (also per node) tell nodes apart in signatures.
    ``evaluations`` are ranges of nodes (first, end, first, end, …), each made by one evaluation of one expression.
    ``rounds`` has, for nodes (and calls, as complements) before which a loop was seen to begin an iteration, the number
    of loops that continued, that one included; elsewhere offsets alone decide. ``chains`` are nodes that write into one
    array, each the only user of the last one: neighbors in a scope get a scope of their own.

    Two nodes from one place that are not of one evaluation are of two iterations. This does not hold for functions of
    Python that add or multiply many numbers, such as ``sum``: their nodes count as one evaluation, unless nothing else
    happens in the loop. Of nested loops only the inner one is recognized where the outer one does nothing of its own
    and no variable shows its iterations: its target is the same object again, or a target of the inner loop too.
    """
    draft = Draft()
    calls, offsets = _instructions(calls, call_of, offsets)
    of_node = _walk_through(draft, calls, call_of, offsets, labels, evaluations, rounds or {})
    _gather_expressions(draft, of_node, call_of, offsets, calls)
    _gather_writes(draft, of_node, chains)
    return finished(draft, of_node, offsets, labels)


def _walk_through(
    draft: Draft,
    calls: Sequence[Call],
    call_of: Sequence[int],
    offsets: Sequence[int],
    labels: Sequence[object],
    evaluations: Sequence[int],
    rounds: Mapping[int, int],
) -> array:
    """Return the scope of each node: of its call, or of the iteration of a loop in it."""
    walks: list[_Walk | None] = [None] * len(calls)
    stays_of: dict[int, set[tuple[int, int]]] = {}
    walks[0] = _Walk(draft.add(CALL, -1, calls[0].code, 0), stays_of.setdefault(id(calls[0].code), set()))
    lonely = _loops_of_one_operation(calls, call_of, offsets)
    together = bytearray(len(call_of))  # 1 for a node of the same evaluation as the node before it
    for start, end in zip(evaluations[::2], evaluations[1::2], strict=True):
        together[start + 1 : end] = b"\1" * (end - start - 1)
    of_node = array("i", bytes(4 * len(call_of)))
    for node, (call, offset) in enumerate(zip(call_of, offsets, strict=True)):
        walk = walks[call] or _open_call(draft, calls, walks, call, rounds, stays_of)
        is_there = (walk.offset, offset) in walk.stays or (together[node] and walk.offset == offset)
        if is_there and node not in rounds:
            walk.offset = offset
            of_node[node] = walk.innermost()
            continue
        code = calls[call].code
        once_more = (
            offset == walk.offset
            and not together[node]
            and not (
                labels[node] in SUMS
                and code is not None
                and control_flow(code).is_call(offset)
                and (id(code), walk.loops[-1:]) not in lonely
            )
        )
        of_node[node] = _advance(draft, walk, code, offset, once_more, rounds.get(node, 0))
    return of_node


def _instructions(
    calls: Sequence[Call], call_of: Sequence[int], offsets: Sequence[int]
) -> tuple[list[Call], list[int]]:
    """Return offsets of instructions: where CPython has specialized one, frames have the end of its inline cache."""
    starts = [instruction_starts(call.code) if call.code is not None else () for call in calls]
    tables = {id(each): each for each in starts}
    first = dict(zip(tables, np.cumsum([0, *map(len, tables.values())]).tolist(), strict=False))
    start_of = np.concatenate([np.array(each, np.int64) for each in tables.values()])
    given = np.array(offsets, np.int64)
    of_call = np.array([first[id(each)] if each else -1 for each in starts])[np.array(call_of, np.int64)]
    is_known = (given >= 0) & (of_call >= 0)
    given[is_known] = start_of[of_call[is_known] + (given[is_known] >> 1)]
    above = [starts[call.parent] if call.parent >= 0 and call.offset >= 0 else () for call in calls]
    return [
        call._replace(offset=known[call.offset >> 1]) if known else call
        for call, known in zip(calls, above, strict=True)
    ], given.tolist()


def _open_call(
    draft: Draft, calls: Sequence[Call], walks: list, call: int, rounds: Mapping[int, int], stays_of: dict[int, set]
) -> _Walk:
    """Return the walk of a call not met before; its callers first, from the outermost."""
    waiting = [call]
    while walks[calls[waiting[-1]].parent] is None:
        waiting.append(calls[waiting[-1]].parent)
    for number in reversed(waiting):
        code, parent, offset = calls[number]
        scope = _advance(draft, walks[parent], calls[parent].code, offset, True, rounds.get(~number, 0))
        if code is None or code.co_name not in COMPREHENSIONS:  # a comprehension is seen as the loop inside it
            scope = draft.add(CALL, scope, code, offset)
        walks[number] = _Walk(scope, stays_of.setdefault(id(code), set()))
    return walks[call]


def _advance(draft: Draft, walk: _Walk, code: CodeType | None, offset: int, once_more: bool, depth: int) -> int:
    """Advance a call to an instruction, or to the same one ``once_more``; return the scope it is then in.

    A positive ``depth`` says that so many loops were seen to continue, the last of them with another iteration.
    """
    if code is None or offset < 0:
        return walk.scope
    flow = control_flow(code)
    before, walk.offset = walk.offset, offset
    nest = flow.nest(offset)
    if depth and walk.loops[:depth] == nest[:depth]:
        kept, again = depth, True
    elif before == offset:
        if not (once_more and walk.loops):
            return walk.innermost()
        kept, again = len(walk.loops), True
    else:
        kept, again = flow.move(before, offset) if before >= 0 else (0, False)
        if kept == len(nest) == len(walk.loops) and not again and before >= 0:
            walk.stays.add((before, offset))
    del walk.open[kept:]
    if again:
        loop = walk.open[-1][0]
        walk.open[-1] = (loop, draft.add(ITERATION, loop, code, nest[kept - 1].start))
    for inner in nest[kept:]:
        loop = draft.add(LOOP, walk.innermost(), code, inner.start)
        walk.open.append((loop, draft.add(ITERATION, loop, code, inner.start)))
    walk.loops = nest
    return walk.innermost()


def _loops_of_one_operation(
    calls: Sequence[Call], call_of: Sequence[int], offsets: Sequence[int]
) -> set[tuple[int, tuple[Loop, ...]]]:
    """Return loops in which every operation has the same offset, each as the id of its code and a tuple of one loop."""
    inside: dict[tuple[int, Loop], set[int]] = {}
    places = {*zip(call_of, offsets, strict=True), *((call.parent, call.offset) for call in calls if call.parent >= 0)}
    for call, offset in places:
        code = calls[call].code
        if code is not None:
            for loop in control_flow(code).nest(offset):
                inside.setdefault((id(code), loop), set()).add(offset)
    return {(code, (loop,)) for (code, loop), result in inside.items() if len(result) == 1}


def _gather_expressions(
    draft: Draft, of_node: array, call_of: Sequence[int], offsets: Sequence[int], calls: Sequence[Call]
) -> None:
    """Put runs of nodes that one evaluation of one expression made, or one argument, into a scope of their own."""
    columns = [np.array(each, np.int64) for each in (of_node, call_of, offsets)]
    is_first = np.logical_or.reduce([np.diff(column, prepend=column[:1] - 1) != 0 for column in columns])
    starts = np.flatnonzero(is_first)
    lengths = np.diff(starts, append=len(of_node))
    for start, length in zip(starts[lengths > 2].tolist(), lengths[lengths > 2].tolist(), strict=True):
        if offsets[start] != NOWHERE:
            kind = EXPRESSION if offsets[start] >= 0 else ARGUMENT
            inner = draft.add(kind, of_node[start], calls[call_of[start]].code, offsets[start])
            of_node[start : start + length] = array("i", [inner]) * length


def _gather_writes(draft: Draft, of_node: array, chains: Iterable[Sequence[int]]) -> None:
    """Put writes into one array that follow each other in a scope into a scope of their own."""
    for chain in chains:
        for scope, neighbors in groupby(chain, of_node.__getitem__):
            nodes = list(neighbors)
            if len(nodes) >= LEAST_WRITES and draft.kinds[scope] != EXPRESSION:
                inner = draft.add(WRITES, scope, *draft.places[scope])
                for node in nodes:
                    of_node[node] = inner
