"""On a GPU: Jacobians at a million points, and the gradient of a network, beside NumPy, JAX and PyTorch.

    python bench/gpu.py                 needs CuPy and a GPU; with JAX and PyTorch also the peers

Results are compared before they are timed. Jacobians take the time of the GPU's own clock, medians of 20 calls; their
floor is to copy as many bytes as the arguments and the results have. Gradients take the time until they are there,
medians of calls in turn, with products of matrices in the full precision of their dtype.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from itertools import product, starmap
from statistics import median
from types import SimpleNamespace
from typing import Any

import cupy
import numpy as np
from measure import installed, round_robin, table, wall_time

import adviz
from adviz.engine.calls import leaves

TITLES = "Roe flux", "six-joint arm", "Black-Scholes", "pollution"
POINTS = 1_000_000
CLOSE = {"float64": 1e-9, "float32": 1e-2}
"""The largest error of a partial, relative to its largest value at all points."""


def on_gpu(run: Callable[[], Any]) -> float:
    """Nanoseconds for one point."""
    run()
    times = []
    for _ in range(20):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e6 / POINTS)
    return median(times)


def on_processor(run: Callable[[], Any]) -> float:
    """Nanoseconds for one point."""
    times = []
    for _ in range(3):
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) / POINTS)
    return median(times)


def agree(found: Any, expected: Any, tolerance: float) -> bool:
    """Whether all results are NumPy's."""
    pairs = zip(leaves(found, ""), leaves(expected, ""), strict=True)
    return all(np.abs(one.get() - other).max() <= tolerance * np.abs(other).max() for (_, one), (_, other) in pairs)


def measured(title: str, dtype: str, points: str) -> list[str]:
    """A row of the table."""
    case, random = adviz.examples[title], np.random.default_rng(0)
    spread = [np.multiply.outer(x, 1 + 0.01 * random.random(POINTS)) for x in case.arguments]
    here = [np.ascontiguousarray(np.moveaxis(x, -1, 0) if points == "first" else x, dtype) for x in spread]
    there = list(map(cupy.asarray, here))
    one, other = (
        adviz.compile_jacobian(case.program, *case.arguments, points=points, backend=backend)
        for backend in ("numpy", "cupy")
    )
    found = other(*there)
    is_right = agree(found, one(*here), CLOSE[dtype])
    size = sum(array.size for array in there) + sum(array.size for _, array in leaves(found, ""))
    memory = cupy.zeros(size // 2, dtype)
    figures = on_processor(lambda: one(*here)), on_gpu(lambda: other(*there)), on_gpu(memory.copy)
    return [title, dtype, points, *(f"{each:.3f}" for each in figures), "yes" if is_right else "NO"]


# ---- gradients of a network ----

SIZES = (32, 64, 50), (4_096, 784, 1_024), (16_384, 1_024, 4_096)
"""Rows, inputs, and units of the hidden layer."""
WEIGHTS = 0, 1, 2, 3


def network(xp: Any) -> Callable[..., Any]:
    """The cross-entropy of a network with a hidden layer, in the words of a library."""

    def loss(W1: Any, b1: Any, W2: Any, b2: Any, x: Any, t: Any) -> Any:
        h = xp.tanh(x @ W1 + b1)
        z = h @ W2 + b2
        e = xp.exp(z - xp.max(z, axis=1, keepdims=True))
        p = e / xp.sum(e, axis=1, keepdims=True)
        return -xp.mean(xp.sum(t * xp.log(p), axis=1))

    return loss


def by_adviz(arguments: list[Any]) -> dict[str, Callable[[], Any]]:
    """Gradients on arrays of CuPy: of a compiled program, and of a trace."""
    there = list(map(cupy.asarray, arguments))
    program = adviz.compile_gradient(network(np), *arguments, inputs=WEIGHTS, grain="array", backend="cupy")
    trace = adviz.value_and_grad(network(np), WEIGHTS)

    def awaited(function: Callable[..., Any]) -> Any:
        gradient = function(*there)[1]
        cupy.cuda.Device().synchronize()
        return gradient

    return {"adviz, compiled": lambda: awaited(program), "adviz, traced": lambda: awaited(trace)}


def by_jax(arguments: list[Any]) -> Callable[[], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    there = list(map(jax.device_put, arguments))
    function = jax.jit(jax.value_and_grad(network(jax.numpy), WEIGHTS))
    return lambda: jax.block_until_ready(function(*there))[1]


def by_torch(arguments: list[Any]) -> Callable[[], Any]:
    import torch

    there = [torch.tensor(x, device="cuda", requires_grad=k in WEIGHTS) for k, x in enumerate(arguments)]
    words = SimpleNamespace(tanh=torch.tanh, exp=torch.exp, log=torch.log, mean=torch.mean, sum=torch.sum)
    words.max = torch.amax
    loss = network(words)

    def run() -> Any:
        gradient = torch.autograd.grad(loss(*there), [there[k] for k in WEIGHTS])
        torch.cuda.synchronize()
        return gradient

    return run


def trained(size: tuple[int, int, int], dtype: str) -> list[str]:
    """A row of the table: milliseconds."""
    rows, inputs, hidden = size
    draw = np.random.default_rng(0).normal
    weights = draw(size=(inputs, hidden)) / 30, draw(size=hidden), draw(size=(hidden, 10)) / 30, draw(size=10)
    data = draw(size=(rows, inputs)), np.eye(10)[np.arange(rows) % 10]
    arguments = [array.astype(dtype) for array in (*weights, *data)]
    ways = by_adviz(arguments)
    ways |= {name: make(arguments) for name, make in {"jax": by_jax, "torch": by_torch}.items() if installed([name])}
    gradients = [[_here(each) for each in run()] for run in ways.values()]
    errors = [
        np.abs(one - other).max() / np.abs(other).max()
        for found in gradients[1:]
        for one, other in zip(found, gradients[0], strict=True)
    ]
    times = round_robin(ways, 2.0, 1, wall_time)
    found = {name: f"{median(each) / 1e6:.2f}" for name, each in times.items()}
    title = f"{rows:,} × {inputs:,}, {hidden:,}"
    return [title, dtype, *(found.get(name, "") for name in NAMES), "yes" if max(errors) < CLOSE[dtype] else "NO"]


NAMES = "adviz, compiled", "adviz, traced", "jax", "torch"


def _here(array: Any) -> np.ndarray:
    return np.asarray(array.get() if hasattr(array, "get") else array.cpu() if hasattr(array, "cpu") else array)


def main() -> None:
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}, {date.today()}: ns per point at {POINTS:,} points\n")
    heads = ["program", "dtype", "points", "NumPy", "CuPy", "copy on the GPU", "agrees"]
    for line in table(heads, starmap(measured, product(TITLES, CLOSE, ("last", "first")))):
        print(line, flush=True)
    print("\nValue and gradient of a network: ms\n")
    heads = ["rows × inputs, hidden", "dtype", *NAMES, "agree"]
    for line in table(heads, starmap(trained, product(SIZES, CLOSE))):
        print(line, flush=True)


if __name__ == "__main__":
    main()
