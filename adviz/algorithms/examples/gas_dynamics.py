"""The flux between two states of a gas, in a tube and in space, by Roe's approximation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .small_functions import Num

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
