"""The still output of a show: key frames that are stepped through without any script."""

import re

import pytest

from adviz.stage.drawing.frames import Film, key_frames
from adviz.stage.export.html import notebook_html, page, static_html
from adviz.stage.export.svg import MOMENT, book, markup

from .drawing.test_frames import golden, hostile_show
from .export.test_html import Reader
from .export.test_svg import elements


def seen(whole, k):
    """Return the parts of a book that are seen when picture k is chosen, as a set of markup."""
    lines = whole.split("\n")
    chosen = [line for line in lines if f'class="{MOMENT}' not in line or re.search(rf"{MOMENT}-{k}[ \"]", line)]
    return {re.sub(rf'^<g class="{MOMENT}[^"]*">(.*)</g>$', r"\1", line) for line in chosen}


@pytest.mark.parametrize("name", ["backward", "forward", "tape_vs_graph", "folded"])
def test_a_book_shows_each_of_its_pictures_whole(name):
    film = Film(golden(name), key_frames(golden(name)))
    pictures = [film.picture(cursor) for cursor in key_frames(film.scene)]
    whole = book(pictures, "light")
    for k, drawn in enumerate(pictures):
        assert seen(whole, k) - {whole.split("\n")[0]} == set(markup(drawn, "light").split("\n")[1:])


def test_in_a_book_what_is_below_stays_below():
    film = Film(golden("backward"))
    whole = book([film.picture(cursor) for cursor in key_frames(film.scene)], "light")
    for node in range(7):
        places = [match.start() for match in re.finditer(rf'data-item="graph/n{node}"', whole)]
        edges = [match.start() for match in re.finditer(r'data-item="graph/n\d&gt;n\d"><path', whole)]
        assert max(edges) < min(places)


def test_ten_moments_take_little_more_room_than_four_pictures():
    film = Film(golden("backward"))
    pictures = [film.picture(cursor) for cursor in key_frames(film.scene)]
    assert len(book(pictures)) < 4 * len(markup(pictures[5], "auto"))


def test_there_is_a_button_for_every_key_frame_and_the_last_is_chosen():
    document = golden("backward")
    reader = Reader(static_html(document, "x1"))
    assert reader.tags.count("input") == len(key_frames(document))
    assert static_html(document, "x1").count(" checked>") == 1
    assert f'value="{len(key_frames(document)) - 1}" checked> {len(document["steps"])}' in static_html(document, "x1")


@pytest.mark.parametrize("write", [static_html, notebook_html])
def test_hostile_texts_of_a_show_make_no_element(write):
    reader = Reader(write(hostile_show(), 'x"1'))
    allowed = "div svg style rect g title path text img fieldset label input".split()
    assert set(reader.tags) <= set(allowed)
    assert not any(name.startswith("on") or name == "href" for name, _ in reader.attributes)
    assert all(value.startswith("data:image/svg+xml;base64,") for name, value in reader.attributes if name == "src")


def test_a_page_of_a_show_has_the_strip_for_when_scripts_are_off():
    document = golden("tape_vs_graph")
    saved = page(document, b"", {}, {}, "export const mount = () => {};")
    reader = Reader(saved)
    assert reader.title == "dead_branch"
    assert reader.tags.count("input") == len(key_frames(document))
    assert elements(saved[saved.index("<svg") : saved.index("</svg>") + 6], "text")


def test_the_title_of_a_show_without_a_graph_is_that_of_the_scene():
    document = golden("backward")
    document["panels"] = [panel for panel in document["panels"] if panel["kind"] != "graph"]
    assert "<title>f</title>" in page(document, b"", {}, {}, "")
