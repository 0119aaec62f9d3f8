"""An array program as a function, and as a module that needs NumPy only."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from ...engine.pytrees import rebuild
from ..points.batches import leaves_like
from .helpers import HELPERS, needed_by
from .writing import Written, quoted

_numbers = count(1)


def function_of(written: Written, template: Any) -> Callable[..., tuple[list[Any], Any]]:
    """The function that a source defines: it returns leaves of results, and the results; tracebacks show its lines."""
    filename = f"<array program {next(_numbers)}: {written.name}>"
    source = f"{written.source}\n"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    scope: dict[str, Any] = {"np": np, **written.constants}
    for library in libraries_in(written):
        exec(f"import {library}", scope)
    for helper in needed_by(written.source):
        exec(HELPERS[helper], scope)
    exec(compile(source, filename, "exec", dont_inherit=True), scope)
    function = scope[written.name]

    def run(*arguments: Any) -> tuple[list[Any], Any]:
        found = leaves_like((function(*arguments),), (template,))
        leaves = [float(each) if type(each) is np.float64 else each for each in found]
        return leaves, rebuild(template, iter(leaves))

    return run


def libraries_in(written: Written) -> list[str]:
    """The modules of SciPy that a source calls functions of, because the user's function does."""
    code = "\n".join(line.partition("  # ")[0] for line in written.source.splitlines())
    return sorted(set(re.findall(r"(?<![\w.])scipy\.(?:special|linalg|signal)(?=\.\w)", code)))


def module_text(written: Written, shapes: str) -> str:
    """The text of a module that defines the program's function."""
    constants = "".join(f"\n{name} = {_constant_text(value)}" for name, value in written.constants.items())
    helpers = "".join(f"\n\n\n{HELPERS[name].strip()}" for name in needed_by(written.source))
    imports = "".join(f"\nimport {library}" for library in libraries_in(written))
    head = f'"""{quoted(written.summary)}\n\nWritten by adviz, for arguments of these shapes: {quoted(shapes)}.\n"""'
    return f"{head}\n\nimport numpy as np{imports}\n{constants}{helpers}\n\n\n{written.source}\n"


def _constant_text(value: np.ndarray) -> str:
    """An array such that Python reads the same one."""
    entries = ", ".join(map(repr, value.ravel().tolist())).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array([{entries}], np.{value.dtype.name}).reshape({value.shape})"
