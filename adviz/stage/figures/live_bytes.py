"""The memory of programs on arrays while they run: what checkpoints save, and the operations that they take for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

from ...engine.trace_errors import InputError
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


class Point(NamedTuple):
    """The bytes in use when so many operations have been done, and the line of the program that runs."""

    operations: int
    bytes: int
    text: str


def live_bytes(program: ArrayProgram | Mapping[str, ArrayProgram], /, *, theme: str = "light") -> Figure:
    """Return a figure of the bytes of computed arrays that a program on arrays has in use while it runs.

    Several programs are given by name. Bytes are drawn over the operations done so far, line by line and, in loops,
    iteration by iteration; the peak of each program is marked. With ``checkpoints``, the curve is lower and longer.
    They are those of ``program.source`` at the example's shapes, as ``program.cost`` counts them; where large arrays
    are run in blocks, less is in use. The vertical axis is logarithmic where peaks differ by a factor of ten.
    Raises :class:`~adviz.InputError` for anything else than programs on arrays.

    >>> import adviz, numpy as np
    >>> program = adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(1000), grain="array")
    >>> live_bytes(program).layout.title.text
    '&lt;lambda&gt;: bytes in use while the program runs, at most 8.01 kB'
    """
    from plotly.graph_objects import Figure

    table, figure = looks.colors(theme), Figure()
    programs = _named(program)
    curves = {name: list(points(each.cost)) for name, each in programs.items()}
    peaks = {name: max(curve, key=lambda point: point.bytes) for name, curve in curves.items()}
    for (name, curve), color in zip(curves.items(), cycle(COLORS), strict=False):
        peak, label = peaks[name], plain(name, 12, 160)
        told = f"{label}: at most {amount(peak.bytes)}, {plural(programs[name].cost.operations, 'operation')}"
        shown = {"color": table[color], "width": 2, "shape": "hv"}
        figure.add_scatter(**_drawn(curve), mode="lines", line=shown, name=told)
        marker = {"color": table[color], "size": 10, "line": {"color": table["paper"], "width": 1}}
        figure.add_scatter(**_drawn([peak]), mode="markers", marker=marker, cliponaxis=False, showlegend=False)
    title = " and ".join(dict.fromkeys(each.name for each in programs.values()))
    most = max(peak.bytes for peak in peaks.values())
    alone = f", at most {amount(most)}" if len(programs) == 1 else ""
    dressed(figure, f"{title}: bytes in use while the program runs{alone}", theme, 480)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    figure.update_layout(showlegend=len(programs) > 1, legend=legend, margin_t=110 if len(programs) > 1 else 70)
    end = max(curve[-1].operations for curve in curves.values())
    figure.update_xaxes(title="operations on numbers done so far", tickformat=".3~s", range=[0, 1.02 * end or 1])
    is_far = most > FAR * min(peak.bytes for peak in peaks.values()) > 0
    scale = {"type": "log", "dtick": 1} if is_far else {"type": "linear", "range": [0, 1.12 * most or 1]}
    figure.update_yaxes(title="bytes in use", tickformat=".3~s", ticksuffix="B ", **scale)
    return figure


def _named(program: object) -> dict[str, ArrayProgram]:
    """The programs by name."""
    given = dict(program) if isinstance(program, Mapping) else {getattr(program, "name", ""): program}
    found = {str(name): each for name, each in given.items() if isinstance(each, ArrayProgram)}
    if len(found) < len(given) or not found:
        others = " and ".join(
            dict.fromkeys(type(e).__name__ for e in given.values() if not isinstance(e, ArrayProgram))
        )
        raise InputError(
            f"live_bytes shows programs on arrays, not {others or 'nothing'}: compile the function with grain='array'; "
            "several programs are given by name, as in {'all kept': program, 'five': other}."
        )
    return found


def points(cost: ArrayCost) -> Iterator[Point]:
    """Yield the curve of a cost from its first line to its last, of at most about :data:`MOST_POINTS` points."""
    width, done = max(cost.operations // MOST_POINTS, 1), 0
    highest: Point | None = None
    for moment in cost.moments:
        for use in moment.uses():
            point = Point(done, use.bytes, moment.text)
            done += use.operations
            if highest is not None and highest.operations // width != point.operations // width:
                yield highest
                highest = None
            if highest is None or point.bytes > highest.bytes:
                highest = point
    if highest is not None:
        yield highest
        yield Point(done, highest.bytes, highest.text)


def _drawn(curve: list[Point]) -> dict[str, object]:
    """Return points as Plotly expects them, with what is told of each."""
    return {
        "x": [point.operations for point in curve],
        "y": [point.bytes for point in curve],
        "customdata": [f"{amount(point.bytes)} in use at<br>{plain(point.text, 12, 500)}" for point in curve],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
