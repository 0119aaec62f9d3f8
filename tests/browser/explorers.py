"""An Explorer on a page, in the words of the person who uses it."""

import re

from playwright.sync_api import Locator, Page, expect

ANY = ".adviz"
"""Every live Explorer of a page."""
STILL = "[data-adviz-id]"
"""Every still picture that stands in for one."""


def explorer_of(page: Page, name: str, view: int = 0) -> Locator:
    """The live Explorer of the function with this name, in one of its views, scrolled to where it can be seen."""
    explorer = page.get_by_role("region", name=f"Explorer of {name}", exact=True).nth(view)
    explorer.locator(".adviz-node").first.wait_for()
    explorer.scroll_into_view_if_needed()
    return explorer


def by_operations(explorer: Locator) -> Locator:
    """The same Explorer, with the picture of all operations instead of the statements with which it opens."""
    level = explorer.get_by_role("button", name="Operations", exact=True)
    if level.is_visible():
        level.click()
    return explorer


def node(explorer: Locator, number: int) -> Locator:
    """The item of the picture that is this node."""
    return explorer.locator(f':is(.adviz-world, .adviz-flow) [data-node="{number}"]')


def folded_scope(explorer: Locator) -> Locator:
    """The items of the picture that are folded scopes."""
    return explorer.locator(".adviz-world .adviz-scope")


def selected_nodes(explorer: Locator) -> list[int]:
    """The nodes that the picture shows as selected."""
    marked = explorer.locator('.adviz-node[data-mark="selected"][data-node]')
    return sorted(int(number) for number in marked.evaluate_all("items => items.map(item => item.dataset.node)"))


def marked_source(explorer: Locator) -> str:
    """The code that is marked as having made the selection."""
    return "".join(explorer.locator(".adviz-code .adviz-mark").all_inner_texts())


def search_box(explorer: Locator) -> Locator:
    return explorer.get_by_role("combobox", name="Search nodes")


def camera(explorer: Locator) -> list[float]:
    """From where the picture is looked at, its translation and scale, without the noise of their last digits."""
    return [round(float(number), 6) for number in re.findall(r"-?\d[\d.e-]*", transform(explorer))]


def transform(explorer: Locator) -> str:
    """The same as the page has it, to wait until it is another."""
    return explorer.locator(".adviz-world").get_attribute("transform") or ""


def expect_scope(explorer: Locator, label: str) -> None:
    """Wait until the scope with this label is open."""
    expect(explorer.locator('.adviz-trail [aria-current="location"]')).to_have_text(label)


def expect_iteration(explorer: Locator, number: int) -> None:
    """Wait until this one of repeated iterations is open."""
    expect(explorer.get_by_role("spinbutton", name="Number of the iteration")).to_have_value(str(number))


def expect_focus(page: Page, number: int) -> None:
    """Wait until the keyboard is at this node of a picture."""
    expect(page.locator(".adviz-node:focus")).to_have_attribute("data-node", str(number))
