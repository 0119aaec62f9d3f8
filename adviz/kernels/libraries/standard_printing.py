"""Operations in the words of the array API standard (data-apis.org/array-api), for a library that is called ``xp``.

Records have the text of most; ``TABLE`` has those with a syntax of their own. The standard converts no whole numbers
and truth values to real numbers, and arrays that are made need a dtype and a device. What it lacks is a function of
:mod:`~..backends.standard_functions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT
from ..backends.array_api import SPECIAL, STANDARD
from ..backends.standard_functions import NAMES
from ..sources.operator_printing import (
    ATOM,
    COMPARISON,
    CONNECTIVES,
    UNARY,
    Printed,
    call,
    connected,
    number_text,
    with_operator,
)
from ..sources.printing import NoTextError, filled, function_name, key_text, new_axes, row_by_row, triangle_of
from ..terms.array_terms import Term

# ---- words ----


LIKE_NUMPY = {"jax.numpy"}
"""Libraries whose functions are called as NumPy's: they may have what the standard lacks."""


@dataclass(frozen=True)
class Standard:
    """Writes operations for a ``library``; ``like`` is the name of an argument that has the dtype and the device."""

    library: Any
    like: str

    def function(self, term: Term) -> str:
        """Return the name of a function of the library, or of one that programs bring along."""
        name = term.name
        words = (STANDARD.get(name, name), name)
        is_there = self.library.__name__ in LIKE_NUMPY and hasattr(self.library, name)
        if name in NAMES and not is_there and not term.operation.code:
            return name
        if term.operation.partials:
            for word in words:
                if hasattr(self.library, word):
                    return f"xp.{word}"
        for module in SPECIAL.get(self.library.__name__, ()):
            if term.operation.partials and hasattr(import_module(module), name):
                return f"special.{name}"
        text = function_name(term)
        if text.startswith("np.linalg."):
            extension = getattr(self.library, "linalg", None)
            if hasattr(extension, text.removeprefix("np.linalg.")):
                return text.replace("np.", "xp.", 1)
        if text in NAMES:
            return text
        raise NoTextError(name)

    def checked(self, term: Term, text: Printed) -> Printed:
        """Return code, if the library has the function that it calls."""
        function: Any = self.library
        head = text.text.partition("(")[0]
        for part in head.split(".")[1:] if head.startswith("xp.") else ():
            function = getattr(function, part, None)
        if function is None:
            raise NoTextError(term.name)
        return text

    # ---- kinds of numbers ----

    def alike(self, term: Term, operands: Sequence[Printed], skipped: int = 0) -> list[Printed]:
        """Return operands of one kind of numbers, as the standard wants them; the first few are left as they are."""
        kinds = {kind_of(each) for each in term.operands[skipped:]}
        is_real = "f" in kinds or (term.dtype is not None and term.dtype.kind == "f")
        kind = "f" if is_real else "i" if "i" in kinds else "b"
        pairs = zip(term.operands[skipped:], operands[skipped:], strict=True)
        result = [self.cast(each, text, kind) for each, text in pairs]
        return [*operands[:skipped], *(map(_without_fraction, result) if kind == "f" else result)]

    def cast(self, term: Term, text: Printed, kind: str) -> Printed:
        """Return an operand as one of another kind of numbers."""
        own = kind_of(term)
        if own == kind or own == "":
            return text
        if term.is_constant and not term.shape:
            return Printed(str(int(term.value))) if kind == "i" or own == "b" else text
        if kind == "f":
            return call("real", text.text, self.like)
        if kind == "i":
            return call("whole", text.text)
        return Printed(f"{text.inside(ATOM)} != 0", COMPARISON)

    def counted(self, term: Term, text: Printed) -> Printed:
        """Return truth values as whole numbers, and other operands as they are."""
        return self.cast(term, text, "i") if kind_of(term) == "b" else text

    def real(self, term: Term, text: Printed) -> Printed:
        """Return an operand as an array of real numbers."""
        return self.array(term, self.cast(term, text, "f"))

    def array(self, term: Term, text: Printed) -> Printed:
        """Return an operand as an array, even where it is a number or a list of numbers."""
        if not term.is_constant or isinstance(term.value, np.ndarray):
            return text
        return self._made_of(np.asarray(term.value), text.text)

    def _made_of(self, value: np.ndarray, text: str) -> Printed:
        """Return the call that makes an array of numbers that are written as a text."""
        return call({"f": "array", "b": "booleans"}.get(value.dtype.kind, "integers"), text, self.like)

    # ---- what is made ----

    def constant(self, value: Any, kept: dict[str, np.ndarray], names: Any) -> Printed:
        """Return a constant, or a setting: numbers as Python writes them, arrays on the device."""
        if isinstance(value, np.ndarray):
            return self._constant_array(value, kept, names)
        if isinstance(value, bool | np.bool_):
            return Printed(str(bool(value)))
        if isinstance(value, int | np.integer):
            return Printed(str(int(value)), UNARY if value < 0 else ATOM)
        if isinstance(value, float | np.floating):
            text = number_text(float(value), "xp")
            return Printed(text, UNARY if text.startswith("-") else ATOM)
        return Printed(repr(value))

    def constant_array(self, value: Any, kept: dict[str, np.ndarray], names: Any) -> Printed:
        """Return a constant as an array, even where it is a number."""
        text = self.constant(value, kept, names)
        if isinstance(value, np.ndarray) or not isinstance(value, bool | int | float | np.generic):
            return text
        return self._made_of(np.asarray(value), text.text)

    def _constant_array(self, value: np.ndarray, kept: dict[str, np.ndarray], names: Any) -> Printed:
        kind = value.dtype.kind
        if kind == "f" and (not value.size or np.array_equal(value, np.full(value.shape, value.flat[0]))):
            first = float(value.flat[0]) if value.size else 0.0
            return self.filled(value.shape, first, value.dtype)
        count = len(value) if value.ndim else 0
        if kind == "f" and value.shape == (count, count) and np.array_equal(value, np.eye(count)):
            return call("eye", str(count), self.like)
        if value.size and value.size <= 6 and np.isfinite(value).all():
            return self._made_of(value, str(value.tolist()))
        name = names.new("data")
        kept[name] = value
        return self._made_of(value, name)

    def zeros(self, shape: Sequence[int], dtype: Any) -> str:
        """Return zeros of a shape."""
        return self.filled(tuple(shape), 0.0, dtype).text

    def filled(self, shape: tuple[int, ...], value: float, dtype: Any) -> Printed:
        """Return a number, repeated."""
        if dtype is None or dtype.kind == "f":
            name = {0.0: "zeros", 1.0: "ones"}.get(value, "full")
            name = "full" if value == 0 and math.copysign(1.0, value) < 0 else name
            return call(name, str(shape), number_text(value, "xp") if name == "full" else "", self.like)
        is_truth = dtype.kind == "b"
        number = call("booleans" if is_truth else "integers", str(bool(value) if is_truth else int(value)), self.like)
        return call("xp.broadcast_to", number.text, str(shape))


def _without_fraction(text: Printed) -> Printed:
    """Return a whole number as it is written beside arrays of real numbers."""
    short = text.text.removesuffix(".0")
    return Printed(short, text.strength) if short.lstrip("-").isdigit() and short != "-0" else text


def kind_of(term: Term) -> str:
    """Return the kind of an operand's numbers: "f", "i" or "b"; "" for a whole number of Python's, which fits any."""
    if term.is_constant and not isinstance(term.value, np.ndarray):
        if isinstance(term.value, bool | np.bool_):
            return "b"
        return "" if isinstance(term.value, int) else "f" if isinstance(term.value, float | np.floating) else "i"
    kind = "f" if term.dtype is None else term.dtype.kind
    return "i" if kind == "u" else str(kind)


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


def _inside(term: Term, widths: Any) -> str:
    """Return the key of what is within margins."""
    if isinstance(widths, dict):
        raise NoTextError(term.name)
    shape = term.operands[0].shape
    before = np.broadcast_to(np.asarray(widths), (len(shape), 2))[:, 0].tolist()
    return tuple_key(tuple(slice(k, k + n) for k, n in zip(before, shape, strict=True)))


def _unsupported(term: Term, setting: Any) -> str:
    raise NoTextError(term.name)


KINDS = {"real": "f", "true": "b"}
SETTINGS: dict[str, Callable[[Term, Any], str]] = {
    "axes": lambda term, axis: str(tuple(range(len(term.shape))) if axis is None else axis),
    "sizes": lambda term, count: str(tuple(np.atleast_1d(count).tolist())),
    "inside": _inside,
    "unsupported": _unsupported,
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
    lengths = [n for n in before if n != 1]
    if before and lengths == [n for n in after if n != 1] and (key := new_axes(before, after)):
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
    if (triangle := triangle_of(term)) is not None:
        name, k = triangle
        return call(f"xp.{name}", operands[1].text, f"k={k}" if k else "")
    texts = by.alike(term, operands, 1)
    mask = by.cast(term.operands[0], texts[0], "b")
    mask = by.array(term.operands[0], mask)
    if all(each.is_constant and not isinstance(each.value, np.ndarray) for each in term.operands[1:]):
        texts[1] = by.array(term.operands[1], texts[1])
    return call("xp.where", mask.text, texts[1].text, texts[2].text)


TABLE: dict[str, Writer] = {
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _repeated,
    "astype": _astype,
    "index": _index,
    "where": _where,
    "eye": lambda by, term, operands: call("eye", operands[0].text, by.like),
    "each row": lambda by, term, operands: call(
        "xp.stack", row_by_row(term, operands, partial(printed_in, by), "rows({})")
    ),
}
"""By the name of a Block, where no template says it."""
