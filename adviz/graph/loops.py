"""Loops and iterations, from code objects alone.

A trace records the offset of the instruction of each operation, and nothing while a loop runs, so that tracing stays
cheap. Which loop an operation ran in, and in which iteration, is computed afterwards, here: two operations that follow
each other in one frame are in the same iteration if the second can be reached from the first without another iteration
of a loop that contains both.

Loops are the natural loops of the control flow graph (Aho, Lam, Sethi and Ullman, "Compilers", section 9.6): a jump
back to an instruction that dominates the jump, and all instructions from which the jump can be reached.

For nested loops more has to be known: an outer loop that does nothing but run the inner one leaves no offset. There
variables decide. A variable that the outer loop assigns outside the inner one, and the inner one does not assign, can
have another value only if the inner loop was left and entered again between two operations in it.
"""

from __future__ import annotations

import dis
import opcode
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property, wraps
from itertools import accumulate, pairwise
from types import CodeType
from typing import Any, NamedTuple, TypeVar

from .reach import reachable
from .saved_functions import saved

T = TypeVar("T")
MOST_CODES = 512
_ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}


def per_code(function: Callable[[CodeType], T]) -> Callable[[CodeType], T]:
    """Cache a function of a code object, by identity: hashing a code object would read all of it."""
    known: dict[int, tuple[CodeType, T]] = {}

    @wraps(function)
    def remembering(code: CodeType) -> T:
        result = known.get(id(code))
        if result is None:
            if len(known) >= MOST_CODES:
                known.clear()
            result = known[id(code)] = (code, function(code))  # a reference to the code keeps its id unique
        return result[1]

    return remembering


@per_code
def instruction_starts(code: CodeType) -> list[int]:
    """Return for every two bytes of a code object the offset of their instruction, inline caches included."""
    if (known := saved(code)) is not None:
        return known.starts
    starts = [0] * (len(code.co_code) // 2)
    for instruction in dis.get_instructions(code):
        starts[instruction.offset // 2] = instruction.offset
    return list(accumulate(starts, max))


Jump = tuple[int, int]
Edges = Mapping[int, Iterable[int]]


class Loop(NamedTuple):
    """A loop by its first instruction and its last."""

    start: int
    end: int


class Move(NamedTuple):
    """What happened between two operations: how many loops continued, and whether the innermost began an iteration."""

    kept: int
    again: bool


class Signs(NamedTuple):
    """What shows, between two operations, that a loop began another iteration where offsets alone do not show it.

    ``places`` of variables in ``ControlFlow.watched`` that have changed if it did, each with the number of loops that
    then continue, outermost loops first; and the ``end`` of the straight-line code that the second operation is in.
    """

    places: tuple[tuple[int, int], ...]
    end: int


class ControlFlow:
    """Loops and reachability of one code object; instructions are offsets.

    ``starts`` are all instructions, ``calls`` those that call a function, ``following`` has for every instruction those
    that can run next, and ``loops`` are the instructions of every loop and the jumps back of its iterations.
    """

    def __init__(
        self,
        starts: list[int],
        calls: set[int],
        following: dict[int, list[int]],
        loops: Iterable[tuple[set[int], set[Jump]]],
    ):
        self._starts, self._calls, self._next = starts, calls, following
        # The instructions inside every loop, outermost loops first, and the jumps back of its iterations.
        self.bodies: dict[Loop, set[int]] = {}
        self._rounds: dict[Loop, set[Jump]] = {}
        for body, rounds in sorted(loops, key=lambda found: -len(found[0])):
            loop = Loop(min(body), max(body))
            self.bodies[loop], self._rounds[loop] = body, rounds
        self._moves: dict[tuple[int, int], Move] = {}
        self._nests: dict[int, tuple[Loop, ...]] = {}

    def as_lists(self) -> dict[str, list[Any]]:
        """Return all that it was made from, as lists of whole numbers."""
        loops = [[sorted(body), sorted(map(list, self._rounds[loop]))] for loop, body in self.bodies.items()]
        following = [list(self._next[start]) for start in self._starts]
        return {"starts": list(self._starts), "calls": sorted(self._calls), "following": following, "loops": loops}

    @classmethod
    def from_lists(
        cls, starts: list[int], calls: list[int], following: list[list[int]], loops: list[list[Any]]
    ) -> ControlFlow:
        """Return the control flow that :meth:`as_lists` described."""
        result = [(set(body), {(here, there) for here, there in rounds}) for body, rounds in loops]
        return ControlFlow(starts, set(calls), dict(zip(starts, following, strict=True)), result)

    def nest(self, offset: int) -> tuple[Loop, ...]:
        """Return the loops around an instruction, outermost first."""
        nest = self._nests.get(offset)
        if nest is None:
            start = self._start(offset)
            nest = self._nests[offset] = tuple(loop for loop, body in self.bodies.items() if start in body)
        return nest

    def body(self, start: int) -> set[int]:
        """Return the instructions of the loop that begins with ``start``."""
        return next(body for loop, body in self.bodies.items() if loop.start == start)

    def is_call(self, offset: int) -> bool:
        """Return whether an instruction calls a function; the others make at most one node each time they run."""
        return self._start(offset) in self._calls

    def move(self, before: int, after: int) -> Move:
        """Return how control can get from one operation to the next with as few jumps back as possible."""
        move = self._moves.get((before, after))
        if move is None:
            shared = [old for old, new in zip(self.nest(before), self.nest(after), strict=False) if old == new]
            again = bool(shared) and not self._comes_to(self._start(before), self._start(after), shared)
            move = self._moves[before, after] = Move(len(shared), again)
        return move

    def _start(self, offset: int) -> int:
        """Return the instruction that an offset is in: a frame that waits for a call may point after its first word."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def _comes_to(self, before: int, after: int, loops: list[Loop]) -> bool:
        """Return whether ``after`` can run later than ``before`` without another iteration of one of ``loops``."""
        rounds = set().union(*(self._rounds[loop] for loop in loops))
        seen, waiting = {before}, [before]
        while waiting:
            here = waiting.pop()
            for there in reversed(self._next[here]):  # so that the next instruction is tried first
                if (here, there) in rounds or there in seen:
                    continue
                if there == after:
                    return True
                seen.add(there)
                waiting.append(there)
        return False


class WatchedFlow(ControlFlow):
    """The control flow of a code object that is traced, with what shows that an outer loop began an iteration."""

    def __init__(self, code: CodeType):
        instructions = list(dis.get_instructions(code))
        calls = {instruction.offset for instruction in instructions if instruction.opname.startswith("CALL")}
        following = _successors(code, instructions)
        starts = [instruction.offset for instruction in instructions]
        super().__init__(starts, calls, following, _natural_loops(instructions, following))
        self._stored = {instruction.offset: _stored(instruction) for instruction in instructions}
        self._targets = {loop: _targets(instructions[self._starts.index(loop.start) :]) for loop in self.bodies}
        self._elsewhere = {*code.co_freevars, *_rebound(code)}  # variables that other functions can assign
        self._joints = sorted(_joints(self._starts, self._next))
        self.known_signs: dict[tuple[int, int], Signs] = {}  # read where time counts

    def signs(self, before: int, after: int) -> Signs:
        """Return what shows which loops began an iteration between two operations; a negative first one is none."""
        next_joint = bisect_right(self._joints, after)
        end = self._joints[next_joint] if next_joint < len(self._joints) else self._starts[-1] + 1
        signs = self.known_signs[before, after] = Signs(tuple(self._places(before, after)), end)
        return signs

    def _places(self, before: int, after: int) -> Iterator[tuple[int, int]]:
        if before < 0:
            return
        kept, again = (len(self.nest(after)), not self.is_call(after)) if before == after else self.move(before, after)
        shared = self.nest(after)[:kept]
        for depth, (loop, inner) in enumerate(zip(shared, [*shared[1:], None], strict=False), 1):
            if not (again and depth == kept):
                yield from ((self.watched.index(name), depth) for name in self._shown_by(loop, inner))

    def _shown_by(self, loop: Loop, inner: Loop | None) -> list[str]:
        """Return the variables that a loop assigns outside the ``inner`` one; without one, the loop's targets."""
        outside = self.bodies[loop] - self.bodies[inner] if inner else self._targets[loop]
        within = self._names(self.bodies[loop] - outside)
        return sorted(self._names(outside) - within - self._elsewhere)

    def _names(self, offsets: Iterable[int]) -> set[str]:
        return {name for offset in offsets for name in self._stored[offset]}

    @cached_property
    def watched(self) -> tuple[str, ...]:
        """All variables that may be signs."""
        pairs = [(loop, inner) for loop in self.bodies for inner in (*self.bodies, None) if inner != loop]
        return tuple({name: None for pair in pairs for name in self._shown_by(*pair)})


def _successors(code: CodeType, instructions: list[dis.Instruction]) -> dict[int, list[int]]:
    """Return for every instruction those that can run next; exceptions lead from a ``try`` to its handler."""
    following: dict[int, list[int]] = {}
    for instruction, after in zip(instructions, [*instructions[1:], None], strict=True):
        next_ones = following[instruction.offset] = []
        if after is not None and instruction.opname not in _ENDS:
            next_ones.append(after.offset)
        if instruction.opcode in _JUMPS:
            next_ones.append(instruction.argval)
    handlers: Any = dis.Bytecode(code)
    for entry in handlers.exception_entries:
        for offset in following:
            if entry.start <= offset < entry.end:
                following[offset].append(entry.target)
    return following


def _joints(starts: list[int], edges: Edges) -> set[int]:
    """Return instructions at which control flow joins or branches: in between, it is straight."""
    follower = dict(pairwise(starts))
    return {there for here in starts for there in edges[here] if list(edges[here]) != [follower.get(here)]}


def _stored(instruction: dis.Instruction) -> tuple[str, ...]:
    """Return the variables that an instruction assigns to or deletes; Python 3.13 may store two at once."""
    name, value = instruction.opname, instruction.argval
    if name in ("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF", "LOAD_FAST_AND_CLEAR"):
        return (value,)
    if name == "STORE_FAST_STORE_FAST":
        return tuple(value)
    return tuple(value[:1]) if name == "STORE_FAST_LOAD_FAST" else ()


def _targets(instructions: list[dis.Instruction]) -> set[int]:
    """Return the instructions that assign to the targets of a ``for`` loop, given what begins with its head."""
    result: set[int] = set()
    if instructions[0].opname == "FOR_ITER":
        for instruction in instructions[1:]:
            if not instruction.opname.startswith(("STORE_FAST", "STORE_DEREF", "UNPACK_", "EXTENDED_ARG")):
                break
            result.add(instruction.offset)
    return result


def _rebound(code: CodeType) -> set[str]:
    """Return the variables of a function that functions inside it assign to."""
    result = set()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            stored = {each.argval for each in dis.get_instructions(inner) if each.opname == "STORE_DEREF"}
            result |= (stored & {*inner.co_freevars}) | _rebound(inner)
    return result


def _closure(starts: Iterable[int], edges: Edges, without: Container[int] = ()) -> set[int]:
    """Return all that can be reached from ``starts`` along ``edges`` without touching ``without``."""
    begun = (start for start in starts if start not in without)
    return set(reachable(begun, lambda here: (there for there in edges[here] if there not in without)))


def _natural_loops(instructions: list[dis.Instruction], edges: Edges) -> list[tuple[set[int], set[Jump]]]:
    """Return the instructions of every loop, and the jumps back of its iterations."""
    reverse: dict[int, list[int]] = {here: [] for here in edges}
    for here, targets in edges.items():
        for there in targets:
            reverse[there].append(here)
    rounds: dict[int, set[Jump]] = {}
    for jump in instructions:
        here, head = jump.offset, jump.argval
        is_back = jump.opcode in _JUMPS and head <= here and jump.opname != "JUMP_BACKWARD_NO_INTERRUPT"  # that awaits
        if is_back and here not in _closure([0], edges, without={head}):
            rounds.setdefault(head, set()).add((here, head))
    tests = _join_continues(instructions, rounds)
    result = []
    for head, jumps in rounds.items():
        heads = {there for _, there in jumps}
        body = _closure((here for here, _ in jumps), reverse, without=heads) | heads | tests.get(head, set())
        result.append((body, jumps))
    return result


def _join_continues(instructions: list[dis.Instruction], rounds: dict[int, set[Jump]]) -> dict[int, set[int]]:
    """Make one loop of the two jumps back of a ``while`` loop; return its first test, by the head of the loop.

    Python tests the condition once before the loop and again at its end, where it jumps back to after the first test;
    ``continue`` jumps back to the first test.
    """
    at = {instruction.offset: place for place, instruction in enumerate(instructions)}
    tests: dict[int, set[int]] = {}
    for head in sorted(rounds):
        test = instructions[at[head] - 1]
        above = max((other for other in rounds if other < head), default=None)
        if above is None or test.positions not in [instructions[at[here]].positions for here, _ in rounds[head]]:
            continue
        bottom = max(here for here, _ in rounds[head])
        continues = {
            (here, there)
            for here, there in rounds[above]
            if head < here < bottom and _is_continue(instructions[at[here]])
        }
        if continues:
            rounds[head] |= continues
            rounds[above] -= continues
            tests[head] = {instruction.offset for instruction in instructions[at[above] : at[head]]}
            if not rounds[above]:
                del rounds[above]
    return tests


def _is_continue(jump: dis.Instruction) -> bool:
    """Return whether a jump back is a ``continue``, by its width in the source."""
    place = jump.positions
    if place is None or place.col_offset is None or place.end_col_offset is None:
        return False
    return place.lineno == place.end_lineno and place.end_col_offset - place.col_offset == len("continue")


_JUMPS = {*dis.hasjrel, *dis.hasjabs}


@per_code
def control_flow(code: CodeType) -> ControlFlow:
    """Return the loops of a code object, computed once."""
    known = saved(code)
    return known.flow if known else watched_flow(code)


@per_code
def watched_flow(code: CodeType) -> WatchedFlow:
    """Return the loops of a code object that is traced, computed once."""
    return WatchedFlow(code)


_BACK = [number for name, number in opcode.opmap.items() if "BACKWARD" in name]


@per_code
def nested_loops(code: CodeType) -> WatchedFlow | None:
    """Return the loops of a code object that has nested loops, else ``None``, quickly for code with fewer loops."""
    words = code.co_code[::2]
    if sum(map(words.count, _BACK)) < 2:
        return None
    flow = watched_flow(code)
    return flow if any(len(flow.nest(loop.start)) > 1 for loop in flow.bodies) else None
