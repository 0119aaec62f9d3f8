"""The op graph: a graph that is built first and run later, with storage, an order, and derivatives that are ops.

* build: :func:`placeholder`, :func:`variable`, :func:`persistent`, :func:`constant`; operators and NumPy's functions;
* store and order: :func:`assign`, :func:`isolated`, :func:`ordering`, :func:`doall`, :func:`sequential`;
* name axes, so that operations match by them: :func:`axis`, :func:`with_axes`, :func:`dot`;
* differentiate: :func:`deriv`; several ops that have one derivative: :func:`softmax`, :func:`cross_entropy`,
  :func:`layer_norm` and their like, and a :class:`Schema` of your own;
* train: :func:`sgd`, :func:`adam`, which are made of the others;
* take the ops of a traced graph: :func:`from_graph`;
* run: :func:`computation`, with a :class:`Store` of its own if it is to share none; :func:`save`, :func:`load`;
* see what it does: ``computation.instructions`` are changed by the passes :func:`simplification`,
  :func:`common_subexpressions`, :func:`fusion` and :func:`dead_instructions`, Step by Step; :func:`listing` shows a
  state of them; ``computation.memory`` is the :class:`MemoryPlan`, and :func:`memory_plan` that of instructions which
  passes have changed.

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
from .axes import Axis, axis
from .building import constant, dot, with_axes
from .composites import (
    BinaryCrossEntropy,
    CrossEntropy,
    LayerNorm,
    LogSumExp,
    Schema,
    Sigmoid,
    Softmax,
    binary_cross_entropy,
    cross_entropy,
    layer_norm,
    log_sum_exp,
    sigmoid,
    softmax,
)
from .computations import Computation, computation
from .contexts import isolated, metadata, ordering, with_metadata
from .importing import from_graph
from .memory.layouts import memory_plan
from .memory.memory_plan import Layout, MemoryPlan, Place
from .op_errors import ComputationError, OpError
from .ops import Op
from .passes.fusion import fusion
from .passes.instructions import Instruction, Instructions
from .passes.simplification import common_subexpressions, dead_instructions, listing, simplification
from .stores import Store, load, save, shared
from .storing import assign, doall, persistent, placeholder, sequential, variable
from .training import adam, sgd

__all__ = [
    "Axis",
    "BinaryCrossEntropy",
    "Computation",
    "ComputationError",
    "CrossEntropy",
    "Instruction",
    "Instructions",
    "LayerNorm",
    "Layout",
    "LogSumExp",
    "MemoryPlan",
    "Op",
    "OpError",
    "Place",
    "Schema",
    "Sigmoid",
    "Softmax",
    "Store",
    "adam",
    "assign",
    "axis",
    "binary_cross_entropy",
    "common_subexpressions",
    "computation",
    "constant",
    "cross_entropy",
    "dead_instructions",
    "deriv",
    "doall",
    "dot",
    "from_graph",
    "fusion",
    "isolated",
    "layer_norm",
    "listing",
    "load",
    "log_sum_exp",
    "memory_plan",
    "metadata",
    "ordering",
    "persistent",
    "placeholder",
    "save",
    "sequential",
    "sgd",
    "shared",
    "sigmoid",
    "simplification",
    "softmax",
    "variable",
    "with_axes",
    "with_metadata",
]
