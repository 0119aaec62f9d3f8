"""The topological sort: what it counts, and when adjoints go."""

import numpy as np

import adviz as ad
from adviz.algorithms.sweeps.backward import toposort

from ..running import run


def test_a_first_contribution_is_kept_by_reference_and_a_second_makes_a_fresh_sum():
    graph = ad.trace(lambda x, y: (x + y) + y, np.ones(3), np.ones(3))  # x 0, y 1, x + y 2, (x + y) + y 3
    _, steps = run(toposort(graph, {graph.outputs[0]: np.ones(3)}))
    arrivals = [
        (edit.before, edit.after)
        for step in steps
        for edit in step.edits
        if step.kind == "accumulate" and edit.key == ("adjoint", 1)
    ]
    (none, first), (before, fresh) = arrivals
    seed = steps[0].edits[-1].after
    assert none is None
    assert first is seed is before
    assert fresh is not first
    assert (seed.tolist(), fresh.tolist()) == ([1.0] * 3, [2.0] * 3)
