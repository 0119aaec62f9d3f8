"""Sweeps over a traced graph, from its inputs to its outputs or back, as algorithms that yield a Step per move.

Forward: :func:`evaluation`, :func:`lazy_evaluation`, :func:`forward_flow`. Backward, five ways: :func:`recursion`,
:func:`tape`, :func:`toposort`, :func:`rank_heap`, :func:`use_counts`; and :func:`parallel_tape`. What they cost:
:func:`compare`, :class:`Meter`. What is freed when Variables are dropped: :func:`reference_counting`. Programs on
which they differ: ``CASES``.

All have one shape, that of eliminations: a function of the graph, then of what is to be chosen (seeds, a direction),
which checks its arguments and returns an iterator of Steps. ``state=`` is the mapping that a sweep changes, for those
who want to read along; :func:`~adviz.replay` and :meth:`~adviz.Timeline.record` need none. The keys of the state and
the kinds of the Steps: :mod:`~.sweeps.primitives`.
"""

from ..examples.small_functions import CASES
from .backward import parallel_tape, rank_heap, recursion, reference_counting, tape, tape_parts, toposort, use_counts
from .comparison import ENGINES, Meter, compare
from .forward import evaluation, forward_flow, lazy_evaluation
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
