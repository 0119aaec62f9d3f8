"""Sweeps, for the tests of what the front end draws of them: in Python for files, and in the page.

``python -m tests.stage.goldens`` writes their panels into ``build/flow``, with moments that its tests look at.
"""

import json
import warnings
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

import adviz as ad
from adviz.stage.drawing.flow_lane import rests_of
from adviz.stage.drawing.pictures import Pictures, item_of
from adviz.stage.narration.folds import statements
from adviz.stage.shows import sweep_scene

from .narration.folds import programs as folds

FOLDER = Path(__file__).parents[2] / "build" / "flow"
SHARES = (0.0, 0.06, 0.2, 0.32, 0.45, 0.6, 0.85, 1.0)


def three_uses(x, y):
    a = np.sin(x)
    return a * x + np.exp(-x) * y + x / y


def often(x):
    return x + 2 * x + 3 * x + 4 * x + 5 * x + 6 * x + 7 * x + 8 * x


def unused(x, y):
    a = np.sin(x)
    c = x + y  # nothing depends on it
    b = x * y
    del c
    return a + b


def polar(r, t):
    return r * np.cos(t), r * np.sin(t)


def network(w, b, v, x, t):
    h = np.tanh(x @ w + b)
    return np.sum((h @ v + np.sum(h) - t) ** 2)


def newton(x, a):
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


def recurrent(W, U, b, X, h):
    for x in X:
        h = np.tanh(W @ h + U @ x + b)
    return np.sum(h**2)


def steps_of_time():
    random = np.random.default_rng(0)
    W, U, b, *X = (random.normal(size=size) for size in ((3, 3), (3, 2), 3, 2, 2, 2))
    return W, U, b, X, np.zeros(3)


def logarithms(w, x):
    return np.sum(np.log(x @ w))


def arrays():
    random = np.random.default_rng(0)
    return [random.normal(size=size) for size in ((2, 3), (1, 3), (3, 1), (4, 2), (4, 1))]


PROGRAMS = {
    "backward": lambda: sweep_scene.backward_scene(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)),
    "forward": lambda: sweep_scene.forward_scene(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)),
    "square": lambda: sweep_scene.backward_scene(ad.trace(lambda x: x * x, 3.0)),
    "three_uses": lambda: sweep_scene.backward_scene(ad.trace(three_uses, 1.0, -2.0)),
    "often": lambda: sweep_scene.backward_scene(ad.trace(often, 1.5)),
    "not_a_number": lambda: sweep_scene.backward_scene(ad.trace(lambda x, y: np.log(x) * y, -1.0, 2.0)),
    "infinite": lambda: sweep_scene.forward_scene(ad.trace(lambda x, y: np.sqrt(x) * y, 0.0, 2.0)),
    "hatched": lambda: sweep_scene.backward_scene(
        ad.trace(logarithms, np.array([1.0, -2.0]), np.array([[1.0, 0.2], [2.0, 1.0], [1.0, 3.0]]))
    ),
    "cancels": lambda: sweep_scene.backward_scene(ad.trace(lambda x: np.exp(x) - np.exp(1.0) * x, 1.0)),
    "race": lambda: sweep_scene.engines_scene(ad.trace(unused, 1.0, 2.0), ("toposort", "tape")),
    "heap": lambda: sweep_scene.engines_scene(ad.trace(often, 1.5), ("rank_heap", "tape")),
    "columns": lambda: sweep_scene.forward_scene(ad.trace(polar, 2.0, 0.5), jacobian=True),
    "rows": lambda: sweep_scene.backward_scene(ad.trace(polar, 2.0, 0.5), jacobian=True),
    "folds": lambda: sweep_scene.backward_scene(ad.trace(folds.newton, *folds.PROGRAMS[folds.newton])),
    "folds_of_arrays": lambda: sweep_scene.backward_scene(ad.trace(folds.network, *folds.PROGRAMS[folds.network])),
    "network": lambda: sweep_scene.backward_scene(ad.trace(network, *arrays())),
    "newton": lambda: sweep_scene.backward_scene(ad.trace(newton, 1.0, 2.0)),
    "newton_forward": lambda: sweep_scene.forward_scene(ad.trace(newton, 1.0, 2.0)),
    "recurrent": lambda: sweep_scene.backward_scene(ad.trace(recurrent, *steps_of_time())),
}


LARGE = ["newton", "newton_forward", "recurrent"]
"""Those with most nodes."""


STAGE = {"width": 900, "height": 560}


def scene(name):
    """The Scene of a sweep, as JSON has it: one of its own for each test, which may change it."""
    return json.loads(text_of(name))


@cache
def text_of(name):
    """The text of the Scene; of a large one that of code without a source, which has no lines."""
    no_lines = patch.object(statements, "MOST_INSIDE", 0) if name in LARGE else nullcontext()
    with no_lines, warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.NonFiniteWarning)
        return json.dumps(PROGRAMS[name]()[0])


def panel_of(document):
    return next(panel for panel in document["panels"] if panel["kind"] == "flow")


def moments(document):
    """Yield moments of a sweep: cursors, how much is done, and the edges that are lit."""
    panel, rests = panel_of(document), [*rests_of(document)]
    for k, (start, stop) in enumerate(zip([0, *rests[:-1]], rests, strict=True)):
        for share in sorted({SHARES[k % len(SHARES)], SHARES[(k + 3) % len(SHARES)], 1.0}):
            yield start, stop, share, None
    yield 0, rests[-1], 1.0, [panel.get("lines", panel)["edges"][0]["key"]]


def moment(panel, start, stop, share):
    """The items of a moment."""
    pictures = Pictures({"panels": [panel], "steps": []})
    drawn = pictures.ask("flow", panel=panel["id"], stage=STAGE, progress=share, **{"from": start, "to": stop})
    return [item_of(panel["id"], each) for each in drawn["items"]]


def size(panel):
    """The size of the picture of a sweep."""
    return Pictures({"panels": [panel], "steps": []}).ask("place", panel=panel["id"], stage=STAGE)


def flat(panel, start, stop, share):
    """The marks of a moment."""
    return [mark for item in moment(panel, start, stop, share) for mark in item.marks]


def sweep_at(panel, cursor):
    """A panel with what the sweep gives that was last under way, where several follow each other."""
    begun = [sweep for sweep in panel.get("sweeps", ()) if sweep["first"] < cursor]
    if not begun:
        return panel
    given = {"nodes": ("seed", "result"), "edges": ("first", "given", "product")}
    things = {
        part: [
            {name: value for name, value in old.items() if name not in names} | new
            for old, new in zip(panel[part], begun[-1][part], strict=True)
        ]
        for part, names in given.items()
    }
    return {**panel, **things, "moves": begun[-1]["moves"]}


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        document = scene(name)
        told = [] if name in LARGE else [*moments(document)]
        golden = {"panel": panel_of(document), "moments": told}
        (FOLDER / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), encoding="utf-8")
