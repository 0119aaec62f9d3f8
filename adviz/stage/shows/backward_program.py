"""The program of a backward pass beside its sweep: its lines below the source, as they are run.

The words are those of ``adviz.compile_gradient``, statement by statement; what that joins stands at the end.
To write it takes as long as a show of the sweep, so it is done where somebody looks: for a page that is saved, and for
a notebook that asks.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import CodeType

import numpy as np

from ...engine.blocks import INPUT
from ...graph.graph import Graph
from ...graph.loops import control_flow
from ...graph.origins import head_of, loop_origin, statement_at, written_operand
from ...graph.scopes import CALL, COMPREHENSIONS, ITERATION, PART
from ...kernels.arrays.array_program import ArrayProgram
from ...kernels.arrays.lowering import Lowered, line_by_line
from ...kernels.derivations.regular_loops import Loop
from ...kernels.derivations.translation import Known
from ...kernels.sources.writing import Row
from ...kernels.terms.array_terms import LOOP, Term, made_of
from ..scene.document import Show
from ..scene.flow_panel import CodePanel, ProgramLine
from .beside_flow import quietly

MOST, MOST_JOINED = 400, 6  # lines
MOST_COUNTED = 100  # iterations
LONGEST = 48  # characters of a line with its comment
COMMENT = re.compile(r" {2,}# .*")
ARRAY = re.compile(r"np\.array\((\[[^()]*\])(?:, dtype=\w+)?\)|\bdata(?:_\d+)?\b")
ALONE = re.compile(r"= \(([^()]*)\)(?= [-+*/] |$)")  # brackets that say nothing
HEAD = re.compile(r"    for k in reversed\(range\(\d+\)\):")
REAL = "fiu"  # kinds of dtypes
AT_THE_END = -1


def with_program(show: Show, graph: Graph, compiled: Callable[[], ArrayProgram]) -> Show:
    """Return a show for a page, with the backward program in the place of the numbers under its source."""
    panel = next((each for each in show["panels"] if each["kind"] == "code"), None)
    lines = program_lines(show, graph, compiled) if panel and "program" in panel else []
    if panel is None or panel["kind"] != "code" or not lines:
        return show
    other: CodePanel = {**panel, "program": lines}
    del other["numbers"]
    return {**show, "panels": [other if each is panel else each for each in show["panels"]]}


def program_lines(show: Show, graph: Graph, compiled: Callable[[], ArrayProgram]) -> list[ProgramLine]:
    """Return the lines of the backward program; none where a function has no program of so few lines."""
    program = quietly(compiled)
    lowered = program.lowered if isinstance(program, ArrayProgram) else None
    if lowered is None or lowered.translation.graph.blocks != graph.blocks:
        return []
    by_line = None if lowered.bodies else quietly(partial(line_by_line, lowered))
    written, translation = by_line or (program.written, lowered.translation)
    flow = next((each for each in show["panels"] if each["kind"] == "flow"), None)
    arriving = {node for move in flow["moves"] for node in move["nodes"]} if flow and flow["kind"] == "flow" else set()
    rows = [row for row in written.rows if row.is_derivative]
    there = {_name(row) for row in program.lines}
    before = [row for row in written.rows if row.term is not None and not row.is_derivative]
    values = [COMMENT.sub("", row.text[4:]) for row in before if _name(row) not in there]
    placed = _Placed(graph, lowered, translation.known, sorted(arriving))
    lines = [*placed.lines(rows, _Short(graph, written.constants, values))]
    told = {row.text for row in rows}
    short = _Short(graph, program.written.constants)
    joined = [short(row.text) for row in program.lines if row.is_derivative and row.text not in told]
    return [*lines, *_joined(joined)] if 0 < len(lines) <= MOST else []


def _name(row: Row) -> str:
    """Return what a line gives a value to."""
    return row.text.partition(" = ")[0].strip()


def _joined(texts: Sequence[str]) -> Iterator[ProgramLine]:
    """Yield comments that say what the compiled program has instead of some of the lines."""
    head = "# compile_gradient joins:"
    comments = [head, *(f"#   {text}" for text in texts)] if texts else []
    if len(texts) == 1:
        comments = [f"{head} {texts[0]}"]
    if len(texts) > MOST_JOINED:
        comments = [f"{head} {len(texts)} others"]
    for text in comments:
        yield {"text": text, "node": AT_THE_END, "at": [0, AT_THE_END, 0]}


class _Placed:
    """Where the lines of a program stand in the source, and when: at which nodes, in which iteration or call."""

    def __init__(self, graph: Graph, lowered: Lowered, known: Mapping[Term, Known], arriving: Sequence[int]):
        self.graph, self.lowered, self.known, self.arriving = graph, lowered, known, arriving
        self.files = {code: number for number, code in enumerate(graph.codes)}
        self.users: dict[int, int] = {}
        for node in reversed(range(len(graph))):
            self.users |= dict.fromkeys(graph.operand_nodes(node), node)

    def lines(self, rows: Sequence[Row], short: Callable[[str], str]) -> Iterator[ProgramLine]:
        """Yield the lines; one that computes a part of a derivative goes with that which follows."""
        result: list[ProgramLine] = []
        at, node, begun = self._head(), AT_THE_END, set[int]()
        for row, text in reversed([(row, short(row.text)) for row in rows]):
            if loop := self._loop_of(row):
                at, node = self._of_loop(loop, is_before=loop.start in begun)
                if HEAD.match(row.text):
                    begun.add(loop.start)
                    if loop.iterations <= MOST_COUNTED:
                        result += self._heads(text, loop, at)
                        continue
            elif known := self.known.get(row.term) if row.term and row.term.operation is not LOOP else None:
                at = self._complete_at(known.node) if known.is_mark else self._at(known.node)
                node = known.node if known.is_mark else node
            result.append({"text": text, "node": self._seen(node), "at": at})
        return reversed(result)

    def _loop_of(self, row: Row) -> Loop | None:
        """Return the loop that a line is of, but for loops within loops."""
        is_of_loop = row.term and row.term.operation is LOOP
        body = self.lowered.bodies.get(made_of(row.term).loop) if row.term and is_of_loop else None
        return body.loop if body else None

    def _of_loop(self, loop: Loop, is_before: bool) -> tuple[list[int], int]:
        """Return where and when lines of a loop are seen: below its body, or where what it leaves is used first."""
        last = loop.start + loop.length * (loop.iterations - 1)
        if is_before and loop.results:
            return self._complete_at(last + loop.results[-1]), last + loop.results[-1]
        return [*self._at(loop.end - 1)[:2], 0], last

    def _heads(self, text: str, loop: Loop, at: Sequence[int]) -> Iterator[ProgramLine]:
        """Yield the head of a loop for each iteration, the first one last."""
        for number in range(loop.iterations):
            node = self._seen(loop.start + number * loop.length)
            yield {"text": f"{text}  # k = {number}", "node": node, "at": [*at[:2], number + 1]}

    def _seen(self, node: int) -> int:
        """Return the node in the picture whose derivative has come when that of a node is known."""
        return self.arriving[max(0, bisect(self.arriving, node) - 1)] if self.arriving else node

    def _at(self, node: int) -> list[int]:
        """Return file and line of the statement that a node is made in, and which run of it."""
        graph, tree = self.graph, self.graph.scopes
        call, offset = graph.call_table[graph.calls[node]], graph.offsets[node]
        is_inside = False
        while call.code is not None and call.code.co_name in COMPREHENSIONS:  # a part of the statement that it is in
            call, offset, is_inside = graph.call_table[call.parent], call.offset, True
        statement = statement_at(call.code, offset) if call.code else None
        if statement is None or call.code not in self.files:
            return self._head()
        path = [scope for scope in tree.path(tree.of_node[node]) if tree.kinds[scope] in (CALL, ITERATION)]
        return [self.files[call.code], statement.end_line, 0 if is_inside else path[-1]]

    def _complete_at(self, node: int) -> list[int]:
        """Return where the adjoint of a node gets its last part: at the first use.

        That of an input which several iterations of a loop use stands below the head of the loop.
        """
        first = self.users.get(node, node)
        uses = {tuple(self._iterations(user)) for user in self.graph.users(node)}
        is_repeated = self.graph.blocks[node] is INPUT and len(uses) > 1
        return (is_repeated and self._head_of_loop(first)) or self._at(first)

    def _iterations(self, node: int) -> list[int]:
        """Return the iterations that a node is made in, as scopes, the outermost first."""
        tree = self.graph.scopes
        return [scope for scope in tree.path(tree.of_node[node]) if tree.kinds[scope] == ITERATION]

    def _head_of_loop(self, node: int) -> list[int]:
        """Return the place of the head of the outermost loop around a node; nothing where that is a comprehension."""
        tree = self.graph.scopes
        if not (iterations := self._iterations(node)):
            return []
        loop = tree.parents[iterations[0]]
        while tree.kinds[loop] == PART:
            loop = tree.parents[loop]
        code, offset = tree.places[loop]
        if not isinstance(code, CodeType) or code not in self.files or code.co_name in COMPREHENSIONS:
            return []
        head = loop_origin(code, control_flow(code).body(offset))
        return [self.files[code], head.line, 0] if head else []

    def _head(self) -> list[int]:
        head = head_of(self.graph.codes[0]) if self.graph.codes else None
        return [0, head.line if head else 0, 0]


class _Short:
    """Writes lines briefly: constants as the user has written them, or as a name with their shape.

    ``values`` are lines that the compiled program does not have; whatever takes their values says so.
    """

    def __init__(self, graph: Graph, kept: Mapping[str, np.ndarray], values: Sequence[str] = ()):
        self.kept, self.values, self.others = kept, values, list[np.ndarray]()
        named: dict[str, list[np.ndarray]] = {}
        for name, value in _written(graph):
            if not any(value is each for each in named.setdefault(name, [])):
                named[name].append(value)
        numbered = (
            (f"{name}_{k}" if k > 1 else name, value) for name in named for k, value in enumerate(named[name], 1)
        )
        self.users = [view for name, value in numbered for view in _views(name, value)]

    def __call__(self, text: str) -> str:
        """Return a line without its indentation, and without a comment that makes it long."""
        comment, before = COMMENT.search(text), len(self.others)
        code = ALONE.sub(r"= \1", ARRAY.sub(self._called, COMMENT.sub("", text)[4:]))
        notes = [f"({'×'.join(map(str, each.shape))}) constant" for each in self.others[before:]]
        notes += [each for each in self.values if re.search(rf"\b{each.partition(' = ')[0]}\b", code)]
        if comment and len(code + comment[0]) <= LONGEST:
            notes = [comment[0].strip(" #"), *notes]
        return f"{code}  # {'; '.join(notes)}" if notes else code

    def _called(self, found: re.Match[str]) -> str:
        value = np.array(ast.literal_eval(found[1])) if found[1] else self.kept.get(found[0])
        if value is None or value.dtype.kind not in REAL:
            return found[0]
        for text, other in self.users:
            if other.shape == value.shape and (factor := _factor(value, other)) is not None:
                return _scaled(text, factor)
        known = next((k for k, each in enumerate(self.others) if np.array_equal(each, value)), len(self.others))
        self.others += [value] if known == len(self.others) else []
        return f"c{known + 1}"


def _written(graph: Graph) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays that are constants, by the names that the user's source has for them."""
    for node in range(len(graph)):
        operands = graph.operands(node)
        for place, operand in enumerate(operands):
            value = graph.literal(operand) if operand < 0 else None
            if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in REAL:
                name = written_operand(graph.origin(node), place, len(operands))
                yield from [(name, value)] if name else []


def _views(name: str, value: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return how views of an array are written."""
    if value.ndim == 1:
        return [(name, value), (f"{name}[:, None]", value[:, None])]
    return [(name, value), (name.removesuffix(".T") if name.endswith(".T") else f"{name}.T", value.T)]


def _factor(value: np.ndarray, of: np.ndarray) -> float | None:
    """Return the number that makes one array of another."""
    at = np.argmax(np.abs(of))
    factor = float(value.flat[at]) / float(of.flat[at]) if of.size and of.flat[at] else 0.0
    with np.errstate(all="ignore"):
        return factor if factor and np.allclose(value, factor * of, rtol=1e-12, atol=0.0) else None


def _scaled(text: str, factor: float) -> str:
    """Return a multiple of something as it is written.

    >>> _scaled("t", 1.0), _scaled("t", -0.25), _scaled("t", 3.0)
    ('t', '(-t / 4)', '(3 * t)')
    """
    sign = "-" * (factor < 0)
    size, parts = abs(factor), 1 / abs(factor)
    if size == 1:
        return f"({sign}{text})" if sign else text
    is_whole = abs(parts - round(parts)) < 1e-12 * parts
    return f"({sign}{text} / {parts:g})" if is_whole else f"({sign}{size:.6g} * {text})"
