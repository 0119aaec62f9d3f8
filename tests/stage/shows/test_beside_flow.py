"""What stands beside a sweep: source with numbers, the result, a nudge."""

import json

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import beside_flow, sweep_scene
from adviz.stage.shows.options import ShowError

from ..goldens import as_graphs
from ..panels import HOSTILE


def f(x, y):
    return np.sin(x) + x * y


def looping(x):
    s = x
    for _ in range(3):
        s = np.sin(s) * x
    return s


def loss(w, b, x):
    h = np.tanh(x @ w + b)
    return np.sum(h * h)


def panel(shown, kind):
    document = shown.scene if isinstance(shown, ad.Player) else shown[0]
    return next((each for each in document["panels"] if each["kind"] == kind), None)


def kinds(player):
    return [each["kind"] for each in player.scene["panels"]]


# ---- which panels ----


def test_picture_source_result_nudge_and_formula_come_first():
    assert kinds(ad.show_backward(f, 1.0, 2.0))[:5] == ["flow", "code", "result", "nudge", "formula"]
    assert kinds(ad.show_forward(f, 1.0, 2.0))[:5] == ["flow", "code", "result", "nudge", "formula"]


def test_without_the_picture_there_is_no_result():
    assert kinds(ad.show_backward(f, 1.0, 2.0, panels=["code", "result", "formula"])) == ["code", "formula"]
    with pytest.raises(ShowError, match="of the panels result, nudge this show has none"):
        ad.show_backward(f, 1.0, 2.0, panels=["result", "nudge"])


def test_a_show_of_large_graphs_or_of_several_engines_has_neither():
    def long(x):
        for _ in range(60):
            x = np.sin(x)
        return x

    with as_graphs():
        large = ad.show_backward(long, 1.0)
    for player in (large, ad.show_tape_vs_graph(f, 1.0, 2.0)):
        assert not {"result", "nudge"} & set(kinds(player))
        assert "numbers" not in (panel(player, "code") or {})
    evaluation = ad.play(f, 1.0, 2.0)
    assert not {"result", "nudge"} & set(kinds(evaluation))
    assert panel(evaluation, "code")["numbers"]["word"] == "value"


def test_the_scene_says_what_its_types_say():
    for player in (ad.show_backward(f, 1.0, 2.0), ad.show_backward(loss, np.ones((2, 3)), np.ones(3), np.ones((4, 2)))):
        schema.check(json.loads(json.dumps(player.scene, allow_nan=False)))


# ---- source with numbers ----


def test_brackets_say_where_and_what():
    numbers = panel(ad.show_backward(f, 1.0, 2.0), "code")["numbers"]
    assert (numbers["word"], numbers["width"]) == ("adjoint", 28.0)
    (root,) = [each for each in numbers["brackets"] if each["start"] == 11 and each["end"] == 28]
    assert root["at"] == [11.0, 28.0]
    assert root["evaluations"] == [[-1, 4, ""]]
    uses = [each["evaluations"][0][2] for each in numbers["brackets"] if each["evaluations"][0][2]]
    assert sorted(uses) == ["2/0", "3/0", "3/1"]
    assert panel(ad.show_forward(f, 1.0, 2.0), "code")["numbers"]["word"] == "tangent"


def test_the_round_of_a_loop_in_which_the_sweep_acts_is_shown():
    """Before the sweep the last; then each from the step in which the sweep first acts in it."""
    player = ad.show_backward(looping, 0.7)
    flow, numbers = panel(player, "flow"), panel(player, "code")["numbers"]
    graph = player.graph
    sines = [node for node in range(len(graph)) if graph.blocks[node].name == "sin"]
    (bracket,) = [each for each in numbers["brackets"] if each["evaluations"][0][1:] == [sines[-1], ""]]
    assert [node for _, node, _ in bracket["evaluations"]] == sines[::-1]
    for (before, _, _), (step, node, _) in zip(bracket["evaluations"], bracket["evaluations"][1:], strict=False):
        acting = [int(move["edge"].split("/")[0]) for move in flow["moves"] if move["edge"] and move["step"] == step]
        assert before < step
        assert any(abs(head - node) <= 1 for head in acting)
    forward = panel(ad.show_forward(looping, 0.7), "code")["numbers"]
    (bracket,) = [each for each in forward["brackets"] if each["evaluations"][0][1:] == [sines[-1], ""]]
    assert [node for _, node, _ in bracket["evaluations"]] == [sines[-1], *sines]


def test_under_the_head_of_a_loop_stands_which_iteration_is_shown():
    player = ad.show_backward(looping, 0.7)
    numbers, moves = panel(player, "code")["numbers"], panel(player, "flow")["moves"]
    (head,) = [each for each in numbers["brackets"] if "iteration" in each["evaluations"][0][2]]
    assert (head["line"] - looping.__code__.co_firstlineno, head["start"], head["end"]) == (2, 4, 21)
    assert [text for _, _, text in head["evaluations"]] == [f"iteration {k} of 3" for k in (3, 2, 1)]
    heads = {int(move["edge"].split("/")[0]): move["step"] for move in moves if move["edge"]}
    sines = [node for node in range(len(player.graph)) if player.graph.blocks[node].name == "sin"]
    for (step, *_), sine in zip(head["evaluations"][1:], sines[1::-1], strict=True):
        assert heads[sine + 2] < step <= heads[sine]
    assert not any("iteration" in each["evaluations"][0][2] for each in brackets_of(f, 1.0, 2.0))


def brackets_of(function, *args):
    return panel(ad.show_backward(function, *args), "code")["numbers"]["brackets"]


def test_tabs_and_wide_characters_take_the_room_that_they_take():
    assert beside_flow._advance("ab") == 2.0
    assert beside_flow._advance("a\tb") == 9.0
    assert beside_flow._advance("漢字") == 4.0
    assert beside_flow._advance("e\u0301") == 1.0


@pytest.mark.parametrize("text", HOSTILE)
def test_source_and_names_are_data(text):
    graph = ad.trace(f, 1.0, 2.0)
    graph.names[0] = text
    document = sweep_scene.backward_scene(graph)[0]
    schema.check(json.loads(json.dumps(document, allow_nan=False, ensure_ascii=True)))
    assert len(panel((document,), "result")["rows"]) == 2


# ---- the result ----


def test_the_result_names_derivatives_and_their_terms():
    result = panel(ad.show_backward(f, 1.0, 2.0), "result")
    assert result["title"] == "Gradient at (1, 2)"
    assert [(row["node"], row["name"]) for row in result["rows"]] == [(0, "∂f/∂x"), (1, "∂f/∂y")]
    assert result["rows"][0]["via"] == [
        "via x·y: 1 · 2 = 2",
        "via sin(x): 1 · 0.5403 = 0.5403",
        "sum over paths: 2.5403",
    ]
    assert result["rows"][1]["via"] == []


def test_titles_say_what_kind_of_derivative_it_is():
    forward = panel(ad.show_forward(f, 1.0, 2.0), "result")
    assert (forward["title"], forward["rows"][0]["name"]) == ("Partial derivative at (1, 2)", "∂f/∂x")
    along = panel(ad.show_forward(f, 1.0, 2.0, direction=(1.0, 2.0)), "result")
    assert (along["title"], along["rows"][0]["name"]) == (
        "Derivative in the direction of the seed at (1, 2)",
        "f\u0307",
    )
    arguments = np.ones((2, 3)), np.ones(3), np.ones((4, 2))
    arrays = panel(ad.show_backward(loss, *arguments, panels=["graph", "result"]), "result")
    assert arrays["title"] == "Gradient, in the shapes of the inputs"
    assert all(row["via"] == [] for row in arrays["rows"])
    several = panel(ad.show_backward(lambda x: (x * x, x + 1.0), 3.0, seeds={0: 2.0, 1: 1.0}), "result")
    assert (several["title"], several["rows"][0]["name"]) == ("Adjoints of the inputs at (3)", "x\u0304")
