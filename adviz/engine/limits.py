"""Derivatives at a kink: the limits that they have along lines through the point, where these agree.

The slope of ``abs`` at 0 is taken as 0, the mean of both sides. That must not be differentiated again as if it were
exact: ``abs(x)`` has no second derivative there, and that of ``abs(x)**2`` is 2. A derivative that is continuous at a
point is the limit along every line, and no kink is met on the way; where there is none, limits or values differ.

The same is asked where a program compares equal numbers, or takes the sign of 0: what it puts together there, as in
``np.where(x > 0, x, -x)``, may be smooth or not. Whether it is, nothing else tells. First derivatives are those of the
part that is taken, and are not looked at; nor are values that jump at other places, such as those of ``floor``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..graph.errors import AdvizError
from ..graph.graph import Graph
from . import sweeps
from .blocks import BLOCK_OF, is_traced
from .calls import leaves, rebuild, with_numbers_of_numpy
from .devices import is_on_device, to_device_of, to_numpy
from .rules.elementwise import KINK, beside_kinks, undefined_at
from .tape import current_tape
from .trace import Leaf, Trace
from .variable import has_traced

Arrays = list[Any]
STEPS, WEIGHTS = (1.0, 2.0, 4.0), (8 / 3, -2.0, 1 / 3)
"""The value at 0 of the parabola through three points of a line."""
LENGTHS = (2.0**-13, 2.0**-20, 2.0**-26)
"""The first step, relative to the size of the arguments; shorter ones where limits along longer ones differ."""
NEAR = 2.0**-30
"""A step that is so short that values differ beside a jump only."""
ROUNDING = 1e-4
"""Derivatives smaller than those by so much that values and arguments let expect are compared as if they were so."""
ROOTS = [BLOCK_OF[function] for function in (np.sqrt, np.cbrt, np.power, np.float_power)]
DIGITS, KNOWN = 9, 11
"""Limits agree to so many digits of the largest number on the lines; so many of them are known."""


def settled(
    traced: Trace,
    arrays: Arrays,
    derive: Callable[..., tuple[Trace, Arrays]],
    f: Callable[..., Any],
    args: tuple[Any, ...],
    places: Sequence[int] | None = None,
    *,
    of: Sequence[tuple[int, ...]],
    forward: bool = False,
) -> Arrays:
    """Derivatives as they were found, but their limits where a kink made NaN; warns of NaN and infinity that is left.

    ``derive`` gives the trace, and these derivatives, at other arguments, of which those at ``places`` (all, if
    ``None``) are moved. It runs the function again: one that changes what it depends on keeps its NaN. ``f`` is asked
    for values that are NaN in the trace, since they are derivatives at this kink themselves. ``of`` says of which
    result each is the derivative, and by which argument, if by a single one; nothing where it is one of all results.
    """
    if (outer := current_tape()) is not None and outer.ties:  # a program that is made of derivatives
        at_tie = undefined_at(outer.ties)
        return [each + at_tie if has_traced(each) else each for each in arrays]
    is_kinked = KINK in traced.graph.block_table and not any(map(is_traced, traced.graph.values))
    is_tied = is_kinked and sweeps.tie_of(traced.graph) is not None
    if _is_finite(arrays, is_kinked) and not (is_tied or (forward and is_kinked)):  # a tangent of 0 meets few kinks
        return arrays
    if is_kinked or _has_root_of_zero(traced.graph):
        places = range(len(args)) if places is None else places
        given = [leaf for place in places for _, leaf in leaves(args[place], "")]
        shapes = [[leaf.shape for leaf in side] for side in (traced.inputs, traced.outputs)]
        is_gradient = shapes[0] == shapes[1]

        def at(points: Arrays) -> tuple[Arrays, Arrays]:
            rest, moved = map(to_device_of, points, given), list(args)
            for place in places:
                moved[place] = rebuild(args[place], rest)
            there, derivatives = derive(*moved)
            values = map(partial(_value, there.graph), there.outputs)
            return list(map(to_numpy, derivatives)), list(values)

        look = _remembered(at)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            points = [np.asarray(to_numpy(leaf)) for leaf in given]
            values = list(map(partial(_value, traced.graph), traced.outputs))
            known = values if sweeps.are_finite(values) else _values_of(f, args)
            with beside_kinks():
                is_same = any(np.isfinite(each).any() for each in known) and _is_same_again(points, values, look)
                find = partial(limits_of, points, look, of, is_gradient, known)
                is_smooth = is_same and is_tied and _is_finite(arrays, True) and _agree(arrays, find(count=2))
                limits = find() if is_same and not is_smooth and (is_kinked or _fills(arrays, find(count=1))) else None
        if limits is not None:  # beside NaN in a gradient's derivative other entries may be derivatives of means
            everywhere = is_kinked and (is_gradient or len(shapes[1]) == 1)
            arrays = [_replaced(*pair, everywhere) for pair in zip(arrays, limits, strict=True)]
    if not _is_finite(arrays, is_kinked):
        ends = traced.inputs if forward else traced.outputs
        sweeps.warn_of_derivative(traced.graph, [node for leaf in ends for node in leaf.nodes], forward)
    return arrays


def _remembered(at: Callable[[Arrays], tuple[Arrays, Arrays]]) -> Callable[[Arrays], tuple[Arrays, Arrays]]:
    """The same function, which is run once for each list of points: more lines are looked along after a few."""
    known: dict[bytes, tuple[Arrays, Arrays]] = {}

    def again(points: Arrays) -> tuple[Arrays, Arrays]:
        key = b"".join(np.asarray(x).tobytes() for x in points)
        if key not in known:
            known[key] = at(points)
        return known[key]

    return again


def _has_root_of_zero(graph: Graph) -> bool:
    """Whether there is a root of 0, of plain numbers: its partial is infinite, and 0 times that may be a limit."""
    return not any(map(is_traced, graph.values)) and any(
        block in ROOTS and np.any(np.equal(to_numpy(value), 0))
        for block, value in zip(graph.blocks, graph.values, strict=True)
    )


def _agree(arrays: Arrays, limits: Arrays | None) -> bool:
    """Return whether derivatives are their limits."""
    pairs = zip(arrays, limits or [None], strict=False)
    return limits is not None and all(np.allclose(to_numpy(whole), limit, 1e-6, 1e-9) for whole, limit in pairs)


def _fills(arrays: Arrays, limits: Arrays | None) -> bool:
    """Whether a limit is known where a derivative is NaN."""
    pairs = zip(arrays, limits or [], strict=False)
    return any(np.any(np.isnan(to_numpy(whole)) & ~np.isnan(limit)) for whole, limit in pairs)


def _is_same_again(points: Arrays, values: Arrays, at: Callable[[Arrays], tuple[Arrays, Arrays]]) -> bool:
    """Return whether the function gives the same values when it is run again: it changes nothing that it depends on.

    Values that are NaN are derivatives themselves, at this kink.
    """
    try:
        again = at(points)[1]
    except (AdvizError, ArithmeticError, ValueError):
        return False
    return all(np.all(np.isclose(now, x, 1e-9, 0.0) | np.isnan(x)) for now, x in zip(again, values, strict=True))


def _is_finite(arrays: Arrays, is_kinked: bool) -> bool:
    """Whether there is no NaN and no infinity; arrays on a device are asked, and waited for, where there is a kink."""
    return sweeps.are_finite(map(to_numpy, arrays) if is_kinked else arrays)


def _value(graph: Graph, leaf: Leaf) -> Any:
    values = [to_numpy(graph.values[node]) for node in leaf.nodes] if leaf.nodes else to_numpy(leaf.constant)
    return np.reshape(values, leaf.shape)


def _values_of(f: Callable[..., Any], args: tuple[Any, ...]) -> Arrays:
    """Return what a function gives; nothing where it raises an error of arithmetic."""
    try:
        return [to_numpy(leaf) for _, leaf in leaves(f(*with_numbers_of_numpy(args)), "")]
    except (ArithmeticError, ValueError):
        return []


def _replaced(value: Any, limit: Any, everywhere: bool) -> Any:
    """Return derivatives with their limits where they are NaN, or ``everywhere`` where these differ."""
    whole, dtype = np.asarray(to_numpy(value)), getattr(value, "dtype", None)
    with np.errstate(invalid="ignore"):
        remaining = np.isfinite(whole) & (not everywhere or np.isclose(whole, limit, 1e-6))
        remaining |= np.isinf(whole) & np.isnan(limit)
    result = np.where(remaining, whole, limit).astype(dtype)
    if is_on_device(value):
        return to_device_of(result, value)
    return result if result.ndim else float(result) if dtype is None else result[()]


def limits_of(
    points: Arrays,
    at: Callable[[Arrays], tuple[Arrays, Arrays]],
    of: Sequence[tuple[int, ...]],
    is_gradient: bool,
    known: Arrays | None = None,
    count: int | None = None,
) -> Arrays | None:
    """The derivatives at ``points``, NaN where they do not exist; ``None`` if nothing is known beside the points.

    ``at`` returns derivatives and values at other points; ``of`` says of which value, and by which argument, each is.
    Where a value is not known at the points, or is another one there, it has no derivatives. ``count`` lines are looked
    along, or as many as tell any two arguments apart.

    >>> zero = [np.zeros(1)]
    >>> limits_of(zero, lambda points: ([np.sign(x) for x in points], [abs(x) for x in points]), [(0,)], False)
    [array([nan])]
    >>> limits_of(zero, lambda points: ([2 * abs(x) for x in points], [x * abs(x) for x in points]), [(0,)], False)
    [array([0.])]
    """
    result, scale, count = None, 0.0, count or _count(points)
    for length in LENGTHS:
        for lines in (1, count) if result is not None else (count,):  # where one line says no, others need not be asked
            sides = [_along(points, line, at) for line in _lines(points, length, lines)]
            if None in sides:
                break
            derivatives, values, largest = zip(*sides, strict=True)
            values = [np.stack(each) for each in zip(*values, strict=True)]
            steepest = max((np.max(np.abs(x), initial=0.0, where=np.isfinite(x)) for x in values), default=0.0)
            scale = max(scale, *largest, ROUNDING * steepest / _size(points))
            limits = _limits(
                zip(*derivatives, strict=True), values, known, of, is_gradient, NEAR / length, steepest, scale
            )
            if result is not None and not _fills(result, limits):
                break
        else:
            result = limits
            if sweeps.are_finite(result):
                break
    return result


def _limits(
    derivatives: Iterable[tuple[Any, ...]],
    values: Arrays,
    known: Arrays | None,
    of: Sequence[tuple[int, ...]],
    is_gradient: bool,
    share: float,
    steepest: float,
    scale: float,
) -> Arrays:
    """The limits that sides have in common, by derivatives on each of them and values at each of their steps."""
    here = known or [np.nan] * len(values)
    jumps = [_jumps(*pair, share, steepest) for pair in zip(values, here, strict=True)]
    if known is not None:
        jumps = [jump | ~np.isfinite(value) for jump, value in zip(jumps, known, strict=True)]
    stays = [(np.ptp(each, axis=(0, 1)) == 0) & ~jump for each, jump in zip(values, jumps, strict=True)]
    return [
        np.where(
            _rows(stays, numbers[:1], np.ndim(each[0])),
            0.0,
            _agreed(np.stack(each), _jumps_of(jumps, numbers, is_gradient, np.ndim(each[0])), scale),
        )
        for each, numbers in zip(derivatives, of, strict=True)
    ]


def _size(points: Arrays) -> float:
    return max((float(np.max(np.abs(x), initial=0.0)) for x in points), default=0.0) or 1.0


def _jumps(values: np.ndarray, here: Any, share: float, largest: float) -> Any:
    """Where values near the point, by side and step, and at it differ by more than such a share of a step lets them."""
    moved, near = np.max(np.abs(values[:, 0] - values[:, -1]), axis=0), values[:, -1]
    known = np.where(np.isfinite(here), here, near[0])
    return np.ptp([*near, known], axis=0) > 16 * share * moved + 1e-12 * largest


def _jumps_of(jumps: Arrays, numbers: tuple[int, ...], is_gradient: bool, axes: int) -> Any:
    """Where a derivative is not one of a value that jumps; a gradient's is symmetric, and one of both has to be fit."""
    rows = _rows(jumps, numbers[:1], axes)
    return rows & jumps[numbers[1]] if len(numbers) > 1 and is_gradient else rows


def _rows(flags: Arrays, numbers: tuple[int, ...], axes: int) -> Any:
    """What is so of the value that a derivative is of, as it spreads over the derivative; of any value, if of all."""
    if not numbers:
        return np.any([np.any(each) for each in flags])
    (flag,) = (flags[number] for number in numbers)
    return np.reshape(flag, flag.shape + (1,) * (axes - flag.ndim))


def _count(points: Arrays) -> int:
    """So many lines that of any two arguments the signs are equal on one line, and differ on another one."""
    return 2 + max(sum(map(np.size, points)) - 1, 0).bit_length()


def _lines(points: Arrays, length: float, count: int) -> Iterator[Arrays]:
    """Yield steps to both sides on lines in general position, of different lengths."""
    generator = np.random.default_rng(0)
    numbers = np.arange(sum(map(np.size, points)))
    ends = np.cumsum([*map(np.size, points)])[:-1]
    for line in range(count):
        signs = np.where((numbers << 1 | 1) >> line & 1, 1.0, -1.0) if line else np.ones(len(numbers))
        steps = signs * generator.uniform(0.5, 1.0, len(numbers)) * length * _size(points) / (1 + line / 3)
        parts = [np.reshape(part, x.shape) for part, x in zip(np.split(steps, ends), points, strict=True)]
        yield from ([sign * part for part in parts] for sign in (1.0, -1.0))


def _along(points: Arrays, line: Arrays, at: Callable[..., Any]) -> tuple[Arrays, Arrays, float] | None:
    """Return the limits of derivatives on one side, values at steps, the last one near, and the largest derivative.

    ``None`` where they cannot be computed.
    """

    def there(step: float) -> tuple[Arrays, Arrays]:
        return at([_moved(x, step * each) for x, each in zip(points, line, strict=True)])

    near = NEAR / max(np.max(np.abs(each), initial=0.0) for each in line) * _size(points)
    try:
        parts = [there(step) for step in (*STEPS, near)]
    except (AdvizError, ArithmeticError, ValueError):
        return None
    result = [[np.asarray(each) for each in derivatives] for derivatives, _ in parts[:-1]]
    values = [np.stack(each) for each in zip(*(values for _, values in parts), strict=True)]
    largest = max((np.max(np.abs(x), initial=0.0, where=np.isfinite(x)) for part in result for x in part), default=0.0)
    limits = [sum(weight * x for weight, x in zip(WEIGHTS, each, strict=True)) for each in zip(*result, strict=True)]
    return limits, values, float(largest)


def _moved(x: np.ndarray, step: Any) -> Any:
    if x.dtype.kind == "b":
        return x
    moved = (x + step).astype(x.dtype if x.dtype.kind == "f" else float)
    return moved if moved.ndim else moved[()]


def _agreed(derivatives: np.ndarray, jumps: Any, largest: float) -> Any:
    """The common limit, NaN where there is none, nor where the value jumps; the first axis is that of the sides."""
    is_same = np.ptp(derivatives, axis=0) <= 1e-6 * np.max(np.abs(derivatives), axis=0) + 10.0**-DIGITS * largest
    decimals = KNOWN - int(np.ceil(np.log10(largest))) if largest else KNOWN
    return np.where(is_same & ~jumps, np.round(np.mean(derivatives, axis=0), decimals) + 0.0, np.nan)
