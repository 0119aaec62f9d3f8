"""From the traced world and back: ops of traced graphs, and graphs of op graphs in all that takes a graph."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz import lazy

from ..agreement.array_programs import ONE, array_programs
from ..agreement.programs import programs
from ..agreement.test_functions import CALLS


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
@pytest.mark.parametrize("name", ONE)
def test_each_operation_survives_the_way_into_ops(name):
    data = np.random.default_rng(7).normal(size=(3, 3))
    results, params = lazy.from_graph(ad.trace(ONE[name], data))
    gradient = lazy.deriv(np.sum(results[0] * results[0]), params[0])
    value, slope = lazy.computation([results[0], gradient], *params)(data)
    np.testing.assert_allclose(value, ONE[name](data), rtol=1e-12, atol=1e-12)
    expected = ad.grad(lambda x: np.sum(ONE[name](x) * ONE[name](x)))(data)
    np.testing.assert_allclose(slope, expected, rtol=1e-9, atol=1e-9)


def weighted_sum(text):
    """A call of NumPy's in one number, each entry with a weight of its own."""
    f = eval(f"lambda x: {text}", {"np": np})

    def loss(x):
        y = 1.0 * f(x)
        return np.sum(y * np.cos(np.arange(float(np.size(y)))).reshape(np.shape(y))) + 0 * x.ravel()[0]

    return loss


@given(st.sampled_from(sorted(CALLS)))
@settings(max_examples=60)
def test_numpys_functions_have_the_derivatives_of_the_engine(text):
    loss, x = weighted_sum(text), CALLS[text].x
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            slope = ad.grad(loss)(x)
        except (ad.AdvizError, TypeError):  # what has no derivative, or gives a tuple
            assume(False)
        (result,), (param,) = lazy.from_graph(ad.trace(loss, x))
        found = lazy.computation(lazy.deriv(result, param), param)(x)
        np.testing.assert_allclose(found, slope, 1e-9, 1e-9, err_msg=text)


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
@given(array_programs(), st.integers(0, 99))
def test_random_programs_on_arrays_agree(program, seed):
    inputs = program.inputs(seed)
    results, params = lazy.from_graph(ad.trace(program, *inputs))
    found = lazy.computation(list(results), *params)(*inputs)
    for one, other in zip(found, program(*inputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::adviz.IndependentOutputWarning")
@given(programs(shapes=[()]))
def test_random_programs_on_numbers_agree_in_the_scalar_grain(program):
    def f(*inputs):
        return program(np, *inputs)

    inputs = program.inputs()
    expected = [float(each) for each in f(*inputs)]
    assume(np.all(np.isfinite(expected)))
    results, params = lazy.from_graph(ad.trace(f, *inputs, grain="scalar"))
    np.testing.assert_allclose(lazy.computation(list(results), *params)(*inputs), expected, rtol=1e-12)


def test_names_and_places_of_the_traced_function_stay():
    def layer(x, w):
        h = np.tanh(x @ w)
        return {"hidden": h, "total": np.sum(h)}

    graph = ad.trace(layer, np.ones((2, 3)), np.ones((3, 2)))
    results, params = lazy.from_graph(graph)
    assert [op.name for op in params] == ["x", "w"]
    hidden, total = results
    assert (hidden.name, hidden.shape, total.args) == ("h", (2, 2), (hidden,))
    assert hidden.origin == graph[graph.outputs[0]].operands[0].origin
    assert hidden.filename == __file__


def test_ops_can_stand_for_inputs():
    w, x = lazy.variable((), 3.0), lazy.placeholder()
    graph = ad.trace(lambda x, w: (np.sin(x * w), x), 1.0, 2.0)
    results, params = lazy.from_graph(graph, x, w)
    assert (params, results[1], results[0].variables()) == ((x, w), x, [w])
    assert lazy.computation(results[0], x)(2.0) == pytest.approx(np.sin(6.0))


def test_inputs_that_do_not_fit_are_refused():
    graph = ad.trace(lambda x, w: x * w, 1.0, 2.0)
    with pytest.raises(ad.InputError, match="has 2 inputs, and got 1 ops"):
        lazy.from_graph(graph, lazy.placeholder())
    with pytest.raises(ad.InputError, match=r"w has the shape \(\), and v has \(2,\)"):
        lazy.from_graph(graph, lazy.placeholder(), lazy.placeholder((2,), name="v"))


# ---- and back ----


def of_numbers():
    x, w = lazy.placeholder(name="x"), lazy.variable((), 2.0, name="w")
    return lazy.computation(np.sin(w * x) + np.where(x > 0, x * w, w) * np.maximum(x, w), x), [0.5]


def of_arrays():
    x, w = lazy.placeholder((4, 3), name="x"), lazy.variable((3, 2), np.arange(6.0).reshape(3, 2) / 6, name="w")
    labels = lazy.placeholder((4,), int, name="labels")
    p = lazy.softmax(np.tanh(x @ w))
    loss = np.sum(lazy.cross_entropy(p, np.eye(2)[[0, 1, 1, 0]])) + np.sum(np.where(labels > 0, p[:, 0], 0.0))
    return lazy.computation(loss, x, labels), [np.random.default_rng(2).normal(size=(4, 3)), [0, 1, 2, 0]]


def with_storage():
    x, w = lazy.placeholder(name="x"), lazy.variable((3,), [1.0, 2.0, 3.0], name="w")
    w[0] = x * x
    w[1:] *= 2.0
    return lazy.computation(np.sum(np.sin(w)), x), [3.0]


def test_a_computation_is_a_function_as_any():
    computation, values = of_arrays()
    x, labels = values[0], np.array(values[1])
    (loss,) = computation.ops
    expected = lazy.computation(lazy.deriv(loss, computation.params[0]), *computation.params)(x, labels)
    np.testing.assert_allclose(ad.grad(computation)(x, labels), expected, rtol=1e-12)
    assert ad.trace(lazy.computation(loss * 2.0, *computation.params), x, labels).inputs == [0, 1]

    scalar, (point,) = of_numbers()
    graph = ad.trace(scalar, point)
    assert (graph.name(0), graph.title) == ("x", "computation")
    for shown in (ad.explore(scalar, point), ad.show_backward(scalar, point), ad.show_elimination(scalar, point)):
        assert shown.graph is not None
    slope = ad.grad(scalar)(point)
    assert ad.compile_jacobian(scalar, point)(np.array([point]))[1][0] == pytest.approx(slope)
    assert ad.compile_gradient(scalar, point, grain="array")(point).gradient == pytest.approx(slope)
    assert slope == pytest.approx(lazy.computation(lazy.deriv(scalar.ops[0], scalar.params[0]), *scalar.params)(point))


def test_with_traced_values_nothing_is_stored():
    computation, (x,) = with_storage()
    with pytest.raises(lazy.ComputationError, match="stores values in w, and is called with traced values"):
        ad.grad(computation)(x)
