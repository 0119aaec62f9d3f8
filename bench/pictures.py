"""How clear the pictures of eliminations are: crossings, the part of the panel that they fill, their smallest letters.

    python bench/pictures.py                 all examples with one picture, some minutes
    python bench/pictures.py --quick         the lion only
    python bench/pictures.py --json out.json the figures as JSON, too

Each show stands at its start on a saved page of 1280 by 800 in headless Chromium. It needs Playwright and Chromium or
Chrome on PATH; without them it is left out, and says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

from measure import Figures, browser, command_line, report, table, verdict

import adviz as ad

SMALL, LEAST = 12, 12.0
"""With at most so many intermediates no letters may be smaller than this, in px."""
WINDOW = {"width": 1280, "height": 800}
MEASURE = """
picture => {
  const ground = picture.getBoundingClientRect();
  const boxes = [...picture.querySelectorAll("path, text, rect")].map((each) => each.getBoundingClientRect());
  const seen = boxes.filter(({ width, height }) => width || height);
  const along = (from, to) => Math.max(...seen.map((box) => box[to])) - Math.min(...seen.map((box) => box[from]));
  const size = (text) => text.getAttribute("font-size") * text.getScreenCTM().a;
  const middles = new Map([...picture.querySelectorAll("[data-key]")].map((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [each.dataset.key, [left + width / 2, top + height / 2]];
  }));
  const labels = [...middles.keys()].filter((key) => key.startsWith("edge/"));
  const ends = (label) => label.slice(5).split(".").slice(0, 2).map((end) => middles.get(`vertex/${end}`));
  const lines = labels.flatMap((label) => ends(label).map((end) => [middles.get(label), end]));
  const turn = ([[x, y], [u, v]], [a, b]) => Math.sign(Math.round((u - x) * (b - y) - (v - y) * (a - x)));
  const cross = (one, two) => turn(one, two[0]) * turn(one, two[1]) < 0 && turn(two, one[0]) * turn(two, one[1]) < 0;
  return {
    crossings: lines.reduce((sum, one, k) => sum + lines.slice(k + 1).filter((two) => cross(one, two)).length, 0),
    fill: (along("left", "right") * along("top", "bottom")) / (ground.width * ground.height),
    letters: Math.min(...[...picture.querySelectorAll("text")].map(size)),
  };
}
"""


def figures(names: Iterable[str], running: Any) -> Iterable[tuple[str, Figures]]:
    """Yield what is measured of each example that is shown in one picture."""
    for name in names:
        show = ad.show_elimination(ad.examples[name])
        panels = [panel for panel in show.scene["panels"] if panel["kind"] == "elimination"]
        if not panels:
            continue
        middle = sum(each["role"] == "intermediate" for each in panels[0]["vertices"])
        found: Figures = {"intermediates": middle}
        with tempfile.TemporaryDirectory() as folder:
            page = running.new_page(viewport=WINDOW, reduced_motion="reduce")
            page.goto(show.save(Path(folder, "page.html")).as_uri())
            player = page.locator(".adviz-player")
            page.wait_for_selector(".adviz-elimination [data-key]")
            player.focus()
            page.keyboard.press("Home")
            found |= page.locator(".adviz-elimination .adviz-flow").first.evaluate(MEASURE)
            page.close()
        yield name, found


HEADS = "example", "intermediates", "crossings", "fill of the panel", "smallest letters, px"


def body(found: dict[str, Figures]) -> Iterable[list[str]]:
    """A line per example."""
    for name, own in found.items():
        yield [name, *(str(own[key]) for key in HEADS[1:3]), f"{own['fill']:.0%}", f"{own['letters']:.1f}"]


def main() -> None:
    parser = command_line(__doc__, rounds=1, quick="the lion")
    chosen = parser.parse_args()
    with browser() as running:
        if running is None:
            return
        found = dict(figures(["lion"] if chosen.quick else [*ad.examples], running))
    small = min((own["letters"] for own in found.values() if own["intermediates"] <= SMALL), default=inf)
    goal = verdict(f"letters that are missing to {LEAST:.0f} px", max(0.0, LEAST - small), 0.0, ".1f")
    report(table(HEADS, body(found)), [goal], {"pictures": found}, chosen.json)


if __name__ == "__main__":
    main()
