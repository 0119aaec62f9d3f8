"""What the survey of dynamic graphs claims of its frameworks, cell by cell, and where it errs."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.examples.small_functions import CASES, Cases
from adviz.algorithms.sweeps.backward import reference_counting, tape
from adviz.algorithms.sweeps.comparison import ENGINES
from adviz.algorithms.sweeps.forward import evaluation, lazy_evaluation

from ...engine.derivatives import assert_close
from ..sweeps.running import adjoints, run, visits

NODE_GRAPHS = ["recursion", "toposort", "rank_heap", "use_counts"]
TAPES = ["tape", "tape with flags"]
ORDERS = ["BigNet, then SmallNet", "SmallNet, then BigNet"]
each_order = pytest.mark.parametrize("order", ORDERS)


def test_a_case_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(KeyError, match="no example is called 'BIGNET then smallnet'; did you mean 'BigNet, then"):
        CASES["BIGNET then smallnet"]
    with pytest.raises(KeyError, match=r"called 3\. There are 'fan-out', 'auto-encoder'"):
        CASES[3]
    assert CASES.get("fanout") is None


@pytest.mark.parametrize("name", [*CASES])
def test_a_case_of_several_results_says_which_of_them_are_wanted(name):
    case = CASES[name]
    graph = ad.trace(case.program, *case.arguments)
    assert (case.seeds is None) == (len(graph.outputs) == 1)
    assert set(case.seeds or ()) <= set(range(len(graph.outputs)))


class Nets:
    """The graph of both nets, and which nodes belong to which."""

    def __init__(self, order: str):
        case = CASES[order]
        self.graph = ad.trace(case.program, *case.arguments)
        self.loss1, self.loss2 = self.graph.outputs
        big, small = ({loss, *self.graph.ancestors(loss)} for loss in self.graph.outputs)
        self.big, self.small = big - small, small - big
        self.seeds = {self.loss2: 1.0}
        self.big_inputs = self.big & set(self.graph.inputs)

    def of_big(self, nodes) -> set[int]:
        """The operations of BigNet among some nodes."""
        return set(nodes) & self.big - self.big_inputs - {self.loss1}

    def evaluated(self, algorithm) -> set[int]:
        return self.of_big(step.focus[0] for step in run(algorithm)[1])


@each_order
def test_immediate_evaluation_runs_both_nets(order):
    nets = Nets(order)
    assert nets.evaluated(evaluation(nets.graph)) == nets.of_big(nets.big)


def test_a_lazy_tape_runs_bignet_if_it_came_first_and_not_if_it_came_second():
    first, second = map(Nets, ORDERS)
    assert first.evaluated(lazy_evaluation(first.graph, [first.loss2])) == first.of_big(first.big)
    assert second.evaluated(lazy_evaluation(second.graph, [second.loss2])) == set()


@each_order
def test_a_lazy_graph_of_nodes_never_runs_bignet(order):
    nets = Nets(order)
    assert nets.evaluated(lazy_evaluation(nets.graph, [nets.loss2], on_demand=True)) == set()


@each_order
@pytest.mark.parametrize("name", NODE_GRAPHS)
def test_graphs_of_nodes_visit_only_smallnet_and_touch_nothing_of_bignet(order, name):
    nets = Nets(order)
    end, steps = run(ENGINES[name](nets.graph, nets.seeds))
    assert not {node for step in steps for node in step.focus} & nets.big
    assert not {key[1] for key in end if key[0] == "adjoint"} & nets.big


@each_order
def test_the_naive_tape_differentiates_both_nets_with_zeros(order):
    nets = Nets(order)
    end, steps = run(tape(nets.graph, nets.seeds))
    assert nets.of_big(step.focus[0] for step in steps if step.kind == "product") == nets.of_big(nets.big)
    assert all(not np.any(end["adjoint", node]) for node in nets.big)


@each_order
def test_the_survey_errs_on_dynet_which_skips_bignet_on_the_way_back(order):
    nets = Nets(order)
    _, steps = run(tape(nets.graph, nets.seeds, flags=True))
    assert not {step.focus[0] for step in steps if step.kind in ("visit", "product", "accumulate")} & nets.big
    skipped = {step.focus[0] for step in steps if step.kind == "skip"}
    assert nets.of_big(skipped) == (nets.of_big(nets.big) if order == ORDERS[0] else set())


@each_order
def test_dynet_sets_adjoints_to_zero_for_all_of_the_tape_that_it_scans(order):
    nets = Nets(order)
    _, (seed, *steps) = run(tape(nets.graph, nets.seeds, flags=True))
    begun = {edit.key[1] for edit in seed.edits if edit.key[0] == "adjoint"}
    assert nets.of_big(begun) == (nets.of_big(nets.big) if order == ORDERS[0] else set())
    assert begun == {step.focus[0] for step in steps if step.kind in ("visit", "skip")}


@each_order
@pytest.mark.parametrize("name", TAPES)
def test_parameters_of_bignet_get_zeros_from_a_tape(order, name):
    nets = Nets(order)
    end, _ = run(ENGINES[name](nets.graph, nets.seeds))
    assert nets.big_inputs
    for node in nets.big_inputs:
        assert end["adjoint", node].shape == nets.graph.values[node].shape
        assert not end["adjoint", node].any()


@each_order
def test_bignet_goes_with_its_loss_but_not_from_a_tape(order):
    nets = Nets(order)
    freed = [step.focus[0] for step in run(reference_counting(nets.graph, [nets.loss1]))[1] if step.kind == "free"]
    assert set(freed) == nets.big - nets.big_inputs
    assert "free" not in {step.kind for step in run(reference_counting(nets.graph, [nets.loss1], tape=True))[1]}


def test_two_graphs_made_at_the_same_time_do_not_meet_where_nodes_are_followed():
    case = CASES["mixed graphs"]
    graph = ad.trace(case.program, *case.arguments)
    u, v, product = graph.outputs
    of_u, of_v = ({output, *graph.ancestors(output)} for output in (u, v))
    assert not of_u & of_v
    for name in NODE_GRAPHS:
        assert set(visits(ENGINES[name](graph, {u: 1.0}))) <= of_u
    skipped = {step.focus[0] for step in run(tape(graph, {u: 1.0}, flags=True))[1] if step.kind == "skip"}
    assert skipped == {node for node in of_v if node < max(of_u - {u})}
    assert of_v <= set(visits(tape(graph, {u: 1.0})))
    together = [adjoints(graph, engine(graph, {product: 1.0})) for engine in ENGINES.values()]
    expected = ad.grad(lambda x, y: case.program(x, y)[2], (0, 1))(*case.arguments)
    for found in together:
        assert_close(found, expected, 1e-13)


def test_a_dead_branch_is_played_by_the_naive_tape_alone():
    case = CASES["dead branch"]
    graph = ad.trace(case.program, *case.arguments)
    dead = {node for node in range(len(graph)) if not graph.live[node]}
    played = {name: set(visits(engine(graph))) & dead for name, engine in ENGINES.items()}
    assert played == {name: dead if name == "tape" else set() for name in ENGINES}
    freed = [step.focus[0] for step in run(reference_counting(graph, []))[1] if step.kind == "free"]
    assert set(freed) == dead


def test_an_infinite_partial_spoils_the_naive_tape_alone():
    case = CASES["infinite dead branch"]
    graph = ad.trace(case.program, *case.arguments)
    assert {name: float(adjoints(graph, engine(graph))[0]) for name, engine in ENGINES.items() if name != "tape"} == {
        name: 1.0 for name in ENGINES if name != "tape"
    }
    assert np.isnan(adjoints(graph, tape(graph))[0])


def test_cases_are_shown_as_lines_of_names_and_what_they_show():
    lines = repr(ad.examples).splitlines()
    assert len(lines) == len(ad.examples)
    assert "lion                   edges beat vertices: every order of vertices costs 12" in lines
    assert repr(Cases()) == ""
