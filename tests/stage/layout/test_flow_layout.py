"""The places of sweeps: no overlaps, curves from box to box, straight chains, rows that fill a common stage."""

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.stage.layout import flow_columns, flow_layout
from adviz.stage.shows import sweep_scene

STAGE = (880.0, 560.0)
SMALLEST_TEXT = 17.0


def flow_of(function, *arguments, **options):
    """Return the panel of a reverse sweep."""
    document, _ = sweep_scene.backward_scene(ad.trace(function, *arguments), **options)
    return next(panel for panel in document["panels"] if panel["kind"] == "flow")


def seen_at(panel, stage=STAGE):
    """Return how large the smallest text is on a stage."""
    return SMALLEST_TEXT * min(stage[0] / panel["width"], stage[1] / panel["height"])


def boxes_of(panel):
    return [*panel["nodes"], *(edge["gate"] for edge in panel["edges"])]


def by_name(panel):
    return {node["name"].split(" = ")[0]: node for node in panel["nodes"]}


def random_graph(count, seed):
    """Return sizes, edges from earlier to later nodes, and sizes of gates."""
    rng = np.random.default_rng(seed)
    nodes = [(float(w), float(h)) for w, h in rng.integers(40, 200, (count, 2))]
    edges = sorted(
        (
            (int(rng.integers(max(0, head - 6), head)), head)
            for head in range(1, count)
            for _ in range(rng.integers(0, 3))
        ),
        key=lambda edge: edge[1],
    )
    return nodes, edges, [(float(w), float(h)) for w, h in rng.integers(30, 120, (len(edges), 2))]


def check(placed, nodes, edges, gates):
    """No boxes overlap, all is within the picture, and every curve leads from its tail to its gate to its head."""
    boxes = [(*at, *size) for at, size in zip([*placed.nodes, *placed.gates], [*nodes, *gates], strict=True)]
    for (x, y, w, h), (u, v, wide, high) in combinations(boxes, 2):
        assert abs(x - u) > (w + wide) / 2 - 0.3 or abs(y - v) > (h + high) / 2 - 0.3
    for x, y, w, h in boxes:
        assert x - w / 2 >= -0.1
        assert y - h / 2 >= -0.1
        assert x + w / 2 <= placed.size[0] + 0.1
        assert y + h / 2 <= placed.size[1] + 0.1
    for k, (tail, head) in enumerate(edges):
        before, after, gate = placed.before[k], placed.after[k], placed.gates[k]
        assert len(before) % 6 == 2 == len(after) % 6
        assert is_on_border(before[:2], placed.nodes[tail], nodes[tail])
        assert is_on_border(after[-2:], placed.nodes[head], nodes[head])
        assert np.hypot(before[-2] - gate[0], before[-1] - gate[1]) < 0.3
        assert np.hypot(after[0] - gate[0], after[1] - gate[1]) < 0.3


def is_on_border(point, center, size):
    aside, above = (abs(p - c) - length / 2 for p, c, length in zip(point, center, size, strict=True))
    return max(aside, above) < 0.3 and max(aside, above) > -0.3


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_boxes_never_overlap_and_curves_end_at_them(count, seed):
    nodes, edges, gates = random_graph(count, seed)
    placed = flow_layout.place(nodes, edges, gates)
    check(placed, nodes, edges, gates)
    assert placed == flow_layout.place(nodes, edges, gates)


def test_nothing_is_placed_where_there_is_nothing():
    assert flow_layout.place([], [], []).nodes == []


@pytest.mark.long
def test_edges_cover_no_box_that_they_do_not_belong_to():
    for seed in range(30):
        nodes, edges, gates = random_graph(14, seed)
        placed = flow_layout.place(nodes, edges, gates)
        boxes = [(*at, *size) for at, size in zip([*placed.nodes, *placed.gates], [*nodes, *gates], strict=True)]
        for k, ends in enumerate(edges):
            own = {*ends, len(nodes) + k}
            for x, y in [*sampled(placed.before[k]), *sampled(placed.after[k])]:
                for number, (u, v, w, h) in enumerate(boxes):
                    assert number in own or abs(x - u) > w / 2 - 1 or abs(y - v) > h / 2 - 1, (seed, k, number)


def sampled(points):
    """Return places along a chain of curves."""
    shares = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in np.linspace(0, 1, 12)]
    return [
        tuple(np.array(share) @ np.reshape(points[i : i + 8], (4, 2)))
        for i in range(0, len(points) - 2, 6)
        for share in shares
    ]


def test_a_chain_is_straight():
    size = (100.0, 80.0)
    placed = flow_layout.place([size] * 3, [(0, 1), (1, 2)], [(40.0, 34.0)] * 2)
    assert len({y for _, y in [*placed.nodes, *placed.gates]}) == 1
    assert {y for curve in [*placed.before, *placed.after] for y in curve[1::2]} == {placed.nodes[0][1]}


def test_a_long_chain_is_wrapped_and_read_from_left_to_right():
    size = (150.0, 84.0)
    placed = flow_layout.place([size] * 12, [(k, k + 1) for k in range(11)], [(60.0, 56.0)] * 11)
    width, height = placed.size
    assert 1.1 < width / height < 2.4
    rows = {}
    for x, y in placed.nodes:
        rows.setdefault(y, []).append(x)
    assert len(rows) > 1
    assert list(rows) == sorted(rows)
    assert all(row == sorted(row) for row in rows.values())


STRAIGHT = [
    (lambda x, y: np.sin(x) * y + x, (1.0, 2.0)),
    (lambda x: np.exp(np.sin(x**2)), (1.0,)),
    (lambda w, x, b: (w * x + b - 1) ** 2, (1.0, 2.0, 0.5)),
    (lambda x: x**2 + np.exp(-x), (1.0,)),
    (lambda x: 3 * x**3 - 2 * x + 1, (2.0,)),
]


@pytest.mark.parametrize("scene", [sweep_scene.backward_scene, sweep_scene.forward_scene])
@pytest.mark.parametrize(("function", "arguments"), STRAIGHT)
def test_no_edge_of_a_small_function_runs_back(scene, function, arguments):
    document, _ = scene(ad.trace(function, *arguments))
    panel = next(panel for panel in document["panels"] if panel["kind"] == "flow")
    for edge in panel["edges"]:
        curve = [*edge["before"], *edge["after"]][::2]
        assert curve == sorted(curve) or len({*curve}) == 1  # to the right, or straight down from a satellite
    assert seen_at(panel) > 11


def neuron(w1, w2, x1, x2, b):
    return np.tanh(w1 * x1 + w2 * x2 + b)


def test_nodes_are_tall_where_all_of_few_are_then_in_one_row():
    panel = flow_of(neuron, 1.0, 2.0, 0.5, -0.3, 0.25)
    for edge in panel["edges"]:
        curve = [*edge["before"], *edge["after"]][::2]
        assert curve == sorted(curve)
    for node in panel["nodes"]:
        (across, down), half = node["slot"], node["h"] / 2
        assert (across, node["tall"]) == (0.0, True)
        assert down + 15 < half  # the pill, below the value
    assert seen_at(panel) > 10


def test_other_numbers_keep_the_form_of_the_nodes():
    player = ad.show_backward(neuron, 1.0, 2.0, 0.5, -0.3, 0.25)
    before, after = [], []
    for nodes, number in ((before, 1.25), (after, 1.5)):
        player.inputs = {"w1": number}
        (panel,) = (panel for panel in player.scene["panels"] if panel["kind"] == "flow")
        nodes += panel["nodes"]
    assert [node["value"] for node in after] != [node["value"] for node in before]
    for name in ("x", "y", "w", "h", "slot", "tall"):
        assert [node[name] for node in after] == [node[name] for node in before]


def test_both_factors_of_a_square_have_an_edge_a_port_and_a_gate():
    panel = flow_of(lambda x: x * x, 3.0)
    one, other = panel["edges"]
    assert one["gate"]["y"] < panel["nodes"][0]["y"] < other["gate"]["y"]
    assert one["before"][1] == other["before"][1] - 40
    assert one["after"][-1] == other["after"][-1] - 40


def test_a_number_that_waits_at_its_node_covers_no_gate():
    panel = flow_of(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    (x,) = (node for node in panel["nodes"] if node["name"].startswith("x = "))
    edges = [edge for edge in panel["edges"] if edge["tail"] == x["node"]]
    assert len(edges) == 2
    for edge in edges:
        end = edge["before"][0] + 16 + edge["product"]["w"] + 1.15 * 19
        for each in panel["edges"]:
            gate = each["gate"]
            if abs(gate["y"] - edge["before"][1]) < (gate["h"] + 30) / 2:
                assert gate["x"] - gate["w"] / 2 >= end + 19.9


def network(W1, b1, W2, b2, X, t):
    h = np.tanh(X @ W1 + b1)
    return np.sum((h @ W2 + b2 - t) ** 2)


@pytest.fixture(scope="module")
def layers():
    rng = np.random.default_rng(0)
    return flow_of(network, *(rng.normal(size=s) for s in ((2, 3), (1, 3), (3, 1), (1, 1), (4, 2), (4, 1))))


def test_parameters_stand_above_or_below_what_uses_them(layers):
    nodes = by_name(layers)
    heads = {edge["tail"]: edge["head"] for edge in layers["edges"]}
    of = {node["node"]: node for node in layers["nodes"]}
    for name in ("W1", "b1", "W2", "b2", "t"):
        assert nodes[name]["x"] == of[heads[nodes[name]["node"]]]["x"]
    assert nodes["X"]["y"] == of[heads[nodes["X"]["node"]]]["y"]
    assert 1.3 < layers["width"] / layers["height"] < 1.9


def test_gates_of_arrays_have_a_map_of_their_factor(layers):
    maps = {edge["gate"]["symbol"]: edge["gate"].get("map") for edge in layers["edges"]}
    assert maps["Xᵀ ·"]["shape"] == [2, 4]
    assert maps["· W2ᵀ"]["shape"] == [1, 3]
    assert maps["⊙ (1 − h²)"]["shape"] == [4, 3]
    assert [maps[symbol] for symbol in ("1", "Σ rows", "broadcast")] == [None] * 3


def newton(a):
    x = 1.0 * a
    for _ in range(2):
        x = x - (x * x - a) / (2 * x)
    return x


def rosenbrock(a, b, c, d):
    return sum(100 * (q - p**2) ** 2 + (1 - p) ** 2 for p, q in ((a, b), (b, c), (c, d)))


def cross_entropy(W, b, x, t):
    z = x @ W + b
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return -np.mean(np.sum(t * np.log(e / np.sum(e, axis=1, keepdims=True)), axis=1))


def repeated(x):
    for _ in range(12):
        x = np.sin(x)
    return x


LEGIBLE = {
    "two paths": (lambda x, y: np.sin(x) + x * y, (1.0, 2.0)),
    "Newton's method, two rounds": (newton, (2.0,)),
    "Rosenbrock in four variables": (rosenbrock, (1.2, 0.7, 0.3, -0.5)),
    "softmax cross entropy": (
        cross_entropy,
        (np.arange(12.0).reshape(3, 4) / 7, np.ones(4), np.arange(15.0).reshape(5, 3) / 9, np.eye(5, 4)),
    ),
    "a chain of twelve": (repeated, (0.7,)),
}


@pytest.mark.parametrize("name", LEGIBLE)
def test_the_smallest_text_is_legible_on_a_common_stage(name, layers):
    function, arguments = LEGIBLE[name]
    assert seen_at(flow_of(function, *arguments)) >= 8.9
    assert seen_at(layers) >= 9.0


def test_the_largest_sweeps_are_placed_quickly():
    nodes, edges, gates = random_graph(40, 3)
    flow_layout.place(nodes, edges, gates)
    taken = []
    for _ in range(3):
        start = time.process_time()
        flow_layout.place(nodes, edges, gates)
        taken.append(time.process_time() - start)
    assert min(taken) < 1.0


def test_an_input_with_one_consumer_may_stand_beside_it_but_not_all_of_them():
    graph = flow_columns.Graph([(50.0, 50.0)] * 4, [(0, 2), (1, 2), (2, 3)], [(30.0, 30.0)] * 3, [(0.0, 0.0)] * 4)
    assert flow_columns.satellites(graph) == {1: 1}
