"""Array programs from functions: which grain a function is compiled in, and the program in the array grain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count, islice
from typing import Any

import numpy as np

from ...engine.blocks import INPUT, OUTPUT
from ...engine.calls import leaves, rebuild
from ...engine.devices import in_numpy
from ...engine.rules.matrix_products import MATMUL
from ...graph.errors import AdvizError, OptionError
from ...graph.graph import Graph
from ..backends.selection import backend_name
from ..derivations.translation import Translation
from ..points.array_arguments import example_in_numpy
from ..program.watching import Watch
from ..program_errors import ProgramError
from .array_program import ArrayProgram
from .batch_sums import BatchSum, batch_sum
from .lowering import Lowered, Traced, lower_function, traced

GRAINS = ("auto", "scalar", "array")
FEW, SHORTER = 500, 10
"""With ``grain="auto"`` a program is one of arrays for functions of more operations on numbers than ``FEW``, if that
has at least ``SHORTER`` times fewer lines: number by number a layer of a network would be thousands of them."""
OF_POINTS = {"points": "first", "threads": None, "fast": False, "form": "dense"}
"""Options of programs over points, with their defaults."""


def is_on_arrays(
    grain: str, f: Callable[..., Any], example: tuple[Any, ...], settings: Mapping[str, Any], options: Mapping[str, Any]
) -> bool:
    """Return whether a function is to be compiled in the array grain; ``options`` are those of the call.

    ``"auto"`` takes the scalar grain for options and orders of programs over points, for functions that are short
    number by number, and for those that cannot be traced on arrays. Raises :class:`~adviz.OptionError` for another
    name, and :class:`~adviz.ProgramError` for options that programs on arrays do not have.
    """
    if grain not in GRAINS:
        raise OptionError(f"grain is {grain!r}; it can be {', '.join(map(repr, GRAINS[:-1]))} or {GRAINS[-1]!r}.")
    if grain == "auto":
        return may_be_on_arrays(options) and is_long(
            f, example_in_numpy(example), settings, decides=bool(options["branches"])
        )
    if grain == "array" and (given := _of_points(options)):
        raise ProgramError(f"{given} is an option of programs over points: leave it out, or take grain='scalar'.")
    return grain == "array"


def may_be_on_arrays(options: Mapping[str, Any]) -> bool:
    """Return whether nothing in the options of a call asks for a program over points."""
    return not _of_points(options) and "order" not in options and backend_name(options["backend"]) != "numba"


def _of_points(options: Mapping[str, Any]) -> str:
    """Return the first option that only programs over points have, as it was given; "" if there is none."""
    for name, value in options.items():
        if name in OF_POINTS and value != OF_POINTS[name]:
            return f"{name}={value!r}"
    return ""


def is_long(
    f: Callable[..., Any], example: tuple[Any, ...], settings: Mapping[str, Any], decides: bool = False
) -> bool:
    """Tell whether a function takes many operations on numbers in few on arrays; no, if it cannot be traced on arrays.

    Where it ``decides``, control flow that depends on values goes as at the example.

    >>> import numpy as np
    >>> is_long(lambda x: np.sum(np.sin(x)), (np.ones(1000),), {}), is_long(np.sin, (1.0,), {})
    (True, False)
    """
    try:
        with warnings.catch_warnings(action="ignore"), in_numpy():
            graph = traced(f, example, settings, decides=decides).graph
    except Exception:  # it comes again in the scalar grain, or does not arise there
        return False
    nodes = [node for node, block in enumerate(graph.blocks) if block not in (INPUT, OUTPUT) and graph.live[node]]
    operations = sum(_operations(graph, node) for node in nodes)
    return operations > FEW and operations > SHORTER * len(nodes)


def _operations(graph: Graph, node: int) -> int:
    """Return operations on numbers that a node takes, about."""
    if graph.blocks[node].family == "shape":
        return 0  # what the scalar grain does without
    data = [graph.values[each] if each >= 0 else graph.literal(each) for each in graph.operands(node)]
    inner = np.shape(data[0])[-1] if graph.blocks[node] is MATMUL else 1
    sizes = [np.size(graph.values[each]) for each in graph.operand_nodes(node)]
    return int(max(np.size(graph.values[node]) * inner, *sizes, 0))


def array_program(
    lowered: Callable[..., Lowered],
    f: Callable[..., Any],
    example: tuple[Any, ...],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    of_points: Callable[[], Callable[..., Any]] | None = None,
) -> ArrayProgram:
    """Return the program that ``lowered`` makes of a function, with its own ``options``.

    ``of_points`` makes the program that takes arguments with an axis of points more than the example.
    """
    inputs, own = options.get("inputs"), own_options(options)
    axis = options.get("batch")
    batch = None if axis is None else _batch(axis, f, example, settings, inputs)

    of_python = [type(leaf) is float for each in example for _, leaf in leaves(each, "")]

    def at(primals: tuple[Any, ...]) -> Lowered:
        known = zip((leaf for each in primals for _, leaf in leaves(each, "")), of_python, strict=True)
        primals = rebuild(primals, (float(leaf) if is_one and not np.shape(leaf) else leaf for leaf, is_one in known))
        with in_numpy():
            try:
                return lowered(traced(f, primals, settings, inputs), **own)
            except np.linalg.LinAlgError:
                return lowered(traced(f, _beside(primals), settings, inputs), **own)

    return ArrayProgram(at, example, partial(Watch, f), of_points, batch)


def _beside(primals: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an example of the same shapes, at which matrices are regular; numbers of an example do not matter."""
    generator = np.random.default_rng(0)

    def moved(leaf: Any) -> Any:
        array = np.asarray(leaf)
        step = generator.normal(size=array.shape) * (np.max(np.abs(array), initial=0.0) or 1.0) / 8
        return (array + step).astype(array.dtype) if array.dtype.kind == "f" else leaf

    return tuple(rebuild(each, (moved(leaf) for _, leaf in leaves(each, ""))) for each in primals)


def own_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that lowering takes, such as an order."""
    other = ("inputs", "batch")
    return {name: value for name, value in options.items() if name not in other and OF_POINTS.get(name) != value}


def _batch(
    axis: Any, f: Callable[..., Any], example: tuple[Any, ...], settings: Mapping[str, Any], inputs: Any
) -> BatchSum:
    """Return how a function is made of the rows of its data, the arrays that are not differentiated with respect to."""
    if axis != 0 or isinstance(axis, bool):
        raise OptionError(f"batch is {axis!r}; it can be 0: the batch is along the first axis of the data.")
    of = traced(f, example, settings, inputs)
    of.check_is_number("compile_gradient with batch")
    data = {k: leaf for k, leaf in enumerate(of.inputs) if leaf.shape and all(leaf is not each for each in of.wanted)}
    rows = next((leaf.shape[0] for leaf in data.values()), 0)
    places = [k for k, leaf in data.items() if leaf.shape[0] == rows]
    if not places:
        raise ProgramError("batch needs data: say what to differentiate with respect to, as in inputs=[0, 1].")
    lengths = {length for leaf in of.inputs for length in leaf.shape}
    one, other = islice((number for number in count(3) if number not in lengths), 2)
    result = [_at_rows(of, f, settings, inputs, places, number) for number in (one, other)]
    return batch_sum(result, places, (one, other))


def _at_rows(
    of: Traced, f: Callable[..., Any], settings: Mapping[str, Any], inputs: Any, places: Sequence[int], rows: int
) -> Translation:
    """Return the terms of a function at data of another number of rows."""
    example = tuple(of.arguments.values())
    given = [value for each in example for _, value in leaves(each, "")]
    for k in places:
        given[k] = np.resize(given[k], (rows, *given[k].shape[1:]))
    try:
        return lower_function(
            traced(f, tuple(rebuild(example, iter(given))), settings, inputs), rolled=False
        ).translation
    except AdvizError:
        raise
    except Exception as error:
        raise ProgramError(
            f"{of.graph.title} cannot be computed at {rows} rows of data, although batch=0 takes any number of them: "
            f"{error}"
        ) from error
