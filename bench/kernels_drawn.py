"""Functions drawn by seed: 18 operations with sin, exp and tanh, for which no library can have been made to fit.

Each operation is a sum, a difference, a product or one of the three functions, of arguments and earlier results; those
that nothing needs yet come first. What nothing needs at the end is returned. A function is drawn again until its
values and partials are of moderate size.

``kernels.py`` measures them, on one core in CPU time and on all cores by the clock: adviz on NumPy and on Numba beside
JAX in both modes, with the axis of the points last and first. Other processes would take the cores that are measured:
where they were busy a sample is taken again, and the table says how busy they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice, product
from math import nan
from random import Random
from statistics import geometric_mean
from typing import Any

import kernels_peers as peers
import numpy as np
from kernels_peers import Subject, Task
from measure import QUIET, Figures, cpu_time, round_robin, table, verdict, wall_time

ARGUMENTS, OPERATIONS = 4, 18
FUNCTIONS = "sin", "exp", "tanh"
MOST = 50.0
"""The largest value and partial that is moderate."""
DRAWN = 12
"""Functions that are measured."""
CORES: dict[str, tuple[int, ...]] = {"one": (1_000, 100_000), "all": (100_000,)}
"""Numbers of points, by the cores that are used."""
GOALS = {"numpy": 0.8, "numba": 0.4}
"""The most of the best jitted JAX on the same cores, by backend, as geometric mean over the functions."""
GOAL_AT_SOME = 0.8

OURS = {
    f"{backend}, points {layout}": partial(peers.adviz, points=layout, backend=backend)
    for backend, layout in product(GOALS, peers.LAYOUTS)
}
JAX = {
    f"jax, {mode}, points {layout}": partial(peers.jax, mode=mode, points=layout)
    for mode, layout in product(("jacfwd", "jacrev"), peers.LAYOUTS)
}
LIBRARIES: dict[str, Callable[[Subject], Task]] = {**OURS, **JAX}


def drawn(number: int) -> list[Callable[..., Any]]:
    """The first functions of moderate size.

    >>> [function.__name__ for function in drawn(2)]
    ['drawn0', 'drawn2']
    """
    return list(islice(filter(is_moderate, _all()), number))


def _all() -> Iterator[Callable[..., Any]]:
    for seed in count():
        world: dict[str, Any] = {"np": np, "__name__": "drawn"}
        exec(source(seed), world)
        yield world[f"drawn{seed}"]


def source(seed: int) -> str:
    """The text of the function of a seed."""
    random = Random(seed)
    names = [f"x{k}" for k in range(ARGUMENTS)]
    lines, left = [f"def drawn{seed}({', '.join(names)}):"], [*names]

    def operand(other: str = "") -> str:
        """Something that nothing needs yet, or one of the latest values; never the ``other`` operand."""
        waiting = [each for each in left if each != other]
        found = random.choice(
            waiting if waiting and random.random() < 0.7 else [each for each in names[-8:] if each != other]
        )
        if found in left:
            left.remove(found)
        return found

    for k in range(OPERATIONS):
        one = operand()
        text = f"np.{random.choice(FUNCTIONS)}({one})"
        if random.random() < 0.5:
            text = f"{one} {random.choice('+-*')} {operand(one)}"
        names.append(f"v{k}")
        left.append(f"v{k}")
        lines.append(f"v{k} = {text}")
    results = sorted({each for each in left if each[0] == "v"}, key=lambda name: int(name[1:]))
    return "\n    ".join([*lines, f"return {', '.join(results)},"]) + "\n"


def points(count: int) -> np.ndarray:
    """Arguments of all functions, as columns."""
    return np.random.default_rng(0).uniform(-2.0, 2.0, (ARGUMENTS, count))


def is_moderate(function: Callable[..., Any]) -> bool:
    """Whether all values and partials are moderate, at some points, by complex steps; and all functions are in it."""
    x = points(500)
    names = function.__code__.co_names
    if not {*FUNCTIONS} <= {*names}:
        return False
    with np.errstate(all="ignore"):
        columns = [function(*(x + 1e-20j * np.eye(ARGUMENTS)[:, k : k + 1])) for k in range(ARGUMENTS)]
    numbers = np.array(columns)
    sizes = np.maximum(np.abs(numbers.real), np.abs(numbers.imag) * 1e20)
    return bool(np.all(sizes < MOST))


# ---- measured ----


def times(place: str, cores: str, number: str, seconds: str, *names: str) -> Figures:
    """Nanoseconds per point of a function by library, and the spread of each: half of the quartiles' distance."""
    function = drawn(int(place) + 1)[-1]
    subject = Subject(function, points(int(number)))
    tasks = {name: LIBRARIES[name](subject) for name in names}
    found = {name: task.jacobian(task.run()) for name, task in tasks.items()}
    for name, matrix in found.items():
        if not np.allclose(matrix, found[names[0]], rtol=1e-9, atol=1e-9):
            raise SystemExit(f"{function.__name__}: {name} and {names[0]} disagree")
    runs = {name: task.run for name, task in tasks.items()}
    columns = round_robin(runs, float(seconds), 2, cpu_time if cores == "one" else wall_time)
    figures: Figures = {}
    for name, column in columns.items():
        low, middle, high = np.quantile(column, [0.25, 0.5, 0.75])
        figures |= {name: middle / int(number), f"{name}, spread": (high - low) / 2 / middle}
    return figures


def shares(found: list[Figures], backend: str, layout: str) -> list[float]:
    """What a backend takes of the best of JAX, in either layout, for each function."""
    ours = f"{backend}, points {layout}"
    best = [min((figures[name] for name in JAX if name in figures), default=nan) for figures in found]
    return [figures[ours] / least for figures, least in zip(found, best, strict=True) if ours in figures]


def goals(found: dict[str, list[Figures]]) -> Iterator[str]:
    """A line per goal; a key of ``found`` is the cores and the number of points."""
    for key, figures in found.items():
        for backend, layout in product(GOALS, peers.LAYOUTS):
            most = GOALS[backend] if "100,000" in key else GOAL_AT_SOME
            if ours := shares(figures, backend, layout):
                what = f"drawn functions, {key}, points {layout}: {backend} / best jax, geometric mean"
                yield verdict(what, geometric_mean(ours), most, ".2f")


def tables(found: dict[str, list[Figures]]) -> Iterator[str]:
    """Times, spread, and the load by other processes."""
    for key, figures in found.items():
        load = max(each["others"] for each in figures)
        said = "the machine was idle otherwise" if load <= QUIET else "NOT to be published: others were busy"
        yield from ("", f"Drawn functions, {key}: ns per point, ± spread · others used {load:.2f} cores, {said}", "")
        names = [name for name in LIBRARIES if name in figures[0]]
        body = [
            [name, *(f"{each[name]:,.1f} ± {each[f'{name}, spread']:.0%}" for each in figures), mean(figures, name)]
            for name in names
        ]
        yield from table(["", *(str(k + 1) for k in range(len(figures))), "geometric mean"], body)


def mean(figures: list[Figures], name: str) -> str:
    return f"{geometric_mean(each[name] for each in figures):,.1f}"
