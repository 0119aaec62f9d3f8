"""Films of shows: exact times, one table of colors, small files; MP4 by whatever is called ffmpeg."""

import io
import os
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from adviz.stage.drawing.frames import Film
from adviz.stage.export import films
from adviz.stage.export.films import GLIDE, GLIDES, HELD, MOST, SLIDE, filmed, fitted, gif, shots
from adviz.stage.export.png import image
from adviz.stage.scene import theme

from ..drawing.test_frames import golden, moment, tall_show


def played(data):
    """Return the pictures of a GIF as arrays, and their times in milliseconds."""
    file = Image.open(io.BytesIO(data))
    pictures, times = [], []
    for k in range(file.n_frames):
        file.seek(k)
        pictures.append(np.asarray(file.convert("RGB"), np.int16))
        times.append(file.info["duration"])
    return pictures, times


def drawn(film, cursor, scale, look="light"):
    """Return a moment as it should be seen."""
    return np.asarray(Image.open(io.BytesIO(image(film.picture(cursor), scale, look))).convert("RGB"), np.int16)


# Times


@given(st.floats(0.2, 50), st.integers(1, 18))
def test_every_step_ends_where_the_speed_puts_it(speed, count):
    film = Film(golden("tape_vs_graph"))
    planned = shots(film, range(count), speed)
    assert all(shot.time >= 20 and shot.time % 10 == 0 for shot in planned)
    for cursor in range(count):
        end = sum(shot.time for shot in planned if shot.cursor <= cursor)
        held = HELD * (cursor == count - 1)
        assert end == pytest.approx(1000 * (cursor + 2) / speed + held, abs=5.01)


@pytest.mark.parametrize(("count", "seconds"), [(4, 4.5), (47, 12.2)])
def test_a_film_is_watched_in_some_ten_seconds_and_its_end_is_held(count, seconds):
    planned = shots(Film(golden("backward")), range(count))
    assert sum(shot.time for shot in planned) / 1000 == pytest.approx(seconds, abs=0.02)
    assert planned[-1].time >= HELD


def test_a_product_travels_where_there_is_time_to_see_it():
    film = Film(golden("backward"))
    cursor = moment(film.scene, "product")
    assert [shot.share for shot in shots(film, [0, cursor, 43], 1.0) if shot.cursor == cursor] == pytest.approx(
        [(k + 1) / (GLIDES + 1) for k in range(GLIDES + 1)]
    )
    assert len(shots(film, [0, cursor, 43], 4.0)) == 3 + 250 // (2 * GLIDE)  # the rest of the time it stands still
    assert len(shots(film, [0, cursor, 43], 20.0)) == 3


@pytest.mark.parametrize("speed", [0, -1, float("nan"), 51])
def test_a_speed_that_cannot_be_played_is_refused(speed):
    with pytest.raises(ValueError, match="speed is"):
        gif(golden("backward"), speed=speed)


def test_a_film_of_no_moment_is_refused():
    with pytest.raises(ValueError, match="no moment"):
        gif(golden("backward"), [])


def test_a_show_of_very_many_steps_is_told_by_key_frames(monkeypatch):
    assert list(filmed(golden("backward"), None)[1]) == list(range(41))
    monkeypatch.setattr("adviz.stage.export.films.MOST", 9)
    film, moments = filmed(golden("backward"), None)
    assert len(moments) == 9
    assert moments[-1] == 40
    assert film.picture(moments[2]).summary == Film(golden("backward")).picture(moments[2]).summary
    assert film.picture(moments[2]) != Film(golden("backward")).picture(moments[2])  # it tells the whole turn


# Files


@pytest.mark.slow
@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_film_shows_the_moments_in_their_colors(look):
    document = golden("forward")
    pictures, times = played(gif(document, [0, 7, 43], scale=1.0, theme=look, speed=5.0))
    assert times == [400, 200, 200 + HELD]
    film = Film(document, (0, 7, 43))
    for picture, cursor in zip(pictures, (0, 7, 43), strict=True):
        apart = np.abs(picture - drawn(film, cursor, 1.0, look)).max(axis=-1)
        assert apart.max() <= 80  # at the edges of a few letters
        assert np.mean(apart > 48) < 1e-4
    flat = {tuple(color) for color in pictures[-1].reshape(-1, 3).tolist()}
    assert {tuple(bytes.fromhex(theme.colors(look)[name][1:])) for name in ("paper", "accent", "neutral")} <= flat


@pytest.mark.slow
def test_what_does_not_change_is_the_same_to_the_pixel():
    pictures, _ = played(gif(golden("backward"), [10, 11, 12], scale=1.0, speed=5.0))
    assert all((picture[:34] == pictures[0][:34]).all() for picture in pictures)  # the title
    assert not (pictures[0] == pictures[1]).all()


@pytest.mark.slow
def test_a_film_of_fifty_steps_is_small_and_begins_anew_when_it_ends():
    document = golden("backward")
    told = []
    data = gif(document, scale=1.0, speed=1.0, progress=lambda done, total: told.append((done, total)))
    assert len(data) < 350_000
    assert Image.open(io.BytesIO(data)).info["loop"] == 0
    assert sum(played(data)[1]) == 1000 * (len(document["steps"]) + 2) + HELD
    assert told[0] == (1, len(told))
    assert told[-1] == (len(told), len(told))


@pytest.mark.slow
def test_paper_is_white_to_the_last_bit_in_every_picture():
    pictures, _ = played(gif(golden("backward"), range(0, 41, 4), speed=5.0))
    assert all((picture[3, 3] == 255).all() for picture in pictures)


def test_a_film_of_large_pictures_is_scaled_down(monkeypatch):
    monkeypatch.setattr("adviz.stage.export.films.ALL_PIXELS", 40_000)
    pictures, _ = played(gif(golden("backward"), [0, 40]))
    assert all(15_000 < picture[:, :, 0].size <= 21_000 for picture in pictures)


def test_a_film_of_a_high_graph_fits_on_a_slide():
    film, moments = filmed(tall_show(), None)
    assert len(moments) <= MOST < len(film.steps)  # told turn by turn
    pictures, _ = played(gif(tall_show(), [0, 147]))
    assert pictures[0].shape[0] <= SLIDE[1]
    assert fitted(film) >= 0.9  # and is legible


# MP4


def program(folder, text):
    """Put a program called ffmpeg into a folder; return a path that begins with the folder."""
    path = folder / "ffmpeg"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"


def test_a_film_in_mp4_is_made_by_ffmpeg_of_the_same_pictures_and_times(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", program(tmp_path, 'for last; do :; done; cat list.txt > "$last"; ls *.png >> "$last"'))
    listed = films.mp4(golden("forward"), [0, 7, 43], scale=0.5, speed=5.0).decode().split("\n")
    assert listed[:7] == [
        *("file 0.png", "duration 0.4", "file 1.png", "duration 0.2", "file 2.png", "duration 2.2", "file 2.png")
    ]
    assert listed[7:] == ["0.png", "1.png", "2.png", ""]


def test_without_ffmpeg_it_is_said_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(films.NoFfmpeg, match=r"install it, or save a \.gif, which needs none"):
        films.mp4(golden("forward"))


def test_what_ffmpeg_says_when_it_fails_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", program(tmp_path, "echo Unknown encoder >&2; exit 1"))
    with pytest.raises(films.NoFfmpeg, match="ffmpeg failed: Unknown encoder"):
        films.mp4(golden("forward"), [0], scale=0.5)


@pytest.mark.parametrize("name", ["backward", "tape_vs_graph", "race", "arrays"])
def test_a_film_drawn_by_its_differences_is_the_film(name):
    film = Film(golden(name))
    canvas = films.Canvas(film, 1.3, "light", films._opened)
    for cursor, share, _ in shots(film, [0, 1, 2, 3, len(film.steps)])[::3]:
        picture = film.picture(cursor, share)
        whole = films.Canvas(film, 1.3, "light", films._opened).draw(picture)
        difference = np.abs(np.asarray(canvas.draw(picture), int) - np.asarray(whole, int))
        # The edges of lines are a little lighter or darker, depending on where the part that is drawn begins.
        assert difference.max() <= 64
        assert np.mean(difference > 0) < 1e-3
