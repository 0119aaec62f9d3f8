"""The panels of an elimination as typed data: its two graphs in one picture, and the extended Jacobian."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

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
