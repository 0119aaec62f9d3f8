"""Derivatives as a user asks for them: gradients, Jacobians, tangents, second derivatives, one inside another."""

from collections import namedtuple

import numpy as np
import pytest

import adviz as ad

from .checks import GRAINS
from .derivatives import assert_close, central_gradients, central_jacobian

MODES = pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
Layer = namedtuple("Layer", "weights bias")
X = np.array([0.3, -0.5, 0.7])
LAYER = Layer(np.arange(6.0).reshape(2, 3) / 5, np.array([0.1, -0.2]))


def loss(layer, x):
    return np.sum(np.tanh(layer.weights @ x + layer.bias) ** 2)


def mixed(x):
    """A loss in which entries are moved, repeated, summed and multiplied."""
    y = np.sort(x) * x[[0, 0, 2]]
    return np.sum(np.exp(y[::-1] @ x) * np.concatenate([x[1:], y[:1]])) + np.max(x) ** 3 / x[1:].prod()


# ---- one direction ----


@GRAINS
def test_a_tangent_is_the_derivative_along_a_direction(grain):
    along = (Layer(np.cos(LAYER.weights), np.ones(2)), X**2)
    value, tangent = ad.jvp(loss, (LAYER, X), along, grain=grain)

    def line(t):
        return loss(Layer(LAYER.weights + t * along[0].weights, LAYER.bias + t), X + t * along[1])

    assert value == pytest.approx(loss(LAYER, X), rel=1e-14)
    assert_close(tangent, central_jacobian(line, 0.0))


@GRAINS
def test_a_pullback_has_the_structure_of_the_primals_and_can_be_called_again(grain):
    value, pullback = ad.vjp(loss, LAYER, X, grain=grain)
    layer, x = pullback(1.0)
    assert type(value) is float
    assert type(layer) is Layer
    expected = central_gradients(lambda w, b, x: loss(Layer(w, b), x), (*LAYER, X))
    for found, one in zip((*layer, x), expected, strict=True):
        assert_close(found, one)
    assert_close(pullback(-2.0)[1], -2 * x)


@GRAINS
def test_tangents_and_adjoints_of_structured_results(grain):
    def f(x, k=1.0):
        return {"twice": 2 * x, "rest": [x[0] * k, 5.0]}

    with pytest.warns(ad.IndependentOutputWarning, match=r"result\['rest'\]\[1\]"):
        value, tangent = ad.jvp(f, (X,), (np.ones(3),), grain=grain, k=3.0)
    assert_close(value["twice"], 2 * X)
    assert_close(tangent["twice"], [2, 2, 2])
    assert value["rest"] == [X[0] * 3, 5.0]
    assert tangent["rest"] == [3.0, 0.0]
    with pytest.warns(ad.IndependentOutputWarning):
        _, pullback = ad.vjp(f, X, grain=grain)
    (adjoint,) = pullback({"rest": (1.0, 7.0), "twice": np.array([0.0, 1.0, 2.0])})
    assert_close(adjoint, [1, 2, 4])


@GRAINS
def test_values_and_derivatives_are_arrays_of_their_own(grain):
    x = X.copy()
    value, pullback = ad.vjp(lambda x: (x, x + 0.0), x, grain=grain)
    adjoint = (np.ones(3), np.zeros(3))
    (found,) = pullback(adjoint)
    for array in (*value, found):
        array[:] = 7.0
    assert x.tolist() == X.tolist()
    assert_close(pullback(adjoint)[0], [1, 1, 1])
    assert_close(adjoint[0], [1, 1, 1])


# ---- matrices ----


@GRAINS
@MODES
def test_jacobians_are_the_same_in_every_mode(mode, grain):
    def f(layer, x):
        return np.sin(layer.weights @ x) * layer.bias, x[0] * layer.bias[1]

    found = ad.jacobian(f, (0, 1), mode=mode, grain=grain)(LAYER, X)
    for k in range(2):
        expected = central_gradients(lambda w, b, x, k=k: f(Layer(w, b), x)[k], (*LAYER, X))
        (layer, x) = found[k]
        for one, other in zip((*layer, x), expected, strict=True):
            assert_close(one, other)


@MODES
@GRAINS
def test_directions_that_do_not_go_at_once_go_in_turns(mode, grain, monkeypatch):
    def f(x, flag):
        return np.sin(x * x[0]), x[3] * 2.0, np.cumsum(x)[5:]

    x = np.linspace(-1, 1, 12)
    together = ad.jacobian(f, (0, 1), mode=mode, grain=grain)(x, True)
    size = sum(map(np.size, ad.trace(f, x, True, grain=grain).values))
    monkeypatch.setattr("adviz.engine.derivatives.CARRIED", 9 * size)
    in_turns = ad.jacobian(f, (0, 1), mode=mode, grain=grain)(x, True)
    monkeypatch.setattr("adviz.engine.derivatives.CARRIED", 0)
    one_by_one = ad.jacobian(f, (0, 1), mode=mode, grain=grain)(x, True)
    for k in range(3):
        expected = central_jacobian(lambda x, k=k: f(x, True)[k], x)
        for found in (together, in_turns, one_by_one):
            assert_close(found[k][0], expected)
            assert_close(found[k][1], np.zeros(expected.shape[:-1]))


@MODES
@GRAINS
def test_jacobians_of_and_by_nothing(mode, grain):
    assert ad.jacobian(lambda x: x * 2, mode=mode, grain=grain)(np.zeros(0)).shape == (0, 0)
    assert ad.jacobian(lambda x: x[:0], mode=mode, grain=grain)(np.ones(2)).shape == (0, 2)
    with pytest.warns(ad.IndependentOutputWarning):
        assert_close(ad.jacobian(lambda x: np.ones(2), mode=mode, grain=grain)(X), np.zeros((2, 3)))


@GRAINS
def test_single_precision_stays_single(grain):
    x = np.ones(2, np.float32)
    assert ad.grad(lambda x: np.sum(x * x), grain=grain)(x).dtype == np.float32
    assert type(ad.grad(lambda x: x * x, grain=grain)(np.float32(3.0))) is np.float32
    assert ad.jacobian(lambda x: x * x, grain=grain)(x).dtype == np.float32
    assert ad.grad(lambda x: np.sum(x * x), grain=grain)(np.ones(2, int)).dtype == np.float64


@GRAINS
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_rounding_to_another_precision_has_second_derivatives(kind, grain):
    x = np.array([0.75, 0.5])
    assert ad.hessian(lambda x: np.sum(x.astype(kind) ** 2), grain=grain)(x).tolist() == [[2.0, 0.0], [0.0, 2.0]]


# ---- second derivatives ----


@GRAINS
def test_a_hessian_of_structured_arguments_nests_twice(grain):
    def f(parameters, x):
        return parameters["a"] ** 2 * x[0] * parameters["b"][1]

    found = ad.hessian(f, (0, 1), grain=grain)({"a": 3.0, "b": np.array([2.0, 5.0])}, (7.0,))
    assert found[0]["a"][0]["a"] == 2 * 7 * 5
    assert_close(found[0]["a"][0]["b"], [0, 2 * 3 * 7])
    assert found[0]["a"][1] == (2 * 3 * 5,)
    assert_close(found[0]["b"][0]["b"], np.zeros((2, 2)))
    assert_close(found[1][0][0]["b"], [0, 9])


@GRAINS
def test_a_hessian_vector_product_is_that_of_the_hessian(grain):
    along = np.array([1.0, -2.0, 0.5])
    (product,) = ad.hvp(mixed, (X,), (along,), grain=grain)
    assert_close(product, ad.hessian(mixed)(X) @ along, 1e-10)
    layer, x = ad.hvp(loss, (LAYER, X), (Layer(np.zeros((2, 3)), np.zeros(2)), along), grain=grain)
    assert_close(x, central_jacobian(lambda t: ad.grad(loss, 1)(LAYER, X + t * along), 0.0))
    assert_close(layer.bias, central_jacobian(lambda t: ad.grad(loss)(LAYER, X + t * along).bias, 0.0))


@GRAINS
def test_second_derivatives_of_linear_functions_are_zero_without_a_warning(grain):
    assert_close(ad.hessian(lambda x: np.sum(3 * x), grain=grain)(X), np.zeros((3, 3)))
    assert ad.hvp(lambda x: 3 * x, (2.0,), (1.0,), grain=grain) == (0.0,)


@GRAINS
def test_derivatives_of_high_order(grain):
    f = np.sin
    for expected in (np.cos(0.4), -np.sin(0.4), -np.cos(0.4), np.sin(0.4)):
        f = ad.grad(f, grain=grain)
        assert f(0.4) == pytest.approx(expected, rel=1e-14)


# ---- one inside another ----


@pytest.mark.parametrize("inner", ["array", "scalar"])
@pytest.mark.parametrize("outer", ["array", "scalar"])
def test_any_grain_inside_any_grain(inner, outer):
    expected = central_jacobian(ad.grad(mixed), X)
    assert_close(ad.jacobian(ad.grad(mixed, grain=inner), mode="forward", grain=outer)(X), expected)
    assert_close(ad.jacobian(ad.grad(mixed, grain=inner), mode="reverse", grain=outer)(X), expected)


@GRAINS
def test_a_variable_of_an_outer_trace_is_a_constant_of_the_inner_one(grain):
    def by(f):
        return ad.grad(f, grain=grain)

    assert by(lambda x: x * by(lambda y: x * y)(3.0))(2.0) == 4.0
    assert by(lambda x: x * by(lambda y: x + y)(1.0))(2.0) == 1.0  # where perturbations are confused: 2
    assert by(lambda x: by(lambda y: by(lambda z: x * y * z)(y) * x)(x))(3.0) == 6.0


@GRAINS
def test_every_derivative_inside_a_traced_function(grain):
    def f(x):
        value, tangent = ad.jvp(np.sin, (x,), (x * x,), grain=grain)
        _, pullback = ad.vjp(lambda x: x**3, x, grain=grain)
        (along,) = ad.hvp(lambda x: np.sum(x**4), (x,), (np.ones(3),), grain=grain)
        matrix = ad.jacobian(lambda x: x * x[0], grain=grain)(x)
        return np.sum(value + tangent + pullback(x)[0] + along + matrix @ x)

    def by_hand(x):
        return np.sum(np.sin(x) + np.cos(x) * x * x + 3 * x**3 + 12 * x**2 + 2 * x[0] * x)

    assert_close(f(X), by_hand(X), 1e-12)
    assert_close(ad.grad(f, grain=grain)(X), central_jacobian(by_hand, X))


def test_the_graph_of_a_gradient_can_be_traced():
    graph = ad.trace(ad.grad(lambda x, y: np.sin(x) * y, (0, 1)), 2.0, 3.0)
    assert graph.title == "grad of <lambda>"
    assert [graph.names[node] for node in graph.inputs] == ["x", "y"]
    assert [graph.values[node] for node in graph.outputs] == [3 * np.cos(2.0), np.sin(2.0)]
    assert graph.block_counts()["cos"] == 1


def test_the_graph_of_a_hessian_has_the_lines_of_the_function():
    def f(x):
        return np.exp(x) * x

    graph = ad.trace(ad.grad(ad.grad(f)), 2.0)
    places = {str(node.origin) for node in graph if node.block.name == "exp"}
    assert len(places) == 1
    assert f"{__file__}:{f.__code__.co_firstlineno + 1}" in places.pop()


def test_a_view_of_what_an_outer_trace_goes_through_is_followed_too():
    def inner(y):
        view = y[1:]
        y *= y
        return np.sum(view * y[0])

    expected = central_jacobian(lambda x: ad.grad(inner)(x), X)
    assert_close(ad.jacobian(ad.grad(inner))(X), expected, 1e-5)


@GRAINS
def test_control_flow_on_what_two_traces_go_through(grain):
    def f(x):
        return x * x if x > 1 else -x

    assert ad.grad(ad.grad(f, grain=grain), grain=grain)(3.0) == 2.0
    with pytest.warns(ad.IndependentOutputWarning, match="grad of f"):
        assert ad.grad(ad.grad(f, grain=grain), grain=grain)(0.5) == 0.0


@GRAINS
def test_what_survives_an_inner_trace_stays_traced_for_the_outer_one(grain):
    kept = []

    def inner(y):
        kept.append(y)
        return y * y

    def f(x):
        return x * ad.grad(inner, grain=grain)(x) * kept[-1]

    assert_close(ad.grad(f, grain=grain)(2.0), 24.0)  # of 2 x³
    assert kept == [2.0]
    with pytest.warns(ad.IndependentOutputWarning):
        assert ad.grad(lambda x: kept[0], grain=grain)(2.0) == 0.0


@GRAINS
def test_a_view_that_survives_an_inner_trace_sees_what_the_outer_one_writes(grain):
    kept = []

    def inner(y):
        z = 2 * y
        kept.extend((z, z[1:]))
        return np.sum(y)

    def f(x):
        ad.grad(inner, grain=grain)(x)
        z, view = kept
        kept.clear()
        z[1] = 5 * x[0]
        return np.sum(view * view)

    assert_close(ad.grad(f, grain=grain)(np.array([1.0, 2.0])), [50.0, 0.0])


def test_forward_mode_goes_through_a_gradient():
    x = ad.Variable([1.0, 2.0])
    assert_close(ad.grad(lambda y: np.sum(y**3))(x).compute_gradients(), np.diag([6.0, 12.0]))


# ---- what does not fit ----

WRONG_TANGENTS = {
    "a number for an array": ((1.0, X), r"tangents\[0\] is a number; expected a Layer of 2"),
    "one array too few": (((LAYER.weights,), X), r"tangents\[0\] is a tuple of 1; expected a Layer of 2"),
    "another shape": (((LAYER.weights, X), X), r"tangents\[0\]\[1\] is an array of shape \(3,\).*of shape \(2,\)"),
    "nothing": ((None, X), r"tangents\[0\] is None; expected a Layer of 2"),
    "too many": ((LAYER, X, X), "tangents is a tuple of 3; expected a tuple of 2"),
    "a dict": (({"weights": 1, "bias": 2}, X), r"tangents\[0\] is a dict of 'weights', 'bias'; expected a Layer of 2"),
    "complex numbers": ((LAYER, X * 1j), r"tangents\[1\] is ndarray of dtype complex128, not real"),
    "no tuple": (X, "tangents is ndarray; expected a tuple"),
}


@pytest.mark.parametrize(("tangents", "message"), WRONG_TANGENTS.values(), ids=WRONG_TANGENTS)
@pytest.mark.parametrize("along", [ad.jvp, ad.hvp])
def test_tangents_that_do_not_fit_are_named(along, tangents, message):
    with pytest.raises(ad.InputError, match=message):
        along(loss, (LAYER, X), tangents)


@GRAINS
def test_the_value_of_a_list_of_numbers_can_be_its_adjoint(grain):
    values, pullback = ad.vjp(lambda x: [x * x, x], 3.0, grain=grain)
    assert values == [9.0, 3.0]
    assert pullback(values) == (57.0,)


def test_adjoints_that_do_not_fit_are_named():
    _, pullback = ad.vjp(lambda x: {"a": x, "b": 2 * x}, X)
    with pytest.raises(ad.InputError, match="adjoint is a dict of 'a'; expected a dict of 'a', 'b'"):
        pullback({"a": X})
    with pytest.raises(ad.InputError, match=r"adjoint\['b'\] is a number; expected an array of shape \(3,\)"):
        pullback({"a": X, "b": 1.0})
    assert_close(pullback({"a": X, "b": X})[0], 3 * X)


def test_primals_that_are_no_tuple():
    with pytest.raises(ad.InputError, match="primals is float; expected a tuple of arguments"):
        ad.jvp(np.sin, 2.0, 1.0)


@pytest.mark.parametrize("derivative", [ad.grad, ad.value_and_grad, ad.jacobian, ad.hessian])
def test_arguments_in_the_wrong_place_are_refused_at_once(derivative):
    name = derivative.__name__
    for argnums in (X, 2.0):
        with pytest.raises(TypeError, match=rf"argnums is .* write ad\.{name}\(f\)\(x\)"):
            derivative(loss, argnums)
    with pytest.raises(ad.InputError, match=rf"{name} needs a function, not float\. Write ad\.{name}\(f\)\(x\)"):
        derivative(2.0)


def test_a_mode_that_does_not_exist():
    with pytest.raises(ValueError, match="mode is 'backward'; it can be 'forward', 'reverse' or 'auto'"):
        ad.jacobian(loss, mode="backward")


def test_an_array_of_arrays_is_no_result():
    def f(x):
        found = np.empty(2, object)
        found[:] = [x[:2] * 2, x[:2]]
        return found

    with pytest.raises(ad.OutputError, match=r"result has an array of shape \(2,\) for an entry"):
        ad.jacobian(f)(X)


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_second_derivatives_by_empty_arrays_have_all_their_axes(grain):
    for shape in ((0,), (0, 3), (3, 0)):
        assert ad.hessian(lambda x: np.sum(np.sin(x)), grain=grain)(np.zeros(shape)).shape == shape * 2
