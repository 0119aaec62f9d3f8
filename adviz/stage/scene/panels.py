"""The panels of a Scene as typed data: a graph, its source and sizes, and what a show has beside them."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict


class SourceFile(TypedDict):
    """A function of the user: its text, and the number of its first line."""

    name: str
    path: str
    line: int
    text: str


Span = Annotated[list[Any], tuple[int, int, int, int, int, str | None]]
"""A sub-expression: file, line, column, end line, end column, and the name it is assigned to.

Columns count characters from 0, the end is exclusive.
"""


Bezier = Annotated[list[float], ("minItems", 8)]
"""A chain of cubic Bezier curves, flat: x, y of the start, and then three points for each curve."""


Formula = Annotated[
    list[Any],
    tuple[Literal["row"], *tuple["Formula", ...]]
    | tuple[Literal["id"], str]
    | tuple[Literal["num"], str]
    | tuple[Literal["op"], str]
    | tuple[Literal["text"], str]
    | tuple[Literal["sub"], "Formula", "Formula"]
    | tuple[Literal["bar"], "Formula"]
    | tuple[Literal["dot"], "Formula"]
    | tuple[Literal["frac"], "Formula", "Formula"]
    | tuple[Literal["matrix"], list[list["Formula"]]],
]
"""Arithmetic as data, which becomes MathML or a drawing."""


class HeatMap(TypedDict):
    """The numbers of an array as a matrix: all rows and columns, or some, evenly spaced.

    ``data`` has the entries at ``rows`` and ``columns``, row by row; those that are not finite are texts. ``scale`` is
    the largest magnitude of the finite entries of the whole array; the color of a cell is its share of it.
    """

    shape: list[int]
    rows: list[int]
    columns: list[int]
    data: list[float | str]
    scale: float


class ItemSide(TypedDict):
    """What an item is in one of two graphs that are compared."""

    label: str
    detail: str
    uses: int


class Change(TypedDict):
    """How an item differs in two graphs: in a folded scope may be several; ``sign`` says it without color."""

    state: Literal["added", "removed", "changed", "mixed"]
    sign: str


class UnplacedItem(TypedDict):
    """A node, or a folded scope, which ``span`` tells; ``room`` is a height kept free for what a run writes there.

    ``beside`` is a width kept free for the adjoint beside the value, and ``map`` has the numbers of an array. Of an op
    ``sort`` says what it is where that is not an operation, and ``derived`` that it is a part of a derivative.
    Of two graphs laid over each other ``sides`` says what it is in either, and ``change`` how it differs.
    """

    key: str
    kind: Literal["input", "output", "block", "scope", "outside"]
    label: str
    detail: str
    family: str
    node: int | None
    span: Annotated[list[int], tuple[int, int]] | None
    count: int
    repeat: int
    uses: int
    dead: bool
    title: str
    room: NotRequired[float]
    beside: NotRequired[float]
    map: NotRequired[HeatMap]
    sort: NotRequired[Literal["storage", "constant", "assign", "order"]]
    derived: NotRequired[bool]
    sides: NotRequired[Annotated[list[ItemSide | None], tuple[ItemSide | None, ItemSide | None]]]
    change: NotRequired[Change]


class UnplacedBox(UnplacedItem):
    """An item with its size."""

    w: float
    h: float


class Item(UnplacedBox):
    """An item with the center of its box."""

    x: float
    y: float


class UnplacedEdge(TypedDict):
    """An edge, which stands for ``count`` uses: ``kind`` is "data", or "returned" where values are only returned.

    In an op graph "control" leads from what must run before, "initializer" from what is stored before all else, and
    "target" from storage to what stores in it: the arrow is at its tail. ``sides`` are the counts in two graphs that
    are laid over each other, where they are not the same.
    """

    key: str
    tail: str
    head: str
    count: int
    kind: str
    sides: NotRequired[Annotated[list[int], tuple[int, int]]]


class Edge(UnplacedEdge):
    points: Bezier


class Siblings(TypedDict):
    """Repeated iterations: sibling k, from 0, is the scope ``first + k * stride``; the opened one is ``index``."""

    index: int
    first: int
    stride: int
    count: int


class ScopeLabel(TypedDict):
    scope: int
    label: str


class UnplacedGroup(TypedDict):
    """Items in a box with a label: ``nodes`` by their places, also those of boxes inside.

    ``parent`` is the box around it, by its place among the boxes, or -1. ``composite`` says that it can be folded.
    """

    label: str
    parent: int
    nodes: list[int]
    composite: NotRequired[bool]


class Group(UnplacedGroup):
    """A box with its upper left corner."""

    x: float
    y: float
    w: float
    h: float


class OpenedScope(TypedDict):
    """A scope whose nodes are seen; ``path`` leads to it from the whole graph."""

    id: str
    kind: Literal["graph"]
    scope: int
    path: list[ScopeLabel]
    siblings: Siblings | None
    direction: NotRequired[str]
    note: str | None
    run: NotRequired[str]


class UnplacedGraphPanel(OpenedScope):
    """An opened scope before it has a layout."""

    nodes: list[UnplacedItem]
    edges: list[UnplacedEdge]
    groups: NotRequired[list[UnplacedGroup]]


class PlacedScope(OpenedScope):
    """An opened scope, placed."""

    width: float
    height: float
    nodes: list[Item]
    edges: list[Edge]
    groups: NotRequired[list[Group]]


class GraphPanel(PlacedScope):
    """An opened scope, placed; in a show it has the state of a run, in the Explorer the sizes of the scope.

    Where composite ops of ops are folded, the picture of all ops is ``opened``.
    """

    sizes: NotRequired["SizesPanel"]
    opened: NotRequired[PlacedScope]


class FlowBox(TypedDict):
    """What is one box as long as it is closed: the line, the nodes inside, and those of them that are left then.

    Boxes inside of others come after these. ``loop`` says of iterations which loop they are of, the first and the last.
    """

    loop: NotRequired[Annotated[list[int], tuple[int, int, int]]]
    label: str
    inside: list[int]
    exits: list[int]


class NamedValue(TypedDict):
    """A node with its name in the source and its value, or the shape of an array, each followed by its width."""

    node: int
    name: Annotated[list[str | float], tuple[str, float]]
    value: Annotated[list[str | float], tuple[str, float]]
    map: NotRequired[HeatMap]


class LinesPanel(TypedDict):
    """A graph in which each statement of the function is one box; the front end places it.

    ``nodes`` are what is left while all boxes are closed, and what is inside of those that can be opened.
    """

    id: str
    kind: Literal["lines"]
    nodes: list[NamedValue]
    boxes: list[FlowBox]


class UseCount(TypedDict):
    """How many nodes are used ``uses`` to ``upto`` times."""

    uses: int
    upto: int
    count: int


class NodeUses(TypedDict):
    node: int
    uses: int
    label: str


class Held(TypedDict):
    """What is in memory: a value or an adjoint, the node that it belongs to, and its bytes."""

    node: int
    what: str
    bytes: float


class Peak(TypedDict):
    """The most bytes that are in memory at once, while a graph is evaluated or also differentiated.

    They are reached at ``node``, in the reverse sweep if ``back``; ``count`` nodes hold them, of which ``nodes`` has
    the largest and ``holders`` some more about the first of those.
    """

    gradient: bool
    bytes: float
    node: int
    back: bool
    count: int
    nodes: list[int]
    holders: list[Held]


class SizesPanel(TypedDict):
    """The sizes of a graph, or of a scope of it, at a glance; ``peaks`` are those of a whole graph."""

    id: str
    kind: Literal["sizes"]
    scope: NotRequired[int]
    nodes: int
    edges: int
    depth: int
    width: int
    bytes: float
    dead: int
    inputs: int
    outputs: int
    literals: int
    uses: list[UseCount]
    most_used: list[NodeUses]
    peaks: NotRequired[list[Peak]]


class TapeRow(TypedDict):
    """A node; ``title`` says what its label does not."""

    node: int
    label: str
    detail: str
    dead: bool
    title: NotRequired[str]


class TapePanel(TypedDict):
    """The Wengert list of a run, top to bottom."""

    id: str
    kind: Literal["tape"]
    run: str
    rows: list[TapeRow]


class TableColumn(TypedDict):
    what: str
    label: str


class TableRow(TypedDict):
    node: int
    label: str
    title: NotRequired[str]


class TablePanel(TypedDict):
    """The evaluation trace of a run: for each node what is on stage under some words, such as "value" or "tangent"."""

    id: str
    kind: Literal["table"]
    run: str
    columns: list[TableColumn]
    rows: list[TableRow]


class MatrixPanel(TypedDict):
    """A Jacobian as it fills; of each row and of each column the node whose entry it is."""

    id: str
    kind: Literal["matrix"]
    run: str
    rows: list[str]
    columns: list[str]
    row_nodes: NotRequired[list[int | None]]
    column_nodes: NotRequired[list[int | None]]
    label: str


class FormulaPanel(TypedDict):
    """The arithmetic of each step."""

    id: str
    kind: Literal["formula"]


class Reference(TypedDict):
    """The work of another order, or a bound on that of every order."""

    label: str
    multiplications: float
    kind: Literal["forward", "reverse", "markowitz", "optimum", "bound"]


class MetersPanel(TypedDict):
    """The work of each run."""

    id: str
    kind: Literal["meters"]
    references: NotRequired[list[Reference]]
