"""Places of an elimination in one picture: few crossings, nothing covered, and only what is new moves in a move."""

from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz
from adviz.algorithms.elimination.counting import PLAIN
from adviz.algorithms.examples.known_optima import GraphCase
from adviz.stage.layout.elimination_places import (
    DISC,
    End,
    Wire,
    born,
    crossings,
    first_places,
    relaxed,
    stage,
)
from adviz.stage.narration.both_sides import BothSides

SMALL = ("lion", "bat", "Naumann 2004", "scalar lion", "scalar bat", "slide", "two diamonds", "two crossed diamonds")
PROGRAMS = (
    "fan-out",
    "auto-encoder",
    "BigNet, then SmallNet",
    "SmallNet, then BigNet",
    "mixed graphs",
    "batches",
    "slide program",
    "Black-Scholes",
    "Black-Scholes greeks",
    "two-layer network",
    "LSTM cell",
    "contest",
)
TECHNIQUES = ("vertex", "edge", "face")


@cache
def example(name):
    """Return the c-graph of an example."""
    case = adviz.examples[name]
    if isinstance(case, GraphCase):
        return case.graph()
    return adviz.linearize(adviz.trace(case.program, *case.arguments))


def parts(sides):
    """Return the ends and the wires of what there is now."""
    graph, number = sides.graph, sides.keys.number
    roles = dict.fromkeys(graph.inputs, "input") | dict.fromkeys(graph.outputs, "output")
    ends = [End(str(number(v)), roles.get(v, "intermediate"), graph.size(v)) for v in graph.vertices]
    wires = [
        Wire(sides.keys.thing(e), str(number(e[0])), str(number(e[1])), 92.0, 62.0 if graph.size(e[1]) > 1 else 50.0)
        for e in sides.line.interior
    ]
    return ends, wires


def at_start(graph):
    """Return the ends and the wires of a graph."""
    return parts(BothSides(graph, "vertex"))


def play(graph, technique):
    """Yield for each state of the best elimination whether it is at rest, its ends, its wires, places and stage."""
    sides = BothSides(graph, technique)
    most = max(len(wires) for _, wires in states(graph, technique))
    ends, wires = parts(sides)
    size = stage(ends, wires, most)
    places = first_places(ends, wires, *size)
    yield True, ends, wires, places, size
    for move in sides.moves("best", PLAIN):
        for _ in sides.make(move, PLAIN):
            before, (ends, wires) = places, parts(sides)
            places = {key: place for key, place in places.items() if key in kept(wires)}
            old = [wire for wire in wires if f"label/{wire.key}" in places]
            added = [wire for wire in wires if f"label/{wire.key}" not in places]
            if added:
                new = born(before, ends, old, added, *size)
                assert new.keys() == {f"label/{wire.key}" for wire in added}
                places |= new
            yield False, ends, wires, places, size
        places = relaxed(places, ends, wires, *size)
        yield True, ends, wires, places, size


def states(graph, technique):
    """Return the ends and the wires after each step."""
    sides = BothSides(graph, technique)
    found = [parts(sides)]
    for move in sides.moves("best", PLAIN):
        found += [parts(sides) for _ in sides.make(move, PLAIN)]
    return found


def kept(wires):
    """Return the keys of labels and of the vertices at their ends."""
    return {f"label/{wire.key}" for wire in wires} | {f"vertex/{key}" for wire in wires for key in wire[1:3]}


def boxes(places, wires, vertex=DISC):
    """Return the left, upper, right and lower side of each box."""
    sizes = {f"label/{wire.key}": (wire.w, wire.h) for wire in wires}
    found = {}
    for key, (x, y) in places.items():
        w, h = sizes.get(key, (vertex, DISC))
        found[key] = (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
    return found


def overlaps(places, wires, vertex=DISC):
    """Return the pairs of boxes that overlap."""
    return [
        (one, other)
        for (one, (a, b, c, d)), (other, (e, f, g, h)) in combinations(boxes(places, wires, vertex).items(), 2)
        if a < g and e < c and b < h and f < d
    ]


# ---- the initial graph ----


@pytest.mark.parametrize("name", SMALL)
def test_small_graphs_have_no_crossings(name):
    """The graphs of the literature are planar with inputs and outputs in order, and so are their pictures."""
    ends, wires = at_start(example(name))
    assert crossings(first_places(ends, wires), ends, wires) == 0


@pytest.mark.parametrize(("name", "fewest"), [("batches", 3), ("mixed graphs", 1), ("auto-encoder", 0), ("fan-out", 0)])
def test_programs_have_as_few_crossings_as_possible(name, fewest):
    """Three inputs beside the one that all batches share, and two outputs of two chains, cross in any order."""
    ends, wires = at_start(example(name))
    assert crossings(first_places(ends, wires, *stage(ends, wires)), ends, wires) == fewest


def test_crossings_are_counted():
    """Two lines that change places cross once, and lines that meet at a vertex do not."""
    ends = [End("0", "input", 1), End("1", "input", 1), End("2", "output", 1), End("3", "output", 1)]
    wires = [Wire(f"{i}.{j}", str(i), str(j), 92, 50) for i, j in ((0, 2), (1, 3))]
    places = first_places(ends, wires)
    assert crossings(places, ends, wires) == 0
    places["label/0.2"], places["label/1.3"] = places["label/1.3"], places["label/0.2"]
    assert crossings(places, ends, wires) == 2  # before the labels and after them
    shared = [wires[0], Wire("0.3", "0", "3", 92, 50)]
    assert crossings(first_places(ends, shared), ends, shared) == 0


@pytest.mark.parametrize("name", ["lion", "bat", "scalar bat"])
def test_the_stage_is_used_from_top_to_bottom(name):
    """The boxes reach nearly all sides of the stage."""
    ends, wires = at_start(example(name))
    left, top, right, bottom = zip(*boxes(first_places(ends, wires), wires).values(), strict=True)
    assert max(right) - min(left) > 0.9 * 780
    assert max(bottom) - min(top) > 0.9 * 430


def test_outputs_lie_at_the_heights_of_their_rows():
    """An output with two rows has a band twice as high as the others."""
    ends, wires = at_start(example("bat"))
    places = first_places(ends, wires, 780.0, 400.0)
    assert [places[f"vertex/{key}"][1] for key in ("5", "6", "7")] == [50.0, 200.0, 350.0]


# ---- all states ----


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("name", [name for name in SMALL if name != "scalar bat"])
def test_nothing_overlaps_in_any_state(name, technique):
    """No two boxes overlap, at rest or within a move, and everything has a place."""
    for _, _, wires, places, _ in play(example(name), technique):
        assert not overlaps(places, wires)
        assert places.keys() >= kept(wires)


@pytest.mark.slow
@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("name", ["scalar bat", *PROGRAMS])
def test_nothing_overlaps_in_any_state_of_larger_graphs(name, technique):
    """It is so for all examples with at most 40 vertices, on a stage with room for their longest paths."""
    graph = example(name)
    assert len(graph.vertices) <= 40
    for _, _, wires, places, _ in play(graph, technique):
        assert not overlaps(places, wires)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("name", ["lion", "bat", "Naumann 2004"])
def test_inputs_and_outputs_never_move(name, technique):
    """They have the same places from the first state to the last, from top to bottom in the order of the graph."""
    seen = set()
    for _, ends, _, places, _ in play(example(name), technique):
        fixed = [(end.role, places[f"vertex/{end.key}"]) for end in ends if end.role != "intermediate"]
        seen.add(tuple(fixed))
    (fixed,) = seen
    for role in ("input", "output"):
        heights = [y for each, (_, y) in fixed if each == role]
        assert heights == sorted(heights)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_within_a_move_nothing_else_moves(technique):
    """What was there keeps its place until the move is made."""
    before = {}
    for rests, _, _, places, _ in play(example("bat"), technique):
        if not rests:
            assert all(places[key] == before[key] for key in places.keys() & before.keys())
        before = places


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_at_the_end_labels_stand_in_the_order_of_the_jacobian(technique):
    """One column, by output and then by input."""
    *_, (_, _, wires, places, (width, _)) = play(example("bat"), technique)
    labels = sorted(wires, key=lambda wire: places[f"label/{wire.key}"][1])
    assert [wire.key for wire in labels] == ["0.5", "1.5", "0.6", "1.6", "0.7", "1.7"]
    assert {places[f"label/{wire.key}"][0] for wire in wires} == {round(0.66 * width, 1)}


@pytest.mark.parametrize("name", ["lion", "bat"])
def test_places_are_the_same_each_time(name):
    """Nothing depends on chance."""
    graph = example(name)
    assert list(play(graph, "vertex")) == list(play(graph, "vertex"))


def test_the_stage_grows_with_the_longest_path_and_is_not_too_long():
    """A chain of ten labels needs more than the usual width."""
    ends = [End(str(k), "intermediate" if 0 < k < 10 else "input" if k == 0 else "output", 1) for k in range(11)]
    wires = [Wire(f"{k}.{k + 1}", str(k), str(k + 1), 92, 50) for k in range(10)]
    width, height = stage(ends, wires)
    assert width > 1000
    assert width / height == pytest.approx(3.4, rel=1e-3)
    places = first_places(ends, wires, width, height)
    assert not overlaps(places, wires)
    assert len({y for _, y in places.values()}) == 1  # straight
    assert stage(ends[:3], [*wires[:1], wires[1]._replace(head="2")]) == (780.0, 430.0)


def test_long_names_of_vertices_have_room():
    """Wide boxes stay on the stage and cover no label."""
    ends, wires = at_start(example("bat"))
    wide = [end._replace(w=110.0) for end in ends]
    width, height = stage(wide, wires)
    sides = boxes(first_places(wide, wires, width, height), wires, 110.0)
    assert min(left for left, *_ in sides.values()) >= 0
    assert max(right for _, _, right, _ in sides.values()) <= width
    assert not overlaps(first_places(wide, wires, width, height), wires, 110.0)


# ---- any graph ----


@st.composite
def random_graphs(draw):
    """Return ends and wires of a graph with up to 12 vertices: each label leads from a vertex to a later one."""
    count = draw(st.integers(2, 12))
    inputs = draw(st.integers(1, count - 1))
    outputs = draw(st.integers(1, count - inputs))
    roles = ["input"] * inputs + ["intermediate"] * (count - inputs - outputs) + ["output"] * outputs
    ends = [End(str(k), role, draw(st.integers(1, 9))) for k, role in enumerate(roles)]
    possible = [(i, j) for i in range(count - outputs) for j in range(max(i + 1, inputs), count)]
    chosen = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=24))
    wires = [Wire(f"{i}.{j}.{k}", str(i), str(j), 92, 50) for k, (i, j) in enumerate(chosen)]
    return ends, wires


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(random_graphs(), st.data())
def test_any_graph_has_places_on_the_stage(graph, data):
    """Whatever comes and goes, twins and dead ends too, everything has a place, and its center is on the stage."""
    ends, wires = graph
    size = stage(ends, wires)
    cut = data.draw(st.integers(1, len(wires)))
    places = first_places(ends, wires[:cut], *size)
    ends_there = [end for end in ends if f"vertex/{end.key}" in places]
    added = [wire for wire in wires[cut:] if {wire.tail, wire.head} <= {end.key for end in ends_there}]
    everything = places | (born(places, ends_there, wires[:cut], added, *size) if added else {})
    for found in (everything, relaxed(everything, ends, wires, *size), relaxed(places, ends, wires[:1], *size)):
        assert all(0 <= x <= size[0] and 0 <= y <= size[1] for x, y in found.values())
    assert relaxed(everything, ends, wires, *size).keys() >= kept(wires)
