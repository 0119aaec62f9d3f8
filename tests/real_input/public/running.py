"""Run a public program traced, in either grain, beside plain NumPy and central differences.

``python -m tests.real_input.public.running table`` prints what becomes of all programs, ``... expected`` writes down
which of them are refused; without either, it does what standard input names.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import adviz as ad
from tests.fresh_processes import outcomes, serve

from . import PROGRAMS

GRAINS = ("array", "scalar")
WORKS = "works"
NAN = "NaN in the gradient, with a warning"
TOLERANCE = 1e-5
MODULE = "tests.real_input.public.running"
EXPECTED = Path(__file__).with_name("refused.py")


def parts(value: Any) -> Iterator[np.ndarray]:
    """The arrays and numbers that a result is made of, in order."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from parts(each)
    else:
        yield np.asarray(value, float)


def weights_like(value: Any, start: int = 1) -> Any:
    """Weights in the structure of a result."""
    if isinstance(value, list | tuple):
        return type(value)(weights_like(each, start + 7 * k) for k, each in enumerate(value))
    return np.cos(start + np.arange(float(np.size(value)))).reshape(np.shape(value))


def weighted(value: Any, weights: Any) -> float:
    """A result in one number."""
    return float(sum(np.sum(a * w) for a, w in zip(parts(value), parts(weights), strict=True)))


def slopes(f: Callable[..., Any], arguments: tuple[Any, ...], weights: Any, step: float) -> list[np.ndarray]:
    """The gradient of the weighted result by central differences."""
    found = []
    for k, argument in enumerate(arguments):
        slope = np.zeros(np.shape(argument))
        for place in np.ndindex(*np.shape(argument)):
            sides = []
            for sign in (1, -1):
                shifted = [np.array(each) if np.ndim(each) else each for each in arguments]
                shifted[k] = np.array(argument, float)
                shifted[k][place] += sign * step
                shifted[k] = shifted[k] if np.ndim(argument) else float(shifted[k])
                sides.append(weighted(f(*shifted), weights))
            slope[place] = (sides[0] - sides[1]) / (2 * step)
        found.append(slope)
    return found


def is_close(found: Any, expected: Any, tolerance: float) -> bool:
    """Equal up to rounding, relative to the largest entry, and made of plain numbers."""
    try:
        found = [*parts(found)]
    except (TypeError, ValueError):
        return False
    for one, other in zip(found, parts(expected), strict=True):
        if one.shape != other.shape:
            return False
        scale = max(1.0, np.abs(other[np.isfinite(other)]).max(initial=0.0))
        if not np.allclose(one, other, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
            return False
    return True


def outcome(name: str, grain: str) -> str:
    """Whether a program works; if not, the error it is refused with, or what is wrong."""
    _, _, f, arguments = PROGRAMS[name]
    with np.errstate(all="ignore"):
        expected = f(*copy.deepcopy(arguments))
    weights = weights_like(expected)
    try:
        with warnings.catch_warnings(action="always", record=True) as caught:
            found, pullback = ad.vjp(f, *copy.deepcopy(arguments), grain=grain)
            gradients = pullback(weights)
    except ad.AdvizError as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0]
    except Exception as error:
        return f"unnamed {type(error).__name__}: {str(error)[:200]}"
    if not is_close(found, expected, 1e-9):
        return "wrong value"
    gradients = gradients if len(arguments) > 1 else (gradients,)
    with np.errstate(all="ignore"):
        nearly = slopes(f, arguments, weights, 1e-6)
    if is_close(gradients, nearly, TOLERANCE):
        return WORKS
    warned = any(issubclass(each.category, ad.NonFiniteWarning) for each in caught)
    return NAN if warned and any(np.isnan(part).any() for part in parts(gradients)) else "wrong gradient"


def run(job: str) -> str:
    """Do the job ``grain name``."""
    grain, name = job.split(" ", 1)
    return outcome(name, grain)


def table(names: list[str]) -> dict[str, dict[str, str]]:
    """What becomes of programs in each grain, in fresh processes."""
    jobs = [f"{grain} {name}" for name in names for grain in GRAINS]
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for job, ended in outcomes(MODULE, jobs):
        grain, name = job.split(" ", 1)
        found[name][grain] = ended
    return found


def shares(found: dict[str, dict[str, str]]) -> str:
    """How many programs work in the array grain, in the scalar grain, in one of them."""
    works = {grain: {name for name, each in found.items() if each[grain] == WORKS} for grain in GRAINS}
    either = works["array"] | works["scalar"]
    count = len(found)
    return "; ".join(
        f"{what}: {len(names)} of {count} ({len(names) / count:.0%})"
        for what, names in (("array grain", works["array"]), ("scalar grain", works["scalar"]), ("one of them", either))
    )


def as_expected(found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Of the programs that do not work, the name of the error in each grain where they do not."""
    short = {name: {grain: each[grain].split(":")[0] for grain in GRAINS} for name, each in found.items()}
    refused = {name: {grain: each[grain] for grain in GRAINS if each[grain] != WORKS} for name, each in short.items()}
    return {name: each for name, each in sorted(refused.items()) if each}


def write_expected(found: dict[str, dict[str, str]]) -> None:
    """Write down what becomes of the programs today."""
    lines = [f"    {name!r}: {each!r}," for name, each in as_expected(found).items()]
    what = "Which public programs are refused, in which grain, with which error. Written by ``running.py expected``."
    text = f'"""{what}"""\n\n'
    EXPECTED.write_text("".join([text, "REFUSED = {\n", *(f"{line}\n" for line in lines), "}\n"]), encoding="utf-8")


def main() -> None:
    """Serve, print the table, or write down what is expected."""
    if sys.argv[1:2] not in (["table"], ["expected"]):
        serve(run)
        return
    found = table(sys.argv[2:] or list(PROGRAMS))
    if sys.argv[1] == "expected":
        write_expected(found)
        return
    for name, each in found.items():
        print(f"{PROGRAMS[name].repository} {PROGRAMS[name].function} [{name}]")
        for grain in GRAINS:
            print(f"    {grain:6} {each[grain]}")
    print(shares(found))


if __name__ == "__main__":
    main()
