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

    ``parent`` is the box around it, by its place among the boxes, or -1. ``compound`` says that it can be folded.
    """

    label: str
    parent: int
    nodes: list[int]
    compound: NotRequired[bool]


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

    Where compounds of ops are folded, the picture of all ops is ``opened``.
    """

    sizes: NotRequired["SizesPanel"]
    opened: NotRequired[PlacedScope]


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


Role = Literal["input", "intermediate", "output"]
Direction = Literal["data flow", "dependence"]


class EliminationVertex(TypedDict):
    """A vertex of a c-graph: ``thing`` is its number in keys, ``index`` the one in the symbols of labels, as in c₃₁.

    ``name`` is what sentences call it; ``w`` is the width of its box. ``node`` is the node of the traced program.
    """

    thing: str
    role: Role
    label: str
    name: str
    index: str
    detail: str
    size: int
    w: float
    node: NotRequired[int]


Place = Annotated[list[Any], tuple[int, str, float, float]]
"""After so many steps of the run the center of something: of a vertex, ``vertex/3``, or of a label, ``label/1.3``."""

Reading = Literal["graph", "line graph"]


class EliminationPicture(TypedDict):
    """A c-graph and its line graph in one picture: a label of an edge stands where the node of the line graph does.

    What there is, the stage tells. A place holds until there is another of the same key; a picture that is ``fixed``
    has one ``reading`` only.
    """

    kind: Literal["elimination"]
    reading: Reading
    fixed: bool
    direction: Direction
    width: float
    height: float
    note: str | None
    vertices: list[EliminationVertex]


class EliminationPanel(EliminationPicture):
    """The picture of an elimination with the state of a run, and where everything stands after how many steps."""

    id: str
    run: str
    places: list[Place]


class ExtendedPanel(TypedDict):
    """The extended Jacobian of a large elimination with the state of a run: what there is, the stage tells."""

    kind: Literal["extended"]
    id: str
    run: str
    width: float
    height: float
    vertices: list[EliminationVertex]


class BestCost(TypedDict):
    """The fewest multiplications that are known, and whether that is proved."""

    multiplications: int
    proved: bool


WrittenPart = Annotated[list[Any], tuple[Literal["product", "sum", "letter", "reference"], int, str, str]]
"""A part of an expression: its kind, the place of the part that it belongs to among those before (-1: the whole), its
index or name, as "57" of the letter e₅₇, and the edge of the graph that it stands for, as "4.5"; "" of others."""


class WrittenRow(TypedDict):
    """An entry of the Jacobian, or a reference with the edges that stand for it, and what it is equal to.

    ``parts`` come each before those that belong to it, from left to right.
    """

    name: str
    kind: Literal["letter", "reference"]
    edges: list[str]
    parts: list[WrittenPart]


class WrittenSet(TypedDict):
    """A set of expressions, references first, and what it costs; ``page`` is the number of a page that it is of."""

    rows: list[WrittenRow]
    multiplications: int
    page: NotRequired[int]


class ExpressionsPanel(TypedDict):
    """The expressions of a graph after each step of a run, beside what Bauer's formula costs."""

    id: str
    kind: Literal["expressions"]
    run: str
    sets: list[WrittenSet]
    bauer: int
    optimum: BestCost | None


class OutlineRow(TypedDict):
    """A chain, a block or a core: how deep it is in others, what it is called, and its edges."""

    depth: int
    kind: Literal["chain", "block", "core"]
    words: str
    edges: list[str]


class OutlinePanel(TypedDict):
    """The tree of chains and blocks of a graph after each step of a run."""

    id: str
    kind: Literal["outline"]
    run: str
    trees: list[list[OutlineRow]]


LevelEntry = Annotated[list[Any], tuple[int, int, str]]
"""Row, column and text of an entry of a matrix that is not zero; "" is the 1 of a copy."""


class LevelMatrix(TypedDict):
    """The product of the local Jacobians from number ``first`` up to, but without, number ``stop``."""

    first: int
    stop: int
    rows: list[str]
    columns: list[str]
    entries: list[LevelEntry]


LevelCost = Annotated[list[int], tuple[int, int, int, int]]
"""The multiplications of two such products: first, where they meet, stop, and the count."""


class LevelsPanel(TypedDict):
    """The local Jacobians between levels, all products of neighbours, and the cheapest order of association.

    ``order`` has pairs such as ``[[0, 1], 2]``. ``why_not`` says why there are no matrices.
    """

    id: str
    kind: Literal["levels"]
    matrices: list[LevelMatrix]
    costs: list[LevelCost]
    order: Any
    best: int
    why_not: str | None


class Dependence(TypedDict):
    """Which multiplications wait for which others after a step, by place; ``cycle`` are those that wait in a circle."""

    multiplications: list[str]
    waits: list[Annotated[list[int], tuple[int, int]]]
    cycle: list[int]


class DependenciesPanel(TypedDict):
    """What waits for what among the multiplications after each step of a run."""

    id: str
    kind: Literal["dependencies"]
    run: str
    sets: list[Dependence]
