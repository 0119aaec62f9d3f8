"""The least vertex cut against all sets that separate, in both engines."""

from itertools import chain, combinations

import pytest
from hypothesis import given

from adviz.algorithms.search import cuts, masks
from adviz.algorithms.search.engines import NumbaEngine, PythonEngine
from adviz.algorithms.search.problem import bits, mask_of, room_for

from .brute import structures


def is_cut(preds, inside, j, cut):
    """Whether no path leads from what stays to ``j`` around a set."""
    return not masks.reached([near & ~cut for near in preds], inside, j)


@pytest.mark.parametrize("engine", [PythonEngine, NumbaEngine])
@given(structures(5))
def test_a_cut_is_the_lightest_set_that_separates_a_vertex(engine, structure):
    engine = engine()
    preds, sizes = engine.array(structure.preds), engine.array(structure.sizes)
    room = room_for(len(sizes), engine.array)
    for j in bits(structure.inside):
        others = [v for v in range(len(sizes)) if v < j]
        sets = map(mask_of, chain.from_iterable(combinations(others, n) for n in range(len(others) + 1)))
        lightest = min(
            cuts.weight(cut, structure.sizes) for cut in sets if is_cut(structure.preds, structure.inside, j, cut)
        )
        assert engine.moves.cut(preds, sizes, structure.inside, j, room) == lightest
        assert not any(chain(room.flow, room.through, room.carriers))
