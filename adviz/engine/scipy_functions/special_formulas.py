"""How the partials of SciPy's special functions are written, with the words of their rules.

A formula is written with the functions of ``scipy.special``; it is empty where no closed form is known.
"""

from __future__ import annotations

from ..blocks import Words
from ..rules.textbook import WORDS

GAMMA = "{x}^({a} - 1) · e^(-{x}) / gamma({a})"
BETA = "{x}^({a} - 1) · (1 - {x})^({b} - 1) / beta({a}, {b})"
STUDENT = "(1 + {x}² / {a})^(-({a} + 1) / 2) / (√{a} · beta({a} / 2, 1 / 2))"
CHI = "({x} / 2)^({a} / 2 - 1) · e^(-{x} / 2) / (2 · gamma({a} / 2))"
FISHER = (
    "{a} · {b} / ({a} · {x} + {b})² · ({a} · {x} / ({a} · {x} + {b}))^({a} / 2 - 1)"
    " · ({b} / ({a} · {x} + {b}))^({b} / 2 - 1) / beta({a} / 2, {b} / 2)"
)


def _at(density: str, x: str) -> str:
    return density.replace("{x}", x)


def _inverse(density: str, x: str = "{y}", sign: str = "") -> str:
    return f"{sign}1 / ({_at(density, x)})"


GDTR = "({a} · {c})^({b} - 1) · e^(-{a} · {c}) / gamma({b})"
POISSON = "{b}^⌊{a}⌋ · e^(-{b}) / gamma(⌊{a}⌋ + 1)"
NEGATIVE = "{c}^({b} - 1) · (1 - {c})^⌊{a}⌋ / beta({b}, ⌊{a}⌋ + 1)"
BINOMIAL = "{c}^⌊{a}⌋ · (1 - {c})^({b} - ⌊{a}⌋ - 1) / beta(⌊{a}⌋ + 1, {b} - ⌊{a}⌋)"
FORMULAS: dict[str, tuple[str, ...]] = {
    # ---- error functions ----
    "erf": ("(2 / √π) · e^(-{a}²)",),
    "erfc": ("-(2 / √π) · e^(-{a}²)",),
    "erfcx": ("2 · {a} · {y} - 2 / √π",),
    "erfi": ("(2 / √π) · e^({a}²)",),
    "dawsn": ("1 - 2 · {a} · {y}",),
    "erfinv": ("(√π / 2) · e^({y}²)",),
    "erfcinv": ("-(√π / 2) · e^({y}²)",),
    "ndtr": ("e^(-{a}² / 2) / √(2 · π)",),
    "log_ndtr": ("e^(-{a}² / 2 - {y}) / √(2 · π)",),
    "ndtri": ("√(2 · π) · e^({y}² / 2)",),
    "ndtri_exp": ("√(2 · π) · e^({y}² / 2 + {a})",),
    # ---- gamma functions ----
    "gamma": ("{y} · psi({a})",),
    "gammaln": ("psi({a})",),
    "loggamma": ("psi({a})",),
    "rgamma": ("-{y} · psi({a})",),
    "psi": ("polygamma(1, {a})",),
    "zeta": ("", "-{a} · zeta({a} + 1, {b})"),
    "gammasgn": ("0",),
    "beta": ("{y} · (psi({a}) - psi({a} + {b}))", "{y} · (psi({b}) - psi({a} + {b}))"),
    "betaln": ("psi({a}) - psi({a} + {b})", "psi({b}) - psi({a} + {b})"),
    "binom": ("{y} · (psi({a} + 1) - psi({a} - {b} + 1))", "{y} · (psi({a} - {b} + 1) - psi({b} + 1))"),
    "poch": ("{y} · (psi({a} + {b}) - psi({a}))", "{y} · psi({a} + {b})"),
    # ---- logistic functions, entropies, losses ----
    "expit": ("{y} · (1 - {y})",),
    "logit": ("1 / ({a} · (1 - {a}))",),
    "log_expit": ("1 - e^{y}",),
    "xlogy": ("ln {b}", "{a} / {b}"),
    "xlog1py": ("ln (1 + {b})", "{a} / (1 + {b})"),
    "entr": ("-ln {a} - 1",),
    "rel_entr": ("ln ({a} / {b}) + 1", "-{a} / {b}"),
    "kl_div": ("ln ({a} / {b})", "1 - {a} / {b}"),
    "expm1": ("e^{a}",),
    "log1p": ("1 / (1 + {a})",),
    "exp2": ("{y} · ln 2",),
    "exp10": ("{y} · ln 10",),
    "cbrt": ("1 / (3 · {y}²)",),
    "cosm1": ("-sin {a}",),
    "huber": ("max(|{b}| - {a}, 0)", "clip({b}, -{a}, {a})"),
    "pseudo_huber": ("2 · {y} / {a} - {b}² / √({a}² + {b}²)", "{a} · {b} / √({a}² + {b}²)"),
    "boxcox": ("{a}^({b} - 1)", ""),
    "boxcox1p": ("(1 + {a})^({b} - 1)", ""),
    "inv_boxcox": ("{y}^(1 - {b})", ""),
    "inv_boxcox1p": ("(1 + {y})^(1 - {b})", ""),
    # ---- integrals ----
    "exp1": ("-e^(-{a}) / {a}",),
    "expi": ("e^{a} / {a}",),
    "expn": ("", "-expn({a} - 1, {b})"),
    "spence": ("ln {a} / (1 - {a})",),
    "ellipk": ("(ellipe({a}) / (1 - {a}) - {y}) / (2 · {a})",),
    "ellipe": ("({y} - ellipk({a})) / (2 · {a})",),
    "ellipkm1": ("-(ellipe(1 - {a}) / {a} - {y}) / (2 · (1 - {a}))",),
    "ellipkinc": (
        "1 / √(1 - {b} · (sin {a})²)",
        "(ellipeinc({a}, {b}) / (1 - {b}) - {y}) / (2 · {b})"
        " - sin (2 · {a}) / (4 · (1 - {b}) · √(1 - {b} · (sin {a})²))",
    ),
    "ellipeinc": ("√(1 - {b} · (sin {a})²)", "({y} - ellipkinc({a}, {b})) / (2 · {b})"),
    "exprel": ("(e^{a} - {y}) / {a}",),
    # ---- Bessel and Struve functions ----
    "j0": ("-j1({a})",),
    "j1": ("(j0({a}) - jv(2, {a})) / 2",),
    "jv": ("", "(jv({a} - 1, {b}) - jv({a} + 1, {b})) / 2"),
    "y0": ("-y1({a})",),
    "y1": ("y0({a}) - {y} / {a}",),
    "yn": ("", "(yv({a} - 1, {b}) - yv({a} + 1, {b})) / 2"),
    "yv": ("", "(yv({a} - 1, {b}) - yv({a} + 1, {b})) / 2"),
    "i0": ("i1({a})",),
    "i1": ("(i0({a}) + iv(2, {a})) / 2",),
    "iv": ("", "(iv({a} - 1, {b}) + iv({a} + 1, {b})) / 2"),
    "i0e": ("i1e({a}) - sign {a} · {y}",),
    "i1e": ("(i0e({a}) + ive(2, {a})) / 2 - sign {a} · {y}",),
    "ive": ("", "(ive({a} - 1, {b}) + ive({a} + 1, {b})) / 2 - sign {b} · {y}"),
    "k0": ("-k1({a})",),
    "k1": ("-k0({a}) - {y} / {a}",),
    "kn": ("", "-(kv({a} - 1, {b}) + kv({a} + 1, {b})) / 2"),
    "kv": ("", "-(kv({a} - 1, {b}) + kv({a} + 1, {b})) / 2"),
    "k0e": ("{y} - k1e({a})",),
    "k1e": ("{y} - k0e({a}) - {y} / {a}",),
    "kve": ("", "{y} - (kve({a} - 1, {b}) + kve({a} + 1, {b})) / 2"),
    "struve": ("", "struve({a} - 1, {b}) - ({a} / {b}) · {y}"),
    "modstruve": ("", "modstruve({a} - 1, {b}) - ({a} / {b}) · {y}"),
    # ---- of degrees, powers ----
    "sindg": ("(π / 180) · cosdg({a})",),
    "cosdg": ("-(π / 180) · sindg({a})",),
    "tandg": ("(π / 180) · (1 + {y}²)",),
    "cotdg": ("-(π / 180) · (1 + {y}²)",),
    "powm1": ("{b} · {a}^({b} - 1)", "({y} + 1) · ln {a}"),
    # ---- hypergeometric functions, orthogonal polynomials ----
    "hyp0f1": ("", "hyp0f1({a} + 1, {b}) / {a}"),
    "hyp1f1": ("", "", "({a} / {b}) · hyp1f1({a} + 1, {b} + 1, {c})"),
    "hyperu": ("", "", "-{a} · hyperu({a} + 1, {b} + 1, {c})"),
    "hyp2f1": ("", "", "", "({a} · {b} / {c}) · hyp2f1({a} + 1, {b} + 1, {c} + 1, {d})"),
    "eval_legendre": ("", "({a} + 1) · eval_jacobi({a} - 1, 1, 1, {b}) / 2"),
    "eval_chebyt": ("", "{a} · eval_chebyu({a} - 1, {b})"),
    "eval_chebyu": ("", "2 · eval_gegenbauer({a} - 1, 2, {b})"),
    "eval_laguerre": ("", "-eval_genlaguerre({a} - 1, 1, {b})"),
    "eval_genlaguerre": ("", "", "-eval_genlaguerre({a} - 1, {b} + 1, {c})"),
    "eval_gegenbauer": ("", "", "2 · {b} · eval_gegenbauer({a} - 1, {b} + 1, {c})"),
    "eval_jacobi": ("", "", "", "({a} + {b} + {c} + 1) · eval_jacobi({a} - 1, {b} + 1, {c} + 1, {d}) / 2"),
    # ---- distributions ----
    "gammainc": ("", _at(GAMMA, "{b}")),
    "gammaincc": ("", f"-{_at(GAMMA, '{b}')}"),
    "gammaincinv": ("", _inverse(GAMMA)),
    "gammainccinv": ("", _inverse(GAMMA, sign="-")),
    "betainc": ("", "", _at(BETA, "{c}")),
    "betaincc": ("", "", f"-{_at(BETA, '{c}')}"),
    "betaincinv": ("", "", _inverse(BETA)),
    "betainccinv": ("", "", _inverse(BETA, sign="-")),
    "stdtr": ("", _at(STUDENT, "{b}")),
    "stdtrit": ("", _inverse(STUDENT)),
    "chdtr": ("", _at(CHI, "{b}")),
    "chdtrc": ("", f"-{_at(CHI, '{b}')}"),
    "chdtri": ("", _inverse(CHI, sign="-")),
    "fdtr": ("", "", _at(FISHER, "{c}")),
    "fdtrc": ("", "", f"-{_at(FISHER, '{c}')}"),
    "fdtri": ("", "", _inverse(FISHER)),
    "gdtr": (f"{{c}} · {GDTR}", "", f"{{a}} · {GDTR}"),
    "gdtrc": (f"-{{c}} · {GDTR}", "", f"-{{a}} · {GDTR}"),
    "pdtr": ("0", f"-{POISSON}"),
    "pdtrc": ("0", POISSON),
    "nbdtr": ("0", "0", NEGATIVE),
    "nbdtrc": ("0", "0", f"-{NEGATIVE}"),
    "owens_t": (
        "-e^(-{a}² / 2) · erf({a} · {b} / √2) / √(8 · π)",
        "e^(-{a}² · (1 + {b}²) / 2) / (2 · π · (1 + {b}²))",
    ),
    "beta_pdf": (
        "{y} · (({b} - 1) / {a} - ({c} - 1) / (1 - {a}))",
        "{y} · (ln {a} - psi({b}) + psi({b} + {c}))",
        "{y} · (ln (1 - {a}) - psi({c}) + psi({b} + {c}))",
    ),
    "beta_ppf": ("1 / ({y}^({b} - 1) · (1 - {y})^({c} - 1) / beta({b}, {c}))", "", ""),
    "cauchy_ppf": ("{c} · π / (sin (π · {a}))²", "1", "({y} - {b}) / {c}"),
    "cauchy_isf": ("-{c} · π / (sin (π · {a}))²", "1", "({y} - {b}) / {c}"),
    "binom_pmf": (
        "0",
        "{y} · (psi({b} + 1) - psi({b} - {a} + 1) + ln (1 - {c}))",
        "{y} · ({a} - {b} · {c}) / ({c} · (1 - {c}))",
    ),
    "binom_cdf": ("0", "", f"-{BINOMIAL}"),
    "binom_sf": ("0", "", BINOMIAL),
    "nbinom_pmf": (
        "0",
        "{y} · (psi({b} + {a}) - psi({b}) + ln {c})",
        "{y} · ({b} / {c} - {a} / (1 - {c}))",
    ),
    "nbinom_cdf": ("0", "", NEGATIVE),
    "nbinom_sf": ("0", "", f"-{NEGATIVE}"),
    "lambertw": ("e^(-{y}) / (1 + {y})", "0"),
}
"""By the name of the Block."""
INVERSE = (
    "erfinv erfcinv ndtri gammaincinv gammainccinv betaincinv betainccinv stdtrit chdtri fdtri beta_ppf cauchy_ppf"
    " cauchy_isf logit lambertw ndtri_exp"
)
NEIGHBOURS = "j0 j1 jv y0 y1 yn yv i0 i1 iv i0e i1e ive k0 k1 kn kv k0e k1e kve struve modstruve"
POLYNOMIALS = "eval_legendre eval_chebyt eval_chebyu eval_laguerre eval_genlaguerre eval_gegenbauer eval_jacobi"
REASONS: dict[str, str] = {
    "erf": "erf is the integral of a bell curve, so its derivative is that curve",
    "ndtr": "The derivative of a distribution function is the density, here a bell curve",
    "erfc": "erfc is 1 − erf, so its derivative is minus a bell curve",
    "erfi": "The derivative of an integral is its integrand",
    "erfcx": "The product rule, for e^({a}²) · erfc({a})",
    "dawsn": "The product rule, for a falling bell curve times an integral",
    "log_ndtr": "The derivative of a logarithm is that of its argument over its argument, here density over"
    " distribution",
    **dict.fromkeys(INVERSE.split(), "An inverse function has 1 over the derivative of the function that it undoes"),
    **dict.fromkeys(
        "gammainc betainc stdtr chdtr fdtr gdtr".split(), "The derivative of a distribution function is the density"
    ),
    **dict.fromkeys(
        "gammaincc betaincc chdtrc fdtrc gdtrc".split(), "The derivative of an upper tail is minus the density"
    ),
    **dict.fromkeys(
        "pdtr pdtrc nbdtr nbdtrc binom_cdf binom_sf nbinom_cdf nbinom_sf".split(),
        "The distribution is constant between whole numbers, and responds to its parameter",
    ),
    **dict.fromkeys(
        "beta_pdf binom_pmf nbinom_pmf".split(), "The derivative is the value times the derivative of its logarithm"
    ),
    **dict.fromkeys("gammaln loggamma".split(), "The derivative of log Γ is the digamma function psi"),
    **dict.fromkeys(
        "gamma rgamma beta betaln binom poch".split(),
        "The derivative of log Γ is the digamma function psi, and the chain rule gives the rest",
    ),
    **dict.fromkeys(NEIGHBOURS.split(), "The derivative is known from the functions of the neighbouring orders"),
    **dict.fromkeys(POLYNOMIALS.split(), "The derivative of a polynomial of this kind is one of a degree less"),
    **dict.fromkeys(
        "hyp0f1 hyp1f1 hyperu hyp2f1".split(), "The derivative is the same function with its parameters raised by 1"
    ),
    **dict.fromkeys("exp1 expi expn spence owens_t".split(), "The derivative of an integral is its integrand"),
    **dict.fromkeys(
        "ellipk ellipe ellipkm1 ellipkinc ellipeinc".split(),
        "The derivatives of elliptic integrals are known by elliptic integrals of the other kind",
    ),
    **dict.fromkeys("sindg cosdg tandg cotdg".split(), "An angle in degrees brings the factor π/180 with it"),
    "psi": "The derivative of the digamma function is the trigamma function",
    "zeta": "The power rule, for each term of the series",
    "gammasgn": "A sign is constant between its jumps",
    "log_expit": "The derivative of the logarithm of the logistic function is 1 minus the logistic function",
    "xlogy": "A product with a logarithm, by the product rule",
    "xlog1py": "A product with a logarithm, by the product rule",
    "entr": "The product rule, for −{a} · log {a}",
    "rel_entr": "The product rule, for {a} · log({a} / {b})",
    "kl_div": "The product rule, for {a} · log({a} / {b}) - {a} + {b}",
    "exp10": "A power of 10 grows in proportion to itself, by the factor ln 10",
    "huber": "The loss is quadratic up to {a} and linear beyond, so its slope grows and then stays",
    "pseudo_huber": "The chain rule, for a root of a sum of squares",
    **dict.fromkeys("boxcox boxcox1p powm1".split(), "The power rule; the constant drops out"),
    **dict.fromkeys("inv_boxcox inv_boxcox1p".split(), "The power rule, for the exponent 1 over the parameter"),
    "exprel": "The quotient rule, for e^{a} - 1 over {a}",
}
"""Why a derivative is what it is, by the name of the Block."""
ALIKE = {"expm1": "expm1", "log1p": "log1p", "exp2": "exp2", "cbrt": "cbrt", "expit": "logistic", "cosm1": "cos"}
"""The functions that are NumPy's, or have the derivative of one of them."""
WRONG: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(
        INVERSE.split(),
        (("1 / {y}", "That is the reciprocal of the value; it is 1 over the other function's derivative."),),
    ),
    "erf": (("e^(-{a}²)", "The factor 2/√π is missing."),),
    "ndtr": (("e^(-{a}² / 2)", "The factor 1/√(2π) is missing."),),
    "gammaln": (("1 / {y}", "That takes log Γ for a plain logarithm; its derivative is psi."),),
    "exp10": (("{y}", "The factor ln 10 is missing: only exp is its own derivative."),),
    "xlogy": (
        ("ln {b}", "That is the partial with respect to {a}."),
        ("{a} / {b}", "That is the partial with respect to {b}."),
    ),
}
"""Wrong factors, besides those that are known for all functions."""


def words(name: str) -> Words:
    """Words of a special function."""
    if name in ALIKE:
        return WORDS[ALIKE[name]]
    return Words(f"{REASONS[name]}: {{partials}}.", (WRONG.get(name, ()),) * len(FORMULAS[name]))
