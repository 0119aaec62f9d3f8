"""Random programs: straight-line code over numbers and arrays, drawn by Hypothesis, run with any NumPy-like module.

A program has fan-out, repeated operands, dead code, constants, several outputs, outputs that feed other operations, and
inputs returned as they are. Every value has one of a family of shapes that broadcast with each other, so that every
operation fits every operand; operations keep numbers of moderate size.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

SHAPES = [(), (3,), (2, 3), (2, 1)]
MIX = np.array([[0.5, -0.2, 0.1], [0.3, 0.4, -0.6], [-0.1, 0.7, 0.2]])


def last_axis(xp: Any, x: Any, change: Any) -> Any:
    """Change an array along its last axis; numbers stay as they are."""
    return change(x) if xp.ndim(x) else x


ONE_OPERAND = {
    "sin": lambda xp, x: xp.sin(x),
    "cos": lambda xp, x: xp.cos(2 * x),
    "tanh": lambda xp, x: xp.tanh(x),
    "exp": lambda xp, x: xp.exp(-x * x),
    "log": lambda xp, x: xp.log(1.5 + xp.sin(x)),
    "log1p": lambda xp, x: xp.log1p(x * x),
    "sqrt": lambda xp, x: xp.sqrt(1 + x**2),
    "arctan": lambda xp, x: xp.arctan(x) / 3,
    "negative": lambda xp, x: -x,
    "reciprocal": lambda xp, x: 1 / (2 + xp.cos(x)),
    "power": lambda xp, x: (1.2 + xp.tanh(x)) ** 1.5,
    "exponent": lambda xp, x: 2 ** xp.tanh(x),
    "abs": lambda xp, x: abs(xp.sin(x) - 0.3),
    "softplus": lambda xp, x: xp.logaddexp(x, 0.0),
    "sum": lambda xp, x: xp.tanh(xp.sum(x)),
    "sum of rows": lambda xp, x: last_axis(xp, x, lambda x: xp.sum(x, axis=-1, keepdims=True) / 3),
    "mean": lambda xp, x: xp.mean(x),
    "mean of columns": lambda xp, x: xp.mean(x, axis=0) if xp.ndim(x) == 2 else x,
    "product": lambda xp, x: xp.prod(xp.cos(x)),
    "max": lambda xp, x: xp.max(xp.sin(x)),
    "min of rows": lambda xp, x: last_axis(xp, x, lambda x: xp.min(x, axis=-1, keepdims=True)),
    "reversed": lambda xp, x: last_axis(xp, x, lambda x: x[..., ::-1]),
    "first": lambda xp, x: last_axis(xp, x, lambda x: x[..., :1]) if xp.ndim(x) == 2 else x,
    "entry": lambda xp, x: last_axis(xp, x, lambda x: x[..., 0]) if xp.ndim(x) == 1 else x,
    "row": lambda xp, x: 0.8 * x[-1] if xp.ndim(x) == 2 else x,
    "entry of a row": lambda xp, x: x[0][-1] if xp.ndim(x) == 2 else x,
    "max of a row": lambda xp, x: xp.max(xp.sin(x)[0], axis=0) if xp.ndim(x) == 2 else x,
    "row by row": lambda xp, x: sum(xp.sum(row, axis=0) for row in x) / 4 if xp.ndim(x) == 2 else x,
    "row of the square": lambda xp, x: xp.outer(x, x)[0] / 3 if xp.ndim(x) == 1 else x,
    "repeated": lambda xp, x: last_axis(xp, x, lambda x: x[..., xp.array([0, 0, -1])]),
    "turned": lambda xp, x: last_axis(xp, x, lambda x: xp.concatenate([x[..., 1:], x[..., :1]], axis=-1)),
    "reshaped": lambda xp, x: xp.reshape(xp.reshape(x, (-1,))[::-1], xp.shape(x)),
    "transposed": lambda xp, x: xp.transpose(xp.transpose(x) * 0.9),
    "mixed": lambda xp, x: x @ xp.asarray(MIX) if xp.shape(x)[-1:] == (3,) else x,
    "weighted": lambda xp, x: x if xp.ndim(x) else xp.sum(xp.asarray(MIX) * x) / 9,
    "softmax": lambda xp, x: xp.exp(x - xp.max(x)) / xp.sum(xp.exp(x - xp.max(x))),
    "by number": lambda xp, x: x if xp.ndim(x) or x > 0.2 else 1 - x,
}
TWO_OPERANDS = {
    "add": lambda xp, x, z: (x + z) / 2,
    "subtract": lambda xp, x, z: x - 0.5 * z,
    "multiply": lambda xp, x, z: xp.sin(x) * z,
    "divide": lambda xp, x, z: x / (2 + xp.sin(z)),
    "square": lambda xp, x, z: xp.tanh(x * x - z),
    "maximum": lambda xp, x, z: xp.maximum(x, z),
    "minimum": lambda xp, x, z: xp.minimum(x, 0.3 * z),
    "hypot": lambda xp, x, z: xp.hypot(x, 1 + z * z) / 2,
    "arctan2": lambda xp, x, z: xp.arctan2(x, 1.5 + xp.sin(z)),
    "where": lambda xp, x, z: xp.where(x > 0.1, x, z),
    "compared": lambda xp, x, z: (x > z) * xp.cos(x),
    "stacked": lambda xp, x, z: (
        xp.sum(xp.stack([x, x * z + 0 * x]) if xp.shape(x) == xp.shape(z) else x * z, axis=None) / 6
    ),
    "inner": lambda xp, x, z: xp.dot(x, z) / 3 if xp.ndim(x) == xp.ndim(z) == 1 and len(x) == len(z) else x * z,
}
OPERATIONS = ONE_OPERAND | TWO_OPERANDS
KINKED = {
    "abs",
    "max",
    "max of a row",
    "min of rows",
    "softmax",
    "by number",
    "maximum",
    "minimum",
    "where",
    "compared",
}
HOLOMORPHIC = OPERATIONS.keys() - KINKED - {"softplus", "hypot", "arctan2"}
"""Operations that NumPy does on complex numbers too, and whose derivative does not depend on the direction there."""


class Program(NamedTuple):
    """Shapes of the inputs, instructions (operation, operands by number, inputs first), numbers of the outputs."""

    shapes: tuple[tuple[int, ...], ...]
    instructions: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[int, ...]

    def __call__(self, xp: Any, *inputs: Any, kept: Callable[[Any], Any] = lambda value: value) -> tuple[Any, ...]:
        """Run with NumPy or another module of the same names; what each instruction gives is ``kept``."""
        values = list(inputs)
        for name, operands in self.instructions:
            values.append(kept(OPERATIONS[name](xp, *(values[k] for k in operands))))
        return tuple(values[k] for k in self.outputs)

    def loss(self, xp: Any, *inputs: Any) -> Any:
        """All outputs in one number, each entry with a weight of its own."""
        total = 0.0
        for k, output in enumerate(self(xp, *inputs)):
            weights = np.cos(np.arange(float(np.size(output))) + k).reshape(np.shape(output))
            total = total + xp.sum(output * weights)
        return total

    def inputs(self) -> list[Any]:
        """Numbers for the inputs, the same for the same program."""
        rng = np.random.default_rng(len(self.instructions))
        drawn = [rng.uniform(-1.5, 1.5, shape) for shape in self.shapes]
        return [float(x) if x.ndim == 0 else x for x in drawn]


@st.composite
def programs(
    draw: st.DrawFn, shapes: list[tuple[int, ...]] = SHAPES, size: int = 12, names: Collection[str] = OPERATIONS
) -> Program:
    """A strategy for programs of up to ``size`` operations, of these names, on up to three inputs."""
    inputs = tuple(draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=3)))
    count = draw(st.integers(0, size))
    instructions = []
    for k in range(len(inputs), len(inputs) + count):
        name = draw(st.sampled_from(sorted(names)))
        operand = st.integers(max(0, k - 6), k - 1)
        operands = (draw(operand),) if name in ONE_OPERAND else (draw(operand), draw(operand))
        instructions.append((name, operands))
    places = st.integers(0, len(inputs) + count - 1)
    outputs = [*draw(st.lists(places, min_size=0, max_size=2)), len(inputs) + count - 1]
    return Program(inputs, tuple(instructions), tuple(outputs))
