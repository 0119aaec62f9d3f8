"""A stand-in for CuPy's namespace: functions of NumPy's that make arrays on the device, and take no others.

Its arrays are those of ``tests/engine/device_arrays.py``, which refuse arrays of NumPy wherever CuPy does.
"""

from types import SimpleNamespace

import numpy as np

from ...engine.device_arrays import LACKING, LACKING_IN_LINALG, DeviceArray, on_device, plain, refuse_near

__name__ = "cupy"  # what errors call it
ndarray = DeviceArray


def moved(function):
    """A function of NumPy's on arrays of the device; what it makes is there."""

    def call(*args, **settings):
        refuse_near(args, settings)
        return on_device(function(*map(plain, args), **{name: plain(value) for name, value in settings.items()}))

    return call


def asarray(value, dtype=None):
    """An array that is not here."""
    return value if isinstance(value, DeviceArray) and dtype is None else DeviceArray(np.array(plain(value), dtype))


def _add_at(array, key, part):
    np.add.at(array._held, plain(key), plain(part))


class Add:
    """CuPy's ``add``, which adds up at places, too."""

    at = staticmethod(_add_at)

    def __call__(self, *args, **settings):
        return np.add(*args, **settings)


add = Add()
linalg = SimpleNamespace(
    **{name: moved(getattr(np.linalg, name)) for name in "cholesky solve inv slogdet eigh svd qr eig eigvals".split()}
)
fft = SimpleNamespace(fftn=moved(np.fft.fftn), ifftn=moved(np.fft.ifftn))
lib = SimpleNamespace(
    stride_tricks=SimpleNamespace(sliding_window_view=moved(np.lib.stride_tricks.sliding_window_view))
)
assert not LACKING_IN_LINALG & vars(linalg).keys()


def __getattr__(name):
    if name in LACKING or name.startswith("__"):
        raise AttributeError(name)
    found = getattr(np, name)
    if isinstance(found, type | np.ufunc) or not callable(found):
        return found
    return moved(found)
