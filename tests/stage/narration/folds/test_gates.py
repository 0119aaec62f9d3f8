"""What an adjoint is multiplied by on its way through a fold, as it is written and in words."""

from types import SimpleNamespace

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.folds import gates
from adviz.stage.narration.folds.folded_graph import FoldedGraph, Place


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("⊙ [x > 0], Σ rows", "it where x > 0 and 0 elsewhere, summed over the rows"),
        ("⊙ (1 − h²), at [:, 2:4]", "it times (1 − h²) entry by entry, put back at [:, 2:4] among zeros"),
        ("Σ axis 1, reshape", "it, summed over the axis 1, put back into its shape"),
        ("· (−wᵀ)", "it times wᵀ, with the opposite sign"),
        ("∂f/∂x", "it times ∂f/∂x"),
    ],
)
def test_what_is_done_at_a_gate_is_told_in_words(gate, words):
    assert gates.worded(gate, "it") == words


def test_a_factor_at_the_right_has_its_sign_within_brackets():
    assert gates.composed(["−1", "· wᵀ"]) == "· (−wᵀ)"
    assert gates.composed(["−1", "xᵀ ·"]) == "−xᵀ ·"


def test_a_gate_with_a_sum_over_all_and_factors_behind_it_says_all_of_that():
    def noisy(K, s):
        K = K + np.exp(2 * s) * np.eye(3)
        L = np.linalg.cholesky(K)
        return np.sum(np.log(np.diag(L))) + np.sum(L * L) + np.sum(K)

    told = lines(noisy, np.eye(3) * 2, 0.1)
    assert "⊙ eye(3), Σ, · exp(2·s), · 2" in [edge["gate"].get("written") for edge in told["edges"]]


def test_paths_through_very_many_operations_are_found():
    def iterated(x):
        for _ in range(2000):
            x = np.sin(x) + x
        return x

    graph = ad.trace(iterated, 0.5)
    inside = [node for node in range(len(graph)) if node not in (*graph.inputs, *graph.outputs)]
    (fold,) = FoldedGraph(graph, [(Place("the loop", "loop", "", (0, 0)), inside)]).folds.values()
    first, second = gates.paths(fold, 0)[:2]
    assert (len(first), len(second)) == (4000, 3999)
    assert first[:2] == [(inside[-1], 0), (inside[-2], 0)]


def lines(f, *arguments, **settings):
    (flow,) = [
        panel for panel in ad.show_backward(f, *arguments, **settings).scene["panels"] if panel["kind"] == "flow"
    ]
    return flow["lines"]


def test_a_line_has_no_gate_that_is_only_told_in_part():
    def loss(W, X, y):
        scores = X @ W
        scores = scores - np.max(scores, axis=1, keepdims=True)
        probs = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
        picked = np.sum(-np.log(probs[np.arange(5) * 1 + 0 * len(scores), y])) / 5
        return picked + 0.1 * np.sum(W * W)

    arguments = np.eye(3, 4), np.arange(15.0).reshape(5, 3) / 9
    told = lines(loss, *arguments, y=np.array([0, 2, 1, 3, 2]))
    symbols = [edge["gate"]["symbol"] for edge in told["edges"]]
    assert "J 1×20" in symbols
    assert not any("Jᵀ" in symbol or "…" in symbol for symbol in symbols)


def test_between_numbers_a_gate_has_no_sums_over_arrays():
    def ridge(w, Phi, t, lam):
        return 0.5 * np.sum((t - Phi @ w) ** 2) + 0.5 * lam * w @ w

    told = lines(ridge, np.ones(3), np.eye(5, 3), np.ones(5), 0.1)
    assert "∂/∂lam" in [edge["gate"]["symbol"] for edge in told["edges"]]


def test_a_path_inside_of_a_fold_may_be_longer_than_the_stack_of_python_is_deep():
    last = 3000
    chain = SimpleNamespace(edges={k: [(k - 1, None)] for k in range(1, last + 1)}, dependent={0: set(range(1, last))})
    assert [len(path) for path in gates.paths_to(0, chain, last)] == [last]
