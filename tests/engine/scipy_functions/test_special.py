"""SciPy's special functions: partials against central differences and complex steps, values against SciPy."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special
from scipy.special import log_softmax, logsumexp, softmax

import adviz as ad
from adviz.engine.scipy_functions.special import SPECIAL
from adviz.engine.scipy_functions.special_rules import unknown

from ..checks import GRAINS, check, check_second_derivatives
from ..derivatives import assert_close
from .test_probability import OPERANDS

X = np.array([[0.31, 0.72, 0.43], [0.91, 0.58, 0.27]])
RULES = [
    pytest.param(ufunc, block.partials, id=ufunc.__name__)
    for ufunc, block in SPECIAL.items()
    if ufunc.__name__ not in OPERANDS
]
ORDERS = {"jv", "yn", "yv", "iv", "ive", "kn", "kv", "kve", "expn"}
WIDE = {"erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr", "gamma", "gammaln", "rgamma", "psi", "expit"}
WIDE |= {"log_expit", "expm1", "exp2", "exp10", "cbrt", "cosm1", "j0", "j1", "i0", "i1", "i0e", "i1e", "expi"}
NEGATIVE = {"ndtri_exp"}


def points(ufunc):
    """Operands between 0 and 1, where all these functions are smooth; orders are whole; some functions go further."""
    rng = np.random.default_rng(3)
    operands = rng.uniform(0.05, 0.95, (ufunc.nin, 60))
    if ufunc.__name__ in ORDERS:
        operands[0] = rng.integers(1, 4, 60)
    if ufunc.__name__ == "_zeta":
        operands += [[1.5], [0.2]]
    if ufunc.__name__ in WIDE:
        operands = np.concatenate([operands, rng.uniform(-3.9, -3.1, (1, 20)), rng.uniform(1.0, 5.0, (1, 40))], axis=1)
    return -operands if ufunc.__name__ in NEGATIVE else operands


@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_rule_agrees_with_central_differences(ufunc, partials):
    operands = points(ufunc)
    value = ufunc(*operands)
    assert len(partials) == ufunc.nin
    for place, partial in enumerate(partials):
        if partial is not unknown:
            step = np.where(np.arange(ufunc.nin) == place, 1e-5, 0.0)[:, None]
            slope = (ufunc(*(operands + step)) - ufunc(*(operands - step))) / 2e-5
            found = np.broadcast_to(partial(value, *operands), slope.shape)
            np.testing.assert_allclose(found, slope, rtol=2e-6, atol=2e-8)


@pytest.mark.parametrize(
    ("ufunc", "partials"), [row for row in RULES if "D->D" in row.values[0].types and row.id != "expi"]
)
def test_a_rule_agrees_with_complex_steps_to_the_last_digits(ufunc, partials):
    operands = np.abs(points(ufunc))
    slope = ufunc(operands[0] + 1e-20j).imag / 1e-20
    assert_close(np.broadcast_to(partials[0](ufunc(*operands), *operands), slope.shape), slope, 1e-11)


@pytest.mark.every
@GRAINS
@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_function_gives_what_scipy_gives_and_has_its_derivative(ufunc, partials, grain):
    sign = -1.0 if ufunc.__name__ in NEGATIVE else 1.0
    parameters = [2.0] * (len(partials) - 1)
    if partials[-1] is unknown:
        check(lambda x: x, lambda x: ufunc(sign * x, *parameters), grain, X)
    else:
        check(lambda x: x, lambda x: ufunc(*parameters, sign * x), grain, X)


@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_second_derivatives_are_derivatives_of_first_ones(ufunc, partials):
    sign = -1.0 if ufunc.__name__ in NEGATIVE else 1.0
    parameters = [2.0] * (len(partials) - 1)
    if partials[-1] is unknown:
        check_second_derivatives(lambda x: ufunc(sign * x, *parameters), X)
    else:
        check_second_derivatives(lambda x: ufunc(*parameters, sign * x), X)


SP = scipy.special
FUNCTIONS = {
    "logsumexp": lambda x: SP.logsumexp(x),
    "logsumexp, imported by name": lambda x: logsumexp(x, axis=1),
    "logsumexp, positional": lambda x: logsumexp(x, 0, None, True),
    "logsumexp with weights": lambda x: logsumexp(x, b=[1.0, 2.0, 3.0], axis=1),
    "logsumexp with traced weights": lambda x: logsumexp(x, b=x**2, axis=(0, 1)),
    "logsumexp with signs": lambda x: logsumexp(x, b=[1.0, -2.0, 0.5], axis=1, return_sign=True)[0],
    "signs of logsumexp": lambda x: logsumexp(x, b=[1.0, -2.0, 0.5], axis=1, return_sign=True)[1],
    "large numbers": lambda x: logsumexp(x + 1000.0, axis=0),
    "softmax": lambda x: softmax(x),
    "softmax of rows": lambda x: softmax(x, axis=-1) * x,
    "log_softmax": lambda x: log_softmax(x, axis=0),
    "polygamma": lambda x: SP.polygamma(2, x),
    "digamma": lambda x: SP.polygamma(0, x),
    "multigammaln": lambda x: SP.multigammaln(x[0] + 2, 3),
    "zeta": lambda x: SP.zeta(3, x),
    "lambertw": lambda x: np.real(SP.lambertw(x - 0.3)),
    "the lower branch of lambertw": lambda x: SP.lambertw(-x / 3, -1).real,
    "comb": lambda x: SP.comb(5.0, x),
    "comb with repetition": lambda x: SP.comb(x + 1, 2.0, repetition=True),
    "comb of too few": lambda x: SP.comb(3 * x, 1.5),
    "perm of too few": lambda x: SP.perm(3 * x, 1.5),
    "factorial of negative numbers": lambda x: SP.factorial(x - 0.5),
    "perm": lambda x: SP.perm(x + 4, 2.0),
    "factorial": lambda x: SP.factorial(x),
    "spherical Bessel functions": lambda x: SP.spherical_jn(2, x) + SP.spherical_in(1, x),
    "spherical Bessel functions of the second kind": lambda x: SP.spherical_yn(1, x) + SP.spherical_kn(0, x),
    "derivatives of spherical Bessel functions": lambda x: SP.spherical_jn(2, x, True) + SP.spherical_in(1, x, True),
    "list of numbers": lambda x: logsumexp([x[0, 0], x[0, 1], 1.0]),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_not_ufuncs(name, grain):
    check(lambda x: x, FUNCTIONS[name], grain, X)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_of_functions_that_are_not_ufuncs(name):
    check_second_derivatives(FUNCTIONS[name], X)


def test_functions_are_whole_in_the_array_grain():
    graph = ad.trace(lambda x: logsumexp(x, axis=1) + SP.softmax(x, axis=1)[:, 0], X)
    assert len(graph) < 15
    assert graph.block_counts()["logsumexp"] == 2


def test_a_derivative_without_a_closed_form_is_named():
    with pytest.raises(ad.MissingBlockError, match="jv of a traced parameter"):
        ad.grad(lambda v: SP.jv(v, 1.0))(2.0)
    with pytest.raises(ad.MissingBlockError, match="wrightomega"):
        ad.trace(SP.wrightomega, 2.0)


def test_adviz_does_not_import_scipy():
    code = "import sys, numpy as np, adviz as ad; ad.grad(np.sin)(1.0); ad.trace(lambda x: np.cumsum(x), [1.0]); "
    subprocess.run([sys.executable, "-c", code + "sys.exit('scipy' in sys.modules)"], check=True)
