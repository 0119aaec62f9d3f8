"""The house rules that a reader cannot see in one file: who may import whom, what `import adviz` loads and offers."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import adviz

PACKAGE = Path(adviz.__file__).parent

# A room may import itself and only these.
MAY_IMPORT = {
    "graph": set(),
    "engine": {"graph"},
    "algorithms": {"graph"},
    "lazy": {"graph", "engine"},
    "kernels": {"graph", "engine", "algorithms", "lazy"},
    "stage": {"graph", "engine", "algorithms", "lazy", "kernels"},
    "jupyter": {"graph", "engine", "algorithms", "lazy", "kernels", "stage"},
    "__init__": {"graph", "engine", "algorithms", "lazy", "kernels", "stage", "jupyter"},
    "__main__": {"graph", "engine", "algorithms", "lazy", "kernels", "stage", "jupyter", "__init__"},
}
# Renderers read the Scene and never each other. What one makes by lowering another's output is named here.
RENDERERS = {"svg", "png", "pdf", "films", "html", "text"}
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


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """The adviz modules a file imports, anywhere in it, as parts: ("stage", "svg"); ("__init__",) for adviz itself."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match statement:
            case ast.Import():
                modules = [alias.name.split(".") for alias in statement.names]
            case ast.ImportFrom():
                base = package[: len(package) - statement.level + 1] if statement.level else ()
                source = [*base, *(statement.module or "").split(".")]
                modules = [[*filter(None, source), alias.name] for alias in statement.names]
            case _:
                continue
        for name, *rest in modules:
            if name == "adviz":
                yield tuple(rest) if rest and (PACKAGE / rest[0]).is_dir() else ("__init__",)


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_to_its_left(path):
    allowed = MAY_IMPORT[room(path)] | {room(path)}
    assert {module[0] for module in imports(path)} <= allowed


def test_renderers_do_not_know_each_other():
    export = PACKAGE / "stage" / "export"
    assert {path.stem for path in export.glob("*.py")} == RENDERERS | {"__init__"}
    known = {
        (path.stem, module[2])
        for path in export.glob("*.py")
        for module in imports(path)
        if module[:2] == ("stage", "export") and module[2:] and module[2] in RENDERERS - {path.stem}
    }
    assert known == LOWERINGS


def test_import_adviz_is_light():
    report = "import sys, adviz; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True).stdout.split()
    assert "adviz" in loaded
    assert IMPORTED_WHEN_USED.isdisjoint(loaded)


MODULES = ["adviz", *(module.name for module in pkgutil.walk_packages([str(PACKAGE)], "adviz.") if module.ispkg)]


@pytest.mark.parametrize("name", MODULES)
def test_exported_names_exist_and_are_said_once(name):
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert len(exported) == len(set(exported))
    assert [name for name in exported if not hasattr(module, name)] == []


@pytest.mark.parametrize("name", [name for name in adviz.__all__ if callable(getattr(adviz, name))])
def test_a_public_function_or_class_is_explained_by_an_example(name):
    assert ">>> " in (getattr(adviz, name).__doc__ or "")


def test_all_named_errors_are_one_kind():
    kinds = [each for each in vars(adviz).values() if isinstance(each, type) and issubclass(each, Exception)]
    named = [each for each in kinds if not issubclass(each, Warning)]
    assert len(named) > 10
    assert [each for each in named if not issubclass(each, adviz.AdvizError)] == []
