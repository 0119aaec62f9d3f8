"""Several Explorers on one page, and cells that are run again and again."""

import pytest
from playwright.sync_api import CDPSession, Page, expect

from .explorers import ANY, STILL, explorer_of, node, selected_nodes

FUNCTIONS = """
import numpy as np
import adviz as ad

def waves(x):
    return np.sin(x) * x

def hills(x):
    return np.exp(-x) * x
"""
ALIVE = "function() { return this.filter(element => element.matches('.adviz')).length; }"
LISTENERS = """
[window, document, document.body, document.head]
    .flatMap(target => Object.values(getEventListeners(target))).reduce((sum, {length}) => sum + length, 0)
"""


@pytest.fixture(scope="module")
def page(module_notebook) -> Page:
    """One Explorer of each function, and the second one once more."""
    return module_notebook(
        [FUNCTIONS, "one = ad.explore(waves, 2.0)\none", "other = ad.explore(hills, 2.0)\nother", "other"]
    )


def test_two_explorers_are_independent(lab, page):
    node(explorer_of(page, "waves"), 1).click()
    assert selected_nodes(explorer_of(page, "hills")) == []
    node(explorer_of(page, "hills"), 2).click()
    assert selected_nodes(explorer_of(page, "waves")) == [1]
    assert lab.ask(page, "print(one.selection, other.selection)") == "[1] [2]\n"


def test_two_views_of_one_explorer_show_the_same_selection(page):
    node(explorer_of(page, "hills", view=1), 1).click()
    marked = explorer_of(page, "hills", view=0).locator('[data-mark="selected"]')
    expect(marked).to_have_attribute("data-node", "1")


def test_a_cell_that_is_run_ten_times_leaves_nothing_behind(lab, page):
    lab.run_cell(page, 1)  # whatever the page sets up once is set up now
    session = page.context.new_cdp_session(page)
    listeners = page_listeners(session)
    for _ in range(10):
        lab.run_cell(page, 1)
        node(explorer_of(page, "waves"), 1).click()
    assert page_listeners(session) - listeners < 10  # JupyterLab adds one of its own now and then
    assert explorers_alive(session) == page.locator(ANY).count() == 3
    expect(page.locator(STILL).filter(visible=True)).to_have_count(0)


def page_listeners(session: CDPSession) -> int:
    """How many listeners the page as a whole has, whoever added them."""
    answer = session.send("Runtime.evaluate", {"expression": LISTENERS, "includeCommandLineAPI": True})
    return answer["result"]["value"]


def explorers_alive(session: CDPSession) -> int:
    """How many Explorers are still in memory after a garbage collection, on the page or off it."""
    session.send("HeapProfiler.collectGarbage")  # queryObjects collects too, but not all
    kind = session.send("Runtime.evaluate", {"expression": "HTMLDivElement.prototype"})["result"]["objectId"]
    found = session.send("Runtime.queryObjects", {"prototypeObjectId": kind})["objects"]["objectId"]
    call = {"objectId": found, "functionDeclaration": ALIVE, "returnByValue": True}
    return session.send("Runtime.callFunctionOn", call)["result"]["value"]
