"""Loops stay loops: programs of functions that repeat the same agree with the engine, and have few lines."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.derivations.regular_loops import loops_of


def carried(W, x):
    for _ in range(4):
        x = np.tanh(W @ x)
    return np.sum(x)


def from_zeros(W, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(W @ h + x)
    return np.sum(h**2)


def neighbors(W, xs):
    found = 0.0
    for k in range(1, 4):
        found = found + np.sum((W @ xs[k] - xs[k - 1]) ** 2)
    return found


def two_loops(W, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(W @ h + x)
    y = h
    for _ in range(3):
        y = y * np.sin(y) + h
    return np.sum(y)


def different_at_first(W, xs):
    h = None
    for x in xs:
        h = W @ x if h is None else np.tanh(W @ h) * x
    return np.sum(h)


def last_used(W, xs):
    h = np.zeros(3)
    for x in xs:
        z = W @ h + x
        h = np.tanh(z)
    return np.sum(h * z)


def state_of_two_iterations(W, xs):
    a, b = xs[0], xs[1]
    for _ in range(4):
        a, b = b, W @ a
    return np.sum(a * b)


def a_column_at_a_time(W, xs):
    found = 0.0
    for k in range(3):
        found = found + np.sum(W[:, k] * xs[k + 1]) ** 2
    return found


def irregular(W, xs):
    h = np.zeros(3)
    for k, x in enumerate(xs):
        h = np.tanh(W @ h + x) if k % 2 else np.sin(W @ h + x)
    return np.sum(h)


def different_numbers(W, xs):
    h = np.zeros(3)
    for k, x in enumerate(xs):
        h = np.tanh(W @ h + 0.1 * k * x)
    return np.sum(h)


def every_iteration_kept(W, xs):
    hs = [xs[0]]
    for x in xs:
        hs.append(np.tanh(W @ hs[-1] + x))
    return np.sum(np.stack(hs) ** 2)


def longer_from_the_second_on(W, xs):
    h = W[0, 0]
    for x in xs:
        h = np.sin(h) * x
    return np.sum(h)


def shifted_after_the_state(W, xs):
    h = xs[0]
    for x in xs:
        z = h + 1
        h = np.tanh(W @ z) * x
    return np.sum(h * z)


def nested(n):
    def loops(W, xs):
        h = np.zeros(3)
        for x in xs:
            for _ in range(n):
                h = np.tanh(W @ h + x)
        return np.sum(h)

    return loops


unrolled_within, nested_loops = nested(2), nested(4)


def nested_with_entries(W, xs):
    found = 0.0
    for x in xs:
        scale = np.sin(x)
        for k in range(3):
            found = found + x[k] * np.sum(W[k] * scale) ** 2
        found = found * np.cos(x[0])
    return found


def nested_twice(W, xs):
    h, total = xs[0], 0.0
    for x in xs:
        y = np.exp(0.1 * x)
        for _ in range(3):
            z = np.sin(h) * y
            for _ in range(4):
                h = np.tanh(W @ h + z)
            total = total + np.sum(h * z)
        h = h * y + x
    return total + np.sum(h)


def two_within_one(W, xs):
    h, c = xs[0], xs[1]
    for x in xs:
        for _ in range(3):
            h = np.sin(W @ h) + c
        for _ in range(4):
            c = np.cos(c) * h
        h = h * c * x
    return np.sum(h + c)


NESTED = [nested_loops, nested_with_entries, nested_twice, two_within_one]

ROLLED = [
    carried,
    from_zeros,
    neighbors,
    two_loops,
    unrolled_within,
    different_at_first,
    last_used,
    a_column_at_a_time,
    longer_from_the_second_on,
    shifted_after_the_state,
]
UNROLLED = [state_of_two_iterations, irregular, different_numbers, every_iteration_kept]


def point(f, seed, dtype=float):
    draw = np.random.default_rng(seed)
    shapes = [(3, 3), (3,)] if f is carried else [(3, 3), (5, 3)]
    return tuple((0.7 * draw.normal(size=shape)).astype(dtype) for shape in shapes)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("f", ROLLED + UNROLLED + NESTED, ids=lambda f: f.__name__)
def test_programs_with_loops_agree_with_the_engine(f, dtype):
    program = ad.compile_gradient(f, *point(f, 0, dtype), grain="array")
    pulled = ad.compile_vjp(f, *point(f, 0, dtype), grain="array")
    alone = ad.compile(f, *point(f, 0, dtype), grain="array")
    close = {"rtol": 1e-10, "atol": 1e-12} if dtype is float else {"rtol": 3e-4, "atol": 3e-5}
    for seed in (1, 2):
        at = point(f, seed, dtype)
        before = [each.copy() for each in at]
        value, gradient = ad.value_and_grad(f, (0, 1))(*at)
        found = program(*at)
        np.testing.assert_allclose(found.value, value, **close)
        np.testing.assert_allclose(alone(*at), value, **close)
        twice = pulled(at, np.asarray(2.0, dtype))
        for one, both, right, argument in zip(found.gradient, twice.adjoints, gradient, at, strict=True):
            np.testing.assert_allclose(one, right, **close)
            np.testing.assert_allclose(both, 2 * right, **close)
            assert one.dtype == dtype
            assert not np.shares_memory(one, argument)
        for kept, argument in zip(before, at, strict=True):
            np.testing.assert_array_equal(kept, argument)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("f", ROLLED + UNROLLED + NESTED, ids=lambda f: f.__name__)
def test_tangents_of_loops_agree_with_the_engine(f, dtype):
    along = ad.compile_jvp(f, *point(f, 0, dtype), grain="array")
    twice = ad.compile_hvp(f, *point(f, 0, dtype), grain="array")
    close = {"rtol": 1e-9, "atol": 1e-11} if dtype is float else {"rtol": 2e-3, "atol": 2e-4}
    for seed in (1, 2):
        at, tangents = point(f, seed, dtype), point(f, seed + 10, dtype)
        value, tangent = ad.jvp(f, at, tangents)
        found = along(at, tangents)
        np.testing.assert_allclose(found.values, value, **close)
        np.testing.assert_allclose(found.tangents, tangent, **close)
        assert np.asarray(found.tangents).dtype == np.asarray(found.values).dtype
        value, gradient, product = twice(at, tangents)
        np.testing.assert_allclose(value, f(*at), **close)
        exact, moved = ad.grad(f, (0, 1))(*at), ad.hvp(f, at, tangents)
        for found, right in zip((*gradient, *product), (*exact, *moved), strict=True):
            np.testing.assert_allclose(found, right, **close)
            assert found.dtype == dtype


@pytest.mark.parametrize("f", ROLLED, ids=lambda f: f.__name__)
def test_tangents_are_written_in_the_loop_of_their_values(f):
    source = ad.compile_jvp(f, *point(f, 0), grain="array").source
    assert source.count("for k") == (2 if f is two_loops else 1)
    assert "_dot" in source.partition("for k")[2]
    assert len(source.splitlines()) <= 36
    source = ad.compile_hvp(f, *point(f, 0), grain="array").source
    assert source.count("for k") == (4 if f is two_loops else 2)


@pytest.mark.parametrize("f", ROLLED, ids=lambda f: f.__name__)
def test_what_is_repeated_is_written_once(f):
    program = ad.compile_gradient(f, *point(f, 0), grain="array")
    assert "for k in range(" in program.source
    assert "for k in reversed(range(" in program.source
    assert len(program.source.splitlines()) <= 36


@pytest.mark.parametrize("f", NESTED, ids=lambda f: f.__name__)
def test_loops_within_loops_are_loops(f):
    loops = {nested_loops: 2, nested_with_entries: 2, nested_twice: 3, two_within_one: 3}[f]
    for compiled, sweeps in ((ad.compile, 1), (ad.compile_gradient, 2), (ad.compile_jvp, 1), (ad.compile_hvp, 2)):
        source = compiled(f, *point(f, 0), grain="array").source
        assert len(re.findall(r"for k\w* in", source)) == loops * sweeps


@pytest.mark.parametrize("f", UNROLLED, ids=lambda f: f.__name__)
def test_iterations_that_differ_are_written_one_by_one(f):
    assert "for " not in ad.compile_gradient(f, *point(f, 0), grain="array").source.replace("# for", "")


def test_loops_within_loops_have_as_many_lines_whatever_their_lengths():
    def source(compiled, n):
        return compiled(nested(n), np.eye(3), np.ones((n, 3)), grain="array").source

    for compiled in (ad.compile_gradient, ad.compile_jvp, ad.compile_hvp):
        assert len(source(compiled, 4).splitlines()) == len(source(compiled, 30).splitlines())


def test_two_iterations_are_no_loop():
    assert loops_of(ad.trace(lambda x: [x := np.sin(x) for _ in range(2)][-1], 1.0)) == []


def test_what_a_loop_leaves_is_used_in_a_line_that_is_too_long():
    """The state has a name already, and gets no second one."""

    def f(W, some_rather_long_name_of_the_other_argument):
        x = W
        for _ in range(4):
            x = np.tanh(x)
        other = some_rather_long_name_of_the_other_argument
        return np.sum(np.hypot(np.hypot(x, other), np.hypot(np.hypot(other, other + 1), np.hypot(x, other + 2))))

    a, b = np.ones((2, 3)), np.full((2, 3), 0.5)
    for point in ((a, b), (b, a)):
        found = ad.compile_gradient(f, a, b, grain="array")(*point)
        np.testing.assert_allclose(found.gradient[0], ad.grad(f)(*point), 1e-12)


def test_a_loop_that_carries_nothing():
    def f(x):
        for _ in range(3):
            y = (x + x) / 2
        return np.sum(y * WEIGHTS)

    found = ad.compile_gradient(f, WEIGHTS, grain="array")(2 * WEIGHTS)
    np.testing.assert_allclose(found.gradient, WEIGHTS, 1e-12)


WEIGHTS = np.cos(np.arange(6.0)).reshape(2, 3)


def test_the_cost_of_a_loop_grows_with_its_iterations():
    def cost(n):
        def f(W, x):
            for _ in range(n):
                x = np.tanh(W @ x)
            return np.sum(x)

        return ad.compile_gradient(f, np.eye(3), np.ones(3), grain="array").cost

    assert cost(20).operations > 1.8 * cost(10).operations
    assert cost(20).peak_bytes > 1.5 * cost(10).peak_bytes
