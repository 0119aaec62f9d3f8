"""The Player of eliminations: watch a Jacobian being accumulated, or accumulate it in an order of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from ..algorithms.elimination.cases import GraphCase
from ..algorithms.elimination.counting import Counting
from ..algorithms.elimination.orders import Order
from ..algorithms.sweeps.cases import Case
from ..engine.linearize import linearize
from ..graph.cgraph import CGraph
from ..graph.graph import Graph
from ..graph.linegraph import LineGraph
from ..stage import elimination, layout, show
from ..stage.progress import progress
from .player import Player, Program

Source = Callable[..., Any] | Case | Graph | CGraph | LineGraph | GraphCase


class EliminationPlayer(Player):
    """A Player whose page also makes moves: ``order`` are those that were made there, ``cost`` their multiplications.

    A move is ``["vertex", "3"]``, ``["front", "1.3"]``, ``["back", "1.3"]`` or ``["face", "0.1", "1.3"]``, with the
    numbers of vertices in topological order. To set ``order`` plays these moves.
    """

    order = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    cost = traitlets.Int(0).tag(sync=True)

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        """Vertices are selected, which are no nodes of a program where there is none."""
        known = {node.get("node", int(node["thing"])) for node in self._vertices()}
        for vertex in proposal["value"]:
            if vertex not in known:
                raise traitlets.TraitError(f"selection has {vertex}, but there are {', '.join(map(str, sorted(known)))}")
        return proposal["value"]

    def _vertices(self) -> list[dict[str, Any]]:
        panels = self.scene["panels"]
        return next((panel["nodes"] for panel in panels if panel.get("side") == "cgraph"), [])


def show_elimination(
    f: Source,
    /,
    *args: Any,
    technique: str = "vertex",
    order: Order = "best",
    orders: Sequence[Order] | None = None,
    direction: str = "data flow",
    count: str = "sparse",
    units: bool = True,
    own: bool = True,
    panels: show.Names | None = None,
    teach: bool = False,
    grain: str = "array",
    **settings: Any,
) -> EliminationPlayer:
    """Watch the Jacobian of ``f(*args, **settings)`` being accumulated by elimination.

    ``f`` may also be a traced graph, a linearized one, a line graph, or one of ``adviz.examples``.

    >>> import adviz
    >>> player = show_elimination(adviz.examples["Naumann 2004"], order=[3, 2, 4])
    >>> sum(step["cost"]["multiplications"] for step in player.scene["steps"])
    7
    """
    layout.warm()
    optimum, program = None, None
    if isinstance(f, GraphCase):
        optimum = {"cost": f.optima[technique], "proved": True, "lower_bound": f.optima[technique]}
        f = f.graph()
    if not isinstance(f, CGraph | LineGraph):
        program = Program(f, args, grain, settings).graph()
        f = linearize(program)
    with progress("Playing") as tell:
        shown = elimination.elimination_scene(
            f,
            order,
            technique=technique,
            orders=orders,
            direction=direction,
            counting=Counting(count, units),
            program=program,
            optimum=optimum,
            panels=panels,
            own=own,
            teach=teach,
            progress=tell,
        )
    return EliminationPlayer(shown, program)
