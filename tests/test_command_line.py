"""The command line, as a stranger uses it."""

import subprocess
import sys

import pytest

from adviz.__main__ import main

SOURCE = """
import numpy as np

def f(x, y):
    return np.sin(x) * np.sum(y)

def bad(x):
    raise KeyError("lost")

number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_program.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_trace_prints_the_summary(folder, capsys):
    assert main(["trace", "my_program:f", "--args", "2.0", "[1, 2, 3]"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("f: 6 nodes, 4 edges\n")
    assert "used most" in out


def test_explore_writes_a_page(folder, capsys):
    assert (
        main(["explore", "my_program:f", "--args", "2.0", "[1, 2, 3]", "--grain", "scalar", "--out", "page.html"]) == 0
    )
    assert (folder / "page.html").stat().st_size > 10_000
    assert "page.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "nowhere:f"], "cannot import 'nowhere'"),
        (["trace", "my_program"], "not of the form module:function"),
        (["trace", "my_program:g"], "has no function 'g'"),
        (["trace", "my_program:number"], "not a function"),
        (["trace", "my_program:f", "--args", "2.0"], "cannot be called with 1 argument"),
        (["trace", "my_program:f", "--args", "2.0", "__import__('os')"], "not a number or a list of numbers"),
        (["trace", "my_program:f", "--args", "2.0", "'text'"], "not real"),
        (["trace", "my_program:bad", "--args", "2.0"], "KeyError"),
        (["explore", "my_program:f", "--args", "2.0", "3.0", "--out", "page.gif"], "cannot save as '.gif'"),
        (["explore", "my_program:f", "--args", "2.0", "3.0", "--out", "no/such/folder/page.html"], "there is no"),
        (["lab", "no_such_folder"], "no folder 'no_such_folder'"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(folder, capsys, arguments, words):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.startswith("adviz: ")
    assert captured.err.count("\n") == 1


def test_the_module_runs_as_a_program(folder):
    done = subprocess.run([sys.executable, "-m", "adviz", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("adviz ")
