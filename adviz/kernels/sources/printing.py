"""Operations as NumPy is written by people: operators, calls, subscripts, each with how strongly it binds.

``PRINTERS`` has a function for each Block that is neither a ufunc nor a function of NumPy that takes the operands as
they are. What no expression says is a few statements: ``STATEMENTS``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import modules
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.gathering import SLOT
from ..derivations.regular_loops import Key
from ..terms.array_terms import Term, work
from .operator_printing import ATOM, Printed, call, with_operator

# ---- keys ----


def key_text(form: Any, indices: Iterable[str] = ()) -> str:
    """Return what stands in square brackets: ``1:, i`` for a slice and an array of indices.

    >>> key_text((slice(1, None), SLOT), iter(["i"]))
    '1:, i'
    """
    rest = iter(indices)
    return ", ".join(_part_text(part, rest) for part in (form if isinstance(form, tuple) else (form,))) or "()"


def _part_text(part: Any, indices: Iterator[str]) -> str:
    if part is SLOT:
        return next(indices)
    if part is Ellipsis:
        return "..."
    if isinstance(part, slice):
        ends = ["" if each is None else str(int(each)) for each in (part.start, part.stop, part.step)]
        return ":".join(ends[: 3 if ends[2] else 2])
    return str(part)


def growing_text(key: Key, counter: str) -> str:
    """Return a key as it is in iteration ``counter``: ``k + 1, :``."""
    parts = []
    for part, step in zip(key.first, key.step, strict=True):
        if not step:
            parts.append(key_text((part,)))
        elif step == 1:
            parts.append(f"{counter} + {part}" if part else counter)
        else:
            parts.append(f"{part} - {counter}" if step == -1 else f"{part} + {step} * {counter}")
    return ", ".join(parts)


# ---- operations ----


Print = Callable[[Term, Sequence[Printed]], Printed]
"""Writes an operation on operands that are written already."""


def printed(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an operation on operands that are written already.

    >>> from ..terms.array_terms import Terms
    >>> terms = Terms()
    >>> x, y = (terms.input(k, (3, 3), np.dtype(float)) for k in (0, 1))
    >>> printed(terms.apply(np.matmul, x, y), [Printed("a + b", 4), Printed("y")]).text
    '(a + b) @ y'
    """
    operation = term.operation
    if operation.is_entrywise:
        operands = _in_full(term, operands)
    if operation.partials:
        operands = [_plain(each, term) if each.text.endswith(".0") else each for each in operands]
    if term.name in PRINTERS:
        return PRINTERS[term.name](term, operands)
    if operation.operator:
        return with_operator(term, operands)
    if operation.code:
        return Printed(filled(operation.code, term, operands, converted, zeros_text(term.shape, None)))
    return call(function_name(term), *(each.text for each in operands))


Conversion = Callable[[str, Term, int, Sequence[Printed]], str]
"""The text of one operand, by its place, in the way that a word asks for."""
FIELD = re.compile(r"((?:, )?(?:\w+=)?)\{([a-i])(\.\.\.)?(?:!(\w+))?(?::([^}]*))?\}")


def filled(
    code: str, term: Term, operands: Sequence[Printed], converted: Conversion, zeros: str, name: str = ""
) -> str:
    """Return the code of a record with the operands in their places."""

    def written(field: re.Match[str]) -> str:
        before, letter, is_rest, word, default = field.groups()
        first = ord(letter) - ord("a")
        places = range(len(operands))[first:] if is_rest else range(len(operands))[first : first + 1]
        is_object = field.string.startswith((".", "["), field.end())
        texts = [
            converted(word, term, k, operands) if word else operands[k].inside(ATOM) if is_object else operands[k].text
            for k in places
        ]
        return before + ", ".join(texts) if texts and texts != [default] else ""

    texts = {"{y}": name, "{zeros}": zeros, "{size}": str(term.size)}
    return FIELD.sub(written, re.sub(r"\{(y|zeros|size)\}", lambda field: texts[field[0]], code))


def converted(word: str, term: Term, place: int, operands: Sequence[Printed]) -> str:
    """Return an operand as a ``key`` with what follows for indices, as a ``dtype``, or as an ``int``."""
    value = term.operands[place].value
    if word == "key":
        return key_text(value, (each.text for each in operands[place + 1 :]))
    return dtype_text(value) or "float" if word == "dtype" else str(int(value))


def _in_full(term: Term, operands: Sequence[Printed]) -> Sequence[Printed]:
    """Return a number of NumPy's in double precision is written as one, where a number of Python's would be another."""
    kinds = [each.dtype for each in term.operands]
    if not any(each.is_number and type(each.value) is np.float64 for each in term.operands):
        return operands
    if any(not each.is_number and kind == np.dtype(float) for each, kind in zip(term.operands, kinds, strict=True)):
        return operands
    return [
        call("np.float64", text.text) if type(each.value) is np.float64 else text
        for each, text in zip(term.operands, operands, strict=True)
    ]


def _plain(number: Printed, of: Term) -> Printed:
    """Return a whole number without its fraction, beside an operand that makes it one of real numbers."""
    is_beside = any(each.dtype is not None and each.dtype.kind == "f" for each in of.operands)
    whole = number.text.removesuffix(".0")
    return Printed(whole, number.strength) if is_beside and whole.lstrip("-").isdigit() and whole != "-0" else number


class NoTextError(Exception):
    """A Block has no text."""


CALLED = re.compile(r"([\w.]+)\([^()]*\)")
"""Code that is one call of a function."""


def function_name(term: Term) -> str:
    """Return a function of NumPy or SciPy, or a helper of the module, which is defined above the function."""
    if (called := CALLED.fullmatch(term.operation.code)) is not None:
        return called[1]
    ufuncs: list[Any] = [ufunc for ufunc, block in BLOCK_OF.items() if block is term.operation]
    for ufunc in ufuncs:
        for library, functions in (("np", np), ("scipy.special", modules.get("scipy.special"))):
            name = ufunc.__name__
            if getattr(functions, name, None) is ufunc:
                return f"{library}.{name}"
        if hasattr(ufunc, "nin"):
            return f"scipy.special._ufuncs.{name}"
    compute: Any = term.operation.compute
    module, name = getattr(compute, "__module__", None) or "", getattr(compute, "__name__", "")
    if isinstance(compute, np.ufunc):
        return f"np.{name}"
    if module.startswith("numpy") and getattr(_numpy_module(module), name, None) is not None:
        return f"{module.replace('numpy', 'np', 1)}.{name}"
    raise NoTextError(term.name)


LONG = 100_000
"""Operations from which on an einsum is long."""


def _numpy_module(module: str) -> Any:
    result: Any = np
    for part in module.split(".")[1:]:
        result = getattr(result, part, None)
    return result


# ---- reductions, shapes ----


def _transposed(term: Term, operands: Sequence[Printed]) -> Printed:
    count, axes = len(term.shape), term.operands[1].value
    axes = tuple(range(count))[::-1] if axes is None else tuple(k % count for k in axes)
    if axes == tuple(range(count))[::-1]:
        return Printed(f"{operands[0].inside(ATOM)}.T")
    moved = [k for k, axis in enumerate(axes) if k != axis]
    if len(moved) == 2:
        one, other = (k - count if count - k <= 2 else k for k in moved)
        return call("np.swapaxes", operands[0].text, str(one), str(other))
    return call("np.transpose", operands[0].text, str(axes))


def _reshaped(term: Term, operands: Sequence[Printed]) -> Printed:
    before, after = term.operands[0].shape, term.shape
    x = operands[0].inside(ATOM)
    lengths = [n for n in before if n != 1]
    if before and lengths == [n for n in after if n != 1] and (key := new_axes(before, after)):
        return Printed(f"{x}[{key}]")
    if not before:
        return call("np.reshape", operands[0].text, str(after))
    if len(after) == 1:
        return Printed(f"{x}.ravel()")
    return Printed(f"{x}.reshape({', '.join(map(str, after)) or '()'})")


def new_axes(before: Sequence[int], after: Sequence[int]) -> str:
    """Return the key that adds axes of length 1, or takes the only entry of such axes."""
    rest, key = list(before), []
    for n in after:
        while rest and rest[0] == 1 and n != 1:
            rest.pop(0)
            key.append("0")
        if rest and rest[0] == n:
            rest.pop(0)
            key.append(":")
        elif n == 1:
            key.append("None")
        else:
            return ""
    if any(n != 1 for n in rest):
        return ""
    key += ["0"] * len(rest)
    if key.count(":") > 1 and key[-1] == "None" and set(key[:-1]) == {":"}:
        return "..., None"
    while key and key[-1] == ":":
        key.pop()
    return ", ".join(key)


def _repeated(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an array of a repeated number, or a read-only view of a repeated array."""
    x, shape = term.operands[0], shape_text(term.shape)
    if x.shape:
        return call("np.broadcast_to", operands[0].text, shape)
    if x.is_value(0.0) and math.copysign(1.0, x.value) > 0:
        return call("np.zeros", shape, dtype_text(term.dtype))
    if x.is_value(1.0):
        return call("np.ones", shape, dtype_text(term.dtype))
    return call("np.full", shape, operands[0].text, dtype_text(term.dtype) if x.is_number else "")


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as NumPy's functions take it: a number where there is one axis."""
    return str(shape[0]) if len(shape) == 1 else str(tuple(shape))


def dtype_text(dtype: Any) -> str:
    """Return a dtype as an argument; nothing where it is double precision."""
    if dtype is None or np.dtype(dtype) == np.dtype(float):
        return ""
    dtype = np.dtype(dtype)
    return "bool" if dtype.kind == "b" else f"np.{dtype.name}"


def zeros_text(shape: Sequence[int], dtype: Any) -> str:
    """Return zeros of a shape; a number where it has no axes."""
    if not shape:
        return "0.0" if np.dtype(dtype) == np.dtype(float) else f"np.{np.dtype(dtype).name}(0)"
    return call("np.zeros", shape_text(shape), dtype_text(dtype)).text


# ---- indices ----


def _einsum(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an einsum; where it is long, NumPy is asked to use BLAS, which takes it some microseconds to find out."""
    is_long = work(term.operation, term.operands) >= LONG
    return call("np.einsum", *(each.text for each in operands), "optimize=True" if is_long else "")


def _diagonal(term: Term, operands: Sequence[Printed]) -> Printed:
    settings = tuple(each.value for each in term.operands[1:])
    is_plain = settings in ((0, 0, 1), (0, -2, -1)) and len(term.operands[0].shape) == 2
    return call("np.diagonal", operands[0].text, *([] if is_plain else [each.text for each in operands[1:]]))


def _where(term: Term, operands: Sequence[Printed]) -> Printed:
    if (triangle := triangle_of(term)) is not None:
        name, k = triangle
        return call(f"np.{name}", operands[1].text, str(k) if k else "")
    return call("np.where", *(each.text for each in operands))


def triangle_of(term: Term) -> tuple[str, int] | None:
    """Return the triangle that a constant mask takes of matrices, and its diagonal: ``("tril", 0)``."""
    mask, a, otherwise = term.operands
    is_alike = a.shape[-2:] == mask.shape and a.dtype == term.dtype
    if is_alike and mask.is_constant and otherwise.is_value(0.0) and np.ndim(mask.value) == 2:
        m, n = mask.shape
        for name in ("tril", "triu"):
            for k in (0, -1, 1):
                if np.array_equal(mask.value, np.tri(m, n, k) if name == "tril" else np.tri(n, m, -k).T):
                    return name, k
    return None


def _identity(term: Term, operands: Sequence[Printed]) -> Printed:
    dtype = dtype_text(term.dtype)
    return call("np.eye", operands[0].text, f"dtype={dtype}" if dtype else "")


def row_by_row(term: Term, operands: Sequence[Printed], printed: Print, taken: str = "{}") -> str:
    """Return a list of rows, each in terms of the rows of the operands, which are ``taken`` of an array like this."""
    one, places = term.operands[0].value
    whole, rows = list(operands[1:]), list[str]()
    used = " ".join(each.text for each in whole)
    for _ in places:
        name = "row"
        while re.search(rf"\b{name}\b", used) or name in rows:
            name += "_"
        rows.append(name)
    given = [taken.format(whole[place].text) for place in places]
    for place, name in zip(places, rows, strict=True):
        whole[place] = Printed(name)
    source = given[0] if len(given) == 1 else f"zip({', '.join(given)}, strict=True)"
    return f"[{printed(one, whole).text} for {', '.join(rows)} in {source}]"


PRINTERS: dict[str, Print] = {
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _repeated,
    "einsum": _einsum,
    "where": _where,
    "diagonal": _diagonal,
    "eye": _identity,
    "each row": lambda term, operands: call("np.array", row_by_row(term, operands, printed)),
}
"""By the name of a Block."""


ADVICE = "Write the function with other functions of NumPy or SciPy; FUNCTIONS.md lists those that adviz knows."


@dataclass(frozen=True)
class Printer:
    """How operations, constants and zeros are written; ``statements`` are for those that no expression computes.

    ``array`` writes a constant that operations on arrays must accept. Where the language ``changes_arrays``, entries
    are written into arrays that there are; ``added`` is the statement that adds to the entries at a key, and ``entry``
    how these are read. ``copied`` makes an array of its own, ``finished`` an array of no axes a number. Names that are
    ``taken`` are those of the module.
    """

    print: Print
    constant: Callable[[Any, dict[str, np.ndarray], Any], Printed]
    array: Callable[[Any, dict[str, np.ndarray], Any], Printed]
    zeros: Callable[[Sequence[int], Any], str]
    changes_arrays: bool = True
    entry: Callable[[str, str], str] = "{}[{}]".format
    added: Callable[[str, str, str], str] = "{}[{}] += {}".format
    copied: Callable[[Printed], Printed] = lambda printed: Printed(f"{printed.inside(ATOM)}.copy()")
    finished: Callable[[Printed], Printed] = lambda printed: Printed(f"{printed.inside(ATOM)}[()]")
    taken: Sequence[str] = ()
    said: str = "a program on arrays"
    advice: str = ADVICE


PrinterFor = Callable[[Mapping[int, str], Sequence[Term]], Printer]
"""Chooses the language for a program whose inputs have these names, and which returns these terms."""
