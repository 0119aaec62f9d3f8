"""Products in the order that costs least: the same values, and never more operations."""

from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.rules.matrix_products import MATMUL
from adviz.engine.rules.reshaping import RESHAPE, TRANSPOSE
from adviz.kernels.terms.array_terms import MULTIPLY, in_order, work
from adviz.kernels.terms.linear_rules import simplifying
from adviz.kernels.terms.product_chains import Factor, chain_of, in_cheapest_order, planned, turned

from .values import value_of

SIZES = [1, 2, 3, 7]


class Lowered:
    """Random terms with products in them; ``values`` are those of the inputs."""

    def __init__(self, seed, users):
        self.draw = np.random.default_rng(seed)
        self.terms, self.values, self.made = simplifying(), [], []
        for rows in SIZES:
            for columns in SIZES:
                self.input(rows, columns)
            self.input(rows)
        for _ in range(users):
            self.grow()
        self.terms.derivative_from = len(self.terms.known)

    def input(self, *shape):
        self.values.append(self.draw.normal(size=shape))
        self.made.append(self.terms.input(len(self.values) - 1, shape, np.dtype(float)))

    def pick(self, fits=lambda term: True):
        found = [term for term in self.made if fits(term)]
        return found[self.draw.integers(max(0, len(found) - 12), len(found))]

    def grow(self):
        """One more term, mostly a product."""
        a, apply = self.pick(), self.terms.apply
        match self.draw.integers(8):
            case 0 if len(a.shape) == 2:
                found = apply(TRANSPOSE, a, (1, 0))
            case 1:
                found = apply(np.multiply, a, float(self.draw.integers(2, 4)))
            case 2 if len(a.shape) == 1:
                b = self.pick(lambda term: len(term.shape) == 1)
                found = apply(np.multiply, apply(RESHAPE, a, (a.size, 1)), b)
            case 3:
                found = apply(np.add, a, self.pick(lambda term: term.shape == a.shape))
            case _:
                b = self.pick(lambda term: term.shape[0] == a.shape[-1] and len(a.shape) + len(term.shape) > 2)
                found = apply(MATMUL, a, b)
        self.made.append(found)

    def value(self, term):
        """The value of a term at the inputs."""
        return value_of(term, self.values)


def products(terms):
    """Operations of products; the passes of numbers times vectors are not counted."""
    return sum(
        work(term.operation, term.operands)
        for term in in_order(terms)
        if term.is_of(MATMUL) or (term.is_of(MULTIPLY) and not any(each.is_number for each in term.operands))
    )


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_products_in_another_order_have_the_same_values_and_cost_no_more(first):
    changed = 0
    for seed in range(first, first + 100):
        lowered = Lowered(seed, users=3)
        for _ in range(9):
            lowered.grow()
        results = lowered.made[-3:]
        found, made_for = in_cheapest_order(lowered.terms, results)
        for result in results:
            assert (found[result].shape, found[result].dtype) == (result.shape, result.dtype)
            exact = lowered.value(result)
            np.testing.assert_allclose(lowered.value(found[result]), exact, 1e-9, 1e-9 * np.abs(exact).max(initial=1.0))
        before, after = products(results), products([found[each] for each in results])
        assert after <= before
        changed += after < before
        assert set(made_for.values()) <= set(found)
    assert changed > 5


def brute_force(sizes):
    """The least cost of a chain of matrices, tried in all orders."""
    if len(sizes) == 2:
        return 0
    inner = {k: sizes[k] for k in range(1, len(sizes) - 1)}
    return min(
        brute_force(sizes[: k + 1]) + brute_force(sizes[k:]) + sizes[0] * sizes[-1] * (1 if n == 1 else 2 * n)
        for k, n in inner.items()
    )


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=7))
@settings(max_examples=60, phases=[Phase.explicit, Phase.generate])
def test_the_plan_of_a_chain_is_the_cheapest_of_all_orders(sizes):
    terms, number = simplifying(), count()
    shapes = pairwise(sizes)
    factors = tuple(Factor(terms.input(next(number), shape, np.dtype(float))) for shape in shapes)
    plan = planned(factors, {})
    assert plan.cost == brute_force(sizes)
    assert planned(turned(factors), {}).cost == plan.cost
    assert planned(factors, {factors: None}).cost == planned(turned(factors), {factors: None}).cost == 0


def test_what_the_user_has_multiplied_is_used_and_stays_as_it_is():
    terms = simplifying()
    a, b, c = (terms.input(k, (9, 9), np.dtype(float)) for k in range(3))
    users = terms.apply(MATMUL, a, b)
    terms.derivative_from = len(terms.known)
    result = terms.apply(MATMUL, a, terms.apply(MATMUL, b, c))
    found, _ = in_cheapest_order(terms, [users, result])
    assert found[users] is users
    assert found[result].operands == (users, c)
    assert in_cheapest_order(terms, [result])[0][result] is result  # without it, no order is cheaper than the other


def test_long_chains_stay_as_they_are():
    terms = simplifying()
    terms.derivative_from = 0
    product = v = terms.input(0, (2, 2), np.dtype(float))
    for k in range(1, 40):
        product = terms.apply(MATMUL, product, terms.input(k, (2, 2), np.dtype(float)))
    found = in_cheapest_order(terms, [terms.apply(MATMUL, product, terms.input(40, (2,), np.dtype(float))), v])[0]
    assert all(term is other for term, other in found.items())
    assert len(chain_of(product).factors) <= 12


def test_a_gradient_multiplies_vectors_first():
    def f(A, B, v):
        return np.sum((A @ B @ v) ** 2)

    draw = np.random.default_rng(0).normal
    at = draw(size=(40, 50)), draw(size=(50, 60)), draw(size=60)
    program = ad.compile_gradient(f, *at, grain="array")
    assert "B @ v" in program.source
    assert "A.T @" in program.source
    forward = 2 * (40 * 50 * 60 + 40 * 60)
    assert program.cost.operations < 1.2 * forward
    assert program.explain()["products"].saved > 400_000
    assert "(a @ b) @ c = a @ (b @ c), in the order that costs least" in program.explain()["products"].laws
    for one, right in zip(program(*at).gradient, ad.grad(f, (0, 1, 2))(*at), strict=True):
        np.testing.assert_allclose(one, right, 1e-9, 1e-9)


@pytest.mark.parametrize("of", [np.sum, np.linalg.norm], ids=["sum", "norm"])
def test_a_vector_times_a_number_in_a_chain_is_still_multiplied_as_a_matrix(of):
    def f(x):
        v = -0.77 * x
        return of(np.linalg.solve(3 * np.eye(3) + np.outer(v, v), v[:, None]))

    x = np.array([-0.48, 0.748, -0.262])
    np.testing.assert_allclose(ad.compile_gradient(f, x, grain="array")(x).gradient, ad.grad(f)(x), 1e-12)


def test_a_rule_may_apply_other_operations_before_its_own():
    terms = simplifying()
    terms.derivative_from = 0
    v, row = (terms.input(k, shape, np.dtype(float)) for k, shape in enumerate([(3,), (1, 3)]))
    column = terms.apply(MULTIPLY, -0.77, terms.apply(RESHAPE, v, (3, 1)))
    product = terms.apply(MATMUL, row, column)
    assert product.shape == (1, 1)
    assert value_of(product, [np.arange(3.0), np.ones((1, 3))]) == pytest.approx(-0.77 * 3.0)
