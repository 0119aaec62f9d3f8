"""The function or graph that a show is made of, with its arguments, so that it can be traced again with new numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

from ..algorithms.examples.small_functions import Case
from ..engine.blocks import Block
from ..engine.calls import leaves, matched, rebuild
from ..engine.devices import as_floats, to_numpy
from ..engine.trace import GRAINS, to_be_shown, trace
from ..engine.trace_errors import InputError
from ..graph.graph import Graph
from ..stage.shows.options import ShowError

Traceable = Callable[..., Any] | Case | Graph


class TracedProgram:
    """A function with its arguments, or a graph, which is shown as it is."""

    def __init__(self, f: Traceable, args: tuple[Any, ...], grain: str, settings: dict[str, Any]):
        if isinstance(f, type) and issubclass(f, Block):
            raise ShowError(f"{f.__name__} is a class of Blocks: create one and show that, {f.__name__}()")
        if grain not in GRAINS:
            raise ShowError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
        if isinstance(f, Graph) and (args or settings):
            raise ShowError("a graph is shown as it is: leave the arguments out")
        self.f: Callable[..., Any] | Graph = f.program if isinstance(f, Case) else f
        self.args, self.seeds = args, None
        if isinstance(f, Case):
            self.args, self.seeds = args or f.arguments, f.seeds
        elif isinstance(f, Graph):
            self.args = tuple(f.values[node] for node in f.inputs)
        self.grain, self.settings = grain, settings

    def graph(self, numbers: Mapping[int, float] | None = None) -> Graph:
        """Trace the program; ``numbers`` replace arguments, by the place of their nodes among the inputs."""
        if isinstance(self.f, Graph):
            return to_be_shown(self.f)
        return to_be_shown(trace(self.f, *self._arguments(numbers or {}), grain=self.grain, **self.settings))

    def along(self, numbers: Mapping[int, float]) -> Any:
        """Return the result with other numbers, which replace arguments as in :meth:`graph`; nothing is traced."""
        if isinstance(self.f, Graph):
            raise ShowError("a graph does not run again: it is the record of one run")
        return self.f(*self._arguments(numbers), **self.settings)

    def _arguments(self, numbers: Mapping[int, float]) -> Iterator[Any]:
        places = count()
        for argument in self.args:
            yield rebuild(argument, (self._leaf(leaf, numbers, places) for _, leaf in leaves(argument, "")))

    def _leaf(self, leaf: Any, numbers: Mapping[int, float], places: Iterator[int]) -> Any:
        """Return a leaf with its new numbers. Booleans have no node; in the scalar grain every entry has its own."""
        if not _is_traced(leaf):
            return leaf
        if self.grain == "array" or not np.ndim(leaf):
            return numbers.get(next(places), leaf)
        entries = as_floats(to_numpy(leaf))
        for place in np.ndindex(entries.shape):
            entries[place] = numbers.get(next(places), entries[place])
        return entries

    def direction(self, graph: Graph, tangents: Any) -> dict[int, Any]:
        """Return the tangents, structured like the arguments, by input node.

        Raises ``InputError`` for another structure and for anything but real numbers.
        """
        like: Any = self.args
        if len(self.args) == 1 and not (isinstance(tangents, tuple) and len(tangents) == 1):
            (like,) = self.args
        elif isinstance(tangents, list) or (isinstance(tangents, np.ndarray) and tangents.ndim):
            tangents = tuple(tangents)
        result: list[Any] = []
        for (name, tangent), (_, leaf) in zip(matched(tangents, like, "direction"), leaves(like, ""), strict=True):
            if not _is_traced(leaf):
                continue
            try:
                array = np.asarray(to_numpy(tangent)).astype(float, casting="same_kind")
            except TypeError as error:
                raise InputError(f"{name} is {tangent!r}, not made of real numbers.") from error
            result += [array] if self.grain == "array" or not np.ndim(leaf) else list(array.ravel())
        return dict(zip(graph.inputs, result, strict=True))


def _is_traced(leaf: Any) -> bool:
    return np.asarray(to_numpy(leaf)).dtype.kind != "b"
