"""Handouts: moments of a show on paper, several on a page, each with its sentence."""

import re

import pytest

from adviz.stage.frames import Film, key_frames
from adviz.stage.pdf import A4, EDGE, LEGIBLE, grid, handout

from .test_frames import golden, hostile_show
from .test_png_pdf import streams


def pages(document):
    """Return the number of pages, after a look at their size: A4."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", document)
    assert all((float(w), float(h)) == pytest.approx((595.3, 841.9), abs=0.1) for w, h in boxes)
    return len([stream for stream in streams(document) if b" Tj" in stream])


@pytest.mark.parametrize("name", ["backward", "forward", "tape_vs_graph"])
def test_all_key_frames_are_there_and_several_share_a_page(name):
    document = golden(name)
    columns, rows, scale = grid(*Film(document).size)
    assert columns * rows >= 2
    assert scale >= LEGIBLE
    assert pages(handout(document)) == -(-len(key_frames(document)) // (columns * rows))


def test_chosen_moments_are_printed():
    assert pages(handout(golden("backward"), [3, 5])) == 1


def test_a_handout_of_no_moment_is_refused():
    with pytest.raises(ValueError, match="no moment"):
        handout(golden("backward"), [])


@pytest.mark.parametrize("size", [(100, 100), (470, 760), (2600, 2200), (650, 2200), (5000, 300)])
def test_pictures_fit_on_the_page_and_as_many_as_are_legible(size):
    columns, rows, scale = grid(*size)
    assert columns * size[0] * scale <= A4[0] - 2 * EDGE + 1e-6
    assert rows * size[1] * scale <= A4[1] - 2 * EDGE + 1e-6
    assert scale <= 1
    alone = min((A4[0] - 2 * EDGE) / size[0], (A4[1] - 2 * EDGE) / size[1])
    assert scale >= min(LEGIBLE, alone) - 1e-9


def test_a_dark_handout_is_dark():
    assert handout(golden("forward"), [0], theme="dark") != handout(golden("forward"), [0])


def test_a_handout_of_hostile_texts_has_no_script_and_no_link():
    document = re.sub(rb"stream.*?endstream", b"", handout(hostile_show(), [0, 5, 18]), flags=re.DOTALL)
    assert not re.search(rb"/(JavaScript|JS|URI|Launch|AA|Annots)\b", document)
