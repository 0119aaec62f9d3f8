"""What an elimination looks like at an instant: what is there, where it stands, what is in play.

The same as ``elimination-standing.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scene.algebra_panels import EliminationPanel
from ...scene.short_text import OnStage
from ..flow_motion import Point, eased, within
from .elimination_steps import (
    LANDED,
    MET,
    POINTED,
    Beat,
    Multiplied,
    State,
    instant,
    places_at,
    state_at,
)

OPENED = 0.92  # how far the vertex in play is opened, whatever the reading
DIMMED = 0.55  # the opacity of what is not in play


class Context(NamedTuple):
    """An instant: ``on`` is how much a move is in play, and the other shares are how far the parts of its step are.

    ``before`` and ``after`` are what is there around the step, ``rested`` and ``rests`` around its move.
    """

    panel: EliminationPanel
    morph: float
    before: State
    after: State
    rested: State
    rests: State
    spots: dict[str, Point]
    on: float
    ending: float
    gone: float
    pointed: float
    met: float
    landed: float
    product: Multiplied | None
    is_played: bool
    is_first: bool
    waiting: dict[str, str]
    results: dict[str, str]
    merge: tuple[str, str] | None

    @property
    def dim(self) -> float:
        """The opacity of what is not in play."""
        return 1 + self.on * (DIMMED - 1)

    def opened(self, vertex: str) -> float:
        """Return how far the faces at a vertex are apart: 0 in a graph, 1 in a line graph."""
        if self.product is None or vertex != self.product.via:
            return self.morph
        return max(self.morph, OPENED * self.on * (self.pointed if self.is_first else 1.0))

    def ring(self, vertex: str) -> float:
        """Return how far a vertex is a ring with the faces that it has left, instead of a disc."""
        one, other = (0.0 if is_whole(state, vertex) else 1.0 for state in (self.rested, self.rests))
        return one + self.ending * (other - one)

    def presence(self, key: str) -> float:
        """Return the opacity of something that comes or goes in this step."""
        if key not in self.before:
            return self.landed
        return 1.0 if key in self.after else 1 - self.gone


def stand(
    panel: EliminationPanel, start: State, played: Sequence[Beat], first: int, last: int, progress: float, morph: float
) -> Context:
    """Return the instant when so much (0 to 1) of the way between two cursors is done."""
    k, share, relaxed = instant(played, first, last, progress)
    beat = played[k] if k >= 0 else Beat("", [], None, None, 0, -1)
    before, after = state_at(start, played, max(k, 0)), state_at(start, played, k + 1)
    old, new = places_at(panel["places"], max(k, 0)), places_at(panel["places"], k + 1)
    spots = {}
    for key in {**old, **new}:
        (x, y), (u, v) = old.get(key) or new[key], new.get(key) or old[key]
        spots[key] = (x + relaxed * (u - x), y + relaxed * (v - y))
    products = [(i, each.product) for i, each in enumerate(played[beat.first : beat.last + 1], beat.first)]
    made = [(i, product) for i, product in products if product]
    done = [(i, product) for i, product in made if i <= k]
    at, product = done[-1] if done else (-1, None)
    is_played, ending = at == k, share if k == beat.last else 0.0
    phase = [within(share, *ends) if is_played else 1.0 for ends in ((0, POINTED), (POINTED, MET), (MET, LANDED))]
    return Context(
        panel,
        morph,
        before,
        after,
        state_at(start, played, beat.first),
        state_at(start, played, beat.last + 1),
        spots,
        on=(1 - ending) * (1.0 if done else 0.0),
        ending=ending,
        gone=0.0 if is_played else eased(share),
        pointed=phase[0],
        met=phase[1],
        landed=eased(phase[2]),
        product=product,
        is_played=is_played,
        is_first=len(done) == 1 and is_played,
        waiting={each.face: each.hue for i, each in made if i > k},
        results={each.result: each.hue for _, each in done},
        merge=beat.merge,
    )


def labels(state: State) -> list[str]:
    """Return the labels that are there: the nodes of the line graph that stand for edges."""
    return [key[5:] for key in state if key.startswith("node/") and is_inner(key[5:])]


def is_inner(thing: str) -> bool:
    """Return whether a node of the line graph stands for an edge, and not for an input or an output.

    >>> is_inner("1.3"), is_inner("s.1")
    (True, False)
    """
    return not thing.startswith("s.") and not thing.endswith(".t")


def lanes(state: State, vertex: str) -> tuple[int, int]:
    """Return how many faces there are at a vertex, and how many there would be of all its edges."""
    things = [thing.split(".") for thing in labels(state)]
    into, out = sum(thing[1] == vertex for thing in things), sum(thing[0] == vertex for thing in things)
    result = sum(_via(key) == vertex for key in state if key.startswith("face/"))
    return result, into * out


def _via(key: str) -> str | None:
    _, tail, head = key.split("/")
    return tail.split(".")[1] if is_inner(tail) and is_inner(head) else None


def is_whole(state: State, vertex: str) -> bool:
    """Return whether every edge into a vertex has a face with every edge out of it."""
    result, all_of_them = lanes(state, vertex)
    return result == all_of_them


def label_of(state: State, other: State, thing: str) -> OnStage:
    """Return the value of a label in a state, or in another one where it is not there."""
    key = f"node/{thing}"
    return state[key] if key in state else other.get(key)
