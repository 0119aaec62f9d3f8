"""Graphs told line by line: what is one line, and that the sweep over lines is the sweep over all nodes."""

from itertools import pairwise

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms import sweeps
from adviz.graph.timeline import Timeline
from adviz.stage.narration.bench import operations
from adviz.stage.narration.flows import flow_of
from adviz.stage.narration.folds import gates, statements
from adviz.stage.narration.folds.folded_flow import flow_over
from adviz.stage.narration.folds.folded_graph import FoldedGraph, Place
from adviz.stage.narration.folds.statements import layers
from adviz.stage.narration.levels import SweepNarrator
from adviz.stage.narration.local_partials import LocalPartials
from adviz.stage.narration.source_names import SourceNames
from adviz.stage.scene import formulas
from adviz.stage.shows import flow_scene

from .programs import BLOCKS, CELLS, WEIGHTS, X, blocks, cells, classifier

_random = np.random.default_rng(1)


def wrapped(W1, b1, W2, b2):
    return classifier(W1, b1, W2, b2)


def newton(a):
    y = a
    for _ in range(4):
        y = y - (y * y - a) / (2 * y)
    return y


def horner(x, c):
    result = 0.0
    for a in c:
        result = result * x + a
    return result


def long_loop(w):
    for _ in range(50):
        w = w - 0.2 * (w * w - 2) * w
    return np.sin(w)


def split(x):
    low, high = np.split(np.tanh(x * 2.0) + x**2, 2)
    if low[0] > 0:  # noqa: SIM108 - a branch
        y = np.exp(low) * high
    else:
        y = np.sin(low) + high**3
    z = y * y / (1.0 + y * y)
    return np.sum(z)


def recurrent(u, w):
    h, c = np.zeros(2), np.ones(2)
    for row in X:
        g = 1 / (1 + np.exp(-(row @ u + h @ w)))
        c = g * c + (1 - g) * np.tanh(row @ u)
        h = g * np.tanh(c)
    return np.sum(h * h) + np.sum(c)


def expression(x, y, z):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2 + np.exp(np.sin(x * y) * z - z) * (1 + y) / (2 - np.sin(x * y))


def relaxed(y):
    p = np.zeros((4, 4))
    p[:, -1] = y
    for _ in range(4):
        p[1:-1, 1:-1] = (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]) / 4.0
        p[0] = p[1]
    return np.sum(p * p)


PROGRAMS = {
    classifier: WEIGHTS,
    wrapped: WEIGHTS,
    newton: (2.0,),
    long_loop: (1.0,),
    split: (np.array([0.5, -0.3, 0.7, 0.2]),),
    recurrent: (_random.normal(size=(2, 2)), _random.normal(size=(2, 2))),
    cells: CELLS,
    blocks: BLOCKS,
    expression: (0.5, 0.3, 0.2),
    relaxed: (np.arange(4.0),),
}


def told(program):
    graph = ad.trace(program, *PROGRAMS[program])
    return graph, layers(graph)[0]


def labels(folds):
    return [folds.folds[node].place.short for node in folds.kept if node in folds.folds]


def test_a_line_is_a_box_in_the_names_of_the_source():
    _, folds = told(classifier)
    names = flow_scene.named(folds, "classifier")
    assert [names(node) for node in folds.kept if node in folds.folds] == ["h", "z", "e", "p", "loss"]
    assert labels(folds)[:2] == ["h = np.tanh(X @ W1 + b1)", "z = h @ W2 + b2"]


def test_values_that_are_assigned_together_have_the_names_that_they_are_given():
    def gates(z):
        i, f, o, g = np.split(z, 4)
        c = f * np.tanh(i) + i * np.tanh(g)
        return np.sum(np.tanh(c) * o * c)

    graph = ad.trace(gates, np.arange(8.0))
    folds = layers(graph)[0]
    names = flow_scene.named(folds, "gates")
    assert [name for name in map(names, folds.kept) if len(name) == 1] == ["z", "i", "f", "o", "g", "c"]


def test_a_function_that_only_calls_another_one_is_told_by_the_lines_of_that():
    assert labels(told(wrapped)[1]) == labels(told(classifier)[1])


def test_an_iteration_is_a_box_and_of_many_several_are_one():
    assert labels(told(newton)[1]) == ["iteration 1", "iteration 2", "iteration 3", "iteration 4"]
    assert labels(told(long_loop)[1])[0] == "iterations 1–10"


def test_iterations_that_all_need_an_input_are_in_fewer_groups_that_can_be_read():
    def descent(x, rate):
        for _ in range(20):
            x = x - rate * 2 * (x - 3)
        return x

    def newton(x):
        for _ in range(20):
            x = x - (x * x - 2) / (2 * x)
        return x

    assert [labels(layers(ad.trace(*each))[0]) for each in ((descent, 1.0, 0.1), (newton, 1.5))] == [
        ["iterations 1–7", "iterations 8–14", "iterations 15–20"],
        ["iterations 1–4", "iterations 5–8", "iterations 9–12", "iterations 13–16", "iterations 17–20"],
    ]


def test_what_an_iteration_takes_from_an_array_is_inside_of_it():
    folds = layers(ad.trace(horner, 1.5, np.array([2.0, -1.0, 3.0, 0.5])))[0]
    names = flow_scene.named(folds, "horner")
    assert labels(folds) == ["iteration 1", "iteration 2", "iteration 3", "iteration 4"]
    assert [names(node) for node in folds.kept] == ["x", "c", "result⁽¹⁾", "result⁽²⁾", "result⁽³⁾", "horner", "horner"]


def test_iterations_that_pass_several_values_on_are_in_groups_that_can_be_followed():
    def pendulum(length, theta):
        omega = 0.0
        for _ in range(30):
            omega = omega - 0.5 / length * np.sin(theta)
            theta = theta + 0.05 * omega
        return theta

    folds = layers(ad.trace(pendulum, 1.0, 0.5))[0]
    assert [*dict.fromkeys(labels(folds))] == ["iterations 1–15", "iterations 16–30"]


def test_a_loop_that_passes_too_much_on_is_one_box_that_opens():
    def controller(kp, ki, kd):
        y = integral = cost = 0.0
        previous = 1.0
        for _ in range(10):
            error = 1.0 - y
            integral = integral + error
            y = y + 0.1 * (kp * error + ki * integral + kd * (error - previous))
            previous, cost = error, cost + error**2
        return cost

    first, second, *inside = layers(ad.trace(controller, 1.2, 0.5, 0.05))
    assert labels(first) == ["iterations 1–10"]
    assert {*labels(second)} == {"iterations 1–5", "iterations 6–10"}
    assert "iteration 1" in {label for folds in inside for label in labels(folds)}


def test_few_operations_on_arrays_are_told_by_lines_where_they_would_stand_in_several_rows():
    def softmax(z):
        e = np.exp(z - np.max(z))
        p = e / np.sum(e)
        return -np.log(p[1])

    assert not layers(ad.trace(lambda A, x, b: np.sum((A @ x - b) ** 2), np.eye(3), np.ones(3), np.ones(3)))
    assert labels(layers(ad.trace(softmax, np.arange(3.0)))[0])[1:] == ["p = e / np.sum(e)", "return -np.log(p[1])"]


def test_what_two_targets_of_a_line_share_is_a_box_of_its_own():
    graph, folds = told(split)
    (shared,) = [node for node in folds.kept if graph.operand_nodes(node) and 0 in folds.operand_nodes(node)]
    assert len({user for user in graph.users(shared) if user in folds.kept or shared in folds.folds}) > 1
    inside = [node for fold in folds.folds.values() for node in fold.inside]
    assert len(inside) == len(set(inside)), "no operation is in two boxes"


def test_boxes_hold_iterations_of_several_statements_of_one_and_those_of_a_function_that_is_called():
    outer, *inner = layers(ad.trace(cells, *CELLS))
    assert labels(outer) == ["iteration 1", "iteration 2", "iteration 3", "iteration 4"]
    assert labels(inner[0])[:2] == ["h = cell(row, h, W, U)", "h = h / np.sqrt(1.0 + h @ h)"]
    assert labels(inner[1])[:1] == ["a = x @ W + h @ U"]
    many, *_ = layers(ad.trace(long_loop, 1.0))[1:]
    assert labels(many)[:2] == ["iterations 1–2", "iterations 3–4"]


def many_statements(x, w):
    a = np.sin(x) * w
    b = a + x
    c = b * a
    d = np.exp(-c) * b
    e = d + c
    f = e * d
    g = np.tanh(f) + a
    h = g * b + c
    i = h - d
    j = i * e
    k = np.cos(j) + f
    m = k + g
    n = m * h
    o = n + i
    return np.sum(o * n + m)


def test_of_many_statements_neighbors_are_one_box_that_opens_into_them():
    outer, inner, *_ = layers(ad.trace(many_statements, np.arange(3.0), np.ones(3)))
    assert all(place.short.startswith("lines ") and len(nodes) > 2 for place, nodes in outer.boxes)
    assert {"a = np.sin(x) * w", "d = np.exp(-c) * b"} <= {place.short for place, _ in inner.boxes}


def test_what_is_left_of_a_box_is_left_when_it_is_opened():
    for program in (cells, long_loop, recurrent, blocks):
        graph = ad.trace(program, *PROGRAMS[program])
        every = layers(graph)
        for outer, inner in pairwise(every):
            assert {*outer.kept} <= {*inner.kept}
            assert all(any({*fold.inside} <= {*each} for each in parts(outer)) for fold in inner.folds.values())


def test_what_nothing_uses_is_in_no_box_inside_of_one_that_is_not_seen():
    graph = ad.trace(lambda x: unused(x) * 2.0, np.arange(3.0))
    for outer, inner in pairwise(layers(graph)):
        seen = {node for node, part in enumerate(outer.part_of) if part in {outer.part_of[kept] for kept in outer.kept}}
        assert all({*fold.inside} <= seen for fold in inner.folds.values())


def unused(x):
    y = np.sin(x) + x
    z = y / sum(np.exp(y) + y * y)
    z /= sum(z)
    z = np.cumsum(z)
    return np.sum(y * y * np.cos(y) + np.tanh(y * x) - y)


def parts(folds):
    """The nodes of each part."""
    result = {}
    for node, part in enumerate(folds.part_of):
        result.setdefault(part, []).append(node)
    return [nodes for part, nodes in result.items() if part >= 0]


def test_many_inputs_are_inside_of_the_boxes_that_alone_use_them():
    graph = ad.trace(blocks, *BLOCKS)
    outer, *_, inner = layers(graph)
    assert not {*graph.inputs} & {*outer.kept}
    assert {*graph.inputs} <= {*inner.kept}
    first = outer.folds[outer.kept[0]]
    assert first.counted.endswith("and 7 inputs")
    assert "depends on" in first.rule(str, str)


def test_a_long_expression_is_told_by_its_terms():
    (folds,) = layers(ad.trace(lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), X[0]))
    assert labels(folds)[:2] == ["100 * (x[1:] - x[:-1] ** 2) ** 2", "(1 - x[:-1]) ** 2"]
    inside = [node for fold in folds.folds.values() for node in fold.inside]
    assert len(inside) == len(set(inside))


def test_few_operations_are_told_one_by_one_unless_so_many_in_a_row_would_be_small():
    def gauss(x, mu, s):
        return np.exp(-((x - mu) ** 2) / (2 * s**2)) / (s * np.sqrt(2 * np.pi))

    assert not layers(ad.trace(lambda x, y: np.sin(x) + x * y, 1.0, 2.0))
    assert not layers(ad.trace(lambda w, x, b: 1 / (1 + np.exp(-(w * x + b))), 1.0, 2.0, 0.3))
    assert not layers(ad.trace(lambda x, y: np.sin(x) * np.cos(y) + np.exp(x) * np.log(y) + x * y, 1.0, 2.0))
    (folds,) = layers(ad.trace(gauss, 0.4, 0.1, 0.8))
    assert [len(fold.inside) for fold in folds.folds.values()] == [7]


def test_code_without_a_source_is_not_told_by_lines():
    scope = {"np": np}
    exec("def f(x):\n" + "".join(f"    x = np.sin(x) * {k}.0\n" for k in range(1, 12)) + "    return x", scope)
    assert not layers(ad.trace(scope["f"], 0.5))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("engine", [*sweeps.ENGINES, "forward"])
def test_the_sweep_over_lines_gives_every_line_what_the_sweep_over_nodes_gives(program, engine):
    graph = ad.trace(program, *PROGRAMS[program])
    direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs}
    reverse = engine != "forward"
    algorithm = sweeps.ENGINES[engine](graph) if reverse else sweeps.forward_flow(graph, direction)
    flow = flow_of(graph, Timeline.record({}, algorithm), reverse)
    for folds in layers(graph, () if reverse else direction):
        check(folds, flow_over(folds, flow))


def check(folds, over):
    for node in {*folds.kept} & {*over.results}:
        terms = [over.sent[edge].product for edge in over.contributions(node)]
        terms += [over.seeds[node]] if node in over.seeds else []
        np.testing.assert_allclose(sum(terms), over.results[node], rtol=1e-9, atol=1e-12)
    for edge, sent in over.sent.items():
        arrived = [over.sent[other].step for other in over.contributions(over.source(edge))]
        assert all(step < sent.step for step in arrived), "nothing is passed on before all of it is there"
    ends = [*over.sums.values()]
    assert len(set(ends)) == len(ends)
    assert not set(ends) & {sent.step for sent in over.sent.values()}, "each sum has a step of its own"


# ---- gates ----


def symbols(folds, exit_name):
    names = flow_scene.named(folds, "f")
    local = LocalPartials(folds, names)
    (exit_,) = [node for node in folds.folds if names(node) == exit_name]
    entries = folds.folds[exit_].entries
    return local.stem(exit_), {names(entry): local.symbol(exit_, place) for place, entry in enumerate(entries)}


def test_the_gate_of_a_line_is_its_matrix_calculus():
    _, folds = told(classifier)
    assert symbols(folds, "h") == ("⊙ (1 − h²)", {"W1": "Xᵀ ·", "b1": "Σ rows"})
    assert symbols(folds, "z") == ("", {"h": "· W2ᵀ", "W2": "hᵀ ·", "b2": "Σ rows"})
    assert symbols(folds, "loss") == ("", {"p": "⊙ −T ⊙ 1/p ÷ 4"})
    assert symbols(folds, "p") == ("", {"e": "J 8×8"}), "two paths have no short form"


def test_the_gate_of_an_iteration_on_numbers_is_a_product_where_that_is_short():
    def long(x, y):
        for _ in range(8):
            x = x - (np.sin(x * y) * np.exp(x) + y) * y
        return x

    folds = layers(ad.trace(horner, 1.5, np.array([2.0, -1.0, 3.0, 0.5])))[0]
    assert symbols(folds, "result⁽³⁾")[1] == {"c": "at [2]", "result⁽²⁾": "x", "x": "result⁽²⁾"}
    folds = layers(ad.trace(long, 0.1, 0.2))[0]
    name = next(name for name in map(flow_scene.named(folds, "f"), folds.folds))
    assert {*symbols(folds, name)[1].values()} == {f"∂{name}/∂x", f"∂{name}/∂y"}


def test_a_path_along_which_nothing_comes_back_is_said_to_be_silent():
    graph, folds = told(classifier)
    flow = flow_over(folds, flow_of(graph, Timeline.record({}, ad.toposort(graph)), True))
    narrator = SweepNarrator(flow, flow_scene.named(folds, "f"))
    (e,) = [node for node in folds.folds if graph.name(node) == "e"]
    rule = narrator.parts.local.rule(e, given=flow.results[e])
    assert "Only the largest entry matters" not in rule
    assert rule.endswith("z (4×2) receives e\u0304 times e entry by entry. " + SILENT)
    ((given, _, result),) = [bench["tables"] for _, bench in operations(narrator, (e, 0))]
    assert (given["name"][0], result["name"][0]) == ("e", "z")


def test_nothing_comes_back_in_a_forward_sweep_with_whole_blocks_either():
    def attention(Q, K, V):
        weights = np.exp(Q @ K.T / np.sqrt(4))
        weights = weights / np.sum(weights, axis=1, keepdims=True)
        return np.sum(weights @ V)

    arrays = np.ones((3, 4)), np.eye(3, 4), np.ones((3, 2))
    assert "One forward sweep with whole blocks" in str(ad.show_forward(attention, *arrays, jacobian="blocks").scene)


SILENT = "Nothing comes back along the path through max(z, axis=1, keepdims=True)."


def test_a_long_line_whose_entries_share_a_stem_is_on_the_bench_as_its_jacobian():
    def entropy(W, T):
        e = np.exp(X @ W)
        p = e / e.sum(axis=1, keepdims=True)
        return -np.sum(T * np.log(p)) / len(X)

    graph = ad.trace(entropy, np.ones((2, 2)), np.ones((4, 2)))
    folds = layers(graph)[0]
    flow = flow_over(folds, flow_of(graph, Timeline.record({}, ad.toposort(graph)), True))
    narrator = SweepNarrator(flow, flow_scene.named(folds, "f"))
    exit_ = max(folds.folds)
    place = [graph.name(entry) for entry in folds.folds[exit_].entries].index("p")
    ((_, bench),) = operations(narrator, (exit_, place))
    assert "Jᵀ 1×8" in str(bench["title"])
    assert narrator.parts.symbol((exit_, place)) == "⊙ T ⊙ 1/p"


def test_what_is_written_into_has_its_name_at_the_end_of_an_iteration():
    names = SourceNames(told(relaxed)[1], told(relaxed)[1].kept)
    assert {"p⁽²⁾", "p⁽³⁾"} <= {names(node) for node in told(relaxed)[1].folds}


def residual(x, A, B):
    x = x + np.tanh(x @ A) @ B
    q, r = x * x, 1 / (1 + np.exp(-x))
    centered = q - q.mean(0)
    return np.sum(centered * r) + np.sum(r * r)


RESIDUAL = tuple(_random.normal(size=shape) for shape in ((3, 2), (2, 4), (4, 2)))


def test_what_two_paths_send_is_a_sum_where_it_is_short():
    folds = layers(ad.trace(residual, *RESIDUAL))[0]
    assert symbols(folds, "x⁽¹⁾")[1]["x"] == "1 + (· Bᵀ, ⊙ (1 − tanh(x @ A)²), · Aᵀ)"
    assert symbols(folds, "centered")[1] == {"q": "1 + (−Σ rows ÷ 3)"}
    sentence = gates.worded("1 + (−Σ rows ÷ 3)", "the adjoint")
    assert gates.passing("1 + (· Aᵀ)", ["id", "x̄"]).count(["id", "x̄"]) == 2
    summed = "the adjoint, summed over the rows, with the opposite sign, divided by 3"
    assert sentence == f"the adjoint unchanged plus {summed}"
    assert gates.worded("−broadcast ÷ 4", "it") == "it repeated for each entry, with the opposite sign, divided by 4"
    assert gates.worded("(qᵀ ·)ᵀ", "it") == "qᵀ times it, transposed"


def test_a_name_that_is_cut_is_no_place_for_a_derivative():
    assert formulas.text(formulas.row(*gates.passing("⊙ exp(…)", ["id", "z"]))) == "z ⊙ exp(…)"


def loss_of_a_number(w, b):
    z = 2.0 * w + b
    p = 1 / (1 + np.exp(-z))
    return -(0.3 * np.log(p) + 0.7 * np.log(1 - p))


def test_the_gate_of_a_square_is_twice_its_root_and_that_of_the_logistic_function_is_written_with_its_value():
    folds = layers(ad.trace(residual, *RESIDUAL))[0]
    assert symbols(folds, "r")[1] == {"x⁽¹⁾": "⊙ r ⊙ (1 − r)"}
    numbers = layers(ad.trace(loss_of_a_number, 0.5, -0.2))[0]
    assert symbols(numbers, "p")[1] == {"z": "p·(1 − p)"}
    assert gates._sum(["⊙ r", "⊙ r"]) == "⊙ 2·r"
    assert gates._sum(["⊙ −r", "⊙ −r"]) == "⊙ −2·r"
    assert not gates._sum(["· Aᵀ", "· Aᵀ"])


def test_a_statement_with_several_targets_is_one_box_in_which_each_keeps_its_own_operations():
    graph = ad.trace(residual, *RESIDUAL)
    folds = layers(graph)[0]
    (box,) = [box for box in flow_scene.boxes(folds) if box["label"].startswith("q, r")]
    names = flow_scene.named(folds, "residual")
    assert [names(node) for node in box["exits"]] == ["q", "r"]
    assert [len(folds.folds[node].inside) for node in box["exits"] if node in folds.folds] == [4]


def test_a_statement_that_is_entered_again_is_as_many_boxes_as_it_has_parts():
    graph = ad.trace(lambda x: np.exp(np.sin(np.cos(np.tan(x * 2.0)))), 1.0)
    place = Place("twice", "twice", "", (0, 0))
    assert [nodes for _, nodes in FoldedGraph(graph, [(place, [1, 2]), (place, [3, 4])]).boxes] == [[1, 2, 3, 4]]
    assert [nodes for _, nodes in FoldedGraph(graph, [(place, [1, 2]), (place, [4, 5])]).boxes] == [[1, 2], [4, 5]]


def test_a_stem_without_a_short_form_is_a_jacobian_and_leaves_nothing_out():
    def spread(x):
        y = np.exp(x)
        return np.sum(abs(np.sum(y * [1.0, 2.0]) + np.sum(x * [3.0, 5.0]) + 0.25) ** 2)

    folds = layers(ad.trace(spread, np.array([0.4, 0.7])))[0]
    assert symbols(folds, "f")[0] == "J 1×1"


def test_behind_the_stem_is_what_the_entries_share():
    graph, folds = told(classifier)
    (fold,) = [fold for fold in folds.folds.values() if graph.name(fold.exit) == "h"]
    adjoint = _random.normal(size=(4, 3))
    behind = gates.through(fold, gates.stem_of(fold), adjoint)
    np.testing.assert_allclose(behind, adjoint * (1 - graph.values[fold.exit] ** 2))
    np.testing.assert_allclose(fold.pulled_back(adjoint)[fold.entries[0]], X.T @ behind)


@pytest.mark.parametrize(
    ("one_by_one", "together"),
    [
        (["1", "1"], "1"),
        (["−1", "−1"], "1"),
        (["−1", "⊙ x"], "⊙ −x"),
        (["· Wᵀ", "−1", "transpose"], "· (−Wᵀ), transpose"),
        (["broadcast / 3", "broadcast / 2", "⊙ 2·x"], "⊙ 2·x ÷ 3 ÷ 2"),
        (["⊙ a, Σ rows", "xᵀ ·"], "⊙ a, Σ rows, xᵀ ·"),
    ],
)
def test_gates_that_follow_each_other_are_one(one_by_one, together):
    assert gates.composed(one_by_one) == together


def test_a_sum_of_terms_that_are_told_alike_entry_by_entry_has_a_vector_at_its_gate():
    def neuron(w, x, b):
        z = sum(wi * xi for wi, xi in zip(w, x, strict=True)) + b
        return np.tanh(z)

    graph = ad.trace(neuron, *_random.normal(size=(2, 6)), 0.5)
    folds = layers(graph)[0]
    assert symbols(folds, "z") == ("", {"w": "· x", "x": "· w", "b": "1"})
    (fold,) = [fold for fold in folds.folds.values() if graph.name(fold.exit) == "z"]
    assert gates.apart(fold, 0, 1.0) == []
    narrator = SweepNarrator(
        flow_over(folds, flow_of(graph, Timeline.record({}, sweeps.toposort(graph)), True)),
        flow_scene.named(folds, "f"),
    )
    given, factor, result = next(operations(narrator, (fold.exit, 0)))[1]["tables"]
    assert factor["name"][0] == "x"
    np.testing.assert_allclose(
        np.multiply(given["map"]["data"][0], factor["map"]["data"]), result["map"]["data"], rtol=1e-5
    )


def attention(x, wq, wk, wv):
    q = x @ wq
    k = x @ wk
    v = x @ wv
    scores = q @ k.T / 2.0
    scores = scores - np.max(scores, axis=1, keepdims=True)
    weights = np.exp(scores)
    weights /= np.sum(weights, axis=1, keepdims=True)
    out = weights @ v
    return np.mean(out**2)


def test_neighboring_statements_that_give_one_name_new_values_are_one_box_where_the_path_is_long(monkeypatch):
    arguments = [np.random.default_rng(1).normal(size=shape) for shape in ((3, 2), (2, 2), (2, 2), (2, 2))]
    graph = ad.trace(attention, *arguments)
    several = [place.label for place, _ in statements.layers(graph)[0].boxes if not place.is_line]
    assert several == []
    monkeypatch.setattr(statements, "MOST_DEPTH", 5)
    told, *inside = statements.layers(graph)
    first = attention.__code__.co_firstlineno
    labels = [place.label for place, _ in told.boxes if not place.is_line]
    assert labels == [f"lines {first + 4}–{first + 5}", f"lines {first + 6}–{first + 7}"]
    assert {place.brief for place, _ in inside[0].boxes} >= {f"line {first + 5}", f"line {first + 7}"}
