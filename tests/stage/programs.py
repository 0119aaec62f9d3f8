"""Programs for the tests of sweeps: random expressions of x and y as text, and the cases that are easily told wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

import adviz as ad

UNARY = ["np.sin({})", "np.cos({})", "np.tanh({})", "np.square({})", "-({})", "({}) ** 3", "({}) ** 2", "({}) ** -1"]
BINARY = ["({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / ({})", "np.maximum({}, {})"]
LEAVES = ["x", "y", "x", "y", "2.0", "0.5", "(-3.0)"]
ENGINES = [*ad.sweeps.ENGINES]


def _larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.builds(str.format, st.sampled_from(UNARY), smaller)
    return one | st.builds(str.format, st.sampled_from(BINARY), smaller, smaller)


def _is_defined(expression: str) -> bool:
    """Whether Python computes what no variable is in: 1 / 0 is infinite for NumPy, and an error for floats."""
    try:
        with np.errstate(all="ignore"):
            compiled(expression)(np.float64(0.5), np.float64(0.5))
    except ZeroDivisionError:
        return False
    return True


EXPRESSIONS = st.recursive(st.sampled_from(LEAVES), _larger, max_leaves=7).filter(_is_defined)
NUMBERS = st.sampled_from([-2.5, -1.0, -0.3, 0.0, 0.7, 1.0, 2.0])


def compiled(expression: str) -> Any:
    """Return a function of x and y; of two lines, so that x and y are used whatever the expression is."""
    return eval(f"lambda x, y: np.sin(x * y) * 0.5 + ({expression})", {"np": np})


def quietly(function: Any, *arguments: Any, **settings: Any) -> Any:
    """Return the graph of a function, also where its values are not finite."""
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ad.trace(function, *arguments, **settings)


def is_finite(graph: Any) -> bool:
    """Whether all numbers of a graph are finite, and none so large that a product of a few is not."""
    return all(math.isfinite(value) and abs(value) < 1e6 for value in graph.values)


def twice(x, y):
    return x * x + y


def used_output(x, y):
    h = x * y
    return h, np.sin(h)


def returned_input(x, y):
    return x, x * y


def dead_branch(x, y):
    unused = np.exp(x * 3.0)  # noqa: F841
    return np.sin(y) * x


def constant_operands(x, y):
    return 2.0 * x - 3.0 + y / 4.0


def chain(x, y):
    for _ in range(4):
        x = np.sin(x) * y
    return x


def fan_out(x, y):
    return sum(x * k for k in range(1, 9)) * y


def of_arrays(x, y):
    a = np.stack([x, y, x * y])
    return np.sum(np.tanh(np.outer(a, a) @ a) + y)


PROGRAMS = [twice, used_output, returned_input, dead_branch, constant_operands, chain, fan_out, of_arrays]
