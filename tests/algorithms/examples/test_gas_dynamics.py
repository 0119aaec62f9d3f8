"""The flux of a gas against the Euler equations and the conditions of Rankine and Hugoniot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adviz.algorithms.examples.functions import GAMMA, roe_flux, roe_flux_3d

from ...engine.derivatives import assert_close

positive = st.floats(0.1, 10)
speed = st.floats(-3, 3)


def conserved(density, velocity, pressure):
    velocity = np.asarray(velocity, float)
    energy = pressure / (GAMMA - 1) + 0.5 * density * np.sum(velocity**2)
    return density, density * velocity, energy


def euler(density, velocity, pressure):
    """The flux of the Euler equations across the first direction."""
    velocity = np.atleast_1d(velocity)
    mass = density * velocity[0]
    momentum = mass * velocity + np.array([pressure, 0, 0])[: velocity.size]
    return np.array([mass, *momentum, velocity[0] * (conserved(density, velocity, pressure)[2] + pressure)])


@given(positive, st.tuples(speed, speed, speed), positive)
def test_between_equal_states_the_flux_is_that_of_the_state(density, velocity, pressure):
    state = conserved(density, velocity, pressure)
    assert_close(roe_flux_3d(*state, *state), euler(density, np.array(velocity), pressure), 1e-12)
    tube = conserved(density, velocity[0], pressure)
    assert_close(roe_flux(*tube, *tube), euler(density, velocity[0], pressure), 1e-12)


@given(positive, speed, positive, positive, speed, positive)
def test_in_a_tube_space_is_a_line(density1, velocity1, pressure1, density2, velocity2, pressure2):
    tube = *conserved(density1, velocity1, pressure1), *conserved(density2, velocity2, pressure2)
    space = [np.array([each, 0, 0]) if place in (1, 4) else each for place, each in enumerate(tube)]
    mass, momentum, *aside, energy = roe_flux_3d(*space)
    assert_close([mass, momentum, energy], roe_flux(*tube), 1e-12)
    assert_close(aside, [0, 0], 1e-12)


@given(positive, positive, positive, positive, speed, speed)
def test_what_is_faster_than_sound_knows_only_where_it_comes_from(density1, pressure1, density2, pressure2, v, w):
    fast = 10 * np.sqrt(GAMMA * max(pressure1 / density1, pressure2 / density2, 1.0))
    one, other = (density1, np.array([fast, v, w]), pressure1), (density2, np.array([fast + 1, w, v]), pressure2)
    assert_close(roe_flux_3d(*conserved(*one), *conserved(*other)), euler(*one), 1e-11)


@given(positive, st.floats(1.1, 20))
def test_a_shock_that_stands_still_is_a_wave_of_its_own(density, ratio):
    """The Rankine-Hugoniot conditions: both sides have the same flux, and it is the flux between them."""
    pressure = 1.0
    sound = np.sqrt(GAMMA * pressure / density)
    mach = np.sqrt(1 + (GAMMA + 1) / (2 * GAMMA) * (ratio - 1))
    squeezed = density * (GAMMA + 1) * mach**2 / ((GAMMA - 1) * mach**2 + 2)
    before, behind = (density, mach * sound, pressure), (squeezed, density * mach * sound / squeezed, ratio * pressure)
    assert_close(euler(*before), euler(*behind), 1e-12)
    assert_close(roe_flux(*conserved(*before), *conserved(*behind)), euler(*before), 1e-11)
