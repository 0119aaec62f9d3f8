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
