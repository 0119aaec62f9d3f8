"""Places of a graph while it is factored: copies come out of what they are copies of."""

from itertools import combinations, pairwise

import pytest

import adviz as ad
from adviz.stage.layout.elimination_places import End, Wire
from adviz.stage.layout.factored_places import Still, placed, places, size
from adviz.stage.narration.algebra_narration import Namer
from adviz.stage.narration.factored_moments import factored
from adviz.stage.shows.algebra_scene import algebra_scene

ENDS = [End("0", "input", 1), End("1", "intermediate", 1), End("2", "output", 1), End("3", "output", 1)]
BEFORE = [Wire(key, *key.split("."), 92, 50) for key in ("0.1", "1.2", "1.3")]
AFTER = [Wire(key, *key.split("."), 92, 50) for key in ("0.1", "0.4", "1.2", "4.3")]
STILLS = [
    Still(ENDS, BEFORE),
    Still(
        [*ENDS, End("4", "intermediate", 1)],
        AFTER,
        {"label/0.4": "label/0.1", "vertex/4": "vertex/1", "label/4.3": "label/1.3"},
    ),
]


def test_a_copy_is_where_its_source_is_until_the_step_is_over():
    w, h = size(STILLS)
    found = places(STILLS, w, h)
    at = {(cursor, key): (x, y) for cursor, key, x, y in found}
    assert at[0, "vertex/4"] == at[0, "vertex/1"]
    assert at[0, "label/0.4"] == at[0, "label/0.1"]
    apart = at[1, "vertex/4"], at.get((1, "vertex/1"), at[0, "vertex/1"])
    assert abs(apart[0][1] - apart[1][1]) > 44


def test_inputs_and_outputs_stay_and_all_have_a_place():
    w, h = size(STILLS)
    found = places(STILLS, w, h)
    assert [key for cursor, key, *_ in found if cursor and key in ("vertex/0", "vertex/2", "vertex/3")] == []
    assert {f"label/{wire.key}" for wire in AFTER} <= {key for _, key, *_ in found}
    assert all(0 <= x <= w and 0 <= y <= h for _, _, x, y in found)


@pytest.mark.long
def test_a_stage_is_higher_where_many_copies_stand_above_each_other():
    keys = [str(k) for k in range(2, 18)]
    ends = [End("0", "input", 1), End("1", "output", 1), *(End(key, "intermediate", 1) for key in keys)]
    wires = [Wire(f"{one}.{other}", one, other, 84, 38) for key in keys for one, other in (("0", key), (key, "1"))]
    w, h, found = placed([Still(ends, wires)])
    heights = sorted(y for _, key, _, y in found if key in {f"vertex/{each}" for each in keys})
    assert h > size(STILLS)[1]
    assert min(below - above for above, below in pairwise(heights)) >= 44
    assert w >= 780


def crossed(one, other):
    """Whether two lines between points cross."""
    (a, b), (c, d) = one, other
    turns = [
        [(q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) for r in ends]
        for p, q, ends in ((a, b, (c, d)), (c, d, (a, b)))
    ]
    return all(left * right < 0 for left, right in turns)


@pytest.mark.long
@pytest.mark.parametrize("way", ["backward", "forward"])
def test_no_lines_cross_once_two_crossed_diamonds_are_factored(way):
    graph = ad.examples["two crossed diamonds"].graph()
    *_, moment = moments = list(factored(graph, way, True))
    namer = Namer(moments)
    (panel,) = [each for each in algebra_scene(graph, way)[0]["panels"] if "places" in each]
    at = {key: (x, y) for _, key, x, y in panel["places"]}
    lines = [
        (at[f"vertex/{namer.numbers[end]}"], at[f"label/{namer.thing(edge)}"])
        for edge in moment.graph.edges
        for end in edge
    ]
    assert [pair for pair in combinations(lines, 2) if crossed(*pair)] == []
