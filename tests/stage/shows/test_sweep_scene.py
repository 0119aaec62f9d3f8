"""Scenes of shows: matrices that fill, several runs on one clock."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.stage.layout import placing
from adviz.stage.scene import captions, schema
from adviz.stage.scene.text_widths import invisible
from adviz.stage.shows import beside_flow, sweep_scene
from adviz.stage.shows import explorer_scene as scene
from adviz.stage.shows.options import ShowError

from ..goldens import COSTS, engine_steps, f, on_stage, played, stage_at, totals
from ..panels import HOSTILE


def chain(x):
    for _ in range(60):
        x = np.sin(x) * x + 0.5
    return x


# ---- matrices ----


def final_matrix(document):
    panel = next(panel for panel in document["panels"] if panel["kind"] == "matrix")
    stage = stage_at(document, len(document["steps"]))
    run = document["runs"][0]["id"]
    rows, columns = range(len(panel["rows"])), range(len(panel["columns"]))
    return np.array([[stage[f"{run}/cell/{i}/{j}"] for j in columns] for i in rows], float)


def polar(r, t):
    return r * np.cos(t), r * np.sin(t), r * 2.0


@pytest.mark.parametrize("jacobian", [True, "blocks"])
def test_the_matrix_fills_with_the_jacobian(jacobian):
    document, _ = sweep_scene.forward_scene(ad.trace(polar, 2.0, 0.5), jacobian=jacobian)
    cos, sin = np.cos(0.5), np.sin(0.5)
    assert final_matrix(document) == pytest.approx(np.array([[cos, -2 * sin], [sin, 2 * cos], [2.0, 0.0]]))


def test_a_direction_fills_one_column():
    graph = ad.trace(polar, 2.0, 0.5)
    document, _ = sweep_scene.forward_scene(graph, {0: 1.0, 1: 2.0}, panels=["matrix"])
    expected = ad.jvp(polar, (2.0, 0.5), (1.0, 2.0))[1]
    assert final_matrix(document)[:, 0] == pytest.approx(np.array(expected))


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
def test_the_gradient_fills_while_adjoints_arrive_at_the_inputs(engine):
    document, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), engine, panels=["graph", "matrix"])
    assert final_matrix(document)[0] == pytest.approx(np.array(ad.grad(f, argnums=(0, 1))(2.0, 0.4)))


def test_seeds_in_rows_fill_a_row_of_the_jacobian_each():
    graph = ad.trace(lambda x: x * x, np.array([1.0, 2.0]))
    document, _ = sweep_scene.backward_scene(graph, seeds={graph.outputs[0]: np.eye(2)}, panels=["matrix"])
    assert final_matrix(document).tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_a_matrix_that_is_too_large_is_left_out():
    document, _ = sweep_scene.backward_scene(ad.trace(np.sum, np.zeros(3_000)), panels=["graph", "matrix"])
    assert [panel["kind"] for panel in document["panels"]] == ["flow"]
    assert not any("/cell/" in edit[0] for step in document["steps"] for edit in step["edits"])


# ---- several runs ----


@pytest.mark.parametrize("align", ["step", "event"])
def test_runs_side_by_side_do_what_each_does_alone(align):
    graph = ad.trace(ad.examples["dead branch"].program, 0.5)
    engines = ("tape", "toposort", "rank_heap", "recursion")
    document, _ = sweep_scene.engines_scene(graph, engines, align=align)
    schema.check(document)
    assert played(document) == stage_at(document, len(document["steps"]))
    alone = [sweep_scene.backward_scene(graph, engine)[0] for engine in engines]
    assert totals(document["steps"]) == {name: sum(totals(one["steps"])[name] for one in alone) for name in COSTS}
    for engine, one in zip(engines, alone, strict=True):
        every = [part for step in document["steps"] for part in step.get("parts", [step])]
        parts = engine_steps({"steps": [part for part in every if part["run"] == engine]})
        assert [part["node"] for part in parts] == [step["node"] for step in engine_steps(one)]
        assert [part["bytes"] for part in parts] == [step["bytes"] for step in engine_steps(one)]
        assert on_stage(document, engine, len(document["steps"])) == on_stage(one, engine, len(one["steps"]))


def test_by_events_nobody_is_more_than_a_move_ahead():
    document, _ = sweep_scene.engines_scene(ad.trace(chain, 0.3), ("tape", "use_counts"), align="event")
    clocks = {"tape": 0, "use_counts": 0}
    last = {run: max(k for k, step in enumerate(engine_steps(document)) if step["run"] == run) for run in clocks}
    for k, step in enumerate(document["steps"][: min(last.values())]):
        assert clocks[step["run"]] == min(clocks.values()), k
        work = sum(step["cost"][name] for name in COSTS[:3])
        clocks[step["run"]] += max(work, step.get("moves", 1))


def test_an_engine_may_be_there_twice():
    document, _ = sweep_scene.engines_scene(ad.trace(np.sin, 1.0), ("tape", "tape"))
    assert [run["id"] for run in document["runs"]] == ["tape", "tape-2"]
    assert len({panel["id"] for panel in document["panels"]}) == len(document["panels"])


def test_side_by_side_only_tapes_are_shown_as_tapes():
    graph = ad.trace(np.sin, 1.0)
    document, _ = sweep_scene.engines_scene(graph, ("toposort", "tape"))
    assert [panel["id"] for panel in document["panels"]] == ["graph-toposort", "graph-tape", "code", "meters"]
    document, _ = sweep_scene.engines_scene(graph, ("toposort", "tape"), panels=("graph", "tape"))
    assert [panel["id"] for panel in document["panels"]] == ["graph-toposort", "graph-tape", "tape-tape"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engines": ()}, "no engine is chosen; there are recursion, tape"),
        ({"engines": 5}, "no engine is called 5"),
        ({"engines": print}, "no engine is called 'print'"),
        ({"engines": ("tape",) * 5}, "5 engines are given; there can be 1 to 4"),
        ({"engines": ("type",)}, "no engine is called 'type'"),
        ({"align": "beat"}, "'step' or 'event'"),
        ({"panels": ("picture",)}, "no panel is called 'picture'; there are graph, tape"),
        ({"panels": "picture"}, "no panel is called 'picture'"),
        ({"panels": ()}, "no panel is chosen; there are graph, tape"),
        ({"panels": 5}, "no panel is called 5"),
    ],
)
def test_what_cannot_be_shown_is_said(options, words):
    with pytest.raises(ShowError, match=words):
        sweep_scene.engines_scene(ad.trace(np.sin, 1.0), **options)


def test_engines_and_panels_are_one_or_several_and_engines_may_be_the_functions_themselves():
    graph = ad.trace(np.sin, 1.0)
    for engines in ("tape", ad.tape, ["tape"], iter([ad.tape])):
        document, _ = sweep_scene.engines_scene(graph, engines, panels="graph")
        assert [run["id"] for run in document["runs"]] == ["tape"]
    document, _ = sweep_scene.backward_scene(graph, ad.use_counts, panels=["graph", "table", "graph"])
    assert document["runs"][0]["label"] == "node graph with use counts"
    assert [panel["kind"] for panel in document["panels"]] == ["flow", "table"]


@pytest.mark.parametrize("jacobian", ["block", 2, None, [True]])
def test_a_jacobian_flows_by_columns_or_in_blocks_or_not_at_all(jacobian):
    with pytest.raises(ShowError, match="it can be False, True, 'blocks'"):
        sweep_scene.forward_scene(ad.trace(np.sin, 1.0), jacobian=jacobian)


@pytest.mark.parametrize("jacobian", [True, "blocks"])
def test_a_direction_beside_the_jacobian_is_refused(jacobian):
    with pytest.raises(ShowError, match="not both"):
        sweep_scene.forward_scene(ad.trace(np.sin, 1.0), {0: 1.0}, jacobian=jacobian)


def test_a_show_in_text_begins_with_what_runs():
    graph = ad.trace(f, 2.0, 0.4)
    assert sweep_scene.transcript(sweep_scene.engines_scene(graph)[0]).startswith("f: tape vs. sorted node graph\n")
    assert sweep_scene.transcript(sweep_scene.forward_scene(graph)[0]).startswith("f: forward mode\n")


def test_only_use_counts_adds_in_place():
    with pytest.raises(ShowError, match="only 'use_counts'"):
        sweep_scene.backward_scene(ad.trace(np.sin, 1.0), "tape", in_place=True)


@pytest.mark.parametrize("result", [lambda x: (x, x), lambda x: np.stack([x, x])])
def test_what_to_differentiate_must_be_said_as_for_a_comparison(result):
    graph = ad.trace(result, 1.0)
    for watch in (sweep_scene.backward_scene, sweep_scene.engines_scene, ad.compare):
        with pytest.raises(ad.SeedError, match=": say w"):
            watch(graph)


def test_a_bar_for_several_sweeps_reaches_its_end_and_never_passes_it():
    told = []
    graph = ad.trace(lambda x: np.sum(chain(x)), np.ones(9))
    sweep_scene.forward_scene(graph, jacobian=True, progress=lambda *count: told.append(count))
    assert {total for _, total in told} == {9 * len(graph)}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[0][0] < 512 < 9 * len(graph) - told[-1][0] + 512 < 1024
    told.clear()
    sweep_scene.engines_scene(graph, ("tape", "recursion"), progress=lambda *count: told.append(count))
    assert all(done <= total == 2 * len(graph) for done, total in told)


# ---- places, inputs, text ----


def test_a_show_of_another_structure_says_that_it_is_placed_anew():
    first, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4))
    other, _ = sweep_scene.backward_scene(ad.trace(np.sin, 2.0), like=first)
    assert "a new layout" in other["panels"][0]["note"]
    again, _ = sweep_scene.backward_scene(ad.trace(np.sin, 3.0), like=other)
    assert again["panels"][0]["note"] is None


def test_the_same_numbers_in_the_places_of_a_show_are_the_same_show():
    graph = ad.trace(f, 2.0, 0.4)
    first, _ = sweep_scene.backward_scene(graph)
    assert sweep_scene.backward_scene(graph, like=first)[0] == first


def test_a_graph_is_placed_for_a_show_and_never_again_for_other_numbers(monkeypatch):
    placed, place = [], placing.place
    monkeypatch.setattr(placing, "place", lambda *args: placed.append(args) or place(*args))
    first, _ = sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4), flows=False)
    assert len(placed) == 1
    sweep_scene.evaluation_scene(ad.trace(f, 3.0, 0.4), like=first, flows=False)
    sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4), panels=["table"])
    assert len(placed) == 1


def test_items_have_room_for_a_line_more():
    explored, _ = scene.document(graph := ad.trace(f, 2.0, 0.4))
    document, _ = sweep_scene.evaluation_scene(graph, flows=False)
    for item, plain in zip(document["panels"][0]["nodes"], explored["panels"][0]["nodes"], strict=True):
        assert item["h"] == plain["h"] + item["room"]


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (2.0, -3.0, 7.0),
        (0.0, -1.0, 1.0),
        (-0.5, -1.5, 0.5),
        (7.0, -13.0, 27.0),
        (1e6, -1e6, 3e6),
        (1 / 3, -2 / 3, 4 / 3),
    ],
)
def test_sliders_have_round_steps_around_the_number_and_it_in_their_middle(value, low, high):
    (entry,) = beside_flow.inputs(ad.trace(np.sin, value))
    assert (entry["name"], entry["node"], entry["value"]) == ("x", 0, value)
    assert (entry["min"], entry["max"]) == pytest.approx((low, high), rel=1e-11)
    step = f"{(entry['max'] - entry['min']) / 200:.9e}"
    assert step[0] in "125"
    assert float(step[1:].split("e")[0]) == 0.0


def test_numbers_too_large_for_a_slider_have_none():
    assert beside_flow.inputs(ad.trace(lambda x: x, 1e305)) == []


def test_hostile_names_stay_text_in_every_part_of_a_show():
    for name in HOSTILE:
        graph = ad.trace(np.sin, 1.0)
        graph.names[0] = name
        document, _ = sweep_scene.backward_scene(graph)
        json.dumps(document, allow_nan=False)
        told = f"The sweep ends at the input {captions.shortened(name) or 'v0'}: the derivative with respect to it"
        assert engine_steps(document)[-1]["caption"].startswith(told)
        sentences = [step["caption"] for step in document["steps"]]
        labels = [row.get("label", row.get("name")) for panel in document["panels"] for row in panel.get("rows", ())]
        assert all(len(text) < 300 for text in sentences + labels)
        assert not any(invisible(character) for text in sentences + labels for character in text)


def rows_of(document, kind):
    (panel,) = (panel for panel in document["panels"] if panel["kind"] == kind)
    return panel["rows"]


def test_rows_have_the_names_of_the_picture_and_tell_numbers_and_formulas_on_demand():
    document, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), "tape")
    (flow,) = (panel for panel in document["panels"] if panel["kind"] == "flow")
    for kind in ("table", "tape"):
        rows = rows_of(document, kind)
        assert {row["node"]: row["label"] for row in rows} == {
            **{node["node"]: node["name"].split(" = ")[0] for node in flow["nodes"]},
            6: "the result",
        }
        assert (rows[2]["label"], rows[2]["title"]) == ("x·y", "v2 = v0 × v1")
    assert rows_of(document, "tape")[2]["detail"] == "0.8"
    (table,) = (panel for panel in document["panels"] if panel["kind"] == "table")
    assert [column["label"] for column in table["columns"]] == ["value", "adjoint"]


def test_results_that_are_one_node_have_names_of_their_own():
    def twice(x, y):
        h = x * y
        return h, h, x

    graph = ad.trace(twice, 3.0, 4.0)
    document, _ = sweep_scene.backward_scene(graph, "tape", seeds=dict.fromkeys(graph.outputs, 1.0))
    assert [row["label"] for row in rows_of(document, "tape")] == [
        *("x", "y", "h", "the result [0]", "the result [1]", "the result x"),
    ]
    assert "the adjoint of the result [0] is 1, that of the result [1] is 1" in document["steps"][0]["caption"]


@pytest.mark.long
def test_sweeps_over_a_graph_that_is_drawn_folded_tell_names():
    def chain(x, y):
        for _ in range(60):
            x = np.sin(x) * y
        return x

    document, _ = sweep_scene.forward_scene(ad.trace(chain, 0.5, 1.0), jacobian=True)
    assert "flow" not in {panel["kind"] for panel in document["panels"]}
    assert document["steps"][0]["caption"].startswith("The sweep begins with the inputs: the tangent of x is 1")


def test_a_timeline_of_ones_own_is_a_show():
    graph = ad.trace(f, 2.0, 0.4)
    recorded = sweep_scene.timeline_scene(graph, ad.Timeline.record({}, ad.toposort(graph)))[0]
    direct = sweep_scene.backward_scene(graph)[0]
    assert [step["bytes"] for step in recorded["steps"]] == [step["bytes"] for step in direct["steps"]]

    def notice(state):
        yield ad.Step("notice", (), focus=(1, 2))

    (step,) = sweep_scene.timeline_scene(graph, ad.Timeline.record({}, notice))[0]["steps"]
    assert step["caption"] == "Notice at y and x·y."


def test_devices_that_work_at_once_make_a_show_of_what_they_have_in_common():
    graph = ad.trace(lambda w, x, z: (w * x, w * z), 2.0, 3.0, 4.0)
    steps = ad.sweeps.parallel_tape(graph, dict.fromkeys(graph.outputs, 1.0))
    document, _ = sweep_scene.timeline_scene(graph, ad.Timeline.record({}, steps))
    schema.check(document)
    assert played(document)["timeline/adjoint/0"] == 7.0
    assert all(step["caption"].endswith(".") for step in document["steps"])


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda document: document["steps"][3].pop("bytes"), r"scene\.steps\[3\]\.bytes"),
        (lambda document: document["steps"][3].update(run="b"), r"scene\.steps\[3\]\.run"),
        (lambda document: document["panels"][1].update(run="b"), r"scene\.panels\[1\]\.run"),
        (lambda document: document.pop("teach"), r"scene\.teach"),
    ],
)
def test_a_show_that_was_cut_or_changed_is_refused_with_the_place(change, place):
    document, _ = sweep_scene.backward_scene(ad.trace(np.sin, 1.0))
    change(document)
    with pytest.raises(schema.SceneError, match=place):
        schema.check(document)


def test_rows_and_columns_of_a_matrix_name_the_nodes_whose_entries_they_are():
    def stretched(x, y):
        return x * y, np.sum(x)

    graph = ad.trace(stretched, np.ones(2), 3.0)
    document, _ = sweep_scene.forward_scene(graph, jacobian=True)
    [matrix] = (panel for panel in document["panels"] if panel["kind"] == "matrix")
    x, y = graph.inputs
    assert matrix["column_nodes"] == [x, x, y]
    product, total = (graph.operand_nodes(output)[0] for output in graph.outputs)  # which the picture shows
    assert matrix["row_nodes"] == [product, product, total]
    directed, _ = sweep_scene.forward_scene(graph, {0: np.ones(2), 1: 1.0}, panels=["matrix"])
    assert directed["panels"][0]["column_nodes"] == [None]
