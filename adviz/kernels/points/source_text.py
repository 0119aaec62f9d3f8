"""Programs as Python source: the names and texts of expressions, a function of one point, and how a text is compiled.

The source is made of tables and numbers only, never of the text of the function that was traced. Its names are ``x0``
for inputs, ``v7`` for computed values, ``c3`` for constants.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..expressions.expressions import OPERATIONS
from ..schedules import Instruction, Schedule


def place_names(schedule: Schedule) -> dict[int, str]:
    """Return the name of each place."""
    names = {each.place: f"v{each.place}" for each in schedule.instructions}
    names |= {place: f"x{number}" for number, place in enumerate(schedule.inputs)}
    return names | {place: f"c{place}" for place in schedule.constants}


def point_names(schedule: Schedule) -> dict[int, str]:
    """Return the name of each place in a program of one point, where constants are written out."""
    return place_names(schedule) | {place: number_text(value) for place, value in schedule.constants.items()}


def number_text(value: float | str) -> str:
    """Write a number such that Python reads the same one.

    >>> number_text(0.1), number_text(float("inf"))
    ('0.1', 'inf')
    """
    if value == "NaN":
        return "nan"
    return repr(float(value))


def written(instruction: Instruction, names: Mapping[int, str]) -> str:
    """Write the right-hand side of an instruction: with an operator if there is one, else as a call."""
    operation = OPERATIONS[instruction.operation]
    operands = [names[operand] for operand in instruction.operands]
    if not operation.numeric.operator:
        return f"{operation.name}({', '.join(operands)})"
    return (
        f" {operation.numeric.operator} ".join(operands)
        if len(operands) > 1
        else operation.numeric.operator + operands[0]
    )


def point_source(schedule: Schedule, result: str = "") -> str:
    """Write a function of one point: from the numbers of the inputs to those of the outputs, as a tuple.

    The functions that it calls may be those of any library. ``result`` is another expression to return, in the names of
    :func:`point_names`; then the function returns ``None`` if some output is not finite.
    """
    names = point_names(schedule)
    lines = list(_statements(schedule, names))
    outputs = [names[place] for place in schedule.outputs]
    if result:
        lines += [f"total = sum({tuple_text(outputs)})", "if total - total != 0.0: return None", f"return {result}"]
    else:
        lines.append(f"return {tuple_text(outputs)}")
    arguments = ", ".join(f"x{number}" for number in range(len(schedule.inputs)))
    return "\n    ".join([f"def program({arguments}):", *lines])


DEEPEST = 12
"""The most brackets within brackets; without them, one point of the Roe flux takes 8.2 µs instead of 5.8 µs."""


def _statements(schedule: Schedule, names: Mapping[int, str]) -> Iterator[str]:
    """Write a statement for each operation, but one that is used once where it is used, which is faster."""
    uses = Counter(operand for each in schedule.instructions for operand in each.operands)
    uses.update(2 * schedule.outputs)
    texts, depths = dict(names), Counter[int]()
    for each in schedule.instructions:
        text, depth = written(each, texts), 1 + max(depths[operand] for operand in each.operands)
        if uses[each.place] == 1 and depth < DEEPEST:
            texts[each.place], depths[each.place] = f"({text})", depth
        else:
            yield f"{names[each.place]} = {text}"


LONGEST = 32
"""Characters of a name, at most."""


def new_name(wanted: str, otherwise: str, used: dict[str, int]) -> str:
    """Return an identifier that is not used yet; ``used`` maps those that are to the number that comes next.

    >>> used = {"np": 2}
    >>> new_name("h", "v", used), new_name("h", "v", used), new_name("np", "v", used), new_name("x[0]", "v", used)
    ('h', 'h_2', 'np_2', 'x_0')
    """
    stem = wanted if _is_name(wanted) else re.sub(r"\W+_?", "_", wanted).strip("_")
    name = stem = stem if _is_name(stem) and len(stem) <= LONGEST else otherwise
    while name in used:
        name, used[stem] = f"{stem}_{used[stem]}", used[stem] + 1
    used[name] = 2
    return name


def _is_name(text: str) -> bool:
    return text.isidentifier() and not iskeyword(text)


def tuple_text(texts: list[str]) -> str:
    """Write a tuple as Python does."""
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def scalar_functions() -> dict[str, object]:
    """Return the functions that a program of one point calls on Python floats, by name."""
    functions: dict[str, object] = {name: each.scalar for name, each in OPERATIONS.items()}
    return functions | {"inf": math.inf, "nan": math.nan, "array": np.array, "sum": sum}


def numpy_functions() -> dict[str, Any]:
    """Return the functions that a program calls on NumPy's arrays, by name."""
    functions: dict[str, Any] = {name: each.numpy for name, each in OPERATIONS.items()}
    return functions | {"inf": math.inf, "nan": math.nan, "copyto": np.copyto}


def compiled(source: str, functions: Mapping[str, object], filename: str = "<adviz program>") -> FunctionType:
    """Compile a source that defines one function."""
    return bound(code_of(source, filename), functions)


def code_of(source: str, filename: str = "<adviz program>") -> CodeType:
    """Return the code of the function that a source defines."""
    module = compile(source, filename, "exec", dont_inherit=True)
    return next(constant for constant in module.co_consts if isinstance(constant, CodeType))


def bound(code: CodeType, functions: Mapping[str, object]) -> FunctionType:
    """Make a function of code, with the functions that it calls, by name."""
    return FunctionType(code, {"__builtins__": {}, **functions})
