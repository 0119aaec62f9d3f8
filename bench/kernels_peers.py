"""Jacobians at many points in one go: the same functions, as each library takes them.

A function of numbers from ``adviz.examples`` is read anew with another library for ``np`` (:func:`translated`), and a
peer makes a :class:`Task` of it. Points are columns of a matrix; one point is a vector. JAX and PyTorch have the axis
of the points last or first, as they are told; the others as suits them best. Only adviz gives values, too.
"""

from __future__ import annotations

import builtins
import math
import operator
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

LAYOUTS = {"last": -1, "first": 0}


class Subject(NamedTuple):
    """A function of numbers, and the points at which its Jacobian is wanted."""

    function: Callable[..., Any]
    points: np.ndarray

    @property
    def is_one_point(self) -> bool:
        """Whether there is no axis of points."""
        return self.points.ndim == 1

    @property
    def example(self) -> np.ndarray:
        return self.points if self.is_one_point else self.points[:, 0]

    def laid(self, points: str) -> np.ndarray:
        """The points with their axis first or last."""
        return self.points if self.is_one_point or points == "last" else np.ascontiguousarray(self.points.T)

    def by_columns(self, found: Any, points: str) -> np.ndarray:
        """An array with the axis of the points last."""
        return np.asarray(found) if self.is_one_point or points == "last" else np.moveaxis(np.asarray(found), 0, -1)


class Task(NamedTuple):
    """``run`` is what is measured; ``jacobian`` makes a matrix of results and arguments, and points, of its result."""

    run: Callable[[], Any]
    jacobian: Callable[[Any], Any]


# ---- functions of another library ----


def translated(function: Callable[..., Any], library: Any, ndtr: Any) -> Callable[..., Any]:
    """A function whose ``np`` is another library, and whose normal distribution is ``ndtr``."""
    special = SimpleNamespace(ndtr=ndtr)
    world = {**function.__globals__, "np": library}
    world["__builtins__"] = {**vars(builtins), "__import__": lambda name, *_: special}
    for name, each in function.__globals__.items():
        if isinstance(each, FunctionType) and each.__module__ == function.__module__:
            world[name] = FunctionType(each.__code__, world, name, each.__defaults__, each.__closure__)
    return world[function.__name__]


def of_vector(function: Callable[..., Any], stack: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same of one array: from all arguments to all results."""

    def vector(x: Any) -> Any:
        results = function(*x)
        return stack(results) if isinstance(results, tuple) else results

    return vector


def several(results: Any) -> Sequence[Any]:
    """The results of a function that returns one or more."""
    return results if isinstance(results, tuple) else (results,)


def with_products(library: Any, **others: Any) -> SimpleNamespace:
    """A library whose ``dot`` is the product of numbers, or of as many numbers as there are points."""
    return SimpleNamespace(**{**vars(library), "dot": operator.mul, **others})


def normal(erf: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The normal distribution, where there is only the error function."""
    return lambda x: (1 + erf(x * math.sqrt(0.5))) / 2


# ---- what bounds them ----


def copying(subject: Subject) -> Task:
    """Read the points and write as many numbers as there are partials: nothing is computed."""
    results = len(several(forward(subject).run()))
    room = np.empty((results, *subject.points.shape))
    return Task(partial(np.copyto, room, subject.points), lambda _: None)


def forward(subject: Subject) -> Task:
    """The function alone, on plain NumPy."""
    from scipy.special import ndtr

    function = translated(subject.function, with_products(np), ndtr)
    return Task(lambda: function(*subject.points), lambda _: None)


# ---- adviz ----


def adviz(subject: Subject, order: Any = "best", points: str = "last", **settings: Any) -> Task:
    """A program of one array, whatever the order, the layout, the back end."""
    import adviz

    function = of_vector(subject.function, np.stack)
    program = adviz.compile_jacobian(function, subject.example, order=order, points=points, **settings)
    given = subject.laid(points)
    return Task(lambda: program(given), lambda found: subject.by_columns(found.jacobian, points))


def adviz_sparse(subject: Subject, **settings: Any) -> Task:
    """A program for the partials that are not always zero."""
    import adviz

    function = of_vector(subject.function, np.stack)
    program = adviz.compile_jacobian(function, subject.example, form="coo", points="last", **settings)
    return Task(lambda: program(subject.points), lambda found: placed(*found.jacobian))


def adviz_numbers(subject: Subject) -> Task:
    import adviz

    given = subject.points.tolist()
    program = adviz.compile_jacobian(subject.function, *given)
    return Task(lambda: program(*given), lambda found: np.array(found.jacobian))


def adviz_hessian(subject: Subject) -> Task:
    """A program of value, gradient and Hessian."""
    import adviz

    program = adviz.compile_hessian(of_vector(subject.function, np.stack), subject.example, points="last")
    return Task(lambda: program(subject.points), lambda found: found.hessian)


def placed(entries: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> np.ndarray:
    """A dense Jacobian of the entries of a sparse one."""
    found = np.zeros((*shape, *np.shape(entries)[1:]))
    found[rows, columns] = entries
    return found


# ---- peers ----


def jax(subject: Subject, mode: str, points: str, inner: str | None = None) -> Task:
    """JAX, compiled: one mode, or one mode of an ``inner`` one for Hessians."""
    import jax

    jax.config.update("jax_enable_x64", True)
    function = translated(subject.function, jax.numpy, jax.scipy.special.ndtr)
    vector = of_vector(function, jax.numpy.stack)
    derivative = getattr(jax, mode)(getattr(jax, inner)(vector) if inner else vector)
    if not subject.is_one_point:
        derivative = jax.vmap(derivative, LAYOUTS[points], LAYOUTS[points])
    compiled, given = jax.jit(derivative), jax.numpy.asarray(subject.laid(points))
    return Task(lambda: compiled(given).block_until_ready(), lambda found: subject.by_columns(found, points))


def torch(subject: Subject, mode: str, points: str = "last", is_compiled: bool = False) -> Task:
    """PyTorch, one thread."""
    import torch

    torch.set_num_threads(1)
    function = translated(subject.function, with_products(torch), torch.special.ndtr)
    derivative = getattr(torch.func, mode)(of_vector(function, torch.stack))
    if not subject.is_one_point:
        derivative = torch.vmap(derivative, LAYOUTS[points], LAYOUTS[points])
    given = torch.from_numpy(subject.laid(points))
    if is_compiled:
        torch.compiler.reset()
        derivative = torch.compile(derivative, dynamic=False)
    return Task(lambda: derivative(given), lambda found: subject.by_columns(found.numpy(), points))


def autograd(subject: Subject) -> Task:
    """HIPS autograd: a sweep back for each result, with all points at once."""
    import autograd.numpy as anp
    from autograd import make_vjp
    from autograd.scipy.stats import norm

    function = translated(subject.function, with_products(anp), norm.cdf)
    vector = of_vector(function, anp.stack)
    one = np.ones(subject.points.shape[1:])

    def run() -> Any:
        pulled, value = make_vjp(vector)(subject.points)
        if not isinstance(subject.function(*subject.example), tuple):
            return pulled(one)
        return [pulled(np.eye(len(value))[k].reshape(-1, *[1] * one.ndim) * one) for k in range(len(value))]

    return Task(run, np.array)


def casadi(subject: Subject, is_compiled: bool = False) -> Task:
    """CasADi: its virtual machine, or the C that it writes, compiled by gcc; one point after the other."""
    import casadi

    library = SimpleNamespace(
        **{name: getattr(casadi, name) for name in ("sqrt", "sin", "cos", "exp", "log")},
        abs=casadi.fabs,
        arctan2=casadi.atan2,
        dot=operator.mul,
        pi=math.pi,
    )
    x = casadi.SX.sym("x", len(subject.points))
    results = translated(subject.function, library, normal(casadi.erf))(*casadi.vertsplit(x))
    jacobian = casadi.jacobian(casadi.vertcat(*results) if isinstance(results, tuple) else results, x)
    count = subject.points[0].size
    function = casadi.Function("jacobian", [x], [jacobian]).map(count)
    if is_compiled:
        function = _by_gcc(casadi, function)
    given, entries = subject.laid("first"), np.empty((count, jacobian.nnz()))
    buffer, run = function.buffer()
    buffer.set_arg(0, memoryview(given))
    buffer.set_res(0, memoryview(entries))
    rows, columns = jacobian.sparsity().get_triplet()
    run.keep = buffer, given, entries, function  # they are CasADi's only as long as somebody has them
    return Task(run, lambda _: placed(entries.T.reshape(-1, *subject.points.shape[1:]), rows, columns, jacobian.shape))


def _by_gcc(casadi: Any, function: Any) -> Any:
    written = casadi.CodeGenerator("kernel.c")
    written.add(function)
    with tempfile.TemporaryDirectory() as folder:
        written.generate(f"{folder}/")
        command = ["gcc", "-O3", "-march=native", "-fPIC", "-shared", "kernel.c", "-o", "kernel.so", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        return casadi.external(function.name(), f"{folder}/kernel.so")  # is loaded at once


def sympy(subject: Subject) -> Task:
    """SymPy: differentiated as formulas, printed for NumPy with shared subexpressions."""
    import sympy

    class Size(sympy.Function):
        def fdiff(self, argindex: int = 1) -> Any:
            return sympy.sign(self.args[0])

    names = {name: getattr(sympy, name) for name in ("sqrt", "sin", "cos", "exp", "log")}
    library = SimpleNamespace(**names, abs=Size, arctan2=sympy.atan2, dot=operator.mul, pi=math.pi)
    x = sympy.symbols(f"x:{len(subject.points)}", real=True)
    results = several(translated(subject.function, library, normal(sympy.erf))(*x))
    entries = list(sympy.Matrix(results).jacobian(x))
    run = sympy.lambdify([x], entries, modules=[{"Size": np.abs}, "scipy", "numpy"], cse=True)
    return Task(partial(run, subject.points), lambda found: np.stack(np.broadcast_arrays(*found)))
