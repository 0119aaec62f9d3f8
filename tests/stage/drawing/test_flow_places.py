"""Where equations and sums stand: at their own gates, clear of what an engine notes."""

from math import hypot

import numpy as np
import pytest

import adviz as ad
from adviz.stage.drawing.flow_places import HIGH, NOTE, NOTED, TALL, labelled, places


def f(x, y):
    return np.sin(x) + x * y


def newton(x, a):
    for _ in range(3):
        x = 0.5 * (x + a / x)
    return x


def network(x, W, b, V, c):
    return np.sum((V @ np.tanh(W @ x + b) + c) ** 2)


SHOWS = {
    "f": lambda: ad.show_backward(f, 1.0, 2.0),
    "forward": lambda: ad.show_forward(f, 1.0, 2.0),
    "newton": lambda: ad.show_backward(newton, 1.0, 2.0),
    "network": lambda: ad.show_backward(
        network, np.ones(2), np.eye(3, 2), np.zeros(3), np.eye(2, 3) - 0.5, np.array([0.5, -1.0])
    ),
}


@pytest.fixture(scope="module", params=SHOWS)
def panel(request):
    return next(panel for panel in SHOWS[request.param]().scene["panels"] if panel["kind"] == "flow")


def distance(one, other):
    """Return how far apart two rectangles are, each a center with a width and a height."""
    return hypot(*(max(0.0, abs(one[k] - other[k]) - (one[k + 2] + other[k + 2]) / 2) for k in (0, 1)))


def box(thing):
    return thing["x"], thing["y"], thing["w"], thing["h"]


BETWEEN = 3.0
"""By so many px an equation between two gates may be nearer to the other one."""


def test_an_equation_is_nearer_to_its_own_gate_than_to_any_other(panel):
    found = places(panel).equations
    assert sorted(found) == sorted(edge["key"] for edge in panel["edges"] if edge["equation"][0])
    for edge in panel["edges"]:
        if edge["key"] in found:
            label = (*found[edge["key"]], labelled(edge["equation"][1]), HIGH)
            own = distance(label, box(edge["gate"]))
            others = [distance(label, box(other["gate"])) for other in panel["edges"] if other is not edge]
            assert own < min(others) + BETWEEN, edge["equation"][0]


def test_sums_lie_neither_on_nodes_nor_on_what_is_noted_below_them(panel):
    found = places(panel).totals
    for node in panel["nodes"]:
        if node["key"] in found:
            label = (*found[node["key"]], 1.0, HIGH)
            notes = [(other["x"], other["y"] + other["h"] / 2 + NOTE, NOTED, TALL) for other in panel["nodes"]]
            assert all(distance(label, each) > 0 for each in [*map(box, panel["nodes"]), *notes]), node["total"][0]
