"""Mutants: small faults drawn into adviz, one at a time, and whether the tests find them.

``python -m tests.mutants 20 --seed 3 --of engine`` copies the project, changes one expression of the copy (a sign, an
operand, a comparison, a number, an argument), and runs the tests of that module there, then those of its folder, then
those of its package, until one fails; that one has to pass without the mutant. A mutant that no test finds is printed
with its line: it means the same as the original, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
LONGEST = 300
"""Seconds of computing that a run of tests may take, however busy the machine is; beyond, nothing is known."""
PASSED = (0, 5)
"""The exit codes of pytest where no test fails, and where there is none."""
PROFILES = "tests/conftest.py"
"""Without it, pytest would know no profile `quick` where a module has doctests only, and end with an error."""
LEFT_OUT = (".*", "node_modules", "__pycache__")
"""What no copy of the project needs."""


class Mutant(NamedTuple):
    """A change of one expression."""

    path: Path
    line: int
    before: str
    after: str
    source: str
    """The whole file with the change."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} → {self.after}"


def changes(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that a fault might make of an expression."""
    if isinstance(node, ast.BinOp):
        if type(node.op) in SWAPS:
            yield ast.BinOp(node.left, SWAPS[type(node.op)](), node.right)
        if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
            yield ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.Add | ast.Sub):
            yield node.left
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield ast.Compare(node.left, [SWAPS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPS[type(node.op)](), node.values)
        yield ast.BoolOp(node.op, node.values[1:]) if len(node.values) > 2 else node.values[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Call) and len(node.args) == 2 and not any(isinstance(a, ast.Starred) for a in node.args):
        yield ast.Call(node.func, node.args[::-1], node.keywords)


def expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that compute something: not those of annotations, messages, imports, and texts with holes."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_comment") or isinstance(tree, ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.Assert):
                continue
            if isinstance(child, ast.expr):
                yield child
            yield from expressions(child)


def mutants(path: Path, text: str) -> Iterator[Callable[[], Mutant]]:
    """All mutants of a file, each as what makes it.

    >>> [str(make()) for make in mutants(Path("a.py"), "y = a - b")]
    ['a.py:1: a - b → a + b', 'a.py:1: a - b → b - a', 'a.py:1: a - b → a']
    """
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    encoded = text.encode()

    def make(node: ast.expr, changed: ast.expr) -> Mutant:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        after = ast.unparse(ast.fix_missing_locations(changed))
        inside = b"(" + after.encode() + b")" + b"\n" * encoded[start:end].count(b"\n")
        before = ast.unparse(node)
        source = (encoded[:start] + inside + encoded[end:]).decode()
        return Mutant(path, node.lineno, before, after, source)

    for node in expressions(ast.parse(text)):
        for changed in changes(node):
            yield lambda node=node, changed=changed: make(node, changed)  # type: ignore[misc]


def drawn(of: str, rng: random.Random) -> Mutant:
    """A mutant of some file of a package; files with more expressions are drawn more often."""
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "adviz" / of).rglob("*.py"))]
    while True:
        path = rng.choices(files, [(ROOT / each).stat().st_size for each in files])[0]
        made = list(mutants(path, (ROOT / path).read_text()))
        for make in rng.sample(made, len(made)):
            mutant = make()
            try:
                compile(mutant.source, str(path), "exec")
            except (SyntaxError, ValueError):
                continue
            return mutant


def rounds(path: Path) -> Iterator[list[Path]]:
    """The tests of a module, of its folder, of the folder around, and of its package; only those that are there."""
    inside = path.relative_to("adviz")
    yield [Path("tests") / inside.with_name(f"test_{inside.name}"), path]
    for folder in inside.parents[:-1]:
        yield [Path("tests") / folder, Path("adviz") / folder]


def run(paths: list[str], copy: Path) -> tuple[int | None, str]:
    """The exit code of tests in a copy, and the first test that fails; no code where they take too long."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow and not browser and not numba"]
    command += ["-p", "no:cacheprovider", "--hypothesis-profile", "quick", "--cases", "4", PROFILES, *paths]
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            capture_output=True,
            text=True,
            timeout=6 * LONGEST,  # for tests that wait for what does not come
            env={**os.environ, "PYTHONPATH": "."},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)),
        )
    except subprocess.TimeoutExpired:
        return None, ""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode, failed[0].split()[1].partition("[")[0] if failed else ""


def verdict(mutant: Mutant, copy: Path) -> str:
    """Whether tests find a mutant in a copy of the project: by which, or not at all."""
    place = copy / mutant.path
    original = place.read_text()
    for paths in rounds(mutant.path):
        there = [str(path) for path in paths if (copy / path).exists()]
        place.write_text(mutant.source)
        code, failed = run(there, copy)
        place.write_text(original)
        if code is None:
            return "UNDECIDED: its tests take too long"
        if code not in PASSED:
            if run([failed] if failed else there, copy)[0] not in PASSED:
                return f"UNDECIDED: {failed} fails without it, too"
            return f"found by {failed or 'the import'}"
    return "SURVIVED"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--of", default="", help="a folder of adviz, such as engine/rules")
    given = parser.parse_args()
    rng, counts = random.Random(given.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
        for _ in range(given.count):
            mutant = drawn(given.of, rng)
            found = verdict(mutant, copy)
            counts[found.split()[0].removesuffix(":")] += 1
            print(f"{mutant}: {found}", flush=True)
    print(*(f"{count} {what}" for what, count in counts.items()), sep=", ")


if __name__ == "__main__":
    main()
