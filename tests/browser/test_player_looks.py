"""What can be measured of how a Player looks: contrast, room, and what a screen reader can make of it."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .players import last_cursor, player_of, press, seek

HERE = Path(__file__).parent
MEASURES = (HERE / "measures.js").read_text(encoding="utf-8")
AXE = HERE.parents[1] / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """
async element => (await axe.run(element)).violations
    .flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`))
"""


def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)


def crossing(x, y, z):
    return x * y, y * z + np.sin(x), np.exp(z)


def network(x, W, V):
    return np.sum((V @ np.tanh(W @ x)) ** 2)


SHOWS = {
    "waves": lambda: ad.show_backward(waves, 1.2, 0.5, teach=True),
    "crossing": lambda: ad.show_forward(crossing, 1.0, 2.0, 0.5, jacobian=True),
    "network": lambda: ad.show_tape_vs_graph(network, np.ones(3), np.ones((4, 3)), np.ones((2, 4))),
}


@pytest.fixture(scope="module", params=SHOWS)
def saved(request, tmp_path_factory) -> tuple[str, Path]:
    """The name of a show, and its page."""
    return request.param, SHOWS[request.param]().save(tmp_path_factory.mktemp("saved") / "page.html")


def opened(saved: tuple[str, Path], page: Page) -> Locator:
    name, file = saved
    page.goto(file.as_uri())
    return player_of(page, name)


def states(player: Locator):
    """Bring a Player into each of its states; give their names."""
    yield "start"
    if player.get_by_role("button", name="Ask me", pressed=True).count():
        press(player, "ArrowRight", times=last_cursor(player))
        expect(player.get_by_role("button", name="Hint")).to_be_visible()
        player.get_by_role("button", name="Hint").click()
        yield "question"
    seek(player, last_cursor(player) // 2)
    player.locator(".adviz-node").nth(1).click()
    press(player, "b")
    yield "middle"
    press(player, "End")
    yield "end"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_inaccessible_or_faint(saved, new_page, scheme):
    # The audit is put into the page by a way that the page's own policy forbids.
    page = new_page(offline=True, reduced_motion="reduce", color_scheme=scheme, bypass_csp=True)
    player = opened(saved, page)
    page.add_script_tag(path=AXE)
    for state in states(player):
        assert player.evaluate(VIOLATIONS) == [], state
        assert player.evaluate(f"({MEASURES}).faint") == [], state
    press(player, "p")
    assert player.evaluate(VIOLATIONS) == [], "before an audience"
    assert player.evaluate(f"({MEASURES}).faint") == [], "before an audience"


@pytest.mark.parametrize("width", [460, 1600])
def test_everything_has_its_room(saved, new_page, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    player = opened(saved, page)
    for state in states(player):
        assert player.evaluate(f"({MEASURES}).cut") == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
