"""Forward and reverse mode: what a Variable defined by the user has for a tape.

:class:`Forward` keeps nothing: a Variable carries its Jacobian with respect to the inputs. :class:`Reverse` keeps a
:class:`Node` per operation, for as long as a Variable or another Node needs it: the computational graph,
``c_graph.input_nodes``, ``.output_node``, ``Node.childrens``. :data:`CONSTANTS` is the tape of what is not
differentiated. The present mode (:func:`set_mode`) and the present inputs are context variables, so that threads and
concurrent tasks do not disturb each other.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from itertools import accumulate, count, pairwise
from types import CodeType
from typing import Any

import numpy as np

from ..graph.errors import AdvizError
from ..graph.graph import ABSENT, Graph
from ..graph.reach import reachable
from ..graph.scopes import NOWHERE, Call
from .blocks import BLOCK_OF, INPUT, OUTPUT, Block
from .devices import as_floats, as_like, device_array, is_on_device, on_one_device, to_device
from .jacobians.local import Dense, Diagonal, Jacobian, Window
from .tape import Tape, user_frame, user_origin
from .trace_errors import DomainError, InputError, ModeError, ResetGraphError

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


# ---- reverse mode ----


class Node:
    """Reverse mode: one operation, with its operands and local Jacobians, and after a backward pass its gradient.

    ``gradient`` is that of the output with respect to this Node's value, a matrix. ``childrens`` are its operands that
    are Nodes, in order and with repeats, as ``{"node": …, "jacobian": …}``. ``times_used`` counts the operand
    occurrences in Nodes that lead to the output, ``times_visited`` those that have sent their part back. All three are
    of the latest backward pass that reached this Node, until the graph is reset.

    >>> from adviz import Variable, set_mode
    >>> set_mode("reverse")
    >>> x = Variable(3.0)
    >>> y = x * x
    >>> y.compute_gradients(), x.node.times_used, [child["jacobian"] for child in y.node.childrens]
    (array([[6.]]), 2, [array([[3.]]), array([[3.]])])
    >>> set_mode("forward")
    """

    __slots__ = (
        *("block", "carried", "code", "edges", "generation", "id", "offset", "operands", "output_dim", "result"),
        *("tape", "used", "value", "visited"),
    )

    def __init__(self, tape: Reverse, block: Block, operands: Sequence[Any], value: np.ndarray):
        self.tape, self.block, self.operands, self.value = tape, block, operands, value
        self.id, self.generation, self.output_dim = next(IDS), tape.generation, value.size
        self.edges: list[tuple[Node, Jacobian]] = []
        self.carried: Jacobian | None = None
        self.result: Any = None
        self.used = self.visited = 0
        self.code: CodeType | None = None
        self.offset = NOWHERE

    @property
    def gradient(self) -> np.ndarray | None:
        """The gradient of the output with respect to this Node's value; ``None`` before a backward pass."""
        return None if self.carried is None or self.is_reset else written_out(self.carried, self.value)

    @property
    def times_used(self) -> int:
        """How often Nodes that lead to the output have it for an operand."""
        return 0 if self.is_reset else self.used

    @property
    def times_visited(self) -> int:
        """How many of these have sent their part of the gradient back."""
        return 0 if self.is_reset else self.visited

    @property
    def is_reset(self) -> bool:
        """Whether the graph was reset after a backward pass reached it."""
        return self.generation != self.tape.generation

    @property
    def childrens(self) -> list[dict[str, Any]]:
        """The operands that are Nodes, each with its local Jacobian as a matrix."""
        return [{"node": node, "jacobian": written_out(jacobian, self.value)} for node, jacobian in self.edges]

    def backward(self) -> None:
        """Compute the gradients of all Nodes that lead here, this one being the output."""
        path = self.tape.define_path(self)
        self.carried = identity(self.output_dim, self.value)
        with np.errstate(all="ignore"):
            for node in path:
                for child, jacobian in node.edges:
                    product = node.carried @ jacobian  # a Node's users have come before it
                    child.carried = product if child.carried is None else child.carried + product
                    child.visited += 1

    def __repr__(self) -> str:
        return f"<Node {self.id}: {self.block.name}>"


class Reverse(Mode):
    """Reverse mode: a Variable has a Node (``index``) that keeps the operation."""

    def __init__(self, vectors: Sequence[np.ndarray], gradient: Any = None):
        if gradient is not None:
            raise ModeError("Reverse mode computes gradients: they cannot be set.", user_origin())
        super().__init__(vectors)
        self.generation = 0
        self.output_node: Node | None = None
        self.inputs = [Node(self, INPUT, (), data) for data in vectors]

    def record(self, block: Block, operands: Sequence[Any], data: Sequence[Any], value: Any) -> Node:
        nodes = [self.node(each) if getattr(each, "tape", None) is self else None for each in operands]
        places = [place for place, result in enumerate(nodes) if result]
        with np.errstate(all="ignore"):
            jacobians = block.local_jacobians(value, data, places)
        stored = [datum if result is None else result for result, datum in zip(nodes, data, strict=True)]
        node = Node(self, block, stored, value)
        node.edges = [(stored[place], jacobian) for place, jacobian in zip(places, jacobians, strict=True)]
        if frame := user_frame():
            node.code, node.offset = frame.f_code, frame.f_lasti
        return node

    def node(self, variable: Any) -> Node:
        """Return the Node of a Variable; an error if its graph is no longer there."""
        node: Node = variable.index
        present = PRESENT.get()
        if present and present.id > self.id:  # in another context there may be none yet, or an older one
            raise self.is_replaced()
        return node

    def mixed(self, other: Mode) -> AdvizError:
        return self.is_replaced() if isinstance(other, Reverse) else super().mixed(other)

    def is_replaced(self) -> ResetGraphError:
        """Return the error for a Variable whose inputs are no longer the present ones."""
        return ResetGraphError(
            "This Variable belongs to a graph that was replaced when another input Variable was defined. "
            "Compute it again, or define all inputs together: x, y = Variable.multi_variables(x, y).",
            user_origin(),
        )

    def define_path(self, output: Node) -> list[Node]:
        """Return the Nodes that lead to an output, each after its users; their ``times_used`` are counted anew."""
        self.output_node = output
        nodes = reachable([output], lambda node: [child for child, _ in node.edges])
        path = sorted(nodes, key=lambda node: -node.id)
        for node in path:
            node.used = node.visited = 0
            node.carried, node.generation = None, self.generation
        for node in path:
            for child, _ in node.edges:
                child.used += 1
        return path

    def backward(self, variable: Any) -> None:
        self.node(variable).backward()

    def gradient(self, variable: Any) -> Any:
        """Return what was computed for this Variable, if anything."""
        return variable.index.result

    def compute_gradients(self, variable: Any) -> Any:
        """Return the gradients with respect to the inputs; inputs that the Variable does not depend on have zeros."""
        variable.index.result = super().compute_gradients(variable)
        return variable.index.result

    def jacobian(self, variable: Any) -> Jacobian:
        for node in self.inputs:
            node.carried = None
        self.backward(variable)
        if len(self.inputs) == 1 and self.inputs[0].carried is not None:
            carried: Jacobian = self.inputs[0].carried
            return carried
        rows = variable.data.size
        blocks = [
            np.zeros((rows, size)) if node.carried is None else written_out(node.carried, node.value)
            for node, size in zip(self.inputs, self.sizes, strict=True)
        ]
        return Dense(np.concatenate(on_one_device(*blocks), axis=1), (rows,), (self.ends[-1],))

    def renew(self, variable: Any, data: np.ndarray) -> None:
        super().renew(variable, data)
        if self.is_input(variable):
            variable.index.value = data


def as_graph(output: Node, inputs: Sequence[Node]) -> Graph:
    """Return the Nodes that lead to an output as rows of a tape."""
    tape = Tape("array", None, None)
    calls: dict[int, int] = {}
    places: dict[Node, int] = {}
    for place, node in enumerate([*inputs, *reversed(output.tape.define_path(output))]):
        if node in places:
            continue
        if node.code is not None and id(node.code) not in calls:
            calls[id(node.code)] = len(tape.calls)
            tape.calls.append(Call(node.code, 0, -1))
        tape.switch(calls.get(id(node.code), 0))
        operands = [places[each] if isinstance(each, Node) else tape.literal(each) for each in node.operands]
        first, second, *rest = (*operands, ABSENT, ABSENT)
        if len(operands) > 2:
            tape.rest[tape.count] = tuple(rest[:-2])
        places[node] = tape.write(tape.number(node.block), first, second, node.value, node.offset)
        if place < len(inputs):
            tape.inputs.append(places[node])
            tape.names[places[node]] = f"x{place}" if len(inputs) > 1 else "x"
    tape.switch(0)
    result = tape.write(OUTPUT.number, places[output], ABSENT, output.value, NOWHERE)
    return tape.graph([result], "c_graph")


# ---- the present mode and graph ----

MODES: dict[str, type[Forward] | type[Reverse]] = {"forward": Forward, "reverse": Reverse}

_mode: ContextVar[str] = ContextVar("mode", default="forward")


def set_mode(mode: str) -> None:
    """Choose how Variables defined from now on compute gradients: ``"forward"`` (the default) or ``"reverse"``.

    Reverse mode begins with :meth:`ComputationalGraph.reset_graph`. Raises :class:`~adviz.ModeError` for other modes.

    >>> set_mode("reverse")
    >>> present_mode()
    'reverse'
    >>> set_mode("forward")
    """
    if mode not in MODES:
        raise ModeError(f"mode is {mode!r}; it can be {' or '.join(map(repr, MODES))}")
    _mode.set(mode)
    if mode == "reverse":
        c_graph.reset_graph()


def present_mode() -> str:
    """Return the mode that Variables defined now will have in this thread."""
    return _mode.get()


def define_inputs(vectors: Sequence[np.ndarray], gradient: Any = None) -> Mode:
    """Return a tape of the present mode for input Variables that are defined together."""
    tape = MODES[_mode.get()](vectors, gradient)
    PRESENT.set(tape)
    return tape


class ComputationalGraph:
    """The computational graph of the input Variables defined last in this thread: ``ad.c_graph``.

    >>> from adviz import Variable
    >>> x, y = Variable.multi_variables(1.0, [2.0, 3.0])
    >>> c_graph.input_shapes
    [1, 2]
    """

    @property
    def input_nodes(self) -> list[Node]:
        """Reverse mode: the Nodes of the inputs, in the order of definition."""
        present = PRESENT.get()
        return list(present.inputs) if isinstance(present, Reverse) else []

    @property
    def input_shapes(self) -> list[int]:
        """The number of entries of each input."""
        present = PRESENT.get()
        return list(present.sizes) if present else []

    @property
    def output_node(self) -> Node | None:
        """Reverse mode: the Node that the latest backward pass began at."""
        present = PRESENT.get()
        return present.output_node if isinstance(present, Reverse) else None

    def define_path(self, node: Node) -> None:
        """Make a Node the output, and count how often each Node that leads to it is used."""
        node.tape.define_path(node)

    def reset_graph(self) -> None:
        """Forget the backward passes: all Nodes are without a gradient again, and used by no output.

        Their operands stay, so that gradients can be computed again, of what was computed before as well.

        >>> from adviz import Variable, set_mode
        >>> set_mode("reverse")
        >>> x = Variable(3.0)
        >>> y = x * x
        >>> y.compute_gradients(), x.node.gradient, x.node.times_used
        (array([[6.]]), array([[6.]]), 2)
        >>> c_graph.reset_graph()
        >>> x.node.gradient, x.node.times_used, y.compute_gradients()
        (None, 0, array([[6.]]))
        >>> set_mode("forward")
        """
        present = PRESENT.get()
        if isinstance(present, Reverse):
            present.generation += 1
            present.output_node = None
            for node in present.inputs:
                node.carried = None

    def graph(self, node: Node | None = None) -> Graph:
        """The Nodes that lead to a Node (the output, if none is given) as a :class:`~adviz.Graph`, to be explored.

        >>> from adviz import Variable, set_mode, sin
        >>> set_mode("reverse")
        >>> x = Variable(3.0)
        >>> y = sin(x) * x
        >>> c_graph.graph(y.node).block_counts()
        {'input': 1, 'sin': 1, 'multiply': 1, 'output': 1}
        >>> set_mode("forward")
        """
        node = node or self.output_node
        if node is None:
            raise ModeError("There is no output yet: call compute_gradients on a Variable, or pass its node.")
        return as_graph(node, node.tape.inputs)

    def __repr__(self) -> str:
        return f"<c_graph: inputs of sizes {self.input_shapes}, {_mode.get()} mode>"


c_graph = ComputationalGraph()


def reset_graph() -> None:
    """Forget the backward passes to the present inputs: ``c_graph.reset_graph()``. Programs need not call it.

    >>> reset_graph()
    """
    c_graph.reset_graph()
