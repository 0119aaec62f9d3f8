"""Run a public program traced, in either grain, beside plain NumPy and central differences.

``python -m tests.real_input.public.running`` does what standard input names; ``... table`` prints what becomes of all.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator
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
    """Equal up to rounding, relative to the largest entry."""
    for one, other in zip(parts(found), parts(expected), strict=True):
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


def main() -> None:
    """Print the table, or serve."""
    if sys.argv[1:2] != ["table"]:
        serve(run)
        return
    found = table(sys.argv[2:] or list(PROGRAMS))
    for name, each in found.items():
        print(f"{PROGRAMS[name].repository} {PROGRAMS[name].function} [{name}]")
        for grain in GRAINS:
            print(f"    {grain:6} {each[grain]}")
    print(shares(found))


if __name__ == "__main__":
    main()
