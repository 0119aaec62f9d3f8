"""Every View is saved in each format that it has, and says which there are."""

import numpy as np
import pytest

import adviz as ad
from adviz import lazy

from .. import op_graphs
from .displays import assert_harmless, hostile_function


def counted():
    _w, before, _update, after = op_graphs.counter()
    return ad.show_computation(lazy.computation([before, after]))


VIEWS = {
    "sweep": lambda: ad.show_backward(lambda x, y: np.sin(x * y) * x + y, 2.0, 0.4),
    "sweep without a graph": lambda: ad.show_backward(np.sin, 1.0, panels=["table"]),
    "elimination": lambda: ad.show_elimination(ad.examples["lion"], technique="edge"),
    "ops": counted,
    "algebra": lambda: ad.show_algebra(ad.examples["two crossed diamonds"], effort=0),
    "graph": lambda: ad.explore(lambda x: np.sin(x) * x, 2.0),
    "comparison": lambda: ad.show_comparison(*(ad.trace(f, 2.0) for f in (np.sin, lambda x: np.sin(x) * x))),
    "program": lambda: ad.show_program(lambda x: np.sin(x) * x, 2.0),
}
STILL = ("graph", "comparison", "program")
"""Views that do not play."""
STARTS = {".html": b"<!doctype html>", ".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".gif": b"GIF8"}


@pytest.mark.parametrize("suffix", STARTS)
@pytest.mark.parametrize("name", VIEWS)
def test_shows_are_saved(name, suffix, tmp_path):
    view, path = VIEWS[name](), tmp_path / f"show{suffix}"
    if suffix == ".gif" and name in STILL:
        with pytest.raises(ValueError, match=r"'\.gif'.*\.html, \.svg, \.png, \.pdf"):
            view.save(path)
    else:
        assert view.save(path).read_bytes().startswith(STARTS[suffix])
        assert path.stat().st_size > 1_000


@pytest.mark.parametrize("name", VIEWS)
def test_a_suffix_that_is_not_known_is_refused(name, tmp_path):
    with pytest.raises(ValueError, match=r"'\.bmp'.*\.html"):
        VIEWS[name]().save(tmp_path / "a.bmp")


@pytest.mark.parametrize("show", [ad.explore, ad.show_backward])
@pytest.mark.parametrize("suffix", ["html", "svg"])
def test_hostile_names_are_text_in_every_file(show, suffix, tmp_path):
    assert_harmless(show(hostile_function(), 2.0).save(tmp_path / f"a.{suffix}"))
