"""Every show in one notebook: each is alive, goes to its end, and has a picture all the way."""

import pytest
from playwright.sync_api import expect

from .explorers import ANY
from .players import press

SHOWS = [
    "ad.explore(f, x)",
    "ad.play(f, x)",
    "ad.show_forward(f, x)",
    "ad.show_backward(f, x)",
    "ad.show_backward(f, x, jacobian=True)",
    "ad.show_tape_vs_graph(f, x)",
    "ad.show_program(f, x)",
    "ad.show_comparison(ad.trace(f, x), ad.trace(g, x))",
    "ad.show_elimination(f, x, effort=500)",
    "ad.show_elimination(f, x, technique='face', effort=500)",
    "ad.show_algebra(f, x, effort=500)",
    "ad.show_ops(op)",
    "ad.show_computation(ad.lazy.computation([op]))",
    "ad.show_build(f, x)",
]
MARKS = "svg => svg.querySelectorAll('path, rect, text').length"
GIVEN = """
import numpy as np
import adviz as ad

def f(x):
    return np.sum(np.sin(x) * x)

def g(x):
    return np.sum(np.cos(x) * x)

def build():
    return ad.lazy.variable((), 2.0, name="w") * 3.0

x, op = np.array([0.5, 1.5]), build()
"""


@pytest.mark.smoke
def test_every_show_is_alive_and_goes_to_its_end(notebook):
    shows = notebook([GIVEN, *SHOWS]).locator(ANY)
    expect(shows).to_have_count(len(SHOWS))
    for place, called in enumerate(SHOWS):
        show = shows.nth(place)
        show.scroll_into_view_if_needed()
        for key in ("Home", "ArrowRight", "End"):
            press(show, key)
            assert show.locator("svg").first.evaluate(MARKS) > 3, called
