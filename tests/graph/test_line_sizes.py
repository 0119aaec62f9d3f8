"""Sizes by line add up to those of the graph; their text is read as it was written, and stays where lines move."""

import numpy as np
from hypothesis import given, settings

import adviz as ad
from adviz.graph.line_sizes import sizes_by_line, sizes_difference, sizes_of_text, sizes_text
from tests.agreement.array_programs import array_programs


def check(graph):
    """Totals are those of the graph, and counts by line those of a plain loop."""
    lines = sizes_by_line(graph)
    assert sum(each.nodes for each in lines) == len(graph)
    assert sum(each.bytes for each in lines) == graph.bytes
    assert sum(each.operations for each in lines) == graph.operations
    assert max(each.times_used for each in lines) == max(graph.times_used)
    counts, uses = {}, {}
    for node in graph:
        place = (node.origin.file, node.origin.function, node.origin.line) if node.origin else node.block.name
        counts[place] = counts.get(place, 0) + 1
        uses[place] = max(uses.get(place, 0), node.times_used)
    found = {
        (each.file, each.function, each.line) if each.line else each.text.removesuffix("s"): each for each in lines
    }
    assert {place: each.nodes for place, each in found.items()} == counts
    assert {place: each.times_used for place, each in found.items()} == uses
    text = sizes_text(graph)
    assert sum(nodes for nodes, _, _ in sizes_of_text(text).values()) == len(graph)
    assert sizes_difference(text, text) == []


@settings(max_examples=40)
@given(array_programs())
def test_random_programs_on_arrays(program):
    with np.errstate(all="ignore"):
        check(ad.trace(program, *program.inputs(3)))


def twice(x):
    y = np.sin(x)
    z = y * y
    y = np.sin(x)
    return y + z


def test_equal_lines_are_told_apart_by_number():
    text = sizes_text(ad.trace(twice, 0.3))
    assert "twice: y = np.sin(x)\n" in text
    assert "twice: y = np.sin(x) (2)\n" in text
    assert len(sizes_of_text(text)) == 6


def test_what_differs():
    before = sizes_text(ad.trace(lambda x: np.sum(x * x), np.ones(3)))
    after = sizes_text(ad.trace(lambda x: np.sum(x * x), np.ones(2000)))
    [title, inputs, *_] = sizes_difference(before, after)
    assert title == "<lambda>: 4 nodes, 3 edges, 64 bytes → 4 nodes, 3 edges, 32,016 bytes"
    assert inputs == "~ inputs: 24 → 16,000 bytes"
