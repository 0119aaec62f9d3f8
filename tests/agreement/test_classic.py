"""Variables in forward and in reverse mode agree with NumPy and with ``ad.jacobian``, in programs and call by call.

A number is a vector of length 1 there, so NumPy and ``ad.jacobian`` run the same program with such vectors.
"""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad

from ..engine.derivatives import assert_close
from .programs import OPERATIONS, SHAPES, Program, programs
from .test_functions import CALLS

MODES = ("forward", "reverse")
OF_NUMBERS = {
    *(text for text in CALLS if text.startswith(("np.linspace(", "np.geomspace(", "np.logspace("))),
    "np.stack([x[0, 0], 1.0])",
    "np.polyint(x[0], 2, [x[1, 0], 3.0])",
    "np.roots([0.0, 2.0, x[0, 0]])",
    "np.roots([1.0, x[0, 1], -1.0, 0.0])",
    "np.pad(x, 1, constant_values=((x[0, 0], 0.0), (2.0, x[1, 1])))",
}
"""Calls that give another axis, or fail, where a number is a vector of length 1."""
NOT_ASKED = {"np.select([np.eye(3)[:2] > 0], [1.0], x[0])"}
"""Calls in which NumPy does not ask the Variable, as no trace is there to see to it; refused by name."""


@pytest.fixture(autouse=True)
def _forward_again():
    yield
    ad.set_mode("forward")


def in_mode(mode, f, inputs):
    """What a function gives for Variables defined together, as they are in the given mode."""
    ad.set_mode(mode)
    variables = ad.Variable.multi_variables(*map(np.ravel, inputs))
    shaped = (v if x.ndim < 2 else np.reshape(v, x.shape) for v, x in zip(variables, inputs, strict=True))
    return f(*shaped)


def gradients(variable):
    """By all inputs: a list of matrices."""
    found = variable.compute_gradients()
    return found if isinstance(found, list) else [found]


@given(programs(), st.sampled_from(MODES))
@settings(max_examples=150)
def test_random_programs_agree_with_numpy_and_with_jacobians(program, mode):
    inputs = [np.atleast_1d(x) for x in program.inputs()]

    def f(*inputs):
        return program(np, *inputs, kept=np.atleast_1d)

    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        jacobians = ad.jacobian(f, argnums=tuple(range(len(inputs))))(*inputs)
    found = in_mode(mode, lambda *inputs: program(np, *inputs), inputs)
    for output, value, rows in zip(found, f(*inputs), jacobians, strict=True):
        assert output.shape == value.shape
        assert_close(output.data, value, 1e-12)
        for matrix, jacobian, x in zip(gradients(output), rows, inputs, strict=True):
            assert_close(matrix, np.reshape(jacobian, (value.size, x.size)), 1e-10)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_of_the_programs_alone(name, shape, mode):
    count = OPERATIONS[name].__code__.co_argcount - 1
    program = Program((shape,) * count, ((name, tuple(range(count))),), (count,))
    inputs = [np.atleast_1d(x) for x in program.inputs()]
    (output,) = in_mode(mode, lambda *inputs: program(np, *inputs), inputs)
    value = np.atleast_1d(program(np, *inputs)[0])
    assert_close(output.data, value, 1e-14)
    assert output.shape == value.shape
    for k, (matrix, x) in enumerate(zip(gradients(output), inputs, strict=True)):
        with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
            jacobian = ad.jacobian(lambda *inputs: program(np, *inputs)[0], argnums=k)(*inputs)
        assert_close(matrix, np.reshape(jacobian, (value.size, x.size)), 1e-12)


@given(st.sampled_from(sorted(CALLS.keys() - OF_NUMBERS - NOT_ASKED)), st.sampled_from(MODES))
@settings(max_examples=150)
def test_numpys_functions_give_what_they_give_without_variables(text, mode):
    x = CALLS[text]
    f = eval(f"lambda x: {text}", {"np": np})
    with warnings.catch_warnings(action="ignore"):
        expected = f(x)
        output = in_mode(mode, f, [x])
        assume(isinstance(output, ad.Variable))
        jacobian = ad.jacobian(lambda x: f(x) + 0 * x.ravel()[0])(x)
    assert output.shape == (np.shape(expected) or (1,))
    assert_close(output.data, np.atleast_1d(expected), 1e-12, text)
    assert_close(output.compute_gradients(), np.reshape(jacobian, (output.size, x.size)), 1e-10, text)
