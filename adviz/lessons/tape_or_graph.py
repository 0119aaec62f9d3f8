"""The lesson "Tape or graph?": how a backward sweep finds its order, and what each way does and stores."""

from ..jupyter.player import Player
from ..jupyter.sweep_players import show_backward, show_tape_vs_graph
from .plans import Exercises, Part, Plan, Question, Scene, WrongProgram, written

TAPE = ("graph", "tape", "formula")
RACE = ("graph", "meters")

TWO_PATHS = """
def f(x, y):
    return np.sin(x) + x * y
"""
FORGOTTEN = """
def f(x):
    forgotten = np.exp(x)
    forgotten = forgotten * forgotten
    return np.sin(x)
"""
INFINITE = """
def f(x):
    forgotten = np.sqrt(x)
    forgotten = forgotten + 1
    return np.sin(x)
"""
TWO_PROGRAMS = """
def f(x, y):
    u = np.sin(x)
    v = y * y
    u = u * u
    v = v + 3
    return u, v
"""
SQUARINGS = """
def f(x):
    a = x * x
    b = a * a
    return b * b
"""
USED_OFTEN = """
def f(x, y):
    return x**2 + x * 2 + x * y + y
"""


def tape() -> Player:
    """A sweep along the tape."""
    return show_backward(written(TWO_PATHS), 1.0, 2.0, engine="tape", panels=TAPE)


def graph() -> Player:
    """A sweep over the graph, with uses counted first."""
    return show_backward(written(TWO_PATHS), 1.0, 2.0, engine="toposort", panels=TAPE)


def side_by_side() -> Player:
    """Both at once."""
    return show_tape_vs_graph(written(TWO_PATHS), 1.0, 2.0, panels=RACE)


def forgotten() -> Player:
    """Values that no result needs."""
    return show_tape_vs_graph(written(FORGOTTEN), 0.5, panels=RACE)


def marked() -> Player:
    """A tape on which what matters is marked."""
    return show_tape_vs_graph(written(FORGOTTEN), 0.5, engines=("tape", "tape with flags"), panels=RACE)


def infinite() -> Player:
    """An infinite local partial off every path."""
    return show_tape_vs_graph(written(INFINITE), 0.0, engines=("tape", "toposort"), panels=RACE)


def two_programs() -> Player:
    """Two programs that alternate on one tape; the derivative of the first result is wanted."""
    return show_tape_vs_graph(written(TWO_PROGRAMS), 0.5, 2.0, seeds={0: 1.0}, panels=RACE)


def ranks() -> Player:
    """A heap in place of counts."""
    return show_tape_vs_graph(written(SQUARINGS), 1.1, engines=("toposort", "rank_heap"), panels=RACE)


def shared_array() -> Player:
    """Contributions that are added in place, into an array that others share."""
    return show_backward(written(USED_OFTEN), 1.0, 4.0, engine="use_counts", in_place=True, panels=("graph", "formula"))


OPENING = Part(
    "Which node is next?",
    2,
    """Reverse mode sends *adjoints*, the derivatives of the result with respect to each value, from the result back to
the inputs. Its arithmetic is quickly said: multiply along edges, add where paths meet. One rule makes it a program: *a
node is visited only after every node that uses it*, because only then is its adjoint complete.

A program that finds such an order is called an *engine* here. There are two families. One keeps a list of everything
that was computed, the *tape*, and reads it backwards. The other keeps for each value what it was computed from, the
*graph*, and finds its way from the result. TensorFlow's gradient tape and PyTorch's autograd are the best-known
relatives of the two. In this lesson you will see what each of them does, and what it costs.""",
    "This lesson is about the moves of engines. Where a show offers the levels *Operations*, *Edges* and *Engine*, "
    "choose *Engine*; shows with two engines are always told in this way.",
)

SCENES = (
    Scene(
        "The tape",
        5,
        """`f = sin(x) + x·y` at `x = 1`, `y = 2`. While the program runs, each operation is written at the end of the
tape, with its operands. The tape is therefore in the order of evaluation: an operand always stands before its users.

Read backwards, users come before operands, which is just what the rule asks for. All adjoints are set to 0, that of the
result to 1; then every entry is visited, from the last to the first. Choose the level *Engine* below the picture.""",
        "Point out that the tape never searches and never waits: the order comes for free from the recording.",
        tape,
        (
            Question(
                "Why does the reverse order of evaluation satisfy the rule?",
                "A value is computed before it is used, so backwards every use comes before the value.",
            ),
            Question("Why can all adjoints begin with 0?", "They are sums, and 0 is the empty sum."),
        ),
        level="engine",
    ),
    Scene(
        "The graph",
        5,
        """The same function. This engine starts at the result and first walks back once without computing: it *counts
the uses* of each value that the result depends on. Here `x` has two uses, all others have one.

Then the sweep begins. A node that has received a contribution from each of its uses is *complete* and joins the *ready
list*; the engine visits any node of the list. When a node has passed everything on, its adjoint is freed. Choose the
level *Engine* again.""",
        "At the stop x has one of its two contributions: it is not on the ready list. This is the rule at work.",
        graph,
        (
            Question(
                "At which moment does x join the ready list?",
                "When its second contribution arrives: the count of its uses is two.",
            ),
            Question(
                "Would it be wrong to visit x·y before sin(x)?",
                "No. Both are complete, and any order that satisfies the rule gives the same sums.",
            ),
        ),
        until="x waits for 1 more contribution",
        level="engine",
    ),
    Scene(
        "Side by side",
        5,
        """Both engines on one clock. They form the same products and arrive at the same gradient, `(2.5403, 1)`.

Look at what differs. The tape does not count, but it has a place for the adjoint of every entry from the beginning to
the end: at most 104 bytes are alive. The graph counts its five uses first, and frees what it no longer needs: at most
48 bytes are alive at once.""",
        "The meters below the picture show the operations and the bytes of both engines. ad.compare(f, 1.0, 2.0) "
        "prints the same numbers as a table.",
        side_by_side,
        (
            Question(
                "Why does the tape need more memory here?",
                "It keeps all values and an adjoint for each of them; the graph frees an adjoint after its node.",
            ),
        ),
    ),
    Scene(
        "Forgotten values",
        5,
        """A program computes `forgotten`, twice, and returns `sin(x)`, at `x = 0.5`. The result does not depend on the
forgotten values; such nodes are called *dead*.

The tape does not know that. It visits all entries, and multiplies zeros: 5 visits and 4 multiplications. The graph
never gets there, because no way back from the result leads to them: 3 visits and 1 multiplication.""",
        "Real programs forget much: values that are printed, metrics, other losses.",
        forgotten,
        (
            Question(
                "Which entries of the tape are visited in vain?",
                "The two called forgotten; their adjoints are 0.",
            ),
            Question(
                "When does the graph find out that they are dead?",
                "It never meets them. It only sees what the result was computed from.",
            ),
        ),
    ),
    Scene(
        "Marks on the tape",
        4,
        """A tape can be taught. Before the sweep each entry can be *marked* if it depends on an input that is asked
for; in the sweep each entry is looked at, and skipped unless a result depends on it. The same program again: two
entries are skipped, and only 1 multiplication is left. The price is one comparison for each entry.""",
        "The comparison is cheap, but it is paid for every entry, on a tape of any length.",
        marked,
        (
            Question(
                "Ten million entries, of which ten matter: what does each engine pay?",
                "The tape visits ten million, the marked tape compares ten million times, the graph meets ten.",
            ),
        ),
    ),
    Scene(
        "Zero times infinity",
        5,
        """A forgotten square root, at `x = 0`. Its local partial, `1/(2·√x)`, is infinite there. No path from the
result leads to it, so the derivative of `f` is `cos 0 = 1`.

The plain tape multiplies nevertheless: the adjoint 0 times infinity. In floating-point arithmetic `0 · ∞` is *NaN*,
not a number, and a NaN spreads to every sum that it is added to. The graph gives 1. So visits in vain are more than a
waste of time: they can make the result wrong.""",
        "A well-known trap: in several systems the gradient of where(x > 0, sqrt(x), 0) at 0 is NaN for this reason.",
        infinite,
        (
            Question(
                "Where does the NaN begin?",
                "At the edge from sqrt back to x: 0 times an infinite local partial.",
            ),
            Question(
                "Is the marked tape of scene 5 safe?",
                "Here yes: it skips the two dead entries and never forms the product.",
            ),
        ),
    ),
    Scene(
        "Two programs, one tape",
        5,
        """Two computations that have nothing to do with each other alternate, as in two threads. Only the derivative
of the first result, `u`, is wanted: its *seed*, the adjoint with which the sweep begins, is 1, and that of `v` is 0.

The tape holds both computations, interleaved, and visits all 8 entries. The graph of `u` contains nothing of `v`: 4
visits. The tape forms 5 products, the graph 3.""",
        "This is why a tape belongs to one computation and one thread, and must be opened and closed by the program.",
        two_programs,
        (
            Question(
                "What is the gradient of u?",
                "∂u/∂x = 2·sin x·cos x = sin 2x = 0.8415 at x = 0.5, and ∂u/∂y = 0.",
            ),
            Question(
                "What if many gradients were asked for, each of another small part?",
                "A tape would be read to its end for each; a graph is entered only where each result leads.",
            ),
        ),
    ),
    Scene(
        "A heap in place of counts",
        4,
        """`a = x·x`, `b = a·a`, `f = b·b`. Counting the uses means walking over the graph twice. Instead, each node can
be given a number when it is made, its *rank*, which is larger than that of its operands. The engine then always visits
the node with the largest rank that has received something. A *heap* is the data structure which finds it quickly.""",
        "The counting engine counts each of 6 uses and meets it again in the sweep; the heap engine skips that, but "
        "every node goes through the heap.",
        ranks,
        (
            Question(
                "Why is the node with the largest rank complete?",
                "All its users have larger ranks. They have been visited, or they are not on a way to the result.",
            ),
        ),
    ),
    Scene(
        "An array with two owners",
        4,
        """`f = x² + 2·x + x·y + y` at `x = 1`, `y = 4`. The gradient is `(8, 2)`. This engine adds contributions *in
place*, which saves memory: the first contribution becomes the adjoint, and the next is added into the same array.

But a sum passes the same array on to each of its terms. When `y` adds its second contribution in place, the adjoints of
other nodes change with it, and the derivative with respect to `x` becomes 12.""",
        "At the stop the second contribution to y has changed other adjoints as well, since they are the same array. "
        "The remedy is to copy before the first addition in place.",
        shared_array,
        (
            Question("Which derivative is wrong?", "The one with respect to x: 12 instead of 2·x + 2 + y = 8."),
            Question(
                "How can an engine add in place safely?",
                "Only into an array that it made itself: the first addition makes a new array, later ones may reuse "
                "it.",
            ),
        ),
        until="which share the array",
    ),
)

WRONG = WrongProgram(
    3,
    """`nodes` lists for each node its operands and the local partials, in the order of evaluation. The program is to
return all adjoints with respect to the last node. For a chain it is right. For `a = x·x`, `f = a·a` at `x = 1`, which
is `[[], [(0, 1), (0, 1)], [(1, 1), (1, 1)]]`, it returns 8 for `x`; the derivative of `x⁴` is 4. What is wrong?""",
    """def gradient(nodes):
    adjoint = [0.0] * len(nodes)
    adjoint[-1] = 1.0
    ready = [len(nodes) - 1]
    while ready:
        node = ready.pop()
        for operand, partial in nodes[node]:
            adjoint[operand] += adjoint[node] * partial
            ready.append(operand)
    return adjoint
""",
    """An operand becomes ready with its first contribution, and again with each further one. So `a` is visited twice,
and each time it passes its whole adjoint on: what it has passed on before is passed on again. The rule of the lesson is
violated. Count the uses and append an operand when its last contribution has arrived; or, since the list is a tape,
read it backwards:""",
    """def gradient(nodes):
    adjoint = [0.0] * len(nodes)
    adjoint[-1] = 1.0
    for node in reversed(range(len(nodes))):
        for operand, partial in nodes[node]:
            adjoint[operand] += adjoint[node] * partial
    return adjoint
""",
)

EXERCISES = Exercises(
    2,
    "Begin with the first in class; the others are for home.",
    (
        Question(
            "Write the tape of `f(x, y) = (x + y)·x`, and visit it backwards at `x = 2`, `y = 3`. Which entries have "
            "more than one use?",
            "The tape: `x`, `y`, `s = x + y`, `f = s·x`. From the back: `s̄ = x = 2`, and `x` receives `s = 5`; then "
            "`s` passes 2 to `x` and 2 to `y`. So `x̄ = 7` and `ȳ = 2`. Only `x` has two uses.",
        ),
        Question(
            "A training program computes an accuracy and prints it in each step; the gradient of the loss is taken. "
            "Which engine does more than it needs to, and what can be done about it?",
            "The tape also visits what belongs to the accuracy. Compute it while the tape is not recording, or mark "
            "entries.",
        ),
        Question(
            "Change the wrong program so that it counts uses and keeps a ready list, instead of reading the tape "
            "backwards.",
            "First count, for every node, how often it occurs as an operand: `uses[operand] += 1`. In the sweep, after "
            "adding a contribution, `uses[operand] -= 1`, and append the operand when this reaches 0. For a list with "
            "dead nodes, count only what can be reached from the last node.",
        ),
    ),
)

CLOSING = Part(
    "What to remember",
    1,
    """Visit a node when all its uses have contributed. A tape has this order by itself, visits everything, and keeps
everything. A graph finds its order from the result, meets only what matters, and frees what is done; it pays by
counting or by a heap.""",
    "Ask: which would you choose for a program that is run once and differentiated once? (Either; a tape is simpler.) "
    "And for many small derivatives of a large program? (A graph.)",
)

PLAN = Plan(
    "Tape or graph?",
    "Two ways in which a backward sweep finds the order of its visits, and what each of them costs.",
    (
        "state the rule that every backward sweep obeys, and why it does;",
        "describe how an engine with a tape and one with a graph find their order;",
        "compare their visits, multiplications and memory on a program, dead values included;",
        "explain how NaN can come from values that the result does not use;",
        "recognize two classical faults: a node that is visited too early, and an array with two owners.",
    ),
    (
        "the lesson Backpropagation: adjoints, local partials, multiply along edges and add where paths meet;",
        "lists and loops in Python.",
    ),
    OPENING,
    SCENES,
    WRONG,
    EXERCISES,
    CLOSING,
)
