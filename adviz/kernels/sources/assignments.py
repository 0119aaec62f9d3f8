"""Lines that give values to the names of a loop: before it, and at the end of an iteration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..terms.array_terms import Term
from .dialects import Dialect
from .lines import WIDTH, Line, changed_by


def begun(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Names that get their first values; those of constants share lines."""
    plain: list[tuple[str, str]] = []
    found: list[Line] = []
    for name, text in texts.items():
        if text == name:
            continue
        if not text.startswith(("np.zeros(", "zeros(", "np.eye(", "0.0")):
            found.append(Line(term, (f"{name} = {text}",), "", None, is_derivative))
            continue
        if plain and len(_all_at_once([*plain, (name, text)])) > WIDTH - 4:
            found.append(Line(term, (_all_at_once(plain),), "", None, is_derivative))
            plain = []
        plain.append((name, text))
    return [*found, Line(term, (_all_at_once(plain),), "", None, is_derivative)] if plain else found


def _all_at_once(pairs: Sequence[tuple[str, str]]) -> str:
    return f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}"


def assigned(term: Term, texts: Mapping[str, str], is_derivative: bool) -> list[Line]:
    """Names that get new values, all at once, or one by one where the line would be too long."""
    changed = {name: text for name, text in texts.items() if name != text}
    found: list[dict[str, str]] = []
    while changed and len(_all_at_once([*changed.items()])) > WIDTH - 8:
        name = next((name for name in changed if not _is_read(name, changed)), None)
        if name is None:
            break
        found.append({name: changed.pop(name)})
    found += [changed] if changed else []
    return [Line(term, (_all_at_once([*each.items()]),), "", None, is_derivative, 1) for each in found]


def _is_read(name: str, texts: Mapping[str, str]) -> bool:
    """Whether the text of another name has a name in it."""
    return any(re.search(rf"\b{name}\b", text) for other, text in texts.items() if other != name)


def added(term: Term, name: str, text: str, dialect: Dialect) -> Line:
    """What is added to an array or an entry of it in an iteration, or subtracted."""
    array, _, key = name.removesuffix("]").partition("[")
    is_made_anew = bool(key) and not dialect.changes_arrays
    statement = dialect.added(array, key, text) if is_made_anew else f"{name} {changed_by(text)}"
    return Line(term, (statement,), "", None, True, 1)
