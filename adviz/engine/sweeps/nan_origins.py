"""Where NaN or infinity in a derivative arose although the result is finite; computed only if there is some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ..devices import as_like, is_on_device, to_numpy
from ..jacobians.algebra import Dense, Kronecker, RankOne
from ..jacobians.local import Choice, Diagonal, Jacobian, LinearMap, MatrixProduct, Reduction
from ..recording import non_finite
from ..recording.tape import warn
from ..rules.elementwise import KINK
from ..trace_errors import NonFiniteWarning
from .definition import ScalarSweeps, Sweeps, sweeps

# ---- where it began ----


def is_finite(data: Iterable[Any]) -> bool:
    """Return whether numbers and arrays of NumPy have no NaN and no infinity; device arrays count as finite."""
    return all(is_on_device(each) or non_finite.is_finite(each) for each in data)


def warn_of_derivative(graph: Graph, nodes: Iterable[int], forward: bool = False) -> None:
    """Name the node at which a finite derivative becomes NaN or infinite, in the sweep from these nodes.

    For a result that is not finite the trace has already named the node.
    """
    if not is_finite(graph.values[node] for node in graph.outputs):
        return
    with np.errstate(all="ignore"):
        found = next(_origins(graph, nodes, forward), None)
    if found is None:
        return
    index, what = found
    if graph.blocks[index] is KINK:
        warn(NonFiniteWarning(_about_kink(graph, index)))
        return
    block, place = graph.blocks[index], graph.origin(index)
    remedy = " Where np.where leaves such entries out, choose what the function is applied to as well: "
    remedy = f"{remedy}{block.remedy}." if block.remedy else ""
    where = f"\n  at {place}" if place else ""
    warn(
        NonFiniteWarning(
            f"{what} arises in the derivative of node {index}, {graph.label(index)}: a partial is infinite or "
            f"undefined there, and 0 times that is NaN.{remedy}{where}"
        )
    )


def _about_kink(graph: Graph, index: int) -> str:
    """Which function has a kink, and where: the slope at it is a function of its operand, or of a difference of two."""
    (x,) = graph.operand_nodes(index)[-1:]
    near = {x, *graph.operand_nodes(x)}
    users = (k for k in range(index) if graph.blocks[k].kink and (k == x or near.intersection(graph.operand_nodes(k))))
    node = next(users, None)
    what, place = ("A function", None) if node is None else (f"Node {node}, {graph.label(node)},", graph.origin(node))
    where = f"\n  at {place}" if place else ""
    return (
        f"{what} has a kink at this point, as abs has at 0: its slope is the mean of those on both sides, and has no "
        f"derivative there. NaN stands for derivatives that differ from side to side.{where}"
    )


def _origins(graph: Graph, nodes: Iterable[int], forward: bool) -> Iterator[tuple[int, str]]:
    """The nodes whose partials turn a finite derivative into NaN or infinity, in the order of the sweep, and which."""
    edges = Sweeps(graph).edges
    carried = {node: as_like(np.ones(np.shape(graph.values[node])), graph.values[node]) for node in nodes}
    for index in range(len(graph)) if forward else range(len(graph) - 1, -1, -1):
        for operand, jacobian in edges[index]:
            source, target = (operand, index) if forward else (index, operand)
            if source in carried:
                term = (jacobian.jvp if forward else jacobian.vjp)(carried[source])
                if is_finite([to_numpy(carried[source])]) and not is_finite([to_numpy(term)]):
                    yield index, non_finite.non_finite(to_numpy(term))
                carried[target] = carried[target] + term if target in carried else term


# ---- behind a mask ----

# Sweeps in which a derivative that is zero by structure stays zero, also where it meets an infinite partial.
#
# Zero times infinity is NaN, and has to be: with `sqrt(x * x)` at 0 a zero stands for a limit. But it is zero whatever
# the numbers are where `np.where` leaves an entry out, or where an entry of the one array has nothing to do with that
# of the other. These sweeps carry along which numbers depend on which; they are run where there is NaN or infinity
# only.


class MaskedSweeps(Sweeps):
    """The sweeps of the definition, of plain arrays, each beside one that tells what depends on what.

    >>> from adviz import trace
    >>> graph = trace(lambda x: np.where(x > 0, np.sqrt(x), 0.0), np.array([0.0, 4.0]))
    >>> MaskedSweeps(graph).reverse({graph.outputs[0]: np.ones(2)})[0]
    array([0.  , 0.25])
    """

    def forward(self, tangents: dict[int, Any]) -> dict[int, Any]:
        result, depends = dict(tangents), {node: _nonzero(each) for node, each in tangents.items()}
        with np.errstate(all="ignore"):
            for index, edges in enumerate(self.edges):
                for operand, jacobian in edges:
                    if operand in tangents or operand in result:
                        part = structure_of(jacobian).jvp(depends[operand])
                        _add(result, depends, index, jacobian.jvp(result[operand]), part)
        return result

    def reverse(self, adjoints: dict[int, Any], *, every: bool = False) -> dict[int, Any]:
        result, depends = dict(adjoints), {node: _nonzero(each) for node, each in adjoints.items()}
        with np.errstate(all="ignore"):
            for index in range(len(self.graph) - 1, -1, -1):
                if index in result:
                    for operand, jacobian in self.edges[index]:
                        part = structure_of(jacobian).vjp(depends[index])
                        _add(result, depends, operand, jacobian.vjp(result[index]), part)
        return result


def swept(graph: Graph, derive: Callable[[Any], list[Any]], known: Any = None) -> list[Any]:
    """What ``derive`` gets from the fastest sweeps (or ``known`` ones), or where there is NaN from masked ones."""
    sweep = sweeps(graph) if known is None else known
    result = derive(sweep)
    if isinstance(sweep, ScalarSweeps) or is_finite(result):
        return result
    return derive(MaskedSweeps(graph))


def _nonzero(seed: Any) -> Any:
    return np.not_equal(seed, 0) * 1.0


def _add(sums: dict[int, Any], depends: dict[int, Any], node: int, term: Any, part: Any) -> None:
    """Add a term, and what it depends on; where that is nothing, it is zero."""
    term = np.where(np.equal(part, 0), 0.0, term)[()]
    sums[node] = sums[node] + term if node in sums else term
    depends[node] = np.not_equal(depends[node] + part if node in depends else part, 0) * 1.0


def structure_of(jacobian: Jacobian) -> Jacobian:
    """Return a Jacobian with ones for the entries that may differ from zero: what is a choice is 1 or 0 already.

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
