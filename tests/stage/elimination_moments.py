"""Eliminations, for the tests of what the front end draws of them.

``python -m tests.stage.goldens`` writes them into ``build/eliminations``, with moments that its tests look at.
"""

import json
from functools import cache, partial
from pathlib import Path
from random import Random

import numpy as np

import adviz as ad
from adviz.stage.shows.elimination_scene import elimination_scene

from .elimination_goldens import by_chance

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


def moments(document):
    """Yield moments of an elimination: the picture, two cursors of its run, how much is done, and its reading."""
    for number, run in enumerate(document["runs"]):
        firsts = firsts_of(document, run["id"])
        yield number, 0, 0, 1.0, 0.5
        for k, begin in enumerate(firsts):
            for share in {SHARES[k % len(SHARES)], SHARES[(3 * k + 4) % len(SHARES)]}:
                yield number, begin if k % 3 == 0 else k, k + 1, share, MORPHS[k % len(MORPHS)]


def firsts_of(document, run):
    """For each step of a run the first step of its move."""
    firsts = []
    for step in document["steps"]:
        if any(part["run"] == run for part in step.get("parts", [step])):
            firsts.append(len(firsts) if step["coarse"] else firsts[-1])
    return firsts


def large_moments(document):
    """Yield moments of a large elimination: two cursors, and how much is done."""
    firsts = firsts_of(document, document["runs"][0]["id"])
    chosen = {*range(0, len(firsts), 5), *range(len(firsts) - 3, len(firsts) + 1)}
    for number, last in enumerate(sorted(chosen)):
        first = firsts[last - 1] if last and number % 3 == 0 else max(0, last - 1)
        yield first, last, SHARES[number % len(SHARES)]


def write():
    for folder, shows, told in ((FOLDER, SHOWS, moments), (FOLDER / "large", LARGE, large_moments)):
        folder.mkdir(parents=True, exist_ok=True)
        for name in shows:
            document = scene(name)
            golden = {part: document[part] for part in ("panels", "start", "steps")} | {"moments": [*told(document)]}
            (folder / f"{name}.json").write_text(json.dumps(golden, ensure_ascii=False, allow_nan=False), "utf-8")
