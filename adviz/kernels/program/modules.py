"""A program as a function of its own: as a graph, and as a module to be saved."""

from __future__ import annotations

import linecache
from itertools import count

import numpy as np

from ...engine.arrays.object_arrays import as_object_array
from ...engine.trace import record
from ...graph.graph import Graph
from ...graph.scope_building.scope_drafts import named_tree
from ..expressions.operations import OPERATIONS
from ..points.source_text import bound, code_of, numpy_functions
from .contents import Contents
from .listing import Line, listing

_numbers = count(1)


def graph_of(program: Contents, lines: list[Line]) -> Graph:
    """Trace the lines of a program's listing; the nodes of the graph know which line they come from.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x, 3.0)
    >>> graph = graph_of(program, program.lines)
    >>> graph, graph.origin(1).text
    (<Graph of lambda_gradient: 5 nodes, 3 edges>, 'x * x')
    """
    filename = f"<program {next(_numbers)} of {program.name}>"
    source = "".join(f"{line.text}\n" for line in lines)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    function = bound(code_of(source, filename), numpy_functions() | {"stacked": _of_objects})
    recorded = record(function, program.example, {}, "scalar", symbolic=True)
    graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], program.function_name)
    graph.scopes = named_tree(_parts(program, lines, graph))
    return graph


def _parts(program: Contents, lines: list[Line], graph: Graph) -> list[tuple[str, ...]]:
    """The part of the program that each node is in, or its array; no part needs a later one."""
    notes, nodes = program.notes, range(len(graph))
    places = [lines[origin.line - 1].place if (origin := graph.origin(node)) else 0 for node in nodes]
    number = {part: k for k, part in enumerate(dict.fromkeys(note.part for note in notes.values()))}
    which = "second " if any(part[0].startswith("second") for part in number) else ""
    number.setdefault((f"{which}products",), len(number))  # for expressions without a note
    parts = list(number)
    found = [number[notes[place].part] if place in notes else len(parts) - 1 for place in places]
    for node in reversed(nodes):
        for operand in graph.operand_nodes(node) if places[node] else ():
            found[operand] = min(found[operand], found[node])
    arrays = [(graph.name(node) or "").rpartition("[")[:1] for node in nodes]
    ends = {x: arrays[x] for x in graph.inputs} | {y: ("results", *arrays[y]) for y in graph.outputs}
    return [tuple(filter(None, ends[node])) if node in ends else parts[found[node]] for node in nodes]


def _of_objects(numbers: list[object], shape: tuple[int, ...]) -> np.ndarray:
    found = np.empty(len(numbers), object)
    found[:] = numbers
    return as_object_array(found.reshape(shape))


STACKED = '''

def stacked(rows, shape, *points):
    """Numbers, or arrays of as many points, as one array."""
    first, *others = broadcast_arrays(0.0, *rows, *points)
    return array(others[: len(rows)]).reshape((*shape, *first.shape))[()]
'''


def module_text(program: Contents) -> str:
    """The text of a module that defines the program's function.

    >>> import adviz
    >>> module_text(adviz.compile_gradient(np.exp, 1.0)).splitlines()[6]
    'from numpy import exp'
    """
    schedule, source = program.schedule, "\n".join(line.text for line in listing(program, is_saved=True))
    used = {each.operation for each in schedule.instructions if not OPERATIONS[each.operation].sign}
    special = {name for name in used if getattr(np, name, None) is not OPERATIONS[name].numpy}  # NumPy has another i0
    used |= {"inf", "nan"} & {repr(abs(float(value))) for value in schedule.constants.values()}
    stacks = "stacked(" in source
    used |= {"array", "broadcast_arrays"} if stacks else set()
    sparsity = program.sparsity._asdict() if program.sparsity else {}  # which the function does not return
    plain = "".join(letter for letter in program.name if letter.isalnum() or letter in "_.<>")
    imports = {"numpy": used - special, "scipy.special": special}
    return "".join(
        [
            f'"""Values and derivatives of {plain}, as adviz wrote them down.\n\n',
            f"{program.cost.operations:,} operations on each point. Arguments are numbers, or arrays with the axis\n",
            'of the points last.\n"""\n\n',
            *(f"from {module} import {', '.join(sorted(names))}\n" for module, names in imports.items() if names),
            STACKED if stacks else "",
            "\n" if program.sparsity else "",
            *(f"{name} = {np.asarray(value).tolist()}\n" for name, value in sparsity.items() if name != "data"),
            f"\n\n{program.guard.comment if program.guard else ''}{source}\n",
        ]
    )
