"""A program without loops that keeps few states: its lines in the order in which they are run, some of them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..planning.chain_schedules import chain_schedule
from ..planning.checkpoint_schedules import checkpoint_count
from ..sources.writing import Row, Run, Written
from ..terms.array_terms import Term
from .stages import Cut, Stages, ways_to_cut
from .steps import Step, Steps, steps_of

NEAR = 1.1
"""Of ways whose peaks differ by no more than this factor, the one with the fewest operations is taken."""
SMALL = 100
"""An array stays to the end where the largest one has so many times its bytes."""


class Part(NamedTuple):
    """Steps that follow each other: of the ``kind`` ``"forward"``, ``"again"`` or ``"backward"``."""

    kind: str
    steps: list[Step]


def in_stages(written: Written, results: Sequence[Term], checkpoints: object) -> Written | None:
    """A program that returns some terms, with so many checkpoints; ``None`` where it is no chain of stages.

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
    found = [_arranged(written, steps, list(_parts(steps, cut, checkpoints, limit))) for cut in cuts]
    least = min((_peak(each) for each in found), default=0)
    near = (each for each in found if _peak(each) <= NEAR * least)
    return min(near, key=lambda each: sum(run.operations for run in each.runs), default=None)


def _peak(written: Written) -> int:
    return max(run.bytes for run in written.runs)


def _parts(steps: Steps, cut: Cut, checkpoints: object, limit: int) -> Iterator[Part]:
    """The steps in the order in which they are run: what is kept is what is read later without being run again."""
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
    """The same parts without what is run again for nothing, and neighbours of a kind as one.

    The derivative of a linear stage takes no value: the state before it need not be there.
    """
    found, alive = list[Part](), set(steps.returned)
    for part in reversed(parts):
        for step in reversed(part.steps):
            if part.kind != "again" or step.name in alive:
                alive -= {step.name} - steps.changing
                alive |= step.reads
                if not found or found[-1].kind != part.kind:
                    found.append(Part(part.kind, []))
                found[-1].steps.append(step)
    return [Part(part.kind, part.steps[::-1]) for part in reversed(found)]


def _arranged(written: Written, steps: Steps, parts: Sequence[Part]) -> Written:
    """The rows of a program that runs some steps in order, and what each run takes."""
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
        rows += _deleting(ends[k])
        total -= sum(now.pop(name) for name in ends[k])
    if steps.operations or steps.bytes:
        runs.append(Run("return", steps.operations, total + steps.bytes, False))
    return written._replace(rows=[*rows, steps.last], runs=tuple(runs))


def _ends(steps: Steps, order: Sequence[Step]) -> list[list[str]]:
    """The names that nothing reads after each step as they are then; but for small arrays, and what is returned."""
    alive, found = set(steps.returned), list[list[str]]()
    size = {step.name: step.bytes for step in order}
    large = max(size.values())
    for step in reversed(order):
        last = [name for name in dict.fromkeys([step.name, *sorted(step.reads)]) if name not in alive]
        alive.update(last)
        found.append([name for name in last if SMALL * size[name] > large])
        if step.name not in steps.changing:
            alive.discard(step.name)
    return found[::-1]


def _heading(part: Part) -> Iterator[Row]:
    """A comment that says what begins here."""
    names = [part.steps[0].name, *[part.steps[-1].name][: len(part.steps) - 1]]
    yield Row(f"    # forward again: {' to '.join(names)}" if part.kind == "again" else f"    # {part.kind}")


def _deleting(names: Sequence[str]) -> list[Row]:
    """The statement that lets arrays go."""
    return [Row(f"    del {', '.join(names)}")] if names else []
