"""Random programs in ordinary Python: state, closures, methods, generators, branches, writes and integers beside.

``python -m tests.fuzz.ordinary 1000 --seed 5`` draws programs and runs each on every road to a derivative, in both
grains, beside plain NumPy and central differences. A program may be refused by name; no number may be wrong.
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

import adviz as ad

GRAINS = ("array", "scalar")
STEP = 1e-6

PRELUDE = '''
import functools, itertools, math
from collections import namedtuple
from dataclasses import dataclass, field
import numpy as np

Pair = namedtuple("Pair", "one other")

@dataclass
class Record:
    weights: np.ndarray
    notes: list = field(default_factory=list)
    count: int = 0

    def mixed(self, v):
        self.count += 1
        return v * self.weights + 0.1

class Layer:
    scale = 0.7

    def __init__(self, rate):
        self.rate, self.last, self.seen = rate, None, []

    def __call__(self, v):
        self.last = np.tanh(v * self.rate)
        self.seen.append(np.shape(v))
        return self.last * self.scale

    @property
    def doubled(self):
        return 2 * self.last

    @staticmethod
    def squash(v):
        return v / (1 + v * v)

    @classmethod
    def scaled(cls, v):
        return cls.scale * v

class Deep(Layer):
    def __call__(self, v):
        hidden = super().__call__(v)
        return hidden + self.squash(v)

class Boxed:
    __slots__ = ("content",)

    def __init__(self, content):
        self.content = content

    def __add__(self, other):
        return Boxed(self.content + getattr(other, "content", other))

    def __mul__(self, other):
        return Boxed(self.content * getattr(other, "content", other))

    def __iter__(self):
        yield self.content
        yield 0.5 * self.content

    def __getitem__(self, place):
        return self.content[place]

    def __len__(self):
        return len(self.content)

def halves(v):
    """A generator of partial sums."""
    total = 0.0
    for e in v:
        total = 0.5 * total + e
        yield total

def nested(v):
    yield from halves(v[::-1])
    yield np.sum(v)

def power(v, n):
    """Recursion."""
    return v if n <= 1 else np.sin(v) * power(v, n - 1)

def early(s, v):
    if s > 0.3:
        return v * s
    for e in v:
        if e > 0.5:
            return v * e
    return v

def remembered(f):
    calls = {}
    @functools.wraps(f)
    def wrapper(v, *args, **kwargs):
        calls["count"] = calls.get("count", 0) + 1
        return f(v, *args, **kwargs)
    return wrapper

@remembered
def shifted(v, by=0.25, *, times=1):
    return v + by * times

def changed(a):
    """Writes into what it is given."""
    a[0] = a[-1] * 0.5
    a[1:] *= 0.9
    return a

level, method = 0.5, math.tanh

def raised(s):
    """Binds a global."""
    global level
    level = level * 0.5 + s
    return level

def read(v):
    """Reads a global that others bind."""
    return v * level

def bent(s):
    return method(s)

def switched(s):
    """Binds a function to a global."""
    global method
    found = bent(s)
    method = math.sin
    return found + bent(s)

class Gauge:
    @property
    def value(self):
        return level

def checked(s):
    if s > 0.4:
        raise ValueError("large")
    return s * s
'''


DEFINED = compile(PRELUDE, "<drawn helpers>", "exec")


@lru_cache(maxsize=8)
def code_of(source: str) -> Any:
    return compile(source, "<drawn program>", "exec")


class Author:
    """Writes a program line by line, and runs what there is on NumPy's own arrays after each."""

    def __init__(self, seed: int, length: int = 9):
        self.rng = random.Random(seed)
        self.point = np.random.default_rng(seed).uniform(-1.1, 1.1, 3).round(3)
        self.count = 0
        self.outside = [
            "w = np.array([0.4, -0.3, 0.8])",
            "idx = np.array([2, 0, 1])",
            "layer, deep, record = Layer(0.8), Deep(-0.6), Record(w.copy())",
            "store, history, total = {}, [], 0.0",
        ]
        self.lines: list[str] = []
        self.kinds = {"v": ["x", "w"], "s": ["0.3"], "m": [], "i": ["idx"]}
        for _ in range(length):
            self.add()

    # ---- parts ----

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def v(self) -> str:
        return self.rng.choice(self.kinds["v"][-4:])

    def s(self) -> str:
        return self.rng.choice(self.kinds["s"][-4:]) if self.rng.random() < 0.6 else f"{self.v()}[{self.k()}]"

    def m(self) -> str:
        return self.rng.choice(self.kinds["m"]) if self.kinds["m"] else f"np.outer({self.v()}, {self.v()})"

    def i(self) -> str:
        return self.rng.choice(self.kinds["i"])

    def k(self) -> str:
        return self.pick("0", "1", "2", "-1")

    def c(self) -> str:
        return str(round(self.rng.uniform(-1, 1), 2))

    def new(self, kind: str) -> str:
        self.count += 1
        name = f"{kind}{self.count}"
        self.fresh.append((kind, name))
        return name

    def condition(self) -> str:
        v, s, c = self.v(), self.s(), self.c()
        return self.pick(
            f"{s} > {c}", f"np.sum({v}) < {c}", f"np.any({v} > {c})", f"({v} > {c}).all()", f"max({v}) > {c}",
            f"{c} < {s} < 0.9", f"{s} > 0 and {v}[0] < {c}", f"not {s} > {c}", f"np.argmax({v}) == 1",
            f"{self.i()}[0] == 2", f"abs({s}) < 0.5", f"(t := {s} * 2) > {c} and t < 5", f"np.ndim({v}) == 1",
            f"isinstance({v}, np.ndarray)", f"len({v}) > {self.k()}", f"{s} == {s}", f"{s} in ({c}, {c})",
            f"bool({s} > {c})", f"np.linalg.norm({v}) > 1", f"sorted({v})[1] > {c}", f"any(e > {c} for e in {v})",
            f"np.isfinite({s})", f"{v}.dtype == float", f"{v}.shape[0] == 3", f"np.allclose({v}, {v})",
        )  # fmt: skip

    def vector(self) -> str:
        v, u, s, m, i, c = self.v(), self.v(), self.s(), self.m(), self.i(), self.c()
        return self.pick(
            f"{v} * {u}", f"{v} - {s} * {u}", f"np.sin({v}) + {c}", f"np.tanh({m} @ {v})", f"{v}[{i}] * {u}",
            f"np.where({v} > {c}, {u}, {v} * {v})", f"np.array([e * e for e in {v}])", f"np.maximum({v}, {c})",
            f"np.array([{s}, {c}, {s}])", f"np.stack([{s}, {v}[1], {u}[0]])", f"{v}.copy()", f"np.cumsum({v}) * 0.5",
            f"np.array(list(halves({v})))", f"np.array([*nested({v})][:3])", f"layer({v})", f"deep({v})",
            f"layer.squash({v})", f"Deep.scaled({v})", f"record.mixed({v})", f"power({v}, 3)", f"early({s}, {v})",
            f"shifted({v}, times=2)", f"shifted({v}, by={s})", f"changed({v}.copy())", f"(Boxed({v}) + {u}).content",
            f"(Boxed({v}) * Boxed({u}) + 1.0).content", f"sum(Boxed({v}))", f"Pair({v}, {u}).other * {s}",
            f"np.sort({v})", f"{v}[np.argsort({u})]", f"{v}[::-1] * {c}", f"{m}[:, 1]", f"{m}.sum(axis=0)",
            f"functools.reduce(lambda a, b: a * 0.5 + b, [{v}, {u}, {v}])", f"({v} > {c}) * {u}",
            f"np.array([f(e) for f, e in zip([np.sin, np.cos, np.exp], {v})])", f"{v} / (1 + {u} * {u})",
            f"np.array([a * b for a, b in zip({v}, {u})])", f"np.asarray([max(e, {c}) for e in {v}])",
            f"np.concatenate([{v}[1:], {u}[:1]])", f"{v} ** 2 / 2", f"np.clip({v}, -0.5, {s} * {s} + 0.1)",
            f"np.array([(lambda e, k=k: e * k)(e) for k, e in enumerate({v})])", f"{v} * {i} / 3",
            f"np.array(sorted({v}))", f"np.array([e if e > {c} else e * e for e in {v}])", f"np.arange(3) * {s}",
            f"np.array(list(map(lambda e: e * {s}, {v})))", f"np.array(tuple(itertools.accumulate({v})))",
            f"{v} @ {m} / 3", f"np.add({v}, {i})", f"np.dot({m}, {v}) / 3", f"np.exp(-{v} ** 2)", f"+{v} * -1",
            f"np.linalg.solve(np.eye(3) * 3 + np.outer({v}, {v}), {u})", f"np.interp({v}, [-1, 0, 1], [0.0, 0.5, 0.3])",
            f"np.full(3, {s}) * {v}", f"{v} if {s} > {c} else {u}", f"np.einsum('ij,j->i', {m}, {v}) / 3",
            f"np.array({{k: e * 2 for k, e in enumerate({v})}}[2 - k] for k in range(3)) if False else {v} * 1",
            f"np.array([[a * b for a in {v}] for b in {u}])[1]", f"np.roll({v}, 1)", f"np.diff({v}, prepend={c})",
            f"[{v}, {u}][np.argmax({v}) % 2]", f"np.mod({v}, 0.7)", f"np.abs({v} - 0.15)", f"np.prod({m}, axis=1)",
            f"{v}.reshape(3, 1)[:, 0]", f"np.zeros(3) + {v}", f"np.ones_like({v}) * {s}", f"np.broadcast_to({s}, 3)",
            f"np.sqrt(1 + {v} ** 2)", f"np.log1p({v} * {v})", f"np.hypot({v}, 1.0)", f"np.divmod({v}, 0.6)[1]",
            f"np.pad({v}, 1)[1:4]", f"np.convolve({v}, [0.5, 0.2])[:3]", f"np.outer({v}, {u})[:, {self.k()}]",
        )  # fmt: skip

    def number(self) -> str:
        v, u, s, m, c = self.v(), self.v(), self.s(), self.m(), self.c()
        return self.pick(
            f"np.sum({v})", f"sum({v})", f"sum(e * e for e in {v})", f"max({v})", f"min({v})", f"{v} @ {u}",
            f"{v}[{self.k()}] * {s}", f"abs({s} - 0.11)", f"math.sin({s})", f"math.sqrt(1 + {s} * {s})", f"{v}.mean()",
            f"np.linalg.norm({v} + 0.01)", f"float({c}) * {s}", f"next(halves({v}))", f"[*halves({v})][-1]",
            f"sum(a * b for a, b in zip({v}, {u}))", f"functools.reduce(lambda a, e: math.tanh(a + e), {v}, 0.0)",
            f"{s} if {self.condition()} else {s} * {s}", f"np.max({v}) - np.min({u})", f"np.trace({m}) / 3",
            f"sum(row[k] for k, row in enumerate({m}))", f"sum(e for e in {v} if e > {c})", f"np.prod(1 + {v} / 3)",
            f"np.var({v})", f"np.median({v})", f"{v}[int(np.argmax({u}))]", f"np.count_nonzero({v} > {c}) * {s}",
            f"({v} > {c}).sum() * {s}", f"np.dot({v}, {u})", f"pow({s}, 2)", f"round({c}, 1) * {s}", f"{s} ** 3 / 3",
            f"math.exp(-{s} ** 2)", f"np.mean({v} ** 2)", f"{s} // 0.3 + {s} % 0.3", f"divmod({s}, 0.4)[1]",
            f"np.linalg.det({m} + 3 * np.eye(3)) / 9", f"max({s}, {c})", f"min({s}, {s} * 2, {c})", f"{s} / 2 - 1",
            f"sum(layer({v}))", f"np.sum(layer.doubled) if layer.last is not None else {s}", f"np.logaddexp({s}, {c})",
            f"sum(map(np.sin, {v}))", f"sum(np.sum(l({v})) for l in (layer, deep))", f"np.std({v})", f"np.ptp({v})",
            f"np.arctan2({s}, 1.5)", f"sum({v}[k] for k in {self.i()} if k != 1)", f"{v}.item(1)", f"{v}.tolist()[2]",
        )  # fmt: skip

    def matrix(self) -> str:
        v, u, m = self.v(), self.v(), self.m()
        return self.pick(
            f"np.outer({v}, {u})", f"{m} @ {m}.T / 3", f"np.array([{v}, {u}, {v}])", f"{m}.T * 0.5", f"np.stack([{v}] * 3)",
            f"np.diag({v})", f"np.array([[a * b for a in {v}] for b in {u}])", f"np.vstack([{v}, {u}, {v}])",
            f"{v}[:, None] * {u}", f"np.eye(3) + {m} / 4", f"np.tile({v}, (3, 1))", f"np.sin({m})", f"{m}[{self.i()}]",
        )  # fmt: skip

    def block(self, depth: int) -> list[str]:
        found = [line for _ in range(self.rng.choice((1, 1, 2))) for line in self.statement(depth + 1)]
        return ["    " + line for line in found]

    def write(self) -> list[str]:
        v = self.rng.choice([name for name in self.kinds["v"] if name != "w"][-4:])  # w is not made in the function
        u, s, i, c = self.v(), self.s(), self.i(), self.c()
        lines = [
            f"{v}[{self.k()}] = {s}", f"{v} += {u}", f"{v}[1:] *= {c}", f"{v}[{v} > {c}] = {c}", f"{v}[{i}] = {u}",
            f"np.add.at({v}, {i}, {u})", f"{v}[:] = {self.vector()}", f"{v}[::2] -= {s}", f"{v}[:-1] = {v}[1:]",
            f"np.multiply({u}, {s}, out={v})", f"np.copyto({v}, {u}, where={v} > {c})", f"{v}[{v} < {c}] += {s}",
            f"{v}[0], {v}[1] = {v}[1], {v}[0]", f"changed({v})", f"{v}[[0, 2]] *= {s}", f"{v}.fill({s})",
            f"np.clip({v}, -1, 1, out={v})", f"{v}[...] = {s}", f"{v}[np.argmax({u})] = {s}", f"{v}.sort()",
        ]  # fmt: skip
        line = self.rng.choice(lines)
        return [line]

    def statement(self, depth: int = 0) -> list[str]:
        """A few lines; names that are new are known when the whole is kept."""
        kind = self.rng.random()
        if kind < 0.3:
            return [f"{self.new('v')} = {self.vector()}"]
        if kind < 0.45:
            return [f"{self.new('s')} = {self.number()}"]
        if kind < 0.5:
            return [f"{self.new('m')} = {self.matrix()}"]
        if kind < 0.65:
            return self.write()
        if kind < 0.69:
            v = self.v()
            made = self.pick(f"np.argsort({v})", f"({self.i()} + 1) % 3", "np.arange(3)[::-1]", f"np.where({v} > 9, 0, 1)",
                             f"np.searchsorted([-0.5, 0.5], {v})", f"({v} > 0).astype(int)", "[2, 2, 0]")  # fmt: skip
            return [f"{self.new('i')} = {made}"]
        return self.composite(depth)

    def composite(self, depth: int) -> list[str]:
        v, u, s, c = self.v(), self.v(), self.s(), self.c()
        if depth > 1:
            return [f"{self.new('v')} = {self.vector()}"]
        forms: list[Callable[[], list[str]]] = [
            lambda: [f"if {self.condition()}:", *self.inner(depth), "else:", *self.inner(depth)],
            lambda: [f"if {self.condition()}:", *self.inner(depth)],
            lambda: [f"{(n := self.new('s'))} = 0.0", f"for k, e in enumerate({v}):", f"    {n} = {n} * 0.5 + e * k", *self.inner(depth)],
            lambda: [f"{(n := self.new('v'))} = {v} * 1.0", "for k in range(3):", f"    {n}[k] = {u}[k] * {s} + {n}[k - 1]"],
            lambda: [f"{(n := self.new('v'))} = {v}", "k = 0", f"while np.sum({n} * {n}) > 0.2 and k < 3:", f"    {n} = {n} * 0.6", "    k += 1"],
            lambda: ["try:", f"    {(n := self.new('s'))} = checked({s})", "except ValueError:", f"    {n} = {s} * 0.5"],
            lambda: [f"history.append({v})", f"{self.new('v')} = history[-1] * {c}"],
            lambda: [f"store['a'] = {v}", f"{self.new('v')} = store['a'] * store.setdefault(np.shape({v}), {c})"],
            lambda: [f"{(n := self.new('s'))} = {s}", "def step(by):", f"    nonlocal {n}", f"    {n} = {n} * 0.5 + by", f"for e in {v}:", "    step(e)"],
            lambda: ["fs = [lambda u, k=k: u * k + 0.1 for k in range(3)]", f"{self.new('v')} = sum(f({v}) for f in fs)"],
            lambda: [f"a, *rest = {v}", f"{self.new('s')} = a * rest[0] + sum(rest)"],
            lambda: [f"(a, b, _), = [{v}]", f"{self.new('s')} = a - b"],
            lambda: [f"it = halves({v})", "next(it)", f"{self.new('s')} = next(it) + sum(it)"],
            lambda: [f"parts = {{k: e * {c} for k, e in zip('abc', {v})}}", f"{self.new('s')} = parts['a'] * sum(parts.values())"],
            lambda: ["rows = []", f"for e in {v}:", f"    rows.append(e * {u})", f"{self.new('v')} = np.array(rows).sum(axis=0)"],
            lambda: [f"record.notes.append({s})", f"record.weights = {v}", f"{self.new('v')} = record.mixed({u}) * record.notes[-1]"],
            lambda: ["with np.errstate(all='ignore'):", f"    {self.new('v')} = {self.vector()}"],
            lambda: ["counts = np.zeros(3, int)", f"for e in {v}:", f"    counts[int(e > {c})] += 1", f"{self.new('v')} = {v} * counts"],
            lambda: [f"view = {(n := self.new('v'))} = {v} * 1.0", f"view[::-1][:2] += {s}", "view = view[1:]", f"view *= {c}"],
            lambda: [f"box = Boxed({v} * 1.0)", "box.content[0] = box[1] * 2", f"{self.new('v')} = box.content", f"{self.new('s')} = len(box) * box[2]"],
            lambda: [f"{(n := self.new('v'))} = np.zeros(3)", f"for k, (a, b) in enumerate(zip({v}, {u})):", f"    {n}[k] = a * b", f"    if a > {c}: continue", f"    {n}[k - 1] += {s}"],
            lambda: ["for k in itertools.count():", f"    {self.new('s')} = {v}[k % 3] * k", f"    if k > 1 or {self.condition()}: break"],
            lambda: [f"{self.new('s')} = (lambda *args, **kw: sum(args) * kw['by'])(*{v}, by={s})"],
            lambda: [f"def inner(a, b={c}):", "    def innermost(): return a * b", f"    return innermost() + {s}", f"{self.new('v')} = inner({v}) + inner({u}, {s})"],
            lambda: [f"layer.rate = {s}", f"{self.new('v')} = layer({v}) + layer.last"],
            lambda: ["match np.ndim(" + v + "):", "    case 1:", f"        {(n := self.new('s'))} = {s} * 2", "    case _:", f"        {n} = {s}"],
            lambda: [f"{(n := self.new('m'))} = np.zeros((3, 3))", "for k in range(3):", f"    {n}[k] = {v} * k", f"    {n}[:, k] += {u}", f"{n}[0, 1] = {s}"],
            lambda: [f"raised({s})", f"{self.new('v')} = read({v}) + level * {u}"],
            lambda: ["def lower(by):", "    global level", "    level = read(by) - 0.1", f"for e in {v}:", "    lower(e)", f"{self.new('s')} = Gauge().value * {s}"],
            lambda: [f"globals()['level'] = {s} * 0.5", f"{self.new('v')} = read({v})", f"{self.new('s')} = switched({s})"],
            lambda: [f"m = {self.m()}", f"{(n := self.new('m'))} = m + 0.0", f"np.fill_diagonal({n}, {s})", f"{n}[{n} > 0.5] *= 0.5", f"for row in {n}:", "    row -= row[0]"],
        ]  # fmt: skip
        return self.rng.choice(forms)()

    def inner(self, depth: int) -> list[str]:
        """A block in which nothing is made that is known after it."""
        kept = len(self.fresh)
        lines = self.block(depth)
        del self.fresh[kept:]
        return lines

    # ---- programs ----

    def add(self) -> None:
        for _ in range(6):
            self.fresh: list[tuple[str, str]] = []
            lines = self.statement()
            kinds = {kind: [*names] for kind, names in self.kinds.items()}
            for kind, name in self.fresh:
                kinds[kind].append(name)
            if self.runs([*self.lines, *lines], kinds):
                self.lines, self.kinds = [*self.lines, *lines], kinds
                return

    def source(self, lines: list[str], kinds: dict[str, list[str]]) -> str:
        terms = [
            f"np.sum({name}) * {1 + 0.1 * k:.1f}" for k, name in enumerate([*kinds["v"], *kinds["s"], *kinds["m"]])
        ]
        body = [*lines, "return " + " + ".join(terms)]
        make = [*self.outside, "def f(x):", *("    " + line for line in body), "return f"]
        return "def make():\n" + "\n".join("    " + line for line in make) + "\n"

    def runs(self, lines: list[str], kinds: dict[str, list[str]]) -> bool:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                probe = f"return {', '.join(name for kind in 'vsm' for name in kinds[kind])},"
                found = iter(compiled(self.source([*lines, probe], kinds))(self.point.copy()))
        except Exception:
            return False
        shapes = {"v": (3,), "s": (), "m": (3, 3)}
        return all(
            np.shape(value) == shapes[kind] and isinstance(value, np.ndarray | float) and np.max(np.abs(value)) < 20
            for kind in "vsm"
            for _, value in zip(kinds[kind], found, strict=False)
        )


def compiled(source: str) -> Callable[..., Any]:
    """The function of a program, with state of its own that is as at the start."""
    namespace: dict[str, Any] = {"__name__": __name__}  # where dataclasses look up names
    exec(DEFINED, namespace)
    exec(code_of(source), namespace)
    found: Callable[..., Any] = namespace["make"]()
    return found


def program(seed: int) -> tuple[str, np.ndarray]:
    """The program of a seed, and the point at which it is differentiated."""
    author = Author(seed)
    return author.source(author.lines, author.kinds), author.point


# ---- roads ----


def roads(source: str, x: np.ndarray, grain: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ways to the gradient, by name; each begins with new state."""

    yield "grad", lambda: ad.grad(compiled(source), grain=grain)(x)
    for mode in ("forward", "reverse"):
        yield f"jacobian, {mode}", lambda mode=mode: ad.jacobian(compiled(source), mode=mode, grain=grain)(x)
    yield "vjp", lambda: of_vjp(compiled(source), x, grain, compiled(source)(x.copy()))
    yield "jvp", lambda: np.array([ad.jvp(compiled(source), (x,), (row,), grain=grain)[1] for row in np.eye(3)])
    yield "compile_gradient", lambda: ad.compile_gradient(compiled(source), x, grain=grain)(x).gradient
    yield "compile_jvp", lambda: of_jvp(ad.compile_jvp(compiled(source), x, grain=grain), x)
    yield "lazy", lambda: of_ops(ad.trace(compiled(source), x, grain=grain), x)
    yield "saved", lambda: of_engine(ad.trace(compiled(source), x, grain=grain))


def of_vjp(f: Callable[..., Any], x: np.ndarray, grain: str, expected: Any) -> np.ndarray:
    """The gradient; infinity where the value is another one."""
    value, pullback = ad.vjp(f, x, grain=grain)
    return pullback(1.0)[0] if np.isclose(value, expected, 1e-9, 1e-9) else np.full(x.shape, np.inf)


def of_jvp(program: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return np.array([program((x,), (row,))[1] for row in np.eye(3)])


def of_ops(graph: ad.Graph, x: np.ndarray) -> np.ndarray:
    results, params = ad.lazy.from_graph(graph)
    if not results:
        return np.zeros(3)
    slopes = [ad.lazy.deriv(results[0], each) for each in params]
    found = ad.lazy.computation(slopes, *params)(*([x] if len(params) == 1 else x))
    return np.reshape(found, 3)


def of_engine(graph: ad.Graph) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        loaded = ad.load(graph.save(folder + "/g.adviz", values=True))
    if not loaded.outputs:
        return np.zeros(3)
    state = ad.replay({}, ad.sweeps.toposort(loaded, {loaded.outputs[0]: 1.0}))
    return np.concatenate(
        [np.ravel(state.get(("adjoint", each), np.zeros(np.shape(loaded.values[each])))) for each in loaded.inputs]
    )


def second(source: str, x: np.ndarray, grain: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ways to the Hessian."""
    yield "hessian", lambda: ad.hessian(compiled(source), grain=grain)(x)
    yield "compile_hessian", lambda: ad.compile_hessian(compiled(source), x, grain=grain)(x).hessian


def differences(f: Callable[[np.ndarray], Any], x: np.ndarray, step: float) -> np.ndarray:
    """Differences in one direction, along each entry."""
    here = f(x.copy())
    return np.stack([(f(x + step * row) - here) / step for row in np.eye(x.size)], axis=-1)


def slopes(f: Callable[[np.ndarray], Any], x: np.ndarray) -> tuple[np.ndarray, bool]:
    """Central differences, and whether they say anything: the function is smooth there."""
    ahead, behind, far = (differences(f, x, step) for step in (STEP, -STEP, 30 * STEP))
    is_smooth = np.allclose(ahead, behind, 1e-3, 1e-3) and np.allclose(ahead, far, 1e-2, 1e-2)
    return (ahead + behind) / 2, is_smooth


def verdicts(seed: int) -> list[str]:
    """What is wrong with a program on each road; empty where all agree."""
    source, x = program(seed)
    found = []
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            expected, is_smooth = slopes(lambda x: compiled(source)(x), x)
        except Exception:
            return ["no differences"]
        if not is_smooth:
            return ["kinked"]
        for grain in GRAINS:
            for name, road in roads(source, x, grain):
                what = judged(road, expected, 1e-4)
                found += [f"{name}, {grain} grain: {what}"] * (what != "")
                if name == "grad" and what.startswith("refused"):
                    break
            try:
                expected_second, is_smooth = slopes(lambda x, grain=grain: ad.grad(compiled(source), grain=grain)(x), x)
            except ad.AdvizError:
                continue
            for name, road in second(source, x, grain) if is_smooth else ():
                what = judged(road, expected_second, 1e-4, at_kinks=True)
                found += [f"{name}, {grain} grain: {what}"] * (what != "")
    return found


def judged(road: Callable[[], Any], expected: np.ndarray, tolerance: float, at_kinks: bool = False) -> str:
    try:
        value = road()
    except ad.AdvizError as error:
        return f"refused: {type(error).__name__}: {str(error).splitlines()[0][:110]}"
    except Exception as error:
        return f"UNNAMED {type(error).__name__}: {(str(error).splitlines() or [''])[0][:110]}"
    if np.shape(value) != expected.shape:
        return f"WRONG shape {np.shape(value)}"
    if at_kinks:  # NaN stands for what is not known there, such as at ties of numbers that are cut off
        value = np.where(np.isnan(value), expected, value)
    if not np.allclose(value, expected, tolerance, tolerance):
        return f"WRONG {np.ravel(value).tolist()} for {np.ravel(expected).tolist()}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        found = verdicts(seed)
        counts["programs"] += 1
        for each in found or ["agrees"]:
            kind = each.partition("WRONG")[0] + "WRONG" if "WRONG" in each else each
            counts[kind] += 1
            if "WRONG" in each or "UNNAMED" in each or (counts[kind] == 1 and each.startswith("grad")):
                print(f"seed {seed}: {each}", flush=True)
    for each, count in counts.most_common():
        print(count, each)


if __name__ == "__main__":
    main()
