"""Functions of public programs, traced as they are, in both grains and in fresh processes: they work or are refused."""

import pytest

from .public import PROGRAMS
from .public.refused import REFUSED
from .public.running import GRAINS, WORKS, as_expected, shares, table


@pytest.fixture(scope="module")
def found():
    return table(list(PROGRAMS))


def test_there_are_more_than_ninety_of_them_from_many_repositories():
    assert len(PROGRAMS) > 90
    assert len({program.repository for program in PROGRAMS.values()}) > 20


@pytest.mark.slow
def test_each_works_with_the_right_numbers_or_is_refused_by_name(found):
    """Nothing dies, no number is wrong, no error is unnamed. The table of refusals can only be as it is written."""
    assert as_expected(found) == REFUSED
    reasons = {reason for each in REFUSED.values() for reason in each.values()}
    assert [
        reason for reason in reasons if not reason.endswith("Error") or reason.startswith(("unnamed", "died"))
    ] == []


@pytest.mark.slow
def test_how_many_work(found, capsys):
    with capsys.disabled():
        print(f"\nPublic programs: {shares(found)}")
    works = {grain: {name for name, each in found.items() if each[grain] == WORKS} for grain in GRAINS}
    assert len(works["array"]) >= 0.8 * len(found)
    assert len(works["array"] | works["scalar"]) >= 0.9 * len(found)
