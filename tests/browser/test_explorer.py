"""The Explorer in a real JupyterLab: the first notebook, and a display that is never blank."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

FIRST_NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_first_graph.ipynb"
LIVE = ".adviz"
STILL = "[data-adviz-id]"

FUNCTION = """
import numpy as np
import adviz as ad

def f(x):
    return np.sum(np.sin(x) * x)
"""
FIVE_EXPLORERS = [FUNCTION, *(f"ad.explore(f, np.ones({n}))" for n in range(1, 6))]


def test_the_first_notebook_runs_and_its_explorer_talks_to_python(lab, new_page):
    page = new_page()
    shutil.copy(FIRST_NOTEBOOK, lab.root)
    lab.open(page, FIRST_NOTEBOOK.name)
    lab.run_all(page)
    explorer = page.locator(LIVE).first
    node(explorer, "sin, node 1,").click()
    expect(explorer.get_by_text("v1 = sin(v0)")).to_be_visible()
    assert marked_source(explorer) == "np.sin(x)"
    assert lab.ask(page, "print(explorer.selection)") == "[1]\n"
    lab.ask(page, "explorer.selection = [5]")
    expect(node(explorer, "exp, node 5,")).to_have_attribute("data-mark", "selected")
    assert marked_source(explorer) == "np.exp(-0.1 * x**2)"
    lab.stop_kernels()


def node(explorer: Locator, name: str) -> Locator:
    """The item of the picture whose accessible name begins so."""
    return explorer.locator(f'.adviz-node[aria-label^="{name}"]')


def marked_source(explorer: Locator) -> str:
    return "".join(explorer.locator(".adviz-code .adviz-mark").all_inner_texts())


def test_every_display_shows_something_live_after_a_reload_and_with_a_fresh_kernel(notebook, lab):
    page = notebook(FIVE_EXPLORERS)
    expect_displays(page, live=5, still=0)
    lab.save(page)
    lab.reopen(page)
    expect_displays(page, live=5, still=0)
    lab.stop_kernels()
    lab.reopen(page)
    expect_displays(page, live=0, still=5)


def expect_displays(page: Page, live: int, still: int) -> None:
    """Scroll to every display of each kind and see that so many are visible, and no others."""
    expect(page.locator(LIVE)).to_have_count(live)
    expect(page.locator(STILL)).to_have_count(5)
    for display in page.locator(LIVE if live else STILL).all():
        display.scroll_into_view_if_needed()
        expect(display).to_be_visible()
    expect(page.locator(STILL).filter(visible=True)).to_have_count(still)


@pytest.mark.parametrize("scripts", [True, False], ids=["offline", "scripts-off"])
def test_an_exported_notebook_shows_every_still_picture(scripts, notebook, lab, new_page, complaints, tmp_path):
    page = notebook(FIVE_EXPLORERS)
    lab.save(page)
    saved = lab.root / page.evaluate("jupyterapp.shell.currentWidget.context.path")
    convert = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", tmp_path, saved]
    subprocess.run(convert, check=True, capture_output=True)
    exported = new_page(offline=True, java_script_enabled=scripts)
    exported.goto((tmp_path / saved.with_suffix(".html").name).as_uri())
    expect_displays(exported, live=0, still=5)
    complaints.clear()  # nbconvert's own template asks for MathJax and the widget manager from the network


def test_running_a_cell_again_leaves_one_explorer(notebook, lab):
    page = notebook([FUNCTION, "explorer = ad.explore(f, np.ones(3))\nexplorer"])
    for _ in range(3):
        lab.run_all(page)
    expect(page.locator(LIVE)).to_have_count(1)
    expect(page.locator(STILL).filter(visible=True)).to_have_count(0)
    node(page.locator(LIVE), "sin, node 1,").click()
    assert lab.ask(page, "print(explorer.selection)") == "[1]\n"
