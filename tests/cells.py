"""Run cells in IPython's own shell, and in a kernel as JupyterLab does: what each prints and raises, as text."""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHELLS = ("shell", "kernel")
COLORS = re.compile(r"\x1b\[[0-9;]*m")
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell, told = InteractiveShell.instance(), []
for cell in json.load(sys.stdin):
    with capture_output() as captured:
        shell.run_cell(cell, store_history=True)
    told.append(captured.stdout + captured.stderr)
json.dump(told, sys.__stdout__)
"""


def told_by(shell: str, cells: Sequence[str]) -> list[str]:
    """What each cell prints, warnings and tracebacks included; they are numbered from 1, and go on after an error."""
    texts = [textwrap.dedent(cell).strip("\n") for cell in cells]
    found = _in_kernel(texts) if shell == "kernel" else _in_shell(texts)
    return [COLORS.sub("", text) for text in found]


def _in_shell(cells: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as home:
        settings = os.environ | {"IPYTHONDIR": home, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(
            [sys.executable, "-c", RUN], input=json.dumps(cells), capture_output=True, text=True, env=settings, cwd=home
        )
    assert ran.returncode == 0, ran.stderr
    return list(json.loads(ran.stdout))


def _in_kernel(cells: list[str]) -> list[str]:
    import nbformat.v4
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute(
        env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    return ["".join(map(_text, cell.outputs)) for cell in notebook.cells]


def _text(output: dict) -> str:
    if output["output_type"] == "error":
        return "\n".join(output["traceback"])
    return output.get("text") or output.get("data", {}).get("text/plain", "")
