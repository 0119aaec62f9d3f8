"""Common subexpressions: what is computed twice is computed once.

Source: Cocke, Global common subexpression elimination (1970); within straight-line code it is a table of what is there,
as in Cocke and Schwartz, Programming Languages and Their Compilers (1970).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ...graph.timeline import Step
from ...kernels.terms.array_terms import key_of
from .instructions import Instruction, Instructions, Value


def common_subexpressions(instructions: Instructions) -> Iterator[Step]:
    """Let all that read an instruction read an earlier one with the same Block and operands, and remove it.

    >>> import adviz, numpy as np
    >>> x = adviz.lazy.placeholder((2,), name="x")
    >>> found = adviz.lazy.computation(np.exp(x) + np.exp(x), x).instructions
    >>> [step.kind for step in common_subexpressions(found)], [each.block.name for each in found]
    (['share'], ['input', 'exp', 'add'])
    """
    known: dict[Hashable, int] = {}
    for number in [each.number for each in instructions if not each.is_input]:
        first = known.setdefault(_key(instructions[number]), number)
        if first != number:
            edits = instructions.substitute(number, Value(first)) + instructions.remove(number)
            yield Step("share", edits, (("instruction", number), ("instruction", first)))


def _key(instruction: Instruction) -> Hashable:
    """What instructions that compute the same have in common."""
    return id(instruction.block), *map(_operand_key, instruction.operands)


def _operand_key(operand: Any) -> Hashable:
    return operand if isinstance(operand, Value) else key_of(operand)
