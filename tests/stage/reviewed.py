"""What a reviewer reads of shows and pictures: transcripts, one line for each step, and SVGs that open in a browser.

They lie in ``tests/goldens/transcripts`` and ``tests/goldens/pictures``; ``python -m tests.stage.goldens --accept``
writes them anew. Look at the difference before you commit it.
"""

import re
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

import adviz as ad
from adviz.stage.drawing.frames import Film, key_film, strip
from adviz.stage.export.svg import markup, svg
from adviz.stage.scene import formulas
from adviz.stage.shows import explorer_scene, sweep_scene
from adviz.stage.shows.elimination_scene import elimination_scene

from . import goldens

FOLDER = Path(__file__).parents[1] / "goldens"
TRANSCRIPTS = FOLDER / "transcripts"
PICTURES = FOLDER / "pictures"
PLACED_BY = PICTURES / "placed_by.txt"
"""The version of Graphviz's package that placed the pictures: another may place them otherwise."""

# ---- transcripts ----

SHORT = {"multiplications": "mul", "additions": "add", "comparisons": "cmp", "visits": "visit"}


MARKS = {"": "", "bar": " adjoint", "dot": " tangent", "via": " on its way"}


def transcript(document):
    """A show as text: what it is made of, then a line for each step."""
    lines = [f"show {document['title']}, teach {document['teach']}"]
    lines += [f"run {run['id']}: {run['label']}, {run['kind']}" for run in document["runs"]]
    lines += [f"panel {panel['id']}: {panel['kind']}" for panel in document["panels"]]
    lines += [
        "input " + " ".join(f"{key}={value(each)}" for key, each in given.items()) for given in document["inputs"]
    ]
    if "opening" in document:
        lines.append(rest("opening", document["opening"]))
    benches = [each for panel in document["panels"] if panel["kind"] == "bench" for each in panel["benches"]]
    lines += [operation(each) for each in benches if each["step"] < 0]
    for k, step in enumerate(document["steps"], 1):
        lines += [line(k, step), *(rest(level, said) for level, said in levels(step.get("rests", {})))]
        lines += [operation(each) for each in benches if each["step"] == k - 1]
    return "\n".join(lines) + "\n"


def levels(rests):
    """What is said after a step, with its level; inside of lines with how deep."""
    inner = enumerate(rests.get("inner", []), 1)
    outer = [(level, said) for level, said in rests.items() if level != "inner"]
    return outer + [(f"inside {depth}", said) for depth, said in inner if said]


def rest(level, said):
    """What is said where a show rests at a level of detail."""
    formula = [formulas.text(said["formula"])] if said["formula"] else []
    nodes = f"at {' '.join(map(str, said['nodes']))}"
    asks = [asked(said["question"])] if said["question"] else []
    return " | ".join([f"    {level}: {said['name']}", said["caption"], *formula, nodes, *asks])


def operation(bench):
    """What lies on the bench: the tables with the signs between them, and the sums of the entries of the result."""
    tables = [
        f"{sign} {table['name'][0]}{MARKS[table['mark']]} ({table['shape'][0]}) {table['map']['data']}".strip()
        for (sign, _), table in zip(bench["signs"], bench["tables"], strict=True)
    ]
    sums = [
        " + ".join(["·".join(map(str, term)) for term in entry["terms"]] + [str(entry["rest"])] * bool(entry["others"]))
        for entry in bench["sums"]
    ]
    return f"    bench: {formulas.text(bench['title'])} | {' '.join(tables)} | {'; '.join(sums)}"


def line(number, step):
    """One step: kind and place, caption, edits, cost, memory, formula, what is lit, what is asked."""
    parts = [
        f"{number:3}{'*' if step['coarse'] else ' '} {place(step)}",
        step["caption"],
        f"whole: {step['whole']}" if "whole" in step else "",
        ", ".join(edit(*each) for each in step["edits"]),
        spent(step),
        *(f"{place(part)}: {spent(part)}" for part in step.get("parts", [])),
        formulas.text(step["formula"]) if step["formula"] else "",
        f"at {' '.join(step['focus'])}",
        asked(step["question"]) if step["question"] else "",
    ]
    return " | ".join(part for part in parts if part)


def place(step):
    """The kind of a step, whose it is, and the node or the edge (node, operand, its position)."""
    edge = "" if step["edge"] is None else "<{}.{}".format(*step["edge"][1:])
    return f"{step['kind']} {step['run']}:{'' if step['node'] is None else step['node']}{edge}"


def spent(step):
    """What a step costs, and the bytes after it, of the most so far."""
    cost = [f"{count} {SHORT[name]}" for name, count in step["cost"].items() if count]
    return ", ".join([*cost, f"{step['bytes']} of {step['peak']} B"])


def edit(key, before, after):
    """``key=after``, or that a key is gone; what was there before stands in an earlier line."""
    return f"-{key}" if after is None else f"{key}={value(after)}"


def value(given):
    """Numbers to six digits, which are the same on all machines."""
    if isinstance(given, dict):
        return f"{'x'.join(map(str, given['shape']))}[{' '.join(map(value, given['data']))}]"
    return f"{given:.6g}" if isinstance(given, float) else str(given)


def asked(question):
    """A question with its choices, its answer and its hint."""
    choices = "/".join(question.get("choices", ()))
    return f"? {question['prompt']} {choices}-> {value(question['answer'])} ({question['hint']})"


# ---- pictures ----


def network(x, w, b):
    return np.sum(np.tanh(w @ x + b) ** 2)


def branch(x, y):
    unused = np.cos(x)  # noqa: F841
    return np.where(x > y, x * y, x - y), np.maximum(x, y)


def newton(x):
    for _ in range(5):
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


EXPLORED = {
    "f": lambda: ad.trace(goldens.f, 2.0, 0.4),
    "polar": lambda: ad.trace(goldens.polar, 2.0, 0.5),
    "logistic_map": lambda: ad.trace(goldens.logistic_map, 0.3),
    "newton": lambda: ad.trace(newton, 1.0),
    "layer": goldens.of_arrays,
    "layer_by_numbers": lambda: ad.trace(goldens.layer, np.ones(2), np.ones((2, 2)), grain="scalar"),
    "network": lambda: ad.trace(network, np.ones(3), np.ones((2, 3)), np.zeros(2)),
    "branch": lambda: ad.trace(branch, 2.0, 0.5),
    "dead_branch": lambda: ad.trace(ad.sweeps.CASES["dead branch"].program, 0.5),
    "six-joint_arm": lambda: ad.trace(ad.examples["six-joint arm"].program, *ad.examples["six-joint arm"].arguments),
}


def elimination(name, technique, **options):
    return elimination_scene(ad.examples[name].graph(), technique=technique, **options)[0]


# What stands beside a sweep is for the page: in pictures that golden show is as "backward".
PLAYED = {name: partial(goldens.golden_scene, name) for name in goldens.ALL if name != "beside"} | {
    "evaluation": lambda: sweep_scene.evaluation_scene(EXPLORED["f"]())[0],
    "newton": lambda: sweep_scene.backward_scene(EXPLORED["newton"]())[0],
    "Naumann_2004-vertex": partial(elimination, "Naumann 2004", "vertex"),
    "Naumann_2004-face": partial(elimination, "Naumann 2004", "face"),
    "lion-edge": partial(elimination, "lion", "edge"),
    "bat-vertex": partial(elimination, "bat", "vertex", direction="dependence"),
    "two_diamonds-vertex": partial(elimination, "two diamonds", "vertex", orders=("forward", "reverse")),
}
"""Shows of which the first, the middle and the last moment are kept."""
STRIPS = ("backward", "folded", "lion-edge")
"""Shows of which the key frames are kept, on one picture."""


def names():
    """Every picture by its name."""
    moments = [f"{show}-{moment}" for show in PLAYED for moment in ("first", "middle", "last")]
    return [*EXPLORED, *moments, *(f"{show}-strip" for show in STRIPS)]


def drawn(name):
    """A picture as SVG."""
    if name in EXPLORED:
        return normalized(svg(explorer_scene.document(EXPLORED[name]())[0]))
    show, moment = name.rsplit("-", 1)
    scene = PLAYED[show]()
    if moment == "strip":
        return normalized(markup(strip(key_film(scene))))
    last = len(scene["steps"])
    return normalized(markup(Film(scene).picture({"first": 0, "middle": last // 2, "last": last}[moment])))


GEOMETRY = re.compile(r'\b(x|y|width|height|viewBox|d|points|style)="([^"]*)"')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def normalized(picture):
    """An SVG with places to a tenth of a pixel."""

    def rounded(match):
        numbers = NUMBER.sub(lambda number: f"{round(float(number[0]), 1) + 0.0:.10g}", match[2])
        return f'{match[1]}="{numbers}"'

    return GEOMETRY.sub(rounded, picture) + "\n"


def without_places(picture):
    """What an SVG draws, wherever it is: elements, texts, colors."""
    return GEOMETRY.sub("", picture)


def places(picture):
    """All numbers that say where something is."""
    return [float(number) for _, numbers in GEOMETRY.findall(picture) for number in NUMBER.findall(numbers)]


# ---- writing ----


def write():
    """Write all transcripts and pictures anew."""
    for folder in (TRANSCRIPTS, PICTURES):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
    for name in goldens.ALL:
        (TRANSCRIPTS / f"{name}.txt").write_text(transcript(goldens.golden_scene(name)), encoding="utf-8")
    for name in names():
        (PICTURES / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
    PLACED_BY.write_text(f"pygraphviz {version('pygraphviz')}\n", encoding="utf-8")
