"""The Scene as typed data: one JSON document, the only contract between Python and the front end.

This is its one text: :mod:`~adviz.stage.scene.schema` checks documents by it, and ``python widgets/scene_types.py``
writes the types and the readers of the front end from it.

Lists of fixed length are annotated ``Annotated[list[...], tuple[...]]``: a list in Python, checked entry by entry.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

# ---- the source that a graph comes from ----


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


class SourceFiles(TypedDict):
    files: list[SourceFile]


class Block(TypedDict):
    name: str
    family: str
    symbol: str


class Tables(TypedDict):
    """What columns refer to by number; ``names`` has the names of nodes by their numbers."""

    blocks: list[Block]
    scope_labels: list[str]
    spans: list[Span]
    names: dict[str, str]


ColumnType = Literal["u8", "u16", "u32", "i32", "f32", "f64"]


class ColumnEntry(TypedDict):
    """Where a column lies in the buffer: its first byte, and how many entries it has."""

    name: str
    type: ColumnType
    offset: int
    length: int


# ---- panels ----

Bezier = Annotated[list[float], ("minItems", 8)]
"""A chain of cubic Bezier curves, flat: x, y of the start, and then three points for each curve."""


class UnplacedItem(TypedDict):
    """A node, or a folded scope, which ``span`` tells; ``room`` is a height kept free for what a run writes there."""

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


class UnplacedBox(UnplacedItem):
    """An item with its size."""

    w: float
    h: float


class Item(UnplacedBox):
    """An item with the center of its box."""

    x: float
    y: float


class UnplacedEdge(TypedDict):
    key: str
    tail: str
    head: str
    count: int
    kind: str


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


class UnplacedGraphPanel(TypedDict):
    """An opened scope before it has a layout."""

    id: str
    kind: Literal["graph"]
    scope: int
    path: list[ScopeLabel]
    siblings: Siblings | None
    direction: NotRequired[str]
    note: str | None
    nodes: list[UnplacedItem]
    edges: list[UnplacedEdge]
    run: NotRequired[str]


class GraphPanel(TypedDict):
    """An opened scope, placed; in a show it has the state of a run."""

    id: str
    kind: Literal["graph"]
    scope: int
    path: list[ScopeLabel]
    siblings: Siblings | None
    direction: NotRequired[str]
    width: float
    height: float
    note: str | None
    nodes: list[Item]
    edges: list[Edge]
    run: NotRequired[str]


class CodePanel(TypedDict):
    """The source of the graph."""

    id: str
    kind: Literal["code"]


class FunctionPanel(TypedDict):
    """The functions a program was compiled from; ``span_of`` has for each node its place among ``spans``, or -1."""

    id: str
    kind: Literal["function"]
    files: list[SourceFile]
    spans: list[Span]
    span_of: list[int]


class BlockCount(TypedDict):
    block: int
    count: int


class UseCount(TypedDict):
    """How many nodes are used ``uses`` to ``upto`` times."""

    uses: int
    upto: int
    count: int


class NodeUses(TypedDict):
    node: int
    uses: int
    label: str


class ScopeCount(TypedDict):
    scope: int
    count: int


class SizesPanel(TypedDict):
    """The sizes of a graph at a glance."""

    id: str
    kind: Literal["sizes"]
    nodes: int
    edges: int
    depth: int
    width: int
    bytes: float
    dead: int
    inputs: int
    outputs: int
    literals: int
    blocks: list[BlockCount]
    uses: list[UseCount]
    most_used: list[NodeUses]
    scopes: list[ScopeCount]


class TapeRow(TypedDict):
    node: int
    label: str
    detail: str
    dead: bool


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


class EliminationNode(TypedDict):
    """A vertex of a c-graph, or a node of its line graph; ``thing`` is its number "3", or the edge "1.3" it stands for.

    ``node`` is the node of the traced program, ``name`` what it is called where its label is not its own.
    """

    key: str
    thing: str
    role: Literal["input", "intermediate", "output", "source", "sink", "edge"]
    label: str
    detail: str
    x: float
    y: float
    w: float
    h: float
    node: NotRequired[int]
    name: NotRequired[str]


class EliminationEdge(TypedDict):
    """An edge with the place of its label, or a face with the vertex it passes through."""

    key: str
    thing: str
    tail: str
    head: str
    points: Bezier
    at: NotRequired[Annotated[list[float], tuple[float, float]]]
    via: NotRequired[str]


class EliminationPanel(TypedDict):
    """A c-graph or its line graph, with all that will ever be there.

    A large line graph is ``folded``: its vertices stand for bicliques, and its edges for nodes.
    """

    id: str
    kind: Literal["elimination"]
    run: str
    side: Literal["cgraph", "linegraph"]
    folded: NotRequired[bool]
    direction: Literal["data flow", "dependence"]
    width: float
    height: float
    note: str | None
    nodes: list[EliminationNode]
    edges: list[EliminationEdge]


Panel = (
    GraphPanel
    | CodePanel
    | FunctionPanel
    | SizesPanel
    | TapePanel
    | TablePanel
    | MatrixPanel
    | FormulaPanel
    | MetersPanel
    | EliminationPanel
)

# ---- steps ----

Edit = Annotated[list[Any], tuple[str, Any, Any]]
"""A key of the stage, and its value before and after; ``None`` where there is none."""

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

EdgeOf = Annotated[list[int], tuple[int, int, int]]
"""An edge that something travels along: head, operand, and which operand of the head it is."""


class Cost(TypedDict):
    """``visits`` counts the nodes whose turn it was; several where moves are folded into one step."""

    multiplications: int
    additions: int
    comparisons: int
    visits: int


class Product(TypedDict):
    """The product of two labels, that of the head and that of the tail; ``fresh`` where it makes a new edge."""

    factors: Annotated[list[str], tuple[str, str]]
    result: str
    fresh: bool


Merge = TypedDict("Merge", {"from": str, "into": str})
"""Two nodes of a line graph with the same neighbors become one."""


class Part(TypedDict):
    """What a step is to one run.

    ``bytes`` are what the run keeps alive after the step, ``peak`` the most it has kept alive up to here, also between
    moves that are folded into one step. Keys of ``product`` and ``merge`` come without the run.
    """

    run: str
    kind: str
    node: int | None
    edge: EdgeOf | None
    formula: Formula | None
    cost: Cost
    bytes: float
    peak: float
    product: NotRequired[Product | None]
    merge: NotRequired[Merge | None]


class Question(TypedDict):
    """Asked before a step reveals the answer."""

    kind: Literal["number", "node", "choice"]
    prompt: str
    answer: float | str
    choices: NotRequired[list[str]]
    tolerance: NotRequired[float]
    hint: str


class Step(Part):
    """A step of a show.

    A coarse step begins where ``coarse`` says so, and ``whole`` is its sentence where it is made of several steps.
    Where runs advance together, ``parts`` say what the step is to each; its own fields are those of the first.
    """

    caption: str
    focus: list[str]
    edits: list[Edit]
    coarse: bool
    whole: NotRequired[str]
    moves: NotRequired[int]
    question: Question | None
    parts: NotRequired[list[Part]]


# ---- what the reader may do ----


class Matrix(TypedDict):
    """A small matrix, row by row."""

    shape: Annotated[list[int], tuple[int, int]]
    data: list[float]


Label = float | Matrix
"""The label of an edge."""


class Optimum(TypedDict):
    """What the cheapest order takes."""

    cost: int
    proved: bool
    lower_bound: float


class Own(TypedDict):
    """What the reader's own order starts from, and is measured against.

    ``rows`` and ``columns`` say how many of the Jacobian belong to each output and to each input; ``texts`` are what
    Python calls the vertices, where that is not their numbers.
    """

    technique: Literal["vertex", "edge", "face"]
    sizes: list[int]
    inputs: list[int]
    outputs: list[int]
    rows: list[int]
    columns: list[int]
    edges: list[Annotated[list[Any], tuple[int, int, Label]]]
    count: Literal["scalar", "block", "sparse"]
    units: bool
    optimum: Optimum | None
    names: list[str]
    texts: NotRequired[list[str]]


class Run(TypedDict):
    id: str
    label: str
    kind: Literal["forward", "reverse", "evaluation"]


class Input(TypedDict):
    """A number of the program that may be changed."""

    name: str
    node: int
    value: float
    min: float
    max: float


# ---- the documents ----


class Scene(TypedDict):
    """A graph for the Explorer; with runs it is a :class:`Show`."""

    version: Literal[1]
    title: str
    panels: list[Panel]
    steps: list[Step]
    source: SourceFiles
    tables: Tables
    columns: list[ColumnEntry]


class Show(Scene):
    """A Scene for the Player; what is on stage has keys "run/what/node" or "run/what/node/place".

    ``start`` is on stage before the first step, where that is more than what the steps touch. ``own`` lets the reader
    make an order; ``why_not_own`` says why that is impossible, and what to write to make it possible.
    """

    runs: list[Run]
    inputs: list[Input]
    teach: bool
    start: NotRequired[dict[str, Any]]
    own: NotRequired[Own | None]
    why_not_own: NotRequired[str | None]


# ---- what the inspector shows of a node ----


class Origin(TypedDict):
    """Where a node comes from in the user's source."""

    file: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    path: str


class Histogram(TypedDict):
    low: float
    high: float
    counts: list[int]


class Figures(TypedDict):
    """Range, mean and norm of the finite entries of an array, and the number of those that are not finite.

    ``sample`` says from how many entries mean, norm and histogram are estimated, if not from all, and ``note`` says so
    in words.
    """

    min: NotRequired[float | None]
    max: NotRequired[float | None]
    mean: NotRequired[float | None]
    norm: NotRequired[float | None]
    nan: NotRequired[int]
    inf: NotRequired[int]
    histogram: NotRequired[Histogram | None]
    sample: NotRequired[int]
    note: NotRequired[str]


class Value(Figures):
    """A value, written out where it is short; of an array also its figures."""

    shape: list[int]
    dtype: str
    bytes: int
    text: str | None


class LocalJacobian(TypedDict):
    structure: str
    shape: list[int]
    nonzeros: int
    rule: str
    text: str | None


class NodeOperand(TypedDict):
    node: int
    label: str
    jacobian: LocalJacobian | None


class LiteralOperand(TypedDict):
    literal: str


class User(TypedDict):
    node: int
    label: str
    times: int


class Detail(TypedDict):
    """All about one node."""

    node: int
    block: str
    family: str
    name: str | None
    formula: str
    times_used: int
    live: bool
    scope: str
    origin: Origin | None
    value: Value | None
    operands: list[NodeOperand | LiteralOperand]
    users: list[User]
    users_total: int
