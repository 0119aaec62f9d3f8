"""Arguments of integers and booleans: inputs of traces of arrays that hold at every point, and plain in all others."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.trace import record

from .symbolic import graph_of, recomputed

W, X = np.arange(12.0).reshape(4, 3) / 7 - 0.5, np.arange(20.0).reshape(5, 4) / 9 - 1
LABELS, OTHERS = np.array([0, 2, 1, 1, 0]), np.array([2, 2, 0, 1, 1])
MASK = np.array([True, False, True, True, False])


def loss(w, x, labels, mask):
    logits = x @ w
    logits = logits - np.max(logits, axis=1, keepdims=True)
    chosen = logits[np.arange(len(x)), labels] - np.log(np.sum(np.exp(logits), axis=1))
    return -np.sum(np.where(mask, chosen, 0.0)) / np.sum(mask)


def test_labels_and_masks_are_inputs_that_keep_their_type():
    recorded = record(loss, (W, X, LABELS, MASK), {}, symbolic=True)
    assert [leaf.dtype for leaf in recorded.inputs] == [float, float, int, bool]
    assert [len(leaf.nodes) for leaf in recorded.inputs] == [1] * 4
    assert recorded.tape.value(recorded.inputs[2].nodes[0]).dtype == int


def test_another_batch_has_other_labels():
    graph = graph_of(loss, W, X, LABELS, MASK)
    for labels, mask in ((LABELS, MASK), (OTHERS, ~MASK)):
        (found,) = recomputed(graph, 2 * W, X[::-1], labels, mask)
        np.testing.assert_allclose(found, loss(2 * W, X[::-1], labels, mask), rtol=1e-14)


@pytest.mark.parametrize(
    "f",
    [
        lambda n: n * 2,
        lambda n: n // 2 + n % 3,
        lambda n: -n,
        lambda n: n**2,
        lambda n: n / 2,
        lambda n: np.abs(n - 1),
        lambda n: np.sum(n, axis=0),
        lambda n: np.maximum(n, 1),
        lambda n: np.clip(n, 0, 1),
        lambda n: np.mean(n),
        lambda n: (n[:, None] == np.arange(3)).astype(float),
        lambda n: np.eye(3)[n],
        lambda n: np.cumsum(n),
        lambda n: np.where(n > 0, n, -1),
        lambda n: n.astype(np.float32),
        lambda n: np.take(W, n, axis=0),
        lambda n: np.concatenate([n, n]).reshape(2, -1).T,
    ],
)
def test_whole_numbers_stay_whole_where_numpy_has_them_so(f):
    graph = graph_of(f, LABELS)
    for labels in (LABELS, OTHERS):
        (found,) = recomputed(graph, labels)
        np.testing.assert_array_equal(found, f(labels))
        assert np.asarray(found).dtype == np.asarray(f(labels)).dtype


def test_numbers_of_python_are_any_numbers():
    recorded = record(lambda x: x * x, (3,), {}, symbolic=True)
    assert recorded.tape.value(recorded.inputs[0].nodes[0]) == 3.0
    assert recorded.inputs[0].dtype == float


def test_in_other_traces_integers_are_floats_and_booleans_plain():
    graph = ad.trace(lambda n, mask: np.sum(np.where(mask, n, 0.0)), LABELS, MASK)
    assert len(graph.inputs) == 1
    assert graph.values[0].dtype == float


def test_bits_are_refused_by_name():
    with pytest.raises(ad.MissingBlockError, match="bitwise_and"):
        graph_of(lambda n: np.bitwise_and(n, 1), LABELS)
