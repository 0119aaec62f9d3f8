"""Programs that call C extensions while they are traced bring nothing down, and no number is wrong."""

import random
import re
import sys
import warnings

import pytest

from ..fresh_processes import DEATH, outcomes
from .extensions import EXPRESSIONS, USES, X, is_wrong, outcome, program, results, runnable


def found(what):
    return {f"{each}, {grain} grain": ended for grain, each, ended in results(what) if is_wrong(each, ended)}


@pytest.mark.slow
def test_calls_alone_are_right_or_refused_and_on_constants_right():
    """Each run draws some; ``python -m tests.fuzz.extensions 0`` runs them all."""
    assert found(random.SystemRandom().sample(EXPRESSIONS, 150)) == {}


@pytest.mark.slow
def test_random_programs_are_right_or_refused_and_on_constants_right():
    start = random.SystemRandom().randrange(10**6)
    assert found([str(start + k) for k in range(40)]) == {}, f"python -m tests.fuzz.extensions 40 --seed {start}"


def test_a_gradient_that_is_not_a_number_is_wrong_unless_a_warning_says_so(monkeypatch):
    source = f"def f(x):\n    return math.sqrt((x[0] - {X[0]}) ** 2)\n"
    assert outcome(source, "array") == "no derivative"
    monkeypatch.setattr("adviz.engine.sweeps.warn", lambda warning: None)
    assert outcome(source, "array").startswith("wrong gradient nan")


@pytest.mark.parametrize("seed", range(8))
def test_a_program_is_the_same_each_time(seed):
    source = program(seed)
    assert source == program(seed)
    with warnings.catch_warnings(action="ignore"):
        assert runnable(source)(X.copy()) == runnable(source)(X.copy())


def test_some_programs_write_draw_and_leave_python():
    text = "\n".join(map(program, range(300)))
    assert len(re.findall(r"written|added|assembled", text)) > 10
    assert len(re.findall(r"rng\.|rs\.|np\.random\.", text)) > 100
    assert sum(expression in text for expression in USES) > len(USES) / 2


def test_a_wrong_number_is_seen():
    source = "def f(x):\n    return np.sum(x) + hasattr(x, 'tape')"
    assert outcome(source, "array").startswith("wrong value")


@pytest.mark.slow
def test_a_death_costs_the_other_programs_nothing():
    """The jobs of this module are done by itself: ``abort`` ends the process that is asked to."""
    ended = dict(outcomes("tests.fuzz.dying", ["one", "abort", "two", "segfault", "three"]))
    assert [ended[each] for each in ("one", "two", "three")] == ["done"] * 3
    assert ended["abort"].startswith(DEATH)
    assert "Fatal Python error" in ended["segfault"]
    assert "in run" in ended["segfault"]


@pytest.mark.slow
def test_the_test_run_itself_tells_where_it_dies():
    """Unless pytest's own plugin is turned off, which nothing here does."""
    import faulthandler

    assert faulthandler.is_enabled() or "-p no:faulthandler" in " ".join(sys.argv)
