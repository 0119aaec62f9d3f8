"""How the benchmarks measure: a fresh process for every sample, pinned to one core, CPU time of the process.

A fresh process has a clean heap and a clean garbage collector. CPU time and the core of its own keep other work on the
machine out, as far as that goes; samples of all peers are taken in turn, so that what is left hits all of them. Figures
of one run may be compared, figures of different runs may not.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

Figures = dict[str, Any]
"""What one sample found: numbers by name; None where a machine or a library does not tell."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


SHORTEST_TURN = 10_000_000
"""Nanoseconds that a turn takes at least."""
MOST_ROUNDS = 100


def pin() -> None:
    """Keep this process on the last core, where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def cpu_time(function: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    """Nanoseconds of CPU time that a call takes, and what it returns."""
    start = time.process_time_ns()
    result = function(*args)
    return time.process_time_ns() - start, result


def wall_time(function: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    """Nanoseconds that a call takes, on however many cores, and what it returns."""
    start = time.perf_counter_ns()
    result = function(*args)
    return time.perf_counter_ns() - start, result


def resident(field: str = "VmRSS") -> int | None:
    """Bytes of memory this process holds (``VmHWM``: held at most since the last reset); None where nobody says."""
    status = Path("/proc/self/status")
    found = re.search(rf"{field}:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return 1024 * int(found[1]) if found else None


def reset_peak() -> None:
    """Let ``VmHWM`` begin anew."""
    peak = Path("/proc/self/clear_refs")
    if peak.exists():
        peak.write_text("5")


def keep_memory() -> None:
    """Let glibc keep freed memory: whether it hands some back, and asks for it again, is a matter of chance."""
    with contextlib.suppress(AttributeError, OSError):
        malloc = ctypes.CDLL(None)
        malloc.mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD: the end of the heap stays
        malloc.mallopt(-3, 1 << 25)  # M_MMAP_THRESHOLD: arrays of up to 32 MiB are in the heap


QUIET = 0.05
"""The cores that other processes may use while a figure is measured that is to be published."""


class Watch:
    """How busy other processes are, from the time it is made on; where the system does not say, nobody knows."""

    def __init__(self) -> None:
        self.start = time.perf_counter(), self._busy(), self._own()

    def others(self) -> float:
        """The cores that other processes used so far; NaN where the system does not say."""
        began, busy, own = self.start
        used = self._busy() - busy - (self._own() - own)
        return max(used, 0.0) / (time.perf_counter() - began)

    @staticmethod
    def _busy() -> float:
        """Seconds of CPU time of all processes."""
        stat = Path("/proc/stat")
        if not stat.exists():
            return math.nan
        user, nice, system, _, _, *interrupts = map(int, stat.read_text().split("\n", 1)[0].split()[1:9])
        return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def _own() -> float:
        return sum(os.times()[:4])


def load(seconds: float = 1.0) -> float:
    """The cores that other processes use now."""
    watch = Watch()
    time.sleep(seconds)
    return watch.others()


def samples(script: str, tasks: Sequence[Sequence[str]], rounds: int, patience: int = 0) -> list[Figures]:
    """Run ``script --sample *task`` in a process of its own, ``rounds`` times per task, in turn: medians per task.

    With ``patience``, a sample during which other processes were busy is taken again, so many times at most; what they
    used in the last one is ``"others"``, in cores.
    """
    found: list[list[Figures]] = [[] for _ in tasks]
    for turn in range(rounds):
        for place, task in enumerate(tasks):
            _say(f"round {turn + 1} of {rounds}: {' '.join(task)}")
            found[place].append(_sample([sys.executable, script, "--sample", *task], patience))
    _say("")
    return [medians(sample) for sample in found]


def _sample(command: list[str], patience: int) -> Figures:
    """A sample by a process of its own."""
    for left in range(patience, -1, -1):
        watch = Watch()
        done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True, check=True)
        others = watch.others()
        if not others > QUIET or not left:
            break
    figures = json.loads(done.stdout.splitlines()[-1])
    return figures | {"others": others} if patience else figures


def medians(found: Iterable[Figures]) -> Figures:
    """Key by key; None where a key was not measured."""
    entries = list(found)
    columns = {key: [entry[key] for entry in entries] for key in entries[0]}
    return {key: None if None in column else median(column) for key, column in columns.items()}


def round_robin(
    runs: dict[str, Callable[[], Any]],
    seconds: float,
    unmeasured: int = 0,
    clock: Callable[..., tuple[float, Any]] = cpu_time,
) -> dict[str, list[float]]:
    """Nanoseconds per call by a clock, of CPU time unless told otherwise, per function and round; at least one round.

    A turn is as many calls as some milliseconds hold, for the processor's caches to hold what the function needs, after
    some that are not measured: for memory that lay idle, and for what compiles when it is called again.
    """
    gc.collect()
    gc.freeze()  # what the libraries brought with them is no work for the garbage collector
    for run in runs.values():
        _again(run, unmeasured)
    once = {name: clock(run)[0] for name, run in runs.items()}
    calls = {name: math.ceil(SHORTEST_TURN / time) for name, time in once.items()}
    rounds = math.ceil(1e9 * seconds / sum(max(SHORTEST_TURN, time) for time in once.values())) or 1
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(min(rounds, MOST_ROUNDS)):
        for name, run in runs.items():
            gc.collect()
            _again(run, unmeasured)
            found[name].append(clock(_again, run, calls[name])[0] / calls[name])
    return found


def _again(run: Callable[[], Any], calls: int) -> None:
    for _ in range(calls):
        run()


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A running headless Chromium, or None, and a word on it, where Playwright and Chromium are not both there."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None or not importlib.util.find_spec("playwright"):
        print("Playwright and Chromium or Chrome are not both there: the browser's part is left out.")
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


def installed(packages: Iterable[str]) -> set[str]:
    """Those of the packages that are installed; each of the others is named, and left out."""
    wanted = {*packages}
    missing = {package for package in wanted if not importlib.util.find_spec(package)}
    for package in sorted(missing):
        print(f"{package} is not installed and left out.")
    return wanted - missing


def _say(text: str) -> None:
    """What is being measured, on one line that is written over."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# ---- the command line ----


def command_line(about: str | None, rounds: int, quick: str) -> argparse.ArgumentParser:
    """The options that all benchmarks have; ``quick`` says what the quick form does."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds, help="samples per figure, in turn")
    parser.add_argument("--quick", action="store_true", help=f"{quick}: shows that it runs")
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("--sample", nargs="+", help=argparse.SUPPRESS)
    return parser


def answer(sample: Callable[..., Figures], task: Sequence[str], is_pinned: bool = True) -> None:
    """Take a sample of times in this process, pinned to one core or not, and print it for :func:`samples`."""
    if is_pinned:
        pin()
    else:
        for name in ONE_THREAD:
            os.environ.pop(name, None)  # for what looks at it later
    keep_memory()
    print(json.dumps(sample(*task)))


def report(lines: Iterable[str], goals: Iterable[str], found: Figures, path: str | None) -> None:
    """Print tables and goals; write the figures and the goals as JSON, if there is a path."""
    verdicts = [*goals]
    print("\n".join([*lines, "", *(f"* {line}" for line in verdicts)]))
    if path:
        Path(path).write_text(json.dumps(found | {"goals": verdicts}, indent=1), encoding="utf-8")


# ---- how figures are shown ----


def row(cells: Iterable[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def table(heads: Iterable[str], body: Iterable[Iterable[str]]) -> Iterator[str]:
    """A table in Markdown, with numbers in all columns but the first."""
    heads = list(heads)
    return map(row, chain((heads, ["---", *["--:"] * (len(heads) - 1)]), body))


def verdict(what: str, found: float, goal: float, form: str) -> str:
    """What was measured, what was wanted, whether it was reached."""
    return f"{what}: {found:{form}} (goal {goal:{form}}): {'reached' if found <= goal else 'not reached'}"
