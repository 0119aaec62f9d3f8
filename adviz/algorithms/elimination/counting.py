"""What a product or a sum of two labels is counted as: the conventions of the literature, by name.

=============  =====================================================================================================
``count``      a product c_kj c_ji takes so many multiplications, and a sum of two labels so many additions
=============  =====================================================================================================
``"sparse"``   what it takes with the structure of both labels used; numbers take one, arrays are dense
``"scalar"``   n_k n_j n_i, and n_k n_i: the sizes of the three vertices multiplied
``"block"``    one, whatever the sizes
=============  =====================================================================================================

On graphs of numbers the three agree. The sums inside a product of matrices are not counted: each goes with a
multiplication, as in a fused multiply-add.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from ...graph.labels import Label, shape

COUNTS = ("sparse", "scalar", "block")


@dataclass(frozen=True)
class Counting:
    """A convention of counting: ``count`` as in the table of this module, and whether products with units count.

    A unit is an integer label 1 or -1, a constant of the program, or a Jacobian known to be plus or minus the identity.
    The literature counts them like all others (``units=True``) or not at all. Raises ``ValueError`` for another word.

    >>> Counting().multiplications(0.5, 1), Counting(units=False).multiplications(0.5, 1)
    (1, 0)
    """

    count: str = "sparse"
    units: bool = True

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            raise ValueError(f"count is {self.count!r}; expected one of {', '.join(map(repr, COUNTS))}.")

    def multiplications(self, head: Label, tail: Label) -> int:
        """Multiplications in the product ``head`` times ``tail``."""
        if not self.units and (is_unit(head) or is_unit(tail)):
            return 0
        return {"sparse": _sparse, "scalar": _scalar, "block": _block}[self.count](head, tail)

    def additions(self, one: Label, other: Label, total: Label) -> int:
        """Additions in the sum of two labels, which is ``total``."""
        if self.count == "sparse":
            return max(entries(one) + entries(other) - entries(total), 0)
        rows, columns = shape(total)
        return rows * columns if self.count == "scalar" else 1


PLAIN = Counting()


def is_unit(label: Label) -> bool:
    """Whether a label is known to be 1 or -1 at every point.

    >>> is_unit(-1), is_unit(1.0)
    (True, False)
    """
    return abs((label if isinstance(label, Integral) else getattr(label, "multiple", None)) or 0) == 1


def entries(label: Label) -> int:
    """Entries of a label that may differ from zero.

    >>> entries(0.5)
    1
    """
    if isinstance(label, Real):
        return 1
    return int(label.nnz if hasattr(label, "nnz") else label.size)


def _block(head: Label, tail: Label) -> int:
    return 1


def _scalar(head: Label, tail: Label) -> int:
    return shape(head)[0] * shape(head)[1] * shape(tail)[1]


def _sparse(head: Label, tail: Label) -> int:
    if isinstance(head, Real) or is_unit(head):
        return entries(tail)
    if isinstance(tail, Real) or is_unit(tail):
        return entries(head)
    match hasattr(head, "normal"), hasattr(tail, "normal"):
        case True, True:
            return int(head.multiplications(tail))
        case True, False:
            return _applying(head) * shape(tail)[1]
        case False, True:
            return _applying(tail.T) * shape(head)[0]
    return _scalar(head, tail)


def _applying(jacobian: Any) -> int:
    """Multiplications that the product of a Jacobian with one vector takes."""
    return int(jacobian.normal().applying)
