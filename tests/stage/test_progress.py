"""How far something is, told to whoever waits for it."""

import sys

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
