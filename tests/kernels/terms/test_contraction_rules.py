"""Einsums two operands at a time, and as products of matrices: the same values, and never more operations."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.engine.rules.matrix_products import EINSUM
from adviz.kernels.terms.array_terms import in_order, work
from adviz.kernels.terms.linear_rules import simplifying

from .values import value_of

SIZES = {"i": 2, "j": 3, "k": 4, "l": 5, "m": 1, "n": 3}


def drawn(seed):
    """Random subscripts, and arrays for them."""
    draw = np.random.default_rng(seed)
    labels = ["".join(draw.permutation(list(SIZES))[: draw.integers(0, 4)]) for _ in range(draw.integers(1, 5))]
    if draw.random() < 0.2 and labels[0]:
        labels[0] = labels[0] + labels[0][0]
    used = sorted(set("".join(labels)))
    result = "".join(draw.permutation(used)[: draw.integers(0, len(used) + 1)]) if used else ""
    arrays = [draw.normal(size=[SIZES[label] for label in own]) for own in labels]
    return f"{','.join(labels)}->{result}", arrays


def simplified(subscripts, arrays):
    terms = simplifying()
    given = [terms.input(k, np.shape(each), np.dtype(float)) for k, each in enumerate(arrays)]
    terms.derivative_from = len(terms.known)
    return terms.apply(EINSUM, subscripts, *given), terms.plain(EINSUM, terms.constant(subscripts), *given)


@pytest.mark.parametrize("first", range(0, 600, 200))
def test_random_einsums_have_the_same_values_and_cost_no_more(first):
    seen = set()
    for seed in range(first, first + 200):
        subscripts, arrays = drawn(seed)
        found, plain = simplified(subscripts, arrays)
        exact = np.einsum(subscripts, *arrays)
        assert (found.shape, found.dtype) == (plain.shape, plain.dtype) == (exact.shape, exact.dtype)
        np.testing.assert_allclose(value_of(found, arrays), exact, 1e-10, 1e-10, err_msg=subscripts)
        operations = sum(work(term.operation, term.operands) for term in in_order([found]) if term.operands)
        assert operations <= 2 * work(plain.operation, plain.operands)
        seen |= {term.name for term in in_order([found])}
        einsums = [term for term in in_order([found]) if term.name == "einsum"]
        assert all(len(term.operands) < 4 or len(re.split(",|->", term.operands[0].value)) > 3 for term in einsums)
    assert {"einsum", "matmul", "multiply", "sum"} <= seen


WRITTEN = {
    "matmul": "ij,jk->ik ij,jk->ki ij,kj->ik ij,j->i i,i-> lij,ljk->lik lij,lkj->lki lij,jk->lik",
    "multiply": "i,j->ij ij,ij->ij ij,i->ij",
    "sum": "ij->j",
    "einsum": "ij,ij->i ii,i->i",
}


@pytest.mark.parametrize(("name", "subscripts"), [(name, each) for name in WRITTEN for each in WRITTEN[name].split()])
def test_einsums_that_are_products_are_written_as_such(name, subscripts):
    labels = re.split(",|->", subscripts)[:-1]
    sizes = dict.fromkeys("ijkl", 3)
    found, _ = simplified(subscripts, [np.ones([sizes[label] for label in own]) for own in labels])
    while found.name in ("transpose", "reshape"):
        found = found.operands[0]
    assert found.name == name


def test_adjoints_of_an_einsum_of_three_matrices_are_products_of_two():
    def f(A, B, C):
        return np.einsum("ij,jk,kl->il", A, B, C)

    draw = np.random.default_rng(0).normal
    at = draw(size=(40, 5)), draw(size=(5, 60)), draw(size=(60, 7))
    program = ad.compile_vjp(f, *at, grain="array")
    y = draw(size=(40, 7))
    assert program.source.count("einsum") == 1
    assert program.explain()["contractions"].saved > 300_000
    for one, right in zip(program(at, y).adjoints, ad.vjp(f, *at)[1](y), strict=True):
        np.testing.assert_allclose(one, right, 1e-9, 1e-9)


def test_long_einsums_are_given_to_blas():
    def f(A, B):
        return np.einsum("ijk,jkl->il", A, B)

    def source(n):
        return ad.compile(f, np.ones((n, n, n)), np.ones((n, n, n)), grain="array").source

    assert "optimize" not in source(3)
    assert "np.einsum('ijk,jkl->il', A, B, optimize=True)" in source(30)
