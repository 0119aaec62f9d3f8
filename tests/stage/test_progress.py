"""How far something is, told to whoever waits for it."""

import sys
import time

import pytest

from adviz.stage import progress


def test_what_is_quick_is_not_told(capsys):
    with progress.progress("Playing") as tell:
        tell(1, 10)
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_how_much_of_how_much_is_done_and_goes_away(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress("Playing") as tell:
        tell(5, 10)
        tell(10, 10)
    told = "".join(capsys.readouterr())
    assert "Playing" in told
    assert "5/10" in told
    assert told.split("\r")[-2].isspace()


def test_notebooks_which_keep_red_what_stderr_was_told_get_the_bar_as_output(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    with progress.progress("Playing") as tell:
        tell(5, 10)
    told = capsys.readouterr()
    assert "5/10" in told.out
    assert told.err == ""


def test_a_bar_goes_away_when_the_work_is_stopped(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    def work():
        with progress.progress("Playing") as tell:
            tell(5, 10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert "".join(capsys.readouterr()).split("\r")[-2].isspace()


def test_who_waits_for_a_function_that_tells_nothing_sees_a_bar_too(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    told = ""
    end = time.monotonic() + 20
    with progress.progress("Playing"):
        while "Playing" not in told and time.monotonic() < end:
            time.sleep(0.01)
            told += "".join(capsys.readouterr())
    assert "Playing" in told
    assert "".join(capsys.readouterr()).split("\r")[-2].isspace()
