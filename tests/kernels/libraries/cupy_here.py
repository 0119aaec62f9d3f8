"""CuPy where there is a GPU, and a stand-in for it elsewhere."""

from importlib import import_module
from typing import Any

from ...gpu import has_gpu

cupy: Any = import_module("cupy" if has_gpu() else "tests.kernels.libraries.cupy_stand_in")
