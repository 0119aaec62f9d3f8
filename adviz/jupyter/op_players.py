"""The functions that show op graphs: what is built, what runs, and where values live."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import numpy as np

from ..engine.calls import check_arguments, check_function, is_container, kind_of, leaves
from ..engine.tracing.endings import place_of
from ..graph.errors import AdvizError
from ..lazy.computations import Computation
from ..lazy.contexts import captured
from ..lazy.op_errors import OpError
from ..lazy.ops import Op
from ..lazy.stores import Store
from ..stage.layout import placing
from ..stage.scene.progress import progress
from ..stage.shows.ops.computation_scene import build_scene, computation_scene
from ..stage.shows.ops.op_scene import op_scene
from ..stage.shows.options import Names, ShowError
from .player import Player


class OpPlayer(Player):
    """A Player of an op graph; a saved page opens where it is."""

    def _kept(self) -> dict[str, Any]:
        return {"cursor": self.cursor}


def show_ops(ops: Op | Iterable[Op], /, *, panels: Names | None = None, teach: bool = False) -> Player:
    """Watch an op graph being built: ``ops`` and all that they depend on. Nothing is computed.

    A solid edge leads a value on; a dashed one says what must run before; a dotted one, what is stored at first. Boxes
    hold what is marked by :func:`adviz.lazy.metadata`, and what is built by differentiating, which has a bar above it,
    too. A composite op, such as a softmax, is one box and one step, with a plus that opens it into its ops; the button
    *Composite ops folded*, or the key c, turns between the two. Named axes stand in place of shapes. Selecting an op
    marks its expression in the source, and the other way round. The Player opens at the end, with the whole graph;
    ``teach=True`` begins at the start and asks what must run before what. ``panels`` chooses among
    ``"graph"`` and ``"code"``.

    >>> import adviz
    >>> x = adviz.lazy.placeholder((2,))
    >>> player = show_ops(x + x)
    >>> player.cursor, player.scene["steps"][0]["caption"]
    (3, 'x is a placeholder: its value, a vector of length 2, comes from outside when a computation runs.')
    """
    if not isinstance(ops, Op) and not (isinstance(ops, Iterable) and all(isinstance(each, Op) for each in ops)):
        raise ShowError(f"ad.show_ops takes an op, or several, not {type(ops).__name__}")
    placing.warm()
    with progress("Drawing"):
        player = OpPlayer(op_scene(ops, panels=panels, teach=teach))
    if not teach:
        player.cursor = len(player.scene["steps"])
    return player


def show_computation(
    computation: Computation, /, *values: Any, panels: Names | None = None, teach: bool = False
) -> Player:
    """Watch a computation run at values of its parameters: which op runs when, and where values live meanwhile.

    Values arrive as numbers and heat maps. The picture of memory has a block for each value, from when it is computed
    until it is read last, in its bytes; an arrow leads from a value to the next one in the same bytes. A switch turns
    from a buffer for each value (naive) to shared ones (planned), and to results written over operands (in place), with
    the bytes of each. Storage stays as it is. ``panels`` chooses among ``"graph"``, ``"memory"`` and ``"code"``;
    ``teach=True`` asks what storage changes, and whose buffer is free.

    >>> import adviz
    >>> x = adviz.lazy.placeholder()
    >>> player = show_computation(adviz.lazy.computation(x * x, x), 3.0)
    >>> player.scene["steps"][-1]["caption"]
    'x * x is computed from x: 9. All has run; no storage changes.'
    """
    if not isinstance(computation, Computation):
        raise ShowError(f"ad.show_computation takes a computation, not {type(computation).__name__}")
    placing.warm()
    with progress("Playing"):
        return Player(computation_scene(computation, values, panels=panels, teach=teach))


def show_build(f: Callable[..., Any], /, *args: Any, panels: Names | None = None) -> Player:
    """Watch ``f`` build an op graph that runs later, beside the same ``f`` computing at once, on one clock.

    ``f`` is a function of NumPy; it is called with placeholders of the shapes of ``args`` on the left, and with
    ``args`` on the right. Where it decides by a value, and where it takes ops for arrays that can be written into, it
    cannot be built: that raises :class:`~adviz.lazy.OpError` with its line. ``panels`` chooses among ``"graph"`` and
    ``"code"``.

    >>> player = show_build(lambda x: np.sin(x) * x, 2.0)
    >>> [step["caption"] for step in player.scene["steps"]][-1].split(". ")[0]
    'sin(x) * x runs: 1.819'
    """
    check_function("show_build", f)
    check_arguments("show_build", f, args, {})
    names = _names(f, len(args))
    for name, each in zip(names, args, strict=True):
        if is_container(each):
            raise OpError(f"{name} is {kind_of(each)}; an op graph is built of numbers and arrays.")
    arrays = [np.asarray(each) for each in args]
    params = [_parameter(name, each) for name, each in zip(names, arrays, strict=True)]
    placing.warm()
    with progress("Building"):
        with captured() as ops:
            results = [op for _, op in leaves(_built(f, params, arrays), "result")]
        title = getattr(f, "__name__", "f")
        computation = Computation(results, params, Store(), title)
        _check_same(computation, f, arrays)
        made = [*params, *(op for op in ops if op.kind != "initialize")]
        return Player(build_scene(title, made, computation, arrays, panels=panels))


def _built(f: Callable[..., Any], params: list[Op], arrays: list[np.ndarray]) -> Any:
    """Return what a function builds; raise :class:`OpError` where it works on arrays, and not on ops."""
    try:
        return f(*params)
    except AdvizError:
        raise
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        f(*(array[()] for array in arrays))  # raises an error of the function's own
        what = f"{getattr(f, '__name__', 'f')} cannot be built of ops: {str(error).removesuffix('.')}."
        raise OpError(
            f"{what} Ops have NumPy's functions and arithmetic; they lack some methods and operators of arrays, and "
            "are not written into. ad.explore and ad.show_forward show the function as it is.",
            place_of(error),
        ) from error


def _parameter(name: str, like: np.ndarray) -> Op:
    """Return a placeholder that stands for an array; it has no place in the source of the function."""
    op = Op("placeholder", like.shape, like.dtype if like.dtype.kind in "fb" else np.dtype(float), name=name)
    op.code = None
    return op


def _names(f: Callable[..., Any], count: int) -> list[str]:
    """Return what a function calls so many arguments."""
    names = [each.name for each in signature(f).parameters.values() if each.kind is not each.VAR_POSITIONAL]
    return [*names, *(f"x{k}" for k in range(len(names), count))][:count]


def _check_same(computation: Computation, f: Callable[..., Any], arrays: list[np.ndarray]) -> None:
    """Raise ``ShowError`` where a function does something else with ops than with arrays."""
    later, now = computation(*arrays), [each for _, each in leaves(f(*(array[()] for array in arrays)), "result")]
    one, other = (np.hstack([[], *map(np.ravel, results)]) for results in (later, now))
    if len(one) != len(other) or not np.allclose(one, other, equal_nan=True):
        raise ShowError(
            f"{computation.name} computes something else when it is called twice, or with ops: {later} and {now}"
        )
