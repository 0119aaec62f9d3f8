"""The keyframes of a show: where it rests, and what it says there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .document import Rest, Show


def coarsest(show: Show | Mapping[str, Any]) -> str:
    """Return the level at which a show opens: line by line, where it is told so, or else node by node.

    >>> coarsest({"steps": [{"rests": {"lines": {"name": "seed"}}}, {}]}), coarsest({"steps": [{}]})
    ('lines', 'nodes')
    """
    return "lines" if any("lines" in step.get("rests", ()) for step in show["steps"]) else "nodes"


def keyframes(show: Show | Mapping[str, Any], level: str = "nodes") -> Iterator[tuple[int, Rest]]:
    """Yield the numbers of the steps after which a show rests at a level, with what is said there.

    >>> list(keyframes({"steps": [{"rests": {"edges": {"name": "seed"}}}, {}]}, "edges"))
    [(0, {'name': 'seed'})]
    """
    for number, step in enumerate(show["steps"]):
        if keyframe := step.get("rests", {}).get(level):
            yield number, keyframe
