"""The course: every notebook runs from top to bottom, and is stored as a person should find it."""

import base64
import io
import re

import pytest

from ..stage.panels import unpacked
from . import outputs

pytestmark = [pytest.mark.slow, pytest.mark.smoke, pytest.mark.every]
each_notebook = pytest.mark.parametrize("path", outputs.COURSE, ids=lambda path: path.stem)
each_with_exercises = pytest.mark.parametrize("path", outputs.WITH_EXERCISES, ids=lambda path: path.stem)
each_with_outputs = pytest.mark.parametrize("path", outputs.WITH_OUTPUTS, ids=lambda path: path.stem)
SAVE = "run `python -m tests.notebooks.outputs`"


def test_the_course_is_numbered_in_order():
    numbers = [int(re.match(r"(\d\d)_[a-z0-9_]+$", path.stem)[1]) for path in outputs.COURSE]
    assert numbers == [*range(1, 12)]


@each_notebook
def test_it_is_stored_without_the_state_of_a_kernel(path):
    import nbformat

    notebook = outputs.read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "widgets" not in notebook.metadata
    assert {cell.execution_count for cell in outputs.code(notebook)} == {None}
    if path not in outputs.WITH_OUTPUTS:
        assert not any(cell.outputs for cell in outputs.code(notebook))


@each_with_outputs
def test_it_is_stored_with_static_outputs_of_its_present_code(path):
    from PIL import Image

    notebook = outputs.read(path)
    assert notebook.metadata[outputs.SOURCES] == outputs.sources(notebook), SAVE
    assert path.stat().st_size < outputs.LARGEST
    shown = [output for cell in outputs.code(notebook) for output in cell.outputs]
    data = [output.data for output in shown if output.output_type != "stream"]
    assert {output.output_type for output in shown} <= {"stream", "display_data"}
    assert {kind for entry in data for kind in entry} <= set(outputs.KEPT)
    assert all(entry["text/plain"].strip() for entry in data)
    pictures = [Image.open(io.BytesIO(base64.b64decode(entry["image/png"]))) for entry in data if "image/png" in entry]
    assert pictures
    assert all(picture.width <= outputs.WIDEST and min(picture.size) > 100 for picture in pictures)


@each_with_exercises
def test_it_ends_with_exercises_that_have_hints_and_folded_solutions(path):
    texts = [cell.source for cell in outputs.read(path).cells]
    start = next(place for place, text in enumerate(texts) if text.startswith("## Exercises"))
    exercises = [text for text in texts[start:] if re.match(r"\*\*\d\.", text)]
    assert [int(re.match(r"\*\*(\d)\.", text)[1]) for text in exercises] == list(range(1, len(exercises) + 1))
    assert len(exercises) >= 3
    for text in exercises:
        assert re.findall(r"<details>\s*<summary>(\w+)", text) == ["Hint", "Solution"]
        assert text.count("<details>") == text.count("</details>") == 2
        assert "assert " in "".join(outputs.CODE.findall(text))


@each_notebook
def test_it_runs_as_saved_with_its_solutions_and_exports_the_pages_that_are_here(path, tmp_path):
    notebook = outputs.read(path)
    ran = outputs.run(notebook, tmp_path, outputs.solutions(notebook), has_strips=False)  # they take half of the time
    assert told(tmp_path / "pages") == told(outputs.FOLDER / "pages")
    if path in outputs.WITH_OUTPUTS:
        for cell, done in zip(outputs.code(notebook), outputs.code(ran), strict=True):
            now = outputs.kept(done.outputs)
            assert outputs.kinds(now) == outputs.kinds(cell.outputs), f"{cell.source}\n{SAVE}"
            assert outputs.numbers(now) == pytest.approx(outputs.numbers(cell.outputs), 1e-3, 1e-6), SAVE


def told(folder):
    """What the pages in a folder tell; places and last digits may differ from one machine to another."""
    scenes = {path.name: unpacked(path.read_text("utf-8"), "adviz-document")["scene"] for path in folder.glob("*.html")}
    return {name: [step["caption"] for step in scene["steps"]] for name, scene in scenes.items()}
