"""The search in other processes: the result is right, and nothing is lost when a worker is."""

import os
import signal
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest

import adviz as ad
from adviz.algorithms.search import distributed as tasks
from adviz.algorithms.search.distributed import gathered, processes

from .brute import run
from .test_optimum import hard


class Here(Executor):
    """Does each task at once, but loses the first few."""

    def __init__(self, lost=0):
        self.lost = lost

    def submit(self, function, /, *task):
        future = Future()
        if self.lost:
            self.lost -= 1
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(function(*task))
        return future


@pytest.fixture(autouse=True)
def short_turns(monkeypatch):
    monkeypatch.setattr(tasks, "WARM_UP", 0.5)
    monkeypatch.setattr(tasks, "TURN", 1.0)


class Killer:
    """Kills a process as soon as it is told of progress."""

    def __init__(self, process):
        self.process, self.is_done = process, False

    def __call__(self, progress):
        if not self.is_done:
            os.kill(self.process, signal.SIGKILL)
            self.is_done = True


@pytest.mark.slow
def test_processes_prove_the_same_optimum():
    graph = hard(25)
    best = ad.optimal_order(graph, workers=2)
    assert best.proved
    assert best.cost == ad.optimal_order(graph).cost == run(graph, best)


@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, 3, 1000])
def test_lost_tasks_are_done_here(lost):
    graph = hard(25)
    best = ad.optimal_order(graph, executor=Here(lost), engine="python")
    assert best.proved
    assert best.cost == ad.optimal_order(graph).cost == run(graph, best)


@pytest.mark.slow
def test_a_pool_that_breaks_loses_nothing():
    graph = hard(25)
    with processes(2) as pool:
        pool.submit(time.sleep, 0).result()
        killer = Killer(next(iter(pool._processes)))
        best = ad.optimal_order(graph, executor=pool, progress=killer)
    assert killer.is_done
    assert best.proved
    assert best.cost == ad.optimal_order(graph).cost


def test_a_closed_pool_loses_nothing():
    with ThreadPoolExecutor(1) as pool:
        pass
    assert list(gathered(pool, divmod, [(7, 2), (9, 4)], float("inf"))) == [((7, 2), (3, 1)), ((9, 4), (2, 1))]


def test_an_error_of_a_task_is_an_error():
    with pytest.raises(ZeroDivisionError):
        list(gathered(Here(), divmod, [(1, 0)], float("inf")))
