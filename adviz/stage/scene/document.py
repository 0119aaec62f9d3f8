"""The Scene as typed data: one JSON document, the only contract between Python and the front end.

This module, :mod:`~adviz.stage.scene.panels`, the two of :mod:`~adviz.stage.scene.algebra`,
:mod:`~adviz.stage.scene.flow_panel` and :mod:`~adviz.stage.scene.node_details` are its one text:
:mod:`~adviz.stage.scene.schema` checks documents by it, and ``python widgets/scene_types.py`` writes the readers of the
front end from it, and with them its types.

Lists of fixed length are annotated ``Annotated[list[...], tuple[...]]``: a list in Python, checked entry by entry.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeGuard

from .algebra_panels import (
    DependenciesPanel,
    EliminationPanel,
    ExpressionsPanel,
    ExtendedPanel,
    LevelsPanel,
    OutlinePanel,
)
from .flow_panel import BenchPanel, CodePanel, FlowPanel, NudgePanel, ResultPanel
from .panels import (
    Formula,
    FormulaPanel,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MetersPanel,
    SizesPanel,
    SourceFile,
    Span,
    TablePanel,
    TapePanel,
)

# ---- the source that a graph comes from ----


class SourceFiles(TypedDict):
    files: list[SourceFile]


class Block(TypedDict):
    name: str
    family: str
    symbol: str


class Tables(TypedDict):
    """What columns refer to by number; ``names`` has the names of nodes by their numbers.

    ``scope_groups`` are the scopes that are made alike, each with its name and the group around it, or -1;
    ``iterations`` are those of a loop with equal contents, each with its name and the path of its loop.
    """

    blocks: list[Block]
    scope_labels: list[str]
    spans: list[Span]
    names: dict[str, str]
    shapes: NotRequired[list[str]]
    dtypes: NotRequired[list[str]]
    scope_groups: NotRequired[list[Annotated[list[Any], tuple[str, int]]]]
    iterations: NotRequired[list[Annotated[list[Any], tuple[str, str]]]]


ColumnType = Literal["u8", "u16", "u32", "i32", "f32", "f64"]


class ColumnEntry(TypedDict):
    """Where a column lies in the buffer: its first byte, and how many entries it has."""

    name: str
    type: ColumnType
    offset: int
    length: int


# ---- what an Explorer has beside its graph ----


class FunctionPanel(TypedDict):
    """The functions a program was compiled from; ``span_of`` has for each node its place among ``spans``, or -1."""

    id: str
    kind: Literal["function"]
    files: list[SourceFile]
    spans: list[Span]
    span_of: list[int]


class ComparedGraph(TypedDict):
    """One of two graphs that are compared: what it is called, and its source; the column of its spans has its nodes."""

    label: str
    title: str
    files: list[SourceFile]
    spans: list[Span]


class DifferenceGroup(TypedDict):
    """Differences of which the same is said; of many, ``nodes`` are the first."""

    words: str
    count: int
    nodes: list[int]


class DifferenceKind(TypedDict):
    """A kind of differences: ``bit`` is set in the column of the nodes that differ so; ``sign`` marks them, if any."""

    kind: str
    sign: str
    bit: int
    words: str
    count: int
    groups: list[DifferenceGroup]
    more: int


class ComparisonPanel(TypedDict):
    """Two graphs that are laid over each other: their sizes before and after, what differs, and what is in both."""

    id: str
    kind: Literal["comparison"]
    before: ComparedGraph
    after: ComparedGraph
    sizes: list[Annotated[list[Any], tuple[str, float, float]]]
    kinds: list[DifferenceKind]
    note: str


class DifferentiableOutput(TypedDict):
    """A number that can be differentiated: an output, or the entry of one at ``place``, row by row."""

    node: int
    place: int | None
    label: str


class DerivativesPanel(TypedDict):
    """The outputs whose derivatives can be shown, and the one that is shown at first; ``why`` says why there are none.

    The adjoints themselves come when they are asked for.
    """

    id: str
    kind: Literal["derivatives"]
    outputs: list[DifferentiableOutput]
    chosen: int | None
    why: str | None


# ---- steps ----

Edit = Annotated[list[Any], tuple[str, Any, Any]]
"""A key of the stage, and its value before and after; ``None`` where there is none."""

EdgeOf = Annotated[list[int], tuple[int, int, int]]
"""An edge that something travels along: head, operand, and which operand of the head it is."""


CostName = Literal["multiplications", "additions", "comparisons", "visits"]


class Cost(TypedDict):
    """``visits`` counts the nodes that are visited; several where moves are folded into one step."""

    multiplications: int
    additions: int
    comparisons: int
    visits: int


class Product(TypedDict):
    """The product of two labels, that of the head and that of the tail; ``fresh`` where it makes a new edge."""

    factors: Annotated[list[str], tuple[str, str]]
    result: str
    fresh: bool


Merge = TypedDict("Merge", {"from": str, "into": str})  # two nodes of a line graph with the same neighbors become one


class Part(TypedDict):
    """What a step is to one run.

    A coarse step has as ``whole`` its sentence where it is made of several steps.
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
    caption: str
    whole: NotRequired[str]
    product: NotRequired[Product | None]
    merge: NotRequired[Merge | None]


TextMark = Annotated[list[Any], tuple[int, int, int | None]]
"""From where to where a text is mathematics, in units of UTF-16: a result with its sign, or ``None`` for a formula."""


class Question(TypedDict):
    """Asked before a step reveals the answer; ``marks`` say which parts of the prompt are mathematics.

    ``diagnoses`` are wrong answers, each with a sentence that says what was probably mistaken. ``edge``, as
    ``head/place``, and ``nodes`` are what is asked about; an edge does not show its local partial meanwhile.
    """

    kind: Literal["number", "node", "choice"]
    prompt: str
    marks: NotRequired[list[TextMark]]
    answer: float | str
    choices: NotRequired[list[str]]
    tolerance: NotRequired[float]
    hint: str
    diagnoses: NotRequired[list[Annotated[list[Any], tuple[float | str, str]]]]
    edge: NotRequired[str]
    nodes: NotRequired[list[int]]


class Rest(TypedDict):
    """What is said where a show rests that does not stop at every move of the engine; ``name`` is short.

    ``marks`` say which parts of the caption are mathematics, ``named`` which of the name, each in their order.
    """

    name: str
    named: NotRequired[list[TextMark]]
    caption: str
    marks: NotRequired[list[TextMark]]
    formula: Formula | None
    nodes: list[int]
    question: Question | None


class Rests(TypedDict):
    """The levels at which a show rests after a step: for each line of the function, each node, or each edge.

    ``inner`` is what is said inside of lines that consist of lines: first those in lines, then those in these.
    """

    lines: NotRequired[Rest]
    inner: NotRequired[list[Rest | None]]
    nodes: NotRequired[Rest]
    edges: NotRequired[Rest]


class Step(Part):
    """A step of a show.

    A coarse step begins where ``coarse`` says so.
    Where runs advance together, ``parts`` say what the step is to each; its own fields are those of the first.
    """

    focus: list[str]
    edits: list[Edit]
    coarse: bool
    moves: NotRequired[int]
    question: Question | None
    parts: NotRequired[list[Part]]
    rests: NotRequired[Rests]


# ---- what the reader may do ----


class Matrix(TypedDict):
    """A small matrix, row by row."""

    shape: Annotated[list[int], tuple[int, int]]
    data: list[float]


Label = float | Matrix  # the label of an edge


class Optimum(TypedDict):
    """What the cheapest order takes."""

    cost: int
    proved: bool
    lower_bound: float


Technique = Literal["vertex", "edge", "face"]


class Own(TypedDict):
    """What the reader's own order starts from, and is measured against.

    ``rows`` and ``columns`` say how many of the Jacobian belong to each output and to each input; ``texts`` are what
    Python calls the vertices, where that is not their numbers.
    """

    technique: Technique
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


RunKind = Literal["forward", "reverse", "evaluation", "ops"]


class Run(TypedDict):
    id: str
    label: str
    kind: RunKind


class Input(TypedDict):
    """A number of the program that may be changed."""

    name: str
    node: int
    value: float
    min: float
    max: float


# ---- memory ----


class MemoryBlock(TypedDict):
    """A value in its bytes, from one place in the running order to another; both included.

    ``before`` is the block that had the bytes before it, by its place among all; ``in_place`` says that they were taken
    over while that was read.
    """

    node: int | None
    name: str
    first: int
    last: int
    offset: int
    bytes: int
    before: NotRequired[int]
    in_place: NotRequired[bool]


class MemoryLayout(TypedDict):
    """What one method takes; ``words`` say how it works."""

    method: str
    words: str
    bytes: int
    blocks: list[MemoryBlock]


class MemoryPanel(TypedDict):
    """Bytes over the running order, by several methods.

    ``running`` are the names of what runs, ``at`` how many of these are done after each cursor. ``peak`` is the place
    in the running order where most bytes live, which are ``bound``.
    """

    id: str
    kind: Literal["memory"]
    run: str
    running: list[str]
    at: list[int]
    layouts: list[MemoryLayout]
    chosen: int
    peak: int
    bound: int


# ---- the documents ----

Panel = (
    GraphPanel
    | FlowPanel
    | CodePanel
    | ResultPanel
    | NudgePanel
    | FunctionPanel
    | ComparisonPanel
    | LinesPanel
    | SizesPanel
    | DerivativesPanel
    | TapePanel
    | TablePanel
    | MatrixPanel
    | FormulaPanel
    | BenchPanel
    | MetersPanel
    | MemoryPanel
    | EliminationPanel
    | ExtendedPanel
    | ExpressionsPanel
    | OutlinePanel
    | LevelsPanel
    | DependenciesPanel
)


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

    ``start`` is on stage before the first step, where that is more than what the steps touch; ``opening`` is said then.
    ``invitation`` is said before the first step of a show without an opening, in place of how to begin.
    ``own`` lets the reader make an order; ``why_not_own`` says why that is impossible, and what to write to make it
    possible.
    """

    runs: list[Run]
    inputs: list[Input]
    teach: bool
    start: NotRequired[dict[str, Any]]
    opening: NotRequired[Rest]
    invitation: NotRequired[str]
    own: NotRequired[Own | None]
    why_not_own: NotRequired[str | None]


def is_show(scene: Scene) -> TypeGuard[Show]:
    """Return whether a Scene is that of a show, which has runs."""
    return bool(scene.get("runs"))


# ---- where a show rests ----


def coarsest(show: Show | Mapping[str, Any]) -> str:
    """Return the level at which a show opens: line by line, where it is told so, or else node by node.

    >>> coarsest({"steps": [{"rests": {"lines": {"name": "seed"}}}, {}]}), coarsest({"steps": [{}]})
    ('lines', 'nodes')
    """
    return "lines" if any("lines" in step.get("rests", ()) for step in show["steps"]) else "nodes"


def keyframes(show: Show | Mapping[str, Any], level: str = "nodes") -> Iterator[tuple[int, Rest]]:
    """Yield the numbers of the steps after which a show rests at a level, with what is said there.

    >>> list(keyframes({"steps": [{"rests": {"edges": {"name": "seed"}}}, {}]}, "edges"))
    [(0, {'name': 'seed'})]
    """
    for number, step in enumerate(show["steps"]):
        if keyframe := step.get("rests", {}).get(level):
            yield number, keyframe
