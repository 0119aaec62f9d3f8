"""Functions as people write them, compiled as they are: values, Jacobians and Hessians against the engine."""

import numpy as np
import pytest
import scipy.optimize as optimize
import scipy.special as special

import adviz as ad

from ..engine.derivatives import assert_close
from ..real_input import algorithms
from .running import Found, batch, engine, matrices, one_more, point

RNG = np.random.default_rng(5)
MATRIX = RNG.normal(size=(3, 3))


def kepler(e, M):
    """The eccentric anomaly by ten Newton steps."""
    E = M
    for _ in range(10):
        E = E - (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
    return E


def limiter(a, b):
    """Minmod, as in finite volumes."""
    return np.where(a * b > 0, np.sign(a) * np.minimum(np.abs(a), np.abs(b)), 0.0)


def filled(x):
    A = np.zeros((3, 3), dtype=object)
    for i in range(3):
        A[i, i] = x[i]
        A[i, (i + 1) % 3] = x[i] * x[i - 1]
    return A


CASES = {
    "Rosenbrock's function": (optimize.rosen, [(5,)]),
    "its derivative": (optimize.rosen_der, [(5,)]),
    "Kepler's equation": (kepler, [(), ()]),
    "a limiter": (limiter, [(4,), (4,)]),
    "a power of a matrix": (lambda A: np.linalg.matrix_power(A, 3), [(2, 2)]),
    "logsumexp": (special.logsumexp, [(4,)]),
    "Fourier": (lambda x: np.abs(np.fft.rfft(x)[1:3]) ** 2, [(6,)]),
    "Cholesky of LAPACK": (lambda A: np.linalg.cholesky(A @ A.T + 2 * np.eye(3)), [(3, 3)]),
    "Cholesky by loops": (lambda A: algorithms.cholesky(A @ A.T + 2 * np.eye(3)), [(3, 3)]),
    "Gram and Schmidt": (algorithms.gram_schmidt, [(3, 3)]),
    "a rotation": (lambda q: algorithms.rotate(q, np.array([1.0, 2.0, 3.0])), [(4,)]),
    "attention": (lambda Q: algorithms.attention(Q, MATRIX, MATRIX[:, :2]), [(2, 3)]),
    "planets": (algorithms.planets, [(12,)]),
    "a pendulum": (lambda x: algorithms.pendulum(np.abs(x) + 0.5), [(3,)]),
    "a function of array functions": (lambda x: np.where(np.roll(x, 1) > x, np.hypot(x, 1), np.flip(x)), [(4,)]),
    "a sum of some entries": (lambda x: np.sum(x, axis=0, where=x > 0.5), [(2, 3)]),
    "a sum of some entries and a number": (lambda x: np.sum(x, axis=0, where=x > 0.5, initial=2.0), [(2, 3)]),
    "a product of some entries and a number": (lambda x: np.multiply.reduce(x, where=x > 0.5, initial=2.0), [(2, 3)]),
    "a difference of some entries": (lambda x: np.subtract.reduce(x, where=x > 0.5, initial=2.0), [(2, 3)]),
    "the largest of some": (lambda x: np.max(x, axis=0, where=x > 0.5, initial=0.0), [(2, 3)]),
    "products of some": (lambda x: np.prod(x, axis=1, where=x < 0.5, keepdims=True), [(2, 3)]),
    "entries set": (filled, [(3,)]),
}


def example_of(shapes):
    return [0.4 if shape == () else RNG.uniform(0.2, 1.0, shape) for shape in shapes]


@pytest.mark.parametrize("name", CASES)
def test_jacobians_of_functions_as_people_write_them(name):
    f, shapes = CASES[name]
    program = ad.compile_jacobian(f, *example_of(shapes))
    arrays = batch(shapes, 25, seed=3)
    values, jacobians = matrices(program(*arrays), shapes)
    for k in range(0, 25, 6):
        alone = point(arrays, k)
        expected = engine(f, alone)
        assert_close(values[k : k + 1], expected[0], 1e-12)
        assert_close(jacobians[k : k + 1], expected[1], 1e-9)
        assert_close(np.ravel(matrices_of_one(program(*alone), shapes)), jacobians[k].ravel(), 1e-12)


def added_where(x):
    y = np.zeros((4, 2))
    np.add.at(y, x > 0.5, x[0])
    np.multiply.at(y, x > 0.6, 3.0)
    np.subtract.at(y, x < 0.0, x[1])
    np.negative.at(y, x > 0.8)
    return np.sum(y * np.array([1.0, 2.0]))


def test_ufuncs_at_a_condition_choose_in_programs_of_arrays():
    points = np.array([[1.3, -0.7, 0.4, 0.7], [0.2, 0.9, -0.3, 0.55]])
    program = ad.compile_gradient(added_where, points[0], grain="array")
    for x in points:
        value, gradient = program(x)
        assert_close(value, added_where(x), 1e-13)
        assert_close(np.ravel(gradient), ad.grad(added_where)(x), 1e-13)


@pytest.mark.parametrize("key", [lambda x: x > 0.5, lambda x: (1, x > 0.5)], ids=["condition", "row and condition"])
def test_as_many_operands_as_a_condition_chooses_are_refused(key):
    def f(x):
        y = np.zeros((2, 4)) if isinstance(key(x), tuple) else np.zeros(4)
        np.add.at(y, key(x), x[x > 0.5])
        return np.sum(y)

    with pytest.raises(ad.BranchError, match="depends on the values"):
        ad.compile_gradient(f, np.array([1.3, -0.7, 0.4, 0.7]), grain="array")


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")
@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("f", [lambda x: np.sum(x) / 0.0, lambda x: np.sum(x * (x[0] - 0.4) / np.zeros(2))])
def test_what_is_divided_by_a_constant_zero_is_what_numpy_gives(f, grain):
    x = np.array([0.4, 0.7])
    with np.errstate(all="ignore"):
        value, gradient = ad.compile_gradient(f, x, grain=grain)(x)
        assert np.array_equal(value, f(x), equal_nan=True)
        assert not np.isfinite(np.ravel(gradient)[0])


def test_reductions_that_have_no_neutral_number_are_refused_where_a_condition_depends_on_the_point():
    with pytest.raises(ad.MissingBlockError, match=r"np\.hypot\.reduce with where"):
        ad.compile_gradient(lambda x: np.hypot.reduce(x, where=x > 0.5, initial=1.0), np.ones(3), grain="scalar")


def matrices_of_one(found, shapes):
    return matrices(Found(*map(one_more, found)), shapes)[1]
