"""Random op programs: computations do what the interpreter does, to results and to storage."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from .interpreter import initial_memory, interpreted
from .op_programs import OpProgram, op_programs


def agree(found, expected, op):
    """Whether a result is that of the interpreter, of the right shape and dtype."""
    if expected is None:
        assert found is None
        return
    found = np.asarray(found)
    assert found.shape == expected.shape == op.shape, op
    assert found.dtype == expected.dtype == op.dtype, op
    exact = found.dtype.kind != "f"
    tolerance = 0 if exact else 1e-9 if found.dtype == float else 1e-3
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=60)
@given(op_programs(), st.data())
def test_computations_do_what_the_interpreter_does(program: OpProgram, data):
    memory = initial_memory(program.storages)
    for _ in range(4):
        computation, results, order, params, _ = data.draw(st.sampled_from(program.computations))
        values = program.values(params)
        expected = interpreted(results, order, dict(zip(params, values, strict=True)), memory)
        copies = [np.array(value) for value in values]
        found = computation(*values)
        for one, other in zip(values, copies, strict=True):
            np.testing.assert_array_equal(one, other)  # arguments are not changed
        for one, other, op in zip(found, expected, results, strict=True):
            agree(one, other, op)
        for one in found:
            if isinstance(one, np.ndarray):
                one[...] = 77  # results are the caller's own
        for op, held in memory.items():
            agree(program.store[op], held, op)


@settings(max_examples=60)
@given(op_programs())
def test_ops_wait_for_what_the_rules_say(program: OpProgram):
    for op, expected in program.waits.items():
        assert set(expected) <= set(op.control_deps)
        assert program.sequences or set(expected) == set(op.control_deps)
    for computation, *_ in program.computations:
        order = computation.schedule.order
        for op, sequence in program.sequences.items():
            if op in order:
                places = [order.index(each) for each in sequence]
                assert all(before < after for before, after in pairwise(places))
