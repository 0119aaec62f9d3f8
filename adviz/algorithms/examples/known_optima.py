"""Graphs of the literature whose cheapest eliminations are known, and what was published of functions.

The optima were verified by searches through all orders. Costs are multiplications; a vertex of size 2 stands for two
parallel inputs or outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...graph.linearized.cgraph import CGraph


class GraphCase(NamedTuple):
    """A graph, what it shows, its source, and what eliminating it costs.

    ``edges`` are pairs ``(i, j)``, where ``j`` is computed from ``i``; vertices are of size 1 unless ``sizes`` says
    otherwise. ``optima`` are the fewest multiplications by technique, ``worst`` those of the worst order of vertices.
    By Bauer's formula, without elimination, a product for each of the ``paths`` takes ``listed`` multiplications.
    ``certain`` says what is certain of a graph that was reconstructed.

    >>> lion = GRAPHS["lion"]
    >>> lion.graph(), lion.optima
    (<CGraph: 1 input, 2 intermediates, 3 outputs, 6 edges>, {'vertex': 12, 'edge': 11, 'face': 11})
    """

    edges: tuple[tuple[int, int], ...]
    shows: str
    source: str
    optima: Mapping[str, int]
    worst: int
    paths: int
    listed: int
    sizes: Mapping[int, int] = {}
    certain: str = ""

    def graph(self) -> CGraph:
        """The graph with partials that are random, and the same each time."""
        return CGraph.from_edges(self.edges, self.sizes)


_NAUMANN = (
    'U. Naumann, "Optimal accumulation of Jacobian matrices by elimination methods on the dual computational graph", '
    "Mathematical Programming 99 (2004) 399-421"
)
_ADMISSION = "the graph of this name in the software ADMission (RWTH Aachen, group of U. Naumann)"
_ZHOU = 'Y. Zhou, "Notes on computational graph and Jacobian accumulation", arXiv 2012.15034 (2020)'

_LION = GraphCase(
    ((0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (2, 5)),
    "edges beat vertices: every order of vertices costs 12",
    _ADMISSION,
    {"vertex": 12, "edge": 11, "face": 11},
    worst=12,
    paths=10,
    listed=18,
    sizes={0: 2, 3: 2},
)
_BAT = GraphCase(
    ((0, 2), (1, 3), (2, 4), (3, 4), (2, 5), (3, 7), (4, 5), (4, 6), (4, 7)),
    "faces beat edges, and edges beat vertices: every order of vertices costs 24",
    _ADMISSION,
    {"vertex": 24, "edge": 23, "face": 22},
    worst=24,
    paths=20,
    listed=36,
    sizes={0: 2, 1: 2, 6: 2},
)

GRAPHS: dict[str, GraphCase] = {
    "Naumann 2004": GraphCase(
        ((0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)),
        "20 multiplications by paths, 14 dense, 12 forward or reverse with their seeds, and 7 at best",
        f"{_NAUMANN}, figure 1",
        {"vertex": 7, "edge": 7, "face": 7},
        worst=14,
        paths=8,
        listed=20,
    ),
    "lion": _LION,
    "scalar lion": _LION._replace(
        edges=((0, 2), (1, 2), (2, 3), (2, 7), (3, 4), (3, 5), (3, 6), (3, 7)),
        shows="the lion with a vertex for each number",
        sizes={},
    ),
    "bat": _BAT,
    "scalar bat": _BAT._replace(
        edges=(
            *((0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)),
            *((4, 7), (5, 10), (6, 7), (6, 8), (6, 9), (6, 10)),
        ),
        shows="the bat with a vertex for each number",
        sizes={},
    ),
    "slide": GraphCase(
        ((0, 2), (1, 2), (2, 3), (0, 4), (3, 4), (4, 5), (4, 6), (1, 6)),
        "the best order of edges or faces saves nothing here, and orders of vertices cost 7 to 10",
        'U. Naumann, lecture "Jacobians, Graphs, Combinatorics"; the program is adviz.examples["slide program"]',
        {"vertex": 7, "edge": 7, "face": 7},
        worst=10,
        paths=7,
        listed=14,
    ),
    "two diamonds": GraphCase(
        ((1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)),
        "a chain of two simple blocks, as factored as an expression can be: 5 multiplications instead of 12",
        f"{_ZHOU}, figure 4.1 (a)",
        {"vertex": 5, "edge": 5, "face": 5},
        worst=11,
        paths=4,
        listed=12,
    ),
    "two crossed diamonds": GraphCase(
        ((1, 2), (1, 3), (2, 4), (3, 4), (2, 5), (3, 6), (4, 5), (4, 6), (5, 7), (6, 7)),
        "a complex block, which no single expression factors: 8 multiplications instead of 16",
        f"{_ZHOU}, figure 4.1 (b), as reconstructed from the text",
        {"vertex": 8, "edge": 8, "face": 8},
        worst=11,
        paths=6,
        listed=16,
    ),
}
"""Every graph by name."""


# ---- functions ----


class Landmark(NamedTuple):
    """Multiplications published for a function, with the inputs and intermediates of the graph that was counted.

    Forward, reverse and Markowitz are orders of vertices; ``learned`` is the order that was found by reinforcement
    learning; ``known`` is the best order of vertices that is known, and ``proved`` a lower bound of all.

    >>> LANDMARKS["human heart dipole"].learned, LANDMARKS["human heart dipole"].known
    (149, 148)
    """

    inputs: int
    intermediates: int
    forward: int
    reverse: int
    markowitz: int
    learned: int
    known: int
    proved: int = 0


LANDMARKS: dict[str, Landmark] = {
    "Roe flux": Landmark(6, 98, 620, 364, 407, 320, 295, 295),
    "six-joint arm": Landmark(6, 108, 397, 301, 288, 231, 221, 221),
    "human heart dipole": Landmark(8, 78, 240, 172, 194, 149, 148, 148),
    "propane combustion": Landmark(11, 51, 151, 90, 111, 88, 88, 88),
    "Black-Scholes greeks": Landmark(5, 134, 545, 572, 350, 312, 297, 297),
    "Roe flux 3-D": Landmark(6, 143, 1556, 979, 1014, 811, 639),
    "random function": Landmark(15, 85, 632, 566, 451, 417, 417, 398),
    "two-layer network": Landmark(8, 39, 11012, 392, 4852, 389, 388),
    "transformer encoder": Landmark(16, 93, 135956, 4688, 53096, 4688, 4332),
}
"""What is known of the graphs of "Optimizing Automatic Differentiation with Deep Reinforcement Learning" (arXiv
2406.05027), by the name in :data:`~.functions.PROGRAMS`; the best known were found by simulated annealing, and proved
by exact searches. A graph that is traced here differs in detail, so that its own counts are near and not equal. The
"Black-Scholes" of the paper is a gradient by reverse mode, no closed form; its random function is another one."""
