"""Tracing: what becomes a node, in both grains; arguments, results and callables of all kinds; depth; threads."""

import functools
import gc
import math
import resource
import weakref

import numpy as np
import pytest

import adviz as ad

from .checks import GRAINS
from .derivatives import assert_close

X = np.array([0.2, 0.5, 0.8])


def value_of(graph):
    values = [graph.values[node] for node in graph.outputs]
    return values[0] if len(values) == 1 else values


# ---- the graph that is written down ----


def test_the_example_of_times_used():
    def f(x):
        np.sin(x)  # not used
        return x + x

    graph = ad.trace(f, 2.0)
    assert [node.block.name for node in graph] == ["input", "sin", "add", "output"]
    assert list(graph.times_used) == [2, 0, 0, 0]
    assert list(graph.live) == [1, 0, 1, 1]


def test_operands_keep_order_and_repeats():
    graph = ad.trace(lambda x, y: (y - x) * (y - x), 2.0, 3.0)
    assert [graph.operands(k) for k in range(len(graph))] == [(), (), (1, 0), (1, 0), (2, 3), (4,)]
    square = ad.trace(lambda x: x * x, 2.0)
    assert square.operands(1) == (0, 0)
    assert square.users(0) == [1, 1]


def test_constants_are_literal_operands_and_never_nodes():
    graph = ad.trace(lambda x: 2 * x + np.float64(3) - True, 1.5)
    assert graph.block_counts() == {"input": 1, "multiply": 1, "add": 1, "subtract": 1, "output": 1}
    literals = [operand.value for node in graph for operand in node.operands if not isinstance(operand, ad.Node)]
    assert literals == [2.0, 3.0, 1.0]
    assert graph[1].operands == [(2.0,), graph[0]]


def test_every_output_is_a_node_of_its_own():
    graph = ad.trace(lambda x: (x, x * 2, x), 2.0)
    assert [graph.blocks[node].name for node in graph.outputs] == ["output"] * 3
    assert len(set(graph.outputs)) == 3
    assert [graph.operands(node) for node in graph.outputs] == [(0,), (1,), (0,)]


def test_the_array_grain_has_one_node_per_array_operation():
    graph = ad.trace(lambda x, W: np.tanh(W @ x + 1).sum(), X, np.eye(3))
    assert [node.block.name for node in graph] == ["input", "input", "matmul", "add", "tanh", "sum", "output"]
    assert [node.shape for node in graph] == [(3,), (3, 3), (3,), (3,), (3,), (), ()]


def test_the_scalar_grain_has_one_node_per_operation_on_numbers():
    graph = ad.trace(lambda x: np.dot(x, x), X, grain="scalar")
    assert graph.block_counts() == {"input": 3, "multiply": 3, "add": 2, "output": 1}
    assert all(node.shape == () for node in graph)
    graph = ad.trace(lambda x: np.sin(x[1:] - x[:-1]), X, grain="scalar")
    assert graph.block_counts() == {"input": 3, "output": 2, "subtract": 2, "sin": 2} == graph.block_counts()


def test_the_scalar_grain_stays_scalar_where_numbers_meet_arrays():
    def f(x):
        a = x[0] * np.ones(2) + np.stack([x[1], x[2]])
        return np.where(a > 0, a, 0.0).sum() + np.sum([x[0], x[1]]) + np.array([1.0, 2.0]) @ a

    graph = ad.trace(f, X, grain="scalar")
    assert all(node.shape == () for node in graph)
    assert value_of(graph) == pytest.approx(f(X))


def test_the_graph_does_not_change_when_the_callers_arrays_do():
    x, w = X.copy(), np.array([1.0, 2.0, 3.0])
    graph = ad.trace(lambda x: x * w, x)
    x[:], w[:] = 0, 0
    assert_close(graph.values[0], X)
    assert_close(graph[1].operands[1].value, [1, 2, 3])


def test_names_of_inputs():
    def f(a, b, *rest, weights=None):
        return a * b["w"][0] * b["c"] * rest[0] * rest[1]

    graph = ad.trace(f, 1.0, {"w": [2.0, X], "c": 3.0}, 4.0, 5.0)
    assert [graph.name(node) for node in graph.inputs] == [
        "a",
        "b['w'][0]",
        "b['w'][1]",
        "b['c']",
        "rest[0]",
        "rest[1]",
    ]
    graph = ad.trace(lambda x: x.sum(), np.ones((2, 2)), grain="scalar")
    assert [graph.name(node) for node in graph.inputs] == ["x[0, 0]", "x[0, 1]", "x[1, 0]", "x[1, 1]"]
    without_signature = ad.trace(max, 1.0, 2.0)
    assert [without_signature.name(node) for node in without_signature.inputs] == ["x0", "x1"]


def test_comparisons_and_control_flow_run_as_written():
    def f(x):
        steps = 0
        while abs(x) > 0.1 and steps < 10:
            x = x / 2 if x > 0 else -x / 2
            steps += 1
        assert (x == x.data, x != x.data, x <= 0.1, not x > 0.1, bool(x)) == (True, False, True, True, True)
        return x

    assert ad.grad(f)(0.7) == 0.125
    assert ad.grad(f)(-0.7) == -0.125


# ---- arguments and results ----


def test_derivatives_have_the_structure_of_the_arguments():
    def f(parameters, scale):
        (W, b), c = parameters["layers"], parameters["c"]
        return ((W @ np.ones(2) + b) * scale).sum() * c

    parameters = {"layers": [np.ones((3, 2)), np.zeros(3)], "c": 2.0}
    for grain in ("array", "scalar"):
        by_parameters, by_scale = ad.grad(f, argnums=(0, 1), grain=grain)(parameters, 3)
        assert_close(by_parameters["layers"][0], np.full((3, 2), 6.0))
        assert_close(by_parameters["layers"][1], np.full(3, 6.0))
        assert (by_parameters["c"], by_scale) == (18.0, 12.0)


def test_named_tuples_tuples_and_lists_of_numbers():
    from collections import namedtuple

    Point = namedtuple("Point", "x y")
    found = ad.grad(lambda p: p.x * p.y)(Point(2.0, 3.0))
    assert found == Point(3.0, 2.0)
    assert type(found) is Point
    assert_close(ad.grad(lambda v: v[0] * v[1])([2.0, 3.0]), [3, 2])
    assert ad.grad(lambda v: v[0] * v[1])((2.0, 3.0)) == (3.0, 2.0)
    assert_close(ad.grad(lambda v: (v * v).sum())([[1, 2], [3, 4]]), [[2, 4], [6, 8]])


def test_lists_of_arrays_stay_lists_whatever_their_shapes():
    found = ad.grad(lambda p: (p[0] @ p[1]).sum())([np.eye(2), np.ones((2, 2))])
    assert isinstance(found, list)
    assert_close(found[0], [[2, 2], [2, 2]])


def test_keyword_arguments_are_passed_on_and_not_traced():
    def f(x, n=1, mode="up"):
        assert isinstance(n, int)
        return x**n if mode == "up" else x

    assert ad.grad(f)(2.0, n=3) == 12.0
    assert ad.grad(f)(2.0, n=3, mode="down") == 1.0
    assert len(ad.trace(f, 2.0, n=3).inputs) == 1


def test_arguments_that_are_not_differentiated_are_passed_as_they_are():
    def f(x, n, label):
        assert (type(n), label) == (int, "label")
        return x**n

    assert ad.grad(f)(2.0, 3, "label") == 12.0
    assert ad.value_and_grad(f, argnums=-3)(2.0, 3, "label") == (8.0, 12.0)


def test_whole_numbers_of_any_size():
    assert ad.value_and_grad(lambda x: x * 2.0)(10**30) == (2e30, 2.0)


# ---- callables ----


class Model:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return self.scale * x * x

    def loss(self, x):
        return self(x) + 1

    @staticmethod
    def free(x):
        return x * 3

    @classmethod
    def of_class(cls, x):
        return cls(2.0)(x)


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **settings):
        return f(*args, **settings) * 2

    return wrapper


@decorated
def doubled(x):
    return x * x


@pytest.mark.parametrize(
    ("f", "expected", "title"),
    [
        (lambda x: x * x, 6.0, "<lambda>"),
        (Model(2.0), 12.0, "__call__"),
        (Model(2.0).loss, 12.0, "loss"),
        (Model.free, 3.0, "free"),
        (Model.of_class, 12.0, "of_class"),
        (functools.partial(lambda s, x: s * x, 5.0), 5.0, "<lambda>"),
        (functools.partial(Model.loss, Model(3.0)), 18.0, "loss"),
        (doubled, 12.0, "doubled"),
        (np.square, 6.0, "square"),
        (np.vectorize(lambda x: x * x), 6.0, "<lambda>"),
        (abs, 1.0, "abs"),
    ],
)
def test_anything_that_can_be_called(f, expected, title):
    assert ad.grad(f)(3.0) == expected
    assert ad.trace(f, 3.0).title == title


# ---- golden values: examples that other libraries got wrong ----


def beale(v):
    x, y = v
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2


GOLDEN = [
    (lambda x: np.sin(x) + np.cos(x), 0.0, 1.0, 1.0),
    (lambda x: np.sin(x) + np.cos(x), math.pi, -1.0, -1.0),
    (lambda x: np.sin(np.cos(x + 3)) + np.exp(np.sin(x) ** 2), 1.0, 1.421993370992491, 2.4467486365024778),
    (lambda x: np.sin(x + 3) / np.cos(x / 2) + np.exp(-x), 0.7, -0.06744655881452144, -1.502365717997677),
    (lambda x: np.exp(np.sin(x)) * np.exp(np.sin(x)), 1.0, math.exp(2 * math.sin(1)), 5.815127313951733),
    (
        lambda v: (
            np.cos(0.5 * (v[0] + v[1])) * np.exp(-0.1 * (v[0] ** 2 + v[1] ** 2))
            + 0.1 * (v[0] + v[1])
            + np.exp(0.1 * (3 - (v[0] + v[1])))
        ),
        (0.1, -0.1),
        2.3478608062433364,
        (-0.05494592073094698, -0.015025840784253647),
    ),
    (lambda v: np.cos(v[0]) * np.sin(v[1]), (0.0, 1.0), math.sin(1), (0.0, 0.5403023058681398)),
    (beale, (1.0, 2.0), 126.453125, (171.25, 278.0)),
    (beale, (0.0, 0.0), 14.203125, (-12.75, 0.0)),
    (beale, (3.0, 0.5), 0.0, (0.0, 0.0)),
    (lambda x: x, 3.0, 3.0, 1.0),
    (lambda x: x**-1, 2, 0.5, -0.25),
    (lambda v: v[1], (3.0, 4.0), 4.0, (0.0, 1.0)),
]


@pytest.mark.parametrize(("f", "at", "value", "gradient"), GOLDEN)
@GRAINS
def test_golden_values_and_gradients(f, at, value, gradient, grain):
    for argument in {type(at): at, np.ndarray: np.array(at)}.values():
        found = ad.value_and_grad(f, grain=grain)(argument)
        assert found[0] == pytest.approx(value, rel=1e-13, abs=1e-15)
        assert_close(found[1], gradient, 1e-13)


# ---- depth, memory, threads ----


def chain(x, n=1_000_000):
    for _ in range(n // 2):
        x = x * 0.999999 + 0.5
    return x


@pytest.mark.slow
def test_a_chain_of_a_million_operations():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    value, gradient = ad.value_and_grad(chain)(1.0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert gradient == pytest.approx(0.999999**500_000)
    assert value == chain(1.0)
    assert grown < 500, f"{grown:.0f} MB"


@pytest.mark.slow
def test_a_deep_graph_can_be_asked_everything():
    graph = ad.trace(chain, 1.0, n=100_000)
    assert (graph.depth, graph.width, len(graph)) == (100_001, 1, 100_002)
    assert graph.count_paths(0, graph.outputs[0]) == 1
    assert len(graph.ancestors(graph.outputs[0])) == 100_001
    assert len(graph.scopes) > 50_000
    assert "100,002 nodes" in graph.summary()


def test_a_trace_keeps_nothing_alive():
    class Big:
        pass

    def f(x):
        local = Big()
        seen.append(weakref.ref(local))
        return helper(x) * 2

    def helper(x):
        local = Big()
        seen.append(weakref.ref(local))
        return x + 1

    seen: list = []
    graph = ad.trace(f, 1.0)
    gc.collect()
    assert [reference() for reference in seen] == [None, None]
    assert len(graph) == 4
