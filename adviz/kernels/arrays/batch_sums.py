"""Gradients of sums and means over a batch, chunk by chunk: in bounded memory, on one machine or on many.

Whether a function is a sum or a mean over the first axis of its data is read off its terms. Chunks are added up by a
tree, so that results do not depend on which chunk is ready first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.calls import leaves, rebuild
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reducing import MEAN, SUM
from ...engine.rules.reshaping import BROADCAST, CAST, TRANSPOSE
from ...engine.trace_errors import InputError
from ..derivations.translation import Translation
from ..points.batches import is_lazy, leaves_like
from ..program_errors import ProgramError
from ..terms.array_terms import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT, Term
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


class Kind(NamedTuple):
    """What a value is made of, and the power of the number of rows that it has as a factor.

    It is "fixed", made of "rows" or of "columns" (transposed rows), a "total" over all rows, or "varying" with their
    number in another way.
    """

    base: str
    power: int = 0


FIXED, VARYING = Kind("fixed"), Kind("varying")
Pair = tuple[Term, Term]
"""A term of the function at some number of rows, and the same term at another number."""


def batch_sum(translations: Sequence[Translation], places: Sequence[int], rows: tuple[int, int]) -> BatchSum:
    """Return how the value of a function is made of the rows of the inputs at some places.

    ``found`` are its terms at two numbers of ``rows``, which tell whether a constant depends on that number, as that of
    ``np.sum(x) / len(x)`` does. Raises :class:`~adviz.ProgramError`, with the place in the user's source, where the
    function is neither the sum of rows nor their mean.
    """
    kinds: dict[Pair, Kind] = {}
    result: Pair = (translations[0].results[0], translations[1].results[0])
    pending = [result]
    while pending:
        one, other = pair = pending[-1]
        if one.operation is not other.operation or len(one.operands) != len(other.operands):
            raise _refusal(one, translations[0], "Another number of rows changes what is computed")
        operands = list(zip(one.operands, other.operands, strict=True))
        if missing := [each for each in operands if each not in kinds]:
            pending += missing
            continue
        pending.pop()
        if pair not in kinds:
            given = [kinds[each] for each in operands]
            kinds[pair] = _kind(pair, given, rows, translations[0]) if operands else _given(pair, places, rows)
    base, power = kinds[result]
    if base == "total" and power in (0, -1):
        return BatchSum("mean" if power else "sum", tuple(places))
    why = (
        f"it is a sum times their number to the power {power}" if base == "total" else "it does not depend on the data"
    )
    raise ProgramError(f"{translations[0].graph.title} is no sum or mean over the rows of the batch: {why}.")


def _given(pair: Pair, places: Sequence[int], rows: tuple[int, int]) -> Kind:
    """Return the kind of an input, constant or setting; a number may have a power of the number of rows as a factor."""
    one, other = pair
    if one.operation is INPUT:
        return Kind("rows") if one.value in places else FIXED
    if one.is_number and other.is_number and one.value != other.value:
        with np.errstate(all="ignore"):
            ratio = np.float64(one.value) / other.value
        return next((Kind("fixed", p) for p in (-2, -1, 1, 2) if np.isclose(ratio, (rows[0] / rows[1]) ** p)), VARYING)
    if isinstance(one.value, np.ndarray) and not np.array_equal(one.value, other.value):
        are_alike = (one.shape[:1], other.shape[:1]) == ((rows[0],), (rows[1],)) and _are_alike(one, other)
        return Kind("rows") if are_alike else VARYING
    return FIXED


def _are_alike(one: Term, other: Term) -> bool:
    """Return whether all rows of two constants are the same."""
    first = other.value[:1]
    return bool(np.all(one.value == first) and np.all(other.value == first))


def _kind(pair: Pair, kinds: Sequence[Kind], rows: tuple[int, int], translation: Translation) -> Kind:
    """Return what an operation makes of rows, of totals of them, and of what is fixed."""
    term, bases, power = pair[0], {kind.base for kind in kinds}, _power(pair[0], kinds)
    if "varying" in bases or power is None:
        if not bases & {"rows", "columns", "total"}:
            return VARYING
        raise _refusal(
            term, translation, "The number of rows, or the place of a row, counts in another way than in a mean"
        )
    if bases == {"fixed"}:
        are_rows = term.is_of(BROADCAST) and [each.shape[:1] for each in pair] == [(count,) for count in rows]
        return Kind("rows" if are_rows else "fixed", power)
    if bases & {"rows", "columns"}:
        base = _of_rows(pair, kinds, rows, translation)
        return Kind(base, power - (base == "total" and term.is_of(MEAN)))
    if term.is_of(*ADDING) and bases == {"total", "fixed"}:
        total, fixed = sorted(kinds, key=lambda kind: kind.base == "fixed")
        if fixed.power == total.power + 1:
            return total
        raise _refusal(term, translation, "What does not depend on the batch is added to a sum over it")
    others_are_fixed = [kind.base for kind in kinds].count("total") == 1
    is_linear = term.is_of(*ADDING, *OF_ONE) or term.is_view or (term.is_of(*MULTIPLYING) and others_are_fixed)
    if is_linear or (term.is_of(DIVIDE) and kinds[1].base == "fixed"):
        return Kind("total", power)
    raise _refusal(term, translation, "A sum over the batch is not used linearly")


ADDING, MULTIPLYING, OF_ONE = (ADD, SUBTRACT), (MULTIPLY, MATMUL), (NEGATIVE, CAST, SUM, MEAN)
"""Linear operations by what they do with powers of the number of rows."""


def _power(term: Term, kinds: Sequence[Kind]) -> int | None:
    """Return the power of the number of rows in a result; ``None`` where that number is no factor of it."""
    powers = [kind.power for kind in kinds]
    if term.is_of(*OF_ONE) or term.is_view:
        return powers[0]
    if term.is_of(*MULTIPLYING):
        return sum(powers)
    if term.is_of(DIVIDE):
        return powers[0] - powers[1]
    if term.is_of(*ADDING):
        of_totals = {kind.power for kind in kinds if kind.base == "total"}
        return min(of_totals or powers) if len(of_totals or set(powers)) == 1 else None
    return None if any(powers) else 0


def _of_rows(pair: Pair, kinds: Sequence[Kind], rows: tuple[int, int], translation: Translation) -> str:
    """Return what an operation makes of rows: rows, columns, or a total of them."""
    term, bases = pair[0], [kind.base for kind in kinds]
    if "total" in bases:
        raise _refusal(term, translation, "Rows are combined with a sum over the whole batch")
    if term.is_of(TRANSPOSE) and len(term.shape) == 2 and bases[0] == "rows":
        return "columns"
    if "columns" not in bases:
        uses = [uses_of(each, count) for each, count in zip(pair, rows, strict=True)]
        if uses[0] == uses[1] == [base == "rows" for base in bases]:
            return "rows"
    given = zip(term.operands, bases, strict=True)
    data = {each.operands[0] if base == "columns" else each for each, base in given if base != "fixed"}
    if data == set(summed_rows(term, rows[0])):
        return "total"
    raise _refusal(term, translation, "Rows of the batch depend on each other")


def _refusal(term: Term, translation: Translation, what: str) -> ProgramError:
    known = translation.known.get(term)
    origin = translation.graph.origin(known.node) if known else None
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
    """Return value and gradient of all rows; lazy, where data are Dask arrays.

    Raises :class:`~adviz.InputError` where arrays have different numbers of rows.
    """
    given: list[Any] = list(leaves_like(arguments, program.example))
    data = [given[place] for place in of.places]
    counts = [np.shape(each)[0] if np.ndim(each) else 0 for each in data]
    if len(set(counts)) > 1:
        pairs = zip(of.places, counts, strict=True)
        lengths = ", ".join(f"{program.names[place]} has {count}" for place, count in pairs)
        raise InputError(f"The arrays of the batch have different numbers of rows: {lengths}.")
    (rows,) = set(counts)
    lazy = [each for each in data if is_lazy(each)]
    widest = max(int(np.prod(np.shape(each)[1:])) for each in data)
    length = max(1, CHUNK // max(widest, 1))
    sizes = tuple(min(length, rows - start) for start in range(0, max(rows, 1), length))
    if lazy:
        sizes = lazy[0].chunks[0]
        sizes = sizes if len(set(sizes)) <= FEW else lazy[0].rechunk({0: max(sizes)}).chunks[0]
    weights = [size / rows if of.kind == "mean" and rows else 1.0 for size in sizes]
    chunks = _divided(given, of.places, sizes)
    if lazy:
        for size in set(sizes):
            shapes = [(size, *each.shape[1:]) if k in of.places else np.shape(each) for k, each in enumerate(given)]
            dtypes = [np.asarray(each).dtype for each in _plain(program.example)]
            program.prepare([np.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)])
        return _lazily(program, list(zip(chunks, weights, strict=True)))
    parts = (_weighted(program.gradient, program.example, *each) for each in zip(chunks, weights, strict=True))
    return _tree(parts)


def _divided(values: Sequence[Any], places: Sequence[int], sizes: Sequence[int]) -> Iterator[list[Any]]:
    """Yield the leaves of the arguments for each chunk."""
    delayed = {
        place: list(
            values[place].rechunk((tuple(sizes), *((n,) for n in values[place].shape[1:]))).to_delayed().ravel()
        )
        for place in places
        if is_lazy(values[place])
    }
    for number, (start, end) in enumerate(pairwise(accumulate(sizes, initial=0))):
        chunk = list(values)
        for place in places:
            chunk[place] = delayed[place][number] if place in delayed else values[place][start:end]
        yield chunk


def _weighted(gradient: Gradient, example: tuple[Any, ...], chunk: list[Any], weight: float) -> Any:
    """Return value and gradient of a chunk, times its weight."""
    result = gradient(*rebuild(example, iter(chunk)))
    return result if weight == 1.0 else rebuild(result, iter([each * weight for _, each in leaves(result, "")]))


def _sum(one: Any, other: Any) -> Any:
    pairs = zip(leaves(one, ""), leaves(other, ""), strict=True)
    return rebuild(one, iter([a + b for (_, a), (_, b) in pairs]))


def _tree(parts: Iterator[Any], add: Callable[[Any, Any], Any] = _sum) -> Any:
    """Return the sum of parts, neighbours first; only as many as the tree is deep are there at the same time."""
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
    """Return the sum as Dask arrays."""
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


def _leaf(value: Any, number: int) -> Any:
    return np.asarray([each for _, each in leaves(value, "")][number])
