"""The environment of the oldest versions is what pyproject.toml declares."""

import json
import re

import pytest

from . import oldest
from .test_packaging import PROJECT


def test_every_dependency_says_an_oldest_version_and_it_is_taken():
    lines = oldest.main([], oldest.PYPROJECT.read_text()).splitlines()
    pinned = dict(line.split("==") for line in lines)
    extras = [each for extra in PROJECT["optional-dependencies"].values() for each in extra]
    declared = [each for each in (*PROJECT["dependencies"], *extras) if not each.startswith("adviz[")]
    assert len(pinned) == len({re.match(r"[\w-]+", each)[0] for each in declared})
    for requirement in PROJECT["dependencies"]:
        name, version = re.match(r"([\w-]+)>=([\w.]+),", requirement).groups()
        assert pinned[name] == version


def test_the_quick_tests_need_adviz_s_own_dependencies_and_a_few_more():
    text = '[project]\ndependencies = ["numpy>=2,<3"]\n[project.optional-dependencies]\n'
    needed = json.dumps([f"{name}>=1.5" for name in oldest.QUICK])
    text += f'test = ["adviz[lab]", "jax>=0.6"]\nother = {needed}\n'
    assert oldest.main(["quick"], text).splitlines() == ["numpy==2", *(f"{name}==1.5" for name in oldest.QUICK)]
    assert "jax==0.6" in oldest.main([], text).splitlines()


def test_a_dependency_without_an_oldest_version_is_named():
    with pytest.raises(ValueError, match=r"'numpy<3' in pyproject.toml says no oldest version; write numpy>="):
        oldest.oldest(["numpy<3"])


def test_the_quick_tests_are_there():
    assert all((oldest.TESTS.parent / path).exists() for path in oldest.main(["tests"], "").split())
