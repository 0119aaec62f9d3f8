"""Coarse steps: what happens in a whole turn, in one sentence with its numbers."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.folds import statements
from adviz.stage.shows import flow_scene, sweep_scene


def product(x, y):
    h = x * y
    return h + y


def named_or_capital(graph, document):
    """Return what a sentence of a show begins with: a capital letter, or the name of a node."""
    is_flow = any(panel["kind"] == "flow" for panel in document["panels"])
    names = flow_scene.named(graph, document["title"], layers=statements.layers(graph) if is_flow else ())
    return "|".join(["[A-Z]", *(f"{re.escape(names(node))}( |;|,|$)" for node in flow_scene.nodes_of(graph))])


ROWS = ("formula", "table")  # panels of which none rests at nodes


def wholes(document):
    """Return the sentences of coarse steps that are of several steps."""
    return [step["whole"] for step in document["steps"] if "whole" in step]


@pytest.fixture
def graph():
    return ad.trace(product, 3.0, 0.5)


def test_a_turn_backwards_is_told_with_all_products_and_sums(graph):
    told = wholes(sweep_scene.backward_scene(graph, panels=ROWS)[0])
    assert told[0] == "The uses of 3 nodes are counted: 4 uses in all."
    assert told[1].startswith("product is visited next, since it is the last node that became complete: it passes")
    assert told[-1] == (
        "h is visited next, since it is the last node that became complete: it passes 1 × 0.5 = 0.5 back to x, and "
        "1 × 3 = 3 back to y, where 1 + 3 = 4; its adjoint is freed; x and y are ready."
    )


def test_a_show_that_rests_at_nodes_says_there_what_happens_in_a_turn(graph):
    for show in (sweep_scene.backward_scene, sweep_scene.forward_scene):
        assert not wholes(show(graph)[0])


def test_a_turn_forwards_is_told_with_the_value_and_all_that_is_received(graph):
    told = wholes(sweep_scene.forward_scene(graph, panels=ROWS)[0])
    assert told[0] == (
        "h = x·y = 3 × 0.5 = 1.5; it receives 0.5 × 1 = 0.5 from x and 3 × 0 = 0 from y: its tangent is 0.5."
    )
    assert told[1].endswith("its tangent is 0.5; h is freed.")
    returned = next(step for step in sweep_scene.forward_scene(graph)[0]["steps"][::-1] if step["kind"] == "visit")
    assert returned["caption"].startswith("product is returned, and with it its tangent, 0.5.")
    assert returned["caption"].endswith("So in this direction the derivative of the result is 0.5.")


def test_a_turn_that_goes_on_after_a_recursion_is_told_without_a_reason():
    graph = ad.trace(lambda x, y: np.sin(x) * np.sin(y), 1.0, 2.0)
    told = wholes(sweep_scene.backward_scene(graph, "recursion", panels=ROWS)[0])
    assert any(re.match(r"f passes .* back to sin\(y\)", sentence) for sentence in told)


def test_of_very_many_products_the_first_are_told():
    document, _ = sweep_scene.backward_scene(ad.trace(lambda *xs: np.sum(np.stack(xs)), *np.arange(9.0)), panels=ROWS)
    assert any(sentence.count("back to") == 4 and ", and 5 more products" in sentence for sentence in wholes(document))


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
@pytest.mark.parametrize("name", [*ad.sweeps.CASES])
def test_every_turn_of_several_steps_is_told_in_plain_words(name, engine):
    case = ad.sweeps.CASES[name]
    graph = ad.trace(case.program, *case.arguments)
    document, _ = sweep_scene.backward_scene(graph, engine, seeds=_seeds(case), panels=ROWS)
    begins = named_or_capital(graph, document)
    starts = [k for k, step in enumerate(document["steps"]) if step["coarse"]]
    for start, end in zip(starts, [*starts[1:], len(document["steps"])], strict=True):
        whole = document["steps"][start].get("whole")
        assert (whole is not None) == (end - start > 1)
        assert whole is None or (re.match(begins, whole) and re.search(r"[^ ]\.$", whole))
        for step in document["steps"][start:end]:
            assert step["kind"] != "product" or step["caption"].split(" passes ")[1].split(" back")[0] in whole


def _seeds(case):
    graph = ad.trace(case.program, *case.arguments)
    return {node: np.ones(np.shape(graph.values[node])) for node in graph.outputs}


def test_runs_side_by_side_tell_their_turns_together(graph):
    document, _ = sweep_scene.engines_scene(graph, ("tape", "toposort"))
    first = document["steps"][1]
    assert first["whole"].startswith("Tape: product is returned, so the sweep goes on there")
    assert "Sorted node graph: The uses of 3 nodes are counted" in first["whole"]
    assert [part.get("whole", "")[:8] for part in first["parts"]] == ["", "The uses"]


def test_where_runs_move_in_between_no_turn_is_told_as_a_whole(graph):
    assert not wholes(sweep_scene.engines_scene(graph, ("tape", "toposort"), align="event")[0])


def test_a_step_inside_a_folded_scope_tells_itself():
    def chain(x):
        for _ in range(60):
            x = np.sin(x)
        return x

    document, _ = sweep_scene.backward_scene(ad.trace(chain, 0.5))
    assert not any("whole" in step for step in document["steps"] if "moves" in step)


def test_a_timeline_of_ones_own_that_lacks_what_a_turn_tells_is_played_all_the_same(graph):
    moves = list(ad.toposort(graph))
    kept = [
        ad.Step(move.kind, tuple(edit for edit in move.edits if edit.key[0] != "adjoint"), move.focus) for move in moves
    ]
    document, _ = sweep_scene.timeline_scene(graph, ad.Timeline.record({}, lambda state: iter(kept)))
    assert len(document["steps"]) == len(kept)
    assert not any("passes" in sentence for sentence in wholes(document))


@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
def test_rows_of_a_jacobian_are_swept_in_turn_through_folded_scopes(engine):
    def waves(x, y):
        return [sum(np.sin(e * k) for e in (x, y) for _ in range(9)) for k in range(3)]

    graph = ad.trace(waves, 0.3, 0.7)
    document, _ = sweep_scene.backward_scene(graph, engine, jacobian=True)
    counts = [
        (before, after) for step in document["steps"] for key, before, after in step["edits"] if "/stored/" in key
    ]
    assert counts
    assert all(after is None or after >= 0 for _, after in counts)
