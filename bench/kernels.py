"""Jacobians of the same function at many points: programs beside other libraries, every order, first calls, Hessians.

    python bench/kernels.py                 the whole measurement, some forty minutes
    python bench/kernels.py --quick         a smoke test of some seconds
    python bench/kernels.py --json out.json the figures as JSON, too

Every program and number of points has a process of its own, in which all libraries take turns, pinned to one core, in
CPU time; each one's Jacobian is compared with the engine's before the first turn. The first Jacobian of a function is
measured in fresh processes that have compiled another function before. Needs the extra ``bench`` and gcc; what is not
installed is named and left out. See ``measure.py`` for the method, ``kernels_peers.py`` for the libraries, and
``kernels_drawn.py`` for functions drawn by seed, on one core and on all (``--parts drawn``, some six minutes more).
"""

from __future__ import annotations

import argparse
import gc
import importlib
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from random import Random
from statistics import geometric_mean, median
from typing import Any

import kernels_drawn
import kernels_peers as peers
import numpy as np
from kernels_peers import Subject, Task
from measure import (
    Figures,
    answer,
    command_line,
    cpu_time,
    installed,
    load,
    report,
    round_robin,
    row,
    samples,
    table,
    verdict,
)

import adviz

TITLES = "Roe flux", "six-joint arm", "Black-Scholes", "pollution"
"""Examples of adviz."""
ONE, SOME, MANY = 1, 1_000, 100_000
BLOCKS = 2 * 8192
"""Points at which orders are compared."""
CLOSE = 1e-9
"""The largest relative error of a partial, relative to its largest value at all points."""
WARM = 2
"""Calls before those of a turn."""
ASIDE = 50
"""Points at which Jacobians are compared with the engine's."""

ADVIZ, NUMBERS, NUMBA = "adviz", "adviz, numbers", "adviz, numba"
FEWEST, SEARCHED, SPARSE = "adviz, fewest products", "adviz, searched", "adviz, sparse"
FAST, FAST_SPARSE = "adviz, fast", "adviz, fast, sparse"
USUAL = {"adviz, forward": "forward", "adviz, reverse": "reverse", "adviz, Markowitz": "markowitz"}
FLOORS: dict[str, Callable[[Subject], Task]] = {"copy": peers.copying, "NumPy, forward only": peers.forward}
PROGRAMS: dict[str, Callable[[Subject], Task]] = {
    ADVIZ: peers.adviz,
    **{name: partial(peers.adviz, order=order) for name, order in USUAL.items()},
    FEWEST: lambda subject: peers.adviz(subject, fewest_products(subject)),
    SEARCHED: partial(peers.adviz, order="searched"),
    "adviz, points first": partial(peers.adviz, points="first"),
    SPARSE: peers.adviz_sparse,
    FAST: partial(peers.adviz, fast=True),
    FAST_SPARSE: partial(peers.adviz_sparse, fast=True),
    NUMBERS: peers.adviz_numbers,
    NUMBA: partial(peers.adviz, backend="numba"),
    "adviz, numba, points first": partial(peers.adviz, points="first", backend="numba"),
}
MODES = "jacfwd", "jacrev"
JAX: dict[str, Callable[[Subject], Task]] = {
    f"jax, {mode}, points {points}": partial(peers.jax, mode=mode, points=points)
    for mode, points in product(MODES, peers.LAYOUTS)
}
COMPILED: dict[str, Callable[[Subject], Task]] = {
    "torch.compile, jacrev": partial(peers.torch, mode="jacrev", points="first", is_compiled=True),
    "casadi, C": partial(peers.casadi, is_compiled=True),
}
OTHERS: dict[str, Callable[[Subject], Task]] = {
    **{f"torch, {mode}": partial(peers.torch, mode=mode) for mode in MODES},
    "autograd": peers.autograd,
    "casadi": peers.casadi,
    "sympy": peers.sympy,
}
LIBRARIES = FLOORS | PROGRAMS | JAX | COMPILED | OTHERS
REQUIRES = {name: name.partition(",")[0].partition(".")[0] for name in JAX | COMPILED | OTHERS}
REQUIRES |= {name: "numba" for name in PROGRAMS if name.startswith(NUMBA)}
"""The package that is needed, if one is."""
ONE_LAYOUT = {name for name in LIBRARIES if name.endswith("first")}
"""At one point there is no axis that could be first."""
MANY_ONLY = ONE_LAYOUT | {"torch.compile, jacrev", FEWEST, SEARCHED, FAST, FAST_SPARSE}
ONE_ONLY = {NUMBERS}


def subject_of(title: str, count: int) -> Subject:
    """A program at some points around those of its example."""
    case = adviz.examples[title]
    around = np.random.default_rng(0).uniform(0.9, 1.1, (len(case.arguments), count))
    points = np.array(case.arguments)[:, None] * around
    return Subject(case.program, points[:, 0] if count == 1 else points)


def fewest_products(subject: Subject, seconds: float = 5.0) -> Any:
    """The order of fewest multiplications that is found in some seconds."""
    graph = adviz.linearize(peers.of_vector(subject.function, np.stack), subject.example, grain="scalar")
    return adviz.optimal_order(graph, time_limit=seconds)


# ---- what is right ----


def check(title: str, subject: Subject, found: np.ndarray) -> None:
    """Refuse a Jacobian that is not close to the engine's, at some of the points."""
    matrix = subject.points[:, None] if subject.is_one_point else subject.points
    places = np.linspace(0, matrix.shape[1] - 1, min(ASIDE, matrix.shape[1])).astype(int)
    derivative = adviz.jacobian(peers.of_vector(subject.function, np.stack))
    expected = np.stack([np.atleast_2d(derivative(matrix[:, k])) for k in places], axis=-1)
    given = found.reshape(*expected.shape[:2], matrix.shape[1])[..., places]
    sizes = np.abs(expected).max(axis=-1, keepdims=True)
    error = np.max(np.abs(given - expected) / np.where(sizes > 0, sizes, 1))
    if not error < CLOSE:
        raise SystemExit(f"{title}: the relative error of the Jacobian is {error:.1e}")


# ---- in a process of its own ----


def at_points(title: str, count: str, seconds: str, *names: str) -> Figures:
    """Nanoseconds per point by library, and the ratios of adviz to each."""
    subject = subject_of(title, int(count))
    runs: dict[str, Callable[[], Any]] = {}
    for name in names:
        try:
            task = LIBRARIES[name](subject)
            found = task.jacobian(task.run())
        except Exception as reason:
            print(f"{title}, {name} is left out: {reason!r:.200}", file=sys.stderr)
            continue
        if found is not None:
            check(f"{title}, {name}", subject, found)
        runs[name] = task.run
    times = round_robin(runs, float(seconds), WARM)
    figures = {name: median(column) / int(count) for name, column in times.items()}
    ours = [name for name in (ADVIZ, SPARSE, FAST, FAST_SPARSE, NUMBERS, NUMBA) if name in times]
    ratios = {f"{one} / {name}": median(np.divide(times[one], times[name])) for one, name in product(ours, times)}
    return figures | ratios


def first(title: str, name: str) -> Figures:
    """Milliseconds from a function to its Jacobian, after another function."""
    importlib.import_module("scipy.special")  # which is no work on this function
    run_first(LIBRARIES[name], subject_of("propane combustion", SOME))
    gc.collect()  # whether its turn falls into the measured call is a matter of chance
    try:
        return {"ms": cpu_time(run_first, LIBRARIES[name], subject_of(title, SOME))[0] / 1e6}
    except Exception as reason:
        print(f"{title}, {name} is left out: {reason!r:.200}", file=sys.stderr)
        return {"ms": math.nan}


def run_first(make: Callable[[Subject], Task], subject: Subject) -> None:
    make(subject).run()


def by_orders(title: str, seconds: str, drawn: str) -> Figures:
    """By order, nanoseconds per point, predicted and measured; and what the default takes of the best usual one."""
    subject = subject_of(title, BLOCKS)
    function = peers.of_vector(subject.function, np.stack)
    inner = adviz.linearize(function, subject.example, grain="scalar").intermediates
    orders: dict[str, Any] = {ADVIZ: "best", **USUAL, FEWEST: fewest_products(subject), SEARCHED: "searched"}
    orders |= {f"drawn by lot {k}": Random(k).sample(inner, len(inner)) for k in range(int(drawn))}
    programs = {
        name: adviz.compile_jacobian(function, subject.example, order=order, form="coo", points="last")
        for name, order in orders.items()
    }
    times = round_robin({name: partial(each, subject.points) for name, each in programs.items()}, float(seconds), WARM)
    predicted = {name: each.cost.nanoseconds for name, each in programs.items()}
    measured = {name: median(column) / subject.points.shape[1] for name, column in times.items()}
    best = min(USUAL, key=measured.__getitem__)
    return {
        **{f"{name}, predicted": figure for name, figure in predicted.items()},
        **measured,
        "rank correlation": rank_correlation(list(predicted.values()), list(measured.values())),
        "default / best usual": median(np.divide(times[ADVIZ], times[best])),
    }


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's."""
    ranks = [np.argsort(np.argsort(column)) for column in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


HESSIANS: dict[str, Callable[[Subject], Task]] = {
    ADVIZ: peers.adviz_hessian,
    **{
        f"jax, {outer} of {inner}, points {points}": partial(peers.jax, mode=outer, points=points, inner=inner)
        for outer, inner, points in product(MODES, MODES, peers.LAYOUTS)
    },
}


def hessian(count: str, seconds: str, *names: str) -> Figures:
    """Nanoseconds per point of the Hessian of the price of Black and Scholes, and ratios."""
    subject = subject_of("Black-Scholes", int(count))
    tasks = {name: HESSIANS[name](subject) for name in names}
    found = {name: task.jacobian(task.run()) for name, task in tasks.items()}
    for name, matrix in found.items():
        error = np.max(np.abs(matrix - found[ADVIZ]) / np.abs(found[ADVIZ]).max(axis=-1, keepdims=True))
        if not error < CLOSE:
            raise SystemExit(f"Hessian, {name}: the relative error is {error:.1e}")
    times = round_robin({name: task.run for name, task in tasks.items()}, float(seconds), WARM)
    ratios = {f"{ADVIZ} / {name}": median(np.divide(times[ADVIZ], column)) for name, column in times.items()}
    return {name: median(column) / int(count) for name, column in times.items()} | ratios


SAMPLES: dict[str, Callable[..., Figures]] = {
    "points": at_points,
    "first": first,
    "orders": by_orders,
    "hessian": hessian,
    "drawn": kernels_drawn.times,
}


# ---- goals ----

MOST_OF_JAX = {
    ADVIZ: {"Roe flux": 0.45, "six-joint arm": 0.25, "Black-Scholes": 1.1},
    NUMBA: {"Roe flux": 0.20, "six-joint arm": 0.16, "Black-Scholes": 1.2},
}
"""At many points."""
MOST_OF_JAX_WHEN_FAST = {"six-joint arm": 0.25}
MOST_OF_JAX_AT_SOME = 0.8
MOST_OF_JAX_AT_ONE = 0.4
MOST_OF_FIRST = {"jax": 0.02, "casadi": 1.0}
MOST_OF_HESSIAN = 0.35
SAME_TIME = 1.03
"""What may be noise between two orders."""


def share(found: Figures, peers: Iterable[str], ours: str = ADVIZ) -> float:
    """What adviz takes of the best of some peers; NaN where none was measured."""
    return max((found[key] for name in peers if (key := f"{ours} / {name}") in found), default=math.nan)


def goals(found: dict[str, Any]) -> Iterator[str]:
    """A line per goal whose peers were measured."""
    yield from (line for line in _goals(found) if ": nan " not in line)
    yield from (line for line in kernels_drawn.goals(found["drawn"]) if ": nan " not in line)


def _goals(found: dict[str, Any]) -> Iterator[str]:
    by_count = {count: {} for count in (ONE, SOME, MANY)} | found["points"]
    for title, figures in by_count[MANY].items():
        for name, most in MOST_OF_JAX.items():
            if title in most:
                what = f"{title}, {MANY:,} points: {name} / best jax"
                yield verdict(what, share(figures, JAX, name), most[title], ".2f")
        what = f"{title}, {MANY:,} points: {SPARSE} / best of C"  # CasADi's Jacobians are sparse, too
        yield verdict(what, share(figures, COMPILED, SPARSE), 1.0, ".2f")
    for count, (title, most) in product((MANY, SOME), MOST_OF_JAX_WHEN_FAST.items()):
        if figures := by_count[count].get(title):
            what = f"{title}, {count:,} points: {{}} / best {{}}"
            yield verdict(what.format(FAST, "jax"), share(figures, JAX, FAST), most, ".2f")
            yield verdict(what.format(FAST_SPARSE, "of C"), share(figures, COMPILED, FAST_SPARSE), 1.0, ".2f")
    if shares := [share(figures, JAX) for figures in by_count[SOME].values()]:
        what = f"{SOME:,} points: adviz / best jax, geometric mean"
        yield verdict(what, geometric_mean(shares), MOST_OF_JAX_AT_SOME, ".2f")
    for title, figures in by_count[ONE].items():
        for name in (ADVIZ, NUMBERS, NUMBA):
            yield verdict(f"{title}, one point: {name} / jax", share(figures, JAX, name), MOST_OF_JAX_AT_ONE, ".2f")
    for title, times in found["first"].items():
        for package, most in MOST_OF_FIRST.items():
            least = min((time for name, time in times.items() if REQUIRES.get(name) == package), default=math.nan)
            yield verdict(f"{title}, first Jacobian: adviz / {package}", times[ADVIZ] / least, most, ".3f")
    if found["hessian"]:
        ratio = share(found["hessian"], [name for name in HESSIANS if name != ADVIZ])
        yield verdict("Black-Scholes, Hessian: adviz / best jax", ratio, MOST_OF_HESSIAN, ".2f")
    for title, figures in found["orders"].items():
        what = f"{title}: default / best of forward, reverse, Markowitz, by the clock"
        yield verdict(what, figures["default / best usual"], SAME_TIME, ".2f")


# ---- tables ----


def body(columns: dict[str, Figures], names: Iterable[str], cell: Callable[[Figures, str], str]) -> Iterator[list[str]]:
    """A line per name that was measured."""
    for name in names:
        if any(name in figures for figures in columns.values()):
            yield [name, *(cell(figures, name) if name in figures else "–" for figures in columns.values())]


def beside_adviz(figures: Figures, name: str) -> str:
    """A time, and what adviz takes of it."""
    return f"{figures[name]:,.0f} · {figures[f'{ADVIZ} / {name}']:.2f}"


def plain(figures: Figures, name: str) -> str:
    return f"{figures[name]:,.2f}" if abs(figures[name]) < 2 else f"{figures[name]:,.1f}"


def predicted_and_measured(figures: Figures, name: str) -> str:
    return f"{figures[f'{name}, predicted']:,.0f} → {figures[name]:,.0f}"


def drawn(figures: Figures) -> str:
    """Two times of all orders that were drawn by lot, from the least to the most."""
    names = [name for name in figures if name.startswith("drawn") and "," not in name]
    columns = [figures[f"{name}, predicted"] for name in names], [figures[name] for name in names]
    return " → ".join(f"{min(column):,.0f}–{max(column):,.0f}" for column in columns)


def tables(found: dict[str, Any]) -> Iterator[str]:
    for count, columns in found["points"].items():
        yield from ("", f"Jacobians at {count:,} points: ns per point · adviz as a fraction of it", "")
        yield from table(["", *columns], body(columns, LIBRARIES, beside_adviz))
    if found["hessian"]:
        title = "Black-Scholes"
        yield from ("", "Hessian of the price of Black and Scholes: ns per point · adviz as a fraction of it", "")
        yield from table(["", title], body({title: found["hessian"]}, HESSIANS, beside_adviz))
    if columns := found["first"]:
        yield from ("", f"First Jacobian, at {SOME:,} points, after that of another function: ms", "")
        yield from table(["", *columns], body(columns, FIRST, plain))
    if columns := found["orders"]:
        yield from ("", f"Orders, at {BLOCKS:,} points, sparse: ns per point, as predicted → as measured", "")
        yield from table(["", *columns], body(columns, [ADVIZ, *USUAL, FEWEST, SEARCHED], predicted_and_measured))
        yield row(["drawn by lot", *map(drawn, columns.values())])
        yield from map(row, body(columns, ["rank correlation", "default / best usual"], plain))
    yield from kernels_drawn.tables(found["drawn"])


# ---- the whole ----

PARTS = "points", "first", "hessian", "orders", "drawn"
FIRST = [ADVIZ, NUMBA, *(name for name in JAX if name.endswith("last")), "casadi", "sympy", "autograd", "torch, jacrev"]


def measured(chosen: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {part: {} for part in PARTS}
    seconds = str(chosen.seconds)
    run = partial(samples, __file__)

    def here(names: Iterable[str]) -> list[str]:
        return [name for name in names if REQUIRES.get(name, "adviz") in ("adviz", *chosen.peers)]

    if "points" in chosen.parts:
        for count in chosen.counts:
            names = [name for name in here(LIBRARIES) if name not in (MANY_ONLY if count == 1 else ONE_ONLY)]
            tasks = [["points", title, str(count), seconds, *names] for title in chosen.titles]
            found["points"][count] = dict(zip(chosen.titles, run(tasks, chosen.rounds), strict=True))
    if "first" in chosen.parts:
        pairs = [(title, name) for title in chosen.titles for name in here(FIRST)]
        times = run([["first", *pair] for pair in pairs], chosen.rounds)
        for (title, name), figures in zip(pairs, times, strict=True):
            found["first"].setdefault(title, {})[name] = figures["ms"]
    if "hessian" in chosen.parts:
        names = [name for name in HESSIANS if name == ADVIZ or "jax" in chosen.peers]
        (found["hessian"],) = run([["hessian", str(max(chosen.counts)), seconds, *names]], chosen.rounds)
    if "orders" in chosen.parts:
        tasks = [["orders", title, seconds, str(chosen.drawn)] for title in chosen.titles]
        found["orders"] = dict(zip(chosen.titles, run(tasks, chosen.rounds), strict=True))
    if "drawn" in chosen.parts:
        names = [name for name in kernels_drawn.LIBRARIES if name.partition(",")[0] in ("numpy", *chosen.peers)]
        for cores, counts in kernels_drawn.CORES.items():
            for count in [each for each in counts if each <= max(chosen.counts)] or [max(chosen.counts)]:
                places = range(chosen.functions)
                tasks = [["drawn", str(place), cores, str(count), seconds, *names] for place in places]
                key = f"{cores} {'core' if cores == 'one' else 'cores'}, {count:,} points"
                found["drawn"][key] = run(tasks, chosen.rounds, patience=chosen.patience)
    return found


def main() -> None:
    packages = sorted(set(REQUIRES.values()))
    parser = command_line(__doc__, rounds=1, quick="one small turn")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--titles", nargs="+", default=TITLES, choices=TITLES, metavar="TITLE", help="programs")
    parser.add_argument("--counts", nargs="+", type=int, default=[ONE, SOME, MANY], help="numbers of points")
    parser.add_argument("--peers", nargs="*", default=packages, choices=packages, help="what to compare adviz with")
    parser.add_argument("--drawn", type=int, default=20, help="orders that are drawn by lot")
    parser.add_argument("--functions", type=int, default=kernels_drawn.DRAWN, help="functions that are drawn by seed")
    parser.add_argument(
        "--patience", type=int, default=5, help="how often a sample is taken again while others are busy"
    )
    parser.add_argument("--seconds", type=float, default=20, help="how long the libraries take turns in a sample")
    chosen = parser.parse_args()
    if chosen.sample:
        kind, *task = chosen.sample
        answer(SAMPLES[kind], task, is_pinned="all" not in task)
        return
    if chosen.quick:
        chosen.titles, chosen.counts, chosen.drawn, chosen.rounds, chosen.seconds = ["Black-Scholes"], [1, 100], 3, 1, 0
        chosen.functions, chosen.patience = 1, 1
    chosen.peers = installed(chosen.peers)
    before = load()
    found = measured(chosen)
    said = f"Other processes used {before:.2f} cores before, and {load():.2f} after."
    report([said, *tables(found)], goals(found), found, chosen.json)


if __name__ == "__main__":
    main()
