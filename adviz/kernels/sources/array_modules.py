"""An array program as a function, and as a module that needs NumPy only."""

from __future__ import annotations

import ast
import linecache
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from ...engine.calls import rebuild
from ...engine.trace import record
from ...graph.graph import Graph
from ...graph.scopes import LOOP, named_tree
from ...graph.syntax_trees import parse
from ..points.batches import leaves_like
from .helpers import needed_by
from .writing import Written, quoted

_numbers = count(1)
LARGE = 1 << 16
"""Bytes of the arrays that are worth it, at least."""


def function_of(
    written: Written, template: Any, scope: dict[str, Any] | None = None
) -> Callable[..., tuple[list[Any], Any]]:
    """Return the function that a source defines, in a ``scope`` or among NumPy's: it returns leaves of results."""
    function = defined(freed(written)) if scope is None else defined_in(freed(written), scope)

    def run(*arguments: Any) -> tuple[list[Any], Any]:
        returned = leaves_like((function(*arguments),), (template,))
        leaves = [each[()] if type(each) is np.ndarray and not each.ndim else each for each in returned]
        leaves = [float(each) if type(each) is np.float64 else each for each in leaves]
        return leaves, rebuild(template, iter(leaves))

    return run


def graph_of(written: Written, example: tuple[Any, ...]) -> Graph:
    """Return the graph of a source, traced at an example; its nodes know the lines that they come from.

    What is computed for derivatives is a part of its own, where no loop tells which parts there are.
    """
    recorded = record(defined(written), example, {}, "array", symbolic=True)
    graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], written.name)
    if not any(kind == LOOP for kind in graph.scopes.kinds):
        graph.scopes = named_tree(_parts(written, graph))
    return graph


def _parts(written: Written, graph: Graph) -> list[tuple[str, ...]]:
    """Return the part of the program that each node is in; none needs a later one."""
    nodes = range(len(graph))
    places = [origin.line - 1 if (origin := graph.origin(node)) else len(written.rows) - 1 for node in nodes]
    is_late = [written.rows[place].is_derivative for place in places]
    for node in reversed(nodes):
        for operand in graph.operand_nodes(node) if node not in graph.outputs else ():
            is_late[operand] = is_late[operand] and is_late[node]
    ends = dict.fromkeys(graph.inputs, ("arguments",)) | dict.fromkeys(graph.outputs, ("results",))
    return [ends.get(node) or ("derivatives" if is_late[node] else "values",) for node in nodes]


def defined(written: Written) -> Callable[..., Any]:
    """Return the function of a source in NumPy, which returns what is written there; tracebacks show its lines."""
    scope: dict[str, Any] = {"np": np, **written.constants}
    for library in libraries_in(written):
        exec(f"import {library}", scope)
    for helper, text in needed_by(written.source).items():
        # in a file of adviz's, so that what one computes is of the line that calls
        exec(compile(text, f"{__file__} ({helper})", "exec"), scope)
    return defined_in(written, scope)


def defined_in(written: Written, scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of a source, where names mean what they mean in a scope."""
    filename = f"<array program {next(_numbers)}: {written.name}>"
    source = f"{written.source}\n"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec", dont_inherit=True), scope)
    result: Callable[..., Any] = scope[written.name]
    return result


def freed(written: Written) -> Written:
    """Return the same function, in which large arrays are deleted after the last line that mentions them.

    What a person reads has no ``del``, since it says nothing of the mathematics; all lines stay at their place.
    """
    large = {
        row.text.split(" = ")[0].strip()
        for row in written.rows
        if row.term is not None and not row.term.is_view and row.term.bytes >= LARGE
    }
    if not large or written.runs:  # with checkpoints, it deletes by itself
        return written
    function = parse(written.source).body[0]
    assert isinstance(function, ast.FunctionDef)
    lines = [row.text for row in written.rows]
    for place, names in _ends(function.body, large):
        line = lines[place - 1]
        indent = len(line) - len(line.lstrip())
        lines[place - 1] = f"{line[:indent]}del {', '.join(names)}; {line[indent:]}"
    return written._replace(rows=[row._replace(text=line) for row, line in zip(written.rows, lines, strict=True)])


def _ends(body: Sequence[ast.stmt], large: set[str]) -> Iterator[tuple[int, list[str]]]:
    """Return lines of simple statements, each with the names that no statement from there on mentions.

    A function within keeps what it mentions, and what only a loop assigns is left alone: it may have no iterations.
    """
    last, assigned = dict[str, int](), set[str]()
    for k, statement in enumerate(body):
        is_function = isinstance(statement, ast.FunctionDef)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in large:
                if isinstance(statement, ast.Assign) and isinstance(node.ctx, ast.Store):
                    assigned.add(node.id)
                last[node.id] = len(body) if is_function else max(last.get(node.id, 0), k)
    ends = defaultdict[int, list[str]](list)
    for name in assigned:
        k = last[name]
        later = (each for each in range(k + 1, len(body) - 1) if not isinstance(body[each], ast.For | ast.FunctionDef))
        if (place := next(later, None)) is not None:
            ends[place].append(name)
    return ((body[place].lineno, sorted(names)) for place, names in sorted(ends.items()))


def libraries_in(written: Written) -> list[str]:
    """Return the modules of SciPy that a source calls functions of, because the user's function does."""
    code = "\n".join(line.partition("  # ")[0] for line in written.source.splitlines())
    return sorted(set(re.findall(r"(?<![\w.])scipy\.(?:special|linalg|signal)(?=\.\w)", code)))


def module_text(written: Written, shapes: str, comment: str = "") -> str:
    """Return the text of a module that defines the program's function, below a comment."""
    constants = "".join(f"\n{name} = {_constant_text(value)}" for name, value in written.constants.items())
    helpers = "".join(f"\n\n\n{text}" for text in needed_by(written.source).values())
    imports = "".join(f"\nimport {library}" for library in libraries_in(written))
    head = f"{module_head(written, shapes)}\n\nimport numpy as np{imports}\n"
    return f"{head}{constants}{helpers}\n\n\n{comment}{written.source}\n"


def module_head(written: Written, shapes: str) -> str:
    """Return the text that a module begins with: what its function is, and for which arguments."""
    return f'"""{quoted(written.summary)}\n\nWritten by adviz, for arguments of these shapes: {quoted(shapes)}.\n"""'


def _constant_text(value: np.ndarray) -> str:
    """Return an array such that Python reads the same one."""
    entries = ", ".join(map(repr, value.ravel().tolist())).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array([{entries}], np.{value.dtype.name}).reshape({value.shape})"
