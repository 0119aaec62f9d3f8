"""The answers in ``docs/eight_questions.md`` are what the code beside them prints."""

import doctest
import importlib.util
import re
import warnings
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "docs" / "eight_questions.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^## (\d)\. .*?\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The programs, imported from a file, so that their lines are known."""
    file = tmp_path_factory.mktemp("questions") / "programs.py"
    file.write_text(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[0], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("programs", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return vars(module) | {"warnings": warnings}


def test_there_are_eight():
    assert [number for number, _ in QUESTIONS] == list("12345678")


@pytest.mark.parametrize(("number", "section"), QUESTIONS)
def test_an_answer_is_what_its_code_prints(programs, number, section):
    examples = "".join(re.findall(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {**programs}, f"question {number}", None, None)
    assert test.examples
    told = []
    doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)
