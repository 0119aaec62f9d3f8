"""Functions on which elimination orders are compared in the literature, as plain NumPy functions with arguments.

Each is written from its own source. Where a program takes numbers, its trace is a scalar graph; where it takes arrays,
that with ``grain="scalar"`` is. What was published of their graphs: :data:`~.known_optima.LANDMARKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from .equations import human_heart_dipole, pollution, propane_combustion
from .gas_dynamics import roe_flux, roe_flux_3d
from .networks import lstm_cell, transformer_encoder, two_layer_network
from .small_functions import Case, Num, normal

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
