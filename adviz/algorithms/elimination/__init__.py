"""Jacobian accumulation by elimination, as algorithms that yield a Step per product.

=============================  =======================================================================================
module                         what it has
=============================  =======================================================================================
``vertex``, ``edge``           :func:`vertex_elimination`, :func:`edge_elimination` on the linearized graph
``face``, ``splits``           :func:`face_elimination` on its line graph; splits, which keep every sum over paths
``dstar``                      :func:`dstar` on all derivative graphs at once
``moves``                      eliminate one vertex, edge or face; say why it cannot be eliminated
``orders``                     orders by name, as lists and greedy, with the keys of the heuristics
``counting``                   :class:`Counting`: how a product and a sum are counted
``..examples``                 graphs and functions of the literature, with what is known of their optima
``..search``                   the cheapest order, found and where possible proved
=============================  =======================================================================================

All have one shape, that of sweeps: a function of the graph, then of what is to be chosen (an order, a convention of
counting), which checks its arguments and returns an iterator of Steps. While it is consumed, it changes the graph; so
``Timeline.record(graph, vertex_elimination(graph))`` has the whole elimination.

Orders by name are ``"forward"``, ``"reverse"``, ``"markowitz"``, and ``"best"``, the cheapest of the three. Greedy ones
are made of keys, of which the lowest is next: ``greedy(minimal_damage, reverse)``; a later key breaks ties.

======================  ==============================================================================================
key                     the vertex that is eliminated next
======================  ==============================================================================================
``markowitz``           has the fewest products, |P_j| |S_j| (A. Griewank, S. Reese, 1991)
``relative_markowitz``  has the fewest products beyond those it has when it is last (Griewank, Reese, 1991)
``fill_in``             causes the least fill-in (new edges)
``minimal_damage``      LMMD: has few products, and adds few to those of its neighbours (A. Albrecht,
                        P. Gottschling, U. Naumann, 2003)
``overall``             MOMR: makes the sum of all products shrink most (Albrecht, Gottschling, Naumann, 2003)
``forward``             is nearest to the inputs
``reverse``             is nearest to the outputs
``faces_left``          of faces: leaves the fewest faces
======================  ==============================================================================================

============  ==========================================  ============================================================
kind of Step  what happened                               its focus
============  ==========================================  ============================================================
``fill_in``   a product became a new edge or node         the tail, the head, the new one
``absorb``    a product was added to an edge or node      the tail, the head, the one that absorbs
``reuse``     a product took the place of a node          the tail, the head, the new one
``merge``     the label of a twin was added to another    the one that stays, the one that is removed
``split``     a copy of a node took some of its faces     the node, the copy
``replace``   an edge replaced others in derivative       the edges that left, the new one
              graphs
``remove``    an edge, vertex, face or node was removed   what was removed
============  ==========================================  ============================================================

The edits of a Step are all that changed: labels of edges or nodes, vertices and faces that came or were removed.
"""

from .counting import Counting
from .dstar import DerivativeGraphs, derivative_graphs, dstar
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
from .techniques import edge_elimination, face_elimination, vertex_elimination

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
