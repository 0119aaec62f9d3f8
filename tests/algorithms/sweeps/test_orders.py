"""The whole course of each sweep on one small program, written down from the description of what it models."""

import pytest

import adviz as ad
from adviz.algorithms.examples.small_functions import fan_out
from adviz.algorithms.sweeps.comparison import ENGINES
from adviz.algorithms.sweeps.forward import forward_flow

from .running import log, visits


def program(x, y):
    a = x * y
    return a * a + y


GRAPH = ad.trace(program, 3.0, 4.0)
NODES = [(), (), (0, 1), (2, 2), (3, 1), (4,)]

COURSES = {
    "recursion": """
        seed 5
        count 3, count 2, count 0, count 1, count 2, count 1
        visit 5, product 5→4, accumulate 4→5
        visit 4, product 4→3, accumulate 3→4
        visit 3, product 3→2, accumulate 2→3, product 3→2, accumulate 2→3
        visit 2, product 2→0, accumulate 0→2
        visit 0
        product 2→1, accumulate 1→2
        product 4→1, accumulate 1→4
        visit 1
    """,
    "tape": """
        seed 5
        visit 5, product 5→4, accumulate 4→5
        visit 4, product 4→3, accumulate 3→4, product 4→1, accumulate 1→4
        visit 3, product 3→2, accumulate 2→3, product 3→2, accumulate 2→3
        visit 2, product 2→0, accumulate 0→2, product 2→1, accumulate 1→2
        visit 1
        visit 0
    """,
    "toposort": """
        seed 5
        count 1, count 3, count 2, count 1, count 0, count 2
        visit 5, product 5→4, accumulate 4→5, free 5
        visit 4, product 4→3, product 4→1, accumulate 3→4, accumulate 1→4, free 4, count 3, count 1
        visit 3, product 3→2, product 3→2, accumulate 2→3, accumulate 2→3, free 3, count 2, count 2
        visit 2, product 2→0, product 2→1, accumulate 0→2, accumulate 1→2, free 2, count 0, count 1
        visit 1
        visit 0
    """,
    "rank_heap": """
        seed 5
        visit 5, product 5→4, accumulate 4→5
        visit 4, product 4→3, product 4→1, accumulate 3→4, accumulate 1→4, free 4
        visit 3, product 3→2, product 3→2, accumulate 2→3, accumulate 2→3, free 3
        visit 2, product 2→0, product 2→1, accumulate 0→2, accumulate 1→2, free 2
    """,
    "use_counts": """
        seed 5
        count 3, count 1, count 2, count 2, count 0, count 1
        visit 5, product 5→4, accumulate 4→5, free 5
        visit 4, product 4→3, product 4→1, accumulate 3→4, accumulate 1→4, free 4
        visit 3, product 3→2, product 3→2, accumulate 2→3, accumulate 2→3, free 3
        visit 2, product 2→0, product 2→1, accumulate 0→2, accumulate 1→2, free 2
        visit 1, accumulate 1
        visit 0, accumulate 0
    """,
}
COURSES["tape with flags"] = COURSES["tape"]
FORWARD = """
    seed 0→1
    visit 2, product 2→0, accumulate 2→0, product 2→1, accumulate 2→1
    visit 3, product 3→2, accumulate 3→2, product 3→2, accumulate 3→2, free 2
    visit 4, product 4→3, accumulate 4→3, product 4→1, accumulate 4→1, free 3
    visit 5, product 5→4, accumulate 5→4, free 4
"""


def moves(course: str) -> list[str]:
    return [move.strip() for line in course.strip().splitlines() for move in line.split(",")]


def test_the_graph_is_the_one_the_courses_are_written_for():
    assert [GRAPH.operands(node) for node in range(len(GRAPH))] == NODES


@pytest.mark.parametrize("name", ENGINES)
def test_the_course_of_a_reverse_sweep(name):
    assert log(ENGINES[name](GRAPH)) == moves(COURSES[name])


def test_the_course_of_the_forward_flow():
    assert log(forward_flow(GRAPH)) == moves(FORWARD)


# x² + 2x + xy + y: inputs 0 and 1, x² 2, 2x 3, their sum 4, xy 5, sums 6 and 7, output 8.
ORDERS = {
    "recursion": [8, 7, 6, 4, 2, 3, 5, 0, 1],  # as deep as possible, the first operand first
    "tape": [8, 7, 6, 5, 4, 3, 2, 1, 0],
    "tape with flags": [8, 7, 6, 5, 4, 3, 2, 1, 0],
    "toposort": [8, 7, 6, 5, 1, 4, 3, 2, 0],  # last come, first served
    "rank_heap": [8, 7, 6, 4, 5, 2, 3],  # the function of node 4 has rank 1, those of 5, 2 and 3 rank 0
    "use_counts": [8, 7, 6, 5, 1, 4, 3, 2, 0],
}


@pytest.mark.parametrize("name", ENGINES)
def test_orders_on_the_example_of_the_survey_differ(name):
    graph = ad.trace(fan_out, 1.0, 4.0)
    assert [graph.operand_nodes(node) for node in range(2, 9)] == [[0], [0], [2, 3], [0, 1], [4, 5], [6, 1], [7]]
    assert visits(ENGINES[name](graph)) == ORDERS[name]
