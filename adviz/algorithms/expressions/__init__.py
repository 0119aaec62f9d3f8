"""The algebra of a graph: a Jacobian as expressions of its letters, its chains and blocks, and its levels.

======================  ===========================================================================================
module                  what it has
======================  ===========================================================================================
``terms``               letters, products, sums, references, and :class:`Expressions`; :func:`latex`, :func:`mathml`
``notation``            :func:`parsed` reads the notation of the paper
``decomposition``       :func:`chains`, :func:`blocks`, the core that :func:`decomposed` leaves, and its
                        :func:`complex_blocks`; :func:`factor_subgraphs` of D* beside blocks
``conversion``          :func:`expressions` of a graph, factored backward or forward; :func:`graph_of` expressions
``pages``               graphs with several inputs and outputs: what their entries have in common
``sharing``             values that are made once: equal ones are one
``path_sets``           how many paths there are, what lies on many of them, :func:`overlapping_degrees`
``dependencies``        which multiplication waits for which, and the order of faces they mean: :func:`face_order`
``factorization``       splitting and joining vertices, as Steps; :func:`expressions_of` the Steps of any elimination
``oracle``              :func:`optimal_expressions`: the fewest multiplications of any set, as a 0/1 program
``enumeration``         :func:`enumerated`: what all small graphs cost at best, by each technique and by any set
``local_jacobians``     :func:`local_jacobians` between levels, and :func:`accumulated` in any order of association
======================  ===========================================================================================

A product reads from the output to the input, like a product of matrices: ``e12 e24`` is the path 4 → 2 → 1. Costs are
multiplications of numbers.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), arXiv 2012.15034.
"""

from .conversion import backward_factorization, expressions, forward_factorization, graph_of
from .decomposition import (
    Between,
    Decomposition,
    between,
    blocks,
    chains,
    complex_blocks,
    decomposed,
    factor_subgraphs,
    is_direct,
)
from .dependencies import Dependencies, Multiplication, dependencies, face_order
from .enumeration import Enumerated, Optima, SmallGraph, canonical, enumerate_optima, enumerated, optima, small_graphs
from .factorization import backward_splits, contraction, expressions_of, forward_splits, path_joints, path_splits
from .local_jacobians import (
    Accumulated,
    LocalJacobian,
    accumulated,
    jacobian_between,
    levels,
    levels_from_outputs,
    local_jacobians,
    multiplications,
    orders,
    segmented,
    undivided,
)
from .notation import parsed
from .oracle import OptimalExpressions, cheapest_sets, optimal_expressions
from .pages import Page, Pages, pages
from .path_sets import (
    all_paths,
    count_between,
    edges_across,
    overlapping_degrees,
    paths_between,
    r_degrees,
    t_degrees,
)
from .terms import ExpressionError, Expressions, Letter, Product, Reference, Sum, latex, mathml

__all__ = [
    "Accumulated",
    "Between",
    "Decomposition",
    "Dependencies",
    "Enumerated",
    "ExpressionError",
    "Expressions",
    "Letter",
    "LocalJacobian",
    "Multiplication",
    "Optima",
    "OptimalExpressions",
    "Page",
    "Pages",
    "Product",
    "Reference",
    "SmallGraph",
    "Sum",
    "accumulated",
    "all_paths",
    "backward_factorization",
    "backward_splits",
    "between",
    "blocks",
    "canonical",
    "chains",
    "cheapest_sets",
    "complex_blocks",
    "contraction",
    "count_between",
    "decomposed",
    "dependencies",
    "edges_across",
    "enumerate_optima",
    "enumerated",
    "expressions",
    "expressions_of",
    "face_order",
    "factor_subgraphs",
    "forward_factorization",
    "forward_splits",
    "graph_of",
    "is_direct",
    "jacobian_between",
    "latex",
    "levels",
    "levels_from_outputs",
    "local_jacobians",
    "mathml",
    "multiplications",
    "optima",
    "optimal_expressions",
    "orders",
    "overlapping_degrees",
    "pages",
    "parsed",
    "path_joints",
    "path_splits",
    "paths_between",
    "r_degrees",
    "segmented",
    "small_graphs",
    "t_degrees",
    "undivided",
]
