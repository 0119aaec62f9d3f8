"""What is on screen when a scope is opened."""

import linecache

import numpy as np
import pytest
from scipy.optimize import rosen

import adviz as ad
from adviz.stage.shows import folding


def repeated(x, steps=1000):
    for _ in range(steps):
        x = np.sin(x) * 0.5
    return x


def helper(x):
    return np.exp(-x) * np.sin(x) + np.cos(x) * x


def uneven(x):
    for k in range(400):
        x = np.sin(x) + 1.0
        for _ in range(k % 3):
            x = x * x - 0.5
    return x


def every_panel(graph, most=80):
    """Panels of all scopes that can be opened from the root, breadth first."""
    seen, waiting = {}, [0]
    while waiting and len(seen) < most:
        scope = waiting.pop(0)
        if scope not in seen:
            seen[scope] = folding.panel(graph, scope)
            waiting += [item["span"][0] for item in seen[scope]["nodes"] if item["span"]]
    return seen.values()


def test_a_small_graph_shows_every_node():
    graph = ad.trace(rosen, np.linspace(0, 1, 4))
    panel = folding.panel(graph)
    assert sorted(item["node"] for item in panel["nodes"]) == list(range(len(graph)))
    no_uses = [*graph.outputs, *(node for node in range(len(graph)) if not graph.live[node])]
    returned = sum(len(graph.operand_nodes(node)) for node in no_uses)  # drawn as well
    assert sum(edge["count"] for edge in panel["edges"]) == graph.edges + returned


def test_a_repeated_operand_is_one_edge_that_counts_two():
    panel = folding.panel(ad.trace(lambda x: x * x, 3.0))
    assert [(edge["key"], edge["count"]) for edge in panel["edges"]] == [("n0>n1", 2), ("n1>n2", 1)]


def test_a_long_loop_folds_into_one_item_with_its_count():
    panel = folding.panel(ad.trace(repeated, 0.3))
    (fold,) = [item for item in panel["nodes"] if item["kind"] == "scope"]
    assert fold["label"].startswith("for _ in range(steps)")
    assert fold["label"].endswith("× 1,000")
    assert (fold["count"], fold["repeat"]) == (2000, 1000)


def test_opening_a_loop_whose_iterations_are_alike_opens_the_first_and_steps_through_the_others():
    graph = ad.trace(repeated, 0.3)
    loop = next(item for item in folding.panel(graph)["nodes"] if item["kind"] == "scope")["span"][0]
    panel = folding.panel(graph, loop)
    assert [step["label"] for step in panel["path"]] == ["repeated", "for _ in range(steps)", "iteration 1"]
    siblings = panel["siblings"]
    assert (siblings["index"], siblings["count"]) == (0, 1000)
    last = folding.panel(graph, siblings["first"] + 999 * siblings["stride"])
    assert last["path"][-1]["label"] == "iteration 1,000"
    assert [item["label"] for item in last["nodes"]][:2] == ["sin", "× 0.5"]


def test_what_comes_from_outside_and_goes_outside_is_shown_at_the_border():
    graph = ad.trace(repeated, 0.3)
    panel = folding.panel(graph, 5)
    outside = [(item["label"], item["detail"]) for item in panel["nodes"] if item["kind"] == "outside"]
    assert outside == [("× 0.5", "from iteration 3"), ("sin", "to iteration 5")]


def test_every_node_of_the_graph_is_in_exactly_one_item_of_the_root():
    graph = ad.trace(uneven, 0.3)
    tree, counted = graph.scopes, 0
    for item in folding.panel(graph)["nodes"]:
        counted += item["count"]
        if item["span"]:
            low, high = item["span"]
            assert sum(low <= scope < high for scope in tree.of_node) == item["count"]
    assert counted == len(graph)


def test_edges_between_items_count_all_edges_that_are_folded():
    graph = ad.trace(uneven, 0.3)
    panel = folding.panel(graph)
    owner = {}
    for item in panel["nodes"]:
        for node, scope in enumerate(graph.scopes.of_node):
            if node == item["node"] or (item["span"] and item["span"][0] <= scope < item["span"][1]):
                owner[node] = item["key"]
    between = {}
    for node in range(len(graph)):
        for operand in graph.operand_nodes(node):
            if owner[operand] != owner[node]:
                key = f"{owner[operand]}>{owner[node]}"
                between[key] = between.get(key, 0) + 1
    assert {edge["key"]: edge["count"] for edge in panel["edges"]} == between


@pytest.mark.parametrize(
    ("function", "argument", "grain"),
    [
        (uneven, 0.3, "array"),
        (repeated, 0.3, "array"),
        (rosen, np.linspace(0, 1, 2000), "scalar"),
        (lambda x: np.sum(np.stack([helper(x * k) for k in range(300)])), 0.3, "array"),
    ],
)
def test_what_is_on_screen_never_exceeds_a_few_hundred_items(function, argument, grain):
    graph = ad.trace(function, argument, grain=grain)
    for panel in every_panel(graph):
        assert len(panel["nodes"]) <= 320
        assert len(panel["edges"]) <= 700


def test_neighbors_that_were_made_alike_fold_together():
    panel = folding.panel(ad.trace(lambda x: sum([helper(x) for _ in range(50)], 0.0), 0.3))
    labels = [item["label"] for item in panel["nodes"] if item["kind"] == "scope"]
    assert labels == ["for _ in range(50)  × 50", "+"]


def test_a_call_of_many_nodes_is_one_item_with_the_name_of_the_function():
    def twice(x):
        return repeated(x, 100) + repeated(x * 2.0, 100)

    labels = [item["label"] for item in folding.panel(ad.trace(twice, 0.3))["nodes"] if item["kind"] == "scope"]
    assert labels == ["repeated", "repeated"]


def test_entries_of_an_argument_fold_under_its_name():
    panel = folding.panel(ad.trace(rosen, np.linspace(0, 1, 200), grain="scalar"))
    assert "x" in [item["label"] for item in panel["nodes"]]


def test_dead_nodes_are_marked():
    def wasteful(x):
        np.cos(x)
        return np.sin(x)

    panel = folding.panel(ad.trace(wasteful, 0.5))
    assert [item["dead"] for item in panel["nodes"]] == [False, True, False, False]


def test_a_scope_that_does_not_exist_is_refused():
    with pytest.raises(IndexError, match="scope 7"):
        folding.panel(ad.trace(np.sin, 1.0), 7)


def filled(x):
    out = np.zeros(6)
    out[0] = x[0] * x[1]
    out[1] = np.sin(x[1])
    out[2:4] = x[:2]
    out[4] = x[2] ** 2
    out[5] = x[0]
    return np.sum(out * out)


def filled_in_a_loop(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.sin(x[i]) * x[0]
    return np.sum(out * out)


def folds(graph, scope=0):
    return [(item["label"], item["detail"]) for item in folding.panel(graph, scope)["nodes"] if item["span"]]


def test_writes_into_one_array_that_follow_each_other_are_one_item_and_open():
    graph = ad.trace(filled, np.array([0.3, 0.5, 0.7]))
    panel = folding.panel(graph)
    (fold,) = [item for item in panel["nodes"] if item["span"]]
    assert (fold["label"], fold["detail"], fold["count"]) == ("out · 5 writes", "vector of length 6", 5)
    assert fold["title"] == "out · 5 writes, vector of length 6, folded"
    label = {item["key"]: item["label"] for item in panel["nodes"]}
    written = [label[edge["tail"]] for edge in panel["edges"] if edge["head"] == fold["key"]]
    assert written == ["×", "sin", "[:2]", "^ 2", "[0]"]
    opened = folding.panel(graph, fold["span"][0])
    assert [item["label"] for item in opened["nodes"] if item["kind"] == "block"] == [
        f"[{key}] =" for key in ("0", "1", "2:4", "4", "5")
    ]


def test_a_loop_that_writes_says_into_what_and_how_often():
    graph = ad.trace(filled_in_a_loop, np.linspace(0.1, 1.0, 400))
    assert folds(graph) == [("for i in range(len(x))  × 400", "out · 400 writes")]


def test_writes_between_which_the_array_is_read_are_not_taken_together():
    def f(x):
        out = np.zeros(8)
        out[0], out[1], out[2], out[3] = x[0], x[1], x[0], x[1]
        for_later = np.sin(out[2])
        out[4] = for_later
        out[5], out[6], out[7], out[0] = x[1], x[0], x[1], x[0]
        return np.sum(out * out)

    graph = ad.trace(f, np.array([0.3, 0.5]))
    assert folds(graph) == [("out · 4 writes", "vector of length 8"), ("out · 5 writes", "vector of length 8")]
    heads = {edge["head"]: edge["tail"] for edge in folding.panel(graph)["edges"]}
    assert all(heads.get(tail) != head for head, tail in heads.items())  # no arrow back


def test_a_long_chain_of_writes_is_one_item_too_after_all_that_it_is_made_of():
    lines = "\n".join(f"    out[{k}] = x[{k % 3}] * {k}.5" for k in range(400))
    space = {"np": np}
    exec(f"def f(x):\n    out = np.zeros(400)\n{lines}\n    return np.sum(out)", space)  # source that nobody has
    panels = every_panel(ad.trace(space["f"], np.ones(3)))
    assert "array · 400 writes" in [item["label"] for panel in panels for item in panel["nodes"]]


def test_a_few_writes_are_shown_one_by_one():
    def f(x):
        x[0] = x[1]
        x[1] = x[2]
        return np.sum(x * x)

    assert folds(ad.trace(f, np.ones(3))) == []


def kinds(panel):
    """The kind and the count of every edge, by its ends."""
    return {(edge["tail"], edge["head"]): (edge["kind"], edge["count"]) for edge in panel["edges"]}


def test_what_is_returned_is_told_apart_from_what_is_used():
    graph = ad.trace(lambda x, y: (x, x * y, x * y + 1.0), 2.0, 3.0)
    panel = folding.panel(graph)
    outputs = {f"n{node}" for node in graph.outputs}
    returned = {ends for ends, (kind, _) in kinds(panel).items() if kind == "returned"}
    assert {head for _, head in returned} == outputs
    assert all(tail not in outputs for tail, _ in returned)
    assert sum(count for kind, count in kinds(panel).values() if kind == "data") == graph.edges


def test_a_value_that_leaves_a_scope_only_to_be_returned_is_not_used_outside():
    graph = ad.trace(lambda x: (repeated(x, 200), repeated(x, 200) + 1.0), 1.0)
    calls = [item["span"][0] for item in folding.panel(graph)["nodes"] if item["span"]]
    leaving = [
        edge["kind"] for call in calls for edge in folding.panel(graph, call)["edges"] if edge["head"].startswith("to")
    ]
    assert sorted(leaving) == ["data", "returned"]


def parts_told(f):
    items = [item for panel in every_panel(ad.trace(f, 0.3)) for item in panel["nodes"]]
    return [item["detail"] for item in items if item["label"].startswith("part ")]


def test_a_part_with_one_name_is_told_by_its_number_of_nodes():
    def named_at_the_end(x):
        total = sum([x] * 3000)
        return total * 2.0

    assert [told for told in parts_told(named_at_the_end) if not told.endswith(" nodes")] == []


def test_a_part_is_told_by_its_first_and_its_last_name(monkeypatch):
    text = "\n".join(["def f(v0):", *(f"    v{k + 1} = np.sin(v{k})" for k in range(400)), "    return v400"])
    monkeypatch.setitem(linecache.cache, "<names>", (len(text), None, text.splitlines(keepends=True), "<names>"))
    names = {"np": np}
    exec(compile(text, "<names>", "exec"), names)
    assert parts_told(names["f"])[:2] == ["v1 … v20", "v21 … v40"]
