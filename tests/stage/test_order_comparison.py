"""Orders side by side: the figures are those of the eliminations, and the best is at least as good as the others."""

import numpy as np
import pytest

import adviz
from adviz.stage.order_comparison import BEST, ELIMINATIONS, ORDERS, best_order


def graph_of(name):
    return adviz.examples[name].graph()


@pytest.mark.parametrize("technique", ELIMINATIONS)
def test_a_row_has_what_the_elimination_takes(technique):
    graph = graph_of("slide")
    row = adviz.compare_orders(graph, techniques=technique, time_limit=0)[technique, "reverse"]
    side = adviz.line_graph(graph) if technique == "face" else graph.copy()
    word, start = ("node" if technique == "face" else "edge"), side.state()
    timeline = adviz.Timeline(start, ELIMINATIONS[technique](side, "reverse"))
    ends = 4 if technique == "face" else 0  # source and sink edges
    edges = [sum(key[0] == word for key in timeline.at(k)) - ends for k in range(len(timeline) + 1)]
    assert row["multiplications"] == timeline.multiplications
    assert row["additions"] == timeline.additions
    assert row["fill-ins"] == sum(step.kind == "fill_in" for step in timeline)
    assert row["peak edges"] == max(edges)


@pytest.mark.parametrize("name", ["lion", "Naumann 2004", "two crossed diamonds"])
def test_the_best_is_the_cheapest_of_all_and_said_to_be_proved(name):
    comparison = adviz.compare_orders(adviz.examples[name])
    assert comparison.title == name
    for technique, cost in adviz.examples[name].optima.items():
        best = comparison[technique, BEST]
        assert (best["multiplications"], best["at least"], best["proved"]) == (cost, cost, True)
        rows = [row for row in comparison.rows if row["technique"] == technique]
        assert min(row["multiplications"] for row in rows) == cost


def test_every_technique_is_tried_with_every_order():
    comparison = adviz.compare_orders(graph_of("lion"), time_limit=0)
    named = [(technique, order) for technique, orders in ORDERS.items() for order in orders]
    assert list(zip(comparison.table()["technique"], comparison.table()["order"], strict=True)) == named


def test_a_function_is_compared_and_an_example_brings_its_arguments():
    assert adviz.compare_orders(lambda x, y: np.sin(x * y) * x, 1.0, 2.0)["vertex", BEST]["multiplications"] == 3
    assert adviz.compare_orders(adviz.examples["slide program"])["vertex", BEST]["multiplications"] == 7


def test_orders_of_ones_own_are_compared_by_name():
    comparison = adviz.compare_orders(graph_of("Naumann 2004"), techniques=["vertex"], orders={"mine": [4, 2, 3]})
    assert comparison["vertex", "mine"]["multiplications"] == 14
    assert [row["order"] for row in comparison.rows] == ["mine", BEST]


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_the_best_order_is_found_where_costs_follow_structure(technique):
    arrays = adviz.linearize(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    rows = adviz.compare_orders(arrays, techniques=technique)
    assert rows[technique, "best found"]["multiplications"] == min(row["multiplications"] for row in rows.rows)
    assert best_order(arrays, technique, adviz.Counting(), 0) is None
    with pytest.raises(ValueError, match="time_limit"):
        best_order(arrays, technique, adviz.Counting(), -1)


def test_an_unknown_technique_an_impossible_order_and_arguments_of_a_graph_are_refused():
    with pytest.raises(ValueError, match="no technique is called 'node'; there are vertex, edge, face"):
        adviz.compare_orders(graph_of("lion"), techniques=["node"])
    for graph in (adviz.examples["lion"], graph_of("lion")):
        with pytest.raises(TypeError, match="leave the arguments out"):
            adviz.compare_orders(graph, 1.0)
    with pytest.raises(adviz.OrderError, match="no order 'fastest'"):
        adviz.compare_orders(graph_of("lion"), orders={"mine": "fastest"})


def test_the_figure_has_a_bar_for_each_order_and_a_line_for_each_best():
    comparison = adviz.compare_orders(graph_of("lion"), orders={"<b>mine</b>": "forward"})
    figure = comparison.figure()
    assert [bars.name for bars in figure.data] == [name for name in ELIMINATIONS for _ in range(4)]
    assert list(figure.data[0].y[1]) == [f"{BEST} (proved)", "&lt;b&gt;mine&lt;/b&gt;"]
    assert sorted(shape.x0 for shape in figure.layout.shapes) == [11, 11, 12]
    assert {shape.line.dash for shape in figure.layout.shapes} == {"solid"}


def test_orders_of_ones_own_have_names():
    with pytest.raises(TypeError, match=r"orders is \['forward'\]; name them, as in orders={'mine'"):
        adviz.compare_orders(adviz.examples["lion"], orders=["forward"])
