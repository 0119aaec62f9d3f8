"""The stage of a show at a cursor, which moves forwards and backwards over the steps."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

from .document import Show
from .short_text import OnStage


class Playhead:
    """A cursor on a show, and the ``stage`` there: what is present, by key.

    >>> playhead = Playhead({"steps": [{"edits": [["v", None, 1.0]]}, {"edits": [["v", 1.0, 3.0]]}]})
    >>> playhead.seek(1)
    >>> playhead.stage, playhead.is_partial("v")
    ({'v': 1.0}, True)
    """

    def __init__(self, scene: Show):
        self.steps = scene["steps"]
        self.stage: dict[str, OnStage] = dict(scene.get("start", {}))
        self.cursor = len(self.steps)
        self.changes: dict[str, list[tuple[int, OnStage]]] = {}
        for k, step in enumerate(self.steps, start=1):
            for key, _, after in step["edits"]:
                self.changes.setdefault(key, []).append((k, after))
        self.seek(0)

    def seek(self, cursor: int) -> None:
        """Move to a cursor; a move by one step costs no more than that step."""
        while self.cursor > cursor:
            self.cursor -= 1
            self.stage |= {key: before for key, before, _ in reversed(self.steps[self.cursor]["edits"])}
        while self.cursor < cursor:
            self.stage |= {key: after for key, _, after in self.steps[self.cursor]["edits"]}
            self.cursor += 1

    def is_partial(self, key: str) -> bool:
        """Return whether the value of a key is on stage, and more will be added to it."""
        present, changes = self.stage.get(key), self.changes.get(key, [])
        coming = changes[bisect_right(changes, self.cursor, key=itemgetter(0)) :][:1]
        return present is not None and any(after not in (None, present) for _, after in coming)
