"""The picture of one sweep as typed data: values in nodes, local partials on edges, derivatives on their way.

Nodes are named by their numbers in the graph, edges by ``head/place``. A moment of the picture is a function of this
panel, of the steps between two cursors, and of how much of them has passed.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .panels import FlowBox, HeatMap


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
