"""The README: its programs run as they are pasted, and its links lead somewhere."""

import re
from pathlib import Path

import pytest

import adviz

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)|src=\"([^\"]+)\"")


def programs(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("page", ["README.md", "docs/op_graph.md", "docs/queries.md"])
def test_the_programs_of_the_page_run_one_after_the_other(page):
    names: dict[str, object] = {}
    for program in programs(ROOT / page):
        exec(program, names)


def test_the_first_program_ends_with_what_is_shown():
    """Pasted as one cell, it shows a player: the last line is its value, and is not assigned."""
    first, *_ = programs(ROOT / "README.md")
    *lines, last = first.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    assert len(lines) + 1 <= 8
    assert type(eval(last.split("#")[0], names)).__name__ == "Player"


def test_the_backward_pass_of_the_readme_is_what_adviz_writes(tmp_path):
    names: dict[str, object] = {}
    for number, program in enumerate(programs(ROOT / "README.md")):
        path = tmp_path / f"program_{number}.py"
        path.write_text(program, encoding="utf-8")  # names come from the source
        exec(compile(program, str(path), "exec"), names)
    (shown,) = re.findall(r"```py\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    *_, program = [value for value in names.values() if isinstance(value, adviz.ArrayProgram)]
    _, _, *lines, _ = program.source.splitlines()
    assert [line.strip() for line in lines] == shown.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path):
    for match in LINK.finditer(page.read_text(encoding="utf-8")):
        target = match[1] or match[2]
        if "://" not in target:
            assert (page.parent / target).exists(), target
