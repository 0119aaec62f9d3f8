"""Products are counted by one of the conventions of the literature."""

import numpy as np
import pytest

import adviz as ad
from adviz import Counting

DENSE = np.ones((2, 3))
DIAGONAL = ad.Diagonal(np.array([2.0, 3.0]), (2,), (2,))
IDENTITY = ad.Diagonal(1.0, (2,), (2,))


@pytest.mark.parametrize(
    ("count", "head", "tail", "sizes", "expected"),
    [
        ("sparse", 2.0, 3.0, (1, 1, 1), 1),
        ("sparse", DENSE.T, DENSE, (3, 2, 3), 18),
        ("sparse", DIAGONAL, DENSE, (2, 2, 3), 6),
        ("sparse", DENSE.T, DIAGONAL, (3, 2, 2), 6),
        ("sparse", DIAGONAL, DIAGONAL, (2, 2, 2), 2),
        ("sparse", IDENTITY, DENSE, (2, 2, 3), 6),
        ("sparse", DIAGONAL, 1, (2, 2, 2), 2),
        ("scalar", DIAGONAL, DENSE, (2, 2, 3), 12),
        ("scalar", 1, DENSE, (2, 2, 3), 12),
        ("block", DIAGONAL, DENSE, (2, 2, 3), 1),
    ],
)
def test_a_product_takes_so_many_multiplications(count, head, tail, sizes, expected):
    assert Counting(count).multiplications(head, tail, sizes) == expected


@pytest.mark.parametrize("unit", [1, -1, IDENTITY])
@pytest.mark.parametrize("count", ["sparse", "scalar", "block"])
def test_units_may_be_free(count, unit):
    free = Counting(count, units=False)
    assert free.multiplications(unit, DENSE, (2, 2, 3)) == 0 == free.multiplications(DENSE.T, unit, (3, 2, 2))
    assert Counting(count).multiplications(unit, DENSE, (2, 2, 3)) > 0


@pytest.mark.parametrize("number", [2, 0, 1.0, -1.0])
def test_what_is_1_at_this_point_only_is_no_unit(number):
    assert Counting(units=False).multiplications(number, 0.5, (1, 1, 1)) == 1


@pytest.mark.parametrize(
    ("count", "one", "other", "expected"),
    [
        ("sparse", 2.0, 3.0, 1),
        ("sparse", np.ones((2, 2)), np.ones((2, 2)), 4),
        ("sparse", 1, np.ones((2, 2)), 2),
        ("sparse", DIAGONAL, DIAGONAL, 2),
        ("sparse", DIAGONAL, np.ones((2, 2)), 2),
        ("scalar", DIAGONAL, DIAGONAL, 4),
        ("block", DIAGONAL, DIAGONAL, 1),
    ],
)
def test_a_sum_takes_so_many_additions(count, one, other, expected):
    sizes = (1, 1) if isinstance(one, float) else (2, 2)
    edges = [(0, 1), (0, 1)]
    total = ad.CGraph.from_edges(edges, {0: sizes[1], 1: sizes[0]}, [one, other]).partial(0, 1)
    assert Counting(count).additions(one, other, total, sizes) == expected


def test_what_is_no_convention_is_refused_before_anything_changes():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2)])
    sides = {ad.vertex_elimination: graph, ad.edge_elimination: graph, ad.face_elimination: ad.line_graph(graph)}
    for elimination, side in sides.items():
        with pytest.raises(TypeError, match=r"counting is 'block'; expected a Counting, such as adviz\.Count"):
            elimination(side, "forward", "block")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": "flops"}, "count is 'flops'; expected one of 'sparse', 'scalar', 'block'"),
        ({"units": "no"}, "units is 'no'; expected True or False"),
        ({"cost": 3}, "cost is 3; expected a function of head, tail and sizes"),
    ],
)
def test_options_that_there_are_not_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        Counting(**options)


def test_a_cost_of_ones_own_takes_the_place_of_the_count_but_for_free_units():
    def flops(head, tail, sizes):
        return (2 * sizes[1] - 1) * sizes[0] * sizes[2]

    assert Counting(cost=flops).multiplications(DENSE.T, DENSE, (3, 2, 3)) == 27
    assert Counting(cost=flops, units=False).multiplications(DENSE, IDENTITY, (2, 2, 3)) == 0
    assert Counting(cost=lambda *product: 0.5).multiplications(2.0, 3.0, (1, 1, 1)) == 0.5
    assert Counting("block", cost=flops).additions(DENSE, DENSE, DENSE, (2, 3)) == 1


def broken(head, tail, sizes):
    return 1 / 0


def negative(head, tail, sizes):
    return -1


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (negative, r"The cost negative returned -1 for the product of 2×3 and 5 between .*; expected a finite number"),
        (broken, "The cost broken raised ZeroDivisionError for the product of 2×3 and 5 between .*: division by zero"),
        (lambda *product: np.nan, "<lambda> returned nan"),
        (lambda *product: "many", "<lambda> returned 'many'"),
        (lambda *product: None, "<lambda> returned None"),
        (lambda: 1, "<lambda> raised TypeError"),
    ],
)
def test_a_cost_that_is_no_number_names_the_function(cost, message):
    with pytest.raises(ValueError, match=message):
        Counting(cost=cost).multiplications(DENSE, 5, (2, 3, 3))
    graph = ad.CGraph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="The cost "):
        ad.optimal_order(graph, cost=cost)
