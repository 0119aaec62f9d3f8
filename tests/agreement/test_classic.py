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
from .function_table import FFT, LINALG, METHODS, NUMPY, SCIPY, X, as_function, calls
from .programs import programs

MODES = ("forward", "reverse")
EVERY = {
    call: (as_function(call), X) for table in (NUMPY, LINALG, FFT, SCIPY, METHODS) for call in calls(table).values()
}
"""Calls beside those of the catalogue, which has a test of its own."""
NOT_ASKED = {
    "np.fromiter((v for v in x[0]), float)",
    "scipy.optimize.brentq(lambda t: t**3 - x[0, 0], 0.0, 1.0)",
    "scipy.optimize.root(lambda t: t**3 - x[0], np.ones(3), tol=1e-10).x",
}
"""Calls in which C code of NumPy and SciPy does not ask the Variable, as no trace is there to see to it."""


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


@given(st.sampled_from(sorted(EVERY.keys() - NOT_ASKED)), st.sampled_from(MODES))
@settings(max_examples=150)
def test_functions_give_what_they_give_without_variables(text, mode):
    """Or they are refused by name."""
    f, x = EVERY[text]
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        expected = f(x.copy())
        try:
            output = in_mode(mode, f, [x])
        except ad.AdvizError:
            assume(False)
        assume(isinstance(output, ad.Variable))
        jacobian = ad.jacobian(lambda x: f(x) + 0 * x.ravel()[0])(x)
    assert output.shape == (np.shape(expected) or (1,))
    assert_close(output.data, np.atleast_1d(expected), 1e-12, text)
    assert_close(output.compute_gradients(), np.reshape(jacobian, (output.size, x.size)), 1e-10, text)


@pytest.mark.parametrize("mode", MODES)
def test_entries_one_by_one_are_refused_by_name_and_lists_of_them_are_made(mode):
    with pytest.raises(ad.ConversionError, match="plain array of Variables"):
        in_mode(mode, np.i0, [X[0]])
    rows = in_mode(mode, lambda x: x.tolist(), [X])
    assert [[float(v.data[0]) for v in row] for row in rows] == X.tolist()
