"""Gradients of sums and means over a batch, chunk by chunk: in bounded memory, on one machine or on many.

Whether a function is a sum or a mean over the first axis of its data is read off its terms. Chunks are added up by a
tree, so that results do not depend on which chunk is ready first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.pytrees import leaves, rebuild
from ...engine.trace_errors import InputError
from ..derivations.translation import Translation
from ..points.batches import leaves_like
from ..program_errors import ProgramError
from ..terms.array_terms import FREE, Term, in_order
from .row_blocks import summed_rows, uses_of

CHUNK = 1 << 20
"""Numbers of the largest array of a chunk, at most, where arrays of NumPy are divided."""

FEW = 4
"""Lengths of chunks, at most: the program is written for each of them."""

Gradient = Callable[..., Any]


class BatchSum(NamedTuple):
    """How a function is made of the rows of its data, the arrays number ``places``: their "sum" or their "mean"."""

    kind: str
    places: tuple[int, ...]


def batch_sum(found: Translation, places: Sequence[int], rows: int) -> BatchSum:
    """How the value of a function is made of the rows of the inputs at some places.

    Raises :class:`~adviz.ProgramError`, with the place in the user's source, where it is neither their sum nor their
    mean.
    """
    kinds: dict[Term, str] = {}
    for term in in_order(found.results):
        if not term.operands:
            is_data = term.operation is INPUT and term.value in places
            kinds[term] = "rows" if is_data else "fixed"
            continue
        kinds[term] = _kind(term, [kinds[each] for each in term.operands], rows, found)
    (result,) = found.results
    if kinds[result] not in ("sum", "mean"):
        raise ProgramError(f"{found.graph.title} is no sum or mean over the batch: it does not depend on the data.")
    return BatchSum(kinds[result], tuple(places))


def _kind(term: Term, kinds: Sequence[str], rows: int, found: Translation) -> str:
    """What an operation makes of rows, of sums and means of them, and of what is fixed; columns are rows, turned."""
    if set(kinds) == {"fixed"}:
        return "fixed"
    if {"rows", "columns"} & set(kinds):
        if {"sum", "mean"} & set(kinds):
            raise _refusal(term, found, "Rows are combined with a sum over the whole batch")
        if term.is_of("transpose") and len(term.shape) == 2 and kinds[0] == "rows":
            return "columns"
        uses = uses_of(term, rows) if "columns" not in kinds else None
        if uses is not None and all(use is (kind == "rows") for use, kind in zip(uses, kinds, strict=True)):
            return "rows"
        pairs = zip(term.operands, kinds, strict=True)
        data = {each.operands[0] if kind == "columns" else each for each, kind in pairs if kind != "fixed"}
        if data == set(summed_rows(term, rows)):
            return "mean" if term.is_of("mean") else "sum"
        raise _refusal(term, found, "Rows of the batch depend on each other, or on their number")
    is_linear = term.is_of("negative", "sum", "mean", "astype") or term.name in FREE
    if is_linear and kinds[0] != "fixed":
        return kinds[0]
    if term.is_of("multiply") and "fixed" in kinds:
        return next(kind for kind in kinds if kind != "fixed")
    if term.is_of("divide") and kinds[1] == "fixed":
        return kinds[0]
    if term.is_of("add", "subtract") and set(kinds) in ({"sum"}, {"mean"}, {"mean", "fixed"}):
        return "sum" if "sum" in kinds else "mean"
    what = "What does not depend on the batch is added to a sum over it" if "sum" in kinds else "A mean over the batch"
    if not term.is_of("add", "subtract"):
        what = "A sum over the batch is not used linearly"
    raise _refusal(term, found, what)


def _refusal(term: Term, found: Translation, what: str) -> ProgramError:
    known = found.known.get(term)
    origin = found.graph.origin(known.node) if known else None
    return ProgramError(
        f"{what}, in {term.name}: the function is no sum or mean over the batch, which chunks could be added up to. "
        "Leave batch out, or write it as np.sum or np.mean over rows; a penalty is added to np.mean."
        + (f"\n  at {origin}" if origin else "")
    )


# ---- running ----


class Chunked(NamedTuple):
    """A program that is called chunk by chunk: ``prepare`` writes it for arrays of the shapes of some leaves."""

    gradient: Gradient
    prepare: Callable[[list[Any]], None]
    example: tuple[Any, ...]
    names: Sequence[str]


def in_chunks(program: Chunked, of: BatchSum, arguments: tuple[Any, ...]) -> Any:
    """Value and gradient of all rows; lazy, where data are Dask arrays.

    Raises :class:`~adviz.InputError` where arrays have different numbers of rows.
    """
    found: list[Any] = list(leaves_like(arguments, program.example))
    data = [found[place] for place in of.places]
    counts = [np.shape(each)[0] if np.ndim(each) else 0 for each in data]
    if len(set(counts)) > 1:
        pairs = zip(of.places, counts, strict=True)
        said = ", ".join(f"{program.names[place]} has {count}" for place, count in pairs)
        raise InputError(f"The arrays of the batch have different numbers of rows: {said}.")
    (rows,) = set(counts)
    lazy = [each for each in data if _is_lazy(each)]
    widest = max(int(np.prod(np.shape(each)[1:])) for each in data)
    length = max(1, CHUNK // max(widest, 1))
    sizes = tuple(min(length, rows - start) for start in range(0, max(rows, 1), length))
    if lazy:
        sizes = lazy[0].chunks[0]
        sizes = sizes if len(set(sizes)) <= FEW else lazy[0].rechunk({0: max(sizes)}).chunks[0]
    weights = [size / rows if of.kind == "mean" and rows else 1.0 for size in sizes]
    chunks = _divided(found, of.places, sizes)
    if lazy:
        for size in set(sizes):
            shapes = [(size, *each.shape[1:]) if k in of.places else np.shape(each) for k, each in enumerate(found)]
            dtypes = [np.asarray(each).dtype for each in _plain(program.example)]
            program.prepare([np.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)])
        return _lazily(program, list(zip(chunks, weights, strict=True)))
    parts = (_weighted(program.gradient, program.example, *each) for each in zip(chunks, weights, strict=True))
    return _tree(parts)


def _is_lazy(value: object) -> bool:
    return "dask.array" in sys.modules and hasattr(value, "to_delayed")


def _divided(found: Sequence[Any], places: Sequence[int], sizes: Sequence[int]) -> Iterator[list[Any]]:
    """The leaves of the arguments for each chunk."""
    delayed = {
        place: list(found[place].rechunk((tuple(sizes), *((n,) for n in found[place].shape[1:]))).to_delayed().ravel())
        for place in places
        if _is_lazy(found[place])
    }
    for number, (start, end) in enumerate(pairwise(accumulate(sizes, initial=0))):
        chunk = list(found)
        for place in places:
            chunk[place] = delayed[place][number] if place in delayed else found[place][start:end]
        yield chunk


def _weighted(gradient: Gradient, example: tuple[Any, ...], chunk: list[Any], weight: float) -> Any:
    """Value and gradient of a chunk, times its weight."""
    found = gradient(*rebuild(example, iter(chunk)))
    return found if weight == 1.0 else rebuild(found, iter([each * weight for _, each in leaves(found, "")]))


def _sum(one: Any, other: Any) -> Any:
    pairs = zip(leaves(one, ""), leaves(other, ""), strict=True)
    return rebuild(one, iter([a + b for (_, a), (_, b) in pairs]))


def _tree(parts: Iterator[Any], add: Callable[[Any, Any], Any] = _sum) -> Any:
    """The sum of parts, neighbours first; only as many as the tree is deep are there at the same time."""
    levels: list[tuple[int, Any]] = []
    for part in parts:
        level = 0
        while levels and levels[-1][0] == level:
            part, level = add(levels.pop()[1], part), level + 1
        levels.append((level, part))
    total = levels.pop()[1]
    while levels:
        total = add(levels.pop()[1], total)
    return total


def _lazily(program: Chunked, chunks: list[tuple[list[Any], float]]) -> Any:
    """The sum as Dask arrays."""
    import dask.array as da
    from dask.delayed import delayed

    sent, task, add = (delayed(each, pure=False) for each in (program.gradient, _weighted, _sum))
    total = _tree((task(sent, program.example, chunk, weight) for chunk, weight in chunks), add)
    like = program.gradient(*program.example)
    pick = delayed(_leaf, pure=False)
    flat = enumerate(_plain(like))
    return rebuild(like, (da.from_delayed(pick(total, k), np.shape(each), np.asarray(each).dtype) for k, each in flat))


def _plain(structure: Any) -> list[Any]:
    return [each for _, each in leaves(structure, "")]


def _leaf(found: Any, number: int) -> Any:
    return np.asarray([each for _, each in leaves(found, "")][number])
