"""Sums of products as products of vectors and matrices: the same values, where nothing else needs the product."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.rules.reducing import SUM
from adviz.kernels.derivations.translation import multiplied
from adviz.kernels.terms.linear_rules import simplifying

from .values import value_of

SHAPES = [(), (3,), (4,), (1, 3), (4, 1), (1, 1), (4, 3), (2, 4, 3)]


def cases():
    for one in SHAPES:
        for other in SHAPES:
            try:
                shape = np.broadcast_shapes(one, other)
            except ValueError:
                continue
            for axis in (None, *range(len(shape))):
                yield one, other, axis


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtypes", [(float, float), (np.float32, np.float32), (float, np.float32)])
def test_sums_of_products_have_the_same_values_shapes_and_dtypes(keepdims, dtypes):
    draw, seen = np.random.default_rng(0), 0
    for one, other, axis in cases():
        arrays = [draw.normal(size=shape).astype(dtype) for shape, dtype in zip((one, other), dtypes, strict=True)]
        terms = simplifying()
        a, b = (terms.input(k, each.shape, each.dtype) for k, each in enumerate(arrays))
        terms.derivative_from = len(terms.known)
        total = terms.plain(SUM, terms.apply(np.multiply, a, b), terms.constant(axis), terms.constant(keepdims))
        found = multiplied(terms, [total])[total]
        exact = np.sum(arrays[0] * arrays[1], axis=axis, keepdims=keepdims)
        value = np.asarray(value_of(found, arrays))
        assert (found.shape, found.dtype) == (value.shape, value.dtype) == (exact.shape, exact.dtype)
        np.testing.assert_allclose(value, exact, 1e-5 if np.float32 in dtypes else 1e-12, 1e-6)
        seen += found is not total
    assert seen > 5 or dtypes[0] is not dtypes[1]


def test_a_program_multiplies_where_nothing_else_needs_the_product():
    def f(X, w):
        return np.sum((X * w) ** 2 * 0.5) + np.sum(np.sin(X) * w)

    draw = np.random.default_rng(0).normal
    at = draw(size=(7, 3)), draw(size=3)

    def g(X, w, s):
        return np.sum(np.sum(X * w, axis=1) ** 2 * s)

    program = ad.compile_gradient(g, *at, draw(size=7), grain="array")
    assert "@ X" in program.source
    assert any("sum(a * w, axis=1) = a @ w" in law for law in program.explain()["sums"].laws)
    for h, point in ((f, at), (g, (*at, draw(size=7)))):
        places = tuple(range(len(point)))
        gradient = ad.compile_gradient(h, *point, grain="array")(*point).gradient
        for found, right in zip(gradient, ad.grad(h, places)(*point), strict=True):
            np.testing.assert_allclose(found, right, 1e-10, 1e-12)
