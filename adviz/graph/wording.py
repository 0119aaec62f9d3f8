"""Counts in words."""

from __future__ import annotations


def counted(*counts: tuple[int, str]) -> str:
    """Count nouns: numbers with thousands separators, and plurals.

    >>> counted((1, "input"), (1_200, "edge"))
    '1 input, 1,200 edges'
    """
    return ", ".join(f"{n:,} {word}{'s' * (n != 1)}" for n, word in counts)
