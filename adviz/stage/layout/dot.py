"""Place a graph with dot of Graphviz, in a worker process that is kept alive between jobs.

Graphviz inside the kernel could not be stopped, and a crash would end the kernel. Here a job that takes too long ends
the worker, and the next job starts a new one.
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
    """Graphviz did not place the graph; the message ends a sentence that begins with "Graphviz"."""


class Child(NamedTuple):
    """A running worker process and the two pipes to it."""

    process: subprocess.Popen[str]
    jobs: IO[str]
    answers: IO[str]


class Worker:
    """One Graphviz process, started when needed; any thread may use it, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Child | None = None

    def warm(self) -> None:
        """Start the process, if there is none, without waiting for it; never fails."""
        if self._lock.acquire(blocking=False):
            try:
                self._start()
            except NoGraphviz:
                pass  # `place` will raise it
            finally:
                self._lock.release()

    def place(self, job: dict, deadline: float) -> list[dict]:
        """Return the placements of `dot_worker` for `job`, within `deadline` seconds.

        Raises NoGraphviz if Graphviz is missing, stops unexpectedly, or takes longer.
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
        """Detach from the process without ending it: after a fork it belongs to the parent, and the lock may, too."""
        child, self._child = self._child, None
        self._lock = threading.Lock()
        if child is not None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, child.jobs.fileno())  # a half-written job must not be written twice
            os.dup2(nowhere, child.answers.fileno())
            os.close(nowhere)
            child.process.returncode = 0  # nothing to wait for: not a child of this process

    def _start(self) -> Child:
        if self._child is not None and self._child.process.poll() is None:
            return self._child
        self.stop()
        found = find_spec("pygraphviz")
        if found is None or found.origin is None or not sys.executable:
            raise NoGraphviz("is not installed")
        folder = Path(found.origin).parent.parent
        # -I -S: no user settings, and no site packages except that folder: the start is several times faster.
        command = [sys.executable, "-I", "-S", str(WORKER), str(folder)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, encoding="ascii")
        except OSError as error:  # no processes here, as in a browser
            raise NoGraphviz(f"could not be started ({error})") from error
        self._child = Child(process, cast(IO[str], process.stdin), cast(IO[str], process.stdout))
        return self._child

    def _ask(self, job: str, end: float) -> str:
        """Return the line that answers a job, or "" if there is none in time."""
        child = self._start()
        # Only a timer that ends the process limits the time of pipes on every system.
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
                self.stop()  # also when interrupted: a late answer must not be taken for that of the next job
        return line if line.endswith("\n") else ""


worker = Worker()  # the one worker of this process
atexit.register(worker.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=worker.forget)
