"""From ``ad.explore`` to the first picture: seconds in Python, seconds in the browser, bytes that travel between them.

    python bench/explore.py                 the whole measurement, a minute or two
    python bench/explore.py --quick         a smoke test of some seconds, without a browser
    python bench/explore.py --json out.json the figures as JSON, too

The browser's part opens a page that holds what a live Explorer is sent, in headless Chromium, and waits for the first
node on screen. It needs Playwright and Chromium or Chrome on PATH; without them it is left out, and says so.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from measure import Figures, row, samples, verdict

SIZES = (100, 1_000, 10_000, 100_000)
MOST_SECONDS = {100: 0.3, 100_000: 3.0}
MOST_BYTES = {100_000: 4_000_000}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

WATCH = """
const watch = () => {
  if (document.querySelector("#adviz-explorer [data-key]")) window.drawn = performance.now();
  else requestAnimationFrame(watch);
};
requestAnimationFrame(watch);
"""
"""Notes the frame in which the first node is there, in milliseconds since the page was asked for."""


# ---- what is explored ----


def loop(x: Any, *, turns: int) -> Any:
    """A loop over numbers: four nodes per turn, one scope per turn."""
    for _ in range(turns):
        x = np.sin(x) * x * (-0.01) + x
    return x


def wide(x: Any) -> Any:
    """Array code, traced number by number: no loop, every entry the same."""
    return np.sum(np.sin(x) * x)


PROGRAMS = {
    "loop": lambda explore, nodes: explore(loop, 1.3, turns=nodes // 4),
    "wide": lambda explore, nodes: explore(wide, np.linspace(0, 1, nodes // 4), grain="scalar"),
}


# ---- in a process of its own: Python's part ----


def sample(name: str, nodes: str, path: str) -> Figures:
    """Explore twice: as the first thing in a kernel, and again; leave a page for the browser."""
    if importlib.util.find_spec("ipykernel"):
        importlib.import_module("ipykernel.kernelapp")  # a kernel has it loaded
    import adviz

    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        explorer = PROGRAMS[name](adviz.explore, int(nodes))
        seconds.append(time.perf_counter() - start)
    from adviz.jupyter.explorer import FRONT_END
    from adviz.stage.export.html import page

    Path(path).write_text(page(explorer.scene, explorer.columns, {}, {}, FRONT_END), encoding="utf-8")
    scene = len(json.dumps(explorer.scene, separators=(",", ":")))
    return {"first": seconds[0], "again": seconds[1], "bytes": scene + len(explorer.columns)}


# ---- the browser's part ----


def browser_seconds(pages: Iterable[Path], rounds: int) -> list[float | None]:
    """Seconds from asking for each page to its first node on screen; the browser is running and warm."""
    pages = list(pages)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or not importlib.util.find_spec("playwright"):
        print("Playwright and Chromium or Chrome are not both there: the browser's part is left out.")
        return [None] * len(pages)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        _first_node(running, pages[0])  # warms the browser up
        found = [[_first_node(running, page) for page in pages] for _ in range(rounds)]
        running.close()
    return [median(column) for column in zip(*found, strict=True)]


def _first_node(browser: Any, path: Path) -> float:
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.add_init_script(WATCH)
    page.goto(path.as_uri())
    page.wait_for_function("window.drawn", timeout=120_000)
    seconds = page.evaluate("window.drawn") / 1000
    page.close()
    return seconds


# ---- the table ----


def table(figures: dict[tuple[str, int], Figures]) -> Iterable[str]:
    """A line per program and size."""
    yield row(["program", "nodes", "first `ad.explore`, s", "again, s", "browser, s", "first picture, s", "bytes sent"])
    yield row(["---", *["--:"] * 6])
    for (name, nodes), found in figures.items():
        seconds = [found["first"], found["again"], found["browser"], _until_picture(found)]
        shown = ["–" if value is None else f"{value:.2f}" for value in seconds]
        yield row([name, f"{nodes:,}", *shown, f"{found['bytes']:,}"])


def _until_picture(found: Figures) -> float | None:
    return None if found["browser"] is None else found["first"] + found["browser"]


def goals(figures: dict[tuple[str, int], Figures]) -> Iterable[str]:
    """One line per goal and program."""
    for (name, nodes), found in figures.items():
        seconds = _until_picture(found)
        if nodes in MOST_SECONDS and seconds is not None:
            yield verdict(f"{name}, {nodes:,} nodes, seconds to the first picture", seconds, MOST_SECONDS[nodes], ".2f")
        if nodes in MOST_BYTES:
            yield verdict(f"{name}, {nodes:,} nodes, bytes sent", found["bytes"], MOST_BYTES[nodes], ",.0f")


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of nodes")
    parser.add_argument("--rounds", type=int, default=5, help="samples per figure, each in a fresh process")
    parser.add_argument("--quick", action="store_true", help="the smallest size, once: shows that it runs")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--sample", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    if chosen.sample:
        print(json.dumps(sample(*chosen.sample)))
        return
    sizes, rounds = (SIZES[:1], 1) if chosen.quick else (chosen.sizes, chosen.rounds)
    keys = [(name, nodes) for name in PROGRAMS for nodes in sizes]
    with tempfile.TemporaryDirectory() as folder:
        pages = [Path(folder, f"{name}-{nodes}.html") for name, nodes in keys]
        tasks = [[name, str(nodes), str(page)] for (name, nodes), page in zip(keys, pages, strict=True)]
        found = samples(__file__, tasks, rounds)
        browser = [None] * len(pages) if chosen.quick else browser_seconds(pages, rounds)
    figures = {key: {**own, "browser": drawn} for key, own, drawn in zip(keys, found, browser, strict=True)}
    verdicts = list(goals(figures))
    print("\n".join([*table(figures), "", *verdicts]))
    if chosen.json:
        entries = [{"program": name, "nodes": nodes, **found} for (name, nodes), found in figures.items()]
        Path(chosen.json).write_text(json.dumps({"explore": entries, "goals": verdicts}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
