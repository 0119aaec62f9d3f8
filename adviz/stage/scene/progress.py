"""Progress bars for long computations."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

Progress = Callable[[int, int], None]  # a function that takes the amount done and the total
PATIENCE = 1.0  # seconds before a bar appears


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """Yield a function that takes the amount done and the total; after ``PATIENCE`` seconds it shows a bar.

    The bar is drawn on a terminal and in a notebook, never into a file or a pipe, and is removed at the end.

    >>> with progress("Nothing to wait for") as tell:
    ...     tell(1, 2)
    """
    file = sys.stdout if "ipykernel" in sys.modules else sys.stderr  # notebooks keep stderr, in red
    if not is_watched(file):
        yield lambda done, total: None
        return
    end = time.monotonic() + PATIENCE
    bars: list[Any] = []
    lock = Lock()

    def begin() -> None:
        from tqdm import tqdm  # text also in notebooks, whose files keep closed widgets

        with lock:
            if not bars:
                bars.append(tqdm(desc=label, leave=False, dynamic_ncols=True, file=file))

    def tell(done: int, total: int) -> None:
        if time.monotonic() >= end:
            begin()
            first, bars[0].total = bars[0].total is None, total
            bars[0].update(done - bars[0].n)
            if first:
                bars[0].refresh()

    clock = Timer(PATIENCE, begin)  # for a long wait before the first report
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
    """Return whether a stream leads to a terminal, or to a notebook, whose streams say that they are no terminals.

    >>> import io
    >>> is_watched(io.StringIO()), is_watched(None)
    (False, False)
    """
    return file is not None and (type(file).__module__.startswith("ipykernel.") or file.isatty())
