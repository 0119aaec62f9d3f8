"""Array programs from functions: which grain a function is compiled in, and the program in the array grain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...engine.blocks import INPUT, OUTPUT
from ...graph.errors import OptionError
from ..program.watching import Watch
from ..program_errors import ProgramError
from .array_program import ArrayProgram
from .drafts import Draft, traced

GRAINS = ("auto", "scalar", "array")
FEW = 500
"""Operations on numbers up to which a function is compiled number by number: then points are fast, and few lines."""
OF_POINTS = {"points": "first", "threads": None, "branches": False, "fast": False, "form": "dense"}
"""Options of programs over points, with their defaults."""


def is_on_arrays(
    grain: str, f: Callable[..., Any], example: tuple[Any, ...], settings: Mapping[str, Any], options: Mapping[str, Any]
) -> bool:
    """Whether a function is to be compiled in the array grain; ``options`` are those of the call.

    ``"auto"`` takes the scalar grain for options of programs over points, for functions of up to :data:`FEW` operations
    on numbers, and for those that cannot be traced on arrays. Raises :class:`~adviz.OptionError` for another name.
    """
    if grain not in GRAINS:
        raise OptionError(f"grain is {grain!r}; it can be {', '.join(map(repr, GRAINS[:-1]))} or {GRAINS[-1]!r}.")
    if grain == "auto":
        return not _of_points(options) and operations(f, example, settings) > FEW
    if grain == "array" and (given := _of_points(options)):
        raise ProgramError(f"{given} is an option of programs over points: leave it out, or take grain='scalar'.")
    return grain == "array"


def _of_points(options: Mapping[str, Any]) -> str:
    """The first option that only programs over points have, as it was given; "" if there is none."""
    for name, value in options.items():
        if name == "backend" and value not in (None, "numpy"):
            return f"backend={value!r}"
        if name in OF_POINTS and value != OF_POINTS[name]:
            return f"{name}={value!r}"
    return ""


def operations(f: Callable[..., Any], example: tuple[Any, ...], settings: Mapping[str, Any]) -> int:
    """Operations on numbers that a function takes, about; 0 for one that cannot be traced on arrays."""
    try:
        with warnings.catch_warnings(action="ignore"):
            graph = traced(f, example, settings).graph
    except Exception:  # it comes again in the scalar grain, or does not arise there
        return 0
    found = 0
    for node, block in enumerate(graph.blocks):
        if block not in (INPUT, OUTPUT):
            data = [graph.values[each] if each >= 0 else graph.literal(each) for each in graph.operands(node)]
            inner = np.shape(data[0])[-1] if block.name == "matmul" else 1
            found += max(
                np.size(graph.values[node]) * inner,
                *(np.size(graph.values[each]) for each in graph.operand_nodes(node)),
                0,
            )
    return found


def array_program(
    draft: Callable[..., Draft],
    f: Callable[..., Any],
    example: tuple[Any, ...],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
) -> ArrayProgram:
    """The program that ``draft`` makes of a function, with its own ``options``."""
    own = {name: value for name, value in options.items() if name != "inputs" and OF_POINTS.get(name) != value}
    inputs = options.get("inputs")

    def at(primals: tuple[Any, ...]) -> Draft:
        return draft(traced(f, primals, settings, inputs), **own)

    return ArrayProgram(at, example, Watch(f))
