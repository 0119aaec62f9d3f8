"""Storage and the order in which ops run: what the source of the op graph says, example by example."""

import numpy as np
import pytest

from adviz import lazy


def counter():
    w = lazy.variable((), 0.0)
    return w, lazy.assign(w, w + 1)


def test_what_was_assigned_to_a_result_before_runs_with_it():
    w, _ = counter()
    computation = lazy.computation(w)
    assert [computation(), computation(), computation()] == [1.0, 2.0, 3.0]


def test_what_is_isolated_runs_only_where_it_is_asked_for():
    with lazy.isolated():
        w, update = counter()
    read, step = lazy.computation(w), lazy.computation([w, update])
    assert [read(), read(), read()] == [0.0, 0.0, 0.0]
    assert [step()[0], step()[0], step()[0]] == [1.0, 2.0, 3.0]


def test_what_is_built_after_an_assignment_runs_after_it():
    x = lazy.placeholder((), initial=0)
    a = lazy.assign(x, 5)
    z = x + 1
    assert list(z.control_deps) == [a]
    assert lazy.computation(z)() == 6.0


def test_a_sequence_runs_its_ops_one_after_the_other_each_once():
    p = lazy.persistent((), 0.0)
    x0 = p + p
    update = lazy.assign(p, 2.0)
    x1 = p + p
    found = lazy.computation([x0, x1, lazy.sequential([x0, update, x1]), p])()
    assert found == (0.0, 4.0, 4.0, 2.0)


@pytest.mark.parametrize("rule", ["creation", "inferred"])
def test_by_either_rule_a_sequence_reads_before_it_writes(rule):
    with lazy.ordering(rule):
        x = lazy.variable((2,), 1.0)
        before = np.sum(x)
        x[0] = 5.0
        update = lazy.assign(x, x * 2)
        after = np.sum(x)
        found = lazy.computation(lazy.sequential([before, update, after]))()
    assert found == (12.0 if rule == "creation" else 4.0)


def test_a_second_assignment_replaces_the_first():
    w = lazy.variable((), 1.0)
    first = lazy.assign(w, w + 1)
    second = lazy.assign(w, w * 10)
    assert list(second.control_deps) == [first]
    assert list((w + 0).control_deps) == [second]
    assert lazy.computation(w)() == 20.0


def test_isolation_ends_with_an_error():
    w = lazy.variable((), 1.0)
    with pytest.raises(ZeroDivisionError), lazy.isolated(), lazy.metadata(a=1), lazy.ordering("inferred"):
        raise ZeroDivisionError
    update = lazy.assign(w, 2.0)
    assert update.metadata == {}
    assert list((w + 1).control_deps) == [update]


def test_what_a_computation_waits_for_is_decided_where_it_is_made():
    w = lazy.variable((), 0.0)
    early = lazy.computation(w)
    lazy.assign(w, w + 1)
    with lazy.isolated():
        apart = lazy.computation(w)
    late = lazy.computation(w)
    assert [early(), apart(), late(), apart(), late()] == [0.0, 0.0, 1.0, 1.0, 2.0]


def test_what_must_run_before_brings_along_what_it_waits_for():
    v, w = lazy.variable((), 0.0), lazy.variable((), 0.0)
    first = lazy.assign(v, 5.0)
    with lazy.isolated():
        between = v + 0.0
    between.control_deps[first] = None
    lazy.assign(w, between + 1)
    assert lazy.computation(w)() == 6.0
    assert lazy.shared[v] == 5.0


def test_a_sequence_runs_an_op_that_is_named_twice_once():
    w = lazy.variable((), 0.0)
    with lazy.isolated():
        update = lazy.assign(w, w + 1)
        step = lazy.computation([lazy.sequential([update, update, w, update]), w])
    assert [step(), step()] == [(1.0, 1.0), (2.0, 2.0)]


def test_setting():
    v, y = lazy.variable((3,), [1.0, 2.0, 3.0]), lazy.placeholder((3,))
    before = lazy.computation(v)
    with lazy.isolated():
        lazy.assign(v, v + y)
        during = lazy.computation(v, y)
    after = lazy.computation(v)
    given = np.array([10.0, 20.0, 30.0])
    for computation, args, expected in [(before, [], 0), (during, [given], 1), (after, [], 1), (before, [], 1)]:
        np.testing.assert_array_equal(computation(*args), [1.0, 2.0, 3.0] + expected * given)


def test_doall_runs_all_of_its_ops():
    a, b = lazy.variable((), 0.0), lazy.variable((), 0.0)
    with lazy.isolated():
        both = lazy.doall([lazy.assign(a, a + 1), lazy.assign(b, b + 2)])
    step = lazy.computation([both, a, b])
    assert [step(), step()] == [(None, 1.0, 2.0), (None, 2.0, 4.0)]


def test_a_sequence_runs_what_a_part_shows_before_what_comes_next():
    x = lazy.persistent((2,), 1.0)
    with lazy.isolated():
        update = lazy.assign(x, 5.0)
    before = (x + x)[0]  # built later, and to run first
    total = lazy.sequential([before, update, x * 1.0])
    assert lazy.computation([before, total])()[0] == 2.0


def test_by_inference_an_assignment_runs_only_where_it_is_asked_for():
    with lazy.ordering("inferred"):
        w, update = counter()
        assert not (w + 1).control_deps
        assert lazy.computation(w)() == 0.0
        assert lazy.computation(lazy.sequential([update, w]))() == 1.0


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (lambda w: w[0], [[9, 9, 9], [3, 4, 5]]),
        (lambda w: w[:, 1:], [[0, 9, 9], [3, 9, 9]]),
        (lambda w: w.T[1], [[0, 9, 2], [3, 9, 5]]),
        (lambda w: w.reshape(3, 2)[2], [[0, 1, 2], [3, 9, 9]]),
        (lambda w: w[1][::2], [[0, 1, 2], [9, 4, 9]]),
        (lambda w: w[1, 2], [[0, 1, 2], [3, 4, 9]]),
    ],
)
def test_what_is_assigned_to_a_view_is_seen_in_the_whole(view, expected):
    w = lazy.variable((2, 3), np.arange(6.0).reshape(2, 3))
    lazy.assign(view(w), 9.0)
    np.testing.assert_array_equal(lazy.computation(w)(), expected)


def test_python_assigns_with_brackets_and_in_place():
    w = lazy.variable((3,), [1.0, 2.0, 3.0])
    w[0] = 10.0
    w[1:] += 1.0
    w *= 2.0
    np.testing.assert_array_equal(lazy.computation(w)(), [20.0, 6.0, 8.0])


def test_a_circle_of_orders_is_named():
    x = lazy.variable((), 1.0)
    a, b = x + 1, x + 2
    lazy.sequential([a, b])
    with pytest.raises(lazy.OpError, match="must run before another of them: a, b"):
        lazy.computation(lazy.sequential([b, a]))


def test_a_view_of_what_is_computed_waits_where_that_runs():
    x = lazy.persistent((2,), 1.0)
    first = (x + x)[0]
    with lazy.isolated():
        update = lazy.assign(x, 5.0)
    assert lazy.computation(lazy.sequential([update, first]), store=lazy.Store())() == 10.0
    double = x + x
    assert lazy.computation(lazy.sequential([double * 2, double[0]]), store=lazy.Store())() == 2.0
