"""What a program decides by traced values is kept on request."""

import numpy as np

import adviz as ad
from adviz.engine.tracing.decisions import decisions
from adviz.graph.origins import origin


def places(found):
    return [(origin(each.code, each.offset).text, each.holds) for each in found]


def test_comparisons_are_kept_in_order_with_their_places():
    def f(x, y):
        if x > 0 and y < 1:
            return x * y
        return y - x if 2 * x == 6 else x

    with decisions() as found:
        ad.trace(f, 3.0, 2.0)
    ad.trace(f, 3.0, 2.0)  # outside nothing is kept
    assert places(found) == [("x > 0", True), ("y < 1", False), ("2 * x == 6", True)]


def test_those_of_arrays_are_kept_entry_by_entry_and_those_of_plain_numbers_not_at_all():
    def f(x, n):
        return np.sum(np.where(x > 0, x, 0.0)) * (2 if n.shape[0] > 1 else 3)

    with decisions() as found:
        ad.trace(f, np.array([1.0, -1.0]), np.ones(2))
    assert places(found) == [("x > 0", b"\x01\x00")]
