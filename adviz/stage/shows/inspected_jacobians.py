"""What the inspector says of a local partial derivative: its symbol in the names of the source, and its numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.devices import to_numpy
from ...engine.jacobians.base import Form, LinearMap, Sparse
from ...engine.jacobians.local import Diagonal, Jacobian, MatrixProduct, Reduction
from ...engine.jacobians.normal_forms import Dense, Kronecker, RankOne
from ...graph.graph import Graph
from ...graph.syntax_trees import parse
from ..scene import captions
from ..scene.heat_maps import heat_map
from ..scene.node_details import JacobianPart, LocalJacobian

MOST_OF_A_NAME = 24  # the most characters of an expression that stands for its value
WORD = re.compile(r"[^\W\d]\w*")
MOST_DRAWN = 10**6  # the most entries of a factor that is drawn


def name_of(graph: Graph, reference: int) -> str:
    """Return an operand in the words of the source: its name, its own expression if that is short, or its number.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    >>> [name_of(graph, node) for node in range(4)]
    ['x', 'y', 'np.sin(x)', 'x * y']
    """
    if reference < 0:
        return captions.literal(graph.literal(reference))
    if name := graph.name(reference):
        return captions.shortened(name)
    place = graph.origin(reference)
    text = " ".join(place.text.split()) if place and place.text else ""
    return text if 0 < len(text) <= MOST_OF_A_NAME and text.isprintable() else graph.numbered(reference)


def told_apart(graph: Graph, index: int, place: int) -> tuple[str, str]:
    """Return a node and one of its operands by their names, or by their numbers where a name could mean either.

    In ``x = x + 0.1 * np.sin(x)`` the new ``x`` is not the one of which the sine is taken.

    >>> import adviz
    >>> def f(x):
    ...     x = x + 0.1 * np.sin(x)
    ...     return x
    >>> graph = adviz.trace(f, 1.0)
    >>> told_apart(graph, 3, 0), told_apart(graph, 3, 1), told_apart(graph, 1, 0)
    (('v3', 'v0'), ('v3', '0.1 * np.sin(v0)'), ('np.sin(x)', 'x'))
    """
    operand = graph.operands(index)[place]
    is_output = graph.blocks[index].name == "output"
    value, name = name_of(graph, graph.first[index] if is_output else index), name_of(graph, operand)
    if is_output:
        return graph.numbered(index), name
    if not WORD.fullmatch(value) or value not in WORD.findall(name):
        return value, name
    inner = _meant(graph, operand, value)
    told = graph.numbered(operand) if inner is None else re.sub(rf"\b{value}\b", graph.numbered(inner), name)
    return graph.numbered(index), told


def _meant(graph: Graph, reference: int, name: str) -> int | None:
    """Return the node that a name means in the expression of a node; ``None`` if it may be several."""
    found, waiting = set[int](), [reference]
    while waiting:
        node = waiting.pop()
        if name_of(graph, node) == name:
            found.add(node)
        elif not graph.name(node):  # a part of the same expression
            waiting += graph.operand_nodes(node)
    return found.pop() if len(found) == 1 else None


def factor(text: str) -> str:
    """Return an expression in brackets, unless it is a name, a number, a call or an entry.

    >>> factor("x"), factor("np.sin(x)"), factor("x + y")
    ('x', 'np.sin(x)', '(x + y)')
    """
    try:
        whole = parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return text
    simple = ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.Constant | ast.Tuple | ast.List
    return text if isinstance(whole, simple) else f"({text})"


def symbol(graph: Graph, index: int, place: int) -> str | None:
    """Return the local partial with respect to operand ``place`` as its rule writes it; ``None`` if it has no symbol.

    >>> import adviz
    >>> symbol(adviz.trace(lambda x: np.sin(x), 1.0), 1, 0)
    'cos x'
    """
    formulas = graph.blocks[index].formulas
    if place >= len(formulas):
        return None
    words = [factor(name_of(graph, each)) for each in graph.operands(index)]
    return formulas[place].format(**dict(zip("abc", words, strict=False)), y=factor(name_of(graph, index)))


def local_jacobian(graph: Graph, index: int, place: int, jacobian: Jacobian) -> LocalJacobian:
    """Return what is known of the local Jacobian of a node with respect to its operand ``place``."""
    rows, columns = jacobian.shape
    text = None
    if rows * columns <= captions.MOST_NUMBERS:
        matrix = to_numpy(jacobian.dense())
        with np.printoptions(precision=4, suppress=True, linewidth=60, nanstr="NaN"):
            text = captions.number(matrix[0, 0]) if matrix.size == 1 else str(matrix)
    value, operand = told_apart(graph, index, place)
    return {
        "structure": jacobian.structure,
        "shape": [rows, columns],
        "nonzeros": jacobian.nnz,
        "rule": f"∂{factor(value)}/∂{factor(operand)}",
        "symbol": symbol(graph, index, place),
        "text": text,
        "parts": [] if rows == columns == 1 else list(_parts(jacobian)),
    }


def _parts(jacobian: Jacobian) -> Iterator[JacobianPart]:
    """Yield what a structure consists of."""
    if not jacobian.nnz:
        yield _part("every entry is 0")
    elif isinstance(jacobian, Diagonal) and np.ndim(jacobian.partial):
        repeated = jacobian.structure == "broadcast"
        words = "one factor for each entry of the value" if repeated else "the diagonal: one factor for each entry"
        yield _part(words, np.broadcast_to(to_numpy(jacobian.partial), jacobian.out_shape))
    elif isinstance(jacobian, Diagonal) and jacobian.multiple is None:
        yield _part("the factor of every entry, some of which are repeated", jacobian.partial)
    elif isinstance(jacobian, Reduction):
        axes = "all entries" if jacobian.axis is None else f"axis {captions.literal(jacobian.axis)}"
        yield _part(f"sums over {axes}, with the weights", to_numpy(jacobian.weights))
    elif isinstance(jacobian, MatrixProduct):
        side = "from the right" if jacobian.side == "left" else "from the left"
        yield _part(f"multiplies {side} by the other operand", to_numpy(jacobian.fixed))
    else:
        yield from _form_parts(jacobian.normal())


def _form_parts(form: Form) -> Iterator[JacobianPart]:
    match form:
        case Dense():
            yield _part("the matrix", to_numpy(form.matrix))
        case RankOne():
            yield _part("a column", to_numpy(form.column))
            yield _part("times a row", to_numpy(form.row))
        case Kronecker():
            for words, each in (("left factor", form.left), ("right factor", form.right)):
                identity = each.multiple == 1
                size = f"{captions.shape(each.shape)}"
                drawn = None if identity or each.nnz > MOST_DRAWN else to_numpy(each.dense())
                yield _part(f"{words}: {'identity' if identity else each.structure} {size}", drawn)
        case LinearMap():
            yield _part("known by its products with vectors; its entries are not written out")
        case Sparse():
            yield from _sparse_parts(form)


def _sparse_parts(form: Sparse) -> Iterator[JacobianPart]:
    if form.multiple is not None:
        yield _part("the factor of every entry", form.multiple)
        return
    weights = to_numpy(form.weights)
    if form.rows is None and form.columns is None:
        yield _part("the diagonal: one factor for each entry", np.broadcast_to(weights, form.shape[0]))
        return
    rows, columns = form.places()
    few = slice(captions.MOST_NUMBERS)
    at = _places(columns[few], form.in_shape), _places(rows[few], form.out_shape)
    more = f", … {len(rows):,} in all" if len(rows) > captions.MOST_NUMBERS else ""
    pairs = [f"{source} → {target}" if form.out_shape else source for source, target in zip(*at, strict=True)]
    yield _part("entry of the operand → entry of the value", text=", ".join(pairs) + more)
    yield _part("each times", weights)


def _places(numbers: np.ndarray, shape: tuple[int, ...]) -> list[str]:
    if not shape:
        return [""] * len(numbers)
    return [f"[{', '.join(map(str, place))}]" for place in np.transpose(np.unravel_index(numbers, shape)).tolist()]


def _part(label: str, data: Any = None, text: str | None = None) -> JacobianPart:
    """Return words, and numbers if any: written out if they are few, and drawn if they are an array."""
    part: JacobianPart = {"label": label, "text": text}
    if data is not None and np.size(data) <= captions.MOST_NUMBERS:
        part["text"] = captions.entries(data) if np.ndim(data) else captions.number(float(data))
    if data is not None and np.ndim(data):
        part["map"] = heat_map(np.asarray(data, float))
    return part
