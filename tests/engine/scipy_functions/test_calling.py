"""SciPy's functions for any array library are traced as the functions of arrays that they are."""

import numpy as np
import pytest
from scipy import optimize, special, stats

import adviz as ad

X = np.linspace(0.1, 2.0, 50)
FUNCTIONS = {
    "rosen": (optimize.rosen, 13),
    "logsumexp": (special.logsumexp, 7),
    "softmax": (lambda x: np.sum(special.softmax(x) * x), 10),
    "log_softmax": (lambda x: np.sum(special.log_softmax(x) * x), 10),
    "logpdf": (lambda x: np.sum(stats.norm.logpdf(x)), 9),
}


@pytest.mark.parametrize(("f", "most"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_of_arrays_has_a_node_per_operation_and_the_derivative_of_the_scalar_grain(f, most):
    graph = ad.trace(f, X)
    assert len(graph) <= most
    assert graph.values[graph.outputs[0]] == pytest.approx(float(f(X)), rel=1e-12)
    np.testing.assert_allclose(ad.grad(f)(X), ad.grad(f, grain="scalar")(X), rtol=1e-9)


def test_the_dtype_that_is_asked_for_stays():
    assert ad.trace(special.logsumexp, X.astype(np.float32)).values[-1].dtype == np.float32


def test_lists_of_numbers_are_entries_in_the_scalar_grain():
    def f(x):
        return special.logsumexp([[x[0], x[1]], [x[2], 1.0]], axis=1)[0]

    x = np.array([0.3, 0.5, 0.9])
    assert "stack" not in ad.trace(f, x, grain="scalar").block_counts()
    expected = [*special.softmax(x[:2]), 0.0]
    for found in (ad.grad(f, grain="scalar")(x), ad.compile_gradient(f, x, grain="scalar")(x).gradient):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
