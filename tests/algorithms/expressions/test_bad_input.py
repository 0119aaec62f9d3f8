"""What is no graph, no vertex or no set of expressions is named, with what to do; nothing runs out of memory."""

import pytest

import adviz as ad
from adviz.algorithms import expressions as algebra
from adviz.algorithms.expressions import ExpressionError

from .paper import figure_4_1

OF_A_GRAPH = """all_paths backward_factorization backward_splits blocks chains complex_blocks contraction decomposed
expressions factor_subgraphs forward_factorization forward_splits levels levels_from_outputs local_jacobians
optimal_expressions overlapping_degrees pages path_joints path_splits r_degrees segmented t_degrees""".split()
OF_EXPRESSIONS = "dependencies graph_of latex mathml".split()
OF_TWO_VERTICES = "between count_between paths_between".split()


def done(function, *arguments):
    """Call a function, and take the Steps of an algorithm."""
    found = function(*arguments)
    return list(found) if hasattr(found, "__next__") else found


@pytest.mark.parametrize("name", OF_A_GRAPH)
@pytest.mark.parametrize("other", [None, 3, "e12", figure_4_1])
def test_what_is_no_graph_is_told_how_to_make_one(name, other):
    with pytest.raises(TypeError, match=r"Expected a CGraph, not a \w+: make one with adviz.linearize"):
        done(getattr(algebra, name), other)


@pytest.mark.parametrize("name", OF_EXPRESSIONS)
def test_what_is_no_set_of_expressions_is_told_how_to_make_one(name):
    with pytest.raises(TypeError, match=r"Expected Expressions, not a str: adviz.algebra.expressions makes them"):
        done(getattr(algebra, name), "e17 = e12 e27")


@pytest.mark.parametrize("name", OF_TWO_VERTICES)
def test_what_is_no_vertex_is_told_with_those_that_are(name):
    with pytest.raises(ExpressionError, match=r"The graph has no vertex 99\. It has 7, 5, 6, 4, 2, 3 and 1 more"):
        done(getattr(algebra, name), figure_4_1(), 7, 99)
    with pytest.raises(TypeError, match="Expected a CGraph"):
        done(getattr(algebra, name), "graph", 7, 1)


def test_trillions_of_paths_are_counted_and_never_listed():
    pairs = [(k, k + 1) for k in range(60)] + [(k, k + 2) for k in range(59)]
    ladder = ad.CGraph.from_edges(pairs)
    count = f"{algebra.count_between(ladder, 0, 60):,}"
    for listing in (algebra.all_paths, algebra.path_splits):
        with pytest.raises(ExpressionError, match=f"There are {count} paths, more than 100,000"):
            done(listing, ladder)
    with pytest.raises(ExpressionError, match=r"[\d,]+ paths between two vertices: .* graphs of some 15 edges"):
        algebra.optimal_expressions(ladder)
    assert algebra.pages(ladder).multiplications == algebra.expressions(ladder).multiplications
    with pytest.raises(TypeError, match="Expected a Timeline, not a CGraph"):
        algebra.expressions_of(ladder)
    with pytest.raises(TypeError, match="Expected a text such as"):
        algebra.parsed(ladder)
