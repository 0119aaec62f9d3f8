"""``np.vectorize``: the function is called for each number, and its results are one array again."""

import numpy as np
import pytest

import adviz as ad

from ...catalogue import expressions
from ..checks import GRAINS
from ..scipys import check

X = np.array([[0.31, -0.72, 1.43], [1.91, 0.58, -0.27]])


@np.vectorize
def bent(t):
    """Twice a number, or its opposite: a function that decides by its argument."""
    return 2 * t if t > 0.5 else -t


FUNCTIONS = expressions("""
np.vectorize(lambda t: np.sin(t) * t)(x) | bent(x) | np.vectorize(lambda t, u: (t * u, t + u))(x, x[0])[1]
np.vectorize(lambda t: t * t)(x[0, 0]) | np.vectorize(lambda a, b: np.dot(a, b), signature='(n),(n)->()')(x, x[0])
np.vectorize(lambda a: np.outer(a, a), signature='(n)->(n,n)')(x)
np.vectorize(lambda t, p: np.polyval(p, t), excluded=['p'])(x, p=x[0])
np.vectorize(lambda t: t * x[0, 0], otypes=[float])([1, 2, 3]) | np.vectorize(lambda t: t * t)([1, 2]) * x[0, 0]
np.vectorize(lambda t: t * t)([x[0, 0], 2.0])
""")


@GRAINS
@pytest.mark.parametrize("text", FUNCTIONS)
def test_a_vectorized_function_has_numpys_values_and_their_derivatives(text, grain):
    check(eval(f"lambda x: {text}", {"np": np, "bent": bent}), (X,), grain)


@GRAINS
def test_numbers_reach_the_function_as_numpy_hands_them_on(grain):
    kinds = set()

    def f(x):
        found = np.vectorize(lambda t: kinds.add(type(t)) or t + 1)(np.array([1, 2]))
        assert found.dtype == int
        return found * x

    assert list(ad.vjp(f, 2.0, grain=grain)[0]) == [4.0, 6.0]
    assert kinds == {int}


def test_results_that_are_to_be_whole_numbers_are_refused():
    with pytest.raises(ad.MissingBlockError, match=r"np\.vectorize with otypes"):
        ad.trace(np.vectorize(lambda t: t * 2, otypes=[int]), X)


def test_nothing_is_different_where_nothing_is_traced():
    ad.trace(np.sin, 1.0)
    with pytest.raises(ValueError, match="otypes"):
        np.vectorize(lambda t: t)([])
    with pytest.raises(ValueError, match="otypes"):
        ad.trace(lambda x: x + np.sum(np.vectorize(lambda t: t)([])), 1.0)
