"""The lesson "Backpropagation": a gradient is products along edges, added where paths meet."""

import numpy as np

from ..jupyter.player import Player
from ..jupyter.sweep_players import show_backward, show_forward
from .plans import Exercises, Part, Plan, Question, Scene, WrongProgram, written

PANELS = ("graph", "code", "formula")

TWO_PATHS = """
def f(x, y):
    return np.sin(x) + x * y
"""


def one_operation() -> Player:
    """A single local partial."""
    f = written("""
def f(x):
    return np.sin(x)
""")
    return show_backward(f, 1.0, panels=PANELS)


def chain() -> Player:
    """Two operations, one after the other."""
    f = written("""
def f(x):
    return np.sin(x**2)
""")
    return show_backward(f, 1.5, panels=PANELS)


def two_operands() -> Player:
    """The product rule."""
    f = written("""
def f(x, y):
    return x * y
""")
    return show_backward(f, 3.0, 4.0, panels=PANELS)


def two_paths() -> Player:
    """An input that is used twice."""
    return show_backward(written(TWO_PATHS), 1.0, 2.0, panels=PANELS)


def shared_value() -> Player:
    """An intermediate value that is used twice."""
    f = written("""
def f(x, y):
    u = x * y
    return u * np.sin(u)
""")
    return show_backward(f, 1.2, 0.5, panels=PANELS)


def forward() -> Player:
    """Forward mode on the program with two paths."""
    return show_forward(written(TWO_PATHS), 1.0, 2.0, direction=(1.0, 0.0), panels=PANELS)


def neuron() -> Player:
    """The squared error of one neuron."""
    loss = written("""
def loss(w, b):
    h = np.tanh(0.5 * w + b)
    error = h - 1.0
    return error**2
""")
    return show_backward(loss, 0.8, 0.1, panels=PANELS)


def layer() -> Player:
    """A layer of neurons and a batch of three samples."""
    loss = written("""
def loss(X, W, b):
    Z = X @ W + b
    H = np.tanh(Z)
    return np.sum(H**2)
""")
    X = np.array([[1.0, -0.5], [0.3, 0.8], [-1.2, 0.4]])
    W = np.array([[0.5, -0.3, 0.8, 0.1], [-0.2, 0.6, 0.4, -0.7]])
    return show_backward(loss, X, W, np.array([0.1, 0.0, -0.1, 0.2]), panels=PANELS)


def quiz() -> Player:
    """A sweep that asks before it shows."""
    f = written("""
def f(x, y):
    return y * np.exp(x) - x
""")
    return show_backward(f, 0.5, 2.0, panels=PANELS, teach=True)


OPENING = Part(
    "What we want",
    2,
    """A program computes a number `f` from its inputs. We want to know how strongly `f` responds to each of them: the
derivatives `∂f/∂x`, `∂f/∂y`, …, together called the *gradient*. We do not want to differentiate a formula by hand, and
we do not want to run the program once per input.

*Backpropagation* computes the whole gradient in one pass through the program, from the result back to the inputs. It
is the chain rule with bookkeeping, and it is what trains every neural network. In the next 50 minutes you will follow
it number by number; at the end you can carry it out on paper.""",
    "Let the class guess how many runs of a program a gradient with respect to a million inputs should take. Write the "
    "guesses on the board and return to them in scene 6. In each scene press *Present* for the whole screen; the right "
    "arrow key takes a step.",
)

SCENES = (
    Scene(
        "One operation",
        3,
        """The simplest program: `f = sin(x)`, at `x = 1`. Programs are drawn as graphs: a node for each value, an
edge from each value to what is computed from it.

The derivative of one operation with respect to one of its operands is called its *local partial derivative*, or local
partial for short. It stands on the edge. Here it is `cos x`, and at `x = 1` it is `0.5403`.

The *adjoint* of a value `v` is the derivative of the result with respect to `v`. It is written with a bar:
`v̄ = ∂f/∂v`. The adjoint of the result itself is 1, and that is where the sweep begins.""",
        "At the stop the adjoint of f is 1, since f changes one for one with itself. Ask what number will arrive at x.",
        one_operation,
        (
            Question(
                "Why does the sweep begin with the number 1?",
                "It is ∂f/∂f: if f grows by a small amount, f grows by exactly that amount.",
            ),
            Question(
                "If x falls from 1 to 0.97, by about how much does f change?",
                "By x̄ · (−0.03) = 0.5403 · (−0.03) ≈ −0.0162. (sin 0.97 − sin 1 = −0.0166.)",
            ),
        ),
        until="∂f/∂f = 1",
    ),
    Scene(
        "A chain: multiply",
        4,
        """Now `f = sin(x²)` at `x = 1.5`. There are two operations, so there are two local partials: `2·x = 3` from
`x` to `x²`, and `cos(x²) = −0.6282` from `x²` to `f`.

A small change of `x` is magnified three times on its way to `x²`, and what arrives there is multiplied by `−0.6282` on
its way to `f`. So the effects multiply. This is the chain rule:

    ∂f/∂x = ∂f/∂(x²) · ∂(x²)/∂x = −0.6282 · 3 = −1.8845

The sweep forms this product from the left: it carries the adjoint of `x²` back to `x` and multiplies it by the local
partial that stands on the edge.""",
        "At the stop x² has its adjoint and x has none. Point out that cos is evaluated at the operand, x² = 2.25, and "
        "not at x: the values of the forward pass are needed again.",
        chain,
        (
            Question(
                "At which number is the cosine evaluated, 1.5 or 2.25?",
                "At 2.25, the operand of sin. The value was computed in the forward pass and must still be known.",
            ),
            Question(
                "By about how much must x change for f to grow by 0.02?",
                "By 0.02/(−1.8845) ≈ −0.0106. The minus sign of the derivative says that f grows when x falls.",
            ),
        ),
        until="So x² receives",
    ),
    Scene(
        "Two operands: one edge each",
        4,
        """`f = x·y` at `x = 3`, `y = 4`. The product has two operands, and therefore two edges with a local partial
each. When only `x` changes, `y` is a fixed factor: `∂(x·y)/∂x = y`. In the same way `∂(x·y)/∂y = x`.

Each operand receives the adjoint of the product times its own local partial: `x̄ = 1·4` and `ȳ = 1·3`.""",
        "The usual mistake is that x receives x. At the stop let the class say aloud which number x will receive and "
        "which y.",
        two_operands,
        (
            Question(
                "Why does x receive 4, and not 3?", "With y held fixed, f = 4·x; its slope is 4, the other factor."
            ),
            Question(
                "What would change if y were 7?",
                "The local partial on the edge of x is y itself, so x would receive 7; y would still receive 3.",
            ),
        ),
        until="∂f/∂f = 1",
    ),
    Scene(
        "Two paths: add",
        6,
        """`f = sin(x) + x·y` at `x = 1`, `y = 2`. Here `x` is used twice, so a change of `x` reaches `f` along two
*paths*: through the sine, and through the product. Each path makes its own *contribution* to the adjoint of `x`:

    along x → sin(x) → f:    1 · cos x = 0.5403
    along x → x·y → f:       1 · y     = 2

Both effects happen at once, and for small changes they add. So `x̄ = 2 + 0.5403 = 2.5403`. This is the whole of
backpropagation: *multiply along edges, add where paths meet*.""",
        "The heart of the lesson; take your time. At the stop x has the contribution 2 and waits for the other. Ask "
        "what x̄ is now. (Nothing yet: an adjoint is complete only when every use has contributed.)",
        two_paths,
        (
            Question(
                "Why does x receive two numbers, and y only one?",
                "x is used by two operations, y by one. Each use is a way in which the input acts on f.",
            ),
            Question("Why are they added, and not multiplied?", "The changes of sin(x) and of x·y add up in f."),
            Question(
                "The sweep took 5 multiplications, one for each edge, 3 of them by 1. By which numbers are the "
                "other 2?",
                "By y = 2 and by cos x = 0.5403. The 3 by 1 are by the two partials of the sum, and by x, which "
                "happens to be 1.",
            ),
        ),
        until="So x receives 1·y",
    ),
    Scene(
        "A shared value: wait until it is complete",
        5,
        """`u = x·y` and `f = u·sin(u)`, at `x = 1.2`, `y = 0.5`. Now an *intermediate value*, `u`, is used twice. Two
contributions arrive at it: `sin(u) = 0.5646` and `u·cos(u) = 0.4952`.

They are added first: `ū = 1.0598`. Only then does `u` pass its adjoint on to `x` and `y`, once. There are four paths
from the inputs to `f`, but no path is followed on its own: each edge is passed once. In large programs there are
far more paths than edges (exercise 3), and that is what makes backpropagation fast.

For the same reason the order matters: a node is visited only after every node that uses it. The reverse of the order
of evaluation always has this property.""",
        "At the stop u has received 0.5646. Ask what would happen if u passed that on at once: the product rule would "
        "be carried out twice for each input, and the work would grow with the number of paths.",
        shared_value,
        (
            Question(
                "Why must u wait for its second contribution?",
                "Its adjoint is the sum. Passed on too early, it would be wrong, or would have to be passed on again.",
            ),
            Question("What are x̄ and ȳ?", "x̄ = ū·y = 1.0598 · 0.5 = 0.5299 and ȳ = ū·x = 1.0598 · 1.2 ≈ 1.2718."),
        ),
        until="and sin(u) receives",
    ),
    Scene(
        "The other way: forward mode",
        5,
        """The same local partials can be multiplied in the direction of the data. Choose how fast the inputs move, for
example `x` at the rate 1 while `y` stands still. Every value then moves at a rate of its own, its *tangent*, written
with a dot: `v̇`. Tangents are multiplied along edges and added where edges meet, as adjoints are, and they arrive at
`f` with `ḟ = 2.5403`: the derivative with respect to `x`.

For the derivative with respect to `y` a second sweep is needed. In general, *forward mode* takes one sweep for each
input, *reverse mode* (which is backpropagation) one for each result.""",
        "Return to the guesses of the opening: a million inputs take a million forward sweeps, and one backward sweep.",
        forward,
        (
            Question(
                "Which number does a forward sweep give at f?",
                "The rate at which f changes when the inputs move as chosen: here 1·∂f/∂x + 0·∂f/∂y = 2.5403.",
            ),
            Question(
                "A function has 1 input and 1,000 results. Which mode?",
                "Forward mode: one sweep gives all 1,000 derivatives; reverse mode would take 1,000 sweeps.",
            ),
        ),
    ),
    Scene(
        "A neuron learns",
        5,
        """A *neuron* computes `h = tanh(w·x + b)` from its input `x`. Its *weight* `w` and its *bias* `b` are to be
chosen so that `h` comes close to a target. The *loss*, here the square of the error `h − target`, measures how far it
is from it. We ask for the gradient of the loss with respect to `w` and `b`; the input `x = 0.5` and the target 1 are
constants.

Follow the adjoints back: the power rule gives `2·error`, the rule of tanh `1 − h²`, the product `0.5`. Both
derivatives are negative, so the loss falls when `w` and `b` grow. A step of *gradient descent* subtracts a small
multiple of the gradient from the parameters:

    w ← w − 0.1 · w̄        b ← b − 0.1 · b̄""",
        "Let the class predict the sign of each adjoint before it arrives. The "
        "error h − 1 is negative, the slope of tanh is always positive, and x = 0.5 is positive.",
        neuron,
        (
            Question(
                "What happens to the gradient when |w·x + b| is large?",
                "h is near ±1, so 1 − h² is near 0 and hardly anything passes: the neuron is saturated.",
            ),
            Question(
                "The adjoint of b equals that of w·x + b. Why?",
                "In a sum, the local partial of each term is 1.",
            ),
        ),
    ),
    Scene(
        "A layer: the same with arrays",
        6,
        """Four neurons and a *batch* of three samples: `X` has shape 3 × 2, `W` has shape 2 × 4, `b` has four entries.
Each node now holds an array, and its adjoint is an array *of the same shape*, one derivative for each entry. Colour
means sign.

The local partials have become linear maps, which a textbook writes as follows; `Z = X @ W + b`:

    H = tanh(Z)      Z̄ = H̄ ⊙ (1 − H²)       entry by entry
    Z = X @ W + b    W̄ = Xᵀ · Z̄,  X̄ = Z̄ · Wᵀ
                     b̄ = the sum of Z̄ over the rows

The last line is scene 4 again: `b` was used once for every row, so the contributions of all rows add.""",
        "The product of matrices comes after the stop. Have the class find its shapes: W̄ must be 2 × 4, and Xᵀ · Z̄ is "
        "(2 × 3)(3 × 4). Shapes alone exclude most wrong orders of factors.",
        layer,
        (
            Question(
                "Which shape has the adjoint of W, and why can it not be Z̄ · Xᵀ?",
                "2 × 4, the shape of W. Z̄ is 3 × 4 and Xᵀ is 2 × 3; the product Z̄ · Xᵀ does not exist.",
            ),
            Question(
                "Why is the adjoint of b a sum over rows?",
                "The same b was added to every row. Each use makes a contribution, and contributions add.",
            ),
        ),
        until="b acts through every row",
    ),
    Scene(
        "Your turn",
        4,
        """`f = y·exp(x) − x` at `x = 0.5`, `y = 2`. This time the show asks before it answers. Work out each number on
paper, then choose. A wrong answer is told what it mistook for what.""",
        "Everyone alone, on paper; then vote by raising hands. The gradient is x̄ = y·exp(x) − 1 = 2.2974 and "
        "ȳ = exp(x) = 1.6487.",
        quiz,
        (
            Question(
                "Which contributions does x receive?",
                "y·exp(x) = 3.2974 along the product, and −1 along the difference: 2.2974 together.",
            ),
        ),
    ),
)

BY_HAND = """import math

def gradient(x, y):
    a = math.sin(x)             # forward pass
    b = x * y
    f = a + b

    f_bar = 1.0                 # backward pass
    a_bar = f_bar
    b_bar = f_bar
    x_bar = b_bar * y
    y_bar = b_bar * x
    x_bar = a_bar * math.cos(x)
    return x_bar, y_bar
"""
WRONG = WrongProgram(
    3,
    """This program computes the gradient of `f(x, y) = sin(x) + x·y` by hand, as in scene 4. It runs without an error,
and for `x = 1`, `y = 2` it returns `(0.5403, 1.0)`. One line is wrong. Which one, and what should it say?""",
    BY_HAND,
    """The last line before `return` overwrites the contribution of the product instead of adding to it; it should say
`x_bar += a_bar * math.cos(x)`. The gradient is then `(2.5403, 1.0)`.

Such faults are found by a *nudge*: `f` grows from 2.84147 to 2.84401 when `x` grows from 1 to 1.001, at the rate
2.54, which is not 0.5403. Real systems set all adjoints to 0 before the sweep and add every contribution.""",
    BY_HAND.replace("x_bar = a_bar", "x_bar += a_bar"),
)

EXERCISES = Exercises(
    2,
    "Begin with the first in class; the others are for home. Draw the graph, write the local partials on its edges, "
    "and sweep back.",
    (
        Question(
            "`f(x, y) = (x + y)·y` at `x = 2`, `y = 3`. Find both derivatives. Which input is used twice?",
            "Let `s = x + y = 5`. Then `s̄ = y = 3`, and the product contributes `s = 5` to `ȳ`. The sum passes `s̄` on: "
            "`x̄ = 3` and `ȳ = 5 + 3 = 8`. The input `y` is used twice.",
        ),
        Question(
            "`f(x) = exp(x)/x` at `x = 2`. The local partials of a quotient `a/b` are `1/b` and `−a/b²`.",
            "With `a = exp(x) = 7.3891`: `ā = 1/2`, so the path through `exp` contributes `0.5 · 7.3891 = 3.6945`; the "
            "divisor contributes `−7.3891/4 = −1.8473`. Together `x̄ = 1.8473`.",
        ),
        Question(
            "`a = x·x`, `b = a·a`, `f = b·b`. How many paths lead from `x` to `f`? How many edges are there? What are "
            "both numbers with 20 such squarings?",
            "Each squaring uses its operand twice: 2·2·2 = 8 paths, but 3·2 = 6 edges. With 20 squarings there are "
            "2²⁰ = 1,048,576 paths and 40 edges. A backward sweep passes 40 edges.",
        ),
        Question(
            "`loss(W) = sum(X @ W)` with the 3 × 2 matrix `X` and a 2 × 4 matrix `W`. Which matrix is `W̄`? Why are its "
            "columns equal?",
            "The sum passes 1 to every entry of `Z = X @ W`, so `Z̄` is a 3 × 4 matrix of ones and `W̄ = Xᵀ · Z̄`. Every "
            "column of `W̄` holds the sums of the columns of `X`, since all columns of `Z̄` are equal.",
        ),
    ),
)

CLOSING = Part(
    "What to remember",
    1,
    """A program is a graph. Every edge has a local partial. The adjoint of the result is 1; going back, multiply along
edges and add where paths meet; visit a node when all its uses have contributed. One backward sweep gives the whole
gradient.""",
    "Ask one student to say the rule in one sentence. The lessons *Forward or reverse?* and *Tape or graph?* continue "
    "from here.",
)

PLAN = Plan(
    "Backpropagation, number by number",
    "How one pass from the result back to the inputs gives all derivatives of a program.",
    (
        "name the local partial derivative that stands on an edge of a computational graph, and its value;",
        "carry out a backward sweep on paper: multiply along edges, add where paths meet;",
        "explain why a value that is used twice receives a sum, and why it must wait for it;",
        "say when forward mode is cheaper than reverse mode, and when it is the other way round;",
        "state the shape of the adjoint of an array, and check a matrix product by shapes.",
    ),
    (
        "derivatives of one variable: sum, product and chain rule, sin, exp;",
        "for scene 8 and exercise 4: the product of two matrices;",
        "reading a short Python function.",
    ),
    OPENING,
    SCENES,
    WRONG,
    EXERCISES,
    CLOSING,
)
