"""Options that shows have in common: names that are chosen among known ones, and the error for all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args

from ...graph.errors import OptionError
from ...graph.timeline import Step
from ..scene import document

Show = tuple[document.Show, bytes]  # a Scene and the buffer of its columns
Names = str | Iterable[str]
Engine = Callable[..., Iterator[Step]]
Name = TypeVar("Name", bound=str)

PanelKind = Literal["graph", "tape", "table", "matrix", "code", "result", "nudge", "formula", "meters"]
PANELS: tuple[PanelKind, ...] = get_args(PanelKind)
"""The kinds of panels of a sweep. Results and nudges stand beside a single sweep whose graph is seen at once."""


class ShowError(OptionError):
    """A show was asked for something unknown; the message lists what there is.

    >>> chosen("panel", "graf", PANELS)
    Traceback (most recent call last):
    adviz.stage.shows.options.ShowError: no panel is called 'graf'; there are graph, tape, ...
    """


def chosen(what: str, given: object, known: Mapping[Name, object] | Sequence[Name]) -> list[Name]:
    """Return the names in ``given``, one or several; instead of a name there may be what ``known`` has under it.

    >>> chosen("root", [abs, "max"], {"abs": abs, "max": max}), chosen("root", "abs", {"abs": abs})
    (['abs', 'max'], ['abs'])
    """
    meanings = known if isinstance(known, Mapping) else dict.fromkeys(known, object())
    names: list[Name] = []
    for one in given if isinstance(given, Iterable) and not isinstance(given, str) else [given]:
        same = [name for name, meaning in meanings.items() if one is meaning or (isinstance(one, str) and one == name)]
        if not same:
            name = getattr(one, "__name__", one)
            raise ShowError(f"no {what} is called {name!r}; there are {', '.join(known)}")
        names.append(same[0])
    if not names:
        raise ShowError(f"no {what} is chosen; there are {', '.join(known)}")
    return names


def chosen_kinds(given: Names | None, known: Sequence[Name], *defaults: Name) -> Sequence[Name]:
    """Return the kinds of panels to show, each once: the defaults unless some are given."""
    return defaults if given is None else list(dict.fromkeys(chosen("panel", given, known)))


def show_document(
    scene: document.Scene,
    panels: list[document.Panel],
    steps: list[document.Step],
    runs: list[document.Run],
    teach: bool,
    **more: Any,
) -> document.Show:
    """Return a show on the Scene of its program; ``more`` are the fields that only some shows have."""
    if not isinstance(teach, bool):
        raise ShowError(f"teach is {teach!r}; it can be True or False")
    show: Any = {**scene, "panels": panels, "steps": steps, "runs": runs, "inputs": [], "teach": teach, **more}
    result: document.Show = show
    return result


def chosen_jacobian(jacobian: object, known: Sequence[object], given: object, what: str) -> list[PanelKind]:
    """Check the option ``jacobian``; return the panel that it fills. What is ``given`` beside it leaves no choice."""
    if not (isinstance(jacobian, bool | str) and jacobian in known):
        raise ShowError(f"jacobian is {jacobian!r}; it can be {', '.join(map(repr, known))}")
    if jacobian and given is not None:
        raise ShowError(f"the Jacobian takes every direction: give {what} or jacobian, not both")
    return ["matrix"] if jacobian else []
