"""Random programs of ops: storage, values, views, assignments, and all that orders them, built statement by statement.

While it builds, a program keeps book, by the rules of the source alone, of what each op must wait for; the tests
compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from adviz import lazy
from adviz.lazy import Op

from .interpreter import in_order

SHAPES = [(), (), (3,), (3,), (1,), (2, 3), (2, 3), (3, 2), (1, 3), (0,), (2, 0)]
DTYPES = [float, float, float, np.float32, int, bool]
UNARY: list[tuple[Callable[..., Any], str]] = [
    (np.sin, "f"),
    (np.tanh, "f"),
    (np.negative, "fi"),
    (np.abs, "fib"),
    (np.logical_not, "b"),
    (lambda x: x * 0.5, "fib"),
    (lambda x: 1 - x, "fi"),
    (lambda x: x > 0.3, "fib"),
    (lambda x: np.tanh(x * x), "f"),
    (lambda x: x.astype(float), "fib"),
    (lambda x: x.astype(np.float32), "fib"),
    (lambda x: np.sum(x), "fib"),
    (lambda x: np.sum(x, axis=-1), "fib"),
    (lambda x: np.sum(x, axis=0, keepdims=True), "fib"),
    (lambda x: np.cumsum(x), "fi"),
    (lambda x: np.stack([x, x]), "fib"),
    (lambda x: np.concatenate([x, x], axis=0), "fib"),
    (lambda x: x[::-1] if x.ndim else x, "fib"),
]
BINARY: list[tuple[Callable[..., Any], str]] = [
    (np.add, "fib"),
    (np.subtract, "fi"),
    (np.maximum, "fib"),
    (np.minimum, "fi"),
    (np.less, "i"),
    (lambda x, y: np.tanh(x * y), "f"),
    (lambda x, y: np.remainder(x * y, 5), "i"),
    (lambda x, y: np.where(x > 0.3, x, y), "fib"),
    (lambda x, y: x / (1 + y * y), "f"),
]
IN_PLACE: list[Callable[[Op, Any], Any]] = [
    lambda x, v: x.__iadd__(v),
    lambda x, v: x.__isub__(v),
    lambda x, v: x.__setitem__(..., v),
    lambda x, v: lazy.assign(x, v),
]


class Program:
    """Ops that were built one after the other, and what is known of their order.

    ``last`` are, for each open ``isolated``, the assignments that come before what is built next, by storage;
    ``waits`` are the control dependencies that each op must have; ``sequences`` are ops that must run in order, by the
    op that says so; ``computations`` are with their results, the order of all ops that they need, and their parameters.
    """

    def __init__(self, draw: Callable[..., Any]):
        self.draw = draw
        self.ops: list[Op] = []
        self.last: list[dict[Op, Op]] = [{}]
        self.is_inferred = [False]
        self.waits: dict[Op, list[Op]] = {}
        self.sequences: dict[Op, list[Op]] = {}
        self.computations: list[tuple[lazy.Computation, list[Op], list[Op], list[Op]]] = []
        self.store = lazy.Store()

    @property
    def valued(self) -> list[Op]:
        """Ops that have a value."""
        return [op for op in self.ops if op.has_value]

    @property
    def storages(self) -> list[Op]:
        """Ops that have storage of their own."""
        return [op for op in dict.fromkeys(self.ops) if op.kind in ("placeholder", "variable", "persistent")]

    def before(self, *ops: Op) -> list[Op]:
        """The assignments that must run before what reads these ops next."""
        known = (self.last[-1].get(op.storage) for op in ops)
        return [op for op in dict.fromkeys(known) if op is not None]

    def note(self, built: list[Op]) -> None:
        """Note what ops that were built just now must wait for."""
        self.waits |= {op: self.before(*op.args) for op in built}

    def choose(self, options: list[Any]) -> Any:
        """One of several, of which the latest are likely."""
        return options[-1 - self.draw(st.integers(0, len(options) - 1))]

    def entries(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Numbers of a shape and dtype."""
        number = np.dtype(dtype).itemsize and st.integers(-8, 8)
        size = int(np.prod(shape))
        found = np.array(self.draw(st.lists(number, min_size=size, max_size=size)), float) / 4 + 0.1
        return (found * 3 if np.dtype(dtype) == int else found - 0.1).reshape(shape).astype(dtype)

    # ---- statements ----

    def tensor(self) -> None:
        """Storage, or a constant."""
        shape, dtype = self.draw(st.sampled_from(SHAPES)), self.draw(st.sampled_from(DTYPES))
        make = self.draw(st.sampled_from([lazy.variable, lazy.persistent, lazy.placeholder, None]))
        value = self.entries(shape, dtype)
        if make is None:
            plain = value.item() if not shape and self.draw(st.booleans()) else value
            self.ops.append(lazy.constant(plain))
        elif make is lazy.placeholder and self.draw(st.booleans()):
            self.ops.append(lazy.placeholder(shape, dtype))
        else:
            self.ops.append(make(shape, dtype=dtype, initial=value))

    def unary(self) -> None:
        """A function of one op."""
        x = self.choose(self.valued)
        function, kinds = self.draw(st.sampled_from(UNARY))
        if np.dtype(x.dtype).kind in kinds and x.size < 50:
            try:
                self.checked(lambda: function(x))
            except lazy.OpError:
                assert not x.ndim  # of numbers, there are no axes to sum

    def binary(self) -> None:
        """A function of two ops, or of one and a number or an array."""
        x = self.choose(self.valued)
        fitting = [y for y in self.valued if _fit(x, y) and np.dtype(y.dtype).kind == np.dtype(x.dtype).kind]
        y = self.draw(st.sampled_from([*fitting, self.entries((), float).item(), self.entries(x.shape, x.dtype)]))
        function, kinds = self.draw(st.sampled_from(BINARY))
        kind = np.result_type(x.dtype, y.dtype if hasattr(y, "dtype") else float).kind
        if np.dtype(x.dtype).kind in kinds and kind in kinds:
            self.checked(lambda: function(x, y))

    def product(self) -> None:
        """A product of matrices."""
        x = self.choose(self.valued)
        if x.ndim == 2 and max(x.shape) < 5:
            self.checked(lambda: np.tanh(x @ x.T) if np.dtype(x.dtype).kind == "f" else x @ x.T)

    def view(self) -> None:
        """A part, or another shape."""
        x = self.choose(self.valued)
        keys: list[Any] = [..., (None, ...)]
        keys += [slice(None, None, -1), slice(1, None), slice(0, 2), (..., slice(None, None, 2))] if x.ndim else []
        keys += [0, -1] if x.ndim and x.shape[0] else []
        keys += [(0, slice(1, 3)), (slice(None), 0), (-1, 1)] if x.ndim == 2 and min(x.shape) > 1 else []
        key = self.draw(st.sampled_from([*keys, "reshape", "transpose", "ravel"]))
        if key == "reshape":
            self.checked(lambda: np.reshape(x, x.shape[::-1]))
        elif key == "ravel":
            self.checked(lambda: np.reshape(x, -1))
        elif key == "transpose":
            self.checked(lambda: x.T)
        else:
            self.checked(lambda: x[key])

    def assign(self) -> None:
        """Something is stored."""
        targets = [op for op in self.valued if op.storage.is_assignable]
        if not targets:
            return
        target = self.choose(targets)
        fitting = [op for op in self.valued if _fits(op.shape, target.shape)]
        value = self.draw(st.sampled_from([*fitting, self.entries((), target.dtype)[()], 2.0]))
        way = self.draw(st.sampled_from(IN_PLACE))
        is_sum = way in IN_PLACE[:2]
        if is_sum and (np.dtype(target.dtype).kind == "b" or not _same_kind(value, target)):
            return
        with Watching() as watching:
            way(target, value)
        self.note(watching.built)
        if not watching.built:
            return  # x[...] = x[...]
        op = watching.built[-1]
        assert op.kind == "assign"
        self.ops.append(op)
        if not self.is_inferred[-1]:
            self.last[-1][target.storage] = op

    def group(self) -> None:
        """A ``doall`` or a ``sequential``, of ops in the order in which they were built."""
        chosen = sorted(self.draw(st.sets(st.sampled_from(self.ops), min_size=1, max_size=3)), key=lambda op: op.number)
        if self.draw(st.booleans()):
            self.ops.append(lazy.doall(chosen))
            return
        op = lazy.sequential(chosen)
        self.ops.append(op)
        self.sequences[op] = [op for op in chosen if not (op.has_value and op.storage.is_assignable)]

    def context(self) -> None:
        """Statements that are isolated, or ordered by the other rule."""
        if self.draw(st.booleans()):
            self.last.append({})
            with lazy.isolated():
                self.statements(1, 3)
            self.last.pop()
        else:
            self.is_inferred.append(True)
            with lazy.ordering("inferred"):
                self.statements(1, 3)
            self.is_inferred.pop()

    def computation(self) -> None:
        """A computation of some of the ops."""
        results = self.draw(st.lists(st.sampled_from(self.ops), min_size=1, max_size=4))
        if len(self.computations) >= 3:
            return
        needed = [op for op in self.storages if op.kind == "placeholder" and op.initial is None]
        more = [op for op in self.storages if op.kind == "placeholder" and op.initial is not None]
        params = needed + (self.draw(st.lists(st.sampled_from(more), unique=True)) if more else [])
        before = self.before(*(op for op in results if op.has_value))
        try:
            made = lazy.computation(results, *params, store=self.store)
        except lazy.OpError as error:
            if "must run before another" not in str(error):  # as two sequences can say
                raise
        else:
            self.computations.append((made, results, in_order([*before, *results]), params))

    def checked(self, build: Callable[[], Op]) -> None:
        """An op of which the control dependencies of all that was built for it are compared, too."""
        with Watching() as watching:
            op = build()
        self.note(watching.built)
        self.ops.append(op)

    def statements(self, least: int, most: int) -> None:
        """Some statements."""
        kinds = [self.tensor, self.unary, self.binary, self.binary, self.view, self.view, self.product]
        kinds += [self.assign, self.assign, self.assign, self.group, self.context, self.computation]
        for _ in range(self.draw(st.integers(least, most))):
            self.draw(st.sampled_from(kinds if self.valued else [self.tensor]))()

    def __repr__(self) -> str:
        def of(op: Op) -> str:
            given = [f"#{each.number}" if isinstance(each, Op) else repr(each) for each in op.operands]
            after = f" after {[each.number for each in op.control_deps]}" if op.control_deps else ""
            what = f" = {op.initial!r}" if op.initial is not None else ""
            return f"#{op.number} {op.what}({', '.join(given)}) {op.shape} {op.dtype}{what}{after}"

        known = sorted({each for op in self.ops for each in [*op.ordered_ops()]}, key=lambda op: op.number)
        made = [
            f"computation({[r.number for r in rs]}, {[p.number for p in ps]})" for _, rs, _, ps in self.computations
        ]
        return "\n".join(["", *map(of, known), *made])


class Watching:
    """The ops that are built meanwhile."""

    def __enter__(self) -> Watching:
        self.built: list[Op] = []
        self.init = init = Op.__init__

        def noting(op: Op, *args: Any, **settings: Any) -> None:
            init(op, *args, **settings)
            self.built.append(op)

        Op.__init__ = noting  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: Any) -> None:
        Op.__init__ = self.init  # type: ignore[method-assign]


def _fits(shape: Any, into: Any) -> bool:
    try:
        return np.broadcast_shapes(shape, into) == into
    except ValueError:
        return False


def _fit(x: Op, y: Op) -> bool:
    return _fits(x.shape, y.shape) or _fits(y.shape, x.shape)


def _same_kind(value: Any, target: Op) -> bool:
    dtype = value.dtype if hasattr(value, "dtype") else np.dtype(type(value))
    return np.can_cast(np.result_type(dtype, target.dtype), target.dtype, "same_kind")


@st.composite
def programs(draw: Callable[..., Any]) -> Program:
    """A program of some twenty statements with at least one computation."""
    program = Program(draw)
    program.tensor()
    program.statements(8, 24)
    program.computation()
    return program
