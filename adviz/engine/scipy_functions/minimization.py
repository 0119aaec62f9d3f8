"""``scipy.optimize`` on traced values: roots and minima as implicit functions of all that is traced in their equation.

SciPy searches with plain numbers. The derivative of what it finds is that of the equation, not that of the search:
where ``F(x, p) = 0``, ``dx/dp`` is ``-(dF/dx)^-1 dF/dp`` (the implicit function theorem; ``rules/implicit.py`` has the
sources). So a bracket or a first guess has no derivative, and where ``dF/dx`` is 0 or singular, there is
none. The equation may know traced values: as arguments (``args``), or as variables from outside.

A minimum is a root of the gradient. Searches that would be traced step by step are refused: to first guesses and to
steps that are decided by comparisons, what they find is constant, or nearly so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..derivatives import grad, hessian, jacobian, jvp
from ..functions.arguments import data_of, joined, missing
from ..functions.implicit import solution, solution_of_system
from .choices import Watched, bound, grain, searched

SLOPES = ("fprime", "fprime2", "jac")
"""What SciPy is given to search faster, and is called with the same arguments."""


def _root(name: str, taken: Callable[[Any], Any], put: Callable[[Any, Any], Any], system: bool) -> Callable[..., Any]:
    """A search for a root: how it is taken out of what SciPy returns, and what is differentiated put in its place."""

    def search(original: Any, *args: Any, **settings: Any) -> Any:
        given = bound(original, args, settings)
        key = next(iter(given))
        function = Watched(given[key], given.get("args", ()))
        plain = {name: data_of(value) for name, value in given.items()}
        plain |= {name: Watched(given[name], given.get("args", ())) for name in SLOPES if callable(given.get(name))}
        found = searched(original, {**plain, key: function, "args": ()})
        if not function.is_traced:
            return found
        if given.get("fprime") is True or given.get("jac") is True:
            raise missing(f"scipy.optimize.{name} of a function that returns its slope too", "Return the value only.")
        equation = _system(function, np.shape(taken(found))) if system else _slope(function)
        return put(found, (solution_of_system if system else solution)(taken(found), equation))

    return search


def _slope(function: Watched) -> Callable[[Any], tuple[Any, Any]]:
    """An equation's value and its derivative; if it is one per entry, of each by itself."""

    def equation(x: Any) -> tuple[Any, Any]:
        def value(x: Any) -> Any:
            return joined(function.function(x, *function.args))

        found: tuple[Any, Any] = jvp(value, (x,), (np.ones(np.shape(x))[()],), grain=grain())
        return tuple(np.reshape(part, np.shape(x)) for part in found)  # type: ignore[return-value]

    return equation


def _system(function: Watched, shape: tuple[int, ...]) -> Callable[[Any], tuple[Any, Any]]:
    """Equations' values and their Jacobian."""

    def equations(x: Any) -> tuple[Any, Any]:
        def value(x: Any) -> Any:
            return np.ravel(joined(function.function(x, *function.args)))

        size = int(np.prod(shape))
        return value(x), np.reshape(jacobian(value, grain=grain())(x), (size, size))

    return equations


def fixed_point(original: Any, *args: Any, **settings: Any) -> Any:
    """``scipy.optimize.fixed_point``: the root of ``func(x) - x``, each entry by itself."""
    given = bound(original, args, settings)
    function = Watched(given["func"], given["args"])
    plain = {name: data_of(value) for name, value in given.items()}
    found = searched(original, {**plain, "func": function, "args": ()})
    if not function.is_traced:
        return found
    return solution(found, _slope(Watched(lambda x: joined(function.function(x, *function.args)) - x)))


# ---- minima ----


def _minimum(name: str, squared: bool = False) -> Callable[..., Any]:
    """A search for a minimum that is inside of all bounds: the root of the gradient."""

    def search(original: Any, *args: Any, **settings: Any) -> Any:
        given = bound(original, args, settings)
        key = next(iter(given))
        function = Watched(given[key], given["args"])
        plain = {name: data_of(value) for name, value in given.items()}
        others = ("jac", "hess", "hessp")
        plain |= {name: Watched(given[name], given["args"]) for name in others if callable(given.get(name))}
        found = searched(original, {**plain, key: function, "args": ()})
        if not function.is_traced:
            return found
        if given.get("jac") is True or given.get("constraints") or given.get("loss", "linear") != "linear":
            raise missing(f"scipy.optimize.{name} with jac=True, constraints or a loss", "Leave them out.")
        _check_inside(name, found.x, given.get("bounds"))

        def value(x: Any) -> Any:
            y = joined(function.function(x, *function.args))
            return np.sum(np.square(y)) / 2 if squared else np.reshape(y, ())

        found.x = _stationary(value, found.x)
        found["cost" if squared else "fun"] = value(found.x)
        return found

    return search


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
        raise missing(f"scipy.optimize.{name} of a minimum on a bound", "Those inside are differentiated.")


def _stationary(value: Callable[[Any], Any], x: Any) -> Any:
    """A minimum as the root of the gradient, of one number or of several."""

    def equations(x: Any) -> tuple[Any, Any]:
        size = int(np.size(data_of(x)))
        slope = np.reshape(grad(value, grain=grain())(x), (size,))
        return slope, np.reshape(hessian(value, grain=grain())(x), (size, size))

    if not np.ndim(x):
        return np.reshape(solution_of_system(np.reshape(x, (1,)), lambda x: equations(x[0])), ())
    return solution_of_system(x, equations)


def _refused(name: str) -> Callable[..., Any]:
    """A search whose steps would be differentiated, which says nothing of what it finds."""

    def search(original: Any, *args: Any, **settings: Any) -> Any:
        given = bound(original, args, settings)
        key = next(iter(given))
        function = Watched(given[key], given.get("args", ()))
        found = searched(
            original,
            {**{k: data_of(v) for k, v in given.items()}, key: function, **({"args": ()} if "args" in given else {})},
        )
        if function.is_traced:
            raise missing(f"scipy.optimize.{name}", "Use scipy.optimize.minimize, root or root_scalar.")
        return found

    return search


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found


def _with_first(found: Any, root: Any) -> Any:
    return (root, *found[1:]) if isinstance(found, tuple) else root


def _with_attribute(name: str) -> Callable[[Any, Any], Any]:
    def put(found: Any, root: Any) -> Any:
        found[name] = root
        return found

    return put


SEARCHES: dict[str, Callable[..., Any]] = {
    name: _root(name, _first, _with_first, False)
    for name in ("brentq", "brenth", "ridder", "bisect", "toms748", "newton")
}
SEARCHES |= {
    "fsolve": _root("fsolve", _first, _with_first, True),
    "root": _root("root", lambda found: found.x, _with_attribute("x"), True),
    "root_scalar": _root("root_scalar", lambda found: found.root, _with_attribute("root"), False),
    "fixed_point": fixed_point,
}
SEARCHES |= {
    "minimize": _minimum("minimize"),
    "minimize_scalar": _minimum("minimize_scalar"),
    "least_squares": _minimum("least_squares", squared=True),
}
SEARCHES |= {
    name: _refused(name)
    for name in (
        *("fmin", "fmin_powell", "fmin_cg", "fmin_bfgs", "fmin_ncg", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp"),
        *("fminbound", "brent", "golden", "bracket", "basinhopping", "differential_evolution", "dual_annealing"),
        *("shgo", "direct", "brute", "broyden1", "broyden2", "anderson", "newton_krylov", "leastsq"),
    )
}
