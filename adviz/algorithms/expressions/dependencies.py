"""Which face has to wait for which: direct and indirect multiplications, and the order of faces that a set means.

In ``a b`` the factors are multiplied *directly*, in ``a (b c + d)`` *indirectly*: a bracket stands between ``a`` and
``b``. Eliminating the face of ``a`` and ``b`` on the line graph multiplies them wherever they meet. So where a set has
both, the direct product waits until the indirect one is no more: ``(a, b)`` for ``(b, c)`` of ``a (b c + d)``, and for
``(c, a)`` of ``(c a + d) b``. In ``(c a + d) (b e + f)`` one of the two is enough: once ``a`` or ``b`` is part of a
product, they do not meet there. And each product waits for those inside its factors. If no products are left that wait
for each other, the faces can be eliminated in this order, and cost what the set costs.

Sources: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 5, lemmas 1 and 2 and
proposition 1. What they leave open is decided so: a product of more than two factors is associated from the left, or
from the right if only that closes no circle; and ``a b`` beside ``a (b + d)``, which lemma 1 excludes from optimal
sets, waits for itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from itertools import product as pairs
from typing import NamedTuple

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.line_graph import Face, LineGraph, line_graph
from ..elimination.moves import eliminate_face
from .sharing import Residue, Value, residue_of
from .terms import Expression, ExpressionError, Expressions, Letter, Product, Reference, Sum, expect_expressions, folded


class Multiplication(NamedTuple):
    """Two values that a set of expressions multiplies directly: a face of the line graph."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return " · ".join(f"({each})" if isinstance(each, Sum | Product) else str(each) for each in self)


class Dependencies:
    """What waits for what among the multiplications of a set of expressions.

    ``inside`` has under each multiplication those within its factors. ``either`` has groups, of each of which one has
    to be done before it because it occurs indirectly, too (lemma 2); ``waits`` are all of them.
    """

    def __init__(self, expressions: Expressions, from_left: bool = True):
        self.expressions = expressions
        values = _Values(expressions, from_left)
        name = {pair: Multiplication(*(values.written[each] for each in pair)) for pair in values.products}
        groups = values.waits()
        self.either = {name[pair]: [[name[one] for one in group] for group in groups[pair]] for pair in name}
        self.waits = {each: tuple(dict.fromkeys(chain(*groups))) for each, groups in self.either.items()}
        self.inside = {name[pair]: tuple(name[other] for other in values.inside(pair)) for pair in name}
        self.pairs = {each: pair for pair, each in name.items()}

    @property
    def multiplications(self) -> list[Multiplication]:
        """The direct multiplications, each once."""
        return list(self.waits)

    @property
    def mixed(self) -> list[Multiplication]:
        """Those that occur indirectly, too."""
        return [each for each, others in self.waits.items() if others]

    @property
    def cycle(self) -> list[Multiplication] | None:
        """A circle of multiplications, each of which waits for the next, the last for the first; ``None`` if none."""
        done: dict[Multiplication, None] = {}
        while ready := self.ready(done):
            done.update(dict.fromkeys(ready))
        path = [each for each in self.waits if each not in done][:1]
        while path:
            following = next(group[0] for group in self._needed(path[-1]) if done.keys().isdisjoint(group))
            if following in path:
                return path[path.index(following) :]
            path.append(following)
        return None

    def ready(self, done: Collection[Multiplication]) -> list[Multiplication]:
        """Return what can be multiplied next when some products are done."""
        known = set(done)
        return [
            each
            for each in self.waits
            if each not in known and not any(known.isdisjoint(group) for group in self._needed(each))
        ]

    def _needed(self, each: Multiplication) -> Iterator[Sequence[Multiplication]]:
        yield from ((one,) for one in self.inside[each])
        yield from self.either[each]


def dependencies(expressions: Expressions) -> Dependencies:
    """Return what waits for what among the multiplications of a set of expressions.

    >>> from .notation import parsed
    >>> found = dependencies(parsed("X = e34 e45\\ne15 = e13 (X + e35)\\ne24 = e23 e34\\ne25 = e23 X"))
    >>> {str(each): [str(other) for other in others] for each, others in found.waits.items() if others}
    {'e23 · e34': ['e34 · e45']}
    """
    expect_expressions(expressions)
    result = Dependencies(expressions)
    if result.cycle:
        other = Dependencies(expressions, from_left=False)
        return result if other.cycle else other
    return result


def face_order(graph: CGraph, expressions: Expressions) -> list[Face]:
    """Return the faces that a set of expressions means, for :func:`adviz.face_elimination`, at the cost of the set.

    Each multiplication is one face, whatever references and brackets it stands in; equal ones are one. Raises
    :class:`ExpressionError` where they wait for each other in a circle, where eliminating faces cannot keep a bracket,
    and for a set that is not of this graph. Products of several factors are tried from the left, then from the right.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)]
    >>> from .conversion import expressions
    >>> graph = CGraph.from_edges(edges)
    >>> len(face_order(graph, expressions(graph)))
    5
    """
    expect(graph, CGraph)
    expect_expressions(expressions)
    dual = _with_residues(graph, expressions)
    result = Dependencies(expressions)
    try:
        return _as_faces(dual.copy(), result)
    except ExpressionError:
        other = Dependencies(expressions, from_left=False)
        if other.multiplications == result.multiplications:
            raise
        return _as_faces(dual, other)


def _as_faces(dual: LineGraph, waits: Dependencies) -> list[Face]:
    """Eliminate the faces of all multiplications, each as soon as nothing that it waits for is left."""
    if circle := waits.cycle:
        names = " waits for ".join(map(str, [*circle, circle[0]]))
        raise ExpressionError(f"No order of faces keeps all brackets: {names}.")
    order, done = list[Face](), dict[Multiplication, None]()
    while ready := waits.ready(done):
        present = {(_value(dual, f), _value(dual, e)): (e, f) for e, f in dual.interior_faces}
        chosen = next((each for each in ready if waits.pairs[each] in present), None)
        if chosen is None:
            raise ExpressionError(
                f"{ready[0]} cannot be one face: other products need its factors apart. "
                "The expressions mean splitting, which eliminating faces does not do."
            )
        done[chosen] = None
        order.append(present[waits.pairs[chosen]])
        deque(eliminate_face(dual, order[-1]), maxlen=0)
    if not dual.is_tripartite:
        raise ExpressionError("These expressions are not all of the graph: some of its faces are left.")
    return order


Pair = tuple[Value, Value]


def _with_residues(graph: CGraph, expressions: Expressions) -> LineGraph:
    known = set(expressions.letters)
    letters = {(i, j): Letter(j, i) for i, j in graph.pruned().edges}
    if missing := [letter for letter in letters.values() if letter not in known]:
        raise ExpressionError(f"The expressions have no letter {missing[0]}, which is an edge of the graph.")
    if len(known) > len(letters):
        other = next(letter for letter in expressions.letters if letter not in letters.values())
        raise ExpressionError(f"The graph has no edge {other}, from {other.tail!r} to {other.head!r}.")
    labels = {edge: residue_of(letter) for edge, letter in letters.items()}
    return line_graph(CGraph(graph.vertices, graph.inputs, graph.outputs, labels))


def _value(dual: LineGraph, node: tuple[Vertex, ...]) -> Value:
    return Value(node[1], node[0], dual.label(node))


class _Values:
    """The values of a set of expressions, what they are products and sums of, and how they are written first."""

    def __init__(self, expressions: Expressions, from_left: bool):
        self.from_left = from_left
        self.products: dict[Pair, Value] = {}
        self.factors: dict[Value, list[Pair]] = {}
        self.terms: dict[Value, list[Value]] = {}
        self.written: dict[Value, Expression] = {}
        self.known: dict[str, Value] = {}
        for name, expression in expressions.references.items():
            self.known[name] = self._of(expression)
            self.written[self.known[name]] = Reference(name, expression.head, expression.tail)
        for expression in expressions.entries.values():
            self._of(expression)

    def _of(self, expression: Expression) -> Value:
        return folded(expression, self._leaf, self._product, self._sum)

    def _leaf(self, leaf: Letter | Reference) -> Value:
        if isinstance(leaf, Reference):
            return self.known[leaf.name]
        return self._named(Value(leaf.head, leaf.tail, residue_of(leaf)), leaf)

    def _product(self, made: list[Value], _: Product) -> Value:
        if self.from_left:
            return reduce(self._pair, made)
        return reduce(lambda right, left: self._pair(left, right), reversed(made))

    def _pair(self, left: Value, right: Value) -> Value:
        value = Value(left.head, right.tail, left.residue * right.residue)
        if (left, right) not in self.products:
            self.products[left, right] = value
            self.factors.setdefault(value, []).append((left, right))
        one, other = self.written[left], self.written[right]
        return self._named(value, Product((one, other)))

    def _sum(self, made: list[Value], _: Sum) -> Value:
        value = Value(made[0].head, made[0].tail, reduce(Residue.__add__, (each.residue for each in made)))
        self.terms.setdefault(value, made)
        return self._named(value, Sum(tuple(self.written[each] for each in made)))

    def _named(self, value: Value, expression: Expression) -> Value:
        self.written.setdefault(value, expression)
        return value

    def inside(self, pair: Pair) -> Iterator[Pair]:
        """Yield the products that the factors of a product are, or are sums of."""
        for factor in pair:
            for each in (factor, *self.terms.get(factor, ())):
                yield from self.factors.get(each, ())

    def waits(self) -> Mapping[Pair, list[tuple[Pair, ...]]]:
        """Return for each product what stands between its factors where they meet indirectly: one or two products."""
        result: dict[Pair, dict[tuple[Pair, ...], None]] = {pair: {} for pair in self.products}
        for left, right in self.products:
            lasts: list[tuple[Value, Pair | None]] = [(left, None), *self._outermost(left, 1)]
            firsts: list[tuple[Value, Pair | None]] = [(right, None), *self._outermost(right, 0)]
            for (last, one), (first, other) in pairs(lasts, firsts):
                met = last, first
                if met in result and met != (left, right):
                    between = tuple(each for each in (one, other) if each is not None)
                    result[met][between or (met,)] = None  # a term meets what its sum is multiplied by: never apart
        return {pair: list(groups) for pair, groups in result.items()}

    def _outermost(self, value: Value, side: int) -> list[tuple[Value, Pair | None]]:
        """Return what is first (side 0) or last (1) in a value, and the product it is in; ``None`` for a term."""
        result: dict[tuple[Value, Pair | None], None] = {}
        waiting = [value]
        while waiting:
            each = waiting.pop()
            outer: list[tuple[Value, Pair | None]] = [(pair[side], pair) for pair in self.factors.get(each, ())]
            outer += [(term, None) for term in self.terms.get(each, ())]
            waiting += [inner for inner, _ in outer]
            result.update(dict.fromkeys(outer))
        return list(result)
