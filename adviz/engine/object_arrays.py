"""Arrays made of traced parts: object arrays of scalar Variables, complex numbers as pairs of real parts.

NumPy's own loops over objects call a method of each entry. They fail on plain numbers among the entries (a float has
no ``sin``), know no ``isnan`` or ``logaddexp``, and let NaN get lost in ``maximum``. An :class:`ObjectArray` answers
NumPy's protocols instead, so that every ufunc and function does entry by entry what it does on numbers: ``tracing/``
says how. While a function is traced, ``np.array`` makes them: see ``tracing/constructors.py``. Arrays without a traced
entry are as good as plain ones to what knows no objects: see :func:`has_only_numbers`.

Variables are real. What NumPy makes complex numbers of (``x + 1j * y``, ``np.fft.fft(x)``, ``np.sqrt(x + 0j)``) is a
:class:`Complex` while a function is traced: a real and an imaginary part that compute together as complex numbers do,
until ``.real``, ``.imag``, ``abs`` or ``np.angle`` lead back to real ones. All derivatives are those of the parts, so
that nothing has to be agreed on for complex ones; arguments and results are real. What NumPy's functions are on complex
numbers is said in ``tracing/complex_ufuncs.py`` (number by number) and ``tracing/complex_functions.py``.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Iterator
from numbers import Number
from sys import _getframe
from types import EllipsisType, FrameType, MethodType, NoneType
from typing import Any

import numpy as np

from .arrays import Pair, ProgramArray, as_program_array, contents, filled, raw
from .blocks import is_traced
from .calls import Masked
from .devices import as_like
from .tape import ENGINES, current_tape, user_origin
from .trace_errors import ArrayWriteError, BranchError, ConversionError
from .unsupported import cut_off

# ---- NumPy's operators and methods ----

ARITHMETIC: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
SIGNS: dict[str, np.ufunc] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
COMPARISONS: dict[str, np.ufunc] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def method_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as a method of its first argument."""

    def method(self: Any, *args: Any, **settings: Any) -> Any:
        return function(self, *args, **settings)

    return method


def method_of_shape(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same for ``reshape`` and its like, which take ``x.reshape(2, 3)`` as well as ``x.reshape((2, 3))``."""

    def method(self: Any, *args: Any, **settings: Any) -> Any:
        first = args[0] if len(args) == 1 and (args[0] is None or np.ndim(args[0])) else (args or None)
        return function(self, first, **settings)

    return method


class NotOfNumbersError(AttributeError, TypeError):
    """What Python says of a number: it has no such attribute where it is asked for, and no length where that is."""


class _OfArrays:
    """A method that numbers do not have."""

    def __init__(self, method: Callable[..., Any]):
        self.method = method

    def __get__(self, value: Any, owner: type) -> Any:
        if value is not None and not value.ndim:
            raise NotOfNumbersError("a number has no len()")
        return self.method.__get__(value, owner)


class NumPyMethods:
    """The methods that are functions of the same name: a class that answers NumPy's protocols has them from here."""

    __slots__ = ()

    @property
    def nbytes(self: Any) -> Any:
        """Bytes of the data."""
        return self.size * self.dtype.itemsize

    @_OfArrays
    def __len__(self: Any) -> int:
        size: int = self.shape[0]
        return size

    def __iter__(self: Any) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a number")
        return (self[k] for k in range(len(self)))

    all, any = method_of(np.all), method_of(np.any)
    argmax, argmin, argsort = method_of(np.argmax), method_of(np.argmin), method_of(np.argsort)
    clip, round, nonzero = method_of(np.clip), method_of(np.round), method_of(np.nonzero)
    sum, prod, mean = method_of(np.sum), method_of(np.prod), method_of(np.mean)
    cumsum, cumprod = method_of(np.cumsum), method_of(np.cumprod)
    var, std = method_of(np.var), method_of(np.std)
    max, min = method_of(np.max), method_of(np.min)
    dot, trace, diagonal = method_of(np.dot), method_of(np.trace), method_of(np.diagonal)
    ravel, squeeze, swapaxes = method_of(np.ravel), method_of(np.squeeze), method_of(np.swapaxes)
    reshape, transpose = method_of_shape(np.reshape), method_of_shape(np.transpose)
    repeat, take, searchsorted = method_of(np.repeat), method_of(np.take), method_of(np.searchsorted)


# ---- arrays of objects ----

OBJECT, DOUBLE, BOOLEAN = np.dtype(object), np.dtype(float), np.dtype(bool)
_dtype_in_memory = np.ndarray.dtype.__get__


def _on_contents(name: str) -> Callable[..., Any]:
    """Return a method of NumPy's that knows nothing of traced values in arrays that a program made."""
    own = getattr(np.ndarray, name)
    return lambda self, *args, **settings: own(self, *contents(args), **contents(settings))


def is_of_objects(value: Any) -> bool:
    """Return whether a value is an array with objects in its memory, whatever it tells a program of its dtype."""
    kind = type(value)
    return issubclass(kind, np.ndarray) and _dtype_in_memory(value) == OBJECT and kind is not Masked


class ObjectArray(np.ndarray):
    """An array of Variables and plain numbers, objects in memory; can be written to, like any array."""

    @property
    def dtype(self) -> np.dtype:
        """What the numbers are to a program: doubles unless all have another type, or are nodes of whole numbers.

        Libraries see what is in memory: compiled code of theirs goes by it.
        """
        frame: FrameType | None = _getframe(1)
        is_library = frame is None or frame.f_globals.get("__name__", "").partition(".")[0] in ENGINES
        if is_library or not is_of_objects(self):
            return _dtype_in_memory(self)
        if (tape := current_tape()) is not None and any(
            np.may_share_memory(raw(self), raw(whole)) for whole in tape.whole
        ):
            return np.dtype(int)
        first = self.flat[0] if self.size else 0.0
        is_of_numbers = all(issubclass(kind, Number | NumPyMethods) for kind in set(map(type, self.flat)))
        if not is_of_numbers or np.ndim(first):
            return OBJECT
        dtypes = {getattr(entry, "dtype", DOUBLE) for entry in self.flat}
        return dtypes.pop() if len(dtypes) == 1 else DOUBLE

    @dtype.setter
    def dtype(self, value: Any) -> None:
        if value != _dtype_in_memory(self):  # NumPy's as_strided sets what is there
            raise ArrayWriteError("The dtype of a traced array cannot be set. Use x.astype.", user_origin())

    @property
    def real(self) -> Any:
        """All of it, on the same memory: the numbers are real ones. Of objects NumPy 2.5 has a copy."""
        return self[...]

    @real.setter
    def real(self, value: Any) -> None:
        self[...] = value

    argmax, argmin, argsort = method_of(np.argmax), method_of(np.argmin), method_of(np.argsort)
    var, std, clip = method_of(np.var), method_of(np.std), method_of(np.clip)
    round, nonzero = method_of(np.round), method_of(np.nonzero)
    choose, compress, put = _on_contents("choose"), _on_contents("compress"), _on_contents("put")
    dot, searchsorted, take = method_of(np.dot), _on_contents("searchsorted"), _on_contents("take")

    def sort(self, axis: Any = -1, *args: Any, **settings: Any) -> None:
        """Put the entries in order, in place."""
        self[...] = np.sort(self, axis)


def _lets_memory_be_read(kind: type) -> ctypes.c_void_p:
    """The function of a class that lets code in C read memory, ``tp_as_buffer->bf_getbuffer``, as a variable."""
    size = ctypes.sizeof(ctypes.c_void_p)
    functions = ctypes.c_void_p.from_address(id(kind) + object.__basicsize__ + 18 * size).value
    return ctypes.c_void_p.from_address(functions or 0)


if platform.python_implementation() == "CPython":
    # The bytes of objects are addresses, and ``hashlib.md5(x)`` reads them: Python 3.11 has no other way to forbid it.
    inherited = _lets_memory_be_read(ObjectArray)
    if inherited.value == _lets_memory_be_read(np.ndarray).value:  # else a type is laid out in another way
        inherited.value = None


def as_object_array(value: Any) -> Any:
    """Return arrays of objects as an :class:`ObjectArray` on the same memory; everything else as it is."""
    if type(value) is np.ndarray and value.dtype == OBJECT:
        return value.view(ObjectArray)
    return value


def as_plain_array(value: Any) -> Any:
    """Return an :class:`ObjectArray` as NumPy's own class on the same memory; everything else as it is."""
    return raw(value) if type(value) is ObjectArray else value


PLAIN = (Number, np.generic, np.dtype, np.ndarray, type, str, bytes, slice, EllipsisType, NoneType)


def has_only_numbers(value: Any) -> bool:
    """Whether nothing that is traced is in an argument, nor can come in, as through a function; also in sequences."""
    if isinstance(value, list | tuple | dict):
        # Those of a dict itself: a subclass may not be ready to give its own.
        return all(map(has_only_numbers, dict.values(value) if isinstance(value, dict) else value))
    if is_of_objects(value):
        return all(isinstance(entry, Number) for entry in value.flat)
    if isinstance(value, PLAIN):
        return True
    return type(getattr(value, "plain", None)) is MethodType and value.plain() is not value  # complex, of plain parts


def as_numbers(value: Any) -> Any:
    """Object arrays of numbers as arrays of floats, also inside sequences; everything else as it is."""
    if isinstance(value, list | tuple):
        return type(value)(map(as_numbers, value))
    if isinstance(value, dict):
        return {key: as_numbers(entry) for key, entry in value.items()}
    if is_of_objects(value):
        return as_plain_array(value).astype(
            complex if any(isinstance(entry, complex) for entry in value.flat) else float
        )
    return value


# ---- complex numbers ----

PLAIN_NUMBERS = (float, int, np.number)
NUMPYS = (np.ndarray, np.complexfloating)
SEQUENCES = (list, tuple)


def _operator(ufunc: np.ufunc, is_reflected: bool = False) -> Callable[..., Any]:
    return lambda self, *other: ufunc(*other, self) if is_reflected else ufunc(self, *other)


def _in_place(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    """``z += w``: every reference to these numbers, and every view of them, sees the new ones, as with NumPy."""

    def method(self: Any, other: Any) -> Any:
        result = ufunc(self, other)
        if not self.ndim or current_tape() is None:  # in forward and reverse mode nothing is written to
            return result
        if result.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold the result of shape {result.shape}")
        self[...] = result
        return self

    return method


class Complex(NumPyMethods, Pair):
    """Complex numbers whose real and imaginary parts are traced: arrays of one shape, or numbers.

    They have arithmetic with each other, with traced values and with plain numbers, real or complex, and NumPy's
    functions; those that are missing raise a :class:`~adviz.MissingBlockError` with their name.

    >>> z = Complex(3.0, 4.0)
    >>> z * 1j, z * z.conj(), float(abs(z))
    (Complex(-4.0, 3.0), Complex(25.0, 0.0), 5.0)
    """

    __slots__ = ()
    __hash__ = object.__hash__

    def __init__(self, real: Any, imag: Any):
        self._real, self._imag = real, imag

    @property
    def real(self) -> Any:
        """The real part; what is written to it is written to these numbers."""
        return self._real

    @real.setter
    def real(self, value: Any) -> None:
        self._real = _written(self._real, ..., value)

    @property
    def imag(self) -> Any:
        """The imaginary part; what is written to it is written to these numbers."""
        return self._imag

    @imag.setter
    def imag(self, value: Any) -> None:
        self._imag = _written(self._imag, ..., value)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of either part; ``()`` for a number."""
        return np.shape(self._real)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return np.ndim(self._real)

    @property
    def size(self) -> int:
        """Number of entries."""
        return np.size(self._real)

    @property
    def dtype(self) -> np.dtype:
        """That of complex numbers."""
        return np.dtype(complex)

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return self.dtype.itemsize

    T, flat = property(method_of(np.transpose)), property(method_of(np.ravel))
    mT = property(method_of(np.matrix_transpose))  # noqa: N815
    copy, ptp, partition = method_of(np.copy), method_of(np.ptp), method_of(np.partition)
    conj = conjugate = method_of(np.conjugate)
    flatten = method_of(np.ravel)
    __divmod__, __matmul__, __rmatmul__ = _operator(np.divmod), _operator(np.matmul), _operator(np.matmul, True)
    __imatmul__ = _in_place(np.matmul)

    def compress(self, condition: Any, axis: Any = None) -> Any:
        """Return the entries, or rows along an axis, that are chosen."""
        return np.compress(condition, self, axis)

    def fill(self, value: Any) -> None:
        """Write one number everywhere."""
        self[...] = value

    def __copy__(self, memo: Any = None) -> Any:
        return np.copy(self)

    __deepcopy__ = __copy__

    def __getitem__(self, key: Any) -> Complex:
        return Complex(self._real[key], self._imag[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        value = as_complex(value)
        self._real = _written(self._real, key, value.real)
        self._imag = _written(self._imag, key, value.imag)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise BranchError(
                f"Complex numbers of shape {self.shape} were used as a condition. "
                "Use np.where for a choice per entry, or .all() / .any() of a comparison.",
                user_origin(),
            )
        return bool(np.not_equal(self, 0))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return a plain array, of plain numbers only; NumPy asks this where it insists on one."""
        if not (is_plain(self._real) and is_plain(self._imag)):
            raise ConversionError(
                "NumPy was asked for a plain array of traced complex numbers, which would cut them off from the graph. "
                "Put them together with np.array, np.stack or np.concatenate; "
                "their parts are z.real and z.imag, their length np.abs(z).",
                user_origin(),
            )
        result = np.empty(self.shape, complex)
        result.real, result.imag = self._real, self._imag
        return result if dtype is None else result.astype(dtype)

    def plain(self) -> Any:
        """Return NumPy's own complex numbers, if these are plain; else themselves."""
        return self.__array__()[()] if is_plain(self._real) and is_plain(self._imag) else self

    def _numbers(self, name: str) -> np.ndarray:
        """Return the plain array, where a plain number is asked for."""
        if type(self.plain()) is not Complex:
            return self.__array__()
        raise cut_off(name)

    def __complex__(self) -> complex:
        return complex(self._numbers("a complex number")[()])

    def __float__(self) -> float:
        return float(self._numbers("a float")[()])

    def __int__(self) -> int:
        return int(self._numbers("an int")[()])

    def item(self, *place: Any) -> complex:
        """Refused where it is traced: a plain number would be detached from the graph."""
        result: complex = self._numbers("a plain number").item(*place)
        return result

    def tolist(self) -> Any:
        """Refused where it is traced, as :meth:`item` is."""
        return self._numbers("a plain number").tolist()

    def __repr__(self) -> str:
        return f"Complex({self._real!r}, {self._imag!r})"

    def __format__(self, spec: str) -> str:
        numbers = [_shown(self._real), _shown(self._imag)]
        return repr(self) if None in numbers else format(complex(*numbers), spec)


for _name, _ufunc in (ARITHMETIC | SIGNS | COMPARISONS).items():
    setattr(Complex, f"__{_name}__", _operator(_ufunc))
for _name, _ufunc in ARITHMETIC.items():
    setattr(Complex, f"__i{_name}__", _in_place(_ufunc))
    setattr(Complex, f"__r{_name}__", _operator(_ufunc, is_reflected=True))


def _shown(part: Any) -> Any:
    """Return the number behind a part, to be printed; ``None`` for arrays."""
    while is_traced(part):
        part = part.data
    return None if np.ndim(part) else part


def _written(part: Any, key: Any, value: Any) -> Any:
    """Return a part after something was written into it."""
    if not np.ndim(part):
        return value
    part[key] = value
    return part


def writable(part: np.ndarray) -> Any:
    """Return plain numbers that a program may write traced ones into, as into any array that it makes."""
    return as_program_array(part) if part.ndim and current_tape() is not None else part


def is_plain(part: Any) -> bool:
    """Return whether nothing in a part is traced."""
    if type(part) is ProgramArray:
        return filled(part) is None
    if isinstance(part, np.ndarray):
        return not is_of_objects(part) or not any(is_traced(entry) for entry in part.flat)
    return not is_traced(part)


# ---- which values are complex, and how they become pairs ----


def is_complex(value: Any) -> bool:
    """Return whether a value is complex, traced or plain; sequences are not looked into.

    >>> is_complex(1j), is_complex(np.ones(2)), is_complex(np.ones(2, complex)), is_complex(Complex(1.0, 2.0))
    (True, False, True, True)
    """
    kind = type(value)
    if kind is Complex or kind is complex:
        return True
    return issubclass(kind, NUMPYS) and value.dtype.kind == "c"  # not what a traced value passes for


def has_complex(value: Any) -> bool:
    """Return whether a value is complex, or one in a sequence is."""
    if issubclass(type(value), SEQUENCES):
        return any(map(has_complex, value))
    return is_complex(value)


def as_complex(value: Any) -> Complex:
    """Numbers, traced or not, real or complex, also in sequences and in arrays of objects, as a pair of parts."""
    if type(value) is Complex:
        return value
    value = contents(value)
    if isinstance(value, list | tuple):
        parts = list(map(as_complex, value))
        return Complex(*(np.stack([part[k] for part in map(_pair, parts)]) for k in (0, 1)))
    if is_of_objects(value) and any(map(is_complex, value.flat)):
        z = as_complex([*as_plain_array(value).ravel()])
        return Complex(*(np.reshape(part, value.shape) for part in _pair(z)))
    if is_complex(value):
        return Complex(float(value.real), float(value.imag)) if not np.ndim(value) else Complex(value.real, value.imag)
    if isinstance(value, int | np.integer | np.bool_):
        return Complex(float(value), 0.0)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        value = value.astype(float)
    return Complex(value, zeros(np.shape(value), value))


def _pair(z: Complex) -> tuple[Any, Any]:
    return z.real, z.imag


def zeros(shape: tuple[int, ...], *like: Any) -> Any:
    """Return a part that is not there: the number 0, or an array of them where the others are."""
    return as_like(writable(np.zeros(shape)), *like) if shape else 0.0


def is_zero(part: Any) -> bool:
    """Return whether a part is known to be 0 wherever the function is evaluated: plain zeros.

    >>> is_zero(0.0), is_zero(np.zeros(2)), is_zero(np.ones(2))
    (True, True, False)
    """
    if type(part) is ProgramArray:
        return filled(part) is None and not contents(part).any()
    if isinstance(part, np.ndarray):
        return all(map(is_zero, part.flat)) if is_of_objects(part) else not part.any()
    return isinstance(part, PLAIN_NUMBERS) and not part


def as_array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = None, ndmin: int = 0, **_: Any
) -> Complex:
    """``np.array`` of what is complex, or of what is to be."""
    if dtype is not None and np.dtype(dtype).kind not in "cO":
        raise ConversionError(
            f"Complex numbers were to become {np.dtype(dtype)}, which would lose their imaginary parts. "
            "Take z.real, z.imag or np.abs(z).",
            user_origin(),
        )
    z = as_complex(object)
    if ndmin > z.ndim:
        z = Complex(*(np.reshape(part, (1,) * (ndmin - z.ndim) + z.shape) for part in _pair(z)))
    if dtype is not None and np.dtype(dtype) == np.complex64:
        return Complex(*(part.astype(np.float32) if hasattr(part, "astype") else np.float32(part) for part in _pair(z)))
    is_shared = z.real is object or (z is object and copy)
    return Complex(*map(np.copy, _pair(z))) if is_shared and z.ndim else z


def _itself(a: Any, dtype: Any = None, **settings: Any) -> Complex:
    """``np.asarray`` and its like."""
    return as_array(a, dtype, copy=False)


def full(shape: Any, fill_value: Any, dtype: Any = None, **settings: Any) -> Complex:
    """``np.full``."""
    z = as_array(fill_value, dtype)
    return Complex(*(np.copy(np.broadcast_to(part, shape)) for part in _pair(z)))


MADE: dict[str, Callable[..., Complex]] = {
    "array": as_array,
    **dict.fromkeys(("asarray", "asarray_chkfinite", "asanyarray", "ascontiguousarray", "asfortranarray"), _itself),
    "full": full,
}
"""What NumPy's constructors make of complex numbers."""


def is_meant(args: tuple[Any, ...], settings: dict[str, Any]) -> bool:
    """Return whether a constructor that failed is to make complex numbers."""
    dtype = settings.get("dtype", args[1] if len(args) > 1 else None)
    if not isinstance(dtype, type | str | np.dtype):
        dtype = None
    return any(map(has_complex, args)) or (dtype is not None and np.dtype(dtype).kind == "c")


def as_program_made(made: Any) -> Any:
    """A new plain array of complex numbers, which a program may write traced ones into; everything else as it is."""
    if type(made) is not np.ndarray or made.dtype.kind != "c":
        return made
    return Complex(writable(made.real.copy()), writable(made.imag.copy()))


def told_apart(made: Any) -> Any:
    """Return an array of objects with complex numbers among them as these; everything else as it is."""
    is_mixed = type(made) is ObjectArray and made.ndim and any(map(is_complex, made.flat))
    return as_complex(made) if is_mixed else as_program_made(made)
