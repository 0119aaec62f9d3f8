"""A show as a film: an animated GIF, which every page, mail and slide plays, or an MP4 made by ffmpeg."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from math import ceil, floor, sqrt
from pathlib import Path
from shutil import which
from subprocess import run
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from ...graph.errors import AdvizError
from ..drawing.flow_lane import rests_of
from ..drawing.frames import HIGHEST, Film, key_frames
from ..drawing.marks import Mark, Picture, Rectangle, View, extent, meet
from ..scene.document import Show
from ..scene.progress import Progress
from .png import image

if TYPE_CHECKING:
    from PIL.Image import Image

Color = tuple[int, ...]
Pixels = tuple[int, int, int, int]
"""Left, top, right and bottom side."""

TICK = 10  # milliseconds: the unit of time in a GIF; players need at least two per picture
GLIDE = 40  # milliseconds between two pictures of a product that travels
GLIDES = 5  # pictures on the way, if there is time
SPEED, WATCHED = 2.0, 10.0  # steps per second, unless the film would take more than so many seconds
HELD = 2000  # milliseconds that the last moment lasts longer
STEP = 8  # the least difference of two colors of the table
COLORS = 128  # a show has about 20, and blends of them at the edges of letters
EACH = 20_000  # pixels that are drawn while another part of an image is begun
SAMPLES = 5  # moments from which the colors are taken
SLIDE, LARGEST = (1280, 720), 1.5  # pixels that a picture fits into, and pixels of a px
ALL_PIXELS = 600_000_000  # of all pictures, which are in memory together
MOST = 120  # moments of a show that is shown whole; a longer one is shown by as many key frames
RATE = 1000 // GLIDE  # pictures per second of an MP4
FLOWING = 12  # pictures per second while numbers flow
READ, READ_LAST = 1500, 4000  # milliseconds that the end of a step, and of the show, is seen where numbers flow
MOST_FLOWING = 240  # pictures of numbers that flow in one film
CODING = "-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p -movflags +faststart".split()
EVEN = "crop=trunc(iw/2)*2:trunc(ih/2)*2"  # the encoder takes even sizes only


class NoFfmpeg(AdvizError, RuntimeError):
    """There is no ffmpeg, or it failed; the message says what to do."""


class Shot(NamedTuple):
    """A picture of a film: the cursor, the share of its way that a product has gone, and the time in milliseconds."""

    cursor: int
    share: float
    time: int


def gif(
    scene: Show,
    cursors: Sequence[int] | None = None,
    *,
    speed: float | None = None,
    scale: float | None = None,
    theme: str = "light",
    progress: Progress | None = None,
) -> bytes:
    """Return the moments ``cursors`` of a show as a GIF that repeats.

    ``None`` stands for all moments, or for ``MOST`` key frames if there are more. ``speed`` is the number of steps per
    second, by default 2, or as many as make a film of ten seconds; the first moment lasts twice as long, and the last
    two seconds longer. Where numbers flow, the film goes by default from one rest of the show to the next, in the time
    that they take there. One px is ``scale`` pixels of the image, by default as many as a slide has room for; of a
    higher graph only a part is seen, which follows the steps. Raises ``ValueError`` for a speed that cannot be played
    or if there is no moment, and what :class:`~.frames.Film` raises.

    >>> import adviz
    >>> from adviz.stage.shows.sweep_scene import backward_scene
    >>> gif(backward_scene(adviz.trace(lambda x: x * x, 3.0))[0], [0, 14])[:6]
    b'GIF89a'
    """
    from PIL.Image import Dither

    film, moments = filmed(scene, cursors)
    planned = shots(film, moments, speed)
    scale = min(scale or fitted(film), sqrt(ALL_PIXELS / len(planned) / (film.size[0] * film.size[1])))
    samples = dict.fromkeys(moments[k * (len(moments) - 1) // (SAMPLES - 1)] for k in range(SAMPLES))
    shared = _palette([_opened(image(film.picture(cursor), scale, theme)) for cursor in samples])

    def painted(picture: bytes) -> Image:
        return _opened(picture).quantize(palette=shared, dither=Dither.NONE)

    pictures = [*_drawn(film, planned, Canvas(film, scale, theme, painted), progress)]
    file = BytesIO()  # with only what changes of every picture but the first
    further = {"append_images": pictures[1:], "duration": [shot.time for shot in planned], "loop": 0, "disposal": 1}
    pictures[0].save(file, "GIF", save_all=True, optimize=True, **further)
    return file.getvalue()


def mp4(
    scene: Show,
    cursors: Sequence[int] | None = None,
    *,
    speed: float | None = None,
    scale: float | None = None,
    theme: str = "light",
    progress: Progress | None = None,
) -> bytes:
    """Return the moments ``cursors`` of a show as an MP4; the options are those of :func:`gif`.

    Raises :class:`NoFfmpeg` if there is no ffmpeg on the path, or if it fails, and what :func:`gif` raises.
    """
    program = which("ffmpeg")
    if program is None:
        raise NoFfmpeg(
            "an .mp4 is made by ffmpeg, which is not on the path: install it, or save a .gif, which needs none"
        )
    film, moments = filmed(scene, cursors)
    planned = shots(film, moments, speed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        canvas = Canvas(film, scale or fitted(film), theme, _opened)
        for k, picture in enumerate(_drawn(film, planned, canvas, progress)):
            picture.save(folder / f"{k}.png", compress_level=1)
        lines = [f"file {k}.png\nduration {shot.time / 1000}\n" for k, shot in enumerate(planned)]
        last = f"file {len(planned) - 1}.png\n"  # a list ends at the beginning of its last picture
        (folder / "list.txt").write_text("".join([*lines, last]), encoding="ascii")
        source = ["-f", "concat", "-i", "list.txt", "-vf", f"fps={RATE},{EVEN}"]
        done = run([program, "-loglevel", "error", *source, *CODING, "show.mp4"], cwd=folder, capture_output=True)
        if done.returncode:
            raise NoFfmpeg(f"ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")
        return (folder / "show.mp4").read_bytes()


def filmed(scene: Show, cursors: Sequence[int] | None) -> tuple[Film, Sequence[int]]:
    """Return a film and its moments; those that lie apart have the sentences of whole coarse steps."""
    count = len(scene["steps"]) + 1
    if cursors is None:
        cursors = key_frames(scene, MOST) if count > MOST or rests_of(scene) else range(count)
    return Film(scene, cursors if len(cursors) < count else None, HIGHEST), cursors


def fitted(film: Film) -> float:
    """Return the number of pixels per px with which the film fits on a slide."""
    return min(LARGEST, *(room / side for room, side in zip(SLIDE, film.size, strict=True)))


def shots(film: Film, moments: Sequence[int], speed: float | None = None) -> list[Shot]:
    """Return the pictures of a film: one per moment, and several where a product travels and there is time to see it.

    Times are whole ticks, yet every step ends where ``speed`` puts it, to half a tick. Where numbers flow, ``speed`` is
    that of the whole, and steps take as long as what happens in them.
    """
    if speed is None and film.flow and moments:
        return _flowing(film, moments)
    speed = max(SPEED, len(moments) / WATCHED) if speed is None else speed
    if not 0 < speed <= 1000 / (2 * TICK):
        raise ValueError(f"speed is {speed}; it can be up to {1000 // (2 * TICK)} steps per second")
    if not moments:
        raise ValueError("there is no moment to show")
    planned: list[Shot] = []
    end = 0.0
    for k, cursor in enumerate(moments):
        start = round(end / TICK)
        end += 1000 / speed * (1 + (k == 0)) + HELD * (k == len(moments) - 1)
        time = TICK * (round(end / TICK) - start)
        glides = min(GLIDES, time // (2 * GLIDE)) if film.travels(cursor) else 0
        planned += [Shot(cursor, (glide + 1) / (glides + 1), GLIDE) for glide in range(glides)]
        planned.append(Shot(cursor, 1.0, time - glides * GLIDE))
    return planned


def _flowing(film: Film, moments: Sequence[int]) -> list[Shot]:
    """Return the pictures of numbers that flow, each step with its own time."""
    whole = sum(film.duration(cursor) for cursor in moments) * FLOWING / 1000
    fewer = min(1.0, MOST_FLOWING / whole) if whole else 1.0
    planned: list[Shot] = []
    for k, cursor in enumerate(moments):
        count = round(fewer * film.duration(cursor) * FLOWING / 1000)
        ticks = [round((glide + 1) * 1000 / FLOWING / TICK) for glide in range(-1, count)]
        for glide, (start, end) in enumerate(pairwise(ticks)):
            planned.append(Shot(cursor, (glide + 0.5) / count, TICK * (end - start)))
        planned.append(Shot(cursor, 1.0, READ_LAST if k == len(moments) - 1 else READ))
    return planned


class Canvas:
    """The image of a moment of a film; of the next moment only what differs is drawn, which is usually little."""

    def __init__(self, film: Film, scale: float, theme: str, opened: Callable[[bytes], Image]):
        self.scale, self.theme, self.opened = scale, theme, opened
        self.size = [ceil(round(scale * side, 6)) for side in film.size]
        self.layers: Layers = {}
        self.image: Image | None = None

    def draw(self, picture: Picture) -> Image:
        """Return the image of a moment."""
        before, self.layers = self.layers, _layers(picture)
        if self.image is None:
            self.image = self._drawn(picture, (0, 0, self.size[0], self.size[1]))
            return self.image
        boxes = _clusters([self._pixels(extent(mark)) for mark in _changed(before, self.layers)])
        image = self.image.copy() if boxes else self.image
        for box in boxes:
            image.paste(self._drawn(picture, box), box[:2])
        self.image = image
        return image

    def _pixels(self, sides: Rectangle) -> Pixels:
        """Return the pixels of a rectangle, and one more on each side."""
        left, top = (max(0, floor(self.scale * side) - 1) for side in sides[:2])
        right, bottom = (min(self.size[k], ceil(self.scale * sides[k + 2]) + 1) for k in (0, 1))
        return left, top, right, bottom

    def _drawn(self, picture: Picture, box: Pixels) -> Image:
        """Return the image of a part of a picture."""
        left, top, right, bottom = box
        x, y, w, h = (number / self.scale for number in (left, top, right - left, bottom - top))
        part = _within(picture, (x, y, x + w, y + h))
        return self.opened(image(part, theme=self.theme, view=View(x, y, w, h, (right - left, bottom - top))))


def _clusters(boxes: Sequence[Pixels]) -> list[Pixels]:
    """Return few boxes that cover all of some, and little else.

    >>> _clusters([(0, 0, 10, 10), (5, 5, 20, 20), (900, 900, 910, 910)])
    [(0, 0, 20, 20), (900, 900, 910, 910)]
    """
    clusters: list[Pixels] = []
    for box in boxes:
        left, top, right, bottom = box
        if right <= left or bottom <= top:
            continue
        while (near := next((other for other in clusters if _gain(box, other) > 0), None)) is not None:
            clusters.remove(near)
            box = _union(box, near)
        clusters.append(box)
    return clusters


def _union(one: Pixels, other: Pixels) -> Pixels:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _gain(one: Pixels, other: Pixels) -> int:
    """Return how many pixels' work is saved by drawing two boxes as one."""
    area, *parts = ((right - left) * (bottom - top) for left, top, right, bottom in (_union(one, other), one, other))
    return EACH + sum(parts) - area


Layers = dict[tuple[str, str], list[Mark]]


def _layers(picture: Picture) -> Layers:
    """Return the marks of a picture by what they belong to."""
    layers: Layers = {("", "frame"): picture.frame}
    for item in picture.items:
        layers.setdefault((item.key, item.kind), []).extend(item.marks)
    return layers


def _changed(before: Layers, after: Layers) -> list[Mark]:
    """Return the marks that are in only one of two pictures."""
    changed: list[Mark] = []
    for key in {**before, **after}:
        old, new = before.get(key, []), after.get(key, [])
        if old != new:
            changed += [mark for mark in old if mark not in new] + [mark for mark in new if mark not in old] or new
    return changed


def _within(picture: Picture, seen: Rectangle) -> Picture:
    """Return the part of a picture that reaches into a rectangle."""

    def there(marks: Sequence[Mark]) -> list[Mark]:
        return [mark for mark in marks if meet(extent(mark), seen)]

    items = [replace(item, marks=marks) for item in picture.items if (marks := there(item.marks))]
    return replace(picture, frame=there(picture.frame), items=items)


def _drawn(film: Film, planned: Sequence[Shot], canvas: Canvas, progress: Progress | None) -> Iterator[Image]:
    for k, (cursor, share, _) in enumerate(planned, start=1):
        yield canvas.draw(film.picture(cursor, share))
        if progress:
            progress(k, len(planned))


def _opened(picture: bytes) -> Image:
    from PIL import Image

    return Image.open(BytesIO(picture)).convert("RGB")


def _palette(samples: Sequence[Image]) -> Image:
    """Return one table of colors for all pictures, so that unchanged parts are equal to the pixel.

    Pillow looks for the nearest color in steps of four, so the colors lie further apart.
    """
    from PIL import Image

    counts: Counter[Color] = Counter()
    for sample in samples:
        found = sample.getcolors(sample.width * sample.height) or ()
        counts.update({color: count for count, color in found if isinstance(color, tuple)})
    chosen: list[Color] = []
    for color, _ in counts.most_common():
        distances = (max(abs(one - two) for one, two in zip(color, other, strict=True)) for other in chosen)
        if len(chosen) < COLORS and all(distance >= STEP for distance in distances):
            chosen.append(color)
    shared = Image.new("P", (1, 1))
    shared.putpalette([part for color in chosen for part in color])
    return shared
