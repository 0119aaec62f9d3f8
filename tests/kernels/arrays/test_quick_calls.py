"""A call that is repeated takes a shorter way, with the same results and the same errors."""

import warnings

import numpy as np
import pytest

import adviz as ad

W, X = np.arange(6.0).reshape(3, 2), np.ones((4, 3))


def compiled(f, *example, **options):
    program = ad.compile_gradient(f, *example, grain="array", **options)
    program(*example)  # the long way
    return program


def loss(params, x, rate):
    return np.sum(np.tanh(x @ params["W"]) * params["b"][0]) * rate


PARAMS = {"W": W, "b": [np.ones(2)]}


def test_the_second_call_is_a_quick_one_and_returns_the_same():
    program = ad.compile_gradient(loss, PARAMS, X, 2.0, grain="array")
    first = program(PARAMS, X, 2.0)
    assert program._quick is not None
    assert program._quick((PARAMS, X, 2.0)) is not None
    second = program(PARAMS, X, 2.0)
    assert type(second) is type(first)
    assert type(second.value) is type(first.value) is float
    assert second.gradient[0].keys() == first.gradient[0].keys()
    np.testing.assert_array_equal(second.gradient[0]["b"][0], first.gradient[0]["b"][0])


@pytest.mark.parametrize(
    "change",
    [
        lambda params: params | {"W": W[:2]},
        lambda params: params | {"W": W.tolist()},
        lambda params: params | {"b": (np.ones(2),)},
        lambda params: dict(reversed(params.items())),
        lambda params: params | {"W": np.asfortranarray(W)},
    ],
)
def test_what_is_not_as_expected_takes_the_long_way(change):
    program = compiled(loss, PARAMS, X, 2.0)
    other = change(PARAMS)
    x = X[:, : len(other["W"])]
    found, wanted = program(other, x, 2.0), ad.value_and_grad(loss)({**other, "b": list(other["b"])}, x, 2.0)
    np.testing.assert_allclose(found.value, wanted[0])
    np.testing.assert_allclose(found.gradient[0]["W"], wanted[1]["W"])


@pytest.mark.parametrize(
    "arguments", [(PARAMS, X), (PARAMS, X, 2.0, 1.0), ({"W": W}, X, 2.0), ({"W": W, "c": [np.ones(2)]}, X, 2.0)]
)
def test_errors_are_those_of_the_long_way(arguments):
    program = compiled(loss, PARAMS, X, 2.0)
    with pytest.raises(ad.InputError):
        program(*arguments)


def test_numbers_are_taken_as_they_come():
    program = compiled(lambda x, k: k * np.sum(x), X, 2.0)
    for number in (3.0, np.float64(3.0), 3, np.float32(3.0)):
        found = program(X, number)
        assert found.value == 36.0
        assert found.gradient[1] == 12.0


def test_what_is_not_finite_is_reported_in_a_quick_call_too():
    program = compiled(lambda x: np.sum(np.log(x)), X)
    with pytest.warns(ad.NonFiniteWarning, match="arises in log"):
        program(0 * X)
    with warnings.catch_warnings(action="error"):
        program(1e200 * X)  # the squares of small results underflow, which is no reason to warn


def test_keys_that_cannot_be_written_take_the_long_way():
    program = compiled(lambda p: np.sum(p[2, 3] * p[2, 3]), {(2, 3): X})
    assert program._quick is None
    np.testing.assert_array_equal(program({(2, 3): 2 * X}).gradient[2, 3], 4 * X)
