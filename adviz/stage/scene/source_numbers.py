"""What stands beside a sweep as typed data: the source with numbers, the result, and a nudge of an input.

Values, derivatives and the moves that tell when they arrive are in the panel :class:`~.flow_panel.FlowPanel`; these
panels say where a reader finds them again.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

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
    word: Literal["adjoint", "tangent"]
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


Nudge = Annotated[list[Any], tuple[str, str, str, float, float | None, float]]
"""How far an input is moved, what the derivative says of the change and what it really is ("" where there is no value),
and in the plot the place of the input, of the real value and of what the derivative says.
"""


class NudgedInput(TypedDict):
    """A function along one input, as a plot of 320 × 110 px: its curve, its tangent, and the nudges from left to right.

    ``change`` is how the change of the input is written, ``symbol`` the derivative, which is that of ``node``. Between
    the two places in ``reach``, counted from the middle, the function has values throughout; ``first`` is the nudge to
    begin with.
    """

    name: str
    change: str
    symbol: str
    node: int
    curve: str
    tangent: str
    nudges: list[Nudge]
    reach: Annotated[list[int], tuple[int, int]]
    first: int


class NudgePanel(TypedDict):
    """How the result changes with each input: what the derivative says, and what really happens.

    ``change`` is how the change of the result is written.
    """

    id: str
    kind: Literal["nudge"]
    run: str
    change: str
    inputs: list[NudgedInput]


class CodePanel(TypedDict):
    """The source of the graph."""

    id: str
    kind: Literal["code"]
    numbers: NotRequired[SourceNumbers]
