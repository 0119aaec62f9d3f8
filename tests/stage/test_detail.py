"""What the inspector shows of a node."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.stage.detail import detail


def test_a_number_is_written_out_with_its_local_jacobians():
    graph = ad.trace(lambda x: 2.0 * x, 3.0)
    known = detail(graph, 1)
    assert known["formula"] == "v1 = 2 × v0"
    assert known["value"]["text"] == "6.0"
    literal, operand = known["operands"]
    assert literal == {"literal": "2"}
    assert (operand["node"], operand["jacobian"]["text"], operand["jacobian"]["structure"]) == (0, "2", "scalar")


def test_a_large_array_is_described_in_figures():
    value = np.linspace(0.0, 1.0, 1000)
    known = detail(ad.trace(lambda x: x + 1.0, value), 1)["value"]
    assert known["text"] is None
    assert (known["min"], known["max"], known["shape"], known["bytes"]) == (1.0, 2.0, [1000], 8000)
    assert known["mean"] == pytest.approx(1.5)
    assert known["norm"] == pytest.approx(np.linalg.norm(value + 1.0))
    assert sum(known["histogram"]["counts"]) == 1000


@pytest.mark.parametrize(
    ("function", "structures"),
    [
        (lambda x: np.sin(x), ["diagonal"]),
        (lambda x: x + 1.0, ["identity"]),
        (lambda x: np.sum(x), ["reduction"]),
        (lambda x: x[1:], ["selection"]),
        (lambda x: x * x, ["diagonal", "diagonal"]),
        (lambda x: np.ones((2, 4)) @ x, ["kronecker"]),
    ],
)
def test_local_jacobians_say_their_structure(function, structures):
    known = detail(ad.trace(function, np.linspace(0, 1, 4)), 1)
    assert [row["jacobian"]["structure"] for row in known["operands"] if "jacobian" in row] == structures


def test_users_are_listed_once_with_how_often():
    known = detail(ad.trace(lambda x: x * x + x, 3.0), 0)
    assert [(user["node"], user["times"]) for user in known["users"]] == [(1, 2), (2, 1)]
    assert known["times_used"] == 3


def test_every_node_of_a_graph_with_nan_and_huge_numbers_is_described_in_json():
    def wild(x):
        with np.errstate(all="ignore"):
            return np.log(x) * 1e300 + np.exp(x * 1000.0)

    with pytest.warns(ad.NonFiniteWarning):
        graph = ad.trace(wild, np.array([-1.0, 0.0, 1.0, 1e308] * 10))
    for node in graph:
        json.dumps(detail(graph, node.index), allow_nan=False)


def test_a_node_that_does_not_exist_is_refused():
    with pytest.raises(IndexError, match="node 9"):
        detail(ad.trace(np.sin, 1.0), 9)
