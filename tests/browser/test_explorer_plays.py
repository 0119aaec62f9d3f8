"""An Explorer that plays the evaluation in the place of its graph, and leads back to the graph as it was."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .explorers import by_operations, camera, expect_iteration, explorer_of, folded_scope, node, selected_nodes
from .players import caption, expect_cursor, last_cursor, player_of, press, wait_until_python_says
from .test_player_looks import AXE, MEASURES, VIOLATIONS

KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
CELL = """
import numpy as np
import adviz as ad

def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)

explorer = ad.explore(waves, 1.2, 0.5)
explorer
"""
OTHER = "other = ad.explore(lambda ripples: ripples * ripples, 3.0)\nother"


def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)


def decay(x, steps=1000):
    for _ in range(steps):
        x = x - 0.1 * np.sin(x)
    return x


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A folder with two pages."""
    folder = tmp_path_factory.mktemp("saved")
    ad.explore(waves, 1.2, 0.5).save(folder / "waves.html")
    ad.explore(decay, 1.0).save(folder / "decay.html")
    return folder


def play(explorer: Locator) -> None:
    explorer.get_by_role("button", name="Play", exact=True).click()


def back(player: Locator) -> None:
    player.get_by_role("button", name="Back to the graph").click()


@pytest.fixture(scope="module")
def page(module_notebook) -> Page:
    return module_notebook([CELL, OTHER])


@pytest.fixture
def explorer(lab, page: Page) -> Locator:
    """A new Explorer in a notebook."""
    lab.run_cell(page, 0)
    return explorer_of(page, "waves")


def test_in_a_notebook_the_kernel_makes_the_show_and_hears_what_is_selected_in_it(lab, page, explorer):
    node(explorer, 1).click()
    looked_from = camera(explorer)
    play(explorer)
    player = player_of(page, "waves")
    expect(explorer).to_be_hidden()
    press(player, "ArrowRight")
    expect(caption(player)).to_have_text("x is given: 1.2.")
    press(player, "End")
    expect(caption(player)).to_have_text("The result is 0.7454.")
    player.locator('.adviz-world [data-node="3"]').click()
    wait_until_python_says(lab, page, "explorer.selection", [3])
    lab.ask(page, "explorer.selection = [2]")
    expect(player.locator('.adviz-world [data-mark="selected"]')).to_have_attribute("data-node", "2")
    back(player)
    expect(player).to_have_count(0)
    expect(explorer.get_by_role("button", name="Play", exact=True)).to_be_focused()
    assert selected_nodes(explorer) == [2]
    assert camera(explorer) == looked_from


def test_two_explorers_on_one_page_play_apart(lab, page, explorer):
    lab.run_cell(page, 1)
    other = explorer_of(page, "<lambda>")
    play(other)
    play(explorer)
    ripples, player = player_of(page, "<lambda>"), player_of(page, "waves")
    press(player, "End")
    expect_cursor(ripples, 0)
    press(player, "Escape")
    expect(explorer).to_be_visible()
    press(ripples, "ArrowRight")
    expect(caption(ripples)).to_have_text("ripples is given: 3.")


def test_when_the_kernel_is_lost_the_button_says_what_to_do(page, explorer):
    page.evaluate(f"{KERNEL}.restart()")
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    play(explorer)
    expect(explorer.locator(".adviz-status")).to_have_text("Python no longer has this graph: run its cell again.")
    expect(explorer).to_be_visible()


def test_a_saved_page_plays_by_keyboard_alone(saved, page_offline):
    page_offline.goto((saved / "waves.html").as_uri())
    explorer = explorer_of(page_offline, "waves")
    page_offline.keyboard.press("End")
    page_offline.keyboard.press("Enter")
    page_offline.keyboard.press("e")
    player = player_of(page_offline, "waves")
    expect(player).to_be_focused()
    for _ in range(last_cursor(player)):
        page_offline.keyboard.press("ArrowRight")
    expect(caption(player)).to_have_text("The result is 0.7454.")
    page_offline.keyboard.press("Escape")
    expect(explorer).to_be_visible()
    assert selected_nodes(explorer) == [8]
    page_offline.keyboard.press("e")
    expect_cursor(player_of(page_offline, "waves"), 10)


def test_the_opened_scope_and_what_is_looked_at_are_found_again(saved, page_offline):
    page_offline.goto((saved / "decay.html").as_uri())
    explorer = by_operations(explorer_of(page_offline, "decay"))
    folded_scope(explorer).locator("[data-open]").click()
    expect_iteration(explorer, 1)
    for _ in range(3):
        explorer.get_by_role("button", name="Zoom in").click()
    page_offline.wait_for_timeout(600)  # until it stands still
    looked_from = camera(explorer)
    play(explorer)
    player = player_of(page_offline, "decay")
    press(player, "End")
    back(player)
    expect_iteration(explorer, 1)
    assert camera(explorer) == looked_from


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [460, 1280])
@pytest.mark.parametrize("name", ["waves", "decay"])
def test_the_show_is_accessible_and_has_its_room(saved, new_page, name, width, scheme):
    viewport = {"width": width, "height": 900}
    # The audit is put into the page by a way that the page's own policy forbids.
    page = new_page(offline=True, viewport=viewport, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    page.goto((saved / f"{name}.html").as_uri())
    page.add_script_tag(path=AXE)
    explorer = explorer_of(page, name)
    play(explorer)
    player = player_of(page, name)
    for key in ("Home", "ArrowRight", "End"):
        press(player, key)
        for measure in ("faint", "cut", "overlapping"):
            assert player.evaluate(f"({MEASURES}).{measure}") == [], (key, measure)
        assert page.locator("main").evaluate(VIOLATIONS) == [], key
        assert page.evaluate("document.documentElement.scrollWidth") <= width, key
    back(player)
    assert explorer.evaluate(f"({MEASURES}).faint") == []
    assert page.locator("main").evaluate(VIOLATIONS) == []
