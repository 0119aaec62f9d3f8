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

WORKER = Path(__file__).with_name("dot_worker.py")


class NoGraphviz(Exception):
    """Graphviz did not place the graph. The message says why, as the end of a sentence: "Graphviz ..."."""


class Worker:
    """One Graphviz process, started when needed. Any thread may ask; one job is done at a time."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None

    def warm(self) -> None:
        """Start the process, if there is none, without waiting for it. Never fails."""
        try:
            if self._lock.acquire(blocking=False):
                try:
                    self._start()
                finally:
                    self._lock.release()
        except NoGraphviz:
            pass  # whoever asks for a place will be told

    def place(self, job: dict, deadline: float) -> list[dict]:
        """Return the placements that `dot_worker` answers to `job`, within `deadline` seconds.

        Raises NoGraphviz where Graphviz is missing, ends unexpectedly, or takes longer.
        """
        end = time.monotonic() + deadline
        if not self._lock.acquire(timeout=deadline):
            raise NoGraphviz(f"took longer than {deadline:g} s")
        try:
            return self._ask({**job, "deadline": deadline}, end, deadline)
        finally:
            self._lock.release()

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def forget(self) -> None:
        """Let go of the process without ending it: after a fork it is the parent's, and so may be the lock."""
        process, self._process = self._process, None
        self._lock = threading.Lock()
        if process is not None:
            assert process.stdin and process.stdout  # they are pipes
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, process.stdin.fileno())  # a half-written job must not be written twice
            os.dup2(nowhere, process.stdout.fileno())
            os.close(nowhere)
            process.returncode = 0  # not this process's child: nothing to wait for

    def _start(self) -> subprocess.Popen:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.stop()
        found = find_spec("pygraphviz")
        if found is None or found.origin is None or not sys.executable:
            raise NoGraphviz("is not installed")
        folder = Path(found.origin).parent.parent
        # -I -S: no user settings and no site packages but that folder, which makes the start several times faster.
        command = [sys.executable, "-I", "-S", str(WORKER), str(folder)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, encoding="ascii")
        except OSError as error:  # no processes here, as in a browser
            raise NoGraphviz(f"could not be started ({error})") from error
        return self._process

    def _ask(self, job: dict, end: float, deadline: float) -> list[dict]:
        process = self._start()
        assert process.stdin and process.stdout  # they are pipes
        # A timer that ends the process is the one time limit that works for pipes on every system.
        timer = threading.Timer(max(0.0, end - time.monotonic()), process.kill)
        timer.daemon = True
        timer.start()
        line = ""
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            pass  # it is gone; the empty line says so
        finally:
            timer.cancel()
            if not line.endswith("\n"):
                self.stop()  # also when interrupted: a late answer must not be taken for the next one's
        if not line.endswith("\n"):
            late = time.monotonic() >= end
            raise NoGraphviz(f"took longer than {deadline:g} s" if late else "stopped unexpectedly")
        return json.loads(line)


#: The one worker of this process.
worker = Worker()
atexit.register(worker.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=worker.forget)
