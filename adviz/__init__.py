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
from .engine.jacobians import Dense, Diagonal, Jacobian
from .engine.reverse import grad, jacobian, value_and_grad
from .engine.trace import trace
from .engine.variable import Variable
from .graph.graph import Graph
from .graph.node import Node
from .graph.timeline import Edit, Step, Timeline, TimelineError, replay, rewind

__version__ = "0.1.0"

__all__ = [
    "AdvizError",
    "ArrayWriteError",
    "Block",
    "BranchError",
    "ConversionError",
    "Dense",
    "Diagonal",
    "Edit",
    "Explorer",
    "Graph",
    "IndependentOutputWarning",
    "InputError",
    "Jacobian",
    "MissingBlockError",
    "Node",
    "NonFiniteWarning",
    "OutputError",
    "SimpleBlock",
    "Step",
    "Timeline",
    "TimelineError",
    "TraceClosedError",
    "Variable",
    "define",
    "explore",
    "figures",
    "grad",
    "jacobian",
    "replay",
    "rewind",
    "trace",
    "value_and_grad",
]


def __getattr__(name: str) -> Any:
    """What needs the notebook or Plotly is imported when it is asked for, so that ``import adviz`` stays light."""
    if name in ("explore", "Explorer"):
        from .jupyter import explorer

        return getattr(explorer, name)
    if name == "figures":
        from importlib import import_module

        return import_module(".stage.figures", __name__)
    raise AttributeError(f"module 'adviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also those that are imported when they are asked for."""
    return list(__all__)
