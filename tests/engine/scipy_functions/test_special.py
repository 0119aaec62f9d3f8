"""SciPy's special functions: partials against central differences and complex steps, values against SciPy."""

import subprocess
import sys
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from scipy.special import expn, exprel, logsumexp, softmax

import adviz as ad
from adviz.engine.rules.elementwise import zero
from adviz.engine.scipy_functions.special import SPECIAL
from adviz.engine.scipy_functions.special_rules import unknown

from ..checks import GRAINS
from ..derivatives import assert_close
from ..scipys import check

OPERANDS = """
gammainc 1.7 x | gammaincc 1.7 x | gammaincinv 1.7 p | gammainccinv 1.7 p | betainc 1.7 2.4 p | betaincc 1.7 2.4 p
betaincinv 1.7 2.4 p | betainccinv 1.7 2.4 p | stdtr 3.5 x | stdtrit 3.5 p | chdtr 3.5 x | chdtrc 3.5 x | chdtri 3.5 p
fdtr 3.5 2.2 x | fdtrc 3.5 2.2 x | fdtri 3.5 2.2 p | gdtr x 2.5 x | gdtrc x 2.5 x | pdtr k x | pdtrc k x
nbdtr k 4 p | nbdtrc k 4 p | owens_t x x | _beta_pdf p x x | _beta_ppf p 1.7 2.4 | _cauchy_ppf p x x
_cauchy_isf p x x | _binom_pmf k n p | _binom_cdf k 5.0 p | _binom_sf k 5.0 p | _nbinom_pmf k x p | _nbinom_cdf k 4.0 p
_nbinom_sf k 4.0 p | jv i z | yn i z | yv i z | iv i z | ive i z | kn i z | kv i z | kve i z | expn j z
"""
"""Numbers, or the letter of what they are drawn from; other functions are drawn where they are smooth."""
KINDS = {name: kinds for name, *kinds in (line.split() for line in OPERANDS.replace("\n", " | ").split(" | ") if line)}
DRAWN = {
    "x": lambda rng, count: rng.uniform(0.3, 3.0, count),
    "p": lambda rng, count: rng.uniform(0.05, 0.95, count),
    "k": lambda rng, count: rng.integers(0, 5, count).astype(float),
    "i": lambda rng, count: rng.integers(1, 4, count).astype(float),
    "j": lambda rng, count: rng.integers(2, 5, count).astype(float),
    "n": lambda rng, count: rng.uniform(5.0, 7.0, count),
    "z": lambda rng, count: rng.uniform(0.05, 0.95, count),
}
WIDE = {"erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr", "gamma", "gammaln", "rgamma", "psi", "expit"}
WIDE |= {"log_expit", "expm1", "exp2", "exp10", "cbrt", "cosm1", "j0", "j1", "i0", "i1", "i0e", "i1e", "expi"}
RULES = [pytest.param(ufunc, block.partials, id=ufunc.__name__) for ufunc, block in SPECIAL.items()]


def kinds_of(ufunc):
    return KINDS.get(ufunc.__name__, ["z"] * ufunc.nin)


def points(ufunc, count=60):
    """Operands where a function is smooth: between 0 and 1, or as the table says; some functions go further."""
    rng, name = np.random.default_rng(3), ufunc.__name__
    operands = [DRAWN[kind](rng, count) if kind in DRAWN else float(kind) for kind in kinds_of(ufunc)]
    if name == "_zeta":
        operands = [operands[0] + 1.5, operands[1] + 0.2]
    if name in WIDE and count > 9:
        far = np.where(np.arange(count) % 3, rng.uniform(1.0, 5.0, count), rng.uniform(-3.9, -3.1, count))
        operands = [np.concatenate([far[: count // 2], operands[0][count // 2 :]])]
    return [-operands[0]] if name == "ndtri_exp" else operands


@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_rule_agrees_with_central_differences(ufunc, partials):
    operands = points(ufunc)
    value = ufunc(*operands)
    assert len(partials) == ufunc.nin
    for place, partial in enumerate(partials):
        if partial is unknown or (partial is zero and ufunc.__name__ in KINDS):
            continue
        ahead, behind = ([x + step * (k == place) for k, x in enumerate(operands)] for step in (1e-5, -1e-5))
        slope = (ufunc(*ahead) - ufunc(*behind)) / 2e-5
        found = np.broadcast_to(partial(value, *operands), slope.shape)
        np.testing.assert_allclose(found, slope, rtol=5e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("ufunc", "partials"), [row for row in RULES if "D->D" in row.values[0].types and row.id != "expi"]
)
def test_a_rule_agrees_with_complex_steps_to_the_last_digits(ufunc, partials):
    operands = [np.abs(points(ufunc)[0])]
    slope = ufunc(operands[0] + 1e-20j).imag / 1e-20
    assert_close(np.broadcast_to(partials[0](ufunc(*operands), *operands), slope.shape), slope, 1e-11)


@pytest.mark.every
@GRAINS
@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_function_gives_what_scipy_gives_and_has_its_derivatives(ufunc, partials, grain):
    kinds, operands = kinds_of(ufunc), points(ufunc, 4)
    known = [k for k, partial in enumerate(partials) if partial is not unknown and kinds[k] in ("x", "p", "n", "z")]

    def f(*chosen):
        whole = list(operands)
        for k, x in zip(known, chosen, strict=True):
            whole[k] = x
        return ufunc(*whole)

    check(f, tuple(operands[k] for k in known), grain)


@pytest.mark.parametrize("x", [-9e-3, -1e-5, 0.0, 1e-8, 3e-3])
def test_the_slope_of_exprel_does_not_cancel_near_zero(x):
    expected = sum(k * Fraction(x) ** (k - 1) / factorial(k + 1) for k in range(1, 12))
    assert ad.grad(exprel)(x) == pytest.approx(float(expected), rel=1e-14)


def test_functions_are_whole_in_the_array_grain():
    graph = ad.trace(lambda x: logsumexp(x, axis=1) + softmax(x, axis=1)[:, 0], np.ones((2, 3)))
    assert len(graph) < 15
    assert graph.block_counts()["logsumexp"] == 2


def test_adviz_does_not_import_scipy():
    code = "import sys, numpy as np, adviz as ad; ad.grad(np.sin)(1.0); ad.trace(lambda x: np.cumsum(x), [1.0]); "
    subprocess.run([sys.executable, "-c", code + "sys.exit('scipy' in sys.modules)"], check=True)


@GRAINS
@pytest.mark.parametrize(("order", "second"), [(0, (0.7**2 + 2 * 0.7 + 2) / 0.7**3), (1, 1.7 / 0.7**2)])
def test_second_derivatives_of_exponential_integrals_of_low_orders_are_known(grain, order, second):
    hessian = ad.hessian(lambda x: expn(order, x), grain=grain)(0.7)
    assert hessian == pytest.approx(np.exp(-0.7) * second, rel=1e-12)
