"""Instructions run in the bytes of a memory plan, one entry after the other: what a wrong plan would spoil, is spoiled.

Before an instruction writes, its bytes are filled with garbage, unless the plan says that it writes in place. So a
value that still lives there, or an operand, is lost, and the results are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adviz.engine.rules.indexing import INDEX, SET
from adviz.lazy.memory.memory_plan import Layout, Place, Running
from adviz.lazy.passes.fusion import is_of_entries, is_reduction, loops_of
from adviz.lazy.passes.instructions import Instruction, Instructions, Value

GARBAGE = 0xAB


def inputs_of(computation: Any, values: Sequence[Any]) -> list[Any]:
    """The values of all inputs of the instructions of a computation: parameters, then storage."""
    return [*values, *(computation.store[op] for op in computation.states)]


def assert_same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Equal but for rounding, of which single precision has more."""
    for one, other in zip(found, wanted, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one.astype(float), other.astype(float), rtol=1e-4, atol=1e-4)


def run_in_arena(
    instructions: Instructions, running: Sequence[Running], layout: Layout, values: Sequence[Any]
) -> list[Any]:
    """The results, as they lie in the arena after the last instruction."""
    arena = np.full(layout.peak, GARBAGE, np.uint8)
    given = iter(values)
    known: dict[int, np.ndarray] = {}
    about = {each.number: each for each in running}
    for loop in loops_of(instructions):
        each = loop[0]
        if len(loop) > 1:
            _run_loop(loop, known, layout, arena)
        elif each.is_input:
            known[each.number] = np.array(next(given), each.dtype)
            known[each.number].flags.writeable = False
        elif about[each.number].kind == "view":
            known[each.number] = view = _view(each, _data(each, known))
            base = about[each.number].base
            if base is not None and view.size:
                assert np.shares_memory(view, known[base]), f"{each} is not a view"
        else:
            known[each.number] = _written(each, _data(each, known), layout.of_number[each.number], arena)
    return [known[each.number] if isinstance(each, Value) else each for each in instructions.results]


def _data(each: Instruction, known: Mapping[int, Any]) -> list[Any]:
    return [known[operand.number] if isinstance(operand, Value) else operand for operand in each.operands]


def _run_loop(loop: list[Instruction], known: dict[int, Any], layout: Layout, arena: np.ndarray) -> None:
    """Entry by entry; what has no bytes is one number at a time, but for a reduction, which adds up what it reads."""
    written = {
        each.number: _target(each, layout.of_number[each.number], arena)
        for each in loop
        if each.number in layout.of_number
    }
    shape = next(each.shape for each in loop if is_of_entries(each))
    reduced = {each.reads[0]: np.zeros(shape, known_dtype(loop, each.reads[0])) for each in loop if is_reduction(each)}
    for place in np.ndindex(*shape):
        now: dict[int, Any] = {}
        for each in filter(is_of_entries, loop):
            data = [now.get(o.number, known.get(o.number)) if isinstance(o, Value) else o for o in each.operands]
            at = [np.broadcast_to(d, shape)[place] if isinstance(d, np.ndarray) else d for d in data]
            now[each.number] = np.asarray(each.block.compute(*at), each.dtype)[()]
        for number, entry in now.items():
            if number in written:
                written[number][place] = entry
            if number in reduced:
                reduced[number][place] = entry
    for each in filter(is_reduction, loop):
        written[each.number][...] = each.block.compute(reduced[each.reads[0]], *each.operands[1:])
    known |= written


def known_dtype(loop: Sequence[Instruction], number: int) -> Any:
    return next(each.dtype for each in loop if each.number == number)


def _view(each: Instruction, data: list[Any]) -> np.ndarray:
    if each.block is INDEX and isinstance(data[0], np.ndarray):
        key = data[1] if isinstance(data[1], tuple) else (data[1],)
        whole = key if Ellipsis in key else (*key, Ellipsis)
        return data[0][whole]  # an array without axes instead of a number, which would be a copy
    return np.asarray(each.block.compute(*data))


def _written(each: Instruction, data: list[Any], place: Place, arena: np.ndarray) -> np.ndarray:
    target = _target(each, place, arena)
    if place.in_place and each.block is SET:
        assert np.shares_memory(target, data[0]) or not target.size
        target[data[2]] = data[1]
    elif each.block.partials:
        _entry_by_entry(each, data, target)
    else:
        assert not place.in_place
        target[...] = each.block.compute(*data)
    return target


def _target(each: Instruction, place: Place, arena: np.ndarray) -> np.ndarray:
    assert place.bytes == each.bytes
    assert place.offset + place.bytes <= len(arena)
    if not place.in_place:
        arena[place.offset : place.offset + place.bytes] = GARBAGE
    return np.ndarray(each.shape, each.dtype, arena.data, place.offset)


def _entry_by_entry(each: Instruction, data: list[Any], target: np.ndarray) -> None:
    """Written as soon as it is computed: an entry that is read later, and is another one's now, would be wrong."""
    repeated = [np.broadcast_to(datum, target.shape) if isinstance(datum, np.ndarray) else datum for datum in data]
    for place in np.ndindex(*target.shape):
        operands = [datum[place] if isinstance(datum, np.ndarray) else datum for datum in repeated]
        target[place] = each.block.compute(*operands)
