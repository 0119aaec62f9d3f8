"""A page saved by `Explorer.save`, opened from the disk without a network: all that its reader can do there."""

import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .explorers import (
    by_operations,
    camera,
    expect_iteration,
    expect_scope,
    explorer_of,
    folded_scope,
    marked_source,
    node,
    search_box,
    selected_nodes,
    transform,
)


def decay(x, steps=100):
    for _ in range(steps):
        x = x - 0.1 * np.sin(x)
    return x


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return ad.explore(decay, 1.0).save(tmp_path_factory.mktemp("saved") / "decay.html")


@pytest.fixture
def explorer(saved: Path, new_page) -> Locator:
    """The Explorer of the saved page. It moves at once, as its camera is looked at."""
    page = new_page(offline=True, reduced_motion="reduce")
    page.goto(saved.as_uri())
    return by_operations(explorer_of(page, "decay"))


def middle(explorer: Locator) -> tuple[float, float]:
    """A place in the picture where there is no item: left of its middle."""
    box = explorer.locator(".adviz-surface").bounding_box()
    return box["x"] + 60, box["y"] + box["height"] / 2


def test_the_picture_is_dragged(explorer):
    mouse = explorer.page.mouse
    x, y, scale = camera(explorer)
    mouse.move(*middle(explorer))
    mouse.down()
    mouse.move(middle(explorer)[0] + 50, middle(explorer)[1] + 30, steps=3)
    mouse.up()
    assert camera(explorer) == pytest.approx([x + 50, y + 30, scale])
    assert selected_nodes(explorer) == []


def test_the_wheel_zooms_about_the_pointer(explorer):
    mouse = explorer.page.mouse
    mouse.click(*middle(explorer))
    before = folded_scope(explorer).bounding_box()
    left, top = before["x"] + 3, before["y"] + 3
    unzoomed = transform(explorer)
    mouse.move(left, top)
    mouse.wheel(0, -200)
    expect(explorer.locator(".adviz-world")).not_to_have_attribute("transform", unzoomed)
    after = folded_scope(explorer).bounding_box()
    assert after["width"] > 1.3 * before["width"]
    assert (after["x"], after["y"]) == pytest.approx((left - 3, top - 3), abs=4)


def test_what_is_searched_is_found_in_the_folded_scope(explorer):
    search_box(explorer).fill("block:sin")
    expect(explorer.locator(".adviz-found")).to_have_text("100")
    explorer.page.keyboard.press("Enter")
    expect(folded_scope(explorer)).to_have_attribute("data-mark", "contains")
    expect(explorer.locator(".adviz-inspector h3")).to_have_text("100 nodes selected")
    assert marked_source(explorer) == "np.sin(x)"


def test_code_and_nodes_lead_to_each_other(explorer):
    folded_scope(explorer).dblclick()
    expect_iteration(explorer, 1)
    node(explorer, 1).click()
    assert marked_source(explorer) == "np.sin(x)"
    inspector = explorer.locator(".adviz-inspector")
    expect(inspector).to_contain_text("v1 = sin(v0)")
    expect(inspector).to_contain_text("0.84147098")
    expect(inspector).to_contain_text("cos x")
    explorer.locator(".adviz-code").get_by_text("0.1 * ").click()
    expect(explorer.locator(".adviz-inspector h3")).to_have_text("100 nodes selected")
    assert selected_nodes(explorer) == [2]


def one_long_line(x):
    return 1.0 * x + 2.0 * x + 3.0 * x + 4.0 * x + 5.0 * x + 6.0 * x + 7.0 * x + 8.0 * x + np.exp(x)


def test_marked_code_is_scrolled_to_in_both_directions(tmp_path: Path, page_offline: Page):
    explorer = ad.explore(one_long_line, 1.0)
    page_offline.goto(explorer.save(tmp_path / "page.html").as_uri())
    shown = explorer_of(page_offline, "one_long_line")
    for query, code in [("block:exp", "np.exp(x)"), ("node = 1", "1.0 * x")]:
        search_box(shown).fill(query)
        page_offline.keyboard.press("Enter")
        expect(shown.locator(".adviz-mark").first).to_be_in_viewport(ratio=1)
        assert marked_source(shown) == code


def test_scopes_are_walked_and_left(explorer):
    folded_scope(explorer).locator("[data-open]").click()
    expect_iteration(explorer, 1)
    explorer.get_by_role("button", name="Next iteration").click()
    expect_iteration(explorer, 2)
    expect(node(explorer, 4)).to_be_visible()
    explorer.locator(".adviz-trail").get_by_role("button", name="decay").click()
    expect_scope(explorer, "decay")
    expect(folded_scope(explorer)).to_be_visible()


def test_a_scope_that_was_not_saved_is_said_to_be_missing_and_the_picture_stays(explorer):
    folded_scope(explorer).dblclick()
    number = explorer.get_by_role("spinbutton", name="Number of the iteration")
    number.fill("90")
    number.press("Enter")
    expect(explorer.locator(".adviz-status")).to_have_text("This scope is not in this saved page.")
    expect(node(explorer, 1)).to_be_visible()


def test_without_scripts_the_still_picture_is_shown(saved: Path, new_page):
    page = new_page(offline=True, java_script_enabled=False)
    page.goto(saved.as_uri())
    expect(page.locator("[data-adviz-id] svg")).to_be_visible()
    expect(page.locator("svg text").get_by_text("for _ in range(steps)")).to_be_visible()


def recurrence(x):
    for _ in range(33_333):
        x = 3.7 * x * (1.0 - x)
    return x


def test_a_page_of_a_hundred_thousand_nodes_opens(tmp_path: Path, page_offline: Page):
    explorer = ad.explore(recurrence, 0.4, grain="scalar")
    assert len(explorer.graph) > 100_000 - 2
    file = explorer.save(tmp_path / "recurrence.html")
    start = time.perf_counter()
    page_offline.goto(file.as_uri())
    shown = explorer_of(page_offline, "recurrence")
    print(f"{file.stat().st_size / 1e6:.1f} MB, opened in {time.perf_counter() - start:.2f} s")
    folded_scope(shown).dblclick()
    expect_iteration(shown, 1)
