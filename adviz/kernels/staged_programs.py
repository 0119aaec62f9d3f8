"""A program without loops that keeps few states: its lines in the order in which they are run, some of them again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from math import gcd
from typing import NamedTuple

import numpy as np

from ..graph.reach import reachable
from .schedules import Action, checkpoint_count
from .sources.lines import Writer
from .sources.operator_printing import COMMUTES, OPERATORS, Printed, as_quotient
from .sources.writing import Row, Run, Written
from .terms.array_terms import ADD, MULTIPLY, NEGATIVE, SUBTRACT, Term, reached, work

# ---- parts that run early ----


Span = tuple[int, int]
"""The first and the last value of the function that an expression takes, by the numbers of their terms."""


def early_parts(writer: Writer) -> set[Term]:
    """Return the parts of what a writer has written that can be computed before the rest of their lines.

    Those are parts of sums but for the latest, and parts that take only later values of the function than the rest.
    """
    spans, result = _spans(writer), set[Term]()
    roots = [term for term in writer.standing if term not in writer.of_values and term not in writer.sums]
    pending = [(root, False, False) for root in roots]
    while pending:
        term, is_spliced, decides = pending.pop()
        for each, is_within, has_sign in _printed(term, writer.printed, is_spliced, decides):
            is_new = bool(each.operands) and each not in writer.standing and each not in writer.of_values
            if is_new and each not in writer.absorbed and each.name != "loop":
                pending.append((each, is_within, has_sign))
                is_turned = has_sign and writer.printed[each].text.startswith("-")
                if not (is_within or is_turned) and not each.is_view and _is_early(term, each, spans):
                    result.add(each)
    return result


def _spans(writer: Writer) -> dict[Term, Span]:
    """Return what each term takes where it is written; other lines of the derivative count for nothing."""
    result: dict[Term, Span] = {}
    for term in writer.order:
        if term in writer.standing:
            spans = [(term.number, term.number)] if term in writer.of_values else []
        else:
            spans = [result[each] for each in term.operands if each in result]
        if spans:
            result[term] = min(first for first, _ in spans), max(last for _, last in spans)
    return result


def _is_early(term: Term, part: Term, spans: Mapping[Term, Span]) -> bool:
    if term.is_of(ADD, SUBTRACT):
        return part.number < max(each.number for each in term.operands)
    others = [spans[each] for each in term.operands if each is not part and each in spans]
    return part in spans and bool(others) and spans[part][0] > max(last for _, last in others)


def _printed(
    term: Term, printed: Mapping[Term, Printed], is_spliced: bool, decides: bool
) -> Iterator[tuple[Term, bool, bool]]:
    """The operands of a term; whether each is spliced into a chain, since ``b + c`` is no part of ``a + b + c``; and
    whether the sign that it begins with ``decides`` on the order in which a sum is written. The sign of a product may
    be that of any factor, to the last bit."""
    if term.operator not in OPERATORS or len(term.operands) != 2:
        passes_on = term.is_view or term.is_of(NEGATIVE)
        yield from ((each, passes_on and is_spliced, passes_on and decides) for each in term.operands)
        return
    strength = OPERATORS[term.operator]
    first, second = term.operands
    is_turned = term.is_of(MULTIPLY) and second.is_number
    is_turned |= term.is_of(ADD) and printed[first].text.startswith("-") and not printed[second].text.startswith("-")
    if is_turned:
        first, second = second, first
    is_quotient = term.is_of(MULTIPLY) and as_quotient(first, printed[second], second) is not None
    is_sum, is_chain = term.is_of(ADD), term.operator in COMMUTES and not is_quotient
    yield first, is_spliced and printed[first].strength == strength, is_sum or decides
    within = is_chain or (is_quotient and is_spliced)
    yield second, within and printed[second].strength == strength, is_sum or (is_quotient and decides)


# ---- steps ----


NAME = re.compile(r"\s*(\w+)")
"""What a line that computes something begins with: the name of it."""
WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


class Step(NamedTuple):
    """The ``rows`` that compute a value of some ``bytes`` under a ``name``, of the values that it ``reads``."""

    rows: tuple[Row, ...]
    name: str
    reads: frozenset[str]
    bytes: int
    operations: int
    is_derivative: bool


class Steps(NamedTuple):
    """A program in parts: the rows before the first value (``head``), the ``steps``, and the row that returns.

    ``returned`` are the names that results are made of; what is computed where it is returned takes some ``bytes`` and
    ``operations``. Names that several steps give a value to are ``changing``.
    """

    head: tuple[Row, ...]
    steps: list[Step]
    last: Row
    returned: frozenset[str]
    bytes: int
    operations: int
    changing: frozenset[str]


def steps_of(written: Written, results: Sequence[Term]) -> Steps | None:
    """Return the steps of a program that returns some terms; ``None`` if it has loops."""
    groups = [(term, tuple(rows)) for term, rows in groupby(written.rows[:-1], key=lambda row: row.term)]
    computed = [(term, rows) for term, rows in groups if term is not None]
    if not computed or any(term.name == "loop" for term, _ in computed):
        return None
    names = {term: _name(rows) for term, rows in computed}
    own = frozenset(names.values())
    steps = []
    for term, rows in computed:
        _, between = reached(term.operands, names)
        costs = sum(map(_work, [term, *between]))
        reads = _read_in(rows) & own - {names[term]}
        steps.append(Step(rows, names[term], reads, term.bytes, costs, rows[0].is_derivative))
    _, between = reached(results, names)
    unwritten = [term for term in dict.fromkeys(results) if term in between and term.operands]
    times = Counter(step.name for step in steps)
    return Steps(
        tuple(row for row in groups[0][1] if not row.text.startswith("    #")),
        _results_first(steps),
        written.rows[-1],
        _read_in(written.rows[-1:]) & own,
        sum(term.bytes for term in unwritten if not term.is_view),
        sum(map(_work, between)),
        frozenset(name for name, count in times.items() if count > 1),
    )


def _results_first(steps: Sequence[Step]) -> list[Step]:
    """Return the same steps, with what only derivatives read as soon as the adjoints are there that it takes."""
    place = {step.name: k for k, step in enumerate(steps) if step.is_derivative}
    read, times = {name for step in steps for name in step.reads}, Counter(step.name for step in steps)

    def at(k: int) -> tuple[int, int]:
        step = steps[k]
        last = max((place[name] for name in step.reads if name in place), default=k)
        is_free = step.is_derivative and step.name not in read and times[step.name] == 1
        return min(last, k) if is_free else k, k

    return [steps[k] for k in sorted(range(len(steps)), key=at)]


def _name(rows: Sequence[Row]) -> str:
    result = NAME.match(rows[0].text)
    assert result is not None
    return result[1]


def _read_in(rows: Sequence[Row]) -> frozenset[str]:
    """Return the names in some rows: what is written within an expression may have got a line of its own later."""
    return frozenset(name for row in rows for name in WORD.findall(row.text.partition("  # ")[0]))


def _work(term: Term) -> int:
    return work(term.operation, term.operands) if term.operands else 0


# ---- stages ----

# The stages of a program without loops: its forward part, cut where few bytes pass on to what is computed later.
#
# Arguments are there anyway and pass no cut, and what only the value needs is not run again.


MOST = 64
"""Stages, at most: with more of them, neighbours are one."""
LIMITS = 8
"""Bytes that may pass a cut: so many limits are tried at most."""


class Stages:
    """A forward part in stages that end before each of the ``cuts``, and the ``backward`` steps of each stage.

    ``forward`` are the steps that derivatives depend on; ``states`` has what passes into each stage, by names, and
    ``taken`` what the backward steps of each read of the forward part.
    """

    def __init__(self, steps: Steps):
        self.changing = steps.changing
        backward = [step for step in steps.steps if step.is_derivative]
        forward = [step for step in steps.steps if not step.is_derivative and step.name not in self.changing]
        self.bytes = {step.name: step.bytes for step in forward}
        makers = {step.name: step for step in forward}
        taken = (name for step in backward for name in step.reads)
        needed = reachable(taken, lambda name: makers[name].reads if name in makers else ())
        self.forward = [step for step in forward if step.name in needed]
        self.place = {step.name: k for k, step in enumerate(self.forward)}
        self.all_backward = backward

    def provided(self, names: Iterable[str], there: Container[str]) -> list[Step]:
        """Return the forward steps that compute some names, in order, from those that are there."""

        def is_made(name: str) -> bool:
            return name not in there and name in self.place

        needed = reachable(names, lambda name: self.forward[self.place[name]].reads if is_made(name) else ())
        return [self.forward[k] for k in sorted(self.place[name] for name in needed if is_made(name))]

    def passing(self) -> list[frozenset[str]]:
        """Return what passes from the steps before each forward step to it and those after."""
        last = {name: k for k, step in enumerate(self.forward) for name in step.reads if name in self.place}
        now, result = set[str](), []
        for k, step in enumerate(self.forward):
            result.append(frozenset(now))
            now = {name for name in now | {step.name} if last.get(name, 0) > k}
        return result

    def size(self, names: Iterable[str]) -> int:
        """Return bytes of some names."""
        return sum(self.bytes[name] for name in names)


class Cut:
    """Stages with certain cuts; ``works`` are the operations that take the state before a stage to that after it."""

    def __init__(self, stages: Stages, cuts: Sequence[int], passing: Sequence[frozenset[str]]):
        starts = [0, *cuts]
        self.stages, self.states = stages, [passing[k] for k in starts]
        self.sizes = [stages.size(state) for state in self.states]
        self.backward: list[list[Step]] = [[] for _ in starts]
        self.taken: list[set[str]] = [set() for _ in starts]
        number = len(starts) - 1
        for step in stages.all_backward:
            reads = {name for name in step.reads if name in stages.place}
            while any(stages.place[name] < starts[number] for name in reads - self.states[number]):
                number -= 1
            self.backward[number].append(step)
            self.taken[number] |= reads
        self.works = [
            sum(step.operations for step in stages.provided(after, before))
            for before, after in zip(self.states, [*self.states[1:], frozenset[str]()], strict=True)
        ]


def ways_to_cut(stages: Stages) -> Iterator[Cut]:
    """Yield the stages for several limits of what may pass a cut, each as long as it takes no more than a state."""
    passing = stages.passing()
    sizes = [stages.size(names) for names in passing]
    limits = sorted(set(sizes[1:]))
    taken = {name for step in stages.all_backward for name in step.reads}
    kept = [0, *accumulate(step.bytes if step.name in taken else 0 for step in stages.forward)]
    seen = set[tuple[int, ...]]()
    for limit in limits[:: -(-len(limits) // LIMITS) or 1]:
        places = [k for k, size in enumerate(sizes) if k and size <= limit]
        longest = max(limit, 1)
        choices = [places, _joined_stages(places, kept, longest)]
        while len(choices[-1]) >= MOST:
            longest *= 2
            choices.append(_joined_stages(places, kept, longest))
        for cuts in map(tuple, choices):
            if cuts and len(cuts) < MOST and cuts not in seen:
                seen.add(cuts)
                yield Cut(stages, cuts, passing)


def _joined_stages(places: Sequence[int], kept: Sequence[int], longest: int) -> list[int]:
    """Return the places left where stages are joined as long as they keep no more bytes together than ``longest``.

    ``kept`` are the bytes of all steps before each place, and at last of all.

    >>> _joined_stages([1, 2, 3], [0, 8, 8, 16, 20], 8), _joined_stages([1, 2, 3], [0, 8, 8, 16, 20], 16)
    ([2, 3], [3])
    """
    result, start = list[int](), 0
    for place, end in zip(places, [*places[1:], len(kept) - 1], strict=True):
        if kept[end] - kept[start] > longest:
            result.append(place)
            start = place
    return result


# ---- schedules ----

# Running a chain of unequal stages backward with few states kept: the schedule that takes the fewest operations.
#
# A state that is kept stays until the stage after it is reversed. Among such schedules, dynamic programming finds the
# cheapest; for equal stages it advances as often as revolve.
#
# Sources: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 12.4; Beaumont, Eyraud-Dubois,
# Herrmann, Joly and Shilova, Optimal checkpointing for heterogeneous chains: how to train deep neural networks with
# limited memory, INRIA research report 9302 (2019).


NEVER = 1 << 60
"""Operations of what does not fit."""
PARTS = 256
"""Parts that a limit is divided into, at most: sizes are rounded up to them."""


def chain_schedule(works: Sequence[int], sizes: Sequence[int], limit: int) -> Iterator[Action]:
    """Yield the actions that reverse a chain, its last stage first, as :func:`~.schedules.revolve` does.

    ``works`` are the operations of advancing past each stage, ``sizes`` what the state before it takes of the
    ``limit`` while it is kept. The state before the first stage is always there, and takes nothing.

    >>> " ".join(f"{action} {k}" for action, k in chain_schedule([5, 1, 1], [0, 1, 1], 1))
    'advance 0 keep 1 advance 1 reverse 2 restore 1 reverse 1 restore 0 reverse 0'
    """
    sizes, limit = _in_parts(sizes, limit)
    split = _splits(works, sizes, limit)
    pending = [(0, len(works), limit, False)]
    while pending:
        start, length, left, is_later = pending.pop()
        if is_later:
            yield "restore", start
        if length == 1:
            yield "reverse", start
            continue
        ahead = int(split[length][left, start])
        for k in range(start, start + ahead):
            yield "advance", k
        pending.append((start, ahead, left, True))
        rest, size = length - ahead, 0
        if rest > 1:
            yield "keep", start + ahead
            size = sizes[start + ahead]
        pending.append((start + ahead, rest, left - size, False))


def _in_parts(sizes: Sequence[int], limit: int) -> tuple[list[int], int]:
    """Return sizes and their limit in a unit that leaves few numbers; sizes are rounded up, the limit down."""
    limit = min(limit, sum(sizes))
    unit = gcd(*sizes) or 1
    if limit // unit > PARTS:
        unit = -(-limit // PARTS)
    return [-(-size // unit) for size in sizes], limit // unit


def _splits(works: Sequence[int], sizes: Sequence[int], limit: int) -> dict[int, np.ndarray]:
    """Say how many stages to advance first, for each number of stages, by what is left of the limit and the first.

    With s the state that is kept, the cost of reversing the stages from i to j is that of advancing from i to s, of
    reversing those from s to j with less of the limit, and of those from i to s - 1 with all of it.
    """
    count, begun = len(works), np.concatenate([[0], np.cumsum(works, dtype=np.int64)])
    left, size = np.arange(limit + 1)[:, None], np.asarray(sizes)
    costs = {1: np.zeros((limit + 1, count), np.int64)}
    split: dict[int, np.ndarray] = {}
    for length in range(2, count + 1):
        starts = np.arange(count - length + 1)
        best = np.full((limit + 1, len(starts)), NEVER)
        choice = np.zeros(best.shape, np.int64)
        for ahead in range(1, length):
            middle = starts + ahead
            cost = begun[middle] - begun[starts] + costs[ahead][:, starts]
            if ahead < length - 1:  # the last state of all is used at once
                after = left - size[middle]
                later = costs[length - ahead][np.maximum(after, 0), middle]
                cost = np.minimum(cost + np.where(after < 0, NEVER, later), NEVER)
            choice[cost < best], best = ahead, np.minimum(best, cost)
        costs[length], split[length] = best, choice
    return split


# ---- the program ----


NEAR = 1.1
"""Of ways whose peaks differ by no more than this factor, the one with the fewest operations is taken."""
SMALL = 100
"""An array stays to the end where the largest one has so many times its bytes."""


class Part(NamedTuple):
    """Steps that follow each other: of the ``kind`` ``"forward"``, ``"again"`` or ``"backward"``."""

    kind: str
    steps: list[Step]


def in_stages(written: Written, results: Sequence[Term], checkpoints: object) -> Written | None:
    """Return a program that returns some terms, with so many checkpoints; ``None`` where it is no chain of stages.

    ``checkpoints`` are a number of states, the one that the program begins with among them, or their bytes. Raises
    :class:`~adviz.ProgramError` where no state fits.

    >>> import adviz, numpy as np
    >>> def chain(x):
    ...     a = np.sin(x)
    ...     b = np.sin(a)
    ...     c = np.sin(b)
    ...     return np.sum(np.cos(c))
    >>> print(adviz.compile_gradient(chain, np.ones(9), checkpoints=1).source)
    def chain_gradient(x):
        \"\"\"The value of chain, and its gradient with respect to x.\"\"\"
        # forward
        a = np.sin(x)
        b = np.sin(a)
        del a
        c = np.sin(b)
        value = np.sum(np.cos(c))
        # backward
        value_cos_adj_sin = np.sin(c)
        del c
        product = value_cos_adj_sin * np.cos(b)
        del b, value_cos_adj_sin
        # forward again: a
        a = np.sin(x)
        # backward
        x_adj = -product * np.cos(a) * np.cos(x)
        del a, product
        return value, x_adj
    """
    limit = checkpoint_count(checkpoints, 1)
    steps = steps_of(written, results)
    if steps is None or not any(step.is_derivative for step in steps.steps):
        return None
    cuts = list(ways_to_cut(Stages(steps)))
    if isinstance(checkpoints, str) and cuts:
        checkpoint_count(checkpoints, min(size for cut in cuts for size in cut.sizes[1:]))
    arranged = [_arranged(written, steps, list(_parts(steps, cut, checkpoints, limit))) for cut in cuts]
    least = min((_peak(each) for each in arranged), default=0)
    near = (each for each in arranged if _peak(each) <= NEAR * least)
    return min(near, key=lambda each: sum(run.operations for run in each.runs), default=None)


def _peak(written: Written) -> int:
    return max(run.bytes for run in written.runs)


def _parts(steps: Steps, cut: Cut, checkpoints: object, limit: int) -> Iterator[Part]:
    """Return the steps in the order in which they are run: kept is what is read later without being run again."""
    yield Part("forward", [step for step in steps.steps if not step.is_derivative])
    stages, kept, there = cut.stages, dict[int, frozenset[str]](), set[str]()
    last: set[str] | None = None
    sizes = [0, *(cut.sizes[1:] if isinstance(checkpoints, str) else [1] * (len(cut.sizes) - 1))]
    for action, k in chain_schedule(cut.works, sizes, limit if isinstance(checkpoints, str) else limit - 1):
        known = there.union(*kept.values())
        if action == "keep":
            kept[k] = cut.states[k]
        elif action == "restore":
            there = set(kept.get(k, ()))
        elif action == "advance":
            if last is not None:
                yield Part("again", stages.provided(cut.states[k + 1], known))
            there = set(cut.states[k + 1])
        else:
            if last is not None:
                yield Part("again", stages.provided(cut.taken[k], known | (last & cut.taken[k])))
            yield Part("backward", cut.backward[k])
            last = {*cut.taken[k], *cut.states[k]}
            kept.pop(k, None)


def _joined(steps: Steps, parts: Sequence[Part]) -> list[Part]:
    """Return the same parts without what is run again for nothing, and neighbours of a kind as one.

    The derivative of a linear stage takes no value: the state before it need not be there.
    """
    result, alive = list[Part](), set(steps.returned)
    for part in reversed(parts):
        for step in reversed(part.steps):
            if part.kind != "again" or step.name in alive:
                alive -= {step.name} - steps.changing
                alive |= step.reads
                if not result or result[-1].kind != part.kind:
                    result.append(Part(part.kind, []))
                result[-1].steps.append(step)
    return [Part(part.kind, part.steps[::-1]) for part in reversed(result)]


def _arranged(written: Written, steps: Steps, parts: Sequence[Part]) -> Written:
    """Return the rows of a program that runs some steps in order, and what each run takes."""
    joined = _joined(steps, parts)
    order = [(part, step) for part in joined for step in part.steps]
    ends = _ends(steps, [step for _, step in order])
    rows, runs, now, total, seen = [*steps.head], list[Run](), dict[str, int](), 0, set[str]()
    for k, (part, step) in enumerate(order):
        if k == 0 or order[k - 1][0] is not part:
            rows += _heading(part)
        rows += step.rows
        total += step.bytes - now.get(step.name, 0)
        now[step.name] = step.bytes
        runs.append(Run(step.rows[0].text.strip(), step.operations, total, step.name in seen))
        seen.add(step.name)
        rows += [Row(f"    del {', '.join(ends[k])}")] if ends[k] else []
        total -= sum(now.pop(name) for name in ends[k])
    if steps.operations or steps.bytes:
        runs.append(Run("return", steps.operations, total + steps.bytes, False))
    return written._replace(rows=[*rows, steps.last], runs=tuple(runs))


def _ends(steps: Steps, order: Sequence[Step]) -> list[list[str]]:
    """Return the names that nothing reads after each step, without small arrays and what is returned."""
    alive, result = set(steps.returned), list[list[str]]()
    size = {step.name: step.bytes for step in order}
    large = max(size.values())
    for step in reversed(order):
        last = [name for name in dict.fromkeys([step.name, *sorted(step.reads)]) if name not in alive]
        alive.update(last)
        result.append([name for name in last if SMALL * size[name] > large])
        if step.name not in steps.changing:
            alive.discard(step.name)
    return result[::-1]


def _heading(part: Part) -> Iterator[Row]:
    """Yield a comment that says what begins here."""
    names = [part.steps[0].name, *[part.steps[-1].name][: len(part.steps) - 1]]
    yield Row(f"    # forward again: {' to '.join(names)}" if part.kind == "again" else f"    # {part.kind}")
