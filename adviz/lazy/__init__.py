"""The op graph: a graph that is built first and run later, with storage, an order, and derivatives that are ops.

* build: :func:`placeholder`, :func:`variable`, :func:`persistent`, :func:`constant`; operators and NumPy's functions;
* store and order: :func:`assign`, :func:`isolated`, :func:`ordering`, :func:`doall`, :func:`sequential`;
* differentiate: :func:`deriv`;
* run: :func:`computation`, with a :class:`Store` of its own if it is to share none; :func:`save`, :func:`load`;
* see what it does: ``computation.instructions`` are changed by the passes :func:`simplification`,
  :func:`common_subexpressions`, :func:`fusion` and :func:`dead_instructions`, Step by Step; ``computation.memory`` is
  the :class:`MemoryPlan`, and :func:`memory_plan` that of instructions which passes have changed.

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
from .memory.layouts import memory_plan
from .memory.memory_plan import Layout, MemoryPlan, Place
from .op_errors import ComputationError, OpError
from .ops import Op
from .passes.common_subexpressions import common_subexpressions
from .passes.dead_instructions import dead_instructions
from .passes.fusion import fusion
from .passes.instructions import Instruction, Instructions
from .passes.simplification import simplification
from .storing import assign, doall, persistent, placeholder, sequential, variable

__all__ = [
    "Computation",
    "ComputationError",
    "Instruction",
    "Instructions",
    "Layout",
    "MemoryPlan",
    "Op",
    "OpError",
    "Place",
    "Store",
    "assign",
    "common_subexpressions",
    "computation",
    "constant",
    "dead_instructions",
    "deriv",
    "doall",
    "fusion",
    "isolated",
    "load",
    "memory_plan",
    "metadata",
    "ordering",
    "persistent",
    "placeholder",
    "save",
    "sequential",
    "shared",
    "simplification",
    "variable",
]
