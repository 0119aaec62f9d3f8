"""What an op graph means, written to be read: an array for each storage, and ops that run one after the other.

A view is the array of the places in its storage that it shows. So it is read when the op that uses it runs, and what is
assigned to it is written to these places; NumPy itself would copy where a view of a view is reshaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adviz.lazy import Op

Memory = dict[Op, np.ndarray]
"""What storage holds: an array for each op that has storage, of its shape and dtype."""


def all_needed(roots: Iterable[Op]) -> list[Op]:
    """All ops that roots need, in the order in which they were built."""
    found: set[Op] = set()
    pending = list(roots)
    while pending:
        op = pending.pop()
        if op not in found:
            found.add(op)
            pending += [*op.args, *op.control_deps]
    return sorted(found, key=lambda op: op.number)


def in_order(roots: Iterable[Op]) -> list[Op]:
    """The same in the order in which they run: always the oldest one of those that need wait for nothing more."""
    waiting, order = all_needed(roots), []
    while waiting:
        done = set(order)
        op = next(op for op in waiting if done.issuperset([*op.args, *op.control_deps]))
        order.append(op)
        waiting.remove(op)
    return order


def initial_memory(ops: Iterable[Op]) -> Memory:
    """What storage holds before the first call."""
    return {op: np.array(op.initial, op.dtype) for op in ops if is_storage(op) and op.initial is not None}


def is_storage(op: Op) -> bool:
    """Whether an op has storage that can be written to."""
    return op.kind in ("placeholder", "variable", "persistent")


def places(op: Op) -> tuple[Op, np.ndarray] | None:
    """The storage that an op shows, and the places there of each of its entries; none for a computed value."""
    if is_storage(op):
        return op, np.arange(op.size).reshape(op.shape)
    known = places(op.args[0]) if op.is_view else None
    return known and (known[0], np.asarray(op.block.compute(known[1], *op.operands[1:])))


def interpreted(
    results: Sequence[Op], order: Iterable[Op], given: Mapping[Op, Any], memory: Memory
) -> list[np.ndarray | None]:
    """The values of ``results`` after all of ``order`` has run; ``memory`` is changed as the computation changes it."""
    now = memory | {op: np.array(value, op.dtype) for op, value in given.items()}
    now = {op: array.copy() for op, array in now.items()}
    values: dict[Op, Any] = {}

    def read(op: Op) -> Any:
        if shown := places(op):
            storage, where = shown
            return now[storage].reshape(-1)[where]
        return values[op]

    for op in order:
        if op.kind == "constant":
            values[op] = op.initial  # a number of Python's takes on the precision of what is beside it
        elif op.kind == "operation" and places(op) is None:
            data = [read(each) if isinstance(each, Op) else each for each in op.operands]
            values[op] = np.array(op.block.compute(*data))
        elif op.kind == "sequential" and op.args:
            values[op] = read(op.args[0])
        elif op.kind == "assign":
            target, value = op.args
            storage, where = places(target)
            stored = np.broadcast_to(read(value), target.shape).astype(target.dtype)
            now[storage].reshape(-1)[where] = values[op] = stored
    found = [np.array(read(op)) if op.has_value else None for op in results]
    memory |= {op: now[op] for op in now if op in memory or op.initial is not None}
    return found
