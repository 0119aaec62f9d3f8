"""The operation in play on arrays, in numbers: its operands, its result, and what each entry of the result is made of.

The form of a local Jacobian says how a derivative passes it. Matrix products, elementwise functions with broadcasting
and reductions are sums, over some axes, of arrays that are multiplied entry by entry. What is sparse or small is taken
entry by entry; of all others, those that act on each row of an array by itself have a matrix for it. Else only the two
ends are shown. Where a fold has several paths to an entry, what comes along each is shown as well, as it adds up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from ...engine.jacobians.base import Jacobian, Shape, Sparse
from ...engine.jacobians.local import Diagonal, MatrixProduct, Reduction
from ..scene import captions, formulas
from ..scene.flow_panel import Bench, BenchEntry, BenchTable, Line, Move
from ..scene.formulas import Tree
from ..scene.heat_maps import beside, exact, excerpt
from ..scene.text_widths import fit_formula, unkeyed, width
from .flows import EdgeKey, edge_of, multiplied, numbers_passing
from .folds import gates
from .folds.folded_graph import Fold, whole
from .levels import SweepNarrator

NAME, SHAPE, SIGN = 20.0, 16.5, 21.0  # px of letters
WIDEST_NAME = 240.0  # px
MOST_TERMS = 5  # of a longer sum the largest terms are written out
LARGEST = 2
MOST_TABLES = range(7, 3, -1)  # of more inputs or results, or wider ones, the first ones and the last are shown
MOST_PARTS = 3  # and of more contributions
MOST_COLUMNS = 12  # of several tables together; where they have more, fewer are shown of each
FEWER = 4
FOLDED = -1  # in the key of what a fold is as a whole
MOST_GATES = 4  # of a path inside of a fold that is told gate by gate
MOST_ENTRIES = 400  # of a Jacobian that is written out to find the terms
MOST_MOVED = 100_000  # entries on both sides of one whose entries are looked up
MOST_IN_A_BLOCK = 16  # rows and columns of the Jacobian for a row

PLAIN = re.compile("−?(1|Σ.*|broadcast)")
"""The symbols of local partials that are 1 or −1 whatever the values are."""

Mark = Literal["", "bar", "dot", "via"]


class Table(NamedTuple):
    """An array with its name, its own shape, and the rows and columns that take part in an entry of the result.

    Its axes lie as those of the other tables do, which may have others, or more. It may be several matrices, one for
    each row of the result: then it has an axis more.
    """

    name: str
    mark: Mark
    value: np.ndarray
    shape: Shape
    lit: tuple[Line, Line] = ("row", "column")
    most: int = MOST_TERMS  # rows and columns that are shown
    is_by_row: bool = False


class Terms(NamedTuple):
    """The factors of the terms of an entry, an array each, and the places of the terms in the only operand."""

    factors: Sequence[np.ndarray]
    places: np.ndarray | None = None


class Operation(NamedTuple):
    """Tables with the sign before each; the last is the result. ``terms`` are those of its entry of a number.

    ``own`` are the axes of the result as it lies that it really has; ``None`` stands for all.
    """

    tables: list[Table]
    signs: list[str]
    terms: Callable[[int], Terms] | None
    own: Sequence[int] | None = None


def benches(narrator: SweepNarrator, nodes: Collection[int] | None = None) -> list[Bench]:
    """Return the operations of a sweep, in the order of its moves: first the values, then the seed.

    They are those in which some ``nodes`` have their turn, if these are given.
    """
    moves = [move for move in narrator.moves() if nodes is None or narrator.acting(move) in nodes]
    with np.errstate(all="ignore"):
        first = [_opening(narrator)] if nodes is None else []
        return [each for each in [*first, *_of_moves(narrator, moves)] if each]


def _of_moves(narrator: SweepNarrator, moves: Iterable[Move]) -> Iterator[Bench | None]:
    flow = narrator.flow
    known = set[tuple[int, ...]]()  # what several edges of a fold have in common is told once
    for move in moves:
        step = move["step"]
        if move["kind"] == "send":
            for gate, found in operations(narrator, edge_of(move)):
                if gate not in known:
                    known.add(gate)
                    yield found
        elif move["kind"] == "sum":
            (node,) = move["nodes"]
            yield _document(step, narrator.parts.total(node), _added(narrator, node), node)
        elif move["kind"] == "seed":
            yield _listed(narrator, step, "The sweep starts here", flow.seeds)
        else:
            what = "The adjoints of the inputs" if flow.reverse else "The tangents of the results"
            title = "The gradient, in the shapes of the inputs" if flow.reverse and narrator.is_single else what
            yield _listed(narrator, step, title, {node: flow.results.get(node, 0.0) for node in move["nodes"]})


# ---- what stands side by side ----


def _opening(narrator: SweepNarrator) -> Bench | None:
    values = narrator.graph.values
    given = {node: values[node] for node in narrator.graph.inputs}
    return _listed(narrator, -1, "The values of the inputs", given, is_value=True)


def _listed(
    narrator: SweepNarrator, step: int, title: str, values: dict[int, Any], is_value: bool = False
) -> Bench | None:
    """Return arrays side by side, of which nothing is computed."""
    mark = "" if is_value else _mark(narrator)
    tables = [_table(narrator.names(node), mark, value) for node, value in values.items() if np.size(value)]
    few = (_few(tables, most, "", "…") for most in MOST_TABLES)
    shown, signs = next((each for each in few if not _is_wide(each[0])), _few(tables, MOST_TABLES[-1], "", "…"))
    return _document(step, ["text", title], Operation(_narrowed(shown), signs, None)) if tables else None


def _added(narrator: SweepNarrator, node: int) -> Operation:
    """Return the sum of the contributions to a node."""
    flow = narrator.flow
    sources = [narrator.names(flow.source(edge)) for edge in flow.contributions(node)]
    names = ["the seed"] * (node in flow.seeds) + sources
    return _sum_of(names, narrator.parts.terms(node), _table(narrator.names(node), _mark(narrator), flow.results[node]))


def _sum_of(names: list[str], terms: list[Any], result: Table) -> Operation:
    """Return a sum of what comes via some nodes."""
    values = [np.broadcast_to(np.asarray(value, float), result.shape) for value in terms]
    parts = [_table(name, "via", value) for name, value in zip(names, values, strict=True)]
    tables, signs = _few(parts, MOST_PARTS, "+", "+ … +")
    stacked = np.stack(values)
    return Operation(_narrowed([*tables, result]), [*signs, "="], _sums([stacked], (1, *result.shape), stacked.shape))


def _few(tables: list[Table], most: int, sign: str, gap: str) -> tuple[list[Table], list[str]]:
    """Return some of many tables, each with the sign before it; ``gap`` stands where some are left out."""
    shown = captions.few(tables, None, most)
    signs = ["", *(gap if before is None else sign for before, table in pairwise(shown) if table)]
    return [table for table in shown if table], signs


def _narrowed(tables: list[Table]) -> list[Table]:
    """Return tables with fewer rows and columns of each, where all of them would be too wide."""
    return [table._replace(most=FEWER) for table in tables] if _is_wide(tables) else tables


def _is_wide(tables: list[Table]) -> bool:
    return sum(len(_shown(table)[1]) for table in tables) > MOST_COLUMNS


def _mark(narrator: SweepNarrator) -> Mark:
    return "bar" if narrator.flow.reverse else "dot"


def _table(name: str, mark: Mark, value: Any) -> Table:
    return Table(name, mark, np.asarray(value, float), np.shape(value))


# ---- what a local Jacobian does ----


def operations(narrator: SweepNarrator, edge: EdgeKey) -> Iterator[tuple[tuple[int, ...], Bench]]:
    """Yield what an edge passes on as operations in numbers, each with the gate that it is passed at.

    There are several where an edge leads through a fold, along a single path with several local partials.

    >>> import adviz
    >>> from adviz.stage.shows import flow_scene
    >>> from adviz.stage.narration.flows import flow_of
    >>> graph = adviz.trace(lambda A, x: np.sum(A @ x), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0]))
    >>> flow = flow_of(graph, adviz.Timeline.record({}, adviz.toposort(graph)), True)
    >>> ((_, found),) = operations(SweepNarrator(flow, flow_scene.named(graph, "f")), (2, 1))
    >>> [table["name"][0] for table in found["tables"]], [sign for sign, _ in found["signs"]]
    (['Aᵀ', 'A @ x', 'x'], ['', '·', '='])
    >>> found["sums"][0]["terms"], found["tables"][-1]["map"]["data"]
    ([[1.0, 1.0], [3.0, 1.0]], [4.0, 6.0])
    """
    flow, sent = narrator.flow, narrator.flow.sent.get(edge)
    if sent is None or not np.size(sent.given) or not np.size(sent.product):
        return
    is_line = flow.reverse and isinstance(flow.graph.blocks[edge[0]], Fold)  # whose adjoint passes its stem first
    begun = flow.results[edge[0]] if is_line else sent.given
    passed = [*_gates(narrator, edge, begun if is_line else None)]
    given = _table(narrator.names(flow.source(edge)), _mark(narrator), begun)
    if is_line and (added := _along_paths(narrator, edge, given)):
        yield (*edge, FOLDED, FOLDED), added
    for gate in passed:
        if gate is passed[-1]:
            node, product = flow.target(edge), sent.product
        else:
            passes = gate.jacobian.vjp if flow.reverse else gate.jacobian.jvp
            node, product = gate.onward, passes(given.value)
        result = _table(narrator.names(node), given.mark, product)
        operation = _passed(gate.jacobian, gate.symbol, given, result, flow.reverse)
        is_whole = len(passed) == 1 and gate.symbol == narrator.parts.symbol(edge)
        by_row = next((f"· {table.name}" for table in operation.tables if table.is_by_row), "")
        title = (
            narrator.parts.product(edge)
            if is_whole and not by_row
            else _title(gate._replace(symbol=by_row or gate.symbol), given, result)
        )
        yield gate.key, _document(sent.step, title, operation, edge[0])
        given = result


class _Gate(NamedTuple):
    """A local partial under a key of its own, with the node that a derivative is passed on to there."""

    key: tuple[int, ...]
    symbol: str
    jacobian: Jacobian
    onward: int


def _gates(narrator: SweepNarrator, edge: EdgeKey, given: Any) -> Iterator[_Gate]:
    """Yield the local partials that an edge stands for, in the order in which they are passed.

    Of a line, those on the paths along which something arrives of the ``given`` adjoint.
    """
    flow = narrator.flow
    block, jacobian = flow.graph.blocks[edge[0]], flow.graph.local_jacobians(edge[0])[edge[1]][1]
    paths = gates.paths(block, edge[1], given) if isinstance(block, Fold) else []
    inner = _inner_gates(narrator, paths[0]) if len(paths) == 1 else []
    if not 0 < len(inner) <= MOST_GATES:
        key, symbol = (*edge, FOLDED) if isinstance(block, Fold) else edge, narrator.parts.symbol(edge)
        if flow.reverse and isinstance(block, Fold) and gates.stem_of(block):  # the symbol is that of what is behind
            symbol = f"Jᵀ {block.words.gates[edge[1]].removeprefix('J ')}"
        yield _Gate(key, symbol, jacobian, flow.target(edge))
        return
    yield from inner if flow.reverse else inner[::-1]


def _inner_gates(narrator: SweepNarrator, path: gates.Path) -> list[_Gate]:
    """Return the local partials on a path inside of a fold, without those that are 1 whatever the values are."""
    flow, graph = narrator.flow, whole(narrator.flow.graph)
    found = []
    for node, place in path:
        operand, partial = graph.local_jacobians(node)[place]
        symbol = narrator.parts.local.inside.symbol(node, place, not flow.reverse)
        found.append(_Gate((node, place), symbol, partial, operand if flow.reverse else node))
    changing = [gate for gate in found if gate.symbol != "1" or gate.jacobian.in_shape != gate.jacobian.out_shape]
    return changing or found[:1]


def _along_paths(narrator: SweepNarrator, edge: EdgeKey, given: Table) -> Bench | None:
    """Return what an entry of a line receives along each of its paths inside; ``None`` where there is only one."""
    flow, node = narrator.flow, narrator.flow.target(edge)
    fold: Any = flow.graph.blocks[edge[0]]
    ways = gates.apart(fold, edge[1], given.value)
    if not ways:
        return None
    names = gates.called(ways, narrator.names)
    values = [gates.through(fold, path, given.value) for path in ways]
    added = [part for name in names for part in (formulas.op("+"), ["text", f"via {unkeyed(name)}"])][1:]
    title = formulas.chain(narrator.parts.marked(node), formulas.row(*added))
    operation = _sum_of(names, values, _table(narrator.names(node), given.mark, flow.sent[edge].product))
    return _document(flow.sent[edge].step, title, operation, edge[0])


def _title(gate: _Gate, given: Table, result: Table) -> Tree:
    """Return a product of a fold in a formula, with its numbers where there are no others."""
    one, other = ([each.mark, ["id", each.name]] for each in (given, result))
    if gate.jacobian.in_shape or gate.jacobian.out_shape:
        passed = gates.passing(gate.symbol, one)
    else:
        partial = float(np.ravel(gate.jacobian.dense())[0])
        passed = [numbers_passing(gate.symbol, one, multiplied(given.value, partial, result.value))]
    return formulas.row(other, formulas.op("="), *passed)


def _passed(jacobian: Any, symbol: str, given: Table, result: Table, reverse: bool) -> Operation:
    """Return what a local Jacobian does to a derivative."""
    match jacobian:
        case MatrixProduct():
            return _matrix_product(jacobian, symbol, given, result, reverse)
        case Diagonal():
            return _entrywise(jacobian, symbol, given, result)
        case Reduction():
            return _reduced(jacobian, symbol, given, result, reverse)
    named = symbol.strip("· ") if symbol.startswith("· ") or symbol.endswith(" ·") else ""
    is_unwritten = named or symbol.startswith("J") or len(gates.terms_of(symbol)) > 1
    by_row = _by_row(jacobian, given, result, reverse, named) if is_unwritten else None
    return by_row or _moved(jacobian, symbol, given, result, reverse)


def _matrix_product(jacobian: MatrixProduct, symbol: str, given: Table, result: Table, reverse: bool) -> Operation:
    """Return a product of matrices; vectors lie on the left and stand on the right, of a stack the first is shown."""
    is_left, fixed = jacobian.side == "left", np.asarray(jacobian.fixed, float)
    first, second = (jacobian.in_shape, fixed.shape) if is_left else (fixed.shape, jacobian.in_shape)
    lies, stands = len(first) == 1, len(second) == 1
    left, right = (1, *first) if lies else first, (*second, 1) if stands else second
    stack = jacobian.out_shape[: len(jacobian.out_shape) - (not lies) - (not stands)]
    value, operand = (*stack, left[-2], right[-1]), left if is_left else right
    comes, goes = (value, operand) if reverse else (operand, value)
    matrix = fixed.reshape(right if is_left else left)
    name, over = _unsummed(symbol)
    name = name.strip("· ").replace("ᵀᵀ", "")
    factor = Table(name, "", matrix, fixed.shape)
    if reverse:
        turned = fixed.shape[:-2] + fixed.shape[-2:][::-1]
        factor = factor._replace(value=np.swapaxes(matrix, -1, -2), shape=turned)
    given, result = (each._replace(value=each.value.reshape(shape)) for each, shape in ((given, comes), (result, goes)))
    one, other = (given, factor) if is_left else (factor, given)
    factors = [one.value[..., :, :, None], other.value[..., None, :, :]]
    terms = _sums(factors, (*goes[:-1], 1, goes[-1]), np.broadcast_shapes(*(each.shape for each in factors)))
    tables = [one._replace(lit=("row", "all")), other._replace(lit=("all", "column")), result]
    added = [lies and (is_left or not reverse), stands and not (is_left and reverse)]  # axes that vectors got
    own = [*range(len(goes) - 2), *(len(goes) - 2 + k for k in range(2) if not added[k])]
    return Operation(tables, [over, "·", "="], terms, own)


def _entrywise(jacobian: Diagonal, symbol: str, given: Table, result: Table) -> Operation:
    """Return a product entry by entry, summed over the axes along which an operand was repeated."""
    partial = np.asarray(jacobian.partial, float)
    full, kept = jacobian.out_shape, result.value.shape
    over = _over(kept, full)
    if PLAIN.fullmatch(symbol):
        factors, sign = [given.value * partial], ["−"] if partial < 0 else []
        return _combined([given], [" ".join([*sign, *over])], result, factors, full, kept)
    factor = Table(_factor(_unsummed(symbol)[0], partial), "", partial, partial.shape)
    between = "⊙" if given.value.ndim and partial.ndim else "·"
    return _combined([given, factor], [*(over or [""]), between], result, [given.value, partial], full, kept)


def _reduced(jacobian: Reduction, symbol: str, given: Table, result: Table, reverse: bool) -> Operation:
    """Return a weighted sum over axes; backwards every term receives the adjoint, times its weight."""
    weights, full, kept = np.asarray(jacobian.weights, float), jacobian.in_shape, jacobian.kept_shape
    is_spread = not weights.ndim and kept != full
    if reverse:
        given, kept, own, before = given._replace(value=given.value.reshape(kept)), full, None, "broadcast"
    else:
        result, before = result._replace(value=result.value.reshape(kept)), "".join(_over(kept, full))
        own = [k for k in range(len(kept)) if jacobian.keepdims or k not in jacobian.axes]
    signs = [before if is_spread or not reverse else ""]
    factors = [given.value] if not weights.ndim and weights == 1 else [given.value, weights]
    tables = [given]
    if len(factors) > 1:
        name, _ = _unsummed(symbol)
        if not weights.ndim and "/" in symbol:
            name = f"1{symbol[symbol.index('/') :].replace(' ', '')}"
        tables.append(Table(_factor(name, weights), "", weights, weights.shape))
        signs.append("⊙" if weights.ndim else "·")
    return _combined(tables, signs, result, factors, full, kept)._replace(own=own)


def _combined(
    tables: list[Table], signs: list[str], result: Table, factors: list[np.ndarray], full: Shape, kept: Shape
) -> Operation:
    lit = _lit(kept, full)
    return Operation([*(each._replace(lit=lit) for each in tables), result], [*signs, "="], _sums(factors, kept, full))


def _moved(jacobian: Jacobian, symbol: str, given: Table, result: Table, reverse: bool) -> Operation:
    """Return what a Jacobian does whose entries are known, as where entries are moved; of others the two ends."""
    before, after = ("", symbol) if symbol == "ᵀ" else (symbol, "") if "(…)" in symbol else gates.around(symbol)
    if symbol.startswith("J"):
        rows, columns = jacobian.shape
        before, after = f"Jᵀ {columns}×{rows} ·" if reverse else f"J {rows}×{columns} ·", ""
    elif before.endswith("("):  # of a sign that is written as a function
        before, after = before.removesuffix("("), after.removeprefix(")")
    signs = [before.strip(), f"{after.strip()} =".strip()]
    return Operation([given._replace(lit=("all", "all")), result], signs, _looked_up(jacobian, given, reverse))


def _by_row(jacobian: Jacobian, given: Table, result: Table, reverse: bool, name: str = "") -> Operation | None:
    """Return what a Jacobian does that acts on each row by itself, as a row times a matrix; ``None`` where it does not.

    >>> from adviz.engine.jacobians.local import Dense
    >>> given, result = Table("f", "bar", np.ones(2), (2,)), Table("x", "bar", np.array([4.0, 6.0]), (2,))
    >>> operation = _by_row(Dense(np.array([[1.0, 2.0], [3.0, 4.0]]), (2,), (2,)), given, result, True)
    >>> [table.name for table in operation.tables], operation.tables[1].value.tolist(), operation.terms(1).factors
    (['f', 'J', 'x'], [[[1.0, 2.0], [3.0, 4.0]]], [array([1., 1.]), array([2., 4.])])
    """
    outer, inner = jacobian.out_shape or (1,), jacobian.in_shape or (1,)
    if outer[:-1] != inner[:-1] or max(outer[-1], inner[-1]) > MOST_IN_A_BLOCK or sum(jacobian.shape) > MOST_MOVED:
        return None

    def rows_of(adjoint: np.ndarray) -> np.ndarray:
        back = np.asarray(jacobian.vjp(np.broadcast_to(adjoint, outer).reshape(jacobian.out_shape)), float)
        return back.reshape(-1, inner[-1])

    matrices = np.stack([rows_of(unit) for unit in np.eye(outer[-1])], 1)
    probe = np.cos(np.arange(math.prod(outer))).reshape(-1, outer[-1])  # tells rows that depend on other rows
    expected = np.einsum("rk,rkm->rm", probe, matrices)
    if not np.allclose(rows_of(probe.reshape(outer)), expected, atol=1e-9 * np.max(np.abs(matrices))):
        return None
    comes, goes = (outer, inner) if reverse else (inner, outer)
    own = [*range(len(goes))] if result.shape else []
    given, result = (each._replace(value=each.value.reshape(shape)) for each, shape in ((given, comes), (result, goes)))
    matrices = matrices if reverse else matrices.swapaxes(1, 2)
    factor = Table(
        name or ("J" if reverse else "Jᵀ"), "", matrices, matrices.shape[1:], ("all", "column"), is_by_row=True
    )

    def terms(number: int) -> Terms:
        row, column = divmod(number, goes[-1])
        return Terms([_matrix(given.value)[row], matrices[row, :, column]])

    return Operation([given._replace(lit=("row", "all")), factor, result], ["", "·", "="], terms, own)


def _looked_up(jacobian: Jacobian, given: Table, reverse: bool) -> Callable[[int], Terms] | None:
    """Return the terms of an entry as the Jacobian has them; ``None`` where it is too large to be written out."""
    size = sum(jacobian.shape)
    form = jacobian.normal() if size <= MOST_MOVED else jacobian
    if isinstance(form, Sparse):
        (rows, columns), weights = form.places(), np.broadcast_to(form.weights, form.nnz)
    elif math.prod(jacobian.shape) <= MOST_ENTRIES:
        dense = np.asarray(jacobian.dense(), float)
        rows, columns = np.nonzero(dense)
        weights = dense[rows, columns]
    else:
        return None
    here, there = (columns, rows) if reverse else (rows, columns)
    flat, is_unit = given.value.ravel(), bool(np.all(weights == 1))

    def terms(number: int) -> Terms:
        found = np.flatnonzero(here == number)
        factors = [flat[there[found]]]
        return Terms(factors if is_unit else [*factors, weights[found]], there[found])

    return terms


# ---- sums of products ----


def _sums(factors: list[np.ndarray], kept: Shape, full: Shape) -> Callable[[int], Terms]:
    """Return the terms of each entry of a sum, over the axes that ``kept`` lacks or has with one entry only."""
    views = [np.broadcast_to(factor, full) for factor in factors]
    summed = _summed(kept, full)
    extra = len(full) - len(kept)

    def terms(number: int) -> Terms:
        place = np.unravel_index(number, kept)
        at = tuple(slice(None) if k in summed else place[k - extra] for k in range(len(full)))
        return Terms([np.ravel(view[at]) for view in views])

    return terms


def _summed(kept: Shape, full: Shape) -> tuple[int, ...]:
    extra = len(full) - len(kept)
    return tuple(k for k, size in enumerate(full) if k < extra or (kept[k - extra] == 1 and size != 1))


def _over(kept: Shape, full: Shape) -> list[str]:
    """Return over what is summed, as a sign; nothing where nothing is."""
    axes = _summed(kept, full)
    return [gates.sum_over(axes, len(full))] if axes else []


def _lit(kept: Shape, full: Shape) -> tuple[Line, Line]:
    """Return which rows and columns of an operand take part in an entry of a sum."""
    summed = {k - len(full) for k in _summed(kept, full)}
    return "all" if -2 in summed else "row", "all" if -1 in summed else "column"


def _unsummed(symbol: str) -> tuple[str, str]:
    """Return the symbol of a gate without its sum, and that.

    >>> _unsummed("Bᵀ ·, Σ axis 0"), _unsummed("⊙ e")
    (('Bᵀ ·', 'Σ axis 0'), ('⊙ e', ''))
    """
    before, comma, after = symbol.rpartition(", Σ")
    return (before, f"Σ{after}") if comma else (symbol, "")


def _factor(symbol: str, value: np.ndarray) -> str:
    """Return the name of a factor: its symbol, or nothing where that is its number.

    >>> _factor("⊙ (1 − h²)", np.ones(3)), _factor("· 0.5", np.array(0.5))
    ('1 − h²', '')
    """
    name = symbol.removeprefix("⊙ ").removeprefix("· ")
    if not value.ndim and name == captions.decimals(float(value)):
        return ""
    inner = name[1:-1]
    is_closed = all(inner[: k + 1].count("(") >= inner[: k + 1].count(")") for k in range(len(inner)))
    return inner if name.startswith("(") and name.endswith(")") and is_closed else name


# ---- as a document ----


def _document(step: int, title: Tree, operation: Operation, node: int = -1) -> Bench:
    result = operation.tables[-1].value
    axes = range(result.ndim) if operation.own is None else operation.own
    words = {result.ndim - 1: "column", result.ndim - 2: "row"}
    tables = [_drawn(table, operation.tables[-1]) for table in operation.tables]
    largest = max(table["map"]["scale"] for table in tables)
    return {
        "step": step,
        "node": node,
        "title": title,
        "tables": [{**table, "map": beside(table["map"], largest)} for table in tables],
        "signs": [[sign, round(width(sign, SIGN), 1)] for sign in operation.signs],
        "at": [words.get(axis, "0") for axis in axes],
        "sums": [*_entries(operation.tables, operation.terms)] if operation.terms else [],
    }


def _drawn(table: Table, result: Table) -> BenchTable:
    name = fit_formula(table.name, NAME, WIDEST_NAME)
    before = "via " if table.mark == "via" else ""
    shape = captions.shape(table.shape) if table.shape else ""
    if table.value.ndim > 2 and not table.is_by_row:
        shape += f" [{', '.join('0' * (table.value.ndim - 2))}]"
    (rows, columns), matrix = _shown(table), _matrix(table.value)
    shown = _shown(result)[0] if table.is_by_row else []
    if shown:  # the matrices one below the other
        high, wide = matrix.shape
        matrix = table.value[shown].reshape(-1, wide)
        rows = [number * high + row for number in range(len(shown)) for row in rows]
    if len(shown) > 1:
        shape = f"{shape} in row {shown[-1]}"
    document: BenchTable = {
        "name": [name, round(width(before + name, NAME), 1)],
        "mark": table.mark,
        "shape": [shape, round(width(shape, SHAPE), 1)],
        "map": excerpt(matrix, rows, columns, table.shape),
        "lit": [*table.lit],
    }
    if shown:
        document["by_row"] = len(shown)
    return document


def _matrix(value: np.ndarray) -> np.ndarray:
    """Return the matrix that is shown of an array: its last two axes, at 0 along the others."""
    matrix: np.ndarray = value[(0,) * (value.ndim - 2)] if value.ndim > 2 else np.atleast_2d(value)
    return matrix


def _shown(table: Table) -> tuple[list[int], list[int]]:
    """Return the rows and the columns that are shown."""
    rows, columns = (captions.few(range(count), -1, table.most) for count in _matrix(table.value).shape)
    return [k for k in rows if k >= 0], [k for k in columns if k >= 0]


def _entries(tables: list[Table], terms: Callable[[int], Terms]) -> Iterator[BenchEntry]:
    """Yield the sum of each entry that is shown of a result, the last of the tables."""
    (rows, columns), wide = _shown(tables[-1]), _matrix(tables[-1].value).shape[1]
    for row in rows:
        for column in columns:
            yield _entry(terms(row * wide + column), tables[0])


def _entry(terms: Terms, given: Table) -> BenchEntry:
    """Return a sum: all of its terms, or the largest and what the others add up to."""
    count = len(terms.factors[0])
    chosen: Iterable[Any] = range(count)
    rest = 0.0
    if count > MOST_TERMS:
        products = reduce(np.multiply, terms.factors)
        sizes = np.where(np.isnan(products), np.inf, np.abs(products))
        largest = np.argpartition(-sizes, LARGEST)[:LARGEST]
        chosen, is_other = largest[np.argsort(-sizes[largest], kind="stable")], np.ones(count, bool)
        is_other[largest] = False
        rest = float(products[is_other].sum())
    entry: BenchEntry = {
        "terms": [[exact(float(factor[k])) for factor in terms.factors] for k in chosen],
        "others": count - LARGEST if count > MOST_TERMS else 0,
        "rest": exact(rest),
    }
    if terms.places is not None:
        entry["places"] = _cells(terms.places, given)
    return entry


def _cells(places: np.ndarray, given: Table) -> list[int]:
    """Return the numbers of those cells that are shown of an array, row by row, of places among all of its entries."""
    rows, columns = _shown(given)
    wide = _matrix(given.value).shape[1]
    numbers = [row * wide + column for row in rows for column in columns]
    found = set(places.tolist())
    return [k for k, number in enumerate(numbers) if number in found]
