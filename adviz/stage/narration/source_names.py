"""Nodes as a reader of the source knows them: their names, ``x``, ``h``, ``sin(x)``, and where their values stand.

A node that the program gives a name has that name; where several nodes have the same one, as in a loop, they are
numbered like iterates: ``h⁽¹⁾``, ``h⁽²⁾``; an input from which they start keeps its name: ``x``, ``x⁽¹⁾``. Any other
node is written as the expression that computes it.

In the source values stand under expressions, under names that are assigned, and under each use of a name. A node knows
the expression that made it. Which of its operands came from which name in that expression is read off the syntax tree:
by the name of the operand where the program gives it one, else by its place among the arguments.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ...engine.rules.reshaping import TRANSPOSE
from ...engine.rules.selection import ABSOLUTE
from ...graph.graph import WRITE, Graph
from ...graph.loops import control_flow
from ...graph.origins import assigned, characters, loop_origin, parsed, written_operand
from ...graph.saved_functions import lines_of
from ...graph.scopes import EXPRESSION, ITERATION, PART
from ..scene import captions
from ..scene.formulas import SUPERSCRIPTS, composed, raised
from ..scene.text_widths import unkeyed
from .flows import EdgeKey, shown
from .folds.folded_graph import Fold, FoldedGraph, drawn, whole
from .local_partials import LocalPartials

RESULT = "the result"  # what an output is called where nodes have names: it is the node that is returned
LONGEST = 18  # the most characters of an expression in a name, without keyword arguments
LONGEST_SIDE = 40  # the most characters of an expression that stands beside a name

SUM, PRODUCT, SIGN, POWER, ATOM = range(5)
INFIX = {
    "+": (" + ", SUM),
    "-": (" − ", SUM),
    "*": ("·", PRODUCT),
    "/": ("/", PRODUCT),
    **{sign: (f" {sign} ", PRODUCT) for sign in ("@", "%", "//")},
}
"""How operators are written, and how strongly they bind."""
PART_OF = re.compile(r"[\[.]")
"""What is in the name of an input that is a part of an argument: ``parameters[0].W``."""
KEYWORDS = re.compile(r"(\w+)=\{([b-e])[:}]")
"""The keyword arguments in the code of a function, with the letters of its operands."""


class SourceNames:
    """The names of some nodes of a graph; ``shown`` are the nodes that need different names.

    A graph may be seen through ``layers``, from outside to inside: a node has the name of the first where it is drawn.

    >>> import adviz, numpy as np
    >>> graph = adviz.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0)
    >>> names = SourceNames(graph, range(5))
    >>> [names(node) for node in range(5)]
    ['x', 'y', 'sin(x)', 'x·y', 'f']
    """

    def __init__(self, graph: Graph, shown: Iterable[int], title: str = "f", layers: Sequence[Graph] = ()):
        self.graph, self.whole = graph, whole(graph)
        self._seen_in = {node: layer for layer in reversed((*layers, graph)) for node in drawn(layer)}
        self._locals: dict[int, LocalPartials] = {}
        self.named: dict[int, tuple[str, int]] = {}
        self.function = captions.shortened(title) if title.isidentifier() else "f"
        self._told: dict[int, str] = {}  # the nodes that are told apart, with their names before they were numbered
        self._iterates: Counter[str] = Counter()
        self._name_results()
        self.tell_apart(shown)

    def tell_apart(self, nodes: Iterable[int]) -> None:
        """Give nodes different names; those that have been told apart before keep theirs."""
        graph, told = self.graph, self._told
        self.named = {node: name for node, name in self.named.items() if not told or node in told}
        new = [node for node in nodes if node not in told]
        told |= {node: self(node) for node in new}
        alike = Counter(told.values())
        for node in self._results():
            # a variable that the program sets again and again, and returns in the end
            if alike[self(node)] > 1 and self(node) != self.function:
                alike[self(node)] -= 1
                self.named[node] = self.function, ATOM
        inputs = Counter(self(node) for node in new if graph.blocks[node].name == "input")
        for node in new:
            name, strength = self._bound(node)
            if name == self.function and node in self._results():
                continue
            if inputs[name] == 1 < alike[name] and name not in self._iterates and graph.blocks[node].name == "input":
                self._iterates[name] = 0
            elif alike[name] > 1:
                self._iterates[name] += 1
                numbered = f"{self._bracketed(node, ATOM)}⁽{str(self._iterates[name]).translate(SUPERSCRIPTS)}⁾"
                self.named[node] = numbered, max(strength, POWER)

    def local(self, graph: Graph) -> LocalPartials:
        """Return the local partials of the graph or of a layer, in these names."""
        if id(graph) not in self._locals:
            inside = self.local(whole(graph)) if whole(graph) is not graph else None
            self._locals[id(graph)] = LocalPartials(graph, self, inside)
        return self._locals[id(graph)]

    def _seen(self, node: int) -> Graph:
        """Return the outermost layer in which a node is drawn."""
        return self._seen_in.get(node, self.graph)

    def __call__(self, node: int) -> str:
        """Return the name of a node."""
        return (self.named.get(node) or self._bound(node))[0]

    def expression(self, node: int) -> str:
        """Return how a node is computed, in the names of its operands; "" if that is long, or if it is not computed."""
        if self.whole.blocks[node].name in ("input", "output", WRITE):
            return ""
        text, _ = self._expression(node, {})
        return text if len(text) <= LONGEST_SIDE else ""

    def _name_results(self) -> None:
        """Call the result after the function, unless the program has a name for it."""
        graph = self.graph
        several = len(graph.outputs) > 1
        alike = Counter(graph.names.get(output) for output in graph.outputs)
        for number, output in enumerate(graph.outputs):
            (node,) = graph.operand_nodes(output) or (None,)
            if node is None or node in self.named or self._given(node):
                continue
            name = graph.names.get(output, "")  # of several entries in one array all have the same
            place = name.removeprefix("result") if name.startswith("result[") and alike[name] == 1 else f"[{number}]"
            self.named[node] = (f"{self.function}{captions.shortened(place)}" if several else self.function), ATOM

    def _results(self) -> list[int]:
        """Return the node that is the only result."""
        result = [node for output in self.graph.outputs for node in self.graph.operand_nodes(output)]
        return result if len(result) == 1 and self.graph.blocks[result[0]].name != "input" else []

    def _given(self, node: int) -> str:
        """Return the name that the program gives a node; "" if it gives none, or gives it to a whole array."""
        graph = self._seen(node)
        if isinstance(graph, FoldedGraph) and node in graph.targets:
            return graph.targets[node]
        if self.whole.blocks[node].name not in ("input", WRITE) and not self._is_value(node):
            return ""
        name = graph.name(node) or self.whole.name(node) or ""
        name = "" if name and self._is_on_the_way(node, name) else name
        return captions.shortened((PART_OF.search(name) and self._bound_to(node, name)) or name or self._recursed(node))

    def _is_value(self, node: int) -> bool:
        """Return whether a node is no part of an expression that makes several, or the one that is used outside."""
        graph = self.whole
        scopes = graph.scopes.of_node
        scope, first = scopes[node], node
        if graph.scopes.kinds[scope] != EXPRESSION:
            return True
        if node + 1 < len(scopes) and scopes[node + 1] == scope:
            return False
        while first and scopes[first - 1] == scope:
            first -= 1
        return all(user <= node for part in range(first, node) for user in graph.users(part))

    def _is_on_the_way(self, node: int, name: str) -> bool:
        """Return whether a node is made on the way to the value that is bound to a name, as by ``sum(…)``."""
        graph = self.whole
        made, where = graph.origin(node), (graph.calls[node], graph.scopes.of_node[node])
        return made is not None and any(
            graph.name(user) == name and graph.origin(user) == made
            for user in graph.users(node)
            if (graph.calls[user], graph.scopes.of_node[user]) == where
        )

    @cached_property
    def _recursive(self) -> set[Any]:
        """The functions that call themselves."""
        calls = self.whole.call_table
        return {call.code for call in calls if call.parent >= 0 and calls[call.parent].code is call.code}

    def _recursed(self, node: int) -> str:
        """Return the function that returns a node where it calls itself; else ""."""
        graph = self.whole
        code, place = graph.call_table[graph.calls[node]].code, made_at(graph, node)
        is_returned = code in self._recursive and place and place[1:] in _syntax(code).returned
        return captions.shortened(code.co_name) if is_returned else ""

    def _bound_to(self, node: int, name: str) -> str:
        """Return the name that a part of an argument has where it is first used; "" where it is used as a part."""
        graph = self.whole
        is_entry = name.count("[") == 1 and '"' not in name and "'" not in name and not np.ndim(graph.values[node])
        users = graph.users(node)
        if is_entry or not users:
            return ""
        operands = graph.operands(users[0])
        return written_operand(graph.origin(users[0]), operands.index(node), len(operands), ast.Name)

    def _bound(self, node: int) -> tuple[str, int]:
        """Return the name of a node, and how strongly it binds. Operands come first: they have smaller numbers."""
        open_ = [node]
        while open_:
            each = open_[-1]
            if each not in self.named:
                given = self._given(each)
                if not given:
                    operands = {*self._seen(each).operand_nodes(each), *self.whole.operand_nodes(each)}
                    if unknown := sorted(operands - self.named.keys()):
                        open_ += unknown
                        continue
                self.named[each] = (given, ATOM) if given else self._computed(each)
            open_.pop()
        return self.named[node]

    def _computed(self, node: int) -> tuple[str, int]:
        """Return the expression that computes a node, as long as is legible, and how strongly it binds."""
        block = self._called(node) or self.whole.blocks[node].name
        if block == "input":
            return f"v{node}", ATOM
        fitting = (each for each in self._ever_shorter(node) if len(unkeyed(each[0])) <= LONGEST)
        return next(fitting, (f"{block}(…)", ATOM))

    def _ever_shorter(self, node: int) -> Iterator[tuple[str, int]]:
        """Yield how a node is computed: in full, then with ever more of its operands shortened, the longest first."""
        shortened: dict[int, str] = {}
        if self._is_value(node) and not self._called(node):
            yield from ((text, ATOM) for text in composed(self.whole, node))
        yield self._expression(node, shortened)
        graph = self._seen(node) if self._called(node) else self.whole
        operands = {*graph.operand_nodes(node)}
        longest_first = sorted(operands, key=lambda each: (-len(unkeyed(self._bound(each)[0])), each))
        for shorten in (self._outermost, lambda _: "…"):
            for operand in longest_first:
                shortened[operand] = shorten(operand)
                yield self._expression(node, shortened)

    def _outermost(self, node: int) -> str:
        """Return the name of a node by its outermost function: ``exp(…)``; "…" for sums and products."""
        name, strength = self._bound(node)
        if strength == ATOM and (call := re.match(r"([^(|]+\(|\|).*([)|])$", name)):
            return f"{call[1]}…{call[2]}"
        return name if name.isidentifier() else "…"

    def _called(self, node: int) -> str:
        """Return the function that a folded node is a call of; "" for any other node."""
        fold = self._seen(node).blocks[node]
        return captions.shortened(fold.place.called) if isinstance(fold, Fold) else ""

    def _expression(self, node: int, shortened: Mapping[int, str]) -> tuple[str, int]:
        """Return how a node is computed, and how strongly that binds; some operands may be ``shortened``."""
        graph = self._seen(node) if (called := self._called(node)) else self.whole
        record, operands = graph.blocks[node], graph.operands(node)
        block, sign = record.name, record.operator

        def word(place: int, strength: int) -> str:
            operand = operands[place]
            if operand < 0:
                text = captions.constant(graph, node, place).replace("-", "−")
                return f"({text})" if text.startswith("−") and strength > SUM else text
            return shortened.get(operand) or self._bracketed(operand, strength)

        if sign in INFIX and len(operands) == 2:
            between, strength = INFIX[sign]
            return word(0, strength) + between + word(1, strength + (sign not in "+*")), strength
        if block == "output":
            return self._bound(operands[0]) if operands[0] >= 0 else (word(0, SUM), ATOM)
        if sign == "-":
            is_product = operands[0] >= 0 and self._bound(operands[0])[1] == PRODUCT  # −x·y divides as x·y does
            return f"−{word(0, PRODUCT)}", PRODUCT if is_product else SIGN
        if sign == "**":
            return word(0, ATOM) + raised("2" if len(operands) == 1 else word(1, ATOM)), POWER
        if record.symbol == captions.TAKEN and len(operands) == 2:
            return f"{word(0, ATOM)}[{word(1, SUM)}]", ATOM
        if record is TRANSPOSE:
            return f"{word(0, ATOM)}ᵀ", ATOM
        if record.words is ABSOLUTE:
            return f"|{word(0, SUM)}|", ATOM
        words = captions.telling([word(place, SUM) for place in range(len(operands))])
        keywords = {ord(slot) - ord("a"): keyword for keyword, slot in KEYWORDS.findall(record.code)}
        words = [
            f"{keywords[place]}={text}" if place in keywords and operands[place] < 0 else text
            for place, text in enumerate(words)
            if place not in keywords or text not in ("None", "False")
        ]
        return f"{called or captions.shortened(block)}({', '.join(captions.few(words, '…', 4))})", ATOM

    def _bracketed(self, node: int, strength: int) -> str:
        text, own = self._bound(node)
        return text if own >= strength else f"({text})"


class NodeNames:
    """What a run calls its nodes: as its picture does, and outputs the result.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> called = NodeNames(graph, SourceNames(graph, range(2)))
    >>> [called(node) for node in range(3)], called.sides(1)
    (['x', 'f', 'the result'], ['f', 'x·x'])
    """

    def __init__(self, graph: Graph, names: SourceNames):
        self.graph, self.names = graph, names
        self._returned = [shown(graph, node) for node in graph.outputs]

    def __call__(self, node: int) -> str:
        """Return the name of a node on all panels."""
        if not self.is_result(node):
            return self.names(node)
        if len(self._returned) == 1:
            return RESULT
        returned = shown(self.graph, node)
        several = self._returned.count(returned) > 1
        return f"{RESULT} {f'[{self.graph.outputs.index(node)}]' if several else self.names(returned)}"

    def sides(self, node: int) -> list[str]:
        """Return a node and how it is computed, as far as its name does not say so."""
        return [*dict.fromkeys(filter(None, [self(node), self.names.expression(node)]))]

    def is_result(self, node: int) -> bool:
        """Return whether a node is an output that is called a result."""
        return self.graph.blocks[node].name == "output"


def sentence(text: str) -> str:
    """Return a sentence with a capital letter where it begins with "the result"; a name of the source stays as it is.

    >>> sentence("the result is 3."), sentence("x is given: 3.")
    ('The result is 3.', 'x is given: 3.')
    """
    return text[0].upper() + text[1:] if text.startswith(RESULT) else text


# ---- values in the source ----


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
    >>> values = values_in_source(adviz.trace(adviz.examples["fan-out"].program, 1.0, 4.0))
    >>> uses_of_y = [place for place, ones in values.items() if ones[0].node == 1 and ones[0].edge]
    >>> len(uses_of_y)
    2
    """
    result: defaultdict[Place, list[Evaluation]] = defaultdict(list)
    for place, node in _parameters(graph):
        result[place].append(Evaluation(node))
    made: defaultdict[tuple[Place, int], list[int]] = defaultdict(list)  # by evaluations: most make one node
    for node in range(len(graph)):
        at, scope = made_at(graph, node), graph.scopes.of_node[node]
        if at:
            made[at, ~scope if graph.scopes.kinds[scope] == EXPRESSION else node].append(node)
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


def made_at(graph: Graph, node: int) -> Place | None:
    """Return the place of the expression that made a node."""
    code, origin = graph.call_table[graph.calls[node]].code, graph.origin(node)
    if code is None or origin is None:
        return None
    return Place(_file(graph, code), *origin[2:6])


def _file(graph: Graph, code: CodeType) -> int:
    return next(number for number, each in enumerate(graph.codes) if each is code)


def _read(graph: Graph, nodes: list[int], evaluations: defaultdict[Place, list[Evaluation]]) -> None:
    """Add what one evaluation of an expression tells."""
    place, last = made_at(graph, nodes[-1]), nodes[-1]
    inner = set(nodes)
    within = {operand for node in nodes for operand in graph.operand_nodes(node) if operand in inner}
    if place is None or len(within) < len(nodes) - 1:  # the entries of an array, which no node stands for
        return
    tree = _syntax(graph.codes[place.file])
    expression = tree.expressions.get(place[1:])
    evaluations[Place(place.file, *tree.targets.get(place[1:], place[1:]))].append(Evaluation(last))
    if expression is None:
        return
    arguments = _arguments(expression, graph.codes[place.file])
    if len(nodes) > 1:
        arguments = [each for each in arguments if isinstance(each, ast.Name)]
    taken: set[int] = set()
    uses = [use for node in nodes for use in _uses(graph, node, inner)]
    often = Counter(operand for _, operand, _ in uses) if len(nodes) > 1 else Counter()
    for each, operand in zip(arguments, graph.operands(last), strict=False) if len(nodes) == 1 else ():
        if operand < 0 and isinstance(each, ast.Name):  # a name that stands for a constant
            constant = Evaluation(None, None, last, graph.literal(operand))
            evaluations[Place(place.file, *_place(tree.lines, each))].append(constant)
    for use, operand, position in uses:
        argument = _argument(graph, operand, arguments, position if len(nodes) == 1 else None, taken)
        if argument is None or often[operand] > 1:  # what one name contributes is then a sum that no edge carries
            continue
        where = Place(place.file, *_place(tree.lines, argument))
        if made_at(graph, operand) != where or isinstance(argument, ast.Name):
            evaluations[where].append(Evaluation(operand, use))


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
    returned: set[Whole]


def _syntax(code: CodeType) -> _Syntax:
    return _syntax_of(lines_of(code))


@lru_cache(maxsize=64)
def _syntax_of(lines: tuple[str, ...]) -> _Syntax:
    result = _Syntax(lines, {}, {}, [], set())
    for node in ast.walk(parsed(lines)):
        if isinstance(node, ast.expr | ast.AugAssign):
            result.expressions.setdefault(_place(lines, node), node)
        for target, value in assigned(node):
            result.targets.setdefault(_place(lines, value), _place(lines, target))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            result.functions.append(node)
        if isinstance(node, ast.Return) and node.value:
            values = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
            result.returned.update(_place(lines, value) for value in values)
    return result


def _place(lines: tuple[str, ...], node: ast.AST) -> Whole:
    """Return the place of a node, in characters: the syntax tree counts bytes."""
    line, column, end_line, end_column = (
        getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    )
    return line, characters(lines[line - 1], column), end_line, characters(lines[end_line - 1], end_column)


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
                line, column, *_ = _place(tree.lines, each)
                if each.arg in inputs:
                    yield Place(0, line, column, line, column + len(each.arg)), inputs[each.arg]
            return
