"""The SVG, and what it shares with the other pictures: marks, colors, texts."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import adviz as ad
from adviz.jupyter.explorer import text
from adviz.stage.drawing import marks as drawing
from adviz.stage.drawing.frames import Film
from adviz.stage.export.svg import markup, svg
from adviz.stage.layout.placing import place
from adviz.stage.scene import theme
from adviz.stage.scene.text_widths import printable

from ..panels import HOSTILE, edge, every_kind, node, panel, scene

GOLDEN = Path(__file__).with_name("golden.svg")
NAMESPACE = "{http://www.w3.org/2000/svg}"


def by_hand():
    """Return a scene with a panel that was placed by hand, so that its pictures depend on no layout."""
    nodes = [
        node("n0", "x", "input", "input", detail="0.5", uses=2, x=60.0, y=43.0, w=70.0, h=46.0),
        node("s1", "for k", "scope", "neutral", repeat=10, x=60.0, y=121.0, w=70.0, h=30.0, title="a loop < 11"),
        node("n2", "y", "output", "output", x=60.0, y=191.0, w=46.0, h=30.0, dead=True),
    ]
    edges = [
        {**edge("n0", "s1", count=2), "points": [60.0, 66.0, 60.0, 80.0, 60.0, 92.0, 60.0, 106.0]},
        {**edge("s1", "n2", kind="returned"), "points": [60.0, 136.0, 60.0, 150.0, 60.0, 162.0, 60.0, 176.0]},
    ]
    return scene({**panel(nodes, edges), "width": 120.0, "height": 226.0, "note": "Placed by hand."}, "f(x)")


def hostile():
    """Return a scene in which every text is hostile."""
    nodes = [node(f"n{k}", each, detail=each, title=each) for k, each in enumerate(HOSTILE)]
    nodes.append(node("n99", "end", "output"))
    edges = [edge(f"n{k}", "n99") for k in range(len(HOSTILE))]
    placed = {**place(panel(nodes, edges)), "path": [{"scope": k, "label": each} for k, each in enumerate(HOSTILE)]}
    return scene(placed, "".join(HOSTILE[:7]))


def elements(document, tag):
    """Return the elements with that tag."""
    return list(ElementTree.fromstring(document).iter(NAMESPACE + tag))


def test_a_small_picture_is_as_it_was_reviewed():
    """To accept a change, look at it, and write it: `golden.svg` is what `svg` gives for the scene `by_hand`."""
    assert svg(by_hand()) == GOLDEN.read_text(encoding="utf-8").removesuffix("\n")


def test_every_node_and_edge_has_its_group_and_every_node_its_title():
    placed = place(every_kind())
    groups = {group.get("data-item"): group for group in elements(svg(scene(placed)), "g")}
    assert groups.keys() == {item["key"] for item in placed["nodes"] + placed["edges"]}
    for item in placed["nodes"]:
        assert groups[item["key"]].find(f"{NAMESPACE}title").text == printable(item["title"])


def test_the_picture_is_named_for_a_screen_reader():
    root = ElementTree.fromstring(svg(by_hand()))
    assert root.get("role") == "img"
    assert root.get("aria-label").startswith("f(x), 1,204 nodes · 2,310 edges · 3 inputs · 1 output · depth 310")


@pytest.mark.parametrize("look", ["light", "dark", "auto"])
def test_hostile_texts_stay_texts(look):
    document = svg(hostile(), look)
    root = ElementTree.fromstring(document)
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    assert tags <= {"svg", "style", "rect", "g", "title", "path", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    shown = {element.text for element in root.iter(f"{NAMESPACE}text")}
    assert {printable(each) for each in HOSTILE if len(each) < 20} - {""} <= shown
    assert "\u202e" not in document
    document.encode()


def test_there_are_no_ids_so_that_pictures_can_share_a_page():
    assert not any(element.get("id") for element in ElementTree.fromstring(svg(by_hand(), "auto")).iter())


def test_a_standalone_picture_needs_no_style_sheet_and_one_for_a_page_works_without_it():
    assert "<style" not in svg(by_hand(), "light") + svg(by_hand(), "dark")
    document = svg(by_hand(), "auto")
    assert "prefers-color-scheme:dark" in document
    used = dict(re.findall(r'"var\(--adviz-([\w-]+),(#\w+)\)"', document))
    assert used == {name: color for name, color in theme.colors("light").items() if name in used}
    assert len(used) > 5


def test_the_colors_of_files_are_those_of_the_page():
    styles = Path(__file__).parents[3] / "widgets/src/styles"
    sheets = {*styles.glob("*.css")} - {styles / "presenting.css"}  # before an audience they are stronger
    rules = "".join(path.read_text(encoding="utf-8") for path in sheets)
    page = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", rules)
    for name, *pair in page:
        if name in theme.PICTURE["light"]:
            assert [theme.PICTURE[look][name] for look in ("light", "dark")] == [each.upper() for each in pair], name
    assert {"positive", "negative", "accent", "kept", "cell"} <= {name for name, *_ in page}


@pytest.mark.parametrize("look", ["light", "dark"])
def test_texts_and_lines_stand_out_from_what_is_behind_them(look):
    colors = theme.colors(look)
    for family in [*theme.PALETTE, "neutral"]:
        assert contrast(colors["ink"], colors[family]) >= 7
        assert contrast(colors["muted"], colors[family]) >= 4.5
        assert contrast(colors[f"{family}-line"], colors["paper"]) >= 3
    assert contrast(colors["muted"], colors["paper"]) >= 4.5
    assert contrast(colors["badge"], colors["paper"]) >= 4.5
    assert contrast(colors["edge"], colors["paper"]) >= 3


def contrast(one, other):
    """Return the contrast ratio of two colors as WCAG 2 defines it."""
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(color):
    """Return the relative luminance of "#RRGGBB"."""
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("count", "short"), [(2, "2"), (999, "999"), (1000, "1k"), (12_345, "12k"), (3_000_000, "3M"), (5 * 10**9, "5G")]
)
def test_counts_are_short(count, short):
    assert drawing.short(count) == short


@pytest.mark.parametrize(
    ("count", "written"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (96_320, "96.3 kB"), (2e9, "2 GB"), (3e15, "3e+03 TB")],
)
def test_bytes_have_a_unit(count, written):
    assert drawing.amount(count) == written


def test_the_text_lists_what_the_picture_shows():
    assert text(by_hand()).splitlines() == [
        "f(x)",
        "1,204 nodes · 2,310 edges · 3 inputs · 1 output · depth 310 · 96.3 kB · 1 dead",
        "in  n0  x                    0.5  used 2",
        "[+] s1  for k × 10  n0 (×2)       used 1",
        "out n2  y           s1            dead",
        "Placed by hand.",
    ]


def test_the_text_of_hostile_labels_stays_on_its_lines():
    assert len(text(hostile()).splitlines()) == 2 + len(HOSTILE) + 1


def test_a_sentence_with_formulas_and_results_is_set_as_such_and_reads_the_same():
    def f(x, y):
        return np.sin(x) + x * y

    show = ad.show_backward(f, 1.0, -2.0).scene
    end = len(show["steps"])
    written = markup(Film(show, [end]).picture(end))
    assert '<tspan class="adviz-math">∂<tspan>f</tspan>/∂<tspan>x</tspan></tspan> = ' in written
    assert '<tspan fill="#B65200" font-weight="700">−1.4597</tspan>' in written
    assert written.count(".adviz-math{font-family:") == 1
    told = show["steps"][-1]["rests"]["nodes"]["caption"]
    lines = [re.sub("<[^>]*>", "", line) for line in re.findall("<text.*?</text>", written)]
    assert told in " ".join(lines)
