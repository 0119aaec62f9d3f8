"""Each statement of the source of op graphs, in ``docs/op_graph_statements.md``, has a test or a reason."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "docs" / "op_graph_statements.md"


def test_each_statement_has_a_test_or_a_reason():
    names = {
        node.name
        for path in TESTS.rglob("test_*.py")
        if {"lazy", "ops", "jupyter"} & {*path.parts}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    statements = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    held = [re.findall(r"`(test_\w+)`", line) for line in statements]
    assert len(statements) > 100
    assert [each for each, tests in zip(statements, held, strict=True) if not tests and "left out: " not in each] == []
    assert {each for tests in held for each in tests} - names == set()
