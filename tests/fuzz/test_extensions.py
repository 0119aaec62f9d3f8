"""Calls of C extensions while a program is traced bring nothing down, and no number is wrong."""

import random
import sys

import pytest

from ..fresh_processes import DEATH, outcomes
from .extensions import EXPRESSIONS, X, is_wrong, outcome, results


@pytest.mark.slow
def test_calls_are_right_or_refused_and_on_constants_right():
    """Each run draws some; ``python -m tests.fuzz.extensions all`` runs them all."""
    asked = random.SystemRandom().sample(EXPRESSIONS, 150)
    found = {f"{each}, {grain} grain": ended for grain, each, ended in results(asked) if is_wrong(each, ended)}
    assert found == {}


def test_a_gradient_that_is_not_a_number_is_wrong_unless_a_warning_says_so(monkeypatch):
    source = f"def f(x):\n    return math.sqrt((x[0] - {X[0]}) ** 2)\n"
    assert outcome(source, "array") == "no derivative"
    monkeypatch.setattr("adviz.engine.sweeps.warn", lambda warning: None)
    assert outcome(source, "array").startswith("wrong gradient nan")


def test_a_wrong_number_is_seen():
    source = "def f(x):\n    return np.sum(x) + object.__repr__(x).count('Traced')"
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
