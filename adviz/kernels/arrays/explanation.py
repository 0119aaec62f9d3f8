"""Which rules simplified a program, and what its checkpoints cost, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..schedules import fewest_advances
from ..sources.checkpoint_lines import Iteration
from ..sources.writing import Written
from .costs import ArrayCost, cost_of
from .lowering import Lowered


class Use(NamedTuple):
    """What a rule did for a program: the laws that it went by, how often, and the operations on numbers that it saved.

    Operations are counted at the rule: a form that another rule needs may take more of them for a while.
    """

    laws: tuple[str, ...]
    times: int
    saved: int


class Explanation(Mapping[str, Use]):
    """The rules that simplified a program, by name; printed as a table.

    What ``"checkpoints"`` say of bytes is their law; they are used as often as lines, or iterations, are run again.

    >>> print(Explanation({("signs", "-(-a) = a"): [2, 10]}))
    rule   times  operations saved  laws
    signs      2                10  -(-a) = a
    """

    def __init__(self, *fired: Mapping[tuple[str, str], list[int]]):
        self._uses: dict[str, Use] = {}
        for (name, law), (times, saved) in (pair for each in fired for pair in each.items()):
            laws, before, already = self._uses.get(name, Use((), 0, 0))
            self._uses[name] = Use(tuple(dict.fromkeys((*laws, law))), before + times, already + saved)

    def __getitem__(self, rule: str) -> Use:
        return self._uses[rule]

    def __iter__(self) -> Iterator[str]:
        return iter(self._uses)

    def __len__(self) -> int:
        return len(self._uses)

    def __repr__(self) -> str:
        width = max((len(name) for name in (*self, "rule")), default=0)
        rows = [f"{name:<{width}}  {use.times:>5,}  {use.saved:>16,}  {use.laws[0]}" for name, use in self.items()]
        rows = [row if len(use.laws) == 1 else f"{row}, …" for row, use in zip(rows, self.values(), strict=True)]
        return "\n".join([f"{'rule':<{width}}  times  operations saved  laws", *rows])


Fired = dict[tuple[str, str], list[int]]


def again(lowered: Lowered, written: Written, cost: ArrayCost) -> Fired:
    """What checkpoints save, as if they were a rule: bytes, for operations that are done again; nothing without any.

    >>> import adviz, numpy as np
    >>> def waves(x):
    ...     for _ in range(100):
    ...         x = np.sin(x) + np.cos(x)
    ...     return np.sum(x)
    >>> print(adviz.compile_gradient(waves, np.ones(1000), checkpoints=5).explain())
    rule              times  operations saved  laws
    constants folded      1                 0  what is made of constants is a constant
    broadcasts            1                 0  an array of equal numbers is one number repeated
    neutral elements      1             1,000  a in its own dtype is a
    signs                 2                 0  (-a) · b = -(a · b), …
    checkpoints         316          -948,000  at most 72,008 bytes in use, instead of 1,624,000
    """
    if not lowered.checkpoints and not written.runs:
        return {}
    plain = lowered.with_all_kept()
    before = cost_of(lowered.found, plain.written(), lowered.bodies)
    times = sum(run.is_again for run in written.runs)
    times += sum(
        _iterations_again(lowered.bodies[start].loop.iterations, each) for start, each in written.iterations.items()
    )
    law = f"at most {cost.peak_bytes:,} bytes in use, instead of {before.peak_bytes:,}"
    return {("checkpoints", law): [times, before.operations - cost.operations]}


def _iterations_again(count: int, iteration: Iteration) -> int:
    """How many iterations of a loop are run again, from checkpoints or, where they need no state, for themselves."""
    again = {"checkpoints": fewest_advances(count, iteration.checkpoints or 1), "recomputed": count}
    return again.get(iteration.way, 0)
