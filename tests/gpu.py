"""Whether tests can run on a GPU."""

from functools import cache
from importlib import import_module


@cache
def has_gpu() -> bool:
    """Whether CuPy finds a GPU."""
    try:
        return import_module("cupy").cuda.runtime.getDeviceCount() > 0
    except Exception:  # without CuPy, or without the driver: each says so in its own way
        return False
