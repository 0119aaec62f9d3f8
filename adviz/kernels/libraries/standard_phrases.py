"""Operations in the words of the array API standard (data-apis.org/array-api), for a library that is called ``xp``.

The standard converts no whole numbers and truth values to real numbers, has indices of whole arrays only for all axes
at once, and changes no array; what it lacks is a function of :mod:`~..backends.standard_functions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.rules.gathering import SLOT
from ..backends.array_api import SPECIAL, STANDARD
from ..backends.standard_functions import NAMES
from ..sources.keys import key_text
from ..sources.operator_phrases import AND, ATOM, OPERATORS, OR, UNARY, Phrase, call, negative, operator, power, square
from ..sources.phrases import PHRASES as OF_NUMPY
from ..sources.phrases import NoPhraseError, function_name, new_axes, phrase_of, triangle_of
from ..terms.array_terms import Term

LIKE_NUMPY = {"jax.numpy"}
"""Libraries whose functions are called as NumPy's: they may have what the standard lacks."""
EXTENSIONS = "linalg", "fft"


@dataclass(frozen=True)
class Standard:
    """Writes operations for a ``library``; ``like`` is the name of an argument that has the dtype and the device."""

    library: Any
    like: str

    def phrase(self, term: Term, operands: Sequence[Phrase]) -> Phrase:
        """An operation on operands that are written already; raises ``NoPhraseError`` if the library has none."""
        if term.name in TABLE:
            return TABLE[term.name](self, term, operands)
        if term.operation.partials or term.name in OPERATORS:
            operands = self.alike(term, operands)
            if term.name in OPERATORS:
                return self._operator(term, operands)
        return call(self.function(term), *(each.text for each in operands))

    def _operator(self, term: Term, operands: Sequence[Phrase]) -> Phrase:
        if term.dtype.kind == "b" and term.name in ("add", "multiply"):
            sign, strength = ("|", OR) if term.name == "add" else ("&", AND)
            return Phrase(f" {sign} ".join(each.inside(strength + 1) for each in operands), strength)
        found = operator(term, operands)
        return found._replace(text=found.text.removeprefix("np.")) if found.text.startswith("np.outer(") else found

    def function(self, term: Term) -> str:
        """The name of a function of the library, or of one that programs bring along."""
        name = term.name
        words = (STANDARD.get(name, name), name)
        if name in NAMES and not (self.library.__name__ in LIKE_NUMPY and hasattr(self.library, name)):
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
        raise NoPhraseError(name)

    def own(self, term: Term, operands: Sequence[Phrase]) -> Phrase:
        """What NumPy's function of an operation is called by a library that has all of NumPy's."""
        text = phrase_of(term, operands)
        head = text.text.partition("(")[0]
        found: Any = self.library
        for part in head.split(".")[1:] if head.startswith("np.") else ("",):
            found = getattr(found, part, None)
        if self.library.__name__ not in LIKE_NUMPY or found is None:
            raise NoPhraseError(term.name)
        return text._replace(text=text.text.replace("np.", "xp.", 1))

    # ---- kinds of numbers ----

    def alike(self, term: Term, operands: Sequence[Phrase], skipped: int = 0) -> list[Phrase]:
        """Operands of one kind of numbers, as the standard wants them; the first few are left as they are."""
        kinds = {_kind(each) for each in term.operands[skipped:]}
        is_real = "f" in kinds or (term.dtype is not None and term.dtype.kind == "f")
        kind = "f" if is_real else "i" if "i" in kinds else "b"
        pairs = zip(term.operands[skipped:], operands[skipped:], strict=True)
        found = [self.cast(each, text, kind) for each, text in pairs]
        return [*operands[:skipped], *(map(_without_fraction, found) if kind == "f" else found)]

    def cast(self, term: Term, text: Phrase, kind: str) -> Phrase:
        """An operand as one of another kind of numbers."""
        own = _kind(term)
        if own == kind or own == "":
            return text
        if term.is_constant and not term.shape:
            return Phrase(str(int(term.value))) if kind == "i" or own == "b" else text
        if kind == "f":
            return call("real", text.text, self.like)
        if kind == "i":
            return call("whole", text.text)
        return Phrase(f"{text.inside(ATOM)} != 0", OR)

    def real(self, term: Term, text: Phrase) -> Phrase:
        """An operand as an array of real numbers."""
        return self.array(term, self.cast(term, text, "f"))

    def array(self, term: Term, text: Phrase) -> Phrase:
        """An operand as an array, even where it is a number or a list of numbers."""
        if not term.is_constant or isinstance(term.value, np.ndarray):
            return text
        kind = np.asarray(term.value).dtype.kind
        return call({"f": "array", "b": "booleans"}.get(kind, "integers"), text.text, self.like)

    # ---- what is made ----

    def constant(self, value: Any, kept: dict[str, np.ndarray], names: Any) -> Phrase:
        """A constant, or a setting: numbers as Python writes them, arrays on the device."""
        if isinstance(value, np.ndarray):
            return self._constant_array(value, kept, names)
        if isinstance(value, bool | np.bool_):
            return Phrase(str(bool(value)))
        if isinstance(value, int | np.integer):
            return Phrase(str(int(value)), UNARY if value < 0 else ATOM)
        if isinstance(value, float | np.floating):
            text = _number(float(value))
            return Phrase(text, UNARY if text.startswith("-") else ATOM)
        return Phrase(repr(value))

    def constant_array(self, value: Any, kept: dict[str, np.ndarray], names: Any) -> Phrase:
        """A constant as an array, even where it is a number."""
        text = self.constant(value, kept, names)
        if isinstance(value, np.ndarray) or not isinstance(value, bool | int | float | np.generic):
            return text
        kind = np.asarray(value).dtype.kind
        return call({"f": "array", "b": "booleans"}.get(kind, "integers"), text.text, self.like)

    def _constant_array(self, value: np.ndarray, kept: dict[str, np.ndarray], names: Any) -> Phrase:
        kind, shape = value.dtype.kind, str(value.shape)
        if kind == "f" and (not value.size or np.array_equal(value, np.full(value.shape, value.flat[0]))):
            first = float(value.flat[0]) if value.size else 0.0
            if first == 0 and not math.copysign(1.0, first) < 0:
                return call("zeros", shape, self.like)
            return call("ones", shape, self.like) if first == 1 else call("full", shape, _number(first), self.like)
        count = len(value) if value.ndim else 0
        if kind == "f" and value.shape == (count, count) and np.array_equal(value, np.eye(count)):
            return call("eye", str(count), self.like)
        maker = {"f": "array", "b": "booleans"}.get(kind, "integers")
        if value.size and value.size <= 6 and np.isfinite(value).all():
            return call(maker, str(value.tolist()), self.like)
        name = names.new("data")
        kept[name] = value
        return call(maker, name, self.like)

    def zeros(self, shape: Sequence[int], dtype: Any) -> str:
        """Zeros of a shape."""
        return self.filled(tuple(shape), 0.0, dtype).text

    def filled(self, shape: tuple[int, ...], value: float, dtype: Any) -> Phrase:
        """A number, repeated."""
        if dtype is None or dtype.kind == "f":
            name = {0.0: "zeros", 1.0: "ones"}.get(value, "full")
            name = "full" if value == 0 and math.copysign(1.0, value) < 0 else name
            return call(name, str(shape), _number(value) if name == "full" else "", self.like)
        is_truth = dtype.kind == "b"
        number = call("booleans" if is_truth else "integers", str(bool(value) if is_truth else int(value)), self.like)
        return call("xp.broadcast_to", number.text, str(shape))


def _without_fraction(text: Phrase) -> Phrase:
    """A whole number as it is written beside arrays of real numbers."""
    short = text.text.removesuffix(".0")
    return Phrase(short, text.strength) if short.lstrip("-").isdigit() and short != "-0" else text


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "xp.nan" if math.isnan(value) else "xp.inf" if value > 0 else "-xp.inf"


def _kind(term: Term) -> str:
    """The kind of the numbers of an operand: "f", "i" or "b"; "" for a whole number of Python's, which fits any."""
    if term.is_constant and not isinstance(term.value, np.ndarray):
        if isinstance(term.value, bool | np.bool_):
            return "b"
        return "" if isinstance(term.value, int) else "f" if isinstance(term.value, float | np.floating) else "i"
    kind = "f" if term.dtype is None else term.dtype.kind
    return "i" if kind == "u" else str(kind)


# ---- the table ----

Writer = Callable[[Standard, Term, Sequence[Phrase]], Phrase]


def _elementwise(write: Callable[[Term, Sequence[Phrase]], Phrase]) -> Writer:
    return lambda by, term, operands: write(term, by.alike(term, operands))


def _logical(sign: str, strength: int) -> Writer:
    def phrase(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
        truths = [by.cast(each, text, "b") for each, text in zip(term.operands, operands, strict=True)]
        return Phrase(f" {sign} ".join(each.inside(strength + 1) for each in truths), strength)

    return phrase


def _logical_not(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return Phrase(f"~{by.cast(term.operands[0], operands[0], 'b').inside(UNARY)}", UNARY)


def _reduction(name: str, kind: str = "") -> Writer:
    """A reduction, of numbers of one kind: truth values are counted as whole numbers."""

    def phrase(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
        x, axis, keepdims = term.operands
        text = by.cast(x, operands[0], kind) if kind else operands[0]
        if not kind and _kind(x) == "b":
            text = by.cast(x, text, "i")
        where = "" if axis.value is None else f"axis={axis.value}"
        return call(f"xp.{name}", text.text, where, "keepdims=True" if keepdims.value else "")

    return phrase


def _cumulative(name: str) -> Writer:
    def phrase(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
        x, axis = term.operands[:2]
        text = by.cast(x, operands[0], "i") if _kind(x) == "b" else operands[0]
        if axis.value is None:
            return call(f"xp.{name}", f"xp.reshape({text.text}, (-1,))")
        return call(f"xp.{name}", text.text, f"axis={axis.value}")

    return phrase


def _moving(name: str, *words: str) -> Writer:
    """A function whose settings are passed by keyword where they are not ``None``."""

    def phrase(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
        count = len(operands) - len(words)
        pairs = zip(words, term.operands[count:], operands[count:], strict=True)
        rest = [f"{word}={text.text}" for word, setting, text in pairs if setting.value is not None]
        return call(f"xp.{name}", *(each.text for each in operands[:count]), *rest)

    return phrase


def _transposed(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    count, axes = len(term.shape), term.operands[1].value
    axes = tuple(range(count))[::-1] if axes is None else tuple(int(k) % count for k in axes)
    if count == 2 and axes == (1, 0):
        return Phrase(f"{operands[0].inside(ATOM)}.T")
    if axes == (*range(count - 2), count - 1, count - 2):
        return Phrase(f"{operands[0].inside(ATOM)}.mT")
    return call("xp.permute_dims", operands[0].text, str(axes))


def _reshaped(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    before, after = term.operands[0].shape, term.shape
    x = by.array(term.operands[0], operands[0])
    kept = [n for n in before if n != 1]
    if before and kept == [n for n in after if n != 1] and (key := new_axes(before, after)):
        return Phrase(f"{x.inside(ATOM)}[{_whole(key, len(before))}]")
    return call("xp.reshape", x.text, str(tuple(after)))


def _whole(key: str, count: int) -> str:
    """A key that names all axes, as the standard wants it."""
    parts = key.split(", ")
    named = sum(1 for part in parts if part != "None")
    return key if "..." in parts or named == count else f"{key}, ..."


def _repeated(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    x = term.operands[0]
    if x.is_number or isinstance(x.value, bool | np.bool_):
        return by.filled(term.shape, float(x.value), term.dtype)
    return call("xp.broadcast_to", operands[0].text, str(tuple(term.shape)))


def _joined(name: str) -> Writer:
    def phrase(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
        texts = by.alike(term, operands, 1)
        arrays = [by.array(each, text) for each, text in zip(term.operands[1:], texts[1:], strict=True)]
        axis = term.operands[0].value
        return call(f"xp.{name}", f"[{', '.join(each.text for each in arrays)}]", f"axis={axis}" if axis != 0 else "")

    return phrase


def _astype(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    (x, *_), kind = term.operands, term.dtype.kind
    if kind == "f" and term.dtype != np.dtype(float):
        return call("xp.astype", by.array(x, operands[0]).text, f"xp.{term.dtype.name}")
    if kind == "f":
        return call("real", by.array(x, operands[0]).text, by.like)
    return by.cast(x, by.array(x, operands[0]), "b") if kind == "b" else call("whole", by.array(x, operands[0]).text)


def _parts(form: Any) -> tuple[Any, ...]:
    return form if isinstance(form, tuple) else (form,)


def _tuple_key(form: Any, indices: Sequence[str] = ()) -> str:
    """A key as a tuple: ``(slice(1, None), i, ...)``."""
    rest = iter(indices)
    texts = [next(rest) if part is SLOT else "..." if part is Ellipsis else str(part) for part in _parts(form)]
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"


def _plain_form(form: Any) -> tuple[Any, ...]:
    """A key without numbers of NumPy's."""
    return tuple(
        slice(*(None if end is None else int(end) for end in (part.start, part.stop, part.step)))
        if isinstance(part, slice)
        else int(part)
        if isinstance(part, int | np.integer)
        else part
        for part in _parts(form)
    )


def _index(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    x, form = term.operands[0], _within(_plain_form(term.operands[1].value), term.operands[0].shape)
    if any(isinstance(part, slice) and (part.step or 1) < 0 for part in form):  # PyTorch has no negative steps
        return call("entries", operands[0].text, _tuple_key(form))
    named = sum(1 for part in form if part is not None and part is not Ellipsis)
    text = key_text(form) if form else "..."
    text = text if Ellipsis in form or named == len(x.shape) or not form else f"{text}, ..."
    return Phrase(f"{operands[0].inside(ATOM)}[{text}]")


def _flipped(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    x, axis = term.operands[0], term.operands[1].value
    axis = tuple(range(len(x.shape))) if axis is None else axis
    return call("xp.flip", operands[0].text, f"axis={axis}")


def _within(form: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A key whose slices end within the array, as the standard wants them."""
    spread = len(shape) - sum(1 for part in form if part is not None and part is not Ellipsis)
    found, axis = [], 0
    for part in form:
        if isinstance(part, slice):
            found.append(_slice_within(part, shape[axis]))
        else:
            found.append(part)
        axis += spread if part is Ellipsis else part is not None
    return tuple(found)


def _slice_within(part: slice, count: int) -> slice:
    ends = (part.start, part.stop)
    if all(end is None or -count <= end <= count for end in ends):
        return part
    start, stop, step = part.indices(count)
    return slice(start, None if stop < 0 else stop, part.step) if step > 0 or stop >= 0 else slice(start, None, step)


def _gather(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    form = _plain_form(term.operands[1].value)
    return call("entries", operands[0].text, _tuple_key(form, [each.text for each in operands[2:]]))


def _view(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("taken", operands[0].text, by.array(term.operands[1], operands[1]).text)


def _taken(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    settings = [each.value for each in term.operands[2:]]
    if any(value not in (None, "raise") for value in settings[1:]):
        raise NoPhraseError("take")
    places = by.array(term.operands[1], operands[1])
    return call("taken", operands[0].text, places.text, "" if settings[0] is None else str(settings[0]))


def _put(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    form, (x, value, _, *rest) = _within(_plain_form(term.operands[2].value), term.shape), operands
    given = by.real(term.operands[0], x) if term.dtype.kind == "f" else by.array(term.operands[0], x)
    return call("put", given.text, value.text, _tuple_key(form, [each.text for each in rest]))


def _scattered(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    form = _within(_plain_form(term.operands[2].value), term.shape)
    zeros = by.filled(term.shape, 0.0, term.dtype).text
    return call("added", zeros, operands[0].text, _tuple_key(form, [each.text for each in operands[3:]]))


def _placed(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    form = _within(_plain_form(term.operands[1].value), term.shape)
    return call("put", by.filled(term.shape, 0.0, term.dtype).text, operands[0].text, _tuple_key(form))


def _added_at(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    places = by.array(term.operands[1], operands[1])
    found = call("summed_at", places.text, by.real(term.operands[0], operands[0]).text, str(term.size))
    return found if len(term.shape) == 1 else call("xp.reshape", found.text, str(tuple(term.shape)))


def _counted(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    w, places, size = operands
    places = by.array(term.operands[1], places)
    return call("summed_at", places.text, by.real(term.operands[0], w).text, size.text)


def _einsum(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    texts = by.alike(term, operands, 1)
    return call("einsum", *(each.text for each in texts))


def _where(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    if (found := triangle_of(term)) is not None:
        name, k = found
        return call(f"xp.{name}", operands[1].text, f"k={k}" if k else "")
    texts = by.alike(term, operands, 1)
    mask = by.cast(term.operands[0], texts[0], "b")
    mask = by.array(term.operands[0], mask)
    if all(each.is_constant and not isinstance(each.value, np.ndarray) for each in term.operands[1:]):
        texts[1] = by.array(term.operands[1], texts[1])
    return call("xp.where", mask.text, texts[1].text, texts[2].text)


def _identity(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("eye", operands[0].text, by.like)


def _on_diagonal(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("on_diagonal", operands[0].text, operands[1].text)


def _diagonal(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("diagonal", *(each.text for each in operands))


def _windows(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("windows", *(each.text for each in operands))


def _of_slogdet(place: int) -> Writer:
    return lambda by, term, operands: Phrase(f"xp.linalg.slogdet({operands[0].text})[{place}]")


def _searchsorted(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    a, v, side = operands
    return call(
        "xp.searchsorted", by.real(term.operands[0], a).text, by.array(term.operands[1], v).text, f"side={side.text}"
    )


def _tiled(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("xp.tile", operands[0].text, str(tuple(np.atleast_1d(term.operands[1].value).tolist())))


def _padded(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    x, widths = term.operands[0], term.operands[1].value
    if isinstance(widths, dict):
        raise NoPhraseError("pad")
    before = np.broadcast_to(np.asarray(widths), (len(x.shape), 2))[:, 0].tolist()
    form = tuple(slice(k, k + n) for k, n in zip(before, x.shape, strict=True))
    return call("put", by.filled(term.shape, 0.0, term.dtype).text, operands[0].text, _tuple_key(form))


def _convolved(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    if len(operands) > 2:
        raise NoPhraseError("convolve")  # SciPy's, of several axes
    pairs = zip(term.operands, operands, strict=True)
    return call("convolve", *(by.real(each, by.array(each, text)).text for each, text in pairs))


def _argsort(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    axis = term.operands[1].value
    return call("xp.argsort", operands[0].text, f"axis={axis}" if axis != -1 else "")


def _partitioned(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return call("xp.argsort", operands[0].text, f"axis={term.operands[2].value}")


def _pseudo_inverse(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    rtol = term.operands[1].value
    return call("xp.linalg.pinv", operands[0].text, "" if rtol is None else f"rtol={operands[1].text}")


def _row_by_row(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    """A stack of rows, each in terms of the rows of the operands."""
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
        whole[place] = Phrase(name)
    source = given[0] if len(given) == 1 else f"zip({', '.join(given)}, strict=True)"
    return call("xp.stack", f"[{by.phrase(one, whole).text} for {', '.join(names)} in {source}]")


def _nothing(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
    return by.filled(term.shape, 0.0, term.dtype)


def _numpys(by: Standard, term: Term, operands: Sequence[Phrase]) -> Phrase:
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
