"""What stands beside a sweep as typed data: the source with numbers, the result, and a nudge of an input.

Values, derivatives and the moves that tell when they arrive are in the panel :class:`~.flow_panel.FlowPanel`; these
panels say where a reader finds them again.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .panels import Span

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
