"""Tests of back ends run where there is what they need: what is left out is counted as deselected."""

import shutil
from importlib import import_module

import pytest


def has_gpu() -> bool:
    """Whether CuPy finds a GPU."""
    try:
        return import_module("cupy").cuda.runtime.getDeviceCount() > 0
    except Exception:  # without CuPy, or without the driver: each says so in its own way
        return False


NEEDS = {"gpu": has_gpu, "compiler": lambda: shutil.which("cc") is not None}
"""What a marker stands for."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs something that is not here."""
    for marker, is_here in NEEDS.items():
        marked = [item for item in items if item.get_closest_marker(marker)]
        if marked and not is_here():
            config.hook.pytest_deselected(items=marked)
            items[:] = [item for item in items if item not in marked]
