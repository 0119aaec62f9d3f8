"""A page saved by `Player.save`, opened from the disk without a network: all that its reader can do there."""

import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad
from adviz.jupyter.view import SWEEPS

from .explorers import node, selected_nodes
from .players import (
    at_level,
    caption,
    expect_cursor,
    last_cursor,
    looks_like,
    places,
    player_of,
    press,
    seek,
    slider,
)

MOUNTED = """<!doctype html><meta charset="utf-8"><main></main>
<script type="module">
const source = URL.createObjectURL(new Blob([{bundle}], {{ type: "text/javascript" }}));
const {{ mount }} = await import(source);
mount(document.querySelector("main"), {{ scene: {scene}, columns: "" }});
</script>"""


def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)


@pytest.fixture(scope="module")
def show() -> ad.Player:
    return ad.show_backward(waves, 1.2, 0.5)


@pytest.fixture(scope="module")
def saved(show, tmp_path_factory) -> Path:
    return show.save(tmp_path_factory.mktemp("saved") / "waves.html")


@pytest.fixture
def player(saved: Path, still_page: Page) -> Locator:
    """The show at the level of the engine."""
    still_page.goto(saved.as_uri())
    return at_level(player_of(still_page, "waves"), "engine")


def hills(x):
    return np.exp(x) * x


@pytest.mark.parametrize("level", ["nodes", "edges", "engine"])
def test_going_back_shows_the_same_picture_pixel_for_pixel(still_page, tmp_path, level):
    still_page.goto(ad.show_backward(hills, 0.5).save(tmp_path / "page.html").as_uri())
    player = at_level(player_of(still_page, "hills"), level)
    press(player, "ArrowRight ArrowLeft")
    seen = [(0, player.screenshot())]
    standing = places(player)
    assert len(set(standing)) == len(standing) > 2
    while seen[-1][0] < last_cursor(player):
        press(player, "ArrowRight")
        seen.append((int(slider(player).input_value()), player.screenshot()))
        assert places(player) == standing
    assert len(seen) > 4
    assert len({picture for _, picture in seen}) > 0.9 * len(seen), "hardly a step leaves the picture as it is"
    for cursor, picture in reversed(seen[:-1]):
        press(player, "ArrowLeft")
        expect_cursor(player, cursor)
        assert looks_like(player, picture), f"going back to cursor {cursor}"


def test_a_jump_shows_what_all_the_steps_show(player):
    # High enough for all rows: where a list is scrolled to depends on the steps before.
    player.page.set_viewport_size({"width": 1280, "height": 1400})
    press(player, "ArrowRight", times=30)
    stepped = player.screenshot()
    press(player, "End Home")
    seek(player, 30)
    player.focus()
    assert looks_like(player, stepped)


def test_a_show_is_played_to_its_end_and_its_products_travel(show, saved: Path, new_page):
    page = new_page(offline=True)
    page.goto(saved.as_uri())
    player = at_level(player_of(page, "waves"), "engine")
    seek(player, first_product(show))
    press(player, "ArrowRight")
    assert len(moments(player)) > 1
    press(player, "Home + + + + + Space")
    expect_cursor(player, last_cursor(player))
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()


def moments(player: Locator) -> set[str]:
    """What is drawn of the sweep at a few times, as when numbers travel."""
    drawn = player.locator(".adviz-flow > g").first
    found = set()
    for _ in range(5):
        found.add(drawn.inner_html())
        player.page.wait_for_timeout(60)
    return found


def first_product(show: ad.Player) -> int:
    """The cursor before the first product that is told of is handed on."""
    steps = enumerate(show.scene["steps"])
    return next(k for k, step in steps if step["kind"] == "product" and step.get("rests", {}).get("edges"))


def test_with_less_motion_nothing_travels_and_the_way_is_marked(show, player):
    seek(player, first_product(show))
    before = player.locator(".adviz-flow > g").first.inner_html()
    press(player, "ArrowRight")
    expect(player.locator('.adviz-node[data-role="at"]')).to_have_count(1)
    [moment] = moments(player)
    assert moment != before
    assert player.page.evaluate("document.getAnimations().length") == 0


def test_keys_work_at_once_on_a_fresh_page(show, saved: Path, still_page):
    page = still_page
    page.goto(saved.as_uri())
    player = player_of(page, "waves")
    page.keyboard.press("ArrowRight")
    expect_cursor(player, rests(show, "nodes")[0])
    page.keyboard.press("End")
    expect_cursor(player, last_cursor(player))
    page.keyboard.press("Home")
    page.keyboard.press("+")
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Pause (space)")).to_be_visible()
    page.mouse.click(3, 3)
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()


def rests(show: ad.Player, level: str) -> list[int]:
    """The cursors at which a level rests after the start."""
    return [k for k, step in enumerate(show.scene["steps"], 1) if step.get("rests", {}).get(level)]


def test_named_steps_are_chosen_and_a_finer_level_has_more_of_them(show, saved: Path, still_page):
    still_page.goto(saved.as_uri())
    player = player_of(still_page, "waves")
    names = player.locator("[data-stop]")
    expect(slider(player)).to_be_hidden()
    assert [int(stop.get_attribute("data-stop")) for stop in names.all()] == [0, *rests(show, "nodes")]
    assert "" not in names.all_inner_texts()
    for stop in reversed(names.all()):
        stop.click()
        expect_cursor(player, int(stop.get_attribute("data-stop")))
        expect(player.locator('[aria-current="step"]')).to_have_text(stop.inner_text())
    at_level(player, "edges")
    press(player, "ArrowRight")
    expect_cursor(player, rests(show, "edges")[0])
    assert len(rests(show, "edges")) > len(rests(show, "nodes"))
    at_level(player, "engine")
    expect(slider(player)).to_be_visible()
    expect(names.first).to_be_hidden()
    still_page.reload()  # the engine is looked at in one show; the level chosen before it is remembered
    expect(player_of(still_page, "waves").locator('[data-level="edges"]')).to_have_attribute("aria-pressed", "true")


STYLE = """
e => {
    const { fontFamily, fontStyle, fontWeight, color } = getComputedStyle(e);
    return [fontFamily.includes("serif") && !fontFamily.includes("sans"), fontStyle, Number(fontWeight) >= 600, color];
}
"""


def test_mathematics_is_set_in_italics_and_results_in_the_hue_of_their_sign(show, saved: Path, still_page):
    still_page.goto(saved.as_uri())
    player = player_of(still_page, "waves")
    press(player, "End")
    last = show.scene["steps"][-1]["rests"]["nodes"]["caption"]
    assert caption(player).inner_text() == player.locator(".adviz-unseen").text_content() == last
    ink = player.evaluate("e => getComputedStyle(e).color")
    assert caption(player).locator("i", has_text="x").first.evaluate(STYLE) == [True, "italic", False, ink]
    positive, negative = "rgb(11, 98, 176)", "rgb(182, 82, 0)"
    for result in caption(player).locator("b").all():
        hue = negative if result.inner_text().startswith("−") else positive
        assert result.evaluate(STYLE)[2:] == [True, hue]
    assert caption(player).locator("b").count() == 2
    assert player.locator("[data-stop]").get_by_text("x adds up").locator("i").all_inner_texts() == ["x"]


def test_all_is_done_by_keyboard(player):
    page = player.page
    page.keyboard.press("Tab")
    expect(player.locator(":focus")).to_have_count(1)
    for key, cursor in [("End", last_cursor(player)), ("ArrowLeft", last_cursor(player) - 1), ("Home", 0)]:
        page.keyboard.press(key)
        expect_cursor(player, cursor)
    page.keyboard.press("+")
    expect(player.get_by_role("combobox", name="Speed")).to_have_value("2")
    page.keyboard.press("-")
    expect(player.get_by_role("combobox", name="Speed")).to_have_value("1")
    while page.locator(".adviz-node:focus").count() == 0:
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    [selected] = selected_nodes(player)
    page.keyboard.press("b")
    expect(node(player, selected)).to_have_attribute("data-break", "")
    page.keyboard.press("r")
    expect(node(player, selected)).to_have_attribute("data-role", "at")
    page.keyboard.press("Home")
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()
    expect(node(player, selected)).to_have_attribute("data-role", "at")


def test_every_control_has_a_visible_focus(player):
    page = player.page
    stops = 0
    player.focus()
    page.keyboard.press("Tab")
    while player.locator(":focus").count():
        stops += 1
        style = "e => [getComputedStyle(e).outlineStyle, e.matches('.adviz-node'), e.className.baseVal ?? e.className]"
        outline, is_node, name = player.locator(":focus").evaluate(style)
        assert outline != "none" or is_node, name
        page.keyboard.press("Tab")
    assert stops > 12


def test_coarse_steps_are_fewer(player):
    press(player, "c")
    steps = 0
    while int(slider(player).input_value()) < last_cursor(player):
        press(player, "ArrowRight")
        steps += 1
    assert 5 < steps < last_cursor(player) / 2


def test_teaching_works_without_a_kernel(player):
    player.get_by_role("button", name="Ask me").click()
    player.get_by_role("button", name="Engine", exact=True).click()
    press(player, "Home")
    press(player, "ArrowRight", times=last_cursor(player))
    question = player.get_by_role("region", name="Question")
    expect(question.get_by_role("button", name="Show me")).to_be_visible()
    stopped = slider(player).input_value()
    question.get_by_role("button", name="Hint").click()
    expect(question.get_by_role("status")).not_to_be_empty()
    question.get_by_role("button", name="Show me").click()
    expect(question).to_contain_text("The answer:")
    expect_cursor(player, int(stopped) + 1)


def test_the_audience_sees_large_type_and_one_key_goes_on(player):
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    before = caption(player).evaluate(size)
    press(player, "p")
    expect(player).to_have_class(re.compile("adviz-presenting"))
    assert caption(player).evaluate(size) > 1.25 * before
    assert player.bounding_box() == {"x": 0, "y": 0, **player.page.viewport_size}
    for hidden in (".adviz-header", ".adviz-buttons", ".adviz-toggles"):
        expect(player.locator(hidden)).to_be_hidden()
    player.page.keyboard.press("Space")
    player.page.keyboard.press("Enter")
    expect_cursor(player, 2)
    player.page.keyboard.press("Escape")
    expect(player).not_to_have_class(re.compile("adviz-presenting"))


def test_a_swipe_steps(show, saved: Path, new_page):
    page = new_page(offline=True, has_touch=True, viewport={"width": 460, "height": 900})
    page.goto(saved.as_uri())
    player = player_of(page, "waves")
    session = page.context.new_cdp_session(page)
    for kind, x in [("touchStart", 300), ("touchMove", 200), ("touchMove", 100), ("touchEnd", None)]:
        touches = [] if x is None else [{"x": x, "y": 200}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    expect_cursor(player, rests(show, "nodes")[0])


def test_without_scripts_the_key_frames_are_stepped(saved: Path, new_page):
    page = new_page(offline=True, java_script_enabled=False)
    page.goto(saved.as_uri())
    frames = page.get_by_role("radio")
    assert frames.count() > 4
    seen = set()
    for frame in frames.all():
        frame.check()
        seen.add(page.locator("[data-adviz-id]").screenshot())
    assert len(seen) == frames.count()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda scene: scene["steps"].pop(7), r"scene\.steps\[\d+\]\.edits\[\d+\]\[1\]"),
        (lambda scene: scene["steps"][5].pop("edits"), r"scene\.steps\[5\]\.edits"),
        (lambda scene: scene["runs"][0].update(kind="sideways"), r"scene\.runs\[0\]\.kind"),
        (lambda scene: scene.pop("panels"), r"scene\.panels"),
        (lambda scene: scene["panels"][0].update(run="nobody"), r"scene\.panels\[0\]\.run"),
        (lambda scene: scene["steps"][6].update(caption=7), r"scene\.steps\[6\]\.caption"),
    ],
    ids=["a step is gone", "no edits", "run of another kind", "no panels", "panel of no run", "caption no text"],
)
def test_a_scene_changed_by_hand_is_refused_and_the_place_is_named(show, still_page, tmp_path, change, place):
    edited = copy.deepcopy(show.scene)
    change(edited)
    page = tmp_path / "page.html"
    scene, bundle = (json.dumps(part).replace("<", "\\u003c") for part in (edited, SWEEPS.text))
    page.write_text(MOUNTED.format(scene=scene, bundle=bundle), encoding="utf-8")
    still_page.goto(page.as_uri())
    expect(still_page.get_by_role("alert")).to_have_text(re.compile(place))
