"""Derivatives by a reverse sweep over a graph: ``grad``, ``value_and_grad``, ``jacobian``.

:func:`sweep` is the definition: nodes in reverse order, each hands its cotangent to its operands through its local
Jacobians. :class:`ScalarSweep` does the same on graphs of plain numbers, with all partials computed at once, Block by
Block, and one plain loop; a test proves on random programs that both agree.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..graph.graph import Graph
from .errors import OutputError
from .structure import is_container, rebuild
from .trace import Leaf, Trace, run


def sweep(graph: Graph, seeds: dict[int, Any]) -> dict[int, Any]:
    """Cotangents of the inputs from cotangents of nodes (``seeds``); inputs that nothing flows back to are absent."""
    cotangents = dict(seeds)
    inputs = set(graph.inputs)
    with np.errstate(all="ignore"):
        for index in range(len(graph) - 1, -1, -1):
            if index not in cotangents or index in inputs:
                continue
            cotangent = cotangents.pop(index)
            for operand, jacobian in graph.local_jacobians(index):
                product = jacobian.vjp(cotangent)
                cotangents[operand] = cotangents[operand] + product if operand in cotangents else product
    return cotangents


class ScalarSweep:
    """Reverse sweeps over a graph in which every value is a float and every Block is elementwise."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.first, self.second = (np.frombuffer(column, np.int32) for column in (graph.first, graph.second))
        self.by_first, self.by_second = self._partials()

    @staticmethod
    def applies(graph: Graph) -> bool:
        """Whether the graph is of plain numbers only."""
        if not isinstance(graph.values, array) or graph.rest:
            return False
        return all(block.partials or block.name == "input" for block in graph.block_table)

    def _partials(self) -> list[np.ndarray]:
        """The partials by the first and by the second operand of every node; without meaning where there is none.

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

    def __call__(self, seeds: dict[int, float]) -> dict[int, float]:
        """Cotangents of the inputs from cotangents of nodes; 0 for inputs that nothing flows back to."""
        cotangents: list[float | None] = [None] * len(self.graph)
        for index, seed in seeds.items():
            cotangents[index] = seed
        # The list is read backwards while it is written to: the users of a node stand behind it, so that its cotangent
        # is complete when its turn comes.
        backwards = reversed(cotangents)
        for rows in self._chunks_backwards():
            for i, j, by_i, by_j, cotangent in zip(*rows, backwards, strict=False):
                if cotangent is not None:
                    if i >= 0:
                        known = cotangents[i]
                        cotangents[i] = cotangent * by_i if known is None else known + cotangent * by_i
                    if j >= 0:
                        known = cotangents[j]
                        cotangents[j] = cotangent * by_j if known is None else known + cotangent * by_j
        return {index: cotangents[index] or 0.0 for index in self.graph.inputs}

    def _chunks_backwards(self, size: int = 1 << 11) -> Iterator[list[list[Any]]]:
        """Operands and partials of all nodes, last to first, as columns of Python numbers, some thousand at a time."""
        columns = (self.first, self.second, self.by_first, self.by_second)
        for end in range(len(self.graph), 0, -size):
            yield [column[max(end - size, 0) : end][::-1].tolist() for column in columns]


def pull_back(graph: Graph) -> Callable[[dict[int, Any]], Any]:
    """The quickest reverse sweep for a graph: a function from seeds to cotangents by node."""
    return ScalarSweep(graph) if ScalarSweep.applies(graph) else lambda seeds: sweep(graph, seeds)


def _collect(cotangents: dict[int, Any], leaf: Leaf) -> Any:
    """The derivative by one array of an argument: a float for a number, zeros where nothing arrived."""
    if not leaf.nodes:  # an argument that was not traced, or has no entries
        return np.zeros(leaf.shape) if leaf.shape else 0.0
    entries = [cotangents.get(node, 0.0) for node in leaf.nodes]
    whole = np.array(entries[0]) if len(leaf.nodes) == 1 else np.array(entries, float)
    gradient = np.broadcast_to(whole, leaf.shape).copy() if whole.ndim == 0 else whole.reshape(leaf.shape)
    return gradient if leaf.shape else float(gradient)


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array"
) -> Callable[..., Any]:
    """A function that returns ``f(*args)`` and its gradient by the positional arguments ``argnums``.

    ``f`` must return one number. The gradient has the structure and the shapes of the argument (a tuple of them for a
    sequence of ``argnums``). Raises :class:`~adviz.OutputError` for any other result.

    >>> value_and_grad(lambda x: x**2 + 1)(3.0)
    (10.0, 6.0)
    """

    def evaluate(*args: Any, **settings: Any) -> tuple[Any, Any]:
        traced, chosen = _run_for(f, args, settings, argnums, grain)
        if len(traced.outputs) != 1 or is_container(traced.result) or int(np.prod(traced.outputs[0].shape)) != 1:
            shapes = [leaf.shape for leaf in traced.outputs]
            raise OutputError(
                f"grad needs a function that returns one number; {traced.graph.title} returned "
                f"{f'an array of shape {shapes[0]}' if len(shapes) == 1 else f'{len(shapes)} results'}. "
                "Use ad.jacobian, or sum the result."
            )
        output = traced.outputs[0]
        value = traced.graph.values[output.nodes[0]] if output.nodes else output.constant
        seeds = {node: np.ones(np.shape(value)) if np.ndim(value) else 1.0 for node in output.nodes}
        cotangents = pull_back(traced.graph)(seeds)
        gradients = iter([_collect(cotangents, leaf) for leaf in traced.inputs])
        return float(np.reshape(value, ())), _arranged(chosen, argnums, gradients)

    return evaluate


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array") -> Callable[..., Any]:
    """A function that returns the gradient of ``f`` by the arguments ``argnums``; see :func:`value_and_grad`.

    >>> grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    evaluate = value_and_grad(f, argnums, grain=grain)
    return lambda *args, **settings: evaluate(*args, **settings)[1]


def jacobian(f: Callable[..., Any], argnums: int | Sequence[int] = 0, *, grain: str = "array") -> Callable[..., Any]:
    """A function that returns the Jacobian of ``f``: for each result an array of ``result.shape + argument.shape``.

    Structures nest as the result's outside and the argument's inside. One reverse sweep per entry of the result.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    def evaluate(*args: Any, **settings: Any) -> Any:
        traced, chosen = _run_for(f, args, settings, argnums, grain)
        pull = pull_back(traced.graph)
        blocks = [_rows(traced, pull, leaf) for leaf in traced.outputs]
        return rebuild(traced.result, iter([_arranged(chosen, argnums, iter(row)) for row in blocks]))

    return evaluate


def _rows(traced: Trace, pull: Callable[[dict[int, Any]], Any], output: Leaf) -> list[Any]:
    """The Jacobian of one result by every array of the arguments."""
    size = int(np.prod(output.shape))
    rows = []
    for place in range(size):
        if len(output.nodes) == size:
            seeds: dict[int, Any] = {output.nodes[place]: 1.0}
            value = traced.graph.values[output.nodes[place]]
            if np.ndim(value):
                seeds = {output.nodes[place]: np.ones(np.shape(value))}
        elif output.nodes:
            seed = np.zeros(size)
            seed[place] = 1.0
            seeds = {output.nodes[0]: seed.reshape(output.shape)}
        else:
            seeds = {}
        cotangents = pull(seeds)
        rows.append([_collect(cotangents, leaf) for leaf in traced.inputs])
    by_input = zip(*rows, strict=True) if rows else [[] for _ in traced.inputs]
    jacobians = [
        np.array(column, float).reshape(output.shape + leaf.shape)
        for column, leaf in zip(by_input, traced.inputs, strict=True)
    ]
    return [float(entry) if entry.ndim == 0 else entry for entry in jacobians]


def _run_for(
    f: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any], argnums: int | Sequence[int], grain: str
) -> tuple[Trace, list[Any]]:
    """Trace by the chosen arguments only; those arguments."""
    numbers = _places(argnums, len(args))
    return run(f, args, settings, grain, numbers), [args[number] for number in numbers]


def _places(argnums: int | Sequence[int], count: int) -> list[int]:
    """``argnums`` as places among ``count`` positional arguments, in the order asked for."""
    numbers = [argnums] if isinstance(argnums, int) else argnums
    if not isinstance(numbers, Sequence) or any(type(number) is not int for number in numbers):
        raise TypeError(f"argnums is {argnums!r}; it can be a whole number or a sequence of them")
    if not all(-count <= number < count for number in numbers):
        raise ValueError(f"argnums is {argnums!r}, but the function was called with {count} positional arguments")
    places = [number % count for number in numbers]
    if len(set(places)) < len(places):
        raise ValueError(f"argnums is {argnums!r}, which names an argument twice")
    return places


def _arranged(chosen: list[Any], argnums: int | Sequence[int], new_leaves: Iterator[Any]) -> Any:
    """Leaves put together as the chosen arguments are."""
    arranged = tuple(rebuild(argument, new_leaves) for argument in chosen)
    return arranged[0] if isinstance(argnums, int) else arranged
