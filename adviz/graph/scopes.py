"""The scopes of a graph: which call, which loop, which iteration each node was made in.

A trace records, per node, the call (one run of one user function) and the instruction offset. From these
a tree is made: calls contain loops, loops contain iterations, and an expression that NumPy evaluated
number by number contains the nodes of one evaluation. Scopes are numbered in preorder, so that the subtree of a scope
is a range of numbers; scopes with equal contents have equal signatures, so that repetitions can be folded.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from types import CodeType
from typing import NamedTuple

import numpy as np

from .loops import Loop, control_flow, instruction_starts

KINDS = ("call", "loop", "iteration", "expression", "part", "argument", "writes")
CALL, LOOP, ITERATION, EXPRESSION, PART, ARGUMENT, WRITES = range(7)
NOWHERE = -1
"""The offset of a node that no instruction made; the entries of one argument or result share a lower one."""


class Call(NamedTuple):
    """One run of a user function: its code, the run it was called from, and the calling instruction's offset."""

    code: CodeType | None
    parent: int
    offset: int


class Scope(NamedTuple):
    """A view of one scope, made on request from the columns of the tree. A named scope has a name instead of a code."""

    number: int
    kind: str
    code: CodeType | str | None
    offset: int
    parent: int
    end: int
    nodes: int
    signature: int
    ordinal: int


class Run(NamedTuple):
    """Neighboring scopes with equal signatures: the first, the number after the last one's subtree, their count."""

    first: int
    end: int
    repeat: int


class ScopeTree:
    """Columns over scopes, in preorder, and the innermost scope of every node (``of_node``)."""

    def __init__(self, kinds: array, parents: array, places: list[tuple[CodeType | str | None, int]], of_node: array):
        self.kinds, self.parents, self.places, self.of_node = kinds, parents, places, of_node
        count = len(kinds)
        self.ends = array("i", range(1, count + 1))
        self.nodes = array("i", np.bincount(np.array(of_node, np.int64), minlength=count).tolist())
        for scope in range(count - 1, 0, -1):
            parent = parents[scope]
            self.ends[parent] = max(self.ends[parent], self.ends[scope])
            self.nodes[parent] += self.nodes[scope]
        self.ordinals = array("i", bytes(4 * count))
        counts: dict[tuple[int, bool], int] = {}
        for scope in range(1, count):
            is_part, parent = kinds[scope] == PART, parents[scope]
            while not is_part and kinds[parent] == PART:  # iterations are numbered through all parts of their loop
                parent = parents[parent]
            counts[parent, is_part] = self.ordinals[scope] = counts.get((parent, is_part), 0) + 1
        self.signatures: array = array("i")

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, scope: int) -> Scope:
        columns = self.parents, self.ends, self.nodes, self.signatures, self.ordinals
        return Scope(scope, KINDS[self.kinds[scope]], *self.places[scope], *(column[scope] for column in columns))

    def first_node(self, scope: int) -> int:
        """Return the first node inside a scope."""
        return next(node for node, inner in enumerate(self.of_node) if scope <= inner < self.ends[scope])

    def iterations(self, loop: int) -> int:
        """Return the number of iterations of a loop, over all parts that they are split into."""
        last = loop
        while self.kinds[last] != ITERATION:
            last = self.children(last)[-1]
        return self.ordinals[last]

    def runs(self, scope: int) -> list[Run]:
        """Return the scopes directly inside a scope, in runs of neighbors with equal signatures."""
        runs: list[Run] = []
        for child in self.children(scope):
            last = runs[-1] if runs else None
            if last and self.signatures[last.first] == self.signatures[child]:
                runs[-1] = Run(last.first, self.ends[child], last.repeat + 1)
            else:
                runs.append(Run(child, self.ends[child], 1))
        return runs

    def children(self, scope: int) -> list[int]:
        """Return the scopes directly inside a scope, in order."""
        result, child = [], scope + 1
        while child < self.ends[scope]:
            result.append(child)
            child = self.ends[child]
        return result

    def path(self, scope: int) -> list[int]:
        """Return the scopes from the root to ``scope``, both included."""
        path = [scope]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path[::-1]


# ---- from calls to scopes ----


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


MOST_CHILDREN = 40
"""A scope with more nodes and scopes than this is split into parts, so that each is a picture that can be read."""
MOST_BESIDE = 12
"""The most inputs and outputs that are not part of parts."""
MOST_ALIKE = 150
"""The same for entries of one array, which are shown as a grid."""


class Draft:
    """Scopes in the order they are met, which interleaved calls (generators) make different from preorder."""

    def __init__(self) -> None:
        self.kinds, self.parents = array("b"), array("i")
        self.places: list[tuple[CodeType | str | None, int]] = []

    def add(self, kind: int, parent: int, code: CodeType | str | None, offset: int) -> int:
        self.kinds.append(kind)
        self.parents.append(parent)
        self.places.append((code, offset))
        return len(self.kinds) - 1


def finished(draft: Draft, of_node: array, offsets: Sequence[int], labels: Sequence[object]) -> ScopeTree:
    """Return the tree of a draft, with its signatures; scopes that are too large are split."""
    tree = _in_preorder(draft, of_node)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    contents = np.array(offsets, np.int64) << 32 | np.array([*map(numbers.__getitem__, labels)], np.int64)
    tree.signatures = _signatures(tree, contents)
    split = _split_crowds(tree, set(np.flatnonzero(np.equal(offsets, NOWHERE)).tolist()))
    if split is not tree:
        split.signatures = _signatures(split, contents)
    return split


def named_tree(paths: Sequence[tuple[str, ...]]) -> ScopeTree:
    """Return the tree of straight-line code in which each node is in scopes of these names, the outermost first.

    >>> tree = named_tree([(), ("values",), ("values", "sums"), ("partials",)])
    >>> [scope for scope, _ in tree.places], list(tree.of_node)
    ([None, 'values', 'sums', 'partials'], [0, 1, 2, 3])
    """
    draft = Draft()
    known: dict[tuple[str, ...], int] = {(): draft.add(CALL, -1, None, 0)}
    for path in paths:
        for depth, name in enumerate(path):
            if path[: depth + 1] not in known:
                known[path[: depth + 1]] = draft.add(CALL, known[path[:depth]], name, 0)
    tree = _in_preorder(draft, array("i", [known[path] for path in paths]))
    tree.signatures = array("i", range(len(tree)))  # no two are alike
    tree = _split_crowds(tree)
    tree.signatures = array("i", range(len(tree)))
    return tree


def tree_of(
    kinds: array,
    parents: array,
    places: list[tuple[CodeType | str | None, int]],
    of_node: array,
    offsets: Sequence[int],
    labels: Sequence[object],
) -> ScopeTree:
    """Return the tree of scopes, each behind its parent, without empty ones; too large ones are split."""
    is_filled = bytearray(len(kinds))
    for scope in of_node:
        is_filled[scope] = 1
    for scope in range(len(kinds) - 1, 0, -1):
        is_filled[parents[scope]] |= is_filled[scope]
    draft, number = Draft(), [0] * len(kinds)
    for scope in [0, *(scope for scope in range(1, len(kinds)) if is_filled[scope])]:
        number[scope] = draft.add(kinds[scope], number[parents[scope]] if scope else -1, *places[scope])
    return finished(draft, array("i", [number[scope] for scope in of_node]), offsets, labels)


class _OwnNodes:
    """The nodes directly inside each scope, in order."""

    def __init__(self, of_node: Sequence[int], scopes: int):
        self.nodes = np.argsort(np.array(of_node, np.int64), kind="stable")
        self.starts = np.append(0, np.cumsum(np.bincount(np.array(of_node, np.int64), minlength=scopes)))

    def count(self, scope: int) -> int:
        return int(self.starts[scope + 1] - self.starts[scope])

    def __getitem__(self, scope: int) -> list[int]:
        result: list[int] = self.nodes[self.starts[scope] : self.starts[scope + 1]].tolist()
        return result


def _split_crowds(tree: ScopeTree, unmade: Collection[int] = ()) -> ScopeTree:
    """Split scopes that are too large (long straight-line code, iterations that all differ) into parts.

    The nodes that no instruction made, inputs and outputs, stay beside the parts, unless they are many.
    """
    beside = unmade if len(unmade) <= MOST_BESIDE else ()
    own = _OwnNodes(tree.of_node, len(tree))
    first = _first_nodes(tree.of_node, tree.parents, range(len(tree)))
    draft, of_node = Draft(), array("i", tree.of_node)
    draft.kinds, draft.parents, draft.places = array("b", tree.kinds), array("i", tree.parents), list(tree.places)
    for scope in range(len(tree)):
        most = MOST_ALIKE if tree.kinds[scope] in (EXPRESSION, ARGUMENT, WRITES) else MOST_CHILDREN
        if own.count(scope) + tree.ends[scope] - scope - 1 <= most:
            continue
        runs, nodes = tree.runs(scope), own[scope]
        if len(nodes) + len(runs) > most:
            at = {run.first: own[run.first][-1] for run in runs if tree.kinds[run.first] == WRITES}  # after its values
            entries: list[tuple[int, Run | None]] = [(node, None) for node in nodes if node not in beside]
            entries += [(at.get(run.first, first[run.first]), run) for run in runs]
            _split(draft, of_node, scope, sorted(entries, key=lambda entry: entry[0]), tree)
    return tree if len(draft.kinds) == len(tree) else _in_preorder(draft, of_node)


def _split(draft: Draft, of_node: array, scope: int, entries: list[tuple[int, Run | None]], tree: ScopeTree) -> None:
    """Give each stretch of a scope's entries (nodes and runs of scopes) a part of its own, and parts of parts."""
    levels = math.ceil(math.log(len(entries), MOST_CHILDREN))
    size = math.ceil(len(entries) / math.ceil(len(entries) ** (1 / levels)))
    for start in range(0, len(entries), size):
        part = draft.add(PART, scope, *draft.places[scope])
        inside = entries[start : start + size]
        if levels > 2:
            _split(draft, of_node, part, inside, tree)
            continue
        for node, run in inside:
            if run is None:
                of_node[node] = part
            else:
                for child in range(run.first, run.end, (run.end - run.first) // run.repeat):
                    draft.parents[child] = part


def _in_preorder(draft: Draft, of_node: array) -> ScopeTree:
    """Number the scopes so that every subtree is a range, in the order of their first nodes."""
    count = len(draft.kinds)
    children: list[list[int]] = [[] for _ in range(count)]
    order, waiting = [], [0]
    for scope in range(1, count):
        children[draft.parents[scope]].append(scope)
    while waiting:
        scope = waiting.pop()
        order.append(scope)
        waiting += children[scope]
    first = _first_nodes(of_node, draft.parents, order)
    order, waiting = [], [0]
    while waiting:
        scope = waiting.pop()
        order.append(scope)
        waiting += sorted(children[scope], key=first.__getitem__, reverse=True)
    number = array("i", bytes(4 * count))
    for new, old in enumerate(order):
        number[old] = new
    return ScopeTree(
        array("b", (draft.kinds[old] for old in order)),
        array("i", (number[draft.parents[old]] if old else -1 for old in order)),
        [draft.places[old] for old in order],
        array("i", (number[scope] for scope in of_node)),
    )


def _first_nodes(of_node: array, parents: array, order: Sequence[int]) -> list[int]:
    """Return the first node inside each scope; ``order`` has parents before children."""
    least = np.full(len(parents), len(of_node))
    np.minimum.at(least, np.array(of_node, np.int64), np.arange(len(of_node)))
    first: list[int] = least.tolist()
    for scope in reversed(order):
        if scope:
            first[parents[scope]] = min(first[parents[scope]], first[scope])
    return first


def _signatures(tree: ScopeTree, contents: np.ndarray) -> array:
    """Number scopes equally that hold the same blocks from the same places (``contents``), in the same order."""
    known: dict[object, int] = {}
    own = _OwnNodes(tree.of_node, len(tree))
    kept = contents[own.nodes].tobytes()
    starts = own.starts.tolist()
    signatures = array("i", bytes(4 * len(tree)))
    for scope in range(len(tree) - 1, -1, -1):
        inside = kept[8 * starts[scope] : 8 * starts[scope + 1]]
        below = tuple([signatures[child] for child in tree.children(scope)])
        code, offset = tree.places[scope]
        key = (tree.kinds[scope], id(code), offset, inside, below)
        signatures[scope] = known.setdefault(key, len(known))
    return signatures
