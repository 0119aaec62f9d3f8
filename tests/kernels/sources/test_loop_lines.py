"""Names of loops: what a loop leaves keeps its value, and random loops agree with the engine."""

import linecache
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad

from ..derivations.test_regular_loops import from_zeros, point
from ..running import assert_alike


def state_returned(W, xs):
    h = xs[0]
    for x in xs:
        h = np.tanh(W @ h + x)
    return h, h * xs[1]


def state_used_after_the_way_back(W, xs):
    v = xs[0]
    for _ in range(4):
        v = W @ v
        v = v / np.linalg.norm(v)
    return v @ W @ v


def state_of_the_next_loop(W, xs):
    b = xs[0]
    for x in xs:
        h = np.tanh(np.maximum(b, x))
        h = np.tanh(np.maximum(h, b))
    for _ in range(3):
        h = np.cos(h + b * 0.3)
    return np.sum(h * b)


def state_that_is_overwritten(W, xs):
    h = xs[0]
    for x in xs:
        c = np.tanh(x * h)
        c = c + x
        h = np.tanh(c * x)
        y = np.sin(c)
        h = np.cos(x)
    return y


def state_that_only_the_last_iteration_needs(W, xs):
    c = xs[0] * xs[1]
    for x in xs:
        y = np.tanh(W.T @ c * np.sin(c))
        c = np.tanh(np.maximum(xs[2], x))
    return y


def state_that_nothing_needs(W, xs):
    h, total = 0.5 * xs[0], 0.0
    for x in xs:
        h = 0.5 * h + 0.1 * xs[0] * h
        z = np.tanh(W @ x)
        total = total + np.sum(x * x)
    return z, total


def state_with_an_adjoint_in_one_result_only(W, xs):
    h, c = np.tanh(xs[0]), xs[1]
    for x in xs:
        h, c = c, np.tanh(np.where(h > 0, xs[2], 0.1 * c))
        y = np.tanh(x * xs[2] - c)
    return y, c


def sum_that_begins_with_a_sum(W, xs):
    total = np.sum(xs)
    for x in xs:
        total = total + np.sum(W @ x)
    return total


def product_with_zeros(W, xs):
    c, total = np.zeros(3), 0.0
    for _ in xs:
        total = total + np.sum(W @ c * c)
    return total


WITH_STATE = [
    state_returned,
    state_used_after_the_way_back,
    state_of_the_next_loop,
    state_that_is_overwritten,
    state_that_only_the_last_iteration_needs,
    state_that_nothing_needs,
    state_with_an_adjoint_in_one_result_only,
    sum_that_begins_with_a_sum,
    product_with_zeros,
]


def assert_flows_as_in_the_engine(f, example, points):
    """Values, tangents and adjoints are those of the engine, for adjoints of the results that differ in all entries."""
    program, alone, along = (each(f, *example, grain="array") for each in (ad.compile_vjp, ad.compile, ad.compile_jvp))
    for at in points:
        values, pullback = ad.vjp(f, *at)
        results = values if isinstance(values, tuple) else (values,)
        adjoints = [np.cos(k + np.arange(float(np.size(y)))).reshape(np.shape(y))[()] for k, y in enumerate(results)]
        adjoint = tuple(adjoints) if isinstance(values, tuple) else adjoints[0]
        found = program(at, adjoint)
        pushed, tangents = along(at, at), ad.jvp(f, at, at)[1]
        for one in (found.values, alone(*at), pushed.values):
            assert_alike(one, values)
        assert_alike(pushed.tangents, tangents, 1e-9)
        assert_alike(found.adjoints, tuple(pullback(adjoint)), 1e-9)


@pytest.mark.parametrize("f", WITH_STATE, ids=lambda f: f.__name__)
def test_what_a_loop_leaves_keeps_its_value_and_adjoints_that_are_zero_are_left_out(f):
    assert_flows_as_in_the_engine(f, point(f, 0), [point(f, 1), point(f, 2)])


def test_what_is_needed_after_the_way_back_gets_a_name_of_its_own_and_nothing_else_does():
    source = ad.compile_vjp(state_returned, *point(state_returned, 0), grain="array").source
    assert "h_last = h" in source
    assert "_last" not in ad.compile_gradient(from_zeros, *point(from_zeros, 0), grain="array").source


# ---- random loops ----

TAKEN = ["h", "c", "b", "x", "W @ h", "W.T @ c", "h[::-1]"]
FORMS = [
    "np.tanh({a} + {b})",
    "np.sin({a}) * {b}",
    "0.5 * {a} + 0.1 * {b}",
    "{a} / (1 + ({b})**2)",
    "np.where({a} > 0, {a}, 0.1 * {b})",
    "np.maximum({a}, {b})",
    "{a} - np.mean({b})",
]


@st.composite
def loops(draw):
    """The source of a function with one or two loops, whose state is returned, and used before, within and after."""
    expressions = st.builds(str.format, st.sampled_from(FORMS), a=st.sampled_from(TAKEN), b=st.sampled_from(TAKEN))
    over = draw(st.sampled_from(["range(4)", "range(1, 5)", "range(4, -1, -1)"]))
    lines = [
        "def f(W, xs):",
        "    b = xs[0]",
        f"    h = {draw(st.sampled_from(['b', 'np.zeros(3)', 'np.tanh(b)', 'xs[1] * b']))}",
        f"    c = {draw(st.sampled_from(['b', 'np.zeros(3)', 'h * b', 'xs[2]']))}",
        "    total = 0.0",
        f"    for k in {over}:",
        "        x = xs[k]",
        *(f"        {draw(st.sampled_from('hcyh'))} = {draw(expressions)}" for _ in range(draw(st.integers(1, 4)))),
        draw(st.sampled_from(["        h, c = c, np.tanh(h)", "        total = total + np.sum(h * c)"])),
    ]
    if draw(st.booleans()):
        again = ["h = np.cos(c + 0.3 * h)", "c = np.sin(c * b)", "h = np.cos(h * b)"]
        lines += ["    for _ in range(3):", f"        {draw(st.sampled_from(again))}"]
    results = draw(st.lists(st.sampled_from(["h", "c", "total", "h * c", "np.sum(h * W)"]), min_size=1, max_size=3))
    return "\n".join([*lines, f"    return {', '.join(results)},"])


def defined(source):
    """The function of a source that tracebacks and the tracer can read."""
    name = f"<loop {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"np": np}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


@given(loops())
@settings(max_examples=60)
def test_random_loops_agree_with_the_engine(source):
    f = defined(source)
    with warnings.catch_warnings(action="ignore"):
        assert_flows_as_in_the_engine(f, point(f, 0), [point(f, 1), point(f, 2)])


# ---- loops that write ----

WRITES = [
    "x[1:] *= 0.27",
    "x[1:] = np.sin(x[:-1])",
    "y[:-1] += x[1:]",
    "x[[0, 2]] += y[:2]",
    "x[0] = 0.5 * y[2]",
    "y[k % 3] = x[(k + 1) % 3]",
    "np.add.at(x, [0, 0, 2], y)",
    "x[1:2] = 0.3",
    "y = np.pad(x[1:], (0, 1))",
    "x = np.concatenate([x[1:], y[:1]])",
    "x, y = 0.5 * y, x",
    "y = np.tanh(x) * y",
]
"""Lines of loops over two vectors of three numbers."""


def assert_moves_as_the_engine(lines, iterations):
    """Tangents, and Hessians times tangents, are those of the engine."""
    head = ["def f(x):", "    y = np.cos(x)", f"    for k in range({iterations}):"]
    f = defined("\n".join([*head, *(f"        {line}" for line in lines), "    return np.sum(1.1 * x + x * y)"]))
    x, v = np.array([0.3, -0.5, 0.8]), np.array([0.7, 0.2, -0.4])
    with warnings.catch_warnings(action="ignore"):
        pushed, second = ad.compile_jvp(f, x, grain="array"), ad.compile_hvp(f, x, grain="array")
        for at in (x, -x):
            np.testing.assert_allclose(pushed((at,), (v,))[1], ad.grad(f)(at) @ v, 1e-9, err_msg=pushed.source)
            np.testing.assert_allclose(
                second((at,), (v,))[2], ad.hvp(f, (at,), (v,))[0], 1e-8, 1e-9, err_msg=second.source
            )


@pytest.mark.parametrize("line", WRITES)
def test_tangents_of_loops_that_write(line):
    assert_moves_as_the_engine([line], 4)


@given(st.lists(st.sampled_from(WRITES), min_size=2, max_size=3), st.sampled_from([3, 5]))
@settings(max_examples=20)
def test_tangents_of_random_loops_that_write(lines, iterations):
    assert_moves_as_the_engine(lines, iterations)
