"""Programs on arrays: NumPy code for a function and its derivative, which can be called, read, explained and saved."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import is_
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import INPUT
from ...engine.calls import leaves, rebuild
from ...engine.sweeps import checksum
from ...engine.sweeps import is_finite as is_value_finite
from ...engine.tape import warn
from ...engine.trace_errors import NonFiniteWarning
from ...graph.errors import check_folder
from ...graph.graph import Graph
from ...graph.ipython import users_frames
from ...graph.origins import Source, source
from ...graph.wording import counted
from ..derivations.translation import Translation
from ..points.array_arguments import Arguments, Key, key_of
from ..program.settling import Settling, has_values, warn_of
from ..program.watching import Watch
from ..program_errors import ProgramError
from ..schedules import fewest_advances
from ..sources.array_modules import defined, freed, function_of, graph_of, module_text
from ..sources.checkpoint_lines import Iteration
from ..sources.writing import Row, Written
from ..terms.array_terms import LOOP, Term, in_order
from .batch_sums import BatchSum, Chunked, in_chunks
from .costs import ArrayCost, cost_of
from .lowering import Lowered
from .quick_calls import Call, quick_call
from .row_blocks import Plan, RowsPart, WholePart, planned

# ---- explanations ----


class Use(NamedTuple):
    """What a rule did for a program: the laws that it went by, how often, and the operations on numbers that it saved.

    Operations are counted at the rule: a form that another rule needs may take more of them for a while.
    """

    laws: tuple[str, ...]
    times: int
    saved: int


class Explanation(dict[str, Use]):
    """The rules that simplified a program, by name; printed as a table.

    What ``"checkpoints"`` say of bytes is their law; they are used as often as lines, or iterations, are run again.

    >>> print(Explanation({("signs", "-(-a) = a"): [2, 10]}))
    rule   times  operations saved  laws
    signs      2                10  -(-a) = a
    """

    def __init__(self, *fired: Mapping[tuple[str, str], list[int]]):
        for (name, law), (times, saved) in (pair for each in fired for pair in each.items()):
            laws, before, already = self.get(name, Use((), 0, 0))
            self[name] = Use(tuple(dict.fromkeys((*laws, law))), before + times, already + saved)

    def __repr__(self) -> str:
        width = max((len(name) for name in (*self, "rule")), default=0)
        rows = [f"{name:<{width}}  {use.times:>5,}  {use.saved:>16,}  {use.laws[0]}" for name, use in self.items()]
        rows = [row if len(use.laws) == 1 else f"{row}, …" for row, use in zip(rows, self.values(), strict=True)]
        return "\n".join([f"{'rule':<{width}}  times  operations saved  laws", *rows])


Fired = dict[tuple[str, str], list[int]]


def again(lowered: Lowered, written: Written, cost: ArrayCost) -> Fired:
    """Return what checkpoints save, as if they were a rule: bytes, for operations done again; nothing without any.

    >>> import adviz, numpy as np
    >>> def waves(x):
    ...     for _ in range(100):
    ...         x = np.sin(x) + np.cos(x)
    ...     return np.sum(x)
    >>> print(adviz.compile_gradient(waves, np.ones(1000), checkpoints=5).explain())
    rule              times  operations saved  laws
    constants folded      1                 0  what is made of constants is a constant
    broadcasts            1                 0  an array of equal numbers is one number repeated
    neutral elements      1             1,000  a in its own dtype is a
    signs                 2                 0  (-a) · b = -(a · b), …
    checkpoints         316          -948,000  at most 72,008 bytes in use, instead of 1,624,000
    """
    if not lowered.checkpoints and not written.runs:
        return {}
    plain = lowered.with_all_kept()
    before = cost_of(lowered.translation, plain.written(), lowered.bodies)
    times = sum(run.is_again for run in written.runs)
    times += sum(
        _iterations_again(lowered.bodies[start].loop.iterations, each) for start, each in written.iterations.items()
    )
    law = f"at most {cost.peak_bytes:,} bytes in use, instead of {before.peak_bytes:,}"
    return {("checkpoints", law): [times, before.operations - cost.operations]}


def _iterations_again(count: int, iteration: Iteration) -> int:
    """Count the iterations of a loop run again, from checkpoints or, where they need no state, for themselves."""
    again = {"checkpoints": fewest_advances(count, iteration.checkpoints or 1), "recomputed": count}
    return again.get(iteration.way, 0)


# ---- runs by block ----


Blocks = Callable[[dict[int, Any]], dict[int, float]]


def runner(plan: Plan) -> Callable[[Sequence[Any]], tuple[list[Any], list[Any]]]:
    """Return a function of the arrays of the arguments: those of the results, and what tells whether they are finite.

    Results are arrays of their own.
    """
    steps = [(part, _rows(plan, part) if isinstance(part, RowsPart) else _whole(part)) for part in plan.parts]

    def run(arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        values: dict[int, Any] = dict(enumerate(arrays)) | plan.constants
        sums: dict[int, float] = {}
        for part, step in steps:
            sums |= step(values)
            for number in part.ends:
                values.pop(number, None)
        results = _own([values[number] for number in plan.results], arrays)
        pairs = zip(plan.results, results, strict=True)
        return results, [each for number, each in pairs if not math.isfinite(sums.get(number, math.inf))]

    return run


def _whole(part: WholePart) -> Blocks:
    function = defined(freed(part.function))

    def step(values: dict[int, Any]) -> dict[int, float]:
        values.update(zip(part.gives, function(*map(values.__getitem__, part.takes)), strict=True))
        return {}

    return step


def _rows(plan: Plan, part: RowsPart) -> Blocks:
    """Fill arrays block by block, and add up totals; the checksums of what is filled tell whether it is finite."""
    compute = defined(freed(part.function.written))
    compute_rest = defined(freed(part.rest.written)) if part.rest else compute
    takes = list(zip(part.takes, part.sliced, strict=True))

    def step(values: dict[int, Any]) -> dict[int, float]:
        given = [(values[number], is_row) for number, is_row in takes]
        filled = [np.empty(shape, dtype) for shape, dtype in (plan.shapes[number] for number in part.filled)]
        work = [np.empty(shape, dtype) for shape, dtype in part.function.shapes]
        totals: list[Any] = []
        sums = [0.0] * len(filled)
        for start in range(0, plan.rows, plan.block):
            end = start + plan.block
            if end > plan.rows and part.rest:
                work.clear()
                work += [np.empty(shape, dtype) for shape, dtype in part.rest.shapes]
            compute_block = compute if end <= plan.rows else compute_rest
            blocks = [array[start:end] for array in filled]
            added = compute_block(*(value[start:end] if is_row else value for value, is_row in given), *blocks, *work)
            totals = [one + other for one, other in zip(totals, added, strict=True)] if start else list(added)
            for k, block in enumerate(blocks):
                sums[k] += checksum(block)
        for number, total in zip(part.totals, totals, strict=True):
            values[number] = total / plan.counts[number] if number in plan.counts else total
        values.update(zip(part.filled, filled, strict=True))
        return dict(zip(part.filled, sums, strict=True))

    return step


def _own(results: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    """Return the same results, none of which shares memory with another one or with an argument."""
    result: list[Any] = []
    for each in results:
        is_shared = isinstance(each, np.ndarray) and (
            not each.flags.writeable or any(np.may_share_memory(each, other) for other in (*arrays, *result))
        )
        each = each.copy() if is_shared else each
        result.append(float(each) if type(each) is np.float64 else each)
    return result


# ---- reports ----


def is_finite(results: Sequence[Any]) -> bool:
    """Return whether no result has NaN or infinity."""
    return all(map(is_value_finite, results))


def report(translation: Translation, arrays: Sequence[Any]) -> None:
    """Warn of the first operation that made NaN or infinity of finite operands, with its place in the user's source."""
    has_loops = any(term.operation is LOOP for term in in_order(translation.results))
    with np.errstate(all="ignore"):
        for value, operands, name, origin in (_by_graph if has_loops else _by_terms)(translation, arrays):
            if not is_value_finite(value) and is_finite(operands):
                warn_of(value, name, origin)
                return
    if has_loops:
        warn(NonFiniteWarning(f"NaN or infinity arises in the derivative of {translation.graph.title}, in a loop."))


Computed = tuple[Any, Sequence[Any], str, Any]
"""A value, its operands, what it is of, and its place in the user's source."""


def _by_terms(translation: Translation, arrays: Sequence[Any]) -> Iterator[Computed]:
    graph, values = translation.graph, dict[Term, Any]()
    for term in in_order(translation.results):
        if term.is_constant or term.operation is INPUT:
            values[term] = term.value if term.is_constant else arrays[term.value]
            continue
        operands = [values[each] for each in term.operands]
        values[term] = term.operation.compute(*operands)
        known = translation.known.get(term)
        what = "the derivative of " if known and known.is_derivative else ""
        name = graph.blocks[known.node].name if known else term.name
        yield values[term], operands, f"{what}{name}", graph.origin(known.node) if known else None


def _by_graph(translation: Translation, arrays: Sequence[Any]) -> Iterator[Computed]:
    """Yield the values of the function, iteration by iteration: its terms have loops as a whole."""
    graph, values, given = translation.graph, dict[int, Any](), iter(arrays)
    for node, block in enumerate(graph.blocks):
        if block is INPUT:
            values[node] = next(given)
        elif graph.live[node]:
            operands = [values[k] if k >= 0 else graph.literal(k) for k in graph.operands(node)]
            values[node] = block.compute(*operands)
            yield values[node], operands, block.name, graph.origin(node)


# ---- the program ----


MOST = 8
"""Shapes and dtypes that a program is specialized to at the same time."""


class Specialization(NamedTuple):
    """A program for arguments of certain shapes and dtypes; a program from another process has no ``lowered``.

    Where it has a ``plan``, it is run in parts, block by block.
    """

    lowered: Lowered | None
    written: Written
    template: Any
    cost: ArrayCost
    explanation: Explanation
    plan: Plan | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what another process needs."""
        return Specialization, (None, *self[1:])

    def function(self) -> Callable[..., tuple[list[Any], Any]]:
        """Return the function that is called: it returns arrays of results that may not be finite, and the results."""
        if self.plan is None:
            return function_of(self.written, self.template)
        compute = runner(self.plan)

        def run(*arguments: Any) -> tuple[list[Any], Any]:
            result, unknown = compute([leaf for argument in arguments for _, leaf in leaves(argument, "")])
            return unknown, rebuild(self.template, iter(result))

        return run


class ArrayProgram:
    """What :func:`adviz.compile_gradient` and its like return where they write a program on arrays.

    It is called with arguments of the ``example``'s structure. At other shapes or dtypes it is written once more, for
    the last :data:`MOST` of them; ``specializations`` are those that there are.

    >>> import adviz
    >>> program = adviz.compile_gradient(lambda x: np.sum(x * x), np.ones(3), grain="array")
    >>> program(np.array([1.0, 2.0, 3.0]))
    Gradient(value=14.0, gradient=array([2., 4., 6.]))
    >>> program(np.ones(2)), list(program.specializations)
    (Gradient(value=2.0, gradient=array([2., 2.])), ['x (3,)', 'x (2,)'])
    """

    def __init__(
        self,
        lowered: Callable[[tuple[Any, ...]], Lowered],
        primals: tuple[Any, ...],
        watch: Callable[[], Watch],
        of_points: Callable[[], Callable[..., Any]] | None = None,
        batch: BatchSum | None = None,
        guard: Any = None,
        trusted: int = 0,
    ):
        self._lowered, self._begin_watch, self._of_points = lowered, watch, of_points
        self.batch, self.guard = batch, guard
        self._trusted = trusted  # the last arguments, which are always of the example's shapes and dtypes
        self.settling: Settling | None = None
        self._made: OrderedDict[Key, Specialization] = OrderedDict()
        self._functions: dict[Key, Callable[..., Any]] = {}
        self._quick: Call | None = None
        self._quicks: dict[Key, Call | None] = {}
        first = lowered(primals)
        if first.refusal:
            raise ProgramError(first.refusal)
        self._watch = watch()  # after tracing, which may count or print in names of the function's own
        self.example = tuple(first.arguments.values())
        self.arguments = Arguments(self.example, list(first.arguments), first.takes_primals)
        self._first_key = key_of([np.asarray(value) for _, value in self.arguments.named()])
        self._first = self._added(self._first_key, first)
        if first.states is not None and self._first.plan is not None:
            raise ProgramError(
                f"checkpoints={first.states!r} would save no memory: {self.name} is run in blocks of rows, with at "
                f"most {self._first.plan.peak_bytes:,} bytes in use. Leave checkpoints out."
            )

    def __call__(self, *arguments: Any) -> Any:
        """Return values and derivatives at a point; arguments are not changed, and results are arrays of their own.

        With a ``batch``, rows are computed chunk by chunk, and those of Dask arrays lazily.

        Raises :class:`~adviz.InputError` for arguments of another structure than the example's, and
        :class:`~adviz.ProgramError` if the function has changed since it was compiled. Warns of the first operation
        that makes NaN or infinity of finite operands.
        """
        self._watch.check()
        if self.batch is not None:
            chunked = Chunked(self._at, self._prepare, self.example, self.arguments.names)
            return in_chunks(chunked, self.batch, arguments)
        return self._at(*arguments)

    def _prepare(self, arrays: list[Any]) -> None:
        """Write the program for arrays of these shapes, if it is not there yet."""
        if (key := key_of(arrays)) not in self._made:
            self._specialized(key, arrays)

    def _at(self, *arguments: Any) -> Any:
        """Return the same for arguments that are taken as a whole."""
        if (results := self.quick(arguments)) is not None:
            return results
        arrays = self.arguments.arrays(arguments)
        key = key_of(arrays)
        if key not in self._made and self._of_points is not None and self.arguments.has_points(arrays):
            return self._of_points()(*arguments)
        function = self._functions.get(key) or self._function(key, arrays)
        is_plain = len(arguments) == len(arrays) and all(map(is_, arguments, arrays))
        given = arguments if is_plain else self.arguments.structured(arrays)
        try:
            with np.errstate(all="ignore"):
                leaves, results = function(*given)
        except np.linalg.LinAlgError:
            result = None if self.settling is None else self.settling.whole(arguments, self._made[key].template)
            if result is None:
                raise
            return result
        self._quick = self._quick_call(key, results)
        return results if is_finite(leaves) else self._settled(key, arguments, results, arrays)

    def quick(self, arguments: tuple[Any, ...]) -> Any:
        """Return the results at arguments of the kinds of the last call, without detours; ``None`` for any other."""
        try:
            if self._quick is None or (pair := self._quick(arguments)) is None:
                return None
        except np.linalg.LinAlgError:
            return None
        leaves, results = pair
        return (
            results if is_finite(leaves) else self._settled(None, arguments, results, self.arguments.arrays(arguments))
        )

    def _settled(self, key: Key | None, arguments: tuple[Any, ...], results: Any, arrays: list[Any]) -> Any:
        """Return results with what the engine finds where they are not finite; reports what it is not asked for."""
        result = None if self.settling is None else self.settling.settled(arguments, results)
        if result is None or not has_values(result):
            self._report(key, arrays)
        return results if result is None else result

    def _quick_call(self, key: Key, results: Any) -> Call | None:
        """Return the call for arguments of these shapes and dtypes, if they come again; ``results`` are an example."""
        if key not in self._quicks and (made := self._made[key]).plan is None:
            self._quicks[key] = quick_call(defined(freed(made.written)), self.example, key, results, self._trusted)
        return self._quicks.get(key)

    def _report(self, key: Key | None, arrays: list[Any]) -> None:
        if (lowered := self._made[key or key_of(arrays)].lowered) is not None:
            report((lowered.unrolled() if lowered.unrolled else lowered).translation, arrays)

    def _function(self, key: Key, arrays: list[Any]) -> Callable[..., Any]:
        """Return the function for arguments of these shapes and dtypes."""
        specialization = self._made.get(key) or self._specialized(key, arrays)
        self._functions[key] = function = specialization.function()
        return function

    def _specialized(self, key: Key, arrays: list[Any]) -> Specialization:
        """Write the program for arguments of these shapes and dtypes."""
        if self._lowered is None:
            raise ProgramError(
                f"The program was compiled in another process, for {', '.join(self.specializations)}; for "
                f"{self.arguments.called(key)} it has to be compiled here."
            )
        lowered = self._lowered(self.arguments.primals(arrays))
        self.arguments.check_shapes(arrays, tuple(lowered.arguments.values()))
        self._watch = self._begin_watch()
        return self._added(key, lowered)

    def _added(self, key: Key, lowered: Lowered) -> Specialization:
        self._made[key] = result = self._write(key, lowered)
        if len(self._made) > MOST:
            last, _ = self._made.popitem(last=False)
            self._functions.pop(last, None)
            self._quicks.pop(last, None)
            self._quick = None
        return result

    def _write(self, key: Key, lowered: Lowered) -> Specialization:
        written = lowered.written()
        cost = cost_of(lowered.translation, written, lowered.bodies)
        explanation = Explanation(*lowered.fired, again(lowered, written, cost))
        plan = planned(lowered.translation, len(key))
        if plan is not None and written.runs and plan.peak_bytes > cost.peak_bytes:
            plan = None  # the program is run as it is written, with its checkpoints
        if plan is not None:
            cost = cost._replace(peak_bytes=min(cost.peak_bytes, plan.peak_bytes))
        return Specialization(lowered, written, lowered.template, cost, explanation, plan)

    # ---- to inspect ----

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._first.written.title

    @property
    def source(self) -> str:
        """The program as a function of NumPy, at the example's shapes: readable, and what is run.

        >>> import adviz
        >>> print(adviz.compile_gradient(lambda x: np.sum(x * x), np.ones(3), grain="array").source)
        def lambda_gradient(x):
            \"\"\"The value of <lambda>, and its gradient with respect to x.\"\"\"
            value = np.sum(x**2)
            x_adj = 2 * x
            return value, x_adj
        """
        return self.written.source

    @property
    def written(self) -> Written:
        """The program at the example's shapes."""
        return self._first.written

    @property
    def lowered(self) -> Lowered | None:
        """The terms of that; ``None`` in another process."""
        return self._first.lowered

    @property
    def lines(self) -> list[Row]:
        """The lines of :attr:`source`, each with the place in the user's source that it is due to."""
        return self.written.rows

    @cached_property
    def sources(self) -> list[Source]:
        """The source of the user's functions that were traced."""
        return [] if self.lowered is None else list(map(source, self.lowered.translation.graph.codes))

    @cached_property
    def graph(self) -> Graph:
        """The program as a graph, traced at the example: to be explored, folded, played.

        >>> import adviz
        >>> adviz.compile_gradient(lambda x: np.sum(np.sin(x)), np.ones(3), grain="array").graph.block_counts()["cos"]
        1
        """
        return graph_of(self.written, self.example)

    @property
    def traced_lines(self) -> list[Row]:
        """The lines that the nodes of :attr:`graph` come from."""
        return self.lines

    @property
    def specializations(self) -> dict[str, str]:
        """The sources by the shapes and dtypes that they are for, the latest last."""
        return {self.arguments.called(key): made.written.source for key, made in self._made.items()}

    def explain(self) -> Explanation:
        """Return which rules simplified the program, how often, and how many operations on numbers each saved.

        >>> import adviz
        >>> adviz.compile_gradient(lambda x: np.sum(x * x), np.ones(3), grain="array").explain()["textbook forms"]
        Use(laws=('a · a = a²',), times=1, saved=0)
        """
        return self._first.explanation

    @property
    def cost(self) -> ArrayCost:
        """Operations on numbers, and the most bytes that are in use at the same time, at the example's shapes."""
        return self._first.cost

    def save(self, path: str | PathLike[str]) -> None:
        """Write the program as a module; raises ``FileNotFoundError`` for a missing folder.

        It imports NumPy only, or the library that the program is for, under a name: another may stand in its place.
        """
        with users_frames():
            check_folder(Path(path))
            Path(path).write_text(self._module_text(self.arguments.called(self._first_key)), encoding="utf-8")

    def _module_text(self, shapes: str) -> str:
        return module_text(self.written, shapes, self.guard.comment if self.guard else "")

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the sources, but not the function that was traced."""
        left = dict.fromkeys(("_lowered", "_begin_watch", "settling", "_of_points", "_quick"))
        state = self.__dict__ | {"sources": self.sources, "_functions": {}, "_quicks": {}, **left}
        return {name: each for name, each in state.items() if name != "graph"}

    def __repr__(self) -> str:
        return f"<ArrayProgram {self.name}: {counted((len(self.source.splitlines()), 'line'))}>"
