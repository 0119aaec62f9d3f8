"""Loops that keep few states: the same gradient bit for bit, in as many operations and bytes as the cost says."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.schedules import fewest_advances

from ..derivations.test_regular_loops import ROLLED, point
from ..running import assert_same, assign, assignments


def with_and_without(f, *example, checkpoints, **options):
    return (ad.compile_gradient(f, *example, grain="array", checkpoints=k, **options) for k in (checkpoints, None))


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("checkpoints", [1, 2, 3, 7])
@pytest.mark.parametrize("f", ROLLED, ids=lambda f: f.__name__)
def test_every_loop_that_stays_one_can_keep_few_states(f, checkpoints, dtype):
    program, plain = with_and_without(f, *point(f, 0, dtype), checkpoints=checkpoints)
    pulled, plainly = (
        ad.compile_vjp(f, *point(f, 0, dtype), grain="array", checkpoints=k) for k in (checkpoints, None)
    )
    assert "steps.append" in plain.source
    assert "steps.append" not in program.source
    for seed in (1, 2):
        at = point(f, seed, dtype)
        assert_same(program(*at), plain(*at))
        assert_same(pulled(at, np.asarray(2.0, dtype)), plainly(at, np.asarray(2.0, dtype)))


@given(
    st.lists(assignments, min_size=1, max_size=5),
    st.integers(4, 9),
    st.integers(1, 9),
    st.booleans(),
    st.integers(0, 99),
)
def test_random_loops_agree_bit_for_bit(steps, n, checkpoints, has_total, seed):
    def f(W, xs, state):
        a, b, c, total = state, xs[0], np.ones(3), 0.0
        for k in range(n):
            values = [a, b, c]
            for step in steps:
                assign(values, step, W, xs[k])
            a, b, c = values
            if has_total:
                total = total + np.sum(c * c)
        return total + np.sum(a * b) + np.sum(np.sin(c)) + np.sum(state)

    draw = np.random.default_rng(seed).normal
    example, at = ((0.6 * draw(size=(3, 3)), draw(size=(n, 3)), draw(size=3)) for _ in range(2))
    plain = ad.compile_gradient(f, *example, grain="array")
    assume("reversed(range(" in plain.source)
    program = ad.compile_gradient(f, *example, grain="array", checkpoints=checkpoints)
    assert_same(program(*at), plain(*at))
    for made in (program, plain):
        uses = [use for moment in made.cost.moments for use in moment.uses()]
        assert sum(use.operations for use in uses) == made.cost.operations
        assert max(use.bytes for use in uses) == made.cost.peak_bytes
        assert made.cost.peak_bytes == max(made.cost.live)


def last_state(W, x):
    for _ in range(5):
        x = np.tanh(W @ x)
    return x


def last_value_of_each_row(W, xs):
    for x in xs:
        z = np.sin(W @ x)
        y = np.exp(z) * z
    return y, z


def state_and_what_is_made_of_it(W, x):
    y, total = x, 0.0
    for _ in range(5):
        y = np.tanh(W @ y) * x
        total = total + np.sum(y)
    for _ in range(4):
        total = total + np.sum(np.cos(y * x)) * total
    return np.sum(y * y) * total, y, total


@pytest.mark.parametrize("checkpoints", [1, 3])
@pytest.mark.parametrize(
    "f", [last_state, last_value_of_each_row, state_and_what_is_made_of_it], ids=lambda each: each.__name__
)
def test_what_a_loop_leaves_is_returned_as_it_was(f, checkpoints):
    """The loop of adjoints goes through the states again, under their names."""
    draw = np.random.default_rng(0).normal
    at = draw(size=(3, 3)), draw(size=(4, 3)) if f is last_value_of_each_row else draw(size=3)
    adjoint = f(*at)
    program, plain = (ad.compile_vjp(f, *at, grain="array", checkpoints=k) for k in (checkpoints, None))
    found = program(at, adjoint)
    assert_same(found, plain(at, adjoint))
    for (_, one), (_, other) in zip(leaves(found.values, ""), leaves(adjoint, ""), strict=True):
        np.testing.assert_allclose(one, other, 1e-12)
    _, pull = ad.vjp(f, *at)
    for one, other in zip(found.adjoints, pull(adjoint), strict=True):
        np.testing.assert_allclose(one, other, 1e-10)


def adjoints_stop_before_the_inner_loop(x):
    for _ in range(4):
        x = np.cos(x - x)
        for _ in range(3):
            x = np.where(x > x, x, np.sin(x))
    return np.sum(x)


@pytest.mark.parametrize("checkpoints", [None, 1])
def test_a_loop_whose_adjoints_nothing_takes_keeps_nothing(checkpoints):
    x = np.arange(3.0)
    program = ad.compile_gradient(adjoints_stop_before_the_inner_loop, x, grain="array", checkpoints=checkpoints)
    assert "steps" not in program.source
    assert_same(program(x).gradient, np.zeros(3))


def relaxation(x, a):
    for _ in range(100):
        x = np.tanh(a * x) + 0.5 * np.sin(x)
    return np.sum(x**2)


NUMBERS = 40_000
"""From 256 KiB on, NumPy writes temporaries over each other."""


def test_what_checkpoints_cost_and_save_is_explained():
    at = np.linspace(-1, 1, 100), np.float64(0.7)
    program, plain = with_and_without(relaxation, *at, checkpoints=5)
    law = f"at most {program.cost.peak_bytes:,} bytes in use, instead of {plain.cost.peak_bytes:,}"
    saved = plain.cost.operations - program.cost.operations
    assert program.explain()["checkpoints"] == ((law,), fewest_advances(100, 5), saved)
    assert law in repr(program.explain())
    assert saved < 0
    assert "checkpoints" not in plain.explain()


def test_bytes_bound_the_states_that_are_kept():
    at = np.linspace(-1, 1, NUMBERS), np.float64(0.7)
    few, more = (ad.compile_gradient(relaxation, *at, checkpoints=text) for text in ("1.6 MB", "6.4 MB"))
    assert "checkpoints=5" in few.source
    assert "checkpoints=20" in more.source
    with pytest.raises(ad.ProgramError, match="one state takes 320,000 bytes"):
        ad.compile_gradient(relaxation, *at, checkpoints="319 kB")


def test_bytes_are_those_at_the_shapes_of_a_call():
    program = ad.compile_gradient(relaxation, np.ones(100), 0.7, grain="array", checkpoints="4 kB")
    assert "checkpoints=5" in program.source
    program(np.ones(500), 0.7)
    assert ["checkpoints=1)" in source for source in program.specializations.values()] == [False, True]
    with pytest.raises(ad.ProgramError, match="one state takes 4,008 bytes"):
        program(np.ones(501), 0.7)


def module(program, path):
    program.save(path)
    spec = importlib.util.spec_from_file_location("saved", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(("n", "checkpoints"), [(4, 1), (10, 3), (37, 4), (100, 99)])
def test_a_saved_module_runs_as_many_iterations_as_the_optimum(n, checkpoints, tmp_path):
    def f(x):
        for _ in range(n):
            x = np.tanh(x) * 1.5
        return np.sum(x)

    x = np.linspace(-1, 1, 3)
    program, plain = with_and_without(f, x, checkpoints=checkpoints)
    saved, count = module(program, tmp_path / "saved.py"), []

    def tanh(each):
        count.append(1)
        return np.tanh(each)

    names = ("sum", "outer", "zeros", "ones", "full", "where", "float64")
    saved.np = SimpleNamespace(tanh=tanh, **{name: getattr(np, name) for name in names})
    value, gradient = saved.f_gradient(x)
    assert_same((float(value), gradient), tuple(plain(x)))
    assert len(count) == n + fewest_advances(n, checkpoints)


def readout(W, V, xs, ts):
    h, loss = np.zeros(3), 0.0
    for k in range(len(xs)):
        h = np.tanh(W @ h + xs[k])
        loss = loss + np.sum((V @ h - ts[k]) ** 2)
    return loss


def example_of_readout(n=12):
    draw = np.random.default_rng(0).normal
    return draw(size=(3, 3)), draw(size=(40, 3)), draw(size=(n, 3)), draw(size=(n, 40))


def test_what_only_the_value_needs_is_not_computed_again():
    """The losses of a recurrent network do not matter for the states after them."""
    at = example_of_readout()
    program, plain = with_and_without(readout, *at, checkpoints=2, inputs=[0, 1])
    assert_same(program(*at), plain(*at))
    assert program.source.count("V @ h_next") == 1
    assert "def advance(k, state):" in program.source
    again = program.cost.operations - plain.cost.operations
    advances = fewest_advances(12, 2)
    of_step, of_state = 18 + 3 + 3 + 240 + 40 + 40 + 40 + 1, 18 + 3 + 3
    assert again == 11 * of_step + (advances - 11) * of_state


def test_what_needs_no_state_is_computed_again_without_checkpoints():
    def f(W, xs):
        loss = 0.0
        for x in xs:
            loss = loss + np.sum(np.sin(W @ x) ** 2)
        return loss

    at = np.eye(3), np.arange(12.0).reshape(4, 3)
    program, plain = with_and_without(f, *at, checkpoints=1)
    assert "checkpointed" not in program.source
    assert "steps" not in program.source
    assert_same(program(*at), plain(*at))
    assert program.cost.peak_bytes < plain.cost.peak_bytes
    assert program.cost.operations > plain.cost.operations


def test_checkpoints_mean_programs_on_arrays():
    program = ad.compile_gradient(lambda x: [x := np.sin(x) for _ in range(4)][-1], 1.0, checkpoints=2)
    assert isinstance(program, ad.ArrayProgram)
    for compiler in (ad.compile_gradient, ad.compile_vjp):
        with pytest.raises(ad.ProgramError, match="checkpoints is an option of programs on arrays"):
            compiler(np.sin, 1.0, grain="scalar", checkpoints=2)


def test_wrong_numbers_are_refused_before_anything_else():
    for wrong in (0, -3, True, "some"):
        with pytest.raises(ad.graph.errors.OptionError, match="checkpoints is"):
            ad.compile_gradient(relaxation, np.ones(3), 0.5, checkpoints=wrong)


def test_without_a_loop_there_is_nothing_to_keep():
    with pytest.raises(ad.ProgramError, match=r"<lambda> has no loop of at least 3 iterations"):
        ad.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(3), checkpoints=2)


def test_names_of_the_users_are_kept_apart_from_those_of_the_helpers():
    def f(revolve, checkpointed, next, step):
        for _ in range(5):
            revolve = np.tanh(revolve * step) + checkpointed * next
        return np.sum(revolve)

    at = np.ones(3), np.full(3, 0.2), np.full(3, 0.3), np.full(3, 0.4)
    program, plain = with_and_without(f, *at, checkpoints=2)
    assert_same(program(*at), plain(*at))


def test_a_gradient_of_a_batch_keeps_few_states_in_each_chunk():
    def f(W, xs):
        h = xs
        for _ in range(6):
            h = np.tanh(h @ W)
        return np.sum(h**2)

    W, xs = np.eye(3) / 2, np.arange(30.0).reshape(10, 3) / 30
    program, plain = with_and_without(f, W, xs, checkpoints=2, batch=0, inputs=0)
    assert_same(program(W, xs), plain(W, xs))
