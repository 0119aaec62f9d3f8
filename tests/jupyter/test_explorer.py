"""The Explorer without a browser: traits, messages, displays, files."""

from base64 import b64decode

import numpy as np
import pytest
import traitlets

import adviz as ad
from adviz.jupyter.player import Player
from adviz.stage.shows import sweep_scene

from ..stage.panels import unpacked
from .displays import words_of_still


def bump(x):
    return np.sin(x) * x


@pytest.fixture
def explorer():
    return ad.explore(bump, 2.0)


def ask(explorer, **message):
    """What the front end hears when it asks."""
    heard = []
    explorer.send = heard.append
    explorer._answer(explorer, {"id": "7", **message}, [])
    (answer,) = heard
    assert answer["id"] == "7"
    return answer


def test_explore_traces_and_keeps_the_graph(explorer):
    assert [node.block.name for node in explorer.graph] == ["input", "sin", "multiply", "output"]
    assert explorer.scene["title"] == "bump"


def test_a_graph_is_explored_as_it_is():
    graph = ad.trace(bump, 2.0)
    assert ad.explore(graph).graph is graph
    with pytest.raises(TypeError, match="leave the arguments out"):
        ad.explore(graph, 2.0)


@pytest.mark.parametrize("name", [name for name, case in ad.examples.items() if hasattr(case, "program")])
def test_an_example_is_explored_and_swept_with_its_own_arguments(name):
    case = ad.examples[name]
    assert ad.explore(case).graph.inputs == ad.explore(case.program, *case.arguments).graph.inputs
    assert len(ad.show_backward(case).scene["steps"]) > 1


def test_a_profile_is_explored_with_its_times():
    profile = ad.profile(lambda x: np.sum(np.exp(x)), np.ones(1000), seconds=0.01)
    explorer = ad.explore(profile)
    assert explorer.graph is profile.graph
    entry = next(entry for entry in explorer.scene["columns"] if entry["name"] == "seconds")
    seconds = np.frombuffer(explorer.columns, np.float32, entry["length"], entry["offset"])
    assert seconds == pytest.approx(profile.seconds)
    explorer.put_away()
    assert "seconds" in {entry["name"] for entry in explorer.scene["columns"]}
    with pytest.raises(TypeError, match="leave the arguments out"):
        ad.explore(profile, 2.0)


def test_the_front_end_is_answered(explorer):
    assert ask(explorer, type="view", scope=0)["view"]["scope"] == 0
    assert ask(explorer, type="detail", node=1)["detail"]["block"] == "sin"


def test_the_derivatives_of_an_output_are_answered(explorer):
    answer = ask(explorer, type="adjoints", output=0)["adjoints"]
    assert np.frombuffer(b64decode(answer["numbers"]))[0] == ad.grad(bump)(2.0)
    assert "output 1 of 1" in ask(explorer, type="adjoints", output=1)["error"]


def test_a_saved_page_has_the_derivatives_of_the_outputs_it_has_room_for(tmp_path, monkeypatch):
    def saved():
        page = ad.explore(lambda x: (np.sin(x), x * x), 2.0).save(tmp_path / "page.html")
        return unpacked(page.read_text(encoding="utf-8"), "adviz-document")["adjoints"]

    assert [np.frombuffer(b64decode(saved()[choice]["numbers"]))[0] for choice in "01"] == [np.cos(2.0), 4.0]
    monkeypatch.setattr("adviz.jupyter.explorer.MOST_ADJOINTS", 5)
    assert list(saved()) == ["0"]


def read(scene, columns):
    """The columns by name."""
    types = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4", "f64": "<f8"}
    return {
        entry["name"]: np.frombuffer(columns, types[entry["type"]], entry["length"], entry["offset"])
        for entry in scene["columns"]
    }


def test_the_show_of_the_evaluation_is_what_is_other_than_in_the_scene_of_the_graph(explorer):
    played = Player(sweep_scene.evaluation_scene(explorer.graph, flows=False), explorer.graph)
    shown = ask(explorer, type="play")["play"]
    shared = {"source", "tables", "columns"}
    assert not shared & set(shown)
    whole = {**explorer.scene, **shown, "inputs": []}
    assert {name: whole[name] for name in whole.keys() - shared} == {
        name: played.scene[name] for name in played.scene.keys() - shared
    }
    assert explorer.scene["source"] == played.scene["source"]
    assert explorer.scene["tables"].items() >= played.scene["tables"].items()
    found = read(explorer.scene, explorer.columns)
    assert all(np.array_equal(found[name], column) for name, column in read(played.scene, played.columns).items())


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "view", "scope": 99}, "scope 99"),
        ({"type": "detail", "node": 99}, "node 99"),
        ({"type": "dance"}, "dance"),
        ({}, "type"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_with_an_error(explorer, message, words):
    assert words in ask(explorer, **message)["error"]


def test_the_selection_must_be_nodes_of_the_graph(explorer):
    explorer.selection = [1, 2]
    with pytest.raises(traitlets.TraitError, match="nodes 0 to 3"):
        explorer.selection = [4]
    assert explorer.selection == [1, 2]


def test_what_is_shown_is_a_live_view_and_a_still_picture(explorer, monkeypatch):
    assert "sin" in words_of_still(explorer, monkeypatch)


def test_a_saved_page_has_the_pictures_of_inner_scopes_and_details_of_what_they_show(tmp_path):
    def loop(x):
        for _ in range(500):
            x = np.sin(x) * 0.5
        return x

    page = ad.explore(loop, 1.0).save(tmp_path / "page.html").read_text(encoding="utf-8")
    document = unpacked(page, "adviz-document")
    assert len(document["views"]) > 3
    for view in document["views"].values():
        for item in view["nodes"]:
            assert item["node"] is None or str(item["node"]) in document["details"]


def test_a_saved_page_has_the_show_of_the_evaluation_unless_that_would_take_too_long(explorer, tmp_path, monkeypatch):
    def show_in_page():
        page = explorer.save(tmp_path / "page.html").read_text(encoding="utf-8")
        return unpacked(page, "adviz-document")["show"]

    assert show_in_page() == explorer._show()
    monkeypatch.setattr("adviz.jupyter.explorer.MOST_PLAYED", 3)
    assert show_in_page() is None
