"""How far something is, for whoever waits for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much."""
PATIENCE = 1.0
"""Seconds after which one is told."""


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A function that takes how much is done, and of how much; what takes its time gets a bar, which goes away at last.

    Only who watches is told: a bar is drawn on a terminal and in a notebook, never into a file or a pipe.

    >>> with progress("Nothing to wait for") as tell:
    ...     tell(1, 2)
    """
    file = sys.stdout if "ipykernel" in sys.modules else sys.stderr  # notebooks keep red what stderr was told
    if not is_watched(file):
        yield lambda done, total: None
        return
    end = time.monotonic() + PATIENCE
    bars: list[Any] = []
    lock = Lock()

    def begin() -> None:
        with lock:
            if not bars:
                bars.append(bar())

    def bar() -> Any:
        from tqdm import tqdm  # a bar of text also in notebooks, where a closed widget stays behind in the file

        return tqdm(desc=label, leave=False, dynamic_ncols=True, file=file)

    def tell(done: int, total: int) -> None:
        if time.monotonic() >= end:
            begin()
            first, bars[0].total = bars[0].total is None, total
            bars[0].update(done - bars[0].n)
            if first:
                bars[0].refresh()

    clock = Timer(PATIENCE, begin)  # where nothing is told for long: in the user's function, and in a layout
    clock.daemon = True
    clock.start()
    try:
        yield tell
    finally:
        clock.cancel()
        clock.join()
        for each in bars:
            each.close()


def is_watched(file: Any) -> bool:
    """Whether what is written goes to a terminal, or to a notebook, whose streams say that they are no terminals.

    >>> import io
    >>> is_watched(io.StringIO()), is_watched(None)
    (False, False)
    """
    return file is not None and (type(file).__module__.startswith("ipykernel.") or file.isatty())
