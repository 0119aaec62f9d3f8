"""Schedules: every operation after its operands and once; buffers hold what is read from them; what things cost."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.kernels.backends.numpy_blocks import block_calls, interpret
from adviz.kernels.expressions.expressions import OPERATIONS, Expressions
from adviz.kernels.schedules import CALL, COPY, schedule

UNARY = ["sin", "exp", "absolute", "negative", "tanh"]
BINARY = ["add", "subtract", "multiply", "maximum"]


@st.composite
def schedules(draw, size=25):
    """Schedules of random expressions: with choices, conditions, constants; outputs are anything, also twice."""
    known = Expressions()
    inputs = [known.input() for _ in range(draw(st.integers(1, 3)))]
    numbers = [*inputs, known.constant(0.5), known.zero]
    conditions = []
    for _ in range(draw(st.integers(0, size))):
        operand = st.sampled_from(numbers[-6:] + inputs)
        kind = draw(st.sampled_from(["unary", "binary", "condition", "both", "where"]))
        if kind == "unary":
            numbers.append(known.apply(OPERATIONS[draw(st.sampled_from(UNARY))].numpy, [draw(operand)]))
        elif kind == "binary" or (not conditions and kind != "condition"):
            numbers.append(known.apply(OPERATIONS[draw(st.sampled_from(BINARY))].numpy, [draw(operand), draw(operand)]))
        elif kind == "condition":
            made = known.apply(np.less, [draw(operand), draw(operand)])
            conditions.extend([made] if known.is_condition(made) else [])
        elif kind == "both":
            pair = [draw(st.sampled_from(conditions)) for _ in range(2)]
            conditions.append(known.apply(np.logical_and, pair))
        else:
            numbers.append(known.where(draw(st.sampled_from(conditions)), draw(operand), draw(operand)))
    outputs = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=6))
    signs = draw(st.lists(st.sampled_from([1, -1]), min_size=len(outputs), max_size=len(outputs)))
    return schedule(known, inputs, [sign * place for sign, place in zip(signs, outputs, strict=True)])


@given(schedules())
def test_operands_come_first_everything_is_needed_and_nothing_comes_twice(plan):
    known = {*plan.inputs, *plan.constants}
    for place, _, operands in plan.instructions:
        assert known.issuperset(operands)
        assert place not in known
        known.add(place)
    used = Counter(operand for each in plan.instructions for operand in each.operands)
    assert all(used[each.place] or each.place in plan.outputs for each in plan.instructions)
    assert known.issuperset(plan.outputs)


@given(schedules())
def test_a_buffer_holds_what_is_read_from_it(plan):
    owners = plan.buffers
    holds = {}
    for place, operation, operands in plan.instructions:
        for operand in operands:
            assert operand not in owners or holds[owners[operand]] == operand
        if operation == "where":
            assert owners[place] not in {owners.get(operand) for operand in operands}
        assert (owners[place][0] == "b") == OPERATIONS[operation].is_condition
        holds[owners[place]] = place
    for number, place in enumerate(plan.outputs):
        if place in owners:
            assert holds[owners[place]] == place
            assert owners[place] == f"o{plan.outputs.index(place)}" or owners[place][0] == "o"
            assert f"o{number}" not in holds or holds[f"o{number}"] in plan.outputs


@given(schedules())
@settings(max_examples=50)
def test_what_lies_in_the_buffers_before_does_not_matter(plan):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(len(plan.inputs), 7))
    own = {
        each.place: f"o{plan.outputs.index(each.place)}" if each.place in plan.outputs else f"own{each.place}"
        for each in plan.instructions
    }
    results = [ran(plan, owners, x, poison) for owners in (plan.buffers, own) for poison in (np.nan, 7.0)]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def ran(plan, owners, x, poison):
    """The outputs of a schedule, with these buffers, which hold something else before."""
    conditions = {owners[each.place] for each in plan.instructions if OPERATIONS[each.operation].is_condition}
    buffers = {name: np.full(x.shape[1], bool(poison) if name in conditions else poison) for name in owners.values()}
    outputs = [f"o{number}" for number in range(len(plan.outputs))]
    buffers |= {name: np.full(x.shape[1], poison) for name in outputs}
    buffers |= {f"x{number}": row for number, row in enumerate(x)}
    buffers |= {f"c{place}": value for place, value in plan.constants.items()}
    with np.errstate(all="ignore"):  # random programs overflow
        interpret(block_calls(plan, owners), buffers)
    return np.array([buffers[name] for name in outputs])


@given(schedules())
def test_costs_add_up(plan):
    cost = plan.cost
    assert cost.operations == len(plan.instructions)
    assert cost.multiplications == sum(each.operation in ("multiply", "divide") for each in plan.instructions)
    assert cost.buffers == len(set(plan.buffers.values())) <= cost.operations
    copied = len(plan.outputs) - len({*plan.outputs} & {each.place for each in plan.instructions})
    assert (cost.nanoseconds > 0) == (cost.operations + copied > 0)


def test_what_stands_in_several_results_is_copied():
    known = Expressions()
    x = known.input()
    y = known.apply(np.sin, [x])
    once, more = (schedule(known, [x], [y, *others]).nanoseconds for others in ([], [y, x, known.one]))
    assert 1 < round(more / once, 9) < 1.1
    assert round(more - once, 9) == round(3 * (COPY + CALL), 9)


def test_a_chain_works_in_one_buffer():
    known = Expressions()
    x = known.input()
    y = x
    for _ in range(30):
        y = known.apply(np.sin, [known.add(y, known.one)])
    plan = schedule(known, [x], [known.add(y, known.one)])
    assert plan.cost.buffers == 2
    assert set(plan.buffers.values()) == {"o0", "w0"}
