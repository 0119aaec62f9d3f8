"""Every rule of the table: values against NumPy, partials against central differences and complex steps.

The tests run over the tables themselves, so that a new rule is tested on the day it is written: an elementwise rule
needs nothing, a Block over whole arrays needs a line in ``CASES``.
"""

import math
import re
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np
import pytest

import adviz as ad
from adviz import Block, define, trace
from adviz.engine.blocks import BLOCK_OF, OUTPUT, Elementwise
from adviz.engine.rules import (
    elementwise,
    indexing,
    matrix_products,
    powers,
    reducing,
    reshaping,
    selection,
    trigonometry,
)
from adviz.engine.rules.indexing import INDEX
from adviz.engine.rules.matrix_products import MATMUL
from adviz.engine.rules.reducing import MAX, MIN, SUM
from adviz.engine.rules.reshaping import RESHAPE

from ..catalogue import expressions
from ..primitives import UFUNCS as RULES
from .derivatives import assert_close, central_jacobian

RANGES = [(-0.95, 0.95), (0.05, 0.95), (1.05, 4.0), (-4.0, -1.05)]


def points(ufunc: np.ufunc, seed: int = 0, count: int = 40) -> np.ndarray:
    """Points (columns) where a ufunc is smooth: finite, and central differences of two widths agree."""
    rng = np.random.default_rng(seed)
    drawn = [np.stack([rng.uniform(*RANGES[(k + j) % 4], count) for j in range(ufunc.nin)]) for k in range(4)]
    candidates = np.concatenate([*drawn, *[rng.uniform(*span, (ufunc.nin, count)) for span in RANGES]], axis=1)
    with np.errstate(all="ignore"):
        wide, narrow = slopes(ufunc, candidates, 1e-4), slopes(ufunc, candidates, 5e-5)
        smooth = np.isfinite(ufunc(*candidates)) & np.all(np.abs(wide - narrow) <= 1e-4 * (1 + np.abs(narrow)), axis=0)
    assert smooth.sum() >= count, f"{ufunc.__name__} has hardly any smooth points: seed {seed}"
    return candidates[:, smooth]


def slopes(ufunc: np.ufunc, operands: np.ndarray, step: float) -> np.ndarray:
    """Central differences by each operand, entry by entry."""
    found = []
    for k in range(len(operands)):
        ahead, behind = operands.copy(), operands.copy()
        ahead[k] += step
        behind[k] -= step
        found.append((ufunc(*ahead) - ufunc(*behind)) / (ahead[k] - behind[k]))
    return np.stack(found)


def holomorphic(ufunc: np.ufunc, operands: np.ndarray) -> bool:
    """Whether the ufunc also takes complex numbers and its slope there does not depend on the direction."""
    if not any(signature.startswith("D" * ufunc.nin) and signature.endswith("->D") for signature in ufunc.types):
        return False
    turned = ufunc(operands[0] + 1e-6j, *operands[1:]) - ufunc(operands[0] - 1e-6j, *operands[1:])
    return bool(np.allclose(turned / 2e-6j, slopes(ufunc, operands, 1e-6)[0], rtol=1e-3, atol=1e-6))


@pytest.mark.parametrize("ufunc", RULES, ids=lambda ufunc: ufunc.__name__)
def test_a_rule_agrees_with_central_differences(ufunc):
    operands = points(ufunc)
    block = BLOCK_OF[ufunc]
    value = block.compute(*operands)
    for partial, slope in zip(block.partials, slopes(ufunc, operands, 1e-6), strict=True):
        assert_close(np.broadcast_to(partial(value, *operands), slope.shape), slope, 1e-7, ufunc.__name__)


HOLOMORPHIC = [ufunc for ufunc in RULES if holomorphic(ufunc, points(ufunc))]


def test_most_rules_are_of_functions_of_complex_numbers():
    assert {np.multiply, np.divide, np.power, np.sqrt, np.exp, np.log, np.tan, np.arccosh} < set(HOLOMORPHIC)
    assert np.absolute not in HOLOMORPHIC


@pytest.mark.parametrize("ufunc", HOLOMORPHIC, ids=lambda ufunc: ufunc.__name__)
def test_a_rule_agrees_with_complex_steps_to_the_last_digits(ufunc):
    operands = points(ufunc)
    block = BLOCK_OF[ufunc]
    value = block.compute(*operands)
    for k, partial in enumerate(block.partials):
        shifted = operands.astype(complex)
        shifted[k] += 1e-30j
        slope = ufunc(*shifted).imag / 1e-30
        assert_close(np.broadcast_to(partial(value, *operands), slope.shape), slope, 1e-13, ufunc.__name__)


@pytest.mark.parametrize("ufunc", RULES, ids=lambda ufunc: ufunc.__name__)
def test_a_rule_has_one_partial_per_operand_and_the_same_on_numbers_as_on_arrays(ufunc):
    operands = points(ufunc)[:, :5]
    block = BLOCK_OF[ufunc]
    assert len(block.partials) == ufunc.nin
    for column in operands.T:
        one = [float(entry) for entry in column]
        value = block.compute(*one)
        for partial in block.partials:
            alone, together = partial(value, *one), partial(block.compute(*operands), *operands)
            assert np.ndim(alone) == 0
            assert np.any(np.isclose(alone, together, rtol=1e-14))


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.7, -3.7, 1e-300, -1e-300, 1e300, -1e300, 710.0, -745.0]
ODD = [*SPECIAL, math.inf, -math.inf, math.nan]


def numpy_values(ufunc: np.ufunc, *operands: float) -> list[float]:
    """What NumPy gives: one number, but two for ``(-inf) ** 0.5``, where its ufunc and its operator differ."""
    found = [float(ufunc(*operands))]
    if ufunc is np.power:
        found.append(float(np.float64(operands[0]) ** np.float64(operands[1])))
    return found


def agree(found: float, expected: float, units: int = 0) -> bool:
    """Equal up to a number of units in the last place; NaN equals NaN."""
    if not math.isfinite(expected) or not math.isfinite(found):
        return found == expected or (math.isnan(found) and math.isnan(expected))
    return abs(found - expected) <= units * np.spacing(abs(expected))


def operands_of(ufunc: np.ufunc) -> Iterator[tuple[float, ...]]:
    yield from [(x,) for x in ODD] if ufunc.nin == 1 else [(x, z) for x in ODD for z in ODD]
    yield from (tuple(map(float, column)) for column in points(ufunc).T)


@pytest.mark.parametrize("ufunc", RULES, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.filterwarnings("ignore")
def test_a_traced_number_has_the_value_that_numpy_gives(ufunc):
    """Exactly, or within two units in the last place where Python's C library is another; NaN and infinity too."""
    for operands in operands_of(ufunc):
        graph = trace(ufunc, *operands)
        found, expected = graph.values[graph.outputs[0]], numpy_values(ufunc, *operands)
        assert any(agree(found, value, units=2) for value in expected), (ufunc.__name__, operands)
        assert math.isnan(found) or math.copysign(1, found) in [math.copysign(1, value) for value in expected]


@pytest.mark.parametrize("ufunc", RULES, ids=lambda ufunc: ufunc.__name__)
def test_a_traced_array_has_exactly_the_value_that_numpy_gives(ufunc):
    operands = points(ufunc)
    graph = trace(ufunc, *operands)
    np.testing.assert_array_equal(graph.values[graph.outputs[0]], ufunc(*operands))
    assert graph.block_counts() == {"input": ufunc.nin, "output": 1, ufunc.__name__: 1}


OPERATORS = {
    "x + z": np.add,
    "x - z": np.subtract,
    "x * z": np.multiply,
    "x / z": np.divide,
    "x ** z": np.power,
    "x // z": np.floor_divide,
    "x % z": np.remainder,
}


@pytest.mark.parametrize("expression", OPERATORS)
@pytest.mark.filterwarnings("ignore")
def test_an_operator_gives_on_numbers_what_numpy_gives(expression):
    """Python's own operators raise, or leave the reals, where NumPy gives NaN or infinity."""
    f, ufunc = eval(f"lambda x, z: {expression}"), OPERATORS[expression]
    for x in ODD:
        for z in ODD:
            expected = numpy_values(ufunc, x, z)
            for g, operands in ((f, (x, z)), (lambda x, z=z: f(x, z), (x,)), (lambda z, x=x: f(x, z), (z,))):
                graph = trace(g, *operands)
                found = graph.values[graph.outputs[0]]
                assert any(agree(found, value) for value in expected), (expression, x, z)


# ---- where digits get lost ----

ENDS = "1e-300 1e-200 1e-20 1e-8 1e-3 0.5 0.999999999 1.000000001 1.5 5 20 40 340 700 1e5 1e8 1e150 1e200".split()
SLOPES = {
    np.sqrt: lambda x: 1 / (2 * x.sqrt()),
    np.cbrt: lambda x: x ** (Decimal(-2) / 3) / 3,
    np.square: lambda x: 2 * x,
    np.reciprocal: lambda x: -1 / (x * x),
    np.exp: lambda x: x.exp(),
    np.exp2: lambda x: Decimal(2).ln() * 2**x,
    np.expm1: lambda x: x.exp(),
    np.log: lambda x: 1 / x,
    np.log2: lambda x: 1 / (x * Decimal(2).ln()),
    np.log10: lambda x: 1 / (x * Decimal(10).ln()),
    np.log1p: lambda x: 1 / (1 + x),
    np.arcsin: lambda x: 1 / (1 - x * x).sqrt(),
    np.arccos: lambda x: -1 / (1 - x * x).sqrt(),
    np.arctan: lambda x: 1 / (1 + x * x),
    np.sinh: lambda x: (x.exp() + (-x).exp()) / 2,
    np.cosh: lambda x: (x.exp() - (-x).exp()) / 2,
    np.tanh: lambda x: 4 / (x.exp() + (-x).exp()) ** 2,
    np.arcsinh: lambda x: 1 / (1 + x * x).sqrt(),
    np.arccosh: lambda x: 1 / (x * x - 1).sqrt(),
    np.arctanh: lambda x: 1 / (1 - x * x),
    np.divide: lambda a, b: 1 / b,
    np.hypot: lambda a, b: a / (a * a + b * b).sqrt(),
    np.arctan2: lambda a, b: b / (a * a + b * b),
    np.logaddexp: lambda a, b: 1 / (1 + (b - a).exp()),
    np.logaddexp2: lambda a, b: 1 / (1 + 2 ** (b - a)),
}
"""The derivative by the first operand, for numbers of 900 digits."""


@pytest.mark.parametrize(
    "ufunc",
    [pytest.param(ufunc, marks=[pytest.mark.slow] * (ufunc.nin == 2)) for ufunc in SLOPES],
    ids=lambda ufunc: ufunc.__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_a_partial_is_right_to_the_last_digits_at_the_ends_of_the_range(ufunc):
    """As far as the value is finite and the partial can be told from 0."""
    block, ends = BLOCK_OF[ufunc], [sign * float(x) for x in ENDS for sign in (1, -1)]
    tested = 0
    for operands in [(x,) for x in ends] if ufunc.nin == 1 else [(x, z) for x in ends[::5] for z in ends]:
        value = ufunc(*operands)
        if np.isfinite(value) and not (ufunc is np.cbrt and operands[0] < 0):
            with localcontext(Context(prec=900, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
                expected = float(SLOPES[ufunc](*map(Decimal, operands)))
            found = block.partials[0](value, *map(np.float64, operands))
            # What a difference of large operands is rounded by, an exponential multiplies.
            allowed = 4e-14 if "logaddexp" in ufunc.__name__ else 4e-15
            assert found == pytest.approx(expected, rel=allowed, abs=np.finfo(float).tiny), operands
            tested += 1
    assert tested > 10


@pytest.mark.parametrize("x", [-800.0, -300.0, 300.0, 800.0])
def test_second_derivatives_in_the_tails_are_numbers(x):
    for f in (np.tanh, lambda x: np.logaddexp(x, 0.0), lambda x: np.logaddexp2(0.0, x), np.arctan, np.arcsinh):
        assert abs(ad.grad(ad.grad(f))(x)) < 1e-4


# ---- where a function is not smooth ----


SPECIAL_POINTS = expressions("""
absolute 0.0 → 0.0 | maximum 2.0 2.0 → 0.5 0.5 | minimum 2.0 2.0 → 0.5 0.5 | fmax 2.0 2.0 → 0.5 0.5
maximum 2.0 3.0 → 0.0 1.0 | fmax nan 3.0 → 0.0 1.0 | fmax 3.0 nan → 1.0 0.0 | fmin nan 3.0 → 0.0 1.0
power 0.0 2.0 → 0.0 0.0 | power 0.0 1.0 → 1.0 0.0 | power 0.0 0.0 → 0.0 0.0 | power -2.0 3.0 → 12.0 nan
square 0.0 → 0.0 | hypot 3.0 4.0 → 0.6 0.8 | hypot 0.0 0.0 → 0.0 0.0 | heaviside 0.0 0.3 → 0.0 1.0
logaddexp 1000.0 1000.0 → 0.5 0.5 | logaddexp -1000.0 1000.0 → 0.0 1.0 | exp -1000.0 → 0.0 | tanh 1000.0 → 0.0
arctan2 0.0 -1.0 → -1.0 0.0 | copysign -3.0 2.0 → -1.0 0.0 | copysign 0.0 2.0 → 0.0 0.0 | fmod 0.6 0.1 → 1.0 -5.0
""")


@pytest.mark.parametrize("text", SPECIAL_POINTS)
def test_partials_at_special_points(text):
    (name, *operands), expected = (part.split() for part in text.split(" → "))
    block, operands = BLOCK_OF[getattr(np, name)], [float(each) for each in operands]
    with np.errstate(all="ignore"):
        found = [float(partial(block.compute(*operands), *operands)) for partial in block.partials]
    np.testing.assert_array_equal(found, [float(each) for each in expected])


# ---- Blocks over whole arrays ----

X = np.random.default_rng(1).uniform(0.3, 2.0, (2, 3, 4)) * np.array([1, -1, 1])[:, None]
V, W = X[0, 0], X[1, 1]
ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [5.0, 6.0, 7.0]])
KEYS = [
    eval(key, {"np": np, "X": X})
    for key in expressions("""
0 | -1 | (1, 2) | (1, 2, 3) | np.int64(1) | slice(None) | slice(1, None) | slice(None, None, -1)
(slice(0, 2), slice(2, 0, -1)) | None | (None, 1) | (Ellipsis, 1) | (0, Ellipsis, 2) | (slice(None), None, 1) | Ellipsis
() | [1, 0] | [0, 0, 1] | (np.array([0, 1, 1]), np.array([2, 0, 2])) | (slice(None), [2, 2, 0])
np.array([[0, 1], [1, 1]]) | X > 0 | (X > 0)[:, :, 0] | (0, [True, False, True]) | np.zeros((0,), int)
([0, 1], slice(None), [1, 3]) | True | False
""")
]
AXES = [None, 0, 1, -1, (0, 2), (-1, 0), (0, 1, 2), ()]

CASES: dict[str, list[tuple]] = {
    "sum": [(X, axis, keep) for axis in AXES for keep in (False, True)]
    + [(2.0, None, False), (np.zeros((0, 3)), 0, False)],
    "mean": [(X, axis, keep) for axis in AXES for keep in (False, True)] + [(2.0, None, False)],
    "prod": [(x, axis, keep) for x in (X, ZEROS) for axis in [*AXES[:4], (0, 1), (1, 0)] for keep in (False, True)]
    + [(X, (0, 2), False), (X, (), False), (2.0, None, False), (np.zeros((0, 3)), 0, False)],
    "max": [(X, axis, keep) for axis in AXES for keep in (False, True)] + [(2.0, None, False)],
    "min": [(X, axis, keep) for axis in AXES for keep in (False, True)] + [(2.0, None, False)],
    "reshape": [(X, (6, 4)), (X, (24,)), (V, (2, 1, 2)), (2.0, (1, 1)), (V[:1], ())],
    "transpose": [(X, None), (X, (1, 2, 0)), (X, (-1, 0, 1)), (V, None)],
    "flip": [(X, None), (X, 1), (X, (0, -1))],
    "roll": [(X, 1, None), (X, -2, 1), (X, (1, 2), (0, 2))],
    "repeat": [(X, 2, None), (X, 2, 1), (X, np.array([1, 0, 2]), 1), (2.0, 3, None)],
    "tile": [(X, 2), (X, (2, 1, 1)), (V, (2, 3)), (2.0, 3)],
    "take": [(X, 3, None), (X, [2, 0, 0], 1), (X, np.array([[0, 1]]), -1), (V, -1, None)],
    "sliding_window_view": [(V, 2, None), (X, (2, 3), (1, 2)), (X, 2, 0)],
    "diagonal": [(X, 0, 0, 1), (X, 1, 1, 2), (X[0], -1, 0, 1)],
    "broadcast_to": [(V, (3, 4)), (X, (2, 2, 3, 4)), (X[:, :1], (2, 5, 4)), (2.0, (2, 2)), (2.0, ())],
    "index": [(X, key) for key in KEYS] + [(V, 2), (V, -4), (2.0, ()), (2.0, Ellipsis), (2.0, None)],
    "set": [
        *((X, 2 * X[1], 1), (X, X[:, 1:] * X[:, :2], (slice(None), slice(1, None))), (V, 5.0, 2), (V, W, Ellipsis)),
        *((V, W[:2], [3, 0]), (X, 2 * X[X > 0], X > 0), (2.0, 3.0, ())),
    ],
    "concatenate": [(0, X, X[:1]), (-1, X, X[..., :2], X), (1, X, X[:, :0])],
    "stack": [(0, V, W), (1, V, W, V), (-1, X, X), (0, 2.0, 3.0)],
    "matmul": [
        *((V, W), (X, V), (X[0, :, :3], X), (X[0, 0, :3], X), (X, X[0].T), (X, np.swapaxes(X, 1, 2)), (V, X[0].T)),
        *(
            (X[:, None], X[0].T[None]),
            (X[:, None], V),
            (X[0], X[0].T),
            (X[0, 0, :3], X[:1]),
            (X[:1], X[0].T),
            (X[:1], V),
        ),
    ],
    "where": [
        (X > 0, X, 2 * X),
        (X > 0, X, 1.0),
        (X > 0, 2.0, V),
        (X[0] > 0, X, X[:, :1]),
        (True, V, W),
        (V > 0, 2.0, 3.0),
    ],
    "logsumexp": [(X, axis, keep) for axis in AXES for keep in (False, True)] + [(2.0, None, False)],
    "pad": [(X, 2), (V, (0, 3)), (X, ((1, 0), (0, 2), (3, 1))), (X, 0)],
    "diag": [(V, 0), (V, 1), (V, -2), (X[0], 0), (V[:0], 0)],
    "bincount": [(V, np.array([0, 2, 2, 1]), 3), (V, np.array([1, 1, 1, 1]), 4), (V[:0], np.zeros(0, int), 2)],
    "cumsum": [(X, 0), (X, -1), (V, 0), (X[:, :0], 1)],
    "cumprod": [(x, axis) for x in (X, ZEROS, X[:, :1]) for axis in (0, 1, -1)] + [(V[:0], 0), (V, 0)],
    "einsum": [
        *(("ij,jk->ik", X[0], X[1].T), ("ijk,ijk->", X, X), ("ij->ji", X[0]), ("ij->i", X[0]), ("ij->", X[0])),
        *(("ii->i", ZEROS), ("ii->", ZEROS), ("iij->j", X[:, :2]), ("iji,ik->jk", X[:, :, :2], X[:, 0])),
        *(("i,j,k->kij", V, W, V), ("ij,jk,kl->il", X[0], X[1].T, X[0])),
    ],
    "convolve": [(V, W), (V, W[:2]), (V[:1], W), (V[:3], W)],
    "sinc": [(2.0,), (X,), (0.0,), (np.array([0.0, 0.01, -0.029, 0.03, 0.031, 1.0]),)],
    "logistic": [(2.0,), (X,)],
    "sqrt": [(2.0,), (X * X,)],
    "power": [(2.0, 0.3), (X * X, 1 / 3)],
    "output": [(2.0,), (X,)],
    "kink": [(2.0, 3.0, False), (X, X, np.zeros(X.shape, bool))],
    "copy": [(2.0,), (X,)],
    "arrange": [(X, "F"), (X[0], "F"), (np.transpose(X), "C")],
    "astype": [(X, "float64"), (2.0, "float64")],
}
"""Operands for every Block but those of elementwise ufuncs: floats are differentiated, the rest are settings."""

TABLE = [
    block
    for module in (elementwise, powers, trigonometry, reshaping, indexing, reducing, matrix_products)
    for block in vars(module).values()
    if isinstance(block, Block) and block.name != "input" and block not in {BLOCK_OF[ufunc] for ufunc in RULES}
]
TABLE += [selection.WHERE, OUTPUT, *elementwise.OF_ENTRIES.values()]


def differentiable(operand: object) -> bool:
    return isinstance(operand, float) or (isinstance(operand, np.ndarray) and operand.dtype == float)


EXAMPLES = [
    pytest.param(block, operands, id=f"{block.name}-{k}")
    for block in TABLE
    for k, operands in enumerate(CASES.get(block.name, []))
]


def test_every_block_over_whole_arrays_has_operands_to_be_tested_with():
    assert {block.name for block in TABLE} == set(CASES)


@pytest.mark.every
@pytest.mark.parametrize(("block", "operands"), EXAMPLES)
def test_local_jacobians_agree_with_central_differences(block, operands):
    value, rng = block.compute(*operands), np.random.default_rng(2)
    jacobians = block.linearize(value, *operands)
    assert len(jacobians) == len(operands)
    for k, (operand, jacobian) in enumerate(zip(operands, jacobians, strict=True)):
        if not differentiable(operand):
            assert jacobian is None
            continue
        slope = central_jacobian(lambda x, k=k: block.compute(*operands[:k], x, *operands[k + 1 :]), operand)
        assert (jacobian.out_shape, jacobian.in_shape) == (np.shape(value), np.shape(operand))
        assert_close(jacobian.dense(), slope.reshape(jacobian.shape), 1e-8)
        check_products(jacobian, rng)
        if not has_zeros(block, operands) and jacobian.structure != "operator":
            assert jacobian.nnz == np.count_nonzero(jacobian.dense())


def check_products(jacobian, rng):
    """Both products are those of the dense matrix."""
    tangent, adjoint = rng.normal(size=jacobian.in_shape), rng.normal(size=jacobian.out_shape)
    matrix = jacobian.dense()
    assert matrix.shape == jacobian.shape
    forward, backward = jacobian.jvp(tangent), jacobian.vjp(adjoint)
    assert (np.shape(forward), np.shape(backward)) == (jacobian.out_shape, jacobian.in_shape)
    assert_close(np.ravel(forward), matrix @ np.ravel(tangent), 1e-12)
    assert_close(np.ravel(backward), np.ravel(adjoint) @ matrix, 1e-12)
    assert np.count_nonzero(matrix) <= jacobian.nnz <= matrix.size


def has_zeros(block, operands):
    """Whether a partial may be zero."""
    return block.name in ("max", "min", "where", "set", "einsum", "kink") or np.any(np.equal(operands[0], 0))


def structure_of(block: Block, *operands: object) -> list[str | None]:
    found = block.linearize(block.compute(*operands), *operands)
    return [jacobian and jacobian.structure for jacobian in found]


def test_structures_are_named():
    of, add, multiply, sin = structure_of, BLOCK_OF[np.add], BLOCK_OF[np.multiply], BLOCK_OF[np.sin]
    assert of(add, V, W) == ["identity", "identity"]
    assert of(BLOCK_OF[np.subtract], V, W) == ["identity", "scalar"]
    assert of(add, X, V) == ["identity", "broadcast"]
    assert of(multiply, V, W) == ["diagonal", "diagonal"]
    assert of(multiply, V, 2.0) == ["scalar", "broadcast"]
    assert of(sin, V) == ["diagonal"]
    assert of(sin, 2.0) == ["scalar"]
    assert of(add, 2.0, 3.0) == ["identity", "identity"]
    assert of(RESHAPE, X, (24,))[0] == "identity"
    assert of(INDEX, X, 1)[0] == "selection"
    assert of(INDEX, X, [1, 1])[0] == "selection"
    assert of(SUM, X, 1, False)[0] == "reduction"
    assert of(MATMUL, X[0], X[0].T) == ["kronecker", "kronecker"]


def test_ties_share_the_partial_of_an_extreme_equally():
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    (jacobian, *_) = MAX.linearize(np.max(x, axis=1), x, 1, False)
    assert_close(jacobian.vjp(np.ones(2)), [[0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]], 1e-15)
    (jacobian, *_) = MIN.linearize(np.min(x), x, None, False)
    assert_close(jacobian.vjp(np.array(1.0)), [[1, 0, 0], [0, 0, 0]], 1e-15)


SHAPES = [(), (1,), (4,), (3, 1), (1, 4), (3, 4), (2, 1, 4), (2, 3, 1), (0,), (1, 0), (0, 1)]
PAIRS = [(left, right) for left in SHAPES for right in SHAPES if 0 not in left + right or not {3, 4} & {*left, *right}]


@pytest.mark.parametrize("ufunc", [np.add, np.divide, np.arctan2])
def test_operands_of_all_shapes_are_broadcast(ufunc):
    rng, block = np.random.default_rng(3), BLOCK_OF[ufunc]
    for shapes in PAIRS:
        operands = tuple(rng.uniform(0.5, 2, shape) for shape in shapes)
        for k, jacobian in enumerate(block.linearize(ufunc(*operands), *operands)):
            slope = central_jacobian(lambda x, k=k, xs=operands: ufunc(*xs[:k], x, *xs[k + 1 :]), operands[k])
            assert_close(jacobian.dense(), slope.reshape(jacobian.shape), 1e-8, str(shapes))
            check_products(jacobian, rng)
            assert jacobian.nnz == np.count_nonzero(jacobian.dense())


# ---- Blocks of one's own ----


def test_a_rule_of_ones_own_for_a_ufunc(clean_table):
    define(np.spacing, lambda y, x: 0.0)
    graph = trace(lambda x: np.spacing(x) * x, np.array([-1.0, 0.0, 2.0]))
    epsilon = np.finfo(float).eps
    np.testing.assert_array_equal(graph.values[graph.outputs[0]], [epsilon, 0, 4 * epsilon])
    assert "spacing" in graph.block_counts()


# ---- how partials are written ----

WRITTEN = [block for block in TABLE if isinstance(block, Elementwise)] + [BLOCK_OF[ufunc] for ufunc in RULES]
READING = [
    (r"1 if (.) is the (larger|smaller) one, else 0", r"np.equal(\1, y) * 1"),
    (r"1 if a and b have one sign, else -1", "np.sign(a * b)"),
    (r"1 if a is 0, else 0", "np.equal(a, 0) * 1"),
    (r"the sign of a", "np.sign(a)"),
    (r"⌊(.*?)⌋", r"np.floor(\1)"),
    (r"πa", "(np.pi * a)"),
    (r"\bln (\w+)", r"np.log(\1)"),
    (r"\b(sin|cos|sinh|cosh) (\w+|\(.*?\))", r"np.\1(\2)"),
    (r"trunc", "np.trunc"),
    (r"√", "np.sqrt"),
    (r"π", "np.pi"),
    (r"\be\^", "np.e^"),
    (r"²", "**2"),
    (r"\^", "**"),
    (r"·", "*"),
]
"""A formula of a textbook as Python."""


@pytest.mark.parametrize("block", WRITTEN, ids=lambda block: f"{block.name} {block.symbol}")
def test_partials_are_written_as_they_are_computed(block):
    assert len(block.formulas) == len(block.partials)
    for point in ((0.37, 0.81), (1.7, 2.3), (2.3, 1.7)):
        operands = list(map(np.float64, point[: len(block.partials)]))
        with np.errstate(all="ignore"):
            y = np.float64(block.compute(*operands))
            expected = [partial(y, *operands) for partial in block.partials]
        if not np.isfinite(y):
            continue
        for formula, value in zip(block.formulas, expected, strict=True):
            text = formula.format(a="a", b="b", y="y")
            for pattern, replacement in READING:
                text = re.sub(pattern, replacement, text)
            names = {"np": np, "y": y} | dict(zip("ab", operands, strict=False))
            assert eval(text, names) == pytest.approx(value, rel=1e-3 if "float16" in block.symbol else 1e-12), formula


def test_a_number_beside_an_array_of_one_entry_gives_an_array():
    graph = ad.trace(lambda x, y: np.minimum(x, y), 1.0, np.array([0.5]))
    assert [node.shape for node in graph] == [(), (1,), (1,), (1,)]
