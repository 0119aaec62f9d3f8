"""From a function to a program: trace it for all points, accumulate the derivative by an order, write it down.

* :func:`compile_jacobian`: values and Jacobian, dense or sparse;
* :func:`compile_gradient` and :func:`compile_hessian` of a function that returns one number;
* :func:`compile_jvp` and :func:`compile_vjp`: the Jacobian times a tangent, or a cotangent times the Jacobian. There is
  one more vertex, before all inputs or behind all outputs, and what is between is eliminated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from ..engine import linearize
from ..engine.pytrees import is_container, leaves, rebuild
from ..engine.trace import Record, parameter_names, record, warn_of_independence
from ..engine.trace_errors import InputError, OutputError
from ..graph.graph import Graph
from ..graph.linearized.cgraph import CGraph
from .backends.selection import backend_name
from .expressions.accumulation import ALONG, BEHIND, Linearization, Places, derived, expressions_of, without
from .planning.fast_math import QUICKER, Replaced, quickened
from .planning.order_selection import Chosen, chosen
from .planning.schedule import schedule
from .points.batches import Leaf, check_layout, is_foreign
from .points.results import Coo, Csr, Curvature, Derivatives, Gradient, Outputs, Pulled, Pushed
from .program.branches import Guard, per_branch, told
from .program.listing import Elimination, Note, notes_of
from .program.program import Program
from .program.watching import Watch
from .program_errors import ProgramError

FORMS = ("dense", "coo", "csr")
Which = int | Sequence[int] | None


@per_branch
def compile_jacobian(
    f: Callable[..., Any],
    /,
    *example: Any,
    order: Any = "best",
    inputs: Which = None,
    outputs: Which = None,
    form: str = "dense",
    points: str = "first",
    backend: Any = None,
    branches: bool = False,
    fast: bool = False,
    **settings: Any,
) -> Program:
    """A program for the values and the Jacobian of ``f`` at any point, or at many points at once.

    ``f`` is traced at the ``example``, of which only the shapes matter: what depends on values must be written with
    ``np.where`` and its like. ``order`` is an order of vertices, edges or faces of ``adviz.linearize(f, *example,
    grain="scalar")``, its name, an :class:`~adviz.Optimum`, ``"best"``: the one of forward, reverse and Markowitz
    whose program is expected to be quickest, or ``"searched"``: what a search of a second or so finds from there. What
    the linearization at the example has not, ``np.where`` and what it does not take there, is eliminated first, the
    last of it first; orders of edges and faces may not fit what is left. ``settings`` are keyword arguments of ``f``.
    ``np.max`` of several numbers is that of two at a time, as in the scalar grain: where three or more tie, their
    derivatives are others than by :func:`adviz.jacobian`.

    The program returns :class:`~.results.Derivatives`. The Jacobian is by the arguments that ``inputs`` counts, all if
    ``None``, of the results that ``outputs`` counts, and structured as that of :func:`adviz.jacobian`; in the form
    ``"coo"`` or ``"csr"`` it is one sparse matrix (:class:`~.results.Coo`, :class:`~.results.Csr`) without structural
    zeros. ``points`` says whether the axis of the points is the ``"first"`` of all arrays or the ``"last"``, which is
    quicker. ``backend`` says where the program runs: ``"numpy"``, ``"numba"``, ``"cupy"``, or any library whose arrays
    are as the array API standard says (``torch``, ``jax.numpy``); if ``None``, that of :func:`adviz.set_backend`. Numba
    compiles at the first call, and its sines, cosines, angles and lengths may have other last digits than NumPy's. On
    CuPy and such libraries arrays are the library's own, and stay on their device and in their dtype. With
    ``branches=True`` control flow may depend on values: see :class:`~.branches.Branches`; then the form is dense.

    With ``fast=True`` the last digits of sines, cosines and lengths are given up for speed, as :mod:`~.quicker` says:
    sines may be wrong by 4 units of the last place, cosines by 5e-16 of the largest, and squares of lengths overflow or
    vanish. Numba has quicker lengths only, and other libraries nothing of this.

    Raises :class:`~adviz.BranchError` for control flow that depends on values, with its place in the source, and
    :class:`~adviz.OrderError` for an order of another graph.

    >>> import numpy as np
    >>> program = compile_jacobian(lambda x, y: np.sin(x) * y, 1.0, 1.0)
    >>> program(np.zeros(3), np.array([1.0, 2.0, 3.0]))
    Derivatives(values=array([0., 0., 0.]), jacobian=(array([1., 2., 3.]), array([0., 0., 0.])))
    """
    if form not in FORMS:
        raise ProgramError(f"form is {form!r}; it can be {', '.join(map(repr, FORMS[:-1]))} or {FORMS[-1]!r}.")
    draft = Draft(f, example, settings, points, backend, branches, fast, inputs, outputs)
    found = draft.chosen(draft.linear, order)
    if form != "dense":
        sparsity = draft.add_entries(found.jacobian, form)
        return draft.program(Derivatives(draft.values, 0.0), found.order, sparsity=sparsity)
    draft.add(draft.results, draft.inputs, lambda y, x: found.jacobian.get((x, y)))
    return draft.program(Derivatives(draft.values, draft.repeated(draft.values)), found.order)


@per_branch
def compile_gradient(
    f: Callable[..., Any],
    /,
    *example: Any,
    order: Any = "best",
    inputs: Which = None,
    points: str = "first",
    backend: Any = None,
    branches: bool = False,
    fast: bool = False,
    **settings: Any,
) -> Program:
    """A program for the value and the gradient of a function that returns one number: :class:`~.results.Gradient`.

    Arguments are those of :func:`compile_jacobian`. Raises :class:`~adviz.OutputError` if ``f`` returns anything else.

    >>> compile_gradient(lambda x: x[0] * x[1], [2.0, 3.0])([2.0, 3.0])
    Gradient(value=6.0, gradient=array([3., 2.]))
    """
    draft = Draft(f, example, settings, points, backend, branches, fast, inputs)
    draft.check_is_number("compile_gradient")
    found = draft.chosen(draft.linear, order)
    draft.add(draft.results, draft.inputs, lambda y, x: found.jacobian.get((x, y)))
    return draft.program(Gradient(0.0, draft.arguments), found.order)


@per_branch
def compile_hessian(
    f: Callable[..., Any],
    /,
    *example: Any,
    order: Any = "best",
    inputs: Which = None,
    points: str = "first",
    backend: Any = None,
    branches: bool = False,
    fast: bool = False,
    **settings: Any,
) -> Program:
    """A program for value, gradient and Hessian of a function that returns one number: :class:`~.results.Curvature`.

    The program of the gradient is linearized and eliminated once more; of what is symmetric one half is computed.
    ``order`` is the name of the order of this second elimination. Other arguments are those of
    :func:`compile_jacobian`; structures nest as those of :func:`adviz.hessian`.

    >>> compile_hessian(lambda x: x[0] ** 2 * x[1], [3.0, 5.0])([3.0, 5.0]).hessian
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    draft = Draft(f, example, settings, points, backend, branches, fast, inputs)
    draft.check_is_number("compile_hessian")
    ((_, (y,)),) = draft.results
    nodes = [x for _, vertices in draft.inputs for x in vertices]
    number = {x: q for q, x in enumerate(nodes)}
    first = draft.chosen(draft.linear, "best").jacobian
    draft.add(draft.results, draft.inputs, lambda y, x: first.get((x, y)))
    places = [draft.traced.values[x] for x in nodes]
    gradient = [first.get((x, y), draft.known.zero) for x in nodes]
    found = draft.chosen(derived(draft.known, places, gradient), order, is_of_nodes=False)

    def second(one: int, other: int) -> int | None:
        p, q = sorted((number[one], number[other]))
        return found.jacobian.get((places[p], ("output", q)))

    draft.add(draft.inputs, draft.inputs, second)
    return draft.program(Curvature(0.0, draft.arguments, draft.repeated(draft.arguments)), found.order)


@per_branch
def compile_jvp(
    f: Callable[..., Any],
    /,
    *example: Any,
    order: Any = "forward",
    points: str = "first",
    backend: Any = None,
    branches: bool = False,
    fast: bool = False,
    **settings: Any,
) -> Program:
    """A program of ``(primals, tangents)``: values, and how they change along the tangents (:class:`~.results.Pushed`).

    ``primals`` is a tuple of the arguments of ``f``, ``tangents`` one of the same structure. Other arguments are those
    of :func:`compile_jacobian`. The inputs are intermediates here, and eliminated first if the ``order`` does not have
    them.

    >>> compile_jvp(lambda x, y: x * y, 1.0, 1.0)((3.0, 2.0), (1.0, 10.0))
    Pushed(values=6.0, tangents=32.0)
    """
    draft = Draft(f, example, settings, points, backend, branches, fast)
    known, graph, partials, further = draft.linear
    along: Places = {(ALONG, x): known.input() for _, nodes in draft.inputs for x in nodes}
    cgraph = CGraph([ALONG, *graph.vertices], [ALONG], graph.outputs, partials | along)
    found = draft.chosen(Linearization(known, cgraph, partials | along, [*further, *graph.inputs]), order)
    draft.add(draft.results, [((), [ALONG])], lambda y, x: found.jacobian.get((x, y)))
    return draft.program(
        Pushed(draft.values, draft.values),
        found.order,
        names=("primals", "tangents"),
        example=(draft.example, draft.example),
        further=along.values(),
    )


@per_branch
def compile_vjp(
    f: Callable[..., Any],
    /,
    *example: Any,
    order: Any = "reverse",
    points: str = "first",
    backend: Any = None,
    branches: bool = False,
    fast: bool = False,
    **settings: Any,
) -> Program:
    """A program of ``(primals, cotangent)``: values, and cotangents of the arguments (:class:`~.results.Pulled`).

    ``primals`` is a tuple of the arguments of ``f``; the cotangent has the structure of its result. Other arguments are
    those of :func:`compile_jacobian`. The outputs are intermediates here, and eliminated first if the ``order`` does
    not have them.

    >>> compile_vjp(lambda x, y: x * y, 1.0, 1.0)((3.0, 2.0), 10.0)
    Pulled(values=6.0, cotangents=(20.0, 30.0))
    """
    draft = Draft(f, example, settings, points, backend, branches, fast)
    known, graph, partials, further = draft.linear
    cotangents = [(y, known.input()) for _, vertices in draft.results for y in vertices]
    behind: Places = {(y, BEHIND): place for y, place in cotangents if y is not None}
    cgraph = CGraph([*graph.vertices, BEHIND], graph.inputs, [BEHIND], partials | behind)
    found = draft.chosen(Linearization(known, cgraph, partials | behind, [*further, *graph.outputs]), order)
    draft.add(draft.inputs, [((), [BEHIND])], lambda x, y: found.jacobian.get((x, y)))
    return draft.program(
        Pulled(draft.values, draft.example),
        found.order,
        names=("primals", "cotangent"),
        example=(draft.example, draft.values),
        further=[place for _, place in cotangents],
    )


Leaves = list[tuple[tuple[int, ...], list[Any]]]
"""Arrays of arguments or results: the shape of each, and the vertices of its numbers."""


class Draft:
    """A program that is being put together: what was traced, and the outputs so far, which begin with the values.

    ``inputs`` and ``results`` are the arrays that count, with their vertices; ``arguments`` and ``values`` are
    structured as the arguments that count and the results are. The inputs that do not count are ``unwanted``.
    """

    def __init__(
        self,
        f: Any,
        example: tuple[Any, ...],
        settings: dict[str, Any],
        points: str,
        backend: Any,
        decides: bool,
        fast: bool,
        inputs: Which = None,
        outputs: Which = None,
    ):
        check_layout(points)
        example = tuple(map(_of_numpy, example))
        recorded = _selected(record(f, example, settings, "scalar", symbolic=True, decides=decides), outputs)
        warn_of_independence(recorded)
        self.f, self.example, self.points, self.backend, self.title = f, example, points, backend, recorded.title
        graph = recorded.tape.graph([node for leaf in recorded.outputs for node in leaf.nodes], recorded.title)
        self.guard = _guard(copy(graph), recorded.tape.decisions or {})
        self.traced = expressions_of(graph)
        self.eliminations: list[Elimination] = []
        self.quicker = QUICKER.get(backend_name(backend), []) if fast else []
        self.replaced: dict[int, Replaced] = {}
        self.linear, self.known = self.traced.linear, self.traced.linear.known
        self.outputs = Outputs(self.known.zero)
        self.values = rebuild(recorded.result, iter([np.zeros(leaf.shape) for leaf in recorded.outputs]))
        taken = _numbers("inputs", inputs, len(example))
        arrays = rebuild(example, (np.zeros(np.shape(leaf)) for _, leaf in leaves(example, "")))  # a list stays a list
        self.arguments = arrays[taken[0]] if _is_one(inputs, example) else tuple(arrays[k] for k in taken)
        self.inputs, self.results = self._inputs(recorded, taken), self._results(recorded)
        self.unwanted = {*graph.inputs} - {x for _, nodes in self.inputs for x in nodes}

    def _inputs(self, recorded: Record, taken: Sequence[int]) -> Leaves:
        left = iter(recorded.inputs)
        by_argument = [[next(left) for _ in leaves(argument, "")] for argument in self.example]
        for (name, value), leaf in zip(leaves(self.example, "argument"), recorded.inputs, strict=True):
            if len(leaf.nodes) != np.size(value):
                raise InputError(f"{name} is boolean: pass what is the same for all points as a keyword argument.")
        return [(leaf.shape, leaf.nodes) for k in taken for leaf in by_argument[k]]

    def _results(self, recorded: Record) -> Leaves:
        vertex = dict(zip(self.traced.graph.outputs, self.linear.cgraph.outputs, strict=True))
        found: Leaves = []
        for leaf in recorded.outputs:
            constants = () if leaf.constant is None else np.ravel(leaf.constant).tolist()
            places = [*map(self.known.constant, constants)] or [self.traced.values[y] for y in leaf.nodes]
            self.outputs.add("values", leaf.shape, places)
            found.append((leaf.shape, [vertex[y] for y in leaf.nodes] or [None] * len(constants)))
        return found

    def check_is_number(self, name: str) -> None:
        """Raise an :class:`~adviz.OutputError` unless the function returns one number."""
        if is_container(self.values) or np.shape(self.values):
            raise OutputError(f"{name} needs a function that returns one number; {self.title} returns something else.")

    def chosen(self, linear: Linearization, order: Any, is_of_nodes: bool = True) -> Chosen:
        """A Jacobian by an order, or by the quickest one for the program so far."""
        if is_of_nodes and not isinstance(order, str):  # whose mistakes are told by name
            number = self.traced.vertices
            linear.cgraph.names = {number[j]: name for j, name in linearize.vertices(self.traced.graph).names.items()}
        elif is_of_nodes and self.unwanted:
            linear = without(linear, self.unwanted)
        found = chosen(linear, order, lambda jacobian: [*self.outputs.places, *jacobian.values()])
        self.eliminations.append(Elimination(linear, found.vertices, is_of_nodes))
        return found

    def add(self, rows: Leaves, columns: Leaves, entry: Callable[[Any, Any], int | None]) -> None:
        """An array for each row and column: the expressions that ``entry`` has for their numbers."""
        for shape, vertices in rows:
            for inner, others in columns:
                places = [entry(one, other) or self.known.zero for one in vertices for other in others]
                self.outputs.add("derivatives", shape + inner, places)

    def add_entries(self, jacobian: Places, form: str) -> Coo | Csr:
        """One array with all entries of the Jacobian that are not always zero; and where they stand."""
        ys = [y for _, vertices in self.results for y in vertices]
        xs = [x for _, vertices in self.inputs for x in vertices]
        zero = self.known.zero
        found = [
            (p, q, place)
            for p, y in enumerate(ys)
            for q, x in enumerate(xs)
            if abs(place := jacobian.get((x, y), zero)) != zero
        ]
        rows, columns = (np.array([entry[k] for entry in found], int) for k in (0, 1))
        self.outputs.add("entries", (len(found),), [place for *_, place in found])
        shape = len(ys), len(xs)
        if form == "coo":
            return Coo(None, rows, columns, shape)
        return Csr(None, columns, np.searchsorted(rows, range(len(ys) + 1)), shape)

    def repeated(self, outside: Any) -> Any:
        """The structure of the arguments that count, inside each leaf of another."""
        count = sum(1 for _ in leaves(outside, ""))
        return rebuild(outside, iter([self.arguments] * count))

    def program(
        self,
        template: Any,
        order: Any,
        *,
        names: Sequence[str] = (),
        example: Any = None,
        further: Iterable[int] = (),
        sparsity: Any = None,
    ) -> Program:
        """The whole, with the function's arguments, or others: their ``names``, an ``example``, ``further`` inputs."""
        example = self.example if example is None else example
        names = names or parameter_names(self.f, len(example))
        named = (leaf for name, each in zip(names, example, strict=True) for leaf in leaves(each, name))
        arguments = [Leaf(name, np.shape(value)) for name, value in named]
        places = self.outputs.places
        if self.quicker:
            self.replaced = quickened(self.known, places, self.quicker)
            places = [self.replaced[abs(each)].place * (1 if each > 0 else -1) for each in places]
        plan = schedule(self.known, [*self.traced.inputs, *further], places)
        return Program(
            self.title,
            plan,
            list(names),
            arguments,
            example,
            self.outputs.parts,
            template,
            order,
            points=self.points,
            backend=self.backend,
            sparsity=sparsity,
            watch=Watch(self.f),
            codes=self.traced.graph.codes,
            explain=self.explain,
            guard=self.guard,
        )

    def explain(self) -> dict[int, Note]:
        """What each expression is, and where it comes from."""
        notes = notes_of(self.traced, self.eliminations)
        for place, (other, made) in self.replaced.items():
            if note := notes.get(place):
                notes.setdefault(abs(other), note)
                about = note.comment.removeprefix("for ")
                helping = note._replace(name="", comment=f"for {about}" if about else "")
                notes |= {each: helping for each in made if each != other}
        return notes


def _guard(graph: Graph, decisions: dict[int, bool]) -> Guard | None:
    """What was decided on the way; ``None`` if nothing was."""
    if not decisions:
        return None
    graph.outputs = list(decisions)
    for counted in ("live", "times_used"):  # of the results; these are others
        vars(graph).pop(counted, None)
    traced = expressions_of(graph)
    known = traced.linear.known
    conditions = [known.where(traced.values[node], known.one, known.zero) for node in decisions]
    plan = schedule(known, traced.inputs, conditions)
    return Guard(plan, tuple(decisions.values()), told(graph, traced.vertices, decisions))


def _of_numpy(example: Any) -> Any:
    """The same, with NumPy's arrays of the shapes of others: those may be on a GPU, and nothing else counts."""
    return rebuild(
        example, (np.ones(leaf.shape) if is_foreign(leaf) else leaf for _, leaf in leaves(example, "example"))
    )


def _is_one(which: Which, of: Any) -> bool:
    return len(of) == 1 if which is None else np.ndim(which) == 0


def _numbers(name: str, which: Which, count: int) -> list[int]:
    """Places from 0 on. Raises a :class:`~.errors.ProgramError` for one that is not there."""
    taken: Any = range(count) if which is None else [which] if np.ndim(which) == 0 else which
    for k in taken:
        if not isinstance(k, int | np.integer) or not -count <= k < count:
            raise ProgramError(f"{name} has {k!r}; expected places from 0 to {count - 1}.")
    return [k % count for k in taken]


def _selected(recorded: Record, outputs: Which) -> Record:
    """The same with some of the results only."""
    if outputs is None:
        return recorded
    if not isinstance(recorded.result, tuple | list):
        raise ProgramError("outputs counts the results of a function that returns several; this one returns one.")
    taken = _numbers("outputs", outputs, len(recorded.result))
    left = iter(recorded.outputs)
    of = [[next(left) for _ in leaves(result, "")] for result in recorded.result]
    one = _is_one(outputs, recorded.result)
    result = recorded.result[taken[0]] if one else tuple(recorded.result[k] for k in taken)
    return recorded._replace(outputs=[leaf for k in taken for leaf in of[k]], result=result)
