"""The quick road to gradients over arrays: what it must not mix up, write to, or leave out."""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.derivatives import fast_gradients, gradients
from adviz.engine.fast_reverse import applies
from adviz.engine.trace import record

from .derivatives import assert_close, central_gradients


def _written(make):
    """A program that writes into an array, with a name."""

    def f(m, v):
        out = m * 1.0
        make(out, m, v)
        return np.sum(np.sin(out) * m)

    return f


def _each(out, m, v):
    for k in range(4):
        out[k % 3, k] = np.sin(v[k]) * m[0, k]


def _stencil(out, m, v):
    out[1:-1] += out[2:] * v - out[:-2]
    out[1:-1] += out[2:] * v - out[:-2]


def _swapped(out, m, v):
    out[[0, 2]] = out[[2, 0]]
    out[0], out[1] = out[1] * v, out[0].copy()


def _masked(out, m, v):
    out[out > 1] = 3.0
    out[m < 1] = v[0]
    out[:, [1, 3]] = m[:, :2]


def _versions(m, v):
    out = v * 2.0
    early = out * m
    out[1] = m[0, 0]
    late = out * m
    out[1:3] = v[:2]
    return np.sum(early * late * out)


def _version(v):
    out = np.zeros(4)
    out[1] = v[0] ** 2
    out[0] = v[1] * out[1]
    return out


M = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))
V = np.array([0.3, -0.5, 0.7, 0.2])
PROGRAMS = {
    "one adjoint for two operands": lambda m, v: np.sum((m + m) * (m + v) - (m - m * v)),
    "fan-out of what was passed on": lambda m, v: np.sum(np.exp(m + v) + (m + v)) + np.sum(m) * np.sum(m * m),
    "rows and columns": lambda m, v: np.sum(np.sum(m, axis=1, keepdims=True) * m / (1 + v * v)),
    "sums of sums": lambda m, v: np.sum(np.mean(m * v, axis=0) * np.sum(m, axis=0)) + np.mean(m, axis=(0, 1)),
    "a number for all": lambda m, v: np.sum(m * 2.0 - 3.0 / m) * np.sum(v) * v[0] ** 2,
    "an entry twice": lambda m, v: np.sum(m[[0, 0, 2], [1, 1, 3]] * v[[1, 1, 0]]) + np.sum(m[1] * m[1:, 0].sum()),
    "parts and the whole": lambda m, v: np.sum(m[1:] * m[:-1]) + np.sum(np.sin(m)) + np.sum(m[..., 2] ** 2),
    "only parts": lambda m, v: np.sum(m[0] * v[::-1]),
    "the largest": lambda m, v: np.sum(np.max(m, axis=1) * np.min(m, axis=1)) + np.max(m) * np.min(v),
    "the largest, kept": lambda m, v: np.sum(np.exp(m - np.max(m, axis=1, keepdims=True))) + np.max(m, axis=(0, 1)),
    "ties": lambda m, v: np.max(np.concatenate([v, v])) + np.sum(np.max(np.stack([m, m]), axis=0) * m),
    "products": lambda m, v: np.sum(np.tanh(m @ v) @ m) + np.sum((m @ m.T) @ m) + v @ v,
    "a product of a sum": lambda m, v: np.sum(np.sum(m @ np.outer(v, v), axis=0)) + np.sum(m.T @ m),
    "moves": lambda m, v: np.sum(np.reshape(m, (4, 3)).T * m + np.roll(v, 1) * v) + np.sum(np.stack([v, v * v]) ** 2),
    "axes in another order": lambda m, v: np.sum(np.transpose(m.reshape(2, 3, 2), (2, 0, 1)) * m[:2, :3]),
    "an axis for a number": lambda m, v: np.sum(np.sum(v)[None] * m) + np.sum(m[True] * v),
    "kinks": lambda m, v: np.sum(np.abs(v) + np.abs(v * 2)) + np.sum(np.maximum(m, 1.0) * np.where(m > 1, m, v)),
    "entries written one by one": _written(_each),
    "a stencil written in place": _written(_stencil),
    "rows swapped": _written(_swapped),
    "written where a condition holds": _written(_masked),
    "added at places that repeat": _written(lambda out, m, v: np.add.at(out, ([0, 0, 1], [1, 1, 2]), v[:3])),
    "a version that is used after it was written to": lambda m, v: _versions(m, v),
    "a sum of a version": lambda m, v: np.sum(_version(v)) + _version(v)[0] * m[0, 0],
    "not used": lambda m, v: np.sum(v * 2) + 0 * v[0],
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_it_agrees_with_the_definition_and_with_differences(f):
    recorded = record(f, (M, V), {}, "array")
    assert applies(recorded.tape)
    (value, quick), (expected, defined) = fast_gradients(recorded), gradients(recorded)
    assert value == expected
    for found, one, other in zip(quick, defined, central_gradients(f, (M, V)), strict=True):
        assert_close(found, one, 1e-14)
        if f is not PROGRAMS["ties"]:
            assert_close(found, other)


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_arguments_stay_as_they_are_and_gradients_are_arrays_of_their_own(f):
    m, v = M.copy(), V.copy()
    by_m, by_v = ad.grad(f, (0, 1))(m, v)
    expected = by_m.copy()
    assert not any(np.shares_memory(one, other) for one in (by_m, by_v) for other in (m, v))
    by_v[:] = 7.0
    assert_close(by_m, expected, 0.0)
    by_m[:] = 7.0
    assert (m.tolist(), v.tolist()) == (M.tolist(), V.tolist())


def test_a_constant_that_is_written_to_afterwards_counts_as_it_was():
    def f(x):
        factors, total = np.ones(4), 0.0
        for k in range(3):
            factors[:] = k
            total = total + np.sum(x * factors)
        return total

    assert_close(ad.grad(f)(V), [3, 3, 3, 3])


def test_an_argument_that_is_a_view_can_be_changed_in_place_inside():
    def f(x):
        x *= 2.0
        return np.sum(x * x)

    m = M.copy()
    assert_close(ad.grad(f)(m[0]), 8 * M[0])
    assert_close(ad.grad(f)(m), 8 * M)
    assert m.tolist() == M.tolist()


def test_constants_that_are_whole_numbers_do_not_overflow():
    large = np.full(4, 3_000_000_000)
    assert_close(ad.grad(lambda x: np.sum(x * large * large * large))(V), [2.7e28] * 4, 1e-14)


def test_a_rule_may_give_booleans():
    ramp = np.frompyfunc(lambda x: x, 1, 1)
    ad.define(ramp, lambda y, x: x > 0)
    block = ad.engine.blocks.BLOCK_OF.pop(ramp)
    block.compute = lambda x: np.maximum(x, 0.0)
    assert_close(ad.grad(lambda x: np.sum(block(x) + block(x)))(V), [2, 0, 2, 2])


def test_nan_beside_a_tie():
    def f(x):
        return np.sum(np.max(x, axis=1)[1:])

    x = np.array([[np.nan, 1.0], [2.0, 2.0]])
    quick, defined = (road(record(f, (x,), {}, "array"))[1][0] for road in (fast_gradients, gradients))
    assert np.isnan(quick[0]).all()
    assert_close(quick[1], defined[1])
    assert_close(ad.grad(f)(x), [[0, 0], [0.5, 0.5]])


def test_arrays_that_a_rule_holds_are_not_written_to():
    kept = np.array([1.0, 2.0, 3.0, 4.0])
    ramp = np.frompyfunc(lambda x: x, 1, 1)
    ad.define(ramp, lambda y, x: kept)
    block = ad.engine.blocks.BLOCK_OF.pop(ramp)
    block.compute = lambda x: kept * x
    assert_close(ad.grad(lambda x: np.sum(block(x) * x))(V), 2 * kept * V)
    assert kept.tolist() == [1, 2, 3, 4]


def test_a_block_of_ones_own():
    class cumulated(ad.Block):
        def data_fn(self, x):
            return np.cumsum(x.data)

        def get_jacobians(self, x):
            return [np.tri(x.size)]

    assert_close(ad.grad(lambda x: np.sum(cumulated()(x) * x * 1.0))(np.ones(3)), np.tri(3).sum(0) + np.tri(3).sum(1))


def test_mixed_precision_gives_the_gradient_in_the_argument_s():
    x = M.astype(np.float32)
    found = ad.grad(lambda x: np.sum(np.exp(x) * M * x[0]))(x)
    assert found.dtype == np.float32
    (expected,) = central_gradients(lambda x: np.sum(np.exp(x) * M * x[0]), (M,))
    assert_close(found, expected, 1e-5)


def test_infinity_is_reported_where_it_was_born_if_it_comes_out():
    def f(x):
        y = np.log(x)
        return np.sum(y)

    with pytest.warns(ad.NonFiniteWarning, match=r"infinity arises in node 1, y \(log\).*\n.*np\.log\(x\)"):
        assert ad.value_and_grad(f)(np.array([0.0, 1.0]))[0] == -np.inf
    with pytest.warns(ad.NonFiniteWarning, match=r"NaN arises in node 1, .*sqrt"):
        assert_close(ad.grad(lambda x: np.sum(np.sqrt(x)[1:]))(np.array([-1.0, 4.0])), [0, 0.25])


def test_a_large_gradient_is_not_taken_for_infinity():
    assert_close(ad.grad(lambda x: np.sum(1e200 * x))(V), [1e200] * 4)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.sum(x) + np.sum(x), [2, 2, 2]),
        (lambda x: np.mean(x) * np.sum(x), [2, 2, 2]),
        (lambda x: np.sum(np.stack([np.sum(x), np.sum(x)])), [2, 2, 2]),
        (lambda x: np.cbrt(np.sum(x) - 3.0), [np.inf, np.inf, np.inf]),
        (lambda x: np.sqrt(np.sum(x) - 3.0), [np.inf, np.inf, np.inf]),
    ],
)
def test_numbers_that_many_sums_hand_back_to(f, expected):
    with warnings.catch_warnings(action="ignore"):
        np.testing.assert_array_equal(ad.grad(f)(np.ones(3)), expected)


@pytest.mark.parametrize("dtype", [float, np.float32])
def test_a_number_that_is_also_used_with_more_axes(dtype):
    """NumPy makes numbers, which cannot be written into, of arrays without axes."""

    def f(x):
        return np.sin(x) * x + np.sum(x[None] * 2) + np.sum(np.exp(x)[None, None])

    x = dtype(2.0)
    found = ad.grad(f)(x)
    assert isinstance(found, dtype)
    np.testing.assert_allclose(found, np.cos(x) * x + np.sin(x) + 2 + np.exp(x), 1e-6)


def test_the_mean_of_nothing_has_an_empty_gradient():
    with warnings.catch_warnings(action="ignore"):
        assert ad.grad(np.mean)(np.zeros(0)).shape == (0,)
