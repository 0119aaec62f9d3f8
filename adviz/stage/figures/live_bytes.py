"""Bytes in use over time: of graphs while they are evaluated and differentiated, and of programs on arrays.

Of graphs, it is told who holds them; of programs, what checkpoints save, and the operations that they take for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...engine import measuring
from ...engine.measuring import LiveBytes
from ...engine.trace_errors import InputError
from ...graph.graph import Graph
from ...kernels.arrays.array_program import ArrayProgram
from ...kernels.arrays.costs import ArrayCost
from ..drawing.marks import amount
from ..scene import theme as looks
from ..scene.captions import plural
from .figure_looks import dressed, plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_POINTS = 300
"""Points of a curve, at most; of those between, the one with the most bytes is shown."""
FAR = 10
"""The vertical axis is logarithmic where one peak is so many times another one."""
COLORS = ("linear-line", "power-line", "trigonometric-line", "selection-line", "reduction-line", "neutral-line")
"""The color of the curve of each program."""
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


class Point(NamedTuple):
    """The bytes in use when so many operations have been done, and the text where one points at it."""

    operations: int
    bytes: int
    text: str


def live_bytes(program: Graph | ArrayProgram | Mapping[str, ArrayProgram], /, *, theme: str = "light") -> Figure:
    """Return a figure of the bytes in use while a graph is evaluated and differentiated, or a program on arrays runs.

    Of a graph, the values that are needed later are drawn over its nodes, and with those the ones that its gradient
    needs, on the way to the result and back, see :func:`adviz.live_bytes`. The hover text says what holds most of them.

    Of a program, it is the bytes of computed arrays. Several programs are given by name. Bytes are drawn over the
    operations done so far, line by line and, in loops, iteration by iteration; the peak of each program is marked. With
    ``checkpoints``, the curve is lower and longer. They are those of ``program.source`` at the example's shapes, as
    ``program.cost`` counts them; where large arrays are run in blocks, less is in use. The vertical axis is logarithmic
    where peaks differ by a factor of ten.

    Raises :class:`~adviz.InputError` for anything else.

    >>> import adviz, numpy as np
    >>> program = adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array")
    >>> live_bytes(program).layout.title.text
    '&lt;lambda&gt;: bytes in use while the program runs, at most 8.01 kB'
    """
    from plotly.graph_objects import Figure

    if isinstance(program, Graph):
        return _of_graph(program, theme)
    table, figure = looks.colors(theme), Figure()
    programs = _named(program)
    curves = {name: list(points(each.cost)) for name, each in programs.items()}
    peaks = {name: max(curve, key=lambda point: point.bytes) for name, curve in curves.items()}
    for (name, curve), color in zip(curves.items(), cycle(COLORS), strict=False):
        peak, label = peaks[name], plain(name, 12, 160)
        text = f"{label}: at most {amount(peak.bytes)}, {plural(programs[name].cost.operations, 'operation')}"
        _add_curve(figure, curve, peak, text, table[color], table["paper"])
    title = " and ".join(dict.fromkeys(each.name for each in programs.values()))
    most = max(peak.bytes for peak in peaks.values())
    alone = f", at most {amount(most)}" if len(programs) == 1 else ""
    dressed(figure, f"{title}: bytes in use while the program runs{alone}", theme, 480)
    figure.update_layout(showlegend=len(programs) > 1, legend=LEGEND, margin_t=110 if len(programs) > 1 else 70)
    end = max(curve[-1].operations for curve in curves.values())
    figure.update_xaxes(title="operations on numbers done so far", tickformat=".3~s", range=[0, 1.02 * end or 1])
    is_far = most > FAR * min(peak.bytes for peak in peaks.values()) > 0
    scale = {"type": "log", "dtick": 1} if is_far else {"type": "linear", "range": [0, 1.12 * most or 1]}
    figure.update_yaxes(title="bytes in use", tickformat=".3~s", ticksuffix="B ", **scale)
    return figure


def _of_graph(graph: Graph, theme: str) -> Figure:
    """Return the figure of a graph: a curve for its evaluation, and one for its gradient, there and back."""
    from plotly.graph_objects import Figure

    table, figure = looks.colors(theme), Figure()
    curves = {"evaluation": measuring.live_bytes(graph), "gradient": measuring.live_bytes(graph, gradient=True)}
    for (name, live), color in zip(curves.items(), COLORS, strict=False):
        *curve, peak = [Point(k, int(live.bytes[k]), _explained(live, k)) for k in (*_steps(live), live.peak_at)]
        _add_curve(figure, curve, peak, f"{name}: at most {amount(live.peak)}", table[color], table["paper"])
    dressed(figure, f"{graph.title}: bytes in memory, and who holds the peak", theme, 480)
    figure.update_layout(showlegend=True, legend=LEGEND, margin={"t": 110})
    figure.add_vline(x=len(graph) - 0.5, line={"color": table["muted"], "dash": "dot", "width": 1})
    figure.update_xaxes(title="nodes, in the order of evaluation and back", tickformat=".3~s")
    figure.update_yaxes(title="bytes in memory", tickformat=".3~s", ticksuffix="B ", rangemode="tozero")
    return figure


def _steps(live: LiveBytes) -> list[int]:
    """Return the steps of a curve: all, or the highest of each stretch."""
    count = len(live.bytes)
    edges = np.unique(np.linspace(0, count, MOST_POINTS + 1).astype(int))
    return [int(a + live.bytes[a:b].argmax()) for a, b in pairwise(edges)]


def _explained(live: LiveBytes, step: int) -> str:
    """Return what is said of a step: the node, the bytes, and what holds most of them."""
    node, way = live.node_at(step), "back at " if step >= len(live.graph) else ""
    lines = [f"{way}{live.graph.label(node.index)}: {amount(int(live.bytes[step]))}"]
    for what in live.holders(step, most=5):
        place = f", line {what.node.origin.line}" if what.node.origin else ""
        lines.append(f"{amount(what.bytes)}: {what.what} of {live.graph.label(what.node.index)}{place}")
    return "<br>".join(plain(line, 12, 500) for line in lines)


def _named(program: object) -> dict[str, ArrayProgram]:
    """Return the programs by name."""
    given = dict(program) if isinstance(program, Mapping) else {getattr(program, "name", ""): program}
    result = {str(name): each for name, each in given.items() if isinstance(each, ArrayProgram)}
    if len(result) < len(given) or not result:
        others = " and ".join(
            dict.fromkeys(type(e).__name__ for e in given.values() if not isinstance(e, ArrayProgram))
        )
        raise InputError(
            f"live_bytes shows programs on arrays, not {others or 'nothing'}: compile the function with grain='array'; "
            "several programs are given by name, as in {'all kept': program, 'five': other}."
        )
    return result


def points(cost: ArrayCost) -> Iterator[Point]:
    """Yield the curve of a cost from its first line to its last, of at most about :data:`MOST_POINTS` points."""
    width, done = max(cost.operations // MOST_POINTS, 1), 0
    highest: Point | None = None
    for moment in cost.moments:
        for use in moment.uses():
            point = Point(done, use.bytes, moment.text)
            done += use.operations
            if highest is not None and highest.operations // width != point.operations // width:
                yield _said(highest)
                highest = None
            if highest is None or point.bytes > highest.bytes:
                highest = point
    if highest is not None:
        yield _said(highest)
        yield _said(Point(done, highest.bytes, highest.text))


def _said(point: Point) -> Point:
    """Return the point of a line with what is said of it."""
    return point._replace(text=f"{amount(point.bytes)} in use at<br>{plain(point.text, 12, 500)}")


def _add_curve(figure: Figure, curve: list[Point], peak: Point, name: str, color: str, paper: str) -> None:
    """Add a curve with its peak, where what a point says is shown."""
    line = {"color": color, "width": 2, "shape": "hv"}
    marker = {"color": color, "size": 10, "line": {"color": paper, "width": 1}}
    figure.add_scatter(**_drawn(curve), mode="lines", line=line, name=name)
    figure.add_scatter(**_drawn([peak]), mode="markers", marker=marker, cliponaxis=False, showlegend=False)


def _drawn(curve: list[Point]) -> dict[str, object]:
    """Return points as Plotly expects them."""
    return {
        "x": [point.operations for point in curve],
        "y": [point.bytes for point in curve],
        "customdata": [point.text for point in curve],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
