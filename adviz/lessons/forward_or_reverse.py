"""The lesson "Forward or reverse?": the same products in two directions, and how many sweeps each of them takes."""

from ..jupyter.elimination_player import show_elimination
from ..jupyter.player import Player
from ..jupyter.sweep_players import show_backward, show_forward
from .plans import Exercises, Part, Plan, Question, Scene, WrongProgram, written

PANELS = ("graph", "code", "formula")
FILLING = ("graph", "matrix", "formula")

CHAIN = """
def f(x):
    return np.exp(np.sin(x))
"""
TWO_INPUTS = """
def f(x, y):
    return x * np.exp(y) + y
"""
THREE_INPUTS = """
def f(x, y, z):
    return x * y + np.sin(y) * z
"""
CURVE = """
def curve(t):
    return np.cos(t), np.sin(t), t**2
"""
WAIST = """
def f(x, y, z):
    s = x * y * z
    return np.sin(s), np.exp(s), s**2
"""


def chain_forward() -> Player:
    """A chain in forward mode."""
    return show_forward(written(CHAIN), 0.5, panels=PANELS)


def chain_backward() -> Player:
    """The same chain in reverse mode."""
    return show_backward(written(CHAIN), 0.5, panels=PANELS)


def first_direction() -> Player:
    """The derivative with respect to the first input."""
    return show_forward(written(TWO_INPUTS), 2.0, 0.5, direction=(1.0, 0.0), panels=PANELS)


def any_direction() -> Player:
    """A directional derivative."""
    return show_forward(written(TWO_INPUTS), 2.0, 0.5, direction=(3.0, -1.0), panels=PANELS)


def sweep_per_input() -> Player:
    """Three forward sweeps fill a row of three entries."""
    return show_forward(written(THREE_INPUTS), 2.0, 0.5, 3.0, jacobian=True, panels=FILLING)


def one_sweep_back() -> Player:
    """One backward sweep fills it."""
    return show_backward(written(THREE_INPUTS), 2.0, 0.5, 3.0, panels=PANELS)


def curve_forward() -> Player:
    """One forward sweep fills a column of three entries."""
    return show_forward(written(CURVE), 0.5, jacobian=True, panels=FILLING)


def curve_backward() -> Player:
    """A backward sweep gives one of them."""
    return show_backward(written(CURVE), 0.5, seeds={0: 1.0}, panels=PANELS)


def waist() -> Player:
    """Three inputs, three results, and one value between them."""
    return show_elimination(written(WAIST), 1.0, 2.0, 0.5, order="forward")


OPENING = Part(
    "The same products, two directions",
    2,
    """The chain rule says that the derivative of a program is made of *local partial derivatives*: the derivative of
each operation with respect to each of its operands. They are multiplied along paths, and the products are added.

It does not say in which order to multiply. *Forward mode* begins at the inputs, *reverse mode* at the results. Both
give the same numbers; the work differs by factors of thousands. At the end of these 50 minutes you can say which to
take.

All first derivatives of a program with n inputs and m results form the *Jacobian*: a matrix with m rows, one for each
result, and n columns, one for each input.""",
    "Write an empty 1 × 3 and an empty 3 × 1 matrix on the board. They are filled in scenes 4 to 7.",
)

SCENES = (
    Scene(
        "A chain, forward",
        4,
        """`f = exp(sin(x))` at `x = 0.5`. Let `x` move at the rate 1. Then `sin(x)` moves at the rate
`cos x = 0.8776`, and `f` at `exp(sin(x)) = 1.6151` times that rate: `1.4174`.

The rate at which a value moves is its *tangent*, written with a dot: `v̇`. A *forward sweep* carries tangents along
with the values, operation by operation. No value is needed after its last use, so nothing has to be stored.""",
        "Let a student read each factor off its edge before the step is taken.",
        chain_forward,
        (
            Question(
                "Which number would arrive at f if x moved at the rate 10?",
                "Ten times as much, 14.17: every step multiplies, so the tangent of f is proportional to that of x.",
            ),
        ),
    ),
    Scene(
        "The same chain, backward",
        4,
        """Now begin at the result. `∂f/∂f = 1`; one operation further back `∂f/∂sin(x) = 1.6151`; and at the input
`∂f/∂x = 1.6151 · 0.8776 = 1.4174`. These numbers are called *adjoints*, written with a bar: `v̄ = ∂f/∂v`.

The factors are the same as before, and so is the product; only the order is reversed. There is a price: the sweep can
begin only when the last value is known, and it needs the values of the operands, `x` and `sin(x)`, again. They are
kept in memory.""",
        "Point to the two factors: forward 0.8776 first, backward 1.6151 first.",
        chain_backward,
        (
            Question(
                "Which values must be kept for the backward sweep?",
                "Those that local partials are computed from: x for cos x, and exp(sin(x)), or its operand, for exp.",
            ),
            Question(
                "For a chain with one input and one result, which mode is cheaper?",
                "Both take the same multiplications. Forward mode takes less memory.",
            ),
        ),
    ),
    Scene(
        "Two inputs: one of them moves",
        4,
        """`f = x·exp(y) + y` at `x = 2`, `y = 0.5`. A forward sweep needs a rate for every input, its *direction*. In
the direction `(1, 0)` only `x` moves, and `f` moves at the rate `∂f/∂x = exp(y) = 1.6487`.

Many products of this sweep have a factor 0: what depends on `y` alone stands still.""",
        "Ask for the other derivative: it is not in this picture anywhere. A second sweep, in the direction (0, 1), "
        "is needed.",
        first_direction,
        (
            Question(
                "Why is the tangent of exp(y) zero?",
                "It depends on y only, and in this direction y stands still.",
            ),
            Question("Which direction gives ∂f/∂y?", "(0, 1): only y moves. The result would be 4.2974."),
        ),
    ),
    Scene(
        "One result, three inputs: three forward sweeps",
        5,
        """`f = x·y + sin(y)·z` at `x = 2`, `y = 0.5`, `z = 3`. Its Jacobian is a single row, the gradient. Forward mode
fills it entry by entry: a sweep in the direction `(1, 0, 0)`, one in `(0, 1, 0)`, one in `(0, 0, 1)`.

In general *a forward sweep gives a column of the Jacobian*, so forward mode takes as many sweeps as there are
inputs.""",
        "Play it at high speed and have the class count the sweeps. The numbers: 0.5, 4.6327, 0.4794.",
        sweep_per_input,
        (
            Question("How many sweeps for a network with a million weights?", "A million forward sweeps."),
            Question(
                "Which work is done again in each sweep?",
                "The local partials are the same each time; so are the values, if they are not kept.",
            ),
        ),
    ),
    Scene(
        "One result, three inputs: one backward sweep",
        5,
        """The same function in reverse mode. One sweep, begun with 1 at `f`, arrives at all three inputs:
`x̄ = 0.5`, `ȳ = 4.6327`, `z̄ = 0.4794`. The input `y` is used twice and receives a sum.

In general *a backward sweep gives a row of the Jacobian*, so reverse mode takes as many sweeps as there are results.
The work of a sweep is a small multiple of that of the program itself, however many inputs there are.""",
        "The important moment: the three numbers on the board from scene 4 appear in one sweep.",
        one_sweep_back,
        (
            Question(
                "Compare the multiplications with those of scene 4.",
                "The backward sweep passes each edge once. The three forward sweeps pass each edge three times.",
            ),
        ),
    ),
    Scene(
        "One input, three results: one forward sweep",
        5,
        """A point moves along a curve: `(cos t, sin t, t²)`. There is one input, the time `t`, and there are three
results. The Jacobian is a single column, and a single forward sweep fills it: `(−0.4794, 0.8776, 1)` at `t = 0.5`. It
is the velocity of the point.""",
        "Have the class say which mode suits before the show begins.",
        curve_forward,
        (
            Question("What is the shape of the Jacobian?", "3 × 1: three results, one input."),
            Question("How many backward sweeps would it take?", "Three, one for each result."),
        ),
    ),
    Scene(
        "One input, three results: a row at a time",
        4,
        """A backward sweep over the same curve must say which result it is about. Here the first has the adjoint 1, and
the others have 0; these numbers are the *seeds*. The sweep gives `∂(cos t)/∂t = −0.4794` and nothing about the other
two: one row of the Jacobian, with a single entry.""",
        "Forward mode for tall Jacobians, reverse mode for wide ones: draw both shapes.",
        curve_backward,
        (
            Question(
                "What would the seeds (1, 1, 0) give?",
                "The derivative of cos t + sin t: −0.4794 + 0.8776 = 0.3982. Seeds form a combination of results.",
            ),
        ),
    ),
    Scene(
        "Any direction",
        5,
        """A direction need not be an axis. In the direction `(3, −1)`, `x` grows three times as fast as `y` falls. For
`f = x·exp(y) + y` one forward sweep gives the *directional derivative*

    3 · ∂f/∂x − 1 · ∂f/∂y = 3 · 1.6487 − 4.2974 = 0.6487

It is the Jacobian times a vector, without the Jacobian ever being formed: a *Jacobian-vector product*, JVP for short.
A backward sweep gives a vector times the Jacobian, a *VJP*. Programs for large systems use nothing else.""",
        "The sum appears at the sum node; each input's part can be followed through the picture.",
        any_direction,
        (
            Question(
                "You need the product of a 1,000 × 1,000 Jacobian and a vector. How many sweeps?",
                "One forward sweep, in the direction of the vector.",
            ),
        ),
    ),
    Scene(
        "Between the two",
        6,
        """`s = x·y·z`, and the results are `sin(s)`, `exp(s)` and `s²`: three inputs, three results, and a single value
through which everything goes. Three forward sweeps pass seven edges each, 21 products; three backward sweeps pass five
edges each, 15 products.

*Elimination* does it in 11. It removes one intermediate value after the other; each edge into the value is multiplied
with each edge out of it, and the products connect its predecessors with its successors. When no intermediate is left,
the labels of the edges are the Jacobian. Forward and reverse mode are two orders of elimination among many.""",
        "Three inputs and three results share the products through s. As orders of elimination, forward takes 11 "
        "products and reverse 12; the sweeps take more, since each begins anew. To find the best order is hard in "
        "general; the question is a research topic.",
        waist,
        (
            Question(
                "Why does elimination need fewer products than either mode?",
                "The products up to s are formed once for all results, and those after s once for all inputs.",
            ),
        ),
    ),
)

WRONG = WrongProgram(
    3,
    """This program is to compute the directional derivative of `f(x, y) = x·exp(y) + y` by hand, in forward mode. In
the direction `(1, 0)` it should return `1.6487`, but it returns `0.0`. Which line is wrong?""",
    """import math

def rate(x, y, dx, dy):
    e = math.exp(y)
    de = e * dy

    p = x * e
    dp = dx * de

    f = p + y
    df = dp + dy
    return df
""",
    """The rate of a product is not the product of the rates: by the product rule, `dp = dx * e + x * de`. In the
direction `(1, 0)` the wrong line multiplies by `de = 0`. In the direction `(3, −1)` it gives −5.9462 instead of 0.6487.

A nudge finds it: when `x` grows from 2 to 2.001, `f` grows by 0.0016.""",
    """import math

def rate(x, y, dx, dy):
    e = math.exp(y)
    de = e * dy

    p = x * e
    dp = dx * e + x * de

    f = p + y
    df = dp + dy
    return df
""",
)

EXERCISES = Exercises(
    2,
    "Begin with the first in class; the others are for home.",
    (
        Question(
            "Forward or reverse? (a) The loss of a network with 10⁶ weights. (b) The position of a rocket, three "
            "numbers, as a function of time. (c) 100 results of 100 inputs, and only the product of the Jacobian with "
            "one vector is needed.",
            "(a) Reverse: one result. (b) Forward: one input. (c) Forward, one sweep in the direction of the vector.",
        ),
        Question(
            "`f(x, y) = x·y + sin(x)` at `x = 1`, `y = 2`. Compute the directional derivative in the direction `(1, "
            "−1)` by a forward sweep on paper, and check it with the gradient.",
            "`x·y` moves at the rate `1·2 + 1·(−1) = 1`, `sin(x)` at `cos 1 = 0.5403`; together `1.5403`. The "
            "gradient is `(2.5403, 1)`, and `1 · 2.5403 − 1 · 1 = 1.5403`.",
        ),
        Question(
            "A chain of 1,000 operations on arrays of a million numbers of 8 bytes each: how much memory do the values "
            "take that a backward sweep needs, and how could it be less?",
            "1,000 · 10⁶ · 8 bytes = 8 GB. Keep only every 30th or so, and compute those between them again when the "
            "sweep arrives there: this is called checkpointing.",
        ),
    ),
)

CLOSING = Part(
    "What to remember",
    1,
    """A forward sweep gives a column of the Jacobian, a backward sweep a row. Few inputs: forward. Few results:
reverse, and pay with memory. One direction: forward. In between, other orders of the same products may be cheaper than
both.""",
    "Return to the two matrices on the board: which sweep filled which?",
)

PLAN = Plan(
    "Forward or reverse?",
    "The chain rule can be multiplied out from either end. Which end is cheaper depends on the shape of the Jacobian.",
    (
        "carry out a forward and a backward sweep, and say what a tangent and an adjoint are;",
        "say which part of the Jacobian a sweep gives, and count the sweeps that a problem takes;",
        "choose between forward and reverse mode, and name the price of each;",
        "explain what Jacobian-vector products are, and that forward and reverse are not the only orders.",
    ),
    (
        "the lesson Backpropagation, or the chain rule for functions of several variables;",
        "matrices: rows, columns, a matrix times a vector;",
        "reading a short Python function.",
    ),
    OPENING,
    SCENES,
    WRONG,
    EXERCISES,
    CLOSING,
)
