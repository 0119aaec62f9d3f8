"""The program of the backward pass under the source of its sweep."""

import json
import re

import numpy as np

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import backward_program

from ..narration.folds.programs import WEIGHTS, T, X, classifier


def rows(values, weights, bias):
    hidden = np.tanh(values @ weights + bias)
    return np.sum(hidden * hidden)


ARGUMENTS = np.ones((4, 2)), np.array([[0.3, -0.4, 1.2], [0.7, 0.1, -0.2]]), np.zeros(3)


def recurrent(weights, bias):
    state = np.zeros(3)
    for _ in range(6):
        state = np.tanh(weights @ state + bias)
    return np.sum(state**2)


def program_of(player):
    document = player._for_a_page()
    schema.check(json.loads(json.dumps(document, allow_nan=False)))
    return next(each for each in document["panels"] if each["kind"] == "code")


def lines_of(f, *arguments):
    return program_of(ad.show_backward(f, *arguments))["program"]


def code(text):
    return " ".join(text.partition("  #")[0].split())


def compiled(f, *arguments):
    source = ad.compile_gradient(f, *arguments, grain="array").source
    return [code(line) for line in source.partition("# backward")[2].split("\n")[1:-1]]


def test_lines_are_those_that_are_compiled():
    arguments = np.full((3, 3), 0.3), np.ones(3)
    assert [*dict.fromkeys(code(line["text"]) for line in lines_of(recurrent, *arguments))] == compiled(
        recurrent, *arguments
    )
    texts = [code(line["text"]) for line in lines_of(classifier, *WEIGHTS)]
    assert {"h_adj = z_adj @ W2.T", "W2_adj = h.T @ z_adj"} <= {*texts} & {*compiled(classifier, *WEIGHTS)}


def test_statements_that_the_compiled_program_joins_have_their_lines_and_the_joined_one_is_a_comment_at_the_end():
    *lines, last = lines_of(classifier, *WEIGHTS)
    told = [code(line["text"]) for line in lines]
    assert {"p_adj", "e_adj"} <= {text.split(" = ")[0] for text in told}
    assert last["text"] == "# compile_gradient joins: e_difference_adj = -T / 4 + p / 4"
    assert last["at"][1] == last["node"] == backward_program.AT_THE_END
    assert [text for text in compiled(classifier, *WEIGHTS) if text not in told and "data" not in text] == []


def test_run_one_after_the_other_the_lines_give_the_gradient():
    loss = ad.compile_gradient(classifier, *WEIGHTS, grain="array").source
    forward = (
        loss.partition("# forward\n")[2].partition("    # backward")[0].replace("data_2", "T").replace("data", "X")
    )
    texts = [line["text"] for line in lines_of(classifier, *WEIGHTS)]
    values = [note for text in texts if " = " in (note := text.partition("  # ")[2])]
    known = {"np": np, "X": X, "T": T, **dict(zip(["W1", "b1", "W2", "b2"], WEIGHTS, strict=True))}
    exec("\n".join([*(line.strip() for line in forward.splitlines()), *values, *texts]), known)
    for name, expected in zip(["W1", "b1", "W2", "b2"], ad.grad(classifier, (0, 1, 2, 3))(*WEIGHTS), strict=True):
        np.testing.assert_allclose(known[f"{name}_adj"], expected, atol=1e-12)


def test_a_line_stands_under_the_statement_whose_derivative_it_passes_on():
    player = ad.show_backward(rows, *ARGUMENTS)
    first = player.scene["source"]["files"][0]["line"]
    lines, graph = program_of(player)["program"], player.graph
    named = {line["text"].split(" = ")[0]: line for line in lines}
    for k, name in enumerate(["values", "weights", "bias"]):
        assert named[f"{name}_adj"]["node"] == graph.inputs[k]
        assert named[f"{name}_adj"]["at"] == [0, first + 1, 0]
    assert graph.blocks[named["hidden_sum_adj"]["node"]].name == "add"
    flow = next(each for each in player.scene["panels"] if each["kind"] == "flow")
    arriving = [node for move in flow["moves"] for node in move["nodes"]]
    assert {line["node"] for line in lines} <= {*arriving, backward_program.AT_THE_END}


def test_the_head_of_a_loop_counts():
    lines = lines_of(recurrent, np.full((3, 3), 0.3), np.ones(3))
    heads = [line for line in lines if line["text"].startswith("for k in reversed(range(6)):")]
    assert [line["text"].partition("# ")[2] for line in heads] == [f"k = {k}" for k in (5, 4, 3, 2, 1, 0)]
    assert len({line["at"][2] for line in heads}) == 6
    inside = [line for line in lines if line["text"].startswith("    ")]
    assert inside
    assert {tuple(line["at"][:2]) for line in inside} == {tuple(heads[0]["at"][:2])}


def test_a_long_loop_has_one_head():
    def long(x):
        for _ in range(backward_program.MOST_COUNTED + 1):
            x = np.sin(x)
        return np.sum(x)

    assert sum(line["text"].startswith("for k in reversed(") for line in lines_of(long, np.ones(2))) == 1


def test_a_loop_within_a_loop_stands_with_its_lines():
    def nested(x):
        total = 0.0
        for _ in range(4):
            for _ in range(3):
                x = np.tanh(x) + 0.1
            total = total + np.sum(x)
        return total

    lines = lines_of(nested, np.ones(3))
    inner = next(line for line in lines if line["text"].startswith("    for k_2 in reversed(range(3)):"))
    assert inner["at"][:2] == next(line for line in lines if line["text"].endswith("# k = 0"))["at"][:2]


def test_of_a_loop_that_is_written_out_each_run_of_a_statement_has_its_lines():
    def read(weights):
        state = np.zeros(3)
        for row in X:
            state = np.tanh(row @ weights + state)
        return np.sum(state)

    lines = [line for line in lines_of(read, WEIGHTS[0]) if line["at"][2]]
    assert len({line["at"][2] for line in lines}) == len(X)
    assert len({tuple(line["at"][:2]) for line in lines}) == 1
    assert any("row_2" in line["text"] for line in lines)


def test_what_an_input_of_a_loop_receives_stands_by_the_statement_that_uses_it_or_below_the_head_of_the_loop():
    def layers(weights, shift, x):
        for w in weights:
            x = np.tanh(w @ x + shift)
        return np.sum(x)

    player = ad.show_backward(layers, [np.eye(2), np.full((2, 2), 0.4)], np.ones(2), np.ones(2))
    first = player.scene["source"]["files"][0]["line"]
    at = {line["text"].split(" = ")[0]: line["at"] for line in program_of(player)["program"]}
    assert at["weights_0_adj"][1] == at["weights_1_adj"][1] == first + 2
    assert at["weights_0_adj"][2] < at["weights_1_adj"][2]
    assert at["shift_adj"] == [0, first + 1, 0]


def test_what_an_input_receives_that_a_loop_uses_after_another_statement_stands_by_that_statement():
    def layers(weight, xs):
        h = weight @ xs[0]
        for x in xs:
            h = np.tanh(weight @ h + x)
        return np.sum(h)

    player = ad.show_backward(layers, np.eye(2), np.ones((3, 2)))
    first = player.scene["source"]["files"][0]["line"]
    lines = [line for line in program_of(player)["program"] if line["text"].startswith("weight_adj")]
    assert [0, first + 1] in [line["at"][:2] for line in lines]


def test_lines_of_a_comprehension_stand_below_its_statement():
    def windows(signal, kernel):
        feature = np.array([signal[i : i + 2] @ kernel for i in range(3)])
        return np.sum(feature**2)

    player = ad.show_backward(windows, np.arange(4.0), np.array([0.3, -0.2]))
    first = player.scene["source"]["files"][0]["line"]
    lines = [line for line in program_of(player)["program"] if re.match(r"(signal|kernel)_adj\b", line["text"])]
    assert {tuple(line["at"]) for line in lines} == {(0, first + 1, 0)}


def test_constants_have_the_users_names_or_their_shapes():
    table = np.arange(12.0).reshape(4, 3) ** 2

    def weighted(x):
        return np.sum(table.T @ (x * np.sin(table)))

    texts = " ".join(line["text"] for line in lines_of(weighted, np.ones((4, 3))))
    assert re.fullmatch(r"x_adj = .*\bc1\b.*  # \(4×3\) constant", texts)
    assert "array(" not in texts


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

    code = program_of(ad.show_backward(decided, np.ones(3)))
    assert not code.get("program")
    assert "numbers" in code


def test_only_gradients_over_arrays_have_one():
    def has_one(player):
        return any("program" in each for each in player.scene["panels"])

    assert has_one(ad.show_backward(rows, *ARGUMENTS))
    assert not has_one(ad.show_backward(lambda x, y: np.sin(x) * y, 1.0, 2.0))
    assert not has_one(ad.show_forward(rows, *ARGUMENTS))
    assert not has_one(ad.show_backward(rows, *ARGUMENTS, seeds={0: 2.0}))
    graph = ad.show_backward(ad.trace(rows, *ARGUMENTS))
    assert not program_of(graph).get("program")
