"""The check of a Scene by a JSON Schema that is derived from the types in :mod:`~adviz.stage.scene.document`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from ...graph.errors import AdvizError
from . import algebra_panels, document, flow_panel, node_details, panels

Schema = dict[str, Any]

MODULES = (panels, algebra_panels, flow_panel, document, node_details)
TYPES = {name: each for module in MODULES for name, each in vars(module).items()}
OBJECTS = {name: each for name, each in TYPES.items() if is_typeddict(each) and not name.startswith("Unplaced")}
ALIASES = {
    name: TYPES[name] for name in ("Bezier", "Copy", "Edit", "EdgeOf", "Formula", "Label", "Panel", "Span", "TextMark")
}
"""Types with a name of their own that are not objects."""
PRIMITIVES = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


class SceneError(AdvizError, ValueError):
    """A document that is not a Scene; the message names the place."""


def check(scene: Any) -> None:
    """Raise :class:`SceneError`, naming the place, unless ``scene`` is a Scene, and the Scene of a show if it has runs.

    >>> check({"version": 2})
    Traceback (most recent call last):
    adviz.stage.scene.schema.SceneError: scene.title is missing
    """
    from fastjsonschema import JsonSchemaValueException

    is_show = isinstance(scene, dict) and bool(scene.get("runs"))
    try:
        _validator("Show" if is_show else "Scene")(scene, name_prefix="scene")
    except JsonSchemaValueException as error:
        missing = [key for key in error.rule_definition if key not in error.value] if error.rule == "required" else []
        raise SceneError(f"{error.name}.{missing[0]} is missing" if missing else error.message) from None
    if is_show:
        _check_runs(scene)


def _check_runs(scene: dict[str, Any]) -> None:
    """Check that steps and panels name runs of the show."""
    known = [run["id"] for run in scene["runs"]]
    for name, entries in {"steps": scene["steps"], "panels": scene["panels"]}.items():
        for k, entry in enumerate(entries):
            if (run := entry.get("run", known[0])) not in known:
                raise SceneError(f"scene.{name}[{k}].run must be one of {known}, not {run!r}")


@cache
def _validator(name: str) -> Callable[..., Any]:
    import fastjsonschema

    validator: Callable[..., Any] = fastjsonschema.compile({**schema(), "$ref": f"#/definitions/{name}"})
    return validator


# ---- the JSON Schema ----


def schema() -> Schema:
    """Return the types of the Scene as definitions of a JSON Schema (draft 7).

    >>> schema()["definitions"]["Run"]["required"]
    ['id', 'label', 'kind']
    """
    objects = {name: _object(get_type_hints(each, include_extras=True)) for name, each in OBJECTS.items()}
    aliases = {name: _schema(each, is_definition=True) for name, each in ALIASES.items()}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": objects | aliases}


def _object(fields: dict[str, Any]) -> Schema:
    return {
        "type": "object",
        "required": [name for name, hint in fields.items() if get_origin(hint) is not NotRequired],
        "properties": {name: _schema(hint) for name, hint in fields.items()},
    }


def _schema(hint: Any, *, is_definition: bool = False) -> Schema:
    if (name := name_of(hint)) and not is_definition:
        return {"$ref": f"#/definitions/{name}"}
    if hint is Any:
        return {}
    if hint in PRIMITIVES:
        return {"type": PRIMITIVES[hint]}
    kind, parts = get_origin(hint), get_args(hint)
    if kind is NotRequired:
        return _schema(parts[0])
    if kind is Annotated:
        return _schema(parts[0]) | dict(parts[1:]) if isinstance(parts[1], tuple) else _schema(parts[1])
    if kind is Literal:
        return {"enum": list(parts)}
    if kind is list:
        return {"type": "array", "items": _schema(parts[0])}
    if kind is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    if kind is tuple:
        return _tuple(parts)
    return _union(parts)


def name_of(hint: Any) -> str | None:
    """Return the name of a type that has one; in a type that holds itself the name stands in its place."""
    if isinstance(hint, str):
        return hint
    return hint.__name__ if is_typeddict(hint) else next((name for name, each in ALIASES.items() if each == hint), None)


def _tuple(parts: tuple[Any, ...]) -> Schema:
    if get_origin(parts[-1]) is tuple:  # *tuple[X, ...]
        parts, further = parts[:-1], _schema(get_args(parts[-1])[0])
        return {"type": "array", "items": [_schema(part) for part in parts], "additionalItems": further}
    size = len(parts)
    return {"type": "array", "items": [_schema(part) for part in parts], "minItems": size, "maxItems": size}


def _union(options: tuple[Any, ...]) -> Schema:
    """Return one of several types, told apart before they are checked, so that a fault is found at its place."""
    if all(option in PRIMITIVES for option in options):
        return {"type": [PRIMITIVES[option] for option in options]}
    if all(map(tags_of, options)):  # side by side: the compiled check nests no deeper than Python lets it
        known = _tagged(options[0], [tag for option in options for tag in tags_of(option)])
        return {"allOf": [known, *({"if": _sign(option), "then": _schema(option)} for option in options)]}
    *others, last = sorted(options, key=lambda option: option not in PRIMITIVES)
    result = _schema(last)
    for option in reversed(others):
        result = {"if": _sign(option), "then": _schema(option), "else": result}
    return result


def _sign(option: Any) -> Schema:
    """Return what a value of one type has, and none of the others: its tag, its first field, or its primitive type."""
    if tags := tags_of(option):
        return _tagged(option, tags)
    return {"required": [next(iter(get_type_hints(option)))]} if is_typeddict(option) else _schema(option)


def tags_of(option: Any) -> list[str]:
    """Return the words that tell a type from others, in the field ``kind`` or at the head of a list."""
    tag = get_type_hints(option).get("kind") if is_typeddict(option) else next(iter(get_args(option)), None)
    return list(get_args(tag)) if get_origin(tag) is Literal else []


def _tagged(option: Any, tags: list[str]) -> Schema:
    return {"properties": {"kind": {"enum": tags}}} if is_typeddict(option) else {"items": [{"enum": tags}]}
