"""Orders of elimination: what each costs beside what was published, what is proved in time, and time per vertex.

    python bench/elimination.py                 the whole measurement, some forty minutes
    python bench/elimination.py --quick         a smoke test of some seconds
    python bench/elimination.py --json out.json the figures as JSON, too

Costs are multiplications; seconds of searches and proofs are of the clock, so that other work on the machine counts.
Each time per vertex is the median of some rounds of CPU time in one process, pinned to one core, in which all
implementations take turns; making the graph is not measured. Needs NetworkX, and numba for the compiled engine (the
extra ``bench``).
"""

from __future__ import annotations

import argparse
import gc
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import truediv
from statistics import median
from typing import Any, NamedTuple

from elimination_peers import Dictionaries, Edges, Networkx, by_markowitz, middle, partials_of, random_program
from measure import Figures, command_line, cpu_time, pin, report, table, verdict

import adviz
from adviz import CGraph
from adviz.algorithms.elimination import (
    Counting,
    fill_in,
    greedy,
    markowitz,
    minimal_damage,
    overall,
    relative_markowitz,
)
from adviz.algorithms.elimination.counting import is_unit
from adviz.algorithms.examples.functions import PROGRAMS
from adviz.algorithms.examples.known_optima import GRAPHS, LANDMARKS
from adviz.algorithms.search.greedy import quick_markowitz, quick_order
from adviz.algorithms.search.problem import reduced, structure_of

# ---- what orders cost ----

ORDERS: dict[str, Any] = {
    "forward": "forward",
    "reverse": "reverse",
    "Markowitz": "markowitz",
    "relative Markowitz": greedy(relative_markowitz),
    "least fill-in": greedy(fill_in, markowitz),
    "MOMR": greedy(overall),
    "LMMD": greedy(minimal_damage),
    "default": "best",
}
USUAL = "forward", "reverse", "Markowitz"
MOST_NUMBERS = 500
"""Intermediates up to which a program of arrays is counted number by number, too."""
MOST_INTERMEDIATES = {"vertex": MOST_NUMBERS, "edge": 150, "face": 150}
"""Up to which the best order is searched for, by technique."""


class Subject(NamedTuple):
    """A graph, and the function for which counts were published."""

    graph: CGraph
    published: str | None = None


def subjects() -> Iterator[tuple[str, Subject]]:
    """Every program and every graph of the examples by name; with arrays, and number by number."""
    for name, case in PROGRAMS.items():
        arrays, numbers = (adviz.linearize(case.program, *case.arguments, grain=grain) for grain in ("array", "scalar"))
        if max(map(arrays.size, arrays.vertices)) > 1:
            yield f"{name}, arrays", Subject(arrays, name)
        if len(numbers.intermediates) <= MOST_NUMBERS:
            yield name, Subject(numbers, name)
    for name, case in GRAPHS.items():
        yield name, Subject(case.graph())


def cost(graph: CGraph, order: Any, counting: Counting) -> int:
    return sum(step.multiplications for step in adviz.vertex_elimination(graph.copy(), order, counting))


def costs(subject: Subject, units: bool, limit: float) -> Figures:
    """What a graph has, what the orders cost, and what the searches find in ``limit`` seconds each."""
    graph, published = subject
    counting = Counting(units=units)
    size = [len(graph.inputs), len(graph.intermediates), len(graph.outputs)]
    found: Figures = {"size": size, "published": published}
    found |= {name: cost(graph, order, counting) for name, order in ORDERS.items()}
    found["annealing"] = adviz.anneal(graph, time_limit=limit / 5, units=units).cost
    found["beam"] = adviz.beam(graph, time_limit=limit / 5, units=units).cost
    for technique, most in MOST_INTERMEDIATES.items():
        if len(graph.intermediates) <= most:
            found[technique] = outcome(adviz.optimal_order(graph, technique, time_limit=limit, units=units))
    return found


def outcome(best: adviz.Optimum) -> Figures:
    return {name: getattr(best, name) for name in ("cost", "lower_bound", "proved", "seconds", "engine")}


# ---- what is proved in time ----

LADDERS = {"vertex": range(10, 71, 5), "edge": range(3, 21), "face": range(3, 16)}
"""Intermediates of random programs, by technique."""
SEEDS = range(3)
SHORT, LONG = 10, 60
"""Seconds for a proof."""


def proofs(technique: str, sizes: Iterable[int], limit: float) -> Iterator[Figures]:
    """Random programs of more and more intermediates, until not all of a size are proved in ``limit`` seconds."""
    for size in sizes:
        rung = [proof(technique, random_program(size, 10, 4, seed), limit) for seed in SEEDS]
        yield from rung
        if not all(entry["proved"] for entry in rung):
            return


def proof(technique: str, edges: Edges, limit: float) -> Figures:
    """How long the search for the best order took, and whether it is proved."""
    graph = graph_of(edges)
    kernels = reduced(structure_of(graph)).kernels
    return {
        "technique": technique,
        "intermediates": len(graph.intermediates),
        "reduced": max((len(kernel.members) for kernel in kernels), default=0),
        "edges": len(edges),
        **outcome(adviz.optimal_order(graph, technique, time_limit=limit)),
    }


# ---- time per vertex ----


def graph_of(edges: Edges) -> CGraph:
    return CGraph.from_edges(edges, partials=partials_of(edges))


def steps(edges: Edges, order: str) -> Callable[[], int]:
    """The generator of Steps."""
    elimination = adviz.vertex_elimination(graph_of(edges), order)
    return lambda: sum(step.multiplications for step in elimination)


def neighbours(edges: Edges) -> tuple[list[set[int]], list[set[int]], list[int]]:
    """Sets of predecessors, sets of successors, and the intermediates."""
    predecessors, successors = ([set() for _ in range(max(edges, key=max)[1] + 1)] for _ in range(2))
    for i, j in edges:
        predecessors[j].add(i)
        successors[i].add(j)
    return predecessors, successors, middle(edges)


def quick(edges: Edges) -> Callable[[], int]:
    """The structure alone, in plain Python."""
    sets = neighbours(edges)
    return lambda: quick_markowitz(*sets)[1]


def quickly(graph: CGraph) -> int:
    """Plain Python, with the sets yet to be made."""
    return quick_order(graph)[1]


def in_reverse(edges: Edges) -> Callable[[], int]:
    """Dictionaries of dictionaries, without a choice of the next vertex."""
    graph, order = Dictionaries(edges), middle(edges)[::-1]

    def run() -> int:
        total = 0
        for j in order:
            total += graph.degree(j)
            graph.eliminate(j)
        return total

    return run


def treewidth(edges: Edges) -> Callable[[], None]:
    """What NetworkX has that is nearest: eliminates the vertex of lowest degree, without directions and partials."""
    import networkx
    from networkx.algorithms.approximation import treewidth_min_degree

    graph = networkx.Graph(edges)

    def run() -> None:
        treewidth_min_degree(graph)

    return run


STEPS, QUICK = "adviz, Steps", "adviz, quick"
DICTIONARIES, NETWORKX, TREEWIDTH = "dictionaries of dictionaries", "networkx", "networkx, treewidth_min_degree"
IMPLEMENTATIONS: dict[str, Callable[[Edges], Callable[[], Any]]] = {
    STEPS: partial(steps, order="markowitz"),
    f"{QUICK}, from a CGraph": lambda edges: partial(quickly, graph_of(edges)),
    QUICK: quick,
    DICTIONARIES: lambda edges: partial(by_markowitz, Dictionaries(edges), middle(edges)),
    NETWORKX: lambda edges: partial(by_markowitz, Networkx(edges), middle(edges)),
    TREEWIDTH: treewidth,
    f"{STEPS}, in reverse": partial(steps, order="reverse"),
    f"{DICTIONARIES}, in reverse": in_reverse,
}
"""What is made of edges before the clock starts, and run once."""

TOO_LONG = {(TREEWIDTH, 100_000)}
"""What takes minutes."""
LOCAL = 20
SMALL = {"local, 100": (100, LOCAL)}
TIMED = {
    **{f"local, {size:,}": (size, LOCAL) for size in (1_000, 10_000, 100_000)},
    **{f"wide, {size:,}": (size, 200) for size in (1_000, 10_000)},
    **{f"global, {size:,}": (size, size) for size in (1_000, 10_000)},
}
"""Sizes and windows of random programs."""


def times(size: int, window: int, rounds: int) -> Figures:
    """Microseconds per vertex by implementation and round, and the multiplications of the orders."""
    edges = random_program(size, window)
    names = [name for name in IMPLEMENTATIONS if (name, size) not in TOO_LONG]
    found: Figures = {"vertices": size, "window": window, "products": {}, "times": {name: [] for name in names}}
    for _ in range(rounds):
        for name in names:
            run = IMPLEMENTATIONS[name](edges)
            gc.collect()
            time, found["products"][name] = cpu_time(run)
            found["times"][name].append(time / 1000 / size)
    return found


# ---- the tables ----

COLUMNS = [*ORDERS, "annealing", "beam", *MOST_INTERMEDIATES]


def cell(found: Any) -> str:
    """A number; what a search found, with its lower bound where it is not proved; a dash where nothing was searched."""
    match found:
        case None:
            return "–"
        case {"proved": False, "cost": cost, "lower_bound": low}:
            return f"{low:,}–{cost:,}"
        case {"cost": found}:
            return f"**{found:,}**"
    return f"{found:,}"


def shape(found: Figures) -> str:
    """Inputs, intermediates and outputs."""
    return " · ".join(map(str, found["size"]))


def counted(counts: dict[str, Figures]) -> Iterator[str]:
    """A line per graph: what each order costs."""
    body = ([name, shape(found), *(cell(found.get(column)) for column in COLUMNS)] for name, found in counts.items())
    return table(["", "in · between · out", *COLUMNS], body)


def landmarks(counts: dict[str, Figures]) -> Iterator[str]:
    """A line per function that was published: what was counted there, and here."""
    ours = "in · between · out", *USUAL, "default", "best found"
    body = (
        [
            name,
            *(f"{there.inputs} · {there.intermediates}", *map(cell, there[2:7])),
            *(shape(found), *map(cell, map(found.get, ours[1:-1])), cell(least(found))),
        ]
        for name, found in counts.items()
        if (there := LANDMARKS.get(found["published"]))
    )
    theirs = "in · between", *USUAL, "learned", "best known"
    return table(["", *(f"there: {head}" for head in theirs), *(f"here: {head}" for head in ours)], body)


def least(found: Figures) -> int:
    """The fewest multiplications of any order of vertices."""
    searched = found.get("vertex", {}).get("cost", found["default"])
    return min(searched, *(found[column] for column in COLUMNS if isinstance(found.get(column), int)))


def proved(entries: list[Figures], technique: str, seconds: float) -> Iterator[Figures]:
    """The graphs of one technique for which no smaller one took longer to prove."""
    own = [entry for entry in entries if entry["technique"] == technique]
    late = [entry["intermediates"] for entry in own if not entry["proved"] or entry["seconds"] > seconds]
    return (entry for entry in own if entry["intermediates"] < min(late, default=math.inf))


def reach(entries: list[Figures], technique: str, seconds: float, column: str) -> int:
    """The largest of these graphs."""
    return max((entry[column] for entry in proved(entries, technique, seconds)), default=0)


def solved(entries: list[Figures]) -> Iterator[str]:
    """A line per technique: the largest random programs such that all up to this size are solved to proof."""
    columns = [(seconds, column) for seconds in (SHORT, LONG) for column in ("intermediates", "reduced", "edges")]
    engines = {entry["technique"]: entry["engine"] for entry in entries}
    body = (
        [name, engine, *(cell(reach(entries, name, *column)) for column in columns)] for name, engine in engines.items()
    )
    return table(["", "engine", *(f"{column}, {seconds} s" for seconds, column in columns)], body)


def per_vertex(found: Figures, name: str) -> float:
    return median(found["times"].get(name, [math.nan]))


def per_product(found: Figures, name: str) -> float:
    return 1000 * per_vertex(found, name) * found["vertices"] / (found["products"].get(name) or math.nan)


def multiplications(found: Figures, name: str) -> float:
    return found["products"].get(name) or math.nan


SPEEDS = {
    "µs per vertex": (per_vertex, ".2f"),
    "ns per multiplication": (per_product, ",.0f"),
    "multiplications": (multiplications, ",.0f"),
}


def speeds(timed: dict[str, Figures]) -> Iterator[str]:
    """Three tables, with a line per implementation and a column per random program."""
    for title, (figure, form) in SPEEDS.items():
        body = ([name, *(f"{figure(found, name):{form}}" for found in timed.values())] for name in IMPLEMENTATIONS)
        told = ([cell.replace("nan", "–") for cell in line] for line in body if {*line[1:]} != {"nan"})
        yield from ("", *table([title, *timed], told))


# ---- goals ----

MOST_PER_VERTEX = (2.6, 4.0, 7.0)
"""Microseconds at 1,000, 10,000 and 100,000 intermediates of local programs."""
MOST_OF_TREEWIDTH = 0.15
FEWEST_PROVED = 25
MOST_SECONDS = {("bat", "face"): 10.0}


def goals(found: dict[str, Any]) -> Iterator[str]:
    if counts := found["counts"].get(COUNTED):
        yield from goals_of_counts(counts)
    entries = found["proofs"]
    if not all(entry["proved"] for entry in entries):
        reached = reach(entries, "vertex", LONG, "reduced")
        is_reached = "reached" if reached >= FEWEST_PROVED else "not reached"  # more is better here
        yield f"reduced intermediates proved in {LONG} s, vertices: {reached} (goal {FEWEST_PROVED}): {is_reached}"
    for title, entry in found["times"].items():
        if title in TIMED:
            yield from goals_of_times(title, entry)


SHARE = "best found here / learned there, each as a part of the best of forward, reverse, Markowitz"


def goals_of_counts(counts: dict[str, Figures]) -> Iterator[str]:
    """How orders compare on the same graph; and with what was learned on another graph of the same function."""
    worst = max(entry["default"] / min(map(entry.get, USUAL)) for entry in counts.values())
    yield verdict("default / best of forward, reverse, Markowitz, at most", worst, 1.0, ".3f")
    searched = [entry for entry in counts.values() if "vertex" in entry]
    worst = max(entry["vertex"]["cost"] / entry["annealing"] for entry in searched)
    yield verdict("best found / annealing alone, at most", worst, 1.0, ".3f")
    for name, entry in counts.items():
        if there := LANDMARKS.get(entry["published"]):
            share = least(entry) / entry["default"] * min(there[2:5]) / there.learned
            is_best = entry.get("vertex", {}).get("proved")
            yield f"{name}: proved optimal: reached" if is_best else verdict(f"{name}: {SHARE}", share, 1.0, ".2f")
    for (name, technique), most in MOST_SECONDS.items():
        if name in counts:
            best = counts[name][technique]
            seconds = best["seconds"] if best["proved"] else math.inf
            yield verdict(f"{name}, {technique} optimum: seconds to the proof", seconds, most, ".2f")


def goals_of_times(title: str, found: Figures) -> Iterator[str]:
    """Times per vertex, as numbers and as parts of what NetworkX takes."""
    if found["window"] == LOCAL:
        goal = MOST_PER_VERTEX[round(math.log10(found["vertices"])) - 3]
        yield verdict(f"{title}: µs per vertex, {QUICK}", per_vertex(found, QUICK), goal, ".2f")
    if {QUICK, TREEWIDTH} <= found["times"].keys():
        share = median(map(truediv, found["times"][QUICK], found["times"][TREEWIDTH]))
        yield verdict(f"{title}: {QUICK} / {TREEWIDTH}", share, MOST_OF_TREEWIDTH, ".3f")


# ---- the whole ----

COUNTED, FREE = "products with units are counted", "products with units are free"
PARTS = "counts", "proofs", "times"


def measured(chosen: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"counts": {}, "proofs": [], "times": {}}
    if "counts" in chosen.parts:
        taken = {name: subject for name, subject in subjects() if not chosen.graphs or name in chosen.graphs}
        found["counts"][COUNTED] = {name: costs(subject, True, chosen.limit) for name, subject in taken.items()}
        with_units = {
            name: subject
            for name, subject in taken.items()
            if any(is_unit(subject.graph.partial(*edge)) for edge in subject.graph.edges)
        }
        found["counts"][FREE] = {name: costs(subject, False, chosen.limit) for name, subject in with_units.items()}
    if "proofs" in chosen.parts:
        for technique, sizes in LADDERS.items():
            found["proofs"] += proofs(technique, sizes[:1] if chosen.quick else sizes, chosen.long)
    if "times" in chosen.parts:
        pin()
        for title, program in (SMALL if chosen.quick else TIMED).items():
            found["times"][title] = times(*program, chosen.rounds)
    return found


def tables(found: dict[str, Any]) -> Iterator[str]:
    for title, counts in found["counts"].items():
        yield from ("", f"Multiplications; {title}", "", *counted(counts))
    if found["counts"]:
        yield from ("", PUBLISHED, "", *landmarks(found["counts"][COUNTED]))
    if found["proofs"]:
        yield from ("", f"Random programs solved to proof, {len(SEEDS)} of a size", "", *solved(found["proofs"]))
    if found["times"]:
        yield from speeds(found["times"])


PUBLISHED = (
    "Published counts beside those of the graphs that are traced here. A graph of one's own differs from the published "
    "one: other operations, other outputs, other intermediates; compare orders with each other on either side."
)


def main() -> None:
    parser = command_line(__doc__, rounds=3, quick="small graphs only")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--graphs", nargs="*", metavar="NAME", help="the graphs whose orders are counted, by name")
    parser.add_argument("--limit", type=float, default=SHORT, help="seconds of a search for the best order of a graph")
    parser.add_argument("--long", type=float, default=LONG, help="seconds of a proof for a random program")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.graphs, chosen.limit, chosen.rounds = ["slide program", "lion"], 1.0, 1
    found = measured(chosen)
    report(tables(found), goals(found), found, chosen.json)


if __name__ == "__main__":
    main()
