"""The Player of eliminations: what may be given to it, and what it makes of it."""

import numpy as np
import pytest
import traitlets

import adviz
from adviz.stage.scene import schema
from adviz.stage.shows.options import ShowError
from adviz.stage.shows.sweep_scene import transcript


def spent(player):
    return sum(step["cost"]["multiplications"] for step in player.scene["steps"])


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_examples_are_eliminated_and_measured_by_the_best_known(technique):
    player = adviz.show_elimination(adviz.examples["lion"], technique=technique, order="reverse")
    schema.check(player.scene)
    assert player.scene["title"] == "lion"
    best = adviz.examples["lion"].optima[technique]
    assert player.scene["own"]["optimum"] == {"cost": best, "proved": True, "lower_bound": best}


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_the_best_order_can_be_asked_for(technique):
    player = adviz.show_elimination(adviz.examples["lion"], technique=technique, order="optimal")
    assert spent(player) == adviz.examples["lion"].optima[technique]
    assert player.scene["runs"][0]["label"] == f"{technique} elimination: best order found"


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_the_best_order_of_arrays_is_found_without_more_words(technique):
    def network(x, inner, outer):
        return np.sum(np.tanh(outer @ np.tanh(inner @ x)))

    arrays = np.ones(3), np.full((4, 3), 0.1), np.full((2, 4), 0.1)
    player = adviz.show_elimination(network, *arrays, technique=technique, order="optimal", effort=2500)
    (meters,) = (panel for panel in player.scene["panels"] if panel["kind"] == "meters")
    assert spent(player) <= min(entry["multiplications"] for entry in meters["references"][:3])
    assert spent(player) == meters["references"][3]["multiplications"]


def test_a_function_a_traced_graph_and_a_linearized_one_are_the_same_show():
    def f(x, y):
        return np.sin(x * y) * x

    graph = adviz.trace(f, 1.0, 2.0)
    captions = [
        transcript(player.scene).splitlines()[1:]
        for player in (
            adviz.show_elimination(f, 1.0, 2.0, order="forward"),
            adviz.show_elimination(graph, order="forward"),
            adviz.show_elimination(adviz.linearize(graph), order="forward"),
        )
    ]
    assert captions[0] == captions[1] == captions[2]


def test_programs_are_measured_by_a_search_and_bring_their_code():
    player = adviz.show_elimination(lambda x, y: (x * y + x) * y, 2.0, 3.0)
    assert player.scene["own"]["optimum"]["proved"]
    assert any(panel["kind"] == "code" for panel in player.scene["panels"])
    assert adviz.show_elimination(lambda x: x * x * x, 2.0, effort=0).scene["own"]["optimum"] is None


def test_vertices_are_selected_by_their_nodes_or_numbers():
    player = adviz.show_elimination(adviz.examples["Naumann 2004"])
    player.selection = [6]
    with pytest.raises(traitlets.TraitError, match="selection has 7"):
        player.selection = [7]
    program = adviz.show_elimination(lambda x, y: (x * y + x) * y, 2.0, 3.0)
    program.selection = [program.graph.inputs[1]]


def test_moves_made_on_the_page_arrive_and_can_be_set():
    player = adviz.show_elimination(adviz.examples["Naumann 2004"])
    player.order = [["vertex", "3"]]
    assert player.order == [["vertex", "3"]]
    assert player.cost == 0  # the page tells it


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_the_page_plays_the_order_that_a_search_has_found(technique):
    lion = adviz.examples["lion"]
    player, best = adviz.show_elimination(lion, technique=technique), adviz.optimal_order(lion, technique)
    player.order = best.order
    again = adviz.show_elimination(lion, technique=technique)
    again.order = player.order
    assert again.order == player.order
    assert len(player.order) == len(best.order)


@pytest.mark.parametrize(
    ("technique", "order", "message"),
    [
        ("vertex", [9], "Move 1 of the order: There is no vertex 9"),
        ("vertex", [1, 1], "Move 2 of the order: v1 has been eliminated already"),
        ("vertex", [["vertex", "99"]], "no move on this graph"),
        ("vertex", [["vertex", "x"]], "no move on this graph"),
        ("vertex", [["vertex", "1", 2]], "no move on this graph"),
        ("vertex", [["vertex"]], "There is no vertex"),
        ("edge", [1], "expected \\('front', i, j\\)"),
        ("edge", [["front", "1"]], "expected"),
        ("face", [((0, 1), (2, 3))], "There is no face"),
        ("face", [["face", "0.1"]], "expected a pair"),
    ],
)
def test_an_order_that_is_not_possible_is_refused_and_the_last_one_stays(technique, order, message):
    player = adviz.show_elimination(adviz.examples["lion"], technique=technique)
    with pytest.raises(traitlets.TraitError, match=message):
        player.order = order
    assert player.order == []


def test_where_the_page_makes_no_moves_it_takes_no_order_and_says_why():
    player = adviz.show_elimination(adviz.examples["lion"], units=False)
    with pytest.raises(traitlets.TraitError, match="Leave units=False out"):
        player.order = [1]
    with pytest.raises(traitlets.TraitError, match=r"order is 3; it is a list of moves, such as \[3, 2\]"):
        player.order = 3
    with pytest.raises(traitlets.TraitError, match="made without own"):
        adviz.show_elimination(adviz.examples["lion"], own=False).order = [1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((adviz.examples["lion"], 1.0), {}, "leave the arguments out"),
        ((adviz.examples["lion"],), {"technique": "node"}, "no technique is called 'node'"),
        (("lion",), {}, r"not a text; an example is adviz.examples\['lion'\]"),
        (
            (adviz.line_graph(adviz.examples["lion"].graph()),),
            {"technique": "face", "order": "optimal"},
            "takes a CGraph",
        ),
        (
            (adviz.examples["lion"],),
            {"order": "optimal", "count": "block", "effort": 0},
            "no best order was searched",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments, options, message):
    with pytest.raises(ShowError, match=message):
        adviz.show_elimination(*arguments, **options)


def test_unknown_names_of_orders_are_refused():
    with pytest.raises(adviz.OrderError, match="no order 'fastest'"):
        adviz.show_elimination(adviz.examples["lion"], order="fastest")


def test_a_notebook_without_scripts_has_a_picture_and_the_text():
    still = adviz.show_elimination(adviz.examples["Naumann 2004"], order=[3, 2, 4])._still()
    assert still["image/png"].startswith(b"\x89PNG")
    assert "after 7 multiplications and 1 addition" in still["text/plain"]
    assert "v3 is eliminated" in still["text/html"]


def test_a_misspelt_option_is_named():
    with pytest.raises(adviz.ShowError, match=r"show_elimination has no option 'tecnique'; did you mean technique="):
        adviz.show_elimination(adviz.examples["lion"], tecnique="face")


def test_one_order_or_several_are_given():
    with pytest.raises(adviz.ShowError, match="order and orders were both given"):
        adviz.show_elimination(adviz.examples["lion"], order="forward", orders=["forward", "reverse"])
