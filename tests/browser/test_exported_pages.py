"""The pages that the notebooks export open from the disk, play, and take the reader's own moves."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .players import caption, last_cursor, player_of, seek

PAGES = Path(__file__).parents[2] / "notebooks" / "pages"


@pytest.fixture
def bat(page_offline: Page) -> Locator:
    page_offline.goto((PAGES / "bat.html").as_uri())
    return player_of(page_offline, "bat")


def test_the_bat_plays_to_its_jacobian(bat):
    seek(bat, last_cursor(bat))
    expect(caption(bat)).to_contain_text("the labels are the Jacobian, after 22 multiplications and 2 additions")


def test_the_bat_is_taken_apart_by_hand(bat):
    bat.get_by_role("button", name="Your own order").click()
    bat.locator('.adviz-elimination [data-key="face/2.4/4.5"]').press("Enter")
    expect(bat.locator(".adviz-own-score")).to_have_text("1 multiplication so far; the best possible is 22 (proved).")
