"""The Player without a browser: shows, traits, live inputs, displays, files."""

import json
import warnings

import numpy as np
import pytest
import traitlets

import adviz as ad
from adviz.jupyter.player import Told
from adviz.stage import scene, show

from ..stage.panels import unpacked


def f(x, y):
    return np.sin(x * y) * x + y


@pytest.fixture
def player():
    return ad.show_backward(f, 2.0, 0.4)


def places(player):
    return [(item["key"], item["x"], item["y"], item["w"]) for item in player.scene["panels"][0]["nodes"]]


def last(player):
    return player.scene["steps"][-1]["caption"]


# ---- shows ----


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
def test_every_engine_can_be_watched(engine):
    document = ad.show_backward(f, 2.0, 0.4, engine=engine).scene
    scene.check(document)
    assert document["runs"][0]["kind"] == "reverse"


def test_keyword_arguments_that_are_not_named_go_to_the_function_untraced():
    def power(x, *, exponent):
        return x**exponent

    assert ad.show_backward(power, 3.0, exponent=2).inputs == {"x": 3.0}


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_direction_has_the_structure_of_the_arguments(grain):
    def model(parameters, x, active):
        return np.sum(parameters["w"] * x) * parameters["scale"]

    arguments = ({"w": np.array([1.0, 2.0]), "scale": 3.0}, np.array([0.5, 0.25]), True)
    direction = ({"w": np.array([0.1, 0.2]), "scale": 0.5}, np.array([0.0, 1.0]), 0.0)
    document = ad.show_forward(model, *arguments, direction=direction, grain=grain).scene
    output = len(document["panels"][1]["rows"]) - 1
    found = scene.stage_at(document, len(document["steps"]))[f"forward/tangent/{output}"]
    assert found == pytest.approx(3 * (0.1 * 0.5 + 0.2 * 0.25 + 2.0) + 0.5 * 1.0)


def test_the_direction_of_a_single_argument_stands_alone():
    document = ad.show_forward(lambda x: x * x, np.array([1.0, 2.0]), direction=np.array([0.0, 1.0])).scene
    assert "v0 (x) has tangent [0, 1]" in document["steps"][0]["caption"]


def test_a_direction_of_another_structure_is_refused():
    with pytest.raises(ad.InputError, match="direction"):
        ad.show_forward(f, 2.0, 0.4, direction=(1.0,))


def test_seeds_are_given_by_the_place_of_the_result():
    both = ad.show_backward(ad.examples["BigNet, then SmallNet"], seeds={1: 1.0})
    (outputs,) = [step["focus"] for step in both.scene["steps"] if step["kind"] == "seed"]
    assert outputs == [f"graph/n{both.graph.outputs[1]}"]
    with pytest.raises(ValueError, match="result 2; there are results 0 to 1"):
        ad.show_backward(ad.examples["BigNet, then SmallNet"], seeds={2: 1.0})


def test_what_adding_in_place_did_can_be_seen():
    player = ad.show_backward(ad.examples["fan-out"], engine="use_counts", in_place=True)
    assert last(player).endswith("which is now 12.")
    assert last(ad.show_backward(ad.examples["fan-out"], engine="use_counts")).endswith("which is now 8.")


@pytest.mark.parametrize("name", [*ad.examples])
def test_every_example_plays_with_four_engines_side_by_side(name):
    player = ad.show_tape_vs_graph(ad.examples[name], engines=("tape", "toposort", "rank_heap", "recursion"))
    scene.check(player.scene)
    assert len(player.scene["runs"]) == 4


# ---- play ----


def test_a_graph_plays_its_evaluation():
    player = ad.play(ad.trace(f, 2.0, 0.4))
    stage = scene.stage_at(player.scene, len(player.scene["steps"]))
    assert stage == {f"evaluation/value/{k}": value for k, value in enumerate(player.graph.values)}


def test_an_explorer_plays_the_evaluation_of_what_it_shows():
    explorer = ad.explore(f, 2.0, 0.4)
    assert explorer.play(panels=["graph"]).graph is explorer.graph


def test_a_scene_plays_with_or_without_its_columns(player):
    alone = ad.play(json.loads(json.dumps(player.scene)))
    assert alone.columns == b""
    assert ad.play((player.scene, player.columns), panels=["table", "code"]).scene["panels"] == [
        panel for panel in player.scene["panels"] if panel["kind"] in ("table", "code")
    ]
    with pytest.raises(ValueError, match="no panel 'matrix'; it has graph, table"):
        ad.play(player.scene, panels=["matrix"])


def test_a_timeline_plays_with_its_graph_only(player):
    timeline = ad.Timeline.record({}, ad.toposort(player.graph))
    assert len(ad.play(timeline, graph=player.graph).scene["steps"]) == len(timeline)
    with pytest.raises(TypeError, match="graph=graph"):
        ad.play(timeline)


def test_what_is_no_show_is_refused(player):
    with pytest.raises(scene.SceneError, match=r"scene\.runs"):
        ad.play(scene.document(player.graph))
    cut = player.scene | {"steps": [*player.scene["steps"][:2], {}]}
    with pytest.raises(scene.SceneError, match=r"scene\.steps\[2\]"):
        ad.play(cut)


# ---- traits ----


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ("cursor", -1, "cursors 0 to"),
        ("cursor", 10_000, "cursors 0 to"),
        ("speed", 0.0, "above 0"),
        ("speed", float("nan"), "above 0"),
        ("selection", [99], "nodes 0 to 6"),
        ("breakpoints", ["node"], "'node:3'"),
        ("inputs", {"z": 1.0}, "there are x, y"),
        ("inputs", {"x": "one"}, "not a number"),
        ("inputs", {"x": True}, "not a number"),
    ],
)
def test_a_trait_that_makes_no_sense_is_refused_and_nothing_changes(player, trait, value, words):
    before, document = getattr(player, trait), player.scene
    with pytest.raises(traitlets.TraitError, match=words):
        setattr(player, trait, value)
    assert getattr(player, trait) == before
    assert player.scene is document


def test_breakpoints_are_kept_once_each(player):
    player.breakpoints = ["node:3", "block:multiply", "line:12", "node:3"]
    assert player.breakpoints == ["node:3", "block:multiply", "line:12"]


def test_the_score_counts_the_answers(player):
    player.answers = [{"step": 3, "right": True, "tries": 1}, {"step": 4, "right": False, "tries": 2}]
    assert player.score == (1, 2)


# ---- inputs ----


def test_new_numbers_play_in_the_same_places_with_the_cursor_kept(player):
    before = places(player)
    player.cursor = 10
    player.inputs = {"x": -123.456}
    assert player.inputs == {"x": -123.456, "y": 0.4}
    assert player.cursor == 10
    assert places(player) == before
    assert player.scene["steps"] == show.backward_scene(ad.trace(f, -123.456, 0.4))[0]["steps"]
    assert player.scene["inputs"][0]["value"] == -123.456
    assert player.graph.values[0] == -123.456


def test_scene_and_columns_of_new_numbers_arrive_together(player):
    sent = []
    player.comm.send = lambda data=None, **_: sent.append(data)
    player.inputs = {"x": 1.0}
    together = [message["state"] for message in sent if "scene" in message.get("state", {})]
    assert len(together) == 1
    assert any("columns" in json.dumps(message.get("buffer_paths", "")) for message in sent)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_numbers_inside_of_structures_can_be_changed(grain):
    def model(parameters, x):
        return np.sum(x * parameters["a"]) - parameters["b"]

    player = ad.show_backward(model, {"a": 2.0, "b": 3.0}, np.array([1.0, 4.0]), grain=grain)
    player.inputs = {"parameters['b']": 5.0}
    assert list(player.graph.values)[:2] == [2.0, 5.0]
    if grain == "scalar":
        player.inputs = {"x[1]": 40.0}
        assert player.graph.values[player.graph.outputs[0]] == 2.0 + 80.0 - 5.0


def test_another_path_through_the_program_is_placed_anew_and_says_so():
    player = ad.show_backward(lambda x: np.sin(x) if x > 0 else x * x * x, 1.0)
    player.cursor = len(player.scene["steps"])
    player.inputs = {"x": -1.0}
    assert "placed anew" in player.scene["panels"][0]["note"]
    assert last(player).endswith("the derivative by it is 3.")
    assert player.cursor <= len(player.scene["steps"])


def test_a_program_that_fails_leaves_everything_as_it_was():
    def program(x):
        if x < 0:
            raise RuntimeError("no roots")
        return x * x

    player = ad.show_backward(program, 1.0)
    document = player.scene
    with pytest.raises(traitlets.TraitError, match="RuntimeError: no roots"):
        player.inputs = {"x": -1.0}
    assert player.inputs == {"x": 1.0}
    assert player.scene is document


def test_an_interrupt_leaves_everything_as_it_was(player, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    document = player.scene
    monkeypatch.setattr(show, "backward_scene", interrupt)
    with pytest.raises(KeyboardInterrupt):
        player.inputs = {"x": 1.0}
    monkeypatch.undo()
    assert (player.inputs, player.scene) == ({"x": 2.0, "y": 0.4}, document)
    player.inputs = {"x": 1.0}
    assert player.scene is not document


def test_sliders_pass_by_places_without_a_value_in_silence():
    player = ad.show_backward(lambda x: np.log(x), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        player.inputs = {"x": -1.0}
    stage = scene.stage_at(player.scene, 1)
    assert stage["toposort/value/1"] == "nan"


def test_a_player_that_does_not_know_its_program_keeps_its_inputs(player):
    with pytest.raises(traitlets.TraitError, match="does not know its program"):
        ad.play((player.scene, player.columns)).inputs = {"x": 1.0}


# ---- what is seen and saved ----


def test_what_is_shown_is_a_live_view_and_a_still_one(player, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    player._ipython_display_()
    live, still = shown
    assert "application/vnd.jupyter.widget-view+json" in live
    assert f'data-adviz-id="{player.fallback}"' in still["text/html"]
    assert "<script" not in still["text/html"]
    assert "image/png" in still
    assert "v0 (x) hands" not in still["text/plain"].splitlines()[0]
    assert f"{len(player.scene['steps'])}  v0 (x) is an input" in still["text/plain"]


def test_a_saved_page_holds_the_whole_show_without_a_kernel(player, tmp_path):
    page = player.save(tmp_path / "page.html").read_text(encoding="utf-8")
    document = unpacked(page, "adviz-document")
    assert document["scene"]["steps"] == player.scene["steps"]
    assert set(document["details"]) == {str(k) for k in range(len(player.graph))}


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.gif", b"GIF89a"), ("a.pdf", b"%PDF")]
)
@pytest.mark.parametrize("panels", [None, ["table"]])
def test_save_writes_by_suffix_whatever_the_panels_are(tmp_path, name, start, panels):
    player = ad.show_backward(np.sin, 1.0, panels=panels)
    assert player.save(tmp_path / name).read_bytes().startswith(start)


def test_there_is_a_picture_of_every_moment_that_is_asked_for(player, tmp_path):
    assert player.save(tmp_path / "step.svg", cursors=[0, 3, 12]).name == "step-00.svg"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00.svg", "step-03.svg", "step-12.svg"]
    player.cursor = 3
    assert player.save(tmp_path / "now.svg").read_bytes() == (tmp_path / "step-03.svg").read_bytes()
    with pytest.raises(IndexError):
        player.save(tmp_path / "never.svg", cursors=[1_000])


def test_a_show_without_a_graph_has_something_to_see_all_the_same(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    ad.show_backward(np.sin, 1.0, panels=["table", "formula"])._ipython_display_()
    assert "<svg" in shown[1]["text/html"]


def test_save_refuses_a_suffix_it_does_not_know(player, tmp_path):
    with pytest.raises(ValueError, match=r"'\.bmp'.*\.html"):
        player.save(tmp_path / "a.bmp")


def test_hostile_names_are_text_in_the_page(tmp_path):
    hostile = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'

    def innocent(x):
        return np.sin(x)

    innocent.__name__ = hostile
    text = ad.show_backward(innocent, 2.0).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img" not in text.split('id="adviz-bundle"')[0]


def test_one_is_told_how_far_a_show_is_if_it_takes_its_time(capsys):
    told = Told("turns played")
    told(1, 10)
    assert capsys.readouterr().err == ""
    told.start -= 60
    told(5, 10)
    told(10, 10)
    assert capsys.readouterr().err == "\r5 of 10 turns played\r10 of 10 turns played\n"
