"""What the source of the op graph says of its era, statement by statement: each has a test here or beside.

The source is Nervana Graph (2016): building_graphs.rst and the code of that time.

| statement | test |
| --- | --- |
| arguments are ops, in order, also twice; numbers become constants | `test_arguments_are_ops_and_may_come_twice` |
| constants and variables have initializers, sums have none | `test_initializers_belong_to_what_has_a_value_at_first` |
| an initializer orders nothing | `test_an_initializer_does_not_order_the_computation` |
| all dependencies are those of control and the arguments | `test_what_is_built_after_an_assignment_waits_for_it` |
| storage is there before anything runs, and waits for nothing | `test_storage_waits_for_nothing` |
| file, line, and both as a link | `test_an_op_knows_its_place_in_the_source` |
| metadata is given to all that is built meanwhile, and selects | `test_metadata_nest_and_select` |
| kinds of storage: constant, placeholder, variable, persistent | `test_kinds_of_storage` |
| ops are keys, and equal to themselves only; < > <= >= build ops | `test_ops_are_keys` |
| `x[...] = v` and `+=` assign | `test_python_assigns_with_brackets_and_in_place` |
| `x = x + x` builds another op | `test_adding_does_not_change_what_is_added` |
| what is built before an assignment does not wait | `test_what_was_built_before_an_assignment_does_not_wait_for_it` |
| a second assignment waits for the first, and replaces it | `test_a_second_assignment_replaces_the_first` |
| an assignment through a view counts for the whole | `test_an_assignment_through_a_view_orders_the_whole` |
| nothing is assigned to constants | `test_what_cannot_be_built_is_said_with_its_line` |
| what is isolated vanishes from outside, also when nested | `test_isolation_ends_and_nests` |
| a computation adds what its results wait for: 1, 2, 3 | `test_what_was_assigned_to_a_result_before_runs_with_it` |
| isolated: 0, 0, 0; asked for: 1, 2, 3 | `test_what_is_isolated_runs_only_where_it_is_asked_for` |
| ... as they are where the computation is made | `test_what_a_computation_waits_for_is_decided_where_it_is_made` |
| `z = x + 1` after `assign(x, 5)` is 6 | `test_what_is_built_after_an_assignment_runs_after_it` |
| three computations share what is set | `test_setting` |
| optimizers: velocity first, then the variable, then `doall` | `test_steps_are_those_of_the_method` |
| `doall` runs all of its ops | `test_doall_runs_all_of_its_ops` |
| `sequential`: 0, 4, each once | `test_a_sequence_runs_its_ops_one_after_the_other_each_once` |
| the later rule, inferred | `test_by_either_rule_a_sequence_reads_before_it_writes` |
| each op comes once in the order, always the same; deep graphs too | `test_an_order_has_each_op_once` |
| a circle is an error | `test_a_circle_of_orders_is_named` |
| results are an op, a sequence, a set or none | `test_results_come_in_the_structure_in_which_they_were_asked_for` |
| parameters are placeholders, as many as were named | `test_what_cannot_be_computed_is_said_with_its_line` |
| storage keeps its value, also across computations | `test_state_lasts_and_is_shared_by_computations` |
| what is passed for a placeholder is stored in it | `test_what_is_passed_is_stored` |
| `e = a * b + c` is 15, `[d, e]` is 8, 15; 1 to 5 | `test_the_examples_of_the_source` |

Left out, and why:

| statement | reason |
| --- | --- |
| `forward`, `forwarded` | an op graph is never rewritten: what simplifies works on the program |
| `graph_label`, `style`, `code_context` | a picture decides how it looks; the source is read by `origin` |
| a metadata value that is no dict is an error | metadata are keyword arguments |
| names are classes with numbers | a name is that of the variable in the program |
| `assign(..., force=True)` | a constant that changes is a variable |
| `Fill`, `SetItem` | an assignment of a number, and to a view |
| `saved_user_deps(map)`, which goes on with an earlier map | no example needs it, and what runs could not be seen |
| a computation can no longer be made after the first call | it can, at any time |
| returned arrays are the memory of the device | they are the caller's: `test_results_are_the_callers_own` |
"""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

from adviz import lazy


def test_every_test_of_the_table_is_there():
    named = re.findall(r"`(test_\w+)`", __doc__)
    written = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert len(named) > 30
    assert [name for name in named if f"def {name}(" not in written] == []


# ---- ops ----


def test_arguments_are_ops_and_may_come_twice():
    x, y = lazy.constant(0), lazy.constant(1)
    total = x + y
    assert total.args == (x, y)
    square = total * total
    assert square.args == (total, total)
    two = (total + 2).args[1]
    assert (two.kind, two.initial) == ("constant", 2)


def test_initializers_belong_to_what_has_a_value_at_first():
    x, w = lazy.constant(0.0), lazy.variable((2,), 1.0)
    assert [op.kind for op in x.initializers] == ["initialize"]
    assert [op.kind for op in w.initializers] == ["assign"]
    assert not (x + w).initializers
    assert not lazy.placeholder(()).initializers


def test_an_initializer_does_not_order_the_computation():
    w = lazy.variable((), 1.0)
    (initializer,) = w.initializers
    assert not (w + 1).control_deps
    assert initializer not in lazy.computation(w + 1).schedule.order


def test_what_is_built_after_an_assignment_waits_for_it():
    w = lazy.variable((), 1.0)
    update = lazy.assign(w, 2.0)
    later = w * w
    assert later.all_deps == (update, w, w)


def test_storage_waits_for_nothing():
    w = lazy.variable((2,), 1.0)
    update = lazy.assign(w, 2.0)
    order = lazy.sequential([update, w, w[0]])
    assert not w.control_deps
    assert lazy.computation(order)() == 2.0


def test_an_op_knows_its_place_in_the_source():
    w = lazy.variable((), 1.0)
    (y,) = [np.sin(w) for _ in range(1)]
    line = test_an_op_knows_its_place_in_the_source.__code__.co_firstlineno + 2
    assert (y.filename, y.lineno) == (__file__, line)
    assert y.file_info == f'File "{__file__}", line {line}'
    assert (w.name, y.name) == ("w", "sin")
    y.name = "wave"
    assert repr(y) == "<Op wave: sin () float64>"


def test_metadata_nest_and_select():
    with lazy.metadata(layer="first", kind="dense"):
        w = lazy.variable((), 1.0)
        with lazy.metadata(layer="second"):
            y = w * 2
    z = y + w
    assert w.metadata == {"layer": "first", "kind": "dense"}
    assert y.metadata == {"layer": "second", "kind": "dense"}
    assert z.metadata == {}
    assert z.select(kind="dense", layer="second") == [*y.args[1:], y]
    assert z.variables(lambda op: op.metadata["layer"] == "second") == []


def test_kinds_of_storage():
    made = lazy.constant(1.0), lazy.placeholder(()), lazy.variable(()), lazy.persistent(()), lazy.constant(1.0) + 1
    flags = [(op.is_constant, op.is_input, op.is_trainable, op.is_persistent) for op in made]
    assert flags == [
        (True, False, False, True),
        (False, True, False, True),
        (False, False, True, True),
        (False, False, False, True),
        (False, False, False, False),
    ]


def test_ops_are_keys():
    a, b = lazy.variable((), 1.0), lazy.variable((), 1.0)
    assert a == a
    assert a != b
    assert {a: 1, b: 2}[a] == 1
    found = lazy.computation([a < b, a <= b, a > b, a >= b])()
    assert found == (False, True, False, True)


def test_adding_does_not_change_what_is_added():
    first = x = lazy.variable((), 3.0)
    x = x + x
    assert lazy.computation([first, x])() == (3.0, 6.0)


# ---- assignments and their order ----


def test_a_second_assignment_replaces_the_first():
    w = lazy.variable((), 1.0)
    first = lazy.assign(w, w + 1)
    second = lazy.assign(w, w * 10)
    assert list(second.control_deps) == [first]
    assert list((w + 0).control_deps) == [second]
    assert lazy.computation(w)() == 20.0


def test_an_assignment_through_a_view_orders_the_whole():
    w = lazy.variable((2, 2), 1.0)
    update = lazy.assign(w.T[0], 5.0)
    assert list(w[1].control_deps) == list(np.sum(w).control_deps) == [update]


def test_isolation_ends_and_nests():
    w = lazy.variable((), 1.0)
    outer = lazy.assign(w, 2.0)
    with lazy.isolated():
        assert not (w + 1).control_deps
        inner = lazy.assign(w, 3.0)
        with lazy.isolated():
            assert not (w + 1).control_deps
        assert list((w + 1).control_deps) == [inner]
    assert list((w + 1).control_deps) == [outer]


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


def test_setting():
    v, y = lazy.variable((3,), [1.0, 2.0, 3.0]), lazy.placeholder((3,))
    before = lazy.computation(v)
    with lazy.isolated():
        lazy.assign(v, v + y)
        during = lazy.computation(v, y)
    after = lazy.computation(v)
    given = np.array([10.0, 20.0, 30.0])
    for computation, args, expected in [(before, [], 0), (during, [given], 1), (after, [], 1)]:
        np.testing.assert_array_equal(computation(*args), [1.0, 2.0, 3.0] + expected * given)


def test_doall_runs_all_of_its_ops():
    a, b = lazy.variable((), 0.0), lazy.variable((), 0.0)
    with lazy.isolated():
        both = lazy.doall([lazy.assign(a, a + 1), lazy.assign(b, b + 2)])
    step = lazy.computation([both, a, b])
    assert [step(), step()] == [(None, 1.0, 2.0), (None, 2.0, 4.0)]


def test_an_order_has_each_op_once():
    w = lazy.variable((), 0.0)
    y = w
    for _ in range(3000):
        y = y + y
    order = y.ordered_ops()
    assert order == y.ordered_ops() == sorted(order, key=lambda op: op.number)
    assert len(order) == 3001
    assert lazy.computation(y)() == 0.0


def test_a_sequence_runs_what_a_part_shows_before_what_comes_next():
    x = lazy.persistent((2,), 1.0)
    with lazy.isolated():
        update = lazy.assign(x, 5.0)
    before = (x + x)[0]  # built later, and to run first
    total = lazy.sequential([before, update, x * 1.0])
    assert lazy.computation([before, total])()[0] == 2.0


# ---- computations ----


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


# ---- threads ----


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


def test_computations_in_two_threads_have_the_state_of_their_stores():
    w, x = lazy.variable((50,), 0.0), lazy.placeholder((50,))
    update = lazy.assign(w, w + x)
    results = {}

    def work(name: int) -> None:
        mine = lazy.Store()
        step = lazy.computation(update, x, store=mine)
        for _ in range(100):
            step(np.full(50, float(name)))
        results[name] = mine[w]

    threads = [threading.Thread(target=work, args=(name,)) for name in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in (1, 2, 3):
        np.testing.assert_array_equal(results[name], np.full(50, 100.0 * name))
    np.testing.assert_array_equal(lazy.shared[w], np.zeros(50))
