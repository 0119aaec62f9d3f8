"""The Scene of a compiled program: its graph, its source, and the source of its function.

A node of the graph is a line of the program, which comes from an expression of the function: one selection marks all
three.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph import ipython
from ...graph.origins import Origin, Source
from ...kernels.arrays.array_program import ArrayProgram
from ...kernels.program.listing import Line
from ...kernels.program.program import Program
from ..scene.document import FunctionPanel, Scene
from ..scene.panels import Span
from . import explorer_scene


def program_scene(program: Program | ArrayProgram) -> tuple[Scene, bytes]:
    """Return the Scene of a program and the buffer of its columns.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, 3.0)
    >>> document, _ = program_scene(program)
    >>> [panel["kind"] for panel in document["panels"]], document["source"]["files"][0]["name"]
    (['graph', 'code', 'sizes', 'function'], 'lambda_jacobian')
    """
    document, columns = explorer_scene.document(program.graph)
    document["panels"] = [panel for panel in document["panels"] if panel["kind"] not in ("derivatives", "lines")]
    tables = document["tables"]
    if isinstance(program, Program):
        tables["spans"] = [_statement(span, program.lines) for span in tables["spans"]]
    document["panels"].append(_function_panel(program))
    return document, columns


def _statement(span: Span, lines: Sequence[Line]) -> Span:
    """Return the span of the line that holds an expression, without its comment: there a line is one operation."""
    file, line, *_, name = span
    code = lines[line - 1].text.partition("#")[0].rstrip()
    return [file, line, len(code) - len(code.lstrip()), line, len(code), name]


def _function_panel(program: Program | ArrayProgram) -> FunctionPanel:
    """Return the functions from which a program was compiled, and the expression from which each node comes."""
    places = map(program.graph.origin, range(len(program.graph)))
    lines = program.lines if isinstance(program, Program) else program.traced_lines
    sources, origins = program.sources, [lines[each.line - 1].origin if each else None for each in places]
    spans = {origin: _span(origin, sources) for origin in origins if origin is not None}
    known = [origin for origin, span in spans.items() if span]
    number: dict[Origin | None, int] = {origin: k for k, origin in enumerate(known)}
    return {
        "id": "function",
        "kind": "function",
        "files": [
            {"name": each.name, "path": ipython.called(each.path), "line": each.line, "text": each.text}
            for each in sources
        ],
        "spans": [span for span in spans.values() if span],
        "span_of": [number.get(origin, -1) for origin in origins],
    }


def _span(origin: Origin, sources: list[Source]) -> Span | None:
    """Return the span of an origin in the innermost function around it; ``None`` if its source is not known."""
    around = [
        (each.line, k)
        for k, each in enumerate(sources)
        if each.path == origin.file and each.line <= origin.line <= each.line + each.text.count("\n")
    ]
    if not around:
        return None
    return [max(around)[1], origin.line, origin.column, origin.end_line, origin.end_column, None]
