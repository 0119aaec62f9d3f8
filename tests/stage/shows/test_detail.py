"""What the inspector shows of a node."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.stage.shows.detail import _sample, _value, detail
from tests.agreement.array_programs import array_programs


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


LARGE = np.random.default_rng(3).normal(size=(2000, 1000)) + 2.0


@pytest.mark.parametrize("turned", [False, True])
def test_figures_of_a_very_large_array_are_estimated_from_a_sample_and_say_so(turned):
    value = LARGE.T if turned else LARGE
    known = _value(value)
    assert known["note"] == "Mean, norm and histogram are estimated from a sample of 999,983 entries."
    assert (known["sample"], sum(known["histogram"]["counts"])) == (999_983, 999_983)
    assert (known["min"], known["max"], known["nan"], known["inf"]) == (value.min(), value.max(), 0, 0)
    assert known["mean"] == pytest.approx(value.mean(), rel=0.005)
    assert known["norm"] == pytest.approx(np.linalg.norm(value), rel=0.005)
    counts = np.histogram(value, 20)[0]
    assert np.abs(np.array(known["histogram"]["counts"]) * (value.size / 999_983) - counts).max() < 0.01 * value.size
    json.dumps(known, allow_nan=False)


def test_figures_of_arrays_that_are_not_that_large_are_of_all_entries():
    assert not {"sample", "note"} & _value(np.arange(10.0**6)).keys()
    assert _value(np.arange(10.0**6 + 1))["sample"] == 999_983


@pytest.mark.parametrize("shape", [(1000, 2000), (10**6 + 1,), (3, 700_001), (1, 10**6 + 7), (2_000_000, 2)])
def test_all_columns_have_their_turn_in_a_sample(shape):
    columns = np.broadcast_to(np.arange(shape[-1]), shape)
    sampled = _sample(columns)
    assert len(sampled) == 999_983
    assert (sampled[0], sampled[-1]) == (0, shape[-1] - 1)
    if shape[-1] <= 2000:
        assert np.bincount(sampled).min() > 0.8 * len(sampled) / shape[-1]


@pytest.mark.parametrize(
    ("value", "text"), [(np.nan, "NaN"), (-np.inf, "-inf"), (np.array([0.5, np.nan]), "[0.5 NaN]")]
)
def test_what_is_no_number_is_called_as_in_shows(value, text):
    assert _value(value)["text"] == text


def test_what_is_not_finite_in_a_very_large_array_is_counted_exactly():
    value = np.zeros(1_500_000)
    value[[1, 7, 1_499_999]] = np.nan, np.inf, -3.0
    known = _value(value)
    assert (known["nan"], known["inf"], known["min"], known["max"]) == (1, 1, -3.0, 0.0)
    json.dumps(known, allow_nan=False)
    known = _value(np.full(1_500_000, np.nan, np.float32))
    assert (known["nan"], known["mean"], known["histogram"]) == (1_500_000, None, None)
    known = _value(np.ones(1_500_000, bool))
    assert (known["mean"], known["min"], known["max"]) == (1.0, 1.0, 1.0)


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


@settings(max_examples=40, deadline=None)
@given(array_programs())
def test_every_operand_that_is_differentiated_has_its_local_jacobian(program):
    with np.errstate(all="ignore"):
        graph = ad.trace(program, *program.inputs(3))
    for node in range(len(graph)):
        operands = detail(graph, node)["operands"]
        expected = [operand for operand, _ in graph.local_jacobians(node)]
        assert [each["node"] for each in operands if each.get("jacobian")] == expected


class Broken(ad.SimpleBlock):
    """A Block whose gradient fails, as that of a Block fails that a file has by name only."""

    def data_fn(self, x):
        return x.data**3

    def gradient_fn(self, x):
        raise ZeroDivisionError("no gradient")


def test_a_block_that_fails_is_described_without_its_local_jacobian(tmp_path):
    traced = ad.trace(lambda x: Broken()(x) * 2.0, np.ones(3))
    loaded = ad.load(traced.save(tmp_path / "g.adviz", values=True))
    for graph in (traced, loaded):
        found = detail(graph, 1)
        assert found["operands"] == [{"node": 0, "label": "v0 (x)", "jacobian": None}]
        assert detail(graph, 2)["operands"][0]["jacobian"]["text"] is not None
        with pytest.warns(UserWarning, match="The page does not show derivatives: (no gradient|The graph was loaded)"):
            assert ad.explore(graph).save(tmp_path / "page.html").stat().st_size > 10_000


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
