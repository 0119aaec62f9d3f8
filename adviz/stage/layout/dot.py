"""Places a graph by Graphviz's dot, in a process of its own that is kept alive between jobs.

Graphviz inside the kernel could neither be stopped nor survived. Here a job that takes too long costs the worker its
life, and the next job finds a new one.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple, cast

WORKER = Path(__file__).with_name("dot_worker.py")


class NoGraphviz(Exception):
    """Graphviz did not place the graph. The message says why, as the end of a sentence: "Graphviz ..."."""


class Child(NamedTuple):
    """A running worker process and the two pipes to it."""

    process: subprocess.Popen[str]
    jobs: IO[str]
    answers: IO[str]


class Worker:
    """One Graphviz process, started when needed. Any thread may ask; one job is done at a time."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._child: Child | None = None

    def warm(self) -> None:
        """Start the process, if there is none, without waiting for it. Never fails."""
        if self._lock.acquire(blocking=False):
            try:
                self._start()
            except NoGraphviz:
                pass  # whoever asks for a place will be told
            finally:
                self._lock.release()

    def place(self, job: dict, deadline: float) -> list[dict]:
        """Return the placements that `dot_worker` answers to `job`, within `deadline` seconds.

        Raises NoGraphviz where Graphviz is missing, ends unexpectedly, or takes longer.
        """
        end = time.monotonic() + deadline
        if not self._lock.acquire(timeout=deadline):
            raise NoGraphviz(f"took longer than {deadline:g} s")
        try:
            line = self._ask(json.dumps({**job, "deadline": deadline}), end)
        finally:
            self._lock.release()
        if line:
            return json.loads(line)
        raise NoGraphviz(f"took longer than {deadline:g} s" if time.monotonic() >= end else "stopped unexpectedly")

    def stop(self) -> None:
        """End the process, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.process.kill()
            child.process.communicate()

    def forget(self) -> None:
        """Let go of the process without ending it: after a fork it is the parent's, and so may be the lock."""
        child, self._child = self._child, None
        self._lock = threading.Lock()
        if child is not None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, child.jobs.fileno())  # a half-written job must not be written twice
            os.dup2(nowhere, child.answers.fileno())
            os.close(nowhere)
            child.process.returncode = 0  # not this process's child: nothing to wait for

    def _start(self) -> Child:
        if self._child is not None and self._child.process.poll() is None:
            return self._child
        self.stop()
        found = find_spec("pygraphviz")
        if found is None or found.origin is None or not sys.executable:
            raise NoGraphviz("is not installed")
        folder = Path(found.origin).parent.parent
        # -I -S: no user settings and no site packages but that folder, which makes the start several times faster.
        command = [sys.executable, "-I", "-S", str(WORKER), str(folder)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, encoding="ascii")
        except OSError as error:  # no processes here, as in a browser
            raise NoGraphviz(f"could not be started ({error})") from error
        self._child = Child(process, cast(IO[str], process.stdin), cast(IO[str], process.stdout))
        return self._child

    def _ask(self, job: str, end: float) -> str:
        """Return the line that answers a job, or "" where there is none, or none in time."""
        child = self._start()
        # A timer that ends the process is the one time limit that works for pipes on every system.
        timer = threading.Timer(max(0.0, end - time.monotonic()), child.process.kill)
        timer.daemon = True
        timer.start()
        line = ""
        try:
            child.jobs.write(job + "\n")
            child.jobs.flush()
            line = child.answers.readline()
        except OSError:
            pass  # the process is gone
        finally:
            timer.cancel()
            if not line.endswith("\n"):
                self.stop()  # also when interrupted: a late answer must not be taken for the next one's
        return line if line.endswith("\n") else ""


#: The one worker of this process.
worker = Worker()
atexit.register(worker.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=worker.forget)
