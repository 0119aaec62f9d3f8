"""Ops with storage: placeholders, variables, assignments to them, and the order in which ops run.

What is built after an assignment to storage runs after it, wherever it reads that storage: the order in which ops are
built is the order that a reader of the program expects. :func:`~.contexts.isolated` and :func:`~.contexts.ordering` say
otherwise. :func:`doall` and :func:`sequential` are ops that make others run.

Source: building_graphs.rst of Nervana Graph (2016), "Non-data Control Dependencies".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..engine.devices import to_numpy
from ..engine.object_arrays import ARITHMETIC
from ..engine.rules.gathering import is_simple
from ..engine.rules.indexing import INDEX
from ..engine.tape import user_origin
from ..kernels.points.batches import is_of_other_library
from .axes import axes_of_shape, item, key_by_place
from .building import built, constant, in_axes
from .contexts import current_rule, isolated, set_user_deps
from .op_errors import OpError
from .ops import Op


def placeholder(shape: Any = (), dtype: Any = float, initial: Any = None, name: str = "") -> Op:
    """Return an op whose value comes from outside: a parameter of computations.

    With an ``initial`` value it need not be a parameter: then it has the value that was stored in it last.

    >>> x = placeholder((2, 3))
    >>> x
    <Op x: placeholder (2, 3) float64>
    """
    return _tensor("placeholder", shape, dtype, initial, name)


def variable(shape: Any = (), initial: Any = 0.0, dtype: Any = float, name: str = "") -> Op:
    """Return an op that keeps its value between calls, and is to be trained: :meth:`~.ops.Op.variables` finds it.

    ``initial`` is a number, an array that fits the shape, or a function of the shape, such as
    ``np.random.default_rng(0).standard_normal``, which is called once, here.
    """
    return _tensor("variable", shape, dtype, 0.0 if initial is None else initial, name)


def persistent(shape: Any = (), initial: Any = 0.0, dtype: Any = float, name: str = "") -> Op:
    """Return an op that keeps its value between calls and is not trained: a velocity, a counter."""
    return _tensor("persistent", shape, dtype, 0.0 if initial is None else initial, name)


def _tensor(kind: str, shape: Any, dtype: Any, initial: Any, name: str) -> Op:
    lengths, axes = axes_of_shape(shape)
    try:
        numpy_dtype = np.dtype(dtype)
    except TypeError as error:
        raise OpError(f"{str(error).capitalize()}.", user_origin()) from None
    if numpy_dtype.kind not in "fiub":
        raise OpError(f"The dtype is {numpy_dtype}; values of ops are made of real numbers.", user_origin())
    op = Op(kind, lengths, numpy_dtype, name=name)
    op.axes = axes
    if initial is not None:
        op.initial = fitting(op, initial(lengths) if callable(initial) else initial)
        with isolated():
            op.initializers = {Op("assign", None, None, operands=(op, constant(op.initial))): None}
    return op


def fitting(op: Op, value: Any) -> np.ndarray:
    """Return a value for storage, as an array of its own; raises :class:`OpError` for another shape."""
    given = cast_for(op, plain_array(op, value))
    try:
        result = np.array(np.broadcast_to(given, op.shape or ()))
    except ValueError:
        raise OpError(
            f"{op.name} has the shape {op.axes or op.shape}, and the value has {given.shape}.", user_origin()
        ) from None
    result.flags.writeable = False
    return result


def cast_for(op: Op, given: np.ndarray) -> np.ndarray:
    """Return an array in the dtype of an op; raises :class:`OpError` where that would change it."""
    with np.errstate(invalid="ignore"):  # NaN as a whole number
        result = given.astype(op.dtype, copy=False)
    if given.dtype != result.dtype and result.dtype.kind in "iub" and not np.array_equal(result, given):
        raise OpError(
            f"{op.name} takes {op.dtype}, and the value is of {given.dtype}; converting it would change it.",
            user_origin(),
        )
    return result


def plain_array(op: Op, value: Any) -> np.ndarray:
    """Return a value for an op as an array; raises :class:`OpError` if it is not made of real numbers."""
    try:
        given = np.asarray(in_numpy(value))
    except ValueError:  # lists of different lengths
        raise OpError(f"{op.name} has the shape {op.shape}, and the value is no array.", user_origin()) from None
    if isinstance(value, np.matrix | np.ma.MaskedArray):
        raise OpError(
            f"{op.name} takes arrays, and the value is a {type(value).__name__}, which computes in its own way.",
            user_origin(),
        )
    if given.dtype.kind not in "fiub":
        is_named = given.dtype.kind in "OUS" and not isinstance(value, np.ndarray)
        what = type(value).__name__ if is_named else given.dtype
        raise OpError(f"{op.name} takes real numbers, and the value is of {what}.", user_origin())
    return given


def in_numpy(value: Any) -> Any:
    """Return an array of another library as one of NumPy's; everything else as it is."""
    if not is_of_other_library(value):
        return value
    result = to_numpy(value)
    if hasattr(result, "detach"):  # of PyTorch, which copies from a device only when it is told to
        result = result.detach().cpu()
    return np.asarray(result)


def assign(tensor: Op, value: Any) -> Op:
    """Return an op that stores a value in a variable, a placeholder, or a part of one: ``assign(w[0], 1.0)``.

    It runs before what is built after it and reads the same storage, and before nothing else; its own value is what was
    stored. ``w[0] = 1.0`` and ``w += 1.0`` mean the same. Raises :class:`OpError` for what has no storage.

    >>> import adviz
    >>> w = variable((), 0.0)
    >>> update = assign(w, w + 1)
    >>> again = adviz.lazy.computation(w)
    >>> again(), again(), again()
    (1.0, 2.0, 3.0)
    """
    if not isinstance(tensor, Op) or not tensor.storage.is_assignable:
        raise _without_storage(tensor)
    given = value if isinstance(value, Op) else constant(value)
    if not given.has_value:
        raise OpError(f"{given.name} has no value that could be assigned.", user_origin())
    given = in_axes(given, tensor.axes)
    if not _fits(given.shape or (), tensor.shape or ()):
        raise OpError(f"{tensor.name} has the shape {tensor.shape}, and the value has {given.shape}.", user_origin())
    op = Op("assign", tensor.shape, tensor.dtype, operands=(tensor, given))
    op.axes = tensor.axes
    set_user_deps(tensor.storage, {op: None})
    return op


def _without_storage(target: Any) -> OpError:
    what = type(target).__name__
    if isinstance(target, Op):
        op = target.storage
        what = f"{op.name}, which is {'a constant' if op.is_constant else 'computed'}: it"
    return OpError(f"Nothing can be assigned to {what} has no storage. Assign to a variable.", user_origin())


def _fits(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    """Return whether an array can be repeated along axes until it has another shape."""
    own = into[len(into) - len(shape) :]
    return len(shape) <= len(into) and all(one in (1, other) for one, other in zip(shape, own, strict=True))


def set_item(self: Op, key: Any, value: Any) -> None:
    """``x[key] = value`` of an op."""
    if not self.storage.is_assignable:
        raise _without_storage(self)
    key = key_by_place(self.axes, key)
    is_part = isinstance(value, Op) and value.is_view and value.block is INDEX and value.operands[0] is self
    if is_part and is_simple(key) and value.operands[1] == key:
        return  # x[key] += value has assigned to the view already
    part = built(item, (self, key), {})
    if not part.is_view:
        raise OpError(
            "Only a part that is chosen by numbers and slices can be assigned to. Where places are computed, choose "
            "between old and new: x[...] = np.where(condition, value, x).",
            user_origin(),
        )
    assign(part, value)


def _in_place(ufunc: np.ufunc) -> Any:
    def operator(self: Op, other: Any) -> Any:
        if not self.storage.is_assignable:
            return ufunc(self, other)
        value = ufunc(self, other)
        if not np.can_cast(value.dtype, self.dtype, "same_kind"):
            raise OpError(
                f"{self.name} is of {self.dtype}, and would lose what {ufunc.__name__} gives, of {value.dtype}. "
                "To store what is left of it, assign: x[...] = value.",
                user_origin(),
            )
        assign(self, value)
        return self

    return operator


def doall(ops: Sequence[Op], name: str = "") -> Op:
    """Return an op without a value that makes others run, in any order that their dependencies allow.

    >>> a, b = variable((), 1.0), variable((), 2.0)
    >>> doall([assign(a, 3.0), assign(b, 4.0)])
    <Op doall: doall>
    """
    op = Op("doall", None, None, name=name)
    op.control_deps |= dict.fromkeys(checked(ops))
    return op


def sequential(ops: Sequence[Op], name: str = "") -> Op:
    """Return an op with the value of the last one that makes others run one after the other, each once.

    By the rule ``"inferred"`` (see :func:`~.contexts.ordering`) what the ops read and write is kept in order, too: all
    that one of them reads is read before a later one writes it, and the other way round.

    >>> import adviz
    >>> x = variable((), 1.0)
    >>> adviz.lazy.computation(sequential([x + x, assign(x, 2.0), x + x]))()
    4.0
    """
    steps = list(checked(ops))
    if not steps:
        raise OpError("A sequence needs at least one op.", user_origin())
    running = [step for step in dict.fromkeys(steps) if not (step.has_value and step.storage.is_persistent)]
    for before, after in pairwise(running):
        runs = after.storage  # a view runs where what it shows does, unless that has run already
        runs = after if runs is after or runs in set(before.ordered_ops()) else runs
        runs.control_deps[before] = None
    if current_rule() == "inferred":
        _keep_in_order(steps)
    last = steps[-1]
    op = Op("sequential", last.shape, last.dtype, operands=(last,) if last.has_value else (), name=name)
    op.axes = last.axes
    op.control_deps |= dict.fromkeys(steps)
    return op


def checked(ops: Iterable[Op]) -> Iterable[Op]:
    """Yield the ops of a list; raises :class:`OpError` for one op, and for what is none."""
    if isinstance(ops, Op):
        raise OpError(f"{ops.name} is one op; what is asked for is a list of ops, as in [{ops.name}].", user_origin())
    for op in ops:
        if not isinstance(op, Op):
            raise OpError(f"{type(op).__name__} is no op.", user_origin())
        yield op


def _keep_in_order(steps: Sequence[Op]) -> None:
    """Let what later steps need wait for what earlier ones read and write in the same storage."""
    before: list[tuple[Op, dict[Op, bool]]] = []
    known: set[Op] = set()
    for step in steps:
        own = [op for op in step.ordered_ops() if op not in known]
        known |= {*own}
        touched = [(op, _touched(op)) for op in own]
        for op, storages in touched:
            for other, others in before:
                if any(writes or others[storage] for storage, writes in storages.items() if storage in others):
                    op.control_deps[other] = None
        before += [(op, storages) for op, storages in touched if storages]


def _touched(op: Op) -> dict[Op, bool]:
    """Return the storage that an op reads (false) or writes (true)."""
    if op.is_persistent or op.is_view:
        return {}
    reads = {arg.storage: False for arg in op.args if arg.storage.is_assignable}
    return reads | {op.args[0].storage: True} if op.kind == "assign" else reads


METHODS = {f"__i{name}__": _in_place(ufunc) for name, ufunc in (*ARITHMETIC.items(), ("matmul", np.matmul))}
for _name, _method in {"__setitem__": set_item, **METHODS}.items():
    setattr(Op, _name, _method)
