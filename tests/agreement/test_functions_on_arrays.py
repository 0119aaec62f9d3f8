"""Every function of the table that can be traced for all points becomes NumPy code that is right at other points."""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves
from tests.engine.symbolic import graph_of

from .function_table import X, as_function, flat, flat_or_none
from .test_functions_for_all_points import CALLS, OF_ENTRIES, POINTS

pytestmark = pytest.mark.slow
EVERY = {**CALLS, **{call: call for call in OF_ENTRIES}}
NAMES = sorted(EVERY)


def has_graph(f) -> bool:
    """Whether a function can be traced, and depends on its argument."""
    try:
        return bool(flat_or_none(f(X.copy())) is not None and graph_of(f, X).outputs)
    except ad.AdvizError:
        return False


def all_of(f):
    """All results in a tuple."""
    return lambda x: tuple(each for _, each in leaves(f(x), ""))


def loss_of(f):
    """All results in one number, each entry with a weight of its own."""

    def loss(x):
        total = 0.0
        for k, (_, each) in enumerate(leaves(f(x), "")):
            total = total + np.sum(each * np.cos(np.arange(float(np.size(each))) + k).reshape(np.shape(each)))
        return total

    return loss


@pytest.mark.parametrize("first", range(8))
def test_functions_and_their_gradients_are_written_and_agree(first):
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for name in NAMES[first::8]:
            f = as_function(EVERY[name])
            if not has_graph(f):
                continue
            program, gradient = ad.compile(f, X, grain="array"), None
            matrix = ad.compile_jacobian(all_of(f), X, grain="array", order="forward" if len(name) % 2 else "reverse")
            if name != "np.bmat":  # its value is a matrix, whose product is that of matrices
                gradient = ad.compile_gradient(loss_of(f), X, grain="array")
            for point in POINTS:
                try:
                    wanted = flat(f(point.copy()))
                except ValueError:  # SciPy checks what it is given
                    continue
                np.testing.assert_allclose(flat(program(point)), wanted, 1e-7, 1e-9, err_msg=program.source)
                rows, other = (
                    tuple(leaves(each, "")) for each in (matrix(point).jacobian, ad.jacobian(all_of(f))(point))
                )
                for (_, one), (_, wanted_rows) in zip(rows, other, strict=True):
                    np.testing.assert_allclose(one, wanted_rows, 1e-7, 1e-9, err_msg=matrix.source)
                if gradient is not None:
                    slopes = ad.grad(loss_of(f))(point)
                    np.testing.assert_allclose(gradient(point)[1], slopes, 1e-7, 1e-9, err_msg=gradient.source)


def test_most_functions_of_the_table_are_written():
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        assert sum(has_graph(as_function(call)) for call in EVERY.values()) > 500
