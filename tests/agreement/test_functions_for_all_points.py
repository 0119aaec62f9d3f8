"""Every function of the table in a trace of arrays that is to hold at every point: right elsewhere, or refused by name.

The calls are those of ``function_table.py``; each is recorded at one point and recomputed, Block by Block, at others,
where it must be what NumPy or SciPy gives there. Compiled, it has derivatives there, too.
"""

import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves
from tests.engine.symbolic import graph_of, recomputed

from .function_table import FFT, LINALG, METHODS, NUMPY, SCIPY, X, as_function, calls, flat, flat_or_none, special_calls

POINTS = [X[::-1].copy(), X.T.copy(), *np.random.default_rng(1).uniform(0.05, 0.95, (2, 3, 3))]
CALLS = {name: call for table in (NUMPY, LINALG, FFT, SCIPY, METHODS) for name, call in calls(table).items()}
del CALLS["scipy.special.lambertw"]  # of complex numbers, which are real here
OF_ENTRIES = [call for spelled in special_calls().values() for call in spelled if "lambertw" not in call]
EVERY = {**CALLS, **{call: call for call in OF_ENTRIES}}
NAMES = sorted(EVERY)


def refusal_of(call: str) -> str:
    """Compare what a call gives at other points; the error, if it is refused."""
    f = as_function(call)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        if flat_or_none(f(X.copy())) is None:  # a text
            return ""
        try:
            graph = graph_of(f, X)
        except ad.AdvizError as error:
            return str(error)
        for point in POINTS if graph.outputs else ():
            try:
                wanted = flat(f(point.copy()))
            except ValueError:  # SciPy checks what it is given
                continue
            found = flat(tuple(recomputed(graph, point)))
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9, err_msg=call)
    return ""


@pytest.mark.long
def test_what_is_not_right_elsewhere_is_refused_by_name():
    refusals = {name: found for name, call in CALLS.items() if (found := refusal_of(call))}
    assert set(refusals) <= REFUSED
    assert all("\n  at " in text for text in refusals.values())


@pytest.mark.long
def test_of_special_functions_those_are_refused_that_are_in_every_trace():
    def is_refused_anywhere(call):
        try:
            ad.trace(as_function(call), X)
        except ad.AdvizError:
            return True
        return False

    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for call in OF_ENTRIES:
            assert bool(refusal_of(call)) == is_refused_anywhere(call), call


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


@pytest.mark.slow
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


REFUSED = {
    # of a size that depends on the values
    *("np.argwhere", "np.extract", "np.flatnonzero", "np.intersect1d", "np.nonzero", "np.place", "np.setdiff1d"),
    *("np.setxor1d", "np.trim_zeros", "np.union1d", "np.unique", "np.unique_all", "np.unique_counts"),
    *("np.unique_inverse", "np.unique_values", "x.nonzero"),
    # by searches, pivots and numbers of steps that depend on the values
    *("np.roots", "scipy.integrate.odeint", "scipy.integrate.quad", "scipy.integrate.solve_ivp", "scipy.linalg.lu"),
    *("scipy.linalg.lu_factor", "scipy.optimize.brentq", "scipy.optimize.newton", "scipy.optimize.root"),
    # by NumPy's and SciPy's own code, which asks for values
    *("np.frexp", "np.histogram_bin_edges", "np.i0", "np.sort_complex", "scipy.special.diric", "scipy.stats.gmean"),
    *("scipy.stats.bernoulli.logpmf", "scipy.stats.binom.logpmf", "scipy.stats.multivariate_normal.entropy"),
    # in every trace
    *("np.fromiter", "np.histogram", "np.histogram2d", "np.histogramdd", "np.nanpercentile", "np.nanquantile"),
    *("np.polydiv", "np.require", "np.spacing", "scipy.special.zeta", "x.base", "x.byteswap", "x.ctypes.data"),
    *("x.getfield", "x.resize", "x.setfield", "x.setflags"),
}
"""What cannot be recorded for all points."""
