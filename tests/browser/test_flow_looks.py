"""What can be measured of the picture of a sweep: access, room before an audience, what is said where one points."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad
from adviz.stage.narration.folds import statements

from .players import caption, press
from .test_player_looks import AXE, MEASURES, VIOLATIONS

FILLED = 0.66  # of the screen, by the picture and the bench; words of three lines leave no more
SCREENS = [(1024, 768), (1280, 720), (1920, 1080)]
SMALLEST = 24  # px of a letter on a screen of 1920 × 1080


def f(x, y):
    return np.sin(x) + x * y


def loss(W, b, X):
    return np.sum(np.tanh(X @ W + b) ** 2)


def newton(x, a):
    for _ in range(2):
        x = 0.5 * (x + a / x)
    return x


def converged(x, a):
    for _ in range(20):
        x = x - 0.3 * (x * x - a) / (2.0 * x)
    return x


def recurrent(W, U, b, X, h):
    for x in X:
        h = np.tanh(W @ h + U @ x + b)
    return np.sum(h**2)


def iterated(x, a):
    for _ in range(8):
        x = 0.5 * (x + a / x)
    return x


SHOWS = {
    "f": lambda: ad.show_backward(f, 1.0, 2.0),
    "forward": lambda: ad.show_forward(f, 1.0, 2.0),
    "loss": lambda: ad.show_backward(loss, np.ones((2, 3)) / 3, np.zeros((1, 3)), np.arange(8.0).reshape(4, 2) / 8),
    "newton": lambda: ad.show_backward(newton, 1.0, 2.0, engine="tape"),
    "folds": lambda: ad.show_backward(converged, 1.5, 2.0),
}


LARGE = {
    "iterated": lambda: ad.show_backward(iterated, 1.0, 2.0),
    "iterated forward": lambda: ad.show_forward(iterated, 1.0, 2.0),
    "recurrent": lambda: ad.show_backward(
        recurrent,
        np.eye(3) / 2,
        np.ones((3, 2)) / 3,
        np.zeros(3),
        list(np.arange(6.0).reshape(3, 2) / 6),
        np.zeros(3),
        panels=("graph", "code", "result"),
    ),
}
"""Sweeps of 24 to 26 nodes."""


@pytest.fixture(scope="module", params=LARGE)
def large(request, tmp_path_factory) -> Path:
    with patch.object(statements, "MOST_INSIDE", 0):  # as of code without a source, which has no lines
        return LARGE[request.param]().save(tmp_path_factory.mktemp("saved") / "page.html")


@pytest.fixture(scope="module", params=SHOWS)
def saved(request, tmp_path_factory) -> Path:
    return SHOWS[request.param]().save(tmp_path_factory.mktemp("saved") / "page.html")


def opened(saved: Path, page: Page) -> Locator:
    page.goto(saved.as_uri())
    player = page.locator(".adviz-player")
    player.locator(".adviz-flow [data-node]").first.wait_for()
    return player


def states(player: Locator):
    """Bring a Player into each of its states; give their names."""
    yield "start"
    press(player, "?")
    expect(player.locator(".adviz-legend")).to_be_visible()
    yield "keys"
    press(player, "?")
    ask = player.get_by_role("button", name="Ask me")
    ask.click()
    press(player, "ArrowRight")
    expect(player.get_by_role("button", name="Hint")).to_be_visible()
    yield "question"
    ask.click()
    press(player, "Home ArrowRight ArrowRight ArrowRight")
    yield "middle"
    player.locator(".adviz-flow [data-node='0']").focus()
    expect(player.locator(".adviz-note")).to_be_visible()
    yield "an input pointed at"
    player.locator(".adviz-flow [data-node='0']").press("Enter")
    press(player, "b End")
    yield "end"
    press(player, "c c Home ArrowRight ArrowRight ArrowRight")
    yield "engine"
    press(player, "c End p")
    yield "before an audience"
    press(player, "s")
    yield "before an audience, with the source"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_inaccessible(saved, new_page, scheme):
    # The audit is put into the page by a way that the page's own policy forbids.
    page = new_page(offline=True, reduced_motion="reduce", color_scheme=scheme, bypass_csp=True)
    player = opened(saved, page)
    page.add_script_tag(path=AXE)
    for state in states(player):
        assert player.evaluate(VIOLATIONS) == [], state


@pytest.mark.parametrize("width", [480, 760, 1280])
def test_nothing_is_wider_than_the_page(saved, new_page, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    player = opened(saved, page)
    for state in states(player):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert caption(player).evaluate("e => e.scrollHeight <= e.clientHeight + 1"), state
        if state.startswith("before"):
            continue
        assert player.evaluate(f"root => ({MEASURES}).cut(root)") == [], state


def race(x, y):
    a = np.sin(x)
    c = x + y  # nothing depends on it
    b = x * y
    del c
    return a + b


def polar(r, t):
    return r * np.cos(t), r * np.sin(t)


SEVERAL = {
    "race": lambda: ad.show_tape_vs_graph(race, 1.0, 2.0),
    "rows": lambda: ad.show_backward(polar, 2.0, 0.5, jacobian=True),
}


@pytest.mark.parametrize(("width", "scheme"), [(480, "dark"), (760, "light"), (1280, "dark"), (1280, "light")])
@pytest.mark.parametrize("name", SEVERAL)
def test_several_sweeps_are_accessible_and_have_room(name, new_page, tmp_path, width, scheme):
    size = {"width": width, "height": 900}
    page = new_page(offline=True, viewport=size, reduced_motion="reduce", color_scheme=scheme, bypass_csp=True)
    player = opened(SEVERAL[name]().save(tmp_path / "page.html"), page)
    page.add_script_tag(path=AXE)
    right = "ArrowRight ArrowRight ArrowRight ArrowRight ArrowRight "
    for keys in ["Home", 3 * right, "c", right, "End", "p Home", right, "End"]:
        press(player, keys)
        assert player.evaluate(VIOLATIONS) == [], keys
        assert page.evaluate("document.documentElement.scrollWidth") <= width, keys
        assert caption(player).evaluate("e => e.scrollHeight <= e.clientHeight + 1"), keys
        for picture in player.locator(".adviz-flow").all():
            assert picture.evaluate(OUTSIDE) == [], keys


def test_halves_are_beside_each_other_where_there_is_width_and_else_one_above_the_other(new_page, tmp_path):
    saved = SEVERAL["race"]().save(tmp_path / "page.html")
    for width, is_beside in [(1280, True), (760, False)]:
        page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
        one, other = (half.bounding_box() for half in opened(saved, page).locator(".adviz-half").all())
        assert (one["y"] == other["y"]) == is_beside
        assert (one["x"] == other["x"]) != is_beside
        assert min(one["height"], other["height"]) > 260


def density(x, mu, sigma):
    return np.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


def gas(n, V, T):
    a, b, R = 1.36, 0.0318, 0.08206
    ideal = n * R * T / (V - n * b)
    attraction = a * n**2 / V**2
    return ideal - attraction


@pytest.mark.parametrize(("f", "arguments"), [(density, (1.2, 0.5, 0.8)), (gas, (1.0, 0.5, 300.0))])
def test_halves_can_be_read_in_one_row(new_page, tmp_path, f, arguments):
    page = new_page(offline=True, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    saved = ad.show_tape_vs_graph(f, *arguments).save(tmp_path / "page.html")
    for picture in opened(saved, page).locator(".adviz-flow").all():
        assert min(picture.evaluate(SIZES)) >= 11
        assert picture.evaluate(OUTSIDE) == []


def test_before_an_audience_the_halves_of_a_race_share_the_screen(new_page, tmp_path):
    page = new_page(offline=True, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    player = opened(SEVERAL["race"]().save(tmp_path / "page.html"), page)
    press(player, "p " + 12 * "ArrowRight ")
    boxes = [half.bounding_box() for half in player.locator(".adviz-half").all()]
    assert sum(box["width"] * box["height"] for box in boxes) >= FILLED * 1920 * 1080
    press(player, "m")
    expect(player.locator(".adviz-panel[data-kind=meters]")).to_be_in_viewport()


OUTSIDE = """
picture => {
    const box = picture.getBoundingClientRect();
    return [...picture.querySelectorAll("text, rect")].filter(mark => {
        const {left, top, right, bottom, width} = mark.getBoundingClientRect();
        return width && (left < box.left - 1 || top < box.top - 1 || right > box.right + 1 || bottom > box.bottom + 1);
    }).map(mark => mark.outerHTML);
}
"""
SIZES = """
picture => [...picture.querySelectorAll("text")].filter(text => text.textContent.trim())
    .map(text => parseFloat(getComputedStyle(text).fontSize) * picture.getScreenCTM().a)
"""
LETTERS = """
root => [...root.querySelectorAll("*")].filter(element =>
    [...element.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim())
    && !element.closest("style, .adviz-unseen") && element.checkVisibility({visibilityProperty: true}))
.map(element => {
    const scale = element instanceof SVGElement ? element.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale * (element.currentCSSZoom ?? 1);
    return [size, element.textContent];
}).filter(([size]) => size < SMALLEST)
""".replace("SMALLEST", str(SMALLEST - 0.1))


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_before_an_audience_the_picture_fills_the_screen(saved, new_page, width, height):
    page = new_page(offline=True, viewport={"width": width, "height": height}, reduced_motion="reduce")
    player = opened(saved, page)
    press(player, "p")
    picture, benches = player.locator(".adviz-flowpanel"), player.locator(".adviz-bench")
    for keys in ["Home", "ArrowRight ArrowRight ArrowRight", "End"]:
        press(player, keys)
        boxes = [part.bounding_box() for part in (picture, *benches.all())]
        assert sum(box["width"] * box["height"] for box in boxes) >= FILLED * width * height
        assert player.locator(".adviz-flow").evaluate(OUTSIDE) == []
        assert caption(player).evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    expect(player.locator(".adviz-panel")).to_have_count(1 + benches.count())


def test_before_an_audience_every_word_is_large(new_page, tmp_path):
    page = new_page(offline=True, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    player = opened(SHOWS["f"]().save(tmp_path / "page.html"), page)
    press(player, "p")
    for keys in ["Home", "ArrowRight ArrowRight ArrowRight", "End"]:
        press(player, keys)
        assert player.evaluate(LETTERS) == []


def test_a_key_puts_one_panel_beside_the_picture(saved, new_page):
    page = new_page(offline=True, viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    player = opened(saved, page)
    benches = player.locator(".adviz-bench").count()
    press(player, "p s")
    expect(player.locator(".adviz-panel")).to_have_count(2 + benches)
    expect(player.locator(".adviz-panel[data-kind=code]")).to_be_in_viewport()
    press(player, "m")
    expect(player.locator(".adviz-panel[data-kind=code]")).to_have_count(0)
    expect(player.locator(".adviz-panel[data-kind=meters]")).to_be_in_viewport()
    press(player, "m")
    expect(player.locator(".adviz-panel")).to_have_count(1 + benches)


def test_numbers_travel_and_a_second_step_finishes_the_first(new_page, tmp_path):
    page = new_page(offline=True)
    player = opened(SHOWS["f"]().save(tmp_path / "page.html"), page)
    press(player, "ArrowRight ArrowRight")
    drawn = player.locator(".adviz-flow > g").first
    moments = set()
    for _ in range(4):
        moments.add(drawn.inner_html())
        page.wait_for_timeout(150)
    assert len(moments) > 1
    press(player, "ArrowRight ArrowLeft")
    expect(player.locator(".adviz-step-count")).to_have_text("3 of 7")
    still = player.locator(".adviz-flow").inner_html()
    page.wait_for_timeout(300)
    assert player.locator(".adviz-flow").inner_html() == still


def test_a_note_says_what_is_pointed_at_and_leaves_it_in_sight(new_page, tmp_path):
    page = new_page(offline=True, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    player = opened(SHOWS["f"]().save(tmp_path / "page.html"), page)
    press(player, "End")
    note = player.locator(".adviz-note")
    for place, words in [("[data-edge='2/0']", "∂(sin(x))/∂x = cos x = 0.5403"), ("[data-node='0']", "sum: 2.5403")]:
        target = player.locator(f".adviz-flow {place}")
        target.hover()
        expect(note).to_contain_text(words)
        one, other = note.bounding_box(), target.bounding_box()
        apart = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        assert apart or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    page.mouse.move(2, 2)
    expect(note).to_be_hidden()


def test_a_large_graph_is_seen_folded(new_page, tmp_path):
    """A step for each fold, whose sentence says what is inside; a note says so, too."""
    page = new_page(offline=True, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    player = opened(SHOWS["folds"]().save(tmp_path / "page.html"), page)
    assert player.locator(".adviz-flow text", has_text="iterations ").count() == 3
    press(player, "ArrowRight ArrowRight")
    expect(caption(player)).to_contain_text("Through iterations 15–20 of the loop for _ in range(20) (36 operations)")
    player.locator(".adviz-flow [data-node='43']").hover()
    expect(player.locator(".adviz-note")).to_contain_text(
        "iterations 1–7 of the loop for _ in range(20), 42 operations"
    )
    press(player, "End")
    expect(caption(player)).to_contain_text("One backward sweep (")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_large_sweep_is_accessible(large, new_page, scheme):
    page = new_page(offline=True, reduced_motion="reduce", color_scheme=scheme, bypass_csp=True)
    player = opened(large, page)
    page.add_script_tag(path=AXE)
    for state in states(player):
        assert player.evaluate(VIOLATIONS) == [], state


@pytest.mark.parametrize("width", [1024, 1366])
def test_in_a_small_window_of_the_notebook_the_picture_is_seen_with_its_controls(notebook, width):
    source = "import numpy as np, adviz as ad\nad.show_backward(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)"
    page = notebook([source])
    page.set_viewport_size({"width": width, "height": 768})
    player = page.locator(".adviz-player")
    player.locator(".adviz-flow [data-node]").first.wait_for()
    show = player.locator(".adviz-show").bounding_box()
    assert player.locator(".adviz-flow").bounding_box()["height"] >= 280
    for part in (".adviz-caption", ".adviz-playbar"):
        box = player.locator(part).bounding_box()
        assert box["y"] + box["height"] <= show["y"] + 610, part
