"""The show of the algebra of a graph on a saved page: one selection for picture, formulas, outline and levels."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from ..stage.panels import HOSTILE
from .players import caption, last_cursor, looks_like, player_of, press, wait_until_python_says
from .test_elimination_show import BOXES, overlap
from .test_player_looks import AXE, VIOLATIONS

CROSSED = "two crossed diamonds"
CUT = """
player => [...player.querySelectorAll(":is(.adviz-formulas, .adviz-outline-rows, .adviz-levels-row, .adviz-cost)")]
    .filter(element => element.scrollWidth > element.clientWidth + 1).map(element => element.className)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("algebra")


def shown(page: Page, folder: Path, name: str = CROSSED, **settings: Any) -> Locator:
    """A Player of one of the examples on a page, at the start."""
    page.goto(ad.show_algebra(ad.examples[name], **settings).save(folder / "page.html").as_uri())
    player = player_of(page, name)
    press(player, "Home")
    return player


def edges(player: Locator) -> list[str]:
    """The letters of the edges that are lit in the picture."""
    lit = player.locator('.adviz-elimination path[data-linked="edge"]')
    return sorted(lit.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))"))


@pytest.mark.parametrize("way", ["backward", "forward", "paths"])
@pytest.mark.parametrize("name", [CROSSED, "slide"])
def test_at_no_step_letters_overlap(still_page, folder, name, way):
    player = shown(still_page, folder, name, way=way, effort=0)
    for cursor in range(last_cursor(player) + 1):
        for boxes in player.locator(".adviz-elimination").evaluate_all(BOXES):
            assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a, b)] == [], f"cursor {cursor}"
        press(player, "ArrowRight")


def test_a_bracket_an_edge_and_a_row_light_the_same(still_page, folder):
    player = shown(still_page, folder)
    press(player, "End")
    bracket = player.locator(".adviz-part-of[data-sort=sum]").nth(2)
    bracket.hover(position={"x": 3, "y": 14})
    expect(bracket).to_have_attribute("data-whole", "")
    assert edges(player) == ["X₁", "e₂₁", "e₅₂", "e₅₄"]
    row = player.locator(".adviz-outline-row[data-lit]")
    expect(row).to_have_text("block v1 → v5, simple: e₅₂ e₂₁ + e₅₄ X₁")
    player.locator(".adviz-cost").hover()
    assert edges(player) == []
    row = player.locator(".adviz-outline-row").nth(2)
    row.hover()
    assert edges(player) == ["X₁", "e₂₁", "e₅₂", "e₅₄"]
    player.locator('[data-key="edge/4.6"]').hover()
    assert edges(player) == ["e₇₅"]
    expect(player.locator(".adviz-letter[data-lit]")).to_have_text(["e75"])


def test_all_is_reached_by_keyboard(still_page, folder):
    player = shown(still_page, folder)
    press(player, "End")
    player.locator(".adviz-formulas [tabindex='0']").focus()
    for _ in range(4):
        still_page.keyboard.press("ArrowDown")
    expect(player.locator(".adviz-formulas :focus")).to_have_text("e21")
    still_page.keyboard.press("Enter")
    player.locator("[data-join='0']").focus()
    still_page.keyboard.press("Enter")
    expect(player.locator(".adviz-levels-told")).to_contain_text("4 multiplications so far.")
    player.locator('[data-key="edge/4.6"]').focus()
    assert edges(player) == ["e₇₅"]


def test_copies_come_apart_and_going_back_shows_the_same_picture(still_page, folder):
    player = shown(still_page, folder)
    seen = [player.screenshot()]
    for _ in range(last_cursor(player)):
        press(player, "ArrowRight")
        seen.append(player.screenshot())
    expect(caption(player)).to_contain_text("The cost falls from 10 to 8 multiplications.")
    for cursor in reversed(range(last_cursor(player))):
        press(player, "ArrowLeft")
        assert looks_like(player, seen[cursor]), f"going back to cursor {cursor}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(new_page, folder, scheme):
    page = new_page(offline=True, color_scheme=scheme, reduced_motion="reduce")
    player = shown(page, folder, teach=True)
    page.evaluate(AXE.read_text())
    assert player.evaluate(VIOLATIONS) == []
    press(player, "End")
    player.locator(".adviz-letter").last.click()
    player.locator("[data-join='1']").click()
    assert player.evaluate(VIOLATIONS) == []


@pytest.mark.parametrize("width", [460, 760, 1280, 1900])
def test_nothing_is_cut_off(new_page, folder, width):
    page = new_page(offline=True, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    player = shown(page, folder)
    for _ in range(last_cursor(player) + 1):
        assert player.evaluate(CUT) == []
        press(player, "ArrowRight")


def test_an_order_of_levels_is_kept_on_a_saved_page(still_page, folder):
    made = ad.show_algebra(ad.examples[CROSSED], effort=0)
    made.association = [[[0, 1], [2, 3]]]
    still_page.goto(made.save(folder / "made.html").as_uri())
    player = player_of(still_page, CROSSED)
    expect(player.locator(".adviz-levels-told")).to_contain_text("(J₁ J₂) (J₃ J₄) takes 9 multiplications.")


def test_names_are_never_markup(new_page, folder):
    page = new_page(offline=True)
    tags = [("in", HOSTILE[0]), ("in", HOSTILE[1]), (HOSTILE[0], "out"), (HOSTILE[1], "out"), (HOSTILE[0], HOSTILE[1])]
    page.goto(ad.show_algebra(ad.CGraph.from_edges(tags), teach=True).save(folder / "hostile.html").as_uri())
    player = page.locator(".adviz-player")
    player.locator(".adviz-elimination .adviz-flow text").first.wait_for()
    press(player, "End")
    assert player.locator("img, script").count() == 0
    expect(player.locator(".adviz-outline-row").first).to_contain_text("→")


def test_in_a_notebook_an_order_of_levels_goes_from_the_page_to_python_and_back(lab, notebook):
    page = notebook([f"import adviz as ad\nshow = ad.show_algebra(ad.examples['{CROSSED}'])\nshow"])
    player = player_of(page, CROSSED)
    for _ in range(3):
        player.locator("[data-join='0']").click()
    wait_until_python_says(lab, page, "(show.order, show.multiplications)", ((((0, 1), 2), 3), 8))
    lab.ask(page, "show.association = [0, 1, [2, 3]]")
    expect(player.locator(".adviz-level")).to_have_count(3)
