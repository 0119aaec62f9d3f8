"""Dead instructions: those whose values nothing needs, neither a result nor another instruction."""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.timeline import Step
from .instructions import Instructions


def dead_instructions(instructions: Instructions) -> Iterator[Step]:
    """Remove, from the last one to the first, what has no users and is not returned; inputs stay.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(adviz.lazy.sequential([x * 2, x + 1]), x).instructions
    >>> [step.focus for step in dead_instructions(found)], len(found)
    ([(('instruction', 1),)], 2)
    """
    returned = instructions.returned
    for each in reversed(list(instructions)):
        if not (each.is_input or each.number in returned or instructions.users(each.number)):
            yield Step("remove", instructions.remove(each.number), (("instruction", each.number),))
