"""Questions about an elimination, before a move: its cost, the new edges, the lowest Markowitz degree."""

from __future__ import annotations

from collections.abc import Callable

from ...algorithms.elimination.counting import Counting
from ...algorithms.elimination.orders import markowitz
from ...graph.linearized.checked_parts import Vertex
from ..scene import captions
from ..scene.document import Question
from .both_sides import BothSides, Move, Seen
from .elimination_narration import Narrator, line_nodes

Product = tuple[Vertex, Vertex, Vertex]

MOST_CHOICES = 12  # the most vertices or edges to choose among
NOTHING = "none"
PLAIN = "Multiply the number of edges into it by the number of edges out of it."
SIZED = "Multiply the entries of all its predecessors by its own, and by those of all its successors."
OUTCOMES = {"fill_in": "it is filled in as a new one", "absorb": "an existing one absorbs it"}


class Examiner:
    """Asks about the moves of an elimination before they are made."""

    def __init__(self, sides: BothSides):
        self.sides, self.narrator = sides, Narrator(sides)

    def ask(self, move: Move, number: int, counting: Counting) -> Question | None:
        """Return a question about a move that is about to be made: one of three kinds, by the number of the move."""
        if self.sides.technique == "face":
            return None
        products = self._products(move)
        kinds: list[Callable[[], Question | None]] = [
            lambda: self._cost(move, products, counting),
            lambda: self._new_edges(move, products),
            self._lowest_degree,
        ]
        return kinds[number % len(kinds)]() or kinds[0]()

    def ask_product(self, seen: Seen) -> Question | None:
        """Return the question whether a product is filled in or absorbed."""
        if seen.step.kind not in OUTCOMES:
            return None
        tail, head, _ = map(self.narrator.symbol, line_nodes(seen.step))
        return _choice(
            f"What becomes of the product {head} · {tail}?",
            OUTCOMES[seen.step.kind],
            list(OUTCOMES.values()),
            "Is there already one that leads from the start of the product to its end?",
        )

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

    def _cost(self, move: Move, products: list[Product], counting: Counting) -> Question:
        graph = self.sides.graph
        work = sum(
            counting.multiplications(
                graph.partial(j, k), graph.partial(i, j), (graph.size(k), graph.size(j), graph.size(i))
            )
            for i, j, k in products
        )
        return {
            "kind": "number",
            "prompt": f"{self.narrator.named(move, 'next')}. How many multiplications does that take?",
            "answer": work,
            "tolerance": 0,
            "hint": f"There are {captions.plural(len(products), 'product')} to compute.",
        }

    def _new_edges(self, move: Move, products: list[Product]) -> Question | None:
        graph = self.sides.graph
        pairs = list(dict.fromkeys((i, k) for i, _, k in products))
        if len(pairs) > MOST_CHOICES:
            return None
        new = [pair for pair in pairs if graph.partial(*pair) is None]
        lists = [pairs, new, [pair for pair in pairs if pair not in new], new[1:]]
        choices = list(dict.fromkeys(map(self._listed, lists)))
        return _choice(
            f"{self.narrator.named(move, 'next')}. Which edges appear?",
            self._listed(new),
            sorted(choices),
            "An edge appears where a product leads from one vertex to another that no edge joins yet.",
        )

    def _listed(self, pairs: list[tuple[Vertex, Vertex]]) -> str:
        return ", ".join(map(self.narrator.edge, pairs)) or NOTHING

    def _lowest_degree(self) -> Question | None:
        graph = self.sides.graph
        if len(graph.intermediates) > MOST_CHOICES:
            return None
        degree = markowitz(graph)
        degrees = sorted((degree(j), graph.rank[j], j) for j in graph.intermediates)
        if len(degrees) < 2 or degrees[0][0] == degrees[1][0]:
            return None
        return _choice(
            "Which intermediate has the lowest Markowitz degree now?",
            self.narrator.called(degrees[0][-1]),
            [self.narrator.called(j) for j in graph.intermediates],
            SIZED if any(size > 1 for size in graph.sizes.values()) else PLAIN,
        )


def _choice(prompt: str, answer: str, choices: list[str], hint: str) -> Question | None:
    if len(choices) < 2:
        return None
    return {"kind": "choice", "prompt": prompt, "answer": answer, "choices": choices, "hint": hint}
