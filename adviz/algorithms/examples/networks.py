"""Networks that learn: two layers of tanh, a cell with memory, and the encoder of a transformer."""

from __future__ import annotations

import numpy as np

from .small_functions import Num


def _normalized(x: Num, gain: Num, shift: Num) -> Num:
    """Layer normalization (J. L. Ba, J. R. Kiros, G. E. Hinton, 2016)."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return gain * centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1e-6) + shift


def two_layer_network(
    x: Num, target: Num, weights1: Num, bias1: Num, weights2: Num, bias2: Num, gain: Num, shift: Num
) -> Num:
    """Half the squared distance of two layers of tanh, the first normalized, from a target.

    Source: D. E. Rumelhart, G. E. Hinton, R. J. Williams, "Learning representations by back-propagating errors", Nature
    323 (1986) 533-536.

    >>> two_layer_network(np.zeros(2), np.ones(1), np.ones((2, 2)), np.zeros(2), np.ones((1, 2)), np.zeros(1), 1.0, 0.0)
    np.float64(0.5)
    """
    hidden = _normalized(np.tanh(weights1 @ x + bias1), gain, shift)
    miss = np.tanh(weights2 @ hidden + bias2) - target
    return 0.5 * np.sum(miss * miss)


def _logistic(x: Num) -> Num:
    return 1 / (1 + np.exp(-x))


def lstm_cell(x: Num, hidden: Num, cell: Num, weights: Num, recurrent: Num, bias: Num) -> tuple[Num, Num]:
    """The next hidden state and the next cell of a long short-term memory.

    ``weights``, ``recurrent`` and ``bias`` have a quarter of their rows for each of the input gate, the forget gate,
    the output gate and the candidate. Source: S. Hochreiter and J. Schmidhuber, "Long short-term memory", Neural
    Computation 9 (1997) 1735-1780; the forget gate is of F. A. Gers, J. Schmidhuber, F. Cummins, "Learning to forget",
    Neural Computation 12 (2000) 2451-2471.

    >>> lstm_cell(np.zeros(1), np.zeros(1), np.array([2.0]), np.zeros((4, 1)), np.zeros((4, 1)), np.zeros(4))
    (array([0.38079708]), array([1.]))
    """
    remember, forget, show, candidate = np.split(weights @ x + recurrent @ hidden + bias, 4)
    cell = _logistic(forget) * cell + _logistic(remember) * np.tanh(candidate)
    return _logistic(show) * np.tanh(cell), cell


def encoder_block(x: Num, queries: Num, keys: Num, values: Num, weights: Num, bias: Num, gain: Num, shift: Num) -> Num:
    """Attention of one head, added to what came in and normalized, and a layer of ``z logistic(z)``.

    Rows of ``x`` are tokens. Source: A. Vaswani et al., "Attention is all you need", Advances in Neural Information
    Processing Systems 30 (2017), sections 3.1 to 3.3, with one layer instead of the two of 3.3.

    >>> encoder_block(np.eye(2), *np.zeros((4, 2, 2)), np.array([100.0, 0.0]), 1.0, 0.0)
    array([[100.,   0.],
           [100.,   0.]])
    """
    scores = np.exp((x @ queries) @ (x @ keys).T / np.sqrt(x.shape[-1]))  # too small for an overflow
    attention = scores / np.sum(scores, axis=-1, keepdims=True)
    z = _normalized(x + attention @ (x @ values), gain, shift) @ weights + bias
    return z * _logistic(z)


def transformer_encoder(x: Num, target: Num, *blocks: tuple[Num, ...]) -> Num:
    """Half the squared distance of what some blocks make of tokens, one after the other, from a target.

    Source: as of :func:`encoder_block`.

    >>> transformer_encoder(np.eye(2), np.zeros((2, 2)))
    np.float64(1.0)
    """
    for block in blocks:
        x = encoder_block(x, *block)
    return 0.5 * np.sum((x - target) ** 2)
