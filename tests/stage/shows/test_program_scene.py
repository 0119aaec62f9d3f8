"""The Scene of a program: its lines, and the expressions of the function that they come from."""

from copy import copy

import numpy as np
import pytest

import adviz as ad
from adviz.stage.shows.program_scene import program_scene


def wave(x, y):
    s = np.sin(x)
    return np.exp(s * y) * (s + y)


@pytest.fixture(scope="module")
def program():
    return ad.compile_jacobian(wave, 1.0, 2.0)


@pytest.fixture(scope="module")
def shown(program):
    return program_scene(program)[0]


@pytest.fixture
def function(shown):
    """The panel of the function."""
    return shown["panels"][-1]


def cut(files, span):
    """The text that a span in one line marks."""
    file, line, column, end_line, end_column, _ = span
    assert line == end_line
    return files[file]["text"].split("\n")[line - files[file]["line"]][column:end_column]


def test_the_source_of_the_scene_is_that_of_the_program(program, shown):
    (file,) = shown["source"]["files"]
    assert (file["name"], file["text"], file["line"]) == ("wave_jacobian", program.source, 1)


def test_every_line_of_the_program_stands_whole_for_one_node(program, shown):
    written = [cut(shown["source"]["files"], span) for span in shown["tables"]["spans"]]
    code = [line.text.partition("#")[0].strip() for line in program.lines if line.place]
    assert sorted(written) == sorted(code)


def test_every_operation_comes_from_an_expression_of_the_function(program, shown, function):
    pairs = {}
    for node, place in enumerate(function["span_of"]):
        if place >= 0:
            line = program.graph.origin(node).line - 1
            name = program.lines[line].text.partition("=")[0].strip()
            pairs[name] = cut(function["files"], function["spans"][place])
    assert len(pairs) == program.cost.operations
    assert (pairs["s"], pairs["ds_dx"], pairs["v5"]) == ("np.sin(x)", "np.sin(x)", "s + y")


def test_inputs_and_outputs_come_from_no_expression(program, function):
    graph = program.graph
    assert {function["span_of"][node] for node in [*graph.inputs, *graph.outputs]} == {-1}


def test_what_comes_from_a_source_that_is_not_known_comes_from_nowhere(program):
    program = copy(program)
    program.sources = []
    function = program_scene(program)[0]["panels"][-1]
    assert (function["files"], function["spans"], set(function["span_of"])) == ([], [], {-1})


def test_an_expression_is_in_the_innermost_function_around_it():
    def outer(x):
        def inner(y):
            return np.sin(y)

        return inner(x) * x

    program = ad.compile_jacobian(outer, 1.0)
    panel = program_scene(program)[0]["panels"][-1]
    assert {panel["files"][span[0]]["name"] for span in panel["spans"]} == {"outer", "inner"}
