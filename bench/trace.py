"""Trace and gradient beside other libraries: time per scalar operation, bytes per node, and a small network of arrays.

    python bench/trace.py                 the whole measurement, some twenty minutes
    python bench/trace.py --quick         a smoke test of some seconds
    python bench/trace.py --json out.json the figures as JSON, too

Needs the extra ``bench``; libraries that are not installed are named and left out. See ``measure.py`` for the method.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from measure import cpu_time, keep_memory, pin, repeated, reset_peak, resident, row, samples, verdict
from peers import CHAIN, NETWORK, PLAIN, REQUIRES

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


def sample_chain(name: str, nodes: str, collector: str) -> dict[str, Any]:
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


def sample_network(name: str) -> dict[str, Any]:
    """One sample of the network: microseconds per call, and the norm of the gradient."""
    keep_memory()
    task = NETWORK[name]()

    def once() -> dict[str, Any]:
        time, found = cpu_time(lambda: task.gradient(task.trace()))
        size = None if found is None else math.sqrt(sum(float(np.sum(np.square(entry))) for entry in found))
        return {"time": time / 1000, "derivative": size}

    repeated(once, 5)
    return repeated(once, 50)


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


def chain_tables(figures: Figures, sizes: Iterable[int], peers: Iterable[str]) -> Iterable[str]:
    """One table per quantity, in Markdown: a line per peer, "GC on / off" per number of nodes."""
    for key, title in TITLES.items():
        shown = [nodes for nodes in sizes if key in ("trace", "backward") or nodes >= SMALLEST_FOR_BYTES]
        if shown:
            yield f"\n{title} (GC on / off)\n"
            yield row(["", *(f"{nodes:,}" for nodes in shown)])
            yield row(["---", *("--:" for _ in shown)])
            for name in peers:
                yield row([name, *(_cell(figures, name, nodes, key) for nodes in shown)])


def _cell(figures: Figures, name: str, nodes: int, key: str) -> str:
    values = [figures[name, nodes, collector][key] for collector in COLLECTOR]
    return " / ".join("–" if value is None else f"{value:,.0f}" for value in values)


def network_table(found: dict[str, dict[str, Any]]) -> Iterable[str]:
    """Gradient of the network, as multiples of the plain forward pass."""
    plain = found[PLAIN]["time"]
    yield "\nnetwork 64-64-10, batch of 128: value and gradient\n"
    yield row(["", "µs", "× plain NumPy forward"])
    yield row(["---", "--:", "--:"])
    for name, entry in found.items():
        yield row([name, f"{entry['time']:,.0f}", f"{entry['time'] / plain:.2f}"])


# ---- the whole ----


def measure_chain(peers: list[str], sizes: list[int], rounds: int) -> Figures:
    """Figures of the chain by peer, size and collector; refused if the libraries disagree about the derivative."""
    figures: Figures = {}
    for nodes in sizes:
        keys = [(name, nodes, collector) for name in peers for collector in COLLECTOR]
        tasks = [["chain", name, str(nodes), collector] for name, nodes, collector in keys]
        figures |= zip(keys, samples(__file__, tasks, rounds), strict=True)
        _agree({key[0]: figures[key]["derivative"] for key in keys})
    return figures


def measure_network(peers: list[str], rounds: int) -> dict[str, dict[str, Any]]:
    """Figures of the network by peer."""
    found = dict(zip(peers, samples(__file__, [["network", name] for name in peers], rounds), strict=True))
    _agree({name: entry["derivative"] for name, entry in found.items()})
    return found


def _agree(derivatives: dict[str, Any]) -> None:
    known = {name: value for name, value in derivatives.items() if value is not None}
    if known and not np.allclose(list(known.values()), known["adviz"], rtol=1e-9, atol=0):
        raise SystemExit(f"The libraries disagree about the derivative: {known}")


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of nodes")
    parser.add_argument("--peers", nargs="*", default=list(REQUIRES), help="what to compare adviz with")
    parser.add_argument("--rounds", type=int, default=7, help="samples per figure, each in a fresh process")
    parser.add_argument("--quick", action="store_true", help="two small sizes, one sample: shows that it runs")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--sample", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.sizes, chosen.rounds = [1_000, 2_000], 1
    return chosen


def main() -> None:
    chosen = arguments()
    if chosen.sample:
        pin()
        kind, *rest = chosen.sample
        print(json.dumps(sample_chain(*rest) if kind == "chain" else sample_network(*rest)))
        return
    missing = {name for name in chosen.peers if not importlib.util.find_spec(REQUIRES[name])}
    for package in sorted({REQUIRES[name] for name in missing}):
        print(f"{package} is not installed and left out.")
    wanted = {"adviz", PLAIN, *chosen.peers} - missing
    chain = [name for name in CHAIN if name in wanted]
    network = [name for name in NETWORK if name in wanted]
    figures = measure_chain(chain, chosen.sizes, chosen.rounds)
    arrays = measure_network(network, chosen.rounds)
    verdicts = list(goals(figures, chosen.sizes, chain))
    print("\n".join([*chain_tables(figures, chosen.sizes, chain), *network_table(arrays), "", *verdicts]))
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            entries = [dict(zip(("peer", "nodes", "gc"), key, strict=True)) | value for key, value in figures.items()]
            json.dump({"chain": entries, "network": arrays, "goals": verdicts}, file, indent=1)


if __name__ == "__main__":
    main()
