"""Names of nodes as a reader of the source knows them, and where their values stand in it."""

import linecache
import re
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

import adviz as ad
from adviz.graph import wording
from adviz.stage.narration import source_names
from adviz.stage.narration.source_names import LONGEST, SourceNames, iterations_in_source, values_in_source
from adviz.stage.scene.text_widths import invisible
from adviz.stage.shows.flow_scene import nodes_of

from ..panels import HOSTILE
from ..programs import EXPRESSIONS, NUMBERS, compiled, quietly

PYTHON = str.maketrans({"·": "*", "−": "-", "^": "**"})
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


NUMBER = r"(?<![\w.])\d+(\.\d+)?(e[+-]?\d+)?"


def names_of(f, *arguments, title="f", **settings):
    graph = quietly(f, *arguments, **settings)
    drawn = nodes_of(graph)
    names = SourceNames(graph, drawn, title)
    return [names(node) for node in drawn]


@given(EXPRESSIONS, NUMBERS, NUMBERS)
@settings(max_examples=150, deadline=None)
def test_the_name_of_an_expression_is_what_python_computes(expression, x, y):
    """Brackets stand where Python needs them."""
    graph = quietly(compiled(expression), x, y)
    exact = mock.patch.object(wording, "number", lambda value, digits=17: f"{float(value):.17g}")
    with mock.patch.object(source_names, "LONGEST", 10**6), exact:
        names = SourceNames(graph, [])
        told = [names(node) for node in range(len(graph))]
    scope = {"x": np.float64(x), "y": np.float64(y), "f": graph.values[-1]}
    scope["number"] = np.float64  # of which 1 / 0 is infinite
    scope |= {name: getattr(np, name) for name in ("sin", "cos", "tanh", "power", "maximum")}
    for name, value in zip(told, graph.values, strict=True):
        with np.errstate(all="ignore"):
            lowered = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda power: f"**({power[0].translate(RAISED)})", name.translate(PYTHON))
            found = eval(re.sub(NUMBER, r"number(\g<0>)", lowered), scope)
        assert found == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x, y: np.sin((x + y) * x), "(x + y)·x"),
        (lambda x, y: np.sin(x - (y - x)), "x − (y − x)"),
        (lambda x, y: np.sin(x - y - x), "x − y − x"),
        (lambda x, y: np.sin(x / (y * x)), "x/(y·x)"),
        (lambda x, y: np.sin(x / -(y * x)), "x/(−y·x)"),
        (lambda x, y: np.sin((-x) ** 2), "(−x)²"),
        (lambda x, y: np.sin(-(x**2)), "−x²"),
        (lambda x, y: np.sin((x + y) ** 3), "(x + y)³"),
        (lambda x, y: np.sin(x * -2.0), "x·(−2)"),
        (lambda x, y: np.sin(x**-1.5 + y), "x^(−1.5) + y"),
        (lambda x, y: np.sin(x**-2 + y), "x⁻² + y"),
        (lambda x, y: np.sin((x + y) ** (x * y)), "(x + y)^(x·y)"),
        (lambda x, y: np.sin((x**y) ** 4), "(x^y)⁴"),
        (lambda x, y: np.sin(np.abs(x - y) * 2.0), "|x − y|·2"),
        (lambda x, y: np.sin(x % (y * 2.0)), "x % (y·2)"),
    ],
)
def test_brackets_stand_only_where_they_are_needed(f, name):
    assert name in names_of(f, 0.5, 2.0)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_call_that_makes_several_nodes_is_called_as_the_program_writes_it(grain):
    def f(x, y):
        return np.linalg.norm(x - y) * np.var(x**2) + (x * y).std(ddof=1) / np.sum(x * y * np.sin(x) + np.cos(y))

    x, y = np.array([0.3, 1.2]), np.array([2.0, 0.7])
    names = names_of(f, x, y, grain=grain)
    assert {"norm(x − y)", "var(x²)", "std(x·y)"} <= {*names}


def test_a_variable_of_the_program_is_called_by_its_name_and_the_result_after_the_function():
    def loss(x):
        h = np.tanh(x)
        return h * h

    assert names_of(loss, 0.5, title="loss")[:3] == ["x", "h", "loss"]


def test_several_results_are_numbered_and_one_that_has_a_name_keeps_it():
    def pair(x):
        h = x * 2.0
        return h, np.sin(h)

    names = names_of(pair, 0.5, title="pair")
    assert names[1] == "h"
    assert names[2] == "pair[1]"


def test_the_iterates_of_a_loop_are_numbered_in_the_order_of_their_computation():
    def iterated(x):
        for _ in range(3):
            x = np.sin(x)
        return np.cos(x)

    names = names_of(iterated, 0.5)
    assert names == ["x", "x⁽¹⁾", "x⁽²⁾", "x⁽³⁾", "f"]


def test_no_two_nodes_that_are_shown_have_the_same_name():
    def same(x):
        h = np.sin(x)
        g = np.sin(x)
        h = h * g
        return h * np.sin(x) + np.sin(x)

    graph = ad.trace(same, 0.5)
    shown = nodes_of(graph)
    names = SourceNames(graph, shown)
    told = [names(node) for node in shown]
    assert len({*told}) == len(told)


def test_keyword_arguments_are_written_as_in_the_source_and_do_not_make_a_name_too_long():
    def f(z):
        shifted = z - np.max(z, axis=1, keepdims=True)
        return np.sum(np.exp(shifted), axis=0)[0] + np.mean(z)

    names = names_of(f, np.arange(6.0).reshape(2, 3))
    assert "max(z, axis=1, keepdims=True)" in names
    assert "sum(exp(shifted), axis=0)" in names
    assert "mean(z)" in names


def test_long_expressions_are_cut_and_say_so():
    names = names_of(lambda x, y: np.exp(np.sin(x * y + x) * np.cos(x - y * y) + np.tanh(x / y)), 0.5, 2.0)
    assert max(map(len, names)) <= LONGEST
    assert any("…" in name for name in names)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_short_and_visible(hostile):
    graph = ad.trace(lambda x: np.sin(x) * x, 1.0)
    graph.names[0] = hostile
    names = SourceNames(graph, range(len(graph)), hostile)
    for node in range(len(graph)):
        assert names(node)
        assert len(names(node)) <= 60
        assert not any(invisible(character) for character in names(node))


def test_a_chain_of_thousands_of_nameless_nodes_has_names():
    def deep(x):
        return deepened(x, 3_000)

    graph = ad.trace(deep, 0.5)
    names = SourceNames(graph, [])
    assert len(names(len(graph) - 2)) <= LONGEST


def deepened(x, count):
    made = [x]
    for _ in range(count):
        made.append(np.sin(made[-1]))
    return made[-1]


def test_arrays_are_named_by_what_is_done_with_them():
    def layer(w, x):
        return np.sum((w @ x)[0] * x.T)

    names = names_of(layer, np.ones((2, 2)), np.ones(2), title="layer")
    assert {"w @ x", "(w @ x)[0]", "xᵀ"} <= {*names}


def test_a_result_that_a_loop_sets_again_and_again_is_called_after_the_function():
    def growth(x):
        for _ in range(3):
            x = x * 2.0
        return x

    graph = ad.trace(growth, 1.0)
    names = SourceNames(graph, range(len(graph) - 1), "growth")
    assert [names(node) for node in range(len(graph) - 1)] == ["x", "x⁽¹⁾", "x⁽²⁾", "growth"]


def test_the_number_of_one_of_several_powers_is_no_second_exponent():
    graph = ad.trace(lambda x: np.sin(x**2) + np.cos(x**2), 1.0)
    names = SourceNames(graph, range(len(graph) - 1), "f")
    assert "(x²)⁽¹⁾" in [names(node) for node in range(len(graph) - 1)]


def test_an_array_that_is_no_argument_has_its_name_in_the_source():
    X, t = np.arange(8.0).reshape(4, 2), np.ones((4, 3))
    names = names_of(lambda W: np.sum((X @ W - t) ** 2), np.ones((2, 3)), title="loss")
    assert names == ["W", "X @ W", "X @ W − t", "(X @ W − t)²", "loss"]
    assert names_of(lambda W: np.sum(np.array([1.0, 2.0, 3.0]) * W), np.ones(3))[1] == "[1, 2, 3]·W"


@pytest.mark.filterwarnings("ignore::adviz.IndependentOutputWarning")
def test_an_entry_of_a_result_that_is_a_constant_is_that_number():
    def f(x):
        return np.diagflat(x) - np.array([[0.0, 3.0], [-2.5, 0.0]])

    def g(x):
        return np.diagflat(x)

    graph = ad.trace(g, np.array([0.7, 0.2]), grain="scalar")
    names = SourceNames(graph, graph.outputs)
    assert [names(node) for node in graph.outputs] == ["x[0]", "0⁽¹⁾", "0⁽²⁾", "x[1]"]
    assert ad.show_forward(f, np.array([0.7, 0.2]), grain="scalar").scene["steps"]


# ---- values in the source ----


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


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def test_what_a_function_returns_that_calls_itself_is_numbered_like_iterates_and_the_result_has_its_name():
    graph = ad.trace(lambda x: 2.0 * power(x, 3), 1.5)
    names = SourceNames(graph, range(len(graph) - 1), "cube")
    assert [names(node) for node in range(len(graph) - 1)] == ["x", "power⁽¹⁾", "power⁽²⁾", "power⁽³⁾", "cube"]
    graph = ad.trace(power, 1.5, n=3)
    names = SourceNames(graph, range(len(graph) - 1), "power")
    assert [names(node) for node in range(len(graph) - 1)] == ["x", "power⁽¹⁾", "power⁽²⁾", "power"]


def test_what_a_sum_adds_on_the_way_has_not_the_name_that_its_value_is_given():
    def neuron(w, x):
        total = sum(wi * xi for wi, xi in zip(w, x, strict=True))
        return np.tanh(total)

    graph = ad.trace(neuron, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    names = SourceNames(graph, range(len(graph)), "neuron")
    assert [name for name in map(names, range(len(graph))) if "total" in name] == ["total"]


def test_the_value_of_a_function_that_is_composed_of_others_has_the_name_that_it_is_given():
    def normalized(a, b):
        var = a.var(axis=0)
        alpha = np.linalg.solve(b, a[:, 0])
        return np.sum(a / var) + np.sum(alpha)

    graph = ad.trace(normalized, np.arange(6.0).reshape(3, 2), np.eye(3))
    names = SourceNames(graph, range(len(graph)), "normalized")
    called = [names(node) for node in range(len(graph))]
    assert called.count("var") == called.count("alpha") == 1
    assert graph.blocks[called.index("var")].name == "divide"
    assert graph.blocks[called.index("alpha")].name == "index"
