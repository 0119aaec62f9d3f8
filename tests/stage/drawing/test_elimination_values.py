"""Values of labels: numbers and shapes of arrays, as large as there is room."""

import pytest

from adviz.stage.drawing.elimination.elimination_values import NUMBER, written
from adviz.stage.drawing.marks import Text

SMALL = {"shape": [1, 8], "data": [0.5] * 8}
LARGE = {"shape": [1, 32], "norm": 1.0}


def texts(value, room, longest=0):
    return [mark for mark in written(value, 0.0, 0.0, room, "ink", 1.0, longest) if isinstance(mark, Text)]


def test_among_others_all_values_have_the_size_that_the_longest_needs():
    sizes = {mark.size for value in (-0.05644, -0.713, SMALL, LARGE) for mark in texts(value, 47.0, len("−0.05644"))}
    assert len(sizes) == 1


def test_shapes_look_the_same_whether_there_is_data_or_not():
    small, large = texts(SMALL, 40.0), texts(LARGE, 40.0)
    assert [(mark.fill, mark.font) for mark in small + large] == [("muted", "sans")] * 2


@pytest.mark.parametrize("value", [1.0, -0.1007, -1.005e-8])
def test_a_number_is_no_wider_than_its_room_in_a_wide_font(value):
    [mark] = texts(value, 76.0)
    assert mark.size <= NUMBER
    assert 0.7 * mark.size * len(mark.text) <= 76.001
