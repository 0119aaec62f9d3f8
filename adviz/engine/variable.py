"""Variables: values that go through Blocks, in forward mode, in reverse mode and while a function is traced.

A Variable is a handle of three slots: its data, its tape (of the trace or the mode that records it), and its index on
the tape. Operators on Variables, NumPy's ufuncs and its functions tell the tape, so that unmodified NumPy
code works: these methods are in ``tracing/``, where ``methods.py`` lists them.
"""

from __future__ import annotations

import os
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from . import modes
from .arrays import Handle, ProgramArray, contents, filled
from .devices import as_like, is_on_device
from .jacobians.local import Jacobian
from .modes import Node, define_inputs
from .object_arrays import NumPyMethods, as_plain_array, is_of_objects
from .rules.indexing import INDEX
from .rules.reshaping import COPY, TRANSPOSE
from .tape import ENGINES, Tape, user_origin
from .trace_errors import ArrayWriteError, BranchError, ConversionError
from .unsupported import (
    AS_INDEX,
    check_text,
    cut_off,
    decided_by_data,
    is_list,
    plain_index,
    plain_number,
    used_as_count,
)

_NUMPY = os.path.dirname(np.__file__)
_NUMPY_MEANS = (os.path.join(_NUMPY, "_core", "_methods"), os.path.join(_NUMPY, "lib", "_nan"))


class Variable(NumPyMethods, Handle):
    """A number or a vector that goes through Blocks; its ``data``, and its Jacobian.

    ``data`` (a number, or a list or array of them) becomes a float array of one axis; a number has length 1. A
    Variable defined by the user is the input of the functions it goes through; several inputs are defined together,
    by :meth:`multi_variables`. In forward mode (see :func:`adviz.set_mode`) each operation carries the Jacobian along
    and nothing is stored; in reverse mode it stores a Node, and :meth:`compute_gradients` sweeps back over the Nodes.

    ``gradient``, a matrix of shape (size of the data, size of the inputs), sets the Jacobian that forward mode starts
    with, instead of the identity; with ``input_node=False`` it is with respect to the inputs that are there already.
    With ``constant=True``, or ``input_node=False`` alone, the Variable is like a :class:`Constant`.

    While a function is traced, the values that it computes with are Variables too, with data of any shape.

    >>> x = Variable([1.0, 2.0])
    >>> (x * x).compute_gradients()
    array([[2., 0.],
           [0., 4.]])
    """

    __slots__ = ()
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
            self.tape = define_inputs([self.data], gradient)
            (self.index,) = self.tape.inputs

    @classmethod
    def multi_variables(cls, *data: Any) -> list[Any]:
        """Return several input Variables, defined together: gradients are lists of matrices, in this order.

        >>> x, y = Variable.multi_variables(3.0, [1.0, 2.0])
        >>> (x * y).compute_gradients()
        [array([[1.],
               [2.]]), array([[3., 0.],
               [0., 3.]])]
        """
        vectors = list(map(modes.vector, data))
        tape = define_inputs(vectors)
        return [new_variable(cls, tape, vector, index) for vector, index in zip(vectors, tape.inputs, strict=True)]

    # ---- gradients: what the mode knows of it ----

    @property
    def gradient(self) -> Any:
        """The Jacobian with respect to the input Variables: a matrix, or a list of them if there are several inputs.

        In reverse mode ``None`` before :meth:`compute_gradients` was called on this Variable. A constant's is zero.
        """
        return self.tape.gradient(self)

    def compute_gradients(self) -> Any:
        """Return the Jacobian with respect to the input Variables; ``gradient`` returns it too from then on.

        A matrix of shape (size of the data, size of the input); a list of them, in the order of definition, if the
        inputs were defined by :meth:`multi_variables`.
        """
        return self.tape.compute_gradients(self)

    @property
    def jacobian(self) -> Jacobian:
        """The Jacobian with respect to all inputs, its structure kept: for vectors too long for a matrix."""
        return self.tape.jacobian(self)

    def backward(self) -> None:
        """Reverse mode: compute the gradients of all Nodes that this Variable depends on."""
        self.tape.backward(self)

    @property
    def node(self) -> Node:
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
        """Forward mode: set the Jacobian with respect to the inputs, a matrix of as many rows as the data has numbers.

        Raises :class:`~adviz.ModeError` in reverse mode, where gradients are computed and cannot be set.
        """
        self.tape.set_gradient(self, gradient)

    # ---- what it looks like from outside ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data; ``()`` for a number."""
        return np.shape(self.data)

    @shape.setter
    def shape(self, value: Any) -> None:
        raise ArrayWriteError("The shape of a traced array cannot be set. Write x = x.reshape(...).", user_origin())

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
    def T(self) -> Any:
        """Transposed."""
        if type(self.data) is not np.ndarray and not is_on_device(self.data):
            return np.transpose(self)
        return TRANSPOSE(self, tuple(range(self.data.ndim))[::-1])  # the fast path

    @property
    def real(self) -> Variable:
        """Itself: Variables are real."""
        return self

    @real.setter
    def real(self, value: Any) -> None:
        self[...] = value

    @property
    def imag(self) -> Any:
        """Zeros: Variables are real."""
        return as_like(np.zeros(self.shape, self.dtype), self) if self.ndim else 0.0

    @property
    def mT(self) -> Any:
        """The last two axes transposed."""
        return np.matrix_transpose(self)

    @property
    def flat(self) -> Any:
        """Its entries as an array of one axis."""
        return np.ravel(self)

    def __getitem__(self, key: Any) -> Variable:
        of_one_axis = isinstance(key, int | np.integer) and not isinstance(key, bool) and self.data.ndim == 1
        if of_one_axis and not modes.in_numpy():
            key = slice(range(len(self.data))[key], range(len(self.data))[key] + 1)  # a number is a vector of length 1
        result: Variable = INDEX(self, key)
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        if isinstance(self.tape, Tape) and not self.tape.is_closed:
            raise self.tape.not_sent()
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return check_text(f"Variable({self.data!r})")

    def __format__(self, spec: str) -> str:
        return check_text(format(self.data.item() if spec and np.shape(self.data) == (1,) else self.data, spec))

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
        return bool(np.not_equal(self, 0.0) if isinstance(self.data, Variable) else self.data)

    def __float__(self) -> float:
        return plain_number(self, float, "a float")

    def __int__(self) -> int:
        return plain_number(self, int, "an int")

    def __complex__(self) -> complex:
        raise cut_off("a complex number")

    def __index__(self) -> int:
        if is_symbolic_array(self):
            raise plain_index()
        raise used_as_count()

    def conj(self) -> Variable:
        """Itself: Variables are real."""
        return self

    conjugate = conj

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Any:
        return np.round(self, digits or 0)

    def __copy__(self, memo: Any = None) -> Any:
        return COPY(self)

    __deepcopy__ = __copy__

    def item(self, *key: Any) -> Any:
        """Return the number of an array of one, or at a place, which stays traced."""
        if key:
            place = key[0] if len(key) == 1 else key
            if not isinstance(place, tuple):
                place = np.unravel_index(range(self.size)[place], self.shape)
            return self[place]
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[(0,) * self.ndim] if self.ndim else self

    def tolist(self) -> Any:
        """Return nested lists of its numbers, which stay traced."""
        return [row.tolist() if self.ndim > 1 else row for row in self] if self.ndim else self

    def __setitem__(self, *args: Any, **settings: Any) -> None:
        raise ArrayWriteError(
            "A Variable of forward or reverse mode cannot be written to. Build it with np.concatenate, np.stack or "
            "np.where, or use ad.grad or ad.jacobian, where functions may write into arrays.",
            user_origin(),
        )

    sort = fill = put = partition = __setitem__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return an object array of scalar Variables, so that code which insists on ``np.asarray`` goes on tracing.

        NumPy's arrays would share their memory with it. Here neither can follow what is written to the other: the
        object array is read-only, and the Variable is not to be changed in place. A copy may be written to.
        """
        if self.tape.level < 1:
            raise _kept_whole()
        if self.dtype.kind in "biu" and is_symbolic_array(self):
            raise plain_index()
        if dtype is not None and np.dtype(dtype) != object:
            kind = np.dtype(dtype)
            return np.array(plain_number(self, kind.type, f"an array of {kind}"))
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

    def __str__(self) -> str:
        return check_text(str(self.data))  # as the program has it without adviz

    def __hash__(self) -> int:
        """Of a number that of its value, as it is equal to others; an array has one for this package only."""
        if self.ndim or is_on_device(self.data):
            return object.__hash__(self)
        if self.tape.symbolic and self.tape.decisions is None:
            raise decided_by_data()
        self.tape.hashed = True
        return hash(self.data[()] if type(self.data) is np.ndarray else self.data)

    def alike(self) -> Variable:
        """Return another Variable of the same node: what is written to one does not change the other."""
        return alike(self)

    def _passes_for(self) -> type:
        """What programs take it for that ask ``isinstance``: what NumPy would have there; libraries see what it is."""
        frame: FrameType | None = _getframe(1)
        while frame is not None and frame.f_globals.get("__name__") in _ASKED_ON_BEHALF:
            frame = frame.f_back
        is_library = frame is None or frame.f_globals.get("__name__", "").partition(".")[0] in ENGINES
        if is_library and (frame is None or frame.f_code is not _IS_SCALAR):
            return type(self)
        if type(self.data) is np.ndarray or self.ndim:
            return list if is_list(self) else np.ndarray
        return self.kind_of_number

    @property
    def kind_of_number(self) -> type:
        """What one number is to a program: one of Python's where all arguments are such numbers."""
        kind = self.dtype.type
        return kind if self.tape.has_arrays else _PYTHONS.get(kind, kind)

    def _becomes(self, kind: type) -> None:
        SET_CLASS(self, kind)

    __class__ = property(_passes_for, _becomes)


SET_CLASS = vars(object)["__class__"].__set__
_ASKED_ON_BEHALF = frozenset({"abc", "functools"})
"""Where ``isinstance(x, numbers.Number)`` and functions of one of several types ask, for who called them."""
_IS_SCALAR = np.isscalar.__code__
_PYTHONS: dict[type, type] = {np.float64: float, np.bool_: bool}


class DeviceTraced(Traced):
    """One whose data are an array of another library than NumPy."""

    __slots__ = ()
    __class__ = property(type, Traced._becomes)  # the other library is not to take it for one of NumPy's


def kind_for(data: Any) -> type[Traced]:
    """Return the kind of Variable that a trace makes for a value; an outer trace's Variable may be the value."""
    if type(data) is np.ndarray or type(data) is float:
        return Traced
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


def new_variable(kind: type, tape: Any, data: Any, index: Any) -> Any:
    variable: Variable = object.__new__(kind)
    variable.tape, variable.data, variable.index = tape, data, index
    return variable


def alike(variable: Any) -> Any:
    """Return another Variable of the same node: what is written to one does not change the other."""
    return new_variable(type(variable), variable.tape, variable.data, variable.index)


def apart(variable: Any) -> Any:
    """Return another Variable of the same node, with data in memory of its own, row by row: NumPy has made a copy."""
    if not isinstance(variable, Variable):
        return np.array(variable)
    other = alike(variable)
    other.data = apart(variable.data)
    return other


def _kept_whole() -> ConversionError:
    """Return the error for what NumPy does with the entries of arrays one by one; those of the modes are kept whole."""
    return ConversionError(
        "NumPy was asked for a plain array of Variables, which would lose their gradients. "
        "Put Variables together with np.concatenate or np.stack; their numbers are in the attribute `data`.",
        user_origin(),
    )


def scalars(operand: Any) -> np.ndarray:
    """A plain array of dtype object with the entries of a Variable (each a Variable) or of an array of numbers."""
    if not isinstance(operand, Variable):
        return as_plain_array(np.asarray(operand, dtype=object))
    if operand.tape.level < 1:
        raise _kept_whole()
    known = operand.tape.entries.get(operand.index)
    if known is not None:
        return known.copy()
    entries = as_plain_array(np.empty(operand.shape, dtype=object))
    if not operand.shape:
        entries[()] = operand
        return entries
    for place in np.ndindex(*operand.shape):
        entries[place] = INDEX(operand, place)
    operand.tape.entries[operand.index] = entries
    return entries.copy()


def has_traced(value: Any) -> bool:
    """Return whether there is a Variable in a value, in a sequence, or among objects in an array."""
    if isinstance(value, Variable):
        return True
    if isinstance(value, list | tuple):
        return any(map(has_traced, value))
    if type(value) is ProgramArray:
        return filled(value) is not None
    return is_of_objects(value) and any(map(has_traced, value.flat))


def is_symbolic_array(value: Any) -> bool:
    """Whether a value is of a trace of arrays that is to hold at every point: conditions and indices are nodes."""
    while isinstance(value, Variable):
        if value.tape.symbolic and value.tape.grain == "array":
            return True
        value = value.data  # an outer trace's, perhaps
    return False


_SIMPLE = frozenset({int, slice, type(None), type(Ellipsis)})
"""Types of what keys are mostly made of."""


def is_computed(key: Any) -> bool:
    """Return whether there are indices or conditions in a key that are nodes."""
    if type(key) is tuple or type(key) is list:
        return not _SIMPLE.issuperset(map(type, key)) and any(map(is_computed, key))
    return isinstance(key, Variable) and is_symbolic_array(key)


def plain_key(key: Any) -> Any:
    """Return a key whose arrays are NumPy's own; raises :class:`~adviz.BranchError` for keys that are traced."""
    if type(key) in _SIMPLE:
        return key
    if type(key) is tuple:
        return key if _SIMPLE.issuperset(map(type, key)) else tuple(map(plain_key, key))
    if isinstance(key, np.ndarray | list | Variable):
        if has_traced(key):
            raise BranchError(
                AS_INDEX,
                user_origin(),
            )
        key = contents(key)
        return np.array(key.tolist()) if is_of_objects(key) else key
    return key
