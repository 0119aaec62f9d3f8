"""Results that a program keeps by number: right, or refused by name."""

import functools

import numpy as np
import pytest

import adviz as ad

X = np.array([0.5, 1.25])
GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])


class Squares(dict):
    def __missing__(self, key):
        self[key] = result = key * key
        return result


def contained(memo):
    def square(v):
        if v not in memo:
            memo[v] = v * v
        return memo[v]

    return square


def tried(memo):
    def square(v):
        try:
            return memo[v]
        except KeyError:
            memo[v] = v * v
            return memo[v]

    return square


def got(memo):
    def square(v):
        result = memo.get(v)
        if result is None:
            result = memo[v] = v * v
        return result

    return square


def paired(memo):
    def square(v):
        if (v, "a") not in memo:
            memo[v, "a"] = v * v
        return memo[v, "a"]

    return square


KEEPING = [
    contained,
    tried,
    got,
    paired,
    lambda memo: lambda v: memo.setdefault(v, v * v),
    lambda memo: filled_by_class(Squares(memo)),
]


def filled_by_class(squares):
    return lambda v: squares[v]


def total(square):
    return lambda x: square(x[0]) + 3.0 * square(x[1]) + square(x[0])


@GRAINS
@pytest.mark.parametrize("keeping", KEEPING)
def test_what_was_computed_in_this_trace_is_found_again(keeping, grain):
    np.testing.assert_allclose(ad.grad(total(keeping({})), grain=grain)(X), [2.0, 7.5])
    program = ad.compile_gradient(total(keeping({})), X, grain=grain, branches=True)
    np.testing.assert_allclose(program(X).gradient, [2.0, 7.5])


@GRAINS
@pytest.mark.parametrize("keeping", KEEPING)
def test_what_was_computed_from_plain_numbers_is_refused(keeping, grain):
    for number in (0.5, np.float64(0.5)):
        memo = {number: 0.25, (number, "a"): 0.25}
        with pytest.raises(ad.BranchError, match="keeps results by number"):
            ad.grad(total(keeping(memo)), grain=grain)(X)
        with pytest.raises(ad.BranchError, match="keeps results by number"):
            ad.compile_gradient(total(keeping(memo)), X, grain=grain, branches=True)


@GRAINS
def test_what_was_computed_in_an_earlier_trace_is_refused(grain):
    class Model:
        def __init__(self):
            self.known = {}

        def loss(self, x):
            if x[0] not in self.known:
                self.known[x[0]] = x[0] ** 2
            return self.known[x[0]]

    model = Model()
    assert ad.grad(model.loss, grain=grain)(X).tolist() == [1.0, 0.0]
    assert model.loss(X) == 0.25
    with pytest.raises(ad.BranchError, match=r"`self\.known` keeps results by number"):
        ad.grad(model.loss, grain=grain)(X)
    model.known.clear()
    assert ad.grad(model.loss, grain=grain)(X).tolist() == [1.0, 0.0]


def by_text(known):
    def f(x):
        key = f"at {x[0]:.6f}"
        if key not in known:
            known[key] = x[0] ** 2
        return known[key]

    return f


def by_text_in_a_pair(known):
    def f(x):
        found = known.get((str(x[0]), "a"))
        if found is None:
            found = known[str(x[0]), "a"] = x[0] ** 2
        return found

    return f


def by_text_in_the_old_way(known):
    def f(x):
        return known.setdefault("%.4f" % x[0], x[0] ** 2)  # noqa: UP031

    return f


def by_a_rounded_number(known):
    def f(x):
        key = round(float(x[0]), 3)
        try:
            return known[key]
        except KeyError:
            known[key] = x[0] ** 2
            return known[key]

    return f


@GRAINS
@pytest.mark.parametrize("keeping", [by_text, by_text_in_a_pair, by_text_in_the_old_way, by_a_rounded_number])
def test_results_of_earlier_calls_are_not_found_by_a_text_or_a_plain_number_made_of_a_traced_one(keeping, grain):
    known = {}
    f = keeping(known)
    assert ad.grad(f, grain=grain)(X).tolist() == [1.0, 0.0]
    assert ad.grad(f, grain=grain)(2.0 * X).tolist() == [2.0, 0.0]
    with pytest.raises(ad.BranchError, match="`known` keeps results by number"):
        ad.grad(f, grain=grain)(X)
    known.clear()
    assert f(X) == 0.25
    with pytest.raises(ad.BranchError, match="`known` keeps results by number"):
        ad.grad(f, grain=grain)(X)


@GRAINS
def test_inputs_with_the_same_value_do_not_get_the_result_of_each_other(grain):
    f = total(contained({}))
    with pytest.raises(ad.BranchError, match="another input with the same value"):
        ad.grad(f, grain=grain)(np.array([0.5, 0.5]))
    assert ad.grad(total(functools.cache(lambda v: v * v)), grain=grain)(np.array([0.5, 0.5])).tolist() == [2.0, 3.0]


@GRAINS
def test_keys_that_are_computed_in_two_ways_are_the_same(grain):
    memo = {}

    def sequence(x):
        if x not in memo:
            memo[x] = x if x < 1 else sequence(x - 1) + x * sequence(x - 2)
        return memo[x]

    def plain(x):
        return x if x < 1 else plain(x - 1) + x * plain(x - 2)

    expected = (plain(5.25 + 1e-6) - plain(5.25 - 1e-6)) / 2e-6
    assert ad.grad(sequence, grain=grain)(5.25) == pytest.approx(expected, rel=1e-6)


@GRAINS
def test_counting_by_number_is_a_decision(grain):
    def f(x):
        counts = {0.5: 0, 1.25: 0}
        for v in x:
            counts[v] += 1
        return counts[0.5] * x[0]

    assert ad.grad(f, grain=grain)(np.array([0.5, 0.5, 1.25])).tolist() == [2.0, 0.0, 0.0]


@GRAINS
def test_a_function_without_a_source_is_refused_too(grain):
    space = {"memo": {0.5: 0.25}}
    exec("def f(x):\n    if x not in memo:\n        memo[x] = x * x\n    return memo[x]", space)
    with pytest.raises(ad.BranchError, match="a dictionary"):
        ad.grad(space["f"], grain=grain)(0.5)
    assert ad.grad(space["f"], grain=grain)(2.0) == 4.0
