"""Sweeps in which a derivative that is zero by structure stays zero, also where it meets an infinite partial.

Zero times infinity is NaN, and has to be: with ``sqrt(x * x)`` at 0 a zero stands for a limit. But it is zero whatever
the numbers are where ``np.where`` leaves an entry out, or where an entry of the one array has nothing to do with that
of the other. These sweeps carry along which numbers depend on which; they are run where there is NaN or infinity only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ..jacobians.local import Choice, Diagonal, Jacobian, LinearMap, MatrixProduct, Reduction
from ..jacobians.normal_forms import Dense, Kronecker, RankOne
from .definition import ScalarSweeps, Sweeps, sweeps
from .nan_origins import is_finite


class MaskedSweeps(Sweeps):
    """The sweeps of the definition, of plain arrays, each beside one that tells what depends on what.

    >>> from adviz import trace
    >>> graph = trace(lambda x: np.where(x > 0, np.sqrt(x), 0.0), np.array([0.0, 4.0]))
    >>> MaskedSweeps(graph).reverse({graph.outputs[0]: np.ones(2)})[0]
    array([0.  , 0.25])
    """

    def forward(self, tangents: dict[int, Any]) -> dict[int, Any]:
        found, depends = dict(tangents), {node: _nonzero(each) for node, each in tangents.items()}
        with np.errstate(all="ignore"):
            for index, edges in enumerate(self.edges):
                for operand, jacobian in edges:
                    if operand in tangents or operand in found:
                        part = structure_of(jacobian).jvp(depends[operand])
                        _add(found, depends, index, jacobian.jvp(found[operand]), part)
        return found

    def reverse(self, adjoints: dict[int, Any], *, every: bool = False) -> dict[int, Any]:
        found, depends = dict(adjoints), {node: _nonzero(each) for node, each in adjoints.items()}
        with np.errstate(all="ignore"):
            for index in range(len(self.graph) - 1, -1, -1):
                if index in found:
                    for operand, jacobian in self.edges[index]:
                        part = structure_of(jacobian).vjp(depends[index])
                        _add(found, depends, operand, jacobian.vjp(found[index]), part)
        return found


def swept(graph: Graph, derive: Callable[[Any], list[Any]], known: Any = None) -> list[Any]:
    """What ``derive`` gets from the fastest sweeps (or ``known`` ones), or where there is NaN from masked ones."""
    sweep = sweeps(graph) if known is None else known
    found = derive(sweep)
    if isinstance(sweep, ScalarSweeps) or is_finite(found):
        return found
    return derive(MaskedSweeps(graph))


def _nonzero(seed: Any) -> Any:
    return np.not_equal(seed, 0) * 1.0


def _add(found: dict[int, Any], depends: dict[int, Any], node: int, term: Any, part: Any) -> None:
    """Add a term, and what it depends on; where that is nothing, it is zero."""
    term = np.where(np.equal(part, 0), 0.0, term)[()]
    found[node] = found[node] + term if node in found else term
    depends[node] = np.not_equal(depends[node] + part if node in depends else part, 0) * 1.0


def structure_of(jacobian: Jacobian) -> Jacobian:
    """A Jacobian with ones for the entries that may differ from zero: what is a choice is 1 or 0 already.

    >>> structure_of(Choice(np.array([True, False]), (2,), (2,))).jvp(np.ones(2))
    array([1., 0.])
    >>> structure_of(Diagonal(np.array([0.0, 3.0]), (2,), (2,))).jvp(np.ones(2))
    array([1., 1.])
    """
    shapes = jacobian.out_shape, jacobian.in_shape
    if isinstance(jacobian, Diagonal):
        partial = jacobian.partial
        is_known = isinstance(jacobian, Choice) or type(partial) is float
        return Diagonal(np.not_equal(partial, 0) * 1.0 if is_known else 1.0, *shapes)
    if isinstance(jacobian, Reduction):
        return Reduction(1.0, jacobian.axis, jacobian.keepdims, *shapes)
    if isinstance(jacobian, MatrixProduct):
        return MatrixProduct(np.ones(np.shape(jacobian.fixed)), jacobian.side, *shapes)
    if isinstance(jacobian, Dense | RankOne):
        return Dense(np.ones(jacobian.shape), *shapes)
    if isinstance(jacobian, Kronecker):
        return Kronecker(structure_of(jacobian.left), structure_of(jacobian.right), *shapes)
    if isinstance(jacobian, LinearMap):
        return LinearMap(
            lambda t: np.full(shapes[0], 1.0 * np.any(t)), lambda c: np.full(shapes[1], 1.0 * np.any(c)), *shapes
        )
    return jacobian  # numbers are moved
