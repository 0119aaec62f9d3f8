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


@pytest.mark.long
def test_the_module_runs_as_a_program(folder):
    done = subprocess.run([sys.executable, "-m", "adviz", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("adviz ")


def test_a_graph_is_saved_and_taken_again(folder, capsys):
    assert main(["trace", "my_program:f", "--args", "2.0", "[1, 2, 3]", "--out", "f.adviz", "--values"]) == 0
    first = capsys.readouterr()
    assert "f.adviz: " in first.err
    assert main(["trace", "f.adviz"]) == 0
    assert capsys.readouterr().out == first.out
    assert main(["trace", "f.adviz", "--csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("node,name,block,operands,")
    assert len(rows) == 7
    assert main(["explore", "f.adviz", "--out", "page.html"]) == 0


def test_budget_fails_by_line(folder, capsys):
    call = ["budget", "my_program:f", "--args", "2.0", "[1, 2, 3]"]
    assert main([*call, "--nodes", "6", "--times-used", "1"]) == 0
    assert main([*call, "--nodes", "5", "--bytes", "10"]) == 1
    out = capsys.readouterr().out
    assert "6 nodes, and 5 are allowed:" in out
    assert "my_program.py:5, in f: return np.sin(x) * np.sum(y)" in out


def test_diff_prints_what_differs(folder, capsys):
    for name, numbers in (("old", "[1, 2, 3]"), ("new", "[1, 2, 3, 4]")):
        assert main(["trace", "my_program:f", "--args", "2.0", numbers, "--out", f"{name}.adviz"]) == 0
    capsys.readouterr()
    assert main(["diff", "old.adviz", "old.adviz"]) == 0
    assert "no differences" in capsys.readouterr().out
    assert main(["diff", "old.adviz", "new.adviz"]) == 1
    assert "resized: 1 node" in capsys.readouterr().out
    assert main(["diff", "old.adviz", "new.adviz", "--csv"]) == 1
    assert capsys.readouterr().out.startswith("kind,node_before,block_before,")


def test_diff_saves_both_graphs_laid_over_each_other(folder, capsys):
    test_diff_prints_what_differs(folder, capsys)
    for name in ("page.html", "picture.svg"):
        assert main(["diff", "old.adviz", "new.adviz", "--out", name]) == 1
        told = capsys.readouterr()
        assert told.err.startswith(f"{name}: ")
        assert (folder / name).stat().st_size > 1000
    assert main(["diff", "old.adviz", "new.adviz", "--out", "picture.doc"]) == 2
    assert "cannot save as '.doc'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["budget", "my_program:f", "--args", "2.0", "3.0"], "budget needs a limit: nodes=…"),
        (["budget", "my_program:f", "--args", "2.0", "3.0", "--nodes", "-3"], "nodes is -3"),
        (["trace", "my_program:f", "--args", "2.0", "3.0", "--out", "f.csv"], "the suffix can be .adviz"),
        (["trace", "my_program:f", "--args", "2.0", "3.0", "--out", "no/f.adviz"], "there is no folder"),
        (["diff", "no.adviz", "no.adviz"], "No such file"),
        (["diff", "damaged.adviz", "damaged.adviz"], "damaged.adviz is not a graph that adviz saved"),
    ],
)
def test_files_and_limits_that_are_wrong(folder, capsys, arguments, words):
    (folder / "damaged.adviz").write_bytes(b"PK")
    assert main(arguments) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("adviz: ")
    assert words in line


def test_questions_are_asked_on_the_command_line(folder, capsys):
    call = ["trace", "my_program:f", "--args", "2.0", "[1, 2, 3]"]
    assert main([*call, "--by", "block"]) == 0
    assert capsys.readouterr().out.startswith("6 nodes of f by block\n")
    assert main([*call, "--by", "line", "--csv"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "line,nodes,bytes,operations,uses,share,source"
    assert sum(int(row.split(",")[1]) for row in rows) == 6
    assert main([*call, "--find", "block == sin", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main([*call, "--find", "bytes > and"]) == 2
    assert main([*call, "--find", "isnan", "--by", "line"]) == 2
