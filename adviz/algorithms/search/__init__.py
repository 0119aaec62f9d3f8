"""The cheapest order of elimination, found and where possible proved.

By reductions, exact searches, annealing and beams, in one process or on many machines.

Vertex elimination is defined by :func:`~adviz.elimination.eliminate_vertex`. A search needs it faster and without
numbers; its twins, which tests compare with the definition, are :func:`~.bitmasks.masks.eliminate` (compiled where
Numba is installed), :func:`~.greedy.quick_markowitz` (sets) and :meth:`~.problem.Structure.cost` (labels).
"""

from .greedy import quick_order
from .optimum import Optimum, Search, anneal, beam, optimal_order

__all__ = ["Optimum", "Search", "anneal", "beam", "optimal_order", "quick_order"]
