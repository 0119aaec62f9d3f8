"""From a function to a program: trace it for all points, accumulate the derivative by an order, write it down.

* :func:`compile_jacobian`: values and Jacobian, dense or sparse;
* :func:`compile_gradient` and :func:`compile_hessian` of a function that returns one number;
* :func:`compile_jvp` and :func:`compile_vjp`: the Jacobian times a tangent, or an adjoint times the Jacobian. There is
  one more vertex, which precedes all inputs or succeeds all outputs, and everything between is eliminated;
* :func:`compile_hvp`: the Hessian times a tangent; :func:`compile`: the function alone.

Each writes a program of numbers, for one point or many, or one of arrays: ``grain`` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import cache, partial, wraps
from inspect import signature
from typing import Any

from ..algorithms.elimination.orders import Order
from ..engine.calls import check_call
from ..engine.trace_errors import BranchError, ConversionError, MissingBlockError
from ..graph.errors import AdvizError
from ..graph.linearized.cgraph import CGraph
from .arrays.array_compiling import array_program, is_on_arrays, may_be_on_arrays
from .arrays.lowering import Lowered as LoweredArrays
from .arrays.lowering import lower_function, lower_gradient, lower_hvp, lower_jvp, lower_vjp
from .arrays.matrix_lowering import lower_hessian, lower_jacobian
from .backends.selection import backend_name
from .branches import Branches, array_branches
from .expressions.accumulation import ADJOINT, TANGENT, Linearization, Places, derived
from .libraries.library_program import library_of, library_program
from .lowering import Lowered, Options
from .points.batches import Which
from .points.results import Curvature, Derivatives, Gradient, HessianProduct, Pulled, Pushed
from .program.program import Program
from .program.settling import Settling, settling_of
from .program_errors import ProgramError

FORMS = ("dense", "coo", "csr")
OF_ARRAYS = ("batch", "checkpoints")
"""Options that only programs on arrays have."""
NUMBER_BY_NUMBER = (BranchError, ConversionError, MissingBlockError)
"""Errors of functions that may be possible on arrays, as of those that sort."""
WITH_WHERE = "Leave backend out, or write choices with np.where."
SPARSE = "With branches=True the form is 'dense': structural zeros differ from path to path."
Begin = Callable[..., Lowered]
"""Traces the function; takes ``inputs`` and ``outputs``."""


def compiler(lower_array: Callable[..., LoweredArrays]) -> Callable[[Callable[..., Program]], Callable[..., Any]]:
    """Make a public function of one that writes a program of numbers: it takes a function, an example, common options.

    It takes what begins a Lowered, and its own options as keyword-only arguments; ``lower_array`` is the same
    in the array grain. Keyword arguments that are no options are passed to the function that is
    compiled. With ``branches=True`` the result is a :class:`~.branches.Branches`, or an
    :class:`~.branches.ArrayBranches`, which compiles at further points when they come.
    """

    def public(write: Callable[..., Program]) -> Callable[..., Any]:
        own = [each for each in signature(write).parameters.values() if each.kind is each.KEYWORD_ONLY]

        @wraps(write)
        def compile_program(
            f: Callable[..., Any],
            /,
            *example: object,
            grain: str = "auto",
            points: str = "first",
            backend: Any = None,
            threads: int | None = None,
            branches: bool = False,
            fast: bool = False,
            **settings: object,
        ) -> Any:
            options = {each.name: settings.pop(each.name) for each in own if each.name in settings}
            check_call(write.__name__, f, example, settings, names, may_take_none=True)
            common = Options(points, backend, threads, branches, fast)
            settling = partial(settling_of, write.__name__, f, settings, {**options, "fast": fast})

            def compile_at(*point: object) -> Program:
                return _asking(settling("scalar"), write(partial(Lowered, f, point, settings, common), **options))

            def at_points() -> Program | Branches:
                if not branches:
                    return compile_at(*example)
                if options.get("form", "dense") != "dense":
                    raise ProgramError(SPARSE)
                return Branches(compile_at, example)

            def on_arrays() -> Any:
                write_arrays = _writer_of(backend_name(backend), branches)
                of_points = cache(at_points) if grain == "auto" else None
                return _asking(settling("array"), write_arrays(lower_array, f, example, settings, options, of_points))

            is_of_arrays = any(options.get(name) is not None for name in OF_ARRAYS)
            grain = "array" if grain == "auto" and is_of_arrays else grain
            is_arrays = partial(is_on_arrays, grain, f, example, settings)
            return _compiled(grain, is_arrays, options | common._asdict(), at_points, on_arrays)

        shown = signature(compile_program, follow_wrapped=False)
        function, example, *common, settings = shown.parameters.values()
        names = [each.name for each in [*own, *common]]
        parameters = [function, example, *own, *common, settings]
        compile_program.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]
        return compile_program

    return public


def _asking(settling: Settling | None, program: Any) -> Any:
    """Return a program that asks the engine where its results are not finite."""
    program.settling = settling
    return program


def _compiled(
    grain: str,
    is_arrays: Callable[[Mapping[str, Any]], bool],
    options: Mapping[str, Any],
    at_points: Callable[[], Any],
    on_arrays: Callable[[], Any],
) -> Any:
    """Compile in the scalar grain or on arrays; with ``"auto"`` in the other one, where the first is impossible."""
    if is_arrays(options):
        with suppress(AdvizError) if grain == "auto" else nullcontext():
            return on_arrays()
    try:
        return at_points()
    except NUMBER_BY_NUMBER:
        if grain == "auto" and may_be_on_arrays(options):
            with suppress(AdvizError):
                return on_arrays()
        raise


def _writer_of(backend: str, branches: bool) -> Callable[..., Any]:
    """Return what writes programs on arrays for a back end."""
    if backend == "numpy":
        return array_branches if branches else array_program
    library = library_of(backend)
    if branches:
        raise ProgramError(f"branches=True needs NumPy's arrays, and the backend is {backend!r}. {WITH_WHERE}")
    return partial(library_program, library)


@compiler(lower_jacobian)
def compile_jacobian(
    begin: Begin, *, order: Order = "best", inputs: Which = None, outputs: Which = None, form: str = "dense"
) -> Program:
    """Return a program for the values and the Jacobian of ``f`` at any point, or at many points at once.

    ``f`` is traced at the ``example``, of which only the shapes matter: what depends on values must be written with
    ``np.where`` and its like. ``order`` is an order of vertices, edges or faces of ``adviz.linearize(f, *example,
    grain="scalar")``, its name, an :class:`~adviz.Optimum`, ``"best"``: the one of forward, reverse and Markowitz
    whose program is expected to be fastest, or ``"searched"``: what a search of a second or so finds from there.
    Vertices that the linearization at the example does not have, such as ``np.where`` and the operand that it does not
    take there, are eliminated first, the last of them first; orders of edges and faces may not fit the graph that
    remains, unless it was linearized with ``choices=True``. ``settings`` are keyword arguments of ``f``. ``np.max`` of
    several numbers compares two at a time, as in the scalar grain: where three or more tie, the derivatives differ
    from those of :func:`adviz.jacobian`.

    The program returns :class:`~.results.Derivatives`. The Jacobian is that of the results number ``outputs`` with
    respect to the arguments number ``inputs``, all if ``None``, and structured as that of :func:`adviz.jacobian`; in
    the form ``"coo"`` or ``"csr"`` it is one sparse matrix (:class:`~.results.Coo`, :class:`~.results.Csr`) without
    structural zeros. ``points`` says whether the axis of the points is the ``"first"`` of all arrays or the ``"last"``,
    which is faster. ``backend`` says where the program runs: ``"numpy"``, ``"numba"``, ``"cupy"``, or any library whose
    arrays follow the array API standard (``torch``, ``jax.numpy``); if ``None``, that of :func:`adviz.set_backend`.
    Numba compiles at the first call, and its elementary functions may differ from NumPy's in the last digits. On CuPy
    and such libraries arrays are the library's own, and keep their device and their dtype. With ``branches=True``
    control flow may depend on values: see :class:`~.branches.Branches`, and on arrays
    :class:`~.branches.ArrayBranches`; then the form is dense.

    NumPy and Numba divide many points among ``threads``, as many as there are cores if ``None``; results are those of
    one thread, bit for bit. Cores are those that the system lets the process run on, or fewer if ``OMP_NUM_THREADS``
    says so. Other libraries have threads of their own.

    With ``fast=True`` the last digits of sines, cosines and lengths are given up for speed, see :mod:`~.lowering`:
    sines may be wrong by 4 units of the last place, cosines by 5e-16 of the largest, and squares of lengths overflow or
    underflow. On Numba this affects lengths only, and on other libraries nothing.

    ``grain`` is that of :func:`compile_gradient`. On arrays the ``order`` is ``"forward"``, all tangents at once,
    ``"reverse"``, all adjoints at once, or ``"best"``, which multiplies Jacobians of parts where all derivatives go
    through a narrow array, if that takes fewer operations.

    Raises :class:`~adviz.BranchError` for control flow that depends on values, with its place in the source, and
    :class:`~adviz.OrderError` for an order of another graph.

    >>> import numpy as np
    >>> program = compile_jacobian(lambda x, y: np.sin(x) * y, 1.0, 1.0)
    >>> program(np.zeros(3), np.array([1.0, 2.0, 3.0]))
    Derivatives(values=array([0., 0., 0.]), jacobian=(array([1., 2., 3.]), array([0., 0., 0.])))
    """
    if form not in FORMS:
        raise ProgramError(f"form is {form!r}; it can be {', '.join(map(repr, FORMS[:-1]))} or {FORMS[-1]!r}.")
    lowered = begin(inputs, outputs)
    result = lowered.chosen(lowered.linear, order)
    if form != "dense":
        sparsity = lowered.add_entries(result.jacobian, form)
        return lowered.program(Derivatives(lowered.values, 0.0), result.order, sparsity=sparsity)
    lowered.add(lowered.results, lowered.inputs, lambda y, x: result.jacobian.get((x, y)))
    return lowered.program(Derivatives(lowered.values, lowered.repeated(lowered.values)), result.order)


@compiler(lower_gradient)
def compile_gradient(
    begin: Begin,
    *,
    order: Order = "best",
    inputs: Which = None,
    batch: int | None = None,
    checkpoints: int | str | None = None,
) -> Program:
    """Compile the value and the gradient of a function that returns one number: :class:`~.results.Gradient`.

    ``grain="scalar"`` writes a line for each operation on numbers, for one point or many; ``grain="array"`` a line for
    each operation on arrays, at the shapes and dtypes of the example: an :class:`~.array_program.ArrayProgram`, whose
    source is NumPy as a person writes it. ``"auto"`` takes the array grain where that is at least ten times shorter and
    the function has more than 500 operations on numbers, and where the scalar grain is impossible, as for
    ``np.linalg.svd``; called with an axis of points more than the example, a program that is on arrays for its length
    runs in the scalar grain. Arrays of integers and of booleans are data in the array grain, such as labels and
    masks: ``inputs`` says what to differentiate with respect to. What is decided by values is written with ``np.where``
    and its like, or with ``branches=True``, or is a :class:`~adviz.BranchError`.

    On arrays, ``backend`` is ``"numpy"``, ``"cupy"``, or a library whose arrays follow the array API standard
    (``jax.numpy``; ``torch`` with the package ``array-api-compat``): a :class:`~.library_program.LibraryProgram`, whose
    source is in the words of that library. CuPy's programs are those of NumPy, in the dtypes of the arguments; others
    run in the widest dtype of the arguments. What a library lacks is a :class:`~adviz.ProgramError` with its place, and
    with ``"auto"`` left to the scalar grain. Numba compiles loops over numbers, which a program on arrays has none of:
    it is a :class:`~adviz.ProgramError` there.

    With ``batch=0`` the function must be a sum or a mean over the first axis of its data, the arrays that it is not
    differentiated with respect to: then as many rows as you like are computed chunk by chunk, in bounded memory, and
    those of Dask arrays lazily, wherever Dask runs them. Anything else is a :class:`~adviz.ProgramError`, with its
    place in the source.

    ``checkpoints=5`` trades computation for memory: a loop whose iterations all do the same keeps five states at the
    same time, the one that it begins with among them, and iterations are run again from the nearest one, as seldom as
    possible; results are the same to the last bit. A program without such loops is cut into stages where few bytes
    pass on, and keeps states there. ``checkpoints="64 MB"`` says what all states may take together, in bytes, kB, MB,
    GB or KiB, MiB, GiB. ``program.cost`` counts what is computed again, ``program.explain()`` says what that saves; see
    :mod:`~.staged_programs` and :mod:`~.schedules`. Raises :class:`~adviz.ProgramError` where no memory is
    saved, or not even one state fits. Sources: Griewank and Walther, Algorithm 799: revolve, ACM TOMS 26 (2000);
    Beaumont et al., Optimal checkpointing for heterogeneous chains, INRIA research report 9302 (2019).

    Other arguments are those of :func:`compile_jacobian`. Raises :class:`~adviz.OutputError` if ``f`` returns anything
    else than a number.

    >>> compile_gradient(lambda x: x[0] * x[1], [2.0, 3.0])([2.0, 3.0])
    Gradient(value=6.0, gradient=array([3., 2.]))
    """
    _check_is_of_points(batch=batch, checkpoints=checkpoints)
    lowered = begin(inputs)
    lowered.check_is_number("compile_gradient")
    result = lowered.chosen(lowered.linear, order)
    lowered.add(lowered.results, lowered.inputs, lambda y, x: result.jacobian.get((x, y)))
    return lowered.program(Gradient(0.0, lowered.arguments), result.order)


def _check_is_of_points(**options: object) -> None:
    """Raise a :class:`~adviz.ProgramError` for an option that only programs on arrays have."""
    for name, value in options.items():
        if value is not None:
            raise ProgramError(f"{name} is an option of programs on arrays: take grain='array'.")


@compiler(lower_hessian)
def compile_hessian(begin: Begin, *, order: Order = "best", inputs: Which = None) -> Program:
    """Compile value, gradient and Hessian of a function that returns one number: :class:`~.results.Curvature`.

    The program of the gradient is linearized and eliminated once more; the Hessian is symmetric, and one half of it is
    computed. ``order`` is the name of the order of this second elimination. On arrays (``grain="array"``) all tangents
    of the gradient are computed at once. Other arguments are those of :func:`compile_jacobian`; structures nest as
    those of :func:`adviz.hessian`.

    >>> compile_hessian(lambda x: x[0] ** 2 * x[1], [3.0, 5.0])([3.0, 5.0]).hessian
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    lowered = begin(inputs)
    places, gradient = _gradient_of(lowered, "compile_hessian")
    number = {x: q for q, x in enumerate(places)}
    result = lowered.chosen(gradient, order, is_of_nodes=False)

    def second(one: int, other: int) -> int | None:
        x, other = sorted((one, other), key=number.__getitem__)
        return result.jacobian.get((places[x], ("output", number[other])))

    _add_second(lowered, lowered.inputs, second)
    return lowered.program(Curvature(0.0, lowered.arguments, lowered.repeated(lowered.arguments)), result.order)


def _gradient_of(lowered: Lowered, caller: str) -> tuple[dict[int, int], Linearization]:
    """Write the gradient of a function that returns one number; return where its inputs are, and it, linearized."""
    lowered.check_is_number(caller)
    ((_, (y,)),) = lowered.results
    first = lowered.chosen(lowered.linear, "best").jacobian
    lowered.add(lowered.results, lowered.inputs, lambda y, x: first.get((x, y)))
    places = {x: lowered.traced.values[x] for _, vertices in lowered.inputs for x in vertices}
    gradient = [first.get((x, y), lowered.known.zero) for x in places]
    return places, derived(lowered.known, list(places.values()), gradient)


def _add_second(lowered: Lowered, columns: Any, second: Callable[[int, int], int | None]) -> None:
    """Write second derivatives; NaN at kinks, where there are none."""
    known, at_kink = lowered.known, lowered.at_kinks()
    if at_kink is None:
        lowered.add(lowered.inputs, columns, second)
    else:
        lowered.add(lowered.inputs, columns, lambda x, other: known.add(second(x, other) or known.zero, at_kink))


def _along_tangent(linear: Linearization, inputs: Iterable[int]) -> tuple[Places, Linearization]:
    """Return the places of a tangent, and a linearization with the vertex that precedes all inputs."""
    known, graph, partials, further = linear
    seeds: Places = {(TANGENT, x): known.input() for x in inputs}
    cgraph = CGraph([TANGENT, *graph.vertices], [TANGENT], graph.outputs, partials | seeds)
    return seeds, Linearization(known, cgraph, partials | seeds, [*further, *graph.inputs])


@compiler(lower_jvp)
def compile_jvp(begin: Begin, *, order: Order = "forward") -> Program:
    """Compile for ``(primals, tangents)`` values, and derivatives along the tangents (:class:`~.results.Pushed`).

    ``primals`` is a tuple of the arguments of ``f``, ``tangents`` one of the same structure. Other arguments are those
    of :func:`compile_gradient`. The inputs are intermediates here, and eliminated first if the ``order`` does not have
    them.

    >>> compile_jvp(lambda x, y: x * y, 1.0, 1.0)((3.0, 2.0), (1.0, 10.0))
    Pushed(values=6.0, tangents=32.0)
    """
    lowered = begin()
    seeds, linear = _along_tangent(lowered.linear, [x for _, nodes in lowered.inputs for x in nodes])
    result = lowered.chosen(linear, order)
    lowered.add(lowered.results, [((), [TANGENT])], lambda y, x: result.jacobian.get((x, y)))
    return lowered.program(
        Pushed(lowered.values, lowered.values),
        result.order,
        names=("primals", "tangents"),
        example=(lowered.example, lowered.example),
        further=seeds.values(),
    )


@compiler(lower_vjp)
def compile_vjp(begin: Begin, *, order: Order = "reverse", checkpoints: int | str | None = None) -> Program:
    """Compile for ``(primals, adjoint)`` values, and the adjoints of the arguments (:class:`~.results.Pulled`).

    ``primals`` is a tuple of the arguments of ``f``; the adjoint has the structure of its result. Other arguments,
    ``checkpoints`` too, are those of :func:`compile_gradient`. The outputs are intermediates here, and eliminated first
    if the ``order`` does not have them.

    >>> compile_vjp(lambda x, y: x * y, 1.0, 1.0)((3.0, 2.0), 10.0)
    Pulled(values=6.0, adjoints=(20.0, 30.0))
    """
    _check_is_of_points(checkpoints=checkpoints)
    lowered = begin()
    known, graph, partials, further = lowered.linear
    seeds = [(y, known.input()) for _, vertices in lowered.results for y in vertices]
    last: Places = {(y, ADJOINT): place for y, place in seeds if y is not None}
    cgraph = CGraph([*graph.vertices, ADJOINT], graph.inputs, [ADJOINT], partials | last)
    result = lowered.chosen(Linearization(known, cgraph, partials | last, [*further, *graph.outputs]), order)
    lowered.add(lowered.inputs, [((), [ADJOINT])], lambda x, y: result.jacobian.get((x, y)))
    return lowered.program(
        Pulled(lowered.values, lowered.example),
        result.order,
        names=("primals", "adjoint"),
        example=(lowered.example, lowered.values),
        further=[place for _, place in seeds],
    )


@compiler(lower_hvp)
def compile_hvp(begin: Begin, *, order: Order = "forward") -> Program:
    """Return a program of ``(primals, tangents)``: value, gradient, and the Hessian times tangents
    (:class:`~.results.HessianProduct`) of a function that returns one number; the Hessian itself is never made.

    ``order`` is the name of the order in which the program of the gradient is eliminated. Other arguments are those of
    :func:`compile_gradient`. Source: Pearlmutter, Fast exact multiplication by the Hessian, Neural Computation 6
    (1994).

    >>> compile_hvp(lambda x: x[0] ** 2 * x[1], [1.0, 1.0])(([3.0, 5.0],), ([1.0, 0.0],)).product
    array([10.,  6.])
    """
    lowered = begin()
    places, gradient = _gradient_of(lowered, "compile_hvp")
    seeds, linear = _along_tangent(gradient, places.values())
    result = lowered.chosen(linear, order, is_of_nodes=False)
    number = {x: q for q, x in enumerate(places)}
    _add_second(lowered, [((), [TANGENT])], lambda x, _: result.jacobian.get((TANGENT, ("output", number[x]))))
    return lowered.program(
        HessianProduct(0.0, lowered.arguments, lowered.arguments),
        result.order,
        names=("primals", "tangents"),
        example=(lowered.example, lowered.example),
        further=seeds.values(),
    )


@compiler(lower_function)
def compile(begin: Begin) -> Program:
    """Return a program for the function alone: what it returns.

    Arguments are those of :func:`compile_gradient`.

    >>> import numpy as np
    >>> compile(lambda x, y: (x * y, x), 1.0, 1.0)(2.0, np.array([3.0, 4.0]))
    (array([6., 8.]), array([2., 2.]))
    """
    lowered = begin()
    return lowered.program(lowered.values, "forward")
