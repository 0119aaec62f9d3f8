"""Ops: the nodes of a graph that is built first and run later.

An op stands for a value that is not there yet. It knows how the value will come about: its ``block`` and its ``args``;
what must run before it although it takes no value of it (``control_deps``), and what must run once before everything
else (``initializers``).

Source: the op graph of Nervana Graph (2016), building_graphs.rst.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from types import CodeType
from typing import Any

import numpy as np

from ..engine.blocks import Block
from ..engine.object_arrays import ARITHMETIC, COMPARISONS, SIGNS, NumPyMethods
from ..engine.rules.gathering import is_simple
from ..engine.rules.indexing import INDEX
from ..engine.rules.reshaping import RESHAPE, TRANSPOSE
from ..engine.tape import user_frame, user_origin
from ..graph.origins import Origin, assigned_name, origin
from .contexts import capture, current_metadata, current_schema, user_deps
from .op_errors import OpError

_numbers = count()
VIEWS = {INDEX, RESHAPE, TRANSPOSE}
TENSORS = ("placeholder", "variable", "persistent", "constant")
"""The kinds of ops that have storage of their own."""
NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)
VALUES = ("data", "eval", "item", "numpy", "tolist", "value")
"""What others call the value of an op, or the way to it."""


def checked_name(name: Any) -> str:
    """Return a name of an op; raises :class:`OpError` for what is no text, or cannot stand in a source or in a file."""
    if not isinstance(name, str):
        raise OpError(f"A name is text, and not {name!r}.", user_origin())
    if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise OpError(f"{name!r} has letters that a source cannot have; take another name.", user_origin())
    return name


class Op(NumPyMethods):
    """A node of an op graph; equal to itself only, so that it can be a key.

    ``kind`` is one of :data:`TENSORS`, ``"operation"`` (a Block applied to ``operands``: ops and settings),
    ``"assign"``, ``"doall"``, ``"sequential"`` or ``"initialize"``. ``shape`` and ``dtype`` are known as soon as it is
    built; an op without a value, such as ``doall``, has none.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2, 3))
    >>> y = np.tanh(x) @ np.ones(3)
    >>> y, y.args[0], y.args[0].args == (x,)
    (<Op y: matmul (2,) float64>, <Op tanh: tanh (2, 3) float64>, True)
    """

    __slots__ = (
        *("number kind block operands shape dtype axes initial".split()),
        *("control_deps initializers metadata schemas part_of is_step derived_from adjoint_of memo".split()),
        *("code offset given_name __weakref__".split()),
    )

    def __init__(
        self,
        kind: str,
        shape: tuple[int, ...] | None,
        dtype: Any,
        block: Block | None = None,
        operands: tuple[Any, ...] = (),
        name: str = "",
    ):
        self.number, self.kind, self.block, self.operands = next(_numbers), kind, block, operands
        self.shape, self.dtype, self.given_name = shape, dtype, checked_name(name) if name else ""
        self.axes: tuple[Any, ...] | None = None
        self.initial: Any = None
        self.control_deps: dict[Op, None] = {}  # an ordered set, as are the initializers
        for arg in self.args:
            self.control_deps |= user_deps(arg.storage)
        self.initializers: dict[Op, None] = {}
        self.metadata: dict[str, Any] = current_metadata()
        self.schemas: list[Any] = []  # the newest first
        self.part_of: Any = current_schema()
        self.is_step = False  # whether its expression goes on: then the name that is assigned to is that of another op
        self.derived_from: Op | None = None  # the op whose derivative it is a part of
        self.adjoint_of: Op | None = None
        self.memo: dict[Any, Any] = {}
        frame = user_frame()
        self.code: CodeType | None = frame.f_code if frame else None
        self.offset = frame.f_lasti if frame else -1
        capture(self)

    def belong_to(self, op: Op) -> None:
        """Become a part of the derivative of an op: it has the place in the source, and the metadata, of that."""
        self.derived_from, self.code, self.offset = op, op.code, op.offset
        self.metadata = op.metadata | self.metadata

    # ---- what it is ----

    @property
    def args(self) -> tuple[Op, ...]:
        """The ops whose values it takes, in order; one may come twice."""
        return tuple(each for each in self.operands if isinstance(each, Op))

    @property
    def storage(self) -> Op:
        """The op whose storage its value is in: its own, or of a view that of what it is a view of."""
        op = self
        while op.is_view:
            op = op.operands[0]
        return op

    @property
    def is_view(self) -> bool:
        """Whether it shows storage of another op, in another shape or in part: what is stored there is seen in it."""
        if self.block not in VIEWS or not isinstance(self.operands[0], Op):
            return False
        return self.block is not INDEX or is_simple(self.operands[1])

    @property
    def all_deps(self) -> tuple[Op, ...]:
        """What must run before it: its arguments, and its control dependencies."""
        return (*self.control_deps, *self.args)

    @property
    def has_value(self) -> bool:
        """Whether it stands for a value, rather than for something that is done."""
        return self.shape is not None

    @property
    def is_constant(self) -> bool:
        """Whether its value never changes."""
        return self.kind == "constant"

    @property
    def is_input(self) -> bool:
        """Whether it can be a parameter of a computation."""
        return self.kind == "placeholder"

    @property
    def is_trainable(self) -> bool:
        """Whether it is a variable, which :meth:`variables` finds."""
        return self.kind == "variable"

    @property
    def is_persistent(self) -> bool:
        """Whether it keeps its value from one call of a computation to the next."""
        return self.kind in TENSORS

    @property
    def is_assignable(self) -> bool:
        """Whether a value can be stored in it."""
        return self.is_persistent and not self.is_constant

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return len(self.shape or ())

    @property
    def size(self) -> int:
        """How many numbers its value has."""
        return math.prod(self.shape or ())

    @property
    def bytes(self) -> int:
        """Bytes of its value."""
        return 0 if self.shape is None else self.size * np.dtype(self.dtype).itemsize

    # ---- where it comes from ----

    @property
    def name(self) -> str:
        """The name it was given, that of the variable of the program it was assigned to, or what it does."""
        return self.own_name or self.what

    @name.setter
    def name(self, name: str) -> None:
        self.given_name = checked_name(name)

    @property
    def own_name(self) -> str:
        """Its name, or none where it would be called after what it does."""
        if self.given_name or self.is_step or self.derived_from is not None or self.code is None:
            return self.given_name
        return assigned_name(self.code, self.offset) or ""

    @property
    def what(self) -> str:
        """Its Block, or its kind."""
        return self.block.name if self.block is not None else self.kind

    @property
    def origin(self) -> Origin | None:
        """The expression in the user's source that built it; an adjoint has that of the op that it belongs to."""
        return origin(self.code, self.offset)

    @property
    def filename(self) -> str | None:
        """The file of the user's source."""
        return self.origin.file if self.origin else None

    @property
    def lineno(self) -> int | None:
        """The line in the user's source, from 1."""
        return self.origin.line if self.origin else None

    @property
    def file_info(self) -> str:
        """File and line as tracebacks write them, which editors open on a click."""
        return f'File "{self.filename}", line {self.lineno}' if self.origin else "built by adviz"

    # ---- the graph that it is the end of ----

    def ordered_ops(self) -> list[Op]:
        """Return all ops that must run for this one, each once and after what it depends on; see :func:`ordered`."""
        return ordered([self])

    def variables(self, filter: Callable[[Op], bool] | None = None) -> list[Op]:
        """Return the variables that it depends on, in the order in which they were built.

        >>> import adviz
        >>> w, b = adviz.lazy.variable((2,), 1.0), adviz.lazy.variable((), 0.0)
        >>> (w @ np.ones(2) + b).variables()
        [<Op w: variable (2,) float64>, <Op b: variable () float64>]
        """
        result = [each for each in self.ordered_ops() if each.is_trainable]
        return sorted(result if filter is None else (each for each in result if filter(each)), key=_creation)

    def select(self, **metadata: Any) -> list[Op]:
        """Return the ops that it depends on which have these metadata."""
        return [each for each in self.ordered_ops() if metadata.items() <= each.metadata.items()]

    # ---- composite ops ----

    def add_schema(self, schema: Any) -> None:
        """Say what it is as a whole, such as a softmax: a :class:`~.composites.Schema`, which has its derivative."""
        self.schemas.insert(0, schema)

    def find_schema(self, kind: type) -> Any:
        """Return its newest schema of a kind; ``None`` if it has none.

        >>> import adviz
        >>> y = adviz.lazy.softmax(adviz.lazy.placeholder((3,)))
        >>> y.find_schema(adviz.lazy.Softmax), y.find_schema(adviz.lazy.Sigmoid)
        (<Softmax of placeholder: 5 ops>, None)
        """
        return next((each for each in self.schemas if isinstance(each, kind)), None)

    # ---- what it is not ----

    def __bool__(self) -> bool:
        raise self._no_value_yet("Python cannot decide by it; np.where(condition, a, b) builds an op that chooses.")

    def __float__(self) -> float:
        raise self._no_value_yet(
            "It cannot become a plain number; NumPy's functions and operators take the op as it is."
        )

    __int__ = __complex__ = __float__

    def __index__(self) -> int:
        raise self._no_value_yet(
            "Lengths, ranges and slices are plain numbers, which are known when the graph is built; x[i] at computed i "
            "builds an op."
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self._no_value_yet(
            "It cannot become a plain array; NumPy's functions and operators take the op as it is. A function that "
            "needs arrays is traced first: ad.lazy.from_graph(ad.trace(f, example))."
        )

    def __format__(self, form: str) -> str:
        if form:
            raise self._no_value_yet(f"It cannot be written in the format {form!r}.")
        return repr(self)

    def __len__(self) -> int:
        if not self.shape:
            raise OpError(f"{self.name} is one number: it has no length, and no entries to go through.", user_origin())
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        itself: Any = self
        return (itself[k] for k in range(len(self)))

    def __round__(self, decimals: int = 0) -> Any:
        itself: Any = self
        return np.round(itself, decimals)

    def __delitem__(self, key: Any) -> None:
        raise OpError(f"{self.name} keeps its shape; nothing of it can be deleted.", user_origin())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NUMBERS):
            raise OpError(
                f"== and != say whether two ops are the same one, and {type(other).__name__} is no op. "
                f"np.equal and np.not_equal build the op that compares values.",
                user_origin(),
            )
        return self is other

    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        hint = f" Its value is ad.lazy.computation({self.name})()." if name in VALUES else ""
        raise AttributeError(f"Op has no attribute {name!r}.{hint}", name=name, obj=self)

    def _no_value_yet(self, advice: str) -> OpError:
        return OpError(
            f"{self.name} has no value until a computation runs. {advice} Its value is "
            f"ad.lazy.computation({self.name})().",
            user_origin() or self.origin,
        )

    def __repr__(self) -> str:
        value = f" {self.axes or self.shape} {np.dtype(self.dtype)}" if self.has_value else ""
        return f"<Op {self.name}: {self.what}{value}>"


def _operators() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Python's operators as functions of NumPy's; ``==`` and ``!=`` tell whether two ops are the same one."""
    for name, ufunc in (*ARITHMETIC.items(), ("matmul", np.matmul), ("divmod", np.divmod)):
        yield f"__{name}__", lambda self, other, ufunc=ufunc: ufunc(self, other)
        yield f"__r{name}__", lambda self, other, ufunc=ufunc: ufunc(other, self)
    for name, ufunc in COMPARISONS.items():
        if name not in ("eq", "ne"):
            yield f"__{name}__", lambda self, other, ufunc=ufunc: ufunc(self, other)
    for name, ufunc in SIGNS.items():
        yield f"__{name}__", lambda self, ufunc=ufunc: ufunc(self)


for _name, _operator in _operators():
    setattr(Op, _name, _operator)


def moment() -> int:
    """Return a number between those of the ops that were built before and after it."""
    return next(_numbers)


def _creation(op: Op) -> int:
    return op.number


def ordered(roots: Iterable[Op], deps: Callable[[Op], Iterable[Op]] = lambda op: op.all_deps) -> list[Op]:
    """Return all ops that the ``roots`` depend on, each once and after what it depends on.

    Of those that could be next, the one that was built first is. Raises :class:`OpError` for a circle, which control
    dependencies can make.
    """
    waits: dict[Op, int] = {}
    users: dict[Op, list[Op]] = {}
    pending = list(roots)
    while pending:
        op = pending.pop()
        if op in waits:
            continue
        before = dict.fromkeys(deps(op))
        waits[op] = len(before)
        for each in before:
            users.setdefault(each, []).append(op)
        pending += before
    ready = [(op.number, op) for op, missing in waits.items() if not missing]
    heapq.heapify(ready)
    result = []
    while ready:
        _, op = heapq.heappop(ready)
        result.append(op)
        for user in users.get(op, ()):
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, (user.number, user))
    if len(result) < len(waits):
        circle = sorted((op for op, missing in waits.items() if missing), key=_creation)
        named = ", ".join(op.name for op in circle[:5])
        raise OpError(f"Each of these ops must run before another of them: {named}. Take one of the orders away.")
    return result
