"""Which code is part of a program that is traced, and which is not."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from typing import Any

_PATHS = sysconfig.get_paths()
_ADVIZ = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = tuple(
    path + os.sep for path in (*(_PATHS[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")), _ADVIZ)
)
"""Folders of what is no user's program: Python's and installed packages, and adviz itself."""

ENGINES = frozenset(
    "IPython adviz autograd cupy cupyx dask ipykernel ipywidgets jax jaxlib matplotlib networkx numba numpy pandas "
    "plotly pytest scipy sklearn sympy tensorflow torch traitlets".split()
)
"""Packages that are no part of any program: what they compute is not traced, or traced by rules of adviz's own."""

TRACED = frozenset({"numpy", "scipy", "math"})
"""Of these and of Python's modules, those whose functions are called with traced values."""

_EXAMPLES = "adviz.algorithms.examples"


@functools.cache
def is_of_programs(module: Any) -> bool:
    """Whether the functions of a module, by its name, are traced with the program that calls them.

    >>> [is_of_programs(name) for name in ("__main__", "my_models.layers", "scipy.stats", "json", "adviz.graph")]
    [True, True, True, False, False]
    """
    if not isinstance(module, str) or module.startswith(_EXAMPLES):
        return True
    package = module.partition(".")[0]
    return package in TRACED or not (package in ENGINES or package in sys.stdlib_module_names)
