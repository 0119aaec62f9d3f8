"""The best order of elimination, found or proved: reductions, exact searches, annealing and beams, on many machines."""

from .optimum import Optimum, Search, anneal, beam, optimal_order
from .quick import quick_order

__all__ = ["Optimum", "Search", "anneal", "beam", "optimal_order", "quick_order"]
