"""Whatever becomes of a notebook, each of its Explorers and Players shows something: live, or a still picture."""

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .explorers import ANY, STILL

FUNCTION = """
import ipywidgets
import numpy as np
import adviz as ad

def waves(x):
    return np.sum(np.sin(x) * x)
"""
CELLS = [
    FUNCTION,
    *(f"ad.explore(waves, np.ones({n}))" for n in range(1, 4)),
    "ad.show_backward(waves, np.ones(2))",
    "ad.show_tape_vs_graph(waves, np.ones(2))",
    "ipywidgets.IntSlider()",
]
STATE = "import json; print(json.dumps(ipywidgets.Widget.get_manager_state()))"
DRAWN = "images => images.filter(image => image.naturalWidth > 0 && image.offsetWidth > 0).length"


@pytest.fixture(scope="module")
def page(module_notebook) -> Page:
    """Three Explorers, two Players, and a widget of another kind."""
    return module_notebook(CELLS)


@pytest.fixture(scope="module")
def saved(lab, page: Page) -> Path:
    """The notebook on the disk."""
    expect(page.locator(ANY)).to_have_count(5)
    lab.save(page)
    return lab.root / page.evaluate("jupyterapp.shell.currentWidget.context.path")


@pytest.fixture(scope="module")
def saved_with_state(saved: Path, lab, page: Page) -> Path:
    """The notebook as Jupyter saves it when it is told to save the state of widgets."""
    notebook = json.loads(saved.read_text())
    assert "widgets" not in notebook["metadata"]
    state = json.loads(lab.ask(page, STATE))
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    copy = saved.with_stem("with-state")
    copy.write_text(json.dumps(notebook))
    return copy


@pytest.fixture
def opened(lab, new_page, complaints):
    """Open a changed copy of a notebook: one that Jupyter has never seen, with a kernel of its own."""
    copies = []

    def open_copy(notebook: Path, change=lambda text: text) -> Page:
        copy = notebook.with_stem(f"{notebook.stem}-copy")
        copies.append(copy.name)
        copy.write_text(change(notebook.read_text()))
        page = new_page()
        lab.open(page, copy.name)
        return page

    yield open_copy
    lab.stop_kernels(copies)
    forgive(complaints, "widget model not found")  # ipywidgets says so itself


def forgive(complaints: list[str], *known: str) -> None:
    """Forget complaints that are not about adviz."""
    complaints[:] = [complaint for complaint in complaints if not any(words in complaint for words in known)]


def expect_shown(displays: Locator) -> None:
    """Scroll to each of five displays and see it."""
    expect(displays).to_have_count(5)
    for display in displays.all():
        display.scroll_into_view_if_needed()
        expect(display).to_be_visible()
        box = display.bounding_box()
        assert min(box["width"], box["height"]) > 100


def expect_live(page: Page) -> None:
    expect_shown(page.locator(ANY))
    expect(page.locator(STILL)).to_have_count(5)
    expect(page.locator(STILL).filter(visible=True)).to_have_count(0)


def expect_still(page: Page) -> None:
    expect_shown(page.locator(f"{STILL} svg"))
    expect(page.locator(ANY)).to_have_count(0)


def test_live(page):
    expect_live(page)


def test_reloaded_with_the_same_kernel(saved, page):
    page.reload()
    expect_live(page)


def test_reopened_with_a_fresh_kernel(saved, opened):
    page = opened(saved)
    expect_still(page)
    errors = page.get_by_text("Error displaying widget: model not found")
    expect(errors).to_have_count(6)
    sizes = errors.evaluate_all("errors => errors.map(error => getComputedStyle(error).fontSize)")
    assert sizes[:5] == ["0px"] * 5, "what Jupyter says of an Explorer or a Player is replaced"
    assert sizes[5] != "0px", "what it says of others is not"
    hint = errors.first.evaluate("error => getComputedStyle(error, '::before').content")
    assert hint == '"A still picture. Run this cell to explore it."'


def test_opened_where_the_notebook_is_not_trusted(saved, opened):
    page = opened(saved, lambda text: text.replace("data-adviz-id=", "data-other=1 data-adviz-id="))
    images = page.locator(".jp-RenderedHTML img")
    expect_shown(images)
    assert images.evaluate_all(DRAWN) == 5
    words = page.locator(".jp-RenderedHTML").get_by_text(re.compile("named x|x, value"))
    assert words.count() >= 3
    heights = words.evaluate_all("boxes => boxes.map(box => box.getBoundingClientRect().height)")
    assert max(heights) < 2, "what is left of the inline picture is not seen"


@pytest.mark.parametrize("scripts", [True, False], ids=["offline", "scripts_off"])
@pytest.mark.parametrize("notebook", ["saved", "saved_with_state"])
def test_exported_to_html(request, tmp_path, new_page, complaints, notebook, scripts):
    import nbconvert  # takes seconds to import

    exported = tmp_path / "notebook.html"
    text, _ = nbconvert.HTMLExporter().from_filename(request.getfixturevalue(notebook))
    exported.write_text(text, encoding="utf-8")
    page = new_page(offline=True, java_script_enabled=scripts)
    page.goto(exported.as_uri())
    expect_still(page)
    # nbconvert's own template asks the network for MathJax and the widgets' manager.
    forgive(complaints, "request to https://cdn", "request to https://unpkg", "ERR_INTERNET_DISCONNECTED")


def test_exported_to_markdown_and_latex(saved, tmp_path):
    import nbconvert

    copy = shutil.copy(saved, tmp_path / "notebook.ipynb")
    for exporter in (nbconvert.MarkdownExporter(), nbconvert.LatexExporter()):
        _, resources = exporter.from_filename(copy)
        pictures = [data for name, data in resources["outputs"].items() if name.endswith(".png")]
        assert len(pictures) == 5
        assert all(data.startswith(b"\x89PNG") for data in pictures)
