"""The details of one node for the inspector: value, local Jacobians, operands, users, origin."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from ...engine.devices import to_numpy
from ...engine.jacobians.algebra import Dense, Kronecker, RankOne
from ...engine.jacobians.base import Form, LinearMap, Sparse
from ...engine.jacobians.local import Diagonal, Jacobian, MatrixProduct, Reduction
from ...graph import ipython
from ...graph.files.saved_values import are_saved, is_saved
from ...graph.graph import Graph
from ...graph.syntax_trees import parse
from ..scene import captions
from ..scene.heat_maps import heat_map
from ..scene.node_details import (
    Detail,
    Figures,
    JacobianPart,
    LiteralOperand,
    LocalJacobian,
    NodeOperand,
    Origin,
    Value,
)

# ---- Jacobians ----


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
    text = graph.numbered(operand) if inner is None else re.sub(rf"\b{value}\b", graph.numbered(inner), name)
    return graph.numbered(index), text


def _meant(graph: Graph, reference: int, name: str) -> int | None:
    """Return the node that a name means in the expression of a node; ``None`` if it may be several."""
    result, waiting = set[int](), [reference]
    while waiting:
        node = waiting.pop()
        if name_of(graph, node) == name:
            result.add(node)
        elif not graph.name(node):  # a part of the same expression
            waiting += graph.operand_nodes(node)
    return result.pop() if len(result) == 1 else None


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


# ---- the inspector ----


MOST_USERS = 50
BINS = 20
MOST_ENTRIES = 10**6  # the figures of larger arrays are estimated
SAMPLE = 999_983  # the number of entries of a sample


def detail(graph: Graph, index: int) -> Detail:
    """Return the details of a node, as a JSON document. Raises ``IndexError`` for a node that does not exist."""
    node = graph[index]
    uses = graph.users(index)
    users = list(dict.fromkeys(uses))
    return {
        "node": index,
        "block": node.block.name,
        "family": node.block.family,
        "name": node.name,
        "called": factor(name_of(graph, index)),
        "formula": captions.formula(graph, index),
        "times_used": node.times_used,
        "live": node.live,
        "scope": node.scope,
        "origin": _origin(graph, index),
        "value": _value(node.value),
        "operands": _operands(graph, index),
        "users": [
            {"node": user, "label": _label(graph, user), "times": uses.count(user)} for user in users[:MOST_USERS]
        ],
        "users_total": len(users),
    }


def _label(graph: Graph, index: int) -> str:
    return f"{graph.numbered(index)} ({captions.label(graph, index)})"


def _origin(graph: Graph, index: int) -> Origin | None:
    place = graph.origin(index)
    if place is None:
        return None
    return {
        "file": graph.codes.index(graph.call_table[graph.calls[index]].code),
        "path": ipython.called(place.file),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "text": place.text,
    }


def _value(data: Any) -> Value:
    """Return a value: written out if it is short, or else by figures and a histogram."""
    if not is_saved(data):
        return {
            "shape": list(data.shape),
            "dtype": str(data.dtype),
            "bytes": getattr(data, "nbytes", 8),
            "text": captions.NOT_SAVED,
        }
    array = np.asarray(data)
    known: Value = {"shape": list(array.shape), "dtype": str(array.dtype), "bytes": array.nbytes, "text": None}
    if array.size <= captions.MOST_NUMBERS:
        with np.printoptions(precision=6, suppress=False, linewidth=60, nanstr="NaN"):
            known["text"] = repr(float(array)).replace("nan", "NaN") if array.ndim == 0 else str(array)
    return {**known, **_figures(array), "map": heat_map(array)} if array.ndim else known


def _figures(array: np.ndarray) -> Figures:
    """Return range, mean, norm and histogram of the finite numbers, and the number of those that are not finite.

    Of a large array the range and the number of entries that are not finite are exact; the rest is estimated from
    ``sample`` entries, and ``note`` says so in words.
    """
    low, high, figures = _range(array)
    sampled = _sample(array) if array.size > MOST_ENTRIES else array
    if sampled is not array:
        words = f"Mean, norm and histogram are estimated from a sample of {sampled.size:,} entries."
        figures |= {"sample": sampled.size, "note": words}
    finite = sampled if figures["nan"] == figures["inf"] == 0 else sampled[np.isfinite(sampled)]
    if not finite.size or low is None or high is None:
        return {**figures, "min": low, "max": high, "mean": None, "norm": None, "histogram": None}
    finite = finite.astype(float, copy=False)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # figures of numbers near the limits of floats may overflow
        norm = np.linalg.norm(finite) * np.sqrt(array.size / sampled.size)
        figures |= {"min": low, "max": high, "mean": _finite(finite.mean()), "norm": _finite(norm)}
        try:
            counts = np.histogram(finite, BINS, (low, high))[0].tolist() if high > low else [finite.size]
        except ValueError:  # a range that is too wide or too narrow to be cut
            counts = [finite.size]
    return {**figures, "histogram": {"low": low, "high": high, "counts": counts}}


def _range(array: np.ndarray) -> tuple[float | None, float | None, Figures]:
    """Return the least and the largest finite entry, and the numbers of NaN and of infinities."""
    low, high = (float(array.min()), float(array.max())) if array.size else (np.nan, np.nan)
    if np.isfinite(low) and np.isfinite(high):  # then all are
        return low, high, {"nan": 0, "inf": 0}
    finite = np.isfinite(array)
    figures: Figures = {"nan": int(np.isnan(array).sum()), "inf": int(np.isinf(array).sum())}
    if not finite.any():
        return None, None, figures
    least, largest = np.min(array, where=finite, initial=np.inf), np.max(array, where=finite, initial=-np.inf)
    return float(least), float(largest), figures


def _sample(array: np.ndarray) -> np.ndarray:
    """Return evenly spaced entries, including the first and the last.

    Their number is prime, so that their distance is not a multiple of the number of columns, and all columns are read.
    """
    places = np.arange(SAMPLE) * (array.size - 1) // (SAMPLE - 1)
    return array.reshape(-1)[places] if array.flags.c_contiguous else array[np.unravel_index(places, array.shape)]


def _finite(value: float) -> float | None:
    """Return a number for JSON, which has no infinity."""
    return float(value) if np.isfinite(value) else None


def _operands(graph: Graph, index: int) -> list[NodeOperand | LiteralOperand]:
    jacobians = _jacobians(graph, index)
    return [
        {"literal": captions.literal(graph.literal(operand))}
        if operand < 0
        else {"node": operand, "label": _label(graph, operand), "jacobian": jacobians.get(place)}
        for place, operand in enumerate(graph.operands(index))
    ]


def _jacobians(graph: Graph, index: int) -> dict[int, LocalJacobian]:
    """Return the local Jacobians by operand.

    There are none of a graph without values, nor of a Block that fails: a file has those of its user by name only.
    """
    if not are_saved(graph.values):
        return {}
    result: dict[int, LocalJacobian] = {}
    with np.errstate(all="ignore"), suppress(Exception):
        waiting = graph.local_jacobians(index)
        for place, operand in enumerate(graph.operands(index)):
            if waiting and waiting[0][0] == operand:
                result[place] = local_jacobian(graph, index, place, waiting.pop(0)[1])
    return result
