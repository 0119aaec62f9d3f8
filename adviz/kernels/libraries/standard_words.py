"""The words of the array API standard (data-apis.org/array-api), for a library that is called ``xp``.

The standard converts no whole numbers and truth values to real numbers, and arrays that are made need a dtype and a
device. What it lacks is a function of :mod:`~..backends.standard_functions`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..backends.array_api import SPECIAL, STANDARD
from ..backends.standard_functions import NAMES
from ..sources.operator_printing import ATOM, COMPARISON, UNARY, Printed, call
from ..sources.printing import NoTextError, function_name
from ..terms.array_terms import Term

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
        found: Any = self.library
        head = text.text.partition("(")[0]
        for part in head.split(".")[1:] if head.startswith("xp.") else ():
            found = getattr(found, part, None)
        if found is None:
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
        kind = np.asarray(term.value).dtype.kind
        return call({"f": "array", "b": "booleans"}.get(kind, "integers"), text.text, self.like)

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
            text = _number(float(value))
            return Printed(text, UNARY if text.startswith("-") else ATOM)
        return Printed(repr(value))

    def constant_array(self, value: Any, kept: dict[str, np.ndarray], names: Any) -> Printed:
        """Return a constant as an array, even where it is a number."""
        text = self.constant(value, kept, names)
        if isinstance(value, np.ndarray) or not isinstance(value, bool | int | float | np.generic):
            return text
        kind = np.asarray(value).dtype.kind
        return call({"f": "array", "b": "booleans"}.get(kind, "integers"), text.text, self.like)

    def _constant_array(self, value: np.ndarray, kept: dict[str, np.ndarray], names: Any) -> Printed:
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
        """Return zeros of a shape."""
        return self.filled(tuple(shape), 0.0, dtype).text

    def filled(self, shape: tuple[int, ...], value: float, dtype: Any) -> Printed:
        """Return a number, repeated."""
        if dtype is None or dtype.kind == "f":
            name = {0.0: "zeros", 1.0: "ones"}.get(value, "full")
            name = "full" if value == 0 and math.copysign(1.0, value) < 0 else name
            return call(name, str(shape), _number(value) if name == "full" else "", self.like)
        is_truth = dtype.kind == "b"
        number = call("booleans" if is_truth else "integers", str(bool(value) if is_truth else int(value)), self.like)
        return call("xp.broadcast_to", number.text, str(shape))


def _without_fraction(text: Printed) -> Printed:
    """Return a whole number as it is written beside arrays of real numbers."""
    short = text.text.removesuffix(".0")
    return Printed(short, text.strength) if short.lstrip("-").isdigit() and short != "-0" else text


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "xp.nan" if math.isnan(value) else "xp.inf" if value > 0 else "-xp.inf"


def kind_of(term: Term) -> str:
    """The kind of the numbers of an operand: "f", "i" or "b"; "" for a whole number of Python's, which fits any."""
    if term.is_constant and not isinstance(term.value, np.ndarray):
        if isinstance(term.value, bool | np.bool_):
            return "b"
        return "" if isinstance(term.value, int) else "f" if isinstance(term.value, float | np.floating) else "i"
    kind = "f" if term.dtype is None else term.dtype.kind
    return "i" if kind == "u" else str(kind)
