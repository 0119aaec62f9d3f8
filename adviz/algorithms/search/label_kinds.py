"""What a search knows of the labels of edges, and of their products and sums.

Where the cost of a product depends on the sizes of vertices, only constants of the program matter, some of which are
free (:class:`Constants`); where it depends on the structure of labels, the kind of each label does (:class:`Kinds`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.linearized.labels import Label, dense, plus, product
from ..elimination.counting import Counting, entries

OTHER = 0.6180339887498949
"""A factor that tells numbers apart which stand for any number."""
KIND = 1000
"""Bytes that a kind takes, roughly, beside its numbers."""
DIGITS = 12
"""Digits in which numbers of one kind agree: the last ones depend on the order in which they were multiplied."""

Sizes = tuple[int, int, int]
"""Of the vertices of a product: n_k, n_j, n_i."""


class Constants:
    """Labels that are constants of the program, by their values; other labels are ``None``.

    >>> Constants().product(-1, 3, (2, 2, 2)), Constants().product(2, None, (2, 2, 2))
    ((-3, 0), (None, 8))
    """

    is_full, limit = False, math.inf

    def product(self, head: Any, tail: Any, sizes: Sizes) -> tuple[Any, int]:
        """Return what is known of ``head`` times ``tail``, and its multiplications: 0 if one of them is 1 or -1."""
        known = None if head is None or tail is None else head * tail
        return known, 0 if head in (1, -1) or tail in (1, -1) else math.prod(sizes)

    def plus(self, one: Any, other: Any) -> Any:
        """Return what is known of a sum."""
        return None if one is None or other is None else one + other


class Kinds:
    """Labels by their kinds, which are numbered: labels of one kind cost the same, and so do their products and sums.

    Matrices with the same structure are of one kind, whatever their entries; so are numbers between vertices of one
    entry; and so are equal factors, since some cost nothing. The product of two kinds is computed once, with the first
    labels that were met; if it costs more than ``limit`` it is not computed: its kind is -1, and so is that of all
    products and sums with it. Labels are ``of_any`` numbers where one number stands for all: those do not cancel in
    sums. ``memory`` bounds what is kept, in bytes, until :attr:`is_full`.

    >>> kinds = Kinds(Counting())
    >>> one, other = (kinds.kind(np.full((2, 2), entry), 2) for entry in (3.0, 5.0))
    >>> one == other, kinds.product(one, other, (2, 2, 2))
    (True, (0, 8))
    """

    def __init__(self, counting: Counting, memory: int = 1 << 28):
        self.counting, self.memory, self.used = counting, memory, 0
        self.limit: float = math.inf
        self.labels: list[Label] = []
        self.of_any: list[bool] = []
        self.sizes: list[int] = []
        self.numbers: dict[Any, int] = {}
        self.products: dict[tuple[int, int], tuple[int, int]] = {}
        self.sums: dict[tuple[int, int], int] = {}

    def first(self, count: int) -> Kinds:
        """Return a copy with the first ``count`` kinds, by the same numbers, and no products or sums."""
        other = Kinds(self.counting, self.memory)
        for label, size, of_any in zip(self.labels[:count], self.sizes, self.of_any, strict=False):
            other.kind(label, size, of_any)
        return other

    @property
    def is_full(self) -> bool:
        """Whether the memory is full."""
        return self.used >= self.memory

    def kind(self, label: Label, size: int, of_any: bool = False) -> int:
        """Return the kind of a label whose head is of this size; ``of_any`` if its numbers stand for others."""
        # between vertices of one entry, a number is any number, unless it makes zeros or leaves others as they are
        is_any = isinstance(label, float) and size == 1 and label not in (0, 1, -1)
        key = float if is_any else _pattern(label), size
        if key not in self.numbers:
            self.numbers[key] = len(self.labels)
            self.labels.append(label)
            self.of_any.append(of_any or is_any)
            self.sizes.append(size)
            self.used += KIND + 8 * entries(label)
        return self.numbers[key]

    def product(self, head: int, tail: int, sizes: Sizes) -> tuple[int, int]:
        """Return the kind of ``head`` times ``tail``, and the multiplications."""
        known = self.products.get((head, tail))
        return known or self._product(head, tail, sizes)

    def _product(self, head: int, tail: int, sizes: Sizes) -> tuple[int, int]:
        if -1 in (head, tail):
            return -1, 0
        one, other = self.labels[head], self.labels[tail]
        work = self.counting.multiplications(one, other, sizes)
        if work > self.limit:
            return -1, work
        with np.errstate(all="ignore"):
            kind = self.kind(product(one, other), sizes[0], self.of_any[head] or self.of_any[tail])
        self.products[head, tail] = kind, work
        self.used += KIND // 4
        return kind, work

    def plus(self, one: int, other: int) -> int:
        """Return the kind of a sum."""
        if -1 in (one, other):
            return -1
        if (one, other) not in self.sums:
            of_any, labels = self.of_any[one] or self.of_any[other], (self.labels[one], self.labels[other])
            with np.errstate(all="ignore"):
                total = plus(*labels)
                if of_any and np.any((dense(total) == 0) & ((dense(labels[0]) != 0) | (dense(labels[1]) != 0))):
                    total = plus(labels[0], product(OTHER, labels[1]))
            self.sums[one, other] = self.kind(total, self.sizes[one], of_any)
            self.used += KIND // 4
        return self.sums[one, other]


def _pattern(part: Any) -> Any:
    """Return what the costs of products with a label, or with a part of one, depend on.

    These are the places of entries, and of zeros, since the zero columns or rows of a product are not counted; the
    values of factors that are one number; and functions, by their identity.
    """
    if hasattr(part, "normal"):
        return type(part), part.nnz, *map(_pattern, vars(part.normal()).values())
    if isinstance(part, np.ndarray):
        return part.shape, (part if part.dtype.kind in "iu" else part != 0).tobytes()
    if isinstance(part, float):
        rounded = float(f"{part:.{DIGITS}g}")
        return type(part), part if rounded in (0, 1, -1) else rounded
    return type(part), part
