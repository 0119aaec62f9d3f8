"""SciPy's special functions: partials against central differences and complex steps, values against SciPy."""

import re
import subprocess
import sys
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
import scipy.special
from scipy.special import expn, exprel, logsumexp, softmax

import adviz as ad
from adviz.engine.scipy_functions.special import OF_PARTS, SPECIAL, complex_polygamma
from adviz.engine.scipy_functions.special_rules import unknown

from ..checks import GRAINS
from ..derivatives import assert_close
from ..scipys import check
from ..test_blocks import READING
from .test_special_rules import OWN

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


@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("math", "math.erf(x)"),
        ("scipy.special", "scipy.special.gamma(x)"),
        ("scipy.special", "scipy.special.wofz(x).real"),
        ("scipy.stats", "scipy.stats.norm.cdf(x)"),
        ("scipy.linalg", "scipy.linalg.solve(np.array([[2.0, x], [x, 3.0]]), np.ones(2))[0]"),
        ("scipy.signal", "scipy.signal.fftconvolve(np.array([x, 1.0]), np.array([1.0, x]))[1]"),
    ],
)
def test_what_is_imported_while_the_first_trace_of_a_process_runs_is_differentiated(imported, called):
    code = f"import numpy as np, adviz as ad\ndef f(x):\n    import {imported}\n    return {called}\n"
    code += "print(float(ad.grad(f)(0.5)), float((f(0.5 + 1e-6) - f(0.5 - 1e-6)) / 2e-6))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    derivative, difference = map(float, run.stdout.split())
    assert derivative == pytest.approx(difference, rel=1e-6, abs=1e-9)


@GRAINS
@pytest.mark.parametrize(("order", "second"), [(0, (0.7**2 + 2 * 0.7 + 2) / 0.7**3), (1, 1.7 / 0.7**2)])
def test_second_derivatives_of_exponential_integrals_of_low_orders_are_known(grain, order, second):
    hessian = ad.hessian(lambda x: expn(order, x), grain=grain)(0.7)
    assert hessian == pytest.approx(np.exp(-0.7) * second, rel=1e-12)


# ---- of complex numbers ----

POINTS = np.array([0.3, 0.4, -1.2, 0.7, 2.0, -0.5, -0.6, -0.8, 0.0, 1.5, -2.5, 1e-3])
"""Real and imaginary parts in turn."""
OF_COMPLEX_NUMBERS = [
    pytest.param(ufunc, id=ufunc.__name__)
    for ufunc in vars(scipy.special).values()
    if isinstance(ufunc, np.ufunc) and "D->D" in ufunc.types and getattr(np, ufunc.__name__, None) is not ufunc
]


def parts_of(ufunc):
    def parts(v):
        w = ufunc(v[::2] + 1j * v[1::2])
        return np.concatenate([w.real, w.imag])

    return parts


@pytest.mark.every
@GRAINS
@pytest.mark.parametrize("ufunc", OF_COMPLEX_NUMBERS)
def test_a_function_of_complex_numbers_gives_what_scipy_gives_and_has_its_derivatives(ufunc, grain):
    check(parts_of(ufunc), (POINTS,), grain)


@pytest.mark.parametrize("ufunc", OF_COMPLEX_NUMBERS)
def test_compiled_derivatives_of_complex_functions_are_those_of_the_trace(ufunc):
    def loss(v):
        return np.sum(np.cos(parts_of(ufunc)(v)))

    direction = np.cos(np.arange(12.0))
    assert_close(ad.compile_gradient(loss, POINTS)(POINTS).gradient, ad.grad(loss)(POINTS), 1e-12)
    assert_close(ad.compile_hessian(loss, POINTS)(POINTS)[-1], ad.hessian(loss)(POINTS), 1e-11)
    compiled = ad.compile_jvp(parts_of(ufunc), POINTS)((POINTS,), (direction,))
    assert_close(np.asarray(compiled[-1]), ad.jvp(parts_of(ufunc), (POINTS,), (direction,))[1], 1e-12)


@GRAINS
def test_derivatives_of_complex_functions_obey_their_identities(grain):
    """Cauchy and Riemann's, ``w' = -2 z w + 2i / √π`` (DLMF 7.10.2), and that log Γ has the derivative psi."""
    z = POINTS[::2] + 1j * POINTS[1::2]
    slopes = {
        scipy.special.wofz: 2j / np.sqrt(np.pi) - 2 * z * scipy.special.wofz(z),
        scipy.special.loggamma: scipy.special.psi(z),
        scipy.special.erf: 2 / np.sqrt(np.pi) * np.exp(-z * z),
    }
    for ufunc, slope in slopes.items():
        jacobian = ad.jacobian(parts_of(ufunc), grain=grain)(POINTS)
        (by_x, by_y), n = (jacobian[:, place::2] for place in (0, 1)), len(z)
        for found in (by_x[:n] + 1j * by_x[n:], (by_y[:n] + 1j * by_y[n:]) / 1j):
            np.testing.assert_allclose(found, np.diag(slope), rtol=1e-11, atol=1e-12)


@GRAINS
@pytest.mark.parametrize("side", [0.0, -0.0])
def test_the_branch_of_log_gamma_is_scipys_also_beside_its_cut(side, grain):
    def angle(x):
        z = x + 0j
        return np.sum(scipy.special.loggamma(np.conj(z) if np.signbit(side) else z).imag)

    for x in (-0.5, -1.5, -7.25):
        expected = scipy.special.loggamma(complex(x, side)).imag
        assert ad.value_and_grad(angle, grain=grain)(x) == (pytest.approx(expected), pytest.approx(0.0, abs=1e-14))
        if grain == "array":
            assert ad.compile_gradient(angle, x)(x).value == pytest.approx(expected)


def test_a_function_with_complex_values_only_takes_real_numbers_too():
    def dawson(x):
        return np.sum(scipy.special.wofz(x).imag)

    x = np.array([0.3, -1.2])
    expected = ad.grad(lambda x: 2 / np.sqrt(np.pi) * np.sum(scipy.special.dawsn(x)))(x)
    np.testing.assert_allclose(ad.grad(dawson)(x), expected, rtol=1e-13)
    np.testing.assert_allclose(ad.grad(dawson, grain="scalar")(x), expected, rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_polygamma_of_complex_numbers_is_the_real_one_on_the_axis_and_a_derivative_beside_it(n):
    x = np.array([0.3, 1.0, 7.5, 40.0])
    np.testing.assert_allclose(complex_polygamma(x + 0j, n), scipy.special.polygamma(n, x), rtol=1e-13)
    z = np.array([0.3 + 0.4j, -5.3 - 0.1j, -20.4 + 3j, -3.5 + 30j, 7 - 9j])
    before = scipy.special.psi if n == 1 else lambda z: complex_polygamma(z, n - 1)
    slope = (before(z + 1e-5) - before(z - 1e-5)) / 2e-5
    np.testing.assert_allclose(complex_polygamma(z, n), slope, rtol=2e-6, atol=1e-9)


def test_formulas_of_complex_functions_are_what_is_computed():
    x, y, order = 0.7, 0.4, 2.0
    names = {name: getattr(scipy.special, name) for name in scipy.special.__all__}
    names |= {"polygamma": lambda n, z: complex_polygamma(z, n), "Re": np.real, "Im": np.imag, "np": np}
    assert {block.name.rpartition("_")[0] for block in OF_PARTS} >= {"wofz", "loggamma", "psi", "polygamma", "erf"}
    for block in OF_PARTS:
        operands = (x, y, order)[: len(block.partials)]
        for formula, partial in zip(block.formulas[:2], block.partials, strict=False):
            text = formula.format(a="x", b="y", c="order")
            for pattern, replacement in [(r"\bi\b", "1j"), *OWN, *READING]:
                text = re.sub(pattern, replacement, text)
            found = partial(block.compute(*operands), *operands)
            assert eval(text, names | {"x": x, "y": y, "order": order}) == pytest.approx(found, rel=1e-12), formula


REMOVABLE = {
    "spence": (lambda x: scipy.special.spence(x), 1.0, 0.5),
    "ellipk": (lambda x: scipy.special.ellipk(x), 0.0, 9 * np.pi / 64),
    "ellipkm1": (lambda x: scipy.special.ellipkm1(x), 1.0, 9 * np.pi / 64),
    "ellipe": (lambda x: scipy.special.ellipe(x), 0.0, -3 * np.pi / 64),
}


@GRAINS
@pytest.mark.parametrize("name", REMOVABLE)
def test_second_derivatives_are_limits_where_the_formula_of_the_first_divides_by_zero(name, grain):
    f, x, expected = REMOVABLE[name]
    assert ad.hessian(f, grain=grain)(x) == pytest.approx(expected, rel=1e-12)
    assert ad.compile_hessian(f, x, grain=grain)(x).hessian == pytest.approx(expected, rel=1e-12)
