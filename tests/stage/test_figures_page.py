"""The page of figures is what adviz draws today."""

import pytest

from . import figures_page


@pytest.mark.slow
def test_the_page_and_its_pictures_are_those_of_today():
    found = figures_page.files()
    assert {*figures_page.PICTURES.iterdir()} == found.keys() - {figures_page.PAGE}
    for path, text in found.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `python -m tests.stage.figures_page`"


def test_every_figure_is_on_the_page_with_what_is_certain_of_it():
    page = figures_page.PAGE.read_text("utf-8")
    for name, case in figures_page.FIGURES.items():
        assert f"**{name.removeprefix('figure ')}" in page
        assert case.certain[1:] in page
