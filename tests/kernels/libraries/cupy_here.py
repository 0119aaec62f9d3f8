"""Libraries of arrays beside NumPy; CuPy where there is a GPU, and a stand-in for it elsewhere."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np

from ...gpu import has_gpu

cupy: Any = import_module("cupy" if has_gpu() else "tests.kernels.libraries.cupy_stand_in")
STRICT = type(array_api_strict.asarray(0.0))
LIBRARIES = {
    "strict": SimpleNamespace(backend=array_api_strict, asarray=array_api_strict.asarray, kind=STRICT, get=np.asarray),
    "jax": SimpleNamespace(backend=jnp, asarray=jnp.asarray, kind=jax.Array, get=np.asarray),
    "cupy": SimpleNamespace(backend="cupy", asarray=cupy.asarray, kind=cupy.ndarray, get=cupy.ndarray.get),
}
