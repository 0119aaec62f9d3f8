"""Words for what is on stage: labels of nodes, formulas, numbers, as plain text, never markup; and values as data.

Of a sentence is kept beside it which parts are mathematics, and which number is its result: letters alone do not tell
the variable a from the article. Whoever writes a formula into it says so. Prompts of questions have both, too.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from types import UnionType
from typing import Any, NotRequired, TypedDict

import numpy as np

from ...graph.files.saved_values import is_saved
from ...graph.graph import WRITE, Graph
from ...graph.origins import written_operand
from ...graph.scopes import EXPRESSION
from ...graph.wording import MOST_IN_A_NODE, counted, written_value
from ...graph.wording import entries as entries
from ...graph.wording import few as few
from ...graph.wording import kind as kind
from ...graph.wording import literal as literal
from ...graph.wording import number as number
from ...graph.wording import shape as shape
from .document import Question, TextMark
from .text_widths import printable

INFIX = {"+": "+", "-": "−", "*": "×", "/": "÷", "@": "@", "**": "^"}  # how operators are written
MOST_NUMBERS = 24  # the most numbers of an array that is written out
MOST_IN_A_SENTENCE = 6  # the most numbers of an array that is written out in a sentence
DIGITS = 6  # of a number that is written to a few decimals
TAKEN = "[ ]"  # the symbol of what takes entries
NOT_SAVED = "not saved"
"""Stands for a number of a graph that was saved without values."""
MOST_OF_A_NAME = 24  # the most characters of a name in a sentence


def decimals(value: float | np.ndarray) -> str:
    """Return a number to four decimals or six digits, with a true minus sign: ``0.5403``, ``−3``, ``1.2e−08``.

    >>> decimals(2.54030231), decimals(-3.0), decimals(1.23e-8), decimals(123456789.0), decimals(float("nan"))
    ('2.5403', '−3', '1.23e−08', '1.235e+08', 'NaN')
    >>> decimals(38137.8616), decimals(490683.1764)
    ('38137.9', '490683')
    """
    number_ = float(value)
    if number_ != number_:
        return "NaN"
    if abs(number_) == float("inf"):
        return "∞" if number_ > 0 else "−∞"
    if not number_:
        return "0"
    if not 1e-4 <= abs(number_) < 1e6:
        return f"{number_:.4g}".replace("-", "−")
    places = min(4, DIGITS - len(str(int(abs(number_)))))
    text = f"{number_:.{places}f}"
    return (text.rstrip("0").rstrip(".") if places else text).replace("-", "−")


def small(value: float) -> float:
    """Return by how much a number grows in a sentence: 0.01, but for large and small numbers a power of ten near 1 %.

    >>> small(1.5), small(-0.2), small(200_000.0), small(0.003), small(0.0)
    (0.01, 0.01, 1000.0, 1e-05, 0.01)
    """
    size = abs(value)
    return 0.01 if not 0 < size < math.inf or 0.1 <= size < 100 else 10.0 ** (math.floor(math.log10(size)) - 2)


def signed(value: float | np.ndarray) -> str:
    """Return a number in few characters, with a true minus sign.

    >>> signed(-3.0), signed(1.2e-08)
    ('−3', '1.2e−08')
    """
    return number(value).replace("-", "−")


def value(data: Any, digits: int = 4, most: int = MOST_IN_A_NODE) -> str:
    """Return a value in few characters: the number, the numbers of a small array, or the kind of a large one.

    >>> value(0.5), value(np.array([0.25, 1 / 3])), value(np.ones((2, 8)))
    ('0.5', '[0.25, 0.333]', '2×8 matrix')
    """
    if not is_saved(data):
        return kind(data.shape) if data.shape else NOT_SAVED
    return written_value(data, digits, most)


def constant(graph: Graph, index: int, place: int) -> str:
    """Return the constant at one of the places of a node: an array by its name in the source, if it has one there."""
    data = graph.literal(graph.operands(index)[place])
    named = written(graph, index, place) if isinstance(data, np.ndarray) else ""
    return shortened(named) if named else literal(data)


def written(graph: Graph, index: int, place: int, kind: type[ast.expr] | UnionType = ast.Name | ast.Attribute) -> str:
    """Return an operand as the source has it, if it is of this kind there; else "".

    Of a function that is composed of others only the first one has the operands that are written.
    """
    origin = graph.origin(index)
    is_first = all(graph.origin(node) != origin for node in graph.operand_nodes(index))
    return written_operand(origin, place, len(graph.operands(index)), kind) if is_first else ""


def operand(graph: Graph, reference: int) -> str:
    """Return an operand in a formula: ``v3`` or the constant."""
    return graph.numbered(reference) if reference >= 0 else literal(graph.literal(reference))


def formula(graph: Graph, index: int) -> str:
    """Return how a node was computed: ``v12 = sin(v3)``, ``v5 = v3 × 2``, ``v7 = v2[0]``."""
    operands = graph.operands(index)
    if not operands:
        return f"{graph.numbered(index)} = {shortened(graph.name(index) or graph.blocks[index].name)}"
    words = [operand(graph, each) if each >= 0 else constant(graph, index, k) for k, each in enumerate(operands)]
    return f"{graph.numbered(index)} = {applied(graph, index, words)}"


def applied(graph: Graph, index: int, words: list[str]) -> str:
    """Return the Block of a node applied to words: ``sin(2)``, ``3 × 2``, ``v2[0]``; of many words only some.

    >>> import adviz
    >>> applied(adviz.trace(lambda x: np.sum(np.sin(x)), np.ones(3)), 2, ["v1", "None", "False"])
    'sum(v1)'
    """
    block = graph.blocks[index]
    if block.operator in INFIX and len(words) == 2:
        return f"{words[0]} {INFIX[block.operator]} {words[1]}"
    if block.symbol == TAKEN and len(words) == 2:
        return f"{words[0]}[{words[1]}]"
    if block.name == WRITE:
        return f"{words[0]} with {words[1]} at [{words[2]}]"
    if block.name == "output":
        return words[0]
    return f"{shortened(block.name)}({', '.join(few(telling(words), '…'))})"


def telling(words: list[str]) -> list[str]:
    """Return operands without unused settings at the end."""
    used = [k for k, word in enumerate(words) if word not in ("None", "False")]
    return words[: used[-1] + 1] if used else []


def label(graph: Graph, index: int) -> str:
    """Return the label of a node: its symbol, with a constant if any (``× 2``), or the name of an input."""
    block, operands = graph.blocks[index], graph.operands(index)
    if block.name == "input":
        return graph.names.get(index, "input")
    if block.symbol == TAKEN and len(operands) == 2:
        return f"[{literal(graph.literal(operands[1]))}]" if operands[1] < 0 else "[ ]"
    if block.name == WRITE:
        return f"[{literal(graph.literal(operands[2]))}] =" if operands[2] < 0 else "[ ] ="
    if block.operator in INFIX and len(operands) == 2:
        symbol = INFIX[block.operator]
        if operands[1] < 0 <= operands[0]:
            return f"{symbol} {constant(graph, index, 1)}"
        if operands[0] < 0 <= operands[1]:
            return f"{constant(graph, index, 0)} {symbol}"
        return symbol
    return block.symbol


def detail(graph: Graph, index: int) -> str:
    """Return the second line of a node: its name in the source, and its value or shape."""
    one_of_many = graph.scopes.kinds[graph.scopes.of_node[index]] == EXPRESSION  # the name is that of the whole array
    one_of_many = one_of_many and graph.blocks[index].name != WRITE
    name = None if one_of_many or graph.blocks[index].name == "input" else graph.name(index)
    named = f"{name} = " if name else ""
    return named + value(graph.values[index], most=MOST_IN_A_NODE - len(named))


def title(graph: Graph, index: int) -> str:
    """Return a node in one sentence, for screen readers."""
    name, uses = graph.name(index), graph.times_used[index]
    words = [f"{graph.blocks[index].name}, node {index}"]
    if name:
        words.append(f"named {name}")
    data = graph.values[index]
    words.append(kind(np.shape(data)) if np.ndim(data) else f"value {value(data)}")
    words.append("not used by any output" if not graph.live[index] else f"used {times(uses)}")
    return ", ".join(words)


def times(count: int) -> str:
    """Return a count in words: ``once``, ``twice``, ``3 times``."""
    return {0: "by nothing else", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def writes(graph: Graph, nodes: Sequence[int]) -> str:
    """Return the arrays that some nodes write to, and the number of writes: ``out · 400 writes``; "" if none."""
    written = [node for node in nodes if graph.blocks[node].name == WRITE]
    one_of_each = {(graph.calls[node], graph.offsets[node]): node for node in written}
    names = dict.fromkeys(name for node in one_of_each.values() if (name := graph.name(node)))
    text = f"{', '.join(few([shortened(name) for name in names], '…', 3))} · " if names else ""
    return f"{text}{plural(len(written), 'write')}" if written else ""


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 node``, ``2,000 nodes``."""
    return counted((count, noun))


# ---- sentences ----


def numbers(data: Any) -> str:
    """Return a value in a sentence: a number, a small array, or the kind and the norm of a large one.

    >>> numbers(2.5), numbers(np.arange(3.0)), numbers(np.ones((8, 8)))
    ('2.5', '[0, 1, 2]', 'an 8×8 matrix with norm 8')
    """
    if np.ndim(data) == 0:
        return number(data)
    array = np.asarray(data, float)
    if 0 < array.size <= MOST_IN_A_SENTENCE:
        return entries(array)
    return f"{a(kind(array.shape))} with norm {number(norm(array))}"


def a(words: str) -> str:
    """Return words with their article: ``a vector of length 3``, ``an 8×8 matrix``, ``an array``."""
    return f"an {words}" if re.match(r"8|1[18]\b|array\b", words) else f"a {words}"


def bracketed(text: str) -> str:
    """Return a number as a second term or factor: in brackets if it is negative."""
    return f"({text})" if text.startswith(("-", "−")) else text


def norm(array: np.ndarray) -> float:
    """Return the Euclidean norm of all entries, without warnings."""
    with np.errstate(all="ignore"):
        result = float(np.linalg.norm(array))
        if result == np.inf and np.isfinite(largest := float(np.max(np.abs(array)))):  # the squares overflow
            result = largest * float(np.linalg.norm(array / largest))
        return result


def listed(words: list[str]) -> str:
    """Return words as a list: ``a``, ``a and b``, ``a, b and c``.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def clauses(texts: Sequence[str]) -> str:
    """Return clauses one after the other.

    >>> clauses(["x receives 1", "y receives 2", "z receives 3"]), clauses(["x receives 1", "y receives 2"])
    ('x receives 1, y receives 2, and z receives 3', 'x receives 1, and y receives 2')
    """
    return ", and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def amount(count: int) -> str:
    """Return an exact amount of memory: ``1 byte``, ``1,024 bytes``."""
    return plural(count, "byte")


def shortened(name: str) -> str:
    """Return a name of the program in few visible characters.

    >>> shortened("a_name_that_goes_on_and_on_and_on"), shortened("no\u202ehidden")
    ('a_name_that_goes_on_and…', 'no�hidden')
    """
    seen = printable(name[: MOST_OF_A_NAME + 1])
    return seen if len(seen) <= MOST_OF_A_NAME else f"{seen[: MOST_OF_A_NAME - 1]}…"


# ---- values on stage ----


class ArrayOnStage(TypedDict):
    """An array on stage: all its entries, or its norm where there are too many."""

    shape: list[int]
    data: NotRequired[list[float | str]]
    norm: NotRequired[float | str]


OnStage = float | str | ArrayOnStage | None
"""A value as the Scene holds it; a text stands for NaN or an infinity, ``None`` for no value."""


def carried(value: Any) -> OnStage:
    """Return a value as the Scene holds it: numbers, truth values, small arrays whole, large ones by shape and norm.

    >>> carried(0.5), carried(float("nan")), carried(np.ones(2)), carried(np.ones(100))
    (0.5, 'NaN', {'shape': [2], 'data': [1.0, 1.0]}, {'shape': [100], 'norm': 10.0})
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, tuple):  # a priority on a heap: the negative rank, then the order
        return -value[0]
    if np.ndim(value) == 0:
        return _number(value)
    array = np.asarray(value, float)
    if array.size <= MOST_NUMBERS:
        return {"shape": list(array.shape), "data": list(map(_number, array.ravel().tolist()))}
    return {"shape": list(array.shape), "norm": _number(norm(array))}


def _number(value: float) -> float | str:
    return float(value) if math.isfinite(value) else number(value)


# ---- mathematics in sentences ----


BEGINS, ENDS = "\ue000", "\ue001"
"""Around a formula; ``text_widths.printable`` replaces such characters in names and values of the user's."""
SIGNS = {"\ue002": -1, "\ue003": 0, "\ue004": 1}
"""Before a result: its sign."""
FORMULA = re.compile(r"(∂*)\ue000([^\ue001]*)\ue001([ᵀ′⁻⁰¹²³⁴-⁹]*)")
LETTER = re.compile(r"[^\W\d_]")
NOTES = re.compile(f"[{BEGINS}{ENDS}{''.join(SIGNS)}]")


def mathematics(text: str) -> str:
    """Return a formula for a sentence."""
    return f"{BEGINS}{plain(text)}{ENDS}"


def result(text: str, value: Any) -> str:
    """Return a number for a sentence: what the sentence comes to."""
    return f"{BEGINS}{[*SIGNS][int(np.sign(value)) + 1]}{text}{ENDS}" if np.isfinite(value) else text


def ending_in_result(text: str, value: Any) -> str:
    """Return an equation for a sentence with its last word as the result.

    >>> plain(ending_in_result("2 + 0.5 = 2.5", 2.5)), marked(ending_in_result("2 + 0.5 = 2.5", 2.5))
    ('2 + 0.5 = 2.5', ('2 + 0.5 = 2.5', [[10, 13, 1]]))
    """
    before, space, last = text.rpartition(" ")
    return f"{before}{space}{result(last, value)}"


def plain(sentence: str) -> str:
    """Return a sentence as it is read."""
    return NOTES.sub("", sentence)


def marked(sentence: str) -> tuple[str, list[TextMark]]:
    """Return a sentence as it is read, and from where to where it is mathematics.

    >>> marked(f"So {mathematics('x')} receives {mathematics('∂f/∂x')} = {result('−2', -2)}.")
    ('So x receives ∂f/∂x = −2.', [[3, 4, None], [14, 19, None], [22, 24, -1]])
    """
    marks: list[TextMark] = []
    left_out = 0  # of the signs around formulas before, which are no part of the sentence as it is read
    for match in FORMULA.finditer(sentence):
        text = plain(match[0])
        start = _units(sentence, match.start()) - left_out
        left_out += len(match[0]) - len(text)
        sign = SIGNS.get(match[2][:1])
        if sign is not None or LETTER.search(text):
            marks.append([start, _units(sentence, match.end()) - left_out, sign])
    return plain(sentence), marks


def in_lines(text: str, marks: Iterable[TextMark], lines: Iterable[str]) -> Iterator[tuple[tuple[int, int, Any], ...]]:
    """Yield for each line of a text which parts of it are mathematics, counted in characters.

    The last line may be cut.

    >>> [*in_lines("So x is x·y = −2.", [[3, 4, None], [8, 11, None], [14, 16, -1]], ["So x is x·y", "= −…"])]
    [((3, 4, None), (8, 11, None)), ((2, 3, -1),)]
    """
    units = text.encode("utf-16-le")
    places = [(*(len(units[: 2 * at].decode("utf-16-le")) for at in (start, end)), sign) for start, end, sign in marks]
    at = 0
    for line in lines:
        shown = line.removesuffix("…")
        first = max(text.find(shown, at), at)
        at = first + len(shown)
        cut = [(max(start, first) - first, min(end, at) - first, sign) for start, end, sign in places]
        yield tuple((start, end, sign) for start, end, sign in cut if start < end)


def _units(text: str, end: int) -> int:
    """Return how many units of UTF-16 the beginning of a text has: that is what a page counts."""
    return len(text[:end].encode("utf-16-le")) // 2


# ---- questions ----


TOLERANCE = 0.006  # of an answer, relative to the right one
MOST_CHOICES = 5

WrongNumber = tuple[float, str]
"""A wrong answer, with what was probably mistaken."""


def number_question(
    prompt: str,
    answer: Any,
    wrong: Iterable[WrongNumber],
    hint: str,
    edge: tuple[int, int] | None = None,
    nodes: list[int] | None = None,
    tolerance: float = TOLERANCE,
) -> Question:
    """Return a question for a number; ``wrong`` are answers that people give, each with what they mistake."""
    question: Question = {
        "kind": "number",
        "prompt": prompt,
        "answer": float(answer),
        "tolerance": tolerance,
        "hint": hint,
        "diagnoses": [[each, why] for each, why in wrong],
    }
    return _about(question, edge, nodes)


def choice_question(
    prompt: str,
    right: str,
    wrong: Iterable[tuple[str, str]],
    hint: str,
    edge: tuple[int, int] | None = None,
    nodes: list[int] | None = None,
    most: int = MOST_CHOICES,
) -> Question:
    """Return a question with its choices in an order that does not depend on which one is right."""
    diagnoses: dict[str, str] = {}
    for text, why in wrong:
        if text != right and len(diagnoses) < most - 1:
            diagnoses.setdefault(text, why)
    question: Question = {
        "kind": "choice",
        "prompt": prompt,
        "answer": right,
        "choices": sorted([right, *diagnoses], key=lambda text: (len(text), text)),
        "hint": hint,
        "diagnoses": [[text, why] for text, why in diagnoses.items()],
    }
    return _about(question, edge, nodes)


def _about(question: Question, edge: tuple[int, int] | None, nodes: list[int] | None) -> Question:
    question["prompt"], marks = marked(question["prompt"])
    if marks:
        question["marks"] = marks
    if edge is not None:
        question["edge"] = f"{edge[0]}/{edge[1]}"
    question["nodes"] = nodes or []
    return question
