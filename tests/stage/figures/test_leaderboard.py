"""The orders of a class: the fewest multiplications first, and what is no order says why."""

import pytest

import adviz as ad

NAUMANN = ad.examples["Naumann 2004"]


def test_the_fewest_multiplications_come_first_and_equals_share_a_place():
    board = ad.leaderboard(NAUMANN, records={"Ada": [4, 2, 3], "Ben": [3, 2, 4], "Cem": [4, 2, 3], "Dan": [3, 4, 2]})
    first = board.rows[0]
    assert (first["name"], first["place"], first["more"]) == ("Ben", 1, 0)
    assert board["Ada"]["place"] == board["Cem"]["place"] == 3
    numbers = [row["multiplications"] for row in board.rows]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_a_number_is_what_the_comparison_says(technique):
    compared = ad.compare_orders(NAUMANN, techniques=technique, orders={"mine": [3, 2, 4]})
    board = ad.leaderboard(NAUMANN, technique=technique, records={"mine": "[3, 2, 4]"})
    assert board["mine"]["multiplications"] == compared[technique, "mine"]["multiplications"]


@pytest.mark.parametrize("technique", ["vertex", "edge", "face"])
def test_orders_may_be_written_as_texts(technique):
    best = ad.optimal_order(NAUMANN.graph(), technique)
    board = ad.leaderboard(NAUMANN, technique=technique, records={"Ada": repr(best.order)})
    assert board["Ada"]["multiplications"] == best.cost
    assert board["Ada"]["more"] == 0


@pytest.mark.parametrize(
    ("record", "remark"),
    [
        ("[3, 2", "cannot be read"),
        ("__import__('os').system('true')", "cannot be read"),
        ("42", "cannot be read"),
        ("[" * 30_000, "cannot be read"),
        ("[3, 2]", "leaves v4 out"),
        ([3, 3, 2], "eliminated already|once"),
        ([0, 3, 2, 4], "only intermediates|input"),
    ],
)
def test_what_is_no_complete_order_comes_last_and_says_why(record, remark):
    board = ad.leaderboard(NAUMANN, records={"Eve": record, "Ada": [3, 2, 4]})
    assert [row["name"] for row in board.rows] == ["Ada", "Eve"]
    assert board["Eve"]["place"] is None
    assert any(word in board["Eve"]["remark"] for word in remark.split("|")), board["Eve"]["remark"]


def test_the_first_line_says_how_products_are_counted_and_what_is_best():
    lines = repr(ad.leaderboard(NAUMANN, records={"Ada": [3, 2, 4]})).splitlines()
    assert lines[0].endswith("multiplications by structure, products with units counted; best possible 7")
    assert "best" not in repr(ad.leaderboard(NAUMANN, records={"Ada": [3, 2, 4]}, effort=0)).splitlines()[0]


def test_names_are_text():
    page = ad.leaderboard(NAUMANN, records={"<b>Ada</b>": [3, 2, 4]})._repr_html_()
    assert "&lt;b&gt;Ada&lt;/b&gt;" in page
    assert "<b>Ada" not in page


def test_records_have_names_and_a_technique_is_known():
    with pytest.raises(TypeError, match="name them"):
        ad.leaderboard(NAUMANN, records=[[3, 2, 4]])
    with pytest.raises(ValueError, match="no technique is called"):
        ad.leaderboard(NAUMANN, records={}, technique="node")
