"""What a program is: its instructions, what it takes and returns, and what is known of its expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..planning.schedule import Cost, Schedule
from ..points.batches import Leaf
from ..points.results import Coo, Csr, Part
from .guards import Guard
from .notes import Note


@dataclass(eq=False, repr=False)
class Contents:
    """The parts of a :class:`~.program.Program` that say what it computes, whatever runs it.

    ``arguments`` are the arrays of the arguments, which are structured as ``example`` is; ``parts`` are the arrays of
    the results, which are structured as ``template`` is. ``points`` says where the axis of the points is, ``"first"``
    or ``"last"``.
    """

    name: str
    schedule: Schedule
    argument_names: list[str]
    arguments: list[Leaf]
    example: tuple[object, ...]
    parts: list[Part]
    template: Any
    points: str
    sparsity: Coo | Csr | None
    guard: Guard | None
    explain: Callable[[], dict[int, Note]]

    @property
    def cost(self) -> Cost:
        """The operations and buffers that one point takes."""
        return self.schedule.cost

    @property
    def function_name(self) -> str:
        """The name of the function that the program is written as."""
        stem = re.sub(r"\W+", "_", self.name).strip("_")
        return f"{stem if stem.isidentifier() else 'program'}_{type(self.template)._fields[-1]}"

    @cached_property
    def notes(self) -> dict[int, Note]:
        """What each expression is, and where it comes from."""
        return self.explain()

    def finished(self, found: Any) -> Any:
        """Results, with the positions of the entries if the Jacobian is sparse."""
        return found if self.sparsity is None else found._replace(jacobian=self.sparsity._replace(data=found.jacobian))
