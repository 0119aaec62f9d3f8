"""Several sweeps as numbers that flow: engines side by side, and sweeps that fill a Jacobian, one after the other."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms import sweeps
from adviz.stage.drawing.flow_lane import rests_of
from adviz.stage.drawing.frames import Film, key_film, strip
from adviz.stage.scene import captions, schema
from adviz.stage.scene.flow_panel import FlowPanel
from adviz.stage.shows import sweep_scene
from adviz.stage.shows.options import ShowError

from ..flow_goldens import polar, sweep_at, unused
from ..goldens import engine_steps, stage_at


def layered(w, x):
    return np.tanh(w @ x)


PROGRAMS = {
    "polar": (polar, (2.0, 0.5)),
    "layered": (layered, (np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([0.25, -0.5]))),
    "one": (unused, (1.0, 2.0)),
}


def flows(document) -> list[FlowPanel]:
    return [panel for panel in document["panels"] if panel["kind"] == "flow"]


@pytest.mark.parametrize("engine", sweeps.ENGINES)
def test_each_of_two_engines_ends_with_the_gradient_at_the_inputs(engine):
    document, _ = sweep_scene.engines_scene(ad.trace(unused, 1.0, 2.0), ("tape", engine))
    schema.check(document)
    expected = ad.grad(unused, argnums=(0, 1))(1.0, 2.0)
    for panel in flows(document):
        found = [node["result"]["text"] for node in panel["nodes"] if node["kind"] == "input"]
        assert found == [captions.decimals(each) for each in expected]


def test_halves_have_the_same_nodes_and_every_move_is_at_its_own_step():
    document, _ = sweep_scene.engines_scene(ad.trace(unused, 1.0, 2.0), ("tape", "toposort", "rank_heap"))
    one, *others = flows(document)
    for other in others:
        assert [(node["key"], node["name_w"], node["value_w"]) for node in one["nodes"]] == [
            (node["key"], node["name_w"], node["value_w"]) for node in other["nodes"]
        ]
    for panel in flows(document):
        for move in panel["moves"]:
            step = document["steps"][move["step"]]
            part = next(part for part in step.get("parts", [step]) if part["run"] == panel["run"])
            assert (
                part["kind"]
                in {
                    "seed": ("seed",),
                    "send": ("product",),
                    "sum": ("accumulate", "visit"),
                    "result": ("result",),
                }[move["kind"]]
            )


def test_the_step_that_says_the_result_costs_nothing_and_tells_what_all_has_cost():
    document, _ = sweep_scene.engines_scene(ad.trace(unused, 1.0, 2.0))
    last = document["steps"][-1]
    assert (last["kind"], sum(last["cost"].values()), last["edits"]) == ("result", 0, [])
    for part in last["parts"]:
        own = [part_ for step in engine_steps(document) for part_ in step.get("parts", [step])]
        cost = sum(each["cost"]["multiplications"] for each in own if each["run"] == part["run"])
        assert f"{cost} multiplication" in part["caption"]
        assert f"{max(each['peak'] for each in own if each['run'] == part['run']):,} bytes alive" in part["caption"]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["forward", "backward"])
def test_each_sweep_gives_its_line_of_the_jacobian(name, mode):
    program, args = PROGRAMS[name]
    graph = ad.trace(program, *args)
    document, _ = {"forward": sweep_scene.forward_scene, "backward": sweep_scene.backward_scene}[mode](
        graph, jacobian=True
    )
    schema.check(document)
    exact = whole_jacobian(program, args)
    panel, stage = flows(document)[0], stage_at(document, len(document["steps"]))
    run = panel["run"]
    found = [[stage[f"{run}/cell/{i}/{j}"] for j in range(exact.shape[1])] for i in range(exact.shape[0])]
    assert np.allclose(found, exact)
    firsts = [0, *(sweep["first"] for sweep in panel.get("sweeps", []))]
    assert len(firsts) == exact.shape[mode == "forward"]
    ends = [*firsts[1:], len(document["steps"])]
    for number, end in enumerate(ends):
        shown = sweep_at(panel, end)
        line = exact[:, number] if mode == "forward" else exact[number]
        nodes = graph.inputs if mode == "backward" else [graph.operand_nodes(output)[0] for output in graph.outputs]
        given = {node["node"]: node for node in shown["nodes"]}
        if all(not np.ndim(graph.values[node]) for node in nodes):
            texts = [given[node]["result"]["text"] if "result" in given[node] else "0" for node in nodes]
            assert texts == [captions.decimals(each) for each in line]
        amounts = [given[node].get("result", {}) for node in nodes]
        entries = [entry for amount in amounts if "map" in amount for entry in amount["map"]["data"]]
        if entries:
            assert np.allclose(entries, line, atol=2e-3 * np.abs(line).max())


def whole_jacobian(program, args):
    def flat(vector):
        parts, at = [], 0
        for arg in args:
            parts.append(np.reshape(vector[at : at + np.size(arg)], np.shape(arg)))
            at += np.size(arg)
        found = program(*(part[()] for part in parts))
        found = found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(each) for each in found])

    vector = np.concatenate([np.ravel(arg) for arg in args]).astype(float)
    steps = np.eye(len(vector)) * 1e-6
    return np.stack([(flat(vector + step) - flat(vector - step)) / 2e-6 for step in steps], axis=1)


@pytest.mark.parametrize("engine", sweeps.ENGINES)
def test_rows_are_the_same_with_every_engine_and_rewind_exactly(engine):
    graph = ad.trace(polar, 2.0, 0.5)
    document, _ = sweep_scene.backward_scene(graph, engine, jacobian=True)
    stage = stage_at(document, len(document["steps"]))
    run = document["runs"][0]["id"]
    found = [[stage[f"{run}/cell/{i}/{j}"] for j in range(2)] for i in range(2)]
    assert np.allclose(found, np.stack(ad.jacobian(lambda v: np.stack(polar(v[0], v[1])))(np.array([2.0, 0.5]))))


def test_a_later_sweep_begins_with_an_empty_picture_and_says_its_line():
    document, _ = sweep_scene.backward_scene(ad.trace(polar, 2.0, 0.5), jacobian=True)
    (panel,) = flows(document)
    second = sweep_at(panel, panel["sweeps"][0]["first"] + 1)
    assert [node for node in second["nodes"] if "seed" in node] != [node for node in panel["nodes"] if "seed" in node]
    names = [rest["name"] for rest in rests_of(document).values()]
    assert [name for name in names if name.startswith(("seed", "row"))] == [
        "seed polar[0]",
        "row polar[0]",
        "seed polar[1]",
        "row polar[1]",
    ]
    told = [*rests_of(document).values()][-1]["caption"]
    assert told.endswith("The Jacobian is complete: it took 2 sweeps, one for each entry of the results.")


def test_the_jacobian_takes_no_seeds_beside_it():
    graph = ad.trace(polar, 2.0, 0.5)
    with pytest.raises(ShowError, match="give seeds or jacobian, not both"):
        sweep_scene.backward_scene(graph, jacobian=True, seeds=dict.fromkeys(graph.outputs, 1.0))


@pytest.mark.parametrize("align", ["step", "event"])
def test_films_and_strips_show_all_halves(align):
    document = json.loads(json.dumps(sweep_scene.engines_scene(ad.trace(unused, 1.0, 2.0), align=align)[0]))
    film = Film(document)
    last = film.picture(len(document["steps"]))
    for panel in flows(document):
        assert any(item.key.startswith(f"{panel['id']}/node/") for item in last.items)
    words = " ".join(mark.text for mark in last.frame if hasattr(mark, "text"))
    assert "Tape: the record backwards" in words
    assert strip(key_film(document)).width > 0
