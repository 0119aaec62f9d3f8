"""A real JupyterLab in a real headless Chromium, for the tests in this folder.

* `notebook(cells)` writes a notebook, opens it, runs it, and gives the Playwright page;
* `lab` is the server, with what else one does to a notebook there: save, open again, ask Python, take a fresh kernel;
* `new_page()` is an empty page; `page_offline` one without any network, for saved pages;
* `module_notebook` and `module_page` are the same for a whole module of tests that share what they look at.

Every page is watched: an error in its console, or a request that leaves this machine, fails the test.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PageMaker = Callable[..., Page]
NotebookMaker = Callable[[list[str]], Page]

HERE = Path(__file__).parent
PATIENCE = 90  # seconds: a busy machine with two cores needs a third of it
CHROMIUM_FLAGS = [
    "--no-sandbox",  # a must for root, which CI often is
    "--disable-gpu",
    "--disable-quic",
    "--disable-partial-raster",  # pictures of the same thing are the same to the last pixel
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LAB_FLAGS = [
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--port=0",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--LabApp.expose_app_in_browser=True",  # window.jupyterapp: its commands are steadier than its menus
]
# The popup that asks for Jupyter news would cover the notebook.
LAB_SETTINGS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}

KERNEL_IS_IDLE = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
CELL_ERRORS = """
[...jupyterapp.shell.currentWidget.content.model.cells].flatMap(cell => [...(cell.toJSON().outputs ?? [])])
    .filter(output => output.output_type === 'error').map(output => `${output.ename}: ${output.evalue}`)
"""
RUN_CELL = """
async index => {
    jupyterapp.shell.currentWidget.content.activeCellIndex = index;
    await jupyterapp.commands.execute('notebook:run-cell');
}
"""
ASK_PYTHON = """
async code => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const request = kernel.requestExecute({code, store_history: false});
    let text = '';
    request.onIOPub = ({header, content}) => {
        if (header.msg_type === 'stream') text += content.text;
        if (header.msg_type === 'error') text += `${content.ename}: ${content.evalue}`;
    };
    await request.done;
    return text;
}
"""


class Lab:
    """A running JupyterLab: where its notebooks are, and what a person does with one of them in a page."""

    def __init__(self, root: Path, url: str, environment: dict[str, str]) -> None:
        self.root = root
        self.url = url
        self.environment = environment

    def write(self, name: str, cells: list[str]) -> str:
        """Write a notebook of code cells and return its path below `root`."""
        import nbformat

        code_cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=code_cells, metadata={"kernelspec": KERNEL})
        nbformat.write(notebook, self.root / name)
        return name

    def open(self, page: Page, path: str) -> None:
        """Open a notebook alone in a fresh workspace and wait until its kernel is idle."""
        page.goto(f"{self.url}lab/tree/{path}?reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        page.wait_for_selector(".jp-Spinner", state="detached")
        page.wait_for_function(KERNEL_IS_IDLE)

    def run_all(self, page: Page) -> None:
        """Run all cells and wait for the last. A cell that raises fails the test."""
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_function(KERNEL_IS_IDLE)
        assert page.evaluate(CELL_ERRORS) == []

    def run_cell(self, page: Page, index: int) -> None:
        """Run one cell, counted from 0, and wait for it."""
        page.evaluate(RUN_CELL, index)
        page.wait_for_function(KERNEL_IS_IDLE)
        assert page.evaluate(CELL_ERRORS) == []

    def save(self, page: Page) -> None:
        """Save the notebook, widget state included."""
        page.evaluate("jupyterapp.commands.execute('docmanager:save')")

    def ask(self, page: Page, code: str) -> str:
        """Run code in the notebook's kernel, outside its cells, and return what it prints or raises."""
        return page.evaluate(ASK_PYTHON, code)

    def stop_kernels(self, of: Container[str] | None = None) -> None:
        """End the kernels of these notebooks, by default of all: a notebook opened then gets a fresh one."""
        with urllib.request.urlopen(f"{self.url}api/sessions") as answer:
            sessions = json.load(answer)
        for session in sessions:
            if of is not None and session["path"] not in of:
                continue
            request = urllib.request.Request(f"{self.url}api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(request).close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests in this folder need a browser."""
    below = {path for path in {item.path for item in items} if HERE in path.parents}
    for item in items:
        if item.path in below:
            item.add_marker("browser")


@pytest.fixture(scope="package")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab of the environment that runs the tests, with folders of its own; its kernels are this Python."""
    home = tmp_path_factory.mktemp("lab")
    folders = {name: home / name for name in ("notebooks", "config", "data", "runtime", "ipython")}
    for folder in folders.values():
        folder.mkdir()
    settings = folders["config"] / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(LAB_SETTINGS))
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folders["config"]),
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
        "IPYTHONDIR": str(folders["ipython"]),
    }
    command = [sys.executable, "-m", "jupyterlab", *LAB_FLAGS, f"--ServerApp.root_dir={folders['notebooks']}"]
    log = home / "log.txt"
    with running(command, environment, log) as server:
        running_lab = Lab(folders["notebooks"], server_url(server, folders["runtime"], log), environment)
        yield running_lab
        running_lab.stop_kernels()


@contextmanager
def running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a process group of its own, which is ended with it, gently first."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def server_url(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """Wait for the server's own note of its address, then for its first answer."""
    note = runtime / f"jpserver-{server.pid}.json"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            url: str = json.loads(note.read_text())["url"]
            urllib.request.urlopen(f"{url}api/status").close()
            return url
        except (OSError, ValueError):
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium or Chrome; where there is none on PATH, the script installs it or says what to do."""
    found = subprocess.run([HERE / "chromium.sh"], stdout=subprocess.PIPE, text=True, check=True)
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE * 1000)
        chromium = playwright.chromium.launch(executable_path=found.stdout.strip(), args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def complaints() -> list[str]:
    """What pages did that no page may do. Empty at the end of a test, or the test fails."""
    return []


@pytest.fixture(autouse=True)
def _without_complaints(complaints: list[str]) -> Iterator[None]:
    yield
    heard = complaints.copy()
    complaints.clear()
    assert heard == []


@contextmanager
def watched_pages(browser: Browser, complaints: list[str]) -> Iterator[PageMaker]:
    """Give what makes watched pages; all of them are closed at the end."""
    contexts = []

    def make(**settings: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        watch(page, complaints)
        return page

    yield make
    for context in contexts:
        context.close()


SLOW = "[anywidget] Failed to initialize model."
"""What anywidget reports of a module that takes more than two seconds to load, which it shows all the same."""


def watch(page: Page, complaints: list[str]) -> None:
    """Write down errors in the console and requests that leave this machine."""

    def check(url: str) -> None:
        if urlsplit(url).scheme in {"http", "https", "ws", "wss"} and urlsplit(url).hostname != "127.0.0.1":
            complaints.append(f"request to {url}")

    page.on("request", lambda request: check(request.url))
    page.on("websocket", lambda socket: check(socket.url))
    page.on("pageerror", lambda error: complaints.append(f"uncaught {error}") if str(error) != SLOW else None)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)


@contextmanager
def shown_notebooks(lab: Lab, new_page: PageMaker, name: str) -> Iterator[NotebookMaker]:
    """Give what writes a notebook of code cells, opens it in JupyterLab, runs all of it, and returns its page."""
    stem = re.sub(r"\W+", "-", name)
    paths: list[str] = []

    def show(cells: list[str]) -> Page:
        page = new_page()
        paths.append(lab.write(f"{stem}-{len(paths) + 1}.ipynb", cells))
        lab.open(page, paths[-1])
        lab.run_all(page)
        return page

    yield show
    lab.stop_kernels(paths)


@pytest.fixture
def new_page(browser: Browser, complaints: list[str]) -> Iterator[PageMaker]:
    """Make watched pages; keywords are those of Playwright's `new_context`, such as `offline` or `color_scheme`."""
    with watched_pages(browser, complaints) as make:
        yield make


@pytest.fixture
def still_page(new_page: PageMaker) -> Page:
    """A page whose reader wants no motion: what is seen does not depend on the time."""
    return new_page(offline=True, reduced_motion="reduce")


@pytest.fixture(scope="module")
def module_page(browser: Browser, complaints: list[str]) -> Iterator[PageMaker]:
    """Like `new_page`; its pages last as long as the module."""
    with watched_pages(browser, complaints) as make:
        yield make


@pytest.fixture
def page_offline(new_page: PageMaker) -> Page:
    """A page without network, for files opened from the disk."""
    return new_page(offline=True)


@pytest.fixture
def notebook(lab: Lab, new_page: PageMaker, request: pytest.FixtureRequest) -> Iterator[NotebookMaker]:
    """Write a notebook of code cells, open it in JupyterLab, run all of it, and give its page."""
    with shown_notebooks(lab, new_page, request.node.name) as show:
        yield show


@pytest.fixture(scope="module")
def module_notebook(lab: Lab, module_page: PageMaker, request: pytest.FixtureRequest) -> Iterator[NotebookMaker]:
    """Like `notebook`; its page and its kernel last as long as the module."""
    with shown_notebooks(lab, module_page, Path(request.node.name).stem) as show:
        yield show
