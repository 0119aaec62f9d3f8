"""Shows of op graphs on saved pages: edges told apart, one selection with the source, memory, one clock."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad
from adviz import lazy

from .. import op_graphs
from ..stage.panels import HOSTILE
from .players import caption, last_cursor, player_of, press
from .test_player_looks import AXE, VIOLATIONS

LINES = """
player => Object.fromEntries(["data", "control", "initializer"].map(kind => {
    const style = getComputedStyle(player.querySelector(`.adviz-edge[data-kind=${kind}] .adviz-line`));
    return [kind, style.strokeDasharray];
}))
"""
OVERFLOWING = """
player => [...player.querySelectorAll(".adviz-node:not([data-unborn])")].flatMap(node => {
    const outline = node.querySelector(".adviz-shape").getBoundingClientRect();
    return [...node.querySelectorAll(":scope > text")].filter(text => {
        const box = text.getBoundingClientRect();
        const beyond = Math.max(outline.left - box.left, box.right - outline.right);
        return box.width && !text.matches(".adviz-badge-number") && beyond > 1.5;
    }).map(text => text.textContent);
})
"""
CUT = """
player => [...player.querySelectorAll(":is(.adviz-memory-ways, .adviz-memory-words, .adviz-memory-sheet)")]
    .filter(element => element.scrollWidth > element.clientWidth + 1).map(element => element.className)
"""

SMALLEST = """
player => Math.min(...[...player.querySelectorAll(".adviz-world text")].filter(text => text.textContent)
    .map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("ops")


def opened(page: Page, player: ad.Player, folder: Path, start: bool = True) -> Locator:
    """A Player on a saved page, at its start."""
    page.goto(player.save(folder / "page.html").as_uri())
    found = player_of(page, player.scene["title"])
    if start:
        press(found, "Home")
    return found


def node(player: Locator, label: str, run: str = "") -> Locator:
    side = player.locator(f'[data-run="{run}"]') if run else player
    return side.locator(".adviz-node").filter(has=player.page.get_by_text(label, exact=True)).first


def told(player: Locator) -> tuple[str, bytes]:
    """What the picture of ops has, from wherever it is looked at, and the picture of memory."""
    return player.locator(".adviz-world").inner_html(), player.locator(".adviz-memory").screenshot()


def training() -> ad.Player:
    loss, step, x, t = op_graphs.network()
    return ad.show_computation(lazy.computation([loss, step], x, t, name="training"), *op_graphs.batch(), teach=False)


def f(x, y):
    a = np.sin(x)
    unused = x + y  # noqa: F841
    b = x * y
    return a + b


def test_edges_are_told_apart_by_their_lines(still_page, folder):
    player = opened(still_page, ad.show_ops(op_graphs.counter()), folder, start=False)
    lines = player.evaluate(LINES)
    assert lines["data"] == "none"
    assert len({*lines.values()}) == 3
    expect(player.locator(".adviz-signs")).to_contain_text("must run before")
    expect(caption(player)).to_contain_text("none has run")


def test_ops_appear_as_they_are_built(still_page, folder):
    player = opened(still_page, ad.show_ops(op_graphs.counter()), folder)
    drawn = player.locator(".adviz-node[data-node]:not([data-node=''])")
    unborn = player.locator(".adviz-node[data-unborn]:not([data-node=''])")
    count = drawn.count()
    for cursor in range(count):
        expect(unborn).to_have_count(count - cursor)
        press(player, "ArrowRight")
    expect(unborn).to_have_count(0)
    expect(player.locator(".adviz-state").filter(has_text="0")).to_have_count(0)


def test_an_op_and_its_expression_are_one_selection(still_page, folder):
    player = opened(still_page, ad.show_ops(op_graphs.counter()), folder, start=False)
    node(player, "update").click()
    expect(player.locator(".adviz-premark").first).to_be_visible()
    assert "".join(player.locator(".adviz-premark").all_text_contents()) == "lazy.assign(w, w + 1)"
    player.locator(".adviz-code-line", has_text="after = w * 3").locator("[data-line]").click()
    expect(player.locator('.adviz-node[data-mark="selected"] .adviz-label')).to_have_text(["after"])


def test_values_arrive_and_the_memory_follows(still_page, folder):
    player = opened(still_page, training(), folder)
    now = player.locator('.adviz-memory-block[data-life="now"]')
    expect(now).to_have_count(0)
    seen = []
    for cursor in range(1, 16):
        press(player, "ArrowRight")
        if cursor in (3, 9, 15):
            seen.append((cursor, told(player)))
    assert now.count() > 0
    expect(player.locator(".adviz-memory-words")).to_contain_text("in use")
    assert node(player, "h").locator(".adviz-heat").count() == 30
    for cursor, picture in reversed(seen):
        press(player, "ArrowLeft", 15 - cursor if cursor == 15 else 6)
        assert told(player) == picture, f"going back to cursor {cursor}"


def test_the_plan_is_switched_by_keyboard(still_page, folder):
    player = opened(still_page, training(), folder)
    ways = player.locator(".adviz-memory-way")
    expect(ways).to_have_count(3)
    ways.nth(1).focus()
    for way, words in ((2, "in place:"), (0, "naive:")):
        still_page.keyboard.press("Tab" if way else "Shift+Tab")
        if not way:
            still_page.keyboard.press("Shift+Tab")
        still_page.keyboard.press("Enter")
        expect(ways.nth(way)).to_have_attribute("aria-pressed", "true")
        expect(player.locator(".adviz-memory-words")).to_contain_text(words)
    assert player.locator(".adviz-memory-hand").count() == 0


def test_two_sides_have_one_clock(still_page, folder):
    player = opened(still_page, ad.show_build(f, 1.0, 2.0), folder)
    press(player, "ArrowRight", 3)
    assert "".join(player.locator(".adviz-mark").all_text_contents()) == "np.sin(x)"
    expect(node(player, "a", "immediate").locator(".adviz-state")).to_have_text("0.8415")
    expect(node(player, "a", "lazy").locator(".adviz-state")).to_have_count(0)
    expect(caption(player).locator("span")).to_have_count(2)
    press(player, "End")
    expect(node(player, "a", "lazy").locator(".adviz-state")).to_have_text("0.8415")
    expect(node(player, "unused", "lazy").locator(".adviz-state")).to_have_count(0)
    expect(player.locator(".adviz-mark")).to_have_count(0)


def test_questions_are_asked_and_answered(still_page, folder):
    loss, step, x, t = op_graphs.network()
    shown = ad.show_computation(lazy.computation([loss, step], x, t, name="training"), *op_graphs.batch(), teach=True)
    player = opened(still_page, shown, folder)
    press(player, "ArrowRight")
    expect(player.locator(".adviz-quiz")).to_contain_text("Does W1 change when this runs?")
    player.locator(".adviz-quiz button", has_text="yes").click()
    expect(player.locator(".adviz-memory")).to_have_attribute("data-quiz", "")


def test_a_composite_is_opened_and_folded_by_click_and_by_keyboard(still_page, folder):
    player = opened(still_page, ad.show_ops(op_graphs.classifier()), folder, start=False)
    expect(node(player, "p")).to_be_visible()
    expect(node(player, "exp")).to_have_count(0)
    node(player, "p").locator("[data-open]").click()
    expect(node(player, "exp")).to_be_in_viewport()
    expect(player.locator(".adviz-group[data-composite] text")).to_have_text(["softmax", "cross entropy"])
    expect(player.get_by_role("button", name="Composite ops folded")).to_have_attribute("aria-pressed", "false")
    player.locator("[data-close]").first.click()
    expect(node(player, "exp")).to_have_count(0)
    node(player, "p").focus()
    still_page.keyboard.press("Enter")
    expect(node(player, "exp")).to_be_in_viewport()
    expect(node(player, "p")).to_be_focused()
    still_page.keyboard.press("c")
    expect(node(player, "exp")).to_have_count(0)


def test_no_letter_of_an_op_is_smaller_than_11_pixels(new_page, folder):
    page = new_page(offline=True, viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    player = opened(page, ad.show_ops(op_graphs.network()[:2]), folder, start=False)
    assert player.evaluate(SMALLEST) >= 10.99
    press(player, "ArrowLeft", 30)
    assert player.evaluate(SMALLEST) >= 10.99
    expect(player.locator('.adviz-node[data-role="at"]')).to_be_in_viewport(ratio=1)


def test_long_lines_of_source_go_on_below(new_page, folder):
    page = new_page(offline=True, viewport={"width": 1000, "height": 900}, reduced_motion="reduce")
    player = opened(page, ad.show_ops(op_graphs.network()[:2]), folder, start=False)
    assert player.locator(".adviz-code").evaluate("code => code.scrollWidth <= code.clientWidth")


SHOWS = {
    "composites": lambda: ad.show_ops(op_graphs.classifier()),
    "ops": lambda: ad.show_ops(op_graphs.network()[:2]),
    "computation": training,
    "build": lambda: ad.show_build(f, 1.0, 2.0),
    "momentum": lambda: ad.show_ops(op_graphs.momentum()),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWS)
def test_axe_finds_no_violation(new_page, folder, name, scheme):
    page = new_page(offline=True, color_scheme=scheme, reduced_motion="reduce")
    player = opened(page, SHOWS[name](), folder)
    page.evaluate(AXE.read_text())
    assert player.evaluate(VIOLATIONS) == []
    press(player, "ArrowRight", 9)
    assert player.evaluate(VIOLATIONS) == []
    press(player, "End")
    assert player.evaluate(VIOLATIONS) == []
    press(player, "p")
    assert player.evaluate(VIOLATIONS) == []


@pytest.mark.parametrize("width", [460, 760, 1280, 1900])
@pytest.mark.parametrize("name", SHOWS)
def test_everything_has_its_room(new_page, folder, name, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    player = opened(page, SHOWS[name](), folder)
    for _ in range(3):
        assert player.evaluate(OVERFLOWING) == []
        assert player.evaluate(CUT) == []
        press(player, "ArrowRight", last_cursor(player) // 2)


def test_names_are_never_markup(new_page, folder):
    page = new_page(offline=True)
    with lazy.metadata(layer=HOSTILE[0]):
        x = lazy.variable((), 0.0, name=HOSTILE[1])
        y = x * 2
    player = opened(page, ad.show_computation(lazy.computation(y, name="y")), folder)
    press(player, "End")
    assert player.locator("img, script").count() == 0
