"""Plotly figures of the sizes of graphs, and of the memory of programs.

* `sizes(graph)`: nodes by block and by scope;
* `times_used(graph)`: how often values are used, and which are used most;
* `growth(f, inputs)`: how nodes and memory grow with the input;
* `live_bytes(program)`: the bytes that a program on arrays has in use while it runs.

Each returns a `plotly.graph_objects.Figure`, to show, change or save (`write_html`). Names from the user's code are
shown as text: Plotly would treat `<b>`, `$x$` and the like as markup.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.calls import leaves
from ...engine.trace import trace
from ...graph.graph import Graph
from ...graph.queries.aggregates import scope_paths, scope_places
from ...graph.queries.data_table import Table, told_apart
from ...graph.wording import counted
from ..drawing.marks import amount, size_line
from ..scene import theme as looks
from ..scene.captions import plural
from ..scene.panels import NodeUses, UseCount
from ..shows.explorer_scene import most_used, sizes_panel, use_counts
from .figure_looks import dressed, plain
from .live_bytes import live_bytes as live_bytes

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


# ---- laws of growth ----

# How counts grow with a size: the law that they follow exactly, or the exponent that fits best, with its interval.
#
# Counts of a graph have no noise. Where more sizes than its degree asks for lie on one polynomial, that is the law.
# What does not, such as n log n, or n^1.5, is told by the exponent p of a n^p + c that is nearest to it.


HIGHEST = 6.0
"""The largest exponent that is looked for."""
CONSTANT = 4
"""The fewest sizes of which the constant c can be told, too."""
QUANTILES = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Of Student's t distribution with 1, 2, … degrees of freedom: 95 % lie between it and its negative."""
NORMAL = 1.96


class GrowthLaw(NamedTuple):
    """A sum of powers of n, ``terms`` with a factor and an exponent each, the one that grows most first.

    ``interval`` has the exponents (95 %) that the counts allow for the first term; ``None`` for two sizes, of which
    nothing is left to tell it.
    """

    terms: tuple[tuple[float, float], ...]
    interval: tuple[float, float] | None

    @property
    def exponent(self) -> float:
        """The exponent of the term that grows most."""
        return self.terms[0][1]

    @property
    def is_determined(self) -> bool:
        """Whether the counts tell the exponent: its interval is not cut off where the search ends."""
        low, high = self.interval or (self.exponent, self.exponent)
        return high < HIGHEST and (low > 0 or high == 0)

    def at(self, size: np.ndarray) -> np.ndarray:
        """Return the count that the law says for a size."""
        return np.sum([factor * np.asarray(size, float) ** exponent for factor, exponent in self.terms], axis=0)


def growth_law(size: Sequence[float], count: Sequence[float]) -> GrowthLaw | None:
    """Return the law that ``count`` follows; ``None`` for fewer than two sizes, or where any is not positive.

    It is the polynomial on which all counts lie, if there is one with fewer terms than there are sizes. Otherwise it is
    a n^p, from four sizes on with a constant that is not negative, such as the nodes of a function before its loop, and
    relative deviations are made small (least squares). The interval has the exponents whose deviations are not
    significantly larger (Bates and Watts, Nonlinear Regression Analysis, 1988, section 6.1.2, profiles); it has length
    0 for counts that follow the law exactly.

    >>> growth_law([4, 8, 16, 32], [7 + 3 * 4**2, 7 + 3 * 8**2, 7 + 3 * 16**2, 7 + 3 * 32**2])
    GrowthLaw(terms=((3.0, 2.0), (7.0, 0.0)), interval=(2.0, 2.0))
    >>> law = growth_law([4, 8, 16, 32, 64], [4 * 2, 8 * 3, 16 * 4, 32 * 5, 64 * 6])  # n log n
    >>> f"{law.exponent:.2f}, {law.interval[0]:.2f} to {law.interval[1]:.2f}"
    '1.39, 1.21 to 1.72'
    """
    n, y = np.asarray(size, float), np.asarray(count, float)
    different = len(np.unique(n))
    if different < 2 or min(n.min(), y.min()) <= 0:
        return None
    return _polynomial(n, y) or _power_law(n, y, different)


# ---- counts on a polynomial ----


def _polynomial(n: np.ndarray, y: np.ndarray) -> GrowthLaw | None:
    """Return the polynomial of least degree through all counts, in exact arithmetic; ``None`` if it needs all of them.

    Nor is it one that falls in the end, which no count does.
    """
    points = sorted({(Fraction(size), Fraction(count)) for size, count in zip(n.tolist(), y.tolist(), strict=True)})
    sizes = [size for size, _ in points]
    if len(set(sizes)) < len(sizes):
        return None  # one size with two counts
    coefficients = _interpolated(sizes, [count for _, count in points])
    if len(coefficients) == len(points) or coefficients[-1] < 0:
        return None
    degree = float(len(coefficients) - 1)
    terms = [(float(factor), float(power)) for power, factor in enumerate(coefficients) if factor]
    return GrowthLaw(tuple(terms[::-1]), (degree, degree))


def _interpolated(sizes: list[Fraction], counts: list[Fraction]) -> list[Fraction]:
    """Return the coefficients of the polynomial through points, that of n^0 first, by Newton's divided differences.

    >>> [int(each) for each in _interpolated([Fraction(n) for n in (1, 2, 4)], [Fraction(n) for n in (2, 5, 17)])]
    [1, 0, 1]
    """
    differences, newton = counts, [counts[0]]
    for order in range(1, len(sizes)):
        differences = [
            (after - before) / (sizes[k + order] - sizes[k]) for k, (before, after) in enumerate(pairwise(differences))
        ]
        newton.append(differences[0])
    result: list[Fraction] = []
    for size, factor in zip(reversed(sizes), reversed(newton), strict=True):  # Horner: found * (n - size) + factor
        result = [up - size * own for up, own in zip([Fraction(0), *result], [*result, Fraction(0)], strict=True)]
        result[0] += factor
    while len(result) > 1 and not result[-1]:
        result.pop()
    return result


# ---- the nearest power ----


def _power_law(n: np.ndarray, y: np.ndarray, different: int) -> GrowthLaw:
    """Return the power of n, with a constant from ``CONSTANT`` different sizes on, that leaves the least deviations."""
    has_constant = different >= CONSTANT
    exponents = np.linspace(0.0, HIGHEST, 601)
    for step in (1e-2, 1e-4, 1e-6, 1e-8):
        best = exponents[np.argmin(_left(n, y, exponents, has_constant))]
        exponents = np.clip(best + step * np.linspace(-2, 2, 401), 0.0, HIGHEST)
    best = exponents[[np.argmin(_left(n, y, exponents, has_constant))]]
    (factor,), (constant,) = _fitted(n, y, best, has_constant)
    interval = _interval(n, y, best[0], has_constant) if different > 2 else None
    return GrowthLaw(((float(factor), float(best[0])), (float(constant), 0.0)), interval)


def _fitted(n: np.ndarray, y: np.ndarray, exponents: np.ndarray, has_constant: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the best factor and constant for each exponent, by the normal equations; the constant is not negative."""
    power, level = n ** exponents[:, None] / y, 1 / y
    squares, mixed, total = (power**2).sum(1), power @ level, power.sum(1)
    factor, constant = total / squares, np.zeros(len(exponents))
    if has_constant:
        determinant = squares * (level @ level) - mixed**2
        is_regular = determinant > 1e-9 * squares * (level @ level)
        determinant = np.where(is_regular, determinant, 1.0)
        both = total * (level @ level) - mixed * level.sum(), squares * level.sum() - mixed * total
        is_better = is_regular & (both[0] >= 0) & (both[1] >= 0)
        factor = np.where(is_better, both[0] / determinant, factor)
        constant = np.where(is_better, both[1] / determinant, constant)
    return factor, constant


def _left(n: np.ndarray, y: np.ndarray, exponents: np.ndarray, has_constant: bool) -> np.ndarray:
    """Return the sum of the squares of the relative deviations that each exponent leaves at best."""
    factor, constant = _fitted(n, y, exponents, has_constant)
    counts = factor[:, None] * n ** exponents[:, None] + constant[:, None]
    return np.asarray(((counts / y - 1) ** 2).sum(1))


def _interval(n: np.ndarray, y: np.ndarray, best: float, has_constant: bool) -> tuple[float, float]:
    """Return the exponents around the best one whose deviations are not significantly larger."""
    free = max(len(n) - (3 if has_constant else 2), 1)
    quantile = QUANTILES[free - 1] if free <= len(QUANTILES) else NORMAL
    (least,) = _left(n, y, np.array([best]), has_constant)
    bound = least * (1 + quantile**2 / free) + 1e-24
    return _edge(n, y, best, 0.0, bound, has_constant), _edge(n, y, best, HIGHEST, bound, has_constant)


def _edge(n: np.ndarray, y: np.ndarray, inside: float, outside: float, bound: float, has_constant: bool) -> float:
    """Return where the deviations pass a bound between two exponents, by bisection; ``outside`` if they do not."""
    if _left(n, y, np.array([outside]), has_constant)[0] <= bound:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        (left,) = _left(n, y, np.array([middle]), has_constant)
        inside, outside = (middle, outside) if left <= bound else (inside, middle)
    return float(inside)


# ---- figures ----


MOST_BARS = 20
LABEL_WIDTH = 150.0
HOVER_WIDTH = 600.0
FAR = 300
"""An axis is logarithmic where the longest bar is so many times as long as the shortest."""


class Bar(NamedTuple):
    """A bar of a chart: its label, its length, its color, and its hover text."""

    label: str
    length: int
    color: str
    hover: str


class Chart(NamedTuple):
    """A bar chart: its title, what the bars count, and the bars."""

    title: str
    unit: str
    bars: list[Bar]


def __dir__() -> list[str]:
    return ["growth", "live_bytes", "sizes", "times_used"]


def sizes(graph: Graph, *, theme: str = "light") -> Figure:
    """Return a figure of the nodes of `graph` by block, and by scope where it has inner ones."""
    panel = sizes_panel(graph)
    table = looks.colors(theme)
    family = {block.name: block.family for block in graph.block_table}
    charts = [Chart("Nodes by block", "nodes", [_block_bar(row, family, table) for row in _rows(graph.by("block"))])]
    if scopes := _scope_bars(graph, table):
        charts.append(Chart("Nodes by scope", "nodes", scopes))
    return bar_figure(charts, f"{graph.title}: {size_line(panel)}", theme)


def times_used(graph: Graph, *, theme: str = "light") -> Figure:
    """Return a figure of the nodes of `graph` by times used, and of those that are used most.

    Outputs and dead nodes are used 0 times.
    """
    uses, used = use_counts(graph.columns.times_used), most_used(graph, np.arange(len(graph)))
    table = looks.colors(theme)
    charts = [
        Chart("Nodes by times used", "nodes", [_uses_bar(each, table) for each in uses]),
        Chart("Used most", "times used", _most_used_bars(graph, used, table)),
    ]
    most = f", at most {plural(used[0]['uses'], 'time')}" if used else ""
    return bar_figure(charts, f"{graph.title}: how often each value is used{most}", theme)


def growth(
    f: Callable[..., Any],
    inputs: Iterable[Any],
    *,
    grain: str = "array",
    theme: str = "light",
    **keywords: Sequence[Any],
) -> Figure:
    """Return a figure of how the graph of `f` grows: nodes and bytes over the number n of input numbers, log-log.

    `inputs` has one argument per point, or a tuple of arguments: `growth(f, [np.ones(n) for n in (10, 100, 1000)])`.
    Each is traced in `grain`; only the sizes are kept. Arguments that have as many numbers every time, such as the
    parameters of a model whose input grows, do not count for n. The law that the counts follow is drawn, and its
    exponent told, with its interval (95 %) if it is not exact, see :func:`growth_law`; an exponent that
    the sizes do not determine is not told. Keyword arguments of `f` are given as lists, with one value per point:
    `growth(f, [x] * 3, steps=[10, 100, 1000])`. If no input grows, n is the first keyword whose values are different
    positive numbers. Raises ValueError if there are no inputs, or if a keyword does not have one value for each.

    >>> import adviz
    >>> figure = growth(lambda x: np.sum(np.outer(x, x)), [np.ones(n) for n in (10, 20, 50, 100)])
    >>> [each.text for each in figure.layout.annotations]
    ['Nodes do not grow', 'Bytes grow as n<sup>2.00</sup>']
    """
    from plotly.subplots import make_subplots

    points = [each if isinstance(each, tuple) else (each,) for each in inputs]
    if not points:
        raise ValueError("growth needs at least one input, as in growth(f, [x, y]), or a tuple of arguments for each")
    if wrong := [name for name, values in keywords.items() if len(values) != len(points)]:
        there = counted((len(points), "input"), (len(keywords[wrong[0]]), "value"))
        raise ValueError(f"growth needs one value of {wrong[0]} per input; there are {there}")
    given, counts = [], []
    for k, arguments in enumerate(points):
        graph = trace(f, *arguments, grain=grain, **{name: values[k] for name, values in keywords.items()})
        given.append([sum(int(np.size(leaf)) for _, leaf in leaves(argument, "")) for argument in arguments])
        counts.append((len(graph), graph.bytes))
    n, said = _growing(given), "numbers in the input"
    if len(set(n)) == 1:
        n, said = next(((list(values), name) for name, values in keywords.items() if _are_sizes(values)), (n, said))
    rows = sorted((n, *sizes) for n, sizes in zip(n, counts, strict=True))
    size, nodes, held = np.array(rows, dtype=float).T
    laws = [growth_law(size, column) for column in (nodes, held)]
    titles = [law_text(name, law) for name, law in zip(("Nodes", "Bytes"), laws, strict=True)]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.13)
    charts = (("linear", nodes, [f"{count:,.0f} nodes" for count in nodes]), ("reduction", held, [*map(amount, held)]))
    for k, ((family, count, hover), law) in enumerate(zip(charts, laws, strict=True), start=1):
        shown = law if law and law.is_determined else None
        _add_counts(figure, k, size, count, hover, shown, looks.colors(theme)[f"{family}-line"])
    figure.update_xaxes(type="log", title=f"n ({said})", **_ticks(size))
    for k, (title, count) in enumerate((("nodes", nodes), ("bytes held", held)), start=1):
        figure.update_yaxes(type="log", title=title, **_ticks(count), col=k)
    return dressed(figure, f"{graph.title}: growth with {said}", theme, 420)


def _are_sizes(values: Sequence[Any]) -> bool:
    """Return whether values are positive numbers that are not all equal."""
    return all(isinstance(each, int | float) and each > 0 for each in values) and len(set(values)) > 1


def _growing(given: list[list[int]]) -> list[int]:
    """Return the numbers in the arguments that do not have as many every time; in all arguments, if none grows.

    >>> _growing([[4, 100], [8, 100]]), _growing([[4, 100], [4, 100]])
    ([4, 8], [104, 104])
    """
    grows = [len(set(column)) > 1 for column in zip_longest(*given, fillvalue=0)]
    return [sum(n for n, counts in zip(sizes, grows, strict=False) if counts or not any(grows)) for sizes in given]


def _add_counts(
    figure: Figure, k: int, size: np.ndarray, count: np.ndarray, hover: list[str], law: GrowthLaw | None, color: str
) -> None:
    """Add points, and a line through the law that fits them, or from point to point where none does."""
    from plotly.graph_objects import Scatter

    tips = {"customdata": hover, "hovertemplate": "n = %{x:,}: %{customdata}<extra></extra>"}
    mode, marker = "lines+markers" if law is None else "markers", {"size": 9, "color": color}
    line = {"color": color, "width": 2}
    if law is not None:
        along = np.geomspace(size.min(), size.max(), 60)
        figure.add_trace(
            Scatter(x=along.tolist(), y=law.at(along).tolist(), mode="lines", line=line, hoverinfo="skip"), row=1, col=k
        )
    figure.add_trace(Scatter(x=size.tolist(), y=count.tolist(), mode=mode, line=line, marker=marker, **tips), 1, k)


def _ticks(column: np.ndarray) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis: at 1, 2 and 5 where it is short, else at powers of ten."""
    low, high = column.min(), column.max()
    if high >= 500 * low:
        return {"dtick": 1, "exponentformat": "power"}
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    values = [digit * 10**decade for decade in decades for digit in (1, 2, 5)]
    return {"tickvals": values, "ticktext": [f"{value:,}" for value in values]}


def law_text(what: str, law: GrowthLaw | None) -> str:
    """Return in words how something grows.

    >>> law_text("Bytes", GrowthLaw(((0.6, 1.964),), (1.914, 2.014))), law_text("Bytes", None)
    ('Bytes grow as n<sup>1.96</sup> (1.91 to 2.01)', 'Bytes over the input')
    >>> law_text("Bytes", GrowthLaw(((0.6, 5.0),), (0.0, 6.0)))
    'Bytes: exponent not determined'
    """
    if law is None:
        return f"{what} over the input"
    if not law.is_determined:
        return f"{what}: exponent not determined"
    if law.exponent < 0.005:
        return f"{what} do not grow"
    low, high = law.interval or (0.0, 0.0)
    text = " (two sizes)" if law.interval is None else f" ({low:.2f} to {high:.2f})" if high - low >= 0.005 else ""
    return f"{what} grow as n<sup>{law.exponent:.2f}</sup>{text}"


# Bars


def _rows(groups: Table) -> list[dict[str, Any]]:
    return [
        dict(zip(groups, row, strict=True)) for row in zip(*(groups[name].tolist() for name in groups), strict=True)
    ]


def _block_bar(row: dict[str, Any], family: dict[str, str], table: dict[str, str]) -> Bar:
    text = f"{row['block']} ({family[row['block']]}): {plural(row['nodes'], 'node')}, {amount(row['bytes'])}"
    return Bar(row["block"], row["nodes"], color(family[row["block"]], table), text)


def _scope_bars(graph: Graph, table: dict[str, str]) -> list[Bar]:
    """Return the scopes with most nodes inside; those that are made alike are one, such as the iterations of a loop.

    Names that repeat are told apart by the line of the call, or by the path.
    """
    columns = graph.columns
    firsts, parents, groups = columns.scope_groups
    counts = np.bincount(groups[columns.scope], minlength=len(firsts))
    for group in range(len(firsts) - 1, 0, -1):  # from the innermost
        counts[parents[group]] += counts[group]
    paths, names = scope_paths(columns), [graph.scope_label(scope) for scope in firsts]
    names = told_apart(names, *map(_in_file, scope_places(columns)), paths)
    most = [group for group in np.argsort(-counts, kind="stable").tolist() if group and counts[group]]
    gray = table["neutral-line"]
    return [
        Bar(names[k], int(counts[k]), gray, f"{paths[k]}: {plural(int(counts[k]), 'node')}") for k in most[:MOST_BARS]
    ]


def _uses_bar(entry: UseCount, table: dict[str, str]) -> Bar:
    low, high = entry["uses"], entry["upto"]
    times = plural(low, "time") if low == high else f"{low:,}–{high:,} times"
    return Bar(times, entry["count"], table["linear-line"], f"used {times}: {plural(entry['count'], 'node')}")


def _most_used_bars(graph: Graph, entries: list[NodeUses], table: dict[str, str]) -> list[Bar]:
    nodes = [entry["node"] for entry in entries]
    origins = [graph.origin(node) for node in nodes]
    lines = _in_file([f"{place.file}:{place.line}" if place else "" for place in origins])
    names = told_apart([graph.label(node) for node in nodes], lines, [f"node {node:,}" for node in nodes])
    return [
        Bar(
            name,
            entry["uses"],
            color(graph.blocks[entry["node"]].family, table),
            f"node {entry['node']:,}, {entry['label']}: used {plural(entry['uses'], 'time')}",
        )
        for name, entry in zip(names, entries, strict=True)
    ]


def _in_file(places: list[str]) -> list[str]:
    """Return places such as ``net.py:4`` as ``line 4``, if all are in one file: labels have little room."""
    first = next(filter(None, places), "").split(":")[0]
    if not all(place.startswith(f"{first}:") for place in places if place):
        return places
    return [f"line {place[len(first) + 1 :]}" if place else "" for place in places]


def color(family: str, table: dict[str, str]) -> str:
    """Return the color of the bars of a family."""
    return table[f"{family if family in looks.PALETTE else 'neutral'}-line"]


def _scale(lengths: list[int]) -> dict[str, Any]:
    """Return an axis with room for the number after the longest bar; logarithmic where short bars would not be seen."""
    most = max(lengths, default=1) or 1
    if most > FAR * min((length for length in lengths if length), default=1):
        decades = math.log10(most) + 0.5
        return {"type": "log", "dtick": max(1, round(decades / 4)), "range": [-0.5, decades * 1.18]}
    return {"rangemode": "tozero", "nticks": 6, "range": [0, 1.18 * most]}


def bar_figure(charts: list[Chart], title: str, theme: str) -> Figure:
    """Return a figure of horizontal bar charts side by side."""
    from plotly.graph_objects import Bar as Bars
    from plotly.subplots import make_subplots

    figure = make_subplots(1, len(charts), subplot_titles=[chart.title for chart in charts], horizontal_spacing=0.26)
    for k, chart in enumerate(charts, start=1):
        bars = chart.bars[:MOST_BARS]
        labels = [plain(bar.label, 12, LABEL_WIDTH) for bar in bars]
        places = list(range(len(bars)))  # at numbers, since bars with equal labels would share one place
        trace = Bars(
            y=places,
            x=[bar.length for bar in bars],
            orientation="h",
            marker={"color": [bar.color for bar in bars]},
            text=[f"{bar.length:,}" for bar in bars],
            textposition="outside",
            cliponaxis=False,
            customdata=[plain(bar.hover, 12, HOVER_WIDTH) for bar in bars],
            hovertemplate="%{customdata}<extra></extra>",
        )
        figure.add_trace(trace, row=1, col=k)
        figure.update_xaxes(title=chart.unit, tickformat=",d", **_scale([bar.length for bar in bars]), row=1, col=k)
        figure.update_yaxes(tickvals=places, ticktext=labels, autorange="reversed", row=1, col=k)
    figure.update_yaxes(showgrid=False, ticksuffix=" ")
    return dressed(figure, title, theme, 170 + 26 * max(4, *(len(chart.bars[:MOST_BARS]) for chart in charts)))
