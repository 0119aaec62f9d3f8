"""``scipy.optimize`` on traced values: roots and minima as implicit functions of the traced values in their equation.

SciPy searches with plain numbers. The derivative of what it finds is that of the equation, not that of the search:
where ``F(x, p) = 0``, ``dx/dp`` is ``-(dF/dx)^-1 dF/dp`` (the implicit function theorem; ``functions/implicit.py``
has the sources). So a bracket or a first guess has no derivative, and where ``dF/dx`` is 0 or singular, there is none.
The equation may use traced values: as arguments (``args``), or as variables from outside.

A minimum is a root of the gradient. Searches that would have to be traced step by step are refused: their result is
(nearly) constant in the first guess and in steps that comparisons decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..derivatives import grad, hessian, jacobian, jvp
from ..functions.arguments import Function, Overrides, data_of, joined, missing
from ..functions.implicit import solution, solution_of_system
from .calling_scipy import Watched, bound, grain, searched

DERIVATIVES = ("fprime", "fprime2", "jac", "hess", "hessp")
"""Functions that SciPy is given to search faster, and calls with the same arguments."""


def _search(differentiated: Callable[[Any, Watched, dict[str, Any]], Any]) -> Function:
    """Return a search with plain numbers. If the function that SciPy searched is traced, the result is differentiated.

    ``differentiated`` gets what SciPy found, the function, and all arguments by their names.
    """

    def search(original: Function, *args: Any, **settings: Any) -> Any:
        given = bound(original, args, settings)
        key, extra = next(iter(given)), given.get("args", ())
        plain = {name: data_of(value) for name, value in given.items()}
        plain |= {name: Watched(given[name], extra) for name in DERIVATIVES if callable(given.get(name))}
        function = plain[key] = Watched(given[key], extra)
        result = searched(original, plain | ({"args": ()} if "args" in given else {}))
        return differentiated(result, function, given) if function.is_traced else result

    return search


def _value(function: Watched, x: Any) -> Any:
    return joined(function.function(x, *function.args))


# ---- roots ----


def _root(name: str, attribute: str = "", system: bool = False) -> Function:
    """Return a search for a root, which is an attribute of SciPy's result, or the result, or the first of several."""

    def differentiated(value: Any, function: Watched, given: dict[str, Any]) -> Any:
        if given.get("fprime") is True or given.get("jac") is True:
            raise missing(f"scipy.optimize.{name} of a function that returns its slope too", "Return the value only.")
        plain = value[attribute] if attribute else value[0] if isinstance(value, tuple) else value
        if system:
            root = solution_of_system(plain, _system(function, np.size(plain)))
        else:
            root = solution(plain, _slope(lambda x: _value(function, x)))
        if not attribute:
            return (root, *value[1:]) if isinstance(value, tuple) else root
        value[attribute] = root
        return value

    return _search(differentiated)


def _slope(value: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """Return an equation's value and its derivative; if it is one per entry, of each by itself."""

    def equation(x: Any) -> tuple[Any, Any]:
        result = jvp(value, (x,), (np.ones(np.shape(x))[()],), grain=grain())
        return np.reshape(result[0], np.shape(x)), np.reshape(result[1], np.shape(x))

    return equation


def _system(function: Watched, size: int) -> Callable[[Any], tuple[Any, Any]]:
    def value(x: Any) -> Any:
        return np.ravel(_value(function, x))

    return lambda x: (value(x), np.reshape(jacobian(value, grain=grain())(x), (size, size)))


# ---- minima ----


def _minimum(name: str, squared: bool = False) -> Function:
    """Return a search for a minimum that is inside of all bounds: the root of the gradient."""

    def differentiated(found: Any, function: Watched, given: dict[str, Any]) -> Any:
        if given.get("jac") is True or given.get("constraints") or given.get("loss", "linear") != "linear":
            raise missing(f"scipy.optimize.{name} with jac=True, constraints or a loss", "Omit them.")
        _check_inside(name, found.x, given.get("bounds"))

        def value(x: Any) -> Any:
            y = _value(function, x)
            return np.sum(np.square(y)) / 2 if squared else np.reshape(y, ())

        found.x = _stationary(value, found.x)
        found["cost" if squared else "fun"] = value(found.x)
        return found

    return _search(differentiated)


def _check_inside(name: str, x: Any, bounds: Any) -> None:
    if bounds is None:
        return
    ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    ends = ends if isinstance(ends, tuple) and len(ends) == 2 and np.ndim(x) else np.transpose(np.array(ends, float))
    low, high = (
        np.where(np.isnan(np.array(end, float)), side, np.array(end, float))
        for end, side in zip(ends, (-np.inf, np.inf), strict=True)
    )
    if np.any(x - low < 1e-6 * (1 + np.abs(x))) or np.any(high - x < 1e-6 * (1 + np.abs(x))):
        raise missing(
            f"scipy.optimize.{name} of a minimum on a bound", "Only minima inside the bounds are differentiated."
        )


def _stationary(value: Callable[[Any], Any], x: Any) -> Any:
    """Return a minimum as the root of the gradient, of one number or of several."""

    def equations(x: Any) -> tuple[Any, Any]:
        size = int(np.size(data_of(x)))
        slope = np.reshape(grad(value, grain=grain())(x), (size,))
        return slope, np.reshape(hessian(value, grain=grain())(x), (size, size))

    if not np.ndim(x):
        return np.reshape(solution_of_system(np.reshape(x, (1,)), lambda x: equations(x[0])), ())
    return solution_of_system(x, equations)


def _unsupported(name: str) -> Function:
    """Return a search of which only the steps could be differentiated, which says nothing about the minimum."""

    def unsupported(*_: Any) -> Any:
        raise missing(f"scipy.optimize.{name}", "Use scipy.optimize.minimize, root or root_scalar.")

    return _search(unsupported)


SEARCHES: Overrides = {
    **{name: _root(name) for name in ("brentq", "brenth", "ridder", "bisect", "toms748", "newton")},
    "fsolve": _root("fsolve", system=True),
    "root": _root("root", "x", system=True),
    "root_scalar": _root("root_scalar", "root"),
    # each entry by itself
    "fixed_point": _search(lambda found, call, _: solution(found, _slope(lambda x: _value(call, x) - x))),
    "minimize": _minimum("minimize"),
    "minimize_scalar": _minimum("minimize_scalar"),
    "least_squares": _minimum("least_squares", squared=True),
}
SEARCHES |= {
    name: _unsupported(name)
    for name in (
        *("fmin", "fmin_powell", "fmin_cg", "fmin_bfgs", "fmin_ncg", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp"),
        *("fminbound", "brent", "golden", "bracket", "basinhopping", "differential_evolution", "dual_annealing"),
        *("shgo", "direct", "brute", "broyden1", "broyden2", "anderson", "newton_krylov", "leastsq"),
    )
}
