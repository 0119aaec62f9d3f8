"""The op graph: a graph that is built first and run later, with storage, an order, and derivatives that are ops.

* build: :func:`placeholder`, :func:`variable`, :func:`persistent`, :func:`constant`; operators and NumPy's functions;
* store and order: :func:`assign`, :func:`isolated`, :func:`ordering`, :func:`doall`, :func:`sequential`;
* differentiate: :func:`deriv`; train: :func:`sgd`, :func:`adam`, which are made of the others;
* run: :func:`computation`, with a :class:`Store` of its own if it is to share none; :func:`save`, :func:`load`.

>>> import numpy as np
>>> x, w = placeholder((2,)), variable((2,), 1.0)
>>> loss = np.sum((w * x - 3) ** 2)
>>> with isolated():
...     step = assign(w, w - 0.1 * deriv(loss, w))
>>> train = computation([loss, step], x)
>>> [round(train([1.0, 2.0])[0], 3) for _ in range(3)]
[5.0, 2.6, 1.64]
"""

from .adjoint_ops import deriv
from .building import constant
from .computations import Computation, Store, computation, load, save, shared
from .contexts import isolated, metadata, ordering
from .op_errors import ComputationError, OpError
from .ops import Op
from .storing import assign, doall, persistent, placeholder, sequential, variable
from .training import adam, sgd

__all__ = [
    "Computation",
    "ComputationError",
    "Op",
    "OpError",
    "Store",
    "adam",
    "assign",
    "computation",
    "constant",
    "deriv",
    "doall",
    "isolated",
    "load",
    "metadata",
    "ordering",
    "persistent",
    "placeholder",
    "save",
    "sequential",
    "sgd",
    "shared",
    "variable",
]
