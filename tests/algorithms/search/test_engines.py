"""What Numba compiles for eliminations and programs, and what a search says where it did not run."""

import re
import threading

import pytest

import adviz as ad
from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.algorithms.search import optimum, vertex_search
from adviz.algorithms.search.engines import njit

from .test_optimum import hard


def test_functions_are_compiled_where_nothing_can_be_kept(monkeypatch):
    def refuse(self):
        raise OSError("read-only")

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refuse)
    function = njit(lambda x: x + 1.0)
    assert function(2.0) == 3.0
    assert function.stats.cache_path is None


# ---- what ran ----


@pytest.mark.parametrize(
    ("graph", "options", "reason"),
    [
        (GRAPHS["lion"].graph(), {"technique": "edge"}, "only orders of vertices are compiled, not those of edges"),
        (GRAPHS["lion"].graph(), {"technique": "face"}, "only orders of vertices are compiled, not those of faces"),
        (GRAPHS["lion"].graph(), {"units": False, "cost": lambda *product: 1}, "costs follow from labels here"),
        (ad.CGraph.from_edges([(0, 1), (1, 2)]), {}, "reductions alone led to the best order"),
        (hard(90, 30), {}, "reductions leave a part of 9. vertices, and compiled code takes 62 at most"),
        (hard(25), {}, "the time was up before Numba had compiled the code"),
    ],
)
def test_a_search_says_why_python_ran_where_numba_was_asked_for(monkeypatch, graph, options, reason):
    monkeypatch.setattr(optimum, "has_numba", lambda: True)
    monkeypatch.setattr(vertex_search, "compilation", threading.Event)
    best = ad.optimal_order(graph, **options, engine="numba", effort=0)
    assert best.engine == "python"
    assert re.search(reason, best.why_python)
    assert f"; Python ran instead of Numba, since {best.why_python}>" in repr(best)
    assert ad.optimal_order(graph, **options, engine="python", effort=0).why_python == ""


@pytest.mark.numba
def test_where_compiled_code_ran_there_is_nothing_to_say():
    best = ad.optimal_order(hard(27), engine="numba")
    assert (best.engine, best.why_python) == ("numba", "")
    assert "Python" not in repr(best)
