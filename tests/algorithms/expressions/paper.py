"""The graphs and equations of Zhou's notes, with root 1 as the output and terminal 7 as the input."""

from adviz import CGraph
from adviz.algorithms.examples.figures import FIGURES

EQUATIONS = {
    "4.1": ("e17 = (e12 e24 + e13 e34)(e45 e57 + e46 e67)", 5),
    "4.2": ("e17 = e12 e24 e45 e57 + e12 e24 e46 e67 + e13 e34 e45 e57 + e13 e34 e46 e67", 12),
    "4.3": ("e17 = e12(e24(e45e57 + e46e67) + e25e57) + e13(e34(e45e57 + e46e67) + e36e67)", 10),
    "4.4": ("e17 = ((e12e24 + e13e34)e45 + e12e25)e57 + ((e12e24 + e13e34)e46 + e13e36)e67", 10),
    "4.5": ("X = e45e57 + e46e67\ne17 = e12(e24X + e25e57) + e13(e34X + e36e67)", 8),
}


def figure_4_1(part: str = "a") -> CGraph:
    """Figure 4.1 (a), two blocks one after the other, or (b), which has two more edges."""
    return FIGURES[f"figure 4.1 ({part})"].graph()
