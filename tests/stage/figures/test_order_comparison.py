"""Orders side by side: the figures are those of the eliminations, and the best is at least as good as the others."""

import numpy as np
import pytest

import adviz
from adviz.algorithms.search.clock import budget_of
from adviz.stage.figures.order_comparison import BEST, ELIMINATIONS, ORDERS, OrderComparison, best_order


def max_size(head, tail, sizes):
    return max(sizes) + sizes[1] / 2


def graph_of(name):
    return adviz.examples[name].graph()


@pytest.mark.parametrize("technique", ELIMINATIONS)
def test_a_row_has_what_the_elimination_takes(technique):
    graph = graph_of("slide")
    row = adviz.compare_orders(graph, techniques=technique, effort=0)[technique, "reverse"]
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
    comparison = adviz.compare_orders(adviz.examples[name], effort=300_000)
    assert comparison.title == name
    for technique, cost in adviz.examples[name].optima.items():
        best = comparison[technique, BEST]
        assert (best["multiplications"], best["at least"], best["proved"]) == (cost, cost, True)
        rows = [row for row in comparison.rows if row["technique"] == technique]
        assert min(row["multiplications"] for row in rows) == cost


def test_an_order_of_vertices_is_one_of_edges_and_of_faces_too():
    comparison = adviz.compare_orders(graph_of("Naumann 2004"), orders={"mine": [4, 2, 3]}, effort=0)
    assert [(row["technique"], row["multiplications"]) for row in comparison.rows] == [
        ("vertex", 14),
        ("edge", 14),
        ("face", 14),
    ]


def test_an_order_that_does_not_fit_a_technique_is_named():
    order = [("back", 1, 2), ("front", 0, 1)]
    graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (1, 3)])
    with pytest.raises(
        adviz.OrderError, match=r"The order 'mine', for vertex elimination: There is no vertex \('back'"
    ):
        adviz.compare_orders(graph, orders={"mine": order})
    assert adviz.compare_orders(graph, techniques="edge", orders={"mine": order})["edge", "mine"]


def test_a_line_graph_is_refused_by_name():
    with pytest.raises(TypeError, match="Expected a CGraph, not a LineGraph"):
        adviz.compare_orders(adviz.line_graph(graph_of("lion")))


def test_every_technique_is_tried_with_every_order():
    comparison = adviz.compare_orders(graph_of("lion"), effort=0)
    named = [(technique, order) for technique, orders in ORDERS.items() for order in orders]
    assert list(zip(comparison.table()["technique"], comparison.table()["order"], strict=True)) == named


def test_a_function_is_compared_and_an_example_brings_its_arguments():
    assert adviz.compare_orders(lambda x, y: np.sin(x * y) * x, 1.0, 2.0)["vertex", BEST]["multiplications"] == 3
    assert adviz.compare_orders(adviz.examples["slide program"])["vertex", BEST]["multiplications"] == 7


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_the_best_order_is_found_where_costs_follow_structure(technique):
    arrays = adviz.linearize(lambda x: np.sum(np.sin(x) * x), np.ones(3))
    rows = adviz.compare_orders(arrays, techniques=technique)
    assert rows[technique, "best found"]["multiplications"] == min(row["multiplications"] for row in rows.rows)
    assert best_order(arrays, technique, adviz.Counting(), budget_of(None, 0, 1)) is None
    with pytest.raises(ValueError, match="time_limit"):
        adviz.compare_orders(arrays, techniques=technique, time_limit=-1)


def test_an_unknown_technique_an_impossible_order_and_arguments_of_a_graph_are_refused():
    with pytest.raises(ValueError, match="no technique is called 'node'; there are vertex, edge, face"):
        adviz.compare_orders(graph_of("lion"), techniques=["node"])
    for graph in (adviz.examples["lion"], graph_of("lion")):
        with pytest.raises(TypeError, match="leave the arguments out"):
            adviz.compare_orders(graph, 1.0)
    with pytest.raises(adviz.OrderError, match="no order 'fastest'"):
        adviz.compare_orders(graph_of("lion"), orders={"mine": "fastest"})


def test_the_figure_has_a_bar_for_each_order_in_the_order_of_the_table():
    comparison = adviz.compare_orders(adviz.examples["bat"], effort=1000)
    figure = comparison.figure()
    names = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert [names.pop(min(names)) for _ in range(len(names))] == [
        name
        for technique in ELIMINATIONS
        for name in (f"<b>{technique}</b>", *(row["order"] for row in comparison.rows if row["technique"] == technique))
    ]
    assert [bars.name for bars in figure.data] == [name for name in ELIMINATIONS for _ in range(4)]
    assert [count for bars in figure.data[::4] for count in bars.x] == comparison.table()["multiplications"]
    assert figure.layout.yaxis.range[0] > max(figure.data[-1].y) > 0 > figure.layout.yaxis.range[1]


def test_the_bars_of_the_cheapest_orders_stand_out():
    comparison = adviz.compare_orders(adviz.examples["bat"], effort=1000)
    for bars, technique in zip(comparison.figure().data[::4], ELIMINATIONS, strict=True):
        counts = [row["multiplications"] for row in comparison.rows if row["technique"] == technique]
        assert [opacity == 1 for opacity in bars.marker.opacity] == [count == min(counts) for count in counts]


def test_the_line_of_a_best_order_ends_with_the_bars_of_its_technique_and_says_what_it_is():
    rows = adviz.compare_orders(graph_of("lion"), orders={"forward": "forward"}, techniques=["vertex", "edge"]).rows
    rows[-1] |= {"at least": 9, "proved": False}
    figure = OrderComparison("", rows).figure()
    lines = [(shape.x0, shape.x1, shape.line.dash) for shape in figure.layout.shapes]
    assert lines == [(12, 12, "solid"), (9, 9, "dot")]
    for shape, bars in zip(figure.layout.shapes, figure.data[::4], strict=True):
        assert min(bars.y) - 1.5 < shape.y0 < min(bars.y) - 0.5 < max(bars.y) < shape.y1 < max(bars.y) + 1
    assert [note.text for note in figure.layout.annotations][-2:] == [" 12, proved", " at least 9"]


def test_names_of_orders_are_text_to_the_figure():
    figure = adviz.compare_orders(graph_of("lion"), orders={"<b>$x$</b>": "forward"}).figure()
    assert "&lt;b&gt;&#36;x&#36;&lt;/b&gt;" in figure.layout.yaxis.ticktext
    assert "<b>" not in figure.data[0].customdata[0]


def test_a_comparison_without_rows_has_a_figure_without_bars():
    figure = OrderComparison("", []).figure()
    rule = "multiplications by structure, products with units counted"
    assert (figure.data, figure.layout.title.text) == ((), f"Orders of elimination, {rule}")


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, "multiplications by structure, products with units counted"),
        ({"units": False, "count": "scalar"}, "multiplications by size, products with units free"),
        ({"cost": max_size}, "costs by max_size, products with units counted"),
    ],
)
def test_the_first_line_of_table_and_figure_says_how_products_are_counted(options, rule):
    comparison = adviz.compare_orders(graph_of("lion"), techniques="vertex", effort=500, **options)
    assert repr(comparison).splitlines()[0] == rule
    assert comparison.figure().layout.title.text == f"Orders of elimination, {rule}"
    assert f"{rule}</caption>" in comparison._repr_html_()


def test_a_cost_of_ones_own_is_compared_and_searched():
    comparison = adviz.compare_orders(graph_of("lion"), techniques="vertex", cost=max_size)
    costs = {row["order"]: row["multiplications"] for row in comparison.rows}
    assert costs[BEST] == min(costs.values()) < max(costs.values())
    assert comparison["vertex", BEST]["proved"]


def test_orders_of_ones_own_have_names():
    with pytest.raises(TypeError, match=r"orders is \['forward'\]; name them, as in orders={'mine'"):
        adviz.compare_orders(adviz.examples["lion"], orders=["forward"])
