"""The golden shows: what both languages play, and what tests read off a show.

``python -m tests.stage.goldens`` writes the shows into ``build/shows``, where the tests of the front end read them;
``make`` does so before it runs them. With ``--accept`` it also writes what is reviewed and kept: the transcripts and
the pictures of :mod:`tests.stage.reviewed`, and the eliminations.
"""

import json
import sys
from base64 import b64encode
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

import adviz as ad
from adviz.stage.narration.folds import choosing
from adviz.stage.shows import explorer_scene, flow_scene, sweep_scene
from adviz.stage.shows.beside_flow import Along
from adviz.stage.shows.ops.op_scene import op_scene

from .. import op_graphs
from .narration.folds.programs import CELLS, PROGRAMS, WEIGHTS, cells, classifier, network

FOLDER = Path(__file__).parents[2] / "build" / "shows"


def stage_at(scene, cursor):
    """Return what is on stage after ``cursor`` steps, by key: the same rule as ``stageAt`` in the front end.

    Before the first step each key holds what its first edit expects, or what ``start`` says.
    """
    stage = dict(scene.get("start", {}))
    for step in reversed(scene["steps"]):
        stage |= {key: before for key, before, _ in reversed(step["edits"])}
    for step in scene["steps"][:cursor]:
        stage |= {key: after for key, _, after in step["edits"]}
    return {key: value for key, value in stage.items() if value is not None}


def f(x, y):
    return np.sin(x * y) * x + y


def polar(r, t):
    return r * np.cos(t), r * np.sin(t)


def logistic_map(x):
    for _ in range(60):
        x = 2.5 * x * (1.0 - x)
    return x


def layer(x, w):
    return np.sum(np.tanh(w @ x))


def of_arrays():
    return ad.trace(layer, np.array([0.5, -0.25]), np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]]))


def backward():
    panels = ("graph", "tape", "table", "matrix", "code", "formula", "meters")
    return sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), panels=panels, teach=True)


def drawn_as_graph(show):
    """A show that is drawn as those over larger graphs are."""

    def made():
        with as_graphs():
            return show()

    return made


def columns():
    return sweep_scene.forward_scene(ad.trace(polar, 2.0, 0.5), jacobian=True)


def race():
    return sweep_scene.engines_scene(ad.trace(ad.sweeps.CASES["dead branch"].program, 0.5))


def folded_as_graph():
    """A sweep over a large graph that no folds make readable."""
    with as_graphs():
        return sweep_scene.backward_scene(ad.trace(logistic_map, 0.3))


def again(function, *args):
    """A function that decides nothing, with other arguments."""
    return Along(lambda others: function(*(others.get(k, each) for k, each in enumerate(args))), lambda others: [])


ALL = {
    "backward": backward,
    "backward_as_graph": drawn_as_graph(backward),
    "columns": columns,
    "forward": drawn_as_graph(columns),
    "race": race,
    "tape_vs_graph": drawn_as_graph(race),
    "folded": folded_as_graph,
    "folds": lambda: sweep_scene.backward_scene(ad.trace(logistic_map, 0.3)),
    "lines": lambda: sweep_scene.backward_scene(
        ad.trace(classifier, *WEIGHTS),
        panels=("graph", "code", "nudge", "formula"),
        along=again(classifier, *WEIGHTS),
    ),
    "boxes": lambda: sweep_scene.backward_scene(ad.trace(cells, *CELLS), panels=("graph", "formula")),
    "arrays": lambda: sweep_scene.backward_scene(
        of_arrays(), "use_counts", panels=("graph", "table", "matrix", "formula")
    ),
    "beside": lambda: sweep_scene.backward_scene(
        ad.trace(f, 2.0, 0.4),
        panels=("graph", "code", "result", "nudge", "formula"),
        along=again(f, 2.0, 0.4),
    ),
}

OF_OPS = {"composites": lambda: op_scene(op_graphs.classifier())}
"""Shows of op graphs."""

EXPLORED = {
    "statements": lambda: explorer_scene.document(ad.trace(classifier, *WEIGHTS)),
    "iterations": lambda: explorer_scene.document(ad.trace(network, *PROGRAMS[network])),
}
"""Graphs that are explored."""


@cache
def text(name):
    """A golden show as JSON: the Scene, its columns, and what is on stage at every cursor."""
    document, columns = {**ALL, **OF_OPS, **EXPLORED}[name]()
    for file in document["source"]["files"]:
        file["path"] = Path(file["path"]).name
    stages = [stage_at(document, cursor) for cursor in range(len(document["steps"]) + 1)]
    golden = {"scene": document, "columns": b64encode(columns).decode("ascii"), "stages": stages}
    return json.dumps(golden, ensure_ascii=False, allow_nan=False)


def golden_scene(name):
    """The Scene of a golden show, as JSON has it; the caller may change it."""
    return json.loads(text(name))["scene"]


@contextmanager
def as_graphs():
    """A context in which sweeps are shown with a graph, as those are that have no room for numbers that flow."""
    with patch.object(flow_scene, "MOST_NODES", 0), patch.object(choosing, "LARGEST", 0):
        yield


@cache
def _graph_text(name):
    with as_graphs():
        document, _ = ALL[name]()
    for file in document["source"]["files"]:
        file["path"] = Path(file["path"]).name
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def graph_scene(name):
    """The Scene of a golden show as it is where there is no room for numbers that flow: with a graph."""
    return json.loads(_graph_text(name))


def engine_steps(document):
    """The steps of the engines: where a sweep is told as numbers that flow, one more step says the result."""
    return [step for step in document["steps"] if step["kind"] != "result"]


COSTS = ("multiplications", "additions", "comparisons", "visits")


def totals(steps):
    """What steps cost together."""
    return {name: sum(step["cost"][name] for step in steps) for name in COSTS}


def on_stage(document, run, cursor):
    """What a run has on stage, but for what is there for the reader only."""
    prefix = f"{run}/"
    stage = {key: value for key, value in stage_at(document, cursor).items() if key.startswith(prefix)}
    return {key: value for key, value in stage.items() if key.split("/")[1] not in ("value", "cell")}


def played(document):
    """What is on stage in the end. Every edit must find there what it says was there before: going back is exact."""
    stage = {}
    for k, step in enumerate(document["steps"]):
        for key, before, after in step["edits"]:
            assert stage.get(key) == before, (k, key)
            stage[key] = after
    return {key: value for key, value in stage.items() if value is not None}


def main(arguments):
    from . import elimination_moments, flow_goldens, query_goldens

    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (*ALL, *OF_OPS, *EXPLORED):
        (FOLDER / f"{name}.json").write_text(text(name), encoding="utf-8")
    flow_goldens.write()
    elimination_moments.write()
    query_goldens.write()
    if "--accept" in arguments:
        from . import algebra_goldens, elimination_goldens, reviewed

        algebra_goldens.write()
        query_goldens.accept()
        reviewed.write()
        elimination_goldens.write()


if __name__ == "__main__":
    main(sys.argv[1:])
