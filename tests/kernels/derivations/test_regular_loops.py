"""Loops stay loops: programs of functions that repeat the same agree with the engine, and have few lines."""

import linecache
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


ROLLED = [
    carried,
    from_zeros,
    total,
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


def point(f, seed, dtype=float):
    draw = np.random.default_rng(seed)
    shapes = [(3, 3), (3,)] if f is carried else [(3, 3), (5, 3)]
    return tuple((0.7 * draw.normal(size=shape)).astype(dtype) for shape in shapes)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("f", ROLLED + UNROLLED, ids=lambda f: f.__name__)
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


# ---- names and adjoints of the state ----


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


def assert_pulls_as_the_engine(f, example, points):
    """Values and adjoints are those of the engine, for adjoints of the results that differ in all entries."""
    program, alone = ad.compile_vjp(f, *example, grain="array"), ad.compile(f, *example, grain="array")
    for at in points:
        values, pullback = ad.vjp(f, *at)
        results = values if isinstance(values, tuple) else (values,)
        adjoints = [np.cos(k + np.arange(float(np.size(y)))).reshape(np.shape(y))[()] for k, y in enumerate(results)]
        adjoint = tuple(adjoints) if isinstance(values, tuple) else adjoints[0]
        found = program(at, adjoint)
        computed = (found.values, alone(*at))
        for one in computed:
            for y, right in zip(one if isinstance(values, tuple) else (one,), results, strict=True):
                np.testing.assert_allclose(y, right, 1e-10, 1e-12, err_msg=program.source)
        for one, right in zip(found.adjoints, pullback(adjoint), strict=True):
            np.testing.assert_allclose(one, right, 1e-9, 1e-11, err_msg=program.source)


@pytest.mark.parametrize("f", WITH_STATE, ids=lambda f: f.__name__)
def test_what_a_loop_leaves_keeps_its_value_and_adjoints_that_are_zero_are_left_out(f):
    assert_pulls_as_the_engine(f, point(f, 0), [point(f, 1), point(f, 2)])


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
        assert_pulls_as_the_engine(f, point(f, 0), [point(f, 1), point(f, 2)])
