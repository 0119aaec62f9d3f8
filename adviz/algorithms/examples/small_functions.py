"""Programs on which the ways to run backward differ, as plain NumPy functions with arguments.

They come from PaddlePaddle's survey of four frameworks, "Differentiable Programming through Dynamic Graph", whose
claims they check; see :func:`~.comparison.compare`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

Num = Any
"""A number or an array, or what stands for one while a program is traced."""


class Case(NamedTuple):
    """A program, arguments for it, what it shows, and of several results the ``seeds`` of those that are wanted."""

    program: Callable[..., Any]
    arguments: tuple[Any, ...]
    shows: str
    seeds: Mapping[int, Num] | None = None


class Cases(dict[str, Any]):
    """Cases by name; a name that is not there is answered with those that are.

    >>> Cases({"fan-out": Case(fan_out, (1.0, 4.0), "")})["fanout"]
    Traceback (most recent call last):
    KeyError: "no example is called 'fanout'; did you mean 'fan-out'? There are 'fan-out'."
    """

    def __repr__(self) -> str:
        """Return each name with what the case shows."""
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:<{width}}  {case.shows}" for name, case in self.items())

    def __missing__(self, name: object) -> Any:
        names = {each.casefold(): each for each in self}
        close = get_close_matches(str(name).casefold(), names, n=1)
        hint = f"; did you mean {names[close[0]]!r}?" if close else "."
        raise KeyError(f"no example is called {name!r}{hint} There are {', '.join(map(repr, self))}.")


def fan_out(x: Num, y: Num) -> Num:
    """The survey's own example: ``x`` is used three times, ``y`` twice."""
    return x**2 + x * 2 + x * y + y


def auto_encoder(x: Num, encoder: Num, decoder: Num) -> Num:
    """Two matrix products, and the distance of what comes out from what went in."""
    return np.sum((x - decoder @ (encoder @ x)) ** 2)


def network(data: Num, weights: list[Num]) -> Num:
    """A layer for each matrix of weights, and the mean square of what comes out."""
    for matrix in weights:
        data = np.tanh(data @ matrix)
    return np.mean(data * data)


def big_then_small(data: Num, big: list[Num], small: list[Num]) -> tuple[Num, Num]:
    """The losses of BigNet and of SmallNet, which have nothing in common but the data."""
    loss1 = network(data, big)
    loss2 = network(data, small)
    return loss1, loss2


def small_then_big(data: Num, big: list[Num], small: list[Num]) -> tuple[Num, Num]:
    """The same losses, with SmallNet written down first."""
    loss2 = network(data, small)
    loss1 = network(data, big)
    return loss1, loss2


def mixed_graphs(x: Num, y: Num) -> tuple[Num, Num, Num]:
    """Two programs whose operations alternate, as two threads would have it; only the last result uses both."""
    u, v = x, y
    for k in range(1, 4):
        u = np.sin(k * u)
        v = v * v + k
    return u, v, u * v


def dead_branch(x: Num) -> Num:
    """A value is computed and forgotten."""
    forgotten = np.exp(x)
    forgotten = forgotten * forgotten
    return np.sin(x)


def infinite_dead_branch(x: Num) -> Num:
    """A forgotten value that has an infinite derivative: at 0 a naive tape makes NaN of it."""
    forgotten = np.sqrt(x)
    forgotten = forgotten + 1.0
    return np.sin(x)


def batches(weights: list[Num], *data: Num) -> tuple[Num, ...]:
    """The same network on several batches, one loss each: a tape that falls into parts."""
    return tuple(network(batch, weights) for batch in data)


def normal(deviation: float, *shapes: tuple[int, ...]) -> list[Num]:
    """Arrays of normal random numbers, the same at each call.

    >>> normal(0.5, (2,))
    [array([ 0.06286511, -0.06605243])]
    """
    rng = np.random.default_rng(0)
    return [deviation * rng.normal(size=shape) for shape in shapes]


_NETS = (normal(0.25, (16, 8))[0], normal(0.25, (8, 64), (64, 64), (64, 64), (64, 4)), normal(0.25, (8, 4)))

CASES = Cases(
    {
        "fan-out": Case(fan_out, (1.0, 4.0), "where a first gradient kept by reference goes wrong"),
        "auto-encoder": Case(
            auto_encoder, tuple(normal(0.25, (20,), (10, 20), (20, 10))), "a tape of three operations"
        ),
        "BigNet, then SmallNet": Case(big_then_small, _NETS, "only the loss of SmallNet is wanted", {1: 1.0}),
        "SmallNet, then BigNet": Case(
            small_then_big, _NETS, "only the loss of SmallNet is wanted, and it came first", {1: 1.0}
        ),
        "mixed graphs": Case(mixed_graphs, (0.3, 0.7), "two graphs that were made at the same time", {0: 1.0}),
        "dead branch": Case(dead_branch, (0.5,), "what no output uses"),
        "infinite dead branch": Case(infinite_dead_branch, (0.0,), "zero times infinity"),
        "batches": Case(
            batches,
            (normal(0.25, (8, 4)), *normal(0.25, (16, 8), (16, 8), (16, 8))),
            "a tape that falls into parts",
            {0: 1.0, 1: 1.0, 2: 1.0},
        ),
    }
)
"""Every case by name."""
