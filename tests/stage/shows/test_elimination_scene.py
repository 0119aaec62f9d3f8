"""Scenes of eliminations: what is on stage is what there is, what is said of it, and what is shown."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz
from adviz.graph.linearized.measures import bauer
from adviz.stage.drawing import frames
from adviz.stage.export import png, svg
from adviz.stage.narration.both_sides import MOST_ENTRIES, BothSides, displayed
from adviz.stage.narration.questions.elimination_questions import MOST_CHOICES
from adviz.stage.scene import schema
from adviz.stage.shows.elimination_scene import (
    MOST_OWN,
    Plan,
    elimination_scene,
    own_order,
    play_order,
    references,
    why_not_own,
)
from adviz.stage.shows.options import ShowError
from tests.stage.elimination_goldens import FOLDER, by_chance, cases, random_graph
from tests.stage.goldens import stage_at

TECHNIQUES = ("vertex", "edge", "face")


def panel(document, side):
    return next(each for each in document["panels"] if side in (each.get("side"), each["kind"]))


def drawn(name, **options):
    document, _ = elimination_scene(adviz.examples[name].graph(), **options)
    return document


def closely(one, other):
    """Equal, numbers within rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(closely(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(closely, one, other))
    return one == (pytest.approx(other, 1e-12) if isinstance(one, float) else other)


# ---- what is on stage ----


@pytest.mark.parametrize("name", cases())
def test_goldens_are_as_written(name):
    written = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert closely(json.loads(json.dumps(cases()[name]())), written)


def test_there_is_a_golden_for_each_file():
    assert {f"{name}.json" for name in cases()} == {path.name for path in FOLDER.iterdir()}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(TECHNIQUES))
def test_every_edit_finds_what_the_last_one_left_and_the_end_is_the_jacobian(seed, technique):
    graph = random_graph(seed)
    played = play_order(Plan(graph, technique=technique), by_chance(technique, seed), "run")
    stage = dict(played.run.timeline.start)
    for step in played.steps:
        for key, before, after in step["edits"]:
            assert stage.get(key) == before != after
            stage[key] = after
    entries = bauer(graph)
    for row, y in enumerate(graph.outputs):
        for column, x in enumerate(graph.inputs):
            assert stage[f"run/cell/{row}/{column}"] == pytest.approx(entries.get((x, y), 0))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["vertex", "edge"]))
def test_after_each_move_one_side_is_the_line_graph_of_the_other(seed, technique):
    sides = BothSides(random_graph(seed), technique)
    for move in sides.moves(by_chance(technique, seed), adviz.Counting()):
        for _ in sides.make(move, adviz.Counting()):
            nodes = {key.removeprefix("node/"): label for key, label in sides.stage().items() if key[:5] == "node/"}
            edges = {key.removeprefix("edge/"): label for key, label in sides.stage().items() if key[:5] == "edge/"}
            assert edges == {key: label for key, label in nodes.items() if "s." not in key and ".t" not in key}
        assert sides.line.state() == pytest.approx(adviz.line_graph(sides.graph).state())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_of_a_face_elimination_the_graph_has_the_sums_over_twins(seed):
    sides = BothSides(random_graph(seed), "face")
    for move in sides.moves(by_chance("face", seed), adviz.Counting()):
        for _ in sides.make(move, adviz.Counting()):
            sums = {}
            for e in sides.line.interior:
                sums[e[:2]] = sums.get(e[:2], 0.0) + sides.line.label(e)
            assert {edge: sides.graph.partial(*edge) for edge in sides.graph.edges} == pytest.approx(sums)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_steps_cost_what_the_elimination_costs(technique):
    graph = adviz.examples["bat"].graph()
    document, _ = elimination_scene(graph, "reverse", technique=technique)
    side = adviz.line_graph(graph) if technique == "face" else graph.copy()
    eliminate = getattr(adviz, f"{technique}_elimination")
    timeline = adviz.Timeline(side.state(), eliminate(side, "reverse"))
    spent = [sum(step["cost"][name] for step in document["steps"]) for name in ("multiplications", "additions")]
    assert spent == [timeline.multiplications, timeline.additions]


def test_entries_without_a_path_are_zero_from_the_start():
    graph = adviz.CGraph.from_edges([(0, 2), (1, 2), (0, 3), (2, 4)])
    document, _ = elimination_scene(graph)
    assert {key: document["start"][key] for key in document["start"] if "/cell/" in key} == {
        "order-1/cell/0/0": graph.partial(0, 3),
        "order-1/cell/0/1": 0,
    }


def test_the_jacobian_of_arrays_is_shown_entry_by_entry():
    document = drawn("lion", technique="face")
    matrix = panel(document, "matrix")
    assert (matrix["rows"], matrix["columns"]) == (["v3[0]", "v3[1]", "v4", "v5"], ["v0[0]", "v0[1]"])
    assert (matrix["row_nodes"], matrix["column_nodes"]) == ([3, 3, 4, 5], [0, 0])
    graph, after = adviz.examples["lion"].graph(), stage_at(document, len(document["steps"]))
    expected = np.vstack([np.atleast_2d(bauer(graph)[0, y]) for y in graph.outputs])
    assert [[after[f"order-1/cell/{i}/{j}"] for j in range(2)] for i in range(4)] == pytest.approx(expected)


def test_of_a_large_jacobian_whole_blocks_are_shown():
    sizes = {"x": MOST_ENTRIES + 1, "y": 2}
    document, _ = elimination_scene(adviz.CGraph.from_edges([("x", "v"), ("v", "y")], sizes=sizes))
    assert panel(document, "matrix")["columns"] == ["x"]
    assert stage_at(document, len(document["steps"]))["order-1/cell/0/0"]["shape"] == [
        2,
        MOST_ENTRIES + 1,
    ]


def test_a_number_between_arrays_is_a_multiple_of_the_identity():
    graph = adviz.CGraph.from_edges([("x", "y")], partials=[3.0], sizes={"x": 2, "y": 2})
    document, _ = elimination_scene(graph)
    assert [document["start"][f"order-1/cell/{i}/{j}"] for i in (0, 1) for j in (0, 1)] == [3.0, 0.0, 0.0, 3.0]


# ---- pictures ----


def example(name):
    case = adviz.examples[name]
    return case.program, *case.arguments


def test_both_readings_stand_side_by_side():
    document = drawn("lion", panels=["cgraph", "linegraph"])
    graph, line = (each for each in document["panels"] if each["kind"] == "elimination")
    assert (graph["reading"], line["reading"]) == ("graph", "line graph")
    assert graph["fixed"]
    assert line["fixed"]


@pytest.mark.long
def test_heads_of_the_jacobian_keep_their_indices_where_names_are_long():
    document, _ = elimination_scene(adviz.linearize(*example("contest")), "forward")
    assert panel(document, "matrix")["columns"] == ["argum…[0]", "argum…[1]", "argum…[2]"]


# ---- what is said ----


def captions(document):
    return [step["caption"] for step in document["steps"]]


def test_a_product_is_told_with_its_numbers():
    graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (0, 2)], partials=[2.0, -3.0, 10.0])
    document, _ = elimination_scene(graph, "forward")
    assert captions(document) == [
        "c₂₀ absorbs c₂₁ · c₁₀ = (−3) · 2 = −6: 10 + (−6) = 4.",
        "v1 is eliminated; its remaining edges are removed. "
        "No intermediate is left: the labels are the Jacobian, after 1 multiplication and 1 addition.",
    ]
    assert document["steps"][0]["whole"] == (
        "v1 is eliminated: 1 × 1 = 1 multiplication and 1 absorption. "
        "No intermediate is left: the labels are the Jacobian, after 1 multiplication and 1 addition."
    )


def test_a_product_of_matrices_is_told_by_its_shape_and_of_vectors_by_its_value():
    graph = adviz.CGraph.from_edges([("x", "v"), ("v", "y")], sizes={"v": 2, "y": 3, "x": 4})
    assert captions(elimination_scene(graph)[0])[0] == "c₂₀ is filled in: c₂₁ · c₁₀, a 3×4 matrix."
    graph = adviz.CGraph.from_edges(
        [("x", "v"), ("v", "y")], sizes={"v": 2}, partials=[np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])]
    )
    assert captions(elimination_scene(graph)[0])[0] == "c₂₀ is filled in: c₂₁ · c₁₀ = 11."


def test_of_vertices_with_sizes_products_and_multiplications_are_told():
    document = drawn("lion", order=[1, 2])
    assert document["steps"][0]["whole"].startswith("v1 is eliminated: 1 × 2 = 2 products, 4 multiplications")


def test_vertices_that_are_called_the_same_are_told_apart():
    graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (2, 3)], names={0: "x", 1: "r", 2: "r", 3: "velocity"})
    document, _ = elimination_scene(graph, "forward")
    assert document["steps"][0]["whole"].startswith("r (v1) is eliminated:")
    assert document["own"]["names"] == ["x", "r (v1)", "r (v2)", "velocity"]
    nodes = panel(document, "elimination")["vertices"]
    assert [(node["label"], node["detail"], node["name"]) for node in nodes[1:3]] == [
        ("r", "v1", "r (v1)"),
        ("r", "v2", "r (v2)"),
    ]
    assert adviz.why_illegal(graph, ("back", 0, 1)).startswith("The edge x → r (v1) cannot")


def test_names_of_the_user_are_text_and_never_keys():
    hostile = "<script>alert(1)</script>"
    graph = adviz.CGraph.from_edges([(hostile, "a/b.c"), ("a/b.c", "\u202ey")])
    document, _ = elimination_scene(graph)
    keys = [edit[0] for step in document["steps"] for edit in step["edits"]] + list(document["start"])
    assert all(key.replace("order-1", "").replace("/", "").replace(".", "").isalnum() for key in keys)
    assert "<script>" not in svg.markup(frames.strip(frames.key_film(document)))
    assert "\u202e" not in json.dumps(document, ensure_ascii=False).replace("'\u202ey'", "")


def test_a_show_that_asks_has_questions_with_true_answers():
    document = drawn("Naumann 2004", order="forward", teach=True)
    questions = [step["question"] for step in document["steps"] if step["question"]]
    assert {question["kind"] for question in questions} == {"number", "choice"}
    costs = [q for q in questions if q["kind"] == "number"]
    assert costs[0]["prompt"] == "v2 is eliminated next. How many multiplications does that take?"
    assert costs[0]["answer"] == 4
    for question in questions:
        assert question["kind"] == "number" or question["answer"] in question["choices"]
    for step in document["steps"]:
        if step["question"] and "What becomes of" in step["question"]["prompt"]:
            assert ("filled in" in step["question"]["answer"]) == (step["kind"] == "fill_in")


def test_which_edges_appear_is_asked_where_some_do_and_some_do_not():
    graph = adviz.CGraph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (1, 4), (2, 4)])
    document, _ = elimination_scene(graph, [1, 2])
    asked = [step["question"] for step in document["steps"] if step["question"]]
    appearing = next(question for question in asked if "appear" in question["prompt"])
    assert appearing["prompt"] == "v2 is eliminated next. Which edges appear?"
    assert appearing["answer"] == "v0 → v3"
    assert appearing["choices"] == ["none", "v0 → v3", "v0 → v4", "v0 → v3, v0 → v4"]


def test_the_lowest_degree_is_asked_for_where_there_is_one():
    graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6), (4, 7), (4, 8)])
    document, _ = elimination_scene(graph, [1, 2, 3, 4])
    asked = [step["question"] for step in document["steps"] if step["coarse"]][2]
    assert asked["prompt"] == "Which intermediate has the lowest Markowitz degree now?"
    assert (asked["answer"], asked["choices"]) == ("v3", ["v3", "v4"])
    assert asked["hint"].startswith("Multiply the number of edges into it")


def test_where_there_is_much_to_choose_among_the_cost_is_asked_for():
    document, _ = elimination_scene(adviz.linearize(*example("Roe flux")), "reverse", teach=True)
    asked = [step["question"] for step in document["steps"] if step["question"]]
    choices = [question["choices"] for question in asked if question["kind"] == "choice"]
    assert max(map(len, choices)) <= MOST_CHOICES
    assert max(choice.count(" → ") for each in choices for choice in each) <= MOST_CHOICES


def test_the_degrees_that_are_asked_for_weigh_sizes():
    graph = adviz.CGraph.from_edges([(k, k + 1) for k in range(5)], sizes={5: 3})
    document, _ = elimination_scene(graph, [1, 2, 3, 4])
    asked = [step["question"] for step in document["steps"] if step["coarse"]][2]
    assert asked["answer"] == "v3"
    assert asked["hint"].startswith("Multiply the entries of all its predecessors")


# ---- orders, options, pictures ----


def test_two_orders_are_played_on_one_clock():
    document = drawn("Naumann 2004", orders={"as given": [3, 2, 4], "forward": "forward"})
    assert [run["label"] for run in document["runs"]] == ["as given", "forward"]
    first = document["steps"][0]
    assert [part["run"] for part in first["parts"]] == ["order-1", "order-2"]
    assert all(part["product"] for part in first["parts"])
    assert document["own"] is None
    schema.check(document)
    ends = stage_at(document, len(document["steps"]))
    for cell in ("cell/0/0", "cell/1/1"):
        assert ends[f"order-1/{cell}"] == pytest.approx(ends[f"order-2/{cell}"])


@pytest.mark.long
@pytest.mark.parametrize("technique", ["vertex", "face"])
def test_the_picture_of_a_large_graph_is_its_extended_jacobian(technique):
    document, _ = elimination_scene(adviz.linearize(*example("six-joint arm")), "forward", technique=technique)
    assert [panel["kind"] for panel in document["panels"]] == ["extended", "formula", "meters"]
    roles = Counter(vertex["role"] for vertex in document["panels"][0]["vertices"])
    assert roles["input"] == 6
    assert document["own"] is None
    schema.check(document)


@pytest.mark.long
def test_where_orders_are_compared_their_pictures_have_the_room():
    def kinds(*orders):
        return Counter(panel["kind"] for panel in drawn("bat", orders=orders)["panels"])

    assert kinds("forward", "reverse") == {"elimination": 2, "formula": 1, "meters": 1}
    assert kinds("forward", "reverse", "markowitz") == {"elimination": 3, "meters": 1}
    assert kinds("forward")["matrix"] == 1


@pytest.mark.long
def test_the_run_says_how_products_are_counted_where_that_is_another_way():
    def label(name, count):
        counting = adviz.Counting(count)
        return drawn(name, order="forward", counting=counting)["runs"][0]["label"]

    assert label("lion", "scalar") == "vertex elimination: forward order, products counted by sizes"
    assert label("lion", "block") == "vertex elimination: forward order, each product counted as one"
    assert label("lion", "sparse") == label("Naumann 2004", "scalar") == "vertex elimination: forward order"


def test_what_an_order_is_called():
    document = drawn("Naumann 2004", orders=["reverse", "reverse"])
    assert [run["label"] for run in document["runs"]] == ["reverse order", "reverse order 2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"technique": "node"}, "no technique is called 'node'; there are vertex, edge, face"),
        ({"direction": "up"}, "no direction is called 'up'; there are data flow, dependence"),
        ({"panels": "tape"}, "no panel is called 'tape'"),
        ({"orders": ["forward"] * 4}, "4 orders are given; there can be 1 to 3 side by side"),
    ],
)
def test_options_that_there_are_not_are_refused_by_name(options, message):
    with pytest.raises(ShowError, match=message):
        drawn("lion", **options)


def test_orders_that_are_not_possible_are_refused():
    with pytest.raises(adviz.OrderError, match="v2 out"):
        drawn("lion", order=[1])


def test_a_line_graph_is_eliminated_by_faces_only():
    line = adviz.line_graph(adviz.examples["bat"].graph())
    with pytest.raises(ShowError, match="by faces, not by vertex"):
        elimination_scene(line)
    document, _ = elimination_scene(line, "forward", technique="face")
    assert panel(document, "elimination")["reading"] == "line graph"
    assert document["own"] is None


def test_a_line_graph_in_the_middle_of_its_elimination_goes_on():
    line = adviz.line_graph(adviz.examples["Naumann 2004"].graph())
    list(adviz.elimination.eliminate_face(line, line.interior_faces[0]))
    document, _ = elimination_scene(line, "reverse", technique="face")
    nodes = {key for key in document["start"] if "/node/" in key}
    assert len(nodes) == len(line.nodes)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_page_can_eliminate_where_it_knows_all_numbers(technique):
    own = own_order(Plan(adviz.examples["lion"].graph(), technique=technique))
    assert own["sizes"] == [2, 1, 1, 2, 1, 1]
    assert own["edges"][0][2]["shape"] == [1, 2]


def test_the_page_multiplies_arrays_that_are_counted_by_their_sizes():
    arrays = adviz.linearize(lambda x: np.sum(np.sin(x) * x), np.ones(30))
    own = own_order(Plan(arrays, counting=adviz.Counting("scalar")))
    assert max(len(label["data"]) for _, _, label in own["edges"]) == 900


def without_own():
    """Plans whose page makes no moves, each with what is said of it."""
    lion = adviz.examples["lion"].graph()
    chain = adviz.CGraph.from_edges([(k, k + 1) for k in range(MOST_OWN)])
    arrays = adviz.linearize(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    large = adviz.linearize(lambda x: np.sum(np.sin(x)), np.ones(99))
    scalar = adviz.Counting("scalar")
    poles = adviz.CGraph.from_edges([(0, 1), (1, 2)], partials=[1.0, 2.0])
    poles.set_partial(0, 1, float("inf"))
    yield Plan(lion, adviz.line_graph(lion), "face"), "Show the CGraph"
    yield Plan(lion, counting=adviz.Counting(units=False)), "Leave units=False out"
    yield Plan(chain), "the line graph has 62 nodes, more than 60"
    yield Plan(arrays), 'Write count="scalar"'
    yield Plan(large, counting=scalar), "a Jacobian has 9,801 numbers, more than 1,000"
    yield Plan(poles), "not finite"


@pytest.mark.parametrize(("plan", "words"), list(without_own()))
def test_where_the_page_makes_no_moves_it_says_why_and_what_to_write(plan, words):
    assert own_order(plan) is None
    assert words in why_not_own(plan)


def test_why_there_is_no_order_of_ones_own_is_in_the_scene_where_one_was_wanted():
    graph = adviz.linearize(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    assert 'Write count="scalar"' in elimination_scene(graph)[0]["why_not_own"]
    for options in ({"own": False}, {"orders": ["forward", "reverse"]}, {"counting": adviz.Counting("scalar")}):
        assert elimination_scene(graph, **options)[0]["why_not_own"] is None


def test_one_hears_how_far_all_orders_are():
    heard = []
    graph = adviz.examples["bat"].graph()
    elimination_scene(graph, orders=["forward", "reverse"], progress=lambda done, total: heard.append((done, total)))
    count = len(graph.intermediates)
    assert heard == [(done, 2 * count) for done in range(1, 2 * count + 1)]


def test_references_are_the_usual_orders_and_what_is_known_of_the_best():
    plan = Plan(adviz.examples["Naumann 2004"].graph())
    assert [entry["multiplications"] for entry in references(plan)] == [10, 10, 7]
    known = plan._replace(optimum={"cost": 7, "proved": False, "lower_bound": 5})
    assert [(entry["kind"], entry["multiplications"]) for entry in references(known)][3:] == [
        ("optimum", 7),
        ("bound", 5),
    ]


def test_a_program_brings_its_nodes_and_its_code():
    program = adviz.trace(lambda x, y: np.sin(x * y) + x, 2.0, 3.0)
    document, _ = elimination_scene(adviz.linearize(program), program=program)
    assert any(each["kind"] == "code" for each in document["panels"])
    assert {node["node"] for node in panel(document, "elimination")["vertices"]} <= set(range(len(program)))
    assert [node["label"] for node in panel(document, "elimination")["vertices"]][:2] == ["x", "y"]


def test_a_graph_without_intermediates_is_a_show_of_no_steps():
    document, _ = elimination_scene(adviz.CGraph.from_edges([("x", "y")], partials=[2.0]))
    assert document["steps"] == []
    assert document["start"]["order-1/cell/0/0"] == 2.0
    assert frames.strip(frames.key_film(document)).items


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_pictures_show_what_is_there(technique):
    document = drawn("bat", technique=technique, order="forward")
    film = frames.Film(document)
    for cursor in range(0, len(document["steps"]) + 1, 5):
        keys = {item.key for item in film.picture(cursor).items}
        stage = stage_at(document, cursor)
        for vertex in panel(document, "elimination")["vertices"]:
            if f"order-1/vertex/{vertex['thing']}" in stage:
                assert f"elimination-order-1/vertex/{vertex['thing']}" in keys
        labels = [key.split("/")[-1] for key in stage if "/node/" in key]
        shown = {f"elimination-order-1/label/{each}" for each in labels if "s." not in each and ".t" not in each}
        assert shown <= keys
    assert png.image(film.picture(1), scale=1).startswith(b"\x89PNG")


def test_what_a_step_did_is_seen_in_its_picture():
    document = drawn("Naumann 2004", order=[3, 2, 4])
    items = {item.key: item.marks for item in frames.Film(document).picture(1).items}
    hued = {
        key.split("/", 1)[1]
        for key, marks in items.items()
        if any(getattr(mark, "line", "") == "pair-1" for mark in marks)
    }
    assert hued == {"label/2.3", "label/3.4", "label/2.4", "face/2.3/3.4", "product/"}
    told = "".join(mark.text for mark in items["elimination-order-1/product/"] if hasattr(mark, "text"))
    assert told == "1.468+0.9801=2.448"


def test_entries_of_the_jacobian_are_written_as_the_page_does():
    edges, partials = [(0, 2), (2, 3), (0, 3), (1, 4)], [2.0, 3.0, 5.0, 7.0]
    document, _ = elimination_scene(adviz.CGraph.from_edges(edges, partials=partials))
    items = {item.key: item.marks for item in frames.Film(document).picture(0).items}
    cells = {key.partition("/")[2]: marks for key, marks in items.items() if key.startswith("matrix-order-1/")}
    entries = {key: marks[1].text for key, marks in cells.items()}
    assert entries == {"0/0": "5", "0/1": "·", "1/0": "·", "1/1": "7"}


def test_labels_are_shown_as_they_are():
    assert displayed(2) == 2
    assert displayed(np.eye(2)) == {"shape": [2, 2], "data": [1.0, 0.0, 0.0, 1.0]}
    assert displayed(None) is None
