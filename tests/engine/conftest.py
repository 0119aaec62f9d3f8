"""Another library of arrays: a stand-in for CuPy everywhere, and CuPy itself where there is a GPU."""

import sys
from importlib import import_module

import pytest

from adviz.engine import tape

from . import device_arrays

LIBRARIES = ["tests.engine.device_arrays", pytest.param("cupy", marks=pytest.mark.gpu)]


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request):
    """The module of another library of arrays; what its code asks or raises, the user's program does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tape._internal, device_arrays.__file__, True)
        patch.setitem(vars(device_arrays), "__name__", "cupyx.on_device")  # whose code is no part of the program
        patch.setitem(sys.modules, "cupyx.on_device", device_arrays)
        yield import_module(request.param)
