"""The Scene: the document and its columns."""

import json
from pathlib import Path
from types import SimpleNamespace

import IPython
import numpy as np
import pytest
from scipy.optimize import rosen

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import explorer_scene

from ..goldens import stage_at

TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4", "f64": "<f8"}
GOLDENS = sorted((Path(__file__).parents[2] / "goldens").glob("s*s/*.json"))


def unpack(graph, document, buffer):
    """The columns as the front end reads them: one entry stands for all where they are equal."""
    columns = {}
    for entry in document["columns"]:
        assert entry["offset"] % 8 == 0
        column = np.frombuffer(buffer, TYPES[entry["type"]], entry["length"], entry["offset"])
        size = len(graph.scopes) if entry["name"].startswith("scope_") else len(graph)
        columns[entry["name"]] = column
        if len(column) == 1 and entry["name"] not in explorer_scene.WHOLE:
            columns[entry["name"]] = np.repeat(column, size)
    return columns


def program(x, y):
    h = np.tanh(x * y)
    unused = np.cos(h)  # noqa: F841
    return np.where(h > 0, h, y), np.sum(h * h)


@pytest.fixture(params=["array", "scalar"])
def graph(request):
    if request.param == "array":
        return ad.trace(program, np.linspace(-1, 1, 5), 2.0)
    return ad.trace(rosen, np.linspace(-1, 1, 30), grain="scalar")


def test_columns_say_of_every_node_what_the_graph_says(graph):
    document, buffer = explorer_scene.document(graph)
    columns = unpack(graph, document, buffer)
    rest = {}
    for node, operand in zip(columns["rest_node"].tolist(), columns["rest_operand"].tolist(), strict=True):
        rest.setdefault(node, []).append(operand)
    for node in graph:
        k = node.index
        operands = [int(columns[name][k]) for name in ("first", "second") if columns[name][k] >= 0] + rest.get(k, [])
        assert operands == graph.operand_nodes(k)
        assert columns["uses"][k] == node.times_used
        assert bool(columns["flags"][k] & explorer_scene.LIVE) == node.live
        assert columns["scope"][k] == graph.scopes.of_node[k]
        block = document["tables"]["blocks"][columns["block"][k]]
        assert (block["name"], block["family"]) == (node.block.name, node.block.family)
        assert columns["bytes"][k] == node.bytes
        if np.ndim(node.value) == 0:
            assert columns["value"][k] == node.value


def test_spans_are_the_sub_expressions_in_characters(graph):
    document, buffer = explorer_scene.document(graph)
    columns, files = unpack(graph, document, buffer), document["source"]["files"]
    for node in graph:
        row = columns["span"][node.index]
        if node.origin is None:
            assert row == -1
            continue
        file, line, column, end_line, end_column, _ = document["tables"]["spans"][row]
        lines = files[file]["text"].split("\n")[line - files[file]["line"] : end_line - files[file]["line"] + 1]
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        assert "\n".join(lines) == node.origin.text


def test_scopes_travel_as_columns(graph):
    document, buffer = explorer_scene.document(graph)
    columns, labels = unpack(graph, document, buffer), document["tables"]["scope_labels"]
    for number in range(len(graph.scopes)):
        scope = graph.scopes[number]
        assert columns["scope_parent"][number] == scope.parent
        assert columns["scope_end"][number] == scope.end
        assert columns["scope_nodes"][number] == scope.nodes
        assert labels[columns["scope_label"][number]] in (graph.scope_label(number), "iteration")


def test_the_document_is_json_without_nan_even_if_values_are_not_finite():
    with pytest.warns(ad.NonFiniteWarning):
        graph = ad.trace(lambda x: np.log(x) + 1.0, np.array([-1.0, 0.0, 1.0]))
    document, buffer = explorer_scene.document(graph)
    json.dumps(document, allow_nan=False)
    flags = unpack(graph, document, buffer)["flags"]
    assert flags[1] & explorer_scene.NAN
    assert flags[1] & explorer_scene.INF


def test_sizes_add_up(graph):
    panel = explorer_scene.sizes_panel(graph)
    assert panel["nodes"] == len(graph) == sum(row["count"] for row in panel["uses"])
    assert panel["dead"] == graph.live.count(0)
    assert panel["edges"] == graph.edges
    assert all(row["uses"] <= row["upto"] for row in panel["uses"])


def test_use_counts_are_exact_up_to_four_and_double_beyond():
    rows = explorer_scene.use_counts([0, 1, 4, 5, 7, 8, 15, 16, 100])
    assert [(row["uses"], row["upto"], row["count"]) for row in rows] == [
        (0, 0, 1), (1, 1, 1), (4, 4, 1), (5, 7, 2), (8, 15, 2), (16, 31, 1), (64, 127, 1),
    ]  # fmt: skip


def test_a_function_that_returns_equal_constants_keeps_its_number_of_nodes():
    graph = ad.trace(lambda x: np.array([1.0 + 0.0 * x[0]] * 3), np.ones(3), grain="scalar")
    document, buffer = explorer_scene.document(graph)
    assert len(unpack(graph, document, buffer)["first"]) == len(graph)
    whole = {entry["name"]: entry["length"] for entry in document["columns"]}
    assert (whole["first"], whole["scope_parent"]) == (len(graph), len(graph.scopes))


def test_goldens_are_scenes_and_their_stages_are_as_written():
    assert GOLDENS
    for path in GOLDENS:
        golden = json.loads(path.read_text(encoding="utf-8"))
        schema.check(golden["scene"])
        for k, stage in enumerate(golden["stages"]):
            assert stage_at(golden["scene"], k) == stage, (path.name, k)


@pytest.mark.long
def test_a_hundred_thousand_nodes_fit_into_four_megabytes():
    def recurrence(x):
        for _ in range(25_000):
            x = np.sin(x) * x * (-0.01) + x
        return x

    document, buffer = explorer_scene.document(ad.trace(recurrence, 1.3))
    assert len(buffer) + len(json.dumps(document)) < 4_000_000


def test_the_source_of_a_cell_is_called_as_ipython_calls_it(monkeypatch):
    (file,) = explorer_scene.document(ad.trace(lambda x: x * x, 3.0))[0]["source"]["files"]
    assert file["path"] == __file__
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name={__file__: ("Cell", "In[2]")}.get))
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    (file,) = explorer_scene.document(ad.trace(lambda x: x * x, 3.0))[0]["source"]["files"]
    assert file["path"] == "Cell In[2]"


def repeated(x):
    for _ in range(40):
        x = 2.5 * x * (1.0 - x)
    return x


STRAIGHT = "\n".join(f"    v{k} = np.sin(v{k - 1}) * v{max(k - 3, 0)} + {k}.5" for k in range(1, 31))


def straight():
    space = {"np": np}
    exec(f"def straight(v0, w):\n{STRAIGHT}\n    return v30 * w", space)
    return space["straight"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ad.trace(repeated, 0.4),
        lambda: ad.trace(straight(), 0.3, 2.0),
        lambda: ad.trace(rosen, np.linspace(0, 1, 12), grain="scalar"),
        lambda: ad.trace(lambda A: np.sum(np.tanh(A) ** 2), np.ones((5, 5)), grain="scalar"),
        lambda: ad.trace(lambda A, x: np.sum((A @ x) ** 2), np.ones((4, 6)), np.ones(6), grain="scalar"),
    ],
)
def test_graphs_of_75_to_150_nodes_begin_with_a_picture_that_fits(make):
    graph = make()
    assert 75 <= len(graph) <= 150
    panel = explorer_scene.view(graph)
    assert len(panel["nodes"]) <= 20
    # Labels can be read at 0.7 of their size. Of a page of 1280 × 720 px the picture has 835 × 650 px, and of one
    # that is 760 px wide 454 px.
    assert panel["width"] * 0.7 <= 454
    assert panel["height"] * 0.7 <= 650


def test_a_matrix_of_inputs_is_one_item_with_its_grid_and_opens_as_rows_and_columns():
    A = np.arange(70.0).reshape(10, 7)
    graph = ad.trace(lambda A: np.sum(np.tanh(A) ** 2), A, grain="scalar")
    (fold,) = [item for item in explorer_scene.view(graph)["nodes"] if item["label"] == "A"]
    assert np.reshape(fold["map"]["data"], fold["map"]["shape"]).tolist() == A.tolist()
    opened = explorer_scene.view(graph, fold["span"][0])
    places = {item["label"]: (item["x"], item["y"]) for item in opened["nodes"]}
    assert len(places) == 70
    assert len({places[f"A[3, {k}]"][1] for k in range(7)}) == 1
    assert len({places[f"A[{k}, 2]"][0] for k in range(10)}) == 1
    assert opened["edges"] == []
    assert opened["note"] == "Entries of one array: their edges lead outside, and are not drawn."


def test_inputs_stand_beside_what_uses_them():
    def late(x, w):
        for _ in range(4):
            x = np.sin(x)
        return x * w

    items = {item["label"]: item["y"] for item in explorer_scene.view(ad.trace(late, 0.3, 2.0))["nodes"]}
    assert items["x"] < items["w"] < items["×"]
    assert items["×"] - items["w"] < 100


def test_the_sizes_are_those_of_the_opened_scope():
    graph = ad.trace(repeated, 0.4)
    whole, inner = explorer_scene.sizes_panel(graph), explorer_scene.view(graph, 1)["sizes"]
    assert (whole["scope"], whole["nodes"], whole["inputs"]) == (0, 122, 1)
    assert graph.scopes[inner["scope"]].kind == "iteration"
    assert (inner["nodes"], inner["edges"], inner["depth"], inner["width"]) == (3, 2, 1, 2)
    assert (inner["inputs"], inner["outputs"], inner["bytes"]) == (1, 1, 24)


def test_the_peaks_are_those_of_live_bytes(graph):
    found = {peak["gradient"]: peak for peak in explorer_scene.peaks(graph)}
    assert False in found
    for gradient, peak in found.items():
        live = ad.live_bytes(graph, gradient)
        holders = live.holders(most=len(graph) * 2)
        assert (peak["bytes"], peak["node"]) == (live.peak, live.node_at(live.peak_at).index)
        assert peak["back"] == (live.peak_at >= len(graph))
        assert {*peak["nodes"]} == {each.node.index for each in holders}
        assert peak["count"] == len(peak["nodes"])
        shown = [(each["node"], each["what"], each["bytes"]) for each in peak["holders"]]
        assert shown == [(each.node.index, each.what, each.bytes) for each in holders[: len(shown)]]


def test_a_peak_that_many_hold_names_the_largest():
    graph = ad.trace(lambda x: np.sum(np.sin(x) * x), np.linspace(0, 1, 3000), grain="scalar")
    evaluation, gradient = explorer_scene.peaks(graph)
    assert gradient["count"] > explorer_scene.MOST_ALIVE == len(gradient["nodes"])
    assert len(evaluation["holders"]) == explorer_scene.MOST_HOLDERS


def test_times_are_a_column_where_they_were_measured(graph):
    seconds = np.arange(len(graph)) * 1e-6
    document, buffer = explorer_scene.document(graph, seconds=seconds)
    assert unpack(graph, document, buffer)["seconds"] == pytest.approx(seconds.tolist())
    assert "seconds" not in {entry["name"] for entry in explorer_scene.document(graph)[0]["columns"]}


def test_scopes_that_are_made_alike_have_one_name():
    def f(x):
        for _ in range(3):
            x = 0.5 * repeated(x) * repeated(x * 0.5)
        return x

    graph = ad.trace(f, 0.4)
    document, buffer = explorer_scene.document(graph)
    groups, of_scope = document["tables"]["scope_groups"], unpack(graph, document, buffer)["scope_group"]
    names = [name for name, around in groups if around >= 0 and groups[around][1] == 0]
    assert len({*names}) == len(names) == 2
    assert all(name.startswith("repeated (test_explorer_scene.py:") for name in names)
    paths = graph.by("scope")["scope"].tolist()
    for scope in range(len(graph.scopes)):
        group, parts = of_scope[scope], []
        while group >= 0:
            parts, group = [groups[group][0], *parts], groups[group][1]
        assert any(path.startswith(" › ".join(parts)) for path in paths)


def test_the_sizes_of_all_inner_scopes_of_one_level_add_up():
    graph = ad.trace(lambda x: repeated(x) + repeated(x * 2.0), 0.4)
    parts = [explorer_scene.sizes_panel(graph, scope) for scope in graph.scopes.children(0)]
    own = sum(scope == 0 for scope in graph.scopes.of_node)
    assert sum(part["nodes"] for part in parts) + own == len(graph)
