"""What differs between two graphs: the laws of a comparison, and that it is of use."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.graph.comparing import alignment
from tests.agreement.programs import programs
from tests.graph.comparing.edited_graphs import edited

MIRRORED = {"added": "removed", "removed": "added", "used more": "used less", "used less": "used more"}


def mirrored(comparison):
    """The differences of a comparison as those of the comparison the other way around."""
    return sorted((MIRRORED.get(d.kind, d.kind), str(d.after), str(d.before)) for d in comparison)


def told(comparison):
    return sorted((d.kind, str(d.before), str(d.after)) for d in comparison)


def traced(program, grain="array"):
    return ad.trace(lambda *inputs: program(np, *inputs), *program.inputs(), grain=grain)


def check_partners(before, after, found):
    """An alignment is increasing, and takes no node twice."""
    mates = [mate for mate in found.tolist() if mate >= 0]
    assert mates == sorted(set(mates))
    assert all(mate < len(after) for mate in mates)
    assert len(found) == len(before)


@settings(max_examples=60)
@given(programs(), st.sampled_from(["array", "scalar"]))
def test_with_itself_and_with_a_copy_of_other_numbers_nothing_differs(program, grain):
    graph = traced(program, grain)
    comparison = ad.compare_graphs(graph, traced(program, grain))
    assert comparison.partners.tolist() == list(range(len(graph)))
    assert (list(comparison), len(comparison), bool(comparison)) == ([], 0, False)
    assert "no differences" in str(comparison)


@settings(max_examples=150)
@given(programs(), st.integers(0, 10**6), st.integers(0, 6))
def test_k_edits_make_at_most_k_differences(program, seed, edits):
    before = traced(program)
    after = edited(before, seed, edits)
    there, back = ad.compare_graphs(before, after), ad.compare_graphs(after, before)
    check_partners(before, after, there.partners)
    assert len(there) <= edits
    assert told(back) == mirrored(there)


@pytest.mark.parametrize("seed", range(4))
def test_beyond_the_fewest_edits_alignments_stay_sound(seed, monkeypatch):
    """With too few edits allowed everything is aligned by place; few nodes are lost."""
    monkeypatch.setattr(alignment, "MOST_EDITS", 3)

    def f(x):
        for _ in range(400):
            x = np.sin(x) * 0.5 + x
            x = x - 0.25 * x
        return x

    before = ad.trace(f, 0.3)
    after = edited(before, seed, 40)
    there = ad.compare_graphs(before, after)
    check_partners(before, after, there.partners)
    assert len(there) <= 3 * 40
    assert told(ad.compare_graphs(after, before)) == mirrored(there)


def longer(x):
    for _ in range(1000):
        a = np.sin(x)
        x = a * 0.5 + x
    return x


def longer_by_one(x):
    for _ in range(1000):
        a = np.sin(x)
        b = np.exp(-a)
        x = a * 0.5 + x * b
    return x


def test_each_of_a_thousand_iterations_changed():
    """Too many edits for the first stage: expressions are aligned, and then their evaluations."""
    before, after = ad.trace(longer, 0.3), ad.trace(longer_by_one, 0.3)
    comparison = ad.compare_graphs(before, after)
    assert [len(comparison.nodes[kind]) for kind in ("added", "removed", "replaced")] == [3000, 0, 0]
    text = str(comparison)
    assert "longer → longer_by_one: 3,002 → 6,002 nodes" in text
    assert "1,000 × exp at" in text
    assert text.count("\n") < 30


def test_a_removed_line_is_told_by_its_line():
    """Of two equal Blocks that could have been removed it is the one that was."""

    def two(x):
        first = np.sin(x)
        second = np.sin(2 * x)
        return first * second

    def one(x):
        return np.sin(2 * x)

    comparison = ad.compare_graphs(ad.trace(two, 0.3), ad.trace(one, 0.3))
    removed = [comparison.before.origin(row).text for row, _ in comparison.nodes["removed"].tolist()]
    assert removed == ["np.sin(x)", "first * second"]


def test_sizes_uses_and_operands():
    def f(x, y):
        z = x * y
        return np.sum(z) + np.sum(x)

    def g(x, y):
        z = x * y
        return np.sum(z) + np.sum(z)

    x, y = np.ones(3), np.ones(4)
    resized = ad.compare_graphs(ad.trace(f, x, x), ad.trace(f, y, y))
    assert {d.kind for d in resized} == {"resized"}
    assert "3 (24 bytes) → 4 (32 bytes)" in str(resized)
    rewired = ad.compare_graphs(ad.trace(f, x, x), ad.trace(g, x, x))
    assert {d.kind for d in rewired} == {"used more", "used less", "rewired"}
    assert rewired.nodes["rewired"].tolist() == [[4, 4]]
    assert "z (multiply): 1 → 2 times" in str(rewired)
    table = rewired.table()
    assert {len(column) for column in table.values()} == {len(list(rewired))}
    assert table["times_used_after"][table["kind"].index("used more")] == 2


def test_differences_that_are_equally_frequent_are_told_in_order():
    def f(p, q, r, s):
        return p * p * q * q * r * r * s * s

    def g(p, q, r, s):
        return p * q * r * s

    comparison = ad.compare_graphs(ad.trace(f, *[2.0] * 4), ad.trace(g, *[2.0] * 4))
    assert [words.partition(" ")[0] for words, _ in comparison.groups("used less")] == [*"pqrs", "multiply:"]
    assert comparison.groups("resized") == []


@pytest.fixture
def empty():
    with pytest.warns(ad.IndependentOutputWarning):
        return ad.trace(lambda: 1.0)


def test_a_graph_without_nodes(empty):
    graph = ad.trace(lambda x: x * x, 3.0)
    added, removed = ad.compare_graphs(empty, graph), ad.compare_graphs(graph, empty)
    assert [d.kind for d in added] == ["added"] * 3
    assert added.table()["node_before"] == removed.table()["node_after"] == [-1] * 3
    assert [d.kind for d in removed] == ["removed"] * 3
    assert "3 nodes, only in the second graph" in str(added)
    assert "3 nodes, only in the first graph" in str(removed)
    assert not ad.compare_graphs(empty, empty)


def test_groups_are_in_the_order_of_evaluation_where_they_are_as_many():
    given = np.ones(3), np.ones((2, 3))
    for x in given:
        comparison = ad.compare_graphs(ad.trace(np.sin, 1.0), ad.trace(np.sin, x))
        assert [rows[0, 0] for _, rows in comparison.groups("resized")] == [0, 1, 2]


def test_no_graphs():
    with pytest.raises(TypeError, match="the first argument is of type int: graphs are made with"):
        ad.compare_graphs(3, ad.trace(lambda x: x * x, 3.0))
    with pytest.raises(TypeError, match="the second argument is of type NoneType"):
        ad.compare_graphs(ad.trace(lambda x: x * x, 3.0), None)


def test_entries_of_which_the_same_is_said_are_told_together_and_files_without_folders():
    def direct(x):
        return np.sum(x * x)

    def through_sin(x):
        y = np.sin(x)
        return np.sum(y * y)

    x = np.array([0.1, 0.2, 0.3])
    comparison = ad.compare_graphs(ad.trace(direct, x, grain="scalar"), ad.trace(through_sin, x, grain="scalar"))
    assert [(words, len(rows)) for words, rows in comparison.groups("used less")] == [
        ("x[…] (input): 2 → 1 times", 3),
    ]
    one = ad.compare_graphs(ad.trace(direct, x[:1], grain="scalar"), ad.trace(through_sin, x[:1], grain="scalar"))
    assert [words for words, _ in one.groups("used less")] == ["x[0] (input): 2 → 1 times"]
    assert all(words.startswith("sin at test_comparisons.py:") for words, _ in comparison.groups("added"))
