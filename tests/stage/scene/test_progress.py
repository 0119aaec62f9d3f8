"""How far something is, told to whoever waits for it."""

import io
import os
import subprocess
import sys
import time

import pytest

from adviz.stage.scene import progress


class Terminal(io.StringIO):
    """What somebody watches."""

    def isatty(self):
        return True


class OutStream(io.StringIO):
    """The output of a notebook, which is no terminal."""

    __module__ = "ipykernel.iostream"


def terminal(monkeypatch):
    """A terminal in place of stderr, and no notebook."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    return stream


def test_what_is_quick_is_not_told(monkeypatch):
    watched = terminal(monkeypatch)
    with progress.progress("Playing") as tell:
        tell(1, 10)
    assert watched.getvalue() == ""


def test_a_bar_shows_how_much_of_how_much_is_done_and_goes_away(monkeypatch):
    watched = terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress("Playing") as tell:
        tell(5, 10)
        tell(10, 10)
    told = watched.getvalue()
    assert "Playing" in told
    assert "5/10" in told
    assert told.split("\r")[-2].isspace()


def test_notebooks_which_keep_red_what_stderr_was_told_get_the_bar_as_output(monkeypatch):
    watched = terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    monkeypatch.setattr(sys, "stdout", OutStream())
    with progress.progress("Playing") as tell:
        tell(5, 10)
    assert "5/10" in sys.stdout.getvalue()
    assert watched.getvalue() == ""


@pytest.mark.parametrize("in_notebook", [False, True])
def test_nothing_is_written_into_files_and_pipes(monkeypatch, in_notebook):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if in_notebook:  # where the output of a cell goes to a file
        monkeypatch.setitem(sys.modules, "ipykernel", None)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.StringIO())
    with progress.progress("Playing") as tell:
        tell(5, 10)
    assert (sys.stdout.getvalue(), sys.stderr.getvalue()) == ("", "")


def test_who_has_no_streams_is_not_told(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with progress.progress("Playing") as tell:
        tell(5, 10)


PROGRAM = """
from adviz.stage.scene import progress
progress.PATIENCE = 0.0
with progress.progress("Playing") as tell:
    tell(5, 10)
"""


def test_a_process_whose_output_is_a_pipe_writes_no_bar():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, env=dict(os.environ))
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_bar_goes_away_when_the_work_is_stopped(monkeypatch):
    watched = terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    def work():
        with progress.progress("Playing") as tell:
            tell(5, 10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert watched.getvalue().split("\r")[-2].isspace()


def test_who_waits_for_a_function_that_tells_nothing_sees_a_bar_too(monkeypatch):
    watched = terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    end = time.monotonic() + 300
    with progress.progress("Playing"):
        while "Playing" not in watched.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert "Playing" in watched.getvalue()
    assert watched.getvalue().split("\r")[-2].isspace()
