"""Rules leave the values, the shapes and the dtypes of terms as they are, each has been seen to do so, and they end."""

from functools import cache

import numpy as np
import pytest

from adviz.engine.functions.matrix_rules import SOLVE
from adviz.engine.rules.gathering import PLACE, SCATTER, SLOT
from adviz.engine.rules.indexing import DIAGONAL_MATRIX, INDEX
from adviz.engine.rules.matrix_products import EINSUM
from adviz.engine.rules.reducing import SUM
from adviz.engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from adviz.engine.rules.selection import WHERE
from adviz.kernels.terms.arithmetic_rules import PAIRED, SINGLE
from adviz.kernels.terms.array_terms import RULES, Terms, laws

from .random_terms import Grower, Pair, grown

SEEDS, BATCH = 400, 50


def assert_same(pair: Pair, strict: bool = True) -> None:
    """The values with rules are those without, up to rounding; ``strict`` asks for the same dtype, else its kind."""
    for plain, simple in zip(pair.plain_values, pair.simple_values, strict=True):
        plain, simple = np.asarray(plain), np.asarray(simple)
        assert plain.shape == simple.shape == pair.simple.shape
        assert plain.dtype == simple.dtype if strict else plain.dtype.kind == simple.dtype.kind
        if pair.simple.dtype is not None:
            assert pair.simple.dtype == simple.dtype, "the shape_dtype of a term is that of its value"
        tolerance = 1e-9 if plain.dtype == float and strict else 1e-3
        scale = max(1.0, np.abs(plain.astype(float)).max(initial=0.0))
        np.testing.assert_allclose(simple.astype(float), plain.astype(float), tolerance, tolerance * scale)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_random_terms_have_the_same_values_with_rules_and_without(first):
    for seed in range(first, first + BATCH):
        for pair in grown(seed).pairs:
            assert_same(pair)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, SEEDS // 2, BATCH))
def test_random_terms_in_single_precision_have_the_same_values(first):
    """Numbers that rules make are Python's, which take on the precision of what they meet."""
    for seed in range(first, first + BATCH):
        for pair in grown(seed, kinds=(np.float32, np.float32, float)).pairs:
            assert_same(pair, strict=False)


# ---- rules that random terms seldom need ----


def like_terms(g, a, b, c):
    for operation in ("add", "subtract"):
        g.apply(operation, g.apply("multiply", a, 3.0), g.apply("multiply", a, 2.0))
        g.apply(operation, g.apply("multiply", a, 3.0), g.apply("multiply", b, 3.0))


def constants(g, a, b, c):
    g.apply("power", a, 1.0)
    for operation in ("multiply", "divide"):
        scaled = g.apply(operation, a, 3.0)
        g.apply("multiply", scaled, 5.0)
        g.apply("divide", scaled, 5.0)
        g.apply("multiply", scaled, b)
        g.apply("divide", scaled, b)
        g.apply(RESHAPE, scaled, (-1,))
        g.apply(SUM, scaled, 0, False)
    g.apply("multiply", a, np.True_)
    g.apply("multiply", a, 0.0)
    g.apply("divide", 0.0, g.apply("add", 3.0, g.apply("square", a)))
    g.apply(WHERE, True, a, b)


def quotients(g, a, b, c):
    a_over_b, b_over_c, a_over_c = g.apply("divide", a, b), g.apply("divide", b, c), g.apply("divide", a, c)
    g.apply("divide", a, a)
    g.apply("multiply", a_over_b, b)
    g.apply("multiply", a_over_b, b_over_c)
    g.apply("multiply", a, g.apply("divide", 1.0, b))
    g.apply("multiply", c, a_over_b)
    g.apply("divide", g.apply("divide", a, b_over_c), c)
    g.apply("add", a_over_c, b_over_c)
    g.apply("subtract", a_over_c, b_over_c)
    masks = g.apply("greater", a, 0.0), g.apply("less", a, 0.5)
    for operation in ("add", "subtract"):
        g.apply("multiply", g.apply(operation, a, b_over_c), c)
        g.apply(operation, *(g.apply("divide", each, c) for each in masks))
    row = g.apply(SUM, g.apply("square", c), 1, True)
    g.apply(SUM, g.apply("multiply", g.apply("greater", a, 0.0), g.apply("divide", b, row)), 1, True)


def quotients_of_the_user(g, a, b, c):
    """The first terms are values of the user's function: the shares of a softmax, and a sigmoid."""
    e = g.apply("exp", a)
    below = g.apply("add", 1.0, e)
    sigmoid = g.apply("divide", 1.0, below)
    total = g.apply(SUM, e, 1, True)
    shares = g.apply("divide", e, total)
    g.begin_derivative()
    g.apply("divide", c, below)
    g.apply("multiply", g.apply("multiply", c, sigmoid), e)
    g.apply("multiply", g.apply("divide", c, total), e)
    weighted = g.apply(SUM, g.apply("multiply", c, shares), 1, True)
    g.apply(SUM, g.apply("multiply", g.apply("subtract", c, weighted), shares), 1, True)


def shapes(g, a, b, c):
    n = a.plain.shape[0]
    first = g.apply(PLACE, a, (slice(0, n),), (2 * n, *a.plain.shape[1:]))
    second = g.apply(PLACE, b, (slice(n, 2 * n),), (2 * n, *a.plain.shape[1:]))
    g.apply("add", first, second)
    g.apply("add", second, first)
    g.apply(PLACE, g.apply("multiply", a, 0.0), (slice(0, n),), (2 * n, *a.plain.shape[1:]))


def products(g, a, b, c):
    v = g.apply(INDEX, a, (0,))
    column, row = g.apply(RESHAPE, v, (-1, 1)), g.apply(RESHAPE, v, (1, -1))
    for scaled in (column, g.apply("multiply", column, 3.0)):
        g.apply("matmul", scaled, row)
        g.apply("matmul", c, scaled)
        g.apply("matmul", row, c)
        g.apply(SOLVE, c, scaled)
    g.apply(TRANSPOSE, g.apply("matmul", g.apply(TRANSPOSE, a, None), b), None)


def diagonals(g, a, b, c):
    n, dtype = a.plain.shape[0], a.plain.dtype
    eye, v, w = g.identity(n, dtype), g.input((n,), dtype), g.input((n,), dtype)
    diagonal, other = g.apply(DIAGONAL_MATRIX, v, 0), g.apply(DIAGONAL_MATRIX, w, 0)
    for matrix in (eye, diagonal):
        for each in (a, v, other, g.apply(RESHAPE, a, (1, n, n))):
            g.apply("matmul", matrix, each)
            g.apply("matmul", each, matrix)
        for name in ("multiply", "divide"):
            g.apply(name, matrix, w)
            g.apply(name, matrix, g.apply(RESHAPE, w, (1, n)))
            g.apply(name, g.apply(RESHAPE, matrix, (n, 1, n, 1)), g.apply(RESHAPE, w, (1, n, 1)))
            g.apply(name, matrix, g.apply(RESHAPE, w, (n, 1)))
            g.apply(name, g.apply(RESHAPE, matrix, (1, n, n)), w)
        for name in ("add", "subtract"):
            g.apply(name, matrix, other)
            g.apply(name, other, matrix)
        g.apply(TRANSPOSE, matrix, None)
        for keepdims in (True, False):
            for axis in (0, 1, None):
                g.apply(SUM, matrix, axis, keepdims)
    whole = g.identity(n * n, dtype)
    g.apply("multiply", g.apply(RESHAPE, whole, (n * n, n, n)), a)


def turned_products(g, a, b, c):
    turned = g.apply(TRANSPOSE, a, None)
    row = g.apply(INDEX, b, (0,))
    column = g.apply(RESHAPE, row, (-1, 1))
    for vector in (row, column, g.apply(RESHAPE, row, (1, -1))):
        for name in ("multiply", "divide"):
            product = g.apply(name, turned, vector)
            g.apply(TRANSPOSE, product, None)
            g.apply(TRANSPOSE, g.apply("multiply", g.apply("matmul", product, c), vector), None)
    g.apply(TRANSPOSE, g.apply("multiply", turned, 3.0), None)


def logarithms(g, a, b, c):
    g.apply("log", g.apply("exp", a))
    g.apply("log", g.apply("divide", g.apply("exp", a), g.apply("exp", b)))


def textbook_forms(g, a, b, c):
    inner = g.apply("minimum", g.apply("maximum", a, -375.0), 375.0)
    g.apply("square", g.apply("divide", 1.0, g.apply("cosh", inner)))
    g.apply("multiply", a, a)
    g.apply("power", a, 2.0)
    for name in ("maximum", "minimum"):
        chosen = g.apply(name, a, b)
        for one in (a, b):
            g.apply(WHERE, g.apply("equal", a, b), 0.5, g.apply("equal", one, chosen))
    n = a.plain.shape[1]
    g.apply(SCATTER, g.apply(SUM, a, 0, False), (n, n), (SLOT, SLOT), np.arange(n), np.arange(n))


def entries_of_rows(g, a, b, c):
    n = a.plain.shape[0]
    v = g.apply(SUM, a, 1, False)
    scattered = g.apply(SCATTER, v, (n, n), (SLOT, SLOT), np.arange(n), np.arange(n)[::-1].copy())
    for keepdims in (True, False):
        g.apply(SUM, scattered, 1, keepdims)


def entries(g, a, b, c):
    """Functions of entries, of what is repeated and of what is reshaped; all between 0 and 1, or 1 and 2."""
    x, y = (g.apply("square", g.apply("sin", each)) for each in (a, b))
    once = g.apply(INDEX, x, (0,))
    repeated, number = g.apply(BROADCAST, once, a.plain.shape), g.constant(np.full(a.plain.shape, 0.5))
    flat, other = g.apply(RESHAPE, x, (-1,)), g.apply(RESHAPE, y, (-1,))
    row = g.apply(RESHAPE, once, (1, -1))
    above = g.apply("add", x, 1.0)
    for operation in SINGLE:
        g.apply(operation, repeated)
        g.apply(operation, flat)
        g.apply(operation, g.apply(BROADCAST, g.apply(INDEX, above, (0,)), a.plain.shape))
        g.apply(operation, g.apply(RESHAPE, above, (-1,)))
    for operation in PAIRED:
        for one, two in ((repeated, y), (y, repeated), (x, number), (flat, other), (row, y)):
            g.apply(operation, one, two)


def contractions(g, a, b, c):
    for subscripts in ("ij,jk->ik", "ij,kj->ki", "ij,ij->ij", "ij,ij->j"):
        g.apply(EINSUM, subscripts, a, b)
    g.apply(EINSUM, "ij,jk,lk->il", a, b, c)
    g.apply(EINSUM, "ij->j", a)
    g.apply(EINSUM, ",ij->ji", g.apply(SUM, b, None, False), a)


EXAMPLES = [
    *(like_terms, constants, quotients, quotients_of_the_user, shapes, products, textbook_forms, entries),
    *(entries_of_rows, diagonals, turned_products, contractions, logarithms),
]


@cache
def example(number: int, dtype: str = "float64") -> Grower:
    grower, build = Grower(number), EXAMPLES[number]
    a, b, c = (grower.input((3, 3), dtype) for _ in range(3))
    if build is not quotients_of_the_user:
        grower.begin_derivative()
    build(grower, a, b, c)
    return grower


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[each.__name__ for each in EXAMPLES])
def test_rules_keep_the_values_of_terms_that_they_are_for(number):
    for pair in example(number).pairs:
        assert_same(pair)
    for pair in example(number, "float32").pairs:
        assert_same(pair, strict=False)


def test_every_rule_is_used_at_those_terms_or_at_random_ones():
    fired = set().union(*(example(number).fired for number in range(len(EXAMPLES))))
    rules = {(operation, each.name, each.law) for operation, found in RULES.items() for each in found}
    assert rules - fired.union(*(grown(seed).fired for seed in range(3 * BATCH))) == set()


@pytest.mark.parametrize(
    ("divisor", "is_cancelled"),
    [
        (lambda g, x: g.apply("sqrt", x), False),
        (lambda g, x: g.apply("square", g.apply("cbrt", x)), False),
        (lambda g, x: g.apply("maximum", x, g.apply("negative", x)), False),
        (lambda g, x: g.apply("sqrt", g.apply("add", g.apply("square", x), 1e-5)), True),
        (lambda g, x: g.apply("multiply", 2.0, g.apply("exp", g.apply("negative", x))), True),
        (lambda g, x: g.apply("maximum", x, 1.0), True),
        (lambda g, x: g.apply("power", g.apply("log", x), 0.0) and x, True),
        (lambda g, x: g.apply("divide", x, g.apply("sqrt", x)) and g.apply("sqrt", x), True),
    ],
)
def test_a_divisor_of_a_derivative_is_cancelled_only_where_it_is_never_0_at_a_finite_value(divisor, is_cancelled):
    grower = Grower(0)
    x = grower.input((3,))
    x = x._replace(plain_values=tuple(map(abs, x.plain_values)), simple_values=tuple(map(abs, x.simple_values)))
    b = divisor(grower, x)
    grower.begin_derivative()
    product = grower.apply("multiply", grower.apply("divide", x, b), b)
    assert (product.simple is x.simple) == is_cancelled


# ---- they end ----


@pytest.mark.parametrize("seed", range(20))
def test_rewriting_ends_within_a_few_uses_of_rules_for_each_operation(seed):
    grower = grown(1000 + seed, steps=120)
    assert sum(grower.fired.values()) < 12 * len(grower.pairs)


def test_terms_without_rules_keep_their_operations():
    terms = Terms()
    assert terms.apply(np.add, terms.input(0, (3,), np.dtype(float)), 0.0).name == "add"


def test_names_and_laws_read_as_words_and_equations():
    for name, found in laws().items():
        assert name.replace(" ", "").isalpha()
        for law in found:
            assert 0 < len(law) < 120
            assert any(word in law for word in ("=", " is ", " are ", " by itself", "in another shape"))
