"""The first notebook in JupyterLab, and what its reader does with mouse and keyboard."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .explorers import (
    camera,
    expect_focus,
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

pytestmark = pytest.mark.smoke
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_first_graph.ipynb"
CELL_COUNT = "jupyterapp.shell.currentWidget.content.widgets.length"
SCROLLED = "document.querySelector('.jp-WindowedPanel-outer').scrollTop"


@pytest.fixture(scope="module")
def page(lab, module_page):
    """The notebook, all cells run; the picture moves at once, as its camera is looked at."""
    page = module_page(reduced_motion="reduce")
    shutil.copy(NOTEBOOK, lab.root)
    lab.open(page, NOTEBOOK.name)
    lab.run_all(page)
    yield page
    lab.stop_kernels([NOTEBOOK.name])


@pytest.fixture
def bumps(lab, page: Page) -> Locator:
    """Its first Explorer, with nothing selected and all of it in view."""
    explorer = explorer_of(page, "bumps")
    # Until the page has told Python of the clicks of the test before, Python has nothing to take back.
    fit = explorer.get_by_role("button", name="Fit")
    if fit.is_visible():  # statements are all in sight
        fit.click()
    for _ in range(10):
        lab.ask(page, "explorer.selection = [0]; explorer.selection = []")
        try:
            expect(explorer.locator('[data-mark="selected"]')).to_have_count(0, timeout=5_000)
        except AssertionError:
            continue
        return explorer
    raise AssertionError("a node stays selected")


def test_clicking_a_node_marks_its_source_and_selects_it_in_python(lab, page, bumps):
    node(bumps, 2).click()
    assert marked_source(bumps) == "np.sin(x) * x"
    assert lab.ask(page, "print(explorer.selection)") == "[2]\n"


def test_nodes_selected_in_python_are_marked_in_the_picture(lab, page, bumps):
    lab.ask(page, "explorer.selection = [3, 5]")
    expect(bumps.locator('.adviz-node[data-mark="selected"]')).to_have_count(2)
    assert selected_nodes(bumps) == [3, 5]
    assert marked_source(bumps) == "np.exp(-0.1 * x**2)"


def test_shift_click_selects_a_second_node_and_shows_the_paths_between(lab, page, bumps):
    node(bumps, 0).click()
    node(bumps, 7).click(modifiers=["Shift"])
    node(bumps, 7).hover(position={"x": 24, "y": 30})  # the pointer trembles: what was chosen stays in the inspector
    expect(bumps.locator(".adviz-inspector h3")).to_have_text(re.compile("^3 paths"))
    assert lab.ask(page, "print(explorer.selection)") == "[0, 7]\n"


def test_the_inspector_shows_the_value_and_the_local_jacobians(bumps):
    node(bumps, 2).click()
    inspector = bumps.locator(".adviz-inspector")
    expect(inspector).to_contain_text("v2 = v1 × v0")
    expect(inspector.get_by_role("img", name="0, 0.511, 1.496, 1.751, 0.423")).to_be_visible()
    expect(inspector.get_by_role("listitem").filter(has_text="diagonal 5 × 5").first).to_contain_text("sin(x)")
    expect(inspector.get_by_text("diagonal 5 × 5")).to_have_count(2)
    inspector.locator('[data-link="1"]').first.click()
    expect(inspector).to_contain_text("v1 = sin(v0)")
    assert selected_nodes(bumps) == [1]


def test_clicking_in_the_source_selects_what_it_made(lab, page, bumps):
    bumps.locator(".adviz-code").get_by_text("np.exp(", exact=True).click()
    assert selected_nodes(bumps) == [5]
    assert lab.ask(page, "print(explorer.selection)") == "[5]\n"


def test_arrow_keys_walk_to_what_is_next_in_the_picture(page, bumps):
    node(bumps, 1).click()
    for key, reached in [("ArrowDown", 3), ("ArrowRight", 4), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", 7)]:
        page.keyboard.press(key)
        expect_focus(page, reached)
    page.keyboard.press("Enter")
    assert selected_nodes(bumps) == [7]


def test_the_picture_zooms_and_fits_by_keys(page, bumps):
    node(bumps, 0).click()
    page.keyboard.press("f")
    fitted = camera(bumps)
    page.keyboard.press("+")
    assert camera(bumps) != fitted
    page.keyboard.press("f")
    assert camera(bumps) == fitted


def test_keys_typed_into_the_search_box_are_not_the_notebooks(page, bumps):
    cells = page.evaluate(CELL_COUNT)
    node(bumps, 0).click()
    page.keyboard.press("/")
    expect(search_box(bumps)).to_be_focused()
    page.keyboard.type("a b dd x m y")  # JupyterLab's keys for new cells, deleting, cutting, Markdown and code
    expect(search_box(bumps)).to_have_value("a b dd x m y")
    assert page.evaluate(CELL_COUNT) == cells


def test_keys_typed_into_the_picture_are_not_the_notebooks(page, bumps):
    cells = page.evaluate(CELL_COUNT)
    node(bumps, 0).click()
    page.keyboard.type("abddxmy")
    expect_focus(page, 0)
    assert page.evaluate(CELL_COUNT) == cells


def test_what_is_searched_is_found_and_selected(lab, page, bumps):
    node(bumps, 0).click()
    page.keyboard.press("/")
    search_box(bumps).fill("times_used > 1")
    expect(bumps.get_by_role("listbox", name="Results").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    assert lab.ask(page, "print(explorer.selection)") == "[0]\n"
    search_box(bumps).fill("times_used >")
    expect(bumps.get_by_role("alert")).to_contain_text("needs a number")
    page.keyboard.press("Escape")


def test_a_row_of_the_sizes_selects_its_nodes(bumps):
    bumps.get_by_role("tab", name="Sizes").click()
    bumps.get_by_role("combobox", name="Count nodes by").select_option("block")
    bumps.get_by_role("button", name="multiply").click()
    assert selected_nodes(bumps) == [2, 4, 6]


def test_the_wheel_scrolls_the_notebook_unless_the_picture_has_the_focus(page, bumps):
    search_box(bumps).focus()
    still = camera(bumps)
    box = bumps.locator(".adviz-surface").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2)
    before = page.evaluate(SCROLLED)
    page.mouse.wheel(0, 20)
    page.wait_for_function(f"{SCROLLED} > {before}")
    assert camera(bumps) == still
    page.mouse.click(box["x"] + 40, box["y"] + box["height"] / 2)
    after = page.evaluate(SCROLLED)
    fitted = transform(bumps)
    page.mouse.wheel(0, 20)
    expect(bumps.locator(".adviz-world")).not_to_have_attribute("transform", fitted)
    assert page.evaluate(SCROLLED) == after


def test_enter_goes_into_a_folded_scope_and_backspace_out_again(page):
    explorer = explorer_of(page, "logistic_map")
    folded_scope(explorer).focus()
    page.keyboard.press("Enter")
    expect_iteration(explorer, 1)
    explorer.get_by_role("button", name="Next iteration").click()
    expect_iteration(explorer, 2)
    node(explorer, 4).focus()
    page.keyboard.press("Backspace")
    expect_scope(explorer, "logistic_map")
    expect(page.locator(".adviz-node:focus")).to_have_class(re.compile("adviz-scope"))
