"""Numbers of another type, and entries at other places in memory, as calls ask for them."""

import warnings

import numpy as np
import pytest

import adviz as ad

from ...catalogue import expressions, function_of
from ..checks import GRAINS

X = np.array([1.7, -2.6, 3.9, 0.4])
WHOLE = """
np.sum(x, dtype=int) | np.sum(x, None, int) | np.cumsum(x, dtype=int) | np.mean(x, dtype=int) | np.prod(x, dtype=int)
np.add(x, 1.6, dtype=int, casting="unsafe") | np.concatenate([x, x], dtype=int, casting="unsafe") | x.astype(int)
np.full_like(x, x[0], dtype=int) | np.linspace(x[0], x[2], 4, dtype=int) | x.astype(bool)
x.sum(dtype=np.int8) | x.astype("u1", order="F") | np.trace(x.reshape(2, 2), dtype=int) | np.add.reduce(x, dtype=bool)
np.multiply.accumulate(x, 0, int)
"""
SINGLE = """
np.sum(x, dtype=np.float32) | np.add(x, 1.0, dtype=np.float16) | x.astype(np.float32) | np.cumsum(x, dtype="f4")
np.stack([x, x], dtype=np.float32, casting="same_kind") | np.einsum("i,i", x, x, dtype="f4", casting="unsafe")
np.linspace(x[0], 1.0, 3, dtype=np.float32) | np.var(x, dtype=np.float32) | np.exp(x, signature="f->f")
x.mean(dtype="f2")
"""

BESIDE_DOUBLES = """
np.quantile(x, [0.3, 0.6]) | np.quantile(x, 0.3) | np.quantile(x, np.float32(0.3)) | np.percentile(x, [30, 60])
np.percentile(x, 30) | np.nanquantile(x, [0.3, 0.6]) | np.nanpercentile(x, 30.0) | np.cov(x) | np.corrcoef(x, x[::-1])
np.cov(x, dtype=np.float32) | np.insert(x, 1, [5.0]) | np.insert(x, 1, 5.0) | np.ediff1d(x, to_begin=[1.0])
np.pad(x, 1, constant_values=2.0) | np.polyval([1.0, 2.0], x) | np.polyval(x, 0.5) | np.polyval(x, [1.0, 2.0])
np.geomspace(x[0], x[2], 4) | np.interp(x, np.float32([0, 1, 2]), np.float32([0, 1, 4]))
x + np.angle(x) | x + np.imag(x)
np.piecewise(x, [x > 1], [lambda v: v * 2, 0.5])
np.ldexp(x, [1, 2, 3, 4]) | np.einsum("i,i", x, [1.0, 2.0, 3.0, 4.0]) | np.convolve(x, [1.0, 2.0])
"""
"""Lists of numbers are arrays in double precision, and numbers of Python's take on the precision of arrays."""


@pytest.mark.parametrize("text", expressions(BESIDE_DOUBLES))
def test_what_single_precision_becomes_beside_lists_is_what_numpy_says(text):
    f, x = function_of(text), X.astype(np.float32)
    expected, seen = f(x), []
    ad.grad(lambda x: seen.append(f(x)) or np.sum(seen[0]))(x)
    for found in (seen[0], ad.compile(f, x, grain="array")(x)):
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-5)


@GRAINS
@pytest.mark.parametrize("text", expressions(WHOLE))
def test_whole_numbers_that_are_asked_for_are_plain_and_have_no_derivative(text, grain):
    f, seen = function_of(text), []

    def traced(x):
        seen.append(f(x))
        return np.sum(seen[0]) + np.sum(x)

    assert ad.grad(traced, grain=grain)(X).tolist() == [1, 1, 1, 1]
    expected = f(X)
    assert isinstance(seen[0], type(expected))
    assert seen[0].dtype == expected.dtype
    np.testing.assert_array_equal(seen[0], expected)


@GRAINS
def test_places_may_be_computed_from_traced_values(grain):
    def f(x):
        below = np.floor(x).astype(int)
        table = np.arange(10.0) ** 2
        return table[below] + (x - below) * (table[below + 1] - table[below])

    x = np.array([0.5, 3.25])
    value, pullback = ad.vjp(f, x, grain=grain)
    assert (value.tolist(), pullback(np.ones(2))[0].tolist()) == ([0.5, 10.75], [1.0, 7.0])


@GRAINS
@pytest.mark.parametrize("text", expressions(SINGLE))
def test_other_floats_are_nodes_through_which_derivatives_flow(text, grain):
    f = function_of(text)
    without = {"dtype=np.float32": "dtype=None", "dtype=np.float16": "dtype=None", 'signature="f->f"': "dtype=None"}
    without |= {'dtype="f4"': "dtype=None", 'dtype="f2"': "dtype=None", ".astype(np.float32)": "+ 0.0"}
    plain = text
    for asked, instead in without.items():
        plain = plain.replace(asked, instead)
    value, _ = ad.vjp(f, X, grain=grain)
    np.testing.assert_allclose(value, f(X), rtol=2e-3 if "16" in text or "f2" in text else 1e-6)
    jacobian, expected = (ad.jacobian(g, grain=grain)(X) for g in (f, eval(f"lambda x: {plain}", {"np": np})))
    np.testing.assert_allclose(jacobian, expected, rtol=1e-2 if "16" in text or "f2" in text else 1e-5, atol=1e-6)
    assert "astype" in {node.block.name for node in ad.trace(f, X, grain=grain)}


def test_sums_are_taken_in_the_type_that_is_asked_for():
    x = np.array([1e8, 1.0, 1.0, 1.0], np.float32)
    value, _ = ad.vjp(lambda x: np.sum(x, dtype=np.float64), x)
    assert value == np.sum(x, dtype=np.float64) != float(np.sum(x))


def test_a_program_for_all_points_leaves_floats_to_who_runs_it_and_cuts_whole_numbers_off():
    program = ad.compile_jacobian(lambda x: x.astype(np.float32) * x.astype(int) + (x.astype(bool) * 1.0) * x, X)
    found = program(np.stack([X, X + 1])).jacobian
    np.testing.assert_allclose(found[0], np.diag([2.0, -1.0, 4.0, 1.0]))
    np.testing.assert_allclose(found[1], np.diag([3.0, 0.0, 5.0, 2.0]))
    with pytest.raises(ad.MissingBlockError, match=r"astype\(int8\) in a program"):
        ad.compile_jacobian(lambda x: x * x.astype(np.int8), X, grain="scalar")
    with pytest.raises(ad.MissingBlockError, match=r"np.sum with dtype=int64 in a program. Apply np.trunc"):
        ad.compile_jacobian(lambda x: x * np.sum(x, dtype=int), X, grain="scalar")


def test_a_program_for_all_points_refuses_to_cut_off_what_is_written_into_whole_numbers():
    def written(x, value):
        y = (x * 3).astype(int)
        y.reshape(2, 2)[0] = value(x)
        return np.sum(y * x)

    for value in (lambda x: 2.9, lambda x: x[1] * 2.7, lambda x: x[:2]):
        assert ad.compile_gradient(written, X, value=value, grain="array")(X).value == written(X, value)
        with pytest.raises(ad.BranchError):
            ad.compile_gradient(written, X, value=value, grain="scalar")
    program = ad.compile_gradient(written, X, value=lambda x: 2, grain="scalar")
    assert program(X).value == pytest.approx(written(X, lambda x: 2))


@GRAINS
def test_what_numpy_does_not_convert_is_its_own_error(grain):
    for f in (
        lambda x: np.concatenate([x, x], dtype=int),
        lambda x: np.add(x, 1.0, dtype=int),
        lambda x: x.astype(int, casting="safe"),
        lambda x: np.einsum("i,i", x, x, dtype=np.float32),
    ):
        with pytest.raises(TypeError, match=r"[Cc]ast.* rule"):
            f(X)
        with pytest.raises(TypeError, match=r"[Cc]ast.* rule"):
            ad.trace(f, X, grain=grain)


MOVES = expressions("""
x.T | x * 2.0 | np.sin(x) | x + np.asfortranarray(np.ones(x.shape)) | np.ones(x.shape) - x | x[::-1] | x[..., None]
np.swapaxes(x, 0, -1) | np.moveaxis(x, 0, -1) | x.reshape(x.shape[::-1]) | x.reshape(x.shape[::-1], order="F")
x.copy() | np.copy(x) | x.copy("F") | np.copy(x, order="A") | np.add(x, 1.0, order="F") | np.add(x, 1.0, order="A")
np.concatenate([x, x], axis=-1) | np.stack([x, x], -1)[..., 0] | np.where(x > 0, x, 2 * x) | np.roll(x, 1, 0)
np.broadcast_to(x, (2, *x.shape)) | np.sort(x, axis=0) | np.clip(x, -1, 1) | x.astype(float, order="C") | np.flip(x)
np.round(x, 1) | np.repeat(x, 2, axis=0) | np.cumsum(x, axis=0) | np.insert(x, 0, 1.0, axis=0) | np.pad(x, 1)
np.piecewise(x, [x > 0], [np.sin]) | np.select([x > 0], [x]) | np.rot90(x, 1, (0, -1)) if x.ndim > 1 else x
np.einsum("...ij->...ji", x) if x.ndim > 1 else x | np.gradient(x, axis=-1) if x.shape[-1] > 1 else x
np.kron(x, x) | np.diff(x, axis=0, prepend=0.0)
""")
READS = expressions(
    'x.ravel("K") | x.flatten("A") | np.ravel(x, order="K") | np.reshape(x, -1, order="A") | x.ravel("f")'
)


@pytest.mark.long
@GRAINS
def test_entries_are_read_in_the_order_in_which_numpy_has_them_in_memory(grain):
    """Of random programs that move entries; the weights tell the derivative of one order from that of another."""
    rng = np.random.default_rng(1)
    wrong = []
    for _ in range(300):
        x = np.asarray(rng.normal(size=rng.integers(1, 4, size=rng.integers(1, 4))), order=rng.choice(["C", "F"]))
        moves = list(rng.choice(MOVES, size=rng.integers(1, 4)))
        read = str(rng.choice(READS))

        def f(x, moves=moves, read=read):
            for move in moves:
                x = function_of(move)(x)
            return function_of(read)(x)

        expected = f(x)
        with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
            found, pullback = ad.vjp(f, x, grain=grain)
        step, weights = np.zeros_like(x), rng.normal(size=expected.shape)
        step[...] = rng.normal(size=x.shape)  # as x is in memory
        slope = np.sum(weights * (f(x + 1e-6 * step) - f(x - 1e-6 * step))) / 2e-6
        if not np.allclose(found, expected, 1e-12) or not np.isclose(
            np.sum(pullback(weights)[0] * step), slope, 1e-4, 1e-4
        ):
            wrong.append((moves, read, x.shape, x.flags.c_contiguous))
    assert not wrong


@GRAINS
def test_an_order_that_reshape_does_not_take_is_numpys_own_error(grain):
    with pytest.raises(ValueError, match="order"):
        ad.trace(lambda x: x.reshape(2, 2, order="K"), X, grain=grain)
