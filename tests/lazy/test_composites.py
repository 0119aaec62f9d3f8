"""Composite ops: values, derivatives of any order, and numbers at which the parts alone would overflow."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy
from adviz.lazy.contexts import within

RNG = np.random.default_rng(11)
N, K = lazy.axis("batch", 2), lazy.axis("class", 3)
T = RNG.uniform(0.1, 1.0, (2, 3))
"""Weights whose sum is not 1."""


def log_softmax(x, axis=-1):
    most = np.max(x, axis=axis, keepdims=True)
    return x - most - np.log(np.sum(np.exp(x - most), axis=axis, keepdims=True))


def normalized(x, axis=-1):
    differences = x - np.mean(x, axis=axis, keepdims=True)
    return differences / np.sqrt(np.mean(differences**2, axis=axis, keepdims=True) + 1e-5)


CASES = {
    "softmax": (lambda x: lazy.softmax(x), lambda x: np.exp(log_softmax(x))),
    "softmax of columns": (lambda x: lazy.softmax(x, axis=0), lambda x: np.exp(log_softmax(x, 0))),
    "softmax of all": (lambda x: lazy.softmax(x, axis=None), lambda x: np.exp(log_softmax(x, None))),
    "log sum exp": (lambda x: lazy.log_sum_exp(x), lambda x: np.log(np.sum(np.exp(x)))),
    "log sum exp of rows": (lambda x: lazy.log_sum_exp(x, axis=1), lambda x: np.log(np.sum(np.exp(x), axis=1))),
    "log sum exp of both": (lambda x: lazy.log_sum_exp(x, axis=(0, 1)), lambda x: np.log(np.sum(np.exp(x)))),
    "sigmoid": (lambda x: lazy.sigmoid(x), lambda x: 1 / (1 + np.exp(-x))),
    "cross entropy": (lambda x: lazy.cross_entropy(lazy.softmax(x), T), lambda x: -np.sum(T * log_softmax(x), axis=-1)),
    "one weight for all": (
        lambda x: lazy.cross_entropy(lazy.softmax(x), T[0]),
        lambda x: -np.sum(T[0] * log_softmax(x), axis=-1),
    ),
    "along another axis": (
        lambda x: lazy.cross_entropy(lazy.softmax(x), T, axis=0),
        lambda x: -np.sum(T * log_softmax(x), axis=0),
    ),
    "of probabilities": (
        lambda x: lazy.cross_entropy(0.9 * lazy.softmax(x), T),
        lambda x: -np.sum(T * np.log(0.9 * np.exp(log_softmax(x))), axis=-1),
    ),
    "binary cross entropy": (
        lambda x: lazy.binary_cross_entropy(lazy.sigmoid(x), T),
        lambda x: T * np.log(1 + np.exp(-x)) + (1 - T) * np.log(1 + np.exp(x)),
    ),
    "binary, of probabilities": (
        lambda x: lazy.binary_cross_entropy(0.9 * lazy.sigmoid(x), T),
        lambda x: -T * np.log(0.9 / (1 + np.exp(-x))) - (1 - T) * np.log(1 - 0.9 / (1 + np.exp(-x))),
    ),
    "layer norm": (
        lambda x: lazy.layer_norm(x, scale=np.array([1.0, 2.0, 3.0]), offset=0.5),
        lambda x: normalized(x) * np.array([1.0, 2.0, 3.0]) + 0.5,
    ),
    "layer norm of columns": (lambda x: lazy.layer_norm(x, axis=0), lambda x: normalized(x, 0)),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_of_both_orders_are_those_of_the_definition(name):
    build, definition = CASES[name]
    x, data = lazy.placeholder((2, 3)), RNG.normal(size=(2, 3))
    y = build(x)
    weights = np.cos(np.arange(float(y.size))).reshape(y.shape)
    gradient = lazy.deriv(np.sum(weights * y), x)
    second = lazy.deriv(np.sum(np.sin(gradient)), x)
    found = lazy.computation([y, gradient, second], x)(data)

    def slope(x):
        return ad.grad(lambda x: np.sum(weights * definition(x)))(x)

    np.testing.assert_allclose(found[0], definition(data), rtol=1e-12)
    np.testing.assert_allclose(found[1], slope(data), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[2], ad.grad(lambda x: np.sum(np.sin(slope(x))))(data), rtol=1e-7, atol=1e-9)


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6), st.lists(st.floats(-2, 2), min_size=6, max_size=6))
def test_softmax_and_cross_entropy_for_any_weights(x, t):
    logits, weights = np.reshape(x, (2, 3)), np.reshape(t, (3, 2))
    scores, targets = lazy.placeholder((N, K)), lazy.placeholder((K, N))
    loss = np.sum(lazy.cross_entropy(lazy.softmax(scores, axis=K), targets))
    gradients = [lazy.deriv(loss, scores), lazy.deriv(loss, targets)]
    assert [each.axes for each in gradients] == [(N, K), (K, N)]
    value, for_scores, for_targets = lazy.computation([loss, *gradients], scores, targets)(logits, weights)
    p = scipy.special.softmax(logits, axis=1)
    np.testing.assert_allclose(value, -np.sum(weights.T * scipy.special.log_softmax(logits, axis=1)), atol=1e-12)
    np.testing.assert_allclose(for_scores, p * np.sum(weights, axis=0)[:, None] - weights.T, atol=1e-12)
    np.testing.assert_allclose(for_targets, -scipy.special.log_softmax(logits, axis=1).T, atol=1e-12)


def test_the_derivative_of_softmax_and_cross_entropy_divides_by_nothing():
    x, t = lazy.placeholder((3,), name="x"), lazy.placeholder((3,), name="t")
    p = lazy.softmax(x)
    loss = lazy.cross_entropy(p, t)
    assert "x_adj = p * np.sum(t) - t" in lazy.computation([loss, lazy.deriv(loss, x)], x, t).source


def test_one_sigmoid_and_binary_cross_entropy_is_the_difference():
    x, t = lazy.placeholder((3,), name="x"), lazy.placeholder((3,), name="t")
    p = lazy.sigmoid(x)
    loss = np.sum(lazy.binary_cross_entropy(p, t))
    assert "x_adj = p - t" in lazy.computation([loss, lazy.deriv(loss, x)], x, t).source


@pytest.mark.parametrize(
    ("build", "data", "value", "gradient"),
    [
        (lambda x: lazy.softmax(x)[0], [0.0, -2000.0], 1.0, [0.0, 0.0]),
        (lambda x: lazy.softmax(x)[1], [1e300, 0.0], 0.0, [0.0, 0.0]),
        (lambda x: lazy.cross_entropy(lazy.softmax(x), [0.0, 1.0]), [0.0, -2000.0], 2000.0, [1.0, -1.0]),
        (lambda x: lazy.cross_entropy(lazy.softmax(x) * 1.0, [0.0, 1.0]), [0.0, -2000.0], 50.0, [0.0, 0.0]),
        (lambda x: lazy.log_sum_exp(x), [1000.0, -1000.0], 1000.0, [1.0, 0.0]),
        (lambda x: np.sum(lazy.sigmoid(x)), [-1000.0, 1000.0], 1.0, [0.0, 0.0]),
        (lambda x: np.sum(lazy.binary_cross_entropy(lazy.sigmoid(x), [1.0, 0.0])), [-900.0, 900.0], 1800.0, [-1, 1]),
        (lambda x: np.sum(lazy.binary_cross_entropy(x, [1.0, 0.0])), [0.0, 1.0], 100.0, [0.0, 0.0]),
        (lambda x: np.sum(lazy.layer_norm(x)), [3.0, 3.0], 0.0, [0.0, 0.0]),
    ],
)
def test_what_vanishes_or_is_large_stays_a_number(build, data, value, gradient):
    x = lazy.placeholder((2,))
    y = build(x)
    found, slope = lazy.computation([y, lazy.deriv(y, x)], x)(data)
    assert found == pytest.approx(value)
    np.testing.assert_allclose(slope, gradient, atol=1e-12)


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((1, 3), (2, 3)), ((2, 3), ())])
@pytest.mark.parametrize("binary", [True, False])
def test_what_is_repeated_gets_the_sum_of_its_adjoints(shapes, binary):
    def definition(x, t):
        if binary:
            return np.sum(np.logaddexp(0, x) - x * t)
        return -np.sum(log_softmax(x) * t * np.array([[1.0], [2.0]]))

    x, t = map(lazy.placeholder, shapes)
    if binary:
        loss = np.sum(lazy.binary_cross_entropy(lazy.sigmoid(x), t))
    else:
        loss = np.sum(lazy.cross_entropy(lazy.softmax(x), t) * np.array([1.0, 2.0]))
    data = [RNG.normal(size=shape) for shape in shapes]
    found = lazy.computation([loss, lazy.deriv(loss, x), lazy.deriv(loss, t)], x, t)(*data)
    np.testing.assert_allclose(found[0], definition(*data))
    for one, other in zip(found[1:], ad.grad(definition, (0, 1))(*data), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("axes", [(2, 3), (N, K)])
def test_the_precision_of_the_data_stays(axes):
    x, t = lazy.placeholder(axes, np.float32), lazy.placeholder(axes[:1] if axes == (N, K) else (), np.float32)
    p = lazy.softmax(lazy.layer_norm(x))
    loss = np.sum(lazy.cross_entropy(p, t)) + np.sum(lazy.binary_cross_entropy(lazy.sigmoid(x), 1.0))
    loss = loss + np.sum(lazy.log_sum_exp(x, axis=1)) + np.sum(lazy.cross_entropy(p * 1, t))
    assert {op.dtype for op in lazy.deriv(loss, x).ordered_ops() if op.ndim} == {np.dtype(np.float32)}


def test_more_weights_than_classes_are_refused():
    with pytest.raises(lazy.OpError, match=r"weights have the shape \(2, 3\), and the softmax has \(2, 1\)"):
        lazy.cross_entropy(lazy.softmax(lazy.placeholder((2, 1))), np.ones((2, 3)))


def test_an_axis_that_is_not_there_is_named():
    with pytest.raises(lazy.OpError, match=r"x has the shape \(2, 3\), and no axis 2") as error:
        lazy.softmax(lazy.placeholder((2, 3), name="x"), axis=2)
    assert "test_composites.py" in str(error.value)


def test_axes_by_name_need_no_place():
    x = lazy.placeholder((N, K))
    scale = lazy.variable((K,), [1.0, 2.0, 3.0])
    assert lazy.layer_norm(x, axis=K, scale=scale).axes == (N, K)
    assert lazy.log_sum_exp(x, axis=N).axes == (K,)
    data = RNG.normal(size=(2, 3))
    loss = np.sum(lazy.log_sum_exp(x, axis=N) ** 2)
    found = lazy.computation(lazy.deriv(loss, x), x)(data)
    np.testing.assert_allclose(found, ad.grad(lambda x: np.sum(np.log(np.sum(np.exp(x), axis=0)) ** 2))(data))


# ---- schemas ----


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
