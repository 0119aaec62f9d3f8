"""The strips of engines tell what the Steps tell: bytes, multiplications, what is ready and what is freed."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms import sweeps
from adviz.algorithms.sweeps.comparison import Meter
from adviz.stage.narration.playing import cost_of
from adviz.stage.shows.flow_scene import engine_strip as strip


def program(x, y):
    a = np.sin(x)
    c = x + y  # nothing depends on it
    b = x * y
    del c
    return a + b


def stripped(engine, graph):
    timeline = ad.Timeline.record({}, sweeps.ENGINES[engine](graph))
    meter, told = Meter(graph.outputs), []
    for step in timeline:
        meter.add(step)
        told.append({"cost": cost_of(step), "bytes": meter.bytes, "multiplications": meter.multiplications})
    found = strip(graph, timeline, told, range(len(told)), str, engine.startswith("tape"))
    return found, timeline, told


def states(found, count):
    """The state of a strip after each step."""
    return [[state for state in found["states"] if state[0] <= number][-1] for number in range(count)]


@pytest.mark.parametrize("engine", sweeps.ENGINES)
def test_at_every_step_the_words_are_the_figures_of_the_meter(engine):
    found, _, told = stripped(engine, ad.trace(program, 1.0, 2.0))
    for (*_, work), step in zip(states(found, len(told)), told, strict=True):
        figures = [int(word) for word in work.replace(",", "").split() if word.isdigit()]
        assert figures[:2] == [step["bytes"], step["multiplications"]]


@pytest.mark.parametrize("engine", sweeps.ENGINES)
def test_letters_and_waits_are_those_of_the_state(engine):
    graph = ad.trace(program, 1.0, 2.0)
    found, timeline, told = stripped(engine, graph)
    for number, (_, _, letters, waits, ready, _) in enumerate(states(found, len(told)), start=1):
        state = timeline.at(number)
        for place, cell in enumerate(found["cells"]):
            node = cell["node"]
            assert (letters[place] == "r") >= (("ready", node) in state)
            if letters[place] == "a" and node != graph.operand_nodes(graph.outputs[0])[0]:
                assert ("adjoint", node) in state
            left = state.get(("times_used", node), 0) - state.get(("times_visited", node), 0)
            assert waits[place] == left
        assert bool(ready) == any(key[0] == "ready" for key in state if isinstance(key, tuple))


def test_what_is_ready_is_told_in_the_order_in_which_it_is_taken():
    graph = ad.trace(program, 1.0, 2.0)
    for engine in ("toposort", "rank_heap", "use_counts"):
        found, timeline, told = stripped(engine, graph)
        turns = [step.focus[0] if step.kind == "visit" else None for step in timeline]
        for number, state in enumerate(states(found, len(told))):
            following = next((turn for turn in turns[number + 1 :] if turn is not None), None)
            added = [step.kind for step in list(timeline)[number + 1 :]]
            if state[4] and added and added[0] == "visit" and following != graph.outputs[0]:
                assert state[4].removeprefix("ready: ").split(", then ")[0].split(" ")[0] == str(following)


def test_a_node_that_nothing_depends_on_is_visited_by_the_tape_only():
    graph = ad.trace(program, 1.0, 2.0)
    dead = next(node for node in range(len(graph)) if not graph.live[node])
    for engine in sweeps.ENGINES:
        found, _, _ = stripped(engine, graph)
        place = [cell["node"] for cell in found["cells"]].index(dead)
        assert (found["states"][-1][2][place] == "n") == (not engine.startswith("tape"))


def test_many_nodes_stand_in_rows_and_their_names_are_cut_to_their_cells():
    def long(a_name_that_goes_on):
        for _ in range(30):
            a_name_that_goes_on = np.sin(a_name_that_goes_on)
        return a_name_that_goes_on

    found, _, _ = stripped("tape", ad.trace(long, 1.0))
    assert 8 <= found["columns"] <= 12
    assert all(width <= 600 / found["columns"] for _, width in (cell["name"] for cell in found["cells"]))
