"""Functions of nothing, of constants, with results of all kinds: each show is a picture, or a named error."""

import contextlib
import warnings

import numpy as np
import pytest

import adviz as ad

FUNCTIONS = {
    "an empty argument": (lambda x: np.sum(x**2) + 1.0, np.zeros(0)),
    "an empty matrix": (lambda x: x * 2, np.zeros((0, 3))),
    "an empty result": (lambda x: x[:0], np.ones(2)),
    "a constant": (lambda x: 3.0, 3.0),
    "constants": (lambda x: np.ones(3), np.ones(2)),
    "a comparison": (lambda x: x > 1, np.array([1.0, 2.0])),
    "a whole number": (lambda x: x * x + 1, 3),
    "a dict": (lambda x: {"a": x[0] * 2, "b": np.sin(x)}, np.ones(2)),
    "no results": (lambda x: (), 2.0),
    "a result twice": (lambda x: [x * 2] * 2, 2.0),
    "itself": (lambda x: x, 2.0),
    "infinity": (lambda x: 1 / x, np.array([0.0, 1.0])),
}
SHOWS = {
    "explore": ad.explore,
    "show_backward": ad.show_backward,
    "show_backward of rows": lambda f, x, **grain: ad.show_backward(f, x, jacobian=True, **grain),
    "show_forward": ad.show_forward,
    "show_forward of columns": lambda f, x, **grain: ad.show_forward(f, x, jacobian=True, **grain),
    "show_elimination": ad.show_elimination,
    "show_elimination of faces": lambda f, x, **grain: ad.show_elimination(f, x, technique="face", **grain),
    "show_algebra": ad.show_algebra,
    "show_tape_vs_graph": ad.show_tape_vs_graph,
    "show_build": lambda f, x, **_: ad.show_build(f, x),
    "show_program": lambda f, x, **_: ad.show_program(f, x),
    "show_comparison": lambda f, x, **grain: ad.show_comparison(ad.trace(f, x, **grain), ad.trace(f, x, **grain)),
}


@pytest.mark.parametrize("grain", ["array", "scalar"])
@pytest.mark.parametrize(("f", "x"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_shows_of_odd_functions(f, x, grain, tmp_path):
    shown = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for show in SHOWS.values():
            with contextlib.suppress(ad.AdvizError):
                show(f, x, grain=grain).save(tmp_path / "show.html")
                shown += 1
        graph = ad.trace(f, x, grain=grain)
    assert shown >= 6
    graph.save(tmp_path / "graph.adviz")
    assert [node.block.name for node in ad.load(tmp_path / "graph.adviz")] == [node.block.name for node in graph]
