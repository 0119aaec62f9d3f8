"""Every way to run backward, and the forward flow: one Jacobian on random programs, and the laws of Steps."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.sweeps.backward import parallel_tape, reference_counting, use_counts
from adviz.algorithms.sweeps.comparison import ENGINES
from adviz.algorithms.sweeps.forward import evaluation, forward_flow, lazy_evaluation
from adviz.engine.calls import leaves, rebuild
from adviz.engine.trace import record

from ...agreement.programs import programs
from ...agreement.test_functions import CALLS
from ...engine.derivatives import assert_close
from .running import adjoints, run

REVERSE = ENGINES | {"parallel_tape": parallel_tape}
each_engine = pytest.mark.parametrize("engine", REVERSE.values(), ids=REVERSE)


def quietly_traced(f, *arguments, **settings):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        return ad.trace(f, *arguments, **settings)


def weights_of(graph):
    """Seeds for all outputs, the weights that ``Program.loss`` gives them."""
    shapes = {output: np.shape(graph.values[output]) for output in graph.outputs}
    return {
        output: np.cos(np.arange(float(np.prod(shape))) + k).reshape(shape)
        for k, (output, shape) in enumerate(shapes.items())
    }


def rows_of_identity(graph):
    """Seeds that give the whole Jacobian of all outputs, one below the other."""
    sizes = [int(np.size(graph.values[output])) for output in graph.outputs]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    return dict(zip(graph.outputs, parts, strict=True)), sum(sizes)


def forward_jacobian(graph):
    state, _ = run(forward_flow(graph))
    return np.concatenate([state["tangent", output] for output in graph.outputs])


@each_engine
@given(program=programs(size=15))
@settings(max_examples=30)
def test_adjoints_are_the_gradient_that_grad_finds(engine, program):
    graph = quietly_traced(partial(program, np), *program.inputs())
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        expected = ad.grad(partial(program.loss, np), tuple(range(len(program.shapes))))(*program.inputs())
    for one, other in zip(adjoints(graph, engine(graph, weights_of(graph))), expected, strict=True):
        assert_close(one, other, 1e-11)


@each_engine
@pytest.mark.parametrize("grain", ["array", "scalar"])
@given(program=programs(size=12))
@settings(max_examples=30)
def test_matrices_of_adjoints_give_the_jacobian_of_the_forward_flow(engine, grain, program):
    graph = quietly_traced(partial(program, np), *program.inputs(), grain=grain)
    seeds, rows = rows_of_identity(graph)
    found = np.concatenate(adjoints(graph, engine(graph, seeds), rows), axis=1)
    assert_close(found, forward_jacobian(graph), 1e-11)


@given(program=programs(shapes=[(), (3,)], size=8))
@settings(max_examples=20)
def test_the_forward_flow_finds_the_jacobian(program):
    graph = quietly_traced(partial(program, np), *program.inputs())
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        blocks = ad.jacobian(partial(program, np), tuple(range(len(program.shapes))))(*program.inputs())
    sizes = [int(np.prod(shape)) for shape in program.shapes]
    rows = [[np.reshape(block, (-1, size)) for block, size in zip(row, sizes, strict=True)] for row in blocks]
    assert_close(forward_jacobian(graph), np.block(rows), 1e-11)


@given(program=programs(size=12))
@settings(max_examples=30)
def test_a_direction_flows_as_the_jacobian_says(program):
    graph = quietly_traced(partial(program, np), *program.inputs())
    direction = {node: np.sin(np.asarray(graph.values[node]) + node) for node in graph.inputs}
    state, _ = run(forward_flow(graph, direction))
    found = np.concatenate([np.ravel(state["tangent", output]) for output in graph.outputs])
    moved = np.concatenate([np.ravel(direction[node]) for node in graph.inputs])
    assert_close(found, forward_jacobian(graph) @ moved, 1e-11)


SWEEPS = REVERSE | {"in place": partial(use_counts, in_place=True)}
FORWARD = {
    "forward flow": lambda graph, seeds, state: forward_flow(graph, state=state),
    "direction": lambda graph, seeds, state: forward_flow(graph, {}, state=state),
    "evaluation": lambda graph, seeds, state: evaluation(graph, state=state),
    "lazy evaluation": lambda graph, seeds, state: lazy_evaluation(graph, graph.outputs[:1], state=state),
    "on demand": lambda graph, seeds, state: lazy_evaluation(graph, graph.outputs[:1], on_demand=True, state=state),
    "reference counting": lambda graph, seeds, state: reference_counting(graph, graph.outputs[::-1], state=state),
}


@pytest.mark.parametrize("sweep", (SWEEPS | FORWARD).values(), ids=SWEEPS | FORWARD)
@pytest.mark.parametrize("grain", ["array", "scalar"])
@given(program=programs(size=10))
@settings(max_examples=15)
def test_steps_lead_from_nothing_to_the_end_and_back(sweep, grain, program):
    graph = quietly_traced(partial(program, np), *program.inputs(), grain=grain)
    weights = weights_of(graph)
    end: dict = {}
    steps = list(sweep(graph, weights, state=end))
    assert ad.rewind(end, steps) == {}
    assert ad.replay({}, steps).keys() == end.keys()


@each_engine
@given(program=programs(size=12))
@settings(max_examples=15)
def test_nothing_is_left_on_its_way(engine, program):
    graph = quietly_traced(partial(program, np), *program.inputs())
    end, _ = run(engine(graph, weights_of(graph)))
    assert {key[0] for key in end} <= {
        "stored", "adjoint", "times_used", "times_visited", "rank", "flag", "device"
    }  # fmt: skip


def with_dead_nodes(x, y):
    np.sin(x) * y
    return np.sum(x * y), np.sum(np.sin(y))


def written_in_the_middle(x, y):
    z = np.ones(3)
    z[1] = np.sum(x * y)
    return z


RESULTS = {
    "a constant": lambda x, y: 3.0,
    "constants beside": lambda x, y: (2.0, x * y, np.ones(3)),
    "the first entry constant": lambda x, y: np.stack([1.0, np.sum(x * y)]),
    "the last entry constant": lambda x, y: np.stack([np.sum(x * y), 1.0]),
    "entries around one that is written": written_in_the_middle,
    "several arrays of both": lambda x, y: (
        np.stack([np.sum(x), 1.0]), x * y, np.stack([1.0, np.sum(y)]), np.stack([np.sum(y), 3.0])
    ),
    "an input": lambda x, y: x,
    "inputs": lambda x, y: (y, x, y),
    "one result twice": lambda x, y: (x * y,) * 2,
    "one that feeds another": lambda x, y: (x * y, np.sin(x * y), x),
    "dead nodes": with_dead_nodes,
    "derivatives that are zero": lambda x, y: (x * y, np.floor(x), np.sign(y)),
    "one input unused": lambda x, y: x * x,
}  # fmt: skip


def assert_adjoints_of_vjp(engines, f, inputs, grain):
    """With a weight for each entry of the results; those that are constant have no node."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        traced = record(f, inputs, {}, grain).trace()
        values, pullback = ad.vjp(f, *inputs, grain=grain)
    weights = [
        np.cos(1.0 + np.arange(float(np.size(value)))).reshape(np.shape(value)) for _, value in leaves(values, "")
    ]
    wanted = np.concatenate([*map(np.ravel, pullback(rebuild(values, iter(weights))))])
    seeds = {}
    for leaf, weight in zip(traced.outputs, weights, strict=True):
        seeds |= dict(zip(leaf.nodes, [weight] if grain == "array" else np.ravel(weight), strict=bool(leaf.nodes)))
    for engine in engines if seeds else ():
        found = np.concatenate([*map(np.ravel, adjoints(traced.graph, REVERSE[engine](traced.graph, seeds)))])
        assert_close(found, wanted, 1e-9, engine)


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize("f", RESULTS.values(), ids=RESULTS)
def test_adjoints_of_results_that_are_constant_inputs_or_alike(f, grain):
    assert_adjoints_of_vjp(REVERSE, f, (0.5, 2.0), grain)
    assert_adjoints_of_vjp(REVERSE, f, (np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])), grain)


@given(st.sampled_from(sorted(CALLS)), st.sampled_from(["array", "scalar"]))
@settings(max_examples=60)
def test_adjoints_of_numpys_functions(text, grain):
    """Except for the tape without flags, which passes zeros on where partials are infinite."""
    f = eval(f"lambda x: ({text}, 1.0 * x[0])", {"np": np})
    try:
        assert_adjoints_of_vjp(REVERSE.keys() - {"tape"}, f, (CALLS[text].x,), grain)
    except ad.AdvizError:  # where there is no Block for the grain
        assume(False)


@pytest.fixture(scope="module")
def long_chain():
    def chain(x):
        for _ in range(10_000):
            x = 0.99999 * x + 0.001
        return x

    return ad.trace(chain, 1.0)


@pytest.mark.slow
@each_engine
def test_a_chain_of_20_000_operations(engine, long_chain):
    assert len(long_chain) > 20_000
    state: dict = {}
    for _ in engine(long_chain, state=state):
        pass
    assert_close(state["adjoint", 0], 0.99999**10_000, 1e-10)
