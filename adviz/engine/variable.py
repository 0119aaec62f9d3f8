"""Variables: values on their way through Blocks, in forward mode, in reverse mode and while a function is traced.

A Variable is a handle of three slots: its data, its tape (the trace, or the mode, that keeps what led to it), and what
the tape knows it by. Operators on Variables
(``operators.py``), NumPy's ufuncs and its functions (``dispatch.py``) tell the tape, so that unmodified NumPy code
works. Whatever is not an operation on numbers goes through :func:`apply_block`.
"""

from __future__ import annotations

import linecache
import operator
import os
from collections.abc import Iterator
from dis import opname
from functools import lru_cache
from numbers import Number
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from ..graph.graph import ABSENT
from ..graph.origins import origin
from .arrays.complex_pairs import has_complex, is_complex
from .arrays.object_arrays import as_object_array, as_plain_array
from .arrays.program_arrays import ProgramArray, check_not_lost, contents, filled
from .blocks import BLOCK_OF, Block, Settings
from .devices import as_like, is_on_device, on_one_device
from .jacobians.local import Jacobian
from .recording import modes
from .recording.memory import note_sharing, numbers_of
from .recording.names_in_programs import ENGINES
from .recording.tape import Tape, current_tape, internal, user_frame, user_origin, warn
from .rules.indexing import INDEX
from .rules.joining import STACK
from .rules.reshaping import RESHAPE, TRANSPOSE
from .trace_errors import ArrayWriteError, BlockError, BranchError, ConversionError, MissingBlockError, NonFiniteWarning

_NUMPY = os.path.dirname(np.__file__)
_NUMPY_MEANS = (os.path.join(_NUMPY, "_core", "_methods"), os.path.join(_NUMPY, "lib", "_nan"))


class Variable:
    """A number or a vector on its way through Blocks; its ``data``, and the Jacobian by the input Variables.

    ``data`` (a number, or a list or array of them) becomes a float array of one axis; a number has length 1. A
    Variable defined by the user is the input of the functions it goes through; several inputs are defined together,
    by :meth:`multi_variables`. In forward mode (see :func:`adviz.set_mode`) each operation carries the Jacobian along
    and nothing is stored; in reverse mode it stores a Node, and :meth:`compute_gradients` goes back over the Nodes.

    ``gradient``, a matrix of shape (size of the data, size of the inputs), sets the Jacobian that forward mode starts
    with, instead of the identity; with ``input_node=False`` it is that by the inputs which are there already. With
    ``constant=True``, or ``input_node=False`` alone, the Variable is like a :class:`Constant`.

    While a function is traced, the values that it computes with are Variables too, with data of any shape.

    >>> x = Variable([1.0, 2.0])
    >>> (x * x).compute_gradients()
    array([[2., 0.],
           [0., 4.]])
    """

    __slots__ = ("data", "index", "tape")
    __hash__ = object.__hash__

    tape: Any
    index: Any
    data: Any

    def __init__(self, data: Any, gradient: Any = None, constant: bool = False, input_node: bool = True):
        self.data = modes.vector(data)
        if constant or (gradient is None and not input_node):
            self.tape, self.index = modes.CONSTANTS, None
        elif not input_node:
            self.tape = modes.present_inputs()
            self.set_gradient(gradient)
        else:
            self.tape = modes.define_inputs([self.data], gradient)
            (self.index,) = self.tape.inputs

    @classmethod
    def multi_variables(cls, *data: Any) -> list[Any]:
        """Several input Variables, defined together: gradients by them are lists of matrices, in this order.

        >>> x, y = Variable.multi_variables(3.0, [1.0, 2.0])
        >>> (x * y).compute_gradients()
        [array([[1.],
               [2.]]), array([[3., 0.],
               [0., 3.]])]
        """
        vectors = list(map(modes.vector, data))
        tape = modes.define_inputs(vectors)
        return [_made(cls, tape, vector, index) for vector, index in zip(vectors, tape.inputs, strict=True)]

    # ---- gradients: what the mode knows of it ----

    @property
    def gradient(self) -> Any:
        """The Jacobian by the input Variables: a matrix, or a list of matrices if there are several inputs.

        In reverse mode ``None`` before :meth:`compute_gradients` was called on this Variable. A constant's is zero.
        """
        return self.tape.gradient(self)

    def compute_gradients(self) -> Any:
        """The Jacobian by the input Variables; ``gradient`` returns it too from then on.

        A matrix of shape (size of the data, size of the input); a list of them, in the order of definition, if the
        inputs were defined by :meth:`multi_variables`.
        """
        return self.tape.compute_gradients(self)

    @property
    def jacobian(self) -> Jacobian:
        """The Jacobian by all inputs side by side, with its structure kept: for vectors too long for a matrix."""
        return self.tape.jacobian(self)

    def backward(self) -> None:
        """Reverse mode: compute the gradients of all Nodes that this Variable depends on."""
        self.tape.backward(self)

    @property
    def node(self) -> modes.Node:
        """Reverse mode: the Node that stores the operation."""
        return self.tape.node(self)

    @property
    def input_node(self) -> bool:
        """Whether it is an input of the graph."""
        return self.tape.is_input(self)

    @property
    def constant(self) -> bool:
        """Whether it takes part in the data flow only."""
        return self.tape is modes.CONSTANTS

    def set_data(self, data: Any) -> None:
        """Give it other data of the same size; what was computed from it before stays as it was."""
        renewed = modes.vector(data)
        self.tape.renew(self, renewed)
        self.data = renewed

    def set_gradient(self, gradient: Any) -> None:
        """Forward mode: set the Jacobian by the inputs, a matrix of as many rows as the data has numbers.

        Raises :class:`~adviz.ModeError` in reverse mode, where gradients are computed and cannot be set.
        """
        self.tape.set_gradient(self, gradient)

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
        return self.data.dtype if hasattr(self.data, "dtype") else np.dtype(float)

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Any:
        """Transposed."""
        if type(self.data) is not np.ndarray and not is_on_device(self.data):
            return np.transpose(self)
        return apply_block(TRANSPOSE, (self, tuple(range(self.data.ndim))[::-1]))  # quicker

    @property
    def real(self) -> Variable:
        """Itself: Variables are real."""
        return self

    @property
    def imag(self) -> Any:
        """Zeros: Variables are real."""
        return as_like(np.zeros(self.shape), self) if self.ndim else 0.0

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
        return (self[k] for k in range(len(self.data)))

    def __getitem__(self, key: Any) -> Variable:
        of_one_axis = isinstance(key, int | np.integer) and not isinstance(key, bool) and self.data.ndim == 1
        if of_one_axis and not modes.in_numpy():
            key = slice(range(len(self.data))[key], range(len(self.data))[key] + 1)  # a number is a vector of length 1
        result: Variable = apply_block(INDEX, (self, key))
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        if isinstance(self.tape, Tape) and not self.tape.is_closed:
            raise self.tape.not_sent()
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"Variable({self.data!r})"

    def __format__(self, spec: str) -> str:
        return format(self.data.item() if spec and np.shape(self.data) == (1,) else self.data, spec)

    # ---- where tracing would be lost ----

    def __bool__(self) -> bool:
        if self.tape.symbolic:
            if self.tape.decisions is None:
                raise decided_by_data()
            return self.tape.decisions.setdefault(self.index, bool(self.data))
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

    def item(self, *key: Any) -> Any:
        """The number of an array of one, or at a place, which stays traced."""
        if key:
            place = key[0] if len(key) == 1 else key
            return self[place if isinstance(place, tuple) else np.unravel_index(place, self.shape)]
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[(0,) * self.ndim] if self.ndim else self

    def tolist(self) -> Any:
        """Nested lists of its numbers, which stay traced."""
        return [row.tolist() for row in self] if self.ndim else self

    def __setitem__(self, *args: Any, **settings: Any) -> None:
        raise ArrayWriteError(
            "A Variable of forward or reverse mode cannot be written to. Build it with np.concatenate, np.stack or "
            "np.where, or use ad.grad or ad.jacobian, where functions may write into arrays.",
            user_origin(),
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """An object array of scalar Variables, so that code which insists on ``np.asarray`` goes on tracing.

        NumPy's arrays would share their memory with it. Here neither can follow what is written to the other: the
        object array is read-only, and the Variable is not to be changed in place. A copy may be written to.
        """
        if self.tape.level < 1:
            raise ConversionError(
                "NumPy was asked for a plain array of Variables, which would lose their gradients. "
                "Put Variables together with np.concatenate or np.stack; their numbers are in the attribute `data`.",
                user_origin(),
            )
        if dtype is not None and np.dtype(dtype) != object:
            raise _conversion(f"an array of {np.dtype(dtype)}")
        entries = scalars(self)
        if not copy and self.ndim:
            entries.flags.writeable = False
            self.tape.viewed.add(self.index)
        return entries


class Traced(Variable):
    """A Variable of a trace: its tape, its place on the tape, its data (a float, or an array of any shape)."""

    __slots__ = ()
    __init__ = object.__init__

    tape: Tape
    index: int

    def __getitem__(self, key: Any) -> Variable:
        if type(key) is not int and type(key) is not slice:
            key = plain_key(key)
        if self.tape.grain == "scalar":
            found = scalars(self)[key]
            return as_object_array(found) if isinstance(found, np.ndarray) else found
        result: Variable = apply_block(INDEX, (self, key))
        return result

    def alike(self) -> Variable:
        """Another Variable of the same node: what is written to one does not change the other."""
        return alike(self)

    def _passes_for(self) -> type:
        """What programs take it for that ask ``isinstance``: what NumPy would have there; libraries see what it is."""
        frame: FrameType | None = _getframe(1)
        while frame is not None and frame.f_globals.get("__name__") in _ASKED_ON_BEHALF:
            frame = frame.f_back
        is_library = frame is None or frame.f_globals.get("__name__", "").partition(".")[0] in ENGINES
        if is_library and (frame is None or frame.f_code is not _IS_SCALAR):
            return type(self)
        return np.ndarray if type(self.data) is np.ndarray or self.ndim else np.float64

    def _becomes(self, kind: type) -> None:
        _SET_CLASS(self, kind)

    __class__ = property(_passes_for, _becomes)


_SET_CLASS = vars(object)["__class__"].__set__
_ASKED_ON_BEHALF = frozenset({"abc", "functools"})
"""Where ``isinstance(x, numbers.Number)`` and functions of one of several types ask, for who called them."""
_IS_SCALAR = np.isscalar.__code__


class DeviceTraced(Traced):
    """One whose data are an array of another library than NumPy."""

    __slots__ = ()
    __class__ = property(type, Traced._becomes)  # the other library is not to take it for one of NumPy's


def kind_for(data: Any) -> type[Traced]:
    """The kind of Variable that a trace makes for a value; an outer trace's Variable may be the value."""
    return DeviceTraced if is_on_device(data) or isinstance(data, DeviceTraced) else Traced


class Constant(Variable):
    """A Variable that takes part in the data flow and not in the gradient flow; its gradient is zero.

    >>> x = Variable(2.0)
    >>> (Constant(7.0) * x + Constant(3.0)).compute_gradients()
    array([[7.]])
    """

    __slots__ = ()

    def __init__(self, data: Any, gradient: Any = None, constant: bool = True, input_node: bool = False):
        super().__init__(data, gradient, constant=True, input_node=False)


def _made(kind: type, tape: Any, data: Any, index: Any) -> Any:
    variable: Variable = object.__new__(kind)
    variable.tape, variable.data, variable.index = tape, data, index
    return variable


def record(
    tape: Tape, number: int, first: int, second: int, value: Any, frame: FrameType, kind: type[Traced] = Traced
) -> Variable:
    """Write one row, made by ``frame``, and hand out its Variable."""
    if frame is not tape.frame:
        tape.enter(frame)
    variable = kind()
    variable.tape, variable.data = tape, value
    variable.index = tape.write(number, first, second, value, tape.origin.f_lasti)
    return variable


def apply_block(block: Block, operands: tuple[Any, ...]) -> Any:
    """The value of a Block at its operands: a Variable if one of them is, else what ``compute`` returns."""
    if ProgramArray in map(type, operands):
        operands = contents(operands)
    tape = tape_of(operands)
    if tape is None:
        return _plain(block.compute(*operands))
    if tape.level < 1:
        return _apply_in_mode(tape, block, operands)
    if block.partials and _is_of_entries(tape, operands):
        return as_object_array(by_entries(block, len(operands))(*map(scalars, operands)))
    data, places = [], []
    for operand in operands:
        if isinstance(operand, Variable) and operand.tape is tape:
            data.append(operand.data)
            places.append(operand.index)
        else:
            data.append(_literal(block, operand))
            places.append(tape.literal(data[-1]))
            if tape.filled:
                check_not_lost(data[-1])
    value = _plain(_elementwise_value(block, operands, data) if block.partials else block.compute(*data))
    is_view = False
    if type(value) is np.ndarray or is_on_device(value):
        if value.dtype.kind == "c":
            raise complex_numbers(block)
        is_view = getattr(value, "base", None) is not None
        if type(value) is np.ndarray and id(value) not in map(id, data):
            value.flags.writeable = False  # what is written down stays as it is
    elif isinstance(value, Variable):
        is_view = getattr(numbers_of(value), "base", None) is not None
    elif isinstance(value, complex):
        raise complex_numbers(block)
    if len(places) > 2:
        tape.rest[tape.count] = tuple(places[2:])
    first, second = (*places, ABSENT, ABSENT)[:2]
    frame: Any = _getframe(1)
    while frame is not tape.root and internal(frame.f_code):
        frame = frame.f_back
    made = record(tape, tape.number(block), first, second, value, frame, kind_for(value))
    if is_view and is_on_device(value):
        tape.viewed.update(operand.index for operand in operands if isinstance(operand, DeviceTraced))
    elif is_view:
        note_sharing(tape, made, operands)
    return made


def alike(variable: Any) -> Any:
    """Another Variable of the same node: what is written to one does not change the other."""
    return _made(type(variable), variable.tape, variable.data, variable.index)


def apart(variable: Any) -> Any:
    """Another Variable of the same node, with data in memory of its own, row by row: NumPy has made a copy."""
    if not isinstance(variable, Variable):
        return np.array(variable)
    other = alike(variable)
    other.data = apart(variable.data)
    return other


def _literal(block: Block, operand: Any) -> Any:
    """An operand that the innermost tape does not know: whole numbers as floats, unless they are settings."""
    if type(operand) is int and block.partials:
        return float(operand)
    if not isinstance(operand, Variable):
        return np.asarray(operand) if isinstance(operand, np.matrix) else operand  # would make a matrix of the value
    return operand.data if operand.tape is modes.CONSTANTS else alike(operand)  # the operand may be written to


def _apply_in_mode(tape: Any, block: Block, operands: tuple[Any, ...]) -> Variable:
    """The value of a Block in forward or reverse mode: a vector, with what the mode keeps of the operation."""
    operands = tuple(modes.operand(block, entry) for entry in operands)
    data = [entry.data if isinstance(entry, Variable) else entry for entry in operands]
    modes.check_domain(block, operands, data)
    data = list(on_one_device(*data)) if block.partials else data
    with np.errstate(all="ignore"):
        value = block.compute(*data)
    value = value if is_on_device(value) else np.asarray(value)
    if value.dtype.kind == "c":
        raise complex_numbers(block)
    if not np.isfinite(value).all() and all(
        np.isfinite(entry).all() for entry in data if isinstance(entry, np.ndarray) or is_on_device(entry)
    ):
        born = "NaN" if np.isnan(value).any() else "infinity"
        warn(NonFiniteWarning(f"{born} was born in {block.name}, from finite operands."))
    if type(value) is np.ndarray:
        value = value.view()
        value.flags.writeable = False  # the array itself may be the user's
    kind = Constant if tape is modes.CONSTANTS else Variable
    made: Variable = _made(kind, tape, value, tape.record(block, operands, data, value))
    return made if modes.in_numpy() else as_vectors(made)


def as_vectors(found: Any) -> Any:
    """Variables of forward and reverse mode as the user sees them: a number is a vector of length 1."""
    if isinstance(found, Variable) and found.tape.level < 1 and not found.ndim:
        return RESHAPE(found, (1,))
    if isinstance(found, list | tuple):
        parts = map(as_vectors, found)
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    return found


def _is_of_entries(tape: Tape, operands: tuple[Any, ...]) -> bool:
    """Whether an elementwise Block has to be applied entry by entry."""
    for operand in operands:
        if issubclass(type(operand), np.ndarray) and (tape.grain == "scalar" or operand.dtype.hasobject):
            return True
        if tape.grain == "scalar" and isinstance(operand, Variable) and operand.tape is not tape and operand.ndim:
            return True
    return False


def _elementwise_value(block: Block, operands: tuple[Any, ...], data: list[Any]) -> Any:
    """Quick on floats; where Python raises or leaves the reals, NumPy's answer."""
    if isinstance(data[0], float) and all(isinstance(entry, float) for entry in data):
        try:
            value = block.scalar_fn(*map(float, data))
        except (ArithmeticError, ValueError):
            return block.compute(*data)
        if type(value) is float:
            return value
    # a comparison that is a node is 1 or 0 where it is computed with: NumPy adds up booleans to a boolean
    numbers = [float(entry) if type(entry) is np.bool_ else entry for entry in data]
    return block.compute(*_strong(operands, numbers))


def _strong(operands: tuple[Any, ...], data: list[Any]) -> list[Any]:
    """Beside single precision a traced number counts in full: to NumPy, Python's floats are of any precision."""
    if float not in map(type, data) or all(getattr(entry, "dtype", np.float64) == np.float64 for entry in data):
        return data
    return [
        np.float64(entry) if isinstance(operand, Variable) and type(entry) is float else entry
        for operand, entry in zip(operands, data, strict=True)
    ]


def _call(self: Block, *operands: Any, **settings: Any) -> Any:
    """The value; a Variable if one of the operands is one."""
    if self.number >= 0:
        if settings:
            raise TypeError(f"the Block {self.name} takes no keyword arguments")
        return apply_block(self, operands)
    for keyword, setting in settings.items():
        if isinstance(setting, Variable):
            raise BlockError(
                f"The keyword argument {keyword} of the Block {self.name} is a Variable. Keyword arguments are "
                "settings, which are not differentiated; pass operands by position.",
                user_origin(),
            )
    if any(map(has_complex, operands)):
        raise MissingBlockError(f"The Block {self.name} got complex numbers, and Blocks are real.", user_origin())
    gathered = tuple(map(_gathered, operands))
    found = apply_block(self, (*gathered, Settings(settings)) if settings else gathered)
    return found if all(map(operator.is_, gathered, operands)) else as_object_array(scalars(found))


def _gathered(operand: Any) -> Any:
    """Traced numbers in an object array as one traced array: Blocks of one's own know nothing of Variables."""
    if isinstance(operand, np.ndarray) and operand.dtype == object:
        return RESHAPE(STACK(0, *operand.ravel()), operand.shape)
    return operand


Block.__call__ = _call  # type: ignore[method-assign]


def tape_of(operands: Any) -> Any:
    """The tape of the innermost trace, or of the mode, that has a Variable among the operands."""
    tape = None
    for operand in operands:
        if isinstance(operand, Variable):
            other = operand.tape
            if tape is None or other.level > tape.level:
                tape = other
            elif other is not tape and other.level == tape.level:
                raise modes.mixed(tape, other)
    return tape


def has_traced(value: Any) -> bool:
    """Whether there is a Variable in a value, in a sequence, or among objects in an array."""
    if isinstance(value, Variable):
        return True
    if isinstance(value, list | tuple):
        return any(map(has_traced, value))
    if type(value) is ProgramArray:
        return filled(value) is not None
    return isinstance(value, np.ndarray) and value.dtype == object and any(map(has_traced, value.flat))


def as_entries(value: Any) -> Any:
    """A sequence with numbers in place of arrays without axes, which NumPy would keep among objects."""
    if isinstance(value, list | tuple):
        return [*map(as_entries, value)]
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def array_of(value: Any) -> Any:
    """Variables in nested sequences, or in an array of objects, as one array: what ``np.array`` makes of numbers.

    In the array grain that is a Variable, in the scalar grain an array of objects.
    """
    tape = current_tape()
    if isinstance(value, Variable):
        return value
    if tape is None or tape.grain == "scalar":
        is_sequence = isinstance(value, list | tuple)
        return as_object_array(np.array(as_entries(contents(value)), object) if is_sequence else value)
    if isinstance(value, np.ndarray):
        return np.reshape(STACK(0, *value.ravel()), value.shape) if value.dtype == object else value
    entries, shape = value, [len(value)]
    while entries and all(isinstance(entry, list | tuple) for entry in entries) and len(set(map(len, entries))) == 1:
        shape.append(len(entries[0]))
        entries = [inner for entry in entries for inner in entry]
    parts = [array_of(entry) if isinstance(entry, list | tuple | np.ndarray) else entry for entry in entries]
    if not all(isinstance(part, Variable | np.ndarray | Number) for part in parts):
        return np.array(value, object)
    stacked = STACK(0, *parts)
    return stacked if len(shape) == 1 else np.reshape(stacked, (*shape, *np.shape(parts[0])))


_SIMPLE = frozenset({int, slice, type(None), type(Ellipsis)})
"""Types of what keys are mostly made of."""


def plain_key(key: Any) -> Any:
    """A key whose arrays are NumPy's own; raises :class:`~adviz.BranchError` for keys that are traced."""
    if type(key) in _SIMPLE:
        return key
    if type(key) is tuple:
        return key if _SIMPLE.issuperset(map(type, key)) else tuple(map(plain_key, key))
    if isinstance(key, np.ndarray | list | Variable):
        if has_traced(key):
            raise BranchError(
                "A traced array was used as an index: what it picks depends on values. Use np.where for a choice per "
                "entry.",
                user_origin(),
            )
        key = contents(key)
        return np.array(key.tolist()) if isinstance(key, np.ndarray) and key.dtype == object else key
    return key


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
        entries[place] = apply_block(INDEX, (operand, place))
    operand.tape.entries[operand.index] = entries
    return entries.copy()


@lru_cache(maxsize=256)
def by_entries(block: Block, count: int, identity: Any = None) -> Any:
    """A ufunc of ``count`` operands over plain object arrays that applies a Block to each entry."""

    def apply(*entries: Any) -> Any:
        return apply_block(block, tuple(entry if isinstance(entry, Variable) else real(entry) for entry in entries))

    return np.frompyfunc(apply, count, 1, identity=identity)


class ComplexEntriesError(MissingBlockError):
    """A complex number turned up where an array of objects is computed with entry by entry."""


def real(number: Any) -> float:
    """A plain number as a float; complex ones have to be computed with in another way."""
    if is_complex(number):
        raise ComplexEntriesError("An array of objects has complex numbers among real ones. Use np.array or np.stack.")
    return float(number)


def complex_numbers(block: Block) -> MissingBlockError:
    """The error for a Block that made complex numbers."""
    return MissingBlockError(
        f"The Block {block.name} made complex numbers, and Blocks are real. Compute their real and imaginary parts.",
        user_origin(),
    )


def decided_by_data() -> BranchError:
    """The error for what is decided by the data where all points take the same way."""
    return BranchError(
        "What is computed here depends on the values, and a program for all points takes one way only. "
        "Use np.where for a choice per point, or np.maximum, np.minimum, np.abs; or compile it with branches=True.",
        user_origin(),
    )


def unwritable() -> ArrayWriteError:
    """The error for a traced value that was to go into an array which no trace can follow."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    name = place.text.split("[")[0] if place else ""
    known = frame is not None and name.isidentifier() and name not in frame.f_code.co_varnames
    made = (
        f"`{name}`, which was not made in the traced function{_assigned(name, frame)}"
        if known
        else ("an array that was not made in the traced function, or by a function that adviz does not know")
    )
    advice = f"Write into a copy: {name} = np.array({name})." if known else "Write into a copy of it: np.array(a)."
    return ArrayWriteError(f"A traced value was written into {made}. {advice}", place)


def _assigned(name: str, frame: Any) -> str:
    """Where a module's source first gives something this name, as far as its text tells."""
    path = frame.f_code.co_filename
    for number, line in enumerate(linecache.getlines(path), 1):
        if name in frame.f_globals and line.startswith(f"{name} ") and "=" in line:
            return f" but at {path}:{number}"
    return ""


def _conversion(name: str) -> Exception:
    """The error for a traced value that is turned into a plain number; what to do depends on who asked."""
    frame = user_frame()
    place = origin(frame.f_code, frame.f_lasti) if frame else None
    if frame and opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":
        return unwritable()
    if place and place.text.startswith("complex("):
        return ConversionError("complex() makes plain numbers only. Write x + 1j * y instead.", place)
    if place and place.text.startswith(("math.", "cmath.")):
        function = place.text.split("(")[0]
        name = function.removeprefix("c").removeprefix("math.")
        name = {"fsum": "sum", "fabs": "abs", "dist": "linalg.norm", "phase": "angle"}.get(name, name)
        known = hasattr(np, name.split(".")[0])
        otherwise = "Write it out with NumPy's functions, or make a Block: adviz.define."
        advice = f"Use np.{name} instead." if known else otherwise
        return ConversionError(f"{function} works on plain numbers only. {advice}", place)
    return ConversionError(
        f"Making {name} of a traced value would cut it off from the graph. "
        "Leave it as it is, or convert after tracing.",
        place,
    )
