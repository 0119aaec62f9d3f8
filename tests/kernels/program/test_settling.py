"""At the edge of its domain, and where it has no value, a function has the engine's derivatives in programs, too."""

import numpy as np
import pytest

import adviz as ad

GRAINS = ["array", "scalar"]
EDGES = {
    "root squared": (lambda x: np.sqrt(x) ** 2, 0.0, -1.0),
    "product of roots": (lambda x: np.sqrt(x) * np.sqrt(x), 0.0, -0.0),
    "root of a difference, squared": (lambda x: np.sqrt(1 - x**2) ** 2, 1.0, -1.0),
    "root of a sine, squared": (lambda x: np.sqrt(np.sin(x)) ** 2, 0.0, -1.0),
    "root of a square, squared, and a kink": (lambda x: np.sqrt(x**2) ** 2 + abs(x), 0.0),
    "root of abs, squared": (lambda x: np.sqrt(abs(x)) ** 2, 0.0),
    "cube root cubed": (lambda x: np.cbrt(x) ** 3, 0.0),
    "times its logarithm": (lambda x: x * np.log(x), 0.0, -1.0),
    "times its logarithm to base 2": (lambda x: x * np.log2(x), 0.0),
    "exponential of a logarithm": (lambda x: np.exp(np.log(x)), 0.0, -1.0),
    "quotient of roots": (lambda x: np.sqrt(x) / np.sqrt(x), 0.0, -1.0),
    "multiplied and divided": (lambda x: (x / (1 + x)) * (1 + x), -1.0),
    "a power": (lambda x: x**1.5, 0.0, -1.0),
    "arcsine by its root": (lambda x: np.arcsin(x) * np.sqrt(1 - x * x), 1.0, 2.0),
}


def same(one, other):
    np.testing.assert_allclose(one, other, 1e-8, 1e-12)


@pytest.mark.parametrize("grain", GRAINS)
@pytest.mark.parametrize("name", EDGES)
@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
def test_programs_have_the_derivatives_of_the_engine_at_the_edge_of_a_domain(name, grain):
    f, *points = EDGES[name]
    compiled = ad.compile_hessian(f, 0.4, grain=grain)
    tangents = ad.compile_jvp(f, 0.4, grain=grain)
    listed = ad.compile_gradient(lambda x: f(x[0]), [0.4], grain=grain)
    for point in (*points, 0.3):
        gradient, hessian = ad.grad(f, grain=grain)(point), ad.hessian(f, grain=grain)(point)
        value, *derivatives = compiled(point)
        with np.errstate(all="ignore"):
            same(value, f(np.float64(point)))
        same(derivatives, [gradient, hessian])
        same(listed([point]).gradient, [gradient])
        same(tangents((point,), (1.0,)).tangents, ad.jvp(f, (point,), (1.0,), grain=grain)[1])


def test_no_value_is_the_real_part_of_a_complex_one():
    with pytest.warns(ad.NonFiniteWarning):
        assert np.isnan(ad.compile_gradient(lambda x: x**0.5, 0.4, grain="scalar")(-1.0).value)
