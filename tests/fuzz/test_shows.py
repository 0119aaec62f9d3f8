"""Each show of a function, in each grain and each format, is a picture, or a refusal by name."""

import pytest

from . import shows


@pytest.mark.slow
def test_each_show_is_a_picture_or_is_refused_by_name():
    """``python -m tests.fuzz.shows catalogue`` takes all of them."""
    told = [
        f"{case[0]}: {verdict}"
        for number, case in enumerate(shows.catalogue()[7::300] + shows.drawn()[:2])
        for verdict in shows.verdicts(case, number)
    ]
    assert [each for each in told if shows.is_wrong(each)] == []
    assert sum(each.endswith("saved") for each in told) > 60


def test_an_error_without_a_name_and_a_file_without_a_picture_are_found(monkeypatch, tmp_path):
    def shown(*_, **__):
        raise KeyError("hypot")

    class Blank:
        def save(self, path):
            path.write_text("<svg></svg>")
            return path

    monkeypatch.setattr(shows, "SHOWS", {"a show that dies": shown, "a show of nothing": lambda *_, **__: Blank()})
    told = list(shows.verdicts(("itself", lambda x: x, (1.0,)), 1))
    assert sum("UNNAMED KeyError" in each for each in told if shows.is_wrong(each)) == 1
    assert sum("EMPTY" in each for each in told if shows.is_wrong(each)) >= 2
