"""Summarize a coarse step, the whole visit of a node, in one sentence."""

from __future__ import annotations

from ..scene import captions
from .sweep_narration import MOST_NAMED, Act, Narrator, Way


class Summary:
    """Collects the Steps of a visit as they happen, since the numbers are those of the moment.

    >>> import adviz
    >>> from adviz.stage.shows.sweep_scene import forward_scene
    >>> document, _ = forward_scene(adviz.trace(lambda x: x * x, 3.0))
    >>> document["steps"][1]["whole"]
    'v1 = v0 × v0 = 3 × 3 = 9; it receives 3 × 1 = 3 from v0 (x) and 3 × 1 = 3 from v0 (x): its tangent is 6.'
    """

    def __init__(self, narrator: Narrator):
        self.narrator = narrator
        self.acts: list[Act] = []
        self.captions: list[str] = []
        self.opening = ""
        self.is_known = True
        self.products: list[tuple[Way, str]] = []
        self.sums: dict[int, str] = {}

    def add(self, act: Act, caption: str) -> None:
        """Add a Step with its own sentence; the state is that after the Step."""
        self.acts.append(act)
        self.captions.append(caption)
        try:
            if act.step.kind == "visit":
                self.opening = self.narrator.opening(act)
            elif act.way and act.step.kind == "product":
                self.products.append((act.way, self.narrator.arithmetic(act)))
            elif act.way and act.step.kind == "accumulate":
                self.sums[act.node] = self.narrator.total(act)
        except (LookupError, StopIteration):  # a timeline of the user's own may lack what this needs
            self.is_known = False

    def sentence(self) -> str | None:
        """Return the whole visit; ``None`` if it is a single Step, or many Steps that nothing sums up."""
        if len(self.acts) < 2:
            return None
        if self.products and self.is_known:
            return f"{self._received() if self.narrator.forward else self._passed()}{self._aftermath()}."
        if all(act.step.kind == "count" for act in self.acts):
            nodes, uses = len({act.node for act in self.acts}), captions.plural(len(self.acts), "use")
            every = "all " if nodes == len(self.narrator.graph) > 1 else ""
            return f"The uses of {every}{captions.plural(nodes, 'node')} are counted: {uses} in all."
        return " ".join(self.captions) if len(self.captions) <= MOST_NAMED else None

    def _passed(self) -> str:
        passed: dict[int, list[str]] = {}
        for way, arithmetic in self.products:
            passed.setdefault(way.operand, []).append(arithmetic)
        told = [
            f"{captions.listed(_first(parts, 'product'))} back to {self.narrator.called(node)}{self.sums.get(node, '')}"
            for node, parts in passed.items()
        ]
        first = f"{self.opening}: it" if self.opening else self.narrator.called(self.products[0][0].node)
        return f"{first} passes {', and '.join(_first(told, 'product'))}"

    def _received(self) -> str:
        told = [f"{arithmetic} from {self.narrator.called(way.operand)}" for way, arithmetic in self.products]
        total = self.sums.get(self.acts[0].node, "")
        return f"{self.opening}; it receives {captions.listed(_first(told, 'product'))}{total}"

    def _aftermath(self) -> str:
        """Return which nodes are ready now, and what is freed."""
        freed = [act.node for act in self.acts if act.step.kind == "free"]
        if self.narrator.forward:
            return self._claim(freed, "freed")
        gone = "; its adjoint is freed" if freed else ""
        return gone + self._claim([node for act in self.acts for node in act.made_ready], "ready")

    def _claim(self, nodes: list[int], claim: str) -> str:
        names = [self.narrator.called(node) for node in nodes]
        verb = "is" if len(names) == 1 else "are"
        return f"; {captions.listed(_first(names, 'node'))} {verb} {claim}" if names else ""


def _first(words: list[str], noun: str) -> list[str]:
    """Return the first few of some words, and how many more there are."""
    more = len(words) - MOST_NAMED
    return [*words[:MOST_NAMED], *([captions.plural(more, f"more {noun}")] if more > 0 else [])]
