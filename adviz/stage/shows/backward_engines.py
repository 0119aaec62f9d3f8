"""Compare the engines of the reverse sweep on a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...algorithms import sweeps
from ...algorithms.examples.small_functions import Case
from ...algorithms.sweeps.comparison import Comparison
from ...algorithms.sweeps.seeds import GivenSeeds, by_output
from ...engine.calls import check_call
from ...engine.trace import to_be_shown, trace
from ...engine.trace_errors import InputError
from ...graph.graph import Graph


def compare(
    f: Callable[..., Any] | Graph | Case,
    *args: Any,
    engines: Iterable[str] | Mapping[str, Callable[..., Any]] = tuple(sweeps.ENGINES),
    seeds: GivenSeeds = None,
    **settings: Any,
) -> Comparison:
    """Compare what each reverse sweep visits, computes and keeps on ``f(*args)``, on a graph, or on an example.

    ``engines`` are names in ``sweeps.ENGINES``, or engines by name; ``seeds`` are adjoints, or matrices of them, by the
    place of the result, and ``None`` stands for 1, or for those of the example; ``settings`` go to
    :func:`~adviz.trace`. Raises :class:`~adviz.SeedError` for several results, or an array, without seeds,
    ``ValueError`` for an unknown name, and :class:`~adviz.InputError` for a graph with arguments.
    See :func:`adviz.sweeps.compare` for the columns.

    >>> compare(lambda x: x * x, 3.0, engines=["tape", "toposort"]).table()["peak"]
    [56, 40]
    """
    if isinstance(f, Graph) and (args or settings):
        raise InputError("A graph is compared as it is: leave the arguments out. For two graphs call it twice.")
    if isinstance(f, Case):
        args, seeds = args or f.arguments, f.seeds if seeds is None else seeds
        f = f.program
    if not isinstance(f, Graph):
        of_f = {name: value for name, value in settings.items() if name != "grain"}
        check_call("compare", f, args, of_f, ["engines", "seeds", "grain"])
    graph = to_be_shown(f if isinstance(f, Graph) else trace(f, *args, **settings))
    return sweeps.compare(graph, engines, by_output(graph, seeds))
