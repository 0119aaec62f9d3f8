"""The Scene of the algebra of a graph: it says what ad.algebra says, step by step."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.expressions import accumulated, local_jacobians, orders
from adviz.stage.drawing.frames import Film
from adviz.stage.scene import schema
from adviz.stage.shows.algebra_scene import algebra_scene
from adviz.stage.shows.options import ShowError

from ... import algebra_goldens
from ...goldens import played, stage_at
from ...panels import HOSTILE

CROSSED = ad.examples["two crossed diamonds"].graph()
SMALL = ["two crossed diamonds", "two diamonds", "lion", "slide", "Naumann 2004", "scalar lion", "bat"]


def panel_of(scene, kind):
    return next(panel for panel in scene["panels"] if panel["kind"] == kind)


def text_of(parts, k=0):
    """A row as ad.algebra writes it, from the flat parts of the Scene."""
    kind, _, name, _ = parts[k]
    if kind in ("letter", "reference"):
        return f"e{name}" if kind == "letter" else name
    inside = [text_of(parts, i) for i, part in enumerate(parts) if part[1] == k]
    if kind == "sum":
        return " + ".join(inside)
    kinds = [part[0] for part in parts if part[1] == k]
    return " ".join(
        f"({text})" if sort in ("sum", "product") else text for text, sort in zip(inside, kinds, strict=True)
    )


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("way", ["backward", "forward", "paths", "pages"])
def test_every_scene_is_one_and_can_be_played_forward_and_back(name, way):
    scene, _ = algebra_scene(ad.examples[name].graph(), way, effort=0, teach=True)
    schema.check(json.loads(json.dumps(scene, allow_nan=False)))
    start = stage_at(scene, 0)
    assert set(start) == set(scene["start"])
    last = played(
        {**scene, "steps": [{"edits": [[key, None, value] for key, value in start.items()]}, *scene["steps"]]}
    )
    assert last == stage_at(scene, len(scene["steps"]))


@pytest.mark.long
@pytest.mark.parametrize("way", ["backward", "forward"])
def test_at_the_end_stands_what_the_algebra_factors(way):
    factorization = {"backward": ad.algebra.backward_factorization, "forward": ad.algebra.forward_factorization}[way]
    scene, _ = algebra_scene(CROSSED, way, effort=0)
    last = panel_of(scene, "expressions")["sets"][-1]
    whole = factorization(CROSSED)
    assert last["multiplications"] == whole.multiplications == 8
    lines = {
        (f"e{row['name']}" if row["kind"] == "letter" else row["name"]): text_of(row["parts"]) for row in last["rows"]
    }
    graph = ad.algebra.parsed("\n".join(f"{name} = {text}" for name, text in lines.items())).evaluated(CROSSED)
    assert graph == pytest.approx(whole.evaluated(CROSSED))


@pytest.mark.parametrize("name", ["two crossed diamonds", "two diamonds", "slide", "Naumann 2004"])
def test_every_order_of_levels_costs_what_python_counts(name):
    graph = ad.examples[name].graph()
    levels, matrices = panel_of(algebra_scene(graph, effort=0)[0], "levels"), local_jacobians(graph)
    costs = {tuple(ends): cost for *ends, cost in levels["costs"]}

    def span(order):
        return (order, order + 1) if isinstance(order, int) else (span(order[0])[0], span(order[1])[1])

    def cost(order):
        if isinstance(order, int):
            return 0
        left, right = order
        return cost(left) + cost(right) + costs[span(left)[0], span(left)[1], span(right)[1]]

    for order in orders(len(matrices)):
        assert cost(order) == accumulated(matrices, order).multiplications
    assert levels["best"] == accumulated(matrices).multiplications
    count = len(matrices)
    assert len(levels["matrices"]) == count * (count + 1) // 2


def test_products_that_wait_in_a_circle_are_told():
    scene, _ = algebra_scene(ad.examples["Naumann 2004"].graph(), "paths", panels="dependencies", effort=0)
    cycles = [each for each in panel_of(scene, "dependencies")["sets"] if each["cycle"]]
    assert cycles
    for each in cycles:
        circle = list(zip(each["cycle"], [*each["cycle"][1:], each["cycle"][0]], strict=True))
        assert all([one, other] in each["waits"] for one, other in circle)


@pytest.mark.long
def test_the_best_is_told_with_its_proof_and_arrays_have_none():
    assert panel_of(algebra_scene(CROSSED)[0], "expressions")["optimum"] == {"multiplications": 8, "proved": True}
    graph = ad.linearize(lambda x, w: np.sum(np.tanh(w @ x)), np.ones(2), np.ones((3, 2)))
    scene, _ = algebra_scene(graph)
    assert panel_of(scene, "expressions")["optimum"] is None
    assert scene["runs"][0]["label"].endswith("each product counted as one")
    assert not [panel for panel in scene["panels"] if panel["kind"] == "levels"]
    assert "arrays" in panel_of(algebra_scene(graph, panels="levels")[0], "levels")["why_not"]


def test_names_are_data():
    edges = [("in", HOSTILE[0]), ("in", HOSTILE[1]), (HOSTILE[0], "out"), (HOSTILE[1], "out"), (HOSTILE[0], HOSTILE[1])]
    scene, _ = algebra_scene(ad.CGraph.from_edges(edges), teach=True)
    schema.check(scene)
    letters = {
        part[2] for each in panel_of(scene, "expressions")["sets"] for row in each["rows"] for part in row["parts"]
    }
    assert all(letter.replace(",", "").isdigit() for letter in letters if letter)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"way": "upward"}, "no way is called 'upward'; there are backward, forward, paths, pages"),
        ({"panels": "tree"}, "no panel is called 'tree'"),
        ({"direction": "down"}, "no direction is called 'down'"),
    ],
)
def test_unknown_options_are_named_with_those_there_are(options, message):
    with pytest.raises(ShowError, match=message):
        algebra_scene(CROSSED, **options)


def test_a_graph_that_is_too_large_is_refused_with_what_to_do():
    with pytest.raises(ShowError, match=r"too large for a show: There are 146 edges .* write ad.algebra.expressions"):
        algebra_scene(ad.linearize(*_program("Roe flux")))
    ladder = [(f"{k}{side}", f"{k + 1}{other}") for k in range(1, 7) for side in "ab" for other in "ab"]
    wide = ad.CGraph.from_edges([("x", "1a"), ("x", "1b"), *ladder, ("7a", "y"), ("7b", "y")])
    with pytest.raises(ShowError, match="128 products to write, more than 60"):
        algebra_scene(wide)
    long = ad.CGraph.from_edges([(k, k + 1) for k in range(20)])
    with pytest.raises(ShowError, match="too long for a picture"):
        algebra_scene(long)


def _program(name):
    case = ad.examples[name]
    return case.program, *case.arguments


@pytest.mark.long
@pytest.mark.parametrize("name", algebra_goldens.CASES)
def test_the_goldens_are_what_python_makes_today(name):
    written = (algebra_goldens.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert json.loads(algebra_goldens.text(name)) == json.loads(written), "`python -m tests.stage.goldens --accept`"


def test_in_a_still_picture_what_is_not_on_the_page_is_pale_and_edges_are_called_by_their_letters():
    scene, _ = algebra_scene(ad.examples["slide"].graph(), "pages", effort=0)
    items = {item.key.split("/", 1)[1]: item for item in Film(scene).picture(3).items}
    assert items["label/0.2"].title == "e₂₀"
    assert {mark.opacity for mark in items["label/0.2"].marks} == {1.0}
    assert max(mark.opacity for mark in items["label/2.3"].marks) < 0.5
