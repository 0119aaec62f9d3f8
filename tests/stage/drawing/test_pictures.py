"""Pictures in files are drawn by the front end: in any thread, of any number of shows, and not without an engine."""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import quickjs

import adviz as ad
from adviz.stage.drawing import pictures
from adviz.stage.drawing.frames import Film
from adviz.stage.drawing.marks import Text
from adviz.stage.export.svg import markup

from ..elimination_moments import LARGE, scene
from ..flow_goldens import PROGRAMS
from ..flow_goldens import scene as sweep


def last(document):
    return markup(Film(document).picture(len(document["steps"])))


@pytest.mark.parametrize("name", LARGE)
def test_before_a_large_elimination_begins_its_picture_has_all_local_partials_and_no_more(name):
    document = scene(name)
    edges = [key for key in document["start"] if key.split("/")[1] == "node" and "s." not in key and ".t" not in key]
    words = [mark.text for item in Film(document).picture(0).items for mark in item.marks if isinstance(mark, Text)]
    assert f"{len(edges)} local partials" in words


def test_pictures_of_more_shows_than_an_engine_keeps_are_drawn_by_turns():
    films = [Film(sweep(name)) for name in [*PROGRAMS][:6]]
    first = [film.picture(1) for film in films]
    assert [film.picture(1) for film in films] == first


def test_a_picture_is_the_same_in_another_thread():
    document = sweep("backward")
    film = Film(document)
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(film.picture, 3).result() == film.picture(3)
        assert thread.submit(last, document).result() == last(document)


@pytest.fixture
def without_engine(monkeypatch):
    monkeypatch.setitem(sys.modules, "quickjs", None)
    monkeypatch.delattr(pictures.THREAD, "functions", raising=False)


@pytest.mark.usefixtures("without_engine")
def test_without_an_engine_a_file_says_what_to_install_and_a_page_is_live_all_the_same(tmp_path):
    show = ad.show_backward(lambda x: np.sin(x) * x, 2.0)
    with pytest.raises(pictures.NoEngine, match="pip install quickjs-ng"):
        show.save(tmp_path / "show.svg")
    assert not list(tmp_path.iterdir())
    show.save(tmp_path / "show.html")
    page = (tmp_path / "show.html").read_text("utf-8")
    assert "adviz-bundle" in page
    assert "pip install quickjs-ng" in page
    explorer = ad.explore(lambda x: np.sin(x) * x, 2.0)
    assert [{*view._still()} for view in (show, explorer)] == [{"text/html", "text/plain"}] * 2


def test_in_a_browser_its_own_engine_draws(monkeypatch):
    browser = quickjs.Context()
    code = SimpleNamespace(run_js=browser.eval)
    monkeypatch.setitem(sys.modules, "pyodide", SimpleNamespace(code=code))
    monkeypatch.setitem(sys.modules, "pyodide.code", code)
    expected = last(sweep("backward"))
    monkeypatch.delattr(pictures.THREAD, "functions")
    with monkeypatch.context() as there:
        there.setattr(sys, "platform", "emscripten")
        pictures._engine()
    assert last(sweep("backward")) == expected
    assert browser.eval("typeof adviz.ask") == "function"
