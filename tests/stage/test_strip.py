"""The still output of a show: key frames that are stepped through without any script."""

import re
from xml.etree.ElementTree import canonicalize, fromstring, tostring

import pytest

from adviz.stage.drawing.frames import Film, key_frames
from adviz.stage.export.html import notebook_html, page, static_html
from adviz.stage.export.svg import MOMENT, book, markup

from .drawing.test_frames import golden, hostile_show
from .export.test_html import Reader
from .export.test_svg import elements
from .goldens import golden_scene


def seen(whole, k):
    """Return the parts of a book that are seen when picture k is chosen, as a set of markup."""
    parts = []
    for part in fromstring(whole):
        moments = part.get(MOMENT)
        parts += [part] if moments is None else part if str(k) in moments.split() else []
    return {canonicalize(tostring(part, "unicode"), strip_text=True) for part in parts}


@pytest.mark.parametrize("name", ["backward", "forward", "tape_vs_graph", "folded"])
def test_a_book_shows_each_of_its_pictures_whole(name):
    film = Film(golden(name), key_frames(golden(name)))
    pictures = [film.picture(cursor) for cursor in key_frames(film.scene)]
    whole = book(pictures, "light")
    for k, drawn in enumerate(pictures):
        assert seen(whole, k) == seen(markup(drawn, "light"), k)


def test_a_book_in_a_scope_says_by_classes_how_its_marks_look():
    film = Film(golden_scene("lines"), key_frames(golden_scene("lines")))
    pictures = [film.picture(cursor) for cursor in key_frames(film.scene)]
    plain, whole = book(pictures, "light"), book(pictures, "light", scope=".here")
    rules = dict(re.findall(r"\.(k\d+)\{([^}]*)\}", whole[whole.index(".here{") : whole.index("</style>")]))

    def looks(element):
        classes = element.get("class", "").split()
        said = ";".join(rules[name] for name in classes if name in rules).replace("px", "")
        declared = dict(each.split(":", 1) for each in said.split(";") if each)
        return {**{name: value for name, value in element.items() if name != "class"}, **declared}

    marks = [[*fromstring(text).iter()][1:] for text in (plain, whole)]
    one, other = ([looks(mark) for mark in each if not mark.tag.endswith("style")] for each in marks)
    assert one == other
    assert len(whole) < len(plain)


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
