"""The tape: rows that a trace appends to, and how a frame of the user's program becomes a call.

One row of 24 bytes per node, and no Python object per node that lives on: neither memory nor the garbage collector slow
down a trace of a million nodes. :meth:`Tape.graph` turns the rows into the columns of a Graph.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import sysconfig
import threading
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import count
from struct import Struct
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ..graph import ipython
from ..graph.errors import AdvizError
from ..graph.graph import Graph
from ..graph.loops import WatchedFlow, nested_loops
from ..graph.origins import Origin, origin
from ..graph.scopes import NOWHERE, Call
from ..graph.versions import Chain, Values, whole
from . import blocks
from .devices import is_on_device
from .trace_errors import ConversionError, TraceClosedError

ROW = np.dtype([("value", "d"), ("block", "i"), ("first", "i"), ("second", "i"), ("offset", "i")])
FLOAT = np.dtype(float)

pack_row = Struct("diiii").pack
"""The bytes of a row: value, block number, first and second operand, instruction offset."""
unpack_rows = Struct("diiii").iter_unpack

MOST_ROWS = 1 << 11
"""Rows are joined when there are as many as this, while the processor's cache still holds them."""

LARGE, FEW_OF = 256, 8
"""Arrays of so many entries are not kept whole for each write of at most one in so many of them."""

_SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

_levels = count(1)
"""Of two traces that run, the one that began later is the inner one."""

_running = threading.local()
"""``tapes``: those of the traces that run in this thread, the innermost last."""

MOST_CODES = 1 << 9
_flat: dict[int, CodeType] = {}
"""By id, the code of functions that have no loops in loops; not more than so many."""

Hook = Callable[[threading.ExceptHookArgs], Any]
_MUTABLE = (list, np.ndarray)
IN_PLACE_OF_A_POOL = "Let one thread compute it all: a loop, or map(g, xs), in place of the pool and its map."
# ---- whose code it is ----

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_CUPY = os.path.join(os.path.dirname(os.path.dirname(_NUMPY)), "cupy")
"""CuPy and cupyx, beside NumPy."""
_EXAMPLES = os.path.join(_HERE, "algorithms", "examples") + os.sep
"""Programs to look at, as if a user had written them."""

_PATHS = sysconfig.get_paths()
LIBRARIES = (*(_PATHS[key] + os.sep for key in ("stdlib", "platstdlib", "purelib", "platlib")), _HERE)
"""Folders of what is no user's program: Python's and installed packages, and adviz itself."""

ENGINES = frozenset(
    "IPython adviz autograd cupy cupyx dask ipykernel ipywidgets jax jaxlib matplotlib networkx numba numpy pandas "
    "plotly pytest scipy sklearn sympy tensorflow torch traitlets".split()
)
"""Packages that are no part of any program: what they compute is not traced, or traced by rules of adviz's own."""

TRACED = frozenset({"numpy", "scipy", "math"})
"""Of these and of Python's modules, those whose functions are called with traced values."""

_EXAMPLE_MODULES = "adviz.algorithms.examples"

_internal: dict[str, bool] = {}


def internal(code: CodeType) -> bool:
    """Whether a frame with this code is adviz's own, NumPy's or CuPy's, or of functools or Cython, not the user's."""
    path = code.co_filename
    known = _internal.get(path)
    if known is None:
        known = path.startswith((_HERE, _NUMPY, _CUPY, functools.__file__, "<__array_function__", "<stringsource>"))
        known = known or path.endswith((".pyx", ".pxd"))
        known = _internal[path] = known and not path.startswith(_EXAMPLES)
    return known


def _is_caught(error: AdvizError) -> bool:
    """Whether the user's program has caught an error, and not a library: its traceback begins where it was caught."""
    trace = error.__traceback__
    return trace is not None and not trace.tb_frame.f_code.co_filename.startswith((*LIBRARIES, _NUMPY))


@functools.cache
def is_of_programs(module: Any) -> bool:
    """Return whether the functions of a module, by its name, are traced with the program that calls them.

    >>> [is_of_programs(name) for name in ("__main__", "my_models.layers", "scipy.stats", "json", "adviz.graph")]
    [True, True, True, False, False]
    """
    if not isinstance(module, str) or module.startswith(_EXAMPLE_MODULES):
        return True
    package = module.partition(".")[0]
    return package in TRACED or not (package in ENGINES or package in sys.stdlib_module_names)


def user_frame() -> FrameType | None:
    """Return the innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and internal(frame.f_code):
        frame = frame.f_back
    return frame


def user_origin() -> Origin | None:
    """Return the place in the user's source that led here."""
    frame = user_frame()
    return origin(frame.f_code, frame.f_lasti) if frame else None


def warn(warning: Warning) -> None:
    """Warn in the name of the user's line that led here; of a cell under its name, not that of a temporary file."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and internal(frame.f_code):
        level, frame = level + 1, frame.f_back
    cell, program = ipython.cell(frame.f_code.co_filename), frame.f_globals
    if cell is None:
        warnings.warn(warning, stacklevel=level)
        return
    seen, name = program.setdefault("__warningregistry__", {}), program.get("__name__", "__main__")
    warnings.warn_explicit(warning, type(warning), cell, frame.f_lineno, name, seen)


def running_tapes() -> list[Tape]:
    """Return the tapes of the traces that run in this thread, the innermost last."""
    result: list[Tape] = _running.__dict__.setdefault("tapes", [])
    return result


@contextmanager
def untraced(tape: Tape | None = None) -> Iterator[None]:
    """Let this thread compute with plain numbers, in libraries that need plain arrays, as if no trace ran in it.

    With a ``tape``, as if that trace ran: where such a library calls a function of the program's.
    """
    tapes = running_tapes()
    tapes.append(tape)  # type: ignore[arg-type]
    try:
        yield
    finally:
        tapes.pop()


def current_tape() -> Tape | None:
    """Return the tape of the innermost trace that runs in this thread."""
    tapes = getattr(_running, "tapes", None)
    return tapes[-1] if tapes else None


def outermost_tape() -> Tape | None:
    """Return the tape of the outermost trace that runs in this thread."""
    tapes = getattr(_running, "tapes", None)
    return tapes[0] if tapes else None


def _above(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, its caller, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


class _Elsewhere:
    """In place of a frame, for what no instruction of the user's program made, such as the sweep of a gradient."""

    f_lasti = NOWHERE


class Iterations:
    """One call of a function with nested loops: the place of its last operation, and its variables at that time.

    It finds out which loop begins another iteration while the program runs (``graph/loops.py``).
    """

    __slots__ = ("end", "flow", "offset", "seen")

    def __init__(self, flow: WatchedFlow):
        self.flow, self.offset, self.end = flow, -1, -1
        self.seen: tuple[Any, ...] = ()  # the values themselves: another one cannot have the id of one that is held

    def look(self, frame: FrameType) -> int:
        """Return the number of loops that stay open, the last of which iterates again; 0 if offsets alone show it."""
        before, offset = self.offset, frame.f_lasti
        self.offset = offset
        if before < offset < self.end:  # straight-line code: no loop can have come between
            return 0
        flow, seen = self.flow, self.seen
        places, self.end = flow.known_signs.get((before, offset)) or flow.signs(before, offset)
        self.seen = now = tuple(map(frame.f_locals.get, flow.watched))
        for place, depth in places:
            if now[place] is not seen[place]:
                return depth
        return 0


class Tape:
    """The record of one trace: the latest rows one by one in ``rows``, those before joined in ``pages``."""

    __slots__ = (
        *("rows pages count full objects literals copies rest inputs names grain evaluations viewed memories".split()),
        *("locked chains filled entries own level symbolic decisions thread_errors unseen refused hooks".split()),
        *("has_arrays root frame origin call calls switches frames generators entered".split()),
        *("nested current iterations rounds ties lists whole hashed".split()),
    )

    def __init__(self, grain: str, code: CodeType | None, root: FrameType | None, symbolic: bool = False):
        outer = (getattr(_running, "tapes", None) or [None])[-1]
        if outer is not None and outer.symbolic and outer.decisions is None:  # a derivative inside of a program
            grain = outer.grain
            symbolic = symbolic or grain == "scalar"
        self.grain = grain
        self.symbolic = symbolic  # comparisons are nodes, and nothing may be decided by the data
        self.has_arrays = False  # among its inputs are other numbers than Python's
        self.ties: list[tuple[Any, Any]] | None = None  # of a symbolic trace: what decides where the two are equal
        self.decisions: dict[int, bool] | None = None  # unless what was decided, by node, is to be kept
        self.hashed = False  # one of its numbers may be a key of a dictionary
        self.thread_errors: tuple[AdvizError, ...] = ()  # raised in other threads
        self.unseen: AdvizError | None = None  # of these, the one that ended a thread
        self.refused: list[AdvizError] = []  # the latest error that nothing may go on after, or one that was caught
        self.hooks: tuple[Hook, Hook] | None = None  # that of threading meanwhile, and before
        self.level = next(_levels)
        self.own: dict[Any, int] = {}  # Blocks that are in no table, with the numbers they have on this tape
        self.rows: list[bytes] = []
        self.pages: list[bytes] = []
        self.count, self.full = 0, MOST_ROWS
        self.objects: dict[int, Any] = {}  # the values that are not floats
        self.literals: list[Any] = [None]
        self.copies: dict[int, tuple[Any, int]] = {}
        self.rest: dict[int, tuple[int, ...]] = {}
        self.inputs: list[int] = []
        self.names: dict[int, str] = {}
        self.lists: list[Any] = []  # what stands for the arguments that are lists of numbers
        self.whole: list[np.ndarray] = []  # what stands for arrays of whole numbers, where all points are meant
        self.evaluations = array("i")  # first node and end, wherever NumPy made several nodes of one expression
        self.locked: set[int] = set()  # nodes that are views which NumPy lets nobody write to
        self.viewed: set[int] = set()  # nodes of which NumPy's own code has an object array, which sees no writes
        self.memories: dict[int, Any] = {}  # what arrays share, by the id of the array that owns the latest version
        self.chains: dict[int, Chain] = {}  # of versions of one array, by the node that is the last of them
        self.filled: dict[int, Any] = {}  # plain arrays into which something traced was written (see program_arrays)
        self.entries: dict[int, np.ndarray] = {}  # the entries of arrays that were needed one by one
        self.calls = [Call(code, -1, -1)]
        # The frame of the last operation, the user's frame it belongs to, and the number of that frame's call.
        self.root: FrameType | None = root
        self.frame: FrameType | None = None
        self.origin: FrameType | type[_Elsewhere] = _Elsewhere
        self.call = 0
        self.switches = array("i", (0, 0))  # first node and call, wherever the call changes
        self.frames: dict[FrameType, int] = {root: 0}  # type: ignore[dict-item]  # the calls that run now, the innermost last
        self.generators: dict[FrameType, int] = {}  # these run on after they have yielded
        self.entered = False
        # Of frames with loops in loops ``frame`` is never set, so that each operation in them comes by ``enter``.
        self.nested: FrameType | None = None  # the frame of the last operation, if it is such a frame
        self.current: Iterations | None = None  # and what is known of it
        self.iterations: dict[FrameType, Iterations] = {}
        self.rounds: dict[int, int] = {}  # by node, or by the complement of a call: how many loops stay open there

    def write(self, number: int, first: int, second: int, value: Any, offset: int) -> int:
        """Write one row of the current call; the index of its node. Operators on numbers have this written out."""
        row = pack_row(value if type(value) is float else 0.0, number, first, second, offset)
        index = self.count
        self.count = index + 1
        self.rows.append(row)
        if type(value) is not float:
            self.objects[index] = value
        if index == self.full:
            self.join_rows()
        return index

    def result(self, kind: Any, number: int, first: int, second: int, value: Any, frame: FrameType) -> Any:
        """Write the row of a value that ``frame`` has computed, and return its Variable, of a ``kind``."""
        if frame is not self.frame:
            self.enter(frame)
        variable = kind()
        variable.tape, variable.data = self, value
        variable.index = self.write(number, first, second, value, self.origin.f_lasti)
        return variable

    def join_rows(self) -> None:
        """Join the rows into one page."""
        rows, self.rows = self.rows, []
        self.pages.append(b"".join(rows))
        self.full = self.count + MOST_ROWS

    def evaluated(self, start: int) -> None:
        """The rows from ``start`` on were made by one evaluation of one expression."""
        if self.count - start > 1:
            self.evaluations.extend((start, self.count))

    def enter(self, frame: FrameType) -> None:
        """Make ``frame`` the current one: find the call it belongs to, or begin a new one."""
        if frame is self.nested and self.current is not None:
            depth = self.current.look(frame)
            if depth:
                self.rounds[self.count] = depth
            return
        if self.root is None:
            raise TraceClosedError(
                "This Variable belongs to a trace that has ended. "
                "Return values from the traced function instead of keeping Variables.",
                user_origin(),
            )
        chain: list[FrameType] = []
        above: FrameType | None = frame
        while above is not None and above not in self.frames and above not in self.generators:
            if not internal(above.f_code):
                chain.append(above)
            above = above.f_back
        if above is None:
            words = f"A traced value was used in another thread than the one that traces it. {IN_PLACE_OF_A_POOL}"
            raise self.tell(TraceClosedError(words, user_origin()))
        if next(reversed(self.frames)) is not above:
            self._leave(above)
        for user in reversed(chain):
            self._open(user, above)
            above = user
        self.frame, self.nested = frame, None
        self.origin = above if above is not self.root else _Elsewhere
        if self.iterations and above in self.iterations:
            self.frame, self.nested, self.current = None, above, self.iterations[above]
            self._look(above, self.count)
        call = self.frames[above] if above in self.frames else self.generators[above]
        if call != self.call:
            self.switch(call)

    def _leave(self, above: FrameType) -> None:
        """Let go of what calls that have returned to a frame hold."""
        while above in self.frames and next(reversed(self.frames)) is not above:
            ended, _ = self.frames.popitem()
            if self.iterations:
                self.iterations.pop(ended, None)

    def returned(self, frame: FrameType) -> None:
        """An inner trace has ended in a frame: let go of its calls."""
        self._leave(next((each for each in _above(frame) if each in self.frames or each in self.generators), frame))
        self.frame = self.nested = None
        self.origin = _Elsewhere

    def not_sent(self) -> AdvizError:
        """The error for a traced value that is pickled, which threads of pools do; with the place in the program."""
        where = next((top for top in sys._current_frames().values() if self._runs_in(top)), None)
        is_here = self._runs_in(sys._getframe())
        user = next((one for one in _above(where) if not one.f_code.co_filename.startswith(LIBRARIES)), None)
        place = user_origin() if is_here or user is None else origin(user.f_code, user.f_lasti)
        error = ConversionError(
            "A traced value was about to be pickled, for another process or for a file, where it would be detached "
            f"from the graph. {IN_PLACE_OF_A_POOL}",
            place,
        )
        return error if is_here else self.tell(error)

    def tell(self, error: AdvizError) -> AdvizError:
        """Note an error that is raised in another thread, and watch whether that thread ends with it."""
        self.thread_errors += (error,)
        if self.hooks is None:
            before = threading.excepthook

            def hook(args: threading.ExceptHookArgs) -> None:
                if any(args.exc_value is known for known in self.thread_errors):
                    self.unseen = error
                before(args)

            self.hooks = hook, before
            threading.excepthook = hook
        return error

    def refuse(self, error: AdvizError) -> None:
        """Note an error that is not the program's own to catch."""
        self.refused = [*filter(_is_caught, self.refused), error]

    def raise_unreported(self) -> None:
        """Raise an error that nobody would hear of: one that ended another thread, or that the program has caught."""
        error = next(filter(_is_caught, self.refused), self.unseen)
        if error is not None:
            raise error

    def _runs_in(self, top: FrameType) -> bool:
        """Return whether the trace runs in the thread of a frame."""
        return any(frame is self.root for frame in _above(top))

    def _look(self, frame: FrameType, key: int) -> None:
        """Write down which of the loops in a frame went round before a node or a call."""
        depth = self.iterations[frame].look(frame)
        if depth:
            self.rounds[key] = depth

    def switch(self, call: int) -> None:
        """The rows from here on belong to another ``call``."""
        self.call = call
        self.switches.extend((self.count, call))

    def _open(self, frame: FrameType, above: FrameType) -> None:
        """Give a frame of the user's program a call of its own; the traced function itself has call 0."""
        number = len(self.calls)
        if above is self.root and frame.f_code is self.calls[0].code and not self.entered:
            self.entered, number = True, 0
        else:
            caller = self.frames[above] if above in self.frames else self.generators[above]
            self.calls.append(Call(frame.f_code, caller, -1 if above is self.root else above.f_lasti))
            if self.iterations and above in self.iterations:
                self._look(above, ~number)
        code = frame.f_code
        if id(code) not in _flat:
            flow = nested_loops(code)
            if flow is not None:
                self.iterations[frame] = Iterations(flow)
            else:
                if len(_flat) >= MOST_CODES:
                    _flat.clear()
                _flat[id(code)] = code
        (self.generators if frame.f_code.co_flags & _SUSPENDABLE else self.frames)[frame] = number

    def number(self, block: Any) -> int:
        """Return the number of a Block; of one that is in no table, a negative number that only this tape knows."""
        return block.number if block.number >= 0 else self.own.setdefault(block, ~len(self.own))

    def literal(self, value: Any) -> int:
        """Return the operand for a constant of the program; arrays and lists, which may be written to, are copied."""
        if isinstance(value, np.ndarray) or is_on_device(value):
            if is_on_device(value) or value.flags.writeable or type(value) is not np.ndarray:
                known = self.copies.get(id(value))
                if known and _is_same(self.literals[~known[1]], value):
                    return known[1]
                self.copies[id(value)] = (value, ~len(self.literals))  # holds on to it, so that its id stays its own
                value = value.copy() if is_on_device(value) else np.ndarray.view(value, np.ndarray).copy("K")
        elif isinstance(value, list) or (
            isinstance(value, tuple) and any(isinstance(part, _MUTABLE) for part in value)
        ):
            value = deepcopy(value)
        self.literals.append(value)
        return -len(self.literals)

    def written(self, before: int, after: int, key: Any) -> None:
        """A node is the version of a large array after a write of little: of the version before the rest is let go."""
        new, chain = self.objects.get(after), self.chains.pop(before, None)
        if type(new) is not np.ndarray or new.size < LARGE or new[key].size * FEW_OF > new.size:
            return
        if chain is None:
            chain = Chain(new)
        else:
            key = tuple(map(_own, key)) if isinstance(key, tuple) else _own(key)
            self.objects[before] = chain.add(key, self.objects[before], new)
        self.chains[after] = chain

    @property
    def is_closed(self) -> bool:
        """Whether the trace has ended."""
        return self.root is None

    def close(self) -> None:
        """End the trace: Variables that outlive it are refused, frames and what they hold are let go.

        The traces around it go on where it was called.
        """
        if self.hooks is not None and threading.excepthook is self.hooks[0]:
            threading.excepthook = self.hooks[1]
        root, self.root = self.root, None
        self.frame = self.nested = self.current = None
        self.origin = _Elsewhere
        self.frames.clear()
        self.generators.clear()
        self.iterations.clear()
        self.copies.clear()
        self.entries.clear()
        self.memories.clear()
        self.refused.clear()
        if root is not None:
            for outer in filter(None, running_tapes()):
                outer.returned(root)

    def value(self, index: int) -> Any:
        """Return the value of a node."""
        if index in self.objects:
            return whole(self.objects[index])
        if index - self.count >= -len(self.rows):
            return next(unpack_rows(self.rows[index - self.count]))[0]
        return next(unpack_rows(b"".join((*self.pages, *self.rows))[ROW.itemsize * index :][: ROW.itemsize]))[0]

    def so_far(self, outputs: list[int]) -> Graph:
        """Return the Graph of the rows until now; the trace goes on."""
        self.join_rows()
        pages = [*self.pages]
        try:
            return self.graph(outputs, "so far")
        finally:
            self.pages[:] = pages

    def graph(self, outputs: list[int], title: str, kind: type[Graph] = Graph) -> Graph:
        """Return the Graph of the rows, in columns."""
        self.join_rows()
        rows = np.frombuffer(b"".join(self.pages), ROW)
        self.pages.clear()
        table = [*reversed(self.own), *blocks.BLOCKS]
        numbers = rows["block"] + len(self.own)
        used = np.flatnonzero(np.bincount(numbers))
        place = np.zeros(used[-1] + 1 if len(used) else 0, np.int32)
        place[used] = np.arange(len(used))
        return kind(
            block_table=[table[number] for number in used],
            block_numbers=_column(place[numbers]),
            first=_column(rows["first"]),
            second=_column(rows["second"]),
            rest=self.rest,
            literals=self.literals,
            values=self._values(rows["value"]),
            calls=self._call_column(),
            evaluations=self.evaluations,
            rounds=self.rounds,
            offsets=_column(rows["offset"]),
            call_table=self.calls,
            inputs=self.inputs,
            outputs=outputs,
            names=self.names,
            title=title,
        )

    def _values(self, numbers: np.ndarray) -> array | Sequence[Any]:
        """Return the values of all nodes: a column of floats if all are."""
        if not self.objects:
            return _column(numbers)
        values = numbers.tolist()
        for index, value in self.objects.items():
            values[index] = value
        return Values(values) if self.chains else values

    def _call_column(self) -> array:
        starts, calls = np.frombuffer(self.switches, np.int32).reshape(-1, 2).T
        return _column(np.repeat(calls, np.append(starts[1:], self.count) - starts))


def _own(part: Any) -> Any:
    """Return a copy of a part of a key."""
    return np.array(part) if isinstance(part, np.ndarray | list) else part


def _is_same(copy: Any, array: Any) -> bool:
    """Return whether an array is as it was when it was copied."""
    if (copy.shape, copy.dtype) != (array.shape, array.dtype):
        return False
    return bool(np.all(np.equal(copy, array))) if is_on_device(array) else copy.tobytes() == array.tobytes()


def _column(entries: np.ndarray) -> array:
    return array(entries.dtype.char, entries.tobytes())
