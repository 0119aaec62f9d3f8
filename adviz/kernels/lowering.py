"""Lowering: from a traced function to expressions, an elimination order and a schedule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.elimination import OrderError
from ..algorithms.elimination.orders import NAMES, Order, vertex_order
from ..algorithms.search.greedy import quick_order
from ..engine import linearize
from ..engine.calls import leaves, rebuild
from ..engine.rules.kinks import at_kinks
from ..engine.rules.selection import CHOICE
from ..engine.trace import parameter_names, record, warn_of_independence
from ..engine.trace_errors import InputError
from ..graph.graph import Graph
from ..graph.linearized.checked_parts import Vertex
from .backends.selection import backend_name
from .backends.threads import check_threads
from .expressions.accumulation import Linearization, Places, accumulated, eliminated, expressions_of, reached, without
from .expressions.expressions import CONSTANT, INPUT, OPERATIONS, Expressions, Symbol, place_of
from .points.batches import Leaf, Which, check_layout, is_of_other_library, selected
from .points.results import Coo, Csr, Part, check_is_number
from .program.guards import Guard, deciding, decision_texts
from .program.notes import Elimination, Note, notes_of
from .program.program import Program
from .program.watching import Watch
from .program_errors import ProgramError
from .schedules import nanoseconds, schedule

# ---- orders of accumulation ----


class Chosen(NamedTuple):
    """An order, the Jacobian that it accumulates, and the order as a list of vertices if it is one of vertices."""

    order: Order
    jacobian: Places
    vertices: list[Vertex] | None


def chosen(linear: Linearization, order: Any, outputs: Callable[[Places], list[int]]) -> Chosen:
    """Accumulate a Jacobian by an order, for ``"best"`` the fastest of three, for ``"searched"`` improved by a search.

    ``outputs`` maps a Jacobian to the outputs of its program.
    """
    if not isinstance(order, str) or order not in ("best", "searched"):
        if isinstance(order, str) and order not in NAMES:
            raise OrderError(f"There is no order {order!r}; the names are {', '.join(NAMES)}, best and searched.")
        order = getattr(order, "order", order)  # of an Optimum
        order = list(order) if isinstance(order, Iterator) else order
        jacobian, vertices = accumulated(linear, order)
        return Chosen(order if isinstance(order, str) or vertices is None else vertices, jacobian, vertices)
    vertices, jacobian, least = [], {}, math.inf
    for candidate in candidates(linear):
        try:
            partials = eliminated(linear, _within(TOO_SLOW * least, linear.known, candidate))
        except _TooSlowError:
            continue
        if (time := predicted(linear.known, outputs(partials))) < least:
            vertices, jacobian, least = candidate, partials, time
    if order == "best":
        return Chosen(vertices, jacobian, vertices)
    vertices = searched(linear, vertices, outputs)
    return Chosen(vertices, eliminated(linear, vertices), vertices)


TOO_SLOW = 4
"""An order is given up when it takes this many times as long as the best so far; some products may not be needed."""


class _TooSlowError(Exception):
    """Ends the elimination by an order that is too slow."""


def _within(most: float, known: Expressions, order: list[Vertex]) -> Iterator[Vertex]:
    """Yield the vertices of an order, while the expressions that they add take at most ``most`` nanoseconds."""
    each, done, taken = nanoseconds(Counter(add=1), 0), len(known), 0.0
    for vertex in order:
        yield vertex
        taken += each * sum(operation != CONSTANT for operation in known.operations[done:])
        done = len(known)
        if taken > most:
            raise _TooSlowError


TRIALS, PATIENCE = 500, 500_000
"""The most orders that a search tries, and the most expressions that it visits."""


def searched(linear: Linearization, order: list[Vertex], outputs: Callable[[Places], list[int]]) -> list[Vertex]:
    """Improve an order: single vertices are moved to random places (seeded), and what is not slower is kept."""
    random, least = Random(0), None
    for _ in range(min(TRIALS, PATIENCE // len(linear.known)) if len(order) > 1 else 0):
        trial = list(order)
        if least is not None:
            trial.insert(random.randrange(len(order)), trial.pop(random.randrange(len(order))))
        known = linear.known.copy()
        cost = predicted(known, outputs(eliminated(linear._replace(known=known), trial)))
        if least is None or cost <= least:
            order, least = trial, cost
    return order


LARGE = 2000
"""The most intermediates for which the Markowitz order, as it is defined, is fast enough."""


def candidates(linear: Linearization) -> Iterator[list[Vertex]]:
    """Reverse, Markowitz and forward order; of large graphs the Markowitz order with the tie-break that is fastest."""
    inner = linear.cgraph.intermediates
    yield inner[::-1]
    yield vertex_order(linear.cgraph, "markowitz") if len(inner) <= LARGE else quick_order(linear.cgraph)[0]
    yield inner


def predicted(known: Expressions, outputs: list[int]) -> float:
    """Predict the nanoseconds that a point takes, as the schedule does, without making one."""
    outputs = [*map(known.plain, outputs)]
    operations = known.operations
    computed = sum(operations[place] in OPERATIONS for place in {*outputs})
    return nanoseconds(Counter(operations[place] for place in reached(known, outputs)), len(outputs) - computed)


# ---- fast mathematics ----

# Fast math, which `fast=True` asks for: faster formulas that give up some of the last digits.
#
# * The sine and the cosine of an angle from the tangent t of half of it: with r = 2 / (1 + t^2) they are t r and r -
#   1. NumPy computes tangents of several numbers at once, but on most machines not sines and cosines in double
#   precision. A sine loses a few units of the last place; a cosine has an absolute error of some 3e-16, large where it
#   is near 0.
# * The length of (a, b) as the root of a^2 + b^2, whose squares overflow beyond 1e154 and underflow below 1e-154, in
#   single precision beyond 1e19 and below 1e-19; and x / sqrt(s) / sqrt(s) as x / s. Where both squares underflow,
#   derivatives of angles are NaN.
#
# Source: the half-angle identities, M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 4.3.24-25.


class Replaced(NamedTuple):
    """The expression that replaces another, and the range of expressions that were added for it."""

    place: int
    made: range


def faster(known: Expressions, outputs: Iterable[int], names: Iterable[str]) -> dict[int, Replaced]:
    """Replace the operations of these names, in all expressions that the outputs need."""
    result: dict[int, Replaced] = {}
    rules = {name: RULES[name] for name in names}
    for place in reached(known, map(abs, outputs)):
        start, operation = len(known), known.operations[place]
        operands = () if operation in (INPUT, CONSTANT) else known.operands[place]
        now = [result[each].place for each in operands]
        if operation in rules:
            other = rules[operation](known, *now)
        elif now == [*operands]:
            other = place
        elif operation == CHOICE.name:
            other = known.where(*now)
        else:
            other = known.apply(OPERATIONS[operation].numpy, now)
        result[place] = Replaced(other, range(start, len(known)))
    return result


def _of_half(known: Expressions, angle: int) -> tuple[int, int]:
    """Return the tangent t of half an angle, and 2 / (1 + t^2)."""
    tangent = known.apply(np.tan, [known.multiply(angle, known.constant(0.5))])
    below = known.add(known.one, known.multiply(tangent, tangent))
    return tangent, known.divide(known.constant(2.0), below)


def _product(known: Expressions, a: int, b: int) -> int:
    """a b; with 1 / s where one of them is r = 1 / sqrt(s), and the other has the factor r, too."""
    for product, root in ((abs(a), abs(b)), (abs(b), abs(a))):
        factors = known.operands[product] if known.operations[product] == "multiply" else ()
        if root in factors and known.operations[root] == "divide":
            one, below = known.operands[root]
            if one == known.one and known.operations[below] == "sqrt":
                (other,) = {*factors} - {root} or {root}
                inverse = known.divide(one, known.operands[below][0])
                place = known.multiply(other, inverse)
                return place if (a < 0) == (b < 0) else -place
    return known.multiply(a, b)


RULES: dict[str, Callable[..., int]] = {
    "sin": lambda known, angle: known.multiply(*_of_half(known, angle)),
    "cos": lambda known, angle: known.subtract(_of_half(known, angle)[1], known.one),
    "hypot": lambda known, a, b: known.apply(np.sqrt, [known.add(known.multiply(a, a), known.multiply(b, b))]),
    "multiply": _product,
}
"""The formulas that replace operations, by name."""
FASTER = {"numpy": [*RULES], "numba": ["hypot", "multiply"]}
"""Those that are faster, by back end: Numba computes sines and cosines of several numbers at once, too."""


# ---- lowering ----


Leaves = list[tuple[tuple[int, ...], Sequence[Any]]]
"""Arrays of arguments or results: the shape of each, and the vertices of its numbers."""


class Options(NamedTuple):
    """The options of every function of :mod:`~.compiling`; :func:`adviz.compile_jacobian` explains them."""

    points: str
    backend: Any
    threads: int | None
    branches: bool
    fast: bool


class Lowered:
    """A function as it is lowered: its expressions, and the outputs so far, beginning with the values.

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
        self.guard = _guard(graph, recorded.tape.decisions or {})
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
        """Return the expression that is NaN where a function is at a kink, else 0; ``None`` if none has a kink."""
        graph, values = self.traced.graph, self.traced.values

        def data(node: int) -> list[Any]:
            operands = [Symbol(self.known, values[k]) if k >= 0 else graph.literal(k) for k in graph.operands(node)]
            return [Symbol(self.known, values[node]), *operands] if values[node] else []

        result = at_kinks(graph, data)
        self.has_kinks = result is not None
        return place_of(self.known, result) if self.has_kinks else None

    def check_is_number(self, name: str) -> None:
        """Raise an :class:`~adviz.OutputError` unless the function returns one number."""
        check_is_number(name, self.title, self.values)

    def chosen(self, linear: Linearization, order: Order, is_of_nodes: bool = True) -> Chosen:
        """Accumulate a Jacobian by an order, or by the fastest one for the program so far."""
        if is_of_nodes and not isinstance(order, str):  # its errors call vertices by their names
            number = self.traced.vertices
            linear.cgraph.names = {number[j]: name for j, name in linearize.vertices(self.traced.graph).names.items()}
        elif is_of_nodes and self.unwanted:
            linear = without(linear, self.unwanted)
        result = chosen(linear, order, lambda jacobian: [*self.outputs, *jacobian.values()])
        self.eliminations.append(Elimination(linear, result.vertices, is_of_nodes))
        return result

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
        nonzero = [
            (p, q, place)
            for p, y in enumerate(ys)
            for q, x in enumerate(xs)
            if abs(place := jacobian.get((x, y), zero)) != zero
        ]
        rows, columns = (np.array([entry[k] for entry in nonzero], int) for k in (0, 1))
        self._add_array("entries", (len(nonzero),), [place for *_, place in nonzero])
        shape = len(ys), len(xs)
        if form == "coo":
            return Coo(None, rows, columns, shape)
        return Csr(None, columns, np.searchsorted(rows, range(len(ys) + 1)), shape)

    def repeated(self, outside: Any) -> Any:
        """Return the structure of the arguments inside each leaf of another structure."""
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
        """Return what each expression is, and where it comes from."""
        notes = notes_of(self.traced, self.eliminations)
        for place, (other, made) in self.replaced.items():
            if note := notes.get(place):
                notes.setdefault(abs(other), note)
                about = note.comment.removeprefix("for ")
                helping = note._replace(name="", comment=f"for {about}" if about else "")
                notes |= {each: helping for each in made if each != other}
        return notes


def _guard(graph: Graph, decisions: dict[int, bool]) -> Guard | None:
    """Return the guard of the decisions that control flow took; ``None`` if there were none."""
    if not decisions:
        return None
    traced = expressions_of(deciding(graph, decisions))
    known = traced.linear.known
    conditions = [known.where(traced.values[node], known.one, known.zero) for node in decisions]
    plan = schedule(known, traced.inputs, conditions)
    return Guard(plan, tuple(decisions.values()), decision_texts(graph, decisions))
