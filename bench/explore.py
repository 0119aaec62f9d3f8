"""From ``ad.explore`` to the first picture: seconds in Python, seconds in the browser, bytes that travel between them.
And what questions take (``questions.py``): ``find``, ``by``, ``save``, ``load`` and ``compare_graphs``.

    python bench/explore.py                 the whole measurement, some ten minutes
    python bench/explore.py --quick         a smoke test of some seconds
    python bench/explore.py --json out.json the figures as JSON, too

The browser's part opens a page that holds what a live Explorer is sent, in headless Chromium, and waits for the first
node on screen. It needs Playwright and Chromium or Chrome on PATH; without them it is left out, and says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import tempfile
import time
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import questions
from measure import Figures, browser, command_line, report, samples, table, verdict

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
EXPLORED = ("loop", "wide")
MOST_SECONDS = {100: 0.3, 100_000: 3.0, 1_000_000: 8.0}
MOST_BYTES = {100_000: 4_000_000}
DRAWN = "#adviz-explorer [data-key]"
"""The nodes on screen."""

WATCH = """
window.drawn = new Promise((tell) => {
  const watch = () => (document.querySelector("%s") ? tell(performance.now()) : requestAnimationFrame(watch));
  requestAnimationFrame(watch);
});
"""
"""Promises the frame in which the first node is there, in milliseconds since the page was asked for."""


# ---- in a process of its own: Python's part ----


def sample(name: str, nodes: str, path: str) -> Figures:
    """Explore twice: as the first thing in a kernel, and again; leave a page for the browser."""
    if importlib.util.find_spec("ipykernel"):
        importlib.import_module("ipykernel.kernelapp")  # a kernel has it loaded
    import adviz

    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        explorer = questions.program(name, int(nodes))(adviz.explore)
        seconds.append(time.perf_counter() - start)
    from adviz.jupyter.view import GRAPHS
    from adviz.stage.export.html import page

    Path(path).write_text(page(explorer.scene, explorer.columns, {}, {}, GRAPHS.text), encoding="utf-8")
    scene = len(json.dumps(explorer.scene, separators=(",", ":")))
    return {"first": seconds[0], "again": seconds[1], "bytes": scene + len(explorer.columns)}


# ---- the browser's part ----


def browser_seconds(pages: Iterable[Path], rounds: int) -> list[float | None]:
    """Seconds from asking for each page to its first node on screen; the browser is running and warm."""
    pages = list(pages)
    with browser() as running:
        if running is None:
            return [None] * len(pages)
        _first_node(running, pages[0])  # warms the browser up
        found = [[_first_node(running, page) for page in pages] for _ in range(rounds)]
    return [median(column) for column in zip(*found, strict=True)]


def _first_node(running: Any, path: Path) -> float:
    page = running.new_page(viewport={"width": 1200, "height": 800})
    page.add_init_script(WATCH % DRAWN)
    page.goto(path.as_uri())
    page.wait_for_selector(DRAWN, timeout=120_000)  # `wait_for_function` is against the page's own security policy
    seconds = page.evaluate("window.drawn") / 1000
    page.close()
    return seconds


# ---- the table ----


HEADS = "program", "nodes", "first `ad.explore`, s", "again, s", "browser, s", "first picture, s", "bytes sent"


def body(figures: dict[tuple[str, int], Figures]) -> Iterable[list[str]]:
    """A line per program and size."""
    for (name, nodes), found in figures.items():
        seconds = [found["first"], found["again"], found["browser"], _until_picture(found)]
        shown = ["–" if value is None else f"{value:.2f}" for value in seconds]
        yield [name, f"{nodes:,}", *shown, f"{found['bytes']:,}"]


def _until_picture(found: Figures) -> float | None:
    return None if found["browser"] is None else found["first"] + found["browser"]


def goals(figures: dict[tuple[str, int], Figures]) -> Iterable[str]:
    for (name, nodes), found in figures.items():
        seconds = _until_picture(found)
        if nodes in MOST_SECONDS and seconds is not None:
            yield verdict(f"{name}, {nodes:,} nodes, seconds to the first picture", seconds, MOST_SECONDS[nodes], ".2f")
        if nodes in MOST_BYTES:
            yield verdict(f"{name}, {nodes:,} nodes, bytes sent", found["bytes"], MOST_BYTES[nodes], ",.0f")


def main() -> None:
    parser = command_line(__doc__, rounds=5, quick="the smallest size, once")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of nodes")
    chosen = parser.parse_args()
    if chosen.sample:
        what, *task = chosen.sample
        print(json.dumps({"explore": sample, **questions.SAMPLES}[what](*task)))
        return
    sizes, rounds = (SIZES[:1], 1) if chosen.quick else (chosen.sizes, chosen.rounds)
    keys = [(name, nodes) for name in EXPLORED for nodes in sizes]
    with tempfile.TemporaryDirectory() as folder:
        pages = [Path(folder, f"{name}-{nodes}.html") for name, nodes in keys]
        tasks = [["explore", name, str(nodes), str(page)] for (name, nodes), page in zip(keys, pages, strict=True)]
        found = samples(__file__, tasks, rounds)
        drawn = browser_seconds(pages, rounds)
    figures = {key: {**own, "browser": seconds} for key, own, seconds in zip(keys, found, drawn, strict=True)}
    entries = [{"program": name, "nodes": nodes, **own} for (name, nodes), own in figures.items()]
    asked = questions.measured(__file__, questions.SIZES[: 1 if chosen.quick else None], min(rounds, 3))
    lines = chain(table(HEADS, body(figures)), questions.tables(asked))
    report(lines, chain(goals(figures), questions.goals(asked)), {"explore": entries, **asked}, chosen.json)


if __name__ == "__main__":
    main()
