"""The best order of elimination, found or proved: reductions, exact searches, annealing and beams, on many machines."""

from .greedy import quick_order
from .optimum import Optimum, Search, anneal, beam, optimal_order

__all__ = ["Optimum", "Search", "anneal", "beam", "optimal_order", "quick_order"]
