"""Operators in place: all who hold the array, or share memory with it, see the new value, as in NumPy."""

import copy

import numpy as np
import pytest

import adviz as ad

X = np.array([1.0, 2.0, 3.0])
GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])


def same_name(x):
    y = x
    y += 1.0
    return (x * y).sum()


def double(a):
    a *= 2.0


def in_a_helper(x):
    y = x + 0.0
    double(y)
    return y.sum()


def several(x):
    z = x.copy()
    z *= x
    z -= 1.0
    z /= 2.0
    z **= 2
    return np.sum(z * x)


def copy_of_a_view(x):
    v = x[:1].copy()
    v *= 10.0
    return x.sum() + v.sum()


def deep_copy(x):
    z = copy.deepcopy(x)
    z += 1.0
    return np.sum(x * z)


def through_a_view(x):
    z = x + 0.0
    v = z[:1]
    v *= 10.0
    return z.sum()


def under_a_view(x):
    z = x + 0.0
    v = z.reshape(3, 1)
    z *= 10.0
    return v.sum()


def through_asarray(x):
    z = x + 0.0
    np.asarray(z)[0] = 10.0
    return z.sum()


def under_asarray(x):
    z = x + 0.0
    v = np.asarray(z)
    z += 10.0
    return v.sum()


def added_at(x):
    z = x + 0.0
    np.add.at(z, [0, 0], x[1])
    return z.sum()


def added_at_zeros(x):
    z = np.zeros(3)
    np.add.at(z, [0, 0], x[1])
    return z.sum()


def sorted_in_place(x):
    z = -x
    z.sort()
    return z[0]


def with_a_list(x):
    z = x * 1.0
    z += [x[0], 2.0, x[1]]
    return np.sum(z * z)


PROGRAMS = [
    *(same_name, in_a_helper, several, copy_of_a_view, deep_copy, through_a_view, under_a_view, through_asarray),
    *(under_asarray, added_at, added_at_zeros, sorted_in_place, with_a_list),
]


@GRAINS
@pytest.mark.parametrize("f", PROGRAMS)
def test_operators_in_place_give_what_numpy_gives(f, grain):
    graph = ad.trace(f, X.copy(), grain=grain)
    assert float(graph.values[graph.outputs[0]]) == f(X.copy())
    slopes = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert ad.grad(f, grain=grain)(X.copy()) == pytest.approx(slopes, rel=1e-6)


def test_an_array_that_nobody_shares_becomes_the_result_without_a_copy():
    graph = ad.trace(lambda x: in_a_helper(x), X)
    assert graph.block_counts() == {"add": 1, "multiply": 1, "sum": 1, "input": 1, "output": 1}


def test_a_result_that_does_not_fit_is_refused():
    def f(x):
        y = x + 0.0
        y += np.ones((2, 3))
        return y

    with pytest.raises(ValueError, match=r"\(3,\) cannot hold the result of shape \(2, 3\)"):
        ad.trace(f, X)


def test_single_precision_stays_single_precision():
    def f(x):
        y = x * np.float32(1)
        y += np.full(3, 0.1)
        return y

    x = X.astype(np.float32)
    graph = ad.trace(f, x)
    assert graph.values[graph.outputs[0]].dtype == np.float32
    np.testing.assert_array_equal(graph.values[graph.outputs[0]], f(x))


def test_numbers_are_never_changed_in_place():
    def f(x):
        y = x
        y += 1.0
        return x * y

    assert ad.value_and_grad(f)(3.0) == (12.0, 7.0)


def test_what_was_written_down_is_read_only():
    graph = ad.trace(lambda x: x * 2.0 + 1.0, X)
    for node in graph:
        with pytest.raises(ValueError, match="read-only"):
            node.value[0] = 9.0


def test_copies_by_np_array_may_be_written_to():
    def f(x):
        z = np.array(x)
        z[0] = 10.0
        x += 1.0
        return z.sum() * x[0]

    assert ad.value_and_grad(f)(X.copy()) == (30.0, pytest.approx([15.0, 2.0, 2.0]))


def test_entries_that_other_code_took_are_not_written_to_unseen():
    def f(x):
        z = x + 0.0
        entries = z.__array__()  # what code in C gets
        z += 1.0
        return entries.sum()

    with pytest.raises(ad.ArrayWriteError, match="would not see it"):
        ad.trace(f, X)
