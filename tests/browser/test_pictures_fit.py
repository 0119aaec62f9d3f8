"""Pictures of sweeps fit their windows: letters can be read, nothing overlaps, is cut off, or moves by itself.

Ten of the graphs of the design are looked at with every landing; the others, drawn programs and public functions with
everything.
"""

import numpy as np
import pytest
from playwright.sync_api import Page

import adviz as ad

from .pictures import DESIGNED, Measures, drawn, measured, public, saved

SMALLEST = {"760": 6.5, "1280": 7.5, "1920": 11.0, "presenting": 11.5}
"""px of letters that no picture falls below; those of the ten are larger."""
LEGIBLE = {"760": 10.0, "1280": 11.0, "1920": 11.5}
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


def normalized(X, W1, gamma, beta, W2, t):
    a = X @ W1
    mean = a.mean(axis=0)
    var = a.var(axis=0)
    a_hat = (a - mean) / np.sqrt(var + 1e-5)
    h = np.maximum(0, gamma * a_hat + beta)
    out = h @ W2
    return np.mean((out - t) ** 2)


@pytest.mark.smoke
def test_a_picture_that_could_not_be_read_beside_the_source_has_all_the_width_also_when_a_box_opens(
    page_offline: Page, tmp_path
):
    random = np.random.default_rng(3)
    shapes = (4, 3), (3, 3), (3,), (3,), (3, 1), (4, 1)
    case = normalized, tuple(random.normal(size=shape) for shape in shapes)
    path = tmp_path / "page.html"
    assert saved(ad.show_backward, case, path)
    for size in ("760", "1280"):
        check(measured(page_offline, path, size), LEGIBLE[size])
    bench = page_offline.locator(".adviz-bench")
    picture, before = page_offline.locator(".adviz-flow"), bench.bounding_box()
    start = page_offline.locator(".adviz-foot").bounding_box()["y"]
    assert picture.bounding_box()["width"] > 1200
    assert before["y"] > picture.bounding_box()["y"] + picture.bounding_box()["height"] - 2
    page_offline.locator('.adviz-flow [data-node][aria-label^="var"]').last.click(force=True)
    page_offline.wait_for_selector(".adviz-path b")
    moved = page_offline.locator(".adviz-foot").bounding_box()["y"] - start  # its caption may be of more lines
    after = bench.bounding_box()
    assert (after["x"], after["width"]) == (before["x"], before["width"])
    assert abs(after["y"] - before["y"]) <= abs(moved) + 1


@pytest.mark.smoke
def test_the_bench_has_the_height_that_the_picture_does_not_take(page_offline: Page, tmp_path):
    path = tmp_path / "page.html"
    assert saved(ad.show_backward, DESIGNED["two-layer net"], path)
    check(measured(page_offline, path, "1280"), LEGIBLE["1280"])
    tables = page_offline.locator(".adviz-tables")
    pixels = tables.evaluate("e => e.clientHeight / parseFloat(getComputedStyle(e).getPropertyValue('--high'))")
    assert pixels >= 0.85  # of the screen for one of the layout, where it would have 0.8
