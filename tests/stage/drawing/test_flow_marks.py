"""Sweeps as numbers that flow: nothing covers what must be read, results stay in their nodes, words are whole."""

import itertools

import pytest

from adviz.stage.drawing.flow_lane import FlowLane, rests_of
from adviz.stage.drawing.frames import Film, key_film, key_frames, strip
from adviz.stage.drawing.marks import Box, Curve, Text
from adviz.stage.scene import theme

from ..export.test_svg import contrast
from ..flow_goldens import LARGE, PROGRAMS, flat, moment, panel_of, scene, size

SMALL = [name for name in PROGRAMS if name not in ("often", "network", "folds", *LARGE)]


@pytest.fixture(scope="module", params=PROGRAMS)
def sweep(request):
    return scene(request.param)


def boxes(items, *kinds):
    """The first box of each item of some kinds: what it covers."""
    return {item.key: item.marks[0] for item in items if item.kind in kinds and isinstance(item.marks[0], Box)}


def overlap(one, other):
    """The common area of two boxes."""
    across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    down = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return max(0.0, across) * max(0.0, down)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_waiting_numbers_and_equations_cover_no_gate_and_hardly_a_node(name):
    document = scene(name)
    panel, rests = panel_of(document), [*rests_of(document)]
    for start, stop in itertools.pairwise(rests):
        items = [*moment(panel, start, stop, 1.0)]
        gates, nodes = boxes(items, "gate"), boxes(items, "node")
        for item in items:
            if item.kind in ("parked", "equation"):
                for box in (mark for mark in item.marks if isinstance(mark, Box) and mark.h > 20):
                    area = box.w * box.h
                    assert all(overlap(box, other) < 0.02 * area for other in gates.values()), item.key
                    # A number that is parked lies over the border of its node, and a long equation may cover the corner
                    # of one where there is no other room.
                    assert all(overlap(box, other) < 0.3 * area for other in nodes.values()), item.key


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_result_is_inside_its_node(name):
    document = scene(name)
    panel, last = panel_of(document), len(document["steps"])
    for item in moment(panel, last, last, 1.0):
        if item.kind == "node":
            node = max((mark for mark in item.marks if isinstance(mark, Box)), key=lambda box: box.w)
            for mark in item.marks:
                if isinstance(mark, Box):
                    assert mark.x >= node.x - 0.01
                    assert mark.x + mark.w <= node.x + node.w + 0.01


@pytest.mark.slow
def test_everything_is_inside_the_picture(sweep):
    panel = panel_of(sweep)
    wide = size(panel)["width"]
    for start, stop in zip([0, *rests_of(sweep)], rests_of(sweep), strict=False):
        for mark in flat(panel, start, stop, 1.0):
            if isinstance(mark, Box):
                assert mark.x >= 0
                assert mark.x + mark.w <= wide


def test_a_sum_is_first_written_out_and_then_one_number():
    document = scene("backward")
    panel = panel_of(document)
    move = next(move for move in panel["moves"] if move["kind"] == "sum")
    said = [
        {mark.text for mark in flat(panel, move["step"], move["step"] + 1, share) if isinstance(mark, Text)}
        for share in (0.0, 0.5, 1.0)
    ]
    assert "2.5403" not in said[0] | said[1]
    assert "2 + 0.5403" in said[1]
    assert {"2.5403", "2 + 0.5403 = 2.5403"} <= said[2]


def test_the_seed_comes_into_the_picture_and_stays():
    document = scene("backward")
    panel = panel_of(document)
    stop = panel["moves"][0]["step"] + 1
    ways = []
    for share in (0.1, 0.5, 0.9):
        seed = next(item for item in moment(panel, stop - 1, stop, share) if item.kind == "seed")
        ways.append(next(mark.x for mark in seed.marks if isinstance(mark, Text)))
    assert ways == sorted(ways, reverse=True)
    assert len(set(ways)) == 3
    assert not [item for item in moment(panel, stop - 1, stop, 1.0) if item.kind == "seed"]  # it is the node's


def drawn_as(items, kind, key):
    """The marks of one kind of item with a key."""
    return [mark for item in items if item.kind == kind and item.key.endswith(f"/{key}") for mark in item.marks]


def test_what_is_not_finite_is_hatched_and_where_it_began_is_outlined_in_ink():
    panel = panel_of(scene("not_a_number"))
    begun = [node["key"] for node in panel["nodes"] if "first" in node]
    assert [node["value"] for node in panel["nodes"] if node["key"] in begun] == ["NaN"]
    start, end = ([*moment(panel, cursor, cursor, 1.0)] for cursor in (0, 10**6))
    for node in panel["nodes"]:
        outline = drawn_as(start, "node", node["key"])[0]
        assert (outline.line == "ink") == (node["key"] in begun)
        banded = any(isinstance(mark, Curve) for mark in drawn_as(start, "node", node["key"]))
        assert banded == (node["value"] == "NaN")
    for edge in panel["edges"]:
        ribbons = [mark for mark in drawn_as(end, "edge", edge["key"]) if isinstance(mark, Curve)]
        unknown = [edge[name]["sign"] is None for name in ("given", "product")]
        assert [mark.line for mark in ribbons].count("hatched") == sum(unknown)
        banded = any(isinstance(mark, Curve) for mark in drawn_as(start, "gate", edge["key"]))
        assert banded == (edge["gate"]["number"] == "NaN")


def test_the_gate_at_which_a_derivative_becomes_infinite_is_outlined_once_it_has():
    panel = panel_of(scene("infinite"))
    (edge,) = (edge for edge in panel["edges"] if "first" in edge)
    assert edge["gate"]["number"] == "∞"
    assert not [node for node in panel["nodes"] if "first" in node]
    (step,) = (move["step"] for move in panel["moves"] if move["edge"] == edge["key"])
    before, after = (drawn_as(moment(panel, at, at, 1.0), "gate", edge["key"])[0] for at in (step, 10**6))
    assert (before.line, after.line) == ("faint", "ink")


def test_cells_of_an_array_that_are_not_finite_are_hatched_and_no_others():
    panel = panel_of(scene("hatched"))
    items = [*moment(panel, 0, 0, 1.0)]
    counts = []
    for node in panel["nodes"]:
        if "map" in node:
            marks = drawn_as(items, "node", node["key"])
            counts.append(sum(isinstance(entry, str) for entry in node["map"]["data"]))
            assert sum(isinstance(mark, Curve) for mark in marks) == counts[-1]
            assert sum(isinstance(mark, Box) and mark.fill == "hatched" for mark in marks) == counts[-1]
    assert sorted(counts) == [0, 0, 0, 2]  # of x @ w one entry is 0, and one is negative


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", ["positive", "negative", "zero"])
def test_numbers_on_pills_can_be_read(name, ground):
    table = theme.colors(name)
    assert contrast(table[ground], table["on-hue"]) >= 4.5


# Films, strips and handouts


@pytest.mark.slow
def test_a_film_rests_where_its_sentences_are(sweep):
    rests = rests_of(sweep)
    assert key_frames(sweep, 100) == [*rests]
    film = Film(sweep)
    assert isinstance(film.flow, FlowLane)
    told = [film.picture(cursor).summary for cursor in rests]
    assert all(summary.endswith(rest["caption"]) for summary, rest in zip(told, rests.values(), strict=True))


def test_a_picture_between_two_rests_tells_the_one_before():
    document = scene("backward")
    film, rests = Film(document), [*rests_of(document)]
    between = next(cursor for cursor in range(1, rests[-1]) if cursor not in rests and cursor > rests[1])
    before = max(cursor for cursor in rests if cursor < between)
    assert film.picture(between).summary == film.picture(before).summary


def test_a_strip_and_a_narrow_film_show_the_whole_graph():
    document = scene("three_uses")
    assert strip(key_film(document)).width > 0
    narrow = Film(document, widest=600.0)
    assert narrow.flow.scale * narrow.flow.size[0] <= 600.0
    assert narrow.size[0] < Film(document).size[0]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_color_of_a_sweep_is_there(name, sweep):
    table = theme.colors(name)
    for mark in flat(panel_of(sweep), 0, 10**6, 1.0):
        for color in (getattr(mark, "fill", ""), getattr(mark, "line", "")):
            assert not color or theme.color(table, color).startswith("#")
