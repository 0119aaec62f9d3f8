"""The choice of a mode, and the computational graph of the inputs that were defined last.

With this module you can

* choose how gradients are computed: :func:`set_mode`;
* look at the computational graph of reverse mode: ``c_graph.input_nodes``, ``.output_node``, ``Node.childrens``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ..trace_errors import ModeError
from .modes import PRESENT, Forward, Mode
from .reverse_mode import Node, Reverse, as_graph

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
    """The mode that Variables defined now will have in this thread."""
    return _mode.get()


def define_inputs(vectors: Sequence[np.ndarray], gradient: Any = None) -> Mode:
    """A tape of the present mode for input Variables that are defined together."""
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
