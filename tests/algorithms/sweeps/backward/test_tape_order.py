"""The tape, naive and with flags, and cut into parts."""

import numpy as np

import adviz as ad
from adviz.algorithms.examples.small_functions import batches
from adviz.algorithms.sweeps.backward import parallel_tape, tape, tape_entries, tape_parts

from ....engine.derivatives import assert_close
from ..running import adjoints, log, run, visits


def with_dead_code(x):
    forgotten = np.exp(x)
    forgotten = forgotten * forgotten
    return np.sin(x)


def test_the_naive_tape_plays_every_entry_and_the_flags_skip_the_dead():
    graph = ad.trace(with_dead_code, 1.0)
    assert visits(tape(graph)) == [4, 3, 2, 1, 0]
    assert visits(tape(graph, flags=True)) == [4, 3, 0]
    assert [line for line in log(tape(graph, flags=True)) if line.startswith("skip")] == ["skip 2", "skip 1"]


def test_every_entry_has_a_adjoint_from_the_start_and_keeps_it():
    graph = ad.trace(with_dead_code, 1.0)
    for algorithm in (tape(graph), tape(graph, flags=True)):
        end, (seed, *_) = run(algorithm)
        begun = {edit.key[1]: edit.after for edit in seed.edits if edit.key[0] == "adjoint"}
        assert begun == {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0, 4: 1.0}
        assert {key[1] for key in end if key[0] == "adjoint"} == begun.keys()


def test_entries_end_with_the_last_value_that_is_wanted():
    def program(x):
        a = x + 1.0
        b = a * 2.0
        return a, b, a, x

    graph = ad.trace(program, 1.0)
    assert len(graph) == 7
    assert [tape_entries(graph, [output]) for output in graph.outputs] == [[0, 1, 3], [0, 1, 2, 4], [0, 1, 5], [0, 6]]
    assert tape_entries(graph, [5, 3]) == [0, 1, 3, 5]
    assert visits(tape(graph, {3: 1.0}, flags=True)) == [3, 1, 0]
    assert visits(tape(graph, {3: 1.0})) == [6, 5, 4, 3, 2, 1, 0]


def three_batches():
    rng = np.random.default_rng(1)
    weights, data = [rng.normal(size=(5, 4)), rng.normal(size=(4, 2))], rng.normal(size=(3, 6, 5))
    return ad.trace(batches, weights, *data)


def test_batches_are_stretches_of_the_tape():
    graph = three_batches()
    parts = tape_parts(graph)
    assert len(parts) == 3
    for part, output in zip(parts, graph.outputs, strict=True):
        weights, data = [node for node in part if node in graph.inputs][:2], part[2]
        assert (weights, data in graph.inputs, part[-1]) == (graph.inputs[:2], True, output)
        assert part[3:-1] == list(range(part[3], part[-2] + 1))


def test_parts_meet_where_a_value_is_shared_that_is_no_input():
    shared = ad.trace(lambda w, x, z: (np.sin(w) * x, np.sin(w) * z), 1.0, 2.0, 3.0)
    assert len(tape_parts(shared)) == 2

    def meeting(w, x, z):
        s = np.sin(w)
        return s * x, s * z

    assert tape_parts(ad.trace(meeting, 1.0, 2.0, 3.0)) == [[0, 1, 2, 3, 4, 5, 6, 7]]


def test_devices_take_turns_and_the_sum_comes_last():
    graph = three_batches()
    seeds = dict.fromkeys(graph.outputs, 1.0)
    end, steps = run(parallel_tape(graph, seeds))
    device_of = {node: device for device, part in enumerate(tape_parts(graph)) for node in part}
    assert [device_of[step.focus[0]] for step in steps[:12]] == [0, 1, 2] * 4
    assert [step.kind for step in steps[-9:]] == ["accumulate"] * 9  # two weights and a batch on each of three devices
    for one, other in zip(
        adjoints(graph, parallel_tape(graph, seeds)), adjoints(graph, tape(graph, seeds)), strict=True
    ):
        assert_close(one, other, 1e-14)
    assert not any(key[0] == "device" and key[2] == ("adjoint", 0) for key in end)


def test_parts_without_a_seed_are_not_played():
    graph = three_batches()
    _, steps = run(parallel_tape(graph, {graph.outputs[1]: 1.0}))
    played = {node for step in steps for node in step.focus}
    assert played == set(tape_parts(graph)[1])
