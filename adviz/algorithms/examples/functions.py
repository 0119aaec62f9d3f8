"""Functions on which elimination orders are compared in the literature, as plain NumPy functions with arguments.

Each is written from its own source. Where a program takes numbers, its trace is a scalar graph; where it takes arrays,
that with ``grain="scalar"`` is. What was published of their graphs: :data:`~.known_optima.LANDMARKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import NamedTuple

import numpy as np

from .small_functions import Case, Num, normal

# ---- networks ----


def _normalized(x: Num, gain: Num, shift: Num) -> Num:
    """Layer normalization (J. L. Ba, J. R. Kiros, G. E. Hinton, 2016)."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return gain * centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1e-6) + shift


def two_layer_network(
    x: Num, target: Num, weights1: Num, bias1: Num, weights2: Num, bias2: Num, gain: Num, shift: Num
) -> Num:
    """Half the squared distance of two layers of tanh, the first normalized, from a target.

    Source: D. E. Rumelhart, G. E. Hinton, R. J. Williams, "Learning representations by back-propagating errors", Nature
    323 (1986) 533-536.

    >>> two_layer_network(np.zeros(2), np.ones(1), np.ones((2, 2)), np.zeros(2), np.ones((1, 2)), np.zeros(1), 1.0, 0.0)
    np.float64(0.5)
    """
    hidden = _normalized(np.tanh(weights1 @ x + bias1), gain, shift)
    miss = np.tanh(weights2 @ hidden + bias2) - target
    return 0.5 * np.sum(miss * miss)


def _logistic(x: Num) -> Num:
    return 1 / (1 + np.exp(-x))


def lstm_cell(x: Num, hidden: Num, cell: Num, weights: Num, recurrent: Num, bias: Num) -> tuple[Num, Num]:
    """The next hidden state and the next cell of a long short-term memory.

    ``weights``, ``recurrent`` and ``bias`` have a quarter of their rows for each of the input gate, the forget gate,
    the output gate and the candidate. Source: S. Hochreiter and J. Schmidhuber, "Long short-term memory", Neural
    Computation 9 (1997) 1735-1780; the forget gate is of F. A. Gers, J. Schmidhuber, F. Cummins, "Learning to forget",
    Neural Computation 12 (2000) 2451-2471.

    >>> lstm_cell(np.zeros(1), np.zeros(1), np.array([2.0]), np.zeros((4, 1)), np.zeros((4, 1)), np.zeros(4))
    (array([0.38079708]), array([1.]))
    """
    remember, forget, show, candidate = np.split(weights @ x + recurrent @ hidden + bias, 4)
    cell = _logistic(forget) * cell + _logistic(remember) * np.tanh(candidate)
    return _logistic(show) * np.tanh(cell), cell


def encoder_block(x: Num, queries: Num, keys: Num, values: Num, weights: Num, bias: Num, gain: Num, shift: Num) -> Num:
    """Attention of one head, added to what came in and normalized, and a layer of ``z logistic(z)``.

    Rows of ``x`` are tokens. Source: A. Vaswani et al., "Attention is all you need", Advances in Neural Information
    Processing Systems 30 (2017), sections 3.1 to 3.3, with one layer instead of the two of 3.3.

    >>> encoder_block(np.eye(2), *np.zeros((4, 2, 2)), np.array([100.0, 0.0]), 1.0, 0.0)
    array([[100.,   0.],
           [100.,   0.]])
    """
    scores = np.exp((x @ queries) @ (x @ keys).T / np.sqrt(x.shape[-1]))  # too small for an overflow
    attention = scores / np.sum(scores, axis=-1, keepdims=True)
    z = _normalized(x + attention @ (x @ values), gain, shift) @ weights + bias
    return z * _logistic(z)


def transformer_encoder(x: Num, target: Num, *blocks: tuple[Num, ...]) -> Num:
    """Half the squared distance of what some blocks make of tokens, one after the other, from a target.

    Source: as of :func:`encoder_block`.

    >>> transformer_encoder(np.eye(2), np.zeros((2, 2)))
    np.float64(1.0)
    """
    for block in blocks:
        x = encoder_block(x, *block)
    return 0.5 * np.sum((x - target) ** 2)


# ---- gas dynamics ----


GAMMA = 1.4
"""Ratio of the specific heats of air."""


class _Gas(NamedTuple):
    """The state of a gas on one side; momentum and velocity are numbers, or vectors."""

    density: Num
    momentum: Num
    velocity: Num
    pressure: Num
    enthalpy: Num


def _gas(density: Num, momentum: Num, energy: Num) -> _Gas:
    velocity = momentum / density
    pressure = (GAMMA - 1) * (energy - 0.5 * np.dot(momentum, velocity))
    return _Gas(density, momentum, velocity, pressure, (energy + pressure) / density)


def _averages(one: _Gas, other: _Gas) -> tuple[Num, Num, Num, Num]:
    """Roe's averages of density, velocity and enthalpy, and half the square of the velocity."""
    root1, root2 = np.sqrt(one.density), np.sqrt(other.density)
    roots = root1 + root2
    velocity = (root1 * one.velocity + root2 * other.velocity) / roots
    enthalpy = (root1 * one.enthalpy + root2 * other.enthalpy) / roots
    return root1 * root2, velocity, enthalpy, 0.5 * np.dot(velocity, velocity)


def _waves(one: _Gas, other: _Gas, density: Num, u: Num, jump: Num, heat: Num) -> tuple[Num, Num, Num, Num]:
    """What moves with the slow sound wave, with the gas, and with the fast sound wave; and the speed of sound.

    ``u`` is the average velocity, ``jump`` that of the velocity, and ``heat`` the enthalpy without the kinetic part.
    """
    square = (GAMMA - 1) * heat
    sound = np.sqrt(square)
    push = (other.pressure - one.pressure) / square
    pull = density * jump / sound
    slow = 0.5 * (push - pull) * np.abs(u - sound)
    still = (other.density - one.density - push) * np.abs(u)
    fast = 0.5 * (push + pull) * np.abs(u + sound)
    return slow, still, fast, sound


def _upwind(fluxes1: Sequence[Num], fluxes2: Sequence[Num], waves: Sequence[Num]) -> tuple[Num, ...]:
    return tuple(0.5 * (flux1 + flux2 - wave) for flux1, flux2, wave in zip(fluxes1, fluxes2, waves, strict=True))


def roe_flux(
    density1: Num, momentum1: Num, energy1: Num, density2: Num, momentum2: Num, energy2: Num
) -> tuple[Num, ...]:
    """The flux of mass, momentum and energy between two states of a gas in a tube.

    Source: P. L. Roe, "Approximate Riemann solvers, parameter vectors, and difference schemes", Journal of
    Computational Physics 43 (1981) 357-372; the strengths of the waves from the jumps of density, velocity and pressure
    as in E. F. Toro, "Riemann Solvers and Numerical Methods for Fluid Dynamics" (2009), section 11.3.

    >>> [round(float(flux), 15) for flux in roe_flux(1.0, 0.0, 2.5, 1.0, 0.0, 2.5)]
    [0.0, 1.0, 0.0]
    """
    one, other = _gas(density1, momentum1, energy1), _gas(density2, momentum2, energy2)
    density, u, h, kinetic = _averages(one, other)
    slow, still, fast, a = _waves(one, other, density, u, other.velocity - one.velocity, h - kinetic)
    work = u * a
    waves = (
        slow + still + fast,
        slow * (u - a) + still * u + fast * (u + a),
        slow * (h - work) + still * kinetic + fast * (h + work),
    )
    fluxes1, fluxes2 = (
        (gas.momentum, gas.momentum * gas.velocity + gas.pressure, gas.momentum * gas.enthalpy) for gas in (one, other)
    )
    return _upwind(fluxes1, fluxes2, waves)


def roe_flux_3d(
    density1: Num, momentum1: Num, energy1: Num, density2: Num, momentum2: Num, energy2: Num
) -> tuple[Num, ...]:
    """The flux of mass, of momentum in three directions, and of energy, through a face across the first direction.

    The momenta are arrays of three numbers. Source: as of :func:`roe_flux`.

    >>> still = 1.0, np.zeros(3), 2.5
    >>> [round(float(flux), 15) for flux in roe_flux_3d(*still, *still)]
    [0.0, 1.0, 0.0, 0.0, 0.0]
    """
    one, other = _gas(density1, momentum1, energy1), _gas(density2, momentum2, energy2)
    density, velocity, h, kinetic = _averages(one, other)
    (u, v, w), (du, dv, dw) = velocity, other.velocity - one.velocity
    slow, still, fast, a = _waves(one, other, density, u, du, h - kinetic)
    work, everything = u * a, slow + still + fast
    shear = density * np.abs(u)
    shear_v, shear_w = shear * dv, shear * dw
    waves = (
        everything,
        slow * (u - a) + still * u + fast * (u + a),
        everything * v + shear_v,
        everything * w + shear_w,
        slow * (h - work) + still * kinetic + fast * (h + work) + v * shear_v + w * shear_w,
    )
    return _upwind(_fluxes_3d(one), _fluxes_3d(other), waves)


def _fluxes_3d(gas: _Gas) -> tuple[Num, ...]:
    across, *along = gas.momentum
    u = gas.velocity[0]
    return across, across * u + gas.pressure, *(momentum * u for momentum in along), across * gas.enthalpy


# ---- equations ----


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


# ---- a slide ----


def slide(x0: Num, x1: Num) -> tuple[Num, Num]:
    """The cosine and a part of ``t = x0 sin(x0 x1)``: five operations, of which three are intermediates.

    Source: U. Naumann, lecture "Jacobians, Graphs, Combinatorics".

    >>> slide(0.0, 1.0) == (1.0, 0.0)
    True
    """
    t = x0 * np.sin(x0 * x1)
    return np.cos(t), t / x1


# ---- an arm ----


def six_joint_arm(t1: Num, t2: Num, t3: Num, t4: Num, t5: Num, t6: Num) -> tuple[Num, ...]:
    """The position of the hand of an arm with six joints, in metres, and its orientation, from the joint angles.

    The turn is three Euler angles (about z, y, z). Joints 1 to 6 have the lengths ``d`` along and ``a`` across their
    axes, and twists of 90, 0, 90, -90, 90 and 0 degrees. Source: J. Denavit and R. S. Hartenberg, "A kinematic notation
    for lower-pair mechanisms based on matrices", Journal of Applied Mechanics 22 (1955) 215-221; R. P. Paul, "Robot
    Manipulators" (1981), chapter 2. The lengths are those of an industrial arm that reaches 2.1 metres.

    >>> x, y, z, *_ = six_joint_arm(0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0)
    >>> [round(float(place), 12) for place in (x, y, z)]
    [1.395, 0.0, 1.515]
    """
    a1, a2, a3, d1, d4, d6 = 0.175, 0.890, 0.050, 0.575, 1.035, 0.185
    (s1, s2, s23, s4, s5, s6), (c1, c2, c23, c4, c5, c6) = (
        [function(angle) for angle in (t1, t2, t2 + t3, t4, t5, t6)] for function in (np.sin, np.cos)
    )
    forward, sideward = c23 * c4 * s5 + s23 * c5, s4 * s5
    approach_x = c1 * forward + s1 * sideward
    approach_y = s1 * forward - c1 * sideward
    approach_z = s23 * c4 * s5 - c23 * c5
    normal, orient = s23 * c4 * c5 + c23 * s5, s23 * s4
    reach = a1 + a2 * c2 + a3 * c23 + d4 * s23
    return (
        c1 * reach + d6 * approach_x,
        s1 * reach + d6 * approach_y,
        d1 + a2 * s2 + a3 * s23 - d4 * c23 + d6 * approach_z,
        np.arctan2(approach_y, approach_x),
        np.arctan2(np.sqrt(1 - approach_z * approach_z), approach_z),
        np.arctan2(-(normal * s6 + orient * c6), orient * s6 - normal * c6),
    )


# ---- finance ----


def black_scholes(spot: Num, strike: Num, rate: Num, volatility: Num, time: Num) -> Num:
    """The price of a European call; its Jacobian is the greeks delta, dual delta, rho, vega and theta. Needs SciPy.

    Source: F. Black and M. Scholes, "The pricing of options and corporate liabilities", Journal of Political Economy 81
    (1973) 637-654, equation 13.

    >>> round(float(black_scholes(42.0, 40.0, 0.1, 0.2, 0.5)), 4)
    4.7594
    """
    from scipy.special import ndtr

    spread = volatility * np.sqrt(time)
    high = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / spread
    return spot * ndtr(high) - strike * np.exp(-rate * time) * ndtr(high - spread)


def black_scholes_greeks(spot: Num, strike: Num, rate: Num, volatility: Num, time: Num) -> tuple[Num, ...]:
    """Delta, dual delta, rho, vega and theta of a European call; its Jacobian is the greeks of second order.

    Needs SciPy. Source: as of :func:`black_scholes`.

    >>> [round(float(greek), 4) for greek in black_scholes_greeks(42.0, 40.0, 0.1, 0.2, 0.5)]
    [0.7791, -0.6991, 13.982, 8.8134, 4.5591]
    """
    from scipy.special import ndtr

    root = np.sqrt(time)
    spread = volatility * root
    high = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / spread
    delta, paid = ndtr(high), np.exp(-rate * time) * ndtr(high - spread)
    density = spot * np.exp(-0.5 * high * high) / np.sqrt(2 * np.pi)
    debt = strike * paid
    return delta, -paid, time * debt, density * root, 0.5 * density * volatility / root + rate * debt


# ---- chance ----


_DRAWN: dict[int, tuple[np.ufunc, ...]] = {1: (np.sin, np.cos, np.tanh), 2: (np.add, np.subtract, np.multiply)}


def random_function(seed: int, inputs: int = 15, operations: int = 85) -> Callable[..., tuple[Num, ...]]:
    """A function of ``inputs`` numbers that was drawn by lot, of as many operations, the same for the same ``seed``.

    Each operation takes a value that none has taken yet, and half of them any earlier one besides; what is left in the
    end is returned.

    >>> g = random_function(0, inputs=2, operations=3)
    >>> g(0.5, 0.25) == random_function(0, inputs=2, operations=3)(0.5, 0.25)
    True
    """
    chance = Random(seed).random  # which Python promises to keep the same in all versions
    waiting, drawn = list(range(inputs)), []
    for place in range(inputs, inputs + operations):
        operands = [waiting.pop(int(chance() * len(waiting)))]
        if chance() < 0.5:
            operands.append(int(chance() * place))
        drawn.append((_DRAWN[len(operands)][int(chance() * 3)], operands))
        waiting = [*(value for value in waiting if value not in operands), place]

    def g(*arguments: Num) -> tuple[Num, ...]:
        values = list(arguments)
        for function, operands in drawn:
            values.append(function(*(values[operand] for operand in operands)))
        return tuple(values[place] for place in waiting)

    return g


# ---- all of them ----


def _block(dimension: int, width: int) -> tuple[Num, ...]:
    square = (dimension, dimension)
    return *normal(0.5, square, square, square, (dimension, width), (width,)), 1.0, 0.0


_HEART = (0.299, 0.186, -0.0273, 0.0254, -0.474, 0.474, -0.0892, 0.0892)
_MIXTURE = (5.0, 2.5, 5.0, 0.1, 9.65e-3, 4.106e-4, 2.726e-2, 4.498e-4, 1.704e-2, 4.808e-2, 20.0)
_AIR = (
    *(0.0565, 0.134, 4.14e-9, 5.52e-3, 2.02e-7, 1.46e-7, 0.0778, 0.325, 7.49e-3, 1.62e-8),
    *(1.14e-8, 2.23e-3, 2.09e-4, 1.4e-5, 8.96e-3, 4.35e-18, 6.9e-3, 1.01e-4, 1.77e-6, 5.68e-5),
)
_OPTION = (42.0, 40.0, 0.1, 0.2, 0.5)
_CALM, _GUST = (1.0, 0.3, 2.6), (0.7, 0.4, 1.9)
_VECTORS = normal(0.5, (3,), (3,))
_ONE = {0: 1.0}
PROGRAMS: dict[str, Case] = {
    "slide program": Case(slide, (1.2, 0.7), "five operations, three intermediates", _ONE),
    "Roe flux": Case(roe_flux, (*_CALM, *_GUST), "the flux of a gas between two cells", _ONE),
    "Roe flux 3-D": Case(
        roe_flux_3d, (1.0, _VECTORS[0], 2.6, 0.7, _VECTORS[1], 1.9), "the same in space, with vectors", _ONE
    ),
    "six-joint arm": Case(six_joint_arm, (0.3, 0.9, -0.4, 0.7, 1.1, -0.2), "six results, and much shared", _ONE),
    "human heart dipole": Case(human_heart_dipole, _HEART, "eight equations in eight unknowns", _ONE),
    "propane combustion": Case(propane_combustion, _MIXTURE, "eleven sparse equations", _ONE),
    "pollution": Case(pollution, _AIR, "stiff chemistry: twenty sparse equations", _ONE),
    "Black-Scholes": Case(black_scholes, _OPTION, "a price, whose gradient is the greeks"),
    "Black-Scholes greeks": Case(black_scholes_greeks, _OPTION, "the greeks in closed form", _ONE),
    "two-layer network": Case(
        two_layer_network,
        (*normal(0.5, (4,), (4,), (8, 4), (8,), (4, 8), (4,)), 1.0, 0.0),
        "one result of many inputs: reverse is hard to beat",
    ),
    "LSTM cell": Case(
        lstm_cell,
        tuple(normal(0.5, (3,), (2,), (2,), (8, 3), (8, 2), (8,))),
        "two results that share their gates",
        {0: np.ones(2)},
    ),
    "transformer encoder": Case(
        transformer_encoder,
        (*normal(0.5, (4, 4), (4, 2)), _block(4, 4), _block(4, 2)),
        "two blocks of attention, with matrices",
    ),
    "random function": Case(random_function(8), tuple(normal(0.5, (15,))[0]), "eighty-five operations by lot", _ONE),
    "contest": Case(
        random_function(117, 3, 12),
        (0.2, 0.5, 0.8),
        "forward costs 24, reverse and Markowitz 22, and the best 19",
        _ONE,
    ),
}
"""Every program by name, with arguments."""
