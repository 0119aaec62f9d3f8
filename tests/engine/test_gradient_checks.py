"""A gradient by hand is compared with the gradient, and what was forgotten is said."""

import numpy as np
import pytest

import adviz as ad

RNG = np.random.default_rng(0)
W, B, X, T = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 3))


def loss(W, b, x, t):
    return np.mean((np.tanh(x @ W + b) - t) ** 2)


def by_hand(W, b, x, t):
    h = np.tanh(x @ W + b)
    z_adj = 2 * (h - t) / h.size * (1 - h**2)
    return x.T @ z_adj, np.sum(z_adj, axis=0)


def check(gradient, argnums=(0, 1)):
    ad.check_gradient(loss, gradient, W, B, X, T, argnums=argnums)


def changed(place, change):
    """The gradient with one part changed."""

    def gradient(*args):
        found = list(by_hand(*args))
        found[place] = change(found[place])
        return tuple(found)

    return gradient


def test_the_right_gradient_is_accepted():
    check(by_hand)
    check(by_hand(W, B, X, T))
    check(lambda *args: by_hand(*args)[1], argnums=1)
    check([each.astype(np.float32) for each in by_hand(W, B, X, T)])


def forgotten(*args):
    h = np.tanh(X @ W + B)
    z_adj = 2 * (h - T) / h.size * (1 - h**2)
    return X.T @ z_adj, z_adj


@pytest.mark.parametrize(
    ("gradient", "words"),
    [
        (
            forgotten,
            r"to b: an array of shape \(8, 3\), expected an array of shape \(3,\)\.\n    Its sum over axis 0",
        ),
        (changed(0, np.transpose), r"with respect to W: entry .*, and \d more\.\n    Its transpose is right\."),
        (changed(0, np.negative), "with respect to W: .*\n    The sign is wrong"),
        (changed(1, lambda g: 8 * g), "with respect to b: .*\n    All entries are 8 times the right ones"),
        (changed(1, lambda g: g[:2]), r"an array of shape \(2,\), expected an array of shape \(3,\)\.$"),
        (changed(1, lambda g: g + np.eye(3)[1]), r"with respect to b: entry \[1\] is \S+ instead of \S+\.$"),
        (changed(1, lambda g: None), "with respect to b: None, expected an array"),
        (changed(1, lambda g: g * np.nan), "instead of"),
        (
            lambda *args: by_hand(*args)[0],
            r"with respect to its arguments: an array of shape \(3, 3\), expected a tuple of 2",
        ),
    ],
)
def test_what_is_wrong_is_said(gradient, words):
    with pytest.raises(ad.GradientError, match=words):
        check(gradient)


def test_parts_of_structures_are_named():
    def of(params):
        return np.sum(params["W"] ** 2) + params["b"][0] * 3.0

    params = {"W": np.ones((2, 2)), "b": [np.ones(()), np.ones(3)]}
    right = {"W": 2 * np.ones((2, 2)), "b": [np.array(3.0), np.zeros(3)]}
    ad.check_gradient(of, right, params)
    with pytest.raises(ad.GradientError, match=r"with respect to params\['b'\]\[1\]: entry \[0\] is 1 instead of 0"):
        ad.check_gradient(of, right | {"b": [3.0, np.ones(3)]}, params)
    with pytest.raises(ad.GradientError, match="with respect to params: a dict of 'W', expected a dict of 'W', 'b'"):
        ad.check_gradient(of, {"W": right["W"]}, params)


def test_keyword_arguments_are_passed_on():
    ad.check_gradient(lambda x, k: k * np.sum(x), lambda x, k: np.full(3, k), np.ones(3), k=2.0)
