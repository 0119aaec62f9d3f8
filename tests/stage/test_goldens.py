"""Shows and pictures are as they were reviewed. To accept a change, read it, and write it with `--accept`."""

from importlib.metadata import version

import pytest

from adviz.stage.scene import schema

from . import goldens, reviewed


@pytest.mark.parametrize("name", goldens.ALL)
def test_the_goldens_are_what_python_makes_today(name):
    document = goldens.golden_scene(name)
    schema.check(document)
    written = (reviewed.TRANSCRIPTS / f"{name}.txt").read_text(encoding="utf-8")
    assert reviewed.transcript(document) == written, f"`python -m tests.stage.goldens --accept` writes {name} anew"


@pytest.mark.every
@pytest.mark.parametrize("name", reviewed.names())
def test_a_picture_is_as_it_was_reviewed(name):
    """Its elements, texts and colors; and its places, to a pixel, where the same Graphviz made them."""
    written, drawn = (reviewed.PICTURES / f"{name}.svg").read_text(encoding="utf-8"), reviewed.drawn(name)
    assert reviewed.without_places(drawn) == reviewed.without_places(written)
    if reviewed.PLACED_BY.read_text() == f"pygraphviz {version('pygraphviz')}\n":
        assert reviewed.places(drawn) == pytest.approx(reviewed.places(written), abs=1.0)


def test_no_golden_is_left_over():
    assert {path.stem for path in reviewed.TRANSCRIPTS.iterdir()} == {*goldens.ALL}
    assert {path.stem for path in reviewed.PICTURES.glob("*.svg")} == {*reviewed.names()}


@pytest.mark.slow
def test_the_front_end_gets_the_shows(tmp_path, monkeypatch):
    """With what is on stage at every cursor, which both languages must find alike."""
    monkeypatch.setattr(goldens, "FOLDER", tmp_path / "shows")
    goldens.main([])
    assert {path.stem for path in goldens.FOLDER.iterdir()} == {*goldens.ALL, *goldens.OF_OPS, *goldens.EXPLORED}
