"""The rules of NumPy's functions, all in one place: which Blocks, or which other functions, each of them is made of.

``FUNCTIONS`` are carried out by Blocks on whole arrays (NumPy's own code does them on object arrays); ``COMPOSED`` are
written with other functions, and so work on object arrays too; ``PLAIN_FUNCTIONS`` ask about the data and are not
differentiated. NumPy's protocols look here (``tracing/function_calls.py``). A rule is in the module of its subject,
beside the table that names it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import as_program_made
from . import callbacks, casts, curves, entrywise, fourier, linalg, products, rearranging, reductions, shapes
from .arguments import Function, Rules, data_of


def _on_data(function: Function) -> Function:
    return lambda *args, **settings: as_program_made(
        function(*(data_of(arg, decides=False) for arg in args), **settings)
    )


FUNCTIONS: Rules = {np.real: lambda val: val, np.imag: lambda val: val.imag}
for _module in (shapes, rearranging, reductions, curves, products, linalg):
    FUNCTIONS |= _module.FUNCTIONS

NUMPYS_OWN: tuple[Any, ...] = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.ptp)
"""Functions whose own code, in Python, is right for Variables."""
FUNCTIONS |= {function: function.__wrapped__ for function in NUMPYS_OWN}

COMPOSED: Rules = {}
for _module in (entrywise, rearranging, reductions, products, curves, linalg, fourier, callbacks, casts):
    COMPOSED |= _module.COMPOSED
OF_TYPES = (np.result_type, np.common_type, np.can_cast, np.min_scalar_type)
COMPOSED |= {function: _on_data(function) for function in OF_TYPES}

METHODS: dict[str, Rules] = {
    "reduce": reductions.REDUCTIONS,
    "accumulate": reductions.ACCUMULATIONS | rearranging.ACCUMULATIONS,
}
"""The rules of methods of ufuncs, on whole arrays."""

ON_SHAPES = {
    *(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj),
    *(np.array_repr, np.array_str, np.array2string, np.shares_memory, np.may_share_memory),
}
"""Functions that do not ask for values, or only to show them."""

PLAIN_FUNCTIONS = ON_SHAPES | {
    *(np.linalg.matrix_rank, np.nanargmax, np.nanargmin, np.isin, np.array_equiv),
    *(np.argmax, np.argmin, np.argsort, np.argpartition, np.lexsort, np.argwhere, np.nonzero, np.flatnonzero),
    *(np.count_nonzero, np.searchsorted, np.digitize, np.all, np.any, np.allclose, np.isclose, np.array_equal),
    *(np.iscomplex, np.isreal, np.isposinf, np.isneginf),
}
"""Functions that ask about data, or give booleans and indices: computed on the data, not part of the graph."""

UNSUPPORTED = {
    **dict.fromkeys(
        (np.histogram, np.histogram2d, np.histogramdd), "Counts have no derivative; ask for them after tracing."
    ),
    np.polydiv: "Use np.polymul with the quotient.",
}
"""Functions that NumPy's own code would begin and not finish: what to do instead."""

PARAMETERS: dict[Any, list[int]] = {}
"""Ufuncs with operands, by position, with respect to which no derivative is known."""
