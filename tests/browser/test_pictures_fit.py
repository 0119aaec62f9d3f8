"""Pictures of sweeps fit their windows: letters can be read, nothing overlaps, is cut off, or moves by itself.

Ten of the graphs of the design are looked at with every landing; the others, drawn programs and public functions with
everything.
"""

import pytest
from playwright.sync_api import Page

import adviz as ad

from .pictures import DESIGNED, Measures, drawn, measured, public, saved

SMALLEST = {"760": 6.5, "1280": 7.5, "1920": 11.0, "presenting": 11.5}
"""px of letters that no picture falls below; those of the ten are larger."""
LEGIBLE = {"1280": 10.5, "1920": 11.5}
FURTHER = "exp(sin(x²))", "x² + exp(−x)", "(w·x + b − 1)²", "LSTM cell"
TEN = [name for name in DESIGNED if name not in FURTHER]
OTHERS = {**{name: DESIGNED[name] for name in DESIGNED if name not in TEN}, **dict(drawn(40)), **dict(public(30))}
SHOWS = {"backward": ad.show_backward, "forward": ad.show_forward}


def check(found: Measures, smallest: float) -> None:
    assert not found.overlaps
    assert not found.outside
    assert found.smallest >= smallest


@pytest.mark.smoke
@pytest.mark.parametrize("name", TEN)
def test_pictures_of_ten_graphs_can_be_read(page_offline: Page, tmp_path, name):
    path = tmp_path / "page.html"
    assert saved(ad.show_backward, DESIGNED[name], path)
    for size, smallest in LEGIBLE.items():
        check(measured(page_offline, path, size), smallest)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHOWS)
@pytest.mark.parametrize("name", OTHERS)
def test_pictures_of_drawn_and_public_functions_can_be_read(page_offline: Page, tmp_path, name, kind):
    path = tmp_path / "page.html"
    if not saved(SHOWS[kind], OTHERS[name], path):
        return  # refused by name, which other tests look at
    for size, smallest in SMALLEST.items():
        if found := measured(page_offline, path, size):
            check(found, smallest)
