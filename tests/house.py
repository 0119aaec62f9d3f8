"""The house as data, read off the source: modules, who imports whom, the packages in their order.

``python -m tests.house`` lists all files with their first sentences, ``… tests.house graph`` those of one package.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADVIZ = ROOT / "adviz"
FRONT_END = ROOT / "widgets" / "src"
MAP = ROOT / "ARCHITECTURE.md"

PACKAGES = ("graph", "engine", "algorithms", "kernels", "lazy", "stage", "jupyter", "lessons", "__init__", "__main__")
"""From left to right: a package imports only packages to its left."""
APART = {"algorithms": {"engine"}}
"""Rooms to its left that a package does not know either."""

LAYERS = {
    "graph": "wording reach syntax_trees saved_functions loops ipython origins errors timeline versions scopes "
    "files wengert_list queries graph checked_graphs comparing line_sizes linearized",
    "engine": "trace_errors calls devices jacobians blocks rules tape sweeps arrays unsupported object_arrays modes "
    "variable apply functions tracing trace fast_reverse limits linearize derivatives scipy_functions checks "
    "measuring classic_interface",
    "algorithms": "examples sweeps elimination search expressions",
    "kernels": "program_errors expressions schedules points backends program terms derivations sources "
    "staged_programs arrays libraries branches lowering compiling",
    "lazy": "op_errors contexts axes ops building storing stores composites importing adjoint_ops "
    "training functional passes memory computations",
    "stage": "scene layout narration shows drawing export figures",
    "jupyter": "view player sweep_players explorer "
    "comparison_explorer elimination_player algebra_player program_pages op_players",
    "lessons": "plans backprop forward_or_reverse tape_or_graph lesson_page shelf",
}
"""The layers of each package, its folders and the files at its top, from left to right."""


@dataclass(frozen=True)
class Module:
    """A Python file of the package."""

    path: Path

    @property
    def parts(self) -> tuple[str, ...]:
        """("stage", "scene", "theme"); a package is its `__init__`."""
        return self.path.relative_to(ADVIZ).with_suffix("").parts

    @property
    def file(self) -> str:
        return self.path.relative_to(ADVIZ).as_posix()

    @property
    def package(self) -> str:
        return self.parts[0]

    @property
    def layer(self) -> str:
        """The folder or the file of its package that it is in; "__init__" for the package's own `__init__`."""
        return self.parts[1] if len(self.parts) > 1 else ""

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def length(self) -> int:
        return self.text.count("\n")

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return _first_sentence((ast.get_docstring(self.tree) or "").split("\n\n")[0])

    @cached_property
    def functions(self) -> list[tuple[str, int]]:
        """Each function with its length in lines."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        found = [node for node in _statements(self.tree) if isinstance(node, kinds)]
        return [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in found]

    @cached_property
    def imports(self) -> list[Module]:
        """The modules of the package that it imports, anywhere in it."""
        found: dict[Module, None] = {}
        for name in self._imported_names():
            module = _module_of(name)
            if module is not None and module != self:
                found[module] = None
        return list(found)

    def _imported_names(self) -> Iterator[tuple[str, ...]]:
        package = ("adviz", *self.parts[:-1])
        for statement in _statements(self.tree):
            match statement:
                case ast.Import():
                    yield from (tuple(alias.name.split(".")) for alias in statement.names)
                case ast.ImportFrom():
                    base = package[: len(package) - statement.level + 1] if statement.level else ()
                    source = (*base, *filter(None, (statement.module or "").split(".")))
                    yield from ((*source, alias.name) for alias in statement.names)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements; a walk that goes into their expressions as well takes seconds for all modules."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(tree, field, ()):
            yield statement
            yield from _statements(statement)


def _first_sentence(text: str) -> str:
    """The first sentence of a paragraph, in one line of Markdown."""
    line = re.sub(r":\w+:`(?:~[\w.]*\.)?([\w.]+)`", r"`\1`", " ".join(text.split())).replace("``", "`")
    end = re.search(r"(?<!e\.g)(?<!i\.e)\.(?= [A-Z`*])", line)
    return (line[: end.start()] if end else line).rstrip(".")


def _module_of(name: tuple[str, ...]) -> Module | None:
    """The module that a dotted name is, or is in: ("adviz", "stage", "scene", "theme", "PALETTE")."""
    known = by_name()
    for stop in (len(name), len(name) - 1):
        if name[:stop] in known:
            return known[name[:stop]]
    return None


@cache
def modules() -> tuple[Module, ...]:
    return tuple(Module(path) for path in sorted(ADVIZ.rglob("*.py")))


@cache
def by_name() -> Mapping[tuple[str, ...], Module]:
    return {
        ("adviz", *(module.parts[:-1] if module.parts[-1] == "__init__" else module.parts)): module
        for module in modules()
    }


def order(package: str) -> list[str]:
    """The layers of a package from left to right; its `__init__` may import all of them."""
    return ["", *LAYERS.get(package, "").split(), "__init__"]


def cycle() -> list[str]:
    """Files that import each other in a circle; none where there is none."""
    try:
        TopologicalSorter({module.file: [each.file for each in module.imports] for module in modules()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


# ---- lists ----


def _count(found: list[Module]) -> str:
    files = [module for module in found if module.parts[-1] != "__init__"]
    return f"{len(files)} file{'s' * (len(files) != 1)}"


def _rooms_there() -> list[str]:
    return [package for package in PACKAGES if package in LAYERS]


def _in_package(package: str, layer: str | None = None) -> list[Module]:
    return [module for module in modules() if module.package == package and layer in (None, module.layer)]


def directory(packages: Iterable[str]) -> str:
    """The packages, with every folder and file and its first sentence."""
    lines = []
    for package in packages:
        (init,) = _in_package(package, "__init__")
        lines += [f"### `adviz/{package}/`", "", f"{init.summary}. {_count(_in_package(package))}.", ""]
        for layer in order(package)[1:-1]:
            found = _in_package(package, layer)
            if not (ADVIZ / package / layer).is_dir():
                lines += [f"- `{module.path.name}`: {module.summary}" for module in found]
                continue
            own = [module for module in found if len(module.parts) == 3 and module.parts[-1] == "__init__"]
            lines.append(f"- **`{layer}/`** {own[0].summary if own else ''}".rstrip())
            for module in found:
                if module in own:
                    continue
                name = module.path.relative_to(ADVIZ / package / layer).as_posix()
                if module.parts[-1] == "__init__":
                    name = name.removesuffix("__init__.py")
                lines.append(f"    - `{name}`: {module.summary}")
        lines.append("")
    return "\n".join(lines).rstrip()


# ---- the front end ----


def scripts() -> list[Path]:
    """The files of the front end but for its tests."""
    return [
        path
        for path in sorted(FRONT_END.rglob("*.ts"))
        if not path.name.endswith(".test.ts") and "testing" not in path.relative_to(FRONT_END).parts
    ]


def _script_room(path: Path) -> str:
    parts = path.relative_to(FRONT_END).parts
    return parts[0] if len(parts) > 1 else path.stem


def _script_summary(path: Path) -> str:
    """The first sentence of the comment that a script begins with."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("//", "/*", " *")) or line.startswith(" */"):
            break
        lines.append(line.lstrip("/* ").rstrip("*/ "))
        if lines[-1].endswith((".", ":")):
            break
    return _first_sentence(" ".join(lines))


def script_rooms() -> list[str]:
    """The packages of the front end from left to right, as its own test has them."""
    text = (FRONT_END / "house.test.ts").read_text(encoding="utf-8")
    there = {_script_room(path) for path in scripts()}
    return [package for package in re.findall(r'FOLDERS = "(.*?)"', text)[0].split() if package in there]


def front_end() -> str:
    """The packages of the front end from left to right, and every file with its first sentence."""
    names = script_rooms()
    folders = {name: f"{name}/" if (FRONT_END / name).is_dir() else f"{name}.ts" for name in names}
    lines = ["### `widgets/src/`", "", " < ".join(folders.values()), ""]
    for name in names:
        found = [path for path in scripts() if _script_room(path) == name]
        if found == [FRONT_END / f"{name}.ts"]:
            lines.append(f"- `{name}.ts`: {_script_summary(found[0])}")
            continue
        lines.append(f"- **`{name}/`**")
        lines += [f"    - `{path.relative_to(FRONT_END / name).as_posix()}`: {_script_summary(path)}" for path in found]
    return "\n".join(lines)


if __name__ == "__main__":
    print(directory(sys.argv[1:] or _rooms_there()), "" if sys.argv[1:] else front_end(), sep="\n\n")
