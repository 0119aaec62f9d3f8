"""Compare the costs of elimination orders, by every technique, with the best order found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...algorithms.elimination import (
    OrderError,
    edge_elimination,
    face_elimination,
    faces_left,
    fill_in,
    greedy,
    greedy_edges,
    greedy_faces,
    markowitz,
    minimal_damage,
    overall,
    relative_markowitz,
    reverse,
    vertex_elimination,
)
from ...algorithms.elimination.counting import PLAIN, Cost, Counting
from ...algorithms.elimination.orders import NAMES, Order
from ...algorithms.examples.figures import FIGURES as OF_THE_NOTES
from ...algorithms.examples.known_optima import GRAPHS, GraphCase
from ...algorithms.examples.small_functions import Case
from ...algorithms.search.clock import Budget, budget_of
from ...algorithms.search.optimum import Optimum, optimal_order
from ...algorithms.sweeps.comparison import Comparison
from ...engine.linearize import linearize
from ...engine.trace_errors import InputError
from ...graph.errors import OptionError
from ...graph.graph import Graph
from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.line_graph import LineGraph, is_interior, line_graph
from ...graph.timeline import Step
from ..scene import theme as looks
from .figure_looks import dressed, plain

if TYPE_CHECKING:
    from plotly.graph_objects import Bar, Figure

ELIMINATIONS: dict[str, Callable[..., Iterator[Step]]] = {
    "vertex": vertex_elimination,
    "edge": edge_elimination,
    "face": face_elimination,
}
NAMED: dict[str, Order] = {name: name for name in NAMES}
ORDERS: dict[str, dict[str, Order]] = {
    "vertex": NAMED
    | {
        "relative Markowitz": greedy(relative_markowitz),
        "lowest fill-in": greedy(fill_in, markowitz),
        "LMMD": greedy(minimal_damage),
        "MOMR": greedy(overall),
    },
    "edge": NAMED | {"lowest Markowitz of edges": greedy_edges(markowitz, reverse)},
    "face": NAMED | {"fewest faces left": greedy_faces(faces_left, reverse)},
}
"""The orders to compare, by technique and by name."""
BEST = "best found"
BRIEF = 15_000  # states that a search visits, if nothing else is said
FIGURES = ("multiplications", "additions", "fill-ins", "peak edges")
TITLES = ("Multiplications", "Additions", "Fill-ins", "Peak<br>edges")
SHARES = [1.6, 1.0, 1.0, 1.0]  # the widths of the figures side by side
SMALL = 11  # the size of letters in px, which fits into a narrow cell
FADED = 0.45  # the opacity of bars of other orders than the cheapest
COLORS = {"vertex": "linear-line", "edge": "power-line", "face": "trigonometric-line"}


class OrderComparison(Comparison):
    """Figures of orders: ``rows`` (one dict each), ``table()`` (columns, for ``pandas.DataFrame``), ``figure()``.

    The first line of table and figure says how products are counted.
    """

    def __init__(self, title: str, rows: list[dict[str, Any]], counting: Counting = PLAIN):
        super().__init__(title, rows)
        self.counting = counting

    @property
    def heading(self) -> str:
        """The first line of the table."""
        return f"{self.title}: {self.counting}" if self.title else str(self.counting)

    def __getitem__(self, key: Any) -> dict[str, Any]:
        """Return the row of a technique and an order: ``comparison["vertex", "forward"]``."""
        return {(row["technique"], row["order"]): row for row in self.rows}[key]

    def figure(self, *, theme: str = "light") -> Figure:
        """Return a Plotly figure: a bar for each order, as in the table, and a line at the best, dotted for a bound.

        The orders with the fewest multiplications stand out: the bars of others are paler.

        >>> rows = compare_orders(CGraph.from_edges([(0, 1), (1, 2)]), techniques="vertex", orders={"mine": [1]})
        >>> rows.figure().layout.yaxis.ticktext
        ('<b>vertex</b>', 'mine', 'best found')
        """
        from plotly.subplots import make_subplots

        groups, table = _groups(self.rows), looks.colors(theme)
        places = range(1, len(FIGURES) + 1)
        figure = make_subplots(
            1, len(FIGURES), shared_yaxes=True, subplot_titles=TITLES, horizontal_spacing=0.02, column_widths=SHARES
        )
        figure.update_annotations(font={"size": SMALL})
        for technique, rows in groups.items():
            for place, name in zip(places, FIGURES, strict=True):
                figure.add_trace(_bars(technique, rows, name, table[COLORS[technique]]), row=1, col=place)
            for row in rows.values():
                _mark(figure, row, min(rows) - 1, max(rows), table["ink"])
        names = {k: plain(row["order"], SMALL, 150) for rows in groups.values() for k, row in rows.items()}
        names |= {min(rows) - 1: f"<b>{technique}</b>" for technique, rows in groups.items()}
        of = f": {self.title}" if self.title else ""
        dressed(figure, f"Orders of elimination, {self.counting}{of}", theme, 150 + 24 * len(names))
        for place, name, share in zip(places, FIGURES, SHARES, strict=True):
            most = max((row[name] for row in self.rows), default=0)
            room = 1.1 + 0.2 * len(f"{most:,}") / share  # for the number of the longest bar
            figure.update_xaxes(range=[0, room * max(most, 1)], showticklabels=False, showgrid=False, col=place)
        figure.update_yaxes(
            tickvals=sorted(names), ticktext=[names[k] for k in sorted(names)], tickfont={"size": SMALL}
        )
        return figure.update_yaxes(range=[len(names) - 0.4, -0.6], ticksuffix=" ", showgrid=False)


def _groups(rows: list[dict[str, Any]]) -> dict[str, dict[int, dict[str, Any]]]:
    """Return the rows of each technique by their places in the figure, with a place before them for its name."""
    groups: dict[str, dict[int, dict[str, Any]]] = {}
    for k, row in enumerate(rows):
        group = groups.setdefault(row["technique"], {})
        group[k + len(groups)] = row
    return groups


def is_cheapest(row: dict[str, Any], rows: dict[int, dict[str, Any]]) -> bool:
    """Return whether no order of the same technique takes fewer multiplications."""
    return bool(row["multiplications"] == min(each["multiplications"] for each in rows.values()))


def _bars(technique: str, rows: dict[int, dict[str, Any]], name: str, color: str) -> Bar:
    from plotly.graph_objects import Bar

    return Bar(
        x=[row[name] for row in rows.values()],
        y=list(rows),
        text=[f"{row[name]:,}" for row in rows.values()],
        textposition="outside",
        textfont={"size": SMALL},
        cliponaxis=False,
        orientation="h",
        name=technique,
        marker={"color": color, "opacity": [1.0 if is_cheapest(row, rows) else FADED for row in rows.values()]},
        customdata=[plain(f"{technique} elimination, {row['order']}", 12, 400) for row in rows.values()],
        hovertemplate=f"%{{customdata}}: %{{x:,}} {name}<extra></extra>",
    )


def _mark(figure: Figure, row: dict[str, Any], top: int, bottom: int, ink: str) -> None:
    """Draw a line through the bars of a technique at the fewest multiplications, or at their lower bound."""
    least = row["at least"]
    if least or row["proved"]:
        line = {"color": ink, "width": 1, "dash": "solid" if row["proved"] else "dot"}
        figure.add_shape(type="line", x0=least, x1=least, y0=top - 0.3, y1=bottom + 0.5, line=line, row=1, col=1)
        text = f" {least:,}, proved" if row["proved"] else f" at least {least:,}"
        written = {"text": text, "font": {"size": SMALL}, "showarrow": False, "xanchor": "left"}
        figure.add_annotation(x=least, y=top, **written, row=1, col=1)


def compare_orders(
    f: Callable[..., Any] | Graph | CGraph | Case | GraphCase,
    /,
    *args: Any,
    techniques: Iterable[str] = tuple(ELIMINATIONS),
    orders: Mapping[str, Order] | None = None,
    count: str = "sparse",
    units: bool = True,
    effort: float | None = None,
    time_limit: float | None = None,
    cost: Cost | None = None,
    **settings: Any,
) -> OrderComparison:
    """Compare the costs of elimination orders on ``f(*args, **settings)``, on a graph, or on an example.

    The columns: ``multiplications``, ``additions``, ``fill-ins``, and ``peak edges``, the most edges (or nodes of the
    line graph that carry factors) at one time. The last row of each technique is the best order that a search found,
    with a lower bound ``at least`` on the multiplications of every order, and whether it is ``proved`` to be the best.
    An interrupt ends the comparison with the rows so far. ``effort``, 15,000 by default, and ``time_limit`` are those
    of :func:`~adviz.optimal_order`; with 0 nothing is searched for. ``orders``, by name, replace those of ``ORDERS``;
    orders of vertices also stand for edges and faces, other orders for one of the ``techniques`` only. ``count``,
    ``units`` and ``cost`` are those of :class:`~adviz.Counting`; the column of a cost of one's own is called
    ``multiplications``, too. Raises ``ValueError`` for an unknown technique, ``TypeError`` for a graph with arguments
    or orders without names, and :class:`~adviz.OrderError` for an impossible order.

    >>> from adviz.algorithms.examples.known_optima import GRAPHS
    >>> compare_orders(GRAPHS["lion"], techniques=["vertex", "edge"], orders={"forward": "forward"})
    lion: multiplications by structure, products with units counted
    technique       order  multiplications  additions  fill-ins  peak edges  at least  proved
    vertex        forward               12          2         4           8
    vertex     best found               12          2         4           8        12     yes
    edge          forward               12          2         4           8
    edge       best found               11          1         4           6        11     yes
    """
    if not isinstance(orders, Mapping | None):
        raise InputError(f"orders is {orders!r}; name them, as in orders={{'mine': [3, 1, 2]}}")
    graph, counting = linearized(f, args, settings), Counting(count, units, cost)
    budget = budget_of(time_limit, effort, BRIEF)
    rows = []
    for technique in [techniques] if isinstance(techniques, str) else techniques:
        if technique not in ELIMINATIONS:
            raise OptionError(f"no technique is called {technique!r}; there are {', '.join(ELIMINATIONS)}")
        tried = [
            _row(graph, technique, name, order, counting)
            for name, order in (ORDERS[technique] if orders is None else orders).items()
        ]
        rows += tried
        if best := best_order(graph, technique, counting, budget):
            rows_of_technique = [_row(graph, technique, BEST, best.order, counting), *tried]
            cheapest = min(rows_of_technique, key=lambda row: row["multiplications"])
            proved = cheapest["multiplications"] <= best.lower_bound  # no order takes fewer
            rows.append(cheapest | {"order": BEST, "at least": best.lower_bound, "proved": proved})
            if best.interrupted:
                break
    return OrderComparison(graph.title, rows, counting)


def best_order(graph: CGraph, technique: str, counting: Counting, budget: Budget) -> Optimum | None:
    """Return the best order that is found; ``None`` if nothing may be spent.

    >>> best_order(CGraph.from_edges([(0, 1), (1, 2)]), "vertex", Counting(), budget_of(None, 100, 0)).order
    [1]
    """
    if 0 in budget:
        return None
    options = {"count": counting.count, "units": counting.units, "cost": counting.cost}
    return optimal_order(graph, technique, **options, **budget.options)  # type: ignore[arg-type]


def titled(case: GraphCase) -> CGraph:
    """Return the graph of an example, with its name."""
    graph = case.graph()
    graph.title = next((name for name, known in {**GRAPHS, **OF_THE_NOTES}.items() if known is case), "")
    return graph


def linearized(f: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> CGraph:
    """Return the c-graph of a function at a point, of a program, or of an example."""
    if isinstance(f, LineGraph):
        expect(f, CGraph)
    if isinstance(f, CGraph | GraphCase):
        if args or settings:
            raise InputError("A graph is compared as it is: leave the arguments out.")
        return titled(f) if isinstance(f, GraphCase) else f
    return linearize(f, *args, **settings)


def _row(graph: CGraph, technique: str, name: str, order: Order, counting: Counting) -> dict[str, Any]:
    side: CGraph | LineGraph = line_graph(graph) if technique == "face" else graph.copy()
    present = peak = sum(map(_carries, side.state()))
    work = sums = new = 0
    for step in _steps(side, technique, name, order, counting):
        work, sums, new = work + step.multiplications, sums + step.additions, new + (step.kind == "fill_in")
        for key, before, after in step.edits:
            present += _carries(key) * ((before is None) - (after is None))
        peak = max(peak, present)
    figures = dict(zip(FIGURES, (work, sums, new, peak), strict=True))
    return {"technique": technique, "order": name, **figures, "at least": None, "proved": None}


def _steps(side: CGraph | LineGraph, technique: str, name: str, order: Order, counting: Counting) -> Iterator[Step]:
    """Yield the steps of an order; errors name it."""
    try:
        yield from ELIMINATIONS[technique](side, order, counting)
    except OrderError as reason:
        raise OrderError(f"The order {name!r}, for {technique} elimination: {reason}") from None


def _carries(key: Any) -> bool:
    """Return whether a key is that of an edge, or of an interior node of the line graph."""
    return key[0] == "edge" or (key[0] == "node" and is_interior(key[1]))
