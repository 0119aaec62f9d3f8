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
from .helpers import helper_of
from .operator_printing import (
    AND,
    ATOM,
    OPERATORS,
    OR,
    Printed,
    call,
    logical,
    logical_not,
    negative,
    operator,
    power,
    square,
)

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


def printed(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an operation on operands that are written already.

    >>> from ..terms.array_terms import Terms
    >>> terms = Terms()
    >>> x, y = (terms.input(k, (3, 3), np.dtype(float)) for k in (0, 1))
    >>> printed(terms.apply(np.matmul, x, y), [Printed("a + b", 4), Printed("y")]).text
    '(a + b) @ y'
    """
    name = term.name
    if term.operation.partials or name == "where":
        operands = _in_full(term, operands)
    if term.operation.partials:
        operands = [_plain(each, term) if each.text.endswith(".0") else each for each in operands]
    if name in PRINTERS:
        return PRINTERS[name](term, operands)
    if name in OPERATORS:
        return operator(term, operands)
    return call(function_name(term), *(each.text for each in operands))


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


SHORTER = {"absolute": "abs"}
"""Functions of NumPy by the name that people write."""


def function_name(term: Term) -> str:
    """Return a function of NumPy or SciPy, or a helper of the module, which is defined above the function."""
    if (helper := helper_of(term)) is not None:
        return helper
    ufuncs: list[Any] = [ufunc for ufunc, block in BLOCK_OF.items() if block is term.operation]
    for ufunc in ufuncs:
        for library, functions in (("np", np), ("scipy.special", modules.get("scipy.special"))):
            name = ufunc.__name__
            if getattr(functions, name, None) is ufunc:
                return f"{library}.{SHORTER.get(name, name)}"
        if hasattr(ufunc, "nin"):
            return f"scipy.special._ufuncs.{name}"
    compute: Any = term.operation.compute
    module, name = getattr(compute, "__module__", None) or "", getattr(compute, "__name__", "")
    if isinstance(compute, np.ufunc):
        return f"np.{name}"
    if module.startswith("numpy") and getattr(_numpy_module(module), name, None) is not None:
        return f"{module.replace('numpy', 'np', 1)}.{name}"
    if term.name in FUNCTIONS:
        return FUNCTIONS[term.name]
    raise NoTextError(term.name)


LONG = 100_000
"""Operations from which on an einsum is long."""
FUNCTIONS = {
    "sqrt": "np.sqrt",
    "lfilter": "scipy.signal.lfilter",
    "solve": "np.linalg.solve",
    "solve_sylvester": "scipy.linalg.solve_sylvester",
}
"""By the names of Blocks of SciPy's functions, and of those that are differentiated in another way than NumPy's."""


def _numpy_module(module: str) -> Any:
    result: Any = np
    for part in module.split(".")[1:]:
        result = getattr(result, part, None)
    return result


# ---- reductions, shapes ----


def _reduction(name: str) -> Callable[..., Printed]:
    def write(term: Term, operands: Sequence[Printed]) -> Printed:
        _, axis, keepdims = term.operands
        where = "" if axis.value is None else f"axis={axis.value}"
        return call(f"np.{name}", operands[0].text, where, "keepdims=True" if keepdims.value else "")

    return write


def _along(name: str, *words: str) -> Callable[..., Printed]:
    """Return a function whose settings are passed by keyword where they are not ``None``."""

    def write(term: Term, operands: Sequence[Printed]) -> Printed:
        count = len(operands) - len(words)
        rest = [
            f"{word}={text.text}"
            for word, setting, text in zip(words, term.operands[count:], operands[count:], strict=True)
            if setting.value is not None
        ]
        return call(f"np.{name}", *(each.text for each in operands[:count]), *rest)

    return write


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
    kept = [n for n in before if n != 1]
    if before and kept == [n for n in after if n != 1] and (key := new_axes(before, after)):
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


def _joined(name: str) -> Callable[..., Printed]:
    def write(term: Term, operands: Sequence[Printed]) -> Printed:
        arrays = ", ".join(each.text for each in operands[1:])
        axis = term.operands[0].value
        return call(f"np.{name}", f"[{arrays}]", f"axis={axis}" if axis else "")

    return write


def _astype(term: Term, operands: Sequence[Printed]) -> Printed:
    return Printed(f"{operands[0].inside(ATOM)}.astype({dtype_text(term.dtype) or 'float'})")


# ---- indices ----


def _index(term: Term, operands: Sequence[Printed]) -> Printed:
    return Printed(f"{operands[0].inside(ATOM)}[{key_text(term.operands[1].value)}]")


def _gather(term: Term, operands: Sequence[Printed]) -> Printed:
    key = key_text(term.operands[1].value, (each.text for each in operands[2:]))
    return Printed(f"{operands[0].inside(ATOM)}[{key}]")


def _view(term: Term, operands: Sequence[Printed]) -> Printed:
    return call("np.take", operands[0].text, operands[1].text)


def _einsum(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return an einsum; where it is long, NumPy is asked to use BLAS, which takes it some microseconds to find out."""
    is_long = work(term.operation, term.operands) >= LONG
    return call("np.einsum", *(each.text for each in operands), "optimize=True" if is_long else "")


def _bincount(term: Term, operands: Sequence[Printed]) -> Printed:
    w, places, size = operands
    return call("np.bincount", places.text, w.text, size.text)


def _searchsorted(term: Term, operands: Sequence[Printed]) -> Printed:
    a, v, side = operands
    return call("np.searchsorted", a.text, v.text, "" if side.text == "'left'" else f"side={side.text}")


def _argsort(term: Term, operands: Sequence[Printed]) -> Printed:
    _, axis, kind = term.operands
    result = [f"axis={axis.value}" if axis.value != -1 else "", f"kind={kind.value!r}" if kind.value else ""]
    return call("np.argsort", operands[0].text, *result)


def _of_slogdet(place: int) -> Callable[..., Printed]:
    return lambda term, operands: Printed(f"np.linalg.slogdet({operands[0].text})[{place}]")


def _diagonal(term: Term, operands: Sequence[Printed]) -> Printed:
    settings = tuple(each.value for each in term.operands[1:])
    is_plain = settings in ((0, 0, 1), (0, -2, -1)) and len(term.operands[0].shape) == 2
    return call("np.diagonal", operands[0].text, *([] if is_plain else [each.text for each in operands[1:]]))


def _on_diagonal(term: Term, operands: Sequence[Printed]) -> Printed:
    name = "np.diag" if len(term.operands[0].shape) == 1 else "np.diagflat"
    return call(name, operands[0].text, "" if operands[1].text == "0" else operands[1].text)


def _where(term: Term, operands: Sequence[Printed]) -> Printed:
    if (found := triangle_of(term)) is not None:
        name, k = found
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


def _taken(term: Term, operands: Sequence[Printed]) -> Printed:
    x, indices, *settings = zip(term.operands, operands, strict=True)
    result = [
        f"{word}={text.text}"
        for word, (setting, text) in zip(("axis", "out", "mode"), settings, strict=False)
        if setting.value not in (None, "raise")
    ]
    return call("np.take", x[1].text, indices[1].text, *result)


def _keys_sorted(term: Term, operands: Sequence[Printed]) -> Printed:
    axis, *keys = operands
    return call("np.lexsort", f"[{', '.join(each.text for each in keys)}]", axis.text)


def _partitioned(term: Term, operands: Sequence[Printed]) -> Printed:
    x, kth, axis, kind = operands
    return call("np.argpartition", x.text, kth.text, axis.text, "" if kind.text == "'introselect'" else kind.text)


def _pseudo_inverse(term: Term, operands: Sequence[Printed]) -> Printed:
    return call("np.linalg.pinv", operands[0].text, "" if term.operands[1].value is None else operands[1].text)


def _singular_values(term: Term, operands: Sequence[Printed]) -> Printed:
    return call("np.linalg.svd", operands[0].text, "compute_uv=False")


def _convolution(term: Term, operands: Sequence[Printed]) -> Printed:
    a, b, *method = (each.text for each in operands)
    return call("scipy.signal.convolve", a, b, "'full'", *method) if method else call("np.convolve", a, b)


def _checked(function: str) -> Callable[..., Printed]:
    """Return a function of a matrix whose value may be complex, which is no value of a real function."""
    return lambda term, operands: call("real", f"{function}({operands[0].text})")


def _lambert(term: Term, operands: Sequence[Printed]) -> Printed:
    return call("np.real", f"scipy.special.lambertw({operands[0].text}, {int(term.operands[1].value)})")


def _nothing(term: Term, operands: Sequence[Printed]) -> Printed:
    return call("np.zeros", shape_text(term.shape)) if term.shape else Printed("0.0")


def _identity(term: Term, operands: Sequence[Printed]) -> Printed:
    dtype = dtype_text(term.dtype)
    return call("np.eye", operands[0].text, f"dtype={dtype}" if dtype else "")


def _row_by_row(term: Term, operands: Sequence[Printed]) -> Printed:
    """Return a list of rows, each in terms of the rows of the operands."""
    one, places = term.operands[0].value
    whole, rows = list(operands[1:]), []
    used = " ".join(each.text for each in whole)
    for _ in places:
        name = "row"
        while re.search(rf"\b{name}\b", used) or name in rows:
            name += "_"
        rows.append(name)
    given = [whole[place].text for place in places]
    for place, name in zip(places, rows, strict=True):
        whole[place] = Printed(name)
    source = given[0] if len(given) == 1 else f"zip({', '.join(given)}, strict=True)"
    return call("np.array", f"[{printed(one, whole).text} for {', '.join(rows)} in {source}]")


MATRIX_FUNCTIONS = "expm sqrtm logm sinm cosm tanm sinhm coshm tanhm".split()
PRINTERS: dict[str, Callable[[Term, Sequence[Printed]], Printed]] = {
    "negative": negative,
    "square": square,
    "power": power,
    "logical_and": logical("&", "np.logical_and", AND),
    "logical_or": logical("|", "np.logical_or", OR),
    "logical_not": logical_not,
    **{name: _reduction(name) for name in ("sum", "mean", "max", "min", "prod", "all", "any", "argmax", "argmin")},
    "cumsum": _along("cumsum", "axis"),
    "cumprod": _along("cumprod", "axis"),
    "flip": _along("flip", "axis"),
    "roll": _along("roll", "axis"),
    "repeat": _along("repeat", "axis"),
    "take": _taken,
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _repeated,
    "concatenate": _joined("concatenate"),
    "stack": _joined("stack"),
    "astype": _astype,
    "index": _index,
    "gather": _gather,
    "view": _view,
    "einsum": _einsum,
    "where": _where,
    "eye": _identity,
    "each row": _row_by_row,
    "diag": _on_diagonal,
    "diagonal": _diagonal,
    "logabsdet": _of_slogdet(1),
    "signdet": _of_slogdet(0),
    "bincount": _bincount,
    "searchsorted": _searchsorted,
    "argsort": _argsort,
    "argpartition": _partitioned,
    "lexsort": _keys_sorted,
    "pinv": _pseudo_inverse,
    "svdvals": _singular_values,
    "eigvals": _checked("np.linalg.eigvals"),
    **{name: _checked(f"scipy.linalg.{name}") for name in MATRIX_FUNCTIONS},
    "convolve": _convolution,
    "lambertw": _lambert,
    "newton step": _nothing,
}
"""By the name of a Block."""


# ---- printers ----


ADVICE = "Write the function with other functions of NumPy or SciPy; FUNCTIONS.md lists those that adviz knows."


@dataclass(frozen=True)
class Printer:
    """How operations, constants and zeros are written; ``statements`` are for those that no expression computes.

    ``array`` writes a constant that operations on arrays must accept. Where the language ``changes_arrays``, entries
    are written into arrays that there are; ``added`` is the statement that adds to the entries at a key, and ``entry``
    how these are read. ``copied`` makes an array of its own, ``finished`` an array of no axes a number. Names that are
    ``taken`` are those of the module.
    """

    print: Callable[[Term, Sequence[Printed]], Printed]
    statements: Mapping[str, Callable[[str, Term, Sequence[Printed]], tuple[str, ...]]]
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


Speaker = Callable[[Mapping[int, str], Sequence[Term]], Printer]
"""Chooses the language for a program whose inputs have these names, and which returns these terms."""
