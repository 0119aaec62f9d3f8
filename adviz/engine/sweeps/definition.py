"""Sweeps over a graph: tangents forward from the inputs, adjoints backward from the outputs.

:class:`Sweeps` is the definition, for graphs of any values: a node's tangent is the sum of its local Jacobians times
its operands' tangents; in reverse order, each adjoint is added to those of the operands through the same Jacobians.
:class:`ScalarSweeps` does the same on graphs of plain numbers, with all partials computed at once, Block by Block, and
one plain loop; a test proves on random programs that both agree.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), sections 3.1 (forward) and 3.2 (reverse).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...graph.versions import stored
from ..devices import as_like, device_array, to_device_of
from ..jacobians.local import Jacobian


class Sweeps:
    """The linear map that a graph is at its point; its local Jacobians are computed once."""

    def __init__(self, graph: Graph):
        self.graph = graph

    @cached_property
    def edges(self) -> list[list[tuple[int, Jacobian]]]:
        """For every node its operands that are nodes, each with its local Jacobian; nothing for dead nodes."""
        live = self.graph.live
        with np.errstate(all="ignore"):
            return [self.graph.local_jacobians(index) if live[index] else [] for index in range(len(self.graph))]

    @cached_property
    def _is_on_device(self) -> bool:
        """Whether there are device arrays, so that terms have to be copied to the device of the values."""
        return device_array(*stored(self.graph.values)) is not None

    def forward(self, tangents: dict[int, Any]) -> dict[int, Any]:
        """Return tangents by node from those of some inputs; nodes that do not depend on these are absent.

        A tangent may be a Jacobian by something that the inputs depend on, as well as an array: several at once.
        """
        tangents, values, on_device = dict(tangents), self.graph.values, self._is_on_device
        with np.errstate(all="ignore"):
            for index, edges in enumerate(self.edges):
                for operand, jacobian in edges:
                    if operand in tangents:
                        tangent = as_like(tangents[operand], values[index]) if on_device else tangents[operand]
                        several = isinstance(tangent, Jacobian)
                        term = jacobian @ tangent if several else jacobian.jvp(tangent)
                        _add(tangents, index, to_device_of(term, values[index]) if on_device else term)
        return tangents

    def reverse(self, adjoints: dict[int, Any], *, every: bool = False) -> dict[int, Any]:
        """Return adjoints of the inputs from those of some nodes; inputs that no adjoint reaches are absent.

        With ``every``, adjoints of all nodes that one reaches. An adjoint may be a Jacobian of something that depends
        on the nodes, as well as an array: several at once.
        """
        adjoints, values, on_device = dict(adjoints), self.graph.values, self._is_on_device
        with np.errstate(all="ignore"):
            for index in range(len(self.graph) - 1, -1, -1):
                if index in adjoints and self.edges[index]:
                    adjoint = adjoints[index] if every else adjoints.pop(index)
                    several = isinstance(adjoint, Jacobian)
                    for operand, jacobian in self.edges[index]:
                        term = adjoint @ jacobian if several else jacobian.vjp(adjoint)
                        _add(adjoints, operand, to_device_of(term, values[operand]) if on_device else term)
        return adjoints


def _add(sums: dict[int, Any], index: int, term: Any) -> None:
    sums[index] = sums[index] + term if index in sums else term


class ScalarSweeps:
    """Sweeps over a graph in which every value is a float and every Block is elementwise.

    Tangents and adjoints may be arrays as well as numbers: several at once.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self.first, self.second = (np.frombuffer(column, np.int32) for column in (graph.first, graph.second))
        self.by_first, self.by_second = self._partials()

    @staticmethod
    def applies(graph: Graph) -> bool:
        """Return whether the graph is of plain numbers only."""
        if not isinstance(graph.values, array) or graph.rest:
            return False
        return all(block.partials or block.name == "input" for block in graph.block_table)

    def _partials(self) -> list[np.ndarray]:
        """The partials with respect to the first and the second operand of every node; undefined where there is none.

        Nodes are put in order by Block, so that the nodes of each Block are a slice: one call per rule.
        """
        # Literals behind the nodes, backwards: a literal's operand, a complement, is then its index from the end.
        literals = np.array([np.nan, *self.graph.literals[1:]], float)[::-1]
        data = np.concatenate([np.asarray(self.graph.values, float), literals])
        numbers = np.frombuffer(self.graph.block_numbers, np.int32)
        few = len(self.graph.block_table) < 1 << 16
        order = np.argsort(numbers.astype(np.uint16) if few else numbers, kind="stable")  # of 16 bits: a radix sort
        columns = [data[order], data[self.first[order]], data[self.second[order]]]
        ordered = np.empty(len(numbers)), np.empty(len(numbers))
        ends = np.cumsum(np.bincount(numbers)).tolist()
        with np.errstate(all="ignore"):
            for block, start, end in zip(self.graph.block_table, [0, *ends], ends, strict=False):
                operands = [column[start:end] for column in columns[: 1 + len(block.partials)]]
                for target, partial in zip(ordered, block.partials, strict=False):
                    target[start:end] = partial(*operands)
        partials = [np.empty_like(column) for column in ordered]
        for target, column in zip(partials, ordered, strict=True):
            target[order] = column
        return partials

    def forward(self, tangents: dict[int, Any]) -> dict[int, Any]:
        """Return tangents of the outputs from those of some inputs; outputs that do not depend on these are absent."""
        result: list[Any] = []
        append = result.append
        for rows in self._chunks(1):
            for i, j, by_i, by_j in zip(*rows, strict=True):
                tangent = None
                if i >= 0 and result[i] is not None:
                    tangent = by_i * result[i]
                if j >= 0 and result[j] is not None:
                    tangent = by_j * result[j] if tangent is None else tangent + by_j * result[j]
                append(tangents.get(len(result)) if i < 0 and j < 0 else tangent)
        return {index: result[index] for index in self.graph.outputs if result[index] is not None}

    def reverse(self, adjoints: dict[int, Any], *, every: bool = False) -> dict[int, Any]:
        """Return adjoints of the inputs, or of every node, from those of some; where no adjoint comes there is none."""
        result: list[Any] = [None] * len(self.graph)
        for index, adjoint in adjoints.items():
            result[index] = adjoint
        # The list is read backwards while it is written to: the users of a node stand behind it, so that its adjoint
        # is complete when it is read.
        backwards = reversed(result)
        for rows in self._chunks(-1):
            for i, j, by_i, by_j, adjoint in zip(*rows, backwards, strict=False):
                if adjoint is not None:
                    if i >= 0:
                        known = result[i]
                        result[i] = adjoint * by_i if known is None else known + adjoint * by_i
                    if j >= 0:
                        known = result[j]
                        result[j] = adjoint * by_j if known is None else known + adjoint * by_j
        wanted = range(len(result)) if every else self.graph.inputs
        return {index: result[index] for index in wanted if result[index] is not None}

    def _chunks(self, direction: int, size: int = 1 << 11) -> Iterator[list[list[Any]]]:
        """Operands and partials of all nodes as columns of Python numbers, some thousand at a time; -1: last first."""
        columns = [column[::direction] for column in (self.first, self.second, self.by_first, self.by_second)]
        for start in range(0, len(self.graph), size):
            yield [column[start : start + size].tolist() for column in columns]


def sweeps(graph: Graph) -> Sweeps | ScalarSweeps:
    """Return the fastest sweeps for a graph.

    >>> from adviz import trace
    >>> graph = trace(lambda x, y: x * y, 3.0, 2.0)
    >>> sweeps(graph).forward({0: 1.0, 1: 10.0})[graph.outputs[0]], sweeps(graph).reverse({graph.outputs[0]: 1.0})
    (32.0, {0: 2.0, 1: 3.0})
    """
    return ScalarSweeps(graph) if ScalarSweeps.applies(graph) else Sweeps(graph)
