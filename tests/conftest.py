"""Settings of the whole test run.

Hypothesis draws anew in each run, and the run names the seed that repeats it. What needs something that is not here, a
GPU or a compiler, is counted as deselected.
"""

import random
import shutil
from importlib import import_module

import pytest
from hypothesis import settings

settings.register_profile("adviz", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("adviz")


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
        marked = {item for item in items if item.get_closest_marker(marker)}
        if marked and not is_here():
            config.hook.pytest_deselected(items=[*marked])
            items[:] = [item for item in items if item not in marked]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose Hypothesis's seed before its own plugin reads the option."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(10**6))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After a failure, say how to draw the same examples again."""
    if terminalreporter.stats.get("failed"):
        seed = config.option.hypothesis_seed
        terminalreporter.write_line(f"The same random examples again: --hypothesis-seed={seed}")
