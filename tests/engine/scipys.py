"""Checks of functions of SciPy: traced, they have SciPy's values, and the derivatives that differences have."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import adviz as ad

from .derivatives import along, assert_close, central_gradients, central_slopes


def finite(value: Any) -> Any:
    """A value with 0 in place of what is not finite, as outside the support of a distribution."""
    return np.where(np.isfinite(value), value, 0.0)


def check_values(f: Callable[..., Any], args: tuple[Any, ...], grain: str, tolerance: float = 1e-12) -> None:
    """Traced, ``f`` has the values that it has on numbers."""
    with warnings.catch_warnings(action="ignore"):
        found, expected = ad.vjp(f, *args, grain=grain)[0], f(*args)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, np.asarray(expected, float), rtol=tolerance, atol=1e-14)


def check_first_derivatives(f: Callable[..., Any], args: tuple[Any, ...], grain: str) -> None:
    """The Jacobian of ``f`` by each argument is that of central differences, wherever it is finite."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        found = ad.jacobian(f, argnums=tuple(range(len(args))), grain=grain)(*args)
        for jacobian, expected in zip(found, central_gradients(f, args), strict=True):
            assert_close(np.where(np.isfinite(expected), jacobian, 0.0), finite(expected), 1e-6)


def check_second_derivatives(f: Callable[..., Any], args: tuple[Any, ...], grain: str) -> None:
    """Derivatives of the gradient are its differences."""

    def total(*args: Any) -> Any:
        return np.sum(np.cos(finite(f(*args)))) + 0.0 * np.sum(args[0])

    places = tuple(range(len(args)))
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        hessians = ad.hessian(total, argnums=places, grain=grain)(*args)
        directions, slopes = central_slopes(ad.grad(total, argnums=places, grain=grain), args)
        for blocks, slope in zip(hessians, slopes, strict=True):
            assert_close(sum(map(along, blocks, directions)), slope, 1e-5)


def check(f: Callable[..., Any], args: tuple[Any, ...], grain: str, tolerance: float = 1e-12) -> None:
    """All of it; entry by entry, second derivatives are those of the operations on numbers, which others test."""
    check_values(f, args, grain, tolerance)
    check_first_derivatives(f, args, grain)
    if grain == "array":
        check_second_derivatives(f, args, grain)
