"""The bench as typed data: the operation in play on arrays, with its matrices in numbers.

Python says what is multiplied, added or moved, and of which terms each entry of the result is the sum; where tables
stand, and which entry is lit, the front end knows.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from .panels import Formula, HeatMap

Line = Literal["row", "column", "all"]
"""What takes part in an entry of the result: what stands in its row, in its column, or everything."""


class BenchTable(TypedDict):
    """An array as a matrix: its name and its shape, each followed by its width, and its numbers.

    ``mark`` stands over the name of a derivative; what comes ``via`` a node is a part of one. ``lit`` says which rows
    and which columns take part in an entry of the result; where there is only one, it does. With ``by_row`` it is that
    many matrices, one below the other: one for each row that is shown of the result; the shape tells the last row.
    """

    name: Annotated[list[str | float], tuple[str, float]]
    mark: Literal["", "bar", "dot", "via"]
    shape: Annotated[list[str | float], tuple[str, float]]
    map: HeatMap
    lit: Annotated[list[Line], tuple[Line, Line]]
    by_row: NotRequired[int]


class BenchEntry(TypedDict):
    """What an entry of the result is the sum of.

    Each of the ``terms`` is a product of factors, in the order of the tables; ``others`` are that many smaller ones,
    which add up to ``rest``. Where no rule says it, ``places`` are the terms in the only operand: the numbers of their
    cells, -1 for one that is not shown.
    """

    terms: list[list[float | str]]
    others: int
    rest: float | str
    places: NotRequired[list[int]]


class Bench(TypedDict):
    """An operation: its ``tables``, of which the last is the result, each after its sign with the width of that.

    It is that of ``step`` at ``node``, which sends or adds up; at -1 it is that of several. ``title`` is what it is
    called. ``at`` is the index of an entry of the result: "row" and
    "column" stand for its own, other axes are fixed. ``sums`` has the terms of each entry that is shown of the result,
    row by row; it is empty where nothing is computed.
    """

    step: int
    node: int
    title: Formula
    tables: list[BenchTable]
    signs: list[Annotated[list[str | float], tuple[str, float]]]
    at: list[str]
    sums: list[BenchEntry]


class BenchPanel(TypedDict):
    """The operations of a sweep, in order; the first one, of step -1, are the values that it starts from.

    ``lines`` are those of the same sweep line by line, where it is told so first, and ``inner`` those inside of lines.
    """

    id: str
    kind: Literal["bench"]
    run: str
    benches: list[Bench]
    lines: NotRequired[list[Bench]]
    inner: NotRequired[list[list[Bench]]]
