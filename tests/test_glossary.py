"""The glossary: every term once, in order, in one line."""

import re

import adviz

from . import house

LINES = (house.ROOT / "GLOSSARY.md").read_text(encoding="utf-8").splitlines()
ROWS = [re.fullmatch(r"\| \*\*(.+?)\*\* \| (.+) \| (.*?) ?\|", line) for line in LINES if line.startswith("| **")]


def test_every_line_of_the_table_is_a_term_with_its_meaning():
    assert len(ROWS) > 90
    assert all(ROWS)


def test_terms_are_in_order_and_said_once():
    terms = [row[1].lower().replace("'", "") for row in ROWS if row]
    assert terms == sorted(set(terms))


def test_sources_are_listed_below():
    given = {
        re.sub(r" (ch\. \d+|\d+\.\d+)$", "", source)
        for row in ROWS
        if row
        for source in (row[3] or "").split(", after ")
    }
    listed = {match[1] for line in LINES if (match := re.match(r"- \*\*(.+?)\*\*:", line))}
    assert given - {""} == listed


def test_concepts_that_are_classes_are_there():
    terms = " ".join(row[1] for row in ROWS if row)
    names = "Block CGraph Explorer Graph Jacobian LineGraph Node Player Program Step Timeline Variable".split()
    assert [name for name in names if name not in terms or not hasattr(adviz, name)] == []
