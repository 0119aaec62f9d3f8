"""What is known of a primitive is in its record: other files of adviz know no function by its name, but for a few."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import adviz
from adviz.engine import functions, scipy_functions
from adviz.engine.blocks import BLOCKS, INPUT, OUTPUT

ROOT = Path(adviz.__file__).parent
FAMILIES = ("engine/rules", "engine/functions", "engine/scipy_functions", "engine/tracing/writes.py")
"""Where the records are, and which NumPy function is which Block, or is composed of which."""

EXCEPTIONS = {
    "engine/tracing/constructors.py": (22, "what functions of Python's module math are in NumPy"),
    "graph/scopes.py": (2, "what Python's sum and math.prod repeat; a graph knows no records"),
    "kernels/backends/array_api.py": (2, "functions of PyTorch that do not treat NaN as NumPy does"),
    "kernels/libraries/standard_printing.py": (6, "operations with a syntax of their own: x.T, x[k], xp.where"),
    "kernels/lowering.py": (7, "faster forms of products, lengths, sines and cosines, each a law with a name"),
    "kernels/sources/printing.py": (6, "operations with a syntax of their own: x.T, x[:, None], np.tril"),
}
"""How often each file names a primitive, and why; the numbers may only fall."""


def names() -> set[str]:
    """The names of all records, of SciPy's functions as well."""
    for package in (functions, scipy_functions):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    return {block.name for block in BLOCKS if block not in (INPUT, OUTPUT)}


NAMES = names()
OTHERS = {name for name in NAMES if hasattr(np.ndarray, name)} | set("negative positive isinf isnan".split())
"""Names of methods of arrays, of signs, and of states of nodes."""
WORDS = OTHERS | set(
    "add add_at arrange divide equal floor gather greater index inv kink less log matmul maximum minimum multiply pad"
    " place power read scatter set sign solve square stack subtract tied tile where".split()
)
"""Names that are plain words as well: they are counted where they are compared with a name, and in lists of names."""


QUOTED = re.compile(rf"""["']({"|".join(map(re.escape, sorted(NAMES)))})["' ]""")
"""What a file that names a primitive has in its text: most files need not be parsed."""
COMPARED, COUNTED = ("name", "block", "operation", "ufunc", "function"), ("counts", "OPERATIONS", "BLOCKS", "RULES")


def named(path: Path) -> Iterator[str]:
    """Yield the primitives that a file names in its strings, docstrings aside."""
    text = path.read_text(encoding="utf-8")
    if not QUOTED.search(text):
        return
    nodes = list(ast.walk(ast.parse(text)))
    is_text = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    is_text |= {id(each) for node in nodes if _is_public(node) for each in node.value.elts}
    are_names = {id(inner) for node in nodes if _is_of_names(node) for inner in ast.walk(node)}
    are_asked = {id(argument) for node in nodes if _is_asking(node) for argument in node.args}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in is_text | are_asked:
            words = node.value.split() if len(node.value) < 2_000 else []
            if node.value in NAMES and (node.value not in WORDS or id(node) in are_names):
                yield node.value
            elif len(words) > 1 and NAMES.issuperset(words):
                yield from words


def _is_of_names(node: ast.AST) -> bool:
    """Whether something is compared with a name here, or names are listed."""
    if isinstance(node, ast.Compare):
        return any(
            getattr(each, "attr", getattr(each, "id", "")) in COMPARED for each in (node.left, *node.comparators)
        )
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and getattr(node.value, "id", "") in COUNTED
    entries = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    found = NAMES.intersection(each.value for each in entries if isinstance(each, ast.Constant))
    return bool(found - WORDS) or (len(found) > 1 and bool(found - OTHERS))


def _is_public(node: ast.AST) -> bool:
    """Whether it is the list of what a module offers."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _is_asking(node: ast.AST) -> bool:
    """Whether a library or an array is asked for a function of its own."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr"


def test_primitives_are_known_by_their_records_only():
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(FAMILIES) and (counts := Counter(named(path))):
            found[where] = counts
    assert {where: counts.total() for where, counts in found.items()} == {
        where: count for where, (count, _) in EXCEPTIONS.items()
    }, "\n".join(f"{where}: {', '.join(counts)}" for where, counts in found.items())
    assert len(EXCEPTIONS) <= 10
