"""Blocks: atomic functions, each with its value and the local Jacobian of each operand.

With this module you can

* write a Block of your own: a subclass of :class:`Block` with ``data_fn`` and ``get_jacobians``, or of
  :class:`SimpleBlock` with ``data_fn`` and ``gradient_fn`` where it is elementwise;
* add a rule for a ufunc of your own: :func:`define`;
* find the Block of a ufunc: ``BLOCK_OF``. The rules themselves are in ``rules/``, one line each.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph.files.saved_values import NAMED
from .devices import device_array, is_on_device
from .jacobians.local import Dense, Diagonal, Jacobian, LinearMap
from .trace_errors import BlockError, MissingBlockError

BLOCKS: list[Block] = []
"""The Blocks of the tables; a tape writes down places in this list."""

BLOCK_OF: dict[Any, Block] = {}
"""The Block of a NumPy ufunc."""

Partial = Callable[..., Any]
Count = Callable[[tuple[int, ...], Sequence[Any]], float]

MOVING = frozenset(("input", "output", "shape"))
"""Families of Blocks that compute no number."""


class Operand(np.ndarray):
    """What the methods of a Block get: an array whose ``data`` is the plain array, as that of a Variable is."""

    @property
    def data(self) -> np.ndarray:  # type: ignore[override]
        """The numbers."""
        return self.view(np.ndarray)


class Settings(NamedTuple):
    """The keyword arguments of a Block's call: an operand that is not differentiated."""

    values: dict[str, Any]


NAMED["Settings"] = Settings  # a graph in a file may have them among its constants


class Numeric(NamedTuple):
    """How programs compute an elementwise function."""

    nanoseconds: float
    """The time per number of NumPy's loop over a block in the cache, in double precision: measured once on one
    machine, and only the ratios matter."""
    operator: str = ""
    """The operator it is written with, if it is."""
    parity: int = 0
    """1 for even functions and -1 for odd ones."""
    standard: str = ""
    """Its name in the array API standard, where that is another than NumPy's."""
    c: str = ""
    """How it is written in C, where it is neither an operator nor a function of the standard's name."""
    is_instruction: bool = False
    """Whether it is an instruction of processors, as operators and comparisons are."""
    scalar: Callable[..., Any] | None = None
    """Its value on numbers by the module ``math``, if programs compute it so and the engine does not."""
    compiled: Callable[..., Any] | None = None
    """Its value on numbers as Numba compiles it, if not ``scalar`` and not Numba's version of NumPy's function."""
    names_out: bool = False
    """Whether NumPy takes the array for its value as a keyword argument only."""
    has_rows: bool = False
    """Whether ``numba_rows.py`` has a function of whole rows for it: ``exp_row``."""
    pair: tuple[str, int] | None = None
    """What computes it with another function of the same operand, and its place among the results of that."""
    is_connective: bool = False
    """Whether its operands are conditions."""


class Words(NamedTuple):
    """What a textbook says of a rule; what is read is put together in ``stage/narration/local_partials.py``.

    In all texts ``{a}, {b}, {c}`` are operands, ``{y}`` the value, ``{n}`` the number of terms, and ``{partials}`` the
    partials themselves, as in ``∂sin(x)/∂x = cos x``. Of ``[a: …]`` and ``[b: …]`` the text stands where that operand
    is differentiated, of ``[ab: …]`` where both are, of ``[A: …]`` and ``[B: …]`` where only that one is. ``mistakes``,
    ``gates`` and ``arrays`` may be functions of the value and the operands.
    """

    rule: str = "{partials}."
    """The sentence, of numbers."""
    mistakes: Any = ()
    """For each operand a tuple of wrong factors that people take, each with its diagnosis."""
    short: tuple[str, ...] = ()
    """The partials in little space, where the formulas are sentences."""
    gates: tuple[Any, ...] = ()
    """For each operand how the adjoint is passed on in array form, where it is not entry by entry.

    In a pair with how the tangent of that operand enters the value, where that is not the Jacobian times it.
    """
    arrays: Any = ""
    """The sentence, of arrays, where it is another one."""
    cases: tuple[tuple[Callable[..., Any], str], ...] = ()
    """Sentences that depend on the numbers: the first stands for which a function of value and operands is true."""
    twice: str = ""
    """The sentence where both operands are the same node."""
    in_radians: bool = False
    """Whether the operand is an angle, which is sometimes taken for degrees."""
    forward: str = ""
    """The sentence of the tangents of arrays, where it is not that the local Jacobian multiplies them."""


class Record:
    """What interpreters read of an operation; all of it may be absent, and that means what is said here."""

    name: str
    partials: tuple[Partial, ...] = ()
    """One per operand, if it is elementwise."""
    abstract_eval: Callable[..., tuple[tuple[int, ...], Any]] | None = None
    """Shape and dtype of the value by those of the operands, where computing it is costly (``abstract_values.py``)."""
    is_entrywise = False
    """Whether it works entry by entry, and repeats its operands along axes as ufuncs do."""
    is_view = False
    """Whether it computes nothing, and the value is its first operand looked at in another way."""
    batched: Callable[..., Any] | None = None
    """What it is of many arrays at once (``rules/rows.py``); without it they are done one after the other."""
    by_rows: Callable[..., Any] | None = None
    """Which operands it takes row by row (``rules/rows.py``); without it a row of its value depends on others."""
    shape_at: int | None = None
    """The place of the operand that is the shape of the value, if one is."""
    is_read_only = False
    """Whether it is a view that NumPy does not write to."""
    gives_array = False
    """Whether a value of no axes is an array, where that of most functions is a number."""
    noun: str = ""
    """What its value is called, where its own name is no noun."""
    operator: str = ""
    """The operator that programs on arrays write it with; of an elementwise function, if not said, ``numeric``'s."""
    code: str = ""
    """How programs on arrays write it, if not as a call of NumPy's function of that name with all operands.

    Operands are ``{a}, {b}, …``, and ``{b...}`` all from the second one on; ``axis={b:None}`` is left out where the
    operand is what follows the colon. ``{y}`` is the name of the value, ``{zeros}`` zeros of its shape, ``{size}`` how
    many; words as in ``{b!key}`` are explained where code is made (``converted`` in ``kernels/sources/printing.py``).
    """
    helper: str = ""
    """The source of a function of NumPy that ``code`` calls, if programs have to bring one along."""
    standard: str = ""
    """The same in the words of the array API standard, for a library ``xp``."""
    statements: tuple[str, ...] = ()
    """The statements that compute it where arrays can be changed, if no expression does."""
    indices_at: int | None = None
    """The place of the first array of indices among the operands, if it has such; their form stands before it."""


class Block(Record):
    """An atomic function of Variables: the interface that Blocks of your own implement.

    ``data_fn(*operands, **settings)`` returns the value, an array, from the operands' ``data``.
    ``get_jacobians(*operands, **settings)`` returns a Jacobian per operand: a matrix of shape (size of the value,
    size of the operand), row-major, or a :class:`Jacobian` that keeps its structure. An instance is called like a
    function; with Variables among its operands it works in forward mode, in reverse mode and in :func:`adviz.trace`;
    without any it just computes. Raises :class:`~adviz.BlockError` if a Jacobian has the wrong shape.

    >>> class twice(Block):
    ...     def data_fn(self, x):
    ...         return 2 * x.data
    ...
    ...     def get_jacobians(self, x):
    ...         return [2 * np.eye(x.size)]
    >>> twice()(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    symbol: str
    family = "own"
    number = -1
    """Place in ``BLOCKS``; negative for Blocks that are in no table."""
    formulas: tuple[str, ...] = ()
    """How each local partial derivative is written: ``"cos {a}"``; ``{a}, {b}, {c}``: operands, ``{y}``: value."""
    words: Words = Words()
    """What a textbook says of the rule."""
    scalar_fn: Callable[..., float]
    """The value on Python floats, faster, if the Block is elementwise."""
    operation_count: int | Count = 1
    """Floating-point operations for each entry of the value, or a function of its shape and the operands."""
    steps: Callable[..., tuple[Any, Any]] | None = None
    """Two numbers that are equal where the value jumps, of the value and the operands: it decides as comparisons do."""
    kink: Callable[..., Any] | None = None
    """Whether the operands are at a kink, entry by entry or as a whole, as a function of the value and the operands."""
    simpler: Callable[..., int] | None = None
    """How a program on numbers computes it with simpler operations: a function of its Expressions and the operands."""
    numeric: Numeric | None = None
    """How a program computes it, if it is elementwise and a program has an operation for it."""
    remedy: str = ""
    """What to write where it is undefined, or infinitely steep, at entries that are not chosen later."""

    def __new__(cls, *args: Any, **settings: Any) -> Any:
        """Names the Block after its class, whether or not a subclass calls ``__init__``."""
        if (args or settings) and cls.__init__ is object.__init__:
            raise BlockError(f"{cls.__name__} is a class of Blocks: call a Block of it, as in {cls.__name__}()(x).")
        block = super().__new__(cls)
        block.name = block.symbol = cls.__name__
        return block

    def data_fn(self, *operands: Any, **settings: Any) -> Any:
        """Return the value, from the operands' ``data``."""
        raise NotImplementedError(f"{type(self).__name__} needs data_fn(self, *operands): its value")

    def get_jacobians(self, *operands: Any, **settings: Any) -> Sequence[Any]:
        """Return the local Jacobian of each operand."""
        raise NotImplementedError(f"{type(self).__name__} needs get_jacobians(self, *operands): a matrix per operand")

    def gradient_forward(self, *variables: Any, **settings: Any) -> np.ndarray:
        """Return the value's gradient: local Jacobians side by side, times the gradients of the Variables stacked."""
        jacobians = [np.asarray(jacobian) for jacobian in self.get_jacobians(*variables, **settings)]
        gradients = [variable.jacobian.dense() for variable in variables]
        return np.concatenate(jacobians, axis=1) @ np.concatenate(gradients)

    def __call__(self, *operands: Any, **settings: Any) -> Any:
        """Return the value; a Variable if one of the operands is one. The method is in ``tracing/methods.py``."""
        raise NotImplementedError

    # ---- what the engine asks: on plain data, with settings as operands ----

    def compute(self, *data: Any) -> Any:
        """Return the value from plain data."""
        operands, settings = _arranged(data)
        return _plain_value(self, self.data_fn(*operands, **settings))

    def linearize(self, value: Any, *data: Any) -> Sequence[Jacobian | None]:
        """Return a local Jacobian for each operand, ``None`` where there is nothing to differentiate."""
        if any(map(is_traced, data)):
            raise MissingBlockError(f"The Block {self.name} has no second derivatives: its methods compute on numbers.")
        operands, settings = _arranged(data)
        result = self.get_jacobians(*operands, **settings)
        if not isinstance(result, list | tuple) or len(result) != len(operands):
            raise BlockError(
                f"get_jacobians of the Block {self.name} returned {_described(result)}; "
                f"it needs a list of {len(operands)}, one Jacobian per operand."
            )
        jacobians = [
            _checked(self, jacobian, np.shape(value), np.shape(operand), place)
            for place, (jacobian, operand) in enumerate(zip(result, operands, strict=True))
        ]
        return [*jacobians, *[None] * (len(data) - len(operands))]

    def local_jacobians(self, value: Any, data: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
        """The local Jacobians of the operands at ``places``; the others are not computed where that is possible."""
        jacobians = self.linearize(*map(_dividing, (value, *data)))
        result = [jacobians[place] for place in places]
        if (like := device_array(value)) is not None:
            for jacobian in result:
                if isinstance(jacobian, LinearMap):
                    jacobian.like = like
        return result

    @property
    def number_among_namesakes(self) -> int:
        """Its number among the Blocks of its name in the tables, as files have it; -1 for a Block that is in no table.

        >>> INPUT.number_among_namesakes
        0
        """
        return _namesakes(self.name).index(self) if self.number >= 0 else -1

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle a Block of the tables by its name, another one as Python does."""
        number = self.number_among_namesakes
        return (block_named, (self.name, number)) if number >= 0 else super().__reduce_ex__(protocol)

    @property
    def per_entry(self) -> int | None:
        """Floating-point operations for each entry of the value; ``None`` where they depend on more than its shape."""
        rule = self.operation_count if type(self).operations is Block.operations else None
        return rule if isinstance(rule, int) else None

    def operations(self, value: Any, operands: Sequence[Any]) -> int:
        """Floating-point operations that the value takes, by the conventions of ``rules/operation_counts.py``.

        Of a Block of your own it is one for each entry of the value; override it for another count.
        """
        rule, shape = self.operation_count, tuple(getattr(value, "shape", ()))
        return rule * math.prod(shape) if isinstance(rule, int) else max(round(rule(shape, operands)), 0)

    def __repr__(self) -> str:
        return f"<Block {self.name}>"


def _namesakes(name: str) -> list[Block]:
    return [block for block in BLOCKS if block.name == name]


def block_named(name: str, number: int) -> Block:
    """Return a Block of the tables by its name, and by its number among those of that name.

    Raises :class:`~adviz.MissingBlockError` if there is none.

    >>> block_named("input", 0)
    <Block input>
    """
    result = _namesakes(name)
    if not 0 <= number < len(result):
        raise MissingBlockError(f"There is no Block {name} in the tables; was it defined with adviz.define?")
    return result[number]


class SimpleBlock(Block):
    """An elementwise function of one operand: the interface of ``data_fn`` and ``gradient_fn``.

    ``gradient_fn(x)`` returns the derivative at each entry, an array of the operand's shape: the diagonal of the
    Jacobian.

    >>> class cube(SimpleBlock):
    ...     def data_fn(self, x):
    ...         return x.data**3
    ...
    ...     def gradient_fn(self, x):
    ...         return 3 * x.data**2
    >>> cube().get_jacobians(np.array([1.0, 2.0]))[0].dense()
    array([[ 3.,  0.],
           [ 0., 12.]])
    """

    def gradient_fn(self, x: Any, **settings: Any) -> Any:
        """Return the derivative at each entry."""
        raise NotImplementedError(f"{type(self).__name__} needs gradient_fn(self, x): its derivative at each entry")

    def get_jacobians(self, *operands: Any, **settings: Any) -> Sequence[Any]:
        """Return the diagonal matrix of :meth:`gradient_fn`."""
        if len(operands) != 1:
            raise BlockError(
                f"The Block {self.name} is elementwise, of one operand, and got {len(operands)}. "
                "Pass settings by keyword."
            )
        operand = as_operand(operands[0])
        partial = self.gradient_fn(operand, **settings)
        if np.shape(partial) not in ((), operand.shape):
            raise BlockError(
                f"gradient_fn of the Block {self.name} returned an array of shape {np.shape(partial)}; "
                f"it needs the operand's shape, {operand.shape}."
            )
        return [Diagonal(np.asarray(partial), operand.shape, operand.shape)]


def as_operand(datum: Any) -> Any:
    """Plain data, or a Variable's, as an array with the attribute ``data``; anything but numbers stays as it is."""
    datum = datum.data if is_traced(datum) else datum
    if is_on_device(datum):
        raise BlockError("A Block of one's own computes with NumPy, and got an array of another library: x.get().")
    if not isinstance(datum, np.ndarray | float | int | np.number | list):
        return datum
    operand = np.asarray(datum).view(Operand)
    operand.flags.writeable = False  # it may be the user's own array
    return operand


def is_traced(datum: Any) -> bool:
    """Return whether a value is a Variable; Variables are defined in a module that imports this one."""
    return hasattr(datum, "tape")


def source_of(function: Callable[..., Any]) -> str:
    """Return the source of a function, for programs, which have no annotations.

    >>> from .rules.reducing import logsumexp
    >>> source_of(logsumexp).splitlines()[0]
    'def logsumexp(x, axis, keepdims):'
    """
    return re.sub(r"(: | -> )Any\b", "", inspect.getsource(function)).strip()


def _arranged(data: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
    """Split data into operands and keyword arguments, as the methods of a Block of your own take them."""
    if data and type(data[-1]) is Settings:
        return list(map(as_operand, data[:-1])), data[-1].values
    return list(map(as_operand, data)), {}


def _plain_value(block: Block, value: Any) -> Any:
    """Return what ``data_fn`` returned, as a plain array of real numbers of its own."""
    result = np.asarray(value)
    if result.dtype.kind not in "fiub":
        raise BlockError(f"data_fn of the Block {block.name} returned {_described(value)}, not real numbers.")
    return np.array(result, float) if result.dtype.kind != "f" or isinstance(value, Operand) else result


def _checked(block: Block, jacobian: Any, out_shape: Any, in_shape: Any, place: int) -> Jacobian:
    """Return what ``get_jacobians`` returned for one operand, as a Jacobian of the right shape."""
    expected = (math.prod(out_shape), math.prod(in_shape))
    result = jacobian.shape if isinstance(jacobian, Jacobian) else np.shape(jacobian)
    if result != expected:
        raise BlockError(
            f"get_jacobians of the Block {block.name} returned for operand {place} a Jacobian of shape {result}; "
            f"expected {expected}: the numbers in the value by those in the operand."
        )
    return jacobian if isinstance(jacobian, Jacobian) else Dense(np.asarray(jacobian, float), out_shape, in_shape)


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return f"a {type(value).__name__} of {len(value)}" if isinstance(value, list | tuple) else repr(value)


# ---- Blocks made of functions: those of the tables ----


class Rule(Block):
    """A Block made of two functions of plain data: its value, and ``linearize(value, *operands)``."""

    def __init__(
        self,
        name: str,
        compute: Callable[..., Any],
        linearize: Callable[..., Sequence[Jacobian | None]],
        family: str = "arithmetic",
        symbol: str | None = None,
        formulas: tuple[str, ...] = (),
        words: Words = Block.words,
        *,
        count: int | Count | None = None,
        **record: Any,
    ):
        self.name, self.family, self.symbol, self.formulas = name, family, symbol or name, formulas
        self.words = words
        self.operation_count = (0 if family in MOVING else 1) if count is None else count
        self.compute, self.linearize = compute, linearize  # type: ignore[method-assign]
        for field, value in record.items():
            if not hasattr(Block, field):
                raise TypeError(f"The record of {name} has no field {field}.")
            setattr(self, field, value)
        self.number = len(BLOCKS)
        BLOCKS.append(self)

    def data_fn(self, *operands: Any) -> Any:
        return self.compute(*map(_numbers, operands))

    def get_jacobians(self, *operands: Any) -> Sequence[Any]:
        data = list(map(_dividing, map(_numbers, operands)))
        return self.linearize(self.compute(*data), *data)


def _dividing(datum: Any) -> Any:
    """Return a float as a NumPy number, which can be divided by zero."""
    return np.float64(datum) if type(datum) is float else datum


def _number(partial: Any) -> Any:
    """Return an array without axes as a number: other libraries accept NumPy's numbers, and not its arrays."""
    return partial[()] if type(partial) is np.ndarray and not partial.ndim else partial


def _numbers(operand: Any) -> Any:
    return operand.data if isinstance(operand, Operand) or is_traced(operand) else operand


class Elementwise(Rule, SimpleBlock):
    """A Block of the elementwise table: one partial per operand, each a function of the value and the operands.

    ``scalar_fn`` computes the same on Python floats, faster; where it raises, NumPy's answer (NaN, infinity) is taken.
    """

    is_entrywise = True

    def __init__(
        self,
        name: str,
        compute: Callable[..., Any],
        *partials: Partial,
        family: str = "arithmetic",
        symbol: str | None = None,
        scalar_fn: Callable[..., float] | None = None,
        **record: Any,
    ):
        super().__init__(name, compute, self._diagonals, family, symbol, **record)
        self.partials = partials
        self.operator = self.operator or (self.numeric.operator if self.numeric is not None else "")
        self.scalar_fn = scalar_fn or _on_numbers(compute)
        if self.steps is not None and self.kink is None:
            self.kink = self._steps_here

    def _steps_here(self, value: Any, *data: Any) -> Any:
        assert self.steps is not None
        return np.equal(*self.steps(value, *data))

    def gradient_fn(self, x: Any, **settings: Any) -> Any:
        data = _numbers(x)
        return self.partials[0](self.compute(data), data)

    def _diagonals(self, value: Any, *data: Any) -> Sequence[Any]:
        return self.local_jacobians(value, data, range(len(data)))

    def local_jacobians(self, value: Any, data: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
        value, *data = map(_dividing, (value, *data))
        shape = getattr(value, "shape", ())
        return [
            Diagonal(_number(self.partials[place](value, *data)), shape, getattr(data[place], "shape", ()))
            for place in places
        ]


def _on_numbers(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same, as a float; an array stays one, also where it has one entry."""

    def on_numbers(*operands: Any) -> Any:
        result = compute(*operands)
        return result if isinstance(result, np.ndarray) else float(result)

    return on_numbers


def define(ufunc: np.ufunc, *partials: Partial, family: str = "arithmetic", formulas: tuple[str, ...] = ()) -> Block:
    """Give a ufunc a rule: one partial per operand, as a function of the value and the operands.

    ``formulas`` say how the partials are written in a show, such as ``"cos {a}"``; see :attr:`Block.formulas`.

    >>> block = define(np.spacing, lambda y, x: 0.0, formulas=("0",))
    >>> block(1.0)
    2.220446049250313e-16
    >>> forgotten = BLOCK_OF.pop(np.spacing)
    """
    BLOCK_OF[ufunc] = Elementwise(ufunc.__name__, ufunc, *partials, family=family, formulas=formulas)
    return BLOCK_OF[ufunc]


# Every output of a graph is a node of its own, so that an output which feeds another node is not a special case.
INPUT = Rule("input", lambda: None, lambda y: [], family="input")
OUTPUT = Elementwise(
    "output",
    lambda x: x,
    lambda y, x: 1.0,
    family="output",
    scalar_fn=lambda x: x,
    formulas=("1",),
    is_view=True,
    words=Words("The output is {a} itself, so its adjoint is that of the output."),
)
