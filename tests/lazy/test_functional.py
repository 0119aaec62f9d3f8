"""What happens in an op graph as Steps: replayed, they lead to what the computation returns."""

import numpy as np
import pytest

from adviz import lazy
from adviz.graph.timeline import replay, rewind
from adviz.lazy.contexts import captured
from adviz.lazy.functional import building, subject
from adviz.lazy.ops import ordered

from .. import op_graphs


@pytest.mark.parametrize(
    ("make", "values"), [(op_graphs.network, op_graphs.batch()), (op_graphs.momentum, ()), (op_graphs.counter, ())]
)
def test_the_values_at_the_end_are_those_that_a_call_returns_and_stores(make, values):
    made = make()
    computation = lazy.computation([op for op in made if not op.is_input], *(op for op in made if op.is_input))
    timeline = computation.timeline(*values)
    end = timeline.at(len(timeline))
    results = computation(*values)
    for op, found in zip(computation.ops, results, strict=True):
        if op.has_value:
            np.testing.assert_allclose(end["value", op], found)
    for op in computation.kept:
        np.testing.assert_allclose(end["value", op], computation.store[op])
    assert rewind(replay(timeline.start, timeline.steps), timeline.steps).keys() == timeline.start.keys()


def test_what_is_stored_through_a_view_is_seen_in_the_whole_and_in_the_view():
    w, first, total = op_graphs.views()
    timeline = lazy.computation([first * 1.0, total]).timeline()
    stored = next(step for step in timeline if step.kind == "assign")
    changed = {edit.key[1]: edit.after for edit in stored.edits}
    np.testing.assert_array_equal(changed[w], [10.0, 2.0, 3.0])
    assert {each.name for each in changed} >= {"w"}
    end = timeline.at(len(timeline))
    assert all(value == 10.0 for (_, op), value in end.items() if op.is_view and op.shape == ())


def test_ops_are_built_in_order_each_after_what_it_waits_for():
    _, _, update, after = op_graphs.counter()
    steps = list(building(sorted(ordered([after]), key=lambda op: op.number)))
    built = [subject(step) for step in steps]
    assert built.index(update) < built.index(after)
    assert update in steps[-1].focus


def test_ops_are_captured_also_those_that_nothing_depends_on_and_none_afterwards():
    with captured() as outer:
        x = lazy.placeholder(())
        with captured() as inner:
            unused = x + 1
    x * 2
    assert unused in inner
    assert unused in outer
    assert x in outer
    assert x not in inner
    assert not any(op.what == "multiply" for op in outer)
