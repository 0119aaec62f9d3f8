"""Calls of a small program without detours: arguments that are as expected go straight to its function.

What looks at structures, shapes and dtypes is written out as code for one specialization, so that it takes a few
microseconds. Anything else, such as a list in place of an array, is left to the call that explains what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from ...engine.calls import is_container, is_dataclass, leaves
from ...engine.sweeps import THREADED, checksum

Call = Callable[[tuple[Any, ...]], "tuple[list[Any], Any] | None"]
"""Returns arrays that may not be finite, and the results; ``None`` for arguments of another kind."""


def quick_call(
    function: Callable[..., Any],
    example: tuple[Any, ...],
    key: Sequence[tuple[Any, str]],
    template: Any,
    trusted: int = 0,
) -> Call | None:
    """Return a call of ``function`` for arguments of an example's structure, with the shapes and dtypes of ``key``.

    The last ``trusted`` arguments are known to have them.

    ``template`` are results of it, in their structure; the function may return tuples for those with names. Returns
    ``None`` where structures have keys that cannot be written, or numbers within them.

    >>> call = quick_call(lambda x: (2.0, x), (np.ones(2),), [((2,), "<f8")], (0.0, np.ones(2)))
    >>> call((np.ones(2),)), call((np.ones(3),)), call(([1.0, 1.0],))
    (([], (2.0, array([1., 1.]))), None, None)
    """
    texts, checked = _Texts(function, key), len(example) - trusted
    try:
        lines = [
            "def call(arguments):",
            f"    if len(arguments) != {len(example)}: return None",
            f"    ({' '.join(f'a{place},' for place in range(len(example)))}) = arguments",
            *(line for place, value in enumerate(example[:checked]) for line in texts.checks(f"a{place}", value)),
            *texts.numbers_of_numpy(range(checked, len(example)), key[len(key) - trusted :]),
            "    with errstate(all='ignore'):",
            f"        r = function({', '.join(f'a{place}' for place in range(len(example)))})",
            *texts.unpacking("r", template),
            *texts.finite(template),
        ]
        lines += [f"    return suspects, {texts.built(template, iter(texts.results))}"]
    except _CannotBeWrittenError:
        return None
    scope = texts.scope
    exec(compile("\n".join(lines) + "\n", "<call of an array program>", "exec", dont_inherit=True), scope)
    result: Call = scope["call"]
    return result


class _CannotBeWrittenError(Exception):
    """A structure has no text."""


class _Texts:
    """The lines of a call; ``scope`` has the names in them, ``results`` those of the leaves of the results."""

    def __init__(self, function: Callable[..., Any], key: Sequence[tuple[Any, str]]):
        self.scope: dict[str, Any] = {
            "function": function,
            "errstate": np.errstate,
            "ndarray": np.ndarray,
            "float64": np.float64,
            "vdot": np.vdot,
            "checksum": checksum,
            "is_finite": np.isfinite,
        }
        self.key = iter(key)
        self.numbers = count()
        self.results: list[str] = []

    def named(self, value: Any) -> str:
        """Return a name for an object that the code needs."""
        name = f"c{next(self.numbers)}"
        self.scope[name] = value
        return name

    def checks(self, text: str, example: Any, is_inside: bool = False) -> Iterator[str]:
        """Yield lines that give up where an argument is not as the example."""
        if not is_container(example):
            yield from self._leaf(text, is_inside)
            return
        if is_dataclass(example):
            raise _CannotBeWrittenError
        keys = list(example) if isinstance(example, dict) else range(len(example))
        yield f"    if type({text}) is not {self.named(type(example))} or len({text}) != {len(example)}: return None"
        for key in keys:
            name = f"x{next(self.numbers)}"
            if isinstance(example, dict):
                yield f"    if {_written(key)} not in {text}: return None"
            yield f"    {name} = {text}[{_written(key)}]"
            yield from self.checks(name, example[key], True)

    def _leaf(self, text: str, is_inside: bool) -> Iterator[str]:
        shape, dtype = next(self.key)
        if not shape:
            if is_inside:
                raise _CannotBeWrittenError
            if dtype == np.dtype(float).str:
                yield f"    if type({text}) is float: {text} = float64({text})"
            yield f"    if type({text}) is not {self.named(np.dtype(dtype).type)}: return None"
            return
        dtype = self.named(np.dtype(dtype))
        yield f"    if type({text}) is not ndarray or {text}.shape != {shape} or {text}.dtype != {dtype}: return None"

    def numbers_of_numpy(self, places: Iterable[int], key: Sequence[tuple[Any, str]]) -> Iterator[str]:
        """Return lines that give numbers the dtype of the example; Python's would take that of what is beside them."""
        for place, (shape, dtype) in zip(places, key, strict=True):
            if not shape:
                yield f"    a{place} = {self.named(np.dtype(dtype).type)}(a{place})"

    def unpacking(self, text: str, template: Any) -> Iterator[str]:
        """Yield lines that name the leaves of the results."""
        if not is_container(template):
            name = f"r{next(self.numbers)}"
            self.results.append(name)
            yield f"    {name} = {text}"
            if not np.ndim(template):
                yield f"    if type({name}) is ndarray: {name} = {name}[()]"
                yield f"    if type({name}) is float64: {name} = float({name})"
            return
        if is_dataclass(template):
            raise _CannotBeWrittenError
        for key in list(template) if isinstance(template, dict) else range(len(template)):
            yield from self.unpacking(f"{text}[{_written(key)}]", template[key])

    def finite(self, template: Any) -> Iterator[str]:
        """Return lines that find out whether all results are finite: the sum of their squares or entries is."""
        terms = []
        for name, (_, value) in zip(self.results, leaves(template, ""), strict=True):
            is_real = np.asarray(value).dtype.kind == "f"
            of_array = f"vdot({name}, {name})" if np.size(value) <= THREADED else f"checksum({name})"
            terms += [of_array if np.ndim(value) else f"0.0 * {name}"] if is_real else []
        yield f"    suspects = [] if is_finite({' + '.join(terms) or '0.0'}) else [{', '.join(self.results)}]"

    def built(self, template: Any, names: Iterator[str]) -> str:
        """Return the results in their structure."""
        if not is_container(template):
            return next(names)
        if isinstance(template, dict):
            pairs = (f"{_written(key)}: {self.built(each, names)}" for key, each in template.items())
            return "{" + ", ".join(pairs) + "}"
        inside = ", ".join(self.built(each, names) for each in template)
        if isinstance(template, list):
            return f"[{inside}]"
        return (
            f"{self.named(type(template))}({inside})"
            if hasattr(template, "_fields")
            else f"({inside}{',' * bool(inside)})"
        )


def _written(key: Any) -> str:
    """Return a key of a structure as code."""
    if type(key) not in (int, str):
        raise _CannotBeWrittenError
    return repr(key)
