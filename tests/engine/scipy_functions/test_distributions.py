"""``scipy.stats`` on traced values: against SciPy's own values, and against differences of them."""

import numpy as np
import pytest
import scipy.stats as st
from scipy.stats import norm
from scipy.stats._distr_params import distcont

import adviz as ad

from ..checks import GRAINS
from ..scipys import check, check_first_derivatives, check_values

RNG = np.random.default_rng(0)
FACTOR = RNG.normal(size=(3, 3))
COVARIANCE = FACTOR @ FACTOR.T + np.eye(3)
POINTS, MEAN = RNG.normal(size=(4, 3)), RNG.normal(size=3)
X = np.array([0.1, 0.5, 0.7])
COUNTS = np.array([0.0, 1.0, 4.0, 7.0, -1.0, 2.5])
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


def cases(distribution):
    """All methods of a discrete distribution, of a parameter."""
    return {
        f"{distribution.name}.{method}": (lambda p, k=k, method=method: getattr(distribution, method)(k, p))
        for k in [np.arange(4.0)]
        for method in ("pmf", "logpmf", *PROBABILITIES)
    }


SAMPLES, AROUND = RNG.normal(size=(2, 6)), RNG.normal(size=(2, 3))
KERNELS, WEIGHED = st.gaussian_kde(SAMPLES[0]), st.gaussian_kde(SAMPLES, weights=[1, 2, 3, 1, 1, 2])

FUNCTIONS = {
    "gaussian_kde": (lambda x: KERNELS(x), (X,)),
    "gaussian_kde of vectors": (lambda x: WEIGHED.pdf(x), (AROUND,)),
    "gaussian_kde.logpdf": (lambda x: WEIGHED.logpdf(x), (AROUND,)),
    "gaussian_kde of one vector": (lambda x: WEIGHED(x), (AROUND[:, 0].copy(),)),
    "zscore": (st.zscore, (POINTS,)),
    "zscore of all": (lambda x: st.zscore(x, axis=None, ddof=1), (POINTS,)),
    "skew": (st.skew, (POINTS,)),
    "skew, unbiased": (lambda x: st.skew(x, axis=1, bias=False, keepdims=True), (POINTS.T.copy(),)),
    "skew of two": (lambda x: st.skew(x, bias=False), (POINTS[:2],)),
    "kurtosis": (st.kurtosis, (POINTS,)),
    "kurtosis of all, unbiased": (lambda x: st.kurtosis(x, axis=None, bias=False, fisher=False), (POINTS,)),
    "gamma.mean and its like": (
        lambda a, m, s: st.gamma.mean(a, m, s) + st.gamma.var(a, m, s) + st.gamma.std(a, scale=s),
        (2.1, 0.3, 1.4),
    ),
    "means and variances": (
        lambda v, s: st.lognorm.mean(v, scale=s) + st.beta.var(v, s) + st.expon.mean(scale=s),
        (0.5, 1.2),
    ),
    "means of counts": (lambda p: st.bernoulli.mean(p) + st.binom.var(5, p) + st.poisson.std(p), (0.3,)),
    "norm.entropy": (lambda s: st.norm.entropy(scale=s) + st.gamma.entropy(s, 0, s), (1.4,)),
    "norm.interval": (lambda m, s: np.stack(st.norm.interval(0.9, m, s)), (0.3, 1.2)),
    "moments of a frozen one": (
        lambda m, s: norm(m, s).mean() + norm(m, s).std() * norm(m, s).median() + norm(m, s).entropy(),
        (0.3, 1.2),
    ),
    "multivariate_normal.logpdf": (st.multivariate_normal.logpdf, (POINTS, MEAN, COVARIANCE)),
    "multivariate_normal.pdf of one point": (
        lambda x, m, c: st.multivariate_normal.pdf(x, mean=m, cov=c),
        (POINTS[0], MEAN, COVARIANCE),
    ),
    "multivariate_normal, frozen": (lambda x, m, c: st.multivariate_normal(m, c).logpdf(x), (POINTS, MEAN, COVARIANCE)),
    "multivariate_normal, frozen of numbers": (
        lambda x: st.multivariate_normal(MEAN, COVARIANCE, allow_singular=True).pdf(x),
        (POINTS,),
    ),
    "multivariate_normal, frozen, at numbers": (lambda m: st.multivariate_normal(m, COVARIANCE).pdf(POINTS), (MEAN,)),
    "multivariate_normal.entropy": (lambda m, c: st.multivariate_normal.entropy(m, c), (MEAN, COVARIANCE)),
    "multivariate_normal of numbers": (lambda x: st.multivariate_normal.logpdf(x, 0.3, 2.0), (X,)),
    "multivariate_normal of one variable": (lambda x: st.multivariate_normal.logpdf(x), (X,)),
    "multivariate_normal of one variance": (lambda x, c: st.multivariate_normal.logpdf(x, MEAN, c), (POINTS, 1.5)),
    "multivariate_normal of variances": (
        lambda x, c: st.multivariate_normal.logpdf(x, MEAN, c),
        (POINTS, np.array([1.0, 2.0, 3.0])),
    ),
    "multivariate_t.logpdf": (lambda x, m, c: st.multivariate_t.logpdf(x, m, c, 3.0), (POINTS, MEAN, COVARIANCE)),
    "multivariate_t.pdf": (lambda x, df: st.multivariate_t.pdf(x, MEAN, COVARIANCE, df), (POINTS, 3.5)),
    "dirichlet.logpdf": (lambda a: st.dirichlet.logpdf([0.2, 0.3, 0.5], a), (np.array([1.0, 2.0, 3.0]),)),
    "dirichlet.pdf": (lambda a: st.dirichlet.pdf(np.array([0.2, 0.3]), a), (np.array([1.0, 2.0, 3.0]),)),
    "norm, frozen": (lambda x, m, s: norm(m, s).logpdf(x) + norm(loc=m, scale=s).cdf(x), (POINTS, 0.3, 1.4)),
    "gamma, frozen": (lambda x, a: st.gamma(a, scale=2.0).logpdf(x), (X, 1.7)),
    "poisson, frozen": (lambda m: st.poisson(m).pmf([0, 2, 3]), (2.3,)),
    "poisson.logpmf": (st.poisson.logpmf, (COUNTS, 2.3)),
    "poisson.pmf": (st.poisson.pmf, (COUNTS, 2.3)),
    "poisson.logcdf with loc": (lambda m: st.poisson.logcdf([0, 2, 3], m, loc=1), (2.3,)),
    "binom.pmf": (lambda p: st.binom.pmf([0, 2, 5, 6], 5, p), (0.3,)),
    "binom.logpmf": (lambda p: st.binom.logpmf([0, 2, 5, 6], 5, p), (0.3,)),
    "binom.cdf": (lambda p: st.binom.cdf([0, 2, 5, 6], 5, p), (0.3,)),
    "binom.sf": (lambda p: st.binom.sf([0, 2, 5, 6], 5, p), (0.3,)),
    "binom.logsf": (lambda p: st.binom.logsf([0, 2], 5, p), (0.3,)),
    "nbinom.pmf": (lambda n, p: st.nbinom.pmf([1, 2, 3], n, p), (3.7, 0.3)),
    "nbinom.logpmf": (lambda n, p: st.nbinom.logpmf([1, 2, 3], n, p), (3.7, 0.3)),
    "nbinom.cdf": (lambda p: st.nbinom.cdf([1, 2, 3], 4, p), (0.3,)),
    "nbinom.sf": (lambda p: st.nbinom.sf([1, 2, 3], 4, p), (0.3,)),
    "nbinom.logcdf": (lambda p: st.nbinom.logcdf([1, 2, 3], 4, p), (0.3,)),
    "outside the support": (lambda x: st.uniform.pdf(x, 0.2, 1.0) + st.beta.pdf(x, 2.0, 3.0), (X * 2 - 0.3,)),
    "logarithms outside the support": (lambda x: st.expon.logpdf(x) + st.gamma.logcdf(x, 2.0), (X - 0.2,)),
    "quantiles outside 0 and 1": (lambda q: st.uniform.ppf(q) + st.gamma.isf(q, 2.0), (X * 2 - 0.3,)),
    "a scale that is negative": (lambda x, s: norm.pdf(x, 0, s), (X, np.array([1.0, -1.0, 2.0]))),
    "quantiles": (lambda q: norm.ppf(q, [1.0, 2.0, 3.0], 2.0) + norm.isf(q), (X,)),
    "a list": (lambda x: norm.logpdf([x[0], x[1], 1.0]), (X,)),
    "truncnorm": (
        lambda x, m: st.truncnorm.logpdf(x, -1.0, 2.0, m, 1.3) + st.truncnorm.cdf(x, -1.0, 2.0, m, 1.3),
        (X, 0.2),
    ),
    "truncnorm by its ends": (
        lambda x, a, b: st.truncnorm.pdf(x, a, b) + st.truncnorm.logsf(x, a, b),
        (X + 2, 2.0, 3.0),
    ),
    "truncnorm far to the left": (
        lambda x, a: st.truncnorm.logcdf(x, a, -20.0) + st.truncnorm.sf(x, a, -20.0),
        (X - 21, -22.0),
    ),
    "skewnorm": (lambda x, a: st.skewnorm.logpdf(x, a) + st.skewnorm.cdf(x, a) + st.skewnorm.sf(x, a) ** 2, (X, 0.9)),
    **{
        name: (f, (0.3,))
        for distribution in (st.bernoulli, st.geom, st.poisson)
        for name, f in cases(distribution).items()
    },
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_scipys_value_and_its_derivatives(name, grain):
    check(*FUNCTIONS[name], grain)


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


def test_what_has_no_closed_form_is_named_as_the_program_names_it():
    for name, f in {
        "scipy.stats.gamma.cdf. adviz has no Block for gammainc of a traced parameter": lambda a: st.gamma.cdf(1.0, a),
        "scipy.stats.zscore with nan_policy='omit'": lambda x: st.zscore(np.stack([x, 1.0]), nan_policy="omit"),
        "scipy.stats.nct.mean": lambda x: st.nct.mean(x, x),
        "scipy.stats.genpareto with respect to a shape that is 0": lambda x: st.genpareto.logpdf(1.0, x - 1.5),
        "scipy.stats.landau.pdf": lambda x: st.landau.pdf(x),
        "scipy.stats.vonmises.cdf": lambda x: st.vonmises.cdf(x, 2.0),
    }.items():
        for grain in ("array", "scalar"):
            with pytest.raises(ad.MissingBlockError, match=f"no Block for {name}"):
                ad.trace(f, 1.5, grain=grain)
    with pytest.raises(ad.MissingBlockError, match=r"multivariate_normal with a singular matrix"):
        ad.trace(lambda x: st.multivariate_normal.logpdf(x, cov=np.ones((3, 3)), allow_singular=True), MEAN)
