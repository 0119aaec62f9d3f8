"""Memory plans of op graphs: bytes by each method, beside the most bytes that live at once, and beside those of peers.

    python bench/lazy.py                 the whole measurement, some ten minutes
    python bench/lazy.py --quick         a smoke test of some seconds
    python bench/lazy.py --json out.json the figures as JSON, too

Programs are drawn by lot, each with its gradient, and real: training steps at the sizes of digits, an attention, a
recurrence. Each is an op graph, and the same function in JAX, whose results are compared first, in double precision.
What counts is bytes of values that are computed; parameters are not counted, results are. Bytes do not depend on what
else the machine does. The parts of peers need them (the extra ``bench``).

* XLA says what it has planned: ``temp_size_in_bytes`` and ``output_size_in_bytes``, which are added up.
* PyTorch's compiler (Inductor) plans no arena by default: the program that it writes allocates and frees one array
  after the other, and takes an array of the same size again. It chooses among several orders of its fused kernels by an
  estimate of the most bytes that live at once, and this can be asked: ``estimate_peak_memory`` of
  ``torch._inductor.memory``, at the order that was chosen. What the allocator makes of it cannot.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from measure import Figures, command_line, cpu_time, installed, report, table, verdict

from adviz import lazy
from adviz.lazy.memory.layouts import memory_plan
from adviz.lazy.passes.fusion import fusion
from adviz.lazy.passes.simplification import common_subexpressions, dead_instructions, simplification

Function = Callable[..., Any]
"""A scalar function of arrays; its first argument is the library, NumPy or JAX's."""
Subject = tuple[Function, list[np.ndarray], list[int]]
"""A function, its arguments, and those to differentiate with respect to."""

DRAWN, OPERATIONS = 200, 30
COMPILED = {"XLA": 40, "PyTorch": 10}
"""Of how many programs drawn by lot a peer is asked: it compiles them, which takes up to ten seconds each."""
CLOSE = 1e-8
PASSES = {"simplified": (simplification, common_subexpressions, dead_instructions), "fused": (fusion,)}
"""What is done, in this order, before values are placed in place once more."""
BEST = ("in place", *PASSES)
METHODS = "naive", "coloring", "first fit", "best fit", "largest first"

# ---- programs ----


def layers(xp: Any, x: Any, t: Any, *weights: Any) -> Any:
    """Cross-entropy of a network with tanh between its layers."""
    for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
        x = xp.tanh(x @ w + b)
    z = x @ weights[-2] + weights[-1]
    e = xp.exp(z - xp.max(z, axis=1, keepdims=True))
    return -xp.mean(xp.sum(t * xp.log(e / xp.sum(e, axis=1, keepdims=True)), axis=1))


def network(batch: int, *widths: int) -> Subject:
    """A network of so many units in each layer, with data of a batch."""
    rng = np.random.default_rng(0)
    weights = []
    for rows, columns in pairwise(widths):
        weights += [rng.normal(size=(rows, columns)) / np.sqrt(rows), np.zeros(columns)]
    x, t = rng.normal(size=(batch, widths[0])), np.eye(widths[-1])[rng.integers(0, widths[-1], batch)]
    return layers, [x, t, *weights], list(range(2, 2 + len(weights)))


def attention(xp: Any, x: Any, q: Any, k: Any, v: Any) -> Any:
    """The sum of squares of one head of attention."""
    scores = (x @ q) @ xp.transpose(x @ k) / 8.0
    e = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    return xp.sum((e / xp.sum(e, axis=1, keepdims=True) @ (x @ v)) ** 2)


def recurrence(xp: Any, h: Any, w: Any, u: Any, *steps: Any) -> Any:
    """The sum of squares of the last state of a recurrent network."""
    for x in steps:
        h = xp.tanh(h @ w + x @ u)
    return xp.sum(h**2)


def _drawn_arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=shape) / np.sqrt(shape[-1]) for shape in shapes]


def real() -> dict[str, Subject]:
    """Programs that people write, by their names."""
    return {
        "digits, logistic regression": network(64, 64, 10),
        "digits, two layers": network(64, 64, 50, 10),
        "four layers, 784 to 10": network(128, 784, 256, 128, 64, 10),
        "attention, 128 tokens": (attention, _drawn_arrays((128, 64), *[(64, 64)] * 3), [1, 2, 3]),
        "recurrence, 20 steps": (recurrence, _drawn_arrays((32, 50), (50, 50), (20, 50), *[(32, 20)] * 20), [1, 2]),
    }


def drawn(seed: int, operations: int = OPERATIONS) -> Subject:
    """A program of so many operations drawn by lot, and its arguments; all that is computed is used."""
    draws = np.random.default_rng(seed).integers(0, 1 << 30, (operations, 3)).tolist()

    def function(xp: Any, *args: Any) -> Any:
        known = [*args]
        unused = dict.fromkeys(range(len(known)))
        for kind, one, other in draws:
            candidates = [*unused, *range(len(known))[-8:]]
            a, b = (candidates[k % len(candidates)] for k in (one, other))
            known.append(_operation(xp, kind, known[a], known[b]))
            unused.pop(a, None)
            unused.pop(b, None)
            unused[len(known) - 1] = None
        total = 0.0
        for k in unused:
            total = total + xp.mean(known[k] ** 2)
        return total

    rng = np.random.default_rng(seed)
    return function, [rng.normal(size=shape) for shape in ARGUMENTS], list(range(len(ARGUMENTS)))


ARGUMENTS = (64, 64), (64, 1), (200,), (64, 200), (200, 64)


def _operation(xp: Any, kind: int, a: Any, b: Any) -> Any:
    """One of some operations, which uses both operands; where their shapes do not fit, the mean of the second."""
    if len(a.shape) == len(b.shape) == 2 and a.shape[1] == b.shape[0] and kind % 3 == 0:
        return xp.sin(a @ b / 64.0)
    b = b if _fit(a.shape, b.shape) else xp.mean(b)
    found = (
        lambda: xp.sin(a) * b,
        lambda: xp.tanh(a + b),
        lambda: xp.exp(xp.sin(a)) - b,
        lambda: xp.mean(a, axis=0) + xp.mean(xp.cos(b)) if len(a.shape) == 2 else xp.cos(a) + b,
        lambda: xp.transpose(a) * xp.mean(xp.tanh(b)),
        lambda: xp.where(xp.sin(a) > xp.cos(b), a, b),
    )[kind % 6]()
    return xp.sin(found)


def _fit(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(1 in pair or pair[0] == pair[1] for pair in zip(one[::-1], other[::-1], strict=False))


# ---- what adviz plans ----


def computation_of(subject: Subject, rate: float = 0.1) -> tuple[lazy.Computation, list[Any]]:
    """The value and a step of gradient descent as results of ops, and the arguments of the computation."""
    function, args, trained = subject
    ops = [
        lazy.placeholder(arg.shape, name=f"x{k}") if k not in trained else lazy.variable(arg.shape, arg, name=f"w{k}")
        for k, arg in enumerate(args)
    ]
    value = function(np, *ops)
    stepped = [ops[k] - rate * lazy.deriv(value, ops[k]) for k in trained]
    given = [k for k in range(len(args)) if k not in trained]
    return lazy.computation([value, *stepped], *(ops[k] for k in given)), [args[k] for k in given]


def figures_of(subject: Subject) -> Figures:
    """Bytes by each method, of the program as it was built and after all passes, and the time that planning takes."""
    computation, _ = computation_of(subject)
    instructions = computation.instructions
    spent, plan = cpu_time(memory_plan, instructions)
    found: Figures = {"instructions": len(instructions), "milliseconds": spent / 1e6, "bound": plan.lower_bound}
    found |= {method: plan.peaks[method] for method in METHODS}
    found |= {"in place": plan.in_place.peak, "bound in place": plan.in_place.lower_bound}
    for name, passes in PASSES.items():
        for each in passes:
            deque(each(instructions), maxlen=0)
        found[name] = memory_plan(instructions).in_place.peak
    return found


# ---- what XLA plans ----


def xla(subject: Subject, rate: float = 0.1) -> int:
    """Bytes of temporary arrays and results that XLA plans for the same; results have been compared."""
    import jax

    jax.config.update("jax_enable_x64", True)
    function, args, trained = subject
    differentiated = jax.value_and_grad(lambda *given: function(jax.numpy, *given), trained)

    def step(*given: Any) -> Any:
        value, gradient = differentiated(*given)
        return value, *(given[k] - rate * each for k, each in zip(trained, gradient, strict=True))

    compiled = jax.jit(step).lower(*args).compile()
    computation, given = computation_of(subject)
    check(computation(*given), compiled(*args))
    planned = compiled.memory_analysis()
    return int(planned.temp_size_in_bytes + planned.output_size_in_bytes)


# ---- what PyTorch's compiler expects ----


class Asked(Exception):
    """Raised where the order of kernels is known, before any code is written."""


class TorchNames:
    """Functions of PyTorch by the names that NumPy and JAX have for them."""

    def __getattr__(self, name: str) -> Any:
        import torch

        others = {"max": torch.amax, "transpose": lambda x: x.t()}
        return others.get(name) or getattr(torch, name)


def inductor(subject: Subject, rate: float = 0.1) -> int:
    """The most bytes that live at once, as PyTorch's compiler estimates them; results have been compared."""
    import torch
    from torch._inductor import memory
    from torch.fx.experimental.proxy_tensor import make_fx

    function, args, trained = subject
    differentiated = torch.func.grad_and_value(lambda *given: function(TorchNames(), *given), tuple(trained))

    def step(*given: Any) -> Any:
        gradient, value = differentiated(*given)
        return value, *(given[k] - rate * each for k, each in zip(trained, gradient, strict=True))

    tensors = [torch.from_numpy(each) for each in args]
    traced = make_fx(step)(*tensors)
    computation, given = computation_of(subject)
    check(computation(*given), [each.numpy() for each in traced(*tensors)])
    found: list[int] = []
    reorder = memory.reorder_for_peak_memory

    def asked(nodes: Any, buffers: Any, fused: Any, inputs: Any, outputs: Any) -> Any:
        order = reorder(nodes, buffers, fused, inputs, outputs)
        found.append(memory.estimate_peak_memory(order, {}, outputs)[0])  # {}: inputs stay where they are
        raise Asked

    memory.reorder_for_peak_memory = asked
    try:
        torch._inductor.compile(traced, tensors)(*tensors)
    except Exception:  # it has several names for what a compiler raises
        if not found:
            raise
    finally:
        memory.reorder_for_peak_memory = reorder
    return found[0]


def check(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Refuse to compare plans of programs that compute something else."""
    for one, other in zip(found, wanted, strict=True):
        scale = max(float(np.abs(other).max()), 1.0)
        error = float(np.abs(np.asarray(one) - np.asarray(other)).max()) / scale
        if not error < CLOSE:
            raise SystemExit(f"The relative error of a result is {error:.1e}: these are two programs.")


# ---- results ----

PEERS: dict[str, tuple[str, Callable[[Subject], int]]] = {"XLA": ("jax", xla), "PyTorch": ("torch", inductor)}
"""Peers by name: the package that is needed, and how it is asked."""
SHARES = 0.0, 0.5, 0.9, 1.0


def measured(number: int, compiled: dict[str, int]) -> Figures:
    """All figures; peers that are ``compiled`` are asked of so many programs drawn by lot, and of all real ones."""
    by_lot = []
    for seed in range(number):
        subject = drawn(seed)
        peers = [name for name, most in compiled.items() if seed < most]
        by_lot.append(figures_of(subject) | {name: PEERS[name][1](subject) for name in peers})
    by_name = {
        title: figures_of(subject) | {name: PEERS[name][1](subject) for name in compiled}
        for title, subject in real().items()
    }
    return {"drawn": by_lot, "real": by_name}


def tables(found: Figures) -> Iterator[str]:
    """Distributions over programs drawn by lot, and a line for each real one."""
    yield from table(
        ["drawn by lot: bytes / most that live at once", "least", "median", "9 of 10", "most"],
        ([name, *(f"{each:.2f}" for each in np.quantile(ratios, SHARES))] for name, ratios in distributions(found)),
    )
    yield ""
    methods = [*METHODS, "in place", *PASSES, *PEERS]
    yield from table(
        ["KiB", "instructions", "live at once", *methods],
        (
            [title, f"{each['instructions']}", *(_kib(each.get(name)) for name in ("bound", *methods))]
            for title, each in found["real"].items()
        ),
    )
    yield ""
    slowest = max(each["milliseconds"] / each["instructions"] for each in (*found["drawn"], *found["real"].values()))
    yield f"Planning by all methods takes at most {slowest:.2f} ms per instruction."


def _kib(count: int | None) -> str:
    return "–" if count is None else f"{count / 1024:,.1f}"


def distributions(found: Figures) -> Iterator[tuple[str, list[float]]]:
    """By method the bytes over the lower bound of each program; in place over its own, too."""
    for method in (*METHODS, "in place", *PASSES, *PEERS):
        if ratios := [each[method] / each["bound"] for each in found["drawn"] if method in each]:
            yield method, ratios
    yield (
        "in place / most that live at once in place",
        [each["in place"] / each["bound in place"] for each in found["drawn"]],
    )


def goals(found: Figures) -> Iterable[str]:
    """Planned bytes are close to what no plan without writing in place can do without, and no more than XLA's."""
    ratios = dict(distributions(found))
    yield verdict(
        "largest first / most that live at once, median", float(np.median(ratios["largest first"])), 1.02, ".3f"
    )
    yield verdict("largest first / most that live at once, at most", max(ratios["largest first"]), 1.2, ".3f")
    if "XLA" in ratios:
        own = [min(each[name] for name in BEST) / each["XLA"] for each in found["drawn"] if "XLA" in each]
        name = "the best of in place, simplified, fused / XLA's, drawn by lot, median"
        yield verdict(name, float(np.median(own)), 1.0, ".2f")
        for title, each in found["real"].items():
            best = min(each[name] for name in BEST)
            yield verdict(f"the best of in place, simplified, fused / XLA's, {title}", best / each["XLA"], 1.0, ".2f")


def main() -> None:
    parser = command_line(__doc__, rounds=1, quick="few programs")
    chosen = parser.parse_args()
    packages = installed([package for package, _ in PEERS.values()])
    present = [name for name, (package, _) in PEERS.items() if package in packages]
    number, most = (10, 2) if chosen.quick else (DRAWN, DRAWN)
    found = measured(number, {name: min(COMPILED[name], most) for name in present})
    report(tables(found), goals(found), found, chosen.json)


if __name__ == "__main__":
    main()
