"""Where a program comes from, and at which arguments it is run: what stands above each function of these modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class PublicProgram(NamedTuple):
    """A function of a public program, re-typed, and the arguments that it is run at: numbers and arrays of floats."""

    repository: str
    function: str
    run: Callable[..., Any]
    arguments: tuple[Any, ...]


PROGRAMS: dict[str, PublicProgram] = {}
"""By the name that the function has here."""


def public(repository: str, function: str, *arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Note the repository and the name that the function has there, and arguments for it."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        assert run.__name__ not in PROGRAMS, f"{run.__name__} twice"
        PROGRAMS[run.__name__] = PublicProgram(repository, function, run, arguments)
        return run

    return register


def some(*shape: int, seed: int = 1, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    """Numbers without a pattern, the same each time."""
    return np.random.default_rng(seed).uniform(low, high, shape)


def positive(*shape: int, seed: int = 1) -> np.ndarray:
    """Numbers between 0.2 and 1.2."""
    return some(*shape, seed=seed, low=0.2, high=1.2)


def definite(n: int, seed: int = 1) -> np.ndarray:
    """A symmetric matrix with positive eigenvalues, well apart."""
    a = some(n, n, seed=seed)
    return a @ a.T + np.diag(np.arange(1.0, n + 1))
