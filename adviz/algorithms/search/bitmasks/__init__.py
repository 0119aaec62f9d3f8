"""Graphs as bit masks, in the part of Python that Numba compiles: cuts, eliminations, and masks of several words."""
