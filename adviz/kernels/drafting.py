"""A program in the making: from a traced function to expressions, an elimination order and a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.elimination.orders import Order
from ..engine import linearize
from ..engine.pytrees import is_container, kind_of, leaves, rebuild
from ..engine.rules.kinks import at_kinks
from ..engine.trace import parameter_names, record, warn_of_independence
from ..engine.trace_errors import InputError, OutputError
from ..graph.graph import Graph
from .backends.selection import backend_name
from .backends.threads import check_threads
from .expressions.accumulation import Linearization, Places, expressions_of, without
from .expressions.expressions import Symbol, place_of
from .planning.fast_math import FASTER, Replaced, faster
from .planning.order_selection import Chosen, chosen
from .planning.schedule import schedule
from .points.batches import Leaf, check_layout, is_of_other_library
from .points.results import Coo, Csr, Part
from .points.selected import Which, selected
from .program.guards import Guard, decision_texts
from .program.notes import Elimination, Note, notes_of
from .program.program import Program
from .program.watching import Watch
from .program_errors import ProgramError

Leaves = list[tuple[tuple[int, ...], Sequence[Any]]]
"""Arrays of arguments or results: the shape of each, and the vertices of its numbers."""


class Options(NamedTuple):
    """The options of every function of :mod:`~.compiling`; :func:`adviz.compile_jacobian` explains them."""

    points: str
    backend: Any
    threads: int | None
    branches: bool
    fast: bool


class Draft:
    """A program in the making: the expressions of a traced function, and the outputs so far, beginning with the values.

    ``inputs`` are the arrays of the arguments to differentiate with respect to, ``results`` those to differentiate,
    each with its vertices; ``unwanted`` are the other inputs. ``arguments`` and ``values`` have the structures of both.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        example: tuple[object, ...],
        settings: dict[str, object],
        options: Options,
        inputs: Which = None,
        outputs: Which = None,
    ):
        check_layout(options.points)
        check_threads(options.threads)
        shapes = (np.ones(leaf.shape) if is_of_other_library(leaf) else leaf for _, leaf in leaves(example, "example"))
        example = rebuild(example, shapes)  # arrays of other libraries may be on a GPU, and only their shapes matter
        recorded = record(f, example, settings, "scalar", symbolic=True, decides=options.branches)
        if outputs is not None:
            if not isinstance(recorded.result, tuple | list):
                raise ProgramError(f"outputs selects among results, and {recorded.title} returns one. Leave it out.")
            result, chosen_leaves = selected("outputs", outputs, recorded.result, recorded.outputs)
            recorded = recorded._replace(result=result, outputs=chosen_leaves)
        warn_of_independence(recorded)
        self.f, self.example, self.options, self.title = f, example, options, recorded.title
        graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], recorded.title)
        self.guard = _guard(copy(graph), recorded.tape.decisions or {})
        self.traced = expressions_of(graph)
        self.eliminations: list[Elimination] = []
        self.replaced: dict[int, Replaced] = {}
        self.linear, self.known = self.traced.linear, self.traced.linear.known
        self.outputs: list[int] = []
        self.has_kinks = False
        self.parts: list[Part] = []
        self.values = rebuild(recorded.result, iter([np.zeros(leaf.shape) for leaf in recorded.outputs]))
        for (name, value), leaf in zip(leaves(example, "argument"), recorded.inputs, strict=True):
            if len(leaf.nodes) != np.size(value):
                raise InputError(f"{name} is boolean: pass what is the same for all points as a keyword argument.")
        arrays = rebuild(example, (np.zeros(np.shape(leaf)) for _, leaf in leaves(example, "")))  # a list stays a list
        self.arguments, wanted = selected("inputs", inputs, arrays, recorded.inputs)
        self.inputs: Leaves = [(leaf.shape, leaf.nodes) for leaf in wanted]
        self.unwanted = {*graph.inputs} - {x for _, nodes in self.inputs for x in nodes}
        vertex = dict(zip(graph.outputs, self.linear.cgraph.outputs, strict=True))
        self.results: Leaves = []
        for leaf in recorded.outputs:
            constants = () if leaf.constant is None else np.ravel(leaf.constant).tolist()
            places = [*map(self.known.constant, constants)] or [self.traced.values[y] for y in leaf.nodes]
            self._add_array("values", leaf.shape, places)
            self.results.append((leaf.shape, [vertex[y] for y in leaf.nodes] or [None] * len(constants)))

    def at_kinks(self) -> int | None:
        """The expression that is NaN where a function is at a kink, else 0; ``None`` if none has a kink."""
        graph, values = self.traced.graph, self.traced.values

        def data(node: int) -> list[Any]:
            operands = [Symbol(self.known, values[k]) if k >= 0 else graph.literal(k) for k in graph.operands(node)]
            return [Symbol(self.known, values[node]), *operands] if values[node] else []

        found = at_kinks(graph, data)
        self.has_kinks = found is not None
        return place_of(self.known, found) if self.has_kinks else None

    def check_is_number(self, name: str) -> None:
        """Raise an :class:`~adviz.OutputError` unless the function returns one number."""
        if is_container(self.values) or np.shape(self.values):
            found = kind_of(self.values) if is_container(self.values) else f"an array of shape {np.shape(self.values)}"
            raise OutputError(f"{name} needs a function that returns one number; {self.title} returns {found}.")

    def chosen(self, linear: Linearization, order: Order, is_of_nodes: bool = True) -> Chosen:
        """Accumulate a Jacobian by an order, or by the fastest one for the program so far."""
        if is_of_nodes and not isinstance(order, str):  # its errors call vertices by their names
            number = self.traced.vertices
            linear.cgraph.names = {number[j]: name for j, name in linearize.vertices(self.traced.graph).names.items()}
        elif is_of_nodes and self.unwanted:
            linear = without(linear, self.unwanted)
        found = chosen(linear, order, lambda jacobian: [*self.outputs, *jacobian.values()])
        self.eliminations.append(Elimination(linear, found.vertices, is_of_nodes))
        return found

    def _add_array(self, name: str, shape: tuple[int, ...], places: Sequence[int]) -> None:
        """Add an array of these expressions to the results; those that are always zero are no outputs."""
        rows = [row for row, place in enumerate(places) if abs(place) != self.known.zero]
        start = len(self.outputs)
        self.outputs += [places[row] for row in rows]
        self.parts.append(Part(Leaf(name, shape), tuple(rows), tuple(range(start, len(self.outputs)))))

    def add(self, rows: Leaves, columns: Leaves, entry: Callable[[Any, Any], int | None]) -> None:
        """Add an array for each row and column: ``entry`` gives the expressions of their numbers."""
        for shape, vertices in rows:
            for inner, others in columns:
                places = [entry(one, other) or self.known.zero for one in vertices for other in others]
                self._add_array("derivatives", shape + inner, places)

    def add_entries(self, jacobian: Places, form: str) -> Coo | Csr:
        """Add an array of all entries of the Jacobian that are not always zero, and return their positions."""
        ys = [y for _, vertices in self.results for y in vertices]
        xs = [x for _, vertices in self.inputs for x in vertices]
        zero = self.known.zero
        found = [
            (p, q, place)
            for p, y in enumerate(ys)
            for q, x in enumerate(xs)
            if abs(place := jacobian.get((x, y), zero)) != zero
        ]
        rows, columns = (np.array([entry[k] for entry in found], int) for k in (0, 1))
        self._add_array("entries", (len(found),), [place for *_, place in found])
        shape = len(ys), len(xs)
        if form == "coo":
            return Coo(None, rows, columns, shape)
        return Csr(None, columns, np.searchsorted(rows, range(len(ys) + 1)), shape)

    def repeated(self, outside: Any) -> Any:
        """The structure of the arguments inside each leaf of another structure."""
        count = sum(1 for _ in leaves(outside, ""))
        return rebuild(outside, iter([self.arguments] * count))

    def program(
        self,
        template: Any,
        order: Order,
        *,
        names: Sequence[str] = (),
        example: tuple[object, ...] = (),
        further: Iterable[int] = (),
        sparsity: Coo | Csr | None = None,
    ) -> Program:
        """Finish the program, with the function's arguments or with others: ``names``, ``example``, ``further`` inputs.

        ``template`` is the structure of the results.
        """
        example = example or self.example
        names = names or parameter_names(self.f, len(example))
        named = (leaf for name, each in zip(names, example, strict=True) for leaf in leaves(each, name))
        arguments = [Leaf(name, np.shape(value)) for name, value in named]
        places = self.outputs
        if self.options.fast:
            self.replaced = faster(self.known, places, FASTER.get(backend_name(self.options.backend), []))
            places = [self.replaced[abs(each)].place * (1 if each > 0 else -1) for each in places]
        plan = schedule(self.known, [*self.traced.inputs, *further], places)
        return Program(
            name=self.title,
            schedule=plan,
            argument_names=list(names),
            arguments=arguments,
            example=example,
            parts=self.parts,
            template=template,
            points=self.options.points,
            sparsity=sparsity,
            guard=self.guard,
            explain=self.explain,
            order=order,
            backend=self.options.backend,
            threads=self.options.threads,
            watch=Watch(self.f),
            codes=self.traced.graph.codes,
            has_kinks=self.has_kinks,
        )

    def explain(self) -> dict[int, Note]:
        """What each expression is, and where it comes from."""
        notes = notes_of(self.traced, self.eliminations)
        for place, (other, made) in self.replaced.items():
            if note := notes.get(place):
                notes.setdefault(abs(other), note)
                about = note.comment.removeprefix("for ")
                helping = note._replace(name="", comment=f"for {about}" if about else "")
                notes |= {each: helping for each in made if each != other}
        return notes


def _guard(graph: Graph, decisions: dict[int, bool]) -> Guard | None:
    """The guard of the decisions that control flow took; ``None`` if there were none."""
    if not decisions:
        return None
    graph.outputs = list(decisions)
    for counted in ("live", "times_used"):  # which depend on the outputs
        vars(graph).pop(counted, None)
    traced = expressions_of(graph)
    known = traced.linear.known
    conditions = [known.where(traced.values[node], known.one, known.zero) for node in decisions]
    plan = schedule(known, traced.inputs, conditions)
    return Guard(plan, tuple(decisions.values()), decision_texts(graph, traced.vertices, decisions))
