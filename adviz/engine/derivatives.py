"""The derivatives of a function: ``grad``, ``jacobian``, ``jvp``, ``vjp``, ``hessian``, ``hvp``.

All of them trace the function and sweep over its graph. Arguments and results are numbers, arrays, lists of numbers,
and tuples, lists and dicts of those; derivatives have the same structure. They nest: what is traced may call them, so
that ``grad(grad(f))`` is the second derivative and ``trace(grad(f), x)`` the graph of a gradient.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np

from ..graph.errors import OptionError
from . import fast_reverse
from .calls import check_arguments, check_call, check_function, matched, rebuild, with_options_checked
from .devices import as_like, device_array, on_one_device, to_device_of, to_numpy
from .jacobians.local import Jacobian, Sparse
from .limits import settled
from .object_arrays import is_of_objects
from .rules.elementwise import KINK
from .sweeps import ScalarSweeps, are_finite, is_finite, sweeps, swept
from .tape import FLOAT
from .trace import Leaf, Record, Trace, real_data, record, warn_of_independence
from .trace_errors import InputError, OutputError
from .variable import Variable, scalars

MODES = ("forward", "reverse", "auto")
FEW = 8
"""Directions that are faster one by one than together."""
CARRIED = 1 << 24
"""Numbers that a sweep carries at most: over a large graph fewer directions go at once."""

# ---- one direction ----


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, grain: str = "array", **settings: Any
) -> tuple[Any, Any]:
    """``f(*primals)``, and how it changes along ``tangents``: the Jacobian times the tangents, by one forward sweep.

    ``primals`` is a tuple of arguments and ``tangents`` a tuple of the same structure and shapes; the tangent that is
    returned has those of the result. ``settings`` are keyword arguments of ``f``. Raises :class:`~adviz.InputError` for
    tangents that do not fit. Source: Griewank and Walther (2008), section 3.1.

    >>> jvp(lambda x, y: x * y, (3.0, np.array([1.0, 2.0])), (1.0, np.array([0.0, 10.0])))
    (array([3., 6.]), array([ 1., 32.]))
    """
    check_function("jvp", f, "(x,), (dx,)")
    primals, tangents = _as_tuple("primals", primals), _as_tuple("tangents", tangents)
    directions = [real_data(name, tangent) for name, tangent in matched(tangents, primals, "tangents")]
    traced, pushed = _pushed(f, settings, grain, directions, False, primals)
    return _value(traced), rebuild(traced.result, iter(pushed))


def _pushed(
    f: Any, settings: dict[str, Any], grain: str, directions: list[Any], is_quiet: bool, primals: tuple[Any, ...]
) -> tuple[Trace, list[Any]]:
    """Return the trace, and the derivatives of its results along directions."""

    def push(*primals: Any) -> tuple[Trace, list[Any]]:
        traced = _traced(f, primals, settings, grain, is_quiet=is_quiet)
        seeds = _by_node(traced, traced.inputs, directions)
        return traced, swept(traced.graph, lambda sweep: _collected(sweep.forward(seeds), traced.outputs))

    traced, result = push(*primals)
    return traced, settled(
        traced, result, push, partial(f, **settings), primals, of=[(k,) for k in range(len(result))], forward=True
    )


def vjp(
    f: Callable[..., Any], *primals: Any, grain: str = "array", **settings: Any
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """``f(*primals)`` and its pullback: from an adjoint of the result to a tuple of adjoints, one per primal.

    An adjoint (a cotangent in JAX's words) of the result has its structure and shapes, those returned have those of the
    primals. Each call of the pullback is one reverse sweep; the local Jacobians are computed once. Raises
    :class:`~adviz.InputError` for an adjoint that does not fit. Source: Griewank and Walther (2008), section 3.2.

    >>> value, pullback = vjp(lambda x, y: x * y, 3.0, np.array([1.0, 2.0]))
    >>> pullback(np.array([1.0, 10.0]))
    (21.0, array([ 3., 30.]))
    """
    check_call("vjp", f, primals, settings, ["grain"], may_take_none=True)
    traced = _traced(f, primals, settings, grain)
    sweep = sweeps(traced.graph)

    def pullback(adjoint: Any) -> tuple[Any, ...]:
        data = [real_data(name, leaf) for name, leaf in matched(adjoint, traced.result, "adjoint")]

        def pull(traced: Trace, known: Any = None) -> list[Any]:
            seeds = _by_node(traced, traced.outputs, data)
            return swept(traced.graph, lambda sweep: _collected(sweep.reverse(seeds), traced.inputs), known)

        def pull_at(*moved: Any) -> tuple[Trace, list[Any]]:
            there = _traced(f, moved, settings, grain)
            return there, pull(there)

        pulled = settled(
            traced, pull(traced, sweep), pull_at, partial(f, **settings), primals, of=[()] * len(traced.inputs)
        )
        return tuple(rebuild(primals, iter(pulled)))

    return _value(traced), pullback


def hvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, grain: str = "array", **settings: Any
) -> tuple[Any, ...]:
    """The Hessian of ``f`` at ``primals`` times ``tangents``: a tuple of the structure and shapes of ``primals``.

    A forward sweep over the graph of the gradient, which costs a small multiple of ``f``, whatever the number of
    arguments; the Hessian itself is never made. ``f`` must return one number. Source: Pearlmutter, Fast exact
    multiplication by the Hessian, Neural Computation 6 (1994).

    >>> hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    (array([6., 0.]),)
    """
    primals, tangents = _as_tuple("primals", primals), _as_tuple("tangents", tangents)
    check_function("hvp", f, "(x,), (dx,)")
    gradient = grad(f, range(len(primals)), grain=grain)
    directions = [real_data(name, tangent) for name, tangent in matched(tangents, primals, "tangents")]
    traced, pushed = _pushed(gradient, settings, grain, directions, True, primals)
    return tuple(rebuild(traced.result, iter(pushed)))


# ---- gradients ----


@with_options_checked
def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array"
) -> Callable[..., Any]:
    """A function that returns ``f(*args)`` and its gradient with respect to the positional arguments ``argnums``.

    ``f`` must return one number. The gradient has the structure, the shapes and the precision of the argument (a tuple
    of them for a sequence of ``argnums``). One reverse sweep. Raises :class:`~adviz.OutputError` for any other result.
    Arrays that ``f`` is differentiated with respect to are not copied: nothing else may write to them meanwhile.

    >>> value_and_grad(lambda x: x**2 + 1)(3.0)
    (10.0, 6.0)
    """
    return _derivative_of("value_and_grad", f, argnums, partial(_value_and_grad, f, argnums, grain, True))


@with_options_checked
def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array") -> Callable[..., Any]:
    """Return a function that returns the gradient of ``f``; see :func:`value_and_grad`.

    That is one number or array, for the first argument only, unless ``argnums`` names others: ``argnums=(0, 1)``
    gives a tuple, for the first and the second.

    Where an adjoint of 0 meets an infinite partial the result is NaN, unless the derivative has a limit at a root of 0;
    the warning says what to write instead.

    >>> grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    >>> grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 4.0)
    (4.0, 3.0)
    >>> grad(grad(lambda x: x**3))(2.0)
    12.0
    """
    return _derivative_of("grad", f, argnums, partial(_value_and_grad, f, argnums, grain, False))


def _value_and_grad(f: Any, argnums: Any, grain: str, with_value: bool, /, *args: Any, **settings: Any) -> Any:
    places, chosen = _chosen(argnums, args)
    recorded = record(f, args, settings, grain, places, borrow=grain == "array")
    outputs = recorded.outputs
    if len(outputs) != 1 or not outputs[0].nodes:
        warn_of_independence(recorded)
    if len(outputs) != 1 or type(recorded.result) is not np.ndarray or math.prod(outputs[0].shape) != 1:
        raise OutputError(
            f"grad needs a function that returns one number; {recorded.title} returned "
            f"{f'an array of shape {outputs[0].shape}' if len(outputs) == 1 else f'{len(outputs)} results'}. "
            "Use ad.jacobian, or sum the result."
        )
    is_fast = fast_reverse.applies(recorded.tape)

    def pull(*moved: Any) -> tuple[Trace, list[Any]]:
        traced = record(f, moved, settings, grain, places).trace()
        return traced, _gradients_of(traced)

    def settle(traced: Trace, values: list[Any]) -> list[Any]:
        return settled(traced, values, pull, partial(f, **settings), args, places, of=[(0,)] * len(values))

    value, result = (fast_gradients if is_fast else gradients)(recorded, settle)
    gradient = rebuild(chosen, iter(result))
    return (value, gradient) if with_value else gradient


def gradients(recorded: Record, settle: Callable[..., list[Any]] | None = None) -> tuple[Any, list[Any]]:
    """Return the value, and the gradient with respect to every array of the arguments: the definition."""
    traced = recorded.trace()
    result = _gradients_of(traced)
    value = _value(traced)
    value = _number(np.reshape(value, ())[()]) if traced.outputs[0].shape else value
    return value, settle(traced, result) if settle else result


def _gradients_of(traced: Trace) -> list[Any]:
    seeds = _by_node(traced, traced.outputs, [np.ones(traced.outputs[0].shape)])
    return swept(traced.graph, lambda sweep: _collected(sweep.reverse(seeds), traced.inputs))


def fast_gradients(recorded: Record, settle: Callable[..., list[Any]] | None = None) -> tuple[Any, list[Any]]:
    """Return the same on arrays of plain numbers; a graph is made only where there is NaN or infinity to be settled."""
    (output,) = recorded.outputs
    if not output.nodes:
        return gradients(recorded)
    value = float(np.reshape(recorded.tape.value(output.nodes[0]), ()))
    adjoints = fast_reverse.reverse(recorded.tape, {output.nodes[0]: 1.0})
    result = [_whole(adjoints, leaf) for leaf in recorded.inputs]
    is_known = settle is None or (math.isfinite(value) and all(map(is_finite, result)))
    return (value, result) if is_known else gradients(recorded, settle)


def _whole(adjoints: fast_reverse.Adjoints, leaf: Leaf) -> Any:
    """Return the adjoint of one array of the arguments: of its shape and precision, an array of its own."""
    if not leaf.nodes:
        return _collect({}, leaf)
    (node,) = leaf.nodes
    known = adjoints.sums.get(node, 0.0)
    if node in adjoints.owned and (known.shape, known.dtype) == (leaf.shape, leaf.dtype):
        return known
    return _shaped(np.broadcast_to(known, leaf.shape), leaf.shape, leaf.dtype)


# ---- matrices ----


@with_options_checked
def jacobian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, mode: str = "auto", grain: str = "array"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``f``: for each result an array of ``result.shape + argument.shape``.

    Structures nest as the result's outside and the argument's inside. ``mode="forward"`` sweeps once per number in the
    arguments, ``"reverse"`` once per number in the results, ``"auto"`` does what is less. The local Jacobians are
    computed once. Source: Griewank and Walther (2008), sections 3.1 and 3.2.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in MODES:
        raise OptionError(f"mode is {mode!r}; it can be {', '.join(map(repr, MODES[:-1]))} or {MODES[-1]!r}")
    return _derivative_of("jacobian", f, argnums, partial(_jacobian, f, argnums, mode, grain, False))


@with_options_checked
def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array") -> Callable[..., Any]:
    """Return a function that returns the Hessian of ``f``, which must return one number: the Jacobian of its gradient.

    For one argument an array of ``argument.shape + argument.shape``; structures nest twice.

    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return _derivative_of("hessian", f, argnums, partial(_hessian, f, argnums, grain))


def _hessian(f: Any, argnums: Any, grain: str, /, *args: Any, **settings: Any) -> Any:
    return _jacobian(grad(f, argnums, grain=grain), argnums, "auto", grain, True, *args, **settings)


def _jacobian(
    f: Any, argnums: Any, mode: str, grain: str, may_be_constant: bool, /, *args: Any, **settings: Any
) -> Any:
    places, chosen = _chosen(argnums, args)

    def derive(*args: Any) -> tuple[Trace, list[Any]]:
        traced = _traced(f, args, settings, grain, places, may_be_constant)
        return traced, [block for row in _blocks(traced, _is_forward(mode, traced)) for block in row]

    traced, result = derive(*args)
    count, forward = len(traced.inputs), _is_forward(mode, traced)
    of = list(product(range(len(traced.outputs)), range(count)))
    result = settled(traced, result, derive, partial(f, **settings), args, places, of=of, forward=forward)
    rows = (result[k : k + count] for k in range(0, len(result), count)) if count else [()] * len(traced.outputs)
    blocks = [rebuild(chosen, iter(row)) for row in rows]
    return rebuild(traced.result, iter(blocks), is_outer=True)


def _is_forward(mode: str, traced: Trace) -> bool:
    return mode == "forward" or (mode == "auto" and _size(traced.inputs) < _size(traced.outputs))


def _blocks(traced: Trace, forward: bool) -> list[list[Any]]:
    """Return the Jacobian of every result (outside) with respect to every argument (inside)."""
    starts, ends = (traced.inputs, traced.outputs) if forward else (traced.outputs, traced.inputs)
    matrices = _swept(traced, starts, ends, forward)
    places = list(accumulate((_size([leaf]) for leaf in starts), initial=0))
    result = [[matrix[:, i:j] if forward else matrix[:, i:j].T for i, j in pairwise(places)] for matrix in matrices]
    rows = result if forward else zip(*result, strict=True) if result else [[]] * len(starts)
    return [
        [
            _shaped(block, output.shape + leaf.shape, leaf.dtype, device_array(leaf.like, output.like))
            for block, leaf in zip(row, traced.inputs, strict=True)
        ]
        for row, output in zip(rows, traced.outputs, strict=True)
    ]


def _swept(traced: Trace, starts: list[Leaf], ends: list[Leaf], forward: bool) -> list[Any]:
    """For each of ``ends`` a matrix with a column per number in ``starts``: what a sweep from there brings."""
    sweep = sweeps(traced.graph)
    values = [] if isinstance(sweep, ScalarSweeps) else traced.graph.values
    total, several = _size(starts), CARRIED // max(sum(map(np.size, values)) or len(traced.graph), 1)
    if min(total, several) > FEW and KINK not in traced.graph.block_table and not any(map(_is_traced, values)):
        chunks = [range(k, min(k + several, total)) for k in range(0, total, several)]
        parts = [_carried(sweep, starts, ends, chunk, forward) for chunk in chunks]
        result = [np.concatenate(on_one_device(*part), axis=1) for part in zip(*parts, strict=True)]
        if are_finite(result):
            return result
    return swept(traced.graph, lambda sweep: _columns(sweep, traced, starts, ends, forward))


def _columns(sweep: Any, traced: Trace, starts: list[Leaf], ends: list[Leaf], forward: bool) -> list[Any]:
    """Return the same, by one sweep for each number."""
    run_sweep = sweep.forward if forward else sweep.reverse
    seeds = (_by_node(traced, starts, _apart(unit, starts)).items() for unit in np.eye(_size(starts)))
    result = [run_sweep({node: x for node, x in each if type(x) is not float or x}) for each in seeds]
    columns = [[np.reshape(_collect(brought, leaf), -1) for brought in result] for leaf in ends]
    return [
        np.stack(on_one_device(*column), axis=1) if column else np.zeros((_size([leaf]), 0))
        for column, leaf in zip(columns, ends, strict=True)
    ]


def _carried(sweep: Any, starts: list[Leaf], ends: list[Leaf], chosen: range, forward: bool) -> list[Any]:
    """The chosen columns by one sweep: it carries a row of numbers from number to number, a Jacobian between arrays."""

    def units(node: int, start: int, end: int) -> Any:
        if isinstance(sweep, ScalarSweeps):
            return np.eye(1, len(chosen), start - chosen.start)
        places = np.arange(max(start, chosen.start), min(end, chosen.stop))
        rows = None if len(places) == end - start else places - start
        columns = None if len(places) == len(chosen) else places - chosen.start
        like = device_array(sweep.graph.values[node])
        weights = 1.0 if like is None else as_like(np.ones(len(places)), like)
        return Sparse(rows, columns, weights, (end - start,), (len(chosen),))

    seeds = {node: units(node, i, j) for node, i, j in _segments(starts) if node >= 0}
    seeds = seeds if forward else {node: seed.T for node, seed in seeds.items()}
    result = sweep.forward(seeds) if forward else sweep.reverse(seeds)

    def rows(node: int, size: int) -> Any:
        if node not in result:
            return np.zeros((size, len(chosen)))
        matrix = result[node].dense() if isinstance(result[node], Jacobian) else np.asarray(result[node])
        return matrix if forward else matrix.T

    return [np.concatenate([rows(node, j - i) for node, i, j in _segments([leaf])]) for leaf in ends]


def _segments(leaves: Iterable[Leaf]) -> Iterator[tuple[int, int, int]]:
    """Yield nodes, and which of all the numbers each of them has: start and end; -1 for numbers without a node."""
    start = 0
    for leaf in leaves:
        for node in leaf.nodes or [-1]:
            end = start + _size([leaf]) // max(len(leaf.nodes), 1)
            yield node, start, end
            start = end


def _is_traced(value: Any) -> bool:
    return isinstance(value, Variable) or is_of_objects(value)


# ---- between arguments and nodes ----


def _traced(
    f: Any, args: tuple[Any, ...], settings: dict[str, Any], grain: str, places: Any = None, is_quiet: bool = False
) -> Trace:
    """Trace with respect to the arguments at ``places``, or all; ``is_quiet`` about results that are constant."""
    recorded = record(f, args, settings, grain, places)
    traced = recorded.trace()
    if not is_quiet:
        warn_of_independence(recorded)
    return traced


def _by_node(traced: Trace, leaves: Iterable[Leaf], data: Iterable[Any]) -> dict[int, Any]:
    """Return tangents or adjoints of arguments or results as those of nodes."""
    result = {}
    for leaf, datum in zip(leaves, data, strict=True):
        value = traced.graph.values[leaf.nodes[0]] if len(leaf.nodes) == 1 else None
        if value is not None and np.shape(value) == leaf.shape:
            datum = to_device_of(datum, value)
            result[leaf.nodes[0]] = datum if leaf.shape else _number(datum)
        elif leaf.nodes:
            result |= zip(leaf.nodes, map(_number, scalars(to_numpy(datum)).flat), strict=True)
    return result


def _collect(by_node: dict[int, Any], leaf: Leaf) -> Any:
    """Return the derivative that belongs to one array: of its shape and precision, zeros where nothing arrived."""
    entries = [by_node.get(node, 0.0) for node in leaf.nodes] or [0.0]
    whole = entries[0] if len(entries) == 1 else np.stack(entries)
    whole = np.broadcast_to(whole, leaf.shape) if leaf.shape and not np.ndim(whole) else whole
    return _shaped(whole, leaf.shape, leaf.dtype, leaf.like)


def _shaped(whole: Any, shape: tuple[int, ...], dtype: np.dtype, like: Any = None) -> Any:
    """Return an array of its own, or a number; of the library of what it is ``like``, or is of already."""
    if _is_traced(whole):
        return whole if np.shape(whole) == shape else np.reshape(whole, shape)
    if (like := device_array(whole, like)) is not None:
        return np.asarray(whole, like=like).astype(dtype).reshape(shape)
    if shape:
        return np.array(whole, dtype).reshape(shape)
    return float(np.reshape(whole, ())) if dtype == FLOAT else dtype.type(np.reshape(whole, ()))


def _collected(by_node: dict[int, Any], leaves: Iterable[Leaf]) -> list[Any]:
    return [_collect(by_node, leaf) for leaf in leaves]


def _value(traced: Trace) -> Any:
    values = traced.graph.values

    def value(leaf: Leaf) -> Any:
        entries = [values[node] for node in leaf.nodes] or [np.zeros(0) if leaf.constant is None else leaf.constant]
        whole = entries[0] if len(entries) == 1 else np.stack(entries)
        return _shaped(whole, leaf.shape, getattr(whole, "dtype", FLOAT))

    return rebuild(traced.result, map(value, traced.outputs))


def _number(datum: Any) -> Any:
    return float(datum) if isinstance(datum, np.ndarray | np.number) and not is_of_objects(datum) else datum


def _apart(unit: np.ndarray, leaves: Iterable[Leaf]) -> Iterator[np.ndarray]:
    """Yield a vector cut into arrays of the shapes of leaves."""
    start = 0
    for leaf in leaves:
        yield unit[start : start + _size([leaf])].reshape(leaf.shape)
        start += _size([leaf])


def _size(leaves: Iterable[Leaf]) -> int:
    return sum(math.prod(leaf.shape) for leaf in leaves)


# ---- what is asked for ----


def _as_tuple(name: str, arguments: Any) -> tuple[Any, ...]:
    """Primals or tangents, which are a tuple also if there is one."""
    if not isinstance(arguments, tuple | list):
        raise InputError(f"{name} is {type(arguments).__name__}; expected a tuple of arguments, such as (x,).")
    return tuple(arguments)


def _derivative_of(name: str, f: Any, argnums: Any, evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """``evaluate`` with the name and the parameters of what it is a derivative of; refuses what is meant for it."""
    if not callable(f):
        raise InputError(
            f"{name} needs a function, not {type(f).__name__}. Write ad.{name}(f)(x), not ad.{name}(f(x))."
        )
    if type(argnums) is not int and not (isinstance(argnums, Sequence) and {*map(type, argnums)} <= {int}):
        raise InputError(
            f"argnums is {argnums!r}; it can be a whole number or a sequence of them. "
            f"ad.{name} makes a function: write ad.{name}(f)(x)."
        )

    @functools.wraps(f)
    def derivative(*args: Any, **settings: Any) -> Any:
        if not args:
            check_arguments(name, f, args, settings, makes_function=True)
        return evaluate(*args, **settings)

    derivative.__name__ = f"{name} of {getattr(f, '__name__', type(f).__name__)}"
    return derivative


def _chosen(argnums: int | Sequence[int], args: tuple[Any, ...]) -> tuple[list[int], Any]:
    """The places of the arguments that ``argnums`` asks for, in that order, and they themselves: one, or a tuple."""
    count = len(args)
    if type(argnums) is int and 0 <= argnums < count:
        return [argnums], args[argnums]
    numbers = [argnums] if isinstance(argnums, int) else argnums
    if not all(-count <= number < count for number in numbers):
        raise OptionError(f"argnums is {argnums!r}, but the function was called with {count} positional arguments")
    places = [number % count for number in numbers]
    if len(set(places)) < len(places):
        raise OptionError(f"argnums is {argnums!r}, which names an argument twice")
    chosen = tuple(args[place] for place in places)
    return places, chosen[0] if isinstance(argnums, int) else chosen
