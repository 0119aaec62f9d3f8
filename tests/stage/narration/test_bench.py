"""The bench: each sum that is written out is what NumPy computes, and what is lit is what takes part in it."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.jacobians.base import LinearMap
from adviz.stage.narration.bench import MOST_TERMS, benches, operations
from adviz.stage.narration.folds import choosing
from adviz.stage.narration.folds.folded_graph import FoldedGraph, Place
from adviz.stage.narration.levels import SweepNarrator
from adviz.stage.scene import formulas
from adviz.stage.scene.text_widths import printable
from adviz.stage.shows import sweep_scene
from adviz.stage.shows.flow_scene import named

from ..panels import HOSTILE
from ..programs import quietly
from .folds.programs import PROGRAMS as LARGE
from .test_flows import forward, reverse

RNG = np.random.default_rng(5)


def drawn(*shape):
    return RNG.normal(size=shape)


def softmax(W1, b1, W2, b2):
    h = np.tanh(np.arange(8.0).reshape(4, 2) / 8 @ W1 + b1)
    z = h @ W2 + b2
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return -np.mean(np.sum(np.eye(2)[[0, 1, 1, 0]] * np.log(e / np.sum(e, axis=1, keepdims=True)), axis=1))


PROGRAMS = {
    "softmax": (softmax, drawn(2, 3), drawn(3), drawn(3, 2), drawn(2)),
    "layer": (lambda W, x, b: np.sum(np.tanh(W @ x + b) ** 2), drawn(3, 4), drawn(4), drawn(3)),
    "differences": (lambda x: np.sum((x[1:] - x[:-1]) ** 2), drawn(7)),
    "spread": (lambda X, m: np.mean((X - m) ** 2), drawn(5, 3), drawn(3)),
    "column": (lambda X, m: np.sum(X * m[:, None] / 3.0), drawn(2, 6), drawn(2)),
    "vectors": (lambda x, y: x @ y, drawn(6), drawn(6)),
    "vector and matrix": (lambda x, A: np.sum(x @ A), drawn(3), drawn(3, 2)),
    "stack": (lambda A, B: np.sum((A @ B) ** 2), drawn(2, 3, 4), drawn(4, 5)),
    "stack and vector": (lambda A, x: np.sum(A @ x), drawn(2, 3, 4), drawn(4)),
    "axes": (
        lambda A: np.sum(np.sum(A, axis=(0, 2)) ** 2) + np.mean(A, axis=1, keepdims=True)[0, 0, 0],
        drawn(2, 3, 4),
    ),
    "chosen": (lambda x: np.sum(np.where(x > 0, x, 0.1 * x)) + np.max(x) + np.prod(x), drawn(6)),
    "moved": (lambda x: np.sum(np.concatenate([x.T.reshape(-1), x[0], x[1, [0, 0, 2]]]) ** 2), drawn(2, 3)),
    "sorted": (lambda x: np.sum(np.sort(x) * np.cumsum(x)), drawn(5)),
    "convolved": (lambda x, k: np.sum(np.convolve(x, k) ** 2), drawn(7), drawn(3)),
    "inverse": (lambda A: np.sum(np.linalg.inv(A + 4 * np.eye(3))), drawn(3, 3)),
    "numbers": (lambda x, a: np.sum(a * x) * a, drawn(3), 2.0),
}


def bench(narrator, edge):
    """The only operation of an edge, or the last one; ``None`` if there is none."""
    return next((found for _, found in reversed([*operations(narrator, edge)])), None)


def sweeps(graph):
    direction = {node: np.ones(np.shape(graph.values[node])) for node in graph.inputs}
    return [SweepNarrator(flow, named(graph, "f")) for flow in (reverse(graph), forward(graph, direction))]


def result_of(found):
    return found["tables"][-1]


def total(entry):
    return sum(math.prod(map(float, term)) for term in entry["terms"]) + float(entry["rest"])


def picked(found, value):
    """The entries that are shown of the result, taken from the array by their index."""
    table = result_of(found)["map"]
    for row in table["rows"]:
        for column in table["columns"]:
            place = {"row": row, "column": column}
            yield float(np.asarray(value)[tuple(place[axis] if axis in place else int(axis) for axis in found["at"])])


def check(narrator, edge):
    """The result is the product of the sweep; each of its entries is the sum that is written out."""
    found, product = bench(narrator, edge), narrator.flow.sent[edge].product
    data = np.array(result_of(found)["map"]["data"], float)
    assert data == pytest.approx([*picked(found, product)], rel=1e-5)
    assert len(found["signs"]) == len(found["tables"])
    assert found["signs"][-1][0].endswith("=")
    assert len(found["at"]) == np.ndim(product)
    for entry, value in zip(found["sums"], data, strict=bool(found["sums"])):
        assert total(entry) == pytest.approx(value, rel=1e-4, abs=1e-3)
        assert len(entry["terms"]) <= MOST_TERMS
        assert all(len(term) in (len(found["tables"]) - 1, 2) for term in entry["terms"])
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_sum_that_is_written_out_is_what_the_sweep_computes(program):
    f, *arguments = PROGRAMS[program]
    for narrator in sweeps(ad.trace(f, *arguments)):
        for edge in narrator.flow.sent:
            check(narrator, edge)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_last_tables_are_the_gradient(program):
    f, *arguments = PROGRAMS[program]
    narrator, _ = sweeps(ad.trace(f, *arguments))
    gradient = ad.grad(f, argnums=tuple(range(len(arguments))))(*arguments)
    for table, derivative in zip(benches(narrator)[-1]["tables"], gradient, strict=True):
        matrix = np.atleast_2d(derivative)[(0,) * (np.ndim(derivative) - 2)]
        shown = matrix[np.ix_(table["map"]["rows"], table["map"]["columns"])]
        assert table["map"]["data"] == pytest.approx(shown.ravel(), rel=1e-5)


def lit(found, entry):
    """The entries of each operand that are lit for an entry of the result, by the rule that the page follows."""
    place = divmod(entry, len(result_of(found)["map"]["columns"]))
    for table in found["tables"][:-1]:
        rows, columns = (len(table["map"][axis]) for axis in ("rows", "columns"))
        chosen = [
            range(count) if rule == "all" or count == 1 else [at]
            for rule, at, count in zip(table["lit"], place, (rows, columns), strict=True)
        ]
        yield [table["map"]["data"][row * columns + column] for row in chosen[0] for column in chosen[1]]


SIZES = st.integers(1, 5)


@given(SIZES, SIZES, SIZES, st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_what_is_lit_of_a_matrix_product_are_the_factors_of_its_terms(m, n, p, lies, stands):
    left, right = drawn(n) if lies else drawn(m, n), drawn(n) if stands else drawn(n, p)
    graph = ad.trace(lambda A, B: np.sum(A @ B), left, right)
    for narrator in sweeps(graph):
        for edge in [edge for edge in narrator.flow.sent if edge[0] == 2]:
            found = check(narrator, edge)
            for k, entry in enumerate(found["sums"]):
                for factor, cells in enumerate(lit(found, k)):
                    assert [term[factor] for term in entry["terms"]] == cells


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
@settings(max_examples=25, deadline=None)
def test_what_is_repeated_receives_a_sum_over_its_repetitions(shape, data):
    own = [data.draw(st.sampled_from([1, size])) for size in shape][data.draw(st.integers(0, len(shape))) :]
    x, y = drawn(*shape), drawn(*own)
    graph = ad.trace(lambda x, y: np.sum(x * y * np.ones(shape)), x, y)
    for narrator in sweeps(graph):
        for edge in narrator.flow.sent:
            check(narrator, edge)
    found = bench(sweeps(graph)[0], (2, 1))
    repeated = math.prod(np.shape(x)) // math.prod(np.shape(y))
    assert found["sums"][0]["others"] + len(found["sums"][0]["terms"]) == repeated
    assert ("Σ" in found["signs"][0][0]) == (repeated > 1 or np.ndim(y) < np.ndim(x))


def signs(program, *arguments):
    narrator, _ = sweeps(ad.trace(program, *arguments))
    said = {}
    for edge in narrator.flow.sent:
        found = bench(narrator, edge)
        words = [part for sign, table in zip(found["signs"], found["tables"], strict=True) for part in (sign[0], table)]
        names = [part if isinstance(part, str) else f"{part['name'][0]} {part['shape'][0]}".strip() for part in words]
        said[edge] = " ".join(filter(None, names))
    return said


def test_operations_are_written_in_the_names_of_the_source():
    def f(x, W, b):
        z = x @ W + b
        h = np.tanh(z)
        return np.mean(h[1:])

    said = signs(f, drawn(4, 3), drawn(3, 2), drawn(2))
    assert [*said.values()] == [
        "broadcast f · 1/6 = h[1:] 3×2",
        "h[1:] 3×2 at [1:] = h 4×2",
        "h 4×2 ⊙ 1 − h² 4×2 = z 4×2",
        "z 4×2 = x @ W 4×2",
        "Σ rows z 4×2 = b 2",
        "x @ W 4×2 · Wᵀ 2×3 = x 4×3",
        "xᵀ 3×4 · x @ W 4×2 = W 3×2",
    ]


def test_of_large_matrices_some_rows_and_of_long_sums_the_largest_terms_are_told():
    narrator, _ = sweeps(ad.trace(lambda X, W: np.sum((X @ W) ** 2), drawn(32, 64), drawn(64, 50)))
    found = check(narrator, (2, 1))
    assert result_of(found)["map"]["rows"] == [0, 1, 2, 63]
    assert result_of(found)["map"]["columns"] == [0, 1, 2, 49]
    assert [table["shape"][0] for table in found["tables"]] == ["64×32", "32×50", "64×50"]
    X, adjoint = (narrator.graph.values[0], narrator.flow.sent[2, 1].given)
    products = X[:, 63] * adjoint[:, 49]
    largest = np.sort(np.abs(products))[::-1]
    entry = found["sums"][-1]
    assert [abs(math.prod(term)) for term in entry["terms"]] == pytest.approx(largest[:2], rel=1e-4)
    assert entry["others"] == 30
    assert len(json.dumps(found)) < 5_000


def test_contributions_are_tables_that_add_up_and_of_many_some_are_shown():
    narrator, _ = sweeps(ad.trace(lambda x: sum(np.sum(x**k) for k in range(2, 8)), drawn(3)))
    (found,) = [each for each in benches(narrator) if each["tables"][0]["mark"] == "via"]
    assert [table["mark"] for table in found["tables"]] == ["via", "via", "bar"]
    assert [sign for sign, _ in found["signs"]] == ["", "+ … +", "="]
    data = result_of(found)["map"]["data"]
    assert [total(entry) for entry in found["sums"]] == pytest.approx(data, rel=1e-4)
    assert [entry["others"] for entry in found["sums"]] == [4] * 3


def test_entries_that_are_moved_say_where_they_come_from():
    narrator, _ = sweeps(ad.trace(lambda x: np.sum(x[[0, 0, 2]] ** 2), drawn(4)))
    found = check(narrator, (1, 0))
    assert [entry["places"] for entry in found["sums"]] == [[0, 1], [], [2], []]
    assert [len(entry["terms"]) for entry in found["sums"]] == [2, 0, 1, 0]


def test_of_a_large_map_without_entries_only_its_ends_are_shown():
    narrator, _ = sweeps(ad.trace(lambda x: np.sum(np.cumsum(x, axis=0)), drawn(30)))
    assert isinstance(narrator.graph.local_jacobians(1)[0][1], LinearMap)
    found = bench(narrator, (1, 0))
    assert not found["sums"]
    assert [table["shape"][0] for table in found["tables"]] == ["30", "30"]


@pytest.mark.parametrize("program", LARGE)
def test_folds_have_a_form_too(program):
    folds = choosing.folded(ad.trace(program, *LARGE[program]))
    flow = reverse(folds)
    narrator = SweepNarrator(flow, named(folds, "f"))
    for edge in flow.sent:
        found = check(narrator, edge)
        if found["signs"][0][0].startswith("J"):
            sizes = [np.size(folds.values[node]) for node in (flow.target(edge), edge[0])]
            assert found["signs"][0][0] == f"Jᵀ {sizes[0]}×{sizes[1]} ·"


def steps_of(narrator, head):
    return {sent.step for edge, sent in narrator.flow.sent.items() if edge[0] == head}


def test_along_a_single_path_through_a_fold_its_gates_are_told_one_after_the_other():
    def f(x, W, b):
        h = np.tanh(x @ W + b)
        return np.sum(h)

    graph = ad.trace(f, drawn(4, 3), drawn(3, 2), drawn(2))
    line = FoldedGraph(graph, [(Place("h", "h", "", (0, 0)), [3, 4, 5])])
    narrator = SweepNarrator(reverse(line), named(line, "f"))
    for edge in [edge for edge in narrator.flow.sent if edge[0] == 5]:
        (_, first), (_, last) = operations(narrator, edge)
        check(narrator, edge)
        assert first["tables"][-1]["map"] == next(each for each in last["tables"] if each["mark"])["map"]
    told = [formulas.text(each["title"]) for each in benches(narrator) if each["step"] in steps_of(narrator, 5)]
    assert told == [
        "(x @ W + b)̄ = h̄ ⊙ (1 − h²)",
        "x̄ = (x @ W + b)̄ · Wᵀ",
        "W̄ = xᵀ · (x @ W + b)̄",
        "b̄ = Σ rows((x @ W + b)̄)",
    ]


def test_a_product_of_numbers_inside_of_a_fold_is_written_with_its_numbers_also_where_one_of_them_is_1():
    graph = ad.trace(lambda r, x, c: 3.0 * (r * x + c), -1.0, 1.0, 2.0)
    line = FoldedGraph(graph, [(Place("y", "y", "", (0, 0)), [3, 4])])
    narrator = SweepNarrator(reverse(line), named(line, "f"))
    found = {narrator.names(narrator.flow.target(edge)): bench(narrator, edge) for edge in [(4, 0), (4, 1), (4, 2)]}
    told = {name: formulas.text(each["title"]).split("= ", 1)[1] for name, each in found.items()}
    assert told == {
        "r": "(r·x + c)̄ · x = 3 · 1 = 3",
        "x": "(r·x + c)̄ · r = 3 · (−1) = −3",
        "c": "(r·x + c)̄ · 1 = 3 · 1 = 3",
    }
    assert [table["name"][0] for table in found["r"]["tables"]] == ["r·x + c", "x", "r"]
    assert [sign for sign, _ in found["x"]["signs"]] == ["", "·", "="]


def normalized(e):
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p**2)


def sweeps_over_the_line(e):
    graph = ad.trace(normalized, e)
    line = FoldedGraph(graph, [(Place("line 2, p", "p", "", (0, 0), is_line=True), [1, 2])])
    direction = {0: np.cos(np.arange(float(e.size))).reshape(e.shape)}
    return [SweepNarrator(flow, named(line, "f")) for flow in (reverse(line), forward(line, direction))]


@pytest.mark.parametrize("shape", [(4, 2), (1, 3), (7, 6)])
def test_a_jacobian_without_a_short_form_is_told_in_numbers_for_each_row(shape):
    for narrator in sweeps_over_the_line(np.exp(drawn(*shape))):
        found = check(narrator, (2, 0))
        given, jacobian, result = found["tables"]
        assert jacobian["name"][0] == ("J" if narrator.flow.reverse else "Jᵀ")
        rows, high, wide = (len(result["map"]["rows"]), len(given["map"]["columns"]), len(result["map"]["columns"]))
        assert jacobian.get("by_row", 1) == rows
        assert len(jacobian["map"]["data"]) == rows * high * wide
        e = narrator.graph.values[0]
        p = e / e.sum(axis=1, keepdims=True)
        matrix = (np.eye(shape[1]) - p[0][:, None]) / e[0].sum()  # entry i of p by entry j of e
        first = jacobian["map"]["data"][: high * wide]
        shown = np.ix_(given["map"]["columns"], result["map"]["columns"])
        assert first == pytest.approx((matrix if narrator.flow.reverse else matrix.T)[shown].ravel(), rel=1e-4)


def test_a_jacobian_that_mixes_rows_has_no_matrix_for_a_row():
    def mixed(x):
        y = x * np.sum(x)
        return np.sum(y**3)

    line = FoldedGraph(ad.trace(mixed, drawn(3, 2)), [(Place("line 2, y", "y", "", (0, 0), is_line=True), [1, 2])])
    narrator = SweepNarrator(reverse(line), named(line, "f"))
    assert len(check(narrator, (2, 0))["tables"]) == 2


def test_what_comes_along_several_paths_through_a_line_is_shown_as_it_adds_up():
    narrator, _ = sweeps_over_the_line(np.exp(drawn(4, 2)))
    (_, added), _ = operations(narrator, (2, 0))
    assert formulas.text(added["title"]) == "e\u0304 = via p + via sum(e)"
    assert [table["name"][0] for table in added["tables"]] == ["p", "sum(e)", "e"]
    assert [sign for sign, _ in added["signs"]] == ["", "+", "="]
    for entry, value in zip(added["sums"], result_of(added)["map"]["data"], strict=True):
        assert total(entry) == pytest.approx(value, rel=1e-4, abs=1e-5)
    caption = next(rests["nodes"]["caption"] for rests in narrator.keyframes().values() if "J," in str(rests["nodes"]))
    assert "directly and through sum(e, axis=1, keepdims=True) at once, so these effects add." in caption


def test_paths_whose_first_nodes_have_the_same_name_are_told_by_others():
    graph = ad.trace(lambda z: np.sum((np.exp(z) / np.sum(np.exp(z))) ** 2), drawn(3))
    line = FoldedGraph(graph, [(Place("line 2, p", "p", "", (0, 0), is_line=True), [1, 2, 3, 4])])
    narrator = SweepNarrator(reverse(line), named(line, "f"))
    (_, added), _ = operations(narrator, (4, 0))
    assert [table["name"][0] for table in added["tables"]] == ["exp(z)", "sum(exp(z))", "z"]
    caption = next(rests["nodes"]["caption"] for rests in narrator.keyframes().values() if "J," in str(rests["nodes"]))
    assert "through exp(z) and through sum(exp(z)) at once" in caption


def test_what_is_not_finite_is_text_and_what_is_empty_has_no_bench():
    narrator, _ = sweeps(quietly(lambda x: np.sum(np.log(x) * x), np.array([0.0, -1.0, 2.0])))
    found = benches(narrator)
    assert "NaN" in json.dumps(found, allow_nan=False)
    empty, _ = sweeps(ad.trace(lambda x: np.sum(x * x), np.zeros(0)))
    assert all(bench(empty, edge) is None for edge in empty.flow.sent)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_text(hostile):
    graph = ad.trace(lambda x, A: np.sum(A @ x), drawn(3), drawn(2, 3))
    graph.names[0] = hostile
    (panel,) = (each for each in sweep_scene.backward_scene(graph)[0]["panels"] if each["kind"] == "bench")
    names = [table["name"] for found in panel["benches"] for table in found["tables"]]
    assert all(name == "" or (len(name) < 60 and printable(name) == name) for name, _ in names)
    assert all(wide <= 240 for _, wide in names)


def test_the_bench_stands_where_arrays_are_and_formulas_where_numbers_are():
    def kinds(program, *arguments):
        return [panel["kind"] for panel in ad.show_backward(program, *arguments).scene["panels"]]

    assert "bench" in kinds(lambda x: np.sum(x * x), drawn(3))
    assert "formula" not in kinds(lambda x: np.sum(x * x), drawn(3))
    assert "bench" not in kinds(lambda x: x * x, 2.0)
    assert "formula" in kinds(lambda x: x * x, 2.0)


def test_there_is_an_operation_for_each_move_and_one_for_the_values():
    show = sweep_scene.backward_scene(ad.trace(*PROGRAMS["softmax"]))[0]
    panels = {panel["kind"]: panel for panel in show["panels"]}
    steps = [move["step"] for move in panels["flow"]["moves"]]
    assert [each["step"] for each in panels["bench"]["benches"]] == [-1, *steps]
    assert formulas.text(panels["bench"]["benches"][-1]["title"]) == "The gradient, in the shapes of the inputs"


def test_a_show_with_an_array_without_entries_is_saved(tmp_path):
    player = ad.show_forward(lambda x: np.sum(x[:0] * x[:0] + x[:0]) + np.sum(x), np.ones(2))
    player.save(tmp_path / "page.html")
    player.save(tmp_path / "picture.svg")
