"""The show of an elimination on a saved page: both sides in their places, and an order of the reader's own."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .players import caption, last_cursor, looks_like, player_of, press, seek, wait_until_python_says
from .test_lost_kernel import KERNEL
from .test_player_looks import AXE, VIOLATIONS

BOXES = """
pictures => pictures.map(picture => [...picture.querySelectorAll("[data-key^=vertex], [data-key^=edge]")].map(
    item => {
        const {left, top, right, bottom} = item.getBoundingClientRect();
        return [item.dataset.key, left, top, right, bottom];
    }))
"""
WORDS = """
pictures => pictures.map(picture => [...picture.querySelectorAll(".adviz-flow text")].map(text => {
    const {left, top, right, bottom} = text.getBoundingClientRect();
    return [text.textContent, left, top, right, bottom];
}))
"""
Box = tuple[str, float, float, float, float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("eliminations")


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
    """A vertex, a label or half of one, or a face, where it is there."""
    return player.locator(f'.adviz-elimination [data-key="{key}"]')


def overlap(one: Box, other: Box) -> bool:
    across = min(one[3], other[3]) - max(one[1], other[1])
    down = min(one[4], other[4]) - max(one[2], other[2])
    return across > 1 and down > 1


@pytest.mark.parametrize("technique", ["vertex", "face"])
@pytest.mark.parametrize("name", ["lion", "bat"])
def test_at_no_step_labels_overlap(still_page, folder, name, technique):
    player = shown(still_page, folder, name, technique=technique)
    for cursor in range(last_cursor(player) + 1):
        for boxes in player.locator(".adviz-elimination").evaluate_all(BOXES):
            assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a, b)] == [], f"cursor {cursor}"
        press(player, "ArrowRight")


@pytest.mark.parametrize("name", ["lion", "bat", "Naumann 2004"])
def test_letters_are_large_enough(new_page, folder, name):
    page = new_page(offline=True, reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    player = shown(page, folder, name)
    sizes = "picture => [...picture.querySelectorAll('.adviz-flow text')].map(text => "
    sizes += "+text.getAttribute('font-size') * text.getScreenCTM().a)"
    for _ in range(last_cursor(player) + 1):
        assert min(player.locator(".adviz-elimination").evaluate(sizes)) >= 12
        press(player, "ArrowRight")


SMALL = 12  # intermediates up to which no letters are smaller than 12 px; but for long numbers in the scalar bat
LETTERS = """
picture => Math.min(...[...picture.querySelectorAll(".adviz-flow text")].map(
    text => text.getAttribute("font-size") * text.getScreenCTM().a))
"""


def graph_of(name: str) -> Any:
    """The c-graph of an example."""
    case = ad.examples[name]
    return case.graph() if hasattr(case, "graph") else ad.linearize(ad.trace(case.program, *case.arguments))


@pytest.mark.slow
@pytest.mark.parametrize("technique", ["vertex", "face"])
@pytest.mark.parametrize("name", [*ad.examples])
def test_first_in_the_middle_and_last_no_labels_overlap_and_small_graphs_can_be_read(new_page, folder, name, technique):
    """Boxes of labels, or words beside an extended Jacobian, in a window of 1280 by 800."""
    graph = graph_of(name)
    page = new_page(offline=True, reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    show = ad.show_elimination(ad.examples[name], technique=technique)
    (kind,) = {panel["kind"] for panel in show.scene["panels"]} & {"elimination", "extended"}
    middle = len(graph.vertices) - len(graph.inputs) - len(graph.outputs)
    page.goto(show.save(folder / "page.html").as_uri())
    player = page.locator(".adviz-player")
    picture = player.locator(".adviz-elimination")
    picture.locator(".adviz-flow text").first.wait_for()
    for cursor in (0, last_cursor(player) // 2, last_cursor(player)):
        seek(player, cursor)
        (boxes,) = picture.evaluate_all(BOXES if kind == "elimination" else WORDS)
        assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a, b)] == [], f"cursor {cursor}"
        least = 7 if kind == "extended" else (11 if name == "scalar bat" else 12) if middle <= SMALL else 0
        assert picture.evaluate(LETTERS) >= least, f"cursor {cursor}"


def test_the_slider_and_its_key_turn_the_graph_into_its_line_graph(still_page, folder):
    player = shown(still_page, folder, "bat")
    symbols = player.locator(".adviz-elimination text[font-family*=serif]")
    expect(symbols).to_have_count(0)
    slider = player.get_by_label("From the graph to its line graph")
    slider.fill("1")
    expect(symbols).to_have_count(9)
    press(player, "m")
    expect(symbols).to_have_count(0)
    expect(slider).to_have_value("0")


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
    item(player, "vertex/2").focus()
    still_page.keyboard.press("ArrowLeft")
    expect(item(player, "front/1.2")).to_be_focused()
    still_page.keyboard.press("ArrowLeft")
    expect(item(player, "back/1.2")).to_be_focused()
    still_page.keyboard.press("Enter")
    expect(item(player, "back/1.2")).to_have_count(0)
    expect(caption(player)).to_contain_text("The edge v1 → v2 is back-eliminated: 2 multiplications")
    expect(player.locator(".adviz-elimination :focus")).to_have_count(1)
    still_page.keyboard.press("u")
    expect(item(player, "back/1.2")).to_have_count(1)
    still_page.keyboard.press("Shift+U")
    expect(item(player, "back/1.2")).to_have_count(0)


def test_where_the_reader_can_make_no_order_the_page_says_why_and_large_graphs_can_be_read(still_page, folder):
    player = opened(still_page, ad.show_elimination(ad.examples["Roe flux"]).save(folder / "roe.html"), "roe_flux")
    expect(player.locator(".adviz-own")).to_have_text(
        "No order of your own here: the line graph has 155 nodes, more than 60. Show a smaller part."
    )
    words = player.locator(".adviz-elimination .adviz-flow text")
    expect(words.filter(has_text="79 intermediates left")).to_be_visible()
    press(player, "ArrowRight")
    expect(words.filter(has_text="Markowitz degree 2 × 1 = 2")).to_be_visible()
    press(player, "End")
    expect(words.filter(has_text="The Jacobian")).to_be_visible()
    assert player.locator(".adviz-elimination").evaluate(LETTERS) >= 9
    entry = words.filter(has_text="2.17").bounding_box()
    assert entry
    still_page.mouse.move(entry["x"] + 5, entry["y"] + 5)
    expect(player.locator(".adviz-pointed")).to_have_text("∂result[2]/∂momentum1 = 2.17")


def test_a_finger_eliminates_a_face_and_hears_what_is_no_move(new_page, folder):
    page = new_page(offline=True, has_touch=True, reduced_motion="reduce")
    player = shown(page, folder, "lion", technique="face")
    player.get_by_role("button", name="Your own order").tap()
    item(player, "face/1.2/2.5").dispatch_event("click")  # its middle may lie under another
    expect(item(player, "face/1.2/2.5")).to_have_count(0)
    expect(caption(player)).to_contain_text("The face from c₂₁ to c₅₂ is eliminated: 1 multiplication")
    item(player, "vertex/0").tap()
    expect(caption(player)).to_contain_text("Your own order: choose a face")


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
    pictures = player.locator(".adviz-elimination")
    expect(pictures).to_have_count(2)
    there = '[data-sort="vertex"]'
    keys = [pictures.nth(k).locator(there).evaluate_all("all => all.map(one => one.dataset.key)") for k in (0, 1)]
    everything = {f"vertex/{j}" for j in range(7)}
    assert [everything - set(each) for each in keys] == [{"vertex/2"}, {"vertex/4"}]


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
