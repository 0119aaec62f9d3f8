"""What Numba compiles for eliminations and programs."""

from adviz.algorithms.search.engines import njit


def test_functions_are_compiled_where_nothing_can_be_kept(monkeypatch):
    def refuse(self):
        raise OSError("read-only")

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refuse)
    function = njit(lambda x: x + 1.0)
    assert function(2.0) == 3.0
    assert function.stats.cache_path is None
