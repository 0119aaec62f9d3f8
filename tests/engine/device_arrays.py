"""A stand-in for CuPy where there is no GPU: arrays that answer to NumPy's protocols, and are not in NumPy's memory.

It is a little stricter than CuPy 14: arrays of NumPy are refused wherever CuPy refuses them or might (also those
without an axis), methods of ufuncs are missing, and so are the functions that CuPy lacks. Places may be NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LACKING = set(
    "block geomspace insert polyder polyint polydiv unstack spacing vecdot matvec vecmat einsum_path nanquantile "
    "nanpercentile histogram_bin_edges multi_dot svdvals matrix_norm vector_norm".split()
)
"""Functions and ufuncs that CuPy 14 does not have."""

LACKING_IN_LINALG = {"diagonal", "outer", "tensordot", "trace"}
COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
JOINING = {"concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"}
MOVING = {"array", "asarray", "asanyarray", "ascontiguousarray"}
"""Functions that bring arrays here."""


class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that NumPy cannot look into."""

    def __init__(self, held: Any):
        self._held = np.asarray(held)

    # ---- NumPy's protocols ----

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **settings: Any) -> Any:
        if method != "__call__" or ufunc.__name__ in LACKING or getattr(np, ufunc.__name__, None) is not ufunc:
            return NotImplemented
        operands = []
        for operand in inputs + out:
            if isinstance(operand, DeviceArray):
                operands.append(operand._held)
            elif isinstance(operand, np.ndarray):
                if operand.ndim or ufunc.__name__ not in COMPARISONS:
                    raise TypeError(f"Unsupported type {type(operand)}")
                operands.append(operand[()])
            elif type(operand) in (bool, int, float, complex) or isinstance(operand, np.generic):
                operands.append(operand)
            else:
                return NotImplemented
        found = ufunc(*operands[: ufunc.nin], **settings, **({"out": tuple(operands[ufunc.nin :])} if out else {}))
        return out[0] if out else on_device(found)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
        if not all(issubclass(kind, DeviceArray | np.ndarray) for kind in types):
            return NotImplemented
        name, is_linalg = function.__name__, function.__module__.endswith("linalg")
        if name in LACKING or (is_linalg and name in LACKING_IN_LINALG):
            return NotImplemented
        if name == "take" and (len(args) > 3 or "mode" in settings):
            raise TypeError("take() got an unexpected keyword argument 'mode'")
        if name in JOINING and not all(isinstance(part, DeviceArray) for part in args[0]):
            raise TypeError("Only cupy arrays can be concatenated")
        if name in ("where", "convolve", "isin", "searchsorted"):
            for operand in args:
                if isinstance(operand, list | tuple):
                    raise TypeError(f"Unsupported type {type(operand)}")
        if name not in MOVING:
            places = 1 if name in ("take", "take_along_axis") else None
            refuse_near([arg for place, arg in enumerate(args) if place != places], settings)
        if name == "solve" and args[0].shape[:-2] != args[1].shape[:-2]:
            raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")
        found = function(*map(plain, args), **{key: plain(value) for key, value in settings.items()})
        if name in ("eig", "eigvals"):
            found = type(found)(*(part + 0j for part in found)) if name == "eig" else found + 0j
        return on_device(found)

    def __dlpack__(self, **settings: Any) -> Any:
        raise BufferError("nothing is exchanged")

    def __matmul__(self, other: Any) -> Any:
        if getattr(other, "__array_ufunc__", self) is None:
            return NotImplemented
        if not isinstance(other, DeviceArray):
            raise TypeError(f"Argument 'b' has incorrect type (expected cupy.ndarray, got {type(other).__name__})")
        return np.matmul(self, other)

    # ---- what it looks like ----

    shape, dtype = property(lambda self: self._held.shape), property(lambda self: self._held.dtype)
    ndim, size = property(lambda self: self._held.ndim), property(lambda self: self._held.size)
    nbytes, itemsize = property(lambda self: self._held.nbytes), property(lambda self: self._held.itemsize)
    T = property(lambda self: DeviceArray(self._held.T))
    real, imag = (
        property(lambda self: DeviceArray(self._held.real)),
        property(lambda self: DeviceArray(self._held.imag)),
    )
    base = property(lambda self: self._held.base)

    def get(self) -> np.ndarray:
        """A copy of NumPy's."""
        return self._held.copy()

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> DeviceArray:
        return DeviceArray(self._held[plain(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse_near([value], {})
        self._held[plain(key)] = plain(value)

    def __bool__(self) -> bool:
        return bool(self._held)

    def __float__(self) -> float:
        return float(self._held)

    def __int__(self) -> int:
        return int(self._held)

    def item(self) -> Any:
        """One number, here."""
        return self._held.item()

    def tolist(self) -> Any:
        """Its numbers, here."""
        return self._held.tolist()

    def __repr__(self) -> str:
        return repr(self._held)

    def __str__(self) -> str:
        return str(self._held)

    def __format__(self, spec: str) -> str:
        return format(self._held, spec)


def _method(name: str) -> Callable[..., Any]:
    def method(self: DeviceArray, *args: Any, **settings: Any) -> Any:
        refuse_near(args if name != "take" else (), settings)
        return on_device(
            getattr(self._held, name)(*map(plain, args), **{key: plain(value) for key, value in settings.items()})
        )

    return method


for _name in (
    "sum mean prod max min var std all any argmax argmin argsort cumsum cumprod reshape ravel flatten transpose "
    "squeeze swapaxes repeat take diagonal trace clip round dot astype copy nonzero conj"
).split():
    setattr(DeviceArray, _name, _method(_name))


def plain(value: Any) -> Any:
    """What is held."""
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return value._held if isinstance(value, DeviceArray) else value


def on_device(value: Any) -> Any:
    """Arrays, and numbers of NumPy, as arrays that are not here; sizes and shapes stay."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(on_device, value))
    if isinstance(value, list | tuple):
        return type(value)(map(on_device, value))
    return DeviceArray(value) if isinstance(value, np.ndarray | np.generic) else value


def refuse_near(args: Any, settings: dict[str, Any]) -> None:
    """Raise as CuPy does where an array of NumPy stands beside its own."""
    for value in (*args, *settings.values()):
        if isinstance(value, list | tuple):
            refuse_near(value, {})
        elif isinstance(value, np.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")


# ---- the library, for ``set_backend`` ----

ndarray = DeviceArray


def sin(value: Any) -> DeviceArray:
    """A function of the library's own."""
    if not isinstance(value, DeviceArray):
        raise TypeError(f"Unsupported type {type(value)}")
    return on_device(np.sin(value._held))


def asarray(value: Any, dtype: Any = None) -> DeviceArray:
    """An array that is not here."""
    return value if isinstance(value, DeviceArray) and dtype is None else DeviceArray(np.array(plain(value), dtype))
