"""A graph in which what belongs together is one operation: a call, an iteration, a part of a long function.

A *fold* has one exit, a value that is used outside or returned, and entries, the values from outside that it is
computed from. What is inside is eliminated: the local partial of the exit with respect to an entry is the sum over all
paths inside of the products along them. What leaves a fold at two places are two folds, one after the other if one
exit is computed from the other, so every value that is left has the adjoint and the tangent that it has in the graph.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 9.2 (vertex elimination).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....algorithms.sweeps.primitives import add, plain
from ....engine.blocks import Block, Words
from ....engine.jacobians.base import Jacobian, LinearMap, Sparse
from ....graph.graph import Graph
from ....graph.origins import assigned_name
from ...scene import captions

SEVERAL = re.compile(r"(\w+(?:, \w+)+) = ")  # names that are assigned together
LETTERS = "abcde"  # the operands in the words of a rule
MOST_LISTED = 4


class Place(NamedTuple):
    """What a fold stands for: in a sentence, in little space, and the name of the function where it is a call of one.

    ``scopes`` are those that it is made of: the first, and the number after the last. It may be a line of the function,
    or iterations of a ``loop``: the scope, the first one and the last.
    """

    label: str
    short: str
    called: str
    scopes: tuple[int, int]
    is_line: bool = False
    loop: tuple[int, int, int] | None = None

    @property
    def brief(self) -> str:
        """The label, that of a line without its code."""
        return self.label.partition(", ")[0] if self.is_line and self.label.startswith("line") else self.label


class Fold(Block):
    """Some nodes as one operation, whose value is that of its exit."""

    family = "scope"

    def __init__(self, graph: Graph, place: Place, inside: list[int], entries: tuple[int, ...]):
        self.graph, self.place, self.inside, self.entries = graph, place, inside, entries
        self.exit = inside[-1]
        self.name = self.symbol = "fold"

    @cached_property
    def words(self) -> Words:  # type: ignore[override]
        """How the local partials are written."""
        return Words(gates=tuple(self._gate(number) for number in range(len(self.entries))))

    @property
    def size(self) -> int:
        """How many operations are inside."""
        return sum(self.graph.blocks[node].name != "input" for node in self.inside)

    @property
    def counted(self) -> str:
        """How many operations and inputs are inside, in words."""
        inputs = len(self.inside) - self.size
        operations = captions.plural(self.size, "operation")
        return f"{operations} and {captions.plural(inputs, 'input')}" if inputs else operations

    @property
    def is_told(self) -> bool:
        """Whether its rule says of each entry what it receives: of lines, and of other folds over arrays if few do."""
        is_of_arrays = not all(map(self.is_number, range(len(self.entries))))
        return self.place.is_line or (is_of_arrays and len(self.entries) < MOST_LISTED)

    def is_number(self, place: int) -> bool:
        """Return whether a local partial is a number."""
        values = self.graph.values
        return not np.ndim(values[self.exit]) and not np.ndim(values[self.entries[place]])

    def _gate(self, place: int) -> str:
        """Return how a local partial is written, as a template of names."""
        if self.is_number(place):
            return f"∂{{y}}/∂{{{LETTERS[place] if place < len(LETTERS) else f'operand{place}'}}}"
        values = self.graph.values
        return f"J {np.size(values[self.exit])}×{np.size(values[self.entries[place]])}"

    @property
    def through(self) -> str:
        """With what a sentence begins that tells of it."""
        return f"Through {self.place.brief} ({self.counted}),"

    def rule(self, names: Callable[[int], str], symbol: Callable[[int], str]) -> str:
        """Return what the fold is, in a sentence; ``symbol`` is how the local partial at a place is written."""
        through = self.through
        exit_, places = names(self.exit), range(len(self.entries))
        entering = captions.listed(captions.few([names(entry) for entry in self.entries], "…", MOST_LISTED))
        if not all(map(self.is_number, places)):
            return (
                f"{through} {exit_} depends on {entering}: where a gate has J, that is the Jacobian, how each entry of "
                f"{exit_} responds to each entry of that operand along all paths inside."
            )
        if len(places) != 1:
            return f"{through} {exit_} depends on {entering}."
        return f"{through} a small change in {entering} changes {exit_} by {symbol(0)} times as much."

    # ---- the local partials ----

    @cached_property
    def edges(self) -> dict[int, list[tuple[int, Any]]]:
        """The operands of each node inside that are nodes, with the local Jacobians."""
        with np.errstate(all="ignore"):
            return {node: self.graph.local_jacobians(node) for node in self.inside}

    @cached_property
    def dependent(self) -> dict[int, set[int]]:
        """The nodes inside that depend on each entry, with the entry itself."""
        result = {entry: {entry} for entry in self.entries}
        for node in self.inside:
            operands = {operand for operand, _ in self.edges[node]}
            for found in result.values():
                if not found.isdisjoint(operands):
                    found.add(node)
        return result

    def pulled_back(self, adjoint: Any, only: int | None = None) -> dict[int, Any]:
        """Return what each entry receives of an adjoint of the exit, or ``only`` one of them."""
        result: dict[int, Any] = {self.exit: adjoint}
        wanted = {*self.inside, *self.entries} if only is None else self.dependent[only]
        with np.errstate(all="ignore"):
            for node in reversed(self.inside):
                for operand, jacobian in self.edges[node] if node in result else ():
                    if operand in wanted:
                        term = plain(jacobian.vjp(result[node]))
                        result[operand] = add(result[operand], term) if operand in result else term
        return {entry: result[entry] for entry in self.entries if entry in wanted}

    def pushed_on(self, tangents: Mapping[int, Any]) -> Any:
        """Return the tangent that the exit gets from tangents of some entries."""
        result = dict(tangents)
        with np.errstate(all="ignore"):
            for node in self.inside:
                for operand, jacobian in self.edges[node]:
                    if operand in result:
                        term = plain(jacobian.jvp(result[operand]))
                        result[node] = add(result[node], term) if node in result else term
        return result[self.exit]

    @cached_property
    def jacobians(self) -> list[tuple[int, Jacobian]]:
        """The entries, each with the Jacobian of the exit with respect to it."""
        return [(entry, self._jacobian(place, entry)) for place, entry in enumerate(self.entries)]

    @cached_property
    def _numbers(self) -> dict[int, Any]:
        """The gradient of an exit that is a number, by entries."""
        return self.pulled_back(1.0)

    def _jacobian(self, place: int, entry: int) -> Jacobian:
        if self.is_number(place):
            return Sparse(None, None, float(self._numbers[entry]), (), ())
        shapes = [np.shape(self.graph.values[node]) for node in (self.exit, entry)]
        return LinearMap(
            lambda tangent: self.pushed_on({entry: tangent}),
            lambda adjoint: self.pulled_back(adjoint, entry)[entry],
            *shapes,
        )


class FoldedGraph(Graph):
    """A graph seen folded: nodes keep their numbers, and those inside of folds are left out.

    ``parts`` are disjoint sets of nodes, each with what it stands for; outputs are in none of them. ``kept``
    are the nodes that are left, ``folds`` those of them that stand for more than themselves, by their exits. Parts
    with one and the same place are one box, as far as nothing outside is made of one of them and used in another.

    >>> import adviz
    >>> whole = adviz.trace(lambda x, y: x * x * x + y, 2.0, 1.0)
    >>> graph = FoldedGraph(whole, [(Place("the cube", "cube", "", (0, 0)), [2, 3])])
    >>> graph.kept, graph.operands(3), [jacobian.dense().item() for _, jacobian in graph.local_jacobians(3)]
    ([0, 1, 3, 4, 5], (0,), [12.0])
    """

    def __init__(self, whole: Graph, parts: Collection[tuple[Place, Collection[int]]]):
        vars(self).update(vars(whole))
        self.whole = whole
        self.part_of = part_of = parts_of(whole, [nodes for _, nodes in parts])
        self.kept = kept(whole, part_of)
        left, self.places = set(self.kept), [place for place, _ in parts]
        self.folds: dict[int, Fold] = {}
        for node in self.kept:
            if part_of[node] >= 0 and len((found := _computed(whole, node, left))[0]) > 1:
                self.folds[node] = Fold(whole, self.places[part_of[node]], *found)
        blocks: list[Any] = [self.folds.get(node, block) for node, block in enumerate(whole.blocks)]
        vars(self)["blocks"] = blocks  # in place of the cached property

    @cached_property
    def boxes(self) -> list[tuple[Place, list[int]]]:
        """What is one box, with its nodes, of which there are several."""
        inside: dict[int, list[int]] = {part: [] for part in range(-1, len(self.places))}  # some have no nodes
        for node, part in enumerate(self.part_of):
            inside[part].append(node)
        alike: dict[int, list[int]] = {}
        for part, place in enumerate(self.places):
            alike.setdefault(id(place), []).append(part)
        result: list[list[int]] = []
        for parts in alike.values():
            every = sorted(node for part in parts for node in inside[part])
            within = {*every}
            is_one = all(user in within or user > every[-1] for node in every for user in self.whole.users(node))
            result += [every] if is_one else [inside[part] for part in parts]
        return [(self.places[self.part_of[nodes[0]]], nodes) for nodes in result if len(nodes) > 1]

    @cached_property
    def exits(self) -> list[int]:
        """The nodes that are left of boxes."""
        within = {node for _, nodes in self.boxes for node in nodes}
        return [node for node in self.kept if node in within]

    @cached_property
    def targets(self) -> dict[int, str]:
        """The names that statements give to several values, by nodes."""
        lines = [(place.short, nodes) for place, nodes in self.boxes if place.is_line]
        return {node: name for text, nodes in lines for node, name in targets(self.whole, text, nodes).items()}

    def operands(self, index: int) -> tuple[int, ...]:
        """Return operands of a node; of a fold its entries."""
        return self.folds[index].entries if index in self.folds else super().operands(index)

    def name(self, index: int) -> str | None:
        """Return the name in the source; of what a call returns and gives no name, the one that the caller gives it."""
        result, number = super().name(index) or self.targets.get(index), self.calls[index]
        users = {self.calls[user] for user in self.users(index)}
        while not result and number not in users and (call := self.call_table[number]).parent >= 0:
            if call.code.co_name == "<genexpr>":  # what it yields is used, and not returned
                break
            result, number = assigned_name(self.call_table[call.parent].code, call.offset), call.parent
        return result

    def local_jacobians(self, index: int) -> list[tuple[int, Any]]:
        """Return the operands of a node that are nodes, each with the local Jacobian, in a fold the accumulated one."""
        return list(self.folds[index].jacobians) if index in self.folds else super().local_jacobians(index)


def is_additive(block: Block) -> bool:
    """Return whether a Block is a sum, a difference or their like, whose partials do not depend on values."""
    return block.family != "output" and bool(block.formulas) and {*block.formulas} <= {"1", "-1"}


def targets(graph: Graph, statement: str, nodes: list[int]) -> dict[int, str]:
    """Return the names that a statement gives to those of its nodes that are used outside: ``a, b = np.split(x, 2)``.

    They are computed in this order where one function computes them, and gives them no names of its own.
    """
    found, within = SEVERAL.match(statement), {*nodes}
    names = found[1].split(", ") if found else []
    exits = [node for node in nodes if not within.issuperset(graph.users(node))]
    is_in_order = len({graph.calls[node] for node in exits}) == 1 and not any(map(graph.name, exits))
    return dict(zip(exits, names, strict=True)) if len(names) == len(exits) and is_in_order else {}


def whole(graph: Graph) -> Graph:
    """Return the graph itself, where it is not seen folded."""
    return graph.whole if isinstance(graph, FoldedGraph) else graph


def drawn(graph: Graph) -> Iterable[int]:
    """Return the nodes that are left, which are all where nothing is folded."""
    return graph.kept if isinstance(graph, FoldedGraph) else range(len(graph))


def holder(graph: Graph, node: int) -> int:
    """Return the node that is left in which a node is, the first of several."""
    if not isinstance(graph, FoldedGraph) or node in graph.kept:
        return node
    return next((exit_ for exit_, fold in graph.folds.items() if node in fold.inside), node)


def parts_of(graph: Graph, parts: Collection[Collection[int]]) -> list[int]:
    """Return for each node the number of the part that it is in, or -1."""
    part_of = [-1] * len(graph)
    for number, nodes in enumerate(parts):
        for node in nodes:
            part_of[node] = number
    return part_of


def kept(graph: Graph, part_of: list[int]) -> list[int]:
    """Return the nodes that are in no part, and those that are used outside of their part."""
    part, (tails, heads) = np.asarray(part_of), graph.data_edges
    is_kept = part < 0
    is_kept[tails[part[tails] != part[heads]]] = True
    return np.flatnonzero(is_kept).tolist()


def _computed(graph: Graph, exit_: int, left: Container[int]) -> tuple[list[int], tuple[int, ...]]:
    """Return the nodes inside of a fold, its exit last, and its entries in the order of their first use."""
    inside, open_ = dict[int, list[int]](), [exit_]
    while open_:
        if (node := open_.pop()) not in inside:
            inside[node] = graph.operand_nodes(node)
            open_ += [operand for operand in inside[node] if operand not in left]
    ordered = sorted(inside)
    used = [operand for node in ordered for operand in inside[node] if operand in left]
    return ordered, tuple(dict.fromkeys(used))
