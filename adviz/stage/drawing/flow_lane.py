"""A sweep in the pictures of a show: numbers that flow, the formula and the sentence of the step, and the story so far.

It rests where its sentences are those of nodes: the values, the seed, each node that sends or adds, the result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import Any

from ..scene import formulas, theme
from ..scene.captions import in_lines
from ..scene.document import Part, Rest, Run, Show, TextMark, coarsest, keyframes
from ..scene.flow_panel import FlowPanel
from ..scene.text_widths import fit, wrapped
from . import typesetting
from .marks import Box, Item, Mark, Text, moved, moved_item
from .pictures import Pictures, item_of, mark_of, matrix_of

STAGE = 900.0, 560.0  # px that the picture has at most
NARROWEST = 600.0  # the least width, so that there is room for sentences and for the names of the steps
CAPTION_SIZE, LINE = 17.0, 25.0
MOST_LINES = 8
TABLES, SUM_SIZE = 1.2, 18.0  # of the bench: how large its tables are, and the letters of a sum
LARGER = 1.25  # how much larger formulas are than beside other graphs
LABEL_SIZE = 13.0
NAME_SIZE, GAP = 12.0, 4.0  # of the steps, and between their bars
LEAST_NAME = 34.0  # px: a name with less room is left out, unless its step is shown


def flow_of(scene: Show, run: str) -> FlowPanel | None:
    """Return the picture of a sweep in which numbers flow, if a run has one."""
    return next((panel for panel in scene["panels"] if panel["kind"] == "flow" and panel["run"] == run), None)


def rests_of(scene: Show, run: str | None = None) -> dict[int, Rest]:
    """Return what is said at the coarsest level, by the cursors where the show rests; nothing for other shows.

    Several runs on one clock rest after each coarse step; there it is said of all of them, or of one ``run``.
    """
    if not any(panel["kind"] == "flow" for panel in scene.get("panels", ())):
        return {}
    if "opening" not in scene:
        return _coarse(scene, run)
    return {0: scene["opening"]} | {number + 1: keyframe for number, keyframe in keyframes(scene, coarsest(scene))}


def _coarse(scene: Show, run: str | None) -> dict[int, Rest]:
    """Return what is said of coarse steps, by the cursors where they end; a run that waits keeps its last words."""
    steps = scene["steps"]
    starts = [k for k, step in enumerate(steps) if step["coarse"] or not k]
    label = next((each["label"] for each in scene["runs"] if each["id"] == run), "")
    rests = {0: _rest("start", "")}
    for number, (start, stop) in enumerate(pairwise([*starts, len(steps)]), start=1):
        parts: list[Part] = [steps[start]]
        if run is not None:
            every = [part for step in steps[start:stop] for part in step.get("parts", [step])]
            parts = [part for part in every if part["run"] == run][:1]
        name = "result" if steps[start]["kind"] == "result" else str(number)
        said = [part.get("whole") or part["caption"] for part in parts]
        text = _rest(name, said[0].removeprefix(f"{label[:1].upper()}{label[1:]}: ")) if said else None
        rests[stop] = text or rests[max(rests)]
    return rests


def _rest(name: str, caption: str) -> Rest:
    return {"name": name, "caption": caption, "formula": None, "nodes": [], "question": None}


class FlowLane:
    """The run of a show whose numbers flow, with the room that its words take."""

    head = 0.0

    is_cut = False  # it is always seen as a whole

    def __init__(
        self,
        scene: Show,
        run: Run,
        panel: FlowPanel,
        pictures: Pictures,
        moments: Sequence[int] | None = None,
        widest: float = inf,
    ):
        self.run, self.panel, self.pictures = run["id"], panel, pictures
        self.rests = rests_of(scene, self.run)
        self.cursors = [*self.rests]
        self.label = ": ".join(filter(None, panel.get("title", [])))
        self.head = LINE if self.label else 0.0
        wide = min(STAGE[0], widest)
        self.stage = {"width": wide, "height": wide * STAGE[1] / STAGE[0]}
        whole = self._ask("place")
        self.durations: dict[int, float] = {}
        self.size = whole["width"], whole["height"]
        self.scale = min(1.0, widest / self.size[0])
        self.matrix = matrix_of(scene, self.run, pictures) if "sweeps" in panel else None
        self.beside, self.least = self.matrix.size if self.matrix else (0.0, 0.0)
        self.width = max(self.scale * self.size[0] + self.beside, NARROWEST)
        shown = self.rests if moments is None else {self._last(cursor) for cursor in moments}
        self.lines = max((len(self._caption(rest)) for rest in shown), default=0)
        self.bench = next((each["id"] for each in scene["panels"] if each["kind"] == "bench"), None)
        self.benches: dict[int, Any] = {}
        self.tables = max((self._tables_height(rest) for rest in shown), default=0.0)
        heights = (sum(map(typesetting.height, self._formula(rest))) for rest in shown)
        self.formula = LARGER * max(heights, default=0.0)

    @property
    def body(self) -> float:
        """The height of the graph."""
        return max(self.scale * self.size[1], self.least)

    @property
    def height(self) -> float:
        """The height of the graph with the words below it."""
        return self.head + self.body + self.formula + self.tables + (self.lines + 0.6) * LINE

    def cut(self, room: float) -> None:
        """Show the graph no higher than ``room`` px."""
        self.scale = min(self.scale, room / self.size[1])

    def _last(self, cursor: int) -> int:
        """Return where the show rested last, up to a cursor."""
        return self.cursors[bisect_right(self.cursors, cursor) - 1]

    def before(self, cursor: int) -> int:
        """Return where the show rested before a cursor."""
        return self.cursors[max(bisect_left(self.cursors, cursor) - 1, 0)]

    def duration(self, cursor: int) -> float:
        """Return how many milliseconds numbers flow until a cursor, from where the show rested before."""
        if cursor not in self.durations:
            self.durations[cursor] = self._ask("duration", **self._cursors(cursor))
        return self.durations[cursor]

    def _ask(self, what: str, **about: Any) -> Any:
        return self.pictures.ask(what, panel=self.panel["id"], stage=self.stage, **about)

    def _cursors(self, cursor: int) -> dict[str, int]:
        """Return where the show rested before a cursor, and the cursor."""
        return {"from": self.before(cursor), "to": cursor}

    def sends(self, cursor: int) -> bool:
        """Return whether anything flows until a cursor, from where the show rested before."""
        return self.duration(cursor) > 0

    def _caption(self, rest: int) -> list[str]:
        room = self.width - 2 * theme.MARGIN
        return wrapped(self.rests[rest]["caption"], CAPTION_SIZE, room, MOST_LINES)

    def _formula(self, rest: int) -> list[typesetting.Line]:
        bench = self._on_bench(rest)
        tree = bench["title"] if bench else self.rests[rest]["formula"]
        return typesetting.lines(tree, (self.width - 2 * theme.MARGIN) / LARGER)

    # ---- the bench ----

    def _on_bench(self, rest: int) -> Any:
        """Return the operation in play at a rest, as the front end has drawn it; ``None`` without a bench."""
        if self.bench and rest not in self.benches:
            start = self.before(rest) if rest else -1
            self.benches[rest] = self.pictures.ask("bench", panel=self.bench, **{"from": start, "to": rest})
        return self.benches.get(rest)

    def _tables_height(self, rest: int) -> float:
        bench = self._on_bench(rest)
        return TABLES * bench["height"] + LINE if bench else 0.0

    def _tables(self, rest: int, top: float) -> Iterator[Mark]:
        """Yield the tables of the operation in play, and below them the sum that an entry is."""
        bench = self._on_bench(rest)
        if not bench:
            return
        scale = min(TABLES, (self.width - theme.MARGIN) / bench["width"]) if bench["width"] else TABLES
        down = (TABLES - scale) * bench["height"] / 2
        yield from (moved(mark_of(each), theme.MARGIN / 2, top + down, scale) for each in bench["marks"])
        if line := bench["line"]:
            name = formulas.text(["bar", ["id", line["name"]]]) if line["mark"] == "bar" else line["name"]
            shift = len(name.encode("utf-16-le")) // 2
            marks = [[0, shift, None], *([start + shift, end + shift, sign] for start, end, sign in line["marks"])]
            text = fit(name + line["text"], SUM_SIZE, self.width - 2 * theme.MARGIN)
            [parts] = _parts(name + line["text"], marks, [text])
            y = top + TABLES * bench["height"] + 0.6 * LINE
            yield Text(theme.MARGIN, y, text, SUM_SIZE, "ink", anchor="start", parts=parts)

    def words(self, cursor: int) -> Iterator[Mark]:
        """Yield the formula and the sentence below the graph; those of a run that waits are muted."""
        rest = self._last(cursor)
        fill = "muted" if rest and self.rests[rest] is self.rests[self.before(rest)] else "ink"
        if self.label:
            yield Text(self.width / 2, 13, fit(self.label, LABEL_SIZE, self.width), LABEL_SIZE, fill)
        bottom = self.head + self.body + self.formula
        y = bottom + self.tables
        yield from self._tables(rest, bottom)
        for side in reversed(self._formula(rest)):  # the last of them stands on the sentence
            high = LARGER * typesetting.height(side)
            bottom -= high
            for mark in typesetting.marks(side, 0.0, 0.0, fill):
                yield moved(mark, theme.MARGIN, bottom + high / 2, LARGER)
        lines, said = self._caption(rest), self.rests[rest]
        for line, parts in zip(lines, _parts(said["caption"], said.get("marks", ()), lines), strict=True):
            y += LINE
            yield Text(theme.MARGIN, y, line, CAPTION_SIZE, fill, anchor="start", parts=parts)

    def items(self, cursor: int, share: float) -> Iterator[Item]:
        """Yield the graph, and beside several sweeps their matrix."""
        yield from self._graph(cursor, share)
        if self.matrix:
            wide = self.scale * self.size[0]
            left = (self.width - wide - self.beside) / 2 + wide
            for item in self.matrix.items(self.before(cursor), cursor):
                yield moved_item(item, left, max(0.0, (self.body - self.least) / 2))

    def _graph(self, cursor: int, share: float) -> Iterator[Item]:
        left = (self.width - self.scale * self.size[0] - self.beside) / 2
        drawn = self._ask("flow", progress=share, **self._cursors(cursor))
        for each in drawn["items"]:
            yield moved_item(item_of(self.panel["id"], each), left, 0.0, self.scale)

    def number(self, cursor: int) -> int:
        """Return how many times the show has rested up to a cursor; the values are 0."""
        return bisect_right(self.cursors, cursor) - 1

    def story(self, cursor: int, left: float, right: float, bottom: float) -> Iterator[Mark]:
        """Yield a bar for each step with its name, as far as there is room."""
        here, count = self.number(cursor), len(self.cursors)
        ends = [left + (right - left + GAP) * k / count for k in range(count + 1)]
        for k, (start, end) in enumerate(pairwise(ends)):
            wide = end - start - GAP
            fill = "ink" if k == here else "muted" if k < here else "faint"
            yield Box(start, bottom - 24, wide, 3, 1, fill, thickness=0)
            room = wide if wide >= LEAST_NAME else min(120.0, right - start) if k == here else 0.0
            rest = self.rests[self.cursors[k]]
            if room and (name := fit(rest["name"], NAME_SIZE, room)):
                fill, [parts] = "ink" if k == here else "muted", _parts(rest["name"], rest.get("named", ()), [name])
                yield Text(start, bottom - 8, name, NAME_SIZE, fill, anchor="start", parts=parts)


HUES: dict[int | None, str] = {None: "", 1: "positive", -1: "negative", 0: "zero"}
"""Colors of derivatives by their signs."""


def _parts(text: str, marks: Sequence[TextMark], lines: Sequence[str]) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Yield for each line of a text which parts of it are mathematics."""
    for result in in_lines(text, marks, lines):
        yield tuple((start, end, HUES[sign]) for start, end, sign in result)
