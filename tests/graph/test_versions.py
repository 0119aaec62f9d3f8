"""Versions of arrays that were written to: each can be had, few are kept."""

import pickle
import random
import threading

import numpy as np
import pytest

import adviz as ad
from adviz.graph.versions import Chain, Values, Version

N = 300


def written(x):
    out = np.zeros(N)
    for k in range(N):
        out[k] = np.sin(x[k]) * x[0]
    out[10:20] += x[:10]
    out[[3, 5]] = out[[5, 3]]
    return np.sum(out * out)


@pytest.fixture
def graph():
    return ad.trace(written, np.linspace(0.1, 1.0, N))


def expected(x):
    """Every version, as NumPy makes them."""
    out, found = np.zeros(N), []
    for k in range(N):
        out[k] = np.sin(x[k]) * x[0]
        found.append(out.copy())
    out[10:20] += x[:10]
    found.append(out.copy())
    out[[3, 5]] = out[[5, 3]]
    return [*found, out]


def versions(graph):
    return [node.index for node in graph if node.block.name == "set"]


@pytest.mark.parametrize("seed", range(3))
def test_every_version_is_what_numpy_had_in_whatever_order_one_asks(graph, seed):
    known = dict(zip(versions(graph), expected(graph.values[0]), strict=True))
    for index in random.Random(seed).sample(list(known), len(known)):
        assert graph[index].value.tolist() == known[index].tolist()


def test_they_are_read_only_and_stay_as_they_are_while_others_are_asked_for(graph):
    one, *_, last = versions(graph)
    first = graph.values[one]
    kept = first.copy()
    assert graph.values[last].sum() != first.sum()
    assert (first == kept).all()
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


def test_a_graph_of_many_writes_holds_what_was_written_not_an_array_for_each(graph):
    assert len(versions(graph)) == N + 2
    assert graph.bytes < 20 * 8 * N
    assert sum(type(value) is Version for value in graph.values.stored) > N - 2


def test_little_arrays_and_those_that_are_written_to_as_a_whole_are_kept_as_they_are():
    def f(x):
        out = np.zeros(N)
        for k in range(5):
            out[:] = x * k
        return np.sum(out)

    assert not isinstance(ad.trace(f, np.ones(N)).values, Values)


def test_several_threads_may_ask_at_once(graph):
    known, wrong = dict(zip(versions(graph), expected(graph.values[0]), strict=True)), []

    def ask(seed):
        asked = random.Random(seed).choices(list(known), k=300)
        wrong.extend(index for index in asked if (graph.values[index] != known[index]).any())

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_key_that_its_owner_changes_later_counts_as_it_was():
    def f(x):
        out, key = np.zeros(N), np.array([0])
        for k in range(4):
            key[0] = k
            out[key] = x[k]
        return out * 1.0

    graph = ad.trace(f, np.arange(1.0, 5.0))
    assert [graph.values[index].sum() for index in versions(graph)] == [1, 3, 6, 10]


def test_values_are_a_sequence():
    first, then = np.zeros(2), np.array([0.0, 4.0])
    chain = Chain(first)
    values = Values([chain.add(1, first, then), then, 2.5])
    assert len(values) == 3
    assert [*map(np.sum, values[:2])] == [*map(np.sum, list(values)[:2])] == [0.0, 4.0]
    assert np.array(pickle.loads(pickle.dumps(values))[0]).tolist() == [0.0, 0.0]
