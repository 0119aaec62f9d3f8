"""Moments of shows as pictures: what is on stage is drawn where it belongs, and nothing ever moves."""

import copy
from itertools import pairwise
from math import dist
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.stage.drawing import typesetting
from adviz.stage.drawing.flow_lane import rests_of
from adviz.stage.drawing.frames import Film, key_film, key_frames, strip
from adviz.stage.drawing.marks import Arrow, Box, Curve, Text, graph_of
from adviz.stage.export.svg import markup
from adviz.stage.scene import captions, theme
from adviz.stage.scene.text_widths import ELLIPSIS, fit, fitting, width, wrapped
from adviz.stage.shows import sweep_scene

from ..export.test_svg import contrast, elements
from ..goldens import ALL, as_graphs, f, stage_at
from ..goldens import graph_scene as golden
from ..panels import HOSTILE


def frame(scene, cursor):
    """Return the picture of a show after ``cursor`` steps."""
    return Film(scene).picture(cursor)


def hostile_show():
    """Return a show in which every text is hostile."""
    document = golden("tape_vs_graph")
    texts = iter(HOSTILE * 50)
    for panel in document["panels"]:
        for item in panel.get("nodes", []):
            item |= {"label": fit(next(texts), 13, 90), "detail": fit(next(texts), 11, 90), "title": next(texts)}
    for run in document["runs"]:
        run["label"] = next(texts)
    for step in document["steps"]:
        for part in step.get("parts", [step]):
            part |= {"caption": next(texts), "formula": ["row", ["id", next(texts)], ["text", next(texts)]]}
        step["caption"] = next(texts)
        step["edits"] += [[key, before, next(texts)] for key, before, _ in step["edits"][:1]]
    return document | {"title": "".join(HOSTILE[:7])}


def texts(drawn):
    """Return all texts of a picture."""
    return [mark.text for mark in marks(drawn) if isinstance(mark, Text)]


def marks(drawn):
    return [*drawn.frame, *(mark for item in drawn.items for mark in item.marks)]


def of_item(drawn, key):
    """Return the marks of an item, with all that is drawn on it."""
    return [mark for item in drawn.items if item.key == key for mark in item.marks]


def moment(document, kind, word=""):
    """Return the first cursor after a step of a kind whose caption has a word."""
    found = (k for k, step in enumerate(document["steps"], 1) if step["kind"] == kind and word in step["caption"])
    return next(found)


# What is seen


@pytest.mark.parametrize("name", ALL)
def test_what_is_on_stage_is_whole_and_in_its_place_at_every_moment(name):
    """One test, because to draw each moment takes much longer than to look at it."""
    film = Film(golden(name))
    first = film.picture(0)
    for cursor in range(len(film.steps) + 1):
        drawn = film.picture(cursor)
        check_sums(film, cursor, drawn)
        assert (drawn.width, drawn.height) == (first.width, first.height)
        assert places_of(drawn) == places_of(first)
        check_texts(drawn)
        if name not in ("lines", "boxes"):  # these are never graphs
            check_products(drawn)


def check_sums(film, cursor, drawn):
    """Every adjoint and every tangent is in its node."""
    panels = {panel["run"]: panel["id"] for panel in film.scene["panels"] if panel["kind"] == "graph"}
    items = {node["node"]: node["key"] for node in film.lanes[0].panel["nodes"]}
    for key, value in stage_at(film.scene, cursor).items():
        run, what, node, *_ = key.split("/")
        if what in ("adjoint", "tangent"):
            shown = texts_of(drawn, f"{panels[run]}/{items[int(node)]}")
            assert any(text in line for text in ways(value) for line in shown), (cursor, key)


NODES = {"input", "output", "block", "scope"}


def places_of(drawn):
    """Where the names of nodes are."""
    return {
        item.key: [(mark.x, mark.y, mark.text) for mark in item.marks if isinstance(mark, Text) and mark.font == "bold"]
        for item in drawn.items
        if item.kind in NODES
    }


def check_texts(drawn):
    """Nothing is cut, and nothing sticks out."""
    for mark in marks(drawn):
        if isinstance(mark, Text):
            w = width(mark.text, mark.size, "mono" if mark.font == "mono" else "sans")
            left = mark.x - (w / 2 if mark.anchor == "middle" else 0)
            assert left >= -0.5
            assert left + w <= drawn.width + 0.5
            whole = mark.text.removesuffix(" + …").removesuffix(" +…")
            assert whole == ELLIPSIS or not whole.endswith(ELLIPSIS)  # alone it is of a matrix


def check_products(drawn):
    """Products do not cover nodes or each other."""
    products = [item.marks[0] for item in drawn.items if item.kind == "product"]
    labels = [mark for item in drawn.items if item.kind in NODES for mark in item.marks if isinstance(mark, Text)]
    for k, box in enumerate(products):
        assert not any(touch(box, other) for other in products[:k])
        assert not any(box.x < text.x < box.x + box.w and box.y < text.y < box.y + box.h for text in labels)


def touch(one, other):
    return (
        one.x < other.x + other.w and other.x < one.x + one.w and one.y < other.y + other.h and other.y < one.y + one.h
    )


def ways(value):
    """Return the ways to write a value in little space, as captions do."""
    if not isinstance(value, dict):
        return [captions.number(value)]
    array = np.reshape(np.array(value["data"], float), value["shape"])
    kind = captions.kind(value["shape"]).replace("length ", "")
    return [captions.entries(array, 4), captions.entries(array, 3), kind]


def texts_of(drawn, key):
    return [mark.text for mark in of_item(drawn, key) if isinstance(mark, Text)]


def test_a_product_is_on_the_edge_it_travels_along():
    document = golden("backward")
    cursor = moment(document, "product", "sin(x·y)·x passes")
    _, operand, _ = document["steps"][cursor - 1]["edge"]
    drawn = frame(document, cursor)
    edge = next(item for item in drawn.items if item.kind == "edge" and item.key == f"graph/n{operand}>n4")
    assert {mark.line for mark in edge.marks if isinstance(mark, Curve)} == {"accent"}
    (product,) = [item for item in drawn.items if item.kind == "product"]
    assert product.key == edge.key
    value = next(after for key, _, after in document["steps"][cursor - 1]["edits"] if "/product/" in key)
    assert product.marks[1].text == captions.number(value)


@pytest.mark.parametrize(("name", "backward"), [("backward", True), ("forward", False)])
def test_a_product_travels_from_where_it_comes_from_to_where_it_waits(name, backward):
    film = Film(golden(name))
    cursor = moment(film.scene, "product")
    assert film.travels(cursor)
    road = [mark for item in film.picture(cursor).items for mark in item.marks if isinstance(mark, Curve | Arrow)]
    curve, head, *_ = (mark for mark in road if "accent" in (getattr(mark, "line", ""), getattr(mark, "fill", "")))
    start = head.points[:2] if backward else curve.points[:2]
    away = [dist(pill(film.picture(cursor, share)), start) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert away[0] == pytest.approx(0, abs=1e-6)
    assert away == sorted(set(away))
    assert film.picture(cursor, 1.0) == film.picture(cursor)


def pill(drawn):
    """Return the middle of the only product."""
    (box, _) = next(item.marks for item in drawn.items if item.kind == "product")
    return box.x + box.w / 2, box.y + box.h / 2


def test_the_focus_has_a_border_that_nothing_else_has():
    document = golden("backward")
    for cursor, step in enumerate(document["steps"], start=1):
        drawn = frame(document, cursor)
        ringed = {item.key for item in drawn.items if item.kind != "cell" for mark in item.marks if is_focus(mark)}
        assert ringed == set(step["focus"])


def is_focus(mark):
    return isinstance(mark, Box) and mark.line == "accent" and mark.thickness > 2


def test_in_the_next_direction_a_node_is_there_again_as_soon_as_its_value_is():
    document = golden("forward")
    visits = [k for k, step in enumerate(document["steps"], 1) if step["kind"] == "visit"]
    sweeps = [k for k in visits if "graph/n5" in document["steps"][k - 1]["focus"]]
    cursors = sweeps[0], sweeps[1] - 1, sweeps[1]
    assert ["freed" in texts_of(frame(document, k), "graph/n5") for k in cursors] == [False, True, False]


def test_a_value_is_not_told_before_it_is_computed():
    document, _ = sweep_scene.evaluation_scene(ad.trace(f, 2.0, 0.4), flows=False)
    cursor = moment(document, "evaluate", "sin(x·y) =")
    assert "sin(x·y) = 0.7174" in texts(frame(document, cursor))
    assert not any("0.7174" in text for text in texts(frame(document, cursor - 1)))


@pytest.mark.long
def test_of_several_runs_each_has_its_own_words_and_one_that_waits_is_muted():
    document, _ = sweep_scene.engines_scene(ad.trace(f, 2.0, 0.4), ("tape", "rank_heap"))
    titles = {": ".join(panel["title"]): panel["run"] for panel in document["panels"] if panel["kind"] == "flow"}
    alone = 0
    for before, cursor in pairwise(rests_of(document)):
        taken = [part for step in document["steps"][before:cursor] for part in step.get("parts", [step])]
        moving = {part["run"] for part in taken}
        words = [mark for mark in frame(document, cursor).frame if isinstance(mark, Text)]
        fills = {titles[mark.text]: mark.fill for mark in words if mark.text in titles}
        assert fills == {run["id"]: "ink" if run["id"] in moving else "muted" for run in document["runs"]}
        alone += len(moving) == 1
    assert alone


def test_a_show_without_a_graph_has_its_words():
    document, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), panels=("table", "formula"))
    drawn = frame(document, 3)
    assert drawn.items == []
    assert any("multiplications" in text for text in texts(drawn))


# What never changes


@pytest.mark.slow
@given(st.data())
def test_a_film_may_be_sought_in_any_order(data):
    document = data.draw(st.sampled_from([golden(name) for name in ("backward", "tape_vs_graph")]))
    film = Film(document)
    for cursor in data.draw(st.lists(st.integers(0, len(document["steps"])), max_size=5)):
        assert film.picture(cursor) == Film(document).picture(cursor)


def test_the_scene_is_left_as_it_was():
    document = golden("tape_vs_graph")
    before = copy.deepcopy(document)
    strip(key_film(document))
    assert document == before


# What is refused


def test_a_scene_without_runs_is_no_show():
    with pytest.raises(ValueError, match="no runs"):
        frame({"runs": [], "steps": [], "panels": [], "title": ""}, 0)


@pytest.mark.parametrize("cursor", [-1, 41])
def test_a_moment_that_is_not_there_is_named(cursor):
    with pytest.raises(IndexError, match=f"no moment {cursor}: there are moments 0 to 40"):
        frame(golden("backward"), cursor)


# Hostile texts


@pytest.mark.parametrize("look", ["light", "dark", "auto"])
def test_hostile_texts_of_a_show_stay_texts(look):
    document = hostile_show()
    film = Film(document)
    for cursor in range(len(document["steps"]) + 1):
        drawn = markup(film.picture(cursor), look)
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn).iter()}
        assert tags <= {"svg", "style", "rect", "g", "title", "path", "text"}
        assert "\u202e" not in drawn
        assert "\x1b" not in drawn


# Key frames


@given(st.lists(st.booleans()), st.integers(2, 12))
def test_key_frames_begin_at_the_beginning_end_at_the_end_and_are_few(coarse, most):
    chosen = key_frames({"steps": [{"coarse": each} for each in coarse]}, most)
    assert chosen == sorted(set(chosen))
    assert (chosen[0], chosen[-1]) == (0, len(coarse))
    assert len(chosen) <= most
    assert all(coarse[cursor] for cursor in chosen[1:-1])


def steps_of(drawn):
    return [text for text in texts(drawn) if text.startswith("Step")]


def test_a_strip_has_a_few_key_frames_beside_each_other():
    document = golden("forward")
    assert steps_of(strip(key_film(document))) == [f"Step {cursor} of 43" for cursor in key_frames(document, 6)]
    one = frame(document, 0)
    assert strip(key_film(document)).width % one.width == strip(key_film(document)).height % one.height == 0


def test_a_strip_of_large_pictures_has_fewer_of_them():
    document = golden("forward")
    graph_of(document)["height"] = 1_000.0
    assert len(steps_of(strip(key_film(document)))) == 3
    graph_of(document)["height"] = 10_000.0
    assert steps_of(strip(key_film(document))) == ["Step 0 of 43", "Step 43 of 43"]


# Words in little room


@given(st.text(max_size=80), st.floats(5, 300), st.integers(1, 4))
def test_lines_are_as_narrow_and_as_few_as_asked(text, room, most):
    lines = wrapped(text, 13, room, most)
    assert len(lines) <= most
    assert all(width(line, 13) <= max(room, width(ELLIPSIS, 13)) for line in lines)


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8), min_size=1, max_size=12))
def test_lines_lose_no_word_where_there_is_room(words):
    assert " ".join(wrapped(" ".join(words), 13, 200, 99)).split() == words


def test_the_first_way_that_fits_is_taken_and_else_the_last_is_cut():
    assert fitting(["1.2345", "1.2"], 10, 1000) == "1.2345"
    assert fitting(["1.2345", "1.2"], 10, width("1.2", 10)) == "1.2"
    assert fitting(["123456789"], 10, 20).endswith(ELLIPSIS)


# Marks


def test_the_accent_is_told_from_all_else_in_both_themes():
    for look in ("light", "dark"):
        colors = theme.colors(look)
        assert list(colors.values()).count(colors["accent"]) == 1
        assert contrast(colors["accent"], colors["paper"]) > 4.5


def test_titles_of_nodes_are_there_once_for_the_pointer():
    drawn = markup(frame(golden("backward"), 20))
    titles = [element.text for element in elements(drawn, "title")]
    assert drawn.count("<title>") == len(titles) == len(set(titles)) == 8  # of seven nodes, and of what is returned


# What is still to come


def fills(drawn, key):
    """Return the texts of an item, and the colors they are in."""
    return {mark.text: mark.fill for mark in of_item(drawn, key) if isinstance(mark, Text)}


def test_a_sum_that_is_not_complete_looks_partial():
    document = golden("backward")
    first = moment(document, "accumulate", "The first contribution to the adjoint of x ")
    assert fills(frame(document, first), "graph/n0")["v\u0304 = 0.7174 + …"] == "ink 88"
    assert fills(frame(document, len(document["steps"])), "graph/n0")["v\u0304 = 1.275"] == "ink"


def test_an_entry_of_a_matrix_that_is_not_complete_looks_partial():
    with as_graphs():
        document = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), panels=("graph", "matrix"))[0]
    first = moment(document, "accumulate", "The first contribution to the adjoint of x ")
    assert fills(frame(document, first), "matrix/0/0") == {"0.7174 + …": "muted"}
    assert fills(frame(document, len(document["steps"])), "matrix/0/0") == {"1.275": "ink"}


def test_what_a_node_awaits_is_said_in_the_word_of_the_player():
    document = golden("backward")
    drawn = frame(document, moment(document, "visit"))
    assert any(text.startswith("awaits ") for text in texts(drawn))
    stage = (Path(__file__).parents[3] / "widgets/src/panels/counters.ts").read_text(encoding="utf-8")
    assert "awaits ${" in stage


def test_the_last_moment_of_a_turn_tells_the_whole_turn_where_moments_lie_apart():
    document = golden("backward")
    cursors = key_frames(document)
    told = " ".join(texts(Film(document, cursors).picture(cursors[4])))
    assert "it passes 1 × 1 = 1 back to" in told
    assert "it passes" not in " ".join(texts(Film(document).picture(cursors[4])))


def test_pictures_of_some_moments_are_no_higher_than_their_words():
    document = golden("arrays")
    assert Film(document, [0, 1]).size[1] < Film(document).size[1]


def test_a_formula_stands_above_its_sentence():
    document = golden("arrays")
    film = Film(document)
    cursor = moment(document, "product", "tanh(w @ x) passes")
    words = [mark for mark in film.picture(cursor).frame if isinstance(mark, Text)]
    (formula,) = (mark for mark in words if mark.size == typesetting.SIZE and "(w @ x)̄" in mark.text)
    (sentence,) = (mark for mark in words if mark.text.startswith("tanh(w @ x) passes"))
    entries = [mark for mark in words if mark.size == typesetting.ENTRY and mark.text == "0.7864"]
    assert entries
    assert all(mark.y < sentence.y for mark in (formula, *entries))


def test_numbers_of_a_node_are_whole_or_not_there():
    graph = ad.trace(lambda x: np.tanh(x) * 1.0, np.array([-0.8031, -0.4141, -0.1912]))
    for panel in sweep_scene.evaluation_scene(graph, flows=False)[0]["panels"]:
        assert not any(ELLIPSIS in item["detail"] for item in panel.get("nodes", []))


# Graphs that are higher than a slide


def tall_show():
    """Return the show of a chain of 24 nodes."""

    def chain(x):
        for _ in range(24):
            x = x * 1.01
        return x

    with as_graphs():
        return sweep_scene.backward_scene(ad.trace(chain, 1.0))[0]


@pytest.mark.long
def test_of_a_high_graph_the_part_is_seen_where_the_step_is():
    document = tall_show()
    film = Film(document, highest=600)
    assert film.size[1] <= 600 < Film(document).size[1]
    for cursor, step in enumerate(document["steps"], 1):
        drawn = film.picture(cursor)
        rings = [mark for key in step["focus"] for mark in of_item(drawn, key) if is_focus(mark)]
        assert len(rings) == len(step["focus"])
        assert all(mark.y > 0 and mark.y + mark.h < film.lanes[0].room + film.places[0][1] for mark in rings)


def test_what_lies_beyond_is_covered_and_the_words_stand_on_the_cover():
    document = tall_show()
    film = Film(document, highest=600)
    *graph, cover, words = film.picture(30).items
    assert (cover.kind, words.kind) == ("cover", "words")
    above, below = cover.marks[:2]
    top, bottom = above.y + above.h, below.y
    assert bottom - top == pytest.approx(film.lanes[0].room)
    assert all(not top < mark.y < bottom for mark in words.marks)
    assert {mark.text for mark in words.marks if isinstance(mark, Text)} >= {
        "chain",
        f"Step 30 of {len(document['steps'])}",
    }
    assert len(graph) < len(Film(document).picture(30).items)


def test_the_part_that_is_seen_moves_only_where_the_step_would_leave_it():
    tops = Film(tall_show(), highest=600).lanes[0].tops
    assert 1 < len(set(tops)) < len(tops) / 5
    assert Film(golden("backward"), highest=2000).lanes[0].is_cut is False
