"""What an adjoint is multiplied by on its way through a fold: the gates inside, put together.

Where all ways share a beginning, that is the *stem*: the adjoint passes it once, before it is sent to the entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from ...scene import captions
from ..symbols import PRODUCT, bracketed
from .folded_graph import Fold

MOST_PATHS, MOST_TERMS = 4, 2
BRACKETED = re.compile(r"^−|, | \+ ")
CALCULUS = re.compile(r"1|ᵀ|broadcast.*|−?[·⊙Σ].*|.* ·")
LONGEST, LONGEST_PRODUCT = 38, 16  # characters of a gate, and of one between numbers
Path = list[tuple[int, int]]
"""Edges inside of a fold from its exit to an entry: nodes, and which of their operands that are nodes."""
Symbols = Callable[[Path], list[str]]
"""How the edges of a path are written."""


def stem_of(fold: Fold) -> Path:
    """Return the edges with which all paths through a line begin; none where there is a single entry, or numbers."""
    if not fold.place.is_line or len(fold.entries) < 2 or all(map(fold.is_number, range(len(fold.entries)))):
        return []
    result: Path = []
    node = fold.exit
    while len(edges := fold.edges[node]) == 1 and edges[0][0] not in fold.entries:
        result.append((node, 0))
        node = edges[0][0]
    return result


def through(fold: Fold, stem: Path, given: Any) -> Any:
    """Return what an adjoint of the exit has become behind the stem."""
    with np.errstate(all="ignore"):
        for node, place in stem:
            given = fold.edges[node][place][1].vjp(given)
    return given


def paths(fold: Fold, number: int, given: Any = None) -> list[Path]:
    """Return the paths from the exit of a fold to an entry, the first of very many.

    Where the adjoint is ``given``, paths along which nothing arrives are left out.
    """
    found = [*islice(paths_to(fold.entries[number], fold, fold.exit), MOST_PATHS)]
    if given is None or not 1 < len(found) < MOST_PATHS:
        return found
    arrived = [float(np.max(np.abs(through(fold, path, given)), initial=0.0)) for path in found]
    return [path for path, size in zip(found, arrived, strict=True) if size > ROUNDING * max(arrived)] or found


def gate(fold: Fold, number: int, symbols: Symbols, forward: bool = False, given: Any = None) -> str:
    """Return how the adjoint behind the stem becomes that of an entry; "" where there is no short form.

    Along two paths it is a sum: ``· Aᵀ + Bᵀ ·``. With ``forward``, how a tangent of the entry becomes one of the exit.
    """
    ways, start = paths(fold, number, given), len(stem_of(fold))
    terms = [composed(symbols(path)[::-1] if forward else symbols(path[start:])) for path in ways]
    result = terms[0] if len(terms) == 1 else _sum(terms)
    return result if len(result) <= LONGEST else ""


def product(fold: Fold, number: int, symbols: Symbols) -> str:
    """Return the derivative of the exit by an entry, both numbers, as a product; "" of two paths, or if it is long."""
    way, *others = paths(fold, number)
    factors = [factor for factor in ([] if others else symbols(way)) if factor != "1"]
    sign = "−" * (factors.count("−1") % 2)
    told = [factor for factor in factors if factor != "−1"] or ["1"]
    result = sign + "·".join(bracketed(factor, PRODUCT) for factor in told) if sign or told[1:] else told[0]
    return "" if others or len(result) > LONGEST_PRODUCT else result


def _sum(terms: list[str]) -> str:
    """Return what is said of several paths; "" if it is not short, or not written in matrix calculus."""
    if len(terms) == 2 and len({*terms}) == 1 and terms[0].startswith("⊙ "):
        return f"⊙ {'−' * terms[0].startswith('⊙ −')}2·{terms[0][2:].removeprefix('−')}"
    parts = [part for term in terms for part in term.split(", ")]
    if len(terms) > MOST_TERMS or len({*terms}) < len(terms) or not all(map(CALCULUS.fullmatch, parts)):
        return ""
    return " + ".join(f"({term})" if BRACKETED.search(term) else term for term in terms)


ROUNDING = 1e-12


def paths_to(entry: int, fold: Fold, node: int) -> Iterator[Path]:
    """Yield the paths inside of a fold from a node to an entry."""
    for place, (operand, _) in enumerate(fold.edges[node]):
        if operand == entry:
            yield [(node, place)]
        elif operand in fold.dependent[entry]:
            yield from ([(node, place), *rest] for rest in paths_to(entry, fold, operand))


def composed(gates: list[str]) -> str:
    """Return gates that follow each other as one.

    >>> composed(["−1", "broadcast / 4", "broadcast", "⊙ t", "⊙ 1/p"])
    '⊙ −t ⊙ 1/p ÷ 4'
    >>> composed(["⊙ (1 − h²)", "1", "Σ rows"]), composed(["1", "broadcast"]), composed(["−1", "1"])
    ('⊙ (1 − h²), Σ rows', 'broadcast', '−1')
    """
    parts: list[list[str]] = [[]]
    minus, divisor, repeated = False, "", False
    for each in gates:
        factor, _, summed = each.partition(", Σ")
        if factor.startswith("−Σ"):
            minus, factor = not minus, factor[1:]
        if factor == "Σ" and parts[-2:] == [["Σ"], []]:
            continue  # a sum of sums
        if factor in ("1", "−1"):
            minus ^= factor == "−1"
        elif factor.startswith("broadcast"):
            repeated, divisor = True, divisor + factor.removeprefix("broadcast").replace(" / ", " ÷ ")
        elif factor.startswith("⊙ "):
            parts[-1].append(factor)
        else:
            parts += [[factor], []]
        if summed:
            parts += [[f"Σ{summed}"], []]
    words = [" ".join(part) for part in parts if part]
    if not words:
        words = ["broadcast"] if repeated else [] if minus or divisor else ["1"]
    if minus:
        first = words[0] if words else "1"
        words[:1] = [f"⊙ −{first[2:]}" if first.startswith("⊙ ") else f"−{first}"]
    return ", ".join(words) + divisor


FACTOR = re.compile(r"−?[\d./]+")
PLAIN = {"1": "unchanged", "−1": "with the opposite sign", "broadcast": "repeated for each entry"}


def worded(gate: str, what: str, mark: Callable[[str], str] = str) -> str:
    """Return what ``what`` has become behind a gate, in words.

    >>> worded("xᵀ ·", "the adjoint"), worded("⊙ t, Σ rows", "the adjoint"), worded("−1/4", "the adjoint")
    ('xᵀ times the adjoint', 'the adjoint times t entry by entry, summed over the rows', 'the adjoint times −1/4')
    >>> worded("· Aᵀ + (⊙ t, Σ rows)", "the adjoint")
    'the adjoint times Aᵀ plus the adjoint times t entry by entry, summed over the rows'
    """
    if len(terms := terms_of(gate)) > 1:
        return " plus ".join(worded(each, what, mark) for each in terms)
    for part in gate.split(", "):
        if part.startswith("−Σ"):
            what = f"{worded(part[1:], what, mark)}, with the opposite sign"
        elif part in PLAIN:
            what = f"{what} {PLAIN[part]}"
        elif part.endswith(" ·"):
            what = f"{mark(part[:-2])} times {what}"
        elif part.startswith("· "):
            what = f"{what} times {mark(part[2:])}"
        elif part.startswith("⊙"):
            what = f"{what} times {mark(part.removeprefix('⊙ '))} entry by entry"
        elif part.startswith("Σ"):
            axes, _, divisor = part[1:].partition("/")
            over = f" over the {axes.strip()}" if axes.strip() else ""
            what = f"{what}, summed{over}{f' and divided by{divisor}' if divisor else ''}"
        else:
            what = f"{what}{' times' if FACTOR.fullmatch(part) else ','} {mark(part)}"
    return what


def apart(fold: Fold, number: int, given: Any) -> list[Path]:
    """Return the paths to an entry, where several nodes inside use it: one for each; nothing of very many."""
    found = paths(fold, number, given)
    return found if 1 < len({path[-1][0] for path in found}) == len(found) < MOST_PATHS else []


def added(fold: Fold, number: int, given: Any, name: Callable[[int], str], is_unwritten: bool) -> str:
    """Return why what an entry receives is a sum over paths inside; "" where it is none that needs to be explained."""
    ends = [path[-1][0] for path in apart(fold, number, given)]
    ways = captions.listed(["directly" if end == fold.exit else f"through {name(end)}" for end in ends])
    if not ends:
        if not is_unwritten or len(paths(fold, number, given)) < 2:
            return ""
        ways = "along several paths"
    return f"A change in {name(fold.entries[number])} acts on {name(fold.exit)} {ways} at once, so these effects add."


def terms_of(gate: str) -> list[str]:
    """Return the terms of a sum, without their brackets.

    >>> terms_of("· Aᵀ + (⊙ t, Σ rows)"), terms_of("⊙ (1 + x)")
    (['· Aᵀ', '⊙ t, Σ rows'], ['⊙ (1 + x)'])
    """
    terms = [""]
    for piece in gate.split(" + "):
        terms[-1] += f" + {piece}" if terms[-1] else piece
        if terms[-1].count("(") == terms[-1].count(")"):
            terms.append("")
    return [term[1:-1] if term.startswith("(") else term for term in terms[:-1]]
