"""The fixture that keeps the sizes of graphs, as pytest runs it where adviz is installed."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODEL = """
import numpy as np

def layer(x):
    return np.tanh(x) * 2

def model(x, layers):
    for _ in range(layers):
        x = layer(x)
    return np.sum(x)
"""
TESTS = """
import numpy as np
import pytest
from model import model

@pytest.mark.parametrize("layers", [2, 3])
def test_model(graph_sizes, layers):
    graph = graph_sizes(model, np.ones(4), layers=layers)
    assert len(graph.outputs) == 1
    graph_sizes(graph)

def test_without():
    import sys
    assert "adviz" not in sys.modules
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "test_sizes.py").write_text(TESTS)
    return tmp_path


def run(project, *arguments):
    """Run pytest in a process of its own, with the plugin as the entry point has it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "pytest_adviz", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.long
def test_sizes_are_written_kept_and_compared(project):
    status, out = run(project, "-k", "model")
    assert status == 1
    assert "There is no graph_sizes/test_sizes/test_model-2.txt yet" in out
    assert run(project, "-k", "without")[0] == 0  # and adviz is not imported
    assert run(project, "--update-graph-sizes", "-k", "model")[0] == 0
    files = sorted(path.name for path in project.glob("graph_sizes/test_sizes/*"))
    assert files == ["test_model-2+2.txt", "test_model-2.txt", "test_model-3+2.txt", "test_model-3.txt"]
    assert run(project, "-k", "model")[0] == 0


@pytest.mark.long
def test_a_graph_that_grows_fails_by_line(project):
    assert run(project, "--update-graph-sizes", "-k", "model")[0] == 0
    longer = MODEL.replace("\ndef layer", "\n\n# lines move\n\ndef layer")
    (project / "model.py").write_text(longer)
    assert run(project, "-k", "model")[0] == 0
    (project / "model.py").write_text(longer.replace("np.tanh(x) * 2", "np.tanh(x) * 2 + np.mean(x)"))
    status, out = run(project, "-k", "model")
    assert status == 1
    assert "model: 7 nodes, 5 edges, 176 bytes → 11 nodes, 11 edges, 256 bytes" in out
    assert "+ layer: return np.tanh(x) * 2 + np.mean(x): 8 nodes" in out
    assert "- layer: return np.tanh(x) * 2: 4 nodes" in out
    assert "If that is meant: pytest --update-graph-sizes" in out
    assert run(project, "--update-graph-sizes", "-k", "model")[0] == run(project, "-k", "model")[0] == 0


def test_the_plugin_is_found_by_pytest():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"adviz": "pytest_adviz"}
    code = "import pytest_adviz, sys; print('adviz' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
