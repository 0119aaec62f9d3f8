"""Questions about an elimination, asked before a move or before one of its products, each with the usual mistakes.

Before a move: what it costs, which edges appear, which vertex has the lowest Markowitz degree; before the last face,
why faces can do with fewer multiplications than vertices. Before a product: whether an existing edge absorbs it, and
which value that edge has then; on the line graph, which labels are removed with a face.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from ....algorithms.elimination.counting import PLAIN, Counting
from ....algorithms.elimination.orders import markowitz
from ....algorithms.search.optimum import optimal_order
from ....graph.linearized.checked_parts import Vertex
from ....graph.linearized.labels import dense
from ....graph.linearized.line_graph import LineNode
from ...scene import captions
from ...scene.captions import WrongNumber, choice_question, number_question
from ...scene.document import Question
from ..both_sides import BothSides, Move, Seen
from ..elimination_narration import Narrator, line_nodes

Product = tuple[Vertex, Vertex, Vertex]

MOST_CHOICES = 12  # the most vertices or edges to choose among
MOST_PROVED = 8  # of so many intermediates the best order of vertices is known at once
NOTHING = "none"
PLAIN_DEGREE = "Multiply the number of edges into it by the number of edges out of it."
SIZED_DEGREE = "Multiply the entries of all its predecessors by its own, and by those of all its successors."
FILLED_IN, ABSORBED = "it is filled in as a new one", "an existing one absorbs it"
OUTCOMES = {"fill_in": FILLED_IN, "absorb": ABSORBED}
EXACTLY = 0.0  # tolerance of an answer that is counted
WHY_FACES = "a vertex takes all its faces at once; single faces can wait until their products are absorbed"
NOT_WHY_FACES = [
    ("an order of vertices that is as cheap has not been found yet", "All orders of vertices were searched."),
    ("faces add where vertices multiply", "Each face is one product, too, and additions are not counted for either."),
    (
        "the labels of the line graph are smaller",
        "At the start they are the same labels; only which of them are multiplied differs.",
    ),
]


class Examiner:
    """Asks about the moves of an elimination before they are made; ``spent`` is what those before have cost."""

    def __init__(self, sides: BothSides):
        self.sides, self.narrator, self.spent = sides, Narrator(sides), 0
        self.fewest_by_vertices = _fewest_by_vertices(sides)

    def ask(self, move: Move, number: int, counting: Counting) -> Question | None:
        """Return a question about a move that is about to be made: of several kinds, by the number of the move."""
        if self.sides.technique == "face":
            return self._about_face(move, number, counting)
        products = self._products(move)
        kinds: list[Callable[[], Question | None]] = [
            lambda: self._cost(move, products, counting),
            lambda: self._new_edges(move, products),
            self._lowest_degree,
        ]
        return kinds[number % len(kinds)]() or kinds[0]()

    def ask_product(self, seen: Seen, number: int = 0) -> Question | None:
        """Return a question about a product: what becomes of it, or every other time what its edge is then."""
        self.spent += seen.step.multiplications
        if seen.step.kind not in OUTCOMES:
            return None
        return (self._value(seen) if number % 2 else None) or self._outcome(seen)

    # ---- a move of vertices or edges ----

    def _products(self, move: Move) -> list[Product]:
        """Return tail, middle and head of each product of a move."""
        graph = self.sides.graph
        match move if self.sides.technique == "edge" else ("vertex", move):
            case "front", i, j:
                return [(i, j, k) for k in graph.successors(j)]
            case "back", i, j:
                return [(h, i, j) for h in graph.predecessors(i)]
            case _, j:
                return [(i, j, k) for k in graph.successors(j) for i in graph.predecessors(j)]
        raise ValueError(move)

    def _work(self, product: Product, counting: Counting) -> int:
        (i, j, k), graph = product, self.sides.graph
        sizes = graph.size(k), graph.size(j), graph.size(i)
        return counting.multiplications(graph.partial(j, k), graph.partial(i, j), sizes)

    def _cost(self, move: Move, products: list[Product], counting: Counting) -> Question:
        work = sum(self._work(product, counting) for product in products)
        wrong = _distinct(self._wrong_costs(move, products, counting), work)
        prompt = f"{self.narrator.named(move, 'next')}. How many multiplications does that take?"
        hint = f"There are {captions.plural(len(products), 'product')} to compute."
        return number_question(prompt, work, wrong, hint, tolerance=EXACTLY)

    def _wrong_costs(self, move: Move, products: list[Product], counting: Counting) -> Iterator[WrongNumber]:
        graph, called = self.sides.graph, self.narrator.called
        if self.sides.technique == "vertex":
            into, out = len(graph.predecessors(move)), len(graph.successors(move))
            yield into + out, "That counts the edges; each edge in meets each edge out, so the counts are multiplied."
            if into != out:
                yield into, f"Those are the edges into {called(move)}; each of them meets every edge out of it."
                yield out, f"Those are the edges out of {called(move)}; each of them meets every edge into it."
        else:
            side, i, j = move
            at, other = (j, "into") if side == "front" else (i, "out of")
            count = len(graph.predecessors(at) if side == "front" else graph.successors(at))
            meets = "out of its head" if side == "front" else "into its tail"
            yield count, f"Those are the edges {other} {called(at)}; this edge meets the edges {meets}."
            yield 1, f"The edge meets each of the edges {meets}, and each makes a product."
        pairs = dict.fromkeys((i, k) for i, _, k in products)
        fresh = sum(graph.partial(*pair) is None for pair in pairs)
        if 0 < fresh < len(products):
            yield fresh, "Those are the fill-ins; products that are absorbed multiply, too."
        larger = max(products, key=lambda product: self._work(product, counting), default=None)
        if larger and (most := self._work(larger, counting)) > 1:
            i, j, k = larger
            shapes = f"{graph.size(k)}×{graph.size(j)} times {graph.size(j)}×{graph.size(i)}"
            yield len(products), f"That counts the products, as for numbers; {shapes} takes {most} multiplications."

    def _new_edges(self, move: Move, products: list[Product]) -> Question | None:
        graph = self.sides.graph
        pairs = list(dict.fromkeys((i, k) for i, _, k in products))
        new = [pair for pair in pairs if graph.partial(*pair) is None]
        old = [pair for pair in pairs if pair not in new]
        if len(pairs) > MOST_CHOICES:
            return None
        wrong: list[tuple[str, str]] = []
        if old:
            there = f"{self.narrator.edge(old[0])} exists already: that product is added to it."
            wrong += [(self._listed(pairs), there), (self._listed(old), there)]
        if new:
            first = f"{self.narrator.edge(new[0])} appears, too: no edge joins {self._ends(new[0])} yet."
            wrong.append((self._listed(new[1:]), first))
        if not [text for text, _ in wrong if text != self._listed(new)]:
            return None
        return choice_question(
            f"{self.narrator.named(move, 'next')}. Which edges appear?",
            self._listed(new),
            wrong,
            "An edge appears where a product leads from one vertex to another that no edge joins yet.",
        )

    def _listed(self, pairs: list[tuple[Vertex, Vertex]]) -> str:
        return ", ".join(map(self.narrator.edge, pairs)) or NOTHING

    def _ends(self, e: LineNode) -> str:
        return f"{self.narrator.called(e[0])} to {self.narrator.called(e[1])}"

    def _lowest_degree(self) -> Question | None:
        graph, called = self.sides.graph, self.narrator.called
        if len(graph.intermediates) > MOST_CHOICES:
            return None
        degree = markowitz(graph)
        degrees = sorted((degree(j), graph.rank[j], j) for j in graph.intermediates)
        if len(degrees) < 2 or degrees[0][0] == degrees[1][0]:
            return None
        lowest = degrees[0][-1]
        is_sized = any(size > 1 for size in graph.sizes.values())
        wrong = [(called(j), self._why_not_lowest(j, lowest, int(degree(j)))) for _, _, j in degrees[1:]]
        return choice_question(
            "Which intermediate has the lowest Markowitz degree now?",
            called(lowest),
            wrong,
            SIZED_DEGREE if is_sized else PLAIN_DEGREE,
            most=MOST_CHOICES,
        )

    def _why_not_lowest(self, j: Vertex, lowest: Vertex, degree: int) -> str:
        graph = self.sides.graph
        into, out = len(graph.predecessors(j)), len(graph.successors(j))
        text = f"{into} × {out} = {degree}" if into * out == degree else f"{degree}, with the sizes of all vertices"
        degree_told = f"its degree is {text}"
        if into < len(graph.predecessors(lowest)):
            return f"It has fewer edges in, but both sides count: {degree_told}."
        if out < len(graph.successors(lowest)):
            return f"It has fewer edges out, but both sides count: {degree_told}."
        if j == graph.intermediates[0]:
            return f"It is the first in the order of the program, but {degree_told}."
        return f"{degree_told[0].upper()}{degree_told[1:]}; there is a lower one."

    # ---- a product ----

    def _outcome(self, seen: Seen) -> Question:
        tail, head, made = line_nodes(seen.step)
        is_fresh = seen.step.kind == "fill_in"
        if self.sides.technique != "face":
            why = (
                f"No edge leads from {self._ends(made)} yet, so there is nothing that it could be added to."
                if is_fresh
                else f"The edge {self.narrator.edge(made)} exists already: parallel paths add."
            )
        else:
            why = (
                "No label has these predecessors and successors, so there is nothing that it may be added to."
                if is_fresh
                else f"{self.narrator.symbol(made)} has the same predecessors and successors, so they are added."
            )
        one, other = map(self.narrator.symbol, (head, tail))
        return choice_question(
            f"What becomes of the product {one} · {other}?",
            OUTCOMES[seen.step.kind],
            [(FILLED_IN, why), (ABSORBED, why)],
            "Is there already one that leads from the start of the product to its end?",
        )

    def _value(self, seen: Seen) -> Question | None:
        """Return the question which number an edge has after a product; ``None`` where it is a matrix."""
        tail, head, made = line_nodes(seen.step)
        edit = seen.step.edits[0]
        before, after = None if edit.before is None else dense(edit.before), dense(edit.after)
        factors = [self.narrator.label(e) for e in (head, tail)]
        if any(map(np.ndim, (after, *factors))) or not np.isfinite(after):
            return None
        one, other = map(float, factors)
        gain, name = one * other, self.narrator.symbol(made)
        figures = " · ".join(captions.bracketed(captions.signed(factor)) for factor in (one, other))
        wrong: list[WrongNumber] = [(one + other, "Edges in series multiply; only parallel ones add.")]
        if before is not None:
            there = f"{name} is {captions.signed(before)} now. "
            wrong = [
                (gain, "That is the product alone; an absorption adds it to what is there."),
                (before * gain, "Parallel paths add; only edges in series multiply."),
                *wrong,
            ]
        prompt = f"{there if before is not None else ''}Which value has {name} after the product {figures}?"
        hint = f"{captions.signed(before)} + {figures}" if before is not None else figures
        return number_question(prompt, after, _distinct(wrong, float(after), 0.02), hint)

    # ---- a face ----

    def _about_face(self, face: Move, number: int, counting: Counting) -> Question | None:
        (e, f), line = face, self.sides.line
        if len(line.interior_faces) == 1 and (why := self._why_faces(e, f, counting)):
            return why
        kinds: list[Callable[[], Question | None]] = [
            lambda: self._removed(e, f),
            lambda: self._face_cost(e, f, counting),
        ]
        return kinds[number % 2]() or kinds[0]()

    def _face_work(self, e: LineNode, f: LineNode, counting: Counting) -> int:
        return counting.multiplications(self.sides.line.label(f), self.sides.line.label(e), self._face_sizes(e, f))

    def _face_sizes(self, e: LineNode, f: LineNode) -> tuple[int, int, int]:
        size = self.sides.graph.sizes.get
        return size(f[1], 1), size(e[1], 1), size(e[0], 1)

    def _face_cost(self, e: LineNode, f: LineNode, counting: Counting) -> Question | None:
        sizes, work = self._face_sizes(e, f), self._face_work(e, f, counting)
        rows, inner, columns = sizes
        if prod(sizes) == 1:
            return None
        wrong: list[WrongNumber] = [
            (1, f"That holds for numbers; here {rows}×{inner} times {inner}×{columns} is computed."),
            (rows * columns, f"Each of the {rows * columns} entries takes {inner} multiplications."),
            (rows * inner + inner * columns, "That counts the entries of both labels; each row meets each column."),
        ]
        prompt = f"{self.narrator.named((e, f), 'next')}. How many multiplications does that take?"
        return number_question(prompt, work, _distinct(wrong, work), "One product of two matrices.", tolerance=EXACTLY)

    def _removed(self, e: LineNode, f: LineNode) -> Question:
        """Return the question which labels are on no path any more without a face."""
        line, symbol = self.sides.line, self.narrator.symbol
        kept_tail = [other for other in line.successors(e) if other != f]
        kept_head = [other for other in line.predecessors(f) if other != e]
        one, other = symbol(e), symbol(f)
        answers = {(True, True): "both", (True, False): one, (False, True): other, (False, False): NOTHING}
        stays = [
            *([f"{one} still has the successor {symbol(kept_tail[0])}"] if kept_tail else []),
            *([f"{other} still has the predecessor {symbol(kept_head[0])}"] if kept_head else []),
        ]
        goes = [
            *([] if kept_tail else [f"{one} loses its last successor"]),
            *([] if kept_head else [f"{other} loses its last predecessor"]),
        ]
        why = f"{captions.listed([*stays, *goes])}."
        return choice_question(
            f"{self.narrator.named((e, f), 'next')}. Which of its two labels is on no path then?",
            answers[not kept_tail, not kept_head],
            [(text, why) for text in answers.values()],
            "One face is one path of two labels; a label stays as long as another path leads through it.",
        )

    def _why_faces(self, e: LineNode, f: LineNode, counting: Counting) -> Question | None:
        fewest, total = self.fewest_by_vertices, self.spent + self._face_work(e, f, counting)
        if fewest is None or counting != PLAIN or total >= fewest:
            return None
        return choice_question(
            f"With this face the elimination takes {total} multiplications; no order of vertices takes fewer than "
            f"{fewest}. Why?",
            WHY_FACES,
            NOT_WHY_FACES,
            "Which products must be made together if a whole vertex is eliminated?",
        )


def _fewest_by_vertices(sides: BothSides) -> int | None:
    """Return what the best order of vertices takes, where that is known at once and faces are eliminated."""
    graph = sides.graph
    if sides.technique != "face" or not 0 < len(graph.intermediates) <= MOST_PROVED:
        return None
    best = optimal_order(graph, effort=5_000, engine="python")
    return best.cost if best.proved else None


def _distinct(
    wrong: list[WrongNumber] | Iterator[WrongNumber], right: float, tolerance: float = 0.0
) -> list[WrongNumber]:
    """Return wrong answers that differ from the right one and from each other."""
    result: list[WrongNumber] = []
    for each, why in wrong:
        if all(abs(each - other) > tolerance * abs(other) for other in (right, *(other for other, _ in result))):
            result.append((each, why))
    return result
