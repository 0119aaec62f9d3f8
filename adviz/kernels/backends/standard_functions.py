"""What the array API standard (data-apis.org/array-api) lacks, composed of its functions, for any library ``xp``.

:func:`bound_to` has these functions for a library; a program that is saved has the source of those that it calls, below
``import … as xp``. Arrays that are made take the dtype and the device of another array, ``like``.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy

xp: Any = numpy
"""The library; :func:`bound_to` puts another in its place."""

# ---- arrays that are made ----


def on(like: Any) -> dict[str, Any]:
    """Return the device of an array, as a keyword argument; JAX needs none."""
    return {} if type(like).__module__.startswith("jax") else {"device": like.device}


def array(values: Any, like: Any) -> Any:
    """Return real numbers as an array."""
    return xp.asarray(values, dtype=like.dtype, **on(like))


def integers(values: Any, like: Any) -> Any:
    """Whole numbers as an array."""
    return xp.asarray(values, **on(like))


def booleans(values: Any, like: Any) -> Any:
    """Truth values as an array."""
    return xp.asarray(values, dtype=xp.bool, **on(like))


def zeros(shape: Any, like: Any) -> Any:
    """Zeros."""
    return xp.zeros(shape, dtype=like.dtype, **on(like))


def ones(shape: Any, like: Any) -> Any:
    """Ones."""
    return xp.ones(shape, dtype=like.dtype, **on(like))


def full(shape: Any, value: Any, like: Any) -> Any:
    """Return a number, repeated."""
    return xp.full(shape, value, dtype=like.dtype, **on(like))


def eye(count: int, like: Any) -> Any:
    """Return the identity matrix."""
    return xp.eye(count, dtype=like.dtype, **on(like))


def real(x: Any, like: Any) -> Any:
    """Whole numbers and truth values as real numbers."""
    return xp.astype(x, like.dtype)


def whole(x: Any) -> Any:
    """Return numbers and truth values as whole numbers."""
    return xp.astype(x, xp.asarray(0).dtype)


# ---- entries ----


def entries(x: Any, key: tuple[Any, ...]) -> Any:
    """``x[key]``, where arrays of whole numbers may stand among slices."""
    if hasattr(x, "at"):  # JAX has all of NumPy's indexing
        return x[key]
    places = numbered(x.shape, key, x)
    return xp.reshape(xp.take(xp.reshape(x, (-1,)), xp.reshape(places, (-1,))), places.shape)


def numbered(shape: Any, key: tuple[Any, ...], like: Any) -> Any:
    """Return which entries a key takes of an array of a shape, counted row by row.

    The axes of arrays stand together where theirs were, or first, if anything is between them in the key.
    """
    arrays_at = [
        k for k, part in enumerate(key) if part is not None and part is not ... and not isinstance(part, slice)
    ]
    together = len({k - j for j, k in enumerate(arrays_at)}) <= 1
    missing = len(shape) - sum(1 for part in key if part is not None and part is not ...)
    dots = [k for k, part in enumerate(key) if part is ...] or [len(key)]
    key = (*key[: dots[0]], *[slice(None)] * missing, *key[dots[0] + 1 :])
    chosen = [k for k, part in enumerate(key) if part is not None and not isinstance(part, slice)]
    arrays = xp.broadcast_arrays(*(xp.asarray(key[k], **on(like)) for k in chosen)) if chosen else []
    own = arrays[0].ndim if chosen else 0
    first = (chosen[0] if together else 0) if chosen else len(key)
    count, place, axis = len(key) - len(chosen) + own, 0, 0
    strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    result = xp.zeros((1,) * count, dtype=xp.asarray(0).dtype, **on(like))
    for k, part in enumerate(key):
        if k in chosen:
            each = arrays[chosen.index(k)]
            each = xp.where(each < 0, each + shape[axis], each)
            each = xp.reshape(each, (*(1,) * first, *each.shape, *(1,) * (count - first - own)))
        else:
            here = place if place < first else place + own
            place += 1
            if part is None:
                continue
            each = xp.asarray([*range(*part.indices(shape[axis]))], dtype=result.dtype, **on(like))
            each = xp.reshape(each, (*(1,) * here, -1, *(1,) * (count - here - 1)))
        result = result + strides[axis] * each
        axis += 1
    return result


def taken(x: Any, places: Any, axis: int | None = None) -> Any:
    """Return the entries of an array at places along an axis, or counted row by row."""
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    axis = axis % x.ndim
    places = xp.where(places < 0, places + x.shape[axis], places)
    result = xp.take(x, xp.reshape(places, (-1,)), axis=axis)
    return xp.reshape(result, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


def is_plain(key: tuple[Any, ...]) -> bool:
    """Return whether all libraries write at a key: it has no arrays, no new axes and no negative steps."""
    return all(
        part is ... or isinstance(part, int) or (isinstance(part, slice) and (part.step or 1) > 0) for part in key
    )


def whole_key(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key that says that it has all entries of further axes, as the standard wants it."""
    return key if any(part is ... for part in key) else (*key, ...)


def put(x: Any, value: Any, key: tuple[Any, ...]) -> Any:
    """Return a copy of an array with a value in the place of the entries at a key; the last counts where some repeat.

    At arrays of whole numbers it compares each with all places, which takes memory for as many truth values.
    """
    value = value if hasattr(value, "dtype") else xp.asarray(value, dtype=x.dtype, **on(x))
    value = xp.astype(value, x.dtype)
    if hasattr(x, "at"):  # arrays of JAX are not written into
        return x.at[key].set(value)
    if is_plain(key):
        result = xp.asarray(x, copy=True)
        result[whole_key(key)] = value
        return result
    places = numbered(x.shape, key, x)
    value = xp.reshape(xp.broadcast_to(value, places.shape), (-1,))
    places, numbers = xp.reshape(places, (-1,)), xp.arange(math.prod(x.shape), **on(x))
    if not places.shape[0]:
        return x
    is_there = numbers[:, None] == places[None, :]
    last = places.shape[0] - 1 - xp.argmax(whole(xp.flip(is_there, axis=1)), axis=1)
    chosen = xp.where(xp.any(is_there, axis=1), xp.take(value, last), xp.reshape(x, (-1,)))
    return xp.reshape(chosen, x.shape)


def added(x: Any, part: Any, key: tuple[Any, ...]) -> Any:
    """Return an array with a part added to its entries at a key, where some may repeat; it is changed if it can be."""
    if hasattr(x, "at"):  # arrays of JAX are not written into
        return x.at[key].add(part)
    if is_plain(key):
        key = whole_key(key)
        x[key] = x[key] + part
        return x
    places = numbered(x.shape, key, x)
    part = xp.reshape(xp.broadcast_to(xp.asarray(part, dtype=x.dtype), places.shape), (-1,))
    return x + xp.reshape(summed_at(xp.reshape(places, (-1,)), part, math.prod(x.shape)), x.shape)


def summed_at(places: Any, part: Any, size: int) -> Any:
    """Return so many zeros, with the entries of a part added up at places.

    A library that has no function for it compares each place with all, which takes memory for as many numbers.
    """
    places, part = xp.reshape(places, (-1,)), xp.reshape(part, (-1,))
    if hasattr(part, "at"):  # of JAX
        return xp.zeros(size, dtype=part.dtype).at[places].add(part)
    if hasattr(part, "index_add"):  # of PyTorch
        return xp.zeros(size, dtype=part.dtype, **on(part)).index_add(0, places, part)
    is_there = xp.arange(size, **on(part))[:, None] == places[None, :]
    return xp.sum(xp.where(is_there, part[None, :], xp.zeros_like(part)[None, :]), axis=1)


# ---- products and shapes ----


def outer(x: Any, y: Any) -> Any:
    """Return the products of all entries of two vectors."""
    return x[:, None] * y[None, :]


def einsum(text: str, *arrays: Any) -> Any:
    """Return a sum of products of entries; the library's own, if there is one."""
    if hasattr(xp, "einsum"):
        return xp.einsum(text, *arrays)
    inputs, _, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "->" not in text:
        letters = sorted(set(inputs) - {".", ","})
        output = "..." * ("..." in inputs) + "".join(each for each in letters if inputs.count(each) == 1)
    most = max(x.ndim - len(term.replace("...", "")) for term, x in zip(terms, arrays, strict=True))
    spare = [each for each in map(chr, range(0x391, 0x3AA)) if each not in text]
    full = [
        term.replace("...", "".join(spare[most - x.ndim + len(term.replace("...", "")) : most]))
        for term, x in zip(terms, arrays, strict=True)
    ]
    output = output.replace("...", "".join(spare[:most]))
    axes = output + "".join(sorted(set("".join(full)) - set(output)))
    product: Any = 1
    for term, x in zip(full, arrays, strict=True):
        for each in sorted(set(term)):
            while term.count(each) > 1:  # a diagonal
                one, other = term.index(each), term.rindex(each)
                x = xp.linalg.diagonal(xp.moveaxis(x, (one, other), (-2, -1)))
                term = term[:one] + term[one + 1 : other] + term[other + 1 :] + each
        order = [term.index(each) for each in axes if each in term]
        x = xp.permute_dims(x, order)
        shape = iter(x.shape)
        product = product * xp.reshape(x, tuple(next(shape) if each in term else 1 for each in axes))
    summed = tuple(range(len(output), len(axes)))
    return xp.sum(product, axis=summed) if summed else product


def diagonal(x: Any, offset: int, axis: int, other: int) -> Any:
    """Return a diagonal of matrices."""
    return xp.linalg.diagonal(xp.moveaxis(x, (axis, other), (-2, -1)), offset=offset)


def on_diagonal(x: Any, offset: int) -> Any:
    """Return a matrix with a vector on a diagonal, and zeros elsewhere."""
    x = xp.reshape(x, (-1,))
    count = x.shape[0] + abs(offset)
    numbers = xp.arange(count, **on(x))
    places = xp.arange(x.shape[0], **on(x))
    rows = places + max(-offset, 0)
    is_there = (numbers[:, None, None] == rows) & (numbers[None, :, None] == places + max(offset, 0))
    return xp.sum(xp.where(is_there, x, xp.zeros_like(x)), axis=-1)


def windows(x: Any, sizes: Any, axes: Any = None) -> Any:
    """Return all windows of some sizes, along axes of their own at the end."""
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    axes = range(x.ndim) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    count = x.ndim
    for size, axis in zip(sizes, axes, strict=True):
        axis = axis % count
        numbers = xp.arange(x.shape[axis] - size + 1, **on(x))[:, None] + xp.arange(size, **on(x))
        x = xp.moveaxis(taken(x, numbers, axis), axis + 1, -1)
    return x


def rows(x: Any) -> Any:
    """Return the entries of an array along its first axis."""
    return [x[k, ...] for k in range(x.shape[0])]


# ---- functions of numbers ----


def cbrt(x: Any) -> Any:
    """Return the cube root."""
    root = xp.sign(x) * abs(x) ** (1 / 3)
    better = root - (root - x / (root * root)) / 3  # 1/3 is no floating-point number: one step of Newton
    return xp.where(xp.isfinite(x) & (x != 0), better, root)


def exp2(x: Any) -> Any:
    """Powers of 2."""
    return 2.0**x


def fmax(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, or the one that is no NaN."""
    return xp.where(xp.isnan(a), b, xp.where(xp.isnan(b), a, xp.maximum(a, b)))


def fmin(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, or the one that is no NaN."""
    return xp.where(xp.isnan(a), b, xp.where(xp.isnan(b), a, xp.minimum(a, b)))


def fmod(a: Any, b: Any) -> Any:
    """Return the remainder with the sign of the dividend."""
    rest = xp.remainder(abs(a), abs(b))
    return xp.where(xp.signbit(a), -rest, rest)


def heaviside(x: Any, half: Any) -> Any:
    """0 for negative numbers, 1 for positive ones, ``half`` at 0."""
    return xp.where(x == 0, half, xp.where(xp.isnan(x), x, xp.where(x > 0, xp.ones_like(x), xp.zeros_like(x))))


def logaddexp2(a: Any, b: Any) -> Any:
    """Return the logarithm to base 2 of a sum of powers of 2, without overflow."""
    return xp.where(a == b, a + 1.0, xp.maximum(a, b) + xp.log1p(2.0 ** -abs(a - b)) / math.log(2))


def logistic(x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    e = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, xp.ones_like(e), e) / (1 + e)


def logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    """log(sum(exp(x))), without overflow."""
    top = xp.max(x, axis=axis, keepdims=True) if math.prod(x.shape) else xp.zeros((1,) * x.ndim, dtype=x.dtype, **on(x))
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    total = xp.log(xp.sum(xp.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else xp.squeeze(total, axis=tuple(range(x.ndim)) if axis is None else axis)


# ---- linear algebra ----


def eigh_in_one(a: Any, uplo: str) -> Any:
    """Return eigenvalues of symmetric matrices, with the eigenvectors as columns below them."""
    a = xp.tril(a) + xp.tril(a, k=-1).mT if uplo == "L" else xp.triu(a) + xp.triu(a, k=1).mT
    w, v = xp.linalg.eigh(a)
    return xp.concat([w[..., None, :], v], axis=-2)


def svd_in_one(a: Any) -> Any:
    """u, a row of singular values, and v, below each other."""
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    return xp.concat([u, s[..., None, :], vh.mT], axis=-2)


def qr_in_one(a: Any) -> Any:
    """q and r, below each other."""
    return xp.concat([*xp.linalg.qr(a)], axis=-2)


# ---- transforms ----


def fft_of_real(x: Any, axes: Any, norm: Any) -> Any:
    """Return the real and the imaginary part of a Fourier transform."""
    z = xp.fft.fftn(as_complex(x), axes=axes, norm=norm)
    return xp.stack([xp.real(z), xp.imag(z)])


def fft_of_parts(x: Any, axes: Any, norm: Any) -> Any:
    """Return the real and the imaginary part of the Fourier transform of x[0] + 1j * x[1]."""
    z = xp.fft.fftn(as_complex(x[0, ...]) + 1j * as_complex(x[1, ...]), axes=axes, norm=norm)
    return xp.stack([xp.real(z), xp.imag(z)])


def ifft_of_parts(x: Any, axes: Any, norm: Any) -> Any:
    """Return the real and the imaginary part of the inverse Fourier transform of x[0] + 1j * x[1]."""
    z = xp.fft.ifftn(as_complex(x[0, ...]) + 1j * as_complex(x[1, ...]), axes=axes, norm=norm)
    return xp.stack([xp.real(z), xp.imag(z)])


def as_complex(x: Any) -> Any:
    """Return real numbers as complex ones of the same precision."""
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)


def convolve(a: Any, b: Any) -> Any:
    """Return the convolution of two vectors; the library's own, if there is one."""
    if hasattr(xp, "convolve"):
        return xp.convolve(a, b)
    count = b.shape[0]
    parts = [xp.concat([zeros((k,), a), a * b[k], zeros((count - 1 - k,), a)]) for k in range(count)]
    return xp.sum(xp.stack(parts), axis=0)


NOT_CALLED = {"bound_to", "source_of", "needed_by"}


def _names() -> list[str]:
    """Return the names of the functions that programs call."""
    result = (name for name, each in globals().items() if inspect.isfunction(each) and each.__module__ == __name__)
    return [name for name in result if name not in NOT_CALLED and not name.startswith("_")]


@cache
def bound_to(library: Any) -> dict[str, Any]:
    """Return the functions of this module by their names, for a library, and the library itself as ``xp``.

    >>> bound_to(numpy)["outer"](numpy.ones(2), numpy.ones(3)).shape
    (2, 3)
    """
    scope: dict[str, Any] = {**globals(), "xp": library}
    for name in NAMES:
        function = globals()[name]
        scope[name] = FunctionType(function.__code__, scope, name, function.__defaults__)
    return scope


def needed_by(source: str) -> list[str]:
    """Return the functions of this module that a source calls, and those that they call, in their order here.

    >>> needed_by("y = windows(x, (2,))")
    ['on', 'taken', 'windows']
    """
    result: list[str] = []
    pending = [source]
    while pending:
        text = pending.pop()
        called = [name for name in NAMES if re.search(rf"(?<![\w.]){name}\(", text) and name not in result]
        result += called
        pending += map(source_of, called)
    return sorted(result, key=NAMES.index)


def source_of(name: str) -> str:
    """Return the source of a function of this module."""
    function: Callable[..., Any] = globals()[name]
    return inspect.getsource(function).strip()


NAMES = _names()
"""The names of the functions that programs call."""
