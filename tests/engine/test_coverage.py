"""All of NumPy, with every keyword: what a function gives is what NumPy gives, or an error says its name."""

import contextlib
import inspect
import re
import warnings
from itertools import product

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions.arguments import data_of
from adviz.engine.functions.products import Complex

from ..catalogue import X, expressions, is_known
from .derivatives import assert_close, central_jacobian

ABOUT = {np.can_cast, np.common_type, np.min_scalar_type, np.result_type, np.may_share_memory, np.shares_memory}
"""Questions about types and memory."""

DISPATCHER = type(np.sum)
NAMES = [
    f"{space}.{name}"
    for space, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft))
    for name in sorted(vars(module))
    if not name.startswith("_")
    and isinstance(vars(module)[name], np.ufunc | DISPATCHER)
    and vars(module)[name] not in ABOUT
]
"""Functions that are not dispatchers, such as ``np.eye``, do not ask whether an argument is a Variable."""

OTHERS = """
np.apply_along_axis(np.sum, 0, x) | np.apply_over_axes(np.sum, x, [0]) | np.argpartition(x, 1) | np.array_split(x, 2)
np.astype(x, float) | np.bincount([0, 1, 1], x[0]) | np.bitwise_and(x, 1) | np.bitwise_count(x) | np.bitwise_or(x, 1)
np.bitwise_xor(x, 1) | np.invert(x) | np.left_shift(x, 1) | np.right_shift(x, 1) | np.broadcast_to(x, (2, 2, 3))
np.busday_count(x, x) | np.busday_offset(x, 1) | np.is_busday(x) | np.choose([0, 1, 0], x)
np.cumulative_prod(x, axis=0) | np.cumulative_sum(x, axis=0) | np.datetime_as_string(x) | np.delete(x, 1) | np.gcd(x, 1)
np.dsplit(x[None], 3) | np.repeat(x, 2) | np.take(x, [1, 0]) | np.tile(x, 2) | np.einsum("ij->j", x)
np.einsum_path("ij->j", x) | np.expand_dims(x, 0) | np.hsplit(x, 3) | np.vsplit(x, 2) | np.split(x, 2)
np.insert(x, 1, 2.0) | np.interp(x, [0.0, 1.0], [2.0, 3.0]) | np.isnat(x) | np.lcm(x, 1) | np.ldexp(x, 2)
np.moveaxis(x, 0, 1) | np.packbits(x) | np.unpackbits(x) | np.pad(x, 1) | np.partition(x, 1) | np.percentile(x, 30)
np.quantile(x, 0.3) | np.nanpercentile(x, 30) | np.nanquantile(x, 0.3) | np.piecewise(x, [x > 0], [1.0])
np.polyadd(x[0], x[1]) | np.polysub(x[0], x[1]) | np.polyder(x[0]) | np.polyfit(x[0], x[1], 1) | np.polyint(x[0])
np.ravel_multi_index(x, (2, 3)) | np.unravel_index(x, (2, 3)) | np.reshape(x, 6) | np.resize(x, (3, 2))
np.rollaxis(x, 1) | np.roots(x[0]) | np.save("x", x) | np.savetxt("x", x) | np.savez("x", x)
np.savez_compressed("x", x) | np.poly(x[0]) | np.select([x > 0], [x]) | np.swapaxes(x, 0, 1)
np.take_along_axis(x, np.array([[0], [1]]), 1) | np.vander(x[0]) | np.vecmat(x[:, 0], x) | np.linalg.matrix_power(s, 2)
np.linalg.solve(s, x) | np.linalg.tensorinv(s, 1) | np.compress([True], x) | np.linalg.tensorsolve(s, x[:, 0])
np.copyto(np.zeros((2, 3)), x) | np.put(np.zeros(3), [0], x[0]) | np.place(np.zeros(3), [1] * 3, x)
np.put_along_axis(np.zeros(3), np.array([0]), x[0, 0], 0) | np.putmask(np.zeros((2, 3)), x > 0, x) | np.linalg.qr(x.T)
np.roll(x, 1) | np.trim_zeros(x[0]) | np.fill_diagonal(x, 1.0)
np.linalg.lstsq(x, x)[:3] | np.fill_diagonal(x, 1.0)
np.matvec(x, x[0]) | np.cross(x, x) | np.linalg.cross(x, x) | np.linalg.multi_dot([s, x])
"""
"""Calls of those that need more than ``x``, or ``x`` twice or thrice, or the square matrix ``s``."""

CALLS = {
    eval(text.partition("(")[0]): text for text in OTHERS.strip().replace("\n", " | ").split(" | ") if is_known(text)
}
PLAIN = ["{f}(x)", "{f}(x, x)", "{f}(s)", "{f}(x[0], x[1])", "{f}(x, x, x)", "{f}([x, x])", "{f}(x > 0, x)"]


def call(text, x):
    return eval(text, {"np": np, "x": x, "s": x @ x.T + np.eye(2)})


def call_of(name):
    """A call that NumPy can do on plain numbers, or the one of the table."""
    if eval(name) in CALLS:
        return CALLS[eval(name)]
    for text in PLAIN:
        try:
            call(text.format(f=name), X.copy())
        except Exception:
            continue
        return text.format(f=name)
    raise AssertionError(f"{name} needs a line in the table of calls")


UNUSUAL = """
axis=0 | axis=1 | axis=-1 | axis=None | axis=(0, 1) | axis=(0,) | keepdims=True | keepdims=False | keepdims=1
dtype=int | dtype=np.int8 | dtype=bool | dtype=float | dtype=np.float32 | dtype=np.float16 | dtype=np.longdouble
dtype=complex | dtype=None | dtype='f4' | casting='unsafe' | casting='same_kind' | casting='no' | order='C' | order='F'
order='A' | order='K' | subok=False | subok=True | where=True | where=False | where=x > 0 | where=[True, False, True]
where=np.array([[True], [False]]) | initial=2.5 | initial=-1.5 | initial=x[0, 1] | device='cpu' | copy=True | copy=None
shape=(3, 2) | shape=4 | ddof=1 | ddof=0.5 | correction=1 | correction=0.5 | mean=0.3 | mean=x[0, 0] | bias=True
rowvar=False | fweights=[1, 2, 3] | fweights=2 | aweights=[1.0, 2.0, 0.5] | deg=True | deg=0 | kind='stable'
kind='heapsort' | stable=True | decimals=1 | decimals=-1 | weights=x * x | weights=[1.0, 2.0, 3.0] | returned=True
minlength=7 | mode='wrap' | mode='clip' | mode='raise' | mode='same' | mode='valid' | mode='full' | mode='edge'
mode='r' | mode='complete' | mode='mean' | mode='linear_ramp' | mode='empty' | a_min=0.1, a_max=0.4
a_min=0.1, a_max=None | min=0.1 | max=0.4 | y=x[::-1] | axisa=1 | axisb=1 | axisc=0 | include_initial=True | k=1 | k=-1
k=[0.7] | offset=1 | offset=-1 | axis1=1 | axis2=0 | n=2 | n=3 | n=4 | prepend=0.5 | prepend=x[:, :1] | prepend=x[0, 0]
append=0.5 | append=x[:1] | append=x[0, 0] | right=0.5 | right=True | left=0.5 | period=1.3 | to_end=[1.0, 2.0]
to_end=x[0] | to_begin=0.5 | optimize=True | optimize='greedy' | num=4 | num=1 | endpoint=False | edge_order=2
invert=True | retstep=True | base=2.0 | base=x[0] | sparse=True | indexing='ij' | nan=0.5 | posinf=0.5 | neginf=0.5
method='lower' | method='hazen' | method='inverted_cdf' | axes=(1, 0) | axes=(0,) | axes=1 | axes=[(0, 1), (1, 0)] | m=2
rcond=0.3 | rcond=None | full=True | w=[1.0, 2.0, 0.5] | cov=True | tol=0.5 | start=1 | side='right'
sorter=np.array([1, 0]) | default=0.5 | default=x * 2 | x=[0.0, 1.0, 3.0] | x=x * x | dx=0.5 | trim='f'
return_index=True | return_inverse=True | return_counts=True | equal_nan=False | sorted=False | assume_unique=True
discont=2.0 | N=2 | N=5 | increasing=True | upper=True | p=1 | p='fro' | p=np.inf | UPLO='U' | ord=1 | ord=np.inf
ord=2 | ord=-2 | ord='nuc' | ord='fro' | ord=0 | ord=3 | hermitian=True | full_matrices=False | compute_uv=False | ind=1
norm='ortho' | norm='forward' | s=(2, 4) | s=(3, 2) | rtol=0.5 | atol=0.5 | bitorder='little' | wrap=True
overwrite_input=True | constant_values=3.0 | constant_values=x[0, 0] | stat_length=1 | reflect_type='odd'
signature='dd->d' | signature='f->f' | signature='ff->f' | no_such_setting=1
"""
VALUES: dict[str, list[str]] = {"a_max": []}
for _text in expressions(UNUSUAL):
    VALUES.setdefault(_text.partition("=")[0], []).append(_text.partition("=")[2])
"""Texts of unusual values, by the name of the keyword; those that a function cannot take are errors in NumPy too."""

REDUCED = "add multiply maximum minimum logaddexp logaddexp2 fmax fmin hypot subtract arctan2 logical_and less".split()
OF_UFUNCS = ["dtype", "casting", "order", "subok", "where", "axis", "axes", "keepdims", "signature", "no_such_setting"]
MORE = {"np.pad": ["constant_values", "stat_length", "reflect_type"], "np.clip": OF_UFUNCS[:5]}
MORE |= {"np.einsum": OF_UFUNCS[:4]}
TOGETHER = {"dtype": ["casting='unsafe'", "where=x > 0"], "reflect_type": ["mode='reflect'"], "ddof": ["keepdims=True"]}
TOGETHER |= {
    "where": ["initial=0.5"],
    "stat_length": ["mode='mean'"],
    "num": ["endpoint=False"],
    "axis": ["keepdims=True"],
}
"""Keywords that mean something in company only."""

ASIDE = set(
    """
allow_pickle bins busdaycal comments count delimiter density edgeitems einsum_call encoding fix_imports floatmode fmt
footer formatter header holidays interpolation kw kwargs kwds legacy max_line_width max_work newline out precision
prefix range return_indices roll separator sign style suffix suppress_small threshold timezone unit weekmask
""".split()
)
"""Targets (they have tests of their own), and settings of texts, files, dates and counts."""


METHODS = [f"np.{name}.{method}" for name in REDUCED for method in ("reduce", "accumulate")]
OF_METHODS = ["axis", "dtype", "keepdims", "initial", "where", "no_such_setting"]

FILLED = ("np.zeros_like", "np.ones_like", "np.imag")


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
    """Nothing is passed over: the value is that of NumPy, and so is the derivative, or an error is returned."""

    def plain(x):
        return call(text, x.copy())

    def traced(x):
        found.append(call(text, x))
        return x

    found = []
    expected: list[np.ndarray] | None = None
    with contextlib.suppress(Exception):
        expected = parts(plain(X))
        if "eig" in text:  # which is complex in NumPy 2.5 also where it is real
            expected = [part if np.any(np.imag(part)) else np.real(part) for part in expected]
    try:
        ad.trace(traced, X.copy(), grain=grain)
    except ad.AdvizError as error:
        return str(error)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        if expected is None:
            return ""
        raise
    assert expected is not None, "what is an error in NumPy is none here"
    if "empty" in text:
        assert [part.shape for part in parts(found[0])] == [part.shape for part in expected]
        return ""
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
    return ""


WRITTEN_WITH = {("np.linalg.cond", "scalar"): {"svd"}, ("np.polyfit", "scalar"): {"pinv"}}
"""Functions for which the error names the one that they are written with."""


@pytest.mark.every
@pytest.mark.parametrize("name", NAMES)
def test_a_function_works_as_on_plain_numbers_or_is_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    with warnings.catch_warnings(action="ignore"):
        for grain in ("array", "scalar"):
            message = compare_call(call_of(name), grain)
            names = {eval(name).__name__} | WRITTEN_WITH.get((name, grain), set())
            assert not message or re.search(rf"np\.(\w+\.)?({'|'.join(names)})\b|written into", message), message


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
