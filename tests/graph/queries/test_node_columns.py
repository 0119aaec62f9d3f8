"""Where a call stands in the source: also in comprehensions, lambdas, and functions that other functions call."""

import functools

import numpy as np
import pytest

import adviz as ad
from adviz.graph.scopes import CALL


class Layer:
    def forward(self, x):
        return np.exp(x) * 2


def g(x):
    return np.sin(x) * 2


def h(x, y):
    return x * y + 1


def each_layer(x):
    for layer in LAYERS:
        yield layer.forward(x)


def nested(x):
    def inner(z):
        return sum(g(y) for y in z)

    return inner(x)


LAYERS = [Layer(), Layer()]
CALLS = {
    "a generator expression": (lambda x: sum(np.sum(a.forward(x)) for a in LAYERS), ["a.forward(x)"]),
    "a list": (lambda x: [a.forward(x) for a in LAYERS][1], ["a.forward(x)"]),
    "a list of lists": (lambda x: np.array([[g(y) for y in row] for row in (x, x)]), ["g(y)"]),
    "a dict": (lambda x: {k: a.forward(x) for k, a in enumerate(LAYERS)}[1], ["a.forward(x)"]),
    "two loops with a condition": (lambda x: sum(g(y) for row in (x, x) for y in row if y > 0), ["g(y)"]),
    "a nested function": (nested, ["inner(x)", "g(y)"]),
    "map": (lambda x: sum(map(g, x)), ["sum(map(g, x))"]),
    "sorted": (lambda x: sorted(x, key=g)[0], ["sorted(x, key=g)"]),
    "a lambda for a key": (lambda x: max(x, key=lambda y: g(y)), ["max(x, key=lambda y: g(y))", "g(y)"]),
    "reduce": (lambda x: functools.reduce(h, x), ["functools.reduce(h, x)"]),
    "a generator": (lambda x: sum(np.sum(y) for y in each_layer(x)), ["(np.sum(y) for", "layer.forward(x)"]),
    "next": (lambda x: next(g(y) for y in x), ["g(y)"]),
    "any": (lambda x: x[0] if any(g(y) > 0.5 for y in x) else x[1], ["g(y)"]),
}


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize(("f", "places"), CALLS.values(), ids=CALLS)
def test_the_place_of_a_call(f, places, grain):
    graph = ad.trace(f, np.array([0.3, 0.5, 0.9]), grain=grain)
    calls = [scope for scope in range(1, len(graph.scopes)) if graph.scopes.kinds[scope] == CALL]
    found = dict.fromkeys(graph.columns.scope_place(scope).text for scope in calls)
    assert [text[: len(place)] for text, place in zip(found, places, strict=True)] == places
