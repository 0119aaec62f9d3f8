"""Functions that ask about the data, where a trace of arrays is to hold at every point: truth values and indices.

In such a trace they are nodes; in all others they are computed on the data and leave no trace
(``functions/registry.py``). How many numbers a result has may not depend on the values: that is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..functions.arguments import Function, Rules, is_saved, joined, name_of
from ..recording.unsupported import sized_by_data
from ..rules.kinks import ARGMAX, ARGMIN, ARGPARTITION, ARGSORT, DIGITIZE, LEXSORT, SEARCHSORTED
from ..rules.selection import ALL, ANY

# ---- truth values ----


def _quantified(block: Callable[..., Any], left_out: bool) -> Function:
    """``np.any`` and ``np.all``."""

    def apply(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = left_out,
        where: Any = True,
    ) -> Any:
        if where is not True and where is not np._NoValue:
            a = np.where(where, np.not_equal(a, 0), left_out)
        return block(a, axis, is_saved(keepdims))

    return apply


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """``np.isclose``, following NumPy."""
    near = np.less_equal(np.abs(np.subtract(a, b)), atol + rtol * np.abs(b)) & np.isfinite(b) | np.equal(a, b)
    return near | (np.isnan(a) & np.isnan(b)) if equal_nan else near


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """``np.array_equal``."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = np.equal(a1, a2)
    return np.all(same | (np.isnan(a1) & np.isnan(a2)) if equal_nan else same)


def array_equiv(a1: Any, a2: Any) -> Any:
    """``np.array_equiv``."""
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return np.all(np.equal(a1, a2))


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, **others: Any) -> Any:
    """``np.isin``: each entry compared with each."""
    result = np.any(np.equal(np.expand_dims(element, -1), np.ravel(test_elements)), axis=-1)
    return np.logical_not(result) if invert else result


def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """``np.count_nonzero``."""
    return np.sum(np.not_equal(a, 0), axis=axis, keepdims=keepdims)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """``np.linalg.matrix_rank``: the number of singular values that are not small beside the largest."""
    if np.ndim(A) < 2:
        return np.any(np.not_equal(A, 0)).astype(int)
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else np.linalg.svdvals(A)
    if tol is None:
        share = max(np.shape(A)[-2:]) * np.finfo(s.dtype).eps if rtol is None else np.expand_dims(rtol, -1)
        tol = np.max(s, axis=-1, keepdims=True) * share
    else:
        tol = np.expand_dims(tol, -1)
    return np.sum(np.greater(s, tol), axis=-1)


# ---- indices ----


def _extreme(block: Callable[..., Any]) -> Function:
    def apply(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
        return block(a, axis, is_saved(keepdims))

    return apply


def _nan_extreme(find: Function, filling: float) -> Function:
    return lambda a, *args, **settings: find(np.where(np.isnan(a), filling, a), *args, **settings)


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """``np.argsort``."""
    return ARGSORT(np.ravel(a) if axis is None else a, -1 if axis is None else axis, "stable" if stable else kind)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """``np.argpartition``."""
    return ARGPARTITION(np.ravel(a) if axis is None else a, kth, -1 if axis is None else axis, kind)


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """``np.searchsorted``."""
    return SEARCHSORTED(a if sorter is None else np.take(a, sorter), v, side)


def ix_(*args: Any) -> Any:
    """``np.ix_`` of indices."""
    count = len(args)
    return tuple(np.reshape(each, (1,) * k + (-1,) + (1,) * (count - k - 1)) for k, each in enumerate(args))


def _of_unknown_size(function: Any) -> Function:
    def refuse(*args: Any, **settings: Any) -> Any:
        raise sized_by_data(name_of(function))

    return refuse


NODES: Rules = {
    np.all: _quantified(ALL, True),
    np.any: _quantified(ANY, False),
    np.isclose: isclose,
    np.allclose: lambda a, b, *args, **settings: np.all(isclose(a, b, *args, **settings)),
    np.array_equal: array_equal,
    np.array_equiv: array_equiv,
    np.isin: isin,
    np.isposinf: lambda x, out=None: np.equal(x, np.inf),
    np.isneginf: lambda x, out=None: np.equal(x, -np.inf),
    np.isreal: lambda x: np.ones(np.shape(x), bool),
    np.iscomplex: lambda x: np.zeros(np.shape(x), bool),
    np.count_nonzero: count_nonzero,
    np.linalg.matrix_rank: matrix_rank,
    np.argmax: _extreme(ARGMAX),
    np.argmin: _extreme(ARGMIN),
    np.nanargmax: _nan_extreme(np.argmax, -np.inf),
    np.nanargmin: _nan_extreme(np.argmin, np.inf),
    np.argsort: argsort,
    np.argpartition: argpartition,
    np.lexsort: lambda keys, axis=-1: LEXSORT(axis, *map(joined, keys)),
    np.searchsorted: searchsorted,
    np.ix_: ix_,
    np.digitize: lambda x, bins, right=False: DIGITIZE(x, bins, right),
    **{function: _of_unknown_size(function) for function in (np.nonzero, np.argwhere, np.flatnonzero)},
}
"""The rules of those functions; arguments are the values that are asked about."""

QUANTIFIED: Rules = {np.logical_and: NODES[np.all], np.logical_or: NODES[np.any]}
"""The ufuncs whose ``reduce`` is one of them."""
