"""A Jacobian as algebra: letters, products that do not commute, sums, and references to what is computed once.

A letter is an edge; ``e12`` is the local partial derivative of vertex 1 with respect to vertex 2, so that a product
reads along a path from the output to the input, like a product of matrices: ``e12 e24`` is a path 4 → 2 → 1. In the
differentiation graph of Zhou, whose arrows lead from outputs to inputs, that is the path 1, 2, 4.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), sections 2 and 4.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from html import escape
from itertools import chain, pairwise
from itertools import product as cartesian
from typing import TypeAlias, TypeVar

from ...graph.errors import AdvizError
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, plus, product

MOST_PATHS = 100_000
PLAIN = r"[^\s\[\],=\"]+(?: [^\s\[\],=\"]+)*"
"""A name of a vertex that needs no quotes."""
UNREADABLE = {ord(each): f"\\u{ord(each):04x}" for each in "=\x7f\x85\u2028\u2029"}
"""What would end a line, or the left side of one, inside quotes."""
LONGEST_LATEX = 20_000
"""The most characters of LaTeX that a notebook sets; more take seconds."""


class ExpressionError(AdvizError, ValueError):
    """Letters, products or sums do not make the entries of a Jacobian."""


class _Shown:
    """What is shown by its kind and its text."""

    __slots__ = ()

    def __str__(self) -> str:
        return written(self)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Letter(_Shown):
    """An edge, by its ends: the derivative of ``head`` with respect to ``tail``."""

    head: Vertex
    tail: Vertex

    @property
    def is_short(self) -> bool:
        """Whether both ends are digits, so that no comma stands between them."""
        return all(isinstance(end, int) and 0 <= end < 10 for end in (self.head, self.tail))

    def __str__(self) -> str:
        return f"e{self.head}{self.tail}" if self.is_short else f"e[{_end(self.head)},{_end(self.tail)}]"


def _end(vertex: Vertex) -> str:
    """Return a vertex as it stands in a letter: a name that would be read as another, or not at all, in quotes."""
    if isinstance(vertex, int) or (re.fullmatch(PLAIN, str(vertex)) and not re.fullmatch(r"-?\d+", str(vertex))):
        return str(vertex)
    return json.dumps(str(vertex), ensure_ascii=False).translate(UNREADABLE)


@dataclass(frozen=True, slots=True, repr=False)
class Reference(_Shown):
    """A value that is computed once: the derivative of ``head`` with respect to ``tail``, by name."""

    name: str
    head: Vertex
    tail: Vertex

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class Product(_Shown):
    """Factors along a path, from the output to the input; each ends where the next one begins."""

    factors: tuple[Expression, ...]
    head: Vertex = field(init=False)
    tail: Vertex = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", self.factors[0].head)
        object.__setattr__(self, "tail", self.factors[-1].tail)
        for one, other in pairwise(self.factors):
            if one.tail != other.head:
                raise ExpressionError(
                    f"{one} and {other} cannot be multiplied: {one} leads from {one.tail!r} to {one.head!r}, and "
                    f"{other} from {other.tail!r} to {other.head!r}. A factor begins where that to its right ends."
                )


@dataclass(frozen=True, slots=True, repr=False)
class Sum(_Shown):
    """Terms between the same two vertices."""

    terms: tuple[Expression, ...]
    head: Vertex = field(init=False)
    tail: Vertex = field(init=False)

    def __post_init__(self) -> None:
        first = self.terms[0]
        object.__setattr__(self, "head", first.head)
        object.__setattr__(self, "tail", first.tail)
        for each in self.terms[1:]:
            if (each.head, each.tail) != (first.head, first.tail):
                raise ExpressionError(
                    f"{first} and {each} cannot be added: {first} leads from {first.tail!r} to {first.head!r}, and "
                    f"{each} from {each.tail!r} to {each.head!r}."
                )


Expression: TypeAlias = Letter | Reference | Product | Sum


def multiplied(*factors: Expression) -> Expression:
    """Return a product without products in it.

    >>> str(multiplied(Letter(1, 2), multiplied(Letter(2, 4), Letter(4, 5))))
    'e12 e24 e45'
    """
    flat = [part for each in factors for part in (each.factors if isinstance(each, Product) else (each,))]
    return Product(tuple(flat)) if len(flat) > 1 else flat[0]


def added(*terms: Expression) -> Expression:
    """Return a sum without sums in it.

    >>> str(added(Letter(1, 2), added(multiplied(Letter(1, 3), Letter(3, 2)))))
    'e12 + e13 e32'
    """
    flat = [part for each in terms for part in (each.terms if isinstance(each, Sum) else (each,))]
    return Sum(tuple(flat)) if len(flat) > 1 else flat[0]


def parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the factors or the terms; none of a letter or a reference."""
    match expression:
        case Product(factors):
            return factors
        case Sum(terms):
            return terms
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all that it is made of, from left to right, from the outside in."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(parts(each))


T = TypeVar("T")


def folded(
    expression: Expression,
    leaf: Callable[[Letter | Reference], T],
    product: Callable[[list[T], Product], T],
    sum_: Callable[[list[T], Sum], T],
) -> T:
    """Return what is made of an expression from the inside out, however deep it is.

    ``leaf`` makes something of a letter or a reference, ``product`` and ``sum_`` of what was made of their parts.
    """
    done: list[T] = []
    waiting: list[tuple[Expression, bool]] = [(expression, False)]
    while waiting:
        each, is_ready = waiting.pop()
        inside = parts(each)
        if not is_ready and inside:
            waiting.append((each, True))
            waiting += ((part, False) for part in reversed(inside))
        elif isinstance(each, Letter | Reference):
            done.append(leaf(each))
        else:
            made = done[len(done) - len(inside) :]
            del done[len(done) - len(inside) :]
            done.append(product(made, each) if isinstance(each, Product) else sum_(made, each))
    return done[0]


def written(expression: Expression) -> str:
    """Return an expression as text.

    >>> written(multiplied(Letter(1, 2), added(Letter(2, 4), multiplied(Letter(2, 3), Letter(3, 4)))))
    'e12 (e24 + e23 e34)'
    """
    return folded(expression, str, lambda made, each: " ".join(bracketed(each, made)), lambda made, _: " + ".join(made))


def bracketed(product: Product, written: Sequence[str], opening: str = "(", closing: str = ")") -> list[str]:
    """Return written factors; sums, and products that are multiplied first, in brackets."""
    pairs = zip(product.factors, written, strict=True)
    return [f"{opening}{text}{closing}" if isinstance(factor, Sum | Product) else text for factor, text in pairs]


def multiplications(expression: Expression) -> int:
    """Return how many multiplications an expression takes, one less than factors in each product; references are free.

    >>> multiplications(multiplied(Letter(1, 2), added(Letter(2, 4), multiplied(Letter(2, 3), Letter(3, 4)))))
    2
    """
    return sum(len(each.factors) - 1 for each in walk(expression) if isinstance(each, Product))


@dataclass(frozen=True, repr=False)
class Expressions:
    """A set of expressions: ``entries`` of a Jacobian under ``(output, input)``, and ``references`` by name.

    A reference may use those before it. Vertices may be anything that a graph takes.

    >>> X = added(multiplied(Letter(4, 5), Letter(5, 7)), multiplied(Letter(4, 6), Letter(6, 7)))
    >>> whole = Expressions({(1, 7): multiplied(Letter(1, 4), Reference("X", 4, 7))}, {"X": X})
    >>> print(whole)
    X = e45 e57 + e46 e67
    e17 = e14 X
    >>> whole.multiplications
    3
    """

    entries: Mapping[tuple[Vertex, Vertex], Expression]
    references: Mapping[str, Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known: dict[str, Expression] = {}
        for name, expression in [*self.references.items(), *((None, each) for each in self.entries.values())]:
            for each in walk(expression):
                if isinstance(each, Reference):
                    _check(each, known, name)
            if name is not None:
                known[name] = expression
        for (output, input_), expression in self.entries.items():
            if (expression.head, expression.tail) != (output, input_):
                raise ExpressionError(
                    f"The entry of {output!r} with respect to {input_!r} does not close: {expression} leads from "
                    f"{expression.tail!r} to {expression.head!r}."
                )

    @property
    def multiplications(self) -> int:
        """Multiplications of all expressions, each reference once."""
        return sum(map(multiplications, [*self.references.values(), *self.entries.values()]))

    @property
    def letters(self) -> list[Letter]:
        """The letters, each once, as they come."""
        whole = [*self.references.values(), *self.entries.values()]
        return list(dict.fromkeys(each for root in whole for each in walk(root) if isinstance(each, Letter)))

    def paths(self, limit: int = MOST_PATHS) -> dict[tuple[Vertex, Vertex], list[tuple[Letter, ...]]]:
        """Return all products of letters that each entry is the sum of, from left to right.

        Raises :class:`ExpressionError` if there are more than ``limit``.
        """
        if (count := self.count_paths()) > limit:
            raise ExpressionError(f"There are {count:,} paths, more than {limit:,}: compare values instead.")
        return self.made(_expanded)

    def count_paths(self) -> int:
        """Return how many products of letters all entries are the sum of."""
        return sum(self.made(_count).values())

    def made(self, make: Callable[[Expression, Mapping[str, T]], T]) -> dict[tuple[Vertex, Vertex], T]:
        """Return what is made of the entries, where it is known what was made of the references in them."""
        known: dict[str, T] = {}
        for name, expression in self.references.items():
            known[name] = make(expression, known)
        return {entry: make(expression, known) for entry, expression in self.entries.items()}

    def evaluated(self, graph: CGraph) -> dict[tuple[Vertex, Vertex], Label]:
        """Return the entries at the labels of a graph, under ``(input, output)`` as :meth:`~adviz.CGraph.jacobian`.

        Raises :class:`ExpressionError` for a letter that is no edge of the graph.
        """
        return {(x, y): value for (y, x), value in self.made(partial(_value, graph)).items()}

    def __str__(self) -> str:
        named = [*self.references.items(), *((str(Letter(*entry)), each) for entry, each in self.entries.items())]
        return "\n".join(f"{name} = {expression}" for name, expression in named)

    def __repr__(self) -> str:
        counts = (len(self.entries), "entry", "entries"), (len(self.references), "reference", "references")
        texts = [f"{count:,} {one if count == 1 else several}" for count, one, several in counts if count]
        work = self.multiplications
        return f"<Expressions: {', '.join(texts)}, {work:,} multiplication{'s' * (work != 1)}>"

    def _repr_latex_(self) -> str | None:
        """Return the expressions as a notebook shows them; ``None``, for their text, where they are many."""
        text = latex(self)
        return f"$\\displaystyle\\begin{{aligned}}\n{text}\n\\end{{aligned}}$" if len(text) < LONGEST_LATEX else None


def _check(reference: Reference, known: Mapping[str, Expression], name: str | None) -> None:
    where = "an entry" if name is None else name
    if reference.name not in known:
        raise ExpressionError(f"{where} uses {reference.name}, which is not defined before it.")
    defined = known[reference.name]
    if (defined.head, defined.tail) != (reference.head, reference.tail):
        raise ExpressionError(
            f"{where} uses {reference.name} from {reference.tail!r} to {reference.head!r}, but it leads from "
            f"{defined.tail!r} to {defined.head!r}."
        )


def _expanded(expression: Expression, known: Mapping[str, list[tuple[Letter, ...]]]) -> list[tuple[Letter, ...]]:
    return folded(
        expression,
        lambda leaf: [(leaf,)] if isinstance(leaf, Letter) else known[leaf.name],
        lambda made, _: [tuple(chain.from_iterable(paths)) for paths in cartesian(*made)],
        lambda made, _: [path for each in made for path in each],
    )


def _count(expression: Expression, known: Mapping[str, int]) -> int:
    return folded(
        expression,
        lambda leaf: 1 if isinstance(leaf, Letter) else known[leaf.name],
        lambda made, _: math.prod(made),
        lambda made, _: sum(made),
    )


def _value(graph: CGraph, expression: Expression, known: Mapping[str, Label]) -> Label:
    def labelled(leaf: Letter | Reference) -> Label:
        if isinstance(leaf, Reference):
            return known[leaf.name]
        head, tail = leaf.head, leaf.tail
        if tail not in graph or head not in graph or (label := graph.partial(tail, head)) is None:
            raise ExpressionError(f"The graph has no edge {leaf}, from {tail!r} to {head!r}.")
        return label

    return folded(expression, labelled, lambda made, _: reduce(product, made), lambda made, _: reduce(plus, made))


def expect_expressions(given: object) -> None:
    """Raise a ``TypeError`` for what is no set of expressions.

    >>> expect_expressions("e12")
    Traceback (most recent call last):
    TypeError: Expected Expressions, not a str: adviz.algebra.expressions makes them of a graph, parsed of a text.
    """
    if not isinstance(given, Expressions):
        how = "adviz.algebra.expressions makes them of a graph, parsed of a text"
        raise TypeError(f"Expected Expressions, not a {type(given).__name__}: {how}.")


# ---- for reading ----


def latex(expressions: Expressions) -> str:
    """Return a set of expressions as lines of LaTeX, to stand in an ``aligned`` environment.

    >>> X = multiplied(Letter(4, 5), Letter(5, 7))
    >>> whole = multiplied(Letter(1, 4), added(Reference("X", 4, 7), Letter(4, 7)))
    >>> print(latex(Expressions({(1, 7): whole}, {"X": X})))
    X &= e_{45} e_{57} \\\\
    e_{17} &= e_{14} \\left(X + e_{47}\\right)
    """
    expect_expressions(expressions)
    return " \\\\\n".join(f"{name} &= {_latex(each)}" for name, each in _lines(expressions, _latex))


def _latex(expression: Expression) -> str:
    return folded(
        expression,
        _latex_leaf,
        lambda made, each: " ".join(bracketed(each, made, "\\left(", "\\right)")),
        lambda made, _: " + ".join(made),
    )


def _latex_leaf(leaf: Letter | Reference) -> str:
    if isinstance(leaf, Reference):
        return leaf.name if len(leaf.name) == 1 else f"\\mathit{{{_escaped(leaf.name)}}}"
    comma = "" if leaf.is_short else ","
    return f"e_{{{_escaped(leaf.head)}{comma}{_escaped(leaf.tail)}}}"


def _escaped(vertex: Vertex) -> str:
    """Return a name with nothing in it that LaTeX would read as a command."""
    return re.sub(r"[\\{}_^#$%&~]", lambda found: f"\\text{{\\char{ord(found[0])}}}", str(vertex))


def mathml(expressions: Expressions) -> str:
    """Return a set of expressions as a table in MathML.

    >>> mathml(Expressions({(1, 2): multiplied(Letter(1, 3), Letter(3, 2))}))[:36]
    '<math display="block"><mtable column'
    """
    expect_expressions(expressions)
    rows = "".join(
        f"<mtr><mtd>{name}</mtd><mtd><mo>=</mo></mtd><mtd>{_mathml(each)}</mtd></mtr>"
        for name, each in _lines(expressions, _mathml)
    )
    return f'<math display="block"><mtable columnalign="right center left">{rows}</mtable></math>'


def _mathml(expression: Expression) -> str:
    return folded(
        expression,
        _mathml_leaf,
        lambda made, each: f"<mrow>{''.join(bracketed(each, made, '<mo>(</mo>', '<mo>)</mo>'))}</mrow>",
        lambda made, _: f"<mrow>{'<mo>+</mo>'.join(made)}</mrow>",
    )


def _mathml_leaf(leaf: Letter | Reference) -> str:
    if isinstance(leaf, Reference):
        return f"<mi>{escape(leaf.name)}</mi>"
    comma = "" if leaf.is_short else "<mo>,</mo>"
    return (
        f"<msub><mi>e</mi><mrow><mi>{escape(str(leaf.head))}</mi>{comma}<mi>{escape(str(leaf.tail))}</mi></mrow></msub>"
    )


def _lines(expressions: Expressions, write: Callable[[Expression], str]) -> list[tuple[str, Expression]]:
    references = [(write(Reference(name, each.head, each.tail)), each) for name, each in expressions.references.items()]
    return references + [(write(Letter(*entry)), each) for entry, each in expressions.entries.items()]
