"""Passes keep the values of random programs, replay and rewind; what each promises holds at the end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy
from adviz.lazy.memory.layouts import memory_plan
from adviz.lazy.passes.fusion import fusion, loops_of
from adviz.lazy.passes.simplification import common_subexpressions, dead_instructions, simplification

from ..arena_execution import assert_same, inputs_of, run_in_arena
from ..op_programs import op_programs
from ..safe_plans import assert_safe

PASSES = {
    "simplification": simplification,
    "all rules": lambda instructions: simplification(instructions, None),
    "common subexpressions": common_subexpressions,
    "fusion": fusion,
    "dead instructions": dead_instructions,
}


def assert_planned(instructions, values, wanted):
    """By each layout values are apart in memory, and instructions that run in these bytes have the same results."""
    plan = memory_plan(instructions)
    assert_safe(plan, instructions)
    for layout in plan.layouts:
        assert_same(run_in_arena(instructions, plan.running, layout, values), wanted)


@given(op_programs(), st.lists(st.sampled_from(sorted(PASSES)), min_size=1, max_size=4))
def test_passes_in_any_order_keep_values_and_can_be_taken_back(program, names):
    computation, given_values = program.example
    values = inputs_of(computation, given_values)
    instructions = computation.instructions
    wanted = instructions.evaluated(values)
    for name in names:
        start = instructions.state()
        steps = list(PASSES[name](instructions))
        assert ad.replay(start, steps) == instructions.state()
        assert ad.rewind(instructions.state(), steps) == start
        assert_same(instructions.evaluated(values), wanted)
        assert_planned(instructions, values, wanted)
        places = instructions.places()
        assert all(places[read] < place for number, place in places.items() for read in instructions[number].reads)
        for number in places:
            readers = {each.number for each in instructions if number in each.reads}
            assert {*instructions.users(number)} == readers


@given(op_programs())
def test_the_members_of_a_group_are_neighbors_that_run_as_one_loop(program):
    instructions = program.example[0].instructions
    list(fusion(instructions))
    loops = [loop for loop in loops_of(instructions) if len(loop) > 1]
    assert {loop[0].number for loop in loops} == {*instructions.groups.values()}
    assert sum(map(len, loops)) == len(instructions.groups)


@given(op_programs())
def test_nothing_is_computed_twice_afterwards(program):
    instructions = program.example[0].instructions
    list(common_subexpressions(instructions))
    seen = [(each.block, *(repr(operand) for operand in each.operands)) for each in instructions if not each.is_input]
    assert len(seen) == len({*seen})
    assert list(common_subexpressions(instructions)) == []


@given(op_programs())
def test_what_is_left_is_needed_for_a_result(program):
    instructions = program.example[0].instructions
    list(dead_instructions(instructions))
    needed, pending = set(), [*instructions.returned]
    while pending:
        number = pending.pop()
        if number not in needed:
            needed.add(number)
            pending += instructions[number].reads
    assert needed == {each.number for each in instructions if not each.is_input or each.number in needed}


# ---- examples ----


def instructions_of(build):
    x = lazy.placeholder((2, 3), name="x")
    return lazy.computation(build(x), x).instructions


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (lambda x: np.negative(-x), []),
        (lambda x: x * 0.0 + 2.0, ["broadcast_to"]),
        (lambda x: x * 1.0 + 0.0, []),
        (lambda x: np.exp(x) * -1.0, ["exp", "negative"]),
        (lambda x: x + np.negative(lazy.constant(2.0)), ["add"]),
        (lambda x: x * (lazy.constant(2.0) * lazy.constant(3.0) + 1.0), ["multiply"]),
        (lambda x: np.sum(x * 0.0 + 1.0), []),
        (lambda x: np.log(np.exp(x)), []),
        (lambda x: np.log(np.exp(x) / 3.0), ["subtract"]),
        (lambda x: np.log(np.exp(x) / x), ["log", "subtract"]),
        (lambda x: np.exp(x) + np.exp(x) * np.exp(x), ["exp", "multiply", "add"]),
        (lambda x: lazy.sequential([np.sin(x), np.cos(x)]), ["cos"]),
    ],
)
def test_what_the_passes_leave_of_small_programs(build, left):
    instructions = instructions_of(build)
    for each in (simplification, common_subexpressions, dead_instructions):
        list(each(instructions))
    assert [each.block.name for each in instructions if not each.is_input] == left


def test_a_step_says_by_which_law_and_what_changed():
    instructions = instructions_of(lambda x: np.exp(x) * 1.0)
    timeline = ad.Timeline.record(instructions, simplification(instructions))
    (step,) = timeline
    assert step.focus == (("instruction", 2), ("instruction", 1))
    assert [edit.key for edit in step.edits] == [("result", 0), ("law", 2), ("instruction", 2)]
    assert timeline.at(1)[("law", 2)] == "a · 1 = a"


def test_each_state_of_a_pass_is_listed_with_what_the_step_is_about():
    x = lazy.placeholder((2, 3), name="x")
    w = lazy.constant(np.ones((3, 4)))
    instructions = lazy.computation([np.sum(np.sin(x)), x @ w, lazy.constant(2.0)], x).instructions
    timeline = ad.Timeline.record(instructions, fusion(instructions))
    assert lazy.listing(timeline.at(0)).splitlines() == [
        "  0  x: (2, 3) float64",
        "  1  sin(0): (2, 3) float64",
        "  2  sum(1, None, False): () float64",
        "  3  matmul(0, ndarray (3, 4)): (2, 4) float64",
        "  return 2, 3, 2.0",
    ]
    assert lazy.listing(timeline.at(1), timeline.steps[0]).splitlines()[1:3] == [
        "▸ 1  sin(0): (2, 3) float64, loop 1",
        "▸ 2  sum(1, None, False): () float64, loop 1",
    ]
    computation = lazy.computation(lazy.sequential([x * 2, x + 1]), x).instructions
    timeline = ad.Timeline.record(computation, dead_instructions(computation))
    assert len(lazy.listing(timeline.at(1)).splitlines()) == len(lazy.listing(timeline.at(0)).splitlines()) - 1


@pytest.mark.parametrize(
    ("build", "groups"),
    [
        (lambda x: np.sin(np.exp(x)), [["exp", "sin"]]),
        (lambda x: np.sum(np.sin(x)) * 2.0, [["sin", "sum"]]),
        (lambda x: np.sin(x) - np.sum(np.sin(x)), [["sin", "sum"], ["sin", "subtract"]]),
        (lambda x: (y := np.sin(x)) - np.sum(y), [["sin", "sum"]]),  # what waits for the sum is no part of its loop
        (lambda x: np.exp(np.exp(x) @ np.ones((3, 3))), []),
    ],
)
def test_what_is_fused_in_small_programs(build, groups):
    instructions = instructions_of(build)
    list(fusion(instructions))
    found = [[each.block.name for each in group] for group in loops_of(instructions) if len(group) > 1]
    assert [sorted(each) for each in found] == groups


def test_fusion_takes_the_heaviest_edge_first():
    a, b = lazy.placeholder((1000,), name="a"), lazy.placeholder((1000,), dtype=np.float32, name="b")
    instructions = lazy.computation(np.sum(np.exp(np.sin(b).astype(float) + np.sin(a))), a, b).instructions
    first = next(iter(fusion(instructions)))
    assert all(instructions[number].bytes >= 8000 for _, number in first.focus)


def test_a_choice_between_precisions_is_of_the_wider_one():
    v, w = lazy.variable((), 0.25), lazy.variable((), 0.5, dtype=np.float32)
    computation = lazy.computation([np.where(w > 0.3, w, v + v)])
    instructions = computation.instructions
    list(simplification(instructions, None))
    assert [each.dtype for each in instructions if each.block.name == "where"] == [np.float64]
