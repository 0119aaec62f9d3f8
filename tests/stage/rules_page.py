"""The page of rules: what adviz says of the rule of every Block, for a reviewer with a textbook.

``python -m tests.stage.rules_page`` writes it; a test makes it anew and compares. Each entry is made by tracing the
Block at numbers and at arrays, so the page shows what a reader of a show is shown.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.signal

import adviz as ad
from adviz.engine.blocks import BLOCK_OF, BLOCKS, OUTPUT, Block, Elementwise
from adviz.engine.functions.matrix_rules import EIG, EIGH, EIGVALS, QR, SIGN_DET, SVD, SVDVALS
from adviz.engine.functions.products import CORRECTION, FFT, FFT_OF_REAL, IFFT
from adviz.engine.rules.elementwise import KINK, OF_ENTRIES
from adviz.engine.rules.gathering import ADD_AT, GATHER, PLACE, PUT, SCATTER, SLOT
from adviz.engine.rules.indexing import PAD
from adviz.engine.rules.kinks import ARGMAX, ARGMIN, ARGPARTITION, ARGSORT, DIGITIZE, LEXSORT, SEARCHSORTED
from adviz.engine.rules.powers import LENGTH, LOGISTIC, ROOT
from adviz.engine.rules.reducing import CUMPROD, CUMSUM, LOG_SUM_EXP
from adviz.engine.rules.reshaping import ARRANGE, CAST, COPY, ROUNDED, WINDOWS
from adviz.engine.rules.selection import ALL, ANY, CHOICE, CONDITIONS, READ, WHERE
from adviz.engine.scipy_functions import linalg, linear_maps
from adviz.engine.scipy_functions.special import LAMBERTW, OF_PARTS, SPECIAL
from adviz.engine.tracing.writes import SET, VIEW
from adviz.graph.graph import Graph
from adviz.stage.narration.local_partials import GENERAL, LocalPartials
from tests.primitives import UFUNCS

PAGE = Path(__file__).parents[2] / "docs" / "RULES.md"
RNG = np.random.default_rng(5)
X, Y = RNG.uniform(0.2, 0.8, (2, 2, 3)).round(2)
A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.3], [0.5, 0.3, 2.0]])
W, B, V, U = Y.T.copy(), X.T.copy(), np.array([0.3, 0.6, 0.2]), np.array([0.5, 0.1, 0.4])
COLUMN = np.array([[0.4], [0.7]])
NUMBERS = (0.37, 0.62, 0.45, 0.58)
INFIX = {"add": " + ", "subtract": " − ", "multiply": "·", "divide": "/", "power": "^", "matmul": " "}


class Entry(NamedTuple):
    """A Block at operands that it is traced at, by their names."""

    block: Block
    text: str
    graph: Graph
    node: int
    names: Callable[[int], str]

    @property
    def places(self) -> range:
        return range(len(self.graph.operand_nodes(self.node)))

    @property
    def local(self) -> LocalPartials:
        return LocalPartials(self.graph, self.names)

    def symbols(self) -> list[str]:
        return [self.local.symbol(self.node, place) for place in self.places]

    def rule(self) -> str:
        return self.local.rule(self.node)

    def mistakes(self) -> list[list[tuple[str, str]]]:
        return [self.local.mistakes(self.node, place) for place in self.places]


def entry(text: str, f: Callable[..., Any], block: Block | None = None, **operands: Any) -> Entry:
    """Trace a function of one Block at operands; the node is that of the Block, or the last one before the output."""
    with warnings.catch_warnings(action="ignore"):
        graph = ad.trace(f, *operands.values())
    found = [node for node in range(len(graph)) if block is not None and graph.blocks[node] is block]
    node = found[-1] if found else graph.operand_nodes(graph.outputs[0])[0]
    if block is OUTPUT:
        node = graph.outputs[0]
    names = dict(zip(graph.inputs, operands, strict=True))
    return Entry(graph.blocks[node], text, graph, node, lambda index: names.get(index, text))


def _called(block: Block, operands: list[str]) -> str:
    if block.name in INFIX and len(operands) == 2:
        return INFIX[block.name].join(operands)
    if block.name == "square":
        return f"{operands[0]}²"
    return f"{block.name}({', '.join(operands)})"


def _of_numbers(block: Elementwise) -> Entry:
    """A Block at numbers; an operand whose partial is not known is a constant."""
    count, formulas = len(block.partials), block.formulas
    above = 3.0 if block.name in ("arccosh", "ellipkm1") else 0.0
    traced = [place for place in range(count) if not formulas or formulas[place]]
    values = [NUMBERS[place] + above if place in traced else float(place + 2) for place in range(count)]
    if block.name == "ndtri_exp":
        values = [-0.5]
    names = dict(zip(traced, "xyzw", strict=False))

    def f(*operands: Any) -> Any:
        given = dict(zip(traced, operands, strict=True))
        return block(*[given.get(place, values[place]) for place in range(count)])

    text = _called(block, [names.get(place, f"{values[place]:g}") for place in range(count)])
    return entry(text, f, block, **{names[place]: values[place] for place in traced})


def _of_arrays(block: Elementwise) -> Entry:
    """A Block of the table at arrays."""
    count = len(block.partials)
    above = 3.0 if block.name == "arccosh" else 0.0
    operands = dict(zip("XYZ", [X + above, Y, X * Y], strict=True))
    chosen = dict(list(operands.items())[:count])
    return entry(_called(block, list(chosen)), lambda *given: block(*given), block, **chosen)


def numbers() -> Iterator[Entry]:
    """Every elementwise Block at numbers."""
    yield entry("x", lambda x: x, OUTPUT, x=0.37)
    for block in [*(BLOCK_OF[ufunc] for ufunc in UFUNCS), COPY, LOGISTIC, *OF_ENTRIES.values()]:
        yield _of_numbers(block)
    yield from map(_of_numbers, (LENGTH, ROOT, *ROUNDED.values(), CORRECTION))
    yield from map(_of_numbers, (*CONDITIONS.values(), READ))
    yield entry("kink(s, x)", lambda s, x: KINK(s, x, np.bool_(True)), KINK, s=0.37, x=0.0)
    yield entry("where(x > 1, x, y)", lambda x, y: WHERE(np.bool_(False), x, y), WHERE, x=0.37, y=0.62)
    yield entry("where(c, x, y)", lambda c, x, y: CHOICE(c, x, y), CHOICE, c=1.0, x=0.37, y=0.62)


def arrays() -> Iterator[Entry]:
    """Every Block of whole arrays, and the ways in which operands are broadcast."""
    add, multiply, matmul = (BLOCK_OF[ufunc] for ufunc in (np.add, np.multiply, np.matmul))
    yield entry("X + b", lambda X, b: X + b, add, X=X, b=V)
    yield entry("X + k", lambda X, k: X + k, add, X=X, k=COLUMN)
    yield entry("X + s", lambda X, s: X + s, add, X=X, s=0.4)
    yield entry("X − b", lambda X, b: X - b, None, X=X, b=V)
    yield entry("X·b", lambda X, b: X * b, multiply, X=X, b=V)
    yield entry("X·s", lambda X, s: X * s, multiply, X=X, s=0.4)
    yield entry("3·X", lambda X: 3.0 * X, multiply, X=X)
    yield entry("X³", lambda X: X**3, None, X=X)
    yield entry("max(X, 0)", lambda X: np.maximum(X, 0.0), None, X=X - 0.5)
    yield entry("|X|", lambda X: np.abs(X), None, X=X - 0.5)
    yield entry("X W", lambda X, W: X @ W, matmul, X=X, W=W)
    yield entry("X v", lambda X, v: X @ v, matmul, X=X, v=V)
    yield entry("v W", lambda v, W: v @ W, matmul, v=V, W=W)
    yield entry("v·u", lambda v, u: v @ u, matmul, v=V, u=U)
    yield entry("einsum(X, W)", lambda X, W: np.einsum("ij,jk->ik", X, W), None, X=X, W=W)
    yield entry("convolve(v, u)", lambda v, u: np.convolve(v, u), None, v=V, u=U)
    yield entry("scipy.signal.convolve(v, u)", lambda v, u: scipy.signal.convolve(v, u), linear_maps.CONVOLVE, v=V, u=U)
    yield entry("where(X > 0.5, X, Y)", lambda X, Y: np.where(X > 0.5, X, Y), WHERE, X=X, Y=Y)
    yield from _reductions()
    yield from _indices()
    yield from _movements()
    yield from _linear_algebra()
    yield from map(_of_arrays, (BLOCK_OF[ufunc] for ufunc in (np.sin, np.tanh, np.exp, np.log, np.divide, np.power)))


def _reductions() -> Iterator[Entry]:
    yield entry("sum(X)", lambda X: np.sum(X), None, X=X)
    yield entry("sum(X, axis=0)", lambda X: np.sum(X, axis=0), None, X=X)
    yield entry("mean(X)", lambda X: np.mean(X), None, X=X)
    yield entry("mean(X, axis=1)", lambda X: np.mean(X, axis=1), None, X=X)
    yield entry("prod(v)", lambda v: np.prod(v), None, v=V)
    yield entry("max(v)", lambda v: np.max(v), None, v=V)
    yield entry("min(v)", lambda v: np.min(v), None, v=V)
    yield entry("logsumexp(v)", lambda v: LOG_SUM_EXP(v, None, False), LOG_SUM_EXP, v=V)
    yield entry("bincount([0, 1, 1], v)", lambda v: np.bincount([0, 1, 1], v), None, v=V)
    yield entry("cumsum(v)", lambda v: CUMSUM(v, 0), None, v=V)
    yield entry("cumprod(v)", lambda v: CUMPROD(v, 0), None, v=V)


def _indices() -> Iterator[Entry]:
    for block in (ALL, ANY, ARGMAX, ARGMIN):
        yield entry(f"{block.name}(v)", lambda v, block=block: block(v, None, False), block, v=V)
    yield entry("argsort(v)", lambda v: ARGSORT(v, -1, None), ARGSORT, v=V)
    yield entry("argpartition(v, 1)", lambda v: ARGPARTITION(v, 1, -1, "introselect"), ARGPARTITION, v=V)
    yield entry("lexsort([v])", lambda v: LEXSORT(-1, v), LEXSORT, v=V)
    yield entry("searchsorted(v, 0.4)", lambda v: SEARCHSORTED(v, 0.4, "left"), SEARCHSORTED, v=V)
    yield entry("digitize(v, [0.2, 0.4])", lambda v: DIGITIZE(v, np.array([0.2, 0.4]), False), DIGITIZE, v=V)


def _movements() -> Iterator[Entry]:
    yield entry("X.astype(float32)", lambda X: CAST(X, "float32"), CAST, X=X)
    yield entry("X.copy('F')", lambda X: ARRANGE(X, "F"), ARRANGE, X=X)
    yield entry("reshape(X, 6)", lambda X: np.reshape(X, 6), None, X=X)
    yield entry("Xᵀ", lambda X: X.T, None, X=X)
    yield entry("flip(v)", lambda v: np.flip(v), None, v=V)
    yield entry("roll(v, 1)", lambda v: np.roll(v, 1), None, v=V)
    yield entry("repeat(v, 2)", lambda v: np.repeat(v, 2), None, v=V)
    yield entry("tile(v, 2)", lambda v: np.tile(v, 2), None, v=V)
    yield entry("broadcast_to(v, (2, 3))", lambda v: np.broadcast_to(v, (2, 3)), None, v=V)
    yield entry("concatenate([v, u])", lambda v, u: np.concatenate([v, u]), None, v=V, u=U)
    yield entry("stack([v, u])", lambda v, u: np.stack([v, u]), None, v=V, u=U)
    yield entry("v[2]", lambda v: v[2], None, v=V)
    yield entry("X[:, 1:]", lambda X: X[:, 1:], None, X=X)
    yield entry("take(v, [2, 0])", lambda v: np.take(v, [2, 0]), None, v=V)
    index = np.array([2, 0, 2])
    yield entry("v[i]", lambda v: GATHER(v, (SLOT,), index), GATHER, v=V)
    yield entry("v added at i", lambda v: SCATTER(v, (4,), (SLOT,), index), SCATTER, v=V)
    yield entry("X with v at [:, i]", lambda X, v: PUT(X, v, (slice(None), SLOT), index), PUT, X=X, v=V)
    yield entry("diagonal(A)", lambda A: np.diagonal(A), None, A=A)
    yield entry("pad(v, 1)", lambda v: PAD(v, 1), PAD, v=V)
    yield entry("diag(v)", lambda v: np.diag(v), None, v=V)
    yield entry("X with v at [1]", lambda X, v: SET(X, v, 1), None, X=X, v=V)
    yield entry(
        "windows of v",
        lambda v: np.lib.stride_tricks.as_strided(v, (2, 2), (8, 8)),
        VIEW,
        v=V,
    )
    yield entry("sliding windows of v", lambda v: WINDOWS(v, 2, None), WINDOWS, v=V)
    yield entry("v placed at [1:4]", lambda v: PLACE(v, slice(1, 4), (5,)), PLACE, v=V)
    yield entry("v added at [0, 2, 2]", lambda v: ADD_AT(v, np.array([0, 2, 2]), (4,)), ADD_AT, v=V)


def _linear_algebra() -> Iterator[Entry]:
    b = np.array([[1.0], [2.0], [0.5]])
    yield entry("x", lambda A, b: np.linalg.solve(A, b), None, A=A, b=b)
    yield entry("inv(A)", lambda A: np.linalg.inv(A), None, A=A)
    yield entry("det(A)", lambda A: np.linalg.det(A), None, A=A)
    yield entry("log |det A|", lambda A: np.linalg.slogdet(A)[1], None, A=A)
    yield entry("sign det A", lambda A: SIGN_DET(A), SIGN_DET, A=A)
    yield entry("pinv(X)", lambda X: np.linalg.pinv(X), None, X=X)
    yield entry("cholesky(A)", lambda A: np.linalg.cholesky(A), None, A=A)
    yield entry("eigvalsh(A)", lambda A: np.linalg.eigvalsh(A), None, A=A)
    yield entry("eigvals(A)", lambda A: EIGVALS(A), EIGVALS, A=A)
    yield entry("eigh(A)", lambda A: EIGH(A, "L"), EIGH, A=A)
    yield entry("eig(A)", lambda A: EIG(A), EIG, A=A)
    yield entry("svdvals(X)", lambda X: SVDVALS(X), SVDVALS, X=X)
    yield entry("svd(X)", lambda X: SVD(X), SVD, X=X)
    yield entry("qr(A)", lambda A: QR(A), QR, A=A)
    yield entry("fft(v)", lambda v: FFT_OF_REAL(v, (-1,), "backward"), FFT_OF_REAL, v=V)
    yield entry("fft(Z)", lambda Z: FFT(Z, (-1,), "backward"), FFT, Z=X)
    yield entry("ifft(Z)", lambda Z: IFFT(Z, (-1,), "backward"), IFFT, Z=X)
    yield entry("lu(A)", lambda A: scipy.linalg.lu_factor(A)[0], linalg.LU, A=A)
    for name in ("expm", "logm", "sqrtm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
        yield entry(f"{name}(A)", getattr(scipy.linalg, name), None, A=A / 10)
    yield entry("X", lambda A, B, C: scipy.linalg.solve_sylvester(A, B, C), linalg.SYLVESTER, A=A, B=A, C=A + 1)
    yield entry(
        "lfilter(b, a, v)", lambda b, a, v: linear_maps.LFILTER(b, a, v), linear_maps.LFILTER, b=U, a=V + 1, v=V
    )


def special() -> Iterator[Entry]:
    """Every special function of SciPy at numbers."""
    for block in [*dict.fromkeys(SPECIAL.values()), LAMBERTW, *OF_PARTS]:
        if block is not BLOCK_OF[np.cbrt]:
            yield _of_numbers(block)


SECTIONS = {
    "Numbers": numbers,
    "Arrays": arrays,
    "Special functions of SciPy": special,
}


@cache
def entries() -> dict[str, list[Entry]]:
    """All entries of the page by section."""
    return {title: list(make()) for title, make in SECTIONS.items()}


def page() -> str:
    """The page."""
    lines = [
        "# The rules of all Blocks, as they are told",
        "",
        "For every Block, at an example: the local partial on each edge (for arrays how the adjoint is passed on), the",
        "sentence of its rule, and wrong factors with their diagnoses. Written by `python -m tests.stage.rules_page`.",
        "",
        "Of every elementwise rule these are diagnosed besides: "
        + " ".join(f"`{wrong}`: *{why}*" for wrong, why in GENERAL).replace("{y}", "y")
        + " And a wrong sign.",
    ]
    for title, found in entries().items():
        lines += ["", f"## {title}"]
        for each in found:
            lines += ["", *_written(each)]
    return "\n".join(lines) + "\n"


def _written(each: Entry) -> Iterator[str]:
    operands = [each.names(node) for node in each.graph.operand_nodes(each.node)]
    gates = " ".join(f"→ {operand}: `{text}`" for operand, text in zip(operands, each.symbols(), strict=True))
    yield f"**`{each.text}`** ({each.block.name}) {gates}  "
    yield f"{each.rule()}"
    for operand, wrong in zip(operands, each.mistakes(), strict=True):
        for text, why in wrong:
            if not _is_general(why):
                yield f"- {operand}: `{text}`: {why}"


def _is_general(why: str) -> bool:
    patterns = [re.escape(told).replace(r"\{y\}", ".*") for _, told in GENERAL] + ["The sign is wrong: as .* it is .*"]
    return any(re.fullmatch(pattern, why) for pattern in patterns)


def missing() -> set[str]:
    """Blocks of the tables that the page does not show."""
    shown = {id(each.block) for found in entries().values() for each in found}
    return {f"{block.name} {block.number}" for block in BLOCKS if id(block) not in shown and block.name != "input"}


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
