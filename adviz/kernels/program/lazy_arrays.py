"""Programs over points on Dask arrays: chunks are blocks of points, and results are lazy.

Each chunk is a task that takes the program and numbers, and returns arrays; Dask decides where it runs, and runs it
again where it was lost.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import getitem
from typing import Any
from uuid import uuid4

import numpy as np

from ...engine.pytrees import rebuild
from ...engine.trace_errors import InputError
from ..points.batches import AXES, Leaf, leaves_like
from .listing import Contents


def has_lazy(arguments: Sequence[object], template: tuple[object, ...]) -> bool:
    """Return whether there are Dask arrays among the leaves of arguments."""
    return "dask.array" in sys.modules and any(map(_is_lazy, leaves_like(tuple(arguments), template)))


def _is_lazy(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "dask" and hasattr(value, "to_delayed")


def lazy_results(program: Contents, arguments: tuple[object, ...]) -> Any:
    """Return the results of a program as Dask arrays, in their structure, with chunks along the axis of the points.

    Raises :class:`~adviz.InputError` for chunks of unknown sizes, for arrays of other shapes than the program takes,
    and for different numbers of points.

    >>> import adviz, dask.array as da
    >>> program = adviz.compile_gradient(lambda x: x * x, 1.0)
    >>> found = program(da.ones(6, chunks=2))
    >>> found.gradient.chunks, found.gradient.compute()
    (((2, 2, 2),), array([2., 2., 2., 2., 2., 2.]))
    """
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    axis = AXES[program.points]
    found: list[Any] = list(leaves_like(arguments, program.example))
    pairs = list(zip(program.arguments, found, strict=True))
    for leaf, each in pairs:
        if _is_lazy(each):
            _check(leaf, each, program.points)
    along = [each for leaf, each in pairs if np.ndim(each) > len(leaf.shape)]
    counts = {np.shape(each)[axis] for each in along}
    if len(counts) != 1:
        said = ", ".join(map(str, sorted(counts)))
        what = f"have different numbers of points: {said}" if said else "are of one point; call compute() of them"
        raise InputError(f"The arguments {what}.")
    chunks = next(each.chunks[axis] for each in along if _is_lazy(each)) if any(map(_is_lazy, along)) else (*counts,)
    dtype = np.result_type(*(each.dtype if _is_lazy(each) else np.asarray(each).dtype for each in found))
    dtype = dtype if dtype.kind == "f" else np.dtype(float)
    columns = [_chunks(leaf, each, chunks, axis) for leaf, each in pairs]
    name = f"adviz-{uuid4().hex}"
    tasks: dict[Any, Any] = {f"{name}-program": program}
    for k in range(len(chunks)):
        tasks[name, k] = (_arrays, f"{name}-program", [column[k] for column, _ in columns])
    whole = HighLevelGraph.from_collections(name, tasks, dependencies=[each for _, each in columns if each is not None])
    arrays = []
    for j, part in enumerate(program.parts):
        own, rank = f"{name}-{j}", len(part.leaf.shape) + 1
        along_axis = [(0,) * (axis % rank) + (k,) + (0,) * (rank - 1 - axis % rank) for k in range(len(chunks))]
        layer: dict[Any, Any] = {(own, *place): (getitem, (name, k), j) for k, place in enumerate(along_axis)}
        graph = HighLevelGraph({**whole.layers, own: layer}, {**whole.dependencies, own: {name}})
        sizes: list[tuple[int, ...]] = [(n,) for n in part.leaf.shape]
        sizes.insert(axis % rank, tuple(chunks))
        arrays.append(da.Array(graph, own, tuple(sizes), dtype))
    return program.finished(rebuild(program.template, iter(arrays)))


def _check(leaf: Leaf, array: Any, points: str) -> None:
    if any(math.isnan(count) for count in array.shape):
        raise InputError(
            f"{leaf.name} has chunks of unknown sizes: call compute_chunk_sizes() of the Dask array first."
        )
    expected = [leaf.shape]
    if len(array.shape) == len(leaf.shape) + 1:
        expected.append(leaf.shape_of((array.shape[AXES[points]],), points))
    if array.shape not in expected:
        raise InputError(
            f"{leaf.name} is a Dask array of shape {array.shape}; expected {leaf.shape}, and the points along the "
            f"{points} axis."
        )


def _chunks(leaf: Leaf, value: Any, chunks: tuple[int, ...], axis: int) -> tuple[list[Any], Any]:
    """Return what each chunk takes of an argument, and the Dask array that this is of.

    It takes its rows, as numbers or the key of a task, or all where there is no axis of points.
    """
    has_points = len(np.shape(value)) > len(leaf.shape)
    if not _is_lazy(value):
        if not has_points:
            return [value] * len(chunks), None
        whole = np.asarray(value)
        ends = pairwise(accumulate(chunks, initial=0))
        return [whole[start:end] if axis == 0 else whole[..., start:end] for start, end in ends], None
    wanted: list[tuple[int, ...]] = [(n,) for n in value.shape]
    if has_points:
        wanted[axis] = tuple(chunks)
    value = value.rechunk(tuple(wanted))
    keys = list(_flat(value.__dask_keys__()))
    return (keys if has_points else keys * len(chunks)), value


def _flat(keys: Any) -> Iterator[Any]:
    """Yield the keys in nested lists."""
    for each in keys:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def _arrays(program: Any, leaves: list[Any]) -> tuple[np.ndarray, ...]:
    """Return the arrays of the results at a chunk of points."""
    return tuple(program.arrays(program.batch(tuple(rebuild(program.example, iter(leaves))))))
