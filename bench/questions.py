"""What an engineer asks of a graph of 10³ to 10⁶ nodes, as samples for ``explore.py``: seconds, and bytes in a file.

``graph.find`` and ``graph.by`` are asked for the first time and again. Graphs are saved and loaded, and compared with
themselves, with a copy in which 20 nodes at random places are another operation, and with a graph that has one
operation more in each iteration, or for each entry.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from measure import Figures, samples, table, verdict

SIZES = (1_000, 10_000, 100_000, 1_000_000)
LARGEST = max(SIZES)


# ---- what is asked of ----


def loop(x: Any, *, iterations: int) -> Any:
    """A loop over numbers: four nodes and one scope per iteration."""
    for _ in range(iterations):
        x = np.sin(x) * x * (-0.01) + x
    return x


def longer_loop(x: Any, *, iterations: int) -> Any:
    for _ in range(iterations):
        x = np.sin(x) * np.tanh(x) * (-0.01) + x
    return x


def uneven_loop(x: Any, *, iterations: int) -> Any:
    """A loop whose iterations differ: every third one squares."""
    for k in range(iterations):
        x = np.sin(x) * 0.5 + x
        if k % 3 == 0:
            x = x * x / 4.0
    return x


def longer_uneven_loop(x: Any, *, iterations: int) -> Any:
    for k in range(iterations):
        x = np.sin(x) * 0.5 + np.tanh(x)
        if k % 3 == 0:
            x = x * x / 4.0
    return x


def wide(x: Any) -> Any:
    """Array code, traced number by number: no loop, every entry the same."""
    return np.sum(np.sin(x) * x)


def wider(x: Any) -> Any:
    return np.sum(np.sin(x) * np.tanh(x))


Run = Callable[[Callable[..., Any]], Any]


def program(name: str, nodes: int, is_longer: bool = False) -> Run:
    """Trace or explore a program so that its graph has about so many nodes."""
    f = PROGRAMS[name][is_longer]
    if name == "wide":
        return lambda act: act(f, np.linspace(0, 1, nodes // 4), grain="scalar")
    per_iteration = {"loop": 4, "uneven loop": 11 / 3}[name]
    return lambda act: act(f, 0.3, iterations=int(nodes / per_iteration))


PROGRAMS = {"loop": (loop, longer_loop), "uneven loop": (uneven_loop, longer_uneven_loop), "wide": (wide, wider)}


# ---- find, by ----

QUESTIONS = {
    "find numbers": lambda graph: graph.find("times_used > 2 and bytes < 1e6 or depth 7..9"),
    "find words": lambda graph: graph.find("sin or scope ~ range and not dead"),
    "find lines": lambda graph: graph.find("line 1..40 and name == x"),
    "by line": lambda graph: graph.by("line"),
    "by scope": lambda graph: graph.by("scope"),
    "by iteration": lambda graph: graph.by("iteration"),
    "by block": lambda graph: graph.by("block"),
}
MOST_ASKING = 0.3
"""Seconds for a question, the first time, of the largest graph."""


def ask(name: str, nodes: str) -> Figures:
    """Seconds of each question, for the first time and again; the tree of scopes, which pictures need too, apart."""
    import adviz

    graph = program(name, int(nodes))(adviz.trace)
    found: Figures = {"nodes": len(graph), "scopes": _seconds(lambda: graph.scopes)}
    for question, answer in QUESTIONS.items():
        found[question], found[f"{question}, again"] = (_seconds(partial(answer, graph)) for _ in range(2))
    return found


# ---- save, load, compare ----

COMPARED = ("itself", "20 changed", "one more each")
MOST_KEEPING = {"save": 1.0, "load": 1.0, "bytes": 30.0, **dict.fromkeys(COMPARED, 3.0)}
"""Seconds, and bytes a node, of the largest graph."""


def keep(name: str, nodes: str) -> Figures:
    """Seconds to save, load and compare, the words of the comparison included; bytes a node of the file."""
    import adviz

    graph, longer = (program(name, int(nodes), is_longer)(adviz.trace) for is_longer in (False, True))
    found: Figures = {"nodes": len(graph)}
    with tempfile.TemporaryDirectory() as folder:
        for values in (False, True):
            path = Path(folder, f"graph {values}.adviz")
            said = ", values" if values else ""
            found[f"save{said}"] = _seconds(partial(graph.save, path, values=values))
            found[f"load{said}"] = _seconds(partial(adviz.load, path))
            found[f"bytes{said}"] = path.stat().st_size / len(graph)
        changed = _changed(adviz.load(path), 20)
    for what, other in zip(COMPARED, (graph, changed, longer), strict=True):
        found[what] = _seconds(lambda other=other: str(adviz.compare_graphs(graph, other)))
    return found


def _changed(graph: Any, nodes: int) -> Any:
    """A graph that becomes one with other operations at some nodes."""
    numbers = np.array(graph.block_numbers)
    numbers[np.random.default_rng(0).integers(1, len(graph) - 1, nodes)] = 1
    graph.block_numbers = type(graph.block_numbers)("i", numbers.tolist())
    return graph


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


# ---- the tables ----

SAMPLES = {"ask": ask, "keep": keep}


def measured(script: str, sizes: Iterable[int], rounds: int) -> dict[str, list[Figures]]:
    """The figures of all questions, each of which ``script --sample`` takes in a process of its own."""
    tasks = [(what, name, str(nodes)) for what in SAMPLES for name in PROGRAMS for nodes in sizes]
    found = samples(script, tasks, rounds)
    entries = [(what, {"program": name, **own}) for (what, name, _), own in zip(tasks, found, strict=True)]
    return {what: [own for kind, own in entries if kind == what] for what in SAMPLES}


def tables(found: dict[str, list[Figures]]) -> Iterator[str]:
    return chain(
        ["", "Questions: seconds the first time, once the tree of scopes is there (column scopes) / again", ""],
        table(("program", "nodes", "scopes, s", *QUESTIONS), map(_asked, found["ask"])),
        ["", "Graphs in files, and two graphs compared: seconds", ""],
        table(("program", "nodes", *(HEADS.get(key, key) for key in KEPT), *COMPARED), map(_kept, found["keep"])),
    )


HEADS = {"bytes": "bytes a node", "bytes, values": "bytes a node, values"}
KEPT = [f"{what}{said}" for said in ("", ", values") for what in ("save", "load", "bytes")]


def _asked(found: Figures) -> list[str]:
    both = [f"{found[question]:.3f} / {found[f'{question}, again']:.3f}" for question in QUESTIONS]
    return [found["program"], f"{found['nodes']:,.0f}", f"{found['scopes']:.2f}", *both]


def _kept(found: Figures) -> list[str]:
    cells = [f"{found[key]:.1f}" if key.startswith("bytes") else f"{found[key]:.3f}" for key in (*KEPT, *COMPARED)]
    return [found["program"], f"{found['nodes']:,.0f}", *cells]


def goals(found: dict[str, list[Figures]]) -> Iterator[str]:
    """What was wanted of the largest graphs."""
    for own in found["ask"]:
        for question in ("scopes", *QUESTIONS) if own["nodes"] > 0.9 * LARGEST else ():
            what = {"scopes": "the tree of scopes, which questions about scopes need"}.get(question, question)
            yield verdict(f"{_called(own)}, seconds for {what}", own[question], MOST_ASKING, ".3f")
    for own in found["keep"]:
        for key, most in MOST_KEEPING.items() if own["nodes"] > 0.9 * LARGEST else ():
            what = {"bytes": "bytes a node"}.get(key, f"seconds to {key if key in KEPT else f'compare: {key}'}")
            yield verdict(f"{_called(own)}, {what}", own[key], most, ".2f")


def _called(own: Figures) -> str:
    return f"{own['program']}, {own['nodes']:,.0f} nodes"
