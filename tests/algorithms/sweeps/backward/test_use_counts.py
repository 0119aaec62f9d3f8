"""The counting of uses, right and with the defect of the original."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.examples.small_functions import fan_out
from adviz.algorithms.sweeps.backward import use_counts

from ..running import adjoints, log, run

POINTS = {"numbers": (1.0, 4.0), "arrays": (np.ones((5, 5)), np.full((5, 5), 4.0))}


def gradients(f, *arguments, in_place):
    graph = ad.trace(f, *arguments)
    seeds = {graph.outputs[0]: np.ones(np.shape(graph.values[graph.outputs[0]]))}
    return [np.unique(found).tolist() for found in adjoints(graph, use_counts(graph, seeds, in_place=in_place))]


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
def test_the_example_of_the_survey_gives_12_in_place_where_8_is_right(point):
    assert gradients(fan_out, *point, in_place=False) == [[8.0], [2.0]]
    assert gradients(fan_out, *point, in_place=True) == [[12.0], [2.0]]


def test_the_step_that_spoils_the_other_branch_shows_it():
    graph = ad.trace(fan_out, 1.0, 4.0)
    _, steps = run(use_counts(graph, in_place=True))
    spoilt = [step for step in steps if sum(edit.key[0] == "adjoint" for edit in step.edits) > 1]
    (step,) = [step for step in spoilt if step.kind == "accumulate"]
    assert step.focus == (1, 5)  # the product of x and y adds to the adjoint of y
    changed = {edit.key: (edit.before, edit.after) for edit in step.edits if edit.key[0] == "adjoint"}
    assert changed == {("adjoint", node): (1.0, 2.0) for node in (1, 4, 5)}  # 4 waits with it, 5 holds it still


def test_the_leaf_adds_to_a_gradient_of_its_own():
    graph = ad.trace(lambda x, y: x + y, np.ones(2), np.ones(2))
    state, steps = run(use_counts(graph, {graph.outputs[0]: np.ones(2)}))
    seed = steps[0].edits[-1].after
    assert state["adjoint", 0] is not state["adjoint", 1]
    assert state["adjoint", 0] is not seed
    assert log(use_counts(graph, {graph.outputs[0]: np.ones(2)}))[-4:] == [
        "visit 1",
        "accumulate 1",
        "visit 0",
        "accumulate 0",
    ]
