"""From a function and an example to an array program: the derivation of each kind of derivative, and its results."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.elimination.moves import OrderError
from ...engine.blocks import INPUT, OUTPUT
from ...engine.calls import leaves, rebuild
from ...engine.jacobians.local import Flat
from ...engine.rules.elementwise import zero
from ...engine.rules.kinks import at_kinks
from ...engine.rules.reshaping import CAST
from ...engine.trace import Leaf, parameter_names, record, warn_of_independence
from ...engine.trace_errors import InputError
from ...engine.variable import Variable
from ...graph.graph import Graph
from ...graph.versions import whole
from ..derivations.derivation import Derivation, adjoints, tangents, varied
from ..derivations.loop_bodies import Body, along_tangents, body_of, with_known
from ..derivations.regular_loops import FEWEST, loops_of
from ..derivations.translation import Translation, graph_of, translated
from ..points.array_arguments import plain
from ..points.batches import Which, selected
from ..points.results import Gradient, HessianProduct, Pulled, Pushed, check_is_number
from ..program_errors import ProgramError
from ..schedules import checkpoint_count
from ..sources.names import Names
from ..sources.printing import PrinterFor
from ..sources.writing import Written, in_numpy, written
from ..staged_programs import early_parts, in_stages
from ..terms.array_terms import Term
from .costs import cost_of

ADJOINT, TANGENT = "_adj", "_dot"
"""What is added to a name for its adjoint and its tangent."""


@dataclass
class Traced:
    """A function that was traced for all points: its graph, and its arguments, by name, and results, with their leaves.

    ``wanted`` are the leaves of the arguments to differentiate with respect to, in the ``structure`` that derivatives
    have; ``decisions`` has what control flow took for granted, by node.
    """

    graph: Graph
    arguments: dict[str, Any]
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any
    structure: Any = None
    wanted: Sequence[Leaf] = ()
    decisions: Mapping[int, bool] = field(default_factory=dict)

    def check_is_number(self, name: str) -> None:
        """Raise an :class:`~adviz.OutputError` unless the function returns one number."""
        check_is_number(name, self.graph.title, self.result)

    def named_leaves(self) -> list[tuple[str, Leaf]]:
        """Return the leaves of the arguments with their names."""
        named = (name for argument, value in self.arguments.items() for name, _ in leaves(value, argument))
        return list(zip(named, self.inputs, strict=True))


def traced(
    f: Callable[..., Any],
    example: tuple[Any, ...],
    settings: Mapping[str, Any],
    inputs: Which = None,
    decides: bool = False,
) -> Traced:
    """Trace a function for all points of the shapes and dtypes of an example.

    Where it ``decides``, control flow that depends on values goes as at the example.
    Raises :class:`~adviz.InputError` where it is to be differentiated with respect to integers or booleans.
    """
    names = parameter_names(f, len(example))
    named = [pair for name, argument in zip(names, example, strict=True) for pair in leaves(argument, name)]
    given = [plain(value, name) for name, value in named]
    of_python = [type(value) is float for _, value in named]  # a function may ask of which type its numbers are
    structure, numbers = selected("inputs", inputs, example, range(len(given)))
    for number in numbers:
        if inputs is not None and given[number].dtype.kind in "iu":
            given[number] = given[number].astype(float)
    example = rebuild(example, iter(given))
    primals = (float(value) if is_one else value for value, is_one in zip(given, of_python, strict=True))
    recorded = record(f, rebuild(example, primals), dict(settings), "array", symbolic=True, decides=decides)
    warn_of_independence(recorded)
    graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], recorded.title)
    _check_has_rules(graph)
    arguments = dict(zip(names, example, strict=True))
    values = [graph.values[leaf.nodes[0]] if leaf.nodes else leaf.constant for leaf in recorded.outputs]
    dtypes = [np.asarray(value).dtype for value in values]
    result = rebuild(recorded.result, iter(map(np.zeros, map(np.shape, values), dtypes)))
    outputs = [leaf._replace(dtype=dtype) for leaf, dtype in zip(recorded.outputs, dtypes, strict=True)]
    wanted = [recorded.inputs[number] for number in numbers]
    return Traced(graph, arguments, recorded.inputs, outputs, result, structure, wanted, recorded.tape.decisions or {})


def _check_has_rules(graph: Graph) -> None:
    """Raise a :class:`~adviz.ProgramError` if there is a Block of the user's own, which computes on numbers."""
    for node, block in enumerate(graph.blocks):
        if block.number < 0 and graph.live[node]:
            raise ProgramError(
                f"The Block {block.name} cannot be written as a program, because it computes on numbers. Write it "
                f"with functions of NumPy or SciPy.\n  at {graph.origin(node)}"
            )


def check_is_real(of: Traced, *, allow: bool = False) -> None:
    """Raise an :class:`~adviz.InputError` if an argument to differentiate with respect to is of integers.

    With ``allow``, as where all arguments have tangents or adjoints, only if it is computed with as with real numbers,
    or no argument is of these: indices and masks have a derivative of 0.
    """
    is_data = allow and any(leaf.dtype.kind == "f" for leaf in of.wanted)
    for name, leaf in of.named_leaves():
        if leaf.dtype.kind == "f" or not any(leaf is each for each in of.wanted):
            continue
        if is_data and not (leaf.dtype.kind in "iu" and _is_computed_with(of.graph, leaf.nodes[0])):
            continue
        kind = "booleans" if leaf.dtype.kind == "b" else "integers"
        chosen = "" if allow else "Say which arguments to differentiate with respect to, as in inputs=0, or "
        advice = f"{chosen}pass an array of real numbers{', or a keyword argument, which is data' * is_data}."
        raise InputError(f"{name} is an array of {kind}. {advice[0].upper()}{advice[1:]}")


def _is_computed_with(graph: Graph, integers: int) -> bool:
    """Return whether real numbers change with a node of integers, at the example."""
    waiting = [integers]
    while waiting:
        node = waiting.pop()
        for user in filter(graph.live.__getitem__, graph.users(node)):
            block, operands = graph.blocks[user], graph.operands(user)
            data = [graph.values[each] if each >= 0 else graph.literal(each) for each in operands]
            places = [place for place, each in enumerate(operands) if each == node]
            if block.partials:
                is_flat = all(block.partials[place] is zero for place in places)
            else:
                found = block.local_jacobians(graph.values[user], data, places)
                is_flat = all(each is None or isinstance(each, Flat) for each in found)
            if not is_flat and np.asarray(graph.values[user]).dtype.kind == "f":
                return True
            waiting += [] if is_flat else [user]
    return False


@dataclass
class Lowered:
    """A function as it is lowered: its terms, its arguments by name, and the structure of its results.

    The first ``count`` arrays of the results are values of the user's function; ``summary`` says what the results are,
    ``parts`` are the headings of values and of derivatives. Where it ``takes_primals``, the first argument is a tuple
    of those of the user's function. ``bodies`` are the iterations of its loops; ``unrolled`` makes the same without.
    ``preset`` has names for results; ``checkpoints`` say how many states a loop keeps, where that is not all, and
    ``states`` how many of its states, or their bytes, a program without loops keeps. ``refusal`` says why that would
    save nothing.
    """

    translation: Translation
    title: str
    arguments: Mapping[str, Any]
    template: Any
    count: int
    summary: str
    parts: tuple[str, str] = ("forward", "backward")
    takes_primals: bool = False
    bodies: Mapping[int, Body] = field(default_factory=dict)
    unrolled: Callable[[], Lowered] | None = None
    preset: Mapping[Term, str] = field(default_factory=dict)
    checkpoints: Mapping[int, int] = field(default_factory=dict)
    states: int | str | None = None
    refusal: str = ""

    @property
    def fired(self) -> list[Any]:
        """The rules that fired, in the program and in the iterations of its loops."""
        bodies = (each for body in self.bodies.values() for each in body.all_bodies)
        return [self.translation.terms.fired, *(body.translation.terms.fired for body in bodies)]

    def written(self, printer_for: PrinterFor = in_numpy) -> Written:
        """Return the program as source, in the language that the ``printer_for`` chooses."""
        stem = re.sub(r"\W+", "_", self.title).strip("_")
        fields = getattr(type(self.template), "_fields", ("value",))
        name = f"{stem if stem.isidentifier() else 'program'}_{fields[-1]}"
        made = written(
            self.translation,
            name,
            self.arguments,
            self.template,
            self.count,
            self.summary,
            self.parts,
            self.bodies,
            self.preset,
            self.checkpoints,
            printer_for,
            None if self.states is None else early_parts,
        )
        return made if self.states is None else in_stages(made, self.translation.results, self.states) or made

    def with_all_kept(self) -> Lowered:
        """Return the same without checkpoints."""
        return replace(self, checkpoints={}, states=None)


def lower_function(of: Traced, *, rolled: bool = True) -> Lowered:
    """Return the function alone; ``rolled`` keeps its loops."""
    derivation, bodies = _looped(of, [False] * len(of.graph), rolled)
    values = derivation.run(lambda it: values_of(it, of))
    result = translated(derivation, values, {}, {}, ADJOINT)
    summary = f"The value of {of.graph.title}."
    unrolled = partial(lower_function, of, rolled=False) if bodies else None
    made = Lowered(result, of.graph.title, of.arguments, of.result, len(values), summary, bodies=bodies)
    return replace(made, unrolled=unrolled)


def _looped(of: Traced, depends: Sequence[bool], rolled: bool) -> tuple[Derivation, dict[int, Body]]:
    """Return a derivation whose loops are derived once, and their iterations."""
    loops = loops_of(of.graph) if rolled else []
    bodies = {loop.start: body_of(of.graph, loop, depends, ADJOINT) for loop in loops}
    return Derivation(of.graph, loops), bodies


def lower_gradient(
    of: Traced, *, order: str = "reverse", rolled: bool = True, checkpoints: Any = None, kinks: bool = False
) -> Lowered:
    """Return value and gradient, by one sweep back; ``rolled`` keeps loops, with so many ``checkpoints``.

    With ``kinks`` there is one more result, if there are functions with kinks outside of loops: NaN at a kink, else 0.
    """
    check_order(order, "reverse", "best")
    of.check_is_number("compile_gradient")
    check_is_real(of)
    depends = varied(of.graph, [leaf.nodes[0] for leaf in of.wanted])
    derivation, bodies = _looped(of, depends, rolled)

    def derive(it: Derivation) -> Any:
        at_kink = at_kinks(of.graph, partial(_moving, it, depends)) if kinks else None
        return *gradient_of(it, of), [] if at_kink is None else [at_kink]

    values, marks, seeds, gradient, at_kink = derivation.run(derive)
    bodies = with_known(of.graph, derivation, bodies, depends, ADJOINT, seeds)
    translation = translated(derivation, [*values, *gradient, *at_kink], marks, seeds, ADJOINT)
    named = [name for name, leaf in of.named_leaves() if any(leaf is each for each in of.wanted)]
    summary = f"The value of {of.graph.title}, and its gradient with respect to {listed(named)}."
    template = Gradient(0.0, of.structure)
    unrolled = partial(lower_gradient, of, rolled=False) if bodies else None
    made = Lowered(translation, of.graph.title, of.arguments, template, 1, summary, bodies=bodies, unrolled=unrolled)
    return made if checkpoints is None else with_checkpoints(made, checkpoints)


def _moving(it: Derivation, depends: Sequence[bool], node: int) -> list[Any]:
    """Return the value of a node and its operands, if one of them depends on what is differentiated with respect to."""
    return it.known(node) if any(depends[operand] for operand in it.graph.operand_nodes(node)) else []


def lower_vjp(of: Traced, *, order: str = "reverse", rolled: bool = True, checkpoints: Any = None) -> Lowered:
    """Return values and the adjoints of the arguments, by one sweep back; ``rolled`` keeps loops, with so many
    ``checkpoints``."""
    check_order(order, "reverse")
    check_is_real(of, allow=True)
    depends = varied(of.graph, of.graph.inputs)
    derivation, bodies = _looped(of, depends, rolled)

    def derive(it: Derivation) -> Any:
        named = zip(leaves(of.result, "adjoint"), of.outputs, strict=True)
        given = [(leaf, it.input(name, np.ones_like(value))) for (name, value), leaf in named]
        marks = adjoints(it, {leaf.nodes[0]: seed for leaf, seed in given if leaf.nodes}, of.graph.inputs)
        return values_of(it, of), marks, [_whole(marks, leaf) for leaf in of.inputs]

    values, marks, pulled = derivation.run(derive)
    bodies = with_known(of.graph, derivation, bodies, depends, ADJOINT)
    translation = translated(derivation, [*values, *pulled], marks, {}, ADJOINT)
    template = Pulled(of.result, tuple(of.arguments.values()))
    arguments = {"primals": tuple(of.arguments.values()), "adjoint": of.result}
    summary = f"The values of {of.graph.title}, and the adjoints of its arguments from that of its result."
    unrolled = partial(lower_vjp, of, rolled=False) if bodies else None
    made = Lowered(translation, of.graph.title, arguments, template, len(values), summary, takes_primals=True)
    made.bodies, made.unrolled = bodies, unrolled
    return made if checkpoints is None else with_checkpoints(made, checkpoints)


def with_checkpoints(lowered: Lowered, checkpoints: Any) -> Lowered:
    """Return the same, but its loops keep so many states; bytes are those of the states of all loops together.

    Without a loop that has a derivative, the states are those between stages of the whole program.
    """
    bodies = {start: body for start, body in lowered.bodies.items() if body.adjoints}
    size = sum(term.bytes for body in bodies.values() for term in body.after.values())
    count = checkpoint_count(checkpoints, size)
    if bodies:
        return replace(lowered, checkpoints=dict.fromkeys(bodies, count))
    made = replace(lowered, states=checkpoints)
    staged = made.written()
    if not staged.runs:
        return replace(lowered, refusal=_no_chain(lowered))
    before, after = (
        cost_of(lowered.translation, each, lowered.bodies).peak_bytes for each in (lowered.written(), staged)
    )
    return made if after < before else replace(lowered, refusal=_no_gain(lowered, checkpoints, before, after))


def _no_chain(lowered: Lowered) -> str:
    return (
        f"checkpoints are states of loops, or between stages of a chain of operations. {lowered.title} has no loop of "
        f"at least {FEWEST} iterations that all do the same and that the derivative goes through, and outside of loops "
        "no two values follow each other that the derivative takes. Leave checkpoints out."
    )


def _no_gain(lowered: Lowered, checkpoints: Any, before: int, after: int) -> str:
    return (
        f"checkpoints={checkpoints!r} would save no memory: {lowered.title} takes {after:,} bytes with them, and "
        f"{before:,} without. Allow fewer states, or leave checkpoints out."
    )


def lower_jvp(of: Traced, *, order: str = "forward", rolled: bool = True) -> Lowered:
    """Return values and their tangents, by one sweep on; ``rolled`` keeps loops."""
    check_order(order, "forward")
    check_is_real(of, allow=True)

    def derive(it: Derivation, known: Mapping[int, Any], rows: Rows) -> list[Any]:
        return [*values_at(it, rows), *(_along(known, row, leaf) for row, leaf in zip(rows, of.outputs, strict=True))]

    made = _along_tangents(of, lower_function(of, rolled=rolled), derive, partial(lower_jvp, of, rolled=False))
    summary = f"The values of {of.graph.title}, and their derivatives along tangents of its arguments."
    return replace(made, template=Pushed(of.result, of.result), summary=summary, parts=("", ""))


def lower_hvp(of: Traced, *, order: str = "forward", rolled: bool = True) -> Lowered:
    """Return value, gradient, and Hessian times tangents: a sweep on through that back; ``rolled`` keeps loops.

    Source: Pearlmutter, Fast exact multiplication by the Hessian, Neural Computation 6 (1994).
    """
    check_order(order, "forward")
    of.check_is_number("compile_hvp")
    check_is_real(of)
    count = 1 + len(of.wanted)

    def derive(it: Derivation, known: Mapping[int, Any], rows: Rows) -> list[Any]:
        products = [_along(known, row, leaf) for row, leaf in zip(rows[1:count], of.wanted, strict=True)]
        for at_kink in values_at(it, rows[count:]):
            products = [_shaped(product + at_kink, leaf) for product, leaf in zip(products, of.wanted, strict=True)]
        return [*values_at(it, rows[:count]), *products]

    gradient = lower_gradient(of, rolled=rolled, kinks=True)
    made = _along_tangents(of, gradient, derive, partial(lower_hvp, of, rolled=False))
    summary = f"The value of {of.graph.title}, its gradient, and its Hessian times tangents."
    template, parts = HessianProduct(0.0, of.structure, of.structure), ("forward", "backward, and along tangents")
    return replace(made, template=template, summary=summary, parts=parts)


def _along_tangents(of: Traced, first: Lowered, derive: Callable[..., list[Any]], again: Any) -> Lowered:
    """Derive what is lowered once more, along tangents of all arguments; ``again`` does the same without loops."""
    outer, rows = _once_more(first.translation)

    def run(it: Derivation) -> Any:
        known = tangents(it, _tangents_given(it, of))
        return known, derive(it, known, rows)

    known, results = outer.run(run)
    translation, primals = translated(outer, results, known, {}, TANGENT), tuple(of.arguments.values())
    made = replace(first, translation=translation, arguments={"primals": primals, "tangents": primals})
    made.bodies = along_tangents(first.bodies, translation.results, TANGENT)
    made.takes_primals, made.unrolled = True, again if first.bodies else None
    return made


Rows = list[Any]
"""The node of each result, or a constant term."""


def of_gradient(of: Traced) -> tuple[Derivation, Rows]:
    """Derive a simplified gradient without loops; return also the nodes of value, gradient, and NaN at a kink."""
    return _once_more(lower_gradient(of, rolled=False, kinks=True).translation)


def _once_more(translation: Translation) -> tuple[Derivation, Rows]:
    """Return the derivation of what has been derived and simplified, and the nodes of its results."""
    graph, rows, looped = graph_of(translation)
    return Derivation(graph, (), looped), list(rows)


def _tangents_given(it: Derivation, of: Traced) -> dict[int, Any]:
    """Return inputs for the tangents of all arguments, by the nodes of those that are real."""
    pairs = list(zip(it.graph.inputs, of.named_leaves(), strict=False))  # loops make further inputs
    given = {x: it.input(f"{name}{TANGENT}", np.ones(leaf.shape, leaf.dtype)) for x, (name, leaf) in pairs}
    return {x: given[x] for x, (_, leaf) in pairs if leaf.dtype.kind == "f"}


def values_at(it: Derivation, rows: Rows) -> list[Any]:
    return [it.values[row] if isinstance(row, int) else row.value for row in rows]


def _along(known: Mapping[int, Any], row: Any, leaf: Leaf) -> Any:
    """Return the tangent of a result, of the shape and dtype of a leaf."""
    return _shaped(known.get(row) if isinstance(row, int) else None, leaf)


def values_of(it: Derivation, of: Traced) -> list[Any]:
    """Return the results of the user's function on the tape of a derivation."""
    return [it.values[leaf.nodes[0]] if leaf.nodes else leaf.constant for leaf in of.outputs]


def gradient_of(it: Derivation, of: Traced) -> tuple[list[Any], dict[int, Any], dict[int, Any], list[Any]]:
    """Return values, adjoints by node, the rows of seeds with their numbers, and the wanted leaves' adjoints."""
    values = values_of(it, of)
    if not of.outputs[0].nodes:
        return values, {}, {}, [_whole({}, leaf) for leaf in of.wanted]
    (output,) = of.outputs
    one = 1.0 if output.dtype == np.dtype(float) else np.ones((), output.dtype)[()]  # single precision stays single
    seed = it.input("adjoint", one)
    marks = adjoints(it, {output.nodes[0]: seed}, [leaf.nodes[0] for leaf in of.wanted])
    return values, marks, {seed.index: one}, [_whole(marks, leaf) for leaf in of.wanted]


def _whole(known: Mapping[int, Any], leaf: Leaf) -> Any:
    """Return the derivative of a leaf, of its shape and dtype; zeros where there is none."""
    return _shaped(known.get(leaf.nodes[0]) if leaf.nodes else None, leaf)


def _shaped(value: Any, leaf: Leaf) -> Any:
    dtype = leaf.dtype if leaf.dtype.kind == "f" else np.dtype(float)
    if value is None:
        return np.zeros(leaf.shape, dtype)
    if np.shape(value) != leaf.shape:
        value = np.broadcast_to(value, leaf.shape)
    return CAST(value, dtype)  # the terms may be in another precision than the tape; a cast to the same leaves none


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def check_order(order: Any, *names: str) -> None:
    """Raise an :class:`~adviz.OrderError` for an order that there is not."""
    if order not in names:
        raise OrderError(f"order is {order!r}; on arrays it is {' or '.join(map(repr, names))}.")


def line_by_line(lowered: Lowered, joined: Collection[int] = ()) -> tuple[Written, Translation] | None:
    """Return a gradient that is simplified only within what the user's names stand for, and its terms.

    The adjoint of each named value has a line, and what is before takes it from there; but for those in ``joined``, and
    those that would be another one, or a constant. There is none where a statement is run several times.
    """
    graph, suffix = lowered.translation.graph, lowered.translation.suffix
    inside = [node for node in _named_inside(graph) if node not in joined]
    if len({(graph.call_table[graph.calls[node]].code, graph.offsets[node]) for node in inside}) < len(inside):
        return None
    derivation, named, used = Derivation(graph), dict[int, Any](), Names(lowered.translation, {}, lowered.arguments)
    called: dict[int, str] = {}

    def passed(node: int, adjoint: Any) -> Any:
        if node not in inside or not isinstance(adjoint, Variable):
            return adjoint
        called[node] = used.new(f"{graph.name(node)}{suffix}")
        named[node] = derivation.input(called[node], np.ones_like(whole(graph.values[node])))
        return named[node]

    def derive(it: Derivation) -> Any:
        seed = it.input("adjoint", 1.0)
        return adjoints(it, {graph.outputs[0]: seed}, graph.inputs, passed), {seed.index: 1.0}

    marks, seeds = derivation.run(derive)
    results = [derivation.values[graph.outputs[0]], *(marks[node] for node in (*named, *graph.inputs) if node in marks)]
    translation = translated(derivation, results, marks, seeds, suffix)
    adjoint_of = dict(zip(named, translation.results[1:], strict=False))
    if same := [node for node, term in adjoint_of.items() if not term.operands]:
        return line_by_line(lowered, {*joined, *same})
    arguments = {**lowered.arguments, **{called[node]: graph.values[node] for node in named}}
    exact = {term: called[node] for node, term in adjoint_of.items()}
    template = (0.0,) * len(results)
    return written(translation, "f", arguments, template, 1, "", lowered.parts, exact=exact), translation


def _named_inside(graph: Graph) -> list[int]:
    """Return the nodes that the user has named, but for inputs and what is returned."""
    returned = [graph.first[node] for node in graph.outputs]
    return [
        node
        for node, block in enumerate(graph.blocks)
        if block not in (INPUT, OUTPUT) and graph.live[node] and graph.name(node) and node not in returned
    ]
