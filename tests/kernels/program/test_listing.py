"""The lines of a program as they are read."""

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.program.listing import WIDTH


def comments(program):
    """Where the comments of a program begin, and how long its code is."""
    texts = [line.text for line in program.lines if "#" in line.text]
    return [text.index("#") for text in texts], [len(text.partition("#")[0].rstrip()) for text in texts]


def test_comments_begin_behind_the_longest_line():
    places, widths = comments(ad.compile_jacobian(lambda x, y: np.sin(x) * y, 1.0, 2.0))
    assert {*places} == {max(widths) + 2}


def test_a_line_that_is_very_long_moves_its_own_comment_only():
    places, widths = comments(program_of("Roe flux"))
    assert max(widths) > WIDTH
    assert places == [max(width, WIDTH) + 2 for width in widths]


def program_of(name):
    """The program of an example."""
    return ad.compile_jacobian(ad.examples[name].program, *ad.examples[name].arguments)


@pytest.mark.parametrize("name", ["Roe flux", "pollution"])
def test_no_line_ends_in_blanks(name):
    assert all(line.text == line.text.rstrip() for line in program_of(name).lines)
