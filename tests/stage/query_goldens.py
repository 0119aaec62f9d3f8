"""The graphs that the golden queries of ``tests/goldens/queries.json`` are asked of, as the Explorer is sent them.

Their tables are in ``tests/goldens/tables.json``: both languages count the same.

``python -m tests.stage.goldens`` writes them into ``build/queries``, where the tests of the front end read them.
"""

import json
import warnings
from base64 import b64encode
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import adviz as ad
from adviz.graph.queries.aggregates import CRITERIA
from adviz.stage.shows import explorer_scene

from ..graph.queries.query_programs import network, powers, valley, writing

QUERIES = Path(__file__).parents[1] / "goldens" / "queries.json"
TABLES = QUERIES.with_name("tables.json")
FOLDER = Path(__file__).parents[2] / "build" / "queries"

X, W, V = np.array([[0.5, -1.0, 2.0], [0.0, 0.25, -0.5]]), np.linspace(-1, 1, 12).reshape(3, 4), np.eye(4)[:, :2]

GRAPHS = {
    "network": lambda: ad.trace(network, X, W.astype(np.float32), V),
    "powers": lambda: ad.trace(powers, 0.5),
    "writing": lambda: ad.trace(writing, np.array([0.25, 0.5, 1.0, 2.0])),
    "valley": lambda: ad.trace(valley, np.array([0.5, 1.5, -1.0, 0.0]), grain="scalar"),
}


@cache
def graph(name):
    """One of the graphs."""
    with warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        return GRAPHS[name]()


TERMS = [
    *("tanh", "power", "x", '"out"', "dead", "input", "isnan", "block == m*", "block != add", "name ~ o", "scope ~ r"),
    *("function == layer", "line 7..25", "line != 23", "bytes > 16", "depth 2..5", "operations >= 1", "times_used = 1"),
    *("value < 0.3", "node 3..12", "shape == '(4,)'", "dtype:float64", 'scope:"iteration 2"', "file ~ programs"),
]


def by_chance(random, depth=3):
    """A query of a few terms, with parentheses where chance puts them."""
    if not depth or random.random() < 0.3:
        return random.choice(TERMS)
    left, right = by_chance(random, depth - 1), by_chance(random, depth - 1)
    whole = random.choice([f"{left} and {right}", f"{left} or {right}", f"{left} {right}", f"not {left}"])
    return f"({whole})" if random.random() < 0.5 else whole


def answers():
    """Random queries with the nodes or the mistake that Python finds."""
    random, found = Random(1), []
    for _ in range(60):
        query = by_chance(random)
        for name in GRAPHS:
            try:
                found.append({"graph": name, "query": query, "nodes": graph(name).find(query).indices.tolist()})
            except ad.QueryError as error:
                found.append({"graph": name, "query": query, "mistake": {"error": error.reason, "at": error.at}})
    return found


COLUMNS = ("nodes", "bytes", "operations", "uses", "share")


def tables():
    """The tables of all graphs by each criterion, row by row, and who holds the peaks of memory."""
    return {
        name: {
            **{criterion: rows(graph(name).by(criterion), criterion) for criterion in CRITERIA},
            "peaks": explorer_scene.peaks(graph(name)),
        }
        for name in GRAPHS
    }


def rows(groups, criterion):
    """The rows of a table: its label, its numbers, and its further text."""
    further = groups["source"].tolist() if "source" in groups else [""] * groups.rows
    return [
        list(row)
        for row in zip(groups[criterion].tolist(), *(groups[name].tolist() for name in COLUMNS), further, strict=True)
    ]


def accept():
    """Write the tables that are reviewed and kept."""
    text = json.dumps(tables(), ensure_ascii=False)
    TABLES.write_text(text.replace("[[", "[\n    [").replace("], [", "],\n    [") + "\n", encoding="utf-8")


def write():
    """Write what the Explorer is sent of all graphs, and random queries with their answers."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in GRAPHS:
        document, columns = explorer_scene.document(graph(name))
        golden = {"scene": document, "columns": b64encode(columns).decode("ascii")}
        FOLDER.joinpath(f"{name}.json").write_text(json.dumps(golden, allow_nan=False), encoding="utf-8")
    FOLDER.parent.joinpath("answers.json").write_text(json.dumps(answers()), encoding="utf-8")
