"""Tracing: run an ordinary function on Variables and keep what it computed as a Graph."""

from __future__ import annotations

import contextlib
import copy
import inspect
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from inspect import CO_VARARGS
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..graph import ipython
from ..graph.errors import AdvizError, OptionError
from ..graph.graph import Graph
from ..graph.origins import head_of
from ..graph.versions import stored
from .arrays.program_arrays import as_program_array, check_kept, settle
from .calls import check_call
from .devices import LIBRARY, device_array, to_device, to_numpy
from .functions.overrides import versions
from .pytrees import LEAVES, is_container, leaves, rebuild
from .recording.non_finite import warn_of_values
from .recording.tape import Tape, running_tapes, warn
from .trace_errors import IndependentOutputWarning, OutputError
from .tracing import installation as installation
from .tracing import namespaces
from .tracing.explanations import explained
from .tracing.leaves import Leaf, input_of, output_of
from .variable import Traced
from .writing.survivors import settle_survivors

# ---- a trace that an exception has ended ----

# The graph of a function that raised an exception: what it had computed until then, kept with the exception.
#
# It shares its values with the tape, which the exception's traceback keeps alive as well; nothing in it refers to the
# exception, so that all is let go when the exception is.


NOTE = "adviz kept the graph up to this line: import sys; ad.explore(sys.last_value.graph)"
NOTE_OF_WHOLE = "adviz kept the graph: import sys; ad.explore(sys.last_value.graph)"
"""For a function that ran to its end, and returned what cannot be differentiated."""


class Unfinished(Graph):
    """A graph without outputs. Since nobody knows what the function would have used, every node counts as live.

    It cannot be pickled, and is left out where its exception is, as on the way from one process to another.

    >>> import adviz
    >>> try:
    ...     adviz.trace(lambda x: [x * x][1], 3.0)
    ... except IndexError as error:
    ...     error.graph
    <Graph of <lambda>, up to IndexError: 2 nodes, 2 edges>
    """

    @cached_property
    def live(self) -> bytearray:
        """1 for each node."""
        return bytearray(b"\1") * len(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __copy__(self) -> Unfinished:
        copied = object.__new__(Unfinished)
        vars(copied).update(vars(self))
        return copied


def keep_graph(error: Exception, tape: Tape, title: str) -> None:
    """Give an exception that ends a trace the attribute ``graph``, and in IPython a note that says so.

    Only the outermost of nested traces does: its values are plain. An attribute of that name that the exception has of
    its own stays. IPython also learns to show the exception without adviz's frames.
    """
    if running_tapes() or isinstance(error, MemoryError):
        return
    with contextlib.suppress(AttributeError, TypeError):  # exceptions may refuse attributes
        if isinstance(getattr(error, "graph", None), Unfinished | None) and tape.count:
            error.graph = tape.graph([], f"{title}, up to {type(error).__name__}", Unfinished)  # type: ignore[attr-defined]
        if ipython.shell() is None:
            return
        ipython.show_users_frames(error)
        note = NOTE_OF_WHOLE if isinstance(error, OutputError) else NOTE
        if tape.count > len(tape.inputs) and note not in getattr(error, "__notes__", ()):
            error.add_note(note)


# ---- a trace ----


@contextlib.contextmanager
def tracing(tape: Tape) -> Iterator[None]:
    """Write to ``tape`` what this thread computes. May be nested."""
    tapes = running_tapes()
    tapes.append(tape)
    try:
        yield
    finally:
        try:
            if tapes[0].filled:
                settle(tape, tapes[0])
        finally:
            tapes.pop()


GRAINS = ("array", "scalar")


class Record(NamedTuple):
    """What a run of a function wrote on a tape, and how its inputs and outputs make up the arguments and the result."""

    tape: Tape
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any
    title: str

    def trace(self) -> Trace:
        """Return the same with a graph; warns where NaN or infinity arises."""
        graph = self.tape.graph([node for leaf in self.outputs for node in leaf.nodes], self.title)
        warn_of_values(graph)
        return Trace(graph, self.inputs, self.outputs, self.result)


class Trace(NamedTuple):
    """A graph, and how its inputs and outputs make up the arguments and the result of the function."""

    graph: Graph
    inputs: list[Leaf]
    outputs: list[Leaf]
    result: Any


def trace(f: Callable[..., Any], /, *args: Any, grain: str = "array", **settings: Any) -> Graph:
    """Run ``f(*args, **settings)`` and return the graph of what it computed.

    Positional arguments (numbers, arrays, lists of numbers, and tuples, lists and dicts of those) are traced; keyword
    arguments are passed on as they are. ``grain="array"`` makes one node per array operation, ``grain="scalar"`` one
    per operation on numbers: arguments then arrive as object arrays. Arrays of CuPy stay on the GPU with all that
    NumPy's functions make of them; in the scalar grain their numbers are read out.

    ``f`` may write into arrays, those that it makes and those that it is given. Traced arguments are copied first: the
    caller's stay as they are. Into other arguments NumPy's numbers are written. Arrays that are neither, such as global
    ones, cannot be followed, and a traced value that is written into them is an :class:`~adviz.ArrayWriteError`.

    Raises :class:`~adviz.InputError` for arguments that are not real numbers, and named errors with the place in the
    source for operations that would cut a value off from the graph. Warns where NaN or infinity arises. An exception
    that ends ``f``, one of its own too, gets the attribute ``graph``: what was traced until then, to be explored with
    ``ad.explore(error.graph)``. It has no outputs, and lives as long as the exception.

    >>> import numpy as np
    >>> graph = trace(lambda x: np.sin(x) * x, 2.0)
    >>> [node.block.name for node in graph], list(graph.times_used)
    (['input', 'sin', 'multiply', 'output'], [2, 1, 0, 0])
    """
    check_call("trace", f, args, settings, ["grain"], may_take_none=True)
    recorded = record(f, args, settings, grain)
    traced = recorded.trace()
    warn_of_independence(recorded)
    return traced.graph


def record(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    settings: dict[str, Any],
    grain: str = "array",
    argnums: Sequence[int] | None = None,
    borrow: bool = False,
    symbolic: bool = False,
    decides: bool = False,
) -> Record:
    """Run ``f``; only the positional arguments in ``argnums`` (all, if ``None``) become Variables, in that order.

    Others are passed on as they are, or copied to the library of :func:`~.devices.set_library`. Arrays among Variables
    are copied, unless their owner is trusted not to write to them as long as the record is needed (``borrow``). A
    ``symbolic`` record holds at every point: comparisons and choices are nodes, and what would be decided by the data
    is refused with a :class:`~adviz.BranchError`; unless it ``decides`` as at this point, and the tape keeps what was
    decided. On arrays, indices are nodes, too, and arrays of integers and booleans are inputs that keep their type.
    """
    if grain not in GRAINS:
        raise OptionError(f"grain is {grain!r}; it can be {' or '.join(map(repr, GRAINS))}")
    function = _function_of(f)
    title = getattr(f, "__name__", getattr(function, "__name__", type(f).__name__))
    code = getattr(function, "__code__", None)
    tape = Tape(grain, code, sys._getframe(), symbolic)
    tape.decisions = {} if decides else None
    references = partial(sys.getrefcount, tape)
    at_first = references()
    arguments, inputs = _as_variables(tape, f, args, argnums, borrow)
    versions()
    program, is_outermost = namespaces.begin()
    try:
        # NaN and infinity are reported once, with the place where they arise.
        with np.errstate(all="ignore"), tracing(tape):
            if argnums is not None and len(argnums) < len(args):
                program.search(*(each for place, each in enumerate(args) if place not in argnums))
            if settings:
                program.search(*settings.values())
                settings = {name: as_program_array(each) for name, each in settings.items()}
            result = program.entry(f)(*arguments, **settings)
            outputs = _outputs(tape, result, title, code, program)
        if tape.unreported is not None:
            raise tape.unreported
        result = _untraced(result, outputs)
    except Exception as error:
        found = _meant(error, tape, title)
        try:
            if found is error:
                raise
            raise found.with_traceback(error.__traceback__) from None
        finally:
            del found  # or the exception would keep itself alive, by its traceback and this frame, and all arrays in it
    finally:
        try:
            _end(tape, program if is_outermost else None, arguments)
            if (more := references() - at_first) > 0:
                settle_survivors(tape, more, sys.exc_info()[1])
        finally:  # again, if it was interrupted
            if is_outermost:
                program.close()
    return Record(tape, inputs, outputs, result, title)


def _untraced(result: Any, outputs: list[Leaf]) -> Any:
    """Return a structure like a result, of arrays of its shapes: nothing traced is to be left."""
    if type(result) is Traced:
        return np.empty(outputs[0].shape)
    return rebuild(result, (np.empty(leaf.shape) for leaf in outputs))


def _outputs(tape: Tape, result: Any, title: str, code: CodeType | None, program: namespaces.Program) -> list[Leaf]:
    """Return the leaves of a result, written to the tape; those of a structure have names."""
    if result is None:
        raise OutputError(f"{title} returned None; did you forget to return the result?", head_of(code))
    named = [("result", result)] if type(result) is Traced else leaves(result, "result")
    outputs = [(name, output_of(tape, name, leaf)) for name, leaf in named]
    if tape.filled:
        check_kept(program.arrays(), head_of(code))
    if type(result) is not Traced and is_container(result):  # one result needs no name
        tape.names |= {node: name for name, leaf in outputs for node in leaf.nodes}
    return [leaf for _, leaf in outputs]


def _end(tape: Tape, program: namespaces.Program | None, arguments: list[Any]) -> None:
    """Close a tape, and the program if it ends with it, and let go of what is traced."""
    tape.close()
    if program is not None:
        program.close()
    arguments.clear()
    for outer in filter(None, running_tapes()):
        outer.returned(sys._getframe(1))


def _meant(error: Exception, tape: Tape, title: str) -> Exception:
    """The exception for the user instead of one that ended a trace, or the same one; it has the graph up to there."""
    result = explained(error)
    if tape.thread_errors and not isinstance(result, AdvizError):
        result = tape.thread_errors[0]
    keep_graph(result, tape, title)
    return result


def _as_variables(
    tape: Tape, f: Callable[..., Any], args: tuple[Any, ...], argnums: Sequence[int] | None, borrow: bool
) -> tuple[list[Any], list[Leaf]]:
    """Return the positional arguments, with Variables for those to be traced; and the leaves of these."""
    names, inputs, arguments = parameter_names(f, len(args)), list[Leaf](), list(args)
    if tape.grain == "array" and LIBRARY.get() is not None:
        arguments = [rebuild(each, (to_device(leaf) for _, leaf in leaves(each, ""))) for each in args]
    traced = range(len(args)) if argnums is None else argnums
    for place in traced:
        if type(args[place]) in LEAVES:
            arguments[place] = input_of(tape, inputs, names[place], args[place], borrow)
            continue
        variables = [input_of(tape, inputs, name, leaf, borrow) for name, leaf in leaves(args[place], names[place])]
        arguments[place] = rebuild(args[place], iter(variables))
    if len(traced) < len(arguments):
        arguments = [each if place in traced else as_program_array(each) for place, each in enumerate(arguments)]
    return arguments, inputs


def warn_of_independence(recorded: Record) -> None:
    """Name the results that no input takes part in."""
    constants = [place for place, leaf in enumerate(recorded.outputs) if leaf.constant is not None]
    if constants:
        names = [name for name, _ in leaves(recorded.result, "result")]
        for place in constants:
            message = f"{names[place]} of {recorded.title} does not depend on any input; its derivative is zero."
            warn(IndependentOutputWarning(message))


def _is_plain(f: Any) -> bool:
    """Whether something is a function as it was written, about which nothing such as ``__wrapped__`` says otherwise."""
    return type(f) is FunctionType and not f.__dict__


def _function_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function behind partial applications, decorators and objects that can be called."""
    if _is_plain(f):
        return f
    while isinstance(f, partial):
        f = f.func
    f = inspect.unwrap(f)
    return f if hasattr(f, "__name__") else getattr(type(f), "__call__", f)  # noqa: B004


def parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    """Names of the positional parameters, ``*args`` spelled out; ``x0, x1, …`` where Python does not know them."""
    if _is_plain(f):
        code = f.__code__
        if count <= code.co_argcount:
            return list(code.co_varnames[:count])
        names = list(code.co_varnames[: code.co_argcount])
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & CO_VARARGS else "x"
        return (names + [f"{rest}[{k}]" for k in range(count)])[:count]
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [f"x{k}" for k in range(count)]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "x")
    return (names + [f"{rest}[{k}]" for k in range(count)])[:count]


def to_be_shown(graph: Graph) -> Graph:
    """Return the graph with its values in NumPy: itself, unless arrays of another library are in it.

    >>> graph = trace(lambda x: x * x, 3.0)
    >>> to_be_shown(graph) is graph
    True
    """
    if isinstance(graph.values, array) or device_array(*stored(graph.values), *graph.literals) is None:
        return graph
    shown = copy.copy(graph)
    shown.values, shown.literals = [*map(to_numpy, graph.values)], [*map(to_numpy, graph.literals)]
    return shown
