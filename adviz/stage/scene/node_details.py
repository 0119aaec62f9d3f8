"""What the inspector shows of a node, as typed data."""

from typing import NotRequired, TypedDict

from .panels import HeatMap


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
    """A value, written out where it is short; of an array also its figures, and its entries as a heat map."""

    shape: list[int]
    dtype: str
    bytes: int
    text: str | None
    map: NotRequired[HeatMap]


class JacobianPart(TypedDict):
    """Something that is known of a Jacobian with structure, such as its diagonal: in words, and as numbers."""

    label: str
    text: str | None
    map: NotRequired[HeatMap]


class LocalJacobian(TypedDict):
    """The local partial derivative: what it is of, its ``symbol`` from the rule, what its structure consists of."""

    structure: str
    shape: list[int]
    nonzeros: int
    rule: str
    symbol: str | None
    text: str | None
    parts: list[JacobianPart]


class Adjoints(TypedDict):
    """The derivatives of one output with respect to all nodes.

    ``numbers`` are those of the nodes that are numbers, as little-endian float64 in base64; ``maps`` those of arrays,
    by the keys of their items. An array that is in neither was left out, and ``note`` says so.
    """

    numbers: str
    maps: dict[str, HeatMap]
    note: str | None


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
    """All about one node; ``called`` is its name or its expression in the source, or else its number.

    ``differences`` say what differs where two graphs are compared.
    """

    node: int
    block: str
    family: str
    name: str | None
    called: str
    formula: str
    times_used: int
    live: bool
    scope: str
    origin: Origin | None
    value: Value | None
    operands: list[NodeOperand | LiteralOperand]
    users: list[User]
    users_total: int
    differences: NotRequired[list[str]]
