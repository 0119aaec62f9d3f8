"""The pictures of an elimination in films and stills: of one run, or below each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ...scene.algebra.elimination_panels import EliminationPanel, ExtendedPanel
from ...scene.document import Show, Step
from ...scene.playhead import Playhead
from ..marks import Item, moved
from .elimination_marks import moment
from .elimination_standing import is_inner
from .elimination_steps import beats
from .extended_frames import items, labels_of

PALE = 0.22  # the opacity of what is not on the page that is looked at


def _beside(item: Item, page: Collection[str]) -> Item:
    """Return an item, pale if it is not on a page."""
    _, sort, thing = item.key.split("/", 2)
    things = [each for each in thing.removeprefix("face/").split("/") if is_inner(each)]
    if sort not in ("label", "face") or all(each in page for each in things):
        return item
    return replace(item, marks=[replace(mark, opacity=PALE * mark.opacity) for mark in item.marks])


class Pictures:
    """The pictures of a run: one with a reading, one for each, or of a large graph the extended Jacobian."""

    def __init__(self, scene: Show, run: str):
        own = [panel for panel in scene["panels"] if panel.get("run") == run]
        self.run = run
        self.matrices: list[ExtendedPanel] = [panel for panel in own if panel["kind"] == "extended"]
        self.panels: list[EliminationPanel] = [panel for panel in own if panel["kind"] == "elimination"]
        self.start = {
            key.removeprefix(f"{run}/"): value
            for key, value in scene.get("start", {}).items()
            if key.startswith(f"{run}/")
        }
        shown: list[EliminationPanel | ExtendedPanel] = [*self.panels, *self.matrices]
        self.beats = beats(scene["steps"], run) if shown else []
        self.size = max((panel["width"] for panel in shown), default=0.0), sum(panel["height"] for panel in shown)

    @property
    def is_any(self) -> bool:
        """Whether the show has such a picture."""
        return bool(self.panels or self.matrices)

    def items(self, playhead: Playhead, taken: Sequence[Step], share: float) -> Iterator[Item]:
        """Yield what is seen when the steps just taken have gone so far."""
        stop, top = self._count(playhead.steps[: playhead.cursor]), 0.0
        start = stop - self._count(taken)
        is_page = taken and taken[-1]["kind"] == "page"
        page = {key.removeprefix("edge/") for key in taken[-1]["focus"]} if is_page else None
        for panel in self.matrices:
            yield from items(panel, labels_of(self.start), playhead.stage, taken, self.beats[:stop], share)
        for picture in self.panels:
            morph = float(picture["reading"] == "line graph")
            for item in moment(picture, self.start, self.beats, start, stop, share, morph):
                seen = _beside(item, page) if page is not None else item
                yield replace(seen, marks=[moved(mark, 0.0, top) for mark in seen.marks])
            top += picture["height"]

    def sends(self, taken: Sequence[Step]) -> bool:
        """Whether two labels are multiplied in some steps."""
        return bool(self.panels) and any(
            part.get("product") for step in taken for part in step.get("parts", [step]) if part["run"] == self.run
        )

    def _count(self, steps: Sequence[Step]) -> int:
        return sum(part["run"] == self.run for step in steps for part in step.get("parts", [step]))
