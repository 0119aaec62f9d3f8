"""HTML: the still picture, and the page that needs nothing else. Pages are opened in tests/browser/test_pages.py."""

import base64
import json
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from adviz.stage.export.html import STILL, page, static_html
from adviz.stage.layout.placing import place

from ..drawing.test_frames import golden
from ..panels import HOSTILE, random_panel, scene, unpacked
from .test_svg import by_hand, hostile


class Reader(HTMLParser):
    """Collects tags, attributes, and the text of scripts, as a browser would see them."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.attributes, self.scripts, self.title = [], [], {}, ""
        self._script = None
        self.feed(document)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag == "script":
            self._script = dict(attributes).get("id", "start")
            self.scripts[self._script] = ""

    def handle_endtag(self, tag):
        if tag == "script":
            self._script = None

    def handle_data(self, data):
        if self._script:
            self.scripts[self._script] += data
        elif self.tags[-1:] == ["title"] and not self.title:
            self.title = data


def saved(document=None, **parts):
    """Return a page of a scene, with a bundle that is only text."""
    given = {"columns": b"\x00\xff", "views": {}, "details": {}, "bundle": "export const mount = () => {};", **parts}
    return page(document or by_hand(), **given)


def test_the_still_picture_has_neither_scripts_nor_references():
    reader = Reader(static_html(hostile(), 'x"1'))
    assert set(reader.tags) <= {"div", "svg", "style", "rect", "g", "title", "path", "text"}
    assert ("data-adviz-id", 'x"1') in reader.attributes
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in reader.attributes)


def test_the_pictures_of_a_show_are_in_a_box_with_room_for_their_words():
    reader = Reader(static_html(golden("forward"), "x1"))
    (box,) = [value for name, value in reader.attributes if name == "style" and "max-height" in value]
    assert box == "max-height:720px;overflow:auto;max-height:1000px;"


def test_the_still_picture_of_a_hundred_nodes_is_small():
    assert len(static_html(scene(place(random_panel(100, seed=0))), "x1")) < 120_000


def test_a_page_carries_its_data_whole():
    columns = bytes(range(256))
    document = by_hand()
    page = saved(document, columns=columns, views={3: {"a": "≤"}}, details={7: {"text": "</script>"}})
    carried = unpacked(page, "adviz-document")
    assert carried["scene"] == json.loads(json.dumps(document))
    assert base64.b64decode(carried["columns"]) == columns
    assert carried["views"] == {"3": {"a": "≤"}}
    assert carried["details"] == {"7": {"text": "</script>"}}
    assert carried["fallback"] == STILL


@pytest.mark.parametrize("text", [*HOSTILE, "<!--<script>", "</SCRIPT x>", "\u2029", "${x}`\\"])
def test_nothing_in_the_data_ends_a_script(text):
    document = {**hostile(), "title": text}
    page = saved(document, views={0: {"label": text}}, bundle=f"export const text = {json.dumps(text)};")
    reader = Reader(page)
    assert set(reader.scripts) == {"adviz-document", "adviz-bundle", "start"}
    assert unpacked(page, "adviz-document")["views"]["0"]["label"] == text
    assert unpacked(page, "adviz-bundle") == f"export const text = {json.dumps(text)};"


def test_the_policy_allows_the_pages_own_script_and_nothing_from_elsewhere():
    reader = Reader(saved())
    policy = next(value for name, value in reader.attributes if name == "content" and "default-src" in value)
    digest = base64.b64encode(sha256(reader.scripts["start"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' blob:" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_the_page_says_its_encoding_first():
    assert saved().index('<meta charset="utf-8">') < 100


def test_a_value_that_json_lacks_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        saved(details={0: {"min": float("nan")}})
