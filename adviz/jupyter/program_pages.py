"""Programs in a notebook: the function, the program compiled from it, and its graph, side by side."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from ..algorithms.elimination.moves import OrderError
from ..algorithms.examples.small_functions import Case
from ..engine.calls import check_call
from ..engine.trace_errors import OutputError
from ..kernels.arrays.array_compiling import is_long
from ..kernels.arrays.array_program import ArrayProgram
from ..kernels.branches import Paths
from ..kernels.compiling import compile_gradient, compile_hessian, compile_jacobian
from ..kernels.program.program import Program
from ..stage.figures import roofline
from ..stage.layout import placing
from ..stage.shows.options import ShowError, chosen
from ..stage.shows.program_scene import program_scene
from .explorer import Explorer

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COMPILERS: dict[str, Callable[..., Program]] = {
    "jacobian": compile_jacobian,
    "gradient": compile_gradient,
    "hessian": compile_hessian,
}
ORDERS = ("best", "forward", "reverse", "markowitz")
"""Programs that are drawn below the roof beside the one that is shown."""

Compiled = Program | Paths[Any] | ArrayProgram


def show_program(
    f: Callable[..., Any] | Case | Compiled,
    /,
    *example: Any,
    derivative: str | None = None,
    order: Any = "best",
    **options: Any,
) -> ProgramExplorer:
    """Read the program of a derivative: the source of ``f``, that of the program, and its graph, with one selection.

    ``f`` is a function, one of ``adviz.examples``, which brings its own arguments, or a compiled program, which is
    shown as it is. ``derivative`` is ``"jacobian"``, ``"gradient"`` or ``"hessian"``; if ``None``, the gradient of a
    function on arrays that returns one number, its backward pass, and else the Jacobian. The other options are those of
    :func:`~adviz.compile_jacobian` and its like, except that ``points`` is ``"last"`` by default. A line of the program
    is a node of the graph and comes from an expression of ``f``: selecting one selects all three. With
    ``grain="array"``, and for functions of many operations on arrays, a line is an expression on arrays, with a node
    for each of its operations. Of a program with ``branches=True`` the branch of the example is shown. Raises what the
    compiler raises.

    >>> explorer = show_program(lambda x, y: x * y, 3.0, 4.0)
    >>> explorer.program(5.0, 6.0).jacobian
    (6.0, 5.0)
    """
    placing.warm()
    if isinstance(f, Program | Paths | ArrayProgram):
        if example or options or derivative is not None or order != "best":
            raise ShowError("a program is shown as it is: leave arguments, derivative, order and options out")
        return ProgramExplorer(f)
    (name,) = chosen("derivative", derivative or "jacobian", COMPILERS)
    f, example = (f.program, example or f.arguments) if isinstance(f, Case) else (f, example)
    known = [each.name for each in signature(COMPILERS[name]).parameters.values() if each.kind is each.KEYWORD_ONLY]
    settings = {option: value for option, value in options.items() if option not in known}
    check_call("show_program", f, example, settings, ["derivative", *known])
    if options.keys() == settings.keys() and order == "best" and is_long(f, example, settings):
        options |= {"grain": "array"}
    default = {} if options.get("grain") == "array" else {"points": "last"}
    if derivative is None and options.get("grain") == "array" and "outputs" not in options:
        build = partial(COMPILERS["gradient"], f, *example, **options)
        with suppress(OutputError, OrderError):  # it returns more than one number, or has an order of a Jacobian
            return ProgramExplorer(build(order=order), build, order)
    build = partial(COMPILERS[name], f, *example, **default | options)
    return ProgramExplorer(build(order=order), build, order)


class ProgramExplorer(Explorer):
    """An Explorer of the graph of a program, beside its source and the source of its function.

    ``program`` is what was compiled; the nodes are those of its graph, with branches those of the example's branch.

    >>> explorer = show_program(lambda x: x * x, 3.0)
    >>> explorer.selection = [1]
    >>> explorer.program.graph[explorer.selection[0]].block
    <Block multiply>
    """

    def __init__(
        self, program: Compiled, build: Callable[..., Compiled] | None = None, order: Any = None, **settings: Any
    ):
        self.program, self._build, self._order = program, build, order
        way = _of_the_example(program)
        super().__init__(way.graph, shown=program_scene(way), **settings)

    def _still(self) -> dict[str, Any]:
        still = super()._still()
        return still | {"text/plain": f"{self.program.source}\n\n{still['text/plain']}"}

    def roofline(self, **settings: Any) -> Figure:
        """Measure this program on this machine and, if it was compiled here, those of all named orders.

        ``settings`` are those of :func:`adviz.stage.figures.roofline.roofline`.
        """
        if isinstance(_of_the_example(self.program), ArrayProgram):
            raise ShowError("a roofline is of programs over many points: take grain='scalar'")
        build, name = self._build, self._order if isinstance(self._order, str) else "this order"
        others = {other: build(order=other) for other in ORDERS if other != name} if build else {}
        programs = {name if build else self.program.name: self.program} | others
        ways = {name: _of_the_example(each) for name, each in programs.items()}
        return roofline.roofline({name: way for name, way in ways.items() if isinstance(way, Program)}, **settings)


def _of_the_example(program: Compiled) -> Program | ArrayProgram:
    return program.programs[0] if isinstance(program, Paths) else program
