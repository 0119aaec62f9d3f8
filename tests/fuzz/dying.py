"""Jobs that end their process, for the tests of :mod:`tests.fresh_processes`."""

import ctypes
import os

from tests.fresh_processes import serve


def run(job: str) -> str:
    """Do a job, or die."""
    if job == "abort":
        os.abort()
    if job == "segfault":
        ctypes.string_at(0)
    return "done"


if __name__ == "__main__":
    serve(run)
