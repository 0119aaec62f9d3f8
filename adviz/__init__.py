"""adviz: trace an ordinary NumPy function into a graph, differentiate it, explore it in Jupyter."""

from typing import Any

from .engine.blocks import Block, SimpleBlock, define
from .engine.errors import (
    AdvizError,
    ArrayWriteError,
    BranchError,
    ConversionError,
    IndependentOutputWarning,
    InputError,
    MissingBlockError,
    NonFiniteWarning,
    OutputError,
    TraceClosedError,
)
from .engine.reverse import grad, jacobian, value_and_grad
from .engine.trace import trace
from .engine.variable import Variable
from .graph.graph import Graph, Node
from .graph.timeline import Edit, Step, Timeline, TimelineError, replay, rewind

__version__ = "0.1.0"
