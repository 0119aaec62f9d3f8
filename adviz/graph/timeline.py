"""Edits, Steps and Timelines: the record of what an algorithm did.

With these three you can

* say what changed: an :class:`Edit` holds a key and its value before and after;
* say what one move of an algorithm did: a :class:`Step` holds edits, where to look, and the cost;
* go to any moment: ``Timeline.at(k)`` is the state after ``k`` steps, forwards or backwards.

A state is a mapping from keys to values; an absent key has the value ``None``. Animation, cost count, undo, text log
and test oracle are all derived from the same steps, so there is no second account of what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from .errors import AdvizError

State = dict[Hashable, Any]


class Edit(NamedTuple):
    """One key changed its value; ``None`` stands for absent on either side.

    >>> Edit("v1", None, 2.0).after
    2.0
    """

    key: Hashable
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Step:
    """One move: its kind, its edits, the keys to look at, and what it cost in scalar operations.

    ``comparisons`` were made to choose the next node.

    >>> Step("evaluate", (Edit("v1", None, 2.0),), focus=("v1",)).multiplications
    0
    """

    kind: str
    edits: tuple[Edit, ...]
    focus: tuple[Hashable, ...] = ()
    multiplications: int = 0
    additions: int = 0
    comparisons: int = 0


Algorithm = Callable[[State], Iterator[Step]]
"""A function from a state, which it changes, to the Steps of the change."""


class Stateful(Protocol):
    """A graph, of which a state says what algorithms begin with."""

    def state(self) -> State:
        """Return what is there, as a state."""


class TimelineError(AdvizError, ValueError):
    """A step does not fit the state it is applied to.

    >>> replay({}, [Step("remove", (Edit("v1", 2.0, None),))])
    Traceback (most recent call last):
    adviz.graph.timeline.TimelineError: 'v1' holds None, but the step expects 2.0
    """


def replay(start: Mapping[Hashable, Any], steps: Iterable[Step]) -> State:
    """Return the state that ``steps`` lead to from ``start``, which is not changed.

    Raises :class:`TimelineError` where the value before an edit is not the one that the edit has.

    >>> replay({}, [Step("evaluate", (Edit("v1", None, 2.0),))])
    {'v1': 2.0}
    """
    state = dict(start)
    for step in steps:
        for edit in step.edits:
            _change(state, edit.key, edit.before, edit.after)
    return state


def rewind(end: Mapping[Hashable, Any], steps: Iterable[Step]) -> State:
    """Return the state that ``steps`` came from, so that ``rewind(replay(start, steps), steps) == start``.

    >>> rewind({"v1": 2.0}, [Step("evaluate", (Edit("v1", None, 2.0),))])
    {}
    """
    state = dict(end)
    for step in reversed(list(steps)):
        for edit in reversed(step.edits):
            _change(state, edit.key, edit.after, edit.before)
    return state


def _change(state: State, key: Hashable, old: Any, new: Any) -> None:
    present = state.get(key)
    if not _same(present, old):
        raise TimelineError(f"{key!r} holds {present!r}, but the step expects {old!r}")
    if new is None:
        state.pop(key, None)
    else:
        state[key] = new


def follow(state: State, step: Step) -> None:
    """Apply a step to a state, without checking what was there before.

    >>> state = {"v1": 2.0}
    >>> follow(state, Step("free", (Edit("v1", 2.0, None),)))
    >>> state
    {}
    """
    for key, _, after in step.edits:
        if after is None:
            state.pop(key, None)
        else:
            state[key] = after


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal: NaN equals NaN, arrays are compared entry by entry."""
    if one is other:
        return True
    equal = one == other
    if isinstance(equal, bool):
        return equal or bool(one != one and other != other)
    alike = getattr(one, "shape", None) == getattr(other, "shape", None)
    return alike and bool((equal | ((one != one) & (other != other))).all())


class Timeline:
    """A start and the steps from there.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> adviz.Timeline.record(graph, adviz.toposort(graph)).multiplications
    2

    An algorithm of your own may be a function of the state:

    >>> def count(state):
    ...     for k in range(3):
    ...         edit = Edit("n", state.get("n"), k)
    ...         state["n"] = k
    ...         yield Step("count", (edit,), additions=1)
    >>> timeline = Timeline.record({}, count)
    >>> len(timeline), timeline.at(2), timeline.additions
    (3, {'n': 1}, 3)
    """

    def __init__(self, start: Mapping[Hashable, Any], steps: Iterable[Step]):
        self.start = dict(start)
        self._steps = tuple(steps)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        return self._steps

    @classmethod
    def record(cls, start: Stateful | Mapping[Hashable, Any], algorithm: Iterable[Step] | Algorithm) -> Timeline:
        """Record an algorithm that begins at ``start``: a graph, whose state is taken, or a state.

        ``algorithm`` is an iterator of Steps that has not begun, such as ``vertex_elimination(graph)`` and
        ``toposort(graph)`` return, or a function from a state, which gets a copy of ``start``.
        """
        state = dict(start) if isinstance(start, Mapping) else start.state()
        return cls(state, algorithm(dict(state)) if callable(algorithm) else algorithm)

    def at(self, cursor: int) -> State:
        """Return the state after ``cursor`` steps. Raises ``IndexError`` outside ``0 … len(timeline)``."""
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"cursor {cursor} is outside 0 … {len(self.steps)}")
        return replay(self.start, self.steps[:cursor])

    @property
    def multiplications(self) -> int:
        """Scalar multiplications of all steps."""
        return sum(step.multiplications for step in self.steps)

    @property
    def additions(self) -> int:
        """Scalar additions of all steps."""
        return sum(step.additions for step in self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


class LiveTimeline(Timeline):
    """A timeline whose algorithm runs whenever the steps are iterated over, so that none of them is kept.

    ``run`` returns the steps of a new run. A long sweep over large arrays then holds no more than its present state.

    >>> timeline = LiveTimeline({}, lambda: [Step("evaluate", (Edit("v1", None, 2.0),))])
    >>> [step.kind for step in timeline], timeline.at(1)
    (['evaluate'], {'v1': 2.0})
    """

    def __init__(self, start: Mapping[Hashable, Any], run: Callable[[], Iterable[Step]]):
        self.start, self.run = dict(start), run

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps of a new run, in order."""
        return tuple(iter(self))  # tuple(self) would ask for the length first

    def __iter__(self) -> Iterator[Step]:
        return iter(self.run())
