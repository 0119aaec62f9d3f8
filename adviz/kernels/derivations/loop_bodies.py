"""One iteration of a loop, derived by itself: from the adjoints of the state after it to those of what it takes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.trace import input_of
from ...engine.variable import Variable
from ...graph.graph import Graph
from ...graph.scopes import NOWHERE
from ...graph.versions import whole
from ..terms.array_terms import LOOP, Made, Term, in_order
from .derivation import Derivation, adjoints, tangents, varied, writing_on_tape
from .regular_loops import Carried, Fixed, Local, Loop, loops_of
from .translation import Translation, graph_of, translated

Taken = tuple[str, int]
"""What an iteration takes: ``("state", place)``, ``("fixed", node)`` outside, or ``("entries", place)`` of an array."""


class Body(NamedTuple):
    """The terms of one iteration.

    ``takes`` are the inputs of ``translation``, in their order, followed by the adjoints of the state at the places
    ``pulled``, where they are not ``known``, and by the tangents of what is ``moved``; there ``("adjoint", place)`` is
    such an adjoint. ``after`` is the state after the iteration, by places, ``adjoints`` are those of what it takes;
    ``after_dot`` and ``adjoints_dot`` are their tangents. ``names`` are those of what it takes, ``begins`` has what the
    state begins with where that is no node, by places, and ``suffix`` is added to a name for its adjoint. ``bodies``
    are the iterations of loops within.
    """

    loop: Loop
    translation: Translation
    takes: list[Taken]
    known: Mapping[int, Any]
    after: dict[int, Term]
    adjoints: dict[Taken, Term]
    names: Mapping[Taken, str]
    begins: Mapping[int, Any]
    suffix: str
    pulled: Sequence[int] = ()
    moved: Sequence[Taken] = ()
    after_dot: Mapping[int, Term] = {}
    adjoints_dot: Mapping[Taken, Term] = {}
    bodies: Mapping[int, Body] = {}

    @property
    def all_bodies(self) -> list[Body]:
        """Itself, and those of all loops within."""
        return [self, *(each for body in self.bodies.values() for each in body.all_bodies)]


def body_of(
    graph: Graph,
    loop: Loop,
    depends: Sequence[bool],
    suffix: str,
    known: Mapping[int, Any] | None = None,
    level: int = 0,
) -> Body:
    """Return one iteration, and its derivative with respect to what ``depends``, of all nodes of the graph, says.

    Where nothing depends on what is differentiated with respect to, there are values only. ``known`` are adjoints of
    the state, by places, that are the same in all iterations, as that of a sum which is returned. The loop is within
    ``level`` others.
    """
    takes, inner, rows = _iteration(graph, loop)
    sources = {x for taken, x in zip(takes, inner.inputs, strict=True) if _depends(loop, taken, depends)}
    state = {taken[1]: x for taken, x in zip(takes, inner.inputs, strict=True) if taken[0] == "state"}
    while sources:
        inside = varied(inner, sources)
        more = {x for place, x in state.items() if inside[rows[place]]} - sources
        if not more:
            break
        sources |= more
    inside = varied(inner, sources)
    loops = loops_of(inner, level + 1)
    bodies = {each.start: body_of(inner, each, inside, suffix, level=level + 1) for each in loops}
    derivation = Derivation(inner, loops)

    def derive(it: Derivation) -> Any:
        if not sources:
            return {}, {}
        names = {place: inner.name(x) or "state" for place, x in state.items()}
        seeds = {place: it.input(f"{names[place]}{suffix}", _ones(it.values[rows[place]])) for place in state}
        return adjoints(it, {rows[place]: seeds[place] for place in state if inside[rows[place]]}, list(sources)), seeds

    marks, seeds = derivation.run(derive)
    bodies = with_known(inner, derivation, bodies, inside, suffix, level=level + 1)
    after = [derivation.values[rows[place]] for place in state]
    given = {taken: marks[x] for taken, x in zip(takes, inner.inputs, strict=True) if x in sources and x in marks}
    constants = {seeds[place].index: number for place, number in (known or {}).items()}
    named = {node: mark for node, mark in marks.items() if node not in inner.inputs or node in state.values()}
    result = translated(derivation, [*after, *given.values()], named, constants, suffix)
    made = iter(result.results)
    return Body(
        loop,
        result,
        takes,
        known or {},
        dict(zip(state, made, strict=False)),
        dict(zip(given, made, strict=True)),
        {taken: _name(graph, loop, taken) for taken in takes},
        {place: graph.literal(first) for place, first in loop.firsts.items() if first is not None and first < 0},
        suffix,
        [place for place in seeds if place not in (known or {})],
        bodies=bodies,
    )


def unchanged(body: Body) -> list[int]:
    """Return the places of the state whose adjoints an iteration passes on as they are."""
    first = len(body.takes)
    places = [place for kind, place in body.takes if kind == "state"]
    passed = {place: body.adjoints.get(("state", place)) for place in places}
    return [
        place
        for number, (place, term) in enumerate(passed.items())
        if term is not None and term.operation is INPUT and term.value == first + number
    ]


def with_known(
    graph: Graph,
    derivation: Derivation,
    bodies: Mapping[int, Body],
    depends: Sequence[bool],
    suffix: str,
    seeds: Mapping[int, Any] | None = None,
    level: int = 0,
) -> dict[int, Body]:
    """Return the iterations, with adjoints of the state that are the same in all: a number that is passed on, or 0.

    ``derivation`` is that of a graph whose loops these are; ``seeds`` are adjoints that are numbers, by their rows.
    """
    result, numbers = dict(bodies), seeds or {}
    for made in {made.loop: made for made in derivation.made_by_loops.values() if made.seeds}.values():
        body = bodies[made.loop]
        begun = {place: seed.index for place, seed in made.seeds.items() if isinstance(seed, Variable)}
        known: dict[int, Any] = {
            place: numbers[begun[place]] for place in unchanged(body) if begun.get(place) in numbers
        }
        again = partial(body_of, graph, body.loop, depends, suffix, level=level)
        result[made.loop] = again(known=known) if known else body
        while more := without_adjoints(result[made.loop], made.seeds):
            known |= {place: np.zeros_like(whole(graph.values[body.loop.last + place])) for place in more}
            result[made.loop] = again(known=known)
    return result


def without_adjoints(body: Body, seeds: Container[int]) -> list[int]:
    """Return further places of the state whose adjoints are always 0: those of ``seeds`` begin with others."""
    places = [place for kind, place in body.takes if kind == "state" and place not in body.known]
    return [place for place in places if place not in seeds and ("state", place) not in body.adjoints]


def _depends(loop: Loop, taken: Taken, depends: Sequence[bool]) -> bool:
    kind, place = taken
    node = place if kind == "fixed" else loop.entries[place][0] if kind == "entries" else loop.firsts[place]
    return node is not None and node >= 0 and depends[node]


def _ones(value: Any) -> Any:
    return np.ones(np.shape(value), getattr(value, "dtype", float))[()]


def _iteration(graph: Graph, loop: Loop) -> tuple[list[Taken], Graph, dict[int, int]]:
    """Return the last iteration as a graph: what it takes, in the order of its inputs, and the row of each place."""
    before = loop.last - loop.length
    takes: dict[Taken, Any] = {("state", place): graph.values[before + place] for place in loop.firsts}
    takes |= {("fixed", node): graph.values[node] for node in loop.fixed}
    takes |= {("entries", place): graph.values[loop.last + place] for place in loop.entries}
    with writing_on_tape() as tape:
        named = {taken: _name(graph, loop, taken) for taken in takes}
        given = {taken: input_of(tape, [], named[taken], whole(value), False) for taken, value in takes.items()}
        values: list[Any] = []
        for place, operands in enumerate(loop.slots):
            if place in loop.entries or not operands:
                values.append(given.get(("entries", place)))
                continue
            data: list[Any] = []
            for slot in operands:
                match slot:
                    case Local(at):
                        data.append(values[at])
                    case Carried(at, _):
                        data.append(given["state", at])
                    case Fixed(node):
                        data.append(given["fixed", node] if node >= 0 else graph.literal(node))
            values.append(graph.blocks[loop.last + place](*data))
        rows = {place: values[place].index for place in loop.firsts}
        inner = tape.graph(list(rows.values()), graph.title)
    return list(takes), _placed(graph, loop, inner, values, {x.index: named[taken] for taken, x in given.items()}), rows


def _name(graph: Graph, loop: Loop, taken: Taken) -> str:
    kind, place = taken
    return graph.name(place if kind == "fixed" else loop.last + place) or ("state" if kind == "state" else "x")


def _placed(graph: Graph, loop: Loop, inner: Graph, values: list[Any], names: dict[int, str]) -> Graph:
    """Return the graph of an iteration with names and places in the source of the nodes it has been made of."""
    inner.call_table, inner.names = graph.call_table, dict.fromkeys(range(len(inner)), "") | names
    for row in range(len(inner)):
        inner.calls[row], inner.offsets[row] = 0, NOWHERE
    for place, value in enumerate(values):
        if isinstance(value, Variable) and value.index not in names:
            node = loop.last + place
            inner.calls[value.index], inner.offsets[value.index] = graph.calls[node], graph.offsets[node]
            inner.names[value.index] = graph.name(node) or ""
    return inner


# ---- tangents of loops ----


def along_tangents(bodies: Mapping[int, Body], results: Sequence[Term], suffix: str) -> dict[int, Body]:
    """Return the iterations of the loops of a program, along with the tangents of all that has some.

    The ``results`` of the program say what that is: their loops have tangents among their operands.
    """
    made = [term.operands[0].value for term in in_order(results) if term.operation is LOOP]
    result = dict(bodies)
    for start, body in bodies.items():
        along = [each for each in made if each.loop == start and each.moved is not None]
        if along:
            moved = {taken for each in along for taken in _moved(body, each)}
            result[start] = _moving(body, moved, any(each.part == "backward" for each in along), suffix)
    return result


def _moved(body: Body, made: Made) -> Iterable[Taken]:
    """Return what of an iteration has a tangent because the operands of a loop have some."""
    if made.part == "backward":
        return [("adjoint", place) for place in made.moved or () if place in body.pulled]
    nodes = {body.loop.taken[number] for number in made.moved or ()}
    result = [key for key, _ in nodes if key[0] != "entries"]
    bases = [node for key, node in nodes if key[0] == "entries"]
    return [*result, *(("entries", place) for place, (base, _) in body.loop.entries.items() if base in bases)]


def _moving(body: Body, moved: set[Taken], is_pulled: bool, suffix: str) -> Body:
    """Derive one iteration, whose tangents begin at what is ``moved``; ``is_pulled``: adjoints need theirs."""
    graph, rows, looped = graph_of(body.translation)
    given = [*body.takes, *(("adjoint", place) for place in body.pulled)]
    node_of = dict(zip(given, graph.inputs, strict=False))  # loops within make further inputs
    after = dict(zip(body.after, rows, strict=False))
    adjoints = dict(zip(body.adjoints, rows[len(after) :], strict=True))
    state: dict[Taken, Any] = {("state", place): row for place, row in after.items()}
    if is_pulled:
        state |= {("adjoint", place): adjoints.get(("state", place)) for place in body.pulled}
    while True:
        inside = varied(graph, [node_of[taken] for taken in moved], looped)
        more = {taken for taken, row in state.items() if isinstance(row, int) and inside[row]} - moved
        if not more:
            break
        moved = moved | more
    given = [taken for taken in node_of if taken in moved]
    places = [place for place in after if place in body.loop.results or ("state", place) in moved]
    wanted = [(after[place], body.after[place]) for place in places]
    wanted += [(row, body.adjoints[taken]) for taken, row in adjoints.items()] if is_pulled else []
    derivation = Derivation(graph, (), looped)

    def derive(it: Derivation) -> Any:
        named = {node_of[taken]: f"{graph.name(node_of[taken])}{suffix}" for taken in given}
        known = tangents(it, {x: it.input(name, _ones(graph.values[x])) for x, name in named.items()})
        return known, [_along(known, row, term) for row, term in wanted]

    known, along = derivation.run(derive)
    values = [derivation.values[row] if isinstance(row, int) else row.value for row in rows]
    translation = translated(derivation, [*values, *along], known, {}, suffix)
    made = iter(translation.results)
    return body._replace(
        translation=translation,
        after=dict(zip(after, made, strict=False)),
        adjoints=dict(zip(adjoints, made, strict=False)),
        moved=given,
        after_dot=dict(zip(places, made, strict=False)),
        adjoints_dot=dict(zip(adjoints, made, strict=False)),
        bodies=along_tangents(body.bodies, translation.results, suffix),
    )


def _along(known: Mapping[int, Any], row: int | Term, term: Term) -> Any:
    """Return the tangent of a term, of its shape; zeros where there is none."""
    if not isinstance(row, int) or row not in known:
        return np.zeros(term.shape, term.dtype)
    result = known[row]
    return result if np.shape(result) == term.shape else np.broadcast_to(result, term.shape)
