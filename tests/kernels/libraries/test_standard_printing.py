"""Operations as the standard wants them: kinds of numbers are said, and nothing is written into."""

import array_api_strict
import numpy as np
import pytest

import adviz as ad

X = np.array([1.0, 2.0, 3.0])
K = np.array([1, 2, 0])


def body(f, *example):
    """The lines of a program for the function alone, without its head."""
    source = ad.compile(f, *example, grain="array", backend=array_api_strict).source
    return [line.partition("  # ")[0].strip() for line in source.splitlines()[2:]]


CASES = {
    "numbers beside arrays": (lambda x: 2.0 * x**2 + 1, (X,), "value = 2 * x**2 + 1"),
    "whole numbers among real ones": (lambda x, k: x * k, (X, K), "value = x * real(k, x)"),
    "truth values that are counted": (lambda x: np.sum(x > 0) * x[0], (X,), "real(xp.sum(whole(x > 0)), x) * x[0]"),
    "truth values that are added": (lambda x: (x > 0) + (x < 2), (X,), "value = (x > 0) | (x < 2)"),
    "truth of numbers": (lambda x, k: np.logical_not(k), (X, K), "value = ~(k != 0)"),
    "other names": (lambda x: np.arctan2(np.absolute(x), 2.0), (X,), "value = xp.atan2(xp.abs(x), 2)"),
    "all axes": (lambda x: np.outer(x, x)[1], (X,), "value = outer(x, x)[1, ...]"),
    "a triangle": (lambda x: np.tril(np.outer(x, x), -1), (X,), "value = xp.tril(outer(x, x), k=-1)"),
    "axes turned": (lambda x: np.swapaxes(np.ones((2, 3, 3)) * x, -1, -2), (X,), ".mT"),
    "a number chosen": (lambda x: np.where(x > 1, 1.0, 0.5), (X,), "value = xp.where(x > 1, array(1, x), 0.5)"),
    "a cast": (lambda x: x.astype(np.float32), (X,), "value = xp.astype(x, xp.float32)"),
    "a cast to whole numbers": (lambda x: x.astype(int), (X,), "value = whole(x)"),
    "a copy": (lambda x: x, (X,), "return xp.asarray(x, copy=True)"),
    "infinity": (lambda x: np.minimum(x, np.where(x > 1, np.inf, x)), (X,), "xp.inf"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_written(name):
    f, example, expected = CASES[name]
    assert any(expected in line for line in body(f, *example)), body(f, *example)


def test_nothing_is_written_into():
    def f(x):
        y = np.zeros(5)
        y[1:4] = x
        y[[0, 0]] += x[:2]
        return y

    lines = body(f, X)
    assert not any("] =" in line or "+=" in line for line in lines)
    assert any("put(zeros((5,), x), x, (slice(1, 4, None),))" in line for line in lines)


@pytest.mark.parametrize("f", [np.linalg.eigvals, lambda x: np.lexsort((x[0], x[1])) * 1.0])
def test_what_the_library_lacks_is_named_with_its_place(f):
    with pytest.raises(ad.ProgramError, match=r"has no text in a program on the arrays of array_api_strict"):
        body(f, np.diag(X))
