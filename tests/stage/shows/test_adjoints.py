"""The derivatives of one output with respect to all nodes, as the Explorer shows them."""

import json
from base64 import b64decode

import numpy as np
import pytest

import adviz as ad
from adviz.stage.shows import adjoints as module
from adviz.stage.shows.adjoints import NoAdjointsError, adjoints, derivatives_panel


def numbers(graph, choice=0):
    return np.frombuffer(b64decode(adjoints(graph, choice)["numbers"]), "<f8")


def whole(heat_map):
    """The array of a heat map that shows all of it."""
    return np.reshape([float(entry) for entry in heat_map["data"]], heat_map["shape"])


def f(x, y):
    return np.sin(x) + x * y


def network(X, W, b, t):
    h = np.tanh(X @ W + b)
    return np.sum((h - t) ** 2)


def network_arguments():
    draw = np.random.default_rng(7).normal
    return draw(size=(4, 2)), draw(size=(2, 3)), draw(size=3), draw(size=(4, 3))


def test_every_node_has_the_derivative_of_the_output_with_respect_to_it():
    graph = ad.trace(f, 1.0, 2.0)
    assert numbers(graph) == pytest.approx([2 + np.cos(1.0), 1, 1, 1, 1, 1])


def test_inputs_have_the_gradient():
    arguments = network_arguments()
    graph = ad.trace(network, *arguments)
    maps, gradient = adjoints(graph, 0)["maps"], ad.grad(network, argnums=(0, 1, 2, 3))(*arguments)
    for node, expected in zip(graph.inputs, gradient, strict=True):
        assert whole(maps[f"n{node}"]) == pytest.approx(expected, rel=1e-3)
        assert maps[f"n{node}"]["shape"] == list(expected.shape)


def test_intermediate_nodes_have_what_nudging_them_would_do():
    arguments = network_arguments()
    graph = ad.trace(network, *arguments)
    h = next(node.index for node in graph if node.name == "h")
    expected = 2 * (graph.values[h] - arguments[3])
    assert whole(adjoints(graph, 0)["maps"][f"n{h}"]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_the_two_grains_agree(grain):
    x = np.linspace(0.2, 1.4, 6)
    graph = ad.trace(lambda x: np.sum(np.sin(x) * x[0]), x, grain=grain)
    expected = ad.grad(lambda x: np.sum(np.sin(x) * x[0]))(x)
    if grain == "array":
        assert whole(adjoints(graph, 0)["maps"]["n0"]) == pytest.approx(expected, rel=1e-3)
    else:
        assert numbers(graph)[graph.inputs] == pytest.approx(expected)


def test_a_single_number_is_chosen_by_itself_and_of_several_none():
    assert derivatives_panel(ad.trace(f, 1.0, 2.0))["chosen"] == 0
    panel = derivatives_panel(ad.trace(lambda x, y: (x * y, np.stack([x, y])), 3.0, 2.0))
    assert panel["chosen"] is None
    assert [(output["place"], output["label"]) for output in panel["outputs"]] == [
        (None, "result[0]"),
        (0, "result[1][0]"),
        (1, "result[1][1]"),
    ]


def test_an_entry_of_an_output_can_be_chosen():
    x = np.array([0.3, 0.5, 0.7])
    graph = ad.trace(lambda x: np.sin(x) * x[0], x)
    jacobian = ad.jacobian(lambda x: np.sin(x) * x[0])(x)
    assert [whole(adjoints(graph, k)["maps"]["n0"]) for k in range(3)] == [
        pytest.approx(row, rel=1e-3) for row in jacobian
    ]


def test_an_output_is_called_by_its_name_unless_something_else_has_it():
    def named(x):
        loss = x * x
        return loss  # noqa: RET504

    def renamed(x):
        x = x * x
        return x  # noqa: RET504

    labels = [derivatives_panel(ad.trace(each, 2.0))["outputs"][0]["label"] for each in (named, renamed, f_of_one)]
    assert labels == ["loss", "renamed", "f_of_one"]


def f_of_one(x):
    return np.sin(x) + 1.0


def test_where_nothing_can_be_differentiated_the_panel_says_why(monkeypatch):
    with pytest.warns(UserWarning, match="does not depend on any input"):
        constant = ad.trace(lambda x: 3.0, 1.0)
    assert derivatives_panel(constant)["why"] == "No output depends on an input, so all derivatives are 0."
    monkeypatch.setattr(module, "MOST_NODES", 3)
    graph = ad.trace(f, 1.0, 2.0)
    panel = derivatives_panel(graph)
    assert (panel["outputs"], panel["why"]) == (
        [],
        "Adjoints are shown for graphs of up to 3 nodes; this one has 6.",
    )
    with pytest.raises(NoAdjointsError, match="up to 3 nodes"):
        adjoints(graph, 0)


def test_an_output_that_there_is_not_is_refused():
    with pytest.raises(IndexError, match="output 1 of 1"):
        adjoints(ad.trace(f, 1.0, 2.0), 1)


def test_adjoints_are_computed_once(monkeypatch):
    graph, calls = ad.trace(f, 1.0, 2.0), []
    real = module.sweeps
    monkeypatch.setattr(module, "sweeps", lambda graph: calls.append(graph) or real(graph))
    assert adjoints(graph, 0) is adjoints(graph, 0)
    assert len(calls) == 1


def test_what_the_output_does_not_depend_on_has_the_adjoint_zero():
    def wasteful(x, y):
        np.cos(y)
        return np.sin(x)

    graph = ad.trace(wasteful, 0.5, np.ones(3))
    assert numbers(graph)[0] == pytest.approx(np.cos(0.5))
    assert whole(adjoints(graph, 0)["maps"]["n1"]).tolist() == [0, 0, 0]


def test_values_that_are_not_finite_are_told_and_are_json():
    def bad(x, y):
        a = np.log(x)
        return np.sum(a * y)

    with pytest.warns(ad.NonFiniteWarning):
        graph = ad.trace(bad, -1.0, np.ones(3))
    found = adjoints(graph, 0)
    assert found["note"] == "bad is NaN, so it has no derivatives here: a (log) is not finite."
    assert found["maps"]["n1"]["data"] == ["NaN", "NaN", "NaN"]
    json.dumps(found, allow_nan=False)


def test_arrays_past_the_limit_are_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_MAPS", 2)
    found = adjoints(ad.trace(network, *network_arguments()), 0)
    assert len(found["maps"]) == 2
    assert found["note"] == "The adjoints of 7 arrays are not shown."


def test_a_matrix_of_inputs_has_one_heat_map_in_its_own_shape():
    A = np.random.default_rng(3).normal(size=(10, 7))
    graph = ad.trace(lambda A: np.sum(np.tanh(A)), A, grain="scalar")
    (found,) = [each for key, each in adjoints(graph, 0)["maps"].items() if key.startswith("s")]
    assert whole(found) == pytest.approx(1 - np.tanh(A) ** 2, rel=1e-3)
