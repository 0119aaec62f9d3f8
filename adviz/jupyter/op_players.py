"""The functions that show op graphs: what is built, what runs, and where values live."""

from __future__ import annotations

from collections.abc import Iterable

from ..lazy.ops import Op
from ..stage.layout import placing
from ..stage.scene.progress import progress
from ..stage.shows.options import Names, ShowError
from ..stage.shows.ops.op_scene import op_scene
from .player import Player


def show_ops(ops: Op | Iterable[Op], /, *, panels: Names | None = None, teach: bool = False) -> Player:
    """Watch an op graph being built: ``ops`` and all that they depend on. Nothing is computed.

    A solid edge leads a value on; a dashed one says what must run before; a dotted one, what is stored at first. Boxes
    hold what is marked by :func:`adviz.lazy.metadata`, and what is built by differentiating, which has a bar above it,
    too. Selecting an op marks its expression in the source, and the other way round. The Player opens at the end, with
    the whole graph; ``teach=True`` begins at the start and asks what must run before what. ``panels`` chooses among
    ``"graph"`` and ``"code"``.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> player = show_ops(x + x)
    >>> player.cursor, player.scene["steps"][0]["caption"]
    (2, 'x is a placeholder: its value, a vector of length 2, comes from outside when a computation runs.')
    """
    if not isinstance(ops, Op) and not (isinstance(ops, Iterable) and all(isinstance(each, Op) for each in ops)):
        raise ShowError(f"ad.show_ops takes an op, or several, not {type(ops).__name__}")
    placing.warm()
    with progress("Drawing"):
        player = Player(op_scene(ops, panels=panels, teach=teach))
    if not teach:
        player.cursor = len(player.scene["steps"])
    return player
