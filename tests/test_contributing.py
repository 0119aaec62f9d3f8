"""The page for contributors: what it says to type is short, and works."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest

import adviz

from . import house

TEXT = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (Add an? .+?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
MOST_LINES = 15


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", SECTIONS[section], re.MULTILINE | re.DOTALL)


def home_of(code: str) -> ModuleType | None:
    """The module that a piece of code belongs into, which its first line names; a new one, if there is none yet."""
    named = re.match(r"# (adviz/\S+)\.py\n", code)
    if not named:
        return None
    name = named[1].replace("/", ".")
    if (house.ROOT / f"{named[1]}.py").exists():
        return import_module(name)
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    return module


@contextmanager
def taken_back(module: ModuleType) -> Iterator[None]:
    """Have a module, and take back what is written into it and into its tables."""
    names = dict(vars(module))
    tables = {name: dict(value) for name, value in names.items() if type(value) is dict and name.isupper()}
    known = dict(sys.modules)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        if module.__name__ not in known:
            del sys.modules[module.__name__]
        for name, table in tables.items():
            names[name].clear()
            names[name].update(table)
        vars(module).clear()
        vars(module).update(names)


def run(codes: list[str]) -> None:
    """Run pieces of code one after the other, each where it belongs; one without a place is what a user types."""
    with ExitStack() as stack:
        for code in codes:
            module = home_of(code)
            if module is not None:
                stack.enter_context(taken_back(module))
            place = {"np": np, "ad": adviz} if module is None else vars(module)
            exec(compile(code, "<CONTRIBUTING.md>", "exec"), place)


def test_there_is_a_recipe_for_all_that_is_added_often():
    assert [re.sub("Add an? ", "", title) for title in SECTIONS] == [
        "Block",
        "backward engine",
        "elimination order",
        "show",
        "panel",
    ]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_recipe_is_short(section):
    lines = [line for code in blocks(section, r"\w+") for line in code.splitlines()]
    assert len([line for line in lines if line.strip() and not line.startswith(("# ", "// "))]) <= MOST_LINES


@pytest.mark.parametrize("section", [section for section in SECTIONS if section != "Add a panel"])
def test_a_recipe_works(section):
    run(blocks(section, "python"))


@pytest.mark.slow
def test_the_recipe_of_a_panel_works(tmp_path):
    for pattern in ("adviz/**/*.py", "widgets/src/**/*.*", "widgets/*.ts", "widgets/*.json", "widgets/*.py"):
        for path in house.ROOT.glob(pattern):
            if path.name.endswith(".test.ts") or path.parent.name == "testing":
                continue
            copy = tmp_path / path.relative_to(house.ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    (tmp_path / "widgets/node_modules").symlink_to(house.ROOT / "widgets/node_modules")
    [described] = blocks("Add a panel", "python")
    new, registered = blocks("Add a panel", "ts")
    place = tmp_path / first_line(described)
    union = "\nPanel = (\n    "
    text = place.read_text(encoding="utf-8").replace(union, f"\n{described}\n{union}CountPanel\n    | ")
    place.write_text(text, encoding="utf-8")
    (tmp_path / first_line(new)).write_text(new, encoding="utf-8")
    place = tmp_path / first_line(registered)
    _, imported, entry = registered.splitlines()
    text = re.sub(r"(panels: \{\n)", rf"\1{entry}\n", place.read_text(encoding="utf-8"), flags=re.DOTALL)
    place.write_text(f"{imported}\n{text}", encoding="utf-8")
    for command in (
        [sys.executable, "widgets/scene_types.py"],
        [sys.executable, "widgets/npm.py", "run", "--silent", "check"],
    ):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "CountPanel" in (tmp_path / "widgets/src/scene/document.ts").read_text(encoding="utf-8")


def first_line(code: str) -> str:
    """The file that a piece of code names in its first line."""
    return code.partition("\n")[0].lstrip("#/ ")


def test_the_commands_are_those_of_the_makefile():
    targets = set(re.findall(r"^([\w-]+):.*##", (house.ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([\w-]+)", TEXT)) <= targets
