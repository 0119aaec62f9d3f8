"""The roofline of programs: operations per second over operations per byte, below the limits of the machine.

A program is limited by the processor and by the bandwidth of the memory; the two limits together look like a roof
(S. Williams, A. Waterman and D. Patterson, Roofline, 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from math import inf, log10
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...engine.calls import leaves, rebuild
from ...kernels.program.program import Program
from ..scene import theme as looks
from ..scene.captions import plural
from .figure_looks import dressed, plain

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SIZES = (10, 100, 1_000, 10_000, 100_000, 1_000_000)  # the numbers of points with which programs are measured
ROOM = 1 << 30  # the most bytes of arguments and results together; larger batches are left out
SHOWN = 100_000  # the number of points at which the figure opens
PATIENCE = 0.05  # the seconds for which one program is measured with one number of points
STYLES = (
    ("linear-line", "circle-open", 24),
    ("power-line", "square", 12),
    ("trigonometric-line", "diamond", 12),
    ("selection-line", "triangle-up", 12),
    ("reduction-line", "cross", 12),
    ("neutral-line", "x", 12),
)
"""Color, symbol and size of the marker of each program. The first is a ring, as another may be in the same place."""


class Machine(NamedTuple):
    """The measured speed of one core, per second: bytes read and written, operations of NumPy, those of a product.

    ``numpy`` is one ufunc after the other on numbers in the cache, ``product`` a product of matrices, which keeps all
    units of the core busy.
    """

    bandwidth: float
    numpy: float
    product: float


def machine(seconds: float = 0.5) -> Machine:
    """Measure this machine in double precision, for about so many seconds.

    >>> all(figure > 0 for figure in machine(0.01))
    True
    """
    long, block, matrices = np.ones((2, 1 << 22)), np.ones((3, 8192)), np.ones((3, 8, 64, 64))
    work = {
        partial(np.copyto, *long): long.nbytes,
        partial(np.multiply, *block): block.shape[1],
        partial(np.matmul, *matrices): 2 * matrices[0].size * 64,
    }
    return Machine(*(amount / raced([call], seconds / 3)[0] for call, amount in work.items()))


def raced(calls: Sequence[Callable[[], Any]], seconds: float) -> list[float]:
    """Return the least time of each call in seconds; the calls alternate for ``seconds``, at least three times."""
    least, rounds, end = [inf] * len(calls), 0, perf_counter() + seconds
    while rounds < 3 or perf_counter() < end:
        for k, call in enumerate(calls):
            start = perf_counter()
            call()
            least[k] = min(least[k], perf_counter() - start)
        rounds += 1
    return least


class Measured(NamedTuple):
    """The costs of a program for one point: operations, bytes of arguments and results, seconds by batch size."""

    operations: int
    bytes: int
    seconds: dict[int, float]

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.operations / self.bytes


def measured(programs: Iterable[Program], sizes: Iterable[int] = SIZES, seconds: float = PATIENCE) -> list[Measured]:
    """Run programs alternately on batches of equal points, their examples, each batch for ``seconds``.

    >>> import adviz
    >>> (found,) = measured([adviz.compile_jacobian(lambda x: x * x * x, 3.0)], [100], seconds=0.01)
    >>> found.operations, found.bytes, list(found.seconds)
    (5, 24, [100])
    """
    programs = list(programs)
    if not all(program.is_on_numpy for program in programs):
        raise ValueError("roofline measures programs on NumPy's arrays: compile with backend='numpy'")
    counts = [len(each.schedule.inputs) + sum(part.leaf.size for part in each.parts) for each in programs]
    result = [Measured(each.cost.operations, 8 * count, {}) for each, count in zip(programs, counts, strict=True)]
    most = ROOM // max((row.bytes for row in result), default=1)
    for size in sorted({size for size in sizes if 0 < size <= most}):
        calls = [partial(program, *repeated(program, size)) for program in programs]
        for call in calls:
            call()  # compiles
        for row, time in zip(result, raced(calls, seconds * len(calls)), strict=True):
            row.seconds[size] = time / size
    return result


def repeated(program: Program, size: int) -> tuple[Any, ...]:
    """Return the example of a program ``size`` times, as arrays of points."""
    axis = 0 if program.points == "first" else -1
    arrays = (np.asarray(leaf, float) for _, leaf in leaves(program.example, ""))
    return rebuild(program.example, (np.repeat(np.expand_dims(array, axis), size, axis) for array in arrays))


def roofline(
    programs: Program | Mapping[str, Program],
    *,
    sizes: Iterable[int] = SIZES,
    seconds: float = PATIENCE,
    theme: str = "light",
) -> Figure:
    """Return a Plotly figure of programs under the roof of this machine, with a slider for the number of points.

    ``programs`` is one program, or several by name; each is run on its example with each of ``sizes`` points for
    ``seconds``, and the machine is measured for half a second. An operation is a product, a sum, or a call of a
    function such as ``sin``. The bytes are those of arguments and results; everything else stays in the cache. Batches
    of more than a gigabyte are left out. Raises ``ValueError`` if that leaves nothing to measure, and for a program
    that does not run on NumPy's arrays.
    """
    named = programs if isinstance(programs, Mapping) else {programs.name: programs}
    rows = dict(zip(named, measured(named.values(), sizes, seconds), strict=True))
    if not all(row.seconds and row.operations for row in rows.values()) or not rows:
        raise ValueError("roofline needs programs that compute, and numbers of points, as in sizes=[1000]")
    return roofline_figure(next(iter(named.values())).name, rows, machine(), theme)


def roofline_figure(title: str, rows: Mapping[str, Measured], limits: Machine, theme: str = "light") -> Figure:
    """Return the figure of :func:`roofline` for the measurements."""
    from plotly.graph_objects import Figure

    table = looks.colors(theme)
    figure = Figure()
    for line, x, y, text, place in _roof(limits, [row.intensity for row in rows.values()]):
        drawn = {"mode": "lines+text", "line": {"color": table["ink"], "width": 2, "dash": line}, "hoverinfo": "skip"}
        figure.add_scatter(x=x, y=y, text=text, textposition=place, showlegend=False, **drawn)
    sizes = list(next(iter(rows.values())).seconds)
    shown = sizes.index(SHOWN) if SHOWN in sizes else len(sizes) - 1
    for (name, row), (color, symbol, size) in zip(rows.items(), cycle(STYLES), strict=False):
        marker = {"color": table[color], "symbol": symbol, "size": size, "line": {"color": table["paper"], "width": 1}}
        figure.add_scatter(
            x=[row.intensity], mode="markers", marker=marker, hoverinfo="text", **_at(name, row, sizes[shown])
        )
    programs = list(range(len(figure.data) - len(rows), len(figure.data)))
    steps = [{"label": f"{size:,}", "method": "restyle", "args": [_moved(rows, size), programs]} for size in sizes]
    slider = {"active": shown, "steps": steps, "currentvalue": {"prefix": "points: "}, "pad": {"t": 50}}
    dressed(figure, f"{title}: its programs on this machine", theme, 600)
    legend = {"orientation": "h", "y": 1.01, "yanchor": "bottom"}
    figure.update_layout(
        sliders=[slider], showlegend=True, legend=legend, margin_t=120, title_y=0.985, title_yanchor="top"
    )
    slowest = min(row.operations / time for row in rows.values() for time in row.seconds.values())
    figure.update_xaxes(type="log", title="operations per byte", dtick="D2")
    figure.update_yaxes(
        type="log",
        title="operations per second",
        dtick=1,
        exponentformat="power",
        range=[log10(slowest / 2), log10(3 * limits.product)],
    )
    return figure


def _roof(limits: Machine, intensities: list[float]) -> Iterator[tuple[str, list[float], list[float], list[str], str]]:
    """Yield the lines of the roof: the style of each, its x and y, the texts at its ends, and on which side."""
    bandwidth, numpy, product = limits
    left, right = min(0.1, *(each / 4 for each in intensities)), 4 * max(product / bandwidth, *intensities)
    memory = f"<br>memory: {bandwidth / 1e9:.3g} GB per second"
    yield "solid", [left, product / bandwidth], [left * bandwidth, product], [memory, ""], "bottom right"
    for line, name, limit in (("solid", "products of matrices", product), ("dash", "NumPy, one by one", numpy)):
        text = f"{name}: {limit / 1e9:.3g} per ns<br> "
        yield line, [limit / bandwidth, right], [limit, limit], ["", text], "top left"


def _at(name: str, row: Measured, size: int) -> dict[str, Any]:
    """Return the marker of a program for a number of points: its height, its name, and its hover text."""
    time = row.seconds[size] * 1e9
    speed = f"{time:,.0f} ns per point" if time >= 100 else f"{time:.3g} ns per point"
    label = plain(name, 12, 200)
    text = f"{label}: {plural(row.operations, 'operation')} and {plural(row.bytes, 'byte')} per point, {speed}"
    return {"y": [row.operations / row.seconds[size]], "name": f"{label}: {speed}", "hovertext": [text]}


def _moved(rows: Mapping[str, Measured], size: int) -> dict[str, list[Any]]:
    """Return the markers of all programs for a number of points, as Plotly expects them."""
    each = [_at(name, row, size) for name, row in rows.items()]
    return {key: [one[key] for one in each] for key in each[0]}
