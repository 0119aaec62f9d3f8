"""What a Variable defined by the user has for a tape: :class:`Forward` mode and :data:`CONSTANTS`.

:class:`Forward` keeps nothing: a Variable carries its Jacobian with respect to the inputs.
:class:`~.computational_graph.Reverse` keeps a Node per operation. :data:`CONSTANTS` is the tape of what is not
differentiated. The present mode and the present inputs are context variables, so that threads and concurrent tasks do
not disturb each other.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from itertools import accumulate, count, pairwise
from typing import Any

import numpy as np

from ...graph.errors import AdvizError
from ..blocks import BLOCK_OF, Block
from ..devices import as_floats, as_like, device_array, is_on_device, to_device
from ..jacobians.local import Dense, Diagonal, Jacobian, Window
from ..trace_errors import DomainError, InputError, ModeError
from .tape import user_origin

LARGEST_MATRIX = 1 << 27
"""Entries of the largest Jacobian that is written out: a gigabyte."""

PRESENT: ContextVar[Any] = ContextVar("present", default=None)
"""The tape of the inputs defined last in this context."""
_in_numpy: ContextVar[bool] = ContextVar("in NumPy", default=False)
IDS = count()
"""Of what is newer the number is larger: of Nodes, and of tapes."""


def in_numpy() -> bool:
    """Return whether a function of NumPy's is being carried out: there a number has no axes, as in NumPy."""
    return _in_numpy.get()


def by_numpy(carry_out: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Carry out a function of NumPy's; numbers have no axes meanwhile."""
    token = _in_numpy.set(True)
    try:
        return carry_out(*args)
    finally:
        _in_numpy.reset(token)


# ---- what the user gives ----


def vector(data: Any) -> np.ndarray:
    """Return a copy of the data as a float array of one axis; a number has length 1. It cannot be written to."""
    if hasattr(data, "tape"):
        raise InputError("The data is a Variable already. Use it as it is, or its numbers: Variable(x.data).")
    try:
        kind = (data if is_on_device(data) else np.asarray(data)).dtype.kind
        result = as_floats(data) if kind in "fiub" else None
    except (TypeError, ValueError):
        result = None
    if result is None:
        raise InputError(f"The data is {type(data).__name__}, not real numbers. A Variable is a number or a vector.")
    if result.ndim > 1:
        raise InputError(
            f"The data has shape {result.shape}. A Variable is a number or a vector; for arrays of any shape there are "
            "ad.grad, ad.jacobian and ad.trace of a function."
        )
    result = to_device(result.reshape(-1))
    if type(result) is np.ndarray:
        result.flags.writeable = False  # what was computed from it would no longer fit
    return result


def operand(block: Block, entry: Any) -> Any:
    """Return an operand beside a Variable: numbers and sequences of them as floats, settings as they are."""
    if not block.partials or hasattr(entry, "tape") or is_on_device(entry):
        return np.asarray(entry, float) if isinstance(entry, list) and block.partials else entry
    return np.asarray(entry, float)


def present_inputs() -> Any:
    """Return the tape of the inputs defined last."""
    if PRESENT.get() is None:
        raise ModeError("There is no input Variable yet: define one with Variable(data).", user_origin())
    return PRESENT.get()


def check_domain(block: Block, operands: Sequence[Any], data: Sequence[Any]) -> None:
    """Refuse division by zero, and powers whose derivative with respect to the exponent does not exist."""
    if block is BLOCK_OF[np.divide] and not np.all(data[1]):
        raise DomainError("Division by zero: an entry of the divisor is 0.", user_origin())
    if block is BLOCK_OF[np.power] and hasattr(operands[1], "tape") and not np.all(np.greater(data[0], 0)):
        raise DomainError(
            "A power with a Variable for an exponent needs a base greater than 0. "
            "For a fixed exponent write a plain number: x**2.",
            user_origin(),
        )


def written_out(jacobian: Jacobian, like: Any) -> Any:
    """Return a Jacobian written out on the device of the data, unless it would fill the memory."""
    rows, columns = jacobian.shape
    if rows * columns > LARGEST_MATRIX:
        raise ModeError(
            f"The gradient is a matrix of {rows:,} by {columns:,} numbers. "
            "The attribute `jacobian` has it with its structure kept: .structure, .nnz, .jvp(tangent), .vjp(adjoint)."
        )
    return as_like(jacobian.dense(), like).astype(float)


# ---- the modes ----


class Mode:
    """What both modes have in common: the sizes of the inputs that were defined together."""

    level = 0
    symbolic = False
    """Traces are further in."""
    grain = "array"
    is_closed = False

    def __init__(self, vectors: Sequence[np.ndarray]):
        self.id = next(IDS)
        self.sizes = [len(data) for data in vectors]
        self.ends = [0, *accumulate(self.sizes)]
        self.inputs: list[Any] = []

    def mixed(self, other: Mode) -> AdvizError:
        """Return the error for Variables that were not defined together."""
        return InputError(
            "Two input Variables met that were defined one after the other, so that neither's gradient is complete. "
            "Define them together: x, y = Variable.multi_variables(x, y).",
            user_origin(),
        )

    def arranged(self, matrix: np.ndarray) -> Any:
        """Return the Jacobian with respect to all inputs as documented: a matrix, or a list of matrices."""
        parts = [matrix[:, start:end].copy() for start, end in pairwise(self.ends)]
        return parts[0] if len(parts) == 1 else parts

    def gradient(self, variable: Any) -> Any:
        """Return the value of the attribute ``gradient``."""
        return self.compute_gradients(variable)

    def compute_gradients(self, variable: Any) -> Any:
        """Return the gradients with respect to the inputs, as documented."""
        return self.arranged(written_out(self.jacobian(variable), variable.data))

    def jacobian(self, variable: Any) -> Jacobian:
        """Return the Jacobian with respect to all inputs side by side."""
        raise NotImplementedError

    def record(self, block: Block, operands: Sequence[Any], data: Sequence[Any], value: Any) -> Any:
        """Return what a Variable keeps of the operation that made it."""
        raise NotImplementedError

    def is_input(self, variable: Any) -> bool:
        """Return whether a Variable is one of the inputs."""
        return any(variable.index is index for index in self.inputs)

    def renew(self, variable: Any, data: np.ndarray) -> None:
        """Give a Variable other data, of the same size."""
        if data.size != variable.data.size:
            raise InputError(f"The Variable has {variable.data.size} numbers, the data {data.size}.", user_origin())

    def set_gradient(self, variable: Any, gradient: Any) -> None:
        """Set what forward mode carries."""
        raise ModeError("Reverse mode computes gradients: they cannot be set.", user_origin())

    def backward(self, variable: Any) -> None:
        """Run the backward pass of reverse mode."""
        raise ModeError("Only reverse mode has a backward pass: ad.set_mode('reverse').", user_origin())

    def node(self, variable: Any) -> Any:
        """Return the Node of a Variable."""
        raise ModeError("Only reverse mode stores Nodes: ad.set_mode('reverse').", user_origin())


class Constants(Mode):
    """The tape of constants, which keeps nothing."""

    level = -1

    def record(self, block: Block, operands: Sequence[Any], data: Sequence[Any], value: Any) -> None:
        """Constants make constants."""

    def jacobian(self, variable: Any) -> Jacobian:
        """Zero, with respect to the inputs there are; to itself, if there are none."""
        present = PRESENT.get()
        size = variable.data.size
        return Dense(np.zeros((size, present.ends[-1] if present else size)), (size,), (size,))

    def arranged(self, matrix: np.ndarray) -> Any:
        """In the form of the present mode."""
        present = PRESENT.get()
        return present.arranged(matrix) if present else matrix


CONSTANTS = Constants([])


class Forward(Mode):
    """Forward mode: a Variable carries its Jacobian with respect to the inputs (``index``), nothing is kept."""

    def __init__(self, vectors: Sequence[np.ndarray], gradient: Any = None):
        super().__init__(vectors)
        if gradient is not None:
            start = _as_matrix(gradient, len(vectors[0]))
            self.sizes, self.ends = [start.shape[1]], [0, start.shape[1]]
            self.inputs = [start]
        elif len(vectors) == 1:
            self.inputs = [identity(self.sizes[0], vectors[0])]
        else:
            whole = (self.ends[-1],)
            self.inputs = [
                identity(b - a, data) @ Window(slice(a, b), (b - a,), whole)
                for data, (a, b) in zip(vectors, pairwise(self.ends), strict=True)
            ]

    def record(self, block: Block, operands: Sequence[Any], data: Sequence[Any], value: Any) -> Jacobian:
        """Local Jacobians side by side, times the Jacobians of the operands stacked."""
        places = [place for place, each in enumerate(operands) if getattr(each, "tape", None) is self]
        with np.errstate(all="ignore"):
            jacobians = block.local_jacobians(value, data, places)
            products = (local @ operands[place].index for place, local in zip(places, jacobians, strict=True))
            return functools.reduce(operator.add, products)

    def jacobian(self, variable: Any) -> Jacobian:
        carried: Jacobian = variable.index
        return carried

    def set_gradient(self, variable: Any, gradient: Any) -> None:
        """Carry another Jacobian from here on, with respect to as many input numbers."""
        matrix = _as_matrix(gradient, variable.data.size)
        if matrix.shape[1] != self.ends[-1]:
            raise InputError(f"The gradient has shape {matrix.shape}, but the inputs have {self.ends[-1]} numbers.")
        variable.index = matrix


def identity(size: int, like: Any) -> Jacobian:
    """Return the identity, on the device of the data."""
    return Diagonal(1.0 if device_array(like) is None else as_like(np.ones(size), like), (size,), (size,))


def _as_matrix(gradient: Any, rows: int) -> Jacobian:
    matrix = as_floats(gradient)
    if matrix.ndim != 2 or len(matrix) != rows:
        raise InputError(f"The gradient has shape {matrix.shape}; it needs two axes and {rows} rows, one per number.")
    return Dense(matrix, (rows,), (matrix.shape[1],))
