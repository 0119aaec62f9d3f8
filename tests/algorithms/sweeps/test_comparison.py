"""Meters and tables of figures."""

import re
from functools import partial

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.backward import recursion, tape, toposort
from adviz.algorithms.sweeps.comparison import ENGINES, FIGURES, Comparison, Meter, compare
from adviz.algorithms.sweeps.forward import forward_flow

LENGTH, SIZE = 7, 5


def chain(x):
    for _ in range(LENGTH):
        x = np.sin(x)
    return x


def figures(engine, f=chain, *arguments):
    graph = ad.trace(f, *(arguments or (np.ones(SIZE),)))
    (row,) = compare(graph, {"engine": engine}, {graph.outputs[0]: np.ones(SIZE)}).rows
    return row


def test_what_is_kept_alive_on_a_chain():
    array, matrix, nodes = 8 * SIZE, 8 * SIZE * SIZE, LENGTH + 2
    found = {name: figures(engine) for name, engine in ENGINES.items()}
    for name in ("tape", "tape with flags"):  # all values (the output's is that of the last sine), all adjoints
        assert found[name]["stored"] == (nodes - 1) * array
        assert found[name]["left"] == (2 * nodes - 1) * array
        assert found[name]["peak"] == found[name]["left"] + array
    assert found["recursion"]["stored"] == (LENGTH + 1) * matrix
    assert found["recursion"]["left"] == (LENGTH + 1) * matrix + nodes * array
    for name in ("toposort", "use_counts"):  # cosines, and no more than the adjoint and the product of one node
        assert found[name]["stored"] == LENGTH * array
        assert found[name]["peak"] == (LENGTH + 2) * array
        assert found[name]["left"] == (LENGTH + 1) * array
    assert found["rank_heap"]["peak"] == (LENGTH + 3) * array  # the gradient of the output stays
    assert found["rank_heap"]["left"] == (LENGTH + 2) * array


def test_what_is_done_on_a_chain():
    for name, engine in ENGINES.items():
        row = figures(engine)
        assert row["evaluated"] == row["lazily"] == LENGTH + 2
        assert row["visits"] == LENGTH + (1 if name == "rank_heap" else 2)  # functions, and in all others inputs too
        assert row["multiplications"] == ((LENGTH + 1) * SIZE**2 if name == "recursion" else LENGTH * SIZE)
        assert row["edges"] == LENGTH
        assert row["counts"] == {"recursion": 1, "use_counts": 1, "toposort": 2}.get(name, 0) * LENGTH


def test_meters_may_be_read_on_the_way():
    meter, read = Meter(), []
    for step in toposort(ad.trace(lambda x: x * x, 3.0)):
        meter.add(step)
        read.append((step.kind, meter.bytes))
    assert read == [
        ("seed", 16 + 8),  # two factors, and the seed
        *[("count", 24)] * 2,
        *[("visit", 24), ("product", 32), ("accumulate", 32), ("free", 24)],
        *[("visit", 24), ("product", 32), ("product", 40), ("accumulate", 40), ("accumulate", 32), ("free", 24)],
        *[("count", 24)] * 2,
        ("visit", 24),
    ]
    assert meter.peak == 40


def test_tables_are_text_columns_and_html():
    graph = ad.trace(chain, np.ones(1000))
    table = compare(graph, "tape", {graph.outputs[0]: np.ones(1000)})
    title, head, row = repr(table).splitlines()
    assert title == "chain"
    assert head.split() == ["engine", "evaluated", "lazily", *FIGURES, "left"]
    assert row.split() == "tape 9 9 9 0 7 0 7,000 8,000 0 64,000 144,000 136,000".split()
    assert len(head) == len(row)
    assert table["tape"]["peak"] == 144_000
    assert list(table.table()) == list(table.rows[0])
    assert table.table()["peak"] == [144_000]
    assert "<td>144,000</td>" in table._repr_html_()
    assert repr(Comparison("", table.rows)).splitlines() == [head, row]


def test_arrays_in_one_memory_are_counted_once_and_any_sweep_can_be_metered():
    graph = ad.trace(lambda x, y: x + y, np.ones(100), np.ones(100))
    meter, forward = Meter(), Meter()
    for step in toposort(graph, {graph.outputs[0]: np.ones(100)}):
        meter.add(step)
    assert meter.peak == meter.bytes == 800  # one seed, by reference everywhere
    for step in forward_flow(ad.trace(lambda x: np.sin(x) * x, 0.5)):
        forward.add(step)
    assert (forward.visits, forward.multiplications, forward.additions) == (3, 3, 1)
    assert forward.bytes == 4 * 8  # the input and the output, each with its tangent


def test_names_of_programs_and_engines_are_text_in_html():
    page = compare(ad.trace(lambda x: x * x, 3.0), {"<b>bold</b>": tape})._repr_html_()
    assert not {"<lambda>", "<b>"} & {*re.findall("<[^>]*>", page)}
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_engines_are_chosen_by_name_or_brought_along():
    graph = ad.trace(lambda x: x * x, 3.0)
    assert compare(graph).table()["engine"] == list(ENGINES)
    assert compare(graph, ["toposort", "tape"]).table()["engine"] == ["toposort", "tape"]
    assert compare(graph, {"mine": partial(recursion), "flags": partial(tape, flags=True)}).table()["skips"] == [0, 0]
    assert compare(graph, []).table() == {}
    with pytest.raises(KeyError, match="tape"):
        compare(graph, ["toposort"])["tape"]
    with pytest.raises(ValueError, match="no engine is called 'tapes'; there are recursion, tape, tape with flags"):
        compare(graph, ["tapes"])
