"""The extended Jacobian of large eliminations: rows and columns, what is given and filled in, and the corner."""

from itertools import pairwise

import pytest

from adviz.stage.drawing.elimination.extended_frames import FILL_IN, LEFT, SIDE, TOP, extended
from adviz.stage.drawing.marks import Box, Cells, Text

from ..elimination_moments import LARGE, played, scene, standing

each_technique = pytest.mark.parametrize("name", LARGE)


def at(name, share, *cursors):
    panel, start, steps = played(scene(name))
    first, last = cursors or (len(steps), len(steps))
    return standing(panel, start, steps, first, last), [*extended(standing(panel, start, steps, first, last), share)]


def boxes(marks, fill):
    return [
        mark.boxes[k : k + 4]
        for mark in marks
        if isinstance(mark, Cells) and mark.fill == fill
        for k in range(0, len(mark.boxes), 4)
    ]


def texts(marks):
    return [mark.text for mark in marks if isinstance(mark, Text)]


@each_technique
def test_at_the_start_every_local_partial_lies_below_the_diagonal(name):
    seen, marks = at(name, 1.0, 0, 0)
    given = boxes(marks, "edge")
    assert len(given) == len(seen.before) == len(seen.given)
    diagonal = {round(y, 6): x for x, y, *_ in boxes(marks, "faint 45")}
    for x, y, *_ in given:
        assert x < diagonal.get(round(y, 6), LEFT + SIDE)
    assert boxes(marks, FILL_IN) == []
    assert "30 intermediates left" in texts(marks)


@each_technique
def test_a_product_lands_where_the_column_of_one_factor_meets_the_row_of_the_other(name):
    panel, start, steps = played(scene(name))
    for last in range(1, len(steps), 9):
        if product := steps[last - 1].product:
            marks = list(extended(standing(panel, start, steps, last - 1, last), 0.5))
            rows = {round(y, 6) for _, y, *_ in boxes(marks, "ink")}
            columns = {round(x, 6) for x, *_ in boxes(marks, "ink")}
            landed = boxes(marks, product.hue)
            assert any(round(x, 6) in columns and round(y, 6) in rows for x, y, *_ in landed)


@each_technique
@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_everything_stays_in_the_square(name, share):
    _, _, steps = played(scene(name))
    for last in range(1, len(steps), 11):
        _, marks = at(name, share, last - 1, last)
        for mark in marks:
            if isinstance(mark, Cells):
                for k in range(0, len(mark.boxes), 4):
                    x, y, w, h = mark.boxes[k : k + 4]
                    assert LEFT - 1e-6 <= x <= x + w <= LEFT + SIDE + 1e-6
                    assert TOP - 1e-6 <= y <= y + h <= TOP + SIDE + 1e-6


@each_technique
def test_rows_and_columns_of_what_is_gone_have_collapsed(name):
    panel, start, steps = played(scene(name))
    for last in (len(steps) // 2, len(steps) - 1):
        seen = standing(panel, start, steps, last, last)
        there = {end for thing in seen.after for end in thing.split(".")[:2]}
        inner = [each["thing"] for each in panel["vertices"] if each["role"] == "intermediate"]
        wide = [w for _, _, w, _ in boxes(list(extended(seen, 1.0)), "faint 45")]
        assert [w > 0 for w in wide] == [thing in there for thing in inner]


@each_technique
def test_at_the_end_the_corner_fills_the_square_and_shows_all_numbers(name):
    seen, marks = at(name, 1.0)
    [corner] = [mark for mark in marks if isinstance(mark, Box) and mark.line == "pair-3" and mark.w > 12]
    assert (corner.x, corner.y) == (LEFT, TOP)
    assert (corner.w, corner.h) == pytest.approx((SIDE, SIDE))
    numbers = [
        mark
        for mark in marks
        if isinstance(mark, Text) and mark.font == "bold" and mark.text not in ("The Jacobian", "+")
    ]
    assert len(numbers) == len(seen.after)
    assert f"only the corner is left: {len(seen.after)} entries" in texts(marks)


def test_names_on_the_diagonal_have_room():
    _, marks = at("large_vertex", 1.0, 0, 0)
    names = sorted(
        mark.y for mark in marks if isinstance(mark, Text) and mark.anchor == "start" and LEFT < mark.x < LEFT + SIDE
    )[1:]
    assert all(other - one >= 13 for one, other in pairwise(names))
