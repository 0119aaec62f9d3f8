"""What a reverse sweep starts from: an adjoint, or a matrix of them, for each output to be differentiated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...graph.errors import AdvizError
from ...graph.graph import Graph

Value = float | np.ndarray
GivenSeeds = Mapping[Any, ArrayLike] | None
"""Adjoints by output node, or matrices with an adjoint in each row; ``None`` stands for 1."""


_KEY = re.compile(r"result\[('[^']*'|\"[^\"]*\")\]")
"""The name of an entry of the dict that a function returned."""


class SeedError(AdvizError, ValueError):
    """The seeds or the direction of a sweep are missing, or do not fit the graph.

    >>> import adviz
    >>> checked_seeds(adviz.trace(lambda x: (x, x), 3.0), None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adviz.algorithms.sweeps.seeds.SeedError: <lambda> has 2 outputs: say what to differentiate, ...
    """


class Seeds(NamedTuple):
    """Adjoints by output node, and the number of rows of each if they are matrices (``None`` if they are not)."""

    adjoints: Mapping[int, Value]
    rows: int | None

    def only(self, nodes: Iterable[int]) -> Seeds:
        """Return the seeds of some nodes."""
        return Seeds({node: self.adjoints[node] for node in nodes if node in self.adjoints}, self.rows)


def checked_seeds(graph: Graph, seeds: GivenSeeds) -> Seeds:
    """Check the seeds of a reverse sweep; copies, as floats and arrays.

    A seed has the shape of its output, for a vector-Jacobian product, or is a matrix of shape ``(p, size)`` with one
    adjoint per row (the identity gives the whole Jacobian). ``None`` stands for 1 and needs a graph with one output of
    one entry. Raises :class:`SeedError` for anything else.

    >>> import adviz
    >>> checked_seeds(adviz.trace(lambda x: x * x, 3.0), None)
    Seeds(adjoints={2: 1.0}, rows=None)
    """
    if seeds is None:
        seeds = {output: np.ones(np.shape(graph.values[output])) for output in graph.outputs}
        sizes = [np.size(graph.values[output]) for output in graph.outputs]
        if not sizes:
            reason = graph.independence() or f"{graph.title} has no results."
            if not graph.inputs:
                reason = f"{graph.title} has no argument to differentiate with respect to."
            raise SeedError(f"{reason} There is nothing to sweep.")
        if sizes != [1]:
            described = f"{len(sizes)} outputs" if len(sizes) != 1 else f"an output of {sizes[0]} entries"
            raise SeedError(f"{graph.title} has {described}: say what to differentiate, with seeds={{output: adjoint}}")
    if not isinstance(seeds, Mapping):
        raise SeedError("seeds are given by output, as in seeds={output: adjoint}")
    if not seeds:
        raise SeedError("seeds is empty: name at least one output")
    arrays = {output: _checked(graph, output, seed) for output, seed in seeds.items()}
    if all(array.shape == np.shape(graph.values[output]) for output, array in arrays.items()):
        return Seeds({output: array if array.shape else float(array) for output, array in arrays.items()}, None)
    rows = {len(array) if _is_matrix(graph, output, array) else None for output, array in arrays.items()}
    if len(rows) > 1:
        raise SeedError("seeds are all adjoints, or all matrices of the same number of rows")
    return Seeds(arrays, rows.pop())


def _checked(graph: Graph, output: int, seed: ArrayLike) -> np.ndarray:
    if output not in graph.outputs:
        raise SeedError(f"node {output!r} is not an output of {graph.title}; its outputs are {graph.outputs}")
    name = f"the seed of result {graph.outputs.index(output)} (node {output})"
    array = _real(seed, name)
    shape = np.shape(graph.values[output])
    if array.shape != shape and not _is_matrix(graph, output, array):
        raise SeedError(
            f"{name} has shape {array.shape}; "
            f"it can be {shape}, or a matrix of shape (p, {math.prod(shape)}) with an adjoint in each row"
        )
    return array


def _is_matrix(graph: Graph, output: int, array: np.ndarray) -> bool:
    """Return whether a seed can be a matrix with an adjoint in each row; where it can be both, it is an adjoint."""
    return array.ndim == 2 and array.shape[1] == np.size(graph.values[output])


def by_output(graph: Graph, seeds: Any) -> dict[int, Any] | None:
    """Return seeds by output node, from seeds by the place of the result; ``None`` stands for 1 at the only number.

    A result that is an entry of a dict may have its key in place of the place. Raises :class:`SeedError` if ``seeds``
    are not given so, or are needed and missing.

    >>> import adviz
    >>> by_output(adviz.trace(lambda x: (x * x, x), 3.0), {1: 1.0})
    {3: 1.0}
    """
    sizes = [int(np.size(graph.values[output])) for output in graph.outputs]
    if seeds is None:
        if sum(sizes) > 1:
            raise SeedError(f"{graph.title} returns {_wanted(graph)}")
        return None
    if not isinstance(seeds, Mapping):
        raise SeedError(f"seeds is {seeds!r}; it holds adjoints by the place of the result, as in seeds={{0: 1.0}}")
    return {_output_of(graph, key): seed for key, seed in seeds.items()}


def _output_of(graph: Graph, key: Any) -> int:
    """Return the output at a place among the results, or under a key of the dict that was returned."""
    outputs = graph.outputs
    if key in range(len(outputs)):
        return outputs[key]
    named = [output for output in outputs if graph.names.get(output) == f"result[{key!r}]"]
    if len(named) == 1:
        return named[0]
    names = [graph.names.get(output, "").removeprefix("result") for output in outputs]
    keys = list(dict.fromkeys(name for name in names if name.startswith(("['", '["'))))
    called = f", called {graph.title}{f', {graph.title}'.join(keys[:10])}" if keys else ""
    results = f"there are results 0 to {len(outputs) - 1}" if len(outputs) > 1 else "there is only result 0"
    if named:
        raise SeedError(f"seeds name result {key!r}, which is {len(named)} numbers in this grain: use their places")
    raise SeedError(f"seeds name result {key!r}; {results}{called}")


def _wanted(graph: Graph) -> str:
    """Say that there are several numbers, and how to choose what to differentiate."""
    first, *others = (np.shape(graph.values[output]) for output in graph.outputs)
    seed = f"np.ones({first if len(first) > 1 else first[0]})" if first else "1.0"
    if others:
        names = [graph.names.get(output, "") for output in graph.outputs]
        key = _KEY.fullmatch(names[0]) if names.count(names[0]) == 1 else None
        seeds = f"{{{key[1] if key else 0}: {seed}}}"
        return f"{1 + len(others)} results: say which to differentiate, as in seeds={seeds} for the first"
    return f"an array of shape {first}: say with which adjoint, as in seeds={{0: {seed}}} for the sum of its entries"


def checked_direction(graph: Graph, direction: Mapping[int, ArrayLike]) -> dict[int, Value]:
    """Check a direction: a tangent for each input, as floats of its shape; zeros where ``direction`` has none.

    Raises :class:`SeedError` for a node that is not an input, and for a tangent that does not fit.

    >>> import adviz
    >>> checked_direction(adviz.trace(lambda x, y: x * y, 3.0, 4.0), {1: 2})
    {0: 0.0, 1: 2.0}
    """
    for node in direction:
        if node not in graph.inputs:
            raise SeedError(f"node {node!r} is not an input of {graph.title}; its inputs are {graph.inputs}")
    tangents: dict[int, Value] = {}
    for node in graph.inputs:
        shape = np.shape(graph.values[node])
        tangent = _real(direction.get(node, np.zeros(shape)), f"the tangent of input {node}")
        if tangent.shape != shape:
            raise SeedError(f"the tangent of input {node} has shape {tangent.shape}; the input has {shape}")
        tangents[node] = tangent if shape else float(tangent)
    return tangents


def _real(value: ArrayLike, name: str) -> np.ndarray:
    try:
        return np.asarray(value).astype(float, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise SeedError(f"{name} is not made of real numbers") from error
