"""The show of an elimination on a saved page: both sides in their places, and an order of the reader's own."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .players import caption, last_cursor, looks_like, places, player_of, press, wait_until_python_says
from .test_lost_kernel import KERNEL
from .test_player_looks import AXE, VIOLATIONS

BOXES = """
sides => sides.map(side => [...side.querySelectorAll('.adviz-node:not([data-absent]):not([data-sort=face])')].map(
    item => {
        const {left, top, right, bottom} = item.querySelector('.adviz-shape').getBoundingClientRect();
        const words = item.querySelector('.adviz-factor')?.getBoundingClientRect().width ?? 0;
        return [item.dataset.key, left, top, right, bottom, words];
    }))
"""
Box = tuple[str, float, float, float, float, float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("eliminations")


@pytest.fixture
def still_page(new_page) -> Page:
    return new_page(offline=True, reduced_motion="reduce")


def shown(page: Page, folder: Path, name: str, **settings: Any) -> Locator:
    """A Player of one of the examples on a page, at the start."""
    player = opened(page, ad.show_elimination(ad.examples[name], **settings).save(folder / "page.html"), name)
    press(player, "Home")
    return player


def opened(page: Page, file: Path, name: str) -> Locator:
    """The Player of a saved page."""
    page.goto(file.as_uri())
    return player_of(page, name)


def item(player: Locator, key: str) -> Locator:
    """A vertex, an edge, a node of the line graph or a face, where it is there."""
    side = "cgraph" if key.startswith(("vertex", "edge")) else "linegraph"
    return player.locator(f'[data-side="{side}"] .adviz-node[data-key="{key}"]:not([data-absent])')


def overlap(one: Box, other: Box) -> bool:
    across = min(one[3], other[3]) - max(one[1], other[1])
    down = min(one[4], other[4]) - max(one[2], other[2])
    return across > 1 and down > 1


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
@pytest.mark.parametrize("name", ["lion", "bat"])
def test_at_no_step_labels_overlap_or_are_cut_or_anything_moves(still_page, folder, name, technique):
    player = shown(still_page, folder, name, technique=technique)
    standing = places(player)
    for cursor in range(last_cursor(player) + 1):
        for boxes in player.locator(".adviz-elimination").evaluate_all(BOXES):
            assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a, b)] == [], f"cursor {cursor}"
            assert [key for key, left, _, right, _, words in boxes if words > right - left] == [], f"cursor {cursor}"
        press(player, "ArrowRight")
        assert places(player) == standing, f"cursor {cursor}"


def test_surviving_things_do_not_move_while_there_is_motion(new_page, folder):
    player = shown(new_page(offline=True), folder, "lion")
    first = dict(zip_places(player))
    for _ in range(last_cursor(player)):
        press(player, "ArrowRight")
        expect(player.locator(".adviz-token")).to_have_count(0)
        assert {key: place for key, place in zip_places(player) if first[key] != place} == {}


def zip_places(player: Locator) -> list[tuple[str, list[float]]]:
    """Where everything is that is there at first and now, in pixels of the screen."""
    boxes: list[list[Box]] = player.locator(".adviz-elimination").evaluate_all(BOXES.replace(":not([data-absent])", ""))
    return [(key, place) for side in boxes for key, *place, _ in side]


def test_going_back_shows_the_same_picture_pixel_for_pixel(still_page, folder):
    player = shown(still_page, folder, "lion", technique="face")
    press(player, "ArrowRight ArrowLeft")
    seen = [player.screenshot()]
    for _ in range(last_cursor(player)):
        press(player, "ArrowRight")
        seen.append(player.screenshot())
    for cursor in reversed(range(last_cursor(player))):
        press(player, "ArrowLeft")
        assert looks_like(player, seen[cursor]), f"going back to cursor {cursor}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(new_page, folder, scheme):
    page = new_page(offline=True, color_scheme=scheme, reduced_motion="reduce")
    player = shown(page, folder, "lion", technique="face")
    page.evaluate(AXE.read_text())
    for _ in range(2):
        assert player.evaluate(VIOLATIONS) == []
        player.get_by_role("button", name="Your own order").click()


def test_a_vertex_chosen_by_a_click_is_eliminated_and_the_score_says_how_good_that_was(still_page, folder):
    player = shown(still_page, folder, "lion")
    player.get_by_role("button", name="Your own order").click()
    for vertex in ("1", "2"):
        item(player, f"vertex/{vertex}").click()
        expect(item(player, f"vertex/{vertex}")).to_have_count(0)
    expect(player.locator(".adviz-own-score")).to_have_text("Done: 12 multiplications, the best possible!")
    expect(caption(player)).to_contain_text("v2 is eliminated: 1 × 3 = 3 products, 8 multiplications")


def test_an_order_is_made_by_keyboard_alone_taken_back_and_made_again(still_page, folder):
    player = shown(still_page, folder, "lion", technique="edge")
    player.get_by_role("button", name="Your own order").click()
    item(player, "vertex/1").focus()
    for key in ("ArrowDown", "Enter"):
        still_page.keyboard.press(key)
    offer = player.locator(".adviz-own-choice button")
    expect(offer).to_have_text(["front (4 multiplications)", "back (2 multiplications)"], use_inner_text=True)
    still_page.keyboard.press("Tab")
    still_page.keyboard.press("Enter")
    expect(item(player, "edge/1.2")).to_have_count(0)
    expect(player.locator(".adviz-elimination :focus")).to_have_count(1)
    still_page.keyboard.press("u")
    expect(item(player, "edge/1.2")).to_have_count(1)
    still_page.keyboard.press("Shift+U")
    expect(item(player, "edge/1.2")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 460])
def test_the_sides_of_an_edge_are_asked_for_beside_it_and_left_by_escape(new_page, folder, width):
    page = new_page(offline=True, reduced_motion="reduce", viewport={"width": width, "height": 900})
    player = shown(page, folder, "lion", technique="edge")
    player.get_by_role("button", name="Your own order").click()
    edge, choice = item(player, "edge/1.2"), player.locator(".adviz-own-choice")
    edge.click()
    asked, offers = edge.bounding_box(), choice.bounding_box()
    assert asked
    assert offers
    assert 0 <= offers["y"] - (asked["y"] + asked["height"]) <= 16
    assert offers["x"] <= asked["x"] + asked["width"] / 2 <= offers["x"] + offers["width"]
    assert 0 <= offers["x"] <= width - offers["width"]
    page.keyboard.press("Escape")
    expect(choice).to_be_empty()
    expect(edge).to_be_focused()


def test_where_the_reader_can_make_no_order_the_page_says_why_and_large_graphs_can_be_read(still_page, folder):
    player = opened(still_page, ad.show_elimination(ad.examples["Roe flux"]).save(folder / "roe.html"), "roe_flux")
    expect(player.locator(".adviz-own")).to_have_text(
        "No order of your own here: the line graph has 155 nodes, more than 60. Show a smaller part."
    )
    picture = player.locator(".adviz-elimination .adviz-picture")
    ground = picture.bounding_box()
    assert ground

    def is_seen(box):
        return all(
            ground[at] <= box[at] <= ground[at] + ground[size] - box[size]
            for at, size in (("x", "width"), ("y", "height"))
        )

    press(player, "ArrowRight")
    made = picture.locator('.adviz-node[data-role="fresh"]')
    box = made.bounding_box()
    assert box["height"] >= 9
    assert is_seen(box)
    vertices = picture.locator('.adviz-node[data-sort="vertex"]')
    player.get_by_role("button", name="Fit the picture").click()
    assert all(is_seen(vertex.bounding_box()) for vertex in vertices.all())
    player = opened(still_page, folder / "roe.html", "roe_flux")
    press(player, "End")
    assert all(is_seen(vertex.bounding_box()) for vertex in vertices.all()), "at the end all is seen"


def test_a_finger_eliminates_a_face_and_hears_why_others_stay(new_page, folder):
    page = new_page(offline=True, has_touch=True, reduced_motion="reduce")
    player = shown(page, folder, "lion", technique="face")
    player.get_by_role("button", name="Your own order").tap()
    item(player, "face/1.2/2.5").tap()
    expect(item(player, "face/1.2/2.5")).to_have_count(0)
    expect(caption(player)).to_contain_text("The face from c₂₁ to c₅₂ is eliminated: 1 multiplication")
    item(player, "face/s.0/0.1").tap(force=True)  # it has no grip: the line takes it
    expect(caption(player)).to_have_text("→ v0 is a source or sink edge: only interior faces are eliminated.")


def test_an_order_is_kept_in_a_page_saved_from_the_page_or_from_python(still_page, folder):
    player = shown(still_page, folder, "lion")
    player.get_by_role("button", name="Your own order").click()
    item(player, "vertex/2").click()
    with still_page.expect_download() as download:
        player.get_by_role("button", name="Save page").click()
    download.value.save_as(folder / "order.html")
    player = opened(still_page, folder / "order.html", "lion")
    expect(player.locator(".adviz-own-score")).to_have_text(
        "4 multiplications so far; the best possible is 12 (proved)."
    )
    for technique in ("vertex", "edge", "face"):
        made = ad.show_elimination(ad.examples["lion"], technique=technique)
        made.order = (best := ad.optimal_order(ad.examples["lion"], technique)).order
        player = opened(still_page, made.save(folder / "made.html"), "lion")
        expect(player.locator(".adviz-own-score")).to_have_text(
            f"Done: {best.cost} multiplications, the best possible!"
        )


def test_two_orders_advance_on_one_clock(still_page, folder):
    player = shown(still_page, folder, "Naumann 2004", orders=["forward", "reverse"])
    press(player, "c ArrowRight")
    sides = player.locator('[data-side="cgraph"]')
    expect(sides).to_have_count(2)
    gone = '.adviz-node[data-role="gone"][data-sort="vertex"]'
    keys = [sides.nth(k).locator(gone).evaluate_all("all => all.map(one => one.dataset.key)") for k in (0, 1)]
    assert keys == [["vertex/2"], ["vertex/4"]]


def test_in_a_notebook_an_order_goes_from_the_page_to_python_and_back_and_outlives_the_kernel(lab, notebook):
    page = notebook(
        [
            "import adviz as ad\nlion = ad.show_elimination(ad.examples['lion'])\nlion",
            "bat = ad.show_elimination(ad.examples['bat'], technique='face')\nbat",
        ]
    )
    lion, bat = player_of(page, "lion"), player_of(page, "bat")
    lion.get_by_role("button", name="Your own order").click()
    item(lion, "vertex/2").click()
    wait_until_python_says(lab, page, "(lion.order, lion.cost, bat.order)", ([["vertex", "2"]], 4, []))
    lab.ask(page, "bat.order = [['face', '2.4', '4.5']]")
    expect(bat.locator(".adviz-own-score")).to_contain_text("so far; the best possible is 22 (proved).")
    expect(item(lion, "vertex/1")).to_have_count(1)
    page.evaluate(f"{KERNEL}.restart()")
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    item(lion, "vertex/1").click()
    expect(lion.locator(".adviz-own-score")).to_have_text("Done: 12 multiplications, the best possible!")
