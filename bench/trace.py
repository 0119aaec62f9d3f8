"""Trace and gradient beside other libraries: time per scalar operation, bytes per node.

    python bench/trace.py                 the whole measurement, some twenty minutes
    python bench/trace.py --quick         a smoke test of some seconds
    python bench/trace.py --json out.json the figures as JSON, too

Needs the extra ``bench``; libraries that are not installed are named and left out. See ``measure.py`` for the method.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from measure import command_line, cpu_time, installed, pin, report, reset_peak, resident, samples, table, verdict
from peers import CHAIN

SIZES = (1_000, 10_000, 100_000, 1_000_000)
COLLECTOR = ("on", "off")
TITLES = {
    "trace": "trace, ns per node",
    "backward": "backward, ns per node",
    "after": "bytes per node after the trace",
    "peak": "bytes per node at the peak of the trace",
}

Figures = dict[tuple[str, int, str], dict[str, Any]]
"""Medians by peer, number of nodes, and whether the garbage collector was on."""


# ---- in a process of its own ----


def sample(name: str, nodes: str, collector: str) -> dict[str, Any]:
    """One trace and one sweep back, after three short ones: imports are done, caches and bytecode warm."""
    peer, count = CHAIN[name], int(nodes)
    task, short = peer(count), peer(SIZES[0])
    for _ in range(3):
        short.gradient(short.trace())
    gc.collect()
    if collector == "off":
        gc.disable()
    reset_peak()
    before = resident()
    trace, traced = cpu_time(task.trace)
    after, peak = resident(), resident("VmHWM")
    backward, derivative = cpu_time(task.gradient, traced)
    per_node = {"trace": trace, "backward": backward}
    if before is not None and after is not None and peak is not None:
        per_node |= {"after": after - before, "peak": peak - before}
    known = {key: value / count for key, value in per_node.items()}
    return {**dict.fromkeys(TITLES), **known, "derivative": derivative}


# ---- goals: what is compared with what, and the factor to stay below ----

GOALS = [
    ("trace", "torch", 0.15),
    ("trace", "autograd", 0.06),
    ("backward", "torch", 0.05),
    ("backward", "autograd", 0.05),
]
FLATNESS = 1.3
MOST_BYTES = 200
SMALLEST_FOR_BYTES = 100_000
"""Below this many nodes, memory grows by pages rather than by nodes."""


def goals(figures: Figures, sizes: Iterable[int], peers: Iterable[str]) -> Iterable[str]:
    """One line per goal: what was measured, what was wanted, whether it was reached."""
    for key, other, goal in GOALS:
        for nodes in sizes if other in peers else ():
            for collector in COLLECTOR:
                ours, theirs = (figures[name, nodes, collector][key] for name in ("adviz", other))
                yield verdict(f"{key} / {other}, {nodes:,} nodes, GC {collector}", ours / theirs, goal, ".3f")
    small, large = min(sizes), max(sizes)
    for key in ("trace", "backward"):
        ratio = figures["adviz", large, "on"][key] / figures["adviz", small, "on"][key]
        yield verdict(f"{key}, {large:,} nodes / {small:,} nodes", ratio, FLATNESS, ".2f")
    for key in ("after", "peak"):
        if large >= SMALLEST_FOR_BYTES and (size := figures["adviz", large, "on"][key]) is not None:
            yield verdict(f"{TITLES[key]}, {large:,} nodes", size, MOST_BYTES, ".0f")


# ---- tables ----


def tables(figures: Figures, sizes: Iterable[int], peers: Iterable[str]) -> Iterable[str]:
    """One table per quantity, in Markdown: a line per peer, "GC on / off" per number of nodes."""
    for key, title in TITLES.items():
        shown = [nodes for nodes in sizes if key in ("trace", "backward") or nodes >= SMALLEST_FOR_BYTES]
        if shown:
            yield f"\n{title} (GC on / off)\n"
            body = ([name, *(_cell(figures, name, nodes, key) for nodes in shown)] for name in peers)
            yield from table(["", *(f"{nodes:,}" for nodes in shown)], body)


def _cell(figures: Figures, name: str, nodes: int, key: str) -> str:
    values = [figures[name, nodes, collector][key] for collector in COLLECTOR]
    return " / ".join("–" if value is None else f"{value:,.0f}" for value in values)


# ---- the whole ----


def measured(peers: list[str], sizes: list[int], rounds: int) -> Figures:
    """Figures of the chain by peer, size and collector; refused if the libraries disagree about the derivative."""
    figures: Figures = {}
    for nodes in sizes:
        keys = [(name, nodes, collector) for name in peers for collector in COLLECTOR]
        tasks = [[name, str(nodes), collector] for name, nodes, collector in keys]
        figures |= zip(keys, samples(__file__, tasks, rounds), strict=True)
        found = {key[0]: figures[key]["derivative"] for key in keys}
        if not np.allclose(list(found.values()), found["adviz"], rtol=1e-9, atol=0):
            raise SystemExit(f"The libraries disagree about the derivative: {found}")
    return figures


def main() -> None:
    parser = command_line(__doc__, rounds=7, quick="two small sizes, one sample")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of nodes")
    parser.add_argument("--peers", nargs="*", default=list(CHAIN), choices=CHAIN, help="what to compare adviz with")
    chosen = parser.parse_args()
    if chosen.sample:
        pin()
        print(json.dumps(sample(*chosen.sample)))
        return
    if chosen.quick:
        chosen.sizes, chosen.rounds = [1_000, 2_000], 1
    wanted = installed({"adviz", *chosen.peers})
    peers = [name for name in CHAIN if name in wanted]
    figures = measured(peers, chosen.sizes, chosen.rounds)
    entries = [dict(zip(("peer", "nodes", "gc"), key, strict=True)) | value for key, value in figures.items()]
    lines, verdicts = tables(figures, chosen.sizes, peers), goals(figures, chosen.sizes, peers)
    report(lines, verdicts, {"chain": entries}, chosen.json)


if __name__ == "__main__":
    main()
