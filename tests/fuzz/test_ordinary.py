"""Random programs in ordinary Python have one gradient and one Hessian on all roads, or are refused by name."""

import pytest

from .ordinary import program, verdicts


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 40), marks=pytest.mark.slow)])
def test_all_roads_agree(seeds):
    """``python -m tests.fuzz.ordinary 1000 --seed 5`` draws more."""
    found = {seed: [each for each in verdicts(seed) if "refused" not in each] for seed in seeds}
    assert {each for wrong in found.values() for each in wrong if each not in ("kinked", "no differences")} == set()


@pytest.mark.long
def test_programs_have_state_closures_generators_and_branches():
    text = "\n".join(program(seed)[0] for seed in range(60))
    for way in ("layer(", "nonlocal", "halves(", "if ", "lambda", "try:", "+= ", "argsort", "history", "Boxed("):
        assert way in text, way
