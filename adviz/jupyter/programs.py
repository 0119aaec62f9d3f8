"""Programs in a notebook: the function, the program compiled from it, and its graph, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..algorithms.sweeps.cases import Case
from ..engine.trace import trace
from ..graph.origins import Source, source
from ..kernels.compiling import Which, compile_gradient, compile_hessian, compile_jacobian
from ..kernels.program import Program
from ..stage import layout, roofline
from ..stage.programs import program_scene
from ..stage.show import chosen
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


def show_program(
    f: Callable[..., Any] | Case,
    /,
    *example: Any,
    derivative: str = "jacobian",
    order: Any = "best",
    inputs: Which = None,
    backend: Any = None,
    **settings: Any,
) -> ProgramExplorer:
    """Read the program of a derivative: the source of ``f``, that of the program, and its graph, with one selection.

    ``derivative`` is ``"jacobian"``, ``"gradient"`` or ``"hessian"``; ``example``, ``order``, ``inputs``, ``backend``
    and ``settings`` are those of :func:`~adviz.compile_jacobian`. ``f`` may be one of ``adviz.examples``, which brings
    its own arguments. A line of the program is a node of the graph and comes from an expression of ``f``: to choose
    one chooses all three. Raises what the compiler raises.

    >>> explorer = show_program(lambda x, y: x * y, 3.0, 4.0)
    >>> explorer.program(5.0, 6.0).jacobian
    (6.0, 5.0)
    """
    layout.warm()
    (name,) = chosen("derivative", derivative, COMPILERS)
    f, example = (f.program, example or f.arguments) if isinstance(f, Case) else (f, example)
    build = partial(COMPILERS[name], f, *example, inputs=inputs, backend=backend, points="last", **settings)
    with warnings.catch_warnings(action="ignore"):  # the compiler tells
        codes = trace(f, *example, grain="scalar", **settings).codes
    return ProgramExplorer(build, order, list(map(source, codes)))


class ProgramExplorer(Explorer):
    """An Explorer of the graph of a program, beside its source and the source of its function.

    ``program`` is what was compiled; its points are along the last axis. Nodes are those of ``program.graph``.

    >>> explorer = show_program(lambda x: x * x, 3.0)
    >>> explorer.selection = [1]
    >>> explorer.program.graph[explorer.selection[0]].block
    <Block multiply>
    """

    def __init__(self, build: Callable[..., Program], order: Any, sources: Sequence[Source], **settings: Any):
        self._build, self._order = build, order
        self.program = build(order=order)
        super().__init__(self.program.graph, shown=program_scene(self.program, sources), **settings)

    def _still(self) -> dict[str, Any]:
        still = super()._still()
        return still | {"text/plain": f"{self.program.source}\n\n{still['text/plain']}"}

    def roofline(self, **settings: Any) -> Figure:
        """The programs of all orders that have a name, and this one, measured on this machine.

        ``settings`` are those of :func:`adviz.stage.roofline.roofline`.
        """
        name = self._order if isinstance(self._order, str) else "this order"
        others = {other: self._build(order=other) for other in ORDERS if other != name}
        return roofline.roofline({name: self.program} | others, **settings)
