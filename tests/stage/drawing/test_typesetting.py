"""Formulas as marks: matrices row by row, lines no wider than their room."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adviz.stage.drawing import typesetting
from adviz.stage.drawing.marks import Curve, Text
from adviz.stage.scene import formulas
from adviz.stage.scene.text_widths import width


def quantities(*values):
    return formulas.fitted(formulas.chain(*(formulas.quantity(value) for value in values)))


def placed(line):
    return {mark.text: (mark.x, mark.y) for mark in typesetting.marks(line, 10, 100, "ink") if isinstance(mark, Text)}


def test_entries_of_a_matrix_stand_in_rows_and_columns_between_brackets():
    (line,) = typesetting.lines(quantities(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])), 400)
    at = placed(line)
    assert at["1"][1] == at["2"][1] < at["3"][1] == at["4"][1]
    assert at["1"][0] == at["3"][0] < at["2"][0] == at["4"][0] < at["5"][0] < at["6"][0]
    assert at["1"][1] < at["5"][1] == at["6"][1] < at["3"][1]
    assert sum(isinstance(mark, Curve) for mark in typesetting.marks(line, 10, 100, "ink")) == 2 * 2 * 3


def test_formulas_without_a_matrix_of_several_rows_are_text():
    (line,) = typesetting.lines(quantities(np.array([5.0, 6.0]), 7.0), 400)
    assert line == ["[5, 6] = 7"]
    assert typesetting.height(line) == typesetting.LINE


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.floats(150, 700))
def test_no_line_is_wider_than_its_room_and_no_mark_leaves_its_line(sizes, room):
    tree = quantities(*(np.full((size, size), 0.12345 * size) for size in sizes))
    for line in typesetting.lines(tree, room):
        high = typesetting.height(line) / 2
        for mark in typesetting.marks(line, 0, 0, "ink"):
            if isinstance(mark, Text):
                wide = width(mark.text, mark.size)
                left = mark.x - (0 if mark.anchor == "start" else wide / 2)
                assert left >= 0
                assert left + wide <= room + 0.01
                assert -high <= mark.y - 0.6 * mark.size
                assert mark.y <= high
            else:
                assert max(mark.points[::2]) <= room
                assert max(map(abs, mark.points[1::2])) <= high


def told(line):
    """A line as text."""
    return "".join(piece if isinstance(piece, str) else f"[{'; '.join(map(row_of, piece))}]" for piece in line)


def row_of(entries):
    return "…" if "⋮" in entries else ", ".join(entries)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.floats(450, 900))
def test_lines_tell_the_whole_formula_and_break_between_its_sides(sizes, room):
    tree = quantities(*(np.arange(3.0 * size).reshape(3, size) for size in sizes))
    lines = [told(line) for line in typesetting.lines(tree, room)]
    assert " ".join(lines) == formulas.text(tree)
    assert all(line.startswith("= ") for line in lines[1:])


def test_a_long_side_is_broken_between_its_words():
    tree = formulas.row(["id", "x"], formulas.op("="), formulas.quantity(np.eye(2)), formulas.op("·"), ["id", "name"])
    lines = [told(line) for line in typesetting.lines(formulas.fitted(tree), 80)]
    assert lines == ["x = [1, 0; 0, 1]", "· name"]
