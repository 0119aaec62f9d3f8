"""The stages of a program without loops: its forward part, cut where few bytes pass on to what is computed later.

Arguments are there anyway and pass no cut, and what only the value needs is not run again.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate

from .steps import Step, Steps

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
        needed, pending = dict[str, None](), [name for step in backward for name in step.reads]
        while pending:
            name = pending.pop()
            if name in makers and name not in needed:
                needed[name] = None
                pending += makers[name].reads
        self.forward = [step for step in forward if step.name in needed]
        self.place = {step.name: k for k, step in enumerate(self.forward)}
        self.all_backward = backward

    def provided(self, names: Iterable[str], there: Container[str]) -> list[Step]:
        """The forward steps that compute some names, in order, from those that are there."""
        found, pending = set[int](), [*names]
        while pending:
            name = pending.pop()
            if name not in there and name in self.place and self.place[name] not in found:
                found.add(self.place[name])
                pending += self.forward[self.place[name]].reads
        return [self.forward[k] for k in sorted(found)]

    def passing(self) -> list[frozenset[str]]:
        """What passes from the steps before each forward step to it and those after."""
        last = {name: k for k, step in enumerate(self.forward) for name in step.reads if name in self.place}
        now, found = set[str](), []
        for k, step in enumerate(self.forward):
            found.append(frozenset(now))
            now = {name for name in now | {step.name} if last.get(name, 0) > k}
        return found

    def size(self, names: Iterable[str]) -> int:
        """Bytes of some names."""
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
        found = [places, _joined(places, kept, longest)]
        while len(found[-1]) >= MOST:
            longest *= 2
            found.append(_joined(places, kept, longest))
        for cuts in map(tuple, found):
            if cuts and len(cuts) < MOST and cuts not in seen:
                seen.add(cuts)
                yield Cut(stages, cuts, passing)


def _joined(places: Sequence[int], kept: Sequence[int], longest: int) -> list[int]:
    """The places that are left where stages are joined as long as they keep no more bytes together than ``longest``.

    ``kept`` are the bytes of all steps before each place, and at last of all.

    >>> _joined([1, 2, 3], [0, 8, 8, 16, 20], 8), _joined([1, 2, 3], [0, 8, 8, 16, 20], 16)
    ([2, 3], [3])
    """
    found, start = list[int](), 0
    for place, end in zip(places, [*places[1:], len(kept) - 1], strict=True):
        if kept[end] - kept[start] > longest:
            found.append(place)
            start = place
    return found
