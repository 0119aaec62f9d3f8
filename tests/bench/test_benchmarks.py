"""The benchmarks run and print what they promise. Their figures depend on the machine and are not tested."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def run(tmp_path):
    """Run a benchmark as a person does; returns what it printed and what it wrote as JSON."""

    def benchmark(script, *options):
        found = tmp_path / "found.json"
        command = [sys.executable, str(BENCH / script), "--quick", *options, "--json", str(found)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return printed, json.loads(found.read_text())

    return benchmark


def test_trace(run):
    """A line per size with plausible figures, the network beside plain NumPy, and a word on each goal."""
    printed, found = run("trace.py", "--peers")
    assert {(entry["peer"], entry["nodes"], entry["gc"]) for entry in found["chain"]} == {
        ("adviz", nodes, collector) for nodes in (1_000, 2_000) for collector in ("on", "off")
    }
    assert all(entry[key] > 0 for entry in found["chain"] for key in ("trace", "backward"))
    assert found["network"].keys() == {"adviz", "NumPy, forward only"}
    assert "| adviz |" in printed
    assert any("trace, 2,000 nodes / 1,000 nodes" in goal for goal in found["goals"])


def test_engine(run):
    """A table per program, and a derivative that agrees with the one written by hand; without peers only own goals."""
    printed, found = run("engine.py", "--peers")
    assert len(found["programs"]) == 7
    for title, figures in found["programs"].items():
        assert title in printed
        assert min(figures[name] for name in ("adviz", "NumPy, by hand", "NumPy, forward only")) > 0
        assert figures["adviz / adviz"] == figures["NumPy, forward only / NumPy, forward only"] == 1
    assert len(found["goals"]) == 3


def test_a_wrong_derivative_is_refused(monkeypatch):
    """Nothing is measured of a library whose derivative differs from the one written by hand."""
    monkeypatch.syspath_prepend(str(BENCH))
    engine = importlib.import_module("engine")
    with pytest.raises(SystemExit, match="network, adviz: the relative error of the derivative is"):
        engine.check("network, adviz", (1.0, [np.ones(2)]), (1.0, [np.array([1.0, 1.0 + 1e-8])]))


def test_explore(run):
    """A line per program; without a browser no time to the first picture is claimed."""
    printed, found = run("explore.py")
    assert [(entry["program"], entry["nodes"]) for entry in found["explore"]] == [("loop", 100), ("wide", 100)]
    assert all(entry["first"] > 0 and entry["bytes"] > 1_000 and entry["browser"] is None for entry in found["explore"])
    assert "| loop | 100 |" in printed
    assert found["goals"] == []


def test_player(run):
    """A line of bytes per backward pass; without a browser no time of a frame is claimed."""
    printed, found = run("player.py", "--sizes", "50")
    assert found["weights"].keys() == {"50 nodes", "50 elements"}
    assert found["weights"]["50 nodes"]["nodes"] == 50
    assert all(min(entry["page"], entry["sent"]) > 10_000 for entry in found["weights"].values())
    assert "| 50 nodes | 50 |" in printed
    assert found["frames"] == found["seeks"] == {}
    assert ["50 nodes, bytes of the page" in goal for goal in found["goals"]] == [True]


def test_the_peer_of_the_player_is_set_up_where_it_is_known(monkeypatch):
    """Another version of the peer, whose front end is another, is not measured unawares."""
    monkeypatch.syspath_prepend(str(BENCH))
    player = importlib.import_module("player")
    assert player.moving("graph.fade(false)") == "graph.transition(() => transition().duration(300)).fade(false)"
    with pytest.raises(SystemExit, match="graphviz-anywidget has changed"):
        player.moving("graph.fade(true)")
