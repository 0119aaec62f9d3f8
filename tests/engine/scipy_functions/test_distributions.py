"""``scipy.stats`` on traced values: all methods of all distributions; other functions are in the catalogue."""

import numpy as np
import pytest
import scipy.stats as st
from scipy.stats import norm
from scipy.stats._distr_params import distcont

import adviz as ad

from ..checks import GRAINS
from ..scipys import check_first_derivatives, check_values

X = np.array([0.1, 0.5, 0.7])
DENSITIES = ("pdf", "logpdf")
PROBABILITIES = ("cdf", "sf", "logcdf", "logsf")
QUANTILES = ("ppf", "isf")

WITHOUT_SHAPES = """
norm expon uniform laplace logistic cauchy halfnorm rayleigh gumbel_r gumbel_l arcsine halfcauchy halflogistic hypsecant
maxwell moyal semicircular
""".split()
WITH_SHAPES = (
    "gamma beta t chi2 lognorm f weibull_min weibull_max pareto invgamma erlang powerlaw loguniform lomax".split()
)
BY_SHAPES = "lognorm weibull_min weibull_max pareto powerlaw lomax loguniform exponweib fisk burr genlogistic".split()
"""Distributions whose distribution functions are differentiated by the shape parameters, too."""
SHAPES = dict(distcont)


def at(distribution, method):
    """Points between the quantiles of a distribution, or probabilities."""
    q = np.array([0.2, 0.55, 0.8])
    return q if method in QUANTILES else getattr(st, distribution).ppf(q, *SHAPES[distribution]) * 1.5 + 0.3


@GRAINS
@pytest.mark.parametrize("method", DENSITIES + PROBABILITIES + QUANTILES)
@pytest.mark.parametrize("name", WITHOUT_SHAPES + WITH_SHAPES)
def test_a_distribution_is_differentiated_by_its_variable_its_location_and_its_scale(name, method, grain):
    function = getattr(getattr(st, name), method)

    def f(x, loc, scale):
        return function(x, *SHAPES[name], loc=loc, scale=scale)

    points = at(name, method) + 0.01
    check_values(f, (points, 0.3, 1.5), grain)
    check_first_derivatives(f, (points, 0.3, 1.5), grain)


@GRAINS
@pytest.mark.parametrize("name", WITH_SHAPES + BY_SHAPES)
def test_densities_are_differentiated_by_shape_parameters(name, grain):
    def f(*shapes):
        return np.stack(
            [getattr(getattr(st, name), method)(at(name, method), *shapes, 0.3, 1.5) for method in DENSITIES]
        )

    check_first_derivatives(f, tuple(map(float, SHAPES[name])), grain)


@GRAINS
@pytest.mark.parametrize("name", BY_SHAPES)
def test_distribution_functions_are_differentiated_by_shape_parameters_where_a_closed_form_is_known(name, grain):
    def f(*shapes):
        methods = PROBABILITIES + QUANTILES
        return np.stack([getattr(getattr(st, name), method)(at(name, method), *shapes, 0.3, 1.5) for method in methods])

    check_first_derivatives(f, tuple(map(float, SHAPES[name])), grain)


def test_a_log_density_is_a_handful_of_nodes():
    graph = ad.trace(lambda x, m, s: np.sum(norm.logpdf(x, m, s)), np.zeros(1000), 0.0, 1.0)
    assert len(graph) < 16


def test_a_program_of_a_density_holds_at_other_points():
    def f(p):
        return np.sum(norm.logpdf(X, p[0], p[1])) + st.gamma.logpdf(p[1], 2.0) + st.t.logpdf(p[0], p[1] + 2)

    program = ad.compile_jacobian(f, np.array([0.3, 1.4]))
    for point in ([0.3, 1.4], [-2.0, 0.7]):
        value, jacobian = program(point)
        assert value == pytest.approx(f(point), rel=1e-12)
        np.testing.assert_allclose(jacobian, ad.jacobian(f)(np.array(point)), rtol=1e-12)
    with pytest.warns(ad.NonFiniteWarning, match="NaN arises in log"):
        assert np.isnan(program([0.3, -1.0])[0])


def test_a_normal_distribution_with_a_singular_matrix_is_refused_by_name():
    with pytest.raises(ad.MissingBlockError, match=r"multivariate_normal with a singular matrix"):
        ad.trace(lambda x: st.multivariate_normal.logpdf(x, cov=np.ones((3, 3)), allow_singular=True), X)
