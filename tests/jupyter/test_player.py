"""The Player without a browser: shows, traits, live inputs, displays, files."""

import json
import signal
import warnings

import ipywidgets
import numpy as np
import pytest
import traitlets

import adviz as ad
from adviz.graph.errors import OptionError
from adviz.stage.narration import playing
from adviz.stage.scene import schema
from adviz.stage.shows import explorer_scene
from adviz.stage.shows import sweep_scene as show
from adviz.stage.shows.options import ShowError

from ..stage.goldens import stage_at
from ..stage.narration.folds.programs import WEIGHTS, classifier
from ..stage.panels import unpacked
from .displays import words_of_still


def f(x, y):
    return np.sin(x * y) * x + y


def chain(x):
    for _ in range(40):
        x = np.sin(x) * x
    return np.sum(x)


@pytest.fixture
def player():
    return ad.show_backward(f, 2.0, 0.4)


def places(player):
    return [(item["key"], item["kind"]) for item in player.scene["panels"][0]["nodes"]]


def last(player):
    return player.scene["steps"][-1]["caption"]


# ---- shows ----


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
def test_every_engine_can_be_watched(engine):
    document = ad.show_backward(f, 2.0, 0.4, engine=engine).scene
    schema.check(document)
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
    (table,) = (panel for panel in document["panels"] if panel["kind"] == "table")
    output = len(table["rows"]) - 1
    found = stage_at(document, len(document["steps"]))[f"forward/tangent/{output}"]
    assert found == pytest.approx(3 * (0.1 * 0.5 + 0.2 * 0.25 + 2.0) + 0.5 * 1.0)


def test_the_direction_of_a_single_argument_stands_alone():
    document = ad.show_forward(lambda x: x * x, np.array([1.0, 2.0]), direction=np.array([0.0, 1.0])).scene
    assert stage_at(document, 1)["forward/tangent/0"]["data"] == [0.0, 1.0]


@pytest.mark.parametrize("direction", [0.5, (0.5,), np.float32(0.5), np.array(0.5)])
def test_the_direction_of_a_single_number_is_a_number_or_one_in_a_tuple(direction):
    document = ad.show_forward(np.sin, 2.0, direction=direction).scene
    assert stage_at(document, 1)["forward/tangent/0"] == 0.5
    with pytest.raises(ad.InputError, match=r"direction is an array of shape \(1,\); expected a number"):
        ad.show_forward(np.sin, 2.0, direction=[0.5])


@pytest.mark.parametrize("direction", [(1.0, 2.0), [1.0, 2.0], np.array([1.0, 2.0])])
def test_the_direction_of_several_numbers_is_a_sequence(direction):
    document = ad.show_forward(f, 2.0, 0.4, direction=direction).scene
    assert [stage_at(document, 1)[f"forward/tangent/{node}"] for node in (0, 1)] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("direction", "words"),
    [
        ((1.0,), "direction is a tuple of 1; expected a tuple of 2"),
        (1.0, "direction is a number; expected a tuple of 2"),
        ("ux", "direction is 'ux'; expected a tuple of 2"),
        (("u", "x"), r"direction\[0\] is 'u', not made of real numbers"),
        ((1.0, 2j), r"direction\[1\] is 2j, not made of real numbers"),
        ((1.0, [1.0, 2.0]), r"direction\[1\] is an array of shape \(2,\); expected a number"),
    ],
)
def test_a_direction_of_another_structure_is_refused(direction, words):
    with pytest.raises(ad.InputError, match=words):
        ad.show_forward(f, 2.0, 0.4, direction=direction)


def first_seeds(player):
    (outputs,) = [step["focus"] for step in player.scene["steps"] if step["kind"] == "seed"]
    return [player.graph.outputs.index(int(key.removeprefix("graph/n"))) for key in outputs]


def test_seeds_are_given_by_the_place_of_the_result():
    assert first_seeds(ad.show_backward(ad.examples["BigNet, then SmallNet"], seeds={0: 1.0})) == [0]
    assert first_seeds(ad.show_backward(lambda x: (x * 2, x * 3), 1.0, seeds={0: 1.0, 1: 1.0})) == [0, 1]


def test_an_example_of_several_results_brings_the_seeds_of_what_it_is_about():
    assert first_seeds(ad.show_backward(ad.examples["BigNet, then SmallNet"])) == [1]
    assert first_seeds(ad.show_backward(ad.examples["batches"])) == [0, 1, 2]


@pytest.mark.parametrize("function", [ad.show_backward, ad.show_tape_vs_graph])
@pytest.mark.parametrize(
    ("program", "seeds", "words"),
    [
        (lambda x: (x[0], x), None, r"2 results: say which to differentiate, as in seeds=\{0: 1.0\} for the first"),
        (lambda x: x * 2, None, r"an array of shape \(3,\): .* seeds=\{0: np.ones\(3\)\} for the sum"),
        (lambda x: np.outer(x, x), None, r"np.ones\(\(3, 3\)\)"),
        (lambda x: x * 2, 1.0, r"seeds is 1.0; .* by the place of the result"),
        (lambda x: x * 2, {3: 1.0}, "result 3; there is only result 0"),
        (lambda x: x * 2, {"x": 1.0}, "result 'x'; there is only result 0"),
        (lambda x: x * 2, {0: 1.0}, r"has shape \(\); it can be \(3,\)"),
        (lambda x: x * 2, {}, "name at least one output"),
    ],
)
def test_what_to_differentiate_must_be_said_where_there_is_more_than_one_number(function, program, seeds, words):
    with pytest.raises(ad.SeedError, match=words):
        function(program, np.ones(3), seeds=seeds)


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@pytest.mark.parametrize("function", [ad.show_backward, ad.show_tape_vs_graph])
def test_there_is_no_way_back_from_a_result_that_depends_on_nothing(function):
    with pytest.raises(ad.SeedError, match="<lambda> does not depend on x, so every derivative is 0"):
        function(lambda x: 3.0, 1.0)


def test_what_adding_in_place_did_can_be_seen():
    player = ad.show_backward(ad.examples["fan-out"], engine="use_counts", in_place=True)
    assert "∂fan_out/∂x = 12 and ∂fan_out/∂y = 2. But adding in place has changed adjoints on the way" in last(player)
    right = ad.show_backward(ad.examples["fan-out"], engine="use_counts")
    assert last(right).split(". ")[0].endswith(": ∂fan_out/∂x = 8 and ∂fan_out/∂y = 2")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ad.sweeps.CASES])
def test_every_example_plays_with_four_engines_side_by_side(name):
    player = ad.show_tape_vs_graph(ad.examples[name], engines=("tape", "toposort", "rank_heap", "recursion"))
    schema.check(player.scene)
    assert len(player.scene["runs"]) == 4


def test_every_show_takes_a_graph():
    graph = ad.trace(f, 2.0, 0.4)
    direct = ad.show_forward(f, 2.0, 0.4, direction=(1.0, 2.0))
    assert ad.show_forward(graph, direction=(1.0, 2.0)).scene["steps"] == direct.scene["steps"]
    assert ad.show_forward(graph, jacobian=True).graph is graph
    assert last(ad.show_backward(graph)) == last(ad.show_backward(f, 2.0, 0.4))
    assert len(ad.show_tape_vs_graph(graph, engines="tape").scene["runs"]) == 1
    assert ad.show_backward(graph).inputs == {}
    with pytest.raises(ShowError, match="leave the arguments out"):
        ad.show_backward(graph, 2.0, 0.4)


def test_a_class_of_blocks_is_not_a_block():
    class swish(ad.SimpleBlock):
        def data_fn(self, x):
            return x.data

        def gradient_fn(self, x):
            return np.ones(x.shape)

    with pytest.raises(ShowError, match=r"swish is a class of Blocks: create one and show that, swish\(\)"):
        ad.show_backward(swish, 1.0)
    assert len(ad.show_backward(swish(), 1.0).graph) == 3


# ---- play ----


def test_a_function_plays_its_evaluation_and_its_inputs_can_be_changed():
    player = ad.play(f, 2.0, 0.4, panels="table")
    player.inputs = {"x": 3.0}
    assert last(player) == last(ad.play(ad.trace(f, 3.0, 0.4), panels="table"))
    assert [panel["kind"] for panel in player.scene["panels"]] == ["table"]
    assert last(ad.play(ad.examples["fan-out"])) == "The result is 11."


def test_a_graph_plays_its_evaluation():
    player = ad.play(ad.trace(f, 2.0, 0.4))
    stage = stage_at(player.scene, len(player.scene["steps"]))
    assert stage == {f"evaluation/value/{k}": value for k, value in enumerate(player.graph.values)}


def test_an_explorer_plays_the_evaluation_of_what_it_shows():
    explorer = ad.explore(f, 2.0, 0.4)
    assert explorer.play(panels=["graph"]).graph is explorer.graph


def test_a_scene_plays_with_or_without_its_columns(player):
    alone = ad.play(json.loads(json.dumps(player.scene)))
    assert alone.columns == b""
    known = {panel["kind"]: panel for panel in player.scene["panels"]}
    chosen = ad.play((player.scene, player.columns), panels=["table", "code"]).scene["panels"]
    assert chosen == [known["table"], known["code"]]
    assert [panel["id"] for panel in ad.play(player.scene, panels="table").scene["panels"]] == ["table"]
    with pytest.raises(ShowError, match=r"no panel is called 'matrix'; there are .*graph"):
        ad.play(player.scene, panels=["matrix"])


def test_a_panel_of_one_run_is_chosen_by_its_id():
    race = ad.show_tape_vs_graph(f, 2.0, 0.4)
    assert [panel["id"] for panel in ad.play(race.scene, panels=["graph-tape"]).scene["panels"]] == ["graph-tape"]


def test_a_timeline_plays_with_its_graph_only(player):
    timeline = ad.Timeline.record({}, ad.toposort(player.graph))
    steps = ad.play(timeline, graph=player.graph).scene["steps"]
    assert sum(step.get("moves", 1) for step in steps) == len(timeline) + 1  # the result
    for arguments in ((timeline,), (timeline, player.graph), (player.graph, timeline)):
        with pytest.raises(ShowError, match=r"write ad\.play\(timeline, graph=graph\)"):
            ad.play(*arguments)
    with pytest.raises(ShowError, match="graph=graph"):
        ad.play(timeline, graph=f)


@pytest.mark.parametrize("source", ["x", None, 3.0])
def test_what_cannot_be_played_is_said_with_what_can(source):
    with pytest.raises(ShowError, match=f"a function .* not {type(source).__name__}"):
        ad.play(source)


def test_what_is_no_show_is_refused(player):
    with pytest.raises(schema.SceneError, match=r"scene\.runs.*ad\.play\(graph\)"):
        ad.play(explorer_scene.document(player.graph))
    with pytest.raises(ShowError, match=r"ad\.play\(\(scene, columns\)\)"):
        ad.play((player.scene, player.columns, 3))
    with pytest.raises(ShowError, match="played alone"):
        ad.play(player.scene, player.graph)
    cut = player.scene | {"steps": [*player.scene["steps"][:2], {}]}
    with pytest.raises(schema.SceneError, match=r"scene\.steps\[2\]"):
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
        ("breakpoints", ["node"], "'node' stops nowhere; there are node:0 to node:6, line:"),
        ("breakpoints", ["node:7"], "'node:7' stops nowhere"),
        ("breakpoints", ["node:03"], "'node:03' stops nowhere"),
        ("breakpoints", ["block:minus"], "block:add, block:input, block:multiply, block:output, block:sin"),
        ("breakpoints", ["line:1"], "'line:1' stops nowhere"),
        ("breakpoints", ["edge:1"], "'edge:1' stops nowhere"),
        ("inputs", {"z": 1.0}, "there are x, y"),
        ("inputs", {"x": "one"}, "not a number"),
        ("inputs", {"x": True}, "not a number"),
        ("cursor", "end", "cursor is 'end'; this show has cursors 0 to "),
        ("speed", "fast", "speed is 'fast'; it must be a number above 0"),
        ("playing", "yes", "playing is 'yes'; it can be True or False"),
        ("selection", ["x"], r"selection is \['x'\]; it is a list of nodes, which are 0 to 6"),
        ("breakpoints", [3], r"breakpoints is \[3\]; it is a list of texts, such as"),
        ("inputs", 3, "inputs is 3; it is a dict of numbers, such as {'x': 2.0, 'y': 0.4}"),
    ],
)
def test_a_trait_that_makes_no_sense_is_refused_and_nothing_changes(player, trait, value, words):
    before, document = getattr(player, trait), player.scene
    with pytest.raises(traitlets.TraitError, match=words):
        setattr(player, trait, value)
    assert getattr(player, trait) == before
    assert player.scene is document


def test_breakpoints_are_kept_once_each(player):
    line = f"line:{f.__code__.co_firstlineno + 1}"
    player.breakpoints = ["node:3", "block:multiply", line, "node:3"]
    assert player.breakpoints == ["node:3", "block:multiply", line]


def test_breakpoints_go_where_the_nodes_go_that_they_were_about():
    player = ad.show_backward(lambda x: np.sin(x) if x < 0 else x * x * x, 1.0)
    player.breakpoints = ["node:0", "node:3", "block:multiply"]
    player.inputs = {"x": -1.0}
    assert player.breakpoints == ["node:0"]


def test_the_score_counts_what_was_right_at_once_as_the_page_does(player):
    first, second, missed = [1.5], ["v2", "v3"], []
    player.answers = [
        {"step": step, "right": bool(tries), "tries": tries} for step, tries in enumerate((first, second, missed), 3)
    ]
    assert player.score == (1, 3)


def test_a_misspelt_trait_is_told_with_the_one_that_may_be_meant(player):
    with pytest.raises(AttributeError, match=r"a Player has no attribute 'curser'; did you mean 'cursor'\?$"):
        player.curser  # noqa: B018
    assert not hasattr(player, "lecture")


def test_a_misspelt_trait_is_refused_and_others_may_be_kept(player):
    with pytest.raises(AttributeError, match="a Player has no 'curser'; did you mean 'cursor'"):
        player.curser = 3
    player.lecture = "of Monday"
    assert player.lecture == "of Monday"


# ---- options that there are not ----


@pytest.mark.parametrize(
    ("play", "option", "words"),
    [
        (ad.show_forward, "jacbian", "show_forward has no option 'jacbian'; did you mean jacobian=?"),
        (ad.show_backward, "engines", "show_backward has no option 'engines'; did you mean engine=?"),
        (ad.show_tape_vs_graph, "engine", "show_tape_vs_graph has no option 'engine'; did you mean engines=?"),
        (
            ad.show_tape_vs_graph,
            "jacobian",
            "show_tape_vs_graph has no option 'jacobian'; show_forward and show_backward have it",
        ),
        (ad.play, "seeds", "play has no option 'seeds'; show_backward and show_tape_vs_graph have it"),
        (ad.play, "pannels", "play has no option 'pannels'; did you mean panels=?"),
    ],
)
def test_an_option_that_a_show_has_not_is_not_blamed_on_the_function(play, option, words):
    with pytest.raises(ShowError) as refused:
        play(f, 2.0, 0.4, **{option: "tape"})
    assert str(refused.value) == words


def test_keywords_of_the_function_are_its_own():
    def weighted(x, *, seed=1.0, **engines):
        return x * seed * engines.get("engines", 1.0)

    assert ad.show_backward(weighted, 3.0, seed=2.0, engines=3.0).graph.values[-1] == 18.0


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("granularity", "of f(x, y); did you mean grain=? show_backward's options are engine,"),
        ("output", "of f(x, y). show_back"),
    ],
)
def test_a_keyword_of_neither_the_show_nor_the_function_is_answered_with_the_options(option, words):
    with pytest.raises(OptionError) as refused:
        ad.show_backward(f, 2.0, 0.4, **{option: "scalar"})
    assert str(refused.value).startswith(f"{option!r} is neither an option of show_backward nor a parameter {words}")
    assert str(refused.value).endswith("options are engine, seeds, jacobian, panels, teach, in_place and grain.")


def test_what_is_under_a_key_is_called_by_it_and_seeded_by_it():
    def both(x):
        return {"a": x * x, "b": np.sin(x)}

    by_key = ad.show_backward(both, 3.0, seeds={"b": 1.0})
    assert "∂both['b']/∂x = −0.99" in by_key.scene["steps"][-1]["caption"]
    by_place = ad.show_backward(both, 3.0, seeds={1: 1.0})
    assert [step["caption"] for step in by_key.scene["steps"]] == [step["caption"] for step in by_place.scene["steps"]]
    with pytest.raises(ad.SeedError, match=r"seeds name result 'c'; .* called both\['a'\], both\['b'\]$"):
        ad.show_backward(both, 3.0, seeds={"c": 1.0})
    with pytest.raises(ad.SeedError, match=r"as in seeds=\{'a': 1.0\} for the first$"):
        ad.show_backward(both, 3.0)
    with pytest.raises(ad.SeedError, match="result 'a', which is 2 numbers in this grain"):
        ad.show_backward(both, np.ones(2), grain="scalar", seeds={"a": 1.0})


@pytest.mark.parametrize("option", [{"grain": "fine"}, {"teach": "yes"}])
def test_values_that_an_option_cannot_have_are_refused(option):
    with pytest.raises(ShowError, match="it can be"):
        ad.show_backward(f, 2.0, 0.4, **option)


@pytest.mark.parametrize("name", ["a.gif", "a.png", "a.html"])
def test_a_folder_that_is_not_there_is_named_before_anything_is_drawn(player, tmp_path, monkeypatch, name):
    monkeypatch.setattr("adviz.stage.drawing.frames.Film.__init__", None)
    with pytest.raises(
        FileNotFoundError, match=f"there is no folder '.*nowhere' for {name}; make it first, or save elsewhere"
    ):
        player.save(tmp_path / "nowhere" / name)


# ---- inputs ----


def test_new_numbers_play_in_the_same_places_with_the_cursor_kept(player):
    player.inputs = {"x": -123.456}  # the longest numbers have the widest nodes
    before = places(player)
    player.cursor = 10
    player.inputs = {"x": 3.0}
    assert player.cursor == 10
    assert places(player) == before
    player.inputs = {"x": -123.456}
    assert player.inputs == {"x": -123.456, "y": 0.4}
    assert places(player) == before
    assert player.scene["steps"] == show.backward_scene(ad.trace(f, -123.456, 0.4))[0]["steps"]
    assert player.scene["inputs"][0]["value"] == -123.456
    assert player.graph.values[0] == -123.456


def test_scene_and_columns_of_new_numbers_arrive_together(player):
    sent = []
    assert player.model_id  # opens it
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
    assert "a new layout" in player.scene["panels"][0]["note"]
    assert last(player).split(". ")[0].endswith(": ∂f/∂x = 3")
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


def test_the_stop_button_leaves_everything_as_it_was(player, monkeypatch):
    sent = []
    assert player.model_id  # opens it
    player.comm.send = lambda data=None, **_: sent.append(data)
    document, documents = player.scene, playing.Playback.documents

    def stopped(playback):
        played = documents(playback)
        signal.raise_signal(signal.SIGINT)
        return played

    monkeypatch.setattr(playing.Playback, "documents", stopped)
    with pytest.raises(KeyboardInterrupt):
        player.inputs = {"x": 1.0}
    with pytest.raises(KeyboardInterrupt):
        ad.show_backward(f, 2.0, 0.4)
    monkeypatch.undo()
    assert (player.inputs, player.scene) == ({"x": 2.0, "y": 0.4}, document)
    assert sent == [{"method": "update", "state": {"inputs": player.inputs}, "buffer_paths": []}]
    player.inputs = {"x": 1.0}
    assert player.scene is not document


def test_sliders_of_ones_own_move_the_inputs(player):
    @ipywidgets.interact(a=(1.0, 3.0))
    def move(a=2.0):
        player.inputs = {"x": a}

    (slider, *_) = move.widget.children
    slider.value = 3.0
    assert player.inputs == {"x": 3.0, "y": 0.4}
    assert player.graph.values[0] == 3.0


def test_sliders_pass_by_places_without_a_value_in_silence():
    player = ad.show_backward(lambda x: np.log(x), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        player.inputs = {"x": -1.0}
    stage = stage_at(player.scene, 1)
    assert stage["toposort/value/1"] == "NaN"


def test_a_player_that_does_not_know_its_program_keeps_its_inputs(player):
    with pytest.raises(traitlets.TraitError, match="does not know its program"):
        ad.play((player.scene, player.columns)).inputs = {"x": 1.0}


# ---- what is seen and saved ----


@pytest.mark.long
def test_what_is_shown_is_a_live_view_and_a_still_one(player, monkeypatch):
    words = words_of_still(player, monkeypatch)
    assert "passes" not in words.splitlines()[0]
    assert f"{len(player.scene['steps']) - 1}  The sweep ends at the input x" in words
    assert "1  The values come first: x·y = 0.8, " in words


def test_a_saved_page_holds_the_whole_show_without_a_kernel(player, tmp_path):
    page = player.save(tmp_path / "page.html").read_text(encoding="utf-8")
    document = unpacked(page, "adviz-document")
    assert document["scene"]["steps"] == player.scene["steps"]
    assert document["details"] == {}  # which only an Explorer asks for


@pytest.mark.parametrize(("show", "most"), [((f, 1.0, 2.0), 200_000), ((classifier, *WEIGHTS), 250_000)])
def test_a_saved_page_is_small(show, most, tmp_path):
    assert ad.show_backward(*show).save(tmp_path / "page.html").stat().st_size <= most


def test_there_is_a_picture_of_every_moment_that_is_asked_for(player, tmp_path):
    assert player.save(tmp_path / "step.svg", cursors=[0, 3, 12]).name == "step-00.svg"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00.svg", "step-03.svg", "step-12.svg"]
    player.cursor = 3
    assert player.save(tmp_path / "now.svg").read_bytes() == (tmp_path / "step-03.svg").read_bytes()
    with pytest.raises(IndexError):
        player.save(tmp_path / "never.svg", cursors=[1_000])


def test_a_still_of_a_show_that_has_not_begun_is_its_end(player, tmp_path):
    end = len(player.scene["steps"])
    start, chosen = (player.save(tmp_path / f"{cursor}.svg", cursor=cursor).read_bytes() for cursor in (0, end))
    assert player.save(tmp_path / "new.svg").read_bytes() == chosen != start
    with pytest.raises(ad.ShowError, match="not both"):
        player.save(tmp_path / "both.svg", cursor=1, cursors=[1])


def test_a_show_without_a_graph_has_something_to_see_all_the_same(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    ad.show_backward(np.sin, 1.0, panels=["table", "formula"])._ipython_display_()
    assert "<svg" in shown[1]["text/html"]


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.gif", "a.pdf", "a.html"])
@pytest.mark.parametrize("cursors", [5, "5", [], [1.5], ["5"]])
def test_moments_that_are_none_are_refused_whatever_the_suffix(player, tmp_path, name, cursors):
    end = len(player.scene["steps"])
    with pytest.raises(ShowError, match=rf"it names moments from 0 to {end}, as in cursors=\[0, {end}\]"):
        player.save(tmp_path / name, cursors=cursors)


@pytest.mark.parametrize("beyond", [False, True])
def test_a_moment_that_there_is_not_is_refused(player, tmp_path, beyond):
    end = len(player.scene["steps"])
    cursor = end + 1 if beyond else -1
    with pytest.raises(IndexError, match=f"there is no moment {cursor}; this show has cursors 0 to {end}"):
        player.save(tmp_path / "a.pdf", cursors=[0, cursor])


@pytest.mark.slow
def test_a_show_that_takes_its_time_is_told_of_while_it_is_made(monkeypatch, capsys):
    monkeypatch.setattr("adviz.stage.scene.progress.PATIENCE", 0.0)
    monkeypatch.setattr("adviz.stage.scene.progress.is_watched", lambda file: True)
    player = ad.show_forward(chain, np.ones(8), jacobian=True)
    assert f"/{8 * len(player.graph)} " in "".join(capsys.readouterr())
