"""Functions of a block of rows: they write into arrays that they are given, and return totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..derivations.translation import Translation
from ..terms.array_terms import Term
from .helpers import helper_of
from .lines import Writer
from .names import Names
from .writing import Row, Written


class BlockFunction(NamedTuple):
    """A function that takes values, arrays for results, and arrays to work in; the last of these ``shapes`` and dtypes.

    It returns the totals, in a tuple.
    """

    written: Written
    shapes: tuple[tuple[tuple[int, ...], str], ...]

    def bare(self) -> BlockFunction:
        """The same for another process."""
        return self._replace(written=self.written.bare())


def block_function(found: Translation, filled: Sequence[Term], totals: Sequence[Term]) -> BlockFunction:
    """The function of some terms: those that are ``filled`` are written into arrays that are given.

    >>> import numpy as np
    >>> from ..terms.array_terms import Terms
    >>> terms = Terms()
    >>> x = terms.input(0, (2000,), np.dtype(float))
    >>> y = terms.apply(np.exp, terms.apply(np.sin, x))
    >>> print(block_function(Translation(None, terms, [y], "", ["x"]), [y], []).written.source)
    def block(x0, r0):
        sin = np.sin(x0, out=r0)
        exp = np.exp(sin, out=r0)
        return ()
    """
    inputs = {number: f"x{number}" for number in range(len(found.inputs))}
    targets: dict[Term, str] = {}
    for number, term in enumerate(filled):
        targets.setdefault(term, f"r{number}")
    helpers = filter(None, map(helper_of, found.terms.known.values()))
    taken = ["np", "scipy", "float", "bool", "real", "block", *helpers]
    arrays = [f"r{number}" for number in range(len(filled))]
    names = Names(found, inputs, [*taken, *inputs.values(), *arrays, *(f"w{number}" for number in range(1000))])
    writer = Writer(found, names, (), [*filled, *totals], targets=targets)
    lines = writer.lines()
    assert writer.buffers is not None
    work = writer.buffers.made
    rows = [Row(f"    {statement}", line.term) for line in lines for statement in line.statements]
    for name, term in zip(arrays, filled, strict=True):
        if writer.buffers.of.get(term) != name:
            rows.append(Row(f"    {name}[...] = {writer.phrases[term].text}"))
    returned = "".join(f"{writer.phrases[term].text}, " for term in totals).rstrip()
    parameters = ", ".join([*inputs.values(), *arrays, *work])
    head = Row(f"def block({parameters}):")
    written = Written("block", "", "A block of rows.", [head, *rows, Row(f"    return ({returned})")], writer.constants)
    return BlockFunction(written, tuple((shape, dtype.str) for shape, dtype in work.values()))
