"""One run over ops in the pictures: what is built, with the values that have arrived, and where they live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...scene.document import MemoryPanel, Run, Show, Step
from ...scene.playhead import Playhead
from ..lanes import Lane, Move, lit
from ..marks import Item, edge_item, moved_item
from . import memory_marks, op_marks

RINGS = (3.5, 1.8)  # px: around what a step is about, and around what else takes part in it


class OpLane(Lane):
    """One run over ops: its graph, and below it the memory, if the show has such a panel."""

    def __init__(self, scene: Show, run: Run, moments: Sequence[int] | None = None):
        self.memory: MemoryPanel | None = next(
            (panel for panel in scene["panels"] if panel["kind"] == "memory" and panel["run"] == run["id"]), None
        )
        start = f"{run['id']}/built/"
        self.builds = any(key.startswith(start) for step in scene["steps"] for key, *_ in step["edits"])
        super().__init__(scene, run, moments)
        self.born: dict[str, int] = {}
        for cursor, move in zip(self.when, self.moves, strict=True):
            if move.focus:
                self.born.setdefault(move.focus[0], cursor)
        self.keeps = False
        self.costs = {}
        if self.memory:
            self.width = max(self.width, memory_marks.WIDTH)

    @property
    def body(self) -> float:
        """The height of the graph, and of the memory below it."""
        return super().body + (memory_marks.HEIGHT if self.memory else 0.0)

    def items(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield the graph, and the memory below it."""
        yield from super().items(playhead, share)
        if self.memory:
            left = (self.width - memory_marks.WIDTH) / 2
            marks = [*memory_marks.marks(self.memory, playhead.cursor)]
            yield moved_item(Item(self.memory["id"], "memory", "", marks), left, super().body)

    def _items(self, step: Step) -> list[str]:
        """Return the keys of the items in the focus of a step: what is folded away is not among them."""
        there = {node["key"] for node in self.panel["nodes"]}
        return [key for key in super()._items(step) if key in there]

    def _told(self, coarse: bool) -> list[str]:
        """Return the sentence of each move; the last one of a compound has that of the whole, which is folded."""
        return super()._told(True)

    def _focused(self, move: Move | None, last: int) -> list[str]:
        """Return the items that a step is about: of a compound all that the steps up to here are."""
        if move is None:
            return []
        turn = [each for each in self.moves[: last + 1] if each.turn == move.turn]
        return [*dict.fromkeys(key for each in reversed(turn) for key in each.focus)]

    def _graph(self, playhead: Playhead, share: float) -> Iterator[Item]:
        """Yield what is built, each op with its value; rings are around what the step is about."""
        focus = self._focused(self._moving(playhead.cursor), self._last(playhead.cursor))
        there = {node["key"] for node in self.panel["nodes"] if self._is_there(playhead, node["key"])}
        edges = [edge for edge in self.panel["edges"] if edge["head"] in there]
        first = {edge["tail"] for edge in edges if edge["kind"] == "initializer"}
        there = {key for key in there if not key.startswith("first")} | first
        for k, group in enumerate(self.panel.get("groups", [])):
            if any(self.panel["nodes"][node]["key"] in there for node in group["nodes"]):
                yield self._named(Item(f"box{k}", "box", "", []), [*op_marks.group_marks(group)])
        for edge in edges:
            item = edge_item(edge, 0.0, 0.0)
            yield self._named(item, [*map(lit, item.marks)] if edge["head"] in focus[:1] else item.marks)
        for node in self.panel["nodes"]:
            if node["key"] in there:
                outline = RINGS[0] if node["key"] in focus[:1] else RINGS[1] if node["key"] in focus else 0.0
                item = op_marks.op_item(node, playhead.stage.get(f"{self.run}/value/{node['node']}"), outline)
                yield self._named(replace(item, dead=False), item.marks)

    def _is_there(self, playhead: Playhead, key: str) -> bool:
        """Whether an op is built; in a show that does not build, all are."""
        return not self.builds or self.born.get(key, 0) <= playhead.cursor
