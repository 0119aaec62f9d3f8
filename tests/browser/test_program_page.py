"""The page of a program: the function, the program and its graph, with one selection, from the disk."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from .explorers import explorer_of, node, search_box, selected_nodes
from .test_player_looks import AXE, VIOLATIONS


def wave(x, y):
    s = np.sin(x)
    return np.exp(s * y) * (s + y)


@pytest.fixture(scope="module")
def program() -> ad.ProgramExplorer:
    return ad.show_program(wave, 1.0, 2.0)


@pytest.fixture(scope="module")
def saved(program, tmp_path_factory) -> Path:
    return program.save(tmp_path_factory.mktemp("program") / "wave.html")


def opened(saved: Path, page: Page) -> Locator:
    page.goto(saved.as_uri())
    return explorer_of(page, "wave_jacobian")


def code(explorer: Locator, name: str) -> Locator:
    return explorer.get_by_role("group", name=f"{name} code")


def marked(explorer: Locator, name: str) -> str:
    return "".join(code(explorer, name).locator(".adviz-mark").all_inner_texts())


def test_a_line_of_the_program_marks_its_node_and_its_expression(saved, page_offline):
    explorer = opened(saved, page_offline)
    code(explorer, "Program").get_by_text("ds_dx = cos(x)").click()
    expect(explorer.locator(".adviz-inspector")).to_contain_text("ds_dx")
    assert (marked(explorer, "Function"), marked(explorer, "Program")) == ("np.sin(x)", "ds_dx = cos(x)")


def test_a_node_marks_its_line_and_its_expression(program, saved, page_offline):
    explorer = opened(saved, page_offline)
    number = next(each.index for each in program.graph if each.block.name == "exp")
    node(explorer, number).click()
    assert (marked(explorer, "Function"), marked(explorer, "Program")) == ("np.exp(s * y)", "v4 = exp(v3)")


def test_an_expression_of_the_function_marks_all_that_comes_from_it(program, saved, page_offline):
    explorer = opened(saved, page_offline)
    code(explorer, "Function").get_by_text("sin", exact=False).first.click()
    names = {program.graph.blocks[number].name for number in selected_nodes(explorer)}
    assert {"sin", "cos"} <= names


def layer(W, b, x, t):
    h = np.tanh(x @ W + b)
    return np.mean((h - t) ** 2)


def test_a_line_of_the_function_marks_its_value_and_its_adjoint(page_offline, tmp_path):
    example = np.ones((3, 2)), np.zeros(2), np.ones((5, 3)), np.ones((5, 2))
    program = ad.show_program(layer, *example, derivative="gradient", grain="array", inputs=[0, 1])
    page_offline.goto(program.save(tmp_path / "layer.html").as_uri())
    explorer = explorer_of(page_offline, "layer_gradient")
    code(explorer, "Function").get_by_role("button", name="select its nodes").nth(1).click()
    assert marked(explorer, "Function") == "np.tanh(x @ W + b)"
    forward, backward = filter(None, marked_lines(explorer))
    assert forward == "np.tanh(x @ W + b)"
    assert "(1 - h**2)" in backward


def marked_lines(explorer: Locator) -> list[str]:
    """What is marked of each line of the program, without comments."""
    lines = code(explorer, "Program").locator(".adviz-code-line").all()
    return ["".join(each.locator(".adviz-mark:not(.adviz-word-comment)").all_inner_texts()) for each in lines]


@pytest.mark.parametrize("width", [460, 900, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_three_are_in_sight_whatever_the_width(saved, new_page, width, scheme):
    page = new_page(offline=True, color_scheme=scheme, viewport={"width": width, "height": 900})
    explorer = opened(saved, page)
    boxes = [
        each.bounding_box()
        for each in (code(explorer, "Function"), code(explorer, "Program"), explorer.locator(".adviz-surface"))
    ]
    assert all(box["width"] > 200 and box["height"] > 60 and box["x"] + box["width"] <= width for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [460, 900, 1280])
def test_nothing_of_the_program_is_cut_and_what_is_chosen_comes_in_sight(new_page, tmp_path, width):
    explorer = ad.show_program(ad.examples["Roe flux"])
    page = new_page(offline=True, viewport={"width": width, "height": 900})
    page.goto(explorer.save(tmp_path / "roe.html").as_uri())
    lines = code(explorer_of(page, "roe_flux_jacobian"), "Program")
    assert lines.evaluate("box => box.scrollWidth <= box.clientWidth")
    last = explorer.program.lines[-2].text.split(" = ")[0].strip()
    search_box(explorer_of(page, "roe_flux_jacobian")).fill(last)
    page.keyboard.press("Enter")
    mark, around = lines.locator(".adviz-mark").first, lines.bounding_box()
    expect(mark).to_contain_text(f"{last} = ")
    box = mark.bounding_box()
    assert around["y"] <= box["y"] <= around["y"] + around["height"] - box["height"]


def test_the_page_has_no_barriers(saved, new_page):
    page = new_page(offline=True, bypass_csp=True)
    explorer = opened(saved, page)
    page.add_script_tag(path=AXE)
    assert explorer.evaluate(VIOLATIONS) == []
    code(explorer, "Program").get_by_text("ds_dx = cos(x)").click()
    assert explorer.evaluate(VIOLATIONS) == []


def test_its_evaluation_is_played_and_left_again(saved, page_offline):
    explorer = opened(saved, page_offline)
    explorer.get_by_role("button", name="Play").click()
    page_offline.keyboard.press("Escape")
    expect(code(explorer, "Function")).to_be_visible()


def test_without_scripts_there_are_the_picture_and_both_sources(program, saved, new_page):
    page = new_page(offline=True, java_script_enabled=False)
    page.goto(saved.as_uri())
    expect(page.locator("svg.adviz-picture")).to_be_visible()
    page.locator("summary").get_by_text("wave_jacobian").click()
    expect(page.locator("details[open] pre")).to_contain_text("dv6_dx = ds_dx * dv6_ds")
