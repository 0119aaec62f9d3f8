"""Schemas: which ops are one function, and whose derivative is taken."""

import numpy as np
import pytest

from adviz import lazy
from adviz.lazy.contexts import within


def test_a_composite_knows_its_parts_and_they_know_it():
    x, t = lazy.placeholder((3,)), lazy.placeholder((3,))
    scores = 2 * x
    p = lazy.softmax(scores)
    loss = lazy.cross_entropy(p, t)
    softmax, entropy = p.schemas[0], loss.schemas[0]
    assert (softmax.name, entropy.name) == ("softmax", "cross entropy")
    assert (softmax.args, entropy.args) == ((scores,), (scores, t))
    assert {op.part_of for op in loss.ordered_ops()} == {None, softmax, entropy}
    for schema, end in ((softmax, p), (entropy, loss)):
        assert schema.ops == [op for op in end.ordered_ops() if op.part_of is schema]
        assert schema.ops[-1] is end
        assert [op.own_name for op in schema.ops if op.own_name] == [end.own_name]
    assert x.part_of is None
    assert (3 * x).part_of is None


def test_the_newest_schema_of_a_kind_is_found():
    y = lazy.sigmoid(lazy.placeholder(()))
    first = y.find_schema(lazy.Sigmoid)
    assert y.schemas == [first]
    assert y.find_schema(lazy.Softmax) is None
    y.add_schema(lazy.Sigmoid(first.args))
    assert y.schemas[1] is first
    assert y.find_schema(lazy.Sigmoid) is y.schemas[0]


class Rounded(lazy.Schema):
    """A step whose derivative is taken to be that of a straight line."""

    def contributions(self, y, adjoint):
        yield lambda: adjoint


def test_a_schema_of_ones_own_has_the_derivative_that_it_says():
    x = lazy.placeholder((2,))
    y = np.floor(x + 0.5)
    y.add_schema(Rounded([x]))
    gradient = lazy.deriv(np.sum(y * y), x)
    np.testing.assert_array_equal(lazy.computation(gradient, x)([1.2, 1.6]), [2.0, 4.0])


def test_what_takes_a_part_of_a_composite_gets_its_adjoint_from_there():
    x = lazy.placeholder((2,))
    p = lazy.softmax(x)
    inside = next(op for op in p.schemas[0].ops if op.what == "exp")
    loss = p[0] + np.sum(inside)
    found = lazy.computation(lazy.deriv(loss, x), x)([0.3, 0.3])
    np.testing.assert_allclose(found, [0.25 + 0.0, -0.25 + 0.0], atol=1e-12)


def test_derivatives_of_composites_belong_to_their_line_and_their_metadata():
    x, error = lazy.placeholder((2,)), lazy.placeholder((2,))
    with lazy.metadata(layer="last"):
        p = lazy.softmax(x)
    gradient = lazy.deriv(p, x, error)
    assert all(op.derived_from is None for op in p.ordered_ops())
    built = [op for op in gradient.ordered_ops() if op.derived_from is p]
    assert {op.what for op in built} >= {"multiply", "sum", "subtract"}
    for op in built:
        assert op.lineno == p.lineno
        assert op.metadata == {"layer": "last"}
        assert op.part_of is None


def test_a_composite_within_a_composite_is_a_part_of_it():
    x = lazy.placeholder((2,))
    outer = Rounded([x])
    with within(outer):
        p = lazy.softmax(x)
    assert p.schemas[0].part_of is outer


def test_without_a_rule_it_says_so():
    x = lazy.placeholder(())
    y = x * 1.0
    y.add_schema(lazy.Schema([x]))
    with pytest.raises(NotImplementedError):
        lazy.deriv(y, x)


@pytest.mark.parametrize("shape", [(), (2, 2)])
def test_a_contribution_of_another_shape_is_refused(shape):
    class Doubled(lazy.Schema):
        def contributions(self, y, adjoint):
            return [lambda: lazy.constant(np.ones(shape))]

    x = lazy.placeholder((2,))
    y = x * 2.0
    y.add_schema(Doubled([x]))
    with pytest.raises(lazy.OpError, match=r"doubled gives x, of shape \(2,\), a contribution of shape"):
        lazy.deriv(np.sum(y), x)
