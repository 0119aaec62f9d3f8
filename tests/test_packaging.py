"""What a person gets by `pip install`: a wheel that carries the front end, built on a machine without Node."""

import gzip
import json
import os
import re
import stat
import subprocess
import sys
import tomllib
import venv
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
import quickjs
import yaml

import adviz

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BUNDLES = [f"adviz/static/{name}.js" for name in ("graphs", "sweeps", "eliminations", "pictures")]
BUNDLE_LIMIT = 245_000  # bytes; a bundle is copied into every saved notebook
COMPRESSED_LIMIT = 104_000  # bytes; saved pages have it compressed
# Names of XML vocabularies, which look like addresses and are never fetched.
NAMESPACES = {
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/2000/svg",
}


@pytest.fixture
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the sdist of this checkout, built in isolation with nothing but a shell on PATH: no Node, no npm."""
    folder = tmp_path_factory.mktemp("dist")
    path = tmp_path_factory.mktemp("path")
    (path / "sh").symlink_to("/bin/sh")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, env={**os.environ, "PATH": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [built] = folder.glob("*.whl")
    return built


@pytest.mark.smoke
@pytest.mark.slow
def test_the_wheel_installs_and_carries_the_package_with_its_bundles_and_nothing_else(wheel, tmp_path):
    """One test, because a wheel takes half a minute, and each process that shares the tests would build its own."""
    check_what_is_installed(wheel, tmp_path)
    with ZipFile(wheel) as archive:
        check_what_it_carries(archive)
        for name in BUNDLES:
            check_bundle(archive.read(name).decode("utf-8"))


def check_what_is_installed(wheel, tmp_path):
    """It is installed into an empty environment, and the bundles are found there."""
    venv.create(tmp_path / "clean")
    [python] = tmp_path.glob("clean/bin/python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(pip, check=True)
    report = (
        f"from importlib.metadata import *; print(version('adviz'), distribution('adviz').locate_file('{BUNDLES[0]}'))"
    )
    answer = subprocess.run([python, "-I", "-c", report], capture_output=True, text=True, check=True)
    version, path = answer.stdout.split()
    assert version == adviz.__version__
    assert Path(path).is_relative_to(tmp_path)
    assert Path(path).stat().st_size > 0


def check_what_it_carries(archive):
    """The package, the plugin for pytest, the license, and the version."""
    names = archive.namelist()
    metadata = Parser().parsestr(archive.read(f"adviz-{adviz.__version__}.dist-info/METADATA").decode())
    own = {"adviz", "pytest_adviz.py", f"adviz-{adviz.__version__}.dist-info"}
    assert {name.split("/")[0] for name in names} == own
    assert f"adviz-{adviz.__version__}.dist-info/licenses/LICENSE" in names
    assert metadata["Version"] == adviz.__version__


def check_bundle(bundle):
    """It is small, needs no network, and has its doors."""
    assert len(bundle.encode()) <= BUNDLE_LIMIT
    assert len(gzip.compress(bundle.encode())) <= COMPRESSED_LIMIT
    assert set(re.findall(r"(?:https?|wss?)://[^\s\"'`<>)]*", bundle)) <= NAMESPACES
    if "export{" in bundle:
        exported = re.findall(r"\bas (\w+)", bundle[bundle.rindex("export{") :])
        assert sorted(exported) == ["default", "mount"]
    else:  # a script, for files
        context = quickjs.Context()
        context.eval(bundle)
        assert json.loads(context.eval("JSON.stringify(Object.keys(adviz))")) == ["open", "ask"]


def test_the_front_end_has_the_same_version():
    for name in ("package.json", "package-lock.json"):
        assert json.loads((ROOT / "widgets" / name).read_text())["version"] == adviz.__version__


def test_the_front_end_has_no_run_time_dependencies():
    assert "dependencies" not in json.loads((ROOT / "widgets" / "package.json").read_text())


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (ROOT / "widgets" / "package-lock.json").read_text()


def test_binder_installs_what_pyproject_requires():
    lines = (ROOT / "binder" / "requirements.txt").read_text().splitlines()
    requirements = [line for line in lines if not line.startswith("#")]
    assert requirements == [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lab"]]


def test_binder_runs_the_oldest_python_that_pyproject_allows():
    runtime = (ROOT / "binder" / "runtime.txt").read_text().strip()
    assert runtime.replace("python-", ">=") == PROJECT["requires-python"]


def test_binder_installs_adviz():
    script = ROOT / "binder" / "postBuild"
    assert "pip install --no-cache-dir --no-deps .\n" in script.read_text()
    assert script.stat().st_mode & stat.S_IXUSR


def test_the_hooks_before_a_commit_need_no_network():
    """They run the tools of the environment, which `make test` runs as well."""
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [each["repo"] for each in repositories] == ["local"]
    hooks = repositories[0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert {hook["id"] for hook in hooks} == {"ruff-check", "ruff-format", "mypy", "tsc"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)
