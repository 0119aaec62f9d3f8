"""Networks against what is known of some weights, and of the order of tokens."""

import numpy as np

from adviz.algorithms.examples.functions import PROGRAMS, lstm_cell

from ...engine.derivatives import assert_close


def test_a_cell_that_remembers_all_and_writes_nothing_stays():
    bias = np.array([-50.0, 50.0, 50.0, 0.0])
    hidden, cell = lstm_cell(np.ones(2), np.zeros(1), np.array([0.7]), np.zeros((4, 2)), np.zeros((4, 1)), bias)
    assert_close([hidden, cell], [[np.tanh(0.7)], [0.7]], 1e-15)


def test_attention_does_not_mind_the_order_of_tokens():
    x, target, *blocks = PROGRAMS["transformer encoder"].arguments
    program = PROGRAMS["transformer encoder"].program
    assert_close(program(x[::-1], target[::-1], *blocks), program(x, target, *blocks), 1e-14)
