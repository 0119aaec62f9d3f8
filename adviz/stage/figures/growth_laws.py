"""How counts grow with a size: the law that they follow exactly, or the exponent that fits best, with its interval.

Counts of a graph have no noise. Where more sizes than its degree asks for lie on one polynomial, that is the law. What
does not, such as n log n, or n^1.5, is told by the exponent p of a n^p + c that is nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
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
    """A sum of powers of n, ``terms`` with a factor and an exponent each, the one that grows most first.

    ``interval`` has the exponents (95 %) that the counts allow for the first term; ``None`` for two sizes, of which
    nothing is left to tell it.
    """

    terms: tuple[tuple[float, float], ...]
    interval: tuple[float, float] | None

    @property
    def exponent(self) -> float:
        """The exponent of the term that grows most."""
        return self.terms[0][1]

    @property
    def is_determined(self) -> bool:
        """Whether the counts tell the exponent: its interval is not cut off where the search ends."""
        low, high = self.interval or (self.exponent, self.exponent)
        return high < HIGHEST and (low > 0 or high == 0)

    def at(self, size: np.ndarray) -> np.ndarray:
        """The count that the law says for a size."""
        return np.sum([factor * np.asarray(size, float) ** exponent for factor, exponent in self.terms], axis=0)


def growth_law(size: Sequence[float], count: Sequence[float]) -> GrowthLaw | None:
    """The law that ``count`` follows; ``None`` for fewer than two sizes, or where a size or a count is not positive.

    It is the polynomial on which all counts lie, if there is one with fewer terms than there are sizes. Otherwise it is
    a n^p, from four sizes on with a constant that is not negative, such as the nodes of a function before its loop, and
    relative deviations are made small (least squares). The interval has the exponents whose deviations are not
    significantly larger (Bates and Watts, Nonlinear Regression Analysis, 1988, section 6.1.2, profiles); it has length
    0 for counts that follow the law exactly.

    >>> growth_law([4, 8, 16, 32], [7 + 3 * 4**2, 7 + 3 * 8**2, 7 + 3 * 16**2, 7 + 3 * 32**2])
    GrowthLaw(terms=((3.0, 2.0), (7.0, 0.0)), interval=(2.0, 2.0))
    >>> law = growth_law([4, 8, 16, 32, 64], [4 * 2, 8 * 3, 16 * 4, 32 * 5, 64 * 6])  # n log n
    >>> f"{law.exponent:.2f}, {law.interval[0]:.2f} to {law.interval[1]:.2f}"
    '1.39, 1.21 to 1.72'
    """
    n, y = np.asarray(size, float), np.asarray(count, float)
    different = len(np.unique(n))
    if different < 2 or min(n.min(), y.min()) <= 0:
        return None
    return _polynomial(n, y) or _power_law(n, y, different)


# ---- counts on a polynomial ----


def _polynomial(n: np.ndarray, y: np.ndarray) -> GrowthLaw | None:
    """The polynomial of least degree through all counts, in exact arithmetic; ``None`` if it needs all of them.

    Nor is it one that falls in the end, which no count does.
    """
    points = sorted({(Fraction(size), Fraction(count)) for size, count in zip(n.tolist(), y.tolist(), strict=True)})
    sizes = [size for size, _ in points]
    if len(set(sizes)) < len(sizes):
        return None  # one size with two counts
    coefficients = _interpolated(sizes, [count for _, count in points])
    if len(coefficients) == len(points) or coefficients[-1] < 0:
        return None
    degree = float(len(coefficients) - 1)
    terms = [(float(factor), float(power)) for power, factor in enumerate(coefficients) if factor]
    return GrowthLaw(tuple(terms[::-1]), (degree, degree))


def _interpolated(sizes: list[Fraction], counts: list[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial through some points, that of n^0 first, by Newton's divided differences.

    >>> [int(each) for each in _interpolated([Fraction(n) for n in (1, 2, 4)], [Fraction(n) for n in (2, 5, 17)])]
    [1, 0, 1]
    """
    differences, newton = counts, [counts[0]]
    for order in range(1, len(sizes)):
        differences = [
            (after - before) / (sizes[k + order] - sizes[k]) for k, (before, after) in enumerate(pairwise(differences))
        ]
        newton.append(differences[0])
    found: list[Fraction] = []
    for size, factor in zip(reversed(sizes), reversed(newton), strict=True):  # Horner: found * (n - size) + factor
        found = [up - size * own for up, own in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)]
        found[0] += factor
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


# ---- the nearest power ----


def _power_law(n: np.ndarray, y: np.ndarray, different: int) -> GrowthLaw:
    """The power of n, with a constant from ``CONSTANT`` different sizes on, that leaves the least deviations."""
    has_constant = different >= CONSTANT
    exponents = np.linspace(0.0, HIGHEST, 601)
    for step in (1e-2, 1e-4, 1e-6, 1e-8):
        best = exponents[np.argmin(_left(n, y, exponents, has_constant))]
        exponents = np.clip(best + step * np.linspace(-2, 2, 401), 0.0, HIGHEST)
    best = exponents[[np.argmin(_left(n, y, exponents, has_constant))]]
    (factor,), (constant,) = _fitted(n, y, best, has_constant)
    interval = _interval(n, y, best[0], has_constant) if different > 2 else None
    return GrowthLaw(((float(factor), float(best[0])), (float(constant), 0.0)), interval)


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
    """Where the deviations pass a bound between two exponents, by bisection; ``outside`` if they do not pass it."""
    if _left(n, y, np.array([outside]), has_constant)[0] <= bound:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        (left,) = _left(n, y, np.array([middle]), has_constant)
        inside, outside = (middle, outside) if left <= bound else (inside, middle)
    return float(inside)
