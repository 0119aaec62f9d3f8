"""The changelog: Keep a Changelog's outline, and the version that the package says it is."""

import re

import adviz

from . import house

TEXT = (house.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_newest_version_is_that_of_the_package():
    unreleased, newest, *_ = re.findall(r"^## \[(.+?)\]", TEXT, re.MULTILINE)
    assert (unreleased, newest) == ("Unreleased", adviz.__version__)


def test_versions_are_dated_and_changes_are_of_known_kinds():
    versions = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)[1:]
    assert versions
    assert all(re.fullmatch(r"\[[\d.]+\] - \d{4}-\d\d-\d\d", version) for version in versions)
    assert set(re.findall(r"^### (.+)$", TEXT, re.MULTILINE)) <= KINDS


def test_public_names_in_it_exist():
    assert [name for name in set(re.findall(r"`ad\.(\w+)", TEXT)) if not hasattr(adviz, name)] == []
