"""The picture of one sweep as typed data, and what stands beside it: bench, source with numbers, result, nudges.

Nodes are named by their numbers in the graph, edges by ``head/place``. A moment of the picture is a function of this
panel, of the steps between two cursors, and of how much of them has passed. The panels beside it say where a reader
finds values, derivatives and moves again. Of the bench Python says what is multiplied, added or moved, and of which
terms each entry of the result is the sum; where tables stand, and which entry is lit, the front end knows.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .panels import FlowBox, Formula, HeatMap, Span

# ---- the bench ----

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


# ---- the picture ----


class Amount(TypedDict):
    """A derivative: its text, the width of the text, its sign, and the width in px of a ribbon that carries it.

    ``sign`` is ``None`` for NaN. ``against`` is the share of the other sign in an array.
    """

    text: str
    w: float
    sign: Literal[-1, 0, 1] | None
    ribbon: float
    against: NotRequired[float]
    map: NotRequired[HeatMap]


class Gate(TypedDict):
    """A local partial on its edge: how it is written, its number, their widths, and for an array the factor.

    ``written`` is how it is written in full, where that is too long for the picture; ``below`` is its second line.

    Widths are missing in documents of earlier versions, which had places and sizes of everything.
    """

    symbol: str
    written: NotRequired[str]
    symbol_w: NotRequired[float]
    below: NotRequired[Annotated[list[str | float], tuple[str, float]]]
    number: str
    number_w: NotRequired[float]
    map: NotRequired[HeatMap]


class Carried(TypedDict):
    """What an edge carries in a sweep.

    ``given`` is the derivative that arrives at the gate, ``product`` the one that leaves it; ``factors`` is the product
    before it is multiplied out, ``equation`` the product with its result, each followed by its width. At the ``first``
    one a finite derivative becomes one that is not.
    """

    first: NotRequired[bool]
    given: NotRequired[Amount]
    product: NotRequired[Amount]
    factors: Annotated[list[str | float], tuple[str, float]]
    equation: Annotated[list[str | float], tuple[str, float]]


class FlowEdge(Carried):
    """An edge from an operand to the node computed from it."""

    key: str
    tail: int
    head: int
    gate: Gate
    dead: bool


class Given(TypedDict):
    """The derivative that a sweep gives to a node, and what it is called.

    ``seed`` is what the sweep starts with here; ``total`` is the sum of several contributions, followed by its width,
    and "" where there is nothing to add. ``before`` is what it was until it was changed.
    """

    derivative: str
    seed: NotRequired[Amount]
    result: NotRequired[Amount]
    before: NotRequired[Amount]
    total: Annotated[list[str | float], tuple[str, float]]


class FlowNode(Given):
    """A node with its value. Each width is that of the text before it.

    The ``first`` one has the first value that is not finite. ``returned`` says of an input that it is a result, too.
    ``fold`` says what is inside, of a node that stands for several, and ``stem`` what its adjoint is multiplied by
    before it goes on to the operands, in lines. ``brief`` is a long name cut short, with its width.
    """

    key: str
    node: int
    kind: Literal["input", "block", "output"]
    name: str
    name_w: float
    brief: NotRequired[Annotated[list[str | float], tuple[str, float]]]
    value: str
    value_w: float
    map: NotRequired[HeatMap]
    fold: NotRequired[str]
    fold_w: NotRequired[float]
    stem: NotRequired[list[Annotated[list[str | float], tuple[str, float]]]]
    derivative_w: NotRequired[float]
    dead: bool
    first: NotRequired[bool]
    returned: NotRequired[bool]
    title: str


class Move(TypedDict):
    """Something that happens in a step: the sweep starts at nodes, an edge carries a product, a node adds up.

    In an evaluation nodes get their values. What shares an array may change when another node is added to.
    """

    kind: Literal["seed", "send", "sum", "change", "value", "result"]
    step: int
    nodes: list[int]
    edge: str


class FurtherSweep(TypedDict):
    """A later sweep over the same graph, after ``first`` steps: what it gives to each node, and each edge carries."""

    first: int
    nodes: list[Given]
    edges: list[Carried]
    moves: list[Move]


class StripCell(TypedDict):
    """A node in the strip of an engine: its name, followed by its width."""

    node: int
    name: Annotated[list[str | float], tuple[str, float]]


class Strip(TypedDict):
    """What an engine keeps, below the picture: a cell for each node, in ``columns``, and two lines of words.

    ``states`` say from which step on, which node has its turn (-1: none), and a letter for each cell: ``-`` is nothing
    yet, ``a`` has an adjoint, ``r`` is ready, ``f`` is freed, ``n`` never has a turn. For each cell follows on how many
    uses its node waits, and then the words: what is ready, the next first, and what has been done. A ``tape`` has
    square cells, and a head above the node whose turn it is.
    """

    tape: bool
    columns: int
    cells: list[StripCell]
    states: list[Annotated[list[Any], tuple[int, int, str, list[int], str, str]]]


class FlowLines(TypedDict):
    """The sweep over the same graph where each line of the function is one box: what is there while all are closed."""

    nodes: list[FlowNode]
    edges: list[FlowEdge]
    moves: list[Move]
    boxes: list[FlowBox]


class FlowPanel(TypedDict):
    """A sweep over a graph of which everything can be seen at once; the front end places it.

    Where several sweeps follow each other, nodes, edges and moves are those of the first; ``sweeps`` has the others.
    Where several engines run side by side, ``title`` is the name of this one and how it goes on. ``lines`` are there
    where the sweep is told line by line first, and ``inner`` where lines consist of lines: the first has what is seen
    when lines are open, as far as it is boxes.
    """

    id: str
    kind: Literal["flow"]
    run: str
    reverse: bool
    note: str | None
    nodes: list[FlowNode]
    edges: list[FlowEdge]
    moves: list[Move]
    sweeps: NotRequired[list[FurtherSweep]]
    strip: NotRequired[Strip]
    title: NotRequired[Annotated[list[str], tuple[str, str]]]
    lines: NotRequired[FlowLines]
    inner: NotRequired[list[FlowLines]]


# ---- the source, the result, nudges ----

Evaluation = Annotated[list[Any], tuple[int, int, str]]
"""One evaluation: the step from which it is shown, the node whose value it has, and for one use of a name the edge
``head/place``, else "". Where a name stands for a constant, the node is -1, and its text follows; so it is at the head
of a loop, where the text says which iteration is shown.
"""


class Bracket(TypedDict):
    """A sub-expression or a name in one line of the source, with the numbers under it.

    ``start`` and ``end`` are columns in characters, ``at`` is the same in widths of a character. Of an expression in a
    loop the evaluations are shown in which the sweep acts; before it begins, the last.
    """

    file: int
    line: int
    start: int
    end: int
    at: Annotated[list[float], tuple[float, float]]
    evaluations: list[Evaluation]


class SourceNumbers(TypedDict):
    """The numbers under the source, whose longest line is ``width`` characters wide."""

    width: float
    word: Literal["adjoint", "tangent", "Jacobian block", "value"]
    brackets: list[Bracket]


class ResultRow(TypedDict):
    """A derivative that the sweep computes, that of ``node``, with its terms in words."""

    node: int
    name: str
    via: list[str]


class ResultPanel(TypedDict):
    """The result of a sweep, entry by entry as it arrives."""

    id: str
    kind: Literal["result"]
    run: str
    title: str
    rows: list[ResultRow]


class Nudge(TypedDict):
    """The result along one entry of an input, which is ``start``: its value at evenly spaced places around that.

    ``entry`` counts the entries of an array row by row. There is no value where the program has none; between those in
    ``gaps`` and the next it has none either. ``slope`` is the derivative. ``changes`` say at which numbers the program
    begins to decide otherwise, and what.
    """

    entry: int
    start: float
    step: float
    slope: float
    values: list[float | None]
    gaps: list[int]
    changes: list[Annotated[list[Any], tuple[float, str]]]


class NudgedInput(TypedDict):
    """An input whose entries can be nudged; ``symbol`` is how its derivative is written, which is that of ``node``.

    ``nudges`` are those that are known; a notebook computes others when they are asked for.
    """

    name: str
    symbol: str
    input: int
    node: int
    shape: list[int]
    nudges: list[Nudge]


class NudgePanel(TypedDict):
    """How the result changes with each entry of each input: what the derivative says, and what really happens.

    ``result`` is what it is called. Where nothing can be evaluated again, there are no inputs, and ``why`` says so.
    """

    id: str
    kind: Literal["nudge"]
    run: str
    result: str
    inputs: list[NudgedInput]
    why: NotRequired[str]


class ProgramLine(TypedDict):
    """A line of the backward program; it is seen once ``node`` has its derivative, at -1 at the end.

    ``at`` are file and line of the statement that it is due to, -1 at the end, and to which run of it: of several the
    one is seen that the sweep is at. A line of run 0 is always seen.
    """

    text: str
    node: int
    at: Annotated[list[int], tuple[int, int, int]]


class CodePanel(TypedDict):
    """The source of the graph; ``skipped`` are the stretches that were not run because of what values decided.

    ``program`` is that of the backward pass; where it is empty a notebook may ask for it.
    """

    id: str
    kind: Literal["code"]
    numbers: NotRequired[SourceNumbers]
    skipped: NotRequired[list[Span]]
    program: NotRequired[list[ProgramLine]]
