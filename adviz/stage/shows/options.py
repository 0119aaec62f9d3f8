"""Options that shows have in common: names that are chosen among known ones, and the error for all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...graph.errors import AdvizError

Document = dict[str, Any]
Show = tuple[Document, bytes]  # a Scene and the buffer of its columns
Names = str | Iterable[str]
Engine = Callable[..., Any]

PANELS = ("graph", "tape", "table", "matrix", "code", "formula", "meters")  # the kinds of panels of a sweep


class ShowError(AdvizError, TypeError, ValueError):
    """A show was asked for something unknown; the message lists what there is.

    >>> chosen("panel", "graf", PANELS)
    Traceback (most recent call last):
    adviz.stage.shows.options.ShowError: no panel is called 'graf'; there are graph, tape, ...
    """


def chosen(what: str, given: Any, known: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Return the names in ``given``, one or several; instead of a name there may be what ``known`` has under it.

    >>> chosen("root", [abs, "max"], {"abs": abs, "max": max}), chosen("root", "abs", {"abs": abs})
    (['abs', 'max'], ['abs'])
    """
    meanings = known if isinstance(known, Mapping) else dict.fromkeys(known, object())
    several = isinstance(given, Iterable) and not isinstance(given, str)
    names = []
    for one in given if several else [given]:
        found = [name for name, meaning in meanings.items() if one is meaning or (isinstance(one, str) and one == name)]
        if not found:
            name = getattr(one, "__name__", one)
            raise ShowError(f"no {what} is called {name!r}; there are {', '.join(known)}")
        names.append(found[0])
    if not names:
        raise ShowError(f"no {what} is chosen; there are {', '.join(known)}")
    return names


def chosen_panels(given: Names | None, *defaults: str) -> Sequence[str]:
    """Return the kinds of panels to show, each once."""
    return defaults if given is None else list(dict.fromkeys(chosen("panel", given, PANELS)))
