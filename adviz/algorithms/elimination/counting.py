"""How a product or a sum of two labels is counted: the conventions of the literature, by name.

=============  =====================================================================================================
``count``      a product c_kj c_ji takes so many multiplications, and a sum of two labels so many additions
=============  =====================================================================================================
``"sparse"``   what it takes with the structure of both labels used; numbers take one, arrays are dense
``"scalar"``   n_k n_j n_i, and n_k n_i: the sizes of the three vertices multiplied
``"block"``    one, whatever the sizes
=============  =====================================================================================================

On graphs of numbers the three agree. The sums inside a product of matrices are not counted: each is part of a fused
multiply-add.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from numbers import Integral, Real
from typing import Any, Literal

from ...graph.errors import OptionError
from ...graph.linearized.labels import Label

COUNTS: tuple[Literal["sparse", "scalar", "block"], ...] = ("sparse", "scalar", "block")


@dataclass(frozen=True)
class Counting:
    """A convention of counting: ``count`` as in the table of this module, and whether products with units count.

    A unit is an integer label 1 or -1, a constant of the program, or a Jacobian known to be plus or minus the identity.
    The literature counts them like all others (``units=True``) or not at all. Raises ``ValueError`` for other words.

    >>> Counting().multiplications(0.5, 1, (1, 1, 1)), Counting(units=False).multiplications(0.5, 1, (1, 1, 1))
    (1, 0)
    """

    count: str = "sparse"
    units: bool = True

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            raise OptionError(f"count is {self.count!r}; expected one of {', '.join(map(repr, COUNTS))}.")
        if self.units not in (True, False):
            raise OptionError(f"units is {self.units!r}; expected True or False.")

    def multiplications(self, head: Label, tail: Label, sizes: tuple[int, int, int]) -> int:
        """Multiplications in the product ``head`` times ``tail``, between vertices of sizes n_k, n_j, n_i."""
        if not self.units and (is_unit(head) or is_unit(tail)):
            return 0
        if self.count == "sparse":
            return _sparse(head, tail, sizes)
        return prod(sizes) if self.count == "scalar" else 1

    def additions(self, one: Label, other: Label, total: Label, sizes: tuple[int, int]) -> int:
        """Additions in the sum of two labels, which is ``total``, between vertices of sizes n_k and n_i."""
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
    """Whether a label is known to be 1 or -1 at every point.

    >>> is_unit(-1), is_unit(1.0)
    (True, False)
    """
    return abs(constant(label) or 0) == 1


def constant(label: Label) -> Any:
    """The value of a label that is a constant of the program, or the multiple of the identity; else ``None``.

    >>> constant(3), constant(3.0)
    (3, None)
    """
    return label if isinstance(label, Integral) else getattr(label, "multiple", None)


def entries(label: Label) -> int:
    """Numbers in a label, without those that are known to be zero.

    >>> entries(0.5)
    1
    """
    return 1 if isinstance(label, Real) else int(label.nnz if hasattr(label, "nnz") else label.size)


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
    """Places at which both labels have an entry."""
    if isinstance(total, Real):
        return 1
    if isinstance(one, Real) or isinstance(other, Real):  # a multiple of the identity
        return sizes[0]
    return max(entries(one) + entries(other) - entries(total), 0)
