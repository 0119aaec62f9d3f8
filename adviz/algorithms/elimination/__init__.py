"""Jacobian accumulation by elimination, as algorithms that yield a Step per product.

=============================  =======================================================================================
module                         what it has
=============================  =======================================================================================
``vertex``, ``edge``           :func:`vertex_elimination`, :func:`edge_elimination` on the linearized graph
``face``, ``splits``           :func:`face_elimination` on its line graph; splits, which keep every sum over paths
``dstar``                      :func:`dstar` on all derivative graphs at once
``moves``                      one vertex, edge or face; and why it cannot be eliminated
``orders``                     orders by name, given and greedy, with the keys of the heuristics
``counting``                   :class:`Counting`: what a product and a sum are counted as
``cases``, ``programs``        graphs and functions of the literature, with what is known of their optima
``search``                     the cheapest order, found and where possible proved
=============================  =======================================================================================

Orders by name are ``"forward"``, ``"reverse"``, ``"markowitz"``, and ``"best"``, the cheapest of the three. Greedy ones
are made of keys, of which the lowest is next: ``greedy(minimal_damage, reverse)``; a later key breaks ties.

======================  ==============================================================================================
key                     the vertex that goes next
======================  ==============================================================================================
``markowitz``           has the fewest products, |P_j| |S_j| (A. Griewank, S. Reese, 1991)
``relative_markowitz``  has the fewest products beyond those it has when it goes last (Griewank, Reese, 1991)
``fill_in``             brings the fewest new edges
``minimal_damage``      LMMD: has few products, and makes those of its neighbours grow little (A. Albrecht,
                        P. Gottschling, U. Naumann, 2003)
``overall``             MOMR: makes the sum of all products shrink most (Albrecht, Gottschling, Naumann, 2003)
``forward``             is nearest to the inputs
``reverse``             is nearest to the outputs
``faces_left``          of faces: leaves the fewest faces behind
======================  ==============================================================================================

The kinds of the Steps: ``fill_in`` and ``absorb`` (one product each, and what took it up), ``reuse`` (the product takes
the place of a node), ``merge`` (twins), ``split``, ``replace`` (in derivative graphs), and ``remove`` (an edge, a
vertex, a face, a node).
"""

from .counting import Counting
from .dstar import DerivativeGraphs, derivative_graphs, dstar
from .edge import edge_elimination
from .face import face_elimination
from .moves import OrderError, eliminate_edge, eliminate_face, eliminate_vertex, why_illegal
from .orders import (
    Damage,
    faces_left,
    fill_in,
    forward,
    greedy,
    greedy_edges,
    greedy_faces,
    greedy_order,
    markowitz,
    minimal_damage,
    overall,
    relative_markowitz,
    reverse,
    vertex_order,
)
from .splits import full_splitting, merge_partially, split_node
from .vertex import vertex_elimination

__all__ = [
    "Counting",
    "Damage",
    "DerivativeGraphs",
    "OrderError",
    "derivative_graphs",
    "dstar",
    "edge_elimination",
    "eliminate_edge",
    "eliminate_face",
    "eliminate_vertex",
    "face_elimination",
    "faces_left",
    "fill_in",
    "forward",
    "full_splitting",
    "greedy",
    "greedy_edges",
    "greedy_faces",
    "greedy_order",
    "markowitz",
    "merge_partially",
    "minimal_damage",
    "overall",
    "relative_markowitz",
    "reverse",
    "split_node",
    "vertex_elimination",
    "vertex_order",
    "why_illegal",
]
