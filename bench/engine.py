"""Gradients and Jacobians beside other libraries: scalar loops, networks, chains of arrays, full Jacobians.

    python bench/engine.py                 the whole measurement, some twenty minutes
    python bench/engine.py --quick         a smoke test of some seconds
    python bench/engine.py --json out.json the figures as JSON, too

Each program has processes of its own, in which all libraries take turns; every library's derivative is compared with
the one written by hand before the first turn. Needs the extra ``bench``; libraries that are not installed are named and
left out. See ``measure.py`` for the method, ``peers.py`` for the programs.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from measure import Figures, answer, command_line, cpu_time, installed, report, round_robin, row, samples, verdict
from peers import PLAIN, PROGRAMS, Program

BY_HAND = "NumPy, by hand"
COMPILED = "adviz, compiled"
CLOSE = 1e-9
"""The largest relative error of a derivative."""

Run = Callable[[], Any]
"""Runs a program once: value and gradient, or the Jacobian."""


# ---- libraries: a program as each of them runs it ----


def plain(program: Program) -> Run:
    return partial(program.write(np), *program.arguments)


def by_hand(program: Program) -> Run:
    return partial(program.by_hand, *program.arguments)


def adviz(program: Program) -> Run:
    import adviz

    derivative = adviz.jacobian if program.is_jacobian else adviz.value_and_grad
    return partial(derivative(program.write(np)), *program.arguments)


def adviz_compiled(program: Program) -> Run:
    """The program on arrays of the derivative, compiled in the first call."""
    import adviz

    made: list[Callable[..., Any]] = []

    def run() -> Any:
        if not made:
            compiler = adviz.compile_jacobian if program.is_jacobian else adviz.compile_gradient
            made.append(compiler(program.write(np), *program.arguments, inputs=0, grain="array"))
        found = made[0](*program.arguments)
        return found.jacobian if program.is_jacobian else found

    return run


def autograd(program: Program) -> Run:
    """HIPS autograd, whose Jacobians are by reverse mode only."""
    import autograd
    import autograd.numpy as anp

    derivative = autograd.jacobian if program.is_jacobian else autograd.value_and_grad
    return partial(derivative(program.write(anp)), *program.arguments)


def torch(program: Program) -> Run:
    """PyTorch, eager, one thread."""
    import torch

    torch.set_num_threads(1)
    function = program.write(torch)
    arguments = mapped(partial(torch.tensor, dtype=torch.float64), program.arguments)
    if program.is_jacobian:
        return partial(quicker_mode(program, torch.func)(function), *arguments)
    leaves = [leaf.requires_grad_() for leaf in parts(arguments[0])]

    def run() -> Any:
        value = function(*arguments)
        return value.detach(), torch.autograd.grad(value, leaves)

    return run


def jax_eager(program: Program) -> Run:
    """JAX, operation by operation."""
    import jax

    return _jax(program, program.write(jax.numpy))


def jax_jit(program: Program) -> Run:
    """JAX, compiled; loops as those that JAX knows of."""
    import jax

    return _jax(program, program.scanned() if program.scanned else program.write(jax.numpy), jax.jit)


def _jax(program: Program, function: Callable[..., Any], compiled: Callable[..., Any] = lambda f: f) -> Run:
    import jax

    jax.config.update("jax_enable_x64", True)
    arguments = mapped(jax.numpy.asarray, program.arguments)
    derivative = compiled((quicker_mode(program, jax) if program.is_jacobian else jax.value_and_grad)(function))
    return lambda: jax.block_until_ready(derivative(*arguments))


def quicker_mode(program: Program, library: Any) -> Any:
    """Jacobians by forward mode where there are more results than arguments, else by reverse mode."""
    results = np.size(plain(program)())
    return library.jacfwd if results > np.size(program.arguments[0]) else library.jacrev


LIBRARIES: dict[str, Callable[[Program], Run]] = {
    PLAIN: plain,
    BY_HAND: by_hand,
    "adviz": adviz,
    COMPILED: adviz_compiled,
    "autograd": autograd,
    "torch": torch,
    "jax, eager": jax_eager,
    "jax, jit": jax_jit,
}
REQUIRES = {name: name.split(",")[0].lower() for name in LIBRARIES}
"""The package that a library is."""

FIRST_JIT = "jax, jit, first call"
"""Compiles."""

TOO_LONG = {("jax, eager", f"scalar loop, {count} operations") for count in ("100,000", "1,000,000")}
"""What takes minutes per call."""

ON_ARRAYS = [title for title in PROGRAMS if not title.startswith("scalar")]
"""What there are programs on arrays of."""


def mapped(convert: Callable[[Any], Any], value: Any) -> Any:
    """A nested structure with every array and number converted."""
    if isinstance(value, list | tuple):
        return type(value)(mapped(convert, entry) for entry in value)
    return convert(value)


def parts(value: Any) -> Iterator[Any]:
    """Every array and number in a nested structure."""
    if isinstance(value, list | tuple):
        for entry in value:
            yield from parts(entry)
    else:
        yield value


# ---- in a process of its own ----


def sample(title: str, seconds: str, *names: str) -> Figures:
    """One program: nanoseconds per call by library, and the ratios of adviz to each, and of each to plain NumPy."""
    program = PROGRAMS[title]()
    runs = {name: LIBRARIES[name](program) for name in names}
    first = {name: cpu_time(run) for name, run in runs.items()}
    reference = first[BY_HAND][1]
    for name, (_, found) in first.items():
        if name != PLAIN:
            check(f"{title}, {name}", found, reference)
    times = round_robin(runs, float(seconds))
    figures = {name: float(np.median(column)) for name, column in times.items()}
    for name, column in times.items():
        figures[f"adviz / {name}"] = float(np.median(np.divide(times["adviz"], column)))
        figures[f"{name} / {PLAIN}"] = float(np.median(np.divide(column, times[PLAIN])))
    for name in (BY_HAND, COMPILED):
        if name in runs:
            figures[f"peak bytes, {name}"] = peak_bytes(runs[name])
    for name, column in times.items():
        if COMPILED in times:
            figures[f"{COMPILED} / {name}"] = float(np.median(np.divide(times[COMPILED], column)))
    return figures | {f"{name}, first call": time for name, (time, _) in first.items()}


def peak_bytes(run: Run) -> float:
    """The most bytes of arrays that are in use in a call at the same time: NumPy tells ``tracemalloc`` of them."""
    tracemalloc.start()
    run()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(peak - before)


def check(title: str, found: Any, reference: Any) -> None:
    """Refuse what is not close to the derivative written by hand."""
    for entry, expected in zip(parts(found), parts(reference), strict=True):
        error = np.max(np.abs(np.asarray(entry) - expected)) / np.max(np.abs(expected))
        if not error < CLOSE or np.shape(entry) != np.shape(expected):
            raise SystemExit(f"{title}: the relative error of the derivative is {error:.1e}")


# ---- goals: adviz over another library, and the factor to stay below ----

NOT_SLOWER = {"autograd": 1.0, "torch": 1.0}
GOALS = {
    "network 64-64-10, batch of 128": {PLAIN: 2.1, "torch": 0.35, "jax, jit": 1.0},
    "elementwise chain of 1,000,000 numbers": {PLAIN: 2.5},
    "softmax cross-entropy, 1000 × 1000": {PLAIN: 1.25},
}


COMPILED_GOALS = {BY_HAND: 1.15, "jax, jit": 1.15, "torch": 0.4}
"""Of programs on arrays, over each of these."""
COMPILED_FIRST = 0.1
"""Of the first call of a program on arrays, compilation included, over that of jitted JAX."""


def compiled_goals(title: str) -> dict[str, float]:
    """The factors of a program on arrays by library."""
    special = {"elementwise": 0.9, "Jacobian": 1.3}.get(title.split()[0].rstrip(","))
    return COMPILED_GOALS | ({BY_HAND: special} if special else {})


def goals_of(title: str) -> dict[str, float]:
    """The factors of a program by library."""
    return NOT_SLOWER | GOALS.get(title, {})


def verdicts(figures: dict[str, Figures]) -> Iterable[str]:
    for title, found in figures.items():
        for name, goal in goals_of(title).items():
            if name in found:
                yield verdict(f"{title}: adviz / {name}", found[f"adviz / {name}"], goal, ".2f")
        for name, goal in compiled_goals(title).items():
            if (key := f"{COMPILED} / {name}") in found:
                yield verdict(f"{title}: {key}", found[key], goal, ".2f")
        if COMPILED in found and FIRST_JIT in found:
            ratio = found[f"{COMPILED}, first call"] / found[FIRST_JIT]
            yield verdict(f"{title}: first call, {COMPILED} / jax, jit", ratio, COMPILED_FIRST, ".3f")


# ---- the table ----


def table(figures: dict[str, Figures], names: Iterable[str]) -> Iterable[str]:
    """A line per program: time of plain NumPy, multiples of it by library, what compiling takes, the goals of adviz."""
    others = [name for name in names if name != PLAIN]
    yield row(
        [
            "",
            f"{PLAIN}, µs",
            *(f"{name}, ×" for name in others),
            "first call of jax, jit, ms",
            "peak bytes, compiled (by hand)",
            "goals of adviz",
        ]
    )
    yield row(["---", *["--:"] * (len(others) + 3), "---"])
    for title, found in figures.items():
        ratios = [f"{found[key]:,.2f}" if (key := f"{name} / {PLAIN}") in found else "–" for name in others]
        compiled = f"{found[FIRST_JIT] / 1e6:,.0f}" if FIRST_JIT in found else "–"
        goals = " · ".join(f"≤ {goal:.2f} {name}" for name, goal in goals_of(title).items() if name in found)
        bytes_of = [found.get(f"peak bytes, {name}") for name in (COMPILED, BY_HAND)]
        peak = f"{bytes_of[0]:,.0f} ({bytes_of[1]:,.0f})" if bytes_of[0] and bytes_of[1] else "–"
        yield row([title, f"{found[PLAIN] / 1000:,.0f}", *ratios, compiled, peak, goals])


# ---- the whole ----


def main() -> None:
    parser = command_line(__doc__, rounds=3, quick="one turn, without the long loops")
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=PROGRAMS, metavar="TITLE")
    parser.add_argument("--peers", nargs="*", default=list(LIBRARIES), help="what to compare adviz with")
    parser.add_argument("--seconds", type=float, default=10, help="how long the libraries take turns in a sample")
    chosen = parser.parse_args()
    if chosen.sample:
        answer(sample, chosen.sample)
        return
    if chosen.quick:
        chosen.programs = [title for title in PROGRAMS if not title.startswith("scalar") or "1,000 " in title]
        chosen.rounds, chosen.seconds = 1, 0
    asked = {PLAIN, BY_HAND, "adviz", COMPILED, *chosen.peers}
    packages = installed(REQUIRES[name] for name in asked)
    wanted = [name for name in LIBRARIES if name in asked and REQUIRES[name] in packages]
    names = {
        title: [name for name in wanted if (name, title) not in TOO_LONG and (name != COMPILED or title in ON_ARRAYS)]
        for title in chosen.programs
    }
    tasks = [[title, str(chosen.seconds), *names[title]] for title in names]
    figures = dict(zip(names, samples(__file__, tasks, chosen.rounds), strict=True))
    report(table(figures, wanted), verdicts(figures), {"programs": figures}, chosen.json)


if __name__ == "__main__":
    main()
