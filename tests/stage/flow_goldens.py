"""Moments of sweeps as the marks that Python draws, which the front end must draw too.

``python -m tests.stage.goldens`` writes them into ``build/flow``, where ``moment.test.ts`` reads them.
"""

import json
import warnings
from pathlib import Path

import numpy as np

import adviz as ad
from adviz.stage.drawing.flow_lane import Framing, in_play, rests_of, window_of
from adviz.stage.drawing.flow_marks import moment
from adviz.stage.drawing.flow_places import places
from adviz.stage.drawing.flow_standing import stand, sweep_at
from adviz.stage.drawing.marks import Arrow, Box, Cells, Curve, Text
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
"""Those that are not legible as a whole."""
STAGES = ((800.0, 540.0, 11.0), (1900.0, 900.0, 24.0), (360.0, 400.0, 11.0))
"""Their width and height in px, and that of the smallest letters."""


def scene(name):
    """The Scene of a sweep, as JSON has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.NonFiniteWarning)
        return json.loads(json.dumps(PROGRAMS[name]()[0]))


def panel_of(document):
    return next(panel for panel in document["panels"] if panel["kind"] == "flow")


def moments(document):
    """Yield moments of a sweep: cursors, how much is done, the edges that are lit, and its marks."""
    panel, rests = panel_of(document), [*rests_of(document)]
    lit = [panel["edges"][0]["key"]]
    for k, (start, stop) in enumerate(zip([0, *rests[:-1]], rests, strict=True)):
        for share in sorted({SHARES[k % len(SHARES)], SHARES[(k + 3) % len(SHARES)], 1.0}):
            yield start, stop, share, None, flat(panel, start, stop, share, None)
    yield 0, rests[-1], 1.0, lit, flat(panel, 0, rests[-1], 1.0, lit)


def flat(panel, start, stop, share, lit):
    """The marks of a moment."""
    return [mark for item in moment(sweep_at(panel, stop), start, stop, share, lit=lit) for mark in item.marks]


def windows(document):
    """Yield what is seen of a sweep on stages, step by step, and what lies over it."""
    panel, rests = panel_of(document), [*rests_of(document)]
    placed = places(panel)
    for width, height, letters in STAGES:
        window = None if "strip" in panel or "sweeps" in panel else window_of(panel, (width, height), letters)
        if window:
            framing = Framing(panel, placed, window)
            for k, (start, stop) in enumerate(zip([0, *rests[:-1]], rests, strict=True)):
                cursors = (rests[max(0, k - 2)], start, stop)
                for progress in (SHARES[k % len(SHARES)], 1.0):
                    frame, share = framing.framed(cursors, progress)
                    context = stand(panel, placed, start, stop, share, None)
                    marks = [*framing.overlay(context, frame, in_play(panel, start, stop))]
                    yield (width, height, letters), cursors, progress, frame, share, marks


def plain(mark):
    """A mark as the front end writes it, with numbers to a hundredth."""
    # Only sentences below a picture have parts; in the page they are no marks.
    fields = {name: rounded(value) for name, value in vars(mark).items() if name != "parts"}
    match mark:
        case Text():
            if fields["anchor"] == "middle":
                del fields["anchor"]
            return {"type": "text", **fields}
        case Box() | Curve() | Arrow() | Cells():
            return {"type": type(mark).__name__.lower(), **fields}


def rounded(value):
    if isinstance(value, list | tuple):
        return [round(each, 2) for each in value]
    return round(value, 2) if isinstance(value, float) else value


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        document = scene(name)
        told = [] if name in LARGE else moments(document)
        found = [[*where, [plain(mark) for mark in marks]] for *where, marks in told]
        seen = [[*where, [plain(mark) for mark in marks]] for *where, marks in windows(document)]
        golden = {"panel": panel_of(document), "moments": found, "windows": seen}
        (FOLDER / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), encoding="utf-8")
