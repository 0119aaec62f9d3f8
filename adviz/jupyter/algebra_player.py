"""The Player of the algebra of a graph: its expressions while it is factored, and its levels in the reader's order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from ..algorithms.examples.known_optima import GraphCase
from ..algorithms.examples.small_functions import Case
from ..algorithms.expressions.local_jacobians import Order
from ..graph.graph import Graph
from ..graph.linearized.cgraph import CGraph
from ..graph.linearized.line_graph import LineGraph
from ..stage.scene.progress import progress
from ..stage.shows.algebra_scene import algebra_scene
from ..stage.shows.options import Names, Show, ShowError
from .elimination_player import LinearizedPlayer, linearized
from .sweep_players import check_settings

Shown = Callable[..., Any] | Case | Graph | CGraph | GraphCase


class AlgebraPlayer(LinearizedPlayer):
    """A Player on whose page local Jacobians can be multiplied in an order of the reader's own.

    ``association`` are the products made there, from left to right: ``[[0, 1], 2, 3]`` where the first two of four
    matrices have been multiplied. It can be set, too, and a saved page opens with it. ``order`` is what
    ``adviz.algebra.accumulated`` takes, once all are one product, and ``multiplications`` is what the products cost.

    >>> import adviz
    >>> player = adviz.show_algebra(adviz.examples["two diamonds"])
    >>> player.association = [[[0, 1], [2, 3]]]
    >>> player.order, player.multiplications
    (((0, 1), (2, 3)), 5)
    """

    association: traitlets.List[Any] = traitlets.List().tag(sync=True)

    @property
    def order(self) -> Order | None:
        """The order of association made on the page; ``None`` while several matrices are left."""
        return _as_pairs(self.association[0]) if len(self.association) == 1 else None

    @property
    def multiplications(self) -> int:
        """What the products made on the page cost."""
        costs = {tuple(ends): cost for *ends, cost in self._levels["costs"]} if self.association else {}

        def cost_of(order: Any) -> int:
            if isinstance(order, int):
                return 0
            left, right = order
            first, *_, last = _numbers(order)
            return costs[first, _numbers(right)[0], last + 1] + cost_of(left) + cost_of(right)

        return sum(map(cost_of, self.association))

    @property
    def _levels(self) -> dict[str, Any]:
        none: dict[str, Any] = {"matrices": [], "costs": []}
        return next((panel for panel in self.scene["panels"] if panel["kind"] == "levels"), none)

    def _expected(self) -> dict[str, str]:
        count = max((matrix["stop"] for matrix in self._levels["matrices"]), default=0)
        example = f"such as {[[0, 1], *range(2, count)]}" if count else "and this show has no levels"
        return {
            **super()._expected(),
            "association": f"it has each of the {count} matrices once, from left to right, in pairs, {example}",
        }

    @traitlets.validate("association")
    def _check_association(self, proposal: Any) -> list[Any]:
        """Return products of matrices as lists; each matrix comes once."""
        result = [_as_lists(each) for each in proposal["value"]]
        count = max((matrix["stop"] for matrix in self._levels["matrices"]), default=0)
        if result and [number for each in result for number in _numbers(each)] != [*range(count)]:
            raise self._refused("association", proposal["value"])
        return result

    def _kept(self) -> dict[str, Any]:
        return {"association": self.association} if self.association else {}


def show_algebra(
    f: Shown,
    /,
    *args: Any,
    way: str = "backward",
    references: bool = True,
    direction: str = "data flow",
    panels: Names | None = None,
    teach: bool = False,
    effort: float | None = None,
    time_limit: float | None = None,
    grain: str = "array",
    **settings: Any,
) -> AlgebraPlayer:
    """Watch the Jacobian of ``f(*args, **settings)`` as algebra: its expressions, chains and blocks, and levels.

    ``f`` may also be a :class:`~adviz.Graph`, a :class:`~adviz.CGraph`, or one of ``adviz.examples``. The letter e₅₇ is
    the edge from vertex 7 to vertex 5, head first, as in ``adviz.algebra``. Pointing at a letter, a bracket, a chain, a
    block or an edge lights the same in all panels. ``way`` is how the graph is factored, step by step:

    * ``"backward"``: vertices are split from the inputs on; ``"forward"``: from the outputs on. Without ``references``
      what is needed several times is written several times.
    * ``"paths"``: all paths are taken apart, then joined again.
    * ``"pages"``: what several entries have in common is taken out, page by page.

    What the expressions cost is told beside Bauer's formula and the fewest multiplications of any expressions, which
    are searched for with the ``effort``, 5,000 by default, and the ``time_limit`` of :func:`~adviz.optimal_order`. Of
    the levels readers choose which neighbours to multiply; :attr:`AlgebraPlayer.order` is their order. ``panels``
    chooses among ``adviz.stage.shows.algebra_scene.PANELS``, ``direction`` is where arrows point,
    ``"data flow"`` or ``"dependence"``, and ``teach=True`` asks a question before each step.

    The graph may have up to 48 edges, also while it is factored, and up to 60 products are written in a sum. Raises
    ``ShowError`` for a larger one and for an unknown option, and what :func:`adviz.trace` raises.

    >>> import adviz
    >>> player = show_algebra(adviz.examples["two crossed diamonds"])
    >>> player.scene["panels"][1]["sets"][-1]["multiplications"]
    8
    """
    check_settings(show_algebra, f, settings)
    if isinstance(f, LineGraph):
        raise ShowError("a line graph has no letters to factor: show its CGraph, line_graph.cgraph()")
    with progress("Factoring"):
        graph, program = linearized(f, args, grain, settings, show_algebra)
        assert isinstance(graph, CGraph)
        shown: Show = algebra_scene(
            graph,
            way,
            references=references,
            direction=direction,
            program=program,
            panels=panels,
            teach=teach,
            effort=effort,
            time_limit=time_limit,
        )
    return AlgebraPlayer(shown, program)


def _as_lists(order: Any) -> Any:
    return [_as_lists(each) for each in order] if isinstance(order, list | tuple) else order


def _as_pairs(order: Any) -> Order:
    return order if isinstance(order, int) else (_as_pairs(order[0]), _as_pairs(order[1]))


def _numbers(order: Any) -> list[Any]:
    """Return the matrices of an order, from left to right; what is no pair as it is."""
    if isinstance(order, list) and len(order) == 2:
        return [number for each in order for number in _numbers(each)]
    return [order]
