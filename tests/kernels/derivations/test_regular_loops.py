"""Loops stay loops: programs of functions that repeat the same agree with the engine, and have few lines."""

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


def total(W, xs):
    found = 0.0
    for x in xs:
        found = found + np.sum(np.sin(W @ x))
    return found


def neighbors(W, xs):
    found = 0.0
    for k in range(1, 4):
        found = found + np.sum((W @ xs[k] - xs[k - 1]) ** 2)
    return found


def backwards(W, xs):
    h = xs[0]
    for k in range(4, -1, -1):
        h = np.cos(W @ h) * xs[k]
    return np.sum(h)


def two_loops(W, xs):
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(W @ h + x)
    y = h
    for _ in range(3):
        y = y * np.sin(y) + h
    return np.sum(y)


def nested(W, xs):
    h = np.zeros(3)
    for x in xs:
        for _ in range(2):
            h = np.tanh(W @ h + x)
    return np.sum(h)


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


def two_loops_of_one_sum(W, xs):
    found = 0.0
    for x in xs:
        found = found + np.sum(np.sin(W @ x))
    for x in xs:
        found = found + np.sum(np.cos(W @ x) * x)
    return found


def nothing_left_to_do_backward(W, xs):
    found = np.sum(W)
    for _ in xs:
        found = found + 2.0
    return found * np.sum(xs)


def a_column_at_a_time(W, xs):
    found = 0.0
    for k in range(3):
        found = found + np.sum(W[:, k] * xs[k + 1]) ** 2
    return found


def step(W, h, x):
    return np.tanh(W @ h + x)


def by_a_function(W, xs):
    h = np.zeros(3)
    for x in xs:
        h = step(W, h, x)
    return np.sum(h)


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


def what_matters_for_nothing_is_carried(W, xs):
    a, b = xs[0], xs[1]
    for x in xs:
        b = W @ b + a
        a = np.sin(a * x)
        b = np.cos(W @ a)
    return np.sum(a) + np.sum(b)


ROLLED = [
    carried,
    from_zeros,
    total,
    two_loops_of_one_sum,
    neighbors,
    backwards,
    two_loops,
    nested,
    different_at_first,
    last_used,
    a_column_at_a_time,
    by_a_function,
]
UNROLLED = [state_of_two_iterations, irregular, different_numbers, every_iteration_kept]
UNROLLED += [what_matters_for_nothing_is_carried]


def point(f, seed, dtype=float):
    draw = np.random.default_rng(seed)
    shapes = [(3, 3), (3,)] if f is carried else [(3, 3), (5, 3)]
    return tuple((0.7 * draw.normal(size=shape)).astype(dtype) for shape in shapes)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("f", [*ROLLED, *UNROLLED, nothing_left_to_do_backward], ids=lambda f: f.__name__)
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
        for one, both, right, given in zip(found.gradient, twice.adjoints, gradient, at, strict=True):
            np.testing.assert_allclose(one, right, **close)
            np.testing.assert_allclose(both, 2 * right, **close)
            assert one.dtype == dtype
            assert not np.shares_memory(one, given)
        for kept, given in zip(before, at, strict=True):
            np.testing.assert_array_equal(kept, given)


@pytest.mark.parametrize("f", ROLLED, ids=lambda f: f.__name__)
def test_what_is_repeated_is_written_once(f):
    program = ad.compile_gradient(f, *point(f, 0), grain="array")
    assert "for k in range(" in program.source
    assert "for k in reversed(range(" in program.source
    assert len(program.source.splitlines()) <= 36


@pytest.mark.parametrize("f", UNROLLED, ids=lambda f: f.__name__)
def test_iterations_that_differ_are_written_one_by_one(f):
    assert "for " not in ad.compile_gradient(f, *point(f, 0), grain="array").source.replace("# for", "")


def test_a_loop_of_a_thousand_iterations_has_as_many_lines_as_one_of_ten():
    def f(W, xs):
        h = np.zeros(3)
        for x in xs:
            h = np.tanh(W @ h + x)
        return np.sum(h)

    sources = [ad.compile_gradient(f, np.eye(3), np.ones((n, 3)), grain="array").source for n in (10, 1000)]
    assert len(sources[0].splitlines()) == len(sources[1].splitlines())


def test_two_iterations_are_no_loop():
    assert loops_of(ad.trace(lambda x: [x := np.sin(x) for _ in range(2)][-1], 1.0)) == []


def test_what_is_not_finite_in_a_loop_is_reported_with_its_place():
    def f(x):
        for _ in range(5):
            x = np.log(x)
        return np.sum(x)

    program = ad.compile_gradient(f, np.full(3, 1e300), grain="array")
    with pytest.warns(ad.NonFiniteWarning, match="arises in log"):
        program(np.full(3, 0.5))


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
