"""PNG and PDF: the same picture without a browser, without system fonts, whatever the labels."""

import io
import logging
import os
import re
import subprocess
import sys
import zlib
from importlib.resources import files

import numpy as np
import pytest
from PIL import Image

from adviz.stage.export.pdf import LONGEST, pdf
from adviz.stage.export.png import png
from adviz.stage.layout.placing import place
from adviz.stage.scene import theme
from adviz.stage.scene.text_widths import advances, width

from .export.test_svg import by_hand, hostile
from .panels import HOSTILE, every_kind, node, panel, random_panel, scene

FONTS = files("adviz.stage").joinpath("fonts")


def pixels(image):
    """Return width, height and the rows of (r, g, b, a) of an 8-bit PNG."""
    opened = Image.open(io.BytesIO(image))
    assert (opened.format, opened.mode) == ("PNG", "RGBA")
    flat = np.asarray(opened).reshape(-1, 4).tolist()
    return *opened.size, [[*map(tuple, flat[k : k + opened.width])] for k in range(0, len(flat), opened.width)]


def streams(document):
    """Return the decompressed streams of a PDF."""
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", document, re.DOTALL)
    # The last byte of a stream may be that of an end of a line, and is then cut off: a decompressor does not need it.
    return [zlib.decompressobj().decompress(stream) if stream[:1] == b"\x78" else stream for stream in found]


def page_size(document):
    """Return width and height of a PDF's only page, in points."""
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", document)
    return float(box[0]), float(box[1])


def page_text(document):
    """Return the lines of text of a PDF, as a reader copies them: glyph codes turned into characters by each font."""
    tables = [
        {int(code, 16): bytes.fromhex(text.decode()).decode("utf-16-be") for code, text in pairs}
        for stream in streams(document)
        if (pairs := re.findall(rb"^<(\w{4})> <(\w+)>$", stream, re.MULTILINE)) and b"beginbfchar" in stream
    ]
    (content,) = [stream for stream in streams(document) if b" Tj" in stream]
    lines, font = [], 0
    for name, shown in re.findall(rb"/F(\d) [\d.]+ Tf|\(((?:\\.|[^\\)])*)\) Tj", content, re.DOTALL):
        if name:
            font = int(name) - 1
        else:
            codes = re.sub(
                rb"\\(.)", lambda match: {b"r": b"\r", b"n": b"\n"}.get(match[1], match[1]), shown, flags=re.DOTALL
            )
            lines.append(
                "".join(tables[font][high << 8 | low] for high, low in zip(codes[::2], codes[1::2], strict=True))
            )
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_image_has_the_size_of_the_picture_and_the_colors_of_the_theme(look):
    placed = by_hand()["panels"][0]
    w, h, rows = pixels(png(by_hand(), 2, look))
    assert h == 2 * (placed["height"] + theme.TITLE_HEIGHT + theme.NOTE_HEIGHT)
    assert rows[0][0] == rows[-1][-1] == (*bytes.fromhex(theme.colors(look)["paper"][1:]), 255)
    seen = {pixel[:3] for row in rows for pixel in row}
    for color in ("input", "input-line", "neutral", "edge"):
        assert tuple(bytes.fromhex(theme.colors(look)[color][1:])) in seen
    assert w >= 2 * placed["width"]


@pytest.mark.long
def test_the_scale_is_the_number_of_image_pixels_per_px():
    assert [2 * side for side in pixels(png(by_hand(), 1))[:2]] == list(pixels(png(by_hand(), 2))[:2])


@pytest.mark.slow
def test_texts_are_drawn_with_the_fonts_shipped_here_alone():
    """With an empty environment there is no PATH, no font configuration, and the pictures are the same to the byte."""
    program = (
        "import sys; from tests.stage.export.test_svg import by_hand; from adviz.stage.export.png import png;"
        "sys.stdout.buffer.write(png(by_hand(), 2))"
    )
    environment = {"PATH": "", "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    bare = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment, check=True)
    assert bare.stdout == png(by_hand(), 2)
    ink = bytes.fromhex(theme.colors("light")["ink"][1:])
    assert any(pixel[:3] == tuple(ink) for row in pixels(bare.stdout)[2] for pixel in row)


def test_hostile_labels_become_images_and_pages():
    assert png(hostile()).startswith(b"\x89PNG")
    assert pdf(hostile()).startswith(b"%PDF")


def test_the_page_has_the_size_of_the_picture_and_its_title():
    placed = place(every_kind())
    document = pdf(scene(placed))
    assert page_size(document) == pytest.approx((0.75 * placed["width"], 0.75 * (placed["height"] + 34)), abs=1)
    assert page_text(document)[0] == "two_layer(x, W, b)"


def test_the_texts_of_a_page_can_be_selected():
    placed = place(every_kind())
    texts = page_text(pdf(scene(placed)))
    for item in placed["nodes"]:
        assert item["label"] in texts
        assert item["detail"] in [*texts, ""]


def test_a_page_contains_no_script_and_no_link():
    document = re.sub(rb"stream.*?endstream", b"", pdf(hostile()), flags=re.DOTALL)
    assert not re.search(rb"/(JavaScript|JS|URI|Launch|AA|Annots)\b", document)


def test_mathematics_survives_in_a_page_and_what_the_fonts_lack_is_marked(caplog):
    labels = ["v\u0307 ∂×≤√", "日本", "🦊"]
    unplaced = panel([node(f"n{k}", label) for k, label in enumerate(labels)], [])
    with caplog.at_level(logging.WARNING):
        texts = page_text(pdf(scene(place(unplaced))))
    assert texts[1:] == ["v\u0307 ∂×≤√", "\ufffd\ufffd", "\ufffd"]
    assert caplog.records == []


def test_a_very_large_picture_is_scaled_to_what_a_page_may_be():
    placed = {**by_hand()["panels"][0], "height": 100_000.0}
    assert page_size(pdf(scene(placed)))[1] == pytest.approx(LONGEST, rel=1e-3)


def test_an_image_that_would_become_too_large_is_scaled_down(monkeypatch):
    monkeypatch.setattr("adviz.stage.export.png.MOST_PIXELS", 10_000)
    w, h, _ = pixels(png(by_hand(), 2))
    assert 9_000 < w * h < 11_000


@pytest.mark.slow
@pytest.mark.parametrize("picture", [png, pdf])
def test_a_picture_of_three_hundred_nodes_can_be_made(picture):
    assert len(picture(scene(place(random_panel(300, seed=0))))) > 50_000


def test_a_picture_may_be_empty():
    empty = scene(place(panel([], [])), "")
    assert png(empty)
    assert pdf(empty)


# The fonts


def test_the_fonts_are_small_and_their_license_lies_beside_them():
    assert sum(len(FONTS.joinpath(f"{name}.ttf").read_bytes()) for name in ("sans", "mono")) <= 150_000
    assert "Bitstream Vera" in FONTS.joinpath("LICENSE.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["sans", "mono"])
def test_the_table_of_widths_is_that_of_the_font(name):
    from fontTools.ttLib import TTFont

    with FONTS.joinpath(f"{name}.ttf").open("rb") as file:
        font = TTFont(file)
        units = font["head"].unitsPerEm
        measured = {
            chr(code): round(1000 * font["hmtx"][glyph][0] / units) for code, glyph in font.getBestCmap().items()
        }
    assert advances(name) == measured


def test_the_fonts_have_what_mathematics_and_names_need():
    needed = "abcXYZ0189 äöüßéñçŁőž αβγδεθλμπσφωΓΔΣΩ Привет ×÷±−·…›‹→←↑↓⇒∂∇∑∏√∞≈≠≤≥∈∘⊙⊗ ²³⁻¹⁰ⁱ₀₁₂ᵀ v̇v̄ ▶●□�"
    for name in ("sans", "mono"):
        assert set(needed) - {"ᵀ"} <= advances(name).keys()


def test_accents_take_no_room():
    for font in ("sans", "mono"):
        assert width("v\u0307", 13, font) == width("v", 13, font)


def test_the_fonts_are_not_mistaken_for_complete_ones():
    from fontTools.ttLib import TTFont

    for name in ("sans", "mono"):
        with FONTS.joinpath(f"{name}.ttf").open("rb") as file:
            assert TTFont(file)["name"].getDebugName(1) == f"Adviz {name.title()}"


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_has_a_width(text):
    assert 0 <= width(text, 13) < 1e6
