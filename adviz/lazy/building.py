"""Building ops: operators and functions of NumPy at ops become ops of the Blocks that the functions are made of.

A function of NumPy is asked for its Blocks once, on a tape that computes nothing: there is no second set of rules.
Plain numbers and arrays become constants.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.apply import AbstractTape
from ..engine.arrays import contents
from ..engine.blocks import INPUT, Block
from ..engine.object_arrays import has_complex
from ..engine.rules.reshaping import RESHAPE
from ..engine.tape import user_frame, user_origin
from ..engine.trace import tracing, write_input
from ..engine.trace_errors import MissingBlockError
from ..engine.variable import Variable
from ..graph.errors import AdvizError
from ..graph.scopes import NOWHERE
from ..kernels.derivations.translation import terms_of_rows
from ..kernels.terms.array_terms import OF_VALUES, Term, Terms, in_order
from ..kernels.terms.linear_rules import simplifying
from .axes import Axes, Axis, axes_of_shape, by_place, cast, item, key_by_place, laid_out, listed
from .op_errors import OpError
from .ops import Op


def constant(value: Any, name: str = "") -> Op:
    """Return an op with a value that never changes: a number or an array, of which it keeps a copy.

    >>> constant([1.0, 2.0])
    <Op constant: constant (2,) float64>
    """
    array = np.array(value, object if isinstance(value, str) else None)
    if array.dtype.kind not in "fiub":
        raise OpError(f"A constant is made of real numbers, and this is {type(value).__name__}.", user_origin())
    return _constant(array[()], name)


def _constant(value: Any, name: str = "") -> Op:
    """Make an op of a number or an array; Python's numbers take on the precision of what is beside them."""
    array = np.asarray(value)
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    op = Op("constant", array.shape, array.dtype, name=name)
    op.initial = value
    op.initializers = {Op("initialize", None, None, operands=(op,)): None}
    return op


TIDYING = {*OF_VALUES, "constants folded", "zeros"}
"""Rules that derivatives of ops are built by; all others see the whole graph, when it is compiled."""


class Blocks:
    """A tape that writes down what is computed with ops, as ops.

    >>> x = constant([1.0, 2.0])
    >>> with Blocks() as blocks:
    ...     y = np.exp(blocks.value(x))
    >>> blocks.op(y)
    <Op exp: exp (2,) float64>
    """

    def __init__(self) -> None:
        self.tape = AbstractTape(user_frame() or sys._getframe(1), least=0)
        self.ops: list[Op] = []
        self.given: dict[Op, Any] = {}
        self._context: Any = None

    def __enter__(self) -> Blocks:
        self._context = tracing(self.tape)
        self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        try:
            self._context.__exit__(*error)
        finally:
            self.tape.close()

    def value(self, op: Op) -> Any:
        """Return what stands for an op on the tape: a constant number of Python's for itself, else a traced value."""
        if op.shape is None:
            raise OpError(f"{op.name} has no value: it is something that is done.", op.origin)
        if op not in self.given:
            if op.is_constant and type(op.initial) in (int, float):
                return op.initial
            self.given[op] = write_input(self.tape, op.name, np.zeros(op.shape, op.dtype)[()], NOWHERE)
            self.ops.append(op)
        return self.given[op]

    def op(self, value: Any) -> Op:
        """Return the op of a value that was made on the tape, once that is closed."""
        (result,) = self.all_ops([value])
        return result

    def all_ops(self, values: Sequence[Any]) -> list[Op]:
        """Return the ops of several values, as they were written; plain ones are constants."""
        graph = self.tape.graph([each.index for each in values if isinstance(each, Variable)], "")
        inputs = iter(self.ops)
        of_node: dict[int, Op] = {}
        needed = graph.live
        for node, block in enumerate(graph.blocks):
            if block is INPUT:
                of_node[node] = next(inputs)
            elif needed[node]:
                given = [of_node[k] if k >= 0 else graph.literal(k) for k in graph.operands(node)]
                of_node[node] = operation(block, given, np.asarray(graph.values[node]))
        result = [of_node[each.index] if isinstance(each, Variable) else literal(each) for each in values]
        for op in of_node.values():
            op.is_step = op.is_step or not (op in result or op in self.ops)
        return result

    def simplified_ops(self, values: Sequence[Any], known: Mapping[Op, Any], of: Op) -> list[Op]:
        """Return the ops of several values of the derivative of an op, in the forms of textbooks.

        ``known`` are values of ops that were computed on the tape once more.
        """
        wanted = [each for each in (*values, *known.values()) if isinstance(each, Variable)]
        graph = self.tape.graph([each.index for each in wanted], "")
        of_row = terms_of_rows(Terms(TIDY_RULES), graph, {}, 0, {})
        results = [of_row[each.index] if isinstance(each, Variable) else each for each in values]
        of_term = {of_row[value.index]: op for op, value in known.items()}
        inputs = [of_row[row] for row in graph.inputs]
        of_term |= dict(zip(inputs, self.ops, strict=True))
        for term in in_order([each for each in results if isinstance(each, Term)]):
            if term not in of_term and not term.is_constant:
                given = [of_term.get(each, each.value) for each in term.operands]
                of_term[term] = made = operation(term.operation, given, term)
                made.belong_to(of)
        plain = (each.value if isinstance(each, Term) and each.is_constant else each for each in results)
        return [of_term[each] if isinstance(each, Term) else literal(each) for each in plain]


def operation(block: Block, given: Sequence[Any], value: Any) -> Op:
    """Return an op that applies a Block to ops, numbers, arrays and settings; ``value`` has its shape and dtype."""
    operands = tuple(literal(each) if _is_data(block, each) else each for each in given)
    return Op("operation", value.shape, value.dtype, block, operands)


def literal(value: Any) -> Op:
    """Return the constant that a number or an array in an expression becomes."""
    return _constant(value, "constant" if np.ndim(value) else f"{value:g}")


TIDY_RULES = simplifying(TIDYING).rules


def _is_data(block: Block, operand: Any) -> bool:
    """Return whether a plain operand is data, rather than a setting such as an axis."""
    if block.partials:
        return not isinstance(operand, Op)
    return isinstance(operand, float | np.floating) or (isinstance(operand, np.ndarray) and operand.dtype.kind == "f")


def built(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any]) -> Any:
    """Return what a function of NumPy is at ops: an op, or a structure of ops.

    Raises :class:`~.op_errors.OpError`, with the user's line, where shapes do not fit.
    """
    name = "x[...]" if function is item else getattr(function, "__name__", str(function))
    if any(isinstance(each, Op) for each in _parts(settings.get("out"))):
        raise OpError(
            f"{name} cannot write into an op with out=: its value is not there yet. Assign: x[...] = value.",
            user_origin(),
        )
    given = list(_parts([list(args), list(settings.values())]))
    if any(isinstance(each, Variable) for each in given):
        raise OpError(
            f"{name} of an op and a traced value: an op can neither be traced nor take part in a trace. Make a "
            "computation of it first, or build everything as ops.",
            user_origin(),
        )
    if any(isinstance(each, complex) or (isinstance(each, np.ndarray) and each.dtype.kind == "c") for each in given):
        raise OpError(f"{name} takes a complex number, and ops are made of real ones.", user_origin())
    axes: Axes | None = None
    if any(isinstance(each, Op) and each.axes for each in given):
        function, axes = by_place(function, args, settings)
    result = placed(function, args, settings, name)
    for each in _parts(result) if axes is not None else ():
        each.axes = axes
    return result


def placed(function: Callable[..., Any], args: Sequence[Any], settings: Mapping[str, Any], name: str = "") -> Any:
    """Return what a function is at ops whose axes are by place."""
    given = list(_parts([list(args), list(settings.values())]))
    blocks = Blocks()
    try:
        with blocks, np.errstate(all="ignore"):
            result = contents(function(*_replaced(args, blocks.value), **_replaced(dict(settings), blocks.value)))
    except MissingBlockError:
        raise
    except AdvizError as error:
        raise OpError(str(error).split("\n  at ")[0], user_origin()) from error
    except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError) as error:
        raise OpError(f"{name} cannot be built of {_why(given, error)}", user_origin()) from error
    if result is None:
        raise OpError(
            f"{name} writes into an array, and an op has no value yet. Assign: x[...] = value.", user_origin()
        )
    if has_complex(result):
        raise OpError(f"{name} gives complex numbers, and ops are made of real ones.", user_origin())
    values = [each for each in _parts(result) if isinstance(each, VALUES)]  # and not a dtype, for example
    ops = iter(blocks.all_ops(values))
    return _replaced(result, lambda _: next(ops), VALUES)


VALUES = Variable | np.ndarray | float | np.number
"""What a function returns that becomes an op."""


def _why(given: Sequence[Any], error: Exception) -> str:
    """Return what was given, and what NumPy says of it, where that is of use to a person who built ops."""
    shapes = ", ".join(str(each.shape) for each in given if isinstance(each, Op | np.ndarray))
    strange = [each for each in given if not isinstance(each, Op | np.ndarray | np.generic | int | float | slice)]
    if isinstance(error, ZeroDivisionError):
        return f"shapes {shapes}: a number has no axes."
    if "__array_ufunc__" in str(error):
        return f"{', '.join(type(each).__name__ for each in strange) or None}: operands are ops, numbers and arrays."
    return f"shapes {shapes}: {error}"


def _parts(value: Any) -> Any:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each)
    elif value is not None:
        yield value


def _replaced(value: Any, replace: Callable[[Any], Any], kind: Any = Op) -> Any:
    """Return a structure of lists, tuples and dictionaries with what is of a ``kind`` replaced."""
    if isinstance(value, kind):
        return replace(value)
    if isinstance(value, list | tuple):
        result = [_replaced(each, replace, kind) for each in value]
        return type(value)(*result) if hasattr(value, "_fields") else type(value)(result)
    if isinstance(value, dict):
        return {key: _replaced(each, replace, kind) for key, each in value.items()}
    return value


# ---- NumPy's protocols ----


def _array_ufunc(self: Op, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    return built(ufunc if method == "__call__" else getattr(ufunc, method), inputs, settings)


def _item(self: Op, key: Any) -> Op:
    result: Op = built(item, (self, key_by_place(self.axes, key)), {})
    return result


def _astype(self: Op, dtype: Any, **settings: Any) -> Op:
    result: Op = built(cast, (self, dtype), settings)
    return result


METHODS: dict[str, Any] = {
    "__array_ufunc__": _array_ufunc,
    "__array_function__": lambda self, function, types, args, settings: built(function, args, settings),
    "__getitem__": _item,
    "astype": _astype,
    "T": property(lambda self: np.transpose(self)),
}
for _name, _method in METHODS.items():
    setattr(Op, _name, _method)


# ---- named axes: give an op axes, bring it into their order, contract ----


def with_axes(op: Any, axes: Axis | Iterable[Axis] | None) -> Op:
    """Return the same value with other axes, one for one: xarray's ``rename``. ``None`` takes the axes off.

    Raises :class:`~.op_errors.OpError` where a length differs.

    >>> import adviz
    >>> c, n = adviz.lazy.axis("class", 2), adviz.lazy.axis("batch", 3)
    >>> with_axes(np.ones((3, 2)), (n, c))
    <Op reshape: reshape (batch (3), class (2)) float64>
    """
    given = op if isinstance(op, Op) else constant(op)
    lengths, named = (given.shape, None) if axes is None else axes_of_shape(axes)
    if lengths != given.shape or not given.has_value:
        raise OpError(f"{given.name} has the shape {given.shape}, and the axes are {listed(named)}.", user_origin())
    if given.axes == named:
        return given
    result: Op = placed(lambda x: RESHAPE(x, given.shape), (given,), {})
    result.axes = named
    return result


def in_axes(op: Op, axes: Axes | None) -> Op:
    """Return an op in the order of axes, with the length 1 for those it lacks; without axes it is left as it is.

    Raises :class:`~.op_errors.OpError` if it has an axis that is not among them.
    """
    if not op.axes or not axes or op.axes == axes:
        return op
    own = op.axes
    result: Op = placed(lambda x: laid_out(x, own, axes), (op,), {})
    result.axes = axes if len(own) == len(axes) else None
    return result


def dot(x: Any, y: Any, axis: Any = None) -> Op:
    """Return the product of two ops, summed over axes that both have.

    These are those of ``axis``, where it is given; else each ``a - 1`` of ``x`` with ``a`` of ``y``, where there are
    such duals; else all axes that both have. Other axes that both have are kept, and match. The result has the axes of
    ``x`` that are left, then those of ``y``. Of ops without axes it is ``np.dot``.

    Source: axes.rst of Nervana Graph (2016); ``xarray.dot``.

    >>> import adviz
    >>> h, n = adviz.lazy.axis("hidden", 4), adviz.lazy.axis("batch", 2)
    >>> w, x = adviz.lazy.variable((h, h - 1)), adviz.lazy.placeholder((n, h))
    >>> dot(w, x).axes, dot(w, w).axes, dot(x, x, axis=h).axes
    ((hidden (4), batch (2)), (hidden (4), hidden-1 (4)), (batch (2),))
    """
    x, y = (each if isinstance(each, Op) else constant(each) for each in (x, y))
    if axis is not None and not (x.axes or y.axes):
        raise OpError("axis= needs ops with axes.", user_origin())
    result: Op = built(np.dot, (x, y), {} if axis is None else {"axis": axis})
    return result
