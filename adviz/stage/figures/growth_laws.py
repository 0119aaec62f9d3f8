"""How counts grow with a size: the exponent p of a n^p + c that fits best, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

HIGHEST = 6.0
"""The largest exponent that is looked for."""
CONSTANT = 4
"""The fewest sizes of which the constant c can be told, too."""
QUANTILES = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Of Student's t distribution with 1, 2, … degrees of freedom: 95 % lie between it and its negative."""
NORMAL = 1.96


class GrowthLaw(NamedTuple):
    """``factor * n**exponent + constant``; the interval of the exponent (95 %) is ``None`` for two sizes."""

    exponent: float
    factor: float
    constant: float
    interval: tuple[float, float] | None

    def at(self, size: np.ndarray) -> np.ndarray:
        """The count that the law says for a size."""
        return np.asarray(self.factor * size**self.exponent + self.constant)


def growth_law(size: Sequence[float], count: Sequence[float]) -> GrowthLaw | None:
    """The law that ``count`` follows; ``None`` for fewer than two sizes, or where a size or a count is not positive.

    Relative deviations are made small (least squares); from four sizes on with a constant that is not negative, such
    as the nodes of a function before its loop. The interval has the exponents whose deviations are not significantly
    larger (Bates and Watts, Nonlinear Regression Analysis, 1988, section 6.1.2, profiles). Counts that follow the law
    exactly have an interval of length 0.

    >>> law = growth_law([10, 100, 1000, 10_000], [7 + 3 * 10, 7 + 3 * 100, 7 + 3 * 1000, 7 + 3 * 10_000])
    >>> round(law.exponent, 3), round(law.factor, 3), round(law.constant, 3)
    (1.0, 3.0, 7.0)
    """
    n, y = np.asarray(size, float), np.asarray(count, float)
    different = len(np.unique(n))
    if different < 2 or min(n.min(), y.min()) <= 0:
        return None
    if np.all(y == y[0]):
        return GrowthLaw(0.0, float(y[0]), 0.0, (0.0, 0.0))
    has_constant = different >= CONSTANT
    exponents = np.linspace(0.0, HIGHEST, 601)
    for step in (1e-2, 1e-4, 1e-6, 1e-8):
        best = exponents[np.argmin(_left(n, y, exponents, has_constant))]
        exponents = np.clip(best + step * np.linspace(-2, 2, 401), 0.0, HIGHEST)
    best = exponents[[np.argmin(_left(n, y, exponents, has_constant))]]
    (factor,), (constant,) = _fitted(n, y, best, has_constant)
    interval = _interval(n, y, best[0], has_constant) if different > 2 else None
    return GrowthLaw(float(best[0]), float(factor), float(constant), interval)


def _fitted(n: np.ndarray, y: np.ndarray, exponents: np.ndarray, has_constant: bool) -> tuple[np.ndarray, np.ndarray]:
    """The best factor and constant for each exponent, by the normal equations; the constant is not negative."""
    power, level = n ** exponents[:, None] / y, 1 / y
    squares, mixed, total = (power**2).sum(1), power @ level, power.sum(1)
    factor, constant = total / squares, np.zeros(len(exponents))
    if has_constant:
        determinant = squares * (level @ level) - mixed**2
        is_regular = determinant > 1e-9 * squares * (level @ level)
        determinant = np.where(is_regular, determinant, 1.0)
        both = total * (level @ level) - mixed * level.sum(), squares * level.sum() - mixed * total
        is_better = is_regular & (both[0] >= 0) & (both[1] >= 0)
        factor = np.where(is_better, both[0] / determinant, factor)
        constant = np.where(is_better, both[1] / determinant, constant)
    return factor, constant


def _left(n: np.ndarray, y: np.ndarray, exponents: np.ndarray, has_constant: bool) -> np.ndarray:
    """The sum of the squares of the relative deviations that each exponent leaves at best."""
    factor, constant = _fitted(n, y, exponents, has_constant)
    counts = factor[:, None] * n ** exponents[:, None] + constant[:, None]
    return np.asarray(((counts / y - 1) ** 2).sum(1))


def _interval(n: np.ndarray, y: np.ndarray, best: float, has_constant: bool) -> tuple[float, float]:
    """The exponents around the best one whose deviations are not significantly larger."""
    free = max(len(n) - (3 if has_constant else 2), 1)
    quantile = QUANTILES[free - 1] if free <= len(QUANTILES) else NORMAL
    (least,) = _left(n, y, np.array([best]), has_constant)
    bound = least * (1 + quantile**2 / free) + 1e-24
    return _edge(n, y, best, 0.0, bound, has_constant), _edge(n, y, best, HIGHEST, bound, has_constant)


def _edge(n: np.ndarray, y: np.ndarray, inside: float, outside: float, bound: float, has_constant: bool) -> float:
    """Where the deviations pass a bound between two exponents, by bisection."""
    for _ in range(60):
        middle = (inside + outside) / 2
        (left,) = _left(n, y, np.array([middle]), has_constant)
        inside, outside = (middle, outside) if left <= bound else (inside, middle)
    return float(inside)
