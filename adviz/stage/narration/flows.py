"""A sweep as what edges carry, in numbers, words and formulas, and where it ceases to be finite.

What edges carried, where contributions were added, and when, is read off the Steps. A result that is returned is a node
of its own in the graph; here it is the node that is returned, which gets the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...engine.sweeps import is_finite, non_finite, origins_of_values
from ...graph.graph import Graph
from ...graph.timeline import Step, Timeline, follow
from ..scene import captions, formulas
from ..scene.flow_panel import Move
from ..scene.formulas import Tree
from .folds import gates
from .folds.folded_graph import Fold
from .local_partials import LocalPartials

ROUNDING = 1000  # units in the last place by which a sum may be off
MOST_ENTRIES = 2_500  # of a matrix that is written out in a formula
MOST_TERMS = 5  # the most terms of a sum that is written out
SIGNS = {"NaN": "NaN", "infinity": "∞"}

EdgeKey = tuple[int, int]  # a node, and which of its operands that are nodes
Name = Callable[[int], str]


class Sent(NamedTuple):
    """What an edge carried: the step, what was given to it, and the product with its local partial."""

    step: int
    given: Any
    product: Any


class Change(NamedTuple):
    """A derivative that is not what has arrived: its array is shared, and was added to in a step, for a node."""

    step: int
    node: int
    before: Any


class _Flow(NamedTuple):
    graph: Graph
    reverse: bool
    seeded: int
    seeds: dict[int, Any]
    sent: dict[EdgeKey, Sent]
    sums: dict[int, int]
    results: dict[int, Any]
    steps: int
    cost: tuple[int, int] | None = None
    values: dict[int, int] | None = None
    changes: Mapping[int, Change] = MappingProxyType({})


class Flow(_Flow):
    """One sweep over a graph.

    ``seeds`` are what it started with, by node; ``sent`` what the edges carried, in order; ``sums`` the steps in which
    nodes with several contributions have all of them; ``results`` the adjoints or tangents that came out. ``cost`` are
    the multiplications and additions of the engine, where more happens than is explained. In an evaluation nothing is
    sent; ``values`` are the steps in which nodes get their values. ``changes`` are what a wrong engine did to nodes.
    """

    @cached_property
    def is_block(self) -> bool:
        """Whether derivatives are matrices: several at once, each of the shape of its node."""
        return any(np.shape(seed) != np.shape(self.graph.values[node]) for node, seed in self.seeds.items())

    def source(self, edge: EdgeKey) -> int:
        """Return the node from which a derivative flows along an edge."""
        return edge[0] if self.reverse else self.graph.operand_nodes(edge[0])[edge[1]]

    def target(self, edge: EdgeKey) -> int:
        """Return the node to which a derivative flows along an edge."""
        return self.graph.operand_nodes(edge[0])[edge[1]] if self.reverse else edge[0]

    def contributions(self, node: int) -> list[EdgeKey]:
        """Return the edges along which contributions came to a node, in the order of their arrival."""
        return self._arrivals.get(node, [])

    @cached_property
    def _arrivals(self) -> dict[int, list[EdgeKey]]:
        result: dict[int, list[EdgeKey]] = {}
        for edge in self.sent:
            result.setdefault(self.target(edge), []).append(edge)
        return result


def shown(graph: Graph, node: int) -> int:
    """Return the node that stands for a node in the picture: for an output the node that is returned."""
    while graph.blocks[node].name == "output" and graph.operand_nodes(node):
        (node,) = graph.operand_nodes(node)
    return node


def flow_of(graph: Graph, timeline: Timeline, reverse: bool) -> Flow | None:
    """Read a single sweep; ``None`` if the timeline is not that of one, as where several devices work at once.

    In a sweep every derivative is the sum of its seed and of what has arrived, so one that is not is no sweep either.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x * y, 3.0, 4.0)
    >>> flow = flow_of(graph, adviz.Timeline.record({}, adviz.toposort(graph)), True)
    >>> flow and (flow.sent[2, 0].product, dict(sorted(flow.results.items())))
    (4.0, {0: 4.0, 1: 3.0, 2: 1.0})
    """
    result = read(graph, timeline, reverse)
    if not result:
        return None
    flow, visits = result
    for node in flow.results:
        count = len(flow.contributions(node)) + (node in flow.seeds)
        if count > 1 and node in visits:
            flow.sums[node] = visits[node]
    return flow if flow.steps and adds_up(flow) else None


def flows_of(graph: Graph, timeline: Timeline, reverse: bool, sweeps: int) -> list[Flow] | None:
    """Read several sweeps that follow each other; ``None`` if the timeline is not made of so many.

    Each begins with the Step that frees what the one before has left; its Steps are counted from there.
    """
    if sweeps == 1:
        result = [flow_of(graph, timeline, reverse)]
    elif steps := list(timeline):
        seeds = [k for k, step in enumerate(steps) if step.kind == "seed"]
        starts = [0, *(seed - 1 for seed in seeds[1:]), len(steps)]
        result = [flow_of(graph, Timeline({}, after_all(steps[a:b])), reverse) for a, b in pairwise(starts)]
    else:
        return None
    flows = [flow for flow in result if flow]
    return flows if len(flows) == len(result) == sweeps else None


def after_all(steps: list[Step]) -> list[Step]:
    """Return the Steps of a sweep where nothing is left of the one before: there is nothing to free."""
    first, *others = steps
    return [replace(first, edits=()), *others] if first.kind == "free" and not first.focus else steps


def placed_in(flow: Flow, steps: Sequence[int], last: int) -> Flow:
    """Return a sweep as part of a show, where its steps have other numbers, and its result is the step ``last``."""
    return flow._replace(
        seeded=steps[flow.seeded],
        sent={edge: sent._replace(step=steps[sent.step]) for edge, sent in flow.sent.items()},
        sums={node: steps[step] for node, step in flow.sums.items()},
        changes={node: change._replace(step=steps[change.step]) for node, change in flow.changes.items()},
        steps=last,
    )


def read(graph: Graph, timeline: Timeline, reverse: bool) -> tuple[Flow, dict[int, int]] | None:
    """Return a sweep without its sums, and for each node the last step of its visit; ``None`` if it is none."""
    what = "adjoint" if reverse else "tangent"
    state: dict[Any, Any] = dict(timeline.start)
    changes: dict[int, Change] = {}
    flow = Flow(graph, reverse, 0, {}, {}, {}, {}, 0, changes=changes)
    seeded, steps = 0, 0
    visits: dict[int, int] = {}
    try:
        for number, step in enumerate(timeline):
            steps += 1
            follow(state, step)
            focus: Any = step.focus
            for edit in step.edits:
                key: Any = edit.key
                if isinstance(key, tuple) and key[0] == what and edit.after is not None:
                    node = shown(graph, key[1])
                    if step.kind == "accumulate" and node in flow.results and node != shown(graph, focus[0]):
                        changes.setdefault(node, Change(number, shown(graph, focus[0]), edit.before))
                    flow.results[node] = edit.after
            if step.kind == "seed":
                seeded = number
                for node in focus:
                    seed, already = state[what, node], flow.seeds.get(shown(graph, node))
                    flow.seeds[shown(graph, node)] = seed if already is None else already + seed
            elif step.kind == "product":
                edge: Any = step.edits[0].key
                _, node, place = edge
                if graph.blocks[node].name != "output":
                    given = state[what, node if reverse else graph.operand_nodes(node)[place]]
                    flow.sent[node, place] = Sent(number, given, step.edits[0].after)
            if step.kind in ("accumulate", "visit"):
                visits[focus[0]] = number
    except KeyError:  # the keys of its stage are not those of a sweep
        return None
    return flow._replace(seeded=seeded, steps=steps), visits


def adds_up(flow: Flow) -> bool:
    """Return whether every derivative is the sum of what it started with and of what has come, but for rounding."""
    for node, derivative in flow.results.items():
        terms = [flow.sent[edge].product for edge in flow.contributions(node)]
        terms += [flow.seeds[node]] if node in flow.seeds else []
        result = np.asarray(flow.changes[node].before if node in flow.changes else derivative)
        entries = np.concatenate([np.zeros(1), *map(np.ravel, terms)])
        largest = np.abs(entries[np.isfinite(entries)]).max()
        rounding = ROUNDING * np.finfo(result.dtype if result.dtype.kind == "f" else float).eps
        with np.errstate(all="ignore"):
            total = sum(map(np.asarray, terms), np.zeros(()))
            if not np.allclose(total, result, rtol=0.0, atol=rounding * largest, equal_nan=True):
                return False
    return True


def key(edge: EdgeKey) -> str:
    """Return the name of an edge in a panel: ``head/place``."""
    return f"{edge[0]}/{edge[1]}"


def edge_of(move: Move) -> EdgeKey:
    """Return the edge of a move."""
    head, place = move["edge"].split("/")
    return int(head), int(place)


# ---- in words and formulas ----


def is_one(seed: Any) -> bool:
    """Return whether a seed is a single 1."""
    return bool(np.size(seed) == 1 and np.all(seed == 1))


class Contributions:
    """The products and sums of one sweep; ``local`` are the local partials of its graph, in names of the source."""

    def __init__(self, flow: Flow, local: LocalPartials):
        self.flow, self.local, self.names = flow, local, local.names
        self.jacobians = cache(flow.graph.local_jacobians)
        self.partial, self.symbol = cache(self._partial), cache(self._symbol)
        self.sides, self.is_array = cache(self._multiplied), cache(self._is_array)

    # ---- numbers ----

    def _is_array(self, edge: EdgeKey) -> bool:
        """Return whether anything but numbers meets at an edge."""
        sent = self.flow.sent.get(edge)
        return not self.is_number(edge) or any(map(np.ndim, (sent.given, sent.product) if sent else ()))

    def is_number(self, edge: EdgeKey) -> bool:
        """Return whether the local partial on an edge is a number."""
        values = self.flow.graph.values
        return not np.ndim(values[self.flow.source(edge)]) and not np.ndim(values[self.flow.target(edge)])

    def _partial(self, edge: EdgeKey) -> float:
        """Return the local partial on an edge between numbers."""
        with np.errstate(all="ignore"):
            jacobian = self.jacobians(edge[0])[edge[1]][1]
            return float(np.reshape(jacobian.dense(), -1)[0])

    def _symbol(self, edge: EdgeKey) -> str:
        """Return how the local partial on an edge is written."""
        return self.local.symbol(*edge, not self.flow.reverse, self.adjoint(edge[0]))

    def adjoint(self, node: int) -> Any:
        """Return the adjoint of a node; ``None`` where there is none, or where there are several at once."""
        return self.flow.results.get(node) if self.flow.reverse and not self.flow.is_block else None

    def equation(self, edge: EdgeKey) -> str:
        """Return a product of numbers with its result: ``1 · 0.5403 = 0.5403``, or ``≈`` where digits are left out."""
        return " ".join(self.sides(edge))

    def _multiplied(self, edge: EdgeKey) -> tuple[str, str, str]:
        """Return a product before it is multiplied out, the sign of equality, and the result."""
        sent = self.flow.sent[edge]
        return multiplied(sent.given, self.partial(edge), sent.product)

    def terms(self, node: int) -> list[Any]:
        """Return the contributions to a node, in the order of their arrival."""
        begun = [self.flow.seeds[node]] if node in self.flow.seeds else []
        return begun + [self.flow.sent[edge].product for edge in self.flow.contributions(node)]

    def added(self, node: int) -> str:
        """Return the sum of the contributions to a number: ``2 + 0.5403 = 2.5403``."""
        first, *others = map(captions.decimals, self.terms(node))
        total = captions.decimals(self.flow.results[node])
        written = captions.few([first, *map(captions.bracketed, others)], "…", MOST_TERMS)
        with np.errstate(all="ignore"):
            printed = captions.decimals(float(np.sum([printed_number(each) for each in (first, *others)])))
        return f"{' + '.join(written)} {'=' if printed == total else '≈'} {total}"

    # ---- words ----

    def explained(self, edge: EdgeKey, mark: Callable[[str], str] = str) -> str:
        """Return what an edge passes on: ``1·cos x = 1·0.5403 = 0.5403``, or for arrays ``a 4×3 matrix``.

        ``mark`` is applied to the symbol of the partial.
        """
        sent = self.flow.sent[edge]
        if self.flow.is_block:
            return captions.numbers(sent.product)
        if self.is_array(edge):
            shape = np.shape(sent.product)
            return captions.a(captions.kind(shape)) if shape else captions.decimals(sent.product)
        figures = self.equation(edge).replace(" · ", "·")
        symbol, given = self.symbol(edge), captions.decimals(sent.given)
        is_said = symbol == captions.decimals(self.partial(edge))
        return figures if is_said else f"{given}·{mark(grouped(symbol))} = {figures}"

    # ---- formulas ----

    def marked(self, node: int) -> Tree:
        """Return the adjoint or tangent of a node in a formula: its name under a bar or a dot."""
        name = self.names(node)
        if self.flow.reverse or len(name) == 1:
            return ["bar" if self.flow.reverse else "dot", ["id", name]]
        # Over several letters a dot would seem to belong to the one that it stands above.
        return formulas.row(["id", name if name.isidentifier() else f"({name})"], formulas.op("˙"))

    def product(self, edge: EdgeKey) -> Tree:
        """Return the product on an edge: ``x̄ = v̄ · cos x = 1 · 0.5403 = 0.5403``, with ``+=`` if others are added."""
        flow, symbol, node = self.flow, self.symbol(edge), self.flow.target(edge)
        is_added = len(flow.contributions(node)) + (node in flow.seeds) > 1
        sign = formulas.op("+=" if is_added else "=")
        given, left = self.marked(flow.source(edge)), formulas.row(self.marked(node), sign)
        if flow.is_block:
            return formulas.row(left, self._blocks(edge))
        if self.is_array(edge):
            is_unknown = isinstance(flow.graph.blocks[edge[0]], Fold) and symbol.startswith("J ")
            if is_unknown:
                return formulas.row(left, ["id", "Jᵀ · " if flow.reverse else "J · "], given)
            return formulas.row(left, *gates.passing(symbol, given))
        return formulas.row(left, numbers_passing(symbol, given, self.sides(edge)))

    def _blocks(self, edge: EdgeKey) -> Tree:
        """Return the product of a local Jacobian and a block, in numbers."""
        sent = self.flow.sent[edge]
        with np.errstate(all="ignore"):
            local = self.jacobians(edge[0])[edge[1]][1]
        known = np.size(sent.given) <= MOST_ENTRIES and local.shape[0] * local.shape[1] <= MOST_ENTRIES
        partial = formulas.unwritten(local.shape)
        if known:
            dense = local.dense()
            partial = formulas.quantity(float(np.ravel(dense)[0]) if self.is_number(edge) else dense)
        factors = [partial, formulas.quantity(sent.given)]
        one, other = factors[::-1] if self.flow.reverse else factors
        product = formulas.chain(formulas.row(one, formulas.op("·"), other), formulas.quantity(sent.product))
        return formulas.fitted(product, captions.decimals)

    def total(self, node: int) -> Tree:
        """Return the sum at a node: ``x̄ = 2 + 0.5403 = 2.5403``."""
        result = self.flow.results[node]
        if self.flow.is_block:
            first, *others = map(formulas.quantity, self.terms(node))
            terms = formulas.row(first, *(part for term in others for part in (formulas.op("+"), term)))
            return formulas.fitted(formulas.chain(self.marked(node), terms, formulas.quantity(result)))
        if np.ndim(result):
            count = captions.plural(len(self.flow.contributions(node)), "contribution")
            return formulas.chain(self.marked(node), ["text", f"the sum of {count}"])
        return formulas.row(self.marked(node), formulas.op("="), ["text", self.added(node)])


def grouped(symbol: str) -> str:
    """Return a formula as a second factor: in brackets where it begins with a sign, is a quotient, or is a sum.

    >>> grouped("cos x"), grouped("1/x"), grouped("2·(x + y)")
    ('cos x', '(1/x)', '2·(x + y)')
    """
    depth = 0
    for place, character in enumerate(symbol):
        depth += (character in "([") - (character in ")]")
        if not depth and (character in "/+−" or symbol[place : place + 2] in ("− ", "- ")):
            return f"({symbol})"
    return symbol


def printed_number(text: str) -> float:
    """Return the number that is printed, so that printed terms can be compared with a printed result."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def multiplied(given: Any, partial: float, product: Any) -> tuple[str, str, str]:
    """Return a product of numbers before it is multiplied out, the sign of equality, and the result."""
    first, factor, result = map(captions.decimals, (given, partial, product))
    with np.errstate(all="ignore"):
        printed = np.multiply(printed_number(first), printed_number(factor))
    sign = "=" if captions.decimals(float(printed)) == result else "≈"
    return f"{first} · {captions.bracketed(factor)}", sign, result


def numbers_passing(symbol: str, given: Tree, sides: tuple[str, str, str]) -> Tree:
    """Return a derivative that is a number as it passes a gate, with its numbers: ``v̄ · cos x = 1 · 0.5403 = 0.5403``.

    ``sides`` are those that :func:`multiplied` returns.
    """
    factors, sign, product = sides
    written = [given, formulas.op("·"), ["id", formulas.bracketed(symbol, formulas.PRODUCT)], formulas.op("=")]
    return formulas.row(*written, ["num", factors], formulas.op(sign), ["num", product])


# ---- where NaN and infinity begin ----


class ValueOrigin:
    """The first value of a graph that is not finite, if any, and what to say of it.

    >>> import adviz, numpy as np, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graph = adviz.trace(lambda x: np.log(x) + x, -1.0)
    >>> origin = ValueOrigin(graph, lambda node: f"v{node}")
    >>> origin.fact(), origin.place()
    ('log(−1) has no real value', 'v1, line 2')
    """

    def __init__(self, graph: Graph, name: Name):
        self.graph, self.name = graph, name
        inputs = (node for node in graph.inputs if graph.live[node] and not is_finite(graph.values[node]))
        begun = (node for node in origins_of_values(graph) if graph.live[node])
        self.node = next(chain(inputs, begun), None)

    @property
    def reaches_the_result(self) -> bool:
        """Whether a result is not finite."""
        return self.node is not None and not all(is_finite(self.graph.values[node]) for node in self.graph.outputs)

    def explained(self) -> str:
        """Return what is said of the values before a sweep; "" if all are finite."""
        if self.node is None:
            return ""
        what = SIGNS[non_finite(self.graph.values[self.node])]
        after = "NaN" if what == "NaN" else "infinite or NaN"
        spread = (
            f"What is computed from it is {after} as well"
            if self.reaches_the_result
            else "The result is finite all the same, but its derivatives may not be"
        )
        return f"{self.fact()}. {spread}: look at {self.place()}, where the first {what} appeared."

    def fact(self) -> str:
        """Return what is wrong: ``log(−1) has no real value``."""
        node, graph = self.node, self.graph
        if node is None:
            return ""
        value = graph.values[node]
        what = SIGNS[non_finite(value)]
        if np.ndim(value):
            counts = {"NaN": int(np.isnan(value).sum()), "infinite": int(np.isinf(value).sum())}
            (word, count), *others = [each for each in counts.items() if each[1]]
            text = f"{count:,} of the {value.size:,} entries of {self.name(node)} {be(count)} {word}"
            return " and ".join([text, *(f"{more:,} {be(more)} {other}" for other, more in others)])
        if not graph.operands(node):
            return f"{self.name(node)}, an argument, is {what}"
        call = captions.applied(graph, node, [self._figure(operand) for operand in graph.operands(node)])
        return f"{call} has no real value" if what == "NaN" else f"{call} is {captions.decimals(value)}"

    def place(self) -> str:
        """Return where it begins: ``log(a), line 6``."""
        return placed(self.graph, self.node, self.name)

    def _figure(self, operand: int) -> str:
        if operand < 0:
            return captions.operand(self.graph, operand)
        value = self.graph.values[operand]
        return captions.value(value) if np.ndim(value) else captions.decimals(value)


def be(count: int) -> str:
    """Return the verb for so many things."""
    return "is" if count == 1 else "are"


def placed(graph: Graph, node: int | None, name: Name) -> str:
    """Return the name of a node with its line."""
    if node is None:
        return ""
    origin = graph.origin(node)
    return f"{name(node)}, line {origin.line}" if origin else name(node)


def broken(given: Any, partial: Any, product: Any, flow: str = "adjoint") -> str:
    """Return what to say where a finite derivative is multiplied to one that is not; "" where it is not so.

    >>> broken(1.0, np.inf, np.inf)
    'The local partial is infinite here: this is the first adjoint that is not finite.'
    """
    if not is_finite(given) or is_finite(product):
        return ""
    entries = np.asarray(partial, float)
    reason = (
        f"The local partial is {'undefined' if np.isnan(entries).any() else 'infinite'} here"
        if not is_finite(entries)
        else "The product is too large for a floating-point number"
    )
    return f"{reason}: this is the first {flow} that is not finite."


def not_finite(values: Iterable[Any]) -> bool:
    """Return whether any of some numbers and arrays is not finite."""
    return not all(map(is_finite, values))
