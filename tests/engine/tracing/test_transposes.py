"""Entries placed among zeros and added up at places: values, object arrays, derivatives of both."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.jacobians.local import add_at, place

from ..derivatives import assert_close, central_jacobian

X = np.array([0.3, -0.5, 0.7])
INDEX = np.array([2, 0, 2])
GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])
MOVES = {
    "placed": lambda x: place(x * x, slice(None, None, 2), (5,)),
    "placed in a row": lambda x: place(x * x, 1, (2, 3)),
    "added": lambda x: add_at(x * x, INDEX, (4,)),
    "added to a matrix": lambda x: add_at(x * x, INDEX, (2, 2)),
    "a number placed": lambda x: place(x[1] * x[1], 2, (4,)),
    "a number added": lambda x: add_at(x[1] * x[1], np.array(3), (2, 2)),
}


@GRAINS
@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_what_was_moved_has_derivatives(move, mode, grain):
    value, _ = ad.vjp(move, X, grain=grain)
    assert_close(value, move(X), 1e-14)
    assert_close(ad.jacobian(move, mode=mode, grain=grain)(X), central_jacobian(move, X))


@GRAINS
@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_and_second_derivatives(move, grain):
    def f(x):
        return np.sum(np.exp(move(x)))

    assert_close(ad.hessian(f, grain=grain)(X), central_jacobian(ad.grad(f, grain=grain), X))


def test_on_whole_arrays_a_move_is_one_node():
    assert ad.trace(MOVES["placed"], X).block_counts()["place"] == 1
    assert ad.trace(MOVES["added"], X).block_counts()["add_at"] == 1
