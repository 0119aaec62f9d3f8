"""The algebra of graphs: chains and blocks per edge, pages and the best expressions beside each other.

    python bench/algebra.py                 the whole measurement, some ten minutes
    python bench/algebra.py --quick         a smoke test of some seconds
    python bench/algebra.py --json out.json the figures as JSON, too

No library we know of decomposes a directed graph into series and parallel parts. The peer is what its user would write
with NetworkX, and nothing more: a list of vertices to look at, and each one with one edge in and one edge out is
replaced by an edge. It keeps what an edge stands for as a pair, as adviz does while it works; only adviz makes
expressions of these pairs. Times are CPU time in a process of their own, pinned to one core, in turn; making the graph
is not measured. Needs NetworkX and SciPy (the extra ``bench``).
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import Any

import networkx
from measure import Figures, answer, command_line, cpu_time, report, samples, table, verdict

import adviz
from adviz.algorithms.expressions import (
    backward_factorization,
    decomposed,
    forward_factorization,
    optima,
    optimal_expressions,
    pages,
    small_graphs,
)

Edges = list[tuple[int, int]]
SIZES = 1_000, 10_000, 100_000, 1_000_000
MOST_OF_PEER = 100_000
GRAPHS = 300
INTERMEDIATES = 4
ENUMERATED = (2, 9), (3, 9), (4, 9), (3, 10), (5, 9)

# ---- chains and blocks ----


def series_parallel(edges: int) -> Edges:
    """A random series-parallel graph with one input and one output, numbered in topological order."""
    rng, found, fresh = random.Random(edges), [(0, 1)], count(2)
    while len(found) < edges:
        at, middle = rng.randrange(len(found)), next(fresh)
        tail, head = found[at]
        if rng.random() < 0.5:
            found[at] = tail, middle
        else:
            found.append((tail, middle))
        found.append((middle, head))
    place = {vertex: k for k, vertex in enumerate(networkx.topological_sort(networkx.DiGraph(found)))}
    return [(place[tail], place[head]) for tail, head in found]


def by_networkx(graph: networkx.DiGraph) -> networkx.DiGraph:
    """Contract series and parallel edges; the attribute ``stands`` of an edge says for what."""
    waiting = list(graph)
    while waiting:
        vertex = waiting.pop()
        if vertex not in graph or not graph.in_degree(vertex) == graph.out_degree(vertex) == 1:
            continue
        (tail,), (head,) = graph.predecessors(vertex), graph.successors(vertex)
        stands: Any = graph.edges[tail, vertex]["stands"], graph.edges[vertex, head]["stands"]
        if graph.has_edge(tail, head):
            stands = graph.edges[tail, head]["stands"], "+", stands
        graph.remove_node(vertex)
        graph.add_edge(tail, head, stands=stands)
        waiting += [tail, head]
    return graph


def sample(peer: str, size: str) -> Figures:
    """Nanoseconds per edge of one decomposition."""
    edges = series_parallel(int(size))
    if peer == "adviz":
        graph = adviz.CGraph.from_edges(edges, partials=[1.5] * len(edges))
        spent, core = cpu_time(decomposed, graph)
        assert core.is_simple
    else:
        other = networkx.DiGraph()
        other.add_edges_from((*edge, {"stands": edge}) for edge in edges)
        spent, left = cpu_time(by_networkx, other)
        assert left.number_of_edges() == 1
    return {"per edge": spent / len(edges)}


def decompositions(sizes: tuple[int, ...], rounds: int) -> list[Figures]:
    """A line per size and peer."""
    tasks = [
        (peer, size) for size in sizes for peer in ("adviz", "NetworkX") if peer == "adviz" or size <= MOST_OF_PEER
    ]
    measured = samples(__file__, [(peer, str(size)) for peer, size in tasks], rounds)
    return [{"peer": peer, "edges": size, **found} for (peer, size), found in zip(tasks, measured, strict=True)]


# ---- pages and the best expressions ----


def random_graph(rng: random.Random, intermediates: int) -> adviz.CGraph:
    """A connected graph of numbers without simple intermediates and without edges from inputs to outputs."""
    while True:
        inputs, middle, outputs = (
            [(letter, k) for k in range(number)]
            for letter, number in (("x", rng.randint(1, 3)), ("v", intermediates), ("y", rng.randint(1, 3)))
        )
        possible = [(x, v) for x in inputs for v in middle] + [(v, y) for v in middle for y in outputs]
        possible += [(one, other) for k, one in enumerate(middle) for other in middle[k + 1 :]]
        most = min(len(possible), 3 * intermediates)
        edges = rng.sample(possible, rng.randint(min(2 * intermediates, most), most))
        into, out = Counter(head for _, head in edges), Counter(tail for tail, _ in edges)
        is_whole = all(out[x] for x in inputs) and all(into[y] for y in outputs)
        if is_whole and all(into[v] and out[v] and into[v] * out[v] > 1 for v in middle):
            graph = adviz.CGraph.from_edges(edges, outputs=outputs)
            if networkx.is_weakly_connected(networkx.DiGraph(edges)):
                return graph


def beside_the_optimum(number: int, intermediates: int) -> Figures:
    """How far each way to write expressions is from the fewest multiplications, and how long the proof takes."""
    rng = random.Random(16)
    beyond: dict[str, Counter[int]] = {name: Counter() for name in ("pages", "one factorization", "best faces")}
    seconds: list[float] = []
    unproved = 0
    for _ in range(number):
        graph = random_graph(rng, intermediates)
        start = time.perf_counter()
        best = optimal_expressions(graph)
        seconds.append(time.perf_counter() - start)
        if not best.proved:
            unproved += 1
            continue
        factored = min(each(graph).multiplications for each in (backward_factorization, forward_factorization))
        faces = adviz.optimal_order(graph, "face", time_limit=20).cost
        for name, cost in zip(beyond, (pages(graph).multiplications, factored, faces), strict=True):
            beyond[name][cost - best.cost] += 1
    return {
        "graphs": number,
        "unproved": unproved,
        "beyond": {name: {str(more): of for more, of in sorted(found.items())} for name, found in beyond.items()},
        "seconds": {"median": median(seconds), "longest": max(seconds)},
    }


# ---- all small graphs ----


def enumeration(sizes: tuple[tuple[int, int], ...]) -> list[Figures]:
    """Graphs per second of all graphs of a size: making them, and finding what each costs at best."""
    found = []
    for intermediates, edges in sizes:
        making, every = cpu_time(list, small_graphs(intermediates, edges))
        solving, best = cpu_time(list, map(optima, every))
        exceptional = sum(each.is_exceptional for each in best)
        figures = {"graphs": len(every), "made per second": 1e9 * len(every) / max(making, 1)}
        figures |= {"solved per second": 1e9 * len(every) / max(solving, 1), "exceptional": exceptional}
        found.append({"intermediates": intermediates, "edges": edges, **figures})
    return found


# ---- results ----


def tables(found: Figures) -> Iterator[str]:
    """Tables: nanoseconds per edge, multiplications more than the fewest, graphs of an enumeration per second."""
    times = {(entry["peer"], entry["edges"]): entry["per edge"] for entry in found["decompositions"]}
    yield from table(
        ["ns per edge", *(f"{size:,} edges" for size in found["sizes"])],
        [
            [peer, *(f"{times[peer, size]:,.0f}" if (peer, size) in times else "–" for size in found["sizes"])]
            for peer in ("adviz", "NetworkX")
        ],
    )
    best = found["optimum"]
    yield ""
    most = max(int(more) for of in best["beyond"].values() for more in of)
    yield from table(
        ["multiplications more than the fewest", *map(str, range(most + 1))],
        [[name, *(str(of.get(str(more), 0)) for more in range(most + 1))] for name, of in best["beyond"].items()],
    )
    spent = best["seconds"]
    yield ""
    yield (
        f"{best['graphs']} random graphs, {best['unproved']} without a proof; the fewest multiplications take "
        f"{spent['median']:.3f} s (median) to {spent['longest']:.1f} s."
    )

    yield ""
    yield from table(
        ["intermediates, edges", "graphs", "made per second", "solved per second", "where vertices are not the best"],
        [
            [f"{entry['intermediates']}, {entry['edges']}", f"{entry['graphs']:,}"]
            + [f"{entry[name]:,.0f}" for name in ("made per second", "solved per second", "exceptional")]
            for entry in found["enumeration"]
        ],
    )


def goals(found: Figures) -> Iterator[str]:
    """Time per edge stays what it is, and pages are nearly always optimal."""
    times = {(entry["peer"], entry["edges"]): entry["per edge"] for entry in found["decompositions"]}
    large, small = found["sizes"][-1], found["sizes"][min(1, len(found["sizes"]) - 1)]
    growth = times["adviz", large] / times["adviz", small]
    yield verdict(f"time per edge, {large:,} edges / {small:,}", growth, 1.5, ".2f")
    for (peer, size), per_edge in times.items():
        if peer == "NetworkX":
            yield verdict(f"adviz / NetworkX, {size:,} edges", times["adviz", size] / per_edge, 1.0, ".2f")
    yield verdict("seconds of a proof, median", found["optimum"]["seconds"]["median"], 1.0, ".3f")


def main() -> None:
    parser = command_line(__doc__, rounds=5, quick="small graphs only")
    chosen = parser.parse_args()
    if chosen.sample:
        answer(sample, chosen.sample)
        return
    sizes, number, rounds = (SIZES[:2], 5, 1) if chosen.quick else (SIZES, GRAPHS, chosen.rounds)
    found = {
        "sizes": sizes,
        "decompositions": decompositions(sizes, rounds),
        "enumeration": enumeration(ENUMERATED[:1] if chosen.quick else ENUMERATED),
        "optimum": beside_the_optimum(number, 3 if chosen.quick else INTERMEDIATES),
    }
    report(tables(found), goals(found), found, chosen.json)


if __name__ == "__main__":
    main()
