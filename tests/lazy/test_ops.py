"""Ops: what a node of the graph knows, the order of the graph, and what is found in it."""

import numpy as np
import pytest

from adviz import lazy
from adviz.lazy.ops import ordered

HERE = __file__


def test_arguments_are_ops_and_plain_values_become_constants():
    x = lazy.placeholder((), name="x")
    y = 3 + x * x
    three, square = y.args
    assert (three.kind, three.initial, three.is_constant) == ("constant", 3, True)
    assert square.args == (x, x)
    assert (x + np.ones(2)).args[1].shape == (2,)


def test_what_is_used_twice_is_computed_once():
    x = lazy.placeholder((3,), name="x")
    x1 = x + x
    y = x1 * x1 - x
    assert y.ordered_ops() == [x, x1, y.args[0], y]
    source = lazy.computation(y, x).source
    assert source.count("x + x") + source.count("2 * x") == 1


def test_initializers_fill_storage_once_and_order_nothing():
    constant, variable = lazy.constant(1.0), lazy.variable((), 2.0)
    bare, filled = lazy.placeholder(()), lazy.placeholder((), initial=3.0)
    (fill,) = constant.initializers
    assert (fill.kind, fill.args) == ("initialize", (constant,))
    for op in (variable, filled):
        (assignment,) = op.initializers
        assert (assignment.kind, assignment.args[0], assignment.args[1].initial) == ("assign", op, op.initial)
        assert not (op + 1).control_deps
    assert not bare.initializers
    assert not (variable + 1).initializers
    assert all(each.kind != "assign" for each in (variable + 1).ordered_ops())


@pytest.mark.parametrize(
    ("op", "flags"),
    [
        (lazy.constant(1.0), "is_constant is_persistent"),
        (lazy.placeholder(()), "is_input is_persistent is_assignable"),
        (lazy.variable(()), "is_trainable is_persistent is_assignable"),
        (lazy.persistent(()), "is_persistent is_assignable"),
        (lazy.constant(1.0) + 1, ""),
    ],
)
def test_kinds_of_storage_are_told_by_flags(op, flags):
    names = ("is_constant", "is_input", "is_trainable", "is_persistent", "is_assignable")
    assert [name for name in names if getattr(op, name)] == [name for name in names if name in flags.split()]


def test_ops_are_keys_and_comparisons_build_ops_but_equality_does_not():
    x, y = lazy.placeholder((2,)), lazy.placeholder((2,))
    assert {x: 1, y: 2}[x] == 1
    assert (x == y) is False
    assert (x != y) is True
    for op, what in ((x < y, "less"), (x > y, "greater"), (x <= y, "less_equal"), (x >= y, "greater_equal")):
        assert (op.what, op.dtype) == (what, np.dtype(bool))
    a, b = lazy.variable((), 1.0), lazy.variable((), 1.0)
    assert lazy.computation([a < b, a <= b, a > b, a >= b])() == (False, True, False, True)


def test_each_op_knows_the_expression_that_built_it():
    def helper(x):
        return np.tanh(x)

    x = lazy.placeholder((2,), name="x")
    parts = [3 * each for each in x]
    inside = helper(x)
    total = (
        np.sin(x)
        + parts[0]
    )  # fmt: skip
    assert [op.origin.text for op in (*parts, inside)] == ["3 * each", "3 * each", "np.tanh(x)"]
    assert (inside.filename, inside.lineno) == (HERE, helper.__code__.co_firstlineno + 1)
    assert inside.file_info == f'File "{HERE}", line {inside.lineno}'
    assert (total.args[0].origin.text, total.name, inside.name) == ("np.sin(x)", "total", "tanh")
    assert (total.origin.line, total.origin.end_line) == (total.args[0].lineno, total.args[0].lineno + 1)
    assert total.origin.column == total.args[0].origin.column


def test_of_an_expression_of_several_ops_only_the_value_has_the_name():
    x = lazy.placeholder((2, 3))
    spread = np.linalg.norm(x, axis=1)
    assert [op.name for op in spread.ordered_ops() if op.name == "spread"] == ["spread"]
    assert len(spread.ordered_ops()) > 2


def test_dependencies_are_those_of_control_and_the_arguments():
    w = lazy.variable((), 1.0)
    update = lazy.assign(w, 2.0)
    later = w * w
    assert later.all_deps == (update, w, w)


def test_an_op_is_called_as_it_was_named():
    w = lazy.variable((), 1.0)
    y = np.sin(w)
    assert (w.name, y.name, (y + 1).name) == ("w", "y", "add")
    y.name = "wave"
    assert repr(y) == "<Op wave: sin () float64>"


def test_initial_values_are_made_once():
    shapes = []

    def ones(shape):
        shapes.append(shape)
        return np.ones(shape)

    w = lazy.variable((2,), ones)
    first, second = lazy.computation(np.sum(w)), lazy.computation(w * 2)
    first(), first(), second()
    assert shapes == [(2,)]


# ---- order ----


def test_each_op_comes_once_after_what_it_depends_on_and_always_in_the_same_order():
    x = lazy.placeholder(())
    a, b = np.sin(x), np.cos(x)
    c = a * b
    d = c + a
    assert d.ordered_ops() == [x, a, b, c, d]
    assert ordered([c, d, a]) == [x, a, b, c, d]
    a.control_deps[b] = None
    assert d.ordered_ops() == [x, b, a, c, d]


def test_storage_and_views_wait_for_nothing():
    w = lazy.variable((2,), 1.0)
    part = w[0]
    update = lazy.assign(w, w * 2)
    last = lazy.sequential([update, part, w])
    assert (part.control_deps, w.control_deps) == ({}, {})
    np.testing.assert_array_equal(lazy.computation(last)(), [2.0, 2.0])


# ---- to find ops ----


def test_variables_come_in_the_order_in_which_they_were_built():
    x, y0 = lazy.placeholder((3,)), lazy.placeholder((2,))
    w, b = lazy.variable((2, 3), 1.0), lazy.variable((2,), 0.0)
    velocity = lazy.persistent((2,), 0.0)
    cost = np.sum((np.tanh(b + w @ x) - y0 + velocity) ** 2)
    assert cost.variables() == [w, b] == [op for op in cost.ordered_ops() if op.is_trainable]
    assert cost.variables(lambda op: op.ndim == 1) == [b]


def test_metadata_mark_what_is_built_meanwhile_and_select_it():
    with lazy.metadata(layer="first", stochastic="dropout"):
        a = lazy.variable((), 1.0) * 2
        with lazy.metadata(layer="second"):
            b = np.sin(a)
    c = b + 1
    assert (a.metadata, b.metadata, c.metadata) == (
        {"layer": "first", "stochastic": "dropout"},
        {"layer": "second", "stochastic": "dropout"},
        {},
    )
    assert c.select(layer="second") == [b]
    assert set(c.select(layer="first")) == {a, *a.args}
    assert c.variables(lambda op: op.metadata.get("stochastic") == "dropout") == [a.args[0]]


def test_derivatives_have_the_metadata_of_what_they_are_of():
    x = lazy.placeholder(())
    with lazy.metadata(layer="first"):
        y = np.sin(x)
    with lazy.metadata(phase="training"):
        gradient = lazy.deriv(y * 2, x)
    assert gradient.select(layer="first", phase="training")


def test_metadata_decorate_functions_and_methods():
    @lazy.metadata(layer="function")
    def function(x):
        return np.sin(x)

    class Layer:
        metadata = {"layer": "method"}  # noqa: RUF012

        @lazy.with_metadata
        def __call__(self, x, *, factor):
            """Scale."""
            return x * factor

    x = lazy.placeholder(())
    layer = Layer()
    assert function(x).metadata == function(x).metadata == {"layer": "function"}
    assert layer(x, factor=2.0).metadata == {"layer": "method"}
    assert Layer.__call__.__doc__ == "Scale."
    assert (x * 2).metadata == {}
    layer.metadata = "method"
    with pytest.raises(ValueError, match="Metadata of ops are a dictionary, and these are 'method'"):
        layer(x, factor=2.0)
