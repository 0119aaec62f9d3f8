"""Players in JupyterLab: what is done on the page reaches Python, and what Python does is seen on the page."""

import pytest
from playwright.sync_api import Locator, Page, expect

from .explorers import node, selected_nodes
from .players import (
    at_level,
    caption,
    expect_cursor,
    last_cursor,
    places,
    player_of,
    press,
    seek,
    slider,
    wait_until_python_says,
)

FUNCTIONS = """import numpy as np
import adviz as ad

def waves(x, y):
    return np.sin(x * y) + x * y * np.exp(-x)

def hills(x):
    return np.exp(-x) * x

def square(x):
    return x * x
"""
CELLS = [
    FUNCTIONS,
    "one = ad.show_backward(waves, 1.2, 0.5)\none",
    "other = ad.show_forward(hills, 2.0)\nother",
    "asking = ad.show_backward(square, 3.0, teach=True)\nasking",
    "one",
]
AT_THE_START = "one.set_trait('inputs', {'x': 1.2, 'y': 0.5}); one.playing = False; one.cursor = 0; one.speed = 1.0; "
AT_THE_START += "one.selection = []; one.breakpoints = []"
PLAYED = "one.scene['steps'][one.cursor - 1]"


@pytest.fixture(scope="module")
def page(module_notebook) -> Page:
    """Three Players, and the first one once more."""
    return module_notebook(CELLS)


@pytest.fixture
def player(lab, page: Page) -> Locator:
    """The first Player, as it was when it was made."""
    assert lab.ask(page, AT_THE_START) == ""
    for view in (1, 0):  # either of them may conduct
        shown = at_level(player_of(page, "waves", view=view), "engine")
    expect_cursor(shown, 0)
    return shown


@pytest.fixture
def python(lab, page: Page):
    """Run code in the kernel; return what it prints."""
    return lambda code: lab.ask(page, code).strip()


@pytest.fixture
def python_says(lab, page: Page):
    """Wait until an expression has a value in the kernel."""
    return lambda expression, value: wait_until_python_says(lab, page, expression, value)


def test_a_show_is_played_to_its_end_and_python_hears_of_it(player, python_says):
    press(player, "+ + + + Space")
    python_says("one.speed", 16.0)
    expect_cursor(player, last_cursor(player))
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()
    python_says("(one.cursor, one.playing)", (last_cursor(player), False))


def test_python_plays_pauses_and_moves_the_cursor(player, python, python_says):
    python("one.speed = 8.0; one.playing = True")
    expect(player.get_by_role("button", name="Pause (space)")).to_be_visible()
    expect(player.get_by_role("combobox", name="Speed")).to_have_value("8")
    python("one.playing = False")
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()
    python_says("one.cursor", int(slider(player).input_value()))
    python("one.cursor = 7")
    expect_cursor(player, 7)
    expect(caption(player)).to_have_text(python("print(one.scene['steps'][6]['caption'])"))


def test_the_slider_is_dragged_with_the_mouse(player, page, python_says):
    box = slider(player).bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, height)
    page.mouse.down()
    middle = last_cursor(player) // 2
    page.mouse.move(box["x"] + box["width"] * middle / last_cursor(player), height, steps=5)
    page.mouse.up()
    expect_cursor(player, middle)
    python_says("one.cursor", middle)


def test_what_is_selected_in_one_panel_is_marked_in_all_and_in_python(player, python, python_says):
    row = player.get_by_role("row").filter(has_text="(x·y)⁽²⁾").first
    expect(row.get_by_title("v4 = v0 × v1")).to_be_visible()
    row.click()
    expect(node(player, 4)).to_have_attribute("data-mark", "selected")
    expect(player.locator('.adviz-entries [aria-selected="true"]')).to_have_count(2)
    python_says("one.selection", [4])
    python("one.selection = [6]")
    expect(node(player, 6)).to_have_attribute("data-mark", "selected")
    assert selected_nodes(player) == [6]


@pytest.mark.parametrize(
    ("name", "stopped"), [("node:4", [4]), ("block:multiply", [2, 4, 7]), ("line:5", [2, 3, 4, 5, 6, 7, 8])]
)
def test_playing_stops_at_a_breakpoint(player, python, python_says, name, stopped):
    python(f"one.speed = 32.0; one.breakpoints = [{name!r}]; one.playing = True")
    expect(player.get_by_role("button", name="Play (space)")).to_be_visible()
    python_says("one.playing", False)
    python_says(f"{PLAYED}['node'] in {stopped}", True)
    assert 0 < int(slider(player).input_value()) < last_cursor(player)


def test_breakpoints_set_on_the_page_reach_python(player, python_says):
    node(player, 4).click()
    press(player, "b")
    python_says("one.breakpoints", ["node:4"])
    expect(node(player, 4).locator(".adviz-stop")).to_be_visible()
    player.locator('.adviz-code [data-line="5"]').dblclick()
    python_says("one.breakpoints", ["node:4", "line:5"])
    node(player, 4).click()
    press(player, "b")
    python_says("one.breakpoints", ["line:5"])


def test_a_double_click_on_a_node_runs_to_its_turn(player, python_says):
    node(player, 4).dblclick()
    python_says(f"{PLAYED}['node']", 4)
    expect(node(player, 4)).to_have_attribute("data-role", "at")


def test_answers_arrive_in_python(page, python, python_says):
    asking = at_level(player_of(page, "square"), "engine")
    question = asking.get_by_role("region", name="Question")
    press(asking, "End Home")
    press(asking, "ArrowRight", times=last_cursor(asking))
    expect(question).to_be_visible()
    kind, answer = python(
        "asked = next(filter(None, (step['question'] for step in asking.scene['steps'])))\n"
        "print(asked['kind'], asked['answer'])"
    ).split()
    give(question, kind, "12345" if kind == "number" else "v0")
    python_says("(asking.answers[0]['right'], len(asking.answers[0]['tries']))", (False, 1))
    give(question, kind, answer if kind == "number" else f"v{answer}")
    python_says("(asking.answers[0]['right'], len(asking.answers[0]['tries']))", (True, 2))
    python_says("asking.score", (0, 1))


def give(question: Locator, kind: str, answer: str) -> None:
    """Answer the question on the page."""
    field = question.get_by_role("textbox")
    field.fill(answer)
    field.press("Enter")


def test_an_input_changed_in_python_keeps_the_places_and_the_cursor(player, python):
    seek(player, 30)
    before = places(player)
    assert python("one.inputs = {'x': 2.0}") == ""
    expect(player.locator(".adviz-flow text", has_text="= 2").first).to_be_visible()
    expect_cursor(player, 30)
    assert places(player) == before
    assert python("print(one.inputs)") == "{'x': 2.0, 'y': 0.5}"


def test_an_input_changed_on_the_page_is_played_by_python(player, python_says):
    seek(player, 30)
    x = player.get_by_role("group", name="Inputs").get_by_role("slider", name="x")
    x.press("Home")
    least = x.get_attribute("min")
    python_says("one.inputs['x']", float(least))
    least_shown = f"{float(least):g}".replace("-", "−")
    expect(player.locator(".adviz-flow text", has_text=least_shown).first).to_be_visible()
    expect_cursor(player, 30)


def test_an_input_that_does_not_fit_is_refused_and_nothing_changes(player, python):
    assert "there is no input 'z'" in python("one.inputs = {'z': 1.0}")
    assert python("print(one.inputs)") == "{'x': 1.2, 'y': 0.5}"


def test_two_players_are_independent(player, page, python_says):
    other = at_level(player_of(page, "hills"), "engine")
    press(other, "ArrowRight", times=3)
    expect_cursor(other, 3)
    expect_cursor(player, 0)
    press(player, "ArrowRight", times=2)
    expect_cursor(player, 2)
    expect_cursor(other, 3)
    python_says("(one.cursor, other.cursor)", (2, 3))


def test_two_views_of_one_player_go_together(player, page, python_says):
    again = at_level(player_of(page, "waves", view=1), "engine")
    press(again, "ArrowRight", times=3)
    expect_cursor(player, 3)
    expect(caption(player)).to_have_text(caption(again).inner_text())
    python_says("one.cursor", 3)


def test_keys_do_not_reach_the_notebook(player, page):
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    press(player, "b a d d l l c c x")
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(cells)


def test_a_cursor_outside_the_show_is_refused(python):
    assert "this show has cursors 0 to" in python("one.cursor = 10_000")
