"""Settings of the whole test run.

Hypothesis draws the same in each run, so that a failure today is one tomorrow; ``--hypothesis-seed=random`` draws anew,
and the run names the seed that repeats it. ``--hypothesis-profile=quick`` draws few examples of each property; by
default each draws as many as it asks for (``thorough``). A test that needs a GPU or compiler is deselected where there
is none. ``--cases=10`` runs ten cases of each test at most, spread over all of them. Compiled code of Numba is kept in
one folder, for all processes and runs.
"""

import gc
import os
import random
import shutil
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest
from hypothesis import settings

from .gpu import has_gpu

ROOT = Path(__file__).parent.parent
FEW = 5
"""Examples of a property in the profile `quick`."""

settings.register_profile("thorough", deadline=None, derandomize=False, print_blob=True)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=FEW)
settings.load_profile("thorough")

os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache"))
# What nbformat checks addresses with makes a parser of their grammar on import, which takes two seconds.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


@pytest.fixture(autouse=True, scope="session")
def _interrupts_arrive() -> None:
    """A process that was started in the background ignores interrupts, which some tests send to themselves."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _the_process_is_as_it_was_found():
    """After all tests that a process runs, NumPy, SciPy and ``math`` have the functions and the code that they had."""
    before = functions_of_libraries()
    yield
    after = functions_of_libraries()
    assert [key for key in before if after[key] is not before[key]] == []


def functions_of_libraries():
    """By module and name what can be called in NumPy, SciPy and ``math``, and the code of what is written in Python."""
    modules = [name for name in sys.modules if name.partition(".")[0] in ("math", "numpy", "scipy")]
    found = {}
    for module in modules:
        for name, value in list(vars(sys.modules[module]).items()):
            if callable(value):
                found[module, name] = value
                found[module, name, "code"] = value.__code__ if type(value) is FunctionType else None
    return found


@pytest.fixture(scope="module")
def double_precision():
    """JAX computes in single precision unless told otherwise."""
    with import_module("jax").enable_x64(True):
        yield


@pytest.fixture(scope="module")
def imported_cupy():
    """``import cupy`` finds CuPy, or a stand-in where there is no GPU."""
    from .kernels.libraries.cupy_here import cupy  # which imports libraries that take a moment

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", cupy)
        yield


@pytest.fixture
def clean_table():
    """Rules that a test defines are forgotten after it."""
    from adviz.engine.blocks import BLOCK_OF  # which takes a moment to import

    known = dict(BLOCK_OF)
    yield
    BLOCK_OF.clear()
    BLOCK_OF.update(known)


COMPILED = {"numba": "numba", "jax": "slow"}
"""The markers of tests with a parameter that names a library whose compiler takes seconds per program."""
NEEDS = {"gpu": has_gpu, "compiler": lambda: shutil.which("cc") is not None}
"""What a marker stands for."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs something that is not here, mark what compiles; in the profile `quick`, draw few examples."""
    for marker, is_here in NEEDS.items():
        marked = {item for item in items if item.get_closest_marker(marker)}
        if marked and not is_here():
            config.hook.pytest_deselected(items=[*marked])
            items[:] = [item for item in items if item not in marked]
    for item in items:
        for library, marker in COMPILED.items():
            if hasattr(item, "callspec") and library in item.callspec.id.casefold():
                item.add_marker(marker)
    keep_cases(config, items)
    if config.option.hypothesis_profile == "quick":
        for item in items:
            draw_few(getattr(item, "obj", None))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage among what tests make only: there are a million objects of the collection, in half a second."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, metavar="N", help="run N cases of each test at most, spread over all of them")


def keep_cases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect all but ``--cases`` cases of each test, the same in each run; tests marked ``every`` keep theirs."""
    most: int | None = config.option.cases
    if most is None:
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        every = most > 1 and item.get_closest_marker("every")
        cases.setdefault(item.nodeid if every else item.nodeid.partition("[")[0], []).append(item)
    kept = {each[len(each) * k // most] for each in cases.values() for k in range(most)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def draw_few(test: object) -> None:
    """Limit the examples of a test that asks for more; a profile alone counts only where a test asks for none.

    The attribute is the one that Hypothesis's own plugin for pytest sets.
    """
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is not None and own.max_examples > FEW:
        test._hypothesis_internal_use_settings = settings(own, max_examples=FEW)  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose Hypothesis's seed before its own plugin reads the option; all workers get the same."""
    seed = config.option.hypothesis_seed
    if seed in (None, "random"):
        config.option.hypothesis_seed = "0" if seed is None else str(random.SystemRandom().randrange(10**6))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After a failure, say how to draw the same examples again."""
    if terminalreporter.stats.get("failed"):
        seed = config.option.hypothesis_seed
        terminalreporter.write_line(f"The same random examples again: --hypothesis-seed={seed}")
