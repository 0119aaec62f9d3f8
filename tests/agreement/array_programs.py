"""Random programs on arrays: shapes change on the way, axes may be empty or of size 1, and arrays are written into.

Each operation takes any shape; where it does not fit one, it is a plain product. Values stay of moderate size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

SHAPES = [(), (3,), (2, 3), (3, 3), (2, 1), (1, 3), (1,), (1, 1), (2, 2, 3), (0,), (0, 3), (2, 0)]
MOST = 40
"""Entries of a value at most: operations that make more of them do something else on larger arrays."""


def of_axes(least: int, change: Callable[[Any], Any], most: int = 9) -> Callable[[Any], Any]:
    """An operation on arrays with so many axes and at least one entry; another one on others."""

    def apply(x: Any) -> Any:
        is_fit = least <= np.ndim(x) <= most and 0 < np.size(x) <= MOST
        return change(x) if is_fit else 0.7 * x

    return apply


def written(change: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """An operation that writes into a copy of its operand."""

    def apply(x: Any) -> Any:
        if not np.ndim(x) or not np.size(x):
            return np.tanh(x)
        y = np.array(x)
        change(y, x)
        return y

    return apply


def _masked(y: Any, x: Any) -> None:
    y[x > 0.1] = 0.5


def _erased_by_mask(y: Any, x: Any) -> None:
    y[np.logical_and(x < 0, x > -0.5)] = 0.0


def _first_from_last(y: Any, x: Any) -> None:
    y[0] = 2 * x[-1] - y[0]


def _added(y: Any, x: Any) -> None:
    y += x * x
    y *= 0.5


def _through_a_view(y: Any, x: Any) -> None:
    turned = y.T
    turned *= 1.5
    y.reshape(-1)[0] = 0.2


def _out(y: Any, x: Any) -> None:
    np.multiply(x, np.sin(x), out=y)


def _added_at(y: Any, x: Any) -> None:
    np.add.at(y, [0, 0, -1], 0.3 * x[0])


def _loop(y: Any, x: Any) -> None:
    for k in range(1, len(y)):
        y[k] = 0.5 * y[k - 1] + np.tanh(y[k])


def _where_out(y: Any, x: Any) -> None:
    np.copyto(y, -x, where=x > 0.3)


def _recurrent(x: Any) -> Any:
    h = 0.0 * x[0]
    for row in x:
        h = np.tanh(0.5 * h + row)
    return h


def _rolled(x: Any) -> Any:
    h = 0.3 * x
    for _ in range(3):
        h = np.tanh(0.5 * h + x)
    return h * x


def _two_states(x: Any) -> Any:
    h, c, total = np.sin(x), 0.5 * x, 0.0
    for k in range(4):
        c = 0.5 * c + np.tanh(h) * x
        h = np.cos(c) - h
        total = total + np.sum(c) / (k + 2)
    return h + total * c / 9


def _normalized(x: Any) -> Any:
    v = x[0]
    for _ in range(3):
        v = x.T @ (x @ v)
        v = v / (1 + np.sum(v * v))
    return v @ v + v


def _stencil(y: Any, x: Any) -> None:
    for _ in range(3):
        y[1:-1] += 0.1 * (y[2:] - 2 * y[1:-1] + y[:-2])


def _differences(x: Any) -> Any:
    return np.sum((x[1:] - x[:-1]) ** 2) / 3 - np.sum(np.sin(x[:-1]) * x[0]) / 3


def _positive(x: Any) -> Any:
    return x @ np.swapaxes(x, -1, -2) + 2 * np.eye(x.shape[-2])


ONE: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin,
    "exp": lambda x: np.exp(-x * x),
    "tanh": np.tanh,
    "square": lambda x: x**2 / 2,
    "power": lambda x: (1.5 + np.tanh(x)) ** 1.5,
    "root": lambda x: np.sqrt(1 + x * x),
    "quotient": lambda x: x / (1 + x * x),
    "negative": lambda x: -x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "absolute": lambda x: abs(x - 0.2),
    "clipped": lambda x: np.clip(x, -0.5, 0.5),
    "rectified": lambda x: np.maximum(x, 0),
    "smaller": lambda x: np.minimum(0.4, x) * x,
    "chosen": lambda x: np.where(x > 0.2, x, 0.1 * x * x),
    "counted": lambda x: np.sum(x > 0) * x / 10,
    "of both signs": lambda x: np.sign(x) * x + (x > 0) * 1.0,
    "remainder": lambda x: x % 0.7 + x // 2 - np.floor(x),
    "total": np.sum,
    "sum of the first axis": of_axes(1, lambda x: np.sum(x, axis=0)),
    "sum kept": of_axes(1, lambda x: np.sum(x, axis=-1, keepdims=True) / 3),
    "sum of two axes": of_axes(2, lambda x: np.sum(x, axis=(0, -1))),
    "mean": of_axes(0, np.mean),
    "centered": of_axes(1, lambda x: x - np.mean(x, axis=-1, keepdims=True)),
    "standardized": of_axes(1, lambda x: (x - np.mean(x)) / (np.std(x) + 1)),
    "variance": of_axes(1, lambda x: np.var(x, axis=0)),
    "product of an axis": of_axes(1, lambda x: np.prod(np.cos(x), axis=-1)),
    "largest": of_axes(1, lambda x: np.max(x, axis=0, keepdims=True)),
    "smallest": of_axes(1, lambda x: np.min(np.sin(x), axis=-1)),
    "entry of argmax": of_axes(1, lambda x: x[np.argmax(x)], 1),
    "row of argmax": of_axes(2, lambda x: x[np.argmax(x[:, 0])], 2),
    "column of argmax": of_axes(2, lambda x: x[:, np.argmax(x[0])], 2),
    "sorted": of_axes(1, lambda x: np.sort(x, axis=-1)),
    "in order": of_axes(1, lambda x: x[np.argsort(-x)], 1),
    "median": of_axes(1, lambda x: np.median(x, axis=-1)),
    "cumulative sum": of_axes(1, lambda x: np.cumsum(x, axis=0) / 2),
    "cumulative product": of_axes(1, lambda x: np.cumprod(np.cos(x), axis=-1)),
    "differences": of_axes(1, lambda x: np.diff(x, axis=-1)),
    "softmax": of_axes(
        1,
        lambda x: (
            np.exp(x - np.max(x, -1, keepdims=True))
            / np.sum(np.exp(x - np.max(x, -1, keepdims=True)), -1, keepdims=True)
        ),
    ),
    "logsumexp": of_axes(1, lambda x: np.logaddexp.reduce(x, axis=-1)),
    "every other": of_axes(1, lambda x: x[..., ::2]),
    "reversed": of_axes(1, lambda x: x[::-1]),
    "without the first": of_axes(1, lambda x: x[1:]),
    "between": of_axes(1, lambda x: x[..., 1:-1]),
    "one axis more": of_axes(0, lambda x: np.asarray(x)[None], 2),
    "one axis less": of_axes(1, lambda x: x[-1]),
    "picked": of_axes(1, lambda x: x[np.array([0, -1, 0])]),
    "picked in two axes": of_axes(2, lambda x: x[np.array([0, -1, 0]), np.array([0, 0, -1])]),
    "picked by slices and indices": of_axes(2, lambda x: x[:, np.array([0, -1])]),
    "taken": of_axes(1, lambda x: np.take(x, np.array([0, -1]), axis=-1)),
    "entry": of_axes(2, lambda x: x[0, -1]),
    "transposed": lambda x: 0.9 * np.transpose(x),
    "axes swapped": of_axes(2, lambda x: np.swapaxes(x, 0, -1)),
    "flat": of_axes(1, np.ravel),
    "as a column": of_axes(1, lambda x: x.reshape(-1, 1)),
    "repeated": of_axes(1, lambda x: np.repeat(x, 2, axis=0)[: len(x)]),
    "tiled": of_axes(1, lambda x: np.tile(x, 2) / 2, 1),
    "rolled": of_axes(1, lambda x: np.roll(x, 1, axis=-1)),
    "padded": of_axes(1, lambda x: np.pad(x, 1), 2),
    "moving sums": of_axes(1, lambda x: np.lib.stride_tricks.sliding_window_view(x, 1).sum(-1), 1),
    "repeated to a shape": of_axes(1, lambda x: np.broadcast_to(x, (2, *x.shape)), 1),
    "lower triangle": of_axes(2, lambda x: np.tril(x) @ np.triu(x).T / 4, 2),
    "diagonal": of_axes(2, lambda x: np.diagonal(x), 2),
    "on the diagonal": of_axes(1, lambda x: np.diag(x)[: len(x)], 1),
    "outer product": of_axes(1, lambda x: np.outer(x, np.cos(x)) / 2, 1),
    "square of its length": of_axes(1, lambda x: x @ x, 1),
    "products of rows": of_axes(2, lambda x: x @ np.swapaxes(x, -1, -2) / 3),
    "einsum of rows": of_axes(2, lambda x: np.einsum("...ij,...ij->...i", x, np.sin(x))),
    "einsum of squares": of_axes(2, lambda x: np.einsum("ij,kj->ik", x, x) / 3, 2),
    "einsum of one transposed": of_axes(2, lambda x: np.einsum("ij->ji", x), 2),
    "einsum of a diagonal": of_axes(2, lambda x: np.einsum("ii->i", x[:, : len(x)][: x.shape[1]]), 2),
    "norm": lambda x: np.linalg.norm(x + 0.1),
    "norms of rows": of_axes(2, lambda x: np.linalg.norm(x + 0.1, axis=-1), 2),
    "inverse": of_axes(2, lambda x: np.linalg.inv(_positive(x))),
    "Cholesky factor": of_axes(2, lambda x: np.linalg.cholesky(_positive(x))),
    "logarithm of a determinant": of_axes(2, lambda x: np.linalg.slogdet(_positive(x))[1] / 4),
    "solution": of_axes(2, lambda x: np.linalg.solve(_positive(x), x)),
    "singular values": of_axes(2, lambda x: np.linalg.norm(x + np.eye(*x.shape), "nuc"), 2),
    "Fourier transform": of_axes(1, lambda x: np.abs(np.fft.fft(x)) ** 2 / 9, 1),
    "convolution": of_axes(1, lambda x: np.convolve(x, np.array([0.5, 0.2]), "same"), 1),
    "interpolated": of_axes(1, lambda x: np.interp(x, np.array([-1.0, 0.0, 1.0]), np.array([0.0, 0.5, 0.3])), 1),
    "recurrent": of_axes(1, _recurrent),
    "a loop": _rolled,
    "a loop of two states": _two_states,
    "a loop of products": of_axes(2, _normalized, 2),
    "differences of slices": of_axes(1, _differences),
    "entries beside the whole": of_axes(1, lambda x: np.sum(np.ravel(x)[np.array([0, -1])] ** 2) + np.cos(x)),
    "entries of a row": of_axes(2, lambda x: np.sin(x[0])[np.array([-1, 0])] + np.sum(x * x) / 5, 2),
    "indices around a slice": of_axes(3, lambda x: x[np.array([0, -1]), :, np.array([0, 0])]),
    "product of nothing": lambda x: np.prod(np.cos(x)[..., None][..., :0], axis=-1) * x,
    "tensordot": of_axes(2, lambda x: np.tensordot(x, np.cos(x), ([0], [0])) / 3, 2),
    "einsum of three": of_axes(2, lambda x: np.einsum("ij,kj,il->kl", x, np.sin(x), x) / 5, 2),
    "einsum to a number": of_axes(2, lambda x: np.einsum("ij,ij->", x, np.cos(x)) * x, 2),
    "written by a mask": written(_masked),
    "erased by a mask": written(_erased_by_mask),
    "written by number": written(_first_from_last),
    "changed in place": written(_added),
    "through a view": written(_through_a_view),
    "with out": written(_out),
    "added at indices": written(_added_at),
    "in a loop": written(_loop),
    "copied where": written(_where_out),
    "a stencil in a loop": written(_stencil),
}


def of_both(fits: Callable[[Any, Any], Any], combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operation on arrays that fit; another one on others."""

    def apply(x: Any, z: Any) -> Any:
        is_fit = fits(np.shape(x), np.shape(z)) and 0 < np.size(x) <= MOST and 0 < np.size(z) <= MOST
        return combine(x, z) if is_fit else 0.6 * x

    return apply


def _broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        return math.prod(np.broadcast_shapes(one, other)) <= 2 * MOST
    except ValueError:
        return False


def _can_multiply(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        return np.size(np.empty(one) @ np.empty(other)) <= 2 * MOST
    except (ValueError, TypeError):  # of NumPy, and of JAX
        return False


def _same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return one == other


def _written_into(x: Any, z: Any) -> Any:
    y = np.array(x)
    y[...] += z
    y[:1] = 0.3 * x[:1] * x[:1]
    return y


TWO: dict[str, Callable[[Any, Any], Any]] = {
    "sum": of_both(_broadcast, lambda x, z: (x + z) / 2),
    "difference": of_both(_broadcast, lambda x, z: x - 0.5 * z),
    "product": of_both(_broadcast, lambda x, z: np.sin(x) * z),
    "ratio": of_both(_broadcast, lambda x, z: x / (2 + np.sin(z))),
    "both squared": of_both(_broadcast, lambda x, z: (x * x - z) ** 2 / 4),
    "maximum": of_both(_broadcast, np.maximum),
    "minimum": of_both(_broadcast, lambda x, z: np.minimum(x, z) * x),
    "choice": of_both(_broadcast, lambda x, z: np.where(x > z, x, z * x)),
    "mask": of_both(_broadcast, lambda x, z: (x > z) * np.cos(x) + np.logical_or(x > 0, z > 0)),
    "length": of_both(_broadcast, lambda x, z: np.hypot(x, 1 + z * z)),
    "angle": of_both(_broadcast, lambda x, z: np.arctan2(x, 1.5 + np.sin(z))),
    "softer maximum": of_both(_broadcast, np.logaddexp),
    "matrix product": of_both(_can_multiply, lambda x, z: x @ z / 3),
    "product with the transpose": of_both(
        lambda x, z: len(z) == 2 and _can_multiply(x, z[::-1]), lambda x, z: np.tanh(x) @ z.T / 3
    ),
    "outer": of_both(lambda x, z: len(x) == len(z) == 1, lambda x, z: x[:, None] * z),
    "weighted": of_both(_same, lambda x, z: np.sum(x * z) / (1 + np.sum(z * z))),
    "contraction": of_both(
        lambda x, z: len(x) == 2 and z == x[1:], lambda x, z: np.einsum("ij,j->i", x, z) + np.einsum("ij,j", x, z)
    ),
    "concatenated": of_both(lambda x, z: len(x) == len(z) == 1, lambda x, z: np.concatenate([x, 0.5 * z])),
    "differences of all rows": of_both(
        lambda x, z: len(x) == len(z) == 2 and x[1] == z[1], lambda x, z: np.sum((x[:, None] - z) ** 2, -1) / 4
    ),
    "batched product": of_both(
        lambda x, z: len(x) == 3 and z[-2:-1] == x[-1:], lambda x, z: np.einsum("...ij,...jk->...ik", x, np.tanh(z)) / 3
    ),
    "stacked": of_both(_same, lambda x, z: np.stack([x, z * x], axis=-1)),
    "written into": of_both(
        lambda x, z: len(x) > 0 and _broadcast(x, z) and np.broadcast_shapes(x, z) == x, _written_into
    ),
    "solved": of_both(
        lambda x, z: len(x) == 2 and z == x[:1], lambda x, z: np.linalg.solve(x @ x.T + 2 * np.eye(len(x)), z)
    ),
}


class ArrayProgram(NamedTuple):
    """Shapes of the inputs, instructions (operation, operands by number, inputs first), numbers of the outputs."""

    shapes: tuple[tuple[int, ...], ...]
    instructions: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[int, ...]

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """What the outputs are."""
        values = list(inputs)
        for name, operands in self.instructions:
            operation = ONE[name] if name in ONE else TWO[name]
            values.append(operation(*(values[k] for k in operands)))
        return tuple(values[k] for k in self.outputs)

    def loss(self, *inputs: Any) -> Any:
        """All outputs in one number, each entry with a weight of its own."""
        total = 0.0
        for k, output in enumerate(self(*inputs)):
            weights = np.cos(np.arange(float(np.size(output))) + k).reshape(np.shape(output))
            total = total + np.sum(output * weights.astype(getattr(inputs[0], "dtype", float)))
        return total

    def inputs(self, seed: int, dtype: Any = float) -> list[Any]:
        """Random numbers for the inputs, of a dtype."""
        rng = np.random.default_rng(seed)
        return [rng.uniform(-1.2, 1.2, shape).astype(dtype)[()] for shape in self.shapes]


NOT_HOLOMORPHIC = {
    *("absolute", "clipped", "rectified", "smaller", "chosen", "counted", "of both signs", "remainder", "interpolated"),
    *("standardized", "variance", "largest", "smallest", "entry of argmax", "sorted", "in order", "median", "softmax"),
    *("row of argmax", "column of argmax"),
    *("logsumexp", "norm", "norms of rows", "Cholesky factor", "logarithm of a determinant", "singular values"),
    *("Fourier transform", "written by a mask", "erased by a mask", "copied where"),
    *("maximum", "minimum", "choice", "mask", "length", "angle", "softer maximum"),
}
"""Operations that compare, or take lengths: they have no complex derivative."""


@st.composite
def array_programs(
    draw: st.DrawFn, size: int = 6, shapes: Sequence[tuple[int, ...]] = SHAPES, without: Container[str] = ()
) -> ArrayProgram:
    """A strategy for programs of up to ``size`` operations on up to three inputs of some ``shapes``."""
    inputs = tuple(draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=3)))
    count = draw(st.integers(1, size))
    names = st.sampled_from([name for name in (*ONE, *TWO) if name not in without])
    instructions = []
    for k in range(len(inputs), len(inputs) + count):
        name = draw(names)
        operand = st.integers(max(0, k - 4), k - 1)
        instructions.append((name, tuple(draw(operand) for _ in range(1 if name in ONE else 2))))
    last = len(inputs) + count - 1
    outputs = [*draw(st.lists(st.integers(0, last), max_size=2)), last]
    return ArrayProgram(inputs, tuple(instructions), tuple(outputs))
