"""SciPy's ufuncs of probability distributions: partials against central differences, values against SciPy."""

import numpy as np
import pytest
import scipy.special as special

import adviz as ad
from adviz.engine.rules.elementwise import zero
from adviz.engine.scipy_functions.special import SPECIAL
from adviz.engine.scipy_functions.special_rules import unknown

from ..checks import GRAINS
from ..scipys import check

RNG = np.random.default_rng(3)
OPERANDS = {
    "gammainc": (1.7, "x"),
    "gammaincc": (1.7, "x"),
    "gammaincinv": (1.7, "p"),
    "gammainccinv": (1.7, "p"),
    "betainc": (1.7, 2.4, "p"),
    "betaincc": (1.7, 2.4, "p"),
    "betaincinv": (1.7, 2.4, "p"),
    "betainccinv": (1.7, 2.4, "p"),
    "stdtr": (3.5, "x"),
    "stdtrit": (3.5, "p"),
    "chdtr": (3.5, "x"),
    "chdtrc": (3.5, "x"),
    "chdtri": (3.5, "p"),
    "fdtr": (3.5, 2.2, "x"),
    "fdtrc": (3.5, 2.2, "x"),
    "fdtri": (3.5, 2.2, "p"),
    "gdtr": ("x", 2.5, "x"),
    "gdtrc": ("x", 2.5, "x"),
    "pdtr": ("k", "x"),
    "pdtrc": ("k", "x"),
    "nbdtr": ("k", 4, "p"),
    "nbdtrc": ("k", 4, "p"),
    "owens_t": ("x", "x"),
    "_beta_pdf": ("p", "x", "x"),
    "_beta_ppf": ("p", 1.7, 2.4),
    "_cauchy_ppf": ("p", "x", "x"),
    "_cauchy_isf": ("p", "x", "x"),
    "_binom_pmf": ("k", "n", "p"),
    "_binom_cdf": ("k", 5.0, "p"),
    "_binom_sf": ("k", 5.0, "p"),
    "_nbinom_pmf": ("k", "x", "p"),
    "_nbinom_cdf": ("k", 4.0, "p"),
    "_nbinom_sf": ("k", 4.0, "p"),
}
"""Numbers, or what they are drawn from."""
RULES = [
    pytest.param(ufunc, block.partials, id=ufunc.__name__)
    for ufunc, block in SPECIAL.items()
    if ufunc.__name__ in OPERANDS
]
DRAWN = {
    "x": lambda: RNG.uniform(0.3, 3.0, 20),
    "p": lambda: RNG.uniform(0.05, 0.95, 20),
    "k": lambda: RNG.integers(0, 5, 20).astype(float),
    "n": lambda: RNG.uniform(5.0, 7.0, 20),
}


@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_rule_agrees_with_central_differences(ufunc, partials):
    assert len(partials) == ufunc.nin
    operands = [DRAWN[what]() if isinstance(what, str) else what for what in OPERANDS[ufunc.__name__]]
    value = ufunc(*operands)
    for place, partial in enumerate(partials):
        if partial is unknown or partial is zero:
            continue
        ahead, behind = ([x + step * (k == place) for k, x in enumerate(operands)] for step in (1e-5, -1e-5))
        slope = (ufunc(*ahead) - ufunc(*behind)) / 2e-5
        found = np.broadcast_to(partial(value, *operands), slope.shape)
        np.testing.assert_allclose(found, slope, rtol=5e-6, atol=1e-7)


@GRAINS
@pytest.mark.parametrize(("ufunc", "partials"), RULES)
def test_a_function_gives_what_scipy_gives_and_has_its_derivatives(ufunc, partials, grain):
    kinds = OPERANDS[ufunc.__name__]
    known = [k for k, partial in enumerate(partials) if partial is not unknown and kinds[k] in ("x", "p", "n")]
    operands = [DRAWN[what]()[:3] if isinstance(what, str) else what for what in kinds]

    def f(*chosen):
        whole = list(operands)
        for k, x in zip(known, chosen, strict=True):
            whole[k] = x
        return ufunc(*whole)

    check(f, tuple(operands[k] for k in known), grain, 1e-12)


def test_a_parameter_without_a_closed_form_is_named():
    for name, f in {"gammainc": lambda a: special.gammainc(a, 1.0), "stdtr": lambda v: special.stdtr(v, 1.0)}.items():
        with pytest.raises(ad.MissingBlockError, match=f"{name} of a traced parameter"):
            ad.grad(f)(2.0)
