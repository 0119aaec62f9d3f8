"""Jacobians at a million points on a GPU: programs on CuPy beside those on NumPy, and beside copying on the GPU.

    python bench/gpu.py                 needs CuPy and a GPU

Each Jacobian is compared with NumPy's before it is timed. Times are those of the GPU's own clock, medians of 20 calls;
the floor is to copy as many bytes as the arguments and the results have.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from itertools import product, starmap
from statistics import median
from typing import Any

import cupy
import numpy as np
from measure import table

import adviz
from adviz.engine.pytrees import leaves

TITLES = "Roe flux", "six-joint arm", "Black-Scholes", "pollution"
POINTS = 1_000_000
CLOSE = {"float64": 1e-9, "float32": 1e-2}
"""The largest error of a partial, relative to its largest value at all points."""


def on_gpu(run: Callable[[], Any]) -> float:
    """Nanoseconds for one point."""
    run()
    times = []
    for _ in range(20):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e6 / POINTS)
    return median(times)


def on_processor(run: Callable[[], Any]) -> float:
    """Nanoseconds for one point."""
    times = []
    for _ in range(3):
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) / POINTS)
    return median(times)


def agree(found: Any, expected: Any, tolerance: float) -> bool:
    """Whether all results are NumPy's."""
    pairs = zip(leaves(found, ""), leaves(expected, ""), strict=True)
    return all(np.abs(one.get() - other).max() <= tolerance * np.abs(other).max() for (_, one), (_, other) in pairs)


def measured(title: str, dtype: str, points: str) -> list[str]:
    """A row of the table."""
    case, random = adviz.examples[title], np.random.default_rng(0)
    spread = [np.multiply.outer(x, 1 + 0.01 * random.random(POINTS)) for x in case.arguments]
    here = [np.ascontiguousarray(np.moveaxis(x, -1, 0) if points == "first" else x, dtype) for x in spread]
    there = list(map(cupy.asarray, here))
    one, other = (
        adviz.compile_jacobian(case.program, *case.arguments, points=points, backend=backend)
        for backend in ("numpy", "cupy")
    )
    found = other(*there)
    is_right = agree(found, one(*here), CLOSE[dtype])
    size = sum(array.size for array in there) + sum(array.size for _, array in leaves(found, ""))
    memory = cupy.zeros(size // 2, dtype)
    figures = on_processor(lambda: one(*here)), on_gpu(lambda: other(*there)), on_gpu(memory.copy)
    return [title, dtype, points, *(f"{each:.3f}" for each in figures), "yes" if is_right else "NO"]


def main() -> None:
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}, {date.today()}: ns per point at {POINTS:,} points\n")
    heads = ["program", "dtype", "points", "NumPy", "CuPy", "copy on the GPU", "agrees"]
    for line in table(heads, starmap(measured, product(TITLES, CLOSE, ("last", "first")))):
        print(line, flush=True)


if __name__ == "__main__":
    main()
