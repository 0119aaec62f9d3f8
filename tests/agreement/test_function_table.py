"""The page of functions says what is so: each function is called again, in both grains, and nothing is left out."""

import re

import pytest

from . import function_table
from .function_table import PAGE, VALUE, YES, differentiated_by_hips, missing_from_the_table

ROW = re.compile(r"\| `(?P<call>.*)` \| (?P<array>[^|]*) \| (?P<scalar>[^|]*) \| (?P<hips>•?) ?\|")


@pytest.fixture(scope="module")
def page() -> str:
    return function_table.page()


def rows(page: str) -> dict[str, tuple[str, str]]:
    return {row["call"]: (row["array"], row["scalar"]) for row in ROW.finditer(page)}


@pytest.mark.slow
def test_the_page_is_what_comes_of_the_calls_today(page):
    """Another version of NumPy or SciPy may have other functions; what they share is compared."""
    found, written = rows(page), rows(PAGE.read_text(encoding="utf-8"))
    assert len(found.keys() & written.keys()) > 700
    changed = {
        call: (written[call], found[call]) for call in found.keys() & written.keys() if found[call] != written[call]
    }
    assert not changed, "python -m tests.agreement.function_table write"


def test_every_public_function_of_numpy_is_called_or_set_aside():
    assert missing_from_the_table() == set()


NOT_YET = {"scipy.special.lambertw(x)": ("wrong shape", "wrong shape")}
"""What is still to be mended: a real number for a complex one."""


@pytest.mark.slow
def test_every_function_is_differentiated_has_no_derivative_or_is_refused_by_name(page):
    named = re.compile(rf"({YES}|{VALUE}|\w+Error)(; argument \d+: ({YES}|{VALUE}|\w+Error))*")
    wrong = {
        call: found
        for call, found in rows(page).items()
        if not all(named.fullmatch(each.removeprefix("argument 1: ")) for each in found)
    }
    assert wrong == NOT_YET


def test_what_hips_autograd_differentiates_is_on_the_page():
    found = rows(PAGE.read_text(encoding="utf-8"))
    called = {re.match(r"[\w.]+", call)[0] for call in found}
    types = {"byte", "int16", "int32", "int64", "int8", "int_", "intc", "integer", "intp", "long", "short"}
    assert differentiated_by_hips() - called == {f"np.{name}" for name in types}
