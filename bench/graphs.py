"""Saving, loading and comparing graphs of 10³ to 10⁶ nodes: seconds, and bytes a node.

``python -m bench.graphs`` prints a table. The graphs are those of a loop in which every third iteration squares; they
are compared with themselves, with 20 nodes changed at random places, and with a loop that has one operation more.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import adviz as ad
from adviz.graph.graph import Graph

SIZES = (10**3, 10**4, 10**5, 10**6)


def loop(x: float, iterations: int) -> Any:
    for k in range(iterations):
        x = np.sin(x) * 0.5 + x
        if k % 3 == 0:
            x = x * x / 4.0
    return x


def longer_loop(x: float, iterations: int) -> Any:
    for k in range(iterations):
        x = np.sin(x) * 0.5 + np.tanh(x)
        if k % 3 == 0:
            x = x * x / 4.0
    return x


def changed(graph: Graph, nodes: int) -> Graph:
    """The graph with other Blocks at some nodes."""
    rng = np.random.default_rng(0)
    numbers = np.array(graph.block_numbers)
    numbers[rng.integers(1, len(graph) - 1, nodes)] = 1
    found = ad.load(graph.save(Path(tempfile.mkdtemp()) / "g.adviz"))
    found.block_numbers = type(graph.block_numbers)("i", numbers.tolist())
    return found


def seconds(run: Callable[[], Any]) -> float:
    """The least time of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    path = Path(tempfile.mkdtemp()) / "graph.adviz"
    print("   nodes     save     load   B/node   with values   B/node   compare: itself   20 changed   one more each")
    for size in SIZES:
        iterations = size * 3 // 11
        graph, longer = (ad.trace(f, 0.3, iterations=iterations) for f in (loop, longer_loop))
        other = changed(graph, 20)
        save = seconds(lambda graph=graph: graph.save(path))
        load = seconds(lambda: ad.load(path))
        stored = path.stat().st_size / len(graph)
        with_values = seconds(lambda graph=graph: ad.load(graph.save(path, values=True)))
        stored_values = path.stat().st_size / len(graph)
        times = [seconds(lambda one=graph, two=two: str(ad.compare_graphs(one, two))) for two in (graph, other, longer)]
        print(
            f"{len(graph):8,} {save:8.3f} {load:8.3f} {stored:8.2f} {with_values:13.3f} {stored_values:8.2f} "
            f"{times[0]:17.3f} {times[1]:12.3f} {times[2]:15.3f}"
        )


if __name__ == "__main__":
    main()
