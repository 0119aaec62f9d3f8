"""Rules of products: matmul, einsum, convolve. Linear in each operand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from string import ascii_letters
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Rule, Words
from ..devices import as_like
from ..jacobians.local import Jacobian, LinearMap, MatrixProduct
from . import abstract_values, operation_counts, rows


def _einsum(y: Any, subscripts: str, *operands: Any) -> list[Jacobian | None]:
    return [None, *(_einsum_along(k, y, subscripts, operands) for k in range(len(operands)))]


def _einsum_along(k: int, y: Any, subscripts: str, operands: Sequence[Any]) -> Jacobian:
    """Return the Jacobian of one operand: einsum is linear in each.

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


# ---- the products in words ----


def _left(value: Any, a: Any, b: Any) -> tuple[str, str]:
    """Return how a matrix product passes its adjoint to the left operand, and takes the tangent of that."""
    return f"· {{b}}{'' if _is_dot(a, b) else 'ᵀ'}{_stacked(value, a)}", "· {b}"


def _right(value: Any, a: Any, b: Any) -> tuple[str, str]:
    """Return how a matrix product passes its adjoint to the right operand, and takes the tangent of that."""
    return ("· {a}",) * 2 if _is_dot(a, b) else (f"{{a}}ᵀ ·{_stacked(value, b)}", "{a} ·")


def _is_dot(a: Any, b: Any) -> bool:
    return np.ndim(a) == np.ndim(b) == 1


def _stacked(value: Any, own: Any) -> str:
    """Return the sum over a stack of products that share one matrix."""
    whole, part = np.shape(value), np.shape(own)
    shared = len(whole) > max(len(part), 2) or (len(part) > 2 and part[:-2] != whole[: len(part) - 2])
    return ", Σ" if shared else ""


def _product_rule(value: Any, a: Any, b: Any) -> str:
    if _is_dot(a, b):
        return (
            "The product rule: [a:{a} receives the adjoint times {b}][ab:, and ][b:{b} receives the adjoint times {a}]."
        )
    ways = (
        "[a:an entry of {a} acts through a row of {b}][ab:, and ][b:an entry of {b} acts through a column of {a}], "
        "and the effects add; so "
        if np.ndim(a) == np.ndim(b) == 2
        else ""
    )
    return (
        f"The product rule for matrices: {ways}[a:{{a}} receives the adjoint times {{b}}ᵀ][ab:, and ]"
        "[b:{b} receives {a}ᵀ times the adjoint]."
    )


def _product_mistakes(value: Any, a: Any, b: Any) -> Any:
    if _is_dot(a, b):
        own = "That is {} itself; the partial with respect to one factor is the other factor."
        return ((("· {a}", own.format("{a}")),), (("· {b}", own.format("{b}")),))
    return (
        (
            ("· {b}", "{b} has to be transposed: the adjoint goes back from its columns to its rows."),
            ("{b}ᵀ ·", "{b} stands on the right of {a}, so its transpose multiplies the adjoint from the right."),
            ("{a}ᵀ ·", "That is the factor of the other edge: it gives the adjoint of {b}."),
        ),
        (
            ("{a} ·", "{a} has to be transposed: the adjoint goes back from its rows to its columns."),
            ("· {a}ᵀ", "{a} stands on the left of {b}, so its transpose multiplies the adjoint from the left."),
            ("· {b}ᵀ", "That is the factor of the other edge: it gives the adjoint of {a}."),
        ),
    )


def _einsum_gate(k: int, value: Any, subscripts: Any, *operands: Any) -> str:
    """Return the einsum that passes an adjoint on: its own indices first, then those of the other operands."""
    *labels, result = re.split(",|->", str(subscripts))
    return f"einsum {','.join([result, *labels[:k], *labels[k + 1 :]])} → {labels[k]}"


# ---- the rules ----


MATMUL = Rule(
    "matmul",
    np.matmul,
    lambda y, a, b: [
        MatrixProduct(b, "left", np.shape(y), np.shape(a)),
        MatrixProduct(a, "right", np.shape(y), np.shape(b)),
    ],
    "linear",
    "@",
    operator="@",
    noun="product",
    words=Words(
        "The product rule.",
        _product_mistakes,
        gates=(_left, _right),
        arrays=_product_rule,
        forward="The product rule: [a:the tangent of {a} is multiplied by {b}][ab:, and that of {b} by {a}]"
        "[B:the tangent of {b} is multiplied by {a}], each in its place.",
    ),
    count=operation_counts.matmul,
    abstract_eval=abstract_values.product,
    batched=rows.products,
    by_rows=rows.of_products,
)
BLOCK_OF[np.matmul] = MATMUL
EINSUM = Rule(
    "einsum",
    np.einsum,
    _einsum,
    "linear",
    words=Words(
        "A sum of products is linear in each operand: each receives the adjoint times the other operands, summed over"
        " the indices that it does not have.",
        ((("1", "The other operands are missing as factors."),),),
        gates=tuple(partial(_einsum_gate, k - 1) for k in range(9)),
    ),
    count=operation_counts.einsum,
    abstract_eval=abstract_values.contracted,
    batched=rows.contractions,
    standard="einsum({a}, {b...!alike})",
    noun="product",
)
CONVOLVE = Rule(
    "convolve",
    np.convolve,
    _convolution,
    "linear",
    "∗",
    standard="convolve({a!reals}, {b!reals})",
    gives_array=True,
    words=Words(
        "A convolution is linear in each operand: the adjoint is correlated (⋆) with the other one[ab:, so {a} receives"
        " the adjoint ⋆ {b}, and {b} the adjoint ⋆ {a}].",
        (
            (("∗ {b}", "That is convolved once more; to go back, {b} has to be reversed: a correlation."),),
            (("∗ {a}", "That is convolved once more; to go back, {a} has to be reversed: a correlation."),),
        ),
        gates=(("⋆ {b}", "∗ {b}"), ("⋆ {a}", "∗ {a}")),
    ),
    count=operation_counts.convolve,
)
