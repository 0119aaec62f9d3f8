"""Random op programs, drawn by Hypothesis statement by statement: storage, values, views, assignments, derivatives, and
all that orders them; of real numbers in both precisions, whole numbers and booleans, and of no entries at all.

While it builds, a program keeps book, by the rules of the source alone, of what each op must wait for; the tests
compare. Values are finite: what could grow is put into a sine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from adviz import lazy
from adviz.lazy import Op
from adviz.lazy.contexts import captured

from .interpreter import in_order

LARGEST = 50.0
"""No value is larger: what could be is put into a function that keeps it small."""
SHAPES = [(), (), (3,), (3,), (1,), (2, 3), (2, 3), (3, 2), (1, 3), (0,), (2, 0)]
DTYPES = [float, float, float, np.float32, int, bool]
UNARY: list[tuple[Callable[..., Any], str]] = [
    (np.sin, "f"),
    (np.tanh, "f"),
    (lambda x: np.exp(np.sin(x)), "f"),
    (lambda x: 1 / (2 + np.cos(x)), "f"),
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
    (lambda x: np.mean(x, axis=0) if x.size else np.sum(x), "f"),
    (lambda x: np.max(x, axis=-1, keepdims=True) if x.size else np.sum(x), "fi"),
    (lambda x: np.broadcast_to(x, (2, *x.shape)), "fib"),
    (lambda x: np.cumsum(x), "fi"),
    (lambda x: np.stack([x, x]), "fib"),
    (lambda x: np.concatenate([x, x], axis=0), "fib"),
    (lambda x: x[::-1] if x.ndim else x, "fib"),
]
TRIVIAL: list[tuple[Callable[..., Any], str]] = [
    (lambda x: x * 1.0, "fi"),
    (lambda x: x + 0.0, "fi"),
    (lambda x: x * 1, "i"),
    (lambda x: np.negative(-x), "fi"),
    (lambda x: x * -1.0, "f"),
    (lambda x: x * 0.0 + 0.5, "f"),
    (lambda x: (x * 2.0) * 0.5, "f"),
    (lambda x: x - x * 0.0, "f"),
    (lambda x: np.log(np.exp(np.sin(x))), "f"),
    (lambda x: np.log(np.exp(np.sin(x)) / (2.0 + np.cos(x))), "f"),
    (lambda x: np.sum(x * 0.0 + 1.0), "f"),
]
"""What simplification finds something in."""
OVERLAPPING: list[Callable[[Op], Any]] = [lambda y: y[::-1], lambda y: y.T, lambda y: y[..., :1], lambda y: y[0]]
"""Views that a new value is computed with, as the last operation that reads either."""
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


class Made(NamedTuple):
    """A computation, its results, the order of all ops that they need, its parameters, and values for these."""

    computation: lazy.Computation
    results: list[Op]
    order: list[Op]
    params: list[Op]
    values: list[Any]


class OpProgram:
    """Ops that were built one after the other, and what is known of their order.

    ``last`` are, for each open ``isolated``, the assignments that come before what is built next, by storage;
    ``waits`` are the control dependencies that each op must have; ``sequences`` are ops that must run in order, by the
    op that says so; ``largest`` is what no entry exceeds.
    """

    def __init__(self, draw: Callable[..., Any]):
        self.draw = draw
        self.ops: list[Op] = []
        self.last: list[dict[Op, Op]] = [{}]
        self.is_inferred = [False]
        self.waits: dict[Op, list[Op]] = {}
        self.sequences: dict[Op, list[Op]] = {}
        self.computations: list[Made] = []
        self.largest: dict[Op, float] = {}
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

    @property
    def example(self) -> tuple[lazy.Computation, list[Any]]:
        """The computation that was made last, and values of its parameters."""
        return self.computations[-1].computation, self.computations[-1].values

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
        function, kinds = self.draw(st.sampled_from([*UNARY, *TRIVIAL]))
        if np.dtype(x.dtype).kind in kinds and x.size < 50:
            try:
                self.checked(lambda: function(x), x)
            except lazy.OpError:
                assert not x.ndim  # of numbers, there are no axes to sum

    def overlapping(self) -> None:
        """A new value beside a view of itself."""
        x, view, swapped = self.choose(self.valued), self.draw(st.sampled_from(OVERLAPPING)), self.draw(st.booleans())
        if np.dtype(x.dtype).kind != "f" or not x.ndim or not x.size:
            return
        with captured() as built:
            new = np.cos(x)
            part = view(new)
            if _fit(new, part):
                self.ops.append(part - new if swapped else new - part)
                self.largest[self.ops[-1]] = 2.0
        self.note(built)

    def derivative(self) -> None:
        """The derivative of something with respect to storage, or another op."""
        x = self.choose([op for op in self.valued if np.dtype(op.dtype).kind == "f"] or self.valued)
        reached = [op for op in x.ordered_ops() if op.has_value and np.dtype(op.dtype).kind == "f"]
        if np.dtype(x.dtype).kind == "f" and x.size < 50:
            by = self.draw(st.sampled_from(reached))
            with warnings.catch_warnings(action="ignore"):  # where it depends only by way of an assignment, it is zero
                try:
                    self.checked(lambda: np.tanh(lazy.deriv(np.sum(np.sin(x) * x), by)))
                except lazy.OpError:
                    assert not by.is_assignable  # it is made of constants

    def binary(self) -> None:
        """A function of two ops, or of one and a number or an array."""
        x = self.choose(self.valued)
        fitting = [y for y in self.valued if _fit(x, y) and np.dtype(y.dtype).kind == np.dtype(x.dtype).kind]
        y = self.draw(st.sampled_from([*fitting, self.entries((), float).item(), self.entries(x.shape, x.dtype)]))
        function, kinds = self.draw(st.sampled_from(BINARY))
        kind = np.result_type(x.dtype, y.dtype if hasattr(y, "dtype") else float).kind
        if np.dtype(x.dtype).kind in kinds and kind in kinds:
            self.checked(lambda: function(x, y), x, y)

    def product(self) -> None:
        """A product of matrices, or of a matrix and a vector."""
        x = self.choose(self.valued)
        if x.ndim == 2 and max(x.shape) < 5:
            kind = np.dtype(x.dtype).kind
            fitting = [y for y in self.valued if y.shape[:1] == x.shape[1:] and y.ndim < 3 and y.size < 50]
            fitting = [y for y in fitting if np.dtype(y.dtype).kind == kind]
            y = self.draw(st.sampled_from([*fitting, x.T]))
            self.checked(lambda: np.tanh(x @ y) if kind == "f" else np.remainder(x @ y, 5) if kind == "i" else x @ y)

    def view(self) -> None:
        """A part, or another shape."""
        x = self.choose(self.valued)
        keys: list[Any] = [..., (None, ...)]
        keys += [slice(None, None, -1), slice(1, None), slice(0, 2), (..., slice(None, None, 2))] if x.ndim else []
        keys += [0, -1] if x.ndim and x.shape[0] else []
        keys += [(0, slice(1, 3)), (slice(None), 0), (-1, 1)] if x.ndim == 2 and min(x.shape) > 1 else []
        key = self.draw(st.sampled_from([*keys, "reshape", "transpose", "ravel"]))
        if key == "reshape":
            self.checked(lambda: np.reshape(x, x.shape[::-1]), x)
        elif key == "ravel":
            self.checked(lambda: np.reshape(x, -1), x)
        elif key == "transpose":
            self.checked(lambda: x.T, x)
        else:
            self.checked(lambda: x[key], x)

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
        largest = self.most(target) + self.most(value)
        if is_sum and largest > LARGEST:
            return
        with captured() as built:
            way(target, value)
        self.note(built)
        if not built:
            return  # x[...] = x[...]
        op = built[-1]
        assert op.kind == "assign"
        self.ops.append(op)
        self.largest[op] = self.largest[target.storage] = largest
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
        self.largest[op] = self.most(chosen[-1])
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

    def computation(self, latest: int = 0) -> None:
        """A computation of some of the ops, and of so many of the latest ones."""
        results = self.draw(st.lists(st.sampled_from(self.ops), min_size=1, max_size=4))
        results += self.valued[len(self.valued) - latest :]
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
            values = self.values(params)
            self.computations.append(Made(made, results, in_order([*before, *results]), params, values))

    def values(self, params: list[Op]) -> list[Any]:
        """Values for parameters; those without axes are plain numbers."""
        drawn = [self.entries(op.shape, op.dtype) for op in params]
        return [value if value.shape else value.item() for value in drawn]

    def most(self, value: Any) -> float:
        """What no entry of a value exceeds."""
        if not isinstance(value, Op):
            return 8.0
        return self.largest.get(value, self.largest.get(value.storage, 8.0))

    def checked(self, build: Callable[[], Op], *args: Any) -> None:
        """An op of which the control dependencies of all that was built for it are compared, too."""
        with captured() as built:
            op = build()
            most = (sum(map(self.most, args)) + 1.0) * (args[0].size if op.what in ("sum", "cumsum") else 1)
            if most > LARGEST and not op.is_view:
                op, most = {"f": np.sin, "i": lambda x: np.remainder(x, 5), "b": np.logical_not}[op.dtype.kind](op), 8.0
            self.largest[op] = most
        self.note(built)
        self.ops.append(op)

    def statements(self, least: int, most: int) -> None:
        """Some statements."""
        kinds = [self.tensor, self.unary, self.unary, self.binary, self.binary, self.view, self.view, self.product]
        kinds += [self.overlapping, self.derivative, self.assign, self.assign, self.assign, self.group, self.context]
        kinds += [self.computation] * (len(self.computations) < 2)
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
            f"computation({[r.number for r in made.results]}, {[p.number for p in made.params]}), at {made.values}"
            for made in self.computations
        ]
        return "\n".join(["", *map(of, known), *made])


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
def op_programs(draw: Callable[..., Any]) -> OpProgram:
    """A program of some twenty statements; what was built last is among the results of its last computation."""
    program = OpProgram(draw)
    program.tensor()
    program.statements(8, 24)
    program.computation(latest=6)
    assume(program.computations)
    return program
