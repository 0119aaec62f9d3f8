"""Arrays of indices as operands: entries taken, added up and overwritten at them, also where they are nodes."""

import numpy as np
import pytest

from adviz.engine.rules.gathering import GATHER, PUT, SCATTER, SLOT, joined_key, split
from adviz.engine.trace_errors import BranchError, ConversionError

from ...catalogue import expressions
from ..derivatives import assert_close, central_jacobian
from ..symbolic import elsewhere, graph_of, names_in, recomputed

X = np.array([1.0, -2.0, 3.0])
POINTS = [X, -X, X[::-1] + 0.3, np.array([0.5, 0.5, -1.0])]
TABLE = np.arange(9.0).reshape(3, 3)


def changed(change):
    """A function that changes an array made of its argument, and returns it."""

    def f(x):
        z = np.outer(x, x)
        change(z, x)
        return z

    return f


CASES = """
x[np.argmax(x)] * 2 | np.outer(x, x)[np.argmax(x)] | np.outer(x, x)[np.argmax(x), np.argmin(x)] | x[-np.argmax(x) - 1]
np.outer(x, x)[np.arange(3), np.argsort(x)] | np.outer(x, x)[None, np.argsort(x), ::-1] | x[[np.argmax(x), 0]]
np.outer(x, x)[np.ix_(np.argsort(x), [0, 1])] | np.take(x, np.argsort(x))
np.take(np.outer(x, x), np.argsort(x), axis=-1) | np.take(x, np.argsort(x) + 1, mode='clip')
np.take(x, np.argsort(x) + 1, mode='wrap') | np.take(TABLE, np.argmax(x), axis=0) | np.asarray(TABLE)[np.argsort(x)]
np.take_along_axis(np.outer(x, x), np.argsort(np.outer(x, x), 0), 0) | np.choose((x > 0).astype(int), [x, 2 * x])
np.roll(x, np.argmax(x)) | np.sort(x) * np.arange(3) | np.sort(np.outer(x, x), axis=0) | np.partition(x, 1)
np.median(x) | np.nanmedian(x) | np.quantile(x, [0.3, 0.6]) | np.interp(x, [-3.0, 0.0, 1.0, 2.0], [3.0, 0.0, 1.0, 4.0])
np.interp(0.3, np.sort(x), x) | np.maximum.accumulate(x) | np.bincount(np.argsort(x) // 2, x, minlength=3)
np.bincount(np.argsort(x) // 2, minlength=3) * x | changed(lambda z, x: z.__setitem__(z > 2, 0.0))(x)
changed(lambda z, x: z.__setitem__((slice(None), x > 0), -1.0))(x) | changed(lambda z, x: z.__setitem__(x > 0, x))(x)
changed(lambda z, x: z.__setitem__((..., x > 0), x[:, None]))(x)
changed(lambda z, x: z.__setitem__((1, x > 0), 7.0))(x) | changed(lambda z, x: z[1:].__setitem__(z[1:] < 0, 0.0))(x)
changed(lambda z, x: z.__setitem__(np.argmax(x), x))(x)
changed(lambda z, x: z.__setitem__((np.arange(3), np.argsort(x)), x))(x)
changed(lambda z, x: z.__setitem__(np.argsort(x) // 2, np.outer(x, x * x)))(x)
changed(lambda z, x: np.add.at(z, np.argsort(x) // 2, x))(x)
changed(lambda z, x: np.subtract.at(z, (np.argsort(x), 0), x))(x)
changed(lambda z, x: np.put(z, np.argsort(x), x[:2]))(x)
changed(lambda z, x: np.put_along_axis(z, np.argmax(z, axis=1)[:, None], 0.0, 1))(x)
changed(lambda z, x: z.sort(axis=0))(x)
"""


@pytest.mark.parametrize("text", expressions(CASES))
@pytest.mark.parametrize("kind", [np.float64, np.float32], ids=lambda kind: kind.__name__)
def test_what_is_recorded_at_one_point_is_right_at_others(text, kind):
    f = eval(f"lambda x: {text}", globals())
    for found, wanted in elsewhere(f, X.astype(kind), POINTS):
        np.testing.assert_allclose(found, wanted, rtol=32 * np.finfo(kind).eps, atol=1e-6 if kind is np.float32 else 0)
        assert np.shape(found) == np.shape(wanted)


def test_reading_and_writing_are_one_node():
    assert names_in(graph_of(lambda x: np.outer(x, x)[np.arange(3), np.argsort(x)], X))[-2:] == ["argsort", "gather"]
    assert names_in(graph_of(changed(lambda z, x: z.__setitem__(z > 2, 0.0)), X))[-2:] == ["greater", "where"]
    assert names_in(graph_of(changed(lambda z, x: z.__setitem__((np.arange(3), np.argsort(x)), x)), X))[-2:] == [
        "argsort",
        "put",
    ]


@pytest.mark.parametrize("f", [lambda x: x[x > 0], lambda x: np.outer(x, x)[:, x > 0], lambda x: np.asarray(X)[x > 0]])
def test_a_part_of_unknown_size_is_refused_and_says_what_to_write(f):
    with pytest.raises(BranchError, match=r"np\.sum\(np\.where\(condition, x, 0\.0\)\)"):
        graph_of(f, X)


def test_so_is_a_value_of_unknown_size():
    with pytest.raises(BranchError, match=r"np\.where"):
        graph_of(lambda x: (x * 2).__setitem__(x > 0, x[:2]), X)


@pytest.mark.parametrize(
    "f", [lambda x: TABLE[np.argsort(x)], lambda x: TABLE[np.argmax(x)], lambda x: x[np.argmax(x) :]]
)
def test_what_takes_plain_indices_only_says_what_to_write(f):
    with pytest.raises(ConversionError, match=r"np\.take\(a, i, axis=0\)"):
        graph_of(f, X)


def test_floats_are_no_indices():
    with pytest.raises(BranchError):
        graph_of(lambda x: x[x], X)


# ---- the rules ----

V, M = np.array([0.3, -0.5, 0.7, 1.1]), np.arange(12.0).reshape(4, 3) / 7
K, J = np.array([2, 0, 2]), np.array([[1], [0]])
BLOCKS = {
    "gather": (GATHER, (V, (SLOT,), K)),
    "gather along an axis": (GATHER, (M, (slice(1, None), SLOT), K)),
    "gather of two": (GATHER, (M, (SLOT, SLOT), K, J)),
    "scatter": (SCATTER, (V[:3], (4,), (SLOT,), K)),
    "scatter into a matrix": (SCATTER, (M[:3].T @ M[:3], (3, 4), (slice(None), SLOT), K)),
    "put": (PUT, (V, V[1:] * 2, (SLOT,), np.array([2, 0, 3]))),
    "put, repeated": (PUT, (V, V[1:] * 2, (SLOT,), K)),
    "put of a number": (PUT, (V, 0.3, (SLOT,), K)),
    "put of a row": (PUT, (M, V[:3], (SLOT,), K)),
    "put of a row with one axis more": (PUT, (V, V[None, None, 1:], (SLOT,), np.array([2, 0, 3]))),
}


@pytest.mark.parametrize(("block", "operands"), BLOCKS.values(), ids=BLOCKS)
def test_rules_agree_with_central_differences(block, operands):
    value = block.compute(*operands)
    rng = np.random.default_rng(1)
    for place, jacobian in enumerate(block.linearize(value, *operands)):
        if jacobian is None:
            continue
        slope = central_jacobian(
            lambda x, k=place: block.compute(*operands[:k], x, *operands[k + 1 :]), operands[place]
        )
        slope = slope.reshape(jacobian.shape)
        assert_close(jacobian.dense(), slope, 1e-8)
        tangent, adjoint = rng.normal(size=jacobian.in_shape), rng.normal(size=jacobian.out_shape)
        assert_close(np.ravel(jacobian.jvp(tangent)), slope @ np.ravel(tangent), 1e-8)
        assert_close(np.ravel(jacobian.vjp(adjoint)), np.ravel(adjoint) @ slope, 1e-8)


def test_a_key_is_its_form_with_its_indices():
    for key in (K, (slice(None), K), (None, K, ..., J)):
        form, indices = split(key)
        assert np.array_equal(M[joined_key(form, indices)], M[key])


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 0)])
def test_empty_arrays_and_those_of_one_entry_are_written_and_sorted(shape):
    def f(x):
        z = x * 2
        z[z > 0] = 0.0
        return np.sort(z, axis=0) + np.where(x > 0, x, 1.0)

    x = -np.ones(shape)
    (found,) = recomputed(graph_of(f, x), -x)
    np.testing.assert_array_equal(found, f(-x))
