"""What can be measured of how an Explorer looks: contrast in each theme, room at each width, and motion."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .explorers import by_operations, expect_iteration, explorer_of, folded_scope, node, search_box

HERE = Path(__file__).parent
MEASURES = (HERE / "measures.js").read_text(encoding="utf-8")
THEMES = ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]
FUNCTION = """
import numpy as np
import adviz as ad

def every_family(x, W):
    'A docstring.'
    unused = np.cos(x)  # a dead node
    hidden = np.tanh(x @ W) * 0.5
    positive = np.maximum(hidden, 0.1).reshape(-1)
    return np.sum(np.exp(positive)) ** 2
"""


def decay(x, steps=1000):
    for _ in range(steps):
        x = x - 0.1 * np.sin(x)
    return x


@pytest.fixture(scope="module")
def lab_page(module_notebook) -> Page:
    return module_notebook([FUNCTION, "ad.explore(every_family, np.ones((4, 3)), np.ones((3, 2)))"])


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return ad.explore(decay, 1.0).save(tmp_path_factory.mktemp("saved") / "decay.html")


def states(explorer: Locator):
    """Bring an Explorer into each of its states; give their names."""
    yield "as it opens"
    by_operations(explorer)
    yield "by operations"
    explorer.get_by_role("button", name="Legend").click()
    yield "legend"
    explorer.get_by_role("button", name="Legend").click()
    search_box(explorer).fill("x")
    expect(explorer.get_by_role("option").first).to_be_visible()
    yield "search"
    search_box(explorer).fill("times_used >")
    expect(explorer.get_by_role("alert")).to_be_visible()
    yield "search refused"
    search_box(explorer).fill("")
    search_box(explorer).press("Escape")  # its examples may cover the node
    node(explorer, 3).click()
    expect(explorer.locator(".adviz-inspector")).to_contain_text(
        re.compile("Operands and local Jacobians|Local partials")
    )
    yield "one node selected"
    explorer.locator(".adviz-code .adviz-mark").first.hover()
    yield "code pointed at"
    node(explorer, 0).click(modifiers=["Shift"])
    expect(explorer.locator(".adviz-inspector h3")).to_contain_text("path")
    yield "two nodes selected"


@pytest.mark.parametrize("theme", THEMES)
def test_all_words_can_be_read(lab_page: Page, theme):
    light = theme == THEMES[0]
    lab_page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    expect(lab_page.locator("body")).to_have_attribute("data-jp-theme-light", str(light).lower())
    explorer = explorer_of(lab_page, "every_family")
    for state in states(explorer):
        faint = explorer.evaluate(f"({MEASURES}).faint")
        assert faint == [], f"{theme}, {state}"


@pytest.mark.parametrize("width", [360, 480, 800, 1600])
def test_everything_has_its_room(saved: Path, new_page, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page.goto(saved.as_uri())
    explorer = by_operations(explorer_of(page, "decay"))
    folded_scope(explorer).dblclick()
    expect_iteration(explorer, 1)
    for state in states(explorer):
        assert explorer.evaluate(f"({MEASURES}).cut") == [], f"{width} pixels, {state}"
        assert explorer.evaluate(f"({MEASURES}).overlapping") == [], f"{width} pixels, {state}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_opening_a_scope_moves_unless_the_reader_wants_less_motion(saved: Path, new_page, motion, moves):
    page = new_page(offline=True, reduced_motion=motion)
    page.goto(saved.as_uri())
    measured = by_operations(explorer_of(page, "decay")).evaluate(f"({MEASURES}).moves")
    assert measured == {"animated": moves, "glides": moves}
