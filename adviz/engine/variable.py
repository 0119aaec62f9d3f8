"""Variables: values on their way through Blocks while a function is traced.

A Variable is a handle of three slots: its tape, its place on the tape, its data. Operators on Variables
(``operators.py``), NumPy's ufuncs and its functions (``dispatch.py``) add rows to the tape, so that unmodified NumPy
code traces. Whatever is not an operation on numbers goes through :func:`apply_block`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dis import opname
from functools import lru_cache
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from ..graph.graph import ABSENT
from ..graph.origins import origin
from . import blocks
from .blocks import BLOCK_OF, Block
from .errors import ArrayWriteError, BranchError, ConversionError, MissingBlockError, TraceClosedError
from .object_arrays import as_object_array, as_plain_array
from .tape import Tape, internal, user_frame, user_origin

_NUMPY = os.path.dirname(np.__file__)
_NUMPY_MEANS = (os.path.join(_NUMPY, "_core", "_methods"), os.path.join(_NUMPY, "lib", "_nan"))


class Variable:
    """A value of a traced program: ``data`` (a float or an array), and its place in the graph.

    Variables are made by :func:`adviz.trace` and by Blocks; they behave like the arrays they stand for.
    """

    __slots__ = ("data", "index", "tape")
    __hash__ = object.__hash__

    tape: Tape
    index: int
    data: Any

    # ---- what it looks like from outside ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data; ``()`` for a number."""
        return np.shape(self.data)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return np.ndim(self.data)

    @property
    def size(self) -> int:
        """Number of entries."""
        return np.size(self.data)

    @property
    def dtype(self) -> np.dtype:
        """Data type of the data."""
        if _getframe(1).f_code.co_filename.startswith(_NUMPY_MEANS):
            raise AttributeError("what has a dtype, NumPy's mean and std of an object array make a plain number of")
        return np.asarray(self.data).dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return np.asarray(self.data).nbytes

    @property
    def T(self) -> Any:
        """Transposed."""
        return np.transpose(self)

    @property
    def real(self) -> Variable:
        """Itself: Variables are real."""
        return self

    @property
    def imag(self) -> Any:
        """Zeros: Variables are real."""
        return np.zeros(self.shape) if self.ndim else 0.0

    @property
    def mT(self) -> Any:
        """The last two axes transposed."""
        return np.matrix_transpose(self)

    @property
    def flat(self) -> Any:
        """Its entries as an array of one axis."""
        return np.ravel(self)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("a number has no len()")
        return len(self.data)

    def __iter__(self) -> Iterator[Variable]:
        if not self.ndim:
            raise TypeError("iteration over a number")
        return (blocks.INDEX(self, k) for k in range(len(self.data)))

    def __getitem__(self, key: Any) -> Variable:
        result: Variable = apply_block(blocks.INDEX, (self, key))
        return result

    def __repr__(self) -> str:
        return f"Variable({self.data!r})"

    def __format__(self, spec: str) -> str:
        return format(self.data, spec)

    # ---- where tracing would be lost ----

    def __bool__(self) -> bool:
        if self.size != 1:
            raise BranchError(
                f"A traced array of shape {self.shape} was used as a condition. "
                "Use np.where for a choice per entry, or .all() / .any() of a comparison.",
                user_origin(),
            )
        return bool(self.data)

    def __float__(self) -> float:
        raise _conversion("a float")

    def __int__(self) -> int:
        raise _conversion("an int")

    def __complex__(self) -> complex:
        raise _conversion("a complex number")

    def __index__(self) -> int:
        raise ConversionError(
            "A traced value was used as an index or a count. "
            "Pass whole numbers as keyword arguments: those are not traced.",
            user_origin(),
        )

    def __floor__(self) -> Variable:
        return apply_block(BLOCK_OF[np.floor], (self,))

    def __ceil__(self) -> Variable:
        return apply_block(BLOCK_OF[np.ceil], (self,))

    def __trunc__(self) -> Variable:
        return apply_block(BLOCK_OF[np.trunc], (self,))

    def item(self) -> float:
        """Refused: a plain number would be cut off from the graph."""
        raise _conversion("a plain number")

    tolist = item

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ArrayWriteError(
            "A traced array cannot be written to. Build it with np.concatenate, np.stack or np.where, "
            'or trace with grain="scalar", where in-place assignment works.',
            user_origin(),
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """An object array of scalar Variables, so that code which insists on ``np.asarray`` goes on tracing.

        NumPy's arrays would share their memory with it. Here neither can follow what is written to the other: the
        object array is read-only, and the Variable is not to be changed in place. A copy may be written to.
        """
        if dtype is not None and np.dtype(dtype) != object:
            raise _conversion(f"an array of {np.dtype(dtype)}")
        entries = scalars(self)
        if not copy and self.ndim:
            entries.flags.writeable = False
            self.tape.viewed.add(self.index)
        return entries


def record(tape: Tape, number: int, first: int, second: int, value: Any, frame: FrameType) -> Variable:
    """Write one row, made by ``frame``, and hand out its Variable."""
    if frame is not tape.frame:
        tape.enter(frame)
    variable = Variable()
    variable.tape, variable.data = tape, value
    variable.index = tape.write(number, first, second, value, tape.origin.f_lasti)
    return variable


def apply_block(block: Block, operands: tuple[Any, ...]) -> Any:
    """The value of a Block at its operands: a Variable if one of them is, else what ``data_fn`` returns."""
    tape = tape_of(operands)
    if tape is None:
        return _plain(block.data_fn(*operands))
    if block.partials and _is_of_entries(tape, operands):
        return as_object_array(by_entries(block, len(operands))(*map(scalars, operands)))
    data, places = [], []
    for operand in operands:
        if type(operand) is Variable:
            data.append(operand.data)
            places.append(operand.index)
        else:  # whole numbers as floats, unless they are settings, such as an axis
            data.append(float(operand) if type(operand) is int and block.partials else operand)
            places.append(tape.literal(data[-1]))
    value = _plain(_elementwise_value(block, operands, data) if block.partials else block.data_fn(*data))
    if type(value) is np.ndarray:
        if value.dtype.kind == "c":
            raise complex_numbers()
        if value.base is not None and type(operands[0]) is Variable:
            tape.viewed.add(operands[0].index)
        elif id(value) not in map(id, data):
            value.flags.writeable = False  # what is written down stays as it is
    elif isinstance(value, complex):
        raise complex_numbers()
    if len(places) > 2:
        tape.rest[tape.count] = tuple(places[2:])
    first, second = (*places, ABSENT, ABSENT)[:2]
    frame: Any = _getframe(1)
    while frame is not tape.root and internal(frame.f_code):
        frame = frame.f_back
    return record(tape, block.number, first, second, value, frame)


def _is_of_entries(tape: Tape, operands: tuple[Any, ...]) -> bool:
    """Whether an elementwise Block has to be applied entry by entry."""
    for operand in operands:
        if isinstance(operand, np.ndarray) and (tape.grain == "scalar" or operand.dtype.hasobject):
            return True
    return False


def _elementwise_value(block: Block, operands: tuple[Any, ...], data: list[Any]) -> Any:
    """Quick on floats; where Python raises or leaves the reals, NumPy's answer."""
    if isinstance(data[0], float) and all(isinstance(entry, float) for entry in data):
        try:
            value = block.scalar_fn(*map(float, data))
        except (ArithmeticError, ValueError):
            return block.data_fn(*data)
        if type(value) is float:
            return value
    return block.data_fn(*_strong(operands, data))


def _strong(operands: tuple[Any, ...], data: list[Any]) -> list[Any]:
    """Beside single precision a traced number counts in full: to NumPy, Python's floats are of any precision."""
    if float not in map(type, data) or all(getattr(entry, "dtype", np.float64) == np.float64 for entry in data):
        return data
    return [
        np.float64(entry) if type(operand) is Variable and type(entry) is float else entry
        for operand, entry in zip(operands, data, strict=True)
    ]


Block.__call__ = lambda self, *operands: apply_block(self, operands)  # type: ignore[method-assign]


def tape_of(operands: Any) -> Tape | None:
    """The tape of the Variables among the operands; two different ones are an error."""
    tape = None
    for operand in operands:
        if type(operand) is Variable:
            if tape is not None and operand.tape is not tape:
                raise TraceClosedError(
                    "Variables of two traces met. "
                    "Take derivatives of a function inside a traced function only of plain numbers.",
                    user_origin(),
                )
            tape = operand.tape
    return tape


def _plain(value: Any) -> Any:
    """A float for a number in double precision, whatever NumPy calls it."""
    if type(value) is np.float64 or (type(value) is np.ndarray and not value.ndim and value.dtype == np.float64):
        return float(value)
    return value


def scalars(operand: Any) -> np.ndarray:
    """A plain array of dtype object with the entries of a Variable (each a Variable) or of an array of numbers."""
    if not isinstance(operand, Variable):
        return as_plain_array(np.asarray(operand, dtype=object))
    known = operand.tape.entries.get(operand.index)
    if known is not None:
        return known.copy()
    entries = as_plain_array(np.empty(operand.shape, dtype=object))
    if not operand.shape:
        entries[()] = operand
        return entries
    for place in np.ndindex(*operand.shape):
        entries[place] = apply_block(blocks.INDEX, (operand, place))
    operand.tape.entries[operand.index] = entries
    return entries.copy()


@lru_cache(maxsize=256)
def by_entries(block: Block, count: int, identity: Any = None) -> Any:
    """A ufunc of ``count`` operands over plain object arrays that applies a Block to each entry."""

    def apply(*entries: Any) -> Any:
        return apply_block(block, tuple(entry if type(entry) is Variable else real(entry) for entry in entries))

    return np.frompyfunc(apply, count, 1, identity=identity)


def real(number: Any) -> float:
    """A plain number as a float; complex ones are refused."""
    if isinstance(number, complex):
        raise complex_numbers()
    return float(number)


def complex_numbers() -> MissingBlockError:
    """The error for complex numbers among traced ones."""
    return MissingBlockError("adviz traces real numbers. Compute real and imaginary parts apart.", user_origin())


def _conversion(name: str) -> Exception:
    """The error for a traced value that is turned into a plain number; what to do depends on who asked."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    if frame and opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":
        return ArrayWriteError(
            "A traced value was written into an array of plain numbers. Make that array with dtype=object, "
            "or collect the values in a list and use np.stack.",
            place,
        )
    if place and place.text.startswith("math."):
        function = place.text.split("(")[0]
        name = function.removeprefix("math.")
        name = {"fsum": "sum", "fabs": "abs", "dist": "linalg.norm"}.get(name, name)
        known = hasattr(np, name.split(".")[0])
        otherwise = "Write it out with NumPy's functions, or make a Block: adviz.define."
        advice = f"Use np.{name} instead." if known else otherwise
        return ConversionError(f"{function} works on plain numbers only. {advice}", place)
    return ConversionError(
        f"Making {name} of a traced value would cut it off from the graph. "
        "Leave it as it is, or convert after tracing.",
        place,
    )
