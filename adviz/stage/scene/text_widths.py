"""How wide a text is, which part of it is drawn, and in which lines.

The widths are those of the two fonts in `fonts/`, kept as a table, so that measuring needs no font library and the
layout is the same on every machine. Both fonts are wide: text that fits in them also fits in the fonts of a browser.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

ELLIPSIS = "…"
WIDE = 1000  # the advance of a character that the fonts lack: a square
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # Unicode categories
JOINERS = "\u200c\u200d"
LONGEST = 250  # characters of a label that are read
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
BRACKETS = {"(": ")", "[": "]"}
NUMBERED = re.compile("(?<=.)⁽[^⁾]*⁾$")
KEYWORD = re.compile(r", \w+=(\([^()]*\)|[^,()]+)")


@cache
def advances(font: str) -> dict[str, int]:
    """Return {character: advance in thousandths of the font size} of the font "sans" or "mono"."""
    table = json.loads(files("adviz.stage").joinpath("fonts/advances.json").read_text(encoding="utf-8"))
    return {character: int(advance) for advance, characters in table[font].items() for character in characters}


@lru_cache(maxsize=10_000)
def printable(text: str) -> str:
    """Return `text` on one line, with every character that is invisible or that reorders its neighbors made visible.

    So a label cannot hide its text (U+202E reverses the reading direction), and is valid in XML.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(UNKNOWN if invisible(character) else character for character in " ".join(text.split()))


def invisible(character: str) -> bool:
    """Return whether a character has no shape of its own. (Joiners only choose between shapes of their neighbors.)"""
    return unicodedata.category(character) in INVISIBLE and character not in JOINERS


@lru_cache(maxsize=10_000)
def width(text: str, size: float, font: str = "sans") -> float:
    """Return the width of `text` in px at the font size `size`."""
    table = advances(font)
    return size / 1000 * sum(table[each] if each in table else 0 if joins(each) else WIDE for each in text)


def joins(character: str) -> bool:
    """Return whether a character has no width of its own: an accent, a joiner, a variation selector."""
    return unicodedata.category(character) in ("Mn", "Me", "Cf")


def fit(text: str, size: float, limit: float, font: str = "sans") -> str:
    """Return `text`, or as much of its beginning as fits into `limit` px together with an ellipsis."""
    start = printable(text[:LONGEST])
    if len(text) <= LONGEST and width(start, size, font) <= limit:
        return start
    room = limit - width(ELLIPSIS, size, font)
    end, used = 0, 0.0
    while end < len(start) and (used := used + width(start[end], size, font)) <= room:
        end += 1
    while 0 < end < len(start) and joins(start[end]):
        end -= 1  # never a letter without its accents
    return start[:end].rstrip() + ELLIPSIS


def unkeyed(name: str) -> str:
    """Return a name without keyword arguments.

    >>> unkeyed("z − max(z, axis=(0, 1), keepdims=True)")
    'z − max(z)'
    """
    return KEYWORD.sub("", name)


def fit_formula(text: str, size: float, limit: float) -> str:
    """Return a formula that fits, with "…" for what is in brackets, or for its end.

    Keyword arguments are left out first, then what is in inner brackets, then in outer ones. Else as much of the
    beginning is left as fits, cut between symbols, with brackets closed. The name of a function stays with its
    bracket: without one it would be set as a variable is. The number of an iterate is kept: it tells names apart.

    >>> fit_formula("1 + tan(E / 2)²", 10, 65), fit_formula("1 + tan(E / 2)²", 10, 45)
    ('1 + tan(…)²', '1 +…')
    >>> fit_formula("((x − mu)/sigma)²", 10, 70), fit_formula("((x − mu)/sigma)²", 10, 45)
    ('((…)/sigma)²', '(…)²')
    >>> fit_formula("x·x − a·(y + z)", 10, 40), fit_formula("factorial⁽²⁾", 10, 46)
    ('x·x −…', 'facto…⁽²⁾')
    """
    text = printable(text[:LONGEST])
    if width(text, size) > limit and (number := NUMBERED.search(text)):
        return fit_formula(text[: number.start()], size, limit - width(number[0], size)) + number[0]
    text = text if width(text, size) <= limit else unkeyed(text)
    if width(text, size) > limit:
        for shorter in _elided(text):
            if width(shorter, size) <= limit:
                return shorter
    whole = fit(text, size, limit)
    if whole == text or not whole.endswith(ELLIPSIS):
        return whole
    ends = [match.end() for match in re.finditer(r"\w+|\W", whole) if match[0] != ELLIPSIS]
    for end in reversed(ends):
        start, after = text[:end].rstrip(), text[end : end + 1]
        is_inside = start[-1:].isalnum() and (after.isalnum() or after in BRACKETS)  # a word, or a call
        if not re.search(r"\w", start) or joins(after) or is_inside:
            continue
        opened: list[str] = []
        for letter in start:
            if letter in BRACKETS:
                opened.append(BRACKETS[letter])
            elif opened and letter == opened[-1]:
                opened.pop()
        if width(cut := start + ELLIPSIS + "".join(reversed(opened)), size) <= limit:
            return cut
    return whole


def _elided(text: str) -> Iterator[str]:
    """Yield a formula with "…" for what is in its innermost round brackets, then in those around them.

    There is always something outside of brackets. An index stays: it tells which entry is meant.
    """
    depths, depth = list[int](), 0
    for letter in text:
        depth -= letter == ")"
        depths.append(depth)
        depth += letter == "("
    for most in range(0 if depth else max(depths, default=0), 0, -1):
        inside = [at >= most for at in depths]
        result = "".join(
            "" if within and before else ELLIPSIS if within else letter
            for letter, within, before in zip(text, inside, [False, *inside], strict=False)
        )
        if re.search(r"[^()…]", result):
            yield result


# ---- texts in lines ----

SPACE = re.compile(r" (?![^\[]*\])")  # between words; the numbers of an array stay together


def fitting(texts: Sequence[str], size: float, room: float, font: str = "sans") -> str:
    """Return the first of some texts that fits into ``room`` px, or as much of the last as fits."""
    return next((text for text in texts if width(text, size, font) <= room), "") or fit(texts[-1], size, room, font)


def wrapped(text: str, size: float, room: float, most: int) -> list[str]:
    """Return a text in at most ``most`` lines of ``room`` px, broken between words; a longer text ends in "…".

    >>> wrapped("one two three", 10, 45, 2), wrapped("is [1, 2]", 10, 38, 2)
    (['one two', 'three'], ['is', '[1, 2]'])
    """
    words = SPACE.split(printable(text))
    lines: list[str] = []
    while words and len(lines) < most - 1:
        count = next((k for k in range(2, len(words) + 1) if width(" ".join(words[:k]), size) > room), len(words) + 1)
        lines.append(fit(" ".join(words[: count - 1]), size, room))
        words = words[count - 1 :]
    return [*lines, *([fit(" ".join(words), size, room)] if words else [])]
