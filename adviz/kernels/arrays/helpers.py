"""Functions that programs bring along where NumPy has none: each as source, defined above the program that calls it."""

from __future__ import annotations

HELPERS = {
    "logistic": '''
def logistic(x):
    """1 / (1 + exp(-x)), without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)
''',
}
"""By name."""
