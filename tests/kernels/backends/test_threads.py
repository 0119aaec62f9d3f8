"""Threads: spans are shared by idle cores, errors and warnings are whole, and results are those of one thread."""

import os
import pickle
import subprocess
import sys
import warnings
from threading import Barrier, Event, get_ident
from time import sleep

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.engine.calls import leaves
from adviz.kernels.backends import threads
from adviz.kernels.backends.numpy_blocks import BLOCK, Blocks
from adviz.kernels.backends.threads import Helpers, cores, crew, share

from ..test_schedules import schedules

CORES = 4
"""Of a machine that tests are told of, whatever they run on."""


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine of some cores, on which nothing runs."""
    monkeypatch.setattr(threads, "cores", lambda: CORES)
    monkeypatch.setattr(threads, "helpers", Helpers(CORES - 1))  # with more, one could start though another is idle
    yield
    threads.helpers.pool.shutdown()


def threads_of(count, most=CORES):
    """The threads that take as many spans at once: each waits for the others."""
    barrier = Barrier(count, timeout=300)

    def run(span):
        barrier.wait()
        return get_ident()

    return share(run, range(count), most)


# ---- sharing ----


@given(st.lists(st.integers()), st.integers(1, CORES))
def test_each_span_is_run_once(spans, most):
    assert sorted(share(lambda span: -span, spans, most)) == sorted(-span for span in spans)


def test_spans_are_run_on_the_callers_thread_and_on_others_which_are_kept():
    first, second = {*threads_of(CORES)}, {*threads_of(CORES)}
    assert len(first) == CORES
    assert get_ident() in first
    assert first == second


def test_one_thread_is_the_callers():
    assert share(lambda span: get_ident(), range(3), 1) == [get_ident()] * 3


def test_a_call_among_others_takes_no_more_threads_than_there_are_idle_cores():
    inner = []

    def run(span):
        if span == 0:
            inner.append(share(lambda span: get_ident(), range(20)))
        return get_ident()

    share(run, range(CORES), CORES)  # all cores are busy, so that the inner call has none to itself
    assert len({*inner[0]}) == 1
    assert len({*threads_of(CORES)}) == CORES  # all are idle again


@pytest.mark.parametrize("at", range(3))
def test_an_error_ends_the_work_of_all_threads_and_is_raised_whole(at):
    begun, failed = [], Event()

    def run(span):
        begun.append(span)
        if span == at:
            failed.set()
            raise ZeroDivisionError(f"span {span}")
        assert failed.wait(10)
        sleep(0.01)  # until the error has been raised

    with pytest.raises(ZeroDivisionError, match=f"span {at}"):
        share(run, range(1000), 3)
    assert len(begun) < 10
    assert threads.helpers.busy == 0


def test_other_threads_have_the_callers_error_state():
    heard, barrier = [], Barrier(CORES, timeout=300)

    def run(span):
        barrier.wait()
        np.log(np.array([-1.0]))
        return np.geterr()["invalid"]

    with np.errstate(invalid="call", call=lambda kind, flag: heard.append(kind)):
        assert share(run, range(CORES)) == ["call"] * CORES
    assert heard == ["invalid value"] * CORES
    with np.errstate(invalid="ignore"):
        assert share(run, range(CORES)) == ["ignore"] * CORES


def test_where_no_thread_can_be_started_the_caller_does_all():
    threads.helpers.pool.shutdown()
    assert share(abs, [-1, -2, -3]) == [1, 2, 3]
    assert threads.helpers.busy == 0


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_that_was_forked_starts_threads_of_its_own():
    code = (
        "import os\n"
        "from tests.kernels.backends import test_threads as here\n"
        "from adviz.kernels.backends.threads import Helpers\n"
        "here.threads.cores, Helpers.__init__.__defaults__ = lambda: here.CORES, (here.CORES,)\n"
        "here.threads.helpers = Helpers()\n"
        "here.threads_of(here.CORES)\n"
        "here.threads.helpers.lock.acquire()\n"  # as another thread might have, at this moment
        "child = os.fork()\n"
        "child or os._exit(len({*here.threads_of(here.CORES)}))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout == f"{CORES}\n", done.stderr


# ---- how many ----


def test_a_process_has_the_cores_that_it_may_run_on_or_fewer_if_it_is_told_so(monkeypatch):
    monkeypatch.delenv(threads.LIMIT, raising=False)
    whole = cores()
    assert 1 <= whole <= os.cpu_count()
    monkeypatch.setenv(threads.LIMIT, "1")
    assert cores() == 1
    for other in ("100000", "", "0", "4,2"):
        monkeypatch.setenv(threads.LIMIT, other)
        assert cores() == whole


def test_there_are_as_many_threads_as_there_is_work_for_or_as_were_asked_for():
    assert [crew(None, shares) for shares in (0, 1, 2, 100)] == [1, 1, 2, CORES]
    assert [crew(2, shares) for shares in (0, 1, 2, 100)] == [1, 1, 2, 2]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "all", [2]])
def test_threads_are_a_number_or_none(wrong):
    with pytest.raises(ad.ProgramError, match=r"threads is .*; it can be a number from 1 on, or None for all cores"):
        ad.compile_gradient(np.sin, 1.0, threads=wrong)


# ---- programs ----


def whatever_the_size(backend):
    """A back end that shares any number of points."""
    (backend.blocks if hasattr(backend, "blocks") else backend).least = 1


@given(schedules(), st.integers(2, CORES), st.integers(1, 5 * BLOCK), st.sampled_from("fd"), st.booleans())
@settings(max_examples=60)
def test_blocks_of_several_threads_are_those_of_one_bit_for_bit(plan, most, count, dtype, is_first):
    rng = np.random.default_rng(count)
    inputs = [rng.normal(size=count).astype(dtype) for _ in plan.inputs]
    found = []
    for blocks in (Blocks(plan, 1), Blocks(plan, most)):
        blocks.least = 1
        made = np.full((count, len(plan.outputs)), np.nan, dtype)
        rows = list(made.T if is_first else np.ascontiguousarray(made.T))
        with np.errstate(all="ignore"):
            for _ in range(2):
                blocks(inputs, rows, np.dtype(dtype))
        found.append(np.array(rows).tobytes())
    assert found[0] == found[1]


def crossing(x, y):
    """Functions of rows, functions of the C library, choices and constants."""
    near = x < np.cos(y)
    angle = np.arctan2(np.exp(-x), np.where(near, np.log(y), -0.5)) + np.hypot(x, 0.25)
    return np.where(near, np.sin(angle), np.power(y, np.minimum(angle, 3.0))), near, angle


@pytest.mark.parametrize("points", ["first", "last"])
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.numba)])
def test_programs_of_several_threads_give_what_one_gives_bit_for_bit(backend, points):
    one, several = (
        ad.compile_jacobian(crossing, 0.5, 2.0, points=points, backend=backend, threads=each) for each in (1, None)
    )
    whatever_the_size(several._backend)
    rng = np.random.default_rng(3)
    for count in (1, 255, 256, 257, 1000, 1024, 5000, 70_001):
        x, y = rng.uniform(0.1, 3.0, (2, count))
        x[::97] = 5000.0  # beyond what sines are vectorized for
        pairs = zip(leaves(one(x, y), ""), leaves(several(x, y), ""), strict=True)
        assert all(mine.tobytes() == other.tobytes() for (_, mine), (_, other) in pairs)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.numba)])
def test_there_is_one_warning_and_it_names_the_first_point_whatever_thread_it_fell_to(backend):
    program = ad.compile_gradient(lambda x: np.log(x) * 2, 1.0, backend=backend)
    whatever_the_size(program._backend)
    x = np.ones(100_000)
    x[[30_001, 60_002, 99_999]] = -1.0
    with warnings.catch_warnings(record=True, action="always") as heard:
        found = program(x)
    assert [" at point 30001." in str(each.message) for each in heard] == [True]
    assert np.flatnonzero(np.isnan(found.value)).tolist() == [30_001, 60_002, 99_999]


def test_many_points_are_shared_by_default_and_few_are_not(monkeypatch):
    shared = []
    monkeypatch.setattr(Helpers, "take", lambda self, threads: shared.append(threads) or 1)
    program, alone = (ad.compile_gradient(lambda x: np.sin(x) * x, 1.0, threads=each) for each in (None, 1))
    for count in (1, 1000, 1_000_000):
        program(np.ones(count))
        alone(np.ones(count))
    assert shared == [CORES]


def test_a_program_is_sent_with_its_threads():
    program = pickle.loads(pickle.dumps(ad.compile_gradient(lambda x: x * x, 1.0, threads=2)))
    assert program.threads == 2
    assert program(np.arange(100_000.0)).gradient[-1] == 2 * 99_999
