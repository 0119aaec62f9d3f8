"""The Player of eliminations: watch a Jacobian being accumulated, or accumulate it in your own order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from ..algorithms.elimination import OrderError
from ..algorithms.elimination.counting import Counting
from ..algorithms.elimination.orders import Order
from ..algorithms.examples.known_optima import GraphCase
from ..algorithms.examples.small_functions import Case
from ..algorithms.search.clock import PACE, Budget, budget_of
from ..algorithms.search.optimum import Optimum
from ..engine.linearize import linearize
from ..graph.graph import Graph
from ..graph.linearized.cgraph import CGraph
from ..graph.linearized.line_graph import LineGraph
from ..stage.figures.order_comparison import best_order, titled
from ..stage.narration.both_sides import MOVES, BothSides, page_moves
from ..stage.scene import document
from ..stage.scene.progress import progress
from ..stage.shows import elimination_scene as elimination
from ..stage.shows.options import Names, Show, ShowError, chosen
from .player import Player
from .sweep_players import TracedProgram, check_program, check_settings
from .view import ELIMINATIONS

EFFORT = 10_000  # states that are visited for the best order
REFERENCE = 2_500  # the same for one that the meters show beside another

Eliminable = Callable[..., Any] | Case | Graph | CGraph | LineGraph | GraphCase


class LinearizedPlayer(Player):
    """A Player of a linearized graph, whose vertices are what is selected."""

    front_end = ELIMINATIONS
    _esm = ELIMINATIONS.esm

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Any) -> list[int]:
        """Check selected vertices: nodes of the program if there is one, else numbers of vertices."""
        known = self._vertices()
        for vertex in proposal["value"]:
            if vertex not in known:
                raise traitlets.TraitError(f"selection has {vertex}, but there are {', '.join(map(str, known))}")
        return proposal["value"]

    def _vertices(self) -> list[int]:
        """Return what vertices are called in a selection: nodes of the program, or their numbers."""
        for panel in self.scene["panels"]:
            if panel["kind"] == "elimination" or panel["kind"] == "extended":
                return sorted(each.get("node", int(each["thing"])) for each in panel["vertices"])
        return []


class EliminationPlayer(LinearizedPlayer):
    """A Player whose page also makes moves: ``order`` are the moves made there, ``cost`` their multiplications.

    A move is ``["vertex", "3"]``, ``["front", "1.3"]``, ``["back", "1.3"]`` or ``["face", "0.1", "1.3"]``, with the
    numbers of vertices in topological order. Setting ``order`` plays these moves, and a saved page opens with them; it
    also accepts the order of :func:`~adviz.optimal_order`.

    >>> import adviz
    >>> player = show_elimination(adviz.examples["Naumann 2004"])
    >>> player.order = [3, 2]
    >>> player.order
    [['vertex', '3'], ['vertex', '2']]
    >>> player.scene["own"]["optimum"]["cost"]
    7
    """

    order: traitlets.List[Any] = traitlets.List().tag(sync=True)
    cost = traitlets.Int(0).tag(sync=True)

    def __init__(self, shown: Show, graph: CGraph | LineGraph, program: Graph | None = None):
        self._eliminated = graph
        super().__init__(shown, program)

    def _expected(self) -> dict[str, str]:
        return {**super()._expected(), "order": "it is a list of moves, such as [3, 2] or [['vertex', '3']]"}

    @traitlets.validate("order")
    def _check_order(self, proposal: Any) -> list[list[str]]:
        """Return the moves as the page writes them; all must be possible."""
        own = self.scene["own"]
        if not proposal["value"]:
            return []
        if own is None or isinstance(self._eliminated, LineGraph):
            raise traitlets.TraitError(self.scene["why_not_own"] or "this show takes no order: it was made without own")
        try:
            return page_moves(BothSides(self._eliminated, own["technique"]), proposal["value"])
        except OrderError as error:
            raise traitlets.TraitError(str(error)) from error

    def _kept(self) -> dict[str, Any]:
        return {"order": self.order} if self.order else {}


def show_elimination(
    f: Eliminable,
    /,
    *args: Any,
    technique: str = "vertex",
    order: Order = "best",
    orders: elimination.Orders | None = None,
    direction: str = "data flow",
    count: str = "sparse",
    units: bool = True,
    own: bool = True,
    panels: Names | None = None,
    teach: bool = False,
    effort: float | None = None,
    time_limit: float | None = None,
    grain: str = "array",
    **settings: Any,
) -> EliminationPlayer:
    """Watch the Jacobian of ``f(*args, **settings)`` being accumulated by elimination, on its graph and line graph.

    ``f`` may also be a :class:`~adviz.Graph`, a :class:`~adviz.CGraph`, a :class:`~adviz.LineGraph`, or one of
    ``adviz.examples``. ``technique`` is ``"vertex"``, ``"edge"`` or ``"face"``; ``order`` is that of
    :func:`~adviz.vertex_elimination` and its like, or ``"optimal"``: the best one found with the ``effort``, 10,000 by
    default, and the ``time_limit`` of :func:`~adviz.optimal_order`. (Only to be compared with, it gets less.)
    ``orders``, two or three or a mapping from names, play side by side. ``direction`` is where arrows point,
    ``"data flow"`` or ``"dependence"``; ``count`` and ``units`` are those of :class:`~adviz.Counting`. The label of the
    edge ``(0, 2)`` is c₂₀ = ∂v₂/∂v₀, head first, so that products read like those of matrices: c₃₂ c₂₀. ``panels``
    chooses among ``adviz.stage.shows.elimination_scene.PANELS``; ``elimination`` is one picture of both graphs,
    ``cgraph`` and ``linegraph`` are its two readings side by side. ``teach=True`` asks a question before each answer is
    shown. Readers can eliminate in their own order, unless ``own=False``. That requires numbers or small arrays,
    products counted by size (between arrays ``count="scalar"``) and with units, at most 60 edges, inputs and outputs.

    Raises what :func:`adviz.trace` raises, ``OrderError`` for an impossible order, ``ShowError`` for an unknown option.

    >>> import adviz
    >>> player = show_elimination(adviz.examples["Naumann 2004"], order=[3, 2, 4])
    >>> sum(step["cost"]["multiplications"] for step in player.scene["steps"])
    7
    """
    chosen("technique", technique, MOVES)
    check_settings(show_elimination, f, settings)
    counting, wanted = Counting(count, units), _wanted(order, orders)
    with progress("Playing") as tell:
        graph, program = linearized(f, args, grain, settings, show_elimination)
        budget = _budget(f, wanted, budget_of(time_limit, effort, EFFORT))
        best = best_order(graph, technique, counting, budget) if isinstance(graph, CGraph) else None
        shown = elimination.elimination_scene(
            graph,
            orders={label: _resolved(each, best) for label, each in wanted.items()},
            technique=technique,
            counting=counting,
            direction=direction,
            program=program,
            optimum=_known(f, technique, counting, best),
            panels=panels,
            own=own,
            teach=teach,
            progress=tell,
        )
    return EliminationPlayer(shown, graph, program)


def _wanted(order: Order, orders: elimination.Orders | None) -> dict[str, Order]:
    if orders is not None and not (isinstance(order, str) and order == "best"):
        raise ShowError("order and orders were both given: give one order, or several")
    return elimination.named({elimination.labelled(order): order} if orders is None else orders)


def linearized(
    f: Eliminable, args: tuple[Any, ...], grain: str, settings: dict[str, Any], show: Callable[..., Any]
) -> tuple[CGraph | LineGraph, Graph | None]:
    """Return the graph that a ``show`` is asked for, and the program that it comes from, if any."""
    if isinstance(f, CGraph | LineGraph | GraphCase):
        if args or settings:
            raise ShowError("a graph is shown as it is: leave the arguments out")
        return (titled(f) if isinstance(f, GraphCase) else f), None
    if isinstance(f, str):
        raise ShowError(f"a show needs a function or a graph, not a text; an example is adviz.examples[{f!r}]")
    program = TracedProgram(f, args, grain, settings)
    check_program(show, program)
    graph = program.graph()
    return linearize(graph), graph


def _known(case: object, technique: str, counting: Counting, best: Optimum | None) -> document.Optimum | None:
    """Return what is known of the best order: from the source of an example, or from a search."""
    known = case.optima.get(technique) if isinstance(case, GraphCase) and counting.units else None
    if known is not None and counting.count != "block":
        return {"cost": known, "proved": True, "lower_bound": known}
    return None if best is None else {"cost": best.cost, "proved": best.proved, "lower_bound": best.lower_bound}


def _budget(f: object, wanted: dict[str, Order], budget: Budget) -> Budget:
    """Return what the best order is worth: less where the meters only compare with it; of an example it is known."""
    if any(map(_is_optimal, wanted.values())):
        return budget
    if isinstance(f, GraphCase):
        return Budget(0, 0.0)
    steps, seconds = budget
    return Budget(None, min(REFERENCE / PACE, seconds)) if steps is None else Budget(min(REFERENCE, steps), seconds)


def _is_optimal(order: Order) -> bool:
    return isinstance(order, str) and order == "optimal"


def _resolved(order: Order, best: Optimum | None) -> Order:
    """Return an order; for "optimal", the best one found."""
    if not _is_optimal(order):
        return order
    if best is None:
        raise ShowError("no best order was searched for: that takes a CGraph, not a line graph, and an effort")
    return best.order
