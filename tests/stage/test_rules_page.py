"""The page of rules is what is told today."""

from . import rules_page


def test_the_page_is_what_is_told_today():
    """Older versions of SciPy lack some functions."""
    written = rules_page.PAGE.read_text(encoding="utf-8").splitlines()
    found = rules_page.page().splitlines()
    assert len(found) > 1_000
    assert set(found) <= set(written), "python -m tests.stage.rules_page"
    assert len(set(written) - set(found)) < len(written) / 100, "python -m tests.stage.rules_page"
