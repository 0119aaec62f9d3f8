"""More than memory holds: the Jacobian of Roe's flux at 100 million points, and a gradient over 10 million rows.

    python bench/large.py                 the whole measurement, some two minutes
    python bench/large.py --quick         a smoke test of some seconds
    python bench/large.py --json out.json the figures as JSON, too

The points are drawn by Dask, chunk by chunk; programs take its arrays, and a sum over all entries of the results is
what is computed, on all cores. Memory is what the process holds at most, beyond what it held before; beside it stands
what the arguments and results would take if they were there at once. A sample of the results is compared with the
engine's. Needs the extra ``dask``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from measure import Figures, answer, command_line, report, reset_peak, resident, samples, table, verdict, wall_time

import adviz as ad

POINTS, ROWS, CHUNK = 100_000_000, 10_000_000, 250_000
QUICK = 100
"""The quick form has so many times fewer points, in chunks that are so many times smaller."""
CLOSE = 1e-9
MOST = 1 << 30
"""Bytes of memory, at most: the goal."""


def flux(points: int, chunk: int) -> tuple[Callable[[], float], int]:
    """A sum over values and Jacobian of Roe's flux, and the bytes of arguments and results."""
    import dask.array as da

    roe = ad.examples["Roe flux"]
    program = ad.compile_jacobian(roe.program, *roe.arguments, points="last", threads=1)
    random = da.random.default_rng(0)
    given = [number * random.uniform(0.9, 1.1, size=points, chunks=chunk) for number in roe.arguments]
    found = program(*given)
    entries = [*found.values, *(each for line in found.jacobian for each in line)]
    _check(roe, [np.asarray(each[0].compute()) for each in given], [np.asarray(each[0].compute()) for each in entries])
    total = sum(each.sum() for each in entries)
    return lambda: float(total.compute()), 8 * points * (len(given) + len(entries))


def _check(roe: Any, point: list[Any], found: list[Any]) -> None:
    places = range(len(point))
    wanted = [*roe.program(*point), *np.ravel(ad.jacobian(roe.program, argnums=places)(*map(float, point)))]
    if not np.allclose(found, wanted, rtol=CLOSE, atol=CLOSE):
        raise SystemExit("Roe's flux: a chunk has another Jacobian than the engine.")


def regression(rows: int, chunk: int) -> tuple[Callable[[], float], int]:
    """The gradient of a layer's mean squared error over many rows of 32 numbers, and the bytes of the data."""
    import dask.array as da

    random, features = np.random.default_rng(0), 32
    w, b = random.normal(size=(features, 4)) / features, np.zeros(4)

    def loss(w: Any, b: Any, x: Any, t: Any) -> Any:
        return np.mean((np.tanh(x @ w + b) - t) ** 2)

    small = random.normal(size=(50, features)), random.normal(size=(50, 4))
    program = ad.compile_gradient(loss, w, b, *small, inputs=[0, 1], batch=0)
    lazy = da.random.default_rng(1)
    chunk //= 8
    data = lazy.normal(size=(rows, features), chunks=(chunk, features)), lazy.normal(size=(rows, 4), chunks=(chunk, 4))
    if not np.allclose(program(w, b, *small).gradient[0], ad.grad(loss)(w, b, *small), rtol=CLOSE):
        raise SystemExit("The sum of chunks has another gradient than the engine.")
    gradient = program(w, b, *data).gradient
    return lambda: float((gradient[0].sum() + gradient[1].sum()).compute()), 8 * rows * (features + 4)


SUBJECTS = {"Jacobian of Roe's flux": (flux, POINTS), "gradient of a layer, by rows": (regression, ROWS)}


def sample(title: str, count: str, chunk: str) -> Figures:
    """Seconds, and bytes that are held at most beyond those from before."""
    run, whole = SUBJECTS[title][0](int(count), int(chunk))
    reset_peak()
    before = resident() or 0
    time, _ = wall_time(run)
    return {"seconds": time / 1e9, "peak": float((resident("VmHWM") or 0) - before), "whole": float(whole)}


def lines(found: dict[str, Figures], counts: dict[str, int]) -> Iterable[str]:
    """A table: a line for each subject."""
    body = [
        [
            title,
            f"{counts[title]:,}",
            f"{each['seconds']:.1f}",
            f"{each['seconds'] / counts[title] * 1e9:.0f}",
            f"{each['peak'] / 2**20:,.0f}",
            f"{each['whole'] / 2**20:,.0f}",
        ]
        for title, each in found.items()
    ]
    heads = ["", "points or rows", "seconds", "ns each", "memory, MiB", "arguments and results at once, MiB"]
    return table(heads, body)


def main() -> None:
    """Measure, and print what was found."""
    parser = command_line(__doc__, 1, f"{QUICK} times fewer points")
    chosen = parser.parse_args()
    if chosen.sample:
        return answer(sample, chosen.sample, is_pinned=False)
    times = QUICK if chosen.quick else 1
    counts = {title: count // times for title, (_, count) in SUBJECTS.items()}
    tasks = [[title, str(count), str(max(CHUNK // times, 1000))] for title, count in counts.items()]
    found = dict(zip(counts, samples(__file__, tasks, chosen.rounds), strict=True))
    goals = (verdict(f"{title}: bytes of memory", each["peak"], MOST, ",.0f") for title, each in found.items())
    print(f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} cores")
    report(lines(found, counts), goals, {"large": found}, chosen.json)
    return None


if __name__ == "__main__":
    main()
