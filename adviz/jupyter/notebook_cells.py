"""Note which notebook cell shows which views, and close the views that a cell run again no longer shows.

A displayed widget stays in the registries of ipywidgets and of the kernel, with everything it holds, until it is
closed; a notebook, however, discards the output of a cell when the cell is run again. Views are therefore noted by
cell. After a cell has been run again, those of its former views that no cell shows any more are closed. They can be
shown again: see :class:`~.view.View`.

The front end says which cell it runs (JupyterLab and VS Code do); where it does not, nothing is closed. Nor is anything
closed that was shown by a callback or in an ``Output`` widget.
"""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakSet

from IPython import get_ipython
from ipywidgets import Output
from ipywidgets.widgets import widget as registry


class Shown(Protocol):
    """A view that can be closed and shown again."""

    def put_away(self) -> None:
        """Close the view."""


class Cells:
    """The views shown, by the id of their cell, and those whose cell is not known."""

    def __init__(self) -> None:
        self.shown: dict[str, WeakSet[Shown]] = {}
        self.elsewhere: WeakSet[Shown] = WeakSet()
        self.replaced: WeakSet[Shown] = WeakSet()
        self.shell: Any = None

    def show(self, view: Shown) -> None:
        """Note that the present cell shows a view."""
        shell = get_ipython()
        self.watch(shell)
        # What goes into an ``Output`` widget may stand in any cell.
        is_captured = any(isinstance(widget, Output) and widget.msg_id for widget in list(registry._instances.values()))
        cell = None if is_captured else present_cell(shell)
        (self.elsewhere if cell is None else self.shown.setdefault(cell, WeakSet())).add(view)

    def watch(self, shell: Any) -> None:
        """Listen to a shell for cells being run; once per shell."""
        if shell is not None and shell is not self.shell:
            shell.events.register("pre_run_cell", self.begin)
            shell.events.register("post_run_cell", self.end)
            self.shell = shell

    def begin(self, _: Any = None) -> None:
        """Before a cell is run: its former views are about to disappear."""
        cell = present_cell(self.shell)
        if cell is not None:
            self.replaced |= self.shown.pop(cell, WeakSet())

    def end(self, _: Any = None) -> None:
        """After a cell was run: close the former views that no cell shows any more."""
        replaced, self.replaced = self.replaced, WeakSet()
        for view in replaced:
            if view not in self.elsewhere and not any(view in views for views in self.shown.values()):
                view.put_away()


def present_cell(shell: Any) -> str | None:
    """Return the front end's id of the cell being run, or ``None`` if it has not given one."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    found = kernel.get_parent().get("metadata", {}).get("cellId")
    return found if isinstance(found, str) else None


cells = Cells()
