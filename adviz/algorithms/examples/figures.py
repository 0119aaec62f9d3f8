"""The figures of Zhou's notes as graphs, which say what of them is certain: the pictures are lost, the text is not.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), arXiv 2012.15034. Vertices are numbered
from the outputs, his roots, to the inputs, his terminals, and edges follow the data, ``(tail, head)``. Figures 4.1 (c),
4.2, 4.3 and 4.5 are what Steps make of figure 4.1: ``adviz.algebra.path_splits``, ``backward_splits``,
``forward_splits`` and :func:`~adviz.face_elimination`.
"""

from __future__ import annotations

from .known_optima import GraphCase

_NOTES = 'Y. Zhou, "Notes on computational graph and Jacobian accumulation", arXiv 2012.15034 (2020), figure '
_IDEA = "the text says what it shows, and this is the smallest graph that does"


def _figure(
    number: str,
    edges: tuple[tuple[int, int], ...],
    shows: str,
    certain: str,
    costs: tuple[int, int],
    paths: tuple[int, int],
) -> GraphCase:
    """A figure; ``costs`` are the fewest and the most multiplications, ``paths`` their number and their products."""
    optima = dict.fromkeys(("vertex", "edge", "face"), costs[0])
    return GraphCase(edges, shows, _NOTES + number, optima, costs[1], *paths, certain=certain)


FIGURES: dict[str, GraphCase] = {
    "figure 1.1": _figure(
        "1.1",
        ((4, 3), (5, 3), (3, 1), (3, 2)),
        "adjacent edges of one vertex: a biclique of the line graph; no two entries share a product",
        f"reconstruction: {_IDEA}",
        (4, 4),
        (4, 4),
    ),
    "figure 2.2": _figure(
        "2.2",
        ((4, 2), (4, 3), (2, 1), (3, 1)),
        "two paths from one input, which the tree of all paths has as two leaves",
        f"reconstruction: {_IDEA}",
        (2, 2),
        (2, 2),
    ),
    "figure 2.3": _figure(
        "2.3",
        ((5, 3), (5, 4), (3, 2), (4, 2), (2, 1)),
        "a common factor, e12, that is taken out or not: two trees for one graph",
        f"reconstruction: {_IDEA}",
        (3, 4),
        (2, 4),
    ),
    "figure 2.4": _figure(
        "2.4",
        ((5, 3), (5, 4), (3, 2), (4, 2), (2, 1), (5, 1)),
        "the dependence graph that a tree of paths becomes; reversed it is the computational graph",
        f"reconstruction: {_IDEA}",
        (3, 4),
        (3, 4),
    ),
    "figure 3.1": _figure(
        "3.1",
        ((5, 4), (4, 3), (3, 2), (2, 1), (4, 1)),
        "an edge that crosses two levels; ad.algebra.segmented fills it with copies of its tail or of its head",
        f"the idea is certain; {_IDEA}",
        (3, 4),
        (2, 4),
    ),
    "figure 4.1 (a)": _figure(
        "4.1 (a)",
        ((7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)),
        "a chain of two simple blocks: equation 4.1, 5 multiplications instead of 12",
        "the counts are certain, and that paths cross at vertex 4; chains of other lengths would have them, too",
        (5, 11),
        (4, 12),
    ),
    "figure 4.1 (b)": _figure(
        "4.1 (b)",
        ((7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)),
        "a complex block: equations 4.3 to 4.5, 10 multiplications each way, 8 with a reference",
        "reconstruction that fits every sentence on it and on figures 4.2, 4.3 and 4.5",
        (8, 11),
        (6, 16),
    ),
    "figure 4.4": _figure(
        "4.4 (a)",
        (
            *((13, 9), (13, 10), (13, 11), (9, 5), (10, 5), (11, 5), (5, 1), (5, 2), (5, 3)),
            *((14, 12), (15, 12), (16, 12), (12, 6), (12, 7), (12, 8), (6, 4), (7, 4), (8, 4)),
        ),
        "two parts whose best orders of levels contradict each other: 24 by levels, 12 by sets of vertices",
        "the idea is certain; the sizes, 1-3-1-3 beside 3-1-3-1, are chosen here",
        (12, 36),
        (18, 36),
    ),
    "figure 5.1": _figure(
        "5.1",
        ((8, 6), (6, 4), (6, 5), (4, 3), (5, 3), (3, 1), (4, 2)),
        "an indirect simple chain from 8 to 1 that cannot be contracted, since vertex 4 leads to output 2 as well",
        "reconstruction: the figure is lost, and only this sentence on it is left",
        (6, 8),
        (3, 8),
    ),
    "figure 5.2": _figure(
        "5.2",
        (
            *((13, 11), (11, 8), (14, 8), (15, 9), (15, 12), (12, 9), (8, 6), (9, 6), (9, 7), (7, 5)),
            *((6, 4), (6, 5), (4, 1), (4, 2), (5, 2), (5, 3)),
        ),
        "chains are replaced, and what is left is divided into pages",
        "reconstruction: the figure is lost; the text names the kinds of its parts, and not its vertices",
        (22, 42),
        (20, 70),
    ),
}
"""Each figure by name."""
