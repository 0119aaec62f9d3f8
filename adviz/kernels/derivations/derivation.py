"""The derivative of a traced function as operations on arrays: the rules of its Blocks, applied to traced values.

The nodes of a recorded graph are run once more on a fresh tape, and from their values the rules of the engine go on:
:func:`adjoints` passes adjoints back, :func:`tangents` passes tangents on, and :func:`jacobians` multiplies local
Jacobians in the order of an elimination. What the rules compute is written on the same tape, so that a program and the
engine share one text of each rule.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), sections 3.1 and 3.2.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...engine.apply import AbstractTape
from ...engine.blocks import INPUT, OUTPUT, Block
from ...engine.jacobians.local import Diagonal, Flat, Jacobian
from ...engine.tape import Tape
from ...engine.trace import input_of, tracing
from ...engine.variable import Variable
from ...graph.graph import Graph
from ...graph.reach import reachable
from ...graph.versions import whole
from .regular_loops import Loop

T = TypeVar("T")


@contextmanager
def writing_on_tape() -> Iterator[Tape]:
    """Open a tape for all points, on which Blocks are written meanwhile."""
    frame = sys._getframe(2)  # below are this frame and that of contextlib
    tape = AbstractTape(frame)
    try:
        with np.errstate(all="ignore"), tracing(tape):
            yield tape
    finally:
        tape.close()


class LoopValue(NamedTuple):
    """What a loop of a program makes of ``operands``: forward what it leaves at a place, backward an adjoint.

    Loops are known by their first nodes. Keys of adjoints are ``("state", place)`` of what the first iteration takes,
    ``("fixed", node)`` of a node outside that every iteration takes, and ``("entries", node)`` of an array of which
    each takes entries. ``seeds`` are the adjoints of what the loop leaves, by place. The tangent of such a value or
    adjoint has ``moved``, the tangents of what the loop takes, by numbers, or those of the seeds, by place.
    """

    loop: int
    part: str
    key: Any
    operands: list[Any]
    seeds: Mapping[int, Any] = {}
    moved: Mapping[int, Any] | None = None


class Derivation:
    """A graph run once more, on a ``tape`` that its derivative is written on as well.

    ``values`` has the traced value of each node of the graph; ``wrote`` says which rows of the tape a node led to: its
    number, the first row and the end, and whether they are of the derivative. ``loops`` are not run: what they make are
    inputs of the tape, ``made_by_loops`` by row. Inputs of the graph that are ``looped`` are made by loops already.
    """

    def __init__(self, graph: Graph, loops: Sequence[Loop] = (), looped: Mapping[int, LoopValue] | None = None):
        self.graph, self.loops, self.looped = graph, loops, looped or {}
        self.made_by_loops: dict[int, LoopValue] = {}
        self.values: list[Any] = []
        self.wrote: list[tuple[int, int, int, bool]] = []

    def run(self, derive: Callable[[Derivation], T]) -> T:
        """Return what ``derive`` returns; it computes with the ``values`` of the graph, which are on the tape."""
        with writing_on_tape() as self.tape:
            self._run()
            return derive(self)

    def _run(self) -> None:
        graph = self.graph
        within = {node: loop for loop in self.loops for node in range(loop.start, loop.end)}
        # what loops are made of; iterations may do what no result of the last one depends on
        for_loops = reachable((node for loop in self.loops for _, node in loop.taken), graph.operand_nodes)
        for node, block in enumerate(graph.blocks):
            value = whole(graph.values[node])
            if node in within:
                loop = within[node]
                is_result = node >= loop.last and node - loop.last in loop.results
                self.values.append(self._result(loop, node - loop.last, value) if is_result else None)
            elif block is INPUT:
                self.values.append(self.input(graph.name(node) or f"x{node}", value))
                if node in self.looped:
                    made = self.looped[node]
                    operands = [self.values[each.index] if _is_traced(each) else each for each in made.operands]
                    self.made_by_loops[self.values[node].index] = made._replace(operands=operands)
            elif (graph.live[node] or node in for_loops) and block is not OUTPUT:
                with self.writing(node, False):
                    self.values.append(block(*self._data(node)))
            else:
                operand = graph.first[node]
                self.values.append(self._datum(operand) if block is OUTPUT else None)

    def input(self, name: str, value: Any) -> Variable:
        """Return one more input of the program, which has this value at the example."""
        variable: Variable = input_of(self.tape, [], name, value, False)
        return variable

    def _result(self, loop: Loop, place: int, value: Any) -> Variable:
        """Return what a loop leaves at a place of its last iteration, as an input of the tape."""
        variable = self.input(self.graph.name(loop.last + place) or "state", value)
        operands = [self.values[node] for _, node in loop.taken]
        self.made_by_loops[variable.index] = LoopValue(loop.start, "forward", place, operands)
        return variable

    def pulled_through(self, loop: Loop, known: dict[int, Any], depends: Sequence[bool]) -> None:
        """Pass the adjoints of what a loop leaves on to what it takes, each as an input of the tape."""
        seeds = {place: known[loop.last + place] for place in loop.results if loop.last + place in known}
        if not any(isinstance(seed, Variable) for seed in seeds.values()):
            return
        for key, node in dict(loop.taken).items():
            if depends[node]:
                value = whole(self.graph.values[node])
                variable = self.input(f"{self.graph.name(node) or 'value'}_adj", np.zeros_like(value))
                self.made_by_loops[variable.index] = LoopValue(loop.start, "backward", key, [*seeds.values()], seeds)
                with self.writing(loop.last):
                    known[node] = known[node] + variable if node in known else variable

    def pushed_through(self, node: int, known: dict[int, Any]) -> None:
        """Return the tangent of what a loop makes, as an input of the tape, from those of what the loop takes."""
        made, value = self.looped[node], whole(self.graph.values[node])
        taken = made.seeds if made.part == "backward" else dict(enumerate(made.operands))
        moved = {k: known[each.index] for k, each in taken.items() if _is_traced(each) and each.index in known}
        passed = [known[each] for each in _left_by(self.looped, node) if each in known]
        if (moved or passed) and _is_real(value):
            known[node] = self.input(f"{self.graph.name(node) or 'state'}_dot", np.zeros_like(value))
            operands = [*self.made_by_loops[self.values[node].index].operands, *moved.values(), *passed]
            self.made_by_loops[known[node].index] = made._replace(operands=operands, moved=moved)

    @contextmanager
    def writing(self, node: int, is_derivative: bool = True) -> Iterator[None]:
        """Ascribe what is written meanwhile to a node."""
        start = self.tape.count
        yield
        if self.tape.count > start:
            self.wrote.append((node, start, self.tape.count, is_derivative))

    def _datum(self, operand: int) -> Any:
        return self.values[operand] if operand >= 0 else self.graph.literal(operand)

    def known(self, node: int) -> list[Any]:
        """Return the value of a node and its operands; nothing for one in a loop."""
        result = [self.values[node], *self._data(node)]
        return [] if result[0] is None else result

    def _data(self, node: int) -> list[Any]:
        return [self._datum(operand) for operand in self.graph.operands(node)]

    def local_jacobians(self, node: int, places: Sequence[int]) -> list[tuple[int, Jacobian]]:
        """Return the nonzero local Jacobians of a node with respect to the operands at these places."""
        block: Block = self.graph.blocks[node]
        operands = self.graph.operands(node)
        if block is OUTPUT:
            return [(operands[0], Diagonal(1.0, np.shape(self.values[node]), np.shape(self.values[node])))]
        jacobians = block.local_jacobians(self.values[node], self._data(node), places)
        pairs = ((operands[place], jacobian) for place, jacobian in zip(places, jacobians, strict=True))
        return [(operand, jacobian) for operand, jacobian in pairs if jacobian is not None and not _is_zero(jacobian)]


def _left_by(looped: Mapping[int, LoopValue], node: int) -> list[int]:
    """Return what a loop leaves that made an adjoint, which depends on it."""
    loop, part = looped[node][:2]
    return [each for each, made in looped.items() if made[:2] == (loop, "forward")] if part == "backward" else []


def _is_traced(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_zero(jacobian: Jacobian) -> bool:
    if isinstance(jacobian, Flat):
        return True
    return isinstance(jacobian, Diagonal) and type(jacobian.partial) is float and jacobian.partial == 0


def varied(graph: Graph, inputs: Iterable[int], looped: Mapping[int, LoopValue] | None = None) -> list[bool]:
    """Say for each node whether it is made of real numbers that depend on one of these inputs, also by way of loops."""
    wanted, looped = set(inputs), looped or {}
    result: list[bool] = []
    for node, value in enumerate(graph.values):
        operands = graph.operand_nodes(node)
        if node in looped:
            operands = [*(each.index for each in looped[node].operands if _is_traced(each)), *_left_by(looped, node)]
        depends = node in wanted or any(result[operand] for operand in operands)
        result.append(depends and _is_real(value))
    return result


def _is_real(value: Any) -> bool:
    dtype = getattr(getattr(value, "chain", None), "outline", value)
    return bool(np.asarray(dtype).dtype.kind == "f")


def adjoints(
    derivation: Derivation,
    seeds: Mapping[int, Any],
    inputs: Sequence[int],
    passed: Callable[[int, Any], Any] = lambda _, adjoint: adjoint,
) -> dict[int, Any]:
    """Return adjoints of all nodes between some inputs and the outputs that have seeds, by node.

    ``passed`` says what a node passes on in the place of its adjoint.

    >>> import adviz
    >>> derivation = Derivation(adviz.trace(lambda x: x * x, 3.0))
    >>> found = derivation.run(lambda it: adjoints(it, {2: it.input("adjoint", 1.0)}, [0]))
    >>> found[0].data
    6.0
    """
    graph, known = derivation.graph, dict(seeds)
    depends = varied(graph, inputs)
    ends = {loop.end - 1: loop for loop in derivation.loops}
    within = {node for loop in derivation.loops for node in range(loop.start, loop.end)}
    for node in range(len(graph) - 1, -1, -1):
        if node in ends:
            derivation.pulled_through(ends[node], known, depends)
        if node in within or node not in known or not depends[node] or graph.blocks[node] is INPUT:
            continue
        places = [k for k, operand in enumerate(graph.operands(node)) if operand >= 0 and depends[operand]]
        adjoint = passed(node, known[node])
        with derivation.writing(node):
            for operand, jacobian in derivation.local_jacobians(node, places):
                term = jacobian.vjp(adjoint)
                known[operand] = known[operand] + term if operand in known else term
    return known


def tangents(derivation: Derivation, seeds: Mapping[int, Any]) -> dict[int, Any]:
    """Return tangents of all nodes that depend on the inputs that have seeds, by node.

    >>> import adviz
    >>> derivation = Derivation(adviz.trace(lambda x: x * x, 3.0))
    >>> found = derivation.run(lambda it: tangents(it, {0: it.input("tangent", 1.0)}))
    >>> found[2].data
    6.0
    """
    graph, known = derivation.graph, dict(seeds)
    for node in range(len(graph)):
        if node in derivation.looped:
            derivation.pushed_through(node, known)
        if graph.blocks[node] is INPUT or not graph.live[node]:
            continue
        places = [k for k, operand in enumerate(graph.operands(node)) if operand >= 0 and operand in known]
        if not places or not _is_real(graph.values[node]):
            continue
        with derivation.writing(node):
            for operand, jacobian in derivation.local_jacobians(node, places):
                term = jacobian.jvp(known[operand])
                known[node] = known[node] + term if node in known else term
    return known
