"""Random sequences of statements, many of which change arrays in place: traced they give what they give on floats.

What cannot be followed on traced arrays (one array seen under two names) has to be refused; it is never wrong.
"""

import random
import warnings

import numpy as np
import pytest

import adviz as ad

from ..catalogue import expressions
from ..engine.derivatives import central_jacobian

STATEMENTS = expressions("""
y += x | y *= 2 | y -= np.mean(y) | y /= 1 + np.abs(y) | y **= 2 | y[::2] += 1 | y[-1] -= y[0] | y.sort() | y[0] = x[1]
y[1:] = x[:-1] * 2 | y[y > 1] = 0.5 | y[[0, 2]] = y[[2, 0]] | y[1] = 2.0 | y[2:4] = [0.1, x[0]]
w = y[1:3]; w[:] = 0.25 | w = y.T; w *= 1.5 | w = np.ravel(y); w -= x | np.add.at(y, [0, 0, 1], x[0]) | y = y[::-1]
y = np.roll(y, 1) | y = y.reshape(2, 2).T.ravel() | y = np.concatenate([y[2:], y[:2]]) | y = np.sort(y)
y = np.where(y > 0.2, y, -y) | y = np.clip(y, -1, 1) | y = np.maximum(y, 0.1 * x) | y = abs(y)
y = y @ np.outer(y, x) / 4 | y = np.exp(-y) | y = np.cumsum(y) / 4 | y = np.array([y[0], 0.5, y[2], x[3]])
y = np.diff(np.append(y, x[0])) | y = np.stack([y, x]).mean(axis=0) | y = y / np.linalg.norm(y + 2) | y = np.asarray(y)
y = y.copy() | y = np.zeros_like(y) + y | y = y.clip(0, 1) | y = np.array(y, dtype=float)
y = np.median(np.stack([y, x, -x]), axis=0) | y = np.outer(y, y).sum(axis=1) / 4 | y = np.hypot(y, 1) | y = np.flip(y)
y = y % 0.7 | y = np.einsum('i,i->i', y, x) | y = np.fmin(y, x[::-1]) | y = y + x.max() | z = y | y = z | z = y[1:3]
z += 1 | z = y.T | z = x[::2] | z = np.ravel(y) | z = y.copy() | z = np.asarray(y) | z = np.squeeze(y)
z = y.astype(float) | z = np.split(y, 2)[0] | z *= 0.5 | z = np.array(y) | z = y.reshape(2, 2)
""")
REFUSED = (ad.ArrayWriteError, ad.MissingBlockError)


def program(seed, first):
    """A function of four numbers from a few random statements; ``first`` makes ``y``, the array that they change."""
    chosen = random.Random(seed).choices(STATEMENTS, k=1 + seed % 7)
    lines = ["def f(x):", f"    y = {first}", "    z = y", *(f"    {line}" for line in chosen)]
    namespace = {"np": np}
    exec("\n".join([*lines, "    return y + 0.1 * z.sum() + 0 * x[0]"]), namespace)
    return namespace["f"]


def on_floats(f, x):
    """The value, and the Jacobian where the function is smooth; ``None`` where the statements fail or overflow."""
    try:
        with np.errstate(all="ignore"):
            value = f(x.copy())
            jacobian, again = (central_jacobian(lambda x: f(x.copy()), x, step) for step in (1e-6, 1e-7))
    except ValueError:
        return None
    if not np.isfinite(value).all() or not np.abs(jacobian).max() < 1e6:
        return None
    return value, jacobian if np.allclose(jacobian, again, rtol=1e-4, atol=1e-4) else None


@pytest.mark.long
@pytest.mark.parametrize(
    "first", ["np.array(x)", *(pytest.param(copied, marks=pytest.mark.slow) for copied in ("x * 1.0", "x.copy()"))]
)
@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_statements_give_what_they_give_on_floats_or_are_refused(first, grain):
    done = 0
    for seed in range(150):
        f, x = program(seed, first), np.random.default_rng(seed).uniform(-1, 1.5, 4)
        expected = on_floats(f, x)
        if expected is None:
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                graph, jacobian = ad.trace(f, x, grain=grain), ad.jacobian(f, grain=grain)(x)
        except REFUSED:
            assert grain == "array", f"seed {seed}"
            continue
        value = np.array([graph.values[node] for node in graph.outputs]).reshape(expected[0].shape)
        np.testing.assert_allclose(value, expected[0], rtol=1e-9, atol=1e-12, err_msg=f"seed {seed}")
        if expected[1] is not None and np.isfinite(jacobian).all():
            np.testing.assert_allclose(jacobian, expected[1], rtol=1e-4, atol=1e-4, err_msg=f"seed {seed}")
        done += 1
    assert done > 50
