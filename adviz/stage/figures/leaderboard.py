"""Tables that compare: the orders of a class, and backward passes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...algorithms import sweeps
from ...algorithms.elimination import OrderError
from ...algorithms.elimination.counting import Counting
from ...algorithms.elimination.orders import Order
from ...algorithms.examples.known_optima import GraphCase
from ...algorithms.examples.small_functions import Case
from ...algorithms.search.clock import budget_of
from ...algorithms.search.optimum import Optimum
from ...algorithms.sweeps.comparison import Comparison
from ...algorithms.sweeps.seeds import GivenSeeds, by_output
from ...engine.calls import check_call
from ...engine.trace import to_be_shown, trace
from ...engine.trace_errors import InputError
from ...graph.errors import OptionError
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.line_graph import line_graph
from .order_comparison import BRIEF, ELIMINATIONS, best_order, linearized

LONGEST = 20_000  # characters of an order that is a text


class Leaderboard(Comparison):
    """Orders by their multiplications, the fewest first: ``rows`` (one dict each), ``table()`` (columns).

    Orders with the same number share a place. An order that is not possible, or not complete, comes last without a
    place, and its ``remark`` says why.
    """

    def __init__(
        self, title: str, technique: str, rows: list[dict[str, Any]], counting: Counting, best: Optimum | None
    ):
        super().__init__(title, rows)
        self.technique, self.counting, self.best = technique, counting, best

    @property
    def heading(self) -> str:
        """The first line of the table: how products are counted, and the best order that is known."""
        of = f"{self.title}, " if self.title else ""
        return f"{of}{self.technique} elimination: {self.counting}{_told(self.best)}"

    def __getitem__(self, name: str) -> dict[str, Any]:
        return {row["name"]: row for row in self.rows}[name]


def leaderboard(
    f: Callable[..., Any] | Graph | CGraph | Case | GraphCase,
    /,
    *args: Any,
    records: Mapping[str, Order | str],
    technique: str = "vertex",
    count: str = "sparse",
    units: bool = True,
    effort: float | None = None,
    time_limit: float | None = None,
    **settings: Any,
) -> Leaderboard:
    """Rank orders of elimination on ``f(*args, **settings)``, on a graph, or on an example.

    ``records`` are orders by the names of those who made them: lists of moves, or texts, as *Copy order* on the page of
    :func:`~adviz.show_elimination` writes them. Texts are read as data, never run. ``technique``, ``count``, ``units``,
    ``effort`` and ``time_limit`` are those of :func:`~adviz.compare_orders`; the column ``more`` is what an order takes
    more than the best one found. Raises ``ValueError`` for an unknown technique, ``TypeError`` for records without
    names; a record that is no possible order is told in its row.

    >>> from adviz.algorithms.examples.known_optima import GRAPHS
    >>> leaderboard(GRAPHS["Naumann 2004"], records={"Ada": "[3, 2, 4]", "Ben": [4, 2, 3], "Cem": "[2, 3"})
    Naumann 2004, vertex elimination: multiplications by structure, products with units counted; best possible 7
    name  place  multiplications  more                                                          remark
    Ada       1                7     0
    Ben       2               14     7
    Cem                                 This is not a list of moves such as [3, 2]: it cannot be read.
    """
    if not isinstance(records, Mapping):
        raise InputError(f"records is {records!r}; name them, as in records={{'Ada': [3, 1, 2]}}")
    if technique not in ELIMINATIONS:
        raise OptionError(f"no technique is called {technique!r}; there are {', '.join(ELIMINATIONS)}")
    graph, counting = linearized(f, args, settings), Counting(count, units)
    costs = {str(name): _cost(graph, technique, record, counting) for name, record in records.items()}
    best = best_order(graph, technique, counting, budget_of(time_limit, effort, BRIEF))
    return Leaderboard(graph.title, technique, list(_ranked(costs, best)), counting, best)


def _cost(graph: CGraph, technique: str, record: Order | str, counting: Counting) -> int | float | str:
    """Return the multiplications of an order, or why it has none."""
    try:
        order = _read(record) if isinstance(record, str) else record
        side = graph.copy() if technique != "face" else line_graph(graph)
        return sum(step.multiplications for step in ELIMINATIONS[technique](side, order, counting))
    except OrderError as reason:
        return str(reason)


def _read(text: str) -> Order:
    try:
        order = ast.literal_eval(text.strip()) if len(text) <= LONGEST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        order = None
    if not isinstance(order, list | tuple):
        raise OrderError("This is not a list of moves such as [3, 2]: it cannot be read.")
    return list(order)


def _ranked(costs: dict[str, int | float | str], best: Optimum | None) -> Iterator[dict[str, Any]]:
    numbers = {name: cost for name, cost in costs.items() if not isinstance(cost, str)}
    least = min([*numbers.values(), *([best.cost] if best else [])], default=0)
    for name, cost in sorted(numbers.items(), key=lambda each: each[1]):
        place = 1 + sum(other < cost for other in numbers.values())
        yield {"name": name, "place": place, "multiplications": cost, "more": cost - least, "remark": None}
    for name, why in costs.items():
        if name not in numbers:
            yield {"name": name, "place": None, "multiplications": None, "more": None, "remark": why}


def _told(best: Optimum | None) -> str:
    if best is None:
        return ""
    return (
        f"; best possible {best.cost:,}"
        if best.proved
        else f"; best known {best.cost:,}, at least {best.lower_bound:,}"
    )


# ---- backward passes ----


def compare(
    f: Callable[..., Any] | Graph | Case,
    *args: Any,
    engines: Iterable[str] | Mapping[str, Callable[..., Any]] = tuple(sweeps.ENGINES),
    seeds: GivenSeeds = None,
    **settings: Any,
) -> Comparison:
    """Compare what each reverse sweep visits, computes and keeps on ``f(*args)``, on a graph, or on an example.

    ``engines`` are names in ``sweeps.ENGINES``, or engines by name; ``seeds`` are adjoints, or matrices of them, by the
    place of the result, and ``None`` stands for 1, or for those of the example; ``settings`` go to
    :func:`~adviz.trace`. Raises :class:`~adviz.SeedError` for several results, or an array, without seeds,
    ``ValueError`` for an unknown name, and :class:`~adviz.InputError` for a graph with arguments.
    See :func:`adviz.sweeps.compare` for the columns.

    >>> compare(lambda x: x * x, 3.0, engines=["tape", "toposort"]).table()["peak"]
    [56, 40]
    """
    if isinstance(f, Graph) and (args or settings):
        raise InputError("A graph is compared as it is: leave the arguments out. For two graphs call it twice.")
    if isinstance(f, Case):
        args, seeds = args or f.arguments, f.seeds if seeds is None else seeds
        f = f.program
    if not isinstance(f, Graph):
        of_f = {name: value for name, value in settings.items() if name != "grain"}
        check_call("compare", f, args, of_f, ["engines", "seeds", "grain"])
    graph = to_be_shown(f if isinstance(f, Graph) else trace(f, *args, **settings))
    return sweeps.compare(graph, engines, by_output(graph, seeds))
