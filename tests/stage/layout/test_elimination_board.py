"""Boxes and lines of eliminations: what counts as a fault."""

import pytest
from adviz.stage.layout.elimination_board import Board, Box


@pytest.mark.parametrize(("above", "faults"), [(0, 1), (14, 1), (16, 0), (50, 0)])
def test_a_line_is_covered_by_a_box_that_it_passes_nearer_than_half_its_height(above, faults):
    boxes = [Box(20, 30, 50, 100), Box(20, 30, 150, 100 - above), Box(20, 30, 250, 100)]
    assert Board(boxes, [(0, 2)], 200).covered() == faults
    assert Board(boxes, [(0, 1), (1, 2)], 200).covered() == 0


@pytest.mark.parametrize(("heads", "crossings"), [((2, 3), 0), ((3, 2), 1)])
def test_lines_cross_that_change_their_order(heads, crossings):
    boxes = [Box(20, 30, x, y) for x in (50, 250) for y in (50, 150)]
    assert Board(boxes, list(zip((0, 1), heads, strict=True)), 200).crossings() == crossings
