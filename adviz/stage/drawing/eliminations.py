"""The pictures of an elimination in films and stills: of one run, or below each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..scene.algebra_panels import EliminationPanel, ExtendedPanel
from ..scene.document import Show, Step
from .marks import Item, moved_item
from .pictures import Pictures, item_of


class Eliminations:
    """The pictures of a run: one with a reading, one for each, or of a large graph the extended Jacobian."""

    def __init__(self, scene: Show, run: str, pictures: Pictures):
        own = [panel for panel in scene["panels"] if panel.get("run") == run]
        self.run, self.pictures = run, pictures
        matrices: list[ExtendedPanel] = [panel for panel in own if panel["kind"] == "extended"]
        graphs: list[EliminationPanel] = [panel for panel in own if panel["kind"] == "elimination"]
        self.panels: list[EliminationPanel | ExtendedPanel] = [*matrices, *graphs]
        self.sizes = [pictures.ask("eliminationSize", panel=panel["id"]) for panel in self.panels]
        self.size = max((size["width"] for size in self.sizes), default=0.0), sum(size["height"] for size in self.sizes)

    def items(self, so_far: Sequence[Step], taken: Sequence[Step], share: float) -> Iterator[Item]:
        """Yield what is seen after the steps ``so_far``, a ``share`` of the way through those just ``taken``."""
        stop, top = self._count(so_far) if self.panels else 0, 0.0
        is_page = bool(taken) and taken[-1]["kind"] == "page"
        page = [key.removeprefix("edge/") for key in taken[-1]["focus"]] if is_page else None
        cursors = {"from": stop - self._count(taken), "to": stop}
        for panel, size in zip(self.panels, self.sizes, strict=True):
            about = {"panel": panel["id"], "progress": share, "page": page, **cursors}
            for each in self.pictures.ask("elimination", **about)["items"]:
                yield moved_item(item_of(panel["id"], each), 0.0, top)
            top += size["height"]

    def _count(self, steps: Sequence[Step]) -> int:
        return sum(part["run"] == self.run for step in steps for part in step.get("parts", [step]))
