"""Times per node: each node has one, the slow one is found, and arguments stay as they are."""

import time

import numpy as np
import pytest

import adviz as ad
from adviz.engine import measuring


def slow(x):
    small = np.sum(x[:10] * 2)
    return small + np.sum(np.linalg.inv(x.reshape(200, 200)))


X = np.random.default_rng(0).normal(size=40_000)


def test_the_slow_operation_is_found_with_its_line():
    found = ad.profile(slow, X, seconds=0.1)
    assert len(found.seconds) == len(found.spread) == len(found.graph)
    assert found.slowest(1)[0][0].block.name == "inv"
    line = found.lines()[0]
    assert line.text == "return small + np.sum(np.linalg.inv(x.reshape(200, 200)))"
    assert line.share > 0.5
    assert sum(each.seconds for each in found.lines()) == pytest.approx(found.total)
    assert found.repeats >= 5
    assert found.overhead > 0
    assert f"line {line.line}: return small" in str(found)


def test_the_whole_is_about_what_a_call_takes(monkeypatch):
    monkeypatch.setattr(measuring, "perf_counter_ns", time.thread_time_ns)  # on a busy machine, too
    x = np.random.default_rng(0).normal(size=200_000)  # what is measured takes much longer than to measure it
    found = ad.profile(lambda x: np.sum(np.exp(np.sin(x))), x, seconds=0.2)
    assert 0.1 < found.total / found.called < 10


def test_inputs_and_results_take_no_time():
    found = ad.profile(np.sin, np.ones(1000), seconds=0.05)
    assert found.seconds[0] == found.seconds[-1] == 0.0
    assert found.seconds[1] > 0.0


def test_a_function_that_writes_into_its_argument_is_measured_at_the_same_values():
    def halved(x):
        x *= 0.5
        return np.sum(np.sqrt(x))

    x = np.ones(100)
    found = ad.profile(halved, x, seconds=0.02)
    assert (x == 1.0).all()
    assert found.called > 0


def test_a_time_that_is_not_positive_is_refused():
    for seconds in (0, -1.0, float("nan")):
        with pytest.raises(ad.InputError, match="positive number of seconds"):
            ad.profile(np.sin, 1.0, seconds=seconds)
