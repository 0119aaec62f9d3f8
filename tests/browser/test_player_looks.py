"""What can be measured of how a Player looks: contrast, room, and what a screen reader can make of it."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .players import at_level, last_cursor, player_of, press, seek

HERE = Path(__file__).parent
MEASURES = (HERE / "measures.js").read_text(encoding="utf-8")
AXE = HERE.parents[1] / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """
async element => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return (await axe.run(element)).violations
        .flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`));
}
"""
"""Two frames after a change of size, what follows it, such as the room of captions, has been fitted."""


def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)


def crossing(x, y, z):
    return x * y, y * z + np.sin(x), np.exp(z)


def network(x, W, V):
    return np.sum((V @ np.tanh(W @ x)) ** 2)


def layers(x, W, V):
    return V @ np.tanh(W @ x)


def newton(x, a):
    for _ in range(3):
        x = 0.5 * (x + a / x)
    return x


WEIGHTS = np.linspace(-1, 1, 3), np.ones((4, 3)), np.ones((2, 4))

SHOWS = {
    "waves": lambda: ad.show_backward(waves, 1.2, 0.5, teach=True),
    "crossing": lambda: ad.show_forward(crossing, 1.0, 2.0, 0.5, jacobian=True),
    "network": lambda: ad.show_tape_vs_graph(network, *WEIGHTS, panels=("graph", "table", "code", "meters")),
    "newton": lambda: ad.show_backward(newton, 1.0, 2.0, engine="rank_heap"),
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
    if player.locator("[data-level]").count():
        press(player, "End")
        yield "end of what is told"
        at_level(player, "engine")
    seek(player, last_cursor(player) // 2)
    player.locator(".adviz-node").nth(1).focus()  # comes into sight with it
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


@pytest.mark.parametrize("width", [460, 848, 1280, 1600])
def test_everything_has_its_room(saved, new_page, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    player = opened(saved, page)
    for state in states(player):
        assert player.evaluate(f"({MEASURES}).cut") == [], state
        assert player.evaluate(f"({MEASURES}).overlapping") == [], state
        assert width < 1280 or player.evaluate(f"({MEASURES}).shortened") == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state


@pytest.mark.parametrize(
    ("words", "least", "key"),
    [
        (".adviz-caption", 28, None),
        (".adviz-entry > *, .adviz-matrix td", 24, "t"),
        (
            ".adviz-label, .adviz-flow text:not(.adviz-counters)",
            16,
            None,
        ),  # two thirds of 24
        (".adviz-code-line code", 24, "s"),
        (".adviz-step-count", 24, None),
    ],
    ids=["caption", "tables", "labels", "code", "counter"],
)
def test_before_an_audience_words_are_read_from_the_back_of_the_room(saved, new_page, words, least, key):
    page = new_page(offline=True, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    player = at_level(opened(saved, page), "engine")
    press(player, "p")
    if key and player.locator(".adviz-flow").count():
        press(player, key)  # one panel at a time stands beside the picture of a sweep
    expect(player).to_have_class(re.compile("adviz-presenting"))
    is_flow = words.startswith(".adviz-label") and player.locator(".adviz-flow").count() > 0
    is_shared = is_flow and player.locator(".adviz-half").count() > 0
    least = 15 if is_shared else least  # two pictures share the screen
    for cursor in (0, last_cursor(player) // 2, last_cursor(player)):
        seek(player, cursor)
        large = player.evaluate(f"(root, words) => ({MEASURES}).letters(root, words)", words)
        assert large >= (24 if words.startswith(".adviz-label") and not is_flow else least)
        assert player.evaluate(f"({MEASURES}).shortened") == []
    press(player, "Escape")
    expect(player).not_to_have_class(re.compile("adviz-presenting"))
    # A sweep that is seen whole fills its stage here as there.
    assert is_flow or player.evaluate(f"(root, words) => ({MEASURES}).letters(root, words)", words) < large


def test_before_an_audience_a_key_turns_to_the_other_panels(new_page, tmp_path):
    page = new_page(offline=True, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    show = ad.show_backward(waves, 1.2, 0.5, panels=("formula", "code", "table", "tape", "meters"))  # no picture
    page.goto(show.save(tmp_path / "page.html").as_uri())
    player = page.locator(".adviz-player")
    player.get_by_role("group", name="Meters").wait_for()
    press(player, "p")
    meters = player.get_by_role("group", name="Meters")
    expect(meters).not_to_be_in_viewport()
    press(player, "ArrowDown ArrowDown")
    expect(meters).to_be_in_viewport()
    press(player, "ArrowUp ArrowUp")
    expect(meters).not_to_be_in_viewport()


def test_the_place_of_the_keyboard_looks_unlike_any_mark(saved, new_page):
    page = new_page(offline=True, reduced_motion="reduce")
    player = at_level(opened(saved, page), "engine")
    seek(player, last_cursor(player))
    while page.locator(".adviz-node:focus").count() == 0:
        page.keyboard.press("Tab")
    style = "e => [getComputedStyle(e).outlineStyle, getComputedStyle(e).outlineColor, getComputedStyle(e).color]"
    outline, line, ink = page.locator(".adviz-node:focus").evaluate(style)
    assert outline == "dashed"
    assert line == ink, "no color of a mark"


@pytest.mark.parametrize("viewport", [(390, 844), (1280, 900)])
def test_a_show_is_as_high_as_its_panels(new_page, tmp_path, viewport):
    width, height = viewport
    page = new_page(offline=True, viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.goto(ad.show_tape_vs_graph(waves, 1.2, 0.5, panels=["meters"]).save(tmp_path / "page.html").as_uri())
    show = page.locator(".adviz-player > .adviz-show")
    assert show.bounding_box()["height"] < 0.86 * height
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    blank = "e => e.getBoundingClientRect().bottom - e.querySelector('.adviz-foot').getBoundingClientRect().bottom"
    assert show.evaluate(blank) < 3


@pytest.mark.parametrize("saved", ["waves", "crossing", "newton"], indirect=True)
def test_borders_are_moved_by_mouse_and_keys_and_stay_while_playing(saved, new_page):
    page = new_page(offline=True, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    player = at_level(opened(saved, page), "engine")
    column = player.locator(".adviz-column").first
    border = player.get_by_role("separator", name="Width of the columns").first
    before = column.bounding_box()["width"]
    box = border.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] - 97, box["y"] + 200, steps=4)
    page.mouse.up()
    assert column.bounding_box()["width"] == pytest.approx(before - 100, abs=4)
    border.press("ArrowRight")
    assert column.bounding_box()["width"] == pytest.approx(before - 76, abs=4)
    beside = player.locator(".adviz-column").last
    panel = beside.locator("> .adviz-panel").first
    high = panel.bounding_box()["height"]
    beside.get_by_role("separator", name="Height of the panel above").first.press("ArrowUp")
    press(player, "ArrowRight End Home ArrowRight")
    assert panel.bounding_box()["height"] == pytest.approx(high - 24, abs=1)
    assert column.bounding_box()["width"] == pytest.approx(before - 76, abs=4)


MANY = {
    "four": lambda: ad.show_tape_vs_graph(network, *WEIGHTS, engines=["recursion", "tape", "rank_heap", "use_counts"]),
    "three": lambda: ad.show_tape_vs_graph(network, *WEIGHTS, engines=["tape", "toposort", "tape with flags"]),
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_many_graphs_are_seen_whole_and_so_is_what_is_said_of_them(make, new_page, tmp_path):
    page = new_page(offline=True, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    player = opened(("network", make().save(tmp_path / "page.html")), page)
    cursors = range(0, last_cursor(player) + 1, 3)
    for cursor in cursors:
        seek(player, cursor)
        assert player.evaluate(f"root => ({MEASURES}).outside(root, '.adviz-node')") == [], cursor
        assert player.locator(".adviz-caption").evaluate("e => e.scrollHeight <= e.clientHeight + 1"), cursor
    press(player, "p")
    for cursor in cursors:
        seek(player, cursor)
        assert player.evaluate(f"root => ({MEASURES}).outside(root, '[data-role=at]')") == [], cursor
        assert player.evaluate(f"({MEASURES}).shortened") == [], cursor


def test_a_question_leaves_what_it_is_about_in_sight(new_page, tmp_path):
    show = ad.show_tape_vs_graph(newton, 1.0, 2.0, teach=True)
    page = new_page(offline=True, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    player = opened(("newton", show.save(tmp_path / "page.html")), page)
    press(player, "ArrowRight", times=last_cursor(player))
    expect(player.get_by_role("button", name="Hint")).to_be_visible()
    page.wait_for_function(f"!({MEASURES}).outside(document.body, '[data-role=at]').length")


def test_a_jacobian_of_many_columns_fills_its_panel_and_names_its_inputs(new_page, tmp_path):
    show = ad.show_forward(layers, *WEIGHTS, jacobian=True)
    page = new_page(offline=True, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    player = opened(("layers", show.save(tmp_path / "page.html")), page)
    seek(player, last_cursor(player))
    cells = player.get_by_role("gridcell").and_(player.locator("[data-cell='0/0'], [data-cell='0/22']"))
    first, last = (cell.bounding_box() for cell in cells.all())
    assert first["width"] >= 14
    panel = player.locator(".adviz-matrix-box").bounding_box()
    assert panel["x"] < first["x"] < last["x"] + last["width"] < panel["x"] + panel["width"]
    heads = "heads => heads.map(head => getComputedStyle(head, '::before').content).filter(name => name !== 'none')"
    assert player.get_by_role("columnheader").evaluate_all(heads) == ['"x"', '"W"', '"V"']
    assert player.evaluate(f"({MEASURES}).faint") == []


def test_on_a_phone_the_column_that_fills_is_in_sight_and_captions_are_whole(new_page, tmp_path):
    show = ad.show_backward(network, *WEIGHTS)
    page = new_page(offline=True, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    player = at_level(opened(("network", show.save(tmp_path / "page.html")), page), "engine")
    rows = player.get_by_role("grid", name="Table of value, adjoint")
    assert rows.evaluate("e => e.scrollWidth > e.clientWidth")
    for cursor in range(0, last_cursor(player) + 1, 2):
        seek(player, cursor)
        assert player.locator(".adviz-caption").evaluate("e => e.scrollHeight <= e.clientHeight + 1"), cursor
    last, edge = rows.locator(".adviz-cell").last.bounding_box(), rows.bounding_box()
    assert last["x"] + last["width"] <= edge["x"] + edge["width"] + 1
