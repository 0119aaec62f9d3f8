"""The panels of eliminations and of the algebra of a graph as typed data."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

# ---- the algebra ----


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


Role = Literal["input", "intermediate", "output"]
Direction = Literal["data flow", "dependence"]


class EliminationVertex(TypedDict):
    """A vertex of a c-graph: ``thing`` is its number in keys, ``index`` the one in the symbols of labels, as in c₃₁.

    ``name`` is what sentences call it; ``label_w`` is the width of the label, whose letters have ``theme.VERTEX`` px;
    documents of earlier versions have that of the box. ``node`` is the node of the traced program.
    """

    thing: str
    role: Role
    label: str
    name: str
    index: str
    detail: str
    size: int
    label_w: NotRequired[float]
    node: NotRequired[int]


Copy = Annotated[list[Any], tuple[int, str, str]]
"""After so many steps of the run, something new, as ``vertex/3`` or ``label/1.3``, and what it comes out of."""

Reading = Literal["graph", "line graph"]


class EliminationPanel(TypedDict):
    """A c-graph and its line graph in one picture: a label of an edge stands where the node of the line graph does.

    What there is, the stage of the run tells. A picture that is ``fixed`` has one ``reading`` only.
    """

    kind: Literal["elimination"]
    id: str
    run: str
    reading: Reading
    fixed: bool
    direction: Direction
    vertices: list[EliminationVertex]
    copies: NotRequired[list[Copy]]


class ExtendedPanel(TypedDict):
    """The extended Jacobian of a large elimination with the state of a run: what there is, the stage tells."""

    kind: Literal["extended"]
    id: str
    run: str
    vertices: list[EliminationVertex]
