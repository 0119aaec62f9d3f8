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
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.pytrees import leaves
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
from .growth_laws import GrowthLaw, growth_law
from .live_bytes import live_bytes as live_bytes

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

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
    exponent told, with its interval (95 %) if it is not exact, see :func:`~.growth_laws.growth_law`; an exponent that
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
    """Whether values are positive numbers that are not all equal."""
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
    told = " (two sizes)" if law.interval is None else f" ({low:.2f} to {high:.2f})" if high - low >= 0.005 else ""
    return f"{what} grow as n<sup>{law.exponent:.2f}</sup>{told}"


# Bars


def _rows(groups: Table) -> list[dict[str, Any]]:
    return [
        dict(zip(groups, row, strict=True)) for row in zip(*(groups[name].tolist() for name in groups), strict=True)
    ]


def _block_bar(row: dict[str, Any], family: dict[str, str], table: dict[str, str]) -> Bar:
    told = f"{row['block']} ({family[row['block']]}): {plural(row['nodes'], 'node')}, {amount(row['bytes'])}"
    return Bar(row["block"], row["nodes"], color(family[row["block"]], table), told)


def _scope_bars(graph: Graph, table: dict[str, str]) -> list[Bar]:
    """The scopes with most nodes inside; those that are made alike are one, such as the iterations of a loop.

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
    """An axis with room for the number after the longest bar; logarithmic where short bars would not be seen."""
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
