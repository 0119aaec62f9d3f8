"""Moments of a show as pictures: for every run the graph with its state, the formula, the sentence and the meters.

All pictures of a show have the same size and the same layout; only what changes on stage changes in the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, log

from ..scene import theme
from ..scene.document import Run, Show
from ..scene.text_widths import fit, printable, width
from .flow_lane import FlowLane, flow_of, rests_of
from .lanes import METER_SIZE, Lane, OpLane
from .marks import Box, Item, Mark, Picture, Text, moved, moved_item, titled
from .pictures import Pictures

ASPECT = 1.5  # the desired ratio of width to height, where runs can be arranged
HIGHEST = 800.0  # films and handouts show no more than this many px of a graph at a time, and follow the steps
LEAST_SEEN = 240.0
MOST_KEY_FRAMES = 10
MOST_OF_A_STRIP = 6
STRIP_AREA = 3_000_000  # the area of a strip in square px, about, so that notebooks stay small
BAR = 3.0  # height of the bar that shows how far the show is
FOOT, STORY = 26.0, 36.0  # below the words: how far the show is, or what its steps are called


def key_frames(scene: Show, most: int = MOST_KEY_FRAMES) -> list[int]:
    """Return the cursors of at most ``most`` moments: the first, the last, and ends of coarse steps evenly between.

    Where numbers flow, they are moments where the show rests.

    >>> key_frames({"steps": [{"coarse": k % 2 == 0} for k in range(10)]}, 4)
    [0, 4, 6, 10]
    """
    steps = scene["steps"]
    ends = [k for k, step in enumerate(steps) if k and step.get("coarse")]  # one ends where the next begins
    moments = [*rests_of(scene)] or [0, *ends, *([len(steps)] if steps else [])]
    last = len(moments) - 1
    count = min(most, len(moments))
    return [moments[round(k * last / max(1, count - 1))] for k in range(count)]


def key_film(scene: Show) -> Film:
    """Return the film of the key frames of a show; raise what :class:`Film` raises."""
    return Film(scene, key_frames(scene))


def strip(film: Film) -> Picture:
    """Return key frames of a film in rows, as one picture: for paper, and where nothing can be chosen.

    Large pictures are fewer.
    """
    room = STRIP_AREA / (film.size[0] * film.size[1])
    cursors = key_frames(film.scene, max(2, min(MOST_OF_A_STRIP, int(room))))
    pictures = [film.picture(cursor) for cursor in cursors]
    (w, h), places = _tiled(*film.size, len(pictures))
    frame: list[Mark] = []
    items = []
    for (x, y), drawn in zip(places, pictures, strict=True):
        frame += [moved(mark, x, y) for mark in drawn.frame]
        items += [moved_item(item, x, y) for item in drawn.items]
    text = " ".join(drawn.summary for drawn in pictures)
    return Picture(w, h, film.title, text, frame, items)


class Film:
    """The pictures of a show."""

    def __init__(self, scene: Show, moments: Sequence[int] | None = None, highest: float = inf, widest: float = inf):
        """Prepare all moments of the Scene of a show, or some ``moments`` that lie apart.

        Of the latter, pictures are as high as these need, and the last moment of a coarse step has the sentence of the
        whole. Where pictures would be higher than ``highest`` px, only a part of the graph is seen, which follows the
        steps; numbers that flow are seen as a whole, no wider than ``widest`` px. Raises ``ValueError`` if the Scene
        has no runs.
        """
        if not scene.get("runs"):
            raise ValueError("the scene has no runs: it is a graph to explore, not a show")
        self.scene, self.steps, self.title = scene, scene["steps"], titled(scene)
        pictures = Pictures(scene)
        self.lanes = [_lane(scene, run, pictures, moments, widest) for run in scene["runs"]]
        self.flow = next((lane for lane in self.lanes if isinstance(lane, FlowLane)), None)
        foot = STORY if self.flow else FOOT
        for lane in self.lanes:
            lane.lines = max(other.lines for other in self.lanes)
            lane.formula = max(other.formula for other in self.lanes)
        top = theme.TITLE_HEIGHT if self.title else theme.MARGIN
        for lane in self.lanes:
            lane.cut(max(LEAST_SEEN, highest - top - foot - (lane.height - lane.body)))
        self.is_cut = any(lane.is_cut for lane in self.lanes)
        w, h = (max(getattr(lane, side) for lane in self.lanes) for side in ("width", "height"))
        (w, h), places = _tiled(w, h, len(self.lanes), inf if self.is_cut else ASPECT)
        self.size, self.places = (ceil(w), ceil(top + h + foot)), [(x, top + y) for x, y in places]

    def travels(self, cursor: int) -> bool:
        """Return whether anything is seen on its way in the last of ``cursor`` steps."""
        return any(lane.sends(cursor) for lane in self.lanes)

    def duration(self, cursor: int) -> float:
        """Return how many milliseconds numbers flow until a cursor, from where the show rested before."""
        return max(lane.duration(cursor) if isinstance(lane, FlowLane) else 0.0 for lane in self.lanes)

    def picture(self, cursor: int, share: float = 1.0) -> Picture:
        """Return the picture after ``cursor`` steps; the last product has gone ``share`` of the way to its place.

        Raises ``IndexError`` for a cursor outside the show.

        >>> import adviz
        >>> from adviz.stage.shows.sweep_scene import evaluation_scene
        >>> Film(evaluation_scene(adviz.trace(lambda x: x * x, 3.0))[0]).picture(1).summary.split(":")[0]
        'Step 1 of 3'
        """
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"the show has no moment {cursor}: there are moments 0 to {len(self.steps)}")
        step = f"Step {cursor:,} of {len(self.steps):,}"
        start = self.scene.get("invitation", "Nothing has happened yet.")
        text = self.steps[cursor - 1]["caption"] if cursor else start
        if self.flow:
            rests, number = [*rests_of(self.scene).values()], self.flow.number(cursor)
            step, text = f"Step {number:,} of {len(rests) - 1:,}", rests[number]["caption"]
        frame, items = [*self._frame(step, cursor)], []
        for lane, (x, y) in zip(self.lanes, self.places, strict=True):
            frame += [moved(mark, x, y) for mark in lane.words(cursor)]
            items += [moved_item(item, x, y + lane.head) for item in lane.items(cursor, share)]
        if self.is_cut:  # the graph beyond is covered, and the words stand on the cover
            frame, items = [], [*items, Item("words", "words", "", frame)]
        return Picture(*self.size, self.title, f"{step}: {printable(text)}", frame, items)

    def _frame(self, step: str, cursor: int) -> Iterator[Mark]:
        """Yield the title above, and the progress of the show below."""
        whole, height = self.size
        room = whole - 2 * theme.MARGIN
        if self.title:
            text = fit(self.title, theme.TITLE_SIZE, room)
            yield Text(theme.MARGIN, theme.TITLE_HEIGHT - 8, text, theme.TITLE_SIZE, "ink", anchor="start")
        if self.flow:
            yield from self.flow.story(cursor, theme.MARGIN, whole - theme.MARGIN, height)
            return
        yield Text(theme.MARGIN, height - 10, step, METER_SIZE, "muted", anchor="start")
        left = theme.MARGIN + width(f"Step {len(self.steps):,} of {len(self.steps):,}", METER_SIZE) + 12
        length = whole - theme.MARGIN - left
        yield Box(left, height - 15, length, BAR, BAR / 2, "neutral")
        if cursor:
            yield Box(left, height - 15, length * cursor / len(self.steps), BAR, BAR / 2, "accent")


def _lane(scene: Show, run: Run, pictures: Pictures, moments: Sequence[int] | None, widest: float) -> Lane | FlowLane:
    panel = flow_of(scene, run["id"])
    if run["kind"] == "ops":
        return OpLane(scene, run, pictures, moments)
    return FlowLane(scene, run, panel, pictures, moments, widest) if panel else Lane(scene, run, pictures, moments)


def _tiled(
    w: float, h: float, count: int, aspect: float = ASPECT
) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """Return the size of ``count`` tiles, and the place of each: in rows with few gaps and a ratio near ``aspect``."""

    def misfit(columns: int) -> float:
        rows = ceil(count / columns)
        return abs(log(columns * w / (rows * h) / aspect)) + (rows * columns - count) / count

    columns = count if aspect == inf else min(range(1, count + 1), key=misfit)
    return (columns * w, ceil(count / columns) * h), [(k % columns * w, k // columns * h) for k in range(count)]
