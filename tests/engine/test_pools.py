"""Pools and threads inside a traced function: one thread traces; others are refused by name, whoever hears of it."""

import copy
import multiprocessing
import multiprocessing.dummy
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import adviz as ad

X = np.array([1.0, 2.0])
SPAWN = multiprocessing.get_context("spawn")


def square(x):
    return x * x


def weighted(x, weight):
    return np.sum(x) * weight


def threads_map(x):
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(square, [x[0], x[1]]))


def threads_of_multiprocessing(x):
    with multiprocessing.dummy.Pool(2) as pool:
        return sum(pool.map(square, [x[0], x[1]]))


def threads_alone(x):
    """The program goes on with what was there before: nobody hears of the error."""
    found = [0.0, 0.0]

    def work(k):
        found[k] = x[k] ** 2

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return x[0] + found[0] + found[1]


def processes_of_multiprocessing(x):
    with SPAWN.Pool(1) as pool:
        return sum(pool.map(square, [x[0], x[1]]))


def processes_partial(x):
    with SPAWN.Pool(1) as pool:
        return sum(pool.imap(partial(weighted, x), [1.0, 2.0]))


THREADS = [threads_map, threads_of_multiprocessing, threads_alone]
PROCESSES = [processes_of_multiprocessing, processes_partial]


@pytest.mark.filterwarnings("ignore:Exception in thread")
@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("f", THREADS)
def test_a_traced_value_in_another_thread_is_refused_by_name(f, grain, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(ad.TraceClosedError, match=r"another thread .* a loop, or map\(g, xs\), in place of the pool"):
        ad.trace(f, X, grain=grain)


def test_an_error_that_the_program_takes_care_of_is_its_own_business():
    def f(x):
        try:
            return threads_map(x)
        except Exception:
            return sum(map(square, x))

    assert ad.grad(f)(X).tolist() == [2.0, 4.0]


def test_the_hook_of_threads_is_as_it_was(monkeypatch):
    heard = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    before = threading.excepthook
    with pytest.raises(ad.TraceClosedError):
        ad.trace(threads_alone, X)
    assert threading.excepthook is before
    assert len(heard) == 2


@pytest.mark.parametrize("f", PROCESSES)
def test_a_traced_value_for_another_process_is_refused_by_name_and_place(f):
    with pytest.raises(ad.ConversionError, match=r"another process .* in place of the pool") as refused:
        ad.trace(f, X)
    assert f"in {f.__name__}: " in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize("pool", [ThreadPoolExecutor, partial(ProcessPoolExecutor, mp_context=SPAWN)])
def test_a_pool_that_gets_plain_numbers_only_is_none_of_a_traces_business(pool):
    def f(x):
        with pool(1) as workers:
            return x[0] * sum(workers.map(square, [1.0, 2.0]))

    assert ad.grad(f)(X).tolist() == [5.0, 0.0]


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("value", [lambda x: x, lambda x: [x], lambda x: {"x": x[0]}, lambda x: np.array([x[0], 1.0])])
def test_a_traced_value_is_not_pickled(value, grain):
    with pytest.raises(ad.ConversionError, match="to be pickled") as refused:
        ad.trace(lambda x: pickle.dumps(value(x)), X, grain=grain)
    assert "pickle.dumps(value(x))" in str(refused.value)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_a_program_that_pickles_to_see_whether_it_can_goes_on(grain):
    def f(x):
        try:
            pickle.dumps(x)
        except Exception:
            return np.sum(x * x)
        return 0.0

    assert ad.grad(f, grain=grain)(X).tolist() == [2.0, 4.0]


def test_what_is_copied_is_not_pickled():
    def f(x):
        return np.sum(copy.copy(x) * copy.deepcopy({"x": [x]})["x"][0])

    assert ad.grad(f)(X).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_numpys_files_are_refused_by_the_name_of_the_function(grain, tmp_path):
    with pytest.raises(ad.AdvizError, match=r"np\.save"):
        ad.trace(lambda x: np.save(tmp_path / "x", x), X, grain=grain)
