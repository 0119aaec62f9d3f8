"""A show as an animated GIF: made without a browser, played by every page, mail and slide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from ..drawing.frames import HIGHEST, Film, key_frames
from ..scene.progress import Progress
from .png import image

if TYPE_CHECKING:
    from PIL.Image import Image

TICK = 10  # milliseconds: the unit of time in a GIF, and what players keep is at least two of them
GLIDE = 40  # milliseconds from one picture of something that travels to the next
GLIDES = 5  # pictures on the way, where there is time for so many
SPEED, WATCHED = 2.0, 10.0  # steps in a second, unless the film would then take more than so many seconds
HELD = 2000  # milliseconds: the last moment is looked at for so much longer
STEP = 8  # between two colors of the table
COLORS = 128  # a show has about 20, and what lies between them at the edges of letters
SAMPLES = 5  # moments that the colors are taken from
SLIDE, LARGEST = (1280, 720), 1.5  # pixels that a picture fits into, and of a px
ALL_PIXELS = 600_000_000  # of all pictures, which are in memory together
MOST = 120  # moments of a show that is shown whole; a longer one is told turn by turn, by as many key frames


class Shot(NamedTuple):
    """A picture of a film: after how many steps, how far on its way a product is, and for how many milliseconds."""

    cursor: int
    share: float
    time: int


def gif(
    scene: dict[str, Any],
    cursors: Sequence[int] | None = None,
    *,
    speed: float | None = None,
    scale: float | None = None,
    theme: str = "light",
    progress: Progress | None = None,
) -> bytes:
    """The moments ``cursors`` of a show as a GIF that begins anew when it ends.

    ``None`` stands for all moments, or for ``MOST`` key frames where there are more.
    ``speed`` is the number of steps in a second, 2 or as many as make a film of ten seconds; the first moment lasts
    twice as long, and the last is held for two seconds more. One px is ``scale`` pixels of the image, by default as
    many as a slide has room for; of a graph that is higher, a part is seen, which follows the steps. Raises
    ``ValueError`` for a speed that cannot be played or if there is no moment, and as :class:`~.frames.Film` does.

    >>> import adviz
    >>> from adviz.stage.shows.sweep_scene import backward_scene
    >>> gif(backward_scene(adviz.trace(lambda x: x * x, 3.0))[0], [0, 19])[:6]
    b'GIF89a'
    """
    from PIL import Image

    film, moments = filmed(scene, cursors)
    planned = shots(film, moments, speed)
    scale = min(scale or fitted(film), sqrt(ALL_PIXELS / len(planned) / (film.size[0] * film.size[1])))
    shared = _palette([_drawn(film, cursor, 1.0, scale, theme) for cursor in _samples(moments)])
    pictures = []
    for k, (cursor, share, _) in enumerate(planned, start=1):
        pictures.append(_drawn(film, cursor, share, scale, theme).quantize(palette=shared, dither=Image.Dither.NONE))
        if progress:
            progress(k, len(planned))
    return _written(pictures, [shot.time for shot in planned])


def filmed(scene: dict[str, Any], cursors: Sequence[int] | None) -> tuple[Film, Sequence[int]]:
    """A film with its moments, which are told turn by turn where they lie apart."""
    count = len(scene["steps"]) + 1
    if cursors is None:
        cursors = range(count) if count <= MOST else key_frames(scene, MOST)
    return Film(scene, cursors if len(cursors) < count else None, HIGHEST), cursors


def fitted(film: Film) -> float:
    """How many pixels of an image one px is, so that the film fits on a slide."""
    return min(LARGEST, *(room / side for room, side in zip(SLIDE, film.size, strict=True)))


def shots(film: Film, moments: Sequence[int], speed: float | None = None) -> list[Shot]:
    """The pictures of a film: one for each moment, and several where a product travels and there is time to see it.

    Times are whole ticks, and yet the end of every step is where ``speed`` puts it, to half a tick.
    """
    speed = max(SPEED, len(moments) / WATCHED) if speed is None else speed
    if not 0 < speed <= 1000 / (2 * TICK):
        raise ValueError(f"the speed is {speed}; it can be up to {1000 // (2 * TICK)} steps in a second")
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


def _samples(moments: Sequence[int]) -> list[int]:
    """Some of the moments, evenly."""
    return [*dict.fromkeys(moments[k * (len(moments) - 1) // (SAMPLES - 1)] for k in range(SAMPLES))]


def _drawn(film: Film, cursor: int, share: float, scale: float, theme: str) -> Image:
    from PIL import Image

    return Image.open(BytesIO(image(film.picture(cursor, share), scale, theme))).convert("RGB")


def _palette(samples: Sequence[Image]) -> Image:
    """One table of colors for all pictures, so that what does not change is the same to the pixel."""
    from PIL import Image

    counts: Counter[Any] = Counter()
    for sample in samples:
        found = sample.getcolors(sample.width * sample.height) or ()
        counts.update({color: count for count, color in found})
    chosen: list[Any] = []
    for color, _ in counts.most_common():
        if len(chosen) < COLORS and all(_apart(color, other) for other in chosen):
            chosen.append(color)
    shared = Image.new("P", (1, 1))
    shared.putpalette([part for color in chosen for part in color])
    return shared


def _apart(color: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two colors are not taken for each other: Pillow looks for the nearest one in steps of four."""
    return max(abs(one - two) for one, two in zip(color, other, strict=True)) >= STEP


def _written(pictures: Sequence[Image], times: list[int]) -> bytes:
    """The file; of every picture but the first only what changes."""
    file = BytesIO()
    further = {"append_images": pictures[1:], "duration": times, "loop": 0, "disposal": 1}
    pictures[0].save(file, "GIF", save_all=True, optimize=True, **further)
    return file.getvalue()
