"""The harness itself: a widget appears in a real JupyterLab, its clicks reach Python, and misdeeds are seen."""

from pathlib import Path

import pytest

TINY = """
import anywidget, traitlets

class Tiny(anywidget.AnyWidget):
    _esm = '''
    export default { render({ model, el }) {
        const button = document.createElement("button");
        button.className = "tiny";
        const show = () => { button.textContent = `clicked ${model.get("count")}`; };
        button.onclick = () => { model.set("count", model.get("count") + 1); model.save_changes(); };
        model.on("change:count", show);
        show();
        el.append(button);
    } };
    '''
    count = traitlets.Int(0).tag(sync=True)

tiny = Tiny()
tiny
"""


def test_a_widget_talks_to_python_both_ways(notebook, lab):
    page = notebook([TINY])
    page.click("button.tiny")
    page.click("button.tiny")
    page.wait_for_selector("text=clicked 2")
    answers = (lab.ask(page, "print(tiny.count)") for _ in range(20))  # while the kernel is busy, a click waits
    assert "2\n" in answers
    lab.ask(page, "tiny.count = 40")
    page.wait_for_selector("text=clicked 40")


def test_a_failing_cell_fails_the_test(notebook):
    with pytest.raises(AssertionError, match="ZeroDivisionError: division by zero"):
        notebook(["1 / 0"])


def test_a_page_from_disk_opens_without_network(page_offline, tmp_path: Path):
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><h1>here</h1>")
    page_offline.goto(file.as_uri())
    assert page_offline.inner_text("h1") == "here"


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("console.error('spilled')", "spilled"),
        ("throw new Error('broken')", "uncaught broken"),
        ("new Image().src = 'https://example.org/x'", "request to https://example.org/x"),
    ],
)
def test_misdeeds_are_seen(script, complaint, page_offline, complaints):
    page_offline.set_content(f"<script>{script}</script>")
    page_offline.wait_for_load_state("networkidle")
    assert complaint in complaints
    complaints.clear()
