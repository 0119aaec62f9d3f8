"""Random programs that write into arrays, through views of views, in the ways in which NumPy's users do.

A program is a few lines, each of which NumPy has carried out without an error before it was taken. Every array is a
named one; views, copies and overlapping parts of it are named, too, and written to.

    python -m tests.agreement.writing_programs 20000      checks so many programs, from the first seed on
"""

from __future__ import annotations

import random
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import adviz as ad

from ..catalogue import expressions

NAMES = ("a", "b", "c", "d", "e")
SHAPES = [(4,), (6,), (2, 3), (3, 2), (3, 3), (2, 2, 2), (1, 4), (4, 1)]
EXPRESSIONS = expressions("""
ONE * OTHER | ONE + NUMBER | np.sin(ONE) | PART * 0.7 | ONE - OTHER | ONE.sum() * 0.3 | ONE.max() | np.tanh(ONE * OTHER)
PART | NUMBER | ONE | ONE.mean(axis=0) | np.flip(ONE) | ONE * PART | np.where(ONE > 0.1, ONE, OTHER) | np.exp(-ONE**2)
[NUMBER, PART] | ONE.T | np.cumsum(ONE) * 0.5 | ONE @ OTHER
""")
MADE = expressions("""
np.zeros(SHAPE) | np.ones(SHAPE) | np.full(SHAPE, 0.5) | np.zeros_like(ONE) | np.empty_like(ONE); N.fill(0.2)
ONE.copy() | np.array(ONE) | np.copy(ONE) | ONE * 1.0 | np.arange(4.0) | np.linspace(0, 1, 6) | np.eye(3)
np.zeros(SHAPE, order='F') | np.asfortranarray(ONE) | ONE.astype(float) | ONE.flatten() | np.array([ONE, ONE])
ONE.copy(order='K') | ONE.repeat(2) | np.concatenate([ONE, ONE]) | np.tile(ONE, 2)
""")
VIEWS = expressions("""
PART | ONE.T | ONE.reshape(-1) | ONE.ravel() | np.ravel(ONE) | ONE | ONE.reshape(HALF, 2) | ONE.reshape(2, -1)
np.asarray(ONE) | ONE[::-1] | ONE[1:] | np.squeeze(ONE) | ONE.swapaxes(0, -1) | np.atleast_2d(ONE)
np.expand_dims(ONE, 0) | ONE[..., None] | np.flip(ONE) | np.moveaxis(ONE, 0, -1) | np.split(ONE, 2)[0]
np.array_split(ONE, 2)[1] | ONE.view() | ONE.reshape(-1, order='F') | ONE.real | np.rot90(ONE) | list(ONE)[0]
ONE.transpose()
""")
WRITES = [*["PART = EXPR"] * 6, *["PART OP EXPR"] * 5, *["ONE OP EXPR"] * 4]
WRITES += expressions("""
ONE[:] = EXPR | np.multiply(ONE, OTHER, out=ONE) | np.add(ONE, EXPR, out=OTHER) | np.add.at(ONE, PLACES, EXPR)
np.multiply.at(ONE, PLACES, NUMBER) | np.maximum.at(ONE, PLACES, OTHER[0]) | np.copyto(ONE, EXPR)
np.copyto(ONE, OTHER, where=ONE > 0) | np.put(ONE, [0, 2], OTHER) | np.subtract.at(ONE, PLACES, OTHER[0])
np.fill_diagonal(ONE, EXPR) | np.putmask(ONE, ONE > 0.2, OTHER) | np.place(ONE, ONE < 0, OTHER) | ONE.fill(OTHER.sum())
ONE.sort() | ONE[::-1].sort() | ONE.flat[1] = EXPR | np.sin(OTHER, out=ONE) | ONE.T[...] = OTHER
ONE[0], ONE[1] = ONE[1], ONE[0] | ONE[[0, 1]] = ONE[[1, 0]] | ONE[1:] = ONE[:-1] | ONE[:-1] = ONE[1:]
np.clip(ONE, -0.5, 0.5, out=ONE) | np.sqrt(OTHER, out=ONE, where=OTHER > 0.1) | np.cumsum(ONE, out=ONE)
np.put_along_axis(ONE, np.argsort(ONE, kind="stable"), OTHER, -1) | for k in range(len(ONE)): PART = ONE[k] * 0.5
for row in ONE: row *= NUMBER | for k in range(1, len(ONE)): ONE[k] += 0.5 * ONE[k - 1] | ONE.put([1], OTHER.max())
np.sum(OTHER, axis=0, out=ONE) | np.dot(ONE, OTHER, out=ONE) | ONE.real[...] = OTHER
""")
"""Lines with what is drawn in capitals; N is the name that an array gets."""


class Written(NamedTuple):
    """A program: its text, its function, and the point at which it is differentiated."""

    text: str
    function: Callable[..., Any]
    point: np.ndarray


class Author:
    """Writes a program line by line, and runs every line on NumPy's own arrays."""

    def __init__(self, seed: int, length: int = 10):
        self.rng = random.Random(seed)
        numbers = np.random.default_rng(seed)
        self.point = numbers.uniform(-1, 1, self.rng.choice(SHAPES))
        self.lines: list[str] = []
        self.arrays: dict[str, Any] = {"np": np, "x": self.point.copy()}
        for _ in range(length):
            self.add()

    # ---- parts of lines ----

    def name(self) -> str:
        return self.rng.choice([name for name in self.arrays if name != "np"])

    def number(self) -> str:
        return str(round(self.rng.uniform(-1, 1), 2))

    def index(self, name: str) -> str:
        array, pick = self.arrays[name], self.rng.choice
        if not np.ndim(array):
            return "..."
        size = array.shape[0]
        end = array.shape[-1]
        simple = [
            str(self.rng.randrange(-size, size)),
            "1:",
            ":-1",
            "::2",
            "::-1",
            ":",
            "...",
            f"{self.rng.randrange(size)}:",
        ]
        simple += ["..., 0", "..., ::-1", "None", f"..., {self.rng.randrange(end)}:", "-2:", ":2"]
        fancy = [f"[{', '.join(str(self.rng.randrange(-size, size)) for _ in range(pick((1, 2, 3))))}]"]
        fancy += [
            f"{name} > {self.number()}",
            f"np.array({[self.rng.randrange(size) for _ in range(2)]})",
            f"np.abs({name}) < 0.5",
        ]
        if array.ndim == 2:
            simple += [":, 0", "1, :", ":, ::-1", "0, -1", "::-1, 1:", ":1, :"]
            fancy += ["[0, 1], [1, 0]", ":, [0, -1]", "[1, 0]", "np.ix_([0, 1], [1, 0])", "np.diag_indices(2)"]
        return pick(simple if self.rng.random() < 0.65 else fancy)

    def filled(self, templates: list[str]) -> str:
        """One of the templates, with what stands in capitals drawn."""
        one, other, size = self.name(), self.name(), self.rng.choice
        part = f"{one}[{self.index(one)}]"
        drawn: dict[str, Callable[[], str]] = {
            "ONE": lambda: one,
            "OTHER": lambda: other,
            "PART": lambda: part,
            "HALF": lambda: str(np.size(self.arrays[one]) // 2),
            "NUMBER": self.number,
            "SHAPE": lambda: str(size(SHAPES)),
            "EXPR": lambda: self.filled(EXPRESSIONS),
            "OP": lambda: size(["+=", "-=", "*=", "+=", "*="]),
            "PLACES": lambda: size(["[0, 0, 1]", "[1]", "0", "[0, -1]", "slice(None, 2)"]),
        }
        return re.sub(rf"\b({'|'.join(drawn)})\b", lambda found: drawn[found[0]](), size(templates))

    # ---- lines ----

    def add(self) -> None:
        for _ in range(8):
            chance = self.rng.random()
            name = self.rng.choice(NAMES)
            if chance < 0.2:
                line = f"{name} = {self.filled(MADE)}".replace("N.", f"{name}.")
            elif chance < 0.4:
                line = f"{name} = {self.filled(VIEWS)}"
            elif chance < 0.5:
                line = f"{name} = {self.filled(EXPRESSIONS)}"
            else:
                line = self.filled(WRITES)
            if self.runs([*self.lines, line]):
                self.lines.append(line)
                return

    def runs(self, lines: list[str]) -> bool:
        arrays = {"np": np, "x": self.point.copy()}
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="error"):
                exec("\n".join(lines), arrays)
        except Exception:
            return False
        arrays.pop("__builtins__")
        arrays.pop("k", None), arrays.pop("row", None)
        kept = {name: array for name, array in arrays.items() if name == "np" or isinstance(array, np.ndarray | float)}
        if len(kept) < len(arrays):
            return False
        if any(np.size(a) > 60 or not np.size(a) or np.asarray(a).dtype != float for n, a in kept.items() if n != "np"):
            return False
        if not all(np.isfinite(a).all() and np.abs(a).max() < 50 for n, a in kept.items() if n != "np"):
            return False
        if lines[-1].partition(".")[0] in NAMES and isinstance(arrays.get(lines[-1].partition(".")[0]), float):
            return False  # numbers have methods that do nothing
        if any(not np.ndim(array) and not isinstance(array, float) for n, array in kept.items() if n != "np"):
            return False
        self.arrays = kept
        return True

    def program(self) -> Written:
        results = [f"np.sum({name} * {k + 1})" for k, name in enumerate(self.arrays) if name != "np"]
        text = "\n    ".join(["def f(x):", *self.lines, f"return np.array([{', '.join(results)}])"])
        namespace: dict[str, Any] = {"np": np}
        exec(text, namespace)
        return Written(text, namespace["f"], self.point)


def program(seed: int) -> Written:
    """The program of a seed."""
    return Author(seed).program()


def differences(f: Callable[..., Any], x: np.ndarray, step: float) -> np.ndarray:
    """Differences in one direction: rows of results, columns of entries."""
    columns = []
    for place in np.ndindex(x.shape):
        up = x.copy()
        up[place] += step
        columns.append((f(up) - f(x.copy())) / step)
    return np.stack(columns, axis=-1)


def verdict(seed: int, compiled: bool = True) -> str:
    """``agrees``, or what is wrong; ``kinked`` where differences do not converge; ``refused: …`` with the error."""
    written = program(seed)
    f, x = written.function, written.point
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        point, value = x.copy(), f(x.copy())
        ahead, behind, far = (differences(f, x, step) for step in (1e-6, -1e-6, 3e-5))
        slopes = (ahead + behind) / 2
        is_smooth = np.allclose(ahead, behind, rtol=1e-3, atol=1e-3) and np.allclose(ahead, far, rtol=1e-2, atol=1e-2)
        jacobians = {}
        for grain in ("array", "scalar"):
            try:
                found, pullback = ad.vjp(f, x, grain=grain)
                jacobians[grain] = np.stack([pullback(row)[0].ravel() for row in np.eye(len(value))])
            except ad.AdvizError as error:
                return f"refused in the {grain} grain: {type(error).__name__}: {str(error).splitlines()[0]}"
            if not np.allclose(found, value, rtol=1e-10, atol=1e-12):
                return f"wrong value in the {grain} grain"
            if not np.array_equal(x, point):
                return f"the argument was written to in the {grain} grain"
        if is_smooth:
            for grain, jacobian in jacobians.items():
                if not np.allclose(jacobian, slopes, rtol=1e-4, atol=1e-5):
                    return f"wrong derivative in the {grain} grain"
            if not np.allclose(jacobians["array"], jacobians["scalar"], rtol=1e-8, atol=1e-10):
                return "the grains differ"
        if compiled:
            try:
                values, jacobian = ad.compile_jacobian(f, x)(x[None])
            except ad.BranchError:
                return "agrees"  # what it picks depends on values: a program for all points refuses that
            except ad.AdvizError as error:
                return f"refused where it is compiled: {type(error).__name__}: {str(error).splitlines()[0]}"
            if not np.allclose(values[0], value, rtol=1e-10, atol=1e-12):
                return "wrong value where it is compiled"
            if is_smooth and not np.allclose(jacobian[0].reshape(len(value), -1), slopes, rtol=1e-4, atol=1e-5):
                return "wrong derivative where it is compiled"
    return "agrees" if is_smooth else "kinked"


if __name__ == "__main__":
    counts: dict[str, int] = {}
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + int(sys.argv[1])):
        try:
            found = verdict(seed)
        except Exception as error:
            found = f"unnamed: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        if found not in counts and found not in ("agrees", "kinked"):
            print(f"seed {seed}: {found}", flush=True)
        counts[found] = counts.get(found, 0) + 1
    for found, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(count, found)
