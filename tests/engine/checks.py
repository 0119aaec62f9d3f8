"""Checks of a function against NumPy and central differences."""

import warnings
from typing import Any

import numpy as np
import pytest

import adviz as ad
from adviz.engine import devices
from adviz.engine.functions.arguments import data_of

from .derivatives import along, assert_close, central_jacobian, central_slopes

GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])


def check(build, operation, grain, x):
    """``operation(build(x))`` has on traced values the values and the Jacobian that it has on floats; return that."""

    def on_floats(x):
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            found = np.asarray(operation(np.asarray(build(x), float)))
            found = found if np.any(np.imag(found)) else np.real(found)  # real eigenvalues, in NumPy 2.5
            return found.astype(float) if found.dtype == object else found

    def traced(x):
        seen.append(operation(build(x)))
        return seen[-1] + 0 * x.ravel()[0]

    seen = []
    with warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        jacobian = ad.jacobian(traced, grain=grain)(x)
    expected = on_floats(x)
    found = np.asarray(data_of(seen[0]))
    assert found.shape == expected.shape
    assert (found.dtype == bool) == (expected.dtype == bool)
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-13, atol=1e-15)
    if np.isfinite(expected).all():
        assert_close(jacobian, central_jacobian(on_floats, x), 1e-6)
    return jacobian


def check_second_derivatives(number, x):
    """Differences of the gradient of a function that gives one number agree with its Hessian; return that."""
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        hessian, gradient = ad.jacobian(ad.grad(number))(x), ad.grad(number)
        (direction,), (slope,) = central_slopes(lambda x: (gradient(x),), (x,))
        assert_close(along(hessian, direction), slope, 1e-5)
    return hessian


def arrays_in(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in arrays_in(part)] if isinstance(value, list | tuple) else [value]


def assert_same(library: Any, found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    """The same numbers, in arrays of the library wherever NumPy's are arrays."""
    for one, other in zip(arrays_in(found), arrays_in(expected), strict=True):
        assert isinstance(one, library.ndarray) or not np.ndim(other), f"{type(one)} for an array"
        assert_close(devices.to_numpy(one), other, tolerance)
