"""The table of sizes: sorting and selecting by mouse and keyboard, peaks of memory, colors by scope and time."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad

from ..graph.queries.query_programs import layer
from .explorers import by_operations, explorer_of, marked_source, selected_nodes

MEASURES = Path(__file__).with_name("measures.js").read_text(encoding="utf-8")


def forward(x, w, v):
    hidden = layer(x, w)
    return np.sum(layer(hidden, v) ** 2)


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    profile = ad.profile(forward, np.ones((20, 3)), np.ones((3, 30)), np.ones((30, 2)), seconds=0.01)
    return ad.explore(profile).save(tmp_path_factory.mktemp("saved") / "forward.html")


def opened(page: Page, saved: Path) -> Locator:
    page.goto(saved.as_uri())
    explorer = by_operations(explorer_of(page, "forward"))
    explorer.get_by_role("tab", name="Sizes").click()
    return explorer


def column(explorer: Locator, place: int) -> list[str]:
    return explorer.locator(f".adviz-groups tbody tr > :nth-child({place + 1})").all_inner_texts()


def test_a_heading_sorts_and_a_row_selects(still_page, saved):
    explorer = opened(still_page, saved)
    explorer.get_by_role("combobox", name="Count nodes by").select_option("block")
    assert column(explorer, 1) == ["3", "2", "2", "1", "1", "1"]
    heading = explorer.get_by_role("columnheader", name="operations")
    heading.get_by_role("button").focus()
    still_page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert column(explorer, 0)[0] == "matmul"
    still_page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert column(explorer, 0)[-1] == "matmul"
    row = explorer.locator(".adviz-groups tbody tr").last
    row.get_by_role("cell").first.click()
    expect(row.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    blocks = {entry.block.name for entry in map(saved_graph().__getitem__, selected_nodes(explorer))}
    assert blocks == {"matmul"}
    assert marked_source(explorer) == "x @ w"


def saved_graph() -> ad.Graph:
    return ad.trace(forward, np.ones((20, 3)), np.ones((3, 30)), np.ones((30, 2)))


def test_the_holders_of_the_peak_are_selected_by_one_click(still_page, saved):
    explorer = opened(still_page, saved)
    live = ad.live_bytes(saved_graph())
    explorer.locator(".adviz-peak").first.get_by_role("button", name="nodes").click()
    assert selected_nodes(explorer) == sorted(live.holding().tolist())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [460, 760, 1280])
def test_the_table_has_its_room_and_can_be_read(new_page, saved, width, scheme):
    page = new_page(
        offline=True, reduced_motion="reduce", color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    explorer = opened(page, saved)
    for criterion in ("line", "function", "scope", "iteration", "block", "shape"):
        explorer.get_by_role("combobox", name="Count nodes by").select_option(criterion)
        wide = explorer.locator(".adviz-groups :is(td, th)").evaluate_all(
            "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)"
        )
        assert wide == [], criterion
    for measure in ("scope", "time"):
        explorer.get_by_role("combobox", name="Color and size by").select_option(measure)
        assert explorer.evaluate(f"({MEASURES}).faint") == [], measure
    expect(explorer.locator(".adviz-measure-key")).to_contain_text("s")


def test_scopes_have_hues_of_their_own(still_page, saved):
    explorer = opened(still_page, saved)
    explorer.get_by_role("combobox", name="Color and size by").select_option("scope")
    first, second = explorer.locator(".adviz-measure-key .adviz-link").all()
    assert first.inner_text() == "layer (test_size_table.py:18)"
    assert second.inner_text() == "layer (test_size_table.py:19)"
    fill = "item => getComputedStyle(item.querySelector('.adviz-shape')).fill"
    colors = {explorer.locator(f'.adviz-node[data-scope-hue="{k}"]').first.evaluate(fill) for k in (0, 1)}
    assert len(colors) == 2
    second.click()
    assert len(selected_nodes(explorer)) == 2
