"""What a visitor on Binder sees first. Binder's own machines are not here; its JupyterLab and our settings are."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]


def test_binder_opens_the_first_notebook(lab, new_page):
    shutil.copytree(ROOT / "notebooks", lab.root / "notebooks")
    [arguments] = re.findall(r"^jupyter (lab workspaces import .*)$", (ROOT / "binder/postBuild").read_text(), re.M)
    command = [sys.executable, "-m", "jupyter", *arguments.split()]
    subprocess.run(command, cwd=ROOT, env=lab.environment, check=True, capture_output=True)
    page = new_page()
    page.goto(f"{lab.url}lab")
    first = min(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    expect(page.locator(".lm-TabBar-tab.lm-mod-current", has_text=first)).to_be_visible()
    expect(page.locator(".jp-NotebookPanel .jp-Cell").first).to_be_visible()
    lab.stop_kernels()
