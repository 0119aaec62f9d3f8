"""Each call of the catalogue through everything that adviz does with it: all ways agree."""

import contextlib
import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions import linalg, products
from adviz.engine.functions.registry import FUNCTIONS
from adviz.engine.tracing import complex_functions
from adviz.engine.tracing.function_calls import COMPOSED

from ..catalogue import CALLS, expressions, function_of
from .checks import assert_same, check, check_second_derivatives
from .derivatives import along, assert_close

WHOLE = {*FUNCTIONS, *COMPOSED} - {*linalg.FUNCTIONS, *linalg.COMPOSED, *products.COMPOSED, np.polyfit}
WHOLE -= {*complex_functions.COMPOSED}
"""Functions that work on whole arrays."""

MIXED = """
x.nonzero() | np.take(x, [4, 7], mode="wrap") | np.take(x, [4, 7], mode="clip") | np.polyadd(x[0], [1.0, 2.0])
np.interp(x[0], [0.3], [2.0]) | np.linalg.lstsq([[1.0], [2.0], [4.0]], x[1], rcond=None)[0]
"""
"""What joins arrays of NumPy, or lists, with those of another library before it is traced, or takes what CuPy lacks."""

SETTLED_ON_NUMPY = "np.max(x, axis=0, where=x < 0, initial=-5.0)"
"""At ties of entries that ``where`` leaves out, the second derivative is known on NumPy's arrays, and NaN on others."""


@pytest.mark.every
@pytest.mark.parametrize("call", CALLS, ids=str)
@pytest.mark.filterwarnings("ignore:`axes` should not be:DeprecationWarning")
def test_all_ways_agree_about_a_call(call, library):
    f, x = function_of(call.text), call.x
    jacobian, *_ = [check(lambda x: x, f, grain, x) for grain in call.grains]
    number = number_of(f)
    value, gradient = ad.value_and_grad(number)(x)
    hessian = check_second_derivatives(number, x)
    graph = ad.trace(number, x)
    if call.functions & WHOLE:  # no object arrays in between, which would have a node per entry
        assert len(graph) < 95
    check_on_arrays_of(library, call, gradient, along(hessian, x))
    check_program(number, x)
    check_variables(f, x, jacobian)
    check_engines(graph, gradient)
    check_ops(graph, number, x, value, gradient)


@pytest.mark.parametrize("call", [call for call in CALLS if "scalar" not in call.grains], ids=str)
def test_what_the_scalar_grain_refuses_it_names(call):
    with pytest.raises(ad.MissingBlockError):
        ad.jacobian(call, grain="scalar")(call.x)


def number_of(f):
    """A function of everything that ``f`` gives, which is one number."""
    return lambda x: np.sum(np.cos(np.add(f(x), 0.3))) + 0 * x.ravel()[0]


def check_on_arrays_of(library, call, gradient, pushed):
    """On arrays of another library derivatives are the same; where it would meet arrays of NumPy, that is refused."""
    number, x = number_of(function_of(call.text)), library.asarray(call.x)

    def derivatives():
        with warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
            return ad.jacobian(number)(x), ad.hvp(number, (x,), (x,))

    if call.text in expressions(MIXED):
        with pytest.raises(TypeError) as refused:
            derivatives()
        assert "\n  at " in "\n".join([str(refused.value), *getattr(refused.value, "__notes__", ())])
    elif call.text != SETTLED_ON_NUMPY:
        assert_same(library, derivatives(), (gradient, pushed), 1e-10)


def check_program(number, x):
    """A program has the value and the gradient at other points; what depends on the data is refused by name."""
    elsewhere = x * 1.03
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            program = ad.compile_gradient(number, x, grain="array")
        except ad.AdvizError:
            return
        value, gradient = program(elsewhere)
        assert_close(value, number(elsewhere), 1e-12)
        assert_close(gradient, ad.grad(number)(elsewhere), 1e-9)


def check_variables(f, x, jacobian):
    """Variables of one's own have the same Jacobian in both modes, or are refused by name."""
    for mode in ("forward", "reverse"):
        ad.set_mode(mode)
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            variable = ad.Variable(x.ravel())
            try:
                output = f(np.reshape(variable, x.shape))
            except ad.AdvizError:
                return
            if isinstance(output, ad.Variable):
                assert_close(output.data, np.atleast_1d(f(x)), 1e-12)
                assert_close(output.compute_gradients(), np.reshape(jacobian, (output.size, x.size)), 1e-10)


def check_engines(graph, gradient):
    """Every engine brings to the inputs what the gradient is; nothing to those that no path leads from.

    On arrays: numbers are the same to all engines, whatever call they come from.
    """
    for engine in ad.sweeps.ENGINES.values():
        state = ad.replay({}, engine(graph))
        found = [state["adjoint", node] if graph.live[node] else 0.0 for node in graph.inputs]
        assert_close(np.reshape(found, gradient.shape), gradient, 1e-9)


def check_ops(graph, number, x, value, gradient):
    """Ops of the traced call have its value and its gradient; so have those that it builds, or it is refused."""
    (result,), (operand,) = ad.lazy.from_graph(graph)
    ways = [(result, operand)]
    with contextlib.suppress(ad.AdvizError, AttributeError):
        operand = ad.lazy.placeholder(x.shape)
        ways.append((number(operand), operand))
    for result, operand in ways:
        found = ad.lazy.computation([result, ad.lazy.deriv(result, operand)], operand)(x)
        assert_close(found[0], value, 1e-12)
        assert_close(found[1], gradient, 1e-9)


def test_every_function_of_the_tables_is_in_the_catalogue():
    about_types = {np.can_cast, np.common_type, np.empty_like, np.min_scalar_type, np.result_type}
    about_types |= {getattr(np, "trapz", np.can_cast)}  # np.trapezoid until NumPy 2.4
    called = set().union(*(call.functions for call in CALLS))
    assert {*FUNCTIONS, *COMPOSED} - {*complex_functions.COMPOSED, np.polyfit} - called == about_types
