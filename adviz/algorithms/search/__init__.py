"""The cheapest order of elimination, found and where possible proved.

By reductions, exact searches, annealing and beams, in one process or on many machines.
"""

from .greedy import quick_order
from .optimum import Optimum, Search, anneal, beam, optimal_order

__all__ = ["Optimum", "Search", "anneal", "beam", "optimal_order", "quick_order"]
