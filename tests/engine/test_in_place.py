"""Arrays that are changed in place: the same as in NumPy, or an error."""

import copy

import numpy as np
import pytest

import adviz as ad

X = np.array([1.0, 2.0, 3.0])


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


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("f", [same_name, in_a_helper, several, copy_of_a_view, deep_copy])
def test_operators_in_place_give_what_numpy_gives(f, grain):
    graph = ad.trace(f, X, grain=grain)
    assert float(graph.values[graph.outputs[0]]) == f(X.copy())
    slopes = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    assert ad.grad(f, grain=grain)(X) == pytest.approx(slopes, rel=1e-6)


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


@pytest.mark.parametrize("f", [through_a_view, under_a_view])
def test_where_a_view_would_have_to_change_too_there_is_an_error(f):
    with pytest.raises(ad.ArrayWriteError, match="take a copy of the view"):
        ad.trace(f, X)


def test_a_result_that_does_not_fit_is_refused():
    def f(x):
        y = x + 0.0
        y += np.ones((2, 3))
        return y

    with pytest.raises(ValueError, match=r"\(3,\) cannot hold the result of shape \(2, 3\)"):
        ad.trace(f, X)


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


def test_arguments_stay_writable_and_as_they_were():
    x = X.copy()
    ad.trace(several, x)
    x[0] = 5.0
    assert X[0] == 1.0


def written_through_asarray(x):
    z = x + 0.0
    np.asarray(z)[0] = 10.0
    return z.sum()


def changed_under_asarray(x):
    z = x + 0.0
    v = np.asarray(z)
    z += 10.0
    return v.sum()


def added_at(x):
    z = x + 0.0
    np.add.at(z, [0, 0], x[1])
    return z.sum()


def added_at_floats(x):
    z = np.zeros(3)
    np.add.at(z, [0, 0], x[1])
    return z.sum()


def sorted_in_place(x):
    z = -x
    z.sort()
    return z[0]


@pytest.mark.parametrize(
    "f", [written_through_asarray, changed_under_asarray, added_at, added_at_floats, sorted_in_place]
)
def test_what_cannot_be_followed_is_refused_and_works_number_by_number(f):
    with pytest.raises(ad.ArrayWriteError):
        ad.trace(f, X)
    graph = ad.trace(f, X, grain="scalar")
    assert graph.values[graph.outputs[0]] == f(X.copy())


def test_copies_by_np_array_may_be_written_to():
    def f(x):
        z = np.array(x)
        z[0] = 10.0
        x += 1.0
        return z.sum() * x[0]

    assert ad.value_and_grad(f)(X) == (30.0, pytest.approx([15.0, 2.0, 2.0]))
