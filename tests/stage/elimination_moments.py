"""Moments of eliminations as the marks that Python draws, which the front end must draw too.

``python -m tests.stage.goldens`` writes them into ``build/eliminations``, for ``elimination-marks.test.ts``.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

import adviz as ad
from adviz.stage.drawing.elimination.elimination_marks import moment
from adviz.stage.drawing.elimination.elimination_steps import beats
from adviz.stage.shows.elimination_scene import elimination_scene

from .elimination_goldens import by_chance
from .flow_goldens import plain

FOLDER = Path(__file__).parents[2] / "build" / "eliminations"
SHARES = (0.0, 0.1, 0.3, 0.45, 0.55, 0.7, 0.9, 1.0)
MORPHS = (0.0, 1.0, 0.4)


def arrays():
    return ad.linearize(lambda x, w: np.sum(np.tanh(w @ x)) * x, np.array([0.5, -0.25]), np.eye(2) + 1)


SHOWS = {
    "lion_vertex": lambda: elimination_scene(ad.examples["lion"].graph()),
    "bat_vertex": lambda: elimination_scene(ad.examples["bat"].graph(), direction="dependence"),
    "bat_edge": lambda: elimination_scene(ad.examples["bat"].graph(), technique="edge"),
    "bat_face": lambda: elimination_scene(ad.examples["bat"].graph(), technique="face", order=by_chance("face", 1)),
    "naumann_face": lambda: elimination_scene(
        ad.examples["Naumann 2004"].graph(), by_chance("face", 2), technique="face"
    ),
    "two_orders": lambda: elimination_scene(ad.examples["two diamonds"].graph(), orders=("forward", "reverse")),
    "arrays": lambda: elimination_scene(arrays(), "reverse"),
}


@cache
def text(name):
    return json.dumps(SHOWS[name]()[0], ensure_ascii=False, allow_nan=False)


def scene(name):
    """The Scene of an elimination, as JSON has it."""
    return json.loads(text(name))


def played(document, number=0):
    """A picture of a show, what is there at its start, and the steps of its run."""
    panel = [panel for panel in document["panels"] if panel["kind"] == "elimination"][number]
    run = f"{panel['run']}/"
    start = {key.removeprefix(run): value for key, value in document["start"].items() if key.startswith(run)}
    return panel, start, beats(document["steps"], panel["run"])


def moments(document):
    """Yield moments of an elimination: the picture, two cursors, how much is done, its reading, and its marks."""
    for number in range(len(document["runs"])):
        panel, start, steps = played(document, number)
        yield number, 0, 0, 1.0, 0.5, flat(moment(panel, start, steps, 0, 0, 1.0, 0.5))
        for k in range(len(steps)):
            first = steps[k].first if k % 3 == 0 else k
            for share in {SHARES[k % len(SHARES)], SHARES[(3 * k + 4) % len(SHARES)]}:
                morph = MORPHS[k % len(MORPHS)]
                yield number, first, k + 1, share, morph, flat(moment(panel, start, steps, first, k + 1, share, morph))


def flat(items):
    return [mark for item in items for mark in item.marks]


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SHOWS:
        document = scene(name)
        told = [[*where, [plain(mark) for mark in marks]] for *where, marks in moments(document)]
        golden = {name: document[name] for name in ("panels", "start", "steps")} | {"moments": told}
        (FOLDER / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), encoding="utf-8")
