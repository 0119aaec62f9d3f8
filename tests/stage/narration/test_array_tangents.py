"""How array operations pass tangents on: what is written on a gate is what the local Jacobian does."""

import re

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.local_partials import JACOBIAN, LocalPartials

from ..rules_page import entries
from .test_local_partials import SCALAR

ARRAYS = entries()["Arrays"]
FORMS = [
    (r"(−?)1", r"\1spread(t)"),
    (r"0", "np.zeros(np.shape(value))"),
    (r"Σ / (\d+)", r"added(t) / \1"),
    (r"Σ", "added(t)"),
    (r"ᵀ|transpose", "t.T"),
    (r"reshape", "t.reshape(value.shape)"),
    (r"flip", "np.flip(t)"),
    (r"roll", "np.roll(t, 1)"),
    (r"\[(\d+, \d+)\]", r"t[[\1]]"),
    (r"\[(.*)\]", r"t[np.s_[\1]]"),
    (r"copies", "np.repeat(t, 2) if value[0] == value[1] else np.tile(t, 2)"),
    (r"0 at \[(.*)\]", r"cleared(t, np.s_[\1])"),
    (r"cumsum", "np.cumsum(t)"),
    (r"∗ (\w)", r"np.convolve(t, \1, 'full')"),
    (r"−(\w)⁻¹ · \(…\) · (\w)⁻¹", r"-inv(\1) @ t @ inv(\2)"),
    (r"−(\w)⁻¹ · \(…\) · (\w)", r"-inv(\1) @ t @ value"),
    (r"(\w)⁻¹ ·", r"inv(\1) @ t"),
    (r"(\w) ·", r"\1 @ t"),
    (r"⊙ Π others, Σ", "added(t * value / x)"),
    (r"⊙ \[(\w) = (max|min)\], Σ", r"added(t * (\1 == \1.\2()))"),
    (r"⊙ softmax\((\w)\), Σ", r"added(t * np.exp(\1) / np.exp(\1).sum())"),
]
"""How a tangent is multiplied, as Python; ``t`` is the tangent, ``x`` the operand."""
NOT_COMPUTED = (JACOBIAN, "as part", "F ·")


def cleared(t, key):
    found = np.array(t)
    found[key] = 0
    return found


def computed(label, operands, x, value, t):
    """What a label says that the value receives."""
    axes = [axes for axes in (None, 0, 1)[: 1 + np.ndim(x)] if np.shape(np.sum(x, axis=axes)) == np.shape(value)]
    names = {
        "np": np,
        "t": t,
        "x": x,
        "value": value,
        "inv": np.linalg.inv,
        "cleared": cleared,
        "spread": lambda t: np.broadcast_to(t, np.shape(value)),
        "added": lambda t: np.sum(t, axis=axes[-1]),
        **operands,
    }
    for pattern, code in FORMS:
        if found := re.fullmatch(pattern, label):
            return eval(found.expand(code).replace("−", "-"), names)
    sign, factor = label.split(" ", 1)
    assert sign in "⊙·", label
    if sign == "·" and factor in operands and np.ndim(operands[factor]) and np.ndim(t):
        return t @ operands[factor]
    for written, python in SCALAR:
        factor = re.sub(written, python, factor)
    return t * eval(factor.replace("−", "-"), names)


@pytest.mark.parametrize("entry", ARRAYS, ids=lambda entry: f"{entry.block.name} {entry.text}")
def test_the_label_of_an_array_in_forward_mode_is_how_its_tangent_is_computed(entry):
    graph, node = entry.graph, entry.node
    operands = {entry.names(operand): graph.values[operand] for operand in graph.operand_nodes(node)}
    for k, (operand, jacobian) in enumerate(graph.local_jacobians(node)):
        label = LocalPartials(graph, entry.names).symbol(node, k, forward=True)
        tangent = np.random.default_rng(3).normal(size=np.shape(graph.values[operand]))
        if label.startswith(NOT_COMPUTED):
            continue
        found = computed(label, operands, graph.values[operand], graph.values[node], tangent)
        np.testing.assert_allclose(found, jacobian.jvp(tangent), rtol=1e-9, atol=1e-12, err_msg=label)


def test_most_labels_are_computed():
    labels = [
        entry.local.symbol(entry.node, k, forward=True)
        for entry in ARRAYS
        for k in range(len(entry.graph.operand_nodes(entry.node)))
    ]
    assert sum(label.startswith(NOT_COMPUTED) for label in labels) < len(labels) / 2


@pytest.mark.parametrize("entry", ARRAYS, ids=lambda entry: f"{entry.block.name} {entry.text}")
def test_forward_mode_speaks_of_tangents(entry):
    told = entry.local.rule(entry.node, forward=True)
    assert told.endswith(".")
    assert "adjoint" not in told
    assert "receive" not in told


def test_a_product_of_matrices_is_told_without_a_transpose():
    graph = ad.trace(lambda W, x: W @ x, np.ones((2, 3)), np.ones(3))
    names = ["W", "x", "W @ x"].__getitem__
    assert [LocalPartials(graph, names).symbol(2, k, forward=True) for k in (0, 1)] == ["· x", "W ·"]
    told = LocalPartials(graph, names).rule(2, forward=True)
    assert told == "The product rule: the tangent of W is multiplied by x, and that of x by W, each in its place."


def test_tangents_of_stacks_and_of_kept_axes_are_told_as_those_of_single_matrices():
    stack = np.ones((4, 2, 3))
    graph = ad.trace(lambda x: np.max(stack @ x, axis=0, keepdims=True), np.ones((3, 2)))
    names = ["x", "y", "top"].__getitem__
    assert LocalPartials(graph, names).symbol(1, 0, forward=True) == "stack ·"
    assert LocalPartials(graph, names).symbol(2, 0, forward=True) == "⊙ [y = max], Σ"
