"""The systems of equations against complex numbers, a known root, the balance of atoms and a known solution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import adviz as ad
from adviz.algorithms.examples.functions import PROGRAMS, SPECIES, human_heart_dipole, pollution, propane_combustion

from ...engine.derivatives import assert_close
from .test_functions import flat

numbers = st.floats(-3, 3)


@given(st.lists(numbers, min_size=8, max_size=8))
def test_the_equations_of_the_heart_are_moments_of_complex_numbers(x):
    a, b, c, d, t, u, v, w = x
    moments = [(a + 1j * c) * (t + 1j * v) ** k + (b + 1j * d) * (u + 1j * w) ** k for k in range(4)]
    measured = [0.485 - 0.0019j, -0.0581 + 0.015j, 0.105 + 0.0406j, 0.167 - 0.399j]
    expected = [
        part for one, other in zip(moments, measured, strict=True) for part in ((one - other).real, (one - other).imag)
    ]
    assert_close(human_heart_dipole(*x), expected, 1e-13)


def test_newtons_method_finds_the_known_mixture_of_burnt_propane():
    """The same model in five unknowns (Meintjes and Morgan 1990) has one root, which interval arithmetic encloses."""
    function, x = flat(PROGRAMS["propane combustion"])
    for _ in range(8):
        x = x - np.linalg.solve(ad.jacobian(function)(x), function(x))
    assert_close(propane_combustion(*x), np.zeros(11), 1e-14)
    assert (x > 0).all()
    co2, h2o, n2, co, *_, everything = x
    reduced = [
        co / everything,
        co2 / co,
        np.sqrt(h2o * co / co2 / everything),
        np.sqrt(n2 / everything),
        1 / everything,
    ]
    assert_close(reduced, [0.003114102265, 34.59792453, 0.06504177869, 0.8593780506, 0.03695185915], 1e-10)


ATOMS = {
    "nitrogen": {"NO2": 1, "NO": 1, "PAN": 1, "HNO3": 1, "NO3": 1, "N2O5": 2},
    "sulfur": {"SO2": 1, "SO4": 1},
}


@pytest.mark.parametrize("atom", ATOMS)
@given(st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_atoms_are_neither_made_nor_lost_in_air(atom, concentrations):
    changes = dict(zip(SPECIES, pollution(*concentrations), strict=True))
    largest = max(map(abs, changes.values()))
    assert abs(sum(count * changes[name] for name, count in ATOMS[atom].items())) <= 1e-14 * largest


def test_after_an_hour_the_air_is_as_the_collection_of_problems_has_it():
    start = {"NO": 0.2, "O3": 0.04, "HCHO": 0.1, "CO": 0.3, "ALD": 0.01, "SO2": 0.007}
    program = ad.compile_jacobian(pollution, *np.ones(20))
    found = solve_ivp(
        lambda t, y: pollution(*y),
        (0, 60),
        [start.get(name, 0.0) for name in SPECIES],
        method="Radau",
        rtol=1e-8,
        atol=1e-14,
        jac=lambda t, y: np.array(program(*y.tolist()).jacobian),
    )
    expected = [0.5646255480022769e-1, 0.1342484130422339, 0.4139734331099427e-8, 0.5523140207484359e-2]
    np.testing.assert_allclose(found.y[:4, -1], expected, rtol=1e-6)
    np.testing.assert_allclose(found.y[:, -1], PROGRAMS["pollution"].arguments, rtol=4e-3)
