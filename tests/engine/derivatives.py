"""Derivatives without adviz: central differences and complex steps, the slow and independent oracles of these tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def central_jacobian(f: Callable[[np.ndarray], Any], x: Any, step: float = 1e-6) -> np.ndarray:
    """The Jacobian of ``f`` at ``x``, of shape ``np.shape(f(x)) + np.shape(x)``, by central differences."""
    x = np.array(x, float)
    columns = []
    for place in np.ndindex(*x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[place] += step
        behind[place] -= step
        columns.append((np.asarray(f(ahead), float) - np.asarray(f(behind), float)) / (ahead[place] - behind[place]))
    rows = np.stack(columns, axis=-1) if columns else np.zeros((*np.shape(f(x)), 0))
    return rows.reshape(rows.shape[:-1] + x.shape)


def central_gradients(f: Callable[..., Any], arguments: tuple[Any, ...], step: float = 1e-6) -> list[np.ndarray]:
    """The Jacobian of ``f`` by each of its arguments, the others held."""

    def alone(k: int) -> Callable[[np.ndarray], Any]:
        return lambda x: f(*arguments[:k], x if x.ndim else float(x), *arguments[k + 1 :])

    return [central_jacobian(alone(k), argument, step) for k, argument in enumerate(arguments)]


def along(jacobian: Any, direction: Any) -> np.ndarray:
    """A Jacobian times a direction, which has the shape of the argument."""
    return np.tensordot(np.asarray(jacobian, float), direction, np.ndim(direction))


def central_slopes(f: Callable[..., Any], arguments: tuple[Any, ...], step: float = 1e-6) -> tuple[Any, Any]:
    """A random direction for each argument, with no entry near 0, and the derivative of the tuple ``f`` along them all.

    Two calls of ``f`` in all, where the Jacobian takes two per entry; a wrong entry of the Jacobian shows here as well.
    """
    draw, arguments = np.random.default_rng(3), tuple(np.array(x, float) for x in arguments)
    directions = [draw.uniform(0.5, 1.5, x.shape) * draw.choice([-1.0, 1.0], x.shape) for x in arguments]

    def moved(step: float) -> Any:
        shifted = (x + step * direction for x, direction in zip(arguments, directions, strict=True))
        return f(*(x if x.ndim else float(x) for x in shifted))

    pairs = zip(moved(step), moved(-step), strict=True)
    return directions, [(np.asarray(ahead, float) - np.asarray(behind, float)) / (2 * step) for ahead, behind in pairs]


def assert_close(found: Any, expected: Any, tolerance: float = 1e-6, message: str = "") -> None:
    """Equal up to rounding, relative to the largest entry; NaN only where NaN is expected."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{message} shapes {found.shape} and {expected.shape}"
    finite = expected[np.isfinite(expected)]
    scale = max(1.0, np.abs(finite).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale, err_msg=message)
