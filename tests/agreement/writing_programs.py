"""Random programs that write into arrays, through views of views, in the ways in which NumPy's users do.

A program is a few lines, each of which NumPy has carried out without an error before it was taken. Every array is a
named one; views, copies and overlapping parts of it are named, too, and written to.

    python -m tests.agreement.writing_programs 20000      checks so many programs, from the first seed on
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import adviz as ad

NAMES = ("a", "b", "c", "d", "e")
SHAPES = [(4,), (6,), (2, 3), (3, 2), (3, 3), (2, 2, 2), (1, 4), (4, 1)]


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

    def expression(self) -> str:
        one, other, pick = self.name(), self.name(), self.rng.choice
        part = f"{one}[{self.index(one)}]"
        return pick(
            [
                *(
                    f"{one} * {other}",
                    f"{one} + {self.number()}",
                    f"np.sin({one})",
                    f"{part} * 0.7",
                    f"{one} - {other}",
                ),
                *(f"{one}.sum() * 0.3", f"{one}.max()", f"np.tanh({one} * {other})", part, self.number(), one),
                *(
                    f"{one}.mean(axis=0)",
                    f"np.flip({one})",
                    f"{one} * {part}",
                    f"np.where({one} > 0.1, {one}, {other})",
                ),
                *(
                    f"np.exp(-{one}**2)",
                    f"[{self.number()}, {part}]",
                    f"{one}.T",
                    f"np.cumsum({one}) * 0.5",
                    f"{one} @ {other}",
                ),
            ]
        )

    def made(self) -> str:
        one = self.name()
        shape = self.rng.choice(SHAPES)
        return self.rng.choice(
            [
                *(
                    f"np.zeros({shape})",
                    f"np.ones({shape})",
                    f"np.full({shape}, 0.5)",
                    f"np.zeros_like({one})",
                    f"np.empty_like({one}); N.fill(0.2)",
                ),
                *(
                    f"{one}.copy()",
                    f"np.array({one})",
                    f"np.copy({one})",
                    f"{one} * 1.0",
                    "np.arange(4.0)",
                    "np.linspace(0, 1, 6)",
                    "np.eye(3)",
                ),
                *(
                    f"np.zeros({shape}, order='F')",
                    f"np.asfortranarray({one})",
                    f"{one}.astype(float)",
                    f"{one}.flatten()",
                    f"np.array([{one}, {one}])",
                ),
                *(
                    f"{one}.copy(order='K')",
                    f"{one}.repeat(2)",
                    f"np.concatenate([{one}, {one}])",
                    f"np.tile({one}, 2)",
                ),
            ]
        )

    def view(self) -> str:
        one = self.name()
        size = np.size(self.arrays[one])
        return self.rng.choice(
            [
                *(
                    f"{one}[{self.index(one)}]",
                    f"{one}.T",
                    f"{one}.reshape(-1)",
                    f"{one}.ravel()",
                    f"np.ravel({one})",
                    f"{one}",
                ),
                *(
                    f"{one}.reshape({size // 2}, 2)",
                    f"{one}.reshape(2, -1)",
                    f"np.asarray({one})",
                    f"{one}[::-1]",
                    f"{one}[1:]",
                ),
                *(
                    f"np.squeeze({one})",
                    f"{one}.swapaxes(0, -1)",
                    f"np.atleast_2d({one})",
                    f"np.expand_dims({one}, 0)",
                    f"{one}[..., None]",
                ),
                *(
                    f"np.flip({one})",
                    f"np.moveaxis({one}, 0, -1)",
                    f"np.split({one}, 2)[0]",
                    f"np.array_split({one}, 2)[1]",
                    f"{one}.view()",
                ),
                *(
                    f"{one}.reshape(-1, order='F')",
                    f"{one}.real",
                    f"np.rot90({one})",
                    f"list({one})[0]",
                    f"{one}.transpose()",
                ),
            ]
        )

    def write(self) -> str:
        one, other = self.name(), self.name()
        part, pick = f"{one}[{self.index(one)}]", self.rng.choice
        operator = pick(["+=", "-=", "*=", "+=", "*="])
        places = pick(["[0, 0, 1]", "[1]", "0", "[0, -1]", "slice(None, 2)"])
        return pick(
            [
                *(f"{part} = {self.expression()}",) * 6,
                *(f"{part} {operator} {self.expression()}",) * 5,
                *(f"{one} {operator} {self.expression()}",) * 4,
                *(
                    f"{one}[:] = {self.expression()}",
                    f"np.multiply({one}, {other}, out={one})",
                    f"np.add({one}, {self.expression()}, out={other})",
                ),
                *(
                    f"np.add.at({one}, {places}, {self.expression()})",
                    f"np.multiply.at({one}, {places}, {self.number()})",
                    f"np.maximum.at({one}, {places}, {other}[0])",
                ),
                *(
                    f"np.copyto({one}, {self.expression()})",
                    f"np.copyto({one}, {other}, where={one} > 0)",
                    f"np.put({one}, [0, 2], {other})",
                    f"np.subtract.at({one}, {places}, {other}[0])",
                ),
                *(
                    f"np.fill_diagonal({one}, {self.expression()})",
                    f"np.putmask({one}, {one} > 0.2, {other})",
                    f"np.place({one}, {one} < 0, {other})",
                ),
                *(
                    f"{one}.fill({other}.sum())",
                    f"{one}.sort()",
                    f"{one}[::-1].sort()",
                    f"{one}.flat[1] = {self.expression()}",
                    f"np.sin({other}, out={one})",
                    f"{one}.T[...] = {other}",
                ),
                *(
                    f"{one}[0], {one}[1] = {one}[1], {one}[0]",
                    f"{one}[[0, 1]] = {one}[[1, 0]]",
                    f"{one}[1:] = {one}[:-1]",
                    f"{one}[:-1] = {one}[1:]",
                    f"np.clip({one}, -0.5, 0.5, out={one})",
                ),
                *(
                    f"np.sqrt({other}, out={one}, where={other} > 0.1)",
                    f"np.cumsum({one}, out={one})",
                    f"np.put_along_axis({one}, np.argsort({one}), {other}, -1)",
                ),
                *(
                    f"for k in range(len({one})): {part} = {one}[k] * 0.5",
                    f"for row in {one}: row *= {self.number()}",
                    f"for k in range(1, len({one})): {one}[k] += 0.5 * {one}[k - 1]",
                ),
                *(
                    f"{one}.put([1], {other}.max())",
                    f"np.sum({other}, axis=0, out={one})",
                    f"np.dot({one}, {other}, out={one})",
                    f"{one}.real[...] = {other}",
                ),
            ]
        )

    # ---- lines ----

    def add(self) -> None:
        for _ in range(8):
            chance = self.rng.random()
            name = self.rng.choice(NAMES)
            if chance < 0.2:
                line = f"{name} = {self.made()}".replace("N.", f"{name}.")
            elif chance < 0.4:
                line = f"{name} = {self.view()}"
            elif chance < 0.5:
                line = f"{name} = {self.expression()}"
            else:
                line = self.write()
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
