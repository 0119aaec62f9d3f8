"""The house rules that a reader cannot see in one file: who may import whom, what `import adviz` loads and offers."""

import importlib
import pkgutil
import subprocess
import sys
from collections import Counter

import adviz

from . import house

# Renderers read the Scene and never each other. What one makes by lowering another's output is named here.
LOWERINGS = {("png", "svg"), ("html", "svg"), ("films", "png")}
# Imported where they are used: `import adviz` works, and is quick, without them.
IMPORTED_WHEN_USED = {
    "IPython",
    "anywidget",
    "cupy",
    "distributed",
    "fastjsonschema",
    "fpdf",
    "graphviz",
    "ipywidgets",
    "jupyterlab",
    "networkx",
    "numba",
    "plotly",
    "pygraphviz",
    "resvg_py",
    "tqdm",
    "PIL",
}


def test_a_room_imports_only_rooms_to_its_left():
    wrong = []
    for module in house.modules():
        left = set(house.PACKAGES[: house.PACKAGES.index(module.package) + 1]) - house.APART.get(module.package, set())
        wrong += [(module.file, each.file) for each in module.imports if each.package not in left]
    assert wrong == []


def test_the_units_of_a_room_are_in_the_order_and_no_others():
    for package in house.LAYERS:
        there = {module.layer for module in house.modules() if module.package == package} - {"__init__"}
        assert sorted(there) == sorted(house.order(package)[1:-1])


def test_a_unit_imports_only_units_to_its_left():
    wrong = []
    for module in house.modules():
        layers = house.order(module.package)
        left = layers[: layers.index(module.layer) + 1]
        wrong += [
            (module.file, each.file)
            for each in module.imports
            if each.package == module.package and each.layer not in left
        ]
    assert wrong == []


def test_no_files_import_each_other_in_a_circle():
    assert house.cycle() == []


def test_a_folder_has_at_most_twenty_modules():
    folders = Counter(module.path.parent for module in house.modules() if module.path.stem != "__init__")
    assert {folder.name: count for folder, count in folders.items() if count > 20} == {}


def test_a_file_has_at_most_600_lines():
    assert {module.file: module.length for module in house.modules() if module.length > 600} == {}


def test_a_function_has_at_most_60_lines():
    lengths = [(module.file, name, lines) for module in house.modules() for name, lines in module.functions]
    assert [each for each in lengths if each[-1] > 60] == []


def test_a_module_says_in_a_sentence_what_it_is():
    assert [module.file for module in house.modules() if not module.summary] == []


def test_renderers_do_not_know_each_other():
    renderers = [module for module in house.modules() if module.parts[:2] == ("stage", "export")]
    known = {(module.path.stem, each.path.stem) for module in renderers for each in module.imports if each in renderers}
    assert known == LOWERINGS


def test_import_adviz_is_light():
    report = "import sys, adviz; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True).stdout.split()
    assert "adviz" in loaded
    assert IMPORTED_WHEN_USED.isdisjoint(name.split(".")[0] for name in loaded)
    own = {name.split(".")[1] for name in loaded if name.startswith("adviz.")}
    assert own == {"algorithms", "engine", "graph"}


def test_exported_names_exist_and_are_said_once():
    packages = [module.name for module in pkgutil.walk_packages([str(house.ADVIZ)], "adviz.") if module.ispkg]
    for module in map(importlib.import_module, ["adviz", *packages]):
        exported = getattr(module, "__all__", [])
        assert len(exported) == len(set(exported)), module
        assert [name for name in exported if not hasattr(module, name)] == [], module


def test_a_public_function_or_class_is_explained_by_an_example():
    public = [(name, getattr(adviz, name)) for name in adviz.__all__]
    assert [name for name, each in public if callable(each) and ">>> " not in (each.__doc__ or "")] == []


def test_all_named_errors_are_one_kind():
    kinds = [each for each in vars(adviz).values() if isinstance(each, type) and issubclass(each, Exception)]
    named = [each for each in kinds if not issubclass(each, Warning)]
    assert len(named) > 10
    assert [each for each in named if not issubclass(each, adviz.AdvizError)] == []
