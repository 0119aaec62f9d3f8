"""Which rules simplified a program, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Use(NamedTuple):
    """What a rule did for a program: the laws that it went by, how often, and the operations on numbers that it saved.

    Operations are counted at the rule: a form that another rule needs may take more of them for a while.
    """

    laws: tuple[str, ...]
    times: int
    saved: int


class Explanation(Mapping[str, Use]):
    """The rules that simplified a program, by name; printed as a table.

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
