"""Programs let large arrays go after their last use: what they are said to use at most is what they use."""

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.arrays import row_blocks
from adviz.kernels.sources.array_modules import freed

from ..running import peak_bytes

DRAWN = np.random.default_rng(0)
X = DRAWN.normal(size=(4000, 50))
WEIGHTS = [DRAWN.normal(size=(50, 50)) / 7 for _ in range(12)]


def layers(x, *weights):
    for w in weights:
        x = x + np.tanh(x @ w)
    return np.mean(x**2)


@pytest.mark.long
@pytest.mark.parametrize("in_blocks", [True, False])
def test_the_bytes_in_use_are_those_of_the_cost(in_blocks, monkeypatch):
    if not in_blocks:
        monkeypatch.setattr(row_blocks, "LARGE", 1 << 40)
    program = ad.compile_gradient(layers, X, *WEIGHTS, grain="array")
    assert peak_bytes(program, X, *WEIGHTS) == pytest.approx(program.cost.peak_bytes, rel=0.15)


def test_what_is_read_has_no_del_and_what_is_run_has_the_same_lines():
    program = ad.compile_gradient(layers, X, *WEIGHTS, grain="array")
    made = program._first.written
    run = freed(made)
    assert "del " not in program.source
    assert "del " in run.source
    for one, other in zip(made.rows, run.rows, strict=True):
        statement = other.text.strip()
        assert (statement.partition("; ")[2] if statement.startswith("del ") else statement) == one.text.strip()


def test_a_function_within_keeps_what_it_mentions():
    def flow(u, c):
        for _ in range(20):
            u = u + c * np.tanh(np.roll(u, 1) - u)
        return np.sum(u**2)

    u, c = DRAWN.normal(size=20_000), DRAWN.normal(size=20_000)
    program = ad.compile_gradient(flow, u, c, checkpoints=3)
    value, gradient = program(u, c)
    expected = ad.value_and_grad(flow, argnums=(0, 1))(u, c)
    assert value == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient[0], expected[1][0], rtol=1e-9, atol=1e-9)


def test_small_programs_stay_as_they_are():
    program = ad.compile_gradient(lambda x: np.sum(np.tanh(np.sin(x))), np.ones(100), grain="array")
    made = program._first.written
    assert freed(made) is made
