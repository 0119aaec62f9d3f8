"""A page of two graphs laid over each other, opened from the disk without a network."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import adviz as ad

from ..stage.shows.comparing.compared_versions import traced_versions


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return ad.show_comparison(*traced_versions()).save(tmp_path_factory.mktemp("compared") / "both.html")


@pytest.fixture
def page(saved: Path, new_page) -> Locator:
    page = new_page(offline=True, reduced_motion="reduce")
    page.goto(saved.as_uri())
    expect(page.locator(".adviz-compare")).to_be_visible()
    return page


def only(page, side: str) -> Locator:
    return page.locator(f'.adviz-node[data-only="{side}"]').first


def opacity(item: Locator) -> float:
    return float(item.evaluate("element => getComputedStyle(element).opacity"))


def test_the_slider_leads_from_one_graph_to_the_other(page):
    slider = page.get_by_role("slider", name="From yesterday to today")
    assert opacity(only(page, "after")) == 1
    slider.press("Home")
    assert opacity(only(page, "after")) == pytest.approx(0.1)
    expect(slider).to_have_attribute("aria-valuetext", "yesterday")
    expect(page.locator(".adviz-node .adviz-label", has_text="Σ")).to_have_text("Σ")
    slider.press("ArrowRight")
    assert opacity(only(page, "after")) > 0.1
    page.get_by_role("button", name="today", exact=True).click()
    assert opacity(only(page, "after")) == 1
    expect(page.locator(".adviz-node .adviz-label", has_text="mean")).to_have_text("mean")


def test_buttons_and_keys_go_from_difference_to_difference(page):
    page.get_by_role("button", name="2 added").click()
    expect(page.locator('.adviz-node[data-mark="selected"]')).to_have_count(2)
    expect(page.locator(".adviz-status")).to_have_text("2 nodes selected")
    page.locator(".adviz-surface").press("n")
    expect(page.locator('.adviz-node[data-mark="selected"]')).to_have_count(1)
    expect(page.locator(".adviz-compare-turn")).to_have_text("1 of 2")
    expect(page.locator(".adviz-inspector")).to_contain_text("only in today")


def test_both_sources_are_there_with_signs(page):
    expect(page.locator(".adviz-source")).to_have_count(2)
    assert page.locator(".adviz-line-number[data-change]").evaluate_all(
        "all => all.map(each => each.dataset.change)"
    ) == ["≠", "≠", "≠", "+", "≠"]


def test_the_list_stays_open_and_the_keyboard_follows(page):
    page.locator(".adviz-compared .adviz-link").first.click()
    expect(page.get_by_role("tab", name="Differences")).to_have_attribute("aria-selected", "true")
    page.locator(".adviz-surface").press("n")
    focused = page.locator(".adviz-node:focus")
    expect(focused).to_have_attribute("data-mark", "selected")


def test_the_legend_has_the_signs_and_the_keys(page):
    page.get_by_role("button", name="Legend").click()
    legend = page.get_by_role("region", name="Legend")
    for words in ("only in today", "only in yesterday", "in both, but not the same", "next difference"):
        expect(legend).to_contain_text(words)
    expect(legend).not_to_contain_text("Families")
    expect(legend).not_to_contain_text("play")


def test_another_explorer_in_the_notebook_leaves_it_as_it_is(notebook):
    """Each has a copy of the style sheet, and the last one on the page decides."""
    page = notebook(
        [
            "import adviz as ad, numpy as np\nf = lambda x: np.sin(x) * x",
            "ad.show_comparison(ad.trace(f, 1.0), ad.trace(lambda x: f(x) + x, 1.0))",
            "ad.explore(f, 1.0)",
        ]
    )
    expect(page.locator(".adviz-frame")).to_have_count(2)
    assert page.locator(".adviz-compare").evaluate("element => element.clientHeight") < 80


@pytest.mark.parametrize("width", [460, 760, 1280])
def test_nothing_is_wider_than_the_page(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    strip = page.locator(".adviz-compare")
    assert strip.evaluate("element => element.scrollWidth <= element.clientWidth")
    boxes = strip.locator(":scope > *").evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    assert max(boxes) <= width
