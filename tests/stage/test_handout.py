"""Handouts: moments of a show on paper, several on a page, each with its sentence."""

import re

import pytest

from adviz.stage.drawing.frames import Film, key_frames
from adviz.stage.export.pdf import A4, EDGE, GAP, LARGEST, LEGIBLE, grid, handout

from .drawing.test_frames import golden, hostile_show, tall_show
from .test_png_pdf import streams


def pages(document):
    """Return the number of pages, after a look at their size: A4, upright or oblong."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", document)
    assert all(sorted(map(float, sides)) == pytest.approx([595.3, 841.9], abs=0.1) for sides in boxes)
    return len([stream for stream in streams(document) if b" Tj" in stream])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["backward", "forward", "tape_vs_graph"])
def test_key_frames_fill_pages_that_several_share(name):
    document = golden(name)
    drawn = []
    moments = key_frames(document, 12)
    sheet = grid(*Film(document, moments).size)
    each = sheet.columns * sheet.rows
    assert each >= 2
    assert sheet.scale >= LEGIBLE
    written = handout(document, progress=lambda done, total: drawn.append((done, total)))
    assert len(drawn) == len(moments) // each * each
    assert drawn[-1] == (len(drawn), len(drawn))
    assert pages(written) == len(drawn) / each


def test_chosen_moments_are_printed():
    assert pages(handout(golden("backward"), [3, 5])) == 1


def test_a_handout_of_no_moment_is_refused():
    with pytest.raises(ValueError, match="no moment"):
        handout(golden("backward"), [])


@pytest.mark.parametrize("size", [(100, 100), (470, 760), (2600, 2200), (650, 2200), (5000, 300)])
def test_pictures_fit_on_the_page_and_are_legible(size):
    sheet = grid(*size)
    for side, count, whole in zip(size, (sheet.columns, sheet.rows), sheet.size, strict=True):
        assert count * side * sheet.scale + (count - 1) * GAP <= whole - 2 * EDGE + 1e-6
    assert sheet.scale <= LARGEST
    alone = max(min((a - 2 * EDGE) / size[0], (b - 2 * EDGE) / size[1]) for a, b in (A4, A4[::-1]))
    assert sheet.scale >= min(LEGIBLE, alone) - 1e-9


@pytest.mark.parametrize("size", [(470, 594), (511, 900), (940, 612), (484, 576), (470, 1188), (1022, 900)])
def test_pictures_of_shows_fill_three_quarters_of_a_page(size):
    sheet = grid(*size)
    room = (sheet.size[0] - 2 * EDGE) * (sheet.size[1] - 2 * EDGE)
    assert sheet.columns * sheet.rows * size[0] * size[1] * sheet.scale**2 >= 0.75 * room


def test_pictures_of_a_high_graph_share_a_page_and_none_covers_another():
    document = tall_show()
    written = handout(document, [0, 60, 120, len(document["steps"])])
    assert pages(written) == 1
    (page,) = (stream for stream in streams(written) if b" Tj" in stream)
    assert len(re.findall(rb" re W n", page)) == 4


def test_a_dark_handout_is_dark():
    assert handout(golden("forward"), [0], theme="dark") != handout(golden("forward"), [0])


def test_a_handout_of_hostile_texts_has_no_script_and_no_link():
    document = re.sub(rb"stream.*?endstream", b"", handout(hostile_show(), [0, 5, 14]), flags=re.DOTALL)
    assert not re.search(rb"/(JavaScript|JS|URI|Launch|AA|Annots)\b", document)
