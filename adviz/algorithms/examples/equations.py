"""Systems of equations: dipoles in a heart, the combustion of propane, reactions in polluted air."""

from __future__ import annotations

from math import prod

import numpy as np

from .small_functions import Num


def human_heart_dipole(a: Num, b: Num, c: Num, d: Num, t: Num, u: Num, v: Num, w: Num) -> tuple[Num, ...]:
    """What two dipoles miss of the moments that were measured on a human heart (experiment 791129).

    With the dipoles ``a + c i`` at ``t + v i`` and ``b + d i`` at ``u + w i``, these are the real and imaginary parts
    of their sum and of their moments up to the third. Source: "Human heart dipole" in B. M. Averick, R. G. Carter,
    J. J. Moré, G.-L. Xue, "The MINPACK-2 test problem collection" (1992).

    >>> misses = human_heart_dipole(0.299, 0.186, -0.0273, 0.0254, -0.474, 0.474, -0.0892, 0.0892)
    >>> [round(abs(miss), 3) for miss in misses]
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.181, 0.397]
    """
    tt, vv, tv, uu, ww, uw = t * t, v * v, 2 * t * v, u * u, w * w, 2 * u * w
    square_t, square_u = tt - vv, uu - ww
    cube_t, cube_v, cube_u, cube_w = t * (tt - 3 * vv), v * (3 * tt - vv), u * (uu - 3 * ww), w * (3 * uu - ww)
    return (
        a + b - 0.485,
        c + d + 0.0019,
        a * t - c * v + b * u - d * w + 0.0581,
        a * v + c * t + b * w + d * u - 0.015,
        a * square_t - c * tv + b * square_u - d * uw - 0.105,
        a * tv + c * square_t + b * uw + d * square_u - 0.0406,
        a * cube_t - c * cube_v + b * cube_u - d * cube_w - 0.167,
        a * cube_v + c * cube_t + b * cube_w + d * cube_u + 0.399,
    )


def propane_combustion(
    x1: Num, x2: Num, x3: Num, x4: Num, x5: Num, x6: Num, x7: Num, x8: Num, x9: Num, x10: Num, x11: Num
) -> tuple[Num, ...]:
    """How far a mixture of gases is from what propane, burnt in air at 40 atmospheres, comes to rest as.

    ``x1`` to ``x10`` are moles of CO2, H2O, N2, CO, H2, H, OH, O, NO and O2 for a mole of propane, and ``x11`` is their
    sum; the first four results are the balances of carbon, oxygen, hydrogen and nitrogen, then come six reactions.
    Source: as of :func:`human_heart_dipole`, "combustion of propane, full formulation"; the model is K. Meintjes' and
    A. P. Morgan's.

    >>> propane_combustion(3.0, 4.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 27.0)[:4]
    (0.0, 0.0, 0.0, 0.0)
    """
    pressure = 40.0 / x11
    root = np.sqrt(pressure)
    return (
        x1 + x4 - 3.0,
        2.0 * x1 + x2 + x4 + x7 + x8 + x9 + 2.0 * x10 - 10.0,
        2.0 * x2 + 2.0 * x5 + x6 + x7 - 8.0,
        2.0 * x3 + x9 - 40.0,
        0.193 * x2 * x4 - x1 * x5,
        2.597e-3 * np.sqrt(x2 * x4) - np.sqrt(x1) * x6 * root,
        3.448e-3 * np.sqrt(x1 * x2) - np.sqrt(x4) * x7 * root,
        1.799e-5 * x1 - x4 * x8 * pressure,
        2.155e-4 * x1 * np.sqrt(x3) - x4 * x9 * root,
        3.846e-5 * x1 * x1 - x4 * x4 * x10 * pressure,
        x11 - (x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10),
    )


SPECIES = "NO2 NO O3P O3 HO2 OH HCHO CO ALD MEO2 C2O3 CO2 PAN CH3O HNO3 O1D SO2 SO4 NO3 N2O5".split()
REACTIONS: list[tuple[float, str, str]] = [
    # per ppm and minute, what reacts, what comes of it
    (0.35, "NO2", "NO O3P"),
    (26.6, "NO O3", "NO2"),
    (1.23e4, "HO2 NO", "NO2 OH"),
    (8.6e-4, "HCHO", "HO2 HO2 CO"),
    (8.2e-4, "HCHO", "CO"),
    (1.5e4, "HCHO OH", "HO2 CO"),
    (1.3e-4, "ALD", "MEO2 HO2 CO"),
    (2.4e4, "ALD OH", "C2O3"),
    (1.65e4, "C2O3 NO", "NO2 MEO2 CO2"),
    (9e3, "C2O3 NO2", "PAN"),
    (0.022, "PAN", "C2O3 NO2"),
    (1.2e4, "MEO2 NO", "CH3O NO2"),
    (1.88, "CH3O", "HCHO HO2"),
    (1.63e4, "NO2 OH", "HNO3"),
    (4.8e6, "O3P", "O3"),
    (3.5e-4, "O3", "O1D"),
    (0.0175, "O3", "O3P"),
    (1e8, "O1D", "OH OH"),
    (4.44e11, "O1D", "O3P"),
    (1240.0, "SO2 OH", "SO4 HO2"),
    (2.1, "NO3", "NO"),
    (5.78, "NO3", "NO2 O3P"),
    (0.0474, "NO2 O3", "NO3"),
    (1780.0, "NO3 NO2", "N2O5"),
    (3.12, "N2O5", "NO3 NO2"),
]


def pollution(*concentrations: Num) -> tuple[Num, ...]:
    """How quickly twenty species in polluted air become more or fewer, by their concentrations, in ppm per minute.

    They react by the law of mass action. Source: J. G. Verwer, "Gauss-Seidel iteration for stiff ODEs from chemical
    kinetics", SIAM Journal on Scientific Computing 15 (1994) 1243-1250; "POLLU" in the test set for IVP solvers
    (F. Mazzia, C. Magherini, 2008).

    >>> start = {"NO": 0.2, "O3": 0.04, "HCHO": 0.1, "CO": 0.3, "ALD": 0.01, "SO2": 0.007}
    >>> changes = dict(zip(SPECIES, pollution(*(start.get(name, 0.0) for name in SPECIES))))
    >>> round(changes["NO2"], 12), round(changes["NO"], 12)
    (0.2128, -0.2128)
    """
    present = dict(zip(SPECIES, concentrations, strict=True))
    changes: dict[str, Num] = {}
    for factor, educts, products in REACTIONS:
        rate = prod((present[name] for name in educts.split()), start=factor)
        for name in educts.split():
            changes[name] = changes[name] - rate if name in changes else -rate
        for name in products.split():
            changes[name] = changes[name] + rate if name in changes else rate
    return tuple(changes[name] for name in SPECIES)
