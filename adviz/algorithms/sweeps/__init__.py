"""Sweeps over a traced graph, from its inputs to its outputs or back, as algorithms that yield a Step per move.

Forward: :func:`evaluation`, :func:`lazy_evaluation`, :func:`forward_flow`. Backward, five ways: :func:`recursion`,
:func:`tape`, :func:`toposort`, :func:`rank_heap`, :func:`use_counts`; and :func:`parallel_tape`. What they cost:
:func:`compare`, :class:`Meter`. What becomes of a graph whose Variables go: :func:`reference_counting`. Programs on
which they differ: ``CASES``. The keys of their states and the kinds of their Steps: :mod:`~.sweeps.moves`.
"""

from ..examples.small_functions import CASES
from .backward.rank_heap import rank_heap
from .backward.recursion import recursion
from .backward.reference_counting import reference_counting
from .backward.tape_order import parallel_tape, tape, tape_parts
from .backward.toposort import toposort
from .backward.use_counts import use_counts
from .comparison import ENGINES, Meter, compare
from .evaluation import evaluation, lazy_evaluation
from .forward import forward_flow
from .seeds import SeedError

__all__ = [
    "CASES",
    "ENGINES",
    "Meter",
    "SeedError",
    "compare",
    "evaluation",
    "forward_flow",
    "lazy_evaluation",
    "parallel_tape",
    "rank_heap",
    "recursion",
    "reference_counting",
    "tape",
    "tape_parts",
    "toposort",
    "use_counts",
]
