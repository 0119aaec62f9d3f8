"""Where a program runs: on NumPy, Numba, CuPy, or any other array library.

A back end is made for one schedule. It makes a batch of arguments and, called with one, returns the results in its own
kind of array, with the axis of the points where ``points`` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from importlib import import_module
from itertools import chain
from math import isfinite
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.devices import set_library
from ..expressions.expressions import BLOCKS, OPERATIONS
from ..points.batches import Batch, batch
from ..points.results import Part, empty_results
from ..points.source_text import compiled, number_text, place_names, point_source, scalar_functions, written
from ..program_errors import ProgramError
from ..schedules import Instruction, Schedule
from .array_api import Namespace, batch_on
from .numba_loops import Numba, check_dtype, check_operations, flat, results
from .numpy_blocks import Blocks

# ---- programs on a GPU ----


HELPERS = """
static __device__ inline real_t ndtr(real_t x) { return (real_t)0.5 * erfc(-x * (real_t)0.70710678118654752440); }
static __device__ inline real_t adviz_remainder(real_t a, real_t b) {
    real_t rest = fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest != 0 ? rest : copysign(rest, b);
}
static __device__ inline real_t adviz_floor_divide(real_t a, real_t b) {
    if (b == 0) return a / b;
    real_t rest = fmod(a, b), quotient = (a - rest) / b;
    return rint(rest != 0 && (b < 0) != (rest < 0) ? quotient - 1 : quotient);
}
static __device__ inline real_t adviz_logaddexp(real_t a, real_t b) {
    if (a == b) return a + (real_t)0.69314718055994530942;
    return (a > b ? a : b) + log1p(exp(-fabs(a - b)));
}
static __device__ inline real_t adviz_logaddexp2(real_t a, real_t b) {
    if (a == b) return a + 1;
    return (a > b ? a : b) + (real_t)1.44269504088896340736 * log1p(exp2(-fabs(a - b)));
}
"""
"""Functions that C does not have, or that mean something else there."""


def c_of(name: str) -> str | None:
    """Return how an operation is written in C, as a format of its operands; "" for operators, which are the same.

    It is ``None`` where C does not know the operation, as most functions of SciPy.

    >>> c_of("arctan2"), c_of("add")
    ('atan2({0}, {1})', '')
    """
    operation = OPERATIONS[name]
    block = BLOCKS.get(operation.numpy) or BLOCK_OF.get(operation.numpy)
    if block is None or block.numeric is None:
        return None
    operands = ", ".join(f"{{{k}}}" for k in range(getattr(operation.numpy, "nin", 3)))
    called = f"{operation.numeric.standard or name}({operands})"
    return operation.numeric.c or ("" if operation.numeric.operator else called)


def in_c(instruction: Instruction, names: dict[int, str]) -> str:
    """Write the right-hand side of an instruction in C."""
    text = c_of(instruction.operation)
    return text.format(*(names[k] for k in instruction.operands)) if text else written(instruction, names)


class Layout(NamedTuple):
    """The arrays in memory: numbers of each argument at one point, and whether it is the same at all points."""

    sizes: tuple[int, ...]
    shared: tuple[bool, ...]
    points: str

    def address(self, array: str, row: int, size: int, start: int = 0) -> str:
        """Say where a number is at point ``p``, in an array of ``size`` numbers at each point, after ``start`` others.

        >>> layout = Layout((3,), (False,), "first")
        >>> layout.address("a0", 2, 3), layout._replace(points="last").address("a0", 2, 3)
        ('a0[p * 3 + 2]', 'a0[2 * count + p]')
        """
        if self.points == "last":
            return f"{array}[{start + row} * count + p]"
        return f"{array}[{f'{start} * count + ' if start else ''}p * {size} + {row}]"

    def inputs(self) -> Iterator[str]:
        """Yield where the number of each input is."""
        for k, (size, is_shared) in enumerate(zip(self.sizes, self.shared, strict=True)):
            for row in range(size):
                yield f"a{k}[{row}]" if is_shared else self.address(f"a{k}", row, size)


def body(schedule: Schedule, parts: Sequence[Part], layout: Layout) -> str:
    """Write what is done at point ``p`` of ``count``: statements in C on numbers of the type ``real_t``.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x, 1.0, inputs=[])
    >>> print(body(program.schedule, program.parts, Layout((1,), (False,), "last")))
    const real_t x0 = a0[0 * count + p];
    const real_t v4 = x0 * x0;
    r[0 * count + p] = v4;
    """
    names = place_names(schedule)
    texts = {place: number_text(value) for place, value in schedule.constants.items()}
    constants = [(f"c{place}", WORDS.get(text, text)) for place, text in texts.items()]
    loads = [(f"x{k}", address) for k, address in enumerate(layout.inputs())]
    steps = [(names[each.place], in_c(each, names)) for each in schedule.instructions]
    outputs = [names[place] for place in schedule.outputs]
    stores: list[str] = []
    for part in parts:
        start, size = len(stores), part.leaf.size
        made = enumerate(part.numbers(outputs, "0.0"))
        stores += [f"{layout.address('r', row, size, start)} = {value};" for row, value in made]
    return "\n".join([*(f"const real_t {name} = {value};" for name, value in constants + loads + steps), *stores])


WORDS = {"inf": "1.0 / 0.0", "-inf": "-1.0 / 0.0", "nan": "0.0 / 0.0"}
"""Numbers that C has no literal for."""


class CuPy:
    """A fused kernel for each layout and dtype of the arguments."""

    is_on_numpy = False

    def __init__(self, schedule: Schedule, library: Any):
        self.schedule, self.library = schedule, library
        self._kernels: dict[Any, Any] = {}
        try:
            library.cuda.runtime.getDeviceCount()
        except library.cuda.runtime.CUDARuntimeError as reason:
            raise ProgramError(f"CuPy finds no GPU: {reason}.") from reason
        operations = {each.operation for each in schedule.instructions}
        check_operations(schedule, {name for name in operations if c_of(name) is not None}, "CuPy")
        self.batch = batch_on(library)

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[Any]:
        check_dtype(given.dtype)
        memory = self.library.empty(sum(part.leaf.size for part in parts) * given.size, given.dtype)
        if given.size:
            shared = tuple(matrix.shape[1] < (given.length or 1) for matrix in given.matrices)
            layout = Layout(tuple(matrix.shape[0] for matrix in given.matrices), shared, points)
            kernel = self._kernel(parts, layout, given.dtype)
            kernel(given.size, *flat(given, points, self.library), memory, size=given.size)
        return results(memory, given, parts, points)

    def _kernel(self, parts: list[Part], layout: Layout, dtype: Any) -> Any:
        key = layout, dtype
        if key not in self._kernels:
            inputs = [f"raw {dtype} a{k}" for k in range(len(layout.sizes))]
            self._kernels[key] = self.library.ElementwiseKernel(
                ", ".join(["int64 count", *inputs]),
                f"raw {dtype} r",
                f"const long long p = i;\n{body(self.schedule, parts, layout)}",
                "adviz_program",
                preamble=f"typedef {REAL[str(dtype)]} real_t;{HELPERS}",
                options=("-fmad=false",),
            )
        return self._kernels[key]


REAL = {"float32": "float", "float64": "double"}
"""The types of C."""


FEW = 6
"""Up to so many points are faster one by one, on Python's numbers: the Jacobian of the Roe flux takes 54 µs at six
points, and 95 µs in a block."""
DOUBLE = np.dtype(float)


class NumPy:
    """Runs blocks of points on NumPy, and a few points one by one."""

    is_on_numpy = True
    batch = staticmethod(batch)

    def __init__(self, schedule: Schedule, threads: int | None = 1):
        self.schedule, self.blocks = schedule, Blocks(schedule, threads)
        self._point: Callable[..., tuple[float, ...]] | None = None

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        arrays, rows = empty_results(parts, points, given.size, given.dtype)
        if not (given.size <= FEW and given.dtype == DOUBLE and self._one_by_one(given, rows)):
            inputs = [row for matrix in given.matrices for row in matrix]
            self.blocks(inputs, rows, given.dtype)
        return arrays

    def _one_by_one(self, given: Batch, rows: list[np.ndarray]) -> bool:
        """Fill the rows on Python's numbers. Returns whether that was possible, and all results are finite."""
        self._point = self._point or compiled(point_source(self.schedule), scalar_functions())
        columns = [np.broadcast_to(matrix, (len(matrix), given.size)).T.tolist() for matrix in given.matrices]
        try:
            result = [self._point(*chain.from_iterable(point)) for point in zip(*columns, strict=True)]
        except (ArithmeticError, ValueError):
            return False
        for row, outputs in zip(rows, zip(*result, strict=True), strict=bool(result)):
            row[:] = outputs
        return all(map(isfinite, chain.from_iterable(result)))


# ---- which one ----

Backend = NumPy | Numba | CuPy | Namespace
"""What runs one program. If it ``is_on_numpy``, its arrays are NumPy's, with an axis even for a single point, and a
single point may be computed in another way: see :mod:`~..program.program`."""

_present: ContextVar[str] = ContextVar("backend", default="numpy")


def set_backend(backend: str | ModuleType | None) -> None:
    """Choose where programs compiled from now on run, unless they have a ``backend`` of their own.

    ``backend`` is one of those of :func:`adviz.compile_jacobian`. With ``"cupy"`` functions are traced and
    differentiated on the GPU, too: NumPy arrays among the arguments are moved there, and derivatives stay there. Other
    libraries do not implement NumPy's protocols; with them, tracing is on NumPy's arrays.

    Like a mode, it holds for the current thread. Raises :class:`~adviz.ProgramError` for back ends that are unknown or
    not installed.

    >>> set_backend("numba")
    >>> present_backend()
    'numba'
    >>> set_backend("numpy")
    """
    name = backend_name(backend)
    set_library(library_named(name))
    _present.set(name)


def present_backend() -> str:
    """Return the name of the back end of programs that are compiled now."""
    return _present.get()


def backend_name(backend: str | ModuleType | None) -> str:
    """Return the name of a back end or an array library; for ``None`` the one that :func:`set_backend` chose.

    >>> backend_name(None), backend_name(np)
    ('numpy', 'numpy')
    """
    if backend is None:
        return present_backend()
    name = backend.__name__ if isinstance(backend, ModuleType) else backend
    if not isinstance(name, str):
        raise ProgramError(f"backend is {backend!r}; it can be {NAMES}.")
    return name


def backend_of(name: str, schedule: Schedule, threads: int | None = 1) -> Backend:
    """Make the back end of a program. Raises :class:`~adviz.ProgramError` if an operation or a library is missing.

    >>> from ..schedules import Schedule
    >>> backend_of("numpy", Schedule((), {}, (), ())).is_on_numpy
    True
    """
    library = library_named(name)
    if name == "numpy":
        return NumPy(schedule, threads)
    if name == "numba":
        return Numba(schedule, library, threads)
    return (CuPy if name == "cupy" else Namespace)(schedule, library)


EXTRAS = "numba", "cupy"
"""Libraries that an extra of adviz installs."""
NAMES = "'numpy', 'numba', 'cupy', or an array library such as torch, jax.numpy, array_api_strict"


def library_named(name: str) -> Any:
    """Return the module of a back end. Raises :class:`~adviz.ProgramError` if there is none, or it has no arrays."""
    try:
        library = import_module(name)
    except ImportError as reason:
        package = f"'adviz[{name}]'" if name in EXTRAS else name.partition(".")[0]
        raise ProgramError(
            f"The back end {name} needs a library that cannot be imported ({reason}): pip install {package}"
        ) from reason
    if name != "numba" and not hasattr(library, "asarray"):
        raise ProgramError(f"{name} has no arrays; backend can be {NAMES}.")
    return library
