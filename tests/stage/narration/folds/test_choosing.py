"""What is folded: pictures that can be read, of loops, calls and long straight-line code."""

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.folds import choosing

from .programs import PROGRAMS, block, calls, entry_by_entry, newton


def shorts(graph):
    return [fold.place.short for fold in choosing.folded(graph).folds.values()]


@pytest.mark.parametrize("program", PROGRAMS)
def test_few_nodes_are_left(program):
    graph = ad.trace(program, *PROGRAMS[program])
    found = choosing.folded(graph)
    assert found.folds
    assert len(found.kept) - len(graph.inputs) - 1 <= choosing.MOST_INSIDE
    assert {*graph.inputs, *graph.outputs} <= {*found.kept}
    hidden = {*range(len(graph))} - {*found.kept}
    inside = {node for fold in found.folds.values() for node in fold.inside}
    assert {node for node in hidden if graph.live[node]} <= inside


def test_iterations_of_a_loop_are_in_even_groups():
    assert shorts(ad.trace(newton, 1.5, 2.0)) == [f"iterations {k}–{k + 3}" for k in (1, 5, 9, 13, 17)]


def test_calls_are_opened_as_far_as_there_is_room():
    labels = [fold.place.label for fold in choosing.folded(ad.trace(calls, 0.7, 1.3)).folds.values()]
    assert labels == ["the loop for k in range(3) in block with its 3 iterations"] * 3


def test_a_call_that_is_not_opened_is_named():
    def f(x):
        total = block(x, 1.0)
        for k in range(6):
            total = total + block(x, 1.0 * k)
        return total

    found = choosing.folded(ad.trace(f, 0.5))
    assert found.folds[min(found.folds)].place.called == "layer"


def test_straight_line_code_is_folded_in_parts():
    lines = "".join(f"    a = a * 0.9 + np.sin(b)\n    b = b - 0.1 * a + {k}.0\n" for k in range(40))
    space = {"np": np}
    exec(f"def f(a, b):\n{lines}    return a + b\n", space)
    assert all("part" in short for short in shorts(ad.trace(space["f"], 0.3, 0.5)))


def test_a_long_sum_is_folded_in_stretches():
    found = shorts(ad.trace(entry_by_entry, 0.3, 1.1))
    assert found == sorted(found)
    assert {*found} == {f"part {k}" for k in range(1, 1 + len({*found}))}


def test_what_cannot_be_read_is_not_folded():
    assert choosing.folded(ad.trace(lambda *xs: sum(xs), *range(50))) is None
    assert choosing.folded(ad.trace(lambda x: x * 2.0, 1.0)) is None


def test_a_loop_of_any_length_is_folded_in_few_ways_one_for_each_number_of_folds():
    for count in (12, 60, 1000, 12_345):
        sizes = choosing.group_sizes(count)
        numbers = [-(-count // size) for size in sizes]
        assert len({*numbers}) == len(numbers)
        assert {*numbers} <= {*range(choosing.FEWEST_GROUPS, choosing.MOST_GROUPS + 1)}
    assert choosing.group_sizes(1000)[:2] == [125, 200]
