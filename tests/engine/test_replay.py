"""The rules of all Blocks, applied to nodes of a trace of arrays that is to hold at every point.

A Block is recorded at its example together with the products of its local Jacobians, which are nodes, too. Recomputed
at other points, these are what the rule gives there: nothing in a rule is decided by the data.
"""

import warnings
from typing import Any

import numpy as np
import pytest

from adviz.engine.blocks import BLOCK_OF, Block
from adviz.engine.jacobians.local import Flat
from adviz.engine.trace_errors import MissingBlockError
from tests.stage import rules_page

from ..primitives import cube
from .symbolic import graph_of, recomputed
from .test_blocks import CASES, RULES, TABLE, differentiable, points


def examples() -> dict[str, tuple[Block, list[Any], list[int]]]:
    """Every Block with operands, and the places of those that are differentiated."""
    found: dict[str, tuple[Block, list[Any], list[int]]] = {}
    for entries in rules_page.entries().values():
        for each in entries:
            graph, numbers = each.graph, each.graph.operands(each.node)
            data = [graph.values[k] if k >= 0 else graph.literal(k) for k in numbers]
            found[f"{len(found)} {each.block.name}: {each.text}"] = (
                each.block,
                data,
                [p for p, k in enumerate(numbers) if k >= 0],
            )
    for block in TABLE:
        for k, operands in enumerate(CASES.get(block.name, [])):
            found[f"{block.name} {k}"] = block, [*operands], [p for p, x in enumerate(operands) if differentiable(x)]
    for ufunc in RULES:
        found[f"{ufunc.__name__} of arrays"] = BLOCK_OF[ufunc], [*points(ufunc)[:, :6]], [*range(ufunc.nin)]
    return {name: (block, data, places) for name, (block, data, places) in found.items() if places}


EXAMPLES = examples()


def products(block: Block, operands: list[Any], places: list[int], tangents: Any, adjoint: Any) -> list[Any]:
    """The value of a Block, and the products of its local Jacobians with an adjoint and with tangents."""
    value = block(*operands)
    jacobians = block.local_jacobians(value, operands, places)
    assert None not in jacobians
    pairs = [(each, tangent) for each, tangent in zip(jacobians, tangents, strict=True) if not isinstance(each, Flat)]
    return [value, *(each.vjp(adjoint) for each, _ in pairs), *(each.jvp(tangent) for each, tangent in pairs)]


MOVES = {
    "there": lambda x: x,
    "in reverse": lambda x: np.flip(x).copy() if np.ndim(x) else x,
    "a little larger": lambda x: x * 1.03,
    "with other signs": lambda x: x * np.where(np.arange(np.size(x)) % 2, 1, -1) if np.ndim(x) == 1 else x,
}


@pytest.mark.every
@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize(("block", "operands", "places"), EXAMPLES.values(), ids=EXAMPLES)
@np.errstate(all="ignore")
def test_a_rule_on_nodes_is_the_rule_at_every_point(block, operands, places):
    rng = np.random.default_rng(4)

    def like(x):
        drawn = rng.normal(size=np.shape(x))
        return drawn if np.ndim(x) else float(drawn)

    def with_data(data):
        whole = list(operands)
        for place, each in zip(places, data, strict=True):
            whole[place] = each
        return whole

    value, data = block.compute(*operands), tuple(operands[place] for place in places)
    tangents, adjoint = tuple(map(like, data)), like(value)
    with warnings.catch_warnings(action="ignore"):
        graph = graph_of(lambda x, *others: products(block, with_data(x), places, *others), data, tangents, adjoint)
    compared = 0
    for move in MOVES.values():
        there = [move(each) for each in data]
        try:
            wanted = products(block, with_data(there), places, tangents, adjoint)
        except (np.linalg.LinAlgError, TypeError):  # a matrix without what is asked for, complex numbers
            continue
        if np.shape(wanted[0]) == np.shape(value):
            compared += 1
            found = recomputed(graph, *there, *tangents, adjoint)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
                assert np.shape(one) == np.shape(other)
    assert compared >= 2


def test_every_block_is_replayed():
    shown = {id(block) for block, *_ in EXAMPLES.values()}
    left = {block.name for block in rules_page.BLOCKS if block.number <= LAST and id(block) not in shown}
    assert left == {"input"}


LAST = max(block.number for block, *_ in EXAMPLES.values())
"""Other tests add Blocks to the tables."""


def test_a_block_of_ones_own_is_a_node_and_its_rule_is_refused_by_name():
    block, x = cube(), np.array([1.0, 2.0])
    (found,) = recomputed(graph_of(lambda x: block(x), x), 2 * x)
    np.testing.assert_array_equal(found, (2 * x) ** 3)
    with pytest.raises(MissingBlockError, match="cube has no second derivatives"):
        graph_of(lambda x: products(block, [x], [0], [x], x), x)
