"""Programs without loops that keep few states: the same gradient bit for bit, in the operations and bytes it says."""

import re
from dataclasses import replace
from heapq import heappop, heappush
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.arrays.lowering import lower_gradient, traced
from adviz.kernels.schedules import fewest_advances
from adviz.kernels.staged_programs import in_stages, steps_of

from .running import assert_same, assign, assignments, peak_bytes


def called(written, arguments, **names):
    """What the source of a program returns, with NumPy's names or others."""
    scope = {"np": SimpleNamespace(**{name: getattr(np, name) for name in dir(np)} | names), **written.constants}
    exec(written.source, scope)
    return scope[written.name](*arguments)


def bytes_in_use(written, arguments):
    """The bytes of all that has a name, by running a program line by line; NumPy counts them."""
    scope = {"np": np, **written.constants, **dict(zip(parameters(written), arguments, strict=True))}
    body = written.rows[2:-1]
    given, found = None, []
    for k, row in enumerate(body):
        if row.term is not None and given is None:
            given = set(scope)
        exec(row.text.strip(), scope)
        if row.term is not None and (k + 1 == len(body) or body[k + 1].term is not row.term):
            found.append(sum(np.asarray(scope[name]).nbytes for name in set(scope) - given - {"__builtins__"}))
    return found


def parameters(written):
    return re.findall(r"\w+", written.rows[0].text.partition("(")[2])


LIMITS = st.one_of(st.integers(1, 6), st.sampled_from(["48 B", "100 B", "300 B", "1 kB"]))


@pytest.mark.long
@given(st.lists(assignments, min_size=2, max_size=14), LIMITS, st.booleans(), st.integers(0, 99))
@example([("choice", 2, 2, 0), ("choice", 2, 2, 1)], 1, False, 0).via("values that depend on no input")
def test_random_programs_agree_bit_for_bit(steps, checkpoints, has_total, seed):
    def f(W, x):
        values, total = [np.sin(x), x, np.ones(3)], 0.0
        for step in steps:
            made = assign(values, step, W, x)
            if has_total:
                total = total + np.sum(made**2)
        return total + np.sum(values[0] * values[1]) + np.sum(np.sin(values[2])) + np.sum(x)

    draw = np.random.default_rng(seed).normal
    at = 0.6 * draw(size=(3, 3)), draw(size=3)
    lowered = lower_gradient(traced(f, at, {}), rolled=False)
    try:
        written = replace(lowered, states=checkpoints).written()
    except ad.ProgramError:
        assume(isinstance(checkpoints, int))  # no state fits
        raise
    value, gradient = called(written, at)
    plain_value, plain_gradient = called(lowered.written(), at)
    assert_same((value, gradient), (plain_value, plain_gradient))
    for one, other in zip(gradient, ad.grad(f, argnums=(0, 1))(*at), strict=True):
        np.testing.assert_allclose(one, other, 1e-9, 1e-9)
    assume(written.runs)
    in_use = bytes_in_use(written, at)
    assert in_use == [run.bytes for run in written.runs][: len(in_use)]


WAVES = [np.sin, np.cos, np.cos, np.sin, np.sin, np.sin, np.cos, np.sin, np.cos, np.cos, np.sin, np.cos]
"""No iterations that all do the same: this is a chain of twelve equal stages."""


def waves(x):
    y = x
    for wave in WAVES:
        y = wave(y)
    return np.sum(y**2)


@pytest.mark.parametrize("checkpoints", [1, 2, 3, 5, 8])
def test_equal_stages_are_run_again_as_often_as_by_revolve(checkpoints):
    """A derivative takes what a stage begins with: the state before it is all that is computed again."""
    x, count = np.linspace(-1, 1, 50), []

    def counted(function):
        def run(each):
            count.append(1)
            return function(each)

        return run

    def evaluations(program):
        count.clear()
        called(program._first.written, [x], sin=counted(np.sin), cos=counted(np.cos))
        return len(count)

    program, plain = (ad.compile_gradient(waves, x, grain="array", checkpoints=k) for k in (checkpoints, None))
    assert_same(program(x), plain(x))
    again = fewest_advances(len(WAVES), checkpoints) - (len(WAVES) - 1)
    assert evaluations(program) - evaluations(plain) == again
    assert program.cost.operations - plain.cost.operations == again * len(x)
    assert program.explain()["checkpoints"][1:] == (again, -again * len(x))


NUMBERS = 40_000
"""From 256 KiB on, NumPy writes temporaries over each other."""


def test_the_measured_peak_is_that_of_the_cost_and_falls_with_fewer_checkpoints():
    x, peaks = np.linspace(-1, 1, NUMBERS), []
    for checkpoints in (9, 6, 4, 2):
        program = ad.compile_gradient(waves, x, checkpoints=checkpoints)
        peaks.append(program.cost.peak_bytes)
        assert 0.97 * peaks[-1] < peak_bytes(program, x) < 1.03 * peaks[-1] + 20_000
    assert peaks == sorted(peaks, reverse=True)
    plain = ad.compile_gradient(waves, x, grain="array")
    assert 2 * peaks[-1] < plain.cost.peak_bytes <= peak_bytes(plain, x)


def layers(params, x):
    h = x
    for W, b in params:
        h = np.tanh(h @ W + b)
    return np.mean(h**2)


def example_of_layers(*widths, rows=200):
    draw = np.random.default_rng(0).normal
    params = [(draw(size=pair) / 5, draw(size=pair[1])) for pair in pairwise(widths)]
    return params, draw(size=(rows, widths[0]))


@pytest.mark.parametrize("checkpoints", [2, 4, "64 kB"])
@pytest.mark.parametrize(
    "widths", [(9, 8, 7, 6, 8, 9, 5, 11, 8), (20, 18, 16, 14, 12, 10, 8), (8, 40, 8, 40, 8, 40, 8)]
)
def test_layers_of_different_widths(widths, checkpoints):
    params, x = example_of_layers(*widths)
    program, plain = (ad.compile_gradient(layers, params, x, inputs=0, grain="array", checkpoints=k)
                      for k in (checkpoints, None))  # fmt: skip
    assert_same(program(params, x), plain(params, x))
    assert program.cost.peak_bytes < 0.8 * plain.cost.peak_bytes
    assert "# forward again: h" in program.source
    pulled = ad.compile_vjp(layers, params, x, grain="array", checkpoints=checkpoints)
    plainly = ad.compile_vjp(layers, params, x, grain="array")
    assert_same(pulled((params, x), 2.0), plainly((params, x), 2.0))


def test_states_are_kept_where_few_bytes_pass():
    """A state of 8 columns takes 3,200 bytes, one of 40 columns 16,000."""
    params, x = example_of_layers(8, 40, 8, 40, 8, 40, 8, rows=50)
    program = ad.compile_gradient(layers, params, x, inputs=0, grain="array", checkpoints="8 kB")
    forward = program.source.partition("    # backward")[0]
    assert re.findall(r"del (h\w*)\n", forward)[:2] == ["h", "h_3"]


def test_adjoints_of_what_all_stages_share_do_not_wait_for_the_first_one():
    def shared(W, x):
        h = x
        for wave in WAVES:
            h = wave(h @ W + x)
        return np.sum(h**2)

    at = np.eye(5) / 2, np.ones((100, 5))
    program, plain = (ad.compile_gradient(shared, *at, grain="array", checkpoints=k) for k in (3, None))
    assert_same(program(*at), plain(*at))
    assert program.cost.peak_bytes < 0.6 * plain.cost.peak_bytes
    assert program.cost.operations < 2 * plain.cost.operations


def least_peak(steps):
    """The least peak of any order of running lines, some again: what is in use is chosen freely, by exhaustive search.

    The forward part runs first, then derivatives in their order.
    """
    order = steps.steps
    size = {step.name: step.bytes for step in order}
    forward = [step for step in order if not step.is_derivative]
    own = {step.name for step in forward}
    last = {name: k for k, step in enumerate(order) for name in (step.name, *step.reads)}
    last |= dict.fromkeys(steps.returned, len(order))
    queue, seen = [(0, 0, ())], set()
    while True:
        peak, k, live = heappop(queue)
        if k == len(order):
            return peak
        if (k, live) in seen:
            continue
        seen.add((k, live))
        passed = [step.name for step in order[:k] if step.name not in own and last[step.name] >= k]
        passed += [name for name in own & steps.returned if name in {step.name for step in order[:k]}]
        for step in (order[k], *(each for each in forward if k > 0 and each.name not in live)):
            if {name for name in step.reads if name in own} <= {*live} and step.name not in live:
                now = {*live, step.name} if step.name in own - steps.returned else {*live}
                after = sum(map(size.get, {*now, *passed, step.name}))
                heappush(queue, (max(peak, after), k + (step is order[k]), tuple(sorted(now))))
        for name in live:
            heappush(queue, (peak, k, tuple(each for each in live if each != name)))


@given(st.lists(st.tuples(st.sampled_from([np.sin, np.tanh, np.exp]), st.integers(1, 9)), min_size=3, max_size=5))
def test_few_checkpoints_take_about_as_few_bytes_as_any_order_of_lines(stages):
    widths = [4, *(width for _, width in stages)]
    weights = [np.ones(pair) / 9 for pair in zip(widths[1:], widths[:-1], strict=True)]

    def f(x, weights):
        for (wave, _), W in zip(stages, weights, strict=True):
            x = wave(W @ x)
        return np.sum(x**2)

    lowered = lower_gradient(traced(f, (np.ones(4), weights), {}, 0), rolled=False)
    written = replace(lowered, states=1).written()
    assume(written.runs)
    results = lowered.translation.results
    best = least_peak(steps_of(lowered.written(), results))
    peaks = [max(run.bytes for run in in_stages(lowered.written(), results, c).runs) for c in range(1, 12)]
    assert best <= min(peaks) <= 1.1 * best + 16


def test_where_no_memory_is_saved_it_says_why():
    with pytest.raises(ad.ProgramError, match="no two values follow each other that the derivative takes"):
        ad.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(3), checkpoints=2)
    with pytest.raises(ad.ProgramError, match=r"checkpoints=12 would save no memory: waves takes 528 bytes with them"):
        ad.compile_gradient(waves, np.ones(5), checkpoints=12)
    params, x = example_of_layers(*range(100, 112), rows=4000)
    with pytest.raises(ad.ProgramError, match="would save no memory: layers is run in blocks of rows, with at most"):
        ad.compile_gradient(layers, params, x, inputs=0, checkpoints=3)


def test_libraries_keep_as_few_states():
    params, x = example_of_layers(9, 8, 7, 6, 8, 9, 5)
    options = {"inputs": 0, "checkpoints": 2, "grain": "array"}
    program = ad.compile_gradient(layers, params, x, backend="array_api_strict", **options)
    assert "# forward again: h" in program.source
    assert "xp.tanh" in program.source
    expected = ad.compile_gradient(layers, params, x, **options)(params, x)
    for (_, one), (_, other) in zip(leaves(program(params, x), ""), leaves(expected, ""), strict=True):
        np.testing.assert_allclose(np.asarray(one), other, 1e-12)


def test_one_state_must_fit():
    with pytest.raises(ad.ProgramError, match="one state takes 4,000 bytes"):
        ad.compile_gradient(waves, np.ones(500), checkpoints="3 kB")


def test_at_other_shapes_it_need_not_save_memory():
    params, x = example_of_layers(9, 8, 7, 6, 8, 9, 5)
    program = ad.compile_gradient(layers, params, x, inputs=0, checkpoints=2)
    assert_same(
        program(params, x[:1]), ad.compile_gradient(layers, params, x[:1], inputs=0, grain="array")(params, x[:1])
    )
    assert "forward again" not in program.specializations[[*program.specializations][-1]]
