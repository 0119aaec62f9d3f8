"""The layout: sizes from texts, places by Graphviz in its worker, and the layered layout where that is not possible."""

import copy
import json
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.stage.layout import layered, placing
from adviz.stage.layout import placing as layout
from adviz.stage.scene import theme
from adviz.stage.scene.text_widths import fit, printable, width

from ..panels import HOSTILE, edge, every_kind, node, panel, random_panel

PATIENCE = 60.0
"""Seconds for what takes some milliseconds where nothing else runs."""

panels = st.builds(random_panel, st.integers(1, 60), st.integers(0, 10**6))


@pytest.fixture
def worker():
    """A worker of the test's own."""
    worker = placing.Worker()
    yield worker
    worker.stop()


def job(unplaced):
    """Return what the layout asks of a worker."""
    jobs = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "placement", lambda job, _: (jobs.append(job) or layered.place(job), None))
        layout.place(unplaced)
    return jobs[0]


def linear(unplaced):
    """Place a panel as where Graphviz is missing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placing, "find_spec", lambda _: None)
        patch.setattr(layout, "worker", placing.Worker())
        return layout.place(unplaced)


def overlapping(placed, gap=0.0):
    """Return the pairs of nodes whose boxes are less than `gap` apart."""
    return [
        (one["key"], other["key"])
        for one, other in combinations(placed["nodes"], 2)
        if abs(one["x"] - other["x"]) < (one["w"] + other["w"]) / 2 + gap
        and abs(one["y"] - other["y"]) < (one["h"] + other["h"]) / 2 + gap
    ]


def assert_well_placed(placed):
    """Check what holds of every placed panel: nothing overlaps, all is inside, edges go from border to border."""
    assert overlapping(placed, gap=4.0) == []
    nodes = {node["key"]: node for node in placed["nodes"]}
    for item in nodes.values():
        assert item["w"] / 2 <= item["x"] <= placed["width"] - item["w"] / 2
        assert item["h"] / 2 <= item["y"] <= placed["height"] - item["h"] / 2
    for item in placed["edges"]:
        assert len(item["points"]) % 6 == 2
        assert len(item["points"]) >= 8
        assert touches(nodes[item["tail"]], item["points"][:2])
        assert touches(nodes[item["head"]], item["points"][-2:])


def touches(item, point, tolerance=1.0):
    """Say whether a point is on the border of a node's box."""
    across, down = abs(point[0] - item["x"]) - item["w"] / 2, abs(point[1] - item["y"]) - item["h"] / 2
    return abs(max(across, down)) <= tolerance


@settings(max_examples=25)
@given(panels)
def test_graphviz_places_nodes_apart_and_edges_from_border_to_border(unplaced):
    assert_well_placed(layout.place(unplaced))


@settings(max_examples=60)
@given(panels)
def test_the_layered_layout_does_so_too(unplaced):
    assert_well_placed(linear(unplaced))


@pytest.mark.parametrize("place", [layout.place, linear])
def test_inputs_are_at_the_top_and_outputs_at_the_bottom(place):
    placed = place(every_kind())
    y = {kind: [item["y"] for item in placed["nodes"] if item["kind"] == kind] for kind in ("input", "block", "output")}
    assert len(set(y["input"])) == len(set(y["output"])) == 1
    assert max(y["input"]) < min(y["block"]) < max(y["block"]) < min(y["output"])


@pytest.mark.parametrize("place", [layout.place, linear])
def test_every_edge_of_an_acyclic_graph_goes_down(place):
    placed = place(random_panel(80, seed=3))
    y = {item["key"]: item["y"] for item in placed["nodes"]}
    assert all(y[item["tail"]] < y[item["head"]] for item in placed["edges"])


def test_an_edge_of_the_layered_layout_never_runs_through_a_node():
    placed = linear(random_panel(60, seed=5))
    for item in placed["edges"]:
        ends = (item["tail"], item["head"])
        points = list(zip(item["points"][::2], item["points"][1::2], strict=True))
        for box in placed["nodes"]:
            if box["key"] not in ends:  # the curve stays between its control points, which stay out of boxes
                assert not any(abs(x - box["x"]) < box["w"] / 2 and abs(y - box["y"]) < box["h"] / 2 for x, y in points)


def test_the_given_panel_is_not_changed():
    unplaced = every_kind()
    before = copy.deepcopy(unplaced)
    layout.place(unplaced)
    assert unplaced == before


@pytest.mark.parametrize("place", [layout.place, linear])
def test_a_panel_may_be_empty(place):
    placed = place(panel([], []))
    assert placed["nodes"] == placed["edges"] == []
    assert placed["width"] == placed["height"] == 2 * theme.MARGIN


@pytest.mark.parametrize("place", [layout.place, linear])
def test_folding_may_have_made_a_cycle(place):
    keys = [f"n{k}" for k in range(4)]
    pairs = ["01", "12", "20", "23", "13"]
    cyclic = panel([node(key, "f") for key in keys], [edge(keys[int(a)], keys[int(b)]) for a, b in pairs])
    assert_well_placed(place(cyclic))


def test_operands_and_inputs_stand_in_their_order_in_a_small_graph():
    nodes = [node("n0", "a", "input"), node("n1", "b", "input"), node("n2", "−"), node("n3", "y", "output")]
    for first, second in ("n0", "n1"), ("n1", "n0"):
        unplaced = panel(nodes, [edge(first, "n2"), edge(second, "n2"), edge("n2", "n3")])
        x = {item["key"]: item["x"] for item in layout.place(unplaced)["nodes"]}
        assert x["n0"] < x["n1"] or first == "n1"
    chain = [node(f"n{k}", "x", "input") for k in range(6)] + [node(f"n{k}", "+") for k in range(6, 11)]
    pairs = [("n0", "n6"), ("n1", "n6"), *((end, f"n{k}") for k in range(7, 11) for end in (f"n{k - 1}", f"n{k - 5}"))]
    placed = layout.place(panel(chain, [edge(*pair) for pair in pairs]))
    x = [item["x"] for item in placed["nodes"]]
    assert x[:6] == sorted(x[:6])


def test_a_node_is_as_wide_as_its_texts():
    unplaced = panel([node("n0", "+"), node("n1", "logaddexp"), node("n2", "+", detail="x = 0.123456789")], [])
    narrow, wide, detailed = (item["w"] for item in layout.place(unplaced)["nodes"])
    assert narrow == theme.MINIMAL_WIDTH
    assert wide >= width("logaddexp", theme.LABEL_SIZE) + 2 * theme.PADDING - 0.1
    assert detailed >= width("x = 0.123456789", theme.DETAIL_SIZE, "mono") + 2 * theme.PADDING - 0.1


def test_a_long_label_is_cut_and_stays_whole_in_the_title():
    name = "a_function_whose_name_is_much_longer_than_any_node_may_be_wide"
    (item,) = layout.place(panel([node("n0", name, title="a block")], []))["nodes"]
    assert item["label"].endswith("…")
    assert name.startswith(item["label"][:-1])
    assert width(item["label"], theme.LABEL_SIZE) <= theme.TEXT_LIMIT
    assert item["title"] == f"{name} · a block"


def test_no_text_of_the_user_reaches_graphviz():
    unplaced = panel([node(f"n{k}", text, detail=text) for k, text in enumerate(HOSTILE)], [])
    sent = json.dumps({**job(unplaced), "nodes": []})
    numbers = [value for sizes in job(unplaced)["nodes"] for value in sizes]
    assert all(isinstance(value, float) or value is None for value in numbers)
    assert not any(text in sent for text in HOSTILE if text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_label_shows_only_what_can_be_seen(text):
    (item,) = layout.place(panel([node("n0", text, detail=text)], []))["nodes"]
    for shown, size, font in ((item["label"], theme.LABEL_SIZE, "sans"), (item["detail"], theme.DETAIL_SIZE, "mono")):
        shown.encode()  # no lone surrogate
        assert not {"\u202e", "\x00", "\x1b", "\n", "\t", "\u2028"} & set(shown)
        assert width(shown, size, font) <= theme.TEXT_LIMIT


def test_an_accent_stays_with_its_letter_when_a_label_is_cut():
    text = "v\u0307" * 60
    cut = fit(text, 13, 100).removesuffix("…")
    assert len(cut) % 2 == 0
    assert text.startswith(cut)
    assert printable("v\u0307 ×\u200d") == "v\u0307 ×\u200d"


# The worker


def test_the_worker_is_kept_between_jobs(worker):
    worker.place(job(every_kind()), PATIENCE)
    process = worker._child.process
    worker.place(job(random_panel(20, seed=0)), PATIENCE)
    assert worker._child.process is process


def test_a_killed_worker_is_replaced(worker):
    wanted = worker.place(job(every_kind()), PATIENCE)
    worker._child.process.kill()
    worker._child.process.wait()
    assert worker.place(job(every_kind()), PATIENCE) == wanted


def test_a_worker_that_dies_over_a_job_is_reported_and_the_next_job_finds_a_new_one(worker):
    with pytest.raises(placing.NoGraphviz, match="stopped unexpectedly"):
        worker.place({"nonsense": True}, PATIENCE)
    assert worker.place(job(every_kind()), PATIENCE)


@pytest.mark.slow
def test_a_job_that_takes_too_long_ends_the_worker_and_the_panel_says_so(worker, monkeypatch):
    monkeypatch.setattr(layout, "worker", worker)
    monkeypatch.setattr(layout, "LARGE", 10**9)
    placed = layout.place(random_panel(700, seed=2, reach=700), deadline=0.5)  # for Graphviz, minutes of work
    assert placed["note"] == "Placed by the linear layout: Graphviz took longer than 0.5 s."
    assert overlapping(placed) == []
    assert layout.place(every_kind())["note"] is None


def test_a_graph_too_large_for_graphviz_is_not_even_tried(monkeypatch):
    monkeypatch.setattr(layout, "worker", None)
    keys = [f"n{k}" for k in range(layout.LARGE)]
    placed = layout.place(panel([node(key, "+") for key in keys], [edge(*pair) for pair in pairwise(keys)]))
    assert placed["note"] == "Placed by the linear layout: the graph is too large for Graphviz."


def test_without_pygraphviz_the_panel_says_so():
    assert linear(every_kind())["note"] == "Placed by the linear layout: Graphviz is not installed."


def test_where_no_process_can_be_started_the_layered_layout_takes_over(worker, monkeypatch):
    def refuse(*_, **__):
        raise OSError("emscripten does not support processes.")

    monkeypatch.setattr(placing.subprocess, "Popen", refuse)
    monkeypatch.setattr(layout, "worker", worker)
    worker.warm()
    assert "could not be started" in layout.place(every_kind())["note"]


def test_an_interrupt_does_not_leave_a_late_answer_for_the_next_job(worker):
    worker.place(job(every_kind()), PATIENCE)

    class Interrupted:
        def readline(self):
            raise KeyboardInterrupt

    worker._child = worker._child._replace(answers=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        worker.place(job(random_panel(30, seed=1)), PATIENCE)
    assert worker.place(job(every_kind()), PATIENCE)[0]["nodes"][5]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX's")
def test_the_worker_leaves_interrupts_to_the_kernel(worker):
    worker.place(job(every_kind()), PATIENCE)
    worker._child.process.send_signal(signal.SIGINT)
    process = worker._child.process
    worker.place(job(every_kind()), PATIENCE)
    assert worker._child.process is process


def test_threads_share_the_worker(worker):
    jobs = [job(random_panel(10 + k, seed=k)) for k in range(8)]
    wanted = [worker.place(each, 5.0) for each in jobs]
    answers = [None] * len(jobs)

    def ask(k):
        answers[k] = worker.place(jobs[k], 30.0)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == wanted


PROGRAM = """
import os, sys
from adviz.stage.layout.placing import place, warm
from adviz.stage.layout.placing import worker
node = dict(key="n0", kind="block", label="x", detail="", family="", title="x", repeat=1, uses=1, dead=False)
panel = dict(nodes=[node], edges=[])
"""


def run(program):
    """Run a program in a fresh Python and return what it printed."""
    result = subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, timeout=600)
    assert result.stderr == ""
    return result.stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forking is POSIX's")
def test_a_forked_process_gets_a_worker_of_its_own():
    program = """
place(panel)
parent = worker._child.process.pid
sys.stdout.flush()
if os.fork() == 0:
    print(place(panel)["note"], worker._child.process.pid != parent, flush=True)
    worker.stop()
    os._exit(0)
os.wait()
print(place(panel)["note"], worker._child.process.pid == parent)
"""
    assert run(program) == ["None", "True", "None", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="process ids are checked in POSIX's way")
def test_the_worker_ends_with_the_process_that_started_it_however_that_ends():
    (pid,) = run("place(panel); print(worker._child.process.pid, flush=True); os.kill(os.getpid(), 9)")
    for _ in range(2000):
        if not alive(int(pid)):
            return
        time.sleep(0.05)
    pytest.fail("the worker is still there")


def alive(pid):
    """Say whether a process runs (one that only waits to be collected does not)."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_warming_up_does_not_wait_and_says_nothing():
    assert run("warm(); print(worker._child is not None)") == ["True"]


@pytest.mark.slow
def test_the_first_picture_of_a_hundred_nodes_is_quick():
    """It takes one process, which loads little, and one job of it; how many seconds, `bench/explore.py` says."""
    program = f"""
sys.path.insert(0, {os.path.dirname(os.path.dirname(__file__))!r})
from panels import random_panel
ask, jobs = worker._ask, []
worker._ask = lambda *job: jobs.append(job) or ask(*job)
assert place(random_panel(100, seed=0))["note"] is None
print(len(jobs), worker._child.process.args[1:3])
"""
    assert run(program) == ["1", "['-I',", "'-S']"]
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(placing.WORKER), "."]
    loaded = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    assert not {"adviz", "numpy"} & {line.split("|")[-1].strip() for line in loaded.splitlines()}
    assert len(loaded.splitlines()) < 150


def test_of_a_long_name_the_end_is_cut_and_not_how_often_it_is_repeated():
    name = "for _ in range(a_very_long_name_of_a_number_of_iterations)"
    node = {"kind": "scope", "label": f"{name}  × 60,000", "detail": "", "title": "loop", "repeat": 60_000}
    assert layout.sized(node)["label"].endswith("… × 60,000")
    assert layout.sized({**node, "label": "for _ in x  × 60,000"})["label"] == "for _ in x × 60,000"
    assert name in layout.sized(node)["title"]
