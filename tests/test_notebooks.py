"""The course: every notebook runs from top to bottom, and is stored as a person should find it."""

import re
import shutil
from pathlib import Path

import pytest

from .stage.panels import unpacked

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_the_course_is_numbered_without_gaps():
    numbers = [int(re.match(r"(\d\d)_[a-z0-9_]+$", path.stem)[1]) for path in NOTEBOOKS]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers


@pytest.mark.slow
@each_notebook
def test_it_is_stored_without_outputs(path):
    import nbformat  # takes seconds to import

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "widgets" not in notebook.metadata
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert {cell.execution_count for cell in code} == {None}


@pytest.mark.slow
@each_notebook
def test_it_runs_and_exports_the_pages_that_are_here(path, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert told(tmp_path / "pages") == told(FOLDER / "pages")


def told(folder):
    """What the pages in a folder tell; places and last digits may differ from one machine to another."""
    scenes = {path.name: unpacked(path.read_text("utf-8"), "adviz-document")["scene"] for path in folder.glob("*.html")}
    return {name: [step["caption"] for step in scene["steps"]] for name, scene in scenes.items()}
