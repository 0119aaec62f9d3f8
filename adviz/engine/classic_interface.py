"""The classic interface: functions of Variables, such as ``ad.sin`` and ``ad.sum_elts``, and optimizers.

Each function is one Block, or a few, and works on Variables, on traced values, and on plain numbers and arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from .apply import apply_block
from .blocks import BLOCK_OF, Block, SimpleBlock, as_operand
from .devices import as_floats
from .functions.arguments import data_of
from .rules.powers import LOGISTIC
from .rules.reducing import SUM
from .trace_errors import DomainError, OutputError


def _function(block: Block, name: str, sentence: str, example: str, result: str) -> Callable[..., Any]:
    def function(*operands: Any) -> Any:
        return apply_block(block, operands)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{sentence}, entry by entry; arrays of any shape, operands broadcast.\n\n    >>> {example}\n    {result}\n    "
    )
    return function


def _ufunc(ufunc: np.ufunc, sentence: str, example: str, result: str) -> Callable[..., Any]:
    return _function(BLOCK_OF[ufunc], ufunc.__name__, sentence, f"{ufunc.__name__}({example})", result)


sin = _ufunc(np.sin, "Sine, of radians", "0.0", "0.0")
cos = _ufunc(np.cos, "Cosine, of radians", "0.0", "1.0")
tan = _ufunc(np.tan, "Tangent, of radians", "0.0", "0.0")
arcsin = _ufunc(np.arcsin, "Inverse sine, in radians; NaN outside -1 … 1", "0.0", "0.0")
arccos = _ufunc(np.arccos, "Inverse cosine, in radians; NaN outside -1 … 1", "1.0", "0.0")
arctan = _ufunc(np.arctan, "Inverse tangent, in radians", "0.0", "0.0")
sinh = _ufunc(np.sinh, "Hyperbolic sine", "0.0", "0.0")
cosh = _ufunc(np.cosh, "Hyperbolic cosine", "0.0", "1.0")
tanh = _ufunc(np.tanh, "Hyperbolic tangent", "0.0", "0.0")
exp = _ufunc(np.exp, "The exponential function", "0.0", "1.0")
sqrt = _ufunc(np.sqrt, "Square root; NaN below 0", "0.25", "0.5")
add = _ufunc(np.add, "The sum of two operands", "0.5, 2.0", "2.5")
subtract = _ufunc(np.subtract, "The difference of two operands", "0.5, 2.0", "-1.5")
multiply = _ufunc(np.multiply, "The product of two operands", "0.5, 2.0", "1.0")
divide = _ufunc(np.divide, "The quotient of two operands", "0.5, 2.0", "0.25")
power = _ufunc(np.power, "The first operand to the power of the second", "0.5, 2.0", "0.25")
logistic = _function(LOGISTIC, LOGISTIC.name, "The logistic function 1 / (1 + exp(-x))", "logistic(0.0)", "0.5")


def log(x: Any, base: float = math.e) -> Any:
    """Return logarithm to a fixed base, entry by entry; NaN below 0.

    Raises :class:`~adviz.DomainError` for bases that are not positive, or are 1.

    >>> log(8.0, base=2)
    3.0
    """
    if not isinstance(base, int | float | np.number) or not base > 0 or base == 1:
        raise DomainError(f"The base of a logarithm is {base!r}; it can be any positive number but 1.")
    ufunc = {math.e: np.log, 2: np.log2, 10: np.log10}.get(base)
    return apply_block(BLOCK_OF[np.log], (x,)) / math.log(base) if ufunc is None else apply_block(BLOCK_OF[ufunc], (x,))


def sum_elts(x: Any) -> Any:
    """Return the sum of the entries of a vector, as a vector of length 1.

    >>> sum_elts([1.0, 2.0])
    array([3.])
    """
    return SUM(x, None, np.ndim(data_of(x, decides=False)) > 0)


# ---- Blocks that the tables have not ----


class Fixed(SimpleBlock):
    """An elementwise Block with a setting, given when the Block is made or when it is called.

    ``function(x, setting)`` is made of Blocks of the tables, and ``derivative(x, setting)`` its derivative.

    >>> block = blocks.power_const_exponent()
    >>> block(np.array([2.0, 3.0]), power_exponent=2)
    array([4., 9.])
    >>> blocks.log(base=2)(8.0)
    3.0
    """

    def __init__(
        self, name: str, keyword: str, function: Callable[..., Any], derivative: Callable[..., Any], **given: Any
    ):
        self.name = self.symbol = name
        self.keyword, self.function, self.derivative, self.given = keyword, function, derivative, given

    def _setting(self, settings: dict[str, Any]) -> Any:
        settings = self.given | settings
        if settings.keys() != {self.keyword}:
            raise TypeError(f"the Block {self.name} takes one keyword argument, {self.keyword}: a number")
        return settings[self.keyword]

    def data_fn(self, x: Any, **settings: Any) -> Any:
        return self.function(numbers_of(x), self._setting(settings))

    def gradient_fn(self, x: Any, **settings: Any) -> Any:
        return self.derivative(numbers_of(x), self._setting(settings))

    def __call__(self, x: Any, **settings: Any) -> Any:
        return self.function(x, self._setting(settings))


class SumOfEntries(Block):
    """:func:`sum_elts`."""

    def __init__(self) -> None:
        self.name = self.symbol = "sum_elts"

    def data_fn(self, x: Any) -> Any:
        return sum_elts(numbers_of(x))

    def get_jacobians(self, x: Any) -> list[Any]:
        return [np.ones((1, numbers_of(x).size))]

    def __call__(self, x: Any) -> Any:
        return sum_elts(x)


class Extract(Block):
    """``x[key]``.

    >>> blocks.extract()(np.array([1.0, 2.0, 3.0]), key=slice(1, 3))
    array([2., 3.])
    """

    def __init__(self) -> None:
        self.name = self.symbol = "extract"

    def data_fn(self, x: Any, key: Any) -> Any:
        return np.atleast_1d(numbers_of(x)[key])

    def get_jacobians(self, x: Any, key: Any) -> list[Any]:
        """Return a row for each entry that is picked, with a 1 in its place."""
        places = np.arange(numbers_of(x).size).reshape(numbers_of(x).shape)[key]
        return [np.eye(numbers_of(x).size)[np.ravel(places)]]

    def __call__(self, x: Any, key: Any) -> Any:
        return x[key]


def numbers_of(x: Any) -> np.ndarray:
    """Return the plain numbers of what a Block's own methods get."""
    return np.asarray(as_operand(x).data, float)


def to_power(x: Any, exponent: Any) -> Any:
    """``x**exponent`` for a plain exponent."""
    return apply_block(BLOCK_OF[np.power], (x, fixed_number("power_exponent", exponent)))


def power_of(x: Any, base: Any) -> Any:
    """``base**x`` for a plain base; raises :class:`~adviz.DomainError` unless it is greater than 0."""
    if not fixed_number("base", base) > 0:
        raise DomainError(f"The base of a power is {base!r}; it can be any positive number.")
    return apply_block(BLOCK_OF[np.power], (float(base), x))


def fixed_number(keyword: str, value: Any) -> float:
    """Return a setting as a float; what is no plain number is refused."""
    if not isinstance(value, int | float | np.number):
        raise TypeError(f"{keyword} is {type(value).__name__}; it can be a number, which is not differentiated")
    return float(value)


SETTINGS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "log": ("base", log, lambda x, base: 1 / (x * math.log(base))),
    "power_const_exponent": ("power_exponent", to_power, lambda x, exponent: exponent * x ** (exponent - 1.0)),
    "power_const_base": ("base", power_of, lambda x, base: math.log(base) * power_of(x, base)),
}
"""Name of a Block: its keyword, its value and its derivative."""


def _made(name: str, **default: Any) -> Callable[..., Block]:
    def make(*args: Any, **settings: Any) -> Block:
        given = {**default, **dict(zip(SETTINGS[name][:1], args, strict=False)), **settings}
        if given.get("base") == math.e:
            return BLOCK_OF[np.log]
        return Fixed(name, *SETTINGS[name], **given)

    return make


_IN_TABLES = {ufunc.__name__: block for ufunc, block in BLOCK_OF.items()} | {LOGISTIC.name: LOGISTIC}
blocks = SimpleNamespace(**{name: lambda block=block: block for name, block in _IN_TABLES.items()})
"""The Blocks as the documentation makes them: ``sin_block = ad.blocks.sin()``. Of those in the tables there is one."""
blocks.log = _made("log", base=math.e)
blocks.power_const_exponent, blocks.power_const_base = _made("power_const_exponent"), _made("power_const_base")
blocks.extract, blocks.sum_elts = Extract, SumOfEntries


# ---- optimizers ----


Loss = Callable[[np.ndarray], tuple[Any, Any]]


class Optimizer:
    """Minimizes a loss from a start, step by step.

    ``loss_func(params)`` returns the loss (one number) and its gradient, a 1×n matrix as ``compute_gradients`` gives
    it, or a vector of n numbers; ``params`` are n numbers. ``lr`` is the learning rate. :meth:`solve` ends when the
    loss changes by less than ``tol`` in a step, or after ``max_iter`` steps.
    """

    def __init__(self, loss_func: Loss, params: Any, lr: float = 0.01, max_iter: int = 100_000, tol: float = 1e-14):
        self.loss_func, self.lr, self.max_iter, self.tol = loss_func, lr, max_iter, tol
        self.params = as_floats(params).reshape(-1)
        self.loss, self.gradient = self._evaluate()

    def _evaluate(self) -> tuple[float, np.ndarray]:
        loss, gradient = self.loss_func(self.params.copy())
        row = as_floats(gradient).reshape(-1)
        if row.shape != self.params.shape or np.size(loss) != 1:
            raise OutputError(
                f"loss_func returned a loss of shape {np.shape(loss)} and a gradient of shape {np.shape(gradient)}; "
                f"it needs one number and a gradient of shape (1, {self.params.size})."
            )
        return float(np.reshape(loss, ())), row

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return what a step subtracts from the parameters."""
        raise NotImplementedError

    def step(self) -> np.ndarray:
        """Take one step; the new parameters."""
        self.params = self.params - self.update(self.gradient)
        self.loss, self.gradient = self._evaluate()
        return self.params

    def solve(self, return_steps: bool = False) -> Any:
        """Take steps until the loss stays the same; the parameters, and with ``return_steps`` those after each step."""
        steps = []
        for _ in range(self.max_iter):
            before = self.loss
            steps.append(self.step())
            if not abs(self.loss - before) >= self.tol:
                break
        return (self.params, steps) if return_steps else self.params


class GD(Optimizer):
    """Gradient descent.

    >>> GD(lambda p: ((p**2).sum(), 2 * p), [3.0], lr=0.25, tol=1e-9).solve().round(4)
    array([0.])
    """

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return the learning rate times the gradient."""
        return self.lr * gradient


class Adam(Optimizer):
    """Adam, with bias correction (Kingma and Ba 2015, algorithm 1).

    >>> Adam(lambda p: (((p - 1) ** 2).sum(), 2 * (p - 1)), [3.0], lr=0.1, tol=1e-12).solve().round(4)
    array([1.])
    """

    def __init__(self, *args: Any, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, **settings: Any):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.mean: Any = 0.0
        self.square: Any = 0.0
        self.count = 0
        super().__init__(*args, **settings)

    def update(self, gradient: np.ndarray) -> np.ndarray:
        """Return the mean of the gradients over the root of the mean of their squares, both decaying."""
        self.count += 1
        self.mean = self.beta1 * self.mean + (1 - self.beta1) * gradient
        self.square = self.beta2 * self.square + (1 - self.beta2) * gradient**2
        mean, square = self.mean / (1 - self.beta1**self.count), self.square / (1 - self.beta2**self.count)
        return self.lr * mean / (np.sqrt(square) + self.eps)
