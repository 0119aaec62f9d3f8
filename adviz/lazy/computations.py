"""Computations: results of ops as a function that can be called, with storage that lasts from call to call."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from inspect import Parameter, Signature
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine.devices import in_numpy as to_numpy_only
from ..engine.tape import user_origin
from ..engine.variable import Variable
from ..graph.graph import Graph
from ..graph.timeline import Timeline
from ..kernels.arrays.array_program import ArrayProgram
from ..kernels.arrays.lowering import Lowered
from ..kernels.backends.selection import backend_name
from ..kernels.derivations.translation import Known, Translation, improved, terms_of_rows
from ..kernels.libraries.library_program import Library, LibraryProgram, is_abstract, kind_of_numbers, library_of
from ..kernels.points.batches import is_of_other_library
from ..kernels.program.watching import Watch
from ..kernels.terms.array_terms import Term
from ..kernels.terms.linear_rules import simplifying
from .contexts import user_deps
from .functional import NEXT, Recorded, Schedule, applied, recorded, running, scheduled
from .memory.layouts import memory_plan
from .memory.memory_plan import MemoryPlan
from .op_errors import ComputationError, OpError
from .ops import Op
from .passes.instructions import Instructions, instructions_of
from .stores import Store, held, load, save, shared, store_all, unique
from .storing import cast_for, in_numpy, plain_array


class Outcome(NamedTuple):
    """What a program of a computation returns: results, and what storage holds afterwards."""

    results: tuple[Any, ...]
    stored: tuple[Any, ...]


class Computation:
    """Results of ops as a function of placeholders: what :func:`computation` returns."""

    def __init__(self, results: Any, params: Sequence[Op], store: Store, name: str, backend: str = "numpy"):
        if not isinstance(name, str):
            raise ComputationError(f"The name of a computation is text, and not {name!r}.", user_origin())
        self.backend, self._library = backend, None if backend == "numpy" else library_of(backend)
        self.results, self.params, self.store = results, list(params), store
        self.ops = list(_ops_of(results))
        self.name = name or next((op.own_name for op in self.ops if op.own_name), "computation")
        for param in self.params:
            if not isinstance(param, Op) or not param.is_input:
                what = f"{param.name}, a {param.what}" if isinstance(param, Op) else repr(param)
                raise ComputationError(f"A parameter of a computation is a placeholder, and not {what}.", user_origin())
        if twice := [op.name for op in set(self.params) if self.params.count(op) > 1]:
            raise ComputationError(f"{twice[0]} is a parameter twice; name it once.", user_origin())
        # what was assigned to a result before the computation was made runs first, as for what is built after it
        before = [dep for op in self.ops if op.has_value for dep in user_deps(op.storage)]
        self.schedule: Schedule = scheduled([*before, *self.ops])
        self.states = [op for op in self.schedule.reads if op not in self.params]
        for op in self.states:
            if op.is_input and op.initial is None:
                raise ComputationError(
                    f"{op.name} is needed and has no value: make it a parameter, computation(…, {op.name}), or give it "
                    "an initial value.",
                    op.origin,
                )
        self.kept = [op for op in self.schedule.writes if op in self.states or op.initial is not None]
        self._valued = [op for op in self.ops if op.has_value]
        self._given_places = [place for place, op in enumerate(self.params) if op.initial is not None]
        self._state_cells = [store.cell(op) for op in self.states]
        self._stored_cells = [store.cell(op) for op in (*map(self.params.__getitem__, self._given_places), *self.kept)]
        self._arranged = _arrangement(results, self._valued)
        self.program = self._compiled()
        store.is_elsewhere |= self._library is not None
        self.__name__ = self.name
        names = unique([_identifier(op.name) for op in self.params])
        self.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in names])

    def __call__(self, *values: Any) -> Any:
        """Return the results at values of the parameters, in the structure in which they were asked for.

        Traced values are traced through the ops: a computation that stores nothing is a function as any for
        :func:`adviz.trace`, :func:`adviz.grad` and the shows, and what storage holds then is a constant of it.

        Raises :class:`~.op_errors.ComputationError` for another number of values, or another shape.
        """
        if self._library is not None:
            return self._called(self._library, values)
        with self.store.lock:
            states = self._states() if self.store.is_elsewhere else [cell.value for cell in self._state_cells]
            outcome = self.program.quick((*values, *states))
            if outcome is None or self._given_places:
                values = tuple(self._given(values))
                if any(isinstance(each, Variable) for each in values):
                    return self._traced(values)
            results, stored = self.program(*values, *states) if outcome is None else outcome
            if self._given_places:
                stored = *(held(np.array(values[place])) for place in self._given_places), *stored
            store_all(self._stored_cells, stored)
        return self._arranged(results)

    def _called(self, library: Library, values: Sequence[Any]) -> Any:
        """Return the results in arrays of a library, in which storage is left as well."""
        with self.store.lock:
            given = self._given(values, library)
            if any(isinstance(each, Variable) for each in given):
                return self._traced(given)
            own = [(str(each.dtype), str(getattr(each, "device", ""))) for each in given if library.is_own(each)]
            key = library.name, own
            states = [cell.in_library(library, key) for cell in self._state_cells]
            names = (op.name for op in (*self.params, *self.states))
            arrays = library.arrays(list(zip(names, [*given, *states], strict=True)))
            for cell, array in zip(self._state_cells, arrays[len(given) :], strict=True):
                if not is_abstract(array):
                    cell.copy = (cell.value, key, array)
            results, stored = self.program(*arrays)
            if any(map(is_abstract, stored)) or any(is_abstract(arrays[place]) for place in self._given_places):
                raise self._stores("while JAX transforms a function that calls it")
            kept = (library.typed(each, np.dtype(op.dtype)) for op, each in zip(self.kept, stored, strict=True))
            store_all(self._stored_cells, [*(library.copied(arrays[place]) for place in self._given_places), *kept])
        return self._arranged(results)

    def _states(self) -> list[Any]:
        return [cell.in_numpy(op) for op, cell in zip(self.states, self._state_cells, strict=True)]

    def _traced(self, values: Sequence[Any]) -> Any:
        """Return the results at traced values, on their tape."""
        if self.schedule.writes:
            raise self._stores("with traced values")
        with self.store.lock:
            begin = self._begin(values)
        return self._arranged(applied(self.schedule, self._valued, begin))

    def _stores(self, called: str) -> ComputationError:
        """Return what is wrong where the values to be stored would be no numbers."""
        stored = [*self.schedule.writes, *(op for op in self.params if op.initial is not None)]
        return ComputationError(
            f"{self.name} stores values in {', '.join(op.name for op in stored)}, and is called {called}: ask for its "
            "graph, trace(…), or make a computation of the results that runs no assignments.",
            user_origin(),
        )

    def _given(self, values: Sequence[Any], library: Library | None = None) -> list[Any]:
        """Return the values for the parameters, of their dtypes: in NumPy, or as they are in a library."""
        if len(values) != len(self.params):
            expected = ", ".join(op.name for op in self.params) or "none"
            raise ComputationError(
                f"{self.name} takes {len(self.params)} values ({expected}), and got {len(values)}.", user_origin()
            )
        return [_fits(op, value, library) for op, value in zip(self.params, values, strict=True)]

    # ---- to inspect ----

    @property
    def source(self) -> str:
        """The program as a function of NumPy, or of its library: parameters first, then what storage holds."""
        return self.program.source

    @property
    def graph(self) -> Graph:
        """Its graph at what storage holds now, and zeros for parameters: to be explored, played, linearized."""
        return self.trace(*(np.zeros(op.shape or (), op.dtype) for op in self.params))

    def trace(self, *values: Any) -> Graph:
        """Return its graph at values of the parameters; storage stays as it is.

        It is a graph as :func:`adviz.trace` makes them: what is decided by the data is decided for these values. After
        the results it returns what storage holds at the end, where something is stored.
        """
        begin = self._begin(self._given(values))
        return recorded(self.schedule, self._valued, begin, self.name, decides=True).graph

    def timeline(self, *values: Any) -> Timeline:
        """Return its ops as they run at values of the parameters, a Step each; storage stays as it is.

        The keys are those of :func:`~.functional.running`.
        """
        return running(self.schedule, self._begin(self._given(values)), self.name)

    def _begin(self, values: Sequence[Any]) -> dict[Op, Any]:
        """Return what storage holds before the first op: values of the parameters, and states."""
        with self.store.lock:
            states = dict(zip(self.states, self._states(), strict=True))
        return dict(zip(self.params, values, strict=True)) | states

    @property
    def instructions(self) -> Instructions:
        """What it does, in running order, for passes to work on: new ones each time, since passes change them."""
        return instructions_of(self._recorded(), self._valued, self.kept)

    @cached_property
    def memory(self) -> MemoryPlan:
        """Where its values live: from when until when, and in which bytes, by several methods."""
        return memory_plan(self.instructions)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what the storage that it uses holds to an ``.npz`` file, which is there as a whole or not at all."""
        save(path, self.states, self.store)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Take what storage holds from a file that :meth:`save` wrote."""
        load(path, self.states, self.store)

    def __repr__(self) -> str:
        params = ", ".join(op.name for op in self.params)
        return f"<Computation {self.name}({params}): {len(self.schedule.order)} ops>"

    # ---- to compile ----

    def _compiled(self) -> ArrayProgram:
        inputs = [*self.params, *self.states]
        examples = tuple(map(_example, inputs))
        names = unique([op.name for op in inputs])
        if self._library is not None:
            examples = self._library.example(examples)
        with to_numpy_only():
            record, arguments = self._recorded(examples), dict(zip(names, examples, strict=True))

        def lowered(_: Any) -> Lowered:
            return self._lowered(record, arguments)

        if self._library is None:
            return ArrayProgram(lowered, examples, Watch, trusted=len(self.states))
        return LibraryProgram(lowered, examples, Watch, self._library)

    def _recorded(self, examples: Sequence[Any] | None = None) -> Recorded:
        """Return its graph, in which only shapes and dtypes count."""
        inputs = [*self.params, *self.states]
        begin = dict(zip(inputs, examples or map(_example, inputs), strict=True))
        return recorded(self.schedule, self._valued, begin, self.name, is_abstract=True)

    def _lowered(self, recorded: Recorded, arguments: dict[str, Any]) -> Lowered:
        terms, graph = simplifying(), recorded.graph
        start = min((row for row, op in recorded.rows.items() if op.derived_from is not None), default=len(graph))
        of_row = terms_of_rows(terms, graph, {}, start, {})
        wanted = [*recorded.results, *(recorded.end[op] for op in self.kept)]
        made = [of_row[each.index] if isinstance(each, Variable) else terms.constant(each) for each in wanted]
        there, _ = improved(terms, made)
        made = [there.get(term, term) for term in made]
        ends = {op: term for op, term in zip(self.kept, made[len(recorded.results) :], strict=True) if term.operands}
        preset = {term: f"{op.name}{NEXT}" for op, term in ends.items()}
        of_op = [(op, row, there.get(of_row[row], of_row[row])) for row, op in recorded.rows.items() if row in of_row]
        translation = Translation(graph, terms, made, "_adj", list(arguments), _known(of_op))
        template = Outcome(tuple(map(_example, self._valued)), tuple(map(_example, self.kept)))
        summary = f"The results of {self.name}, and what is stored afterwards."
        return Lowered(
            translation,
            self.name,
            arguments,
            template,
            len(self._valued),
            summary,
            ("forward", "backward"),
            preset=preset,
        )


def _known(ops: Sequence[tuple[Op, int, Term]]) -> dict[Term, Known]:
    """Return what is known of terms: named values first, adjoints of named values, other adjoints, and the rest."""
    row_of = {op: row for op, row, _ in reversed(ops)}
    result: dict[Term, Known] = {}
    for op, row, term in sorted(ops, key=lambda each: _rank(each[0])):
        of = op.adjoint_of if op.adjoint_of in row_of else op.derived_from
        known = (
            Known(row_of.get(of, row), op.derived_from is not None, op.adjoint_of in row_of)
            if of is not None
            else Known(row)
        )
        result.setdefault(term, known)
    return result


def _rank(op: Op) -> int:
    of = op.adjoint_of
    if of is None:
        return 3 if op.derived_from is not None else 0
    return 1 if of.own_name else 2


def computation(
    results: Any,
    *params: Op,
    store: Store | None = None,
    name: str = "",
    backend: str | ModuleType | None = None,
) -> Computation:
    """Return a function of placeholders that returns the values of ops: compiled here, run when it is called.

    ``results`` are an op, a sequence, a set (the answer is a dictionary by op) or ``None``; ``params`` are
    placeholders. What was assigned to a result before runs as well. Storage lasts in ``store``, by default one that all
    computations share.

    ``backend`` is that of programs on arrays, as :func:`adviz.compile_gradient` says: ``"numpy"``, ``"cupy"``, or a
    library whose arrays follow the array API standard, such as ``jax.numpy``; if ``None``, that of
    :func:`adviz.set_backend`, or NumPy where that is Numba. Results are arrays of the library, and what storage holds
    stays on its device from call to call; ``store[op]`` and :func:`save` copy it to NumPy. Real numbers are in the
    precision of the library's arrays, but what is stored is not wider than its op.

    Raises :class:`~.op_errors.ComputationError`, with the line where the op was built, for a placeholder that is needed
    and has no value; and :class:`~adviz.ProgramError` for what a library cannot do, and for Numba, whose loops are over
    numbers.

    >>> import adviz
    >>> a, b, c = (adviz.lazy.placeholder() for _ in range(3))
    >>> computation([a * b + c, b], a, b, c)(4.0, 2.0, 7.0)
    (15.0, 2.0)
    >>> computation(a * b, a, b, backend="array_api_strict")(4.0, 2.0)
    Array(8., dtype=array_api_strict.float64)
    """
    if not isinstance(store, Store | None):
        raise ComputationError(f"store= is an ad.lazy.Store, and not {type(store).__name__}.", user_origin())
    chosen = backend_name(backend)
    if backend is None and chosen == "numba":
        chosen = "numpy"  # chosen for programs of numbers; there is none of Numba for arrays
    return Computation(results, params, shared if store is None else store, name, chosen)


def _ops_of(results: Any) -> Iterator[Op]:
    if isinstance(results, Op):
        yield results
    elif isinstance(results, list | tuple | set | frozenset | dict):
        for each in results:
            if not isinstance(each, Op):
                raise _no_result(each)
            yield each
    elif results is not None:
        raise _no_result(results)


def _no_result(given: Any) -> ComputationError:
    is_compared = isinstance(given, bool | np.bool_)
    hint = " x == y tells whether two ops are the same one; np.equal(x, y) compares values." if is_compared else ""
    return ComputationError(f"Results are ops, and not {type(given).__name__}.{hint}", user_origin())


def _arrangement(results: Any, valued: Sequence[Op]) -> Callable[[Sequence[Any]], Any]:
    """Return what arranges values of ops in the structure asked for, with ``None`` for ops without value."""
    ops = [*_ops_of(results)]
    if isinstance(results, list | tuple) and len(valued) == len(ops):
        return tuple
    places = {op: place for place, op in enumerate(valued)}
    chosen = [places.get(op) for op in ops]

    def arranged(values: Sequence[Any]) -> Any:
        result = tuple([None if place is None else values[place] for place in chosen])
        if isinstance(results, set | frozenset | dict):
            return dict(zip(ops, result, strict=True))
        return result[0] if isinstance(results, Op) else result if ops or results is not None else None

    return arranged


def _example(op: Op) -> Any:
    return np.zeros(op.shape or (), op.dtype)[()]


def _identifier(name: str) -> str:
    """Return a name that Python takes for that of a parameter."""
    result = re.sub(r"\W", "_", name)
    return result if result.isidentifier() else f"_{result}"


def _fits(op: Op, value: Any, library: Library | None = None) -> Any:
    """Return a value for a parameter, of its dtype; raises :class:`ComputationError` for another shape."""
    is_there = library is not None and is_of_other_library(value)
    is_plain = not is_there and not isinstance(value, Variable)
    try:
        given: Any = cast_for(op, plain_array(op, value))[()] if is_plain else value
    except OpError as error:
        raise ComputationError(str(error).partition("\n")[0], user_origin()) from None
    if tuple(given.shape) != op.shape:
        raise ComputationError(
            f"{op.name} has the shape {op.axes or op.shape}, and the value has {given.shape}.", user_origin()
        )
    if library is not None and is_there:
        if not library.is_own(value):
            return value  # the library says that it is not its own
        is_typed = np.dtype(op.dtype).kind in ("f", kind_of_numbers(op.name, value)[1])
        return library.typed(value, np.dtype(op.dtype)) if is_typed else _fits(op, in_numpy(value))
    return given if given.dtype == op.dtype else given.astype(op.dtype)
