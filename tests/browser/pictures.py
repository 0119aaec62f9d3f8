"""Pictures of sweeps, measured on their pages: the size of the smallest text, what overlaps, what is cut or shortened.

``python -m tests.browser.pictures`` prints a table of the twelve graphs that the layout was designed with, of drawn
programs and of public functions, each at four sizes of the window.
"""

import argparse
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Page, sync_playwright

import adviz as ad
from tests.fuzz import shows
from tests.stage.narration.folds.programs import BLOCKS, CELLS, WEIGHTS, blocks, cells, classifier

SIZES = {"760": (760, 800), "1280": (1280, 800), "1920": (1920, 1080), "presenting": (1920, 1080)}
MEASURE = """() => {
    const picture = document.querySelector('.adviz-flow');
    if (!picture) return null;
    const scale = picture.getScreenCTM().a;
    const texts = [...picture.querySelectorAll('text')].filter(text => text.textContent.trim());
    const stage = picture.getBoundingClientRect();
    const things = [...picture.querySelectorAll('[data-node], [data-edge]')].map(thing => [
        thing.dataset.node ?? `gate ${thing.dataset.edge}`,
        (thing.querySelector('.adviz-ring') ?? thing).getBoundingClientRect()]);
    const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const pairs = things.flatMap(([name, box], i) => things.slice(i + 1).filter(([, other]) => meets(box, other))
        .map(([other]) => `${name} on ${other}`));
    return {
        nodes: picture.querySelectorAll('[data-node]').length,
        smallest: Math.min(...texts.map(text => parseFloat(getComputedStyle(text).fontSize) * scale)),
        overlaps: pairs,
        outside: things.filter(([, box]) => box.left < stage.left - 1 || box.right > stage.right + 1
            || box.top < stage.top - 1 || box.bottom > stage.bottom + 1).map(([name]) => name),
        shortened: texts.map(text => text.textContent).filter(text => text.includes('…')),
    };
}"""


class Measures(NamedTuple):
    """What is measured of a picture; sizes in px."""

    nodes: int
    smallest: float
    overlaps: list[str]
    outside: list[str]
    shortened: list[str]


Case = tuple[Callable[..., Any], tuple[Any, ...]]


def _neuron(w1, w2, x1, x2, b):
    n = w1 * x1 + w2 * x2 + b
    return np.tanh(n)


def _fan_out(x):
    return sum(np.sin(x * k) for k in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))


def _newton(a):
    y = a
    for _ in range(4):
        y = y - (y * y - a) / (2 * y)
    return y


def _rosenbrock(x, y, z):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2 + (1 - y) ** 2 + 100 * (z - y**2) ** 2


def _logistic(w1, w2, b):
    z = w1 * 0.5 + w2 * -1.2 + b
    p = 1 / (1 + np.exp(-z))
    return -(0.8 * np.log(p) + 0.2 * np.log(1 - p)) + 0.01 * (w1**2 + w2**2)


def _lstm(x, h, c, W, U):
    z = x @ W + h @ U
    i, f, o, g = np.split(z, 4)
    i, f, o = 1 / (1 + np.exp(-i)), 1 / (1 + np.exp(-f)), 1 / (1 + np.exp(-o))
    c = f * c + i * np.tanh(g)
    h = o * np.tanh(c)
    return np.sum(h * h)


def _arrays(*shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(7)
    return tuple(random.normal(size=shape) for shape in shapes)


DESIGNED: dict[str, Case] = {
    "sin(x) + x·y": (lambda x, y: np.sin(x) + x * y, (1.0, 2.0)),
    "sin(x)·y + x": (lambda x, y: np.sin(x) * y + x, (1.0, 2.0)),
    "exp(sin(x²))": (lambda x: np.exp(np.sin(x**2)), (1.0,)),
    "(w·x + b − 1)²": (lambda w, x, b: (w * x + b - 1) ** 2, (0.5, 2.0, 0.1)),
    "x² + exp(−x)": (lambda x: x**2 + np.exp(-x), (0.7,)),
    "neuron": (_neuron, (-3.0, 1.0, 2.0, 0.5, 6.8)),
    "fan-out of 6": (_fan_out, (0.3,)),
    "Newton, 4 iterations": (_newton, (2.0,)),
    "Rosenbrock of 3": (_rosenbrock, (0.5, 0.3, 0.2)),
    "logistic loss": (_logistic, (0.4, -0.3, 0.1)),
    "two-layer net": (classifier, WEIGHTS),
    "LSTM cell": (_lstm, _arrays((3,), (2,), (2,), (3, 8), (2, 8))),
    "cells of a network": (cells, CELLS),
    "12 blocks": (blocks, BLOCKS),
}
"""The twelve graphs of the design, and two with boxes inside of boxes."""


def drawn(count: int) -> Iterator[tuple[str, Case]]:
    """Yield programs drawn by seed."""
    for name, f, arguments in shows.drawn(count):
        yield name, (shows.total(f), arguments)


def public(count: int) -> Iterator[tuple[str, Case]]:
    """Yield public functions, evenly spread over all."""
    every = shows.public()
    for name, f, arguments in every[:: max(1, len(every) // count)][:count]:
        yield name, (shows.total(f), arguments)


def saved(show: Callable[..., Any], case: Case, path: Path) -> bool:
    """Save a show as a page; return whether it could be made."""
    f, arguments = case
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            show(f, *arguments).save(path)
    except ad.AdvizError:
        return False
    return True


def measured(page: Page, path: Path, size: str) -> Measures | None:
    """Open a page, go to the end of the sweep, and measure the picture; ``None`` where there is no flow."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector(".adviz-step-count")
    if size == "presenting":
        page.keyboard.press("p")
    page.keyboard.press("End")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    result = page.evaluate(MEASURE)
    return result and Measures(**result)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawn", type=int, default=40)
    parser.add_argument("--public", type=int, default=30)
    parser.add_argument("--sizes", nargs="+", default=[*SIZES], choices=SIZES)
    options = parser.parse_args()
    cases = {**DESIGNED, **dict(drawn(options.drawn)), **dict(public(options.public))}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]).new_page()
        for name, case in cases.items():
            for kind, show in (("backward", ad.show_backward), ("forward", ad.show_forward)):
                path = Path(folder) / "page.html"
                if not saved(show, case, path):
                    print(f"{name} | {kind} | not shown", flush=True)
                    continue
                for size in options.sizes:
                    found = measured(page, path, size)
                    print(f"{name} | {kind} | {size} | {told(found)}", flush=True)


def told(found: Measures | None) -> str:
    """Return measures as a row of the table."""
    if not found:
        return "no sweep that flows"
    lists = [f"{len(each)} {each[:3]}" if each else "0" for each in (found.overlaps, found.outside, found.shortened)]
    return f"{found.nodes} | {found.smallest:.1f} | {' | '.join(lists)}"


if __name__ == "__main__":
    main()
