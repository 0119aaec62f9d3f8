"""The Player in a browser, beside the same graph in graphviz-anywidget: frames, the first of them, bytes, seeks.

    python bench/player.py                  the whole measurement, some minutes
    python bench/player.py --quick          a smoke test of some seconds
    python bench/player.py --json out.json  the figures as JSON, too

A backward pass plays, two steps a second; then eliminations do, for which there is no peer. The peer has no player: it
is sent the DOT text of each of the same moments, at the same times, as one would from a kernel. As it comes it shows
them without any transition; "with transitions" means that its d3-graphviz is told to take as long for each as the
Player takes.

The time of a frame is what the page's main thread has worked (``TaskDuration`` of the DevTools protocol, in thread
ticks) per frame that was shown, in headless Chromium without a GPU. That needs Playwright and Chromium or Chrome on
PATH, and the peer needs ``pip install graphviz-anywidget``; what is not there is left out.
"""

from __future__ import annotations

import importlib.util
import json
import random
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
from measure import Figures, browser, command_line, medians, report, table, verdict

import adviz
from adviz.jupyter.player import Player
from adviz.jupyter.view import ELIMINATIONS, GRAPHS
from adviz.stage.scene.captions import number
from adviz.stage.shows import flow_scene

SIZES = {50: (1, 5), 90: (1, 9), 300: (4, 7)}
"""About so many visible elements, nodes and edges: so many chains of so many iterations.

Of more than ninety a reader sees the folded picture; here all are seen.
"""
FOLDED = 1, 12
"""A chain of fifty nodes, which a reader sees folded."""
LARGE = 4, 75
"""Chains whose sum has 1,200 intermediates."""
SPEED = 2.0
MOVING = 300
"""Milliseconds that something moves at this speed."""
STEPS = 16
SEEKS = 200

MOST_MILLISECONDS = 2.0
MOST_OF_PEER = 1 / 3
MOST_SECONDS = 0.5
MOST_TO_OPEN = {"Roe flux": 1.0, "1,200 intermediates": 3.0}
"""Seconds of Python and page together until an elimination is seen."""
MOST_BYTES = 400_000

SCRIPT = Path(__file__).with_name("player.js").read_text(encoding="utf-8")
WHOLE, GRAPH = "adviz, all panels", "adviz, the graph alone"
MOVED, PEER = "graphviz-anywidget, with transitions", "graphviz-anywidget, as it comes"
EMPTY = "an empty page"


# ---- what is played ----


def chains(*inputs: Any, iterations: int) -> Any:
    """Chains of sines side by side, and their sum."""
    ends = [chain(x, iterations) for x in inputs]
    return sum(ends[1:], ends[0])


def chain(x: Any, iterations: int) -> Any:
    """Four nodes and six edges in every iteration."""
    for _ in range(iterations):
        x = np.sin(x) * x * (-0.01) + x
    return x


def backward(count: int, iterations: int, panels: list[str] | None = None, folded: bool = False) -> Player:
    """A backward pass over so many chains of so many iterations, with every node to be seen, or folded."""
    with patch.object(flow_scene, "MOST_NODES", 0 if folded else max(SIZES)):
        return adviz.show_backward(chains, *np.linspace(1.0, 2.0, count), iterations=iterations, panels=panels)


def long_show(inputs: int) -> Player:
    """A forward sweep for each of the inputs; of 104, nearly ten thousand steps."""
    return adviz.show_forward(lambda x: np.sum(chain(x, 9)), np.linspace(1.0, 2.0, inputs), jacobian=True)


def eliminations(largest: bool) -> Iterator[tuple[str, Callable[[], Player]]]:
    """Eliminations of a small graph, which is drawn, and of large ones, which are extended Jacobians."""
    for name in ("bat", "Roe flux"):
        yield name, lambda name=name: adviz.show_elimination(adviz.examples[name])
    if largest:
        count, iterations = LARGE
        points = np.linspace(1.0, 2.0, count)
        yield "1,200 intermediates", lambda: adviz.show_elimination(chains, *points, iterations=iterations)


def start(player: Player) -> int:
    """The step at which counting is over and adjoints begin to travel."""
    return next(k for k, step in enumerate(player.scene["steps"]) if step["kind"] == "visit")


def dot(player: Player, cursor: int) -> str:
    """A moment of the show as one would write it for Graphviz: numbers in the nodes, the present ones marked."""
    graph = player.scene["panels"][0]
    stage = {key: after for step in player.scene["steps"][:cursor] for key, _, after in step["edits"]}
    focus = player.scene["steps"][cursor - 1]["focus"]
    lines = []
    for item in graph["nodes"]:
        adjoint = stage.get(f"toposort/adjoint/{item['node']}")
        state = "" if adjoint is None else f"v̄ = {number(adjoint)}"
        look = "lightblue" if f"graph/n{item['node']}" in focus else "white"
        label = "\\n".join([item["name"], item["value"], state])
        lines.append(f'"{item["node"]}" [id="n{item["node"]}" shape=box style=filled fillcolor={look} label="{label}"]')
    lines += [f'"{edge["tail"]}" -> "{edge["head"]}" [id="e{edge["key"]}"]' for edge in graph["edges"]]
    return f"digraph {{ {'; '.join(lines)} }}"


# ---- what a page is given ----


def message(player: Player) -> tuple[str, str]:
    """The state of a Player as it travels: the document, and the columns in base64."""
    state = {"scene": player.scene, "cursor": start(player), "speed": SPEED}
    return json.dumps(state, separators=(",", ":")), b64encode(player.columns).decode()


def peer_source() -> str | None:
    """The front end of the peer, where it is installed."""
    found = importlib.util.find_spec("graphviz_anywidget")
    if found is None or found.origin is None:
        print("graphviz-anywidget is not installed: nothing is compared.")
        return None
    return Path(found.origin).with_name("static").joinpath("widget.js").read_text(encoding="utf-8")


def moving(source: str) -> str:
    """The front end of the peer with the transitions that its d3-graphviz can do."""
    still = ".fade(false)"
    if still not in source:
        raise SystemExit("graphviz-anywidget has changed: this file no longer knows where it sets up d3-graphviz")
    return source.replace(still, f".transition(() => transition().duration({MOVING})){still}")


Show = Callable[[Any], float]
Play = Callable[[Any], None]


def subjects(size: int, peer: str | None) -> Iterator[tuple[str, Show | None, Play | None]]:
    """What is measured at a size: its name, how it is shown, and how it is set in motion."""
    yield EMPTY, None, None
    for name, panels in ((WHOLE, None), (GRAPH, ["graph"])):
        player = backward(*SIZES[size], panels)
        sent = [GRAPHS.text, *message(player), ".adviz-node"]
        yield (
            name,
            lambda page, sent=sent: run(page, "show", sent),
            lambda page: run(page, "feed", ["playing", [True], 0]),
        )
    if peer is None:
        return
    first = start(player)
    moments = [dot(player, cursor) for cursor in range(first + 1, first + 1 + STEPS)]
    state = json.dumps({"dot_source": dot(player, first), "enable_zoom": True})
    for name, source in ((MOVED, moving(peer)), (PEER, peer)):
        yield (
            name,
            lambda page, source=source: run(page, "show", [source, state, "", "g.node"]),
            lambda page: run(page, "feed", ["dot_source", moments, 1000 / SPEED]),
        )


# ---- the browser ----


@contextmanager
def empty_page(running: Any) -> Iterator[Any]:
    """A page with nothing on it, at the size of a laptop's screen."""
    page = running.new_page(viewport={"width": 1280, "height": 900})
    page.set_content("<!doctype html>")
    yield page
    page.close()


def run(page: Any, name: str, argument: Any = None) -> Any:
    """Call a function of ``player.js`` in a page."""
    return page.evaluate(f"(argument) => ({SCRIPT}).{name}(argument)", argument)


def frames(running: Any, show: Show | None, play: Play | None, steps: int) -> Figures:
    """Milliseconds to the first frame; then, while it plays, of main thread per frame, and between frames."""
    with empty_page(running) as page:
        first = show(page) if show else 0.0
        page.wait_for_timeout(1_000)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        if play:
            play(page)
        run(page, "watch")
        before = worked(devtools)
        page.wait_for_timeout(steps * 1000 / SPEED)
        busy = worked(devtools) - before
        gaps = np.diff(page.evaluate("window.noted"))
        return {"first": first, "frame": busy / len(gaps), "step": busy / steps, "gap": float(np.quantile(gaps, 0.99))}


def eliminated(running: Any, make: Callable[[], Player], steps: int) -> Figures:
    """Figures of a show of an elimination that plays from its middle; and the seconds that Python takes to make it."""
    begun = perf_counter()
    player = make()
    made = perf_counter() - begun
    middle = len(player.scene["steps"]) // 2
    state = json.dumps({"scene": player.scene, "cursor": middle, "speed": SPEED}, separators=(",", ":"))
    sent = [ELIMINATIONS.text, state, b64encode(player.columns).decode(), ".adviz-elimination .adviz-flow text"]
    figures = frames(
        running,
        lambda page: run(page, "show", sent),
        lambda page: run(page, "feed", ["playing", [True], 0]),
        steps,
    )
    return {"steps": len(player.scene["steps"]), "made": 1000 * made, "sent": len(state), **figures}


def worked(devtools: Any) -> float:
    """Milliseconds that the main thread has worked so far."""
    metrics = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}
    return 1000 * metrics["TaskDuration"]


def seeks(running: Any, inputs: int) -> Figures:
    """Milliseconds of a jump to anywhere in a long show."""
    player = long_show(inputs)
    last = len(player.scene["steps"])
    cursors = random.Random(0).choices(range(last + 1), k=SEEKS)
    with empty_page(running) as page:
        state = json.dumps({"scene": player.scene, "cursor": 0, "speed": SPEED})
        first = run(page, "show", [GRAPHS.text, state, b64encode(player.columns).decode(), ".adviz-node"])
        once, again = (run(page, "seek", cursors) for _ in range(2))
    times = {"typical": median(once), "most": max(once), "typical_again": median(again), "most_again": max(again)}
    return {"steps": last, "first": first, **times}


# ---- bytes ----


def weight(player: Player) -> Figures:
    """What a show consists of, and the bytes of its message to the front end and of its saved page."""
    with tempfile.TemporaryDirectory() as folder:
        page = player.save(Path(folder, "show.html")).stat().st_size
    graph, steps = player.scene["panels"][0], player.scene["steps"]
    sent = len(message(player)[0]) + len(player.columns)
    return {"nodes": len(graph["nodes"]), "edges": len(graph["edges"]), "steps": len(steps), "sent": sent, "page": page}


# ---- the tables ----


def tables(found: dict[str, Any]) -> Iterable[str]:
    heads = ["backward pass", "nodes", "edges", "steps", "message, bytes", "page, bytes"]
    keys = "nodes", "edges", "steps", "sent", "page"
    yield from table(heads, ([name, *(f"{entry[key]:,}" for key in keys)] for name, entry in found["weights"].items()))
    for size, entries in found["frames"].items():
        body = (
            [name, *(f"{entry[key]:,.{places}f}" for key, places in COLUMNS.items())] for name, entry in entries.items()
        )
        yield from ("", f"{size:,} visible elements", "", *table(["", *MEASURED], body))
    if found["eliminations"]:
        heads = ["elimination", "steps", "message, bytes", "made in Python, ms"]
        keys = "steps", "sent", "made"
        body = (
            [name, *(f"{entry[key]:,.0f}" for key in keys), *(f"{entry[key]:,.{n}f}" for key, n in COLUMNS.items())]
            for name, entry in found["eliminations"].items()
        )
        yield from ("", *table([*heads, *MEASURED], body))
    if found["seeks"]:
        yield from ("", SOUGHT.format(**found["seeks"], jumps=SEEKS))


SOUGHT = (
    "A show of {steps:,} steps: its first frame after {first:,.0f} ms, and then {jumps} jumps to anywhere: "
    "{typical:.1f} ms, at most {most:.1f}; the same jumps again: {typical_again:.1f} ms, at most {most_again:.1f}."
)
MEASURED = "main thread, ms per frame", "ms per step", "between frames, 99 of 100 within, ms", "first frame, ms"
COLUMNS = {"frame": 2, "step": 1, "gap": 0, "first": 0}


def goals(found: dict[str, Any]) -> Iterable[str]:
    for size, entries in found["frames"].items():
        for name in (WHOLE, GRAPH):
            yield verdict(f"{size:,} elements, ms of a frame: {name}", entries[name]["frame"], MOST_MILLISECONDS, ".2f")
            for peer in (MOVED, PEER):
                if peer in entries:
                    share = entries[name]["frame"] / entries[peer]["frame"]
                    yield verdict(f"{size:,} elements, time of a frame: {name} / {peer}", share, MOST_OF_PEER, ".2f")
        first = entries[WHOLE]["first"] / 1000
        yield verdict(f"{size:,} elements, seconds from the message to the first frame", first, MOST_SECONDS, ".2f")
    for name, entry in found["eliminations"].items():
        yield verdict(f"elimination of {name}, ms of a frame", entry["frame"], MOST_MILLISECONDS, ".2f")
        if most := MOST_TO_OPEN.get(name):
            yield verdict(
                f"elimination of {name}, seconds to open", (entry["made"] + entry["first"]) / 1000, most, ".2f"
            )
    for name, entry in found["weights"].items():
        yield verdict(f"{name}, bytes of the page", entry["page"], MOST_BYTES, ",.0f")


# ---- the whole ----


def measured(running: Any, sizes: Iterable[int], rounds: int, steps: int) -> dict[int, dict[str, Figures]]:
    """Frames by size and subject; all subjects take turns, and figures are medians."""
    peer = peer_source()
    found: dict[int, dict[str, Figures]] = {}
    for size in sizes:
        taken = list(subjects(size, peer))
        turns = [{name: frames(running, show, play, steps) for name, show, play in taken} for _ in range(rounds)]
        found[size] = {name: medians(turn[name] for turn in turns) for name in turns[0]}
    return found


def main() -> None:
    parser = command_line(__doc__, rounds=3, quick="the smallest size, once, for a second; a short show")
    parser.add_argument("--sizes", type=int, nargs="+", choices=list(SIZES), default=list(SIZES), help="elements")
    chosen = parser.parse_args()
    steps, inputs = STEPS, 104
    if chosen.quick:
        chosen.sizes, chosen.rounds, steps, inputs = [min(SIZES)], 1, 2, 4
    found: dict[str, Any] = {name: {} for name in ("frames", "eliminations", "seeks")}
    found["weights"] = {"50 nodes, folded": weight(backward(*FOLDED, folded=True))}
    found["weights"] |= {f"{size:,} elements": weight(backward(*SIZES[size])) for size in chosen.sizes}
    with browser() as running:
        if running:
            found["frames"] = measured(running, chosen.sizes, chosen.rounds, steps)
            taken = list(eliminations(largest=not chosen.quick))
            turns = [{name: eliminated(running, make, steps) for name, make in taken} for _ in range(chosen.rounds)]
            found["eliminations"] = {name: medians(turn[name] for turn in turns) for name, _ in taken}
            found["seeks"] = seeks(running, inputs)
    report(tables(found), goals(found), found, chosen.json)


if __name__ == "__main__":
    main()
