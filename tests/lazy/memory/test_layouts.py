"""The memory plan of random programs is safe, in space and time, and by running them in it; peaks are above bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy
from adviz.engine.rules.indexing import SET
from adviz.lazy.memory.layouts import Arena, allocation, bases_of, interference, lifetimes_of, memory_plan
from adviz.lazy.passes.fusion import fusion

from ..arena_execution import assert_same, inputs_of, run_in_arena
from ..op_programs import op_programs
from ..safe_plans import assert_safe


@given(op_programs())
def test_a_program_that_runs_in_its_planned_bytes_has_the_results_of_the_computation(program):
    computation, given_values = program.example
    instructions, plan = computation.instructions, computation.memory
    values = inputs_of(computation, given_values)
    found = {layout.method: run_in_arena(instructions, plan.running, layout, values) for layout in plan.layouts}
    count = len(computation.kept)
    wanted = [each for each in computation(*given_values) if each is not None]
    stored = [computation.store[op] for op in computation.kept]
    for results in found.values():
        assert_same(results, [*wanted, *stored][: len(results)])
        assert len(results) == len(wanted) + count


@given(op_programs(), st.booleans())
def test_plans_are_safe_and_between_the_largest_live_set_and_a_buffer_for_each_value(program, fused):
    instructions = program.example[0].instructions
    if fused:
        list(fusion(instructions))
    assert_safe(memory_plan(instructions), instructions)


@given(op_programs())
def test_lifetimes_solve_the_equations_of_liveness(program):
    """live before an instruction = what it reads ∪ (live after - what it makes), by Kildall's iteration with sets."""
    instructions = program.example[0].instructions
    bases, order = bases_of(instructions), list(instructions)
    after: list[set] = [set() for _ in order]
    before: list[set] = [set() for _ in order]
    at_end = {bases[number] for number in instructions.returned}
    changed = True
    while changed:
        changed = False
        for k, each in enumerate(order):
            out = before[k + 1] if k + 1 < len(order) else at_end
            into = {bases[read] for read in each.reads} | (out - {each.number})
            changed = changed or (into, out) != (before[k], after[k])
            before[k], after[k] = into, set(out)
    lifetimes = lifetimes_of(instructions, bases)
    own = {each.number for each in lifetimes}
    for k, each in enumerate(order):
        used = (before[k] | after[k] | {bases[each.number]}) & own
        assert {life.number for life in lifetimes if life.first <= k <= life.last} == used


@given(op_programs())
def test_the_coloring_is_proper(program):
    instructions = program.example[0].instructions
    plan = program.example[0].memory
    lifetimes = lifetimes_of(instructions, bases_of(instructions))
    masks = interference(lifetimes)
    buffer = [place.buffer for place in plan.coloring.places]
    for j, one in enumerate(lifetimes):
        for k, other in enumerate(lifetimes):
            live_together = j != k and bool({*range(one.first, one.last + 1)} & {*range(other.first, other.last + 1)})
            assert (masks[j] >> k & 1) == live_together
            assert not (live_together and buffer[j] == buffer[k])


@given(op_programs())
def test_only_operations_on_entries_write_in_place_over_what_nothing_else_needs(program):
    instructions, plan = program.example[0].instructions, program.example[0].memory
    bases = bases_of(instructions)
    order = [each.number for each in instructions]
    for place in plan.in_place.places:
        if not place.in_place:
            continue
        each, operand = instructions[place.number], instructions[place.reused_from]
        assert each.block.partials or each.block is SET
        assert (each.shape, each.dtype) == (operand.shape, operand.dtype)
        assert not operand.is_input
        assert operand.number not in instructions.returned
        views = [number for number in order if bases[number] == operand.number]
        assert not instructions.returned.intersection(views)
        readers = {user for number in views for user in instructions.users(number)} - {*views}
        assert max(map(order.index, readers)) == place.first
        assert all(bases[read] != operand.number or read == operand.number for read in each.reads)


# ---- examples ----


def plan_of(build):
    x = lazy.placeholder((10, 10), name="x")
    return lazy.computation(build(x), x).memory


@pytest.mark.parametrize(
    ("build", "naive", "planned", "in_place"),
    [
        (lambda x: np.sin(np.exp(np.tanh(x))), 2400, 1600, 800),
        (lambda x: np.sin(x) + np.cos(x), 2400, 2400, 1600),
        (lambda x: np.exp(x) @ x, 1600, 1600, 1600),  # a product of matrices cannot write over its operands
        (lambda x: np.exp(x) + np.exp(x).T, 2400, 2400, 1600),
        (lambda x: np.tanh(x.T), 800, 800, 800),  # a parameter is never written over
        (lambda x: np.exp(x)[:5] * 2, 1200, 1200, 1200),  # another shape
    ],
)
def test_small_programs_take_the_bytes_that_one_counts_by_hand(build, naive, planned, in_place):
    plan = plan_of(build)
    assert (plan.naive.peak, plan.by_size.peak, plan.in_place.peak) == (naive, planned, in_place)


def test_what_is_returned_or_stored_lives_to_the_end():
    w = lazy.variable((10,), 1.0, name="w")
    kept = np.exp(w)
    with lazy.isolated():
        update = lazy.assign(w, kept * 2)
    plan = lazy.computation([kept, update], name="step").memory
    assert {place.last for place in plan.naive.places} == {len(plan.running)}
    assert [(each.name, each.kind) for each in plan.running] == [
        ("w", "storage"),
        ("kept", "value"),
        ("multiply", "value"),
    ]


def test_a_written_part_goes_into_the_version_from_before():
    w = lazy.variable((10,), 1.0, name="w")
    w[0] = 2.0
    w[1:] = 3.0
    plan = lazy.computation(w).memory
    assert [place.in_place for place in plan.in_place.places] == [False, True]
    assert plan.in_place.peak == 80


def test_what_is_written_into_itself_in_another_order_is_another_array():
    w = lazy.variable((10,), np.arange(10.0), name="w")
    w *= 2.0
    w[::-1] = w
    plan = lazy.computation(w, store=lazy.Store()).memory
    assert [place.in_place for place in plan.in_place.places] == [False, False]
    np.testing.assert_array_equal(lazy.computation(w, store=lazy.Store())(), 2.0 * np.arange(10.0)[::-1])


def test_the_allocation_is_a_timeline():
    x = lazy.placeholder((10,), name="x")
    instructions = lazy.computation(np.sum(np.sin(np.exp(x))), x).instructions
    lifetimes = lifetimes_of(instructions, bases_of(instructions))
    timeline = ad.Timeline.record({}, allocation(lifetimes, Arena()))
    assert timeline.at(2) == {("bytes", 1): (0, 80), ("bytes", 2): (80, 80)}
    assert [step.kind for step in timeline] == ["allocate", "allocate", "free", "allocate", "free", "free"]
    assert timeline.at(len(timeline)) == {}


def test_the_plan_can_be_read_as_a_table():
    text = plan_of(lambda x: np.sum(np.tanh(np.exp(x)))).text()
    assert text.splitlines()[0].split() == ["value", "op", "first", "last", "offset", "bytes", "had", "by"]
    assert "exp, in place" in text
    assert "live at the same time, at most: 1,600" in text
