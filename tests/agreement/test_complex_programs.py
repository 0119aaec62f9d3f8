"""Random programs with complex numbers between real ends: NumPy's values and JAX's derivatives, compiled too."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad

from ..engine.derivatives import assert_close

MATRIX = (
    np.random.default_rng(1).normal(size=(4, 4)) + 1j * np.random.default_rng(2).normal(size=(4, 4)) + 2 * np.eye(4)
)

STEPS = """
np.exp(a * 0.3) | np.log(a + (3 + 1j)) | np.sqrt(a + (2 + 1j)) | np.sin(a * 0.5) | np.cos(a * 0.5) | np.sinh(a * 0.4)
np.tan(a * 0.3 + 0.2j) | np.cosh(a * 0.4) | np.tanh(a * 0.5) | np.conj(a) | a.conj() | a**2 | np.square(a) | -a
(a + (2 + 1j)) ** -1 | (a + (2 + 1j)) ** 0.5 | (a + (2 + 1j)) ** (0.3 - 0.2j) | (a + (3 + 1j)) ** (b * 0.2)
np.arctan(a * 0.4) | np.arcsinh(a * 0.5) | np.arccos(a * (0.3 + 0.1j)) | np.arcsin(a * (0.3 + 0.1j))
np.arctanh(a * (0.3 + 0.1j))
np.log1p(a * 0.3) | np.expm1(a * 0.4) | 1 / (a + (3 + 2j)) | a * 1j | a * (0.3 - 2j) | 2j - a | a / (np.abs(a) + 1)
np.fft.fft(a) * 0.4 | np.fft.ifft(a) | np.fft.fft(a, norm="ortho") | np.fft.fftshift(a) | np.fft.irfft(a)[:4] + 0j
np.fft.rfft(a.real, 6) | np.roll(a, 1) | np.flip(a) | a[::-1] | np.cumsum(a) * 0.4 | a - np.mean(a)
np.cumprod(a * 0.6) | a * np.sum(a) * 0.2
np.where(x > 0, a, 1j) | np.where(x > 0, a, b) | np.concatenate([a[2:], a[:2]]) | np.abs(a) * 1j
a.reshape(2, 2).T.ravel() | np.angle(a + (4 + 1j)) + a | a.real + 2j * a.imag | np.prod(a * 0.7) + a
np.outer(a, b).sum(0) * 0.2 | np.kron(a[:2], b[2:]) | np.linalg.solve(M, a) | M @ a | a @ M | np.diag(a) @ b
np.stack([a[0], a[1] * 1j, 1j * b[3], a[2]]) | np.einsum("i,j->i", a, b) * 0.3 | np.real(a) * np.exp(1j * np.imag(b))
np.linalg.inv(np.diag(a + (3 + 1j)) + 0.3 * np.outer(a, a.conj())) @ b | np.polyval(np.array([1, 0.5j, 2.0]), a * 0.4)
a + b | a - b | a * b | a / (b + (3 + 1j)) | a * b.conj() | a * np.vdot(b, a) * 0.1 | np.dot(a, b) * a * 0.1
np.convolve(a, b, mode="same") * 0.3 | np.linalg.norm(a) * b * 0.3 | np.fft.ifft(np.fft.fft(a) * np.fft.fft(b))
np.real(a) * b | np.imag(a) + b
"""
ENDS = """
np.sum(np.abs(a) ** 2) | np.sum(np.abs(a)) | np.sum(a).real | np.vdot(a, a).real | np.linalg.norm(a)
np.abs(np.prod(a)) | np.sum(np.angle(a + (1 + 5j)))
np.sum(a.imag**2) | np.sum((a * a.conj()).real) | np.sum(np.fft.irfft(a[:3]) ** 2)
np.max(np.abs(a)) | np.abs(np.linalg.det(np.diag(a + (1 + 2j)) + 0.4 * M))
"""
STARTS = "x * (1 + 0.5j) | x + 1j * y | np.exp(1j * y) * x"


def spelled(text):
    return [
        compile(part.strip(), part.strip(), "eval") for part in text.replace("\n", " | ").split(" | ") if part.strip()
    ]


STARTS, STEPS, ENDS = map(spelled, (STARTS, STEPS, ENDS))


def program(seed, module):
    """A function of two real vectors; its text is in the names of its steps."""
    draw = random.Random(seed)
    steps = [(draw.choice(STEPS), draw.randrange(3), draw.randrange(k + 3)) for k in range(draw.randint(2, 5))]
    end = draw.choice(ENDS)

    def function(x, y):
        names = {"np": module, "x": x, "y": y, "M": MATRIX}
        found = [eval(start, names) for start in STARTS]
        for step, late, early in steps:
            found.append(eval(step, names, {"a": found[-1 - late], "b": found[early]}))
        return eval(end, names, {"a": found[-1]})

    return function


def point(seed):
    return np.random.default_rng(seed).normal(size=(2, 4))


SEEDS = st.integers(0, 2**32 - 1)


pytestmark = pytest.mark.usefixtures("double_precision")


def by_jax(seed):
    """Value and gradient; not where there is none, such as that of ``norm(a - a)``: there JAX says NaN, adviz 0."""
    value, gradient = jax.value_and_grad(program(seed, jnp), argnums=(0, 1))(*point(seed))
    assume(np.isfinite(value) and np.isfinite(np.array(gradient)).all())
    return value, gradient


def assert_same(found, expected):
    assert_close(found[0], expected[0], 1e-9)
    for one, other in zip(found[1], expected[1], strict=True):
        assert_close(one, other, 1e-8)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@given(SEEDS)
@settings(max_examples=50)
def test_gradients_of_random_complex_programs_are_those_of_jax(seed):
    expected, function = by_jax(seed), program(seed, np)
    for grain in ("array", "scalar"):
        assert_same(ad.value_and_grad(function, argnums=(0, 1), grain=grain)(*point(seed)), expected)
    assert_close(function(*point(seed)), expected[0], 1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@given(SEEDS)
@settings(max_examples=15)
def test_compiled_random_complex_programs_have_the_gradients_of_jax(seed):
    compiled = ad.compile_gradient(program(seed, np), *(point(seed) * 1.05), branches=True)
    assert_same(compiled(*point(seed)), by_jax(seed))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@given(SEEDS)
@settings(max_examples=6)
def test_second_derivatives_of_random_complex_programs_are_those_of_jax(seed):
    by_jax(seed)  # only where there is a gradient
    hessian = ad.jacobian(ad.grad(program(seed, np)))(*point(seed))
    assert_close(hessian, jax.hessian(program(seed, jnp))(*point(seed)), 1e-7)
