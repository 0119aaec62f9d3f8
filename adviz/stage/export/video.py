"""A show as a film in MP4, by ffmpeg if the machine has it; nothing else here needs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shutil import which
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

from ...graph.errors import AdvizError
from ..scene.progress import Progress
from .gif import GLIDE, filmed, fitted, shots
from .png import image

RATE = 1000 // GLIDE
"""Pictures in a second."""
CODING = "-c:v libx264 -preset veryfast -crf 18 -pix_fmt yuv420p -movflags +faststart".split()
EVEN = "crop=trunc(iw/2)*2:trunc(ih/2)*2"  # the coding takes even sizes only


class NoFfmpeg(AdvizError, RuntimeError):
    """There is no ffmpeg, or it failed; the message says what to do."""


def mp4(
    scene: dict[str, Any],
    cursors: Sequence[int] | None = None,
    *,
    speed: float | None = None,
    scale: float | None = None,
    theme: str = "light",
    progress: Progress | None = None,
) -> bytes:
    """The moments ``cursors`` of a show as a film, with what :func:`~.gif.gif` takes.

    Raises :class:`NoFfmpeg` if there is no ffmpeg on the path, or it fails, and as :func:`~.gif.gif` does.
    """
    program = which("ffmpeg")
    if program is None:
        raise NoFfmpeg(
            "an .mp4 is made by ffmpeg, which is not on the path: install it, or save a .gif, which needs none"
        )
    film, moments = filmed(scene, cursors)
    planned, scale = shots(film, moments, speed), scale or fitted(film)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for k, shot in enumerate(planned):
            (folder / f"{k}.png").write_bytes(image(film.picture(shot.cursor, shot.share), scale, theme))
            if progress:
                progress(k + 1, len(planned))
        lines = [f"file {k}.png\nduration {shot.time / 1000}\n" for k, shot in enumerate(planned)]
        last = f"file {len(planned) - 1}.png\n"  # a list ends at the beginning of its last picture
        (folder / "list.txt").write_text("".join([*lines, last]), encoding="ascii")
        source = ["-f", "concat", "-i", "list.txt", "-vf", f"fps={RATE},{EVEN}"]
        done = run([program, "-loglevel", "error", *source, *CODING, "show.mp4"], cwd=folder, capture_output=True)
        if done.returncode:
            raise NoFfmpeg(f"ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")
        return (folder / "show.mp4").read_bytes()
