"""adviz: trace an ordinary NumPy function into a graph, differentiate it, explore it in Jupyter."""

from typing import Any

from .algorithms import elimination, sweeps
from .algorithms.elimination import (
    Counting,
    OrderError,
    derivative_graphs,
    dstar,
    edge_elimination,
    face_elimination,
    vertex_elimination,
    why_illegal,
)
from .algorithms.elimination.cases import GRAPHS
from .algorithms.elimination.programs import PROGRAMS
from .algorithms.elimination.search import Optimum, anneal, beam, optimal_order
from .algorithms.sweeps import SeedError, forward_flow, rank_heap, recursion, tape, toposort, use_counts
from .algorithms.sweeps.cases import Cases
from .engine.blocks import Block, SimpleBlock, define
from .engine.checks import check_block
from .engine.derivatives import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .engine.errors import (
    ArrayWriteError,
    BlockError,
    BranchError,
    ConversionError,
    DomainError,
    IndependentOutputWarning,
    InputError,
    MissingBlockError,
    ModeError,
    NonFiniteWarning,
    OutputError,
    ResetGraphError,
    TraceClosedError,
)
from .engine.jacobians import Dense, Diagonal, Jacobian
from .engine.linearize import linearize
from .engine.modes import c_graph, present_mode, reset_graph, set_mode
from .engine.optimize import GD, Adam
from .engine.shortcuts import (
    add,
    arccos,
    arcsin,
    arctan,
    blocks,
    cos,
    cosh,
    divide,
    exp,
    log,
    logistic,
    multiply,
    power,
    sin,
    sinh,
    sqrt,
    subtract,
    sum_elts,
    tan,
    tanh,
)
from .engine.trace import trace
from .engine.variable import Constant, Variable
from .graph.cgraph import CGraph, CGraphError
from .graph.errors import AdvizError
from .graph.graph import Graph
from .graph.linegraph import LineGraph, line_graph
from .graph.node import Node
from .graph.timeline import Edit, Step, Timeline, TimelineError, replay, rewind
from .kernels.backends import set_backend
from .kernels.branches import Branches
from .kernels.compiling import compile_gradient, compile_hessian, compile_jacobian, compile_jvp, compile_vjp
from .kernels.errors import ProgramError
from .kernels.program import Program
from .stage.comparison import compare

__version__ = "0.1.0"

examples = Cases({**sweeps.CASES, **PROGRAMS, **GRAPHS})
"""By name: programs with arguments, on which ways to run backward or orders of elimination differ; and graphs of which
the cheapest eliminations are known."""

__all__ = [
    "GD",
    "Adam",
    "AdvizError",
    "ArrayWriteError",
    "Block",
    "BlockError",
    "BranchError",
    "Branches",
    "CGraph",
    "CGraphError",
    "Constant",
    "ConversionError",
    "Counting",
    "Dense",
    "Diagonal",
    "DomainError",
    "Edit",
    "EliminationPlayer",
    "Explorer",
    "Graph",
    "IndependentOutputWarning",
    "InputError",
    "Jacobian",
    "LineGraph",
    "MissingBlockError",
    "ModeError",
    "Node",
    "NonFiniteWarning",
    "Optimum",
    "OrderError",
    "OutputError",
    "Player",
    "Program",
    "ProgramError",
    "ProgramExplorer",
    "ResetGraphError",
    "SeedError",
    "ShowError",
    "SimpleBlock",
    "Step",
    "Timeline",
    "TimelineError",
    "TraceClosedError",
    "Variable",
    "add",
    "anneal",
    "arccos",
    "arcsin",
    "arctan",
    "beam",
    "blocks",
    "c_graph",
    "check_block",
    "compare",
    "compare_orders",
    "compile_gradient",
    "compile_hessian",
    "compile_jacobian",
    "compile_jvp",
    "compile_vjp",
    "cos",
    "cosh",
    "define",
    "derivative_graphs",
    "divide",
    "dstar",
    "edge_elimination",
    "elimination",
    "examples",
    "exp",
    "explore",
    "face_elimination",
    "figures",
    "forward_flow",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "line_graph",
    "linearize",
    "log",
    "logistic",
    "multiply",
    "optimal_order",
    "play",
    "power",
    "rank_heap",
    "recursion",
    "replay",
    "reset_graph",
    "rewind",
    "set_backend",
    "set_mode",
    "show_backward",
    "show_elimination",
    "show_forward",
    "show_program",
    "show_tape_vs_graph",
    "sin",
    "sinh",
    "sqrt",
    "subtract",
    "sum_elts",
    "sweeps",
    "tan",
    "tanh",
    "tape",
    "toposort",
    "trace",
    "use_counts",
    "value_and_grad",
    "vertex_elimination",
    "vjp",
    "why_illegal",
]


def __getattr__(name: str) -> Any:
    """What needs the notebook or Plotly is imported when it is asked for, so that ``import adviz`` stays light."""
    if name in ("explore", "Explorer"):
        from .jupyter import explorer

        return getattr(explorer, name)
    if name in ("Player", "play", "show_backward", "show_forward", "show_tape_vs_graph"):
        from .jupyter import player

        return getattr(player, name)
    if name == "ShowError":
        from .stage import show

        return show.ShowError
    if name in ("EliminationPlayer", "show_elimination"):
        from .jupyter import eliminations

        return getattr(eliminations, name)
    if name in ("ProgramExplorer", "show_program"):
        from .jupyter import programs

        return getattr(programs, name)
    if name == "compare_orders":
        from .stage import order_comparison

        return order_comparison.compare_orders
    if name == "figures":
        from importlib import import_module

        return import_module(".stage.figures", __name__)
    if name == "mode":
        return present_mode()
    raise AttributeError(f"module 'adviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also those that are imported when they are asked for."""
    return list(__all__)
