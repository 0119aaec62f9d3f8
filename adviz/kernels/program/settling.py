"""What a program leaves undefined, by the engine: derivatives at kinks, beside choices not taken, at singular matrices.

A program has one formula for all points. Where its results are not finite although the value is, the engine looks at
the point itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ...engine.calls import is_dataclass, leaves, rebuild, with_numbers_of_numpy
from ...engine.derivatives import grad, hessian, hvp, jacobian, jvp, vjp
from ...engine.sweeps import non_finite
from ...engine.tape import warn
from ...engine.trace_errors import NonFiniteWarning
from ...graph.errors import AdvizError
from ..points.batches import Which

OF_PRIMALS = ("compile_jvp", "compile_vjp", "compile_hvp")
"""Programs that take the arguments as a tuple, beside tangents or an adjoint."""


CHANGED = (
    "A derivative stays NaN or infinite: the function has a kink, or is singular, at this point, and gives other "
    "values than its program, or none, when it is run again, so that limits beside the point say nothing."
)


def warn_of(value: Any, name: str, origin: Any, at: str = "") -> None:
    """Warn of an operation that made NaN or infinity of finite operands, with its place in the user's source."""
    where = f"\n  at {origin}" if origin else ""
    warn(NonFiniteWarning(f"{non_finite(value)} arises in {name} from finite operands{at}.{where}"))


FAILURES = (AdvizError, ArithmeticError, ValueError, TypeError)
"""Errors of functions that cannot be run, or traced, at a point."""


class Settling:
    """Derivatives of one kind at a point: of ``f``, with respect to the arguments number ``inputs``.

    Values of a program in fast math, which is ``rough``, stay as they are.
    """

    def __init__(
        self, kind: str, f: Callable[..., Any], settings: dict[str, Any], inputs: Which, grain: str, rough: bool
    ):
        self.kind, self.f, self.settings, self.inputs, self.grain = kind, f, settings, inputs, grain
        self.rough = rough

    def derivatives(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the leaves of the results but for the values, by the engine."""
        f, more = self.f, {"grain": self.grain, **self.settings}
        if self.kind == "compile_jvp":
            result = [jvp(f, *arguments, **more)[1]]
        elif self.kind == "compile_vjp":
            result = [vjp(f, *arguments[0], **more)[1](arguments[1])]
        else:
            primals = arguments[0] if self.kind in OF_PRIMALS else arguments
            every = 0 if len(primals) == 1 else tuple(range(len(primals)))
            argnums: Any = every if self.inputs is None else self.inputs
            first = jacobian if self.kind == "compile_jacobian" else grad
            result = [first(f, argnums, grain=self.grain)(*primals, **self.settings)]
            if self.kind == "compile_hessian":
                result.append(hessian(f, argnums, grain=self.grain)(*primals, **self.settings))
            if self.kind == "compile_hvp":
                result.append(hvp(f, *arguments, **more))
        return numbers_of(result)

    def whole(self, arguments: tuple[Any, ...], template: Any) -> Any:
        """Return all results, in the structure of a template, where a program cannot be run; ``None`` if unknown."""
        derivatives, values = self._derivatives(arguments), self._values(arguments)
        if derivatives is None or values is None:
            return None
        return rebuild(template, iter([*(value[()] for value in values), *derivatives]))

    def settled(self, arguments: tuple[Any, ...], results: Any) -> Any:
        """Return results with what the engine finds for their derivatives; ``None`` if it is not to be asked.

        It is not where the function cannot be traced at the point. Where it gives other values than the program, as it
        depends on what has changed since, they stay as they are, unless they are not finite, as those of a function
        that is a derivative itself. It warns of what stays undefined.
        """
        values = list(map(np.asarray, numbers_of(results[0])))
        if not has_values(results):
            return None if self.rough else self._anew(results, arguments)
        if not self._gives(values, arguments):
            warn(NonFiniteWarning(CHANGED))
            return results
        derivatives = self._derivatives(arguments)
        return None if derivatives is None else _with(results, [*numbers_of(results)[: len(values)], *derivatives])

    def _anew(self, results: Any, arguments: tuple[Any, ...]) -> Any:
        """Return all results by the engine, whose derivatives are NaN where values are; ``None`` where it has none."""
        if (values := self._values(arguments)) is None:
            return None
        with warnings.catch_warnings():
            if not _are_finite(values):
                warnings.simplefilter("ignore")  # the program tells where they arise
            derivatives = self._derivatives(arguments)
        return None if derivatives is None else _with(results, [*values, *derivatives])

    def _values(self, arguments: tuple[Any, ...]) -> list[np.ndarray] | None:
        """Return what the function gives, which may write into its arguments; ``None`` where it cannot be run."""
        primals = arguments[0] if self.kind in OF_PRIMALS else arguments
        with np.errstate(all="ignore"), warnings.catch_warnings(), suppress(*FAILURES):
            warnings.simplefilter("ignore")
            return list(map(np.asarray, numbers_of(self.f(*with_numbers_of_numpy(primals), **self.settings))))
        return None

    def _gives(self, values: list[Any], arguments: tuple[Any, ...]) -> bool:
        if (found := self._values(arguments)) is None or len(found) != len(values):
            return False
        return all(np.allclose(*pair, *_precision(pair[1])) for pair in zip(found, values, strict=True))

    def _derivatives(self, arguments: tuple[Any, ...]) -> list[Any] | None:
        with suppress(*FAILURES):
            return self.derivatives(arguments)
        return None


def settling_of(
    kind: str, f: Callable[..., Any], settings: dict[str, Any], options: Mapping[str, Any], grain: str
) -> Settling | None:
    """Return what a program of this kind asks; nothing for one without derivatives, or with a part of them only."""
    is_dense = options.get("form", "dense") == "dense" and options.get("outputs") is None
    if kind == "compile" or not is_dense or options.get("batch") is not None:
        return None
    return Settling(kind, f, settings, options.get("inputs"), grain, bool(options.get("fast")))


def has_values(results: Any) -> bool:
    """Return whether the values among the results of a program are finite; where they are not, it tells why."""
    return _are_finite(numbers_of(results[0]))


def _are_finite(values: list[Any]) -> bool:
    return all(np.isfinite(value).all() for value in values)


def numbers_of(results: Any) -> list[Any]:
    """Return the numbers and arrays in results, in order: there a list of numbers is a structure, not an array."""
    found: list[Any] = []
    _each(results, found.append)
    return found


def _each(results: Any, replace: Callable[[Any], Any]) -> Any:
    if isinstance(results, dict):
        return {key: _each(part, replace) for key, part in results.items()}
    if is_dataclass(results):
        return rebuild(results, iter([replace(leaf) for _, leaf in leaves(results, "")]))
    if not isinstance(results, list | tuple):
        return replace(results)
    parts = [_each(part, replace) for part in results]
    return type(results)(*parts) if hasattr(results, "_fields") else type(results)(parts)


def _precision(value: np.ndarray) -> tuple[float, float]:
    """Return how close the values of a program and of its function are, relative to their size, and at all."""
    digits = 0.5 * np.log10(np.finfo(value.dtype).eps) if value.dtype.kind in "fc" else -8.0
    return 10.0**digits, 10.0**digits


def _with(results: Any, found: list[Any]) -> Any:
    """Return results with the numbers that were found, each in its own type; ``None`` where shapes differ."""
    before = numbers_of(results)
    if list(map(np.shape, before)) != list(map(np.shape, found)):
        return None
    pairs = zip(before, found, strict=True)
    each = iter([np.asarray(value, known.dtype) if np.ndim(known) else type(known)(value) for known, value in pairs])
    return _each(results, lambda _: next(each))
