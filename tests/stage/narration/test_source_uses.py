"""Where values stand in the source: expressions, assigned names, parameters, and each use of a name."""

import linecache

import numpy as np
import pytest

import adviz as ad
from adviz.stage.narration.source_names import iterations_in_source, values_in_source


def found(f, *args):
    """The pieces of source with what stands under them, in their order: nodes, and the edges of uses."""
    graph = ad.trace(f, *args)
    listed = []
    for place, evaluations in sorted(values_in_source(graph).items()):
        line = linecache.getline(graph.codes[place.file].co_filename, place.end_line)
        start = place.column if place.line == place.end_line else 0
        listed.append((line[start : place.end_column].strip(), [(one.node, one.edge) for one in evaluations]))
    return listed


def square_and_sum(x, y):
    return x * x + y


def two_lines(x, y):
    return np.sin(x) + (
        x
        * y
    )  # fmt: skip


def methods(a, b):
    return (a + b).sum() + a.sum()


def by_keyword(x):
    low = 0.5
    return np.maximum(x2=x * x, x1=low) if False else np.clip(x, low, None)


def square(u):
    return u * u


def calling(x):
    h = square(x)
    return square(h) + h


def looping(x):
    s = 1.0
    for _ in range(3):
        s = s * x
    return s


def augmented(x):
    s = x
    s += np.cos(x)
    s *= s
    return s


def alias(x):
    other = x
    return np.exp(other)


def structured(p, x):
    return p["w"] * x + p["b"]


def both(x):
    a, (b, c) = np.sin(x), (np.cos(x), x * 2)
    return a * b + c


def composite(x):
    return np.var(x) + np.sum(x)


def wide(漢, y):
    return np.sin(漢) * y


def test_expressions_parameters_and_each_use_of_a_name():
    assert found(square_and_sum, 2.0, 3.0) == [
        ("x", [(0, None)]),
        ("y", [(1, None)]),
        ("x", [(0, (2, 0))]),
        ("x * x", [(2, None)]),
        ("x * x + y", [(3, None)]),
        ("x", [(0, (2, 1))]),
        ("y", [(1, (3, 1))]),
    ]


def test_an_expression_in_several_lines_stands_under_its_last():
    texts = [text for text, _ in found(two_lines, 1.0, 2.0)]
    assert texts[-3:] == ["x", "* y", "y"]


def test_the_object_of_a_method_is_used():
    uses = [entry for entry in found(methods, np.ones(2), np.ones(2)) if entry[1][0][1]]
    assert uses == [("a", [(0, (2, 0))]), ("b", [(1, (2, 1))]), ("a", [(0, (4, 0))])]


def test_a_constant_argument_is_no_use():
    assert [text for text, evaluations in found(by_keyword, 2.0) if evaluations[0][1]] == ["x"]


def test_a_call_shows_what_it_returns_and_inside_it_every_run():
    pieces = found(calling, 3.0)
    assert ("square(h)", [(2, (3, 0))]) in pieces
    assert ("h", [(1, (3, 1))]) in pieces
    assert ("u * u", [(1, None), (2, None)]) in pieces
    assert [evaluations for text, evaluations in pieces if text == "u"] == [
        [(0, (1, 0)), (1, (2, 0))],
        [(0, (1, 1)), (1, (2, 1))],
    ]


def test_in_a_loop_a_name_has_an_evaluation_for_each_round_also_where_it_is_a_constant():
    graph = ad.trace(looping, 2.0)
    uses = [each for each in values_in_source(graph).values() if any(one.edge or one.user >= 0 for one in each)]
    (first, *others), xs = uses
    assert (first.node, first.literal, first.user) == (None, 1.0, 1)
    assert [one.node for one in others] == [1, 2]
    assert [one.edge for one in xs] == [(1, 0), (2, 1), (3, 1)]


def test_an_augmented_assignment_shows_under_its_name_what_is_assigned():
    assert ("s", [(2, None)]) in found(augmented, 1.0)
    assert ("s", [(3, None)]) in found(augmented, 1.0)
    assert ("s", [(2, (3, 1))]) in found(augmented, 1.0)


@pytest.mark.parametrize(
    ("f", "args", "piece"),
    [
        (alias, (1.0,), ("other", [(0, (1, 0))])),
        (structured, ({"w": 2.0, "b": 1.0}, 3.0), ('p["w"]', [(0, (3, 0))])),
        (both, (1.0,), ("c", [(3, None)])),
        (wide, (1.0, 2.0), ("漢", [(0, (2, 0))])),
        (lambda x, y: x - y, (1.0, 2.0), ("x", [(0, None)])),
    ],
)
def test_names_are_found_however_a_value_got_there(f, args, piece):
    assert piece in found(f, *args)


def test_a_name_that_an_expression_uses_in_several_operations_has_no_share_of_its_own():
    pieces = found(composite, np.array([1.0, 2.0]))
    uses = [evaluations for text, evaluations in pieces if text == "x" and evaluations[0][1]]
    nodes_of_var = next(evaluations for text, evaluations in pieces if text == "np.var(x)")
    graph = ad.trace(composite, np.array([1.0, 2.0]))
    inside = [node for node in range(nodes_of_var[0][0] + 1) if 0 in graph.operand_nodes(node)]
    assert len(uses) == (1 if len(inside) > 1 else 2)
    assert uses[-1] == [(0, (nodes_of_var[0][0] + 1, 0))]


def test_without_source_there_is_nothing():
    scope = {"np": np}
    exec(compile("def f(x):\n    return np.sin(x) * x\n", "<nowhere>", "exec"), scope)
    assert all(evaluations for _, evaluations in found(scope["f"], 1.0))


def test_the_entries_of_an_array_number_by_number_have_no_bracket():
    graph = ad.trace(lambda x: np.sum(np.sin(x)), np.ones(3), grain="scalar")
    shown = {one.node for each in values_in_source(graph).values() for one in each}
    assert not shown & {node for node in range(len(graph)) if graph.blocks[node].name == "sin"}


# ---- iterations ----


def nested(x):
    for _ in range(2):
        x = x + 1.0
        while x < 4.0:
            x = x * 2.0
    return sum([np.sin(x * k) for k in (1.0, 2.0)])


def once(x):
    for _ in range(1):
        x = np.sin(x)
    return x


def iterations(f, *args):
    graph = ad.trace(f, *args)
    listed = []
    for place, ones in iterations_in_source(graph, range(len(graph))).items():
        line = linecache.getline(graph.codes[place.file].co_filename, place.line)
        listed.append((line[place.column : place.end_column], [one.literal.removeprefix("iteration ") for one in ones]))
    return listed


def test_the_head_of_a_loop_says_which_iteration_of_how_many_a_node_is_in():
    assert iterations(nested, 0.5) == [
        ("for _ in range(2)", ["1 of 2", "2 of 2"]),
        ("while x < 4.0", ["1 of 2", "2 of 2"]),
        ("k in (1.0, 2.0)", ["1 of 2", "2 of 2"]),
    ]


def test_a_loop_of_a_single_iteration_needs_no_words_and_neither_does_one_without_its_source():
    assert iterations(once, 0.5) == []
    scope = {"np": np}
    exec("def unknown(x):\n    for _ in range(2):\n        x = np.sin(x)\n    return x", scope)
    assert iterations(scope["unknown"], 0.5) == []
