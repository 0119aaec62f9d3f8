"""An Explorer whose kernel is busy, fails, or is gone: it says so in plain words, and its picture stays."""

import pytest
from playwright.sync_api import Locator, Page, expect

from .explorers import by_operations, expect_iteration, expect_scope, explorer_of, folded_scope, node

CELL = """
import adviz as ad

def growth(x, steps=1000):
    for _ in range(steps):
        x = x * 1.01 + 0.1
    return x

explorer = ad.explore(growth, 1.0)
explorer
"""
SHOW = """
import adviz as ad

ad.show_backward(lambda x, y: x * y, 2.0, 3.0)
"""
KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
LOST = "Python no longer has this graph: run its cell again."


@pytest.fixture(scope="module")
def page(module_notebook) -> Page:
    return module_notebook([CELL])


@pytest.fixture
def growth(lab, page: Page) -> Locator:
    """A new Explorer."""
    lab.run_cell(page, 0)
    return by_operations(explorer_of(page, "growth"))


def test_a_scope_that_cannot_be_shown_is_told_and_can_be_asked_for_again(lab, page, growth):
    lab.ask(page, "import adviz.jupyter.explorer as module; view, module.view = module.view, None")
    folded_scope(growth).dblclick()
    expect(growth.locator(".adviz-status")).to_contain_text("TypeError")
    expect(folded_scope(growth)).to_be_visible()
    lab.ask(page, "module.view = view")
    folded_scope(growth).dblclick()
    expect_iteration(growth, 1)


def test_a_busy_kernel_is_waited_for(lab, page, growth):
    # The request itself takes long: JupyterLab sends it to a thread of its own, beside whatever cell runs.
    lab.ask(page, "import time, adviz.jupyter.explorer as module; view = module.view")
    lab.ask(page, "module.view = lambda *scope: time.sleep(2) or view(*scope)")
    folded_scope(growth).dblclick()
    expect(growth.locator(".adviz-status")).to_have_text("Waiting for Python to place this scope …")
    expect_iteration(growth, 1)
    expect(growth.locator(".adviz-status")).not_to_contain_text("Waiting")
    lab.ask(page, "module.view = view")


def test_after_a_restart_of_the_kernel_the_picture_stays(lab, page, growth):
    page.evaluate(f"{KERNEL}.restart()")
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    folded_scope(growth).locator("[data-open]").click()
    expect(growth.locator(".adviz-status")).to_have_text(LOST)
    expect_scope(growth, "growth")
    node(growth, 0).click()
    expect(growth.locator(".adviz-inspector")).to_contain_text("Used 1 time")
    lab.run_cell(page, 0)
    folded_scope(by_operations(explorer_of(page, "growth"))).dblclick()
    expect_iteration(explorer_of(page, "growth"), 1)


def test_after_a_restart_of_the_kernel_sliders_rest_and_say_why(notebook):
    page = notebook([SHOW])
    sliders = page.locator(".adviz-inputs input")
    expect(sliders).to_have_count(2)
    expect(sliders.first).to_be_enabled()
    page.evaluate(f"{KERNEL}.restart()")
    for slider in sliders.all():
        expect(slider).to_be_disabled()
    expect(page.locator(".adviz-inputs")).to_contain_text("Python no longer has this program: run its cell again.")
    page.locator(".adviz-player").press("ArrowRight")
    expect(page.locator(".adviz-step-count")).to_contain_text("2 of")
