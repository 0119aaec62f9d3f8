"""Names, keys, comments and strings that hold markup, scripts and quotes are text wherever they are shown."""

import importlib.util
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import adviz as ad
from adviz.stage.export import html
from adviz.stage.shows.options import PANELS

from .explorers import explorer_of, node, search_box
from .players import last_cursor, player_of, press, slider

MARKUP = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
HOSTILE = f"{MARKUP}\"'`${{1}}&lt;\u202e--><!--"
CODE = f"""
import numpy as np
import adviz as ad

HOSTILE = {HOSTILE!r}

def careful(entries):
    # {MARKUP}
    return np.sin(entries[{HOSTILE!r}]) * 2.0

def hostile(entries):
    return careful(entries) + 1.0

for function in (careful, hostile):
    function.__code__ = function.__code__.replace(co_name=HOSTILE, co_qualname=HOSTILE)
    function.__name__ = function.__qualname__ = HOSTILE
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """The hostile code, imported."""
    file = tmp_path_factory.mktemp("hostile") / "hostile.py"
    file.write_text(CODE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("hostile", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def explorer(module) -> ad.Explorer:
    return ad.explore(module.hostile, {HOSTILE: 0.5})


def expect_text_everywhere(shown: Locator) -> None:
    """Look at the hostile names in every part of a live Explorer."""
    expect(shown.locator(".adviz-trail")).to_contain_text(MARKUP)
    expect(node(shown, 0)).to_contain_text("</scri")
    expect(node(shown, 0)).to_have_attribute("aria-label", re.compile(re.escape(MARKUP)))
    shown.get_by_role("tab", name="Sizes").click()
    expect(shown.locator(".adviz-sizes")).to_contain_text("</script><script>")
    node(shown, 1).click()
    expect(shown.locator(".adviz-inspector")).to_contain_text(MARKUP)
    expect(shown.locator(".adviz-code")).to_contain_text(f"# {MARKUP}")
    search_box(shown).fill(f'"{MARKUP}"')
    expect(shown.get_by_role("option").first).to_contain_text("</script><script>")
    search_box(shown).fill("times_used > <img src=x onerror=window.pwned=1>")
    expect(shown.get_by_role("alert")).to_contain_text("needs a number")


def expect_harmless(page: Page) -> None:
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("img[onerror]").count() == 0


def test_in_a_notebook(module_notebook):
    page = module_notebook([CODE, "ad.explore(hostile, {HOSTILE: 0.5})"])
    expect_text_everywhere(explorer_of(page, HOSTILE))
    expect_harmless(page)


def test_in_a_saved_page(explorer, tmp_path: Path, page_offline: Page):
    page_offline.goto(explorer.save(tmp_path / "page.html").as_uri())
    expect_text_everywhere(explorer_of(page_offline, HOSTILE))
    assert MARKUP in page_offline.title()
    expect_harmless(page_offline)


def test_in_every_panel_of_a_saved_show(module, tmp_path: Path, page_offline: Page):
    show = ad.show_tape_vs_graph(module.hostile, {HOSTILE: 0.5}, panels=PANELS, teach=True)
    page_offline.goto(show.save(tmp_path / "page.html").as_uri())
    player = player_of(page_offline, HOSTILE)
    expect(player.locator(".adviz-header")).to_contain_text(MARKUP)
    player.get_by_role("combobox", name="Function").select_option(index=1)
    expect(player.locator(".adviz-code")).to_contain_text(f"# {MARKUP}")
    for panel, start in ((".adviz-tape", "</scri"), (".adviz-table", "</scri"), (".adviz-flow", "entries['<")):
        expect(player.locator(panel).first).to_contain_text(start)
    for _ in range(last_cursor(player)):
        press(player, "ArrowRight")
        skip = player.get_by_role("button", name="Show me")
        if skip.count():
            skip.click()
    expect(slider(player)).to_have_value(str(last_cursor(player)))
    expect_harmless(page_offline)


def test_in_a_picture_opened_on_its_own(explorer, tmp_path: Path, page_offline: Page):
    page_offline.goto(explorer.save(tmp_path / "picture.svg").as_uri())
    expect(page_offline.locator("text").get_by_text("</scri").first).to_be_visible()
    expect_harmless(page_offline)


def test_in_the_still_picture_of_a_notebook(explorer, tmp_path: Path, page_offline: Page):
    file = tmp_path / "still.html"
    still = html.notebook_html(explorer.scene, explorer.fallback)
    file.write_text(f'<!doctype html><meta charset="utf-8">{still}', encoding="utf-8")
    page_offline.goto(file.as_uri())
    expect(page_offline.locator("text").get_by_text("</scri").first).to_be_visible()
    expect_harmless(page_offline)
