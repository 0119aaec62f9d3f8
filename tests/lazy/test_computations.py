"""Computations: called, inspected, saved; and what they refuse."""

import threading

import numpy as np
import pytest

from adviz import lazy


def test_results_come_in_the_structure_in_which_they_were_asked_for():
    a, b = lazy.placeholder((), name="a"), lazy.placeholder((), name="b")
    total, product = a + b, a * b
    assert lazy.computation(total, a, b)(2.0, 3.0) == 5.0
    assert lazy.computation([total, product], a, b)(2.0, 3.0) == (5.0, 6.0)
    assert lazy.computation({total, product}, a, b)(2.0, 3.0) == {total: 5.0, product: 6.0}
    assert lazy.computation(a, a)(2.0) == 2.0
    assert lazy.computation(None)() is None
    assert lazy.computation(lazy.doall([total]), a, b)(2.0, 3.0) is None


def test_the_program_can_be_read():
    x, w = lazy.placeholder((4, 3), name="x"), lazy.variable((3,), 1.0, name="w")
    y = np.tanh(x @ w)
    assert lazy.computation(np.mean(y), x).source.splitlines()[2:] == [
        "    y = np.tanh(x @ w)",
        "    value = np.mean(y)",
        "    return (value,), ()",
    ]


def test_its_graph_has_the_values_of_a_call_and_changes_nothing():
    w = lazy.variable((), 2.0)
    x = lazy.placeholder(())
    y = np.sin(w * x)
    lazy.assign(w, w + 1)
    computation = lazy.computation([y, w], x)
    graph = computation.trace(3.0)
    assert [graph.values[node] for node in graph.outputs] == pytest.approx([np.sin(6.0), 3.0, 3.0])
    assert computation(3.0) == (np.sin(6.0), 3.0)
    assert graph.name(graph.inputs[0]) == "x"


def test_storage_is_saved_and_loaded(tmp_path):
    w = lazy.variable((2,), [1.0, 2.0], name="w")
    step = lazy.computation(lazy.assign(w, w * 3))
    step()
    step.save(tmp_path / "state.npz")
    after = step()
    step.load(tmp_path / "state.npz")
    np.testing.assert_array_equal(step(), after)
    assert [each.name for each in tmp_path.iterdir()] == ["state.npz"]
    other = lazy.variable((3,), 0.0, name="w")
    with pytest.raises(lazy.ComputationError, match=r"w is \(3,\) float64, and in .* it is \(2,\) float64"):
        lazy.load(tmp_path / "state.npz", [other])
    with pytest.raises(lazy.ComputationError, match="has no value for v; it has w"):
        lazy.load(tmp_path / "state.npz", [lazy.variable((2,), name="v")])


def test_what_is_passed_is_stored():
    x = lazy.placeholder((2,), initial=[1.0, 2.0])
    read, given = lazy.computation(x * 1), lazy.computation(x * 10, x)
    value = np.array([5.0, 6.0])
    np.testing.assert_array_equal(read(), [1.0, 2.0])
    np.testing.assert_array_equal(given(value), [50.0, 60.0])
    value[:] = 0.0
    np.testing.assert_array_equal(read(), [5.0, 6.0])


def test_results_are_the_callers_own():
    w = lazy.variable((2,), 1.0)
    update = lazy.assign(w, w + 1)
    step = lazy.computation([w, update, w[0:2]])
    for expected in (2.0, 3.0, 4.0):
        for found in step():
            np.testing.assert_array_equal(found, [expected] * 2)
        for found in step.store[w], step.store[w]:
            found[:] = 100.0
        assert lazy.shared[w].tolist() == [expected] * 2


def test_the_examples_of_the_source():
    a, b, c = lazy.constant(4.0), lazy.placeholder(()), lazy.placeholder(())
    d = a * b
    e = d + c
    assert lazy.computation(e, b, c)(2, 7) == 15
    assert lazy.computation([d, e], b, c)(2, 7) == (8, 15)
    x = lazy.placeholder(())
    plus_one = lazy.computation(x + 1, x)
    assert [plus_one(i) for i in range(5)] == [1, 2, 3, 4, 5]


def test_a_computation_can_be_made_after_another_one_ran():
    w = lazy.variable((), 1.0)
    with lazy.isolated():
        step = lazy.computation(lazy.assign(w, w + 1))
    step()
    later = w * 10
    read = lazy.computation(later)
    assert [read(), step(), read()] == [20.0, 3.0, 30.0]


def test_what_is_wrong_is_a_value_error():
    assert issubclass(lazy.OpError, ValueError)
    assert issubclass(lazy.ComputationError, ValueError)


def test_two_threads_do_not_disturb_each_other():
    w = lazy.variable((), 0.0)
    step = lazy.computation(lazy.assign(w, w + 1))
    threads = [threading.Thread(target=lambda: [step() for _ in range(500)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lazy.shared[w] == 1000.0
    mine = lazy.Store()
    assert lazy.computation(w * 1.0, store=mine)() == 1.0  # the assignment runs, in a store where w is 0


def test_contexts_are_those_of_a_thread():
    w, found, errors = lazy.variable((), 0.0), [], []
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(10)
        try:
            op = w + 1
            found.append((op.metadata, dict(op.control_deps)))
        except Exception as error:
            errors.append(error)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with lazy.metadata(layer="here"), lazy.ordering("creation"):
        lazy.assign(w, 5.0)
        inside.set()
        assert done.wait(10)
    thread.join()
    assert (found, errors) == ([({}, {})], [])
