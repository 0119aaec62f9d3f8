"""Write the Scene's readers for the front end, and with them its types: `python widgets/scene_types.py`.

They come from the types in adviz/stage/scene, which document.py lists. A test tells whether they are up to date.
"""

import json
import re
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from adviz.stage.scene.schema import ALIASES, OBJECTS, name_of, tags_of

FOLDER = Path(__file__).parent / "src" / "scene"
BANNER = "// Written by widgets/scene_types.py from the types in adviz/stage/scene, where each is described.\n\n"
CHECKS = {str: "text", bool: "truth", int: "integer", float: "number", Any: "anything"}
COMBINED = (
    "anything, bezier, either, headed, integer, list, mapping, nullable, number, oneOf, optional, record, tagged, "
    "text, truth, tuple"
)
CALL = re.compile(r"\b(either|headed|list|mapping|nullable|oneOf|optional|record|tagged|tuple)\(")
"""A call that makes a check; the bundle leaves out those of documents that are taken as they come."""
ROOTS = ("Scene", "Show", "Detail", "Adjoints")


def is_rest(hint: Any) -> bool:
    """Whether an entry of a tuple stands for any number of entries: ``*tuple[X, ...]``."""
    return get_origin(hint) is tuple and Ellipsis in get_args(hint)


def fields(typed: Any) -> dict[str, tuple[Any, bool]]:
    """Of each field of an object its type, and whether it may be left out."""
    hints = get_type_hints(typed, include_extras=True)
    return {
        name: (get_args(hint)[0], True) if get_origin(hint) is NotRequired else (hint, False)
        for name, hint in hints.items()
    }


def readers() -> str:
    """The checks of what the page reads, each before those that need it and with the type of what it lets pass."""
    found: dict[str, str] = {"Bezier": "", "Formula": ""}
    found["Formula"] = check_of(ALIASES["Formula"], found)
    for root in ROOTS:
        named(OBJECTS[root], root, found)
    del found["Bezier"]
    lines = [
        f"export const {name}{': Check<Formula>' * (name == 'Formula')} = {text};\n"
        f"export type {name} = {formula_type() if name == 'Formula' else f'Of<typeof {name}>'};\n"
        for name, text in found.items()
    ]
    lines = [CALL.sub(r"/* @__PURE__ */ \1(", line) for line in lines]
    return f'{BANNER}import {{ type Check, type Of, {COMBINED} }} from "./check.js";\n\n{"".join(lines)}'


def formula_type() -> str:
    """The type that holds itself, which cannot be that of its check."""
    return " | ".join(as_type(option) for option in get_args(get_args(ALIASES["Formula"])[1]))


def as_type(hint: Any) -> str:
    """A part of a formula in TypeScript."""
    if hint is str or isinstance(hint, str):
        return "string" if hint is str else hint
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return as_type(parts[1])
    if kind is Literal:
        return json.dumps(parts[0])
    if kind is list:
        return f"{as_type(parts[0])}[]"
    return f"[{', '.join(f'...{as_type(get_args(part)[0])}[]' if is_rest(part) else as_type(part) for part in parts)}]"


def named(hint: Any, name: str, found: dict[str, str]) -> str:
    """The name of a check, which is written where it is not yet."""
    if name not in found:
        found[name] = check_of(hint, found)
    return "bezier" if name == "Bezier" else name


def as_check(hint: Any, found: dict[str, str]) -> str:
    if isinstance(hint, str):  # a type that holds itself
        return f"(value) => {hint}(value)"
    name = name_of(hint)
    return named(hint, name, found) if name else check_of(hint, found)


def check_of(hint: Any, found: dict[str, str]) -> str:
    """A check written out, whether or not it has a name."""
    if hint in CHECKS:
        return CHECKS[hint]
    kind, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        checks = {name: (as_check(each, found), optional) for name, (each, optional) in fields(hint).items()}
        return f"record({listed({name: f'optional({text})' if it else text for name, (text, it) in checks.items()})})"
    if kind is Annotated:
        return as_check(parts[1], found)
    if kind is Literal:
        return f"oneOf({', '.join(map(json.dumps, parts))})"
    if kind is dict:
        return f"mapping({as_check(parts[1], found)})"
    if kind is list:
        return f"list({as_check(parts[0], found)})"
    if kind is tuple:
        return f"tuple({', '.join(as_check(part, found) for part in parts)})"
    return union(parts, found)


def union(options: tuple[Any, ...], found: dict[str, str]) -> str:
    """One of several types; those that a word tells apart are told apart by it."""
    others = [option for option in options if option is not NoneType]
    if len(others) < len(options):
        return f"nullable({as_check(others[0], found)})"
    cases = {tag: option for option in options for tag in tags_of(option)}
    if not cases:
        return f"either({', '.join(as_check(option, found) for option in options)})"
    if is_typeddict(options[0]):
        return f'tagged("kind", {listed({tag: as_check(option, found) for tag, option in cases.items()})})'
    return f"headed({listed({tag: tail(option, found) for tag, option in cases.items()})})"


def tail(option: Any, found: dict[str, str]) -> str:
    """What follows the word at the head of a list: one check each, or a single one for all."""
    rest = get_args(option)[1:]
    if is_rest(rest[0]):
        return as_check(get_args(rest[0])[0], found)
    return f"[{', '.join(as_check(part, found) for part in rest)}]"


def listed(entries: dict[str, str]) -> str:
    """An object of JavaScript."""
    return f"{{ {', '.join(f'{name}: {text}' for name, text in entries.items())} }}"


FILES = {"document.ts": readers}

if __name__ == "__main__":
    for name, text in FILES.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")
