"""How a product or a sum of two labels is counted: the conventions of the literature, by name.

=============  =====================================================================================================
``count``      a product c_kj c_ji takes so many multiplications, and a sum of two labels so many additions
=============  =====================================================================================================
``"sparse"``   what it takes with the structure of both labels used; numbers take one, arrays are dense
``"scalar"``   n_k n_j n_i, and n_k n_i: the sizes of the three vertices multiplied
``"block"``    one, whatever the sizes
=============  =====================================================================================================

A ``cost`` of one's own, ``Counting(cost=f)``, takes the place of that count for products.

On graphs of numbers the three agree. The sums inside a product of matrices are not counted: each is part of a fused
multiply-add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, prod
from numbers import Integral, Real
from typing import Any, Literal

from ...graph.errors import OptionError
from ...graph.linearized.labels import Label, text

COUNTS: tuple[Literal["sparse", "scalar", "block"], ...] = ("sparse", "scalar", "block")

Cost = Callable[[Label, Label, tuple[int, int, int]], float]
"""What a product of ``head`` and ``tail`` costs, between vertices of sizes n_k, n_j, n_i."""
WORDS = {
    "sparse": "multiplications by structure",
    "scalar": "multiplications by size",
    "block": "one for each product",
}


@dataclass(frozen=True)
class Counting:
    """A convention of counting: ``count`` as in the table of this module, and whether products with units count.

    A unit is an integer label 1 or -1, a constant of the program, or a Jacobian known to be plus or minus the identity.
    The literature counts them like all others (``units=True``) or not at all.

    ``cost=f`` is a cost of one's own, such as what another tool counts or a model of time: ``f(head, tail, sizes)`` is
    the cost of one product, a finite number, 0 or more; that of an order is the sum over its products. ``head`` is the
    label c_kj, ``tail`` the label c_ji, and ``sizes`` are n_k, n_j, n_i. A label is an ``int`` where it is a constant
    of the program, a ``float`` for any other number, else an array or a Jacobian, whose ``structure`` says what it is;
    labels have no names. Additions are counted as ``count`` says. Searches call ``f`` once for all labels of one
    structure, so that it may depend on types, shapes, structures, places of zeros and ``int``, and not on other values.
    A proof needs no more than that: the bounds for such a cost are 0 for what is still to be multiplied, which holds
    for every ``f``, but proves small graphs only. Raises ``ValueError`` for other words, and where ``f`` raises or
    returns anything else.

    >>> Counting().multiplications(0.5, 1, (1, 1, 1)), Counting(units=False).multiplications(0.5, 1, (1, 1, 1))
    (1, 0)
    >>> Counting(cost=lambda head, tail, sizes: 2 * sizes[1] - 1).multiplications(0.5, 0.25, (1, 1, 1))
    1
    """

    count: str = "sparse"
    units: bool = True
    cost: Cost | None = None

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            raise OptionError(f"count is {self.count!r}; expected one of {', '.join(map(repr, COUNTS))}.")
        if self.units not in (True, False):
            raise OptionError(f"units is {self.units!r}; expected True or False.")
        if not (self.cost is None or callable(self.cost)):
            raise OptionError(f"cost is {self.cost!r}; expected a function of head, tail and sizes.")

    def __str__(self) -> str:
        """Return the convention in words, for the first line of tables and figures.

        >>> print(Counting(units=False))
        multiplications by structure, products with units free
        """
        how = WORDS[self.count] if self.cost is None else f"costs by {_name(self.cost)}"
        return f"{how}, products with units {'counted' if self.units else 'free'}"

    def multiplications(self, head: Label, tail: Label, sizes: tuple[int, int, int]) -> Any:
        """Count multiplications, or the cost, of ``head`` times ``tail``, between vertices of sizes n_k, n_j, n_i."""
        if not self.units and (is_unit(head) or is_unit(tail)):
            return 0
        if self.cost is not None:
            return _charged(self.cost, head, tail, sizes)
        if self.count == "sparse":
            return _sparse(head, tail, sizes)
        return prod(sizes) if self.count == "scalar" else 1

    def additions(self, one: Label, other: Label, total: Label, sizes: tuple[int, int]) -> int:
        """Count additions in the sum of two labels, which is ``total``, between vertices of sizes n_k and n_i."""
        if self.count == "sparse":
            return _meeting(one, other, total, sizes)
        return prod(sizes) if self.count == "scalar" else 1


PLAIN = Counting()


def expect_counting(counting: Any) -> None:
    """Raise a ``TypeError`` for anything but a convention of counting.

    >>> expect_counting("scalar")
    Traceback (most recent call last):
    TypeError: counting is 'scalar'; expected a Counting, such as adviz.Counting('scalar').
    """
    if not isinstance(counting, Counting):
        instead = repr(counting if counting in COUNTS else COUNTS[0])
        raise TypeError(f"counting is {counting!r}; expected a Counting, such as adviz.Counting({instead}).")


def is_unit(label: Label) -> bool:
    """Return whether a label is known to be 1 or -1 at every point.

    >>> is_unit(-1), is_unit(1.0)
    (True, False)
    """
    return abs(constant(label) or 0) == 1


def constant(label: Label) -> Any:
    """Return the value of a label that is a constant of the program, or the multiple of the identity; else ``None``.

    >>> constant(3), constant(3.0)
    (3, None)
    """
    return label if isinstance(label, Integral) else getattr(label, "multiple", None)


def entries(label: Label) -> int:
    """Return numbers in a label, without those that are known to be zero.

    >>> entries(0.5)
    1
    """
    return 1 if isinstance(label, Real) else int(label.nnz if hasattr(label, "nnz") else label.size)


def _name(cost: Cost) -> str:
    return str(getattr(cost, "__qualname__", None) or repr(cost))


def _charged(cost: Cost, head: Label, tail: Label, sizes: tuple[int, int, int]) -> int | float:
    """Return what a cost of one's own says of a product, checked."""
    what = f"for the product of {text(head)} and {text(tail)} between vertices of sizes {sizes}"
    try:
        result: Any = cost(head, tail, sizes)
    except Exception as reason:
        raise OptionError(f"The cost {_name(cost)} raised {type(reason).__name__} {what}: {reason}") from reason
    if not isinstance(result, Real) or not isfinite(result) or result < 0:
        raise OptionError(f"The cost {_name(cost)} returned {result!r} {what}; expected a finite number, 0 or more.")
    return int(result) if isinstance(result, Integral) else float(result)


def _sparse(head: Label, tail: Label, sizes: tuple[int, ...]) -> int:
    if isinstance(head, Real) or is_unit(head):
        return entries(tail)
    if isinstance(tail, Real) or is_unit(tail):
        return entries(head)
    match hasattr(head, "normal"), hasattr(tail, "normal"):
        case True, True:
            return int(head.multiplications(tail))
        case True, False:
            return int(head.normal().matvec_cost) * sizes[2]
        case False, True:
            return int(tail.T.normal().matvec_cost) * sizes[0]
    return prod(sizes)


def _meeting(one: Label, other: Label, total: Label, sizes: tuple[int, int]) -> int:
    """Count the places at which both labels have an entry."""
    if isinstance(total, Real):
        return 1
    if isinstance(one, Real) or isinstance(other, Real):  # a multiple of the identity
        return sizes[0]
    return max(entries(one) + entries(other) - entries(total), 0)
