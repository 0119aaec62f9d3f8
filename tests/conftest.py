"""Settings of the whole test run: Hypothesis draws anew in each run, and the run names the seed that repeats it."""

import random

import pytest
from hypothesis import settings

settings.register_profile("adviz", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("adviz")


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
