"""Rules of products: matmul, einsum, convolve. Linear in each operand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Rule
from ..devices import as_like
from ..jacobians.local import Jacobian, LinearMap, MatrixProduct
from .textbook_arrays import ARRAYS


def _einsum(y: Any, subscripts: str, *operands: Any) -> list[Jacobian | None]:
    return [None, *(_einsum_along(k, y, subscripts, operands) for k in range(len(operands)))]


def _einsum_along(k: int, y: Any, subscripts: str, operands: Sequence[Any]) -> Jacobian:
    """The Jacobian of one operand: einsum is linear in each.

    Transposed, an index that repeats is an identity matrix more, and one that nothing else has a vector of ones.
    """
    *labels, result = re.split(",|->", subscripts)
    others, own, shape = [*labels[:k], *labels[k + 1 :]], labels[k], np.shape(operands[k])
    unused = iter(sorted(set(ascii_letters) - set(subscripts)))
    target = "".join(next(unused) if label in own[:j] else label for j, label in enumerate(own))
    extra = {label + new: np.eye(n) for label, new, n in zip(own, target, shape, strict=True) if label != new}
    extra |= {label: np.ones(n) for label, n in zip(own, shape, strict=True) if label not in "".join([result, *others])}
    extra = {labels: as_like(array, *operands) for labels, array in extra.items()}
    transposed = ",".join([result, *others, *extra]) + "->" + target

    def jvp(tangent: Any) -> Any:
        return np.einsum(subscripts, *operands[:k], tangent, *operands[k + 1 :])

    def vjp(adjoint: Any) -> Any:
        return np.einsum(transposed, adjoint, *operands[:k], *operands[k + 1 :], *extra.values(), optimize=True)

    return LinearMap(jvp, vjp, np.shape(y), shape)


def _convolution(y: Any, a: Any, b: Any) -> list[Jacobian]:
    def along(other: Any, own: Any) -> Jacobian:
        def vjp(adjoint: Any) -> Any:
            return np.convolve(adjoint, np.flip(other))[np.size(other) - 1 : np.size(y)]

        return LinearMap(lambda tangent: np.convolve(tangent, other), vjp, np.shape(y), np.shape(own))

    return [along(b, a), along(a, b)]


def _matrix_products(y: Any, a: Any, b: Any) -> list[Jacobian]:
    return [MatrixProduct(b, "left", np.shape(y), np.shape(a)), MatrixProduct(a, "right", np.shape(y), np.shape(b))]


MATMUL = Rule("matmul", np.matmul, _matrix_products, "linear", "@", words=ARRAYS["matmul"])
BLOCK_OF[np.matmul] = MATMUL
EINSUM = Rule("einsum", np.einsum, _einsum, "linear", words=ARRAYS["einsum"])
CONVOLVE = Rule("convolve", np.convolve, _convolution, "linear", "∗", words=ARRAYS["convolve"])
