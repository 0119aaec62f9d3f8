"""One run over ops in the pictures: what is built, with the values that have arrived, and where they live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..scene import theme
from ..scene.document import MemoryPanel, Run, Show, Step
from ..scene.text_widths import fit
from .lanes import Lane
from .marks import Item, Mark, Text, amount, moved_item
from .pictures import Pictures, mark_of

MEMORY = {"width": 470.0, "height": 226.0}
PLANS = 20.0  # px above it, for what each plan takes


class OpLane(Lane):
    """One run over ops: its graph, and below it the memory, if the show has such a panel."""

    def __init__(self, scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None = None):
        self.memory: MemoryPanel | None = next(
            (panel for panel in scene["panels"] if panel["kind"] == "memory" and panel["run"] == run["id"]), None
        )
        super().__init__(scene, run, pictures, moments)
        self.keeps = False
        self.costs = {}
        if self.memory:
            self.width = max(self.width, MEMORY["width"])

    @property
    def body(self) -> float:
        """The height of the graph, and of the memory below it."""
        return super().body + (PLANS + MEMORY["height"] if self.memory else 0.0)

    def items(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, and the memory below it."""
        yield from super().items(cursor, share)
        if self.memory:
            left, top = (self.width - MEMORY["width"]) / 2, super().body
            item = Item(self.memory["id"], "plans", "", [*self._plans(self.memory)])
            yield moved_item(item, left, top)
            drawn = self.pictures.ask("memory", panel=self.memory["id"], cursor=cursor, size=MEMORY)
            item = Item(self.memory["id"], "memory", "", [mark_of(each) for each in drawn["marks"]])
            yield moved_item(item, left, top + PLANS)

    def _plans(self, panel: MemoryPanel) -> Iterator[Mark]:
        text = "Memory: " + " · ".join(f"{each['method']} {amount(each['bytes'])}" for each in panel["layouts"])
        text = fit(text, theme.DETAIL_SIZE, MEMORY["width"])
        yield Text(0, 14, text, theme.DETAIL_SIZE, "ink", anchor="start")

    def _items(self, step: Step) -> list[str]:
        """Return the keys of the items in the focus of a step: what is folded away is not among them."""
        there = {node["key"] for node in self.panel["nodes"]}
        return [key for key in super()._items(step) if key in there]

    def _told(self, coarse: bool) -> list[str]:
        """Return the sentence of each move; the last one of a composite op has that of the whole, which is folded."""
        return super()._told(True)
