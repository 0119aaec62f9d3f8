"""A Player on a page, in the words of the person who uses it."""

import time

from playwright.sync_api import Locator, Page, expect

PATIENCE = 90


def player_of(page: Page, name: str, view: int = 0) -> Locator:
    """The Player of the function with this name, in one of its views, scrolled to where it can be seen."""
    player = page.locator(".adviz-player").and_(page.get_by_role("region", name=name, exact=True)).nth(view)
    player.locator(".adviz-node, .adviz-elimination .adviz-flow text").first.wait_for()
    player.scroll_into_view_if_needed()
    return player


def slider(player: Locator) -> Locator:
    """What holds the cursor; hidden where the steps have names to choose from."""
    return player.locator(".adviz-slider")


def at_level(player: Locator, level: str) -> Locator:
    """Choose a level of detail, where a show has several."""
    button = player.locator(f'[data-level="{level}"]')
    if button.count():
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    return player


def caption(player: Locator) -> Locator:
    return player.locator(".adviz-caption")


def last_cursor(player: Locator) -> int:
    """The cursor at the end of the show."""
    return int(slider(player).get_attribute("max") or 0)


def expect_cursor(player: Locator, cursor: int) -> None:
    """Wait until so many steps are taken."""
    expect(slider(player)).to_have_value(str(cursor))


def looks_like(player: Locator, picture: bytes) -> bool:
    """Whether the show looks as it did; pytest would take hours to tell how the bytes of two pictures differ."""
    return player.screenshot() == picture


def press(player: Locator, keys: str, times: int = 1) -> None:
    """Press keys, written with spaces between them, while the Player has the keyboard."""
    player.focus()
    for key in keys.split() * times:
        player.page.keyboard.press(key)


def seek(player: Locator, cursor: int) -> None:
    """Drag the slider to a cursor, even one at which the level of detail does not rest."""
    slider(player).evaluate(
        "(element, value) => { element.value = value; element.dispatchEvent(new Event('input', {bubbles: true})); }",
        cursor,
    )
    expect_cursor(player, cursor)


def wait_until_python_says(lab, page: Page, expression: str, value: object) -> None:
    """Wait until an expression has this value in the notebook's kernel."""
    deadline = time.monotonic() + PATIENCE
    while (said := lab.ask(page, f"print(repr({expression}))").strip()) != repr(value):
        assert time.monotonic() < deadline, f"{expression} is {said}, not {value!r}"
        time.sleep(0.05)


def places(player: Locator) -> list[str]:
    """Where each item of the pictures stands."""
    place = (
        "item => item.getAttribute('transform') ?? ['x', 'y'].map(at => item.firstElementChild.getAttribute(at)).join()"
    )
    return player.locator(".adviz-node").evaluate_all(f"items => items.map({place})")
