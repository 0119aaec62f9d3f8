"""The program of a backward pass beside its sweep, line by line as ``adviz.compile_gradient`` writes it.

To write it takes as long as a show of the sweep, so it is done where somebody looks: for a page that is saved, and for
a notebook that asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...graph.graph import Graph
from ...graph.origins import Origin
from ...kernels.arrays.array_program import ArrayProgram
from ...kernels.sources.writing import Row
from ..scene import captions
from ..scene.document import Show
from ..scene.flow_panel import FlowPanel
from ..scene.source_numbers import CodePanel, ProgramLine
from .nudges import quietly

MOST = 24  # lines
ADJOINT = re.compile(r"(\w+_adj)(_\d+)? = ")
"""How a line begins that computes the derivative with respect to a value, and not a part of it."""
ALIGNED = re.compile(r" {2,}#")
NOWHERE = -1


def with_program(show: Show, graph: Graph, compiled: Callable[[], ArrayProgram]) -> Show:
    """Return a show for a page, with the backward program in the place of the numbers under its source."""
    panel = next((each for each in show["panels"] if each["kind"] == "code"), None)
    lines = program_lines(show, graph, compiled) if panel and "program" in panel else []
    if panel is None or panel["kind"] != "code" or not lines:
        return show
    other: CodePanel = {**panel, "program": lines}
    del other["numbers"]
    return {**show, "panels": [other if each is panel else each for each in show["panels"]]}


def program_lines(show: Show, graph: Graph, compiled: Callable[[], ArrayProgram]) -> list[ProgramLine]:
    """Return the lines of the backward program; none where a function has no program of so few lines without loops."""
    program = quietly(compiled)
    rows = [row for row in program.lines if row.is_derivative] if isinstance(program, ArrayProgram) else []
    if not 0 < len(rows) <= MOST or any(row.text.startswith("        ") for row in rows):
        return []
    made: dict[Origin | None, int] = {graph.origin(node): node for node in range(len(graph))}
    inputs = {_identifier(graph.name(node) or ""): node for node in graph.inputs}
    lines: list[ProgramLine] = []
    node = NOWHERE
    for row in reversed(rows):
        node = _node(row, made, inputs, node)
        lines.append({"text": ALIGNED.sub("  #", row.text.strip()), "node": node})
    flow = next((each for each in show["panels"] if each["kind"] == "flow"), None)
    return [*reversed(lines), *(_joined(flow, lines) if flow and flow["kind"] == "flow" else [])]


def _node(row: Row, made: dict[Origin | None, int], inputs: dict[str, int], following: int) -> int:
    """Return the node whose derivative a line computes; a part of a derivative is one of that which follows."""
    target = ADJOINT.match(row.text.strip())
    if not target:
        return following
    if row.origin is None:
        return inputs.get(target[1].removesuffix("_adj"), following)
    return made.get(row.origin, following)


def _identifier(name: str) -> str:
    """Return the name of an input as programs have it: ``params_0`` for ``params[0]``."""
    return re.sub(r"\W+", "_", name).strip("_")


def _joined(flow: FlowPanel, lines: Sequence[ProgramLine]) -> list[ProgramLine]:
    """Return a comment on the lines of the function whose derivative has no line of its own."""
    told = {line["node"] for line in lines}
    nodes = flow.get("lines", {}).get("nodes", [])
    others = [node for node in nodes if node["kind"] == "block" and node["node"] not in told]
    names = [node["name"] for node in others if "result" in node]
    if not names:
        return []
    what = captions.listed([f"{name}_adj" for name in names[::-1]])
    return [{"text": f"# joined into other lines: {what}", "node": NOWHERE}]
