"""Every keyword of every function of NumPy: honoured as NumPy does, or refused by name; never passed over."""

import contextlib
import inspect
import warnings
from itertools import product

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions.arguments import data_of
from adviz.engine.functions.products import Complex

from .derivatives import assert_close, central_jacobian
from .test_coverage import NAMES, X, call, call_of

DTYPES = ["int", "np.int8", "bool", "float", "np.float32", "np.float16", "np.longdouble", "complex", "None", "'f4'"]
VALUES = {
    "axis": ["0", "1", "-1", "None", "(0, 1)", "(0,)"],
    "keepdims": ["True", "False", "1"],
    "dtype": DTYPES,
    "casting": ["'unsafe'", "'same_kind'", "'no'"],
    "order": ["'C'", "'F'", "'A'", "'K'"],
    "subok": ["False", "True"],
    "where": ["True", "False", "x > 0", "[True, False, True]", "np.array([[True], [False]])"],
    "initial": ["2.5", "-1.5", "x[0, 1]"],
    "device": ["'cpu'"],
    "copy": ["True", "None"],
    "shape": ["(3, 2)", "4"],
    "ddof": ["1", "0.5"],
    "correction": ["1", "0.5"],
    "mean": ["0.3", "x[0, 0]"],
    "bias": ["True"],
    "rowvar": ["False"],
    "fweights": ["[1, 2, 3]", "2"],
    "aweights": ["[1.0, 2.0, 0.5]"],
    "deg": ["True", "0"],
    "kind": ["'stable'", "'heapsort'"],
    "stable": ["True"],
    "decimals": ["1", "-1"],
    "weights": ["x * x", "[1.0, 2.0, 3.0]"],
    "returned": ["True"],
    "minlength": ["7"],
    "mode": [
        "'wrap'",
        "'clip'",
        "'raise'",
        "'same'",
        "'valid'",
        "'full'",
        "'edge'",
        "'r'",
        "'complete'",
        "'mean'",
        "'linear_ramp'",
        "'empty'",
    ],
    "a_max": [],
    "a_min": ["0.1, a_max=0.4", "0.1, a_max=None"],
    "min": ["0.1"],
    "max": ["0.4"],
    "y": ["x[::-1]"],
    "axisa": ["1"],
    "axisb": ["1"],
    "axisc": ["0"],
    "include_initial": ["True"],
    "k": ["1", "-1", "[0.7]"],
    "offset": ["1", "-1"],
    "axis1": ["1"],
    "axis2": ["0"],
    "n": ["2", "3", "4"],
    "prepend": ["0.5", "x[:, :1]", "x[0, 0]"],
    "append": ["0.5", "x[:1]", "x[0, 0]"],
    "right": ["0.5", "True"],
    "left": ["0.5"],
    "period": ["1.3"],
    "to_end": ["[1.0, 2.0]", "x[0]"],
    "to_begin": ["0.5"],
    "optimize": ["True", "'greedy'"],
    "num": ["4", "1"],
    "endpoint": ["False"],
    "edge_order": ["2"],
    "invert": ["True"],
    "retstep": ["True"],
    "base": ["2.0", "x[0]"],
    "sparse": ["True"],
    "indexing": ["'ij'"],
    "nan": ["0.5"],
    "posinf": ["0.5"],
    "neginf": ["0.5"],
    "method": ["'lower'", "'hazen'", "'inverted_cdf'"],
    "axes": ["(1, 0)", "(0,)", "1", "[(0, 1), (1, 0)]"],
    "m": ["2"],
    "rcond": ["0.3", "None"],
    "full": ["True"],
    "w": ["[1.0, 2.0, 0.5]"],
    "cov": ["True"],
    "tol": ["0.5"],
    "start": ["1"],
    "side": ["'right'"],
    "sorter": ["np.array([1, 0])"],
    "default": ["0.5", "x * 2"],
    "x": ["[0.0, 1.0, 3.0]", "x * x"],
    "dx": ["0.5"],
    "trim": ["'f'"],
    "return_index": ["True"],
    "return_inverse": ["True"],
    "return_counts": ["True"],
    "equal_nan": ["False"],
    "sorted": ["False"],
    "assume_unique": ["True"],
    "discont": ["2.0"],
    "N": ["2", "5"],
    "increasing": ["True"],
    "upper": ["True"],
    "p": ["1", "'fro'", "np.inf"],
    "UPLO": ["'U'"],
    "ord": ["1", "np.inf", "2", "-2", "'nuc'", "'fro'", "0", "3"],
    "hermitian": ["True"],
    "full_matrices": ["False"],
    "compute_uv": ["False"],
    "ind": ["1"],
    "norm": ["'ortho'", "'forward'"],
    "s": ["(2, 4)", "(3, 2)"],
    "rtol": ["0.5"],
    "atol": ["0.5"],
    "bitorder": ["'little'"],
    "wrap": ["True"],
    "overwrite_input": ["True"],
    "constant_values": ["3.0", "x[0, 0]"],
    "stat_length": ["1"],
    "reflect_type": ["'odd'"],
    "signature": ["'dd->d'", "'f->f'", "'ff->f'"],
    "no_such_setting": ["1"],
}
"""Texts of unusual values, by the name of the keyword; those that a function cannot take are errors in NumPy too."""

REDUCED = "add multiply maximum minimum logaddexp logaddexp2 fmax fmin hypot subtract arctan2 logical_and less".split()
OF_UFUNCS = ["dtype", "casting", "order", "subok", "where", "axis", "axes", "keepdims", "signature", "no_such_setting"]
MORE = {
    "np.pad": ["constant_values", "stat_length", "reflect_type"],
    "np.clip": OF_UFUNCS[:5],
    "np.einsum": OF_UFUNCS[:4],
}
TOGETHER = {"dtype": ["casting='unsafe'", "where=x > 0"], "reflect_type": ["mode='reflect'"], "ddof": ["keepdims=True"]}
TOGETHER |= {
    "where": ["initial=0.5"],
    "stat_length": ["mode='mean'"],
    "num": ["endpoint=False"],
    "axis": ["keepdims=True"],
}
"""Keywords that mean something in company only."""

ASIDE = {"out", "holidays", "busdaycal", "weekmask", "roll", "unit", "timezone", "einsum_call", "formatter", "max_work"}
ASIDE |= {
    "max_line_width",
    "precision",
    "suppress_small",
    "separator",
    "prefix",
    "suffix",
    "threshold",
    "edgeitems",
    "sign",
}
ASIDE |= {
    "floatmode",
    "legacy",
    "fmt",
    "delimiter",
    "newline",
    "header",
    "footer",
    "comments",
    "encoding",
    "allow_pickle",
}
ASIDE |= {
    "bins",
    "range",
    "density",
    "count",
    "kwargs",
    "kwds",
    "kw",
    "return_indices",
    "interpolation",
    "style",
    "fix_imports",
}
"""Targets (they have tests of their own), and settings of texts, files, dates and counts."""


METHODS = [f"np.{name}.{method}" for name in REDUCED for method in ("reduce", "accumulate")]
OF_METHODS = ["axis", "dtype", "keepdims", "initial", "where", "no_such_setting"]

FILLED = ("np.zeros_like", "np.ones_like")


def keywords_of(name):
    """The keywords of a function as NumPy tells them."""
    function = eval(name)
    if isinstance(function, np.ufunc):
        return OF_UFUNCS
    if name in METHODS:
        return OF_METHODS
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # NumPy before 2.4 has no signatures of what is written in C
        return []
    optional = [p.name for p in parameters if p.default is not p.empty or p.kind is p.KEYWORD_ONLY]
    return [*optional, *MORE.get(name, []), "no_such_setting"]


def calls_of(name):
    """The usual call of a function with each keyword in turn, and in company, at each unusual value."""
    usual, parameters = f"{name}(x)" if name in METHODS else call_of(name), keywords_of(name)
    call, _, what_of_it = usual.rpartition(")")
    for keyword in parameters:
        for value in [] if keyword in ASIDE or f" {keyword}=" in usual else VALUES[keyword]:
            for company in ["", *(f", {other}" for other in TOGETHER.get(keyword, []))]:
                if keyword != "axis" or not company or "keepdims" in parameters:
                    yield f"{call}, {keyword}={value}{company}){what_of_it}"


def parts(found):
    """The arrays and numbers that a function gave, one after the other."""
    if isinstance(found, Complex):
        return [data_of(found.real) + 1j * data_of(found.imag)]
    if isinstance(found, list | tuple):
        return [part for one in found for part in parts(one)]
    return [np.asarray(data_of(found))]


def compare(found, expected, exactly):
    """Values, shapes and kinds; the very types, and places in memory, if asked for."""
    assert len(found) == len(expected)
    for mine, plain in zip(found, expected, strict=True):
        assert mine.shape == plain.shape, f"shape {mine.shape}, not {plain.shape}"
        if exactly:
            assert mine.dtype == plain.dtype, f"dtype {mine.dtype}, not {plain.dtype}"
        if plain.dtype.kind in "biufc":
            assert (mine.dtype.kind in "biu") <= (plain.dtype.kind in "biu"), f"dtype {mine.dtype}, not {plain.dtype}"
            tolerance = max(
                1e-12, *(4 * float(np.finfo(d).eps) for d in (plain.dtype, mine.dtype) if d.kind in "fc"), 0
            )
            np.testing.assert_allclose(mine, plain, rtol=tolerance, atol=tolerance, verbose=True)


def compare_call(text, grain):
    """Nothing is passed over: the value is NumPy's, or there is an error; and so is the derivative."""

    def plain(x):
        return call(text, x.copy())

    def traced(x):
        found.append(call(text, x))
        return x

    found = []
    expected: list[np.ndarray] | None = None
    with contextlib.suppress(Exception):
        expected = parts(plain(X))
    try:
        ad.trace(traced, X.copy(), grain=grain)
    except ad.AdvizError:
        return
    except (TypeError, ValueError, LookupError, ArithmeticError):
        if expected is None:
            return
        raise
    assert expected is not None, "what is an error in NumPy is none here"
    if "empty" in text:
        assert [part.shape for part in parts(found[0])] == [part.shape for part in expected]
        return
    if grain == "scalar" and text.startswith(FILLED):  # objects, which NumPy fills with whole numbers
        found[0] = np.asarray(data_of(found[0])).astype(expected[0].dtype)
    compare(parts(found[0]), expected, exactly=grain == "array")
    if "order=" in text and len(expected) == 1:
        in_memory = np.asarray(data_of(np.ravel(found[0], "K"))) if grain == "scalar" else parts(found[0])[0].ravel("K")
        compare([in_memory], [expected[0].ravel("K")], exactly=False)
    if all(part.dtype == float and np.isfinite(part).all() for part in expected) and len(expected) == 1:
        jacobian = ad.jacobian(lambda x: call(text, x), grain=grain)(X.copy())
        if "np.float" not in text and "f4" not in text:
            assert_close(jacobian, central_jacobian(plain, X), 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES + METHODS)
def test_each_keyword_is_honoured_or_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failures = {}
    with warnings.catch_warnings(action="ignore"):
        for text, grain in product(calls_of(name), ("array", "scalar")):
            try:
                compare_call(text, grain)
            except Exception as error:
                failures[text, grain] = f"{type(error).__name__}: {str(error).strip()[:200]}"
    assert not failures
