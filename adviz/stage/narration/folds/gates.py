"""What an adjoint is multiplied by on its way through a fold: the gates inside, put together.

Where all ways share a beginning, that is the *stem*: the adjoint passes it once, before it is sent to the entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from ...scene import captions, formulas
from ...scene.formulas import PRODUCT, Tree, bracketed
from .folded_graph import Fold

MOST_PATHS, MOST_TERMS, MOST_ENTRIES = 4, 2, 64
TRANSPOSED = re.compile(r"\((.* ·|−?· .*)\)ᵀ")
NEGATED = re.compile("−[⊙Σb]")
BRACKETED = re.compile(r"^−|, | \+ ")
OF_ARRAYS = re.compile("^· | ·$|[⊙Σᵀ]|broadcast|^at |^J ")
UNTOLD = re.compile("…|Jᵀ? ")  # in what is no short form
CALCULUS = re.compile(r"1|ᵀ|\(.*\)ᵀ|broadcast.*|−?[·⊙Σ].*|.* ·")
LONGEST, LONGEST_PRODUCT = 38, 16  # characters of a gate, and of one between numbers
AXES: dict[tuple[int, ...], str] = {(0,): "rows", (1,): "columns"}
"""What is summed over where an axis of a matrix is."""
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


def silent(fold: Fold, given: Any) -> list[int]:
    """Return the nodes inside of a line that only lie on paths along which nothing arrives of a ``given`` adjoint."""

    def on_paths(given: Any) -> set[int]:
        ways = [paths(fold, place, given) for place in range(len(fold.entries))]
        return {node for some in ways for path in some for node, _ in path}

    return sorted(on_paths(None) - on_paths(given)) if given is not None else []


def gate(fold: Fold, number: int, symbols: Symbols, forward: bool = False, given: Any = None) -> str:
    """Return how the adjoint behind the stem becomes that of an entry; "" where there is no short form.

    Along two paths it is a sum: ``· Aᵀ + Bᵀ ·``. With ``forward``, how a tangent of the entry becomes one of the exit.
    """
    start = len(stem_of(fold))
    if factor := _factor_by_entry(fold, number, symbols, start):
        return f"{factor} ·" if forward else f"· {factor}"
    ways = paths(fold, number, given)
    terms = [composed(symbols(path)[::-1] if forward else symbols(path[start:])) for path in ways]
    result = terms[0] if len(terms) == 1 else _sum(terms)
    return result if is_short(result) or (len(fold.inside) < 2 and len(result) <= LONGEST) else ""


def is_short(text: str) -> bool:
    """Return whether a gate has a short form, with nothing left out."""
    return len(text) <= LONGEST and not UNTOLD.search(text)


def factors(fold: Fold, number: int, given: Any = None) -> list[Any]:
    """Return the local Jacobians behind the stem on the way to an entry; none where there are several ways."""
    way, *others = paths(fold, number, given)
    return [] if others else [fold.edges[node][place][1] for node, place in way[len(stem_of(fold)) :]]


def product(fold: Fold, number: int, symbols: Symbols) -> str:
    """Return the derivative of the exit by an entry, both numbers, as a product; "" of two paths, or if it is long."""
    way, *others = paths(fold, number)
    factors = [factor for factor in ([] if others else symbols(way)) if factor != "1"]
    sign = "−" * (factors.count("−1") % 2)
    told = [factor for factor in factors if factor != "−1"] or ["1"]
    result = sign + "·".join(bracketed(factor, PRODUCT) for factor in told) if sign or told[1:] else told[0]
    return "" if others or len(result) > LONGEST_PRODUCT or any(map(OF_ARRAYS.search, told)) else result


def _factor_by_entry(fold: Fold, number: int, symbols: Symbols, start: int) -> str:
    """Return the vector by which a number is multiplied on its way to a vector, each entry of which is used once.

    So it is in ``sum(w * x for w, x in zip(ws, xs))``: what entry ``k`` receives is multiplied by ``xs[k]``. It is ""
    where entries are not told alike.
    """
    values = fold.graph.values
    shape = np.shape(values[fold.entries[number]])
    if np.ndim(values[fold.exit]) or len(shape) != 1 or not 1 < shape[0] <= MOST_ENTRIES:
        return ""
    ways = [*islice(paths_to(fold.entries[number], fold, fold.exit), shape[0] + 1)]
    found: dict[int, str] = {}
    for path in ways:
        *factors, last = [text for text in symbols(path[start:]) if text != "1"] or [""]
        taken = re.fullmatch(r"at \[(\d+)\]", last)
        if not taken or len(factors) != 1 or f"[{taken[1]}]" not in factors[0]:
            return ""
        found[int(taken[1])] = factors[0].removeprefix("· ").replace(f"[{taken[1]}]", "")
    is_alike = len(ways) == len(found) == shape[0] and len({*found.values()}) == 1
    return bracketed(found[0], PRODUCT) if is_alike else ""


def _sum(terms: list[str]) -> str:
    """Return what is said of several paths; "" if it is not short, or not written in matrix calculus."""
    if len(terms) == 2 and len({*terms}) == 1 and terms[0].startswith("⊙ "):
        return f"⊙ {'−' * terms[0].startswith('⊙ −')}2·{terms[0][2:].removeprefix('−')}"
    parts = [part for term in terms for part in parts_of(term)]
    if len(terms) > MOST_TERMS or len({*terms}) < len(terms) or not all(map(CALCULUS.fullmatch, parts)):
        return ""
    return " + ".join(f"({term})" if BRACKETED.search(term) else term for term in terms)


ROUNDING = 1e-12


def paths_to(entry: int, fold: Fold, node: int) -> Iterator[Path]:
    """Yield the paths inside of a fold from a node to an entry."""
    waiting: list[tuple[int, Path]] = [(node, [])]
    while waiting:
        node, path = waiting.pop()
        if path and node == entry:
            yield path
        elif not path or node in fold.dependent[entry]:
            edges = [*enumerate(fold.edges[node])]
            waiting += [(operand, [*path, (node, place)]) for place, (operand, _) in reversed(edges)]


def composed(gates: list[str]) -> str:
    """Return gates that follow each other as one.

    >>> composed(["−1", "broadcast / 4", "broadcast", "⊙ t", "⊙ 1/p"])
    '⊙ −t ⊙ 1/p ÷ 4'
    >>> composed(["⊙ (1 − h²)", "1", "Σ rows"]), composed(["−1", "1"]), composed(["qᵀ ·", "ᵀ"])
    ('⊙ (1 − h²), Σ rows', '−1', '(qᵀ ·)ᵀ')
    """
    parts: list[list[str]] = [[]]
    minus, divisor, repeated = False, "", False
    for each in gates:
        factor, is_summed, summed = each.partition(", Σ")
        if factor.startswith("−Σ"):
            minus, factor = not minus, factor[1:]
        if factor == "Σ" and parts[-2:] == [["Σ"], []]:
            continue  # a sum of sums
        if factor in ("1", "−1"):
            minus ^= factor == "−1"
        elif factor.startswith("broadcast"):
            repeated, divisor = True, divisor + factor.removeprefix("broadcast").replace(" / ", " ÷ ")
        elif factor == "ᵀ" and len(parts) > 2 and not parts[-1]:
            parts[-2] = [f"({parts[-2][0]})ᵀ"]
        elif factor.startswith("⊙ "):
            parts[-1].append(factor)
        else:
            parts += [[factor], []]
        if is_summed:
            parts += [[f"Σ{summed}"], []]
    words = [" ".join(part) for part in parts if part]
    if not words:
        words = ["broadcast"] if repeated else [] if minus or divisor else ["1"]
    if minus:
        first = words[0] if words else "1"
        is_factor = first.startswith(("⊙ ", "· "))
        words[:1] = [f"{first[:2]}{NEGATIVE[first[0]].format(first[2:])}" if is_factor else f"−{first}"]
    return ", ".join(words) + divisor


def sum_over(axes: tuple[int, ...], count: int) -> str:
    """Return the sum over some of so many axes: ``Σ``, ``Σ rows``, ``Σ axes 0, 2``; "" where there are none.

    >>> sum_over((0,), 2), sum_over((0, 1), 2), sum_over((1,), 3)
    ('Σ rows', 'Σ', 'Σ axis 1')
    """
    if not axes:
        return ""
    if len(axes) == count:
        return "Σ"
    if count == 2:
        return f"Σ {AXES[axes]}"
    return f"Σ {'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}"


NEGATIVE = {"⊙": "−{}", "·": "(−{})"}
"""A factor with the opposite sign."""
FACTOR = re.compile(r"−?[\d./]+$|∂")
CHOSEN = re.compile(r"⊙ \[(.* [<>=≤≥≠] .*)\]")  # 1 where that holds, 0 elsewhere
NEGATIVE_FACTOR = re.compile(r"· \(−([^()]*)\)")
DIVIDED = re.compile(r"(.*?)((?: [÷/] [\d.]+)+)")
PLAIN = {
    "1": " unchanged",
    "−1": " with the opposite sign",
    "broadcast": " repeated for each entry",
    "ᵀ": ", transposed",
    "reshape": ", put back into its shape",
}


def worded(gate: str, what: str, mark: Callable[[str], str] = str) -> str:
    """Return what ``what`` has become behind a gate, in words.

    >>> worded("xᵀ ·", "the adjoint"), worded("⊙ t, Σ rows", "the adjoint"), worded("−1/4", "the adjoint")
    ('xᵀ times the adjoint', 'the adjoint times t entry by entry, summed over the rows', 'the adjoint times −1/4')
    >>> worded("· Aᵀ + (⊙ t, Σ rows)", "the adjoint")
    'the adjoint times Aᵀ plus the adjoint times t entry by entry, summed over the rows'
    """
    if len(terms := terms_of(gate)) > 1:
        return " plus ".join(worded(each, what, mark) for each in terms)
    for part in parts_of(gate):
        if match := DIVIDED.fullmatch(part):
            divisors = captions.listed([f"by {each}" for each in re.findall(r"[\d.]+", match[2])])
            what = f"{worded(match[1], what, mark)}, divided {divisors}"
        elif part in PLAIN:
            what = f"{what}{PLAIN[part]}"
        elif NEGATED.match(part):
            what = f"{worded(part[1:], what, mark)}, with the opposite sign"
        elif match := NEGATIVE_FACTOR.fullmatch(part):
            what = f"{worded(f'· {match[1]}', what, mark)}, with the opposite sign"
        elif match := TRANSPOSED.fullmatch(part):
            what = f"{worded(match[1], what, mark)}, transposed"
        elif part.endswith(" ·"):
            what = f"{mark(part[:-2])} times {what}"
        elif part.startswith("· "):
            what = f"{what} times {mark(part[2:])}"
        elif match := CHOSEN.fullmatch(part):
            what = f"{what} where {mark(match[1])} and 0 elsewhere"
        elif part.startswith("at ["):
            what = f"{what}, put back at {mark(part[3:])} among zeros"
        elif part.startswith("⊙"):
            what = f"{what} times {mark(part.removeprefix('⊙ '))} entry by entry"
        elif part.startswith("Σ"):
            over = f" over the {part[1:].strip()}" if part[1:].strip() else ""
            what = f"{what}, summed{over}"
        else:
            what = f"{what}{' times' if FACTOR.match(part) else ','} {mark(part)}"
    return what


def around(symbol: str) -> tuple[str, str]:
    """Return what stands before a derivative, and after it, where it passes a gate: ``Xᵀ ·``, ``· Wᵀ``, ``Σ rows``.

    >>> around("Xᵀ ·"), around("· Wᵀ"), around("broadcast / 3"), around("−Σ rows"), around("A⁻ᵀ · (…) · yᵀ")
    (('Xᵀ · ', ''), ('', ' · Wᵀ'), ('broadcast(', ') / 3'), ('−Σ rows(', ')'), ('A⁻ᵀ · ', ' · yᵀ'))
    """
    if NEGATED.match(symbol):
        before, after = around(symbol[1:])
        return f"−{before}", after
    if match := TRANSPOSED.fullmatch(symbol):
        before, after = around(match[1])
        return f"({before}", f"{after})ᵀ"
    if symbol.startswith(("⊙", "·", "at ", "part ", "as ", "⋆", "∗")):
        return "", f" {symbol}"
    if symbol.endswith("·"):
        return f"{symbol} ", ""
    if match := WITHIN.search(symbol):
        before, after = symbol[: match.start()], symbol[match.end() :]
        return (before, after) if match[0] == "(…)" else (f"{before}(", f" {after.lstrip()}")
    if symbol.startswith("["):
        return "", symbol
    if symbol in SET:
        return SET[symbol]
    match = DIVIDED.fullmatch(symbol)
    function, divided = match.groups() if match else (symbol, "")
    return f"{function}(", f"){divided}"


WITHIN = re.compile(r"(?<= )\(…\)?|(?<=diag)\(…\)")
"""Where a derivative stands inside of a symbol."""
SET = {"1": ("", ""), "−1": ("−", ""), "ᵀ": ("(", ")ᵀ")}


def passing(symbol: str, given: Tree) -> list[Tree]:
    """Return a derivative as it passes a gate, which may be a sum: ``z̄ · Wᵀ``, ``x̄ + x̄ · Aᵀ``, ``Σ(z̄ ⊙ x)``.

    >>> [formulas.text(formulas.row(*passing(gate, ["id", "z"]))) for gate in ("⊙ x, Σ", "(qᵀ ·)ᵀ", "1 + (· Aᵀ, ⊙ t)")]
    ['Σ(z ⊙ x)', '(qᵀ · z)ᵀ', 'z + (z · Aᵀ) ⊙ t']
    """
    result: list[Tree] = []
    for term in terms_of(symbol):
        passed, is_product = [given], False
        turned = ((each, TRANSPOSED.fullmatch(each)) for each in parts_of(term))
        for part in [part for each, match in turned for part in ([match[1], "ᵀ"] if match else [each])]:
            before, after = around(part)
            is_closed = before.endswith("(")
            if is_product and not is_closed:
                before, after = f"{before}(", f"){after}"
            passed = [["id", before], *passed, ["id", after]]
            is_product = not is_closed and part != "1"
        result += [formulas.op("+"), *passed]
    return result[1:]


def apart(fold: Fold, number: int, given: Any) -> list[Path]:
    """Return the paths to an entry, where several nodes inside use it: one for each; nothing of very many.

    Nothing either where each of them uses other entries of an array: then no effects add.
    """
    found = paths(fold, number, given)
    whole = np.ones(np.shape(fold.graph.values[fold.exit]))
    if len(found) > 1 and np.max(sum(through(fold, path, whole) != 0 for path in found), initial=0) < 2:
        return []
    return found if 1 < len({path[-1][0] for path in found}) == len(found) < MOST_PATHS else []


def called(ways: list[Path], name: Callable[[int], str]) -> list[str]:
    """Return by what each path is called: the first node behind the entry, or one that only this path has."""
    names = [[name(node) for node, _ in reversed(path)] for path in ways]
    first = [own[0] for own in names]
    return [
        next((each for each in own if sum(each in other for other in names) == 1), own[0])
        if first.count(own[0]) > 1
        else own[0]
        for own in names
    ]


def added(fold: Fold, number: int, given: Any, name: Callable[[int], str], is_unwritten: bool) -> str:
    """Return why what an entry receives is a sum over paths inside; "" where it is none that needs to be explained."""
    ways_apart = apart(fold, number, given)
    told = zip(ways_apart, called(ways_apart, name), strict=True)
    ways = captions.listed(["directly" if path[-1][0] == fold.exit else f"through {via}" for path, via in told])
    if not ways_apart:
        if not is_unwritten or len(paths(fold, number, given)) < 2:
            return ""
        ways = "along several paths"
    return f"A change in {name(fold.entries[number])} acts on {name(fold.exit)} {ways} at once, so these effects add."


def terms_of(gate: str) -> list[str]:
    """Return the terms of a sum, without their brackets.

    >>> terms_of("· Aᵀ + (⊙ (−e/sum(e)²), Σ)"), terms_of("⊙ (1 + x)"), terms_of("(A @ B)ᵀ ·")
    (['· Aᵀ', '⊙ (−e/sum(e)²), Σ'], ['⊙ (1 + x)'], ['(A @ B)ᵀ ·'])
    """
    return [_unbracketed(term) for term in _apart(gate, " + ")]


def _unbracketed(text: str) -> str:
    """Return a text without the brackets around all of it."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[1:-1] if 0 < place == len(text) - 1 else text
    return text


def parts_of(gate: str) -> list[str]:
    """Return what is done at a gate, one after the other.

    >>> parts_of("⊙ f(a, b), Σ axes 0, 2"), parts_of("(qᵀ ·)ᵀ, Σ")
    (['⊙ f(a, b)', 'Σ axes 0, 2'], ['(qᵀ ·)ᵀ', 'Σ'])
    """
    return _apart(re.sub(r", (?=\d)", ",\N{NO-BREAK SPACE}", gate), ", ")


def _apart(text: str, sign: str) -> list[str]:
    """Return the pieces of a text between signs outside of brackets."""
    pieces = [""]
    for piece in text.split(sign):
        pieces[-1] += f"{sign}{piece}" if pieces[-1] else piece
        if all(pieces[-1].count(one) == pieces[-1].count(other) for one, other in ("()", "[]")):
            pieces.append("")
    return [piece.replace("\N{NO-BREAK SPACE}", " ") for piece in pieces if piece]


# ---- entry by entry ----


def received(gate: str, mark: Callable[[str], str]) -> str:
    """Return what an operand of an elementwise Block receives."""
    plain = {"0": "nothing", "1": "the adjoint unchanged", "−1": "the adjoint with the opposite sign"}
    if gate in plain:
        return plain[gate]
    return f"the adjoint times {mark(gate[2:])}" if gate.startswith("· ") else f"the adjoint {mark(gate)}"


def passed_on(gate: str) -> str:
    """Return what becomes of the tangent of an operand of an elementwise Block."""
    plain = {"0": "does not count", "1": "counts as it is", "−1": "counts with the opposite sign"}
    return plain.get(gate) or f"is multiplied by {gate.removeprefix('⊙ ').removeprefix('· ')}"
