"""Computations in many threads: what they store is what one order of all calls gives, and nothing is lost."""

import sys
import threading

import numpy as np
import pytest

from adviz import lazy
from adviz.graph.syntax_trees import PARSING

THREADS, CALLS = 8, 100


@pytest.fixture(autouse=True)
def threads_change_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work):
    """Run ``work(number)`` in each thread, and raise what one of them raised."""
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.long
@pytest.mark.parametrize("backend", ["numpy", "array_api_strict"])
def test_what_threads_store_in_one_store_is_what_an_order_of_their_calls_gives(backend):
    count, row, before = lazy.variable((), 0.0), lazy.variable((THREADS,), 0.0), lazy.variable((), -1.0)
    store, calls, start = lazy.Store(), [[] for _ in range(THREADS)], threading.Barrier(THREADS, timeout=300)

    def work(number):
        with lazy.isolated():  # each thread builds and compiles its own computation of the storage that all share
            own = np.eye(THREADS)[number]
            steps = [lazy.assign(before, count), lazy.assign(count, count + 1), lazy.assign(row, row + own)]
            call = lazy.computation([*steps[1:], before], store=store, backend=backend)
        start.wait()
        for _ in range(CALLS):
            calls[number].append([np.asarray(each) for each in call()])

    in_threads(work)
    made = [each for own in calls for each in own]
    assert sorted(int(each[0]) for each in made) == list(range(1, len(made) + 1))
    assert all(each[2] == each[0] - 1 and np.sum(each[1]) == each[0] for each in made)
    np.testing.assert_array_equal(store[row], [len(each) for each in calls])
    assert store[count] == len(made) == THREADS * CALLS


@pytest.mark.long
def test_stores_of_their_own_do_not_disturb_each_other_while_all_is_built_in_threads():
    w = lazy.variable((3,), [1.0, -2.0, 0.5])

    def losses(rate, steps):
        loss = np.sum((w - 1.0) ** 2)
        train = lazy.computation([loss, lazy.sgd(loss, rate, momentum=0.5)], store=lazy.Store())
        return [train()[0] for _ in range(steps)]

    expected = [losses(0.01 * (number + 1), 10) for number in range(THREADS)]

    def work(number):
        for _ in range(CALLS // 10):
            assert losses(0.01 * (number + 1), 10) == expected[number]

    in_threads(work)
    np.testing.assert_array_equal(lazy.shared[w], [1.0, -2.0, 0.5])


@pytest.mark.long
def test_a_file_that_is_saved_while_others_train_is_of_one_moment(tmp_path):
    a, b = lazy.variable((), 0.0, name="a"), lazy.variable((), 0.0, name="b")
    store, start = lazy.Store(), threading.Barrier(THREADS, timeout=300)
    with lazy.isolated():
        step = lazy.computation([lazy.assign(a, a + 1), lazy.assign(b, b + 1)], store=store)

    def work(number):
        path = tmp_path / f"{number}.npz"
        start.wait()
        for _ in range(CALLS):
            if number % 4:
                step()
                continue
            step.save(path)
            with np.load(path, allow_pickle=False) as file, PARSING:
                assert file["a"] == file["b"]
            if number:
                step.load(path)

    in_threads(work)
    assert store[a] == store[b]
