"""Where in the user's source values stand: under expressions, under names that are assigned, under each use of a name.

A node knows the expression that made it. Which of its operands came from which name in that expression is read off the
syntax tree: by the name of the operand where the program gives it one, else by its place among the arguments.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from ...graph.graph import Graph
from ...graph.loops import control_flow
from ...graph.origins import loop_origin, parsed
from ...graph.saved_functions import lines_of
from ...graph.scopes import EXPRESSION, ITERATION, PART
from .flows import EdgeKey


class Place(NamedTuple):
    """A stretch of a file: its number among the user's functions, lines from 1, columns in characters from 0."""

    file: int
    line: int
    column: int
    end_line: int
    end_column: int


class Evaluation(NamedTuple):
    """One evaluation of what stands at a place: a node, and for one use of it the edge to where it is used.

    In a round of a loop a name may stand for a constant: there is no node then, but a ``literal`` of the node ``user``.
    At the head of a loop the ``literal`` says which iteration that node is in.
    """

    node: int | None
    edge: EdgeKey | None = None
    user: int = -1
    literal: Any = None


def values_in_source(graph: Graph) -> dict[Place, list[Evaluation]]:
    """Return what stands at places in the source, in the order of evaluation.

    >>> import adviz
    >>> found = values_in_source(adviz.trace(adviz.examples["fan-out"].program, 1.0, 4.0))
    >>> uses_of_y = [place for place, ones in found.items() if ones[0].node == 1 and ones[0].edge]
    >>> len(uses_of_y)
    2
    """
    result: defaultdict[Place, list[Evaluation]] = defaultdict(list)
    for place, node in _parameters(graph):
        result[place].append(Evaluation(node))
    made = _evaluations(graph)
    for nodes in made.values():
        _read(graph, nodes, result)
    return {place: each for place, each in result.items() if any(one.node is not None for one in each)}


def iterations_in_source(graph: Graph, nodes: Iterable[int]) -> dict[Place, list[Evaluation]]:
    """Return the heads of loops, each with the iterations in which some nodes are: which one of how many.

    >>> import adviz, numpy as np
    >>> def looping(x):
    ...     for _ in range(2):
    ...         x = np.sin(x)
    ...     return x
    >>> graph = adviz.trace(looping, 1.0)
    >>> [one.literal for ones in iterations_in_source(graph, range(len(graph))).values() for one in ones]
    ['iteration 1 of 2', 'iteration 2 of 2']
    """
    tree, result = graph.scopes, defaultdict[Place, list[Evaluation]](list)
    seen: set[int] = set()
    for node in nodes:
        for scope in reversed(tree.path(tree.of_node[node])):
            if scope in seen:
                break
            seen.add(scope)
            if tree.kinds[scope] != ITERATION:
                continue
            loop = tree.parents[scope]
            while tree.kinds[loop] == PART:
                loop = tree.parents[loop]
            count, place = tree.iterations(loop), _head(graph, loop)
            if count > 1 and place:
                text = f"iteration {tree.ordinals[scope]:,} of {count:,}"
                result[place].append(Evaluation(None, None, node, text))
    return result


def _head(graph: Graph, loop: int) -> Place | None:
    """Return the place of the head of a loop."""
    code, offset = graph.scopes.places[loop]
    if not isinstance(code, CodeType):
        return None
    place = loop_origin(code, control_flow(code).body(offset))
    return Place(_file(graph, code), *place[2:6]) if place else None


# ---- evaluations ----


def _evaluations(graph: Graph) -> dict[tuple[Place, int], list[int]]:
    """Return the nodes of each evaluation of an expression; most expressions make one node."""
    result: defaultdict[tuple[Place, int], list[int]] = defaultdict(list)
    for node in range(len(graph)):
        place, scope = made_at(graph, node), graph.scopes.of_node[node]
        if place:
            result[place, ~scope if graph.scopes.kinds[scope] == EXPRESSION else node].append(node)
    return result


def made_at(graph: Graph, node: int) -> Place | None:
    """Return the place of the expression that made a node."""
    code, origin = graph.call_table[graph.calls[node]].code, graph.origin(node)
    if code is None or origin is None:
        return None
    return Place(_file(graph, code), *origin[2:6])


def _file(graph: Graph, code: CodeType) -> int:
    return next(number for number, each in enumerate(graph.codes) if each is code)


def _read(graph: Graph, nodes: list[int], found: defaultdict[Place, list[Evaluation]]) -> None:
    """Add what one evaluation of an expression tells."""
    place, last = made_at(graph, nodes[-1]), nodes[-1]
    inner = set(nodes)
    within = {operand for node in nodes for operand in graph.operand_nodes(node) if operand in inner}
    if place is None or len(within) < len(nodes) - 1:  # the entries of an array, which no node stands for
        return
    tree = _syntax(graph.codes[place.file])
    expression = tree.expressions.get(place[1:])
    found[Place(place.file, *tree.targets.get(place[1:], place[1:]))].append(Evaluation(last))
    if expression is None:
        return
    arguments = _arguments(expression, graph.codes[place.file])
    if len(nodes) > 1:
        arguments = [each for each in arguments if isinstance(each, ast.Name)]
    taken: set[int] = set()
    uses = [use for node in nodes for use in _uses(graph, node, inner)]
    often = Counter(operand for _, operand, _ in uses) if len(nodes) > 1 else Counter()
    if len(nodes) == 1:
        _read_constants(graph, last, place.file, arguments, found)
    for use, operand, position in uses:
        argument = _argument(graph, operand, arguments, position if len(nodes) == 1 else None, taken)
        if argument is None or often[operand] > 1:  # what one name contributes is then a sum that no edge carries
            continue
        where = Place(place.file, *tree.place(argument))
        if made_at(graph, operand) != where or isinstance(argument, ast.Name):
            found[where].append(Evaluation(operand, use))


def _read_constants(
    graph: Graph, node: int, file: int, arguments: list[ast.expr], found: defaultdict[Place, list[Evaluation]]
) -> None:
    """Add the names among the arguments that stand for constants."""
    tree = _syntax(graph.codes[file])
    for argument, operand in zip(arguments, graph.operands(node), strict=False):
        if operand < 0 and isinstance(argument, ast.Name):
            found[Place(file, *tree.place(argument))].append(Evaluation(None, None, node, graph.literal(operand)))


def _uses(graph: Graph, node: int, inner: set[int]) -> Iterator[tuple[EdgeKey, int, int]]:
    """Yield the operands that come into an expression: the edge, the node, and its position among all operands."""
    number = 0
    for position, operand in enumerate(graph.operands(node)):
        if operand < 0:
            continue
        if operand not in inner:
            yield (node, number), operand, position
        number += 1


def _argument(
    graph: Graph, operand: int, arguments: list[ast.expr], position: int | None, taken: set[int]
) -> ast.expr | None:
    """Return the argument that an operand came from, each once: the one of its name, or that at its position."""
    if position is not None and position < len(arguments) and arguments[position] is _TARGET:
        return None
    name = graph.name(operand)
    alike = [k for k, each in enumerate(arguments) if name and ast.unparse(each) == name and k not in taken]
    if position is not None and position in alike:
        alike = [position]
    if not alike and position is not None and position < len(arguments) and position not in taken:
        alike = [] if isinstance(arguments[position], ast.Constant | ast.Slice) else [position]
    if not alike:
        return None
    taken.add(alike[0])
    return arguments[alike[0]]


# ---- syntax ----

Whole = tuple[int, int, int, int]


class _Syntax(NamedTuple):
    """Expressions by place, and the places of the names that are assigned what stands at a place."""

    lines: tuple[str, ...]
    expressions: dict[Whole, ast.AST]
    targets: dict[Whole, Whole]
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda]

    def place(self, node: ast.AST) -> Whole:
        """Return the place of a node, in characters: the syntax tree counts bytes."""
        return _place(self.lines, node)


def _syntax(code: CodeType) -> _Syntax:
    return _syntax_of(lines_of(code))


@lru_cache(maxsize=64)
def _syntax_of(lines: tuple[str, ...]) -> _Syntax:
    result = _Syntax(lines, {}, {}, [])
    for node in ast.walk(parsed(lines)):
        if isinstance(node, ast.expr | ast.AugAssign):
            result.expressions.setdefault(_place(lines, node), node)
        for target, value in _assigned(node):
            result.targets.setdefault(_place(lines, value), _place(lines, target))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            result.functions.append(node)
    return result


def _place(lines: tuple[str, ...], node: ast.AST) -> Whole:
    line, column, end_line, end_column = (
        getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    )
    return line, _characters(lines[line - 1], column), end_line, _characters(lines[end_line - 1], end_column)


def _characters(line: str, column: int) -> int:
    return column if line.isascii() else len(line.encode()[:column].decode(errors="replace"))


def _assigned(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the names that a statement or ``:=`` assigns to, each with what it is assigned."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _paired(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield from _paired(node.target, node.value)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target, node


def _paired(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    several = (ast.Tuple, ast.List)
    if isinstance(target, ast.Name):
        yield target, value
    elif isinstance(target, several) and isinstance(value, several) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _paired(one, other)


_TARGET = ast.Constant(None)
"""Stands for the target of an augmented assignment among its arguments."""


def _arguments(node: ast.AST, code: CodeType) -> list[ast.expr]:
    """Return what an expression is computed from, in the order of operands."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.AugAssign():  # the place of the target shows what it is assigned
            return [_TARGET, node.value]
        case ast.Subscript():
            return [node.value, node.slice]
        case ast.Attribute():
            return [node.value]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Call():
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            several = [each.elts if isinstance(each, ast.Tuple | ast.List) else [each] for each in given]
            return [*_object(node.func, code), *(each for part in several for each in part)]
        case _:
            return []


def _object(function: ast.expr, code: CodeType) -> list[ast.expr]:
    """Return the object of a method; the functions of a module have none."""
    if not isinstance(function, ast.Attribute):
        return []
    root: ast.expr = function.value
    while isinstance(root, ast.Attribute):
        root = root.value
    is_module = isinstance(root, ast.Name) and root.id not in (*code.co_varnames, *code.co_cellvars)
    return [] if is_module else [function.value]


# ---- parameters ----


def _parameters(graph: Graph) -> Iterator[tuple[Place, int]]:
    """Yield the parameters of the traced function that are inputs of the graph."""
    if not graph.codes:
        return
    code = graph.codes[0]
    inputs = {graph.name(node): node for node in graph.inputs}
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    tree = _syntax(code)
    for function in tree.functions:
        every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        first = min([function.lineno, *(each.lineno for each in getattr(function, "decorator_list", []))])
        if first == code.co_firstlineno and tuple(each.arg for each in every) == given:
            for each in every:
                line, column, *_ = tree.place(each)
                if each.arg in inputs:
                    yield Place(0, line, column, line, column + len(each.arg)), inputs[each.arg]
            return
