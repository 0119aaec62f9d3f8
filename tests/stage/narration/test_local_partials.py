"""Local partials in words: every label is computed with, every Block has all words, and numbers change sentences."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.local_partials import LONGEST_SYMBOL, LocalPartials

from ...primitives import cube
from .. import rules_page

ROOT = Path(__file__).parents[3]
ENTRIES = [entry for found in rules_page.entries().values() for entry in found]
IDS = [f"{entry.block.name} {entry.text}" for entry in ENTRIES]
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=IDS)


def named(graph, **texts):
    """Names of nodes: of inputs, of nodes that have a name, and of others by their Block."""
    return lambda node: graph.name(node) or texts.get(graph.blocks[node].name, f"v{node}")


def at(f, *operands, **texts):
    """The symbols and the rule of the last node before the output."""
    graph = ad.trace(f, *operands)
    node = graph.operand_nodes(graph.outputs[0])[0]
    names = named(graph, **texts)
    local = LocalPartials(graph, names)
    return [local.symbol(node, k) for k in range(len(graph.operand_nodes(node)))], local.rule(node)


# ---- every Block ----


@pytest.mark.slow
def test_every_block_of_the_tables_is_on_the_page():
    """In a process of its own: other tests add Blocks to the tables."""
    code = "from tests.stage import rules_page; print(len(rules_page.BLOCKS), sorted(rules_page.missing()))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    count, _, missing = told.strip().partition(" ")
    assert int(count) > 200
    assert missing == "[]"


@every_entry
def test_every_block_has_symbols_a_rule_and_mistakes(entry):
    assert all(0 < len(text) <= LONGEST_SYMBOL for text in entry.symbols())
    sentence = entry.rule()
    assert re.search(r"[^.]\.$", sentence)
    told = [sentence, *entry.symbols(), *(part for wrong in entry.mistakes() for pair in wrong for part in pair)]
    for text in told:
        assert " ".join(text.split()) == text
        assert not set("{}\0\1") & set(text)
        assert not re.search(r"\[\w+:(?!\d)[^\]]*[a-z]{3}", text)  # no mark of a template is left
        assert all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "⌊⌋"))
    for right, wrong in zip(entry.symbols(), entry.mistakes(), strict=True):
        assert right not in dict(wrong)
        assert all(why.endswith(".") for _, why in wrong)
        assert wrong or entry.block.family == "output"


def test_a_partial_that_is_too_long_is_written_as_a_quotient_of_differentials_with_its_sum():
    graph = ad.trace(lambda numerator, total: np.sum(numerator / total), np.ones((3, 4)), np.ones((3, 1)))
    names = ["a_long_numerator", "sum(a_long_numerator)", "shares_of_each_row", "f"].__getitem__
    assert LocalPartials(graph, names).symbol(2, 1) == "⊙ ∂shares_…/∂sum(a_l…), Σ columns"


# ---- labels of arrays are computed with ----

LINEAR = [
    (r"^(−?)Σ rows$", r"\1c.sum(axis=0)"),
    (r"^(−?)Σ columns$", r"\1c.sum(axis=1, keepdims=True)"),
    (r"^(−?)Σ$", r"\1c.sum()"),
    (r"^(.*), Σ rows$", r"summed(\1, 0)"),
    (r"^(.*), Σ columns$", r"summed(\1, 1)"),
    (r"^(.*), Σ$", r"summed(\1, None)"),
    (r"^(−?)1$", r"\1c"),
    (r"^0$", "0 * c"),
    (r"^broadcast / (\d+)$", r"spread(c) / \1"),
    (r"^broadcast$", "spread(c)"),
    (r"^ᵀ$", "c.T"),
    (r"^reshape$", "c.reshape(x.shape)"),
    (r"^flip$", "np.flip(c)"),
    (r"^roll back$", "np.roll(c, -1)"),
    (r"^Σ copies$", "copies(c)"),
    (r"^cumsum from the end$", "np.cumsum(c[::-1])[::-1]"),
    (r"^cumsum from the end \(… ⊙ (.*)\) / (\w+)$", r"np.cumsum((c * value)[::-1])[::-1] / \2"),
    (r"^at \[(.*)\]$", r"placed(c, np.s_[\1])"),
    (r"^0 at \[(.*)\]$", r"cleared(c, np.s_[\1])"),
    (r"^its part \[(.*)\]$", r"c[np.s_[\1]]"),
    (r"^on the diagonal$", "np.diag(c)"),
    (r"^its diagonal$", "np.diag(c)"),
    (r"^without margins$", "c[1:-1]"),
    (r"^part (\d)$", r"np.split(c.ravel(), 2)[\1 - 1]"),
    (r"^⋆ (\w)$", r"np.correlate(c, \1, 'valid')"),
    (r"^einsum (\w+),(\w+) → (\w+)$", r"np.einsum('\1,\2->\3', c, other)"),
    (r"^⊙ Π others$", "c * value / x"),
    (r"^⊙ \[(\w) = (max|min)\]$", r"c * (\1 == \1.\2())"),
    (r"^⊙ softmax\((\w)\)$", r"c * np.exp(\1) / np.exp(\1).sum()"),
    (r"^V diag\(…\) Vᵀ$", "vectors(x) @ np.diag(c) @ vectors(x).T"),
    (r"^−(\w)⁻ᵀ · \(…\) · (\w)⁻ᵀ$", r"-np.linalg.inv(\1).T @ c @ np.linalg.inv(\2).T"),
    (r"^−(\w)⁻ᵀ · \(…\) · (\w)ᵀ$", r"-np.linalg.inv(\1).T @ c @ value.T"),
    (r"^(\w)⁻ᵀ ·$", r"np.linalg.inv(\1).T @ c"),
    (r"^· det\((\w)\)·(\w)⁻ᵀ$", r"c * np.linalg.det(\1) * np.linalg.inv(\1).T"),
    (r"^· (\w)⁻ᵀ$", r"c * np.linalg.inv(\1).T"),
    (r"^· (\w)ᵀ$", r"right(c, \1)"),
    (r"^(\w)ᵀ ·$", r"left(\1, c)"),
    (r"^([⊙·]) (.*)$", r"c * (\2)"),
]
"""How an adjoint is passed on, as Python; ``c`` is the adjoint, ``x`` the operand. Applied from outside inwards."""
SCALAR = [
    (r"\[not\((.*)\)\]", r"~(\1)"),
    (r"\[(.*)\]", r"(\1)"),
    (r"(?<![\w.])(tanh|cos|exp|ln|sign)(?= ?[\w(])", r"np.\1"),
    (r"np\.(\w+) (\w+)", r"np.\1(\2)"),
    ("np.ln", "np.log"),
    ("³", "**3"),
    ("²", "**2"),
    (r"\^", "**"),
    ("·", "*"),
    ("−", "-"),
]
"""A formula of a partial as Python."""


def evaluated(label: str, operands: dict[str, np.ndarray], x, value, c, other):
    """What a label says that an operand receives; ``None`` if it is no label of these kinds."""
    for pattern, code in LINEAR:
        if not (found := re.match(pattern, label)):
            continue
        inner = found.expand(code) if not code.startswith(("summed", "c * (\\2)")) else ""
        names = {
            "np": np,
            "c": c,
            "x": x,
            "value": value,
            "other": other,
            "spread": lambda c: np.zeros_like(x) + (c[:, None] if np.shape(c) == x.shape[:1] and x.ndim == 2 else c),
            "copies": lambda c: c.reshape(-1, 2).sum(1) if value[0] == value[1] else c.reshape(2, -1).sum(0),
            "placed": placed(x),
            "cleared": cleared,
            "vectors": lambda a: np.linalg.eigh(a)[1],
            "right": lambda c, w: np.outer(c, w) if w.ndim == 1 else c @ w.T,
            "left": lambda v, c: np.outer(v, c) if v.ndim == 1 else v.T @ c,
            **operands,
        }
        if code.startswith("summed"):
            whole = evaluated(found[1], operands, x, value, c, other)
            axis = {"0": 0, "1": 1}.get(code[-2])
            return whole.sum(axis=axis, keepdims=axis == 1)
        if not inner:
            inner = f"c * ({found[2]})"
            for written, python in SCALAR:
                inner = re.sub(written, python, inner)
        return eval(inner.replace("−", "-"), names)
    return None


def placed(x):
    def place(c, key):
        whole = np.zeros_like(x)
        np.add.at(whole, np.array(key) if isinstance(key, tuple) and all(type(k) is int for k in key) else key, c)
        return whole

    return place


def cleared(c, key):
    found = np.array(c)
    found[key] = 0
    return found


NOT_COMPUTED = {
    *(
        "einsum with others",
        "Fᴴ ·",
        "J",
        "L",
        "Z",
        "its places",
        "at its places",
        "at the indices",
        "0 at the indices",
        "its part",
        "Jᵀ",
        "U diag",
        "V⁻ᵀ diag",
    ),
    *("correlate with", "filter from the end"),
}
"""Labels that name a function or a factor that is not an operand, by their beginnings."""
ARRAYS = rules_page.entries()["Arrays"]


@pytest.mark.parametrize("entry", ARRAYS, ids=lambda entry: f"{entry.block.name} {entry.text}")
def test_the_label_of_an_array_is_how_its_adjoint_is_computed(entry):
    graph, node = entry.graph, entry.node
    value = graph.values[node]
    nodes = graph.operand_nodes(node)
    operands = {entry.names(operand): graph.values[operand] for operand in nodes}
    adjoint = np.random.default_rng(3).normal(size=np.shape(value))
    for k, (operand, jacobian) in enumerate(graph.local_jacobians(node)):
        label, expected = entry.symbols()[k], jacobian.vjp(adjoint)
        if any(re.match(rf"−?(Xᵀ · )?{re.escape(start)}", label) for start in NOT_COMPUTED):
            continue
        other = graph.values[nodes[1 - k]] if len(nodes) == 2 else None
        found = evaluated(label, operands, graph.values[operand], value, adjoint, other)
        assert found is not None, label
        if entry.block.name == "eigvalsh":  # one triangle of the matrix is read, and receives what is for both
            found, expected = found + found.T, expected + expected.T
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=label)


def test_most_labels_of_arrays_are_computed():
    labels = [label for entry in ARRAYS for label in entry.symbols()]
    left = [label for label in labels if any(label.lstrip("−").startswith(start) for start in NOT_COMPUTED)]
    assert len(left) < len(labels) / 3
    assert len(labels) > 80


# ---- names and brackets ----


def test_names_are_bracketed_where_they_need_it():
    assert at(lambda x, y: (x + y) * x, 1.0, 2.0, add="x + y")[0] == ["x", "x + y"]
    assert at(lambda x, y: np.cos(x * y), 1.0, 2.0, multiply="x·y")[0] == ["−sin(x·y)"]
    assert at(lambda x, y: (x + y) ** 3, 1.0, 2.0, add="x + y")[0] == ["3·(x + y)²"]
    assert at(lambda x, y: x / (x * y), 1.0, 2.0, multiply="x·y")[0] == ["1/(x·y)", "−x/(x·y)²"]
    assert at(lambda x, y: np.exp(x + y), 1.0, 2.0, exp="exp(x + y)")[0] == ["exp(x + y)"]
    assert at(lambda X, W: (X @ W) * 2.0, np.ones((2, 3)), np.ones((3, 1)))[0] == ["· 2"]


def test_a_power_with_a_number_for_exponent_is_worked_out():
    assert at(lambda x: x**2.0, 3.0)[0] == ["2·x"]
    assert at(lambda x: x**-1.0, 3.0)[0] == ["−x⁻²"]
    assert at(lambda x: x**0.5, 3.0)[0] == ["0.5·x^(−0.5)"]
    assert at(lambda x: 2.0**x, 3.0, power="2^x")[0] == ["2^x·ln 2"]


def test_long_names_are_shortened_with_their_brackets_closed():
    long = "np.sin(alpha * beta + gamma * delta)"
    (found,), told = at(lambda x: np.tanh(np.sin(x)), 1.0, sin=long, tanh="h")
    assert found == "1 − h²"
    assert "np.sin(alpha * beta…)" in told
    (found,), _ = at(lambda x: 1.0 / np.sin(x), 1.0, sin=long)
    assert len(found) <= LONGEST_SYMBOL
    assert found.count("(") == found.count(")")


def test_text_of_the_user_is_data():
    (found,), told = at(lambda x: np.cos(np.sin(x)), 1.0, sin="{a} [b: <b>]", cos="{y}")
    assert found == "−sin({a} [b: <b>])"
    assert "{a} [b: <b>]" in told


def test_a_constant_has_its_name_in_the_source():
    rate, data = 0.1, np.ones((4, 2))

    def f(w):
        return data @ w

    assert at(lambda x: x * rate, 2.0)[0] == ["rate"]
    assert at(lambda x: x * 0.25, 2.0)[0] == ["0.25"]
    assert at(f, np.ones((2, 1)))[0] == ["dataᵀ ·"]


# ---- sentences that depend on the numbers ----


@pytest.mark.parametrize(
    ("f", "operands", "told"),
    [
        (
            lambda x: np.maximum(x, 0.0),
            (2.0,),
            "Only the larger operand matters: x > 0, so x receives the whole adjoint.",
        ),
        (lambda x: np.maximum(x, 0.0), (-2.0,), "Only the larger operand matters: 0 > x, so x receives nothing."),
        (lambda x, y: np.maximum(x, y), (2.0, 2.0), "x and y are equal here, where the function has a kink"),
        (lambda x, y: np.minimum(x, y), (1.0, 2.0), "x < y, so x receives the whole adjoint and y receives nothing."),
        (lambda x, y: x * y, (0.0, 2.0), "x is 0 here, so y has no influence"),
        (lambda x, y: x * y, (0.0, 0.0), "Both factors are 0"),
        (lambda x: np.tanh(x), (4.0,), "close to ±1, so the unit is saturated"),
        (lambda x: np.abs(x), (-4.0,), "x is negative, so the absolute value reverses every change"),
        (lambda x: np.abs(x), (0.0,), "x is 0, where the absolute value has a kink"),
        (lambda x: x * x, (3.0,), "Both factors are x, so x is used twice: each use has the partial x, together 2·x."),
        (lambda x: x + x, (3.0,), "Both terms are x, so x is used twice"),
        (lambda x: x - x, (3.0,), "its two uses have the partials 1 and −1, and cancel"),
        (lambda x: np.where(x > 1, x, 2 * x), (3.0,), "The condition holds, so x receives the whole adjoint"),
        (lambda x: x - 3.0, (3.0,), "In a difference, the constant drops out"),
        (lambda x: 3.0 - x, (3.0,), "In a difference, what is subtracted counts with the opposite sign"),
    ],
)
def test_a_sentence_says_what_the_numbers_decide(f, operands, told):
    assert told in at(f, *operands)[1]


def test_a_saturated_tanh_is_not_claimed_where_it_is_not():
    assert "saturated" not in at(np.tanh, 0.3)[1]


# ---- Blocks of the user's own ----


class mix(ad.Block):
    def data_fn(self, x, y):
        return x.data * y.data

    def get_jacobians(self, x, y):
        return [np.diag(np.ravel(y.data)), np.diag(np.ravel(x.data))]


def test_a_block_of_ones_own_is_told_by_its_name():
    block = cube()
    assert at(lambda x: block(x), 2.0, cube="cube(x)") == (
        ["cube′(x)"],
        "The local partial of cube(x) with respect to x is cube′(x).",
    )
    assert at(lambda x: block(x), np.ones(3), cube="cube(x)") == (
        ["⊙ cube′(x)"],
        "The local partial of cube(x) with respect to x is cube′(x), entry by entry.",
    )


def test_a_block_of_several_operands_is_told_by_its_partials_or_jacobians():
    block = mix()
    assert at(lambda x, y: block(x, y), 2.0, 3.0, mix="m")[0] == ["∂mix/∂x", "∂mix/∂y"]
    symbols, told = at(lambda x, y: block(x, y), np.ones(3), np.ones(3), mix="m")
    assert symbols == ["Jᵀ 3×3", "Jᵀ 3×3"]
    assert told.startswith("The local partial of m with respect to x is its Jacobian, a 3×3 matrix.")


def test_a_ufunc_of_ones_own_is_told_by_its_formula(clean_table):
    ad.define(np.spacing, lambda y, x: 0.0, formulas=("0",))
    assert at(np.spacing, 2.0, spacing="s") == (["0"], "The local partial of s with respect to x is 0.")


# ---- mistakes ----


def diagnosed(f, *operands, place=0, **texts):
    graph = ad.trace(f, *operands)
    local = LocalPartials(graph, named(graph, **texts))
    return dict(local.mistakes(graph.operand_nodes(graph.outputs[0])[0], place))


def test_value_for_derivative_and_a_missing_factor_are_diagnosed():
    found = diagnosed(np.sin, 1.0, sin="sin(x)")
    assert found["sin(x)"] == "That is the value of sin(x); the factor on the edge is its derivative."
    assert found["1"].startswith("That passes the adjoint on unchanged")


def test_a_wrong_sign_is_diagnosed_from_what_the_value_does():
    found = diagnosed(lambda x: x**3, 2.0, power="x³")
    assert found["−3·x²"] == "The sign is wrong: as x grows, x³ rises, so it is positive here."


@every_entry
def test_a_wrong_factor_is_told_once(entry):
    for wrong in entry.mistakes():
        assert len(dict(wrong)) == len(wrong)


def test_an_index_is_written_as_in_the_source_where_it_is_made_of_arrays_and_as_a_shape_where_it_takes_all():
    def picked(p, y):
        return np.sum(p[np.arange(4), y]) + np.sum(p[:, None])

    graph = ad.trace(picked, np.ones((4, 3)), y=np.array([0, 2, 1, 0]))
    partials = LocalPartials(graph, ["p", "taken", "a", "other", "b", "f", "f"].__getitem__)
    assert [partials.symbol(node, 0) for node in (1, 3)] == ["at [arange(4), y]", "reshape"]
    assert (
        LocalPartials(ad.trace(lambda x: x[0], np.ones((2, 3))), ["x", "f", "f"].__getitem__).symbol(1, 0) == "at [0]"
    )
    assert (
        LocalPartials(ad.trace(lambda x: x[0], np.ones((1, 3))), ["x", "f", "f"].__getitem__).symbol(1, 0) == "reshape"
    )
    assert partials.rule(3) == "Only the arrangement changed, so the adjoint is put back into the shape 4×3 of p."
