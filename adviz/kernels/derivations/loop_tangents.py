"""One iteration of a loop along tangents: those of the state pass on with it, those of adjoints pass back with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..terms.array_terms import LOOP, Made, Term, in_order
from .derivation import Derivation, tangents, varied
from .loop_bodies import Body, Taken
from .translation import graph_of, translated


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
    """One iteration, whose tangents begin at what is ``moved``; ``is_pulled`` says whether adjoints need theirs."""
    graph, rows, looped = graph_of(body.found)
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
    found = translated(derivation, [*values, *along], known, {}, suffix)
    made = iter(found.results)
    return body._replace(
        found=found,
        after=dict(zip(after, made, strict=False)),
        adjoints=dict(zip(adjoints, made, strict=False)),
        moved=given,
        after_dot=dict(zip(places, made, strict=False)),
        adjoints_dot=dict(zip(adjoints, made, strict=False)),
        bodies=along_tangents(body.bodies, found.results, suffix),
    )


def _along(known: Mapping[int, Any], row: int | Term, term: Term) -> Any:
    """Return the tangent of a term, of its shape; zeros where there is none."""
    if not isinstance(row, int) or row not in known:
        return np.zeros(term.shape, term.dtype)
    result = known[row]
    return result if np.shape(result) == term.shape else np.broadcast_to(result, term.shape)


def _ones(value: Any) -> Any:
    return np.ones(np.shape(value), np.asarray(value).dtype)[()]
