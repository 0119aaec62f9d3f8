"""A fixture of pytest: the sizes of graphs are kept beside the tests, and a test fails where they change.

pytest finds it where adviz is installed; adviz itself is imported by the first test that uses it. Files are written,
and rewritten, by ``pytest --update-graph-sizes``; they are meant to be committed, so that a graph that grows is seen in
review.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from adviz import Graph

FOLDER = "graph_sizes"
"""Beside the file of the test."""
OPTION = "--update-graph-sizes"
MOST_LINES = 30
"""The most lines of a difference that are shown."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the files."""
    group = parser.getgroup("adviz")
    group.addoption(OPTION, action="store_true", help="write the sizes of graphs that tests check into their files")


class GraphSizes:
    """What the fixture is: called as ``graph_sizes(f, *args)``, it checks the sizes of the graph, and returns it."""

    def __init__(self, request: pytest.FixtureRequest):
        self._name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
        self._module = Path(request.node.path)
        self._is_update = request.config.getoption(OPTION)
        self._calls = 0

    def __call__(self, f: Callable[..., Any] | Graph, /, *args: Any, grain: str = "array", **settings: Any) -> Graph:
        """Trace ``f(*args, **settings)``, or take a graph as it is, and compare its sizes with those in the file.

        A second call in one test has a file of its own. Fails if the sizes differ, with the difference by line of the
        source, and if there is no file yet.
        """
        from adviz import Graph, trace
        from adviz.graph.line_sizes import sizes_text

        graph = f if isinstance(f, Graph) else trace(f, *args, grain=grain, **settings)
        self._check(self._path(), sizes_text(graph))
        return graph

    def _path(self) -> Path:
        self._calls += 1
        number = f"+{self._calls}" if self._calls > 1 else ""  # names have no plus
        return self._module.parent / FOLDER / self._module.stem / f"{self._name}{number}.txt"

    def _check(self, path: Path, sizes: str) -> None:
        if self._is_update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(sizes, encoding="utf-8", newline="\n")
            return
        shown = path.relative_to(self._module.parent).as_posix()
        if not path.exists():
            pytest.fail(f"There is no {shown} yet. To write it: pytest {OPTION}\n\n{sizes}", pytrace=False)
        self._compare(shown, path.read_text(encoding="utf-8"), sizes)

    def _compare(self, shown: str, kept: str, sizes: str) -> None:
        from adviz.graph.line_sizes import sizes_difference

        found = sizes_difference(kept, sizes)
        if found:
            rest = len(found) - MOST_LINES
            more = [f"… and {rest:,} more lines"] if rest > 0 else []
            changes = "\n  ".join([*found[:MOST_LINES], *more])
            pytest.fail(
                f"The graph has other sizes than in {shown}:\n  {changes}\nIf that is meant: pytest {OPTION}",
                pytrace=False,
            )


@pytest.fixture
def graph_sizes(request: pytest.FixtureRequest) -> GraphSizes:
    """Check the sizes of a graph against the committed ones: ``graph_sizes(f, *args)``.

    Nodes, bytes and uses are kept for each line of the source, in a text file ``graph_sizes/<file>/<test>.txt`` beside
    the file of the test, which ``pytest --update-graph-sizes`` writes.
    """
    return GraphSizes(request)
