"""Moments of eliminations as the marks that Python draws, which the front end must draw too.

``python -m tests.stage.goldens`` writes them into ``build/eliminations``, for ``elimination-marks.test.ts``.
"""

import json
from functools import cache, partial
from pathlib import Path
from random import Random

import numpy as np

import adviz as ad
from adviz.stage.drawing.elimination.elimination_frames import moment
from adviz.stage.drawing.elimination.elimination_steps import beats, state_at
from adviz.stage.drawing.elimination.extended_frames import Standing, extended, labels_of
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


def large(technique):
    """A graph of thirty intermediates, most of which have two arguments among the latest before them."""
    random = Random(3)
    edges = {(max(0, j - random.randint(1, 7)), j) for j in range(4, 34) for _ in range(2)}
    used = {i for i, _ in edges}
    ends = [(j, 34 + j % 3) for j in range(34) if j not in used or j > 31]
    graph = ad.CGraph.from_edges([*sorted(edges), *ends], title="large")
    return elimination_scene(graph, "markowitz" if technique == "vertex" else "forward", technique=technique)


LARGE = {f"large_{technique}": partial(large, technique) for technique in ("vertex", "edge", "face")}


@cache
def text(name):
    return json.dumps({**SHOWS, **LARGE}[name]()[0], ensure_ascii=False, allow_nan=False)


def scene(name):
    """The Scene of an elimination, as JSON has it."""
    return json.loads(text(name))


def played(document, number=0):
    """A picture of a show, what is there at its start, and the steps of its run."""
    panel = [panel for panel in document["panels"] if panel["kind"] in ("elimination", "extended")][number]
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


def standing(panel, start, steps, first, last):
    """What is seen of a large elimination between two cursors."""
    before, after = (labels_of(state_at(start, steps, cursor)) for cursor in (first, last))
    move = steps[steps[last - 1].first : last] if last else []
    return Standing(panel, labels_of(start), before, after, [beat.product for beat in move if beat.product])


def large_moments(document):
    """Yield moments of a large elimination: two cursors, how much is done, and its marks."""
    panel, start, steps = played(document)
    chosen = [*range(0, len(steps), 5), *range(len(steps) - 3, len(steps) + 1)]
    for number, last in enumerate(sorted(set(chosen))):
        first = steps[last - 1].first if last and number % 3 == 0 else max(0, last - 1)
        share = SHARES[number % len(SHARES)]
        yield first, last, share, list(extended(standing(panel, start, steps, first, last), share))


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_large()
    for name in SHOWS:
        document = scene(name)
        told = [[*where, [plain(mark) for mark in marks]] for *where, marks in moments(document)]
        golden = {name: document[name] for name in ("panels", "start", "steps")} | {"moments": told}
        (FOLDER / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), encoding="utf-8")


def write_large():
    folder = FOLDER / "large"
    folder.mkdir(exist_ok=True)
    for name in LARGE:
        document = scene(name)
        told = [[*where, [plain(mark) for mark in marks]] for *where, marks in large_moments(document)]
        golden = {part: document[part] for part in ("panels", "start", "steps")} | {"moments": told}
        (folder / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), encoding="utf-8")
