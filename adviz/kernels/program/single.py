"""One point: a function on Python's numbers, or of compiled code, that takes floats and arrays without a batch.

Its text is made of tables and numbers only, as that of :mod:`~..points.source_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...engine.pytrees import is_container
from ..planning.schedule import Schedule
from ..points.batches import Leaf
from ..points.results import Part, structure_text
from ..points.source_text import compiled, point_names, point_source, scalar_functions, tuple_text
from .contents import Contents

NAMES: dict[str, object] = {"len": len, "type": type, "float": float, "ndarray": np.ndarray, "double": np.dtype(float)}


def function_of_point(program: Contents, backend: object) -> Callable[[Sequence[object]], Any]:
    """Make a function of the leaves of one point, which returns the results.

    It returns ``None`` unless the leaves are floats, and arrays in double precision, and all results are finite; and
    always if the structure of the results has classes that must be called.

    >>> import adviz
    >>> function = function_of_point(adviz.compile_gradient(lambda x: x * x, 3.0), None)
    >>> function([3.0]), function([3])
    (Gradient(value=9.0, gradient=6.0), None)
    """
    is_tuple = isinstance(program.template, tuple)  # also one with names, as Gradient; ad.compile has any structure
    if not all(map(_is_literal, program.template if is_tuple else [program.template])):
        return lambda leaves: None
    made = "made({})" if is_tuple else "{}"
    made = made if program.sparsity is None else f"finished({made})"
    functions = NAMES | {"made": partial(tuple.__new__, type(program.template)), "finished": program.finished}
    write = getattr(backend, "point", partial(_on_numbers, program.schedule, functions))
    lines, more = write(
        program.arguments, program.parts, lambda texts: made.format(structure_text(program.template, iter(texts)))
    )
    return compiled("\n    ".join(["def point(leaves):", *_taken(program.arguments), *lines]), functions | more)


def _is_literal(template: Any) -> bool:
    """Whether a structure can be written as a literal: of tuples and lists."""
    return not is_container(template) or (type(template) in (tuple, list) and all(map(_is_literal, template)))


def _taken(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Statements that check the leaves, and call them ``a0``…"""
    names = [f"a{k}" for k in range(len(leaves))]
    yield f"if len(leaves) != {len(leaves)}: return None"
    yield f"{tuple_text(names)} = leaves"
    for name, leaf in zip(names, leaves, strict=True):
        is_array = f"type({name}) is ndarray and {name}.shape == {leaf.shape} and {name}.dtype == double"
        yield f"if not ({is_array if leaf.shape else f'type({name}) is float'}): return None"


def _on_numbers(
    schedule: Schedule,
    functions: dict[str, object],
    leaves: Sequence[Leaf],
    parts: Sequence[Part],
    write: Callable[[Iterable[str]], str],
) -> tuple[list[str], dict[str, object]]:
    """A statement that returns the results on Python's numbers, and the functions that it calls."""
    names = point_names(schedule)
    outputs = [names[place] for place in schedule.outputs]
    text = point_source(schedule, write(_array_text(*each, outputs) for each in enumerate(parts)))
    meanings = scalar_functions() | functions | {"scattered": _scattered}
    meanings |= {f"places{k}": np.array(part.rows, np.intp) for k, part in enumerate(parts)}
    numbers = (f"*a{k}.ravel().tolist()" if leaf.shape else f"a{k}" for k, leaf in enumerate(leaves))
    return [f"return program({', '.join(numbers)})"], {"program": compiled(text, meanings)}


def _array_text(k: int, part: Part, outputs: Sequence[str]) -> str:
    leaf, numbers = part.leaf, part.numbers(outputs, "0.0")
    if leaf.size > 2 * len(part.rows) > 0:  # lists of zeros are slow: pollution would take 12 µs instead of 6 µs
        return f"scattered({leaf.shape}, places{k}, [{', '.join(numbers[row] for row in part.rows)}])"
    shape = f".reshape({leaf.shape})" if len(leaf.shape) > 1 else ""
    return f"array([{', '.join(numbers)}]){shape}" if leaf.shape else numbers[0]


def _scattered(shape: tuple[int, ...], places: np.ndarray, numbers: list[float]) -> np.ndarray:
    """An array with numbers at these places, and zeros elsewhere."""
    found = np.zeros(prod(shape))
    found[places] = numbers
    return found.reshape(shape)
