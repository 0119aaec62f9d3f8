"""Running programs in tests: random functions, orders and batches; results as matrices, and what they should be."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms import elimination as el
from adviz.algorithms.elimination.orders import NAMES
from adviz.engine.calls import leaves
from adviz.engine.trace import record
from adviz.kernels.expressions.accumulation import Traced, expressions_of

from ..agreement.programs import OPERATIONS, Program, programs
from ..algorithms.elimination.running import any_edge

DECIDED = {"by number"}
"""Operations of random programs whose control flow depends on values."""

SYMBOLIC = sorted(OPERATIONS.keys() - DECIDED)

functions = partial(programs, names=SYMBOLIC)
"""A strategy for random programs that hold at all points."""


@contextmanager
def quiet() -> Iterator[None]:
    """Random functions have results that depend on nothing."""
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        yield


def run(program: Program) -> Callable[..., Any]:
    """A random program as a function of NumPy's arrays."""
    return partial(program, np)


def traced(f: Callable[..., Any], *inputs: Any) -> Traced:
    """The expressions of a function, with comparisons left open."""
    return expressions_of(record(f, inputs, {}, "scalar", symbolic=True).trace().graph)


# ---- orders ----


def _vertices(graph: ad.CGraph, random: Random) -> list[Any]:
    return random.sample(graph.intermediates, len(graph.intermediates))


def _edges(graph: ad.CGraph, random: Random) -> list[Any]:
    return _played(graph.copy(), ad.edge_elimination, partial(any_edge, random))


def _faces(graph: ad.CGraph, random: Random) -> list[Any]:
    left = iter(range(MOST_RANDOM_FACES))
    return _played(ad.line_graph(graph), ad.face_elimination, partial(_any_face, random, left))


MOST_RANDOM_FACES = 150
"""The first face follows when so many are eliminated: chosen at random to the end, there may be millions."""


def _any_face(random: Random, left: Iterator[int], dual: ad.LineGraph) -> Any:
    faces = dual.interior_faces
    return (faces[0] if next(left, None) is None else random.choice(faces)) if faces else None


def _played(graph: Any, eliminate: Callable[..., Any], choose: Callable[[Any], Any]) -> list[Any]:
    moves: list[Any] = []

    def noted(graph: Any) -> Any:
        move = choose(graph)
        moves.extend([] if move is None else [move])
        return move

    list(eliminate(graph, noted))
    return moves


def _optimum(graph: ad.CGraph, random: Random) -> Any:
    return ad.optimal_order(graph, effort=250)


ORDERS: dict[str, Callable[[ad.CGraph, Random], Any]] = {
    "vertices": _vertices,
    "edges": _edges,
    "faces": _faces,
    "name": lambda graph, random: random.choice(sorted(NAMES)),
    "best": lambda graph, random: "best",
    "greedy": lambda graph, random: el.greedy(random.choice([el.markowitz, el.fill_in, el.reverse])),
    "function": lambda graph, random: lambda graph: next(iter(graph.intermediates), None),
    "optimum": _optimum,
}
"""Ways to give an order of the linearized graph of a function."""

any_order = st.tuples(st.sampled_from(sorted(ORDERS)), st.integers(0, 2**16))


def order_of(f: Callable[..., Any], inputs: list[Any], drawn: tuple[str, int]) -> Any:
    """The order that was drawn, for the graph of this function, in which comparisons are left open."""
    kind, seed = drawn
    return ORDERS[kind](traced(f, *inputs).linear.cgraph, Random(seed))


# ---- batches ----


def batch(shapes: Any, count: int, points: str = "first", seed: int = 0) -> list[np.ndarray]:
    """Arrays of so many points, one for each shape."""
    rng = np.random.default_rng(seed)
    drawn = [rng.uniform(-1.5, 1.5, (count, *shape)) for shape in shapes]
    return drawn if points == "first" else [np.ascontiguousarray(np.moveaxis(x, 0, -1)) for x in drawn]


def point(arrays: list[np.ndarray], k: int, points: str = "first") -> list[Any]:
    """The arguments of point ``k`` alone."""
    alone = [array[k] if points == "first" else array[..., k] for array in arrays]
    return [x.item() if x.ndim == 0 else np.array(x) for x in alone]


# ---- results compared ----


def assert_same(found: Any, wanted: Any) -> None:
    """Two structures hold the same numbers bit for bit, in the same shapes and dtypes."""
    for (_, one), (_, other) in zip(leaves(found, ""), leaves(wanted, ""), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def assert_alike(found: Any, wanted: Any, tolerance: float = 1e-10) -> None:
    """Two structures hold the same numbers to a tolerance, in the same shapes, at the same places."""
    for (name, one), (same, other) in zip(leaves(found, "result"), leaves(wanted, "result"), strict=True):
        assert (name, np.shape(one)) == (same, np.shape(other))
        np.testing.assert_allclose(one, other, tolerance, tolerance, err_msg=name)


# ---- results as matrices ----


def matrices(found: Any, shapes: Any, points: str = "first") -> tuple[np.ndarray, np.ndarray]:
    """Values of shape (points, results) and Jacobians of shape (points, results, arguments), for many points."""
    values = [_by_points(leaf, points) for _, leaf in leaves(found.values, "")]
    blocks = (_by_points(leaf, points) for _, leaf in leaves(found.jacobian, ""))
    widths = [int(np.prod(shape)) for shape in shapes]
    rows = [[next(blocks).reshape(*value.shape, width) for width in widths] for value in values]
    return np.concatenate(values, axis=1), np.concatenate([np.concatenate(row, axis=2) for row in rows], axis=1)


def _by_points(leaf: np.ndarray, points: str) -> np.ndarray:
    leaf = leaf if points == "first" else np.moveaxis(leaf, -1, 0)
    return leaf.reshape(len(leaf), int(np.prod(leaf.shape[1:])))


def engine(f: Callable[..., Any], inputs: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Values and Jacobian at one point by the engine, as matrices of one point."""
    with quiet():
        jacobian = ad.jacobian(f, argnums=tuple(range(len(inputs))))(*inputs)
    alone = (f(*inputs), jacobian)
    return matrices(Found(*(one_more(each) for each in alone)), [np.shape(x) for x in inputs])


VECTORS: dict[str, Callable[..., Any]] = {
    "tanh": lambda a, b, W, x: np.tanh(a),
    "sin": lambda a, b, W, x: np.sin(a * b),
    "sum": lambda a, b, W, x: (a + b) / 2,
    "product": lambda a, b, W, x: W @ a,
    "entry": lambda a, b, W, x: np.tanh(a + x),
    "difference": lambda a, b, W, x: np.cos(a - b),
    "rolled": lambda a, b, W, x: np.roll(a, 1) * b,
    "choice": lambda a, b, W, x: np.where(a > b, a, np.sin(b)),
    "total": lambda a, b, W, x: a / 2 + np.mean(b * x),
    "halves": lambda a, b, W, x: np.concatenate([a[1:], b[:1]]),
    "scaled": lambda a, b, W, x: 0.7 * a * np.cos(b) + 0.1 * b,
    "quotient": lambda a, b, W, x: a / (1.3 + b**2) - x,
    "written": lambda a, b, W, x: _with_entry(a, b[0]),
    "square": lambda a, b, W, x: np.outer(a, b) @ x,
}
"""Operations on two vectors of three, with a matrix and a row of data at hand."""

assignments = st.tuples(st.sampled_from(sorted(VECTORS)), *[st.integers(0, 2)] * 3)
"""An operation on two of three vectors, and which of them it replaces."""


def assign(values: list[Any], assignment: tuple[str, int, int, int], W: Any, x: Any) -> Any:
    """Carry out an assignment; the new vector."""
    name, one, other, to = assignment
    values[to] = VECTORS[name](values[one], values[other], W, x)
    return values[to]


def _with_entry(a: Any, value: Any) -> Any:
    out = a.copy()
    out[1] = value
    return out


class Found(NamedTuple):
    """Named as the results of a program are."""

    values: Any
    jacobian: Any


def one_more(structure: Any) -> Any:
    """The leaves of a structure with an axis for one point."""
    return [np.asarray(leaf)[None] for _, leaf in leaves(structure, "")]


def peak_bytes(program: Any, *arguments: Any) -> int:
    """The most bytes of arrays that a second call of a program has at the same time."""
    program(*arguments)
    tracemalloc.start()
    try:
        program(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
