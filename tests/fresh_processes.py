"""Run jobs in processes of their own, several jobs in each: where one kills its process, the others go on in the next.

A module offers its jobs with :func:`serve`; :func:`outcomes` starts ``python -m`` of it with ``faulthandler`` on, sends
the names of the jobs, and reads what became of each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEATH = "died"
"""How the outcome of a job begins whose process ended."""


def serve(run: Callable[[str], str]) -> None:
    """Do the jobs that are named on standard input, one a line, and say of each what became of it."""
    out, sys.stdout = sys.stdout, sys.stderr  # what the jobs themselves print is not an answer
    for line in sys.stdin:
        job = json.loads(line)
        out.write(json.dumps([job, run(job)]) + "\n")
        out.flush()


def outcomes(
    module: str, jobs: Sequence[str], limit: float = 300.0, python: str = sys.executable
) -> Iterator[tuple[str, str]]:
    """What became of each job, in order; ``limit`` is the time in seconds that a process may take."""
    left = list(jobs)
    while left:
        answers, end = _run(module, left, limit, python)
        yield from answers
        left = left[len(answers) :]
        if left:
            yield left.pop(0), f"{DEATH}: {end}"


def _run(module: str, jobs: Sequence[str], limit: float, python: str) -> tuple[list[tuple[str, str]], str]:
    """The answers of one process, and how it ended."""
    command = [python, "-X", "faulthandler", "-m", module]
    asked = "".join(json.dumps(job) + "\n" for job in jobs)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        try:
            ended = subprocess.run(command, input=asked, stdout=out, stderr=errors, text=True, timeout=limit, cwd=ROOT)
            end = f"exit status {ended.returncode}"
        except subprocess.TimeoutExpired:
            end = f"no answer within {limit} s"
        out.seek(0)
        errors.seek(0)
        answers = [tuple(json.loads(line)) for line in out if line.endswith("\n")]
        return answers, f"{end}\n{errors.read()[-2000:]}"
