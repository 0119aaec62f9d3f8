"""The schema of the Scene: what it refuses, and what the front end has from the same types."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import adviz as ad
from adviz.stage.scene import schema
from adviz.stage.shows import explorer_scene, sweep_scene

WIDGETS = Path(__file__).parents[3] / "widgets"


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"version": 2}, "scene.version"),
        ({"title": None}, "scene.title"),
        ({"steps": {}}, "scene.steps"),
        ({"source": {}}, "scene.source.files is missing"),
        (
            {"source": {"files": [{"name": "f", "path": "f.py", "line": "1"}]}},
            r"scene.source.files\[0\].text is missing",
        ),
        ({"panels": [{"id": "chart", "kind": "chart"}]}, r"scene.panels\[0\].kind must be one of \['graph', .*'code'"),
        ({"panels": [{"id": "code", "kind": "code"}, {"kind": "formula"}]}, r"scene.panels\[1\].id is missing"),
        ({"runs": [{"id": "one", "label": "", "kind": "upward"}]}, "scene.inputs is missing"),
    ],
)
def test_a_document_that_is_not_a_scene_is_refused_with_the_place(change, place):
    document, _ = explorer_scene.document(ad.trace(np.sin, 1.0))
    with pytest.raises(schema.SceneError, match=place):
        schema.check(document | change)


@pytest.mark.parametrize(
    ("tree", "place"),
    [
        (["root"], r"formula\[0\] must be one of \['row', 'id'"),
        (["row", ["num", 3]], r"formula\[1\]\[1\] must be string"),
        (["matrix", [[["id", "x"], ["bar"]]]], r"formula\[1\]\[0\]\[1\] must contain at least 2 items"),
    ],
)
def test_a_formula_is_checked_to_its_leaves(tree, place):
    show, _ = sweep_scene.backward_scene(ad.trace(np.sin, 1.0))
    steps = [step | {"formula": tree} for step in show["steps"]]
    with pytest.raises(schema.SceneError, match=r"scene\.steps\[0\]\." + place):
        schema.check(show | {"steps": steps})


def test_the_types_and_readers_of_the_front_end_are_up_to_date():
    names = runpy.run_path(str(WIDGETS / "scene_types.py"))
    for name, text in names["FILES"].items():
        written = (WIDGETS / "src" / "scene" / name).read_text(encoding="utf-8")
        assert written == text(), "run `python widgets/scene_types.py`"
