"""The program of the backward pass beside its sweep."""

import json

import numpy as np

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import backward_program

from ..narration.folds.programs import WEIGHTS, classifier


def rows(values, weights, bias):
    hidden = np.tanh(values @ weights + bias)
    return np.sum(hidden * hidden)


ARGUMENTS = np.ones((4, 2)), np.array([[0.3, -0.4, 1.2], [0.7, 0.1, -0.2]]), np.zeros(3)


def program_of(player):
    document = player._for_a_page()
    schema.check(json.loads(json.dumps(document, allow_nan=False)))
    return next(each for each in document["panels"] if each["kind"] == "code")


def test_lines_are_those_that_are_compiled():
    lines = program_of(ad.show_backward(classifier, *WEIGHTS))["program"]
    source = ad.compile_gradient(classifier, *WEIGHTS, grain="array").source
    compiled = [" ".join(line.split()) for line in source.partition("# backward")[2].split("\n")]
    texts = [" ".join(line["text"].split()) for line in lines]
    assert texts[:-1] == compiled[1:-1]
    assert "h_adj = z_adj @ W2.T" in texts


def test_a_line_is_seen_when_its_node_has_its_derivative():
    player = ad.show_backward(rows, *ARGUMENTS)
    lines, graph = program_of(player)["program"], player.graph
    named = {line["text"].split(" = ")[0]: line["node"] for line in lines}
    for k, name in enumerate(["values", "weights", "bias"]):
        assert named[f"{name}_adj"] == graph.inputs[k]
    assert graph.blocks[named["hidden_sum_adj"]].name == "add"
    flow = next(each for each in player.scene["panels"] if each["kind"] == "flow")
    arriving = [node for move in flow["moves"] for node in move["nodes"]]
    assert {line["node"] for line in lines} <= {*arriving, backward_program.NOWHERE}


def test_lines_of_the_function_without_one_are_named_at_the_end():
    *_, last = program_of(ad.show_backward(classifier, *WEIGHTS))["program"]
    assert last["text"].startswith("# joined into other lines: ")
    assert last["node"] == backward_program.NOWHERE


def test_the_program_takes_the_place_of_the_numbers():
    player = ad.show_backward(rows, *ARGUMENTS)
    (code,) = (each for each in player.scene["panels"] if each["kind"] == "code")
    assert code["program"] == []
    assert "numbers" in code
    assert "numbers" not in program_of(player)
    assert player._answers()["program"]({}) == program_of(player)["program"]


def test_without_a_program_the_source_keeps_its_numbers():
    def decided(x):
        return np.sum(x * x) if np.sum(x) > 0 else np.sum(x)

    def looped(x):
        for _ in range(40):
            x = np.sin(x)
        return np.sum(x)

    for player in (ad.show_backward(decided, np.ones(3)), ad.show_backward(looped, np.ones(3))):
        code = program_of(player)
        assert not code.get("program")
    assert "numbers" in program_of(ad.show_backward(decided, np.ones(3)))


def test_only_gradients_over_arrays_have_one():
    def has_one(player):
        return any("program" in each for each in player.scene["panels"])

    assert has_one(ad.show_backward(rows, *ARGUMENTS))
    assert not has_one(ad.show_backward(lambda x, y: np.sin(x) * y, 1.0, 2.0))
    assert not has_one(ad.show_forward(rows, *ARGUMENTS))
    assert not has_one(ad.show_backward(rows, *ARGUMENTS, seeds={0: 2.0}))
    graph = ad.show_backward(ad.trace(rows, *ARGUMENTS))
    assert not program_of(graph).get("program")
