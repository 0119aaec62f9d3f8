"""Random op programs, drawn by Hypothesis: fan-out, broadcasting, views, assignments to them, control edges, and
derivatives; in double and single precision, with booleans among the values.

A program is built by ordinary calls of ``adviz.lazy``. Its values are finite: what could grow is put into a sine.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from adviz import lazy
from adviz.lazy import Op

SHAPES = ((3, 4), (4,), (3, 1), (), (4, 3), (2, 3))
MOST_ENTRIES = 48
LARGEST = 20.0
"""Values are between this and its opposite."""


@dataclass
class OpProgram:
    """The ops of a program in the order in which they were built; those that are returned; values of its parameters."""

    params: list[Op]
    variables: list[Op]
    values: list[np.ndarray]
    ops: list[Op] = field(default_factory=list)
    results: list[Op] = field(default_factory=list)

    def computation(self) -> lazy.Computation:
        """The results as a function of the parameters, with storage of its own."""
        return lazy.computation(self.results, *self.params, store=lazy.Store())


Pick = tuple[int, int, int]
"""Numbers that say which ops and settings a step takes, each modulo how many there are."""


class Builder:
    """Builds a program, one step after the other; a step that does not fit the shapes builds nothing."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        shapes = [SHAPES[k] for k in rng.integers(0, len(SHAPES), 2)]
        params = [lazy.placeholder(shape, name=f"x{k}") for k, shape in enumerate(shapes)]
        variables = [
            lazy.variable((3, 4), rng.uniform(-1, 1, (3, 4)), name="w"),
            lazy.variable((4,), rng.uniform(-1, 1, 4), name="b"),
            lazy.variable((3,), rng.uniform(-1, 1, 3), dtype=np.float32, name="s"),
        ]
        self.program = OpProgram(params, variables, [rng.uniform(-1, 1, shape) for shape in shapes])
        self.valued = [*params, *variables]
        self.largest: dict[Op, float] = dict.fromkeys(self.valued, 1.0)

    def op(self, k: int) -> Op:
        """One of the last ops more often than one of the first."""
        near = self.valued[-6:] if k % 3 else self.valued
        return near[k // 3 % len(near)]

    def add(self, op: Op, largest: float) -> None:
        """Note an op whose entries are between two numbers."""
        self.program.ops.append(op)
        self.largest[op] = largest
        if largest > LARGEST:
            self.add(np.sin(op), 1.0)
            return
        self.valued.append(op)

    # ---- steps ----

    def function(self, pick: Pick) -> None:
        x = self.op(pick[0])
        function, largest = FUNCTIONS[pick[1] % len(FUNCTIONS)]
        self.add(function(x), self.largest[x] if largest is None else largest)

    def trivial(self, pick: Pick) -> None:
        """What simplification finds something in."""
        x = self.op(pick[0])
        self.add(TRIVIAL[pick[1] % len(TRIVIAL)](x), max(self.largest[x], 1.0))

    def pair(self, pick: Pick) -> None:
        x, y = self.op(pick[0]), self.op(pick[1])
        try:
            shape = np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return
        if math.prod(shape) > MOST_ENTRIES:
            return
        both = self.largest[x], self.largest[y]
        if pick[2] % 4 == 3:
            self.add(np.where(x > y, x, y), max(both))
        else:
            self.add((np.add, np.subtract, np.multiply)[pick[2] % 4](x, y), max(sum(both), both[0] * both[1]))

    def product(self, pick: Pick) -> None:
        x, y = self.op(pick[0]), self.op(pick[1])
        if x.ndim == 2 and y.ndim in (1, 2) and x.shape[1] == y.shape[0]:
            self.add(x @ y, 4 * self.largest[x] * self.largest[y])

    def reduction(self, pick: Pick) -> None:
        x = self.op(pick[0])
        if x.shape:
            axis = (None, 0, -1)[pick[1] % 3]
            function = (np.sum, np.mean, np.max)[pick[2] % 3]
            self.add(function(x, axis=axis, keepdims=bool(pick[2] % 2)), x.size * self.largest[x])

    def view(self, pick: Pick) -> None:
        """Also a view of a view."""
        x = self.op(pick[0])
        for k in pick[1:]:
            if (found := view_of(x, k)) is not None:
                self.add(found, self.largest[x])
                x = found

    def overlapping(self, pick: Pick) -> None:
        """A new value beside a view of itself, as operands of the last operation that reads either."""
        new = np.cos(self.op(pick[0]))
        found = view_of(new, pick[1])
        if found is not None:
            try:
                self.add(new - found if pick[2] % 2 else found - new, 2.0)
            except lazy.OpError:
                return  # the shapes do not fit

    def repeated(self, pick: Pick) -> None:
        x = self.op(pick[0])
        if x.ndim < 2 and x.size < 8:
            self.add(np.broadcast_to(x, (2, *x.shape)), self.largest[x])

    def cast(self, pick: Pick) -> None:
        x = self.op(pick[0])
        self.add(x.astype((np.float32, float)[pick[1] % 2]), self.largest[x])

    def assignment(self, pick: Pick) -> None:
        """To storage, or to a part of it."""
        target = self.program.variables[pick[0] % 3]
        for k in range(pick[2] % 3):
            found = view_of(target, pick[1] + k)
            target = target if found is None else found
        value = np.sin(self.op(pick[1]))
        while value.shape not in ((), target.shape):
            value = np.sum(value, axis=0) / 4
        self._assign(target, value)

    def _assign(self, target: Op, value: Op) -> None:
        self.program.ops.append(lazy.assign(target, value))

    def isolated(self, pick: Pick) -> None:
        with lazy.isolated():
            self.assignment(pick)

    def in_place(self, pick: Pick) -> None:
        """``w[key] *= -1``, or ``w[0] = number``."""
        w = self.program.variables[pick[0] % 3]
        if pick[1] % 2:
            w[1:] *= -1.0
        else:
            w[0] = 0.25

    def control(self, pick: Pick) -> None:
        """Edges lead from what was built earlier to what was built later, so that there is no circle."""
        ops = sorted({op.number: op for op in (*self.program.ops, *self.valued)}.values(), key=lambda op: op.number)
        chosen = sorted({pick[k] % len(ops) for k in range(2)})
        make: Callable[[Sequence[Op]], Op] = (lazy.sequential, lazy.doall)[pick[2] % 2]
        made = make([ops[k] for k in chosen])
        self.program.ops.append(made)
        last = ops[chosen[-1]]
        if made.has_value and last in self.largest:
            self.add(made, self.largest[last])

    def derivative(self, pick: Pick) -> None:
        x = self.op(pick[0])
        if x.dtype != np.dtype(float):
            return
        with warnings.catch_warnings(action="ignore"):
            for each in np.sum(x * x).variables()[:1]:
                self.add(lazy.deriv(np.sum(x * x), each), 2 * LARGEST)


FUNCTIONS: tuple[tuple[Callable[..., Any], float | None], ...] = (
    *((np.sin, 1.0), (np.cos, 1.0), (np.tanh, 1.0), (np.negative, None), (np.abs, None)),
    *((lambda x: np.exp(np.sin(x)), 3.0), (lambda x: 1 / (2 + np.cos(x)), 1.0)),
)
TRIVIAL: tuple[Callable[..., Any], ...] = (
    *(lambda x: x * 1.0, lambda x: x + 0.0, lambda x: np.negative(-x), lambda x: x * -1.0, lambda x: x * 0.0),
    *(lambda x: np.log(np.exp(x)), lambda x: x * 0.0 + 0.5, lambda x: (x * 2.0) * 0.5, lambda x: x - x * 0.0),
)


def view_of(x: Op, k: int) -> Op | None:
    """A part of an op, its transpose, or its entries in another shape."""
    if not x.shape:
        return None
    rows = x.shape[0]
    found: Op = (
        lambda: x[k % rows],
        lambda: x[rows // 2 :],
        lambda: x[::2],
        lambda: x.T,
        lambda: np.reshape(x, (-1,)),
        lambda: x[..., k % x.shape[-1]],
        lambda: np.reshape(x, (*x.shape[::-1], 1)),
        lambda: x[::-1],
    )[k % 8]()
    return found


STEPS = (
    *(Builder.function, Builder.function, Builder.pair, Builder.pair, Builder.pair, Builder.product),
    *(
        Builder.reduction,
        Builder.view,
        Builder.view,
        Builder.overlapping,
        Builder.repeated,
        Builder.cast,
        Builder.trivial,
    ),
    *(Builder.assignment, Builder.assignment, Builder.isolated, Builder.in_place, Builder.control, Builder.derivative),
)


@st.composite
def op_programs(draw: st.DrawFn, most: int = 25) -> OpProgram:
    """Programs of up to so many steps; what was built last is returned, and a few others."""
    pick = st.tuples(*[st.integers(0, 200)] * 3)
    count = draw(st.integers(1, most))
    steps = draw(st.lists(st.tuples(st.sampled_from(STEPS), pick), min_size=count, max_size=count))
    builder = Builder(draw(st.integers(0, 2**16)))
    for step, numbers in steps:
        step(builder, numbers)
    program = builder.program
    candidates = [*program.params, *program.variables, *program.ops]
    chosen = draw(st.sets(st.integers(0, len(candidates) - 1), max_size=3))
    program.results = [*(candidates[k] for k in sorted(chosen)), *builder.valued[-3:]]
    return program
