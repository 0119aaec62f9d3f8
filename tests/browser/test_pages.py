"""Pages opened from the disk, without a network: the saved page, and the still picture."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import adviz as ad
from adviz.stage.export.html import page, static_html
from adviz.stage.shows import explorer_scene
from adviz.stage.shows.detail import detail

BUNDLE = files("adviz").joinpath("static/graphs.js")


def two_layers(x, W, b):
    h = np.tanh(x @ W + b)
    return np.sum(h * h)


@pytest.fixture(scope="module")
def graph() -> ad.Graph:
    """A small graph with its source."""
    return ad.trace(two_layers, np.ones((4, 3)), np.full((3, 2), 0.5), np.zeros(2))


@pytest.fixture
def saved(graph: ad.Graph, tmp_path: Path) -> Path:
    """A saved page of that graph, with the details of all nodes but the last."""
    document, columns = explorer_scene.document(graph)
    details = {node: detail(graph, node) for node in range(len(graph) - 1)}
    views = {0: document["panels"][0]}
    file = tmp_path / "page.html"
    file.write_text(page(document, columns, views, details, BUNDLE.read_text(encoding="utf-8")), encoding="utf-8")
    return file


@pytest.mark.smoke
def test_a_saved_page_is_alive_without_kernel_and_network(saved: Path, page_offline: Page) -> None:
    page_offline.goto(saved.as_uri())
    page_offline.locator('.adviz-node[data-key="n5"]').click()
    expect(page_offline.get_by_text("v5 = tanh(v4)")).to_be_visible()
    expect(page_offline.locator("[data-adviz-id]")).to_be_hidden()


def test_a_saved_page_is_quick(saved: Path, page_offline: Page) -> None:
    """It is laid out a few times at most; how many seconds, `bench/explore.py` says."""
    devtools = page_offline.context.new_cdp_session(page_offline)
    devtools.send("Performance.enable")
    page_offline.goto(saved.as_uri())
    page_offline.wait_for_selector(".adviz-node")
    work = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}
    assert max(work["LayoutCount"], work["RecalcStyleCount"]) <= 20


def test_without_scripts_a_saved_page_shows_the_still_picture(saved: Path, new_page: Callable[..., Page]) -> None:
    still = new_page(offline=True, java_script_enabled=False)
    still.goto(saved.as_uri())
    expect(still.locator("svg text").get_by_text("tanh")).to_be_visible()
    expect(still.locator("noscript p")).to_be_visible()


@pytest.mark.parametrize(
    ("attribute", "system", "paper"),
    [
        ('data-jp-theme-light="true"', "dark", "rgb(255, 255, 255)"),
        ('data-jp-theme-light="false"', "light", "rgb(20, 24, 29)"),
        ("", "light", "rgb(255, 255, 255)"),
        ("", "dark", "rgb(20, 24, 29)"),
    ],
)
def test_the_still_picture_follows_the_theme_of_its_page(
    graph: ad.Graph, tmp_path: Path, new_page: Callable[..., Page], attribute: str, system: str, paper: str
) -> None:
    file = tmp_path / "still.html"
    document, _ = explorer_scene.document(graph)
    pictures = static_html(document, "a") + static_html(document, "b")
    file.write_text(f'<!doctype html><meta charset="utf-8"><body {attribute}>{pictures}', encoding="utf-8")
    still = new_page(offline=True, java_script_enabled=True, color_scheme=system)
    still.goto(file.as_uri())
    fills = still.eval_on_selector_all("svg > rect", "boxes => boxes.map(box => getComputedStyle(box).fill)")
    assert fills == [paper, paper]


def test_a_large_still_picture_is_scaled_but_stays_readable(tmp_path: Path, new_page: Callable[..., Page]) -> None:
    wide = ad.trace(lambda *xs: np.stack(xs).sum(), *np.ones((30, 3)))
    document, _ = explorer_scene.document(wide)
    file = tmp_path / "wide.html"
    file.write_text(f'<!doctype html><meta charset="utf-8">{static_html(document, "a")}', encoding="utf-8")
    still = new_page(offline=True, viewport={"width": 800, "height": 600})
    still.goto(file.as_uri())
    width = still.locator("svg").evaluate("picture => picture.getBoundingClientRect().width")
    assert width == pytest.approx(0.6 * float(still.locator("svg").get_attribute("width") or 0), rel=0.01)
    assert still.evaluate("document.documentElement.scrollWidth") <= 800
