"""Operations in the words of the array API standard, as their records have them; ``TABLE`` has those with a syntax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT
from ..sources.operator_printing import ATOM, CONNECTIVES, Printed, call, connected, with_operator
from ..sources.printing import NoTextError, filled, key_text, new_axes, triangle_of
from ..terms.array_terms import Term
from .standard_words import Standard

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
    if term.operation.standard:
        zeros = by.filled(term.shape, 0.0, term.dtype).text
        text = filled(term.operation.standard, term, operands, partial(_converted, by), zeros)
        return by.checked(term, Printed(text))
    if term.operator in CONNECTIVES or term.operator == "~":
        return connected(term.operator, [by.cast(*pair, "b") for pair in zip(term.operands, operands, strict=True)])
    if term.operation.partials or term.operator:
        operands = by.alike(term, operands)
    if term.operator:
        return _operator(term, operands)
    return call(by.function(term), *(each.text for each in operands))


def _axes(term: Term, axis: Any) -> str:
    """Return an axis, or all of them."""
    return str(tuple(range(len(term.shape))) if axis is None else axis)


def _sizes(term: Term, count: Any) -> str:
    """Return a tuple of one number or several."""
    return str(tuple(np.atleast_1d(count).tolist()))


def _inside(term: Term, widths: Any) -> str:
    """Return the key of what is within margins."""
    if isinstance(widths, dict):
        raise NoTextError(term.name)
    shape = term.operands[0].shape
    before = np.broadcast_to(np.asarray(widths), (len(shape), 2))[:, 0].tolist()
    return tuple_key(tuple(slice(k, k + n) for k, n in zip(before, shape, strict=True)))


def _refused(term: Term, setting: Any) -> str:
    raise NoTextError(term.name)


KINDS = {"real": "f", "true": "b"}
SETTINGS: dict[str, Callable[[Term, Any], str]] = {
    "axes": _axes,
    "sizes": _sizes,
    "inside": _inside,
    "refused": _refused,
}


def _converted(by: Standard, word: str, term: Term, place: int, operands: Sequence[Printed]) -> str:
    """Return an operand as numbers of a kind, as an array, ``alike`` with those after it, or as the ``tuple`` of a key.

    ``own`` is the kind of the value, and ``arrays`` are alike. What else settings are written as, is in ``SETTINGS``.
    """
    operand, text = term.operands[place], operands[place]
    if word in ("alike", "arrays"):
        text = by.alike(term, operands, 1)[place]
        return by.array(operand, text).text if word == "arrays" else text.text
    if word == "tuple":
        shape = term.shape if term.operation.shape_at is not None else term.operands[0].shape
        return tuple_key(within(plain_form(operand.value), shape), [each.text for each in operands[place + 1 :]])
    if word in SETTINGS:
        return SETTINGS[word](term, operand.value)
    if word == "reals" or (word == "own" and term.dtype.kind == "f"):
        return by.real(operand, text).text
    if word in ("own", "array"):
        return by.array(operand, text).text
    return (by.counted(operand, text) if word == "whole" else by.cast(operand, text, KINDS[word])).text


def _operator(term: Term, operands: Sequence[Printed]) -> Printed:
    if term.dtype.kind == "b" and term.operator in ("+", "*"):
        return connected("|" if term.operator == "+" else "&", operands)
    result = with_operator(term, operands)
    return result._replace(text=result.text.removeprefix("np.")) if result.text.startswith("np.outer(") else result


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


TABLE: dict[str, Writer] = {
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _repeated,
    "astype": _astype,
    "index": _index,
    "where": _where,
    "eye": _identity,
    "each row": _row_by_row,
}
"""By the name of a Block, where no template says it."""
