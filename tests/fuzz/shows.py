"""Every show and every file of it, of the calls of the catalogue, of drawn programs, and of public functions.

``python -m tests.fuzz.shows catalogue --every 6 --first 2`` shows every sixth call, in both grains by turns. Each show
is saved as a page and as a picture, one in 39 in all formats: these are made of the same pictures, and take long.
``drawn`` takes the programs of :mod:`tests.fuzz.ordinary`, ``public`` those of :mod:`tests.real_input.public`. A
function may be refused by name; no error is unnamed, and no picture is empty.
"""

from __future__ import annotations

import argparse
import copy
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import adviz as ad
from tests.catalogue import CALLS
from tests.real_input.public import PROGRAMS

from . import ordinary

SHOWS: dict[str, Callable[..., Any]] = {
    "explore": ad.explore,
    "show_backward": ad.show_backward,
    "show_backward of rows": partial(ad.show_backward, jacobian=True),
    "show_forward": ad.show_forward,
    "show_forward of columns": partial(ad.show_forward, jacobian=True),
    "show_tape_vs_graph": ad.show_tape_vs_graph,
    "show_program": ad.show_program,
    "show_elimination": partial(ad.show_elimination, effort=500),
    "show_elimination of faces": partial(ad.show_elimination, technique="face", effort=500),
    "show_algebra": partial(ad.show_algebra, effort=500),
}
QUICK = (".html", ".svg")
FORMATS = (*QUICK, ".png", ".pdf", ".gif", ".csv")
OF_PLAYERS = (".gif", ".csv")
Case = tuple[str, Callable[..., Any], tuple[Any, ...]]


def catalogue() -> list[Case]:
    return [(str(call), call, (call.x,)) for call in CALLS]


def drawn(count: int = 200) -> list[Case]:
    programs = [(seed, *ordinary.program(seed)) for seed in range(count)]
    return [(f"seed {seed}", ordinary.compiled(source), (x,)) for seed, source, x in programs]


def public() -> list[Case]:
    return [(name, program.run, tuple(program.arguments)) for name, program in PROGRAMS.items()]


def total(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make one number of what ``f`` gives, which sweeps backward can begin at."""

    def added(value: Any) -> Any:
        if isinstance(value, dict):
            value = tuple(value.values())
        return sum(map(added, value)) if isinstance(value, list | tuple) else np.sum(np.abs(value) ** 2)

    return lambda *arguments: added(f(*arguments))


def told(act: Callable[[], Any]) -> tuple[Any, str]:
    """Do something, and return what came of it and the name of its refusal, one of them being empty."""
    try:
        return act(), ""
    except ad.AdvizError as error:
        return None, f"refused: {type(error).__name__}"
    except Exception as error:
        return None, f"UNNAMED {type(error).__name__}: {(str(error).splitlines() or [''])[0][:110]}"


def shown(name: str, grain: str, case: Case) -> tuple[Any, str]:
    """Show a function, or the sum of its results where a sweep needs one number to begin at."""
    _, f, arguments = case
    show, refusal = told(lambda: SHOWS[name](f, *copy.deepcopy(arguments), grain=grain))
    if refusal == "refused: SeedError":
        show, refusal = told(lambda: SHOWS[name](total(f), *copy.deepcopy(arguments), grain=grain))
    return show, refusal


def is_empty(path: Path) -> bool:
    """Whether a file has nothing in it that one could see."""
    content = path.read_bytes()
    if path.suffix == ".svg":
        return not any(mark in content for mark in (b"<text", b"<path", b"<use"))
    return len(content) < (2 if path.suffix == ".csv" else 300)


def saved(show: Any, suffix: str) -> str:
    """Save a show in a format, and tell what is wrong with the file."""
    with tempfile.TemporaryDirectory() as folder:
        path, refusal = told(lambda: show.save(Path(folder) / f"show{suffix}"))
        return refusal or "EMPTY" * is_empty(path)


def verdicts(case: Case, number: int = 0) -> Iterator[str]:
    """Tell what becomes of each show and each of its files; its number chooses grains, and formats."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        for place, name in enumerate(SHOWS, number * len(SHOWS)):
            grain = ordinary.GRAINS[(place + number) % 2]
            show, refusal = shown(name, grain, case)
            yield f"{name}, {grain} grain: {refusal or 'shown'}"
            for suffix in () if refusal else QUICK if place % 39 else FORMATS:
                if isinstance(show, ad.Player) or suffix not in OF_PLAYERS:
                    yield f"{name}, {grain} grain, {suffix}: {saved(show, suffix) or 'saved'}"


def is_wrong(verdict: str) -> bool:
    return "UNNAMED" in verdict or verdict.endswith("EMPTY")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("of", choices=("catalogue", "drawn", "public"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    cases = {"catalogue": catalogue, "drawn": drawn, "public": public}[given.of]()[given.first :: given.every]
    for number, case in enumerate(cases):
        for verdict in verdicts(case, number):
            counts[verdict] += 1
            if is_wrong(verdict):
                print(f"{case[0]}: {verdict}", flush=True)
    print(f"{len(cases)} functions")
    for verdict, count in sorted(counts.items()):
        print(count, verdict)


if __name__ == "__main__":
    main()
