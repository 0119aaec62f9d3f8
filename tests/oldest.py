"""The oldest versions of its dependencies that adviz declares, as constraints for pip.

``python tests/oldest.py`` writes them for all dependencies, ``python tests/oldest.py quick`` the requirements of the
quick tests, which ``make test-all`` runs once in an environment of these versions, and ``python tests/oldest.py
tests`` the paths of those tests.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
QUICK = ("array-api-strict", "hypothesis", "networkx", "numba", "pandas", "pytest", "scipy")
"""What the quick tests need besides adviz's own dependencies."""
TESTS = Path(__file__).parent
ENGINE = """trace derivatives registry writes object_arrays casts linalg special coverage namespaces
    python_math""".split()
"""The test files of the engine that ask most of NumPy, and take a minute or two."""


def quick_tests() -> list[Path]:
    """The quick tests: those of the graph that start no kernel of a notebook, and the files named above.

    >>> quick_tests()[-1].name
    'test_python_math.py'
    """
    graph = [path for path in sorted((TESTS / "graph").rglob("test_*.py")) if path.stem != "test_ipython"]
    files = {path.stem: path for path in (TESTS / "engine").rglob("test_*.py")}
    return [*graph, *(files[f"test_{name}"] for name in ENGINE)]


def oldest(requirements: list[str]) -> dict[str, str]:
    """By name the smallest version that each requirement allows; adviz's own extras are left out.

    >>> oldest(["numpy>=2,<3", "adviz[lab]", "jax >= 0.6, <0.11"])
    {'numpy': '2', 'jax': '0.6'}
    """
    found = {}
    for requirement in requirements:
        name, *_ = re.split(r"[\s\[<>=!~;]", requirement)
        if name == "adviz":
            continue
        smallest = re.search(r">=\s*([\w.]+)", requirement)
        if smallest is None:
            raise ValueError(f"{requirement!r} in pyproject.toml says no oldest version; write {name}>=…")
        found[name] = smallest[1]
    return found


def main(arguments: list[str], text: str) -> str:
    """One line per dependency of a ``pyproject.toml``, of the quick tests only if asked for those; or their paths."""
    if arguments == ["tests"]:
        return "".join(f"{path.relative_to(TESTS.parent)}\n" for path in quick_tests())
    project = tomllib.loads(text)["project"]
    own = oldest(project["dependencies"])
    every = oldest([each for extra in project["optional-dependencies"].values() for each in extra]) | own
    chosen = [*own, *QUICK] if arguments == ["quick"] else sorted(every)
    return "".join(f"{name}=={every[name]}\n" for name in chosen)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:], PYPROJECT.read_text()))
