"""What cannot be traced is refused with a named error that says where in the user's source, and what to do."""

import cmath
import datetime
import decimal
import fractions
import hashlib
import io
import json
import linecache
import marshal
import math
import re
import sqlite3
import statistics
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mpmath
import numpy as np
import pytest
import scipy
import scipy.cluster.vq
import scipy.io
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.sparse
import scipy.spatial
import sympy

import adviz as ad

from .checks import GRAINS

X = np.array([0.3, 0.7, 1.1])


def line_of(function, text):
    """The number of the line of this file in which ``function`` says ``text``."""
    start = function.__code__.co_firstlineno
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number in range(start, len(lines) + 1) if text in lines[number - 1])


def refused(kind, f, text, *args, grain="array", match=None):
    """``f`` raises ``kind``, which names the expression ``text`` in its line; afterwards another trace works."""
    with pytest.raises(kind, match=match) as caught:
        ad.trace(f, *(args or (X,)), grain=grain)
    place = caught.value.origin
    assert place is not None
    assert (place.file, place.line) == (__file__, line_of(f, text))
    # Pythons differ in whether they give a condition or the whole expression with its branches.
    assert text == place.text or (kind is ad.BranchError and (text in place.text or place.text in text))
    assert f"{__file__}:{place.line}" in str(caught.value)
    assert ad.grad(lambda x: (x * x).sum())(X).tolist() == (2 * X).tolist()
    return caught.value


def written(text):
    """The function ``f`` of a program that is a text with lines."""
    path = f"<{text}>"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    modules = (math, cmath, datetime, decimal, hashlib, marshal, sqlite3, struct)
    names = {"np": np, "NUMBERS": NUMBERS, **{module.__name__: module for module in modules}}
    exec(compile(text, path, "exec"), names)
    return names["f"]


# ---- conversions to plain numbers ----


@GRAINS
def test_a_program_does_not_catch_what_cuts_a_value_off(grain):
    def f(x):
        try:
            scale = float(x[0])
        except TypeError:
            scale = 0.0
        return scale * x[1]

    refused(ad.ConversionError, f, "float(x[0])", grain=grain)


@pytest.mark.parametrize("name", ["sin", "gamma", "pow"])
@GRAINS
def test_math_functions_that_a_program_keeps_where_nobody_finds_them(name, grain):
    functions = {getattr(math, name)}  # sets are not searched

    def f(x):
        (function,) = functions
        return function(*[x[0]] * (2 if name == "pow" else 1))

    text = 'function(*[x[0]] * (2 if name == "pow" else 1))'
    error = refused(ad.ConversionError, f, text, grain=grain, match=rf"math\.{name} works on plain numbers only")
    assert isinstance(error, TypeError)
    assert (f"Use np.{name} instead." in str(error)) == hasattr(np, name)


@GRAINS
@pytest.mark.parametrize("module", ["math", "cmath"])
@pytest.mark.parametrize("name", ["sin", "sqrt", "log", "exp", "acos", "isclose"])
def test_a_function_gets_the_same_advice_under_whatever_name(module, name, grain):
    ways = {f"import {module}": f"{module}.{name}", f"from {module} import *": name}
    ways |= {f"import {module} as m": f"m.{name}", f"from {module} import {name} as s": "s"}
    operands = "x, 2.0" if name == "isclose" else "x"
    messages = set()
    for statement, called in ways.items():
        with pytest.raises(ad.ConversionError) as caught:
            ad.trace(written(f"{statement}\ndef f(x):\n    return {called}({operands})"), X, grain=grain)
        assert caught.value.origin.text == f"{called}({operands})"
        messages.add(str(caught.value).splitlines()[0])
    meant = f"Use np.{name} instead." if hasattr(np, name) else "Write it out with NumPy's functions"
    (message,) = messages
    assert message.startswith(f"{module}.{name} works on plain numbers only. {meant}")


def test_what_is_no_function_of_math_or_has_no_name_gets_other_advice():
    functions = {"sin": math.sin}

    def of_a_dict(x):
        return functions["sin"](x)

    def by_map(x):
        return sum(map(functions["sin"], [x]))

    for f, text in ((of_a_dict, 'functions["sin"](x)'), (by_map, 'sum(map(functions["sin"], [x]))')):
        refused(ad.ConversionError, f, text, match="from the graph: what is computed")


NUMBERS = [10, 20, 30]
CONVERTED = {
    "math.factorial(x[0])": "as an index or a count",
    "math.comb(x[0], 2)": "as an index or a count",
    "math.gcd(x[0], 2)": "as an index or a count",
    "math.isqrt(x[0])": "as an index or a count",
    "math.ulp(x[0])": "plain numbers only",
    "math.cos(x)": "Use np.cos instead",
    "float(x[1])": "would detach",
    "complex(x[1])": r"Write x \+ 1j \* y instead",
    "np.asarray(x, dtype=int)": "would detach",
    "np.float64(x[0])": "would detach",
    "cmath.sqrt(x[0])": "Use np.sqrt instead",
    "NUMBERS[x[0]]": "keyword",
    "NUMBERS[x]": "keyword",
    'struct.pack("d", x[0])': "do this after tracing",
    "x[0].hex": "do this after tracing",
    "x[0].as_integer_ratio": "do this after tracing",
    "marshal.dumps(x[0])": "do this after tracing",
    "hashlib.md5(x[0])": "do this after tracing",
    "bytearray(x[0])": "do this after tracing",
    "decimal.Decimal.from_float(x[0])": "do this after tracing",
    "datetime.timedelta(seconds=1) * x[0]": "do this after tracing",
    'sqlite3.connect(":memory:").execute("select ?", (x[0],))': "do this after tracing",
    'np.array([x], dtype="M8[s]")': "detach|do this after tracing",
    "range(x[1])": "keyword",
}


@GRAINS
@pytest.mark.parametrize("text", CONVERTED)
def test_what_would_cut_a_value_off_is_refused_with_its_place(text, grain):
    f = written(f"def f(x):\n    y = {text}\n    return x[0] * y")
    with pytest.raises(ad.ConversionError, match=CONVERTED[text]) as caught:
        ad.trace(f, X, grain=grain)
    assert (caught.value.origin.text, caught.value.origin.line) == (text, 2)


@GRAINS
def test_numbers_and_lists_of_traced_values_stay_traced(grain):
    gradient = ad.grad(lambda x: (x[0] * x[1]).item() + 2 * x.tolist()[2], grain=grain)(X)
    assert gradient.tolist() == [X[1], X[0], 2.0]


# ---- conditions ----


@GRAINS
@pytest.mark.parametrize(
    "text", ["x if x > 0 else -x", "-x if x else x", "x if 0 < x < 1 else -x", "x and 1.0", "np.ones(3)[x]"]
)
def test_an_array_as_a_condition(text, grain):
    f = written(f"def f(x):\n    return {text}")
    with pytest.raises(ad.BranchError, match=r"np\.where") as caught:
        ad.trace(f, X, grain=grain)
    # Pythons differ in whether they give a condition or the whole expression with its branches.
    assert caught.value.origin.text in text
    assert caught.value.origin.line == 2


@GRAINS
def test_a_condition_that_operands_of_a_library_catch_is_named(grain):
    def f(x):
        return (np.polynomial.Polynomial(x) * np.polynomial.Polynomial([1.0, 2.0]))(0.3)

    with pytest.raises(ad.BranchError, match="depends on the values") as caught:
        ad.compile_gradient(f, X, grain=grain)
    assert caught.value.origin.line == line_of(f, "Polynomial(x)")


@GRAINS
def test_an_object_whose_truth_is_a_comparison_is_told_to_make_a_bool(grain):
    class Length:
        def __init__(self, x):
            self.x = x

        def __bool__(self):
            return math.sqrt(self.x[0]) > 0

    def f(x):
        return x[0] if Length(x) else x[1]

    with pytest.raises(ad.ConversionError, match=r"Write bool\(\.\.\.\)") as caught:
        ad.trace(f, X, grain=grain)
    assert caught.value.origin.line == line_of(f, "if Length(x)")


# ---- what has no rule ----


@GRAINS
def test_a_ufunc_without_a_rule_is_named_and_how_to_add_one(grain):
    def f(x):
        return np.spacing(x * 2)

    error = refused(ad.MissingBlockError, f, "np.spacing(x * 2)", grain=grain, match="np.spacing")
    assert "adviz.define(np.spacing" in str(error)
    assert isinstance(error, NotImplementedError)


@GRAINS
def test_a_function_without_a_rule_is_named_with_its_place(grain):
    def of_numpy(x):
        return np.linalg.svd(x)

    def of_scipy(x):
        return scipy.linalg.schur(x)

    for f, name in ((of_numpy, r"np\.linalg\.svd"), (of_scipy, r"scipy\.linalg\.schur")):
        x = np.ones((3, 2)) if f is of_numpy else np.eye(3)
        refused(ad.MissingBlockError, f, name.replace("\\", "") + "(x)", x, grain=grain, match=name)


class Mine(Exception):
    """What a program raises."""


def raising(error):
    def f(x):
        raise error

    return f


OWN_ERRORS = [
    (lambda x: x.nonsense, X, AttributeError, "no attribute 'nonsense'"),
    (lambda x: x + "text", 1.0, TypeError, "unsupported operand"),
    (lambda x: x + np.ones(2), X, ValueError, "broadcast"),
    (lambda x: x[7], X, IndexError, "out of bounds"),
    (len, 1.0, TypeError, "len"),
    (list, 1.0, TypeError, "iteration"),
    (raising(Mine("as it was")), X, Mine, "^as it was$"),
    (lambda x: x * (1 // 0), X, ZeroDivisionError, "zero"),
    (lambda x, y: x, X, TypeError, "positional argument"),
    (lambda x: x @ scipy.linalg.inv(np.ones((3, 2))), X, ValueError, "square"),
]


@pytest.mark.parametrize(("f", "x", "error", "words"), OWN_ERRORS)
def test_errors_of_python_and_of_the_program_itself_pass_through(f, x, error, words):
    with pytest.raises(error, match=words) as caught:
        ad.trace(f, x)
    assert not isinstance(caught.value, ad.AdvizError)
    assert error is not Mine or not hasattr(caught.value, "__notes__")


# ---- NaN and infinity ----


@GRAINS
def test_nan_and_infinity_are_reported_with_the_node_and_the_line(grain):
    def f(x):
        y = x * 2
        z = np.log(y - 1)
        return (z + y).sum()

    with pytest.warns(ad.NonFiniteWarning) as caught:
        ad.trace(f, X, grain=grain)
    (warning,) = caught
    text = str(warning.message)
    assert "NaN arises" in text
    assert "np.log(y - 1)" in text
    assert f"{__file__}:{line_of(f, 'np.log')}" in text
    assert warning.filename == __file__


def test_infinity_of_numbers_is_reported_where_it_is_born_and_not_where_it_goes():
    def f(x):
        y = 1 / x
        return y * 2 + y

    with pytest.warns(ad.NonFiniteWarning, match="infinity arises in node 1") as caught:
        ad.trace(f, 0.0)
    assert len(caught) == 1
    with pytest.warns(ad.NonFiniteWarning, match="NaN"):
        assert math.isnan(ad.grad(lambda x: np.sqrt(x))(-1.0))


def test_nan_that_came_in_is_not_reported():
    graph = ad.trace(lambda x: np.sin(x) + 1, np.array([1.0, np.nan]))
    assert np.isnan(graph.values[graph.outputs[0]]).tolist() == [False, True]
    ad.trace(lambda x: np.where(np.isnan(x), 0.0, x), np.array([1.0, np.nan]))


def test_nan_from_a_constant_of_the_program_is_reported():
    """A literal NaN is not finite, so what it makes does not arise from finite operands."""
    graph = ad.trace(lambda x: x * math.nan, 1.0)
    assert math.isnan(graph.values[graph.outputs[0]])


# ---- inputs and outputs ----


class Other:
    """What is no number."""

    def __repr__(self):
        return "Other()"


NO_NUMBERS = ["text", None, 10**400, 1j, np.array([1j]), Other(), ["a"], decimal.Decimal(1), np.array(["a"]), {1, 2}]
NO_NUMBERS += [[1.0, None], b"x", [[1.0], [1.0, "a"]]]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
@GRAINS
def test_inputs_that_are_not_real_numbers(value, grain):
    def f(weights):
        return weights

    is_complex = isinstance(value, complex) or getattr(value, "dtype", None) == np.dtype(complex)
    words = r"weights.*real and the imaginary part" if is_complex else r"weights.*keyword"
    with pytest.raises(ad.InputError, match=words):
        ad.trace(f, value, grain=grain)
    with pytest.raises(TypeError):
        ad.grad(f, grain=grain)(value)


def test_inputs_that_are_numbers_of_other_kinds():
    for value in (2, np.float32(2), np.int8(2), np.array(2), [1, 2], np.array([1, 2]), [[1, 2], [3, 4]]):
        graph = ad.trace(lambda x: x * 1, value)
        np.testing.assert_array_equal(graph.values[0], np.asarray(value, float))


@GRAINS
def test_booleans_are_passed_on_as_they_are(grain):
    def f(x, mask, double):
        return np.sum(x[mask]) * (2.0 if double else 1.0)

    by_x, by_mask, by_double = ad.grad(f, argnums=(0, 1, 2), grain=grain)(X, X > 0.5, True)
    np.testing.assert_array_equal(by_x, [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(by_mask, np.zeros(3))
    assert by_double == 0.0


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_that_compute_in_their_own_way():
    with pytest.raises(ad.InputError, match="computes in its own way"):
        ad.trace(lambda x: x * x, np.matrix([[1.0, 2.0], [3.0, 4.0]]))


@np.errstate(all="ignore")
def forgetful(x):
    np.sin(x)


@GRAINS
@pytest.mark.parametrize(
    "product",
    [lambda a, x: a @ x, lambda a, x: np.matmul(a, x), lambda a, x: a @ np.ones(3), lambda a, x: np.ones((3, 2)) @ x],
)
def test_shapes_that_do_not_fit_a_product_are_named(grain, product):
    with pytest.raises(ValueError, match=r"^The shapes do not fit: \(3, 2\) @ \(3,\)\. \(NumPy: matmul"):
        ad.trace(product, np.ones((3, 2)), np.ones(3), grain=grain)
    with pytest.raises(ValueError, match=r"^The shapes do not fit: \(3, 2\) @ \(3,\)\. \(NumPy: matmul"):
        ad.trace(ad.grad(product, grain=grain), np.ones((3, 2)), np.ones(3))


def test_a_structure_where_an_array_was_meant_is_named():
    with pytest.raises(
        ad.InputError, match=r"^np.sin got a dict where .* by its key\. \(NumPy: .*\n  at .*: np.sin\(p\)"
    ):
        ad.trace(lambda p: np.sin(p), {"a": 1.0, "b": 2.0})


def test_results_that_are_not_numbers():
    with pytest.raises(ad.OutputError, match=r"<lambda> returned None; did you forget to return the result\?"):
        ad.trace(lambda x: None, 1.0)
    with pytest.raises(ad.OutputError, match=r"in .*forgetful: def forgetful\(x\):$"):
        ad.trace(forgetful, 1.0)
    for result in ("text", None, object(), {"a": None}, [1.0, "b"]):
        with pytest.raises(ad.OutputError, match="result"):
            ad.trace(lambda x, result=result: result, 1.0)
        with pytest.raises(ad.OutputError):
            ad.trace(lambda x, result=result: (x, result), 1.0)
    with pytest.raises(ad.OutputError):
        ad.trace(lambda x: np.array([x, None]), 1.0)


@GRAINS
def test_a_result_that_does_not_depend_on_any_input(grain):
    def f(x):
        return np.ones(2)

    with pytest.warns(ad.IndependentOutputWarning, match="f does not depend on any input") as caught:
        jacobian = ad.jacobian(f, grain=grain)(X)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(jacobian, np.zeros((2, 3)))
    with pytest.warns(ad.IndependentOutputWarning):
        assert ad.grad(lambda x: 3.0, grain=grain)(1.0) == 0.0
    with pytest.warns(ad.IndependentOutputWarning, match=r"result\[1\]"):
        assert ad.jacobian(lambda x: (x, 2.0), grain=grain)(1.0) == (1.0, 0.0)


def test_a_result_that_depends_on_some_inputs_only():
    assert ad.grad(lambda x, y: x * x, argnums=(0, 1))(3.0, 4.0) == (6.0, 0.0)
    with pytest.warns(ad.IndependentOutputWarning):
        np.testing.assert_array_equal(ad.grad(lambda x, y: x * x, argnums=1)(3.0, X), np.zeros(3))


def test_grad_needs_one_number():
    with pytest.raises(ad.OutputError, match=r"array of shape \(3,\).*ad.jacobian"):
        ad.grad(lambda x: x * 2)(X)
    with pytest.raises(ad.OutputError, match="2 results"):
        ad.grad(lambda x: (x, x))(1.0)
    assert ad.grad(lambda x: x[:1] * 2)(X).tolist() == [2, 0, 0]


@pytest.mark.parametrize("argnums", [2, -3, (0, 2), (0, 5), 3, 1.5, "x", None, (0, 0), (0.5,), True])
def test_argnums_that_are_out_of_range_or_make_no_sense(argnums):
    for transform in (ad.grad, ad.jacobian, ad.value_and_grad):
        with pytest.raises((TypeError, ValueError), match="argnums"):
            transform(lambda x, y: x * y, argnums=argnums)(1.0, 2.0)


def test_gradients_come_in_the_order_of_argnums():
    def f(x, y, z):
        return x + 2 * y.sum() + 3 * z["a"]

    x, y, z = 1.0, np.ones(2), {"a": 1.0}
    by_z, by_x = ad.grad(f, argnums=(2, 0))(x, y, z)
    assert (by_z, by_x) == ({"a": 3.0}, 1.0)
    by_y, by_z, by_x = ad.jacobian(f, argnums=[-2, -1, -3])(x, y, z)
    assert (by_y.tolist(), by_z, by_x) == ([2.0, 2.0], {"a": 3.0}, 1.0)


@pytest.mark.parametrize("grain", ["banana", "", None, "ARRAY"])
def test_a_grain_that_does_not_exist(grain):
    with pytest.raises(ValueError, match="'array' or 'scalar'"):
        ad.trace(lambda x: x, 1.0, grain=grain)
    with pytest.raises(ValueError, match="grain"):
        ad.grad(lambda x: x, grain=grain)(1.0)


# ---- threads, other libraries ----


def test_an_error_in_one_thread_leaves_the_other_alone():
    barrier = threading.Barrier(2)

    def works(x):
        for k in range(200):
            x = np.sin(x) + k
            if k == 100:
                barrier.wait(10)
        return x

    def fails(x):
        y = x * 2
        barrier.wait(10)
        return float(y)

    with ThreadPoolExecutor(2) as pool:
        right, wrong = (pool.submit(ad.grad(f), 0.5) for f in (works, fails))
        assert isinstance(wrong.exception(), ad.ConversionError)
        assert isinstance(right.result(), float)


def of_fields(x):
    table = np.zeros(3, [("a", float), ("b", float)])
    table["a"] = x
    return table


def of_one_field(x):
    table = np.zeros(3, [("a", float), ("b", float)])
    table["b"][1] = x[1]
    return table


def filled(x):
    y = np.zeros((3, 1))
    y[:, 0] = x
    return y


OTHERS = {
    "statistics.mean": lambda x: statistics.mean(x),
    "statistics.stdev": lambda x: statistics.stdev([x[0], x[1]]),
    "statistics.pvariance": lambda x: statistics.pvariance(x),
    "statistics.fmean": lambda x: statistics.fmean(x),
    "fractions.Fraction": lambda x: fractions.Fraction(x[0]),
    "as_ctypes": lambda x: np.ctypeslib.as_ctypes(x),
    "plain numbers": lambda x: decimal.Decimal(x),
    "are no plain numbers": lambda x: math.floor(x[0]) << 3,
    "mpmath.calculus.quadrature": lambda x: float(mpmath.quad(lambda t: t * x[0], [0, 1])),
    "mpmath.libmp.mpf_exp": lambda x: mpmath.exp(x[0]),
    "mpmath": lambda x: float(mpmath.mpf(x[0])),
    "sympy.core": lambda x: float(sympy.sin(x[0])),
    "np.nditer": lambda x: sum(v * v for v in np.nditer(x)),
    "standard_normal": lambda x: np.sum(np.random.default_rng(3).normal(x, 2.0)) if x.dtype == float else x,
    "x.view of another type": lambda x: np.append(x, 1.0).view(complex),
    "with fields. Keep an array for each": of_fields,
    "an array with fields": of_one_field,
    "scipy.sparse.diags": lambda x: scipy.sparse.diags(x),
    "scipy.ndimage.median_filter": lambda x: scipy.ndimage.median_filter(x, 3),
    "scipy.linalg.hessenberg": lambda x: scipy.linalg.hessenberg(np.outer(x, x)),
    "scipy.spatial.cKDTree": lambda x: scipy.spatial.cKDTree(filled(x)).query(np.zeros(1))[0],
    "tree.query": lambda x: [tree := scipy.spatial.KDTree(np.eye(3)), tree.query(filled(x)[:, 0])][1][0],
    "scipy.optimize.linear_sum_assignment": lambda x: scipy.optimize.linear_sum_assignment(filled(x))[0].sum(),
    "scipy.optimize.nnls": lambda x: scipy.optimize.nnls(filled(x), np.ones(3))[0].sum(),
    "scipy.cluster.vq.kmeans": lambda x: scipy.cluster.vq.kmeans(x, 1)[1],
    "scipy.io": lambda x: scipy.io.savemat(io.BytesIO(), {"x": x}),
    "call it after tracing": lambda x: json.dumps(x.tolist()),
    "np.frombuffer": lambda x: np.frombuffer(x * 1.0).sum(),
    "x.__bytes__": lambda x: bytes(x),
    "scipy.sparse.csr_matrix": lambda x: scipy.sparse.csr_matrix(x),
    "scipy.sparse.csr_array": lambda x: scipy.sparse.csr_array((x, ([0, 1, 2], [2, 1, 0]))),
}
IN_ONE_GRAIN = {"standard_normal": "scalar", "np.frombuffer": "scalar"}


@GRAINS
@pytest.mark.parametrize("words", OTHERS)
def test_what_other_libraries_cannot_do_with_traced_values_is_named_with_the_place(words, grain):
    with pytest.raises(ad.AdvizError, match=re.escape(words)) as caught:
        ad.trace(OTHERS[words], X, grain=IN_ONE_GRAIN.get(words, grain))
    assert caught.value.origin.file == __file__


def locked():
    array = np.ones(3)
    array.flags.writeable = False
    return array


OWN_MISTAKES = {
    "Cannot cast ufunc 'add'": lambda x: np.add(1, 2.5, out=np.zeros(1, int)) * x,
    "Cannot cast ufunc 'multiply'": lambda x: np.multiply(np.arange(3), 2.5, out=np.arange(3)) * x,
    "assignment destination is read-only": lambda x: locked().__setitem__(0, 2.0) or x,
    "output array is read-only": lambda x: np.add(1.0, 2.0, out=locked()) * x,
    "ufunc 'isnan' not supported": lambda x: np.isnan("a") * x,
    "ufunc 'bitwise_and' not supported": lambda x: np.bitwise_and(1.5, 2) * x,
    "arrays used as indices must be": lambda x: np.arange(4)[np.array([0.5])] * x,
}


@GRAINS
@pytest.mark.parametrize("words", OWN_MISTAKES)
def test_what_numpy_refuses_without_anything_traced_stays_its_own_error_with_the_place(words, grain):
    with pytest.raises(Exception, match=words) as plain:
        OWN_MISTAKES[words](X)
    with pytest.raises(type(plain.value), match=words) as caught:
        ad.trace(OWN_MISTAKES[words], X, grain=grain)
    assert not isinstance(caught.value, ad.AdvizError)
    assert str(caught.value) == str(plain.value)
    assert f"{__file__}:" in caught.value.__notes__[0]


def test_a_shape_that_is_set_is_refused_with_what_to_write():
    def f(x):
        x.shape = (3, 1)
        return x

    refused(ad.ArrayWriteError, f, "x.shape", match=r"Write x = x\.reshape")


@GRAINS
def test_an_error_of_numpys_says_where_in_the_users_source_it_was_met(grain):
    def f(x):
        return np.sum(x @ np.ones((4, 2)))

    def nested(x):
        return ad.grad(f)(x)

    for program in (f, nested):
        with pytest.raises(ValueError, match="mismatch") as caught:
            ad.trace(program, np.ones((2, 3)), grain=grain)
        (note,) = {*caught.value.__notes__} if program is f else caught.value.__notes__[:1]
        assert note.endswith("x @ np.ones((4, 2))")
        assert f"{__file__}:{line_of(f, 'x @ np')}" in note


def test_a_traced_array_of_labels_is_told_how_it_is_passed():
    def picked(p, labels):
        return np.sum(p[np.arange(2), labels])

    labels = np.array([1, 0])
    with pytest.raises(ad.BranchError, match=r"such as labels, as keyword arguments"):
        ad.trace(picked, np.eye(2), labels)
    assert len(ad.trace(picked, np.eye(2), labels=labels).inputs) == 1


class Box:
    def __init__(self, content):
        self.content = content

    def __array__(self, dtype=None, copy=None):
        return self.content


def test_an_object_that_hands_out_traced_values_as_an_array_is_named():
    with pytest.raises(ad.MissingBlockError, match="__array__ gave a traced value"):
        ad.grad(lambda x: np.sum(np.sin(Box(x))))(np.ones(2))


AS_WHOLE_NUMBERS = {
    "repeating a list": (lambda x: x * len([0.0] * x), 3.0),
    "repeating a tuple": (lambda x: x[0] * len(x[1] * (0.0,)), np.array([3.0, 2.0])),
    "bits of a number": (lambda x: (x & 1) * x, 3.0),
    "bits of an array": (lambda x: np.sum(np.bitwise_and(x, 1)), np.array([3, 1])),
    "a shape": (lambda x: np.zeros(x).size * x, 3.0),
    "an index from the end": (lambda x: X[-x] * x, 1),
}


@GRAINS
@pytest.mark.parametrize("name", AS_WHOLE_NUMBERS)
def test_a_traced_number_where_a_whole_one_is_taken_is_named(name, grain):
    f, x = AS_WHOLE_NUMBERS[name]
    with pytest.raises((ad.ConversionError, ad.MissingBlockError)):
        ad.grad(f, grain=grain)(x)
    with pytest.raises(ad.AdvizError):
        ad.compile_gradient(f, x, grain=grain)
