"""The language that an array program is written in: NumPy's functions, or those of another library of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..terms.array_terms import Term
from .operator_phrases import ATOM, Phrase

ADVICE = "Write the function with other functions of NumPy or SciPy; FUNCTIONS.md lists those that adviz knows."


@dataclass(frozen=True)
class Dialect:
    """How operations, constants and zeros are written; ``statements`` are for those that no expression computes.

    ``array`` writes a constant that operations on arrays must accept. Where the language ``changes_arrays``, entries
    are written into arrays that there are; ``added`` is the statement that adds to the entries at a key, and ``entry``
    how these are read. ``copied`` makes an array of its own, ``finished`` an array of no axes a number. Names that are
    ``taken`` are those of the module.
    """

    phrase: Callable[[Term, Sequence[Phrase]], Phrase]
    statements: Mapping[str, Callable[[str, Term, Sequence[Phrase]], tuple[str, ...]]]
    constant: Callable[[Any, dict[str, np.ndarray], Any], Phrase]
    array: Callable[[Any, dict[str, np.ndarray], Any], Phrase]
    zeros: Callable[[Sequence[int], Any], str]
    changes_arrays: bool = True
    entry: Callable[[str, str], str] = "{}[{}]".format
    added: Callable[[str, str, str], str] = "{}[{}] += {}".format
    copied: Callable[[Phrase], Phrase] = lambda phrase: Phrase(f"{phrase.inside(ATOM)}.copy()")
    finished: Callable[[Phrase], Phrase] = lambda phrase: Phrase(f"{phrase.inside(ATOM)}[()]")
    taken: Sequence[str] = ()
    said: str = "a program on arrays"
    advice: str = ADVICE


Speaker = Callable[[Mapping[int, str], Sequence[Term]], Dialect]
"""Chooses the language for a program whose inputs have these names, and which returns these terms."""
