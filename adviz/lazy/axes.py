"""Named axes: what the entries of an array are counted by, whatever the place of the axis in its shape.

With axes, operations match by axis and not by place. A function of NumPy on arrays with axes becomes the same function
on arrays that are laid out by place (:func:`by_place`): their axes are brought into one order, and missing ones get the
length 1. The rules of the function stay what they are.

Source: axes.rst of Nervana Graph (2016). ``transpose``, ``dot`` and keys that are dictionaries mean
what they mean in xarray (Hoyer and Hamman, 2017).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import index
from string import ascii_letters
from typing import Any

import numpy as np

from ..engine.rules.elementwise import OF_ENTRIES
from ..engine.tape import user_origin
from .op_errors import OpError


class Whole:
    """What an axis has in common with its parts and duals, and with nothing else."""

    def __init__(self, length: int):
        self.entries = range(length)


@dataclass(frozen=True)
class Axis:
    """An axis with a name and a length; two are the same one only if both were made of one.

    Its ``entries`` are those of the ``whole`` that it is a part of; ``role`` says what it is for, such as ``"batch"``.
    ``axis - 1`` and ``axis + 1`` are its duals: axes of the same length and another ``offset``, for arrays that have it
    twice, and to say what :func:`~.building.dot` contracts.

    >>> n = axis("batch", 32)
    >>> n, n - 1, n.part(slice(1, None)), n == axis("batch", 32)
    (batch (32), batch-1 (32), batch[1:32] (31), False)
    """

    name: str
    whole: Whole
    entries: range
    role: str | None = None
    offset: int = 0

    @property
    def length(self) -> int:
        """The number of its entries."""
        return len(self.entries)

    def part(self, chosen: slice) -> Axis:
        """Return the axis of a slice; that of all entries is the axis itself."""
        return replace(self, entries=self.entries[chosen])

    def __sub__(self, offset: int) -> Axis:
        return replace(self, offset=self.offset - offset)

    def __add__(self, offset: int) -> Axis:
        return replace(self, offset=self.offset + offset)

    def clashes(self, other: Axis) -> bool:
        """Return whether it is another axis, and its name does not say so."""
        return self.name == other.name and (self.whole, self.entries) != (other.whole, other.entries)

    def __repr__(self) -> str:
        start, stop, step = self.entries.start, self.entries.stop, self.entries.step
        part = f"[{start}:{stop}{f':{step}' if step != 1 else ''}]" if self.entries != self.whole.entries else ""
        return f"{self.name}{part}{f'{self.offset:+d}' if self.offset else ''} ({self.length})"


Axes = tuple[Axis, ...]


def axis(name: str, length: int, role: str | None = None) -> Axis:
    """Return an axis for shapes of ops: ``placeholder((channel, batch))``.

    Operations on ops with axes match by axis: the order of axes is irrelevant, what has no axis of another operand is
    repeated along it, and the result has the axes of its operands in the order in which they appear. Axes of one name
    that are not the same are an :class:`~.op_errors.OpError`. ``axis=`` of reductions is an axis, its name or its role,
    or a tuple of these; a key may be a dictionary, ``x[{batch: 0}]``.

    >>> import adviz
    >>> c, n = axis("channel", 3), axis("batch", 32)
    >>> x, b = adviz.lazy.placeholder((n, c)), adviz.lazy.variable((c,))
    >>> (x + b).axes, (b + x).axes, x.mean(axis=n).axes
    ((batch (32), channel (3)), (channel (3), batch (32)), (channel (3),))
    """
    if not isinstance(name, str) or not name:
        raise OpError(f"An axis is named by a text, and not by {name!r}.", user_origin())
    if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 0:
        raise OpError(f"The length of the axis {name} is {length!r}; it is a number of entries.", user_origin())
    whole = Whole(int(length))
    return Axis(name, whole, whole.entries, role)


# ---- several axes ----


def axes_of_shape(shape: Any) -> tuple[tuple[int, ...], Axes | None]:
    """Return the lengths that a shape stands for, and its axes: ``None`` for a shape of plain lengths."""
    parts = tuple(shape) if isinstance(shape, Iterable) and not isinstance(shape, Axis) else (shape,)
    axes = tuple(each for each in parts if isinstance(each, Axis))
    if not axes:
        return _whole_lengths(parts), None
    if len(axes) < len(parts):
        raise OpError(f"A shape is made of axes or of lengths, and {parts} of both.", user_origin())
    for k, each in enumerate(axes):
        if each in axes[:k]:
            raise OpError(f"{each} comes twice: take {each.name} and its dual {each.name} - 1.", user_origin())
    return tuple(each.length for each in axes), union([axes])


def _whole_lengths(parts: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the lengths of a shape; raises :class:`OpError` if they are none."""
    try:
        lengths = tuple(map(index, parts))
    except TypeError:
        raise OpError(
            f"A shape is made of whole numbers, and not of {parts}. Values to begin with are passed as initial=…",
            user_origin(),
        ) from None
    if any(length < 0 for length in lengths):
        raise OpError(f"The shape {parts} has a negative length.", user_origin())
    return lengths


def union(parts: Iterable[Axes]) -> Axes:
    """Return all axes in the order in which they appear; raises :class:`OpError` where two have one name."""
    result: dict[Axis, None] = {}
    for each in chain.from_iterable(parts):
        for other in result:
            if each.clashes(other):
                raise OpError(
                    f"{other} and {each} are two axes of one name. If they are meant to be the same, build both ops "
                    "with one axis, or take with_axes(op, axes); if not, name one of them otherwise.",
                    user_origin(),
                )
        result[each] = None
    return tuple(result)


def listed(axes: Sequence[Axis] | None) -> str:
    """Return axes as a text."""
    return ", ".join(map(str, axes or ())) or "no axes"


def place(axes: Axes, wanted: Any) -> int:
    """Return the place of an axis, of its name or of its role; raises :class:`OpError` if there is none, or several."""
    if not isinstance(wanted, Axis | str):
        return int(wanted)
    for key in (lambda each: each, lambda each: each.name, lambda each: each.role):
        result = [k for k, each in enumerate(axes) if key(each) == wanted]
        if len(result) == 1:
            return result[0]
    several = "no single" if isinstance(wanted, str) else "no"
    raise OpError(f"There is {several} axis {wanted} among {listed(axes)}.", user_origin())


def places(axes: Axes, wanted: Any) -> Any:
    """Return the place, or the places, of what ``axis=`` names; ``None`` for all."""
    if wanted is None:
        return None
    return tuple(place(axes, each) for each in wanted) if isinstance(wanted, tuple | list) else place(axes, wanted)


def key_by_place(axes: Axes | None, key: Any) -> Any:
    """Return a key by place for one that may be a dictionary by axis."""
    if not isinstance(key, dict):
        return key
    if not axes:
        raise OpError("A key by axis needs an op with axes.", user_origin())
    by_place = {place(axes, each): part for each, part in key.items()}
    return tuple(by_place.get(k, slice(None)) for k in range(len(axes)))


# ---- laid out by place ----


def laid_out(value: Any, own: Axes, axes: Axes) -> Any:
    """Return an array whose axes are brought into the order of others; those it does not have get the length 1."""
    order = [own.index(each) for each in axes if each in own]
    if len(order) < len(own):
        extra = tuple(each for each in own if each not in axes)
        raise OpError(f"{listed(extra)} cannot be left out: the result has {listed(axes)}.", user_origin())
    if order != sorted(order):
        value = np.transpose(value, order)
    lengths = tuple(each.length if each in own else 1 for each in axes)
    first = next((k for k, each in enumerate(axes) if each in own), len(axes))
    return value if lengths[first:] == np.shape(value) else np.reshape(value, lengths[first:])


Placed = tuple[Callable[..., Any], Axes | None]
"""A function on arrays that are laid out by place, and the axes of its result."""


def by_place(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    """Return what a function of NumPy at ops with axes is by place.

    Raises :class:`~.op_errors.OpError` for a function that has no rule by axis, and for axes that do not fit.
    """
    if settings.get("keepdims"):
        raise OpError("Axes match by name: keepdims= is not needed.", user_origin())
    if not args:
        raise OpError("Pass the op first, by its place: axes are matched by the place of arguments.", user_origin())
    rule = RULES.get(function) or (_entrywise if isinstance(function, np.ufunc) else None)
    if rule is None:
        raise OpError(
            f"{getattr(function, '__name__', function)} has no rule by axis. Take the axes off with "
            "with_axes(op, None), and give the result its own.",
            user_origin(),
        )
    return rule(function, args, settings)


def axes_of(value: Any) -> Axes:
    """Return the axes of an operand: none of a number; raises :class:`OpError` for an array without axes."""
    axes, shape = getattr(value, "axes", None), value.shape if hasattr(value, "shape") else np.shape(value)
    if axes is None and shape:
        raise OpError(
            f"One operand has axes, and another one, of shape {shape}, has none: give it some with "
            "with_axes(array, axes).",
            user_origin(),
        )
    return axes or ()


def item(x: Any, key: Any) -> Any:
    """Return a part of an array."""
    return x[key]


def cast(x: Any, dtype: Any, **settings: Any) -> Any:
    """Return an array in another dtype."""
    return x.astype(dtype, **settings)


def _entrywise(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    """Return a function of entries: all operands get the same axes."""
    own, named = [axes_of(each) for each in args], _with_axes(settings)
    axes = union([*own, *named.values()])

    def placed(*values: Any, **others: Any) -> Any:
        result = [laid_out(each, had, axes) for each, had in zip(values, own, strict=True)]
        return function(*result, **others | {name: laid_out(others[name], had, axes) for name, had in named.items()})

    return placed, axes


def _with_axes(settings: Mapping[str, Any]) -> dict[str, Axes]:
    """Return the settings that are arrays with axes, such as ``where=``."""
    return {name: each.axes for name, each in settings.items() if getattr(each, "axes", None)}


def _along(
    function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any], keep: bool = False
) -> Placed:
    """Return a function along axes of its first argument, which its result has no longer."""
    own, named = axes_of(args[0]), _with_axes(settings)
    wanted = places(own, args[1] if len(args) > 1 else settings.get("axis", DEFAULTS.get(function)))
    every = range(len(own)) if wanted is None else (wanted,) if isinstance(wanted, int) else wanted
    gone = {each % len(own) for each in every}
    axes = tuple(each for k, each in enumerate(own) if keep or k not in gone)

    def placed(x: Any, *rest: Any, **others: Any) -> Any:
        others |= {name: laid_out(others[name], had, own) for name, had in named.items()}
        return function(x, wanted, *rest[1:], **{name: each for name, each in others.items() if name != "axis"})

    return placed, axes


def _kept_along(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    """Return a function along an axis of its first argument, which its result still has."""
    placed, axes = _along(function, args, settings, keep=True)[0], axes_of(args[0])
    wanted = args[1] if len(args) > 1 else settings.get("axis", DEFAULTS.get(function))
    if wanted is None and function in (np.cumsum, np.cumprod) and len(axes) > 1:
        raise OpError(f"{function.__name__} needs one of the axes {listed(axes)}: axis=….", user_origin())
    return placed, axes


def _transposed(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    own = axes_of(args[0])
    wanted = args[1] if len(args) > 1 else settings.get("axes")
    order = tuple(reversed(range(len(own)))) if wanted is None else places(own, tuple(wanted))
    if sorted(each % len(own) for each in order) != list(range(len(own))):
        raise OpError(f"transpose needs each of {listed(own)} once.", user_origin())
    return lambda x, *_, **__: np.transpose(x, order), tuple(own[k] for k in order)


def _swapped(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    own = axes_of(args[0])
    order = list(range(len(own)))
    one, other = (place(own, each) for each in (*args[1:], *settings.values()))
    order[one], order[other] = order[other], order[one]
    return _transposed(function, [args[0], order], {})


def _contracted(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    x, y = args[:2]
    return product(axes_of(x), axes_of(y), settings.get("axis"))


def product(own: Axes, other: Axes, axis: Any = None) -> Placed:
    """Return the product of two arrays, summed over axes; see :func:`~.building.dot`."""
    pairs = _pairs(own, other, axis)
    first, second = [own.index(one) for one, _ in pairs], [other.index(two) for _, two in pairs]
    kept = tuple(each for k, each in enumerate(own) if k not in first)
    rest = tuple(each for k, each in enumerate(other) if k not in second)
    axes = union([kept, rest])
    if not pairs:
        return lambda x, y, **_: np.multiply(laid_out(x, own, axes), laid_out(y, other, axes)), axes
    if len(axes) < len(kept) + len(rest):
        letters = _letters(own, other, pairs, kept, axes)
        return lambda x, y, **_: np.einsum(letters, x, y), axes
    if len(pairs) == 1 and max(len(own), len(other)) <= 2:
        turns = first[0] < len(own) - 1, second[0] > 0
        return lambda x, y, **_: np.matmul(x.T if turns[0] else x, y.T if turns[1] else y), axes
    return lambda x, y, **_: np.tensordot(x, y, (first, second)), axes


def _pairs(own: Axes, other: Axes, axis: Any) -> list[tuple[Axis, Axis]]:
    """Return the axes that are contracted, with what they are in the other array."""
    shared = [(each, each) for each in union([own, other]) if each in own and each in other]
    if axis is not None:
        wanted = axis if isinstance(axis, tuple | list) else (axis,)
        return [(own[place(own, each)], other[place(other, each)]) for each in wanted]
    return [(each, each + 1) for each in own if each + 1 in other] or shared


def _letters(own: Axes, other: Axes, pairs: Sequence[tuple[Axis, Axis]], kept: Axes, axes: Axes) -> str:
    """Return the labels of ``np.einsum``: what is contracted, and what both keep, has one letter in both."""
    letters = iter(ascii_letters)
    of_own = {each: next(letters) for each in own}
    shared = {two: of_own[one] for one, two in (*((each, each) for each in kept), *pairs)}
    of_other = {each: shared.get(each) or next(letters) for each in other}
    of_result = of_other | {each: of_own[each] for each in kept}
    labels = [[of_own[each] for each in own], [of_other[each] for each in other], [of_result[each] for each in axes]]
    return "{},{}->{}".format(*map("".join, labels))


def _part(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Placed:
    """Return a part that is chosen by numbers and slices."""
    parts, own = list(args[1]) if isinstance(args[1], tuple) else [args[1]], axes_of(args[0])
    if any(each is not Ellipsis and not isinstance(each, int | np.integer | slice) for each in parts):
        raise OpError(
            "Axes are kept by numbers and slices. Take the axes off with with_axes(op, None), and give the part its "
            "own.",
            user_origin(),
        )
    if Ellipsis in parts:
        k = parts.index(Ellipsis)
        parts[k : k + 1] = [slice(None)] * (len(own) - len(parts) + 1)
    parts += [slice(None)] * (len(own) - len(parts))
    axes = tuple(one.part(part) for one, part in zip(own, parts, strict=False) if isinstance(part, slice))
    return function, axes


DEFAULTS: dict[Any, int] = {np.sort: -1, np.argsort: -1}
"""The axis that functions take where none is given; all others take all axes."""
ENTRYWISE = (np.where, np.clip, np.round, np.nan_to_num, *OF_ENTRIES, np.zeros_like, np.ones_like, np.full_like)
REDUCING = (np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.amax, np.amin, np.argmax, np.argmin, np.all)
KEEPING = (np.cumsum, np.cumprod, np.sort, np.argsort, np.flip)
RULES: dict[Any, Callable[..., Placed]] = {
    **dict.fromkeys(ENTRYWISE, _entrywise),
    **dict.fromkeys((*REDUCING, np.any, np.median), _along),
    **dict.fromkeys(KEEPING, _kept_along),
    np.transpose: _transposed,
    np.swapaxes: _swapped,
    **dict.fromkeys((np.reshape, np.ravel), lambda function, args, settings: (function, None)),  # axes of its own
    item: _part,
    cast: lambda function, args, settings: (function, axes_of(args[0])),
    **dict.fromkeys((np.matmul, np.dot), _contracted),
}
"""How a function of NumPy matches axes; one that is not here and is no ufunc has no rule by axis."""
