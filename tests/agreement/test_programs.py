"""Roads to one derivative: JAX, HIPS autograd, complex steps, both grains, the definition of the sweep, fast paths."""

import warnings
from functools import partial

import autograd
import autograd.numpy as anp
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.derivatives import fast_gradients, gradients
from adviz.engine.fast_reverse import applies
from adviz.engine.sweeps import ScalarSweeps, Sweeps
from adviz.engine.trace import record

from ..engine.derivatives import assert_close
from .programs import HOLOMORPHIC, ONE_OPERAND, OPERATIONS, SHAPES, Program, programs

GRAINS = ("array", "scalar")


pytestmark = pytest.mark.usefixtures("double_precision")


def value_and_gradients(program: Program, grain: str) -> tuple[float, tuple]:
    loss, places = partial(program.loss, np), range(len(program.shapes))
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        return ad.value_and_grad(loss, argnums=tuple(places), grain=grain)(*program.inputs())


def assert_same(found: tuple[float, tuple], expected: tuple[float, tuple], tolerance: float = 1e-10) -> None:
    assert_close(found[0], expected[0], tolerance)
    for one, other in zip(found[1], expected[1], strict=True):
        assert_close(one, other, tolerance)


def by_jax(program: Program) -> tuple[float, tuple]:
    loss, places = partial(program.loss, jnp), tuple(range(len(program.shapes)))
    return jax.value_and_grad(loss, argnums=places)(*map(jnp.asarray, program.inputs()))


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_operation_of_the_programs_alone(name, shape):
    count = 1 if name in ONE_OPERAND else 2
    program = Program((shape,) * count, ((name, tuple(range(count))),), (count,))
    expected = by_jax(program)
    assert_same(value_and_gradients(program, "array"), expected)
    assert_same(value_and_gradients(program, "scalar"), expected)


@pytest.mark.slow
@given(programs())
@settings(max_examples=40)
def test_gradients_of_random_programs_are_those_of_jax(program):
    assert_same(value_and_gradients(program, "array"), by_jax(program))


# It has no rule for hypot, and its rule for where does not sum over what was broadcast.
@given(programs(names=OPERATIONS.keys() - {"hypot", "where"}))
@settings(max_examples=60)
def test_gradients_of_random_programs_are_those_of_hips_autograd(program):
    places = tuple(range(len(program.shapes)))
    with warnings.catch_warnings(action="ignore"):  # it warns of results that do not depend on the input
        value, gradient = autograd.value_and_grad(partial(program.loss, anp), places)(*program.inputs())
    assert_same(value_and_gradients(program, "array"), (value, gradient))


@given(programs(names=HOLOMORPHIC))
@settings(max_examples=60)
def test_gradients_of_random_programs_are_complex_steps(program):
    """The derivative along one direction, without cancellation (Squire and Trapp 1998)."""
    inputs = program.inputs()
    rng = np.random.default_rng(1)
    direction = [rng.normal(size=np.shape(x)) for x in inputs]
    shifted = [np.asarray(x + 1e-30j * d) for x, d in zip(inputs, direction, strict=True)]
    _, gradient = value_and_gradients(program, "array")
    along = sum(np.sum(g * d) for g, d in zip(gradient, direction, strict=True))
    assert_close(along, np.imag(program.loss(np, *shifted)) / 1e-30, 1e-11)


@given(programs(size=20))
@settings(max_examples=100)
def test_both_grains_give_the_same(program):
    assert_same(value_and_gradients(program, "scalar"), value_and_gradients(program, "array"))


@pytest.mark.slow
@given(programs(shapes=[(), (3,)], size=4))
@settings(max_examples=10)
def test_jacobians_of_several_results_are_those_of_jax(program):
    places = tuple(range(len(program.shapes)))
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        found = ad.jacobian(partial(program, np), argnums=places)(*program.inputs())
    expected = jax.jacrev(partial(program, jnp), argnums=places)(*map(jnp.asarray, program.inputs()))
    for row, expected_row in zip(found, expected, strict=True):
        for one, other in zip(row, expected_row, strict=True):
            assert_close(one, other, 1e-10)


@given(programs(shapes=[()], size=40))
@settings(max_examples=100)
def test_the_fast_sweeps_over_numbers_agree_with_the_definition(program):
    graph = ad.trace(partial(program.loss, np), *program.inputs(), grain="scalar")
    assert ScalarSweeps.applies(graph)
    fast, slow = ScalarSweeps(graph), Sweeps(graph)
    seeds = dict.fromkeys(graph.outputs, 1.0)
    along = {node: float(k + 1) for k, node in enumerate(graph.inputs)}
    for found, expected, ends in (
        (fast.reverse(seeds), slow.reverse(seeds), graph.inputs),
        (fast.forward(along), slow.forward(along), graph.outputs),
    ):
        for node in ends:
            assert_close(found.get(node, 0.0), expected.get(node, 0.0), 1e-13)


@given(programs(size=20))
@settings(max_examples=150)
def test_the_quick_gradient_over_arrays_agrees_with_the_definition(program):
    inputs = tuple(program.inputs())
    given_inputs = [np.copy(x) for x in inputs]
    recorded = record(partial(program.loss, np), inputs, {}, "array")
    assert applies(recorded.tape) or all(shape == () for shape in program.shapes)
    quick, defined = fast_gradients(recorded), gradients(recorded)
    assert_same(quick, defined, 1e-12)
    assert_same((0.0, inputs), (0.0, given_inputs), 0.0)


@given(programs(size=12), st.sampled_from(["array", "scalar"]))
@settings(max_examples=60)
def test_forward_and_reverse_sweeps_are_transposes_of_each_other(program, grain):
    inputs = tuple(program.inputs())
    along = tuple(np.cos(np.arange(float(np.size(x))) + k).reshape(np.shape(x)) for k, x in enumerate(inputs))
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        _, pushed = ad.jvp(partial(program, np), inputs, along, grain=grain)
        values, pullback = ad.vjp(partial(program, np), *inputs, grain=grain)
    back = tuple(np.sin(np.arange(float(np.size(y))) + k).reshape(np.shape(y)) for k, y in enumerate(values))
    left = sum(np.sum(one * other) for one, other in zip(back, pushed, strict=True))
    right = sum(np.sum(one * other) for one, other in zip(pullback(back), along, strict=True))
    assert_close(left, right, 1e-10)


@pytest.mark.slow
@given(programs(shapes=[(), (3,)], size=5))
@settings(max_examples=15)
def test_hessians_of_random_programs_are_those_of_jax(program):
    places = tuple(range(len(program.shapes)))
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        found = [ad.hessian(partial(program.loss, np), places, grain=grain)(*program.inputs()) for grain in GRAINS]
    expected = jax.hessian(partial(program.loss, jnp), places)(*map(jnp.asarray, program.inputs()))
    for k in places:
        for j in places:
            assert_close(found[0][k][j], expected[k][j], 1e-9)
            assert_close(found[1][k][j], expected[k][j], 1e-9)


def test_an_input_returned_as_it_is_and_an_output_returned_twice():
    def f(x, z):
        y = x * z
        return x, y, y, y + 1, z

    for grain in ("array", "scalar"):
        rows = ad.jacobian(f, argnums=(0, 1), grain=grain)(2.0, 3.0)
        assert rows == ((1.0, 0.0), (3.0, 2.0), (3.0, 2.0), (3.0, 2.0), (0.0, 1.0))


def test_jacobians_nest_as_results_outside_and_arguments_inside():
    def f(parameters, x):
        return {"sum": parameters["a"] * x[0] + parameters["b"][0] * x[1], "rest": [x[0]]}

    arguments = {"a": 2.0, "b": [np.ones(2)]}, (3.0, 4.0)
    for grain in ("array", "scalar"):
        found = ad.jacobian(f, argnums=(0, 1), grain=grain)(*arguments)
        by_parameters, by_x = found["sum"]
        assert_close(by_parameters["a"], [3.0, 3.0])
        assert_close(by_parameters["b"][0], [[4.0, 0.0], [0.0, 4.0]])
        assert_close(by_x[0], [2.0, 2.0])
        assert_close(by_x[1], [1.0, 1.0])
        by_parameters, by_x = found["rest"][0]
        assert by_parameters["a"] == 0.0
        assert_close(by_parameters["b"][0], [0.0, 0.0])
        assert by_x == (1.0, 0.0)
