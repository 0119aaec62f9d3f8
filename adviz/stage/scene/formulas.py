"""Formulas as data, which are trees, and in one line of text, which are templates filled with names.

The front end sets trees as MathML; elsewhere they are plain text. A tree is a list that begins with its kind:
``["row", a, b, …]``, ``["id", "v"]``, ``["num", "0.8"]``, ``["op", "="]``, ``["sub", base, index]``, ``["bar", x]``,
``["dot", x]``, ``["frac", a, b]``, ``["text", "…"]`` and ``["matrix", [[…], […]]]`` with trees for entries. The leaves
are plain text, never markup. While a formula is composed, its numbers are ``["quantity", value, factor]``;
:func:`fitted` writes them out, as far as there is room.

A template is written as in the rules of the Blocks, ``"{b} · {a}^({b} - 1)"``; its names stand in brackets where they
need them. A formula in one line has a number if there is nothing in it but numbers, slots, ``π``, ``e``, operators,
powers, brackets, conditions, and a few functions by name. Nothing but these is evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...graph.graph import WRITE, Graph
from ...graph.origins import written_call
from ...graph.scopes import EXPRESSION
from . import captions
from .text_widths import printable, unkeyed

Tree = list[Any]

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MARKS = {"bar": "\u0304", "dot": "\u0307"}
SPACED = {"=", "≈", "←", "+=", "+", "·", "×", "−", "÷", "@", "^"}
LONGEST_SIDE = 72  # the most characters of a side of an equation; arrays are written out as far as that allows
FINEST_TO_COARSEST = ((6, 4), (6, 3), (4, 3), (3, 3), (3, 2), (0, 4))
"""Ways to write an array: the number of rows and columns (the first ones, dots and the last), and digits.

With 0 rows only its kind is written."""


def row(*parts: Tree) -> Tree:
    """Return trees side by side."""
    return ["row", *parts]


def op(sign: str) -> Tree:
    """Return an operator, a bracket or a comma."""
    return ["op", sign]


def quantity(value: Any, *, factor: bool = False) -> Tree:
    """Return numbers that :func:`fitted` writes out; a negative ``factor`` in brackets."""
    return ["quantity", value, factor]


def fitted(tree: Tree, number: Callable[[Any], str] = captions.number) -> Tree:
    """Return a tree with its quantities written out, with no side longer than ``LONGEST_SIDE`` if that is possible.

    ``number`` writes a quantity that is a single number.

    >>> text(fitted(quantity(-2.0, factor=True))), text(fitted(quantity(np.eye(2))))
    ('(-2)', '[1, 0; 0, 1]')
    >>> text(fitted(chain(["id", "v"], quantity(np.arange(9.0)))))
    'v = [0, 1, 2, 3, …, 8]'
    >>> text(fitted(row(quantity(np.full((9, 9), 1 / 3)), op("·"), quantity(np.arange(9.0)))))
    '[0.333, …, 0.333; …; 0.333, …, 0.333] · [0, …, 8]'
    """
    for way in FINEST_TO_COARSEST:
        written = _written(tree, number, *way)
        if max(map(len, text(written).split(" = "))) <= LONGEST_SIDE:
            break
    return written


def _written(tree: Tree, number: Callable[[Any], str], most: int, digits: int) -> Tree:
    if tree[0] != "quantity":
        return [_written(part, number, most, digits) if isinstance(part, list) else part for part in tree]
    _, value, factor = tree
    if np.ndim(value):
        return _array(np.asarray(value), most, digits)
    written: Tree = ["num", number(value)]
    return row(op("("), written, op(")")) if factor and written[1].startswith(("-", "−")) else written


def _array(array: np.ndarray, most: int, digits: int) -> Tree:
    """Return the corners of an array, with dots between them; or its kind, if it cannot be written so."""
    if not most or array.ndim > 2 or not array.size:
        return unwritten(array.shape)
    table = np.atleast_2d(array)
    rows, columns = (captions.few(range(count), None, most) for count in table.shape)

    def entry(i: int | None, j: int | None) -> Tree:
        if i is None or j is None:
            return ["text", "…" if i is not None else "⋮" if j is not None else "⋱"]
        return ["num", captions.number(table[i, j], digits)]

    return ["matrix", [[entry(i, j) for j in columns] for i in rows]]


def unwritten(shape: Sequence[int]) -> Tree:
    """Return the kind of an array whose numbers are not written.

    >>> text(unwritten((30, 4)))
    '(30×4 matrix)'
    """
    return ["text", f"({captions.kind(shape)})"]


def chain(*sides: Tree | Iterable[Tree]) -> Tree:
    """Return the sides of an equation with ``=`` between them.

    >>> text(chain(["id", "v"], ["num", "2"]))
    'v = 2'
    """
    parts: list[Any] = []
    for side in sides:
        parts += [op("="), side]
    return row(*parts[1:])


def lines(trees: Sequence[Tree]) -> Tree:
    """Return trees one after the other, with commas between them."""
    parts = [part for tree in trees for part in (op(","), tree)][1:]
    return row(*parts)


def text(tree: Tree) -> str:
    """Return a tree as plain text.

    >>> text(row(["bar", ["id", "x"]], op("+="), ["num", "2"], op("·"), ["frac", ["id", "∂y"], ["id", "∂x"]]))
    'x̄ += 2 · ∂y/∂x'
    """
    kind, *parts = tree
    match kind:
        case "row":
            return "".join(map(text, parts))
        case "op":
            return f" {parts[0]} " if parts[0] in SPACED else ", " if parts[0] == "," else str(parts[0])
        case "sub":
            return text(parts[0]) + text(parts[1]).translate(SUBSCRIPTS)
        case "bar" | "dot":
            inner = text(parts[0])
            return (inner if inner.isalnum() else f"({inner})") + MARKS[kind]
        case "frac":
            return f"{text(parts[0])}/{text(parts[1])}"
        case "matrix":
            rows = [list(map(text, entries)) for entries in parts[0]]
            return "[" + "; ".join("…" if "⋮" in words else ", ".join(words) for words in rows) + "]"
        case _:
            return str(parts[0])


# ---- how a node is computed ----


def figure(graph: Graph, reference: int) -> Tree:
    """Return the value of an operand in a formula."""
    if reference < 0:
        return ["text", captions.operand(graph, reference)]
    return quantity(graph.values[reference], factor=True)


def application(graph: Graph, node: int, operands: list[Tree]) -> Tree:
    """Return a Block applied to trees: ``x × y``, ``sin(x)``, ``x[0]``.

    >>> import adviz
    >>> text(application(adviz.trace(np.sin, 1.0), 1, [["id", "x"]]))
    'sin(x)'
    """
    block = graph.blocks[node]
    name, words = block.name, [captions.operand(graph, each) for each in graph.operands(node)]
    if name == "output":
        return operands[0]
    if block.operator in captions.INFIX and len(operands) == 2:
        return row(operands[0], op(captions.INFIX[block.operator]), operands[1])
    if block.symbol == captions.TAKEN and len(operands) == 2:
        return row(operands[0], op("["), operands[1], op("]"))
    if name == WRITE and len(operands) == 3:
        return row(operands[0], ["text", " with "], operands[1], ["text", " at "], op("["), operands[2], op("]"))
    text = captions.few(operands[: len(captions.telling(words))], ["text", "…"])
    separated = [part for tree in text for part in (op(","), tree)][1:]
    return row(["text", captions.shortened(name)], op("("), *separated, op(")"))  # upright: no variable


# ---- formulas in one line ----


SUM, PRODUCT, POWER, CALL, ATOM = range(1, 6)
"""How tightly a text holds together: as a sum, a product, a power, a call, or a name."""
LONGEST = 22  # the most characters of a name in a formula
SUPERSCRIPTS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
OPEN, CLOSE = "([{⌊", ")]}⌋"
CALLS = r"(?:^|[^\w])(?:sin|cos|tan|sinh|cosh|ln|log|sign|not|Γ|ψ|√) ?$"
ABSOLUTE = re.compile(r"(?<![\w)\]}] )\|[^|]+\|")
SLOT = re.compile(r"\{(\w+)\}")


def short(name: str, most: int = LONGEST) -> str:
    """Return a name of the program in few visible characters: without keyword arguments, or cut, with brackets closed.

    >>> short("x"), short("sum(e, axis=1, keepdims=True)"), short("np.sin(first_argument * second_argument)")
    ('x', 'sum(e)', 'np.sin(first_argument…)')
    """
    seen = printable(" ".join(name.split()))
    seen = seen if len(seen) <= most else unkeyed(seen)
    if len(seen) <= most:
        return seen
    cut = re.sub(r"[^\w)\]]+$", "", seen[: most - 1]) + "…"
    opened: list[str] = []
    for letter in cut:
        if letter in OPEN:
            opened.append(CLOSE[OPEN.index(letter)])
        elif opened and letter == opened[-1]:
            opened.pop()
    return cut + "".join(reversed(opened)) + "|" * (cut.count("|") % 2)


@lru_cache(maxsize=10_000)
def tight(text: str) -> str:
    """Return a formula in its typography: products and quotients without blanks, a minus sign for a hyphen.

    >>> tight("-{a} / (2 · {b} - 1)")
    '−{a}/(2·{b} − 1)'
    """
    joined = re.sub(r"(?<=\S) ([·/]) (?=\S)", r"\1", re.sub(r"\b(sin|cos|ln) \(", r"\1(", text))
    return re.sub(r"(?<![A-Za-z])-", "−", joined)


def literally(text: str) -> str:
    """Return a text as a template that gives this text."""
    return text.replace("{", "\0").replace("}", "\1")


def fill(template: str, words: Mapping[str, str], mark: Callable[[str], str] = str) -> str:
    """Return a template with words in its slots, in brackets where the formula around them needs it.

    ``mark`` is applied to each word with its brackets.

    >>> fill("cos {a}", {"a": "x·y"}), fill("{a}·{b}", {"a": "x + 1", "b": "y"}), fill("{a}ᵀ ·", {"a": "X"})
    ('cos(x·y)', '(x + 1)·y', 'Xᵀ ·')
    """
    done, end = "", 0
    for slot in SLOT.finditer(template):
        done += template[end : slot.start()]
        end = slot.end()
        word = words[slot[1]]
        needed = _needed(done, template[end:])
        if needed == ATOM and level(word) < ATOM and re.search(CALLS, done):
            done = done.rstrip(" ")
        done += mark(bracketed(word, needed))
    return (done + template[end:]).replace("\0", "{").replace("\1", "}")


@lru_cache(maxsize=10_000)
def _needed(before: str, after: str) -> int:
    """Return how tightly a text has to hold together between two others."""
    result = SUM
    if re.match(r"[²³⁻ᵀ^]", after) or before.endswith(("^", "∂")):
        result = CALL
    if re.search(CALLS, before):
        return ATOM
    if before.endswith("/"):
        result = max(result, POWER)
    if re.search(r"[·⊙/−∗⋆] ?$", before) or re.match(r" ?[·⊙/∗⋆]", after):
        result = max(result, PRODUCT)
    return result


def bracketed(text: str, needed: int) -> str:
    """Return a text in brackets unless it holds together as tightly as that.

    >>> bracketed("x + y", PRODUCT), bracketed("x·y", PRODUCT), bracketed("f(x + y)", CALL)
    ('(x + y)', 'x·y', 'f(x + y)')
    """
    return text if level(text) >= needed else f"({text})"


@lru_cache(maxsize=10_000)
def level(text: str) -> int:
    """Return how tightly a text holds together: by the loosest operator outside of brackets.

    >>> [level(text) for text in ("x + y", "-x", "x·y", "x**2", "sin(x)", "x[0]", "3.5", "1e-05")]
    [1, 1, 2, 3, 4, 5, 5, 5]
    >>> level("x⁽²⁾"), level("(x + y)²"), level("|x − y|"), level("|x|·|y|"), level("a | b | c")
    (5, 3, 5, 2, 1)
    """
    if re.fullmatch(r"[\w.]+|\d[\d.]*e[-+−]\d+", text):
        return ATOM
    depth, outside = 0, ""
    for letter in text:
        depth -= letter in CLOSE
        outside += letter if not depth else ""
        depth += letter in OPEN
    outside = re.sub(r"(?<=\d)e[-+−](?=\d)|⁽[^⁾]*⁾", "", outside)  # exponents of ten, and numbers of evaluations
    outside = ABSOLUTE.sub("", outside)
    outside = re.sub(r"\b(sin|cos|sinh|cosh|ln|sign) (?=\w)", "", outside)
    if re.search(r"[-+−<>=≤≥≠?:|&@, ]|\b(and|or|not|if|else|for|lambda)\b", re.sub(r" ?([·×*/%⊙]) ?", r"\1", outside)):
        return SUM
    if re.search(r"(?<!\*)\*(?!\*)|[·×÷/@%⊙ ]", outside):
        return PRODUCT
    if re.search(r"\*\*|[\^⁰¹²³⁴-⁹⁻]", outside):
        return POWER
    return CALL if re.search(r"\w\(\)$", outside) else ATOM


def raised(exponent: str) -> str:
    """Return an exponent as it stands after its base.

    >>> raised("2"), raised("(−1)"), raised("0.5"), raised("n")
    ('²', '⁻¹', '^0.5', '^n')
    """
    whole = re.fullmatch(r"\(?(−?\d+)\)?", exponent)
    return whole[1].translate(SUPERSCRIPTS) if whole else f"^{exponent}"


def composed(graph: Graph, node: int) -> Iterator[str]:
    """Yield the call that makes several nodes, this being one, as the program has it, and in short: ``norm(x − y)``."""
    scope = graph.scopes.of_node[node]
    if graph.scopes.kinds[scope] == EXPRESSION:
        function, arguments = written_call(graph.scope_label(scope))
        if function and function != graph.blocks[node].name:
            written = simplified(tight(arguments.replace(" ** ", "^").replace(" * ", " · ")))
            yield from (f"{function}({text})" for text in (written, "…"))


@lru_cache(maxsize=10_000)
def simplified(formula: str) -> str:
    """Return a formula with its exponents worked out where they are numbers.

    >>> simplified("3·x^(3 − 1)"), simplified("2·x^(2 − 1)"), simplified("0.5·x^(0.5 − 1)"), simplified("x^n")
    ('3·x²', '2·x', '0.5·x^(−0.5)', 'x^n')
    """
    number = r"(−?\d+(?:\.\d+)?)"
    terms = rf"(?<=[(,]) ?{number} ([+−]) {number}(?= [+−]|[),])|^{number} ([+−]) {number}(?= [+−]|$)"
    while (folded := re.sub(terms, _sum, formula)) != formula:
        formula = folded
    formula = re.sub(r"(?<!\w)\((\d+(?:\.\d+)?)\)", r"\1", formula)
    formula = re.sub(r"\^1(?![\w.])", "", formula)
    formula = re.sub(r"\^(\d+(?![\w.])|\(−\d+\))", lambda match: raised(match[1]), formula)
    formula = re.sub(r"^\(−1\)·(?=\S)", "−", formula)
    return re.sub(r"^1·(?=\S)", "", formula)


def _sum(match: re.Match[str]) -> str:
    """Return a sum or difference of two numbers."""
    first, sign, second = (part for part in match.groups() if part is not None)
    one, other = _number(first), _number(second)
    blank = " " if match[0].startswith(" ") else ""
    return blank + f"{one + other if sign == '+' else one - other:g}".replace("-", "−")


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


# ---- numbers ----


PYTHON = str.maketrans(
    {"·": "*", "−": "-", "^": "**", "=": "==", "≤": "<=", "≥": ">=", "√": "root", "π": "pi"}
    | {"⌊": "floor(", "⌋": ")", "[": "float64(", "]": ")"}
)
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
KNOWN: dict[str, object] = {
    **{name: ufunc for ufunc, block in BLOCK_OF.items() if getattr(np, name := block.name, None) is ufunc},
    "ln": np.log,
    "root": np.sqrt,
    "abs": np.abs,
    "float64": np.float64,
    "pi": np.float64(np.pi),
    "e": np.float64(math.e),
    "not": None,
    "__builtins__": {},
}
"""What may be named in a formula: functions of NumPy, as they are written, two constants, and a negation."""


def evaluate(formula: str, values: Mapping[str, float]) -> float | None:
    """Return the number of a formula at values of its slots; ``None`` if it has something that is not read here.

    >>> evaluate("-{a} / {b}²", {"a": 6.0, "b": 2.0}), evaluate("2 · cos {a}", {"a": 0.0}), evaluate("J ·", {})
    (-1.5, 2.0, None)
    """
    known = KNOWN | {f"_{slot}": np.float64(value) for slot, value in values.items()}
    code, names = _compiled(formula)
    if code is None or not names <= known.keys():
        return None
    try:
        with np.errstate(all="ignore"):
            return float(eval(code, known))
    except TypeError:
        return None


@lru_cache(maxsize=1_000)
def _compiled(formula: str) -> tuple[CodeType | None, frozenset[str]]:
    """Return a formula as Python runs it, and what it names; no code where it has something that is not read here."""
    python = _python(formula)
    try:
        is_read = not re.search(r"[^\w\s()+*/<>=.-]", python)
        code = compile(python.strip(), "<formula>", "eval") if is_read else None
    except SyntaxError:
        code = None
    return code, frozenset(re.findall(r"[^\W\d]\w*", python))


def _python(formula: str) -> str:
    """Return a formula as Python writes it, with an underscore before the names of its slots.

    >>> _python("|{a}| · ln {b}²")
    'abs(_a) * ln (_b)**(float64(2))'
    """
    result = re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda raised: f"^({raised[0].translate(RAISED)})", formula)
    result = re.sub(r"(√ *|\b[a-z]\w* +)(π|e\b|\{\w+\}|\d[\d.]*)", r"\1(\2)", result)
    result = re.sub(r"(?<![\w.{])\d[\d.]*", r"float64(\g<0>)", result.translate(PYTHON))
    return re.sub(r"\|([^|]*)\|", r"abs(\1)", re.sub(r"\{(\w+)\}", r"_\1", result))
