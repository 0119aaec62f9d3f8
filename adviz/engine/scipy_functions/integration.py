"""``scipy.integrate`` on traced values: sums over samples, integrals of functions, differential equations.

An integral is differentiated under the integral sign: the integrand is evaluated again, at Gauss's points in the
intervals that QUADPACK chose, and the values are summed with their weights; the value is QUADPACK's.

A differential equation is differentiated as it was discretized: the steps that the solver chose are kept, and the
Runge-Kutta formulas are evaluated on traced values ("internal numerical differentiation", Bock 1981; Hairer, Nørsett
and Wanner, "Solving Ordinary Differential Equations I", section II.6). These are derivatives of the numbers that are
returned, with respect to initial values, parameters and the ends of the interval, to all orders. Of methods that are
compiled code or solve equations in each step (``odeint``, ``LSODA``, ``BDF``, ``Radau``) only the value is theirs; the
derivative is that of the method of Dormand and Prince of order 8, with tolerances of 1e-10.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, IntegrationWarning
from scipy.integrate._ivp.ivp import MESSAGES, OdeResult

from ..devices import as_like
from ..functions.arguments import Patches, check_unsupported, data_of, holds_traced, joined, missing
from ..functions.reductions import trapezoid
from .calling import Watched, bound, grain, searched

# ---- sums over samples ----


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """``scipy.integrate.cumulative_trapezoid``."""
    y = np.moveaxis(joined(y), axis, -1)
    widths = dx if x is None else np.diff(joined(x) if np.ndim(x) == 1 else np.moveaxis(joined(x), axis, -1), axis=-1)
    result = np.cumsum(widths * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        result = np.concatenate([as_like(np.zeros((*np.shape(result)[:-1], 1)), result), result], axis=-1)
    return np.moveaxis(result, -1, axis)


def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """``scipy.integrate.simpson``: parabolas through three points; with an even number, the last interval by another.

    Source of that: Cartwright 2017, "Simpson's rule cumulative integration with MS Excel and irregularly-spaced data".
    """
    y = np.moveaxis(joined(y), axis, -1)
    count = np.shape(y)[-1]
    x = x if x is None or np.ndim(x) == 1 else np.moveaxis(joined(x), axis, -1)
    widths = dx * np.ones(max(count - 1, 0)) if x is None else np.diff(joined(x), axis=-1)
    if count < 3:
        return np.sum(widths * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    odd = count if count % 2 else count - 1
    first, second = widths[..., 0 : odd - 1 : 2], widths[..., 1 : odd - 1 : 2]
    low, middle, high = (y[..., start : odd - 2 + start : 2] for start in (0, 1, 2))
    both, ratio = first + second, first / second
    result = np.sum(
        both / 6 * (low * (2 - 1 / ratio) + middle * (both * both / (first * second)) + high * (2 - ratio)), -1
    )
    if odd == count:
        return result
    before, last = widths[..., -2], widths[..., -1]
    end = (2 * last**2 + 3 * before * last) / (6 * (before + last)) * y[..., -1]
    inner = (last**2 + 3 * before * last) / (6 * before) * y[..., -2]
    return result + end + inner - last**3 / (6 * before * (before + last)) * y[..., -3]


# ---- integrals of functions ----

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(21)


def quad(original: Any, *args: Any, **settings: Any) -> Any:
    """``scipy.integrate.quad``: with respect to the traced values in the integrand and to the limits."""
    given = bound(original, args, settings)
    a, b, is_full = given["a"], given["b"], given["full_output"]
    function = Watched(given["func"], given["args"])
    plain = {name: data_of(value) for name, value in given.items()}
    result = searched(original, {**plain, "func": function, "args": (), "full_output": 1})
    if len(result) > 3 and not is_full:
        warnings.warn(result[3], IntegrationWarning, stacklevel=2)
    if function.is_traced or holds_traced((a, b)):
        check_unsupported("scipy.integrate.quad", "Multiply the integrand by it.", weight=given["weight"])
        again = _integral(function, a, b, result[2], result[0])
        missed = abs(data_of(again) - result[0])
        if not missed <= max(10 * result[1], 1e-8, 1e-8 * abs(result[0])):
            raise missing("scipy.integrate.quad of an integrand with this singularity", "Substitute the variable.")
        result = (again + (result[0] - data_of(again)), *result[1:])
    return result if is_full else result[:2]


def _nodes(chosen: dict[str, Any], value: float) -> tuple[Any, Any]:
    """Gauss's points and weights in the intervals that were chosen.

    Where QUADPACK extrapolated, an end may be singular: points are concentrated there, by a change of variable to the
    fourth power.
    """
    starts, ends, parts = (np.asarray(chosen[name])[: chosen["last"], None] for name in ("alist", "blist", "rlist"))
    width, shares, weights = ends - starts, (POINTS + 1) / 2 + 0 * starts, WEIGHTS / 2 + 0 * starts
    if abs(np.sum(parts) - value) > 1e-11 * abs(value):
        first, last = starts == np.min(starts), ends == np.max(ends)
        weights = np.where(first, weights * 4 * shares**3, np.where(last, weights * 4 * (1 - shares) ** 3, weights))
        shares = np.where(first, shares**4, np.where(last, 1 - (1 - shares) ** 4, shares))
    return np.ravel(starts + width * shares), np.ravel(width * weights)


def _integral(function: Watched, a: Any, b: Any, chosen: dict[str, Any], value: float) -> Any:
    """Return the sum over the intervals that were chosen; infinite ones were mapped to the interval from 0 to 1."""
    low, high = data_of(a), data_of(b)
    nodes, weights = _nodes(chosen, value)

    def f(x: Any) -> Any:
        return np.reshape(joined(function.function(x, *function.args)), ())

    if np.isfinite(low) and np.isfinite(high):
        width = float(high - low)
        shares, weights = ((nodes - low) / width, weights / abs(width)) if width else (np.array([0.5]), np.ones(1))
        points = [a + (b - a) * share for share in shares.tolist()] if holds_traced((a, b)) else nodes.tolist()
        return (b - a) * _summed(map(f, points), weights)
    beyond, weights = ((1 - nodes) / nodes).tolist(), weights / nodes**2
    sign = 1.0 if high > low else -1.0
    if np.isinf(low) and np.isinf(high):
        return sign * _summed((f(x) + f(-x) for x in beyond), weights)
    end, outwards = (a, np.sign(high)) if np.isinf(high) else (b, np.sign(low))
    return sign * _summed((f(end + outwards * x) for x in beyond), weights)


def _summed(values: Any, weights: Any) -> Any:
    whole = np.stack(list(values))
    return np.sum(as_like(weights, whole) * whole)


# ---- differential equations ----


class Step(NamedTuple):
    """One step: its ends, the values and slopes there, the slopes at the stages, and its length, traced perhaps."""

    start: float
    end: float
    y_start: Any
    y_end: Any
    slopes: list[Any]
    slope_end: Any
    length: Any


class Equation(NamedTuple):
    """``dy/dt = f(t, y)`` on an interval whose ends may be traced; times are counted in plain numbers."""

    function: Callable[[Any, Any], Any]
    start: float
    end: float
    clock: Callable[[float], Any]
    pace: Any

    def slope(self, t: float, y: Any) -> Any:
        """``f(t, y)`` as a vector."""
        return vector(self.function(self.clock(t), y))

    def times(self, ts: Any) -> Any:
        """Times of the program, traced if an end of the interval is."""
        return np.stack([self.clock(t) for t in ts]) if holds_traced(self.pace) else ts


def vector(value: Any) -> Any:
    """Return what a function returned, as an array of one axis."""
    value = joined(value)
    if isinstance(value, np.ndarray) and holds_traced(value) and grain() == "array":
        value = np.stack(list(np.ravel(value)))
    return np.reshape(value, (-1,)) if holds_traced(value) else np.asarray(value, float).reshape(-1)


def equation(function: Callable[[Any, Any], Any], start: Any, end: Any) -> Equation:
    """Return an equation from ``start`` to ``end``."""
    low, high = float(data_of(start)), float(data_of(end))
    if not holds_traced((start, end)) or low == high:
        return Equation(function, low, high, lambda t: t, 1.0)
    pace = (end - start) / (high - low)
    return Equation(function, low, high, lambda t: start + pace * (t - low), pace)


def _combined(weights: Any, slopes: list[Any]) -> Any:
    places = np.flatnonzero(weights[: len(slopes)])
    if not len(places):
        return 0.0 * slopes[0]
    whole = np.stack([slopes[k] for k in places])
    return as_like(np.asarray(weights)[places], whole) @ whole


def _rms(x: Any) -> float:
    return float(np.linalg.norm(x) / x.size**0.5)


def _first_step(ode: Equation, method: Any, y: Any, slope: Any, max_step: float, rtol: Any, atol: Any) -> float:
    """Hairer, Nørsett and Wanner I, section II.4, as SciPy has it."""
    length, direction = abs(ode.end - ode.start), np.sign(ode.end - ode.start)
    if not np.size(y) or not length:
        return np.inf if not np.size(y) else 0.0
    values, slopes = data_of(y), data_of(slope)
    scale = atol + np.abs(values) * rtol
    d0, d1 = _rms(values / scale), _rms(slopes / scale)
    h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, length)
    ahead = data_of(ode.slope(ode.start + h0 * direction, values + h0 * direction * slopes))
    d2 = _rms((ahead - slopes) / scale) / h0
    small = d1 <= 1e-15 and d2 <= 1e-15
    h1 = max(1e-6, h0 * 1e-3) if small else (0.01 / max(d1, d2)) ** (1 / (method.error_estimator_order + 1))
    return float(min(100 * h0, h1, length, max_step))


def _error(method: Any, slopes: list[Any], h: float, scale: Any) -> float:
    """Return the estimated error of a step, relative to what is allowed."""
    k = np.stack([data_of(slope) for slope in slopes])
    if method is not DOP853:
        return _rms(np.dot(k.T, method.E) * h / scale)
    fifth, third = (np.linalg.norm(np.dot(k.T, weights) / scale) ** 2 for weights in (method.E5, method.E3))
    if fifth == 0 and third == 0:
        return 0.0
    return float(abs(h) * fifth / np.sqrt((fifth + 0.01 * third) * len(scale)))


MOST = 5000
"""Number of steps after which an explicit method is unsupported."""


def steps(
    ode: Equation,
    method: Any,
    y: Any,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = np.inf,
) -> Iterator[Step]:
    """The steps of an explicit Runge-Kutta method whose lengths are as SciPy's; they stop where these get too small."""
    rtol = np.maximum(rtol, 100 * np.finfo(float).eps)
    t, slope, direction = ode.start, ode.slope(ode.start, y), np.sign(ode.end - ode.start)
    size = _first_step(ode, method, y, slope, max_step, rtol, atol) if first_step is None else first_step
    exponent = -1 / (method.error_estimator_order + 1)
    for _ in range(MOST):
        if t == ode.end:
            return
        smallest = 10 * abs(np.nextafter(t, direction * np.inf) - t)
        size, was_rejected = min(max(size, smallest), max_step), False
        while size >= smallest:
            end = min(t + size * direction, ode.end) if direction > 0 else max(t + size * direction, ode.end)
            h, size = end - t, abs(end - t)
            length, slopes = h * ode.pace, [slope]
            for weights, share in zip(method.A[1:], method.C[1:], strict=True):
                slopes.append(ode.slope(t + share * h, y + _combined(weights, slopes) * length))
            new = y + length * _combined(method.B, slopes)
            slopes.append(ode.slope(end, new))
            error = _error(method, slopes, h, atol + np.maximum(np.abs(data_of(y)), np.abs(data_of(new))) * rtol)
            if error < 1:
                break
            size, was_rejected = size * max(0.2, 0.9 * error**exponent), True
        else:
            return
        yield Step(t, end, y, new, slopes, slopes[-1], length)
        factor = 10 if error == 0 else min(10, 0.9 * error**exponent)
        t, y, slope, size = end, new, slopes[-1], size * (min(1, factor) if was_rejected else factor)
    raise missing(f"a differential equation that takes {MOST} steps", "It may be stiff: integrate a shorter piece.")


def between(ode: Equation, method: Any, step: Step) -> Callable[[float], Any]:
    """Return the polynomial between the ends of a step, as SciPy has it."""
    h = step.end - step.start
    if method is not DOP853:

        def value(t: float) -> Any:
            powers = np.cumprod(np.full(method.P.shape[1], (t - step.start) / h))
            return step.y_start + step.length * _combined(method.P @ powers, step.slopes)

        return value
    slopes = list(step.slopes)
    for weights, share in zip(method.A_EXTRA, method.C_EXTRA, strict=True):
        slopes.append(ode.slope(step.start + share * h, step.y_start + _combined(weights, slopes) * step.length))
    change = step.y_end - step.y_start
    parts = [change, step.length * slopes[0] - change, 2 * change - step.length * (step.slope_end + slopes[0])]
    parts += [step.length * _combined(weights, slopes) for weights in method.D]

    def value_of_order_seven(t: float) -> Any:
        x = (t - step.start) / h
        y: Any = 0.0
        for k, part in enumerate(reversed(parts)):
            y = (part + y) * (1 - x if k % 2 else x)
        return step.y_start + y

    return value_of_order_seven


def at_times(ode: Equation, method: Any, y0: Any, times: Any, **settings: Any) -> tuple[list[Any], bool]:
    """The solution at times in the order of the steps, and whether all were reached; no step is computed twice."""
    direction, last = 1 if ode.end >= ode.start else -1, ode.start
    result = [y0 for t in times if t == ode.start]
    for step in steps(ode, method, y0, **settings):
        inside = [t for t in times if direction * step.start < direction * t <= direction * step.end]
        value = between(ode, method, step) if any(t != step.end for t in inside) else None
        result += [step.y_end if t == step.end or value is None else value(t) for t in inside]
        last = step.end
    return result, last == ode.end


METHODS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
PRECISE = {"rtol": 1e-10, "atol": 1e-10}
TOLERANCES = ("rtol", "atol", "first_step", "max_step")


def solve_ivp(original: Any, *args: Any, **settings: Any) -> Any:
    """``scipy.integrate.solve_ivp``: see the module's docstring."""
    given = bound(original, args, settings)
    arguments = tuple(given["args"] or ())
    function = Watched(lambda t, y: given["fun"](t, y, *arguments))
    method = METHODS.get(given["method"], given["method"])
    low, high = given["t_span"]
    is_known = holds_traced((low, high, given["y0"], arguments))
    if not is_known or method not in METHODS.values():
        plain = {name: data_of(value) for name, value in given.items() if name not in ("fun", "args")}
        plain |= {"events": _plain_events(given["events"], arguments), "args": None}
        plain = {name: value for name, value in plain.items() if value is not None}
        result = searched(original, {"fun": function, **plain})
        if not (function.is_traced or is_known):
            return result
    check_unsupported(
        "scipy.integrate.solve_ivp", "Solve without events, and look for them in the solution.", events=given["events"]
    )
    if holds_traced(given["t_eval"]) or given["dense_output"]:
        raise missing("scipy.integrate.solve_ivp with a traced t_eval, or dense_output", "Pass plain times as t_eval.")
    if given["t_eval"] is not None:  # where the interval ends changes nothing at these times
        if holds_traced(low):
            raise missing("scipy.integrate.solve_ivp with t_eval and a traced start", "Leave t_eval out.")
        high = data_of(high)
    calls = itertools.count()

    def slope(t: Any, y: Any) -> Any:
        next(calls)
        return given["fun"](t, y[:, None] if given["vectorized"] else y, *arguments)

    ode, y0 = equation(slope, low, high), vector(given["y0"])
    if method not in METHODS.values():
        result.y, result.t = _differentiated(result.y, ode, y0, result.t, axis=-1), ode.times(result.t)
        return result
    options = {name: given[name] for name in TOLERANCES if given.get(name) is not None}
    result = _solved(ode, method, y0, given["t_eval"], options)
    result.nfev = next(calls)
    return result


def _plain_events(events: Any, arguments: tuple[Any, ...]) -> Any:
    """Events as functions of plain numbers; they decide, and are not differentiated."""
    if events is None:
        return None
    single = callable(events)
    made = []
    for event in [events] if single else events:
        wrapped = Watched(event, arguments)
        for name in ("terminal", "direction"):
            if hasattr(event, name):
                setattr(wrapped, name, getattr(event, name))
        made.append(wrapped)
    return made[0] if single else made


def _solved(ode: Equation, method: Any, y0: Any, t_eval: Any, options: dict[str, Any]) -> Any:
    """Return the solution by a method whose formulas are evaluated here."""
    if t_eval is not None:
        times = np.asarray(t_eval, float)
        low, high = min(ode.start, ode.end), max(ode.start, ode.end)
        if np.any(times < low) or np.any(times > high):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        values, is_finished = at_times(ode, method, y0, times, **options)
        ts = times[: len(values)]
    else:
        done = list(steps(ode, method, y0, **options))
        values, ts = [y0, *(step.y_end for step in done)], np.array([ode.start, *(step.end for step in done)])
        is_finished = ts[-1] == ode.end
    status = 0 if is_finished else -1
    message = MESSAGES[0] if is_finished else method.TOO_SMALL_STEP
    known = {"t": ode.times(ts), "y": np.stack(values, axis=-1), "sol": None, "t_events": None, "y_events": None}
    return OdeResult(**known, nfev=None, njev=0, nlu=0, status=status, message=message, success=is_finished)


def _differentiated(value: Any, ode: Equation, y0: Any, times: Any, axis: int) -> Any:
    """Return SciPy's values at times, along an axis, with derivatives by another method."""
    values, _ = at_times(ode, DOP853, y0, times, **PRECISE)
    again = np.stack(values, axis=axis)
    return again + as_like(np.asarray(value) - data_of(again).astype(float), again)


def odeint(original: Any, *args: Any, **settings: Any) -> Any:
    """``scipy.integrate.odeint``: see the module's docstring. The times may not be traced."""
    given = bound(original, args, settings)
    arguments = given["args"] if isinstance(given["args"], tuple) else (given["args"],)
    func, times = given["func"], given["t"]

    def slope(t: Any, y: Any) -> Any:
        return func(t, y, *arguments) if given["tfirst"] else func(y, t, *arguments)

    function = Watched(func, arguments)
    plain = {name: data_of(value) for name, value in given.items()}
    if callable(given["Dfun"]):
        plain["Dfun"] = Watched(given["Dfun"], arguments)
    result = searched(original, {**plain, "func": function, "args": ()})
    if not (function.is_traced or holds_traced(given["y0"])):
        return result
    if holds_traced(times):
        raise missing(
            "scipy.integrate.odeint of traced times", "Pass them as a keyword argument: those are not traced."
        )
    whole = result[0] if given["full_output"] else result
    ticks = np.asarray(times, float)
    ode = equation(slope, ticks[0], ticks[-1])
    differentiated = _differentiated(whole, ode, vector(given["y0"]), ticks, axis=0)
    return (differentiated, result[1]) if given["full_output"] else differentiated


FUNCTIONS: Patches = {
    "trapezoid": lambda y, x=None, dx=1.0, axis=-1: trapezoid(joined(y), x if x is None else joined(x), dx, axis),
    "cumulative_trapezoid": cumulative_trapezoid,
    "simpson": simpson,
}

SEARCHES: Patches = {"quad": quad, "solve_ivp": solve_ivp, "odeint": odeint}
