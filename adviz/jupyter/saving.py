"""Write what a widget shows to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from ..graph import ipython
from ..graph.errors import OptionError, check_folder
from ..stage.drawing.frames import Film
from ..stage.export import png, svg
from ..stage.scene.document import Show
from ..stage.shows.options import ShowError


def write(path: str | Path, writers: dict[str, Callable[[], str | bytes]], *others: str) -> Path:
    """Write a file with the writer of its suffix.

    Raises ``ValueError`` for a suffix without a writer; ``others`` are suffixes to name in the message as well.
    """
    with ipython.users_frames():
        path = Path(path)
        if path.suffix not in writers:
            suffixes = ", ".join([*writers, *others])
            raise OptionError(f"cannot save as {path.suffix or path.name!r}; the suffix can be {suffixes}")
        check_folder(path)
        content = writers[path.suffix]()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_moments(path: Path, scene: Show, cursors: Sequence[int], theme: str) -> Path:
    """Write an SVG or PNG of each moment and return the first path; several moments are numbered: ``show-007.svg``."""
    check_folder(path)
    film, digits = Film(scene), len(str(len(scene["steps"])))
    paths = [path.with_stem(f"{path.stem}-{cursor:0{digits}}") for cursor in cursors] if len(cursors) > 1 else [path]
    for each, cursor in zip(paths, cursors, strict=True):
        picture = film.picture(cursor)
        is_svg = path.suffix == ".svg"
        each.write_bytes(svg.markup(picture, theme).encode() if is_svg else png.image(picture, theme=theme))
    return paths[0]


def checked_moments(scene: Show, cursors: object) -> list[int] | None:
    """Return the cursors as a list; ``None`` stays ``None``.

    Raises ``ShowError`` for anything but a non-empty collection of whole numbers, and ``IndexError`` for a moment
    outside the show.
    """
    last = len(scene["steps"])
    if cursors is None:
        return None
    moments = [] if isinstance(cursors, str) or not isinstance(cursors, Iterable) else list(cursors)
    if not moments or not all(isinstance(moment, int | np.integer) for moment in moments):
        raise ShowError(f"cursors is {cursors!r}; it names moments from 0 to {last}, as in cursors=[0, {last}]")
    for moment in moments:
        if not 0 <= moment <= last:
            raise IndexError(f"there is no moment {moment}; this show has cursors 0 to {last}")
    return moments
