"""adviz: trace an ordinary NumPy function into a graph, differentiate it, explore it in Jupyter."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from .algorithms.sweeps import SeedError, forward_flow, rank_heap, recursion, tape, toposort, use_counts
from .engine.blocks import Block, SimpleBlock, define
from .engine.checks import check_block, check_gradient
from .engine.classic_interface import (
    GD,
    Adam,
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
from .engine.derivatives import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .engine.jacobians.local import Dense, Diagonal, Jacobian
from .engine.linearize import linearize
from .engine.measuring import BudgetError, budget, live_bytes, load, profile
from .engine.modes import c_graph, present_mode, reset_graph, set_mode
from .engine.trace import trace
from .engine.trace_errors import (
    ArrayWriteError,
    BlockError,
    BranchError,
    ConversionError,
    DomainError,
    GradientError,
    IndependentOutputWarning,
    InputError,
    MissingBlockError,
    ModeError,
    NonFiniteWarning,
    OutputError,
    ResetGraphError,
    TraceClosedError,
)
from .engine.variable import Constant, Variable
from .graph.comparing.differences import compare_graphs
from .graph.errors import AdvizError
from .graph.files.container import GraphFileError
from .graph.graph import Graph, Node
from .graph.linearized.cgraph import CGraph
from .graph.linearized.checked_parts import CGraphError
from .graph.linearized.line_graph import LineGraph, line_graph
from .graph.queries.data_table import Table
from .graph.queries.found_nodes import Nodes
from .graph.queries.query_language import QueryError
from .graph.timeline import Edit, Step, Timeline, TimelineError, replay, rewind

if TYPE_CHECKING:
    from . import lazy
    from .algorithms import expressions as algebra
    from .algorithms.examples.small_functions import Cases
    from .algorithms.search import Optimum, anneal, beam, optimal_order
    from .kernels.arrays.array_program import ArrayProgram
    from .kernels.backends.selection import set_backend
    from .kernels.branches import Branches
    from .kernels.compiling import (
        compile,
        compile_gradient,
        compile_hessian,
        compile_hvp,
        compile_jacobian,
        compile_jvp,
        compile_vjp,
    )
    from .kernels.program.program import Program
    from .kernels.program_errors import ProgramError
    from .stage.figures.leaderboard import compare

    examples: Cases

__version__ = "0.1.0"

__all__ = [
    "GD",
    "Adam",
    "AdvizError",
    "AlgebraPlayer",
    "ArrayProgram",
    "ArrayWriteError",
    "Block",
    "BlockError",
    "BranchError",
    "Branches",
    "BudgetError",
    "CGraph",
    "CGraphError",
    "ComparisonExplorer",
    "Constant",
    "ConversionError",
    "Counting",
    "Dense",
    "Diagonal",
    "DomainError",
    "Edit",
    "EliminationPlayer",
    "Explorer",
    "GradientError",
    "Graph",
    "GraphFileError",
    "IndependentOutputWarning",
    "InputError",
    "Jacobian",
    "Lesson",
    "LineGraph",
    "MissingBlockError",
    "ModeError",
    "Node",
    "Nodes",
    "NonFiniteWarning",
    "Optimum",
    "OrderError",
    "OutputError",
    "Player",
    "Program",
    "ProgramError",
    "ProgramExplorer",
    "QueryError",
    "ResetGraphError",
    "SeedError",
    "ShowError",
    "SimpleBlock",
    "Step",
    "Table",
    "Timeline",
    "TimelineError",
    "TraceClosedError",
    "Variable",
    "add",
    "algebra",
    "anneal",
    "arccos",
    "arcsin",
    "arctan",
    "beam",
    "blocks",
    "budget",
    "c_graph",
    "check_block",
    "check_gradient",
    "compare",
    "compare_graphs",
    "compare_orders",
    "compile",
    "compile_gradient",
    "compile_hessian",
    "compile_hvp",
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
    "lazy",
    "leaderboard",
    "lesson",
    "line_graph",
    "linearize",
    "live_bytes",
    "load",
    "log",
    "logistic",
    "multiply",
    "optimal_order",
    "play",
    "power",
    "profile",
    "rank_heap",
    "recursion",
    "replay",
    "reset_graph",
    "rewind",
    "set_backend",
    "set_mode",
    "show_algebra",
    "show_backward",
    "show_build",
    "show_comparison",
    "show_computation",
    "show_elimination",
    "show_forward",
    "show_ops",
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


PACKAGES = {"algebra": ".algorithms.expressions", "figures": ".stage.figures.sizes", "lazy": ".lazy"}
LATER = PACKAGES | {
    name: module
    for module, names in {
        ".algorithms.search": "Optimum anneal beam optimal_order",
        ".jupyter.algebra_player": "AlgebraPlayer show_algebra",
        ".jupyter.comparison_explorer": "ComparisonExplorer show_comparison",
        ".jupyter.elimination_player": "EliminationPlayer show_elimination",
        ".jupyter.explorer": "Explorer explore",
        ".jupyter.op_players": "show_build show_computation show_ops",
        ".jupyter.program_pages": "ProgramExplorer show_program",
        ".jupyter.sweep_players": "Player play show_backward show_forward show_tape_vs_graph",
        ".kernels.arrays.array_program": "ArrayProgram",
        ".kernels.backends.selection": "set_backend",
        ".kernels.compiling": (
            "compile compile_gradient compile_hessian compile_hvp compile_jacobian compile_jvp compile_vjp"
        ),
        ".kernels.branches": "Branches",
        ".kernels.program.program": "Program",
        ".kernels.program_errors": "ProgramError",
        ".lessons.shelf": "Lesson lesson",
        ".stage.figures.leaderboard": "compare leaderboard",
        ".stage.figures.order_comparison": "compare_orders",
        ".stage.shows.options": "ShowError",
    }.items()
    for name in names.split()
}
"""Where the names are that are imported when they are first used."""


def __getattr__(name: str) -> Any:
    """Import what a gradient does not need when it is first used, so that ``import adviz`` stays light."""
    if name == "mode":
        return present_mode()
    if name == "examples":
        return _examples()
    module = LATER.get(name)
    if module is None:
        from .graph.errors import no_attribute

        raise no_attribute(name, __all__)
    found = import_module(module, __name__)
    return found if name in PACKAGES else getattr(found, name)


@cache
def _examples() -> "Cases":
    """Examples by name.

    They are programs with arguments on which backward engines or elimination orders differ, and graphs whose cheapest
    eliminations are known.
    """
    from .algorithms.examples.figures import FIGURES
    from .algorithms.examples.functions import PROGRAMS
    from .algorithms.examples.known_optima import GRAPHS
    from .algorithms.examples.small_functions import Cases

    return Cases({**sweeps.CASES, **PROGRAMS, **GRAPHS, **FIGURES})


def __dir__() -> list[str]:
    """List the public names, including those that are imported on first use."""
    return list(__all__)
