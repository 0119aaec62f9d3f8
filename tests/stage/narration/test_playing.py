"""Runs that become steps: what is on stage at every cursor, what it costs, turns, folded scopes."""

import json
from functools import partial
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.sweeps.comparison import Meter
from adviz.stage.narration import playing
from adviz.stage.scene import schema
from adviz.stage.scene.captions import carried
from adviz.stage.shows import sweep_scene, told_runs

from ..goldens import COSTS, as_graphs, engine_steps, f, on_stage, played, stage_at, totals


def metered(algorithm):
    """The meter after a run, and the state that it ends in."""
    meter, steps = Meter(), list(algorithm)
    for step in steps:
        meter.add(step)
    return meter, ad.replay({}, steps)


def figures(meter):
    return {name: getattr(meter, name) for name in COSTS}


def as_keys(state, run):
    return {"/".join([run, *map(str, key)]): carried(value) for key, value in state.items()}


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
@pytest.mark.parametrize("name", [*ad.sweeps.CASES])
def test_what_is_on_stage_is_what_the_engine_holds_and_the_meters_are_exact(name, engine):
    graph = ad.trace(*(ad.examples[name].program, *ad.examples[name].arguments))
    seeds = {output: np.ones(np.shape(graph.values[output])) for output in graph.outputs}
    meter, state = metered(ad.sweeps.ENGINES[engine](graph, seeds))
    document, _ = sweep_scene.backward_scene(graph, engine, seeds=seeds)
    schema.check(document)
    json.dumps(document, allow_nan=False)
    assert played(document) == stage_at(document, len(document["steps"]))
    run = document["runs"][0]["id"]
    assert on_stage(document, run, len(document["steps"])) == as_keys(state, run)
    assert totals(document["steps"]) == figures(meter)
    assert document["steps"][-1]["bytes"] == meter.bytes
    assert document["steps"][-1]["peak"] == meter.peak


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("sin + * -".split()), st.integers(0, 9), st.integers(0, 9)), max_size=12))
@settings(deadline=None, max_examples=40)
def test_on_random_programs_the_stage_is_the_state_after_every_step(rows):
    def program(x, y):
        values = [x, y]
        for word, i, j in rows:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append({"sin": np.sin(a), "+": a + b, "*": a * b, "-": a - b}[word])
        return values[-1] * values[0]

    graph = ad.trace(program, 0.5, -0.25)
    document, _ = sweep_scene.backward_scene(graph)
    timeline = ad.Timeline.record({}, ad.toposort(graph))
    ends = accumulate((step.get("moves", 1) for step in engine_steps(document)), initial=0)
    for cursor, end in enumerate(ends):
        assert on_stage(document, "toposort", cursor) == as_keys(timeline.at(end), "toposort")
    assert end == len(timeline)


def test_a_coarse_step_is_the_turn_of_one_node():
    document, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), "use_counts")
    kinds = [step["kind"] for step in document["steps"] if step["coarse"]]
    assert kinds == ["seed", "count", *["visit"] * 7, "result"]


def test_the_recursion_goes_on_with_a_node_that_it_had_left():
    document, _ = sweep_scene.backward_scene(ad.trace(f, 2.0, 0.4), "recursion")
    resumed = [step["edge"][0] for step in document["steps"] if step["coarse"] and step["kind"] == "product"]
    assert resumed
    assert all(any(step["kind"] == "visit" and step["node"] == node for step in document["steps"]) for node in resumed)


def test_a_product_travels_along_its_edge_also_where_an_operand_is_repeated():
    document, _ = sweep_scene.backward_scene(ad.trace(lambda x: x * x, 3.0))
    assert [step["edge"] for step in document["steps"] if step["kind"] == "product"] == [
        [1, 0, 0],
        [1, 0, 1],
    ]


def test_the_values_that_the_forward_pass_left_are_on_stage_from_the_first_step_on():
    graph = ad.trace(f, 2.0, 0.4)
    document, _ = sweep_scene.backward_scene(graph)
    for cursor in (1, len(document["steps"])):
        stage = stage_at(document, cursor)
        assert [stage[f"toposort/value/{k}"] for k in range(len(graph))] == list(graph.values)


# ---- folded scopes ----


def long_chain(x, count):
    for _ in range(count):
        x = np.sin(x) * x + 0.5
    return x


@pytest.mark.slow
@pytest.mark.parametrize("engine", [*ad.sweeps.ENGINES])
def test_folded_shows_cost_what_the_moves_cost(engine):
    graph = ad.trace(partial(long_chain, count=800), 0.3)
    meter, state = metered(ad.sweeps.ENGINES[engine](graph))
    with as_graphs():
        document, _ = sweep_scene.backward_scene(graph, engine)
    steps = document["steps"]
    assert len(steps) < 20
    assert totals(steps) == figures(meter)
    assert (steps[-1]["bytes"], steps[-1]["peak"]) == (meter.bytes, meter.peak)
    run = document["runs"][0]["id"]
    assert played(document) == stage_at(document, len(steps))
    assert on_stage(document, run, len(steps))[f"{run}/adjoint/0"] == state["adjoint", 0]


@pytest.mark.parametrize("kind", ["forward", "evaluation"])
def test_other_sweeps_are_folded_just_as_exactly(kind):
    graph = ad.trace(partial(long_chain, count=800), 0.3)
    direction = {0: 1.0}
    algorithm = ad.forward_flow(graph, direction) if kind == "forward" else ad.sweeps.evaluation(graph)
    with as_graphs():
        made = sweep_scene.forward_scene(graph, direction) if kind == "forward" else sweep_scene.evaluation_scene(graph)
    meter, _ = metered(algorithm)
    steps = made[0]["steps"]
    assert len(steps) < 20
    assert totals(steps) == figures(meter)
    assert (steps[-1]["bytes"], steps[-1]["peak"]) == (meter.bytes, meter.peak)


def test_the_turns_inside_a_folded_scope_are_counted_together():
    with as_graphs():
        document, _ = sweep_scene.backward_scene(ad.trace(partial(long_chain, count=800), 0.3))
    stage = stage_at(document, len(document["steps"]))
    assert [value for key, value in stage.items() if "/times_visited/" in key] == [2400]


def test_a_show_of_too_many_steps_is_thinned_and_ends_the_same(monkeypatch):
    graph = ad.trace(f, 2.0, 0.4)
    whole, _ = sweep_scene.backward_scene(graph)
    for module in (playing, told_runs):
        monkeypatch.setattr(module, "MOST_STEPS", 10)
    short, _ = sweep_scene.backward_scene(graph)
    assert len(short["steps"]) <= 10 < len(whole["steps"])
    assert totals(short["steps"]) == totals(whole["steps"])
    moves = [sum(step.get("moves", 1) for step in steps) for steps in (short["steps"], engine_steps(whole))]
    assert moves[0] == moves[1]
    for one, other in ((0, 0), (len(short["steps"]), len(whole["steps"]))):
        assert stage_at(short, one) == stage_at(whole, other)
    assert played(short) == played(whole)
    assert short["steps"][-1]["peak"] == whole["steps"][-1]["peak"]


@pytest.mark.slow
def test_a_long_show_tells_how_far_it_is_and_can_be_interrupted():
    graph, told = ad.trace(partial(long_chain, count=800), 0.3), []
    sweep_scene.engines_scene(graph, ("tape", "toposort"), progress=lambda *far: told.append(far))
    assert told == sorted(told)
    assert told[-1][1] == 2 * len(graph)

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep_scene.backward_scene(graph, progress=interrupt)


# ---- values ----


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (-0.5, -0.5),
        (np.float64("inf"), "inf"),
        ((-4, 1), 4),
        (np.array([[1.0, np.nan]]), {"shape": [1, 2], "data": [1.0, "NaN"]}),
        (np.full(25, np.inf), {"shape": [25], "norm": "inf"}),
        (np.zeros((0, 3)), {"shape": [0, 3], "data": []}),
    ],
)
def test_values_are_carried_in_words_that_json_has(value, held):
    assert carried(value) == held
    json.dumps(carried(value), allow_nan=False)
