"""Programs: straight-line code for values and derivatives, called on one point or on many.

A :class:`Program` is called like the function it was compiled from, with arrays of points for arguments. It can be
inspected: ``source``, ``graph``, ``cost``, ``order``; sent to another process; and saved as a module.
"""

from __future__ import annotations

import linecache
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, count, pairwise
from math import prod
from operator import getitem
from os import PathLike
from pathlib import Path
from secrets import token_hex
from types import CodeType
from typing import Any

import numpy as np

from ...algorithms.elimination.orders import Order
from ...engine.calls import is_container, rebuild
from ...engine.object_arrays import as_object_array
from ...engine.sweeps import are_finite
from ...engine.trace import record
from ...engine.trace_errors import InputError
from ...graph.errors import check_folder
from ...graph.graph import Graph
from ...graph.ipython import users_frames
from ...graph.origins import Source, source
from ...graph.scopes import named_tree
from ...graph.wording import counted
from ..backends.selection import DOUBLE, Backend, backend_name, backend_of
from ..expressions.expressions import OPERATIONS
from ..points.batches import AXES, Batch, Leaf, is_lazy, leaves_like
from ..points.results import Part, structure_text
from ..points.source_text import (
    bound,
    code_of,
    compiled,
    numpy_functions,
    point_names,
    point_source,
    scalar_functions,
    tuple_text,
)
from ..schedules import Schedule
from .listing import Contents, Line, listing
from .settling import Settling, has_values, numbers_of, warn_of
from .watching import Watch

# ---- lazy arrays ----


def lazy_results(program: Contents, arguments: tuple[object, ...]) -> Any:
    """Return the results of a program as Dask arrays, in their structure, with chunks along the axis of the points.

    Raises :class:`~adviz.InputError` for chunks of unknown sizes, for arrays of other shapes than the program takes,
    and for different numbers of points.

    >>> import adviz, dask.array as da
    >>> program = adviz.compile_gradient(lambda x: x * x, 1.0)
    >>> found = program(da.ones(6, chunks=2))
    >>> found.gradient.chunks, found.gradient.compute()
    (((2, 2, 2),), array([2., 2., 2., 2., 2., 2.]))
    """
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    axis = AXES[program.points]
    given: list[Any] = list(leaves_like(arguments, program.example))
    pairs = list(zip(program.arguments, given, strict=True))
    for leaf, each in pairs:
        if is_lazy(each):
            _check(leaf, each, program.points)
    along = [each for leaf, each in pairs if np.ndim(each) > len(leaf.shape)]
    counts = {np.shape(each)[axis] for each in along}
    if len(counts) != 1:
        listing = ", ".join(map(str, sorted(counts)))
        what = f"have different numbers of points: {listing}" if listing else "are of one point; call compute() of them"
        raise InputError(f"The arguments {what}.")
    chunks = next(each.chunks[axis] for each in along if is_lazy(each)) if any(map(is_lazy, along)) else (*counts,)
    dtype = np.result_type(*(each.dtype if is_lazy(each) else np.asarray(each).dtype for each in given))
    dtype = dtype if dtype.kind == "f" else np.dtype(float)
    columns = [_chunks(leaf, each, chunks, axis) for leaf, each in pairs]
    name = f"adviz-{token_hex(16)}"
    tasks: dict[Any, Any] = {f"{name}-program": program}
    for k in range(len(chunks)):
        tasks[name, k] = (_arrays, f"{name}-program", [column[k] for column, _ in columns])
    whole = HighLevelGraph.from_collections(name, tasks, dependencies=[each for _, each in columns if each is not None])
    arrays = []
    for j, part in enumerate(program.parts):
        own, rank = f"{name}-{j}", len(part.leaf.shape) + 1
        along_axis = [(0,) * (axis % rank) + (k,) + (0,) * (rank - 1 - axis % rank) for k in range(len(chunks))]
        layer: dict[Any, Any] = {(own, *place): (getitem, (name, k), j) for k, place in enumerate(along_axis)}
        graph = HighLevelGraph({**whole.layers, own: layer}, {**whole.dependencies, own: {name}})
        sizes: list[tuple[int, ...]] = [(n,) for n in part.leaf.shape]
        sizes.insert(axis % rank, tuple(chunks))
        arrays.append(da.Array(graph, own, tuple(sizes), dtype))
    return program.finished(rebuild(program.template, iter(arrays)))


def _check(leaf: Leaf, array: Any, points: str) -> None:
    if any(math.isnan(count) for count in array.shape):
        raise InputError(
            f"{leaf.name} has chunks of unknown sizes: call compute_chunk_sizes() of the Dask array first."
        )
    expected = [leaf.shape]
    if len(array.shape) == len(leaf.shape) + 1:
        expected.append(leaf.shape_of((array.shape[AXES[points]],), points))
    if array.shape not in expected:
        raise InputError(
            f"{leaf.name} is a Dask array of shape {array.shape}; expected {leaf.shape}, and the points along the "
            f"{points} axis."
        )


def _chunks(leaf: Leaf, value: Any, chunks: tuple[int, ...], axis: int) -> tuple[list[Any], Any]:
    """Return what each chunk takes of an argument, and the Dask array that this is of.

    It takes its rows, as numbers or the key of a task, or all where there is no axis of points.
    """
    has_points = len(np.shape(value)) > len(leaf.shape)
    if not is_lazy(value):
        if not has_points:
            return [value] * len(chunks), None
        whole = np.asarray(value)
        ends = pairwise(accumulate(chunks, initial=0))
        return [whole[start:end] if axis == 0 else whole[..., start:end] for start, end in ends], None
    wanted: list[tuple[int, ...]] = [(n,) for n in value.shape]
    if has_points:
        wanted[axis] = tuple(chunks)
    value = value.rechunk(tuple(wanted))
    keys = list(_flat(value.__dask_keys__()))
    return (keys if has_points else keys * len(chunks)), value


def _flat(keys: Any) -> Iterator[Any]:
    """Yield the keys in nested lists."""
    for each in keys:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def _arrays(program: Any, leaves: list[Any]) -> tuple[np.ndarray, ...]:
    """Return the arrays of the results at a chunk of points."""
    return tuple(program.arrays(program.batch(tuple(rebuild(program.example, iter(leaves))))))


# ---- modules ----


_numbers = count(1)


def graph_of(program: Contents, lines: list[Line]) -> Graph:
    """Trace the lines of a program's listing; the nodes of the graph know which line they come from.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: x * x, 3.0)
    >>> graph = graph_of(program, program.lines)
    >>> graph, graph.origin(1).text
    (<Graph of lambda_gradient: 5 nodes, 3 edges>, 'x * x')
    """
    filename = f"<program {next(_numbers)} of {program.name}>"
    source = "".join(f"{line.text}\n" for line in lines)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    function = bound(code_of(source, filename), numpy_functions() | {"stacked": _of_objects})
    recorded = record(function, program.example, {}, "scalar", symbolic=True)
    graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], program.function_name)
    graph.scopes = named_tree(_parts(program, lines, graph))
    return graph


def _parts(program: Contents, lines: list[Line], graph: Graph) -> list[tuple[str, ...]]:
    """Return the part of the program that each node is in, or its array; no part needs a later one."""
    notes, nodes = program.notes, range(len(graph))
    places = [lines[origin.line - 1].place if (origin := graph.origin(node)) else 0 for node in nodes]
    number = {part: k for k, part in enumerate(dict.fromkeys(note.part for note in notes.values()))}
    which = "second " if any(part[0].startswith("second") for part in number) else ""
    number.setdefault((f"{which}products",), len(number))  # for expressions without a note
    parts = list(number)
    result = [number[notes[place].part] if place in notes else len(parts) - 1 for place in places]
    for node in reversed(nodes):
        for operand in graph.operand_nodes(node) if places[node] else ():
            result[operand] = min(result[operand], result[node])
    arrays = [(graph.name(node) or "").rpartition("[")[:1] for node in nodes]
    ends = {x: arrays[x] for x in graph.inputs} | {y: ("results", *arrays[y]) for y in graph.outputs}
    return [tuple(filter(None, ends[node])) if node in ends else parts[result[node]] for node in nodes]


def _of_objects(numbers: list[object], shape: tuple[int, ...]) -> np.ndarray:
    result = np.empty(len(numbers), object)
    result[:] = numbers
    return as_object_array(result.reshape(shape))


STACKED = '''

def stacked(rows, shape, *points):
    """Numbers, or arrays of as many points, as one array."""
    first, *others = broadcast_arrays(0.0, *rows, *points)
    return array(others[: len(rows)]).reshape((*shape, *first.shape))[()]
'''


def module_text(program: Contents) -> str:
    """Return the text of a module that defines the program's function.

    >>> import adviz
    >>> module_text(adviz.compile_gradient(np.exp, 1.0)).splitlines()[6]
    'from numpy import exp'
    """
    schedule, source = program.schedule, "\n".join(line.text for line in listing(program, is_saved=True))
    used = {each.operation for each in schedule.instructions if not OPERATIONS[each.operation].numeric.operator}
    special = {name for name in used if getattr(np, name, None) is not OPERATIONS[name].numpy}  # NumPy has another i0
    used |= {"inf", "nan"} & {repr(abs(float(value))) for value in schedule.constants.values()}
    stacks = "stacked(" in source
    used |= {"array", "broadcast_arrays"} if stacks else set()
    sparsity = program.sparsity._asdict() if program.sparsity else {}  # which the function does not return
    plain = "".join(letter for letter in program.name if letter.isalnum() or letter in "_.<>")
    imports = {"numpy": used - special, "scipy.special": special}
    return "".join(
        [
            f'"""Values and derivatives of {plain}, as adviz wrote them down.\n\n',
            f"{program.cost.operations:,} operations on each point. Arguments are numbers, or arrays with the axis\n",
            'of the points last.\n"""\n\n',
            *(f"from {module} import {', '.join(sorted(names))}\n" for module, names in imports.items() if names),
            STACKED if stacks else "",
            "\n" if program.sparsity else "",
            *(f"{name} = {np.asarray(value).tolist()}\n" for name, value in sparsity.items() if name != "data"),
            f"\n\n{program.guard.comment if program.guard else ''}{source}\n",
        ]
    )


# ---- one point ----

# One point: a function on Python's numbers, or of compiled code, that takes floats and arrays without a batch.
#
# Its text is made of tables and numbers only, as that of source_text.


NAMES: dict[str, object] = {"len": len, "type": type, "float": float, "ndarray": np.ndarray, "double": np.dtype(float)}


def function_of_point(program: Contents, backend: object) -> Callable[[Sequence[object]], Any]:
    """Make a function of the leaves of one point, which returns the results.

    It returns ``None`` unless the leaves are floats, and arrays in double precision, and all results are finite; and
    always if the structure of the results has classes that must be called.

    >>> import adviz
    >>> function = function_of_point(adviz.compile_gradient(lambda x: x * x, 3.0), None)
    >>> function([3.0]), function([3])
    (Gradient(value=9.0, gradient=6.0), None)
    """
    is_tuple = isinstance(program.template, tuple)  # also one with names, as Gradient; ad.compile has any structure
    if not all(map(_is_literal, program.template if is_tuple else [program.template])):
        return lambda leaves: None
    made = "made({})" if is_tuple else "{}"
    made = made if program.sparsity is None else f"finished({made})"
    functions = NAMES | {"made": partial(tuple.__new__, type(program.template)), "finished": program.finished}
    write = getattr(backend, "point", partial(_on_numbers, program.schedule, functions))
    lines, more = write(
        program.arguments, program.parts, lambda texts: made.format(structure_text(program.template, iter(texts)))
    )
    return compiled("\n    ".join(["def point(leaves):", *_taken(program.arguments), *lines]), functions | more)


def _is_literal(template: Any) -> bool:
    """Return whether a structure can be written as a literal: of tuples and lists."""
    return not is_container(template) or (type(template) in (tuple, list) and all(map(_is_literal, template)))


def _taken(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Yield statements that check the leaves, and call them ``a0``…"""
    names = [f"a{k}" for k in range(len(leaves))]
    yield f"if len(leaves) != {len(leaves)}: return None"
    yield f"{tuple_text(names)} = leaves"
    for name, leaf in zip(names, leaves, strict=True):
        is_array = f"type({name}) is ndarray and {name}.shape == {leaf.shape} and {name}.dtype == double"
        yield f"if not ({is_array if leaf.shape else f'type({name}) is float'}): return None"


def _on_numbers(
    schedule: Schedule,
    functions: dict[str, object],
    leaves: Sequence[Leaf],
    parts: Sequence[Part],
    write: Callable[[Iterable[str]], str],
) -> tuple[list[str], dict[str, object]]:
    """Return a statement that returns the results on Python's numbers, and the functions that it calls."""
    names = point_names(schedule)
    outputs = [names[place] for place in schedule.outputs]
    text = point_source(schedule, write(_array_text(*each, outputs) for each in enumerate(parts)))
    meanings = scalar_functions() | functions | {"scattered": _scattered}
    meanings |= {f"places{k}": np.array(part.rows, np.intp) for k, part in enumerate(parts)}
    numbers = (f"*a{k}.ravel().tolist()" if leaf.shape else f"a{k}" for k, leaf in enumerate(leaves))
    return [f"return program({', '.join(numbers)})"], {"program": compiled(text, meanings)}


def _array_text(k: int, part: Part, outputs: Sequence[str]) -> str:
    leaf, numbers = part.leaf, part.numbers(outputs, "0.0")
    if leaf.size > 2 * len(part.rows) > 0:  # lists of zeros are slow: pollution would take 12 µs instead of 6 µs
        return f"scattered({leaf.shape}, places{k}, [{', '.join(numbers[row] for row in part.rows)}])"
    shape = f".reshape({leaf.shape})" if len(leaf.shape) > 1 else ""
    return f"array([{', '.join(numbers)}]){shape}" if leaf.shape else numbers[0]


def _scattered(shape: tuple[int, ...], places: np.ndarray, numbers: list[float]) -> np.ndarray:
    """Return an array with numbers at these places, and zeros elsewhere."""
    result = np.zeros(prod(shape))
    result[places] = numbers
    return result.reshape(shape)


# ---- reports ----


MOST = 100
"""Points that are searched, at most: where NaN is among the arguments, no operation is to blame."""


def settle_or_report(program: Contents, given: Batch, arrays: Sequence[np.ndarray], settling: Settling | None) -> None:
    """Write what the engine finds into results that are not finite, point by point; report what it is not asked for.

    It is not asked any more if it has found nothing at so many points in succession as are searched for a report.
    """
    views = [np.moveaxis(array, AXES[program.points], 0) for array in arrays]
    is_known, missed = settling is not None and program.sparsity is None, 0
    is_told = is_known
    for point in _suspects(arrays, given.size, AXES[program.points], None) if is_known else []:
        numbers = [matrix[:, point if matrix.shape[1] > 1 else 0] for matrix in given.matrices]
        leaves = (np.reshape(each, leaf.shape) for each, leaf in zip(numbers, program.arguments, strict=True))
        arguments = rebuild(program.example, (leaf if leaf.ndim else float(leaf) for leaf in leaves))
        results = rebuild(program.template, iter([view[point] for view in views]))
        known = settling.settled(arguments, results) if settling else None
        found = [] if known is None else numbers_of(known)
        for view, number in zip(views, found, strict=known is not None):
            view[point] = number
        missed = 0 if known is not None and are_finite(found) else missed + 1
        is_told &= known is not None and has_values(known) and missed <= MOST
        if known is None or missed > MOST:
            break
    if not is_told:
        report(program, given, arrays)


def report(program: Contents, given: Batch, arrays: Sequence[np.ndarray]) -> None:
    """Warn of the first operation, at the first point, that made NaN or infinity of finite operands.

    There is no warning for what reaches no result, such as an operand that is not chosen.

    >>> import adviz, warnings
    >>> with warnings.catch_warnings(record=True, action="always") as heard:
    ...     found = adviz.compile_gradient(lambda x: np.log(x), 1.0)([1.0, 0.0])
    >>> str(heard[0].message).partition(",")[0]
    'infinity arises in log'
    """
    for point in _suspects(arrays, given.size, AXES[program.points]):
        numbers = [row[point if len(row) > 1 else 0] for matrix in given.matrices for row in matrix]
        for place, operation, value in _non_finite(program, numbers):
            note = program.notes.get(place)
            what = f", {note.comment}," if note and note.comment else ""
            at = "" if given.length is None else f" at point {point}"
            warn_of(value, f"{operation}{what}", note.origin if note else None, at)
            return


def _suspects(arrays: Sequence[np.ndarray], count: int, axis: int, most: int | None = MOST) -> list[int]:
    """Return the first points with a result that is not finite."""
    result = np.zeros(count, bool)
    for array in arrays:
        rows = np.moveaxis(np.asarray(array), axis, -1).reshape(-1, count)
        result |= ~np.isfinite(rows).all(axis=0)
    return np.flatnonzero(result)[:most].tolist()


def _non_finite(program: Contents, numbers: Sequence[float]) -> Iterator[tuple[int, str, float]]:
    """Yield the operations that make NaN or infinity of finite operands at one point, each with its result."""
    schedule = program.schedule
    at: dict[int, Any] = {place: float(value) for place, value in schedule.constants.items()}
    at |= zip(schedule.inputs, numbers, strict=True)
    with np.errstate(all="ignore"):
        for place, operation, operands in schedule.instructions:
            data = [at[operand] for operand in operands]
            at[place] = value = OPERATIONS[operation].numpy(*data)
            if not np.isfinite(value) and np.isfinite(np.asarray(data, float)).all():
                yield place, operation, value


# ---- the program ----


@dataclass(eq=False, repr=False)
class Program(Contents):
    """What :func:`adviz.compile_jacobian` and its like return.

    ``schedule`` has its instructions, ``order`` is the elimination order that they come from, ``cost`` counts the
    operations at one point, and ``points`` says where the axis of the points is, ``"first"`` or ``"last"``.

    >>> import adviz
    >>> program = adviz.compile_jacobian(lambda x: x * x, 3.0)
    >>> program, program([1.0, 2.0]).jacobian
    (<Program <lambda>: 2 operations, 1 ns per point expected>, array([2., 4.]))
    """

    order: Order
    backend: Any
    threads: int | None
    watch: Watch
    codes: list[CodeType]
    settling: Settling | None = None
    has_kinks: bool = False
    """Whether results may be NaN without an operation that makes it."""

    def __post_init__(self) -> None:
        self.backend = backend_name(self.backend)
        self.is_on_numpy = self.backend == "numpy" or self._backend.is_on_numpy
        self._of_point: Callable[[Sequence[object]], Any] | None = None

    def __call__(self, *arguments: object) -> Any:
        """Return values and derivatives at one point, or at as many as the arguments have; of Dask arrays, lazily.

        Raises :class:`~adviz.InputError` for arguments of other shapes than the example's, and
        :class:`~adviz.ProgramError` if the function has changed since it was compiled. Warns of the first operation
        that makes NaN or infinity of finite operands.
        """
        self.watch.check()
        if "dask.array" in sys.modules and any(map(is_lazy, leaves_like(arguments, self.example))):
            return lazy_results(self, arguments)
        if self._of_point and (result := self._single(arguments)) is not None:
            return result
        given = self.batch(arguments)
        if given.length is None and self.is_on_numpy and given.dtype == DOUBLE:
            self._of_point = self._of_point or function_of_point(self, self._backend)
            pairs = zip(self.arguments, given.matrices, strict=True)
            result = self._single([each.reshape(leaf.shape) if leaf.shape else each.item() for leaf, each in pairs])
            if result is not None:
                return result
        return self.on_batch(given)

    def batch(self, arguments: tuple[object, ...]) -> Batch:
        """Return arguments as points."""
        return self._backend.batch(arguments, self.example, self.arguments, self.points)

    def on_batch(self, given: Batch) -> Any:
        """Return values and derivatives at the points of a batch."""
        return self.finished(rebuild(self.template, iter(self.arrays(given))))

    def arrays(self, given: Batch) -> list[Any]:
        """Return the arrays of the results at the points of a batch."""
        heard: list[str] = []
        with np.errstate(all="call", under="ignore", call=lambda kind, flag: heard.append(kind)):
            arrays = self._backend(given, self.parts, self.points)
        if (heard or self.has_kinks) and self.is_on_numpy:
            settle_or_report(self, given, arrays, self.settling)
        if given.length is None and self.is_on_numpy:
            arrays = [array[0] if self.points == "first" else array[..., 0] for array in arrays]
        return arrays

    def _single(self, leaves: Sequence[object]) -> Any:
        """Return the results at a point; ``None`` where they are not finite, or the arguments are not as expected."""
        try:
            return self._of_point(leaves) if self._of_point else None
        except (ArithmeticError, ValueError):
            return None

    @cached_property
    def _backend(self) -> Backend:
        return backend_of(self.backend, self.schedule, self.threads)

    # ---- to inspect ----

    @cached_property
    def sources(self) -> list[Source]:
        """The source of the user's functions that were traced."""
        return list(map(source, self.codes))

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of :attr:`source`, each with the expression it computes and its place in the user's source."""
        return listing(self)

    @property
    def source(self) -> str:
        """The program as a function in Python, one line for each operation, on one point or on arrays of points.

        Names are those of the traced function, comments say what a line is: the value it has there, or the partials
        that the chain rule multiplies. Arrays have the axis of the points last.

        >>> import adviz
        >>> print(adviz.compile_gradient(lambda x, y: x * y, 3.0, 2.0).source)  # doctest: +NORMALIZE_WHITESPACE
        def lambda_gradient(x, y):
            v2 = x * y                            # v2 = x * y
            return (v2, (y, x))
        """
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def graph(self) -> Graph:
        """The program as a graph, traced at the example: to be explored, folded, played, linearized again."""
        return graph_of(self, self.lines)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the program as a module that imports only NumPy (and SciPy, if there are functions of SciPy in it).

        Its function takes and returns arrays that have the axis of the points last, as :attr:`source` does. Raises
        ``FileNotFoundError`` for a missing folder.
        """
        with users_frames():
            check_folder(Path(path))
            Path(path).write_text(module_text(self), encoding="utf-8")

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: all but compiled code, and the function that was traced."""
        state = self.__dict__ | {"lines": self.lines, "notes": self.notes, "sources": self.sources}
        state |= {"codes": [], "explain": dict, "_of_point": None, "settling": None}
        return {key: value for key, value in state.items() if key not in ("_backend", "graph")}

    def __repr__(self) -> str:
        cost = self.cost
        operations = counted((cost.operations, "operation"))
        return f"<Program {self.name}: {operations}, {cost.nanoseconds:,.0f} ns per point expected>"
