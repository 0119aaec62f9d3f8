"""What sweeps can start from, and that anything else is refused before the state is touched."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.backward import parallel_tape
from adviz.algorithms.sweeps.comparison import ENGINES, compare
from adviz.algorithms.sweeps.forward import forward_flow
from adviz.algorithms.sweeps.seeds import SeedError

from ...engine.derivatives import assert_close
from .running import adjoints

VECTOR = ad.trace(lambda x: x * x, np.array([1.0, 2.0, 3.0]))
PAIR = ad.trace(lambda x: (x + 1.0, x * 2.0), 3.0)
each_engine = pytest.mark.parametrize(
    "engine", [*ENGINES.values(), parallel_tape, compare], ids=[*ENGINES, "parallel_tape", "compare"]
)


def start(engine, graph, seeds):
    return engine(graph, seeds=seeds)


BAD = {
    "an output of 3 entries: say what to differentiate": (VECTOR, None),
    "2 outputs: say what to differentiate": (PAIR, None),
    "seeds is empty": (PAIR, {}),
    r"node 1 is not an output of <lambda>; its outputs are \[3, 4\]": (PAIR, {1: 1.0}),
    r"node 'y' is not an output": (PAIR, {"y": 1.0}),
    r"the seed of result 0 \(node 2\) has shape \(2,\); it can be \(3,\), or a matrix of shape \(p, 3\)": (
        VECTOR,
        {2: [1.0, 2.0]},
    ),
    r"has shape \(3, 2\); it can be": (VECTOR, {2: np.ones((3, 2))}),
    r"has shape \(\); it can be": (VECTOR, {2: 1.0}),
    r"the seed of result 0 \(node 2\) is not made of real numbers": (VECTOR, {2: ["one", "two", "three"]}),
    r"result 0 \(node 3\) is not made of real numbers": (PAIR, {3: 1j}),
    r"the seed of result 1 \(node 4\) is not made of real numbers": (PAIR, {4: np.array(1.0 + 0j)}),
    "all adjoints, or all matrices": (PAIR, {3: 1.0, 4: [[1.0]]}),
    "of the same number of rows": (PAIR, {3: [[1.0], [2.0]], 4: [[1.0]]}),
}


@each_engine
@pytest.mark.parametrize("words", BAD)
def test_what_does_not_fit_is_refused_when_the_engine_is_asked_for(engine, words):
    graph, seeds = BAD[words]
    with pytest.raises(SeedError, match=words):
        start(engine, graph, seeds)
    assert issubclass(SeedError, ValueError)


def test_a_graph_without_outputs_has_nothing_to_start_from():
    with pytest.warns(ad.IndependentOutputWarning):
        graph = ad.trace(lambda x: 1.0, 3.0)
    with pytest.raises(SeedError, match="does not depend on x, so every derivative is 0"):
        ENGINES["tape"](graph)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_vector_gives_one_product_and_a_matrix_one_per_row(engine):
    seed = np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 0.5]])
    (rows,) = adjoints(VECTOR, engine(VECTOR, {2: seed}), rows=2)
    assert_close(rows, seed * [2.0, 4.0, 6.0], 1e-15)
    for row, vector in zip(rows, seed, strict=True):
        (found,) = adjoints(VECTOR, engine(VECTOR, {2: vector}))
        assert_close(found, row, 1e-15)
    (none,) = adjoints(VECTOR, engine(VECTOR, {2: np.zeros((0, 3))}), rows=0)
    assert none.shape == (0, 3)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_the_seed_that_was_given_is_not_written_to(engine):
    seed = np.ones(3)
    adjoints(VECTOR, engine(VECTOR, {2: seed}))
    assert seed.tolist() == [1.0, 1.0, 1.0]


BAD_DIRECTIONS = {
    r"node 2 is not an input of <lambda>; its inputs are \[0\]": {2: np.ones(3)},
    r"the tangent of input 0 has shape \(\); the input has \(3,\)": {0: 1.0},
    "the tangent of input 0 is not made of real numbers": {0: [1j, 0, 0]},
}


@pytest.mark.parametrize("words", BAD_DIRECTIONS)
def test_a_direction_that_does_not_fit_is_refused(words):
    with pytest.raises(SeedError, match=words):
        forward_flow(VECTOR, BAD_DIRECTIONS[words])
