"""Which rules simplified a program, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .rewriting import laws


class Use(NamedTuple):
    """A rule that simplified a program: its laws, how often it was used, the operations on numbers that it saved."""

    law: str
    times: int
    saved: int


class Explanation(Mapping[str, Use]):
    """The rules that simplified a program, by name; printed as a table.

    >>> print(Explanation({"signs": [2, 10]}))
    rule    times  operations saved
    signs       2                10
    """

    def __init__(self, fired: Mapping[str, list[int]]):
        known = laws()
        self._uses = {name: Use("; ".join(known.get(name, ())), *counts) for name, counts in fired.items()}

    def __getitem__(self, rule: str) -> Use:
        return self._uses[rule]

    def __iter__(self) -> Iterator[str]:
        return iter(self._uses)

    def __len__(self) -> int:
        return len(self._uses)

    def __repr__(self) -> str:
        width = max((len(name) for name in (*self, "rule")), default=0)
        rows = [f"{name:<{width}}  {use.times:>6,}  {use.saved:>16,}" for name, use in self.items()]
        return "\n".join([f"{'rule':<{width}}  {'times':>6}  operations saved", *rows])
