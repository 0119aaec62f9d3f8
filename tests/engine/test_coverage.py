"""All of NumPy: each function that asks its arguments either works on Variables, or says its name."""

import re
import warnings

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions.arguments import data_of
from adviz.engine.functions.products import Complex

from ..catalogue import X, is_known

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


def numbers_in(found):
    """All numbers of a result, which may be a tuple of arrays; nothing of texts and types."""
    if isinstance(found, Complex):
        return numbers_in([found.real, found.imag])
    if isinstance(found, list | tuple):
        return np.concatenate([numbers_in(part) for part in found]) if found else np.zeros(0)
    found = np.asarray(data_of(found))
    if found.dtype.kind == "c":
        return numbers_in([found.real, found.imag])
    return found.ravel().astype(float) if found.dtype.kind in "bifO" else np.zeros(0)


@pytest.mark.every
@pytest.mark.parametrize("name", NAMES)
def test_a_function_works_as_on_plain_numbers_or_is_named(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    for grain in ("array", "scalar"):
        check_function(name, grain)


def check_function(name, grain):
    found, message = [], ""

    def f(x):
        found.append(call(text, x))
        return x

    with warnings.catch_warnings(action="ignore"):
        text = call_of(name)
        try:
            ad.trace(f, X, grain=grain)
        except ad.AdvizError as error:
            message = str(error)
        plain = None if message else call(text, X.copy())
        expected = numbers_in(as_real(plain) if "eig" in name and not message else plain)
    if message:
        names = {eval(name).__name__} | WRITTEN_WITH.get((name, grain), set())
        assert re.search(rf"np\.(\w+\.)?({'|'.join(names)})\b|written into", message), message
    elif "empty" not in name:
        np.testing.assert_allclose(numbers_in(found[0]), expected, rtol=1e-12, atol=1e-14)


def as_real(found):
    """Eigenvalues and eigenvectors, which are complex numbers for NumPy 2.5 also where they are real."""
    if isinstance(found, tuple):
        return tuple(map(as_real, found))
    assert not np.any(np.imag(found))
    return np.real(found)


WRITTEN_WITH = {("np.linalg.cond", "scalar"): {"svd"}, ("np.polyfit", "scalar"): {"pinv"}}
"""Functions for which the error names the one that they are written with."""
