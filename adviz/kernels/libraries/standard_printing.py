"""Operations in the words of the array API standard: ``TABLE`` has those that are no functions of their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT
from ..sources.operator_printing import (
    AND,
    ATOM,
    OPERATORS,
    OR,
    UNARY,
    Printed,
    call,
    negative,
    operator,
    power,
    square,
)
from ..sources.printing import PRINTERS as OF_NUMPY
from ..sources.printing import NoTextError, key_text, new_axes, triangle_of
from ..terms.array_terms import Term
from .standard_words import Standard, kind_of

# ---- keys ----


def whole_key(key: str, count: int) -> str:
    """Return a key that names all axes, as the standard wants it."""
    parts = key.split(", ")
    named = sum(1 for part in parts if part != "None")
    return key if "..." in parts or named == count else f"{key}, ..."


def _parts(form: Any) -> tuple[Any, ...]:
    return form if isinstance(form, tuple) else (form,)


def tuple_key(form: Any, indices: Sequence[str] = ()) -> str:
    """Return a key as a tuple: ``(slice(1, None), i, ...)``."""
    rest = iter(indices)
    texts = [next(rest) if part is SLOT else "..." if part is Ellipsis else str(part) for part in _parts(form)]
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def plain_form(form: Any) -> tuple[Any, ...]:
    """Return a key without numbers of NumPy's."""
    return tuple(
        slice(*(None if end is None else int(end) for end in (part.start, part.stop, part.step)))
        if isinstance(part, slice)
        else int(part)
        if isinstance(part, int | np.integer)
        else part
        for part in _parts(form)
    )


def within(form: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return a key whose slices end within the array, as the standard wants them."""
    spread = len(shape) - sum(1 for part in form if part is not None and part is not Ellipsis)
    result, axis = [], 0
    for part in form:
        if isinstance(part, slice):
            result.append(_slice_within(part, shape[axis]))
        else:
            result.append(part)
        axis += spread if part is Ellipsis else part is not None
    return tuple(result)


def _slice_within(part: slice, count: int) -> slice:
    ends = (part.start, part.stop)
    if all(end is None or -count <= end <= count for end in ends):
        return part
    start, stop, step = part.indices(count)
    if not range(start, stop, step):
        return slice(0, 0)
    return slice(start, None if stop < 0 else stop, part.step)


# ---- operations ----


Writer = Callable[[Standard, Term, Sequence[Printed]], Printed]


def printed_in(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an operation on operands that are written already; raises ``NoTextError`` if the library has none.

    >>> from ..terms.array_terms import Terms
    >>> terms = Terms()
    >>> x = terms.input(0, (3,), np.dtype(float))
    >>> mask = terms.input(1, (3,), np.dtype(bool))
    >>> printed_in(Standard(np, "x"), terms.apply(np.arctan2, x, mask), [Printed("x"), Printed("m")])
    Printed(text='xp.atan2(x, real(m, x))', strength=8)
    """
    if term.name in TABLE:
        return TABLE[term.name](by, term, operands)
    if term.operation.partials or term.name in OPERATORS:
        operands = by.alike(term, operands)
        if term.name in OPERATORS:
            return _operator(term, operands)
    return call(by.function(term), *(each.text for each in operands))


def _operator(term: Term, operands: Sequence[Printed]) -> Printed:
    if term.dtype.kind == "b" and term.name in ("add", "multiply"):
        sign, strength = ("|", OR) if term.name == "add" else ("&", AND)
        return Printed(f" {sign} ".join(each.inside(strength + 1) for each in operands), strength)
    result = operator(term, operands)
    return result._replace(text=result.text.removeprefix("np.")) if result.text.startswith("np.outer(") else result


def _elementwise(write: Callable[[Term, Sequence[Printed]], Printed]) -> Writer:
    return lambda by, term, operands: write(term, by.alike(term, operands))


def _logical(sign: str, strength: int) -> Writer:
    def write(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
        truths = [by.cast(each, text, "b") for each, text in zip(term.operands, operands, strict=True)]
        return Printed(f" {sign} ".join(each.inside(strength + 1) for each in truths), strength)

    return write


def _logical_not(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return Printed(f"~{by.cast(term.operands[0], operands[0], 'b').inside(UNARY)}", UNARY)


def _reduction(name: str, kind: str = "") -> Writer:
    """Return a reduction, of numbers of one kind: truth values are counted as whole numbers."""

    def write(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
        x, axis, keepdims = term.operands
        text = by.cast(x, operands[0], kind) if kind else operands[0]
        if not kind and kind_of(x) == "b":
            text = by.cast(x, text, "i")
        where = "" if axis.value is None else f"axis={axis.value}"
        return call(f"xp.{name}", text.text, where, "keepdims=True" if keepdims.value else "")

    return write


def _cumulative(name: str) -> Writer:
    def write(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
        x, axis = term.operands[:2]
        text = by.cast(x, operands[0], "i") if kind_of(x) == "b" else operands[0]
        if axis.value is None:
            return call(f"xp.{name}", f"xp.reshape({text.text}, (-1,))")
        return call(f"xp.{name}", text.text, f"axis={axis.value}")

    return write


def _moving(name: str, *words: str) -> Writer:
    """Return a function whose settings are passed by keyword where they are not ``None``."""

    def write(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
        count = len(operands) - len(words)
        pairs = zip(words, term.operands[count:], operands[count:], strict=True)
        rest = [f"{word}={text.text}" for word, setting, text in pairs if setting.value is not None]
        return call(f"xp.{name}", *(each.text for each in operands[:count]), *rest)

    return write


def _transposed(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    count, axes = len(term.shape), term.operands[1].value
    axes = tuple(range(count))[::-1] if axes is None else tuple(int(k) % count for k in axes)
    if count == 2 and axes == (1, 0):
        return Printed(f"{operands[0].inside(ATOM)}.T")
    if axes == (*range(count - 2), count - 1, count - 2):
        return Printed(f"{operands[0].inside(ATOM)}.mT")
    return call("xp.permute_dims", operands[0].text, str(axes))


def _reshaped(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    before, after = term.operands[0].shape, term.shape
    x = by.array(term.operands[0], operands[0])
    kept = [n for n in before if n != 1]
    if before and kept == [n for n in after if n != 1] and (key := new_axes(before, after)):
        return Printed(f"{x.inside(ATOM)}[{whole_key(key, len(before))}]")
    return call("xp.reshape", x.text, str(tuple(after)))


def _repeated(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    x = term.operands[0]
    if x.is_number or isinstance(x.value, bool | np.bool_):
        return by.filled(term.shape, float(x.value), term.dtype)
    return call("xp.broadcast_to", operands[0].text, str(tuple(term.shape)))


def _joined(name: str) -> Writer:
    def write(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
        texts = by.alike(term, operands, 1)
        arrays = [by.array(each, text) for each, text in zip(term.operands[1:], texts[1:], strict=True)]
        axis = term.operands[0].value
        return call(f"xp.{name}", f"[{', '.join(each.text for each in arrays)}]", f"axis={axis}" if axis != 0 else "")

    return write


def _astype(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    (x, *_), kind = term.operands, term.dtype.kind
    if kind == "f" and term.dtype != np.dtype(float):
        return call("xp.astype", by.array(x, operands[0]).text, f"xp.{term.dtype.name}")
    if kind == "f":
        return call("real", by.array(x, operands[0]).text, by.like)
    return by.cast(x, by.array(x, operands[0]), "b") if kind == "b" else call("whole", by.array(x, operands[0]).text)


def _index(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    x, form = term.operands[0], within(plain_form(term.operands[1].value), term.operands[0].shape)
    if any(isinstance(part, slice) and (part.step or 1) < 0 for part in form):  # PyTorch has no negative steps
        return call("entries", operands[0].text, tuple_key(form))
    named = sum(1 for part in form if part is not None and part is not Ellipsis)
    text = key_text(form) if form else "..."
    text = text if Ellipsis in form or named == len(x.shape) or not form else f"{text}, ..."
    return Printed(f"{operands[0].inside(ATOM)}[{text}]")


def _flipped(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    x, axis = term.operands[0], term.operands[1].value
    axis = tuple(range(len(x.shape))) if axis is None else axis
    return call("xp.flip", operands[0].text, f"axis={axis}")


def _gather(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    form = plain_form(term.operands[1].value)
    return call("entries", operands[0].text, tuple_key(form, [each.text for each in operands[2:]]))


def _view(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("taken", operands[0].text, by.array(term.operands[1], operands[1]).text)


def _taken(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    settings = [each.value for each in term.operands[2:]]
    if any(value not in (None, "raise") for value in settings[1:]):
        raise NoTextError("take")
    places = by.array(term.operands[1], operands[1])
    return call("taken", operands[0].text, places.text, "" if settings[0] is None else str(settings[0]))


def _put(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    form, (x, value, _, *rest) = within(plain_form(term.operands[2].value), term.shape), operands
    given = by.real(term.operands[0], x) if term.dtype.kind == "f" else by.array(term.operands[0], x)
    return call("put", given.text, value.text, tuple_key(form, [each.text for each in rest]))


def _scattered(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    form = within(plain_form(term.operands[2].value), term.shape)
    zeros = by.filled(term.shape, 0.0, term.dtype).text
    return call("added", zeros, operands[0].text, tuple_key(form, [each.text for each in operands[3:]]))


def _placed(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    form = within(plain_form(term.operands[1].value), term.shape)
    return call("put", by.filled(term.shape, 0.0, term.dtype).text, operands[0].text, tuple_key(form))


def _added_at(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    places = by.array(term.operands[1], operands[1])
    result = call("summed_at", places.text, by.real(term.operands[0], operands[0]).text, str(term.size))
    return result if len(term.shape) == 1 else call("xp.reshape", result.text, str(tuple(term.shape)))


def _counted(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    w, places, size = operands
    places = by.array(term.operands[1], places)
    return call("summed_at", places.text, by.real(term.operands[0], w).text, size.text)


def _einsum(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    texts = by.alike(term, operands, 1)
    return call("einsum", *(each.text for each in texts))


def _where(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    if (found := triangle_of(term)) is not None:
        name, k = found
        return call(f"xp.{name}", operands[1].text, f"k={k}" if k else "")
    texts = by.alike(term, operands, 1)
    mask = by.cast(term.operands[0], texts[0], "b")
    mask = by.array(term.operands[0], mask)
    if all(each.is_constant and not isinstance(each.value, np.ndarray) for each in term.operands[1:]):
        texts[1] = by.array(term.operands[1], texts[1])
    return call("xp.where", mask.text, texts[1].text, texts[2].text)


def _identity(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("eye", operands[0].text, by.like)


def _on_diagonal(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("on_diagonal", operands[0].text, operands[1].text)


def _diagonal(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("diagonal", *(each.text for each in operands))


def _windows(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("windows", *(each.text for each in operands))


def _of_slogdet(place: int) -> Writer:
    return lambda by, term, operands: Printed(f"xp.linalg.slogdet({operands[0].text})[{place}]")


def _searchsorted(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    a, v, side = operands
    return call(
        "xp.searchsorted", by.real(term.operands[0], a).text, by.array(term.operands[1], v).text, f"side={side.text}"
    )


def _tiled(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("xp.tile", operands[0].text, str(tuple(np.atleast_1d(term.operands[1].value).tolist())))


def _padded(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    x, widths = term.operands[0], term.operands[1].value
    if isinstance(widths, dict):
        raise NoTextError("pad")
    before = np.broadcast_to(np.asarray(widths), (len(x.shape), 2))[:, 0].tolist()
    form = tuple(slice(k, k + n) for k, n in zip(before, x.shape, strict=True))
    return call("put", by.filled(term.shape, 0.0, term.dtype).text, operands[0].text, tuple_key(form))


def _convolved(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    if len(operands) > 2:
        raise NoTextError("convolve")  # SciPy's, of several axes
    pairs = zip(term.operands, operands, strict=True)
    return call("convolve", *(by.real(each, by.array(each, text)).text for each, text in pairs))


def _argsort(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    axis = term.operands[1].value
    return call("xp.argsort", operands[0].text, f"axis={axis}" if axis != -1 else "")


def _partitioned(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return call("xp.argsort", operands[0].text, f"axis={term.operands[2].value}")


def _pseudo_inverse(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    rtol = term.operands[1].value
    return call("xp.linalg.pinv", operands[0].text, "" if rtol is None else f"rtol={operands[1].text}")


def _row_by_row(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    """Return a stack of rows, each in terms of the rows of the operands."""
    one, places = term.operands[0].value
    whole = list(operands[1:])
    used, names = " ".join(each.text for each in whole), list[str]()
    for _ in places:
        name = "row"
        while name in names or name in used:
            name += "_"
        names.append(name)
    given = [f"rows({whole[place].text})" for place in places]
    for place, name in zip(places, names, strict=True):
        whole[place] = Printed(name)
    source = given[0] if len(given) == 1 else f"zip({', '.join(given)}, strict=True)"
    return call("xp.stack", f"[{printed_in(by, one, whole).text} for {', '.join(names)} in {source}]")


def _nothing(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return by.filled(term.shape, 0.0, term.dtype)


def _numpys(by: Standard, term: Term, operands: Sequence[Printed]) -> Printed:
    return by.own(term, operands)


TABLE: dict[str, Writer] = {
    "negative": _elementwise(negative),
    "square": _elementwise(square),
    "power": _elementwise(power),
    "logical_and": _logical("&", AND),
    "logical_or": _logical("|", OR),
    "logical_not": _logical_not,
    **{name: _reduction(name) for name in ("sum", "prod", "max", "min", "argmax", "argmin")},
    "mean": _reduction("mean", "f"),
    "all": _reduction("all", "b"),
    "any": _reduction("any", "b"),
    "cumsum": _cumulative("cumulative_sum"),
    "cumprod": _cumulative("cumulative_prod"),
    "flip": _flipped,
    "roll": _moving("roll", "axis"),
    "repeat": _moving("repeat", "axis"),
    "take": _taken,
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _repeated,
    "concatenate": _joined("concat"),
    "stack": _joined("stack"),
    "astype": _astype,
    "index": _index,
    "gather": _gather,
    "view": _view,
    "set": _put,
    "put": _put,
    "scatter": _scattered,
    "place": _placed,
    "add_at": _added_at,
    "bincount": _counted,
    "einsum": _einsum,
    "where": _where,
    "eye": _identity,
    "each row": _row_by_row,
    "diag": _on_diagonal,
    "diagonal": _diagonal,
    "sliding_window_view": _windows,
    "logabsdet": _of_slogdet(1),
    "signdet": _of_slogdet(0),
    "tile": _tiled,
    "pad": _padded,
    "convolve": _convolved,
    "searchsorted": _searchsorted,
    "argsort": _argsort,
    "argpartition": _partitioned,
    "pinv": _pseudo_inverse,
    "svdvals": lambda by, term, operands: call("xp.linalg.svdvals", operands[0].text),
    "newton step": _nothing,
    **dict.fromkeys(OF_NUMPY.keys() & {"lexsort", "eigvals", "lambertw"}, _numpys),
}
"""By the name of a Block, where it is not a function of its operands as they are."""
