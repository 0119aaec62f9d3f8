"""Which cell of a notebook shows which views: when a cell is run again, what it no longer shows is closed.

A widget that was shown stays in the registries of ipywidgets and of the kernel, with all that it shows, until somebody
closes it; a notebook, though, throws away what a cell has shown when the cell is run again. Views are therefore noted
by cell. After the cell was run again, those of them that no cell shows any more are closed. They can be shown again:
see :class:`~.view.View`.

Front ends say which cell they run, JupyterLab and VS Code do; where none is named nothing is closed. So it is with what
was shown by a callback, or into an ``Output`` widget.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ipywidgets import Output
from ipywidgets.widgets import widget as registry

if TYPE_CHECKING:
    from .view import View


class Cells:
    """The views that cells show, by the cell's id, and those that are shown no one knows where."""

    def __init__(self) -> None:
        self.shown: dict[str, WeakSet[View]] = {}
        self.elsewhere: WeakSet[View] = WeakSet()
        self.replaced: WeakSet[View] = WeakSet()
        self.shell: Any = None

    def show(self, view: View) -> None:
        """Note that the present cell shows a view."""
        shell = _shell()
        self.watch(shell)
        cell = None if _is_captured() else present_cell(shell)
        (self.elsewhere if cell is None else self.shown.setdefault(cell, WeakSet())).add(view)

    def watch(self, shell: Any) -> None:
        """Be told when a cell is run, once for each shell."""
        if shell is not None and shell is not self.shell:
            shell.events.register("pre_run_cell", self.begin)
            shell.events.register("post_run_cell", self.end)
            self.shell = shell

    def begin(self, _: Any = None) -> None:
        """A cell is run: what it has shown will be gone."""
        cell = present_cell(self.shell)
        if cell is not None:
            self.replaced |= self.shown.pop(cell, WeakSet())

    def end(self, _: Any = None) -> None:
        """A cell was run: close what is shown nowhere."""
        replaced, self.replaced = self.replaced, WeakSet()
        for view in replaced:
            if view not in self.elsewhere and not any(view in views for views in self.shown.values()):
                view.put_away()


def _shell() -> Any:
    """The shell that runs here, if any."""
    with suppress(ImportError):
        from IPython import get_ipython

        return get_ipython()


def present_cell(shell: Any) -> str | None:
    """The id of the cell that is run now, as its front end has it; ``None`` if it has not said."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    found = kernel.get_parent().get("metadata", {}).get("cellId")
    return found if isinstance(found, str) else None


def _is_captured() -> bool:
    """Whether what is shown now goes into an ``Output`` widget, which may stand in any cell."""
    return any(isinstance(widget, Output) and widget.msg_id for widget in list(registry._instances.values()))


cells = Cells()
